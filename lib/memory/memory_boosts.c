#include "memory/memory_boosts.h"

#include <stdlib.h>
#include <string.h>

#include "memory/memory_view.h"
#include "text/print.h"

static void drop(struct memory_boosts *boosts)
{
    scoring_close(&boosts->scoring);
    boosts->scoring = (struct scoring){ .learners = boosts->scoring.learners };
    free(boosts->model);
    boosts->model = NULL;
}

void memory_boosts_close(struct memory_boosts *boosts)
{
    drop(boosts);
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

int memory_boosts_model(struct memory_boosts *boosts, const struct record *record,
                        struct fault *fault)
{
    drop(boosts);
    struct model *model = boosts->model = malloc(sizeof *model);
    if (!model)
        return fault_no_room(fault, sizeof *model);
    model->record = *record;
    if (copy_columns(boosts, &model->record, fault) < 0 || model_read(model, fault) < 0) return -1;
    if (strcmp(model->learner, "memory") != 0)
        return fault_data(fault, "the model is of the learner %.40s: only the learner memory "
                          "remembers documents", model->learner);
    return scoring_take(&boosts->scoring, model, fault);
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

int memory_boosts_round(struct memory_boosts *boosts, struct printer *printer,
                        const struct round *round, struct fault *fault)
{
    struct scoring *scoring = &boosts->scoring;
    struct print print;
    if (!boosts->model)
        return fault_data(fault, "no model comes before the round: name the file of a memory model "
                          "first");
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
