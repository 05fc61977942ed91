"""User Behavior Insights: documents of ubi_queries and ubi_events."""
# SPDX-License-Identifier: ISC
from .fields import position_of, qid_of
from .source import records_of, time_of

OPTIONS = "anw"
BULK = {"index", "create", "update", "delete"}  # what a line of Elasticsearch's bulk form has alone
KEYS = ('"query_id"', '"action_name"', '"user_query"', '"query_response_hit_ids"', '"client_id"', '"timestamp"',
        '"object_id"', '"ordinal"')


def read(sources, table, options):
    notes, clicks = table.notes, options.clicks
    for record in records_of(sources, notes, KEYS):
        action, name = record.get("action_name"), record.get("query_id")
        if action is None:
            query_of(table, record, name)
        elif type(action) is not str:
            notes.warn("rows left out, whose action_name is no text")
        elif action == "impression" or action in clicks:
            try:
                attributes = record["event_attributes"]
                doc = table.name("object_id", attributes["object"]["object_id"])
                if not table.name("query_id", name) or not doc:
                    raise TypeError
            except (KeyError, TypeError):
                notes.warn("rows left out, events without query_id or object_id")
                continue
            request = table.find(name)
            if action in clicks:
                table.click(request, doc)
                continue
            try:
                position = position_of(attributes["position"]["ordinal"])
            except (KeyError, TypeError):
                position = None
            if position is None:
                notes.warn("rows left out, impressions without a position")
            else:
                table.see(request, doc, position)
        else:
            notes.ignore("events", action)


def query_of(table, record, name):
    """A query, perhaps one of several of its request: the first with documents counts."""
    text, notes = record.get("user_query"), table.notes
    if not table.name("query_id", name) or not isinstance(text, str):
        if not BULK.issuperset(record):
            notes.warn("rows left out, neither a query nor an event with its query_id")
        return
    if not (text := table.name("user_query", text)) or not text.strip():
        notes.count("rows left out, queries without a text")
        return
    request, docs = table.find(name), table.names("hit", record.get("query_response_hit_ids"))
    if request.qid is not None:
        notes.count("rows left out, queries that repeat the query_id of another" if qid_of(text) == request.qid else
                    "rows left out, of another query under one query_id: give each query its own")
        if request.docs or not docs:
            return
        request.qid = None
    table.ask(request, name, text, time_of(table, record.get("timestamp")), table.name("client_id", record.get("client_id")))
    if docs:
        table.list(request, docs)
