"""health: what is wrong with a service, in sentences with their remedies, by what lies in its folder.

`rankpipe service status` begins with them, and /health of `rankpipe api` has them. The learner writes its own to
service.json, serve and spool write figures to status.prom, and each `rankpipe api` writes its own sentences to
answers/.api.*, which the learner does not read. All of it is taken for hostile.
"""
# SPDX-License-Identifier: ISC

import collections
import contextlib
import json
import os
import stat
import time

import rankpipe_front as front

LARGEST = 1 << 20  # bytes of a file
EVERY = 5  # seconds after which a `rankpipe api` says again what it says
STALE = 60  # seconds after which what a running program writes says nothing any more
SAID = 500  # characters of a sentence
UNSTORED = "rounds are not stored, and nothing is learnt from them: the log of serve says why: journalctl -u rank"
# What a warning may be about, in the order of /health: also the label `kind` of rankpipe_warning.
KINDS = ("refused", "answers", "client", "unstored", "disk", "failed", "behind", "clock", "hosts", "late", "quarantine", "features",
         "suspect", "random", "base", "api", "serve")


def read(path, newest=None):
    """The text of a file that is no link; "" where it cannot be had, or was not written for `newest` seconds."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        with open(path, "rb", opener=lambda name, flags: os.open(
                name, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)) as file:
            is_ = os.fstat(file.fileno())
            if stat.S_ISREG(is_.st_mode) and is_.st_size <= LARGEST and (
                    newest is None or time.time() - is_.st_mtime <= newest):
                return file.read(LARGEST).decode("ascii")
    return ""


def figures(folder):
    """{name: value} of status.prom, without labels; {} where serve does not write it."""
    found = {}
    for line in read(os.path.join(folder, "status.prom"), STALE).splitlines():
        name, _, value = line.partition(" ")
        with contextlib.suppress(ValueError):
            found[name] = float(value[:64])
    return found


def exposition(folder):
    """The text of status.prom, if it is in the format of Prometheus with names of serve; "" else."""
    text = read(os.path.join(folder, "status.prom"), STALE)
    right = all(line.isprintable() and line.replace("# HELP ", "", 1).replace("# TYPE ", "", 1).startswith("rankpipe_serve_")
                for line in text.splitlines())
    return text if right and text.endswith("\n") else ""


def texts(known):
    """Of a JSON value the sentences by kind, as far as it has any."""
    known = known if isinstance(known, dict) else {}
    return {kind: front.shown(known[kind][:SAID]) for kind in KINDS if isinstance(known.get(kind), str)}


def disk(folder, state, serve):
    """(bytes that are free, bytes that should be) at a folder: what spool needs, or two days of growth."""
    free, grows = 0, state.get("disk", "grows_a_day")
    with contextlib.suppress(OSError):
        has = os.statvfs(folder)
        free = has.f_bavail * has.f_frsize
    return free, max(serve.get("rankpipe_serve_least_free_bytes", 0), 2 * grows if isinstance(grows, (int, float)) else 0)


def warnings(folder, state, said):
    """{kind: sentence} of what is wrong: `said` is what `rankpipe api` says, by kind, and state service.json."""
    found, serve = {**texts(state.get("warnings")), **texts(said)}, figures(folder)
    if serve.get("rankpipe_serve_log_fails"):
        found["unstored"] = UNSTORED
    free, least = disk(folder, state, serve)
    if free < least:
        found["disk"] = ("%d MB are free at %s, and it should be %d: make room, or move the folder to a larger disk" % (
            free // 1000000, os.path.abspath(folder), least // 1000000))
    if "failed" not in found and any(state.is_past(part, "late_at") and not state.is_past(part, "fails_at")
                                     for part in ("run", "behind")):
        found["behind"] = "the learner is late: look at systemctl status rank-learn, and journalctl -u rank-learn"
    return {kind: found[kind] for kind in KINDS if kind in found}


# ---- what each `rankpipe api` says, for status ----


class Notice:
    """The file of a `rankpipe api` in the folder of answers. Sentences are there while they hold, and the file while
    the program runs."""

    def __init__(self, folder):
        self.path = os.path.join(folder, ".api.%d-%s" % (os.getpid(), os.urandom(4).hex()))
        self.had, self.written = None, 0
        for path, age in notices(folder):
            if age > STALE:  # of one that was killed
                with contextlib.suppress(OSError):
                    os.unlink(path)

    def put(self, said, nulls):
        """Writes the sentences, and the nulls of each feature, where they changed, or now and then. Did it? Raises
        OSError."""
        said, now = {**said, "nulls": dict(nulls)}, time.monotonic()
        if said == self.had and now < self.written + EVERY:
            return False
        self.written, fresh = now, self.path + ".new"
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o640)
        try:
            with open(fd, "wb") as file:
                os.fchmod(fd, 0o640)  # the service reads it by its group
                file.write(json.dumps(said).encode())
            os.rename(fresh, self.path)
        except OSError:
            os.unlink(fresh)
            raise
        self.had = said
        return True

    def remove(self):
        with contextlib.suppress(OSError):
            os.unlink(self.path)


def notices(folder):
    """(path, seconds since it was written) of the files of each `rankpipe api`."""
    found = []
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if name.startswith(".api."):
                with contextlib.suppress(OSError):
                    path = os.path.join(folder, name)
                    found.append((path, time.time() - os.lstat(path).st_mtime))
    return found


def said(folder):
    """{kind: sentence} of what each running `rankpipe api` says; "api" where one has gone without a word."""
    found, ages = {}, []
    for path, age in notices(folder):
        ages.append(age)
        if age <= STALE:
            with contextlib.suppress(ValueError, RecursionError):
                found.update(texts(json.loads(read(path) or "{}")))
    if ages and STALE < min(ages) < 86400:
        found["api"] = ("rankpipe api has said nothing for %d seconds: it was killed, or cannot write to %s: look at "
                        "systemctl status rank-api" % (min(ages), folder))
    return found


def nulls(folder):
    """{feature: documents without a value} since each running `rankpipe api` began."""
    found = collections.Counter()
    for path, age in notices(folder):
        with contextlib.suppress(ValueError, RecursionError, AttributeError):
            for feature, n in json.loads(read(path) or "{}").get("nulls", {}).items() if age <= STALE else ():
                if type(n) is int and feature.isdecimal() and len(feature) <= 10:
                    found[int(feature)] += n
    return found


def found(folder):
    """{kind: sentence} of what is wrong in the folder of a service, which /health has too; "trouble" first, if there is any."""
    state, known = front.State(os.path.join(folder, "service.json")), said(os.path.join(folder, "answers"))
    if os.path.exists(os.path.join(folder, "status.prom")) and not figures(folder):
        known.setdefault("serve", "serve has not written status.prom for a minute: look at systemctl status rank, and "
                                  "journalctl -u rank")
    if not os.access(os.path.join(folder, "answers"), os.W_OK | os.X_OK):
        known.setdefault("answers", "answers cannot be stored in answers: make it a folder that this account can write to")
    trouble = state.trouble()
    return {**({"trouble": trouble} if trouble else {}), **warnings(folder, state, known)}


def text():
    """What status begins with, in the folder of a service: the sentences that /health has."""
    return "".join("%-14s %s\n" % ("trouble" if kind == "trouble" else "warning", each) for kind, each in found(".").items())


def note_failure(text):
    """Adds to service.json why the last run failed. It can be read by anyone, so what update says of rounds, where
    there may be names, is left to the log."""
    from rankpipe_service.store import put_whole
    known = front.State("service.json").facts()
    if known:
        said = text.partition(":")[0] if text.startswith("update failed") else text
        known["warnings"] = {**texts(known.get("warnings")), "failed": "the last run of the learner failed: %s" % said}
        with contextlib.suppress(OSError):
            put_whole("service.json", json.dumps(known, indent=1).encode() + b"\n", 0o644)
