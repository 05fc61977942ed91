/* power_loss: what a disk may hold after the power failed, by a journal that journal.so wrote.
 *
 *     power_loss JOURNAL                      prints the number of its entries
 *     power_loss JOURNAL ENTRIES SEED FOLDER TO
 *
 * The power fails after so many entries. TO, which is made, gets what was then in FOLDER, where the
 * journal's programs ran, and which was empty before. What was synced is there. What was not may be
 * there or not, each change of a name and each sector of 512 bytes for itself, as the seed draws; a
 * sector that is not there is what it was before, or zeros. Prints how many bytes the programs had
 * shown by then, how often FOLDER was synced, and a hash of what TO has. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "math/rng.h"

enum { SECTOR = 512, WORD = 300, INODES = 4096 };

enum kind { NEW, NAME, GONE, MOVE, WRITE, SIZE, SYNC, SHOWN };
static const char *const kinds[] = { "new", "name", "gone", "move", "write", "size", "sync",
                                     "shown" };

struct entry {
    enum kind kind;
    bool synced;
    long object, folder, to; /* numbers of objects: an inode may be used again */
    long at, n;
    char name[WORD], new_name[WORD];
    char *bytes;
};

struct object {
    char *bytes; /* of a file */
    long n;
};

struct name { /* that an object has */
    long folder, object;
    char text[WORD];
};

static struct entry *entries;
static size_t count;
static struct object objects[INODES];
static unsigned long inodes[INODES]; /* of each object; the last one of an inode lives */
static long made;
static struct name names[INODES];
static size_t named;

static _Noreturn void stop(const char *what)
{
    fprintf(stderr, "power_loss: %s\n", what);
    exit(2);
}

/* ---- the journal ---- */

static long object_of(unsigned long inode)
{
    for (long i = made - 1; i >= 0; i--)
        if (inodes[i] == inode)
            return i;
    if (made == INODES)
        stop("too many files");
    inodes[made] = inode;
    return made++;
}

static void read_bytes(FILE *file, struct entry *entry)
{
    entry->bytes = malloc((size_t)entry->n + 1);
    if (!entry->bytes || fread(entry->bytes, 1, (size_t)entry->n, file) != (size_t)entry->n)
        stop("a write without its bytes");
}

static void read_entry(const char *line, FILE *file, struct entry *entry)
{
    unsigned long inode = 0, folder = 0, to = 0;
    char kind[16];
    int from = 0;
    if (sscanf(line, "%15s %n", kind, &from) != 1)
        stop("an empty line");
    while (strcmp(kind, kinds[entry->kind]) != 0)
        if (++entry->kind > SHOWN)
            stop(line);
    line += from;
    if (entry->kind == NAME || entry->kind == GONE)
        sscanf(line, "%lu %lu %299s", &folder, &inode, entry->name);
    else if (entry->kind == MOVE)
        sscanf(line, "%lu %lu %299s %lu %299s", &folder, &inode, entry->name, &to, entry->new_name);
    else if (entry->kind == WRITE)
        sscanf(line, "%lu %ld %ld", &inode, &entry->at, &entry->n);
    else if (entry->kind == SHOWN)
        sscanf(line, "%ld", &entry->n);
    else
        sscanf(line, "%lu %ld", &inode, &entry->n);
    if (entry->kind == NEW && made < INODES)
        inodes[made++] = inode;
    entry->object = entry->kind == SHOWN ? -1 : object_of(inode);
    entry->folder = folder ? object_of(folder) : -1;
    entry->to = to ? object_of(to) : -1;
    if (entry->kind == WRITE)
        read_bytes(file, entry);
}

static void read_journal(const char *path)
{
    char line[2048];
    FILE *file = fopen(path, "rb");
    if (!file)
        stop("cannot read the journal");
    while (fgets(line, sizeof line, file)) {
        entries = realloc(entries, (count + 1) * sizeof *entries);
        if (!entries)
            stop("no memory");
        entries[count] = (struct entry){ .kind = NEW };
        read_entry(line, file, &entries[count++]);
    }
    fclose(file);
}

/* ---- what is left ---- */

static void sync_object(long object, size_t until)
{
    for (size_t i = 0; i < until; i++) {
        bool of_file = entries[i].kind == WRITE || entries[i].kind == SIZE;
        long where = of_file ? entries[i].object : entries[i].folder;
        if (where == object || (entries[i].kind == MOVE && entries[i].to == object))
            entries[i].synced = true;
    }
}

static void resize(struct object *file, long n)
{
    file->bytes = realloc(file->bytes, (size_t)n + 1);
    if (!file->bytes)
        stop("no memory");
    if (n > file->n)
        memset(file->bytes + file->n, 0, (size_t)(n - file->n));
    file->n = n;
}

struct odds { /* that what was not synced is there */
    double data, names, zeros;
};

static void write_sectors(const struct entry *entry, const struct odds *odds, struct rng *rng)
{
    struct object *file = &objects[entry->object];
    const long end = entry->at + entry->n;
    for (long from = entry->at, to; from < end; from = to) {
        to = (from / SECTOR + 1) * SECTOR;
        to = to < end ? to : end;
        bool kept = entry->synced || rng_unit(rng) < odds->data;
        if (!kept && rng_unit(rng) >= odds->zeros)
            continue;
        if (to > file->n)
            resize(file, to);
        if (kept)
            memcpy(file->bytes + from, entry->bytes + (from - entry->at), (size_t)(to - from));
    }
}

static struct name *find(long folder, const char *text)
{
    for (size_t i = 0; i < named; i++)
        if (names[i].folder == folder && strcmp(names[i].text, text) == 0)
            return &names[i];
    return NULL;
}

static void remove_name(long folder, const char *text)
{
    struct name *name = find(folder, text);
    if (name)
        *name = names[--named];
}

static void add_name(long folder, const char *text, long object)
{
    remove_name(folder, text);
    if (named == INODES)
        stop("too many names");
    names[named] = (struct name){ .folder = folder, .object = object };
    strcpy(names[named++].text, text);
}

static void change_names(const struct entry *entry)
{
    if (entry->kind == NAME)
        add_name(entry->folder, entry->name, entry->object);
    else
        remove_name(entry->folder, entry->name);
    if (entry->kind == MOVE)
        add_name(entry->to, entry->new_name, entry->object);
}

static void apply(size_t until, uint64_t seed)
{
    struct rng rng = rng_at(seed, RNG_SAMPLE, 1);
    static const double choices[] = { 0, 0.5, 1 };
    struct odds odds = { choices[rng_below(&rng, 3)], choices[rng_below(&rng, 3)],
                         choices[rng_below(&rng, 2)] };
    for (size_t i = 0; i < until; i++)
        if (entries[i].kind == SYNC)
            sync_object(entries[i].object, i);
    for (size_t i = 0; i < until; i++) {
        const struct entry *entry = &entries[i];
        if (entry->kind == WRITE)
            write_sectors(entry, &odds, &rng);
        else if (entry->kind == SIZE && (entry->synced || rng_unit(&rng) < odds.data))
            resize(&objects[entry->object], entry->n);
        else if (entry->kind == NAME || entry->kind == GONE || entry->kind == MOVE)
            if (entry->synced || rng_unit(&rng) < odds.names)
                change_names(entry);
    }
}

/* ---- a folder of it ---- */

static bool is_folder(long object)
{
    for (size_t i = 0; i < count; i++)
        if (entries[i].folder == object)
            return true;
    return false;
}

static uint64_t hash = 14695981039346656037u; /* FNV-1a: of paths and files, with their lengths */

static void add_hash(const char *bytes, size_t n)
{
    for (size_t i = 0; i < sizeof n + n; i++)
        hash = (hash ^ (i < sizeof n ? (unsigned char)(n >> 8 * i)
                                     : (unsigned char)bytes[i - sizeof n])) * 1099511628211u;
}

static void write_file(const char *path, const struct object *file)
{
    FILE *out = fopen(path, "wb");
    const size_t n = (size_t)file->n;
    if (!out || (n && fwrite(file->bytes, 1, n, out) != n) || fclose(out) != 0)
        stop("cannot write a file");
    add_hash(file->bytes, n);
}

static void write_folder(long folder, const char *to)
{
    char path[2 * WORD];
    if (mkdir(to, 0777) < 0 && errno != EEXIST)
        stop("cannot make a folder");
    for (size_t i = 0; i < named; i++) {
        if (names[i].folder != folder)
            continue;
        snprintf(path, sizeof path, "%s/%s", to, names[i].text);
        add_hash(path, strlen(path));
        if (is_folder(names[i].object))
            write_folder(names[i].object, path);
        else
            write_file(path, &objects[names[i].object]);
    }
}

static void print_sums(size_t until, long folder)
{
    long shown = 0, syncs = 0;
    for (size_t i = 0; i < until; i++) {
        shown += entries[i].kind == SHOWN ? entries[i].n : 0;
        syncs += entries[i].kind == SYNC && entries[i].object == folder;
    }
    printf("%ld %ld %" PRIx64 "\n", shown, syncs, hash);
}

int main(int argc, char **argv)
{
    struct stat is;
    if (argc != 2 && argc != 6)
        stop("usage: power_loss journal [entries seed folder to]");
    read_journal(argv[1]);
    if (argc == 2) {
        printf("%zu\n", count);
        return 0;
    }
    size_t until = strtoul(argv[2], NULL, 10);
    if (until > count || stat(argv[4], &is) < 0)
        stop("no such entry or folder");
    long folder = object_of((unsigned long)is.st_ino);
    apply(until, strtoull(argv[3], NULL, 10));
    write_folder(folder, argv[5]);
    print_sums(until, folder);
    return 0;
}
