"""learning: new answers meet their rounds, and update learns from them, in the order of their times.

What counts is learnt in places 1, 2, 3 and so on, which are the numbers (t) of the rounds that update
reads. So learning anew repeats the same bytes, and `stream` writes them.
"""
# SPDX-License-Identifier: ISC

import os
import re
import shutil
import subprocess
import tempfile

from rankpipe_service import (
    AHEAD, ASIDE, BEYOND, COUNTS, HOUR, PENDING, UNUSED, Failed, daily, events, generations, say, votes)
from rankpipe_service.lists import Lists, Records
from rankpipe_service.records import end_of, list_hash, name_of, pack_name, places_of, seen_of
from rankpipe_service.tally import Tally, count_answered, recount
from rankpipe_service.voices import Voices

BATCH = 20000  # answers that one run of update learns
MOST = 1 << 32  # more features than a document may have
NEXT, REFUSED = "models/next", "models/refused"
BASED = "instr(CAST(l.columns AS TEXT), 'base:') > 0"  # has the list a base?
FRESH = ("SELECT a.round, r.request, a.time, a.client, a.seen, r.time, r.list, r.how, r.shown, l.docs, "
         "l.dim, d.time, " + BASED + ", l.qid FROM answers a JOIN rounds r ON r.id = a.round "
         "JOIN lists l ON l.id = r.list LEFT JOIN doubled d ON d.round = a.round "
         "WHERE a.state = 0 AND (a.time <= ? OR a.day < ?) AND l.dim <= ? ORDER BY a.time, r.request LIMIT ?")
LEARNT = ("SELECT a.seq, r.request, r.time, a.client, a.seen, r.how, r.shown, r.list, l.docs FROM answers a "
          "JOIN rounds r ON r.id = a.round JOIN lists l ON l.id = r.list "
          "WHERE a.seq IS NOT NULL AND a.state = %d AND " % COUNTS + "%s ORDER BY a.seq")


# ---- update ----


def makes_base(words):
    """Do these options of update end the steps with base?"""
    return re.search(r"(?:^|\s)-x\s*(?:\S*,)?base(?:\s|$)", words) is not None


def words_of(store, words):
    """The arguments of update: its words, the service's seed, clients and pairs of memory, its number of features, and
    the steps that suit the setting base, so that the first learnt round does not decide whether there is one."""
    given = words.split()
    memory = "memory" in words or not any(word.startswith("-a") for word in given)
    if memory and "seed=" not in words and not any(word.startswith("-s") for word in given):
        given += ["-s", "%d" % store["seed"]]
    if memory and "clients=" not in words and not any(word.startswith("-O") for word in given):
        given += ["-O", "%d" % store["clients"]]
    if memory and "pairs=" not in words and not any(word.startswith("-B") for word in given):
        given += ["-B", "%d" % store["pairs"]]
    if store["base"] and store["features"] and not any(word.startswith("-x") for word in given):
        given += ["-x", "scale,base" if store["base"] == "on" else "scale"]
    return given + generations.features_option(store)


def run_update(store, words, rows, before):
    """Learns rows, an iterable of records, in models/next. Refused requests with their reasons; or the
    message with which update failed, and the number of rows that it got."""
    for path in NEXT, REFUSED:
        if os.path.lexists(path):
            os.unlink(path)
    if before and generations.has_learnt(before):
        os.link(before, NEXT)
    n, errors = 0, tempfile.TemporaryFile()
    with errors:
        process = subprocess.Popen(["update", *words_of(store, words), "-b", "-q", REFUSED, "-m", NEXT],
                                   stdin=subprocess.PIPE, stderr=errors, bufsize=1 << 18)
        try:
            for row in rows:
                process.stdin.write(row)
                n += 1
            process.stdin.write(end_of(n))
            process.stdin.close()
        except BrokenPipeError:
            pass
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            try:
                process.stdin.close()
            except BrokenPipeError:
                pass
        status = process.wait()
        errors.seek(0)
        said = errors.read().decode("utf-8", "replace").strip()
    refused = {}
    if os.path.exists(REFUSED):
        with open(REFUSED, encoding="utf-8", errors="replace") as file:
            refused = dict(line.rstrip("\n").partition("\t")[::2] for line in file)
    return status, refused, said


def find_bad(store, words, rows, before):
    """The first row with which update fails, by halves; None if it fails with none at all."""
    def fails(n):
        return run_update(store, words, (rows[i]() for i in range(n)), before)[0] != 0
    if fails(0):
        return None
    good, bad = 0, len(rows)
    while bad - good > 1:
        half = (good + bad) // 2
        good, bad = (good, half) if fails(half) else (half, bad)
    return bad - 1


# ---- a run ----


def learn(store):
    """Learns what is new. Number of answers learnt."""
    records, learnt = Records(store), 0
    settle_early(store)
    events.settle(store, records)
    if not settle_features(store):
        return 0
    while True:
        n, good = learn_some(store, records)
        learnt += good
        if n < BATCH:
            return learnt


def settle_features(store):
    """Sets the number of features by votes. Until they decide it is a guess, which each run makes anew; if it was
    wrong, all is learnt anew. Is there one?"""
    if store["features"] is not None and not store.set.get("guessed"):
        return True
    features, n, decided = votes.count(store)
    if features is None:
        return False
    was, known = store["features"], {"features": features, "guessed": int(not decided)}
    if was in (None, features) or not store.one("SELECT 1 FROM answers WHERE seq IS NOT NULL LIMIT 1"):
        with store:
            store.put(**known)
    else:
        store.set.update(known)  # they are stored with the generation
        rebuild(store, later="SELECT r.id FROM rounds r JOIN lists l ON l.id = r.list WHERE l.dim > %d" % features)
    if decided:
        say("features=%d, as most of %d votes of answered requests; to change it: rankpipe service set features N" % (
            features, n))
    elif features != was:
        say("features=%d, a guess by %d votes of answered requests; to set it: rankpipe service set features N" % (
            features, n))
    return True


def settle_early(store):
    """Answers that came before their rounds: are they there now, or given up?"""
    if not store.one("SELECT 1 FROM early LIMIT 1"):
        return
    with store:
        store.sql("INSERT OR IGNORE INTO answers(round, time, client, seen, day, state) "
                  "SELECT r.id, e.time, e.client, e.seen, e.day, %d FROM early e JOIN rounds r "
                  "ON r.request = e.request" % PENDING)
        store.sql("DELETE FROM early WHERE request IN (SELECT e.request FROM early e "
                  "JOIN rounds r ON r.request = e.request)")
        over = int(store.now - (store["wait"] + store["delay"]) * 1000)
        for request, in store.sql("SELECT request FROM early WHERE time < ?1 AND day = ?3 OR day < ?3 - 1 AND "
                                  "(time < ?1 OR time > ?2)", (over, store.now + AHEAD, store.day)).fetchall():
            store.refuse("answer without a round", name_of(request))
            store.sql("DELETE FROM early WHERE request = ?", (request,))


def sort(store, rows):
    """(good rows, [(row, reason)] of those that cannot be used, rows beyond the share of their client)"""
    good, bad, beyond, voices = [], [], [], Voices(store)
    wait, features = store["wait"] * 1000, generations.widest(store)
    needs_base = makes_base(" ".join(words_of(store, store["update"])))
    for row in rows:
        when, seen, then, docs, dim, twice, based, qid = row[2], row[4], row[5], *row[9:]
        n = places_of(seen)
        if n == 0:
            bad.append((row, None))
        elif when > then + wait:
            bad.append((row, "answer too late"))
        elif n > docs:
            bad.append((row, "answer of the wrong length"))
        elif twice is not None and when >= twice:
            bad.append((row, "answer after a second round of its request"))
        elif dim > features:
            bad.append((row, "round with more features than the setting"))
        elif needs_base and not based:
            bad.append((row, "round without the order of an engine"))
        else:
            (good if voices.admit(row[3], qid, then) else beyond).append(row)
    return good, bad, beyond


def learn_some(store, records):
    """Learns the oldest new answers. (how many there were, how many it learnt)"""
    most = store["features"] if store.set.get("guessed") else MOST  # a better guess may learn others later
    rows = store.sql(FRESH, (store.now, store.day, most, BATCH)).fetchall()
    good, bad, beyond = sort(store, rows)
    newest = store["newest"]
    last, had, root = store.sql("SELECT last, learnt, root FROM generations WHERE id = ?", (newest,)).fetchone()
    before = generations.path_of(newest)
    words, refused = store["update"], {}

    def make(i):
        row = good[i]
        return records.make(last + 1 + i, row[1], row[5], row[3], row[4], row[7], row[8], row[6], row[9])

    while good:
        status, found, said = run_update(store, words, map(make, range(len(good))), before)
        if status and not found:
            at = find_bad(store, words, [lambda i=i: make(i) for i in range(len(good))], before)
            if at is None:
                raise Failed("update failed, and nothing has changed: %s" % said)
            found = {name_of(good[at][1]): said[-200:]}
        if not found:
            break
        refused.update(found)
        good = [row for row in good if name_of(row[1]) not in refused]
    bad += [(row, "round that the learner refused") for row in rows if name_of(row[1]) in refused]
    if not rows:
        return 0, 0
    number = generations.adopt(NEXT, store) if good else None
    with store:
        drop(store, bad, refused)
        store.many("UPDATE answers SET state = %d WHERE round = ?" % BEYOND, [row[:1] for row in beyond])
        store.put(beyond=store.set.get("beyond", 0) + len(beyond))
        store.many("UPDATE answers SET state = %d, seq = ? WHERE round = ?" % COUNTS,
                   ((last + 1 + i, row[0]) for i, row in enumerate(good)))
        if good:
            generations.add(store, number, words, last + len(good), had + len(good), root)
            tally = Tally(store)
            for row in good:
                how = records.how(row[7], row[9])
                won = how.won(row[8], row[4])
                if won is not None:
                    store.sql("UPDATE answers SET won = ? WHERE round = ?", (won, row[0]))
                tally.add(row[5], row[2], row[3], how.chance, seen_of(row[4]))
            tally.store_it()
        daily.count_clicks(store, 1, "a.seq > ?", last)
        for row in beyond:
            daily.count_clicks(store, 1, "a.round = ?", row[0])
        count_rows(store, rows)
    return len(rows), len(good)


def drop(store, bad, refused):
    for row, what in bad:
        name = name_of(row[1])
        if what:
            store.refuse(what, name, refused.get(name, ""))
        store.sql("UPDATE answers SET state = %d WHERE round = ?" % UNUSED, row[:1])


def count_rows(store, rows):
    hours = {}
    for row in rows:
        if row[4] != b"\0":
            hours[row[5] // HOUR] = hours.get(row[5] // HOUR, 0) + 1
    store.many("UPDATE hours SET answered = answered + ?2 WHERE hour = ?1", hours.items())


# ---- learning anew ----


class Without:
    """Answers to leave out: by the time that they were given, or by their client."""

    def __init__(self, store, intervals=(), clients=()):
        said, self.values = [], []
        for begin, end in intervals:
            said.append("(a.time >= ? AND a.time < ?)")
            self.values += [begin, end]
        numbers = [number for number in (store.one("SELECT id FROM clients WHERE word = ?", word)
                                         for word in clients) if number is not None]
        for i in range(0, len(numbers), 500):
            some = numbers[i:i + 500]
            said.append("a.client IN (%s)" % ",".join("?" * len(some)))
            self.values += some
        self.sql = " OR ".join(said) or "0"


def stream_of(store, without, after=0, word=()):
    """The records that count, after that place, in the order in which they were learnt; word is that of Records."""
    records = Records(store, *word)
    for row in store.sql(LEARNT % ("a.seq > %d AND coalesce(NOT (%s), 1)" % (after, without.sql)), without.values):
        yield records.make(*row)


def write_stream(store, out, without):
    n = 0
    store.sql("BEGIN")  # one state of the database, whatever a run does meanwhile
    for data in stream_of(store, without):
        out.write(data)
        n += 1
    store.sql("COMMIT")
    out.write(end_of(n))
    out.flush()


def rebuild(store, words=None, without=None, erased=None, folds=False, base=None, later="0"):
    """Learns all that counts anew, or, if answers from the place `erased` on were erased, from the last generation before
    it; with `folds`, queries have folded words from then on; with another setting base if one is given. Answers to the
    rounds `later` (SQL) wait for a later run. Number of answers that the new generation has learnt."""
    words = store["update"] if words is None else words
    without = without or Without(store)
    if base:
        store.set["base"] = base  # it is stored with the generation
    if base == "on":  # what cannot be learnt now
        without.sql += " OR a.round IN (SELECT r.id FROM rounds r JOIN lists l ON l.id = r.list WHERE NOT %s)" % BASED
    without.sql += " OR a.round IN (%s)" % later
    refused = {}
    folds = folds and store.set["folds"] is None
    word = [store.fold] if folds else []
    start = generations.before(store, erased) if erased else None
    after, had, root = (store.sql("SELECT last, learnt, root FROM generations WHERE id = ?", (start,)).fetchone()
                        if start else (0, 0, None))
    n = store.one("SELECT count(*) FROM answers a WHERE a.seq > %d AND a.state = %d AND "
                  "coalesce(NOT (%s), 1)" % (after, COUNTS, without.sql), *without.values)
    while n > len(refused):
        rows = (row for row in stream_of(store, without, after, word) if not refused or request_of(row) not in refused)
        status, found, said = run_update(store, words, rows, start and generations.path_of(start))
        if status and not found.keys() - refused.keys():
            raise Failed("update failed, and nothing has changed: %s" % said)
        refused.update(found)
        if not status:
            break
    n -= len(refused)
    if n == 0:
        shutil.copyfile(generations.path_of(start), NEXT) if start else generations.write_first(store, NEXT)
    number = generations.adopt(NEXT, store)
    with store:
        for name, why in refused.items():
            store.refuse("round that the learner refused", name, why)
            recount(store, -1, "a.state = %d AND r.request = ?" % COUNTS, pack_name(name.encode()))
            store.sql("UPDATE answers SET state = %d, aside = ? WHERE round = "
                      "(SELECT id FROM rounds WHERE request = ?)" % ASIDE, (number, pack_name(name.encode())))
        recount(store, -1, "a.seq IS NOT NULL AND a.state = %d AND (%s)" % (COUNTS, without.sql), *without.values)
        count_answered(store, -1, "a.state = %d AND a.round IN (%s)" % (COUNTS, later))
        store.sql("UPDATE answers SET state = %d, seq = NULL WHERE state = %d AND round IN (%s)" % (PENDING, COUNTS, later))
        store.sql("UPDATE answers AS a SET state = %d, aside = ? WHERE a.seq IS NOT NULL AND a.state = %d "
                  "AND (%s)" % (ASIDE, COUNTS, without.sql), (number, *without.values))
        last = store.one("SELECT last FROM generations WHERE id = ?", store["newest"])
        generations.add(store, number, words, last, had + n, root or number)
        store.put(update=words, base=store["base"], suspect=0, kept=None,
                  features=store["features"], guessed=store.set.get("guessed"))
        if folds:
            fold_lists(store)
        daily.recount(store, 0 if folds else store.set.get("whole", 0))
        if erased:
            generations.forget_others(store, number)
        else:
            generations.forget_damaged(store, number)
    return had + n


def fold_lists(store):
    """Gives lists the folded words of their queries: a part of a transaction. Lists that then are one become
    one."""
    store.put(folds=store.now)
    store.sql("CREATE TEMP TABLE same(list INTEGER PRIMARY KEY, first INT)")
    known, changed, lists = {}, [], Lists(store)
    for number, was, qid, head, columns, *fields in store.sql(
            "SELECT id, hash, qid, head, columns, docs, data, whole FROM lists ORDER BY id"):
        word = store.fold(qid)
        key = was if word == qid else list_hash(word, head, columns, [lists.data(columns, *fields)])
        first = known.setdefault(key, number)
        if first != number:
            changed.append((number, first))
        if word != qid and first == number:
            changed.append((number, word, key))
    store.many("INSERT INTO same VALUES(?, ?)", (row for row in changed if len(row) == 2))
    store.sql("UPDATE rounds SET list = (SELECT first FROM same WHERE same.list = rounds.list) "
              "WHERE list IN (SELECT list FROM same)")
    lists.drop("id IN (SELECT list FROM same)")
    store.many("UPDATE lists SET qid = ?2, hash = ?3 WHERE id = ?1", (row for row in changed if len(row) == 3))
    store.sql("DROP TABLE same")


def request_of(data):
    found = re.search(rb" request=(\S+)", data[:data.index(b"\n")])
    return found[1].decode()
