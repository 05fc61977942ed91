#include "explore/examination.h"

#include <string.h>

#include "base/text.h"
#include "io/lines.h"

static bool is_theta(double theta)
{
    return theta >= EXAMINATION_LEAST && theta <= 1 / EXAMINATION_LEAST;
}

/* Adds a number. 0 or a fault (memory). */
static int add(struct examination *my, double theta, struct fault *fault)
{
    size_t room = 16;
    while (room <= my->places)
        room *= 2;
    my->theta = buffer_for(&my->buffer, room, sizeof *my->theta, fault);
    if (!my->theta) return -1;
    my->theta[my->places++] = theta;
    return 0;
}

/* The number that is the word at p, and where the next word begins; NULL: it is none. */
static const char *read_word(const char *p, double *number)
{
    char word[64];
    size_t n = text_word_bytes(p);
    if (n == 0 || n >= sizeof word)
        return NULL;
    memcpy(word, p, n);
    word[n] = '\0';
    return text_real(word, number) ? text_skip_word(p) : NULL;
}

static int read_line(struct examination *my, struct lines *lines, struct fault *fault)
{
    const char *p = text_skip_blanks(lines->text), *after;
    size_t n = strlen(p);
    double position, theta;
    if (!*p || *p == '#' || (my->places == 0 && !strchr("0123456789+-.", *p)))
        return 0;
    after = read_word(p, &position);
    if (!after || position != (double)(my->places + 1))
        return lines_wrong(lines, p, n, fault, "not the line of position %zu: a table has one for "
                           "each position, from 1 on: the position and its examination",
                           my->places + 1);
    if (!read_word(after, &theta) || !is_theta(theta))
        return lines_wrong(lines, p, n, fault, "the examination of position %zu must be a number "
                           "from %g to %g", my->places + 1, EXAMINATION_LEAST,
                           1 / EXAMINATION_LEAST);
    if (my->places == EXAMINATION_PLACES)
        return lines_wrong(lines, p, n, fault, "more than %d positions", EXAMINATION_PLACES);
    return add(my, theta, fault);
}

int examination_read(struct examination *my, const char *path, struct watch *watch,
                     struct fault *fault)
{
    char *const files[] = { (char *)path, NULL };
    struct lines lines;
    int got;
    my->places = 0;
    if (strcmp(path, "-") == 0)
        return fault_usage(fault, "the table of examination must be a file, as standard input has "
                           "the rounds");
    lines_open(&lines, files, watch);
    while ((got = lines_next(&lines, fault)) > 0)
        if (read_line(my, &lines, fault) < 0)
            break;
    lines_close(&lines);
    if (got == 0 && my->places == 0)
        return fault_data(fault, "%s: no position: a table has a line for each, from 1 on: the "
                          "position and its examination", path);
    return got == 0 ? 0 : -1;
}

double *examination_new(struct examination *my, size_t places, struct fault *fault)
{
    my->theta = buffer_for(&my->buffer, places, sizeof *my->theta, fault);
    my->places = my->theta ? places : 0;
    return my->theta;
}

int examination_check(const struct examination *my, struct fault *fault)
{
    for (size_t k = 0; k < my->places; k++)
        if (!is_theta(my->theta[k]))
            return fault_data(fault, "the examination of position %zu is %g, not a number from %g "
                              "to %g", k + 1, my->theta[k], EXAMINATION_LEAST,
                              1 / EXAMINATION_LEAST);
    return 0;
}

int examination_covers(const struct examination *my, size_t places, struct fault *fault)
{
    if (places <= my->places)
        return 0;
    return fault_data(fault, "seen covers %zu places, and the table of examination has %zu: add "
                      "lines to the table, or show fewer documents", places, my->places);
}

void examination_close(struct examination *my)
{
    buffer_free(&my->buffer);
}
