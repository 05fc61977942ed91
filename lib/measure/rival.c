#include "measure/rival.h"

int rival_won(const struct round *round, double *won, struct fault *fault)
{
    size_t clicks[2] = { 0, 0 };
    if (!round->team)
        return fault_data(fault, "rival needs team: show the rounds by explore -p team-draft");
    if (!round->seen)
        return fault_data(fault, "rival needs seen: put metric after feedback-mask or "
                          "feedback-join");
    for (size_t a = 0; a < round->places; a++)
        clicks[round->team[a]] += round->seen[a] > 0;
    *won = clicks[1] > clicks[0] ? 1 : clicks[1] < clicks[0] ? -1 : 0;
    return 0;
}
