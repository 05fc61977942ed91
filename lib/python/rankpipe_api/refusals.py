"""refusals: what was asked and refused in the last ten minutes, and which refusal is worth a line of the log."""
# SPDX-License-Identifier: ISC

import re
import time

import rankpipe_front as front

MINUTES = 10
LEAST = 20  # requests of that time of which more than half were refused, for a warning
KINDS = 5  # reasons that are kept of a minute
LOGGED = 100  # kinds of refusals of which the log has one a minute each
TEXT = 300  # characters of a reason
VARIES = re.compile(r'[0-9]+|"[^"]*"?')  # in reasons of one kind
LONG = "the body is not JSON", "unknown field"  # reasons in which what follows a colon varies
ASKED = {"/rank": "rankings", "/answer": "answers"}


class Refusals:
    """Counts of one process, by minutes of the system's monotonic clock, which all processes share."""

    def __init__(self):
        self.minutes, self.logged = {}, {}

    def note(self, path, status, text):
        """Counts a reply; text is the reason of a refusal, or None. A line for the log, or None."""
        now = time.monotonic()
        if path in ASKED:
            minute = self.minutes.setdefault(int(now // 60), {})
            for old in [each for each in self.minutes if each <= now // 60 - MINUTES]:
                del self.minutes[old]
            counted = minute.setdefault(path, [0, 0, {}])
            counted[0] += 1
        if text is None:
            return None
        text = front.shown(text[:TEXT])
        kind = VARIES.sub("", text.partition(": ")[0] if text.startswith(LONG) else text)
        if path in ASKED and 400 <= status < 500 and status != 429:  # a fault of what is asked
            counted[1] += 1
            if kind in counted[2] or len(counted[2]) < KINDS:
                counted[2].setdefault(kind, [0, text])[0] += 1
        if len(self.logged) >= LOGGED:
            self.logged = {each: when for each, when in self.logged.items() if now < when + 60}
        if len(self.logged) >= LOGGED or now < self.logged.get((path, kind), -60) + 60:
            return None
        self.logged[path, kind] = now
        return "refused: %s: %d: %s" % (path, status, text)


def sentences(processes):
    """{kind of warning: sentence} by the minutes of all processes: where most requests are refused, and why."""
    found, since = {}, time.monotonic() // 60 - MINUTES
    for path, name in ASKED.items():
        asked = refused = 0
        reasons = {}
        for minutes in processes:
            for counted in (each[path] for when, each in minutes.items() if when > since and path in each):
                asked, refused = asked + counted[0], refused + counted[1]
                for kind, (n, text) in counted[2].items():
                    reasons[kind] = reasons.get(kind, (0,))[0] + n, text
        if asked >= LEAST and 2 * refused > asked:
            found["refused" if path == "/rank" else "answers"] = (
                "%d of %d %s of the last ten minutes were refused, most of them because %s: correct what the front end "
                "sends, or the settings of the service" % (refused, asked, name, max(reasons.values())[1]))
    return found
