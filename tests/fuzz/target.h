/* target: what the fuzz targets share. A target is given any bytes at all and is only to come back:
 * what should hold and does not ends it by abort(), as the sanitizers do. It keeps nothing from one
 * input to the next, so that each finding is one file. */
#ifndef RANKPIPE_TARGET_H
#define RANKPIPE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* A record that is written must stay in the writer's buffer: what is larger is looked at no
 * further. */
enum { INPUT_MOST = 8192, DOCS_MOST = 256 };

static inline void hold(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "this should hold and does not: %s\n", what);
    abort();
}

/* A fault that hostile bytes led to: its text has no control characters. */
static inline void hold_explained(const struct fault *fault)
{
    hold(fault->kind != FAULT_NONE, "what fails says so in its fault");
    hold(fault->text[0] != '\0', "a fault has words");
    for (const char *p = fault->text; *p; p++)
        hold(*p >= ' ' && *p <= '~', "a fault's words are printable ASCII");
}

/* A writer that writes nowhere: what it holds is what came out. */
static inline void open_paper(struct writer *writer)
{
    struct fault fault = { FAULT_NONE, "" };
    hold(writer_open(writer, -1, "paper", NULL, &fault) == 0, "there is memory");
}

static inline bool same_bytes(const struct writer *writer, const void *bytes, size_t n)
{
    return writer->pending.held == n && (n == 0 || memcmp(writer->buffer, bytes, n) == 0);
}

/* A pipeline's text as loop has it, parsed but not opened. */
struct chain {
    struct fault fault;
    struct watch watch;
    struct progress progress;
    struct writer out;
    struct host host;
    void *self;
};

/* What loop's parse says: 0, or a fault in chain->fault. */
static inline int chain_parse(struct chain *chain, const char *text)
{
    char *argv[] = { (char *)"loop", (char *)"--", (char *)text, NULL };
    struct options options;
    *chain = (struct chain){ .watch = WATCH_NOTHING };
    open_paper(&chain->out);
    chain->host = (struct host){ .fault = &chain->fault, .watch = &chain->watch,
                                 .progress = &chain->progress, .out = &chain->out, .in = -1,
                                 .to = true };
    chain->self = calloc(1, loop.size);
    hold(chain->self != NULL, "there is memory");
    options_start(&options, 3, argv, loop.options, chain->self, &chain->fault);
    return loop.parse(chain->self, &options, &chain->host);
}

/* As after a fault: nothing is saved, nothing is written. */
static inline void chain_close(struct chain *chain)
{
    (void)loop.close(chain->self, FAILED);
    writer_close(&chain->out);
    free(chain->self);
}

#endif
