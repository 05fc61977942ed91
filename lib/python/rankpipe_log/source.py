"""Files, their lines, and records of JSON in them."""
# SPDX-License-Identifier: ISC
import codecs
import heapq
import itertools
import json
import re
import sys
from operator import itemgetter

import rankpipe_front
from rankpipe_front import fail

from .fields import stamp
from .table import LONGEST

SCAN = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str).scan_once
HALF = re.compile("[\ud800-\udfff]")
BETWEEN = re.compile(r"[\s,]*")
REPLY = tuple(b'{"%s"' % key for key in (b"took", b"_scroll_id", b"pit_id", b"timed_out", b"hits"))  # how one begins


class Source:
    """A file, its name and the number of the line at hand."""

    def __init__(self, path, notes):
        self.name, self.number, self.notes = "<stdin>" if path == "-" else path, 0, notes
        self.file = sys.stdin.buffer if path == "-" else open(path, "rb")
        self.decoded = rankpipe_front.decoded  # bytes that begin in a line, as text

    def fail(self, what):
        fail("%s: %s" % (self.name, what))

    def pieces(self):
        """The bytes, without the mark that some programs begin UTF-8 with."""
        mark = codecs.BOM_UTF8
        try:
            for data in rankpipe_front.pieces(self.file):
                if data:
                    yield data.removeprefix(mark)
                    mark = b""
        except ValueError as error:
            self.fail(error)

    def blocks(self, pieces=None):
        """Texts of whole lines, without the last LF. A line that is too long is left out."""
        rest, number, passing = b"", 1, False
        for data in pieces or self.pieces():
            first = data.find(b"\n")
            if passing or len(rest) + (first if first >= 0 else len(data)) > LONGEST:
                if not passing:
                    self.warn_at(number, "rows left out, of more than %d bytes" % LONGEST)
                passing, rest = first < 0, b""
                if passing:
                    continue
                number, data = number + 1, data[first + 1:]
            text, end, last = data.rpartition(b"\n")
            if not end:
                rest += data
                continue
            text, rest = rest + text, last
            yield self.take(number, text)
            number += text.count(b"\n") + 1
        if rest:
            yield self.take(number, rest)

    def take(self, number, data):
        self.number = number
        try:
            return self.decoded(data, number)
        except ValueError as error:
            self.fail(error)

    def warn_at(self, number, what):
        self.number, self.notes.source = number, self
        self.notes.rows += 1
        self.notes.warn(what)

    def lines(self, pieces=None):
        for text in self.blocks(pieces):
            for self.number, line in enumerate(text.split("\n"), self.number):
                yield line

    def records(self, keys):
        """The objects of lines of JSON, or of an array. The keys are those that no object may have twice."""
        pieces = self.pieces()
        start = next(pieces, b"")
        head, bracket, rest = start.partition(b"[")
        if b"".join(start[:1000].split()).startswith(REPLY):
            self.fail("this is a reply of _search: give what this prints: jq -c '.hits.hits[]' FILE")
        if start.lstrip()[:1000].partition(b"\n")[0].strip() == b"{":
            self.fail("this is JSON of many lines: give what this prints: jq -c . FILE")
        found = self.objects(itertools.chain([start], pieces))
        if bracket and not head.strip():
            self.number, found = 1 + head.count(b"\n"), self.elements(itertools.chain([rest], pieces))
        self.notes.source = self
        for record, text in found:
            self.notes.rows += 1
            why = None if type(record) is dict else "not an object of JSON"
            if not why and any(text.count(key) > 1 for key in keys) and repeats(text):
                why = "with a key twice"
            if not why and (r"\ud" in text or r"\uD" in text) and is_half(record):
                why = r"with half a character: \ud800 to \udfff alone"
            if why:
                self.notes.source = self
                self.notes.warn("rows left out, " + why, text.strip())
                continue
            inner = record.get("_source")
            yield inner if type(inner) is dict else record

    def objects(self, pieces):
        """What each line is, if it is JSON, and its text."""
        for line in self.lines(pieces):
            try:
                record, end = SCAN(line, 0)
                if end < len(line) and line[end:].strip():
                    record = None
            except (ValueError, StopIteration, RecursionError):
                if not line.strip():
                    continue
                record = None
            yield record, line

    def elements(self, pieces):
        """The same of the elements of an array."""
        decoder, text, at = codecs.getincrementaldecoder("utf-8")(), "", 0
        for piece in itertools.chain(pieces, [b""]):
            try:
                text, at = text[at:] + decoder.decode(piece, not piece), 0
            except UnicodeDecodeError:
                self.take(self.number + text.count("\n", at), decoder.getstate()[0] + piece)
            while True:
                before, at = at, BETWEEN.match(text, at).end()
                self.number += text.count("\n", before, at)
                if text[at:at + 1] == "]":
                    more = itertools.chain([text[at + 1:].encode()], pieces)
                    if any(piece.strip() for piece in more):
                        self.fail("line %d: more follows after the array of JSON: give what this prints: jq -c '.[]' FILE" % (
                            self.number))
                    return
                try:
                    value, end = SCAN(text, at)
                    if end == len(text) and piece:  # a number may go on
                        break
                except (ValueError, StopIteration, RecursionError):
                    break
                yield value, text[at:end]
                self.number += text.count("\n", at, end)
                at = end
            if len(text) - at > LONGEST:
                break
        self.fail("line %d: the array of JSON is cut short or damaged: '%.40s'" % (self.number, text[at:]))

    def timed(self, keys):
        """Records with their times, or the latest before where one has none that can be read."""
        last = 0
        for record in self.records(keys):
            last = stamp(record.get("timestamp")) or last
            yield last, self, record


def is_half(record):
    """Has a text of it half a character, which is none?"""
    try:
        return HALF.search(json.dumps(record, ensure_ascii=False))
    except RecursionError:
        return True


def repeats(text):
    """Has an object of JSON, or one in it, a key twice?"""
    found = []

    def take(pairs):
        found.append(len(pairs) > len(dict(pairs)))
        return dict(pairs)
    json.loads(text, object_pairs_hook=take)
    return any(found)


def records_of(sources, notes, keys):
    """The records of several files, side by side by their time."""
    if len(sources) == 1:
        yield from sources[0].records(keys)
        return
    for _, notes.source, record in heapq.merge(*(source.timed(keys) for source in sources), key=itemgetter(0)):
        yield record


def time_of(table, value, read=stamp):
    """A time, with a warning if it is not valid."""
    time = None if value is None else read(value)
    if time is None and value is not None and (not isinstance(value, str) or table.name("time", value)):
        table.notes.warn("times that cannot be read: give 2026-11-28T10:00:00Z, or seconds since 1970", value)
    return time
