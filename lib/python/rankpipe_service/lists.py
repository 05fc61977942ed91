"""lists: lists of documents as the database holds them, their rounds as update reads them, and what the disk takes.

A list whose features change is compressed with the newest whole list of its query as zlib's dictionary; it is a whole one
where that saves less than half. A whole list stays while another one needs it.
"""
# SPDX-License-Identifier: ISC

from rankpipe_service import HOUR
from rankpipe_service.records import How, list_of, mix, name_of, pack_list, record

KNOWN = 100  # whole lists that are known by heart
KEPT = 8 << 20  # bytes of lists that are known by heart
LATEST = 1000  # rounds and lists by which the disk is foretold
ROUND, ANSWER, LIST = 40, 100, 45  # bytes of a row in indices, and beside its values
PAGE, LOCAL, SPILL = 4096, 4062, 489  # of SQLite; rows from LOCAL bytes on leave so many in their page


class Lists:
    def __init__(self, store):
        self.store, self.known = store, {}

    def whole(self, number):
        """The dictionary that a whole list is."""
        if number not in self.known:
            if len(self.known) >= KNOWN:
                self.known.clear()
            columns, docs, packed = self.store.sql("SELECT columns, docs, data FROM lists WHERE id = ?",
                                                   (number,)).fetchone()
            self.known[number] = mix(list_of(packed, columns, docs), columns, docs)
        return self.known[number]

    def data(self, columns, docs, packed, whole):
        """What is in the columns of a list, by its fields."""
        return list_of(packed, columns, docs, None if whole is None else self.whole(whole))

    def pack(self, qid, columns, docs, data):
        """The fields data and whole of a list."""
        alone = pack_list(data, columns, docs)
        number = self.store.one("SELECT max(id) FROM lists WHERE qid = ? AND whole IS NULL", qid)
        beside = alone if number is None else pack_list(data, columns, docs, self.whole(number))
        return (beside, number) if 2 * len(beside) <= len(alone) else (alone, None)

    def drop(self, where="1"):
        """Deletes those lists (SQL) that no round has. Others that need one of them are packed anew: a part of a
        transaction."""
        sql = self.store.sql
        sql("CREATE TEMP TABLE IF NOT EXISTS dropped(id INTEGER PRIMARY KEY)")
        sql("DELETE FROM dropped")
        sql("INSERT INTO dropped SELECT id FROM lists WHERE (%s) AND id NOT IN (SELECT list FROM rounds)" % where)
        needing = sql("SELECT id, qid, columns, docs, data, whole FROM lists WHERE whole IN dropped AND "
                      "id NOT IN dropped").fetchall()
        rows = [(*row[:4], self.data(*row[2:])) for row in needing]
        sql("DELETE FROM lists WHERE id IN dropped")
        self.known.clear()
        for number, *fields in rows:
            sql("UPDATE lists SET data = ?, whole = ? WHERE id = ?", (*self.pack(*fields), number))


class Records:
    """Rounds with their answers, as update reads them; word: what makes the qid of that of a list."""

    def __init__(self, store, word=lambda qid: qid):
        self.store, self.word = store, word
        self.packed = Lists(store)
        self.lists, self.bytes, self.hows, self.clients = {}, 0, {}, {}

    def list(self, number):
        found = self.lists.get(number)
        if found is None:
            if self.bytes > KEPT:
                self.lists.clear()
                self.bytes = 0
            row = self.store.sql("SELECT qid, head, columns, docs, data, whole FROM lists WHERE id = ?",
                                 (number,)).fetchone()
            found = self.lists[number] = (self.word(row[0]), *row[1:3], self.packed.data(*row[2:]))
            self.bytes += len(found[3]) + 500
        return found

    def how(self, number, docs):
        found = self.hows.get((number, docs))
        if found is None:
            found = self.hows[number, docs] = How(*self.store.sql(
                "SELECT how, chance FROM hows WHERE id = ?", (number,)).fetchone(), docs)
        return found

    def client(self, number):
        if number is None:
            return None
        if number not in self.clients:
            if len(self.clients) > 10000:
                self.clients.clear()
            self.clients[number] = self.store.one("SELECT word FROM clients WHERE id = ?", number).encode()
        return self.clients[number]

    def make(self, t, request, time, client, seen, how, shown, number, docs):
        return record(t, name_of(request).encode(), time, self.client(client), seen,
                      self.how(how, docs), shown, self.list(number))


def paged(size):
    """Bytes of pages that a row of that size takes: of a larger one a part goes to pages of its own."""
    over = max(0, size - LOCAL + 1) and (size - SPILL) // (PAGE - 4)
    return over * PAGE + PAGE / max(1, (PAGE - 8) // (size - over * (PAGE - 4)))


def foretell(store):
    """Bytes of a round with its answer, and of a list; new lists for each round, by the latest ones; bytes of a day at the
    rate of the last 24 hours, and what a year then comes to. None where there is no round."""
    one, latest = store.one, (LATEST,)
    sizes = [paged(size + 40) for size, in store.sql(
        "SELECT length(data) + length(columns) + length(head) + coalesce(length(qid), 0) FROM lists "
        "ORDER BY id DESC LIMIT ?", latest)]
    if not sizes:
        return None
    each = sum(sizes) / len(sizes) + LIST
    own, = store.sql("SELECT avg(length(request) * 2 + length(shown)) FROM (SELECT * FROM rounds ORDER BY id DESC LIMIT ?)",
                     latest).fetchone()
    said = ANSWER + (one("SELECT avg(length(seen)) FROM (SELECT * FROM answers ORDER BY round DESC LIMIT ?)", LATEST) or 0)
    rows = [number for number, in store.sql("SELECT list FROM rounds ORDER BY id DESC LIMIT ?", (2 * LATEST,))]
    newest = rows[:LATEST]
    fresh = len({number for number in newest if number > max(rows[LATEST:], default=0)}) / max(1, len(newest))
    rounds, answered = store.sql("SELECT coalesce(sum(rounds), 0), coalesce(sum(answered), 0) FROM hours "
                                 "WHERE hour > ? AND hour <= ?", (store.now // HOUR - 24, store.now // HOUR)).fetchone()
    own = (own or 0) + ROUND
    with_list, stay = own + fresh * each, [min(365, store[name]) for name in ("days", "unanswered-days")]
    return {"round": round(own + said), "list": round(each), "lists_per_round": round(fresh, 3),
            "grows_a_day": round(rounds * with_list + answered * said),
            "year": round(answered * (with_list + said) * stay[0] + max(0, rounds - answered) * with_list * stay[1])}
