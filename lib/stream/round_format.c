#include "stream/round_format.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stream/record_header.h"

#define AT(member) .value = offsetof(struct round, member)
#define GIVEN(member) .given = offsetof(struct round, member)
#define COUNT (RECORD_MOST - 1) /* most of numbers that count rounds, or the time */

/* Ways to draw an order, of which a round has one. */
#define DRAWN                                                                                      \
    (FORMAT_KEY(KEY_GAMMA) | FORMAT_KEY(KEY_SUBSET) | FORMAT_COLUMN(ROUND_LOGIT) |                 \
     FORMAT_COLUMN(ROUND_TEAM) | FORMAT_COLUMN(ROUND_PROPENSITY))

const struct format format_keys[ROUND_KEYS + 1] = {
    [KEY_T] = { "t", FORMAT_WHOLE, .least = 1, .most = COUNT, .of = OF_ROUND, .required = true,
                AT(t) },
    [KEY_QID] = { "qid", FORMAT_ENCODED, .most = ROUND_QID, .of = OF_LIST, AT(qid) },
    [KEY_REQUEST] = { "request", FORMAT_ENCODED, .most = ROUND_REQUEST, .of = OF_ROUND,
                      AT(request) },
    [KEY_TIME] = { "time", FORMAT_WHOLE, .most = COUNT, .of = OF_ROUND, AT(time), GIVEN(timed) },
    [KEY_CLIENT] = { "client", FORMAT_ENCODED, .most = ROUND_CLIENT, .of = OF_ROUND, AT(client) },
    [KEY_CLICKS] = { "clicks", FORMAT_WHOLE, .least = 1, .most = 1, .of = OF_USERS, AT(clicks),
                     .needs = FORMAT_COLUMN(ROUND_SEEN) },
    [KEY_DOCS] = { "docs", FORMAT_SIZE, .least = 1, .most = ROUND_DOCS, .of = OF_LIST,
                   .required = true, AT(docs) },
    [KEY_DIM] = { "dim", FORMAT_SIZE, .most = ROUND_DIM, .of = OF_LIST, .required = true, AT(dim) },
    [KEY_MADE] = { "made", FORMAT_STEPS, .most = ROUND_MADE, .of = OF_LIST, AT(made) },
    [KEY_NAMED] = { "named", FORMAT_HEX, .most = ROUND_NAMED, .of = OF_LIST, AT(named) },
    [KEY_BASED] = { "based", FORMAT_HEX, .most = ROUND_BASED, .of = OF_LIST, AT(based),
                    .needs = FORMAT_COLUMN(ROUND_BASE) },
    [KEY_JUDGED] = { "judged", FORMAT_WHOLE, .least = 1, .most = ROUND_DOCS, .of = OF_MODEL,
                     AT(judged) },
    [KEY_RATES] = { "rates", FORMAT_WHOLE, .least = 1, .most = 1, .of = OF_MODEL, AT(rates) },
    [KEY_GAMMA] = { "gamma", FORMAT_NUMBER, .most = 1, .of = OF_DRAW, .choice = true, AT(gamma),
                    GIVEN(explored), .excludes = DRAWN & ~FORMAT_KEY(KEY_GAMMA) },
    [KEY_TOP] = { "top", FORMAT_WHOLE, .least = 1, .most = ROUND_DOCS, .of = OF_DRAW,
                  .choice = true, AT(top), .needs = FORMAT_KEY(KEY_GAMMA),
                  .excludes = FORMAT_KEY(KEY_SWAP) | FORMAT_KEY(KEY_SLOT) },
    [KEY_SWAP] = { "swap", FORMAT_WHOLE, .least = 1, .most = ROUND_DOCS, .of = OF_DRAW,
                   .choice = true, AT(swap), .needs = FORMAT_KEY(KEY_GAMMA),
                   .excludes = FORMAT_KEY(KEY_TOP) | FORMAT_KEY(KEY_SLOT) },
    [KEY_SLOT] = { "slot", FORMAT_WHOLE, .least = 1, .most = ROUND_DOCS, .of = OF_DRAW,
                   .choice = true, AT(slot), .needs = FORMAT_KEY(KEY_GAMMA),
                   .excludes = FORMAT_KEY(KEY_TOP) | FORMAT_KEY(KEY_SWAP) },
    [KEY_SUBSET] = { "subset", FORMAT_WHOLE, .least = 1, .most = FORMAT_DOCS, .of = OF_DRAW,
                     .choice = true, AT(subset),
                     .needs = FORMAT_COLUMN(ROUND_ORDER) | FORMAT_COLUMN(ROUND_SCORE),
                     .excludes = (DRAWN & ~FORMAT_KEY(KEY_SUBSET)) | FORMAT_KEY(KEY_BLOCK) },
    [KEY_BLOCK] = { "block", FORMAT_WHOLE, .most = COUNT, .of = OF_DRAW, .choice = true, AT(block),
                    GIVEN(in_block), .excludes = FORMAT_KEY(KEY_SUBSET) },
    [KEY_GROUP] = { "group", FORMAT_WHOLE, .most = FORMAT_DOCS, .of = OF_DRAW, .choice = true,
                    AT(group), GIVEN(grouped), .needs = FORMAT_KEY(KEY_BLOCK) },
    [KEY_SEED] = { "seed", FORMAT_WHOLE, .most = RECORD_MOST, .of = OF_DRAW, .choice = true,
                   AT(seed), GIVEN(seeded) },
    [ROUND_KEYS] = { "crc", FORMAT_HEX, .most = CHECKSUM_DIGITS, .of = OF_RECORD },
};

#define FINITE .least = -DBL_MAX, .most = DBL_MAX

const struct format format_columns[ROUND_COLUMNS + 1] = {
    [ROUND_LABEL] = { "label", COLUMN_F4, LENGTH_DOCS, .most = FLT_MAX, .of = OF_JUDGES,
                      AT(label) },
    [ROUND_NAME_COLUMN] = { "name", COLUMN_U1, LENGTH_NAMES, .of = OF_LIST },
    [ROUND_FINGERPRINT] = { "fingerprint", COLUMN_U8, LENGTH_DOCS, .of = OF_LIST, AT(fingerprint) },
    [ROUND_BASE] = { "base", COLUMN_U4, LENGTH_DOCS, .most = FORMAT_DOCS, .of = OF_LIST, AT(base) },
    [ROUND_SCORE] = { "score", COLUMN_F8, LENGTH_DOCS, FINITE, .of = OF_MODEL, AT(score) },
    [ROUND_RIVAL] = { "rival", COLUMN_F8, LENGTH_DOCS, FINITE, .of = OF_MODEL, AT(rival) },
    [ROUND_INDEX] = { "index", COLUMN_F8, LENGTH_DOCS, FINITE, .of = OF_MODEL, AT(index) },
    [ROUND_WORTH] = { "worth", COLUMN_F8, LENGTH_DOCS, FINITE, .of = OF_MODEL, AT(worth) },
    [ROUND_HELD] = { "held", COLUMN_U1, LENGTH_DOCS, .most = ROUND_HELD_MOST, .of = OF_MODEL,
                     AT(held) },
    [ROUND_ORDER] = { "order", COLUMN_U4, LENGTH_DOCS, .most = FORMAT_DOCS, .of = OF_DRAW,
                      .choice = true, AT(order) },
    [ROUND_GREEDY] = { "greedy", COLUMN_U4, LENGTH_DOCS, .most = FORMAT_DOCS, .of = OF_DRAW,
                       .choice = true, AT(greedy) },
    [ROUND_LOGIT] = { "logit", COLUMN_F8, LENGTH_DOCS, FINITE, .of = OF_DRAW, .choice = true,
                      AT(logit), .needs = FORMAT_COLUMN(ROUND_ORDER),
                      .excludes = DRAWN & ~FORMAT_COLUMN(ROUND_LOGIT) },
    [ROUND_TEAM] = { "team", COLUMN_U1, LENGTH_DOCS, .most = 1, .of = OF_DRAW, .choice = true,
                     AT(team), .needs = FORMAT_COLUMN(ROUND_ORDER),
                     .excludes = DRAWN & ~FORMAT_COLUMN(ROUND_TEAM) },
    [ROUND_SEEN] = { "seen", COLUMN_F4, LENGTH_PLACES, .most = FLT_MAX, .of = OF_USERS, AT(seen),
                     .needs = FORMAT_COLUMN(ROUND_ORDER) },
    [ROUND_PROPENSITY] = { "propensity", COLUMN_F8, LENGTH_PLACES, .least = DBL_MIN, .most = 1,
                           .of = OF_USERS, .choice = true, AT(propensity),
                           .needs = FORMAT_COLUMN(ROUND_SEEN),
                           .excludes = DRAWN & ~FORMAT_COLUMN(ROUND_PROPENSITY) },
    [ROUND_X] = { "x", COLUMN_F4, LENGTH_CELLS, .of = OF_LIST },
    [ROUND_PTR] = { "ptr", COLUMN_U4, LENGTH_STARTS, .of = OF_LIST },
    [ROUND_IDX] = { "idx", COLUMN_U4, LENGTH_ENTRIES, .of = OF_LIST },
    [ROUND_VAL] = { "val", COLUMN_F4, LENGTH_ENTRIES, .of = OF_LIST },
    [ROUND_OFFSET] = { "offset", COLUMN_F4, LENGTH_DIM, .of = OF_LIST },
    [ROUND_STEP] = { "step", COLUMN_F4, LENGTH_DIM, .of = OF_LIST },
    [ROUND_NUMBER] = { "number", COLUMN_U1, LENGTH_CELLS, .of = OF_LIST }, /* or u2 */
    [ROUND_COLUMNS] = { "label-*", COLUMN_TYPES, LENGTH_ANY, .of = OF_JUDGES },
};

/* ---- what goes together ---- */

enum { NAME_ROOM = 60 };

static const struct format *row_of(unsigned bit)
{
    return bit < ROUND_KEYS ? &format_keys[bit] : &format_columns[bit - ROUND_KEYS];
}

static unsigned lowest(uint64_t bits)
{
    unsigned bit = 0;
    while (!(bits >> bit & 1))
        bit++;
    return bit;
}

/* "gamma=", or "the column logit". */
static const char *name_text(unsigned bit, char text[NAME_ROOM])
{
    bool key = bit < ROUND_KEYS;
    snprintf(text, NAME_ROOM, "%s%s%s", key ? "" : "the column ", row_of(bit)->name,
             key ? "=" : "");
    return text;
}

int format_check_together(const struct format_sets *sets, struct fault *fault)
{
    char name[NAME_ROOM], other[NAME_ROOM];
    uint64_t has = sets->has, left = has;
    if (!(sets->needs & ~has) && !(sets->excludes & has))
        return 0;
    for (; left; left &= left - 1) {
        unsigned bit = lowest(left);
        uint64_t missing = row_of(bit)->needs & ~has, both = row_of(bit)->excludes & has;
        if (missing)
            return fault_data(fault, "%s needs %s, to which it refers",
                              name_text(bit, name) + (bit < ROUND_KEYS ? 0 : strlen("the ")),
                              name_text(lowest(missing), other));
        if (both)
            return fault_data(fault, "%s and %s exclude each other: an order is drawn in one way",
                              name_text(bit, name), name_text(lowest(both), other));
    }
    return 0;
}

/* ---- the table as text ---- */

static const char *type_text(const struct format *row)
{
    static const char *const keys[] = { "whole", "whole", "number", "text", "encoded", "steps",
                                        "hex" };
    if (row->length == LENGTH_NONE)
        return keys[row->type];
    if (row == &format_columns[ROUND_NUMBER])
        return "u1,u2";
    return row->type == COLUMN_TYPES ? "any" : column_type_name((enum column_type)row->type);
}

/* The names of a set, between commas. */
static const char *set_text(uint64_t set, char text[NAME_ROOM])
{
    size_t n = 0;
    for (; set; set &= set - 1)
        n += (size_t)snprintf(text + n, NAME_ROOM - n, "%s%s", n ? "," : "",
                              row_of(lowest(set))->name);
    return n ? text : "-";
}

static const char *bound_text(double bound, char text[NAME_ROOM])
{
    if (bound == FORMAT_DOCS)
        return "docs-1";
    if (fabs(bound) >= FLT_MAX)
        return "finite";
    snprintf(text, NAME_ROOM, "%.17g", bound);
    return text;
}

static void row_text(const char *kind, const struct format *row, char line[FORMAT_LINE])
{
    static const char *const lengths[] = { "-", "any", "names", "docs", "places", "docs*dim",
                                           "docs+1", "entries", "dim" };
    static const char *const owners[] = { "record", "round", "list", "draw", "model", "users",
                                          "judges" };
    bool text = row->length == LENGTH_NONE && row->type >= FORMAT_TEXT;
    bool bounded = !text && (row->least != row->most || row->most != 0);
    char length[NAME_ROOM], least[NAME_ROOM], most[NAME_ROOM];
    char needs[NAME_ROOM], excludes[NAME_ROOM];
    snprintf(line, FORMAT_LINE, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s", kind, row->name,
             type_text(row), text ? bound_text(row->most, length) : lengths[row->length],
             bounded ? bound_text(row->least, least) : "-",
             bounded ? bound_text(row->most, most) : "-", set_text(row->needs, needs),
             set_text(row->excludes, excludes), owners[row->of],
             row->required ? "required" : row->choice ? "choice" : "-");
}

bool format_line(size_t i, char line[FORMAT_LINE])
{
    if (i == 0)
        strcpy(line, "kind\tname\ttype\tlength\tleast\tmost\tneeds\texcludes\tof\tflag");
    else if (i == 1)
        row_text("key", &format_keys[ROUND_KEYS], line);
    else if (i < ROUND_KEYS + 2)
        row_text("key", &format_keys[i - 2], line);
    else if (i < ROUND_KEYS + 2 + ROUND_COLUMNS + 1)
        row_text("column", &format_columns[i - ROUND_KEYS - 2], line);
    return i < ROUND_KEYS + 2 + ROUND_COLUMNS + 1;
}
