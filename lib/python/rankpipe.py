"""rankpipe: streams, models and the service of rankpipe, in Python. rankpipe-python(7) is its page.

One file of the standard library, for Python 3.9 or later: import it from where it is installed, or
copy it. With numpy, columns are arrays of numpy, and otherwise of the module array; both have a
length, an index and tolist(). What comes from outside is checked as rankpipe(5) asks.
"""
# SPDX-License-Identifier: ISC

from __future__ import annotations

import bisect
import contextlib
import functools
import hashlib
import math
import operator
import os
import re
import secrets
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unicodedata
from array import array
from typing import IO, Any, Iterable, Iterator, NamedTuple, Sequence, Union

try:
    import numpy
except ImportError:
    numpy = None

MOST = 1 << 53  # the largest whole number of a header line
LINE = 4096  # bytes of a header line, with its LF
BARE = 65536  # documents of a round that need no payload
DENSE = 1 << 26  # values that Round.dense makes without being asked for more
CODES = {"u1": "B", "u2": "H", "u4": "I", "u8": "Q", "f4": "f", "f8": "d"}


Path = Union[str, "os.PathLike[str]"]
Numbers = Any  # an array of numpy or of the module array: a length, an index, tolist()
Features = Any  # for each document its values or a dict of number and value, or a matrix of numpy


class Error(Exception):
    """What is wrong, and where."""


class Refused(Error):
    """The service refused the request, and says why. It still answers other requests."""


class Unavailable(Error):
    """The service does not answer. Whether it stored the request is not known."""


# ---- checksums: CRC-32C, two bytes at a time ----


@functools.lru_cache(maxsize=1)
def _crc_tables():
    byte = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        byte.append(value)
    return byte, [byte[byte[low] & 255 ^ high] ^ byte[low] >> 8 for high in range(256) for low in range(256)]


def crc32c(*parts: bytes) -> int:
    """The CRC-32C of bytes, which may come in parts."""
    byte, two = _crc_tables()
    crc = 0xFFFFFFFF
    for part in parts:
        even = len(part) & ~1
        for pair in _array("u2", memoryview(part)[:even], array):
            crc = two[(crc ^ pair) & 0xFFFF] ^ crc >> 16
        for last in part[even:]:
            crc = byte[(crc ^ last) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


# ---- columns ----


def _array(kind, data, make=None):
    """The values that lie little-endian in data."""
    if numpy and make is None:
        return numpy.frombuffer(data, "<" + kind)
    values = array(CODES[kind])
    values.frombytes(data)
    if sys.byteorder == "big":
        values.byteswap()
    return values


def _column(kind, values):
    """Values as an array of that type; an Error if one does not fit."""
    try:
        if isinstance(values, (str, bytes, bytearray)):
            raise TypeError("numbers, not %.40r" % values)
        if numpy and isinstance(values, numpy.ndarray):
            with numpy.errstate(all="ignore"):
                made = values.astype("<" + kind).reshape(-1)
            if kind[0] == "u" and not (made == values.reshape(-1)).all():
                raise OverflowError("a value is no whole number of this size")
            return made
        made = array(CODES[kind], values)
    except (TypeError, ValueError, OverflowError) as error:
        raise Error("a column of type %s: %s" % (kind, error)) from None
    return _array(kind, _bytes(kind, made))


def _kind(values):
    """The type of an array, as the header line names it."""
    if isinstance(values, array):
        return next((kind for kind, code in CODES.items() if code == values.typecode), None)
    kind = values.dtype.kind + str(values.dtype.itemsize) if numpy and isinstance(values, numpy.ndarray) else None
    return kind if kind in CODES else None


def _bytes(kind, values):
    if not isinstance(values, array):
        return values.astype("<" + kind).tobytes()
    if sys.byteorder == "big":
        values = values[:]
        values.byteswap()
    return values.tobytes()


# ---- what must hold of rounds and models: rankpipe(5) ----

# The keys and the columns of rounds, as `rankpipe --format` prints them.
FORMAT = """\
kind   name        type    length   least  most             needs excludes               of     flag
key    crc         hex     8        -      -                -     -                      record -
key    t           whole   -        1      9007199254740991 -     -                      round  required
key    qid         encoded 255      -      -                -     -                      list   -
key    request     encoded 255      -      -                -     -                      round  -
key    time        whole   -        0      9007199254740991 -     -                      round  -
key    client      encoded 64       -      -                -     -                      round  -
key    clicks      whole   -        1      1                seen  -                      users  -
key    docs        whole   -        1      4294967295       -     -                      list   required
key    dim         whole   -        0      2147483648       -     -                      list   required
key    made        steps   255      -      -                -     -                      list   -
key    named       hex     16       -      -                -     -                      list   -
key    based       hex     8        -      -                base  -                      list   -
key    judged      whole   -        1      4294967295       -     -                      model  -
key    rates       whole   -        1      1                -     -                      model  -
key    gamma       number  -        0      1                -     subset,logit,team,propensity draw choice
key    top         whole   -        1      4294967295       gamma swap,slot              draw   choice
key    swap        whole   -        1      4294967295       gamma top,slot               draw   choice
key    slot        whole   -        1      4294967295       gamma top,swap               draw   choice
key    subset      whole   -        1      docs-1 score,order gamma,block,logit,team,propensity draw choice
key    block       whole   -        0      9007199254740991 -     subset                 draw   choice
key    group       whole   -        0      docs-1           block -                      draw   choice
key    seed        whole   -        0      9007199254740992 -     -                      draw   choice
column label       f4      docs     0      finite           -     -                      judges -
column name        u1      names    -      -                -     -                      list   -
column fingerprint u8      docs     -      -                -     -                      list   -
column base        u4      docs     0      docs-1           -     -                      list   -
column score       f8      docs     finite finite           -     -                      model  -
column rival       f8      docs     finite finite           -     -                      model  -
column index       f8      docs     finite finite           -     -                      model  -
column worth       f8      docs     finite finite           -     -                      model  -
column held        u1      docs     0      3                -     -                      model  -
column order       u4      docs     0      docs-1           -     -                      draw   choice
column greedy      u4      docs     0      docs-1           -     -                      draw   choice
column logit       f8      docs     finite finite           order gamma,subset,team,propensity draw choice
column team        u1      docs     0      1                order gamma,subset,logit,propensity draw choice
column seen        f4      places   0      finite           order -                      users  -
column propensity  f8      places   2.2250738585072014e-308 1                seen  gamma,subset,logit,team users choice
column x           f4      docs*dim -      -                -     -                      list   -
column ptr         u4      docs+1   -      -                -     -                      list   -
column idx         u4      entries  -      -                -     -                      list   -
column val         f4      entries  -      -                -     -                      list   -
column offset      f4      dim      -      -                -     -                      list   -
column step        f4      dim      -      -                -     -                      list   -
column number      u1,u2   docs*dim -      -                -     -                      list   -
column label-*     any     any      -      -                -     -                      judges -
"""


class Row(NamedTuple):
    """What a key or a column may be: a line of FORMAT."""

    kind: str
    name: str
    type: str
    length: str
    least: str
    most: str
    needs: str
    excludes: str
    of: str
    flag: str


ROWS = [Row(*line.split()) for line in FORMAT.splitlines()[1:]]
ROUND_KEYS = {row.name: row for row in ROWS if row.kind == "key" and row.of != "record"}
ROUND_COLUMNS = {row.name: row for row in ROWS if row.kind == "column"}
FORMS = (("x",), ("ptr", "idx", "val"), ("offset", "step", "number"))
FEATURES = sum(FORMS, ())
NAME = re.compile("[a-z][a-z0-9_-]*")
STEPS = re.compile("[a-z]+(:[a-z0-9.:+-]*)?(,[a-z]+(:[a-z0-9.:+-]*)?)*")


def _need(right, what, *values):
    if not right:
        raise Error(what % values if values else what)


def _whole(name, text, least, most):
    """A whole number as header lines have it."""
    if re.fullmatch("0|[1-9][0-9]{0,19}", text) and least <= int(text) <= most:
        return int(text)
    raise Error("%s=%.40s is not a whole number from %d to %d" % (name, text, least, most))


def _check_key(name, text, docs):
    _need(re.fullmatch("[!-~]+", text), "%s= has a value that a header line cannot hold", name)
    row = ROUND_KEYS[name]
    if row.type == "whole":
        _whole(name, text, int(row.least), docs - 1 if row.most == "docs-1" else int(row.most))
    elif row.type == "number":
        right = len(text) <= 64 and re.fullmatch("[+-]?([0-9]+(?:[.][0-9]*)?|[.][0-9]+)(e[+-]?[0-9]+)?", text)
        _need(right and float(row.least) <= float(text) <= float(row.most), "%s=%.40s is not a number from %s to %s",
              name, text, row.least, row.most)
    elif row.type == "hex":
        _need(re.fullmatch("[0-9a-f]{%s}" % row.length, text), "%s=%.40s is not %s hexadecimal digits", name, text,
              row.length)
    else:
        _need(len(text) <= int(row.length), "%s= has %d bytes: at most %s are allowed", name, len(text), row.length)
    if row.type == "encoded":
        _need(not re.search("%(?![0-9A-F]{2})", text), "%s=%.40s: two hexadecimal digits (0-9, A-F) must follow %%",
              name, text)
    if row.type == "steps":
        _need(STEPS.fullmatch(text), "%s=%.60s is not a list of steps such as log,scale", name, text)


def _check_round(keys, shape, size):
    """The header line of a round: its keys, and the types and lengths of its columns."""
    order = [name for name in keys if not name.startswith("x-")]
    for name in order:
        _need(name in ROUND_KEYS, "unknown key %.40s=: give a key of your own a name that begins with x-", name)
    _need(order == [name for name in ROUND_KEYS if name in keys], "keys are out of order: the order is %s",
          ", ".join(ROUND_KEYS))
    for name, row in ROUND_KEYS.items():
        _need(name in keys or row.flag != "required", "key %s= is missing", name)
    docs = _whole("docs", keys["docs"], 1, int(ROUND_KEYS["docs"].most))
    for name in order:
        _check_key(name, keys[name], docs)
    dim = int(keys["dim"])
    _need(docs <= max(BARE, size), "docs=%d, but the payload has only %d bytes", docs, size)
    counts = {name: count for name, (_, count) in shape.items()}
    right = {"docs": docs, "docs*dim": docs * dim, "docs+1": docs + 1, "dim": dim, "places": counts.get("seen"),
             "entries": counts.get("val")}
    for name, (kind, count) in shape.items():
        row = ROUND_COLUMNS.get(name)
        if row:
            want = right.get(row.length)
            _need(kind in row.type.split(","), "column %s has type %s, not %s", name, kind, row.type)
            _need(want in (None, count), "column %s has %d values, not %s", name, count, want)
    _check_together(keys, shape, docs, dim)


def _called(name):
    return name + "=" if name in ROUND_KEYS else "the column " + name


def _check_together(keys, shape, docs, dim):
    """Which keys and columns go together."""
    has = {*keys, *shape}
    for name, needs, excludes in ((row.name, row.needs, row.excludes) for row in ROWS if row.name in has):
        for other in needs.split(",") if needs != "-" else ():
            _need(other in has, "%s needs %s", _called(name), _called(other))
        for other in excludes.split(","):
            _need(other not in has, "%s and %s exclude each other", _called(name), _called(other))
    _need("seen" not in shape or shape["seen"][1] <= docs, "column seen has more places than documents")
    forms = [form for form in FORMS if any(name in shape for name in form)]
    _need(len(forms) <= 1, "dense, sparse and compact features exclude each other")
    _need(forms or dim == 0, "dim=%d, but the round has no features", dim)
    for name in forms[0] if forms else ():
        _need(name in shape, "features lack the column %s", name)


def _finite(values):
    if isinstance(values, array) and values.typecode == "f":  # the exponent of others has only ones
        data = _bytes("f4", values)
        high, low = data[3::4], data[2::4]
        return high.count(b"\x7f") + high.count(b"\xff") == 0 or not any(
            byte & 127 == 127 and low[i] > 127 for i, byte in enumerate(high))
    return bool(numpy.isfinite(values).all()) if numpy else all(map(math.isfinite, values))


def _check_values(record):
    """The values of the columns of a round, with its features."""
    docs, dim, columns = record.docs, record.dim, record.columns
    for row in ROUND_COLUMNS.values():
        values = columns.get(row.name)
        if values is None or row.least == "-":
            continue
        if row.most == "docs-1":
            _need(sorted(values.tolist()) == list(range(docs)), "column %s is not a permutation of 0 to %d", row.name,
                  docs - 1)
        else:
            least = -math.inf if row.least == "finite" else float(row.least)
            most = math.inf if row.most == "finite" else float(row.most)
            _need(_finite(values) and (not len(values) or (least <= min(values) and max(values) <= most)),
                  "column %s: each value must be a finite number, from %s to %s", row.name, least, most)
    if "name" in columns:
        names = columns["name"].tobytes()
        _need(names.count(b"\0") == docs and names.endswith(b"\0"), "column name must hold %d names", docs)
    if "ptr" in columns:
        _check_sparse(columns["ptr"].tolist(), columns["idx"].tolist(), dim)
    if "offset" in columns:
        offset, step = columns["offset"].tolist(), columns["step"].tolist()
        top = 255 if _kind(columns["number"]) == "u1" else 65535
        largest = _column("f4", list(map(operator.add, offset, _column("f4", [top * s for s in step]).tolist())))
        _need(all(map(math.isfinite, offset)) and all(s >= 0 for s in step) and _finite(largest),
              "offset, step and the largest value of a feature must be finite, and a step at least 0")


def _check_sparse(ptr, idx, dim):
    _need(ptr[0] == 0 and ptr[-1] == len(idx), "ptr must begin with 0 and end with the number of values")
    for i, (start, end) in enumerate(zip(ptr, ptr[1:])):
        row = idx[start:end] if start <= end <= len(idx) else None
        _need(row is not None, "ptr falls after document %d, or passes the end of idx", i)
        _need(not row or (row[-1] < dim and all(map(operator.lt, row, row[1:]))),
              "idx of document %d must rise and stay below dim=%d", i, dim)


def _check_model(record):
    keys, columns = record.keys, record.columns
    for name in ("learner", "rounds", "dim"):
        _need(name in keys, "key %s= is missing", name)
    _need(NAME.fullmatch(keys["learner"]), "learner=%.40s is not a name", keys["learner"])
    _whole("rounds", keys["rounds"], 0, MOST - 1)
    dim = _whole("dim", keys["dim"], 0, 1 << 32)
    if "w" in columns:
        _need(_kind(columns["w"]) == "f8" and len(columns["w"]) == dim, "column w must be f8[%d]", dim)
    for name, values in columns.items():
        _need(_kind(values) != "f8" or _finite(values), "column %s: each value must be a finite number", name)


# ---- words: queries, requests and documents ----


def _percent(data):
    return "".join(chr(c) if 32 < c < 127 and c != 37 else "%%%02X" % c for c in data)


def _encoded(text):
    return text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogateescape")


def query_word(text: str, fold: bool = False) -> str:
    """The word by which a query of any text is known, in the text of requests and in rounds.

    Words without blanks, #, ~ and control characters stay as they are. These become ~ and two
    hexadecimal digits. What then takes more than 255 bytes of a header line, is cut to its
    first 16 characters, and a hash follows. Equal texts have equal words, and others do not.

    With fold, the text is first folded: texts that differ by case, by blanks (or NUL), or by what
    Unicode's NFKC makes equal have one word. It is percent-encoded: the very qid of a round, which
    svm2bin and log2bin take by -Q.
    """
    data = _encoded(text)
    if fold:
        plain = data.decode("utf-8", "surrogateescape")
        data = _encoded(" ".join(unicodedata.normalize("NFKC", plain).casefold().replace("\0", " ").split()))
    _need(data, "a query needs a text")
    word = _escaped(data, fold)
    return (_cut(data, fold) if len(word if fold else _percent(word)) > 255 else word).decode("utf-8", "surrogateescape")


def _cut(data, fold):
    """The word of a text that is too long: its start and a hash."""
    start = data.decode("utf-8", "surrogateescape")[:16].encode("utf-8", "surrogateescape")
    return _escaped(start, fold) + b"~~" + hashlib.sha256(data).hexdigest()[:32].encode()


def _escaped(data, fold):
    if fold:
        return _percent(data).replace("#", "%23").replace("~", "%7E").encode()
    return re.sub(rb"[\x00-\x20\x7f#~]", lambda at: b"~%02X" % at[0][0], data)


def query_text(qid: str) -> str:
    """The text of a query, from the key qid of its round; of one that was cut, its start and the hash."""
    start, *cut = qid.encode().partition(b"~~")
    start = re.sub(rb"[%~]([0-9A-F]{2})", lambda at: bytes([int(at[1], 16)]), start)
    return b"".join([start, *cut]).decode("utf-8", "surrogateescape")


def document_word(text: str) -> str:
    """The name by which a document of any name is known in requests and in rounds.

    A name of at most 255 bytes stays as it is, if it has no blanks and control characters, and does not begin with ~~.
    Any other becomes ~~ and the word that query_word makes of it, which is cut where it has more than 253 bytes. Equal
    names have equal words, and others do not.
    """
    return _document_word(_encoded(text)).decode("utf-8", "surrogateescape")


def _document_word(data):
    _need(data, "a document needs a name of at least one letter")
    if len(data) <= 255 and data[:2] != b"~~" and not re.search(rb"[\x00-\x20\x7f]", data):
        return data
    word = _encoded(query_word(data))
    return b"~~" + (word if len(word) <= 253 else _cut(data, False))


def _document_words(names):
    """Those of the names, as bytes."""
    names = [_encoded(name) for name in names]
    all_ = b"".join(names)
    if b"" in names or b"~~" in all_ or re.search(rb"[\x00-\x20\x7f]", all_) or max(map(len, names), default=0) > 255:
        return [_document_word(name) for name in names]
    return names


def document_text(word: str) -> str:
    """The name of a document, from its word in rounds; of one that was cut, its start and the hash."""
    if not word.startswith("~~"):
        return word
    start, *cut = _encoded(word[2:]).partition(b"~~")
    start = re.sub(rb"~([0-9A-F]{2})", lambda at: bytes([int(at[1], 16)]), start)
    return b"".join([start, *cut]).decode("utf-8", "surrogateescape")


def _request_word(text):
    _need(re.fullmatch("[0-9A-Za-z._:-]{1,255}", text), "a request's name must be 1 to 255 of 0-9A-Za-z._:-")
    return text


def _name_bytes(names, docs):
    """The names of documents as bytes."""
    names = [_encoded(name) for name in names]
    _need(len(names) == docs, "%d names for %d documents", len(names), docs)
    if b"" in names or re.search(rb"[\x00-\x20\x7f]", b"".join(names)):
        i = next(i for i, name in enumerate(names) if not name or re.search(rb"[\x00-\x20\x7f]", name))
        raise Error("the name of document %d is empty, or has a blank or a control character" % i)
    _need(len(set(names)) == docs, "two documents have one name")
    return names


# ---- records ----


class Record:
    """A record of a stream: keys, a dict of text, and columns, a dict of arrays, as they follow.

    record["label"] is a column; record["label"] = [2, 0] sets one, del removes it, and get and
    `in` are those of a dict.
    """

    def __init__(self, keys: dict[str, str], columns: dict[str, Numbers]) -> None:
        self.keys, self.columns = keys, columns

    def __getitem__(self, name: str) -> Numbers:
        return self.columns[name]

    def __delitem__(self, name: str) -> None:
        del self.columns[name]

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    def get(self, name: str, default: Any = None) -> Any:
        return self.columns.get(name, default)

    def __setitem__(self, name: str, values: Any) -> None:
        _need(NAME.fullmatch(name), "not a valid name of a column: %.40r", name)
        kind = self._type(name, values)
        _need(kind, "column %s needs an array that has a type", name)
        new = _column(kind, values)
        if name in self.columns or name in FEATURES:
            self.columns[name] = new
        else:  # before the features, which stay last
            last = {n: self.columns.pop(n) for n in list(self.columns) if n in FEATURES}
            self.columns.update({name: new}, **last)

    def __repr__(self):
        shape = ("%s:%s[%d]" % (name, _kind(values), len(values)) for name, values in self.columns.items())
        return "<%s %s>" % (self.KIND, " ".join([*("%s=%s" % key for key in self.keys.items()), *shape]))


class Round(Record):
    """One query, served once."""

    KIND = "round"

    @classmethod
    def make(cls, features: Features = None, *, qid: str | None = None, labels: Iterable[float] | None = None,
             names: Iterable[str] | None = None, t: int | None = None, docs: int | None = None, dim: int | None = None,
             request: str | None = None, time: int | None = None, ordered: bool = False, fold: bool = False) -> Round:
        """A round. features has for each document its values, or a dict from the number of a feature, from
        0, to its value; or it is a matrix of numpy. Without features, docs items of a fixed list. ordered
        says that the documents are in the order of a search engine, best first: they get the column base.
        With fold, qid is folded: see query_word.
        """
        columns, docs, dim = _features(features, docs, dim)
        word = None if qid is None else query_word(qid, fold)
        keys = {"t": t, "qid": word if fold or word is None else _percent(_encoded(word)),
                "request": None if request is None else _request_word(request), "time": time, "docs": docs,
                "dim": dim}
        made = cls({name: str(value) for name, value in keys.items() if value is not None}, columns)
        if labels is not None:
            made["label"] = labels
        if names is not None:
            made.names = names
        if ordered:
            made["base"] = range(docs)
        return made

    @staticmethod
    def _type(name, values):
        kind = _kind(values)
        types = ROUND_COLUMNS[name].type.split(",") if name in ROUND_COLUMNS else [kind]
        return kind if kind in types else types[0]

    @property
    def t(self) -> int | None:
        """Its number."""
        return int(self.keys["t"]) if "t" in self.keys else None

    @property
    def docs(self) -> int:
        """The number of documents."""
        return int(self.keys["docs"])

    @property
    def dim(self) -> int:
        """The number of features."""
        return int(self.keys["dim"])

    @property
    def qid(self) -> str | None:
        """The name of the query, as rankpipe(5) writes it."""
        return self.keys.get("qid")

    @property
    def request(self) -> str | None:
        """The client's name of the request."""
        return self.keys.get("request")

    @property
    def time(self) -> int | None:
        """When it came, in milliseconds since 1970."""
        return int(self.keys["time"]) if "time" in self.keys else None

    @property
    def based(self) -> str | None:
        """Checksum of the model by which base is ordered."""
        return self.keys.get("based")

    @property
    def query(self) -> str | None:
        """The text of the query."""
        return query_text(self.qid) if self.qid else None

    @property
    def names(self) -> list[str] | None:
        """The names of the documents, or None."""
        if "name" not in self.columns:
            return None
        return self.columns["name"].tobytes().decode("utf-8", "surrogateescape").split("\0")[:-1]

    @names.setter
    def names(self, names: Iterable[str]) -> None:
        self["name"] = _array("u1", b"".join(name + b"\0" for name in _name_bytes(names, self.docs)))

    def sparse(self) -> list[tuple[list[int], list[float]]]:
        """For each document the numbers of its features that are not 0, from 0, and their values."""
        if "ptr" in self.columns:
            ptr = self.columns["ptr"].tolist()
            idx, val = self.columns["idx"].tolist(), self.columns["val"].tolist()
            return [(idx[start:end], val[start:end]) for start, end in zip(ptr, ptr[1:])]
        return [([j for j, v in enumerate(row) if v], [v for v in row if v]) for row in
                (row.tolist() for row in self.dense())]

    def dense(self, most: int = DENSE) -> Any:
        """For each document an array of all its features: a matrix, with numpy. An Error, if that
        were more than `most` values.
        """
        docs, dim, columns = self.docs, self.dim, self.columns
        _need(docs * dim <= most, "%d x %d features are more than %d: use sparse()", docs, dim, most)
        if "offset" in columns:
            values = _compact(columns["offset"], columns["step"], columns["number"], docs, dim)
        elif "x" in columns:
            values = columns["x"]
        else:
            values = array("f", bytes(4 * docs * dim))
            for i, (idx, val) in enumerate(self.sparse() if "ptr" in columns else ()):
                for j, v in zip(idx, val):
                    values[i * dim + j] = v
        if numpy:
            return numpy.asarray(values).reshape(docs, dim)
        return [values[i * dim:(i + 1) * dim] for i in range(docs)]


def _compact(offset, step, number, docs, dim):
    """offset + step * number: the product, then the sum, each rounded to a float. A double has room
    for both, so that rounding twice changes nothing.
    """
    if numpy:
        products = step * number.reshape(docs, dim).astype("<f4")
        return (offset + products).reshape(-1)
    values = array("f")
    for i in range(docs):
        products = array("f", map(operator.mul, step, number[i * dim:(i + 1) * dim]))
        values.extend(array("f", map(operator.add, offset, products)))
    return values


def _features(features, docs, dim):
    """The columns of features, dense or sparse, whichever takes fewer bytes; docs and dim."""
    if features is None:
        _need(docs and not dim, "a round without features is a fixed list: give docs, and no dim")
        return {}, docs, 0
    rows = features.tolist() if numpy and isinstance(features, numpy.ndarray) else list(features)
    _need(rows, "a round without documents")
    _need(docs in (None, len(rows)), "features of %d documents, not %s", len(rows), docs)
    made = _dense(rows, dim)
    if made is not None:
        return {"x": made}, len(rows), len(rows[0])
    rows = [_row(row) for row in rows]
    width = max(max(numbers, default=-1) + 1 for numbers, _ in rows)
    dim = width if dim is None else dim
    _need(width <= dim <= 1 << 31, "%d features, but dim=%d", width, dim)
    entries = sum(len(values) - values.count(0) for _, values in rows)
    if dim == 0:
        return {}, len(rows), 0
    if 4 * len(rows) * dim > 4 * (len(rows) + 1) + 8 * entries:
        ptr, idx, val = [0], [], []
        for numbers, values in rows:
            idx.extend(j for j, v in zip(numbers, values) if v)
            val.extend(v for v in values if v)
            ptr.append(len(idx))
        return {"ptr": _column("u4", ptr), "idx": _column("u4", idx), "val": _column("f4", val)}, len(rows), dim
    x = array("f", bytes(4 * len(rows) * dim))
    for i, (numbers, values) in enumerate(rows):
        if isinstance(numbers, range):
            x[i * dim:i * dim + len(values)] = values
        else:
            for j, v in zip(numbers, values):
                x[i * dim + j] = v
    return {"x": _column("f4", x)}, len(rows), dim


def _matrix(values, dim):
    """The column x of an array of all values; docs and dim."""
    _need(values.typecode == "f" and dim and dim > 0 and len(values) % dim == 0, "not the floats of documents of %s features", dim)
    _need(_finite(values), "a feature is not finite")
    return {"x": values}, len(values) // dim, dim


def _dense(rows, dim):
    """The column x of what most requests are, lists of as many numbers of which few are 0, in half the time. None of
    all else, and of what is wrong."""
    width = len(rows[0]) if isinstance(rows[0], list) else 0
    if not width or dim not in (None, width) or not all(isinstance(row, list) and len(row) == width for row in rows):
        return None
    pack = struct.Struct("%df" % width).pack
    try:
        data = b"".join([pack(*row) for row in rows])
        finite = math.isfinite(sum(map(sum, rows)))
    except (struct.error, TypeError, OverflowError):
        return None
    # A 0 is four bytes of 0: where these are fewer than half of the bytes, fewer than half of the values are 0.
    if not finite or 2 * len(data.translate(None, b"\0")) <= len(data):
        return None
    x = array("f", data)
    return numpy.asarray(x) if numpy else x


def _row(row):
    """The numbers of one document's features, and their values."""
    if not isinstance(row, dict):
        values = _floats(row)
        return range(len(values)), values
    numbers = sorted(row)
    _need(all(isinstance(j, int) for j in numbers) and (not numbers or numbers[0] >= 0),
          "a feature's number must be a whole number of at least 0")
    return numbers, _floats([row[j] for j in numbers])


def _floats(row):
    """A document's values as floats of single precision, each finite."""
    try:
        if isinstance(row, (str, bytes, bytearray)):
            raise TypeError
        values = array("f", row)
    except (TypeError, ValueError, OverflowError):
        raise Error("a feature is not a number: %.60r" % (row,)) from None
    _need(all(map(math.isfinite, values)), "a feature is not finite, or too large: %.60r", row)
    return values


class Model(Record):
    """What update has learnt. A model of update needs all its keys and columns to go on."""

    KIND = "model"

    @classmethod
    def make(cls, w: Sequence[float]) -> Model:
        """A model that scores by the weights w, one for each feature, as weights2bin makes it."""
        w = _column("f8", w)
        return cls({"learner": "fixed", "rounds": "0", "dim": str(len(w))}, {"w": w})

    @staticmethod
    def _type(name, values):
        return _kind(values) or "f8"

    @property
    def learner(self) -> str:
        """The learner's name, or fixed."""
        return self.keys["learner"]

    @property
    def rounds(self) -> int:
        """The number of rounds learnt."""
        return int(self.keys["rounds"])

    @property
    def dim(self) -> int:
        """The number of weights."""
        return int(self.keys["dim"])

    @property
    def w(self) -> Numbers:
        """The weights, or None."""
        return self.columns.get("w")


KINDS = {"round": Round, "model": Model, "patch": Model}


# ---- streams ----


def _header(line):
    """The kind, keys, columns (name: type, length) and bytes that a header line announces."""
    _need(line.startswith(b"rankpipe/"), "not a rankpipe stream: it begins with %.60r", line[:40])
    version = line[9:].split(b" ")[0].rstrip(b"\n")
    _need(re.fullmatch(b"[0-9]{1,20}", version), "not a rankpipe stream: it begins with %.60r", line[:40])
    _need(version == b"1", "the stream has version %.20s, but this module reads version 1", version.decode())
    _need(len(line) < LINE or line.endswith(b"\n"), "header line: longer than %d bytes", LINE)
    _need(line.endswith(b"\n"), "cut short within a header line")
    _need(re.fullmatch(b"[ -~]*", line[:-1]), "header line: a byte is not printable ASCII")
    _, kind, *words = line[:-1].decode().split(" ") + ([""] if b" " not in line else [])
    _need(kind in ("round", "model", "patch", "end"),
          "header line: not a kind of record (round, model, patch, end): %.40s", kind)
    keys, shape = {}, {}
    for place, word in enumerate(words[:-1]):
        name, sign, value = word.partition("=")
        _need(sign and value and NAME.fullmatch(name), "header line: not key=value: %.40r", word)
        _need(name not in keys and name != "bytes", "header line: key %.40s= comes twice, or before the end", name)
        if name == "cols":
            _need(place == len(words) - 2, "header line: only bytes= may follow cols=")
            shape = _shape(value)
        else:
            keys[name] = value
    _need(words and words[-1].startswith("bytes="), "header line: bytes= is missing at its end")
    size = sum(count * int(kind[1]) for kind, count in shape.values())
    said = _whole("bytes", words[-1][6:], 0, MOST)
    _need(said == size, "header line: bytes=%d, but its columns have %d bytes", said, size)
    return kind, keys, shape, size


def _shape(text):
    shape = {}
    for word in text.split(","):
        parts = re.fullmatch(r"([a-z][a-z0-9_-]*):(u1|u2|u4|u8|f4|f8)\[([0-9]+)\]", word)
        _need(parts, "header line: a column must be name:type[count], not %.40r", word)
        _need(parts[1] not in shape, "header line: column %.40s comes twice", parts[1])
        shape[parts[1]] = parts[2], _whole(parts[1], parts[3], 0, MOST)
    return shape


def _payload(file, size):
    """So many bytes: memory grows with those that come, not with the number."""
    parts = []
    while size:
        part = file.read(min(size, 1 << 20))
        _need(part, "cut short: %d bytes of its payload are missing", size)
        parts.append(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _record(file, line, kind, keys, shape, size):
    """The round or the model that a header line begins."""
    first, crc = next(iter(keys), None), keys.get("crc")
    if crc is not None:
        _need(first == "crc" and re.fullmatch("[0-9a-f]{8}", crc), "header line: crc= must be the first key, and "
              "eight digits 0-9a-f")
        del keys["crc"]
    if kind == "round" and "x-erased" not in keys:
        _check_round(keys, shape, size)
    elif kind != "round":
        _need(first in ("crc", "learner"), "header line: the first key of a model must be crc= or learner=")
    payload, at, columns = _payload(file, size), 0, {}
    if crc is not None:
        sum_ = crc32c(line[:21] + b"00000000" + line[29:], payload)
        _need("%08x" % sum_ == crc, "crc=%s, but its bytes have %08x: the record is damaged", crc, sum_)
    for name, (column, count) in shape.items():
        end = at + count * int(column[1])
        columns[name] = _array(column, memoryview(payload)[at:end])
        at = end
    record = KINDS[kind](keys, columns)
    if kind != "round":
        _check_model(record)
    elif "x-erased" not in keys:
        _check_values(record)
    return record


class _Rows:
    """A table of a model: its columns in the order of their keys, which are the first of them."""

    def __init__(self, columns):
        self.columns = [values if isinstance(values, array) else array(CODES[_kind(values)], values.tobytes())
                        for values in columns]
        self.keys = self.columns[0]
        rising = all(map(operator.lt, self.keys, self.keys[1:]))
        _need(rising and all(len(values) == len(self.keys) for values in self.columns), "not a table of a model")

    def patched(self, rows, gone):
        """The columns with the rows of another table, and without those of some keys."""
        made, at = [values[:0] for values in self.columns], 0
        edits = sorted([(key, i) for i, key in enumerate(rows.keys)] + [(key, -1) for key in gone])
        for key, i in edits:
            to = bisect.bisect_left(self.keys, key, at)
            there = to < len(self.keys) and self.keys[to] == key
            _need(i >= 0 or there, "a key is gone that was not there")
            for values, old, new in zip(made, self.columns, rows.columns):
                values.extend(old[at:to])
                values.extend(new[i:i + 1] if i >= 0 else ())
            at = to + there
        for values, old in zip(made, self.columns):
            values.extend(old[at:])
        return made


def _patched(patch, path):
    """The model that a patch is of, with the whole one beside it: rankpipe(5), "Patches"."""
    since = re.fullmatch(r"(0|[1-9][0-9]*)\.([0-9a-f]{8})", patch.keys.pop("since", ""))
    _need(since, "since= is not rounds, a dot, and the eight digits of crc=")
    _need(path, "it holds what changed of a model since whole.%s.bin: give the name of the file", since[0])
    beside = os.path.join(os.path.dirname(os.path.realpath(path)), "whole.%s.bin" % since[0])
    _need(os.path.isfile(beside), "it holds what changed of a model since %s, which is missing", beside)
    with open(beside, "rb") as file:
        start = file.readline(LINE)
    _need(start.startswith(b"rankpipe/1 model crc=%b " % since[2].encode()), "%s is not the model of that name", beside)
    whole = read_model(beside)
    _need(whole.keys["rounds"] == since[1], "%s is not the model of that name", beside)
    last = 0
    for word in filter(None, patch.keys.pop("tables", "").split(",")):
        first, _, n = word.partition(":")
        names = list(patch.columns)
        _need(first in names[last:] and n in ("1", "2", "3", "4"), "tables= has %.60s", word)
        at, last = names.index(first), names.index(first) + int(n)
        _need(names[last:last + 1] == [first + "-gone"], "table %.40s has not its columns", first)
        names, gone = names[at:last], patch.columns.pop(first + "-gone")
        columns = [patch.columns[name] for name in names]
        kinds = [_kind(values) for values in columns]
        old = [whole.columns.get(name, values[:0]) for name, values in zip(names, columns)]
        _need(kinds[0] == "u8" and kinds == [_kind(values) for values in old], "table %.40s is of another form", first)
        made = _Rows(old).patched(_Rows(columns), gone.tolist())
        patch.columns.update((name, _column(kind, values)) for name, kind, values in zip(names, kinds, made))
    _check_model(patch)
    return patch


def read(source: Path | IO[bytes]) -> Iterator[Any]:
    """Generates the rounds and models of a stream: a path, or a file that is open for bytes. Raises an
    Error at the first record that is wrong; what came before it is right. A stream ends with its
    end record, so that one that was cut is an Error too.
    """
    if isinstance(source, (str, bytes, os.PathLike)):
        with open(source, "rb") as file:
            yield from read(file)
        return
    place = count = 0
    ended = False
    name = getattr(source, "name", None)
    name = name if isinstance(name, str) else "stream"
    for line in iter(lambda: source.readline(LINE), b""):
        place += 1
        try:
            kind, keys, shape, size = _header(line)
            ended = kind == "end"
            if not ended:
                erased = kind == "round" and "x-erased" in keys
                record = _record(source, line, kind, keys, shape, size)
                if kind == "patch":
                    record = _patched(record, name if name != "stream" and os.path.exists(name) else None)
            else:
                _need(list(keys) == ["rounds"] and not shape, "header line: an end record must be "
                      "'rankpipe/1 end rounds=n bytes=0'")
                said = _whole("rounds", keys["rounds"], 0, MOST)
                _need(said == count, "the end record counts %d records, but %d came", said, count)
        except Error as error:
            raise Error("%s: record %d: %s" % (name, place, error)) from None
        count = 0 if ended else count + 1
        if not ended and not erased:
            yield record
    _need(place, "%s: not a single byte, where a stream has at least an end record", name)
    _need(ended, "%s: cut short after record %d: the end record is missing", name, place)


class Writer:
    """Writes records to a file that is open for bytes. Used by `with`, it ends the stream if no
    exception came, and flushes the file. Rounds without t are numbered.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.count, self.t = file, 0, 0

    def write(self, record: Record) -> None:
        self.file.write(self._text(record))
        self.count += 1

    def _text(self, record):
        keys = {name: str(value) for name, value in record.keys.items() if name != "crc"}
        if record.KIND == "round":
            keys.setdefault("t", str(self.t + 1))
            known = {name: keys.pop(name) for name in ROUND_KEYS if name in keys}
            keys = {**known, **keys}
        shape = {name: (_kind(values), len(values)) for name, values in record.columns.items()}
        _need(all(kind for kind, _ in shape.values()), "a column has no type that a stream has")
        payload = b"".join(_bytes(kind, record.columns[name]) for name, (kind, _) in shape.items())
        if record.KIND == "round":
            _check_round(keys, shape, len(payload))
            _check_values(record)
            self.t = int(keys["t"])
        else:
            _check_model(record)
        columns = ",".join("%s:%s[%d]" % (name, *column) for name, column in shape.items())
        words = ["rankpipe/1", record.KIND, "crc=00000000", *("%s=%s" % key for key in keys.items())]
        words += ["cols=" + columns] if columns else []
        line = " ".join([*words, "bytes=%d\n" % len(payload)]).encode("ascii", "replace")
        _need(len(line) <= LINE, "its header line would be longer than %d bytes", LINE)
        _header(line)
        return line[:21] + b"%08x" % crc32c(line, payload) + line[29:] + payload

    def end(self) -> None:
        self.file.write(b"rankpipe/1 end rounds=%d bytes=0\n" % self.count)
        self.file.flush()
        self.count = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.end()


def read_model(path: Path) -> Model:
    """The model in a file."""
    models = list(read(path))
    _need(len(models) == 1 and isinstance(models[0], Model), "%s: not the file of one model", path)
    return models[0]


def write_model(path: Path, model: Model) -> None:
    """Replaces the file by one of that model, which is whole at each moment."""
    _need(isinstance(model, Model), "%r is not a model", model)
    new = "%s.%d.new" % (os.fspath(path), os.getpid())
    try:
        with open(new, "xb") as file:
            with Writer(file) as out:
                out.write(model)
            os.fsync(file.fileno())
        os.replace(new, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(new)


# ---- programs ----


@functools.lru_cache(maxsize=1)
def _programs():
    words = "rankpipe --path".split()
    _need(shutil.which(words[0]), "%s is not on the PATH", words[0])
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.rstrip("\n")


def pipe(pipeline: str, records: Iterable[Record] = ()) -> Iterator[Any]:
    """Generates what a pipeline of rankpipe's programs, as loop(1) takes it, makes of the records.
    Raises an Error with its message if it fails. Warnings go to sys.stderr.
    """
    failed = []

    def feed():
        try:
            with contextlib.suppress(BrokenPipeError), process.stdin, Writer(process.stdin) as out:
                for record in records:
                    out.write(record)
                    process.stdin.flush()  # the next one may wait for what comes out
        except BaseException as error:  # of the records: raised where they are read
            failed.append(error)

    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen([os.path.join(_programs(), "loop"), pipeline], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=said)
        feeder = threading.Thread(target=feed, daemon=True)
        feeder.start()
        try:
            with process.stdout:
                if process.stdout.peek(1):
                    yield from read(process.stdout)
            process.wait()
        except Error:
            if process.wait() == 0:
                raise
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            feeder.join()
        said.seek(0)
        text = said.read().decode("utf-8", "replace").strip()
    if failed:
        raise failed[0]
    _need(process.returncode == 0, "%s", text or "%s: exit status %d" % (pipeline, process.returncode))
    if text:
        print(text, file=sys.stderr)


def run(pipeline: str, records: Iterable[Record] = ()) -> list[Any]:
    """The same as a list, when the pipeline has ended."""
    return list(pipe(pipeline, records))


# ---- a ranker in the manner of scikit-learn ----


class Ranker:
    """A ranker with fit, partial_fit, predict and score, on top of the same programs. It needs neither numpy nor
    scikit-learn, whose clone and searches over parameters take it. model_ is the model, once it has learnt.

    learner is what update takes after -a, with its settings; passes are those of fit over the queries, in an order
    drawn by seed; steps are what update takes after -x, as in log,scale.
    """

    model_: Model | None

    def __init__(self, learner: str = "solar2", passes: int = 4, seed: int = 1, steps: str | None = None) -> None:
        self.learner, self.passes, self.seed, self.steps = learner, passes, seed, steps

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("learner", "passes", "seed", "steps")}

    def set_params(self, **parameters: Any) -> Ranker:
        for name, value in parameters.items():
            if name not in self.get_params():
                raise ValueError("Ranker has no parameter %r: it has %s" % (name, ", ".join(self.get_params())))
            setattr(self, name, value)
        return self

    def fit(self, X: Features, y: Iterable[float], qid: Iterable[Any]) -> Ranker:
        """Learns anew from the rows of X, with the relevance y and the query qid of each."""
        self.model_ = None
        rounds = [round for round, _ in _queries(X, qid, y)]
        return self._learn("replay -n %d -s %d - | " % (self.passes * len(rounds), self.seed), rounds)

    def partial_fit(self, X: Features, y: Iterable[float], qid: Iterable[Any]) -> Ranker:
        """Learns further, in one pass."""
        self.model_ = getattr(self, "model_", None)
        return self._learn("", [round for round, _ in _queries(X, qid, y)])

    def predict(self, X: Features, qid: Iterable[Any] | None = None) -> Numbers:
        """The scores of the rows, in their order; without qid they are one query."""
        rounds = _queries(X, qid)
        scores = [0.0] * sum(len(rows) for _, rows in rounds)
        with self._file() as model:
            for shown, (_, rows) in zip(pipe("score -m " + model, [round for round, _ in rounds]), rounds):
                for row, value in zip(rows, shown["score"].tolist()):
                    scores[row] = value
        return numpy.array(scores) if numpy else scores

    def score(self, X: Features, y: Iterable[float], qid: Iterable[Any]) -> float:
        """The mean NDCG@10 of the queries, as metric(1) computes it."""
        with self._file() as model, tempfile.NamedTemporaryFile() as table:
            run("score -m %s | explore | metric -t %s ndcg@10" % (model, shlex.quote(table.name)),
                [round for round, _ in _queries(X, qid, y)])
            return float(table.read().split()[-1])

    def save(self, path: Path) -> None:
        write_model(path, self._model())

    def load(self, path: Path) -> Ranker:
        self.model_ = read_model(path)
        return self

    def _model(self):
        if getattr(self, "model_", None) is None:
            raise ValueError("the ranker has not learnt yet: call fit first")
        return self.model_

    @contextlib.contextmanager
    def _file(self):
        """The model as a file, quoted for a pipeline."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model")
            if self._model():
                write_model(path, self.model_)
            yield shlex.quote(path)

    def _learn(self, first, rounds):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model")
            if self.model_:
                write_model(path, self.model_)
            steps = "-x %s " % shlex.quote(self.steps) if self.steps and not self.model_ else ""
            run("%supdate -a %s %s-m %s" % (first, shlex.quote(self.learner), steps, shlex.quote(path)), rounds)
            self.model_ = read_model(path)
        return self


def _rows(X):
    """The rows of a list, a matrix of numpy or scipy, or a table of pandas."""
    if hasattr(X, "toarray"):
        if math.prod(X.shape) >= 10 ** 7:
            raise ValueError("X is sparse, and has %d values with its zeros, but only fewer than 10^7 are made dense: give "
                             "each row as a dict of feature number and value" % math.prod(X.shape))
        X = X.toarray()
    return list(X.to_numpy() if hasattr(X, "to_numpy") else X)


def _queries(X, qid, y=None):
    """(round, its rows) of each query, in the order in which queries come first; ValueError where the shapes do not fit."""
    rows, labels = _rows(X), None if y is None else [float("nan" if value is None else value) for value in y]
    if qid is None and y is not None:
        raise ValueError("qid is None: give the query of each row")
    given = [""] * len(rows) if qid is None else list(qid)
    names = [str(name) for name in given]
    for i, name in enumerate(names):
        if name in ("None", "nan", "NaT", "<NA>") and not isinstance(given[i], str):
            raise ValueError("qid of row %d, counted from 0, is %s: give the query of each row" % (i, name))
    for what, values in ("qid", names), ("y", labels):
        if values is not None and len(values) != len(rows):
            raise ValueError("X has %d rows, but %s has %d" % (len(rows), what, len(values)))
    if not rows:
        raise ValueError("X has no rows")
    if labels and not all(value >= 0 and math.isfinite(value) for value in labels):
        raise ValueError("y has a relevance that is negative or not finite")
    groups = {}
    for i, name in enumerate(names):
        groups.setdefault(name, []).append(i)
    try:
        dim = max(len(row) if not isinstance(row, dict) else max(row, default=-1) + 1 for row in rows)
        return [(Round.make([rows[i] for i in of], dim=dim, qid=name or "-", labels=labels and [labels[i] for i in of]), of)
                for name, of in groups.items()]
    except Error as error:
        raise ValueError("X: %s" % error) from None


# ---- the service ----


class Ranking(NamedTuple):
    """An answer of serve."""

    request: str | None  # the name of the request, to which feedback refers; None: the service could not store it
    t: int  # the number of the round
    order: list[int]  # the documents, best first, by their place in the request from 0
    scores: list[float] | None  # theirs, in this order; None where the pipeline gives no scores


@functools.lru_cache(maxsize=64)
def _template(dim):
    return " ".join("%d:%%.9g" % j for j in range(1, dim + 1))


def _features_text(row):
    if isinstance(row, bytes):
        _need(not row.translate(None, b"0123456789:.eE+- \t"), "not the text of features: %.60r", row)
        return row
    if isinstance(row, dict):
        return " ".join("%d:%.9g" % (j + 1, v) for j, v in zip(*_row(row))).encode()
    values = _floats(row)
    return (_template(len(values)) % tuple(values)).encode()


def request_text(features: Features, names: Sequence[str] | None = None, query: str | None = None,
                 request: str | None = None, ordered: bool = True, fold: bool = False) -> bytes:
    """The text of a request to serve, as bytes. features has for each document its values, a dict from
    the number of a feature, from 0, to its value, or bytes: the text of them, with numbers from 1.
    Documents come in the order of a search engine, best first; ordered=False says that they do not.
    Names may be any text: see document_word. With fold the query is folded: see query_word.
    """
    _need(len(features), "a request without documents")
    lead = b"? " if query is None else b"? qid%b%b " % (b"=" if fold else b":", _encoded(query_word(query, fold)))
    lines = [lead + _features_text(row) for row in features]
    if names is not None:
        lines = [b"%b #docid=%b" % pair for pair in zip(lines, _name_bytes(_document_words(names), len(lines)))]
    if not ordered:
        lines.insert(0, b"order: none")
    if request is not None:
        lines.insert(0, b"request: " + _request_word(request).encode())
    return b"\n".join([*lines, b"", b""])


def request_round(features: Features, names: Sequence[str] | None = None, query: str | None = None,
                  request: str | None = None, ordered: bool = True, fold: bool = False, dim: int | None = None) -> bytes:
    """The same request as a round, which serve takes without reading decimal numbers. features are not bytes here,
    but may be an array of floats, the values of all documents, with dim for each. dim is the number of features, by
    default that of the largest one. ordered gives the round the column base, whether serve has -e or not.
    """
    _need(len(features), "a request without documents")
    columns, docs, dim = _matrix(features, dim) if isinstance(features, array) else _features(features, None, dim)
    lead = {}
    if names is not None:
        lead["name"] = array("B", b"".join(name + b"\0" for name in _name_bytes(_document_words(names), docs)))
    if ordered:
        lead["base"] = _column("u4", range(docs))
    columns = {**lead, **columns}
    words = ["rankpipe/1 round t=1"]
    if query is not None:
        word = query_word(query, fold)
        words.append("qid=" + (word if fold else _percent(_encoded(word))))
    if request is not None:
        words.append("request=" + _request_word(request))
    words.append("docs=%d dim=%d" % (docs, dim))
    parts = [_bytes(_kind(values), values) for values in columns.values()]
    if columns:
        words.append("cols=" + ",".join("%s:%s[%d]" % (name, _kind(values), len(values)) for name, values in
                                        columns.items()))
    words.append("bytes=%d\n" % sum(map(len, parts)))
    return b"".join([" ".join(words).encode("ascii"), *parts])


def read_answer(text: bytes, docs: int, names: Sequence[str] | None = None, request: str | None = None) -> Ranking:
    """The Ranking that an answer of serve says, from the bytes before its blank line. Raises Refused with
    what the service says if it refused, and Error if this is no answer to such a request.
    """
    if text.startswith(b"!"):
        raise Refused(text[1:].strip().decode("utf-8", "replace"))
    lines = text.rstrip(b"\n").split(b"\n")
    if request is not None and lines[-1] == b"#\tnot stored":
        lines.pop()
        request = None
    words = [line.split(b"\t") for line in lines]
    place = {name: i for i, name in enumerate(_document_words(names))} if names is not None else \
        {b"%d" % i: i for i in range(docs)}
    try:
        order = [place[word[3]] for word in words]
        scores = [float(word[4]) for word in words] if words[0][4] not in (b"-", b"") else None
        right = len(set(order)) == len(order) == docs and all(
            len(word) == 6 and word[0] == words[0][0] and word[2] == b"%d" % at for at, word in enumerate(words, 1))
        if right:
            return Ranking(request, int(words[0][0]), order, scores)
    except (KeyError, IndexError, ValueError):
        pass
    raise Error("the service gave an answer that is none to this request: %.60r" % text)


class Client:
    """A client of serve over one connection, which is kept, and made again if the service has closed it.
    address is the path of its socket, or (host, port). Threads may share a client, and take turns.
    With rounds, requests are sent as rounds: see request_round.
    """

    def __init__(self, address: str | tuple[str, int], timeout: float = 10.0, rounds: bool = False) -> None:
        self.address, self.timeout, self.rounds = address, timeout, rounds
        self._socket, self._lock = None, threading.Lock()

    def rank(self, features: Features, names: Sequence[str] | None = None, query: str | None = None,
             request: str | None = None, ordered: bool = True, fold: bool = False) -> Ranking:
        """The Ranking of these documents: see request_text. Without a name of the request, one is made.
        A request that gets no answer is not sent again.
        """
        request = secrets.token_hex(16) if request is None else request
        made = request_round if self.rounds else request_text
        text = made(features, names, query, request, ordered, fold)
        most = 4096 + 1024 * len(features) + len(text)
        with self._lock:
            try:
                answer = self._ask(text, most)
            except (OSError, Unavailable) as error:
                self._drop()
                raise Unavailable("%s: %s" % (self.address, getattr(error, "strerror", None) or error)) from None
            except BaseException:
                self._drop()
                raise
        try:
            return read_answer(answer, len(features), names, request)
        except Refused:
            raise
        except Error:
            self.close()
            raise

    def _ask(self, text, most):
        if self._socket is not None and self._is_closed():
            self._drop()
        if self._socket is None:
            self._socket = self._connect()
        self._socket.sendall(text)
        parts, size, end = [], 0, b""
        while end != b"\n\n":
            part = self._socket.recv(1 << 16)
            if not part:
                raise Unavailable("the service closed the connection without an answer")
            size += len(part)
            parts.append(part)
            end = (end + part[-2:])[-2:]
            _need(size <= most, "an answer of more than %d bytes", most)
        return b"".join(parts)[:-1]

    def _connect(self):
        kind = socket.AF_INET if isinstance(self.address, tuple) else socket.AF_UNIX
        if kind == socket.AF_INET:
            return socket.create_connection(self.address, self.timeout)
        new = socket.socket(kind)
        try:
            new.settimeout(self.timeout)
            new.connect(os.fspath(self.address))
        except BaseException:
            new.close()
            raise
        return new

    def _is_closed(self):
        """Between two requests nothing comes but the end."""
        try:
            self._socket.setblocking(False)
            self._socket.recv(1)
        except BlockingIOError:
            return False
        except OSError:
            pass
        finally:
            with contextlib.suppress(OSError):
                self._socket.settimeout(self.timeout)
        return True

    def _drop(self):
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def close(self) -> None:
        with self._lock:
            self._drop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
