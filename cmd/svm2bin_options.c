/* The options of svm2bin. */
#include "svm2bin_options.h"

const struct option svm2bin_options[] = {
    { '0', NULL, NULL, "indices in the text start at 0 (default: at 1)" },
    OPTION_PROGRESS,
    { 'b', "first", NULL, "number of the first round, 1 to 9007199254740991 (default 1)" },
    { 'c', NULL, NULL, "keep the documents' names, from the comments (default: skip comments)" },
    { 'd', "dim", NULL, "number of features, 0 to 2147483648; 0: a fixed list of items (default: "
                        "each query's largest index)" },
    { 'i', "i/n", NULL, "convert only the i-th of n shares of the file (default: all files)" },
    { 'k', NULL, NULL, "skip a query with an error, warn, and go on (default: stop there)" },
    { 'l', NULL, NULL, "a blank line ends a query, which is written at once (default: the next "
                       "query does)" },
    { 'n', NULL, NULL, "scale each feature to [0,1] within its query (default: leave values as "
                       "they are)" },
    { 'p', "bits", NULL, "store features as whole numbers of 8 or 16 bits, rounded (default: as "
                         "they are)" },
    { 'q', "counts", NULL, "file with the number of documents of each query, one a line (default: "
                           "the text has qids)" },
    { 't', NULL, NULL, "record when each query came, in milliseconds (default: do not)" },
    { 'u', NULL, NULL, "accept queries without labels (default: a missing label is an error)" },
    { 0 },
};

const struct option svm2bin_operand = {
    0, "file", NULL, "file of SVM-light text (default: standard input)"
};
