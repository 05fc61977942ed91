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
    fails 1 'service: service.db is of version 1, not 3: the next run upgrades it: rankpipe service learn' rankpipe service status
    cp models/3.bin pinned
    rankpipe service learn 2>err
    is "$(cat err)" 'service: service.db is of version 3 now; service.db.v1 has it as it was'
    is "$(stat -c %a service.db.v1) $(query 'PRAGMA user_version')" '600 3'
    is "$(learnt) $(fact learnt_total)" '27 33'
    same w.bin pinned
    rankpipe service unpin
    is "$(learnt)" 33
    rankpipe service check
    rankpipe service rebuild >rebuilt
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
    is "$(learnt)" 33
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
    echo good >good.db
    for how in 'rm service.db*' 'rm service.db*; touch service.db' 'rm service.db*; rm w.bin'; do
        eval "$how"
        fails 1 "service: service.db has no generation, $lost" rankpipe service learn
        for action in 'back 2' check report stream 'backup -f good.db'; do # which says what is to be restored, and stays
            fails 1 "service: service.db has no generation, $lost" rankpipe service $action
        done
        fails 1 "*$lost" rankpipe service status
        is "$(cat good.db)" good
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
    rounds 1 10 >../first
    { cat ../first; rounds 11 20; } | spool log >/dev/null
    answers 1 15 >answers/today
    head -n 10 answers/today >said
    feedback-join -r said <../first 2>/dev/null | spool seen >/dev/null
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

# counts: what the status counts is what the stream and the database have.
counts() {
    rankpipe service stream >stream.bin
    rankpipe service status --json >status.json
    python3 - "$ROOT/lib/python" <<'PY'
import collections, json, sqlite3, sys
sys.path.insert(0, sys.argv[1])
import rankpipe
rows = collections.defaultdict(lambda: [0, 0, 0.0])
n = 0
for round in rankpipe.read("stream.bin"):
    n += 1
    seen = list(round["seen"])
    for place, value in [(0, None), *enumerate(seen[:10], 1)]:
        row = rows["greedy" in round or round.keys.get("gamma") == "1", place]
        row[0] += 1
        row[1] += any(seen) if value is None else value > 0
        row[2] += sum(seen) if value is None else value
known = json.load(open("status.json"))
said = {(row["random"], row["place"]): [row["answers"], row["clicks"], row["relevance"] * row["answers"]] for row in known["places"]}
assert said.keys() == rows.keys(), (said.keys(), rows.keys())
for key, row in rows.items():
    assert said[key][0] == row[0] and said[key][2] - row[2] < 1e-6 and (key[1] == 0 or said[key][1] == row[1]), (key, said[key], row)
db = sqlite3.connect("service.db")
one = lambda sql: db.execute(sql).fetchone()[0]
hours = db.execute("SELECT sum(rounds), sum(answered) FROM hours").fetchone()
assert hours == (one("SELECT count(*) FROM rounds"), one("SELECT count(*) FROM answers WHERE state <> 0")), hours
assert known["answers"]["learnt"] == n == known["generation"]["kept"][-1]["learnt"], (known["answers"], n)
print(n)
PY
}

@test "counts of the status are those of the stream after back, again, rebuild, erase and restore" {
    runs 3
    is "$(counts)" 30
    rankpipe service backup copy
    rankpipe service back 2
    is "$(counts)" 10
    rankpipe service again
    rankpipe service learn
    is "$(counts)" 30
    awk '{ print $1, $2, "client=c" ($1 ~ /[05]$/ ? "x" : NR), $3 }' <(answers 31 60) >>answers/today
    rounds 31 60 | of_query shared | spool log >/dev/null
    rankpipe service learn
    is "$(counts) $(fact beyond_total)" '55 5' # cx has answered six times, and has one voice
    rankpipe service erase clients cx -- queries q1 q2 2>err
    before=$(counts)
    is "$before" 52
    rankpipe service learn
    is "$(counts) $(fact beyond_total)" "$before 5"
    runs 1 7
    is "$(counts)" 62
    rankpipe service back "$(($(fact generation) - 1))"
    is "$(counts)" 52
    rankpipe service again
    rankpipe service learn
    is "$(counts)" 62
    printf '%s\n' c1 c2 >left-out
    rankpipe service rebuild --without-clients left-out
    is "$(counts)" 60
    rankpipe service back "$(($(fact generation) - 1))"
    is "$(counts)" 62
    rankpipe service restore copy 2>err
    rankpipe service learn
    is "$(counts)" 62 # what was erased is not learnt again
    once
}

# patched CODE ACTION...: rankpipe service, after that Python.
patched() {
    python3 - "$ROOT" "$@" <<'PY'
import runpy, sys
root, code, *action = sys.argv[1:]
sys.path.insert(0, root + "/lib/python")
exec(code)
sys.argv = ["service", *action]
runpy.run_path(root + "/cmd/service", run_name="__main__")
PY
}

@test "backup: one step beside runs that commit; killed, no file of that name; never a file replaced without -f" {
    runs 2
    rankpipe service backup "$PWD/a b?.db" >out
    is "$(cat out)" "$PWD/a b?.db: 20 answers, the newest of $(query "SELECT strftime('%Y-%m-%dT%H:%M:%S', max(time) / 1000, 'unixepoch', 'localtime') FROM answers")$(date +%z), generation 3"
    is "$(stat -c %a 'a b?.db') $(ls -a | grep -c part)" '600 0'
    fails 1 "service: a b[?].db exists: name a file that does not, or give -f" rankpipe service backup 'a b?.db'
    fails 2 "service: backup: -f, if the file may be replaced, and a file, not '-x a b[?].db'; *" rankpipe service backup -x 'a b?.db'
    fails 2 "service: backup: *" rankpipe service backup -f
    fails 1 "service: log is a folder: *" rankpipe service backup -f log
    fails 1 "service: none/b.db is in a folder that does not exist: *" rankpipe service backup none/b.db
    rankpipe service backup -f 'a b?.db'
    for file in service.db ./service.db-wal; do
        fails 1 "service: $file is the database itself: name another file" rankpipe service backup -f $file
    done
    ln -s models elsewhere
    for file in models/1.bin log/a answers/a elsewhere/1.bin; do
        fails 1 "service: $file is where the service keeps its own files: name another folder" rankpipe service backup -f $file
    done
    for file in w.bin service.json; do
        fails 1 "service: $file is no backup, so it is not replaced: name another file" rankpipe service backup -f $file
    done
    rankpipe service check
    local n=0
    while n=$((n + 1)) && killed $n backup killed.db; do
        [ ! -e killed.db ]
        rankpipe service backup -f other.db
        is "$(find . -name '*.part*')" ''
    done
    [ "$n" -gt 1 ]
    patched 'import os; from rankpipe_service import store; store.os.fsync = lambda fd: os.kill(os.getpid(), 9)' backup killed.db 2>/dev/null || true
    [ ! -e killed.db ] && [ -e .killed.db.part ]
    printf 'not ours' >.others.part
    truncate -s 8192 .zeros.part # SQLite writes the first page last
    rankpipe service backup -f other.db
    is "$(find . -name '*.part*')" ./.others.part
    fails 1 'service: ./.others.part exists: wait, if a backup writes it; else remove it' rankpipe service backup others
    # one that copies in steps begins anew at each commit of another process, and never ends
    query "CREATE TABLE filler(x); INSERT INTO filler VALUES(zeroblob(30000000))"
    python3 -c 'import sqlite3, time
db = sqlite3.connect("service.db", isolation_level=None, timeout=60)
while True:
    db.execute("INSERT OR REPLACE INTO counts VALUES(1, 1)")
    time.sleep(0.001)' 3>&- &
    timeout 20 rankpipe service backup -f other.db
    kill $!
}

@test "an erasure waits for a backup, and with nothing erased gives up; it removes older states of the folder" {
    local soon='from rankpipe_service import backup; wait = backup.wait_for_lock; backup.wait_for_lock = lambda *words: wait(*words[:2], 1)'
    runs 2
    exec 5>backup.lock && flock -s 5
    fails 1 'service: a backup has run for ten minutes, so nothing is erased: try again when it has ended' \
        patched "$soon" erase requests r3
    exec 5>&-
    is "$(query "SELECT count(*) FROM rounds"; query 'SELECT count(*) FROM erased')" $'20\n0'
    mkdir lost-1 && touch lost-1/w.bin service.db.v1
    query 'VACUUM INTO ".copy.db.part"'
    rankpipe service erase requests r3 2>err
    is "$(cat err)" 'service: removed, because it may have what was erased: lost-1, service.db.v1, ./.copy.db.part
service: not reached: backups of this folder, and journals of front ends'
    is "$(echo lost-* service.db.v* .*.part)" 'lost-* service.db.v* .*.part'
}

@test "restore: on this machine after a crash, on an empty one, and of a backup that is older than the last run" {
    mkdir here && cd here || return 1
    runs 2
    rankpipe service backup ../older.db
    runs 1 2
    rankpipe service backup ../new.db
    cp w.bin ../want
    # a -wal of a run that was killed is never replayed into the backup
    runs 1 3
    { echo nonsense; answers 41 41; } >>answers/today
    killed 6 learn
    [ -s service.db-wal ]
    fails 0 '' rankpipe service restore ../new.db
    lost=$(echo lost-*)
    is "$(cat out)" "$(rankpipe service backup ../x.db | sed 's/^[^ ]* //')
what was there is in $lost
no answers are lost: log and answers have what came since"
    is "$(stat -c %a "$lost") $(cd "$lost" && find . -type f | sort | xargs)" '700 ./models/5.bin ./service.db ./service.db-shm ./service.db-wal'
    same w.bin ../want
    is "$(rankpipe service check)" 'all is well'
    rankpipe service learn
    is "$(learnt) $(fact learnt_total)" '40 40'
    # of one that is a run older, with log and answers there
    rankpipe service back 4 && rm -r lost-*
    rankpipe service restore ../older.db 2>err
    rankpipe service back 3
    rankpipe service again
    rankpipe service learn
    cp w.bin ../all
    # on an empty machine
    mkdir ../empty && cd ../empty || return 1
    rankpipe service restore ../new.db >out 2>err
    grep '^answers from .* to .* are lost$' out
    grep -x 'erasures after this backup are not known: repeat them' out
    is "$(echo lost-*)" 'lost-*'
    same w.bin ../want
    is "$(rankpipe service check)" 'all is well'
    # log and answers come after it
    cp -a ../here/log ../here/answers .
    rankpipe service learn
    same w.bin ../all
    once
}

@test "restore: the fixture's database, with its patches and its pin, and killed at any step" {
    mkdir here && cd here || return 1
    older
    cp models/3.bin ../pinned && cp -a . ../base
    rankpipe service restore service.db >out 2>err || { cat err; false; }
    rankpipe service check
    same w.bin ../pinned
    rankpipe service learn
    rankpipe service check
    is "$(fact learnt_total)" 33
    cp service.db.v1 ../copy.db
    # without its models, the pin is gone
    mkdir ../empty && cd ../empty || return 1
    rankpipe service restore ../copy.db 2>err
    rankpipe service check
    rankpipe service learn
    is "$(fact pinned)" 0
    for n in $(seq 1 "$STRIDE" 60); do
        rm -rf ../there && cp -a ../base ../there && cd ../there || return 1
        killed "$n" restore ../copy.db || break
        rankpipe service restore ../copy.db >out 2>err || { cat err; false; }
        rankpipe service check
        rankpipe service learn
        is "$(fact learnt_total)" 33
    done
    [ "$n" -gt 1 ]
}

@test "restore keeps what was erased since the backup, and refuses what is no whole backup" {
    mkdir here && cd here || return 1
    runs 2
    rounds 21 26 | of_query shared | spool log >/dev/null
    { AGO=70 says one 1 21 22; AGO=70 says two 1 23; } >>answers/today
    rankpipe service learn
    rankpipe service backup ../copy.db
    rankpipe service erase requests r3 -- queries q5 -- clients one 2>err
    rankpipe service restore ../copy.db >out 2>err
    is "$(query "SELECT count(*) FROM rounds WHERE request IN ('r3', 'r21', 'r22');
        SELECT count(*) FROM lists WHERE CAST(qid AS TEXT) = 'q5'; SELECT word FROM clients" | xargs)" '0 0 two'
    is "$(grep -c 'not known' out)" 0
    rankpipe service check
    rankpipe service learn
    is "$(query "SELECT count(*) FROM rounds WHERE request = 'r3'")" 0
    cp w.bin before
    once
    # the backup itself still has them, as the message says: without the database they come back
    rm service.db*
    rankpipe service restore ../copy.db >out 2>err
    grep -x 'erasures after this backup are not known: repeat them' out
    cksum service.db w.bin >before
    head -c 20000 ../copy.db >cut.db
    echo nonsense >text.db
    python3 -c 'import sqlite3; sqlite3.connect("own.db").execute("CREATE TABLE a(b)"); sqlite3.connect("new.db").execute("PRAGMA user_version = 99")'
    fails 1 'service: none.db: no such file' rankpipe service restore none.db
    fails 1 'service: cut.db: it is damaged, so nothing has changed: *' rankpipe service restore cut.db
    fails 1 'service: text.db: it is damaged, so nothing has changed: file is not a database' rankpipe service restore text.db
    fails 1 'service: own.db: it has no generation, so it is no backup of a service' rankpipe service restore own.db
    fails 1 'service: new.db: a newer version made it: upgrade first' rankpipe service restore new.db
    is "$(cksum service.db w.bin)" "$(cat before)"
    is "$(find . -name '*.part*')" ''
}

@test "operating(7): each command of its part on backups runs" {
    runs 2
    touch "$PWD/before"
    mkdir -p elsewhere-of-test ../backup lost-of-test
    rmdir elsewhere-of-test
    sed -n '/^\.Ss Backup, restore/,/^\.Ss An older/p' "$ROOT/man/rankpipe-operating.7" |
        awk 'more || /^\$ / { more = / \|$/; sub(/^\$ /, ""); gsub(/\\\(aq/, "\047"); gsub("/backup/", "../backup/"); print }' >commands
    [ "$(wc -l <commands)" = 12 ]
    # as an upgrade leaves it, before the commands of going back
    { sed -n '1,/^rankpipe service learn/p' commands; echo 'rankpipe service backup service.db.v1'; sed '1,/^rankpipe service learn/d' commands; } >all
    bash -exc '. ./all'
    is "$(echo lost-*)" lost-new
    rankpipe service learn
    is "$(learnt)" 20
}
