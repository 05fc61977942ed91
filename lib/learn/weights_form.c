#include "learn/weights_form.h"

#include "learn/linear.h"
#include "text/print.h"

/* What the user should know of weights that leave without what makes their features. */
static void notice(const struct linear *linear, struct printer *printer)
{
    if (linear->made)
        (void)fault_other(&printer->notice, "the weights are those of features made by %s, which "
                          "this text does not say: make them in the same way, or rank by score",
                          linear->made);
    else if (linear->remembers)
        (void)fault_other(&printer->notice, "these weights rank documents without answers: what "
                          "memory knows of others is printed by -f boosts");
}

static int finish(struct linear *linear, struct print *print, struct printer *printer)
{
    int result = print_end(print);
    notice(linear, printer);
    linear_close(linear);
    return result;
}

/* In a comment: readers skip it. */
static void print_name(struct print *print, const struct linear *linear, size_t j)
{
    const char *name = feature_names_of(&linear->names, j);
    if (name) {
        print_byte(print, ' ');
        print_word(print, name);
    }
}

/* svm_classify reads feature values as floats, but the weight of a support vector as a double. So
 * each weight gets a support vector of its own with the value 1, and none is rounded. */
int weights_svm_light(struct printer *printer, const struct record *record, struct fault *fault)
{
    struct linear linear = { .known = false };
    struct print print;
    if (linear_read(&linear, printer->learners, record, &printer->feature_names, fault) < 0)
        return -1;
    size_t vectors = 0;
    for (size_t j = 0; j < linear.model.dim; j++)
        vectors += linear_weight(&linear, j) != 0;
    print_start(&print, printer->out, fault);
    print_word(&print, "SVM-light Version V6.02\n0 # kernel type\n3 # kernel parameter -d \n"
                       "1 # kernel parameter -g \n1 # kernel parameter -s \n"
                       "1 # kernel parameter -r \nempty# kernel parameter -u \n");
    print_whole(&print, linear.model.dim);
    print_word(&print, " # highest feature index \n0 # number of training documents \n");
    print_whole(&print, vectors + 1);
    print_word(&print, " # number of support vectors plus 1 \n"
                       "0 # threshold b, each following line is a SV (starting with alpha*y)\n");
    for (size_t j = 0; j < linear.model.dim && print.failed == 0; j++) {
        if (linear_weight(&linear, j) == 0)
            continue;
        print_double(&print, linear_weight(&linear, j));
        print_byte(&print, ' ');
        print_whole(&print, j + 1);
        print_word(&print, ":1 #");
        print_name(&print, &linear, j);
        print_byte(&print, '\n');
    }
    return finish(&linear, &print, printer);
}

/* All weights with their numbers, from 1. No blank follows the last of them. */
static void print_weights(struct print *print, const struct linear *linear, char between,
                          char after)
{
    size_t dim = linear->model.dim;
    for (size_t j = 0; j < dim && print->failed == 0; j++) {
        print_whole(print, j + 1);
        print_byte(print, between);
        print_double(print, linear_weight(linear, j));
        if (between == '\t' && linear->names.features > j) {
            print_word(print, "\t#");
            print_name(print, linear, j);
        }
        if (after != ' ' || j + 1 < dim)
            print_byte(print, after);
    }
}

int weights_ranklib(struct printer *printer, const struct record *record, struct fault *fault)
{
    struct linear linear = { .known = false };
    struct print print;
    if (linear_read(&linear, printer->learners, record, &printer->feature_names, fault) < 0)
        return -1;
    print_start(&print, printer->out, fault);
    print_word(&print, "## Coordinate Ascent\n");
    print_weights(&print, &linear, ':', ' ');
    print_byte(&print, '\n');
    return finish(&linear, &print, printer);
}

int weights_tsv(struct printer *printer, const struct record *record, struct fault *fault)
{
    struct linear linear = { .known = false };
    struct print print;
    if (linear_read(&linear, printer->learners, record, &printer->feature_names, fault) < 0)
        return -1;
    print_start(&print, printer->out, fault);
    print_weights(&print, &linear, '\t', '\n');
    return finish(&linear, &print, printer);
}

/* Its first weight is that of the constant feature 0, not a whole number, so that a line of two
 * numbers is no index and weight. */
int weights_sofia(struct printer *printer, const struct record *record, struct fault *fault)
{
    struct linear linear = { .known = false };
    struct print print;
    if (linear_read(&linear, printer->learners, record, &printer->feature_names, fault) < 0)
        return -1;
    print_start(&print, printer->out, fault);
    print_word(&print, "0.0");
    for (size_t j = 0; j < linear.model.dim && print.failed == 0; j++) {
        print_byte(&print, ' ');
        print_double(&print, linear_weight(&linear, j));
    }
    print_byte(&print, '\n');
    return finish(&linear, &print, printer);
}
