/* stored: a file of stored rounds, all of one form, mapped as replay maps it: where the labels and
 * the features of each lie. For the bare programs: nothing is checked, and a fault is exit 1. */
#ifndef RANKPIPE_STORED_H
#define RANKPIPE_STORED_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct bare {
    size_t docs, dim, bytes;    /* of the payload: labels, then features              */
    const unsigned char *label; /* float[docs]                                        */
    const unsigned char *x;     /* float[docs][dim]; NULL where they are sparse       */
    const unsigned char *ptr, *idx, *val; /* as rankpipe(5) has them, features from 0 */
};

struct stored {
    int fd;
    const unsigned char *bytes;
    size_t rounds;
    struct bare *round;
};

static inline size_t stored_number(const char *line, const char *key)
{
    return (size_t)strtoull(strstr(line, key) + strlen(key), NULL, 10);
}

static inline struct bare stored_round(const char *line, const unsigned char *payload)
{
    struct bare round = { .docs = stored_number(line, " docs="),
                          .dim = stored_number(line, " dim="),
                          .bytes = stored_number(line, " bytes="), .label = payload };
    const unsigned char *features = payload + 4 * round.docs;
    size_t rest = round.bytes - 4 * round.docs, dense = 4 * round.docs * round.dim;
    size_t entries = (rest - 4 * (round.docs + 1)) / 8;
    if (rest == dense) {
        round.x = features;
    } else {
        round.ptr = features;
        round.idx = round.ptr + 4 * (round.docs + 1);
        round.val = round.idx + 4 * entries;
    }
    return round;
}

static inline struct stored stored_open(const char *path)
{
    struct stat is;
    struct stored stored = { .fd = open(path, O_RDONLY) };
    if (stored.fd < 0 || fstat(stored.fd, &is) < 0 ||
        (stored.bytes = mmap(NULL, (size_t)is.st_size, PROT_READ, MAP_PRIVATE, stored.fd, 0)) ==
            MAP_FAILED) {
        perror(path);
        exit(1);
    }
    const char *line = (const char *)stored.bytes;
    while (strncmp(line, "rankpipe/1 round ", 17) == 0) {
        const char *payload = strchr(line, '\n') + 1;
        stored.round = realloc(stored.round, (stored.rounds + 1) * sizeof *stored.round);
        if (!stored.round)
            exit(1);
        struct bare round = stored_round(line, (const unsigned char *)payload);
        stored.round[stored.rounds++] = round;
        line = payload + round.bytes;
    }
    return stored;
}

/* A number where it lies, aligned or not. */
static inline float stored_f4(const unsigned char *at)
{
    float value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint32_t stored_u4(const unsigned char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

#endif
