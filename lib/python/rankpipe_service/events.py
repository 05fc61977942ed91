"""events: what users did on pages, merged into one answer for each page.

A line of answers/ says an event, the clicks of a page, or that a page is shown. Its row waits in the table events until the
round is there, and `settle` seconds after the first event of its request are over. Then all of these are one answer, with a
value for each document, which no setting changes later. What comes after that is late. A page on which nothing
happened in `wait` seconds is an answer without a click, if its client did something that day.
"""
# SPDX-License-Identifier: ISC

import collections
import itertools

from rankpipe_front import EVENTS
from rankpipe_service.records import names_of, name_of, pack_seen, seen_of
from rankpipe_service import DAY, HOUR, PENDING, Failed

OPEN, MERGED, LATE, REFUSED = range(4)  # what an event is
ANSWER, SHOWN = "answer", "shown"  # the types of lines that are no events
LONGEST = 255  # bytes of a document's name
SAID = ("SELECT e.request, e.time, e.client, e.type, e.item, e.shown, e.day FROM events e LEFT JOIN clients c ON c.id = e.client "
        "WHERE e.state = %d ORDER BY e.request, e.time, c.word, e.type, e.item, e.shown" % OPEN)
ROUND = ("SELECT r.id, r.time, r.list, r.how, r.shown, l.docs, a.time, a.seen FROM rounds r JOIN lists l ON l.id = r.list "
         "LEFT JOIN answers a ON a.round = r.id WHERE r.request = ?")
Said = collections.namedtuple("Said", "request time client type item shown day")
Round = collections.namedtuple("Round", "id time list how shown docs answered seen")


def whole(text):
    if not text.isdigit() or text[:1] == b"0" or len(text) > 9:
        raise ValueError(text)
    return int(text)


def event_of(words):
    """(type, item, shown) that the words of a line say; the item is a name, a place, or b"" of a page that is shown, and
    shown is 0 where it is not said. Raises ValueError."""
    said = dict(word.partition(b"=")[::2] for word in words)
    kind, shown = said.pop(b"event", b"").decode(), said.pop(b"shown", None)
    [(name, item)] = (said if kind else {None: b"", **said}).items()
    if len(words) != 2 * bool(kind) + (shown is not None) or kind not in EVENTS + ("",) or not (kind or shown):
        raise ValueError(words)
    if kind and (name not in (b"item", b"place") or not 0 < len(item) <= LONGEST or min(item) <= 32 or 127 in item):
        raise ValueError(words)
    return kind or SHOWN, whole(item) if name == b"place" else item, 0 if shown is None else whole(shown)


def worth_of(text):
    """What each type of event is worth, by the setting events. Raises Failed."""
    worth = dict.fromkeys(EVENTS, 1.0)
    worth["back"] = 0.2
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            right = name in worth and 0 <= float(value) <= 1
        except ValueError:
            right = False
        if not right:
            raise Failed("events: %r is not TYPE=VALUE, of %s with a value from 0 to 1, as in "
                         "click=.3,basket=.6,order=1" % (part, ", ".join(EVENTS)))
        worth[name] = float(value)
    return worth


def put(store, request, when, client, kind, item, shown):
    """Takes in what a line says, once."""
    row = Said(request, when, client or 0, kind, item, shown, store.day)
    if store.sql("INSERT OR IGNORE INTO events VALUES(?, ?, ?, ?, ?, ?, ?, %d)" % OPEN, row).rowcount and kind != SHOWN:
        count(store, row, "n")


def count(store, said, column):
    """Counts an event by type: of its hour, and of all time, which is hour 0."""
    for hour in said.time // HOUR, 0:
        store.sql("INSERT INTO happened(hour, type, %s) VALUES(?, ?, 1) ON CONFLICT(hour, type) DO UPDATE "
                  "SET %s = %s + 1" % (column, column, column), (hour, said.type))


def mark(store, said, state):
    store.sql("UPDATE events SET state = ? WHERE request = ? AND time = ? AND client = ? AND type = ? AND item = ? AND "
              "shown = ?", (state, *said[:6]))
    if state == LATE:
        count(store, said, "late")


def refuse(store, said, what):
    mark(store, said, REFUSED)
    item = said.item.decode("utf-8", "replace") if isinstance(said.item, bytes) else said.item
    store.refuse(what, "%s time=%d event=%s of %s" % (name_of(said.request), said.time, said.type, item))


# ---- merging ----


def settle(store, records):
    """Makes answers of what has settled."""
    worth = worth_of(store["events"])
    rows = map(Said._make, store.sql(SAID).fetchall())
    with store:
        for request, group in itertools.groupby(rows, lambda said: said.request):
            said, shown = [], []
            for each in group:
                (shown if each.type == SHOWN else said).append(each)
            settle_page(store, records, worth, request, said, shown)


def is_over(store, when, day):
    """Is a time past? One ahead of a clock that was set back is after two days of running."""
    return when <= store.now or day < store.day - 1


def settle_page(store, records, worth, request, said, shown):
    """The same of one request: what was said of it, in the order of time, and the lines that it is shown."""
    first, wait, delay = (said or shown)[0], int(store["wait"] * 1000), int(store["delay"] * 1000)
    if not said and not is_over(store, first.time + wait + delay, first.day):
        return
    found = store.sql(ROUND, (request,)).fetchone()
    if not found:
        if is_over(store, first.time + wait + delay, first.day):
            store.refuse("answer without a round", name_of(request))
            store.sql("DELETE FROM events WHERE request = ? AND state = %d" % OPEN, (request,))
        return
    page = Round._make(found)
    if page.seen is not None:
        for each in said:
            if each.type == ANSWER and (each.time, each.item) == (page.answered, page.seen):
                mark(store, each, MERGED)  # it was learnt before version 3
            else:
                mark(store, each, LATE)
    elif said:
        span = int(store["settle"] * 1000)
        if not is_over(store, first.time + span, first.day):
            return
        in_time = [each for each in said if not span or each.time <= first.time + span]
        if not merge(store, records, worth, page, in_time, shown):
            return
        for each in said[len(in_time):]:
            mark(store, each, LATE)
    elif not is_over(store, page.time + wait + delay, first.day):
        return
    elif acts(store, first.client, page.time, page.time + wait):
        n = min(page.docs, max(each.shown for each in shown))
        answer(store, page, page.time + wait, first.client, [0] * n, first.day)
    store.sql("DELETE FROM events WHERE request = ? AND type = '%s'" % SHOWN, (request,))


def acts(store, client, then, until):
    """Has a client an event in the day of a page that was shown then, or later until that time?"""
    return client and store.one("SELECT 1 FROM events WHERE client = ? AND time >= ? AND time <= ? AND type NOT IN "
                                "('%s', '%s') LIMIT 1" % (ANSWER, SHOWN), client, then // DAY * DAY, until)


def answer(store, page, when, client, values, day):
    store.sql("INSERT INTO answers(round, time, client, seen, day, state) VALUES(?, ?, ?, ?, ?, %d)" % PENDING,
              (page.id, when, client or None, pack_seen(list(map(float, values)), True), day))


def merge(store, records, worth, page, said, shown):
    """Makes an answer of what one client said of a page. Is there one?"""
    client = next((each.client for each in said if each.client), 0)
    first, length, places = None, max((each.shown for each in shown), default=0), {}
    for each in said:
        values = values_of(records, worth, page, each)
        if each.client not in (0, client):
            refuse(store, each, "event of another client")
        elif values is None:
            refuse(store, each, "answer of the wrong length" if each.type == ANSWER else
                   "event of a document that its round does not have")
        else:
            mark(store, each, MERGED)
            first, length = first or each, max(length, each.shown, *values)
            for place, value in values.items():
                known = places.setdefault(place, {})
                known[each.type] = max(value, known.get(each.type, 0))
    if first is None:
        return False
    seen = [strongest(places.get(place, {})) for place in range(1, min(page.docs, length) + 1)]
    answer(store, page, first.time, client, seen, first.day)
    return True


def strongest(known):
    """The value of a document, by those of what was done with it: coming back takes from a click, and from nothing else."""
    click = max(known.get("click", 0), known.get(ANSWER, 0))
    back = known.get("back")
    return max(click if back is None else min(back, click or back), known.get("basket", 0), known.get("order", 0))


def values_of(records, worth, page, said):
    """{place: value} of the documents that an event or an answer is about; None: its round does not have them."""
    if said.type == ANSWER:
        return {place: value for place, value in enumerate(seen_of(said.item), 1)} if said.shown <= page.docs else None
    place = said.item
    if isinstance(place, bytes):
        _, _, columns, data = records.list(page.list)
        names = names_of(columns, data)
        if place not in names:
            return None
        place = list(records.how(page.how, page.docs).order(page.shown)).index(names.index(place)) + 1
    return {place: worth[said.type]} if place <= page.docs else None
