#include "text/trec_run.h"

#include <string.h>

#include "base/decimal.h"
#include "base/text.h"

enum { QID, Q0, DOCUMENT, RANK, SCORE, TAG };

struct word {
    const char *at;
    size_t n;
};

static const void *key_of(const void *entries, uint64_t entry, size_t *n)
{
    const struct trec_run *run = entries;
    const char *key = (const char *)run->text.at +
                      ((const struct trec_entry *)run->entry.at)[entry - 1].key;
    *n = strlen(key);
    return key;
}

static struct trec_entry *entry_at(struct trec_run *run, size_t entry)
{
    return entry ? (struct trec_entry *)run->entry.at + (entry - 1) : NULL;
}

/* Writes "qid document" into `room`, and its bytes into *n. NULL and a fault: no memory. */
static const char *make_key(struct word qid, struct word document, struct buffer *room, size_t *n,
                            struct fault *fault)
{
    *n = qid.n + 1 + document.n;
    char *key = buffer_for(room, *n + 1, 1, fault);
    if (!key)
        return NULL;
    memcpy(key, qid.at, qid.n);
    key[qid.n] = ' ';
    memcpy(key + qid.n + 1, document.at, document.n);
    key[*n] = '\0';
    return key;
}

/* Adds an entry. Its number from 1, or 0 and a fault. */
static size_t add_entry(struct trec_run *run, const char *key, size_t n, double score,
                        struct fault *fault)
{
    size_t room = 64, text = 1024;
    while (room <= run->entries)
        room *= 2;
    while (text < run->bytes + n + 1)
        text *= 2;
    struct trec_entry *entry = buffer_for(&run->entry, room, sizeof *entry, fault);
    char *to = entry ? buffer_for(&run->text, text, 1, fault) : NULL;
    if (!to)
        return 0;
    memcpy(to + run->bytes, key, n + 1);
    entry[run->entries++] = (struct trec_entry){ .key = run->bytes, .score = score };
    run->bytes += n + 1;
    run->table.key = key_of;
    return hash_table_add(&run->table, run, run->entries, fault) < 0 ? 0 : run->entries;
}

static size_t find_entry(const struct trec_run *run, const char *key, size_t n)
{
    return run->table.key ? (size_t)hash_table_find(&run->table, run, key, n) : 0;
}

static int read_entry(struct trec_run *run, struct lines *lines, struct buffer *room,
                      struct fault *fault)
{
    struct word word[TREC_RUN_FIELDS] = { { 0 } };
    size_t words = 0;
    double score;
    char text[64] = "";
    for (const char *p = text_skip_blanks(lines->text); *p; p = text_skip_word(p), words++)
        if (words < TREC_RUN_FIELDS)
            word[words] = (struct word){ p, text_word_bytes(p) };
    if (words == 0)
        return 0;
    if (words != TREC_RUN_FIELDS)
        return lines_wrong(lines, lines->text, lines->bytes, fault, "%zu fields, but a line of a "
                           "TREC run has 6: qid Q0 document rank score tag", words);
    if (word[SCORE].n < sizeof text)
        memcpy(text, word[SCORE].at, word[SCORE].n);
    if (!decimal_double(text, &score))
        return lines_wrong(lines, word[SCORE].at, word[SCORE].n, fault, "not a finite score");

    struct word document = word[DOCUMENT];
    size_t n;
    const char *key = make_key(word[QID], (struct word){ "", 0 }, room, &n, fault);
    size_t query = key ? find_entry(run, key, n) : 0;
    if (key && !query)
        query = add_entry(run, key, n, 0, fault);
    if (!query || !(key = make_key(word[QID], document, room, &n, fault))) return -1;
    if (find_entry(run, key, n))
        return lines_wrong(lines, document.at, document.n, fault, "the document comes twice for "
                           "its query");
    size_t added = add_entry(run, key, n, score, fault);
    if (!added) return -1;
    entry_at(run, added)->next = entry_at(run, query)->next;
    entry_at(run, query)->next = added;
    return 0;
}

int trec_run_read(struct trec_run *run, struct lines *lines, struct fault *fault)
{
    struct buffer room = { 0 };
    int got;
    while ((got = lines_next(lines, fault)) > 0)
        if (read_entry(run, lines, &room, fault) < 0)
            break;
    buffer_free(&room);
    return got == 0 ? 0 : -1;
}

static struct trec_entry *look_up(struct trec_run *run, const char *qid, const char *document,
                                  struct buffer *room, struct fault *fault)
{
    size_t n;
    const char *key = make_key((struct word){ qid, strlen(qid) },
                               (struct word){ document, strlen(document) }, room, &n, fault);
    return key ? entry_at(run, find_entry(run, key, n)) : NULL;
}

struct trec_entry *trec_run_query(struct trec_run *run, const char *qid, struct buffer *room,
                                  struct fault *fault)
{
    return look_up(run, qid, "", room, fault);
}

struct trec_entry *trec_run_document(struct trec_run *run, const char *qid, const char *document,
                                     struct buffer *room, struct fault *fault)
{
    return look_up(run, qid, document, room, fault);
}

struct trec_entry *trec_run_next(struct trec_run *run, const struct trec_entry *entry)
{
    return entry_at(run, entry->next);
}

void trec_run_close(struct trec_run *run)
{
    hash_table_close(&run->table);
    buffer_free(&run->text);
    buffer_free(&run->entry);
}
