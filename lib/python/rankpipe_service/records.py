"""records: rounds as logs have them, taken apart for the database, and put together for update.

A header line differs from the next one in its number, query, request and time. What follows is
compiled once (Shape), so a round costs microseconds. Which keys and columns belong to the list, to how
its order was drawn, to the model, to users or to judges says `rankpipe --format`.
"""
# SPDX-License-Identifier: ISC

import hashlib
import math
import re
import struct
import subprocess
import zlib

SIZES = {b"u1": 1, b"u2": 2, b"u4": 4, b"u8": 8, b"f4": 4, b"f8": 8}
HEAD = re.compile(rb"rankpipe/1 round (?:crc=[0-9a-f]{8} )?t=(\d{1,16})(?: qid=([!-~]+))?"
                  rb"(?: request=([!-~]+))?(?: time=(\d{1,16}))?( docs=[ -~]*) bytes=\d+\n")
COLUMN = re.compile(rb"(?<![a-z0-9_-])([a-z][a-z0-9_-]*):(u[1248]|f[48])\[(0|[1-9]\d*)\]")
WIDEST = 4096  # bytes of a document whose features are put together one by one
REQUEST = re.compile(b"(?:[0-9a-f]{2}){8,32}")


class Wrong(Exception):
    """The round cannot be used, and why."""


class Unknown(Exception):
    """A newer version wrote the round."""


class Row:
    """What a key or a column may be, as `rankpipe --format` prints it."""

    def __init__(self, line):
        (_, self.name, kind, self.length, self.least, self.most, needs, excludes, self.of,
         _) = line.split(b"\t")
        self.kinds = kind.split(b",")
        self.needs, self.excludes = ([] if names == b"-" else names.split(b",")
                                     for names in (needs, excludes))


class Format:
    """The rows of keys and of columns, by name; read once."""

    rows = None

    @classmethod
    def row(cls, kind, name):
        if cls.rows is None:
            lines = subprocess.run(["rankpipe", "--format"], stdout=subprocess.PIPE,
                                   check=True).stdout.splitlines()[1:]
            cls.rows = {tuple(line.split(b"\t")[:2]): Row(line) for line in lines}
        if kind == b"column" and name.startswith(b"label-"):
            name = b"label-*"
        return cls.rows.get((kind, name))

    @classmethod
    def of(cls, kind, name):
        """To what it belongs: list, draw, model, users, judges or round; unknown."""
        row = cls.row(kind, name)
        return row.of if row else b"unknown"


def need(right, why):
    if not right:
        raise Wrong(why)


def text(data):
    return data.decode("ascii", "replace")


def split(line):
    """(t, qid, request, time, the rest) of a header line, all as bytes; None where one is missing."""
    found = HEAD.fullmatch(line)
    if found:
        return found.groups()
    words = dict(word.partition(b"=")[::2] for word in line.rstrip(b"\n").split(b" ")[2:])
    for gone in b"crc", b"bytes":
        words.pop(gone, None)
    first = [words.pop(name, None) for name in (b"t", b"qid", b"request", b"time")]
    return (*first, b"".join(b" %b=%b" % item for item in words.items()))


class Shape:
    """What the rounds of one `rest` of a header line have in common.

    docs, dim: numbers. head, listed: keys and columns of the list, as text. how: the other kept keys and
    columns, as text. chance: was the order drawn at random? Raises Wrong and Unknown.
    """

    def __init__(self, rest):
        keys = dict(word.partition(b"=")[::2] for word in rest.split())
        columns = self._columns(keys.pop(b"cols", b""))
        self.erased = b"x-erased" in keys
        if self.erased:
            return
        need(b"docs" in keys and b"dim" in keys, "no docs= or no dim=")
        for name, value in keys.items():
            self._check_key(name, value, keys)
        self.docs, self.dim = int(keys[b"docs"]), int(keys[b"dim"])
        self._check_columns(columns)
        self._check_company({(b"key", name) for name in keys} | {(b"column", name) for name in columns})
        self.shown = b"order" in columns and b"seen" not in columns and b"block" not in keys
        self.chance = b"greedy" in columns or keys.get(b"gamma") == b"1"
        head = {name: value for name, value in keys.items() if Format.of(b"key", name) == b"list"}
        keys = {name: value for name, value in keys.items()
                if name[:2] == b"x-" or Format.of(b"key", name) == b"draw"}
        in_list = {name: at for name, at in columns.items() if Format.of(b"column", name) == b"list"}
        kept = {name: at for name, at in columns.items() if Format.of(b"column", name) in (
            b"draw", b"unknown") or name == b"rival" and b"team" in columns}  # dbgd learns from rival
        self.head = b"".join(b" %b=%b" % item for item in head.items())
        self.listed = b",".join(at[0] for at in in_list.values())
        self.how = b"".join(b" %b=%b" % item for item in keys.items()) + b"|" + b",".join(
            at[0] for at in kept.values())
        self.parts = [at[1] for at in in_list.values()]
        self.of_list = in_list
        self.all = list(range(self.docs)) if self.docs < 1 << 20 else []
        self.orders = [name for name in kept if name in (b"order", b"greedy")]
        self.kept = [(name, at[1], struct.Struct("<%dI" % self.docs) if name in self.orders else None)
                     for name, at in kept.items()]
        self.finite = [(at[1], at[2]) for name, at in kept.items() if name in (b"logit", b"rival")]
        self.team = columns[b"team"][1] if b"team" in columns else None

    @staticmethod
    def _columns(words):
        """name: (text, slice of the payload, type, length), in their order."""
        columns, at = {}, 0
        for word in words.split(b",") if words else []:
            found = COLUMN.fullmatch(word)
            need(found, "no column: %.60s" % text(word))
            name, kind, n = found[1], found[2], int(found[3])
            need(name not in columns, "the column %s stands twice" % text(name))
            columns[name] = word, slice(at, at + n * SIZES[kind]), kind, n
            at += n * SIZES[kind]
        return columns

    @staticmethod
    def _check_key(name, value, keys):
        if name[:2] == b"x-":
            return
        row = Format.row(b"key", name)
        if row is None:
            raise Unknown("unknown key %.60s" % text(name))
        why = "%s=%.60s is out of range" % (text(name), text(value))
        most = int(keys[b"docs"]) - 1 if row.most == b"docs-1" else row.most
        if row.kinds == [b"whole"]:
            need(re.fullmatch(rb"0|[1-9]\d{0,15}", value) and int(row.least) <= int(value) <= int(most), why)
        elif row.kinds == [b"number"]:
            need(re.fullmatch(rb"\d[0-9.]{0,30}(e[+-]?\d{1,3})?", value) and value.count(b".") < 2, why)
            need(float(row.least) <= float(value) <= float(most), why)
        else:
            need(len(value) == int(row.length) if row.kinds == [b"hex"] else 1 <= len(value) <= int(
                row.length), why)

    def _check_columns(self, columns):
        lengths = {b"docs": self.docs, b"dim": self.dim, b"docs*dim": self.docs * self.dim,
                   b"docs+1": self.docs + 1, b"entries": columns.get(b"idx", (0, 0, 0, 0))[3]}
        for name, (_, _, kind, n) in columns.items():
            row = Format.row(b"column", name)
            if row and row.of != b"judges":
                need(kind in row.kinds and n == lengths.get(row.length, n),
                     "column %s has another type or length" % text(name))
        forms = [{b"x"}, {b"ptr", b"idx", b"val"}, {b"offset", b"step", b"number"}]
        there = [form for form in forms if form & columns.keys()]
        need(len(there) == (self.dim > 0) and all(form <= columns.keys() for form in there),
             "not the features of one form")

    @staticmethod
    def _check_company(there):
        names = {name for _, name in there}
        for row in filter(None, (Format.row(*each) for each in there)):
            need(names.issuperset(row.needs), "%s lacks %s" % (text(row.name), text(b", ".join(row.needs))))
            need(names.isdisjoint(row.excludes), "%s excludes %s" % (
                text(row.name), text(b", ".join(row.excludes))))

    def shown_of(self, payload):
        """What is stored of how the list was shown; order and greedy in as few bytes as they need."""
        parts = []
        for name, where, form in self.kept:
            data = payload[where]
            if form:
                order = form.unpack(data)
                need(sorted(order) == self.all, "%s is no permutation" % text(name))
                data = bytes(order) if self.docs <= 256 else data
            parts.append(data)
        for where, n in self.finite_columns():
            need(all(map(math.isfinite, struct.unpack("<%dd" % n, payload[where]))),
                 "a score is not finite")
        if self.team:
            need(max(payload[self.team]) <= 1, "team is neither 0 nor 1")
        return b"".join(parts)

    def finite_columns(self):
        return [(where, (where.stop - where.start) // 8) for where, _ in self.finite]

    def list_hash(self, qid, payload):
        return list_hash(qid, self.head, self.listed, (payload[where] for where in self.parts))

    def list_data(self, payload):
        return b"".join([payload[where] for where in self.parts])

    def check_list(self, payload):
        """Raises Wrong where the list's columns are not what rankpipe(5) says."""
        def values(name, letter):
            _, where, _, n = self.of_list[name]
            return struct.unpack("<%d%s" % (n, letter), payload[where])
        if b"name" in self.of_list:
            names = payload[self.of_list[b"name"][1]]
            need(names.count(b"\0") == self.docs and names[-1:] == b"\0", "not docs names")
        if b"ptr" in self.of_list:
            ptr, idx = values(b"ptr", "I"), values(b"idx", "I")
            need(ptr[0] == 0 and ptr[-1] == len(idx) and list(ptr) == sorted(ptr), "ptr falls")
            for a, b in zip(ptr, ptr[1:]):
                row = idx[a:b]
                need(not row or (row[-1] < self.dim and all(map(int.__lt__, row, row[1:]))),
                     "idx does not rise")
        if b"base" in self.of_list:
            need(sorted(values(b"base", "I")) == self.all, "base is no permutation")
        for name in (b"offset", b"step"):
            if name in self.of_list:
                need(all(map(math.isfinite, values(name, "f"))), "%s is not finite" % text(name))


# ---- what the database holds of a round ----


def pack_name(request):
    """A request as it is stored: hexadecimal digits as half as many bytes, other names as text."""
    return bytes.fromhex(request.decode()) if REQUEST.fullmatch(request) else request.decode()


def name_of(key):
    return key.hex() if isinstance(key, bytes) else key


FLOATS, CLICKS = 1, 2  # bits of the first byte of an answer


def pack_seen(values, clicks=False):
    """An answer: a byte that says what it is, then small whole numbers as bytes, or numbers as f4. They
    are relevances, or with `clicks` clicks."""
    kind = CLICKS if clicks and values else 0
    if all(value.is_integer() and 0 <= value < 256 for value in values):
        return bytes([kind, *map(int, values)])
    return bytes([kind | FLOATS]) + struct.pack("<%df" % len(values), *values)


def places_of(packed):
    """Number of places that an answer is about."""
    return len(packed) // 4 if packed[0] & FLOATS else len(packed) - 1


def seen_of(packed):
    if packed[0] & FLOATS:
        return struct.unpack("<%df" % places_of(packed), packed[1:])
    return tuple(map(float, packed[1:]))


def first_click(packed):
    """The first place of an answer, from 1, with a relevance above 0, or None."""
    return next((place for place, value in enumerate(seen_of(packed), 1) if value > 0), None) if packed else None


def list_hash(qid, head, listed, parts):
    """The key of a list, from its query and what belongs to it; the parts are those of its payload."""
    digest = hashlib.blake2b(b"%b%b %b\n" % (qid or b"", head, listed), digest_size=16)
    for part in parts:
        digest.update(part)
    return digest.digest()


def strides(listed, docs):
    """(where it begins, where it ends, bytes of what repeats in it) of each column of a list: of x, a document."""
    at = 0
    for found in COLUMN.finditer(listed):
        size, n = SIZES[found[2]], int(found[3])
        each = size * n // docs if found[1] == b"x" and docs else size
        yield at, at + size * n, each if 0 < each <= WIDEST else size
        at += size * n


def mix(data, listed, docs):
    """The first bytes of all numbers, or of all documents, then the second ones: they are alike, and what changes in a
    feature stands together."""
    return b"".join([data[at + i:end:each] for at, end, each in strides(listed, docs) for i in range(each)])


def pack_list(data, listed, docs, whole=None):
    """Compressed; with the mixed data of another list as zlib's dictionary, if it is given."""
    packer = zlib.compressobj(6) if whole is None else zlib.compressobj(6, zdict=whole)
    return b"\2" + packer.compress(mix(data, listed, docs)) + packer.flush()


def list_of(packed, listed, docs, whole=None):
    parts = strides(listed, docs)
    if packed[:1] == b"\2":
        mixed = (zlib.decompressobj() if whole is None else zlib.decompressobj(zdict=whole)).decompress(packed[1:])
    else:  # as version 1 of the database has it
        mixed = zlib.decompress(packed)
        parts = [(0, len(mixed) & ~3, 4), (len(mixed) & ~3, len(mixed), 1)]
    data = bytearray(mixed)
    for at, end, each in parts:
        n = (end - at) // each
        for i in range(each):
            data[at + i:end:each] = mixed[at + i * n:at + (i + 1) * n]
    return bytes(data)


def column_of(listed, data, name):
    """The bytes of a column of a list; none where it has no such column."""
    at = 0
    for found in COLUMN.finditer(listed):
        n = int(found[3]) * SIZES[found[2]]
        if found[1] == name:
            return data[at:at + n]
        at += n
    return b""


def names_of(listed, data):
    """The names of a list's documents, as bytes."""
    return column_of(listed, data, b"name").split(b"\0")[:-1]


class How:
    """The keys and columns that say how an order was drawn, to be written again."""

    def __init__(self, how, chance, docs):
        self.chance = bool(chance)
        self.keys, _, self.columns = how.partition(b"|")
        self.parts, at = [], 0
        for found in COLUMN.finditer(self.columns):
            short = docs <= 256 and found[1] in (b"order", b"greedy")
            n = int(found[3]) * (1 if short else SIZES[found[2]])
            self.parts.append((found[1], slice(at, at + n), struct.Struct("<%dI" % docs) if short
                               else None))
            at += n

    def payload(self, shown):
        return b"".join([form.pack(*shown[where]) if form else shown[where]
                         for _, where, form in self.parts])

    def order(self, shown):
        for name, where, form in self.parts:
            if name == b"order":
                return shown[where] if form else struct.unpack("<%dI" % (len(shown[where]) // 4),
                                                               shown[where])
        return ()

    def won(self, shown, seen):
        """Of a list interleaved with base: 1 if more clicks are on documents that the learnt order chose, -1 if fewer, or 0;
        None of another list."""
        where = {name: where for name, where, _ in self.parts}
        if b"team" not in where or b"rival" in where:
            return None
        clicks = [0, 0]
        for team, value in zip(shown[where[b"team"]], seen_of(seen)):
            clicks[team] += value > 0
        return (clicks[0] > clicks[1]) - (clicks[0] < clicks[1])


def record(t, request, time, client, seen, how, shown, listed):
    """A round with its answer. listed: (qid, head, columns, payload) of its list."""
    qid, head, columns, data = listed
    n = places_of(seen)
    said = seen[1:] if seen[0] & FLOATS else struct.pack("<%df" % n, *seen[1:])
    payload = b"".join((how.payload(shown), said, data))
    return b"rankpipe/1 round t=%d%b request=%b time=%d%b%b%b%b cols=%b,seen:f4[%d]%b%b bytes=%d\n%b" % (
        t, b" qid=" + qid if qid else b"", request, time, b" client=" + client if client else b"",
        b" clicks=1" if seen[0] & CLICKS else b"", head, how.keys,
        how.columns, n, columns and b",", columns, len(payload), payload)
