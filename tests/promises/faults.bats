#!/usr/bin/env bats
# Faults from below: each call that a program makes of the system goes wrong once, in each way that it
# can. Either the bytes are right, or the program says what failed and exits 1.

# shellcheck disable=SC2086 # commands are words

load ../helper

FAULTS=$ROOT/build/tests/shim/faults SHIM=$ROOT/build/tests/shim/faulty.so

# queries DOCUMENTS FEATURES: two queries as text.
queries() {
    awk -v documents="$1" -v features="$2" '
        function draw(n) { x = (x * 16807) % 2147483647; return int(x / 65536) % n }
        BEGIN {
            x = 42
            for (q = 1; q <= 2; q++)
                for (i = 0; i < documents; i++) {
                    line = draw(5) " qid:" q
                    for (j = 1; j <= features; j++)
                        line = line " " j ":." 1 + draw(9)
                    print line
                }
        }'
}

LEARN="update -a kl -e 1e-4 -U 1"

# 270 KB of features a round: more than is read at once, so that the second round's go past unread. So
# many documents that what sorts them asks for memory.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    queries 130 33 >text
    queries 130 520 | svm2bin | uncrc >stored
    $LEARN <stored >weights
    score -m weights <stored >scored
    explore -g 0.5 <scored >shown
    feedback-mask -k 3 <shown >seen
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cp "$BATS_FILE_TMPDIR"/* .
    FAULTY_CALL=open FAULTY_AT=1 FAULTY_HOW=5 FAULTY_FD=9 LD_PRELOAD=$SHIM \
        bin2txt text 9>count >out 2>err || true # it opens nothing before
    grep -q 'cannot open text: ' err ||
        skip "LD_PRELOAD does nothing here: a static build, a sanitizer, or not Linux"
    rm count out err
}

teardown() {
    [ -z "${server-}" ] || kill -KILL "$server" 2>/dev/null || true
}

# goes_wrong OPTION... COMMAND...: no fault is taken for success; `calls` is what was called.
goes_wrong() {
    "$FAULTS" "$@" >told || { cat told && return 1; }
    calls=$(tail -n 1 told)
    echo "${*: -1}: $calls" # for who looks with -x
}

# called NAME...: these calls were among those that went wrong.
called() {
    local name
    for name; do
        [[ ", $calls" == *", $name "* ]] || { echo "no call of $name: $calls" && return 1; }
    done
}

# Functions of libc that leave the system alone, or whose failure is of no matter.
HARMLESS="alarm clock_gettime closedir ferror fflush fprintf fputc free frexp fwrite getenv geteuid getpid ldexp mem* munmap
    printf pthread_attr_* pthread_join pthread_sigmask puts qsort raise rewinddir sched_* sig* snprintf sprintf sqrt
    sysconf stderr stdout stp* str* vsnprintf"

@test "each call of the system that the programs make can go wrong here" {
    known=$(sed -n '/faulty_names/,/}/s/"\([a-z0-9_]*\)",*/\1/gp' "$ROOT/tests/shim/faulty.h")
    for name in $(nm -D -u "$ROOT/bin/rankpipe" | sed -n 's/^ *U \([a-z][a-z0-9_]*\).*/\1/p'); do
        for harmless in $HARMLESS $known; do
            # shellcheck disable=SC2053
            [[ $name == $harmless ]] && continue 2
        done
        echo "the programs call $name, which tests/shim/faulty.h does not know"
        return 1
    done
}

@test "a program that takes an interruption for an end is found out" {
    run "$FAULTS" -i stored -c read "$ROOT/build/tests/shim/relay"
    echo "$output"
    [ "$status" = 1 ]
    [[ $output == *"of read: Interrupted system call: it was only to go on"* ]]
}

@test "svm2bin" {
    goes_wrong -i text svm2bin
    called read writev close poll malloc calloc realloc
    goes_wrong -i text -o out svm2bin -n
    goes_wrong -n text svm2bin text
    called open
    for i in $(seq 400); do sed "s/ qid:/&$i./" text; done | head -n 12000 | cut -c 1-60 |
        sed 's/ [^ ]*$//' >long
    [ "$(wc -c <long)" -gt 600000 ]
    goes_wrong -n long svm2bin -i 2/2 long
    called lseek
}

@test "rankpipe --path, and running a script" {
    mkdir -p apart/bin apart/libexec/rankpipe apart/share/rankpipe
    cp "$ROOT/bin/rankpipe" apart/bin
    ln -s ../../bin/rankpipe apart/libexec/rankpipe/score
    printf '%s\n' '#!/bin/sh' 'echo "${PATH%%:*}"' >apart/share/rankpipe/plot
    chmod +x apart/share/rankpipe/plot
    PATH=$PWD/apart/bin:$PATH
    is "$(rankpipe --path)" "$PWD/apart/libexec/rankpipe"
    goes_wrong -n "this program's folder" rankpipe --path
    called realpath access malloc
    for call in realpath access setenv execv; do # which the shell makes no use of
        for at in 1 2 3; do
            FAULTY_CALL=$call FAULTY_AT=$at FAULTY_HOW=12 FAULTY_FD=9 LD_PRELOAD=$SHIM \
                rankpipe plot 9>/dev/null >told 2>&1 || true
            [[ $(cat told) == @("$PWD/apart/libexec/rankpipe"|"rankpipe: cannot run the script plot: "*) ]]
        done
    done
}

@test "weights2bin" {
    bin2txt -f tsv weights >tsv
    goes_wrong -i tsv weights2bin
    called read writev close poll malloc realloc
    goes_wrong -n tsv -o out weights2bin tsv
    called open
}

@test "compare" {
    metric -q ndcg@10 <shown >table
    explore -s 2 -g 1 <scored | metric -q ndcg@10 >others
    goes_wrong -n table -n others -o out compare table others
    called read writev open close malloc realloc calloc
}

@test "log2bin and judge" {
    for document in 1 2 3 4; do echo "0 qid:a 1:$document 2:1 # d$document"; done | svm2bin >candidates
    printf '%s\t%s\t%s\t%s\t%s\n' request qid doc position click r1 a d2 1 1 r1 a d1 2 0 r2 a d1 1 1 r2 a d3 2 1 >log
    goes_wrong -n log -i candidates -o out log2bin log
    called read writev open close poll malloc realloc calloc
    goes_wrong -i log log2bin -0
    log2bin log <candidates >clicks
    judge -c <clicks >counts
    goes_wrong -c malloc,calloc,realloc -i clicks judge
    goes_wrong -n counts -t table -i candidates judge -e table counts
    called read writev open close
}

@test "replay" {
    goes_wrong -n stored replay -n 2 -s 1 stored
    called open mmap fstat lseek
    goes_wrong -c malloc,calloc,realloc -n stored replay -z 1 -n 2 stored
    goes_wrong -i stored replay -n 2 -
    called read poll
}

@test "synth" {
    goes_wrong synth -n 2 -l 130 -d 135 separable
    goes_wrong -o out synth -n 2 noisy-binary
}

@test "features" {
    goes_wrong -i stored features log
    called read writev close poll realloc
    goes_wrong -i stored -o out features rank
}

@test "score -m" {
    goes_wrong -i stored -n weights score -m weights
    called read open tee splice pipe2 fcntl
    goes_wrong -i stored -n weights -o out score -m weights
}

@test "explore" {
    goes_wrong -i scored explore -g 0.5
    called splice
    goes_wrong -i scored -o out explore -g 0.5
    # features that come in pieces, of which a later one cannot be moved: all are read and written
    for at in 2 3 4 5; do
        cat scored | FAULTY_CALL=splice FAULTY_AT=$at FAULTY_HOW=12 FAULTY_FD=9 LD_PRELOAD=$SHIM \
            timeout -s KILL 10 explore -g 0.5 2>err | cat >got
        status=${PIPESTATUS[1]}
        # where few pieces came before it, a late one is on its way out: an error after some bytes
        if [ $at -gt 3 ] && [ "$status" = 1 ]; then
            is "$(cat err)" 'explore: cannot write <stdout>: Cannot allocate memory'
            head -c "$(wc -c <got)" shown | cmp - got
            continue
        fi
        is "$status" 0
        same shown got
        is "$(cat err)" ''
    done
}

@test "metric" {
    goes_wrong -i shown -t table metric -t table -e 1 ndcg@10 map
    called open splice
    goes_wrong -i shown metric -e 1 ndcg@10 map
    goes_wrong -i shown -o out metric -e 1 ndcg@10 map
}

@test "feedback-mask" {
    goes_wrong -i shown feedback-mask -k 3
    called splice
    goes_wrong -i shown -o out feedback-mask -k 3
}

@test "feedback-join" {
    { yes 1 | head -n 130 | paste -sd ' ' | sed 's/.*/2\t&\n1\t&/'; } >answers
    goes_wrong -i shown -n answers feedback-join answers
    called open calloc
    yes 1 | head -n 5000 | paste -sd ' ' | sed 's/^/7\t/' >long # which takes 4 bytes for each
    for n in 1 2 3 4; do
        FAULTY_CALL=calloc FAULTY_AT=$n FAULTY_HOW=12 FAULTY_FD=9 LD_PRELOAD=$SHIM \
            feedback-join long <shown 9<>count 2>>err >out || true
    done
    grep 'out of memory: no room for 20[0-9][0-9][0-9] bytes' err
}

@test "bin2txt" {
    goes_wrong -i scored bin2txt
    goes_wrong -i shown -o out bin2txt -f rank
    goes_wrong -n weights bin2txt weights
    called open
}

# after_one STREAM LEARN...: makes model.1, what a model is after the first round, which is saved if
# the second fails; and removes the model that the last failure left.
after_one() {
    rm -f model
    replay -n 1 "$1" | "${@:2}" >model.1
}

@test "update" {
    after_one seen $LEARN
    goes_wrong -a model.1 -i seen $LEARN
    goes_wrong -a model.1 -i seen -o out $LEARN
    goes_wrong -i seen -m model $LEARN -m model
    called open fsync rename stat readlink flock unlink
    [ ! -e model.lock ]
}

@test "update with checkpoints, of a model that is there" {
    cp weights model
    chmod 600 model
    replay -n 1 stored >one
    cp model model.1
    $LEARN -m model.1 <one
    goes_wrong -i stored -m model $LEARN -m model -c 1
    called access fchmod
    mv model.1 there.1
    mv model there
    ln -s there link
    goes_wrong -i stored -m there -n link $LEARN -m link -c 1
}

@test "update -l: each call that goes wrong is named, and no model is broken" {
    $LEARN -m right -l 2 -c 1 <seen
    for call in link unlink rename opendir readdir malloc; do
        for ((n = 1; n < 40; n++)); do
            rm -f model model.*
            : >count
            got=0
            FAULTY_CALL=$call FAULTY_AT=$n FAULTY_HOW=5 FAULTY_FD=9 LD_PRELOAD=$SHIM \
                $LEARN -m model -l 2 -c 1 <seen 9<>count 2>err || got=$?
            [ $got -le 1 ] || { echo "$call $n: $got" && return 1; }
            if [ $got = 1 ]; then [ -s err ]; else for kept in '' .1 .2; do same right$kept model$kept; done; fi
            for kept in model model.[12]; do
                [ ! -e $kept ] || bin2txt $kept >/dev/null || { echo "$call $n: $kept" && return 1; }
            done
            [ $got = 0 ] || echo $call
        done
    done >failed
    for call in link unlink rename opendir readdir malloc; do grep -q "^$call$" failed; done
    for fails in 'opendir:cannot open folder ./' 'readdir:cannot read the folder of model'; do
        rm -f model model.*
        fails_on seen 1 "update: ${fails#*:}: Input/output error" env FAULTY_CALL=${fails%%:*} \
            FAULTY_AT=1+ FAULTY_HOW=5 FAULTY_FD=9 LD_PRELOAD="$SHIM" $LEARN -m model -l 2 -c 1
    done
}

@test "update -b: each call that goes wrong is named, or the model is saved all the same" {
    synth -n 1400 -l 100 -d 5 linear | update -m large
    synth -b 1401 -n 1405 -l 20 -d 5 linear | tee five | update -b -m large
    synth -b 1406 -n 1410 -l 20 -d 5 linear >more
    cp large learnt && update -m learnt <more
    add-models learnt >right
    add-models large >before
    for call in link open mmap fstat fsync write rename malloc realloc; do
        for ((n = 1; n < 16; n++)); do
            cp large model
            got=0
            FAULTY_CALL=$call FAULTY_AT=$n FAULTY_HOW=5 FAULTY_FD=9 LD_PRELOAD=$SHIM \
                update -b -m model <more 9<>/dev/null 2>err || got=$?
            [ $got -le 1 ] || { echo "$call $n: $got" && return 1; }
            add-models model >after || { echo "$call $n: no model" && return 1; }
            if [ $got = 0 ]; then same after right; else grep -q '^update: .*' err; fi
            cmp -s after right || same after before
            [ $got = 0 ] || echo $call
        done
    done >failed
    for call in open mmap fsync rename malloc; do grep -q "^$call$" failed; done
}

@test "salvage" {
    goes_wrong -i shown salvage
    called read writev realloc
    printf 'rankpipe/1 round t=1\nrank' >broken # read once, and again for what follows
    for at in 1 2; do
        fails 1 'salvage: cannot read broken: Input/output error' env FAULTY_CALL=read FAULTY_AT=$at \
            FAULTY_HOW=5 FAULTY_FD=9 LD_PRELOAD="$SHIM" salvage broken
    done
}

@test "every learner, where there is no memory" {
    for learner in 'squared -e 1e-4 -U 1' 'ranksvm -e 1e-4' 'smoothdcg -e 1e-4' 'listnet -T 2' \
        'slam -e 1' 'slam-ap -e 1' minimax solar1 'solar2 -C 1' prank prank-pair committee \
        ridge 'ridge -p' thompson linucb kl slam \
        'smoothdcg -k 2 -F 0.1 -e 1e-4' squared-ndcg solar1-ties solar2-ties solar1-list \
        solar2-list 'kernel -N 2' 'kernel -N 2 -k 3'; do
        after_one stored update -a $learner
        goes_wrong -c malloc,calloc,realloc -i stored -m model update -a $learner -m model
    done
    explore -p plackett-luce <scored | feedback-mask -c perfect >clicks
    after_one clicks update -a pdgd
    goes_wrong -c malloc,calloc,realloc -i clicks -m model update -a pdgd -m model
    synth -n 3 -l 4 noisy-binary | score -m <(echo 1 0 | weights2bin) | explore | feedback-mask -L 1 -c perfect >listed
    goes_wrong -c malloc,calloc,realloc -i listed -m model update -a toprank -m model
    mkfifo ring
    score -f ring <stored | tee rivals | explore -p team-draft | feedback-mask -c perfect |
        tee clicks | update -a dbgd -f ring >out
    goes_wrong -c malloc,calloc,realloc -i rivals explore -p team-draft
    after_one clicks update -a dbgd
    goes_wrong -c malloc,calloc,realloc -i clicks -m model update -a dbgd -m model
    synth -n 1 noisy-binary | update -a ftpl >leader
    synth -n 2 noisy-binary | score -m leader >list
    for policy in '-k all -p leader -T 2' '-k 2 -p blocks -T 8'; do
        set -- $policy
        [ "$2" = all ] && show="explore ${*:3}" || show="explore $*"
        goes_wrong -c malloc,calloc,realloc -i list $show
        $show <list >ranked
        goes_wrong -c malloc,calloc,realloc -i ranked metric map pairloss regret:sumloss ips:dcg snips:p@2
        feedback-mask -k "$2" <ranked >answers
        after_one answers update -a ftpl
        goes_wrong -c malloc,calloc,realloc -i answers -m model update -a ftpl -m model
    done
}

@test "the learner memory, where there is no memory" {
    queries 130 2 | svm2bin >narrow
    after_one narrow update -a memory
    goes_wrong -c malloc,calloc,realloc -i narrow -m model update -a memory -m model
    update -a memory <narrow >remembered
    goes_wrong -c malloc,calloc,realloc -i narrow -n remembered score -m remembered
    goes_wrong -c malloc,calloc,realloc -n remembered -n narrow bin2txt -f memory remembered narrow
}

# The ring's programs after the first; `model.1` is what they have learnt after a round.
RING="score -f ring | explore -g 0.5 | metric -e 1 -t table ndcg@10 | feedback-mask -k 3 |
    $LEARN -f ring -m model"

first_round() {
    loop "replay -n 1 $1 | $RING"
    mv model model.1
    rm table
}

@test "loop, the whole ring in one process" {
    first_round stored
    goes_wrong -n stored -m model -t table loop "replay -n 2 stored | $RING -c 1"
    called mmap fsync rename
    svm2bin text >stored
    first_round stored
    goes_wrong -i text -m model -t table loop "svm2bin | $RING -c 1"
    called read poll
}

@test "loop as a filter, between files" {
    goes_wrong -i scored loop 'explore -g 0.5 | feedback-mask -k 3'
    goes_wrong -n scored -t out loop '< scored explore -g 0.5 | feedback-mask -k 3 > out'
    called open dup2
}

@test "the ring, each of its programs in turn" {
    first_round stored
    mkfifo ring
    goes_wrong -n ring -n stored -m model -t table replay -n 2 stored + score -f ring + \
        explore -g 0.5 + metric -e 1 -t table ndcg@10 + feedback-mask -k 3 + \
        $LEARN -f ring -m model
    called flock splice tee mmap fsync rename
}

@test "the ring, rounds running ahead of their feedback" {
    first_round stored
    mkfifo ring
    goes_wrong -c read,write,writev,poll,splice,tee,realloc -p score -n ring -m model -i stored \
        score -f ring -w 4 + explore -g 0.5 + feedback-mask -k 3 + $LEARN -f ring -m model
    called write
}

@test "a FIFO of answers that cannot be held open" {
    mkfifo live
    fails_on shown 1 "feedback-join: cannot open FIFO live for writing, to hold it open between its writers: Permission denied" \
        env FAULTY_CALL=open FAULTY_AT=2 FAULTY_HOW=13 FAULTY_FD=9 LD_PRELOAD="$SHIM" feedback-join live
}

# service CALL NUMBER ERRNO PROGRAM: serve answers one request, while a call of `serve` or of `ask`, its
# client, fails. Whoever fails says so; otherwise the answer is right.
service() {
    local how="FAULTY_CALL=$1 FAULTY_AT=$2 FAULTY_HOW=$3 FAULTY_FD=9 LD_PRELOAD=$SHIM"
    local at_serve=$how at_ask= served=0 asked=0 id
    [ "$4" = serve ] || at_serve= at_ask=$how
    rm -f socket status
    timeout -s KILL 20 env $at_serve serve -S status socket 'score -m weights | explore -o' \
        9>>calls 2>err &
    id=$!
    for _ in $(seq 200); do
        [ ! -S socket ] && kill -0 $id 2>/dev/null || break
        sleep 0.01
    done
    timeout -s KILL 20 env $at_ask serve -a socket <request 9>>calls >answer 2>err2 || asked=$?
    pkill -TERM -P $id 2>/dev/null || true
    wait $id || served=$?
    case $served in
    0) ;;
    1 | 2) grep -q '^serve: ' err ;;
    *) return 1 ;;
    esac
    case $asked in
    0) cmp answer right || grep '^! ' answer ;;
    1) grep -q '^serve: ' err2 ;;
    *) return 1 ;;
    esac
    outcome="$served $asked"
}

# expects OUTCOME CALL NUMBER ERRNO PROGRAM: the exit statuses of the service and of its client are these.
expects() {
    service "${@:2}" && [ "$outcome" = "$1" ] && { [ "$1" != '0 0' ] || cmp answer right; } && return
    echo "${*:2}: $outcome, not $1" && cat err err2 && return 1
}

# calls_of NAME FILE: how often the function was called, of the numbers in the file, as faulty.h has them.
calls_of() {
    local at
    at=$(sed -n '/faulty_names/,/}/p' "$ROOT/tests/shim/faulty.h" | grep -o '"[a-z0-9_]*"' | grep -nx "\"$1\"")
    od -An -v -t u4 -j $((4 * (${at%%:*} - 1))) -N 4 "$2" | tr -d ' '
}

# until_calls NAME NUMBER FILE: waits until the function has been called so often.
until_calls() {
    local tries=1000
    until [ "$(calls_of "$1" "$3")" -ge "$2" ]; do
        sleep 0.01
        [ $((tries -= 1)) -gt 0 ] || { echo "$1 was not called $2 times" && return 1; }
    done
}

@test "serve, and its client" {
    local tried=0
    { bin2txt stored | head -n 130 | sed 's/^[^ ]*/?/' && echo; } >request
    svm2bin -lu request | score -m weights | explore -o | bin2txt -f rank >right
    echo >>right
    for call in socket bind listen accept fcntl lstat poll read write open close rename unlink \
        stat malloc calloc realloc; do
        for at in 1 2 4 7; do
            for error in 4 5 12; do
                [ $((tried++ % STRIDE)) = 0 ] || continue
                service $call $at $error serve || { echo "$call $at $error" && cat err err2 && return 1; }
            done
        done
    done
    for call in socket connect send shutdown poll read; do
        for at in 1 2; do
            for error in 4 12; do
                [ $((tried++ % STRIDE)) = 0 ] || continue
                service $call $at $error ask || { echo "ask: $call $at $error" && cat err err2 && return 1; }
            done
        done
    done
}

# A request of two documents, and its answer.
small_request() {
    svm2bin <<<$'1 qid:a 1:1\n0 qid:a 2:1' | update -a listnet >weights
    printf '? 1:1\n? 2:1\n\n' >request
    svm2bin -lu request | score -m weights | explore -o | bin2txt -f rank >right
    echo >>right
}

# one CALL NUMBER ERRNO COMMAND...: runs it while that call fails; the numbers of calls are in ./calls.
one() {
    : >calls
    timeout -s KILL 10 env FAULTY_CALL="$1" FAULTY_AT="$2" FAULTY_HOW="$3" FAULTY_FD=9 \
        LD_PRELOAD="$SHIM" "${@:4}" 9<>calls
}

# background CALL NUMBER ERRNO: the service, as process $server, while that call fails.
background() {
    env FAULTY_CALL="$1" FAULTY_AT="$2" FAULTY_HOW="$3" FAULTY_FD=9 LD_PRELOAD="$SHIM" \
        serve socket 'score -m weights | explore -o' 9<>calls 2>err &
    server=$!
    for _ in $(seq 500); do [ ! -S socket ] || break; sleep 0.01; done
}

@test "serve: a socket that it cannot have ends it, with a message" {
    small_request
    for call in socket\ 1 bind\ 1 listen\ 1 lstat\ 1 lstat\ 2 rename\ 1 fcntl\ 8 fcntl\ 9 fcntl\ 10; do
        fails 1 'serve: cannot listen at socket: Cannot allocate memory' \
            one $call 12 serve socket 'score -m weights | explore -o'
        [ -z "$(ls | grep '^socket')" ] || { echo "$call leaves $(ls)" && return 1; }
    done
    for call in fcntl\ 8 fcntl\ 9 fcntl\ 10; do
        fails 1 'serve: cannot use descriptor 0: Cannot allocate memory' \
            one $call 12 "${SHIM%/*}/listen" 0 socket serve - explore
        rm socket
    done
}

@test "serve: a connection that it cannot have is waited for, or lost alone" {
    small_request
    for error in 24 4 103; do # EMFILE, EINTR, ECONNABORTED
        expects '0 0' accept 1 $error serve
    done
    for at in 11 12 13; do # which make the connection one that does not block
        expects '0 1' fcntl $at 12 serve
        grep -x 'serve: socket: the service closed the connection.*' err2
    done
    # Without descriptors or memory it looks once a second, and is not busy with it.
    for error in 24 23 105 12; do # EMFILE, ENFILE, ENOBUFS, ENOMEM
        rm -f calls
        background accept 1+ $error
        serve -a socket <request >answer 2>err2 &
        until_calls accept 1 calls
        sleep 0.2
        looked=$(calls_of accept calls)
        kill $server
        wait $server
        [ "$looked" -lt 10 ] || { echo "$error: it looked $looked times" && return 1; }
        wait $! || true
    done
}

@test "serve: what came whole before SIGTERM is answered, what came in part is refused" {
    small_request
    background none 0 0
    mkfifo whole part
    for client in whole part; do
        env FAULTY_CALL=none FAULTY_AT=0 FAULTY_HOW=0 FAULTY_FD=9 LD_PRELOAD="$SHIM" \
            serve -a socket <$client >$client.answer 2>$client.err 9<>$client.calls &
    done
    exec 4>whole 5>part
    # A client waits four times until it has an answer and waits for more to send, then twice until that
    # is sent and it waits for the answer.
    tee part <request >whole
    for client in whole part; do until_calls poll 4 $client.calls; done
    kill -STOP $server
    cat request >whole
    printf '? 1:1\n' >part
    for client in whole part; do until_calls poll 6 $client.calls; done
    kill -TERM $server
    kill -CONT $server
    wait $server
    exec 4>&- 5>&-
    wait
    is "$(grep -c . whole.answer)" 4
    is "$(tail -n 2 whole.answer | cut -f 1 | xargs)" 3
    is "$(grep -o '^!.*' part.answer)" '! request: not whole when the service stopped'
}

@test "serve -a: an interruption is not a failure, and failures are named" {
    small_request
    for at in 1 2 3 4; do
        expects '0 0' read $at 4 ask
        expects '0 0' poll $at 4 ask
    done
    expects '0 0' send 1 4 ask
    while IFS=: read -r call said; do
        expects '0 1' $call 12 ask
        is "$(cat err2)" "serve: $said: Cannot allocate memory"
    done <<'CALLS'
socket 1:cannot connect to socket
connect 1:cannot connect to socket
poll 3:cannot wait for socket
read 1:cannot read <stdin>
send 1:cannot write to socket
shutdown 1:cannot write to socket
CALLS
    expects '0 1' read 3+ 5 ask
    is "$(cat err2)" 'serve: socket: the service closed the connection after 0 of 1 answers'
}

@test "serve: without memory for a request or an answer it ends, and answers no more" {
    small_request
    for i in $(seq 20); do printf '? 1:%d # %05000d\n' $i $i; done >request # whose answer makes buffers grow
    echo >>request
    background none 0 0
    serve -a socket <request >right
    kill $server
    wait $server
    for ((at = 5; at < 40; at++)); do
        service realloc $at 12 serve
        [ "$outcome" != '0 0' ] || break
        [ "$outcome" = '1 1' ] && grep -q '^serve: .*memory' err || { echo "$at: $outcome" && cat err && return 1; }
    done
    [ $at -gt 15 ] # so often it asks for memory after its start
}

@test "spool: each call that goes wrong is named, and all that was passed on is in the log, each round once" {
    local tried=0
    replay -n 6 shown >six
    for call in write writev open fsync rename close malloc calloc realloc mmap stat fstat flock unlink \
        ftruncate mkdir; do
        for error in 28 4; do
            for ((n = 1; n < 12; n++)); do
                [ $((tried++ % STRIDE)) = 0 ] || continue
                rm -rf log
                : >count
                got=0
                FAULTY_CALL=$call FAULTY_AT=$n FAULTY_HOW=$error FAULTY_FD=9 LD_PRELOAD=$SHIM \
                    spool -y -c 4 log <six 9<>count >passed 2>err || got=$?
                [ $got -le 1 ] || { echo "$call $n $error: $got" && return 1; }
                if [ $got = 1 ]; then
                    grep -Eq '^spool: (.*: )?(cannot (make|create|open|write|read|lock|rename|sync) |out of memory: )' err ||
                        { echo "$call $n $error" && cat err && return 1; }
                else
                    same six passed
                fi
                { salvage passed 2>/dev/null || true; } | bin2txt -f head | wc -l >has
                spool -a log <six >rest 2>/dev/null # the next start, with all rounds again
                spooled log | uncrc >read
                same six read || { echo "$call $n $error" && return 1; }
                # (an fsync that fails leaves faulty.so's file empty, also of what was synced before)
                [ $call = fsync ] || [ $(($(cat has) + $(bin2txt -f head rest | wc -l))) -le 6 ] ||
                    { echo "$call $n $error: passed on, and not in the log" && return 1; }
                [ $got = 1 ] || [ "$error" = 4 ] || [ $n -lt 6 ] || break
            done
        done
    done
}

@test "spool: a log that was cut is mended, or stays as it is if that goes wrong" {
    replay -n 6 shown >six
    size=$(wc -c <six)
    file=log/rounds.0000000000000001.open # as a killed spool leaves it
    for call in ftruncate lseek writev rename fsync; do
        failed=
        for n in 1 2 3; do
            rm -rf log && mkdir log && head -c $((size - 400)) six >$file
            : >count
            got=0
            FAULTY_CALL=$call FAULTY_AT=$n FAULTY_HOW=5 FAULTY_FD=9 LD_PRELOAD=$SHIM \
                spool -a log <six >passed 9<>count 2>err || got=$?
            [ $got = 0 ] || { [ $got = 1 ] && grep -q '^spool: ' err; } || { echo "$call $n: $got" && return 1; }
            failed+=$got
            spool -a log <six >rest 2>/dev/null
            spooled log | uncrc -r >read
            same six read || { echo "$call $n" && return 1; }
        done
        [[ $failed == *1* ]] || { echo "$call never failed" && return 1; }
    done
    # mends WORDS CALL: the call fails each time, and spool says so.
    mends() {
        fails_on six 1 "spool: $1: Input/output error" timeout -s KILL 5 env FAULTY_CALL="$2" \
            FAULTY_AT=1+ FAULTY_HOW=5 FAULTY_FD=9 LD_PRELOAD="$SHIM" spool log
    }
    head -c $((size - 400)) six >$file
    mends "cannot map $file" mmap
    head -c $((size - 400)) six | cmp - $file
    mends "cannot write $file" fsync
    : >$file # no round: it is to be removed
    mends "cannot remove $file" unlink
}
