/* features: reads the words index:value of a document, as many as are plain, fast. */
#ifndef RANKPIPE_FEATURES_H
#define RANKPIPE_FEATURES_H

#include "text/feature.h"

/* The reader in portable C, which defines what features become. */
features_reader features_portable;

/* The fastest reader for this processor. A build with -DPORTABLE has features_portable alone. */
features_reader *features_fastest(void);

#endif
