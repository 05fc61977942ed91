# The glue in Python: the engine's rows, best first, become the order to show; what visitors do goes back.
# SPDX-License-Identifier: ISC
import http.client, json, sys, time, urllib.error, urllib.request
API, SAID = "http://127.0.0.1:8080", {}

def ask(path, said):  # None of what fails, which is said on standard error, each kind once a minute, and never raised
    try:
        body = json.dumps({name: value for name, value in said.items() if value is not None}, default=float).encode()
        sent = urllib.request.Request(API + path, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(sent, timeout=0.5) as reply:
            return json.loads(reply.read() or "null")
    except (ArithmeticError, LookupError, OSError, TypeError, ValueError, http.client.HTTPException) as error:
        kind = path, getattr(error, "code", type(error))
        if time.monotonic() - SAID.get(kind, -60) >= 60:
            SAID[kind] = time.monotonic()
            print("rankpipe: %s: %s" % (API + path, error), error.read(500).decode("utf-8", "replace").strip() if hasattr(error, "read") else "", file=sys.stderr)
def ranked(query, rows, client=None, shown=10):  # rows: [{"id": ..., "features": [...]}, ...]; client: the visitor's address, or id:NAME
    found = rows and ask("/rank", {"query": query, "client": client, "shown": min(shown, len(rows)), "documents": [
        {"name": str(row["id"]), "features": row["features"]} for row in rows]}) or {"request": None, "ranking": []}
    place = {name: at for at, name in enumerate(found["ranking"])}
    return found["request"], sorted(rows, key=lambda row: place.get(str(row["id"]), 0))  # or the engine's own order
def event(request, item, client=None, type="click"):  # or basket, order, back
    ask("/event", {"request": request, "item": str(item), "type": type, "client": client})
