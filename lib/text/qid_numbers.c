#include "text/qid_numbers.h"

#include <inttypes.h>
#include <string.h>

static const char *qid_of(const struct qid_numbers *numbers, uint64_t number)
{
    return (const char *)numbers->text.at + ((const size_t *)numbers->at.at)[number - 1];
}

static const void *key_of(const void *numbers, uint64_t number, size_t *n)
{
    const char *qid = qid_of(numbers, number);
    *n = strlen(qid);
    return qid;
}

static int append(struct qid_numbers *numbers, const char *qid, struct fault *fault)
{
    size_t n = strlen(qid) + 1;
    size_t *at = buffer_for(&numbers->at, (size_t)numbers->number + 1, sizeof *at, fault);
    char *text = buffer_for(&numbers->text, numbers->bytes + n, 1, fault);
    if (!at || !text)
        return -1;
    at[numbers->number++] = numbers->bytes;
    memcpy(text + numbers->bytes, qid, n);
    numbers->bytes += n;
    return 0;
}

uint64_t qid_numbers_of(struct qid_numbers *numbers, const char *qid, struct fault *fault)
{
    numbers->table.key = key_of;
    uint64_t known = qid ? hash_table_find(&numbers->table, numbers, qid, strlen(qid)) : 0;
    if (known)
        return known;
    if (append(numbers, qid ? qid : "-", fault) < 0 ||
        (qid && hash_table_add(&numbers->table, numbers, numbers->number, fault) < 0) ||
        writer_text(numbers->map, fault, "%" PRIu64 "\t%s\n", numbers->number,
                    qid ? qid : "-") < 0)
        return 0;
    return numbers->number;
}

void qid_numbers_close(struct qid_numbers *numbers)
{
    hash_table_close(&numbers->table);
    buffer_free(&numbers->at);
    buffer_free(&numbers->text);
}
