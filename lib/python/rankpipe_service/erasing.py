"""erasing: removes requests, queries, documents or clients, so that no file of the folder has a trace.

First the names go into the database, so that a run that was killed is resumed. Of what was erased hashes
under the key of the service stay: by them a late copy is recognised.
"""
# SPDX-License-Identifier: ISC

import fcntl
import functools
import glob
import heapq
import itertools
import json
import os
import re
import shutil
import subprocess
import time

from rankpipe_service import BEYOND, COUNTS, DAY, HOUR, PENDING, Failed, backup, daily, generations, hosts, learning, say, tally
from rankpipe_service.intake import SPOOLED, Intake, files_below, mark_of_line, open_transit, records_of
from rankpipe_service.lists import Lists
from rankpipe_service.records import end_of, names_of, name_of, pack_name, split
from rankpipe_service.store import parts_in, wait_for_lock

KINDS = {"requests": b"r", "queries": b"q", "documents": b"d", "clients": b"c"}
OPEN = re.compile(r"(.+)\.\d{16}\.open")
PATIENCE = 600  # seconds for spool to finish a file


class Erased:
    """What an erasure did. missing: (kind, name) of what was not there, and is remembered; near: by such a name, names
    that are like it."""

    def __init__(self):
        self.rounds, self.answers, self.missing, self.near = 0, 0, [], {}


def erase(store, wanted):
    """Erases names, [(kind, names as bytes)]; all of it has happened when it returns."""
    for what, names in wanted:
        if not names or any(not name or re.search(rb"[\s\x00-\x1f]", name) for name in names
                            if what != "documents") or b"" in names:
            raise Failed("not names of %s: %r" % (what, names))
    asked = [(what, name, words_of(what, name)) for what, names in wanted for name in names]
    wanted = [(what, [word for _, _, words in each for word in words]) for what, each in itertools.groupby(
        asked, lambda each: each[0])]
    with alone():
        with store:
            store.many("INSERT OR REPLACE INTO erased VALUES(?, ?)", (
                (store.erased_hash(KINDS[what], name), store.now) for what, names in wanted for name in names))
            store.put(erasing=json.dumps([[what, [name.decode("utf-8", "surrogateescape") for name in names]]
                                          for what, names in wanted], ensure_ascii=True))
        store.erased = dict(store.sql("SELECT * FROM erased"))
        done = finish(store)
    missing = set(done.missing)
    done.missing = sorted((what, name) for what, name, words in asked if missing.issuperset((what, word) for word in words))
    done.near.update((name, done.near[words[0]]) for _, name, words in asked if words[0] in done.near)
    return done


def words_of(what, name):
    """The words of a name in rounds: a document's text has one; what begins with ~~ may be such a word, or of before."""
    if what != "documents":
        return [name]
    import rankpipe
    word = rankpipe.document_word(name).encode("utf-8", "surrogateescape")
    return [word, name] if name.startswith(b"~~") else [word]


def alone():
    return backup.beside(fcntl.LOCK_EX, "a backup has run for ten minutes, so nothing is erased: try again when it has ended")


def resume(store):
    """Does what is left of an erasure that was begun."""
    with alone():
        finish(store)


def finish(store):
    pending = json.loads(store.set["erasing"])
    if isinstance(pending[0], str):  # as a service of version 1 began it
        pending = [pending]
    wait_for_spool()
    Intake(store).all()
    done = Erased()
    erase_rows(store, [(what, {name.encode("utf-8", "surrogateescape") for name in names})
                       for what, names in pending], done)
    if store.set.get("erasing_model"):
        learning.rebuild(store, erased=store.set["erasing_model"])
    generations.publish(store)
    generations.clean(store, others=True)
    store.erased = dict(store.sql("SELECT * FROM erased"))
    when = functools.lru_cache(1 << 16)(lambda kind, name: store.erased.get(store.erased_hash(kind, name), -1))
    for path in files_below("log"):
        if SPOOLED.fullmatch(os.path.basename(path)):
            rewrite_log(store, path, when)
        elif path.endswith(".index"):  # of an older spool: it has requests
            os.unlink(path)
    for path in files_below("answers"):
        rewrite_answers(store, path, when)
    hosts.forget()
    remove_copies()
    with store:
        store.put(erasing=None, erasing_model=None)
    if store.sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        raise Failed("another program reads service.db, so service.db-wal still has what was erased: "
                     "run this again when it has ended")
    for host in store["hosts"].split():
        say("not reached: the log and the answers on %s, and backups there" % host)
    say("not reached: backups of this folder, and journals of front ends")
    return done


def remove_copies():
    """Removes what the folder has of older states, and says so."""
    for path in "older", "report.html":
        if os.path.lexists(path):
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
    copies = [*glob.glob("lost-*"), *glob.glob("service.db.v*"), *parts_in(".")]
    for path in copies:
        shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
    if copies:
        say("removed, because it may have what was erased: %s" % ", ".join(copies))


# ---- waiting for spool ----


def wait_for_spool():
    """Waits until the files that spool is writing now are finished."""
    files = [path for path in files_below("log") if OPEN.fullmatch(os.path.basename(path))]
    until = time.time() + PATIENCE
    for path in files:
        folder, name = os.path.dirname(path), OPEN.fullmatch(os.path.basename(path))[1]
        while os.path.exists(path):
            if not is_locked("%s/%s.lock" % (folder, name)):  # its writer was killed
                subprocess.run(["spool", "-n", name, folder], input=b"rankpipe/1 end rounds=0 bytes=0\n",
                               stdout=subprocess.DEVNULL, check=False)
            if time.time() > until:
                raise Failed("%s is not finished after %d seconds: give spool the option -t 10; the next run "
                             "goes on with the erasure" % (path, PATIENCE))
            time.sleep(0.1)


def is_locked(path):
    try:
        with open_transit(path) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return True
    except FileNotFoundError:
        pass
    return False


# ---- the database ----


def lists_of(store, what, names, done):
    """The numbers of the lists that have one of the names, which are queries or documents."""
    found, there = [], set()
    packed = Lists(store)
    for number, qid, columns, *fields in store.sql("SELECT id, qid, columns, docs, data, whole FROM lists"):
        own = {qid} if what == "queries" else set(names_of(columns, packed.data(columns, *fields)))
        there |= own
        if not names.isdisjoint(own):
            found.append(number)
    there.discard(None)
    missing = names - there
    for name in sorted(missing)[:10]:
        done.near[name] = nearest(name, there - names)
    return found, missing


def nearest(name, there):
    """At most three of the names that share most of their pairs of letters with that one."""
    def pairs(word):
        return {word[i:i + 2] for i in range(max(1, len(word) - 1))}
    own = pairs(name.lower())

    def likeness(other):
        its = pairs(other.lower())
        return 2 * len(own & its) / (len(own) + len(its))
    return [other for other in heapq.nlargest(3, sorted(there), likeness) if likeness(other) >= 0.5]


def fill(store, table, numbers):
    """Makes a table of numbers for one transaction."""
    store.sql("CREATE TEMP TABLE IF NOT EXISTS %s(id INTEGER PRIMARY KEY)" % table)
    store.sql("DELETE FROM " + table)
    store.many("INSERT OR IGNORE INTO %s VALUES(?)" % table, ((number,) for number in numbers))


def gather(store, what, names, done):
    """Puts the rounds that have one of the names into the table gone. The names that are not there."""
    insert = "INSERT OR IGNORE INTO gone SELECT "
    if what == "requests":
        keys = {name: pack_name(name) for name in names}
        store.many(insert + "id FROM rounds WHERE request = ?", ((key,) for key in keys.values()))
        return {name for name, key in keys.items() if not store.one(
            "SELECT 1 FROM rounds WHERE request = ?1 UNION ALL SELECT 1 FROM early WHERE request = ?1 UNION ALL "
            "SELECT 1 FROM events WHERE request = ?1", key)}
    if what == "clients":
        numbers = {name: client_of(store, name) for name in names}
        store.many(insert + "round FROM answers WHERE client = ?", ((number,) for number in numbers.values()))
        for table in "early", "events":
            store.many("DELETE FROM %s WHERE client = ?" % table, ((number,) for number in numbers.values()))
        return {name for name, number in numbers.items() if number is None}
    if what == "documents":
        store.many("DELETE FROM events WHERE item = ? AND type <> 'answer'", ((name,) for name in names))
    lists, missing = lists_of(store, what, names, done)
    fill(store, "lists_gone", lists)
    store.sql(insert + "id FROM rounds WHERE list IN lists_gone")
    return missing


def client_of(store, name):
    return store.one("SELECT id FROM clients WHERE word = ?", name.decode("utf-8", "replace"))


def gather_hashed(store, hashes):
    """The same for what was erased after a backup: of that only hashes are known, and their times."""
    known = {hash_: store.erased.get(hash_, -1) for hash_ in (bytes.fromhex(name.decode()) for name in hashes)}

    def when(kind, names):
        return max((known.get(store.erased_hash(kind, name), -1) for name in names), default=-1)
    insert = "INSERT OR IGNORE INTO gone "
    for table, column in ("rounds", "id"), ("early", "request"), ("events", "request"):
        requests = store.sql("SELECT DISTINCT %s, request FROM %s" % (column, table)).fetchall()
        store.many(insert + "VALUES(?)" if table == "rounds" else "DELETE FROM %s WHERE request = ?" % table, (
            (key,) for key, request in requests if when(b"r", [name_of(request).encode()]) >= 0))
    packed = Lists(store)
    lists = [(number, max(when(b"q", [qid or b""]), when(b"d", names_of(columns, packed.data(columns, *fields)))))
             for number, qid, columns, *fields in store.sql("SELECT id, qid, columns, docs, data, whole FROM lists")]
    store.sql("CREATE TEMP TABLE until(list INTEGER PRIMARY KEY, time INT)")
    store.many("INSERT INTO until VALUES(?, ?)", (row for row in lists if row[1] >= 0))
    store.sql(insert + "SELECT r.id FROM rounds r JOIN until u ON u.list = r.list WHERE r.time <= u.time")
    store.sql("DROP TABLE until")
    clients = [(number, when(b"c", [word.encode()])) for number, word in store.sql("SELECT * FROM clients").fetchall()]
    store.many(insert + "SELECT round FROM answers WHERE client = ? AND time <= ?", clients)
    for table in "early", "events":
        store.many("DELETE FROM %s WHERE client = ? AND time <= ?" % table, clients)
    items = store.sql("SELECT DISTINCT item FROM events WHERE type <> 'answer' AND typeof(item) = 'blob'").fetchall()
    store.many("DELETE FROM events WHERE item = ? AND time <= ?", ((item, when(b"d", [item])) for item, in items))


def erase_rows(store, wanted, done):
    """Deletes rounds, their answers, and what nothing refers to any more."""
    with store:
        fill(store, "gone", ())
        clients = [client_of(store, name) for what, names in wanted for name in names if what == "clients"]
        for what, names in wanted:
            if what == "hashes":
                gather_hashed(store, names)
            else:
                done.missing += [(what, name) for name in sorted(gather(store, what, names, done))]
        tally.recount(store, -1, "a.state = %d AND a.round IN gone" % COUNTS)
        tally.count_answered(store, -1, "a.state <> %d AND a.round IN gone" % PENDING)
        daily.count_rounds(store, -1, "r.id IN gone", (BEYOND,))
        hours = store.sql("SELECT time / %d, count(*) FROM rounds WHERE id IN gone GROUP BY 1" % HOUR).fetchall()
        store.many("UPDATE hours SET rounds = rounds - ?2 WHERE hour = ?1", hours)
        first = store.one("SELECT min(seq) FROM answers WHERE round IN gone")
        if first:
            store.put(erasing_model=min(first, store.set.get("erasing_model") or first))
        rows = store.sql("SELECT request FROM rounds WHERE id IN gone").fetchall()
        requests = {name_of(request).encode() for request, in rows}.union(
            *(names for what, names in wanted if what == "requests"))
        store.many("INSERT OR REPLACE INTO erased VALUES(?, ?)",
                   ((store.erased_hash(b"r", request), store.now) for request in requests))
        for table in "early", "events":
            store.many("DELETE FROM %s WHERE request = ?" % table, ((pack_name(request),) for request in requests))
        clients += [number for number, in store.sql("SELECT DISTINCT client FROM answers WHERE round IN gone")]
        done.answers = store.sql("DELETE FROM answers WHERE round IN gone").rowcount
        done.rounds = store.sql("DELETE FROM rounds WHERE id IN gone").rowcount
        store.sql("DELETE FROM doubled WHERE round IN gone")
        forget_daily(store, wanted, done)
        Lists(store).drop()  # also whole lists that stayed for others, and that no round had any more
        store.many("DELETE FROM clients WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM answers WHERE client = ?1) AND "
                   "NOT EXISTS (SELECT 1 FROM early WHERE client = ?1) AND NOT EXISTS (SELECT 1 FROM events WHERE client = ?1)",
                   ((number,) for number in clients))
        forget_quarantine(store, wanted, requests)


def forget_daily(store, wanted, done):
    """Deletes the counts of queries, whose rounds may have gone before; of hashes up to the day on which they were erased,
    but for rounds that came after."""
    known = store.sql("SELECT qid, id FROM queries").fetchall()
    for what, names in wanted:
        if what == "queries":
            store.many("DELETE FROM daily WHERE query = ?", [(number,) for qid, number in known if qid in names])
            there = {qid for qid, _ in known}
            done.missing = [each for each in done.missing if each[0] != what or each[1] not in there]
        elif what == "hashes":
            for qid, number in known:
                day = store.erased.get(store.erased_hash(b"q", qid), -1) // DAY
                if day >= 0:
                    store.sql("DELETE FROM daily WHERE query = ? AND day <= ?", (number, day))
                    daily.count_rounds(store, 1, "l.qid = ? AND r.time < ?", values=(qid, (day + 1) * DAY))
    daily.tidy(store)


def forget_quarantine(store, wanted, requests):
    """Deletes what has one of the names, or may: a text that was cut or escaped; of hashes, all."""
    given = [name.decode("utf-8", "replace") for _, names in wanted for name in names]
    words = {request.decode("utf-8", "replace") for request in requests}
    for hash_, source, why in store.sql("SELECT hash, source, why FROM quarantine").fetchall():
        said = source + " " + why
        is_cut = max(len(source), len(why)) >= 200 or any(len(word) >= 60 for word in said.split())
        if is_cut or not {"\\", "?", "\ufffd"}.isdisjoint(said) or any(name in said for name in given) or \
                wanted[0][0] == "hashes" or not words.isdisjoint(said.replace(":", " ").replace("=", " ").split()):
            store.sql("DELETE FROM quarantine WHERE hash = ?", (hash_,))


# ---- files ----


def replace(path, parts, status):
    """Replaces a file by its folder's descriptor, which no link can lead elsewhere."""
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    name = os.path.basename(path)
    fresh = ".%s.new" % name[:200]
    try:
        try:
            os.unlink(fresh, dir_fd=folder)
        except FileNotFoundError:
            pass
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
        with open(fd, "wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fchmod(fd, status.st_mode & 0o777)
            os.fsync(fd)
        os.rename(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
        os.fsync(folder)
    finally:
        os.close(folder)


def filler(line, size):
    """A record of the same length with the number of the one that was erased; readers pass it over."""
    import rankpipe
    t = split(line)[0] or b"1"
    for mark in b"1", b"11", b"111":
        head = b"rankpipe/1 round crc=00000000 t=%b x-erased=%b cols=none:u1[%d] bytes=%d\n"
        for n in range(max(0, size - len(head) - 24), size):
            data = head % (t, mark, n, n) + bytes(n)
            if len(data) == size:
                crc = b"%08x" % rankpipe.crc32c(data)
                return data[:21] + crc + data[29:]
            if len(data) > size:
                break
    raise Failed("a record of %d bytes cannot be erased" % size)


def is_erased(store, when, line, payload):
    """Was a round erased? when: the time at which a name of a kind was, or -1."""
    _, qid, request, then, rest = split(line)
    if request and when(b"r", request) >= 0:
        return True
    then = int(then) if then and then.isdigit() else 0
    if qid and any(when(b"q", word) >= then for word in {qid, store.folded(qid)}):
        return True
    return any(when(b"d", name) >= then for name in names_of(rest.partition(b" cols=")[2], payload))


def rewrite_log(store, path, when):
    """Puts fillers in the places of erased rounds, in a new file."""
    with open_transit(path) as file:
        status = os.fstat(file.fileno())
        with subprocess.Popen(["salvage"], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              bufsize=1 << 18) as salvage:
            found = any(is_erased(store, when, *each) for each in records_of(salvage.stdout))
            for _ in iter(lambda: salvage.stdout.read(1 << 18), b""):
                pass
        if not found and salvage.returncode != 3:
            return

        def parts():
            file.seek(0)
            n = 0
            with subprocess.Popen(["salvage"], stdin=file, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, bufsize=1 << 18) as salvage:
                for line, payload in records_of(salvage.stdout):
                    n += 1
                    data = line + payload
                    yield filler(line, len(data)) if is_erased(store, when, line, payload) else data
            yield end_of(n)
        replace(path, parts(), status)


def rewrite_answers(store, path, when):
    """Leaves out the lines of erased requests and clients, and keeps the place up to which lines were read. Front ends,
    which hold a shared lock while they append, begin a new file when they see that this one was replaced."""
    def stays(line):
        return not any(when(b"r", word) >= 0 or word.startswith(b"client=") and when(b"c", word[7:]) >= 0 or
                       word.startswith(b"item=") and when(b"d", word[5:]) >= 0 for word in line.split())

    with open_transit(path) as file:
        if not wait_for_lock(file, fcntl.LOCK_EX, 60):
            raise Failed("%s: a front end has held it for a minute: the next run goes on with the erasure" % path)
        if all(map(stays, file)):
            return
        file.seek(0)
        place = store.sql("SELECT bytes, first FROM transit WHERE path = ? AND mark = ?", (
            path, mark_of_line(file.readline(4096)))).fetchone() or (0, 0)
        file.seek(0)
        fresh, mark = [0, 0], []

        def parts():
            at = 0
            for line in file:
                at += len(line)
                if stays(line):
                    mark[:] = mark or [mark_of_line(line)]
                    fresh[:] = [n + len(line) * (at <= until) for n, until in zip(fresh, place)]
                    yield line
        with store:
            replace(path, parts(), os.fstat(file.fileno()))
            store.sql("UPDATE transit SET mark = ?, bytes = ?, first = ? WHERE path = ?", (*(mark or [None]), *fresh, path))
