/* secret: a random key for hash tables in memory, so that nobody can choose keys that collide. */
#ifndef RANKPIPE_SECRET_H
#define RANKPIPE_SECRET_H

#include "base/siphash.h"

/* A SipHash before its first byte, under a key that differs each time: from /dev/urandom, or, where
 * that cannot be read, from clocks and where memory lies. No result may depend on it:
 * not an order, and not what is equal. */
struct siphash secret_siphash(void);

#endif
