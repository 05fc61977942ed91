"""votes: how many features documents have, by what users have answered.

A round whose answer is due has a vote, one for each client, query and day, and at most EACH of a client, its first. If any
vote has a client, only such votes count; if none has, one for each query. Rounds with sparse features have none, because
their number is that of the last feature that was given.
"""
# SPDX-License-Identifier: ISC

import collections

from rankpipe_service import DAY, UNUSED

ENOUGH, VOTERS, EACH = 20, 3, 5  # votes, or queries without clients; clients; votes of one
LOOKED = 1000000  # answers whose votes are counted; those beyond the share of their client have none
ANSWERED = ("FROM (SELECT * FROM answers WHERE (time <= ? OR day < ?) AND state <= %d LIMIT %d) a "
            "JOIN rounds r ON r.id = a.round JOIN lists l ON l.id = r.list" % (UNUSED, LOOKED))
DENSE = " WHERE instr(CAST(l.columns AS TEXT), 'ptr:') = 0 ORDER BY a.time, r.id"


def count(store):
    """(the number of features, how many votes there are, do they decide it?); the number is None without an answer."""
    due, clients, queries = (store.now, store.day), {}, {}
    for client, qid, when, dim in store.sql("SELECT a.client, l.qid, r.time, l.dim %s%s" % (ANSWERED, DENSE), due):
        own = clients.setdefault(client, {}) if client is not None else queries
        if client is None or len(own) < EACH:
            own.setdefault(qid if client is None else (qid, when // DAY), dim)
    votes = [dim for own in clients.values() for dim in own.values()] or list(queries.values())
    if not votes:  # a guess that suits all
        return store.one("SELECT max(l.dim) " + ANSWERED, *due), 0, False
    n = collections.Counter(votes)
    return (max(n, key=lambda dim: (n[dim], dim)), len(votes),
            len(votes) >= ENOUGH and (not clients or len(clients) >= VOTERS))
