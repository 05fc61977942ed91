#!/usr/bin/env bats
# What a stranger may send: streams, models and text that are made to hurt. All of it is refused in
# words, at once, in little memory.

load ../helper
load ../models

survive_bytes() {
    "$ROOT/build/tests/shim/survive_bytes" "$@"
}

setup_file() {
    export BATS_TEST_TIMEOUT=60
    # AddressSanitizer takes memory of its own.
    if grep -q __asan_init "$ROOT/bin/rankpipe"; then export BEAR_KIB=1048576; fi
}

# one.bin, a model with a weight for the one feature of each round in `two`, which all programs take;
# first.bin, what update learns from its first round.
setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    mkstream model learner=squared rounds=3 dim=1 eta=0.5 w:f8 2 >one.bin
    # shellcheck disable=SC2046
    mkstream $(good 1) + $(good 2) >two
    # shellcheck disable=SC2046
    mkstream $(good 1) | head -n -1 >one
    replay -n 1 two | update -X -a squared -e 0.1 -d 1000 -m first.bin
    mkfifo ring
}

# good T: a round, as mkstream has it. Its last byte is an LF, so that a stream has lines.
good() {
    echo "round t=$1 qid=q$1 docs=1 dim=1 label:f4 1 score:f8 2 order:u4 0 x:f4 1 end:u1 10"
}

# Programs that look at no feature; those that do; and those that pass all rounds on unread.
BLIND=("explore -f -g 0.5" "metric ndcg@1" "metric -t table ndcg@1" "feedback-mask" "bin2txt -f rank"
    "replay -" "replay stream" "loop explore -f -g 0.5 | metric -t table ndcg@1 | feedback-mask")
SEEING=("score -m one.bin" "update -X -a squared -e 0.1 -d 1000" "bin2txt" "bin2txt -f summary"
    "update -X -a squared -e 0.1 -d 1000 -m new.bin" "loop score -m one.bin | explore -f -g 0.5 | metric ndcg@1"
    "loop score -f ring | explore -f -g 0.5 | feedback-mask | update -a squared -e 0.1 -d 1000 -f ring"
    "features log" "features rank" "features scale")

# words COMMAND: its words in `word`, a pipeline for loop as one.
words() {
    read -ra word <<<"$1"
    if [ "${word[0]}" = loop ]; then word=(loop "${1#loop }"); fi
}

# refused FILE WORDS COMMAND...: each refuses the stream with these words (a glob), though more may come.
refused() {
    local file=$1 want=$2 command got
    for command in "${@:3}"; do
        words "$command"
        # loop says in which of its programs a fault was found.
        got=$(survive_bytes held "$file" "${word[@]}") || { echo "$file: $got" && return 1; }
        # shellcheck disable=SC2254
        case $got in
        "${word[0]}: <stdin>: "$want | "replay: stream: "$want | 'loop: <stdin>: round '*": "${want#round [12]*: }) ;;
        *) echo "$file: $command: $got" && return 1 ;;
        esac
    done
    # update saves what it learnt from the rounds before, and nothing else.
    case "$want ${*:3}" in
    'round 2'*new.bin* | 'after round 1:'*new.bin*) same first.bin new.bin && rm new.bin ;;
    *) [ ! -e new.bin ] ;;
    esac
}

# in_ring FILE: four programs and a ring, on a stream that is refused: each ends with 1 and a line.
in_ring() {
    local status got
    rm -f ./*.err
    {
        timeout 5 score -f ring <"$1" 2>1.err | timeout 5 explore -f -g 0.5 2>2.err |
            timeout 5 feedback-mask 2>3.err |
            timeout 5 update -X -a squared -e 0.1 -d 1000 -f ring >model 2>4.err
        status="${PIPESTATUS[*]}" got=$(cat ./*.err | wc -l)
    } || true
    [ "$status $got" = '1 1 1 1 4' ] || { echo "$1: $status, $(cat ./*.err)" && return 1; }
}

# header KEYS-AND-COLUMNS WORDS: a round with this header, after a good one, is refused by all when no
# byte of its payload has come.
header() {
    local at="round 2: "
    case $2 in 'header line: '* | 'not a '*) at="after round 1: " ;; esac
    { cat one && echo "rankpipe/1 round t=2 $1"; } >stream
    refused stream "$at$2" "${BLIND[@]}" "${SEEING[@]}"
    in_ring stream
}

@test "documents and features more than there can be" {
    header 'docs=4294967296 dim=1 bytes=0' 'docs=4294967296 is not a whole number from 1 to 4294967295'
    header 'docs=18446744073709551617 dim=1 bytes=0' 'docs=18446744073709551617 is not a whole number from 1 to 4294967295'
    header 'docs=0 dim=1 bytes=0' 'docs=0 is not a whole number from 1 to 4294967295'
    header 'docs=4294967295 dim=0 bytes=0' 'docs=4294967295, but the payload has only 0 bytes'
    header 'docs=65537 dim=0 cols=own:u1[65536] bytes=65536' 'docs=65537, but the payload has only 65536 bytes'
    header 'docs=1 dim=2147483649 bytes=0' 'dim=2147483649 is not a whole number from 0 to 2147483648'
    header 'docs=1 dim=99999999999999999999 bytes=0' 'dim=99999999999999999999 is not a whole number from 0 to 2147483648'
}

@test "sizes that overflow when they are multiplied or added" {
    # 2^32 values in 32 bits, and 2^64 bytes in 64, are 0.
    header 'docs=65536 dim=65536 cols=x:f4[0] bytes=0' 'column x has 0 values, not 4294967296'
    header 'docs=2147483648 dim=2147483648 cols=own:u1[2147483648],x:f4[0] bytes=2147483648' \
        'column x has 0 values, not 4611686018427387904'
    header 'docs=4294967295 dim=2147483648 cols=own:u1[4294967295],x:f4[2147483648] bytes=12884901887' \
        'column x has 2147483648 values, not 9223372034707292160'
    header 'docs=4294967295 dim=1 cols=own:u1[4294967295],ptr:u4[0],idx:u4[0],val:f4[0] bytes=4294967295' \
        'column ptr has 0 values, not 4294967296'
    header 'docs=1 dim=1 cols=own:f8[9007199254740993] bytes=72057594037927944' "header line: not a valid count of values: '9007199254740993'"
    header 'docs=1 dim=1 cols=own:f8[18446744073709551617] bytes=8' "header line: not a valid count of values: '18446744073709551617'"
    header 'docs=1 dim=1 cols=own:f8[9007199254740992] bytes=0' 'header line: bytes=0, but its columns have 72057594037927936 bytes'
    all=$(seq -f 'c%g:f8[9007199254740992]' -s , 150)
    header "docs=1 dim=1 cols=$all bytes=0" 'header line: bytes=0, but its columns have 10808639105689190400 bytes'
    header 'docs=1 dim=1 bytes=18446744073709551616' "header line: bytes= must be a whole number that ends the line, not: '18446744073709551616'"
}

@test "columns of another size than docs and dim make, before a byte of them is waited for" {
    huge=1099511627776
    header "docs=2 dim=1 cols=label:f4[$huge],x:f4[2] bytes=4398046511112" "column label has $huge values, not 2"
    header "docs=2 dim=1 cols=score:f8[$huge],x:f4[2] bytes=8796093022216" "column score has $huge values, not 2"
    header "docs=2 dim=1 cols=order:u4[$huge],x:f4[2] bytes=4398046511112" "column order has $huge values, not 2"
    header "docs=2 dim=1 cols=greedy:u4[$huge],x:f4[2] bytes=4398046511112" "column greedy has $huge values, not 2"
    header "docs=2 dim=1 cols=order:u4[2],seen:f4[$huge],x:f4[2] bytes=4398046511120" "column seen has $huge places, but the round has 2 documents"
    header "docs=2 dim=1 cols=x:f4[$huge] bytes=4398046511104" "column x has $huge values, not 2"
    header "docs=2 dim=1 cols=ptr:u4[$huge],idx:u4[1],val:f4[1] bytes=4398046511112" "column ptr has $huge values, not 3"
    header "docs=2 dim=1 cols=ptr:u4[3],idx:u4[$huge],val:f4[1] bytes=4398046511120" "column idx has $huge values, not 1"
    header "docs=2 dim=1 cols=label:f8[2],order:u4[$huge] bytes=4398046511120" 'column label has type f8, not f4'
    header "docs=2 dim=1 cols=seen:f4[2],own:u1[$huge] bytes=1099511627784" 'column seen needs the column order, to which it refers'
}

@test "a header line of 5000 bytes, of a million columns, and one that never ends" {
    header "docs=1 dim=1 x-long=$(printf '%05000d' 0) bytes=0" 'header line: longer than 4096 bytes'
    header "docs=1 dim=1 cols=$(seq -f 'c%.0f:u1[0]' -s , 1000000) bytes=0" 'header line: longer than 4096 bytes'
    { printf 'rankpipe/1 round t=1 x-long=' && head -c 5000000 /dev/zero | tr '\0' 1; } >stream
    refused stream 'header line: longer than 4096 bytes' "${BLIND[@]}" "${SEEING[@]}"
    { printf 'rankpipe/1 round t=1 docs=1 dim=1 cols=' && yes a:u1[0], | tr -d '\n' | head -c 5000000; } >stream
    refused stream 'header line: longer than 4096 bytes' "${BLIND[@]}" "${SEEING[@]}"
    head -c 5000000 /dev/zero >stream
    refused stream "not a rankpipe stream: it begins with '*'..." "${BLIND[@]}" "${SEEING[@]}"
}

@test "a header line of as many keys and columns as it holds is read, a hundred times, at once" {
    keys=$(seq -f 'x-%g=1' -s ' ' 440)
    columns=$(seq -f 'c%g:u1[0]' -s , 360)
    { for t in {1..100..2}; do
        echo "rankpipe/1 round t=$t docs=1 dim=0 $keys bytes=0"
        echo "rankpipe/1 round t=$((t + 1)) docs=1 dim=0 cols=$columns bytes=0"
    done && echo 'rankpipe/1 end rounds=100 bytes=0'; } >stream
    [ "$(head -n 1 stream | wc -c)" -gt 3500 ] && [ "$(sed -n 2p stream | wc -c)" -gt 3500 ]
    timeout 1 replay stream >out
    same stream out
    timeout 1 explore -f -g 1 <stream >out
}

@test "memory grows with what came, not with what is announced" {
    for columns in 'label:f4[4294967295],own:u1[0] bytes=17179869180' 'own:u1[9007199254740992] bytes=9007199254740992' \
        'label:f4[4294967295],score:f8[4294967295] bytes=51539607540'; do
        { cat one && echo "rankpipe/1 round t=2 docs=4294967295 dim=0 cols=$columns" && head -c 8000000 /dev/zero; } >stream
        for command in "${BLIND[@]}" "${SEEING[@]}"; do
            words "$command"
            got=$(survive_bytes ended stream "${word[@]}") || { echo "$got" && return 1; }
            [[ $got == "${word[0]}: "*": stream cut short after round 1" ]]
        done
        rm new.bin # of the round before
    done
}

# columns WORDS...: all refuse round 2 with these keys and columns, in words of which the first is a glob.
columns() {
    # shellcheck disable=SC2046
    mkstream $(good 1) + round t=2 qid=q2 "${@:2}" >stream
    refused stream "round 2: $1" "${BLIND[@]}" "${SEEING[@]}"
    in_ring stream
}

@test "values that cannot be: orders, scores, relevance" {
    local two='docs=2 dim=1' x='x:f4 1 1'
    # shellcheck disable=SC2086
    {
        columns 'column order is not a permutation of 0 to 1' $two order:u4 1 1 $x
        columns 'column order is not a permutation of 0 to 1' $two order:u4 0 2 $x
        columns 'column order is not a permutation of 0 to 1' $two order:u4 4294967295 0 $x
        columns 'column greedy is not a permutation of 0 to 1' $two order:u4 1 0 greedy:u4 0 0 $x
        columns 'column score: value 1 is nan: it must be a finite number' $two score:f8 1 nan $x
        columns 'column score: value 0 is -inf: it must be a finite number' $two score:f8 -inf nan $x
        columns 'column label: value 1 is nan: *' $two label:f4 1 nan $x
        columns 'column label: value 0 is -1: *' $two label:f4 -1 0 $x
        columns 'column label: value 1 is inf: *' $two label:f4 1 inf $x
        columns 'column seen: value 0 is nan: *' $two order:u4 1 0 seen:f4 nan $x
        columns 'column seen has 3 places, but the round has 2 documents' $two order:u4 1 0 seen:f4 1 1 1 $x
        columns 'column seen needs the column order, to which it refers' $two seen:f4 1 $x
    }
}

# features WORDS DIM COLUMN...: the same for those who look at features. The others pass the round on.
features() {
    local command
    # shellcheck disable=SC2046
    mkstream $(good 1) + round t=2 qid=q2 docs=2 dim="$2" label:f4 1 1 score:f8 1 1 order:u4 0 1 end:u1 10 "${@:3}" >stream
    refused stream "round 2 (qid q2): $1" "${SEEING[@]}"
    in_ring stream
    for command in "${BLIND[@]}"; do
        words "$command"
        "${word[@]}" <stream >out
    done
}

@test "features that cannot be: ptr that falls or points outside, idx past dim" {
    features 'ptr 0 is 1, not 0' 3 ptr:u4 1 1 1 idx:u4 0 val:f4 1
    features 'ptr 2 is 1, below ptr 1, 2' 3 ptr:u4 0 2 1 idx:u4 0 1 2 val:f4 1 1 1
    features 'ptr 1 is 4, above the number of values, 3' 3 ptr:u4 0 4 3 idx:u4 0 1 2 val:f4 1 1 1
    features 'ptr 1 is 4294967295, above the number of values, 3' 3 ptr:u4 0 4294967295 3 idx:u4 0 1 2 val:f4 1 1 1
    features 'ptr 2 is 2, not 3, the number of values' 3 ptr:u4 0 1 2 idx:u4 0 1 2 val:f4 1 1 1
    features 'idx 1 (document 1) is 3: it must be at least 0 and below dim=3' 3 ptr:u4 0 1 2 idx:u4 0 3 val:f4 1 1
    features 'idx 0 (document 0) is 4294967295: it must be at least 0 and below dim=2147483648' \
        2147483648 ptr:u4 0 1 2 idx:u4 4294967295 3 val:f4 1 1
    features 'idx 1 (document 0) is 1: it must be at least 2 and below dim=3' 3 ptr:u4 0 2 2 idx:u4 1 1 val:f4 1 1
    features 'idx 1 (document 0) is 0: it must be at least 2 and below dim=3' 3 ptr:u4 0 2 2 idx:u4 1 0 val:f4 1 1
    features 'dense features (x), sparse ones (ptr, idx, val) and compact ones * exclude each other' 1 ptr:u4 0 0 0 idx:u4 val:f4 x:f4 1 1
    features 'sparse features need the three columns *' 1 ptr:u4 0 0 0 val:f4
    features 'dim=1, but the round has no features' 1
}

@test "compact features that cannot be: parts missing, other forms beside them, numbers past the largest float" {
    local parts='compact features need the three columns offset, step and number'
    features "$parts" 1 offset:f4 0 number:u1 1 2
    features "$parts" 1 step:f4 1 number:u2 1 2
    features "$parts" 1 offset:f4 0 step:f4 1
    features 'dense features (x), * compact ones (offset, step, number) exclude each other' 1 \
        x:f4 1 1 offset:f4 0 step:f4 1 number:u1 1 2
    features 'dense features (x), * compact ones (offset, step, number) exclude each other' 1 x:f4 1 1 step:f4 1
    features '* exclude each other' 1 ptr:u4 0 0 0 idx:u4 val:f4 offset:f4 0 step:f4 1 number:u1 1 2
    local bad='both must be finite, the step at least 0, and offset + 255 \* step finite'
    features "feature 1 has offset nan and step 1: $bad" 1 offset:f4 nan step:f4 1 number:u1 1 2
    features "feature 2 has offset 0 and step nan: $bad" 2 offset:f4 0 0 step:f4 1 nan number:u1 1 2 3 4
    features "feature 1 has offset inf and step 0: $bad" 1 offset:f4 inf step:f4 0 number:u1 0 0
    features "feature 1 has offset 1 and step -1: $bad" 1 offset:f4 1 step:f4 -1 number:u1 1 2
    features "feature 1 has offset 3e+38 and step 1e+37: $bad" 1 offset:f4 3e38 step:f4 1e37 number:u1 0 0
    features "feature 1 has offset 0 and step 1e+34: * offset + 65535 \* step finite" 1 offset:f4 0 step:f4 1e34 number:u2 0 0
}

@test "compact columns of another size or type than docs and dim make" {
    huge=1099511627776
    header "docs=2 dim=1 cols=offset:f4[1],step:f4[1],number:u1[$huge] bytes=1099511627784" "column number has $huge values, not 2"
    header "docs=2 dim=3 cols=offset:f4[1],step:f4[3],number:u1[6] bytes=22" 'column offset has 1 values, not 3'
    header "docs=2 dim=3 cols=offset:f4[3],step:f4[$huge],number:u1[6] bytes=4398046511122" "column step has $huge values, not 3"
    header 'docs=2 dim=1 cols=offset:f8[1],step:f4[1],number:u1[2] bytes=14' 'column offset has type f8, not f4'
    header 'docs=2 dim=1 cols=offset:f4[1],step:f4[1],number:u4[2] bytes=16' 'column number has type u4, not u1 or u2'
    header 'docs=2 dim=1 cols=offset:f4[1],step:f4[1],number:f4[2] bytes=16' 'column number has type f4, not u1 or u2'
    header 'docs=65536 dim=65536 cols=offset:f4[65536],step:f4[65536],number:u2[0] bytes=524288' 'column number has 0 values, not 4294967296'
    header 'docs=1 dim=1 cols=x:u3[1] bytes=3' "header line: not a column type (u1, u2, u4, u8, f4, f8): 'u3'"
}

@test "compact rounds of which a byte has changed are refused or read" {
    mkstream round t=1 qid=a docs=2 dim=1 label:f4 1 0 score:f8 2 1 order:u4 0 1 offset:f4 1 step:f4 0.5 \
        number:u1 0 255 + round t=2 docs=1 dim=1 label:f4 1 score:f8 0 order:u4 0 offset:f4 0 step:f4 1 number:u2 9 >compact
    for command in "explore -f -g 0.5" "score -m one.bin" "update -X -a squared -e 0.1 -d 1000 -x none" "bin2txt"; do
        words "$command"
        survive_bytes flip compact "${word[@]}"
    done
}

@test "a width that a model may not grow to, and features that are no numbers" {
    mkstream round t=1 docs=2 dim=16777217 label:f4 1 0 ptr:u4 0 0 1 idx:u4 16777216 val:f4 1 >stream
    for learner in 'squared -e 0.1' solar1 solar2 prank committee ridge 'slam -e 1'; do
        refused stream 'round 1: it has 16777217 features, but the model may have only * weights: *' \
            "update -X -a $learner" "loop update -X -a $learner"
    done
    mkstream round t=1 docs=2 dim=1 label:f4 1 0 x:f4 1 nan >stream
    refused stream 'round 1: document 1 scores nan: *' 'score -m one.bin' 'update -X -a squared -e 0.1'
}

@test "a feature with a large index takes no room for those before it, in every program that scores" {
    needs_limits
    mkstream round t=1 docs=2 dim=2147483648 label:f4 1 0 ptr:u4 0 1 1 idx:u4 2147483647 val:f4 1 >stream
    (ulimit -v 100000 && score -m one.bin <stream >out)
    for learner in 'squared -e 1:update: it has 2147483648 features, but the model may have only 16777216 weights*' \
        'linucb:score: the round has 2147483648 features, but linucb takes at most 4096'; do
        (ulimit -v 100000 && fails_on stream 1 "loop: <stdin>: round 1: ${learner#*:}" \
            timeout -s KILL 10 loop "score | explore -f -g 0.5 | feedback-mask | update -a ${learner%%:*}")
    done
}

@test "a stream of which a byte has changed is refused or read, and nothing worse" {
    for command in "${BLIND[@]:0:1}" "${BLIND[@]:2:4}" "${SEEING[@]:0:3}" "${SEEING[5]}"; do
        words "$command"
        survive_bytes flip two "${word[@]}"
    done
}

@test "a loop refuses every beginning of a stream" {
    survive_bytes cut two loop 'score -f ring | explore -f -g 0.5 | feedback-mask | update -a squared -e 0.1 -d 1000 -f ring'
}

# ---- models ----

# model WORDS FILE: score and update refuse it, and leave it as it is.
model() {
    cp "$2" before
    for command in "score -m $2" "update -X -a squared -e 0.5 -m $2"; do
        words "$command"
        got=$(survive_bytes ended two "${word[@]}") || { echo "$got" && return 1; }
        # shellcheck disable=SC2254
        case $got in
        "${word[0]}: "$1) ;;
        *) echo "$command: $got" && return 1 ;;
        esac
        same before "$2"
    done
    [ ! -e "$2.lock" ]
}

@test "models that cannot be" {
    end='rankpipe/1 end rounds=1 bytes=0'
    for dim in 4294967297 1099511627776 18446744073709551617 -1; do
        printf 'rankpipe/1 model learner=squared rounds=3 dim=%s eta=0.5 cols=w:f8[1] bytes=8\n12345678%s\n' $dim "$end" >m
        model "m: model: dim=$dim is not a whole number up to 4294967296" m
    done
    echo 'rankpipe/1 model learner=squared rounds=3 dim=4294967296 eta=0.5 cols=w:f8[4294967296] bytes=34359738368' >m
    model 'm: stream cut short before the first whole round' m
    mkstream model learner=squared rounds=3 dim=1 eta=0.5 >m
    model 'm: model: no column w:f8[[]1] for dim=1' m
    mkstream model learner=squared rounds=3 dim=1 eta=0.5 w:f4 1 >m
    model 'm: model: no column w:f8[[]1] for dim=1' m
    for bad in nan -nan inf -inf; do
        mkstream model learner=squared rounds=3 dim=2 eta=0.5 w:f8 1 $bad >m
        model "m: model: weight 1 is $bad" m
    done
    sed 's,^rankpipe/1 model,rankpipe/7 model,' one.bin >m
    model 'm: the stream has version 7, but this program reads version 1' m
    mkstream model learner=oracle rounds=3 dim=1 eta=0.5 w:f8 1 >m
    model '*oracle, *' m
    mkstream model learner=squared rounds=9007199254740992 dim=1 eta=0.5 w:f8 1 >m
    model 'm: model: rounds=9007199254740992 is not a whole number up to 9007199254740991' m
    { cat one.bin && head -c 100000 /dev/zero; } >m
    model "m: *not a rankpipe stream: it begins *" m
}

# refuses_model WORDS LEARNER [WORD ...]: update -a LEARNER refuses the model.
refuses_model() {
    mkstream model "learner=${2%% *}" rounds=3 "${@:3}" >m
    words "update -X -a $2 -m m"
    got=$(survive_bytes ended two "${word[@]}") || { echo "$got" && return 1; }
    # shellcheck disable=SC2254
    case $got in
    "update: model m: "$1) ;;
    *) echo "$got" && return 1 ;;
    esac
}

@test "what else a learner keeps is checked" {
    sigma='model: no column sigma:f8[[]9], which solar2 needs'
    refuses_model "$sigma" solar2 dim=3 tradeoff=10000 seed=1 w:f8 1 2 3
    refuses_model "$sigma" solar2 dim=3 tradeoff=10000 seed=1 w:f8 1 2 3 sigma:f8 1*8
    refuses_model "$sigma" solar2 dim=3 tradeoff=10000 seed=1 w:f8 1 2 3 sigma:f4 1*9
    refuses_model 'model: sigma 8 is nan' solar2 dim=3 tradeoff=10000 seed=1 w:f8 1 2 3 sigma:f8 1*8 nan
    inverse='model: no column inverse:f8[[]3], which ridge needs'
    refuses_model "$inverse" ridge dim=1 tradeoff=1 w:f8 1 level:f8 1
    refuses_model "$inverse" ridge dim=1 tradeoff=1 w:f8 1 level:f8 1 inverse:f8 1*4
    refuses_model 'model: no column inverse:f8[[]1], which ridge needs' 'ridge -p' dim=1 tradeoff=1 plain=1 w:f8 1 level:f8 1 inverse:f8 1*3
    refuses_model 'model: no column level:f8[[]1], which ridge needs' ridge dim=1 tradeoff=1 w:f8 1 inverse:f8 1*3
    refuses_model 'model: inverse 2 is nan' ridge dim=1 tradeoff=1 w:f8 1 level:f8 1 inverse:f8 1*2 nan
    committee=(dim=1 size=2 seed=1 w:f8 1)
    refuses_model 'model: members is 3, not a whole number from 0 to 2' 'committee -N 2' "${committee[@]}" \
        votes:f8 1 1 members:f8 3 streak:f8 0 member:f8 1 1 current:f8 1
    refuses_model 'model: members is -1, not a whole number from 0 to 2' 'committee -N 2' "${committee[@]}" \
        votes:f8 1 1 members:f8 -1 streak:f8 0 member:f8 1 1 current:f8 1
    refuses_model 'model: streak is 0.5, not a whole number *' 'committee -N 2' "${committee[@]}" \
        votes:f8 1 1 members:f8 1 streak:f8 0.5 member:f8 1 1 current:f8 1
    refuses_model 'model: no column member:f8[[]2], which committee needs' 'committee -N 2' "${committee[@]}" \
        votes:f8 1 1 members:f8 1 streak:f8 0 member:f8 1 current:f8 1
    refuses_model 'model: items 0 is inf' ftpl dim=1 gain=exp w:f8 1 sum:f8 1 block:f8 0 items:f8 inf groups:f8 0 whole:f8 0
    refuses_model 'model: items is 1.5, not *' ftpl dim=1 gain=exp w:f8 1 sum:f8 1 block:f8 0 items:f8 1.5 groups:f8 0 whole:f8 0
    refuses_model 'model: threshold 0 is nan' prank dim=1 grades=4 seed=1 w:f8 1 threshold:f8 nan 0 0 0
}

@test "models of lists from clicks, and of kernels, of which a byte has changed, are refused or read" {
    mkstream round t=1 docs=2 dim=0 score:f8 0 0 order:u4 1 0 seen:f4 1 0 >clicked
    update -a toprank <clicked >whole
    survive_bytes -f m -i clicked flip whole update -a toprank -m m
    for lists in '' ',cutoff=2'; do
        update -X -a kernel,size=1$lists <two >whole
        survive_bytes -f m -i two flip whole update -X -a kernel,size=1$lists -m m
    done
    survive_bytes -f m -i two flip whole score -m m
}

@test "models cut at any byte, or of which one has changed, are refused or read" {
    mkstream round t=1 docs=3 dim=0 label:f4 1 0 2 >list
    for learner in prank 'committee -N 2'; do
        # shellcheck disable=SC2086
        update -X -a $learner <two >whole
        # shellcheck disable=SC2086
        survive_bytes -f m -i two flip whole update -X -a $learner -m m
    done
    survive_bytes -f m -i two cut whole update -X -a committee -N 2 -m m
    survive_bytes -f m -i two cut whole score -m m
    update -X -a prank <two >whole
    survive_bytes -f m -i two flip whole score -m m
    update -a ftpl <list >whole
    survive_bytes -f m -i list flip whole update -a ftpl -m m
}

# message WORDS RECORD: score -f, which such a record reaches by the ring, refuses it without waiting.
message() {
    mkfifo way
    "$ROOT/build/tests/shim/relay" <way >ring & # which opens it when score has
    relay=$!
    exec 7<>way
    printf '%b' "$2" >&7
    got=0
    timeout 5 score -f ring <two >out 2>err || got=$?
    exec 7>&-
    kill $relay 2>/dev/null || true # if it has not gone with score
    wait $relay || true
    rm way
    # shellcheck disable=SC2254
    case $got/$(cat err) in
    1/"score: ring ring: "$1) ;;
    *) echo "exit $got" && cat err && return 1 ;;
    esac
}

@test "models that come round the ring are no better trusted" {
    model='rankpipe/1 model learner=squared rounds=0'
    message 'model: dim=1099511627776 is not a whole number *' "$model dim=1099511627776 cols=w:f8[1099511627776] bytes=8796093022208\n"
    message 'model: no column w:f8[[]1] for dim=1' "$model dim=1 cols=w:f8[1099511627776] bytes=8796093022208\n"
    message 'model: needs the column w, or direction, *' "$model dim=1 bytes=0\n"
    message 'model: needs the column w, *with n up to dim=1' "$model dim=1 cols=index:u4[2],value:f8[2] bytes=24\n"
    message 'model: weight 0 is nan' "$model dim=1 cols=w:f8[1] bytes=8\n\0\0\0\0\0\0\0370\0177"
    message 'it carried a round, *' 'rankpipe/1 round t=1 docs=1 dim=1 cols=x:f4[1] bytes=4\n'
    message "not a rankpipe stream: *" 'hello\n'
    message 'header line: longer than 4096 bytes' "$model x-a=$(printf '%05000d' 0) bytes=0\n"
}

# ---- text ----

# text WORDS [OPTION ...]: svm2bin refuses the file `text`.
text() {
    got=$(survive_bytes ended text svm2bin "${@:2}") || { echo "$got" && return 1; }
    # shellcheck disable=SC2254
    case $got in
    "svm2bin: <stdin>: "$1) ;;
    *) echo "$got" && return 1 ;;
    esac
}

@test "text that is made to hurt" {
    for index in 2147483649 4294967297 9223372036854775808 18446744073709551617 "$(printf '%01000d1' 0 | tr 0 9)"; do
        echo "1 qid:a $index:1" >text
        text 'line 1: an index above 2147483648: *'
    done
    for value in 1e999 -1e999 1e99999999999999999999 "$(printf '%0500d' 0 | tr 0 9)"; do
        echo "1 qid:a 1:$value" >text
        text "line 1: the value is too large for a float: *"
        echo "${value#-} qid:a 1:1" >text
        text "line 1: the label is too large for a float: *"
    done
    for value in nan inf 0x1p3 1e 1e+ . - +-1 1,5 1_000 ''; do
        echo "1 qid:a 1:$value" >text
        text "line 1: the value is not a number: *"
    done
    printf '1 qid:a 1:1\n1 qid:a 1:\0001\n' >text
    text 'line 2: a NUL byte: *'
    head -c 100000 /dev/zero >text
    text 'line 1: a NUL byte: *'
    { printf '1 qid:' && head -c 1000000 /dev/zero | tr '\0' q; } >text
    text 'line 1: a qid of more than 255 bytes: *'
    { printf '1 qid:' && head -c 86 /dev/zero | tr '\0' '\377'; } >text
    text 'line 1: a qid of more than 255 bytes: *'
    { printf '1 qid:a ' && head -c 1000000 /dev/zero | tr '\0' 1; } >text
    text 'line 1: not a feature (index:value): *'
    head -c 1000000 /dev/urandom | tr -d '\0\n#' >text
    text 'line 1: *'
    echo '1 qid:a 1:1' >text
    text 'line 1: an index past -d 0: *' -d 0
}

@test "numbers of a million digits, carriage returns and other oddities are read" {
    { printf '1 qid:a 1:0.' && head -c 1000000 /dev/zero | tr '\0' 3 && printf '\n1 qid:a ' &&
        head -c 1000000 /dev/zero | tr '\0' 0 && printf '2:1e-999\r\n1 qid:a 1:-0 2:1E+0\r\n\r\n#\r\n'; } >text
    timeout 5 svm2bin text >out
    is "$(bin2txt out)" '1 qid:a 1:0.333333343 2:0
1 qid:a 1:0 2:0
1 qid:a 1:-0 2:1'
}

@test "a line of 100 MB is refused when 64 MiB of it have come" {
    got=0
    head -c 100000000 /dev/zero | tr '\0' 1 | timeout 5 svm2bin 2>err >out || got=$?
    is "$got $(cat err)" "1 svm2bin: <stdin>: line 1: a line over 64 MiB: '1111111111111111111111111111111111111111'..."
}
