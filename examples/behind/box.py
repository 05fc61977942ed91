#!/usr/bin/env python3
"""box.py: a search box of its own, in front of a database or a search engine, whose order the API improves.

    box.py [-p port] [-a address of the API] [-x] postgresql CONNECTION | sqlite FILE | elasticsearch ADDRESS/INDEX

Each search asks the engine for 50 candidates with their features, by the one query of postgresql.sql or sqlite.sql, and
rankpipe api for their order (glue.py). A click goes back, with the visitor's address; where a web server is before the box,
which sets X-Forwarded-For, that is the last address there (-x). Where the API fails, the order is the engine's own. psycopg2
is needed for PostgreSQL alone.
"""
# SPDX-License-Identifier: ISC
import contextlib
import html
import http.server
import json
import pathlib
import re
import sqlite3
import sys
import urllib.error
import urllib.parse
import urllib.request

import glue

HERE, PAGE = pathlib.Path(__file__).resolve().parent, 10


class Missing(Exception):
    """There is no table; and how to make one."""


def no_table(error, name):
    return Missing("There is no table that the query of examples/behind/%s can be asked (%s). Make one, or change the query:" % (
        name, str(error).partition("\n")[0]), (HERE / name).read_text())


def query_of(name):
    """The last statement of a file: the query."""
    return "SELECT" + (HERE / name).read_text().rpartition("SELECT")[2].rstrip().rstrip(";")


def postgresql(connection):
    try:
        import psycopg2.extras
    except ImportError:
        sys.exit("box: %s has no psycopg2: Debian's python3-psycopg2 is for /usr/bin/python3" % sys.executable)

    def search(words):
        with contextlib.closing(psycopg2.connect(connection)) as database, database.cursor(cursor_factory=psycopg2.extras.RealDictCursor) as at:
            try:
                at.execute(query_of("postgresql.sql"), {"query": words})
            except psycopg2.ProgrammingError as error:
                raise no_table(error, "postgresql.sql") from None
            return at.fetchall()
    return search


def sqlite(path):
    def search(words):
        quoted = " ".join('"%s"' % word.replace('"', '""') for word in words.replace("\0", " ").split())
        if not quoted:
            return []
        try:
            with contextlib.closing(sqlite3.connect("file:%s?mode=ro" % urllib.parse.quote(path), uri=True)) as database:
                return [{"id": number, "title": title, "features": features} for number, title, *features in database.execute(
                    query_of("sqlite.sql"), {"query": quoted})]
        except sqlite3.OperationalError as error:
            raise no_table(error, "sqlite.sql") from None
    return search


def elasticsearch(address):
    def search(words):
        asked = {"size": 50, "query": {"bool": {"should": [
            {"match": {name: {"query": words, "_name": name}}} for name in ("title", "body")]}}}
        sent = urllib.request.Request(address + "/_search?include_named_queries_score", json.dumps(asked).encode(),
                                      {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(sent, timeout=2) as reply:
                hits = json.load(reply)["hits"]["hits"]
        except urllib.error.HTTPError as error:
            raise Missing("There is no index at %s, or it refuses the query (status %d). Make one with the fields title and body:" % (
                address, error.code), "curl --json '{\"title\": \"plum jam\", \"body\": \"of plums\"}' %s/_doc" % address) from None
        return [{"id": hit["_id"], "title": hit["_source"]["title"], "features": [
            hit["_score"], *(hit["matched_queries"].get(name, 0) for name in ("title", "body")), len(hit["_source"]["title"])]}
            for hit in hits]
    return search


HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Search</title><style>:root{color-scheme:light dark}body{font:1.1em/1.6 sans-serif;max-width:34em;margin:1em auto;padding:0 1em}
input,button{font:inherit}pre{white-space:pre-wrap}</style>
"""


class Box(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path, _, query = self.path.partition("?")
        asked = dict(urllib.parse.parse_qsl(query, errors="replace", max_num_fields=20))
        words, page = asked.get("q", "")[:200], asked.get("page", "1")
        if path not in ("/", "/go") or page not in list("123456789"):
            return self.reply(404, "<p>There is no such page.")
        form = '<form action="./"><label>Search <input name="q" value="%s"></label> <button>Go</button></form>' % html.escape(words)
        try:
            return self.reply(200, form + (self.go(asked) if path == "/go" else self.results(words, int(page)) if words.strip() else ""))
        except Missing as error:
            return self.reply(500, "<p>%s<pre>%s</pre>" % tuple(map(html.escape, error.args)))
        except Exception as error:  # the engine's: visitors need not know
            print("box: %s" % error, file=sys.stderr)
            return self.reply(500, "<p>The search does not work now.")

    def results(self, words, page):
        """The page of so many results; a further one is a ranking of its own, of which more is shown."""
        request, rows = glue.ranked(words, self.server.search(words), self.client(), shown=PAGE * page)
        first, last = PAGE * (page - 1), PAGE * page
        links = ['<li><a href="go?%s">%s</a></li>' % (html.escape(urllib.parse.urlencode(
            {"r": request or "", "d": row["id"], "q": words})), html.escape(row["title"])) for row in rows[first:last]]
        pages = ['<a href="./?%s">%s</a>' % (html.escape(urllib.parse.urlencode({"q": words, "page": to})), name)
                 for name, to, there in (("Back", page - 1, page > 1), ("More", page + 1, len(rows) > last)) if there]
        return '<ol start="%d">%s</ol><p>%s' % (first + 1, "\n".join(links), " ".join(pages)) if links else \
            "<p>Nothing is found for %s: try fewer words." % html.escape(words)

    def go(self, asked):
        """A click: only who got the page knows the name of its request."""
        if re.fullmatch("[0-9a-f]{32}", asked.get("r", "")) and 0 < len(asked.get("d", "")) <= 500:
            glue.event(asked["r"], asked["d"], self.client())
        return '<p>Document %s. <a href="./?%s">Back to the results</a>' % (html.escape(asked.get("d", "")), html.escape(
            urllib.parse.urlencode({"q": asked.get("q", "")[:200]})))

    def client(self):
        """The address of the visitor, as the web server sees it, where one is before this."""
        forwarded = self.headers.get("X-Forwarded-For", "") if self.server.proxied else ""
        return forwarded.rpartition(",")[2].strip() or self.client_address[0]

    def reply(self, status, text):
        data = (HEAD + text).encode("utf-8", "replace")
        self.send_response(status)
        for header in (("Content-Type", "text/html; charset=utf-8"), ("Content-Length", len(data)),
                       ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'")):
            self.send_header(*map(str, header))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def main(words):
    port, proxied, engines = 8081, False, {"postgresql": postgresql, "sqlite": sqlite, "elasticsearch": elasticsearch}
    while len(words) > 2:
        option, *words = words
        if option == "-p" and words[0].isdecimal():
            port = int(words.pop(0))
        elif option == "-a":
            glue.API = words.pop(0)
        elif option == "-x":
            proxied = True
        else:
            words = []
    if len(words) != 2 or words[0] not in engines:
        sys.exit(__doc__.strip())
    search = engines[words[0]](words[1])
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Box)
    except (OSError, OverflowError) as error:
        sys.exit("box: cannot listen at port %d: %s: choose another by -p" % (port, error))
    server.search, server.proxied = search, proxied
    print("http://127.0.0.1:%d/" % server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        pass
