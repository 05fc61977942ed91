/* pieces: several threads read from any text what one reader does: each query, each fault with its
 * line, and what follows a query that is skipped. Files are written in the current folder. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text/svm_pieces.h"
#include "text/svm_skip.h"

enum { TEXT = 60000, TRANSCRIPT = 1 << 22 };

struct text {
    char bytes[TEXT + 200];
    size_t n;
};

struct transcript {
    char bytes[TRANSCRIPT];
    size_t n;
};

static uint64_t state;

static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((state >> 33) % below);
}

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "pieces: %s\n", what);
        exit(1);
    }
}

#define print(text, ...) \
    ((text)->n += (size_t)sprintf((text)->bytes + (text)->n, __VA_ARGS__))

/* What is wrong with a text: each of `kinds` with a chance of one in `rare` lines. */
struct noise {
    unsigned kinds, rare;
};

static void print_odd(struct text *text, unsigned kind)
{
    static const char *const odd[] = {
        "\n", "  \n", "# qid:3 comment\n", "2 qid:77 1:5\n", "qid:78 1:1\n", "1 2:1\n",
        "1 qid:79 2:1 1:1\n", "good qid:80 1:1\n", "-1 qid:9 1:1\n", "1 qid: 1:1\n", "1 qid:81\n",
        "1 qid:82 1:nan\n", "x\n", "1 qid:1 1:1\n", "1 qid:%41 1:1 # docid = z\n", "\r\n",
    };
    if (kind < sizeof odd / sizeof *odd)
        print(text, "%s", odd[kind]);
    else
        text->bytes[text->n++] = '\0';
}

static void make_text(struct text *text, const struct noise *noise, size_t most)
{
    unsigned docs = 1 + draw(12), width = 1 + draw(20);
    text->n = 0;
    for (unsigned q = 1; text->n < most && text->n < TEXT; q++) {
        for (unsigned i = 0, m = 1 + draw(docs); i < m && text->n < TEXT; i++) {
            if (noise->rare && draw(noise->rare) == 0)
                print_odd(text, draw(noise->kinds));
            print(text, "%u%sqid:%u", draw(5), draw(9) ? " " : "\t ", q);
            for (unsigned j = 1, w = draw(width); j <= w && w < 18; j += 1 + draw(2))
                print(text, " %u:%.*f", j, (int)draw(7), draw(1000) / 999.0);
            print(text, "%s%s", draw(6) ? "" : " # docid = GX", draw(7) ? "\n" : "\r\n");
        }
    }
    if (draw(3) == 0)
        text->n--; /* no LF at the end */
}

static void write_file(const char *name, const char *bytes, size_t n)
{
    FILE *file = fopen(name, "wb");
    must(file && fwrite(bytes, 1, n, file) == n && fclose(file) == 0, "cannot write a file");
}

/* Makes standard input a pipe that holds the text. */
static void pipe_in(const struct text *text)
{
    int ends[2];
    must(pipe(ends) == 0 && write(ends[1], text->bytes, text->n) == (ssize_t)text->n, "no pipe");
    must(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO, "dup2");
    close(ends[0]);
    close(ends[1]);
}

static void add(struct transcript *to, const void *bytes, size_t n)
{
    must(to->n + n < TRANSCRIPT, "the transcript is full");
    memcpy(to->bytes + to->n, bytes, n);
    to->n += n;
}

static void add_query(struct transcript *to, const struct svm_query *query, const struct svm *svm)
{
    const struct matrix *x = &query->x;
    print(to, "%s %s line %llu: %zu %zu %d\n", query->qid ? query->qid : "-", svm->lines.name,
          (unsigned long long)svm->lines.number, x->docs, x->dim, (int)x->form);
    if (query->label)
        add(to, query->label, query->docs * sizeof *query->label);
    if (query->names)
        add(to, query->names, query->name_bytes);
    if (x->form == MATRIX_DENSE)
        add(to, x->x, 4 * x->docs * x->dim);
    if (x->form != MATRIX_SPARSE)
        return;
    add(to, x->ptr, 4 * (x->docs + 1));
    add(to, x->idx, 4 * matrix_entries(x));
    add(to, x->val, 4 * matrix_entries(x));
}

/* All that is read of the files. */
static void read_all(struct transcript *to, char *const *files, const struct svm_options *options,
                     size_t threads, size_t piece_bytes)
{
    struct svm svm;
    struct svm_pieces pieces;
    struct svm_query query;
    struct watch watch = WATCH_NOTHING;
    struct fault fault = { FAULT_NONE, "" };
    int got;
    to->n = 0;
    svm_open(&svm, files, options, &watch);
    svm_pieces_open(&pieces, &svm, threads, piece_bytes);
    while ((got = svm_pieces_next(&pieces, &query, &fault)) != 0) {
        if (got > 0) {
            add_query(to, &query, &svm);
            if (options->skips && query.docs % 4 == 0) /* as if it could not be a round */
                must(svm_skip(&svm, &fault) == 0, "cannot skip a whole query");
            continue;
        }
        print(to, "%s\n", fault.text);
        if (fault.kind != FAULT_DATA || !options->skips)
            break;
        fault = (struct fault){ FAULT_NONE, "" };
        must(svm_skip(&svm, &fault) == 0, "cannot skip");
    }
    svm_pieces_close(&pieces);
    svm_close(&svm);
}

static struct text text;
static struct transcript right, got;

/* Reads the text by one thread and by several, from a file, from two, and from a pipe. */
static void check(const struct svm_options *options)
{
    char *files[] = { "pieces.text", NULL, NULL }, *none[] = { NULL };
    size_t at = draw(3) ? text.n : draw((unsigned)text.n + 1);
    size_t threads = 2 + draw(3), piece_bytes = draw(4) ? 8 + draw(3000) : 1 + draw(60);
    write_file(files[0], text.bytes, at);
    write_file("pieces.more", text.bytes + at, text.n - at);
    files[1] = at < text.n ? "pieces.more" : NULL;
    read_all(&right, files, options, 1, piece_bytes);
    read_all(&got, files, options, threads, piece_bytes);
    must(got.n == right.n && memcmp(got.bytes, right.bytes, got.n) == 0, "another reading");
    if (at < text.n)
        return;
    pipe_in(&text);
    read_all(&right, none, options, 1, piece_bytes);
    pipe_in(&text);
    read_all(&got, none, options, threads, piece_bytes);
    must(got.n == right.n && memcmp(got.bytes, right.bytes, got.n) == 0, "another from a pipe");
}

/* A border is at the first line of the last query, and not at a word that is like a qid. */
static void check_border(void)
{
    static const char words[] = "1 qid:a 1:1\n1 qid_b 1:1\nqid\n";
    static const char qids[] = "# c\n1 qid:a 1:1\n1 qid:a\n1 qid:b\n1 qid:b\n#\n1 qid:b\n1 qid:c";
    static const char empty[] = "1 qid: 1:1\n1 qid: 2:1\n";
    must(svm_border(words, sizeof words - 1).at == 0, "a border at a line without qid");
    must(svm_border(empty, sizeof empty - 1).at == 0, "a border between equal qids");
    struct svm_border border = svm_border(qids, sizeof qids - 1);
    must(border.at == 24 && border.end == 32, "no border where the qid changes");
}

int main(int argc, char **argv)
{
    check_border();
    unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
    for (unsigned i = 0; i < rounds; i++) {
        state = i;
        (void)draw(2);
        struct noise noise = { 1 + draw(17), draw(3) ? 1 + draw(2000) : 0 };
        struct svm_options options = { .names = draw(2), .scale = draw(4) == 0,
                                       .unlabelled = draw(2), .skips = draw(2),
                                       .widths = draw(4) == 0 };
        options.dim = draw(6) ? 21 : draw(20);
        make_text(&text, &noise, draw(8) ? draw(8000) : TEXT);
        check(&options);
        if (rounds > 5000 && i % 5000 == 0)
            fprintf(stderr, "%u\n", i);
    }
    return 0;
}
