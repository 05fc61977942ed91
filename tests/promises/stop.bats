#!/usr/bin/env bats
# No small input takes long, and no input keeps a program from ending when a signal asks it to.
load ../helper

# big DOCS GRADES: a query of so many documents with two features and grades from 0.
big() {
    awk -v docs="$1" -v grades="$2" 'BEGIN {
        for (i = 0; i < docs; i++)
            printf "%d qid:big 1:%g 2:%g\n", i % grades, i * 7919 % 1000 / 1000, i * 31 % 100 / 100
    }'
}

# with_big DOCS GRADES: three small rounds, and then a big one.
with_big() {
    { small_text && big "$1" "$2"; } | svm2bin >rounds
    small_text | svm2bin >before
}

# ended MILLISECONDS STATUS PROCESS: ends by then, with the status.
ended() {
    local i got=0
    for ((i = 0; i < $1 / 10; i++)); do
        kill -0 "$3" 2>/dev/null || break
        sleep 0.01
    done
    if kill -0 "$3" 2>/dev/null; then
        kill -KILL "$3"
        wait "$3" || true
        echo "still there after $1 milliseconds"
        return 1
    fi
    wait "$3" || got=$?
    [ "$got" = "$2" ] || { echo "exit $got, not $2" && return 1; }
}

@test "where all labels are equal there are no pairs, and nothing is counted" {
    with_big 200000 1
    for learner in solar1 'solar1 -o' prank-pair committee ranksvm; do
        # shellcheck disable=SC2086
        timeout -k 1 2 update -a $learner -m model.new <rounds
        mv model.new "model of $learner"
    done
    svm2bin <<<"$(big 200000 1)" | score -m 'model of ranksvm' | explore >explored
    timeout -k 1 2 metric loss:ranksvm <explored
}

@test "too many pairs are refused as soon as they are counted by their grades" {
    with_big 200000 200000
    for learner in solar1 solar2 prank-pair committee; do
        got=0
        timeout -k 1 2 update -a $learner -m model <rounds 2>err || got=$?
        [ $got = 1 ]
        grep -q 'round 4 (qid big): 19999900000 pairs of documents are too many to shuffle' err
        rm -f model
    done
    timeout -k 1 2 update -a ranksvm -e 1e-9 -m model <rounds # which adds them up without a list
}

@test "a signal stops a long round, and the model is the one before it" {
    with_big 11000 5
    for learner in solar1 'solar1 -o' solar1-ties solar2 prank-pair committee; do
        # shellcheck disable=SC2086
        update -a $learner -m whole <before
        # shellcheck disable=SC2086
        update -a $learner -m stopped <rounds &
        sleep 0.5
        kill -TERM $!
        ended 1000 143 $!
        same whole stopped
        rm whole stopped
    done
}

@test "a signal stops regressions on a long list, too, and what was remembered is as before" {
    awk 'BEGIN { for (i = 0; i < 2000; i++) { printf "%d qid:big", i % 5
        for (j = 1; j <= 1000; j++) printf " %d:%g", j, i * j * 7919 % 1000 / 1000
        print "" } }' >text
    { small_text && cat text; } | svm2bin >rounds
    small_text | svm2bin >before
    for learner in ridge memory; do
        update -a $learner -m whole <before
        update -a $learner -m stopped <rounds &
        sleep 0.4
        kill -TERM $!
        ended 1000 143 $!
        same whole stopped
        rm whole stopped
    done
}

@test "a signal stops a loss that takes the square of a list's length" {
    big 60000 60000 | svm2bin >rounds
    big 10 2 | svm2bin | update -a squared -m model
    score -m model <rounds | explore >explored
    metric loss:ranksvm <explored >table &
    sleep 0.3
    kill -TERM $!
    ended 1000 143 $!
}

@test "a signal stops a round that takes long to print" {
    synth -n 1 -l 60000 -d 700 linear >round
    bin2txt -f svm <round >/dev/null &
    sleep 0.4
    kill -TERM $!
    ended 1500 143 $!
}

# keys NUMBER: a stream of 8 MB whose headers have so many keys of their own.
keys() {
    awk -v number="$1" 'BEGIN {
        for (k = 0; k < number; k++)
            keys = keys sprintf("x-%x=1 ", k)
        for (t = 1; bytes < 8e6; t++) {
            line = "rankpipe/1 round t=" t " docs=1 dim=0 " keys "bytes=0"
            bytes += length(line) + 1
            print line
        }
        print "rankpipe/1 end rounds=" t - 1 " bytes=0"
    }'
}

@test "a header of hundreds of keys takes no longer per byte than one of ten" {
    keys 10 >few
    keys 500 >many
    TIMEFORMAT=%U
    few=$({ time bin2txt -f head few >/dev/null; } 2>&1)
    many=$({ time bin2txt -f head many >/dev/null; } 2>&1)
    awk -v few="$few" -v many="$many" 'BEGIN { exit many > 3 * few + 0.05 }' ||
        { echo "$many seconds, not $few" && return 1; }
}
