"""User Behavior Insights: documents of ubi_queries and ubi_events."""
# SPDX-License-Identifier: ISC
from .fields import name_of, names_of
from .source import records_of, time_of

OPTIONS = "aw"
BULK = {"index", "create", "update", "delete"}  # what a line of Elasticsearch's bulk form has alone


def read(sources, table, options):
    notes, clicks = table.notes, options.clicks
    for record in records_of(sources, notes):
        action, name = record.get("action_name"), record.get("query_id")
        if action is None:
            query_of(table, record, name)
        elif type(action) is str and (action == "impression" or action in clicks):
            try:
                attributes = record["event_attributes"]
                doc = attributes["object"]["object_id"]
                if type(name) is not str or type(doc) is not str or not name or not doc:
                    raise TypeError
            except (KeyError, TypeError):
                notes.warn("an event without query_id or object_id, and left out")
                continue
            request = table.find(name)
            if action in clicks:
                table.click(request, doc)
                continue
            try:
                position = attributes["position"]["ordinal"]
                if type(position) is not str or not position.isdecimal() or len(position) > 9:
                    raise ValueError
            except (KeyError, TypeError, ValueError):
                notes.warn("an impression without a position, and left out")
                continue
            table.see(request, doc, int(position))


def query_of(table, record, name):
    """A query, perhaps one of several of its request: the first with documents counts."""
    text, notes = record.get("user_query"), table.notes
    if not name_of(name) or not isinstance(text, str):
        if not BULK.issuperset(record):
            notes.warn("neither a query nor an event, with its query_id, and left out")
        return
    request, docs = table.find(name), names_of(record.get("query_response_hit_ids"))
    if request.qid is not None:
        notes.counts["queries that repeat the query_id of another"] += 1
        if request.docs or not docs:
            return
    table.ask(request, text, time_of(notes, record.get("timestamp")), record.get("client_id"))
    if docs:
        table.list(request, docs)
