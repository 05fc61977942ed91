#include "stage.h"

#include <string.h>

static const struct way ways[] = {
    { "pdgd", false, "-p plackett-luce", "-c navigational", "", false },
    { "dbgd", false, "-p team-draft", "-c perfect", "", false },
    { "pairrank", false, "-p index -k 10", "-c navigational", "", false },
    { "ftpl", true, NULL, NULL, "", false },
    { "ftpl", true, "-p blocks -T 60 -k 1", "-k 1", "", false },
    { "exp3m", true, "-p subset -k 1", "-k 1", "", false },
    { "toprank", true, "", "-c perfect", "", false },
    { "memory", false, "", "-c navigational", "-K", false },
    { "memory", false, "", "-c position -k 3", "-t theta", false },
    { "memory", false, "-g 0.1", "-k 1", "", false },
    { "slam", false, "-g 0.5", "-k all", "", false },
};

/* For a learner that has no row: all labels, or feedback on some. */
static const struct way others[] = {
    { NULL, false, NULL, NULL, "", false },
    { NULL, false, NULL, NULL, "", false },
    { NULL, false, "-g 0.3", "-k all", "", false },
    { NULL, false, "-g 0.3", "-k 1", "", false },
    { NULL, false, "-p top -k 2 -g 0.5", "-k 2", "", false },
    { NULL, false, "-p swap -k 2 -g 0.9", "-k 2", "", false },
    { NULL, false, "-p slot -k 2 -g 0.9", "-k 2", "", false },
    { NULL, false, "-p subset -k 2", "-k 1", "", false },
    { NULL, false, "-p plackett-luce -H 2", "-k 2", "", false },
    { NULL, true, NULL, NULL, "", false },
};

struct way stage_way(struct dice *draw, const char *learner)
{
    size_t n = 0, rows = sizeof ways / sizeof *ways, row[sizeof ways / sizeof *ways];
    for (size_t i = 0; i < rows; i++)
        if (strcmp(ways[i].learner, learner) == 0)
            row[n++] = i;
    if (n && !draw_one_in(draw, 6))
        return ways[row[draw_below(draw, n)]];
    if (draw_one_in(draw, 12))
        return ways[draw_below(draw, rows)];
    return others[draw_below(draw, sizeof others / sizeof *others)];
}

struct way stage_any(struct dice *draw)
{
    static const char *const shows[] = {
        "", "-g 0.5", "-g 1 -o", "-p top -k 2 -g 0.5", "-p swap -k 2 -g 0.9", "-p team-draft",
        "-p slot -k 2", "-p subset -k 2", "-p probabilistic",
        "-p plackett-luce", "-p blocks -T 40 -k 2", "-p leader -T 40", "-g 0.9 -k 2",
        "-p index -g 0.5", "-p worth -g 0.5", "-B 0.37", "-B 0.5 -p plackett-luce",
        "-B 0.2 -p team-draft", NULL,
    };
    static const char *const masks[] = {
        "-k all", "-k 1", "-k 2", "-c perfect", "-c navigational -k 3", "-c cascade", "-n 0.5",
        NULL,
    };
    struct way way = { NULL, draw_one_in(draw, 8), NULL, NULL, "", false };
    if (draw_below(draw, 3) == 0)
        return way;
    way.explore = draw_word(draw, shows);
    if (strstr(way.explore, "-p blocks") || strstr(way.explore, "-p leader"))
        way.items = true;
    if (draw_below(draw, 2))
        way.mask = draw_word(draw, masks);
    return way;
}

/* Runs a program from file to file; false where it exits with an error. */
static bool pass(const char *program, const char *options, const char *in, const char *out)
{
    struct command command = { .in = in, .out = out };
    command_word(&command, program);
    command_words(&command, options);
    return check_run(&command).status == 0;
}

struct stream stage_rounds(struct dice *draw, const struct way *way)
{
    static const char theta[] = "1 1\n2 .5\n3 .3\n4 .2\n5 .2\n6 .2\n7 .1\n8 .1\n9 .1\n10 .1\n";
    const char *last = "base";
    file_put("theta", theta, sizeof theta - 1);
    struct shape shape = make_shape(draw, way->items);
    if (way->narrow && shape.docs > 200)
        shape.docs = 9;
    checks.wide = checks.wide || shape.docs > 200;
    shape.scores = !way->items && !draw_one_in(draw, 10);
    shape.scores = shape.scores || draw_one_in(draw, 3);
    shape.rivals = shape.scores && (draw_one_in(draw, 6) ||
                                    (way->explore && strstr(way->explore, "team")));
    shape.ranked = draw_one_in(draw, 8) || (way->explore && strstr(way->explore, "-B"));
    struct stream base = make_rounds(draw, &shape);
    struct bytes bytes = stream_bytes(&base);
    file_put("base", bytes.data, bytes.n);
    if (way->explore && pass("explore", shape.scores || way->items ? way->explore : "-g 1", last,
                             "shown"))
        last = "shown";
    if (way->mask && last[0] == 's' && pass("feedback-mask", way->mask, last, "seen"))
        last = "seen";
    return check_stream(file_get(last), SECOND_FEATURES);
}

const struct learner *stage_learner(struct dice *draw)
{
    size_t n = 0;
    while (learners[n])
        n++;
    return learners[draw_below(draw, n)];
}

struct stream stage_model(struct dice *draw, const struct learner *learner)
{
    struct way way = stage_way(draw, learner->name);
    struct stream rounds = stage_rounds(draw, &way);
    struct bytes bytes = stream_bytes(&rounds);
    struct command command = { .in = "learnt", .out = "model" };
    file_put("learnt", bytes.data, bytes.n);
    command_word(&command, "update");
    command_words(&command, way.options);
    options_learner(draw, &command, learner, 0);
    struct verdict outcome = check_run(&command);
    if (outcome.status == 0 && !strstr(command_text(&command), " -c"))
        return check_model(outcome.out);
    if (outcome.status == 0) /* all checkpoints, one behind the other */
        check_stream(outcome.out, SECOND_ALL);
    return (struct stream){ NULL, 0, 0 };
}
