#!/usr/bin/env python3
"""search: a web site that searches a folder of documents, and learns from what its users click.

    search.py [-i] [-b HOST] [-p PORT] [-s STATE] [FOLDER]

It indexes FOLDER, or goes on with that of the last run, and serves the site until ^C. Its parts are
documents.py (reading files), index.py (SQLite), pages.py (HTML), web.py (HTTP); this file has the site
itself, and the processes beside it: serve(1), which ranks by what was learnt, and the learner of
../serve. README.md explains how they work together.
"""
# SPDX-License-Identifier: ISC
import argparse
import collections
import contextlib
import fcntl
import functools
import hmac
import os
import pathlib
import re
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True  # this folder may be one of programs that are installed
sys.path[1:1] = [str(HERE.parent), f"{HERE.parent}/../lib/python"]  # installed; in the source tree
import index
import pages
import rankpipe
import rankpipe_front as front
import web
from rankpipe_supervisor import Part, Refused, Supervisor, command, explore, lock, pipeline

SETTLE = 20  # seconds after the first click of a page in which further ones count
EVERY = 5  # seconds between looks at the clicks
FIRST = 45  # seconds of the first indexing, before what is indexed is served and the rest follows
PAGE = 10
ALONE = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"  # of a page
KEPT = 100000  # clicks that a process keeps while they cannot be stored


def say(text):
    with contextlib.suppress(OSError):  # a full disk, which has the log too
        print("search: %s" % text, file=sys.stderr, flush=True)


# ---- the site ----


class Site:
    """Answers requests. Threads share it; each has an index, a client of serve(1) and the clicks of its own."""

    def __init__(self, proxies=(), link=None):
        self.mine, self.proxies, self.target = threading.local(), proxies, link
        self.state = front.State("service.json")
        self.words = front.Clients(".", self.state.test_since)
        self.clicks = collections.deque(maxlen=KEPT)  # not stored yet
        self.secret = pathlib.Path("secret").read_bytes()

    def __call__(self, request):
        if request.path in ("", "search"):
            return self.search(request.parameters)
        if request.path == "doc":
            return self.document(request.parameters)
        if request.path == "page":
            return self.page(request.parameters)
        if request.path == "go":
            return self.go(request)
        if request.path == "style.css":
            headers = {"Content-Type": "text/css; charset=utf-8", "Cache-Control": "max-age=3600"}
            return 200, headers, (HERE / "style.css").read_bytes()
        if request.path == "robots.txt":
            return 200, {}, "User-agent: *\nDisallow: /\n"
        return self.missing(request.parameters)

    def report(self, text):
        with contextlib.suppress(OSError), open("errors", "a") as file:
            if file.tell() < 10000000:
                file.write("%s %s\n" % (time.strftime("%F %T"), text))

    def index(self):
        """The newest index."""
        stamp = os.stat("index.db").st_ino, os.stat("index.db").st_mtime_ns
        if getattr(self.mine, "stamp", None) != stamp:
            self.mine.index, self.mine.stamp = index.Index("index.db"), stamp
            self.mine.found = collections.OrderedDict()
        return self.mine.index

    def find(self, query):
        """What is found for a query; the last ones are remembered."""
        documents, found = self.index(), self.mine.found
        if query not in found:
            if len(found) > 200:
                found.popitem(last=False)
            found[query] = documents.search(query)
        return found[query]

    def search(self, parameters):
        text = " ".join(parameters.get("q", "").split())[:300]
        query = tuple(index.asked(text))
        if not query:
            return html(pages.front(self.index().documents, os.path.exists("growing")))
        found = self.find(query)
        if found is None:
            return html(pages.message("This search takes too long", text, "Rarer words make it faster."), 503)
        after = [int(n) for n in parameters.get("after", "")[:2000].split(".") if n.isdecimal() and len(n) < 16]
        seen = set(after)
        left = [result for result in found.pool if result.number not in seen]
        request, left = self.ranked(query, left)
        shown = left[:PAGE]
        links = [self.link(request, place, len(shown), result.number, text)
                 for place, result in enumerate(shown, 1)]
        none = self.link(request, 0, len(shown), 0, text) if request and shown else None
        spelled = self.index().spelled(query) if not after else None
        return html(pages.results(text, query, found, shown, after, links, none, spelled, self.index().excerpt_of))

    def ranked(self, query, results):
        """The name of a request, and the results in the order of the service. They are given to it in that of
        the index, also those of a further page, where the first ones are missing. Without the service that order
        is shown; without a name, as when the service could not store the request, no click is stored.
        """
        if not results:
            return None, results
        if not hasattr(self.mine, "client"):
            self.mine.client = rankpipe.Client("rank.socket", timeout=2)
        try:
            ranking = self.mine.client.rank([result.features for result in results],
                                            [result.path for result in results], " ".join(query),
                                            fold=self.state.folds())
        except rankpipe.Error as error:
            self.report("no ranking: %s" % error)
            return None, results
        return ranking.request, [results[at] for at in ranking.order]

    def document(self, parameters):
        number = number_of(parameters.get("d", ""))
        found = self.index().document(number)
        if not found:
            return self.missing(parameters)
        return html(pages.document(number, *found, self.index().page(number), parameters.get("q", "")[:300]))

    def page(self, parameters):
        """A document of HTML as it came, for the frame of document(): nothing in it runs, also without that frame."""
        found = self.index().page(number_of(parameters.get("d", "")))
        return (200, {"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": ALONE}, found) if found else \
            self.missing(parameters)

    def missing(self, parameters):
        text = "There is no such page here, or it is here no longer."
        return html(pages.message("Not found", parameters.get("q", "")[:300], text), 404)

    # A click leads by way of go, which stores it. The link says the request, the place, how many were
    # shown and the document, and has a signature of these, so that only links of the site's count.

    def signature(self, *values):
        return hmac.digest(self.secret, " ".join(map(str, values)).encode(), "sha256").hex()[:16]

    def link(self, request, place, shown, number, text):
        if not request:
            return pages.escape(self.address(number, text))
        signature = self.signature(request, place, shown, number)
        return pages.url("go", r=request, p=str(place), n=shown, d=str(number), q=text, s=signature)

    def go(self, request):
        request_, place, shown, number, text, signature = (request.parameters.get(k, "") for k in "rpndqs")
        if not hmac.compare_digest(signature.encode(), self.signature(request_, place, shown, number).encode()):
            return self.missing(request.parameters)
        fetched_ahead = "sec-purpose" in request.headers or "purpose" in request.headers
        if request.method == "GET" and not fetched_ahead:
            self.clicks.append((request_, int(place), int(shown), time.time(), self.client(request.address)))
            self.store_clicks()
        if place != "0":
            return 303, {"Location": self.address(number, text[:300])}, ""
        return html(pages.message("Thanks", text[:300], "This search counts as one without a click."))

    def address(self, number, text):
        """Where a document is: a page of this site, or of that of --link, whose documents have the same paths."""
        found = self.target and self.index().document(int(number))
        return self.target.replace("{path}", found[0]) if found else pages.plain_url("doc", d=str(number), q=text)

    def client(self, address):
        """The word of a client, or None."""
        try:
            return None if front.is_ours(address, self.proxies) else self.words.word(address)
        except OSError as error:
            self.report("a click has no client: %s" % error)
            return None

    def store_clicks(self):
        """Stores the clicks. Those that cannot be stored, as on a full disk, wait."""
        click = None
        try:
            while self.clicks:
                if not hasattr(self.mine, "clicks"):
                    self.mine.clicks = Clicks()
                click = self.clicks.popleft()
                self.mine.clicks.add(*click)
                click = None
        except IndexError:  # another thread stored the last one
            pass
        except (sqlite3.Error, OSError) as error:
            if click:
                self.clicks.appendleft(click)
            self.report("clicks wait to be stored: %s" % error)


def number_of(text):
    """The number of a document; 0, which none has, of other texts."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else 0


def html(text, status=200):
    return status, {"Content-Type": "text/html; charset=utf-8"}, text


# ---- clicks, and the answers that they make ----


class Clicks:
    """The clicks that are not answers yet, which the processes of the site share."""

    def __init__(self):
        self.db = sqlite3.connect("clicks.db", timeout=2, isolation_level=None)
        self.db.executescript("""pragma journal_mode = wal; pragma synchronous = normal; pragma secure_delete = on;
            create table if not exists click(request text, place int, shown int, time real,
                client text, primary key (request, place))""")
        if "client" not in [column[1] for column in self.db.execute("pragma table_info(click)")]:
            self.db.execute("alter table click add column client text")  # a table of release 0.4

    def add(self, *click):
        self.db.execute("insert or ignore into click(request, place, shown, time, client) "
                        "values (?, ?, ?, ?, ?)", click)

    def settled(self, before):
        """Requests whose first click came before that time: the set of place and shown, and the client of
        the first click or None."""
        clicks = {}
        for request, place, shown, client in self.db.execute(
                """select request, place, shown, client from click where request in
                (select request from click group by request having min(time) <= ?) order by time""", (before,)):
            clicks.setdefault(request, (set(), client))[0].add((place, shown))
        return clicks

    def forget(self, requests):
        """Deletes them, so that no file of the database has a trace of them or of their clients."""
        self.db.execute("begin")
        self.db.executemany("delete from click where request = ?", [(request,) for request in requests])
        self.db.execute("commit")
        self.db.execute("pragma wal_checkpoint(truncate)").fetchall()


def answer(clicks):
    """The documents of the page, from place 1 on: 1 was clicked, and 0 was not. Place 0, "none of these", makes
    it a page without a click.
    """
    places = {place for place, _ in clicks}
    return [int(place in places and 0 not in places) for place in range(1, max(shown for _, shown in clicks) + 1)]


class Storing:
    """Makes answers of clicks."""

    def __init__(self):
        self.answers = front.Answers("answers")
        self.stored = set()  # requests whose answers are stored, and whose clicks are still there

    def store(self, settle):
        """Makes answers of the clicks that have settled; returns how many. Raises OSError or sqlite3.Error,
        and what could not be stored is to be tried again."""
        clicks, count = Clicks(), 0
        for request, (of, client) in clicks.settled(time.time() - settle).items():
            if request not in self.stored:
                words = ["time=%d" % (time.time() * 1000), *(["client=" + client] if client else []),
                         "clicks=1", *map(str, answer(of))]
                self.answers.append("%s\t%s\n" % (request, " ".join(words)), sync=True)
                self.stored.add(request)
                count += 1
        if self.stored:
            clicks.forget(self.stored)
            self.stored.clear()
        return count


# ---- the processes ----


def find_programs():
    """Puts the programs of rankpipe on the PATH: those of the source tree, or those installed with this."""
    os.environ["LC_ALL"] = "C"  # of what this runs
    own = HERE.parent.name
    for rankpipe in (HERE.parents[1] / "bin/rankpipe", HERE.parents[2] / "bin" / own):
        if rankpipe.exists():
            path = subprocess.run([rankpipe, "--path"], capture_output=True, text=True, check=True).stdout.strip()
            os.environ["PATH"] = os.pathsep.join([path, str(rankpipe.parent), os.environ["PATH"]])
            return
    if not shutil.which("serve"):
        raise index.Failure("rankpipe is not built: run make in the top folder first")


class Keeper:
    """Keeps serve(1), the processes of the web server and the learner running."""

    def __init__(self, listener, options, lock):
        self.storing, self.trouble, self.state = Storing(), None, front.State("service.json")
        self.answered = True  # the last run may have left answers
        self.supervisor = Supervisor(say)
        seconds = max(1, round(2 * options.every))  # until a file of the log is finished

        def kept(name, words, log, **others):
            return Part(name, command(words, log, (lock.fileno(),), calm="every" in others), log, **others)

        site = functools.partial(web.start, listener, functools.partial(Site, options.proxy, options.link))
        self.learner = kept("the learner", ["rankpipe", "service", "learn"], "learn.log", every=seconds, due=self.due)
        self.supervisor.parts = [
            kept("serve", ["serve", "-e", "-S", "status.prom", "rank.socket",
                           pipeline(options.explore, "-k -t %d" % seconds)], "errors"),
            *(Part("a process of the web server", site) for _ in range(options.processes)), self.learner]

    def due(self):
        """Are there answers for the learner? It is run until it has learnt them."""
        due = self.answered or self.learner.troubled or self.state.behind()
        self.answered = False
        return due

    def store(self, settle):
        """Stores what was clicked. A disk that is full ends nothing: clicks wait until there is room."""
        try:
            self.answered = self.storing.store(settle) > 0 or self.answered
            self.trouble = None
        except (OSError, sqlite3.Error) as error:
            if not self.trouble:
                say("answers cannot be stored, and the site goes on: %s" % error)
            self.trouble = error


def build_index(options, seconds):
    """Indexes the folder; says how many files it has left."""
    with open("index.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = os.path.realpath(options.folder) if options.folder else index.Index("index.db").about("folder")
        shown = [0.0]

        def progress(done, files):
            if sys.stderr.isatty() and time.monotonic() > shown[0] + 0.2:
                shown[0] = time.monotonic()
                print("\r%d of %d files" % (done, files), end="", file=sys.stderr, flush=True)

        left, count, reasons = index.build("index.db", folder, options.processes, seconds, progress)
    with open("left-out", "w") as file:
        file.writelines("%s: %s\n" % row for row in reasons)
    more = "; %d more files are read while the site runs" % left if left else ""
    why = "; %d files are left out (%s/left-out says why)" % (len(reasons), os.getcwd()) if reasons else ""
    say("%d documents of %s%s%s" % (count, folder, more, why))
    return left


def listening(host, port):
    """A socket that does not listen yet: so a port that is taken is known before the folder is read."""
    kind, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(kind, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
    except OSError as error:
        raise index.Failure("%s port %d: %s: choose another by -p" % (host, port, error.strerror)) from None
    return listener


def prepare():
    """The files of a new site."""
    if os.path.exists("names") or os.path.exists("log") and not os.path.exists("secret"):
        raise index.Failure("%s is of another program, or of rankpipe 0.4: choose another by -s" % os.getcwd())
    os.makedirs("answers", exist_ok=True)
    if not os.path.exists("secret"):
        with open(os.open("secret.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(secrets.token_bytes(32))
        os.rename("secret.new", "secret")


def tell_learner(listener, options):
    """Tells the learner how many features a document has, so that it learns from the first answer on; and how
    many clients must answer a query before its order is free: one where all are on this machine, whose answers
    have no client."""
    alone = front.is_local(listener.getsockname()[0]) and not options.proxy
    for action in (["first"], ["set", "features", str(len(index.OWN))], ["set", "clients", "1" if alone else "3"],
                   ["set", "settle", "0"]):  # clicks have settled when they are an answer
        subprocess.run(["rankpipe", "service", *action], check=True, stdout=subprocess.DEVNULL)


def run(options):
    held = lock("lock")
    prepare()
    listener = listening(options.host, options.port)
    folder = options.folder and os.path.realpath(options.folder)
    left = 0
    if not os.path.exists("index.db") or folder and folder != index.Index("index.db").about("folder"):
        if not folder:
            raise index.Failure("which folder? Name it: search.py FOLDER")
        left = build_index(options, FIRST)
    left = left or os.path.exists("growing")  # a run that did not come to the end
    tell_learner(listener, options)
    keeper = Keeper(listener, options, held)
    supervisor = keeper.supervisor
    listener.listen(256)
    try:
        if left:
            pathlib.Path("growing").touch()
            supervisor.also(command([sys.executable, str(HERE / "search.py"), "-i", "-s", os.getcwd()]))
        supervisor.run(0)
        host = "[%s]" % options.host if ":" in options.host else options.host
        say("http://%s:%d/ searches %d documents; ^C stops it"
            % (host, listener.getsockname()[1], index.Index("index.db").documents))
        looked = 0
        while supervisor.run(0.2):
            if time.monotonic() > looked + options.every:
                keeper.store(options.settle)
                looked = time.monotonic()
    finally:
        supervisor.stop()
        keeper.store(0)


def target(text):
    """The value of --link."""
    if not re.fullmatch(r"https?://[!-~]+", text) or text.count("{path}") != 1 or "{path}" in text.split("/")[2]:
        raise argparse.ArgumentTypeError("%r is no address with {path} after the name of a machine, such as "
                                         "https://docs.example/{path}" % text)
    return text


def arguments():
    parser = argparse.ArgumentParser(prog="search.py", description="Search a folder, and learn from clicks.")
    parser.add_argument("folder", nargs="?", help="documents: text, HTML, manual pages, packed or in archives "
                        "(default: that of the last run)")
    parser.add_argument("-b", "--host", default="127.0.0.1", help="address to listen at (default %(default)s)")
    parser.add_argument("-p", "--port", type=int, default=8080, help="port (default %(default)s)")
    parser.add_argument("-s", "--state", default="~/rankpipe-site", help="folder of the index, the clicks, the "
                        "log and the model (default %(default)s)")
    parser.add_argument("-i", "--index", action="store_true", help="read what has changed, and end")
    parser.add_argument("-n", "--processes", type=int, default=min(8, max(2, os.cpu_count() or 1)),
                        help="processes that read, and that serve (default %(default)s here)")
    parser.add_argument("--explore", default=explore(), help="options of explore(1) (default: %(default)s)")
    parser.add_argument("--proxy", action="append", type=front.proxy, default=[], help="address or network of a "
                        "web server before the site, whose X-Forwarded-For says who asks")
    parser.add_argument("--link", type=target, metavar="address", help="where results lead: the address of a document, "
                        "with {path} for its path, as https://docs.example/{path} (default: a page of the site)")
    parser.add_argument("--settle", type=float, default=SETTLE, help="seconds after a first click in which "
                        "further ones count (default %(default)s)")
    parser.add_argument("--every", type=float, default=EVERY, help="seconds between looks at the clicks "
                        "(default %(default)s)")
    options = parser.parse_args()
    if not 1 <= options.processes <= 64 or not 0 <= options.port < 65536:
        parser.error("-n is from 1 to 64, and -p below 65536")
    if options.folder:
        options.folder = os.path.abspath(options.folder)
    return options


def main():
    options = arguments()
    refused = front.as_root()
    if refused:
        say(refused)
        sys.exit(1)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(0))
    state = os.path.expanduser(options.state)
    try:
        os.makedirs(state, mode=0o700, exist_ok=True)
        os.chdir(state)
        if options.index:
            if not build_index(options, float("inf")) and os.path.exists("growing"):
                os.remove("growing")
            return
        find_programs()
        run(options)
    except KeyboardInterrupt:
        pass
    except Refused as error:
        say("%s: %s" % (os.getcwd(), error))
        sys.exit(1)
    except (index.Failure, rankpipe.Error, OSError, sqlite3.Error, subprocess.CalledProcessError) as error:
        say(error)
        sys.exit(1)


if __name__ == "__main__":
    main()
