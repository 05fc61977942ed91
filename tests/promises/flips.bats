#!/usr/bin/env bats
# crc=: each changed bit of a stored stream or model is refused, and the key follows rankpipe(5).

load ../helper

setup_file() {
    export BATS_TEST_TIMEOUT=120
}

# flips FILE COMMAND...: COMMAND refuses the file `flipped`, also standard input, for each bit of FILE
# that is flipped in it (of which EVERY n-th is tried). What it says is in `said`.
flips() {
    "$ROOT/build/tests/shim/flips" "$1" flipped "${@:2}" >said || { grep status said && return 1; }
}

# two.bin, of 237 bytes, and w.bin, a model of 168.
two() {
    printf '2 qid:a 1:0.5 2:1\n0 qid:a 1:0.25 2:0\n1 qid:b 1:0.5\n' | svm2bin >two.bin
    update -X -a squared -e 0.1 -m w.bin <two.bin
}

# crc_of: the CRC-32C of standard input, by the words of rankpipe(5) and the arithmetic of the shell.
crc_of() {
    local crc=$((0xffffffff)) byte bit
    for byte in $(od -A n -t u1 -v); do
        crc=$((crc ^ byte))
        for bit in 1 2 3 4 5 6 7 8; do
            crc=$((crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0)))
        done
    done
    printf '%08x' $((crc ^ 0xffffffff))
}

@test "each bit of a stream and of a model that is flipped is found, with its place and what to do" {
    two
    for file in two.bin w.bin; do
        flips $file bin2txt -f check flipped
        is "$(wc -l <said)" $((8 * $(wc -c <$file)))
        is "$(grep -vc '^bin2txt: record [123] at byte [0-9]* of flipped: .*: read another copy, or what salvage keeps of it$' said)" 0
    done
}

@test "every program refuses a stream and a model of which a bit is flipped" {
    two
    export EVERY=13
    flips two.bin score -m w.bin
    flips two.bin explore -f -g 0.5
    flips two.bin metric ndcg@1
    flips two.bin feedback-mask
    flips two.bin bin2txt
    flips two.bin features log
    flips two.bin replay flipped
    flips two.bin replay -
    flips two.bin update -X -a squared -e 0.1
    flips two.bin loop 'score -m w.bin | explore -f'
    flips w.bin score -m flipped
    flips w.bin bin2txt -f tsv flipped
    rm flipped && ln -s /dev/null two.none
    flips w.bin sh -c 'cp flipped new.bin; update -X -m new.bin <two.bin'
}

@test "large rounds, which other programs pass on unread, are read and checked" {
    synth -n 3 -d 500 -l 60 linear | bin2txt | svm2bin >big.bin
    printf 'x' | dd of=big.bin bs=1 seek=$(($(wc -c <big.bin) - 5000)) conv=notrunc status=none
    synth -n 3 -d 500 -l 60 linear | update -X -a squared -e 1e-9 -m w.bin
    for command in 'explore -f -g 1' 'score -m w.bin' 'replay -' 'spool log' 'bin2txt -f head'; do
        # shellcheck disable=SC2086 # the command is words
        got=$(cat big.bin | { $command 2>&1 >/dev/null || true; } | cat)
        # shellcheck disable=SC2254
        case $got in
        *"round 3: damaged: its bytes have crc="*) ;;
        *) echo "$command: $got" && false ;;
        esac
    done
}

@test "salvage passes on the records around a damaged one, and a record whose crc= holds" {
    small_text | svm2bin >q.bin
    first=$(head -n 1 q.bin | wc -c) bytes=$(head -n 1 q.bin | sed 's/.*bytes=//')
    cp q.bin bad.bin
    printf '\377' | dd of=bad.bin bs=1 seek=$((first + bytes - 3)) conv=notrunc status=none
    got=0
    salvage bad.bin >whole.bin 2>err || got=$?
    is "$got" 3
    is "$(cat err)" "salvage: bad.bin: before the first whole round: $((first + bytes)) bytes belong to no whole record
salvage: 1 place with losses: $((first + bytes)) bytes lost, $(($(bin2txt -f head q.bin | wc -l) - 1)) rounds kept"
    is "$(bin2txt -f head whole.bin)" "$(bin2txt -f head q.bin | tail -n +2)"
    salvage q.bin >out
    same q.bin out
    # What looks like a header line, in a payload that has its CRC.
    mkstream round crc= t=1 docs=1 dim=0 note:u1 114 97 110 107 112 105 112 101 47 49 32 101 110 100 32 >like
    salvage like >out
    same like out
}

@test "a record that passes unchanged keeps crc=, one that changes drops it" {
    small_text | svm2bin >q.bin
    uncrc <q.bin >plain
    salvage q.bin >out && same q.bin out
    spool log <q.bin >out && same q.bin out
    spooled log >out && same q.bin out
    loop 'spool looped' <q.bin >out && same q.bin out
    feedback-mask <plain >masked && mkstream round crc= t=1 docs=1 dim=0 >bare # no label to remove
    feedback-mask -k all <bare >out && same bare out
    explore -f <bare 2>/dev/null >out || true
    update -X -a squared -e 0.1 -m w.bin <q.bin
    cat w.bin q.bin | score -m w.bin >scored # a model passes unchanged
    is "$(bin2txt -f head scored | grep -c ' crc=')" 1
    is "$(bin2txt -f head scored | head -n 1)" "$(bin2txt -f head w.bin)"
    replay q.bin >out && same plain out
    features scale <q.bin | bin2txt -f check | grep -q 'none with crc='
    loop 'svm2bin text | bin2txt -f head' >heads 2>/dev/null || true
    small_text >text
    loop 'svm2bin text | bin2txt -f head' >heads
    bin2txt -f head q.bin | cmp - heads
    replay q.bin | spool stored >/dev/null
    is "$(cat stored/* | uncrc | cmp - plain && echo equal)" equal
}

@test "streams and models without crc= are read as before, and a wrong one is refused" {
    small_text | svm2bin >q.bin
    uncrc <q.bin >plain
    update -X -a ridge -m w.bin <q.bin
    uncrc <w.bin >old.bin
    score -m w.bin <q.bin >scored
    score -m old.bin <plain | cmp - scored
    update -X -a ridge -m old.bin <plain 2>/dev/null
    update -X -a ridge -m w.bin <q.bin 2>/dev/null
    same w.bin old.bin # both have the key again
    mkstream round t=1 crc= docs=1 dim=0 label:f4 1 >late
    fails_on late 1 'bin2txt: <stdin>: header line: crc= must be the first key, *' bin2txt
    mkstream round crc= crc= t=1 docs=1 dim=0 label:f4 1 >twice
    fails_on twice 1 'bin2txt: <stdin>: header line: crc= must be the first key, *' bin2txt
    sed '1s/crc=./crc=A/' q.bin >upper
    fails_on upper 1 "bin2txt: <stdin>: header line: crc= must be eight digits 0-9a-f, not: 'A*" bin2txt
    sed '1s/crc=./crc=/' q.bin >short
    fails_on short 1 'bin2txt: <stdin>: header line: crc= must be eight digits *' bin2txt
    sed '1s/ crc=/ cqc=/' w.bin >other
    fails_on q.bin 1 'score: other: header line: the first key of a model must be crc= or learner=, not cqc=' score -m other
    printf 'rankpipe/1 end crc=00000000 rounds=0 bytes=0\n' >end
    fails_on end 1 'bin2txt: <stdin>: header line: an end record must be *' bin2txt
}

@test "the example of rankpipe(5) has the crc= that the page says, by its own words" {
    printf '2 qid:a 1:0.5 2:1\n0 qid:a 1:0.25 2:0\n' | svm2bin >two.bin
    is "$(printf 123456789 | crc_of)" e3069283
    is "$({ head -c 21 two.bin && printf 00000000 && head -c 111 two.bin | tail -c +30; } | crc_of)" \
        "$(head -c 29 two.bin | tail -c 8)"
    od -A d -t x1 -v two.bin >dumped
    sed -n '/^0000000 72/,/^0000143/p' "$ROOT/man/rankpipe.5" | cmp - dumped
    grep -q "have the CRC-32C $(head -c 29 two.bin | tail -c 8)" "$ROOT/man/rankpipe.5"
}
