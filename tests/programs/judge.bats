#!/usr/bin/env bats
# judge: judgements from clicks. tests/exact/judgements.c checks the mathematics.

load ../helper

# lines TEXT...: a tab for each space, a line for each argument.
lines() {
    printf '%s\n' "$@" | tr ' ' '\t'
}

# world [KAPPA]: a log of 3 queries of 5 documents: document i of query q is at each position, r = 0.9,
# 0.7, 0.5, 0.3, 0.1, theta = 1, .6, .36, .216, .1296, and the clicks are those expected of 100,000
# impressions. In half of those below position 1 a higher one was clicked. With a kappa theta is 1; of
# seven in eight a higher one was clicked, which multiplies the clicks by kappa.
world() {
    echo "qid doc position impressions clicks after after-clicks values" | tr ' ' '\t'
    awk -v kappa="${1:-1}" -v flat="$#" 'BEGIN {
        for (q = 1; q <= 3; q++) for (d = 1; d <= 5; d++) for (k = 1; k <= 5; k++) {
            below = k == 1 ? 0 : flat ? 87500 : 50000
            r = (1.1 - d / 5) * (flat ? 1 : .6 ^ (k - 1))
            after = below * r * kappa
            clicks = sprintf("%.0f", (100000 - below) * r + after)
            printf "q%d\td%d\t%d\t100000\t%s\t%d\t%.0f\t%s\n", q, d, k, clicks, below, after, clicks
        } }'
}

# labels < judged.bin: with 2 places
labels() {
    values_of label | awk '{ printf "%.2f ", $1 }'
}

RELEVANCE='0.90 0.70 0.50 0.30 0.10 0.90 0.70 0.50 0.30 0.10 0.90 0.70 0.50 0.30 0.10 '

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

@test "it finds the examination and the relevance by which the clicks were made" {
    world >counts
    judge -e table counts < <(world_candidates) >judged.bin
    is "$(column examination <table)" '1.000 0.600 0.360 0.216 0.130 '
    is "$(column first <table | cut -d ' ' -f 1)" '1.000'
    is "$(labels <judged.bin)" "$RELEVANCE"
    is "$(cut -f 1,5-9 table | sed 1d | tr '\t' ' ')" '1 1500000 750000 15 0 0
2 1500000 450000 15 750000 225000
3 1500000 270000 15 750000 135000
4 1500000 162000 15 750000 81000
5 1500000 97200 15 750000 48600'
    # The clicks of a pair are multinomial with probabilities p as theta. So the errors are those of the
    # inverse of 1729200 (diag(p) - p p'): 1/1729200 (1/p_2 + 1/p_1), p_2 being 450000/1729200.
    awk -F '\t' 'NR == 3 { off = $3 / $2 / sqrt(1 / 450000 + 1 / 750000) - 1; exit !(off * off < 1e-6) }' table
}

@test "users who stop at clicks: what is below a click counts by as much as it is examined" {
    for kappa in 0 0.4; do
        world $kappa >counts
        judge -e table counts < <(world_candidates) >judged.bin 2>err
        is "$(column examination <table)" '1.000 1.000 1.000 1.000 1.000 '
        is "$(labels <judged.bin)" "$RELEVANCE"
        [[ $(cat err) == "judge: users stop at clicks: a click above multiplies the chance of a click by "* ]]
        grep -q "by $kappa\|by [0-9.]*e-0[67]" err
    done
    # known examination goes with users who stop, too
    judge -t table counts < <(world_candidates) 2>err | labels >got
    is "$(cat got)" "$RELEVANCE"
    judge -t table -e again counts < <(world_candidates) >judged.bin 2>err
    is "$(column error <again)$(column first <again)" '0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 ' # of -
    is "$(sed -n 2p again | cut -f 3,4)" "-	-"
}

@test "in doubt users stop at clicks" {
    world 0.75 >counts
    judge -0 counts 2>err >judged.bin
    [[ $(cat err) == *'users stop at clicks: a click above multiplies the chance of a click by 0.75 (ln -0.288, error 0.00'*'); there are too few queries to compare' ]]
    # theta below a click is 3/4 of what it is: both forms explain it, and neither is ahead by two errors
    for q in 1 2 3 4; do world 0.75 | sed "1d; s/^q/q$q/"; done | cat <(world | head -n 1) - >twelve
    judge -0 twelve 2>err >judged.bin
    [[ $(cat err) == *'; on 2 queries left out, not stopping is ahead by -'*', error '* ]]
}

@test "without requests that have no click kappa is not believed, and users are taken to stop" {
    lines 'request qid doc position click' 'r1 a x 1 1' 'r1 a y 2 1' 'r2 a y 1 0' 'r2 a x 2 1' >log
    log2bin -0 log | judge 2>err >judged.bin
    [[ $(sed -n 1p err) == 'judge: users are taken to stop at clicks: the log has no requests without a click'* ]]
    { cat log && lines 'r3 a x 1 0' 'r3 a y 2 0'; } | log2bin -0 | judge 2>err >judged.bin
    [[ $(sed -n 1p err) == 'judge: users '*'stop at clicks: a click above multiplies'* ]]
}

@test "documents that moved correct what no feature says" {
    # 300 queries of two documents, relevance 0.9 or 0.1; the better one is first in 8 of 10 lists.
    {
        world | head -n 1
        awk 'BEGIN { for (q = 1; q <= 300; q++) for (d = 1; d <= 2; d++) for (k = 1; k <= 2; k++) {
            n = d == k ? 160 : 40; m = k == 1 ? 0 : n / 2; c = n * (d == 1 ? .9 : .1) / k
            printf "q%d\td%d\t%d\t%d\t%d\t%d\t%d\t%d\n", q, d, k, n, c, m, (k == 1 ? 0 : c / 2), c } }'
    } >counts
    judge -0 -e table counts 2>err >judged.bin
    awk -F '\t' 'NR == 3 { off = $2 - 0.5; exit !(off ^ 2 < 1e-8 && $4 < 0.49) }' table
}

@test "-t gives the examination; the table of -e is one" {
    world >counts
    world_candidates >c.bin
    judge -e table counts <c.bin >one.bin
    judge -t table counts <c.bin >two.bin
    is "$(labels <two.bin)" "$(labels <one.bin)"
    # every position examined alike: the relevance is the share of clicks, (1 + .6 + ... + .1296) / 5
    printf '%s\n' '1 1' '2 1' '3 1' '4 1' '5 1' >flat
    judge -t flat -e table-2 counts <c.bin >flat.bin
    is "$(values_of label <flat.bin | awk 'NR == 1 { printf "%.2f", $1 / 0.46112 }')" 0.90
    is "$(column examination <table-2)" '1.000 1.000 1.000 1.000 1.000 '
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

@test "-c prints the counts of each pair and position; a value above 0 is one click" {
    lines 'request qid doc position click' 'r1 b x 1 1' 'r1 b y 2 0' 'r1 b z 3 1' 'r2 a%_z x 1 0.5' 'r3 b x 1 0' 'r3 b y 2 1' 'r3 b z 3 0' 'r4 b y 1 1' >log
    log2bin -0 log | judge -c >counts
    is "$(tr '\t' ' ' <counts)" 'qid doc position impressions clicks after after-clicks values
a%25_z x 1 1 1 0 0 0.500000
b x 1 2 1 0 0 1
b y 1 1 1 0 0 1
b y 2 2 1 1 0 1
b z 3 2 1 2 1 1'
}

@test "values of clicks add up, exactly; a line without them has as many as clicks" {
    awk 'BEGIN { print "request\tqid\tdoc\tposition\tclick"; for (i = 1; i <= 9; i++) print "r" i "\tb\tx\t1\t0.2" }' >log
    log2bin -0 log | judge -c >counts
    is "$(sed 1d counts)" "$(lines 'b x 1 9 9 0 0 1.800000')"
    { world | head -n 1 | cut -f 1-7 && lines 'b x 1 5 3 0 0' 'b y 2 5 3 0 0 0.7'; } >more
    is "$(judge -c more counts | sed 1d)" "$(lines 'b x 1 14 12 0 0 4.800000' 'b y 2 5 3 0 0 0.700000')"
    # grades are no clicks: whatever they are, one counts 1
    printf '0.5 qid:a 1:1 # x\n' | svm2bin | explore -g 1 | feedback-mask | judge -c | sed 1d >grade
    is "$(cat grade)" "$(lines 'a x 1 1 1 0 0 1')"
}

@test "the relevance is that of the clicks' values; theta and who stops are those of clicks" {
    # given theta, six clicks of a half judge as three
    awk 'BEGIN { OFS = "\t"; for (d = 1; d <= 4; d++) for (k = 1; k <= 2; k++)
        print "q" d % 2, "d" d, k, 100, 6 * d * k, (k > 1) * 50, (k > 1) * 3 * d * k, 3 * d * k }' >lines
    { world | head -n 1 && cat lines; } >half
    { world | head -n 1 && awk -v OFS='\t' '{ $5 /= 2; $7 = int($7 / 2); $8 = $5; print }' lines; } >three
    printf '1 1\n2 0.5\n' >table
    judge -0 -t table half >half.bin 2>err
    judge -0 -t table three 2>err | same - half.bin
    # with all values alike, the table of examination is that of the clicks
    awk -F '\t' -v OFS='\t' 'NR > 1 { $8 = $5 } { print }' half >whole
    judge -0 -e half.table half >half.bin 2>err
    judge -0 -e whole.table whole >whole.bin 2>err
    same half.table whole.table
    ! cmp -s half.bin whole.bin
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

@test "it warns of positions that no document's move says anything of" {
    lines 'request qid doc position click' 'r1 a x 1 1' 'r1 a y 2 1' 'r1 a z 3 0' 'r2 b x 1 0' 'r2 b y 2 0' 'r2 b z 3 0' >log
    log2bin -0 log >log.bin
    judge -e table <log.bin 2>err >judged.bin
    is "$(sed 1d err)" 'judge: position 2 to 3: hardly a document was shown there and elsewhere: the examination is known by the features alone'
    # half a click where there is none, whose error is not known
    is "$(awk -F '\t' 'NR == 4 { print $3, ($2 > 0) }' table)" '- 1'
    head -n 4 log | log2bin -0 | judge 2>err >judged.bin
    is "$(sed 1d err)" 'judge: position 2 to 3: hardly a document was shown there and elsewhere: taken as examined down to the first click'
}

# clicks_by FEATURES: counts of 60 queries of 3 documents, whose relevance is 0.1, 0.3 or 0.5 by the document, in
# all orders alike; and candidates whose only feature is a function of q and d.
clicks_by() {
    { world | head -n 1
      awk 'BEGIN { for (q = 1; q <= 60; q++) for (d = 1; d <= 3; d++) for (k = 1; k <= 3; k++)
        printf "q%d\td%d\t%d\t60\t%d\t%d\t%d\t%d\n", q, d, k, 60 * (d / 5 - .1), (k > 1 ? 30 : 0), (k > 1 ? 30 * (d / 5 - .1) : 0), 60 * (d / 5 - .1) }'; } >counts
    awk "BEGIN { for (q = 1; q <= 60; q++) for (d = 1; d <= 3; d++) print 0, \"qid:q\" q, \"1:\" $1, \"# d\" d }" | svm2bin >c.bin
}

@test "it says whether what it learnt predicts the clicks of other queries" {
    clicks_by d
    judge counts <c.bin 2>err >judged.bin
    figures() { sed -nE '2s/^judge: gain -?[0-9]+\.[0-9]{4}, error [0-9]+\.[0-9]{4}: //p' err | sed 's/[0-9]*\.[0-9]*/N/g'; }
    is "$(figures)" 'what judge learnt predicts clicks on other queries: compare it with the old one before it is used (a click, over the order that users saw, on 12 queries left out)'
    clicks_by '(q * q * 7 + d * 3) % 11'
    judge counts <c.bin 2>err >judged.bin
    [[ $(figures) == 'cannot tell whether what judge learnt predicts clicks on other queries: compare it with the old one before it is used ('* ]]
    # of the queries left out, which are every fifth, the best documents are the worst
    clicks_by d
    sed 1d counts | cut -f 1 | LC_ALL=C sort -u | awk 'NR % 5 == 0' >left
    awk -F '\t' -v OFS='\t' 'NR == FNR { left[$1]; next } $1 in left { $2 = "d" 4 - substr($2, 2) } { print }' left counts >turned
    judge turned <c.bin 2>err >judged.bin
    [[ $(figures) == 'what judge learnt does not predict clicks on other queries: keep the old ranker ('* ]]
    # without features there is nothing to tell
    judge -0 counts 2>err >judged.bin
    is "$(wc -l <err)" 1
}

@test "documents with counts that are not among the candidates are left out, and counted" {
    world >counts
    world_candidates | bin2txt | grep -v 'q3.*d5' | svm2bin | judge counts >judged.bin 2>err
    is "$(head -n 1 err)" 'judge: left out 1 of 15 counted documents, which are not among the candidates'
    [ "$(values_of label <judged.bin | wc -l)" = 14 ]
}

@test "candidates of other queries than the counts are refused, not left out" {
    world >counts
    echo "0 qid:1 1:1 # d1" | svm2bin >others.bin
    fails_on others.bin 1 'judge: none of the 3 queries with counts, such as q1, is among the candidates, such as 1: both must have the same qids (-0 judges without candidates)' \
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
    { world | head -n 1 && lines 'a x 2 5 1 0 0 1'; } >counts
    fails 1 'judge: no clicks at position 1*' judge -0 counts
    small_text | svm2bin >q.bin
    fails_on q.bin 1 'judge: <stdin>: round 1 (qid a): needs seen, the clicks*' judge
    [ ! -s out ]
    printf 'rankpipe/1 end rounds=0 bytes=0\n' >empty
    fails_on empty 1 'judge: <stdin>: no rounds' judge
}

@test "a log of clicks alone is refused, whatever is asked" {
    lines 'request qid doc position click' 'r1 a x 1 1' 'r1 a y 2 1' 'r2 a y 1 1' >log
    log2bin -0 log >log.bin
    judge -c <log.bin >counts
    printf '1 1\n2 1\n' >table
    for words in '' '-t table' '-e new' '-l'; do
        # shellcheck disable=SC2086 # none is a word
        fails_on log.bin 1 'judge: all documents shown were clicked on: a log of clicks alone, which lacks what users passed over: log2bin -r adds it from the old ranker'"'"'s run (rankpipe-logs(7))' judge $words
        # shellcheck disable=SC2086
        fails 1 'judge: all documents shown were clicked on*' judge -0 $words counts
    done
    [ ! -e new ]
}

@test "a file of counts that is wrong is refused, with its line" {
    small_text >text
    fails 1 "judge: text: line 1: not the first line of counts*" judge -c text
    lines 'qid doc position impressions clicks' >counts
    fails 1 'judge: counts: line 1: not the first line of counts, which judge -c writes: count this share again*' judge -c counts
    for wrong in 'a x 1 5:5 fields' 'a x 0 5 1 0 0 1:position' 'a x 1000001 5 1 0 0 1:position' 'a x 1 0 1 0 0 1:impressions' 'a x 1.5 5 1 0 0 1:whole' 'a x 1 5 -1 0 0 1:number' 'a x 1 -5 1 0 0 1:whole' ' x 1 5 1 0 0 1:qid'; do
        { world | head -n 1 && lines "${wrong%:*}"; } >counts
        fails 1 "judge: counts: line 2: *" judge -c counts
    done
    # impressions, clicks, after, after-clicks, values
    for wrong in '5 1:5 fields, not 7 or 8' '5 1 0 0 1.5:more than its clicks*' '5 1 0 0 -1:not a number*' '5 1 0 0 1 1:9 fields*' '5 1.5 0 0 1:not a whole*' '5 6 0 0 1:more clicks*' '5 1 6 0 1:more clicks*' '5 2 1 2 1:more clicks*' '5 1 2 2 1:more clicks*' '5 4 2 0 1:more clicks*'; do
        { world | head -n 1 && lines "a x 2 ${wrong%:*}"; } >counts
        fails 1 "judge: counts: line 2: ${wrong#*:}*" judge -c counts
    done
    fails 1 'judge: cannot open nothing: *' judge -0 nothing
}
