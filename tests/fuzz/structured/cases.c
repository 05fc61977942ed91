#include "cases.h"

#include <string.h>
#include <unistd.h>

#include "change.h"
#include "loops.h"
#include "serving.h"
#include "stage.h"

/* A command of words that spaces divide. */
static struct command command_of(const char *words, const char *in, const char *out)
{
    struct command command = { .in = in, .out = out };
    command_words(&command, words);
    return command;
}

static struct verdict run_words(const char *words, const char *in, const char *out)
{
    struct command command = command_of(words, in, out);
    return check_run(&command);
}

/* The stream after up to three changes, as the file `name`. */
static struct bytes put_changed(struct dice *draw, struct stream *stream, const char *name)
{
    static const size_t counts[] = { 0, 0, 1, 1, 1, 1, 2, 3 };
    for (size_t n = counts[draw_below(draw, 8)]; n > 0; n--)
        change_stream(draw, stream);
    struct bytes bytes = stream_bytes(stream);
    if (draw_one_in(draw, 8))
        change_bytes(draw, &bytes);
    file_put(name, bytes.data, bytes.n);
    return bytes;
}

/* Adds a model to the stream, or rounds of another kind. */
static void mix(struct dice *draw, struct stream *stream)
{
    struct way way = stage_any(draw);
    struct stream more = draw_below(draw, 2) ? stage_rounds(draw, &way)
                                             : stage_model(draw, stage_learner(draw));
    bool ends = draw_below(draw, 2);
    if (!ends && stream->n)
        stream_remove(stream, stream->n - 1);
    for (size_t i = 0; i + !ends < more.n; i++)
        stream_insert(stream, stream->n, &more.record[i]);
    if (!ends)
        stream_end(stream);
}

/* The header lines are printed of a stream if the second reader reads it, and only then. */
static void check_readers_agree(const char *name)
{
    struct stream stream;
    struct bytes bytes = file_get(name);
    const char *wrong = second_read(&stream, bytes.data, bytes.n, SECOND_PASSED);
    struct verdict head = run_words(memory_text("bin2txt -f head %s", name), NULL, "head");
    if (!head.status != !wrong)
        found("bin2txt exits %d, and the second reader says of the input: %s", head.status,
              wrong ? wrong : "right");
}

/* Cut after one of its records, and ended there, the input gives the beginning of the same
 * output. */
static void check_prefix(struct dice *draw, const struct command *whole,
                         const struct stream *in, const struct verdict *outcome)
{
    struct stream cut = { NULL, 0, 0 };
    struct command command = *whole;
    for (size_t i = draw_below(draw, in->n); i > 0; i--)
        if (strcmp(in->record[i - 1].kind, "end") != 0)
            stream_insert(&cut, 0, &in->record[i - 1]);
    stream_end(&cut);
    struct bytes bytes = stream_bytes(&cut);
    file_put("cut", bytes.data, bytes.n);
    command.in = "cut";
    command.out = "cut-out";
    struct verdict part = check_ok(&command);
    struct stream records = check_stream(part.out, SECOND_PASSED);
    records.n--;
    size_t n = stream_bytes(&records).n;
    if (n > outcome->out.n || memcmp(part.out.data, outcome->out.data, n) != 0)
        found("a part of the input does not give a part of the output");
}

/* A filter's run over "in": what it wrote is a stream, and what it read was one. */
static void run_filter(struct dice *draw, const struct command *command, enum second second,
                       bool prefixes)
{
    struct stream in;
    struct bytes bytes = file_get("in");
    struct verdict outcome = check_run(command);
    bool salvages = strcmp(command->word[0], "salvage") == 0;
    if (outcome.status && !(salvages && outcome.status == 3))
        return;
    check_stream(outcome.out, second);
    const char *wrong = second_read(&in, bytes.data, bytes.n, second);
    if (wrong && !salvages)
        found("this exits 0, and the second reader refuses the input: %s", wrong);
    if (!wrong && prefixes && !command->timed && draw_one_in(draw, 4))
        check_prefix(draw, command, &in, &outcome);
}

/* Rounds of that way, changed, in the file "in". */
static void put_way(struct dice *draw, struct way way)
{
    struct stream stream = stage_rounds(draw, &way);
    if (draw_one_in(draw, 10))
        mix(draw, &stream);
    put_changed(draw, &stream, "in");
    if (draw_one_in(draw, 3))
        check_readers_agree("in");
}

/* The same at a drawn place of a pipeline. */
static void put_rounds(struct dice *draw)
{
    put_way(draw, stage_any(draw));
}

static void case_filter(struct dice *draw)
{
    static const struct filter *const filters[] = { &explore, &feedback_mask, &salvage };
    const struct filter *filter = filters[draw_below(draw, 3)];
    struct command command = { .in = "in" };
    put_rounds(draw);
    command_word(&command, filter->name);
    options_draw(draw, &command, filter, 12);
    bool salvages = filter == &salvage;
    run_filter(draw, &command, salvages ? SECOND_SALVAGED : SECOND_PASSED, !salvages);
}

static void case_features(struct dice *draw)
{
    struct command command = { .in = "in" };
    put_rounds(draw);
    const char *steps = options_steps(draw);
    command_word(&command, "features");
    command_word(&command, steps);
    run_filter(draw, &command, SECOND_FEATURES, true);
}

static void case_score(struct dice *draw)
{
    struct command command = { .in = "in" };
    struct stream model = stage_model(draw, stage_learner(draw));
    if (model.n == 0)
        run_words("weights2bin -", NULL, "model");
    if (draw_one_in(draw, 3))
        put_rounds(draw);
    else {
        struct bytes base = file_get("base");
        struct stream rounds = check_stream(base, SECOND_FEATURES);
        put_changed(draw, &rounds, "in");
    }
    command_words(&command, "score -m model");
    options_draw(draw, &command, &score, 12);
    run_filter(draw, &command, SECOND_FEATURES, true);
}

static void case_metric(struct dice *draw)
{
    struct command command = { .in = "in" };
    struct way way = stage_any(draw);
    if (!draw_one_in(draw, 4))
        way.mask = NULL;
    if (!way.explore && !draw_one_in(draw, 8))
        way.explore = "-g 0.3";
    put_way(draw, way);
    command_word(&command, "metric");
    options_draw(draw, &command, &metric, 12);
    bool passes = draw_below(draw, 2);
    if (passes)
        command_words(&command, "-t table");
    for (size_t n = 1 + draw_below(draw, 3); n > 0; n--)
        command_word(&command, options_measure(draw));
    if (passes)
        run_filter(draw, &command, SECOND_PASSED, false);
    else
        (void)check_run(&command);
}

/* Tables of values, changed or not. */
static void case_compare(struct dice *draw)
{
    static const char *const tables[] = { "table", "table", "table", "changed", NULL };
    static const char *const others[] = { "in", "run", "table", "nosuch", NULL };
    struct command command = { 0 };
    struct way way = stage_any(draw);
    way.mask = NULL;
    way.explore = "";
    put_way(draw, way);
    (void)run_words("bin2txt -f run", "in", "run");
    struct verdict table = run_words(draw_below(draw, 2) ? "metric -q ndcg@10 map"
                                                         : "metric -i map ndcg@10", "in", "table");
    struct bytes bytes = table.out;
    change_bytes(draw, &bytes);
    file_put("changed", bytes.data, bytes.n);
    command_word(&command, "compare");
    options_draw(draw, &command, &compare, 8);
    for (size_t n = 1 + draw_below(draw, 3); n > 0; n--)
        command_word(&command, draw_word(draw, draw_one_in(draw, 12) ? others : tables));
    (void)check_run(&command);
}

static void case_join(struct dice *draw)
{
    struct command command = { .in = "in" };
    struct way way = stage_any(draw);
    way.mask = NULL;
    if (!way.explore)
        way.explore = "-g 0.5";
    struct stream rounds = stage_rounds(draw, &way);
    const char *answers = make_answers(draw, &rounds, draw_below(draw, 2) ? 8 : 0);
    file_put("answers", answers, strlen(answers));
    put_changed(draw, &rounds, "in");
    command_word(&command, "feedback-join");
    if (draw_one_in(draw, 3))
        options_draw(draw, &command, &feedback_join, 12);
    command_word(&command, "answers");
    run_filter(draw, &command, SECOND_PASSED, false);
}

static void case_bin2txt(struct dice *draw)
{
    static const char *const forms[] = { "svm", "rank", "run", "qrels", "log", "values", "head",
                                         "summary", "tsv", "memory", "check", "nosuch", NULL };
    struct command command = { .in = "in" };
    put_rounds(draw);
    command_words(&command, memory_text("bin2txt -f %s", draw_word(draw, forms)));
    (void)check_run(&command);
}

static void case_replay(struct dice *draw)
{
    struct command command = { .in = "in" };
    put_rounds(draw);
    command_word(&command, "replay");
    options_draw(draw, &command, &replay, 12);
    bool endless = false; /* draws without a last number do not end */
    for (size_t i = 0; i < command.words; i++)
        endless = endless || strncmp(command.word[i], "-z", 2) == 0;
    if (endless)
        command_words(&command, "-n 20");
    command_words(&command, draw_below(draw, 3) ? "in" : draw_below(draw, 2) ? "-" : "in base");
    run_filter(draw, &command, SECOND_PASSED, false);
}

/* Rounds with clicks, printed as a log, changed, and read again; and what judge says of them. */
static void case_log(struct dice *draw)
{
    static const char *const inputs[] = { "in", "logged", "counts", NULL };
    struct command read = { .in = "base", .out = "logged" }, judges = { .out = "judged" };
    struct way way = stage_any(draw);
    if (!way.explore)
        way.explore = "-g 0.5";
    if (!way.mask)
        way.mask = "-k 3";
    put_way(draw, way);
    struct verdict printed = run_words("bin2txt -f log", "in", "log");
    if (printed.status == 0 && draw_one_in(draw, 3)) {
        struct bytes bytes = printed.out;
        change_bytes(draw, &bytes);
        file_put("log", bytes.data, bytes.n);
    }
    (void)run_words("bin2txt -f run", "in", "run");
    command_word(&read, "log2bin");
    options_draw(draw, &read, &log2bin, 6);
    command_words(&read, draw_below(draw, 2) ? "-0 log" : "log");
    struct verdict logged = check_run(&read);
    if (logged.status == 0)
        check_stream(logged.out, SECOND_ALL);
    (void)run_words("judge -c", "in", "counts");
    judges.in = draw_word(draw, inputs);
    command_words(&judges, "judge -e table");
    options_draw(draw, &judges, &judge, 6);
    if (draw_one_in(draw, 3))
        command_word(&judges, "counts");
    struct verdict judged = check_run(&judges);
    if (judged.status == 0 && !strstr(command_text(&judges), " -c"))
        check_stream(judged.out, SECOND_ALL);
}

static void case_spool(struct dice *draw)
{
    struct command command = { .in = "in" };
    put_rounds(draw);
    command_word(&command, "spool");
    options_draw(draw, &command, &spool, 12);
    command_word(&command, "folder");
    run_filter(draw, &command, SECOND_PASSED, false);
    command.in = draw_below(draw, 2) ? "base" : "in";
    (void)check_run(&command);
}

/* The text that svm2bin read: printed and read again, it is the same. */
static void check_text(const char *name)
{
    struct verdict text = run_words("bin2txt -f svm", name, "text-2");
    if (text.status && !strstr(text.err, "qid"))
        found("what svm2bin wrote is not printed");
    if (text.status || text.out.n == 0)
        return;
    struct command read = command_of("svm2bin -u text-2", NULL, "again");
    (void)check_ok(&read);
    struct verdict again = run_words("bin2txt -f svm", "again", "text-3");
    if (again.out.n != text.out.n || memcmp(again.out.data, text.out.data, text.out.n) != 0)
        found("the text is not printed as it was read");
}

static void case_text(struct dice *draw)
{
    struct command command = { .in = "text" };
    const char *text = make_svm(draw, draw_below(draw, 2) ? 12 : 0);
    struct bytes bytes = { (unsigned char *)memory_text("%s", text), strlen(text) };
    if (draw_one_in(draw, 4))
        change_bytes(draw, &bytes);
    file_put("text", bytes.data, bytes.n);
    command_word(&command, "svm2bin");
    options_draw(draw, &command, &svm2bin, 12);
    struct verdict outcome = check_run(&command);
    if (outcome.status)
        return;
    check_stream(outcome.out, SECOND_ALL);
    check_text("out");
}

static void case_weights(struct dice *draw)
{
    struct command command = { .in = "text", .out = "model" };
    const char *text = make_weights(draw, draw_below(draw, 2) ? 10 : 0);
    struct bytes bytes = { (unsigned char *)memory_text("%s", text), strlen(text) };
    if (draw_one_in(draw, 4))
        change_bytes(draw, &bytes);
    file_put("text", bytes.data, bytes.n);
    command_word(&command, "weights2bin");
    options_draw(draw, &command, &weights2bin, 12);
    if (check_run(&command).status)
        return;
    check_model(file_get("model"));
    static const char print[] = "bin2txt -f tsv";
    struct verdict first = run_words(print, "model", "text-2");
    if (first.status || run_words("weights2bin", "text-2", "model-2").status)
        return; /* all weights are 0, say */
    struct verdict second = run_words(print, "model-2", "text-3");
    if (second.status || strcmp((char *)second.out.data, (char *)first.out.data) != 0)
        found("weights are not printed as they were read");
}

static void case_synth(struct dice *draw)
{
    struct command command = { .in = NULL };
    size_t n = 0;
    while (synth.operand.words(n))
        n++;
    command_word(&command, "synth");
    command_words(&command, "-n 20");
    if (draw_below(draw, 2))
        command_words(&command, "-l 9 -d 5");
    options_draw(draw, &command, &synth, 12);
    command_word(&command, synth.operand.words(draw_below(draw, n)));
    struct verdict outcome = check_run(&command);
    if (outcome.status == 0)
        check_stream(outcome.out, SECOND_ALL);
}

/* A model file that was changed, or is whole: whatever uses it comes back. */
static void use_model(struct dice *draw, const struct command *learn, const char *model)
{
    static const char *const forms[] = { "svm", "head", "summary", "tsv", "memory", NULL };
    struct command resume = *learn;
    struct verdict scored = run_words(memory_text("score -m %s", model), "base", "scored");
    if (scored.status == 0)
        check_stream(scored.out, SECOND_FEATURES);
    (void)run_words(memory_text("bin2txt -f %s %s", draw_word(draw, forms), model), NULL, "print");
    command_words(&resume, memory_text("-m %s", model));
    if (check_run(&resume).status == 0)
        check_model(file_get(model));
}

/* The model that was saved is used, and goes on; then a changed copy of it is. */
static void follow_model(struct dice *draw, const struct command *learn, struct bytes saved)
{
    struct stream model = check_model(saved);
    struct command print = command_of("bin2txt -f head model", NULL, "head");
    (void)check_ok(&print);
    use_model(draw, learn, "model");
    for (size_t n = 1 + draw_below(draw, 2); n > 0; n--)
        change_record(draw, &model.record[0]);
    struct bytes bytes = stream_bytes(&model);
    if (draw_one_in(draw, 10))
        change_bytes(draw, &bytes);
    file_put("changed", bytes.data, bytes.n);
    use_model(draw, learn, "changed");
    if (draw_one_in(draw, 4)) {
        struct command add = command_of("add-models", NULL, "sum");
        command_words(&add, draw_below(draw, 2) ? "changed model" : "model changed");
        if (check_run(&add).status == 0)
            check_model(file_get("sum"));
    }
    if (draw_one_in(draw, 8)) {
        struct command other = { .in = learn->in };
        command_word(&other, "update");
        options_learner(draw, &other, stage_learner(draw), 0);
        command_words(&other, "-m model");
        if (check_run(&other).status == 0)
            check_model(file_get("model"));
    }
}

static void case_update(struct dice *draw)
{
    const struct learner *learner = stage_learner(draw);
    struct way way = stage_way(draw, learner->name);
    struct stream rounds = stage_rounds(draw, &way);
    struct command command = { .in = "in" };
    if (draw_one_in(draw, 20))
        mix(draw, &rounds);
    if (draw_below(draw, 2))
        put_changed(draw, &rounds, "in");
    else {
        struct bytes bytes = stream_bytes(&rounds);
        file_put("in", bytes.data, bytes.n);
    }
    command_word(&command, "update");
    command_words(&command, way.options);
    options_learner(draw, &command, learner, draw_below(draw, 2) ? 6 : 0);
    struct command first = command;
    command_words(&first, draw_one_in(draw, 4) ? "-m model -c 1" : "-m model");
    struct verdict outcome = check_run(&first);
    struct bytes saved = file_get("model");
    check_digest(saved.data, saved.n);
    if (outcome.status == 0 && saved.n == 0)
        found("update exits 0 and saves no model");
    if (saved.n)
        follow_model(draw, &command, saved);
}

static void case_processes(struct dice *draw)
{
    if (draw_one_in(draw, 5))
        case_serve(draw);
    else
        case_loop(draw);
}

uint64_t case_run(uint64_t seed, uint64_t number)
{
    static void (*const kinds[])(struct dice *) = {
        case_filter, case_filter, case_filter, case_features, case_score, case_score, case_metric,
        case_compare, case_join, case_log, case_bin2txt, case_replay, case_spool, case_text, case_text,
        case_weights, case_synth, case_update, case_update, case_update, case_update, case_update, case_update,
        case_processes,
    };
    struct dice draw = draw_start(seed, number);
    checks.timed = checks.wide = false;
    checks.digest = 0xcbf29ce484222325u;
    kinds[draw_below(&draw, sizeof kinds / sizeof *kinds)](&draw);
    return checks.timed ? 0 : checks.digest;
}
