/* answerer: turns the text of a request into the text of its answer, by the round that a pipeline
 * of filters makes of it. */
#ifndef RANKPIPE_ANSWERER_H
#define RANKPIPE_ANSWERER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "run/chain.h"
#include "stream/round.h"
#include "stream/writer.h"
#include "text/forms.h"
#include "text/svm.h"

struct answerer { /* all zero at first, except what the caller sets */
    struct chain *chain;  /* the caller's: filters that pass rounds on */
    struct round *round;  /* likewise: for the round at hand           */
    struct svm_options options; /* from_zero, widths, dim and most     */
    uint64_t next;        /* the number of the next round              */

    struct svm svm;
    struct writer answer; /* in memory: the last answer */
    struct printer printer;
    bool named;           /* the last round has a request, so it is to be stored */
    bool explored;        /* the order of the last round was drawn at random */
};

/* 0 or a fault; answerer_close comes next in either case. */
int answerer_open(struct answerer *my, struct fault *fault);

/* Answers a request of n bytes, svm2bin's text with its blank line, which came at `stamp`. The
 * answer is left in my->answer: the lines of bin2txt -f rank, or a line that starts with "!" and
 * says what is wrong with the request, and a blank line. A last line ANSWERER_UNSTORED says that
 * the request was not stored, if a part of the chain took its name away. `fault` is the one that
 * the filters of the chain were given. 1; 0 where the request is wrong; or a fault of the pipeline,
 * after which there is no answer, and can be none. */
int answerer_answer(struct answerer *my, const char *text, size_t n, uint64_t stamp,
                    struct fault *fault);

#define ANSWERER_UNSTORED "#\tnot stored\n"

/* Leaves in my->answer a line with "!" and this text, and a blank line. 0 or a fault. */
int answerer_refuse(struct answerer *my, const char *why, struct fault *fault);

void answerer_close(struct answerer *my);

#endif
