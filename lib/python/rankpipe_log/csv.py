"""Tables: a row for each document shown, or one for each request with lists."""
# SPDX-License-Identifier: ISC
import csv
import itertools
import json
from operator import itemgetter

from .fields import names_of, position_of
from .notes import fail
from .source import time_of

OPTIONS = "acw"
COLUMNS = "request", "query", "doc", "position", "click", "time", "client", "docs", "clicks"


def rows_of(source):
    """Lists of rows; source.number is the line of the first. Text without quotation marks is split here, in
    half the time. The separator is the one that the first line has most of."""
    blocks, separator = source.blocks(), None
    for text in blocks:
        if separator is None:
            head = text.lstrip("\r\n").partition("\n")[0]
            separator = max(",\t;|", key=head.count)
        if '"' in text:
            break
        yield [line.split(separator) for line in text.replace("\r\n", "\n").split("\n")]
    else:
        return
    lines = (line + "\n" for text in itertools.chain([text], blocks) for line in text.split("\n"))
    reader, first, more = csv.reader(lines, delimiter=separator), source.number, True
    while more:
        rows, source.number = [], first + reader.line_num
        try:
            rows.extend(itertools.islice(reader, 5000))
            more = bool(rows)
        except csv.Error as error:
            source.notes.warn("not a row of CSV, and left out", error)
        yield rows


def columns_of(source, head, names):
    """Where the columns are, by what they are called here."""
    at = {name: head.index(names.get(name, name)) for name in COLUMNS if names.get(name, name) in head}
    if "qid" in head and "query" not in names:
        at.setdefault("query", head.index("qid"))
    for name in ("request", "query") + (() if "docs" in at else ("doc", "click")):
        if name not in at:
            fail("%s: no column %s among %s: name it by -c %s=NAME" % (
                source.name, names.get(name, name), ", ".join(head[:20]), name))
    return at


def read(sources, table, options):
    for source in sources:
        table.notes.source, at = source, None
        for rows in rows_of(source):
            if at is None:
                while rows and not any(rows[0]):
                    del rows[0]
                if not rows:
                    continue
                head = [name.strip() for name in rows.pop(0)]
                at, width = columns_of(source, head, options.names), len(head)
                source.number += 1
            whole = {width}.issuperset(map(len, rows))
            for part in [rows] if whole else [[row] for row in rows]:
                if whole or len(part[0]) == width:
                    take_rows(source, table, part, at, options.clicks)
                elif any(part[0]):
                    table.notes.warn("a row of %d fields where there are %d columns, and left out" % (
                        len(part[0]), width))
                source.number += 0 if whole else 1


def take_rows(source, table, rows, at, clicks):
    first = source.number
    if "docs" in at:
        for source.number, row in enumerate(rows, first):
            take_lists(table, row, at)
        return
    for name, run in itertools.groupby(rows, itemgetter(at["request"])):
        run = list(run)
        take_run(table, name, run, at, clicks)
        source.number += len(run)
    source.number = first


def begin(table, name, row, at):
    """The request of a row; the first row says its query, time and client. None: the row has no name of one."""
    if not name:
        table.notes.warn("a row without request, and left out")
        return None
    request = table.find(name)
    if request.qid is None:
        table.ask(request, row[at["query"]], time_of(table.notes, row[at["time"]]) if "time" in at else None,
            row[at["client"]] if "client" in at else None)
    return request


def take_run(table, name, rows, at, clicks):
    """Rows of one request, of a document each."""
    request = begin(table, name, rows[0], at)
    if request is None:
        return
    docs, marks = [row[at["doc"]] for row in rows], [row[at["click"]] for row in rows]
    if marks.count("0") < len(marks):
        for doc, mark in zip(docs, marks):
            if mark != "0" and is_click(table.notes, mark, clicks):
                table.click(request, doc)
    if "position" not in at:
        table.list(request, list(filter(None, docs)))
        return
    places = [row[at["position"]] for row in rows]
    if places == ORDER[:len(places)] and not request.docs and not request.seen and all(docs):
        table.list(request, docs)
        return
    if request.docs:
        request.seen, request.docs = {doc: at for at, doc in enumerate(request.docs.split("\n"), 1)}, None
    for doc, place in zip(docs, places):
        position = position_of(place)
        if position is None or not doc:
            table.notes.warn("no document, or no position from 0 or 1: the row is left out", place)
        else:
            table.see(request, doc, position)


ORDER = [str(at) for at in range(1, 101)]
YES, NO = {"true", "t", "yes", "y"}, {"", "-", "false", "f", "no", "n", "null", "none", "nan"}


def is_click(notes, text, clicks):
    if text in clicks or text.lower() in YES:
        return True
    if text.lower() in NO:
        return False
    try:
        return float(text) > 0
    except ValueError:
        notes.warn("no number and no word of -a: it counts as no click", text)
        return False


def take_lists(table, row, at):
    """A request in one row, whose lists have blanks between names, or are arrays of JSON."""
    request = begin(table, row[at["request"]], row, at)
    if request is None:
        return
    if request.docs:
        table.notes.counts["rows that repeat the request of another, and are left out"] += 1
        return
    table.list(request, list_in(table.notes, row[at["docs"]]))
    for doc in list_in(table.notes, row[at["clicks"]]) if "clicks" in at else ():
        table.click(request, doc)


def list_in(notes, text):
    if text[:1] != "[":
        return text.split()
    try:
        return names_of(json.loads(text, parse_int=str, parse_float=str))
    except (ValueError, RecursionError):
        notes.warn("neither names nor an array of JSON", text)
        return []
