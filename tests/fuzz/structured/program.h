/* program: runs the programs in this process, as a shell would, in a folder of files. */
#ifndef RANKPIPE_STRUCTURED_PROGRAM_H
#define RANKPIPE_STRUCTURED_PROGRAM_H

#include "draft.h"

enum { WORDS_MOST = 40 };

/* A command: its words, ended by NULL, and the files of its standard streams. */
struct command {
    const char *word[WORDS_MOST + 1];
    size_t words;
    const char *in, *out; /* NULL: an empty file, and the file "out"                       */
    bool timed;           /* what it prints depends on the clock or on the system's secrets */
};

/* What came of it. */
struct verdict {
    int status;
    struct bytes out;      /* its standard output                       */
    const char *err;       /* its standard error                        */
    double seconds;        /* of the processor                          */
    size_t read, written;  /* bytes of all files before it and after it */
};

void command_word(struct command *command, const char *word);
void command_words(struct command *command, const char *words); /* divided by spaces */
const char *command_text(const struct command *command);        /* as a shell reads it */

/* Files of the folder that this process works in. */
void file_put(const char *name, const void *bytes, size_t n);
struct bytes file_get(const char *name); /* no bytes where it does not exist */
size_t files_size(void);                 /* bytes of all files, in folders too */
void files_remove(void);

/* Runs a command here. */
struct verdict program_run(const struct command *command);

/* The same in a process of its own: its process number. The standard streams are these
 * descriptors, and their copies `others` are closed in it. */
int program_start(const struct command *command, int in, int out, int err, const int *others);

#endif
