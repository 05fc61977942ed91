#include "text/svm_advice.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/text.h"

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

const struct svm_advice *svm_advice_find(const char *line, size_t n)
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

void svm_advice_add(const struct svm_advice *advice, const struct lines *lines,
                           struct fault *fault)
{
    struct fault more = { fault->kind, "" };
    uint64_t values, in;
    if (advice->counts && count(lines, &values, &in))
        snprintf(more.text, sizeof more.text, "%.300s: missing values: %" PRIu64 ", in lines: "
                 "%" PRIu64 ": %s", fault->text, values, in, advice->text);
    else
        snprintf(more.text, sizeof more.text, "%.300s: %s", fault->text, advice->text);
    *fault = more;
}
