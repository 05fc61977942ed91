/* svm2bin: SVM-light text to rounds. */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/system.h"
#include "base/text.h"
#include "feature/feature_names.h"
#include "io/lines.h"
#include "run/filter.h"
#include "say.h"
#include "text/svm.h"

/* What to do about a line that is nearly SVM-light text: a command that makes it so. */

struct svm_advice;

/* A line, or what comes before its comment: line[0..end-1]. */
struct part {
    const char *at, *end;
};

struct svm_advice {
    bool (*fits)(struct part line);
    const char *text;
    bool counts; /* of missing values, which are counted in the file */
};

/* ---- words ---- */

/* The next word of the line, which it no longer has; false: there is none. */
static bool next_word(struct part *line, struct part *word)
{
    while (line->at < line->end && text_is_blank(*line->at))
        line->at++;
    word->at = line->at;
    while (line->at < line->end && !text_is_blank(*line->at))
        line->at++;
    word->end = line->at;
    return word->at < word->end;
}

static bool begins(struct part word, const char *start)
{
    size_t n = strlen(start);
    return (size_t)(word.end - word.at) >= n && strncasecmp(word.at, start, n) == 0;
}

static bool word_is(struct part word, const char *text)
{
    return (size_t)(word.end - word.at) == strlen(text) && begins(word, text);
}

/* Where the value of the feature begins: after its index and ":"; NULL: the word is no feature. */
static const char *value_of(struct part word)
{
    const char *p = word.at;
    while (p < word.end && *p >= '0' && *p <= '9')
        p++;
    return p > word.at && p < word.end && *p == ':' ? p + 1 : NULL;
}

static bool has(struct part line, const char *text)
{
    size_t n = strlen(text);
    for (; (size_t)(line.end - line.at) >= n; line.at++)
        if (memcmp(line.at, text, n) == 0)
            return true;
    return false;
}

/* ---- what lines may be ---- */

/* Is it a feature whose value says that there is none? */
static bool is_missing(struct part word)
{
    static const char *const names[] = { "", "null", "nan", "na", "none", "inf", "infinity", "?" };
    const char *value = value_of(word);
    if (!value)
        return false;
    struct part rest = { value, word.end };
    rest.at += rest.at < rest.end && (*rest.at == '+' || *rest.at == '-');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (word_is(rest, names[i]))
            return true;
    return false;
}

static uint64_t missing_of(struct part line)
{
    struct part word;
    uint64_t n = 0;
    while (next_word(&line, &word) && *word.at != '#')
        n += is_missing(word);
    return n;
}

static bool has_missing(struct part line)
{
    return missing_of(line) > 0;
}

static bool has_cr(struct part line)
{
    return has(line, "\r");
}

static bool has_hard_space(struct part line)
{
    return has(line, "\xc2\xa0");
}

/* qid=7, QID:7 or "qid: 7", but not "qid: 1:0.5" */
static bool has_odd_qid(struct part line)
{
    struct part word, next;
    while (next_word(&line, &word)) {
        if (!begins(word, "qid:") && !begins(word, "qid="))
            continue;
        if (word.end - word.at > 4)
            return strncmp(word.at, "qid:", 4) != 0;
        return next_word(&line, &next) && !has(next, ":");
    }
    return false;
}

/* qid:red tv 1:0.5 */
static bool has_blank_qid(struct part line)
{
    struct part word, next;
    while (next_word(&line, &word))
        if (begins(word, "qid:") && word.end - word.at > 4)
            return next_word(&line, &next) && !has(next, ":");
    return false;
}

static bool has_late_qid(struct part line)
{
    struct part word;
    for (size_t n = 0; next_word(&line, &word); n++)
        if (n > 1 && begins(word, "qid:"))
            return true;
    return false;
}

static bool has_loose_colon(struct part line)
{
    struct part word;
    while (next_word(&line, &word))
        if (*word.at == ':')
            return true;
    return false;
}

/* Features that do not rise. */
static bool has_disorder(struct part line)
{
    struct part word;
    uint64_t before = 0, index;
    for (bool any = false; next_word(&line, &word);) {
        if (!value_of(word))
            continue;
        index = 0;
        for (const char *p = word.at; *p != ':' && index < UINT32_MAX; p++)
            index = 10 * index + (uint64_t)(*p - '0');
        if (any && index <= before)
            return true;
        before = index;
        any = true;
    }
    return false;
}

/* 1:0,5 or "1:0.5, 2:1" */
static bool has_comma(struct part line)
{
    struct part word;
    while (next_word(&line, &word))
        if (value_of(word) && has(word, ","))
            return true;
    return false;
}

static bool is_json(struct part line)
{
    struct part word;
    return next_word(&line, &word) && (*word.at == '{' || *word.at == '[');
}

static bool has_colon(struct part line)
{
    return has(line, ":");
}

static bool is_table_of(struct part line, const char *separator)
{
    return !has_colon(line) && has(line, separator);
}

static bool is_csv(struct part line)
{
    return is_table_of(line, ",");
}

static bool is_semicolons(struct part line)
{
    return is_table_of(line, ";");
}

static bool is_dense(struct part line)
{
    struct part word;
    size_t words = 0;
    while (!has_colon(line) && next_word(&line, &word))
        words++;
    return words > 2;
}

static bool has_semicolon(struct part line)
{
    return has(line, ";");
}

/* A feature that has a name in place of a number. */
static bool has_named(struct part line)
{
    struct part word;
    (void)next_word(&line, &word);
    while (next_word(&line, &word))
        if (has(word, ":") && !value_of(word) && !begins(word, "qid:"))
            return true;
    return false;
}

static bool has_word_first(struct part line)
{
    struct part word;
    return next_word(&line, &word) && !has(word, ":") && !has(word, ",") && !has(word, ";") &&
           ((*word.at >= 'A' && *word.at <= 'Z') || (*word.at >= 'a' && *word.at <= 'z'));
}

/* A feature whose value begins with a letter. */
static bool has_text_value(struct part line)
{
    struct part word;
    while (next_word(&line, &word) && *word.at != '#') {
        const char *value = value_of(word);
        if (value && value < word.end && ((*value | 32) >= 'a' && (*value | 32) <= 'z'))
            return true;
    }
    return false;
}

static bool is_signed(struct part line)
{
    struct part word;
    return next_word(&line, &word) && word_is(word, "-1");
}

/* ---- advice ---- */

/* For features that do not rise, or come twice. */
#define IN_ORDER \
    "perl -lne 'my $c = s/\\s*(#.*)// ? $1 : \"\"; my ($y, $q, @x) = split; my %v = " \
    "map { /^(\\d+):(.*)/ } @x; print join \" \", $y, $q, (map { \"$_:$v{$_}\" } " \
    "sort { $a <=> $b } keys %v), $c'"

#define TO_TEXT(F) \
    "a table? for columns label, query, features, run awk " F "'$1 + 0 == $1 { printf " \
    "\"%s qid:%s\", $1, $2; for (i = 3; i <= NF; i++) printf \" %d:%s\", i - 2, $i; print \"\" }'"

/* The first one that fits counts. */
static const struct svm_advice advices[] = {
    { has_missing, "to drop them, so that they count as 0, run sed -E ':a; s/([[:blank:]][0-9]+:)"
                   "([-+]?(null|nan|na|none|inf(inity)?|[?])?)([[:space:]]|$)/\\5/I; ta' (to set "
                   "them to X, write /\\1X\\5/ for /\\5/)", true },
    { has_cr, "if lines end with CR alone, run tr '\\r' '\\n'", false },
    { has_hard_space, "it has no-break spaces: run sed 's/\\xc2\\xa0/ /g'", false },
    { is_json, "JSON? write LABEL qid:QUERY 1:VALUE 2:VALUE ... for each document", false },
    { has_odd_qid, "for qid:NAME, run sed -E 's/qid[:=][[:blank:]]*([^[:blank:]:]+)"
                   "([[:blank:]]|$)/qid:\\1\\2/I'", false },
    { has_late_qid, "the qid follows the label: run sed -E 's/^([^[:blank:]]+)([^#]*)[[:blank:]]"
                    "(qid:[^[:blank:]]+)/\\1 \\3\\2/'", false },
    { has_loose_colon, "for index:value without blanks, run sed -E 's/([0-9])[[:blank:]]*:"
                       "[[:blank:]]*/\\1:/g'", false },
    { has_comma, "for decimal points, and no commas after words, run sed -E "
                 "'s/,([[:space:]]|$)/\\1/g; s/([0-9]),([0-9])/\\1.\\2/g'", false },
    { has_disorder, "to sort features, of which the last of each index stays, run " IN_ORDER,
      false },
    { is_csv, TO_TEXT("-F , "), false },
    { is_semicolons, TO_TEXT("-F ';' "), false },
    { is_dense, TO_TEXT(""), false },
    { has_semicolon, "for blanks between words, run sed 's/;/ /g'", false },
    { has_blank_qid, "a qid is one word: for %20 in place of its blanks, run sed -E ':a; "
                     "s/^([^#]*qid:[^ #:]*) +([^ :#]+)( |$)/\\1%20\\2\\3/; ta', and give "
                     "svm2bin -Q", false },
    { has_named, "features are numbered from 1: give each name one number, the same in all lines",
      false },
    { has_text_value, "values are numbers: give each text a feature of its own, with the value 1",
      false },
    { has_word_first, "a label is a number from 0, the document's grade of relevance", false },
    { is_signed, "for labels 0 and 1, run sed 's/^-1/0/'", false },
};

/* The advice for a line of n bytes that was refused; NULL: there is none. */
static const struct svm_advice *svm_advice_find(const char *line, size_t n)
{
    const char *comment = memchr(line, '#', n);
    const struct part part = { line, comment ? comment : line + n };
    if (text_not(line, n))
        return NULL; /* the fault says what to do */
    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
        if (advices[i].fits(part))
            return &advices[i];
    return NULL;
}

/* Counts the missing values of the file, and the lines that have some. False: it cannot be read
 * again. */
static bool count(const struct lines *lines, uint64_t *values, uint64_t *in)
{
    struct stat is;
    const size_t most = (size_t)1 << 30;
    if (lines->fd < 0 || fstat(lines->fd, &is) < 0 || !S_ISREG(is.st_mode) || is.st_size == 0)
        return false;
    size_t bytes = (uintmax_t)is.st_size > most ? most : (size_t)is.st_size;
    char *text = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, lines->fd, 0);
    if (text == MAP_FAILED)
        return false;
    *values = *in = 0;
    for (const char *at = text, *end = text + bytes; at < end;) {
        const char *lf = memchr(at, '\n', (size_t)(end - at));
        struct part line = { at, lf ? lf : end };
        at = line.end + 1;
        line.end -= line.end > line.at && line.end[-1] == '\r';
        uint64_t n = missing_of(line);
        *values += n;
        *in += n > 0;
    }
    munmap(text, bytes);
    return true;
}

enum { MANY = 1000 }; /* documents of a query, without a qid */

struct svm2bin {
    struct host *host;
    struct svm_options options;
    char *const *files;
    bool times; /* rounds record when they came */
    bool nameless;
    uint64_t dim;
    struct svm svm;
    struct svm_share share;   /* of the one file; shares 0: all of all files */
    uint64_t first, t; /* the number of the first round; of the next one */
    uint64_t skipped;  /* queries with an error */
    const char *names_path;
    struct feature_names names;
    const struct svm_advice *advice; /* that was given last */
};

static const struct option options_known[] = {
    { '0', NULL, NULL, "indices in the text start at 0 (default: at 1)",
      OPTION_FLAG(svm2bin, options.from_zero) },
    { 'C', NULL, NULL, "drop the documents' names (default: keep those of a query where each line "
                       "has one in its comment, and no two are equal)",
      OPTION_FLAG(svm2bin, nameless) },
    OPTION_PROGRESS,
    { 'Q', NULL, NULL, "qids have %XX already, as in rounds (default: % is a byte as others are)",
      OPTION_FLAG(svm2bin, options.coded) },
    { 'b', "first", NULL, "number of the first round, 1 to 9007199254740991 (default 1)",
      OPTION_WHOLE(svm2bin, first, 1, RECORD_MOST - 1) },
    { 'd', "dim", NULL, "number of features, 0 to 2147483648; 0: a fixed list of items (default: "
                        "each query's largest index)", OPTION_WHOLE(svm2bin, dim, 0, ROUND_DIM) },
    { 'e', NULL, NULL, "the lines of a query are in the engine's order, first to last (default: in "
                       "none)", OPTION_FLAG(svm2bin, options.ranked) },
    { 'i', "i/n", NULL, "convert only the i-th of n shares of the file (default: all files)",
      OPTION_OWN },
    { 'k', NULL, NULL, "skip a query with an error, warn, and go on (default: stop there)",
      OPTION_FLAG(svm2bin, options.skips) },
    { 'l', NULL, NULL, "a blank line ends a query, which is written at once (default: the next "
                       "query does)", OPTION_FLAG(svm2bin, options.blank_ends) },
    { 'n', NULL, NULL, "scale each feature to [0,1] within its query (default: leave values as "
                       "they are)", OPTION_FLAG(svm2bin, options.scale) },
    { 't', NULL, NULL, "record when each query came, in milliseconds (default: do not)",
      OPTION_FLAG(svm2bin, times) },
    { 'u', NULL, NULL, "accept queries without labels (default: a missing label is an error)",
      OPTION_FLAG(svm2bin, options.unlabelled) },
    { 'y', "names", NULL, "file of names of features, one a line, by which rounds can be compared "
                          "with models (default: features have numbers)",
      OPTION_TEXT(svm2bin, names_path) },
    { 0 },
};

static int parse(void *self, struct options *options, struct host *host)
{
    struct svm2bin *my = self;
    int letter;
    my->host = host;
    my->first = 1;
    while ((letter = options_next(options)) > 0)
        if (letter == 'i' && options_share(options, &my->share.number, &my->share.shares) < 0)
            return -1;
    if (letter < 0)
        return letter;
    my->options.names = my->options.whole_names = !my->nameless;
    my->options.widths = options->given['d'];
    my->options.dim = (size_t)my->dim;
    my->share.coded = my->options.coded;
    my->files = options_operands(options);
    my->t = my->first;

    char *const *files = my->files;
    if (!my->share.shares)
        return 0;
    if (my->options.blank_ends)
        return fault_usage(options->fault, "-i and -l exclude each other: -i divides the text by "
                           "its qids");
    return *files && !files[1] && strcmp(*files, "-") != 0
               ? 0 : fault_usage(options->fault, "-i divides one file: name it");
}

static int open_text(void *self)
{
    struct svm2bin *my = self;
    if (!*my->files && isatty(STDIN_FILENO))
        return fault_usage(my->host->fault, "no file named, and standard input is a terminal");
    struct svm_share *share = &my->share;
    if (share->shares && svm_share_find(share, *my->files, my->host->watch, my->host->fault) < 0)
        return -1;
    if (my->names_path && feature_names_read(&my->names, my->names_path, my->host->watch,
                                             my->host->fault) < 0)
        return -1;
    svm_open(&my->svm, my->files, &my->options, my->host->watch);
    if (share->shares)
        lines_part(&my->svm.lines, share->from, share->to);
    return 0;
}

/* Text without qids is one query. That may be meant, but not where it is long. */
static void check_qid(struct svm2bin *my, const struct svm_query *query)
{
    if (query->qid || my->options.blank_ends || query->docs <= MANY)
        return;
    warn(my->host, "svm2bin", "%s: no line has a qid, so all %zu documents are one query: write "
         "qid:NAME after each label; svm2bin(1) has a command for a file of their sizes",
         my->svm.lines.name, query->docs);
}

/* Says in a round which names its features have. */
static int add_names(struct svm2bin *my, struct round *round)
{
    if (!my->names_path)
        return 0;
    if (round->dim > my->names.features)
        return fault_data(my->host->fault, "%s: line %" PRIu64 ": the query that ends here has %zu "
                          "features, but %s has names of %zu", my->svm.lines.name,
                          lines_number(&my->svm.lines), round->dim,
                          my->names_path, my->names.features);
    return round_set_text(round, KEY_NAMED, my->names.sum, my->host->fault);
}

/* Reads the next query into a round: 1, 0 at the end of the text, or a fault. */
static int read_query(struct svm2bin *my, struct round *round)
{
    struct svm_query query;
    struct fault *fault = my->host->fault;
    int found = svm_next(&my->svm, &query, fault);
    if (found <= 0)
        return found;
    if (my->t == RECORD_MOST)
        return fault_other(fault, "%s: no number is left for another round: use a smaller -b",
                           my->svm.lines.name);
    check_qid(my, &query);
    if (svm_round(&my->svm, &query, my->t, round, fault) < 0 || add_names(my, round) < 0 ||
        (my->times && round_set(round, KEY_TIME, moment_stamp(), fault) < 0))
        return -1;
    return 1;
}

/* After a fault in a query, with -k: warns, and skips the query. 0 or a fault. */
static int skip(struct svm2bin *my)
{
    struct fault *fault = my->host->fault, why = *fault;
    if (!my->options.skips || fault->kind != FAULT_DATA) return -1;
    *fault = (struct fault){ FAULT_NONE, "" };
    if (my->skipped++ < WARNINGS)
        warn(my->host, "svm2bin", "%s", why.text);
    return svm_skip(&my->svm, fault);
}

static enum outcome each(void *self, struct round *round)
{
    struct svm2bin *my = self;
    int found;
    while ((found = read_query(my, round)) < 0) {
        /* What to do about a fault in a line, where that was not said before. */
        const struct lines *lines = &my->svm.lines;
        struct fault *fault = my->host->fault;
        const struct svm_advice *advice =
            fault->kind == FAULT_DATA ? svm_advice_find(lines->text, lines->bytes) : NULL;
        if (advice && advice != my->advice) {
            struct fault more = { fault->kind, "" };
            uint64_t values, in;
            if (advice->counts && count(lines, &values, &in))
                snprintf(more.text, sizeof more.text, "%.300s: missing values: %" PRIu64
                         ", in lines: %" PRIu64 ": %s", fault->text, values, in, advice->text);
            else
                snprintf(more.text, sizeof more.text, "%.300s: %s", fault->text, advice->text);
            *fault = more;
        }
        my->advice = advice ? advice : my->advice;

        if (skip(my) < 0) return FAIL;
    }
    if (found == 0) {
        uint64_t rounds = my->t - my->first;
        if (my->svm.equal)
            warn(my->host, "svm2bin", "queries whose names are left out, because two documents "
                 "have the same: %" PRIu64, my->svm.equal);
        if (my->svm.renamed)
            warn(my->host, "svm2bin", "comments docid:851 and doc_id: 851 name document 851: "
                 "models of memory that learnt docid:851 do not know it");
        if (rounds == 0 && my->skipped == 0 && my->share.shares)
            return DONE;
        if (rounds == 0 && my->skipped == 0)
            return fault_data(my->host->fault, "%s: the text has no documents", my->svm.lines.name);
        if (rounds == 0)
            return fault_data(my->host->fault, "%s: each of the %" PRIu64 " queries has an error",
                              my->svm.lines.name, my->skipped);
        if (my->skipped)
            warn(my->host, "svm2bin", "skipped %" PRIu64 " of %" PRIu64 " queries", my->skipped,
                 my->skipped + rounds);
        return DONE;
    }
    my->t++;
    record_want_crc(round->record);
    return PASS;
}

static int close_text(void *self, enum ended ended)
{
    struct svm2bin *my = self;
    (void)ended;
    if (my->svm.lines.watch)
        svm_close(&my->svm);
    feature_names_close(&my->names);
    return 0;
}

const struct filter svm2bin = {
    .name = "svm2bin",
    .usage = "[-0CPQeklntu] [-b first] [-d dim] [-i i/n] [-y names] [file ...]",
    .line = "converts SVM-light text to rounds",
    .options = options_known,
    .operand = { .value = "file", .text = "file of SVM-light text (default: standard input)" },
    .size = sizeof(struct svm2bin),
    .kind = SOURCE,
    .parse = parse,
    .open = open_text,
    .each = each,
    .close = close_text,
};
