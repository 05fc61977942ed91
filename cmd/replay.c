/* replay: deals the rounds of stored streams, over and over, or draws them by a Zipf law. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "math/rng.h"
#include "math/zipf.h"
#include "run/filter.h"
#include "stream/round_store.h"

struct replay {
    struct host *host;
    char *const *files;
    uint64_t first, last, seed, share, shares;
    bool shuffled;
    double exponent; /* of the Zipf law; 0: none, the rounds come in passes */
    struct zipf zipf;
    struct round_store stored;
    struct buffer order; /* of pass number `pass`, from 1 */
    uint64_t next, pass;
};

static const struct option options_known[] = {
    OPTION_PROGRESS,
    { 'b', "first", NULL, "number of the first round, a whole number from 1 (default 1)" },
    { 'i', "i/n", NULL, "emit only the i-th of n shares of these rounds (default 1/1)" },
    { 'n', "last", NULL, "number of the last round, a whole number from 1 (default: one pass over "
                         "the files)" },
    { 's', "seed", NULL, "shuffle each pass by this whole number, 0 or more (default: the order "
                         "of the files; with -z 1)" },
    { 'z', "exponent", NULL, "draw each round by a Zipf law with this exponent, above 0 (default: "
                             "passes over the files)" },
    { 0 },
};

static const struct option operand_known = {
    0, "file", NULL, "file of rounds; - is standard input"
};

static int parse(void *self, struct options *options, struct host *host)
{
    struct replay *my = self;
    int letter, bad = 0;
    my->host = host;
    my->first = my->share = my->shares = my->seed = 1;
    while (bad == 0 && (letter = options_next(options)) > 0) {
        if (letter == 'P')
            host->progress->asked = true;
        else if (letter == 'b')
            bad = options_whole(options, 1, RECORD_MOST - 1, &my->first);
        else if (letter == 'n')
            bad = options_whole(options, 1, RECORD_MOST - 1, &my->last);
        else if (letter == 'i')
            bad = options_share(options, &my->share, &my->shares);
        else if (letter == 'z')
            bad = options_positive(options, &my->exponent);
        else
            bad = options_whole(options, 0, RECORD_MOST, &my->seed);
        my->shuffled = my->shuffled || letter == 's';
    }
    if (bad < 0 || letter < 0)
        return bad < 0 ? bad : letter;
    if (my->last && my->first > my->last)
        return fault_usage(options->fault, "-b %" PRIu64 " is larger than -n %" PRIu64, my->first,
                           my->last);
    my->files = options_operands(options);
    return *my->files ? 0 : fault_usage(options->fault, "no file named (- is standard input)");
}

static enum kind kind(const void *self)
{
    (void)self;
    return SOURCE;
}

/* Restricts first..last to the i-th of n shares. The shares follow each other without a gap. */
static void take_share(struct replay *my)
{
    uint64_t count = my->last - my->first + 1;
    uint64_t each = count / my->shares, more = count % my->shares;
    uint64_t before = my->share - 1;
    uint64_t first = my->first + before * each + (before < more ? before : more);
    my->last = first + each - (before < more ? 0 : 1);
    my->next = first;
}

static int deal_nothing(struct replay *my)
{
    my->next = 1;
    my->last = 0;
    return 0;
}

static int open_stored(void *self)
{
    struct replay *my = self;
    struct fault *fault = my->host->fault;
    for (char *const *file = my->files; *file; file++) {
        if (strcmp(*file, "-") == 0 && isatty(STDIN_FILENO))
            return fault_usage(fault, "standard input is a terminal");
        if (round_store_add(&my->stored, *file, my->host->watch, fault) < 0)
            return -1;
    }
    if (my->last == 0)
        my->last = my->stored.rounds;
    if (my->stored.rounds == 0)
        return my->last ? fault_data(fault, "no rounds to deal") : deal_nothing(my);
    if (my->first > my->last)
        return fault_data(fault, "-b %" PRIu64 " is after the last of %zu rounds: add -n",
                          my->first, my->stored.rounds);
    take_share(my);
    return my->exponent > 0
               ? zipf_start(&my->zipf, my->stored.rounds, my->exponent, my->seed, fault) : 0;
}

static uint64_t rounds(const void *self)
{
    const struct replay *my = self;
    return my->last - my->next + 1;
}

/* Finds which stored round has number t in passes. Each pass has an order of its own. */
static int place_in_pass(struct replay *my, uint64_t t, size_t *place)
{
    size_t n = my->stored.rounds;
    uint64_t pass = (t - 1) / n + 1;
    *place = (size_t)((t - 1) % n);
    if (!my->shuffled)
        return 0;
    uint32_t *order = buffer_for(&my->order, n, sizeof *order, my->host->fault);
    if (!order)
        return -1;
    if (pass != my->pass) {
        struct rng rng = rng_at(my->seed, RNG_REPLAY, pass);
        rng_permutation(&rng, order, n);
        my->pass = pass;
    }
    *place = order[*place];
    return 0;
}

static int place_of(struct replay *my, uint64_t t, size_t *place)
{
    if (my->exponent <= 0)
        return place_in_pass(my, t, place);
    *place = zipf_item(&my->zipf, t);
    return 0;
}

static enum step step(void *self, struct round *round)
{
    struct replay *my = self;
    size_t place;
    struct fault *fault = my->host->fault;
    if (my->next > my->last)
        return DONE;
    if (place_of(my, my->next, &place) < 0)
        return FAIL;
    if (round_store_round(&my->stored, place, round, fault) < 0)
        return FAIL;
    return round_set_t(round, my->next++, fault) < 0 ? FAIL : PASS;
}

static int end_stored(void *self)
{
    struct replay *my = self;
    return round_store_unchanged(&my->stored, my->host->fault);
}

static int close_stored(void *self, enum ended ended)
{
    struct replay *my = self;
    (void)ended;
    round_store_close(&my->stored);
    buffer_free(&my->order);
    zipf_close(&my->zipf);
    return 0;
}

const struct filter replay = {
    .name = "replay",
    .usage = "[-P] [-b first] [-i i/n] [-n last] [-s seed] [-z exponent] file ...",
    .line = "emits the rounds of stored streams, repeatedly",
    .options = options_known,
    .operand = &operand_known,
    .size = sizeof(struct replay),
    .parse = parse,
    .kind = kind,
    .open = open_stored,
    .rounds = rounds,
    .step = step,
    .end = end_stored,
    .close = close_stored,
};
