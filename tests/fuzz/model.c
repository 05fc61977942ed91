/* model: a model file of any bytes. One that is accepted scores; its learner takes it up where it
 * can, saves it, takes that up again, and learns from it; and what is saved twice is the same. */
#include <math.h>

#include "learn/learner_model.h"
#include "learn/learner_step.h"
#include "learn/scoring.h"
#include "learners/learners.h"
#include "model/model_file.h"
#include "target.h"

/* A hostile dim or size is not to cost time. */
enum { WEIGHTS_MOST = 64, MEMBERS_MOST = 100, GRADES_MOST = 100 };

static struct model model, saved;

/* Rounds of three documents: a fixed list, and two features each. */
static const char rounds[] =
    "rankpipe/1 round t=1 qid=a docs=3 dim=0 cols=label:f4[3] bytes=12\n"
    "\0\0\200\77\0\0\0\0\0\0\0\100"
    "rankpipe/1 round t=2 qid=a docs=3 dim=2 cols=label:f4[3],x:f4[6] bytes=36\n"
    "\0\0\200\77\0\0\0\0\0\0\0\100\0\0\200\77\0\0\0\100\0\0\0\0\0\0\200\277\0\0\0\77\0\0\200\77"
    "rankpipe/1 end rounds=2 bytes=0\n";

/* The next of them, in `record`; false after the last. */
static bool next_round(struct reader *reader, struct record *record, struct round *round)
{
    struct fault fault = { FAULT_NONE, "" };
    int got = reader_next(reader, record, &fault);
    hold(got == 0 || (got > 0 && round_read(round, &fault) == 0), "the rounds made here are good");
    return got > 0;
}

static void score_all(struct scoring *scoring, struct record *record)
{
    struct reader reader;
    struct round round;
    round_open(&round, record);
    reader_open_bytes(&reader, rounds, sizeof rounds - 1, "rounds");
    while (next_round(&reader, record, &round)) {
        struct fault fault = { FAULT_NONE, "" }, line = { FAULT_NONE, "" };
        if (scoring_round(scoring, &round, ROUND_SCORE, &line, &fault) < 0)
            hold_explained(&fault);
        for (size_t i = 0; fault.kind == FAULT_NONE && i < round.docs; i++)
            hold(isfinite(round.score[i]), "scores are finite");
    }
    round_close(&round);
}

/* The settings that update would have to be given to go on with the model, as its command line
 * takes them; false where it does not. */
static bool find_settings(const struct learner *learner, struct settings *settings)
{
    memset(settings, 0, sizeof *settings);
    for (size_t i = 0; i < SETTINGS; i++) {
        const struct setting *setting = &settings_known[i];
        const char *text = i == SETTING_HORIZON ? NULL : record_key(&model.record, setting->name);
        if (!text || !strchr(learner->letters, setting->letter))
            continue;
        struct fault fault = { FAULT_NONE, "" };
        if (settings_set(settings, (enum setting_number)i, setting->name, text, &fault) < 0)
            return false;
    }
    return settings->value[SETTING_MEMBERS] <= MEMBERS_MOST &&
           settings->value[SETTING_TOP_GRADE] <= GRADES_MOST;
}

/* The state as a model file, in `out`; read again into `saved`, whose bytes are the writer's. */
static void save(struct state *state, struct writer *out, struct reader *reader)
{
    struct fault fault = { FAULT_NONE, "" };
    hold(learner_save(state, &saved, &fault) == 0 &&
             writer_record(out, &saved.record, &fault) == 0, "what was taken up is saved");
    reader_open_bytes(reader, out->buffer, out->pending.held, "saved");
    hold(reader_next(reader, &saved.record, &fault) == 1 && model_read(&saved, &fault) == 0,
         "what was saved is a model");
}

static void learn_all(struct state *state, struct record *record)
{
    struct fault fault = { FAULT_NONE, "" };
    struct reader reader;
    struct round round;
    int learnt = 0;
    round_open(&round, record);
    reader_open_bytes(&reader, rounds, sizeof rounds - 1, "rounds");
    while (learnt == 0 && next_round(&reader, record, &round))
        learnt = learner_learn(state, &round, &fault);
    if (learnt < 0)
        hold_explained(&fault);
    else
        hold(learner_check(state, &fault) == 0, "what was learnt is finite");
    round_close(&round);
}

/* Saved, taken up from that, saved again: the same file. Then it goes on learning. */
static void go_on(struct state *state, const struct settings *settings)
{
    struct fault fault = { FAULT_NONE, "" };
    struct state twin = { .learner = NULL };
    struct writer first, second;
    struct reader reader, ignored;
    open_paper(&first);
    open_paper(&second);
    save(state, &first, &reader);
    hold(learner_start(&twin, state->learner, settings, WEIGHTS_MOST, &fault) == 0 &&
             learner_load(&twin, &saved, &fault) == 0, "what was saved is taken up");
    save(&twin, &second, &ignored);
    hold(same_bytes(&second, first.buffer, first.pending.held), "it is saved as it was");
    learn_all(&twin, &saved.record);
    writer_close(&first);
    writer_close(&second);
    learner_close(&twin);
}

static void take_up(void)
{
    struct fault fault = { FAULT_NONE, "" };
    struct settings settings;
    struct state state = { .learner = NULL };
    const struct learner *learner = learner_find(model.learner);
    if (!learner || !find_settings(learner, &settings))
        return;
    if (learner_start(&state, learner, &settings, WEIGHTS_MOST, &fault) == 0 &&
        learner_load(&state, &model, &fault) == 0)
        go_on(&state, &settings);
    else
        hold_explained(&fault);
    learner_close(&state);
}

/* As score -m takes it, or from the ring. */
static void score_by_it(bool ring)
{
    struct fault fault = { FAULT_NONE, "" };
    struct scoring scoring = { .learners = learners, .ring = ring };
    if (scoring_take(&scoring, &model, &fault) == 0)
        score_all(&scoring, &saved.record);
    else
        hold_explained(&fault);
    scoring_close(&scoring);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct fault fault = { FAULT_NONE, "" };
    struct reader reader;
    if (n > INPUT_MOST)
        return 0;
    reader_open_bytes(&reader, bytes, n, "bytes");
    bool good = reader_next(&reader, &model.record, &fault) > 0 &&
                model.record.kind == RECORD_MODEL && model_read(&model, &fault) == 0;
    if (!good && fault.kind != FAULT_NONE)
        hold_explained(&fault);
    if (good) {
        score_by_it(false);
        score_by_it(true);
        take_up();
    }
    reader_close(&reader);
    return 0;
}
