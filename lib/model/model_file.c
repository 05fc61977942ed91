#include "model/model_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unaligned.h"
#include "io/sync.h"
#include "kernels/crc32c.h"
#include "model/model_patch.h"
#include "stream/fresh_file.h"
#include "stream/record.h"
#include "stream/record_header.h"

enum { LINKS = 40, TARGET = 4096 };
#define NEW ".lock.new" /* after the path, that of a model that is not whole yet */

static char *join(const char *a, size_t n, const char *b, struct fault *fault)
{
    char *joined = malloc(n + strlen(b) + 1);
    if (!joined) {
        fault_no_room(fault, n + strlen(b) + 1);
        return NULL;
    }
    memcpy(joined, a, n);
    strcpy(joined + n, b);
    return joined;
}

/* Bytes of a path up to its last slash, including that. */
static size_t folder_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* The path of the file that symbolic links lead to, which need not exist: rename must name that
 * one. To be freed; or NULL and a fault. */
static char *follow_links(const char *path, struct fault *fault)
{
    char *at = join(path, strlen(path), "", fault);
    for (int followed = 0; at && followed < LINKS; followed++) {
        char target[TARGET];
        ssize_t n = readlink(at, target, sizeof target - 1);
        if (n < 0 && (errno == EINVAL || errno == ENOENT))
            return at;
        if (n < 0) {
            fault_system(fault, "model %s", path);
            free(at);
            return NULL;
        }
        target[n] = '\0';
        char *next = join(at, *target == '/' ? 0 : folder_bytes(at), target, fault);
        free(at);
        at = next;
    }
    free(at);
    fault_other(fault, "model %s: too many symbolic links", path);
    return NULL;
}

static int take_lock(struct model_file *file, struct fault *fault)
{
    int taken = lock_take(file->lock, &file->lock_fd, fault);
    if (taken < 0)
        fault_place(fault, "model %s: ", file->path);
    if (taken == 0)
        return fault_other(fault, "model %s: another update is learning into it (%s is locked)",
                           file->path, file->lock);
    return taken < 0 ? -1 : 0;
}

int model_file_open(struct model_file *file, const char *path, struct fault *fault)
{
    struct stat is;
    *file = (struct model_file){ .lock_fd = -1, .keep = file->keep, .patches = file->patches };
    if (*path == '\0')
        return fault_usage(fault, "-m needs the name of a file");
    file->path = follow_links(path, fault);
    if (!file->path) return -1;
    if (stat(file->path, &is) == 0) {
        if (!S_ISREG(is.st_mode))
            return fault_other(fault, "model %s is %s, not a file", path,
                                 S_ISDIR(is.st_mode) ? "a directory" : "a device or a pipe");
        if (access(file->path, W_OK) < 0)
            return fault_system(fault, "model %s cannot be replaced", path);
    } else if (errno != ENOENT) {
        return fault_system(fault, "model %s", path);
    }
    file->lock = join(file->path, strlen(file->path), ".lock", fault);
    char *new_path = join(file->path, strlen(file->path), NEW, fault);
    int result = file->lock && new_path ? 0 : -1;
    /* A name that is too long is refused now, not when the first model is saved. */
    if (result == 0 && access(new_path, F_OK) < 0 && errno == ENAMETOOLONG)
        result = fault_system(fault, "model %s: cannot write %s", path, new_path);
    free(new_path);
    return result < 0 ? -1 : take_lock(file, fault);
}

void model_file_close(struct model_file *file)
{
    if (file->lock && file->lock_fd >= 0)
        lock_release(file->lock, file->lock_fd);
    free(file->path);
    free(file->lock);
    *file = (struct model_file){ .lock_fd = -1 };
}

/* ---- a model in a file, of which any place can be written at any time ----
 *
 * Columns that are made of the same entries (struct column_source) are made in one walk through
 * these, and the CRC is computed on the way. Through a pipe each column takes a walk of its own,
 * and the CRC, which comes first, one more for each. */

/* Bytes of each column that are made and written at once: few calls, in what a processor's cache
 * holds; most columns that are made together. */
enum { PIECE = 512 * 1024, TOGETHER = 4 };

struct file {
    int fd;
    const char *name;
    unsigned char *piece; /* [TOGETHER][PIECE] */
    uint64_t at;          /* of what comes next in the file */
    uint32_t crc;         /* of all before that             */
};

/* Where the rest of a column goes, and the CRC of what is there already. */
struct place {
    uint64_t at;
    uint32_t crc;
};

static int put(const struct file *file, uint64_t at, const void *bytes, size_t n,
               struct fault *fault)
{
    for (const unsigned char *from = bytes; n > 0;) {
        ssize_t wrote = pwrite(file->fd, from, n, (off_t)at);
        if (wrote < 0 && errno != EINTR)
            return fault_system(fault, "cannot write %s", file->name);
        size_t more = wrote > 0 ? (size_t)wrote : 0;
        from += more;
        at += more;
        n -= more;
    }
    return 0;
}

static int add(const struct file *file, struct place *place, const void *bytes, size_t n,
               struct fault *fault)
{
    if (put(file, place->at, bytes, n, fault) < 0) return -1;
    place->crc = crc32c(place->crc, bytes, n);
    place->at += n;
    return 0;
}

/* Writes `columns` columns, all of one walk, and lets their CRCs follow that of the file. */
static int write_together(struct file *file, const struct column *column, size_t columns,
                          struct fault *fault)
{
    struct column_source *source = column->source;
    const size_t bytes = column_bytes(column), most = PIECE / 8;
    struct place place[TOGETHER];
    uint64_t *values[TOGETHER];
    for (size_t c = 0; c < columns; c++) {
        place[c] = (struct place){ .at = file->at + c * bytes };
        values[c] = (uint64_t *)(void *)(file->piece + c * PIECE);
    }
    for (uint64_t from = 0, n; from < column->count; from += n) {
        n = column->count - from < most ? column->count - from : most;
        source->next_of_all(source, values, (size_t)n);
        for (size_t c = 0; c < columns; c++) {
            little_numbers(values[c], (size_t)n, 8);
            if (add(file, &place[c], values[c], 8 * (size_t)n, fault) < 0) return -1;
        }
    }
    source->again(source);
    for (size_t c = 0; c < columns; c++)
        file->crc = crc32c_join(file->crc, place[c].crc, bytes);
    file->at += columns * bytes;
    return 0;
}

static int write_column(struct file *file, const struct column *column, struct fault *fault)
{
    struct place place = { file->at, file->crc };
    size_t n = 0;
    int result = 0;
    if (!column->source && !LITTLE_SWAPS)
        result = add(file, &place, column->data, column_bytes(column), fault);
    else
        for (uint64_t from = 0; result == 0 && from < column->count; from += n) {
            n = column_piece(column, from, file->piece, PIECE);
            result = add(file, &place, file->piece, n * column_width(column->type), fault);
        }
    if (result == 0 && column->source)
        column->source->again(column->source);
    file->at = place.at;
    file->crc = place.crc;
    return result;
}

static int write_all(struct file *file, const struct record *record, struct fault *fault)
{
    char line[RECORD_LINE + 1], digits[CHECKSUM_DIGITS];
    struct place start = { 0, 0 };
    size_t n;
    if (header_print_open(record, line, &n, fault) < 0 || add(file, &start, line, n, fault) < 0)
        return -1;
    file->at = start.at;
    file->crc = start.crc;
    for (size_t c = 0; c < record->columns;) {
        const struct column *column = &record->column[c];
        size_t columns = column->source ? column->source->together : 0;
        if ((columns ? write_together(file, column, columns, fault)
                     : write_column(file, column, fault)) < 0)
            return -1;
        c += columns ? columns : 1;
    }
    checksum_print(digits, file->crc);
    if (record->has_crc == CRC_WANTED &&
        put(file, CHECKSUM_AT, digits, sizeof digits, fault) < 0)
        return -1;
    if (lseek(file->fd, (off_t)file->at, SEEK_SET) < 0)
        return fault_system(fault, "cannot write %s", file->name);
    return 0;
}

/* Others are written as fast by a writer. */
static bool made_together(const struct record *record)
{
    for (size_t c = 0; c < record->columns; c++)
        if (record->column[c].source && record->column[c].source->together)
            return true;
    return false;
}

/* Writes the record to an empty file, the bytes that writer_record writes, and leaves fd at the end
 * of it. */
static int write_in_place(int fd, const char *name, const struct record *record,
                          struct fault *fault)
{
    struct file file = { .fd = fd, .name = name, .piece = malloc(TOGETHER * PIECE) };
    int result = file.piece ? write_all(&file, record, fault)
                            : fault_no_room(fault, TOGETHER * PIECE);
    free(file.piece);
    return result;
}

/* ---- the models before, each kept as path.ROUND ---- */

/* path.ROUND, to be freed; or NULL and a fault. */
static char *name_of(const char *path, uint64_t rounds, struct fault *fault)
{
    size_t room = strlen(path) + 24;
    char *name = malloc(room);
    if (name)
        snprintf(name, room, "%s.%" PRIu64, path, rounds);
    else
        fault_no_room(fault, room);
    return name;
}

/* Links the model in `new_path`, which is to replace the one at `path`, to path.ROUND. */
static int history_add(const char *path, const char *new_path, uint64_t rounds,
                      struct fault *fault)
{
    char *name = name_of(path, rounds, fault);
    if (!name) return -1;
    int result = unlink(name) < 0 && errno != ENOENT ? -1 : link(new_path, name);
    if (result < 0)
        result = fault_system(fault, "cannot keep the model as %s", name);
    free(name);
    return result;
}

struct kept { /* models up to some round */
    uint64_t count, oldest;
};

/* Counts the models in an open folder, whose names begin with the n bytes at `base`. */
static int count_models(DIR *folder, const char *base, uint64_t rounds, struct kept *kept)
{
    const size_t n = strlen(base);
    uint64_t round;
    *kept = (struct kept){ 0, 0 };
    rewinddir(folder);
    errno = 0;
    for (struct dirent *entry; (entry = readdir(folder)); errno = 0) {
        const char *name = entry->d_name;
        if (strncmp(name, base, n) != 0 || name[n] != '.' ||
            !record_number(name + n + 1, rounds, &round))
            continue;
        if (kept->count++ == 0 || round < kept->oldest)
            kept->oldest = round;
    }
    return errno ? -1 : 0;
}

static int trim(DIR *folder, const char *path, uint64_t rounds, uint64_t keep,
                struct fault *fault)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    struct kept kept;
    for (;;) {
        if (count_models(folder, base, rounds, &kept) < 0)
            return fault_system(fault, "cannot read the folder of %s", path);
        if (kept.count <= keep)
            return 0;
        char *name = name_of(path, kept.oldest, fault);
        int result = name ? unlink(name) : -1;
        if (name && result < 0)
            (void)fault_system(fault, "cannot remove %s", name);
        free(name);
        if (result < 0) return -1;
    }
}

/* Removes the oldest of the models path.ROUND whose ROUND is at most `rounds`, so that `keep` of
 * them are left. Those of later rounds, from before a rollback, stay. */
static int history_trim(const char *path, uint64_t rounds, uint64_t keep, struct fault *fault)
{
    const char *slash = strrchr(path, '/');
    char *name = strdup(slash ? path : "./");
    if (!name)
        return fault_no_room(fault, strlen(path) + 1);
    name[slash ? slash - path + 1 : 2] = '\0';
    DIR *folder = opendir(name);
    int result = folder ? trim(folder, path, rounds, keep, fault)
                        : fault_system(fault, "cannot open folder %s", name);
    if (folder)
        closedir(folder);
    free(name);
    return result;
}

/* ---- reading ---- */

static int read_one(struct reader *reader, struct model *model, struct fault *fault)
{
    int got = reader_header(reader, &model->record, fault);
    if (got < 0) return -1;
    if (got == 0 || model->record.kind == RECORD_ROUND)
        return fault_data(fault, "%s holds %s, not a model", reader->name,
                          got ? "rounds" : "nothing");
    if (model_header(model, fault) < 0) {
        fault_place(fault, "%s: ", reader->name);
        return -1;
    }
    if (reader_payload(reader, &model->record, fault) < 0) return -1;
    size_t payload = reader->from - (size_t)model->record.bytes;

    struct record rest; /* only its end record may follow a model */
    got = reader_next(reader, &rest, fault);
    if (got > 0)
        return fault_data(fault, "%s holds more than one model", reader->name);
    if (got < 0) return -1;

    record_bind(&model->record, reader->bytes + payload, (size_t)model->record.bytes);
    if (model_read(model, fault) < 0) {
        fault_place(fault, "%s: ", reader->name);
        return -1;
    }
    return 1;
}

/* The path of the whole model that the patch at `path` is of, in the folder to which links lead. To
 * be freed; or NULL and a fault. */
static char *path_of_whole(const char *path, struct patch_of of, struct fault *fault)
{
    char name[PATCH_NAME], *file = follow_links(path, fault);
    patch_name(name, of);
    char *whole = file ? join(file, folder_bytes(file), name, fault) : NULL;
    free(file);
    return whole;
}

/* The whole model that a patch is of: the file of its name must hold that model. 1 or a fault; to
 * be closed in any case. */
static int read_whole(const char *path, struct patch_of of, struct mapped *mapped,
                      struct model *whole, struct fault *fault)
{
    char *beside = path_of_whole(path, of, fault);
    int fd = beside ? watch_open(NULL, beside, O_RDONLY | O_NONBLOCK, 0, fault) : -1, got = -1;
    if (beside && fd < 0)
        (void)(errno == ENOENT
                   ? fault_other(fault, "%s holds what changed of a model since %s, which is "
                                 "missing: copy it to that folder", path,
                                 beside + folder_bytes(beside))
                   : fault_system(fault, "cannot open %s", beside));
    if (fd >= 0)
        got = mapped_open(mapped, fd, beside, NULL, fault);
    if (got == 0)
        got = read_one(&mapped->reader, whole, fault);
    if (got > 0 && (whole->rounds != of.rounds || whole->record.has_crc != CRC_KEPT ||
                    whole->record.crc != of.crc))
        got = fault_data(fault, "%s is not the model of that name", beside);
    if (fd >= 0)
        close(fd);
    free(beside);
    return got;
}

int model_file_patched(const char *path, struct record *record, struct buffer *payload,
                       struct fault *fault)
{
    struct patch_of of;
    struct model whole;
    struct mapped mapped = { .map = NULL };
    int got = patch_since(record, &of, fault);
    if (got == 0)
        got = read_whole(path, of, &mapped, &whole, fault);
    if (got > 0 && patch_apply(record, &whole.record, payload, fault) < 0) {
        fault_place(fault, "%s: ", path);
        got = -1;
    }
    mapped_close(&mapped);
    return got < 0 ? -1 : 0;
}

/* A patch was read: the model has the numbers of both files, in memory that `mapped` keeps. */
static int take_patched(const char *path, struct mapped *mapped, struct model *model,
                        struct fault *fault)
{
    struct buffer payload = { .at = NULL };
    int got = model_file_patched(path, &model->record, &payload, fault);
    mapped_close(mapped);
    *mapped = (struct mapped){ .reader = { .fd = -1, .name = path, .buffer = payload } };
    return got < 0 || model_read(model, fault) < 0 ? -1 : 1;
}

int model_file_read(int fd, const char *path, struct mapped *mapped, struct model *model,
                    struct fault *fault)
{
    int got = mapped_open(mapped, fd, path, NULL, fault);
    mapped->reader.patches = true;
    if (got == 0)
        got = read_one(&mapped->reader, model, fault);
    if (got > 0 && model->record.kind == RECORD_PATCH)
        got = take_patched(path, mapped, model, fault);
    if (got < 0 && fault->kind == FAULT_CUT)
        fault->kind = FAULT_DATA;
    return got;
}

int model_file_load(const char *path, const struct watch *watch, struct mapped *mapped,
                    struct model *model, struct fault *fault)
{
    *mapped = (struct mapped){ .map = NULL };
    int fd = watch_open(watch, path, O_RDONLY, 0, fault);
    if (fd < 0)
        return errno == ENOENT ? 0 : fault_system(fault, "cannot open %s", path);
    int got = model_file_read(fd, path, mapped, model, fault);
    close(fd);
    return got;
}

/* ---- saving ---- */

/* Gives the file, which holds a whole model, the name that patches of it tell, too. 1; 0 where the
 * file system has no links. */
static int keep_whole(const char *path, struct patch_of of, struct fault *fault)
{
    char *beside = path_of_whole(path, of, fault);
    if (!beside) return -1;
    bool kept = (link(path, beside) == 0 || errno == EEXIST) && sync_folder_of(beside) == 0;
    free(beside);
    return kept;
}

/* The whole model that a patch can be of: the one in the file, or that of the patch there. 1; 0:
 * there is none, or it is too small; or a fault. */
static int find_whole(const char *path, struct patch_of *of, struct fault *fault)
{
    struct model model;
    struct mapped mapped = { .map = NULL };
    int fd = watch_open(NULL, path, O_RDONLY, 0, fault);
    if (fd < 0)
        return errno == ENOENT ? 0 : fault_system(fault, "cannot open %s", path);
    int got = mapped_open(&mapped, fd, path, NULL, fault);
    mapped.reader.patches = true;
    if (got == 0)
        got = reader_header(&mapped.reader, &model.record, fault);
    if (got > 0 && model.record.kind == RECORD_PATCH) {
        got = patch_since(&model.record, of, fault) < 0 ? -1 : 1;
    } else if (got > 0) {
        got = model_header(&model, fault) < 0 ? -1
              : model.record.has_crc == CRC_KEPT && model.record.bytes >= PATCH_WHOLE;
        *of = (struct patch_of){ model.rounds, model.record.crc };
        if (got > 0)
            got = keep_whole(path, *of, fault);
    }
    mapped_close(&mapped);
    close(fd);
    return got;
}

static int write_model(struct writer *writer, const struct record *record, struct fault *fault)
{
    int result = made_together(record)
                     ? write_in_place(writer->pending.fd, writer->name, record, fault)
                     : writer_record(writer, record, fault);
    return result < 0 ? -1 : writer_end(writer, 1, fault);
}

/* Puts a record of the model in the place of the file. */
static int replace(const struct model_file *file, const struct record *record, uint64_t rounds,
                   struct fault *fault)
{
    struct fresh_file new;
    int result = fresh_file_open_as(&new, file->path, NEW, fault);
    if (result == 0)
        result = write_model(&new.writer, record, fault);
    if (result == 0)
        result = fresh_file_sync(&new, fault);
    if (result == 0 && file->keep)
        result = history_add(file->path, new.new_path, rounds, fault);
    if (result == 0)
        result = fresh_file_finish(&new, fault);
    fresh_file_close(&new);
    if (result == 0 && file->keep)
        result = history_trim(file->path, rounds, file->keep, fault);
    return result;
}

/* Saves what changed since the whole model. 1; 0: that cannot be, or is not worth while, and a file
 * that cannot be read is no hindrance to replace it; or a fault. */
static int save_patch(const struct model_file *file, const struct model *model,
                      struct fault *fault)
{
    struct patch_of of;
    struct model whole;
    struct mapped mapped = { .map = NULL };
    struct model_patch patch = { .tables = 0 };
    int got = find_whole(file->path, &of, fault);
    if (got > 0)
        got = read_whole(file->path, of, &mapped, &whole, fault);
    if (got < 0 && fault->kind != FAULT_STOPPED) {
        *fault = (struct fault){ FAULT_NONE, "" };
        got = 0;
    }
    if (got > 0)
        got = patch_make(&patch, &model->record, &whole.record, of,
                         (size_t)whole.record.bytes / PATCH_PART, fault);
    if (got > 0) {
        record_want_crc(&patch.record);
        got = replace(file, &patch.record, model->rounds, fault) < 0 ? -1 : 1;
    }
    patch_close(&patch);
    mapped_close(&mapped);
    return got;
}

int model_file_save(const struct model_file *file, const struct model *model, struct fault *fault)
{
    int patched = file->patches ? save_patch(file, model, fault) : 0;
    return patched == 0 ? replace(file, &model->record, model->rounds, fault)
                        : patched < 0 ? -1 : 0;
}
