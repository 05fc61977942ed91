"""metrics: what the processes of the API count, in the text format of Prometheus."""
# SPDX-License-Identifier: ISC

import collections
import marshal
import math
import os
import tempfile
import zlib


class Metrics:
    BOUNDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
    NULLS = 200  # features of which nulls are counted

    def __init__(self):
        self.requests, self.closed, self.connections = collections.Counter(), collections.Counter(), 0
        self.seconds, self.sum, self.nulls = [0] * (len(self.BOUNDS) + 1), 0.0, collections.Counter()

    @classmethod
    def of(cls, processes):
        """The sum of the facts of processes."""
        total = cls()
        for facts in processes:
            total.add(*facts)
        return total

    def ranked(self, seconds):
        self.seconds[sum(seconds > bound for bound in self.BOUNDS)] += 1
        self.sum += seconds

    def lacking(self, nulls):
        """Counts the nulls of a ranking, by feature: of the first NULLS features, so that no caller fills the memory."""
        for feature, n in nulls.items():
            if feature in self.nulls or len(self.nulls) < self.NULLS:
                self.nulls[feature] += n

    def facts(self):
        return dict(self.requests), dict(self.closed), self.connections, self.seconds, self.sum, dict(self.nulls)

    def add(self, requests, closed, connections, seconds, total, nulls):
        """Adds the facts of another process."""
        self.requests.update(requests)
        self.closed.update(closed)
        self.connections += connections
        self.seconds = [a + b for a, b in zip(self.seconds, seconds)]
        self.sum += total
        self.lacking(nulls)

    def text(self, gauges):
        lines = []

        def put(name, kind, help_, rows):
            lines.append("# HELP rankpipe_%s %s\n# TYPE rankpipe_%s %s" % (name, help_, name, kind))
            lines.extend("rankpipe_%s%s %.12g" % (name, label, value) for label, value in rows)

        put("api_requests_total", "counter", "answered requests, by path and status",
            [('{path="%s",status="%d"}' % key, n) for key, n in sorted(self.requests.items())])
        put("api_closed_total", "counter", "connections that were closed, by reason",
            [('{reason="%s"}' % key, n) for key, n in sorted(self.closed.items())])
        put("api_connections_total", "counter", "connections since the start", [("", self.connections)])
        put("api_null_features_total", "counter", "features without a value, in documents, by feature",
            [('{feature="%d"}' % key, n) for key, n in sorted(self.nulls.items())])
        for name, help_, rows in gauges:
            put(name, "gauge", help_, rows)
        total, rows = 0, []
        for bound, n in zip((*self.BOUNDS, math.inf), self.seconds):
            total += n
            rows.append(('_bucket{le="%s"}' % ("+Inf" if bound == math.inf else "%g" % bound), total))
        put("api_rank_seconds", "histogram", "time from a whole request to its ranking",
            [*rows, ("_sum", self.sum), ("_count", total)])
        return "\n".join([*lines, ""])


class Board:
    """What each process of the API has counted, so that any of them can say it of all: a file without a name, in which
    each has a part."""

    PART = 1 << 16

    def __init__(self, processes):
        self.own, self.known = 0, [None] * processes
        self.file = tempfile.TemporaryFile(buffering=0) if processes > 1 else None

    def put(self, value):
        self.known[self.own] = value
        data = marshal.dumps(value) if self.file else b""
        if 0 < len(data) <= self.PART - 16:
            os.pwrite(self.file.fileno(), b"%08x%08x%b" % (len(data), zlib.crc32(data), data), self.own * self.PART)

    def all(self):
        """The newest values of all processes that have put one."""
        for i in range(len(self.known)):
            part = os.pread(self.file.fileno(), self.PART, i * self.PART) if i != self.own else b""
            data = part[16:16 + int(part[:8].strip(b"\0") or b"0", 16)]  # zeros where it has put none yet
            if data and zlib.crc32(data) == int(part[8:16], 16):  # else it is being written: the last one is good
                self.known[i] = marshal.loads(data)
        return [value for value in self.known if value]
