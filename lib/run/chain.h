/* chain: filters that are joined in one process, each passing its rounds to the next. */
#ifndef RANKPIPE_CHAIN_H
#define RANKPIPE_CHAIN_H

#include <stddef.h>

#include "base/fault.h"
#include "run/filter.h"

struct part {
    const struct filter *filter;
    void *self;
    struct host host; /* a copy of the chain's, with the part's own kind and settings */
};

struct chain { /* all zero at first */
    struct part *part; /* part[parts] */
    size_t parts;
};

/* Makes room for so many parts, whose filters are then the caller's to set. 0 or a fault. */
int chain_start(struct chain *chain, size_t parts, struct fault *fault);

/* Parses the arguments of part i, which runs for `host`. argv[0] is its name, and NULL ends argv.
 * Returns 0 or a usage fault. Faults of this call and of those below begin with the part's name. */
int chain_parse(struct chain *chain, size_t i, const struct host *host, char **argv);

/* Returns what the chain is as a whole: it reads input unless its first part is a source, and
 * passes rounds on unless its last part is a sink. */
enum kind chain_kind(const struct chain *chain);

/* The hooks of a filter, for all parts in order. A fault leaves the parts after it as they were. */
int chain_open(struct chain *chain, struct fault *fault);
enum outcome chain_each(struct chain *chain, struct round *round, struct fault *fault);
enum outcome chain_model(struct chain *chain, struct record *record, struct fault *fault);
int chain_end(struct chain *chain, struct fault *fault);

/* chain_rounds returns how many rounds the first part will emit. chain_measure writes the measure
 * of the last part that has one. */
uint64_t chain_rounds(const struct chain *chain);
void chain_measure(const struct chain *chain, char *text, size_t room);

/* The facts of all parts. */
void chain_facts(const struct chain *chain, void (*put)(void *to, const char *name, double value),
                 void *to);

/* Closes all parts, parsed or not, and frees them. 0, or -1 where `fault` holds one. */
int chain_close(struct chain *chain, enum ended ended, struct fault *fault);

#endif
