"""Files, their lines, and records of JSON in them."""
# SPDX-License-Identifier: ISC
import heapq
import json
import sys
from operator import itemgetter

from .fields import stamp
from .table import LONGEST

BLOCK = 1 << 17  # bytes that are read at once


class Source:
    """A file, its name and the number of the line at hand."""

    def __init__(self, path, notes):
        self.name, self.number, self.notes = "<stdin>" if path == "-" else path, 0, notes
        self.file = sys.stdin.buffer if path == "-" else open(path, "rb")

    def blocks(self):
        """Texts of whole lines, without the last LF. A line that is too long is left out."""
        rest, number, passing = b"", 1, False
        while data := self.file.read(BLOCK):
            first = data.find(b"\n")
            if passing or len(rest) + (first if first >= 0 else len(data)) > LONGEST:
                if not passing:
                    self.warn_at(number, "a line of more than %d bytes, and left out" % LONGEST)
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
        text = data.decode("utf-8", "replace")
        return text[1:] if number == 1 and text[:1] == "\ufeff" else text

    def warn_at(self, number, what):
        self.number, self.notes.source = number, self
        self.notes.warn(what)

    def lines(self):
        for text in self.blocks():
            for self.number, line in enumerate(text.split("\n"), self.number):
                yield line

    def records(self):
        """The objects of lines of JSON."""
        scan = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str).scan_once
        for line in self.lines():
            try:
                record, end = scan(line, 0)
                if end < len(line) and line[end:].strip() or type(record) is not dict:
                    raise ValueError
            except (ValueError, StopIteration, RecursionError):
                if line.strip():
                    self.notes.source = self
                    self.notes.warn("not an object of JSON, and left out", line.strip())
                continue
            inner = record.get("_source")
            yield inner if type(inner) is dict else record

    def timed(self, key):
        """Records with their times, or the latest before where one has none that can be read."""
        last = 0
        for record in self.records():
            last = stamp(record.get(key)) or last
            yield last, self, record


def records_of(sources, notes):
    """The records of several files, side by side by their time."""
    if len(sources) == 1:
        notes.source = sources[0]
        yield from sources[0].records()
        return
    for _, notes.source, record in heapq.merge(*(source.timed("timestamp") for source in sources), key=itemgetter(0)):
        yield record


def time_of(notes, value, read=stamp):
    """A time, with a warning if it is not valid."""
    time = read(value) if value is not None else None
    if time is None and value not in (None, "", "-"):
        notes.warn("no time that can be read", value)
    return time
