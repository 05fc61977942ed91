#include "text/qids.h"

#include <stdlib.h>
#include <string.h>

#include "base/secret.h"

uint64_t qids_hash(const struct qids *qids, const char *qid)
{
    struct siphash hash = qids->start;
    siphash_add(&hash, qid, strlen(qid));
    return siphash_end(&hash);
}

/* Where the search for a hash begins. */
static size_t home_of(const struct qids_part *part, uint32_t hash)
{
    return (size_t)((uint64_t)hash * part->slots >> 32);
}

static size_t next_slot(const struct qids_part *part, size_t at)
{
    return at + 1 < part->slots ? at + 1 : 0;
}

/* The slot of a qid, or the empty one where it goes. */
static struct qids_slot *find_slot(const struct qids_part *part, uint32_t hash, const char *qid)
{
    const char *text = part->text.at;
    size_t at = home_of(part, hash);
    while (part->slot[at].at && (part->slot[at].hash != hash ||
                                 strcmp(text + part->slot[at].at - 1, qid) != 0))
        at = next_slot(part, at);
    return &part->slot[at];
}

/* Makes a part half as large again, so that it stays at least half full. */
static int grow(struct qids_part *part, struct fault *fault)
{
    struct qids_part wider = *part;
    wider.slots += part->slots / 2 + 8;
    wider.slot = calloc(wider.slots, sizeof *wider.slot);
    if (!wider.slot)
        return fault_memory(fault, wider.slots * sizeof *wider.slot);
    for (size_t i = 0; i < part->slots; i++) {
        size_t at = home_of(&wider, part->slot[i].hash);
        while (part->slot[i].at && wider.slot[at].at)
            at = next_slot(&wider, at);
        if (part->slot[i].at)
            wider.slot[at] = part->slot[i];
    }
    free(part->slot);
    *part = wider;
    return 0;
}

/* Copies a qid after those of the part: its place from 1, or 0 and a fault. */
static uint32_t keep_text(struct qids_part *part, const char *qid, struct fault *fault)
{
    size_t n = strlen(qid) + 1, at = part->bytes;
    if (n > UINT32_MAX - at) {
        fault_memory(fault, at + n);
        return 0;
    }
    char *text = buffer_for(&part->text, at + n, 1, fault);
    if (!text)
        return 0;
    memcpy(text + at, qid, n);
    part->bytes += n;
    return (uint32_t)at + 1;
}

int qids_enter(struct qids *qids, const char *qid, struct fault *fault)
{
    if (!qids->started)
        qids->start = secret_siphash();
    qids->started = true;
    uint64_t hash = qids_hash(qids, qid);
    struct qids_part *part = &qids->part[hash % QIDS_PARTS];
    if (part->used >= part->slots - part->slots / 4 && grow(part, fault) < 0)
        return -1;
    struct qids_slot *slot = find_slot(part, (uint32_t)(hash >> 32), qid);
    if (slot->at)
        return 0;
    uint32_t at = keep_text(part, qid, fault);
    if (at == 0)
        return -1;
    *slot = (struct qids_slot){ (uint32_t)(hash >> 32), at };
    part->used++;
    qids->used++;
    return 1;
}

void qids_close(struct qids *qids)
{
    for (size_t i = 0; i < QIDS_PARTS; i++) {
        free(qids->part[i].slot);
        buffer_free(&qids->part[i].text);
    }
}
