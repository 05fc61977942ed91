"""backup: copies of the database while the service runs, and a service again from one of them.

A backup is one step of SQLite's backup API, so it holds one state whatever runs commit meanwhile. Restoring sets
aside in lost-TIME what it replaces; nothing is deleted.
"""
# SPDX-License-Identifier: ISC

import contextlib
import fcntl
import json
import os
import sqlite3
import time
from urllib.parse import quote

from rankpipe_service import DAY, Failed, generations, say
from rankpipe_service.intake import SPOOLED, files_below
from rankpipe_service.store import SCHEMAS, VERSION, copy_database, sync, wait_for_lock

SQLITE = b"SQLite format 3\0"  # how databases begin
FILES = "service.db-wal", "service.db-shm", "service.db"
NEW = ".restored.part"  # a name that parts_in finds, so that what a killed one leaves goes


@contextlib.contextmanager
def beside(how, why):
    """While backups (LOCK_SH) run there is no erasure (LOCK_EX), and the other way round."""
    fd = os.open("backup.lock", os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    try:
        if os.fstat(fd).st_uid == os.geteuid():  # another account may back up, too
            os.fchmod(fd, 0o644)
        if not wait_for_lock(fd, how, 600):
            raise Failed(why)
        yield
    finally:
        os.close(fd)


def connect(path):
    """A database that is only read. Without a -wal beside it, nothing is made beside it either."""
    wal = path + "-wal"
    form = "ro" if os.path.exists(wal) and os.stat(wal).st_size else "ro&immutable=1"
    return sqlite3.connect("file:%s?mode=%s" % (quote(os.fsencode(os.path.abspath(path))), form), uri=True,
                           isolation_level=None)


def held(db):
    """What a database holds, in words."""
    n, newest = db.execute("SELECT count(*), max(time) FROM answers").fetchone()
    return "%d answers%s, generation %s" % (
        n, ", the newest of %s" % generations.iso(newest) if newest else "",
        db.execute("SELECT value FROM settings WHERE name = 'newest'").fetchone()[0])


def backup(store, path, replaces):
    """Copies the database to a file, whole while runs go on. What it holds, in words."""
    if os.path.realpath(path) in map(os.path.realpath, FILES):
        raise Failed("%s is the database itself: name another file" % path)
    if os.path.isdir(path) or not os.path.isdir(os.path.dirname(path) or "."):
        raise Failed("%s is %s: name a file in a folder that exists" % (
            path, "a folder" if os.path.isdir(path) else "in a folder that does not exist"))
    if os.path.relpath(os.path.realpath(path)).partition("/")[0] in ("models", "log", "answers"):
        raise Failed("%s is where the service keeps its own files: name another folder" % path)
    if os.path.isfile(path) and replaces:
        with open(path, "rb") as file:
            if file.read(len(SQLITE)) not in (SQLITE, b""):
                raise Failed("%s is no backup, so it is not replaced: name another file" % path)
    if os.path.lexists(path) and not replaces:
        raise Failed("%s exists: name a file that does not, or give -f" % path)
    with beside(fcntl.LOCK_SH, "an erasure has run for ten minutes: try again when it has ended"):
        copy_database(store.db, path)
    with contextlib.closing(connect(path)) as copy:
        return held(copy)


# ---- restoring ----


def checked(path):
    """Copies a backup to the file NEW, and opens it, if it is whole and a service's."""
    if not os.path.isfile(path):
        raise Failed("%s: no such file" % path)
    try:
        with contextlib.closing(connect(path)) as source:
            version = source.execute("PRAGMA user_version").fetchone()[0]
            if version > VERSION:
                raise Failed("%s: a newer version made it: upgrade first" % path)
            made = sqlite3.connect(":memory:")
            made.executescript(";".join(SCHEMAS[:version]))
            for table, in made.execute("SELECT name FROM sqlite_master WHERE type = 'table'"):
                form = "SELECT name FROM pragma_table_info(?)"
                if source.execute(form, (table,)).fetchall() != made.execute(form, (table,)).fetchall():
                    raise Failed("%s: it has another table %s than a service" % (path, table))
            if not version or source.execute("SELECT count(*) FROM generations").fetchone()[0] == 0:
                raise Failed("%s: it has no generation, so it is no backup of a service" % path)
            copy_database(source, NEW)
        db = sqlite3.connect(NEW, isolation_level=None)
        db.execute("PRAGMA journal_mode=MEMORY")
        wrong = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        wrong = error
    if wrong != "ok":
        if os.path.exists(NEW):
            os.unlink(NEW)
        raise Failed("%s: it is damaged, so nothing has changed: %s" % (path, wrong))
    return db


def erasures(db):
    """What was erased since a backup, by the database that it replaces: {hash: time}. None: that cannot be read, or is
    another service's."""
    if not os.path.exists("service.db"):
        return None
    key = "SELECT value FROM settings WHERE name = 'key'"
    try:
        with contextlib.closing(connect("service.db")) as old:
            if old.execute(key).fetchone() != db.execute(key).fetchone():
                return None
            known = dict(db.execute("SELECT * FROM erased"))
            pending = old.execute("SELECT value FROM settings WHERE name = 'erasing'").fetchone()
            if pending and pending[0]:
                say("an erasure had not ended in service.db, and is done now")
            return {hash_: when for hash_, when in old.execute("SELECT * FROM erased") if known.get(hash_) != when}
    except sqlite3.Error:
        return None


def keep_models(db):
    """Forgets, in a copy, generations whose models are not there, but the newest. Names of the files that stay."""
    kept, newest = set(), db.execute("SELECT value FROM settings WHERE name = 'newest'").fetchone()[0]
    for number, size, digest in db.execute("SELECT id, bytes, hash FROM generations").fetchall():
        path = generations.path_of(number)
        if generations.is_as(number, size, digest):
            kept.update({"%d.bin" % number, generations.whole_of(path)} - {None})
        elif number != newest:
            db.execute("DELETE FROM generations WHERE id = ?", (number,))
            db.execute("DELETE FROM tally WHERE generation = ? AND hour = 0", (number,))
            db.execute("UPDATE settings SET value = NULL WHERE name IN ('pin', 'using', 'kept') AND value = ?", (number,))
            db.execute("UPDATE settings SET value = NULL WHERE name = 'comparing' AND value LIKE ?", (
                '{"champion": %d,%%' % number,))
    return kept


def set_aside(kept):
    """Moves the database and the models that are not kept to a new folder, whose name it returns; None: there were none."""
    there = [name for name in FILES if os.path.lexists(name)]
    there += ["models/" + name for name in sorted(os.listdir("models")) if name not in kept]
    own = {os.stat("models/" + name).st_ino for name in os.listdir("models")}
    linked = ["w.bin"] if os.path.isfile("w.bin") and os.stat("w.bin").st_ino not in own else []
    if not there and not linked:
        return None
    folder = time.strftime("lost-%Y%m%dT%H%M%SZ", time.gmtime())
    while os.path.lexists(folder):
        folder += "+"
    os.mkdir(folder, 0o700)
    os.mkdir(folder + "/models")
    for name in linked:  # serve goes on reading it
        os.link(name, folder + "/" + name)
    for name in there:
        os.rename(name, folder + "/" + name)
    for name in "models", folder + "/models", folder, ".":
        sync(name)
    return folder


def restore(path):
    """Puts a backup in the place of the database, under the lock. What is to be done then, erasures and a model, each
    run does that begins. What to say of it, in lines."""
    db = checked(path)
    erased = erasures(db)
    db.execute("BEGIN")
    if erased:
        db.executemany("INSERT OR REPLACE INTO erased VALUES(?, ?)", erased.items())
        pending = json.loads(dict(db.execute("SELECT * FROM settings")).get("erasing") or "[]")
        db.execute("INSERT OR REPLACE INTO settings VALUES('erasing', ?)", (
            json.dumps([*pending, ["hashes", [hash_.hex() for hash_ in erased]]]),))
    kept = keep_models(db)
    db.execute("COMMIT")
    said = [held(db)]
    db.close()
    folder = set_aside(kept)
    os.chmod(NEW, 0o640)
    os.rename(NEW, "service.db")
    sync(".")
    if folder:
        said.append("what was there is in %s" % folder)
    if erased is None:
        said.append("erasures after this backup are not known: repeat them")
    return said


def lost(store):
    """From when to when answers are lost, in words: those to rounds whose files of the log are gone."""
    since, read, first, until = store.set.get("run") or store["made"], {}, {}, 0
    known, there = dict(store.sql("SELECT path, time FROM transit")), set(files_below("log"))
    for path in sorted(there | known.keys()):
        found = SPOOLED.fullmatch(path)
        if found and path in known:
            read[found[1]] = int(path[-20:-4])
        elif found:
            first.setdefault(found[1], path)
        elif not found and not os.path.exists(path) and known[path] > since - DAY:
            until = store.now
    for log in read.keys() | first.keys():
        if log in first and int(first[log][-37:-21]) > read.get(log, 0) + 1:
            until = max(until, int(os.stat(first[log]).st_mtime * 1000))
        elif log not in first and not any(path.startswith(log + ".") for path in there):
            until = store.now
    if not until:
        return "no answers are lost: log and answers have what came since"
    return "answers from %s to %s are lost" % (generations.iso(since), generations.iso(until))
