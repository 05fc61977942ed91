#include "memory/memory_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/unaligned.h"
#include "learn/settings.h"
#include "memory/memory_tables.h"
#include "model/model.h"
#include "text/print.h"

static struct memory_text *of_printer(struct printer *printer)
{
    return (struct memory_text *)printer; /* its first member */
}

static void print_entry(struct print *print, uint64_t key, double n, double sum)
{
    print_whole(print, key);
    print_byte(print, '\t');
    print_double(print, n);
    print_byte(print, '\t');
    print_double(print, sum);
}

int memory_text_end(struct printer *printer, struct fault *fault)
{
    struct memory_text *text = of_printer(printer);
    const struct memory_arrays *arrays = &text->arrays;
    struct print print;
    if (text->named)
        return 0;
    print_start(&print, printer->out, fault);
    for (size_t i = 0; i < arrays->count && print.failed == 0; i++) {
        print_entry(&print, unaligned_u8(arrays->key + 8 * i), unaligned_f8(arrays->n + 8 * i),
                    unaligned_f8(arrays->sum + 8 * i));
        print_byte(&print, '\n');
    }
    return print_end(&print);
}

/* The model's record is the reader's, and gone when a round comes. */
static int copy(struct memory_text *text, const struct memory_arrays *from, struct fault *fault)
{
    size_t bytes = 8 * from->count;
    unsigned char *at = buffer_for(&text->copy, from->count, 24, fault);
    if (!at) return -1;
    if (bytes) {
        memcpy(at, from->key, bytes);
        memcpy(at + bytes, from->n, bytes);
        memcpy(at + 2 * bytes, from->sum, bytes);
    }
    text->arrays = (struct memory_arrays){ at, at + bytes, at + 2 * bytes, NULL, from->count };
    return 0;
}

static int check_learner(const struct model *model, struct fault *fault)
{
    return strcmp(model->learner, "memory") == 0
               ? 0 : fault_data(fault, "the model is of the learner %.40s: only the learner memory "
                                "remembers documents", model->learner);
}

static int keep(struct memory_text *text, const struct model *model, struct fault *fault)
{
    struct settings settings;
    struct memory_arrays arrays;
    if (check_learner(model, fault) < 0 ||
        memory_tables_find(model, MEMORY_PAIRS, &arrays, fault) < 0 ||
        settings_load(&settings, model, fault) < 0)
        return -1;
    if (!settings.set[SETTING_SEED])
        return fault_data(fault, "model: memory needs seed=");
    text->secret = memory_secret(&settings);
    if (memory_keys_load(&text->ways, model, fault) < 0) return -1;
    if (!text->ways && model->rounds)
        text->ways = MEMORY_ROWS;
    text->taken = true;
    text->named = false;
    return copy(text, &arrays, fault);
}

int memory_text_model(struct printer *printer, const struct record *record, struct fault *fault)
{
    struct memory_text *text = of_printer(printer);
    struct model *model = malloc(sizeof *model);
    if (!model)
        return fault_no_room(fault, sizeof *model);
    model->record = *record;
    int result = memory_text_end(printer, fault) < 0 || model_read(model, fault) < 0
                     ? -1 : keep(text, model, fault);
    free(model);
    return result;
}

static void print_document(struct print *print, const struct printer *printer,
                           const struct round *round, size_t i, const struct memory_entry *entry)
{
    print_entry(print, entry->key, entry->n, entry->sum);
    print_byte(print, '\t');
    print_word(print, round->qid);
    print_byte(print, '\t');
    if (printer->name)
        print_word(print, printer->name[i]);
    else
        print_whole(print, i);
    print_byte(print, '\n');
}

static bool knows_key(const void *kept, uint64_t key)
{
    struct memory_entry entry;
    const struct memory_text *text = kept;
    return memory_arrays_find(&text->arrays, key, &entry);
}

static int no_model(struct fault *fault)
{
    return fault_data(fault, "no model comes before the round: name the file of a memory model "
                      "first");
}

int memory_text_round(struct printer *printer, const struct round *round, struct fault *fault)
{
    struct memory_text *text = of_printer(printer);
    struct memory_entry entry;
    struct print print;
    unsigned way;
    if (!text->taken)
        return no_model(fault);
    text->named = true;
    if (forms_names(printer, round, fault) < 0 ||
        memory_keys_start(&text->keys, round, text->secret, text->ways, knows_key, text, &way,
                          fault) < 0)
        return -1;
    print_start(&print, printer->out, fault);
    for (size_t i = 0; i < round->docs && print.failed == 0; i++)
        if (memory_arrays_find(&text->arrays, memory_keys_of(&text->keys, i), &entry))
            print_document(&print, printer, round, i, &entry);
    return print_end(&print);
}

/* ---- boosts ---- */

static void drop_model(struct memory_boosts *boosts)
{
    scoring_close(&boosts->scoring);
    boosts->scoring = (struct scoring){ .learners = boosts->scoring.learners };
    free(boosts->model);
    boosts->model = NULL;
}

static void close_boosts(struct memory_boosts *boosts)
{
    drop_model(boosts);
    buffer_free(&boosts->columns);
}

/* The reader's payload is gone when a round comes. */
static int copy_columns(struct memory_boosts *boosts, struct record *record, struct fault *fault)
{
    size_t bytes = 0;
    for (size_t c = 0; c < record->columns; c++)
        bytes += column_bytes(&record->column[c]);
    unsigned char *at = buffer_for(&boosts->columns, bytes, 1, fault);
    for (size_t c = 0; at && c < record->columns; c++) {
        size_t n = column_bytes(&record->column[c]);
        if (n)
            memcpy(at, record->column[c].data, n);
        record->column[c].data = at;
        at += n;
    }
    return at ? 0 : -1;
}

int memory_text_boosts_model(struct printer *printer, const struct record *record,
                             struct fault *fault)
{
    struct memory_boosts *boosts = &of_printer(printer)->boosts;
    drop_model(boosts);
    struct model *model = boosts->model = malloc(sizeof *model);
    if (!model)
        return fault_no_room(fault, sizeof *model);
    model->record = *record;
    if (copy_columns(boosts, &model->record, fault) < 0 || model_read(model, fault) < 0 ||
        check_learner(model, fault) < 0)
        return -1;
    if (scoring_take(&boosts->scoring, model, fault) < 0) return -1;
    if (origin_has_base(&boosts->scoring.origin))
        (void)fault_other(&printer->notice, "the boosts are without the weight of the base, as the "
                          "weights that rankpipe export prints for engines: the engine ranks by "
                          "other weights and boosts, not as score does");
    ((struct memory_view *)boosts->scoring.own)->rule.unbound = true;
    return 0;
}

static void print_boosts(struct print *print, const struct printer *printer,
                         const struct round *round, const struct memory_known *known,
                         const double *s)
{
    for (size_t i = 0; i < round->docs && print->failed == 0; i++) {
        if (s[i] == known[i].expected)
            continue;
        print_word(print, round->qid);
        print_byte(print, '\t');
        print_word(print, printer->name[i]);
        print_byte(print, '\t');
        print_double(print, s[i] - known[i].expected);
        print_byte(print, '\n');
    }
}

int memory_text_boosts_round(struct printer *printer, const struct round *round,
                             struct fault *fault)
{
    struct memory_boosts *boosts = &of_printer(printer)->boosts;
    struct scoring *scoring = &boosts->scoring;
    struct print print;
    if (!boosts->model)
        return no_model(fault);
    if (forms_names(printer, round, fault) < 0) return -1;
    if (!printer->name)
        return fault_data(fault, "its documents have no names, by which an engine could know them: "
                          "write them in comments (svm2bin(1))");
    if (forms_check_names(printer, round, fault) < 0 ||
        scoring_round(scoring, (struct round *)round, ROUND_SCORE, NULL, fault) < 0)
        return -1;
    const struct memory_view *view = scoring->own;
    print_start(&print, printer->out, fault);
    print_boosts(&print, printer, round, view->known.at, round->score);
    return print_end(&print);
}

void memory_text_close(struct memory_text *text)
{
    forms_close(&text->printer);
    buffer_free(&text->copy);
    memory_keys_close(&text->keys);
    close_boosts(&text->boosts);
}
