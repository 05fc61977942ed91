"""What log says on standard error."""
# SPDX-License-Identifier: ISC
import collections

from rankpipe_front import say

WARNINGS = 10  # of a kind; all are counted
NAMES = 1000  # of words and of events that count as nothing; others are one


class Notes:
    """What is left out or changed, by its kind: how often, and where first. Rows are lines or records."""

    def __init__(self):
        self.source, self.rows, self.kinds, self.marked = None, 0, {}, 0
        self.nothing = {"events": collections.Counter(), "words": collections.Counter()}

    def count(self, what, n=1, source=None, line=None):
        """Of the current line of the current source, if the call names no other."""
        kind = self.kinds.get(what)
        if kind:
            kind[0] += n
        elif n:
            source = source or self.source
            self.kinds[what] = [n, source.name, line or source.number]

    def warn(self, what, text=None, n=1):
        """The same, said at once for the first ten."""
        self.count(what, n)
        if self.kinds[what][0] <= WARNINGS:
            say("%s: line %d: %s%s" % (self.source.name, self.source.number, what,
                                            "" if text is None else ": '%.40s'" % text))

    def ignore(self, kind, name):
        """An event or a word that counts as nothing."""
        known = self.nothing[kind]
        known[name[:40] if name in known or len(known) < NAMES else "others"] += 1

    def end(self, wrote):
        for what, (n, name, line) in sorted(self.kinds.items()):
            say("%s: %d, the first in %s: line %d" % (what, n, name, line))
        for kind, letter in ("events", "-a"), ("words", "-n"):
            if self.nothing[kind]:
                say("%s that count as nothing: %s (%s)" % (kind, ", ".join(
                    "%s %d" % known for known in self.nothing[kind].most_common(10)), letter))
        marked = self.marked and "; fields with quotation marks, which stay (-q): %d" % self.marked
        say("wrote %s, of %d rows%s" % (wrote, self.rows, marked or ""))
