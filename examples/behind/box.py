#!/usr/bin/env python3
"""box.py: a search box of its own, in front of a database or a search engine, whose order the API improves.

    box.py [-p port] [-a address of the API] postgresql CONNECTION | sqlite FILE | elasticsearch ADDRESS/INDEX

Each search asks the engine for 50 candidates with their features, by the one query of postgresql.sql or sqlite.sql, and
rankpipe api for their order (glue.py). A click goes back. Without it the order is the engine's own. psycopg2 is needed for
PostgreSQL alone.
"""
# SPDX-License-Identifier: ISC
import contextlib
import html
import http.server
import json
import pathlib
import sqlite3
import sys
import urllib.parse
import urllib.request

import glue

HERE, PAGE = pathlib.Path(__file__).resolve().parent, 10


def query_of(name):
    """The last statement of a file: the query."""
    return "SELECT" + (HERE / name).read_text().rpartition("SELECT")[2].rstrip().rstrip(";")


def postgresql(connection):
    import psycopg2.extras

    def search(words):
        with contextlib.closing(psycopg2.connect(connection)) as database, database.cursor(cursor_factory=psycopg2.extras.RealDictCursor) as at:
            at.execute(query_of("postgresql.sql"), {"query": words})
            return at.fetchall()
    return search


def sqlite(path):
    def search(words):
        quoted = " ".join('"%s"' % word.replace('"', '""') for word in words.replace("\0", " ").split())
        if not quoted:
            return []
        with contextlib.closing(sqlite3.connect("file:%s?mode=ro" % urllib.parse.quote(path), uri=True)) as database:
            return [{"id": number, "title": title, "features": features} for number, title, *features in database.execute(
                query_of("sqlite.sql"), {"query": quoted})]
    return search


def elasticsearch(address):
    def search(words):
        asked = {"size": 50, "query": {"bool": {"should": [
            {"match": {name: {"query": words, "_name": name}}} for name in ("title", "body")]}}}
        sent = urllib.request.Request(address + "/_search?include_named_queries_score", json.dumps(asked).encode(),
                                      {"Content-Type": "application/json"})
        with urllib.request.urlopen(sent, timeout=2) as reply:
            hits = json.load(reply)["hits"]["hits"]
        return [{"id": hit["_id"], "title": hit["_source"]["title"], "features": [
            hit["_score"], *(hit["matched_queries"].get(name, 0) for name in ("title", "body")), len(hit["_source"]["title"])]}
            for hit in hits]
    return search


class Box(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path, _, query = self.path.partition("?")
        asked = dict(urllib.parse.parse_qsl(query, errors="replace", max_num_fields=20))
        if path == "/go":
            return self.go(asked)
        words = asked.get("q", "")[:200]
        request, rows = glue.ranked(words, self.server.search(words)) if words.strip() else (None, [])
        shown = rows[:PAGE]
        links = ['<li><a href="go?%s">%s</a></li>' % (html.escape(urllib.parse.urlencode(
            {"r": request or "", "p": place, "n": len(shown), "d": row["id"]})), html.escape(row["title"]))
            for place, row in enumerate(shown, 1)]
        self.reply(200, '<!doctype html><title>Search</title><form><input name="q" value="%s"></form><ol>%s</ol>' % (
            html.escape(words), "\n".join(links)))

    def go(self, asked):
        """A click: only who got the page knows the name of its request."""
        said = [asked.get(name, "0") for name in ("p", "n")]
        if not all(text.isdecimal() and len(text) <= 20 for text in said):
            return self.reply(400, "<!doctype html><title>Error</title><p>This is no link of a page of results.")
        place, shown = map(int, said)
        if asked.get("r") and 1 <= place <= shown <= PAGE:
            try:
                glue.clicked(asked["r"], [place], shown)
            except (OSError, ValueError):
                pass  # the click is lost, and the page is shown
        self.reply(200, "<!doctype html><title>Document</title><p>Document %s" % html.escape(asked.get("d", "")))

    def reply(self, status, text):
        data = text.encode("utf-8", "replace")
        self.send_response(status)
        for header in (("Content-Type", "text/html; charset=utf-8"), ("Content-Length", len(data)),
                       ("Content-Security-Policy", "default-src 'none'; form-action 'self'")):
            self.send_header(*map(str, header))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def main(words):
    port, engines = 8081, {"postgresql": postgresql, "sqlite": sqlite, "elasticsearch": elasticsearch}
    while words and words[0] in ("-p", "-a") and len(words) > 1:
        option, value, *words = words
        if option == "-p":
            port = int(value)
        else:
            glue.ask.__defaults__ = (value,)
    if len(words) != 2 or words[0] not in engines:
        sys.exit(__doc__.strip())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Box)
    server.search = engines[words[0]](words[1])
    print("http://127.0.0.1:%d/" % server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        pass
