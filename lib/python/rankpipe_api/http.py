"""http: connections of clients, which speak HTTP/1.1."""
# SPDX-License-Identifier: ISC

import asyncio
import json
import re
import time
import traceback

import rankpipe_front as front
from rankpipe_api.bodies import Bad

HEAD = 16384  # bytes of a request line with its headers
HELD = 1 << 27  # bytes of bodies, of all clients
FORWARDED = b"x-forwarded-for"  # each proxy may add a line
HEADER = re.compile(rb"[!#$%&'*+.^_`|~0-9a-z-]+")
STATUS = {200: "OK", 204: "No Content", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed",
          408: "Request Timeout", 411: "Length Required", 413: "Content Too Large", 415: "Unsupported Media Type",
          421: "Misdirected Request", 429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
          503: "Service Unavailable", 505: "HTTP Version Not Supported"}


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
        self.keep, self.path, self.fewer = True, "other", False
        self.peer = None  # the address of the connection; None: a Unix socket
        self.entered = False

    def connection_made(self, transport):
        self.transport = transport
        transport.set_write_buffer_limits(high=65536)
        self.api.metrics.connections += 1
        if not self.api.is_unix:
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
            self.reply(500, {"error": "the API failed: its log says where"})

    def reply(self, status, value=None, kind="application/json", headers=""):
        """Ends the request."""
        if not self.transport:
            return
        body = value.encode() if isinstance(value, str) else b"" if value is None else \
            json.dumps(value).encode() + b"\n"
        self.api.metrics.requests[self.path, status] += 1
        self.api.note(self.path, status, value.get("error") if isinstance(value, dict) else None, self.fewer)
        self.busy, self.path, self.fewer, self.since = False, "other", False, time.monotonic()
        if self in self.api.clients:
            self.api.clients[self] = self.api.clients.pop(self)
        self.keep = self.keep and (bool(self.buffer) or not (self.ended or self.api.stopping))
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
        return "idle" if waited > (1 if self.api.stopping else options.idle) else None

    def close(self, reason):
        self.api.metrics.closed[reason] += 1
        if not self.transport:
            return
        if reason == "slow":
            self.refuse(Bad(408, "the request took longer than %d seconds to arrive" % self.api.options.wait))
        else:
            self.transport.abort()
