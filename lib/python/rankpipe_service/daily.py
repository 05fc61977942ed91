"""daily: how many searches each query had on each day (UTC), and on how many of their pages somebody clicked.

The table daily is counted as rounds come in and as answers settle, and is kept for the setting days, longer than the rounds
that nobody answered. A click is a relevance above 0, of an answer that counts or that is beyond the share of its client.
The rankings that doctor asks for are no searches.
"""
# SPDX-License-Identifier: ISC

import rankpipe
from rankpipe_service import BEYOND, COUNTS, DAY

DOCTOR = "rankpipe doctor"  # the query of the ranking that doctor asks for
DOCTORS = rankpipe.query_word(DOCTOR, fold=True).encode()
OWN = "instr(CAST(h.how AS TEXT), ',team:') > 0 AND instr(CAST(h.how AS TEXT), 'rival:f8[') = 0"  # interleaved with base
CHANGE = """INSERT INTO daily SELECT r.time / %d, q.id, {0} * {1}, {0} * count(first_click(a.seen)),
    {0} * coalesce(sum(first_click(a.seen)), 0), {0} * {1} * (%s), {0} * count(first_click(a.seen)) * (%s)
FROM {2} JOIN hows h ON h.id = r.how JOIN lists l ON l.id = r.list JOIN queries q ON q.qid = coalesce(l.qid, x'')
WHERE ({3}) AND q.qid <> x'%s' GROUP BY 1, 2, h.id
ON CONFLICT(day, query) DO UPDATE SET rounds = rounds + excluded.rounds, clicked = clicked + excluded.clicked,
    places = places + excluded.places, own = own + excluded.own, own_clicked = own_clicked + excluded.own_clicked
""" % (DAY, OWN, OWN, DOCTORS.hex())
ROUNDS = "rounds r LEFT JOIN answers a ON a.round = r.id AND a.state IN ({})"
ANSWERS = "answers a JOIN rounds r ON r.id = a.round"


def count_rounds(store, sign, where, states=(COUNTS, BEYOND), values=()):
    """Adds rounds with their answers of these states to the table, or takes them away: a part of a transaction."""
    if sign > 0:
        store.sql("INSERT INTO queries(qid, list) SELECT qid, list FROM (SELECT coalesce(l.qid, x'') qid, r.list, max(r.id) FROM "
                  "rounds r JOIN lists l ON l.id = r.list WHERE %s GROUP BY 1) WHERE 1 ON CONFLICT(qid) DO UPDATE "
                  "SET list = excluded.list" % where, values)
    store.sql(CHANGE.format(sign, "count(*)", ROUNDS.format(",".join(map(str, states))), where), values)


def count_clicks(store, sign, where, *values):
    """The same for answers alone, whose rounds are counted."""
    store.sql(CHANGE.format(sign, 0, ANSWERS, where), values)


def tidy(store):
    """Removes what is older than the setting days, or empty."""
    store.sql("DELETE FROM daily WHERE rounds <= 0 OR day < ?", (store.cutoff(store["days"]) // DAY,))
    store.sql("DELETE FROM queries WHERE id NOT IN (SELECT query FROM daily)")


def recount(store, since):
    """Counts all anew from that day on, of which all rounds are there."""
    store.sql("DELETE FROM daily WHERE day >= ?", (since,))
    count_rounds(store, 1, "r.time >= ?", values=(since * DAY,))
    tidy(store)
