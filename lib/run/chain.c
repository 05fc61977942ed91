#include "run/chain.h"

#include <stdlib.h>

/* A fault of a part begins with its name. */
static int blame(const struct part *part, struct fault *fault)
{
    fault_place(fault, "%s: ", part->filter->name);
    return -1;
}

int chain_start(struct chain *chain, size_t parts, struct fault *fault)
{
    chain->part = calloc(parts, sizeof *chain->part);
    if (!chain->part)
        return fault_no_room(fault, parts * sizeof *chain->part);
    chain->parts = parts;
    return 0;
}

int chain_parse(struct chain *chain, size_t i, const struct host *host, char **argv)
{
    struct part *part = &chain->part[i];
    struct options options;
    struct fault *fault = host->fault;
    int argc = 0;
    while (argv[argc])
        argc++;
    part->host = *host;
    part->host.kind = part->filter->kind;
    part->self = calloc(1, part->filter->size);
    if (!part->self)
        return fault_no_room(fault, part->filter->size);
    options_start(&options, argc, argv, part->filter->options, part->self, fault);
    int asked = part->filter->parse(part->self, &options, &part->host);
    if (asked < OPTIONS_FAULT)
        return fault_usage(fault, "%s -h: run it outside of loop", part->filter->name);
    if (asked < 0)
        return blame(part, fault);
    if (options.given['P'])
        host->progress->asked = true;
    return 0;
}

enum kind chain_kind(const struct chain *chain)
{
    enum kind first = chain->part[0].host.kind;
    enum kind last = chain->part[chain->parts - 1].host.kind;
    if (chain->parts > 1 && first == SOURCE && last == SINK)
        return WHOLE;
    return last == SINK ? SINK : first;
}

int chain_open(struct chain *chain, struct fault *fault)
{
    for (size_t i = 0; i < chain->parts; i++) {
        const struct part *part = &chain->part[i];
        if (part->filter->open && part->filter->open(part->self) < 0)
            return blame(part, fault);
    }
    return 0;
}

uint64_t chain_rounds(const struct chain *chain)
{
    const struct part *first = chain->part;
    return first->filter->rounds ? first->filter->rounds(first->self) : 0;
}

void chain_measure(const struct chain *chain, char *text, size_t room)
{
    for (size_t i = 0; i < chain->parts; i++)
        if (chain->part[i].filter->measure)
            chain->part[i].filter->measure(chain->part[i].self, text, room);
}

void chain_facts(const struct chain *chain, void (*put)(void *to, const char *name, double value),
                 void *to)
{
    for (size_t i = 0; i < chain->parts; i++)
        if (chain->part[i].filter->facts)
            chain->part[i].filter->facts(chain->part[i].self, put, to);
}

enum outcome chain_each(struct chain *chain, struct round *round, struct fault *fault)
{
    enum outcome outcome = PASS;
    for (size_t i = 0; outcome == PASS && i < chain->parts; i++) {
        const struct part *part = &chain->part[i];
        outcome = part->filter->each(part->self, round);
        if (outcome == PASS && part->host.kind == SOURCE && round_read(round, fault) < 0)
            outcome = FAIL;
        if (outcome == FAIL) {
            /* A round that a source of the chain made has no place yet. */
            char name[ROUND_NAME];
            (void)blame(&chain->part[i], fault);
            if (fault->kind == FAULT_DATA && i > 0 && chain->part[0].host.kind == SOURCE)
                fault_place(fault, "%s: ", round_name(round, name));
            return FAIL;
        }
    }
    return outcome == PASS && chain->part[chain->parts - 1].host.kind == SINK ? DROP : outcome;
}

enum outcome chain_model(struct chain *chain, struct record *record, struct fault *fault)
{
    enum outcome outcome = PASS;
    for (size_t i = 0; outcome == PASS && i < chain->parts; i++) {
        const struct part *part = &chain->part[i];
        if (part->filter->model)
            outcome = part->filter->model(part->self, record);
        if (outcome == FAIL)
            (void)blame(part, fault);
    }
    return outcome;
}

int chain_end(struct chain *chain, struct fault *fault)
{
    for (size_t i = 0; i < chain->parts; i++) {
        const struct part *part = &chain->part[i];
        if (part->filter->end && part->filter->end(part->self) < 0)
            return blame(part, fault);
    }
    return 0;
}

int chain_close(struct chain *chain, enum ended ended, struct fault *fault)
{
    for (size_t i = 0; i < chain->parts; i++) {
        const struct part *part = &chain->part[i];
        bool failed = fault->kind != FAULT_NONE;
        int closed = part->self && part->filter->close ? part->filter->close(part->self, ended) : 0;
        if (closed < 0 && !failed)
            (void)blame(part, fault);
        free(part->self);
    }
    free(chain->part);
    return fault->kind == FAULT_NONE ? 0 : -1;
}
