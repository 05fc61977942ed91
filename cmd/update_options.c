/* The options of update: its own, and the settings of learners. */
#include "update_options.h"

#include "learn/learner.h"

static const char *gain_word(size_t i)
{
    return settings_known[SETTING_GAIN].words[i];
}

const char *update_learner(size_t i)
{
    return learners[i] ? learners[i]->name : NULL;
}

const struct option update_options[] = {
    { 'C', "tradeoff", NULL, "solar1: C (default 1e-5); solar2: gamma (default 10000); kernel: "
                             "gamma (default 1); others: the ridge penalty (default 1, baselines "
                             "100); 1e-300 to 1e300" },
    { 'D', "delta", NULL, "toprank, bubblerank: chance of an error, above 0 (default 1e-6)" },
    { 'E', "epsilon", NULL, "smoothdcg, smoothdcg-dr: smoothing, a number above 0 (default 0.01)" },
    { 'F', "power", NULL, "smoothdcg, smoothdcg-dr: -E falls as t^-power (default: it stays)" },
    { 'G', "gain", gain_word, "ftpl: gain of a label (default exp)" },
    { 'H', NULL, NULL, "memory: forget a query whose answers surprise (default: never forget)" },
    { 'K', NULL, NULL, "memory: learn from clicks down to the last (default: from relevance)" },
    { 'L', "grade", NULL, "prank: top grade of the labels, 1 to 1000 (default 4)" },
    { 'M', "margin", NULL, "slam, slam-ap, minimax: margin of their losses, above 0 (default 1)" },
    { 'N', "size", NULL, "committee: members (default 20); kernel: pairs kept (default 100); 1 to "
                         "1000000" },
    OPTION_PROGRESS,
    { 'R', "rho", NULL, "memory: variance of a document's effect, 0 or more (default: estimated)" },
    { 'S', "width", NULL, "thompson, linucb, dbgd, memory, cascade-lints: width of exploration "
                          "(default: 0.15 residuals; dbgd, cascade-lints 1; memory 4)" },
    { 'T', "horizon", NULL, "rounds of the run: eta is horizon^(-2/3), or horizon^(-1/2)" },
    { 'U', "radius", NULL, "radius of the ball for the weights, above 0 (default: no ball)" },
    { 'X', NULL, NULL, "learn from all labels of rounds that explore ordered (default: refuse)" },
    { 'a', "learner", update_learner, "how to learn (default memory)" },
    { 'c', "every", NULL, "with -m: rounds, or seconds as 30s, between checkpoints (default: save "
                          "at the end alone)" },
    { 'd', "dim", NULL, "most weights (default 2^24; solar2, regressions 4096; committee 2^19)" },
    { 'e', "eta", NULL, "step size, above 0 (default: adaptive steps; minimax 1, dbgd 0.01)" },
    { 'f', "ring", NULL, "FIFO that carries the weights back to score, or - for standard output "
                       "(default: no ring)" },
    { 'k', "cutoff", NULL, "slam, smoothdcg: cutoff of the (N)DCG to learn (default: none; 1)" },
    { 'l', "models", NULL, "with -m: models to keep, as model.ROUND (default: the last alone)" },
    { 'm', "model", NULL, "file of the model to continue and replace (default: standard output)" },
    { 'n', NULL, NULL, "with -m: start a new model (default: continue the one in the file)" },
    { 'o', NULL, NULL, "prank, learners of pairs: take them in document order (default: a random "
                       "order)" },
    { 'p', NULL, NULL, "regressions: features as they are (default: deviation and mean)" },
    { 's', "seed", NULL, "seed of what the learner draws, a whole number from 0 (default 1)" },
    { 'x', "steps", NULL, "make features of raw ones, as features does; none: as they come "
                          "(default: scale for memory and ridge's kin, else none)" },
    { 0 },
};
