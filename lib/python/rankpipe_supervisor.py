"""rankpipe_supervisor: the processes of a service in one folder, kept running until a signal. Internal.

A Part is a process that is started again whenever it ends, or a task that ends and is run again. The Supervisor starts
the parts, waits for what happens, and ends them all. No part outlives it: where the system has prctl, one that was
killed takes its parts along. As process 1 it reaps whatever becomes its child.
"""
# SPDX-License-Identifier: ISC

import contextlib
import ctypes
import fcntl
import math
import os
import select
import signal
import subprocess
import time

ENDING = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
LONGEST = 60  # seconds at most until a part is started again; one that ran for longer had no trouble
PATIENCE = 4  # seconds in which parts may end by themselves
LIBC = ctypes.CDLL(None)


class Refused(Exception):
    """What keeps the parts from being started, in words."""


def explore(own=".05", ordered=True, seed="random"):
    """Options of explore: what was learnt, within bounds of the engine's own order, and in the share `own` of the lists
    interleaved with it; where there is an order."""
    return "%s-i .1 -s %s" % ("-B .37 -I %s " % own if ordered else "", seed)


def pipeline(explore, spool):
    """The pipeline of a service as shipped, whose files are in the folder that is the current one."""
    return "score -r -m w.bin -R rival.bin | explore %s | spool %s log" % (explore, spool)


def lock(path, seconds=3):
    """Takes the file, and puts the number of this process in it; parts that inherit it hold it, too. Those of one that
    was killed end soon. Raises Refused, with the number of the process that has it."""
    file = open(path, "a+")
    until = time.monotonic() + seconds
    while True:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        if time.monotonic() > until:
            file.seek(0)
            raise Refused("process %s runs here already: end it, or use another folder" % (file.read(20).strip() or "?"))
        time.sleep(0.05)
    file.truncate(0)
    file.write("%d\n" % os.getpid())
    file.flush()
    return file


def tied(calm=False):
    """What a new process does first, so that it ends when this one does; a calm one lets others go first."""
    parent = os.getpid()

    def before():
        if hasattr(LIBC, "prctl"):
            LIBC.prctl(1, signal.SIGTERM)  # when the parent dies
        if os.getppid() != parent:  # it has died
            os._exit(1)
        if calm:
            os.nice(10)
    return before


def command(words, log=None, inherits=(), calm=False):
    """A function that starts this command and returns its number. Its messages go to the end of the file `log`, or to
    standard error. It has a group of its own, so that ^C is for this process alone."""
    def start():
        with open(log, "a") if log else contextlib.nullcontext() as output:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=output,
                                       pass_fds=inherits, start_new_session=True, preexec_fn=tied(calm))
        process.returncode = 0  # the supervisor waits for it
        return process.pid
    return start


class Part:
    """`start` starts it and returns the number of its process, whose messages are in the file `log`. With `every` it is a task: it is run again so many seconds
    after its last beginning, when due() says so; else it is to run for ever."""

    def __init__(self, name, start, log="errors", every=None, due=lambda: True):
        self.name, self.start, self.log, self.every, self.due = name, start, log, every, due
        self.process, self.begun, self.next, self.wait, self.troubled = None, -math.inf, -math.inf, 0, False

    def ended(self, status, now):
        """What to say of it, or None: the same trouble is said once."""
        self.process = None
        if self.every is not None and status == 0:
            self.wait, self.troubled, self.next = 0, False, self.begun + self.every
            return None
        if now - self.begun > LONGEST:
            self.wait, self.troubled = 0, False
        self.wait = min(LONGEST, 2 * self.wait or 1)
        self.next = now + max(self.wait, self.every or 0)
        if self.troubled:
            return None
        self.troubled = True
        how = "by signal %d" % -status if status < 0 else "with status %d" % status
        return "%s has ended %s, and is started again" % (self.name, how)


class Supervisor:
    """Call run() until it is false, from the main thread; then stop()."""

    def __init__(self, say):
        self.say, self.parts, self.ending, self.others = say, [], False, {}
        self.awake, wake = os.pipe()
        for fd in self.awake, wake:
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in ENDING:
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # as nohup has it
                signal.signal(number, self.end)

    def end(self, *_):
        self.ending = True

    def run(self, seconds=1.0):
        """Starts what is due, and waits so long, or until something ends. Shall it go on?"""
        if not self.ending:
            for part in self.parts:
                self._start(part)
        if not self.ending:
            select.select([self.awake], [], [], seconds)
            with contextlib.suppress(BlockingIOError):
                os.read(self.awake, 4096)
        self._reap()
        return not self.ending

    def also(self, start):
        """Starts what is to run once. The number of its process."""
        process = start()
        self.others[process] = None
        return process

    def once(self, start):
        """Waits for what it starts. Its status, or None after a signal to end."""
        process = self.also(start)
        while self.others[process] is None and self.run(0.2):
            pass
        return self.others[process]

    def _start(self, part):
        now = time.monotonic()
        if part.process is not None or now < part.next or not part.due():
            return
        part.begun = now
        try:
            part.process = part.start()
        except OSError as error:
            self._tell(part, 127, error)

    def _tell(self, part, status, why=None):
        text = part.ended(status, time.monotonic())
        if text and not self.ending:
            self.say("%s: %s" % (text, why or "%s/%s has its messages" % (os.getcwd(), part.log)))

    def _reap(self):
        with contextlib.suppress(ChildProcessError):
            while True:
                process, status = os.waitpid(-1, os.WNOHANG)
                if process == 0:
                    return
                status = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
                if process in self.others:
                    self.others[process] = status
                for part in self.parts:
                    if part.process == process:
                        self._tell(part, status)

    def _running(self):
        return {part.process for part in self.parts} - {None} | {each for each in self.others if self.others[each] is None}

    def stop(self):
        """Ends all parts, within five seconds, and those of their groups."""
        self.ending = True
        until = time.monotonic() + PATIENCE
        for number in signal.SIGTERM, signal.SIGKILL:
            for process in self._running():
                for send in os.killpg, os.kill:  # a group of its own, or none
                    with contextlib.suppress(ProcessLookupError):
                        send(process, number)
                        break
            while self._running() and time.monotonic() < until:
                select.select([self.awake], [], [], 0.05)
                self._reap()
            until += 1
