#include "run/checkpoint.h"

#include <string.h>
#include <time.h>

#include "stream/record.h"

static const uint64_t second = 1000000000, seconds_most = 1000000000;

int checkpoint_option(struct checkpoint *checkpoint, const struct options *options)
{
    char digits[16];
    size_t n = strlen(options->value);
    if (n < 2 || n > sizeof digits || options->value[n - 1] != 's')
        return options_whole(options, 1, RECORD_MOST, &checkpoint->rounds);
    memcpy(digits, options->value, n - 1);
    digits[n - 1] = '\0';
    if (record_number(digits, seconds_most, &checkpoint->seconds) && checkpoint->seconds > 0)
        return 0;
    return fault_usage(options->fault, "-%c wants a whole number of rounds or, as 30s, of seconds, "
                       "not '%.40s'", options->letter, options->value);
}

bool checkpoint_any(const struct checkpoint *checkpoint)
{
    return checkpoint->rounds || checkpoint->seconds;
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * second + (uint64_t)time.tv_nsec;
}

bool checkpoint_due(struct checkpoint *checkpoint, uint64_t rounds)
{
    uint64_t time = checkpoint->seconds ? now() : 0;
    bool first = checkpoint->seconds && checkpoint->last == 0;
    bool late = !first && checkpoint->seconds &&
                time - checkpoint->last >= checkpoint->seconds * second;
    if (first || late)
        checkpoint->last = time;
    return late || (checkpoint->rounds && rounds % checkpoint->rounds == 0);
}
