# examples/serve: the learner and the units of a service, from the first question on.
load ../helper

NEEDS=python3
SERVE=$ROOT/examples/serve
export PYTHONPATH=$ROOT/lib/python PYTHONDONTWRITEBYTECODE=1
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

learn() { # under the key 1, so that models can be compared
    mkdir -p state
    [ -e state/key ] || echo 1 >state/key
    make -s -f "$SERVE/Makefile" DELAY=0 "$@" learn 2>>learnt
}

# fact NAME: a number of the learner's status.
fact() {
    sed -n "s/^rankpipe_learner_$1 //p" state/current/status
}

# quarantined WHAT: how many records of that kind could not be used.
quarantined() {
    fact "quarantined_total{what=\"$1\"}"
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
    is "$(spool -l seen)" 1 # round 2, which does not wait for round 1
    says answers/other "$first" 1
    learn
    is "$(spool -r seen | bin2txt -f head | sed 's/.* request=\([^ ]*\) .*/\1/')" \
        "$(head -n 1 ranking)"$'\n'"$first"
    is "$(bin2txt -f head w.bin | grep -o ' rounds=[0-9]*')" ' rounds=2'
    is "$(fact waiting_rounds)" 0
    stop
}

@test "what users say makes the rankings better, by new models that are served without a restart" {
    seed=1
    service
    looks 40 >before
    learn
    is "$(readlink w.bin)" state/current/model.bin
    looks 40 >/dev/null
    learn
    is "$(bin2txt -f head w.bin | grep -o ' rounds=[0-9]*')" ' rounds=80'
    looks 40 >after
    cat before after
    [ "$(cat after)" -gt $(($(cat before) * 4 / 3)) ]
    stop
    grep -x 'rankpipe_serve_model_round 80' status
    is "$(for model in state/[12]/model.bin; do bin2txt -f head $model; done | grep -o ' rounds=[0-9]*')" \
        $' rounds=40\n rounds=80'
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
    same once.bin w.bin
    rm -r seen state w.bin
    learn
    same once.bin w.bin
}

@test "rounds without an answer are given up after WAIT seconds, and bad answers do not stop the learner" {
    service
    ask q1
    mv ranking unanswered
    sleep 1.1
    look q2 >sum
    printf 'nonsense\n-\n\n%s\ttime=1 x\n' "$(head -n 1 unanswered)" >answers/bad
    learn
    is "$(fact waiting_rounds)" 1
    is "$(quarantined 'answer malformed')" 2
    sleep 1.1
    says answers/today "$(head -n 1 unanswered)" 1
    learn WAIT=1
    is "$(fact waiting_rounds) $(quarantined 'answer too late')" '0 1'
    is "$(spool -r seen | bin2txt -f head | sed 's/.* request=\([^ ]*\) .*/\1/')" "$(head -n 1 ranking)"
    cut -f 1 quarantine/1 | sort | uniq -c
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
    is "$(cut -d '	' -f 1 state/current/early)" abc
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

@test "erase: requests, queries and documents go from log, answers, archive, waiting rounds and memory" {
    # shown ID QID: a round of two documents with that request, shown now
    shown() {
        number=$((number + 1))
        printf 'request: %s\n? qid:%s 1:1 # D1\n? qid:%s 1:0.5 # D%s\n\n' "$1" "$2" "$2" "$2" | svm2bin -ltu -b $number |
            score -m w.bin | explore | spool log >/dev/null
    }
    answered() { # ID VALUE...
        echo "$1 time=$(date +%s%3N) ${*:2}" >>answers/a
    }
    local number=0 learn="sh $ROOT/examples/serve/learn" erase="sh $ROOT/examples/serve/erase"
    mkdir answers
    $learn first
    for i in 1 2 3 4 5 6; do shown "request$i" "query$(((i + 1) / 2))"; done
    for i in 1 2 3 5; do answered request$i 1 0; done
    $learn
    cut -f 2 state/current/waiting | head -n -1 | xargs | grep -qx 'request4 request6'
    size=$(cat log/*.bin answers/a | wc -c)
    [ "$(bin2txt -f head w.bin | sed 's/.* seed=\([0-9]*\) .*/\1/')" = "$(cat state/key)" ]
    is "$(find log state -perm /007 ! -type l | xargs)" ''

    $erase requests request4 request5 2>err | cut -f 2 | xargs | grep -qx 'request4 request5 request5'
    grep -qx 'answers/a: 1 answers are erased' err
    grep -q 'what the weights have learnt from this stays' err
    run ! grep -ra -e request4 -e request5 log answers seen state quarantine
    is "$(spool -r log | values_of request | xargs)" 'request1 request2 request3 request6'
    is "$(cat log/*.bin answers/a | wc -c)" "$size"
    $learn
    shown request7 query9
    answered request6 0 1
    answered request7 0 1
    $learn
    is "$(spool -r seen | values_of request | xargs)" 'request1 request2 request3 request6 request7'

    pairs() { bin2txt state/current/model.bin | grep -c '^keys'; }
    before=$(pairs)
    $erase queries query1 >erased 2>err
    is "$(cut -f 2 erased | sort -u | xargs)" 'request1 request2'
    run ! grep -ra -e query1 -e request1 log seen answers
    [ "$(pairs)" = $((before - 2)) ]
    before=$(pairs)
    $erase documents D1 >erased 2>err
    run ! grep -ra D1 log seen
    [ "$(pairs)" -lt "$before" ]
    $learn
    shown request8 query9
    answered request8 1 0
    $learn
    is "$(spool -r seen | values_of request | xargs)" 'request8'
    fails 1 'erase: usage: *' $erase
    mkdir empty
    cd empty
    fails 1 'erase: no log, seen or answers here: run it in the folder of the service' $erase queries q
    cd ..
    fails 1 "erase: not a name: 'a b'" $erase queries 'a b'
}

# shown NUMBER ID QID: a round of two documents with that request, shown now.
shown() {
    printf 'request: %s\n? qid:%s 1:1 # D1\n? qid:%s 1:0.5 # D2\n\n' "$2" "$3" "$3" | svm2bin -ltu -b "$1" |
        score -m w.bin | explore | spool log >/dev/null
}

@test "erase takes nothing else: not where it finds nothing, nor from what looks alike, nor what was moved away" {
    sh "$SERVE/learn" first
    for i in 1 2 3; do shown $i request$i query$i; done
    mkdir answers
    says answers/a request1 1 0
    says answers/a request2 9 0
    says answers/a soon 1 0
    sh "$SERVE/learn"
    mv seen old
    cp -a state/current/. before
    cp -a log answers before
    sh "$SERVE/erase" queries nothing 2>err
    sh "$SERVE/erase" requests 1 2>>err
    for file in waiting early quarantine; do cmp state/current/$file before/$file; done
    diff -r log before/log
    diff -r answers before/answers
    [ ! -e seen ] # moved by its rules: what was in it does not come again
    sh "$SERVE/learn"
    is "$(fact waiting_rounds) $(fact early_answers)" '2 1'
    # A request that is only in quarantine goes from there too.
    sh "$SERVE/erase" requests request2 2>err
    run ! grep -ra request2 log answers state quarantine
}

@test "erase as root leaves the files to the user of the service; who may not write answers is told before" {
    [ "$(id -u)" = 0 ] || skip "not root"
    chmod 755 . .. "$BATS_RUN_TMPDIR"
    as() { setpriv --reuid="$1" --regid=4321 --clear-groups "${@:2}"; }
    as 4321 true || skip "no other users here"
    as 4321 rankpipe --path >/dev/null || skip "others cannot run these programs"
    chown 4321:4321 .
    as 4321 sh "$SERVE/learn" first
    for i in 1 2 3; do shown $i request$i query$i; done
    chown -R 4321:4321 log
    install -d -o 4322 -g 4321 -m 2750 answers
    says answers/a request1 1 0
    chown 4322:4321 answers/a
    as 4321 sh "$SERVE/learn"
    fails 1 'erase: answers/a: answers cannot be erased there: run this as root' \
        as 4321 sh "$SERVE/erase" requests request1
    is "$(spool -r log | values_of request | xargs)" 'request1 request2 request3'
    sh "$SERVE/erase" requests request1 2>err
    is "$(find log seen state answers -user root | xargs)" ''
    as 4321 sh "$SERVE/learn"
    is "$(fact waiting_rounds)" 2
}

@test "an erasure that did not come to its end is completed by the same command, and no other goes before" {
    sh "$SERVE/learn" first
    for i in 1 2; do shown $i request$i query$i; done
    mkdir answers bin
    says answers/a request1 1 0
    says answers/a request2 1 0
    printf '#!/bin/sh\nexit 1\n' >bin/dd
    chmod +x bin/dd
    run ! env PATH="$PWD/bin:$PATH" sh "$SERVE/erase" queries query1
    grep -q request1 answers/a
    fails 1 'erase: an erasure was not finished: first run erase queries query1, or remove erase.unfinished' sh "$SERVE/erase" queries query2
    sh "$SERVE/erase" queries query1 2>err
    run ! grep -ra request1 .
    sh "$SERVE/erase" queries query2 2>err
    run ! grep -ra request2 log answers state
}

@test "erase documents: the names are those that a front end gives, also with # or docid=" {
    sh "$SERVE/learn" first
    python3 - <<'END' | svm2bin -ltu | score -m w.bin | explore | spool log >/dev/null
import sys, rankpipe
for i, name in enumerate(["C#", "docid=abc", "abc"], 1):
    sys.stdout.buffer.write(rankpipe.request_text([[1], [2]], [name, "other"], "q%d" % i, "r%d" % i))
END
    mkdir answers
    for i in 1 2 3; do says answers/a r$i 1 0; done
    sh "$SERVE/learn"
    pairs() { bin2txt state/current/model.bin | grep -c '^keys'; }
    is "$(pairs)" 6
    is "$(sh "$SERVE/erase" documents 'C#' 2>err | cut -f 2 | sort -u)" r1
    is "$(pairs)" 5
    is "$(sh "$SERVE/erase" documents docid=abc 2>err | cut -f 2 | sort -u)" r2
    is "$(pairs)" 4
    is "$(spool -r log | values_of request)" r3
}

@test "erase follows no link that a front end has set, except answers/ itself, and no name stops it" {
    sh "$SERVE/learn" first
    shown 1 request1 query1
    mkdir elsewhere
    ln -s elsewhere answers
    says answers/a request1 1 0
    cp answers/a theirs
    ln -s "$PWD/theirs" answers/link
    touch answers/$'no\nname' # which the learner leaves alone too
    sh "$SERVE/erase" requests request1 2>err
    run ! grep -q request1 answers/a
    grep -q request1 theirs
}
