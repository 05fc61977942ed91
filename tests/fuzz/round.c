/* round: a letter for a chain of programs, then a stream of any bytes. Every record that is read is
 * written as it came; every round that is accepted goes through the chain, which looks at all of
 * it; and what comes out of the chain is a round too, and is written as it is read. */
#include "model/model.h"
#include "stream/round.h"
#include "target.h"

/* Every learner, measure and form, whatever the columns. -d: a hostile dim is not to cost time. */
static const char *const chains[] = {
    "explore -f -g 0.5 | feedback-mask -k 2",
    "explore -f -g 1 | feedback-mask -k all | update -a listnet -e 1 -d 64",
    "explore -f -p blocks -T 40 -k 2 | feedback-mask -k 2",
    "explore -f -p leader -T 40 -L 3",
    "feedback-mask -c informational -k 3",
    "metric -e 1 ndcg@2 dcg map p@3 prec@2 mrr err@4 auc pairloss sumloss",
    "metric -r -e 1 -D letor -G lin -z skip ndcg dcg@1 p@1 err",
    "metric -e 1 loss:squared loss:kl loss:smoothdcg loss:ranksvm loss:listnet",
    "metric -e 1 loss:slam@2 loss:slam-ap loss:minimax",
    "metric -e 1 regret:dcg@2 regret:sumloss regret:prec@1 regret:ndcg",
    "metric -e 1 regret:pairloss regret:auc",
    "bin2txt -f svm",
    "bin2txt -f rank",
    "bin2txt -f run",
    "bin2txt -f qrels",
    "bin2txt -f head",
    "update -X -a squared -e 0.1 -d 64",
    "update -X -a kl -e 0.1 -U 2 -d 64",
    "update -X -a smoothdcg -e 0.1 -E 0.5 -d 64",
    "update -X -a ranksvm -e 0.1 -d 64",
    "update -X -a slam -e 0.1 -k 3 -d 64",
    "update -X -a slam-ap -e 0.1 -d 64",
    "update -X -a minimax -d 64",
    "update -X -a solar1 -d 64",
    "update -X -a solar2 -d 64",
    "update -X -a prank -d 64",
    "update -X -a prank-pair -o -d 64",
    "update -X -a committee -N 3 -d 64",
    "update -X -a ftpl -d 64",
    "update -X -a ftpl -G ndcg -d 64",
    "metric -e 1 ips:dcg@2 snips:dcg ips:prec@1 snips:p@3 snips:sumloss",
    "metric -r -e 1 -G lin -D letor ips:dcg",
    "explore -f -p top -g 0.5 -k 2 | feedback-mask -k 2",
    "explore -f -p swap -g 0.9 -F 0.1 | feedback-mask",
    "explore -f -p plackett-luce -H 0.5 | feedback-mask -c navigational -k 2",
    "explore -f -p team-draft | feedback-mask -c perfect -k 3",
    "features log",
    "features rank",
    "features scale,log",
    "features log | features rank | features scale | bin2txt -f svm",
    "update -X -a ridge -d 64",
    "update -X -a ridge -p -C 10 -d 64",
    "update -X -a pdgd -e 0.1 -U 2 -d 64",
    "update -X -a dbgd -d 64",
    "score | explore -f -p top -g 0.5 -k 2 | feedback-mask -k 2 | update -a thompson -d 64",
    "score | explore -f | feedback-mask -k 2 | update -a linucb -S 2 -d 64",
    "score | explore -f -p team-draft | feedback-mask -c perfect | update -a dbgd -U 2 -d 64",
    "bin2txt -f summary",
    "features scale | bin2txt -f svm",
    "features rank,log,scale",
    "update -a ridge -x scale,log -d 64",
    "score | explore -f -g 0.5 | feedback-mask | update -a kl -e 0.1 -x rank -d 64",
    "metric -x plackett-luce,temperature=0.1 ips:dcg@2 snips:sumloss",
    "metric -x top,gamma=0.5,places=2 ips:dcg dr:p@3",
    "metric -x slot,places=2 snips:dcg@3",
    "score | explore -f | feedback-mask -c perfect | update -a pairrank -d 64",
    "score | explore -f -p subset -k 2 | feedback-mask | update -a exp3m -d 64",
};

static struct record record, again;

/* From '0' on, so that a seed's letter stays that of its chain as the table grows. */
static size_t find_chain(uint8_t letter)
{
    return (uint8_t)(letter - '0') % (sizeof chains / sizeof *chains);
}

/* A record as it is written, read again and written again: the same bytes each time. */
static void hold_readable(const struct record *from)
{
    struct fault fault = { FAULT_NONE, "" };
    struct writer out, twice;
    struct reader reader;
    struct round round;
    open_paper(&out);
    open_paper(&twice);
    if (writer_record(&out, from, &fault) == 0) {
        reader_open_bytes(&reader, out.buffer, out.pending.held, "paper");
        hold(reader_next(&reader, &again, &fault) == 1, "a record that was written is one");
        round_open(&round, &again);
        hold(round_read(&round, &fault) == 0, "what came out of the chain is a round");
        hold(writer_record(&twice, &again, &fault) == 0, "it is written again");
        hold(same_bytes(&twice, out.buffer, out.pending.held), "it is written as it is read");
        round_close(&round);
    }
    writer_close(&out);
    writer_close(&twice);
}

/* The record as it came is what the writer makes of it. */
static void hold_as_it_came(const struct reader *reader)
{
    struct fault fault = { FAULT_NONE, "" };
    struct writer out;
    open_paper(&out);
    hold(writer_record(&out, &record, &fault) == 0, "a record that was read is written");
    hold(same_bytes(&out, reader->bytes + reader->at, reader->from - reader->at),
         "it is written as it came");
    writer_close(&out);
}

static enum outcome take_model(struct chain *chain)
{
    struct model *model = malloc(sizeof *model);
    hold(model != NULL, "there is memory");
    model->record = record;
    int got = model_read(model, &chain->fault);
    free(model);
    return got < 0 ? FAIL : loop.model(chain->self, &record);
}

static enum outcome take_round(struct chain *chain, struct round *round)
{
    struct matrix x;
    char name[ROUND_NAME];
    if (round_read(round, &chain->fault) < 0)
        return FAIL;
    (void)round_name(round, name);
    if (round->docs > DOCS_MOST)
        return DONE;
    enum outcome step = loop.each(chain->self, round);
    if (step == PASS)
        hold_readable(&record);
    return step == FAIL ? FAIL : round_matrix(round, &x, &chain->fault) < 0 ? FAIL : step;
}

static enum outcome take_record(struct chain *chain, struct round *round,
                                const struct reader *reader)
{
    hold_as_it_came(reader);
    chain->out.pending.held = 0;
    return record.kind == RECORD_MODEL ? take_model(chain) : take_round(chain, round);
}

/* Most inputs fall here, and are not to cost a chain. */
static bool begins_with_a_record(const uint8_t *bytes, size_t n)
{
    struct fault fault = { FAULT_NONE, "" };
    struct reader reader;
    reader_open_bytes(&reader, bytes, n, "bytes");
    int got = reader_next(&reader, &record, &fault);
    if (got < 0)
        hold_explained(&fault);
    reader_close(&reader);
    return got > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct chain chain;
    struct reader reader;
    struct round round;
    enum outcome step = PASS;
    int got = 0;
    if (n < 1 || n > INPUT_MOST || !begins_with_a_record(bytes + 1, n - 1))
        return 0;
    hold(chain_parse(&chain, chains[find_chain(*bytes)]) == 0, "a chain");
    hold(loop.open(chain.self) == 0, "a chain opens");
    reader_open_bytes(&reader, bytes + 1, n - 1, "bytes");
    round_open(&round, &record);
    while (step != FAIL && step != DONE && (got = reader_next(&reader, &record, &chain.fault)) > 0)
        step = take_record(&chain, &round, &reader);
    if (step == FAIL || got < 0)
        hold_explained(&chain.fault);
    round_close(&round);
    reader_close(&reader);
    chain_close(&chain);
    return 0;
}
