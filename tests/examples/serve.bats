# examples/serve: the learner and the units of a service, from the first question on.
load ../helper
load ../service

NEEDS=python3
SERVE=$ROOT/examples/serve
export PYTHONPATH=$ROOT/lib/python PYTHONDONTWRITEBYTECODE=1
started=

teardown() {
    [ -z "$started" ] || { kill -KILL "$started" && wait "$started"; } 2>/dev/null || true
}

# start: the service in this folder, until stop.
start() {
    serve -e -S status s \
        "score -r -m w.bin | explore -B .37 -s ${seed:-random} | spool -c 20 log" 2>err &
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
    make -s -f "$SERVE/Makefile" "$@" learn 2>>learn.err
}

# users PLACES QID...: users who ask these queries of examples/data, one after the other, and say how
# relevant the first PLACES are. Prints the sum of that. The last ranking goes to the file ranking: the
# name of the request, then the documents.
users() {
    python3 - "$ROOT/examples/data/small.svm" "$@" <<'END'
import random, sys, time
import rankpipe

data = {}
for line in open(sys.argv[1]):
    label, qid, features = line.split("#")[0].split(" ", 2)
    data.setdefault(qid[4:], []).append((float(label), features.strip().encode()))
for qid in data:  # an engine whose order is as good as any
    random.Random(qid).shuffle(data[qid])
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
    rankpipe service set features 12 >/dev/null
    start
}

# requests: those of the answers that were learnt, in their order.
requests() {
    rankpipe service stream | values_of request
}

# finished: the rounds that were shown are in finished files; spool begins another one.
finished() {
    for _ in $(seq 20); do ask q4; done
}

@test "answers are joined with their rounds" {
    service
    ask q1
    head -n 1 ranking | grep -xE '[0-9a-f]{32}'
    first=$(head -n 1 ranking)
    look q2 >sum
    second=$(head -n 1 ranking)
    finished
    learn
    is "$(requests)" "$second" # which does not wait for round 1
    says answers/other "$first" 1
    learn
    is "$(requests)" "$second"$'\n'"$first"
    is "$(learnt)" 2
    stop
}

@test "before the first answer each ranking is in the order in which the documents came" {
    service
    for q in q1 q2 q3 q4 q1; do
        ask $q
        is "$(sed 1d ranking | xargs)" "$(seq -f d%g $(($(wc -l <ranking) - 1)) | xargs)"
    done
    stop
}

@test "what users say makes the rankings better, by new models that are served without a restart" {
    seed=1
    service
    looks 40 >before
    learn
    for _ in 1 2 3 4 5 6; do # meanwhile lists show what is worth judging
        looks 40 >/dev/null
        learn
    done
    is "$(learnt)" 280
    looks 40 >after
    cat before after
    [ "$(cat after)" -gt $(($(cat before) * 4 / 3)) ]
    stop
    grep -x 'rankpipe_serve_model_round 280' status
    once
}

@test "killed and started again, the numbering goes on, and no answered round is missing" {
    service
    looks 25 >/dev/null
    stop KILL
    start
    grep 'log: rounds was left open at round 21: 5 rounds kept, 0 bytes lost' err
    looks 5 >/dev/null
    stop
    is "$(spooled log | bin2txt -f head | sed 's/.* t=\([0-9]*\) .*/\1/')" "$(seq 30)"
    is "$(spooled log | bin2txt -f head | grep -o ' seed=[0-9]*' | sort -u | wc -l)" 2
    learn
    is "$(learnt)" 30
}

@test "learning in many runs gives the bytes of one run, and a run without news changes nothing" {
    service
    for _ in 1 2 3; do
        looks 20 >/dev/null
        learn
    done
    stop
    learn
    once
    cp w.bin before
    rankpipe service rebuild
    same w.bin before
}

@test "answers may be in folders, and answers/ may be a link" {
    service
    rmdir answers
    mkdir elsewhere
    ln -s elsewhere answers
    mkdir answers/web1
    look q1 >sum
    mv answers/today answers/web1/today
    stop
    learn
    is "$(learnt)" 1
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
    rankpipe service first
    rankpipe service set features 12
    rankpipe service set at ''
    learn HOSTS='a gone b' # gone is not reached
    is "$(grep gone: learn.err)" \
        'service: gone: its log and answers were not all copied: rsync ended with 23: the next run tries again'
    is "$(learnt)" 6
    says b/answers/today abc 1 # an answer to no round
    cd b
    start
    look q4 >sum
    stop
    cd ..
    mv b/answers/today a/answers/other # b's users may answer at a
    fails 1 'service: HOSTS=a b differs from the setting hosts=a gone b: *' env HOSTS='a b' rankpipe service learn
    rankpipe service set hosts 'a b'
    learn
    is "$(learnt)" 7
    same w.bin a/w.bin
    same w.bin b/w.bin
    once
    is "$(fact early_answers)" 1
    # What was read goes there too, except the last file of a log; then nothing is learnt twice.
    query 'UPDATE transit SET time = 0'
    touch -d '2 hours ago' [ab]/log/*.bin
    learn
    is "$(find a/log b/log -name '*.bin' | sort | xargs)" "$(echo a/log/*-0000000000000003.bin b/log/*-0000000000000004.bin)"
    learn
    is "$(learnt)" 7
}

@test "the units are sound" {
    mkdir units
    for unit in rank.socket rank.service rank-learn.service rank-learn.timer; do
        sed "s,/usr/bin/rankpipe,$ROOT/bin/rankpipe," "$SERVE/$unit" >units/$unit
        grep -q '^\[Unit\]$' units/$unit
        grep -q '^Description=' units/$unit
    done
    # What the units run is what is installed.
    is "$(sed -n 's/^Exec[A-Za-z]*=\([^ ]*\).*/\1/p' "$SERVE"/*.service | sort -u)" /usr/bin/rankpipe
    make -s -C "$ROOT" install DESTDIR="$PWD/stage" PREFIX=/usr GENERAL=libexec
    [ -x stage/usr/bin/rankpipe ]
    command -v systemd-analyze || skip "no systemd-analyze here"
    cd units
    run env SYSTEMD_UNIT_PATH="$PWD:" systemd-analyze --man=no verify ./rank.socket ./rank.service ./rank-learn.service ./rank-learn.timer
    is "$output" ''
    is "$status" 0
}

@test "the units may do little: systemd-analyze security says at most 2 of 10" {
    command -v systemd-analyze || skip "no systemd-analyze here"
    for unit in "$SERVE/rank.service" "$SERVE/rank-learn.service" "$ROOT/examples/api/rank-api.service"; do
        systemd-analyze security --offline=true --threshold=20 "$unit" >said || { tail -n 1 said && return 1; }
        grep -q '^→ Overall exposure level for' said
        # What root alone may do, and limits of others, are refused, and the programs go on.
        is "$(grep -c '^SystemCallFilter=' "$unit") $(grep '^SystemCallErrorNumber=' "$unit")" '2 SystemCallErrorNumber=EPERM'
    done
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
os.execvp("serve", ["serve", "-e", "-S", "status.prom", "-", sys.argv[1]])
END
    started=$!
    for _ in $(seq 250); do [ ! -S s ] || break; sleep 0.02; done
    ask q3
    is "$(sed 1d ranking | sort -u | wc -l)" "$(grep -c ' qid:q3 ' "$ROOT/examples/data/small.svm")"
    stop
    is "$(spooled_last log)" 1
}
