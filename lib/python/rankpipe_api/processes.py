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


def passed():
    """The socket that systemd or another program passes to this process as its descriptor 3 (sd_listen_fds), or None."""
    ours = os.environ.pop("LISTEN_PID", None) == str(os.getpid())
    number = os.environ.pop("LISTEN_FDS", "")
    os.environ.pop("LISTEN_FDNAMES", None)
    if not ours or number == "0":
        return None
    if number != "1":
        raise OSError("%s sockets are passed, and one is served: give the socket unit one ListenStream" % number[:10])
    with contextlib.suppress(OSError):
        found = socket.socket(fileno=3)
        if found.type == socket.SOCK_STREAM and found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            found.set_inheritable(False)
            return found
    raise OSError("what is passed is no socket that listens: give the socket unit one ListenStream, without Accept=yes")


def shown(where):
    """An address of the options, or of a socket, as text. Linux has Unix sockets without a path."""
    if isinstance(where, bytes):
        return "@" + where[1:].decode("ascii", "backslashreplace")
    return where if isinstance(where, str) else "%s:%d" % where[:2]


def is_at(listener, where):
    """Does a socket listen at an address of the options?"""
    bound = listener.getsockname()
    if isinstance(where, str) or not isinstance(bound, tuple):
        return isinstance(where, str) and isinstance(bound, str) and os.path.realpath(where) == os.path.realpath(bound)
    return any(found[4][:2] == bound[:2] for found in socket.getaddrinfo(*where, type=socket.SOCK_STREAM))


def serve(options):
    """Runs as many processes as the options say, until a signal. Where one ends by itself, all end. Exit status."""
    os.environ["LC_ALL"] = "C"  # of what it runs
    where = options.listen or ("127.0.0.1", 8080)
    try:
        given = passed()
    except OSError as error:
        return "api: %s" % error
    try:
        board = Board(options.processes)
        if given and options.listen and not is_at(given, where):
            print("api: -l %s differs from %s, the address of the socket that is passed: give the socket unit that "
                  "ListenStream, or disable it" % (shown(where), shown(given.getsockname())), file=sys.stderr)
            return 2
        made = [given] * options.processes if given else listeners(where, options.processes)
        where = options.admin or where
        admin = options.admin and listeners(where, 1)[0]
    except OSError as error:
        return "api: %s: %s" % (shown(where), error.strerror or error)
    listening = "api: listening at %s" % shown(made[0].getsockname())
    if admin:
        listening += "\napi: the operator's page is at %s" % shown(admin.getsockname())
    if options.processes == 1:
        print(listening, file=sys.stderr, flush=True)
        asyncio.run(Api(options, board).run(made[0], admin))
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
            asyncio.run(Api(options, board).run(listener, board.own == 0 and admin))
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
