#include "text/svm_share.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/lines.h"
#include "text/qid_word.h"

/* Reads up to the first line with another qid than the one with a qid before. *left is then what is
 * left of the file with that line, 0 where there is none. */
static int find_line(struct lines *lines, uint64_t *left, struct fault *fault)
{
    int got;
    char first[QID_BYTES + 1] = "", qid[QID_BYTES + 1];
    bool any = false;
    while (*left = lines_left(lines), (got = lines_next_any(lines, fault)) > 0) {
        if (!qid_word_find(lines->text, qid))
            continue;
        if (any && strcmp(qid, first) != 0)
            return 0;
        strcpy(first, qid);
        any = true;
    }
    return got;
}

/* Where the first query begins that is known to begin after byte b of the file; 0 for the first. */
static int find_border(const char *file, struct watch *watch, uint64_t size, uint64_t b,
                       uint64_t *border, struct fault *fault)
{
    struct lines lines;
    uint64_t left = size;
    char *const files[] = { (char *)file, NULL };
    *border = b == 0 ? 0 : size;
    if (b == 0 || b >= size)
        return 0;
    lines_open(&lines, files, watch);
    lines_part(&lines, b - 1, size);
    int got = lines_next_any(&lines, fault); /* the rest of a line that began before */
    if (got > 0)
        got = find_line(&lines, &left, fault);
    lines_close(&lines);
    *border = size - (got < 0 ? 0 : left);
    return got < 0 ? -1 : 0;
}

static int find_size(const char *file, struct watch *watch, uint64_t *size, struct fault *fault)
{
    struct stat is = { 0 };
    int fd = watch_open(watch, file, O_RDONLY | O_NONBLOCK, 0, fault);
    if (fd < 0)
        return fault_system(fault, "cannot open %s", file);
    if (fstat(fd, &is) < 0)
        (void)fault_system(fault, "cannot examine %s", file);
    else if (!S_ISREG(is.st_mode))
        (void)fault_other(fault, "%s is not a regular file, which -i needs", file);
    close(fd);
    *size = (uint64_t)is.st_size;
    return fault->kind == FAULT_NONE ? 0 : -1;
}

/* The first byte of the shares after so many of them, before they are moved to a border. */
static uint64_t first_byte(const struct svm_share *share, uint64_t size, uint64_t before)
{
    return size / share->shares * before + size % share->shares * before / share->shares;
}

int svm_share_find(struct svm_share *share, const char *file, struct watch *watch,
                   struct fault *fault)
{
    uint64_t size = 0, n = share->number;
    if (find_size(file, watch, &size, fault) < 0)
        return -1;
    uint64_t from = first_byte(share, size, n - 1), to = first_byte(share, size, n);
    return find_border(file, watch, size, from, &share->from, fault) < 0 ||
                   find_border(file, watch, size, to, &share->to, fault) < 0 ? -1 : 0;
}
