"""Running: the processes of the site, its folder, and what an older site left there."""
# SPDX-License-Identifier: ISC
import contextlib
import fcntl
import functools
import os
import secrets
import socket
import sqlite3
import subprocess
import sys
import time

import rankpipe_front as front
from rankpipe_supervisor import Part, Refused, Supervisor, command, lock, pipeline

from . import index, searching, web
from .site import Site

CHOSEN = "10"  # documents that users chose, of a query, which stay candidates of it
OLD = "index.db"  # the index of releases before this one


def say(text):
    with contextlib.suppress(OSError):  # a full disk, which has the log too
        print("site: %s" % text, file=sys.stderr, flush=True)


# ---- the index ----


def folder_of(options):
    """The folder that is searched: the one that is named, or that of the last run."""
    for path in "documents.db", OLD:
        if not options.folder and os.path.exists(path):
            with contextlib.closing(sqlite3.connect("file:%s?mode=ro" % path, uri=True)) as db:
                row = db.execute("select value from about where key = 'folder'").fetchone()
            if row:  # else it was ended before it knew
                return row[0]
    if not options.folder:
        raise index.Failure("which folder? Name it: rankpipe site FOLDER")
    return os.path.realpath(options.folder)


def build_index(options):
    """Reads what is new in the folder, or has changed."""
    with open("index.lock", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        shown = [0.0]

        def progress(done, files):
            if sys.stderr.isatty() and time.monotonic() > shown[0] + 0.2:
                shown[0] = time.monotonic()
                print("\r%d of %d files" % (done, files), end="\r", file=sys.stderr, flush=True)

        folder = folder_of(options)
        count, reasons = index.build("documents.db", folder, options.processes, options.patterns, chosen(), progress)
    with open("left-out", "w") as file:
        file.writelines("%s: %s\n" % row for row in reasons)
    why = "; %d files are left out (%s/left-out says why)" % (len(reasons), os.getcwd()) if reasons else ""
    say("%d documents of %s%s" % (count, folder, why))


def chosen():
    """The paths of files that users chose something of."""
    try:
        with contextlib.closing(sqlite3.connect("file:chosen.db?mode=ro", uri=True)) as db:
            return {index.unquoted(path.partition("#")[0]) for path, in db.execute("select path from chosen")}
    except sqlite3.Error:
        return frozenset()


# ---- the processes ----


def listening(listen):
    """A socket that does not listen yet: so a port that is taken is known before anything starts."""
    kind, _, _, _, address = min(socket.getaddrinfo(*listen, type=socket.SOCK_STREAM), key=lambda found: found[0] != socket.AF_INET)
    listener = socket.socket(kind, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
    except OSError as error:
        raise index.Failure("%s port %d: %s: choose another by -l" % (*listen, error.strerror)) from None
    return listener


def prepare():
    """The files of a new site."""
    if os.path.exists("names"):
        raise index.Failure("%s is of rankpipe 0.4 or another program: choose another folder by -s" % os.getcwd())
    os.makedirs("answers", exist_ok=True)
    try:
        if os.path.getsize("secret") < 32:
            raise index.Failure("%s/secret is damaged: remove it: links of before then count nothing" % os.getcwd())
    except FileNotFoundError:
        with open(os.open("secret.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(secrets.token_bytes(32))
            file.flush()
            os.fsync(file.fileno())
        os.rename("secret.new", "secret")


def take_clicks():
    """Stores the clicks that a site of before left in clicks.db, once."""
    if os.path.exists("clicks.db"):
        answers = front.Answers("answers")
        with contextlib.closing(sqlite3.connect("clicks.db")) as db:
            for request, place, shown, when, client in db.execute("select request, place, shown, time, client from click"):
                if place:
                    answers.append(front.event_line(request, when * 1000, client, "click", place=place, shown=shown), sync=True)
        answers.close()
        for name in "clicks.db-wal", "clicks.db-shm", "clicks.db":
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)


class Due:
    """Are there answers for the learner? It is run until it has learnt them."""

    def __init__(self, part):
        self.part, self.state, self.seen = part, front.State("service.json"), None

    def __call__(self):
        files = sorted((each.name, each.stat().st_size) for each in os.scandir("answers"))
        is_new, self.seen = files != self.seen, files
        return is_new or self.part.troubled or self.state.behind()


def run(options):
    held = lock("lock")
    prepare()
    listener = listening(options.listen)
    folder = folder_of(options)
    if not os.path.isdir(folder):
        raise index.Failure("%s: no such folder" % folder)
    local = front.is_local(listener.getsockname()[0]) and not options.proxy
    options.hosts = options.host if local else None
    options.name = options.name or os.path.basename(folder)
    is_new = not os.path.exists("documents.db")
    index.Builder("documents.db").close()
    known = searching.Index("documents.db")
    grows = known.reading() or known.about("folder") != folder or options.patterns is not None
    take_clicks()
    listener.listen(256)
    supervisor = Supervisor(say)
    site, seconds = functools.partial(web.start, listener, functools.partial(Site, options)), max(1, round(2 * options.every))

    def kept(name, words, log, **others):
        return Part(name, command(words, log, (held.fileno(),), calm="every" in others), log, **others)

    try:
        supervisor.parts = [Part("a process of the web server", site) for _ in range(options.processes)]
        supervisor.run(0)
        host = "[%s]" % options.listen[0] if ":" in options.listen[0] else options.listen[0]
        say("http://%s:%d/ searches %s; ^C stops it" % (host, listener.getsockname()[1], folder))
        reader = supervisor.also(command([sys.executable, options.program, "-i", *options.reading])) if grows else None
        for action in (["first"], ["set", "features", str(len(searching.OWN))], ["set", "clients", "1" if local else "3"],
                       ["set", "settle", str(options.settle)], ["set", "chosen", CHOSEN]):
            if supervisor.once(command(["rankpipe", "service", *action], "errors", (held.fileno(),))):
                raise Refused("the model cannot be made: %s/errors says why" % os.getcwd())
        learner = kept("the learner", ["rankpipe", "service", "learn"], "learn.log", every=max(1, options.every))
        learner.due = Due(learner)
        supervisor.parts += [kept("serve", ["serve", "-e", "-S", "status.prom", "rank.socket",
                                            pipeline(options.explore, "-k -t %d" % seconds)], "errors"), learner]
        while supervisor.run(0.2):
            if reader and supervisor.others[reader] is not None:
                if supervisor.others[reader] and is_new and not searching.Index("documents.db").documents:
                    sys.exit(1)  # it has said why
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(OLD)
                reader = None
    finally:
        supervisor.stop()
