"""What log says on standard error."""
# SPDX-License-Identifier: ISC
import collections
import sys

WARNINGS = 10  # of a kind; more are counted


def fail(text, status=1):
    print("log:", text, file=sys.stderr)
    sys.exit(status)


class Notes:
    """Warnings of each kind, at most ten with their place, and counts for the end."""

    def __init__(self):
        self.source, self.counts, self.warned = None, collections.Counter(), collections.Counter()

    def warn(self, what, text=None):
        """Of the current line of the current source."""
        self.warned[what] += 1
        if self.warned[what] <= WARNINGS:
            quoted = "" if text is None else ": '%s'" % "".join(
                c if c.isprintable() else "?" for c in str(text)[:40])
            print("log: %s: line %d: %s%s" % (self.source.name, self.source.number, what, quoted), file=sys.stderr)

    def end(self, table):
        for what, n in self.warned.items():
            if n > WARNINGS:
                print("log: %d more times: %s" % (n - WARNINGS, what), file=sys.stderr)
        for what, n in sorted(self.counts.items()):
            if n:
                print("log: %s: %d" % (what, n), file=sys.stderr)
        print("log: wrote %d requests, %d impressions, %d clicks" % (table.requests, table.impressions, table.clicks),
              file=sys.stderr)
