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
        svm2bin text 9>count >out 2>err || true
    grep -q 'cannot open text: ' err ||
        skip "LD_PRELOAD does nothing here: a static build, a sanitizer, or not Linux"
    rm count out err
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
HARMLESS="pthread_attr_* pthread_cond_* pthread_join pthread_mutex_* pthread_sigmask alarm clock_gettime closedir ferror fflush fprintf fputc free frexp fwrite getenv getpid ldexp mem* munmap printf
    qsort raise rewinddir sched_yield sig* snprintf sprintf sqrt sysconf stderr stdout stp* str* vsnprintf"

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
    goes_wrong -n text svm2bin -c text
    called open
    sed 's/ qid:[^ ]*//' text >plain
    bin2txt -f head stored | sed 's/.* docs=\([0-9]*\) .*/\1/' >counts
    goes_wrong -i plain -n counts svm2bin -q counts
    called open read
    for i in $(seq 400); do sed "s/ qid:/&$i./" text; done | head -n 12000 | cut -c 1-60 |
        sed 's/ [^ ]*$//' >long
    [ "$(wc -c <long)" -gt 600000 ]
    goes_wrong -n long svm2bin -j 2 long
    called pthread_create open read writev
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

@test "replay" {
    goes_wrong -n stored replay -n 2 -s 1 stored
    called open mmap fstat lseek vmsplice
    goes_wrong -i stored replay -n 2 -
    called read poll
}

@test "synth" {
    goes_wrong synth -n 2 -l 130 -d 135 separable
    goes_wrong -o out synth -n 2 noisy-binary
}

@test "features" {
    goes_wrong -i stored features split
    called read writev close poll realloc
    goes_wrong -i stored features -D 3 fourier
    goes_wrong -i stored -o out features -D 3 fourier
    queries 130 2 | svm2bin >narrow
    goes_wrong -i narrow features products
}

@test "score -m" {
    goes_wrong -i stored -n weights score -m weights
    called read open tee splice pipe2 fcntl
    goes_wrong -i stored -n weights -o out score -m weights
}

@test "explore" {
    goes_wrong -i scored explore -g 0.5
    called splice ioctl
    goes_wrong -i scored -o out explore -g 0.5
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
}

@test "z" {
    explore -p plackett-luce <scored | feedback-mask -c perfect >clicks
    after_one clicks update -a pdgd
    goes_wrong -c malloc,calloc,realloc -i clicks -m model update -a pdgd -m model
}
@test "y" {
    after_one stored update -a squared -e 1e-4
    goes_wrong -c malloc,calloc,realloc -i stored -m model update -a squared -e 1e-4 -m model
}
