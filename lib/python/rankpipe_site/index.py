"""The index of the site: one file of SQLite, with FTS5, which is read while it is written.

    document    id, path, the file, title and heading, their words and those of the name, length in letters, and what is
                said there, so that a section that two pages have is there once
    text        id, where in the text an excerpt may begin, the packed text, and of HTML in archives the packed page
    words       FTS5 over the words of name, title and text, as fold() leaves them
    stems       the same by Porter's stems, of documents whose words are ASCII
    nearby      for spelling: each frequent word, under itself and under itself without one letter
    file        what was read, when it changed, and why it was left out
    named       sheets, images and fonts, and the files that name them
    menu        blocks of HTML that most pages have
    about       the folder, what is hidden, and how far reading is

A document keeps its id as long as its path stays the same.
"""
# SPDX-License-Identifier: ISC
import collections
import contextlib
import hashlib
import json
import os
import random
import re
import sqlite3
import time
import urllib.parse
import zlib

from . import documents, words

SAMPLE = 200  # pages of HTML of which more than half have what is a menu
LEAST = 3  # pages of these that have it
COMMIT = 2  # seconds between commits
OTHER = re.compile(r"[^\W\0-\x7f]")  # a letter of a word that is not ASCII
SHORT = 40  # letters of a section that may stand on many pages

SCHEMA = """
begin;
create table about(key text primary key, value) without rowid;
create table file(path text primary key, size int, changed int, reason text) without rowid;
create table document(id integer primary key autoincrement, path text unique, file text, title text, heading text,
    name_words text, title_words text, length int, said blob);
create index document_of_file on document(file);
create index document_said on document(said);
create table text(id integer primary key, start int, packed blob, page blob);
create table nearby(near text, word text, documents int, primary key (near, word)) without rowid;
create table named(path text, file text, primary key (path, file)) without rowid;
create index named_by on named(file);
create table menu(mark text primary key) without rowid;
create virtual table words using fts5(name, title, text, content='', tokenize="unicode61 remove_diacritics 0");
create virtual table stems using fts5(title, text, content='', detail=column, tokenize="porter unicode61");
create virtual table vocabulary using fts5vocab(words, row);
pragma user_version = 2;
commit;
"""


class Failure(Exception):
    """What is wrong, where, and what to do."""


def quoted(path):
    return urllib.parse.quote(os.fsencode(path.encode("utf-8", "surrogateescape")))


def unquoted(path):
    return urllib.parse.unquote(path, errors="surrogateescape")


def name_of(path):
    """The words of a path: those of a manual page leave out its folder and its section."""
    path = urllib.parse.unquote(path.partition("#")[0])
    base = documents.PACKED.sub("", path)
    return os.path.basename(base).rsplit(".", 1)[0] if documents.MANUAL.search(base) else base


def near_to(word):
    return {word, *(word[:i] + word[i + 1 :] for i in range(len(word)))}


class Builder:
    """The index while it is written."""

    def __init__(self, path):
        is_new = not os.path.exists(path)
        self.db = sqlite3.connect(os.open(path, os.O_RDWR | os.O_CREAT, 0o600) and path, isolation_level=None, timeout=60)
        self.db.executescript("pragma journal_mode = wal; pragma synchronous = off; pragma cache_size = -100000")
        if is_new or self.db.execute("pragma user_version").fetchone()[0] == 0:
            self.db.executescript(SCHEMA)
        self.db.execute("begin")
        self.committed, self.changed = time.monotonic(), False

    def about(self, key):
        row = self.db.execute("select value from about where key = ?", (key,)).fetchone()
        return row and row[0]

    def tell(self, **values):
        self.db.executemany("insert or replace into about values (?, ?)", values.items())

    def commit(self, at_once=False):
        if at_once or time.monotonic() > self.committed + COMMIT:
            self.db.execute("commit")
            self.db.execute("begin")
            self.committed = time.monotonic()

    def count(self):
        return self.db.execute("select count(*) from document").fetchone()[0]

    def close(self):
        self.db.execute("commit")
        self.db.close()

    # ---- documents ----

    def add(self, file, path, number, found):
        """Puts a document in, under its old number if it had one; none that is there already."""
        title = " ".join(words.words("%s %s" % (found.heading or "", found.title)))
        said = hashlib.blake2b(("%s\n%s" % (found.heading, found.text)).encode("utf-8", "replace"), digest_size=8).digest()
        if found.anchor and len(found.text) > SHORT and self.db.execute(
                "select 1 from document where said = ? and file <> ?", (said, file)).fetchone():
            return
        name = "" if found.anchor else " ".join(words.words(name_of(path)))
        cursor = self.db.execute("insert or ignore into document values (?, ?, ?, ?, ?, ?, ?, ?, ?)", (
            number, path, file, found.title, found.heading, name, title, len(found.text), said))
        if not cursor.rowcount:
            return
        number, opens = cursor.lastrowid, documents.opens(path, file)
        self.db.execute("insert into text values (?, ?, ?, ?)", (number, found.start, *(
            each if each is None else zlib.compress(each.encode("utf-8", "replace"), 1)
            for each in (found.text, None if opens else found.page))))
        self.index(number, name, title, found.text)

    def name(self, file, names):
        self.db.executemany("insert or ignore into named values (?, ?)", [(name, file) for name in names])

    def index(self, number, name, title, text, out=""):
        """Puts the words of a document in the tables of words, or takes them out."""
        text = words.fold(text)
        for table, columns in ("words", {"name": name, "title": title, "text": text}), (
                "stems", {"title": "%s %s" % (name, title), "text": text}):
            if table == "words" or not any(map(OTHER.search, columns.values())):
                self.db.execute("insert into %s (%srowid, %s) values (%s?%s)" % (
                    table, out and table + ", ", ", ".join(columns), out, ", ?" * len(columns)), (number, *columns.values()))

    def take_out(self, number):
        name, title, packed = self.db.execute("select name_words, title_words, packed from document join text using (id) "
                                              "where id = ?", (number,)).fetchone()
        self.index(number, name, title, zlib.decompress(packed).decode(), "'delete', ")
        self.db.execute("delete from text where id = ?", (number,))
        self.db.execute("delete from document where id = ?", (number,))

    def forget(self, file):
        """Takes a file out; its documents' numbers by their paths."""
        had = dict(self.db.execute("select path, id from document where file = ?", (file,)).fetchall())
        for number in had.values():
            self.take_out(number)
        self.db.execute("delete from named where file = ?", (file,))
        self.db.execute("delete from file where path = ?", (file,))
        self.changed = True
        return had

    # ---- menus ----

    def find_menus(self, below, pages, processes):
        """Puts in, and returns, what more than half of some pages have, drawn at random."""
        counts, drawn = collections.Counter(), random.Random(len(pages)).sample(pages, min(SAMPLE, len(pages)))
        for _, found in documents.read_files(below, drawn, processes, documents.blocks):
            counts.update(found if isinstance(found, set) else ())
        menus = {mark for mark, count in counts.items() if 2 * count > len(drawn) and count >= LEAST}
        self.db.execute("delete from menu")
        self.db.executemany("insert into menu values (?)", [(mark,) for mark in menus])
        return menus

    def menus(self):
        return frozenset(row[0] for row in self.db.execute("select mark from menu"))

    # ---- the end ----

    def finish(self):
        """Spelling: a word with a letter too many, too few or wrong meets the right one in nearby."""
        if self.changed:
            for table in "words", "stems":
                self.db.execute("insert into %s (%s) values ('optimize')" % (table, table))
            self.db.execute("delete from nearby")
            frequent = self.db.execute("select term, doc from vocabulary where doc > 1 and length(term) between 4 and 24").fetchall()
            self.db.executemany("insert or ignore into nearby values (?, ?, ?)", (
                (near, word, count) for word, count in frequent if word.isalpha() for near in near_to(word)))
        self.tell(reading=None)
        self.commit(True)
        self.db.execute("pragma wal_checkpoint(truncate)").fetchall()


def build(path, folder, processes, patterns=None, chosen=frozenset(), progress=lambda *_: None):
    """Reads what is new in the folder, or has changed, into the index at this path. patterns None: those of the last time.
    chosen: paths of documents that users chose. Returns the number of documents, and a list of path and reason for the
    files that were left out.
    """
    try:
        below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise Failure("%s: %s" % (folder, error.strerror)) from None
    files = {file: (size, changed) for file, size, changed in documents.walk(below)}
    new = Builder(path)
    with contextlib.closing(new.db):
        try:
            if patterns is None:
                patterns = documents.Patterns.read(new.about("patterns"))
            files = {file: stamp for file, stamp in files.items() if not patterns.hide(file)}
            others = documents.forms(files, chosen)
            for file in others:
                del files[file]
            if files:
                new.tell(folder=folder, patterns=json.dumps(patterns))
                read(new, below, files, processes, progress)
            if not files or not new.count():
                raise Failure("%s: no documents: name a folder of text, HTML or manual pages" % folder)
            left = new.db.execute("select path, reason from file where reason <> ''").fetchall() + [
                (quoted(file), "another form of %s" % quoted(stays)) for file, stays in others.items()]
            return new.count(), sorted(left)
        except sqlite3.DatabaseError as error:
            raise Failure("%s: %s: remove it, and it is made anew" % (path, error)) from None
        finally:
            os.close(below)


def read(new, below, files, processes, progress):
    """Brings the index up to date with these files, of which it has some."""
    known = {row[0]: row[1:] for row in new.db.execute("select path, size, changed from file")}
    names = {quoted(file): file for file in files}
    for name in known.keys() - names.keys():
        new.forget(name)
    changed = {file for name, file in names.items() if known.get(name) != files[file]}
    new.tell(reading="%d %d" % (len(files) - len(changed), len(files)))
    new.commit(True)
    pages = [file for file in files if documents.is_html(documents.PACKED.sub("", file))]
    fresh = (new.about("fresh") or 0) + len(changed.intersection(pages))
    if 10 * fresh > len(pages):  # they may have other menus
        had, fresh = new.menus(), 0
        if new.find_menus(below, pages, processes) != had:
            changed.update(pages)
    new.tell(fresh=fresh)
    own = frozenset(pages)  # of what two pages have, the smaller has it
    read_documents(new, below, files, sorted(changed, key=lambda file: (file in own and files[file][0], file)), processes, progress)
    sheets = [file for file, in new.db.execute("select distinct path from named where path like '%.css'")]
    for sheet, found in documents.read_files(below, sheets, processes, documents.names):
        if isinstance(found, frozenset):
            new.name(quoted(sheet), found)
    new.finish()


def read_documents(new, below, files, changed, processes, progress):
    done, had = len(files) - len(changed), {}
    for file, found in documents.read_files(below, changed, processes, menus=new.menus()):
        name = quoted(file)
        if name not in had:
            had[name] = new.forget(name)
        if isinstance(found, documents.Document):
            path = path_of(found)
            new.add(name, path, had[name].get(path), found)
            new.name(name, found.names)
            continue
        new.db.execute("insert into file values (?, ?, ?, ?)", (name, *files[file], found))
        had[name] = None
        done += 1
        progress(done, len(files))
        new.tell(reading="%d %d" % (done, len(files)))
        new.commit()


def path_of(found):
    return quoted(found.path) + ("#" + urllib.parse.quote(found.anchor) if found.anchor else "")
