# spool: a log of whole streams in a folder, of which no round is lost or there twice.
load ../helper

PATH=$ROOT/build/tests/shim:$PATH

setup_rounds() { # q.bin, and shown.bin of 100 rounds
    small_text | svm2bin >q.bin
    replay -n 100 q.bin | explore -g 1 >shown.bin
}

rounds() { # the numbers of the rounds of a stream on standard input
    bin2txt -f head | sed 's/.* t=\([0-9]*\) .*/\1/'
}

until_file() { # waits until there is such a file
    local tries=500
    until [ -e "$1" ]; do
        sleep 0.01
        [ $((tries -= 1)) -gt 0 ] || return 1
    done
}

until_last() { # until_last N FOLDER: waits until the log there has N rounds
    local tries=500
    until [ "$(spooled_last "$2")" = "$1" ]; do
        sleep 0.01
        [ $((tries -= 1)) -gt 0 ] || return 1
    done
}

@test "rounds pass unchanged, and the files are whole streams, named by their rounds" {
    setup_rounds
    spool -c 40 log <shown.bin >passed.bin
    same shown.bin passed.bin
    is "$(cd log && echo *)" 'rounds.0000000000000001-0000000000000040.bin rounds.0000000000000041-0000000000000080.bin rounds.0000000000000081-0000000000000100.bin'
    for file in log/*; do bin2txt -f head "$file" >/dev/null; done
    is "$(rounds <log/rounds.0000000000000041-0000000000000080.bin | sed -n '1p;$p' | xargs)" '41 80'
    cat log/*.bin | replay - >again.bin
    same shown.bin again.bin
    spooled log | uncrc >read.bin
    same shown.bin read.bin
    is "$(spooled_last log)" 100
    timeout -s KILL 10 spool slash// <shown.bin >/dev/null
    is "$(spooled_last slash/)" 100
}

@test "large rounds, which move through pipes, are stored whole too" {
    synth -n 20 -d 500 -l 60 linear | explore -g 1 >big.bin
    cat big.bin | spool -c 7 log | cat >passed.bin
    same big.bin passed.bin
    spooled log | uncrc >read.bin
    same big.bin read.bin
    loop 'replay big.bin | spool looped' >passed.bin
    same big.bin passed.bin
    spooled looped | uncrc >read.bin
    same big.bin read.bin
}

@test "a round whose first key is one of your own is read back" {
    { echo 'rankpipe/1 round x-own=1 t=1 docs=1 dim=0 bytes=0' && echo 'rankpipe/1 end rounds=1 bytes=0'; } >own
    spool log <own >/dev/null
    spooled log | uncrc >read.bin
    same own read.bin
}

@test "numbers rise: a round that is in the log already is refused, or dropped with -a" {
    setup_rounds
    replay -n 60 shown.bin | spool log >/dev/null
    fails_on shown.bin 1 'spool: <stdin>: round 1 (qid a): the log in log has rounds up to 60 already: *' spool log
    is "$(spool -a log <shown.bin | rounds | sed -n '1p;$p' | xargs)" '61 100'
    spooled log | uncrc >read.bin
    same shown.bin read.bin
    replay shown.bin shown.bin | sed 's/ t=101 / t=100 /' >twice.bin
    fails_on twice.bin 1 '*round 100 *' spool other
    is "$(spooled_last other)" 100
}

@test "kill -9: the next start keeps the whole rounds, and reports what it found in one line" {
    setup_rounds
    mkfifo in
    spool log <in >passed.bin &
    exec 7>in
    head -c 5000 shown.bin >&7
    until_file log/rounds.0000000000000001.open
    sleep 0.2
    kill -9 $!
    wait $! 2>/dev/null || true
    exec 7>&-
    printf 'rankpipe/1 round t=' >>log/rounds.0000000000000001.open # the disk had more
    whole=$(spooled_last log)
    { salvage passed.bin 2>/dev/null || true; } >whole.bin
    [ "$(rounds <whole.bin | wc -l)" -le "$whole" ]
    replay -b $((whole + 1)) -n 100 q.bin | explore -g 1 >more.bin
    spool log <more.bin >/dev/null 2>err
    is "$(cat err)" "spool: log: rounds was left open at round 1: $whole rounds kept, 19 bytes lost"
    is "$(cd log && echo *.open)" '*.open'
    spooled log | uncrc >read.bin
    same shown.bin read.bin
    : >log/rounds.0000000000000101.open # before its first whole round
    replay -b 101 -n 102 q.bin | explore -g 1 | spool log 2>err >/dev/null
    is "$(cat err)" 'spool: log: rounds was left open at round 101: 0 rounds kept, 0 bytes lost'
    is "$(spooled_last log)" 102
}

@test "a writer that was killed between the end record and the renaming" {
    setup_rounds
    spool log <shown.bin >/dev/null
    mv log/rounds.0000000000000001-0000000000000100.bin log/rounds.0000000000000001.open
    is "$(spooled_last log)" 100
    spooled log | uncrc >read.bin
    same shown.bin read.bin
    replay -b 101 -n 102 q.bin | explore -g 1 | spool log 2>err >/dev/null
    is "$(cat err)" 'spool: log: rounds was left open at round 1: 100 rounds kept, 0 bytes lost'
    is "$(spooled log | rounds | wc -l)" 102
}

@test "a file left open: what is no round ends what is kept of it" {
    setup_rounds
    replay -n 3 shown.bin >three.bin
    { weights2bin | head -c -32; } <<<'1 1' >model
    grep -aq 'rankpipe/1 model' model
    mkstream round docs=1 dim=0 | head -c -32 >no_number
    for other in model no_number; do
        rm -rf log && mkdir log
        { head -c -32 three.bin; cat $other shown.bin; } >log/rounds.0000000000000001.open
        lost=$(($(cat $other shown.bin | wc -c)))
        replay -b 4 -n 5 q.bin | explore -g 1 | spool log 2>err >/dev/null
        is "$(cat err)" "spool: log: rounds was left open at round 1: 3 rounds kept, $lost bytes lost"
        is "$(spooled log | rounds | xargs)" '1 2 3 4 5'
    done
}

@test "a stream that is cut short, and a signal: the whole rounds are in finished files" {
    setup_rounds
    head -c 5000 shown.bin >cut.bin
    fails_on cut.bin 1 'spool: <stdin>: stream cut short after round *' spool log
    whole=$(spooled_last log)
    is "$(cd log && echo *)" "$(printf 'rounds.%016d-%016d.bin' 1 "$whole")"
    mkfifo in
    for signal in TERM INT HUP; do
        env --default-signal=INT,HUP,TERM spool "$signal" <in >/dev/null &
        exec 7>in
        cat cut.bin >&7
        until_last "$whole" "$signal"
        kill -$signal $!
        got=0
        wait $! || got=$?
        exec 7>&-
        [ $got -gt 128 ]
        is "$(cd "$signal" && echo *)" "$(printf 'rounds.%016d-%016d.bin' 1 "$whole")"
    done
}

@test "one writer for a log: a second one is refused, and another name is not" {
    setup_rounds
    mkfifo in
    spool log <in >/dev/null &
    exec 7>in
    until_file log/rounds.lock
    fails_on shown.bin 1 'spool: log: another spool is writing this log (log/rounds.lock is locked): *' spool log
    spool -n other log <shown.bin >/dev/null
    cat shown.bin >&7
    exec 7>&-
    wait
    is "$(spooled log | rounds | wc -l)" 200
}

@test "-t finishes a file when its time is over, also while no round comes" {
    setup_rounds
    mkfifo in
    spool -t 1 log <in >/dev/null &
    exec 7>in
    head -c 3000 shown.bin >&7
    until_file log/rounds.0000000000000001.open
    whole=$(spooled_last log)
    file=$(printf 'log/rounds.%016d-%016d.bin' 1 "$whole")
    until_file "$file"
    bin2txt -f head "$file" | wc -l
    tail -c +3001 shown.bin >&7
    exec 7>&-
    wait
    spooled log | uncrc >read.bin
    same shown.bin read.bin
    is "$(ls log | wc -l)" 2
}

@test "-y passes the same bytes, and each round is synced before it is passed on" {
    setup_rounds
    spool -y -c 30 log <shown.bin >passed.bin
    same shown.bin passed.bin
    command -v strace >/dev/null || skip 'no strace here'
    strace -o trace -e trace=fsync,write,writev spool -y synced <shown.bin >passed.bin || skip 'strace cannot run here'
    awk '/^fsync/ { synced = 1 } /^writev?\(1,/ && !synced { exit 1 } /^writev?\(1,/ { synced = 0 }' trace
}

@test "a disk that is full: nothing is passed on that is not in the log, and the log stays whole" {
    synth -n 3000 -d 10 -l 10 linear >big.bin
    for blocks in 1 8 40 100; do
        rm -rf log
        got=0
        bash -c "ulimit -f $blocks; exec spool log" <big.bin 2>err | cat >passed.bin || got=1
        grep -q '^spool: cannot write log/rounds.*File too large$' err
        { salvage passed.bin 2>/dev/null || true; } | rounds >passed
        { spooled log 2>/dev/null || true; } | rounds >logged
        [ "$(wc -l <passed)" -le "$(wc -l <logged)" ]
        head -n "$(wc -l <passed)" logged | cmp - passed
        spool -a log <big.bin >/dev/null # there is room again
        spooled log | uncrc >read.bin
        same big.bin read.bin
    done
}

requests_of() { # requests_of FIRST LAST: rounds of these numbers, each with a request of its own
    seq "$1" "$2" | awk '{ printf "request: r%d\n1 qid:q%d 1:1\n0 qid:q%d 1:2\n\n", $1, $1 % 7, $1 % 7 }' |
        svm2bin -l -b "$1" | explore -g 1
}

# keeps_on ENVIRONMENT...: spool -k, to whose log something happens: a round has its request if and only if it
# is in the log. A second after the first 60 rounds come 30 more.
keeps_on() {
    rm -rf log
    { cat a.bin && sleep 1.1 && cat b.bin; } |
        env "$@" spool -ky -F 0 -c 20 log >passed.bin 2>err
    is "$(rounds <passed.bin | tail -n 1)" 90
    values_of request <passed.bin >named
    spooled log | values_of request >logged
    same named logged
}

@test "-k: whatever cannot be written, a round has its request if and only if it is in the log" {
    not_sanitized "they must be loaded before the shim"
    requests_of 1 60 >a.bin
    requests_of 61 90 >b.bin
    keeps_on A=a
    is "$(wc -l <named) $(cat err)" '90 '
    shim="LD_PRELOAD=$ROOT/build/tests/shim/faulty.so FAULTY_FD=9"
    for fails in open:4 open:8 fsync:2 fsync:3 fsync:17 fsync:23 rename:2 close:4 writev:2 lseek:3; do
        # shellcheck disable=SC2086
        keeps_on $shim FAULTY_CALL=${fails%:*} FAULTY_AT=${fails#*:} FAULTY_HOW=28 9>count
        echo "$fails: $(wc -l <named)"
        grep -q '^spool: cannot .*: No space left on device: until the log can be written, rounds are passed on' err
        grep -q '^spool: log: rounds are stored again; [1-9][0-9]* were not$' err
        is "$(sed -n 's/.* again; \([0-9]*\) were not/\1/p' err)" "$((90 - $(wc -l <named)))"
        is "$(tail -n 30 named | head -n 1)" r61 # the last 30 are stored
    done
    # shellcheck disable=SC2086
    keeps_on $shim FAULTY_CALL=fsync FAULTY_AT=30+ FAULTY_HOW=5 9>count || true
    [ "$(wc -l <named)" -lt 40 ]
}

# vanishing FOLDER OPTION...: spool -ky -F 0 into up/log, where the folder is removed after the first 60 rounds, and after
# 30 more a second passes before the last 9.
vanishing() {
    rm -rf up && mkdir up
    {
        cat a.bin
        until [ "$(spooled_last up/log 2>/dev/null)" = 60 ]; do sleep 0.01; done
        rm -rf "$1"
        cat b.bin
        sleep 1.1
        cat c.bin
    } | spool -ky -F 0 "${@:2}" up/log >passed.bin 2>err
    is "$(rounds <passed.bin | wc -l)" 99
    values_of request <passed.bin | sed 1,60d >named
}

@test "a folder that is gone is made again, without its parent; -k: what was not stored has no request" {
    requests_of 1 60 >a.bin
    requests_of 61 90 >b.bin
    requests_of 91 99 >c.bin
    vanishing up/log
    is "$(sed 's/up.log.rounds[^:]*/FILE/' err)" "spool: cannot write FILE: No such file or directory: until the log can be written, rounds are passed on without request=, and nothing is learnt from them
spool: up/log: rounds are stored again; 30 were not"
    is "$(xargs <named)" "$(printf 'r%d ' {91..99} | xargs)"
    is "$(spooled up/log | values_of request)" "$(cat named)"
    vanishing up/log -c 60 # between two files: nothing is lost
    is "$(cat err)" ''
    is "$(xargs <named)" "$(printf 'r%d ' {61..99} | xargs)"
    is "$(spooled up/log | values_of request)" "$(cat named)"
    vanishing up # a disk that is not mounted
    grep -q 'until the log can be written' err
    is "$(cat named)$(ls -d up 2>/dev/null)" ''
    mkdir up # without -k what is lost is an error, and the next start makes the folder
    got=0
    { cat a.bin && until_last 60 up/log && rm -rf up/log && cat b.bin; } | spool up/log >passed.bin 2>err || got=$?
    is "$got $(rounds <passed.bin | wc -l)" '1 60'
    spool up/log <b.bin >passed.bin
    is "$(spooled_last up/log)" 90
}

@test "-k: too little free space is a reason too, and -F says how little" {
    requests_of 1 9 >a.bin
    spool -k -F 1000000000 log <a.bin >passed.bin 2>err
    is "$(values_of request <passed.bin)" ''
    is "$(cat err)" 'spool: log: less than 1000000000 MB are free: until the log can be written, rounds are passed on without request=, and nothing is learnt from them'
    is "$(spooled_last log)" 0
    spool -k -F 1 log <a.bin >passed.bin
    same a.bin passed.bin
}

@test "memory does not grow with rounds, files or what is skipped" {
    slow
    needs_limits
    synth -n 300000 -d 2 -l 2 linear >many.bin
    (ulimit -v 20000 && spool -c 1000 log <many.bin >out && spooled log >read)
    same many.bin out
    uncrc <read | cmp many.bin
}

# ---- files that are missing ----

named() { # named FROM TO [OPTION...]: rounds FROM to TO, with the requests rFROM to rTO
    local from=$1 to=$2
    shift 2
    for i in $(seq "$from" "$to"); do printf 'request: r%d\n0 qid:q%d 1:0.%d # a\n1 qid:q%d 1:1 # b\n\n' $i $i $i $i; done |
        svm2bin -l "$@"
}

@test "-y: a request that comes again comes back as it is stored, and is not stored again" {
    named 1 25 | explore -g 1 -s 1 | spool -y -c 10 log >first.bin
    # drawn anew, in another order, under other numbers, among new ones and some without a request
    { named 20 30 -b 101 && named 1 7 -b 201 && small_text | svm2bin -b 301; } >more.bin
    explore -g 1 -s 2 <more.bin | spool -y -c 10 log >again.bin
    spooled log >stored.bin
    is "$(values_of request <stored.bin | sort | uniq -d)" ''
    is "$(rounds <stored.bin | xargs)" "$(seq 1 25 | xargs) 107 108 109 110 111 301 302 303"
    is "$(rounds <again.bin | xargs)" "20 21 22 23 24 25 107 108 109 110 111 1 2 3 4 5 6 7 301 302 303"
    for t in 1 7 20 25; do
        bin2txt -f rank first.bin | grep "^$t	" >was
        bin2txt -f rank again.bin | grep "^$t	" >is
        same was is
    done
    # twice in one batch, before it is written
    { named 50 51 -b 401 && named 50 51 -b 403; } | explore -g 1 | spool -y log | rounds >numbers
    is "$(xargs <numbers)" '401 402 401 402'
    # and what is dropped by -a is not given back
    is "$(named 1 3 | explore | spool -ay log | rounds)" ''
}

@test "-y: what is stored is passed to the programs after spool, also large rounds, and in loop" {
    synth -n 20 -d 500 -l 60 linear | bin2txt | awk '$2 != q { if (q) print ""; q = $2; print "request: r" NR } 1' >big
    svm2bin -l big | explore -g 1 -s 1 | spool -y log | bin2txt -f rank >want
    svm2bin -l -b 101 big | explore -g 1 -s 2 | cat | spool -y log | cat | bin2txt -f rank >got
    same want got
    svm2bin -l -b 101 big | explore -g 1 -s 3 >other.bin
    loop 'replay other.bin | spool -y log | bin2txt -f rank' >got
    same want got
    is "$(spooled_last log)" 20
}

@test "-y: after kill -9 nothing is stored twice" {
    mkfifo in
    spool -y -c 10 log <in >passed.bin &
    exec 7>in
    named 1 25 | explore -g 1 | head -c 3000 >&7
    until_last 20 log
    kill -9 $!
    wait $! 2>/dev/null || true
    exec 7>&-
    named 1 30 -b 101 | explore -g 1 | spool -y log 2>/dev/null | values_of request >requests
    is "$(xargs <requests)" "$(for i in $(seq 30); do echo r$i; done | xargs)"
    is "$(spooled log | values_of request | sort | uniq -c | awk '$1 == 1' | wc -l)" 30
}

@test "-y: a request in the log with another query, or whose round is damaged, is refused" {
    named 1 25 | explore -g 1 | spool -y -c 10 log >/dev/null
    refused() {
        printf "$1" | svm2bin -lb 101 | explore -g 1 >other.bin
        fails_on other.bin 1 'spool: <stdin>: round 101 (*): the request r2 is in the log with another query or other documents: give each request a name of its own' spool -y log
    }
    refused 'request: r2\n0 qid:q3 1:1 # a\n0 qid:q3 1:1 # b\n'
    refused 'request: r2\n0 qid:q2 1:1 # a\n'
    refused 'request: r2\n0 qid:q2 1:1 # b\n0 qid:q2 1:1 # a\n'
    refused 'request: r2\n0 qid:q2 1:1\n0 qid:q2 1:1\n'
    file=log/rounds.0000000000000001-0000000000000010.bin
    sed 's/request=r2/request=x2/' $file >damaged && mv damaged $file
    # the rest of the file is not known: that is reported, and the log goes on
    named 3 3 -b 101 | explore -g 1 | spool -y log 2>err | rounds >number
    is "$(cat number)" 101
    [[ $(cat err) == "spool: $file: "*": requests after it are not known" ]]
    named 21 21 -b 102 | explore -g 1 | spool -y log 2>err | rounds >number
    is "$(cat number)" 21
    [[ $(cat err) == "spool: $file: "*": requests after it are not known" ]]
    # a file of the log that is deleted is forgotten
    rm log/rounds.0000000000000001-0000000000000010.bin
    is "$(named 5 5 -b 103 | explore -g 1 | spool -y log | rounds)" 103
}
