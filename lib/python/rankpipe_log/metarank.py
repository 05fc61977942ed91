"""Events of Metarank."""
# SPDX-License-Identifier: ISC
from .fields import name_of
from .source import records_of, time_of

OPTIONS = "aw"


def read(sources, table, options):
    notes, clicks = table.notes, options.clicks
    for record in records_of(sources, notes):
        kind = record.get("event")
        if kind == "ranking":
            ranking_of(table, record)
        elif kind == "interaction":
            name, doc = record.get("ranking"), record.get("item")
            action = record.get("type")
            if type(action) is not str or action not in clicks:
                continue
            if not name_of(name) or not name_of(doc):
                notes.warn("an interaction without ranking or item, and left out")
                continue
            table.click(table.find(name), doc)


def ranking_of(table, record):
    notes, name, items = table.notes, name_of(record.get("id")), record.get("items")
    if not name or type(items) is not list:
        notes.warn("a ranking without id or items, and left out")
        return
    request = table.find(name)
    if request.qid is not None:
        notes.counts["rankings that repeat the id of another, and are left out"] += 1
        return
    fields, text = record.get("fields"), None
    for field in fields if type(fields) is list else ():
        if type(field) is dict and field.get("name") == "query":
            text = name_of(field.get("value"))
    if text is None:
        notes.counts["rankings without a field query, whose qid is none"] += 1
    table.ask(request, text or "none", time_of(notes, record.get("timestamp")),
        record.get("user") or record.get("session"))
    table.list(request, [doc for doc in [item.get("id") for item in items if type(item) is dict] if name_of(doc)])
