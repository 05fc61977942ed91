#include "learn/examined.h"

#include <string.h>

#define COLUMN "examination"

static bool are_same(const struct examination *a, const struct examination *b)
{
    return a->places == b->places &&
           (a->places == 0 || memcmp(a->theta, b->theta, a->places * sizeof *a->theta) == 0);
}

int examined_open(struct examination *examination, const struct settings *settings,
                  struct watch *watch, struct fault *fault)
{
    const char *path = settings_path(settings, SETTING_EXAMINATION);
    struct examination read = { 0 };
    if (!*path)
        return 0;
    int result = examination_read(&read, path, watch, fault);
    if (result == 0 && examination->places > 0 && !are_same(&read, examination))
        result = fault_data(fault, "%s: the model was learnt with another table of examination: "
                            "omit the setting, or learn into another file", path);
    if (result == 0 && examination->places == 0) {
        examination_close(examination);
        *examination = read;
        return 0;
    }
    examination_close(&read);
    return result;
}

int examined_save(const struct examination *examination, const struct settings *settings,
                  struct model *model, struct fault *fault)
{
    if (!settings->set[SETTING_EXAMINATION])
        return 0;
    return model_put(model, COLUMN, examination->places, examination->theta, fault);
}

int examined_load(struct examination *examination, const struct settings *settings,
                  const struct model *model, struct fault *fault)
{
    const struct column *column = record_column(&model->record, COLUMN);
    if (!settings->set[SETTING_EXAMINATION])
        return 0;
    if (!column || column->count == 0 || column->count > EXAMINATION_PLACES)
        return fault_data(fault, "model: examination=1 needs the column examination, of 1 to %d "
                          "positions", EXAMINATION_PLACES);
    size_t n = (size_t)column->count;
    double *theta = examination_new(examination, n, fault);
    if (!theta || model_array(model, COLUMN, n, theta, fault) < 0) return -1;
    return examination_check(examination, fault);
}

int examined_match(const struct examination *sum, const struct examination *share,
                   struct fault *fault)
{
    return are_same(sum, share)
               ? 0 : fault_data(fault, "it was learnt with another table of examination than those "
                                "before it: learn all shares with the same settings");
}
