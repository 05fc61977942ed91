#include "text/features.h"

#include "text/features_avx2.h"
#include "text/features_avx512.h"

const char *features_portable(struct feature_row *row, const char *p, const char *end,
                              const char *ahead)
{
    (void)end;
    for (const char *next = p; next; p = text_skip_blanks(next)) {
        next = feature_plain(row, p, ahead);
        if (!next)
            break;
    }
    return p;
}

features_reader *features_fastest(void)
{
    return features_avx512_runs() ? features_avx512
           : features_avx2_runs() ? features_avx2
                                  : features_portable;
}
