"""chosen: which documents users chose for a query, for a front end whose search engine would not find them any more.

The file chosen.db, of this account alone, has for each query the documents with a click in an answer that counts, at most as
many as the setting chosen says, those of most clients first. It grows with what is learnt, and is made anew where answers
have gone: erased, too old, or set aside.
"""
# SPDX-License-Identifier: ISC

import contextlib
import itertools
import os
import sqlite3

from rankpipe_service import COUNTS
from rankpipe_service.lists import Records
from rankpipe_service.records import names_of, seen_of

PATH = "chosen.db"
SCHEMA = """
pragma secure_delete = on;
create table chosen(query text, path text, clients int, primary key (query, path)) without rowid;
create table click(query text, path text, client int, primary key (query, path, client)) without rowid;
create table upto(seq int, answers int, most int);
"""
CLICKS = ("SELECT a.seq, a.client, a.seen, r.list, r.how, r.shown, l.qid, l.docs FROM answers a JOIN rounds r ON r.id = a.round "
          "JOIN lists l ON l.id = r.list WHERE a.seq > ? AND a.state = %d ORDER BY a.seq" % COUNTS)


def write(store):
    """Brings the file up to date with what counts, or removes it where the setting is 0."""
    most = store["chosen"]
    if not most:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(PATH)
        return
    last, count = store.sql("SELECT coalesce(max(seq), 0), count(*) FROM answers WHERE seq IS NOT NULL AND state = %d" %
                            COUNTS).fetchone()
    upto = known(store, most)
    if upto is None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(PATH + ".new")
        os.close(os.open(PATH + ".new", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with contextlib.closing(sqlite3.connect(PATH + ".new")) as db:
            db.executescript(SCHEMA)
            add(store, db, 0, last, count, most)
        os.rename(PATH + ".new", PATH)
    elif upto < last:
        with contextlib.closing(sqlite3.connect(PATH, timeout=60)) as db:
            db.execute("pragma secure_delete = on")
            add(store, db, upto, last, count, most)


def known(store, most):
    """The place of the last answer that the file has; None: it is to be made anew."""
    try:
        with contextlib.closing(sqlite3.connect("file:%s?mode=ro" % PATH, uri=True)) as db:
            upto, answers, then = db.execute("select seq, answers, most from upto").fetchone()
    except (sqlite3.Error, TypeError):
        return None
    there = store.one("SELECT count(*) FROM answers WHERE seq <= ? AND state = %d" % COUNTS, upto)
    return upto if (answers, then) == (there, most) else None


def add(store, db, upto, last, count, most):
    """Adds the clicks of what was learnt after a place, in one transaction."""
    records, touched = Records(store), set()
    for _, client, seen, listed, how, shown, qid, docs in store.sql(CLICKS, (upto,)):
        _, _, columns, data = records.list(listed)
        names, order, query = names_of(columns, data), records.how(how, docs).order(shown), (qid or b"").decode()
        for at in itertools.compress(order, seen_of(seen)):
            path = names[at].decode("utf-8", "surrogateescape")
            if db.execute("insert or ignore into click values (?, ?, ?)", (query, path, client or 0)).rowcount:
                touched.add(query)
    for query in touched:
        db.execute("delete from chosen where query = ?", (query,))
        db.execute("insert into chosen select query, path, count(*) from click where query = ? group by path "
                   "order by count(*) desc, path limit ?", (query, most))
    db.execute("delete from upto")
    db.execute("insert into upto values (?, ?, ?)", (last, count, most))
    db.commit()
