#include "measure/linear_measure.h"

#include <string.h>

static double discount(const struct judge *judge, size_t i)
{
    return judge->discount[i];
}

static double one(const struct judge *judge, size_t i)
{
    (void)judge, (void)i;
    return 1;
}

static double minus_place(const struct judge *judge, size_t i)
{
    (void)judge;
    return -(double)(i + 1);
}

static double gain_of_dcg(const struct judge *judge, double label)
{
    return measure_gain(&judge->conventions, label);
}

static double relevant(const struct judge *judge, double label)
{
    (void)judge;
    return label > 0;
}

static double itself(const struct judge *judge, double label)
{
    (void)judge;
    return label;
}

static void by_ideal(const struct measure *measure, const struct judge *judge, double *unit,
                     double *constant)
{
    (void)constant;
    *unit = measure_ideal(measure, judge);
}

static double count_ones(const struct judge *judge)
{
    double n = 0;
    for (size_t i = 0; i < judge->docs; i++)
        n += judge->label[i];
    return n;
}

/* For labels 0 and 1, n of them 1 and N = n (m - n), the pairs in the wrong order are the
 * irrelevant documents before each relevant one: its place, less the relevant ones up to it, so
 *   pairloss = sumloss - n (n + 1) / 2,    auc = 1 - pairloss / N. */
static void of_pairs(const struct measure *measure, const struct judge *judge, double *unit,
                     double *constant)
{
    double n = count_ones(judge);
    (void)measure, (void)unit;
    *constant = n * (n + 1) / 2;
}

static void by_pairs(const struct measure *measure, const struct judge *judge, double *unit,
                     double *constant)
{
    double n = count_ones(judge);
    (void)measure;
    *unit = n * ((double)judge->docs - n);
    *constant = 1 + n * (n + 1) / 2 / *unit;
}

static const struct linear_measure linears[] = {
    { "dcg", 1, false, discount, gain_of_dcg, NULL },
    { "ndcg", 1, false, discount, gain_of_dcg, by_ideal },
    { "prec", 1, false, one, relevant, NULL },
    { "sumloss", -1, false, minus_place, itself, NULL },
    { "pairloss", -1, true, minus_place, itself, of_pairs },
    { "auc", 1, true, minus_place, itself, by_pairs },
};
enum { LINEARS = sizeof linears / sizeof *linears };

const struct linear_measure *linear_measure_number(size_t i)
{
    return i < LINEARS ? &linears[i] : NULL;
}

const struct linear_measure *linear_measure_find(const char *measure)
{
    size_t length = strcspn(measure, "@");
    for (size_t i = 0; i < LINEARS; i++)
        if (strlen(linears[i].name) == length && strncmp(measure, linears[i].name, length) == 0)
            return &linears[i];
    return NULL;
}
