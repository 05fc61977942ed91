#!/usr/bin/env python3
"""api.py CONNECTIONS SECONDS HOST:PORT: asks a running examples/api/api.py over kept connections, each with one
request at a time of 20 documents with 46 features, and prints rankings a second and how long they took.

api.py held [FEATURES]: how long a body of so many features (85000) takes the loop of api.py, in this process and
without serve: the longest time between two of its turns, for the first body, which begins a process, and the median
of 20 more. The time of its thread leaves out what other programs took of the processor.
"""

import asyncio
import json
import os
import random
import selectors
import socket
import sys
import time


def request_of(host):
    draw = random.Random(1)
    documents = [{"name": "page%d" % i, "features": [round(draw.random(), 6) for _ in range(46)]} for i in range(20)]
    body = json.dumps({"query": "change user password", "documents": documents}).encode()
    return b"POST /rank HTTP/1.1\r\nHost: %b\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
        host.encode(), len(body), body)


def is_whole(answer):
    head, blank, body = answer.partition(b"\r\n\r\n")
    assert not blank or head.startswith(b"HTTP/1.1 200 "), head
    return blank and len(body) == int(head.lower().partition(b"content-length: ")[2].split(b"\r")[0])


def held(features):
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, here + "/../../examples/api")
    import api

    class Client:
        transport = True
        attempt = staticmethod(lambda function, *arguments: function(*arguments))
        reply = staticmethod(print)

    body = json.dumps({"query": "a", "documents": [
        {"features": {str(j): 0.123456 for j in range(1, 101)}}] * (features // 100)}).encode()

    async def measure():
        front, gaps, done = api.Api.__new__(api.Api), [], asyncio.Event()
        clocks = time.perf_counter, time.thread_time
        front.aside, front.tasks, front.clients, front.service = api.Aside(10), set(), set(), None
        for _ in range(21):
            done.clear()
            longest = [0.0, 0.0]
            then = [clock() for clock in clocks]
            front.read(Client, body, api.rank_request, ("0" * 32, 1000000, None), lambda *_: done.set())
            while not done.is_set():
                await asyncio.sleep(0)
                now = [clock() for clock in clocks]
                longest = [max(gap, b - a) for gap, a, b in zip(longest, then, now)]
                then = now
            gaps.append([gap * 1e3 for gap in longest])
        front.aside.close()
        return (*gaps[0], *(sorted(gap)[10] for gap in zip(*gaps[1:])))

    began = time.perf_counter()
    api.rank_request(body, "0" * 32, 1000000, None)
    print("read in the loop %.1f ms; aside, the loop is held for %.1f ms (%.1f of its thread), then %.1f (%.1f)" % (
        (time.perf_counter() - began) * 1e3, *asyncio.run(measure())))


def main():
    if sys.argv[1] == "held":
        return held(int((sys.argv[2:] or ["85000"])[0]))
    connections, seconds, address = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
    host, _, port = address.rpartition(":")
    request, selector, took = request_of(address), selectors.DefaultSelector(), []
    for _ in range(connections):
        peer = socket.create_connection((host, int(port)))
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer.sendall(request)
        selector.register(peer, selectors.EVENT_READ, [b"", time.perf_counter()])
    began = now = time.perf_counter()
    while now - began < seconds:
        for key, _ in selector.select():
            key.data[0] += key.fileobj.recv(65536)
            now = time.perf_counter()
            if is_whole(key.data[0]):
                took.append(now - key.data[1])
                key.data[:] = b"", now
                key.fileobj.sendall(request)
    took.sort()
    print("%.0f rankings a second; median %.2f ms, 99th percentile %.2f ms" % (
        len(took) / (now - began), took[len(took) // 2] * 1e3, took[len(took) * 99 // 100] * 1e3))


main()
