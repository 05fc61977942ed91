/* patch: a whole model, and then a patch of one, as two files have them: what patch_apply makes of
 * them is a model, whose table of keys still rises. */
#include "target.h"

#include "base/unaligned.h"
#include "model/model_patch.h"

static struct record whole, record, again;

static void hold_rising(const struct column *keys)
{
    uint64_t last = 0;
    for (uint64_t i = 0; keys && i < keys->count; i++) {
        uint64_t key = unaligned_u8((const unsigned char *)keys->data + 8 * i);
        hold(key > last, "keys rise");
        last = key;
    }
}

/* What was made can be written, and is read as it was. */
static void hold_model(void)
{
    struct fault fault = { FAULT_NONE, "" };
    struct writer writer;
    struct reader reader;
    size_t bytes = 0;
    hold(record.kind == RECORD_MODEL && !record_key(&record, "since"), "a model was made");
    for (size_t c = 0; c < record.columns; c++)
        bytes += column_bytes(&record.column[c]);
    if (bytes > INPUT_MOST)
        return;
    open_paper(&writer);
    record_changes(&record);
    hold(writer_record(&writer, &record, &fault) == 0, "it is written");
    reader_open_bytes(&reader, writer.buffer, writer.pending.held, "again");
    hold(reader_next(&reader, &again, &fault) > 0, "it is read");
    hold(again.kind == RECORD_MODEL && again.columns == record.columns, "it is as it was");
    reader_close(&reader);
    writer_close(&writer);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct fault fault = { FAULT_NONE, "" };
    struct buffer payload = { .at = NULL };
    struct reader reader;
    struct patch_of of;
    char name[PATCH_NAME];
    if (n > INPUT_MOST)
        return 0;
    reader_open_bytes(&reader, bytes, n, "bytes");
    reader.patches = true;
    bool good = reader_next(&reader, &whole, &fault) > 0 && whole.kind == RECORD_MODEL &&
                reader_next(&reader, &record, &fault) > 0 && record.kind == RECORD_PATCH;
    if (good && patch_since(&record, &of, &fault) == 0) {
        const char *tables = record_key(&record, "tables");
        bool keys = tables && name_begins(tables, "keys:");
        patch_name(name, of);
        hold(!strchr(name, '/'), "a name is in the folder");
        if (patch_apply(&record, &whole, &payload, &fault) == 0) {
            hold_rising(keys ? record_column(&record, "keys") : NULL);
            hold_model();
        }
    }
    if (fault.kind != FAULT_NONE)
        hold_explained(&fault);
    buffer_free(&payload);
    reader_close(&reader);
    return 0;
}
