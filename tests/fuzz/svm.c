/* svm: a letter for svm2bin's options, then text. Text that makes rounds is written as text by
 * bin2txt, and that makes the same rounds again. */
#define svm2bin svm2bin_from_memory /* the program itself, whose reader is to be filled here */
#include "../../cmd/svm2bin.c"
#undef svm2bin

#include "target.h"

enum { TEXT_MOST = 1024, WIDE = 6 };

static struct record record;
static char *const no_files[] = { NULL };

/* The reader, with all of its text in its buffer and without a file. */
static void open_on(struct svm2bin_from_memory *my, struct chain *chain, const void *text, size_t n)
{
    struct lines *lines = &my->svm.lines;
    my->host = &chain->host;
    svm_open(&my->svm, no_files, &my->options, &chain->watch);
    char *buffer = buffer_for(&lines->buffer, n + 1, 1, &chain->fault);
    hold(buffer != NULL, "there is memory");
    memcpy(buffer, text, n);
    lines->until = n;
    lines->files = no_files;
    lines->name = "text";
}

/* All rounds of a text, as a stream after what `out` holds and, with `print`, as text too. Are
 * they as they should be to the end, and does the text hold them all? */
static bool deal(struct svm2bin_from_memory *my, struct chain *chain, struct writer *out,
                 bool print)
{
    struct round round;
    enum outcome step;
    bool held = true;
    round_open(&round, &record);
    while ((step = svm2bin_from_memory.each(my, &round)) == PASS && held) {
        held = writer_record(out, &record, &chain->fault) == 0;
        if (held && print) {
            hold(round_read(&round, &chain->fault) == 0, "what svm2bin deals is a round");
            held = loop.each(chain->self, &round) == DROP;
        }
    }
    round_close(&round);
    svm2bin_from_memory.close(my, CLEAN);
    if (step == FAIL || !held)
        hold_explained(&chain->fault);
    return step == DONE && held;
}

static struct svm_options choose(unsigned bits)
{
    return (struct svm_options){ .from_zero = bits & 1, .names = bits & 2, .scale = bits & 4,
                                 .unlabelled = bits & 8, .widths = bits & 16,
                                 .dim = bits & 16 ? WIDE : 0, .blank_ends = bits & 32,
                                 .skips = bits & 64 };
}

/* bin2txt counts from 1. Features that are scaled stay the same when they are scaled again; without
 * names, though, rounds keep fingerprints of what the features were before. */
static void deal_again(struct svm_options options, const struct chain *printed,
                       const struct writer *stream)
{
    struct svm2bin_from_memory my = { .options = options, .first = 1, .t = 1 };
    struct chain chain;
    struct writer again;
    my.options.from_zero = false;
    hold(chain_parse(&chain, "bin2txt -f svm") == 0, "bin2txt -f svm");
    open_paper(&again);
    open_on(&my, &chain, printed->out.buffer, printed->out.pending.held);
    bool whole = deal(&my, &chain, &again, false);
    if (!whole)
        fprintf(stderr, "%s\n", chain.fault.text);
    hold(whole, "text that bin2txt printed is read");
    hold((options.scale && !options.names) ||
         same_bytes(&again, stream->buffer, stream->pending.held),
         "it makes the same rounds again");
    writer_close(&again);
    chain_close(&chain);
}

/* Queries may repeat where a blank line ends them, and bad ones are skipped: reads all of
 * them. */
static void deal_on(struct svm2bin_from_memory *my, struct chain *chain)
{
    struct svm_query query;
    struct round round;
    struct matrix x;
    int got;
    round_open(&round, &record);
    while ((got = svm_next(&my->svm, &query, &chain->fault)) != 0) {
        if (got > 0 && svm_round(&my->svm, &query, 1, &round, &chain->fault) == 0)
            hold(round_read(&round, &chain->fault) == 0 &&
                 round_matrix(&round, &x, &chain->fault) == 0, "what svm2bin deals is a round");
        if (chain->fault.kind == FAULT_NONE)
            continue;
        hold_explained(&chain->fault);
        if (!my->options.skips || chain->fault.kind != FAULT_DATA)
            break;
        chain->fault = (struct fault){ FAULT_NONE, "" };
        hold(svm_skip(&my->svm, &chain->fault) == 0, "the query can be skipped");
    }
    round_close(&round);
    svm2bin_from_memory.close(my, CLEAN);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct svm2bin_from_memory my = { .first = 1, .t = 1 };
    struct chain chain;
    struct writer stream;
    if (n < 1 || n > TEXT_MOST)
        return 0;
    my.options = choose(*bytes);
    hold(chain_parse(&chain, "bin2txt -f svm") == 0, "bin2txt -f svm");
    open_paper(&stream);
    open_on(&my, &chain, bytes + 1, n - 1);
    if (my.options.blank_ends || my.options.skips)
        deal_on(&my, &chain);
    else if (deal(&my, &chain, &stream, true))
        deal_again(my.options, &chain, &stream);
    writer_close(&stream);
    chain_close(&chain);
    return 0;
}
