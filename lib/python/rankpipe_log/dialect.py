"""Rows of a table: what separates the fields, and whether quotation marks around them are theirs."""
# SPDX-License-Identifier: ISC
import contextlib
import csv
import itertools

from .fields import stamp
from .table import LONGEST

HELD = 8  # blocks, a megabyte, that decide
LINES = 20  # that a field may have
TEXT = "rows with quotation marks around no whole field: they are text"  # nobody who quotes writes "red" tv
csv.field_size_limit(LONGEST)


class Rows:
    """The rows of a source. Where tabs separate, marks are text, unless each field that has one is quoted by them as a
    whole; elsewhere they quote. quotes is what -q says, or None. The caller sets width, the number of columns, and
    numbers, those columns in which numbers are due, with the first row that is not blank."""

    def __init__(self, source, quotes, separator):
        self.source, self.notes, self.quotes, self.width, self.numbers = source, source.notes, quotes, 0, ()
        blocks = ((source.number, text) for text in source.blocks())
        held = list(itertools.islice(blocks, HELD))
        head = held[0][1].lstrip("\r\n").partition("\n")[0] if held else ""
        said = head.rstrip("\r")
        if said[:4] == "sep=" and len(said) == 5:  # Excel reads it as the separator, and not as a row
            separator, held[0] = separator or said[4], (held[0][0], held[0][1].replace(head, "", 1))
            head = held[0][1].lstrip("\r\n").partition("\n")[0]
        if "\r" in head.rstrip("\r"):
            source.fail("line 1: lines end in CR alone: give what this prints: tr '\\r' '\\n' < FILE")
        self.separator = separator or max(",\t;|", key=head.count)
        self.quoted = quotes if quotes is not None else self.separator != "\t" or self.looks_quoted(head, held)
        self.blocks = itertools.chain(held, blocks)

    def looks_quoted(self, head, held):
        """Are more lines rows only if marks quote than only if they do not? Or, where all are rows both ways, are all
        fields that have marks quoted as a whole?"""
        seen, votes = False, 0
        for line in (line for _, text in held if '"' in text for line in text.split("\n") if '"' in line):
            marked = [field for field in line.removesuffix("\r").split("\t") if '"' in field]
            if line.count("\t") != head.count("\t"):
                votes += len(self.fields(line)) == head.count("\t") + 1
            elif all(map(is_quoted, marked)):
                seen = True
            else:
                votes -= 1
        return votes > 0 or votes == 0 and seen

    def fields(self, line):
        """Those of a line whose marks quote; none if one is open, or quotes no whole field."""
        try:
            return next(csv.reader([line], delimiter=self.separator, strict=True))
        except csv.Error:
            return []

    def __iter__(self):
        """The numbers of lines, and the rows that begin in them."""
        for number, text in self.blocks:
            while text and not self.width:  # one by one
                lines = text.split("\n")
                row, n = self.row(lines, 0, number)
                yield [number], [row]
                number, text = number + n, "\n".join(lines[n:])
            lines = text.split("\n")
            if '"' not in text or not self.quoted:
                if '"' in text and self.quotes is None:
                    self.count(number, lines)
                rows = [line.split(self.separator) for line in text.replace("\r\n", "\n").removesuffix("\r").split("\n")]
                yield range(number, number + len(rows)), rows
                continue
            try:
                rows = list(csv.reader(lines, delimiter=self.separator, strict=True))
            except csv.Error:
                rows = []
            numbers, at = range(number, number + len(lines)), 0
            if len(rows) < len(lines):  # otherwise each closes the fields that it opens
                rows, numbers = [], []
                while at < len(lines):
                    row, n = self.row(lines, at, number + at)
                    rows.append(row)
                    numbers.append(number + at)
                    at += n
            yield numbers, rows

    def count(self, number, lines):
        """Fields with marks that stay."""
        for at, line in enumerate(lines, number):
            if '"' in line:
                marked = [field for field in line.removesuffix("\r").split("\t") if '"' in field]
                self.notes.marked += len(marked)
                self.notes.count("fields in quotation marks, which stay (-q yes takes them off)",
                                 sum(map(is_quoted, marked)), self.source, at)

    def row(self, lines, at, number):
        """The row that begins in a line, and how many lines it has."""
        line = lines[at].removesuffix("\r")
        plain = line.split(self.separator)
        if '"' not in line or not self.quoted:
            return plain, 1
        row, rest, is_open, most = self.fields(line), [], False, LINES
        if row:
            return row, 1
        reader = csv.reader([line, "x"], delimiter=self.separator)  # the second line is read if a field is open
        with contextlib.suppress(csv.Error):
            row = next(reader)
            is_open = reader.line_num == 2
            rest = row[-1][:-1].split(self.separator)
        due = [rest[at - len(row) + 1] for at in self.numbers if at >= len(row)] if len(row + rest) == self.width + 1 else []
        is_row = bool(due) and all(stamp(each) is not None for each in due) and not self.quotes
        if not is_open or is_row and self.separator == "\t" and len(plain) == self.width:
            if self.quotes:
                return row or plain, 1
            self.notes.count(TEXT, 1, self.source, number)
            return plain, 1
        if is_row:
            self.refuse(number, "goes on in the next line, though the rest of its line is a row")
        while True:
            while len(lines) < at + most and (more := next(self.blocks, None)):
                lines += more[1].split("\n")
            some = lines[at:at + most]
            reader = csv.reader((line + "\n" for line in some), delimiter=self.separator, strict=True)
            try:
                return next(reader), reader.line_num
            except csv.Error:
                if not self.quotes or len(some) < most or sum(map(len, some)) > LONGEST:
                    self.refuse(number, "does not close within %d lines" % len(some))
            most *= 4

    def refuse(self, number, why):
        self.source.fail("line %d: a quotation mark opens a field that %s: -q no if such marks are text, -q yes if the "
                         "field is meant" % (number, why))


def is_quoted(field):
    return len(field) > 1 and field[0] == field[-1] == '"' and '"' not in field[1:-1].replace('""', "")
