#!/usr/bin/env bats
# What each release wrote is read as that release read it: tests/fixtures has a folder for each, made
# by tests/fixtures/make and its programs. NEWS lists what has changed since.

load ../helper

# Runs of learners and settings that the last release did not have.
SINCE='memory-examined|policy-aware'

FIXTURES=$ROOT/tests/fixtures

# reads RELEASE [RUN=WANT ...]: its fixtures give what is expected, but update says WANT (a pattern)
# where it would continue the model of RUN. Since 0.4.0 memory scores by more (NEWS): its models are
# read and continued, to other scores.
reads() {
    local run memory='^memory[a-z-]* (ranks|resumed): [0-9]+ [0-9]+$'
    bash "$FIXTURES/read" "$FIXTURES/$1" >got
    cp "$FIXTURES/$1/expected" want
    for run in "${@:2}"; do
        grep "^${run%%=*} resumed: ${run#*=}" got || { grep "^${run%%=*} resumed:" got && return 1; }
        sed -i "/^${run%%=*} resumed: /d" want got
    done
    is "$(grep -Ec "$memory" got)" "$(grep -Ec "$memory" want)"
    sed -E -i "/$memory/d" want got
    diff want got
}

@test "there are fixtures of every release, and of every learner" {
    [ "$(ls -d "$FIXTURES"/v* | wc -l)" -ge 3 ]
    # shellcheck disable=SC2046
    [ "$(cat $(ls -d "$FIXTURES"/v* | sort -V | tail -n 1)/runs | wc -l)" = "$(. "$ROOT/tests/runs.bash" && printf '%s\n' $LEARNERS $LEADERS | grep -cvxE "$SINCE")" ]
    [ "$(du -sb "$FIXTURES" | cut -f 1)" -lt 250000 ]
}

@test "0.2.0: streams and models are read, and learners resume, except as NEWS says" {
    lacks='update: model model: it was learnt with width=0.1, but this run has no width: add width=0.1 to -a$'
    reads v0.2.0 "thompson-adaptive=$lacks" "linucb-adaptive=$lacks" 'prank=update: model model: '
    for run in thompson-adaptive linucb-adaptive; do # with -S 0.1 they continue as in 0.2.0
        MORE='-S 0.1' bash "$FIXTURES/read" "$FIXTURES/v0.2.0" >got
        grep "^$run resumed:" "$FIXTURES/v0.2.0/expected" | grep -Fxf - got
    done
}

@test "0.3.0: streams and models are read, and learners resume" {
    reads v0.3.0
}

@test "0.4.0: streams and models are read, and learners resume; each record has its crc=" {
    reads v0.4.0
    cd "$FIXTURES/v0.4.0"
    bin2txt -f check ./*.model dense.bin sparse.bin fixed.bin odd.bin scaled.bin log.bin >"$BATS_TEST_TMPDIR/checked"
    run grep -v ', all with crc=$' "$BATS_TEST_TMPDIR/checked"
    is "$output" ''
    bin2txt -f check ./*.bin >/dev/null
}

@test "features, numbers of 8 and 16 bits, and games are made to the byte as in 0.4.0" {
    cd "$FIXTURES/v0.4.0"
    features scale,fourier:4:0.5:3,products <dense.bin | cmp - made.bin
    bin2txt dense.bin | svm2bin -nC | bin2txt -f values | grep -v fingerprint | # which is new
        cmp - <(bin2txt -f values scaled.bin)
    bin2txt dense.bin | svm2bin -Cp 8 | cmp - compact8.bin
    bin2txt dense.bin | svm2bin -Cp 16 | cmp - compact16.bin
    synth -n 1 separable | cmp - game.bin
}
