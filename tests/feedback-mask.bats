#!/usr/bin/env bats
# feedback-mask: what is left of the labels.

load helper

is() {
    [ "$1" = "$2" ] || { printf -- '--- expected\n%s\n--- got\n%s\n' "$2" "$1" && return 1; }
}

# The header and the bytes of a stream of one round, as hexadecimal digits.
head_of() {
    bin2txt -f head "$1" | sed 's/^rankpipe.1 round //'
}

payload_of() {
    tail -n +2 "$1" | head -c "$(bin2txt -f head "$1" | sed 's/.*bytes=//')" | od -An -v -tx1 | tr -d ' \n'
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
    is "$(payload_of out)" "6869""020000000000000001000000""0000803f00008040"
}

@test "k is 1 where none is given" {
    round | feedback-mask >out
    round | feedback-mask -k 1 >one
    same one out
    is "$(payload_of out)" "6869""020000000000000001000000""0000803f"
}

@test "-k all, and a k beyond the list, are the whole list" {
    round | feedback-mask -k all >all
    is "$(head_of all)" \
        't=3 qid=a docs=3 dim=0 gamma=0.5 x-site=7 cols=mine:u1[2],order:u4[3],seen:f4[3] bytes=26'
    is "$(payload_of all)" "6869""020000000000000001000000""0000803f00008040cdcccc3d"
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
    fails_on in 1 'feedback-mask: <stdin>: round 1 (qid a): needs label: *' feedback-mask
    round | feedback-mask >masked
    fails_on masked 1 'feedback-mask: <stdin>: round 3 (qid a): needs label: *' feedback-mask
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
