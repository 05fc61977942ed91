/* loop: a whole pipeline in one process: its own text, run by the very filters it names. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "programs.h"
#include "run/ring_local.h"
#include "text/pipeline_text.h"

struct part {
    const struct filter *filter;
    void *self;
    struct host host;
    enum kind kind;
};

struct loop {
    struct host *host;
    struct pipeline_text words;
    struct part *part;
    size_t parts;
    struct ring_local *ring;
};

/* "rankpipe score ..." is "score ...". */
static char **program_words(char **words)
{
    const struct filter *program = program_find(words[0]);
    return !program && strcmp(words[0], "rankpipe") == 0 && words[1] ? words + 1 : words;
}

static int find_part(struct loop *my, size_t i)
{
    char list[200] = "", **words = program_words(my->words.command[i]);
    my->part[i].filter = program_find(words[0]);
    if (my->part[i].filter && my->part[i].filter != &loop)
        return 0;
    for (size_t p = 0; programs[p]; p++) {
        if (programs[p] != &loop) {
            strncat(list, " ", sizeof list - strlen(list) - 1);
            strncat(list, programs[p]->name, sizeof list - strlen(list) - 1);
        }
    }
    return fault_usage(my->host->fault, "it cannot run '%.40s', only%s", words[0], list);
}

/* score and update in one chain are joined, unless score's weights are fixed. */
static int join(struct loop *my)
{
    bool scores = false, saves_on_signal = false;
    for (size_t i = 0; i < my->parts; i++) {
        scores = scores || my->part[i].filter == &score;
        saves_on_signal = saves_on_signal || my->part[i].filter == &update;
    }
    if (!scores || !saves_on_signal)
        return 0;
    my->ring = ring_local_open(my->host->fault);
    return my->ring ? 0 : -1;
}

static int parse_part(struct loop *my, size_t i)
{
    struct part *part = &my->part[i];
    struct options options;
    struct fault *fault = my->host->fault;
    char **words = program_words(my->words.command[i]);
    int argc = 0;
    while (words[argc])
        argc++;
    part->host = *my->host;
    part->host.ring = my->ring;
    part->self = calloc(1, part->filter->size);
    if (!part->self)
        return fault_memory(fault, part->filter->size);
    options_start(&options, argc, words, part->filter->options, fault);
    int asked = part->filter->parse(part->self, &options, &part->host);
    if (asked < OPTIONS_FAULT)
        return fault_usage(fault, "%s -h: ask it outside of loop", part->filter->name);
    if (asked < 0) {
        fault_place(fault, "%s: ", part->filter->name);
        return -1;
    }
    part->kind = part->filter->kind(part->self);
    return 0;
}

/* A chain is a source or standard input, then filters, and at the end one that takes the rounds in,
 * or standard output. */
static int check_chain(const struct loop *my)
{
    struct fault *fault = my->host->fault;
    for (size_t i = 0; i < my->parts; i++) {
        const struct part *part = &my->part[i];
        if (i > 0 && (part->kind == SOURCE || part->host.files))
            return fault_usage(fault, "%s reads no pipe as it stands: it can only be first",
                               part->filter->name);
        if (my->parts > 1 && part->kind == WHOLE)
            return fault_usage(fault, "%s neither reads a pipe nor writes rounds: it can only "
                               "stand alone", part->filter->name);
        if (i + 1 < my->parts && part->kind == SINK)
            return fault_usage(fault, "%s takes the rounds in, and passes none on: it can only be "
                               "last%s", part->filter->name,
                               part->filter == &metric ? ", without -t file" : "");
    }
    return 0;
}

static int parse_text(struct loop *my, const char *text)
{
    struct host *host = my->host;
    if (pipeline_text_read(&my->words, text, host->fault) < 0)
        return -1;
    my->part = calloc(my->words.commands, sizeof *my->part);
    if (!my->part)
        return fault_memory(host->fault, my->words.commands * sizeof *my->part);
    my->parts = my->words.commands;
    host->from = my->words.from != NULL;
    host->to = my->words.to != NULL;
    for (size_t i = 0; i < my->parts; i++)
        if (find_part(my, i) < 0)
            return -1;
    if (join(my) < 0)
        return -1;
    for (size_t i = 0; i < my->parts; i++)
        if (parse_part(my, i) < 0)
            return -1;
    host->files = my->part[0].host.files;
    return check_chain(my);
}

static const struct option options_known[] = { OPTION_PROGRESS, { 0 } };

static const struct option operand_known = {
    0, "pipeline", NULL, "commands of these programs, joined by |, as one argument"
};

static int parse(void *self, struct options *options, struct host *host)
{
    struct loop *my = self;
    int letter;
    my->host = host;
    while ((letter = options_next(options)) > 0)
        host->progress->asked = true;
    if (letter < 0)
        return letter;
    char *const *text = options_operands(options);
    if (!text[0] || text[1])
        return fault_usage(options->fault, "one operand is the pipeline: quote it as a whole");
    return parse_text(my, text[0]);
}

static enum kind kind(const void *self)
{
    const struct loop *my = self;
    enum kind first = my->part[0].kind, last = my->part[my->parts - 1].kind;
    if (my->parts > 1 && first == SOURCE && last == SINK)
        return WHOLE;
    return last == SINK ? SINK : first;
}

/* Puts a file in the place of a standard stream. */
static int redirect(const struct loop *my, const char *path, int to)
{
    int flags = to == STDIN_FILENO ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC;
    struct fault *fault = my->host->fault;
    int fd = path ? watch_open(my->host->watch, path, flags, 0666, fault) : to;
    if (fd < 0 || (fd != to && dup2(fd, to) < 0))
        return fault_system(fault, to == STDIN_FILENO ? "cannot open %s" : "cannot write %s", path);
    if (fd != to)
        close(fd);
    return 0;
}

static int open_loop(void *self)
{
    struct loop *my = self;
    struct fault *fault = my->host->fault;
    if (redirect(my, my->words.from, STDIN_FILENO) < 0 ||
        redirect(my, my->words.to, STDOUT_FILENO) < 0)
        return -1;
    for (size_t i = 0; i < my->parts; i++) {
        const struct part *part = &my->part[i];
        if (part->filter->open && part->filter->open(part->self) < 0) {
            fault_place(fault, "%s: ", part->filter->name);
            return -1;
        }
    }
    return 0;
}

static uint64_t rounds(const void *self)
{
    const struct part *first = ((const struct loop *)self)->part;
    return first->filter->rounds ? first->filter->rounds(first->self) : 0;
}

/* The last part's that has one. */
static void measure(const void *self, char *words, size_t room)
{
    const struct loop *my = self;
    for (size_t i = 0; i < my->parts; i++)
        if (my->part[i].filter->measure)
            my->part[i].filter->measure(my->part[i].self, words, room);
}

/* A fault of a part: which one and, where loop dealt the round itself, which round. */
static enum step fail(struct loop *my, size_t i, const struct round *round)
{
    char name[ROUND_NAME];
    struct fault *fault = my->host->fault;
    fault_place(fault, "%s: ", my->part[i].filter->name);
    if (fault->kind == FAULT_DATA && i > 0 && my->part[0].kind == SOURCE)
        fault_place(fault, "%s: ", round_name(round, name));
    return FAIL;
}

static enum step step(void *self, struct round *round)
{
    struct loop *my = self;
    enum step step = PASS;
    for (size_t i = 0; step == PASS && i < my->parts; i++) {
        step = my->part[i].filter->step(my->part[i].self, round);
        if (step == PASS && my->part[i].kind == SOURCE && round_read(round, my->host->fault) < 0)
            step = FAIL;
        if (step == FAIL)
            return fail(my, i, round);
    }
    return step == PASS && my->part[my->parts - 1].kind == SINK ? DROP : step;
}

static enum step step_model(void *self, struct record *record)
{
    struct loop *my = self;
    enum step step = PASS;
    for (size_t i = 0; step == PASS && i < my->parts; i++) {
        const struct part *part = &my->part[i];
        if (part->filter->model)
            step = part->filter->model(part->self, record);
        if (step == FAIL)
            fault_place(my->host->fault, "%s: ", part->filter->name);
    }
    return step;
}

static int end_loop(void *self)
{
    struct loop *my = self;
    for (size_t i = 0; i < my->parts; i++) {
        const struct part *part = &my->part[i];
        if (part->filter->end && part->filter->end(part->self) < 0) {
            fault_place(my->host->fault, "%s: ", part->filter->name);
            return -1;
        }
    }
    return 0;
}

/* All are told the same end, in the order of the chain; update, which is last, saves by it. */
static int close_loop(void *self, enum ended ended)
{
    struct loop *my = self;
    struct fault *fault = my->host->fault;
    for (size_t i = 0; i < my->parts; i++) {
        const struct part *part = &my->part[i];
        bool failed = fault->kind != FAULT_NONE;
        int closed = part->self && part->filter->close ? part->filter->close(part->self, ended) : 0;
        if (closed < 0 && !failed)
            fault_place(fault, "%s: ", part->filter->name);
        free(part->self);
    }
    ring_local_close(my->ring);
    pipeline_text_close(&my->words);
    free(my->part);
    return fault->kind == FAULT_NONE ? 0 : -1;
}

const struct filter loop = {
    .name = "loop",
    .usage = "[-P] pipeline",
    .line = "runs a pipeline of these programs in one process, its ring closed",
    .options = options_known,
    .operand = &operand_known,
    .size = sizeof(struct loop),
    .parse = parse,
    .kind = kind,
    .open = open_loop,
    .rounds = rounds,
    .measure = measure,
    .step = step,
    .model = step_model,
    .end = end_loop,
    .close = close_loop,
};
