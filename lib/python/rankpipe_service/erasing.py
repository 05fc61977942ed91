"""erasing: removes requests, queries, documents or clients, so that no file of the folder has a trace.

First the names go into the database, so that a run that was killed is resumed. Of what was erased hashes
under the key of the service stay: by them a late copy is recognised.
"""
# SPDX-License-Identifier: ISC

import fcntl
import json
import os
import re
import shutil
import subprocess
import time

from rankpipe_service import generations, hosts, learning
from rankpipe_service.intake import SPOOLED, Intake, files_below, open_transit, records_of
from rankpipe_service.lists import Lists
from rankpipe_service.records import names_of, name_of, pack_name, split
from rankpipe_service.store import Failed, say, sync

KINDS = {"requests": b"r", "queries": b"q", "documents": b"d", "clients": b"c"}
OPEN = re.compile(r"(.+)\.\d{16}\.open")
PATIENCE = 600  # seconds for spool to finish a file


def erase(store, what, names):
    """Erases names (bytes); all of it has happened when it returns. (rounds, answers)"""
    if not names or any(not name or re.search(rb"[\s\x00-\x1f]", name) for name in names
                        if what != "documents") or b"" in names:
        raise Failed("not names of %s: %r" % (what, names))
    if store.set.get("erasing"):
        resume(store)
    with store:
        for name in names:
            store.sql("INSERT OR REPLACE INTO erased VALUES(?, ?)",
                      (store.erased_hash(KINDS[what], name), store.now))
        store.put(erasing=json.dumps([what, [name.decode("utf-8", "surrogateescape") for name in names]],
                                     ensure_ascii=True))
    store.erased = dict(store.sql("SELECT * FROM erased"))
    return resume(store)


def resume(store):
    """Does what is left of the erasure that has begun. (rounds, answers)"""
    what, names = json.loads(store.set["erasing"])
    names = [name.encode("utf-8", "surrogateescape") for name in names]
    wait_for_spool()
    Intake(store).all()
    rounds, answers = erase_rows(store, what, set(names))
    if store.set.get("erasing_model"):
        learning.rebuild(store, erasing=True)
    generations.publish(store)
    generations.clean(store, others=True)
    store.erased = dict(store.sql("SELECT * FROM erased"))
    for path in files_below("log"):
        if SPOOLED.fullmatch(os.path.basename(path)):
            rewrite_log(store, path)
        elif path.endswith(".index"):  # of an older spool: it has requests
            os.unlink(path)
    for path in files_below("answers"):
        rewrite_answers(store, path)
    hosts.forget()
    for name in "older", "report.html":
        if os.path.isdir(name):
            shutil.rmtree(name)
        elif os.path.exists(name):
            os.unlink(name)
    with store:
        store.put(erasing=None, erasing_model=None)
    if store.sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        raise Failed("another program reads service.db, so service.db-wal still has what was erased: "
                     "run this again when it has ended")
    for host in store["hosts"].split():
        say("not reached: the log and the answers on %s, and backups there" % host)
    say("not reached: backups of this folder, and journals of front ends")
    return rounds, answers


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


def rounds_of(store, what, names):
    """The numbers of the rounds that have one of the names."""
    if what == "requests":
        return [number for number in (store.one("SELECT id FROM rounds WHERE request = ?", pack_name(name))
                                      for name in names) if number is not None]
    if what == "clients":
        return [number for name in names for number, in store.sql(
            "SELECT round FROM answers WHERE client = (SELECT id FROM clients WHERE word = ?)",
            (name.decode("utf-8", "replace"),))]
    packed = Lists(store)
    lists = [number for number, qid, columns, *fields in store.sql(
        "SELECT id, qid, columns, docs, data, whole FROM lists") if (
            qid in names if what == "queries" else not names.isdisjoint(
                names_of(columns, packed.data(columns, *fields))))]
    store.sql("CREATE TEMP TABLE IF NOT EXISTS gone(list INTEGER PRIMARY KEY)")
    store.sql("DELETE FROM gone")
    store.many("INSERT INTO gone VALUES(?)", ((number,) for number in lists))
    return [number for number, in store.sql("SELECT id FROM rounds WHERE list IN (SELECT list FROM gone)")]


def erase_rows(store, what, names):
    """Deletes rounds, their answers, and what nothing refers to any more. (rounds, answers)"""
    with store:
        numbers = rounds_of(store, what, names)
        requests, answers = set(names) if what == "requests" else set(), 0
        for number in numbers:
            requests.add(name_of(store.one("SELECT request FROM rounds WHERE id = ?", number)).encode())
            answers += store.sql("DELETE FROM answers WHERE round = ?", (number,)).rowcount
            store.sql("DELETE FROM rounds WHERE id = ?", (number,))
            store.sql("DELETE FROM doubled WHERE round = ?", (number,))
        for request in requests:
            store.sql("INSERT OR REPLACE INTO erased VALUES(?, ?)",
                      (store.erased_hash(b"r", request), store.now))
            store.sql("DELETE FROM early WHERE request = ?", (pack_name(request),))
        if what == "clients":
            for name in names:
                store.sql("DELETE FROM early WHERE client = (SELECT id FROM clients WHERE word = ?)",
                          (name.decode("utf-8", "replace"),))
        Lists(store).drop()
        store.sql("DELETE FROM clients WHERE id NOT IN (SELECT client FROM answers WHERE client IS NOT NULL "
                  "UNION SELECT client FROM early WHERE client IS NOT NULL)")
        forget_quarantine(store, names, requests)
        if answers:
            store.put(erasing_model=1)
    return len(numbers), answers


def forget_quarantine(store, names, requests):
    given = [name.decode("utf-8", "replace") for name in names]
    words = {request.decode("utf-8", "replace") for request in requests}
    for hash_, source, why in store.sql("SELECT hash, source, why FROM quarantine").fetchall():
        said = source + " " + why
        if any(name in said for name in given) or not words.isdisjoint(re.split(r"[\s:=\\]+", said)):
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
    """A record of the same length with the number of the one that was erased; spool -r passes it over."""
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


def is_erased(store, line, payload):
    from rankpipe_service.records import Shape, Wrong
    _, qid, request, when, rest = split(line)
    known, hash_ = store.erased, store.erased_hash
    if request and hash_(b"r", request) in known:
        return True
    names = [hash_(b"q", word) for word in {qid, store.folded(qid)}] if qid else []
    try:
        columns = Shape._columns(dict(word.partition(b"=")[::2] for word in rest.split()).get(b"cols", b""))
        if b"name" in columns:
            names += [hash_(b"d", name) for name in payload[columns[b"name"][1]].split(b"\0")[:-1]]
    except (Wrong, ValueError):
        pass
    when = int(when) if when and when.isdigit() else 0
    return any(known.get(name, -1) >= when for name in names)


def rewrite_log(store, path):
    """Puts fillers in the places of erased rounds, in a new file."""
    with open_transit(path) as file:
        status = os.fstat(file.fileno())
        with subprocess.Popen(["salvage"], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              bufsize=1 << 18) as salvage:
            found = any(is_erased(store, *each) for each in records_of(salvage.stdout))
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
                    yield filler(line, len(data)) if is_erased(store, line, payload) else data
            yield learning.end_of(n)
        replace(path, parts(), status)


def rewrite_answers(store, path):
    """Leaves out the lines of erased requests and clients. Front ends, which hold a shared lock while
    they append, begin a new file when they see that this one was replaced."""
    known, hash_ = store.erased, store.erased_hash

    def stays(line):
        words = line.split()
        return not any(hash_(b"r", word) in known or word.startswith(b"client=") and
                       hash_(b"c", word[7:]) in known for word in words)

    with open_transit(path) as file:
        lock(file, path)
        if all(map(stays, file)):
            return
        file.seek(0)
        replace(path, filter(stays, file), os.fstat(file.fileno()))
    with store:
        store.sql("DELETE FROM transit WHERE path = ?", (path,))


def lock(file, path):
    for _ in range(600):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(0.1)
    raise Failed("%s: a front end has held it for a minute: the next run goes on with the erasure" % path)
