"""voices: how many answers of one client count, so that one client is one voice.

In a day (UTC, by the time of the round) so many for each query as the setting voice says, and in all 10,
or a hundredth of the day's answers if that is more.
"""
# SPDX-License-Identifier: ISC

import collections

from rankpipe_service import ASIDE, COUNTS, DAY, HOUR

LEAST, SHARE = 10, 100
SAID = ("SELECT l.qid, count(*) FROM answers a JOIN rounds r ON r.id = a.round JOIN lists l ON l.id = r.list "
        "WHERE a.client = ? AND a.state IN (%d, %d) AND r.time >= ? AND r.time < ? GROUP BY l.qid" % (COUNTS, ASIDE))


class Voices:
    """What clients have said, beginning with what was learnt. Answers that were set aside had their share."""

    def __init__(self, store):
        self.store, self.each = store, store["voice"]
        self.clients, self.days = {}, {}

    def admit(self, client, qid, then):
        """May another answer of a client to a round of `then` count? Then it does. An answer whose client is
        None is not bounded."""
        day = then // DAY
        if day not in self.days:
            self.days[day] = self.store.one(
                "SELECT coalesce(sum(n), 0) FROM tally WHERE generation = 0 AND place = 0 AND hour >= ? AND hour < ?",
                *(at * DAY // HOUR for at in (day, day + 1)))
        if client is not None and self.each:
            said = self.said(client, day)
            if said[qid] >= self.each or sum(said.values()) >= max(LEAST, self.days[day] // SHARE):
                return False
            said[qid] += 1
        self.days[day] += 1
        return True

    def said(self, client, day):
        """The answers of a client in a day, by query."""
        if (client, day) not in self.clients:
            self.clients[client, day] = collections.Counter(dict(self.store.sql(
                SAID, (client, day * DAY, (day + 1) * DAY))))
        return self.clients[client, day]
