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

# runs N [FIRST]: so many runs, each with ten new rounds and answers.
runs() {
    local i
    svm2bin -e "$ROOT/examples/data/small.svm" >"$BATS_FILE_TMPDIR/q.bin"
    mkdir -p answers
    for ((i = ${2-0}; i < ${2-0} + $1; i++)); do
        rounds $((10 * i + 1)) $((10 * i + 10)) | spool log >/dev/null
        answers $((10 * i + 1)) $((10 * i + 10)) >>answers/today
        FEATURES=12 learn
    done
}

# unit NAME: the command of that line of rank.service.
unit() {
    sed -n "/^$1=/,/[^\\\\]\$/p" "$ROOT/examples/serve/rank.service" | sed "s|^$1=/usr/bin/||"
}

# serving: the units' two commands, with a socket as systemd makes it, answer a query.
serving() {
    bash -ec "$(unit ExecStartPre)" || return
    "$ROOT/build/tests/shim/listen" 0 rank.socket bash -ec "exec $(unit ExecStart)" 3>&- &
    local service=$!
    for _ in $(seq 100); do [ -S rank.socket ] && break || sleep 0.1; done
    { printf 'request: s\n'; grep ' qid:q1 ' "$ROOT/examples/data/small.svm"; echo; } | timeout 20 serve -a rank.socket >reply
    kill $service && wait $service || true
    rm rank.socket
    ! grep '^!' reply && [ "$(grep -c . reply)" -ge 3 ]
}

@test "a database that is lost, or empty: no run deletes what the models have learnt, and serve starts" {
    local lost='but models/4.bin has learnt: run: rankpipe service restore FILE; or, to begin anew, move w.bin and models elsewhere'
    runs 3
    cksum models/* w.bin >before
    for how in 'rm service.db*' 'rm service.db*; touch service.db' 'rm service.db*; rm w.bin'; do
        eval "$how"
        fails 1 "service: service.db has no generation, $lost" rankpipe service learn
        fails 1 "service: service.db has no generation, $lost" rankpipe service back 2
        serving 2>err
        grep -Fx "service: service.db has no generation, $lost" err
        fails 0 "service: service.db has no generation, $lost" rankpipe service first
        is "$(cksum models/* w.bin)" "$(cat before)"
    done
    echo junk >service.db
    fails 1 'service: service.db: file is not a database' rankpipe service learn
    serving
    # without w.bin: the highest that score can read, and none
    rm service.db* w.bin
    cp models/4.bin models/5.bin
    printf x | dd of=models/5.bin bs=1 seek=150 conv=notrunc 2>/dev/null
    rankpipe service first 2>err
    [ w.bin -ef models/4.bin ]
    rm w.bin models/[2345].bin
    cp "$BATS_FILE_TMPDIR/q.bin" models/7.bin
    fails 1 'service: service.db has no generation, but models/7.bin has learnt: *' rankpipe service first
    # a first model has learnt nothing
    rm models/7.bin
    rankpipe service learn
    # elsewhere: all begins anew
    runs 1 10
    rm service.db*
    mkdir elsewhere && mv w.bin models elsewhere
    rankpipe service learn
    is "$(cd models && echo *)" '1.bin 2.bin'
}

@test "a patch whose database is lost serves with its whole model" {
    older
    rm service.db* w.bin whole.*
    rankpipe service first 2>err
    [ w.bin -ef models/5.bin ]
    [ "$(echo whole.*)" -ef "models/$(echo whole.*)" ]
}

@test "runs unlink models that the database had, and no others; another model of that number is never learnt from" {
    runs 3
    touch models/7.bin models/notes models/whole.9.0123abcd.bin
    cp models/4.bin models/9.bin
    rankpipe service back 2
    is "$(cd models && echo *)" '1.bin 2.bin 7.bin 9.bin notes whole.9.0123abcd.bin'
    # numbers that are taken stay as they are
    cp models/2.bin models/5.bin
    runs 1 3
    is "$(cd models && echo *)" '1.bin 2.bin 5.bin 6.bin 7.bin 9.bin notes whole.9.0123abcd.bin'
    is "$(fact generation)" 6
    cp models/6.bin good
    cp models/2.bin other && mv other models/6.bin
    local why='service: models/6.bin is not the one that service.db knows: move it away, and it is learnt anew'
    fails 1 "$why" rankpipe service learn
    rm w.bin
    fails 0 "$why" rankpipe service first
    mv models/6.bin away
    rankpipe service learn 2>err
    is "$(cat err)" 'service: models/6.bin is missing: all is learnt anew'
}

# killed N ACTION...: rankpipe service, killed before the Nth time that it renames, links or unlinks a file or commits.
# Was it?
killed() {
    ! python3 - "$ROOT" "$@" <<'PY' 2>/dev/null
import os, runpy, sys
root, steps, *action = sys.argv[1:]
steps = int(steps)
sys.path.insert(0, root + "/lib/python")
from rankpipe_service import store
def counted(function):
    def count(*words, **named):
        global steps
        steps -= 1
        if steps == 0:
            os.kill(os.getpid(), 9)
        return function(*words, **named)
    return count
for name in "rename", "link", "unlink":
    setattr(os, name, counted(getattr(os, name)))
store.Store.__exit__ = counted(store.Store.__exit__)
sys.argv = ["service", *action]
runpy.run_path(root + "/cmd/service", run_name="__main__")
PY
}

@test "a folder of 0.4.0 is taken over also after a kill at any step of that" {
    local n=0
    svm2bin -e "$ROOT/examples/data/small.svm" >"$BATS_FILE_TMPDIR/q.bin"
    mkdir -p base/answers
    cd base
    rounds 1 20 | spool log >/dev/null
    answers 1 15 >answers/today
    head -n 10 answers/today >said
    rounds 1 10 | feedback-join -r -l unused said 2>/dev/null | spool seen >/dev/null
    replay -n 8 seen/*.bin | update -O 3 -B 2000000 -l 5 -m model.bin
    ln model.bin w.bin
    touch late
    cd ..
    while rm -rf there && cp -a base there && cd there && n=$((n + 1)) && killed $n learn; do
        rankpipe service learn 2>err
        is "$(learnt) $(fact learnt_total) $(cd older && echo *) $(cd models && ls | wc -l)" '15 15 late model.bin seen 2'
        rankpipe service check
        cd ..
    done
    [ "$n" -gt 15 ]
}
