#include "deck.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "round.h"

struct stored { /* one stream */
    struct reader reader;
    void *map; /* NULL where the reader's own space holds it */
    size_t bytes;
};

struct card { /* one round: where it begins */
    size_t stream, at;
};

/* The bytes of a regular file, without reading them. */
static int map_file(struct stored *stored, int fd, const char *name, struct fault *fault)
{
    struct stat is;
    if (fstat(fd, &is) < 0)
        return fault_system(fault, "cannot read %s", name);
    if (!S_ISREG(is.st_mode) || is.st_size == 0 || lseek(fd, 0, SEEK_CUR) > 0)
        return 0; /* standard input may have been read from before */
    if ((uintmax_t)is.st_size > SIZE_MAX)
        return fault_memory(fault, SIZE_MAX);
    stored->bytes = (size_t)is.st_size;
    stored->map = mmap(NULL, stored->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (stored->map == MAP_FAILED) {
        stored->map = NULL;
        return fault_system(fault, "cannot map %s", name);
    }
    reader_open_memory(&stored->reader, stored->map, stored->bytes, name);
    return 0;
}

/* Notes where each round lies; reading them to the end is the check. */
static int index_rounds(struct deck *deck, struct stored *stored, struct fault *fault)
{
    int got;
    struct round round;
    struct record *record = malloc(sizeof *record);
    if (!record)
        return fault_memory(fault, sizeof *record);
    round_open(&round, record);
    while ((got = reader_next(&stored->reader, record, fault)) > 0) {
        struct card *card = space_for(&deck->cards, deck->rounds + 1, sizeof *card, fault);
        if (!card)
            got = -1;
        else if (record->kind != RECORD_ROUND)
            got = fault_data(fault, "%s holds a model among its rounds", stored->reader.name);
        else if (deck->rounds == UINT32_MAX)
            got = fault_data(fault, "%s: more than 2^32 rounds", stored->reader.name);
        else if ((got = round_read(&round, fault)) < 0)
            fault_place(fault, "%s: %s: ", stored->reader.name, stored->reader.last);
        if (got < 0)
            break;
        card[deck->rounds++] = (struct card){ deck->streams, stored->reader.at };
    }
    round_close(&round);
    free(record);
    return got;
}

int deck_add(struct deck *deck, const char *file, struct watch *watch, struct fault *fault)
{
    bool standard = strcmp(file, "-") == 0;
    const char *name = standard ? "<stdin>" : file;
    struct stored *stored = space_for(&deck->stored, deck->streams + 1, sizeof *stored, fault);
    if (!stored)
        return -1;
    stored += deck->streams;
    *stored = (struct stored){ .map = NULL };
    int fd = standard ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fault_system(fault, "cannot open %s", file);
    reader_open(&stored->reader, fd, name, watch);
    stored->reader.keep = true;
    int result = map_file(stored, fd, name, fault);
    if (result == 0)
        result = index_rounds(deck, stored, fault);
    deck->streams++;
    if (!standard)
        close(fd);
    return result;
}

int deck_round(const struct deck *deck, size_t i, struct record *record, struct fault *fault)
{
    const struct card *card = (const struct card *)deck->cards.at + i;
    const struct stored *stored = (const struct stored *)deck->stored.at + card->stream;
    struct reader reader;
    reader_open_memory(&reader, stored->reader.bytes + card->at, stored->reader.until - card->at,
                       stored->reader.name);
    int got = reader_next(&reader, record, fault);
    record->mapped = stored->map != NULL;
    return got > 0 ? 0 : -1;
}

void deck_close(struct deck *deck)
{
    struct stored *stored = deck->stored.at;
    for (size_t i = 0; i < deck->streams; i++) {
        if (stored[i].map)
            munmap(stored[i].map, stored[i].bytes);
        reader_close(&stored[i].reader);
    }
    space_free(&deck->stored);
    space_free(&deck->cards);
}
