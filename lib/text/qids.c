#include "text/qids.h"

#include <stdlib.h>

/* FNV-1a, then mixed, so that all bits depend on all bytes. */
uint64_t qids_hash(const char *qid)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *qid; qid++)
        h = (h ^ (unsigned char)*qid) * 0x100000001b3u;
    h = (h ^ (h >> 32)) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
    return h ? h : 1; /* 0 is an empty slot */
}

/* The slot of a hash, or the empty one where it goes. The search begins where the upper half of the
 * hash says; the lower half chose the part. */
static size_t find_slot(const struct qids_part *part, uint64_t hash)
{
    size_t at = (size_t)((hash >> 32) * part->slots >> 32);
    while (part->slot[at] && part->slot[at] != hash)
        at = at + 1 < part->slots ? at + 1 : 0;
    return at;
}

/* Makes a part half as large again, so that it stays at least half full. */
static int grow(struct qids_part *part, struct fault *fault)
{
    struct qids_part wider = { .slots = part->slots + part->slots / 2 + 8, .used = part->used };
    wider.slot = calloc(wider.slots, sizeof *wider.slot);
    if (!wider.slot)
        return fault_memory(fault, wider.slots * sizeof *wider.slot);
    for (size_t i = 0; i < part->slots; i++)
        if (part->slot[i])
            wider.slot[find_slot(&wider, part->slot[i])] = part->slot[i];
    free(part->slot);
    *part = wider;
    return 0;
}

int qids_enter(struct qids *qids, const char *qid, struct fault *fault)
{
    uint64_t hash = qids_hash(qid);
    struct qids_part *part = &qids->part[hash % QIDS_PARTS];
    if (part->used >= part->slots - part->slots / 4 && grow(part, fault) < 0)
        return -1;
    size_t at = find_slot(part, hash);
    if (part->slot[at])
        return 0;
    part->slot[at] = hash;
    part->used++;
    qids->used++;
    return 1;
}

bool qids_has(const struct qids *qids, const char *qid)
{
    uint64_t hash = qids_hash(qid);
    const struct qids_part *part = &qids->part[hash % QIDS_PARTS];
    return part->slots && part->slot[find_slot(part, hash)];
}

void qids_close(struct qids *qids)
{
    for (size_t i = 0; i < QIDS_PARTS; i++)
        free(qids->part[i].slot);
}
