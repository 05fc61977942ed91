#include "pipeline.h"

#include <string.h>

#include "base/names.h"
#include "programs.h"

/* The words of command i, from the program's name on: "rankpipe score ..." is "score ...". */
static char **words_of(const struct pipeline *pipeline, size_t i)
{
    char **argv = pipeline->text.command[i];
    const struct filter *program = program_find(argv[0]);
    return !program && strcmp(argv[0], "rankpipe") == 0 && argv[1] ? argv + 1 : argv;
}

static bool runs_pipelines(const struct filter *program)
{
    return program == &loop || program == &serve;
}

int pipeline_read(struct pipeline *pipeline, const char *text, struct fault *fault)
{
    struct chain *chain = &pipeline->chain;
    if (pipeline_text_read(&pipeline->text, text, fault) < 0 ||
        chain_start(chain, pipeline->text.commands, fault) < 0)
        return -1;
    for (size_t i = 0; i < chain->parts; i++) {
        const char *name = words_of(pipeline, i)[0];
        const struct filter *program = program_find(name);
        if (!program || runs_pipelines(program)) {
            struct names names = { 0 };
            for (size_t p = 0; programs[p]; p++)
                if (!runs_pipelines(programs[p]))
                    names_offer(&names, name, programs[p]->name);
            return fault_usage(fault, "cannot run '%.40s': %s", name, names_advice(&names));
        }
        chain->part[i].filter = program;
    }
    return 0;
}

int pipeline_parse(struct pipeline *pipeline, const struct host *host)
{
    struct host part = *host;
    for (size_t i = 0; i < pipeline->chain.parts; i++) {
        part.last = host->last && i + 1 == pipeline->chain.parts;
        if (chain_parse(&pipeline->chain, i, &part, words_of(pipeline, i)) < 0) return -1;
    }
    return 0;
}

int pipeline_find(const struct pipeline *pipeline, const struct filter *program)
{
    for (size_t i = 0; i < pipeline->chain.parts; i++)
        if (pipeline->chain.part[i].filter == program)
            return (int)i;
    return -1;
}

int pipeline_close(struct pipeline *pipeline, enum ended ended, struct fault *fault)
{
    int closed = chain_close(&pipeline->chain, ended, fault);
    pipeline_text_close(&pipeline->text);
    return closed;
}
