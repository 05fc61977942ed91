"""Searching: what the index finds for a query, in its own order, and what ranking learns from."""
# SPDX-License-Identifier: ISC
import collections
import heapq
import itertools
import math
import operator
import sqlite3
import time
import typing
import urllib.parse
import zlib

from . import documents, words
from .index import Failure, near_to, quoted

POOL = 50  # documents of a query that are ranked by what was learnt
MOST = 1000  # that can be reached
FEW = 10  # fewer than these are found: documents with some of the words follow
OF_A_PAGE = 3  # results before those of other pages
SECONDS = 5  # that a search may take
MANY = 1000  # documents: of more than these, only those are ranked that have the words in title or name
OWN = (1, 2, 1, 8, 10, 0)  # the weights of features() in the order that the index has by itself
STEM = 0.9  # of a word in title or name counts another one with its stem
WHOLE = 20  # the weight of the part of a page's own title, or of a section's own heading, that the query names


class Result(typing.NamedTuple):
    number: int
    path: str
    title: str
    heading: typing.Optional[str]  # of a section
    features: tuple

    @property
    def page(self):
        return self.path.partition("#")[0]


class Found(typing.NamedTuple):
    total: int  # documents that match
    every: bool  # they have every word that counts
    without: tuple  # words that do not count, because no document would be found
    query: words.Query  # of the words that count
    pool: list  # of Result: the best ones by the index's own order, that order first


class Index:
    """An index that is read. Threads have one each."""

    def __init__(self, path):
        try:
            self.db = sqlite3.connect("file:%s?mode=ro" % urllib.parse.quote(path), uri=True, check_same_thread=False,
                                      isolation_level=None, timeout=10)
            self.about("folder")
        except sqlite3.Error as error:
            raise Failure("%s: not an index (%s): remove it" % (path, error)) from None
        self.db.execute("pragma mmap_size = 1000000000")
        self.deadline, self.counted, self.version = 0, (-math.inf, 0), None
        self.db.set_progress_handler(lambda: time.monotonic() > self.deadline > 0, 20000)

    def about(self, key):
        row = self.db.execute("select value from about where key = ?", (key,)).fetchone()
        return row and row[0]

    def one(self, statement, *values):
        row = self.db.execute(statement, values).fetchone()
        return row[0] if row else None

    def has_changed(self):
        """Since the last call?"""
        before, self.version = self.version, self.one("pragma data_version")
        return before != self.version

    @property
    def documents(self):
        """How many there are, a second ago at most."""
        if time.monotonic() > self.counted[0] + 1:
            self.counted = time.monotonic(), self.one("select count(*) from document where heading is null")
        return self.counted[1]

    def reading(self):
        """(files that are read, files) while the index grows; None: it is whole."""
        said = self.about("reading")
        return said and tuple(map(int, said.split()))

    def frequency(self, word):
        """How many documents have the word."""
        return self.one("select doc from vocabulary where term = ?", word) or 0

    # ---- which documents ----

    def search(self, query, chosen=()):
        """What is found for a query, and further down what users chose for it, by path. None, if it takes too long."""
        self.deadline = time.monotonic() + SECONDS
        try:
            return self._search(query, chosen)
        except sqlite3.OperationalError as error:
            if "interrupted" in str(error):
                return None
            raise
        finally:
            self.deadline = 0

    def _search(self, query, chosen):
        total, without = self._count(query), ()
        rest = tuple(word for word in query.words if word not in words.FUNCTION)
        if total < FEW and not query.phrases and 0 < len(rest) < len(query.words):
            less = query.less(rest)
            if self._count(less) > total:
                total, without, query = self._count(less), tuple(word for word in query.words if word not in rest), less
        had = {}
        if total < FEW and not query.phrases and len(rest) > 1:
            had = self._some(rest)
            if len(had) <= total:
                had = {}
        ids = heapq.nlargest(POOL, had, key=lambda number: (had[number], -number)) or self._best(query, total)
        own = [number for number, in itertools.chain.from_iterable(
            self.db.execute("select id from document where path = ?", (path,)) for path in chosen)]
        pool = self._ordered(query, {number: had.get(number, (0, 0))[0] for number in ids + own})
        first = [result for result in pool if result.number in set(ids)][:POOL]
        return Found(len(had) or total, not had, without, query,
                     first + [result for result in pool if result.number not in {each.number for each in first}
                              and result.number in own])

    @staticmethod
    def _match(query):
        """What the table of words is asked; and what the table of stems is, or None."""
        exact = " AND ".join('"%s"' % " ".join(phrase) for phrase in (*query.phrases, *((word,) for word in query.words)))
        return exact, None if query.phrases else exact

    def _count(self, query):
        exact, stems = self._match(query)
        if stems is None:
            return self.one("select count(*) from words where words match ?", exact)
        return self.one("select count(*) from (select rowid from words where words match ? union "
                        "select rowid from stems where stems match ?)", exact, stems)

    def _best(self, query, total):
        """The numbers of documents that may be the best: by their words, by those of title and name, and by their stems."""
        exact, stems = self._match(query)
        title = "{name title} : (%s)" % exact
        if total > MANY and self.one("select count(*) from words where words match ?", title) >= POOL:
            exact = title
        found = [number for number, in self.db.execute(
            "select rowid from words where words match ? order by bm25(words, 1, 0, 0) + 2 * bm25(words, 0, 1, 0) + "
            "bm25(words, 0, 0, 1) limit ?", (exact, POOL))]
        found += [number for number, in self.db.execute(
            "select id from words join document on id = words.rowid where words match ? order by length(title_words), id limit ?",
            (title, POOL))]
        if stems:
            found += [number for number, in self.db.execute(
                "select rowid from stems where stems match ? order by bm25(stems, 3, 1) limit ?", (stems, POOL))]
        return list(dict.fromkeys(found))

    def _some(self, query):
        """{number: (words that the document has, how rare they are)}, by the words that not too many documents have
        together, or the rarest one."""
        known = sorted(filter(None, ([number for number, in self.db.execute(
            "select rowid from words where words match ?1 union select rowid from stems where stems match ?1", ('"%s"' % word,))]
            for word in query)), key=len)
        had = collections.defaultdict(lambda: (0, 0))
        for numbers, sum_ in zip(known, itertools.accumulate(map(len, known))):
            for number in numbers if sum_ <= MANY or numbers is known[0] else ():
                had[number] = had[number][0] + 1, had[number][1] + math.log(1 + 1 / len(numbers))
        return had

    # ---- their order ----

    def _ordered(self, query, had):
        """The Results of these documents in the index's own order: those that had more words, and then the best; of one
        page three come before those of others."""
        among = ",".join(map(str, had)) or "0"
        scores = {row[0]: row[1:] for row in self.db.execute(
            "select rowid, -bm25(words, 1, 0, 0), -bm25(words, 0, 1, 0), -bm25(words, 0, 0, 1) from words "
            "where words match ? and rowid in (%s)" % among, (" OR ".join(map('"%s"'.__mod__, query.words)),))}
        alike = collections.defaultdict(list)  # the words whose stems title and name have, with how rare these are there
        for word in query.words:
            match = 'title : "%s"' % word
            rare = math.log((1 + self.documents) / (1 + self.one("select count(*) from stems where stems match ?", match)))
            for number, in self.db.execute("select rowid from stems where stems match ? and rowid in (%s)" % among, (match,)):
                alike[number].append((word, max(0, rare)))
        found = []
        for *row, file in self.db.execute("select id, path, title, heading, name_words, title_words, length, file "
                                          "from document where id in (%s)" % among):
            result = Result(*row[:4], features(query.words, *row[4:], *scores.get(row[0], (0.0, 0.0, 0.0))))
            there = set("{} {}".format(*row[4:6]).split())
            own = sum(map(operator.mul, OWN, result.features)) + STEM * sum(
                OWN[1] * rare + OWN[3] / len(query.words) for word, rare in alike[row[0]] if word not in there)
            if documents.opens(result.path, file):
                head = words.words(result.heading or result.title)
                own += WHOLE * sum(word in query.words for word in head) / max(1, len(head))
            found.append((-had[row[0]], -own, row[0], result))
        pages, first, later = collections.Counter(), [], []
        for *_, result in sorted(found):
            pages[result.page] += 1
            (first if pages[result.page] <= OF_A_PAGE else later).append(result)
        return first + later

    def further(self, found, start, count):
        """Results below those that are ranked, in the order of the words' weights."""
        exact, stems = self._match(found.query)
        match = exact if found.every else " OR ".join(map('"%s"'.__mod__, found.query.words))
        seen = {result.number for result in found.pool}
        numbers = [number for number, in self.db.execute("select rowid from words where words match ? order by rank limit ?",
                                                         (match, MOST)) if number not in seen]
        if stems and found.every:
            seen.update(numbers)
            numbers += [number for number, in self.db.execute("select rowid from stems where stems match ? order by rank "
                                                              "limit ?", (stems, MOST)) if number not in seen]
        return self.results(numbers[:MOST - len(found.pool)][start:start + count])

    # ---- documents ----

    def document(self, number):
        """path, title and text of a document; None, if it is not there."""
        row = self.db.execute("select path, title, packed from document join text using (id) where id = ?", (number,)).fetchone()
        return row and (row[0], row[1], zlib.decompress(row[2]).decode())

    def page(self, number):
        """The HTML of a document in an archive, as it came; None where it is none, or not there."""
        packed = self.one("select page from text where id = ?", number)
        return zlib.decompress(packed) if packed else None

    def file(self, number):
        """The path, with the anchor of a section, of a document that is a file of HTML; None of others."""
        row = self.db.execute("select path, file from document where id = ?", (number,)).fetchone()
        return row[0] if row and documents.opens(*row) else None

    def may_open(self, path):
        """May a file be opened? It was read, or a page or its sheet names it."""
        return bool(self.one("select 1 from file where path = ? and reason = '' union select 1 from named where path = ?",
                             quoted(path), path.encode("utf-8", "replace").decode()))

    def results(self, numbers):
        rows = (self.db.execute("select id, path, title, heading from document where id = ?", (number,)).fetchone()
                for number in numbers)
        return [Result(*row, ()) for row in rows if row]

    def excerpt_of(self, number, most=16384):
        """The text of a document from where an excerpt may begin."""
        start, text = self.db.execute("select start, packed from text where id = ?", (number,)).fetchone() or (0, b"")
        return zlib.decompressobj().decompress(text, most).decode("utf-8", "ignore")[start:]

    # ---- spelling ----

    def spelled(self, query):
        """The query's words, of which those that are rare are replaced by near ones that are frequent; None,
        if there is nothing to replace.
        """
        better = [self._nearest(word) for word in query]
        return better if better != list(query) else None

    def _nearest(self, word):
        """A near word that is at least fifty times as frequent as this one; this one, if there is none."""
        least = max(2, 50 * self.frequency(word))
        if not (4 <= len(word) <= 24 and word.isalpha() and least < min(self.documents, 1000)):
            return word
        near = near_to(word)
        rows = self.db.execute("select distinct word, documents from nearby where near in (%s) and documents >= %d"
                               % (",".join("?" * len(near)), least), tuple(near)).fetchall()
        return min(rows, key=lambda row: (words.distance(word, row[0]), -row[1]), default=(word,))[0]


def features(query, name, title, length, in_name, in_title, in_text):
    """What ranking learns from: BM25 in the text, the title and the name; the part of the words that title
    and name have; whether the name is one of the words; the logarithm of the length.
    """
    there = set(title.split() + name.split())
    return (in_text, in_title, in_name, sum(word in there for word in query) / len(query),
            float(name in query), math.log(1 + length))
