/* sites: where a C source can be changed by a small mistake, and how.
 *
 *     sites FILE            lists the mutants: number, line, operator, change, text of the line
 *     sites FILE NUMBER     prints the file with that one mutant in it
 *
 * Only statements of functions are changed: no comment, string, preprocessor line, declaration of a
 * type, constant table or size of an array. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { WORD, NUMBER, QUOTED, PUNCT };

struct token {
    enum kind kind;
    size_t at, length;
    int line;
    int partner; /* of a bracket: its other end, or -1 */
    bool live;   /* may be changed */
    bool start;  /* begins a statement */
};

static char *text;
static size_t size;
static struct token tokens[200000];
static int count, chosen = -1, listed;

static bool is(int i, const char *word)
{
    return i >= 0 && i < count && tokens[i].length == strlen(word) &&
           memcmp(text + tokens[i].at, word, tokens[i].length) == 0;
}

static bool is_any(int i, const char *const *words)
{
    for (; *words; words++)
        if (is(i, *words))
            return true;
    return false;
}

static bool letter(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether a token names a type, or begins a declaration. */
static bool type_word(int i)
{
    static const char *const words[] = { "const",  "unsigned", "signed", "char",   "short",
                                         "int",    "long",     "float",  "double", "struct",
                                         "union",  "enum",     "void",   "FILE",   "bool",
                                         "static", "DIR",      "extern", NULL };
    if (i < 0 || i >= count || tokens[i].kind != WORD)
        return false;
    const struct token *t = &tokens[i];
    const char *end = text + t->at + t->length;
    return is_any(i, words) || (t->length > 2 && memcmp(end - 2, "_t", 2) == 0);
}

static bool keyword(int i)
{
    static const char *const words[] = { "return", "sizeof", "case", "else",   "if",
                                         "while",  "for",    "do",   "goto",   "switch",
                                         "default", "break", "continue", NULL };
    return is_any(i, words);
}

/* Whether a token ends an operand, so that an operator after it takes two. */
static bool operand(int i)
{
    if (i < 0)
        return false;
    if (tokens[i].kind == PUNCT)
        return is(i, ")") || is(i, "]");
    return !keyword(i) && !type_word(i) && !is(i - 1, "struct");
}

/* The length of the comment, the preprocessor line or the white space at a place, or 0. */
static size_t skipped(size_t at)
{
    size_t end = at;
    if (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\\')
        return 1;
    if (text[at] == '/' && text[at + 1] == '*')
        return (size_t)(strstr(text + at + 2, "*/") - (text + at)) + 2;
    if ((text[at] == '/' && text[at + 1] == '/') || text[at] == '#') {
        while (text[end] && (text[end] != '\n' || text[end - 1] == '\\'))
            end++;
        return end - at;
    }
    return 0;
}

static size_t quoted(size_t at)
{
    size_t end = at + 1;
    while (text[end] && text[end] != text[at])
        end += text[end] == '\\' ? 2 : 1;
    return end + 1 - at;
}

static size_t numeral(size_t at)
{
    size_t end = at;
    bool hex = text[at] == '0' && (text[at + 1] | 32) == 'x';
    while (letter(text[end]) || digit(text[end]) || text[end] == '.' ||
           ((text[end] == '-' || text[end] == '+') && !hex && (text[end - 1] | 32) == 'e') ||
           ((text[end] == '-' || text[end] == '+') && hex && (text[end - 1] | 32) == 'p'))
        end++;
    return end - at;
}

static size_t punctuation(size_t at)
{
    static const char *const long_ones[] = { "<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
                                             "<=",  ">=",  "==",  "!=", "&&", "||", "+=", "-=",
                                             "*=",  "/=",  "%=",  "&=", "|=", "^=", NULL };
    for (const char *const *p = long_ones; *p; p++)
        if (strncmp(text + at, *p, strlen(*p)) == 0)
            return strlen(*p);
    return 1;
}

static void split(void)
{
    int line = 1;
    size_t length;
    for (size_t at = 0; at < size; at += length) {
        char c = text[at];
        length = skipped(at);
        if (length == 0) {
            struct token *t = &tokens[count++];
            *t = (struct token){ .at = at, .line = line, .partner = -1 };
            t->kind = letter(c) ? WORD
                      : digit(c) || (c == '.' && digit(text[at + 1])) ? NUMBER
                      : c == '"' || c == '\'' ? QUOTED
                                              : PUNCT;
            if (t->kind == WORD)
                while (letter(text[at + length]) || digit(text[at + length]))
                    length++;
            else
                length = t->kind == NUMBER   ? numeral(at)
                         : t->kind == QUOTED ? quoted(at)
                                             : punctuation(at);
            t->length = length;
        }
        for (size_t i = at; i < at + length; i++)
            line += text[i] == '\n';
    }
}

static void pair_brackets(void)
{
    static int open[1000];
    int depth = 0;
    for (int i = 0; i < count; i++) {
        if (is(i, "(") || is(i, "[") || is(i, "{"))
            open[depth++] = i;
        else if ((is(i, ")") || is(i, "]") || is(i, "}")) && depth > 0) {
            tokens[i].partner = open[--depth];
            tokens[open[depth]].partner = i;
        }
    }
}

/* Whether a ")" ends the head of an if, a loop or a switch. */
static bool ends_head(int i)
{
    static const char *const heads[] = { "if", "while", "for", "switch", NULL };
    return is(i, ")") && tokens[i].partner > 0 && is_any(tokens[i].partner - 1, heads);
}

static bool ends_label(int i)
{
    if (!is(i, ":"))
        return false;
    for (int j = i - 1; j > 0 && j > i - 8; j--)
        if (is(j, "case") || is(j, "default"))
            return true;
        else if (is(j, ";") || is(j, "?"))
            return false;
    return false;
}

/* The end of the statement that begins at a token: its ";". */
static int statement_end(int i)
{
    while (i < count && !is(i, ";"))
        i = tokens[i].partner > i ? tokens[i].partner + 1 : i + 1;
    return i;
}

static void kill_range(int from, int to)
{
    for (int i = from; i <= to && i < count; i++)
        tokens[i].live = false;
}

/* Declarations: nothing of constant tables and types, no sizes of arrays. */
static void pass_declaration(int i)
{
    int end = statement_end(i);
    bool value = false;
    if (is(i, "static") || is(i, "enum") || is(i, "typedef")) {
        kill_range(i, end);
        return;
    }
    for (int j = i; j < end; j++) {
        value = is(j, "=") || (value && !is(j, ","));
        if (!value && is(j, "["))
            kill_range(j, tokens[j].partner);
        if (tokens[j].partner > j)
            j = tokens[j].partner;
    }
}

/* Marks what may be changed in a function's body, and where its statements begin. */
static void body(int from, int to)
{
    for (int i = from; i <= to; i++)
        tokens[i].live = true;
    for (int i = from + 1; i < to; i++) {
        bool block = is(i, "{") && (ends_head(i - 1) || tokens[i - 1].start || is(i - 1, "else") ||
                                    is(i - 1, "do") || tokens[i].start);
        tokens[i].start = i == from + 1 || tokens[i].start || ends_head(i - 1) ||
                          is(i - 1, "else") || is(i - 1, "do") || ends_label(i - 1);
        if (block || (is(i, "{") && tokens[i].start)) {
            tokens[i + 1].start = true;
            tokens[tokens[i].partner + 1].start = true;
        }
    }
    int depth = 0;
    for (int i = from + 1; i < to; i++) {
        depth += is(i, "(") ? 1 : is(i, ")") ? -1 : 0;
        if (is(i, ";") && depth == 0)
            tokens[i + 1].start = true;
        if (is(i, "sizeof") && is(i + 1, "("))
            kill_range(i, tokens[i + 1].partner);
    }
    for (int i = from + 1; i < to; i++)
        if (tokens[i].start && (type_word(i) || is(i, "typedef")))
            pass_declaration(i);
}

static void mark(void)
{
    for (int i = 0; i < count; i++)
        if (is(i, "{") && tokens[i].partner > i) {
            if (i > 0 && is(i - 1, ")"))
                body(i, tokens[i].partner);
            i = tokens[i].partner;
        }
}

/* Text on one line. */
static void put_flat(const char *p, size_t length)
{
    bool space = false;
    for (size_t i = 0; i < length; i++) {
        bool white = p[i] == ' ' || p[i] == '\n' || p[i] == '\t';
        if (white && !space)
            putchar(' ');
        else if (!white)
            putchar(p[i]);
        space = white;
    }
}

static void put_line_of(size_t at)
{
    size_t from = at, to = at;
    while (from > 0 && text[from - 1] != '\n')
        from--;
    while (text[from] == ' ')
        from++;
    while (text[to] && text[to] != '\n')
        to++;
    put_flat(text + from, to - from);
}

/* One mutant: what is between the start of one token and the end of another becomes a text. */
static void mutant(const char *name, int first, int last, const char *becomes)
{
    size_t at = tokens[first].at, end = tokens[last].at + tokens[last].length;
    int number = listed++;
    if (number == chosen) {
        fwrite(text, 1, at, stdout);
        fputs(becomes, stdout);
        fwrite(text + end, 1, size - end, stdout);
    } else if (chosen < 0) {
        printf("%d\t%d\t%s\t", number, tokens[first].line, name);
        put_flat(text + at, end - at);
        fputs(" => ", stdout);
        put_flat(becomes, strlen(becomes));
        putchar('\t');
        put_line_of(at);
        putchar('\n');
    }
}

/* The same, where the new text holds two parts of the old one. */
static void mutant_of(const char *name, int first, int last, const char *form, int a, int a_end,
                      int b, int b_end)
{
    static char becomes[1 << 16];
    size_t a_length = tokens[a_end].at + tokens[a_end].length - tokens[a].at;
    size_t b_length = tokens[b_end].at + tokens[b_end].length - tokens[b].at;
    snprintf(becomes, sizeof becomes, form, (int)a_length, text + tokens[a].at, (int)b_length,
             text + tokens[b].at);
    mutant(name, first, last, becomes);
}

static const struct exchange {
    const char *name, *from, *to;
} exchanges[] = {
    { "relational", "<", "<=" },  { "relational", "<", ">=" },  { "relational", "<=", "<" },
    { "relational", "<=", ">" },  { "relational", ">", ">=" },  { "relational", ">", "<=" },
    { "relational", ">=", ">" },  { "relational", ">=", "<" },  { "relational", "==", "!=" },
    { "relational", "!=", "==" }, { "arithmetic", "+", "-" },   { "arithmetic", "-", "+" },
    { "arithmetic", "*", "/" },   { "arithmetic", "/", "*" },   { "arithmetic", "%", "*" },
    { "arithmetic", "+=", "-=" }, { "arithmetic", "-=", "+=" }, { "arithmetic", "*=", "/=" },
    { "arithmetic", "/=", "*=" }, { "bits", "<<", ">>" },       { "bits", ">>", "<<" },
    { "bits", "&", "|" },         { "bits", "|", "&" },         { "bits", "&=", "|=" },
    { "bits", "|=", "&=" },       { "logical", "&&", "||" },    { "logical", "||", "&&" },
    { "step", "++", "--" },       { "step", "--", "++" },
};

static void operators(int i)
{
    bool step = is(i, "++") || is(i, "--");
    if (tokens[i].kind != PUNCT || (!step && (tokens[i].start || !operand(i - 1))))
        return;
    if (is(i, "*") && (is(i + 1, ")") || is(i + 1, ",")))
        return;
    for (size_t e = 0; e < sizeof exchanges / sizeof *exchanges; e++)
        if (is(i, exchanges[e].from))
            mutant(exchanges[e].name, i, i, exchanges[e].to);
}

static void constants(int i)
{
    char becomes[400];
    bool failure = is(i - 2, "return") && is(i - 1, "-"); /* callers ask whether it is below 0 */
    if (tokens[i].kind != NUMBER || tokens[i].length > 100 || failure)
        return;
    int length = (int)tokens[i].length;
    const char *number = text + tokens[i].at;
    snprintf(becomes, sizeof becomes, is(i, "0") ? "1" : "(%.*s + 1)", length, number);
    mutant("constant", i, i, becomes);
    snprintf(becomes, sizeof becomes, is(i, "1") ? "0" : "(%.*s - 1)", length, number);
    mutant("constant", i, i, becomes);
}

static void conditions(int i)
{
    if (!is(i, "if") && !is(i, "while"))
        return;
    int open = i + 1, close = tokens[open].partner;
    mutant_of("condition", open, close, "(!%.*s)", open, close, open, open);
}

static void returns(int i)
{
    if (!is(i, "return"))
        return;
    int end = statement_end(i);
    if (end == i + 1) {
        mutant("return", i, i, "");
        return;
    }
    static const char *const constants_named[] = { "false", "true", "NULL", NULL };
    bool literal = end == i + 2 && (tokens[i + 1].kind == NUMBER || is_any(i + 1, constants_named));
    literal = literal || (end == i + 3 && is(i + 1, "-") && tokens[i + 2].kind == NUMBER);
    if (!literal)
        mutant("return", i + 1, end - 1, "0");
    if (!is(i + 1, "NULL"))
        mutant_of("return", i + 1, end - 1, "!(%.*s)", i + 1, end - 1, i, i);
}

/* Statements that call, assign, count or jump. */
static void statements(int i)
{
    if (!tokens[i].start || type_word(i))
        return;
    int end = statement_end(i);
    if (is(i, "break") || is(i, "continue")) {
        mutant("statement", i, i, "");
        return;
    }
    static const char *const before[] = { "*", "(", "++", "--", NULL };
    bool expression = tokens[i].kind == WORD ? !keyword(i) && !is(i + 1, ":") : is_any(i, before);
    bool declares = tokens[i].kind == WORD && (tokens[i + 1].kind == WORD || is(i + 1, "*"));
    if (expression && !declares && !is(i + 1, "void"))
        mutant("statement", i, end - 1, "");
}

static bool same_text(int a, int a_end, int b, int b_end)
{
    size_t a_length = tokens[a_end].at + tokens[a_end].length - tokens[a].at;
    size_t b_length = tokens[b_end].at + tokens[b_end].length - tokens[b].at;
    return a_length == b_length && memcmp(text + tokens[a].at, text + tokens[b].at, a_length) == 0;
}

static int argument_end(int from, int close)
{
    int i = from;
    while (i < close && !is(i, ","))
        i = tokens[i].partner > i ? tokens[i].partner + 1 : i + 1;
    return i;
}

static void arguments(int i)
{
    if (tokens[i].kind != WORD || keyword(i) || type_word(i) || !is(i + 1, "("))
        return;
    int close = tokens[i + 1].partner, from = i + 2, comma;
    for (; (comma = argument_end(from, close)) < close; from = comma + 1) {
        int end = argument_end(comma + 1, close);
        if (!same_text(from, comma - 1, comma + 1, end - 1))
            mutant_of("arguments", from, end - 1, "%.*s, %.*s", comma + 1, end - 1, from,
                      comma - 1);
    }
}

static void load(const char *name)
{
    FILE *file = fopen(name, "r");
    if (!file) {
        perror(name);
        exit(2);
    }
    text = calloc(1, 1 << 20);
    size = text ? fread(text, 1, (1 << 20) - 8, file) : 0;
    fclose(file);
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fputs("usage: sites FILE [NUMBER]\n", stderr);
        return 2;
    }
    load(argv[1]);
    chosen = argc > 2 ? atoi(argv[2]) : -1;
    split();
    pair_brackets();
    mark();
    for (int i = 0; i < count; i++)
        if (tokens[i].live) {
            operators(i);
            constants(i);
            conditions(i);
            returns(i);
            statements(i);
            arguments(i);
        }
    return chosen >= listed;
}
