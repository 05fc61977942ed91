#!/usr/bin/env bats
# replay: which stored round is dealt under which number.

load ../helper

# stored LETTER...: a stream of a round for each, of that qid, without crc=. dealt: t and qid of each round.
stored() {
    local letter
    for letter; do
        echo "1 qid:$letter 1:$((36#$letter))"
        echo "0 qid:$letter 2:1"
    done | svm2bin | uncrc
}

dealt() {
    bin2txt -f head | sed 's/^rankpipe.1 round t=\([0-9]*\) qid=\(.*\) docs=.*/\1\2/' | paste -sd ' '
}

# letters FIRST LAST: the qids dealt under those numbers, sorted, of a line from dealt.
letters() {
    cut -d ' ' -f "$1-$2" | tr -d '0-9' | tr ' ' '\n' | sort | paste -sd ''
}

@test "one pass of one file is that file" {
    stored a b c >abc
    replay abc >out
    same abc out
}

@test "a round that was checked has another number, so its crc= is dropped" {
    stored a b c >abc
    small_text | svm2bin >q.bin
    uncrc <q.bin >plain
    replay q.bin >out
    same plain out
    replay -s 3 -n 40 q.bin >out
    replay -s 3 -n 40 plain >expected
    same expected out
    cat q.bin | replay - >out
    same plain out
    # Each round of a file is checked before the first is dealt.
    printf '\377' | dd of=q.bin bs=1 seek=$(($(wc -c <q.bin) - 36)) conv=notrunc status=none
    fails 1 'replay: q.bin: round *: damaged: its bytes have crc=*, not *: read another copy, *' replay -n 1 q.bin
    [ ! -s out ]
}

@test "-n deals on and on, -b begins later, and t is the number in the whole" {
    stored a b c >abc
    is "$(replay -n 7 abc | dealt)" '1a 2b 3c 4a 5b 6c 7a'
    is "$(replay -n 2 abc | dealt)" '1a 2b'
    is "$(replay -b 2 abc | dealt)" '2b 3c'
    is "$(replay -b 5 -n 8 abc | dealt)" '5b 6c 7a 8b'
    is "$(replay -b 9007199254740990 -n 9007199254740991 abc | dealt)" \
        '9007199254740990c 9007199254740991a'
}

@test "an emitted round is the stored one except for its number" {
    stored a b >ab
    replay -b 4 -n 4 ab >out
    stored b | sed '1s/ t=1 / t=4 /' >expected
    same expected out
}

@test "several files are dealt one after the other, each numbered anew" {
    stored a b >ab
    stored c >c
    cat ab c >abc
    is "$(replay c ab c | dealt)" '1c 2a 3b 4c'
    is "$(replay abc ab -n 1 2>&1 >out || true)" 'replay: cannot open -n: No such file or directory'
    is "$(replay abc | dealt)" '1a 2b 3c'
    is "$(replay -n 5 ab c | dealt)" '1a 2b 3c 4a 5b'
}

@test "a pipe is as good as a file" {
    stored a b c d e >abcde
    replay -s 3 -n 12 abcde >file
    cat abcde | replay -s 3 -n 12 - >pipe
    same file pipe
    mkfifo fifo
    cat abcde >fifo 3>&- &
    replay -s 3 -n 12 fifo >pipe
    same file pipe
    stored f >f
    is "$(cat abcde | replay f - f | dealt)" '1f 2a 3b 4c 5d 6e 7f'
}

@test "large rounds are the same in a file, in a pipe, in a slow pipe and out of memory" {
    for dim in 41 61 136 300; do # features of less than a pipe holds and of more, anywhere in a page
        synth -n 7 -l 100 -d "$dim" linear >large
        replay -n 20 large >file
        replay -n 20 large | cat >pipe
        same file pipe
        replay -n 20 large | { sleep 0.1 && cat; } >pipe
        same file pipe
        cat large | replay -n 20 - | cat >pipe
        same file pipe
    done
}

@test "-s deals each pass in an order of its own" {
    stored {a..z} >a_to_z
    passes=$(replay -s 5 -n 78 a_to_z | dealt)
    for first in 1 27 53; do
        is "$(letters $first $((first + 25)) <<<"$passes")" abcdefghijklmnopqrstuvwxyz
    done
    is "$(tr -d a-z <<<"$passes")" "$(seq -s ' ' 78)"
    orders=$(tr -d 0-9 <<<"$passes" | xargs -n 26 | sort -u)
    is "$(wc -l <<<"$orders")" 3
    run grep -x 'a b c .* z' <<<"$orders"
    is "$status" 1
}

@test "the same seed deals the same bytes, another other ones" {
    stored {a..z} >a_to_z
    replay -s 5 -n 60 a_to_z >out
    replay -s 5 -n 60 a_to_z >again
    same out again
    replay -s 6 -n 60 a_to_z >other
    run cmp -s out other
    is "$status" 1
}

@test "a round's place in its pass depends on the seed and its number alone" {
    stored {a..z} >a_to_z
    whole=$(replay -s 5 -n 60 a_to_z | dealt)
    is "$(replay -s 5 -b 30 -n 60 a_to_z | dealt)" "$(cut -d ' ' -f 30- <<<"$whole")"
    is "$(replay -s 5 -n 40 a_to_z | dealt)" "$(cut -d ' ' -f -40 <<<"$whole")"
}

@test "each round is as likely the first of its pass" {
    stored a b c >abc
    counts=$(replay -s 1 -n 6000 abc | bin2txt -f head | awk 'NR % 3 == 1 { print $4 }' | sort | uniq -c)
    is "$(awk '$1 > 580 && $1 < 760' <<<"$counts" | wc -l)" 3
}

@test "the shares of -i are the whole, one after the other" {
    stored {a..g} >a_to_g
    replay -s 2 -n 17 a_to_g >whole
    for i in 1 2 3; do
        replay -s 2 -n 17 -i $i/3 a_to_g >share$i
    done
    is "$(for i in 1 2 3; do bin2txt -f head share$i; done)" "$(bin2txt -f head whole)"
    is "$(for i in 1 2 3; do bin2txt -f head share$i | wc -l; done | paste -sd ' ')" '6 6 5'
    cat share1 share2 share3 | replay - >joined # which takes in the inner ends
    same whole joined
}

@test "-i shares out the rounds from -b on" {
    stored a b c >abc
    is "$(replay -b 4 -n 8 -i 1/2 abc | dealt) $(replay -b 4 -n 8 -i 2/2 abc | dealt)" \
        "$(replay -b 4 -n 8 abc | dealt)"
}

@test "of more shares than rounds some are empty, and streams all the same" {
    stored a b >ab
    for i in 1 2 3 4; do
        replay -i $i/4 ab >share$i
    done
    is "$(cat share1 share2 share3 share4 | bin2txt -f head)" "$(bin2txt -f head ab)"
    echo 'rankpipe/1 end rounds=0 bytes=0' >none
    same none share3
    same none share4
}

@test "a stream without rounds is dealt as one, but not where a round is asked for" {
    echo 'rankpipe/1 end rounds=0 bytes=0' >none
    replay none >out
    same none out
    for options in '-s 1' '-b 5' '-i 2/2' '-b 5 -i 1/2'; do
        # shellcheck disable=SC2086
        replay $options none none >out
        same none out
    done
    fails 1 'replay: no rounds to replay' replay -n 3 none
}

# ---- a Zipf law ----

# counts: how often each qid was dealt, largest first: lines "count qid".
counts() {
    bin2txt -f head | sed 's/.* qid=\([^ ]*\) .*/\1/' | sort | uniq -c | sort -rn
}

@test "-z draws rounds by a Zipf law: frequencies fall as r^-z" {
    slow
    stored {a..j} >a_to_j
    for z in 0.5 1 2; do
        replay -z $z -n 50000 a_to_j | counts >counts
        is "$(wc -l <counts)" 10
        # Chi-square of 9 degrees of freedom: above 45 with probability 1e-6.
        awk -v z=$z '{ count[NR] = $1 } END {
            for (r = 1; r <= 10; r++) sum += r ^ -z
            for (r = 1; r <= 10; r++) {
                want = 50000 * r ^ -z / sum
                chi += (count[r] - want) ^ 2 / want
            }
            print z, chi
            exit !(chi < 45)
        }' counts
    done
}

@test "-z: which round is frequent depends on the seed, not on its place in the file" {
    slow
    stored {a..e} >a_to_e
    for seed in {1..60}; do
        replay -z 2 -s $seed -n 200 a_to_e | counts | awk 'NR == 1 { print $2 }'
    done | sort | uniq -c >most
    is "$(wc -l <most)" 5
    [ "$(sort -n most | awk 'NR == 1 { print $1 }')" -ge 4 ] # of 12 expected
    stored {e..a} >e_to_a # the place counts, not the round
    is "$(replay -z 2 -s 3 -n 40 a_to_e | dealt | tr abcde edcba)" \
        "$(replay -z 2 -s 3 -n 40 e_to_a | dealt)"
}

@test "-z: a round depends on the seed and its number alone: resumed and in shares it is the same" {
    stored {a..z} >a_to_z
    replay -z 1 -s 5 -n 60 a_to_z >out
    whole=$(dealt <out)
    is "$(replay -z 1 -s 5 -b 30 -n 60 a_to_z | dealt)" "$(cut -d ' ' -f 30- <<<"$whole")"
    is "$(replay -z 1 -s 5 -n 40 a_to_z | dealt)" "$(cut -d ' ' -f -40 <<<"$whole")"
    for i in 1 2 3 4; do
        replay -z 1 -s 5 -n 60 -i $i/4 a_to_z >share$i
    done
    cat share1 share2 share3 share4 | replay - >joined
    same out joined
    cat a_to_z | replay -s 5 -z 1 -n 60 - >pipe
    same out pipe
    replay -z 1 -s 6 -n 60 a_to_z >other
    run cmp -s out other
    is "$status" 1
}

@test "-z without -n has as many rounds as are stored, without -s seed 1" {
    stored {a..z} >a_to_z
    replay -z 1 a_to_z >out
    replay -z 1 -s 1 -n 26 a_to_z >want
    same want out
    stored a >a
    is "$(replay -z 3 -n 3 a | dealt)" '1a 2a 3a'
    echo 'rankpipe/1 end rounds=0 bytes=0' >none
    replay -z 1 none >out
    same none out
}

@test "-z draws the same bytes on every machine" {
    stored {a..z} >a_to_z
    is "$(replay -z 1.1 -s 7 -n 20 a_to_z | dealt | tr -d '0-9 ')" 'uivbadpbbuboumawuhbu'
}

# ---- errors ----

@test "a file that is cut short is refused before any round of it, or of another, is dealt" {
    stored a b c >abc
    head -c -40 abc >torn
    fails 1 'replay: torn: stream cut short after round 2' replay torn
    [ ! -s out ]
    fails 1 'replay: torn: stream cut short after round 2' replay abc torn
    [ ! -s out ]
    fails_on torn 1 'replay: <stdin>: stream cut short after round 2' replay -n 1 -
    [ ! -s out ]
    : >nothing
    fails 1 'replay: nothing: stream cut short: the input is empty, without even an end record' replay nothing
    [ ! -s out ]
}

@test "a round that is wrong in itself is refused before any is dealt" {
    { stored a | head -n 1 | sed 's/ t=1//' && head -c 24 /dev/zero &&
        echo 'rankpipe/1 end rounds=1 bytes=0'; } >wrong
    fails 1 'replay: wrong: *key t= is missing' replay wrong
    [ ! -s out ]
}

@test "a model among the rounds is refused" {
    stored a b >ab
    update -a squared -e 1 <ab >model
    cat ab model >both
    fails 1 'replay: both*a model*' replay both
    [ ! -s out ]
}

@test "SVM-light text is recognised as such" {
    echo '1 qid:a 1:1' >text
    fails 1 'replay: text: this looks like SVM-light text: pipe it through svm2bin' replay text
}

@test "a missing file is an error" {
    fails 1 'replay: cannot open nowhere: No such file or directory' replay nowhere
}

@test "-b after the end is refused" {
    stored a b >ab
    fails 1 'replay: -b 3 is after the last of 2 rounds: set a larger number of rounds with -n' replay -b 3 ab
    [ ! -s out ]
}

@test "a value that is not a share is refused" {
    stored a b >ab
    for share in 0/2 3/2 1 1/ /2 1/0 1/2/2 01/2 -1/2 a/b ''; do
        fails 2 "replay: -i wants i/n, as in 1/4 for the first of 4 shares, not '$share'*usage: replay *" \
            replay -i "$share" ab
    done
}

@test "no file is a wrong command line, and so is a value that is not a number" {
    for z in 0 -1 x inf ''; do
        fails 2 "replay: -z wants a number above 0, not '$z'*usage: replay *" replay -z "$z" ab
    done
}

@test "standard input is read from where it stands" {
    stored a b >ab
    first=$(head -n 1 ab | wc -c)
    bytes=$(head -n 1 ab | sed 's/.*bytes=//')
    { dd bs=1 count=$((first + bytes)) of=/dev/null 2>/dev/null && cat >rest; } <ab
    sed -i 's/end rounds=2/end rounds=1/' rest
    cat rest rest >twice
    { dd bs=1 count="$(wc -c <rest)" of=/dev/null 2>/dev/null && replay - >out; } <twice
    replay rest >want
    same want out
}

@test "a million small rounds take some 16 bytes each, and 64 MB of headers at the most" {
    slow
    needs_limits
    awk 'BEGIN { for (i = 0; i < 1000000; i++) print i % 3 " qid:" i " 1:0.5" }' | svm2bin | uncrc >many
    (ulimit -v 262144 && exec replay many) | cmp - many # which has 92 MB
    (ulimit -v 262144 && exec replay -b 999000 -n 1001000 many) >some
    svm2bin <<<'0 qid:0 1:0.5' | uncrc >first
    replay -b 1000001 -n 1000001 many | sed 's/ t=1000001 / t=1 /' | cmp - first
}

@test "of more headers than 64 MB, those that are not kept are read again" {
    svm2bin <<<'1 qid:a 1:1' | uncrc | sed "1s/ cols=/ x-note=$(printf %03900d 7)&/" >one
    cp one many
    for _ in $(seq 14); do cat many many >twice && mv twice many; done
    [ "$(wc -c <many)" -gt 65000000 ]
    replay -b 16383 -n 16385 many | bin2txt -f head | sed 's/ t=[0-9]* / t=1 /' >heads
    bin2txt -f head one >want
    is "$(wc -l <heads)" 3
    sort -u heads | cmp - want
}

@test "a file that becomes shorter while it is read is an error, not a signal" {
    awk 'BEGIN { for (i = 0; i < 20000; i++) print i % 3 " qid:" i " 1:0.5" }' | svm2bin >stored
    replay -n 100000000 stored >/dev/null 2>err &
    sleep 0.3
    : >stored
    got=0
    wait $! || got=$?
    [ $got = 1 ]
    is "$(cat err)" 'replay: a file that is mapped became shorter, or cannot be read'
    # the rest of a page reads as zeros, without a signal
    small_text | svm2bin >stored
    replay -n 6000000 stored >/dev/null 2>err &
    sleep 0.3
    head -c -60 stored >shorter
    cat shorter >stored
    got=0
    wait $! || got=$?
    [ $got = 1 ]
    grep -q '^replay: .*shorter' err
}
