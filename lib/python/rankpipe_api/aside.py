"""aside: a process of its own for large bodies, so that other requests wait for no more than some milliseconds."""
# SPDX-License-Identifier: ISC

import asyncio
import heapq
import itertools
import marshal
import os
import signal
import sys

from rankpipe_api.bodies import Bad, answer_request, event_request, rank_request

PROGRAM = os.path.realpath(sys.argv[0])  # which reads bodies with --aside


def read_bodies(source, target):
    """The process of Aside: reads bodies until this end of the pipe is closed."""
    for number in (signal.SIGINT, signal.SIGTERM):  # the API ends first
        signal.signal(number, signal.SIG_IGN)
    while size := source.read(8):
        name, body, rest = marshal.loads(source.read(int.from_bytes(size, "big")))
        try:
            said = True, {"rank": rank_request, "answer": answer_request, "event": event_request}[name](body, *rest)
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
        """What rank_request, answer_request or event_request makes of a body. Raises Bad."""
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
                sys.executable, PROGRAM, "--aside",
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
