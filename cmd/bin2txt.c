/* bin2txt: rounds and models as text, for people and for other tools. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "memory/memory_text.h"
#include "learn/weights.h"
#include "learn/why.h"
#include "learners/learners.h"
#include "run/filter.h"
#include "say.h"
#include "text/forms.h"

/* A form of text. `round` and `model` print one record: 0 or a fault, without a place. NULL: the
 * form is for records of the other kind. `end` prints what follows the last record; NULL: nothing
 * does. `input` does so at the end of each input, after a fault too. */
struct form {
    const char *name;
    int (*round)(struct printer *printer, const struct round *round, struct fault *fault);
    int (*model)(struct printer *printer, const struct record *model, struct fault *fault);
    int (*end)(struct printer *printer, struct fault *fault);
    int (*input)(struct printer *printer, const struct reader *reader, struct fault *fault);
};

/* The first form is the default. */
static const struct form forms[] = {
    { "svm", forms_svm, forms_values_model, NULL, NULL },
    { "rank", forms_rank, forms_values_model, NULL, NULL },
    { "run", forms_run, forms_values_model, NULL, NULL },
    { "qrels", forms_qrels, forms_values_model, NULL, NULL },
    { "log", forms_log, forms_values_model, forms_log_end, NULL },
    { "values", forms_values, forms_values_model, NULL, NULL },
    { "head", forms_head, forms_head_model, NULL, NULL },
    { "summary", forms_summary, NULL, forms_summary_end, NULL },
    { "scales", forms_scales, NULL, forms_scales_end, NULL },
    { "tsv", NULL, weights_tsv, NULL, NULL },
    { "memory", memory_text_round, memory_text_model, memory_text_end, NULL },
    { "boosts", memory_text_boosts_round, memory_text_boosts_model, NULL, NULL },
    { "why", why_round, NULL, NULL, NULL },
    { "check", forms_check, forms_check_model, forms_check_end, forms_check_input },
};
enum { FORMS = sizeof forms / sizeof *forms };

struct bin2txt {
    struct host *host;
    size_t form;             /* in the table */
    const char *names;       /* of features; NULL: none given */
    const char *map;         /* of numbers to qids; NULL: none */
    int map_fd;
    struct writer map_writer;
    const char *model;       /* of -f why; NULL: another form */
    struct why why;
    struct memory_text text; /* its printer is that of all forms */
};

static const char *form_name(size_t i)
{
    return i < FORMS ? forms[i].name : NULL;
}

static const struct option options_known[] = {
    { 'f', "form", form_name, "form of the text (default svm)", OPTION_WORD(bin2txt, form) },
    { 'q', "map", NULL, "file to write: with -f svm, the number that each query gets in the place "
                        "of its qid, and the qid (default: keep qids)", OPTION_TEXT(bin2txt, map) },
    { 'y', "names", NULL, "file of names of features, one a line, for the forms that print a line "
                          "for each (default: those of the model, or numbers)",
      OPTION_TEXT(bin2txt, names) },
    { 0 },
};

/* The message for a form that a script prints now. */
static int say_who(struct options *options)
{
    static const char *const gone[] = { "svm-light", "ranklib", "sofia", "es", "solr", "vespa" };
    const char *form = options->letter == 'f' ? options->value : NULL;
    for (size_t i = 0; form && i < sizeof gone / sizeof *gone; i++)
        if (strcmp(form, gone[i]) == 0) {
            options->fault->kind = FAULT_NONE;
            return fault_usage(options->fault, "-f %s left in 0.5.0: use rankpipe export %s", form,
                               form);
        }
    return OPTIONS_FAULT;
}

static int parse(void *self, struct options *options, struct host *host)
{
    struct bin2txt *my = self;
    int letter = options_read(options);
    my->host = host;
    my->map_fd = -1;
    if (letter == OPTIONS_FAULT)
        return say_who(options);
    if (letter == OPTIONS_END && my->map && my->form != 0)
        return fault_usage(options->fault, "-q needs -f svm: other forms take any qid");
    char *const *files = options_operands(options);
    if (letter == OPTIONS_END && forms[my->form].round == why_round) {
        my->model = *files;
        if (!*files || strcmp(*files, "-") == 0)
            return fault_usage(options->fault, "-f why needs the file of the model first, then "
                               "those of rounds with its scores");
        files++;
    }
    if (*files)
        host->files = files;
    return letter;
}

static int open_bin2txt(void *self)
{
    struct bin2txt *my = self;
    struct host *host = my->host;
    if (my->names && feature_names_read(&my->text.printer.feature_names, my->names, host->watch,
                                        host->fault) < 0)
        return -1;
    my->why.scoring.learners = learners;
    my->text.printer.why = &my->why;
    if (my->model && why_open(&my->why, my->model, &my->text.printer.feature_names, host->watch,
                              host->fault) < 0)
        return -1;
    if (!my->map)
        return 0;
    my->map_fd = watch_open(host->watch, my->map, O_WRONLY | O_CREAT | O_TRUNC, 0666, host->fault);
    if (my->map_fd < 0)
        return fault_system(host->fault, "cannot write %s", my->map);
    my->text.printer.map = &my->map_writer;
    return writer_open(&my->map_writer, my->map_fd, my->map, NULL, host->fault);
}

/* The form, which prints to where the program writes. */
static const struct form *form_of(struct bin2txt *my)
{
    my->text.printer.out = my->host->out;
    my->text.printer.learners = my->text.boosts.scoring.learners = learners;
    return &forms[my->form];
}

static int refuse(const struct bin2txt *my, const char *came, const char *prints)
{
    return fault_data(my->host->fault, "a %s, but -f %s prints only %s", came, forms[my->form].name,
                      prints);
}

static enum outcome each(void *self, struct round *round)
{
    struct bin2txt *my = self;
    const struct form *form = form_of(my);
    return form->round ? form->round(&my->text.printer, round, my->host->fault)
                       : refuse(my, "round", "models");
}

static enum outcome each_model(void *self, struct record *record)
{
    struct bin2txt *my = self;
    const struct form *form = form_of(my);
    struct fault *notice = &my->text.printer.notice;
    if (!form->model)
        return refuse(my, "model", "rounds");
    int result = form->model(&my->text.printer, record, my->host->fault);
    if (notice->kind != FAULT_NONE)
        warn(my->host, "bin2txt", "%s", notice->text);
    *notice = (struct fault){ FAULT_NONE, "" };
    return result < 0 ? FAIL : PASS;
}

static int end_input(void *self, const struct reader *reader)
{
    struct bin2txt *my = self;
    const struct form *form = form_of(my);
    return form->input ? form->input(&my->text.printer, reader, my->host->fault) : 0;
}

static int end_bin2txt(void *self)
{
    struct bin2txt *my = self;
    const struct form *form = form_of(my);
    if (my->map && writer_flush(&my->map_writer, my->host->fault) < 0) return -1;
    return form->end ? form->end(&my->text.printer, my->host->fault) : 0;
}

static int close_bin2txt(void *self, enum ended ended)
{
    struct bin2txt *my = self;
    int result = 0;
    if (my->map_fd >= 0) {
        if (ended != CLEAN) /* of what was printed */
            (void)writer_flush(&my->map_writer, my->host->fault);
        if (watch_close(my->map_fd) < 0)
            result = fault_system(my->host->fault, "cannot write %s", my->map);
        writer_close(&my->map_writer);
    }
    why_close(&my->why);
    memory_text_close(&my->text);
    return result;
}

const struct filter bin2txt = {
    .name = "bin2txt",
    .usage = "[-f form] [-q map] [-y names] [file ...]",
    .line = "prints rounds and models as text",
    .options = options_known,
    .operand = { .value = "file",
                 .text = "file of rounds or of a model; - is standard input, the default; with -f "
                         "why a model first" },
    .size = sizeof(struct bin2txt),
    .kind = SINK,
    .parse = parse,
    .open = open_bin2txt,
    .each = each,
    .model = each_model,
    .input = end_input,
    .end = end_bin2txt,
    .close = close_bin2txt,
};
