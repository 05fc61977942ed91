"""Counts of a log that a database made, as examples/warehouse/counts.sql does, with the words that judge knows."""
# SPDX-License-Identifier: ISC
from rankpipe_front import fail

from .dialect import Rows
from .fields import qid_of, word

OPTIONS = "nqs"
COLUMNS = "qid", "doc", "position", "impressions", "clicks", "after", "after_clicks", "value_sum"
HEAD = "qid\tdoc\tposition\timpressions\tclicks\tafter\tafter-clicks\tvalues\n"


def read(sources, table, options):
    """Writes them. True: there are no requests to write."""
    notes, lines = table.notes, 0
    table.ready = [HEAD]
    for notes.source in sources:
        for row in rows_of(notes.source, options):
            notes.rows += 1
            query, doc = table.name("query", row[0]), table.name("doc", row[1])
            qid = query and qid_of(query)
            if not qid or not doc:
                notes.warn("rows left out, without query or doc", "\t".join(row))
                continue
            table.ready.append("\t".join([qid, word(doc)] + [
                number(notes.source, name, text) for name, text in zip(COLUMNS[2:], row[2:])]) + "\n")
            lines += 1
            if len(table.ready) > 1000:
                table.flush()
    table.flush()
    table.out.flush()
    notes.end("%d lines of counts" % lines)
    if not lines:
        fail("no counts: is this what counts.sql prints?")
    return True


def rows_of(source, options):
    """The rows of a file as the columns above."""
    rows, at = Rows(source, options.quotes, options.separator), None
    for numbers, block in rows:
        for source.number, row in zip(numbers, block):
            if not any(row):
                continue
            if len(row) != (rows.width or len(row)):
                source.fail("line %d: %d fields where there are %d columns" % (source.number, len(row), rows.width))
            if at:
                yield [row[each] for each in at]
                continue
            head = [name.strip().lower() for name in row]
            missing = [name for name in COLUMNS if head.count(name) != 1]
            if missing:
                source.fail("line %d: no column %s among %s: the first line names the columns: psql --csv, sqlite3 -header"
                            % (source.number, missing[0], ", ".join(row[:20])))
            at, rows.width = [head.index(name) for name in COLUMNS], len(row)


def number(source, name, text):
    """A number as counts have it: whole, of values to the millionth."""
    try:
        value = float(text)
        if 0 <= value < 1 << 53 and (name == "value_sum" or value == int(value)):
            return ("%.6f" % value).rstrip("0").rstrip(".")
    except ValueError:
        pass
    source.fail("line %d: %s is not a %snumber: '%.40s'" % (source.number, name, "" if name == "value_sum" else "whole ", text))
