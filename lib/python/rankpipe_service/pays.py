"""pays: does it pay? What clicks say of the learnt order against the engine's own, in sentences with their figures."""
# SPDX-License-Identifier: ISC

import calendar
import time

from rankpipe_front import count
from rankpipe_service import COUNTS, DAY, comparing

WEEK, MONTH = 7, 30  # days of a span, at the end and at the beginning, where there are so many twice
DECIDED = 25  # searches, and clients, from which on there is an interval
ENOUGH = 100  # lists of each kind, until what those that show both cost is said


def spans(store, most):
    """(first day, last day) of two spans, the first days and the last ones, of the same length: at most so long, and without a
    day in both. On the first day alone the first span is None."""
    today = store.now // DAY
    first = store.one("SELECT min(day) FROM daily WHERE day > ? AND day <= ?", today - store["days"], today) or today
    length = min(most, (today - first + 1) // 2)
    return (first, first + length - 1) if length else None, (today - max(0, length - 1), today)


def date_of(day):
    return time.strftime("%d %B", time.gmtime(day * DAY / 1000)).lstrip("0")


def percent(clicked, rounds):
    return "%.0f" % (100 * clicked / rounds) if rounds else "-"


def share_of(store, span):
    """Of 100 pages of these days, so many had a click."""
    return percent(*store.sql("SELECT sum(clicked), sum(rounds) FROM daily WHERE day BETWEEN ? AND ?", span).fetchone())


def own(store):
    """What this month (UTC) says of the learnt order against the engine's own, by lists that show both (explore -I): searches
    that clicks decided, those that the learnt order won, and what compare -S says of them; lists that show both, with how
    many clicks, and all."""
    month = calendar.timegm((*time.gmtime(store.now / 1000)[:2], 1, 0, 0, 0)) * 1000
    rows = store.sql(
        "SELECT a.won, coalesce(a.client, '-') FROM answers a JOIN rounds r ON r.id = a.round WHERE a.won IS NOT NULL AND "
        "a.won <> 0 AND a.state = %d AND r.time BETWEEN ? AND ? ORDER BY r.time, r.request" % COUNTS, (month, store.now)).fetchall()
    since, *sums = store.sql("SELECT min(CASE WHEN own > 0 THEN day END), sum(own), sum(own_clicked), sum(rounds), sum(clicked) "
                             "FROM daily WHERE day BETWEEN ? AND ?", (month // DAY, store.now // DAY)).fetchone()
    said = comparing.judge([[str(i), "-", str(won), str(client)] for i, (won, client) in enumerate(rows, 1)])
    percents = [None if said[name] is None else 50 + 50 * max(-1, min(1, said[name])) for name in ("mean", "low", "high")]
    return {"since": since and date_of(since), "decided": len(rows), "learnt": sum(won > 0 for won, _ in rows),
        "clients": said["clients"], "percent": percents[0], "low": percents[1], "high": percents[2], "verdict": said["verdict"],
        **dict(zip(("shown", "shown_clicked", "all", "all_clicked"), (n or 0 for n in sums)))}


def is_known(known):
    """Is there an interval?"""
    return known["decided"] >= DECIDED and known["low"] is not None


def lines(store, known=None):
    """Does it pay? In sentences, with which status and the operator's page begin."""
    known, ends = known or own(store), spans(store, WEEK)
    text = "Your order against the learnt one%s: " % (", since %s" % known["since"] if known["since"] else "")
    if store["base"] != "on":
        text += "not yet: documents come in no order, so there is none of yours (base=off)"
    elif not known["shown"]:
        text += "not yet: no list of this month has shown both: explore -I .05, or more, shows such lists"
    elif not is_known(known):
        text += "not yet: clicks decided %s of %s, and it takes %d of each: explore -I with a greater share decides more" % (
            count(known["decided"], "search", "searches"), count(known["clients"], "client"), DECIDED)
    else:
        text += "of {decided:,} searches decided, {learnt:,} for the learnt one: {percent:.0f} % ({low:.0f} to {high:.0f}): ".format(
            **known) + known["verdict"].replace("-", " ")
    length = ends[1][1] - ends[1][0] + 1
    which = "week" if length == WEEK else "%d days" % length
    now = "pages with a click: %s %s of 100" % (
        "today" if length == 1 else "this week" if length == WEEK else "last " + which, share_of(store, ends[1]))
    found = [text, now + (", first %s %s" % ("day" if length == 1 else which, share_of(store, ends[0])) if ends[0] else "")]
    others = known["all"] - known["shown"]
    if min(known["shown"], others) >= ENOUGH:
        both, rest = known["shown_clicked"] / known["shown"], (known["all_clicked"] - known["shown_clicked"]) / others
        found.append("what asking costs: %.0f of 100 lists that show both have a click, of the others %.0f; %s" % (
            100 * both, 100 * rest, "without -I %.1f of 100 pages more would have one" % (
                100 * (rest - both) * known["shown"] / known["all"]) if rest > both else "so it costs no clicks"))
    return found
