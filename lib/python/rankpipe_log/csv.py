"""Tables: a row for each document shown, or one for each request with lists."""
# SPDX-License-Identifier: ISC
from itertools import groupby
from operator import itemgetter
from urllib.parse import quote

from rankpipe_front import say

from .dialect import Rows
from .fields import NOTHING, position_of, qid_of
from .lists import FORMS, Lists, Unreadable
from .source import time_of

OPTIONS = "acdlnqsw"
COLUMNS = "request", "query", "doc", "position", "click", "time", "client", "docs", "clicks", "value", "dwell"
ORDER = tuple(str(at) for at in range(1, 101))
YES, NO = {"true", "t", "yes", "y"}, {"", "-", "false", "f", "no", "n", "null", "none", "nan", "\\n", "n/a", "undefined"}


def read(sources, table, options):
    for table.notes.source in sources:
        File(table.notes.source, table, options).read()


class File:
    """A table, and where its columns are."""

    def __init__(self, source, table, options):
        self.source, self.table, self.notes, self.options = source, table, table.notes, options
        self.rows = Rows(source, options.quotes, options.separator)
        self.at = self.lists = self.decimal = None

    def read(self):
        for numbers, rows in self.rows:
            while self.at is None and rows:
                if any(rows[0]):
                    self.find_columns([name.strip() for name in rows[0]])
                numbers, rows = numbers[1:], rows[1:]
            if not {self.rows.width}.issuperset(map(len, rows)):
                numbers, rows = self.keep(numbers, rows, lambda row: len(row) == self.rows.width,
                                          "not of %d fields" % self.rows.width)
            for at, what in self.due if rows else ():
                if not self.table.nothing.isdisjoint(map(itemgetter(at), rows)):
                    numbers, rows = self.keep(numbers, rows, lambda row: self.table.name(what, row[at]), "without " + what)
            if rows:
                self.take(numbers, rows)
        if self.lists and self.lists.wrong():
            self.source.fail("%s: say which form they have: -l %s" % (self.lists.wrong(), "|".join(FORMS)))

    def keep(self, numbers, rows, is_good, why):
        """The rows that are good. Of the others those that are not blank are counted."""
        kept = [], []
        for self.source.number, row in zip(numbers, rows):
            if is_good(row):
                kept[0].append(self.source.number)
                kept[1].append(row)
            elif any(row):
                self.notes.rows += 1
                self.notes.warn("rows left out, " + why, self.rows.separator.join(row))
        return kept

    def find_columns(self, head):
        """Where the columns are, by what they are called here. Several may name the request."""
        names, at = self.options.names, {}
        for name in COLUMNS:
            own = names.get(name, name)
            parts = own.split("+") if name == "request" and own not in head else [own]
            if head.count(own) > 1:
                self.source.fail("two columns are called %s" % own)
            if set(parts) <= set(head):
                at[name] = list(map(head.index, parts)) if name == "request" else head.index(own)
        if "qid" in head and "query" not in names:
            at.setdefault("query", head.index("qid"))
        for name in ("request", "query") + (() if "docs" in at else ("doc", "click")):
            if name not in at:
                self.source.fail("no column %s among %s: name it by -c %s=NAME" % (
                    names.get(name, name), ", ".join(head[:20]), name))
        if self.options.dwell is not None and ("dwell" not in at or "value" in at or "docs" in at):
            self.source.fail("-d needs a column dwell, none that is called value, and a row for each document")
        self.at, self.rows.width = at, len(head)
        self.rows.numbers = sorted(at[name] for name in ("position", "click", "time") if name in at)
        self.due = [(each, "request") for each in at["request"]] + [
            (at[name], name) for name in (("docs", "query") if "docs" in at else ("doc",))]
        self.table.remedy = "-c request=%s+%s makes a request of each pair" % (
            names.get("request", "request"), head[at["query"]])

    def take(self, numbers, rows):
        """Rows with all that is due: requests, one after another."""
        columns, at, start = list(zip(*rows)), self.at, 0
        self.notes.rows += len(rows)
        if self.decimal is None:
            self.look_at(columns)
        for each in self.decimal:
            more = [number for number, name in zip(numbers, columns[each]) if name[-2:] != ".0" and name not in NOTHING]
            self.notes.count("names without .0, which those before had", len(more), self.source, more and more[0])
            columns[each] = [name[:-2] if name[-2:] == ".0" else name for name in columns[each]]
        self.numbers, self.columns = numbers, columns
        self.says = [columns[at[name]] if name in at else (None,) * len(rows) for name in ("query", "time", "client")]
        self.even = "time" in at and len(set(map(len, self.says[1]))) == 1 and "".join(self.says[1]).isdecimal()
        names = columns[at["request"][0]]
        if at["request"][1:]:  # each part is encoded, and + between them
            names = ["+".join(parts) for parts in zip(*(
                [qid_of(part) or "" if each == at["query"] else quote(part, safe="") for part in columns[each]]
                for each in at["request"]))]
        if self.lists:
            self.take_lists(names)
            return
        for name, run in groupby(names):
            end = start + len(list(run))
            self.take_run(name, start, end)
            start = end

    def look_at(self, columns):
        """The first rows say whether all names of a column end in .0, and which form lists have."""
        at = self.at
        self.decimal = [each for each in at["request"] + [at[name] for name in ("doc", "client") if name in at]
                        if all(name in NOTHING or name[:-2].isdecimal() and name[-2:] == ".0" for name in columns[each])]
        if "docs" in at:
            self.lists = Lists(self.options.lists, columns[at["docs"]][:100], self.table.nothing)
            if self.lists.found and not self.options.lists:
                say("%s: lists of the form %s" % (self.source.name, ", ".join(sorted(self.lists.found))))

    def ask(self, name, start, end):
        """The request of some rows, and what they say of it."""
        self.source.number, rows = self.numbers[start], range(start, end)
        request, before, (queries, times, clients) = self.table.find(name), None, self.says
        if queries[start:end].count(queries[start]) == end - start == clients[start:end].count(clients[start]):
            some = times[start:end]
            if some.count(some[0]) == end - start:
                rows = start,
            elif self.even:  # what is between the two says nothing
                rows = sorted({times.index(min(some), start), times.index(max(some), start)})
        for row in rows:
            said = queries[row], times[row], clients[row]
            if said != before:
                before, self.source.number = said, self.numbers[row]
                self.tell(request, name, *said)
        return request

    def tell(self, request, name, query, time, client):
        table = self.table
        table.ask(request, name, table.name("query", query) if query in table.nothing else query,
                  time_of(table, time), table.name("client", client) if client in table.nothing else client)

    def take_run(self, name, start, end):
        """Rows of a request, of a document each."""
        table, at, request = self.table, self.at, self.ask(name, start, end)
        docs, marks = self.columns[at["doc"]][start:end], self.columns[at["click"]][start:end]
        if marks.count("0") < end - start:
            for row, (doc, mark) in enumerate(zip(docs, marks), start):
                if mark != "0" and self.is_click(mark):
                    self.source.number = self.numbers[row]
                    table.click(request, doc, self.worth(row))
        if "position" not in at:
            table.list(request, docs)
            return
        places = self.columns[at["position"]][start:end]
        if places == ORDER[:end - start] and not request.docs and not request.seen:
            table.list(request, docs)
            return
        if request.docs:
            before, request.docs = request.docs.split("\n"), None
            for place, doc in enumerate(before, 1):
                table.see(request, doc, place)
        for self.source.number, doc, place in zip(self.numbers[start:end], docs, places):
            position = position_of(place)
            if position is None:
                self.notes.warn("rows left out, without a position from 0 or 1", place)
            else:
                table.see(request, doc, position)

    def is_click(self, text):
        if text in self.options.clicks or text.lower() in YES:
            return True
        if text.lower() in NO:
            return False
        try:
            return float(text) > 0
        except ValueError:
            self.notes.warn("no number and no word of -a: it counts as no click", text)
            return False

    def worth(self, row):
        """How much of a satisfied click a click was: a column says it, or how long the user stayed away."""
        text = self.columns[self.at["value"]][row] if "value" in self.at else ""
        if text in NOTHING and self.options.dwell is not None:
            text = self.columns[self.at["dwell"]][row]
        if text in NOTHING:
            return "1"
        try:
            number = float(text)
        except ValueError:
            number = -1
        if not 0 <= number or number > 1 and "value" in self.at:
            self.source.fail("line %d: '%.40s' is not a %s" % (self.source.number, text, "value from 0 to 1" if "value" in self.at
                                                             else "dwell in seconds"))
        return "%.9g" % number if "value" in self.at else ".2" if number < self.options.dwell else "1"

    def take_lists(self, names):
        """Rows of a request each, with its lists."""
        table, notes, lists = self.table, self.notes, self.lists
        cells = [self.columns[self.at[each]] if each in self.at else ("",) * len(names) for each in ("docs", "clicks")]
        for self.source.number, name, shown, clicked, *said in zip(self.numbers, names, *cells, *self.says):
            try:
                docs = lists.docs(shown)
                clicks = lists.clicks(clicked, docs)
            except Unreadable as error:
                notes.warn("rows left out, %s" % error, shown)
                continue
            if not table.nothing.isdisjoint(docs):
                docs = table.names("docs", docs)
            if not docs:
                notes.warn("rows left out, without docs")
                continue
            request = table.find(name)
            self.tell(request, name, *said)
            if request.docs:
                notes.count("rows left out, that repeat the request of another")
                continue
            table.list(request, docs)
            for doc in clicks:
                table.click(request, doc)
