# For tests of rankpipe service: rounds and answers around the present time, and what the service knows.

FEATURES=${FEATURES-}

# learn [first]: a run. The first one sets the number of features.
learn() {
    [ -e service.db ] || { rankpipe service first && rankpipe service set features "${FEATURES:-46}" >/dev/null; }
    rankpipe service "${1-learn}"
}

# fact NAME: a number of the metrics; quarantined WHAT: how many records of that kind.
fact() {
    sed -n "s/^rankpipe_service_$1 //p" service.prom
}

quarantined() {
    fact "quarantined_total{what=\"$1\"}"
}

# query SQL: the rows of the database, with | between the values.
query() {
    python3 - "$1" <<'END'
import sqlite3, sys
db = sqlite3.connect("service.db", isolation_level=None)
for statement in sys.argv[1].split(";"):
    for row in db.execute(statement):
        print("|".join(map(str, row)))
END
}

now() {
    echo "$(($(date +%s) + ${1:-0}))000"
}

learnt() { # by the model in service
    bin2txt -f head w.bin | sed 's/.* rounds=\([0-9]*\).*/\1/'
}

# rounds FIRST LAST [AGO [NAME]]: rounds with these numbers, of four queries in turn, shown AGO seconds ago under the
# requests NAME1, NAME2, and so on.
rounds() {
    replay -b "$1" -n "$2" "$BATS_FILE_TMPDIR/q.bin" | explore -g 1 |
        LC_ALL=C sed "s/\(rankpipe.1 round t=\([0-9]*\) qid=[^ ]*\)/\1 request=${4-r}\2 time=$(now $((-${3:-100})))/g"
}

# answers FIRST LAST [AGO [NAME]]: answers to these, of one relevance.
answers() {
    seq "$1" "$2" | awk -v time="$(now $((-${3:-50})))" -v name="${4-r}" '{ printf "%s%s\ttime=%.0f %d\n", name, $1, time + $1, $1 % 3 }'
}

# says CLIENT VALUES ROUND...: answers to these, of the client (-: nobody knows), which are clicks.
says() {
    local client=" client=$1" values=$2 t
    [ "$1" != - ] || client=
    for t in "${@:3}"; do printf 'r%s\ttime=%.0f%s clicks=1 %s\n' "$t" $(($(now "-${AGO-50}") + t)) "$client" "$values"; done
}

# of_query QUERY: the rounds, of that query; \1 in it is the number of the round.
of_query() {
    LC_ALL=C sed "s/ t=\([0-9]*\) qid=[^ ]*/ t=\1 qid=$1/g"
}

seed() {
    query "SELECT value FROM settings WHERE name = 'seed'"
}

# once: the model in service is that of one update over what was learnt.
once() {
    local key=
    rm -f once.bin
    case ${UPDATE-} in *-a*) ;; *) key="-s $(seed) -O 3 -B 2000000" ;; esac
    case ${UPDATE-},$(query "SELECT value FROM settings WHERE name = 'base'") in *-x*) ;; *on) key+=' -x scale,base' ;; *off) key+=' -x scale' ;; esac
    # shellcheck disable=SC2086
    rankpipe service stream "$@" | update ${UPDATE-} $key -w "$(query "SELECT value FROM settings WHERE name = 'features'")" -q once.refused -m once.bin
    same once.bin w.bin
}

# crc < stream: the records with their key crc=, which spool writes, whatever else they have.
crc() {
    python3 - "$ROOT/lib/python" 3<&0 <<'END'
import os, sys
sys.path.insert(0, sys.argv[1])
import rankpipe
stream = os.fdopen(3, "rb")
for line in stream:
    payload = stream.read(int(line.rsplit(b"bytes=", 1)[1])) if b" bytes=" in line else b""
    if b" round t=" in line:
        line = line.replace(b" round ", b" round crc=00000000 ", 1)
        line = line.replace(b"00000000", b"%08x" % rankpipe.crc32c(line, payload), 1)
    sys.stdout.buffer.write(line + payload)
END
}

# dump: what the database knows but for times and numbers of generations, and the hash of w.bin.
dump() {
    query "SELECT r.request, r.time, r.list, r.shown, a.time, a.seen, a.state, a.seq, a.aside > 0 FROM rounds r
            LEFT JOIN answers a ON a.round = r.id ORDER BY 1, 2;
        SELECT hash, qid, dim FROM lists ORDER BY hash; SELECT * FROM early; SELECT * FROM doubled;
        SELECT what, source, why FROM quarantine ORDER BY hash; SELECT * FROM counts; SELECT hash FROM erased;
        SELECT sum(rounds), sum(answered) FROM hours; SELECT chance, place, sum(n), sum(relevance) FROM tally
            WHERE hour > 0 GROUP BY 1, 2;
        SELECT d.day, q.qid, d.rounds, d.clicked, d.places, d.own, d.own_clicked FROM daily d
            JOIN queries q ON q.id = d.query ORDER BY 1, 2;
        SELECT words, last, bytes, hash FROM generations ORDER BY id DESC LIMIT 1"
    cksum <w.bin
    cmp w.bin "models/$(query 'SELECT max(id) FROM generations').bin"
}

# reached_by_another: skips where an account that is not root cannot reach the tree.
reached_by_another() {
    [ "$(id -u)" != 0 ] || setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$ROOT/bin/rankpipe" ||
        skip "no other account can reach $ROOT"
}

# account COMMAND...: as an account that is not root, who owns this folder from then on.
account() {
    [ "$(id -u)" = 0 ] || { "$@" && return; }
    reached_by_another
    chown -R 65534:65534 .
    setpriv --reuid 65534 --regid 65534 --clear-groups env "PATH=$PATH" "$@"
}
