/* header: any bytes as a header line. One that is accepted is written back as it was, and still
 * reads as what it is after keys and columns have come and gone. */
#include "stream/record_header.h"
#include "target.h"

static struct record record, again;

static void write_line(const struct record *from, char line[RECORD_LINE + 1], size_t *n)
{
    struct fault fault = { FAULT_NONE, "" };
    hold(header_print(from, line, n, &fault) == 0, "a line that was read can be written");
}

/* What filters do to the records that they pass on. False where the line has no room for it. Only
 * rounds have a number. */
static bool change(void)
{
    struct fault fault = { FAULT_NONE, "" };
    bool round = record.kind == RECORD_ROUND;
    return (!round || record_set_number(&record, 0, "t", RECORD_MOST - 1, &fault) == 0) &&
           record_set(&record, record.keys, "x-fuzz", "1", &fault) == 0 &&
           record_put(&record, "score", COLUMN_F8, 2, NULL, &fault) == 0;
}

static void hold_same_record(void)
{
    hold(again.kind == record.kind && again.keys == record.keys &&
             again.columns == record.columns, "a changed record has its keys and columns");
    for (size_t k = 0; k < record.keys; k++)
        hold(strcmp(again.key[k].name, record.key[k].name) == 0 &&
                 strcmp(again.key[k].value, record.key[k].value) == 0, "keys keep their places");
    for (size_t c = 0; c < record.columns; c++)
        hold(strcmp(again.column[c].name, record.column[c].name) == 0 &&
                 again.column[c].type == record.column[c].type &&
                 again.column[c].count == record.column[c].count, "columns keep their places");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct fault fault = { FAULT_NONE, "" };
    char line[RECORD_LINE + 1];
    size_t written;
    if (n > INPUT_MOST)
        return 0;
    if (header_parse(&record, (const char *)bytes, n, &fault) < 0) {
        hold_explained(&fault);
        return 0;
    }
    write_line(&record, line, &written);
    hold(written == n + 1 && memcmp(line, bytes, n) == 0, "a line is written as it was read");
    if (record.kind == RECORD_END || !change() ||
        header_print(&record, line, &written, &fault) < 0)
        return 0;
    hold(header_parse(&again, line, written - 1, &fault) == 0, "a changed record's line is one");
    hold_same_record();
    return 0;
}
