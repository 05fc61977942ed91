# examples/serve: the learner and the units of a service, from the first question on.
load ../helper

NEEDS=python3
SERVE=$ROOT/examples/serve
export PYTHONPATH=$ROOT/examples PYTHONDONTWRITEBYTECODE=1
started=

teardown() {
    [ -z "$started" ] || { kill -KILL "$started" && wait "$started"; } 2>/dev/null || true
}

# start: the service in this folder, until stop.
start() {
    serve -S status s \
        "score -r -m w.bin | explore -g 0.1 -s ${seed:-random} | spool -c 20 log" 2>err &
    started=$!
    until serve -a s </dev/null 2>/dev/null; do
        kill -0 $started || { cat err && return 1; }
        sleep 0.02
    done
}

stop() {
    kill "-${1:-TERM}" $started
    wait $started 2>/dev/null || [ -n "${1-}" ]
    started=
}

learn() {
    make -s -f "$SERVE/Makefile" DELAY=0 "$@" learn 2>>learnt
}

# users PLACES QID...: users who ask these queries of examples/data, one after the other, and say how
# relevant the first PLACES are. Prints the sum of that. The last ranking goes to the file ranking: the
# name of the request, then the documents.
users() {
    python3 - "$ROOT/examples/data/small.svm" "$@" <<'END'
import sys, time
import rankpipe

data = {}
for line in open(sys.argv[1]):
    label, qid, features = line.split("#")[0].split(" ", 2)
    data.setdefault(qid[4:], []).append((float(label), features.strip().encode()))
places, total = int(sys.argv[2]), 0
with rankpipe.Client("s") as client:
    for qid in sys.argv[3:]:
        names = ["d%d" % i for i in range(1, len(data[qid]) + 1)]
        answer = client.rank([features for _, features in data[qid]], names, qid)
        labels = [data[qid][i][0] for i in answer.order[:places]]
        total += sum(labels)
        with open("ranking", "w") as file:
            print(answer.request, *(names[i] for i in answer.order), sep="\n", file=file)
        if places:
            with open("answers/today", "a") as file:
                print(answer.request, "time=%d000" % time.time(), *("%g" % label for label in labels), file=file)
print(int(total))
END
}

# ask QID: a user who says nothing. look QID: one who says how relevant the first three are.
ask() {
    users 0 "$1" >/dev/null
}

look() {
    users 3 "$1"
}

# looks N: the sum over N rounds of it for the first four queries in turn.
looks() {
    # shellcheck disable=SC2046
    users 3 $(for ((i = 0; i < $1; i++)); do echo q$((i % 4 + 1)); done)
}

# says FILE REQUEST RELEVANCE...: an answer.
says() {
    printf '%s\ttime=%s000 %s\n' "$2" "$(date +%s)" "${*:3}" >>"$1"
}

service() {
    make -s -f "$SERVE/Makefile" first
    mkdir answers
    start
}

@test "answers are joined with their rounds" {
    service
    ask q1
    head -n 1 ranking | grep -xE '[0-9a-f]{32}'
    first=$(head -n 1 ranking)
    look q2 >sum
    learn
    is "$(spool -l seen)" 0 # round 1 may still be answered, and round 2 waits for it
    says answers/other "$first" 1
    learn
    is "$(spool -r seen | bin2txt -f head | sed 's/.* request=\([^ ]*\) .*/\1/')" \
        "$first"$'\n'"$(head -n 1 ranking)"
    is "$(bin2txt -f head model.bin | grep -o ' rounds=[0-9]*')" ' rounds=2'
    stop
}

@test "what users say makes the rankings better, by new models that are served without a restart" {
    seed=1
    service
    looks 40 >before
    learn
    same model.bin w.bin
    looks 40 >/dev/null
    learn
    is "$(bin2txt -f head w.bin | grep -o ' rounds=[0-9]*')" ' rounds=80'
    looks 40 >after
    cat before after
    [ "$(cat after)" -gt $(($(cat before) * 4 / 3)) ]
    stop
    grep -x 'rankpipe_serve_model_round 80' status
    is "$(ls model.bin.*)" "$(printf 'model.bin.40\nmodel.bin.80')"
}

@test "killed and started again, the numbering goes on, and no answered round is missing" {
    service
    looks 25 >/dev/null
    stop KILL
    start
    grep 'log: rounds was left open at round 21: 5 rounds kept, 0 bytes lost' err
    looks 5 >/dev/null
    stop
    is "$(spool -r log | bin2txt -f head | sed 's/.* t=\([0-9]*\) .*/\1/')" "$(seq 30)"
    is "$(spool -r log | bin2txt -f head | grep -o ' seed=[0-9]*' | sort -u | wc -l)" 2
    learn
    is "$(bin2txt -f head w.bin | grep -o ' rounds=[0-9]*')" ' rounds=30'
}

@test "learning in many runs gives the bytes of one run, and a run without news changes nothing" {
    service
    for _ in 1 2 3; do
        looks 5 >/dev/null
        learn
    done
    stop
    learn
    spool -r seen | update -m once.bin
    same once.bin model.bin
    cp model.bin was.bin
    rm -r seen model.bin*
    learn
    same was.bin model.bin
    same was.bin w.bin
}

@test "rounds without an answer are given up after WAIT seconds, and bad answers do not stop the learner" {
    service
    ask q1
    mv ranking unanswered
    sleep 1.1
    look q2 >sum
    printf 'nonsense\n-\n\n%s\ttime=1 x\n' "$(head -n 1 unanswered)" >answers/bad
    learn
    is "$(spool -l seen)" 0
    sleep 1.1
    learn WAIT=1
    is "$(spool -r seen | bin2txt -f head | sed 's/.* request=\([^ ]*\) .*/\1/')" "$(head -n 1 ranking)"
    stop
}

@test "answers may be in folders, and answers/ may be a link" {
    service
    mv answers elsewhere
    ln -s elsewhere answers
    mkdir answers/web1
    look q1 >sum
    mv answers/today answers/web1/today
    learn
    is "$(spool -l seen)" 1
    stop
}

@test "the learner joins the logs of several machines, which rsync copies, and gives them the model" {
    command -v rsync || skip "no rsync here"
    for host in a b; do
        mkdir -p $host/answers
        make -s -C $host -f "$SERVE/Makefile" first
        cd $host
        start
        for q in q1 q2 q3; do look $q >sum; done
        stop
        cd ..
    done
    learn HOSTS='a gone b' AT= # gone is not reached
    is "$(grep gone: learnt)" $'gone: its log and answers were not copied\ngone: the model was not copied there'
    is "$(spool -l seen)" 6
    says b/answers/today abc 1 # an answer to no round
    cd b
    start
    look q4 >sum
    stop
    cd ..
    mv b/answers/today a/answers/other # b's users may answer at a
    learn HOSTS='a b' AT=
    is "$(spool -r seen | bin2txt -f head | grep -o ' t=[0-9]*' | xargs)" "$(seq -f t=%g 7 | xargs)"
    is "$(bin2txt -f head w.bin | grep -o ' rounds=[0-9]*')" ' rounds=7'
    same w.bin a/w.bin
    same w.bin b/w.bin
    spool -r seen | update -m once.bin
    same once.bin w.bin
    is "$(cut -f 1 late)" abc
}

@test "the units are sound" {
    mkdir units
    for unit in rank.socket rank.service learn.service learn.timer; do
        sed "s,/usr/bin/rankpipe,$ROOT/bin/rankpipe,; s,/usr/bin/make,$(command -v make)," \
            "$SERVE/$unit" >units/$unit
        grep -q '^\[Unit\]$' units/$unit
        grep -q '^Description=' units/$unit
    done
    # What the units run is what is installed.
    is "$(grep -ho '/usr/share/rankpipe/[a-zA-Z/]*' "$SERVE"/*.service | sort -u)" \
        /usr/share/rankpipe/serve/Makefile
    make -s -C "$ROOT" install DESTDIR="$PWD/stage" PREFIX=/usr GENERAL=libexec
    [ -f stage/usr/share/rankpipe/serve/Makefile ]
    command -v systemd-analyze || skip "no systemd-analyze here"
    cd units
    run env SYSTEMD_UNIT_PATH="$PWD:" systemd-analyze verify ./rank.socket ./rank.service ./learn.service ./learn.timer
    is "$output" ''
    is "$status" 0
}

@test "the service of the units runs as systemd would start it" {
    PATH=$ROOT/bin:$PATH make -s -f "$SERVE/Makefile" first
    sed -n "s/^ *'\(score .*\)'$/\1/p" "$SERVE/rank.service" >pipeline
    [ -s pipeline ]
    python3 - "$(cat pipeline)" 2>err <<'END' &
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind("s")
s.listen()
os.dup2(s.fileno(), 3)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
os.execvp("serve", ["serve", "-S", "status.prom", "-", sys.argv[1]])
END
    started=$!
    for _ in $(seq 250); do [ ! -S s ] || break; sleep 0.02; done
    ask q3
    is "$(sed 1d ranking | sort -u | wc -l)" "$(grep -c ' qid:q3 ' "$ROOT/examples/data/small.svm")"
    stop
    is "$(spool -l log)" 1
}
