"""admin: the page of whoever runs the service, report.html, at an address of its own: that file and nothing else."""
# SPDX-License-Identifier: ISC

import asyncio
import contextlib
import os
import re
import stat

import rankpipe_front as front
from rankpipe_api.bodies import Bad
from rankpipe_api.http import HEAD, STATUS, parse_head

SECONDS, CONNECTIONS, LARGEST = 10, 50, 1 << 24
HEADERS = ("Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
           "frame-ancestors 'none'\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
           "X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nConnection: close\r\n")  # the page has a hash for its style
PATHS = b"/", b"/report.html"


def read(path):
    """The bytes of a file that is no link; None where it cannot be had."""
    with contextlib.suppress(OSError):
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK)) as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return file.read(LARGEST)
    return None


class Admin(asyncio.Protocol):
    """One connection, which is closed after its request, and after ten seconds."""

    clients = set()

    def __init__(self, path):
        self.path, self.buffer, self.transport, self.timer = path, b"", None, None

    def connection_made(self, transport):
        self.transport = transport
        self.clients.add(self)
        self.timer = asyncio.get_running_loop().call_later(SECONDS, transport.abort)
        if len(self.clients) > CONNECTIONS:
            transport.abort()

    def connection_lost(self, _):
        self.clients.discard(self)
        self.timer.cancel()

    def data_received(self, data):
        self.buffer += data
        head, end, _ = self.buffer.partition(b"\r\n\r\n")
        if self.transport.is_closing() or not end and len(head) <= HEAD:
            return
        try:
            if len(head) > HEAD:
                raise Bad(431, "more than %d bytes of headers" % HEAD)
            method, path, headers, _ = parse_head(head)
            self.reply(200, self.answer(method, path, headers), "text/html", method == b"HEAD")
        except Bad as bad:
            self.reply(bad.status, b"%s\n" % str(bad).encode())

    def answer(self, method, path, headers):
        """The page. A page of another site may name this machine, to read what is here: so names are refused."""
        name = re.sub(":[0-9]{1,5}$", "", headers.get(b"host", b"").decode("latin-1").lower())
        if name != "localhost" and front.plain(name) is None:
            raise Bad(421, "ask for localhost, or for the address of this machine")
        if path not in PATHS:
            raise Bad(404, "here is / and nothing else")
        if method not in (b"GET", b"HEAD"):
            raise Bad(405, "use GET")
        found = read(self.path)
        if found is None:
            raise Bad(404, "%s cannot be read: rankpipe service learn makes it" % self.path)
        return found

    def reply(self, status, body, kind="text/plain", without=False):
        self.transport.write(("HTTP/1.1 %d %s\r\n%sContent-Type: %s; charset=utf-8\r\nContent-Length: %d\r\n%s\r\n" % (
            status, STATUS[status], "Allow: GET, HEAD\r\n" if status == 405 else "", kind, len(body), HEADERS)).encode() + (
                b"" if without else body))
        self.transport.close()
