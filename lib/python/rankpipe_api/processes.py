"""processes: the sockets at which the API listens, and the processes that serve there."""
# SPDX-License-Identifier: ISC

import asyncio
import contextlib
import os
import signal
import socket
import stat
import sys

from rankpipe_api.metrics import Board
from rankpipe_api.routes import BACKLOG, ENDING, Api


def listeners(where, processes):
    """A socket that listens there for each process. Those of a port share it, and the system deals connections out;
    a Unix socket is one for all."""
    if not isinstance(where, str):
        first = min(socket.getaddrinfo(*where, type=socket.SOCK_STREAM), key=lambda found: found[0] != socket.AF_INET)
        made = []
        for _ in range(processes):
            made.append(socket.socket(first[0]))
            made[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if processes > 1:
                made[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            made[-1].bind(made[0].getsockname() if made[1:] else first[4])
    else:
        with contextlib.suppress(FileNotFoundError):
            if stat.S_ISSOCK(os.stat(where).st_mode):
                os.unlink(where)
        made = [socket.socket(socket.AF_UNIX)] * processes
        made[0].bind(where)
    for one in made:
        one.listen(BACKLOG)
    return made


def serve(options):
    """Runs as many processes as the options say, until a signal. Where one ends by itself, all end. Exit status."""
    os.environ["LC_ALL"] = "C"  # of what it runs
    try:
        made, board = listeners(options.listen, options.processes), Board(options.processes)
    except OSError as error:
        where = options.listen if isinstance(options.listen, str) else "%s:%d" % options.listen
        return "api: %s: %s" % (where, error.strerror or error)
    bound = made[0].getsockname()
    listening = "api: listening at %s" % (bound if isinstance(bound, str) else "%s:%d" % bound[:2])
    if options.processes == 1:
        print(listening, file=sys.stderr, flush=True)
        asyncio.run(Api(options, board).run(made[0]))
        return 0
    children, ending = set(), []
    for number in ENDING:
        signal.signal(number, lambda *_: ending.append(True) or [os.kill(child, signal.SIGTERM) for child in children])
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    for board.own, listener in enumerate(made):
        child = os.fork()
        if child == 0:
            for number in ENDING:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
            asyncio.run(Api(options, board).run(listener))
            os._exit(0)
        children.add(child)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    print(listening, file=sys.stderr, flush=True)
    status = 0
    while children:
        child, how = os.wait()
        children.discard(child)
        if not ending:
            status = 1
            print("api: process %d ended by itself (%d), and so do all" % (child, how), file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGTERM)
    return status
