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
    with_big 5000 1
    for learner in solar1 'solar1 -o' prank-pair committee ranksvm; do
        # shellcheck disable=SC2086
        timeout -k 1 2 update -a $learner -m model.new <rounds
        mv model.new "model of $learner"
    done
    svm2bin <<<"$(big 200000 1)" | score -m 'model of ranksvm' | explore >explored
    timeout -k 1 2 metric loss:ranksvm <explored
}

@test "a signal during a long round: the round is learnt, and the model is that after it" {
    with_big 2000 5
    for learner in solar1 prank-pair; do
        update -a $learner -m whole <rounds
        { cat rounds && sleep 5; } | update -a $learner -m stopped &
        sleep 0.1
        kill -TERM $!
        ended 5000 143 $!
        rounds=$(bin2txt -f head stopped | grep -o 'rounds=[0-9]*')
        [ "$rounds" = rounds=4 ] || [ "$rounds" = rounds=3 ]
        [ "$rounds" = rounds=3 ] || same whole stopped
        rm whole stopped
    done
}

# refuses_docs LEARNER MOST: one document more, all with feedback, is refused; so many are learnt.
refuses_docs() {
    big $(($2 + 1)) 2 | svm2bin >more
    fails_on more 1 "update: <stdin>: round 1 (qid big): the round has feedback on $(($2 + 1)) documents, but $1 takes at most $2, because its time grows with their square: use another learner, or a smaller feedback-mask -k" \
        update -a "$1"
}

@test "learners whose time grows with the square of the documents say how many they take" {
    for learner in solar1 solar1-ties prank-pair committee; do refuses_docs $learner 5000; done
    refuses_docs solar2 1000
    refuses_docs solar2-ties 500
    big 1000 2 | svm2bin | update -a solar2 >model
    echo 1 1 | weights2bin >w
    big 4001 2 | svm2bin | score -m w -d 2 | explore -p plackett-luce | feedback-mask -c perfect -k 4001 >clicks
    fails_on clicks 1 '*: the round has feedback on 4001 documents, but pdgd takes at most 4000, *' update -a pdgd
    big 30002 2 | svm2bin | score -m w -d 2 | explore -g 0.5 -p top -k 30001 >ranked
    feedback-mask -k 30001 <ranked >some
    fails_on some 1 '*: the round has feedback on 30001 documents, but ranksvm takes at most 30000, *' update -a ranksvm
    feedback-mask -k all <ranked | timeout -k 1 5 update -a ranksvm >model # counted by a sort
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

# One of ten would be read as the one before (lib/stream/record_header.h).
@test "a header of hundreds of keys takes no longer per byte than one of forty" {
    keys 40 >few
    keys 500 >many
    TIMEFORMAT=%U
    few=$({ time bin2txt -f head few >/dev/null; } 2>&1)
    many=$({ time bin2txt -f head many >/dev/null; } 2>&1)
    awk -v few="$few" -v many="$many" 'BEGIN { exit many > 3 * few + 0.05 }' ||
        { echo "$many seconds, not $few" && return 1; }
}
