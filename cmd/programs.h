/* programs: the one table of programs, seen by main alone. */
#ifndef RANKPIPE_PROGRAMS_H
#define RANKPIPE_PROGRAMS_H

#include "filter.h"

extern const struct filter svm2bin, bin2txt, replay, synth, score, explore, feedback_mask, update,
    metric;

#endif
