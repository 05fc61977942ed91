/* The options of spool. */
#include "spool_options.h"

const struct option spool_options[] = {
    { 'a', NULL, NULL, "drop rounds up to the last one in the log (default: refuse them)" },
    { 'b', "first", NULL, "with -r: number of the first round to read (default 1)" },
    { 'c', "rounds", NULL, "finish a file after so many rounds, 1 or more (default 100000)" },
    { 'f', NULL, NULL, "with -r: wait for more rounds at the end (default: end there)" },
    { 'l', NULL, NULL, "print the number of the last round in the log, 0 if there is none" },
    { 'm', "model", NULL, "file of a model; with -r the rounds that it has learnt are skipped "
                          "(default: none)" },
    { 'n', "name", NULL, "name of the log (default rounds; with -r every log of the folder)" },
    { 'r', NULL, NULL, "read the rounds of the folders as one stream" },
    { 't', "seconds", NULL, "finish a file after so many seconds, 1 or more (default: no limit)" },
    { 'u', NULL, NULL, "drop rounds whose request is in the log, and number the others anew "
                       "(default: keep numbers)" },
    { 'y', NULL, NULL, "sync rounds to the disk before they are passed on (default: write them)" },
    { 0 },
};

const struct option spool_operand = {
    0, "folder", NULL, "folder of the log, which is made if it is missing; with -r one or more"
};
