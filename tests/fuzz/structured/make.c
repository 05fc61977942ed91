#include "make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shape make_shape(struct dice *draw, bool items)
{
    struct shape shape = { .items = items };
    shape.rounds = 1 + draw_below(draw, 5);
    shape.docs = 1 + draw_below(draw, 8);
    shape.dim = items || draw_one_in(draw, 15) ? 0 : 1 + draw_below(draw, 6);
    shape.sparse = !items && (shape.dim == 0 || draw_one_in(draw, 3));
    shape.labels = !draw_one_in(draw, 12);
    shape.names = draw_one_in(draw, 4);
    shape.wild = draw_one_in(draw, 25);
    if (draw_one_in(draw, 40))
        shape.docs = 1 + draw_below(draw, 200);
    if (draw_one_in(draw, 60))
        shape.rounds = draw_below(draw, 2) * 60;
    if (draw_one_in(draw, 300)) { /* so large that time which grows faster than the input shows */
        shape.rounds = 1;
        shape.docs = draw_below(draw, 2) ? 20000 : 60000;
        shape.dim = shape.dim ? 1 : 0;
    }
    return shape;
}

static void fill(struct dice *draw, struct array *column, size_t odd)
{
    for (size_t i = 0; i < column->n; i++)
        array_put(column, i, draw_number(draw, odd));
}

static void put_labels(struct dice *draw, struct draft *record, size_t docs)
{
    struct array *label = draft_add(record, "label", "f4", docs, false);
    size_t top = draw_one_in(draw, 3) ? 1 : 4;
    bool equal = draw_one_in(draw, 10), real = draw_one_in(draw, 10);
    for (size_t i = 0; i < docs; i++)
        array_put(label, i, equal ? 1
                             : real ? (double)draw_below(draw, 300) / 100
                                    : (double)draw_below(draw, top + 1));
}

static void put_names(struct draft *record, size_t docs)
{
    char *all = memory_take(docs * 12 + 1);
    size_t n = 0;
    for (size_t i = 0; i < docs; i++)
        n += (size_t)sprintf(all + n, "d%zu", i) + 1;
    struct array *name = draft_add(record, "name", "u1", n, false);
    memcpy(name->data.data, all, n);
}

static void put_sparse(struct dice *draw, struct draft *record, const struct shape *shape,
                       size_t docs)
{
    unsigned char *there = memory_take(docs * shape->dim + 1);
    size_t n = 0;
    for (size_t i = 0; i < docs * shape->dim; i++)
        n += there[i] = draw_below(draw, 2) == 0;
    struct array *ptr = draft_add(record, "ptr", "u4", docs + 1, false);
    struct array *idx = draft_add(record, "idx", "u4", n, false);
    ptr = draft_column(record, "ptr");
    struct array *val = draft_add(record, "val", "f4", n, false);
    idx = draft_column(record, "idx");
    n = 0;
    for (size_t i = 0; i < docs; i++) {
        for (size_t j = 0; j < shape->dim; j++)
            if (there[i * shape->dim + j])
                array_put(idx, n++, (double)j);
        array_put(ptr, i + 1, (double)n);
    }
    fill(draw, val, shape->wild ? 6 : 0);
}

static void put_compact(struct dice *draw, struct draft *record, size_t docs, size_t dim)
{
    struct array *offset = draft_add(record, "offset", "f4", dim, false);
    fill(draw, offset, 0);
    struct array *step = draft_add(record, "step", "f4", dim, false);
    for (size_t j = 0; j < dim; j++)
        array_put(step, j, (double)draw_below(draw, 50) / 1000);
    const char *type = draw_below(draw, 2) ? "u1" : "u2";
    struct array *number = draft_add(record, "number", type, docs * dim, false);
    for (size_t i = 0; i < number->n; i++)
        array_put(number, i, (double)draw_below(draw, 256));
}

static void put_base(struct dice *draw, struct draft *round, size_t docs)
{
    size_t first = draw_below(draw, docs);
    struct array *base = draft_add(round, "base", "u4", docs, false);
    for (size_t b = 0; b < docs; b++)
        array_put(base, b, (double)((first + b) % docs));
    if (draw_one_in(draw, 3))
        return;
    struct array *held = draft_add(round, "held", "u1", docs, false);
    for (size_t i = 0; i < docs; i++)
        array_put(held, i, (double)draw_below(draw, 4));
}

static void put_round(struct dice *draw, struct draft *round, const struct shape *shape, size_t t)
{
    bool same = shape->items || shape->docs >= 20000;
    size_t docs = same ? shape->docs : 1 + draw_below(draw, shape->docs);
    if (draw_below(draw, 2))
        draft_key(round, "crc", "00000000");
    draft_key(round, "t", memory_text("%zu", t));
    if (!draw_one_in(draw, 8))
        draft_key(round, "qid", memory_text("q%zu", draw_below(draw, 5)));
    if (draw_one_in(draw, 10))
        draft_key(round, "request", memory_text("r%zu", t));
    if (draw_one_in(draw, 10))
        draft_key(round, "time", memory_text("%zu", t * 100));
    draft_key(round, "docs", memory_text("%zu", docs));
    draft_key(round, "dim", memory_text("%zu", shape->dim));
    if (shape->labels)
        put_labels(draw, round, docs);
    if (shape->names)
        put_names(round, docs);
    if (shape->ranked)
        put_base(draw, round, docs);
    if (shape->scores)
        fill(draw, draft_add(round, "score", "f8", docs, false), 0);
    if (shape->rivals)
        fill(draw, draft_add(round, "rival", "f8", docs, false), 0);
    if (shape->dim && draw_one_in(draw, 4))
        put_compact(draw, round, docs, shape->dim);
    else if (shape->sparse)
        put_sparse(draw, round, shape, docs);
    else if (shape->dim)
        fill(draw, draft_add(round, "x", "f4", docs * shape->dim, false), shape->wild ? 6 : 0);
}

struct stream make_rounds(struct dice *draw, const struct shape *shape)
{
    struct stream stream = { NULL, 0, 0 };
    for (size_t i = 0; i < shape->rounds; i++)
        put_round(draw, stream_add(&stream, "round"), shape, i + 1);
    stream_end(&stream);
    return stream;
}

/* A word where a number stands. */
static const char *number_word(struct dice *draw, size_t odd)
{
    static const char *const words[] = {
        "nan", "inf", "-inf", "0x1p3", "1e", "1e+", ".", "-", "+.5", "5.", "1e400", "-1e400",
        "1e-400", "00000000000000000000001", "1e-05", "1.7976931348623157e308", "3.4028236e38",
        "1E5", "1,5", "--1", "1e99999999999", "?", NULL,
    };
    if (odd && draw_one_in(draw, odd))
        return draw_word(draw, words);
    return memory_text("%g", draw_number(draw, odd ? 4 * odd : 0));
}

static const char *separator(struct dice *draw, size_t odd)
{
    static const char *const words[] = { "  ", "\t", " \t ", "", "\r", "\v", "\n", " # ", NULL };
    return odd && draw_one_in(draw, odd) ? draw_word(draw, words) : " ";
}

static const char *line_end(struct dice *draw, size_t odd)
{
    static const char *const words[] = {
        "\r\n", "\n\n", " # docid = d1\n", "#d2 x\n", "", " \n", "# \n", "\n#c\n", "\n \t\n", NULL,
    };
    return odd && draw_one_in(draw, odd) ? draw_word(draw, words) : "\n";
}

static const char *svm_line(struct dice *draw, size_t query, size_t odd)
{
    static const char *const qids[] = {
        "", "%", "%00", "%zz", "a#b", "\xc3\xa9", "q:1", "=", ",", "qid:", "1 2", NULL,
    };
    const char *label = odd && draw_one_in(draw, 12) ? number_word(draw, 2)
                                                     : memory_text("%zu", draw_below(draw, 5));
    const char *space = separator(draw, 2 * odd);
    const char *qid = odd && draw_one_in(draw, 2 * odd) ? draw_word(draw, qids)
                                                        : memory_text("q%zu", query);
    char *line = memory_text("%s%sqid:%s", label, space, qid);
    size_t index = 1;
    for (size_t j = draw_below(draw, 6); j > 0; j--, index += 1 + draw_below(draw, 3)) {
        space = separator(draw, 4 * odd);
        const char *number = odd && draw_one_in(draw, 3 * odd) ? draw_whole(draw, 2)
                                                               : memory_text("%zu", index);
        line = memory_text("%s%s%s:%s", line, space, number, number_word(draw, odd));
    }
    return memory_text("%s%s", line, line_end(draw, odd));
}

const char *make_svm(struct dice *draw, size_t odd)
{
    char *text = memory_text("%s", odd && draw_one_in(draw, 20) ? "\xef\xbb\xbf" : "");
    size_t queries = draw_below(draw, 20) ? 1 + draw_below(draw, 4) : 0;
    for (size_t q = 0; q < queries; q++)
        for (size_t i = 1 + draw_below(draw, 4); i > 0; i--)
            text = memory_text("%s%s", text,
                               svm_line(draw, odd && draw_one_in(draw, 30) ? 0 : q, odd));
    return text;
}

const char *make_weights(struct dice *draw, size_t odd)
{
    size_t form = draw_below(draw, 2), n = 1 + draw_below(draw, 6);
    char *text = memory_text("%s", form ? "" : "# weights\n");
    for (size_t i = 0; i < n; i++) {
        const char *index = odd && draw_one_in(draw, 2 * odd) ? draw_whole(draw, 2)
                                                              : memory_text("%zu", i + 1);
        const char *number = number_word(draw, odd);
        text = memory_text("%s%s%s%s%s", text, index, form ? ":" : "\t", number,
                           form ? separator(draw, odd) : line_end(draw, odd));
    }
    return text;
}

/* The line for one round, of which the first places are answered. */
static const char *answer_line(struct dice *draw, const char *name, size_t docs, size_t odd)
{
    size_t n = 1 + draw_below(draw, 3);
    const char *first = name ? name : draw_whole(draw, 3);
    char *line = memory_text("%s\t%s", first, draw_one_in(draw, 6) ? "time=100 " : "");
    for (size_t i = 0; i < docs && i < n; i++) {
        const char *number = odd && draw_one_in(draw, odd) ? number_word(draw, 1)
                             : draw_one_in(draw, 2)        ? "1"
                                                           : "0";
        line = memory_text("%s%s%s", line, number, separator(draw, 3 * odd));
    }
    return memory_text("%s%s", line, odd && draw_one_in(draw, odd) ? line_end(draw, 1) : "\n");
}

const char *make_answers(struct dice *draw, const struct stream *rounds, size_t odd)
{
    static const char *const names[] = { "t", "t", "t", "qid", "request", NULL };
    char *text = memory_text("%s", "");
    for (size_t i = 0; i < rounds->n; i++) {
        const struct draft *round = &rounds->record[i];
        const char *name = draft_value(round, odd ? draw_word(draw, names) : "t");
        const char *docs = draft_value(round, "docs");
        if (docs && !draw_one_in(draw, 9))
            text = memory_text("%s%s", text,
                               answer_line(draw, name, strtoul(docs, NULL, 10), odd));
    }
    return text;
}
