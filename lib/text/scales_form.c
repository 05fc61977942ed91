#include "text/scales_form.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "feature/constants.h"
#include "text/print.h"

int scales_form_round(struct scales_form *form, const struct feature_names *names,
                      const struct round *round, struct fault *fault)
{
    struct matrix x;
    const char *made = round->made ? round->made : "";
    if (feature_names_check(names, round->named, "the round", fault) < 0 ||
        round_matrix(round, &x, fault) < 0)
        return -1;
    if (x.form == MATRIX_UNIT)
        return fault_data(fault, "the round has no features (dim=0)");
    if (form->rounds++ == 0)
        strcpy(form->made, made);
    if (strcmp(made, form->made) != 0)
        return fault_data(fault, "its features are made by %s, those before it by %s: print the "
                          "scales of each by themselves", *made ? made : "nothing (raw)",
                          form->made[0] ? form->made : "nothing (raw)");
    if (scales_add(&form->scales, &x, fault) < 0)
        return -1;
    return form->scales.not_finite == 0 ? 0 : fault_data(fault, "a feature is not finite");
}

/* A feature's name, unless it could be taken for a number. */
static void print_feature(struct print *print, const struct feature_names *names, size_t j)
{
    const char *name = feature_names_of(names, j);
    if (name && *text_skip_digits(name))
        print_word(print, name);
    else
        print_whole(print, j + 1);
}

int scales_form_print(const struct scales_form *form, const struct feature_names *names,
                      struct writer *out, struct fault *fault)
{
    struct print print;
    if (form->rounds == 0)
        return fault_data(fault, "no rounds: scales are of the features of rounds");
    if (names->features && names->features < form->scales.width)
        return fault_data(fault, "the rounds have %zu features, but there are names of %zu",
                          form->scales.width, names->features);
    if (writer_text(out, fault, CONSTANTS_HEAD "%zu documents=%" PRIu64 "%s%s\n",
                    form->scales.width, form->scales.docs, form->made[0] ? CONSTANTS_MADE : "",
                    form->made) < 0 ||
        writer_text(out, fault, "# feature\tmean\tdeviation\tleast\tlargest\n") < 0)
        return -1;
    print_start(&print, out, fault);
    for (size_t j = 0; j < form->scales.width && print.failed == 0; j++) {
        const struct scale scale = scales_of(&form->scales, j);
        const double of[] = { scale.mean, scale.deviation, scale.least, scale.largest };
        print_feature(&print, names, j);
        for (size_t c = 0; c < CONSTANTS; c++) {
            print_byte(&print, '\t');
            print_double(&print, of[c]);
        }
        print_byte(&print, '\n');
    }
    print_word(&print, CONSTANTS_END "\n");
    return print_end(&print);
}
