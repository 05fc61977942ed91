#!/usr/bin/env bats
# judge: judgements from clicks. tests/exact/judgements.c checks the mathematics.

load ../helper

# lines TEXT...: a tab for each space, a line for each argument.
lines() {
    printf '%s\n' "$@" | tr ' ' '\t'
}

# A log of 3 queries of 5 documents: document i of query q is at each position, r = 0.9, 0.7, 0.5,
# 0.3, 0.1, theta = 1, 1/2, 1/4, 1/8, 1/16, and the clicks are those expected of 80,000 impressions.
world() {
    echo "qid doc position impressions clicks" | tr ' ' '\t'
    awk 'BEGIN {
        for (q = 1; q <= 3; q++) for (d = 1; d <= 5; d++) for (k = 1; k <= 5; k++)
            printf "q%d\td%d\t%d\t80000\t%.0f\n", q, d, k, 80000 * (1.1 - d / 5) / 2 ^ (k - 1)
    }'
}

world_candidates() {
    awk 'BEGIN { for (q = 1; q <= 3; q++) for (d = 1; d <= 5; d++) print 0, "qid:q" q, "1:" (q * d) % 4, "2:" 6 - d, "# d" d }' |
        svm2bin
}

# thetas COLUMN < table: a column, rounded to 3 places.
column() {
    awk -F '\t' -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { printf "%.3f ", $at }'
}

# A simulated log: a ranker, a tenth of the lists random, examination 1/k.
simulate() {
    awk '{ print $0 " # d" NR }' "$ROOT/examples/data/small.svm" | svm2bin >q.bin
    replay -n 8 q.bin | update -a listnet -m old.bin
    replay -n "$1" -s 1 q.bin | score -m old.bin | explore -p uniform -g 0.1 | feedback-mask -c perfect -L 4 >seen.bin
    bin2txt -f log seen.bin | awk -F '\t' 'BEGIN { OFS = FS } NR > 1 { x = (x * 16807 + NR) % 2147483647; $5 = $5 && x / 2147483647 < 1 / $4 } 1' >log.tsv
    log2bin log.tsv <q.bin >log.bin
}

# ---- what it finds ----

@test "both methods find the examination and the relevance by which the clicks were made" {
    world >counts
    for method in joint fixed; do
        judge -a $method -e table counts < <(world_candidates) >judged.bin
        is "$(column examination <table)" '1.000 0.500 0.250 0.125 0.062 '
        is "$(column fixed <table)" '1.000 0.500 0.250 0.125 0.062 '
        is "$(values_of label <judged.bin | awk '{ printf "%.2f ", $1 }')" \
            '0.90 0.70 0.50 0.30 0.10 0.90 0.70 0.50 0.30 0.10 0.90 0.70 0.50 0.30 0.10 '
        is "$(cut -f 1,8-10 table | sed 1d | tr '\t' ' ')" '1 1200000 600000 15
2 1200000 300000 15
3 1200000 150000 15
4 1200000 75000 15
5 1200000 37500 15'
    done
}

@test "-t gives the examination; the table of -e is one" {
    world >counts
    world_candidates >c.bin
    judge -e table counts <c.bin >one.bin
    judge -t table counts <c.bin >two.bin
    is "$(values_of label <two.bin | awk '{ printf "%.2f ", $1 }')" "$(values_of label <one.bin | awk '{ printf "%.2f ", $1 }')"
    # every position examined alike: the relevance is the share of clicks, (1 + 1/2 + ... + 1/16) / 5
    printf '%s\n' '1 1' '2 1' '3 1' '4 1' '5 1' >flat
    judge -t flat -e table-2 counts <c.bin >flat.bin
    is "$(values_of label <flat.bin | awk 'NR == 1 { printf "%.2f", $1 / 0.3875 }')" 0.90
    is "$(column examination <table-2)" '1.000 1.000 1.000 1.000 1.000 '
    is "$(column fixed <table-2)" '1.000 0.500 0.250 0.125 0.062 '
    head -n 3 flat >short
    fails_on c.bin 1 'judge: the log has 5 positions, and the table short has 3*' judge -t short counts
}

@test "-l writes ln(1 + 1000 relevance)" {
    world >counts
    judge -0 counts >plain.bin
    judge -0 -l counts >logs.bin
    paste <(values_of label <plain.bin) <(values_of label <logs.bin) |
        awk '{ off = log(1 + 1000 * $1) - $2 } off * off > 1e-12 { exit 1 }'
}

@test "a document that was never shown is judged by its features, without them by the mean" {
    world | awk -F '\t' '!($1 == "q2" && $2 == "d1")' >counts
    judge counts < <(world_candidates) >judged.bin
    [ "$(values_of label <judged.bin | wc -l)" = 15 ]
    bin2txt judged.bin | awk '/qid:q2/ && / # d1$/ { exit !($1 > 0.6 && $1 < 1.2) }'
    judge -0 counts >bare.bin
    [ "$(values_of label <bare.bin | wc -l)" = 14 ]
}

@test "clicks of the log give better lists than the ranker that it has" {
    simulate 4000
    judge <log.bin >judged.bin
    bin2txt judged.bin | sort -k 2,2 -s >by-qid
    # judgements as scores of the same queries, against the labels
    paste -d ' ' <(bin2txt judged.bin | awk '{ print $2, $NF, $1 }' | sort) <(bin2txt q.bin | awk '{ print $2, $NF, $1 }' | sort) |
        awk '$1 != $4 || $2 != $5 { exit 1 } { print $6, $1, "1:" $3 }' | svm2bin >both.bin
    score -m <(echo 1 1 | weights2bin) <both.bin | explore | metric ndcg@10 | tail -n 1 | cut -f 2 >judged
    score -m old.bin <q.bin | explore | metric ndcg@10 | tail -n 1 | cut -f 2 >old
    paste judged old
    paste judged old | awk '{ exit !($1 > $2 + 0.05) }'
}

# ---- counts ----

@test "counts of shares add up, and give the bytes of one run over the log" {
    simulate 600
    judge <log.bin >one.bin
    for share in 0 1 2; do
        awk -v share=$share 'NR == 1 || $1 % 3 == share' log.tsv | log2bin -0 | judge -c >$share.counts
    done
    judge ./*.counts <q.bin >two.bin
    same one.bin two.bin
    judge -c ./*.counts >sum.counts
    judge -c <log.bin | same - sum.counts
    judge sum.counts <q.bin | same - one.bin
    log2bin -0 log.tsv | judge >bare.bin
    judge -0 2.counts 1.counts 0.counts | same - bare.bin
    loop 'log2bin -0 log.tsv | judge' | same - bare.bin
}

@test "-c prints the counts of each pair and position" {
    lines 'request qid doc position click' 'r1 b x 1 1' 'r1 b y 2 0' 'r2 a%_z x 1 0.5' 'r3 b x 1 0' 'r3 b y 2 1' 'r4 b y 1 1' >log
    log2bin -0 log | judge -c >counts
    is "$(tr '\t' ' ' <counts)" 'qid doc position impressions clicks
a%25_z x 1 1 0.5
b x 1 2 1
b y 1 1 1
b y 2 2 1'
}

@test "documents of later rounds follow, with their features" {
    printf '0 qid:a 1:1 # x\n0 qid:a 2:1 # y\n' | svm2bin >one.bin
    printf '0 qid:a 3:0.5 # z\n0 qid:a 1:1 # x\n' | svm2bin >two.bin
    lines 'request qid doc position click' 'r1 a x 1 1' 'r1 a y 2 0' >one.tsv
    lines 'request qid doc position click' 'r2 a z 1 1' 'r2 a x 2 1' >two.tsv
    { log2bin one.tsv <one.bin && log2bin two.tsv <two.bin; } | judge 2>/dev/null | bin2txt | cut -d ' ' -f 2- >got
    is "$(cat got)" 'qid:a 1:1 2:0 3:0 # x
qid:a 1:0 2:1 3:0 # y
qid:a 1:0 2:0 3:0.5 # z'
}

@test "rounds without names: documents are known by their features" {
    small_text | svm2bin >q.bin
    score -m <(echo 1 1 | weights2bin) <q.bin | explore | feedback-mask -k 10 >seen.bin
    judge -c <seen.bin >counts
    is "$(sed 1d counts | cut -f 2 | grep -cx 'f:[0-9a-f]\{16\}:0')" 7
    judge <seen.bin >judged.bin 2>/dev/null
    judge counts <q.bin 2>/dev/null | same - judged.bin
    is "$(bin2txt -f head judged.bin | grep -c name)" 0
}

@test "rounds of one query with names and without are refused: one document would be two" {
    printf '%s\n' '1 qid:a 1:1 # x' '0 qid:a 1:2 # y' '1 qid:b 1:1' '0 qid:b 1:2' | svm2bin >q.bin
    score -m <(echo 1 1 | weights2bin) <q.bin | explore | feedback-mask -k 2 |
        LC_ALL=C sed 's/qid=b/qid=a/' >seen.bin
    for words in "" -c; do
        # shellcheck disable=SC2086 # none is a word
        fails_on seen.bin 1 'judge: <stdin>: round 2 (qid a): its documents have no names, and those of an earlier round of the qid have some: they cannot be compared' \
            judge $words
    done
}

# ---- warnings and refusals ----

@test "it warns where positions share no document, and by fixed it is an error" {
    lines 'request qid doc position click' 'r1 a x 1 1' 'r1 a y 2 1' 'r2 b x 1 0' 'r2 b y 2 0' >log
    log2bin -0 log >log.bin
    judge <log.bin 2>err >judged.bin
    is "$(cat err)" 'judge: position 2 shares no document with position 1, directly or through others: its examination is known by the features alone'
    fails_on log.bin 1 'judge: position 2 shares no document with position 1*use -a joint' judge -a fixed
}

@test "it warns where the logging ranker knew what the features do not" {
    # 300 queries of two documents, relevance 0.9 or 0.1; the better one is first in 8 of 10 lists.
    {
        echo "qid doc position impressions clicks" | tr ' ' '\t'
        awk 'BEGIN { for (q = 1; q <= 300; q++) for (d = 1; d <= 2; d++) for (k = 1; k <= 2; k++) {
            n = d == k ? 80 : 20
            x = (x * 16807 + q) % 2147483647
            printf "q%d\td%d\t%d\t%d\t%d\n", q, d, k, n, n * (d == 1 ? .9 : .1) / k + x / 2147483647 } }'
    } >counts
    judge -0 -e table counts 2>err >judged.bin
    [[ $(cat err) == 'judge: examination of position 2 is '*' by joint and 0.5'*' by fixed, '*' standard errors apart: the logging ranker may know what the features do not; use -a fixed, or -t' ]]
    # with a feature that says which it is, the two agree
    awk 'BEGIN { for (q = 1; q <= 300; q++) for (d = 1; d <= 2; d++) print 0, "qid:q" q, "1:" d, "# d" d }' | svm2bin >c.bin
    judge counts <c.bin 2>err >judged.bin
    is "$(cat err)" ''
}

@test "documents with counts that are not among the candidates are left out, and counted" {
    world >counts
    world_candidates | bin2txt | grep -v 'q3.*d5' | svm2bin | judge counts >judged.bin 2>err
    is "$(cat err)" 'judge: left out 1 of 15 counted documents, which are not among the candidates'
    [ "$(values_of label <judged.bin | wc -l)" = 14 ]
}

@test "candidates of other queries than the counts are refused, not left out" {
    world >counts
    echo "0 qid:1 1:1 # d1" | svm2bin >others.bin
    fails_on others.bin 1 'judge: none of the 3 queries with counts is among the candidates: both must have the same qids (-0 judges without candidates)' \
        judge counts
    [ ! -s out ]
}

@test "an empty file of counts is refused: its share was not counted" {
    world >counts
    : >none
    for words in "-0" "-c"; do
        # shellcheck disable=SC2086 # none is a word
        fails 1 'judge: none: empty, without even the first line of counts: count this share again' \
            judge $words counts none
    done
}

@test "a log from which nothing can be judged is refused" {
    lines 'request qid doc position click' 'r1 a x 1 0' 'r1 a y 2 0' >log
    log2bin -0 log >log.bin 2>/dev/null
    fails_on log.bin 1 'judge: no clicks: nothing can be judged by this log' judge
    lines 'qid doc position impressions clicks' 'a x 2 5 1' >counts
    fails 1 'judge: no clicks at position 1*' judge -0 counts
    small_text | svm2bin >q.bin
    fails_on q.bin 1 'judge: <stdin>: round 1 (qid a): needs seen, the clicks*' judge
    [ ! -s out ]
    printf 'rankpipe/1 end rounds=0 bytes=0\n' >empty
    fails_on empty 1 'judge: <stdin>: no rounds' judge
    lines 'qid doc position impressions clicks' 'a x 1 1 1e30' 'a x 2 1 1e30' >counts
    judge -0 counts >large.bin
    bin2txt -f check large.bin
    { lines 'request qid doc position click' && lines 'r1 a x 1 3e38' 'r2 a x 1 3e38' 'r2 a y 2 1e38'; } >log
    log2bin -0 log >huge.bin
    printf '1 1e-6\n2 1\n' >table
    fails_on huge.bin 1 'judge: document 0 of qid a has the relevance 3e+44: its clicks are too large' judge -t table
}

@test "a file of counts that is wrong is refused, with its line" {
    small_text >text
    fails 1 "judge: text: line 1: not the first line of counts*" judge -c text
    head=$(lines 'qid doc position impressions clicks')
    for wrong in 'a x 1 5:5 fields' 'a x 0 5 1:position' 'a x 1000001 5 1:position' 'a x 1 0 1:impressions' 'a x 1.5 5 1:whole' 'a x 1 5 -1:number' 'a x 1 -5 1:whole' ' x 1 5 1:qid'; do
        { echo "$head" && lines "${wrong%:*}"; } >counts
        fails 1 "judge: counts: line 2: *" judge -c counts
    done
    fails 1 'judge: cannot open nothing: *' judge -0 nothing
}

@test "the seed changes the standard errors and nothing else" {
    simulate 300
    judge -e one.tsv <log.bin >one.bin 2>/dev/null
    judge -s 2 -e two.tsv <log.bin >two.bin 2>/dev/null
    same one.bin two.bin
    same <(cut -f 1,2,4,6,8- one.tsv) <(cut -f 1,2,4,6,8- two.tsv)
    ! cmp -s one.tsv two.tsv
    judge -e again.tsv <log.bin 2>/dev/null | same - one.bin
    same one.tsv again.tsv
}
