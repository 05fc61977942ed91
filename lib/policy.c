#include "policy.h"

double policy_one(const struct shown *shown, size_t a)
{
    if (shown->places == shown->docs)
        return 1;
    double k = (double)shown->places, m = (double)shown->docs;
    return (shown->greedy[a] ? 1 - shown->gamma : 0) + shown->gamma * k / m;
}

double policy_two(const struct shown *shown, size_t a, size_t b)
{
    if (shown->places == shown->docs)
        return 1;
    double k = (double)shown->places, m = (double)shown->docs;
    return (shown->greedy[a] && shown->greedy[b] ? 1 - shown->gamma : 0) +
           shown->gamma * (k * (k - 1)) / (m * (m - 1));
}
