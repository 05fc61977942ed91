"""api.py: a ranking service over HTTP, between front ends and serve.

    api.py [options] socket answers

socket is that of serve, and answers a folder for the files that `rankpipe service` reads. README.md has
the requests. What comes from outside is a JSON text or it is refused; of it, only checked fields go
on, and api.py itself names each request, and each client for a day.
"""
# SPDX-License-Identifier: ISC

import argparse
import array
import asyncio
import base64
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
import socket
import stat
import sys
import tempfile
import time
import traceback
import zlib

above = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.path[:0] = [above, above + "/../lib/python"]  # where it is installed; in the source tree
import rankpipe
import rankpipe_front as front

HEAD = 16384  # bytes of a request line with its headers
QUERY = 1000  # characters of a query
NAME = 500  # characters of the name of a document
TURNS = 1000  # requests that wait for the service
HELD = 1 << 27  # bytes of bodies, of all clients
LARGE = 5 << 16  # bytes of a body that is read by a process of its own, so that others wait for no more than some ms
WORD = 200  # characters of a client's word
HALF = re.compile("[\ud800-\udfff]")  # half of a pair of UTF-16
KNOWN = {"name", "features"}  # fields of a document
PAIR = re.compile("0*([1-9][0-9]{0,9}):([+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")  # a feature in a line
MOST_FEATURES = 1 << 31  # of a document, in rounds
LARGEST = 3.4028235677973362e38  # a number from which a float of single precision is no number
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


def need(right, text):
    if not right:
        raise Bad(400, text)


def no_constant(name):
    raise Bad(400, "%s is not a JSON number" % name)


def pairs(items):
    fields = dict(items)
    need(len(fields) == len(items), "an object has a field twice")
    return fields


DECODER = json.JSONDecoder(parse_constant=no_constant, object_pairs_hook=pairs)


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
    need(not HALF.search(value), "%s has half a character" % what)
    return value


def is_number(value):
    return type(value) in (int, float)  # True and False are of another type


def number_of(value, what, least, most):
    need(is_number(value), "%s must be a number" % what)
    need(least <= value <= most, "%s must be from %d to %d" % (what, least, most))
    return value


def whole_of(value, what, least, most):
    need(type(value) is int, "%s must be a whole number" % what)
    return number_of(value, what, least, most)


def list_of(value, what, least, most):
    need(isinstance(value, list), "%s must be an array" % what)
    need(least <= len(value) <= most, "%s must have %d to %d elements" % (what, least, most))
    return value


def features_of(value, what, features):
    """The features of a document as rankpipe takes them, of which there may be so many (None: any number)."""
    if isinstance(value, list):
        check_features(len(value), what, features)
        return value
    need(isinstance(value, dict), "%s must be an array or an object" % what)
    for j in value:
        need(re.fullmatch("[1-9][0-9]{0,9}", j), '%s: a feature is named by its number, from "1"' % what)
        check_features(int(j), what, features)
    return {int(j) - 1: number for j, number in value.items()}


def check_features(n, what, features):
    if n > (MOST_FEATURES if features is None else features):
        raise Bad(400, "%s has feature %d, but the service has features 1 to %d" % (what, n, features or MOST_FEATURES))


def documents_of(values, features):
    """The features of documents, and their names or None. This is most of the work for a request, so texts of
    errors are made for errors alone."""
    rows, names, limit = [], [], features or MOST_FEATURES
    for i, value in enumerate(values):
        if not (isinstance(value, dict) and value.keys() <= KNOWN):
            raise Bad(400, "documents[%d] must be an object of name and features" % i)
        row, name = value.get("features"), value.get("name")
        if not (isinstance(row, list) and len(row) <= limit):
            row = features_of([] if row is None else row, "documents[%d].features" % i, features)
        if not (name is None or isinstance(name, str) and 0 < len(name) <= NAME):
            text_of(name, "documents[%d].name" % i, NAME)
        rows.append(row)
        names.append(name)
    return rows, names


def matrix_of(fields, most, features):
    """The number of features of a document, the values of all, and the names or Nones, of the field values."""
    limit = MOST_FEATURES if features is None else features
    dim, values = whole_of(fields.get("features"), "features", 1, limit), array.array("f")
    try:
        need(isinstance(fields["values"], str), "values must be a text")
        values.frombytes(base64.b64decode(fields["values"], validate=True))
    except ValueError:
        raise Bad(400, "values must be base64, four bytes for each value") from None
    if sys.byteorder == "big":
        values.byteswap()
    docs = len(values) // dim
    need(0 < docs <= most and len(values) % dim == 0, "values must have %d values for each of 1 to %d documents, not %d "
         "in all" % (dim, most, len(values)))
    if "names" not in fields:
        return dim, values, [None] * docs
    for i, name in enumerate(list_of(fields["names"], "names", docs, docs)):
        if not (isinstance(name, str) and 0 < len(name) <= NAME):
            text_of(name, "names[%d]" % i, NAME)
    return dim, values, fields["names"]


def check_numbers(rows, what):
    """Raises Bad where a feature is no number, or one that no float of single precision can be."""
    for i, row in enumerate(rows):
        for value in row.values() if isinstance(row, dict) else row:
            need(is_number(value), "%s: each feature must be a number" % (what % i))
            need(abs(value) <= LARGEST, "%s: a feature is too large" % (what % i))


def line_of(value, i, features):
    """The features and the name, or None, of a line: features, and perhaps # and the name."""
    text, sign, name = text_of(value, "lines[%d]" % i, 1 << 30).partition("#")
    row, last = {}, 0
    for word in filter(None, re.split("[ \t]", text)):
        found = PAIR.fullmatch(word)
        need(found, "lines[%d] must be features, and perhaps # and a name" % i)
        j = int(found[1])
        need(j > last, "lines[%d]: the numbers of features must grow from 1" % i)
        row[j - 1], last = float(found[2]), j
    check_features(last, "lines[%d]" % i, features)
    return row, text_of(name.strip(" \t"), "the name in lines[%d]" % i, NAME) if sign else None


def rank_request(body, request, most, features, ordered, folds):
    """The round for serve, the number of documents, their names, and whether to explain it, of a body for /rank. A
    document has at most so many features; None: any number. `ordered`: the documents are in an engine's order.
    `folds`: the query is folded. A number of JSON is rounded to double precision and then to single: where serve reads
    its text itself, the last bit may differ, for about one value in 2^29 of many digits.
    """
    fields = fields_of(body, ("query", "documents", "lines", "values", "features", "names", "explain"))
    explain = fields.get("explain", False)
    need(isinstance(explain, bool), "explain must be true or false")
    query = text_of(fields.get("query"), "query", QUERY)
    need(sum(name in fields for name in ("documents", "lines", "values")) == 1,
         "one of documents, lines and values must be given")
    need("values" in fields or not fields.keys() & {"features", "names"}, "features and names go with values")
    dim = None
    if "values" in fields:
        dim, rows, names = matrix_of(fields, most, features)
    elif "documents" in fields:
        rows, names = documents_of(list_of(fields["documents"], "documents", 1, most), features)
        what = "documents[%d].features"
        if b"true" in body or b"false" in body:
            check_numbers(rows, what)
    else:
        rows, names = zip(*(line_of(value, i, features)
                            for i, value in enumerate(list_of(fields["lines"], "lines", 1, most))))
        what = "lines[%d]"
    need(None not in names or not any(names), "either each document has a name, or none has")
    names = None if names[0] is None else names
    try:
        need(not names or not HALF.search("".join(names)), "a name has half a character")
        sent = rankpipe.request_round(rows, names, query, request, ordered, folds, dim)
        return sent, len(rows) // (dim or 1), names, explain
    except rankpipe.Error as error:
        if dim is None:
            check_numbers(rows, what)
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

    async def run(self, sent, ranking, names):
        """The parts of the scores of a ranking, document by document, of the round that was sent to serve. Raises Error:
        also where the model was replaced in the meantime."""
        self.turn = self.turn or asyncio.Lock()
        if self.waiting >= self.WAITING:
            raise rankpipe.Error("too many explanations at a time")
        self.waiting += 1
        try:
            async with self.turn:
                return await asyncio.wait_for(self._explain(sent, ranking, names), self.seconds)
        except (OSError, asyncio.TimeoutError) as error:
            raise rankpipe.Error("no explanation: %s" % (error or "it takes too long")) from None
        finally:
            self.waiting -= 1

    async def _explain(self, sent, ranking, names):
        [round_] = rankpipe.read(io.BytesIO(sent + b"rankpipe/1 end rounds=1 bytes=0\n"))
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

    def facts(self):
        return dict(self.requests), dict(self.closed), self.connections, self.seconds, self.sum

    def add(self, requests, closed, connections, seconds, total):
        """Adds the facts of another process."""
        self.requests.update(requests)
        self.closed.update(closed)
        self.connections += connections
        self.seconds = [a + b for a, b in zip(self.seconds, seconds)]
        self.sum += total

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


class Board:
    """What each process of api.py has counted, so that any of them can say it of all: a file without a name, in which
    each has a part."""

    PART = 1 << 16

    def __init__(self, processes):
        self.own, self.known = 0, [None] * processes
        self.file = tempfile.TemporaryFile(buffering=0) if processes > 1 else None

    def put(self, value):
        self.known[self.own] = value
        if self.file:
            data = marshal.dumps(value)
            os.pwrite(self.file.fileno(), b"%08x%08x%b" % (len(data), zlib.crc32(data), data), self.own * self.PART)

    def all(self):
        """The newest values of all processes that have put one."""
        for i in range(len(self.known)):
            part = os.pread(self.file.fileno(), self.PART, i * self.PART) if i != self.own else b""
            data = part[16:16 + int(part[:8] or b"0", 16)]
            if data and zlib.crc32(data) == int(part[8:16], 16):  # else it is being written: the last one is good
                self.known[i] = marshal.loads(data)
        return [value for value in self.known if value]


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

    def __init__(self, options, board):
        self.options, self.metrics, self.answers = options, Metrics(), front.Answers(options.answers)
        self.board = board
        self.state, self.aside = front.State(options.state), Aside(options.wait)
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
        return waiting + self.aside.held + sum(len(client.buffer) for client in self.clients)

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
            client.reply(200, self.metrics_text() + self.state.metrics(), "text/plain; version=0.0.4; charset=utf-8")
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

    def count(self):
        """Puts what was counted on the board."""
        waiting = len(self.service.waiting) if self.service else 0
        self.board.put((self.metrics.facts(), (len(self.clients), waiting, int(self.is_up()))))

    def metrics_text(self):
        self.count()
        counted, total = self.board.all(), Metrics()
        for facts, _ in counted:
            total.add(*facts)
        connections, waiting, up = zip(*(now for _, now in counted))
        return total.text([
            ("connections", "connections now", sum(connections)),
            ("waiting", "requests that wait for the service", sum(waiting)),
            ("service_up", "1 if there is a connection to the service", min(up))])

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

    def rank(self, client, request, began, sent, documents, names, explain):
        if explain and not self.explainer:
            raise Bad(400, "explain needs a model: start api.py with -x")
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
            self.count()
            await asyncio.sleep(0.2)

    async def run(self, listener):
        """Serves at a socket that listens, until a signal, or until the first process is gone."""
        loop, stop, parent = asyncio.get_running_loop(), asyncio.Event(), os.getppid()
        for number in ENDING:
            loop.add_signal_handler(number, stop.set)
        create = loop.create_unix_server if listener.family == socket.AF_UNIX else loop.create_server
        server = await create(lambda: Http(self), sock=listener, backlog=BACKLOG)
        keeper = asyncio.create_task(self.keep_service())
        while not stop.is_set() and (self.options.processes == 1 or os.getppid() == parent):
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(stop.wait(), 1)
        server.close()
        self.stopping = True
        until = time.monotonic() + 5
        while self.clients and time.monotonic() < until:
            await asyncio.sleep(0.05)
        keeper.cancel()
        self.aside.close()


# ---- processes ----


ENDING = signal.SIGTERM, signal.SIGINT, signal.SIGHUP
BACKLOG = 1024


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
            ("-j", "processes", 1, 1, 256, "n", "processes, each of which has -c, -e and -r for itself"),
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
        sys.exit(serve(parse()))
    except OSError as wrong:
        sys.exit("api: %s" % wrong)
