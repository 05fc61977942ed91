"""service: a connection to serve."""
# SPDX-License-Identifier: ISC

import asyncio
import collections
import time


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
