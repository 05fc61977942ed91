# Three services with one learner, which rsync joins, show the rankings of one ring: tests/promises/hosts says what is
# compared. `make hosts` compares them over many seeds and data sets; here are two batches and one seed. Then machines
# that are silent, slow or in use.
load ../helper
load ../hosts
load ../service

NEEDS="rsync"

setup_file() {
    svm2bin -e "$ROOT/examples/data/small.svm" >"$BATS_FILE_TMPDIR/q.bin"
}

teardown() {
    end_hosts
}

# machines NAME...: hosts of a service in this folder, by ssh; all have the folder `there`, as they are one machine.
machines() {
    local ssh name
    ssh=$(command -v ssh)
    for name; do host "$name"; done
    mkdir -p bin answers there/log there/answers
    printf '#!/bin/sh\nexec %s -F %s "$@"\n' "$ssh" "$PWD/ssh_config" >bin/ssh
    chmod +x bin/ssh
    PATH=$PWD/bin:$PATH
    FEATURES=12 learn
    rankpipe service set at ":$PWD/there" >/dev/null
    rankpipe service set hosts "$*" >/dev/null
}

# shown_there FIRST LAST: rounds in its log, and answers to them.
shown_there() {
    rounds "$1" "$2" | spool there/log >/dev/null
    answers "$1" "$2" >>there/answers/today
}

@test "three services and one learner rank as one ring that learns as often" {
    run nice bash "$ROOT/tests/promises/hosts" 2 1 synth
    echo "$output"
    [ "$(awk '$2 == "memory" || $2 == "ridge" { n += $5 < 0.02 && $5 > -0.02 && $3 > 0.7 } END { print n }' <<<"$output")" = 2 ]
}

@test "a machine whose sshd accepts and is silent delays no other, and no action" {
    machines good silent
    shown_there 1 10
    rounds 11 15 | spool log >/dev/null
    answers 11 15 >>answers/today
    kill -STOP "$(cat silent.pid)"
    timeout 100 rankpipe service learn 2>err &
    sleep 2
    timeout 5 rankpipe service back 1
    timeout 5 rankpipe service again
    timeout 5 rankpipe service status >/dev/null
    wait $!
    cat err
    grep -c 'service: silent: its log and answers were not all copied: .*: the next run tries again' err
    is "$(learnt)" 15
    same w.bin there/w.bin
}

@test "a copy that host-seconds cuts goes on in the next run, and hidden folders are not read" {
    machines slow
    printf '#!/bin/sh\nexec %s --bwlimit=1000 "$@"\n' "$(command -v rsync)" >bin/rsync
    chmod +x bin/rsync
    # 5 MB that nothing compresses, at 1 MB/s
    svm2bin -e <(awk 'BEGIN { srand(1); for (i = 0; i < 10000; i++) {
        printf "0 qid:q"; for (j = 1; j <= 12; j++) printf " %d:%.9f", j, rand(); print "" } }') >large.bin
    replay -n 10 large.bin | explore -g 1 |
        LC_ALL=C sed "s/\(rankpipe.1 round t=\([0-9]*\) qid=[^ ]*\)/\1 request=r\2 time=$(now -100)/g" | spool there/log >/dev/null
    answers 1 1 >there/answers/today
    mkdir there/answers/.hidden answers/.hidden
    answers 2 2 | tee there/answers/.hidden/today >answers/.hidden/today
    rankpipe service set host-seconds 3 >/dev/null
    rankpipe service learn 2>err
    grep -x 'service: slow: .*: no end in 3 seconds, the setting host-seconds: the next run tries again' err
    first=$(stat -c %s log/slow/.partial/*)
    [ "$first" -gt 1000000 ]
    for runs in 1 2 3 4 5; do
        rankpipe service learn 2>err
        [ ! -e log/slow/*.bin ] || break
    done
    [ "$runs" -ge 2 ] && [ "$runs" -le 4 ]
    is "$(learnt) $(fact early_answers)" '1 0'
    same there/log/*.bin log/slow/*.bin
}

@test "a machine that another run copies from is left out, and who holds service.lock says who waits" {
    mkdir -p there/log there/answers
    learn first
    rankpipe service set at '' >/dev/null
    rankpipe service set hosts there >/dev/null
    shown_there 1 3
    rankpipe service learn # which makes hosts/there
    shown_there 4 6
    flock hosts/there/lock timeout 10 rankpipe service learn 2>err
    is "$(cat err)" 'service: there: its log and answers were not all copied: another run copies from it: the next run tries again'
    is "$(learnt)" 3
    mkdir -p hosts/there/model log/there/.partial
    cp w.bin hosts/there/model # of a run that was killed
    cp w.bin log/there/.partial/part
    rankpipe service set update '-a ridge' >/dev/null
    flock -s service.lock sleep 4 &
    sleep 0.5
    rankpipe service again 2>err
    grep -x 'service: waits for another run, which has service.lock: set, process [0-9]*, since 20[0-9-]*T[0-9:]*[+-][0-9]*' err
    rankpipe service erase requests r3 2>err
    [ ! -e hosts/there/model ] && [ ! -e log/there/.partial ]
    rankpipe service learn
    is "$(learnt)" 5
    same w.bin there/w.bin
    [ ! -e hosts/there/model ]
}
