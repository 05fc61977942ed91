#!/usr/bin/env python3
"""api.py [CONNECTIONS [PYTHON]]: what a ranking over HTTP costs, beside serve alone.

Starts serve and rankpipe api on one core, asks over so many kept connections (1) at the sizes 20 x 46 and
100 x 136, documents by features, and prints a row for each: the microseconds of processor time a ranking of the API,
given documents and given values, of serve behind it, and of serve alone when it is asked by text and by rounds; the
ratio of the API with serve to serve by text, for both; and rankings a second, given documents.
"""

import base64
import json
import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "lib", "python"))
import rankpipe  # noqa: E402


def processes(pid):
    """A process and all that it has started."""
    found = [pid]
    for thread in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/children" % (pid, thread), encoding="ascii") as file:
            for child in file.read().split():
                found += processes(int(child))
    return found


def used(pid):
    """Seconds of processor time of these, to the nanosecond."""
    total = 0
    for one in processes(pid):
        for thread in os.listdir("/proc/%d/task" % one):
            with open("/proc/%d/task/%s/schedstat" % (one, thread), encoding="ascii") as file:
                total += int(file.read().split()[0])
    return total / 1e9


def start(*words):
    """Starts a program on the first core, and waits for the socket that its name is among the words."""
    process = subprocess.Popen(["taskset", "-c", "0", *words], stderr=subprocess.DEVNULL)
    path = words[words.index("-l") + 1] if "-l" in words else "s"
    while not os.path.exists(path):
        assert process.poll() is None, words
        time.sleep(0.02)
    time.sleep(0.5)
    return process


def connected(path):
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(path)
    return peer


def ask_http(peers, request):
    for peer in peers:
        peer.sendall(request)
    for peer in peers:
        answer = b""
        while True:
            answer += peer.recv(1 << 20)
            head, blank, body = answer.partition(b"\r\n\r\n")
            if blank and len(body) == int(head.lower().partition(b"content-length: ")[2].split(b"\r")[0]):
                break
        assert head.startswith(b"HTTP/1.1 200 "), answer


def cost_of_http(api, serve, connections, n, request):
    peers = [connected("a") for _ in range(connections)]
    for _ in range(20):
        ask_http(peers, request)
    before, began = (used(api.pid), used(serve.pid)), time.perf_counter()
    for _ in range(n // connections):
        ask_http(peers, request)
    asked = n // connections * connections
    speed = asked / (time.perf_counter() - began)
    return [1e6 * (now - then) / asked for now, then in zip((used(api.pid), used(serve.pid)), before)], speed


def cost_of_serve(serve, requests):
    peer, before = connected("s"), used(serve.pid)
    for request in requests:
        peer.sendall(request)
        answer = b""
        while not answer.endswith(b"\n\n"):
            answer += peer.recv(1 << 20)
        assert not answer.startswith(b"!"), answer
    return 1e6 * (used(serve.pid) - before) / len(requests)


def row(docs, dim, connections, python):
    draw, n = random.Random(1), 2000 if docs == 20 else 500
    subprocess.run("synth -n 20 -l %d -d %d linear | update -a listnet -m w.bin" % (docs, dim), shell=True, check=True)
    os.makedirs("answers", exist_ok=True)
    serve = start("serve", "-e", "s", "score -r -m w.bin | explore | spool log")
    api = start(python, os.path.join(ROOT, "cmd", "api"), "-l", "a", "s", "answers")
    rows = [[round(draw.random(), 6) for _ in range(dim)] for _ in range(docs)]
    names, query = ["page%d" % i for i in range(docs)], "change user password"
    body = json.dumps({"query": query, "documents": [
        {"name": name, "features": row} for name, row in zip(names, rows)]}).encode()
    packed = base64.b64encode(b"".join(struct.pack("<%df" % dim, *row) for row in rows)).decode()
    packed = json.dumps({"query": query, "features": dim, "values": packed, "names": names}).encode()
    head = b"POST /rank HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
    ((http, behind), speed), ((values, _), _) = [
        cost_of_http(api, serve, connections, n, head % (len(data), data)) for data in (body, packed)]
    text, rounds = [cost_of_serve(serve, [make(rows, names, query, "%s%d" % (make.__name__, i), True, True)
                                          for i in range(n)]) for make in (rankpipe.request_text, rankpipe.request_round)]
    print("%9s %7.0f %7.0f %7.0f %7.0f %7.0f %7.1f %7.1f %9.0f" % (
        "%d x %d" % (docs, dim), http, values, behind, text, rounds, (http + behind) / text, (values + behind) / text,
        speed), flush=True)
    for process in (api, serve):
        process.terminate()
        process.wait()


def main():
    connections, python = int((sys.argv[1:] or ["1"])[0]), (sys.argv[2:] or [sys.executable])[0]
    os.environ.update(PATH=os.path.join(ROOT, "bin") + ":" + os.environ["PATH"], RANKPIPE_ROOT="yes")
    os.sched_setaffinity(0, {os.cpu_count() - 1})
    print("%9s %7s %7s %7s %7s %7s %7s %7s %9s" % (
        "", "api", "values", "serve", "by text", "rounds", "ratio", "values", "a second"))
    for docs, dim in ((20, 46), (100, 136)):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            row(docs, dim, connections, python)
            os.chdir("/")


if __name__ == "__main__":
    main()
