"""older: takes over a folder of release 0.4.0 (model.bin, seen, late), with its model and what that has learnt.

Its files then go to the folder older/, which erasing removes.
"""
# SPDX-License-Identifier: ISC

import os
import re
import shutil
import struct
import subprocess

from rankpipe_service import COUNTS, PENDING, generations, say, tally
from rankpipe_service.intake import Intake, records_of
from rankpipe_service.records import Wrong, column_of, columns_of, pack_name, pack_seen, split
from rankpipe_service.learning import NEXT

FILES = ("seen", "quarantine", "model.bin", "late")


def take_over(store):
    """What a first run finds in its folder. Was there a service?"""
    if not generations.is_older():
        return False
    model = "model.bin" if os.path.exists("model.bin") else None
    number = adopt_model(store, model)
    with store:
        store.sql("CREATE TEMP TABLE archive(n INTEGER PRIMARY KEY, request UNIQUE ON CONFLICT REPLACE, "
                  "seen BLOB)")
        intake = Intake(store)
        intake.latest = 1 << 60  # its files go, so nothing waits in them
        if generations.archive():
            read_archive(intake)
        take_seed(store, model)
        learnt = take_answers(store, learnt_by(model))
        generations.add(store, number, store["update"], learnt, learnt, None)
        store.put(using=number, putting_away=1)
    put_away(store)
    say("took over a service of version 0.4.0: %d answers learnt; its files are in older/ now, and are not needed" % learnt)
    return True


def put_away(store):
    for name in FILES:
        if os.path.lexists(name):
            os.makedirs("older", exist_ok=True)
            os.rename(name, "older/" + name)
    with store:
        store.put(putting_away=None)


def learnt_by(model):
    """The number of rounds that a model has learnt."""
    head = generations.head_of(model) if model else b""
    found = re.search(rb" rounds=(\d+)", head)
    return int(found[1]) if found and b" learner=fixed " not in head else 0


def take_seed(store, model):
    """memory goes on under its key."""
    found = re.search(rb" seed=(\d+)", generations.head_of(model)) if model else None
    if found:
        store.put(seed=int(found[1]))


def read_archive(intake):
    """Rounds with their answers. Of two for one request the last counts."""
    with subprocess.Popen(["salvage", "-p", *generations.archive()], stdout=subprocess.PIPE, bufsize=1 << 18) as process:
        for line, payload in records_of(process.stdout):
            try:
                read_joined(intake, line, payload)
            except Wrong as error:
                intake.refuse(b"malformed", "seen", line, str(error))
        intake.flush("seen")


def read_joined(intake, line, payload):
    t, qid, request, when, rest = split(line)
    request = request or b"seen/" + (t or b"0")
    rest, _, cols = rest.partition(b" cols=")
    seen = column_of(cols, payload, b"seen")
    if not seen:
        raise Wrong("it has no column seen")
    kept = [(found[0], payload[where]) for found, _, where in columns_of(cols) if found[1] != b"seen"]
    data = b"".join(part for _, part in kept)
    rest += b" cols=" + b",".join(words for words, _ in kept)
    head = b"rankpipe/1 round t=%b%b request=%b time=%b%b bytes=%d\n" % (
        t, b" qid=" + qid if qid else b"", request, when or b"%d" % intake.store.now, rest, len(data))
    intake.round("seen", head, data)
    intake.sql("INSERT INTO archive(request, seen) VALUES(?, ?)", (
        pack_name(request), pack_seen(struct.unpack("<%df" % (len(seen) // 4), seen))))


def take_answers(store, learnt):
    """The first ones count, as many as the model has learnt; the others are to be learnt. Their times are
    not known until their lines are read."""
    there = store.one("SELECT count(*) FROM archive")
    if learnt > there:
        say("the model has learnt %d answers, and seen has %d of them: only those can be learnt anew" % (
            learnt, there))
    first = max(0, learnt - there)
    for i, (request, seen) in enumerate(
            store.sql("SELECT request, seen FROM archive ORDER BY n").fetchall(), first + 1):
        counts = i <= learnt
        store.sql("INSERT OR IGNORE INTO answers(round, seen, state, seq, day) SELECT id, ?, ?, ?, day FROM rounds "
                  "WHERE request = ?", (seen, COUNTS if counts else PENDING, i if counts else None, request))
    tally.recount(store, 1, "a.state = %d" % COUNTS)
    tally.count_answered(store, 1, "a.state = %d" % COUNTS)
    return learnt


def adopt_model(store, model):
    if model:
        shutil.copyfile(model, NEXT)
    else:
        generations.write_first(store, NEXT)
    return generations.adopt(NEXT, store)
