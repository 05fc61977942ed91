/* words: any text as a pipeline. One that is accepted reads the same with every word in quotes; and
 * the programs parse its words, which opens nothing. */
#include "target.h"
#include "text/pipeline_text.h"

enum { TEXT_MOST = 1024 };

/* 'word', and each ' of it as '\''. */
static void quote(struct writer *out, const char *word)
{
    struct fault fault = { FAULT_NONE, "" };
    int written = writer_bytes(out, "'", 1, &fault);
    for (; *word; word++)
        written |= *word == '\'' ? writer_bytes(out, "'\\''", 4, &fault)
                                 : writer_bytes(out, word, 1, &fault);
    written |= writer_bytes(out, "' ", 2, &fault);
    hold(written == 0, "there is room for the quoted text");
}

static void put(struct writer *out, const char *text)
{
    struct fault fault = { FAULT_NONE, "" };
    hold(writer_bytes(out, text, strlen(text), &fault) == 0, "there is room for the quoted text");
}

/* The words as text again, with its NUL. */
static void print(const struct pipeline_text *words, struct writer *out)
{
    struct fault fault = { FAULT_NONE, "" };
    if (words->from) {
        put(out, "<");
        quote(out, words->from);
    }
    for (size_t i = 0; i < words->commands; i++) {
        put(out, i ? "|" : "");
        for (char **word = words->command[i]; *word; word++)
            quote(out, *word);
    }
    if (words->to) {
        put(out, ">");
        quote(out, words->to);
    }
    hold(writer_bytes(out, "", 1, &fault) == 0, "there is room for the quoted text");
}

static void hold_quotable(const struct pipeline_text *words)
{
    struct fault fault = { FAULT_NONE, "" };
    struct pipeline_text again = { .command = NULL };
    struct writer first, second;
    open_paper(&first);
    open_paper(&second);
    print(words, &first);
    hold(pipeline_text_read(&again, (const char *)first.buffer, &fault) == 0,
         "quoted words are read");
    print(&again, &second);
    hold(same_bytes(&second, first.buffer, first.pending.held), "they are the same words");
    pipeline_text_close(&again);
    writer_close(&first);
    writer_close(&second);
}

static void parse(const char *text)
{
    struct chain chain;
    if (chain_parse(&chain, text) < 0)
        hold(chain.fault.kind != FAULT_NONE && chain.fault.text[0], "what is refused is told");
    chain_close(&chain);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct fault fault = { FAULT_NONE, "" };
    struct pipeline_text words = { .command = NULL };
    if (n > TEXT_MOST)
        return 0;
    char *text = malloc(n + 1); /* of its very length: a step too far is noticed */
    hold(text != NULL, "there is memory");
    memcpy(text, bytes, n);
    text[n] = '\0';
    if (pipeline_text_read(&words, text, &fault) == 0) {
        hold_quotable(&words);
        parse(text);
    } else {
        hold_explained(&fault);
    }
    pipeline_text_close(&words);
    free(text);
    return 0;
}
