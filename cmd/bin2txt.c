/* bin2txt: rounds and models as text, for people and for other tools. */
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/watch.h"
#include "learn/learner.h"
#include "learn/scoring.h"
#include "learn/weights.h"
#include "learners/learners.h"
#include "math/matrix.h"
#include "memory/memory_text.h"
#include "run/filter.h"
#include "say.h"
#include "stream/round.h"
#include "text/forms.h"
#include "text/print.h"

/* Why a document has its score: the parts that add up to it, as text.
 *
 * A learner that ranks by Xw has one part for each feature, w_j x_j. One that adds to that says
 * what it adds by its hook `explain` (learner.h): weights of the means of a round's features, so
 * that feature j has the part w_j (x_j - mean_j) + level_j mean_j; a constant; and what it
 * remembers of the document. The parts add up to the score within 1e-12 of the sum of their
 * sizes. */

struct why { /* all zero at first, except scoring.learners */
    struct scoring scoring;
    struct matrix x;         /* the features of the round, which score                      */
    struct explained added;  /* what the learner adds to Xw; its arrays are `arrays`        */
    struct present present;  /* the features of the round that have a weight                */
    const double *shared;    /* shared[present.n]: what all documents have of their parts   */
    double *given;           /* given[docs]: the scores of the round, as they came          */
    unsigned char *held, *moved; /* held[docs], as it came, or else by the model; NULL: there is
                                  * none. moved[docs]: was it moved up to be judged?        */
    struct buffer arrays, means, parts, values, scores, moves;
};

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

/* Reads the model. `names` are those that a user gave to features, for a model without names; their
 * `features` is 0 where there are none. 0 or a fault. */
static int why_open(struct why *why, const char *path, const struct feature_names *names,
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

/* Prints the parts of the scores of a round by printer->why, documents in the order shown, or in
 * that of lines without one: "t TAB qid TAB document TAB part TAB what TAB value", a line for each
 * part, as bin2txt(1) has them. The round gets the model's scores in place of its own. 0, or a
 * fault, without a place: the round has no scores, or those of another model. */
static int why_round(struct printer *printer, const struct round *round, struct fault *fault)
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

        size_t n = why->present.n, reach = reach_of(&why->scoring), width = matrix_width(&why->x);
        double *part = (double *)why->parts.at + n;
        double *value = buffer_for(&why->values, width, sizeof *value + sizeof(uint32_t), fault);
        if (!value) return -1;
        const struct row row = matrix_row(&why->x, i, value, (uint32_t *)(value + width));
        bool base = origin_has_base(&why->scoring.origin);
        parts = (struct parts){ .size = fabs(why->added.constant) };
        if (n)
            memcpy(part, why->shared, n * sizeof *part);
        for (size_t e = 0; e < row.n; e++) {
            size_t j = row.idx ? row.idx[e] : e;
            if (j < reach && why->present.place[j])
                part[why->present.place[j] - 1] += scoring_weight(&why->scoring, j) * row.val[e];
        }
        for (size_t k = 0; k < n; k++) {
            size_t j = why->present.feature[k];
            parts.size += fabs(part[k]);
            if (base && j == 0)
                parts.base = part[k];
            else if (part[k] != 0)
                put(&parts, (struct part){ j, part[k] });
        }
        if (why->added.remembered)
            parts.size += fabs(why->added.remembered[i]);

        if (check(why, round, i, parts.size, fault) < 0) return -1;
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

/* A form of text. `round` and `model` print one record: 0 or a fault, without a place. NULL: the
 * form is for records of the other kind. `end` prints what follows the last record; NULL: nothing
 * does. `input` does so at the end of each input, after a fault too. */
struct form {
    const char *name;
    int (*round)(struct printer *printer, const struct round *round, struct fault *fault);
    int (*model)(struct printer *printer, const struct record *model, struct fault *fault);
    int (*end)(struct printer *printer, struct fault *fault);
    int (*input)(struct printer *printer, const struct reader *reader, struct fault *fault);
};

/* The first form is the default. */
static const struct form forms[] = {
    { "svm", forms_svm, forms_values_model, NULL, NULL },
    { "rank", forms_rank, forms_values_model, NULL, NULL },
    { "run", forms_run, forms_values_model, NULL, NULL },
    { "qrels", forms_qrels, forms_values_model, NULL, NULL },
    { "log", forms_log, forms_values_model, forms_log_end, NULL },
    { "values", forms_values, forms_values_model, NULL, NULL },
    { "head", forms_head, forms_head_model, NULL, NULL },
    { "summary", forms_summary, NULL, forms_summary_end, NULL },
    { "scales", forms_scales, NULL, forms_scales_end, NULL },
    { "tsv", NULL, weights_tsv, NULL, NULL },
    { "memory", memory_text_round, memory_text_model, memory_text_end, NULL },
    { "boosts", memory_text_boosts_round, memory_text_boosts_model, NULL, NULL },
    { "why", why_round, NULL, NULL, NULL },
    { "check", forms_check, forms_check_model, forms_check_end, forms_check_input },
};
enum { FORMS = sizeof forms / sizeof *forms };

struct bin2txt {
    struct host *host;
    size_t form;             /* in the table */
    const char *names;       /* of features; NULL: none given */
    const char *map;         /* of numbers to qids; NULL: none */
    int map_fd;
    struct writer map_writer;
    const char *model;       /* of -f why; NULL: another form */
    struct why why;
    struct memory_text text; /* its printer is that of all forms */
};

static const char *form_name(size_t i)
{
    return i < FORMS ? forms[i].name : NULL;
}

static const struct option options_known[] = {
    { 'f', "form", form_name, "form of the text (default svm)", OPTION_WORD(bin2txt, form) },
    { 'q', "map", NULL, "file to write: with -f svm, the number that each query gets in the place "
                        "of its qid, and the qid (default: keep qids)", OPTION_TEXT(bin2txt, map) },
    { 'y', "names", NULL, "file of names of features, one a line, for the forms that print a line "
                          "for each (default: those of the model, or numbers)",
      OPTION_TEXT(bin2txt, names) },
    { 0 },
};

static int parse(void *self, struct options *options, struct host *host)
{
    struct bin2txt *my = self;
    int letter = options_read(options);
    my->host = host;
    my->map_fd = -1;
    if (letter == OPTIONS_FAULT) {
        static const char *const gone[] = { "svm-light", "ranklib", "sofia", "es", "solr",
                                            "vespa" }; /* which a script prints now */
        const char *form = options->letter == 'f' ? options->value : NULL;
        for (size_t i = 0; form && i < sizeof gone / sizeof *gone; i++)
            if (strcmp(form, gone[i]) == 0) {
                options->fault->kind = FAULT_NONE;
                return fault_usage(options->fault, "-f %s left in 0.5.0: use rankpipe export %s",
                                   form, form);
            }
        return OPTIONS_FAULT;
    }
    if (letter == OPTIONS_END && my->map && my->form != 0)
        return fault_usage(options->fault, "-q needs -f svm: other forms take any qid");
    char *const *files = options_operands(options);
    if (letter == OPTIONS_END && forms[my->form].round == why_round) {
        my->model = *files;
        if (!*files || strcmp(*files, "-") == 0)
            return fault_usage(options->fault, "-f why needs the file of the model first, then "
                               "those of rounds with its scores");
        files++;
    }
    if (*files)
        host->files = files;
    return letter;
}

static int open_bin2txt(void *self)
{
    struct bin2txt *my = self;
    struct host *host = my->host;
    if (my->names && feature_names_read(&my->text.printer.feature_names, my->names, host->watch,
                                        host->fault) < 0)
        return -1;
    my->why.scoring.learners = learners;
    my->text.printer.why = &my->why;
    if (my->model && why_open(&my->why, my->model, &my->text.printer.feature_names, host->watch,
                              host->fault) < 0)
        return -1;
    if (!my->map)
        return 0;
    my->map_fd = watch_open(host->watch, my->map, O_WRONLY | O_CREAT | O_TRUNC, 0666, host->fault);
    if (my->map_fd < 0)
        return fault_system(host->fault, "cannot write %s", my->map);
    my->text.printer.map = &my->map_writer;
    return writer_open(&my->map_writer, my->map_fd, my->map, NULL, host->fault);
}

/* The form, which prints to where the program writes. */
static const struct form *form_of(struct bin2txt *my)
{
    my->text.printer.out = my->host->out;
    my->text.printer.learners = my->text.boosts.scoring.learners = learners;
    return &forms[my->form];
}

static int refuse(const struct bin2txt *my, const char *came, const char *prints)
{
    return fault_data(my->host->fault, "a %s, but -f %s prints only %s", came, forms[my->form].name,
                      prints);
}

static enum outcome each(void *self, struct round *round)
{
    struct bin2txt *my = self;
    const struct form *form = form_of(my);
    return form->round ? form->round(&my->text.printer, round, my->host->fault)
                       : refuse(my, "round", "models");
}

static enum outcome each_model(void *self, struct record *record)
{
    struct bin2txt *my = self;
    const struct form *form = form_of(my);
    struct fault *notice = &my->text.printer.notice;
    if (!form->model)
        return refuse(my, "model", "rounds");
    int result = form->model(&my->text.printer, record, my->host->fault);
    if (notice->kind != FAULT_NONE)
        warn(my->host, "bin2txt", "%s", notice->text);
    *notice = (struct fault){ FAULT_NONE, "" };
    return result < 0 ? FAIL : PASS;
}

static int end_input(void *self, const struct reader *reader)
{
    struct bin2txt *my = self;
    const struct form *form = form_of(my);
    return form->input ? form->input(&my->text.printer, reader, my->host->fault) : 0;
}

static int end_bin2txt(void *self)
{
    struct bin2txt *my = self;
    const struct form *form = form_of(my);
    if (my->map && writer_flush(&my->map_writer, my->host->fault) < 0) return -1;
    return form->end ? form->end(&my->text.printer, my->host->fault) : 0;
}

static int close_bin2txt(void *self, enum ended ended)
{
    struct bin2txt *my = self;
    int result = 0;
    if (my->map_fd >= 0) {
        if (ended != CLEAN) /* of what was printed */
            (void)writer_flush(&my->map_writer, my->host->fault);
        if (watch_close(my->map_fd) < 0)
            result = fault_system(my->host->fault, "cannot write %s", my->map);
        writer_close(&my->map_writer);
    }

    struct why *why = &my->why;
    struct buffer *const held[] = { &why->arrays, &why->means, &why->parts, &why->values,
                                    &why->scores, &why->moves };
    scoring_close(&why->scoring);
    present_close(&why->present);
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        buffer_free(held[i]);

    memory_text_close(&my->text);
    return result;
}

const struct filter bin2txt = {
    .name = "bin2txt",
    .usage = "[-f form] [-q map] [-y names] [file ...]",
    .line = "prints rounds and models as text",
    .options = options_known,
    .operand = { .value = "file",
                 .text = "file of rounds or of a model; - is standard input, the default; with -f "
                         "why a model first" },
    .size = sizeof(struct bin2txt),
    .kind = SINK,
    .parse = parse,
    .open = open_bin2txt,
    .each = each,
    .model = each_model,
    .input = end_input,
    .end = end_bin2txt,
    .close = close_bin2txt,
};
