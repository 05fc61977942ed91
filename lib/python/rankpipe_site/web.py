"""The web server of the site: it answers GET and HEAD, for clients that may be slow or hostile.

A process has one loop for all connections, and a few threads that search. Several processes share the
socket. It speaks HTTP/1.1 as far as a browser, or a web server before it, needs.
"""
# SPDX-License-Identifier: ISC
import asyncio
import concurrent.futures
import os
import signal
import urllib.parse

import rankpipe_front as front

from . import pages

HEAD = 16384  # bytes of a request
IDLE = 15  # seconds until a request has come, and until its answer has been read
ANSWER = 9  # seconds in which it is made
CONNECTIONS = 400  # of a process; above it, the one that waits longest gives its place to a new one
THREADS = 2  # more of them would share one core

EACH, RATE, BURST = 50, 20, 100  # of an address: connections, requests a second, and as many at once
FORWARDED = "x-forwarded-for"  # each proxy may add a line
ONCE = "content-length", "transfer-encoding", "host"  # headers; two of them may mean two requests

REASONS = {200: "OK", 303: "See Other", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed",
           421: "Misdirected Request", 429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable"}
SAFE = {"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src '%s'; connect-src 'self'; "
        "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'" % pages.HASH,
        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"}


class Request:
    """What a client asks for: path, the last part of the path; below, what follows files/ in it, or None; the first value
    of each parameter; headers; and the address of the client."""

    def __init__(self, head, peer, proxies):
        line, *lines = head.decode("latin-1").split("\r\n")
        self.method, target, version = line.split(" ")
        if version not in ("HTTP/1.0", "HTTP/1.1"):
            raise ValueError(version)
        self.headers = {}
        for header in lines:
            name, colon, value = header.partition(":")
            if header and (not colon or not name or name != name.strip()):
                raise ValueError(header)
            if name.lower() in self.headers and name.lower() in ONCE:
                raise ValueError(header)
            before = self.headers.get(name.lower(), "") + "," if name.lower() == FORWARDED else ""
            self.headers[name.lower()] = before + value.strip()
        parts = urllib.parse.urlsplit(target)
        self.path = parts.path.rpartition("/")[2]
        _, files, below = parts.path.partition("/files/")
        self.below = below if files else None
        self.parameters = dict(reversed(urllib.parse.parse_qsl(parts.query, errors="replace", max_num_fields=20)))
        self.address = front.address_of(peer, self.headers.get(FORWARDED), proxies)
        has_body = self.headers.get("content-length", "0") != "0" or "transfer-encoding" in self.headers
        kept = self.headers.get("connection", "").lower()
        self.close = has_body or kept == "close" or version == "HTTP/1.0" and kept != "keep-alive"


def answered(request, site):
    """Status, headers and body, of the site's function for a request."""
    try:
        return site(request)
    except Exception as error:  # the other requests go on
        site.report("%s: %s: %r" % (request.path, type(error).__name__, error))
        return 500, {}, "The site failed."


class Server:
    def __init__(self, site):
        self.site, self.open = site, set()
        self.waiting = {}  # connections that are to ask or to read, as keys, the one that waits longest first
        self.limits = front.Limits(EACH, RATE, BURST)
        self.threads = concurrent.futures.ThreadPoolExecutor(THREADS)

    async def connection(self, reader, writer):
        peer, *_ = writer.get_extra_info("peername") or [None]
        limited = not front.is_ours(peer, self.site.proxies)
        if not peer or limited and not self.limits.enter(peer):
            return writer.close()
        if not self.has_room():
            if limited:
                self.limits.leave(peer)
            return writer.close()
        self.open.add(writer)
        writer.transport.set_write_buffer_limits(0)
        try:
            while await self.exchange(reader, writer, peer):
                pass
            writer.close()
            await self.wait(writer, writer.wait_closed())
        except (OSError, EOFError, asyncio.TimeoutError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.transport.abort()
            self.open.discard(writer)
            if limited:
                self.limits.leave(peer)

    def has_room(self):
        """For one more connection, if need be in the place of the one that waits longest: so clients that open and
        wait keep nobody out, however many."""
        if len(self.open) < CONNECTIONS:
            return True
        oldest = next(iter(self.waiting), None)
        if oldest is None:
            return False
        del self.waiting[oldest]
        self.open.discard(oldest)
        oldest.transport.abort()
        return True

    async def wait(self, writer, what):
        """Awaits what the client is to do."""
        self.waiting[writer] = None
        try:
            return await asyncio.wait_for(what, IDLE)
        finally:
            self.waiting.pop(writer, None)

    async def exchange(self, reader, writer, peer):
        """Answers one request; says whether another may follow."""
        head = await self.wait(writer, reader.readuntil(b"\r\n\r\n"))
        try:
            request = Request(head[:-4], peer, self.site.proxies)
        except ValueError:
            request, answer = None, (400, {}, "This is not a request.")
        else:
            answer = await self.answer(request)
        status, headers, body = answer
        data = body if isinstance(body, bytes) else body.encode("utf-8", "replace")
        close = not request or request.close
        headers = {"Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store", **SAFE, **headers,
                   "Content-Length": str(len(data)), "Connection": "close" if close else "keep-alive"}
        lines = "".join("%s: %s\r\n" % header for header in headers.items())
        writer.write(b"HTTP/1.1 %d %s\r\n%s\r\n" % (status, REASONS[status].encode(), lines.encode("latin-1"))
                     + (b"" if request and request.method == "HEAD" else data))
        await self.wait(writer, writer.drain())
        return not close

    async def answer(self, request):
        if not (front.is_ours(request.address, self.site.proxies) or
                self.limits.allows(request.address, asyncio.get_running_loop().time())):
            return 429, {"Retry-After": "5"}, "Too many requests from this address. Try again."
        host = request.headers.get("host", "localhost")
        if self.site.hosts is not None and not front.is_named(host, self.site.hosts):
            return 421, {}, "This site is not called %s: start it with --host and that name." % host[:100]
        if request.method not in ("GET", "HEAD"):
            request.close = True
            return 405, {"Allow": "GET, HEAD"}, "Use GET."
        made = asyncio.get_running_loop().run_in_executor(self.threads, answered, request, self.site)
        try:
            return await asyncio.wait_for(made, ANSWER)
        except asyncio.TimeoutError:
            return 503, {"Retry-After": "10"}, "The site has too much to do. Try again."

    async def run(self, listener, parent):
        stopped = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
        server = await asyncio.start_server(self.connection, sock=listener, limit=HEAD)
        loop = asyncio.get_running_loop()
        while not stopped.is_set() and os.getppid() == parent:
            try:
                await asyncio.wait_for(stopped.wait(), 1)
            except asyncio.TimeoutError:
                pass
            await loop.run_in_executor(None, self.site.store_clicks)  # those that could not be stored
        server.close()
        os._exit(0)


def start(listener, site):
    """A process that serves the site at a listening socket, until a signal or its parent ends; its id."""
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        try:
            asyncio.run(Server(site()).run(listener, parent))
        finally:
            os._exit(1)
    return child
