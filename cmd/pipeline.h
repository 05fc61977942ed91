/* pipeline: the text of a pipeline, as a chain of these programs' filters. */
#ifndef RANKPIPE_CMD_PIPELINE_H
#define RANKPIPE_CMD_PIPELINE_H

#include "run/chain.h"
#include "text/pipeline_text.h"

struct pipeline { /* all zero at first */
    struct pipeline_text text;
    struct chain chain;
};

/* Divides the text into commands, and finds their programs, except loop and serve, which run
 * pipelines themselves. 0 or a usage fault. */
int pipeline_read(struct pipeline *pipeline, const char *text, struct fault *fault);

/* Parses the arguments of all parts, which run for `host`. 0 or a usage fault. */
int pipeline_parse(struct pipeline *pipeline, const struct host *host);

/* The first part that is this program, or -1. */
int pipeline_find(const struct pipeline *pipeline, const struct filter *program);

/* Closes the parts with that end, and frees everything. 0, or -1 where `fault` holds one. */
int pipeline_close(struct pipeline *pipeline, enum ended ended, struct fault *fault);

#endif
