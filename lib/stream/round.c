#include "stream/round.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void round_open(struct round *round, struct record *record)
{
    memset(round, 0, sizeof *round);
    round->record = record;
    round->expansion = &round->own;
}

void round_close(struct round *round)
{
    for (size_t c = 0; c < ROUND_COLUMNS; c++)
        buffer_free(&round->buffer[c]);
    buffer_free(&round->scratch);
    compact_close(&round->own.memory);
}

int round_header(struct round *round, struct fault *fault)
{
    uint64_t has;
    round_columns_clear(round);
    return round_keys_read(round, &has, fault) < 0 ? -1 : round_columns_check(round, has, fault);
}

int round_read(struct round *round, struct fault *fault)
{
    if (!round->restored && round_header(round, fault) < 0)
        return -1;
    return round_columns_read(round, fault);
}

int round_start(struct round *round, uint64_t t, const char *qid, size_t docs, size_t dim,
                struct fault *fault)
{
    record_start(round->record, RECORD_ROUND);
    round_keys_clear(round);
    round_columns_clear(round);
    if (round_set(round, KEY_T, t, fault) < 0 ||
        (qid && round_set_text(round, KEY_QID, qid, fault) < 0) ||
        round_set(round, KEY_DOCS, docs, fault) < 0)
        return -1;
    return round_set(round, KEY_DIM, dim, fault);
}

double *round_new_score(struct round *round, struct fault *fault)
{
    if (round->rival)
        round_drop(round, ROUND_RIVAL);
    if (round->index)
        round_drop(round, ROUND_INDEX);
    if (round->worth)
        round_drop(round, ROUND_WORTH);
    if (round->judged)
        round_drop_key(round, KEY_JUDGED);
    return round_new(round, ROUND_SCORE, fault);
}

float *round_new_seen(struct round *round, size_t places, struct fault *fault)
{
    round->places = places;
    if (round->propensity)
        round_drop(round, ROUND_PROPENSITY);
    return round_new(round, ROUND_SEEN, fault);
}

void round_forget_choice(struct round *round)
{
    round_keys_forget_choice(round);
    round_columns_forget_choice(round);
}

void round_forget_service(struct round *round)
{
    static const enum round_column gone[] = { ROUND_SCORE, ROUND_RIVAL, ROUND_INDEX, ROUND_WORTH,
                                              ROUND_SEEN };
    round_forget_choice(round);
    round_drop_labels(round);
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        round_drop(round, gone[i]);
    round_drop_key(round, KEY_JUDGED);
    round_drop_key(round, KEY_REQUEST);
    round_drop_key(round, KEY_TIME);
    round_drop_key(round, KEY_CLIENT);
    round->places = 0;
}

char *round_name(const struct round *round, char name[ROUND_NAME])
{
    if (round->qid)
        snprintf(name, ROUND_NAME, "round %" PRIu64 " (qid %s)", round->t, round->qid);
    else
        snprintf(name, ROUND_NAME, "round %" PRIu64, round->t);
    return name;
}
