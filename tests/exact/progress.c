/* The line of lib/run/progress.h: its words, its numbers and its width.
 *
 * usage: progress */
#include <stdio.h>
#include <string.h>

#include "run/progress.h"

static int bad;

static void is(struct progress progress, double seconds, const char *measure, const char *want)
{
    char line[PROGRESS_LINE];
    progress_line(&progress, seconds, measure, line);
    if (strcmp(line, want) != 0) {
        printf("'%s', not '%s'\n", line, want);
        bad = 1;
    }
}

static struct progress at(const char *name, uint64_t rounds, uint64_t all)
{
    return (struct progress){ .name = name, .rounds = rounds, .all = all };
}

static void check_words(void)
{
    static const char ndcg[] = "ndcg@10 0.8140";
    is(at("update", 0, 0), 0, "", "update: 0 rounds");
    is(at("update", 1, 0), 2, "", "update: 1 round, 0.5 a second");
    is(at("update", 999, 0), 10, "", "update: 999 rounds, 99.9 a second");
    is(at("update", 5000, 0), 2, ndcg, "update: 5000 rounds, 2500 a second, ndcg@10 0.8140");
    is(at("replay", 0, 9), 5, "", "replay: 0 of 9 rounds");
    is(at("replay", 10, 40), 10, "", "replay: 10 of 40 rounds, 1.0 a second, 0:30 left");
    is(at("replay", 1, 1), 2, "", "replay: 1 of 1 rounds, 0.5 a second, 0:00 left");
    is(at("replay", 50, 60), 10, ndcg,
       "replay: 50 of 60 rounds, 5.0 a second, 0:02 left, ndcg@10 0.8140");
}

static void check_left(void)
{
    is(at("loop", 1, 60), 1, "", "loop: 1 of 60 rounds, 1.0 a second, 0:59 left");
    is(at("loop", 1, 61), 1, "", "loop: 1 of 61 rounds, 1.0 a second, 1:00 left");
    is(at("loop", 1, 3600), 1, "", "loop: 1 of 3600 rounds, 1.0 a second, 59:59 left");
    is(at("loop", 1, 3601), 1, "", "loop: 1 of 3601 rounds, 1.0 a second, 1:00:00 left");
    is(at("loop", 1, 360000), 1, "", "loop: 1 of 360000 rounds, 1.0 a second, 99:59:59 left");
    is(at("loop", 1, 1000000000), 1, "",
       "loop: 1 of 1000000000 rounds, 1.0 a second, 277777:46:39 left");
    is(at("loop", 1, 1000000001), 1, "", "loop: 1 of 1000000001 rounds, 1.0 a second");
}

/* The largest numbers there can be: pieces that would not fit are missing, none is cut. */
static void check_width(void)
{
    const uint64_t most = UINT64_C(9007199254740992);
    is(at("loop", most - 1, most), 1e6, "ndcg@10 0.8140",
       "loop: 9007199254740991 of 9007199254740992 rounds, 9007199255 a second");
    is(at("loop", most / 2, most), 1e6, "ndcg@10 0.8140",
       "loop: 4503599627370496 of 9007199254740992 rounds, 4503599627 a second");
    is(at("loop", 1, most), 1, "ndcg@10 0.8140",
       "loop: 1 of 9007199254740992 rounds, 1.0 a second, ndcg@10 0.8140");
}

int main(void)
{
    check_words();
    check_left();
    check_width();
    return bad;
}
