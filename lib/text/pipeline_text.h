/* pipeline_text: the text of a pipeline, divided into commands and words as a shell does. */
#ifndef RANKPIPE_PIPELINE_TEXT_H
#define RANKPIPE_PIPELINE_TEXT_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"

struct pipeline_text { /* all zero at first */
    char ***command;  /* command[commands]: the words of each, ended by NULL */
    size_t commands;
    const char *from; /* the file after <, in the first command; NULL: none */
    const char *to;   /* the file after >, in the last command; NULL: none  */
    struct buffer commands_buffer, words_buffer, text_buffer;
};

/* Divides `text` by the rules of sh for words, '...', "..." and \. Bars separate commands. A #
 * where a word could begin starts a comment. A newline is ignored after a bar, before the first
 * word and after the last one. 0; or a usage fault for what only a shell can do: unquoted $ ` * ? [
 * ; & and the like, a second command without a bar, and redirections except one < in the first
 * command and one > in the last. All pointers are the struct's, until the next call. */
int pipeline_text_read(struct pipeline_text *pipeline, const char *text, struct fault *fault);
void pipeline_text_close(struct pipeline_text *pipeline);

#endif
