"""store: what the learner of a ranking service knows, in one SQLite database, service.db.

Each record has a key: a round its request, a list the hash of its content, a bad line its own hash. So
what is read twice is kept once, and places in files only save time. A generation is committed in the
transaction that says which answers it has learnt.
"""
# SPDX-License-Identifier: ISC

import errno
import fcntl
import hashlib
import os
import re
import shlex
import sqlite3
import sys
import time

import rankpipe
from rankpipe_front import shown
from rankpipe_service import DAY, Failed, daily, events, say
from rankpipe_service.records import first_click

# one for each version, which makes what the one before lacks
SCHEMAS = ("""
CREATE TABLE settings(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE lists(id INTEGER PRIMARY KEY, hash BLOB UNIQUE, qid BLOB, head BLOB, columns BLOB,
    docs INT, dim INT, data BLOB);
CREATE TABLE hows(id INTEGER PRIMARY KEY, how BLOB UNIQUE, chance INT);
CREATE TABLE rounds(id INTEGER PRIMARY KEY, request UNIQUE, time INT, list INT, how INT, shown BLOB);
CREATE TABLE clients(id INTEGER PRIMARY KEY, word TEXT UNIQUE);
-- of rounds that are known. state: pending, counts, set aside, unused, beyond. seq: its place among what was
-- learnt. aside: the generation that set it aside, 0: going back did
CREATE TABLE answers(round INTEGER PRIMARY KEY, time INT, client INT, seen BLOB, state INT, seq INT,
    aside INT);
CREATE INDEX pending ON answers(time) WHERE state = 0;
CREATE UNIQUE INDEX learnt ON answers(seq) WHERE seq IS NOT NULL;
CREATE INDEX said ON answers(client, time) WHERE client IS NOT NULL;
CREATE TABLE early(request PRIMARY KEY, time INT, client INT, seen BLOB) WITHOUT ROWID;
CREATE TABLE doubled(round INTEGER PRIMARY KEY, time INT); -- a second round of its request, so dated
CREATE TABLE quarantine(hash BLOB PRIMARY KEY, time INT, what TEXT, source TEXT, why TEXT) WITHOUT ROWID;
CREATE TABLE counts(what TEXT PRIMARY KEY, n INT) WITHOUT ROWID;
-- files that were read: as they were then, how far, and when
CREATE TABLE transit(path TEXT PRIMARY KEY, mark BLOB, bytes INT, time INT) WITHOUT ROWID;
-- words: of update. last: the place of the last answer that it has learnt, NULL: nothing goes back to it
CREATE TABLE generations(id INTEGER PRIMARY KEY, time INT, words TEXT, last INT, bytes INT, hash BLOB);
CREATE TABLE uses(time INT PRIMARY KEY, generation INT) WITHOUT ROWID; -- what was in use from then on
CREATE TABLE erased(hash BLOB PRIMARY KEY, time INT) WITHOUT ROWID;
-- hour 0: of all time, or of a generation. place 0: of whole lists, whose n are answers
CREATE TABLE tally(hour INT, generation INT, chance INT, place INT, n INT, clicks INT, relevance REAL,
    delay REAL, PRIMARY KEY(hour, generation, chance, place)) WITHOUT ROWID;
CREATE TABLE hours(hour INTEGER PRIMARY KEY, rounds INT, answered INT);
-- of each run that learnt: contrasts of its answers by client, n and their sums (module status)
CREATE TABLE runs(id INTEGER PRIMARY KEY, time INT, answers INT, n INT, total REAL, clusters INT,
    sums REAL, cross REAL, sizes REAL);
""", """
-- learnt: how many answers it has learnt. root: the first of those that it goes on from, NULL where not all
-- that it has learnt is here any more
ALTER TABLE generations ADD COLUMN learnt INT;
ALTER TABLE generations ADD COLUMN root INT;
UPDATE generations SET learnt = last;
CREATE TABLE made(generation INTEGER PRIMARY KEY); -- whose files in models/ are its own
INSERT INTO made SELECT id FROM generations;
-- a day (UTC) on which a run ended well, and when its first one did (module clock). day: the row on which something was
-- taken in
CREATE TABLE days(id INTEGER PRIMARY KEY, date INT UNIQUE, time INT);
INSERT INTO days(date, time) SELECT hour / 24, min(hour) * 3600000 FROM hours
    WHERE hour <= strftime('%s', 'now') / 3600 GROUP BY 1 ORDER BY 1;
ALTER TABLE rounds ADD COLUMN day INT;
ALTER TABLE answers ADD COLUMN day INT;
ALTER TABLE early ADD COLUMN day INT;
ALTER TABLE quarantine ADD COLUMN day INT;
UPDATE rounds SET day = coalesce((SELECT max(id) FROM days WHERE date <= rounds.time / 86400000), 0);
UPDATE answers SET day = coalesce((SELECT max(id) FROM days WHERE date <= answers.time / 86400000), 0);
UPDATE early SET day = coalesce((SELECT max(id) FROM days WHERE date <= early.time / 86400000), 0);
UPDATE quarantine SET day = coalesce((SELECT max(id) FROM days WHERE date <= quarantine.time / 86400000), 0);
ALTER TABLE lists ADD COLUMN whole INT; -- the list that it is compressed with (module lists)
CREATE INDEX wholes ON lists(qid) WHERE whole IS NULL;
CREATE INDEX needing ON lists(whole) WHERE whole IS NOT NULL;
-- of what is ahead of the clock in a file: when the earliest is due, where the first one is, the row since when
ALTER TABLE transit ADD COLUMN due INT;
ALTER TABLE transit ADD COLUMN first INT;
ALTER TABLE transit ADD COLUMN since INT;
UPDATE transit SET first = 0, since = coalesce((SELECT max(id) FROM days WHERE date <= transit.time / 86400000), 0);
""", """
-- what answers/ says of a request (module events). client 0: not known. item: a name, a place, or the clicks of an answer.
-- shown 0: not said. state: open, merged, late, refused
CREATE TABLE events(request, time INT, client INT, type TEXT, item, shown INT, day INT, state INT,
    PRIMARY KEY(request, time, client, type, item, shown)) WITHOUT ROWID;
CREATE INDEX settling ON events(request) WHERE state = 0;
CREATE INDEX done ON events(client, time);
CREATE TABLE happened(hour INT, type TEXT, n INT DEFAULT 0, late INT DEFAULT 0, PRIMARY KEY(hour, type)) WITHOUT ROWID;
-- by day (UTC, of the round) and query: rounds, those with a click, the sum of the places of their first clicks, and the same
-- of rounds that show both orders (module daily). The number of a query never becomes another's. list: its newest one
CREATE TABLE queries(id INTEGER PRIMARY KEY AUTOINCREMENT, qid BLOB UNIQUE, list INT);
CREATE TABLE daily(day INT, query INT, rounds INT, clicked INT, places INT, own INT, own_clicked INT,
    PRIMARY KEY(day, query)) WITHOUT ROWID;
ALTER TABLE answers ADD COLUMN won INT; -- of a round that shows both: 1 where the learnt order won it, -1 where base did, or 0
CREATE INDEX own ON answers(round) WHERE won IS NOT NULL;
""")
VERSION = len(SCHEMAS)

# name: (default, kind, environment variable of the first run, what it is)
SETTINGS = {
    "update": ("", "text", "UPDATE", "options of update"),
    "wait": (1800, "seconds", "WAIT", "an answer counts so long after its round"),
    "delay": (None, "seconds", "DELAY", "an answer may take so long to get here"),
    "settle": (None, "seconds", None, "what is said of a page so long after its first click is one answer"),
    "events": ("click=1,back=.2,basket=1,order=1", "text", None, "what they are worth"),
    "grade": (4.0, "number", "GRADE", "a relevance above it is not believed"),
    "test": ("", "text", "TEST", "file of judged queries, which a new model must rank"),
    "least": (0.0, "number", "LEAST", "NDCG@10 that it must have there"),
    "voice": (1, "count", None, "answers of a client for a query that count in a day; 0: any number"),
    "clients": (3, "count", None, "memory keeps a query's documents near the engine's order until so many answered"),
    "pairs": (2000000, "count", None, "pairs of query and document that memory keeps"),
    "chosen": (0, "count", None, "documents of a query that users chose, which chosen.db names; 0: it is not written"),
    "gate": ("off", "on or off", None, "a new generation serves only once it won a test against the one in use"),
    "hosts": ("", "text", "HOSTS", "other machines with a log and answers"),
    "at": (":/var/lib/rank", "text", "AT", "what follows the name of a machine: the folder there"),
    "host-seconds": (20, "seconds", None, "a run waits so long for a machine, and when it has ended as long again"),
    "features": (None, "count", None, "features of a document; not set: those of most requests"),
    "base": (None, "on or off", None, "documents come in a search engine's order; not set: not known"),
    "retain": (4200, "seconds", None, "files that were read are kept so long"),
    "megabytes": (1024, "count", None, "disk space of generations"),
    "days": (400, "days", None, "answers and their lists are kept so long"),
    "unanswered-days": (30, "days", None, "rounds without an answer are kept so long"),
    "quarantine-days": (30, "days", None, "the quarantine is kept so long"),
    "health": (600, "seconds", None, "health fails so long after the last run that ended well"),
    "pin": (None, "count", None, "generation that serves, whatever is learnt; by pin and unpin"),
}
OLD_WORD = re.compile(rb"~[0-9A-F]{2}")  # what words of queries have for a blank in version 0.4.0
MARGIN = 600  # seconds of retain above wait + settle + delay


def number_of(name, value, kind):
    if kind == "text" or kind == "on or off" and value in ("on", "off"):
        return str(value)
    if kind == "on or off":
        raise Failed("%s: neither on nor off: %r" % (name, value))
    try:
        number = float(value) if kind == "number" else int(value)
        if 0 <= number <= 1 << 40 and not (kind == "count" and name == "features" and number > 1 << 31):
            return number
    except ValueError:
        pass
    raise Failed("%s: not a number%s: %r" % (name, "" if kind == "number" else " of " + {
        "count": name}.get(kind, kind), value))


class Store:
    """The open database of a folder, which is the working folder from then on.

    With `locks`, no other program that changes it runs meanwhile, and it is made if there is none; the lock may have
    been taken before.
    """

    def __init__(self, locks=True, lock=None):
        if locks:
            self.check_owner()
            for folder in "log", "answers", "models":
                os.makedirs(folder, exist_ok=True)
            self.lock = self.take_lock() if lock is None else lock
        elif not os.path.exists("service.db"):
            raise Failed("no service.db here: run it in the folder of a service, after its first run")
        self.now = int(time.time() * 1000)
        self.db = sqlite3.connect("service.db" if locks else "file:service.db?mode=rw",
                                  isolation_level=None, uri=not locks, timeout=60)
        self.sql, self.many = self.db.execute, self.db.executemany
        self.db.create_function("first_click", 1, first_click)
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON",
                       "cache_size=-16384", "temp_store=FILE"):
            self.sql("PRAGMA " + pragma)
        version = self.one("PRAGMA user_version")
        if version > VERSION:
            raise Failed("service.db: a newer version made it: upgrade first")
        if version < VERSION and not locks:
            raise Failed("service.db is of version %d, not %d: the next run upgrades it: rankpipe service learn" % (
                version, VERSION))
        if version < VERSION:
            self._upgrade(version)
        self.set = dict(self.sql("SELECT * FROM settings"))
        self.erased = dict(self.sql("SELECT * FROM erased"))
        self.day = self.one("SELECT id FROM days WHERE date = ?", self.now // DAY) or self.one(
            "SELECT coalesce(max(id), 0) + 1 FROM days")  # the row of today, or the next one

    def _upgrade(self, version):
        """Makes all tables, or what those of an older version lack, after a copy of these: in one transaction."""
        if version:
            copy_database(self.db, "service.db.v%d" % version)
        self.sql("BEGIN IMMEDIATE")
        for statement in ";".join(SCHEMAS[version:]).split(";"):
            self.sql(statement)
        self.sql("PRAGMA user_version=%d" % VERSION)
        if 0 < version < 3:
            self.set = dict(self.sql("SELECT * FROM settings"))
            self.put(whole=self.cutoff(self["unanswered-days"]) // DAY)  # before that rounds without an answer are gone
            daily.recount(self, self.set["whole"])
        if not version:
            self.put(made=self.now, key=os.urandom(16), seed=int.from_bytes(os.urandom(6), "big"), newest=None,
                     generations=0)
        self.sql("COMMIT")
        if version:
            say("service.db is of version %d now; service.db.v%d has it as it was" % (VERSION, version))

    @staticmethod
    def check_owner():
        if os.stat(".").st_uid != os.geteuid():
            raise Failed("run it as the account of the service, which owns this folder")

    @staticmethod
    def take_lock():
        """The lock. Says after two seconds who holds it, and gives up after ten minutes."""
        lock = os.open("service.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o640)
        for i in range(6000):
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.ftruncate(lock, 0)
                os.pwrite(lock, b"%s, process %d, since %s" % (
                    os.fsencode(sys.argv[1]) if sys.argv[1:] else b"?", os.getpid(),
                    time.strftime("%Y-%m-%dT%H:%M:%S%z").encode()), 0)
                return lock
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.EACCES):
                    raise
            holder = ascii(os.pread(lock, 100, 0).decode("ascii", "replace"))[1:-1]
            if i == 20:
                say("waits for another run, which has service.lock: %s" % holder)
            time.sleep(0.1)
        raise Failed("another run has held service.lock for ten minutes: %s" % holder)

    def close(self):
        """Lets another run begin."""
        self.db.close()
        os.close(self.lock)

    def one(self, sql, *values):
        """The first value of the first row, or None."""
        return (self.sql(sql, values).fetchone() or (None,))[0]

    def __enter__(self):
        self.sql("BEGIN IMMEDIATE")
        return self

    def __exit__(self, kind, value, trace):
        self.sql("ROLLBACK" if kind else "COMMIT")
        if kind:
            self.set = dict(self.sql("SELECT * FROM settings"))

    # ---- settings ----

    def put(self, **values):
        self.many("INSERT OR REPLACE INTO settings VALUES(?, ?)", values.items())
        if hasattr(self, "set"):
            self.set.update(values)

    def __getitem__(self, name):
        value = self.set.get(name)
        if value is None and name == "delay":
            return 60 if self["hosts"] else 0
        if value is None and name == "settle":
            return min(20, self["wait"])
        return SETTINGS[name][0] if value is None and name in SETTINGS else value

    def features_limit(self):
        """The most features that a document may have: None while their number is not known, or is a guess."""
        return None if self.set.get("guessed") else self["features"]

    def checked(self, name, value):
        """The value of a setting, from text. Raises Failed."""
        if name not in SETTINGS or name == "pin":
            raise Failed("no setting %r: they are %s" % (name, ", ".join(sorted(SETTINGS.keys() - {"pin"}))))
        value = number_of(name, value, SETTINGS[name][1])
        if name == "clients" and value > 4:
            raise Failed("clients: not a whole number from 0 to 4: %r" % value)
        if name == "pairs" and value == 0:
            raise Failed("pairs: memory keeps at least one pair: set a number above 0")
        for host in value.split() if name == "hosts" else ():
            if host.startswith("-") or not host.isprintable() or "/" in host or host in (".", ".."):
                raise Failed("hosts: not the name of a machine: %r" % host)
        if name == "events":
            events.worth_of(value)
        wait, settle, delay, retain = (value if name == each else self[each] for each in ("wait", "settle", "delay", "retain"))
        if settle > wait and self.set.get("settle", name == "settle" or None) is not None:
            raise Failed("settle=%d is above wait=%d, and what comes after that does not count: set %s first" % (
                settle, wait, "wait" if name == "settle" else "settle"))
        if retain < wait + settle + delay + MARGIN:
            raise Failed("retain=%d is below wait=%d + settle=%d + delay=%d + %d seconds, so rounds would go before "
                         "their answers: set %s first" % (
                             retain, wait, settle, delay, MARGIN, "retain" if name != "retain" else "wait"))
        return value

    def take_variables(self, is_run):
        """The first run takes settings from the environment. Later they must agree."""
        taken = self.set.get("taken")
        given = {name: os.environ[row[2]] for name, row in SETTINGS.items()
                 if row[2] and os.environ.get(row[2], "") != ""}
        wrong = {name: value for name, value in given.items() if taken and number_of(
            name, value, SETTINGS[name][1]) != self[name]}
        for name, value in wrong.items():
            raise Failed("%s=%s differs from the setting %s=%s: run: rankpipe service set %s %s" % (
                SETTINGS[name][2], value, name, self[name], name, shlex.quote(value)))
        if taken:
            return
        with self:
            wait = self["settle"] + sum(float(given.get(name, self[name])) for name in ("wait", "delay"))
            if self["retain"] < wait + MARGIN:
                self.put(retain=int(wait) + MARGIN)
            for name, value in given.items():
                self.put(**{name: self.checked(name, value)})
            if is_run:
                self.put(taken=1)
        for name, value in given.items():
            say("%s is now the setting %s=%s" % (SETTINGS[name][2], name, self[name]))

    # ---- days of running ----

    def cutoff(self, n):
        """The least time of the last n rows of days; 0 where there are fewer."""
        times = [when for when, in self.sql("SELECT time FROM days ORDER BY id DESC LIMIT ?", (n,))]
        return 0 if len(times) < n else min(times, default=self.now)

    def past(self, n):
        """The last row of days before the last n."""
        return self.one("SELECT coalesce(max(id), 0) FROM days") - n

    # ---- words of queries ----

    def settle_words(self):
        """Decides once whether queries have folded words: not while there are words of version 0.4.0. The
        value is the time from when on they have."""
        if "folds" not in self.set:
            old = any(OLD_WORD.search(qid) for qid, in self.sql("SELECT qid FROM lists WHERE qid IS NOT NULL"))
            with self:
                self.put(folds=None if old else 0)

    @staticmethod
    def fold(qid):
        """The folded word of a query of version 0.4.0. One that was cut to a hash stays."""
        try:
            return qid if not qid or b"~~" in qid else rankpipe.query_word(
                rankpipe.query_text(qid.decode()), fold=True).encode()
        except rankpipe.Error:  # nothing but blanks
            return qid

    def folded(self, qid, when=0):
        """The same if its round came before the service was rebuilt with folded words, or in the minute after,
        when a front end may not know of it yet; else the word as it is."""
        since = self.set.get("folds")
        return self.fold(qid) if since and when <= since + 60000 else qid

    # ---- what cannot be used ----

    def refuse(self, what, source, why=""):
        """Counts a record and keeps it, once, however often it is read."""
        source, why = shown(source[:200]), shown(why[:200])
        key = hashlib.blake2b(("%s\n%s\n%s" % (what, source, why)).encode("utf-8", "replace"),
                              digest_size=16).digest()
        if self.sql("INSERT OR IGNORE INTO quarantine VALUES(?, ?, ?, ?, ?, ?)",
                    (key, self.now, what, source, why, self.day)).rowcount:
            self.sql("INSERT INTO counts VALUES(?, 1) ON CONFLICT(what) DO UPDATE SET n = n + 1", (what,))

    def erased_hash(self, kind, name):
        """Of what was erased only a hash stays, under the key of the service."""
        return hashlib.blake2b(kind + name, key=self.set["key"], digest_size=12).digest()


# ---- files ----


def wait_for_lock(file, how, seconds):
    """Locks a file (flock), or gives up after so many seconds. Is it locked?"""
    for _ in range(10 * seconds):
        try:
            fcntl.flock(file, how | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            time.sleep(0.1)
    return False


def sync(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def put_whole(path, data, mode=0o640):
    """Writes a file that is whole or not there, also after a power failure, with that mode whatever
    the umask is."""
    fresh = path + ".new"
    if os.path.lexists(fresh):
        os.unlink(fresh)
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    with open(fd, "wb") as file:
        os.fchmod(fd, mode)
        file.write(data)
        file.flush()
        os.fsync(fd)
    os.rename(fresh, path)
    sync(os.path.dirname(path) or ".")


def copy_database(db, path):
    """Copies an open database to a file that is whole or not there: in one step of SQLite, because a copy in several
    begins anew whenever another process commits. It is first .NAME.part, which a copy that was killed leaves."""
    folder = os.path.dirname(path) or "."
    for left in parts_in(folder):
        os.unlink(left)
    part = "%s/.%s.part" % (folder, os.path.basename(path))
    try:
        fd = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise Failed("%s exists: wait, if a backup writes it; else remove it" % part) from None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        copy = sqlite3.connect(part, isolation_level=None)
        copy.execute("PRAGMA journal_mode=OFF")
        db.backup(copy, pages=-1)
        copy.close()
        os.fchmod(fd, 0o600)
        os.fsync(fd)
        os.rename(part, path)
    except BaseException:
        os.unlink(part)
        raise
    finally:
        os.close(fd)
    sync(folder)


def parts_in(folder):
    """The copies of databases in a folder that this account did not finish, and that no process works at."""
    found = []
    for name in os.listdir(folder):
        if name[0] != "." or not name.endswith(".part"):
            continue
        path = os.path.join(folder, name)
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(fd, "rb") as file:
                fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
                if os.fstat(fd).st_uid == os.geteuid() and file.read(16) in (
                        b"", bytes(16), b"SQLite format 3\0"):  # SQLite writes the first page last
                    found.append(path)
        except OSError:
            pass
    return found
