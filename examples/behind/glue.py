# The glue in Python: the engine's rows, best first, become the order to show; clicks go back.
# SPDX-License-Identifier: ISC
import json, urllib.request

def ask(path, said, api="http://127.0.0.1:8080"):
    sent = urllib.request.Request(api + path, json.dumps(said).encode(), {"Content-Type": "application/json"})
    return json.loads(urllib.request.urlopen(sent, timeout=0.5).read() or "null")
def ranked(query, rows):  # rows: [{"id": ..., "features": [...]}, ...]
    try:
        found = ask("/rank", {"query": query, "documents": [{"name": str(r["id"]), "features": r["features"]} for r in rows]})
        return found["request"], sorted(rows, key=lambda row: found["ranking"].index(str(row["id"])))
    except (OSError, ValueError):  # the engine's own order
        return None, rows
def clicked(request, places, shown): ask("/answer", {"request": request, "clicks": places, "shown": shown})
