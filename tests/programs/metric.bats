# metric: measures against cases worked by hand, and what the program promises around them.
load ../helper

# A model whose score is the first feature itself.
write_model() {
    printf 'rankpipe/1 model learner=squared rounds=0 dim=1 cols=w:f8[1] bytes=8\n'
    printf '\000\000\000\000\000\000\360\077' # 1 as f8
    printf 'rankpipe/1 end rounds=1 bytes=0\n'
}

# queries QUERY...: SVM-light text; a query is "label:score ..." by document, numbered from 1.
queries() {
    local query document qid=0
    for query; do
        qid=$((qid + 1))
        for document in $query; do
            echo "${document%:*} qid:$qid 1:${document#*:}"
        done
    done
}

# scored QUERY..., shown QUERY...: the same as a stream; shown best score first.
scored() {
    write_model >w.bin
    queries "$@" | svm2bin | score -m w.bin
}

ties=
shown() {
    # shellcheck disable=SC2086 # no word, or one
    scored "$@" | explore $ties
}

# measured WANT ARGUMENTS QUERY...: the last row of `metric ARGUMENTS`, without its t.
measured() {
    local want=$1 arguments=$2 got
    shift 2
    # shellcheck disable=SC2086
    got=$(shown "$@" | metric $arguments | tail -n 1 | cut -f 2- | tr '\t' ' ')
    [ "$got" = "$want" ] && return
    echo "metric $arguments is $got, not $want, for: $*"
    return 1
}

# Three documents, shown with relevance 2 0 1 though they stand otherwise in the text.
A="0:2 1:1 2:3"

@test "dcg and ndcg: 2^R - 1, over log2(place + 1)" {
    measured 3.5 dcg "$A"         # 3/1 + 0 + 1/2
    measured 3.5 dcg@3 "$A"
    measured 3 dcg@2 "$A"
    measured 3 dcg@1 "$A"
    measured 0.9639404 ndcg "$A"  # of 2 1 0: 3/1 + 1/1.5849625 = 3.6309298
    measured 0.8262347 ndcg@2 "$A" # 3 / 3.6309298
    measured 1 ndcg@1 "$A"
    measured 1 ndcg "2:3 1:2 0:1"
    # 1 + 0.6309298 + 0.5 + 0.4306766 + 0.3868528
    measured 2.948459 dcg "1:5 1:4 1:3 1:2 1:1"
}

@test "map: the mean of the precisions at the relevant places" {
    measured 0.8333333 map "$A"             # (1/1 + 2/3) / 2
    measured 0.5 map "0:3 1:2 0:1"          # 1/2
    measured 1 map "1:3 2:2 0:1"
    measured 0.5888889 map "0:6 1:5 1:4 0:3 1:2 0:1" # (1/2 + 2/3 + 3/5) / 3
}

@test "p@k divides by k, prec@k is the count" {
    measured "1 0.5 0.6666667" "p@1 p@2 p@3" "$A"
    measured "1 1 2" "prec@1 prec@2 prec@3" "$A"
    measured "0 0.5" "p@1 p@2" "0:3 1:2 0:1"
}

@test "mrr: one over the first relevant place" {
    measured 1 mrr "$A"
    measured 0.5 mrr "0:3 1:2 0:1"
    measured 0.3333333 mrr "0:3 0:2 4:1"
}

@test "err: satisfied at a place, and not before" {
    # P = 3/16, 0, 1/16: 3/16 + 13/16 * 1/16 / 3
    measured 0.2044271 err "$A"
    measured 0.2044271 err@3 "$A"
    measured 0.1875 err@2 "$A"
    measured 0.1875 err@1 "$A"
    # top grade 2: P = 3/4, 0, 1/4: 3/4 + 1/4 * 1/4 / 3
    measured 0.7708333 "-L 2 err" "$A"
    # P = 15/16 twice: 15/16 + 1/16 * 15/16 / 2
    measured 0.9667969 err "4:2 4:1"
}

@test "auc: pairs of a relevant and an irrelevant document in the right order" {
    measured 0.5 auc "$A"                       # 0 before 1 is wrong, 2 before 0 right
    measured 1 auc "1:3 2:2 0:1"
    measured 0 auc "0:3 0:2 1:1"
    measured 0.5555556 auc "0:6 1:5 1:4 0:3 1:2 0:1" # 1 - (1 + 1 + 2) / (3 * 3)
}

@test "pairloss: pairs in the wrong order; sumloss: places times relevance" {
    measured 1 pairloss "$A"           # 0 before 1
    measured 3 pairloss "0:3 1:2 2:1"  # all three
    measured 2 pairloss "1:3 1:2 2:1"  # a tie of relevance is no wrong
    measured 0 pairloss "2:3 1:2 1:1"
    measured 5 sumloss "$A"            # 1*2 + 2*0 + 3*1
    measured 8 sumloss "0:3 1:2 2:1"   # 2*1 + 3*2
}

@test "loss:SURROGATE of scores 1 and 0 for relevance 0 and 1" {
    measured 2 loss:squared "0:1 1:0"          # 1^2 + 1^2
    measured 1.718282 loss:kl "0:1 1:0"        # (0-1-1 + e) + (e (1-1-0) + 1) = e - 1
    measured -0.2689414 "-E 1 loss:smoothdcg" "0:1 1:0"   # -1/(1 + e)
    measured -0.1192029 "-E 0.5 loss:smoothdcg" "0:1 1:0" # -1/(1 + e^2)
    measured -0.5198646 loss:smoothdcg "0:0.015625 2:0"   # epsilon 0.01: -3/(1 + e^1.5625)
    measured 2 loss:ranksvm "0:1 1:0"          # 1 + 1 - 0
    measured 0.5 loss:ranksvm "0:0 1:0.5"      # 1 + 0 - 0.5
    measured 0 loss:ranksvm "0:0 1:1"
    # 0.2689414 * 0.3132617 + 0.7310586 * 1.3132617
    measured 1.04432 loss:listnet "0:1 1:0"
    # place 2 has document 1: h is (1/e, 1) / (1 + 1/e); 1/(1 + e) + D(2) / (1 + 1/e)
    measured -0.730188 "-E 1 loss:smoothdcg@2" "0:1 1:0"
    measured -0.2689414 "-E 1 loss:smoothdcg@1" "0:1 1:0"
    measured 2 loss:squared-ndcg "0:1 2:0" # gains over 3: 0 and 1
    # Z = 3 + D(2) = 3.6309298: (1 - 1/Z)^2 + (3/Z)^2
    measured 1.207692 loss:squared-ndcg "1:1 2:0"
    measured 1 loss:squared-ndcg "0:1 0:0" # without a relevant document all gains are 0
}

@test "drawn: charges exploring rounds by scores drawn from [0,1] in the order shown" {
    queries "1:5 0:-3" | svm2bin >one
    scored "1:5 0:-3" >s
    explore <s | metric loss:squared drawn:loss:squared >table # nothing explored
    [ "$(tail -n 1 table)" = "1	25	25" ]
    # 1 + s_1 - s_0 is below 1 where document 0 is on top; the mean of the squares is 2/3
    for seed in $(seq 20); do
        replay -b "$seed" -n "$seed" s | explore -g 1 -s "$seed" >shown
        top=$(bin2txt -f rank shown | sed -n 1p | cut -f 4)
        metric drawn:loss:ranksvm <shown | tail -n 1 |
            awk -v top="$top" '{ ok = top == 0 ? $2 < 1 && $2 > 0 : $2 > 1 && $2 < 2 } END { exit !ok }'
    done
    replay -n 20000 s | explore -g 1 | metric drawn:loss:squared | tail -n 1 |
        awk '{ ok = $2 > 0.65 && $2 < 0.68 } END { exit !ok }'
    # half of the rounds explore: half of 25, and half of 2/3
    replay -n 20000 s | explore -g 0.5 | metric drawn:loss:squared | tail -n 1 |
        awk '{ ok = $2 > 12.6 && $2 < 13.1 } END { exit !ok }'
}

@test "drawn: wants a loss, and orders of the policy uniform" {
    scored "1:5 0:-3 0:2" >s
    explore -p top -k 1 -g 0.5 <s >shown
    fails_on shown 1 "metric: <stdin>: round 1 (qid 1): drawn:loss:kl needs orders drawn by explore -p uniform*" \
        metric drawn:loss:kl
    explore -p swap -k 1 -g 0.5 <s >shown
    fails_on shown 1 "metric: <stdin>: round 1 (qid 1): drawn:loss:kl needs orders drawn by explore -p uniform*" \
        metric drawn:loss:kl
}

@test "loss:SURROGATE is nothing where scores and relevance agree" {
    measured "0 0 0" "loss:squared loss:kl loss:ranksvm" "2:2 0:0"
    # listnet's least is the entropy: of 1/2 and 1/2, log 2
    measured 0.6931472 loss:listnet "3:1 3:1"
}

@test "loss:SURROGATE judges the scores, whatever was shown, and needs no order" {
    scored "0:1 1:0" >s
    metric loss:squared <s >table
    [ "$(tail -n 1 table)" = "1	2" ]
    explore -g 1 <s | metric loss:kl >table
    [ "$(tail -n 1 table)" = "1	1.718282" ]
    queries "0:1 1:0" | svm2bin | explore -g 1 >s
    fails_on s 1 "metric: <stdin>: round 1 (qid 1): loss:kl needs score: put score before metric" \
        metric loss:kl
}

@test "equal scores are judged in the order in which explore shows them" {
    ties=-o # in line order
    measured "0.5 0.5 0" "mrr map p@1" "0:1 1:1"
    measured "1 1 1" "mrr map p@1" "1:1 0:1"
    measured 0.3333333 mrr "0:1 0:1 1:1 1:1 0:0 1:-1"
    measured 0.25 mrr "1:-1 0:2 0:2 0:2 1:0" # shown 0 0 0 1 1
    measured 11 sumloss "0:1 1:2 0:1 0:2 2:1" # shown 1 0 0 0 2
}

@test "a list shorter than the cut: p@k divides by k all the same" {
    measured "0.4 0.2" "p@5 p@10" "$A"
    measured "2 2" "prec@5 prec@10" "$A"
    measured "0.9639404 3.5 0.2044271" "ndcg@10 dcg@10 err@10" "$A"
    measured "1 1 0.1" "ndcg@10 prec@10 p@10" "3:0.5"
}

@test "one document" {
    measured "1 1 1 1 1" "ndcg dcg map mrr p@1" "1:0.5"
    measured "0.0625 0.0625 1" "err err@1 prec@1" "1:0.5"
    measured "0 0 3" "auc pairloss sumloss" "3:0.5"
    measured "0 0 0 0 0 0 0 0 0" "ndcg dcg map mrr p@1 err auc pairloss sumloss" "0:0.5"
    measured "0.25 0" "loss:squared loss:ranksvm" "1:0.5"
    measured 0 loss:listnet "1:0.5"
}

@test "nothing to find or nothing to miss: 0, or by -z 1, or left out" {
    local none="0:2 0:1" all="1:2 1:1"
    measured "0 0 0 0" "ndcg ndcg@1 map mrr" "$none"
    measured "0 0 0 0" "-z 0 ndcg ndcg@1 map mrr" "$none"
    measured "1 1 1 1" "-z 1 ndcg ndcg@1 map mrr" "$none"
    measured "nan nan nan nan" "-z skip ndcg ndcg@1 map mrr" "$none"
    measured 0 auc "$none"
    measured 0 auc "$all"
    measured "1 1" "-z 1 auc map" "$all"
    measured "nan 1" "-z skip auc map" "$all"
    measured nan "-z skip auc" "$none"
}

@test "-z speaks of ndcg, map, mrr and auc alone: the others mean something" {
    measured "0 0 0 0 0 0" "-z 1 dcg p@1 prec@1 err pairloss sumloss" "0:2 0:1"
    measured "0 0 0 0 0 0" "-z skip dcg p@1 prec@1 err pairloss sumloss" "0:2 0:1"
    measured 0 "-z skip loss:squared" "0:0 0:0"
}

@test "-z in a mean: mrr of 1/2, none, and 1" {
    local q1="0:2 1:1" q2="0:2 0:1" q3="1:2 0:1"
    measured 0.5 mrr "$q1" "$q2" "$q3"                  # 1.5 / 3
    measured 0.8333333 "-z 1 mrr" "$q1" "$q2" "$q3"     # 2.5 / 3
    measured "0.75 0.3333333" "-z skip mrr p@1" "$q1" "$q2" "$q3" # 1.5 / 2; 1 / 3
    measured "1.5 2 1 3" "-r -z skip mrr p@1" "$q1" "$q2" "$q3"
    measured "2.5 3" "-r -z 1 mrr" "$q1" "$q2" "$q3"
    measured "0 0" "-r -z skip mrr" "$q2"
}

@test "relevance that is no whole number" {
    local q="0.5:3 2.25:2 0:1" # G = 2^0.5 - 1 = 0.4142136, 2^2.25 - 1 = 3.7568285, 0
    measured 2.784508 dcg "$q"       # 0.4142136 + 0.6309298 * 3.7568285
    measured 0.6929796 ndcg "$q"     # / (3.7568285 + 0.6309298 * 0.4142136)
    measured 1.919592 "-G lin dcg" "$q" # 0.5 + 0.6309298 * 2.25
    measured "1 5" "pairloss sumloss" "$q" # 0.5 + 2 * 2.25
    measured "1 1 1 2" "map mrr auc prec@3" "$q" # whatever is above 0 is relevant
    measured 0.1402499 err "$q"      # P = 0.0258884, 0.2348018: P1 + (1 - P1) P2 / 2
    measured "1 1" "mrr map" "0.001:2 0:1"
    # of the first 3 of 5, which are 2.25 2.25 1: (0.4142136 + 0.6309298 * 3.7568285 + 0.5 * 1)
    # / (1.6309298 * 3.7568285 + 0.5 * 1)
    measured 0.495616 ndcg@3 "0.5:5 2.25:4 1:3 2.25:2 0.5:1"
    measured 0.6931472 loss:listnet "0.5:1 0.5:1"
}

@test "-D letor: the first two places undiscounted, then 1/log2(place)" {
    measured "3.63093 0.9077324" "-D letor dcg ndcg" "$A" # 3 + 0 + 0.6309298; / (3 + 1)
    measured "3 3 0.75" "-D letor dcg@1 dcg@2 ndcg@2" "$A"
    # 1 + 1 + 0.6309298 + 0.5 + 0.4306766
    measured 3.561606 "-D letor dcg" "1:5 1:4 1:3 1:2 1:1"
    measured 3.5 "-D log dcg" "$A"
    # nothing else is discounted
    measured "0.8333333 0.2044271 5" "-D letor map err sumloss" "$A"
}

@test "-G lin: the gain is R, as in trec_eval" {
    measured "2.5 0.9502344" "-G lin dcg ndcg" "$A" # 2 + 0.5; / (2 + 0.6309298)
    measured 0.7601875 "-G lin ndcg@2" "$A"         # 2 / 2.6309298
    measured "2.63093 0.8769766" "-G lin -D letor dcg ndcg" "$A" # 2 + 0.6309298; / 3
    measured 3.5 "-G exp dcg" "$A"
    measured 0.2044271 "-G lin err" "$A" # err has a gain of its own
}

@test "err: a label above the top grade is an error that says -L" {
    shown "0:2 5:1" >s
    fails_on s 1 "metric: <stdin>: round 1 (qid 1): label 5 is above 4, the top grade for the measure err: set it with -L" metric err
    fails_on s 1 "*label 5 is above 4, the top grade *" metric err@1 # also past the cut
    measured 0.484375 "-L 5 err" "0:2 5:1" # 31/32 / 2
    measured 0.9375 "-L 4 err" "4:1"
    shown "4.5:1" >s
    fails_on s 1 "*label 4.5 is above 4, the top grade *" metric err
    metric ndcg <s # nothing else minds
}

@test "a gain past a double is an error that says -G lin" {
    shown "1:2 2000:1" >s
    fails_on s 1 "metric: <stdin>: round 1 (qid 1): *-G lin" metric dcg
    fails_on s 1 "metric: <stdin>: round 1 (qid 1): *-G lin" metric ndcg
    measured "1262.86 2" "-G lin dcg prec@2" "1:2 2000:1" # 1 + 2000 * 0.6309298
}

@test "a loss past a double is an error, no -nan or inf in the table" {
    shown "1000:1000" >s # e^1000 (R - 1 - s) + e^1000
    fails_on s 1 "metric: <stdin>: round 1 (qid 1): *" metric loss:kl
    shown "2000:0 0:0" >s # -2^2000 / 2
    fails_on s 1 "metric: <stdin>: round 1 (qid 1): *" metric loss:smoothdcg
}

@test "-q: t, qid, values and client, a line for each round; -i: as ir_measures has them" {
    local tab=$'\t'
    shown "$A" "0:3 1:2 0:1" "0:2 0:1" >s
    is "$(metric -q p@1 map <s)" "t${tab}qid${tab}p@1${tab}map${tab}client
1${tab}1${tab}1${tab}0.833333333333333${tab}-
2${tab}2${tab}0${tab}0.5${tab}-
3${tab}3${tab}0${tab}0${tab}-"
    is "$(metric -i p@1 map <s)" "1${tab}p@1${tab}1
1${tab}map${tab}0.833333333333333
2${tab}p@1${tab}0
2${tab}map${tab}0.5
3${tab}p@1${tab}0
3${tab}map${tab}0"
    [ "$(metric -q -z skip map p@1 <s | tail -n 1)" = "3${tab}3${tab}nan${tab}0${tab}-" ]
    # the mean of the lines is what metric prints without -q; the rounds go on with -t
    metric -q -t table dcg@2 <s >rounds
    same rounds s
    awk 'NR > 1 { sum += $3 } END { printf "%.7g\n", sum / 3 }' table >got
    metric dcg@2 <s | tail -n 1 | cut -f 2 >want
    same got want
    mkstream round t=7 client=ann docs=1 dim=0 label:f4 1 order:u4 0 | metric -q p@1 >got
    [ "$(tail -n 1 got)" = "7${tab}-${tab}1${tab}ann" ]
}

@test "-q: of estimates a; what has no value of one round is refused" {
    synth -n 200 -l 6 -d 4 linear >q.bin
    update -a listnet -m m.bin <q.bin
    score -m m.bin <q.bin | explore -g 0.5 | feedback-mask -k 1 >log
    for estimate in ips:dcg@3 dr:p@2; do
        metric -q "$estimate" <log | awk 'NR > 1 { sum += $3 } END { printf "%.6g\n", sum / (NR - 1) }' >got
        metric "$estimate" <log | tail -n 1 | awk '{ printf "%.6g\n", $2 }' >want
        same got want
    done
    # snips: A C / B of its three columns, of which a is that of ips
    metric -q snips:dcg@3 ips:dcg@3 <log >table
    is "$(head -n 1 table | tr '\t' ' ')" 't qid snips:dcg@3:a snips:dcg@3:b snips:dcg@3:c ips:dcg@3 client'
    awk 'NR > 1 { a += $3; b += $4; c += $5; bad += $3 != $6; n++ }
        END { if (bad) exit 1; printf "%.6g\n", a / n * c / b }' table >got
    metric snips:dcg@3 <log | tail -n 1 | awk '{ printf "%.6g\n", $2 }' >want
    same got want
    for options in '-q -i' '-q -r' '-i -e 5'; do
        # shellcheck disable=SC2086
        fails 2 'metric: -q and -i print every round*' metric $options ndcg
    done
}

@test "ips:, snips: and dr: judge the order that explore shows, also where ties are in the order of base" {
    mkstream round t=1 docs=4 dim=0 label:f4 0 1 3 0 base:u4 2 1 3 0 score:f8 1 1 1 2 | replay -n 30 - >in
    for options in '' -o; do
        want=$(explore <in | metric dcg@2 | tail -n 1 | cut -f 2) # 3 2 1 0
        for estimate in ips snips dr; do
            # shellcheck disable=SC2086
            is "$(metric $options $estimate:dcg@2 <in | tail -n 1 | cut -f 2)" "$want"
        done
    done
    awk -v got="$want" 'BEGIN { want = 7 * log(2) / log(3); exit !(got > want - 1e-6 && got < want + 1e-6) }'
}

# Chaudhuri and Tewari, Online Ranking with Top-1 Feedback, Table 1. A row is a ranking: the rank
# of object 1, of object 2, of object 3; a column is the relevance of objects 1, 2, 3.
table_1() {
    cat <<'TABLE'
    000 001 010 011 100 101 110 111
123 0 3 2 5 1 4 3 6
132 0 2 3 5 1 3 4 6
213 0 3 1 4 2 5 3 6
231 0 1 3 4 2 3 5 6
312 0 2 1 3 3 5 4 6
321 0 1 2 3 3 4 5 6
TABLE
}

@test "sumloss: the whole Table 1 of Chaudhuri and Tewari" {
    local relevances sigma losses r want=() rounds=()
    {
        read -ra relevances
        while read -r sigma losses; do
            # shellcheck disable=SC2206
            want+=($losses)
            for r in "${relevances[@]}"; do # the better the rank, the higher the score
                rounds+=("${r:0:1}:$((4 - ${sigma:0:1})) ${r:1:1}:$((4 - ${sigma:1:1})) \
                    ${r:2:1}:$((4 - ${sigma:2:1}))")
            done
        done
    } < <(table_1)
    [ "${#rounds[@]}" = 48 ]
    printf '%s\n' "${want[@]}" >want
    shown "${rounds[@]}" | metric -r -e 1 sumloss | # sums so far: the differences are the losses
        awk 'NR > 1 { print $2 - before; before = $2 }' >got
    same got want
}

# listed ROUND...: a fixed list of items; a round is "label ...:item ...", the items as shown.
listed() {
    local round words=() t=0
    for round; do
        t=$((t + 1))
        set -- ${round%:*}
        # shellcheck disable=SC2206
        words+=(round t=$t docs=$# dim=0 label:f4 "$@" order:u4 ${round#*:} +)
    done
    unset 'words[-1]'
    mkstream "${words[@]}"
}

# rows WANT ARGUMENTS ROUND...: all rows of `metric -e 1 ARGUMENTS`, each without its t.
rows() {
    local want=$1 arguments=$2 got
    shift 2
    # shellcheck disable=SC2086
    got=$(listed "$@" | metric -e 1 $arguments | awk 'NR > 1 { $1 = ""; print }' | xargs)
    [ "$got" = "$want" ] && return
    echo "metric $arguments is $got, not $want, for: $*"
    return 1
}

# Three items. Shown with labels 0 1 1, 1 0 0, 0 0 0 and 1 1 0; the sums of the labels become
# 1 0 1, 1 0 2, 1 0 2 and 2 1 2.
L=("1 0 1:1 0 2" "0 0 1:2 1 0" "0 0 0:0 2 1" "1 1 0:0 1 2")

# Two of graded labels, shown with 0 1 2 and 1 1 0.
M=("2 0 1:1 2 0" "0 1 1:1 2 0")

@test "regret: against the best fixed ranking of all rounds so far" {
    # had 5 6 6 9; least 1+2, 2+2, 2+2, 2+4+3
    rows "2 1 0.6666667 0" regret:sumloss "${L[@]}"
    # had 2 2 2 2; least 0, 0, 0 and 0+1+1
    rows "2 1 0.6666667 0" regret:pairloss "${L[@]}"
    # had 0 1 1 2; most 1, 2, 2 and 1 + 1/2 + 1/2
    rows "1 0.5 0.3333333 0" regret:auc "${L[@]}"
    # had 0 1 1 2 and 1 2 2 4; most 1 2 2 2 and 2 3 3 4
    rows "1 1 0.5 0.5 0.3333333 0.3333333 0 0" "regret:prec@1 regret:prec@2" "${L[@]}"
}

@test "regret: map is for at most 16 documents, and any labels" {
    # had (1/2 + 2/3) / 2 = 7/12, and (1/1 + 2/3) / 2 = 5/6; most 1 and 1 + 1
    rows "0.4166667 0.2916667" regret:map "0 1 1:0 1 2" "0 1 2:2 0 1"
    # one relevant item is last, then first: the best fixed ranking has it on top
    rows "0.6666667 0.3333333" regret:map "0 0 1:0 1 2" "0 0 1:2 0 1"
    # undefined without a relevant document
    rows "0 0" regret:map "0 0:0 1" "3 0:0 1"
    synth -n 3 -l 16 noisy-binary | explore -g 1 | metric regret:map >table
    synth -n 3 -l 17 noisy-binary | explore -g 1 >s
    fails_on s 1 "metric: <stdin>: round 1 (qid 1): the round has 17 documents, but regret:map takes at most 16*" \
        metric regret:map
}

@test "regret: of gains, by -G and -D" {
    # had 0.6309298 + 3/2, then 1 + 0.6309298 more; most 3 + 0.6309298, 3 + 2 * 0.6309298 + 1/2
    rows "1.5 0.5" regret:dcg "${M[@]}"
    rows "3 1" regret:dcg@1 "${M[@]}"     # had 0 1, most 3 3
    rows "2 0.5" "-G lin regret:dcg@1" "${M[@]}" # had 0 1, most 2 2
    rows "1 0.25" "-G lin regret:dcg" "${M[@]}"  # had 0.6309298 + 1; 2 + 2 * 0.6309298 + 1/2
    # had 1 + 3 * 0.6309298, and 1 + 1; most 3 + 1, and 3 + 2 + 0.6309298
    rows "1.107211 0.3690702" "-D letor regret:dcg" "${M[@]}"
    # gains 1 0 1/3, then 0 1 1: had 0 1, most 1 and 4/3
    rows "1 0.1666667" regret:ndcg@1 "${M[@]}"
    # gains by 3.6309298 and 1.6309298: had 0.5868827, and 1; most 1, and in the order 2 0 1
    # (0.2754116 + 0.6131472) + 0.6309298 * 0.8262347 + 0.6131472 / 2
    rows "0.4131173 0.06477285" regret:ndcg "${M[@]}"
}

@test "regret: below 0 where rankings that change do better than any fixed one" {
    rows "0 -0.5" regret:sumloss "1 0:0 1" "0 1:1 0" # had 1 2; least 1 3
    rows "0 -0.5" regret:auc "1 0:0 1" "0 1:1 0"     # had 1 2; most 1 1
}

@test "regret: a round that means nothing counts 0 for all rankings, whatever -z says" {
    local z none="0 0:0 1" all="1 1:0 1" wrong="1 0:1 0"
    for z in "" "-z 0" "-z 1" "-z skip"; do
        rows "1 1 1 2 1 3" "$z -r regret:auc" "$wrong" "$none" "$all"
        rows "0 1 1 2" "$z -r regret:ndcg@1" "$none" "$wrong"
    done
}

@test "regret: -r is t times the regret, and t; whole numbers are exact" {
    rows "2 1 2 2 2 3 0 4" "-r regret:sumloss" "${L[@]}"
    rows "2 1 1 1 2 2 1 2 2 3 1 3 0 4 0 4" "-r regret:pairloss regret:prec@1" "${L[@]}"
    listed "$M" | metric -r regret:sumloss regret:prec@2 >table
    [ "$(head -n 1 table)" = "$(printf 't\tregret:%s:sum\tregret:%s:count' \
        sumloss sumloss)$(printf '\tregret:prec@2:sum\tregret:prec@2:count')" ]
}

@test "regret: the same at a row whatever rows came before, and together with other measures" {
    local i list=()
    for i in $(seq 60); do
        list+=("$((i % 2)) $((i % 3 == 0)) 0 $((i % 5 == 0)):$((i % 4)) $(((i + 1) % 4)) $(((i + 2) % 4)) \
            $(((i + 3) % 4))")
    done
    listed "${list[@]}" >s
    metric regret:auc regret:ndcg@3 <s | tail -n 1 >want
    metric -e 1 regret:auc regret:ndcg@3 <s | tail -n 1 >got
    same got want
    metric -e 7 -t table ndcg@3 regret:auc regret:ndcg@3 auc <s >passed
    same passed s
    tail -n 1 table | cut -f 1,3,4 >got
    same got want
}

@test "regret: of a list that is not fixed is an error" {
    local list="needs a fixed list of items"
    listed "1 0 1:0 1 2" "1 0 0:0 1 2" "1 0:0 1" >s
    fails_on s 1 "metric: <stdin>: round 3: the round has 2 documents, but the first has 3, and \
regret:ndcg@10 $list" metric regret:ndcg@10
    listed "1 0:0 1" "1 0 0:0 1 2" >s
    fails_on s 1 "metric: <stdin>: round 2: the round has 3 documents, but the first has 2*" \
        metric regret:sumloss
    shown "$A" >s
    fails_on s 1 "metric: <stdin>: round 1 (qid 1): dim=1, but regret:prec@1 $list (dim=0)" \
        metric regret:prec@1
    printf '1 qid:a\n0 qid:a\n1 qid:b\n0 qid:b 1:1\n' | svm2bin -u -d 1 | explore -g 1 >s
    fails_on s 1 "metric: <stdin>: round 1 (qid a): dim=1, but *" metric regret:dcg
}

@test "regret: pairloss and auc are for labels 0 and 1" {
    local M
    listed "1 0 1:0 1 2" "0 0 2:0 1 2" >s
    for M in pairloss auc; do
        fails_on s 1 "metric: <stdin>: round 2: label 2 is 2, but regret:$M needs labels 0 and 1 \
(regret:sumloss takes any)" metric "regret:$M"
        metric "$M" <s
    done
    listed "0.5 0:0 1" >s
    fails_on s 1 "metric: <stdin>: round 1: label 0 is 0.5, but regret:auc *" metric regret:auc
}

@test "regret: gains past a double are an error that says -G lin, past the cut and in sum, too" {
    listed "0 2000:0 1" >s # what was shown is worth 0
    fails_on s 1 "metric: <stdin>: round 1: labels are so large*-G lin" metric regret:dcg@1
    listed "1023 0:0 1" "1023 0:0 1" >s # 2^1023 twice
    fails_on s 1 "metric: <stdin>: round 2: labels are so large*-G lin" metric regret:dcg
    listed "2000 0:0 1" >s
    fails_on s 1 "metric: <stdin>: round 1: a label is so large*-G lin" metric regret:dcg
    rows 0 "-G lin regret:dcg@1" "2000 0:0 1"
}

@test "regret: needs labels and an order as its measure does" {
    listed "1 0:0 1" | feedback-mask >s
    fails_on s 1 "metric: <stdin>: round 1: needs label: *" metric regret:ndcg@10
    mkstream round t=1 docs=2 dim=0 label:f4 1 0 >s
    fails_on s 1 "metric: <stdin>: round 1: needs order: *" metric regret:ndcg@10
}

@test "a round that one measure cannot take counts for no measure" {
    shown "0:2 1:1" "0:2 1:1" "5:1 0:0" >s # mrr 1/2 1/2 1
    fails_on s 1 "*round 3 (qid 3): label 5 is above 4, the top grade *" metric -r -e 10 mrr err
    [ "$(tail -n 1 out)" = "$(printf '2\t1\t2\t0.0625\t2')" ]
    listed "0 1:0 1" "0 1:0 1" "2 0:0 1" >s # the least of sumloss 1 2
    fails_on s 1 "*round 3: label 0 is 2, *" metric -r -e 10 mrr regret:sumloss regret:auc
    [ "$(tail -n 1 out)" = "$(printf '2\t1\t2\t2\t2\t2\t2')" ]
}

@test "the order shown is judged, not the scores" {
    local i q=()
    for i in $(seq 40); do
        q+=("$((i % 3)):4 1:3 0:2 $((i % 2)):1")
    done
    scored "${q[@]}" | explore -g 1 >random
    shown "${q[@]}" >by_score
    # the places and labels that bin2txt prints, added up
    bin2txt -f rank random | awk '
        $3 == 1 { found = 0 }
        { sumloss += $3 * $6 }
        $6 > 0 && !found { found = 1; mrr += 1 / $3 }
        END { printf "%.7g\t%.7g\n", sumloss / 40, mrr / 40 }' >want
    metric sumloss mrr <random | tail -n 1 | cut -f 2- >got
    same got want
    metric sumloss mrr <by_score | tail -n 1 | cut -f 2- >other
    run ! same other want
}

# many N: N queries, the mrr of the i-th being 1/2 where 3 divides i, else 1.
many() {
    local i q=()
    for i in $(seq "$1"); do
        [ $((i % 3)) = 0 ] && q+=("0:2 1:1") || q+=("1:2 0:1")
    done
    shown "${q[@]}"
}

@test "rows at 1, 2, 5, 10, 20, 50 ... rounds, and the last" {
    many 120 >s
    metric mrr <s >table
    printf 't\tmrr\n1\t1\n2\t1\n5\t0.9\n10\t0.85\n20\t0.85\n50\t0.84\n' >want
    printf '100\t0.835\n120\t0.8333333\n' >>want
    same table want
}

@test "a last row that was due is printed once" {
    many 100 | metric mrr | tail -n 2 | cut -f 1 | tr '\n' ' ' >rows
    [ "$(cat rows)" = "50 100 " ]
    many 1 | metric mrr >table
    [ "$(cat table)" = "$(printf 't\tmrr\n1\t1')" ]
}

@test "-e: a row every so many rounds, and the last" {
    many 10 >s
    [ "$(metric -e 4 mrr <s | cut -f 1 | tr '\n' ' ')" = "t 4 8 10 " ]
    [ "$(metric -e 5 mrr <s | cut -f 1 | tr '\n' ' ')" = "t 5 10 " ]
    [ "$(metric -e 100 mrr <s | cut -f 1 | tr '\n' ' ')" = "t 10 " ]
    [ "$(metric -e 1 mrr <s | wc -l)" = 11 ]
}

@test "a row has its round's own number" {
    many 12 >s
    replay -b 5 s | explore -f | metric -e 4 mrr >table
    [ "$(cut -f 1 table | tr '\n' ' ')" = "t 8 12 " ]
}

@test "-r: sums with all their digits, and counts" {
    shown "0:3 0:2 1:1" "0:3 0:2 1:1" "1:2 0:1" | metric -r mrr p@3 sumloss >table
    {
        printf 't\tmrr:sum\tmrr:count\tp@3:sum\tp@3:count\tsumloss:sum\tsumloss:count\n'
        printf '1\t0.33333333333333331\t1\t0.33333333333333331\t1\t3\t1\n'
        printf '2\t0.66666666666666663\t2\t0.66666666666666663\t2\t6\t2\n'
        printf '3\t1.6666666666666665\t3\t1\t3\t7\t3\n'
    } >want
    same table want
}

@test "a column for each measure, in the order named, twice if named twice" {
    shown "$A" | metric p@1 map p@1 "loss:kl" ndcg@10 >table
    [ "$(head -n 1 table)" = "$(printf 't\tp@1\tmap\tp@1\tloss:kl\tndcg@10')" ]
    [ "$(tail -n 1 table | cut -f 2-4)" = "$(printf '1\t0.8333333\t1')" ]
}

@test "-t: the table goes to a file, and the stream passes unchanged" {
    many 120 >s
    metric -r ndcg@10 mrr <s >want
    metric -r -t table ndcg@10 mrr <s >passed
    same passed s
    same table want
    echo "a longer table of some other day, which is written over" >>table
    metric -r -t table ndcg@10 mrr <s >passed
    same table want
}

@test "-t: rows are there to be read while the stream goes on" {
    many 2 >s
    bytes=$(wc -c <s)
    end=$(printf 'rankpipe/1 end rounds=2 bytes=0\n' | wc -c)
    {
        head -c $((bytes - end)) s
        for _ in $(seq 100); do
            grep -q '^2' table 2>/dev/null && echo yes >early && break
            sleep 0.1
        done
        tail -c "$end" s
    } | timeout 60 metric -t table mrr >passed
    same passed s
    [ "$(cat early)" = yes ]
}

@test "queries without labels and masked queries have different messages" {
    shown "$A" | feedback-mask >s
    fails_on s 1 "metric: <stdin>: round 1 (qid 1): needs label: put metric before feedback-mask" \
        metric ndcg@10
    echo "? qid:1 1:1" | svm2bin -u | explore -g 1 >s
    fails_on s 1 "metric: <stdin>: round 1 (qid 1): needs label: this query has no labels" metric map
}

@test "without an order it says who makes one" {
    scored "$A" >s
    fails_on s 1 "metric: <stdin>: round 1 (qid 1): needs order: put explore before metric*" \
        metric ndcg@10
    fails_on s 1 "*needs order: put explore before metric*" metric loss:kl ndcg@10
}

@test "the table has the rounds before an error" {
    { shown "1:2 0:1" "0:2 1:1" "0:2 1:1"; shown "1:1" | feedback-mask; } >s
    fails_on s 1 "metric: <stdin>: round 1 (qid 1): needs label*" metric mrr
    [ "$(tail -n 1 out)" = "$(printf '3\t0.6666667')" ]
}

@test "a stream cut short: the table has the whole rounds before the cut, exit 1" {
    many 3 >whole
    head -c 400 whole >s
    fails_on s 1 "metric: <stdin>: *cut short after round *" metric mrr
    [ "$(head -n 2 out)" = "$(printf 't\tmrr\n1\t1')" ]
    fails_on s 1 "metric: <stdin>: *cut short after round *" metric -t table mrr
    [ "$(head -n 2 table)" = "$(printf 't\tmrr\n1\t1')" ]
}

@test "names that are not measures are refused" {
    local measure
    for measure in NDCG ndcg10 precision ndcg@10x x loss "" p@ ndcg@; do
        fails 2 "metric: *measure*usage: metric *" metric "$measure"
    done
}

@test "measures that have no regret: it says which have, and why" {
    local measure
    for measure in mrr err err@3 p@3 step:slam regret:dcg "" nDCG nd map@3 mapp; do
        fails 2 "metric: no measure 'regret:$measure': regret takes dcg\[@k\], ndcg\[@k\], \
prec@k, sumloss; pairloss, auc if all labels are 0 or 1; and map for lists of at most 16 documents*usage: metric *" \
            metric "regret:$measure"
    done
}

@test "values that are not cutoffs are refused" {
    local measure
    for measure in p prec; do
        fails 2 "metric: measure $measure needs a cutoff*" metric "$measure"
    done
    for measure in map mrr auc pairloss sumloss; do
        fails 2 "metric: measure $measure@3: $measure takes no cutoff*" metric "$measure@3"
    done
    for measure in ndcg@0 ndcg@-1 ndcg@1.5 ndcg@x dcg@ err@01 p@99999999999 prec@+1 "p@ 1"; do
        fails 2 "metric: measure $measure: the cutoff must be a whole number from 1*" metric "$measure"
    done
}

@test "an empty stream has no rounds" {
    printf 'rankpipe/1 end rounds=0 bytes=0\n' >s
    fails_on s 1 "metric: <stdin>: no rounds" metric ndcg@10
    [ ! -s out ]
    fails_on s 1 "metric: <stdin>: no rounds" metric -t table ndcg@10
    same out s
}

@test "a table that cannot be written is an error" {
    [ -c /dev/full ] || skip "no /dev/full here"
    many 3 >s
    fails_on s 1 "metric: cannot write /dev/full: No space left on device" \
        metric -t /dev/full ndcg@10
    fails_on s 1 "metric: cannot write no/such/table: No such file or directory" \
        metric -t no/such/table ndcg@10
    local got=0
    metric ndcg@10 <s >/dev/full 2>err || got=$?
    [ "$got" = 1 ]
    [ "$(cat err)" = "metric: cannot write <stdout>: No space left on device" ]
}

@test "rival: 1, 0 or -1 by the clicks on what each side chose" {
    # teams of the places shown: 0 1 0 1; clicks of the rival's 1 of 1, 0 of 1, 1 of 2, and none
    for seen in '0 1' '1 0' '1 1 0' '0 0 0 0'; do
        mkstream round t=1 qid=a docs=4 dim=0 score:f8 4 3 2 1 rival:f8 1 2 3 4 order:u4 0 3 1 2 \
            team:u1 0 1 0 1 seen:f4 $seen | metric -q rival | tail -n 1 | cut -f 3
    done | paste -sd ' ' >got
    is "$(cat got)" '1 -1 0 0'
    mkstream round t=1 docs=2 dim=0 order:u4 0 1 seen:f4 1 >s
    fails_on s 1 'metric: <stdin>: round 1: rival needs team: *' metric rival
    mkstream round t=1 docs=2 dim=0 rival:f8 1 2 order:u4 0 1 team:u1 0 1 label:f4 1 0 >s
    fails_on s 1 'metric: <stdin>: round 1: rival needs seen: *' metric -q rival
    fails 1 'score: nowhere: no such file: *' score -m w.bin -R nowhere
}

@test "loss:slam and its kin are phi, step:slam what the learner steps along: 0 where the ranking is right" {
    right="round t=1 docs=2 dim=0 label:f4 1 0 score:f8 0.5 0"
    wrong="round t=1 docs=2 dim=0 label:f4 1 0 score:f8 0 0.5"
    far="round t=1 docs=2 dim=0 label:f4 1 0 score:f8 3 0"
    level="round t=1 docs=2 dim=0 label:f4 1 1 score:f8 3 0"
    none="round t=1 docs=2 dim=0 label:f4 0 0 score:f8 3 0"
    for loss in slam slam-ap minimax; do
        while read -r round phi step; do
            # shellcheck disable=SC2086
            mkstream ${!round} | metric loss:$loss step:$loss 2>said | tail -n 1 >row
            is "$round $(cut -f 2,3 row | xargs)" "$round $phi $step"
            grep -qx "metric: loss:$loss is the surrogate phi; the loss that update steps along, which it was up to 0.4.0, is step:$loss" said
        done <<'END'
right 0.5 0
wrong 1.5 1.5
far 0 0
level 0 0
none 0 0
END
    done
    # shellcheck disable=SC2086
    mkstream $right | metric step:slam loss:kl 2>said
    [ ! -s said ]
    # shellcheck disable=SC2086
    mkstream $right | metric loss:minimax loss:slam@1 loss:slam >/dev/null 2>said
    is "$(wc -l <said)" 1 # once
    fails 2 'metric: measure step:kl: only slam, slam-ap and minimax *: use loss:kl*' metric step:kl
    fails 2 'metric: no surrogate loss *' metric step:slum
}

@test "metric -W: the regret of a loss is against the weights of the file" {
    synth -n 200 -u true.bin linear >q.bin
    synth -n 200 linear | cmp - q.bin
    update -a squared,eta=1e-2 <q.bin >w.bin
    score -m w.bin <q.bin | explore -p uniform -g 0.5 >shown
    score -m true.bin <q.bin >best
    for loss in squared kl; do
        metric loss:$loss drawn:loss:$loss <shown | tail -n 1 | cut -f 2,3 >ours
        metric loss:$loss <best | tail -n 1 | cut -f 2 | paste ours - >by_hand
        metric -W true.bin regret:loss:$loss regret:drawn:loss:$loss <shown | tail -n 1 | paste - by_hand |
            awk 'function far(x) { return x > 1e-5 * $6 || x < -1e-5 * $6 }
                far($2 - ($4 - $6)) || far($3 - ($5 - $6)) { print; bad = 1 } END { exit bad }'
    done
    is "$(metric -W true.bin regret:loss:listnet <best | tail -n 1 | cut -f 2)" 0
    fails 2 'metric: a regret of a loss needs -W model*' metric regret:loss:kl
    fails 2 'metric: a regret of a loss needs -W model*' metric regret:drawn:loss:kl
    fails 2 'metric: -W needs a regret of a loss*' metric -W true.bin ndcg
    fails_on shown 1 'metric: nothing.bin: no such file*' metric -W nothing.bin regret:loss:kl
    fails 2 "synth: -u: noisy-binary has no hidden ranker*" synth -u u.bin noisy-binary
    [ ! -e u.bin ]
    # the ranker of the separable game ranks all as the labels do
    synth -n 50 -u u.bin separable >s.bin
    is "$(score -m u.bin <s.bin | explore | metric ndcg | tail -n 1 | cut -f 2)" 1
}
