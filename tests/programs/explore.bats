#!/usr/bin/env bats
# explore: which order is shown, and what the stream says about it.

load ../helper

# scored SCORE...: a stream of one round whose documents have these scores. Its only weight is 1.
scored() {
    local score
    { echo 'rankpipe/1 model learner=squared rounds=0 dim=1 cols=w:f8[1] bytes=8' &&
        printf '\0\0\0\0\0\0\xf0\x3f' && echo 'rankpipe/1 end rounds=1 bytes=0'; } >one.bin
    for score; do
        echo "0 qid:a 1:$score"
    done | svm2bin | score -m one.bin
}

# shown: the documents in the order shown, a line a round.
shown() {
    bin2txt -f rank | awk '$3 == 1 && NR > 1 { print "" } { printf "%s", ($3 > 1 ? " " : "") $4 }
                           END { print "" }'
}

@test "documents are shown by score, highest first" {
    is "$(scored 0.5 -1 3 0.25 | explore | shown)" '2 0 3 1'
}

@test "without exploration there is an order and nothing else" {
    scored 1 2 | explore >out
    is "$(bin2txt -f head out)" 'rankpipe/1 round t=1 qid=a docs=2 dim=1 '\
'cols=label:f4[2],score:f8[2],order:u4[2],x:f4[2] bytes=40'
    scored 1 2 | explore -g 0 >none
    same out none
}

@test "the order is written in the stream as document numbers, best first" {
    scored 1 3 2 | explore >out
    {
        echo 'rankpipe/1 round t=1 qid=a docs=3 dim=1 cols=label:f4[3],score:f8[3],order:u4[3],x:f4[3] bytes=60'
        head -c 12 /dev/zero
        printf '\0\0\0\0\0\0\xf0\x3f' && printf '\0\0\0\0\0\0\x08\x40' && printf '\0\0\0\0\0\0\0\x40'
        printf '\x1\0\0\0' && printf '\x2\0\0\0' && printf '\0\0\0\0'
        printf '\0\0\x80\x3f' && printf '\0\0\x40\x40' && printf '\0\0\0\x40'
        echo 'rankpipe/1 end rounds=1 bytes=0'
    } >expected
    same expected out
}

@test "gamma is in every header, greedy in those of explored rounds alone" {
    scored 1 2 3 >in
    replay -n 200 in | explore -g 0.25 | bin2txt -f head >out
    is "$(grep -c ' dim=1 gamma=0.25 cols=label:f4\[3\],score:f8\[3\],order:u4\[3\],' out)" 200
    explored=$(grep -c 'order:u4\[3\],greedy:u4\[3\],x:f4\[3\] ' out)
    [ "$explored" -gt 25 ] && [ "$explored" -lt 75 ]
}

@test "greedy is the order by score" {
    scored 2 1 3 2 >in
    replay -n 50 in | explore -g 1 >explored
    replay -n 50 in | explore -g 1e-300 >by_score # never explores
    is "$(bin2txt -f head by_score | grep -c greedy)" 0
    values_of greedy <explored >greedy
    values_of order <by_score >order
    same greedy order
    is "$(wc -l <greedy)" 200
    is "$(tail -n 4 greedy | paste -sd ' ')" '2 0 3 1'
}

@test "rounds are explored with probability gamma, and every order is as likely then" {
    scored 3 2 1 >in
    replay -n 6000 in | explore -g 0.3 -s 7 >out
    explored=$(bin2txt -f head out | grep -c greedy)
    [ "$explored" -gt 1650 ] && [ "$explored" -lt 1950 ]
    # Each of the six orders comes in 50 of 1000 rounds, the greedy one in 700 more.
    counts=$(shown <out | sort | uniq -c)
    is "$(wc -l <<<"$counts")" 6
    is "$(awk '$1 > 230 && $1 < 370' <<<"$counts" | wc -l)" 5
    greedy=$(awk '/ 0 1 2$/ { print $1 }' <<<"$counts")
    [ "$greedy" -gt 4350 ] && [ "$greedy" -lt 4650 ]
}

@test "-g 1 shows each document first equally often" {
    printf '0 qid:a\n0 qid:a\n0 qid:a\n0 qid:a\n0 qid:a\n' | svm2bin >in
    counts=$(replay -n 5000 in | explore -g 1 | bin2txt -f rank | awk '$3 == 1 { print $4 }' | sort | uniq -c)
    is "$(awk '$1 > 890 && $1 < 1110 { print $2 }' <<<"$counts" | paste -sd ' ')" '0 1 2 3 4'
}

@test "-g 1 needs no scores, and makes no greedy order then" {
    printf '0 qid:a 1:1\n' | svm2bin | explore -g 1 | bin2txt -f head >out
    is "$(cat out)" \
        'rankpipe/1 round t=1 qid=a docs=1 dim=1 gamma=1 cols=label:f4[1],order:u4[1],x:f4[1] bytes=12'
}

@test "-T horizon is gamma = T^(-1/3), the closest number to it where T is a cube" {
    scored 1 2 >in
    gamma() { explore -T "$1" <in | bin2txt -f head | grep -o 'gamma=[^ ]*'; }
    is "$(gamma 1)" gamma=1
    is "$(gamma 8)" gamma=0.5
    is "$(gamma 27)" gamma=0.33333333333333331
    is "$(gamma 64)" gamma=0.25
    is "$(gamma 1000)" gamma=0.10000000000000001
    is "$(gamma 8000)" gamma=0.050000000000000003
    is "$(gamma 1000000)" gamma=0.01
}

@test "what is random in a round depends on the seed and its number alone" {
    scored 1 2 3 4 5 6 7 8 >in
    for seed in 1 2; do
        whole=$(replay -n 9 in | explore -g 0.8 -s $seed | shown)
        for t in 1 2 3 4 5 6 7 8 9; do
            is "$(replay -b $t -n $t in | explore -g 0.8 -s $seed | shown)" "$(sed -n ${t}p <<<"$whole")"
        done
        eval "orders$seed=\$whole"
    done
    # shellcheck disable=SC2154
    [ "$orders1" != "$orders2" ]
}

@test "-s random draws another seed in each run, and records it" {
    small_text | svm2bin | replay -n 300 - >in
    for i in 1 2; do
        explore -g 1 -s random <in >run$i
        bin2txt -f head run$i | sed -n 's/.* seed=\([0-9]*\) cols=.*/\1/p' >seeds
        is "$(wc -l <seeds)" 300
        uniq seeds >seed$i
        is "$(wc -l <seed$i)" 1
        explore -g 1 -s "$(cat seed$i)" <in | bin2txt -f rank >numbered
        bin2txt -f rank run$i >ranked
        same numbered ranked
    done
    ! cmp -s seed1 seed2
    ! cmp -s run1 run2
}

@test "-s recorded repeats the draws of -s random, also of joined logs" {
    small_text | svm2bin >q
    update -a squared -e 0.1 -m w <q
    for from in 1 101 201; do
        replay -b $from -n $((from + 99)) q | score -m w | explore -g 0.5 -s random
    done >log
    is "$(bin2txt -f head log | grep -o 'seed=[0-9]*' | uniq | wc -l)" 3
    explore -g 0.5 -s recorded <log >again
    same <(bin2txt -f head log) <(bin2txt -f head again)
    same <(bin2txt -f rank log) <(bin2txt -f rank again)
    explore -f -g 0.5 -s 7 <log | bin2txt -f head >other
    run grep -c seed= other
    is "$output" 0
}

@test "-s recorded needs seed=, and blocks needs a number" {
    small_text | svm2bin >q
    fails_on q 1 'explore: <stdin>: round 1 (qid a): the round has no seed=, which explore -s random stores' \
        explore -g 1 -s recorded
    for word in random recorded; do
        fails 2 'explore: -p blocks needs one seed for the whole run: give -s a number*' \
            explore -p blocks -T 9 -s $word
    done
    fails 2 "explore: -s wants a whole number from 0 to 9007199254740992, random or recorded, not 'Random'*" \
        explore -s Random
}

@test "the seed is 1 where none is given, and the same seed gives the same bytes" {
    scored 1 2 3 4 5 >in
    replay -n 50 in | explore -g 0.5 >out
    replay -n 50 in | explore -g 0.5 -s 1 >again
    same out again
}

@test "what is random does not depend on what is in the round" {
    scored 1 2 3 4 >one
    scored 9 1 7 1 >other
    is "$(explore -g 1 -s 4 <one | shown)" "$(explore -g 1 -s 4 <other | shown)"
}

@test "with -f exploring again replaces the order and the keys and columns about it" {
    scored 1 2 3 >in
    explore -g 1 <in | explore -f >again
    explore <in >once
    same once again
}

# ---- exploration that costs less ----

# firsts FILE: how many rounds have which two documents on top, as "i j rounds".
firsts() {
    bin2txt -f rank "$1" | awk '$3 == 1 { i = $4 } $3 == 2 { n[i " " $4]++ }
                                END { for (ij in n) print ij, n[ij] }' | sort
}

# near ROUNDS: lines "name rounds probability" have as many of so many rounds as is likely: within
# five standard deviations.
near() {
    awk -v n="$1" '{ d = $2 - n * $3; v = n * $3 * (1 - $3)
                     if (d * d > 25 * v) { print "not", n * $3 ":", $0; bad = 1 } }
                   END { exit bad || NR == 0 }'
}

@test "top: the first places are any documents, the others follow by score" {
    scored 5 1 4 2 3 >in # by score 0 2 4 3 1
    replay -n 20000 in | explore -p top -k 2 -g 0.4 -s 3 >out
    is "$(bin2txt -f head out | grep -c ' dim=1 gamma=0.40000000000000002 top=2 cols=')" 20000
    shown <out | awk '{
        split("0 4 1 3 2", by_score) # place of document d is by_score[d + 1]
        for (a = 4; a <= 5; a++) if (by_score[$(a) + 1] < by_score[$(a - 1) + 1]) { print; exit 1 }
    }'
    # Each of the 20 choices in 0.02 of the rounds, the greedy one in 0.6 more.
    firsts out >pairs
    is "$(wc -l <pairs)" 20
    awk '{ print $1 "-" $2, $3, 0.02 + ($1 " " $2 == "0 2" ? 0.6 : 0) }' pairs | near 20000
    is "$(bin2txt -f head out | grep -c greedy)" \
        "$(replay -n 20000 in | explore -g 0.4 -s 3 | bin2txt -f head | grep -c greedy)"
}

@test "top: of a list no longer than that the order is uniform's" {
    scored 1 2 3 >in
    replay -n 50 in | explore -p top -k 3 -g 0.5 >three
    replay -n 50 in | explore -p top -k 9 -g 0.5 >nine
    replay -n 50 in | explore -g 0.5 >uniform
    is "$(shown <three)" "$(shown <uniform)"
    is "$(shown <nine)" "$(shown <uniform)"
}

@test "swap: one of the first places changes with one after them, each as likely" {
    scored 5 1 4 2 3 >in # by score 0 2 4 3 1
    replay -n 20000 in | explore -p swap -k 2 -g 0.6 -s 5 >out
    is "$(bin2txt -f head out | grep -c ' dim=1 gamma=0.59999999999999998 swap=2 cols=')" 20000
    shown <out | sort | uniq -c | awk '{ print $2 $3 $4 $5 $6, $1, $2 == 0 && $3 == 2 ? 0.4 : 0.1 }' >orders
    is "$(cut -d ' ' -f 1 orders | paste -sd ' ')" '01432 02431 03421 04231 12430 32401 42031'
    near 20000 <orders
}

@test "swap: where nobody stands below, nothing is drawn" {
    scored 1 2 3 >in
    for k in 3 4 4294967295; do
        is "$(replay -n 50 in | explore -p swap -k $k -g 1 | shown | sort -u)" '2 1 0'
        is "$(replay -n 50 in | explore -p swap -k $k -g 1 | bin2txt -f head | grep -c "gamma=1 swap=$k cols=.*order:u4\[3\],x")" 50
    done
}

@test "subset: as many documents as -k says, each as likely as its score says, at each first place" {
    # 4 of q = c exp(s): 8 2 2 1 1 halves; c = 1/4 and the first, above 1, has 1, and the others 2 of 6 parts
    scored 2.0794415416798357 0 0.69314718055994529 0.69314718055994529 0 >in
    replay -n 20000 in | explore -p subset -k 3 -s 5 >out
    is "$(bin2txt -f head out | grep -c ' dim=1 subset=3 cols=label:f4\[5\],score:f8\[5\],order:u4\[5\],x:f4\[5\] ')" 20000
    shown <out >orders
    for place in 1 2 3; do
        cut -d ' ' -f $place orders | sort | uniq -c |
            awk '{ split("1 .3333333 .6666667 .6666667 .3333333", q, " "); print $2, $1, q[$2 + 1] / 3 }' | near 20000
    done
    # those below are by score
    awk 'BEGIN { split("9 1 3 3 1", s, " ") } s[$4 + 1] < s[$5 + 1] { bad = 1 } END { exit bad || NR != 20000 }' orders
    # a run that stopped goes on; -s recorded repeats
    replay -b 31 -n 50 in | explore -p subset -k 3 -s 5 | shown | diff - <(sed -n 31,50p orders)
    replay -n 50 in | explore -p subset -k 2 -s random >once
    explore -p subset -k 2 -s recorded <once | cmp - once
    fails_on in 1 'explore: <stdin>: round 1 (qid a): docs=5, but -p subset draws 5 of more documents: use a smaller -k' \
        explore -p subset -k 5
    fails_on <(mkstream round t=1 docs=3 dim=0 label:f4 1 0 0) 1 'explore: *: needs score: *' explore -p subset -k 1
}

@test "slot: one of the documents from a place on moves to that place, each as likely" {
    scored 5 1 4 2 3 >in # by score 0 2 4 3 1
    replay -n 20000 in | explore -p slot -k 3 -g 0.6 -s 5 >out
    is "$(bin2txt -f head out | grep -c ' dim=1 gamma=0.59999999999999998 slot=3 cols=')" 20000
    shown <out | sort | uniq -c | awk '{ print $2 $3 $4 $5 $6, $1, $4 == 4 ? 0.6 : 0.2 }' >orders
    is "$(cut -d ' ' -f 1 orders | paste -sd ' ')" '02143 02341 02431'
    near 20000 <orders
    # where nobody stands below, nothing is drawn
    for k in 5 6 4294967295; do
        is "$(replay -n 50 in | explore -p slot -k $k -g 1 | shown | sort -u)" '0 2 4 3 1'
        is "$(replay -n 50 in | explore -p slot -k $k -g 1 | bin2txt -f head | grep -c "gamma=1 slot=$k cols=.*order:u4\[5\],x")" 50
    done
}

@test "slot is the default where the model learnt clicks: place 10, and a gamma of 0.3" {
    mkstream round t=1 docs=12 dim=0 rates=1 score:f8 12 11 10 9 8 7 6 5 4 3 2 1 \
        worth:f8 0 0 9 9 9 9 9 9 9 9 9 9 >in
    replay -n 20000 in | explore >out
    is "$(bin2txt -f head out | grep -c ' rates=1 gamma=0.29999999999999999 slot=10 cols=')" 20000
    shown <out | sort | uniq -c | awk '{ print $11, $1, $11 == 9 ? 0.8 : 0.1 }' >orders
    is "$(cut -d ' ' -f 1 orders | paste -sd ' ')" '10 11 9'
    near 20000 <orders
    # -g 0 draws nothing, -k names the place, and another policy can be chosen
    explore -g 0 <in | bin2txt -f head >head
    ! grep -E 'gamma|slot|greedy' head
    is "$(explore -g 1 -k 2 <in | values_of slot)" 2
    is "$(explore -p worth <in | shown | cut -d ' ' -f 1)" 2
    # a new score takes the key away
    echo 1 1 | weights2bin >w
    score -m w <in | bin2txt -f head >head
    ! grep rates head
}

@test "plackett-luce: each place goes to one of those left, by exp(score / temperature)" {
    scored 1 0 -0.5 2 >in
    for H in 1 0.5 3; do
        replay -n 20000 in | explore -p plackett-luce -H $H -s 7 >out
        shown <out | sort | uniq -c | awk -v H=$H 'BEGIN {
            split("1 0 -0.5 2", s)
            for (i = 1; i <= 4; i++) all += w[i - 1] = exp(s[i] / H)
        } { p = 1; left = all
            for (a = 2; a <= 5; a++) { p *= w[$(a)] / left; left -= w[$(a)] }
            print $2 $3 $4 $5, $1, p }' >orders
        near 20000 <orders
    done
    [ "$(wc -l <orders)" = 24 ]
}

@test "plackett-luce: the round has the logits, and greedy where the order is another" {
    scored 1 3 2 >in
    explore -p plackett-luce -H 0.015625 <in >out # as good as by score: exp(-64)
    is "$(bin2txt -f head out)" 'rankpipe/1 round t=1 qid=a docs=3 dim=1 '\
'cols=label:f4[3],score:f8[3],order:u4[3],logit:f8[3],x:f4[3] bytes=84'
    is "$(values_of order <out | paste -sd ' ')" '1 2 0'
    is "$(values_of logit <out | paste -sd ' ')" '64 192 128'
    is "$(values_of score <out | paste -sd ' ')" '1 3 2'
    replay -n 300 in | explore -p plackett-luce >out
    is "$(bin2txt -f head out | grep -c greedy)" "$(shown <out | grep -cv '^1 2 0$')"
    is "$(bin2txt -f head out | grep -c gamma=)" 0
}

@test "plackett-luce: large scores drown no noise, and equals are equal" {
    scored 1e17 1e17 1e17 >high
    scored 0 -1e17 -1e17 -1e17 >low
    for file in high low; do
        replay -n 6000 $file | explore -p plackett-luce -s 2 | shown | sort | uniq -c >counts
        is "$(wc -l <counts)" 6
        awk '{ print $2 $3 $4 $5, $1, 1 / 6 }' counts | near 6000
    done
    is "$(replay -n 100 low | explore -p plackett-luce | shown | cut -c 1 | sort -u)" 0
}

@test "-F: gamma and temperature fall with the round's number" {
    scored 1 2 3 >in
    for policy in uniform 'top -k 2' 'swap -k 2'; do
        # shellcheck disable=SC2086
        replay -n 16 in | explore -p $policy -g 0.5 -F 0.5 | bin2txt -f head | sed 's/.* gamma=\([^ ]*\) .*/\1/' >gammas
        awk '{ d = $1 - 0.5 / sqrt(NR); if (d * d > 1e-32) { print NR, $1; exit 1 } }' gammas
        is "$(sed -n 1p gammas)" 0.5
    done
    # Round 4 at temperature 2 t^-0.5 is as round 4 at 1, if 4^-0.5 is a half to the bit.
    replay -b 4 -n 4 in | explore -p plackett-luce -H 2 -F 0.5 >falls
    replay -b 4 -n 4 in | explore -p plackett-luce -H 1 >stays
    same falls stays
    # At 1 no score is needed, and then it is.
    printf '0 qid:a 1:1\n0 qid:b 1:1\n' | svm2bin >bare
    fails_on bare 1 'explore: <stdin>: round 2 *: needs score: *' explore -g 1 -F 1
}

@test "the new policies go on from a later round with the same bytes" {
    scored 1 2 3 4 5 >in
    for policy in 'top -k 2 -g 0.8 -F 0.1' 'swap -k 2 -T 8' 'plackett-luce -H 2 -F 0.2'; do
        # shellcheck disable=SC2086
        whole=$(replay -n 9 in | explore -p $policy | shown)
        for t in 1 2 5 9; do
            # shellcheck disable=SC2086
            is "$(replay -b $t -n $t in | explore -p $policy | shown)" "$(sed -n ${t}p <<<"$whole")"
        done
    done
}

@test "what was drawn, and how, comes through the mask and a file" {
    scored 1 2 3 4 5 >in
    for policy in 'top -k 2 -g 0.8' 'swap -k 2 -g 0.8' plackett-luce; do
        # shellcheck disable=SC2086
        replay -n 40 in | explore -p $policy | feedback-mask -k 2 | tee masked | update -a kl -e 0.01 >piped
        update -a kl -e 0.01 <masked >filed
        same piped filed
        replay masked | update -a kl -e 0.01 >replayed
        same piped replayed
        score -m one.bin <masked >rescored # logit says by itself how the order was drawn
        update -a kl -e 0.01 <rescored >again
        same piped again
    done
    is "$(bin2txt -f head masked | grep -c 'logit:f8\[5\]')" 40
}

# ---- ties ----

# mix: the output function of SplitMix64, on x. Shifts of bash keep the sign, which is masked away.
mix() {
    x=$(((x ^ (x >> 30 & 0x3ffffffff)) * 0xbf58476d1ce4e5b9))
    x=$(((x ^ (x >> 27 & 0x1fffffffff)) * 0x94d049bb133111eb))
    x=$((x ^ (x >> 31 & 0x1ffffffff)))
}

# tied SEED T STREAM DOCUMENT...: these documents as a tie of round T has them: by the draws of that
# stream, 11 for scores and 15 for indices. The draw of document i is number i of the stream.
tied() {
    local x seed=$1 t=$2 stream=$3 golden=0x9e3779b97f4a7c15 key i
    shift 3
    x=$((seed + golden)) && mix
    x=$(((x ^ stream) + golden)) && mix
    x=$(((x ^ t) + golden)) && mix
    key=$x
    for i; do
        x=$((key + (i + 1) * golden)) && mix
        printf '%020u %d\n' "$x" "$i"
    done | sort | cut -d ' ' -f 2 | paste -sd ' '
}

@test "ties are in random order, which seed, round and document alone determine" {
    scored 1 2 1 2 1 >in
    for seed in 1 7; do
        replay -b 3 -n 12 in | explore -s $seed | shown >got
        for t in {3..12}; do
            echo "$(tied $seed $t 11 1 3) $(tied $seed $t 11 0 2 4)"
        done >want
        same want got
    done
    explore -s 1 <in >one
    explore <in >default
    same one default
    # The ties of two documents are the same, whatever else is in the round.
    is "$(scored 0 -0 | explore | shown)" "$(tied 1 1 11 0 1)"
    is "$(scored 3 3 9 8 | explore | shown)" "2 3 $(tied 1 1 11 0 1)"
}

@test "ties: every order is equally likely, in the order shown and in greedy" {
    scored 1 1 2 1 >in
    replay -n 12000 in | explore | shown | sort | uniq -c >counts
    awk '{ print $2 $3 $4 $5, $1, 1 / 6 }' counts >orders
    is "$(cut -d ' ' -f 1 orders | paste -sd ' ')" '2013 2031 2103 2130 2301 2310'
    near 12000 <orders
}

@test "ties: greedy has the order that would be shown without exploration" {
    scored 1 1 2 1 2 >in
    for t in {1..20}; do
        replay -b $t -n $t in | explore | shown >greedy
        for policy in 'uniform -g 1' 'top -k 2 -g 1' 'swap -k 2 -g 1'; do
            # shellcheck disable=SC2086
            replay -b $t -n $t in | explore -p $policy >out
            is "$(values_of greedy <out | paste -sd ' ')" "$(cat greedy)"
        done
    done
}

@test "ties are drawn apart from what explores: whether it does, and what, are as without ties" {
    scored 1 1 1 1 >ties
    scored 4 3 2 1 >none
    replay -n 100 ties | explore -g 0.5 >one
    replay -n 100 none | explore -g 0.5 >other
    # In rounds that explore, the order is drawn, and has nothing to do with scores.
    explores() { bin2txt -f head "$1" | awk '{ print /greedy/ }'; }
    is "$(explores one)" "$(explores other)"
    is "$(paste -d ' ' <(explores one) <(shown <one) | grep ^1)" \
        "$(paste -d ' ' <(explores other) <(shown <other) | grep ^1)"
}

@test "-o: ties are in line order" {
    is "$(scored 1 2 1 2 1 | explore -o | shown)" '1 3 0 2 4'
    is "$(scored 0 -0 0 | explore -o | shown)" '0 1 2'
    fives=$(printf '%d ' {1..100} | tr 1-9 55555) # 5 and 50 and 55 and 500
    # shellcheck disable=SC2086
    is "$(scored $fives | explore -o | shown)" "$(printf '%s\n' $fives | awk '{ print NR - 1, $1 }' |
        sort -s -k 2,2nr | cut -d ' ' -f 1 | paste -sd ' ')"
    mkstream round t=1 docs=4 dim=0 score:f8 1 1 1 2 index:f8 0 3 3 0 | explore -o -k 1 | shown >out
    is "$(cat out)" '1 3 0 2'
    scored 1 1 1 >in
    for policy in 'top -g 1e-300' 'swap -g 1e-300' 'uniform -g 1e-300'; do
        # shellcheck disable=SC2086
        is "$(replay -n 50 in | explore -o -p $policy | shown | sort -u)" '0 1 2'
    done
}

@test "with base, ties are in its order, also of indices, in the greedy order and in line order" {
    mkstream round t=1 docs=5 dim=0 base:u4 4 2 0 3 1 score:f8 1 1 2 1 1 >in # by score 2, then 4 0 3 1
    for options in '' -o '-s 7' '-p top -g 1e-300' '-p swap -g 1e-300'; do
        # shellcheck disable=SC2086
        is "$(replay -n 20 in | explore $options | shown | sort -u)" '2 4 0 3 1'
    done
    for policy in 'uniform -g 1' plackett-luce; do
        # shellcheck disable=SC2086
        replay -n 20 in | explore -p $policy | values_of greedy | paste -d ' ' - - - - - | sort -u >greedy
        is "$(cat greedy)" '2 4 0 3 1'
    done
    mkstream round t=1 docs=4 dim=0 base:u4 3 2 1 0 score:f8 0 0 1 0 index:f8 5 5 0 1 >in
    is "$(replay -n 20 in | explore -k 1 | shown | sort -u)" '1 2 3 0'
}

@test "ties between indices are drawn by themselves, and ties between scores below them" {
    mkstream round t=1 docs=6 dim=0 score:f8 1 1 2 1 2 1 index:f8 3 3 0 1 1 3 >in
    replay -n 40 in >rounds
    for t in {1..40}; do
        top=$(tied 1 $t 15 0 1 5)
        # shellcheck disable=SC2046,SC2086 # the words are documents
        echo "${top% *}" $(tied 1 $t 11 2 4) \
            $(tied 1 $t 11 $(printf '%s\n' 0 1 3 5 | grep -vx "${top:0:1}" | grep -vx "${top:2:1}"))
    done >want
    explore -k 2 <rounds | shown >got
    same want got
}

@test "plackett-luce: greedy is there where the order is another than with ties broken" {
    scored 1 1 1 >in
    replay -n 200 in | explore | shown >by_score
    replay -n 200 in | explore -p plackett-luce >out
    paste -d / by_score <(shown <out) | awk -F / '{ print $1 != $2 }' >want
    bin2txt -f head out | awk '{ print /greedy/ }' >got
    same want got
    is "$(sort -u want | paste -sd ' ')" '0 1'
}

@test "team-draft: rankings that are equal stay equal, and neither is favoured by ties" {
    mkstream round t=1 docs=4 dim=0 score:f8 1 1 1 1 rival:f8 2 2 2 2 >in
    replay -n 4000 in | explore -p team-draft >out
    replay -n 4000 in | explore | shown >greedy
    shown <out >got
    same greedy got
    values_of team <out | paste -d '\0' - - - - | sort | uniq -c | awk '{ print $2, $1, 1 / 4 }' >teams
    is "$(cut -d ' ' -f 1 teams | paste -sd ' ')" '0101 0110 1001 1010'
    near 4000 <teams
}

@test "prank: levels tie, and documents of one level are in random order" {
    mkstream model learner=prank rounds=0 dim=1 grades=2 w:f8 1 threshold:f8 0 10 >levels
    printf '0 qid:a 1:%s\n' -3 5 7 -1 12 | svm2bin >in # levels 0 1 1 0 2
    replay -n 12 in | score -m levels | explore | shown >got
    for t in {1..12}; do echo "4 $(tied 1 $t 11 1 2) $(tied 1 $t 11 0 3)"; done >want
    same want got
}

# shuffled SEED: lines within each query in random order, by awk.
shuffled() {
    awk -v seed="$1" 'BEGIN { srand(seed) } { printf "%s %.9f %s\n", $2, rand(), $0 }' |
        sort -s -k 1,1 -k 2,2n | cut -d ' ' -f 3-
}

@test "documents shuffled within queries are shown by the same law" {
    # Scores 2, and 1 for four documents that have names.
    printf '%s qid:a 1:%s # %s\n' 0 1 A 0 1 B 0 2 C 0 1 D 0 1 E >file
    scored 1 >/dev/null # one.bin
    for seed in 1 2 3; do
        shuffled $seed <file | svm2bin | replay -n 6000 - | score -m one.bin | explore -s $seed |
            bin2txt -f rank >ranks
        awk '$3 == 2 { print $4 }' ranks | sort | uniq -c | awk '{ print $2, $1, 1 / 4 }' >second
        is "$(cut -d ' ' -f 1 second | paste -sd ' ')" 'A B D E'
        near 6000 <second
        is "$(awk '$3 == 1 { print $4 }' ranks | sort -u)" C
    done
}

@test "without weights, sorted and shuffled queries score what random orders do" {
    mkstream model learner=fixed rounds=0 dim=1 w:f8 0 >zero
    LC_ALL=C sort -s -k 2,2 -k 1,1nr "$ROOT/examples/data/small.svm" >sorted
    # The mean of p@1 over all orders: the share of relevant documents in each query.
    want=$(awk '{ n[$2]++; r[$2] += $1 > 0 } END { for (q in n) { s += r[q] / n[q]; k++
        v += r[q] / n[q] * (1 - r[q] / n[q]) } print s / k, 5 * sqrt(v) / k }' sorted)
    for order in cat 'shuffled 1' 'shuffled 2' 'sort -s -k 2,2 -k 1,1n'; do
        LC_ALL=C $order <sorted | svm2bin | score -m zero >rounds
        for seed in 1 2 3; do
            got=$(explore -s $seed <rounds | metric p@1 | tail -n 1 | cut -f 2)
            awk -v want="${want% *}" -v within="${want#* }" -v got="$got" \
                'BEGIN { print got, want, within; d = got - want; exit d * d > within ^ 2 }'
        done
    done
    # In line order it is what the line order says: sorted by label, 1 but for empty queries.
    [ "$(svm2bin sorted | score -m zero | explore -o | metric -z skip map | tail -n 1 | cut -f 2)" = 1 ]
}

# learnt ORDER OPTIONS: mean NDCG@10 of ridge over 500 rounds, for ten seeds: mean, and its square error.
learnt() {
    local seed
    mkfifo "$1.ring"
    for seed in {1..10}; do
        loop "replay -n 500 -s $seed $1 | score -f $1.ring | explore $2 -s $seed -g 0.05 |
            metric -t table ndcg@10 | feedback-mask | update -a ridge -C 10 -f $1.ring -m $1.$seed"
        tail -n 1 table | cut -f 2
    done | awk '{ s += $1; q += $1 * $1 } END { print s / NR, (q / NR - (s / NR) ^ 2) / (NR - 1) }'
    rm "$1".*
}

# Four standard errors of the difference; in line order it is 0.757 ascending and 0.827 descending.
@test "what is learnt does not depend on the order of the lines" {
    LC_ALL=C sort -s -k 2,2 -k 1,1n "$ROOT/examples/data/small.svm" | svm2bin >rising
    LC_ALL=C sort -s -k 2,2 -k 1,1nr "$ROOT/examples/data/small.svm" | svm2bin >falling
    LC_ALL=C sort -s -k 2,2 "$ROOT/examples/data/small.svm" | shuffled 4 | svm2bin >mixed
    for order in rising falling mixed; do learnt $order ''; done >means
    cat means
    awk '{ m[NR] = $1; v[NR] = $2 }
        END { for (i in m) for (j in m) if ((m[i] - m[j]) ^ 2 > 16 * (v[i] + v[j])) exit 1 }' means
    for order in rising falling; do learnt $order -o; done | cut -d ' ' -f 1 | paste -sd ' ' >lines
    cat lines
    awk 'NR == 1 { ok = $2 - $1 > 0.04 } END { exit !ok }' lines
}

# ---- the column worth ----

# worthy WORTH WORTH WORTH [KEY]: a round of 3 documents with the scores 3, 2 and 1.
worthy() {
    mkstream round t=1 docs=3 dim=0 "${@:4}" score:f8 3 2 1 worth:f8 "$1" "$2" "$3"
}

@test "worth: on top goes the document whose worth exceeds most what moving it there costs" {
    # Moving document 1 up costs (3 - 2) (1 - 0.63) = 0.37, document 2 4.76 - 3.89 = 0.87.
    is "$(worthy 0 0.5 2 | explore | shown)" '2 0 1'
    is "$(worthy 0 0.5 0.9 | explore | shown)" '1 0 2' # 0.13 and 0.03
    is "$(worthy 0.2 0.5 0.9 | explore | shown)" '0 1 2'
    is "$(worthy 0 0 0.86 | explore -p worth | shown)" '0 1 2'
    is "$(worthy 0 0 0.88 | explore -p worth | shown)" '2 0 1'
    is "$(worthy 0 0.5 2 | explore -p uniform | shown)" '0 1 2'
}

@test "worth: as many places as users judge, from the last one up, and these by score" {
    # Place 2: document 2 gains 2 - 0.5 - 0.13; place 1: document 1 gains 1 - 1.5 + 0.5, nothing.
    is "$(worthy 0 0.5 2 judged=2 | explore | shown)" '0 2 1'
    is "$(worthy 0 0.5 2 | explore -k 2 | shown)" '0 2 1'
    is "$(worthy 0 0.5 2 judged=2 | explore -k 1 | shown)" '2 0 1'
    is "$(worthy 0 0.6 2 judged=2 | explore | shown)" '1 2 0'
    is "$(worthy 0 9 9 judged=3 | explore | shown)" '0 1 2'
    is "$(worthy 0 9 9 judged=100 | explore | shown)" '0 1 2'
}

@test "worth: equal scores and worths are shown at random, and -g draws as top does" {
    mkstream round t=1 docs=3 dim=0 score:f8 1 1 1 worth:f8 2 2 2 >in
    for seed in $(seq 60); do explore -s "$seed" <in | shown; done | sort -u >orders
    is "$(wc -l <orders)" 6
    worthy 0 0.5 2 | explore -g 1 -s 3 >drawn
    is "$(values_of gamma <drawn) $(values_of top <drawn)" '1 1'
    is "$(values_of greedy <drawn | xargs)" '2 0 1'
}

@test "worth: without the column -p worth is refused, and judged= is a number of places" {
    mkstream round t=1 docs=3 dim=0 score:f8 3 2 1 >in
    fails_on in 1 'explore: <stdin>: round 1: needs worth, which score adds for the learner memory: *' \
        explore -p worth
    worthy 1 2 inf >bad
    fails_on bad 1 'explore: <stdin>: round 1: column worth: value 2 is inf: it must be a finite number' explore
    worthy 1 2 3 judged=0 >bad
    fails_on bad 1 'explore: <stdin>: round 1: judged=0 is not a whole number from 1 to 4294967295' explore
}

# ---- the column index ----

# indexed: a round of 5 documents, by score 3 0 4 1 2, by index 2 1 4 0 3; WORD... are added.
indexed() {
    mkstream round t=1 docs=5 dim=0 score:f8 4 2 1 5 3 index:f8 -1 7 9 -2 0.5 "$@"
}

@test "index: without -p the largest index is on top, with -k so many, and the others by score" {
    indexed >in
    indexed order:u4 2 3 0 4 1 >want
    explore <in >out
    same want out
    explore -p index <in >out
    same want out
    # By hand: the first k of 2 1 4 0 3, then what is left of 3 0 4 1 2.
    is "$(explore -k 1 <in | shown)" '2 3 0 4 1'
    is "$(explore -k 2 <in | shown)" '2 1 3 0 4'
    is "$(explore -k 3 <in | shown)" '2 1 4 3 0'
    is "$(explore -k 4 <in | shown)" '2 1 4 0 3'
    is "$(explore -k 5 <in | shown)" '2 1 4 0 3'
    is "$(explore -k 4294967295 <in | shown)" '2 1 4 0 3'
    is "$(explore -p index -k 2 -g 0 <in | shown)" '2 1 3 0 4'
}

@test "index: every other policy ignores it" {
    indexed >in
    mkstream round t=1 docs=5 dim=0 score:f8 4 2 1 5 3 >bare
    is "$(explore -p uniform <in | shown)" '3 0 4 1 2'
    for policy in 'uniform -g 0.5' 'top -k 2 -g 0.5' 'swap -k 2 -g 0.5' plackett-luce 'leader -T 9'; do
        # shellcheck disable=SC2086
        is "$(replay -n 50 in | explore -p $policy | shown)" \
            "$(replay -n 50 bare | explore -p $policy | shown)"
    done
}

@test "index: -g draws the first places as top does, and greedy has the order by index" {
    indexed >in
    # The same draws as policy top has of scores whose order is the order by index.
    mkstream round t=1 docs=5 dim=0 score:f8 2 1 5 3 4 >twin # by score 2 4 3 0 1
    mkstream round t=1 docs=5 dim=0 score:f8 4 2 1 5 3 index:f8 -3 -2 9 -1 8 >other
    for options in '-g 0.5 -k 2' '-T 8 -k 2' '-g 0.9 -F 0.3 -k 2'; do
        # shellcheck disable=SC2086
        replay -n 200 other | explore $options >out
        # shellcheck disable=SC2086
        replay -n 200 twin | explore -p top $options >want
        is "$(shown <out)" "$(shown <want)"
        is "$(bin2txt -f head out | sed 's/index:f8\[5\],//; s/bytes=.*//')" \
            "$(bin2txt -f head want | sed 's/bytes=.*//')"
    done
    # A round that explores has the greedy order, which the policy without exploration shows.
    for t in {1..20}; do
        replay -b $t -n $t in | explore -k 2 -g 1 >out
        # shellcheck disable=SC2046
        mkstream round t=$t docs=5 dim=0 gamma=1 top=2 score:f8 4 2 1 5 3 index:f8 -1 7 9 -2 0.5 \
            order:u4 $(shown <out) greedy:u4 2 1 3 0 4 >want
        same want out
    done
}

@test "index: what -g draws is drawn with the probabilities of the page" {
    indexed >in # greedy for k = 2: 2 1 3 0 4
    replay -n 20000 in | explore -k 2 -g 0.4 -s 3 >out
    firsts out >pairs
    is "$(wc -l <pairs)" 20
    awk '{ print $1 "-" $2, $3, 0.02 + ($1 " " $2 == "2 1" ? 0.6 : 0) }' pairs | near 20000
}

@test "index: some rounds with it and some without, each by its own order" {
    mkstream round t=1 docs=3 dim=0 score:f8 1 2 3 + \
        round t=2 docs=3 dim=0 score:f8 1 2 3 index:f8 5 4 3 + round t=3 docs=3 dim=0 score:f8 1 2 3 >in
    is "$(explore <in | shown)" '2 1 0
0 2 1
2 1 0'
    is "$(explore -g 0.5 <in | bin2txt -f head | grep -c top=)" 1
    fails_on in 1 'explore: <stdin>: round 1: needs the column index, which score adds for some learners: *' \
        explore -p index
    fails_on in 1 'explore: <stdin>: round 1: needs the column index, *' explore -k 2
    mkstream round t=1 docs=2 dim=0 index:f8 5 4 >bare
    fails_on bare 1 'explore: <stdin>: round 1: needs score: put score before explore' explore -g 1
}

@test "index: a new score removes it, and it must be finite, one for each document" {
    mkstream model learner=fixed rounds=0 dim=5 w:f8 0 1 2 3 4 >model
    indexed | score -m model >scored
    mkstream round t=1 docs=5 dim=0 score:f8 0 1 2 3 4 >want
    same want scored
    mkstream round t=1 docs=2 dim=0 score:f8 1 2 index:f8 1 inf >bad
    fails_on bad 1 'explore: <stdin>: round 1: column index: value 1 is inf: it must be a finite number' explore
    mkstream round t=1 docs=2 dim=0 score:f8 1 2 index:f8 1 >bad
    fails_on bad 1 'explore: <stdin>: round 1: column index has 1 values, not 2' explore
    mkstream round t=1 docs=2 dim=0 score:f8 1 2 index:f4 1 2 >bad
    fails_on bad 1 'explore: <stdin>: round 1: column index has type f4, not f8' explore
}

@test "index: what was drawn goes to a learner that weights by propensity, as after top" {
    indexed label:f4 1 0 2 0 1 >in
    # greedy 2 3 0 4 1, as by these scores
    mkstream round t=1 docs=5 dim=0 score:f8 3 1 5 4 2 label:f4 1 0 2 0 1 >twin
    replay -n 300 in | explore -g 0.3 | feedback-mask | update -a kl -e 0.01 >out
    replay -n 300 twin | explore -p top -g 0.3 | feedback-mask | update -a kl -e 0.01 >want
    same want out
    replay -n 5 in | explore -g 0.3 | feedback-mask -k 2 >two
    fails_on two 1 'update: <stdin>: round 1: *explore explored only the first 1 (top=1): use explore -k 2' \
        update -a kl -e 0.01
}

# ---- a fixed list of items ----

# A double of few digits, in bytes.
f8() {
    local high
    case $1 in
    0) high='\0\0' ;;
    0.25) high='\xd0\x3f' ;;
    1) high='\xf0\x3f' ;;
    2) high='\0\x40' ;;
    3) high='\x08\x40' ;;
    5) high='\x14\x40' ;;
    *) echo "f8: no bytes for $1" >&2 && return 1 ;;
    esac
    # shellcheck disable=SC2059
    printf "\0\0\0\0\0\0$high"
}

# listed FIRST LAST WEIGHT...: rounds of a list that has one item for each weight, its score.
listed() {
    local first=$1 last=$2 weight
    shift 2
    { echo "rankpipe/1 model learner=squared rounds=0 dim=$# cols=w:f8[$#] bytes=$(($# * 8))" &&
        for weight; do f8 "$weight" || return 1; done && echo 'rankpipe/1 end rounds=1 bytes=0'; } >list.w
    for weight; do echo '1 qid:1'; done | svm2bin >list.bin
    replay -b "$first" -n "$last" list.bin | score -m list.w
}

# A line a round: t, block, group or -.
turns() {
    bin2txt -f head | awk '{
        block = group = "-"
        for (i = 1; i <= NF; i++) {
            if ($i ~ /^t=/) t = substr($i, 3)
            if ($i ~ /^block=/) block = substr($i, 7)
            if ($i ~ /^group=/) group = substr($i, 7)
        }
        print t, block, group }'
}

@test "blocks: block= is in every round, group= in one round of each block for each group" {
    listed 1 100 0 0 0 0 0 0 0 >in
    explore -p blocks -T 100 -K 7 <in >out
    bin2txt -f head out | sed -n 1,2p | grep -qx \
        'rankpipe/1 round t=1 qid=1 docs=7 dim=0 block=0\( group=[0-6]\)* cols=label:f4\[7\],score:f8\[7\],order:u4\[7\] bytes=112'
    is "$(bin2txt -f head out | grep -c 'gamma=\|greedy')" 0
    turns <out >told
    # Blocks of ceil(100 i / 7) - ceil(100 (i - 1) / 7) rounds.
    is "$(cut -d ' ' -f 2 told | uniq -c | awk '{ print $2 ":" $1 }' | paste -sd ' ')" \
        '0:15 1:14 2:14 3:15 4:14 5:14 6:14'
    for block in 0 1 2 3 4 5 6; do
        is "$(awk -v block=$block '$2 == block && $3 != "-" { print $3 }' told | sort | paste -sd ' ')" \
            '0 1 2 3 4 5 6'
    done
}

@test "blocks: an exploring round has its group on top, in its order, and any order after it" {
    listed 1 4000 0 0 0 0 0 >in
    explore -p blocks -T 4000 -K 400 -k 2 <in >out
    turns <out >told
    shown <out | paste -d ' ' told - | awk '$3 != "-"' >explored
    is "$(wc -l <explored)" 1200
    is "$(awk '{ print $3 ":", $4, $3 < 2 ? $5 : "" }' explored | sort | uniq -c |
        awk '{ $1 = $1; print }' | sed 's/ *$//')" '400 0: 0 1
400 1: 2 3
400 2: 4'
    # Each of the six orders of 2 3 4, and of the 24 of 0 1 2 3: 67 and 17 of 400.
    is "$(awk '$3 == 0 { print $6, $7, $8 }' explored | sort | uniq -c | awk '$1 > 30 && $1 < 105' | wc -l)" 6
    is "$(awk '$3 == 2 { print $5, $6, $7, $8 }' explored | sort | uniq -c | wc -l)" 24
}

@test "blocks: with one group, every block explores once; with k the whole list, in document order" {
    listed 1 60 0 0 5 >in
    explore -p blocks -T 60 -K 20 -k 3 <in >three
    explore -p blocks -T 60 -K 20 -k 1000 <in >thousand
    same three thousand
    is "$(turns <three | grep -c ' 0$')" 20
    turns <three >told
    is "$(shown <three | paste -d ' ' told - | awk '$3 == 0' | cut -d ' ' -f 4- | sort -u)" '0 1 2'
}

@test "blocks: K is m^(-1/3) T^(2/3), but each block has a round for each group" {
    blocks() { # m T ...
        local m=$1 T=$2
        shift 2
        # shellcheck disable=SC2046
        listed "$T" "$T" $(printf '0 %.0s' $(seq "$m")) | explore -p blocks -T "$T" "$@" | turns |
            awk '{ print $2 + 1 }'
    }
    is "$(blocks 10 10000)" 215 # 215.4
    is "$(blocks 8 1000)" 50    # 50 exactly
    is "$(blocks 10 100)" 10    # 10, and at most 10
    is "$(blocks 10 50)" 5      # 6.3, but at most 5
    is "$(blocks 10 50 -k 2)" 6 # and now at most 10
    is "$(blocks 10 10)" 1
    is "$(blocks 10 9 -k 2)" 1
    is "$(blocks 10 10000 -K 1000)" 1000
}

@test "blocks: after the horizon come blocks of ceil(T/K) rounds" {
    is "$(listed 9 22 0 0 | explore -p blocks -T 10 -K 3 | turns | cut -d ' ' -f 2 | uniq -c |
        awk '{ print $2 ":" $1 }' | paste -sd ' ')" '2:2 3:4 4:4 5:4'
    is "$(listed 11 22 0 0 | explore -p blocks -T 10 -K 3 | turns | awk '$3 != "-" { print $2, $3 }' |
        sort | paste -sd ,)" '3 0,3 1,4 0,4 1,5 0,5 1'
}

# without_end FILE ROUNDS: a stream without its end record.
without_end() {
    local end="rankpipe/1 end rounds=$2 bytes=0"
    is "$(tail -c $((${#end} + 1)) "$1")" "$end" >&2
    head -c $(($(wc -c <"$1") - ${#end} - 1)) "$1"
}

@test "blocks and leader: who goes on from a later round gives the same bytes" {
    for policy in 'blocks -T 120 -K 5' 'blocks -T 120 -k 2 -s 3' 'leader -T 120'; do
        # shellcheck disable=SC2086
        listed 1 150 0 1 2 0.25 | explore -p $policy >whole
        for from in 2 25 60 121 150; do
            # shellcheck disable=SC2086
            listed $from 150 0 1 2 0.25 | explore -p $policy >rest
            without_end rest $((151 - from)) >part
            without_end whole 150 | tail -c "$(wc -c <part)" >want
            same want part
        done
    done
}

@test "blocks: the seed says which rounds explore, and is 1 where none is given" {
    listed 1 200 0 0 0 >in
    explore -p blocks -T 200 <in >out
    explore -p blocks -T 200 -s 1 <in >one
    explore -p blocks -T 200 -s 2 <in >two
    same out one
    [ "$(turns <one)" != "$(turns <two)" ]
}

# upset N LOW HIGH: of the N rounds in `out` that do not explore, item 0 is on top in so many that
# their share is between LOW and HIGH.
upset() {
    bin2txt -f rank out >ranks
    turns <out >told
    awk -v n="$1" -v low="$2" -v high="$3" '
        NR == FNR { explores[$1] = $3 != "-"; next }
        $3 == 1 && !explores[$1] { all++; upset += $4 == 0 }
        END { print upset, all, upset / all; exit !(all == n && upset / all > low && upset / all < high) }
    ' told ranks
}

# Item 1 is better by d, and the noise is uniform on [0, w) for each: it loses with probability
# (w - d)^2 / (2 w^2), the chance that a difference of two uniforms is above d. The bounds are
# five standard deviations.
@test "blocks and leader: items swap as often as a difference of uniforms makes them" {
    for policy in blocks\ -T\ 20000\ -K\ 8 leader\ -T\ 8; do # m = 2, 8 steps: w = 4, d = 1: 0.28125
        # shellcheck disable=SC2086
        listed 1 20000 0 1 | explore -p $policy >out
        case $policy in blocks*) n=19984 ;; *) n=20000 ;; esac
        upset $n 0.2653 0.2972
    done
    # m = 2, 50 steps: w = 10, d = 5: 0.125
    listed 1 20000 0 5 | explore -p leader -T 50 >out
    upset 20000 0.1133 0.1367
    listed 1 20000 0 5 | explore -p blocks -T 20000 -K 50 >out
    upset 19900 0.1133 0.1367
    # Grades to 2: w = 30, d = 5: 25^2 / (2 30^2) = 0.34722
    listed 1 20000 0 5 | explore -p leader -T 50 -L 2 >out
    upset 20000 0.3304 0.3641
    listed 1 20000 0 5 | explore -p blocks -T 20000 -K 50 -L 2 >out
    upset 19900 0.3303 0.3641
}

@test "leader: no more than epsilon's reciprocal is made up for, and nothing is written but order" {
    listed 1 2000 0 3 5 | explore -p leader -T 1 >out
    is "$(shown <out | sort -u | wc -l)" 1 # noise below the root of 3
    is "$(shown <out | sed -n 1p)" '2 1 0'
    is "$(bin2txt -f head out | sed -n 7p)" \
        'rankpipe/1 round t=7 qid=1 docs=3 dim=0 cols=label:f4[3],score:f8[3],order:u4[3] bytes=48'
}

@test "leader: among equals every order is as likely, in each round anew" {
    listed 1 6000 0 0 0 | explore -p leader -T 6000 | shown | sort | uniq -c >counts
    is "$(wc -l <counts)" 6
    is "$(awk '$1 > 850 && $1 < 1150' counts | wc -l)" 6
}

@test "what another policy said of a round is taken away" {
    listed 1 40 0 1 2 >in
    explore -p blocks -T 40 <in >blocks.out
    explore -p leader -T 40 <in >leader.out
    explore -g 0.5 <in >uniform.out
    explore -p top -k 2 -g 0.5 <in >top.out
    explore -p swap -k 2 -g 0.5 <in >swap.out
    explore -p plackett-luce <in >luce.out
    for before in blocks leader uniform top swap luce; do
        explore -f -p blocks -T 40 <$before.out >again
        same again blocks.out
        explore -f -p leader -T 40 <$before.out >again
        same again leader.out
        explore -f -g 0.5 <$before.out >again
        same again uniform.out
        explore -f -p swap -k 2 -g 0.5 <$before.out >again
        same again swap.out
        explore -f -p plackett-luce <$before.out >again
        same again luce.out
    done
}

# ---- errors ----

@test "a round that has been answered is refused" {
    scored 1 2 | explore -g 0.5 | feedback-mask >in
    fails_on in 1 'explore: <stdin>: round 1 (qid a): the round already has feedback (seen) on the order that was shown: *' explore
}

@test "a logged order is drawn anew only with -f, whatever the policy, and -s recorded repeats it" {
    scored 1 2 | explore >in
    for policy in '' '-g 1' '-p plackett-luce' '-p top -g 1' '-s random'; do
        # shellcheck disable=SC2086
        fails_on in 1 'explore: <stdin>: round 1 (qid a): the round already has an order: to learn from a log, leave explore out, see rankpipe-logs(7); to draw another order, add -f' \
            explore $policy
        [ "$(bin2txt -f head out 2>/dev/null | wc -l)" = 0 ]
    done
    scored 1 2 3 | explore -g 1 -s random >log
    explore -g 1 -s recorded <log >again
    same log again
    # answers make the order a fact that nothing may change
    feedback-mask <log >seen
    for options in '-f' '-f -g 1' '-s recorded -g 1'; do
        # shellcheck disable=SC2086
        fails_on seen 1 'explore: <stdin>: round 1 (qid a): the round already has feedback (seen) *leave explore out, see rankpipe-logs(7)' \
            explore $options
    done
}

@test "a round without scores is refused, by all but -g 1" {
    printf '0 qid:a 1:1\n' | svm2bin >in
    for gamma in 0 0.5 0.9999999; do
        fails_on in 1 'explore: <stdin>: round 1 (qid a): needs score: put score before explore (only -g 1 needs no score)' \
            explore -g $gamma
    done
}

@test "a gamma that is no probability is refused" {
    for gamma in -0.1 1.1 nan inf x '' 0x1 1,0; do
        fails 2 "explore: -g wants a number from 0 to 1, not '$gamma'*usage: explore *" explore -g "$gamma"
    done
}

@test "an option that the policy does not take is refused" {
    for policy in top swap; do
        fails 2 "explore: -p $policy does not take -H*" explore -p $policy -g 0.1 -H 1
        fails 2 "explore: -p $policy does not take -L*" explore -p $policy -g 0.1 -L 1
    done
    for option in '-H 1' '-K 1' '-L 1'; do
        # shellcheck disable=SC2086
        fails 2 "explore: -p index does not take ${option% *}*" explore -p index $option
        # shellcheck disable=SC2086
        fails 2 "explore: the default policy, slot, worth, index or uniform, does not take ${option% *}*" \
            explore -g 0.1 $option
    done
}

@test "a list that cannot be cut into such blocks is refused with the numbers" {
    listed 1 3 0 0 0 0 0 0 0 0 0 0 >in
    refused() {
        fails_on in 1 "explore: <stdin>: round 1 (qid 1): $1" explore -p blocks "${@:2}"
    }
    refused '-K 11 is too large for -T 100: each block needs a round for each of 10 groups of items: use at most 10' \
        -T 100 -K 11
    refused '-K 26 is too large for -T 100: each block needs a round for each of 4 groups of items: use at most 25' \
        -T 100 -K 26 -k 3
    refused '-T 9 is too small: each of 10 groups of items needs a round' -T 9
    refused '-K 1 is too small for -T 4294967296: a block would have 4294967296 rounds, but at most 4294967295 are allowed' \
        -T 4294967296 -K 1
}

@test "blocks and leader refuse rounds that are no fixed list, and rounds without scores" {
    scored 1 2 >features
    listed 1 2 0 0 >two
    listed 3 3 0 0 0 >three
    cat two three >both
    svm2bin <<<'1 qid:1' >bare
    for policy in blocks leader; do
        fails_on features 1 "explore: <stdin>: round 1 (qid a): dim=1, but -p $policy needs a fixed list *(dim=0)" \
            explore -p $policy -T 10
        fails_on both 1 "explore: <stdin>: round 3 (qid 1): docs=3, but docs=2 in the rounds before: -p $policy needs *" \
            explore -p $policy -T 10
        fails_on bare 1 'explore: <stdin>: round 1 (qid 1): needs score: put score before explore' \
            explore -p $policy -T 10
        explore -p $policy -T 10 <two | feedback-mask >seen
        fails_on seen 1 'explore: <stdin>: round 1 (qid 1): the round already has feedback (seen) on the order that was shown: *' \
            explore -p $policy -T 10
    done
}

@test "top, swap and plackett-luce refuse rounds without scores, or scores too large" {
    printf '0 qid:a 1:1\n0 qid:a 1:2\n' | svm2bin >bare
    for policy in 'top -g 1' 'swap -g 1' plackett-luce; do
        # shellcheck disable=SC2086
        fails_on bare 1 'explore: <stdin>: round 1 (qid a): needs score: put score before explore' \
            explore -p $policy
    done
    scored 0 1e30 >in
    fails_on in 1 'explore: <stdin>: round 1 (qid a): score 1 is *e+30, too large for temperature 1e-300: use a larger -H' \
        explore -p plackett-luce -H 1e-300
    replay -b 10 -n 10 in >later
    fails_on later 1 'explore: <stdin>: round 10 (qid a): score 1 is *e+30, too large *: use a larger -H, or a smaller -F' \
        explore -p plackett-luce -F 300
}

# rivals: a round of 4 documents, by score 1 0 3 2, by the rival's 2 3 0 1; WORD... are added.
rivals() {
    mkstream round t=1 docs=4 dim=0 score:f8 3 4 1 2 rival:f8 1 0 3 2 "$@"
}

@test "team-draft: a coin for every two places, and each side shows its best that is left" {
    rivals >in
    replay -n 20000 in | explore -p team-draft -s 3 >out
    shown <out | sort | uniq -c | awk '{ print $2 $3 $4 $5, $1, 1 / 4 }' >orders
    is "$(cut -d ' ' -f 1 orders | paste -sd ' ')" '1203 1230 2103 2130'
    near 20000 <orders
    for t in {1..20}; do
        replay -b $t -n $t in | explore -p team-draft -s 3 >one
        order=$(shown <one)
        case $order in
        '1 2 0 3') teams='0 1 0 1' ;;
        '1 2 3 0') teams='0 1 1 0' ;;
        '2 1 0 3') teams='1 0 0 1' ;;
        '2 1 3 0') teams='1 0 1 0' ;;
        esac
        # shellcheck disable=SC2086
        rivals order:u4 $order team:u1 $teams | replay -b $t -n $t - >want
        same want one
    done
    # Where both rank the same, that is what is shown.
    mkstream round t=1 docs=3 dim=0 score:f8 1 3 2 rival:f8 4 6 5 | replay -n 30 - |
        explore -p team-draft | shown | sort -u >orders
    is "$(cat orders)" '1 2 0'
}

@test "probabilistic: each list and its teams, as often as all ways to draw it say" {
    for rival in '1 0 3' '5 9 7' '2 2 2'; do # 2 0 1; 1 2 0, as by score; ties
        mkstream round t=1 docs=3 dim=0 score:f8 3 5 4 rival:f8 $rival >in
        replay -n 20000 in | explore -p probabilistic -s 3 >out
        { shown <out | tr -d ' ' | paste -d ' ' - <(values_of team <out | paste -d '\0' - - -); } | sort | uniq -c |
            awk -v rival="$rival" '
            function place(all, order, team, p,   i, r, sum, n) {
                if (length(order) == 3) return like[order " " team] += p
                for (r = 0; r < 2; r++) {
                    sum = 0
                    for (i = 0; i < 3; i++) if (!index(order, i)) sum += 1 / (index(all[r], i) ^ 3)
                    for (i = 0; i < 3; i++) if (!index(order, i))
                        place(all, order i, team r, p / 2 / (index(all[r], i) ^ 3) / sum)
                }
            }
            BEGIN {
                all[0] = "120"
                if (rival == "2 2 2") {
                    n = split("012 021 102 120 201 210", ties, " ")
                    for (k = 1; k <= n; k++) { all[1] = ties[k]; place(all, "", "", 1 / n) }
                } else {
                    all[1] = rival == "1 0 3" ? "201" : "120"
                    place(all, "", "", 1)
                }
            }
            { print $2 "/" $3, $1, like[$2 " " $3]; total += like[$2 " " $3] }
            END { if (NR < 40 || total < 0.999 || total > 1.001) print "total", 1e9, total }' >lists
        near 20000 <lists
    done
    # without a rival, base is it
    mkstream round t=1 docs=3 dim=0 base:u4 2 0 1 score:f8 3 5 4 | replay -n 2000 - | explore -p probabilistic -s 3 | shown >got
    mkstream round t=1 docs=3 dim=0 score:f8 3 5 4 rival:f8 1 0 3 | replay -n 2000 - | explore -p probabilistic -s 3 | shown >want
    same want got
}

@test "probabilistic: what it does not take, what it needs, and who learns from it" {
    for option in -H -I -K -L -T -g -i -k; do
        fails 2 "explore: -p probabilistic does not take $option*" explore -p probabilistic $option 1
    done
    fails 2 'explore: -p probabilistic does not take -B, which *' explore -p probabilistic -B 0.3
    fails_on <(scored 1 2) 1 'explore: <stdin>: round 1 (qid a): -p probabilistic interleaves two rankings, and needs the column rival or base *' \
        explore -p probabilistic
    synth -n 60 linear | loop 'score | explore -p probabilistic | feedback-mask -c perfect -L 4 | update -a dbgd' >model
    is "$(bin2txt model | grep -c '^w.*[1-9]')" 10
    mkstream round t=1 docs=2 dim=0 team:u1 1 0 order:u4 0 1 seen:f4 1 >round
    fails_on round 1 'update: <stdin>: round 1: explore -p team-draft or probabilistic drew the order (team), for dbgd: *' \
        update -a kl
}

@test "-i: a share of the rounds with a rival is a team draft, and the others are as without -i" {
    local options
    rivals | replay -n 20000 - >in
    explore -p uniform -g 0.2 -s 5 <in >plain
    explore -p uniform -g 0.2 -s 5 -i 0.25 <in >some
    explore -p team-draft -s 5 <in >drafts
    bin2txt -f head some | awk '/team:/ { n++ } END { print "share", n, 1 / 4 }' >share
    near 20000 <share
    for name in plain some drafts; do shown <$name >$name.shown; done
    bin2txt -f head some | awk '{ print /team:/ }' >team
    paste -d , team some.shown plain.shown drafts.shown |
        awk -F , '$2 != ($1 ? $4 : $3) { exit 1 } $1 && $3 != $4 { n++ } END { exit n == 0 }'
    explore -p uniform -g 0.2 -s 5 -i 0 <in >none
    same none plain
    # All of them; and none where there is no rival, also if there is a base.
    explore -i 1 -s 5 <in >all
    same all drafts
    mkstream round t=1 docs=3 dim=0 base:u4 2 1 0 score:f8 1 3 2 | replay -n 50 - >alone
    explore -p uniform -g 0.2 <alone >plain
    explore -p uniform -g 0.2 -i 1 <alone >none
    same none plain
    # With -B both orders are within the bound; the round repeats by its seed.
    rivals base:u4 0 1 2 3 | replay -n 200 - >bounded
    is "$(explore -i 1 -B 0 <bounded 2>/dev/null | shown | sort -u)" '0 1 2 3'
    explore -i 0.5 -B 0.37 -s random <bounded 2>/dev/null >log
    explore -i 0.5 -B 0.37 -s recorded <log 2>/dev/null >again
    same log again
    for policy in team-draft 'blocks -T 9' 'leader -T 9'; do
        # shellcheck disable=SC2086
        fails 2 "explore: -p ${policy%% *} does not take -i*" explore -p $policy -i 0.5
    done
}

@test "-I: a share of the rounds with a base is a draft with it, and -i comes first" {
    local options
    rivals base:u4 0 1 2 3 | replay -n 20000 - >in
    explore -p uniform -g 0.2 -s 5 -i 0.25 <in >plain
    explore -p uniform -g 0.2 -s 5 -i 0.25 -I 0 <in >none
    same none plain
    explore -p uniform -g 0.2 -s 5 -i 0.25 -I 0.4 <in >some
    # What -i takes is as without -I; a draft with base has no rival, and is the same as where there never was one.
    mkstream round t=1 docs=4 dim=0 base:u4 0 1 2 3 score:f8 3 4 1 2 | replay -n 20000 - | explore -p team-draft -s 5 >own
    for name in plain some own; do
        shown <$name >$name.shown
        bin2txt -f head $name | awk '{ print /team:/ ? /rival:/ ? "rival" : "base" : "none" }' >$name.kind
    done
    paste -d , plain.kind some.kind plain.shown some.shown own.shown | awk -F , '
        $1 == "rival" && ($2 != "rival" || $3 != $4) || $2 == "base" && $4 != $5 || $2 == "none" && $3 != $4 { exit 1 }
        $1 == "none" && $2 == "rival" { exit 1 }'
    grep -c base some.kind | awk '{ print "base", $1, 0.75 * 0.4 }' >share
    near 20000 <share
    # Nor does it need a rival; it needs a base.
    mkstream round t=1 docs=4 dim=0 base:u4 0 1 2 3 score:f8 3 4 1 2 | replay -n 20000 - | explore -I 1 -s 5 >all
    same all own
    rivals | explore -I 1 -s 5 >all
    rivals | explore -s 5 >want
    same all want
    # The round repeats by its seed, and counts for the one that chose.
    explore -i 0.3 -I 0.4 -B 0.37 -s random <in 2>/dev/null >log
    explore -i 0.3 -I 0.4 -B 0.37 -s recorded <log 2>/dev/null >again
    same log again
    for policy in team-draft 'blocks -T 9' 'leader -T 9'; do
        # shellcheck disable=SC2086
        fails 2 "explore: -p ${policy%% *} does not take -I*" explore -p $policy -I 0.5
    done
}

@test "-I with -B: a held document at place b of base is at 2b at most, and the first ten are base's while all are held" {
    # Of 30 documents the one at place b is held; by score it comes last, after those below place 10.
    local b
    for b in $(seq 1 10); do
        # shellcheck disable=SC2046
        mkstream round t=1 docs=30 dim=0 base:u4 $(seq 0 29) score:f8 $(seq 1 30) \
            held:u1 $(seq 1 30 | awk -v b="$b" '{ print $1 == b }') | replay -n 200 - >in
        explore -I 1 -B 0.37 <in | shown | awk -v document=$((b - 1)) '
            { for (i = 1; i <= NF; i++) if ($i == document && i > most) most = i } END { print most }'
    done | xargs >most
    is "$(cat most)" '2 4 6 8 10 12 14 16 18 19'
    # shellcheck disable=SC2046
    based $(seq 1 30) | replay -n 200 - | explore -I 1 -B 0.37 2>/dev/null | shown | cut -d ' ' -f 1-10 | tr ' ' '\n' | sort -un | xargs >ten
    is "$(cat ten)" '0 1 2 3 4 5 6 7 8 9'
}

@test "team-draft: what is shown anew is no draft any more, and what is scored anew has no rival" {
    rivals | explore -p team-draft >out
    explore -f <out >again
    rivals order:u4 1 0 3 2 >want
    same want again
    mkstream model learner=fixed rounds=0 dim=4 w:f8 0 1 2 3 >model
    rivals | score -m model >scored
    mkstream round t=1 docs=4 dim=0 score:f8 0 1 2 3 >want
    same want scored
    fails_on scored 1 'explore: <stdin>: round 1: -p team-draft interleaves two rankings, *score -f ring *update -a dbgd*' \
        explore -p team-draft
    for option in -H -K -L -T -g -k; do
        fails 2 "explore: -p team-draft does not take $option*" explore -p team-draft $option 1
    done
}

# ---- within a bound of base ----

# based SCORE... [+ WORD...]: a round whose base is 0 1 2 ... and whose documents have these scores.
based() {
    local scores=()
    while [ $# -gt 0 ] && [ "$1" != + ]; do scores+=("$1") && shift; done
    # shellcheck disable=SC2046
    mkstream round t=1 docs=${#scores[@]} dim=0 base:u4 $(seq 0 $((${#scores[@]} - 1))) score:f8 "${scores[@]}" "${@:2}"
}

@test "-B: a document of base's first ten stays above its deadline, and the first ten are base's" {
    # Places 1, 2 and 3 may go to 2, 4 and 8; all others to 10. By score the order is 11 10 ... 0.
    based 0 1 2 3 4 5 6 7 8 9 10 11 >in
    is "$(explore <in | shown)" '11 10 9 8 7 6 5 4 3 2 1 0'
    is "$(explore -B 0.37 <in 2>/dev/null | shown)" '9 0 8 1 7 6 5 2 4 3 11 10'
    is "$(explore -B 0 <in 2>/dev/null | shown)" '0 1 2 3 4 5 6 7 8 9 11 10'
    # 1 - 1/log2(3) is .36907: below it the first document stays the first.
    is "$(explore -B 0.369 <in 2>/dev/null | shown | cut -c 1)" 0
    is "$(explore -B 0.3691 <in 2>/dev/null | shown | cut -c 1)" 9
}

@test "-B: documents that were released stand anywhere, those with a 2 within three places, with a 3 within one" {
    based 0 1 2 3 4 5 6 7 8 9 10 11 + held:u1 0 1 1 1 1 1 1 1 1 1 1 0 | explore -B 0 2>err | shown >out
    is "$(cat out)" '11 1 2 3 4 5 6 7 8 9 10 0'
    [ ! -s err ]
    based 0 1 2 3 4 5 6 7 8 9 10 11 + held:u1 2 2 2 2 2 2 2 2 2 2 2 2 | explore -B 0.99 | shown >out
    # Places 12 to 8 go to those that are wished last and may be there, 7 to 5 to those of 10 to 8,
    # which must; then 4 to 2 by wish, and place 1 to that of 4.
    is "$(cat out)" '3 2 1 0 7 8 9 4 5 6 11 10'
    # Within one place, also where one document alone has a 3: of each two the one wished first.
    for held in '3 3 3 3 3 3' '2 2 3 2 2 2'; do
        is "$(based 0 1 2 3 4 5 + held:u1 $held | explore -B 0.99 | shown)" '1 0 3 2 5 4'
    done
    is "$(based 1 2 3 4 + held:u1 0 0 0 0 | explore -B 0 | shown)" '3 2 1 0'
    mkstream round t=1 docs=2 dim=0 base:u4 0 1 score:f8 1 2 held:u1 0 4 >bad
    fails_on bad 1 'explore: <stdin>: round 1: column held: value 1 is 4: it must be a number from 0 to 3' explore
}

@test "-B: without held all documents are held, and explore says so once" {
    based 1 2 3 | replay -n 20 - >in
    explore -B 0.37 <in 2>err >out
    is "$(cat err)" 'explore: -B holds every document near its place in base, whatever users say: rounds have no column held, which score adds for the learner memory'
    is "$(shown <out | sort -u)" '2 0 1'
    loop 'replay in | explore -B 0.37' 2>err >looped
    same looped out
    is "$(wc -l <err)" 1
    based 1 2 3 >one
    echo 1 1 | weights2bin -x base >engine # its order is base's, so nothing is held back
    score -m engine <one | explore -B 0.37 2>err >out
    is "$(cat err)" ''
    explore -B 0.37 -s random <in 2>/dev/null | bin2txt -f head | grep -c ' seed=' >n
    is "$(cat n)" 20
}

@test "-B: without base a round is refused" {
    scored 1 2 3 >in
    fails_on in 1 'explore: <stdin>: round 1 (qid a): -B needs the column base, the order of the search engine: use svm2bin -e, log2bin -e or serve -e' \
        explore -B 0.37
}

@test "-B: by worth and by index, the filter comes after the policy" {
    # By worth 2 0 1 3, by index 3 2 1 0 (scores 3 2 1 0).
    based 3 2 1 0 + worth:f8 0 0.5 2 0 held:u1 1 1 1 1 >in
    is "$(explore <in | shown)" '2 0 1 3'
    is "$(explore -B 0.3 <in | shown)" '0 2 1 3' # 0 stays, 1 may go to place 3
    is "$(explore -B 0 <in | shown)" '0 1 2 3'
    based 3 2 1 0 + index:f8 0 1 2 3 held:u1 1 0 0 0 >in
    is "$(explore <in | shown)" '3 0 1 2'
    is "$(explore -B 0 <in | shown)" '0 3 1 2'
    is "$(explore -B 0 -k 4 <in | shown)" '0 3 2 1'
}

@test "-B: plackett-luce writes no logit, and greedy is within the bound too" {
    based 1 2 3 4 5 6 7 8 9 10 11 12 >in
    replay -n 400 in | explore -p plackett-luce -H 3 -B 0.37 2>/dev/null >out
    is "$(bin2txt -f head out | grep -c logit)" 0
    is "$(values_of greedy <out | paste -d ' ' - - - - - - - - - - - - | sort -u)" \
        "$(explore -B 0.37 <in 2>/dev/null | shown)"
    shown <out | awk '{ for (a = 1; a <= NF; a++) if (($a == 0 && a > 2) || ($a == 1 && a > 4) || ($a == 2 && a > 8) ||
        ($a < 10) != (a <= 10)) { print; exit 1 } }'
    [ "$(shown <out | sort -u | wc -l)" -gt 50 ]
}

# slotted HELD...: twelve documents in the order of base, where the model learnt clicks.
slotted() {
    mkstream round t=1 docs=12 dim=0 rates=1 base:u4 $(seq 0 11) score:f8 $(seq 12 -1 1) held:u1 "$@"
}

@test "-B: slot draws after the filter, where the document of its place is not held" {
    slotted 1 1 1 1 1 1 1 1 1 0 0 0 >in
    replay -n 3000 in | explore -B 0.37 >out
    is "$(bin2txt -f head out | grep -c ' gamma=0.29999999999999999 slot=10 ')" 3000
    shown <out | sort | uniq -c | awk '{ print $11, $1, $11 == 9 ? 0.8 : 0.1 }' >orders
    is "$(cut -d ' ' -f 1 orders | paste -sd ' ')" '10 11 9'
    near 3000 <orders
    # -g is slot's gamma; greedy is within the bound, as the order is where nothing is drawn
    is "$(explore -p slot -g 1 -B 0 <in | values_of greedy | xargs)" '0 1 2 3 4 5 6 7 8 9 10 11'
    # a held document at the place, one with a deadline below it, or few clients: nothing is drawn
    for held in '10 0 0 0 0 0 0 0 0 0 1 0 0' '9 0 0 0 0 0 0 0 0 0 1 0 0' '11 0 0 0 0 0 0 0 0 0 0 1 0' \
        '10 2 2 2 2 2 2 2 2 2 2 2 2' '10 0 0 0 0 0 0 0 0 0 0 0 2' '10 0 0 0 0 0 0 0 0 0 0 0 3'; do
        slotted ${held#* } | replay -n 50 - | explore -p slot -k ${held%% *} -g 1 -B 0.37 >out
        is "$(bin2txt -f head out | grep -c " gamma=0 slot=${held%% *} ")" 50
        is "$(shown <out | sort -u)" '0 1 2 3 4 5 6 7 8 9 10 11'
        is "$(values_of greedy <out)" ''
    done
    # without the column held all are
    mkstream round t=1 docs=12 dim=0 base:u4 $(seq 0 11) score:f8 $(seq 12 -1 1) |
        explore -p slot -g 1 -B 0.37 2>err | values_of gamma >out
    is "$(cat out)" 0
}

@test "-B: learners that need propensities refuse the rounds, and name -B" {
    based 1 2 3 + label:f4 0 1 0 >in
    explore -B 0.37 <in 2>/dev/null | feedback-mask >seen
    fails_on seen 1 'update: <stdin>: round 1: kl needs gamma to learn from partial feedback (1 of 3 relevances): add -g to explore, which excludes -B, before *' \
        update -a kl -e 0.1
    explore -p plackett-luce -B 0.37 <in 2>/dev/null | feedback-mask -c perfect -k 2 >clicked
    fails_on clicked 1 'update: <stdin>: round 1: pdgd needs the column logit, *: use explore -p plackett-luce, without -B, before *' \
        update -a pdgd
    printf '1 1\n2 0.5\n' >theta
    fails_on clicked 1 'metric: <stdin>: round 1: ips:dcg needs to know how the order was drawn (gamma=, logit or propensity; explore -B writes none of them): *' \
        metric -p theta ips:dcg
}

@test "-s recorded with -B repeats the order from what the round has: base, held, score, worth" {
    based 5 4 3 2 1 0 + worth:f8 0 3 0 4 0 5 held:u1 1 0 1 2 1 1 | replay -n 30 - >in
    for options in '' '-p plackett-luce -H 2' '-p uniform' '-p team-draft'; do
        # shellcheck disable=SC2086
        explore $options -B 0.37 -s random <in >log
        # shellcheck disable=SC2086
        explore $options -B 0.37 -s recorded <log >again
        same log again
    done
    based 5 4 + worth:f8 0 3 | explore -B 0.37 -s random 2>/dev/null >log
    fails_on log 1 'explore: <stdin>: round 1: -s recorded and -B need the column held, which score adds for the learner memory: *' \
        explore -B 0.37 -s recorded
    based 5 4 | explore -B 0.37 -s random 2>/dev/null >log # by another learner
    explore -B 0.37 -s recorded <log 2>/dev/null >again
    same log again
}

@test "team-draft: without a rival, base is it; with -B both orders are within the bound first" {
    mkstream round t=1 docs=4 dim=0 base:u4 2 3 0 1 score:f8 3 4 1 2 >in # by score 1 0 3 2
    replay -n 400 in | explore -p team-draft -s 3 >out
    mkstream round t=1 docs=4 dim=0 score:f8 3 4 1 2 rival:f8 1 0 3 2 | replay -n 400 - | explore -p team-draft -s 3 >want
    is "$(shown <out)" "$(shown <want)"
    is "$(values_of team <out)" "$(values_of team <want)"
    # Within .37 the order is 1 2 0 3 (2 may go to place 2, 3 to 4): document 1 is shown first or second.
    is "$(replay -n 100 in | explore -p team-draft -B 0.37 2>/dev/null | shown | cut -c 1-3 | sort -u | paste -sd ,)" '1 2,2 1'
    mkstream round t=1 docs=4 dim=0 base:u4 2 3 0 1 score:f8 3 4 1 2 rival:f8 4 3 1 2 >in
    is "$(replay -n 100 in | explore -p team-draft -B 0 2>/dev/null | shown | sort -u)" '2 3 0 1'
    fails_on <(scored 1 2) 1 'explore: <stdin>: round 1 (qid a): -p team-draft interleaves two rankings, and needs the column rival or base *' \
        explore -p team-draft
}

@test "a round that says of its order two things is refused" {
    rivals order:u4 0 1 2 3 team:u1 0 1 0 1 logit:f8 0 0 0 0 >bad
    fails_on bad 1 'explore: <stdin>: round 1: the column logit and the column team exclude each other: an order is drawn in one way' explore
    mkstream round t=1 docs=2 dim=0 gamma=0.5 score:f8 1 2 order:u4 0 1 team:u1 0 1 >bad
    fails_on bad 1 'explore: <stdin>: round 1: gamma= and the column team exclude each other: *' explore
    mkstream round t=1 docs=2 dim=0 score:f8 1 2 order:u4 0 1 team:u1 0 2 >bad
    fails_on bad 1 'explore: <stdin>: round 1: column team: value 1 is 2: it must be a number from 0 to 1' explore
    mkstream round t=1 docs=2 dim=0 score:f8 1 2 order:u4 0 1 team:u1 0 >bad
    fails_on bad 1 'explore: <stdin>: round 1: column team has 1 values, not 2' explore
    for column in logit:f8 team:u1; do
        mkstream round t=1 docs=2 dim=0 score:f8 1 2 $column 0 0 >bad
        fails_on bad 1 "explore: <stdin>: round 1: column ${column%:*} needs the column order, to which it refers" explore
    done
    mkstream round t=1 docs=2 dim=0 score:f8 1 2 rival:f8 1 nan >bad
    fails_on bad 1 'explore: <stdin>: round 1: column rival: value 1 is nan: it must be a finite number' explore
}
