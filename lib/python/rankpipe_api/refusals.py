"""refusals: what was asked and refused in the last ten minutes, which refusal is worth a line of the log, and how many
rankings of an hour lacked features."""
# SPDX-License-Identifier: ISC

import re
import time

import rankpipe_front as front

MINUTES, HOUR = 10, 60
LEAST = 20  # requests of that time, of which more than half were such, for a warning
KINDS = 5  # reasons that are kept of a minute
REASONS = 5  # that /health has
LOGGED = 100  # kinds of refusals of which the log has one a minute each
TEXT = 220  # characters of a reason
VARIES = re.compile(r'[0-9]+|"[^"]*"?')  # in reasons of one kind
LONG = "the body is not JSON", "unknown field"  # reasons in which what follows a colon varies
ASKED = {"/rank": "rankings", "/answer": "answers", "/event": "events"}


class Refusals:
    """Counts of one process, by minutes of the system's monotonic clock, which all processes share."""

    def __init__(self):
        self.minutes, self.logged = {}, {}

    def note(self, path, status, text, fewer):
        """Counts a reply; text is the reason of a refusal, or None; did documents have fewer features than the service?
        A line for the log, or None."""
        now = time.monotonic()
        if path in ASKED:
            minute = self.minutes.setdefault(int(now // 60), {})
            for old in [each for each in self.minutes if each <= now // 60 - MINUTES]:
                self.minutes[old] = {path: (*counted[:3], {}) for path, counted in self.minutes[old].items()}
                if old <= now // 60 - HOUR:
                    del self.minutes[old]
            counted = minute.setdefault(path, [0, 0, 0, {}])
            counted[0] += 1
            counted[2] += fewer
        if text is None:
            return None
        text = front.shown(text[:TEXT])
        kind = VARIES.sub("", text.partition(": ")[0] if text.startswith(LONG) else text)
        if path in ASKED and 400 <= status < 500 and status != 429:  # a fault of what is asked
            counted[1] += 1
            if kind in counted[3] or len(counted[3]) < KINDS:
                counted[3].setdefault(kind, [0, text])[0] += 1
        if len(self.logged) >= LOGGED:
            self.logged = {each: when for each, when in self.logged.items() if now < when + 60}
        if len(self.logged) >= LOGGED or now < self.logged.get((path, kind), -60) + 60:
            return None
        self.logged[path, kind] = now
        return "refused: %s: %d: %s" % (path, status, text)


def counts(processes, path, minutes):
    """Of the last minutes, of all processes: what was asked, refused, and asked with fewer features; and reasons of refusals,
    the commonest first."""
    since = time.monotonic() // 60 - minutes
    counted, reasons = [each[path] for known in processes for when, each in known.items() if when > since and path in each], {}
    for *_, kinds in counted:
        for kind, (n, text) in kinds.items():
            reasons[kind] = reasons.get(kind, (0,))[0] + n, text
    return (*(sum(each[i] for each in counted) for i in range(3)), [text for _, text in sorted(reasons.values(), reverse=True)[:REASONS]])


def figures(processes):
    """{what: figures} of the last ten minutes, as /health has them."""
    return {name: dict(zip(("asked", "refused", "fewer", "why"), counts(processes, path, MINUTES))) for path, name in ASKED.items()}


def sentences(processes, features):
    """{kind of warning: sentence} by the minutes of all processes: where most requests are refused, and why; and where
    most rankings lack some of the service's features."""
    found = {}
    for path, name in ASKED.items():
        asked, refused, _, why = counts(processes, path, MINUTES)
        if asked >= LEAST and 2 * refused > asked:
            found["refused" if path == "/rank" else "answers"] = (
                "%d of %d %s of the last ten minutes were refused, most of them because %s: correct what the front end "
                "sends, or the settings of the service" % (refused, asked, name, why[0]))
    asked, refused, fewer, _ = counts(processes, "/rank", HOUR)
    if features and asked - refused >= LEAST and 2 * fewer > asked - refused:
        found["features"] = (
            "in %d of %d rankings of the last hour documents had fewer features than the %d of the service, and the rest "
            "counted as 0: correct the front end, or run: rankpipe service set features N" % (fewer, asked - refused, features))
    return found
