/*
 * Two ways to the same bits, for each learner in the table: dense and sparse features; learning on
 * and stopping after every round, with what is kept written out and read back; learning on and
 * refusing rounds on the way, of which nothing is left; the labels, and all of them seen in
 * whatever order; and, for those that make no promise of it, a list of which some is seen and the
 * list of those alone. The features grow from round to round.
 */
#include "learn/descent.h"
#include "loss/surrogate_gradients.h"
#include "rounds.h"
#include "stream/record_header.h"
#include "stream/reader.h"
#include "stream/writer.h"

enum { ROUNDS = 40, RUNS = 5, ITEMS = 5, BYTES = 1 << 17 };

/* Settings for each learner: the fewest, all, all with other values, none, so that steps are
 * adaptive, and a radius alone. */
static const struct option_use {
    enum setting_number i;
    double value[RUNS]; /* 0: not said */
} GIVEN[] = {
    { SETTING_TRADEOFF, { 0, 0.5, 3 } },   { SETTING_EPSILON, { 0, 0.1, 2 } },
    { SETTING_GAIN, { 0, GAIN_LIN, GAIN_NDCG } }, { SETTING_TOP_GRADE, { 0, 7, 3 } },
    { SETTING_MEMBERS, { 0, 2, 3 } },      { SETTING_EXPLORATION_WIDTH, { 0, 0.5, 2 } },
    { SETTING_HORIZON, { 0, 0, 1000 } },   { SETTING_RADIUS, { 0, 0.7, 2, 0, 1.5 } },
    { SETTING_ETA, { 0.001, 0.3, 0 } },    { SETTING_CUTOFF, { 0, 2, 3 } },
    { SETTING_IN_ORDER, { 0, 1, 0 } },     { SETTING_PLAIN, { 0, 1, 0 } },
    { SETTING_SEED, { 0, 7, 123456789 } }, { SETTING_RHO, { 0, 0.5, 9 } },
    { SETTING_DELTA, { 0, 0.5, 0.9 } },    { SETTING_MARGIN, { 0, 0.3, 2 } },
    { SETTING_FALL, { 0, 0.3, 0 } },
};

static struct settings tell(const struct learner *learner, size_t run)
{
    struct settings settings = { .set = { false } };
    bool horizon = strchr(learner->letters, 'T') != NULL;
    bool boundless = learner->bets && learner->bets->boundless;
    for (size_t i = 0; i < COUNT(GIVEN); i++)
        if (GIVEN[i].value[run] > 0 && !(run == 4 && boundless) &&
            strchr(learner->letters, settings_known[GIVEN[i].i].letter))
            set(&settings, GIVEN[i].i, GIVEN[i].value[run]);
    if (strcmp(learner->name, "exp3m") == 0 && run == 2)
        settings.value[SETTING_GAIN] = GAIN_EXP; /* it takes no others */
    if (!horizon && run == 2 && strchr(learner->letters, 'e')) /* where there is but -e */
        set(&settings, SETTING_ETA, 0.25);
    return settings;
}

static void begin(struct state *state, const struct learner *learner, size_t run)
{
    struct settings settings = tell(learner, run);
    start(state, learner->name, &settings);
    state->allowed = DIM; /* as update -d allows widths to vary */
    struct watch watch = WATCH_NOTHING;
    struct fault fault = { FAULT_NONE, "" };
    if (learner->open)
        must(learner->open(state->own, state, &watch, &fault), &fault);
}

/* A query, and how much of it is seen in what order. */
struct deal {
    struct query query;
    uint32_t order[DOCS];
    size_t places;
};

/* Round t of a run: wider and wider, but now and then narrow. */
static void draw_deal(struct rng *rng, struct deal *deal, uint64_t t)
{
    uint32_t dim = t % 7 == 0 ? 1 + rng_below(rng, DIM) : 1 + (uint32_t)t;
    draw_features(rng, &deal->query, 1 + rng_below(rng, DOCS), dim > DIM ? DIM : dim, draw_unit);
    draw_labels(rng, &deal->query, 3);
    rng_permutation(rng, deal->order, deal->query.docs);
    deal->places = rng_below(rng, (uint32_t)deal->query.docs + 1);
}

/* For exp3m: a fixed list, of which explore has drawn two, by scores of which some are equal. */
static const struct round *drawn_round(struct rng *rng, uint64_t t)
{
    static struct made made;
    struct query query = { .docs = ITEMS, .dim = 0 };
    uint32_t order[ITEMS];
    draw_labels(rng, &query, 1);
    rng_permutation(rng, order, ITEMS);
    make_round(&made, &query, t, DENSE);
    for (size_t i = 0; i < ITEMS; i++)
        made.score[i] = (double)((i + t) % 3) / 4;
    made.round.score = made.score;
    made.round.subset = 2;
    return mask_round(&made, order, 1 + t % 3);
}

/* For those of a list other than these: clicks on its first four items. Scores are those that the
 * learner ranks by. */
static const struct round *clicked_round(struct state *state, struct rng *rng, uint64_t t)
{
    static struct made made;
    struct query query = { .docs = ITEMS, .dim = 0 };
    struct fault fault = { FAULT_NONE, "" };
    uint32_t order[ITEMS];
    draw_labels(rng, &query, 3);
    rng_permutation(rng, order, ITEMS);
    make_round(&made, &query, t, DENSE);
    click_round(&made, state, order, 4, 1);
    must(learner_reach(state, ITEMS, &fault), &fault);
    const struct learner *learner = state->learner;
    const double *score = learner->weights ? learner->weights(state->own, state, &fault) : state->w;
    memcpy(made.score, score, ITEMS * sizeof *score);
    made.round.score = made.score;
    return &made.round;
}

/* For ftpl: a fixed list, in blocks of a round for each item and one more; in the last run, whose
 * gain wants them, all labels. */
static const struct round *item_round(struct rng *rng, uint64_t t, size_t run)
{
    static struct made made;
    struct query query = { .docs = ITEMS, .dim = 0 };
    uint32_t order[ITEMS], top = (uint32_t)(t % (ITEMS + 1));
    draw_labels(rng, &query, 3);
    rng_permutation(rng, order, ITEMS);
    const struct round *round = make_round(&made, &query, t, DENSE);
    made.round.in_block = run < 2;
    made.round.block = t / (ITEMS + 1);
    made.round.grouped = top < ITEMS;
    made.round.group = top;
    for (size_t a = 0; top < ITEMS && a < ITEMS; a++)
        if (order[a] == top)
            order[a] = order[0];
    order[0] = top < ITEMS ? top : order[0];
    return run < 2 ? mask_round(&made, order, 1) : round;
}

/* Does it learn from clicks, and from nothing else? */
static bool clicks(const struct learner *learner)
{
    return learner == learner_find("pdgd") || learner == learner_find("dbgd") ||
           learner == learner_find("pairrank");
}

/* Does it learn one list, without features? */
static bool listed(const struct learner *learner)
{
    return learner->items;
}

/* For the others: in turn all labels and, as explore shows them, as many as the learner needs. */
static const struct round *deal_round(const struct state *state, const struct deal *deal,
                                      uint64_t t, enum form form)
{
    static struct made made;
    const struct round *round = make_round(&made, &deal->query, t, form);
    size_t least = state->learner->least, m = deal->query.docs;
    if (clicks(state->learner)) {
        round = click_round(&made, state, deal->order,
                            deal->places < least ? m : deal->places, 1);
    } else if (t % 2 && least != SURROGATE_ALL) {
        made.round.explored = true;
        made.round.gamma = 0.5;
        round = mask_round(&made, deal->order, least < m ? least : m);
    }
    return round;
}

/* Round t of a run of any learner; it lasts until the next. */
static const struct round *next_round(struct state *state, struct rng *rng, uint64_t t, size_t run)
{
    struct deal deal;
    if (strcmp(state->learner->name, "ftpl") == 0)
        return item_round(rng, t, run);
    if (strcmp(state->learner->name, "exp3m") == 0)
        return drawn_round(rng, t);
    if (listed(state->learner))
        return clicked_round(state, rng, t);
    draw_deal(rng, &deal, t);
    return deal_round(state, &deal, t, (enum form)(t % FORMS));
}

/* ---- dense and sparse ---- */

static void check_forms(const struct learner *learner, size_t run)
{
    struct rng rng = rng_at(run, RNG_SAMPLE, 1);
    struct state state[FORMS];
    for (size_t f = 0; f < FORMS; f++)
        begin(&state[f], learner, run);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        struct deal deal;
        draw_deal(&rng, &deal, t);
        for (size_t f = 0; f < FORMS; f++)
            learn_round(&state[f], deal_round(&state[f], &deal, t, (enum form)f));
        for (size_t f = 1; f < FORMS; f++)
            hold(same_learnt(&state[0], &state[f]), learner->name,
                 "dense and sparse (1, 2 with zeros) differ", f, 0);
    }
    for (size_t f = 0; f < FORMS; f++)
        learner_close(&state[f]);
}

/* ---- to stop and to go on ---- */

/* The model file, end and all; returns its length. */
static size_t write_model(struct state *state, char *bytes)
{
    static const char end[] = "rankpipe/1 end rounds=1 bytes=0\n";
    static struct model model;
    char line[RECORD_LINE + 1];
    size_t n;
    struct fault fault = { FAULT_NONE, "" };
    must(learner_save(state, &model, &fault), &fault);
    must(header_print(&model.record, line, &n, &fault), &fault);
    memcpy(bytes, line, n);
    for (size_t c = 0; c < model.record.columns; c++) {
        const struct column *column = &model.record.column[c];
        if (n + column_bytes(column) + sizeof end > BYTES)
            exit(1);
        take_values(column, bytes + n);
        n += column_bytes(column);
    }
    memcpy(bytes + n, end, sizeof end - 1);
    return n + sizeof end - 1;
}

/* Loads a model into a new state, and then overwrites it: nothing of it is needed any more. */
static void load_model(struct state *state, char *bytes, size_t n)
{
    static struct model model;
    struct reader reader;
    struct fault fault = { FAULT_NONE, "" };
    reader_open_bytes(&reader, bytes, n, "bytes");
    must(reader_next(&reader, &model.record, &fault) - 1, &fault);
    must(model_read(&model, &fault), &fault);
    must(learner_load(state, &model, &fault), &fault);
    memset(bytes, 0, n);
    reader_close(&reader);
}

/* A new state, from what an old one wrote, which is then gone. */
static void go_on(struct state *state, size_t run)
{
    static char bytes[BYTES];
    const struct learner *learner = state->learner;
    size_t n = write_model(state, bytes);
    learner_close(state);
    begin(state, learner, run);
    load_model(state, bytes, n);
}

static void check_stopping(const struct learner *learner, size_t run)
{
    static char whole[BYTES], pieces[BYTES];
    struct rng rng = rng_at(run, RNG_SAMPLE, 2), same = rng;
    struct state on, off;
    begin(&on, learner, run);
    begin(&off, learner, run);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        go_on(&off, run);
        learn_round(&on, next_round(&on, &rng, t, run));
        learn_round(&off, next_round(&off, &same, t, run));
        size_t n = write_model(&on, whole);
        hold(write_model(&off, pieces) == n && memcmp(whole, pieces, n) == 0, learner->name,
             "stopping and going on differs from never stopping, t", t, run);
    }
    learner_close(&on);
    learner_close(&off);
}

/* Takes up what an old state wrote, in its place. */
static void go_back(struct state *state, const char *bytes, size_t n, size_t run)
{
    static char copy[BYTES];
    const struct learner *learner = state->learner;
    learner_close(state);
    begin(state, learner, run);
    memcpy(copy, bytes, n);
    load_model(state, copy, n);
}

/* The numbers of a round's features, to be changed; NULL: it has none. */
static float *features_of(const struct round *round, size_t *n)
{
    const struct column *dense = record_column(round->record, "x");
    const struct column *sparse = record_column(round->record, "val");
    const struct column *column = dense ? dense : sparse;
    *n = column ? (size_t)column->count : 0;
    return *n ? (float *)column->data : NULL;
}

/* A round whose features are infinite, or of a list that is shorter: where it is refused, nothing
 * of it is left. Some learn from it, as they look at no feature, and are taken back. */
static bool check_refusal(struct state *state, const struct round *round, size_t run)
{
    static char before[BYTES], after[BYTES];
    static float kept[DOCS * DIM];
    struct fault fault = { FAULT_NONE, "" };
    struct round bad = *round;
    size_t n = write_model(state, before), numbers;
    float *x = features_of(round, &numbers);
    for (size_t i = 0; i < numbers; i++) {
        kept[i] = x[i];
        x[i] = INFINITY;
    }
    if (listed(state->learner))
        bad.docs = state->rounds ? ITEMS - 1 : ITEMS;
    bool refused = learner_learn(state, &bad, &fault) < 0;
    for (size_t i = 0; i < numbers; i++)
        x[i] = kept[i];
    if (!refused)
        go_back(state, before, n, run);
    hold(!state->begun && write_model(state, after) == n && memcmp(before, after, n) == 0,
         state->learner->name, "a round that is refused changes something, t", round->t, run);
    return refused;
}

/* How many rounds were refused. */
static size_t check_refusals(const struct learner *learner, size_t run)
{
    size_t refused = 0;
    struct rng rng = rng_at(run, RNG_SAMPLE, 5), same = rng;
    struct state on, off;
    begin(&on, learner, run);
    begin(&off, learner, run);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        learn_round(&on, next_round(&on, &rng, t, run));
        const struct round *round = next_round(&off, &same, t, run);
        refused += check_refusal(&off, round, run);
        learn_round(&off, round);
        hold(same_learnt(&on, &off), learner->name,
             "after a round that was refused the next is another, t", t, run);
    }
    learner_close(&on);
    learner_close(&off);
    return refused;
}

/* ---- what is seen ---- */

/* Does it estimate from what was seen, learn from clicks, or keep a list? Then it does not take a
 * part for all. */
static bool estimates(const struct learner *learner)
{
    static const char *const names[] = { "squared", "kl", "smoothdcg", "ranksvm", "listnet",
                                         "squared-ndcg" };
    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(learner->name, names[i]) == 0)
            return true;
    return clicks(learner) || listed(learner);
}

/* Does it look at documents that were not seen, or know documents by their rows? */
static bool looks_around(const struct learner *learner, size_t run)
{
    if (strcmp(learner->name, "memory") == 0)
        return true;
    return learner->learn == learner_find("ridge")->learn && !tell(learner, run).set[SETTING_PLAIN];
}

static int by_number(const void *a, const void *b)
{
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return (p > q) - (p < q);
}

/* The first k of the order are seen, or these alone are there, in document order. */
static void check_part(const struct learner *learner, size_t run)
{
    static struct made made;
    struct rng rng = rng_at(run, RNG_SAMPLE, 3);
    struct state masked, alone;
    begin(&masked, learner, run);
    begin(&alone, learner, run);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        struct deal deal;
        struct query part;
        draw_deal(&rng, &deal, t);
        if (deal.places < learner->least && deal.places < deal.query.docs)
            continue; /* too few to be learnt from */
        make_round(&made, &deal.query, t, (enum form)(t % FORMS));
        learn_round(&masked, mask_round(&made, deal.order, deal.places));
        qsort(deal.order, deal.places, sizeof *deal.order, by_number);
        take_documents(&deal.query, deal.order, deal.places, &part);
        reach(&alone, deal.query.dim);
        if (deal.places)
            learn_round(&alone, make_round(&made, &part, t, (enum form)(t % FORMS)));
        hold(same_learnt(&masked, &alone), learner->name, "what is seen is not all there is, t",
             t, run);
    }
    learner_close(&masked);
    learner_close(&alone);
}

static void check_all_seen(const struct learner *learner, size_t run)
{
    static struct made made;
    struct rng rng = rng_at(run, RNG_SAMPLE, 4);
    struct state labels, seen;
    begin(&labels, learner, run);
    begin(&seen, learner, run);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        struct deal deal;
        draw_deal(&rng, &deal, t);
        const struct round *round = make_round(&made, &deal.query, t, DENSE);
        learn_round(&labels, round);
        learn_round(&seen, mask_round(&made, deal.order, deal.query.docs));
        hold(same_learnt(&labels, &seen), learner->name, "all seen is not the labels, t", t, run);
    }
    learner_close(&labels);
    learner_close(&seen);
}

int main(void)
{
    size_t parts = 0, n = 0;
    for (; learners[n]; n++) {
        for (size_t run = 0; run < RUNS; run++) {
            check_stopping(learners[n], run);
            size_t refused = check_refusals(learners[n], run);
            hold(refused > ROUNDS / 2 || strcmp(learners[n]->name, "dbgd") == 0, learners[n]->name,
                 "rounds refused", refused, ROUNDS / 2);
            if (!listed(learners[n]))
                check_forms(learners[n], run);
            if (estimates(learners[n]))
                continue;
            check_all_seen(learners[n], run);
            if (looks_around(learners[n], run))
                continue;
            check_part(learners[n], run);
            parts++;
        }
    }
    printf("same_bits: %zu learners, %zu of which learn from any part\n", n, parts / RUNS);
    /* ridge's three once */
    hold(parts == 13 * RUNS + 3, "same_bits", "learners", parts, 13 * RUNS + 3);
    if (wrong)
        fprintf(stderr, "same_bits: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
