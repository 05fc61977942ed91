#!/usr/bin/env bats
# What each release wrote is read as that release read it: tests/fixtures has a folder for each, made
# by tests/fixtures/make and its programs. NEWS lists what has changed since.

load ../helper

# Runs of learners and settings that the last release did not have.
SINCE='memory-examined|kernel-lists|exp3m|pairrank'

# Runs of learners that have left since: score ranks by their models, and update says what to use.
LEFT='squared-dr|kl-dr|kl-dr-adaptive|smoothdcg-dr|cascade-lints|cascade-klucb|bubblerank'

# Options and words of 0.4.0 that left in 0.5.0.
GONE='bin2txt -f ranklib
bin2txt -f svm-light
explore -E
feedback-join -W
feedback-join -l
feedback-join -t
metric -s
features -D
features -g
features -s
operand features step fourier
operand features step products
operand features step split
spool -b
spool -f
spool -l
spool -m
spool -r
svm2bin -c
svm2bin -p
svm2bin -q
synth -q
update -H'

# A model of memory with drift: it ranks, and is not continued.
DRIFT="memory-drift=update: no option '-H'"

FIXTURES=$ROOT/tests/fixtures

# reads RELEASE [RUN=WANT ...]: its fixtures give what is expected, but update says WANT (a pattern)
# where it would continue the model of RUN. Since 0.4.0 memory scores by more (NEWS): its models are
# read and continued, to other scores.
reads() {
    local run memory='^memory[a-z-]* (ranks|resumed): [0-9]+ [0-9]+$'
    bash "$FIXTURES/read" "$FIXTURES/$1" >got
    cp "$FIXTURES/$1/expected" want
    for run in $(cut -d '|' -f 1 "$FIXTURES/$1/runs" | grep -xE "$LEFT"); do
        set -- "$@" "$run=update: learner ${run%-adaptive} left in 0.5.0: use [a-z0-9]*$"
    done
    for run in "${@:2}"; do
        grep "^${run%%=*} resumed: ${run#*=}" got || { grep "^${run%%=*} resumed:" got && return 1; }
        sed -i "/^${run%%=*} resumed: /d" want got
    done
    is "$(grep -Ec "$memory" got)" "$(grep -Ec "$memory" want)"
    sed -E -i "/$memory/d" want got
    diff want got
}

@test "there are fixtures of every release, and of every learner" {
    [ "$(ls -d "$FIXTURES"/v* | wc -l)" -ge 1 ]
    # shellcheck disable=SC2046
    [ "$(cat $(ls -d "$FIXTURES"/v* | sort -V | tail -n 1)/runs | grep -cvE "^($LEFT|memory-drift)[|]")" = "$(. "$ROOT/tests/runs.bash" && printf '%s\n' $LEARNERS $LEADERS | grep -cvxE "$SINCE")" ]
    [ "$(du -sb "$FIXTURES" | cut -f 1)" -lt 250000 ]
}

@test "rankpipe-compatibility(7) names every release, and which of them has fixtures" {
    sed -n 's/^\([0-9]*\.[0-9]*\.[0-9]*\)$/\1/p' "$ROOT/NEWS" | sort -V >releases
    [ "$(wc -l <releases)" -ge 4 ]
    sed -n 's/^\.It \([0-9]*\.[0-9]*\.[0-9]*\) Ta .*/\1/p' "$ROOT/man/rankpipe-compatibility.7" | cmp - releases
    while read -r release; do
        line=$(grep "^\.It $release Ta" "$ROOT/man/rankpipe-compatibility.7")
        if [ -d "$FIXTURES/v$release" ]; then [[ $line == *' reads all'* ]]; else [[ $line == *' 0.4.0 converts it'* ]]; fi
    done <releases
}

@test "every exit status of a page is among those that rankpipe-compatibility(7) promises" {
    statuses() { awk '/^\.S[hs]/ { on = /XIT STATUS|xit statuses/ } on && /^\.It [0-9]/ { gsub(/[^0-9 ]/, ""); print }' "$@" | xargs -n 1; }
    statuses "$ROOT/man/rankpipe-compatibility.7" >promised
    is "$(paste -sd ' ' promised)" '0 1 2 3 4 5 128'
    statuses "$ROOT"/man/*.1 | sort -nu >have
    while read -r status; do
        if [ "$status" -gt 128 ]; then status=128; fi # and a signal
        grep -qx "$status" promised
    done <have
    [ "$(wc -l <have)" -ge 6 ]
}

@test "0.4.0: streams and models are read, and learners resume, except as NEWS says; each record has its crc=" {
    reads v0.4.0 "$DRIFT"
    cd "$FIXTURES/v0.4.0"
    bin2txt -f check ./*.model dense.bin sparse.bin fixed.bin odd.bin scaled.bin log.bin >"$BATS_TEST_TMPDIR/checked"
    run grep -v ', all with crc=$' "$BATS_TEST_TMPDIR/checked"
    is "$output" ''
    bin2txt -f check ./*.bin >/dev/null
}

# pieces OPTIONS: of what package/options printed, the programs, operands and settings, a word a line.
pieces() {
    awk -F '\t' '
        $1 == "program" { print $1, $2 }
        $1 == "setting" || $1 == "operand" && $NF != "path" && $NF != "other" {
            n = split($NF, word, " ")
            for (i = 1; i <= n; i++) print $1, $2, $3, $1 == "setting" ? $4 : "", word[i]
        }' "$1" | LC_ALL=C sort
}

# lost RELEASE: prints what its command lines took and those of today do not. An option that is known
# leaves the complaint to the next one, -?.
lost() {
    local program letter value
    pieces "$FIXTURES/$1/options" >then
    pieces now | LC_ALL=C comm -23 then -
    awk -F '\t' '
        $1 == "flag" { print $2, $3 }
        $1 == "value" {
            n = split($NF == "path" || $NF == "other" ? 1 : $NF, word, " ")
            for (i = 1; i <= n; i++) print $2, $3, word[i]
        }' "$FIXTURES/$1/options" | while read -r program letter value; do
        "$program" "-$letter" $value '-?' >said 2>&1 </dev/null || true
        if [[ $value == *[a-z]* ]]; then # a word that the option names
            grep -qF "no option '-?'" said || echo "$program -$letter $value"
            # update looks for its learner after all options are read
            [ "$program -$letter" != 'update -a' ] || ! update -a "$value" 2>&1 </dev/null | grep -q ' left in ' || echo "update -a $value"
        else
            ! grep -qF "no option '-$letter'" said || echo "$program -$letter"
        fi
    done
}

@test "command lines of releases are still taken, except as NEWS says" {
    (cd "$ROOT" && sh package/options bin/rankpipe) >now
    for options in "$FIXTURES"/v*/options; do
        release=$(basename "$(dirname "$options")")
        [ "$(wc -l <"$options")" -ge 140 ]
        lost "$release" >gone
        case $release in
        v0.4.0)
            is "$(grep -v '^update -a' gone | sed 's/  */ /g' | sort)" "$(sort <<<"$GONE")"
            is "$(sed -n 's/^update -a //p' gone | sort)" "$(tr '|' '\n' <<<"$LEFT" | grep -v adaptive | sort)"
            ;;
        *) is "$(cat gone)" '' ;;
        esac
    done
}

@test "scaled features and games are made to the byte as in 0.4.0" {
    cd "$FIXTURES/v0.4.0"
    bin2txt dense.bin | svm2bin -nC | bin2txt -f values | grep -v fingerprint | # which is new
        cmp - <(bin2txt -f values scaled.bin)
    synth -n 1 separable | cmp - game.bin
}

@test "a model of memory with drift ranks, and is not continued" {
    cp "$FIXTURES/v0.4.0/memory-drift.model" model
    score -m model <"$FIXTURES/v0.4.0/dense.bin" | explore | bin2txt -f rank >ranked
    [ -s ranked ]
    fails_on "$FIXTURES/v0.4.0/dense.bin" 1 'update: model model: it was learnt with drift, which left in 0.5.0: *learn into another file' \
        update -a memory,rho=9 -m model
    cmp model "$FIXTURES/v0.4.0/memory-drift.model"
}

@test "a model of a learner that left is not continued, and the message says what to use" {
    cp "$FIXTURES/v0.4.0/kl-dr.model" model
    fails_on "$FIXTURES/v0.4.0/dense.bin" 1 'update: model model: learner kl-dr left in 0.5.0: use kl, and another file' \
        update -a kl -m model
    cmp model "$FIXTURES/v0.4.0/kl-dr.model"
}
