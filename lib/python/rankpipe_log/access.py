"""Lines of a web server, of which the requests for a beacon count."""
# SPDX-License-Identifier: ISC
import re

from .fields import common_stamp, unquoted
from .source import time_of

OPTIONS = "pw"


def read(sources, table, options):
    """/b?r=REQUEST&q=QUERY&s=DOC,DOC for a page of results, and /b?r=REQUEST&c=DOC for a click."""
    notes, find = table.notes, re.compile(BEACON % re.escape(options.path)).search
    for source in sources:
        notes.source = source
        for line in source.lines():
            found = find(line)
            if not found:
                continue
            client, time, name, text, docs, doc = found.groups()
            request = table.find(unquoted(name))
            if doc:
                table.click(request, unquoted(doc))
            if not docs:
                continue
            if request.docs:
                notes.counts["pages that repeat the request of another, and are left out"] += 1
                continue
            table.ask(request, unquoted(text or ""), time_of(notes, time, common_stamp),
                      client if client != "-" else None)
            names = list(filter(None, docs.split(",")))
            table.list(request, list(map(unquoted, names)) if unquoted(docs) is not docs else names)


# Each parameter is looked for from the path on, so they may stand in any order.
BEACON = r'^(\S+) [^"]*?\[([^][" ]*(?: [^][" ]*)?)\] "[A-Z]+ %s\?(?=(?:[^ "]*?&)??r=([^& "]+))' + "".join(
    r'(?:(?=(?:[^ "]*?&)??%s=([^& "]+)))?' % letter for letter in "qsc")
