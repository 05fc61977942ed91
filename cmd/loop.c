/* loop: runs the text of a pipeline in one process, with the same filters as the programs. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "pipeline.h"
#include "programs.h"
#include "run/weights_ring.h"

struct loop {
    struct host *host;
    struct pipeline pipeline;
    struct ring_local *ring;
};

/* Joins score and update by a ring, which score does not use if it has -m. */
static int join(struct loop *my)
{
    if (pipeline_find(&my->pipeline, &score) < 0 || pipeline_find(&my->pipeline, &update) < 0)
        return 0;
    my->ring = ring_local_open(my->host->fault);
    return my->ring ? 0 : -1;
}

static int parse_parts(struct loop *my)
{
    struct host host = *my->host;
    host.ring = my->ring;
    if (pipeline_parse(&my->pipeline, &host) < 0) return -1;
    enum kind kind = my->host->kind = chain_kind(&my->pipeline.chain);
    my->host->saves = kind == SINK || kind == WHOLE;
    for (size_t i = 0; i < my->pipeline.chain.parts; i++)
        my->host->saves = my->host->saves || my->pipeline.chain.part[i].host.saves;
    for (size_t i = 0; i < my->pipeline.chain.parts; i++) {
        /* Only the first may read no pipe, only the last may write no rounds. */
        const struct part *part = &my->pipeline.chain.part[i];
        struct fault *fault = my->host->fault;
        if (i > 0 && (part->host.kind == SOURCE || part->host.files))
            return fault_usage(fault, "%s does not read a pipe here: it can only be the first "
                               "program", part->filter->name);
        if (my->pipeline.chain.parts > 1 && part->host.kind == WHOLE)
            return fault_usage(fault, "%s neither reads a pipe nor writes rounds: it can only "
                               "stand alone", part->filter->name);
        if (i + 1 < my->pipeline.chain.parts && part->host.kind == SINK)
            return fault_usage(fault, "%s passes no rounds on: it can only be the last program%s",
                               part->filter->name,
                               part->filter == &metric ? ", unless it has -t file" : "");
    }
    my->host->files = my->pipeline.chain.part[0].host.files;
    return 0;
}

static const struct option options_known[] = { OPTION_PROGRESS, { 0 } };

static int parse(void *self, struct options *options, struct host *host)
{
    struct loop *my = self;
    int letter = options_read(options);
    my->host = host;
    if (letter < 0)
        return letter;
    char *const *text = options_operands(options);
    if (!text[0] || text[1])
        return fault_usage(options->fault, "the pipeline must be one operand: quote it as a whole");
    if (pipeline_read(&my->pipeline, text[0], host->fault) < 0) return -1;
    host->from = my->pipeline.text.from != NULL;
    host->to = my->pipeline.text.to != NULL;
    return join(my) < 0 || parse_parts(my) < 0 ? -1 : 0;
}

/* Opens a file as a standard stream; path NULL: leaves the stream alone. */
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
    if (redirect(my, my->pipeline.text.from, STDIN_FILENO) < 0 ||
        redirect(my, my->pipeline.text.to, STDOUT_FILENO) < 0)
        return -1;
    return chain_open(&my->pipeline.chain, my->host->fault);
}

static uint64_t rounds(const void *self)
{
    return chain_rounds(&((const struct loop *)self)->pipeline.chain);
}

static void measure(const void *self, char *text, size_t room)
{
    chain_measure(&((const struct loop *)self)->pipeline.chain, text, room);
}

static enum outcome each(void *self, struct round *round)
{
    struct loop *my = self;
    return chain_each(&my->pipeline.chain, round, my->host->fault);
}

static enum outcome each_model(void *self, struct record *record)
{
    struct loop *my = self;
    return chain_model(&my->pipeline.chain, record, my->host->fault);
}

static int end_loop(void *self)
{
    struct loop *my = self;
    return chain_end(&my->pipeline.chain, my->host->fault);
}

/* All parts are closed with the same end, in order; update, the last, saves its model then. */
static int close_loop(void *self, enum ended ended)
{
    struct loop *my = self;
    int closed = pipeline_close(&my->pipeline, ended, my->host->fault);
    ring_local_close(my->ring);
    return closed;
}

const struct filter loop = {
    .name = "loop",
    .usage = "[-P] pipeline",
    .line = "runs a pipeline of these programs in one process",
    .options = options_known,
    .operand = { .value = "pipeline",
                 .text = "commands of these programs, joined by |, as one argument" },
    .size = sizeof(struct loop),
    .parse = parse,
    .kind = WHOLE,
    .open = open_loop,
    .rounds = rounds,
    .measure = measure,
    .each = each,
    .model = each_model,
    .end = end_loop,
    .close = close_loop,
};
