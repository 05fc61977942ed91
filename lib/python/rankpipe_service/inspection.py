"""inspection: what `rankpipe doctor` says of the folder of a service. It reads, and never writes; the learner may run.

look() gives pairs of whether all is well (None: it cannot be told yet) and a sentence, with the remedy where it is not.
"""
# SPDX-License-Identifier: ISC

import collections
import contextlib
import io
import os
import sqlite3
import time
import urllib.parse

import rankpipe
import rankpipe_front as front
from rankpipe_service import AHEAD, DAY, health
from rankpipe_service.daily import DOCTORS
from rankpipe_service.lists import Lists
from rankpipe_service.records import names_of
from rankpipe_service.store import VERSION

LATEST = 1000  # rounds that are looked at
NOW = 100  # of these, what front ends send now
VALUES = 2000000  # features of theirs at most
FEW = 5  # lists from which on it can be told that a feature teaches nothing
SHOWN = 20  # features whose ranges are printed
SHARE = 10  # one in so many is worth a sentence


class Reader:
    """service.db, as module lists takes a store. Where nobody has it open, it is read without its companions, so that
    none is made."""

    def __init__(self, path):
        name = "file:%s?mode=ro" % urllib.parse.quote(path)
        self.db = sqlite3.connect(name + ("" if os.path.exists(path + "-wal") else "&immutable=1"), uri=True, timeout=10)
        self.sql = self.db.execute

    def one(self, sql, *values):
        return (self.sql(sql, values).fetchone() or (None,))[0]


def pays(folder):
    """Whether search pays, as the last run of the learner saw it."""
    said = front.State(os.path.join(folder, "service.json")).get("pays")
    return [text[:health.SAID] for text in said if isinstance(text, str)] if isinstance(said, list) else []


def look(folder):
    """All of it."""
    path = os.path.join(folder, "service.db")
    if not os.path.exists(path):
        yield False, "%s has no service.db: give the folder of rankpipe up, or that of the unit rank" % folder
        return
    state = front.State(os.path.join(folder, "service.json"))
    found = [state.trouble(), *health.warnings(folder, state, health.said(os.path.join(folder, "answers"))).values()]
    yield from ((False, text) for text in filter(None, found))
    for _ in range(2):  # a run may begin meanwhile
        try:
            reader = Reader(path)
            with contextlib.closing(reader.db):
                if reader.one("PRAGMA user_version") != VERSION:
                    found = [(False, "service.db is of another version: rankpipe service learn upgrades it")]
                else:
                    found = [*learnt(reader), *clients(reader), *lists(reader), *nulls(folder)]
            yield from found
            return
        except sqlite3.Error as error:
            wrong = error
    yield False, "service.db cannot be read: %s: run doctor as the account of the service; rankpipe service check says more" % wrong


def learnt(reader):
    known = dict(reader.sql("SELECT name, value FROM settings WHERE name IN ('run', 'run_ended', 'newest')"))
    now = time.time() * 1000
    if (known.get("run") or 0) > now + AHEAD:
        yield False, "the last run of the learner is dated %.0f minutes ahead of the clock: set the clock of this machine" % (
            (known["run"] - now) / 60000)
    rounds, answered = reader.sql("SELECT coalesce(sum(rounds), 0), coalesce(sum(answered), 0) FROM hours").fetchone()
    n = reader.one("SELECT learnt FROM generations WHERE id = ?", known.get("newest")) or 0
    if rounds and not answered:
        yield False if rounds > 20 else None, "no answer has come to %s: send each click, with the name of its request, to " \
            "/event" % front.count(rounds, "ranking")
    else:
        ended = "%.0f seconds ago" % ((now - known["run_ended"]) / 1000) if known.get("run_ended") else "never"
        yield True, "answered: {:,} of {}; learnt: {}; the last run ended {}".format(
            answered, front.count(rounds, "ranking"), front.count(n, "answer"), ended)


def clients(reader):
    n, said, different = reader.sql("SELECT count(*), count(client), count(DISTINCT client) FROM answers WHERE time > ?",
                                    (time.time() * 1000 - 7 * DAY,)).fetchone()
    send = "send client with each event, the visitor's address, or start rankpipe api with -k and --proxy"
    if not n:
        yield None, "clients: no answer has come in a week"
    elif SHARE * (n - said) > n:
        yield False, "of %d answers of a week %d have no client, so nothing bounds the voice of one user: %s" % (n, n - said, send)
    elif different == 1 and n > 20:
        yield False, "all %d answers of a week come from one client: %s" % (n, send)
    else:
        yield True, "%s of a week, from %s" % (front.count(n, "answer"), front.count(different, "client"))


def lists(reader):
    """What documents are like in the latest rounds."""
    rounds = reader.sql("SELECT r.list, l.qid, l.dim FROM rounds r JOIN lists l ON l.id = r.list WHERE l.qid IS NOT ? "
                        "ORDER BY r.id DESC LIMIT ?", (DOCTORS, LATEST)).fetchall()[::-1]
    if not rounds:
        yield None, "features and names: no ranking is stored yet; the learner has it some seconds later"
        return
    now = [dim for *_, dim in rounds[-NOW:]]
    often = sorted((dim, n) for dim, n in collections.Counter(now).items() if SHARE * n >= len(now))
    if len(often) > 1 and sum(one != next_ for one, next_ in zip(now, now[1:])) > 2:  # not changed once, and perhaps back
        yield False, "rankings have %s features, in turn: two front ends send different ones: send the same, in the same order" % (
            " or ".join("%d (%s)" % (dim, front.count(n, "time")) for dim, n in often))
    packed, names, features = Lists(reader), {}, Features()
    for number in dict.fromkeys(number for number, *_ in rounds[::-1]):
        columns, head, *fields = reader.sql("SELECT columns, head, docs, data, whole FROM lists WHERE id = ?", (number,)).fetchone()
        data = packed.data(columns, *fields)
        names[number] = set(names_of(columns, data))
        if features.room > 0:
            features.add(head, columns, data)
    yield from features.sentences()
    if not any(names.values()):
        yield False, "documents have no names, so nothing is kept of what users say of one: send the id of each as name"
        return
    known, back, all_ = {}, 0, 0
    for number, qid, _ in rounds:
        if qid in known:
            back, all_ = back + len(names[number] & known[qid]), all_ + len(names[number])
        known.setdefault(qid, set()).update(names[number])
    if SHARE * back < all_:
        yield False, "where a query was asked again, %d of %d documents had a name that was there before: send an id that stays, " \
            "such as the key of the table" % (back, all_)
    elif all_:
        yield True, "where a query was asked again, %d of %d documents had been there before" % (back, all_)
    else:
        yield None, "names: no query was asked twice"


class Features:
    """Ranges of features, and those that never differ within a list."""

    def __init__(self):
        self.room, self.n, self.low, self.high, self.differ = VALUES, 0, {}, {}, set()

    def add(self, head, columns, data):
        line = b"rankpipe/1 round t=1%b cols=%b bytes=%d\n" % (head, columns, len(data))
        try:
            [found] = rankpipe.read(io.BytesIO(line + data + b"rankpipe/1 end rounds=1 bytes=0\n"))
        except rankpipe.Error:  # rankpipe service check says more
            return
        if found.docs < 2 or not found.dim or found.docs * found.dim > self.room:
            return
        self.room -= found.docs * found.dim
        self.n += 1
        for j, values in enumerate(zip(*(row.tolist() for row in found.dense())), 1):
            low, high = min(values), max(values)
            self.low[j], self.high[j] = min(low, self.low.get(j, low)), max(high, self.high.get(j, high))
            if low < high:
                self.differ.add(j)

    def sentences(self):
        if not self.n:
            yield None, "features: no list of two documents is stored yet"
            return
        ranges = ["%d from %.4g to %.4g" % (j, self.low[j], self.high[j]) for j in sorted(self.low)]
        yield True, "%s in %s: %s" % (front.count(len(ranges), "feature"), front.count(self.n, "list"), ", ".join(
            ranges[:SHOWN] + ["..."] * (len(ranges) > SHOWN)))
        same = [j for j in sorted(self.low) if j not in self.differ]
        missing = [j for j in same if self.low[j] == self.high[j] == 0]
        for well, each, what in (
                (False, missing, "is missing or 0 in all documents of each of %d lists: send its value, or leave it out"),
                (True, [j for j in same if j not in missing], "is the same for all documents of each of %d lists, and teaches nothing")):
            if each and self.n >= FEW:
                yield well, ("feature %s " + what) % (", ".join(map(str, each[:SHOWN])), self.n)


def nulls(folder):
    found = health.nulls(os.path.join(folder, "answers"))
    if found:
        yield True, "without a value, and counted as the mean of the others: %s" % ", ".join(
            "feature %d in %s" % (j, front.count(n, "document")) for j, n in sorted(found.most_common(SHOWN)))
