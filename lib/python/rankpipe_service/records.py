"""records: rounds as logs have them, taken apart for the database, and put together for update.

A header line differs from the next one in its number, query, request and time. What follows is
compiled once (Shape), so a round costs microseconds. What must hold of it says module rankpipe; which keys and columns
belong to the list, to how its order was drawn, to the model, to users or to judges, its FORMAT.
"""
# SPDX-License-Identifier: ISC

import hashlib
import re
import struct
import zlib

import rankpipe

HEAD = re.compile(rb"rankpipe/1 round (?:crc=[0-9a-f]{8} )?t=(\d{1,16})(?: qid=([!-~]+))?"
                  rb"(?: request=([!-~]+))?(?: time=(\d{1,16}))?( docs=[ -~]*) bytes=\d+\n")
COLUMN = re.compile(rb"(?<![a-z0-9_-])([a-z][a-z0-9_-]*):(u[1248]|f[48])\[(0|[1-9]\d*)\]")
WIDEST = 4096  # bytes of a document whose features are put together one by one
REQUEST = re.compile(b"(?:[0-9a-f]{2}){8,32}")
Wrong = rankpipe.Error  # the round cannot be used, and why


class Unknown(Exception):
    """A newer version wrote the round."""


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


def columns_of(words):
    """(match of COLUMN, number of values, slice of the payload) of each column of a text of columns."""
    at = 0
    for found in COLUMN.finditer(words):
        n = int(found[3])
        yield found, n, slice(at, at + n * int(found[2][1:]))
        at += n * int(found[2][1:])


class Shape:
    """What the rounds of one `rest` of a header line have in common.

    docs, dim: numbers. head, listed: keys and columns of the list, as text. how: the other kept keys and
    columns, as text. chance: was the order drawn at random? Raises Wrong and Unknown.
    """

    def __init__(self, rest):
        words = [word.partition("=")[::2] for word in text(rest).split()]
        self.keys = dict(words)
        self.erased = "x-erased" in self.keys
        if self.erased:
            return
        cols = self.keys.pop("cols", "")
        for name in self.keys:
            if name[:2] != "x-" and name not in rankpipe.ROUND_KEYS:
                raise Unknown("unknown key %.60s" % name)
        rankpipe._need(len(words) == len(self.keys) + bool(cols), "a key comes twice")
        shape = rankpipe._shape(cols) if cols else {}
        self.columns = {text(found[1]): (found, where) for found, _, where in columns_of(cols.encode())}
        self.size = max((where.stop for _, where in self.columns.values()), default=0)
        rankpipe._check_round({"t": "1", **self.keys}, shape, self.size)
        self.docs, self.dim = int(self.keys["docs"]), int(self.keys["dim"])
        self.shown = "order" in shape and "seen" not in shape and "block" not in self.keys
        self.chance = "greedy" in shape or self.keys.get("gamma") == "1"
        of = {(row.kind, row.name): row.of for row in rankpipe.ROWS}
        self.of_list = [name for name in shape if of.get(("column", name)) == "list"]
        self.kept = [name for name in shape if of.get(("column", name)) == "draw" or name == "rival" and "team" in shape or
                     name not in rankpipe.ROUND_COLUMNS and not name.startswith("label-")]  # dbgd learns from rival
        keys = {name: name[:2] == "x-" and "draw" or of[("key", name)] for name in self.keys}
        self.head, how = (" ".join(["", *("%s=%s" % (name, self.keys[name]) for name in keys if keys[name] == kind)]).encode()
                          for kind in ("list", "draw"))
        self.listed, drawn = (b",".join(self.columns[name][0][0] for name in names) for names in (self.of_list, self.kept))
        self.how = how + b"|" + drawn

    def check(self, payload, names):
        """Raises Wrong where these columns are not what rankpipe(5) says."""
        rankpipe._need(len(payload) == self.size, "its payload has another length")
        rankpipe._check_values(rankpipe.Round(self.keys, {
            name: rankpipe._array(text(self.columns[name][0][2]), payload[self.columns[name][1]]) for name in names}))

    def shown_of(self, payload):
        """What is stored of how the list was shown; order and greedy in as few bytes as they need. Raises Wrong."""
        self.check(payload, self.kept)
        parts = [(name, payload[self.columns[name][1]]) for name in self.kept]
        return b"".join([data[::4] if self.docs <= 256 and name in ("order", "greedy") else data for name, data in parts])

    def list_hash(self, qid, payload):
        return list_hash(qid, self.head, self.listed, (payload[self.columns[name][1]] for name in self.of_list))

    def list_data(self, payload):
        return b"".join([payload[self.columns[name][1]] for name in self.of_list])


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
    for found, n, where in columns_of(listed):
        size = int(found[2][1:])
        each = size * n // docs if found[1] == b"x" and docs else size
        yield where.start, where.stop, each if 0 < each <= WIDEST else size


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
    return next((data[where] for found, _, where in columns_of(listed) if found[1] == name), b"")


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
            n = int(found[3]) * (1 if short else int(found[2][1:]))
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


def end_of(n):
    return b"rankpipe/1 end rounds=%d bytes=0\n" % n
