#include "loops.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "change.h"
#include "stage.h"

enum { PARTS_MOST = 6 };

struct parts {
    struct command part[PARTS_MOST];
    size_t n;
};

static struct command *add(struct parts *parts, const char *words)
{
    struct command *command = &parts->part[parts->n++];
    *command = (struct command){ .in = NULL };
    command_words(command, words);
    return command;
}

static const char *text_of(const struct parts *parts)
{
    char *text = memory_text("%s", "");
    for (size_t i = 0; i < parts->n; i++) {
        text = memory_text("%s%s", text, i ? " | " : "");
        for (size_t k = 0; k < parts->part[i].words; k++)
            text = memory_text("%s%s'%s'", text, k ? " " : "", parts->part[i].word[k]);
    }
    return text;
}

/* Score, explore, mask and update with a ring, or some of them without. */
static void draw_parts(struct dice *draw, struct parts *parts)
{
    const struct learner *learner = stage_learner(draw);
    struct way way = stage_way(draw, learner->name);
    size_t odd = draw_one_in(draw, 4) ? 8 : 0;
    bool ring = draw_below(draw, 3) > 0;
    add(parts, "replay -n 7 rounds");
    if (draw_one_in(draw, 5))
        command_word(add(parts, "features"), options_steps(draw));
    if (ring)
        add(parts, "score -f ring");
    struct command *shows = add(parts, memory_text("explore %s", way.explore ? way.explore : ""));
    if (draw_one_in(draw, 4))
        options_draw(draw, shows, &explore, odd);
    add(parts, memory_text("feedback-mask %s", way.mask ? way.mask : "-k all"));
    if (!ring && draw_below(draw, 2)) {
        add(parts, "bin2txt -f svm");
        return;
    }
    struct command *last = add(parts, memory_text("update %s", way.options));
    options_learner(draw, last, learner, odd);
    command_words(last, ring ? "-m model -f ring" : "-m model");
}

/* Starts the parts, joined by pipes; true if each of them exits 0. */
static bool run_parts(const struct parts *parts)
{
    int pid[PARTS_MOST], end[PARTS_MOST + 1][2], all[2 * PARTS_MOST + 4], n = 0;
    int err = open("err", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
    for (size_t i = 1; i < parts->n; i++) {
        if (pipe(end[i]) < 0)
            found("no pipe");
        all[n++] = end[i][0];
        all[n++] = end[i][1];
    }
    end[0][0] = open("/dev/null", O_RDONLY);
    end[parts->n][1] = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    all[n++] = end[0][0];
    all[n++] = end[parts->n][1];
    all[n++] = err;
    all[n] = -1;
    for (size_t i = 0; i < parts->n; i++)
        pid[i] = program_start(&parts->part[i], end[i][0], end[i + 1][1], err, all);
    for (int i = 0; i < n; i++)
        close(all[i]);
    bool good = true;
    for (size_t i = 0; i < parts->n; i++) {
        int status = 0;
        waitpid(pid[i], &status, 0);
        good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    return good;
}

static void compare_bytes(const struct bytes *one, const struct bytes *other, const char *what)
{
    if (one->n != other->n || memcmp(one->data, other->data, one->n) != 0)
        found("loop and the pipe differ in the %s", what);
}

void case_loop(struct dice *draw)
{
    struct parts parts = { .n = 0 };
    struct way way = { NULL, draw_one_in(draw, 6), NULL, NULL, "", true };
    draw_parts(draw, &parts);
    if (strstr(text_of(&parts), "'blocks'") || strstr(text_of(&parts), "'leader'"))
        way.items = true;
    struct stream rounds = stage_rounds(draw, &way);
    if (draw_one_in(draw, 4))
        change_stream(draw, &rounds);
    struct bytes bytes = stream_bytes(&rounds);
    file_put("rounds", bytes.data, bytes.n);
    struct command command = { .in = NULL };
    command_word(&command, "loop");
    command_word(&command, text_of(&parts));
    if (strstr(text_of(&parts), "random") || strstr(text_of(&parts), "1s"))
        command.timed = true;
    struct verdict whole = check_run(&command);
    struct bytes model = file_get("model");
    if (model.n)
        check_model(model);
    if (command.timed || !draw_one_in(draw, 4) || bytes.n > 20000)
        return;
    (void)unlink("model");
    if (mkfifo("ring", 0666) < 0)
        found("no FIFO");
    if (run_parts(&parts) != (whole.status == 0))
        found("loop exits %d, and the pipe does otherwise: %s", whole.status,
              (char *)file_get("err").data);
    if (whole.status)
        return;
    struct bytes out = file_get("out"), other = file_get("model");
    compare_bytes(&whole.out, &out, "output");
    compare_bytes(&model, &other, "model");
}
