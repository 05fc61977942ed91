"""routes: the requests of the API, and their answers."""
# SPDX-License-Identifier: ISC

import asyncio
import contextlib
import functools
import math
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time

import rankpipe
import rankpipe_front as front
from rankpipe_api.admin import Admin
from rankpipe_api.aside import Aside
from rankpipe_api.bodies import Bad, answer_request, event_request, need, rank_request
from rankpipe_api.explaining import Explainer
from rankpipe_api.http import FORWARDED, HEAD, HELD, Http
from rankpipe_api.metrics import Metrics
from rankpipe_api.refusals import Refusals, figures, sentences
from rankpipe_api.service import Service
from rankpipe_service import health

TURNS = 1000  # requests that wait for the service
LARGE = 5 << 16  # bytes of a body that is read by a process of its own, so that others wait for no more than some ms
NO_SERVICE = "the service does not answer"
OTHER_ORDER = {  # whether documents have an order here, and in the service not
    False: "the service begins with the order in which documents come (base=on), but the API was started with "
           "--unordered: leave that out, or run: rankpipe service set base off",
    True: "the service has documents in no order (base=off): start the API with --unordered, or run: rankpipe service "
          "set base on"}
NAMELESS = 600  # seconds for which /health says that requests have no client
FRESH = 20  # seconds after which an idle connection to the service is replaced: serve closes it after 60
ENDING = signal.SIGTERM, signal.SIGINT, signal.SIGHUP
BACKLOG = 1024


def version():
    with contextlib.suppress(OSError):
        said = subprocess.run(["rankpipe", "-V"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
        return said.decode("ascii", "replace").strip().replace("rankpipe ", "")
    return "unknown"


class Api:
    PATHS = {b"/rank": b"POST", b"/answer": b"POST", b"/event": b"POST", b"/health": b"GET", b"/metrics": b"GET"}

    def __init__(self, options, board):
        self.options, self.metrics, self.answers = options, Metrics(), front.Answers(options.answers)
        self.board, self.refusals = board, Refusals()
        self.notice = health.Notice(options.answers) if board.own == 0 else None
        self.folder = os.path.dirname(os.path.realpath(options.state))
        self.is_unix = self.checks_host = False
        self.version = version()
        self.state, self.aside = front.State(options.state), Aside(options.wait)
        self.explainer = Explainer(options.model, options.wait) if options.model else None
        self.words = front.Clients(options.keys, self.state.test_since) if options.keys else None
        self.nameless = None, -math.inf  # what kept requests from having a client, and when
        self.limits = front.Limits(options.each, options.rate, 4 * options.rate)
        # Connections are keys, the one whose last request is the longest ago first.
        self.clients, self.service, self.stopping, self.said, self.tasks = {}, None, False, {}, set()
        self.unstored = -health.STALE  # when a round was not stored the last time

    def has_room(self):
        """For one more connection, if need be in the place of the one whose last request is the longest ago and
        answered: so clients that open and wait keep nobody out, however many."""
        if len(self.clients) < self.options.clients:
            return True
        oldest = next((client for client in self.clients if not client.busy), None)
        if oldest is None:
            return False
        del self.clients[oldest]
        oldest.close("crowded")
        return True

    def held(self):
        """Bytes of bodies that have come in part, and of requests that the service has not read."""
        waiting = self.service.transport.get_write_buffer_size() if self.is_up() else 0
        return waiting + self.aside.held + sum(len(client.buffer) for client in self.clients)

    def is_up(self):
        return bool(self.service and self.service.transport)

    def say(self, text, about="api"):
        """Says what is wrong with something once, not for each request."""
        if text != self.said.get(about):
            with contextlib.suppress(OSError):  # a full disk, which has the log too
                print("api: %s" % text, file=sys.stderr, flush=True)
        self.said[about] = text

    def note(self, path, status, refusal, fewer):
        """Counts a reply, and says a kind of refusal once a minute. /health refuses nothing."""
        line = self.refusals.note(path, status, None if path == "/health" else refusal, fewer)
        if line:
            self.said.pop("refused", None)
            self.say(line, "refused")

    def check_host(self, headers):
        """A page of another site may name this machine, to read what is here: so the name must be known."""
        name = re.sub(":[0-9]{1,5}$", "", headers.get(b"host", b"localhost").decode("latin-1").lower())
        if self.checks_host and not front.is_named(name, self.options.host):
            raise Bad(421, "the name %.100s is not known here: start rankpipe api with --host %.100s" % (name, name))

    def handle(self, client, method, path, headers, body):
        self.check_host(headers)
        forwarded = headers.get(FORWARDED, b"").decode("latin-1")
        address = front.address_of(client.peer, forwarded, self.options.proxy)
        if not (front.is_ours(address, self.options.proxy) or self.limits.allows(address, time.monotonic())):
            raise Bad(429, "too many requests from this address")
        if path not in self.PATHS:
            raise Bad(404, "use %s" % ", ".join(known.decode() for known in self.PATHS))
        if method != self.PATHS[path]:
            client.reply(405, {"error": "use %s" % self.PATHS[path].decode()},
                         headers="Allow: %s\r\n" % self.PATHS[path].decode())
        elif path == b"/health":
            trouble, warning, found = self.trouble(), self.state.warning(), self.warnings()
            client.reply(503 if trouble else 200, {
                "status": trouble or "ok", "warnings": list(found.values()), **({"warning": warning} if warning else {}),
                "time": int(time.time() * 1000), "counts": figures([minutes for _, _, minutes, _ in self.board.all()])})
        elif path == b"/metrics":
            client.reply(200, self.metrics_text(), "text/plain; version=0.0.4; charset=utf-8")
        elif headers.get(b"content-type", b"").split(b";")[0].strip().lower() != b"application/json":
            raise Bad(415, "send Content-Type: application/json")
        elif path == b"/rank":
            request, began, ordered = secrets.token_hex(16), time.monotonic(), not self.options.unordered
            need(self.state.base() in (None, ordered), OTHER_ORDER[ordered])
            self.read(client, body, rank_request, (request, self.options.documents, self.state.features(), ordered,
                                                   self.state.folds()),
                      functools.partial(self.rank, client, (address, bool(forwarded)), request, began))
        elif path == b"/event":
            self.read(client, body, event_request, (self.options.documents,),
                      functools.partial(self.answer, client, (address, bool(forwarded))))
        else:
            self.read(client, body, answer_request, (self.options.documents, self.options.grade),
                      functools.partial(self.answer, client, (address, bool(forwarded))))

    def count(self):
        """Puts what was counted on the board."""
        waiting = len(self.service.waiting) if self.service else 0
        own = {"answers": self.said.get("answers") or self.said.get("notice"),
               "client": self.said.get("client") or (
                   self.nameless[0] if time.monotonic() < self.nameless[1] + NAMELESS else None),
               "unstored": health.UNSTORED if time.monotonic() < self.unstored + health.STALE else None}
        self.board.put((self.metrics.facts(), (len(self.clients), waiting, int(self.is_up())), self.refusals.minutes, own))

    def trouble(self):
        """Why no ranking comes, or nothing is learnt; or None."""
        return self.state.trouble() if self.is_up() else NO_SERVICE

    def said_of(self, counted):
        """{kind: sentence} of what the processes of the API know: module health."""
        return {**sentences([minutes for _, _, minutes, _ in counted], self.state.features()), **{
            kind: text for *_, said in counted for kind, text in said.items() if text}}

    def warnings(self):
        self.count()
        return health.warnings(self.folder, self.state, self.said_of(self.board.all()))

    def tell(self):
        """Tells rankpipe service status what this knows."""
        trouble = {} if self.is_up() else {"serve": NO_SERVICE}
        try:
            counted = self.board.all()
            if self.notice.put({**self.said_of(counted), **trouble}, self.metrics.of(facts for facts, *_ in counted).nulls):
                self.said.pop("notice", None)
        except OSError as error:
            self.say_unstored(error, "notice")

    def metrics_text(self):
        self.count()
        counted, found = self.board.all(), self.warnings()
        total = Metrics.of(facts for facts, *_ in counted)
        connections, waiting, up = zip(*(now for _, now, *_ in counted))
        free, least = health.disk(self.folder, self.state, health.figures(self.folder))
        return total.text([
            ("api_connections", "connections now", [("", sum(connections))]),
            ("api_waiting", "requests that wait for the service", [("", sum(waiting))]),
            ("api_service_up", "1 if there is a connection to the service", [("", min(up))]),
            ("healthy", "1 if the status of /health is ok", [("", int(not self.trouble()))]),
            ("warning", "1 if /health has such a warning", [
                ('{kind="%s"}' % kind, int(kind in found)) for kind in health.KINDS]),
            ("disk_free_bytes", "bytes that are free where the service is", [("", free)]),
            ("disk_least_bytes", "bytes that should be: what spool needs, or two days of growth", [("", least)]),
            ("build_info", "version", [('{version="%s"}' % self.version, 1)])]) + self.state.metrics() + health.exposition(
                self.folder)

    def read(self, client, body, function, rest, then):
        """Calls then with what the function makes of the body, here or aside."""
        if len(body) <= LARGE:
            return then(*function(body, *rest))
        if self.held() > HELD:
            raise Bad(503, "too many requests")

        async def aside():
            try:
                said = await self.aside.run(function.__name__.partition("_")[0], body, rest)
            except Bad as bad:
                client.reply(bad.status, {"error": str(bad)})
            else:
                if client.transport:
                    client.attempt(then, *said)

        self.begin(aside())

    def begin(self, work):
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def rank(self, client, who, request, began, sent, documents, names, explain, fewer, nulls, shown, own):
        client.fewer = fewer or documents in nulls.values()  # a feature that is null in all says as little
        self.metrics.lacking(nulls)
        if own is None:
            self.warn_of_proxy(*who)
        if explain and not self.explainer:
            raise Bad(400, "explain needs a model: start the API with -x")
        if not self.is_up() or len(self.service.waiting) >= TURNS:
            raise Bad(503, "too many requests" if self.is_up() else NO_SERVICE)
        if len(sent) > HEAD and self.held() > HELD:
            raise Bad(503, "too many requests")
        asked = self.service

        def done(answer):
            if not client.transport:
                return
            try:
                if answer is None:
                    raise Bad(503, NO_SERVICE)
                ranking = rankpipe.read_answer(answer, documents, names, request)
                self.metrics.ranked(time.monotonic() - began)
                if not ranking.request:
                    self.unstored = time.monotonic()
                if shown and ranking.request:
                    with contextlib.suppress(OSError):  # said, and the ranking is good all the same
                        self.store(ranking.request, self.client_word(*who, own), {"shown": shown})
                reply = {"request": ranking.request, "round": ranking.t, "scores": ranking.scores,
                         "ranking": [names[i] for i in ranking.order] if names else ranking.order}
                if explain:
                    self.begin(self.explain(client, reply, sent, ranking, names))
                else:
                    client.reply(200, reply)
            except rankpipe.Refused as error:
                client.reply(400, {"error": str(error)})
            except rankpipe.Error as error:
                self.say(str(error))  # whose answer it is, is not known, nor whose the next ones are
                client.reply(503, {"error": NO_SERVICE})
                asked.transport.abort()
            except Bad as bad:
                client.reply(bad.status, {"error": str(bad)})

        asked.ask(sent, done)

    async def explain(self, client, reply, sent, ranking, names):
        """Replies, with the parts of the scores, or null where they cannot be had: the ranking is good all the same."""
        try:
            reply["explain"] = await self.explainer.run(sent, ranking, names) if ranking.scores else None
        except Exception as error:  # whatever it is, the client gets its reply
            self.say(str(error), "explain")
            reply["explain"] = None
        client.reply(200, reply)

    def client_word(self, address, forwarded, own):
        """The client's word, or None. A caller's word counts if the caller is on this machine, or a proxy of ours, and
        asks for itself. Such an address says nothing about who asked."""
        if not self.words:
            return None
        ours = front.is_ours(address, self.options.proxy)
        try:
            word = self.words.word(None if ours else address, own if ours and not forwarded else None)
        except OSError as error:
            self.say("answers have no client: %s" % error, "client")
            return None
        self.said.pop("client", None)
        if own is None:
            self.warn_of_proxy(address, forwarded)
        if ours and forwarded and not front.trusted(address, self.options.proxy):
            self.lacks_name("answers have no client, because X-Forwarded-For comes from %s, which is no --proxy: name it" % (
                address or "unix"), "proxy")
        return word

    def warn_of_proxy(self, address, forwarded):
        """Says once that a proxy does not say who asks."""
        if not forwarded and front.trusted(address, self.options.proxy):
            self.lacks_name("requests come from %s, a --proxy, without X-Forwarded-For: they count for no client and have no "
                            "limits: let the proxy set it" % (address or "unix"), "forwarded")

    def lacks_name(self, text, about):
        """Says that nobody knows who asks, and lets /health say it for a while."""
        self.say(text, about)
        self.nameless = text, time.monotonic()

    def store(self, request, word, said):
        """Stores the line of an answer, as text, or that of an event. Raises OSError once it has said why that fails."""
        now = time.time() * 1000
        line = front.event_line(request, now, word, **said) if isinstance(said, dict) else "%s\ttime=%d %s%s\n" % (
            request, now, "client=%s " % word if word else "", said)
        try:
            self.answers.append(line)
        except OSError as error:
            self.say_unstored(error, "answers")
            raise
        self.said.pop("answers", None)

    def answer(self, client, who, request, said, own):
        """Replies to /answer and /event."""
        try:
            self.store(request, self.client_word(*who, own), said)
        except OSError:
            raise Bad(503, "the answer could not be stored") from None
        client.reply(204)

    def say_unstored(self, error, about):
        """Says that an answer, or the notice beside answers, could not be written: of both the first."""
        text = "answers cannot be stored in %s: %s: make it a folder that this account can write to" % (
            self.options.answers, error.strerror or error)
        if text in (self.said.get("answers"), self.said.get("notice")):
            self.said[about] = text
        self.say(text, about)

    async def keep_service(self):
        """Keeps a connection to the service, one that is not about to be closed for being idle."""
        loop, path = asyncio.get_running_loop(), self.options.socket
        while True:
            old, now = self.service, time.monotonic()
            if old and (old.transport is None or old.is_late(now)):
                if old.transport:
                    self.say("%s: no answer in %d seconds" % (path, self.options.wait), "service")
                    old.transport.abort()
                old = self.service = None
            if not self.stopping and (old is None or (not old.waiting and now - old.used > FRESH)):
                try:
                    _, new = await loop.create_unix_connection(lambda: Service(self.options.wait), path)
                    if old and old.waiting:  # it is in use again
                        new.transport.close()
                    else:
                        self.service = new
                        self.said.pop("service", None)
                        if old and old.transport:
                            old.transport.close()
                except OSError as error:
                    self.say("%s: %s" % (path, error.strerror or error), "service")
            for client in list(self.clients):
                reason = client.is_slow(now)
                if reason:
                    client.close(reason)
            self.count()
            if self.notice:
                self.tell()
            await asyncio.sleep(0.2)

    async def run(self, listener, admin=None):
        """Serves at a socket that listens, until a signal, or until the first process is gone; and the operator's page at
        another one."""
        loop, stop, parent = asyncio.get_running_loop(), asyncio.Event(), os.getppid()
        self.is_unix = listener.family == socket.AF_UNIX
        self.checks_host = not (self.is_unix or self.options.proxy) and front.is_local(listener.getsockname()[0])
        for number in ENDING:
            loop.add_signal_handler(number, stop.set)
        create = loop.create_unix_server if listener.family == socket.AF_UNIX else loop.create_server
        server = await create(lambda: Http(self), sock=listener, backlog=BACKLOG)
        if admin:
            await loop.create_server(lambda: Admin(os.path.join(self.folder, "report.html")), sock=admin)
        keeper = asyncio.create_task(self.keep_service())
        while not stop.is_set() and (self.options.processes == 1 or os.getppid() == parent):
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(stop.wait(), 1)
        loop.remove_reader(listener)
        await asyncio.sleep(0.05)  # a connection that was accepted becomes a client a moment later, if the server is open
        server.close()
        self.stopping = True
        until = time.monotonic() + 5
        while self.clients and time.monotonic() < until:
            await asyncio.sleep(0.05)
        keeper.cancel()
        self.aside.close()
        if self.notice:
            self.notice.remove()
