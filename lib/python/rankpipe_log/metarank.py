"""Events of Metarank."""
# SPDX-License-Identifier: ISC
from .source import records_of, time_of

OPTIONS = "anw"
KEYS = '"event"', '"ranking"', '"timestamp"', '"items"', '"item"', '"user"', '"session"'


def read(sources, table, options):
    notes, clicks = table.notes, options.clicks
    for record in records_of(sources, notes, KEYS):
        kind = record.get("event")
        if kind == "ranking":
            ranking_of(table, record)
        elif kind == "interaction":
            action = record.get("type")
            if type(action) is not str or action not in clicks:
                notes.ignore("events", action if type(action) is str else "interaction")
                continue
            name, doc = table.name("ranking", record.get("ranking")), table.name("item", record.get("item"))
            if not name or not doc:
                notes.warn("rows left out, interactions without ranking or item")
                continue
            table.click(table.find(name), doc)
        elif kind not in ("item", "user"):
            notes.warn("rows left out, no events of Metarank", kind)


def ranking_of(table, record):
    notes, name, items = table.notes, table.name("id", record.get("id")), record.get("items")
    if not name or type(items) is not list:
        notes.warn("rows left out, rankings without id or items")
        return
    request = table.find(name)
    if request.qid is not None:
        notes.count("rows left out, rankings that repeat the id of another")
        return
    fields, text = record.get("fields"), None
    for field in fields if type(fields) is list else ():
        if type(field) is dict and field.get("name") == "query":
            text = table.name("query", field.get("value"))
    if text is None:
        notes.count("rankings without a field query, whose qid is none")
    table.ask(request, name, text or "none", time_of(table, record.get("timestamp")),
              table.name("user", record.get("user")) or table.name("session", record.get("session")))
    table.list(request, table.names("item", [item.get("id") if type(item) is dict else None for item in items]))
