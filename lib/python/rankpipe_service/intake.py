"""intake: takes the files of logs and of answers into the database, and removes what was taken in.

Files are transits: finished files of spool, and the files to which front ends append. What comes from
them is checked here, each bad record is counted and kept in quarantine, and nothing stops a run but a
round that a newer version wrote.
"""
# SPDX-License-Identifier: ISC

import collections
import fcntl
import hashlib
import math
import os
import re
import subprocess

from rankpipe_service import AHEAD, DAY, HOUR, PENDING, WAITING, Failed, daily, events
from rankpipe_service.lists import Lists
from rankpipe_service.records import Shape, Unknown, Wrong, names_of, pack_name, pack_seen, split, text

SPOOLED = re.compile(r"(.+)\.\d{16}-\d{16}\.bin")
TIME = re.compile(rb"time=(\d{1,16})")
CLIENT = re.compile(rb"client=((?:[!-$&-~]|%[0-9A-F]{2}){1,64})")
LONGEST = 1 << 20  # bytes of a line of answers
LONG = 64  # bytes of a number
ROWS = 2000  # rounds that are put in at once
CACHED = 20000  # lists, and forms of header lines, that are known by heart
SETTLED = 2 * DAY // 1000  # seconds after which a file of answers, all read, may go


def files_below(folder):
    """The files below a folder, in the order of their paths: no links, nothing hidden."""
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != ".")
        for name in sorted(names):
            path = os.path.join(where, name)
            if name[0] != "." and path.isprintable() and os.path.isfile(path) and not os.path.islink(path):
                yield path


def open_transit(path):
    """A file to read, which is no link and no device."""
    return open(path, "rb", opener=lambda name, flags: os.open(
        name, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC))


def words_of(line):
    """The words of a line of answers, which blanks and tabs part."""
    return list(filter(None, line[:-1 if line.endswith(b"\r") else None].replace(b"\t", b" ").split(b" ")))


def line_of(line):
    """(request, time, client or None, type, item, shown, largest value) of a line, as module events has them; type None is an
    answer by relevance, or about nothing. Raises ValueError where it is no such line."""
    request, when, *said = words_of(line)
    found, client = TIME.fullmatch(when), said and CLIENT.fullmatch(said[0])
    said = said[1:] if client else said
    if len(request) > 255 or not found or not said or min(request) < 33 or max(request) > 126:
        raise ValueError(line)
    known = request, int(found[1]), client[1] if client else None
    if said[0].startswith((b"event=", b"shown=")):
        return (*known, *events.event_of(said), 0)
    clicks = said[0] == b"clicks=1"
    said = said[1:] if clicks else said
    if not said or any(len(word) > LONG or word.strip(b"0123456789.eE+-") for word in said):
        raise ValueError(line)
    values = [] if said == [b"-"] else list(map(float, said))
    if values and not (min(values) >= 0 and math.isfinite(max(values))):
        raise ValueError(line)
    return (*known, events.ANSWER if clicks and values else None, pack_seen(values, clicks), len(values), max(values, default=0))


def is_remark(line):
    """Is it a line that says nothing: blank, or - and perhaps a time?"""
    words = words_of(line)
    return words[:1] in ([], [b"-"]) and (len(words) < 2 or len(words) == 2 and words[1].startswith(
        b"time=") and words[1][5:].isdigit())


def mark_of(status):
    return b"%d %d %d" % (status.st_size, status.st_mtime_ns, status.st_ino)


def mark_of_line(first):
    """How a file of answers is known again: by its first line."""
    return hashlib.blake2b(first[:4096], digest_size=16).digest()


# A file that was read: as it was then, how far, and when. due: the time of the earliest record that is ahead of the
# clock, or None; first: where the first one is; since: the row of days from which on it waits.
Place = collections.namedtuple("Place", "mark end time due first since", defaults=(None, 0, 0, None, 0, 0))


class Intake:
    def __init__(self, store):
        self.store, self.sql = store, store.sql
        self.shapes, self.lists, self.hows, self.clients = {}, {}, {}, {}
        self.packed = Lists(store)
        self.rows, self.oldest, self.latest = [], store.cutoff(store["days"]), store.now + AHEAD  # what is later waits
        self.places = {row[0]: Place(*row[1:]) for row in self.sql("SELECT * FROM transit")}
        self.had = self.waits = Place()  # of the file that is read: as it was, and what waits now

    def all(self):
        """Takes in what is new, and removes what was taken in long enough ago. Number of rounds."""
        there = set()
        for take, folder in (self.log_file, "log"), (self.answers_file, "answers"):
            for path in files_below(folder):
                if folder == "log" and not SPOOLED.fullmatch(os.path.basename(path)):
                    continue
                there.add(path)
                take(path)
        gone = [path for path, place in self.places.items()
                if path not in there and place.time < self.store.now - DAY]
        with self.store:
            self.store.many("DELETE FROM transit WHERE path = ?", [(path,) for path in gone])

    def place(self, path, mark, end):
        self.places[path] = self.waits._replace(mark=mark, end=end, time=self.store.now)
        self.sql("INSERT OR REPLACE INTO transit VALUES(?, ?, ?, ?, ?, ?, ?)", (path, *self.places[path]))

    # ---- records that are ahead of the clock ----

    def begin(self, place):
        """Before a file is read: is it read again for what waited in it?"""
        again = place.due is not None and (place.due <= self.latest or self.is_over(place))
        self.had = place if again else Place()
        self.waits = place if place.due is not None and not again else Place(since=self.store.day)
        return again

    def is_over(self, place):
        return place.due is not None and self.store.day - place.since >= WAITING

    def is_read(self, when):
        """Was a record taken in when its file was read before?"""
        return self.had.due is not None and when < self.had.due

    def wait(self, when, at):
        """Does a record wait in its file until it is due, and not too long?"""
        if self.is_over(self.had):
            return False
        waits = self.waits
        self.waits = Place(due=when, first=at, since=self.had.since if self.had.due is not None else self.store.day) \
            if waits.due is None else waits._replace(due=min(when, waits.due))
        return True

    # ---- rounds ----

    def log_file(self, path):
        try:
            file = open_transit(path)
        except FileNotFoundError:
            return
        with file:
            status = os.fstat(file.fileno())
            mark, place = mark_of(status), self.places.get(path, Place())
            if not self.begin(place) and place.mark == mark:
                return
            with self.store:
                self.read_log(file, path)
                self.place(path, mark, status.st_size)

    def read_log(self, file, path):
        """Puts in the rounds of a stream, which salvage takes apart: it checks each record's CRC."""
        salvage = subprocess.Popen(["salvage"], stdin=file, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, bufsize=1 << 18)
        try:
            for line, payload in records_of(salvage.stdout):
                try:
                    self.round(path, line, payload)
                except Wrong as error:
                    self.refuse(b"malformed", path, line, str(error))
                except Unknown as error:
                    raise Failed("%s: t=%s: %s: a newer version wrote it: upgrade first" % (
                        path, text(split(line)[0] or b"?"), error)) from None
            self.flush(path)
        finally:
            salvage.stdout.close()
            why = salvage.stderr.read().decode("utf-8", "replace").strip()
            salvage.stderr.close()
            status = salvage.wait()
        if status == 3:
            self.store.refuse("rest of a file of a log", path, why.replace("<stdin>", path))
        elif status:
            raise Failed("%s: %s" % (path, why))

    def refuse(self, what, path, line, why=""):
        t, _, request, _, _ = split(line)
        self.store.refuse("round " + what.decode(), "%s t=%s" % (path, text(t or b"?")),
                          ": ".join(each for each in (request and text(request), why) if each))

    def round(self, path, line, payload):
        t, qid, request, when, rest = split(line)
        shape = self.shapes.get(rest)
        if shape is None:
            if len(self.shapes) >= CACHED:
                self.shapes.clear()
            shape = self.shapes[rest] = Shape(rest)
        if shape.erased:
            return None
        for missing, what in ((request, b"without a request"), (when, b"without a time")):
            if missing is None:
                return self.refuse(what, path, line)
        if not shape.shown:
            return self.refuse(b"that was not shown", path, line)
        if len(request) > 255 or qid and len(qid) > 255:
            raise Wrong("a name is too long")
        features = self.store.features_limit()
        if features is not None and shape.dim > features:
            return self.refuse(b"with more features than the setting", path, line, "%d" % shape.dim)
        when = int(when)
        if when > self.latest:
            return None if self.wait(when, 0) else self.refuse(b"from the future", path, line)
        if self.is_read(when):
            return None
        shown = shape.shown_of(payload)
        erased = self.store.erased
        word = self.store.folded(qid, when)
        if erased and self.is_erased(request, {qid, word}, when, shape, payload):
            return None
        self.rows.append((pack_name(request), when, self.list_of(shape, word, payload),
                          self.how_of(shape), shown, t))
        if len(self.rows) >= ROWS:
            self.flush(path)
        return None

    def is_erased(self, request, qids, when, shape, payload):
        known, hash_ = self.store.erased, self.store.erased_hash
        if hash_(b"r", request) in known:
            return True
        names = [hash_(b"q", qid or b"") for qid in qids]
        names += [hash_(b"d", name) for name in names_of(shape.listed, shape.list_data(payload))]
        if any(known.get(name, -1) >= when for name in names):
            # its answer may come yet, or has come
            self.sql("INSERT OR REPLACE INTO erased VALUES(?, ?)", (hash_(b"r", request), self.store.now))
            known[hash_(b"r", request)] = self.store.now
            for table in "early", "events":
                self.sql("DELETE FROM %s WHERE request = ?" % table, (pack_name(request),))
            return True
        return False

    def list_of(self, shape, qid, payload):
        key = shape.list_hash(qid, payload)
        number = self.lists.get(key)
        if number is None:
            if len(self.lists) >= CACHED:
                self.lists.clear()
            number = self.store.one("SELECT id FROM lists WHERE hash = ?", key)
            if number is None:
                shape.check(payload, shape.of_list)
                number = self.sql(
                    "INSERT INTO lists(hash, qid, head, columns, docs, dim, data, whole) VALUES(?,?,?,?,?,?,?,?)",
                    (key, qid, shape.head, shape.listed, shape.docs, shape.dim,
                     *self.packed.pack(qid, shape.listed, shape.docs, shape.list_data(payload)))).lastrowid
            self.lists[key] = number
        return number

    def how_of(self, shape):
        number = self.hows.get(shape.how)
        if number is None:
            number = self.store.one("SELECT id FROM hows WHERE how = ?", shape.how)
            if number is None:
                number = self.sql("INSERT INTO hows(how, chance) VALUES(?, ?)",
                                  (shape.how, shape.chance)).lastrowid
            self.hows[shape.how] = number
        return number

    def flush(self, path):
        """Puts the rounds in. Of two that have one request the first counts."""
        rows, self.rows = self.rows, []
        before = self.store.one("SELECT max(id) FROM rounds") or 0
        changes = self.store.db.total_changes
        self.store.many("INSERT OR IGNORE INTO rounds(request, time, list, how, shown, day) VALUES(?,?,?,?,?,%d)" %
                        self.store.day, [row[:5] for row in rows])
        if self.store.db.total_changes - changes == len(rows):
            fresh = rows
        else:
            fresh = self.sort_out(path, rows, before)
        hours = {}
        for row in fresh:
            hours[row[1] // HOUR] = hours.get(row[1] // HOUR, 0) + 1
        daily.count_rounds(self.store, 1, "r.id > ?", values=(before,))
        self.store.many("INSERT INTO hours VALUES(?1, ?2, 0) ON CONFLICT(hour) DO UPDATE "
                        "SET rounds = rounds + ?2", hours.items())

    def sort_out(self, path, rows, before):
        """The rounds that are new; others are copies, or second rounds of a request."""
        fresh = {}
        for row in rows:
            found = self.sql("SELECT id, request, time, list, how, shown FROM rounds WHERE request = ?",
                             row[:1]).fetchone()
            if found[1:] != row[:5]:
                self.store.refuse("second round of a request", "%s t=%s" % (path, text(row[5])),
                                  row[0].hex() if isinstance(row[0], bytes) else row[0])
                self.sql("INSERT INTO doubled VALUES(?1, ?2) ON CONFLICT(round) DO UPDATE "
                         "SET time = min(time, ?2)", (found[0], row[1]))
            elif found[0] > before:
                fresh[found[0]] = row
        return fresh.values()

    # ---- answers ----

    def answers_file(self, path):
        try:
            file = open_transit(path)
        except (FileNotFoundError, PermissionError):
            return
        with file:
            first = file.readline(4096)
            if not first.endswith(b"\n") and len(first) < 4096:
                return
            mark = mark_of_line(first)
            place = self.places.get(path, Place())
            size = os.fstat(file.fileno()).st_size
            if place.mark != mark or place.end > size:
                place = Place()
            again = self.begin(place)
            if not again and place.mark == mark and place.end == size:
                return
            start = place.first if again else place.end
            file.seek(max(0, start - 1))
            if start and file.read(1) != b"\n":  # another file with that first line
                file.seek(0)
                start = 0
            with self.store:
                end = self.read_answers(file, path, start)
                if again or end != start or place.mark != mark:
                    self.place(path, mark, end)

    def read_answers(self, file, path, at):
        """Puts in whole lines. Where the next one begins."""
        while True:
            line = file.readline(LONGEST)
            if not line.endswith(b"\n"):
                if len(line) < LONGEST:
                    return at
                self.store.refuse("answer malformed", "%s byte %d" % (path, at), "too long a line")
                while line and not line.endswith(b"\n"):
                    at += len(line)
                    line = file.readline(LONGEST)
                if not line:
                    return at
                at += len(line)
                continue
            self.answer(line[:-1], at)
            at += len(line)

    def answer(self, line, at=0):
        """Puts in what a line says, which begins there in its file."""
        store, source = self.store, ascii(line)[2:-1]
        try:
            request, when, client, kind, item, shown, most = line_of(line)
        except (ValueError, OverflowError):
            if not is_remark(line):
                store.refuse("answer malformed", source)
            return None
        if when > self.latest:
            return None if self.wait(when, at) else store.refuse("answer from the future", source)
        if self.is_read(when):
            return None
        if most > (1 if kind else store["grade"]):
            return store.refuse("answer with a click above 1" if kind else "answer above the top grade", source)
        if when < self.oldest or store.erased and self.says_erased(request, when, client, item):
            return None
        key, client = pack_name(request), client and self.client(client)
        if kind:
            return events.put(store, key, when, client, kind, item, shown)
        return self.put_answer(key, when, client, item, source)

    def says_erased(self, request, when, client, item):
        known, hash_ = self.store.erased, self.store.erased_hash
        return hash_(b"r", request) in known or any(
            isinstance(name, bytes) and known.get(hash_(kind, name), -1) >= when for kind, name in ((b"c", client), (b"d", item)))

    def put_answer(self, key, when, client, seen, source):
        number = self.store.one("SELECT id FROM rounds WHERE request = ?", key)
        table, by = ("early", key) if number is None else ("answers", number)
        column = "request" if number is None else "round"
        had = self.sql("SELECT time, client, seen FROM %s WHERE %s = ?" % (table, column), (by,)).fetchone()
        if had is None:
            values = (by, when, client, seen, self.store.day)
            if number is None:
                self.sql("INSERT INTO early VALUES(?, ?, ?, ?, ?)", values)
            else:
                self.sql("INSERT INTO answers(round, time, client, seen, day, state) VALUES(?,?,?,?,?,%d)" % PENDING,
                         values)
        elif had[0] is None and had[2] == seen:  # of an older release, which did not keep the time
            self.sql("UPDATE answers SET time = ?, client = ? WHERE round = ?", (when, client, by))
        elif had != (when, client, seen):
            self.store.refuse("second answer", source)

    def client(self, word):
        number = self.clients.get(word)
        if number is None:
            if len(self.clients) >= CACHED:
                self.clients.clear()
            name = word.decode()
            number = self.store.one("SELECT id FROM clients WHERE word = ?", name) or self.sql(
                "INSERT INTO clients(word) VALUES(?)", (name,)).lastrowid
            self.clients[word] = number
        return number

    # ---- what was taken in ----

    def remove(self, spared=()):
        """Removes files that the database has had for `retain` seconds and that are not spared, but never the
        last one of a log: spool continues its count. An index that an older spool wrote goes with its file."""
        logs = {}
        for path in files_below("log"):
            found = SPOOLED.fullmatch(path)
            if found:
                logs.setdefault(found[1], []).append(path)
        for paths in logs.values():
            for path in paths[:-1]:
                place = self.places.get(path, Place())
                if path not in spared and place.due is None and self.is_old(place.time, place, 0) and (
                        place.mark == mark_of(os.lstat(path))):
                    for name in path, path[:-len("-0000000000000000.bin")] + ".index":
                        if os.path.lexists(name):
                            os.unlink(name)
        for path in files_below("answers"):
            if path not in spared:
                self.remove_answers(path)

    def is_old(self, when, place, days):
        """Is a time `retain` seconds and some days ago, or ahead and the place as many rows of days?"""
        return when <= self.store.now - int(self.store["retain"] * 1000) - days * DAY or (
            when > self.latest and place.since + days < self.store.day)

    def remove_answers(self, path):
        """Front ends hold a shared lock on their file while they append."""
        place = self.places.get(path, Place(end=-1))
        try:
            with open_transit(path) as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                status = os.fstat(file.fileno())
                if place.end == status.st_size and place.due is None and self.is_old(
                        status.st_mtime * 1000, place, SETTLED * 1000 // DAY):
                    os.unlink(path)
        except OSError:
            pass  # in use, or not ours: the next run looks again


def records_of(stream):
    """(header line, payload) of each round of a stream that salvage wrote."""
    while True:
        line = stream.readline()
        if not line:
            return
        payload = stream.read(int(line[line.rindex(b"=") + 1:]))
        if line.startswith(b"rankpipe/1 round"):
            yield line, payload
