#include "learn/engines.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "learn/linear.h"
#include "text/print.h"

/* What is printed of one model. */
struct export {
    struct linear linear;
    struct print print;
    char name[LINEAR_NAME];
};

/* ---- what engines cannot do ---- */

/* Does feature j count? Not where its weight is 0, or constants make it 0. */
static bool counts(const struct linear *linear, size_t j)
{
    double from, by;
    return linear_weight(linear, j) != 0 &&
           (!linear->constants || linear_scaled(linear, j, &from, &by));
}

/* Engines compute in single precision: 0, or a fault where it cannot hold a number. */
static int check_single(const struct linear *linear, struct fault *fault)
{
    double from = 0, by = 1;
    for (size_t j = 0; j < linear->model.dim; j++)
        if (counts(linear, j) && (!isfinite((float)linear_weight(linear, j)) ||
                                  (linear_scaled(linear, j, &from, &by) &&
                                   (!((float)by > 0) || !isfinite((float)by)))))
            return fault_data(fault, "the weight of feature %zu, or by what it is divided, does "
                              "not fit single precision, in which engines compute", j + 1);
    return 0;
}

/* What to say of features that no engine makes of one document. */
static int refuse(const struct linear *linear, const char *form, struct fault *fault)
{
    if (linear->remembers && linear->scale)
        return fault_data(fault, "memory scales features within the query by default, but the "
                          "engine of -f %s scores one document at a time: learn with -x "
                          "standard:FILE to export the weights", form);
    return fault_data(fault, "the model's features are made by %s, which the engine of -f %s "
                      "cannot do: learn with -x standard:FILE, range:FILE, log or none",
                      linear->made, form);
}

/* Reads the model. `scales`: does the engine scale within the query? */
static int start(struct export *out, struct printer *printer, const struct record *record,
                 const char *form, bool scales, struct fault *fault)
{
    struct linear *linear = &out->linear;
    bool any = false;
    if (linear_read(linear, printer->learners, record, &printer->feature_names, fault) < 0)
        return -1;
    if (!linear->known || (linear->scale && !scales))
        return refuse(linear, form, fault);
    if (linear->constants && linear->scales.features == 0)
        return fault_data(fault, "the model learnt from rounds with made=%s, and so lacks the "
                          "constants: learn from raw rounds by update -x", linear->made);
    for (size_t j = 0; j < linear->model.dim; j++)
        any = any || counts(linear, j);
    if (!any)
        return fault_data(fault, "all weights are 0: there is nothing to export");
    if (check_single(linear, fault) < 0)
        return -1;
    print_start(&out->print, printer->out, fault);
    return 0;
}

static void notice_below_zero(const struct linear *linear, struct printer *printer)
{
    bool below = false;
    for (size_t j = 0; j < linear->model.dim; j++)
        below = below || linear_weight(linear, j) < 0;
    if (below && !linear->constants)
        (void)fault_other(&printer->notice, "some weights are below 0, so scores may be, which "
                          "Elasticsearch refuses in queries other than rescore: learn with -x "
                          "range:FILE or standard:FILE to shift them");
}

/* Says what the engine must do besides the model. */
static void notice(const struct linear *linear, const char *form, struct printer *printer)
{
    if (linear->log && strcmp(form, "vespa") != 0)
        (void)fault_other(&printer->notice, "-f %s has no logarithm: define a feature log_NAME, "
                          "sign(v) ln(1 + |v|), for each feature NAME of the model (made=%s)",
                          form, linear->made);
    if (linear->model.learner && strcmp(form, "es") == 0)
        notice_below_zero(linear, printer);
    if (linear->scale)
        (void)fault_other(&printer->notice, "made=%s: normalize_linear scales over the hits of the "
                          "global phase: set rerank-count to the length of the lists that were "
                          "learnt from", linear->made);
    if (linear->remembers)
        (void)fault_other(&printer->notice, "these weights rank documents without answers: what "
                          "memory knows of others is printed by -f boosts");
}

static int finish(struct export *out, struct printer *printer, const char *form)
{
    int result = print_end(&out->print);
    if (result == 0)
        notice(&out->linear, form, printer);
    return result;
}

/* ---- pieces ---- */

/* The name of feature j in JSON, quoted; `nested` times within a string of JSON. Names are words of
 * ASCII, so that only quotes and backslashes are escaped. */
static void print_name(struct export *out, size_t j, bool nested)
{
    struct print *print = &out->print;
    const char *name = linear_name(&out->linear, j, out->name);
    const char *quote = nested ? "\\\"" : "\"";
    print_word(print, quote);
    print_word(print, out->linear.log ? "log_" : "");
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            print_word(print, nested ? "\\\\" : "\\");
        if (nested && (*name == '"' || *name == '\\'))
            print_byte(print, '\\');
        print_byte(print, *name);
    }
    print_word(print, quote);
}

static void print_number(struct export *out, const char *before, double value, const char *after)
{
    print_word(&out->print, before);
    print_double(&out->print, value);
    print_word(&out->print, after);
}

/* ---- Elasticsearch and OpenSearch ---- */

/* Where a feature counts least, which becomes 0: so each term of the score is 0 or more. */
static double lowest(const struct linear *linear, size_t j)
{
    return linear->scales.of[linear_weight(linear, j) < 0 ? CONSTANT_LARGEST : CONSTANT_LEAST][j];
}

static void print_normalizer(struct export *out, size_t j)
{
    double from, by;
    (void)linear_scaled(&out->linear, j, &from, &by);
    print_name(out, j, false);
    print_number(out, ":{\"standard\":{\"mean\":", lowest(&out->linear, j), ",");
    print_number(out, "\"standard_deviation\":", by, "}}");
}

int engines_es(struct printer *printer, const struct record *record, struct fault *fault)
{
    struct export out = { .linear.known = false };
    struct print *print = &out.print;
    const char *between = "";
    int result = start(&out, printer, record, "es", false, fault);
    if (result == 0) {
        print_word(print, "{\"model\":{\"name\":\"rankpipe\",\"model\":{\"type\":\"model/linear\"");
        if (out.linear.constants)
            print_word(print, ",\n\"feature_normalizers\":{\n");
        for (size_t j = 0; out.linear.constants && j < out.linear.model.dim; j++)
            if (counts(&out.linear, j)) {
                print_word(print, between);
                print_normalizer(&out, j);
                between = ",\n";
            }
        print_word(print, out.linear.constants ? "}" : "");
        print_word(print, ",\n\"definition\":\"{");
        between = "";
        for (size_t j = 0; j < out.linear.model.dim; j++)
            if (counts(&out.linear, j)) {
                print_word(print, between);
                print_name(&out, j, true);
                print_number(&out, ":", linear_weight(&out.linear, j), "");
                between = ",";
            }
        print_word(print, "}\"}}}\n");
        result = finish(&out, printer, "es");
    }
    linear_close(&out.linear);
    return result;
}

/* ---- Solr ---- */

static void print_solr_feature(struct export *out, size_t j)
{
    const struct linear *linear = &out->linear;
    const char *kind = linear->range ? "MinMax" : "Standard";
    double from, by;
    print_word(&out->print, "{\"name\":");
    print_name(out, j, false);
    if (linear_scaled(linear, j, &from, &by)) {
        print_word(&out->print, ",\"norm\":{\"class\":\"org.apache.solr.ltr.norm.");
        print_word(&out->print, kind);
        print_number(out, linear->range ? "Normalizer\",\"params\":{\"min\":\""
                                        : "Normalizer\",\"params\":{\"avg\":\"", from, "\"");
        print_number(out, linear->range ? ",\"max\":\"" : ",\"std\":\"",
                     linear->range ? linear->scales.of[CONSTANT_LARGEST][j] : by, "\"}}");
    }
    print_byte(&out->print, '}');
}

int engines_solr(struct printer *printer, const struct record *record, struct fault *fault)
{
    struct export out = { .linear.known = false };
    struct print *print = &out.print;
    int result = start(&out, printer, record, "solr", false, fault);
    if (result == 0) {
        print_word(print, "{\"class\":\"org.apache.solr.ltr.model.LinearModel\","
                          "\"name\":\"rankpipe\",\n\"features\":[\n");
        for (size_t j = 0; j < out.linear.model.dim; j++) {
            print_word(print, j ? ",\n" : "");
            print_solr_feature(&out, j);
        }
        print_word(print, "],\n\"params\":{\"weights\":{\n");
        for (size_t j = 0; j < out.linear.model.dim; j++) {
            print_word(print, j ? ",\n" : "");
            print_name(&out, j, false);
            print_number(&out, ":", counts(&out.linear, j) ? linear_weight(&out.linear, j) : 0, "");
        }
        print_word(print, "}}}\n");
        result = finish(&out, printer, "solr");
    }
    linear_close(&out.linear);
    return result;
}

/* ---- Vespa ---- */

/* A name is a rank feature, such as bm25(title) or attribute(price), or a function of the schema.
 * Nothing else may get into an expression. */
static int check_names(const struct linear *linear, struct fault *fault)
{
    for (size_t j = 0; j < linear->model.dim; j++) {
        char room[LINEAR_NAME];
        const char *name = linear_name(linear, j, room);
        bool good = isalpha((unsigned char)*name);
        for (size_t i = 0; name[i]; i++)
            good = good && (isalnum((unsigned char)name[i]) || strchr("_.(),", name[i]));
        if (!good)
            return fault_data(fault, "the name of feature %zu, '%.40s', is not that of a rank "
                              "feature or function of Vespa: name it by update -y", j + 1, name);
    }
    return 0;
}

/* The functions of logarithms: normalize_linear takes only the name of one. */
static void print_functions(struct export *out)
{
    struct print *print = &out->print;
    for (size_t j = 0; out->linear.log && j < out->linear.model.dim; j++) {
        if (!counts(&out->linear, j))
            continue;
        const char *name = linear_name(&out->linear, j, out->name);
        print_word(print, "    function log_");
        print_whole(print, j + 1);
        print_word(print, "() {\n        expression: if (");
        print_word(print, name);
        print_word(print, " < 0, -1, 1) * log(1 + fabs(");
        print_word(print, name);
        print_word(print, "))\n    }\n");
    }
}

/* A term of the sum, with its sign. */
static void print_term(struct export *out, size_t j)
{
    struct print *print = &out->print;
    double w = linear_weight(&out->linear, j), from, by;
    print_number(out, w < 0 ? "            - " : "            + ", fabs(w), " * ");
    print_word(print, out->linear.scale ? "normalize_linear(" : "(");
    if (out->linear.log) {
        print_word(print, "log_");
        print_whole(print, j + 1);
    } else {
        print_word(print, linear_name(&out->linear, j, out->name));
    }
    if (linear_scaled(&out->linear, j, &from, &by)) {
        print_number(out, from < 0 ? " + " : " - ", fabs(from), ") / ");
        print_double(print, by);
    } else {
        print_byte(print, ')');
    }
    print_byte(print, '\n');
}

int engines_vespa(struct printer *printer, const struct record *record, struct fault *fault)
{
    struct export out = { .linear.known = false };
    struct print *print = &out.print;
    int result = start(&out, printer, record, "vespa", true, fault);
    if (result == 0)
        result = check_names(&out.linear, fault);
    if (result == 0) {
        print_word(print, "rank-profile rankpipe inherits default {\n");
        print_functions(&out);
        print_word(print, out.linear.scale ? "    global-phase {\n" : "    second-phase {\n");
        print_word(print, "        expression {\n            0\n");
        for (size_t j = 0; j < out.linear.model.dim && print->failed == 0; j++)
            if (counts(&out.linear, j))
                print_term(&out, j);
        print_word(print, "        }\n    }\n}\n");
        result = finish(&out, printer, "vespa");
    }
    linear_close(&out.linear);
    return result;
}
