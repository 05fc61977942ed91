/* features: other features in the place of a round's: split, random Fourier features, products. */
#include "feature/fourier.h"
#include "feature/products.h"
#include "feature/rows.h"
#include "feature/split.h"
#include "run/filter.h"

enum { FOURIER_NUMBER = 100, FOURIER_NUMBER_MOST = 1 << 20 };

struct features {
    struct host *host;
    const struct step_kind *step;
    char drawn; /* the last option that is for features drawn at random; 0: none was given */
    uint64_t number, seed;
    double gamma;
    struct split split;
    struct fourier fourier;
    struct rows in, out;
};

static int change_split(struct features *my, size_t *dim)
{
    return split_rows(&my->split, &my->in, dim, &my->out, my->host->fault);
}

static int change_fourier(struct features *my, size_t *dim)
{
    return fourier_rows(&my->fourier, &my->in, dim, &my->out, my->host->fault);
}

static int change_products(struct features *my, size_t *dim)
{
    return products_rows(&my->in, dim, &my->out, my->host->fault);
}

static const struct step_kind {
    const char *name;
    bool draws; /* takes the options */
    int (*change)(struct features *my, size_t *dim); /* from `in` to `out` */
} step_kinds[] = {
    { "split", false, change_split },
    { "fourier", true, change_fourier },
    { "products", false, change_products },
    { NULL, false, NULL },
};

static const struct option options_known[] = {
    { 'D', "number", NULL, "fourier: number of features to add, 1 to 1048576 (default 100)" },
    { 'g', "gamma", NULL, "fourier: the kernel is exp(-gamma |x - y|^2), a number above 0 "
                          "(default 1)" },
    { 's', "seed", NULL, "fourier: seed of the features, a whole number, 0 or more (default 1)" },
    { 0 },
};

static const char *step_word(size_t i)
{
    return step_kinds[i].name;
}

static const struct option operand_known = { 0, "step", step_word, "how to change the features" };

static int parse_way(struct features *my, const struct options *options)
{
    char *const *operands = options_operands(options);
    if (!operands[0])
        return options_missing(options, "step", step_word);
    if (operands[1])
        return fault_usage(options->fault, "one step at a time, but '%.40s' follows '%.40s'",
                           operands[1], operands[0]);
    int found = options_find(options, "step", operands[0], step_word);
    if (found < 0)
        return -1;
    my->step = &step_kinds[found];
    if (my->drawn && !my->step->draws)
        return fault_usage(options->fault, "%s does not take -%c: it draws nothing at random",
                           my->step->name, my->drawn);
    return 0;
}

static int parse(void *self, struct options *options, struct host *host)
{
    struct features *my = self;
    int letter, wrong = 0;
    my->host = host;
    my->number = FOURIER_NUMBER;
    my->seed = 1;
    my->gamma = 1;
    while (wrong == 0 && (letter = options_next(options)) > 0) {
        my->drawn = (char)letter;
        if (letter == 'D')
            wrong = options_whole(options, 1, FOURIER_NUMBER_MOST, &my->number);
        else if (letter == 'g')
            wrong = options_positive(options, &my->gamma);
        else
            wrong = options_whole(options, 0, RECORD_MOST, &my->seed);
    }
    if (wrong < 0)
        return wrong;
    return letter < 0 ? letter : parse_way(my, options);
}

static enum kind kind(const void *self)
{
    (void)self;
    return FILTER;
}

static int open_features(void *self)
{
    struct features *my = self;
    if (!my->step->draws)
        return 0;
    return fourier_start(&my->fourier, (size_t)my->number, my->gamma, my->seed, my->host->fault);
}

static enum step step(void *self, struct round *round)
{
    struct features *my = self;
    struct fault *fault = my->host->fault;
    struct matrix x;
    if (round_features(round, &x, fault) < 0)
        return FAIL;
    if (x.form == MATRIX_UNIT) {
        (void)fault_data(fault, "needs features: the round has none (dim=0)");
        return FAIL;
    }
    size_t dim = x.dim;
    if (rows_take(&my->in, &x, fault) < 0 || my->step->change(my, &dim) < 0 ||
        rows_finite(&my->out, fault) < 0 || rows_matrix(&my->out, dim, &x, fault) < 0 ||
        round_new_features(round, &x, fault) < 0)
        return FAIL;
    return PASS;
}

static int close_features(void *self, enum ended ended)
{
    struct features *my = self;
    (void)ended;
    split_close(&my->split);
    fourier_close(&my->fourier);
    rows_close(&my->in);
    rows_close(&my->out);
    return 0;
}

const struct filter features = {
    .name = "features",
    .usage = "[-D number] [-g gamma] [-s seed] step",
    .line = "transforms features: deviations and means, Fourier, products",
    .options = options_known,
    .operand = &operand_known,
    .size = sizeof(struct features),
    .parse = parse,
    .kind = kind,
    .open = open_features,
    .step = step,
    .close = close_features,
};
