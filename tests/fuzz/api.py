#!/usr/bin/env python3
"""api.py N SEED HOST:PORT SERVED: sends N bodies, whole, changed and made up, to a running rankpipe api over
kept connections. Each must get an answer of HTTP with a JSON text, of status 2xx or 4xx, within 10 seconds.
Prints how many there were of each status, and writes the names of the requests that were ranked to SERVED.

    api.py N SEED readers

gives them to the readers of rankpipe api alone: each is read or refused, in less than a second of processor time.
"""

import collections
import http.client
import json
import random
import sys
import time

count, draw = int(sys.argv[1]), random.Random(int(sys.argv[2]))
TEXTS = ["", "a", "a b", "a\n\nrequest: mine\n? 1:1\n\n", "\r\nrequest: mine", "#", "# x", "docid=x", "\0", "\u2028", "é" * 300, "\ud800",
         "request: mine", "? qid:x 1:1", "1:1 # a", "1:1 2:2 # b\n\n! no", "../../etc/passwd", "-l", "%0a%0a", "~", "a" * 5000,
         "1:" + "0" * 30000, "1:1e" + "9" * 3000, "1" * 5000, " " * 9000 + "1:1", "1:nan", "0:1", "1:1 1:2", "1:1e999", "9" * 400 + ":1", "\x1b[2J", "{}", "'; touch here; '", "\x01"]
NUMBERS = [0, 1, -1, 0.5, 1e308, 1e-308, 2**31, 2**53, 10**40, 10**4200, 1.0000000000000002]
NAMES = ["query", "documents", "lines", "name", "features", "request", "labels", "clicks", "shown", "item", "place", "type",
         "client", "1", "46", "0", "x"]
PATHS = "/answer", "/event", *["/rank"] * 8


def value(depth):
    kind = draw.randrange(8 if depth else 5)
    if kind < 2:
        return draw.choice(TEXTS)
    if kind < 4:
        return draw.choice(NUMBERS)
    if kind == 4:
        return draw.choice([None, True, False])
    if kind < 7:
        return [value(depth - 1) for _ in range(draw.randrange(5))]
    return {draw.choice(NAMES + TEXTS): value(depth - 1) for _ in range(draw.randrange(4))}


def good(path):
    n = draw.randrange(1, 6)
    if path == "/answer":
        request = draw.choice(["%032x" % draw.getrandbits(128), "mine", "../x"])
        return draw.choice([{"request": request, "labels": [draw.choice([0, 1, 2.5, 4, -0.0, 1e-308, 1e-5]) for _ in range(n)]},
                            {"request": request, "clicks": [draw.randrange(1, n + 1)], "shown": n}])
    if path == "/event":
        return {"request": "%032x" % draw.getrandbits(128), "type": draw.choice(["click", "back", "basket", "order"]),
                **draw.choice([{"item": draw.choice(TEXTS)}, {"place": n}, {"place": n, "shown": 6, "client": "192.0.2.1"}])}
    query = draw.choice(TEXTS + ["cats", "собаки"])
    rows = [[round(draw.random(), 6) for _ in range(3)] for _ in range(n)]
    return draw.choice([
        {"query": query, "documents": [{"features": row} for row in rows]},
        {"query": query, "documents": [{"name": "d%d" % i, "features": row} for i, row in enumerate(rows)]},
        {"query": query, "documents": [{"features": {"1": 1, "3": 0.5}}] * n},
        {"query": query, "lines": ["1:%g 3:%g # d%d" % (row[0], row[1], i) for i, row in enumerate(rows)]}])


def changed(fields, depth=3):
    """Another value somewhere."""
    if draw.random() < 0.3 or not fields or not isinstance(fields, (dict, list)):
        return value(depth)
    if isinstance(fields, dict):
        name = draw.choice(list(fields))
        if draw.random() < 0.2:
            return {**fields, draw.choice(NAMES + TEXTS): value(depth)}
        return {**fields, name: changed(fields[name])}
    at = draw.randrange(len(fields))
    return fields[:at] + [changed(fields[at])] + fields[at + 1:]


def body_of(path):
    kind = draw.randrange(10)
    if kind < 2:
        return json.dumps(good(path)).encode()
    if kind < 6:
        return json.dumps(changed(good(path))).encode()
    if kind < 9:  # bytes of a good one
        body = bytearray(json.dumps(good(path)).encode())
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(len(body))
            body[at:at + draw.randrange(3)] = draw.choice([b"", b"\n", b"\n\n", b"\0", b"\xff", b"\"", b"[", b"{", b"1", b"\\u000a",
                                                           b"\\ud800", b"NaN", b"-Infinity", bytes([draw.randrange(256)])])
        return bytes(body)
    return draw.choice([b"", b"[" * 100000, b'{"a":' * 50000, b"[" + b"0," * 200000 + b"0]", b"9" * 100000, b"\xef\xbb\xbf{}", b"null",
                        b'{"query": "a", "query": "b"}', b"? qid:a 1:1\n\nrequest: mine\n? 1:1\n\n",
                        b'{"query":"a","lines":["' + b"1:1 " * 50000 + b'"]}', draw.randbytes(draw.randrange(300))])


def main():
    statuses, slowest, served = collections.Counter(), 0, []
    connection = http.client.HTTPConnection(sys.argv[3], timeout=10)
    for case in range(count):
        path = draw.choice(PATHS)
        body = body_of(path)
        began = time.monotonic()
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        slowest = max(slowest, time.monotonic() - began)
        statuses[answer.status] += 1
        wrong = "case %d: %s %.200r: %d %.200r" % (case, path, body, answer.status, text)
        if answer.status == 204:
            assert text == b"", wrong
            continue
        said = json.loads(text)
        assert answer.getheader("Content-Type") == "application/json", wrong
        if answer.status == 200:
            assert path == "/rank" and len(said["request"]) == 32, wrong
            served.append(said["request"])
        else:
            assert 400 <= answer.status < 500 and list(said) == ["error"] and said["error"], wrong
    assert slowest < 10
    with open(sys.argv[4], "w") as file:
        file.writelines(name + "\n" for name in served)
    print(" ".join("%d:%d" % pair for pair in sorted(statuses.items())))


def read():
    import rankpipe_front
    import rankpipe_api.bodies as bodies
    import rankpipe_service.intake as intake
    said = collections.Counter()
    for case in range(count):
        path = draw.choice(PATHS)
        body, began = body_of(path), time.process_time()
        try:
            if path == "/rank":
                bodies.rank_request(body, "0" * 32, 1000, draw.choice([None, 3]), draw.random() < 0.5, draw.random() < 0.5)
            elif path == "/answer":
                bodies.answer_request(body, 1000, 4)
            else:
                request, event, _ = bodies.event_request(body, 1000)
                line = rankpipe_front.event_line(request, 1, "x", **event)
                assert intake.line_of(line[:-1].encode())[0] == request.encode(), line
            said["read"] += 1
        except bodies.Bad as bad:
            assert bad.status == 400 and str(bad), body[:200]
            said["refused"] += 1
        assert time.process_time() < began + 1, "case %d: %.200r" % (case, body)
    print(" ".join("%s:%d" % pair for pair in sorted(said.items())))


read() if sys.argv[3] == "readers" else main()
