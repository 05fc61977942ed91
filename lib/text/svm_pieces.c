#include "text/svm_pieces.h"

#include <stdlib.h>
#include <string.h>

/* Where a pipe has nothing for so long, the text comes slowly. */
enum { PATIENCE = 10 }; /* milliseconds */

/* Where `svm` still has so many bytes to read, they are not copied into pieces. */
enum { FEW = SVM_PIECE / 2 };

void svm_pieces_open(struct svm_pieces *pieces, struct svm *svm, size_t threads, size_t piece_bytes)
{
    *pieces = (struct svm_pieces){ .svm = svm, .threads = threads, .piece_bytes = piece_bytes };
}

static void read_piece(void *self, size_t member, uint64_t number)
{
    struct svm_pieces *pieces = self;
    svm_piece_read(&pieces->piece[number % pieces->slots], &pieces->reader[member]);
}

/* Makes readers that know what `svm` does. 0 or a fault. */
static int make_readers(struct svm_pieces *pieces, struct fault *fault)
{
    static char *const no_files[] = { NULL };
    const struct svm *svm = pieces->svm;
    size_t slots = 2 * pieces->threads + 2;
    struct svm_options options = svm->options;
    options.piecewise = true;
    pieces->slots = slots;
    pieces->piece = calloc(slots, sizeof *pieces->piece);
    pieces->reader = calloc(pieces->threads, sizeof *pieces->reader);
    if (!pieces->piece || !pieces->reader)
        return fault_memory(fault, slots * sizeof *pieces->piece +
                                       pieces->threads * sizeof *pieces->reader);
    for (size_t i = 0; i < pieces->threads; i++) {
        svm_open(&pieces->reader[i], no_files, &options, NULL);
        pieces->reader[i].any = pieces->reader[i].any_qid = true;
        pieces->reader[i].any_feature = svm->any_feature;
    }
    return crew_open(&pieces->crew, slots, read_piece, pieces, fault);
}

void svm_pieces_close(struct svm_pieces *pieces)
{
    crew_close(&pieces->crew);
    for (size_t i = 0; pieces->reader && i < pieces->threads; i++)
        svm_close(&pieces->reader[i]);
    for (size_t i = 0; pieces->piece && i < pieces->slots; i++)
        svm_piece_close(&pieces->piece[i]);
    free(pieces->reader);
    free(pieces->piece);
}

/* Has a query been read after which all are of one kind, and do pieces pay? */
static bool may_go_ahead(const struct svm_pieces *pieces)
{
    const struct svm *svm = pieces->svm;
    const struct lines *lines = &svm->lines;
    return pieces->threads > 1 && svm->any_qid && (svm->any_feature || svm->options.widths) &&
           !svm->options.sizes && !svm->options.blank_ends &&
           lines->until - lines->from < FEW && lines_readable(lines);
}

/* The piece that is filled, and is not posted yet. */
static struct svm_piece *filling(struct svm_pieces *pieces)
{
    return &pieces->piece[pieces->crew.posted % pieces->slots];
}

/* Adds text to that piece. 0 or a fault. */
static int add(struct svm_pieces *pieces, const char *bytes, size_t n, struct fault *fault)
{
    struct svm_piece *piece = filling(pieces);
    char *text = buffer_for(&piece->text, piece->bytes + n + 1, 1, fault);
    if (!text)
        return -1;
    memcpy(text + piece->bytes, bytes, n);
    piece->bytes += n;
    return 0;
}

/* From here on the text is read in pieces. */
static int go_ahead(struct svm_pieces *pieces, struct fault *fault)
{
    struct lines *lines = &pieces->svm->lines;
    size_t n;
    if (!pieces->reader && make_readers(pieces, fault) < 0)
        return -1;
    const char *rest = lines_rest(lines, &n);
    filling(pieces)->bytes = 0;
    pieces->ahead = true;
    pieces->next = 0;
    pieces->number = lines->number;
    return add(pieces, rest, n, fault);
}

/* From here on `svm` reads the text, from that query of the first piece on. */
static int go_back(struct svm_pieces *pieces, struct svm_place from, struct fault *fault)
{
    struct lines *lines = &pieces->svm->lines;
    uint64_t posted = pieces->crew.posted, first = pieces->crew.collected;
    crew_withdraw(&pieces->crew);
    pieces->ahead = false;
    lines_resume(lines, pieces->number + from.lines);
    for (uint64_t i = first; i <= posted; i++) {
        struct svm_piece *piece = &pieces->piece[i % pieces->slots];
        size_t at = i == first ? from.at : 0, end = i < posted ? piece->border.at : piece->bytes;
        if (lines_give(lines, (char *)piece->text.at + at, end - at, fault) < 0)
            return -1;
    }
    return 0;
}

/* Posts the piece that is filled, if it has a border, and begins the next one with what is after
 * it: 1, 0 where it has none, or a fault. */
static int post(struct svm_pieces *pieces, struct fault *fault)
{
    struct svm_piece *piece = filling(pieces);
    piece->border = svm_border(piece->text.at, piece->bytes);
    size_t at = piece->border.at;
    if (at == 0)
        return 0;
    crew_post(&pieces->crew);
    if (!pieces->crew.thread && (pieces->posted += at) >= 2 * pieces->piece_bytes)
        crew_hire(&pieces->crew, pieces->threads - 1);
    filling(pieces)->bytes = 0;
    return add(pieces, (char *)piece->text.at + at, piece->bytes - at, fault) < 0 ? -1 : 1;
}

/* Reads more of the piece that is filled: how many bytes, or a fault. */
static ssize_t fill_some(struct svm_pieces *pieces, struct fault *fault)
{
    struct svm_piece *piece = filling(pieces);
    size_t most = pieces->piece_bytes;
    size_t room = piece->bytes < most ? most - piece->bytes : most / 2;
    char *text = buffer_for(&piece->text, piece->bytes + room, 1, fault);
    if (!text)
        return -1;
    size_t got = lines_read_ahead(&pieces->svm->lines, text + piece->bytes, room);
    piece->bytes += got;
    return (ssize_t)got;
}

/* Posts pieces as long as there is room, and more text can be read at once. 0 or a fault. */
static int fill(struct svm_pieces *pieces, struct fault *fault)
{
    const struct crew *crew = &pieces->crew;
    ssize_t got = 1;
    int posted = 0;
    while (posted >= 0 && got > 0 && crew->posted - crew->collected < pieces->slots - 1) {
        const struct svm_piece *piece = filling(pieces);
        if (piece->bytes >= 4 * pieces->piece_bytes)
            return 0;
        got = fill_some(pieces, fault);
        if (got >= 0 && piece->bytes >= pieces->piece_bytes)
            posted = post(pieces, fault);
    }
    return got < 0 || posted < 0 ? -1 : 0;
}

/* Returns the next query of the first piece: 1; 0 where it has none left; or a fault. */
static int next_part(struct svm_pieces *pieces, struct svm_query *query, struct fault *fault)
{
    struct svm *svm = pieces->svm;
    const struct svm_piece *piece = &pieces->piece[pieces->crew.collected % pieces->slots];
    if (pieces->next == piece->parts)
        return 0;
    const struct svm_part *part = (const struct svm_part *)piece->part.at + pieces->next;
    *query = svm_piece_query(piece, pieces->next);
    int new = qids_enter(&svm->before, query->qid, fault);
    if (new == 0)
        return go_back(pieces, part->from, fault);
    pieces->next++;
    svm->lines.number = pieces->number + part->until;
    svm->over = true;
    return new;
}

/* The first piece is at its end: goes on with the next one, or lets `svm` read on. 0 or a fault. */
static int leave_piece(struct svm_pieces *pieces, struct fault *fault)
{
    const struct svm_piece *piece = &pieces->piece[pieces->crew.collected % pieces->slots];
    if (piece->stop.at < piece->border.at)
        return go_back(pieces, piece->stop, fault);
    pieces->number += piece->stop.lines;
    pieces->next = 0;
    crew_collect(&pieces->crew);
    return 0;
}

/* Waits a little for more text, and reads it: how many bytes, 0 where none comes, or a fault. */
static ssize_t wait_for_some(struct svm_pieces *pieces, struct fault *fault)
{
    struct lines *lines = &pieces->svm->lines;
    if (lines->file_ended || filling(pieces)->bytes >= 4 * pieces->piece_bytes)
        return 0;
    int ready = watch_readable(lines->watch, lines->fd, PATIENCE, fault);
    return ready > 0 ? fill_some(pieces, fault) : ready;
}

/* No piece is posted: posts what there is, waits a little for more, or lets `svm` read on. 0 or a
 * fault. */
static int stir(struct svm_pieces *pieces, struct fault *fault)
{
    struct svm_place start = { 0, 0 };
    int posted = post(pieces, fault);
    if (posted != 0)
        return posted < 0 ? -1 : 0;
    ssize_t got = wait_for_some(pieces, fault);
    return got == 0 ? go_back(pieces, start, fault) : got < 0 ? -1 : 0;
}

int svm_pieces_next(struct svm_pieces *pieces, struct svm_query *query, struct fault *fault)
{
    const struct crew *crew = &pieces->crew;
    if (!pieces->ahead && may_go_ahead(pieces) && go_ahead(pieces, fault) < 0)
        return -1;
    while (pieces->ahead) {
        if (pieces->next == 0 && fill(pieces, fault) < 0)
            return -1;
        if (crew->posted == crew->collected) {
            if (stir(pieces, fault) < 0)
                return -1;
            continue;
        }
        if (pieces->next == 0)
            crew_wait(&pieces->crew);
        int got = next_part(pieces, query, fault);
        if (got != 0 || (pieces->ahead && leave_piece(pieces, fault) < 0))
            return got ? got : -1;
    }
    return svm_next(pieces->svm, query, fault);
}
