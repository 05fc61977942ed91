"""A learner that is a program of its own, in update's place in the ring: `COMMAND -f RING -m MODEL -s SEED`.

Its messages pass through this process, which counts them and keeps some. So two FIFOs make the ring."""
# SPDX-License-Identifier: ISC
import contextlib
import os
import subprocess
import threading
import time

from rankpipe_supervisor import tied

LINE, MOST = 4096, 1 << 31  # bytes of a header line, and of a message
PATIENCE = float(os.environ.get("RANKPIPE_PATIENCE", 600))  # seconds without a round; tests wait for less


def wrong_model(head, width):
    """What is wrong with the header line of a model for so many features, or None. One without any is a beginning."""
    if not head.startswith(b"rankpipe/1 model ") or not head.endswith(b"\n"):
        return f"begins with {head[:40]!r}, and is not a model (rankpipe(5))"
    has = dict(word.partition(b"=")[::2] for word in head.split()).get(b"dim", b"?")
    if has not in (b"%d" % width, b"0"):
        return f"has the weights of {has.decode(errors='replace')} features, and the rounds have {width}"
    return None


class Relay(threading.Thread):
    """Carries the messages of a program to score, for (features, rounds, messages from one that is kept to the next).
    `keep` is called with those and the last one; `last` is when one came, `wrong` is what ended it, or None.
    """

    def __init__(self, source, target, numbers, keep):
        super().__init__(daemon=True)
        self.source, self.target, self.keep = source, target, keep
        self.width, self.rounds, self.every = numbers
        self.last, self.count, self.wrong = time.monotonic(), -1, None

    def run(self):
        with contextlib.suppress(OSError):  # score has gone, and says why
            with open(self.source, "rb") as source, open(self.target, "wb", 0) as target:
                self.carry(source, target)

    def carry(self, source, target):
        for head in iter(lambda: source.readline(LINE), b""):
            size = head.rpartition(b" bytes=")[2].rstrip(b"\n")
            ends = head.startswith(b"rankpipe/1 end ")
            wrong = None if ends else wrong_model(head, self.width)
            if not wrong and not (size.isdigit() and int(size) <= MOST):
                wrong = f"has a header line that ends in {head[-40:]!r}"
            if wrong:
                self.wrong = f"message {self.count + 1} in the ring {wrong}"
                return
            message = head + source.read(int(size))
            if not ends:
                self.count += 1
                self.last = time.monotonic()
                if self.count and (self.count % self.every == 0 or self.count == self.rounds):
                    self.keep(message)
            target.write(message)

    def end(self):
        """Ends it, after the program and score have ended: opens what it may wait for."""
        while self.is_alive():
            for path, way in (self.source, os.O_WRONLY), (self.target, os.O_RDONLY):
                with contextlib.suppress(OSError):
                    os.close(os.open(path, way | os.O_NONBLOCK))
            self.join(0.05)


class Group:
    """A program with what it started, to be killed as a process is."""

    def __init__(self, process):
        self.process = process

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, 9)


def start(words, rounds, log):
    """Starts the program where the command was given; it reads the rounds. It and its children are a group."""
    with open(log, "wb") as output:
        return subprocess.Popen(words, stdin=rounds, stdout=output, stderr=output, start_new_session=True,
                                preexec_fn=tied())


def wait(program, relay):
    """Waits for the program to end by itself; returns what is wrong, or None."""
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = program.wait(min(1, PATIENCE))
            if status < 0:
                return f"it was ended by signal {-status}"
            return f"it ended with exit status {status}" if status else None
        if relay.wrong:
            return None
        if time.monotonic() - relay.last > PATIENCE:
            return f"no round was learnt for {PATIENCE:g} s, so it was ended"


def check(model, width, relay):
    """What is wrong with what a program that ended by itself has left, or None."""
    if relay.count < relay.rounds:
        return f"it ended after round {max(0, relay.count)} of {relay.rounds}"
    try:
        with open(model, "rb") as file:
            wrong = wrong_model(file.readline(LINE), width)
    except OSError as error:
        return f"it left no model in the file of -m: {error.strerror}"
    return f"its model {wrong}" if wrong else None


def last_lines(log, count=10):
    """The last lines that the program printed."""
    with open(log, "rb") as file:
        file.seek(max(0, os.path.getsize(log) - 4096))
        return file.read().decode("utf-8", "surrogateescape").splitlines()[-count:]
