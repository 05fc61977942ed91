#include "change.h"

#include <stdio.h>
#include <string.h>

static const char *const key_names[] = {
    "t", "qid", "request", "time", "docs", "dim", "made", "named", "based", "judged", "gamma", "top", "swap",
    "slot", "subset", "clicks", "rates", "block", "group", "seed", "x-mine", "crc", "learner", "rounds", "features", "eta",
    "radius", "width", "rho",
    "size", "cutoff", "margin", "yields", "cols", "bytes", "T", "a_b-9", NULL,
};

static const char *const column_names[] = {
    "label", "name", "base", "score", "rival", "index", "worth", "held", "order", "greedy", "logit", "team",
    "seen", "x", "ptr", "idx", "val", "label-x", "mine", "w", "direction", "scale", "keys", "value",
    "offset", "step", "number", NULL,
};

static const char *const types[] = { "u1", "u2", "u4", "u8", "f4", "f8", NULL };

/* A value for a key: of its kind at its bounds, or of another kind. */
static const char *key_value(struct dice *draw, const char *name)
{
    static const char *const decimals[] = {
        "0", "1", "0.5", "1e-300", "1.0000000000000002", "-0", "-0.1", "nan", "inf", "1e400", "0x1",
        "1e-400", "0.10000000000000001", ".5", "5.", "1e", "", NULL,
    };
    static const char *const texts[] = {
        "a", "%", "%00", "%41", "%zz", "%C3%A9", "#", ",", "=", "[", "\x7f", "\xc3\xa9", "a b", "",
        NULL,
    };
    static const char *const steps[] = {
        "scale", "rank", "log", "scale,log", "split", "fourier:2:0.5:1", "fourier:2", "products",
        "scale,", ",", "scale:1", "nosuch", "any", "log,log,log,log", NULL,
    };
    if (strcmp(name, "crc") == 0)
        return "00000000"; /* made right when the stream is written */
    if (draw_one_in(draw, 12))
        return memory_text("%.*s", (int)(200 + draw_below(draw, 4000)), memory_text("%04000d", 7));
    if (strcmp(name, "made") == 0)
        return draw_word(draw, steps);
    if (strcmp(name, "qid") == 0 || strcmp(name, "request") == 0 || draw_one_in(draw, 20))
        return draw_word(draw, texts);
    if (strchr("gewmr", name[0]) && draw_below(draw, 2))
        return draw_word(draw, decimals);
    return draw_whole(draw, 2);
}

static void change_key(struct dice *draw, struct draft *record)
{
    size_t i = record->keys ? draw_below(draw, record->keys) : 0;
    struct word *key = &record->key[i];
    size_t how = record->keys ? draw_below(draw, 6) : 0;
    if (how == 0) {
        const char *name = draw_word(draw, key_names);
        draft_key(record, name, key_value(draw, name));
    } else if (how == 1) {
        memmove(key, key + 1, (--record->keys - i) * sizeof *key);
    } else if (how == 2 && record->keys < KEYS_MOST) {
        draft_key(record, key->name, key->value);
    } else if (how == 3) {
        struct word other = record->key[draw_below(draw, record->keys)];
        key->value = other.value;
    } else {
        key->value = key_value(draw, key->name);
    }
}

/* One value more, 0, or one less. */
static void resize(struct array *column, bool more_values)
{
    size_t n = column->data.n / type_width(column->type);
    n = more_values ? n + 1 : n - (n > 0);
    size_t size = n * type_width(column->type);
    unsigned char *data = memory_take(size + 1);
    if (column->data.n)
        memcpy(data, column->data.data, column->data.n < size ? column->data.n : size);
    column->n = n;
    column->data = (struct bytes){ data, size };
}

/* The same values in another type. */
static void retype(struct array *column, const char *type)
{
    struct array old = *column;
    size_t n = old.data.n / type_width(old.type);
    column->type = type;
    column->n = n;
    column->data = (struct bytes){ memory_take(n * 8 + 1), n * type_width(type) };
    for (size_t i = 0; i < n; i++)
        array_put(column, i, array_get(&old, i));
}

static void change_value(struct dice *draw, struct array *column)
{
    size_t n = column->data.n / type_width(column->type);
    if (n == 0)
        return;
    size_t i = draw_below(draw, n), j = draw_below(draw, n), how = draw_below(draw, 5);
    double was = array_get(column, i);
    if (how == 0) { /* two change places */
        array_put(column, i, array_get(column, j));
        array_put(column, j, was);
    } else if (how == 1) {
        array_put(column, i, array_get(column, j));
    } else if (how == 2) {
        array_put(column, i, was + 1);
    } else if (how == 3) {
        array_put(column, i, draw_number(draw, 1));
    } else {
        double all = draw_number(draw, 2);
        for (i = 0; i < n; i++)
            array_put(column, i, all);
    }
}

static void add_column(struct dice *draw, struct draft *record)
{
    const char *docs = draft_value(record, "docs");
    unsigned long n = 0;
    if (!docs || sscanf(docs, "%lu", &n) != 1 || n > 100000)
        n = draw_below(draw, 9);
    const char *name = draw_word(draw, column_names), *type = draw_word(draw, types);
    n += draw_one_in(draw, 5);
    struct array *column = draft_add(record, name, type, n, draw_below(draw, 2));
    for (size_t i = 0; i < column->n; i++)
        array_put(column, i, draw_one_in(draw, 3) ? draw_number(draw, 9) : (double)i);
}

static void change_column(struct dice *draw, struct draft *record)
{
    if (record->columns == 0 || draw_one_in(draw, 6)) {
        add_column(draw, record);
        return;
    }
    size_t i = draw_below(draw, record->columns), how = draw_below(draw, 9);
    struct array *column = &record->column[i];
    if (how == 0)
        memmove(column, column + 1, (--record->columns - i) * sizeof *column);
    else if (how == 1 && record->columns < COLUMNS_MOST)
        record->column[record->columns++] = *column;
    else if (how == 2)
        column->name = draw_word(draw, column_names);
    else if (how == 3)
        retype(column, draw_word(draw, types));
    else if (how == 4)
        resize(column, draw_below(draw, 2));
    else if (how == 5)
        column->n = draw_below(draw, 2) ? column->n + 1 : (size_t)draw_bits(draw) >> 10;
    else
        change_value(draw, column);
}

void change_record(struct dice *draw, struct draft *record)
{
    static const char *const spaces[] = { "  ", "\t", "", "\r", " \n", NULL };
    size_t how = draw_below(draw, 40);
    if (how == 0)
        record->bytes = draw_whole(draw, 2);
    else if (how == 1)
        record->space = draw_word(draw, spaces);
    else if (how == 2)
        record->kind = draw_below(draw, 2) ? "model" : "round";
    else if (how < 20)
        change_key(draw, record);
    else
        change_column(draw, record);
}

/* The number of a round is as the number of another, or far away. */
static void change_number(struct dice *draw, struct stream *stream, struct draft *record)
{
    const struct draft *other = &stream->record[draw_below(draw, stream->n)];
    for (size_t i = 0; i < record->keys; i++)
        if (strcmp(record->key[i].name, "t") == 0 && draft_value(other, "t"))
            record->key[i].value = draw_below(draw, 2) ? draft_value(other, "t")
                                                       : draw_whole(draw, 2);
}

static void change_sequence(struct dice *draw, struct stream *stream, size_t at)
{
    struct draft *record = &stream->record[at], copy = *record;
    switch (draw_below(draw, 6)) {
    case 0:
        stream_remove(stream, at);
        break;
    case 1:
        stream_insert(stream, draw_below(draw, stream->n + 1), &copy);
        break;
    case 2:
        copy = stream->record[draw_below(draw, stream->n)];
        *record = copy;
        break;
    case 3:
        stream_end(stream);
        break;
    case 4:
        change_number(draw, stream, record);
        break;
    default:
        stream_insert(stream, at, &copy)->kind = "end";
        break;
    }
}

/* The end records count again what is there. */
static void count_again(struct stream *stream)
{
    size_t since = 0;
    for (size_t i = 0; i < stream->n; i++) {
        struct draft *record = &stream->record[i];
        since++;
        if (strcmp(record->kind, "end") != 0)
            continue;
        record->keys = record->columns = 0;
        draft_key(record, "rounds", memory_text("%zu", since - 1));
        since = 0;
    }
}

void change_stream(struct dice *draw, struct stream *stream)
{
    if (stream->n == 0)
        return;
    size_t at = draw_below(draw, stream->n);
    if (draw_one_in(draw, 4))
        change_sequence(draw, stream, at);
    else
        change_record(draw, &stream->record[at]);
    if (!draw_one_in(draw, 10))
        count_again(stream);
}

void change_bytes(struct dice *draw, struct bytes *bytes)
{
    if (bytes->n == 0)
        return;
    size_t at = draw_below(draw, bytes->n), n = 1 + draw_below(draw, 3);
    size_t how = draw_below(draw, 5), rest = bytes->n - at;
    if (how == 0) {
        bytes->n = at;
    } else if (how == 1) {
        n = n < rest ? n : rest;
        memmove(bytes->data + at, bytes->data + at + n, rest - n);
        bytes->n -= n;
    } else if (how == 2) {
        unsigned char *more = memory_take(bytes->n + n + 1);
        memcpy(more, bytes->data, at);
        for (size_t i = 0; i < n; i++)
            more[at + i] = (unsigned char)(draw_below(draw, 2) ? '0' + i : draw_bits(draw) & 255);
        memcpy(more + at + n, bytes->data + at, rest);
        *bytes = (struct bytes){ more, bytes->n + n };
    } else {
        for (size_t i = 0; i < n && at + i < bytes->n; i++)
            bytes->data[at + i] ^= (unsigned char)(how == 3 ? draw_bits(draw) & 255
                                                            : 1u << draw_below(draw, 8));
    }
}
