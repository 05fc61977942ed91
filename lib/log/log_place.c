#include "log/log_place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "log/state_file.h"

static const char file_name[] = "place";

static struct log_place **all(const struct log_places *places)
{
    return places->list.at;
}

struct log_place *log_places_find(const struct log_places *places, const char *folder,
                                  const char *name)
{
    for (size_t i = 0; i < places->count; i++)
        if (strcmp(all(places)[i]->folder, folder) == 0 && strcmp(all(places)[i]->name, name) == 0)
            return all(places)[i];
    return NULL;
}

int log_places_set(struct log_places *places, const struct log_place *place, struct fault *fault)
{
    struct log_place *at = log_places_find(places, place->folder, place->name);
    if (!at) {
        struct log_place **list = buffer_for(&places->list, places->count + 1, sizeof *list, fault);
        at = list ? malloc(sizeof *at) : NULL;
        if (!at)
            return list ? fault_no_room(fault, sizeof *at) : -1;
        list[places->count++] = at;
    }
    *at = *place;
    return 0;
}

static int read_line(void *self, const char *const *text, size_t fields, struct fault *fault)
{
    struct log_place place = { .last = 0 };
    if (fields != 6 || strlen(text[0]) >= SPOOL_PATH || !spool_name_valid(text[1]))
        return fault_data(fault, "not the place in a log");
    strcpy(place.folder, text[0]);
    strcpy(place.name, text[1]);
    if (state_number(text[2], &place.last, fault) < 0 ||
        state_number(text[3], &place.first, fault) < 0 ||
        state_number(text[4], &place.rounds, fault) < 0 ||
        state_number(text[5], &place.byte, fault) < 0)
        return -1;
    return log_places_set(self, &place, fault);
}

int log_places_read(struct log_places *places, const char *folder, struct fault *fault)
{
    return state_file_read(folder, file_name, read_line, places, fault);
}

static int write_place(struct writer *out, const struct log_place *place, struct fault *fault)
{
    if (writer_bytes(out, place->folder, strlen(place->folder), fault) < 0)
        return -1;
    return writer_text(out, fault, "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
                       place->name, place->last, place->first, place->rounds, place->byte);
}

int log_places_write(const struct log_places *places, const char *folder, struct fault *fault)
{
    struct fresh_file file;
    int result = fresh_file_open_in(&file, folder, file_name, fault);
    for (size_t i = 0; i < places->count && result == 0; i++)
        result = write_place(&file.writer, all(places)[i], fault);
    if (result == 0)
        result = state_file_finish(&file, places->count, fault);
    fresh_file_close(&file);
    return result;
}

void log_places_close(struct log_places *places)
{
    for (size_t i = 0; i < places->count; i++)
        free(all(places)[i]);
    buffer_free(&places->list);
    places->count = 0;
}
