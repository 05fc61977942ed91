"""api.py: a ranking service over HTTP, between front ends and serve.

    api.py [options] socket answers

socket is that of serve, and answers a folder for the files that `rankpipe service` reads. README.md has
the requests. What comes from outside is a JSON text or it is refused; of it, only checked fields go
on, and api.py itself names each request, and each client for a day.
"""
# SPDX-License-Identifier: ISC

import argparse
import asyncio
import collections
import contextlib
import functools
import heapq
import io
import itertools
import json
import marshal
import math
import os
import re
import resource
import secrets
import signal
import sys
import time
import traceback

above = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.path[:0] = [above, above + "/../lib/python"]  # where it is installed; in the source tree
import rankpipe
import rankpipe_front as front

HEAD = 16384  # bytes of a request line with its headers
QUERY = 1000  # characters of a query
NAME = 500  # characters of the name of a document
TURNS = 1000  # requests that wait for the service
HELD = 1 << 27  # bytes of bodies, of all clients
LARGE = 1 << 14  # bytes of a body that is read by a process of its own, so that other requests do not wait
LARGER = 1 << 17  # bytes of a body that is read by another one, so that bodies of usual size do not wait either
WORD = 200  # characters of a client's word
NO_SERVICE = "the service does not answer"
OTHER_ORDER = {  # whether documents have an order here, and in the service not
    False: "the service begins with the order in which documents come (base=on), but api.py was started with "
           "--unordered: leave that out, or run: rankpipe service set base off",
    True: "the service has documents in no order (base=off): start api.py with --unordered, or run: rankpipe service "
          "set base on"}
FRESH = 20  # seconds after which an idle connection to the service is replaced: serve closes it after 60
STATUS = {200: "OK", 204: "No Content", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed",
          408: "Request Timeout", 411: "Length Required", 413: "Content Too Large", 415: "Unsupported Media Type",
          429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
          503: "Service Unavailable", 505: "HTTP Version Not Supported"}


class Bad(Exception):
    """A status, and what is wrong."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


# ---- fields ----
# Numbers stay the bytes that they are in the text, so that they reach serve as they are, and nothing
# else can be bytes.


def need(right, text):
    if not right:
        raise Bad(400, text)


def no_constant(name):
    raise Bad(400, "%s is not a JSON number" % name)


def pairs(items):
    fields = dict(items)
    need(len(fields) == len(items), "an object has a field twice")
    return fields


DECODER = json.JSONDecoder(parse_float=str.encode, parse_int=str.encode, parse_constant=no_constant,
                           object_pairs_hook=pairs)


def fields_of(body, known):
    """The fields of the object that a body is, which must be among the known ones."""
    try:
        fields = DECODER.decode(body.decode("utf-8"))
    except RecursionError:
        raise Bad(400, "the body is nested too deeply") from None
    except ValueError as error:
        raise Bad(400, "the body is not JSON: %s" % error) from None
    need(isinstance(fields, dict), "the body must be an object")
    for name in fields:
        need(name in known, "unknown field %.40s: the fields are %s" % (json.dumps(name), ", ".join(known)))
    return fields


def text_of(value, what, most):
    need(isinstance(value, str), "%s must be a text" % what)
    need(0 < len(value) <= most, "%s must have 1 to %d characters" % (what, most))
    need(not re.search("[\ud800-\udfff]", value), "%s has half a character" % what)
    return value


def number_of(value, what, least, most):
    need(isinstance(value, bytes) and len(value) < 100, "%s must be a number" % what)
    need(least <= float(value) <= most, "%s must be from %d to %d" % (what, least, most))
    return float(value)


def whole_of(value, what, least, most):
    need(isinstance(value, bytes) and re.fullmatch(b"[0-9]{1,9}", value), "%s must be a whole number" % what)
    return int(number_of(value, what, least, most))


def list_of(value, what, least, most):
    need(isinstance(value, list), "%s must be an array" % what)
    need(least <= len(value) <= most, "%s must have %d to %d elements" % (what, least, most))
    return value


def features_of(value, what, features):
    """The text of a document's features, numbered from 1, of which there may be so many."""
    if isinstance(value, dict):
        for j, number in value.items():
            need(re.fullmatch("[1-9][0-9]{0,9}", j), '%s: a feature is named by its number, from "1"' % what)
            need(isinstance(number, bytes), "%s: each feature must be a number" % what)
            check_features(int(j), what, features)
        return b" ".join(b"%b:%b" % (j.encode(), value[j]) for j in sorted(value, key=int))
    need(isinstance(value, list), "%s must be an array or an object" % what)
    check_features(len(value), what, features)
    try:
        return template(len(value)) % tuple(value)
    except TypeError:
        raise Bad(400, "%s: each feature must be a number" % what) from None


def check_features(n, what, features):
    need(features is None or n <= features,
         "%s has feature %d, but the service has features 1 to %d" % (what, n, features or 0))


TEMPLATES = {}


def template(dim):
    """b"1:%b 2:%b ..." for so many features; only those of usual length are kept."""
    if dim not in TEMPLATES:
        text = b" ".join(b"%d:%%b" % j for j in range(1, dim + 1))
        if dim > 1000 or len(TEMPLATES) > 1000:
            return text
        TEMPLATES[dim] = text
    return TEMPLATES[dim]


def document_of(value, i, features):
    """The features and the name of a document."""
    need(isinstance(value, dict) and value.keys() <= {"name", "features"},
         "documents[%d] must be an object of name and features" % i)
    name = value.get("name")
    if name is not None:
        text_of(name, "documents[%d].name" % i, NAME)
    return features_of(value.get("features", []), "documents[%d].features" % i, features), name


def line_of(value, i, features):
    """The same of a line: features, and perhaps # and the name."""
    text, sign, name = text_of(value, "lines[%d]" % i, 1 << 30).partition("#")
    need(not re.search("[^0-9:.eE+ \t-]", text), "lines[%d] must be features, and perhaps # and a name" % i)
    if features is not None:
        check_features(max((int(j) for j in re.findall("([0-9]{1,20}):", text)), default=0), "lines[%d]" % i, features)
    return text.encode(), text_of(name.strip(" \t"), "the name in lines[%d]" % i, NAME) if sign else None


def rank_request(body, request, most, features, ordered, folds):
    """The text for serve, the number of documents, their names, and whether to explain it, of a body for /rank. A
    document has at most so many features; None: any number. `ordered`: the documents are in an engine's order.
    `folds`: the query is folded."""
    fields = fields_of(body, ("query", "documents", "lines", "explain"))
    explain = fields.get("explain", False)
    need(isinstance(explain, bool), "explain must be true or false")
    query = text_of(fields.get("query"), "query", QUERY)
    need(("documents" in fields) != ("lines" in fields), "one of documents and lines must be given")
    name, one = ("documents", document_of) if "documents" in fields else ("lines", line_of)
    documents = [one(value, i, features) for i, value in enumerate(list_of(fields[name], name, 1, most))]
    names = [name for _, name in documents]
    need(None not in names or not any(names), "either each document has a name, or none has")
    names = None if names[0] is None else names
    try:
        text = rankpipe.request_text([text for text, _ in documents], names, query, request, ordered, folds)
        return text, len(documents), names, explain
    except rankpipe.Error as error:
        raise Bad(400, str(error)) from None


def answer_request(body, most, top):
    """The end of the line of answers that a body for /answer is, and the caller's word for the client or None.
    The word clicks=1 says that the numbers are clicks: evidence of relevance, and not relevance."""
    fields = fields_of(body, ("request", "labels", "clicks", "shown", "client"))
    own = fields.get("client")
    if own is not None:
        text_of(own, "client", WORD)
    request = fields.get("request")
    need(isinstance(request, str) and re.fullmatch("[0-9a-f]{32}", request),
         "request must be the name that /rank gave, 32 of 0-9a-f")
    need("labels" in fields or "clicks" in fields, "one of labels and clicks must be given")
    need("labels" not in fields or "clicks" not in fields,
         "labels and clicks exclude each other: labels say how relevant documents are, clicks only what was clicked")
    if "labels" in fields:
        need("shown" not in fields, "shown goes with clicks")
        said = [number_of(value, "labels[%d]" % i, 0, top)
                for i, value in enumerate(list_of(fields["labels"], "labels", 1, most))]
    else:
        clicks = [whole_of(value, "clicks[%d]" % i, 1, most)
                  for i, value in enumerate(list_of(fields["clicks"], "clicks", 0, most))]
        need(clicks or "shown" in fields, "without a click, shown must say how many documents were shown")
        shown = whole_of(fields["shown"], "shown", 1, most) if "shown" in fields else max(clicks)
        need(not clicks or max(clicks) <= shown, "a click is below the last document that was shown")
        said = [0] * shown
        for place in clicks:
            said[place - 1] = 1
    kind = "clicks=1 " if "clicks" in fields else ""
    return request, kind + " ".join("%g" % (round(label, 4) + 0.0) for label in said), own


# ---- large bodies ----


def read_bodies(source, target):
    """The process of Aside: reads bodies until this end of the pipe is closed."""
    for number in (signal.SIGINT, signal.SIGTERM):  # api.py ends first
        signal.signal(number, signal.SIG_IGN)
    while size := source.read(8):
        name, body, rest = marshal.loads(source.read(int.from_bytes(size, "big")))
        try:
            said = True, {"rank": rank_request, "answer": answer_request}[name](body, *rest)
        except Bad as bad:
            said = False, (bad.status, str(bad))
        target.write(framed(said))
        target.flush()


def framed(value):
    data = marshal.dumps(value)
    return len(data).to_bytes(8, "big") + data


class Aside:
    """A process that reads large bodies, of those that wait the smallest first, so that the loop goes on meanwhile.
    It begins with the first body, and ends with this process. If it takes too long for a body, another one takes its
    place.
    """

    def __init__(self, seconds):
        self.seconds, self.process, self.held = seconds, None, 0
        self.taken, self.waiting, self.numbers = False, [], itertools.count()

    async def run(self, name, body, rest):
        """What rank_request or answer_request makes of a body. Raises Bad."""
        self.held += len(body)
        try:
            await self._take(len(body))
            try:
                right, said = await asyncio.wait_for(self._ask(framed((name, body, rest))), self.seconds)
            finally:
                self._give()
        except (OSError, EOFError, asyncio.TimeoutError):
            raise Bad(503, "the body could not be read in time") from None
        finally:
            self.held -= len(body)
        if not right:
            raise Bad(*said)
        return said

    async def _take(self, size):
        """Waits for the turn of a body of that size."""
        if self.taken:
            turn = asyncio.get_running_loop().create_future()
            heapq.heappush(self.waiting, (size, next(self.numbers), turn))
            await asyncio.wait_for(turn, self.seconds)
        self.taken = True

    def _give(self):
        self.taken = False
        while self.waiting and not self.taken:
            turn = heapq.heappop(self.waiting)[2]
            if not turn.done():  # else it has given up
                turn.set_result(None)
                self.taken = True

    async def _ask(self, data):
        if not self.process:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, os.path.realpath(__file__), "--aside",
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
        try:
            self.process.stdin.write(data)
            await self.process.stdin.drain()
            size = await self.process.stdout.readexactly(8)
            return marshal.loads(await self.process.stdout.readexactly(int.from_bytes(size, "big")))
        except BaseException:
            self.close()
            raise

    def close(self):
        if self.process and self.process.returncode is None:
            self.process.kill()
        self.process = None


# ---- why documents stand where they do ----


class Explainer:
    """Asks bin2txt -f why, for one ranking at a time."""

    WAITING = 20  # rankings at most

    def __init__(self, model, seconds):
        self.model, self.seconds, self.turn, self.waiting = model, seconds, None, 0

    async def run(self, text, ranking, names):
        """The parts of the scores of a ranking, document by document, of the text that was sent to serve. Raises Error:
        also where the model was replaced in the meantime."""
        self.turn = self.turn or asyncio.Lock()
        if self.waiting >= self.WAITING:
            raise rankpipe.Error("too many explanations at a time")
        self.waiting += 1
        try:
            async with self.turn:
                return await asyncio.wait_for(self._explain(text, ranking, names), self.seconds)
        except (OSError, asyncio.TimeoutError) as error:
            raise rankpipe.Error("no explanation: %s" % (error or "it takes too long")) from None
        finally:
            self.waiting -= 1

    async def _explain(self, text, ranking, names):
        with open(self.model, "rb") as model:  # with the step base it needs the order of the engine, that of the lines
            based = re.search(rb" made=\S*\bbase ", model.readline(1 << 16))
        documents = text[text.index(b"?"):]  # after the request's own lines
        options = [*(["-e"] if based else []), *(["-Q"] if documents.startswith(b"? qid=") else [])]
        made = await self._run("svm2bin", "-u", *options, data=documents.replace(b"? qid=", b"? qid:"))
        [round_] = rankpipe.read(io.BytesIO(made))
        scores = dict(zip(ranking.order, ranking.scores))
        round_["score"], round_["order"] = [scores[i] for i in range(len(scores))], ranking.order
        stream = io.BytesIO()
        with rankpipe.Writer(stream) as out:
            out.write(round_)
        said = await self._run("bin2txt", "-f", "why", self.model, data=stream.getvalue())
        parts = []
        for line in said.decode("utf-8", "replace").splitlines():
            _, _, _, part, what, value = line.split("\t")
            if part == "score":
                i = ranking.order[len(parts)]
                parts.append({"document": names[i] if names else i, "score": float(value), "features": {}})
            elif part == "feature":
                parts[-1]["features"][what] = float(value)
            elif part == "position":
                parts[-1]["judged"] = what == "judged"
            else:
                parts[-1][part] = float(value)
            if part == "remembered":
                parts[-1]["answers"] = float(what)
        return parts

    async def _run(self, *words, data):
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe, stderr=pipe)
        try:
            said, wrong = await process.communicate(data)
        except BaseException:
            process.kill()
            raise
        if process.returncode:
            raise rankpipe.Error(wrong.decode("utf-8", "replace").strip())
        return said


# ---- metrics ----


class Metrics:
    BOUNDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)

    def __init__(self):
        self.requests, self.closed, self.connections = collections.Counter(), collections.Counter(), 0
        self.seconds, self.sum = [0] * (len(self.BOUNDS) + 1), 0.0

    def ranked(self, seconds):
        self.seconds[sum(seconds > bound for bound in self.BOUNDS)] += 1
        self.sum += seconds

    def text(self, gauges):
        lines = []

        def put(name, kind, help_, rows):
            lines.append("# HELP rankpipe_api_%s %s\n# TYPE rankpipe_api_%s %s" % (name, help_, name, kind))
            lines.extend("rankpipe_api_%s%s %.12g" % (name, label, value) for label, value in rows)

        put("requests_total", "counter", "answered requests, by path and status",
            [('{path="%s",status="%d"}' % key, n) for key, n in sorted(self.requests.items())])
        put("closed_total", "counter", "connections that were closed, by reason",
            [('{reason="%s"}' % key, n) for key, n in sorted(self.closed.items())])
        put("connections_total", "counter", "connections since the start", [("", self.connections)])
        for name, help_, value in gauges:
            put(name, "gauge", help_, [("", value)])
        total, rows = 0, []
        for bound, n in zip((*self.BOUNDS, math.inf), self.seconds):
            total += n
            rows.append(('_bucket{le="%s"}' % ("+Inf" if bound == math.inf else "%g" % bound), total))
        put("rank_seconds", "histogram", "time from a whole request to its ranking",
            [*rows, ("_sum", self.sum), ("_count", total)])
        return "\n".join([*lines, ""])


# ---- the service ----


class Service(asyncio.Protocol):
    """One connection to serve. Answers come in the order of the requests."""

    def __init__(self, seconds):
        self.seconds, self.transport, self.used = seconds, None, time.monotonic()
        self.buffer, self.looked = bytearray(), 0
        self.waiting = collections.deque()  # pairs: when it was asked, what to call with the answer or None

    def connection_made(self, transport):
        self.transport = transport

    def ask(self, text, done):
        self.used = time.monotonic()
        self.waiting.append((self.used, done))
        self.transport.write(text)

    def data_received(self, data):
        self.buffer += data
        while (end := self.buffer.find(b"\n\n", self.looked)) >= 0 and self.waiting:
            answer = bytes(self.buffer[:end + 1])
            del self.buffer[:end + 2]
            self.looked = 0
            self.waiting.popleft()[1](answer)
        self.looked = max(0, len(self.buffer) - 1)
        if self.buffer and (not self.waiting or len(self.buffer) > 1 << 26):
            self.transport.abort()  # it says what nobody asked for

    def is_late(self, now):
        return self.waiting and now - self.waiting[0][0] > self.seconds

    def connection_lost(self, _):
        self.transport = None
        while self.waiting:
            self.waiting.popleft()[1](None)


# ---- HTTP ----


def parse_head(head):
    """Method, path, headers, and whether the connection stays, of a request."""
    lines = head.split(b"\r\n")
    words = lines[0].split(b" ")
    if len(words) != 3 or re.search(rb"[\x00-\x20\x7f-\xff]", words[1]) or b"\n" in head.replace(b"\r\n", b""):
        raise Bad(400, "not a request of HTTP")
    if words[2] not in (b"HTTP/1.1", b"HTTP/1.0"):
        raise Bad(505, "use HTTP/1.1")
    headers = {}
    for line in lines[1:]:
        name, colon, value = line.partition(b":")
        name = name.lower()
        if not colon or not HEADER.fullmatch(name) or b"\r" in value or b"\0" in value:
            raise Bad(400, "not a header of HTTP")
        if name in headers and name in (b"content-length", b"transfer-encoding", b"content-type", b"host"):
            raise Bad(400, "a header comes twice: %s" % name.decode())
        value = value.strip(b" \t")
        headers[name] = b"%b,%b" % (headers[name], value) if name in headers and name == FORWARDED else value
    connection = headers.get(b"connection", b"").lower()
    keep = b"close" not in connection if words[2] == b"HTTP/1.1" else b"keep-alive" in connection
    return words[0], words[1], headers, keep


FORWARDED = b"x-forwarded-for"  # each proxy may add a line
HEADER = re.compile(rb"[!#$%&'*+.^_`|~0-9a-z-]+")


def length_of(method, headers, most):
    """The bytes of the body."""
    if b"transfer-encoding" in headers:
        raise Bad(411, "send a body with Content-Length, not in chunks")
    length = headers.get(b"content-length")
    if length is None:
        if method == b"POST":
            raise Bad(411, "send Content-Length")
        return 0
    if not re.fullmatch(b"[0-9]{1,15}", length):
        raise Bad(400, "Content-Length is not a number")
    if int(length) > most:
        raise Bad(413, "a body of more than %d bytes" % most)
    return int(length)


class Http(asyncio.Protocol):
    """One connection of a client: one request at a time."""

    def __init__(self, api):
        self.api, self.transport = api, None
        self.buffer, self.looked = bytearray(), 0
        self.head, self.need = None, 0  # of the request whose body is awaited; bytes of the body
        self.busy = self.full = False  # a request is being answered; the client does not read
        self.ended = self.left = False  # the client sends no more; this side does not
        self.since = time.monotonic()  # when the present wait began
        self.keep, self.path = True, "other"
        self.peer = None  # the address of the connection; None: a Unix socket
        self.entered = False

    def connection_made(self, transport):
        self.transport = transport
        transport.set_write_buffer_limits(high=65536)
        self.api.metrics.connections += 1
        if not isinstance(self.api.options.listen, str):
            name = transport.get_extra_info("peername")
            if not name:
                return transport.abort()  # it has gone
            self.peer = name[0]
        ours = front.is_ours(self.peer, self.api.options.proxy)
        self.entered = not ours and self.api.limits.enter(self.peer)
        if not (ours or self.entered) or not self.api.has_room():
            self.ended = True  # and no time is spent on it
            self.refuse(Bad(503, "too many connections"))
        else:
            self.api.clients[self] = None

    def connection_lost(self, _):
        self.transport = None
        self.api.clients.pop(self, None)
        if self.entered:
            self.entered = False
            self.api.limits.leave(self.peer)

    def data_received(self, data):
        if self.left:
            return
        if not self.buffer and not self.busy:
            self.since = time.monotonic()
        self.buffer += data
        if self.busy or self.full:
            if len(self.buffer) > HEAD:
                self.transport.pause_reading()
        else:
            self.advance()

    def eof_received(self):
        self.ended = True
        return self.busy or self.full  # a client that has sent all may still read

    def pause_writing(self):
        self.full, self.since = True, time.monotonic()

    def resume_writing(self):
        self.full, self.since = False, time.monotonic()
        self.transport.resume_reading()
        self.advance()

    def advance(self):
        """Answers the requests that have come."""
        try:
            while self.transport and not (self.busy or self.full or self.left) and self.buffer:
                if not self.advance_once():
                    break
        except Bad as bad:
            self.refuse(bad)

    def advance_once(self):
        if self.head is None:
            end = self.buffer.find(b"\r\n\r\n", self.looked)
            if (end if end >= 0 else len(self.buffer)) > HEAD:
                raise Bad(431, "more than %d bytes of headers" % HEAD)
            if end < 0:
                self.looked = max(0, len(self.buffer) - 3)
                return False
            self.head = parse_head(bytes(self.buffer[:end]))
            method, path, headers, self.keep = self.head
            self.path = path.decode() if path in self.api.PATHS else "other"
            self.looked = 0
            del self.buffer[:end + 4]
            self.need = length_of(method, headers, self.api.options.bytes)
            if headers.get(b"expect", b"").lower() == b"100-continue" and len(self.buffer) < self.need:
                self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        if len(self.buffer) < self.need:
            if len(self.buffer) > HEAD and self.api.held() > HELD:
                raise Bad(503, "too many requests")
            return False
        body = bytes(self.buffer[:self.need])
        del self.buffer[:self.need]
        head, self.head = self.head, None
        self.busy, self.since = True, time.monotonic()
        self.attempt(self.api.handle, self, *head[:3], body)
        return True

    def attempt(self, function, *arguments):
        """Does a part of a request, which is to reply, now or later."""
        try:
            function(*arguments)
        except Bad as bad:  # of this request alone: the connection stays
            self.reply(bad.status, {"error": str(bad)})
        except Exception:  # a mistake of this program ends one request, not all
            self.api.say(traceback.format_exc())
            self.reply(500, {"error": "api.py failed: its log says where"})

    def reply(self, status, value=None, kind="application/json", headers=""):
        """Ends the request."""
        if not self.transport:
            return
        body = value.encode() if isinstance(value, str) else b"" if value is None else \
            json.dumps(value).encode() + b"\n"
        self.api.metrics.requests[self.path, status] += 1
        self.busy, self.path, self.since = False, "other", time.monotonic()
        if self in self.api.clients:
            self.api.clients[self] = self.api.clients.pop(self)
        self.keep = self.keep and not self.api.stopping and (bool(self.buffer) or not self.ended)
        length = "" if status == 204 else "Content-Type: %s\r\nContent-Length: %d\r\n" % (kind, len(body))
        head = "HTTP/1.1 %d %s\r\n%sCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n%s%s\r\n"
        self.transport.write((head % (status, STATUS[status], length, headers, "" if self.keep else
                                      "Connection: close\r\n")).encode() + body)
        if not self.keep:
            self.leave()
        elif self.buffer:
            self.transport.resume_reading()
            asyncio.get_running_loop().call_soon(self.advance)

    def refuse(self, bad):
        """The connection cannot go on."""
        self.keep = False
        self.reply(bad.status, {"error": str(bad)})

    def leave(self):
        """Closes when the client has read, so that what it still sends does not cut its answer off."""
        self.left = True
        self.buffer.clear()
        if self.ended or not self.transport.can_write_eof():
            self.transport.close()
        else:
            self.transport.resume_reading()
            self.transport.write_eof()

    def is_slow(self, now):
        """The reason to close the connection, or None."""
        waited, options = now - self.since, self.api.options
        if self.left or self.full:
            return "unread" if waited > options.wait else None
        if self.busy:
            return None  # the service has its own limit
        if self.buffer or self.head:
            return "slow" if waited > options.wait else None
        return "idle" if waited > options.idle or self.api.stopping else None

    def close(self, reason):
        self.api.metrics.closed[reason] += 1
        if not self.transport:
            return
        if reason == "slow":
            self.refuse(Bad(408, "the request took longer than %d seconds to arrive" % self.api.options.wait))
        else:
            self.transport.abort()


class Api:
    PATHS = {b"/rank": b"POST", b"/answer": b"POST", b"/health": b"GET", b"/metrics": b"GET"}

    def __init__(self, options):
        self.options, self.metrics, self.answers = options, Metrics(), front.Answers(options.answers)
        self.state, self.asides = front.State(options.state), (Aside(options.wait), Aside(options.wait))
        self.explainer = Explainer(options.model, options.wait) if options.model else None
        self.words = front.Clients(options.keys, self.state.test_since) if options.keys else None
        self.limits = front.Limits(options.each, options.rate, 4 * options.rate)
        # Connections are keys, the one whose last request is the longest ago first.
        self.clients, self.service, self.stopping, self.said, self.tasks = {}, None, False, {}, set()

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
        return waiting + sum(aside.held for aside in self.asides) + sum(len(client.buffer) for client in self.clients)

    def is_up(self):
        return bool(self.service and self.service.transport)

    def say(self, text, about="api"):
        """Says what is wrong with something once, not for each request."""
        if text != self.said.get(about):
            with contextlib.suppress(OSError):  # a full disk, which has the log too
                print("api: %s" % text, file=sys.stderr, flush=True)
        self.said[about] = text

    def handle(self, client, method, path, headers, body):
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
            trouble = self.state.trouble() if self.is_up() else NO_SERVICE
            warning = self.state.warning()
            client.reply(503 if trouble else 200, {"status": trouble or "ok", **({"warning": warning} if warning else {})})
        elif path == b"/metrics":
            client.reply(200, self.metrics.text([
                ("connections", "connections now", len(self.clients)),
                ("waiting", "requests that wait for the service", len(self.service.waiting) if self.service else 0),
                ("service_up", "1 if there is a connection to the service", self.is_up())]) + self.state.metrics(),
                "text/plain; version=0.0.4; charset=utf-8")
        elif headers.get(b"content-type", b"").split(b";")[0].strip().lower() != b"application/json":
            raise Bad(415, "send Content-Type: application/json")
        elif path == b"/rank":
            request, began, ordered = secrets.token_hex(16), time.monotonic(), not self.options.unordered
            need(self.state.base() in (None, ordered), OTHER_ORDER[ordered])
            self.read(client, body, rank_request, (request, self.options.documents, self.state.features(), ordered,
                                                   self.state.folds()),
                      functools.partial(self.rank, client, request, began))
        else:
            self.read(client, body, answer_request, (self.options.documents, self.options.grade),
                      functools.partial(self.answer, client, address, bool(forwarded)))

    def read(self, client, body, function, rest, then):
        """Calls then with what the function makes of the body, here or aside."""
        if len(body) <= LARGE:
            return then(*function(body, *rest))
        if self.held() > HELD:
            raise Bad(503, "too many requests")

        async def aside():
            try:
                said = await self.asides[len(body) > LARGER].run(function.__name__.partition("_")[0], body, rest)
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

    def rank(self, client, request, began, text, documents, names, explain):
        if explain and not self.explainer:
            raise Bad(400, "explain needs a model: start api.py with -x")
        if not self.is_up() or len(self.service.waiting) >= TURNS:
            raise Bad(503, "too many requests" if self.is_up() else NO_SERVICE)
        if len(text) > HEAD and self.held() > HELD:
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
                reply = {"request": ranking.request, "round": ranking.t, "scores": ranking.scores,
                         "ranking": [names[i] for i in ranking.order] if names else ranking.order}
                if explain:
                    self.begin(self.explain(client, reply, text, ranking, names))
                else:
                    client.reply(200, reply)
            except rankpipe.Refused as error:
                client.reply(400, {"error": refusal(str(error))})
            except rankpipe.Error as error:
                self.say(str(error))  # whose answer it is, is not known, nor whose the next ones are
                client.reply(503, {"error": NO_SERVICE})
                asked.transport.abort()
            except Bad as bad:
                client.reply(bad.status, {"error": str(bad)})

        asked.ask(text, done)

    async def explain(self, client, reply, text, ranking, names):
        """Replies, with the parts of the scores, or null where they cannot be had: the ranking is good all the same."""
        try:
            reply["explain"] = await self.explainer.run(text, ranking, names) if ranking.scores else None
        except Exception as error:  # whatever it is, the client gets its reply
            self.say(str(error), "explain")
            reply["explain"] = None
        client.reply(200, reply)

    def client_word(self, address, forwarded, own):
        """The word client=... of an answer, with a blank, or nothing. A caller's word counts if the caller is on
        this machine, or a proxy of ours, and asks for itself. Such an address says nothing about who asked."""
        if not self.words:
            return ""
        ours = front.is_ours(address, self.options.proxy)
        try:
            word = self.words.word(None if ours else address, own if ours and not forwarded else None)
        except OSError as error:
            self.say("answers have no client: %s" % error, "client")
            return ""
        self.said.pop("client", None)
        if ours and forwarded and not front.trusted(address, self.options.proxy):
            self.say("answers have no client, because X-Forwarded-For comes from %s, which is no --proxy: name it" % (
                address or "unix"), "proxy")
        return "client=%s " % word if word else ""

    def answer(self, client, address, forwarded, request, said, own):
        line = "%s\ttime=%d %s%s\n" % (request, time.time() * 1000, self.client_word(address, forwarded, own), said)
        try:
            self.answers.append(line)
        except OSError as error:
            self.say("cannot write to %s: %s" % (self.options.answers, error.strerror or error), "answers")
            raise Bad(503, "the answer could not be stored") from None
        self.said.pop("answers", None)
        client.reply(204)

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
            await asyncio.sleep(0.2)

    async def run(self):
        loop, stop = asyncio.get_running_loop(), asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, stop.set)
        if isinstance(self.options.listen, str):
            server = await loop.create_unix_server(lambda: Http(self), self.options.listen, backlog=1024)
        else:
            server = await loop.create_server(lambda: Http(self), *self.options.listen, backlog=1024)
        bound = server.sockets[0].getsockname()
        self.say("listening at %s" % (bound if isinstance(bound, str) else "%s:%d" % bound[:2]))
        keeper = asyncio.create_task(self.keep_service())
        await stop.wait()
        server.close()
        self.stopping = True
        until = time.monotonic() + 5
        while self.clients and time.monotonic() < until:
            await asyncio.sleep(0.05)
        keeper.cancel()
        for aside in self.asides:
            aside.close()


def refusal(text):
    """What serve says of line n of a request, said of document n - 2."""
    return re.sub(r"^request: line ([0-9]+): ", lambda at: "documents[%d]: " % (int(at[1]) - 2), text)


def parse():
    def number(least, most):
        def parsed(text):
            if not re.fullmatch("[0-9]{1,10}", text) or not least <= int(text) <= most:
                raise argparse.ArgumentTypeError("%r is not a whole number from %d to %d" % (text, least, most))
            return int(text)
        return parsed

    def address(text):
        """A pair of host and port, or a path."""
        host, _, port = text.rpartition(":")
        if not re.fullmatch("[0-9]{1,5}", port) or not host:
            return text
        if int(port) > 65535:
            raise argparse.ArgumentTypeError("%r has a port above 65535" % text)
        return host.strip("[]"), int(port)

    parser = argparse.ArgumentParser(prog="api.py", description="A ranking service over HTTP.")
    add = parser.add_argument
    add("-l", dest="listen", metavar="address", type=address, default="127.0.0.1:8080",
        help="listen there: host:port, or the path of a Unix socket (%(default)s)")
    for letter, name, value, least, most, unit, text in (
            ("-c", "clients", 1000, 1, 100000, "n", "most connections"),
            ("-g", "grade", 4, 1, 1000, "n", "highest label"),
            ("-i", "idle", 60, 1, 86400, "seconds", "close a connection that is idle for so long"),
            ("-m", "bytes", 1 << 20, 1, 1 << 26, "n", "most bytes of a body"),
            ("-n", "documents", 1000, 1, 1000000, "n", "most documents of a request"),
            ("-w", "wait", 5, 1, 3600, "seconds", "longest wait for a request, its reader, and the service")):
        add(letter, dest=name, metavar=unit, type=number(least, most), default=value, help=text + " (%(default)s)")
    add("-e", dest="each", metavar="n", type=number(0, 100000), default=100,
        help="most connections of an address; 0: any number (%(default)s)")
    add("-r", dest="rate", metavar="n", type=number(0, 1000000), default=50,
        help="most requests a second of an address, four seconds' worth at once; 0: any number (%(default)s)")
    add("-k", dest="keys", metavar="folder", default=os.environ.get("RUNTIME_DIRECTORY"),
        help="folder of this account alone for the key of clients' words (%(default)s)")
    add("-s", dest="state", metavar="file", help="what the service says of itself (service.json beside answers)")
    add("--unordered", action="store_true",
        help="documents come in no order (default: in that of a search engine, best first)")
    add("-x", dest="model", metavar="model", help='explain rankings that ask for it, by this model')
    add("--proxy", action="append", type=front.proxy, default=[], metavar="address",
        help="believe X-Forwarded-For from this address or network, or from unix, the listening Unix socket")
    add("socket", help="the socket of serve")
    add("answers", help="the folder of answers")
    options = parser.parse_args()
    refused = front.as_root()
    if refused:
        sys.exit("api: %s" % refused)
    if not os.path.isdir(options.answers) or not os.access(options.answers, os.W_OK):
        parser.error("%s is not a folder to write to" % options.answers)
    if options.state is None:
        options.state = os.path.join(os.path.dirname(os.path.realpath(options.answers)), "service.json")
    if options.keys and not (os.path.isdir(options.keys) and os.access(options.keys, os.W_OK)):
        parser.error("-k %s is not a folder to write to" % options.keys)
    files, most = options.clients + 64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most != resource.RLIM_INFINITY and files > most:
        parser.error("-c %d needs %d file descriptors, but this process may have only %d" %
                     (options.clients, files, most))
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
    return options


if __name__ == "__main__":
    if sys.argv[1:] == ["--aside"]:
        sys.exit(read_bodies(sys.stdin.buffer, sys.stdout.buffer))
    try:
        asyncio.run(Api(parse()).run())
    except OSError as wrong:
        sys.exit("api: %s" % wrong)
