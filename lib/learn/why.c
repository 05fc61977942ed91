#include "learn/why.h"

#include <math.h>
#include <string.h>

#include "text/print.h"

enum { GREATEST = 10 }; /* features with a line of their own */

static const double apart = 1e-12; /* of the sum of the sizes of its parts, for a score */

struct part {
    size_t feature; /* from 0, of those that score */
    double value;
};

/* The parts of a document's score. */
struct parts {
    double base, others, size; /* size: the sum of the sizes of all                      */
    size_t n, rest;            /* part[n]: the greatest first; `others` has so many more */
    struct part part[GREATEST];
};

int why_open(struct why *why, const char *path, const struct feature_names *names,
             const struct watch *watch, struct fault *fault)
{
    struct scoring *scoring = &why->scoring;
    struct feature_names *own = &scoring->origin.names;
    scoring->allowed = ROUND_DIM; /* a round that was scored had a number that was allowed */
    if (scoring_open(scoring, path, watch, fault) < 0) return -1;
    if (scoring->learner->by == BY_MORE)
        return fault_data(fault, "model %s: %s ranks by more than weights, whose parts -f why "
                          "prints", path, scoring->learner->name);
    if (feature_names_check(names, *own->sum ? own->sum : NULL, "the model", fault) < 0) return -1;
    return own->features ? 0 : feature_names_copy(own, names, fault);
}

void why_close(struct why *why)
{
    struct buffer *const held[] = { &why->arrays, &why->means, &why->parts, &why->values,
                                    &why->scores, &why->moves };
    scoring_close(&why->scoring);
    present_close(&why->present);
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        buffer_free(held[i]);
}

/* ---- the parts ---- */

/* So many features may have a weight; the first one has where a model without weights begins with
 * the order of a base. */
static size_t reach_of(const struct scoring *scoring)
{
    return scoring->dim ? scoring->dim : 1;
}

/* Puts a part among the greatest, by size and then by feature, or among the others. */
static void put(struct parts *parts, struct part part)
{
    size_t i = parts->n;
    for (; i > 0; i--) {
        const struct part *above = &parts->part[i - 1];
        if (fabs(above->value) > fabs(part.value) ||
            (fabs(above->value) == fabs(part.value) && above->feature < part.feature))
            break;
    }
    if (i == GREATEST) {
        parts->others += part.value;
        parts->rest++;
        return;
    }
    if (parts->n == GREATEST) {
        parts->others += parts->part[GREATEST - 1].value;
        parts->rest++;
    } else {
        parts->n++;
    }
    memmove(&parts->part[i + 1], &parts->part[i], (parts->n - 1 - i) * sizeof *parts->part);
    parts->part[i] = part;
}

/* The parts of document i. */
static int find_parts(struct why *why, size_t i, struct parts *parts, struct fault *fault)
{
    size_t n = why->present.n, reach = reach_of(&why->scoring), width = matrix_width(&why->x);
    double *part = (double *)why->parts.at + n;
    double *value = buffer_for(&why->values, width, sizeof *value + sizeof(uint32_t), fault);
    if (!value) return -1;
    const struct row row = matrix_row(&why->x, i, value, (uint32_t *)(value + width));
    bool base = origin_has_base(&why->scoring.origin);
    *parts = (struct parts){ .size = fabs(why->added.constant) };
    if (n)
        memcpy(part, why->shared, n * sizeof *part);
    for (size_t e = 0; e < row.n; e++) {
        size_t j = row.idx ? row.idx[e] : e;
        if (j < reach && why->present.place[j])
            part[why->present.place[j] - 1] += scoring_weight(&why->scoring, j) * row.val[e];
    }
    for (size_t k = 0; k < n; k++) {
        size_t j = why->present.feature[k];
        parts->size += fabs(part[k]);
        if (base && j == 0)
            parts->base = part[k];
        else if (part[k] != 0)
            put(parts, (struct part){ j, part[k] });
    }
    if (why->added.remembered)
        parts->size += fabs(why->added.remembered[i]);
    return 0;
}

/* ---- a round ---- */

/* Finds the documents that were moved up to be judged: one of greater score stands below. That does
 * not count where explore -B may have put them there: of a document that is held, unless it stands
 * above its place in base, or of one of greater score that must stay near its own (2, 3). */
static void find_moved(struct why *why, const struct round *round)
{
    size_t m = round->docs;
    uint32_t *place = why->moves.at;
    const unsigned char *held = !round->base ? NULL : why->held ? why->held : round->held;
    double greatest = -HUGE_VAL; /* of those below */
    for (uint32_t b = 0; held && b < m; b++)
        place[round->base[b]] = b;
    for (size_t p = round->order ? m : 0; p-- > 0;) {
        size_t i = round->order[p];
        double score = why->given[i];
        why->moved[i] = greatest > score && (!held || !held[i] || p < place[i]);
        if (score > greatest && !(held && held[i] >= 2))
            greatest = score;
    }
}

/* Scores the round by the model, and asks the learner what it added. */
static int start_round(struct why *why, struct round *round, struct fault *fault)
{
    struct scoring *scoring = &why->scoring;
    const struct learner *learner = scoring->learner;
    size_t m = round->docs;
    double *arrays = buffer_for(&why->arrays, m, 2 * sizeof *arrays, fault);
    if (!arrays) return -1;

    /* What the round said before it is scored again. */
    double *given = buffer_for(&why->scores, m, sizeof *given, fault);
    uint32_t *place = buffer_for(&why->moves, m, sizeof *place + 2, fault);
    if (!round->score)
        return fault_data(fault, "needs score: put score -m, with the same model, before bin2txt");
    if (!given || !place) return -1;
    memcpy(given, round->score, m * sizeof *given);
    why->given = given;
    why->moved = (unsigned char *)(place + m);
    why->held = round->held ? memcpy(why->moved + m, round->held, m) : NULL;

    if (scoring_round(scoring, round, ROUND_SCORE, NULL, fault) < 0 ||
        scoring_features(scoring, round, &why->x, fault) < 0 ||
        present_find(&why->present, &why->x, reach_of(scoring), fault) < 0)
        return -1;
    find_moved(why, round);
    why->added = (struct explained){ .level = NULL };
    if (learner->explain) {
        why->added.answers = arrays;
        why->added.remembered = arrays + m;
        learner->explain(scoring->own, round, &why->added);
    }

    /* Shared: (level_j - w_j) mean_j, where there is a level. */
    size_t dim = scoring->dim, n = why->present.n;
    const double *level = why->added.level;
    double *mean = buffer_for(&why->means, level ? dim : 0, sizeof *mean, fault);
    double *shared = buffer_for(&why->parts, n, 2 * sizeof *shared, fault);
    if (!mean || !shared) return -1;
    if (level)
        matrix_means(&why->x, dim, mean);
    for (size_t k = 0; k < n; k++) {
        size_t j = why->present.feature[k];
        bool known = level && j < dim;
        shared[k] = known ? (level[j] - scoring_weight(&why->scoring, j)) * mean[j] : 0;
    }
    why->shared = shared;
    return 0;
}

/* 0, or a fault: the round has another score than the parts add up to. */
static int check(const struct why *why, const struct round *round, size_t i, double size,
                 struct fault *fault)
{
    double given = why->given[i], score = round->score[i];
    if (fabs(given - score) <= apart * size)
        return 0;
    return fault_data(fault, "document %zu has the score %.9g, but %.9g by this model: the scores "
                      "are of another model, or of this one before it learnt more", i, given,
                      score);
}

/* ---- lines ---- */

/* Where lines go, and what they are about: document i, at a place of the round's order. */
struct lines_of {
    struct print print;
    const struct printer *printer;
    const struct round *round;
    size_t i;
};

static void print_part(struct lines_of *lines, const char *part, const char *what, double value)
{
    struct print *print = &lines->print;
    forms_lead(print, lines->printer, lines->round, lines->i);
    print_word(print, part);
    print_byte(print, '\t');
    print_word(print, what);
    print_byte(print, '\t');
    print_double(print, value);
    print_byte(print, '\n');
}

static void print_counted(struct lines_of *lines, const char *part, double count, double value)
{
    char text[DIGITS_ROOM + 1];
    *digits_seventeen(text, count) = '\0';
    print_part(lines, part, text, value);
}

int why_round(struct printer *printer, const struct round *round, struct fault *fault)
{
    struct why *why = printer->why;
    struct lines_of lines = { .printer = printer, .round = round };
    if (forms_names(printer, round, fault) < 0 ||
        start_round(why, (struct round *)round, fault) < 0)
        return -1;
    print_start(&lines.print, printer->out, fault);
    for (size_t place = 0; place < round->docs && lines.print.failed == 0; place++) {
        lines.i = round->order ? round->order[place] : place;

        struct parts parts;
        struct origin *origin = &why->scoring.origin;
        const struct explained *added = &why->added;
        size_t i = lines.i;
        if (find_parts(why, i, &parts, fault) < 0 || check(why, round, i, parts.size, fault) < 0)
            return -1;
        print_part(&lines, "score", "-", why->given[i]);
        if (origin_has_base(origin))
            print_part(&lines, "base", "-", parts.base);
        for (size_t p = 0; p < parts.n; p++) {
            size_t feature = parts.part[p].feature - origin_has_base(origin);
            /* By its name; by its number, which is that of a raw feature if each is made of one. */
            const char *name = origin_feature_name(origin, feature);
            if (name)
                print_part(&lines, "feature", name, parts.part[p].value);
            else
                print_counted(&lines, "feature", (double)feature + 1, parts.part[p].value);
        }
        if (parts.rest)
            print_counted(&lines, "others", (double)parts.rest, parts.others);
        if (added->constant != 0)
            print_part(&lines, "constant", "-", added->constant);
        if (added->remembered)
            print_counted(&lines, "remembered", added->answers[i], added->remembered[i]);

        if (round->order)
            print_part(&lines, "position", why->moved[lines.i] ? "judged" : "score",
                       (double)place + 1);
    }
    return print_end(&lines.print);
}
