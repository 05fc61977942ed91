"""The site: what each address of it answers, and what a click is."""
# SPDX-License-Identifier: ISC
import collections
import contextlib
import hmac
import os
import posixpath
import sqlite3
import threading
import time
import urllib.parse

import rankpipe
import rankpipe_front as front

from . import documents, markup, pages, searching, words

PAGE = 10  # results
LARGEST = 64 << 20  # bytes of a file that is shown
KEPT = 100000  # clicks that a process keeps while they cannot be stored
HOUR = 3600  # seconds for which the order of a page is kept for the pages after it
ALONE = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"  # of a page
FILES = {"Content-Security-Policy": "sandbox allow-popups allow-downloads", "Access-Control-Allow-Origin": "null",
         "Cache-Control": "max-age=60"}  # nothing in them runs; their fonts load, though their origin is none


class Site:
    """Answers requests. Threads share it; each has an index, a client of serve(1) and a database of orders of its own."""

    def __init__(self, options):
        self.options, self.mine, self.proxies, self.hosts = options, threading.local(), options.proxy, options.hosts
        self.state = front.State("service.json")
        self.words = front.Clients(".", self.state.test_since, HOUR)
        self.clicks, self.answers, self.storing = collections.deque(maxlen=KEPT), front.Answers("answers"), threading.Lock()
        with open("secret", "rb") as file:
            self.secret = file.read(32)

    def __call__(self, request):
        parameters = request.parameters
        if request.below is not None:
            return self.file(request.below, parameters)
        if request.path in ("", "search"):
            return self.search(request)
        if request.path == "typed":
            return self.typed(parameters)
        if request.path == "doc":
            return self.document(parameters)
        if request.path == "page":
            return self.page(parameters)
        if request.path == "go":
            return self.go(request)
        if request.path == "help":
            return self.html(pages.help())
        if request.path == "style.css":
            return 200, {"Content-Type": "text/css; charset=utf-8", "Cache-Control": "max-age=3600"}, pages.SHEET
        if request.path == "robots.txt":
            return 200, {}, "User-agent: *\nDisallow: /\n"
        return self.missing(parameters)

    def report(self, text):
        with contextlib.suppress(OSError), open("errors", "a") as file:
            if file.tell() < 10000000:
                file.write("%s %s\n" % (time.strftime("%F %T"), text))

    def html(self, page, status=200):
        return status, {"Content-Type": "text/html; charset=utf-8"}, page.replace(pages.NAME, pages.escape(self.options.name))

    def missing(self, parameters):
        return self.html(pages.message("Not found", parameters.get("q", "")[:300],
                                       "There is no such page here, or it is here no longer."), 404)

    # ---- searches ----

    def index(self):
        if not hasattr(self.mine, "index"):
            self.mine.index, self.mine.found = searching.Index("documents.db"), collections.OrderedDict()
        if self.mine.index.has_changed():
            self.mine.found.clear()
        return self.mine.index

    def find(self, query):
        """What is found for a query; the last ones are remembered."""
        index, found = self.index(), self.mine.found
        if query not in found:
            if len(found) > 200:
                found.popitem(last=False)
            found[query] = index.search(query, self.chosen(query.name))
        return found[query]

    def chosen(self, name):
        """The paths of documents that users chose for a query."""
        try:
            with contextlib.closing(sqlite3.connect("file:chosen.db?mode=ro", uri=True)) as db:
                return tuple(path for path, in db.execute("select path from chosen where query = ?", (
                    rankpipe.query_word(name, self.state.folds()),)))
        except sqlite3.Error:  # there is none yet
            return ()

    def found(self, text, literal=False):
        """(query, what is found for it, the query that was meant or None): where nothing is found, it is that one's."""
        query = words.asked(text)
        found = self.find(query) if query.words else None
        if found is None:
            return query, None, None
        better = self.index().spelled(found.query.words)
        meant = words.asked(" ".join(better)) if better and not query.phrases else None
        if meant and not found.total and not literal:
            instead = self.find(meant)
            if instead and instead.total:
                return meant, instead, meant
        return query, found, meant

    def search(self, request):
        parameters = request.parameters
        text = " ".join(parameters.get("q", "").split())[:300]
        query, found, meant = self.found(text, "literal" in parameters)
        if not query.words:
            return self.html(pages.front(self.index().documents, self.index().reading()))
        if found is None:
            return self.html(pages.message("This search takes too long", text, "Rarer words make it faster."), 503)
        number = min(max(1, number_of(parameters.get("page", "1"))), searching.MOST // PAGE)
        ranking, ranked = self.kept(parameters.get("r", "")) if number > 1 else (None, None)
        if not ranking:
            ranking, ranked = self.ranked(query, found.pool)
        start = (number - 1) * PAGE
        shown = ranked[start:start + PAGE] or self.index().further(found, start - len(ranked), PAGE)
        word, links = self.client(request.address), []
        for place, result in enumerate(shown, start + 1):
            links.append(self.link(ranking if place <= len(ranked) else None, place, start + len(shown), result.number, text, word))
        none = self.link(ranking, 0, start + len(shown), 0, text, word) if ranking and shown and start < len(ranked) else None
        return self.html(pages.results(text, query, found, meant, pages.Shown(shown, links, number, ranking, none),
                                       self.index().excerpt_of, self.index().reading()))

    def typed(self, parameters):
        """Results while a query is typed: in the index's own order, neither ranked nor stored."""
        text = " ".join(parameters.get("q", "").split())[:300]
        query, found, meant = self.found(text)
        if found is None:
            return self.html(pages.main_of_front(self.index().documents, self.index().reading()))
        shown = found.pool[:PAGE]
        links = [pages.escape(self.address(result.number, text)) for result in shown]
        return self.html(pages.main_of_results(text, query, found, meant, pages.Shown(shown, links, 1, None, None),
                                               self.index().excerpt_of, self.index().reading()))

    def ranked(self, query, results):
        """The name of a ranking, and the results in the order of the service. They are given to it in that of the index.
        Without the service that order is shown; without a name, as when the service could not store the round, no click
        is stored.
        """
        if not results:
            return None, results
        if not hasattr(self.mine, "client"):
            self.mine.client = rankpipe.Client("rank.socket", timeout=2)
        try:
            ranking = self.mine.client.rank([result.features for result in results],
                                            [result.path for result in results], query.name, fold=self.state.folds())
        except rankpipe.Error as error:
            self.report("no ranking: %s" % error)
            return None, results
        ordered = [results[at] for at in ranking.order]
        if ranking.request:
            self.keep(ranking.request, [result.number for result in ordered])
        return ranking.request, ordered

    # ---- orders that further pages go on with ----

    def orders(self):
        if not hasattr(self.mine, "orders"):
            self.mine.orders = sqlite3.connect("orders.db", timeout=2, isolation_level=None)
            self.mine.orders.executescript(
                "pragma journal_mode = wal; pragma synchronous = off; pragma secure_delete = on;"
                "create table if not exists ranking(name text primary key, time real, numbers text) without rowid;"
                "create index if not exists ranking_time on ranking(time)")
        return self.mine.orders

    def keep(self, name, numbers):
        with contextlib.suppress(sqlite3.Error):  # a full disk: then the next page is ranked anew
            now = time.time()
            self.orders().execute("insert or ignore into ranking values (?, ?, ?)", (name, now, " ".join(map(str, numbers))))
            self.orders().execute("delete from ranking where time < ?", (now - HOUR,))

    def kept(self, name):
        """(name, results) of a ranking of the last hour, or of none."""
        try:
            row = self.orders().execute("select numbers from ranking where name = ? and time > ?",
                                        (name, time.time() - HOUR)).fetchone()
        except sqlite3.Error:
            row = None
        return (name, self.index().results(map(int, row[0].split()))) if row else (None, None)

    # ---- documents ----

    def document(self, parameters):
        number, typed = number_of(parameters.get("d", "")), parameters.get("q", "")[:300]
        found = self.index().document(number)
        if not found:
            return self.missing(parameters)
        return self.html(pages.document(number, *found, self.index().page(number), typed))

    def page(self, parameters):
        """HTML of an archive as it came, for the frame of document(): nothing in it runs, also without that frame."""
        found = self.index().page(number_of(parameters.get("d", "")))
        return (200, {"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": ALONE}, found) if found else \
            self.missing(parameters)

    def file(self, path, parameters):
        """A file of the folder as it is, if the index has read it, or a page names it."""
        patterns, index = self.patterns(), self.index()
        name = urllib.parse.unquote(path, errors="surrogateescape")
        if documents.is_hidden(name) or patterns.hide(name) or not index.may_open(name):
            return self.missing(parameters)
        try:
            below = os.open(index.about("folder"), os.O_RDONLY | os.O_DIRECTORY)
            try:
                with documents.opened_below(below, name) as file:
                    data = file.read(LARGEST + 1)
            finally:
                os.close(below)
        except (OSError, ValueError, documents.Skip):
            return self.missing(parameters)
        if len(data) > LARGEST:
            return self.missing(parameters)
        kind = markup.TYPES.get(posixpath.splitext(name)[1].lower(), "text/plain; charset=utf-8")
        return 200, {"Content-Type": kind, **FILES}, data

    def patterns(self):
        return documents.Patterns.read(self.index().about("patterns"))

    # A click leads by way of go, which stores it. The link says the ranking, the place, how many were shown and the
    # document. `s` is a signature of the document, and decides what may open; `c` one of all, and of who may click: the
    # word that the client had when the page was made.

    def signature(self, *values):
        return hmac.digest(self.secret, " ".join(map(str, values)).encode(), "sha256").hex()[:16]

    def link(self, ranking, place, shown, number, text, word):
        if not ranking:
            return pages.escape(self.address(number, text))
        click = self.signature(ranking, place, shown, number, word or "-")
        return pages.url("go", r=ranking, p=str(place), n=shown, d=str(number), q=text, s=self.signature(number), c=click)

    def go(self, request):
        ranking, place, shown, number, text, opens, click = (request.parameters.get(k, "") for k in "rpndqsc")
        if not hmac.compare_digest(opens.encode(), self.signature(number).encode()):
            return self.missing(request.parameters)
        word = self.clicker(request, click, ranking, place, shown, number)
        if word is not None:
            self.clicks.append(self.line(ranking, int(place), int(shown), word))
            self.store_clicks()
        if number != "0":
            return 303, {"Location": self.address(int(number), text[:300])}, ""
        return self.html(pages.message("Thanks", text[:300], "This search counts as one without a click."))

    def clicker(self, request, click, *values):
        """The word of the client who clicked, "" where it has none; None: it was no click by a link of this page, made
        for this client."""
        said = request.headers
        if request.method != "GET" or "sec-purpose" in said or "purpose" in said or (
                said.get("sec-fetch-site", "same-origin") != "same-origin" or said.get("sec-fetch-dest", "document") != "document"):
            return None
        try:
            known = [""]
            if not front.is_ours(request.address, self.proxies):
                self.words.word(request.address)  # which removes keys whose time is over
                known = [word for _, word in self.words.words(request.address)]
        except OSError as error:
            self.report("a click does not count: %s" % error)
            return None
        return next((word for word in known if hmac.compare_digest(
            click.encode(), self.signature(*values, word or "-").encode())), None)

    @staticmethod
    def line(ranking, place, shown, word):
        now = time.time() * 1000
        if place:
            return front.event_line(ranking, now, word or None, "click", place=place, shown=shown)
        return "%s\ttime=%d%s clicks=1%s\n" % (ranking, now, " client=" + word if word else "", " 0" * shown)

    def address(self, number, text):
        """Where a document is: the file, a page of this site, or that of --link, whose documents have the same paths."""
        index = self.index()
        if self.options.link:
            found = index.document(number)
            return self.options.link.replace("{path}", found[0]) if found else pages.plain_url("doc", d=str(number), q=text)
        path = index.file(number)
        return "files/" + path if path else pages.plain_url("doc", d=str(number), q=text)

    def client(self, address):
        """The word of a client, or None."""
        try:
            return None if front.is_ours(address, self.proxies) else self.words.word(address)
        except OSError as error:
            self.report("a page has no client: %s" % error)
            return None

    def store_clicks(self):
        """Stores the clicks. Those that cannot be stored, as on a full disk, wait."""
        with self.storing:
            try:
                while self.clicks:
                    self.answers.append(self.clicks[0], sync=True)
                    self.clicks.popleft()
            except OSError as error:
                self.report("clicks wait to be stored: %s" % error)


def number_of(text):
    """The number of a document or a page; 0, which none has, of other texts."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else 0

