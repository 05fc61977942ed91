# metric ips:M and snips:M: what another ranking would have scored, from a log's own probabilities.
load ../helper

# The made-up queries; two models, one that logs and one that is judged.
models() {
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
    update -a squared -e 1e-5 -m log.w <q.bin
    update -a listnet -T 240 -m other.w <q.bin
}

# last ARGUMENTS: of the rounds on stdin the last row of metric, without its t.
last() {
    metric "$@" | tail -n 1 | cut -f 2- | tr '\t' ' '
}

# one_round KEY...: a round of three documents; document 2 was shown and found relevant, the greedy
# order was 0 1 2, and the ranking to be judged is 1 2 0.
one_round() {
    mkstream round t=1 docs=3 dim=0 "$@" score:f8 1 3 2 order:u4 2 0 1 \
        greedy:u4 0 1 2 seen:f4 2
}

@test "one round by hand: the gain at the other ranking's place, over the probability" {
    one_round gamma=0.5 >s # pi is 0.5 / 3; G(2) is 3, D(2) 0.6309298
    [ "$(last ips:dcg ips:dcg@2 <s)" = "11.35674 nan 11.35674 nan nan nan nan nan" ]
    [ "$(last -G lin ips:dcg <s)" = "7.571157 nan nan nan" ]
    [ "$(last -D letor ips:dcg <s)" = "18 nan nan nan" ]
    [ "$(last ips:prec@2 ips:p@2 ips:p@10 <s | cut -d ' ' -f 1-6)" = "6 nan 3 nan 0.6 nan" ]
    [ "$(last ips:sumloss <s)" = "24 nan nan nan" ] # 2 * 2 * 6
    # a over b is the gain; c is 1 + 0.6309298 + 0.5, 2, 2 (of 10) and 1 + 2 + 3
    [ "$(last snips:dcg snips:prec@2 snips:p@10 snips:sumloss <s | cut -d ' ' -f 1-8)" = "6.392789 nan 2 nan 0.3 nan 12 nan" ]
    # nothing seen weighs anything
    [ "$(last ips:dcg@1 snips:dcg@1 <s)" = "nan nan nan nan nan nan nan nan" ]
    one_round gamma=1 >s
    [ "$(last ips:dcg <s)" = "5.678368 nan nan nan" ]
}

# judged WANT POLICY [OPTION...]: ips:dcg of one round under the policy.
judged() {
    local want=$1
    shift
    is "$(last -x "$@" ips:dcg <s 2>/dev/null | cut -d ' ' -f 1)" "$want"
}

@test "-x: one round by hand: the mean weight of the positions that the policy gives the document" {
    one_round gamma=0.5 rival:f8 1 2 3 >s # document 2, with the gain 3 and pi = 1/6, is second by score
    judged 11.35674 greedy
    judged 12.07116 uniform,gamma=0.5 # (D(2) + (1 + D(2) + D(3)) / 3) / 2
    judged 12.78558 uniform,gamma=1
    judged 11.35674 uniform
    judged 12.78558 top,gamma=1 # first, or behind document 1 or 0 and 1
    judged 14.67837 swap,gamma=1 # first or second
    judged 11.35674 swap,gamma=1,places=3 # nothing below
    judged 10.17837 slot,places=2,gamma=1 # second, or third
    judged 11.35674 slot # the page has ten places
    judged 12.40577 plackett-luce # p is e, e^3, e^2 over their sum
    judged 11.35674 plackett-luce,temperature=1e-3
    is "$(last -x plackett-luce ips:prec@1 <s 2>/dev/null | cut -d ' ' -f 1)" 1.468371
    mkstream round t=1 docs=3 dim=0 gamma=0.5 score:f8 1 3 2 worth:f8 0 0 9 index:f8 0 0 9 order:u4 2 0 1 \
        greedy:u4 0 1 2 seen:f4 2 >s
    judged 18 worth # on top
    judged 18 index
    judged 13.57116 index,gamma=1 # on top in one of three rounds, second in the others
}

@test "-x greedy changes no byte, -x needs its columns, and a temperature that is too small is refused" {
    models
    score -m log.w <q.bin | explore -g 0.3 | feedback-mask -k 3 | score -m other.w >s
    for options in "" -q -r "-G lin"; do
        # shellcheck disable=SC2086
        metric $options ips:dcg@10 dr:prec@3 <s >want
        # shellcheck disable=SC2086
        metric $options -x greedy ips:dcg@10 dr:prec@3 <s >have
        same have want
    done
    fails_on s 1 'metric: <stdin>: round 1 (qid q1): -x worth needs the column worth, which score -m adds for some learners: *' \
        metric -x worth ips:dcg
    fails_on s 1 'metric: <stdin>: round 1 (qid q1): -x index needs the column index, *' metric -x index ips:dcg
    fails_on s 1 'metric: <stdin>: round 1 (qid q1): score * is *, too large for temperature 1e-310: use a larger one' \
        metric -x plackett-luce,temperature=1e-310 ips:dcg
    # a policy judged by its own log
    score -m log.w <s | metric -x uniform,gamma=0.3 -q snips:prec@1 | awk 'NR > 1 { b += $4 / $5 }
        END { exit !(b / (NR - 1) > 0.7 && b / (NR - 1) < 1.3) }'
}

# The README of ../shared/data has the figures, from another program.
@test "Open Bandit: a log of random items estimates another policy, and one item first" {
    need_data obd
    awk -F '\t' 'NR > 1 { printf "0 qid:slot%s 1:%.9g 2:%d # i%s\n", $1, log($3), $2 == 13, $2 }' \
        "$DATA/obd/bts-target.tsv" | svm2bin >candidates.bin
    awk -F , -v OFS='\t' '
        NR == 1 { print "request", "qid", "doc", "position", "click", "propensity"; next }
        { print NR - 1, "slot" $3, "i" $2, 1, $4, $5 }' "$DATA/obd/random-men.csv" >log.tsv
    log2bin log.tsv <candidates.bin >log.bin
    echo 1 1 | weights2bin >target.w
    score -m target.w <log.bin | last -x plackett-luce ips:prec@1 snips:prec@1 2>err >row
    is "$(awk '{ printf "%.6f %.6f %.6f\n", $1, $2, $3 }' row)" '0.004540 0.001182 0.004610'
    is "$(cut -d ' ' -f 5- row)" 'nan nan nan nan'
    is "$(cat err)" 'metric: prec@1: no interval of 95 % yet: it needs 20 rounds that explored and have feedback above 0 on a document that is lifted, and the log has 13: log more rounds, or explore more'
    echo 2 1 | weights2bin >first.w
    score -m first.w <log.bin | last ips:prec@1 snips:prec@1 | awk '{ printf "%.4f %.6f\n", $1, $3 }' >row
    is "$(cat row)" '0.0034 0.003663'
}

@test "where all is seen, or never masked, both are the measure itself, to all digits" {
    models
    score -m other.w <q.bin | explore >truth.bin
    score -m log.w <q.bin | explore -g 0.3 | feedback-mask -k all | score -m other.w >s
    score -m other.w <q.bin >labels.bin
    for M in dcg dcg@10 dcg@1 prec@5 p@5 p@30 sumloss; do
        for options in "" "-G lin" "-D letor"; do
            metric $options -r "$M" <truth.bin | tail -n +2 >want
            for file in s labels.bin truth.bin; do
                metric $options -r "ips:$M" <$file | tail -n +2 | cut -f 1-3 >have
                same have want
            done
            metric $options "$M" <truth.bin | tail -n +2 >want
            metric $options "snips:$M" <s | tail -n +2 | cut -f 1,2 >have
            same have want
        done
        [ "$(last "ips:$M" <s | cut -d ' ' -f 2)" = "$(last "snips:$M" <s | cut -d ' ' -f 2)" ]
    done
}

@test "ties rank as explore shows them by default, or in file order: where all is seen, ips is the measure" {
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
    mkstream model learner=fixed rounds=0 dim=1 w:f8 0 >zero
    score -m zero <q.bin >tied.bin
    explore -g 0.3 -s 8 <tied.bin | feedback-mask -k all >s
    for options in "" "-o"; do
        for M in dcg@3 prec@1 sumloss; do
            # shellcheck disable=SC2086
            explore $options <tied.bin | metric -r "$M" | tail -n +2 >want
            for file in s tied.bin; do
                # shellcheck disable=SC2086
                metric $options -r "ips:$M" <$file | tail -n +2 | cut -f 1-3 >have
                same have want
            done
            tail -n 1 want
        done
    done | sort -u >ends
    [ "$(wc -l <ends)" = 6 ] # in file order it is another one
}

@test "the standard error of ips is that of the mean of each round's estimate" {
    models
    score -m log.w <q.bin | explore -g 0.5 | feedback-mask -k 2 | score -m other.w >s
    for M in dcg@10 p@3 sumloss; do
        metric -r -e 1 "ips:$M" <s | awk '
            NR > 1 { x[++n] = $2 - was; was = $2 }
            END {
                for (i in x) mean += x[i] / n
                for (i in x) squares += (x[i] - mean) ^ 2
                printf "%.6g %.6g\n", mean, sqrt(squares / (n - 1) / n)
            }' >want
        metric "ips:$M" <s | awk 'END { printf "%.6g %.6g\n", $2, $3 }' >have
        same have want
    done
}

# With labels of 1 alone, what ips adds is what snips divides by.
@test "snips is a ratio of means, and its standard error that of the ratio, linearised" {
    models
    sed 's/^[0-9]*/1/' "$ROOT/examples/data/small.svm" | svm2bin >ones.bin
    for queries in q ones; do
        score -m log.w <$queries.bin | explore -g 0.5 | feedback-mask -k 2 | score -m other.w >$queries.s
    done
    for M in dcg@10 p@3 sumloss; do
        metric -r -e 1 "ips:$M" <q.s | tail -n +2 >a
        metric -r -e 1 "ips:$M" <ones.s | tail -n +2 >b
        score -m other.w <ones.bin | explore | metric -r -e 1 "$M" | tail -n +2 >c
        paste a b c | awk '
            { n++; a[n] = $2 - A; b[n] = $6 - B; c[n] = $10 - C; A = $2; B = $6; C = $10 }
            END {
                for (i in a) {
                    e[i] = C / B * (a[i] - A / B * b[i]) + A / B * c[i]
                    mean += e[i] / n
                }
                for (i in e) squares += (e[i] - mean) ^ 2
                printf "%.6g %.6g\n", A * C / B / n, sqrt(squares / (n - 1) / n)
            }' >want
        metric "snips:$M" <q.s | awk 'END { printf "%.6g %.6g\n", $2, $3 }' >have
        same have want
    done
}

# covered LOGS LOGGED MODEL MEASURE: of so many logs of the scored rounds LOGGED, gamma 0.2, one
# answer each, how many of a hundred have the truth about MODEL within two standard errors of ips, of
# snips; and how far the mean of ips is from it, in standard errors of that mean.
covered() {
    local truth seed
    truth=$(score -m "$3" <"$2" | explore | last "$4")
    for seed in $(seq "$1"); do
        explore -g 0.2 -s "$seed" <"$2" | feedback-mask -k 1 | score -m "$3" | last "ips:$4" "snips:$4"
    done | awk -v truth="$truth" '
        function within(x, se) { return (x - truth) ^ 2 <= 4 * se ^ 2 }
        { ips += within($1, $2); snips += within($3, $4); sum += $1; squares += ($1 - truth) ^ 2 }
        END { print 100 * ips / NR, 100 * snips / NR, (sum / NR - truth) / sqrt(squares) * NR }'
}

# at_least PERCENT COVERED: of both, and without bias.
at_least() {
    echo "ips $2 %, snips $3 %, bias $4 standard errors"
    awk -v least="$1" -v ips="$2" -v snips="$3" -v bias="$4" \
        'BEGIN { exit !(ips >= least && snips >= least && bias ^ 2 < 9) }'
}

# 91 is three standard deviations below the 95.4 of a normal law.
@test "the truth is within two standard errors as often as it should be, and ips has no bias" {
    in_release
    models
    replay -n 4000 -s 7 q.bin | score -m log.w >scored.bin
    at_least 91 $(covered 200 scored.bin other.w dcg@10)
}

# metric(1) has the table; here 60 logs, of which at least 47 are to be right.
@test "MQ2008: intervals of 95 % hold the truth in nine of ten logs, of labels and of clicks" {
    in_release
    need_data MQ2008
    cat "$DATA"/MQ2008/S[1-5].txt | svm2bin >q.bin
    svm2bin "$DATA/MQ2008/S1.txt" | update -a squared -T 784 -m log.w
    update -a listnet -T 784 -m other.w <q.bin
    score -m log.w -R other.w <q.bin >both.bin
    for feedback in 3 clicks; do
        for target in greedy slot score:uniform,gamma=0.2; do
            "$ROOT/build/tests/exact/coverage" both.bin 60 0.2 $feedback $target 3000
        done
    done >table
    cat table
    awk '$1 == 1000 || $1 == 3000 { n++; bad += $6 < 60 || $8 < 78 } END { exit !(n == 36 && bad == 0) }' table
}

# Of 400 logs it is 96 of a hundred, for both.
@test "MQ2008: the truth is within two standard errors in 95 of 100 logs" {
    in_release
    need_data MQ2008
    cat "$DATA"/MQ2008/S[1-5].txt | svm2bin >q.bin
    svm2bin "$DATA/MQ2008/S1.txt" | update -a squared -T 784 -m log.w
    update -a listnet -T 784 -m other.w <q.bin
    replay -n 10000 -s 7 q.bin | score -m log.w >scored.bin
    at_least 95 $(covered 100 scored.bin other.w dcg@10)
}

@test "the table: a column for the error, nan while there is none, and -t passes the rounds on" {
    models
    score -m log.w <q.bin | explore -g 0.2 | feedback-mask -k 3 | score -m other.w >s
    metric -t table -e 100 ips:dcg@10 snips:dcg@10 <s >passed
    same passed s
    head -n 1 table | tr '\t' ' ' >have
    echo "t ips:dcg@10 ips:dcg@10:se snips:dcg@10 snips:dcg@10:se ips:dcg@10:low ips:dcg@10:high snips:dcg@10:low snips:dcg@10:high" >want
    same have want
    [ "$(cut -f 1 table | xargs)" = "t 100 200 240" ]
    metric -e 1 ips:p@1 <s | sed -n 2p | cut -f 3 >have
    [ "$(cat have)" = nan ]
    metric -r ips:dcg@10 map < <(score -m other.w <q.bin | explore) | head -n 1 | tr '\t' ' ' >have
    echo "t ips:dcg@10:sum ips:dcg@10:count ips:dcg@10:spread map:sum map:count" >want
    same have want
    loop "score -m other.w <s | metric ips:dcg@10" >have
    metric ips:dcg@10 <s >want
    same have want
}

@test "the log's order and probabilities count, not the scores that it was shown by" {
    models
    score -m log.w <q.bin | explore -g 0.2 | feedback-mask -k 1 >s
    score -m other.w <s >once
    score -m log.w <once | score -m other.w >twice
    metric ips:dcg@10 <once >want
    metric ips:dcg@10 <twice >have
    same have want
    metric ips:dcg@10 <s >own
    run ! same own want
}

@test "rounds that nobody can judge by are an error" {
    models
    score -m log.w <q.bin >scored
    explore -g 0.2 <scored | feedback-mask -k 1 >s
    explore -g 1 <q.bin | feedback-mask -k 1 >unscored
    fails_on unscored 1 "metric: <stdin>: round 1 (qid q1): snips:dcg needs score: put score -m, \
with the model to be evaluated, before metric" metric snips:dcg
    sed 's/^[0-9]*/?/' "$ROOT/examples/data/small.svm" | svm2bin -u | score -m log.w >unasked
    fails_on unasked 1 "metric: <stdin>: round 1 (qid q1): ips:dcg needs seen or label: put feedback-mask or feedback-join *" metric ips:dcg
    explore <scored | feedback-mask -k 1 >certain
    fails_on certain 1 "*ips:dcg needs gamma to learn from partial feedback (1 of 21 *add -g to explore*" metric ips:dcg
    mkstream round t=1 docs=2 dim=0 gamma=0 score:f8 1 2 order:u4 0 1 seen:f4 1 >zero
    fails_on zero 1 "*with gamma=0, nothing is learnt about documents that are never shown*" metric ips:dcg
    synth -n 20 noisy-binary >game
    update -a ftpl -m list.w <game
    score -m list.w <game | explore -p blocks -T 20 | feedback-mask >blocks
    fails_on blocks 1 "*explore -p blocks drew the order (block=), *" metric ips:dcg
    fails_on s 1 "*needs label: put metric before feedback-mask" metric ips:dcg dcg
}

@test "labels or weights too large to be squared are an error" {
    mkstream round t=1 docs=2 dim=0 gamma=0.5 score:f8 1 2 order:u4 0 1 seen:f4 2000 >s
    fails_on s 1 "metric: <stdin>: round 1: dcg: this round adds inf, whose square is too large*-G lin*" \
        metric ips:dcg
    [ "$(last -G lin ips:dcg@1 <s)" = "nan nan nan nan" ]
    mkstream round t=1 docs=2 dim=0 gamma=1e-300 score:f8 1 2 order:u4 0 1 \
        greedy:u4 1 0 seen:f4 1 >s
    fails_on s 1 "*or its propensity is close to 0*" metric ips:dcg
}

@test "measures that no log can estimate: it says which it can, and why" {
    for who in ips snips; do
        for M in ndcg ndcg@10 map mrr err auc pairloss loss:kl regret:dcg ips:dcg "" pre; do
            fails 2 "metric: no measure '$who:$M': $who takes only dcg\[@k\], prec@k, sumloss, p@k, \
in which a document counts by its own label and position alone*" metric "$who:$M"
        done
        fails 2 "metric: measure p needs a cutoff*" metric $who:p
        fails 2 "metric: measure dcg@0: the cutoff *" metric $who:dcg@0
    done
    fails 2 "metric: -r prints sums, but snips:dcg@10 is a ratio of means: use ips:dcg@10*" metric -r snips:dcg@10
}

# certain N, fed N: N rounds of two documents; document 1 is second in the log and first in the other
# ranking. It is not seen, or seen by chance and relevant.
certain() {
    local t
    for t in $(seq "$1"); do printf '+ round t=%d docs=2 dim=0 gamma=0.25 score:f8 1 2 order:u4 0 1 seen:f4 0 ' "$t"; done
}
fed() {
    local t
    for t in $(seq "$1"); do printf '+ round t=%d docs=2 dim=0 gamma=0.25 score:f8 1 2 order:u4 1 0 greedy:u4 0 1 seen:f4 1 ' $((100 + t)); done
}
stream() {
    # shellcheck disable=SC2046,SC2048,SC2086
    set -- $*
    shift
    mkstream "$@"
}

@test "nothing is known until something was seen, and no interval is printed until 20 rounds were" {
    stream "$(certain 15)" >s
    is "$(last ips:prec@1 snips:prec@1 snips:dcg@1 <s 2>err)" "$(yes nan | head -n 12 | paste -sd ' ')"
    is "$(cat err)" "$(printf 'metric: %s: nothing seen: no document that counts in it has feedback above 0: log more rounds, or explore more\n' prec@1 dcg@1)"
    # pi is 0.25 / 2
    stream "$(certain 15) $(fed 1)" >s
    is "$(last ips:prec@1 <s 2>err)" '0.5 0.5 nan nan'
    is "$(cat err)" 'metric: prec@1: no interval of 95 % yet: it needs 20 rounds that explored and have feedback above 0 on a document that is lifted, and the log has 1: log more rounds, or explore more
metric: prec@1: round 101 has 100 % of all weight: this round decides the estimate'
    for n in 19 20; do
        stream "$(certain 15) $(fed $n)" >s
        last ips:prec@1 snips:prec@1 <s 2>err.$n >row.$n
    done
    is "$(cut -d ' ' -f 5- row.19)" 'nan nan nan nan'
    [[ "$(cut -d ' ' -f 5- row.20)" != *nan* ]]
    grep -q 'it needs 20 rounds .* and the log has 19:' err.19
    is "$(cat err.20)" ''
    # a document that the log shows first is not lifted to the second position
    for t in $(seq 25); do
        printf '+ round t=%d docs=2 dim=0 gamma=0.25 score:f8 2 1 order:u4 1 0 greedy:u4 1 0 seen:f4 1 ' "$t"
    done >words
    stream "$(cat words)" >s
    is "$(last ips:dcg <s 2>err | cut -d ' ' -f 3,4)" 'nan nan'
    grep -q 'and the log has 0:' err
    # one that is shown in half of the rounds is not shown seldom
    for pi in 0.49 0.5; do
        mkstream round t=1 docs=1 dim=0 score:f8 1 order:u4 0 seen:f4 0 propensity:f8 $pi | last ips:prec@1 2>/dev/null
    done >rows
    is "$(cat rows)" "$(printf 'nan nan nan nan\n0 nan nan nan')"
    # of a ranking that shows what the log shows enough is known
    mkstream round t=1 docs=2 dim=0 gamma=0.25 score:f8 2 1 order:u4 0 1 seen:f4 1 + round t=2 docs=2 dim=0 gamma=0.25 \
        score:f8 2 1 order:u4 0 1 seen:f4 0 >s
    [[ "$(last ips:prec@1 <s 2>err)" != *nan* ]]
    is "$(cat err)" ''
    # and where all labels are known; an error of 0 is none
    mkstream round t=1 docs=1 dim=0 score:f8 1 label:f4 0 + round t=2 docs=1 dim=0 score:f8 1 label:f4 0 >s
    is "$(last ips:prec@1 <s 2>err)" '0 nan nan nan'
    is "$(cat err)" ''
}

# ---- clicks ----

# clicked: a round of three documents, whose greedy order is 0 1 2 and that is ranked 1 2 0; 2 0 were seen.
clicked() {
    mkstream round t=1 docs=3 dim=1 "$@" score:f8 1 3 2 order:u4 2 0 1 greedy:u4 0 1 2 seen:f4 1 0 x:f4 1 0 3
}

@test "-p: one round by hand: a click over its expected examination" {
    printf '1 1\n2 .5\n' >theta
    clicked gamma=0.4 >s
    # document 2 is at position 3 of the greedy order, and at 1 or 2 of a random one: pi = .4 (1 + .5) / 3 = .2
    # D(2) / pi; b has document 2 with theta 1 and 0 at D(3) with .5 / (.6 + .2); c is all of D
    awk 'BEGIN { D2 = log(2) / log(3); a = D2 / .2; b = a + .5 * .5 / .8; c = 1 + D2 + .5
        printf "%.7g nan nan nan 1 0 %.7g nan nan nan 1 0\n", a, a * c / b }' >want
    is "$(last -p theta ips:dcg snips:dcg <s)" "$(cat want)"
    # the first round of dr expects nothing of any document
    is "$(last -p theta dr:dcg <s)" "$(cut -d ' ' -f 1-6 want)"
    metric -p theta ips:dcg <s 2>err >table
    head -n 1 table | tr '\t' ' ' >head
    is "$(cat head)" 't ips:dcg ips:dcg:se ips:dcg:low ips:dcg:high ips:dcg:rounds ips:dcg:unsupported'
    is "$(cat err)" 'metric: 1 rounds: in logs of fewer than 20000, intervals of 95 % from the rounds alone cover the truth in 85 to 93 % of cases; these are widened by the model of clicks, see metric(1)
metric: dcg: no interval of 95 % yet: it needs 20 rounds that explored and have feedback above 0 on a document that is lifted, and the log has 1: log more rounds, or explore more'
    # a logged propensity is the expected examination; b counts what it supports
    mkstream round t=1 docs=3 dim=0 score:f8 1 3 2 order:u4 2 0 1 seen:f4 1 0 propensity:f8 0.2 0.8 >p
    awk 'BEGIN { D2 = log(2) / log(3); printf "%.7g\n", D2 / .2 }' >want
    is "$(last -p theta ips:dcg <p | cut -d ' ' -f 1)" "$(cat want)"
}

@test "-p: the interval is 1.96 standard errors, and dr uses what rounds before taught it" {
    models
    awk 'BEGIN { for (k = 1; k <= 10; k++) print k, 1 / k }' >theta
    replay -n 400 -s 1 q.bin | score -m log.w | explore -p uniform -g 0.5 | feedback-mask -c position |
        score -m other.w >s
    metric -p theta ips:dcg@10 snips:dcg@10 dr:dcg@10 <s 2>err | tail -n 1 >row
    awk '{ for (m = 0; m < 3; m++) { c = 2 + 6 * m; d = 1.959964 * $(c + 1)
            for (s = -1; s <= 1; s += 2) { e = $(c + 2 + (s > 0)) - $c - s * d; if (e * e > 1e-12) exit 1 } }
        exit !($6 > 100 && $6 < 400 && $7 == 0 && $15 < $3 && $14 > 0) }' row
    # pipes and loop, features spliced or not
    metric -t table -p theta dr:dcg@10 <s 2>/dev/null >passed
    same s passed
    cat s | metric -t again -p theta dr:dcg@10 2>/dev/null | cat >passed
    same s passed
    same table again
    loop '< s metric -p theta dr:dcg@10 > looped' 2>/dev/null
    same table looped
}

@test "a log without chance is noticed, and one that does not say how it was drawn is refused" {
    printf '1 1\n2 .5\n3 .3\n' >theta
    mkstream round t=1 docs=2 dim=0 gamma=0 score:f8 1 3 order:u4 1 0 seen:f4 1 0 >s
    metric -p theta ips:dcg <s 2>err >out
    grep -qF 'metric: nothing in this log was left to chance: the estimates rest on the table of examination' err
    # propensities of a log have six digits, as awk prints them
    printf '1 1\n2 0.4749477592850997\n' >theta.judge
    mkstream round t=1 docs=2 dim=0 score:f8 1 3 order:u4 1 0 seen:f4 1 0 propensity:f8 1 0.474948 >p
    metric -p theta.judge ips:dcg <p 2>err >out
    grep -qF 'metric: nothing in this log was left to chance: ' err
    mkstream round t=1 docs=2 dim=0 score:f8 1 3 order:u4 1 0 seen:f4 1 0 >s
    metric ips:dcg <s 2>err >out
    grep -qF 'metric: nothing in this log was left to chance, and seen has 0 and 1 alone: ' err
    fails_on s 1 'metric: <stdin>: round 1: ips:dcg needs to know how the order was drawn (gamma=, logit or propensity): *rankpipe-logs(7)*' \
        metric -p theta ips:dcg
    mkstream round t=1 docs=2 dim=0 score:f8 1 3 order:u4 1 0 seen:f4 2 0 >s
    metric ips:dcg <s 2>err >out
    [ ! -s err ] # labels, all of them
    fails 2 'metric: -p needs an estimate, such as snips:dcg@10*' metric -p theta dcg
    fails 1 'metric: cannot open nowhere: *' metric -p nowhere ips:dcg
    fails 2 "metric: no measure 'dr:ndcg': dr takes only dcg?@k?, prec@k, sumloss, p@k, *" metric dr:ndcg
    clicked gamma=0.4 >s
    printf '1 1\n' >short
    fails_on s 1 'metric: <stdin>: round 1: seen covers 2 places, and the table of examination has 1: *' metric -p short ips:dcg
}
