# rankpipe service: what survives a lost database, and an upgrade; backup and restore.
load ../helper
load ../service

# older: the folder of a service whose schema has version 1: a pin, patches, and a run that was killed before it
# committed generation 5. fixtures/service-1.tar.gz was made by commit f3f4958b, whose update made patches of models of 1 KB.
older() {
    tar xzf "$ROOT/tests/fixtures/service-1.tar.gz"
}

@test "upgrade: a service of version 1 goes on, after a copy of its database" {
    older
    fails 1 'service: service.db is of version 1, not 2: the next run upgrades it: rankpipe service learn' rankpipe service status
    cp models/3.bin pinned
    rankpipe service learn 2>err
    is "$(cat err)" 'service: service.db is of version 2 now; service.db.v1 has it as it was'
    is "$(stat -c %a service.db.v1) $(query 'PRAGMA user_version')" '600 2'
    is "$(learnt) $(fact learnt_total)" '27 33'
    same w.bin pinned
    rankpipe service unpin
    is "$(learnt)" 33
    rankpipe service check
    once
    # back to the version before: by the copy
    is "$(python3 -c 'import sqlite3
print(*sqlite3.connect("service.db.v1").execute("PRAGMA user_version").fetchone(),
      *sqlite3.connect("service.db.v1").execute("SELECT max(id), count(last) FROM generations").fetchone())')" '1 4 4'
    # an upgrade that is killed is begun again
    rm -r ./* && older
    python3 - "$ROOT" <<'PY' || true
import os, runpy, sys
sys.path.insert(0, sys.argv[1] + "/lib/python")
from rankpipe_service import store
store.SCHEMAS = (*store.SCHEMAS[:-1], store.SCHEMAS[-1] + ";SELECT kill()")
connect = store.sqlite3.connect
def killing(*words, **options):
    db = connect(*words, **options)
    db.create_function("kill", 0, lambda: os.kill(os.getpid(), 9))
    return db
store.sqlite3.connect = killing
sys.argv, root = ["service", "learn"], sys.argv[1]
runpy.run_path(root + "/cmd/service", run_name="__main__")
PY
    is "$(stat -c %a service.db.v1) $(query 'PRAGMA user_version')" '600 1'
    rankpipe service learn
    rankpipe service unpin
    once
}
