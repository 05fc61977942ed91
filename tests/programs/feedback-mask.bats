#!/usr/bin/env bats
# feedback-mask: what is left of the labels.

load ../helper

# The header of a stream of one round, and the values of its columns.
head_of() {
    bin2txt -f head "$1" | sed 's/^rankpipe.1 round //'
}

columns_of() {
    for column in mine order seen; do echo "$column" $(values_of $column <"$1"); done | paste -sd ' '
}

# Three documents of relevance 4, 0.1 and 1 (as bytes 00008040 cdcccc3d 0000803f), shown 2 0 1, and
# of a truth that no label of ours may show: 0.7 for the first document shown, by bytes 3333333f.
round() {
    echo 'rankpipe/1 round t=3 qid=a docs=3 dim=0 gamma=0.5 x-site=7'\
        'cols=label:f4[3],label-true:f4[1],mine:u1[2],order:u4[3],label-:u1[1] bytes=31'
    printf '\0\0\x80\x40' && printf '\xcd\xcc\xcc\x3d' && printf '\0\0\x80\x3f'
    printf '\x33\x33\x33\x3f' && printf 'hi'
    printf '\x2\0\0\0' && printf '\0\0\0\0' && printf '\x1\0\0\0' && printf '\x55'
    echo 'rankpipe/1 end rounds=1 bytes=0'
}

@test "seen is the relevance of the first k documents shown, every label is gone" {
    round | feedback-mask -k 2 >out
    is "$(head_of out)" \
        't=3 qid=a docs=3 dim=0 gamma=0.5 x-site=7 cols=mine:u1[2],order:u4[3],seen:f4[2] bytes=22'
    is "$(columns_of out)" 'mine 104 105 order 2 0 1 seen 1 4'
}

@test "clicks say that they are clicks, and relevance after them does not" {
    small_text | svm2bin | explore -g 1 | feedback-mask -c perfect >clicks
    is "$(values_of clicks <clicks | sort -u)" 1
    small_text | svm2bin | explore -g 1 | feedback-mask -n 1 | values_of clicks >none
    [ ! -s none ]
}

@test "k is 1 where none is given" {
    round | feedback-mask >out
    round | feedback-mask -k 1 >one
    same one out
    is "$(columns_of out)" 'mine 104 105 order 2 0 1 seen 1'
}

@test "a seed without clicks or noise changes nothing, so a loop over users needs no cases" {
    round | feedback-mask -k 2 >out
    round | feedback-mask -k 2 -s 7 >seeded
    same out seeded
}

@test "-k all, and a k beyond the list, are the whole list" {
    round | feedback-mask -k all >all
    is "$(head_of all)" \
        't=3 qid=a docs=3 dim=0 gamma=0.5 x-site=7 cols=mine:u1[2],order:u4[3],seen:f4[3] bytes=26'
    is "$(columns_of all)" 'mine 104 105 order 2 0 1 seen 1 4 0.100000001'
    round | feedback-mask -k 3 >three
    same all three
    round | feedback-mask -k 4294967295 >most
    same all most
}

@test "the hidden labels' bytes are not in the stream" {
    hex() { od -An -v -tx1 | tr -d ' \n'; }
    whole=$(round | hex)
    masked=$(round | feedback-mask -k 2 | hex)
    for hidden in cdcccc3d 3333333f; do
        is "$(grep -c $hidden <<<"$whole")" 1
        is "$(grep -c $hidden <<<"$masked")" 0
    done
}

@test "no label is left of many rounds, and the features are as they were" {
    small_text | svm2bin | explore -g 1 | feedback-mask >out
    is "$(bin2txt -f head out | grep -c label)" 0
    is "$(bin2txt out | cut -d ' ' -f 2-)" "$(small_text | svm2bin | bin2txt | cut -d ' ' -f 2-)"
    is "$(bin2txt out | cut -d ' ' -f 1 | sort -u)" '?'
}

@test "a column that is not quite named label stays" {
    { echo 'rankpipe/1 round t=1 docs=1 dim=0 cols=label:f4[1],labels:u1[1],my-label:u1[1],order:u4[1] bytes=10' &&
        head -c 10 /dev/zero && echo 'rankpipe/1 end rounds=1 bytes=0'; } >in
    feedback-mask <in >out
    is "$(head_of out)" 't=1 docs=1 dim=0 cols=labels:u1[1],my-label:u1[1],order:u4[1],seen:f4[1] bytes=10'
}

@test "seen goes just before the features" {
    printf '1 qid:a 9:1\n' | svm2bin | explore -g 1 | feedback-mask >out
    is "$(head_of out)" 't=1 qid=a docs=1 dim=9 gamma=1 '\
'cols=order:u4[1],seen:f4[1],ptr:u4[2],idx:u4[1],val:f4[1] bytes=24'
}

# ---- errors ----

@test "a round without labels is refused, and so is one that was masked before" {
    printf 'qid:a 1:1\n' | svm2bin -u | explore -g 1 >in
    fails_on in 1 'feedback-mask: <stdin>: round 1 (qid a): needs the column label, *' feedback-mask
    round | feedback-mask >masked
    fails_on masked 1 'feedback-mask: <stdin>: round 3 (qid a): needs the column label, *' feedback-mask
}

@test "a round without an order is refused" {
    printf '1 qid:a 1:1\n' | svm2bin >in
    fails_on in 1 'feedback-mask: <stdin>: round 1 (qid a): needs order: put explore before feedback-mask' \
        feedback-mask
}

@test "a round that fails gives nothing away" {
    printf '1 qid:a 1:1\n' | svm2bin >in
    fails_on in 1 '*needs order*' feedback-mask
    [ ! -s out ]
}

@test "a k that is no number from 1 up is refused" {
    for k in 0 -1 1.5 some '' 4294967296; do
        fails 2 "feedback-mask: -k wants *, not '$k'*usage: feedback-mask *" feedback-mask -k "$k"
    done
}

# ---- clicks ----

# shown T...: rounds with these numbers of documents of relevance 1 2 2 3 0 4, shown from the last.
shown() {
    local t
    for t; do
        echo "rankpipe/1 round t=$t qid=a docs=6 dim=0 cols=label:f4[6],order:u4[6] bytes=48"
        printf '\0\0\x80\x3f\0\0\0\x40\0\0\0\x40\0\0\x40\x40\0\0\0\0\0\0\x80\x40'
        printf '\x5\0\0\0\x4\0\0\0\x3\0\0\0\x2\0\0\0\x1\0\0\0\0\0\0\0'
    done
    echo "rankpipe/1 end rounds=$# bytes=0"
}

# labelled LABEL...: a round with documents of these.
labelled() {
    printf '%s qid:a 1:1\n' "$@" | svm2bin | explore -g 1
}

# The clicks of each round, as digits from the first place down, - where nothing is said.
clicks() {
    bin2txt -f rank "$@" | awk '$3 == 1 { if (s) print s; s = "" } { s = s $6 } END { print s }'
}

# Worked out by another program from rankpipe's generator: a seed means these for ever.
@test "who clicks on what is as the model says of the seed's draws" {
    while read -r person seed want; do
        is "$(shown 1 2 9 | feedback-mask -c "$person" -s "$seed" | clicks | xargs)" "$want"
    done <<'WANT'
perfect 1 101111 101010 100001
perfect 2 101011 100100 101100
navigational 1 001110 100000 100000
navigational 2 100000 100000 100000
informational 1 001110 100000 100000
informational 2 100000 100000 101000
WANT
    shown 1 2 9 | feedback-mask -c perfect -s 1 >one
    shown 1 2 9 | feedback-mask -c perfect >out
    same one out
}

@test "of labels 0 and 1 the perfect user clicks on all 1s, whatever the seed" {
    labelled 1 0 1 1 0 0 1 >in
    for seed in 0 1 77 9007199254740992; do
        feedback-mask -c perfect -L 1 -s $seed <in >out
        is "$(clicks out | tr -d '\n')" "$(bin2txt -f rank in | cut -f 6 | tr -d '\n')"
    done
}

@test "the cascade user clicks where the perfect one does first, and on nothing below" {
    shown 1 2 9 >in
    for seed in 1 2 3 4; do
        feedback-mask -c perfect -s $seed <in | clicks | sed 's/1.*/1/' >first
        feedback-mask -c cascade -s $seed <in | clicks | sed 's/10*$/1/' >cascade
        same first cascade
    done
}

# 20,000 rounds of two documents, in random order: clicks are drawn by k^-eta A, where A is 1 for the
# top grade and the noise for 0; a share's deviation is at most 0.005.
shares() {
    labelled 4 0 | replay -n 20000 /dev/stdin | explore -f -g 1 | feedback-mask -c "$1" | bin2txt -f rank |
        awk '{ n[$3 " " $4]++; s[$3 " " $4] += $6 }
            END { for (i in n) printf "%s %.1f\n", i, 10 * s[i] / n[i] }' | sort | cut -d ' ' -f 3 | xargs
}

@test "the users of position and trust click less the lower a document is, as the formulas say" {
    slow
    # in tenths: (position 1, grade 4), (1, 0), (2, 4), (2, 0)
    near() { echo "$(shares "$1") $2" | awk '{ for (i = 1; i <= 4; i++) if (($i - $(i + 4)) ^ 2 > 0.04) exit 1 }'; }
    near position '10 1 5 0.5'
    near position:2 '10 1 2.5 0.25'
    near position:1:0 '10 0 5 0'
    near trust '9.8 6.83 4.9 1.952'
    near sparse:0.5:position '5 0.5 2.5 0.25'
    near noise '3 3 1.5 1.5'
}

@test "sparse: other searches have no click; place is position with 1 and 1; what was posted is added" {
    labelled 4 0 1 3 2 4 0 | replay -n 2000 /dev/stdin | explore -f -g 1 >shown
    feedback-mask -c place <shown >place
    feedback-mask -c position:1:1 <shown >position
    same position place
    feedback-mask -c navigational <shown | clicks >all
    feedback-mask -c sparse:0.1:navigational <shown | clicks >sparse
    # 200 +- 5 x 13.4 are of the user, and as without
    paste all sparse | awk '$2 !~ /1/ { next } $1 != $2 { exit 1 } { n++ } END { exit !(n > 133 && n < 267) }'
    feedback-mask -c answered <shown | clicks >answered
    feedback-mask -c answered:0.5 <shown | clicks >posted
    paste answered posted | awk '{ more = gsub(/1/, "1", $2) - gsub(/1/, "1", $1); if (more < 0 || more > 1) exit 1; n += more }
        END { exit !(n > 200) }'
    feedback-mask -c answered:0 <shown | clicks | cmp - answered
}

@test "bait: the same documents of a query in each round, others for another seed; values are 1 or LOW" {
    printf '0 qid:%s 1:1\n' $(printf '%s\n' {1..40} | awk '{ for (i = 0; i < 10; i++) print $1 }') | svm2bin |
        replay -n 8000 -s 2 /dev/stdin | explore -f -g 1 >shown
    # at place 1 bait has .9 of a click and others have .1, the noise: of about 20 rounds half tell them
    baited() { feedback-mask -c bait:0.2:0.25 -s "$1" <shown | bin2txt -f rank |
        awk '$3 == 1 { n[$2 " " $4]++; c[$2 " " $4] += $6 > 0 } END { for (i in n) if (c[i] > n[i] / 2) print i }' | sort; }
    baited 1 >one
    is "$(awk 'END { print (NR > 40 && NR < 120) }' one)" 1 # 80 +- 5 x 8
    baited 2 >two
    [ "$(comm -12 one two | wc -l)" -lt 40 ]
    feedback-mask -c bait:0.2:0.25 <shown >values
    is "$(bin2txt -f rank values | cut -f 6 | sort -u | xargs)" '0 0.25 1'
    is "$(values_of clicks <values | sort -u)" 1
    # which is worth 1 with probability A = .1, on bait; with LOW of 1 the same are clicks of 1
    feedback-mask -c bait:0.2 <shown | clicks >whole
    bin2txt -f rank values | sed 's/0\.25$/1/' | awk '$3 == 1 { if (s) print s; s = "" } { s = s $6 } END { print s }' |
        cmp - whole
}

@test "mixed: a tenth of the searches click anywhere on the page, also of users who see less of it" {
    printf '0 qid:1 1:1\n%.0s' {1..15} | svm2bin | replay -n 20000 /dev/stdin | explore -g 1 >shown
    feedback-mask -c mixed -L 1 -k 12 <shown | clicks >twelve
    feedback-mask -c mixed -L 1 -k 3 <shown | clicks | cut -c 1-3 >three
    cut -c 1-3 twelve | cmp - three
    # of grade 0 at place 10: .4 x .05 x .99^9 + .2 x .4 x .96^9 + .2 x .01 + .1 x .1 = .0857, +- 5 x .002
    is "$(awk '{ n += substr($0, 10, 1) } END { print (n > 1515 && n < 1911) }' twelve)" 1
    # at place 11 nobody of the last: .4 x .05 x .99^10 + .2 x .4 x .96^10 + .2 x .1 / 11 = .0731
    is "$(awk '{ n += substr($0, 11, 1) } END { print (n > 1278 && n < 1646) }' twelve)" 1
}

@test "with the top grade the same label is clicked on as often as its scale says" {
    for L in 1 2 4; do
        labelled 1 >in
        replay -n 2000 in | explore -f -g 1 | feedback-mask -c perfect -L $L >out
        clicks out | awk '{ n += $1 } END { print n }' >>counts
    done
    # 2000 draws: certain, one in two (deviation 22) and one in five (deviation 18).
    is "$(awk 'NR == 1 { print ($1 == 2000) } NR == 2 { print ($1 > 900 && $1 < 1100) }
        NR == 3 { print ($1 > 325 && $1 < 475) }' counts | xargs)" '1 1 1'
    feedback-mask -c perfect -L 4 <in >four
    feedback-mask -c perfect <in >none
    same four none
}

@test "a person looks at ten places, or at as many as -k says" {
    labelled 1 0 1 1 0 0 1 0 0 1 1 1 0 >in
    feedback-mask -c informational <in >ten
    bin2txt -f head ten | grep -q 'seen:f4\[10\]'
    feedback-mask -c informational -k 10 <in >out
    same ten out
    # What is below changes nothing above.
    whole=$(feedback-mask -c informational -k all <in | clicks)
    is "${#whole}" 13
    for k in 1 3 10 12; do
        is "$(feedback-mask -c informational -k $k <in | clicks)" "${whole:0:k}$(printf '%*s' $((13 - k)) '' | tr ' ' -)"
    done
    labelled 1 0 | feedback-mask -c informational >two
    bin2txt -f head two | grep -q 'seen:f4\[2\]'
}

@test "with clicks too, labels are gone, and only 0 and 1 are seen" {
    small_text | svm2bin | replay -n 300 /dev/stdin | explore -g 1 | feedback-mask -c informational >out
    is "$(bin2txt -f head out | grep -c label)" 0
    is "$(bin2txt -f rank out | cut -f 6 | sort -u | xargs)" '0 1'
}

@test "clicks depend on seed and t, and on no other round, process or run" {
    small_text | svm2bin >q.bin
    replay -n 60 -s 1 q.bin | explore -g 1 | feedback-mask -c informational -s 5 >all
    replay -n 30 -s 1 q.bin | explore -g 1 | feedback-mask -c informational -s 5 >first
    replay -b 31 -n 60 -s 1 q.bin | explore -g 1 | feedback-mask -c informational -s 5 >rest
    is "$(cat <(bin2txt -f rank first) <(bin2txt -f rank rest))" "$(bin2txt -f rank all)"
    loop 'replay -n 60 -s 1 q.bin | explore -g 1 | feedback-mask -c informational -s 5' >looped
    same all looped
    replay -n 60 -s 1 q.bin | explore -g 1 | feedback-mask -c informational -s 6 >other
    ! cmp -s all other
}

@test "update learns from clicks as from any relevance" {
    small_text | svm2bin >q.bin
    mkfifo ring
    replay -n 200 q.bin | score -f ring | explore -g 0.5 | feedback-mask -c navigational |
        update -a squared -e 1e-3 -U 5 -f ring -m w.bin
    [ "$(bin2txt w.bin | wc -l)" -gt 0 ]
}

@test "a label that is no grade of the scale is refused, shown or not" {
    labelled 0 5 >in
    fails_on in 1 'feedback-mask: <stdin>: round 1 (qid a): label 5 of document 1 is above 4, the top grade of the click model: *' \
        feedback-mask -c perfect -k 1
    [ ! -s out ]
    labelled 2 0 1 >in
    fails_on in 1 '*label 2 of document 0 is above 1, the top grade of the click model: use a larger -L, up to 4' \
        feedback-mask -c perfect -L 1
    labelled 1 1 0.5 >in
    for L in 1 2 4; do
        fails_on in 1 "*label 0.5 of document 2 is not a whole grade from 0 to $L, which the click model needs" \
            feedback-mask -c perfect -L $L
    done
    feedback-mask <in >out
}

@test "a person, a scale or a seed that there is not is refused" {
    for c in '' random; do
        fails 2 "feedback-mask: -c has no '$c': choose from perfect, navigational, informational, cascade, position, trust, place, noise, leave, bait, answered, mixed, sparse*usage: *" \
            feedback-mask -c "$c"
    done
    for c in : :1:2 :1:0.1:0 :-1; do
        fails 2 "feedback-mask: -c position takes :eta:noise, *, not '$c'*usage: *" feedback-mask -c "position$c"
    done
    fails 2 "feedback-mask: -c sparse takes :share:person, *, not ':0.1'*" feedback-mask -c sparse:0.1
    fails 2 "feedback-mask: -c has no 'nobody': *" feedback-mask -c sparse:0.1:nobody
    fails 2 "feedback-mask: -c bait takes :share or :share:low, *, not ''*" feedback-mask -c bait
    fails 2 "feedback-mask: -c mixed takes no numbers: leave out ':1'*" feedback-mask -c mixed:1
    for L in 0 3 5 ''; do
        fails 2 "feedback-mask: -L wants 1, 2 or 4, not '$L'*usage: *" feedback-mask -c perfect -L "$L"
    done
    for s in -1 1.5 '' 9007199254740993; do
        fails 2 "feedback-mask: -s wants *, not '$s'*usage: *" feedback-mask -c perfect -s "$s"
    done
}

@test "-n: noise of that standard deviation, five of them above the relevance" {
    awk 'BEGIN { for (q = 1; q <= 400; q++) for (i = 0; i < 50; i++) print i % 3 " qid:" q }' |
        svm2bin >items
    explore -g 1 <items >shown
    feedback-mask -k all -n 0.5 <shown >noisy
    bin2txt -f rank noisy | cut -f 1,4,6 >seen
    # relevance is the item's number modulo 3. 20,000 draws: the mean of the noise is within 5 / 141
    # standard deviations of 0, their own deviation within 5 / 200 of 1
    awk '{ e = ($3 - $2 % 3 - 2.5) / 0.5; s += e; ss += e * e; n++; if (e < -5) low++ }
        END { m = s / n; v = ss / n; print n, m, v; exit !(n == 20000 && !low &&
            m * m < 0.00126 && v > 0.95 && v < 1.05) }' seen
    # by the seed and the round alone
    feedback-mask -k all -n 0.5 -s 1 <shown | cmp - noisy
    feedback-mask -k all -n 0.5 -s 2 <shown >other
    if cmp -s other noisy; then return 1; fi
    replay -b 7 -n 7 noisy >one
    replay -b 7 -n 7 shown | feedback-mask -k all -n 0.5 | cmp - one
    [ "$(cut -f 3 seen | sort -u | wc -l)" -gt 19900 ]
    # fewer places have the same noise
    feedback-mask -k 2 -n 0.5 <shown | bin2txt -f rank | awk -F '\t' '$3 < 3 { print $6 }' >few
    bin2txt -f rank noisy | awk -F '\t' '$3 < 3 { print $6 }' | cmp - few
    fails 2 'feedback-mask: -n and -c exclude each other: *' \
        feedback-mask -n 1 -c perfect
    fails_on shown 1 'feedback-mask: <stdin>: round 1 *: relevance * becomes too large with the noise: use a smaller -n' \
        feedback-mask -n 1e39
}
