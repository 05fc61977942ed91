/* replay: deals the rounds of stored streams, over and over, or draws them by a Zipf law. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "math/rng.h"
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
    size_t place; /* of round `next` among those stored */
};

static const struct option options_known[] = {
    OPTION_PROGRESS,
    { 'b', "first", NULL, "number of the first round, a whole number from 1 (default 1)",
      OPTION_WHOLE(replay, first, 1, RECORD_MOST - 1) },
    { 'i', "i/n", NULL, "emit only the i-th of n shares of these rounds (default 1/1)",
      OPTION_OWN },
    { 'n', "last", NULL, "number of the last round, a whole number from 1 (default: one pass over "
                         "the files)", OPTION_WHOLE(replay, last, 1, RECORD_MOST - 1) },
    { 's', "seed", NULL, "shuffle each pass by this whole number, 0 or more (default: the order "
                         "of the files; with -z 1)", OPTION_WHOLE(replay, seed, 0, RECORD_MOST) },
    { 'z', "exponent", NULL, "draw each round by a Zipf law with this exponent, above 0 (default: "
                             "passes over the files)", OPTION_POSITIVE(replay, exponent) },
    { 0 },
};

static int parse(void *self, struct options *options, struct host *host)
{
    struct replay *my = self;
    int letter;
    my->host = host;
    my->first = my->share = my->shares = my->seed = 1;
    while ((letter = options_next(options)) > 0)
        if (letter == 'i' && options_share(options, &my->share, &my->shares) < 0) return -1;
    if (letter < 0)
        return letter;
    my->shuffled = options->given['s'];
    if (my->last && my->first > my->last)
        return fault_usage(options->fault, "-b %" PRIu64 " is larger than -n %" PRIu64, my->first,
                           my->last);
    my->files = options_operands(options);
    return *my->files ? 0 : fault_usage(options->fault, "no file named (- is standard input)");
}

/* Finds the place of round `next`, if there is one. */
static int find_place(struct replay *my)
{
    if (my->next > my->last)
        return 0;
    if (my->exponent <= 0) {
        /* Each pass has an order of its own. */
        size_t n = my->stored.rounds;
        uint64_t pass = (my->next - 1) / n + 1;
        my->place = (size_t)((my->next - 1) % n);
        if (!my->shuffled)
            return 0;
        uint32_t *order = buffer_for(&my->order, n, sizeof *order, my->host->fault);
        if (!order) return -1;
        if (pass != my->pass) {
            struct rng rng = rng_at(my->seed, RNG_REPLAY, pass);
            rng_permutation(&rng, order, n);
            my->pass = pass;
        }
        my->place = order[my->place];
        return 0;
    }
    my->place = zipf_item(&my->zipf, my->next);
    return 0;
}

static int open_stored(void *self)
{
    struct replay *my = self;
    struct fault *fault = my->host->fault;
    my->next = 1;
    for (char *const *file = my->files; *file; file++) {
        if (strcmp(*file, "-") == 0 && isatty(STDIN_FILENO))
            return fault_usage(fault, "standard input is a terminal");
        if (round_store_add(&my->stored, *file, my->host->watch, fault) < 0) return -1;
    }
    if (my->last == 0)
        my->last = my->stored.rounds;
    if (my->stored.rounds == 0)
        return my->last ? fault_data(fault, "no rounds to replay") : 0;
    if (my->first > my->last)
        return fault_data(fault, "-b %" PRIu64 " is after the last of %zu rounds: set a larger "
                          "number of rounds with -n", my->first, my->stored.rounds);

    /* First..last becomes the i-th of n shares, which follow each other without a gap. */
    uint64_t count = my->last - my->first + 1;
    uint64_t each = count / my->shares, more = count % my->shares;
    uint64_t before = my->share - 1;
    uint64_t first = my->first + before * each + (before < more ? before : more);
    my->last = first + each - (before < more ? 0 : 1);
    my->next = first;

    if (my->exponent > 0 &&
        zipf_start(&my->zipf, my->stored.rounds, my->exponent, my->seed, fault) < 0)
        return -1;
    return find_place(my);
}

static uint64_t rounds(const void *self)
{
    const struct replay *my = self;
    return my->last - my->next + 1;
}

static enum outcome each(void *self, struct round *round)
{
    struct replay *my = self;
    struct fault *fault = my->host->fault;
    if (my->next > my->last)
        return DONE;
    if (round_store_round(&my->stored, my->place, round, fault) < 0 ||
        round_set(round, KEY_T, my->next++, fault) < 0 || find_place(my) < 0)
        return FAIL;
    if (!my->host->last) /* else another processor reads the payload */
        round_store_prefetch(&my->stored, my->place);
    return PASS;
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
    .operand = { .value = "file", .text = "file of rounds; - is standard input" },
    .size = sizeof(struct replay),
    .kind = SOURCE,
    .parse = parse,
    .open = open_stored,
    .rounds = rounds,
    .each = each,
    .end = end_stored,
    .close = close_stored,
};
