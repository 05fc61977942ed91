#!/usr/bin/env python3
"""api.py CONNECTIONS SECONDS HOST:PORT: asks a running examples/api/api.py over kept connections, each with one
request at a time of 20 documents with 46 features, and prints rankings a second and how long they took.
"""

import json
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


def main():
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
