/* weights: text to weights. What is read is written as text, and that makes the same weights
 * again. */
#include "learn/weights.h"
#include "learners/learners.h"
#include "model/model.h"

#include "target.h"

enum { TEXT_MOST = 1024, WIDE = 64 };

static char *const no_files[] = { NULL };

/* The weights of a text that is in memory, without a file; `weights` is to be closed. */
static int read_text(struct weights *weights, const void *text, size_t n, struct watch *watch,
                     struct fault *fault)
{
    struct lines *lines = &weights->lines;
    weights_open(weights, no_files, WIDE, watch);
    char *buffer = buffer_for(&lines->buffer, n + 1, 1, fault);
    hold(buffer != NULL, "there is memory");
    if (n)
        memcpy(buffer, text, n);
    lines->until = n;
    lines->files = no_files;
    lines->name = "text";
    return weights_read(weights, fault);
}

static bool same_weights(const struct weights *a, const struct weights *b)
{
    bool same = a->dim == b->dim;
    for (size_t j = 0; same && j < a->dim; j++)
        same = a->w[j] == b->w[j];
    return same;
}

static void write_and_read(const struct weights *weights, struct watch *watch)
{
    static struct model model;
    struct fault fault = { FAULT_NONE, "" };
    struct weights again;
    struct writer paper;
    struct printer printer = { .out = &paper, .learners = learners };
    open_paper(&paper);
    hold(model_start(&model, "fixed", 0, weights->dim, &fault) == 0 &&
         model_put_weights(&model, weights->w, &fault) == 0, "weights make a model");
    hold(weights_tsv(&printer, &model.record, &fault) == 0, "a model is printed");
    int got = read_text(&again, paper.buffer, paper.pending.held, watch, &fault);
    if (got < 0)
        fprintf(stderr, "%s\n", fault.text);
    hold(got == 0 && same_weights(weights, &again), "it makes the same weights again");
    weights_close(&again);
    writer_close(&paper);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct fault fault = { FAULT_NONE, "" };
    struct watch watch = WATCH_NOTHING;
    struct weights weights;
    if (n > TEXT_MOST)
        return 0;
    if (read_text(&weights, bytes, n, &watch, &fault) < 0) {
        hold_explained(&fault);
    } else {
        write_and_read(&weights, &watch);
    }
    weights_close(&weights);
    return 0;
}
