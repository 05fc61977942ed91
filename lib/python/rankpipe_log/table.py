"""Requests that wait for events, and the table that is made of them."""
# SPDX-License-Identifier: ISC
import collections

from .fields import is_word, name_of, qid_of, word

LONGEST = 1 << 20  # bytes of a line, and about those of a request


class Request:
    """What is known of a request so far."""

    __slots__ = "qid", "time", "client", "docs", "seen", "clicks", "size"

    def __init__(self, size):
        self.qid = self.time = self.client = None
        self.docs = None  # what was shown, in its order: words with LF between them, which need less memory
        self.seen = None  # the position of each document that events say was shown; the first one
        self.clicks = None  # a set of documents
        self.size = size  # about its bytes


class Table:
    """Requests that wait for events, oldest first, and the lines of those that no longer do.

    An event may come before its request: then that has no qid yet.
    """

    EACH, DOCUMENT = 700, 100  # bytes of memory, about, beside those of names

    def __init__(self, out, notes, most):
        self.out, self.notes, self.most = out, notes, most
        self.waiting, self.held, self.ready = collections.OrderedDict(), 0, []
        self.requests = self.impressions = self.clicks = 0
        self.forms = []  # of the line of each position, without a click
        self.ready.append("request\tqid\tdoc\tposition\tclick\ttime\tclient\n")

    def find(self, name):
        """The request of that name, which begins to wait if it is not known. Others may be closed."""
        if self.held > self.most:
            self.close_oldest()
        found = self.waiting.get(name)
        if found is None:
            found = self.waiting[name] = Request(self.EACH + 2 * len(name))
            self.held += found.size
        return found

    def grow(self, request, size):
        request.size += size
        self.held += size

    def is_full(self, request):
        """Has it more than a request of users would have?"""
        if request.size <= LONGEST:
            return False
        self.notes.counts["documents and clicks left out, of requests of more than %d bytes" % LONGEST] += 1
        return True

    def ask(self, request, text, time, client):
        """The query of a request is known."""
        request.qid, request.time, request.client = qid_of(text), time, name_of(client)
        if request.qid is None:
            self.notes.counts["queries without a text, and left out"] += 1
        else:
            self.grow(request, len(request.qid) + (len(client) if request.client else 0))

    def see(self, request, doc, position):
        """An event says that the document was there."""
        doc = word(doc)
        if request.seen is None:
            request.seen = {}
        if doc not in request.seen and not self.is_full(request):
            request.seen[doc] = position
            self.grow(request, self.DOCUMENT + len(doc))

    def list(self, request, docs):
        """The request has this list, after what it has."""
        text = "\n".join(docs if is_word("".join(docs)) else map(word, docs))
        if docs and not self.is_full(request):
            request.docs = text if request.docs is None else request.docs + "\n" + text
            self.grow(request, len(text))

    def click(self, request, doc):
        doc = word(doc)
        if request.clicks is None:
            request.clicks = set()
        if doc not in request.clicks and not self.is_full(request):
            request.clicks.add(doc)
            self.grow(request, self.DOCUMENT + len(doc))

    def close_oldest(self):
        """Until an eighth of the memory is free."""
        while self.held > self.most * 7 // 8 and len(self.waiting) > 1:
            name, request = self.waiting.popitem(last=False)
            self.held -= request.size
            self.close(name, request)
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
        counts, clicked = self.notes.counts, request.clicks or ()
        if request.qid is None:
            counts["impressions left out, without a query or too late for it"] += len(request.seen or ())
            counts["clicks left out, without a query or too late for it"] += len(clicked)
            return
        docs = self.shown(request)
        if not docs:
            counts["requests left out, of which no document is known"] += 1
            counts["clicks left out, on documents that their request did not show"] += len(clicked)
            return
        n = len(docs)
        while len(self.forms) < n:
            self.forms.append("%%s\t%d\t0" % (len(self.forms) + 1))
        forms = self.forms[:n]
        for doc in clicked:
            try:
                at = docs.index(doc)
            except ValueError:
                counts["clicks left out, on documents that their request did not show"] += 1
            else:
                forms[at] = forms[at][:-1] + "1"
                self.clicks += 1
        head = "%s\t%s\t" % (word(name, 255), request.qid)
        tail = "\t%s\t%s\n" % ("-" if request.time is None else request.time,
                               word(request.client, 64) if request.client else "-")
        lines = "\n".join(forms) % tuple(docs)
        self.ready.append(head + lines.replace("\n", tail + head) + tail)
        self.requests += 1
        self.impressions += n

    def shown(self, request):
        """The list of documents: the one that the request has, as far down as anybody looked if events say
        that; else what events say, without gaps."""
        seen, counts = request.seen or {}, self.notes.counts
        if request.docs:
            docs = request.docs.split("\n")
            if len(set(docs)) < len(docs):
                counts["documents left out, that stand higher in their list too"] += len(docs) - len(set(docs))
                docs = list(dict.fromkeys(docs))
            if seen:
                looked = seen.keys() | (request.clicks or ())
                docs = docs[:max((at for at, doc in enumerate(docs, 1) if doc in looked), default=len(docs))]
                counts["impressions left out, of documents that are not in their request's list"] += len(
                    seen.keys() - docs)
            return docs
        places = {}
        for doc, position in seen.items():
            places.setdefault(position, doc)
        counts["impressions left out, at a position where the request has another document"] += len(seen) - len(places)
        order = sorted(places)
        if order and (order[0] > 1 or order[-1] - order[0] >= len(order)):
            counts["requests with gaps in their positions, which were closed"] += 1
        return [places[position] for position in order]
