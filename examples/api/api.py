"""api.py: a ranking service over HTTP, between front ends and serve.

    api.py [options] socket answers

socket is that of serve, and answers a folder for the files that feedback-join reads. README.md has
the requests. What comes from outside is a JSON text or it is refused; of it, only checked fields go
on, and api.py itself names each request.
"""
# SPDX-License-Identifier: ISC

import argparse
import asyncio
import collections
import json
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

HEAD = 16384  # bytes of a request line with its headers
QUERY = 1000  # characters of a query
NAME = 500  # characters of the name of a document
TURNS = 1000  # requests that wait for the service
HELD = 1 << 27  # bytes of bodies, of all clients
NO_SERVICE = "the service does not answer"
FRESH = 20  # seconds after which an idle connection to the service is replaced: serve closes it after 60
STATUS = {200: "OK", 204: "No Content", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed",
          408: "Request Timeout", 411: "Length Required", 413: "Content Too Large", 415: "Unsupported Media Type",
          431: "Request Header Fields Too Large", 500: "Internal Server Error", 503: "Service Unavailable",
          505: "HTTP Version Not Supported"}


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


def features_of(value, what):
    """The text of a document's features, numbered from 1."""
    if isinstance(value, dict):
        for j, number in value.items():
            need(re.fullmatch("[1-9][0-9]{0,9}", j), '%s: a feature is named by its number, from "1"' % what)
            need(isinstance(number, bytes), "%s: each feature must be a number" % what)
        return b" ".join(b"%b:%b" % (j.encode(), value[j]) for j in sorted(value, key=int))
    need(isinstance(value, list), "%s must be an array or an object" % what)
    try:
        return template(len(value)) % tuple(value)
    except TypeError:
        raise Bad(400, "%s: each feature must be a number" % what) from None


TEMPLATES = {}


def template(dim):
    """b"1:%b 2:%b ..." for so many features; only those of usual length are kept."""
    if dim not in TEMPLATES:
        text = b" ".join(b"%d:%%b" % j for j in range(1, dim + 1))
        if dim > 1000 or len(TEMPLATES) > 1000:
            return text
        TEMPLATES[dim] = text
    return TEMPLATES[dim]


def document_of(value, i):
    """The features and the name of a document."""
    need(isinstance(value, dict) and value.keys() <= {"name", "features"},
         "documents[%d] must be an object of name and features" % i)
    name = value.get("name")
    if name is not None:
        text_of(name, "documents[%d].name" % i, NAME)
    return features_of(value.get("features", []), "documents[%d].features" % i), name


def line_of(value, i):
    """The same of a line: features, and perhaps # and the name."""
    text, sign, name = text_of(value, "lines[%d]" % i, 1 << 30).partition("#")
    need(not re.search("[^0-9:.eE+ \t-]", text), "lines[%d] must be features, and perhaps # and a name" % i)
    return text.encode(), text_of(name.strip(" \t"), "the name in lines[%d]" % i, NAME) if sign else None


def rank_request(body, most):
    """The features, names and query of a request."""
    fields = fields_of(body, ("query", "documents", "lines"))
    query = text_of(fields.get("query"), "query", QUERY)
    need(("documents" in fields) != ("lines" in fields), "one of documents and lines must be given")
    name, one = ("documents", document_of) if "documents" in fields else ("lines", line_of)
    documents = [one(value, i) for i, value in enumerate(list_of(fields[name], name, 1, most))]
    names = [name for _, name in documents]
    need(None not in names or not any(names), "either each document has a name, or none has")
    return [features for features, _ in documents], None if names[0] is None else names, query


def answer_line(body, most, top):
    """The line of feedback-join that an answer is."""
    fields = fields_of(body, ("request", "labels", "clicks", "shown"))
    request = fields.get("request")
    need(isinstance(request, str) and re.fullmatch("[0-9a-f]{32}", request),
         "request must be the name that /rank gave, 32 of 0-9a-f")
    need(("labels" in fields) != ("clicks" in fields), "one of labels and clicks must be given")
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
    return "%s\ttime=%d %s\n" % (request, time.time() * 1000, " ".join("%g" % (round(label, 4) + 0.0) for label in said))


# ---- answers ----


class Answers:
    """The files of answers: one for each day and process, so that no two write to one file."""

    def __init__(self, folder):
        self.folder, self.day, self.fd = folder, None, None
        self.own = "%d-%s" % (os.getpid(), secrets.token_hex(4))

    def append(self, line):
        day = time.strftime("%Y-%m-%d", time.gmtime())
        if day != self.day:
            path = os.path.join(self.folder, "%s.%s" % (day, self.own))
            new = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o640)
            if self.fd is not None:
                os.close(self.fd)
            self.fd, self.day = new, day
        data = line.encode()
        size = os.fstat(self.fd).st_size
        put = os.write(self.fd, data)
        if put < len(data):  # a line is whole, or it is not there
            os.ftruncate(self.fd, size)
            raise OSError("the disk is full")


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
        headers[name] = value.strip(b" \t")
    connection = headers.get(b"connection", b"").lower()
    keep = b"close" not in connection if words[2] == b"HTTP/1.1" else b"keep-alive" in connection
    return words[0], words[1], headers, keep


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

    def connection_made(self, transport):
        self.transport = transport
        transport.set_write_buffer_limits(high=65536)
        self.api.metrics.connections += 1
        if len(self.api.clients) >= self.api.options.clients:
            self.ended = True  # and no time is spent on it
            self.refuse(Bad(503, "too many connections"))
        else:
            self.api.clients.add(self)

    def connection_lost(self, _):
        self.transport = None
        self.api.clients.discard(self)

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
        try:
            self.api.handle(self, *head[:3], body)
        except Bad as bad:  # of this request alone: the connection stays
            self.reply(bad.status, {"error": str(bad)})
        except Exception:  # a mistake of this program ends one request, not all
            self.api.say(traceback.format_exc())
            self.reply(500, {"error": "api.py failed: its log says where"})
        return True

    def reply(self, status, value=None, kind="application/json", headers=""):
        """Ends the request."""
        if not self.transport:
            return
        body = value.encode() if isinstance(value, str) else b"" if value is None else \
            json.dumps(value).encode() + b"\n"
        self.api.metrics.requests[self.path, status] += 1
        self.busy, self.path, self.since = False, "other", time.monotonic()
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
        self.options, self.metrics, self.answers = options, Metrics(), Answers(options.answers)
        self.clients, self.service, self.stopping, self.said = set(), None, False, None

    def held(self):
        """Bytes of bodies that have come in part, and of requests that the service has not read."""
        waiting = self.service.transport.get_write_buffer_size() if self.is_up() else 0
        return waiting + sum(len(client.buffer) for client in self.clients)

    def is_up(self):
        return bool(self.service and self.service.transport)

    def say(self, text):
        """Says what is wrong once, not for each request."""
        if text != self.said:
            print("api: %s" % text, file=sys.stderr, flush=True)
        self.said = text

    def handle(self, client, method, path, headers, body):
        if path not in self.PATHS:
            raise Bad(404, "use %s" % ", ".join(known.decode() for known in self.PATHS))
        if method != self.PATHS[path]:
            client.reply(405, {"error": "use %s" % self.PATHS[path].decode()},
                         headers="Allow: %s\r\n" % self.PATHS[path].decode())
        elif path == b"/health":
            client.reply(*(200, {"status": "ok"}) if self.is_up() else (503, {"status": NO_SERVICE}))
        elif path == b"/metrics":
            client.reply(200, self.metrics.text([
                ("connections", "connections now", len(self.clients)),
                ("waiting", "requests that wait for the service", len(self.service.waiting) if self.service else 0),
                ("service_up", "1 if there is a connection to the service", self.is_up())]),
                "text/plain; version=0.0.4; charset=utf-8")
        elif headers.get(b"content-type", b"").split(b";")[0].strip().lower() != b"application/json":
            raise Bad(415, "send Content-Type: application/json")
        elif path == b"/rank":
            self.rank(client, body)
        else:
            self.answer(client, body)

    def rank(self, client, body):
        features, names, query = rank_request(body, self.options.documents)
        request, began = secrets.token_hex(16), time.monotonic()
        try:
            text = rankpipe.request_text(features, names, query, request)
        except rankpipe.Error as error:
            raise Bad(400, str(error)) from None
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
                ranking = rankpipe.read_answer(answer, len(features), names, request)
                self.metrics.ranked(time.monotonic() - began)
                client.reply(200, {"request": request, "round": ranking.t, "scores": ranking.scores,
                                   "ranking": [names[i] for i in ranking.order] if names else ranking.order})
            except rankpipe.Refused as error:
                client.reply(400, {"error": refusal(str(error))})
            except rankpipe.Error as error:
                self.say(str(error))  # whose answer it is, is not known, nor whose the next ones are
                client.reply(503, {"error": NO_SERVICE})
                asked.transport.abort()
            except Bad as bad:
                client.reply(bad.status, {"error": str(bad)})

        asked.ask(text, done)

    def answer(self, client, body):
        line = answer_line(body, self.options.documents, self.options.grade)
        try:
            self.answers.append(line)
        except OSError as error:
            self.say("cannot write to %s: %s" % (self.options.answers, error.strerror or error))
            raise Bad(503, "the answer could not be stored") from None
        client.reply(204)

    async def keep_service(self):
        """Keeps a connection to the service, one that is not about to be closed for being idle."""
        loop, path = asyncio.get_running_loop(), self.options.socket
        while True:
            old, now = self.service, time.monotonic()
            if old and (old.transport is None or old.is_late(now)):
                if old.transport:
                    self.say("%s: no answer in %d seconds" % (path, self.options.wait))
                    old.transport.abort()
                old = self.service = None
            if not self.stopping and (old is None or (not old.waiting and now - old.used > FRESH)):
                try:
                    _, new = await loop.create_unix_connection(lambda: Service(self.options.wait), path)
                    if old and old.waiting:  # it is in use again
                        new.transport.close()
                    else:
                        self.service, self.said = new, None
                        if old and old.transport:
                            old.transport.close()
                except OSError as error:
                    self.say("%s: %s" % (path, error.strerror or error))
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
    add("socket", help="the socket of serve")
    add("answers", help="the folder of answers")
    options = parser.parse_args()
    if not os.path.isdir(options.answers) or not os.access(options.answers, os.W_OK):
        parser.error("%s is not a folder to write to" % options.answers)
    files, most = options.clients + 64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most != resource.RLIM_INFINITY and files > most:
        parser.error("-c %d needs %d file descriptors, but this process may have only %d" %
                     (options.clients, files, most))
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
    return options


if __name__ == "__main__":
    try:
        asyncio.run(Api(parse()).run())
    except OSError as wrong:
        sys.exit("api: %s" % wrong)
