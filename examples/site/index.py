"""The index of the site: one file of SQLite, with FTS5, which is built anew beside the old one.

    document    id, path, title, the words of name and title, length in letters
    text        id, where in the text an excerpt may begin, the packed text, and of HTML the packed page
    words       FTS5 over the words of name, title and text, as fold() leaves them
    frequency   how many documents have a word
    nearby      for spelling: each frequent word, under itself and under itself without one letter
    file        what was read, when it changed, and why it was left out
    about       the folder, and the next id

A document keeps its id as long as its path stays the same.
"""
# SPDX-License-Identifier: ISC
import itertools
import math
import operator
import os
import re
import sqlite3
import time
import typing
import unicodedata
import urllib.parse
import zlib

import documents

POOL = 50  # documents of a query that are ranked by what was learnt
SECONDS = 5  # that a search may take
MANY = 1000  # documents: of more than these, only those are ranked that have the words in title or name
WORDS = 10  # of a query; further ones are left out
LONGEST = 64  # letters of a word
OWN = (1, 2, 1, 8, 10, 0)  # the weights of features() in the order that the index has by itself

SCHEMA = """
pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -100000;
create table about(key text primary key, value) without rowid;
create table file(path text primary key, size int, changed int, reason text) without rowid;
create table document(id integer primary key, path text unique, file text, title text, name_words text,
    title_words text, length int);
create index document_of_file on document(file);
create table text(id integer primary key, start int, packed blob, page blob);
create table frequency(word text primary key, documents int) without rowid;
create table nearby(near text, word text, documents int, primary key (near, word)) without rowid;
create virtual table words using fts5(name, title, text, content='', tokenize="unicode61 remove_diacritics 0");
create virtual table vocabulary using fts5vocab(words, row);
"""

WORD = re.compile(r"[^\W_]+")
MARKS = re.compile("[\u0300-\u036f]+")
ALONE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")  # scripts without spaces


class Failure(Exception):
    """What is wrong, where, and what to do."""


def fold(text):
    """Text as it is compared: small letters without accents; a Chinese or Japanese sign is a word."""
    if text.isascii():
        return text.lower()
    text = MARKS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return ALONE.sub(r" \g<0> ", text)


def words(text):
    return [word for word in WORD.findall(fold(text)) if len(word) <= LONGEST]


def asked(query):
    """The words of a query: each once, in order, so that it is the same query however it was typed."""
    return sorted(set(list(dict.fromkeys(words(query)))[:WORDS]))


def quoted(path):
    return urllib.parse.quote(os.fsencode(path.encode("utf-8", "surrogateescape")))


def name_of(path):
    """The words of a path: those of a manual page leave out its folder and its section."""
    path = urllib.parse.unquote(path)
    base = documents.PACKED.sub("", path)
    return os.path.basename(base).rsplit(".", 1)[0] if documents.MANUAL.search(base) else base


# ---- building ----


class Builder:
    """The index while it is built."""

    def __init__(self, path, old):
        self.path, self.old = path, old
        if os.path.exists(path):
            os.remove(path)
        self.db = sqlite3.connect(path)
        self.db.executescript(SCHEMA)
        self.ids = dict(old.db.execute("select path, id from document")) if old else {}
        self.next = itertools.count(old.about("next") if old else 1)
        self.count = 0

    def add(self, file, path, title, start, text, page=None):
        number = self.ids.get(path) or next(self.next)
        row = (number, path, file, title, " ".join(words(name_of(path))), " ".join(words(title)), len(text))
        self.db.execute("insert into document values (?, ?, ?, ?, ?, ?, ?)", row)
        self.db.execute("insert into text values (?, ?, ?, ?)", (number, start, *(
            each if each is None else zlib.compress(each.encode("utf-8", "replace"), 1) for each in (text, page))))
        self.db.execute("insert into words (rowid, name, title, text) values (?, ?, ?, ?)",
                        (number, row[4], row[5], fold(text)))
        self.count += 1

    def keep(self, file):
        for path, title, start, *packed in self.old.db.execute(
                "select path, title, start, packed, page from document join text using (id) where file = ?", (file,)):
            self.add(file, path, title, start, *(each and zlib.decompress(each).decode() for each in packed))

    def finish(self, folder):
        """Spelling: a word with a letter too many, too few or wrong meets the right one in nearby."""
        self.db.execute("insert into words (words) values ('optimize')")
        self.db.execute("insert into frequency select term, doc from vocabulary")
        frequent = self.db.execute("select * from frequency where documents > 1 and length(word) between 4 and 24")
        self.db.executemany("insert or ignore into nearby values (?, ?, ?)", (
            (near, word, count) for word, count in frequent if word.isalpha() for near in near_to(word)))
        self.db.executemany("insert into about values (?, ?)", [("folder", folder), ("next", next(self.next))])
        self.db.commit()
        self.db.close()
        with open(self.path, "rb") as file:
            os.fsync(file.fileno())


def near_to(word):
    return {word, *(word[:i] + word[i + 1 :] for i in range(len(word)))}


def build(path, folder, processes, seconds=math.inf, progress=lambda *_: None):
    """Indexes the folder: reads what is new or has changed, and then replaces the index in one step. After
    so many seconds it leaves what it has not read to a later call. Returns how many files these are, the
    number of documents, and a list of path and reason for the files that were left out.
    """
    end = time.monotonic() + seconds
    try:
        below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise Failure("%s: %s" % (folder, error.strerror)) from None
    old = Index(path) if os.path.exists(path) else None
    if old and old.about("folder") != folder:
        old = None
    files = {file: (size, changed) for file, size, changed in documents.walk(below)}
    known = {}  # of an index without pages, of release 0.4, all is read again
    if old and old.has_pages:
        known = {row[0]: row[1:] for row in old.db.execute("select path, size, changed, reason from file")}
    new = Builder(path + ".new", old)
    left, changed, done = [], [], 0

    def finished(file, reason):
        nonlocal done
        done += 1
        new.db.execute("insert into file values (?, ?, ?, ?)", (quoted(file), *files[file], reason))
        if reason:
            left.append((quoted(file), reason))
        progress(done, len(files))

    for file, stamp in files.items():
        if known.get(quoted(file), ())[:2] == stamp:
            new.keep(quoted(file))
            finished(file, known[quoted(file)][2])
        else:
            changed.append(file)
    had = set()
    for file, got in documents.read_files(below, changed, processes):
        if isinstance(got, documents.Document):
            if got.path not in had:
                had.add(got.path)
                new.add(quoted(file), quoted(got.path), got.title, got.start, got.text, got.page)
            continue
        finished(file, got)
        if new.count and time.monotonic() > end:
            break
    os.close(below)
    if not new.count:
        raise Failure("%s: no documents: name a folder of text, HTML or manual pages" % folder)
    new.finish(folder)
    os.rename(path + ".new", path)
    return len(files) - done, new.count, sorted(left)


# ---- searching ----


class Result(typing.NamedTuple):
    number: int
    path: str
    title: str
    features: tuple


class Found(typing.NamedTuple):
    total: int  # documents that match
    every: bool  # they have every word of the query
    pool: list  # of Result: the best ones by the index's own order, that order first


class Index:
    """An index that is read. Threads have one each."""

    def __init__(self, path):
        try:
            self.db = sqlite3.connect("file:%s?mode=ro&immutable=1" % urllib.parse.quote(path), uri=True,
                                      check_same_thread=False)
            self.documents = self.db.execute("select count(*) from document").fetchone()[0]
            self.has_pages = "page" in [row[1] for row in self.db.execute("pragma table_info(text)")]
        except sqlite3.Error as error:
            raise Failure("%s: not an index (%s): remove it" % (path, error)) from None
        self.db.execute("pragma mmap_size = 1000000000")
        self.deadline = 0
        self.db.set_progress_handler(lambda: time.monotonic() > self.deadline > 0, 20000)

    def about(self, key):
        return self.db.execute("select value from about where key = ?", (key,)).fetchone()[0]

    def frequency(self, word):
        """How many documents have the word."""
        row = self.db.execute("select documents from frequency where word = ?", (word,)).fetchone()
        return row[0] if row else 0

    def search(self, query):
        """What is found for the words of a query: documents with all of them, or, if these are less than
        a page, with any of the rarest ones. None, if it takes too long.
        """
        self.deadline = time.monotonic() + SECONDS
        try:
            match = " AND ".join(map('"%s"'.__mod__, query))
            total = self._count(match)
            if total < 10 and len(query) > 1:
                some = " OR ".join(map('"%s"'.__mod__, self._rarest(query)))
                if self._count(some) > total:
                    return Found(self._count(some), False, self._best(query, some))
            if total > MANY and self._count("{name title} : (%s)" % match) >= POOL:
                match = "{name title} : (%s)" % match
            return Found(total, True, self._best(query, match))
        except sqlite3.OperationalError as error:
            if "interrupted" in str(error):
                return None
            raise
        finally:
            self.deadline = 0

    def _rarest(self, query):
        """The words of a query that not too many documents have together, or the rarest one."""
        known = sorted((self.frequency(word), word) for word in query if self.frequency(word))
        sums = itertools.accumulate(count for count, _ in known)
        return [word for (_, word), sum_ in zip(known, sums) if sum_ <= MANY or word == known[0][1]] or query[:1]

    def _count(self, match):
        return self.db.execute("select count(*) from words where words match ?", (match,)).fetchone()[0]

    def _best(self, query, match):
        rows = self.db.execute(
            """select id, path, title, name_words, title_words, length, in_name, in_title, in_text from (
                select rowid as id, -bm25(words, 1, 0, 0) as in_name, -bm25(words, 0, 1, 0) as in_title,
                    -bm25(words, 0, 0, 1) as in_text
                from words where words match ? order by in_name + 2 * in_title + in_text desc limit ?)
            join document using (id)""", (match, POOL)).fetchall()
        pool = [Result(*row[:3], features(query, *row[3:])) for row in rows]
        return sorted(pool, key=lambda result: (-sum(map(operator.mul, OWN, result.features)), result.number))

    def document(self, number):
        """path, title and text of a document; None, if it is not there."""
        row = self.db.execute("select path, title, packed from document join text using (id) where id = ?", (number,)).fetchone()
        return row and (row[0], row[1], zlib.decompress(row[2]).decode())

    def page(self, number):
        """The HTML of a document, as it came; None where it is none, or not there."""
        row = self.has_pages and self.db.execute("select page from text where id = ?", (number,)).fetchone()
        return zlib.decompress(row[0]) if row and row[0] else None

    def excerpt_of(self, number, most=16384):
        """The text of a document from where an excerpt may begin."""
        start, text = self.db.execute("select start, packed from text where id = ?", (number,)).fetchone()
        return zlib.decompressobj().decompress(text, most).decode("utf-8", "ignore")[start:]

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
        return min(rows, key=lambda row: (distance(word, row[0]), -row[1]), default=(word,))[0]


def features(query, name, title, length, in_name, in_title, in_text):
    """What ranking learns from: BM25 in the text, the title and the name; the part of the words that title
    and name have; whether the name is one of the words; the logarithm of the length.
    """
    there = set(title.split() + name.split())
    return (in_text, in_title, in_name, sum(word in there for word in query) / len(query),
            float(name in query), math.log(1 + length))


def distance(a, b):
    """Damerau and Levenshtein's: how many letters are too many, too few, wrong, or swapped with the next."""
    above, row = [], list(range(len(b) + 1))
    for i, x in enumerate(a):
        before, above, row = above, row, [i + 1]
        for j, y in enumerate(b):
            row.append(min(above[j + 1] + 1, row[j] + 1, above[j] + (x != y)))
            if i and j and x == b[j - 1] and a[i - 1] == y:
                row[-1] = min(row[-1], before[j - 1] + 1)
    return row[-1]
