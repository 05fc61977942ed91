/* loop: runs the text of a pipeline in one process, with the same filters as the programs. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/names.h"
#include "programs.h"
#include "run/chain.h"
#include "run/ring_local.h"
#include "text/pipeline_text.h"

struct loop {
    struct host *host;
    struct pipeline_text text;
    struct chain chain;
    struct ring_local *ring;
};

/* The arguments of command i, from the program's name on: "rankpipe score ..." is "score ...". */
static char **command(const struct loop *my, size_t i)
{
    char **argv = my->text.command[i];
    const struct filter *program = program_find(argv[0]);
    return !program && strcmp(argv[0], "rankpipe") == 0 && argv[1] ? argv + 1 : argv;
}

static int refuse_program(const struct loop *my, const char *name)
{
    struct names names = { 0 };
    for (size_t p = 0; programs[p]; p++)
        if (programs[p] != &loop)
            names_add(&names, "%s", programs[p]->name);
    return fault_usage(my->host->fault, "cannot run '%.40s': choose from %s", name, names.text);
}

static int find_programs(struct loop *my)
{
    for (size_t i = 0; i < my->chain.parts; i++) {
        const struct filter *program = program_find(command(my, i)[0]);
        if (!program || program == &loop)
            return refuse_program(my, command(my, i)[0]);
        my->chain.part[i].filter = program;
    }
    return 0;
}

static bool has(const struct loop *my, const struct filter *program)
{
    for (size_t i = 0; i < my->chain.parts; i++)
        if (my->chain.part[i].filter == program)
            return true;
    return false;
}

/* Joins score and update by a ring, which score does not use if it has -m. */
static int join(struct loop *my)
{
    if (!has(my, &score) || !has(my, &update))
        return 0;
    my->ring = ring_local_open(my->host->fault);
    return my->ring ? 0 : -1;
}

/* Can the part stand there? Only the first may read no pipe, only the last may write no rounds. */
static int check_part(const struct loop *my, size_t i)
{
    const struct part *part = &my->chain.part[i];
    struct fault *fault = my->host->fault;
    if (i > 0 && (part->kind == SOURCE || part->host.files))
        return fault_usage(fault, "%s does not read a pipe here: it can only be first",
                           part->filter->name);
    if (my->chain.parts > 1 && part->kind == WHOLE)
        return fault_usage(fault, "%s neither reads a pipe nor writes rounds: it can only stand "
                           "alone", part->filter->name);
    if (i + 1 < my->chain.parts && part->kind == SINK)
        return fault_usage(fault, "%s passes no rounds on: it can only be last%s",
                           part->filter->name,
                           part->filter == &metric ? ", unless it has -t file" : "");
    return 0;
}

static int parse_parts(struct loop *my)
{
    struct host host = *my->host;
    host.ring = my->ring;
    for (size_t i = 0; i < my->chain.parts; i++) {
        host.last = my->host->last && i + 1 == my->chain.parts;
        if (chain_parse(&my->chain, i, &host, command(my, i)) < 0)
            return -1;
        my->host->saves = my->host->saves || my->chain.part[i].host.saves;
    }
    for (size_t i = 0; i < my->chain.parts; i++)
        if (check_part(my, i) < 0)
            return -1;
    my->host->files = my->chain.part[0].host.files;
    return 0;
}

static int parse_text(struct loop *my, const char *text)
{
    struct host *host = my->host;
    if (pipeline_text_read(&my->text, text, host->fault) < 0 ||
        chain_start(&my->chain, my->text.commands, host->fault) < 0)
        return -1;
    host->from = my->text.from != NULL;
    host->to = my->text.to != NULL;
    return find_programs(my) < 0 || join(my) < 0 || parse_parts(my) < 0 ? -1 : 0;
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
        return fault_usage(options->fault, "the pipeline must be one operand: quote it as a whole");
    return parse_text(my, text[0]);
}

static enum kind kind(const void *self)
{
    return chain_kind(&((const struct loop *)self)->chain);
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
    if (redirect(my, my->text.from, STDIN_FILENO) < 0 ||
        redirect(my, my->text.to, STDOUT_FILENO) < 0)
        return -1;
    return chain_open(&my->chain, my->host->fault);
}

static uint64_t rounds(const void *self)
{
    return chain_rounds(&((const struct loop *)self)->chain);
}

static void measure(const void *self, char *text, size_t room)
{
    chain_measure(&((const struct loop *)self)->chain, text, room);
}

static enum step step(void *self, struct round *round)
{
    struct loop *my = self;
    return chain_step(&my->chain, round, my->host->fault);
}

static enum step step_model(void *self, struct record *record)
{
    struct loop *my = self;
    return chain_model(&my->chain, record, my->host->fault);
}

static int end_loop(void *self)
{
    struct loop *my = self;
    return chain_end(&my->chain, my->host->fault);
}

/* All parts are closed with the same end, in order; update, the last, saves its model then. */
static int close_loop(void *self, enum ended ended)
{
    struct loop *my = self;
    int closed = chain_close(&my->chain, ended, my->host->fault);
    ring_local_close(my->ring);
    pipeline_text_close(&my->text);
    return closed;
}

const struct filter loop = {
    .name = "loop",
    .usage = "[-P] pipeline",
    .line = "runs a pipeline of these programs in one process",
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
