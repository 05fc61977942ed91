/* pipeline_text: the text of a pipeline, taken apart as a shell would. */
#ifndef RANKPIPE_PIPELINE_TEXT_H
#define RANKPIPE_PIPELINE_TEXT_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"

struct pipeline_text { /* all zero at first */
    char ***command;  /* command[commands]: the words of each, ended by NULL */
    size_t commands;
    const char *from; /* the file behind <, in the first command; NULL: none */
    const char *to;   /* the file behind >, in the last; NULL: none          */
    struct buffer commands_buffer, words_buffer, text_buffer;
};

/* Words, '...', "..." and \ as in sh; bars between commands; # and what follows is a comment where
 * a word could begin; a newline behind a bar, before the first word and after the last is nothing.
 * What only a shell can do is a usage fault that names it: $ ` * ? [ ; & and the like unquoted, a
 * second command that no bar joins, redirections but for one < in front and one > at the back. */
int pipeline_text_read(struct pipeline_text *words, const char *text, struct fault *fault);
void pipeline_text_close(struct pipeline_text *words);

#endif
