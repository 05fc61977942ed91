#!/usr/bin/env bats
# explore: which order is shown, and what is told about it.

load helper

is() {
    [ "$1" = "$2" ] || { printf -- '--- expected\n%s\n--- got\n%s\n' "$2" "$1" && return 1; }
}

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

@test "ties are shown in document order" {
    is "$(scored 1 2 1 2 1 | explore | shown)" '1 3 0 2 4'
    is "$(scored 0 -0 0 | explore | shown)" '0 1 2'
    fives=$(printf '%d ' {1..100} | tr 1-9 55555) # 5 and 50 and 55 and 500
    # shellcheck disable=SC2086
    is "$(scored $fives | explore | shown)" "$(printf '%s\n' $fives | awk '{ print NR - 1, $1 }' |
        sort -s -k 2,2nr | cut -d ' ' -f 1 | paste -sd ' ')"
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
    # The last 48 bytes of a payload are order, greedy and x.
    bin2txt -f head explored | tail -n 1 | grep -q 'order:u4\[4\],greedy:u4\[4\],x:f4\[4\] bytes=96$'
    bin2txt -f head by_score | tail -n 1 | grep -q 'order:u4\[4\],x:f4\[4\] bytes=80$'
    end=$(echo 'rankpipe/1 end rounds=50 bytes=0' | wc -c)
    tail -c $((end + 32)) explored | head -c 16 >greedy
    tail -c $((end + 32)) by_score | head -c 16 >order
    same greedy order
    printf '\x2\0\0\0\0\0\0\0\x3\0\0\0\x1\0\0\0' >expected
    same greedy expected
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

@test "exploring again replaces the order and what was told of it" {
    scored 1 2 3 >in
    explore -g 1 <in | explore >again
    explore <in >once
    same once again
}

# ---- errors ----

@test "a round that has been answered is refused" {
    scored 1 2 | explore -g 0.5 | feedback-mask >in
    fails_on in 1 'explore: <stdin>: round 1 (qid a): it has been shown and answered (seen): *' explore
}

@test "a round without scores is refused, by all but -g 1" {
    printf '0 qid:a 1:1\n' | svm2bin >in
    for gamma in 0 0.5 0.9999999; do
        fails_on in 1 'explore: <stdin>: round 1 (qid a): needs score: put score before explore *' \
            explore -g $gamma
    done
}

@test "a gamma that is no probability is refused" {
    for gamma in -0.1 1.1 nan inf x '' 0x1 1,0; do
        fails 2 "explore: -g wants a number from 0 to 1, not '$gamma'*usage: explore *" explore -g "$gamma"
    done
}

@test "a horizon or a seed that is no whole number is refused, and a policy that is not there" {
    fails 2 "explore: -T wants a whole number from 1 to *, not '0'*" explore -T 0
    fails 2 "explore: -s wants a whole number from 0 to *, not '-1'*" explore -s -1
    fails 2 "explore: -p wants *uniform*, not 'greedy'*" explore -p greedy
    fails 2 'explore: -g and -T both say gamma: give one of them*' explore -g 0.1 -T 1000
}
