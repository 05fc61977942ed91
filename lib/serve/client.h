/* client: sends requests to a service, and passes on its answers. */
#ifndef RANKPIPE_CLIENT_H
#define RANKPIPE_CLIENT_H

#include "base/fault.h"
#include "stream/writer.h"

/* Connects to the Unix socket `path`. Sends what comes from `in` until its end, and writes what the
 * service answers until it closes the connection. 0; FAULT_STOPPED if `stop` became readable (-1:
 * it does not); or another fault, also where the service left before it answered everything, or
 * where no blank line ended the last request. */
int client_run(const char *path, int in, int stop, struct writer *out, struct fault *fault);

#endif
