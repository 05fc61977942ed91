# salvage: what is whole of a stream that is cut or damaged, and nothing else.
load ../helper

PATH=$ROOT/build/tests/shim:$PATH

setup_rounds() { # shown.bin of 20 rounds
    small_text | svm2bin >q.bin
    replay -n 20 q.bin | explore -g 1 >shown.bin
}

rounds() { # the numbers of the rounds of a stream on standard input
    bin2txt -f head | sed 's/.* t=\([0-9]*\) .*/\1/'
}

salvaged() { # salvaged STATUS FILE...: into out and err
    local want=$1 got=0
    shift
    salvage "$@" >out 2>err || got=$?
    is "$got" "$want"
    bin2txt -f head out >/dev/null # a whole stream
}

@test "a whole stream passes byte for byte, with status 0" {
    setup_rounds
    salvaged 0 shown.bin
    same shown.bin out
    [ ! -s err ]
    salvage <shown.bin >out
    same shown.bin out
    cat shown.bin shown.bin >twice.bin
    salvaged 0 twice.bin
    replay shown.bin shown.bin | rounds | wc -l
    is "$(rounds <out | wc -l)" 40
    salvaged 0 shown.bin - <shown.bin
    is "$(rounds <out | wc -l)" 40
}

@test "a stream that is cut at any byte: the rounds that are whole, and no other" {
    small_text | svm2bin | explore -g 1 >shown.bin
    size=$(wc -c <shown.bin)
    ends=$(grep -abo 'rankpipe/1' shown.bin | cut -d : -f 1 | tail -n +2) # of rounds 1, 2, 3
    for ((n = 0; n < size; n += STRIDE)); do
        head -c "$n" shown.bin >cut
        got=0
        salvage cut >out 2>err || got=$?
        [ $got = 3 ]
        want=0
        for end in $ends; do [ "$end" -gt "$n" ] || want=$((want + 1)); done
        [ "$(bin2txt -f head out | wc -l)" = $want ] || { echo "at $n" && return 1; }
    done
}

@test "the streams after a cut are read, wherever the cut was" {
    setup_rounds
    replay -n 3 shown.bin >first.bin
    size=$(wc -c <first.bin)
    replay -b 101 -n 103 shown.bin >second.bin
    for ((n = 1; n < size; n += STRIDE)); do
        head -c "$n" first.bin | cat - second.bin >log
        got=0
        salvage log >out 2>err || got=$?
        [ $got = 3 ] || [ "$n" = "$size" ]
        is "$(rounds <out | tail -n 3 | xargs)" '101 102 103' || { echo "at $n" && return 1; }
        head -n 1 err | grep -q '^salvage: log: ' || [ ! -s err ]
    done
}

@test "damage within: the rounds before and after it, and how many bytes are lost" {
    setup_rounds
    at=$(grep -abo 'rankpipe/1 round t=7 ' shown.bin | cut -d : -f 1)
    next=$(grep -abo 'rankpipe/1 round t=8 ' shown.bin | cut -d : -f 1)
    { head -c "$at" shown.bin; printf 'X'; tail -c +$((at + 2)) shown.bin; } >damaged
    salvaged 3 damaged
    is "$(rounds <out | xargs)" "$(seq 1 20 | sed 7d | xargs)"
    is "$(head -n 1 err)" "salvage: damaged: after round 6 (qid c): $((next - at)) bytes belong to no whole record"
    is "$(tail -n 1 err)" "salvage: 1 place with losses: $((next - at)) bytes lost, 19 rounds kept"
    # the order is no permutation: the record is whole, and the round is not
    mkstream round t=1 docs=2 dim=0 order:u4 0 0 >wrong
    salvaged 3 wrong
    grep -q 'order' err
}

@test "of many places with losses ten are reported, and at the end all are counted" {
    setup_rounds
    for _ in $(seq 12); do head -c 700 shown.bin; done >many
    salvaged 3 many
    is "$(grep -c '^salvage: many: ' err)" 10
    is "$(wc -l <err)" 11
    tail -n 1 err | grep '^salvage: 12 places with losses: '
}

@test "an end record that counts more rounds than came" {
    setup_rounds
    at=$(grep -abo 'rankpipe/1 round t=7 ' shown.bin | cut -d : -f 1)
    next=$(grep -abo 'rankpipe/1 round t=8 ' shown.bin | cut -d : -f 1)
    { head -c "$at" shown.bin; tail -c +$((next + 1)) shown.bin; } >missing
    salvaged 3 missing
    is "$(rounds <out | wc -l)" 19
    is "$(head -n 1 err)" 'salvage: missing: after round 20 (qid b): an end record or rounds before it are missing'
}

@test "a header line in a payload belongs to a stream that was appended after a cut" {
    setup_rounds
    # the first round of the second stream lies in the features that the cut removed
    synth -n 2 -d 100 -l 30 linear >big.bin
    head -c 3000 big.bin | cat - shown.bin big.bin >log
    salvaged 3 log
    is "$(rounds <out | xargs)" "$(seq 1 20 | xargs) 1 2"
}

@test "a header line that begins in a payload is found wherever reading stops in it" {
    setup_rounds
    { echo 'rankpipe/1 round t=77 docs=1 dim=0 cols=own:u1[50] bytes=50' && head -c 49 /dev/zero; } >cut
    record=$(($(wc -c <cut) + 1)) # what it would have had
    for more in {0..20}; do       # bytes after those, at the end of the first 262144, which are read at once
        own=$((262144 - record - more - 67)) # and its header line
        { echo "rankpipe/1 round t=9 docs=1 dim=0 cols=own:u1[$own] bytes=$own" && head -c $own /dev/zero &&
            cat cut shown.bin; } >log
        is "$(head -n 1 log | wc -c)" 67
        salvaged 3 log
        is "$(rounds <out | xargs)" "9 $(seq 1 20 | xargs)"
        is "$(head -n 1 err)" "salvage: log: after round 9: $((record - 1)) bytes belong to no whole record"
    done
}

# A round whose payload has a stream that somebody wrote into it, round 66 with its checksum, three
# times, and other bytes; and rounds before it and after it. All have checksums.
planted() {
    small_text | svm2bin | replay -n 9 - | score -m <(echo 1 0 | weights2bin) | explore >shown.bin
    mkstream round t=66 qid=z docs=1 dim=0 | spool fake >/dev/null
    { cat fake/*.bin fake/*.bin fake/*.bin && head -c 3000 /dev/zero; } >payload
    local n
    n=$(wc -c <payload)
    { printf 'rankpipe/1 round t=5 qid=q docs=1 dim=0 cols=own:u1[%d] bytes=%d\n' "$n" "$n" && cat payload &&
        echo 'rankpipe/1 end rounds=1 bytes=0'; } >host.bin
    for from in 1 6; do replay -b $from -n $((from + 3)) shown.bin | spool part.$from >/dev/null; done
    spool part.host <host.bin >/dev/null
    for part in 1 host 6; do cat part.$part/*.bin; done >log.bin
    is "$(grep -abo 'rankpipe/1 round crc=[0-9a-f]* t=66 ' log.bin | wc -l)" 3
}

@test "nothing is taken from within a payload: whole, damaged, cut, and cut with a stream after it" {
    planted
    salvaged 0 log.bin
    is "$(rounds <out | xargs)" '1 2 3 4 5 6 7 8 9'
    salvaged 0 host.bin # without a checksum
    is "$(rounds <out | xargs)" 5
    start=$(grep -abo 'rankpipe/1 round crc=[0-9a-f]* t=5 ' log.bin | cut -d : -f 1)
    next=$(grep -abo 'rankpipe/1 round crc=[0-9a-f]* t=6 ' log.bin | cut -d : -f 1)
    for at in $((next - 100)) $((start + 150)); do # one byte is changed, after those that were written, and before
        { head -c $at log.bin && printf X && tail -c +$((at + 2)) log.bin; } >damaged
        cmp -s damaged log.bin && continue
        salvaged 3 damaged
        is "$(rounds <out | xargs)" '1 2 3 4 6 7 8 9'
    done
    for at in 70 300 1000 2000; do # bytes before the end of the record, where it was cut
        head -c $((next - at)) log.bin >cut
        salvaged 3 cut
        is "$(rounds <out | xargs)" '1 2 3 4'
        replay -b 20 -n 40 shown.bin | cat cut - >appended
        salvaged 3 appended
        is "$(rounds <out | xargs)" "1 2 3 4 $(seq 20 40 | xargs)"
    done
}

@test "nothing, garbage, and files that are missing" {
    : >empty
    salvaged 3 empty
    is "$(head -n 1 err)" 'salvage: empty: before the first whole round: an end record or rounds before it are missing'
    head -c 100000 /dev/urandom >garbage
    salvaged 3 garbage
    is "$(head -n 1 err)" 'salvage: garbage: before the first whole round: 100000 bytes belong to no whole record'
    printf 'rankpipe/1 round t=1 docs=1 dim=0 cols=x:f4[9007199254740990] bytes=36028797018963960\nabc' >huge
    salvaged 3 huge
    fails 1 'salvage: cannot open nothing: *' salvage nothing
}

@test "loop runs it as a first part, and ends with the same status" {
    setup_rounds
    head -c 900 shown.bin >cut
    salvage cut 2>/dev/null | bin2txt -f head >want || true
    got=0
    loop 'salvage cut | bin2txt -f head' >out 2>err || got=$?
    is "$got" 3
    same want out
    [ -s out ]
}

@test "any byte changed: a whole stream comes out, or an error; memory is bounded" {
    needs_limits
    small_text | svm2bin | explore -g 1 >shown.bin
    size=$(wc -c <shown.bin)
    for ((n = 0; n < size; n += STRIDE)); do
        { head -c "$n" shown.bin; printf '\x39'; tail -c +$((n + 2)) shown.bin; } >changed
        got=0
        (ulimit -v 100000 && exec timeout 5 salvage changed) >out 2>err || got=$?
        [ $got = 0 ] || [ $got = 3 ]
        bin2txt -f head out >heads || { echo "at $n" && return 1; }
        [ "$(wc -l <heads)" -ge 2 ] || { echo "at $n" && return 1; }
    done
}

# ---- parts of a stream ----

@test "-p: a part that is cut at any two bytes gives its whole rounds, and no loss" {
    small_text | svm2bin | replay -n 6 - | explore -g 1 >shown.bin
    size=$(wc -c <shown.bin)
    mapfile -t begin < <(grep -abo 'rankpipe/1 ' shown.bin | cut -d : -f 1)
    for ((from = 0; from < size; from += 13 * STRIDE)); do
        for ((to = from + 1; to <= size; to += 17 * STRIDE)); do
            want=
            for t in 1 2 3 4 5 6; do
                [ "${begin[t - 1]}" -lt $from ] || [ "${begin[t]}" -gt $to ] || want="$want $t"
            done
            tail -c +$((from + 1)) shown.bin | head -c $((to - from)) | salvage -p >out 2>err
            [ ! -s err ]
            is "$(rounds <out | xargs)" "${want# }" || { echo "bytes $from to $to" && return 1; }
        done
    done
}

@test "-p: a loss within a part is a loss; files without end records are read one after the other" {
    setup_rounds
    at=$(grep -abo 'rankpipe/1 round t=7 ' shown.bin | cut -d : -f 1)
    { head -c "$at" shown.bin; printf 'X'; tail -c +$((at + 2)) shown.bin | head -c 2000; } >damaged
    salvaged 3 -p damaged
    grep -q '^salvage: damaged: after round 6 (qid c): [0-9]* bytes belong to no whole record$' err
    is "$(tail -n 1 err | cut -d , -f 1)" "salvage: 1 place with losses: $(sed -n '1s/.*: \([0-9]*\) bytes.*/\1/p' err) bytes lost"

    # Messages, each a record.
    mapfile -t begin < <(grep -abo 'rankpipe/1 ' shown.bin | cut -d : -f 1)
    for t in {1..20}; do
        tail -c +$((begin[t - 1] + 1)) shown.bin | head -c $((begin[t] - begin[t - 1])) >"message.$(printf %02d "$t")"
    done
    cat message.* | salvage -p | cmp - shown.bin
    salvage -p message.* | cmp - shown.bin
}

@test "GNU parallel --pipe: parts of a stream are learnt and judged as the whole is" {
    parallel --version 2>/dev/null | grep -q GNU || skip "no GNU parallel here (Debian: parallel)"
    export HOME=$PWD
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
    echo 1 0 | weights2bin >zero.bin
    replay -n 400 -s 1 q.bin | score -m zero.bin | explore -g 1 >shown.bin
    feedback-mask -k 2 <shown.bin >seen.bin
    update -a ridge <seen.bin >one
    parallel --will-cite --pipe --recstart 'rankpipe/1 round ' --block 100k \
        'salvage -p | update -a ridge >share.{#}' <seen.bin
    [ "$(echo share.* | wc -w)" -gt 2 ]
    add-models share.* >sum
    is "$(head -n 1 sum | grep -ao ' rounds=[0-9]*')" ' rounds=400'
    paste <(bin2txt -f tsv one) <(bin2txt -f tsv sum) | awk '
        { off = $2 - $4; if (off * off > 1e-18) exit bad = 1 } END { exit bad || NR < 10 }'

    parallel --will-cite --pipe --recstart 'rankpipe/1 round ' --block 100k \
        'salvage -p | metric -r ndcg@5 map >table.{#}' <shown.bin
    rankpipe add-tables -v last=400 table.* | tail -n 1 >have
    metric ndcg@5 map <shown.bin | tail -n 1 | cmp - have
}
