"""rankpipe_api: the program `rankpipe api`, a ranking service over HTTP. Internal.

bodies.py checks what the bodies of requests say, aside.py has large ones read by another process, http.py speaks
HTTP, service.py asks serve, routes.py answers requests, explaining.py and metrics.py have what some of them ask for,
processes.py runs it all, and options.py reads the command line. Of the standard library, for Python 3.9 or later.
What comes from outside is a JSON text or it is refused; of it, only checked fields go on.
"""
# SPDX-License-Identifier: ISC
