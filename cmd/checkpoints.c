#include "checkpoints.h"

#include <string.h>

#include "base/system.h"
#include "stream/record.h"

enum { SECONDS_MOST = 1000000000 };

int checkpoints_parse(struct checkpoints *checkpoints, const struct options *options)
{
    char digits[16] = "";
    size_t n = strlen(options->value);
    if (n < 2 || n > sizeof digits || options->value[n - 1] != 's')
        return options_whole(options, 1, RECORD_MOST, &checkpoints->every_rounds);
    memcpy(digits, options->value, n - 1);
    if (record_number(digits, SECONDS_MOST, &checkpoints->every_seconds) &&
        checkpoints->every_seconds > 0)
        return 0;
    return fault_usage(options->fault, "-c wants a whole number of rounds, or of seconds as in "
                       "30s, not '%.40s'", options->value);
}

bool checkpoints_due(struct checkpoints *checkpoints, uint64_t rounds)
{
    struct checkpoints *my = checkpoints;
    double now = my->every_seconds ? moment_seconds() : 0;
    bool late = my->checked > 0 && now - my->checked >= (double)my->every_seconds;
    if (late || my->checked <= 0)
        my->checked = now;
    return late || (my->every_rounds && rounds % my->every_rounds == 0);
}
