"""Requests that wait for events, and the table that is made of them."""
# SPDX-License-Identifier: ISC
import collections
import mmap

import rankpipe
from rankpipe_front import fail

from .fields import is_word, qid_of, word

LONGEST = 1 << 20  # bytes of a line, and about those of a request
HOUR = 3600000
MASK = (1 << 64) - 1


class Request:
    """What is known of a request so far."""

    __slots__ = "qid", "time", "client", "docs", "seen", "clicks", "size", "source", "line", "back", "odd"

    def __init__(self, size, source):
        self.qid = self.time = self.client = None
        self.docs = None  # what was shown, in its order: words with LF between them, which need less memory
        self.seen = None  # the position of each document that events say was shown; the first one
        self.clicks = None  # documents, and what their clicks count
        self.size = size  # about its bytes
        self.source, self.line = source, source.number  # where it began
        self.back = False  # was a request of that name written before?
        self.odd = 0  # 1: it has had two clients, 2: times more than an hour apart


class Closed:
    """Hashes of the names and qids of the requests that were written last, in 16 MB: each name has one place."""

    def __init__(self):
        self.known = memoryview(mmap.mmap(-1, 1 << 24)).cast("Q")

    def add(self, name, qid):
        key = hash(name)
        self.known[key & 0x1fffff] = key >> 21 << 32 & MASK | hash(qid) & 0xffffffff

    def find(self, name):
        """The hash of its qid; None: it is not known."""
        key = hash(name)
        found = self.known[key & 0x1fffff]
        return found & 0xffffffff if found and (found ^ key >> 21 << 32) & MASK < 1 << 32 else None


class Table:
    """Requests that wait for events, oldest first, and the lines of those that no longer do.

    An event may come before its request: then that has no qid yet.
    """

    EACH, DOCUMENT = 700, 100  # bytes of memory, about, beside those of names

    def __init__(self, out, notes, options):
        self.out, self.notes, self.most, self.nothing = out, notes, options.megabytes << 20, options.nothing
        self.remedy = None  # for requests with two queries; without one they are counted
        self.waiting, self.held, self.ready, self.closed = collections.OrderedDict(), 0, [], None
        self.requests = self.impressions = self.clicks = 0
        self.forms = []  # of the line of each position, without a click
        self.ready.append("request\tqid\tdoc\tposition\tclick\ttime\tclient\n")

    def name(self, kind, value):
        """A name: a text or the text of a number that is no word for nothing; None otherwise."""
        if not isinstance(value, str):
            return None
        if value in self.nothing:
            if value:
                self.notes.ignore("words", "%s %s" % (kind, value))
            return None
        return value

    def names(self, kind, values):
        """The names in a list; what is none is left out."""
        if type(values) is not list:
            return []
        if {str}.issuperset(map(type, values)) and self.nothing.isdisjoint(values):
            return values
        names = [value for value in values if self.name(kind, value)]
        self.notes.count("impressions left out, that are no names", len(values) - len(names))
        return names

    def find(self, name):
        """The request of that name, which begins to wait if it is not known. Others may be closed."""
        if self.held > self.most:
            self.close_oldest()
        found = self.waiting.get(name)
        if found is None:
            found = self.waiting[name] = Request(self.EACH + 2 * len(name), self.notes.source)
            self.held += found.size
            if self.closed and self.closed.find(name) is not None:
                found.back = True
        return found

    def grow(self, request, size):
        request.size += size
        self.held += size

    def is_full(self, request, unit, n=1):
        """Has it more than a request of users would have? Then n of the unit are left out."""
        if request.size <= LONGEST:
            return False
        self.notes.count("%s left out, of requests of more than %d bytes" % (unit, LONGEST), n)
        return True

    def ask(self, request, name, text, time, client):
        """A line says the query, time and client of a request, as far as they are known. The first query and client
        count, and the earliest time."""
        qid = qid_of(text) if text else None
        if qid and request.qid is None:
            request.qid, request.source, request.line = qid, self.notes.source, self.notes.source.number
            if request.back and self.closed.find(name) != hash(qid) & 0xffffffff:
                self.differ(name, qid, "another, and is written already")
            self.grow(request, len(qid) + (len(client) if client else 0))
        elif qid and request.qid != qid:
            self.differ(name, qid, "'%s' in %sline %d" % (
                rankpipe.query_text(request.qid)[:40], "" if request.source is self.notes.source else
                request.source.name + ": ", request.line))
        if client and request.client is None:
            request.client = client
        elif client and request.client != client and not request.odd & 1:
            request.odd |= 1
            self.notes.count("requests with two clients, of which the first counts")
        if time is not None and time != request.time:
            known = time if request.time is None else request.time
            request.time = min(known, time)
            if abs(known - time) > HOUR and not request.odd & 2:
                request.odd |= 2
                self.notes.count("requests whose times are more than an hour apart%s" % (": if they are several, " + self.remedy if self.remedy else ""))

    def differ(self, name, qid, other):
        source = self.notes.source
        if not self.remedy:
            self.notes.count("rows of a request with another query than before, which counts")
            return
        fail("%s: line %d: request '%.40s' has the query '%.40s', but %s: %s" % (
            source.name, source.number, name, rankpipe.query_text(qid), other, self.remedy))

    def see(self, request, doc, position):
        """An event says that the document was there."""
        doc = word(doc)
        if request.seen is None:
            request.seen = {}
        if doc in request.seen:
            self.notes.count("impressions left out, that repeat one of their document")
        elif not self.is_full(request, "impressions"):
            request.seen[doc] = position
            self.grow(request, self.DOCUMENT + len(doc))

    def list(self, request, docs):
        """The request has this list, after what it has."""
        text = "\n".join(docs if is_word("".join(docs)) else map(word, docs))
        if docs and not self.is_full(request, "impressions", len(docs)):
            request.docs = text if request.docs is None else request.docs + "\n" + text
            self.grow(request, len(text))

    def click(self, request, doc, worth="1"):
        doc = word(doc)
        if request.clicks is None:
            request.clicks = {}
        if doc in request.clicks:
            self.notes.count("clicks left out, that repeat one on their document")
            request.clicks[doc] = max(request.clicks[doc], worth, key=float)
        elif not self.is_full(request, "clicks"):
            request.clicks[doc] = worth
            self.grow(request, self.DOCUMENT + len(doc))

    def close_oldest(self):
        """Until an eighth of the memory is free."""
        self.closed = self.closed or Closed()
        while self.held > self.most * 7 // 8 and len(self.waiting) > 1:
            name, request = self.waiting.popitem(last=False)
            self.held -= request.size
            self.close(name, request)
            if request.qid:
                self.closed.add(name, request.qid)
        self.flush()

    def end(self):
        while self.waiting:
            self.close(*self.waiting.popitem(last=False))
            if len(self.ready) > 1000:
                self.flush()
        self.flush()
        self.out.flush()

    def flush(self):
        self.out.write("".join(self.ready).encode("utf-8", "replace"))
        self.ready.clear()

    def close(self, name, request):
        """Writes a request, unless there is nothing to write."""
        clicked = request.clicks or {}
        if request.qid is None or request.back:
            shown = len(request.seen or ()) + (request.docs.count("\n") + 1 if request.docs else 0)
            why = "without a query or too late for it"
            if request.qid:
                why = "too late: their request was written before (sort by request, or use a larger -w)"
            self.count(request, "impressions left out, " + why, shown)
            self.count(request, "clicks left out, " + why, len(clicked))
            return
        first, docs = self.shown(request)
        if not docs:
            self.count(request, "requests left out, of which no document is known")
            self.count(request, "clicks left out, on documents that their request did not show", len(clicked))
            return
        n = len(docs)
        while len(self.forms) < n:
            self.forms.append("%%s\t%d\t0" % (len(self.forms) + 1))
        forms = self.forms[:n] if first == 1 else ["%%s\t%d\t0" % at for at in range(first, first + n)]
        for doc, worth in clicked.items():
            try:
                at = docs.index(doc)
            except ValueError:
                self.count(request, "clicks left out, on documents that their request did not show")
            else:
                forms[at] = forms[at][:-1] + worth
                self.clicks += 1
        head = "%s\t%s\t" % (word(name, 255), request.qid)
        tail = "\t%s\t%s\n" % ("-" if request.time is None else request.time,
                               word(request.client, 64) if request.client else "-")
        lines = "\n".join(forms) % tuple(docs)
        self.ready.append(head + lines.replace("\n", tail + head) + tail)
        self.requests += 1
        self.impressions += n

    def count(self, request, what, n=1):
        self.notes.count(what, n, request.source, request.line)

    def shown(self, request):
        """The position of the first document, and the list: the one that the request has, as far down as anybody looked
        if events say that; else what events say, without gaps."""
        seen = request.seen or {}
        if request.docs:
            docs = request.docs.split("\n")
            if len(set(docs)) < len(docs):
                self.count(request, "impressions left out, of documents that stand higher in their list too",
                           len(docs) - len(set(docs)))
                docs = list(dict.fromkeys(docs))
            if seen:
                looked = seen.keys() | (request.clicks or {}).keys()
                docs = docs[:max((at for at, doc in enumerate(docs, 1) if doc in looked), default=len(docs))]
                self.count(request, "impressions left out, of documents that are not in their request's list",
                           len(seen.keys() - docs))
            return 1, docs
        places = {}
        for doc, position in seen.items():
            places.setdefault(position, doc)
        self.count(request, "impressions left out, at a position where the request has another document",
                   len(seen) - len(places))
        order = sorted(places)
        first = order[0] if order and order[0] > 9 else 1  # the second page stays there, and log2bin -k can leave it out
        if first > 1:
            self.count(request, "requests that begin below position 9, as second pages do: log2bin -k leaves them out")
        if order and (order[0] > 1 and first == 1 or order[-1] - order[0] >= len(order)):
            self.count(request, "requests with gaps in their positions, which were closed")
        return first, [places[position] for position in order]
