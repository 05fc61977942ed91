#include "text/qids.h"

#include <stdlib.h>

/* FNV-1a, then stirred. */
uint64_t qids_hash(const char *qid)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *qid; qid++)
        h = (h ^ (unsigned char)*qid) * 0x100000001b3u;
    h = (h ^ (h >> 32)) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
    return h ? h : 1; /* 0 is an empty slot */
}

/* From a hash's upper half; its lower one chose the shelf. */
static size_t find_slot(const struct qids_shelf *shelf, uint64_t hash)
{
    size_t at = (size_t)((hash >> 32) * shelf->slots >> 32);
    while (shelf->slot[at] && shelf->slot[at] != hash)
        at = at + 1 < shelf->slots ? at + 1 : 0;
    return at;
}

/* By half, not to twice the size: so a shelf stays at least half full. */
static int widen(struct qids_shelf *shelf, struct fault *fault)
{
    struct qids_shelf wider = { .slots = shelf->slots + shelf->slots / 2 + 8, .used = shelf->used };
    wider.slot = calloc(wider.slots, sizeof *wider.slot);
    if (!wider.slot)
        return fault_memory(fault, wider.slots * sizeof *wider.slot);
    for (size_t i = 0; i < shelf->slots; i++)
        if (shelf->slot[i])
            wider.slot[find_slot(&wider, shelf->slot[i])] = shelf->slot[i];
    free(shelf->slot);
    *shelf = wider;
    return 0;
}

int qids_enter(struct qids *qids, const char *qid, struct fault *fault)
{
    uint64_t hash = qids_hash(qid);
    struct qids_shelf *shelf = &qids->shelf[hash % QIDS_SHELVES];
    if (shelf->used >= shelf->slots - shelf->slots / 4 && widen(shelf, fault) < 0)
        return -1;
    size_t at = find_slot(shelf, hash);
    if (shelf->slot[at])
        return 0;
    shelf->slot[at] = hash;
    shelf->used++;
    qids->used++;
    return 1;
}

void qids_close(struct qids *qids)
{
    for (size_t i = 0; i < QIDS_SHELVES; i++)
        free(qids->shelf[i].slot);
}
