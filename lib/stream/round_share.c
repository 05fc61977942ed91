#include "stream/round_share.h"

#include <string.h>

#include "base/siphash.h"

uint64_t round_share(const struct round *round, uint64_t shares)
{
    struct siphash hash = siphash_start(0, 0);
    if (round->qid)
        siphash_add(&hash, round->qid, strlen(round->qid));
    for (int i = 0; !round->qid && i < 8; i++)
        siphash_add(&hash, &(unsigned char){ (unsigned char)(round->t >> 8 * i) }, 1);
    return 1 + siphash_end(&hash) % shares;
}
