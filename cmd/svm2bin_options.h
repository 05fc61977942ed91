/* svm2bin_options: what svm2bin takes on its command line, for parsing, usage and completion. */
#ifndef RANKPIPE_SVM2BIN_OPTIONS_H
#define RANKPIPE_SVM2BIN_OPTIONS_H

#include "run/options.h"

extern const struct option svm2bin_options[], svm2bin_operand; /* svm2bin_options ends with 0 */

#endif
