#include "qids.h"

#include <stdlib.h>

/* FNV-1a, then stirred. */
static uint64_t hash_qid(const char *qid)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *qid; qid++)
        h = (h ^ (unsigned char)*qid) * 0x100000001b3u;
    h = (h ^ (h >> 32)) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
    return h ? h : 1; /* 0 is an empty slot */
}

static size_t find_slot(const struct qids *qids, uint64_t hash)
{
    size_t at = (size_t)hash & (qids->slots - 1);
    while (qids->slot[at] && qids->slot[at] != hash)
        at = (at + 1) & (qids->slots - 1);
    return at;
}

static int widen(struct qids *qids, struct fault *fault)
{
    struct qids wider = { .slots = qids->slots ? 2 * qids->slots : 256 };
    wider.slot = calloc(wider.slots, sizeof *wider.slot);
    if (!wider.slot)
        return fault_memory(fault, wider.slots * sizeof *wider.slot);
    for (size_t i = 0; i < qids->slots; i++)
        if (qids->slot[i])
            wider.slot[find_slot(&wider, qids->slot[i])] = qids->slot[i];
    wider.used = qids->used;
    free(qids->slot);
    *qids = wider;
    return 0;
}

int qids_enter(struct qids *qids, const char *qid, struct fault *fault)
{
    uint64_t hash = hash_qid(qid);
    if (qids->used >= qids->slots - qids->slots / 4 && widen(qids, fault) < 0)
        return -1;
    size_t at = find_slot(qids, hash);
    if (qids->slot[at])
        return 0;
    qids->slot[at] = hash;
    qids->used++;
    return 1;
}

void qids_close(struct qids *qids)
{
    free(qids->slot);
}
