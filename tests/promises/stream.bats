#!/usr/bin/env bats
# The stream's promises, for every program that reads or writes one.

load ../helper

# tiny T: a round of one document with label 1, x 1, and the score 2 that one.bin, a model with the
# one weight 2, gives it. end N: an end record.
tiny() {
    echo "rankpipe/1 round t=$1 docs=1 dim=1 cols=label:f4[1],score:f8[1],order:u4[1],x:f4[1] bytes=20"
    printf '\0\0\x80\x3f' && printf '\0\0\0\0\0\0\0\x40' && printf '\0\0\0\0' && printf '\0\0\x80\x3f'
}

model() {
    echo 'rankpipe/1 model learner=squared rounds=0 dim=1 eta=0.5 x-mine=7 cols=w:f8[1],own:u1[2] bytes=10'
    printf '\0\0\0\0\0\0\0\x40' && printf 'ab'
}

end() {
    echo "rankpipe/1 end rounds=$1 bytes=0"
}

# Everything that reads rounds; those that pass them on.
FILTERS=("score -m one.bin" "explore -f -g 0.5" "metric -t table ndcg@1" "feedback-mask")
READERS=("${FILTERS[@]}" "metric ndcg@1" "update -nX -a squared -e 0.1 -m new.bin" "bin2txt -f rank" "replay -")

setup_file() {
    export BATS_TEST_TIMEOUT=60 # or a program that hangs would not be reported
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    { model && end 1; } >one.bin
    { tiny 1 && tiny 2 && end 2; } >two
}

teardown() {
    if [ -e full/mounted ]; then umount full; fi
}

# without_end N: takes an end record of N records off.
without_end() {
    head -c "-$(end "$1" | wc -c)"
}

# all_refuse FILE WORDS: every program that reads rounds exits 1 and says where and what (a glob).
all_refuse() {
    local command
    for command in "${READERS[@]}"; do
        # shellcheck disable=SC2086
        fails_on "$1" 1 "${command%% *}: <stdin>: $2" $command
    done
}

# ---- features that nobody looks at ----

# late FILE: its bytes in pieces, so that a round's line, or some of its features, come alone.
late() {
    { head -c 500 && sleep 0.1 && head -c 1500 && sleep 0.1 && head -c 40000 && sleep 0.1 && cat; } <"$1"
}

@test "features go through a pipe as they do into a file, whether they come at once or late" {
    for dim in 41 136 300; do
        synth -n 5 -l 100 -d "$dim" linear >dealt
        update -X -a squared -e 0.001 -m model <dealt
        score -m model <dealt >scored
        explore -g 0.5 <scored >shown
        for command in "score -m model:dealt" "explore -g 0.5:scored" "metric -t table map:shown" \
            "feedback-mask -k 3:shown"; do
            ${command%:*} <"${command#*:}" >file
            cat "${command#*:}" | ${command%:*} | cat >pipe
            same file pipe
            late "${command#*:}" | ${command%:*} | { sleep 0.1 && cat; } >pipe
            same file pipe
        done
        rm model
        head -c 100000 shown >cut
        feedback-mask <cut >file || true
        cat cut | feedback-mask | cat >pipe || true
        same file pipe
    done
}

# ---- what is not known is carried along ----

# carried KEYS COLUMNS N BYTES: a round with keys and columns that no program knows, and others.
carried() {
    echo "rankpipe/1 round t=1 x-a=1 qid=q docs=1 dim=1$1 x-b=two=2 cols=mine:u1[3],$2,x:f4[1] bytes=$3"
    printf 'me\n' && printf '%b' "$4" && printf '\0\0\x80\x3f'
}

@test "unknown columns and x- keys pass every filter unchanged, new columns go just before the features" {
    label='\0\0\0200\077' other='rankpipe' score='\0\0\0\0\0\0\0\0100' order='\0\0\0\0'
    { carried '' 'label:f4[1],other:f8[1]' 19 "$label$other" && end 1; } >in
    replay in >replayed
    same in replayed
    score -m one.bin <in >scored
    { carried '' 'label:f4[1],other:f8[1],score:f8[1]' 27 "$label$other$score" && end 1; } >expected
    same expected scored
    explore -g 1 <scored >explored
    { carried ' gamma=1' 'label:f4[1],other:f8[1],score:f8[1],order:u4[1],greedy:u4[1]' 35 \
        "$label$other$score$order$order" && end 1; } >expected
    same expected explored
    explore -f -g 1 <explored >again # the order is drawn anew, in place of the one before
    same explored again
    metric -t table ndcg@1 <explored >measured
    same explored measured
    feedback-mask <measured >masked
    { carried ' gamma=1' 'other:f8[1],score:f8[1],order:u4[1],greedy:u4[1],seen:f4[1]' 35 \
        "$other$score$order$order$label" && end 1; } >expected
    same expected masked
}

@test "a column of type u8 passes every filter unchanged" {
    mkstream round t=1 docs=1 dim=1 label:f4 1 score:f8 2 own:u8 18446744073709551615 1 \
        order:u4 0 x:f4 1 >in
    for command in "score -m one.bin" "explore -f" "metric -t table ndcg@1" "replay -" "features log"; do
        $command <in >out
        grep -aq 'own:u8\[2\]' out
        LC_ALL=C grep -aqF "$(printf '\xff\xff\xff\xff\xff\xff\xff\xff\x01')" out
    done
}

@test "a new column goes before the features, wherever they stand" {
    { echo 'rankpipe/1 round t=1 docs=1 dim=1 cols=x:f4[1],mine:u1[2] bytes=6' &&
        printf '\0\0\x80\x3fme' && end 1; } >in
    score -m one.bin <in >out
    { echo 'rankpipe/1 round t=1 docs=1 dim=1 cols=score:f8[1],x:f4[1],mine:u1[2] bytes=14' &&
        printf '\0\0\0\0\0\0\0\x40\0\0\x80\x3fme' && end 1; } >expected
    same expected out
}

@test "update learns the same from a round with more in it" {
    { carried '' 'label:f4[1],other:f8[1]' 19 '\0\0\0200\077rankpipe' && end 1; } >in
    { tiny 1 && end 1; } | update -X -a squared -e 0.1 >expected
    update -X -a squared -e 0.1 <in >out
    same expected out
}

@test "models pass every filter unchanged and are counted at the end" {
    { tiny 1 && model && tiny 2 && end 3; } >in
    for command in "${FILTERS[@]}"; do
        { tiny 1 && end 1; } | $command | without_end 1 >expected
        model >>expected
        { tiny 2 && end 1; } | $command | without_end 1 >>expected
        end 3 >>expected
        $command <in >out
        same expected out
    done
    is "$(bin2txt -f head <in)" "$(tiny 1 | head -n 1 && model | head -n 1 && tiny 2 | head -n 1)"
}

@test "a model file is a stream" {
    for command in 'score -m one.bin' 'explore -f' 'feedback-mask'; do
        $command <one.bin >out
        same one.bin out
    done
}

@test "update refuses a model on standard input and says where it goes" {
    { tiny 1 && model && end 2; } >in
    fails_on in 1 'update: <stdin>: record 2: the stream has a model, *: to continue a model, use -m' \
        update -X -a squared -e 0.1
}

# ---- streams together, and empty ones ----

@test "two streams one after the other are a stream" {
    { tiny 7 && end 1; } >one
    for command in "${FILTERS[@]}"; do
        $command <two | without_end 2 >expected
        $command <one | without_end 1 >>expected
        end 3 >>expected
        cat two one | $command >out 2>err
        same expected out
        is "$(cat err)" ''
    done
    { tiny 1 && tiny 2 && tiny 3 && end 3; } >three
    cat two one | replay - >out
    same three out
    is "$(cat two one | bin2txt -f head | cut -d ' ' -f 3 | paste -sd ' ')" 't=1 t=2 t=7'
    is "$(cat two one | metric -r ndcg@1 | tail -n 1)" "$(printf '7\t3\t3')"
    update -X -a squared -e 0.1 <three >expected
    cat two one | update -X -a squared -e 0.1 >out
    same expected out
}

@test "an empty stream passes what passes rounds on" {
    end 0 >none
    for command in 'score -m one.bin' 'explore -f' 'feedback-mask' 'replay -'; do
        $command <none >out 2>err
        same none out
        is "$(cat err)" ''
    done
    cat none none two none | explore -f >out
    same two out
    is "$(bin2txt <none)" ''
}

@test "update and metric refuse an empty stream" {
    end 0 >none
    for command in 'update -X -a squared -e 0.1' 'update -X -a squared -e 0.1 -m new.bin' 'metric ndcg@1' \
        'metric -t table ndcg@1'; do
        # shellcheck disable=SC2086
        fails_on none 1 "${command%% *}: <stdin>: no rounds" $command
    done
    [ ! -e new.bin ]
}

# ---- what is no stream ----

@test "another version is refused with its number, whatever else it says" {
    printf 'rankpipe/2 round t=1 colours=9\0\n' >in
    all_refuse in 'the stream has version 2, but this program reads version 1'
    printf 'rankpipe/12 else\n' | cat - two >in
    all_refuse in 'the stream has version 12, but this program reads version 1'
}

@test "SVM-light text is recognised as such" {
    for line in '2 qid:10 1:0.5' '1 1:0.5 2:3' '-1 7:1' '0.5 qid:a' 'qid:a 1:1' '? qid:a 1:1' '2 qid:a #x' \
        '1:0.5 2:3'; do
        echo "$line" >in
        all_refuse in 'this looks like SVM-light text: pipe it through svm2bin'
    done
    seq -f '%g:0.25' -s ' ' 9999 | sed 's/^/2 qid:a /' >long
    all_refuse long 'this looks like SVM-light text: pipe it through svm2bin'
    printf '2 qid:10 1:0.5' >in # not even a line
    all_refuse in 'this looks like SVM-light text: pipe it through svm2bin'
}

@test "other bytes are not taken for a stream" {
    echo rankpipe/1 >in
    all_refuse in "header line: no kind of record after: 'rankpipe/1'"
    printf '\177ELF\1\1\n' >in
    all_refuse in "not a rankpipe stream: it begins with '\\\\x7fELF\\\\x01\\\\x01'"
    cat two - <<<'more' >in
    all_refuse in "after round 2: not a rankpipe stream: it begins with 'more'"
}

@test "a compressed stream is named, and how it is read" {
    gzip -c two >in
    all_refuse in "not a rankpipe stream: compressed by gzip: decompress it first, by 'gzip -dc'"
    printf '(\265/\375\0\1' >in
    all_refuse in "not a rankpipe stream: compressed by zstd: decompress it first, by 'zstd -dc'"
}

# refuse_header HEADER WORDS: a round with that header (and bytes enough) after a good one is refused.
refuse_header() {
    { tiny 1 && echo "rankpipe/1 $1" && head -c 100 /dev/zero; } >in
    all_refuse in "after round 1: $2"
}

@test "a header line that is not as the grammar has it is refused" {
    refuse_header 'round t=2 docs=1 dim=0 docs=1 bytes=0' "header line: a key comes twice: 'docs'"
    refuse_header 'round t=2 docs=1 dim=0 cols=a:u1[1],a:u1[1] bytes=2' "header line: a column comes twice: 'a'"
    refuse_header 'round t=2 docs=1 dim=0 cols=a:u1[3],b:f4[2] bytes=10' \
        'header line: bytes=10, but its columns have 11 bytes'
    refuse_header 'round t=2 docs=1 dim=0 bytes=1' 'header line: bytes=1, but its columns have 0 bytes'
    refuse_header 'round t=2 docs=1 dim=0' 'header line: bytes= is missing at its end'
    refuse_header 'round t=2 docs=1 bytes=0 dim=0' "header line: bytes= must be a whole number that ends the line, not: '0 dim=0'"
    refuse_header 'round t=2 docs=1 dim=0 bytes=0 ' "header line: bytes= must be a whole number that ends the line, not: '0 '"
    refuse_header 'round t=2  docs=1 dim=0 bytes=0' "header line: neither key=value nor bytes=: ''"
    refuse_header 'round t=2 cols=a:u1[1] docs=1 dim=0 bytes=1' \
        "header line: only bytes= may follow cols=, not: 'docs=1'"
    refuse_header 'round t=2 docs=1 dim=0 qid= bytes=0' "header line: a key without a value: 'qid'"
    refuse_header 'round t=2 docs=1 dim=0 cols=a:u3[1] bytes=3' \
        "header line: not a column type (u1, u2, u4, u8, f4, f8): 'u3'"
    refuse_header 'round t=2 docs=1 dim=0 cols=a[:u1[1] bytes=1' "header line: not a valid name of a column: 'a\['"
    refuse_header 'round t=2 docs=1 dim=0 cols=a:u1 bytes=1' "header line: a column must be name:type\[count\], not: 'a:u1'"
    refuse_header 'round t=2 docs=1 dim=0 cols=a:u1[01] bytes=1' "header line: not a valid count of values: '01'"
    refuse_header 'round t=2 docs=1 dim=0 cols=A:u1[1] bytes=1' "header line: not a valid name of a column: 'A'"
    refuse_header "$(printf 'round t=2 docs=1 dim=0 x-a=\303 bytes=0')" \
        'header line: byte 39 is \\xc3, not printable ASCII'
    refuse_header "$(printf 'round t=2 docs=1 dim=0 bytes=0\r')" \
        'header line: byte 42 is \\x0d, not printable ASCII'
    refuse_header 'lap t=2 bytes=0' "header line: not a kind of record (round, model, patch, end): 'lap'"
}

@test "a patch of a model is refused in a stream, as its whole model is not there" {
    { tiny 1 && echo 'rankpipe/1 patch learner=memory rounds=1 dim=0 since=1.0123abcd cols=w:f8[0] bytes=0'; } >in
    all_refuse in 'it holds what changed of a model since whole.1.0123abcd.bin: give the name of the file, in the folder of that one'
}

# refuse_keys KEYS PLACE WORDS: so is a round with those keys.
refuse_keys() {
    { tiny 1 && echo "rankpipe/1 round $1 bytes=0" && end 2; } >in
    all_refuse in "$2: $3"
}

@test "keys that a round must have, and in the order it must have them" {
    refuse_keys 'docs=1 dim=0' 'round ?' 'key t= is missing'
    refuse_keys 't=2 dim=0' 'round 2' 'key docs= is missing'
    refuse_keys 't=2 docs=1' 'round 2' 'key dim= is missing'
    refuse_keys 't=0 docs=1 dim=0' 'round 0' 't=0 is not a whole number from 1 to 9007199254740991'
    refuse_keys 't=9007199254740992 docs=1 dim=0' 'round 9007199254740992' \
        't=9007199254740992 is not a whole number from 1 to 9007199254740991'
    refuse_keys 't=02 docs=1 dim=0' 'round 02' 't=02 is not a whole number from 1 to 9007199254740991'
    refuse_keys 't=2 docs=0 dim=0' 'round 2' 'docs=0 is not a whole number from 1 to 4294967295'
    refuse_keys 't=2 docs=1 dim=-1' 'round 2' 'dim=-1 is not a whole number from 0 to 2147483648'
    refuse_keys 'docs=1 t=2 dim=0' 'round 2' 'key t= is out of order: the order is t, qid, request, time, client, clicks, docs, *'
    refuse_keys 't=2 docs=1 qid=a dim=0' 'round 2' 'key qid= is out of order: *'
    refuse_keys 't=2 docs=1 dim=0 colour=red' 'round 2' 'unknown key colour=: *'
    refuse_keys 't=2 docs=1 dim=0 gamma=1.5' 'round 2' 'gamma=1.5 is not a number from 0 to 1'
    refuse_keys 't=2 docs=1 dim=0 gamma=nan' 'round 2' 'gamma=nan is not a number from 0 to 1'
    refuse_keys 't=2 docs=1 dim=0 block=9007199254740992' 'round 2' \
        'block=9007199254740992 is not a whole number from 0 to 9007199254740991'
    refuse_keys 't=2 docs=1 dim=0 block=-1' 'round 2' 'block=-1 is not a whole number from 0 to *'
    refuse_keys 't=2 docs=3 dim=0 block=0 group=3' 'round 2' 'group=3 is not a whole number from 0 to 2'
    refuse_keys 't=2 docs=3 dim=0 block=0 group=1.5' 'round 2' 'group=1.5 is not a whole number from 0 to 2'
    refuse_keys 't=2 docs=3 dim=0 group=0' 'round 2' 'group= needs block=, *'
    refuse_keys 't=2 docs=3 dim=0 group=0 block=0' 'round 2' 'key block= is out of order: *'
    refuse_keys 't=2 qid=a%zz docs=1 dim=0' 'round 2' 'qid=a%zz: two hexadecimal digits (0-9, A-F) must follow %'
    refuse_keys 't=2 docs=3 dim=0 gamma=1 top=0' 'round 2' 'top=0 is not a whole number from 1 to 4294967295'
    refuse_keys 't=2 docs=3 dim=0 gamma=1 swap=x' 'round 2' 'swap=x is not a whole number from 1 to 4294967295'
    refuse_keys 't=2 docs=3 dim=0 gamma=1 top=1 swap=1' 'round 2' 'top= and swap= exclude each other: an order is drawn in one way'
    refuse_keys 't=2 docs=3 dim=0 top=1' 'round 2' 'top= needs gamma=, *'
    refuse_keys 't=2 docs=3 dim=0 swap=1' 'round 2' 'swap= needs gamma=, *'
    refuse_keys 't=2 docs=3 dim=0 top=1 gamma=1' 'round 2' 'key gamma= is out of order: *gamma, top, swap, slot, subset, block, group, seed'
    for made in Scale scale, ,scale scale,,rank scale:A 3 scale/rank zoom:1:2:3,4; do
        refuse_keys "t=2 docs=1 dim=0 made=$made" 'round 2' "made=$made is not a list of steps *"
    done
    # steps of other programs pass
    mkstream round t=1 docs=1 dim=0 made=a,zoom:1.5,z | explore -g 1 | bin2txt -f head | grep ' made=a,zoom:1.5,z '
    refuse_keys 't=2 docs=1 made=scale dim=0' 'round 2' 'key dim= is out of order: *qid, request, time, client, clicks, docs, dim, made, named, based, judged, rates, gamma, *'
    refuse_keys "t=2 docs=1 dim=0 made=own:$(printf '%0252d' 0)" 'round 2' 'made= has 256 bytes: at most 255 are allowed'
    refuse_keys 't=2 request=a%zz docs=1 dim=0' 'round 2' 'request=a%zz: two hexadecimal digits (0-9, A-F) must follow %'
    refuse_keys "t=2 request=$(printf '%0256d' 0) docs=1 dim=0" 'round 2' 'request= has 256 bytes: at most 255 are allowed'
    refuse_keys 't=2 docs=1 request=a dim=0' 'round 2' 'key request= is out of order: *'
    refuse_keys 't=2 time=1.5 docs=1 dim=0' 'round 2' 'time=1.5 is not a whole number from 0 to 9007199254740991'
    refuse_keys 't=2 time=1 request=a docs=1 dim=0' 'round 2' 'key request= is out of order: *'
    refuse_keys 't=2 docs=1 dim=0 seed=-1' 'round 2' 'seed=-1 is not a whole number from 0 to 9007199254740992'
    refuse_keys 't=2 docs=1 dim=0 seed=1 gamma=1' 'round 2' 'key gamma= is out of order: *'
    refuse_keys "t=2 qid=$(printf '%0256d' 0) docs=1 dim=0" 'round 2' 'qid= has 256 bytes: at most 255 are allowed'
}

# refuse_columns COLUMNS BYTES WORDS: the same for a round of two documents with these columns.
refuse_columns() {
    local n
    n=$(printf '%b' "$2" | wc -c)
    { tiny 1 && echo "rankpipe/1 round t=2 docs=2 dim=0 cols=$1 bytes=$n" && printf '%b' "$2" && end 2; } >in
    all_refuse in "round 2: $3"
}

@test "columns that a program knows are checked" {
    refuse_columns 'label:f4[1]' '\0\0\0\0' 'column label has 1 values, not 2'
    refuse_columns 'label:u4[2]' '\0\0\0\0\0\0\0\0' 'column label has type u4, not f4'
    refuse_columns 'label:u2[2]' '\0\0\0\0' 'column label has type u2, not f4'
    refuse_columns 'label:f4[2]' '\0\0\0\0\0\0\0200\0277' 'column label: value 1 is -1: it must be a finite number of at least 0'
    refuse_columns 'label:f4[2]' '\0\0\0300\0177\0\0\0\0' 'column label: value 0 is nan: *'
    refuse_columns 'label:f4[2]' '\0\0\0200\0177\0\0\0\0' 'column label: value 0 is inf: *'
    refuse_columns 'score:f8[2]' '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0360\0177' 'column score: value 1 is inf: it must be a finite number'
    refuse_columns 'order:u4[2]' '\01\0\0\0\01\0\0\0' 'column order is not a permutation of 0 to 1'
    refuse_columns 'order:u4[2]' '\0\0\0\0\02\0\0\0' 'column order is not a permutation of 0 to 1'
    refuse_columns 'seen:f4[1]' '\0\0\0\0' 'column seen needs the column order, to which it refers'
    refuse_columns 'order:u4[2],seen:f4[3]' '\0\0\0\0\01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' \
        'column seen has 3 places, but the round has 2 documents'
}

# refuse_features KEYS COLUMNS BYTES WORDS: features that do not fit are refused by who reads them.
refuse_features() {
    local n command
    n=$(printf '%b' "$3" | wc -c)
    { echo "rankpipe/1 round t=1 docs=1 dim=$1 cols=label:f4[1],$2 bytes=$((n + 4))" &&
        printf '\0\0\0\0' && printf '%b' "$3" && end 1; } >in
    for command in 'score -m one.bin' 'update -X -a squared -e 0.1' 'bin2txt'; do
        # shellcheck disable=SC2086
        fails_on in 1 "${command%% *}: <stdin>: round 1: $4" $command
    done
}

@test "features are checked by the programs that read them" {
    refuse_features 2 'x:f4[1]' '\0\0\0\0' 'column x has 1 values, not 2'
    refuse_features 2 'mine:u1[1]' '\0' 'dim=2, but the round has no features'
    three='sparse features need the three columns ptr, idx and val'
    refuse_features 2 'ptr:u4[2],idx:u4[1]' '\0\0\0\0\01\0\0\0\0\0\0\0' "$three"
    refuse_features 2 'ptr:u4[2],val:f4[1]' '\0\0\0\0\01\0\0\0\0\0\0\0' "$three"
    refuse_features 2 'ptr:u4[2]' '\0\0\0\0\0\0\0\0' "$three"
    refuse_features 2 'idx:u4[1]' '\0\0\0\0' "$three"
    refuse_features 2 'val:f4[1]' '\0\0\0\0' "$three"
    refuse_features 2 'ptr:u4[2],idx:u4[1],val:f4[1]' '\01\0\0\0\01\0\0\0\0\0\0\0\0\0\0\0' 'ptr 0 is 1, not 0'
    refuse_features 2 'ptr:u4[2],idx:u4[1],val:f4[1]' '\0\0\0\0\02\0\0\0\0\0\0\0\0\0\0\0' \
        'ptr 1 is 2, above the number of values, 1'
    refuse_features 2 'ptr:u4[2],idx:u4[1],val:f4[1]' '\0\0\0\0\01\0\0\0\02\0\0\0\0\0\0\0' \
        'idx 0 (document 0) is 2: it must be at least 0 and below dim=2'
    refuse_features 2 'ptr:u4[2],idx:u4[2],val:f4[2]' '\0\0\0\0\02\0\0\0\01\0\0\0\01\0\0\0\0\0\0\0\0\0\0\0' \
        'idx 1 (document 0) is 1: it must be at least 2 and below dim=2'
}

@test "a header line of 4096 bytes is read, one of 4097 refused" {
    header='rankpipe/1 round t=1 docs=1 dim=0 x-long='
    fill=$(printf '%0*d' $((4096 - ${#header} - 9)) 0)
    { echo "$header$fill bytes=0" && end 1; } >in
    is "$(head -n 1 in | wc -c)" 4096
    replay in >out
    same in out
    { echo "$header${fill}0 bytes=0" && end 1; } >in
    all_refuse in 'header line: longer than 4096 bytes'
    { tiny 1 && head -c 10000 /dev/zero | tr '\0' ' '; } >in
    all_refuse in "after round 1: not a rankpipe stream: it begins with '                                        '..."
}

@test "a header line that a new column would make longer than 4096 bytes is refused" {
    header='rankpipe/1 round t=1 docs=1 dim=0 x-long='
    fill=$(printf '%0*d' $((4096 - ${#header} - 9)) 0)
    { echo "$header$fill bytes=0" && end 1; } >in
    fails_on in 1 'explore: <stdin>: round 1: *header line*' explore -g 1
    fails_on in 1 'score: <stdin>: round 1: its header line would be longer than 4096 bytes' score -m one.bin
    [ ! -s out ]
}

@test "an end record that counts other rounds than came is refused" {
    { tiny 1 && tiny 2 && end 3; } >in
    all_refuse in 'the end record counts 3 rounds, but 2 came'
    cat two two <(end 1) >in
    all_refuse in 'the end record counts 1 rounds, but 0 came'
    { tiny 1 && echo 'rankpipe/1 end bytes=0'; } >in
    all_refuse in "after round 1: header line: an end record must be 'rankpipe/1 end rounds=n bytes=0'"
}

@test "memory grows with the bytes that came, not with those announced" {
    needs_limits
    { tiny 1 && echo 'rankpipe/1 round t=2 docs=1 dim=0 cols=big:u1[4503599627370496] bytes=4503599627370496' &&
        head -c 1000 /dev/zero; } >in
    { tiny 1 && echo 'rankpipe/1 round t=2 docs=4294967295 dim=0 cols=label:f4[4294967295] bytes=17179869180' &&
        head -c 1000 /dev/zero; } >docs
    ulimit -v 32768
    all_refuse in 'stream cut short after round 1'
    all_refuse docs 'stream cut short after round 1'
    refuse_keys 't=2 docs=4294967295 dim=0' 'round 2' 'docs=4294967295, but the payload has only 0 bytes'
}

@test "memory does not grow with the stream" {
    needs_limits
    for command in "${FILTERS[@]}" 'metric ndcg@1' 'update -X -a squared -e 0.1' 'bin2txt -f head' \
        'bin2txt -f summary'; do
        # shellcheck disable=SC2086
        replay -n 300000 two | (ulimit -v 16384 && exec $command) | tail -n 1 >out
        case $command in
        metric\ ndcg*) is "$(cat out)" "$(printf '300000\t1')" ;;
        update*) is "$(tail -c 32 out)" 'rankpipe/1 end rounds=1 bytes=0' ;;
        bin2txt*summary) grep '^line order ' out ;;
        bin2txt*) is "$(cat out)" "$(tiny 300000 | head -n 1)" ;;
        *) is "$(tail -c 37 out)" "$(end 300000)" ;;
        esac
    done
}

# ---- a stream cut short ----

# refuses_every_cut INPUT COMMAND...: two rounds, 5 and 6, cut at each of their bytes: exit 1 and the
# last whole round's number, every time; what came of it is as `check COUNT` (of whole rounds) wants.
refuses_every_cut() {
    local input=$1 at got where count each whole
    shift
    each=$(tiny 5 | wc -c)
    { tiny 5 && tiny 6 && end 2; } >whole
    whole=$(wc -c <whole)
    [ "$whole" -lt 700 ]
    for ((at = 0; at < whole; at += STRIDE)); do
        count=$((at / each > 2 ? 2 : at / each)) got=0
        case $at:$count in
        0:*) where=': the input is empty, without even an end record' ;;
        *:0) where=' before the first whole round' ;;
        *) where=" after round $((count + 4))" ;;
        esac
        head -c $at whole >torn
        "$@" <torn >out 2>err || got=$?
        [ "$got $(<err)" = "1 $1: $input: stream cut short$where" ] || {
            echo "cut at $at: exit $got, $(cat err)"
            return 1
        }
        check $count || {
            echo "cut at $at: not what $count rounds make"
            return 1
        }
    done
    [ $at -gt 200 ]
}

# of_whole NAME COMMAND...: what a filter makes of no, one and two rounds, into NAME0, NAME1, NAME2.
of_whole() {
    end 0 | "${@:2}" | without_end 0 >"${1}0"
    { tiny 5 && end 1; } | "${@:2}" | without_end 1 >"${1}1"
    { tiny 5 && tiny 6 && end 2; } | "${@:2}" | without_end 2 >"${1}2"
}

@test "score refuses a stream cut at any byte, and passes on what came whole" {
    of_whole scored score -m one.bin
    check() { cmp -s out "scored$1"; }
    refuses_every_cut '<stdin>' score -m one.bin
}

@test "explore refuses a stream cut at any byte, and passes on what came whole" {
    of_whole explored explore -f -g 0.5
    check() { cmp -s out "explored$1"; }
    refuses_every_cut '<stdin>' explore -f -g 0.5
}

@test "feedback-mask refuses a stream cut at any byte, and passes on what came whole" {
    of_whole masked feedback-mask
    check() { cmp -s out "masked$1"; }
    refuses_every_cut '<stdin>' feedback-mask
}

@test "metric -t refuses a stream cut at any byte, and passes on what came whole" {
    check() { cmp -s out "measured$1"; }
    : >measured0 && tiny 5 >measured1
    { tiny 5 && tiny 6; } >measured2
    refuses_every_cut '<stdin>' metric -t table ndcg@1
}

@test "metric refuses a stream cut at any byte, and prints what came whole" {
    : >table0
    printf 't\tndcg@1\n5\t1\n' >table1
    printf 't\tndcg@1\n5\t1\n6\t1\n' >table2
    check() { cmp -s out "table$1"; }
    refuses_every_cut '<stdin>' metric ndcg@1
}

@test "update refuses a stream cut at any byte, and saves what came whole" {
    { tiny 5 && end 1; } | update -X -a squared -e 0.125 >model1
    { tiny 5 && tiny 6 && end 2; } | update -X -a squared -e 0.125 >model2
    is "$(uncrc <model2 | bin2txt -f head)" \
        'rankpipe/1 model learner=squared rounds=2 dim=1 features=1 eta=0.125 cols=w:f8[1] bytes=8'
    check() {
        if [ "$1" = 0 ]; then [ ! -e new.bin ]; else cmp -s new.bin "model$1" && rm new.bin; fi
    }
    refuses_every_cut '<stdin>' update -X -a squared -e 0.125 -m new.bin
}

@test "bin2txt refuses a stream cut at any byte, and prints what came whole" {
    : >text0
    tiny 5 | head -n 1 >text1
    { tiny 5 | head -n 1 && tiny 6 | head -n 1; } >text2
    check() { cmp -s out "text$1"; }
    refuses_every_cut '<stdin>' bin2txt -f head
}

@test "replay refuses a stream cut at any byte, and deals nothing" {
    check() { [ ! -s out ]; }
    refuses_every_cut '<stdin>' replay -
    refuses_every_cut torn replay torn
}

@test "the second of two streams may not be cut short either" {
    for bytes in 1 20 90 -10; do # of its first header, of its first payload, of its end
        head -c $bytes two | cat two - >in
        all_refuse in 'stream cut short after round 2'
    done
    cat two <(tiny 7) >in
    all_refuse in 'stream cut short after round 7'
}

# ---- who reads what we write ----

# Input of two rounds, of many, and as text; the programs that write more the more they read.
many() {
    replay -n 5000 two >many
    awk 'BEGIN { for (i = 1; i <= 5000; i++) print "1 qid:" i " 1:1 2:2 3:3 4:4" }' >many.txt
    printf '1 qid:a 1000000:1\n' | svm2bin >wide # for a large model
}
WRITERS=("${FILTERS[@]}" "metric -e 1 ndcg@1" "bin2txt -f head" "replay -")

# full INPUT COMMAND...: on a full device it exits 1 and says so.
full() {
    local got=0
    "${@:2}" <"$1" >/dev/full 2>err || got=$?
    is "$got $(cat err)" "1 $2: cannot write <stdout>: No space left on device"
}

@test "a full device is an error, for a little output and for much" {
    many
    for command in "${WRITERS[@]}"; do
        # shellcheck disable=SC2086
        full two $command
        # shellcheck disable=SC2086
        full many $command
    done
    full two update -X -a squared -e 0.1
    full wide update -X -a squared -e 0.1
    head -n 1 many.txt >one.txt
    full one.txt svm2bin
    full many.txt svm2bin
}

@test "a full device is an error for metric's table, for usage and for the list of programs" {
    fails_on two 1 'metric: cannot write /dev/full: No space left on device' metric -t /dev/full ndcg@1
    for command in "${WRITERS[@]}" 'update' 'svm2bin'; do
        run -1 sh -c "${command%% *} -h >/dev/full"
    done
    run -1 sh -c 'rankpipe >/dev/full'
}

@test "a standard stream that is closed is an error" {
    for command in "${WRITERS[@]}" 'update -X -a squared -e 0.1'; do
        fails_on two 1 "${command%% *}: cannot write <stdout>: Bad file descriptor" sh -c "exec $command >&-"
        fails 1 "${command%% *}: cannot read <stdin>: Bad file descriptor" sh -c "exec $command <&-"
    done
}

# gone INPUT COMMAND...: with nobody to read its output it dies of SIGPIPE, without a word.
gone() {
    local status
    timeout 10 "${@:2}" <"$1" 2>err | true
    status=("${PIPESTATUS[@]}")
    is "$2: ${status[0]} $(cat err)" "$2: 141 "
}

@test "a reader that is gone ends a program with 141, without words" {
    many
    for command in "${WRITERS[@]}"; do
        # shellcheck disable=SC2086
        gone many $command
    done
    gone wide update -X -a squared -e 0.1
    gone many.txt svm2bin
    synth -n 3 -l 400 -d 200 linear >large # replay lends the pages of such rounds to the pipe
    timeout -s KILL 10 replay -n 1000 large 2>err | head -c 1000000 >out
    is "${PIPESTATUS[0]} $(cat err)" '141 '
}

@test "a reader that is gone ends a program that waits for input, too" {
    mkfifo fifo text
    exec 4<>fifo 5<>text # so that they never end
    cat two >&4
    for command in "${WRITERS[@]}" 'update -X -a squared -e 0.1'; do
        # shellcheck disable=SC2086
        gone fifo $command
    done
    echo '1 qid:a 1:1' >&5
    gone text svm2bin
    exec 4>&- 5>&-
}

@test "update -m writes nothing to standard output, and does not mind who reads it" {
    update -X -a squared -e 0.1 <two >expected
    { cat two && sleep 0.3; } | (sleep 0.1 && exec update -X -a squared -e 0.1 -m new.bin) | true
    is "${PIPESTATUS[*]}" '0 0 0'
    same expected new.bin
}

@test "a full disk is an error, and the model is as it was" {
    mkdir full
    mount -t tmpfs -o size=64k none full 2>/dev/null || skip 'no file system can be mounted here'
    touch full/mounted
    many
    update -X -a squared -e 0.1 -m full/w.bin <two
    cp full/w.bin before
    for command in 'svm2bin many.txt' 'replay many' 'score -m one.bin'; do
        fails_on many 1 "${command%% *}: cannot write <stdout>: No space left on device" \
            sh -c "exec $command >full/out"
    done
    [ -s full/out ]
    fails_on two 1 'replay: cannot write <stdout>: No space left on device' sh -c 'exec replay two >full/small'
    fails_on two 1 'metric: cannot write full/table: No space left on device' metric -t full/table ndcg@1
    fails_on two 1 "$(resuming full/w.bin \
        'update: cannot write full/w.bin.lock.new: No space left on device')" update -X -a squared -e 0.1 -m full/w.bin
    same before full/w.bin
    [ ! -e full/w.bin.lock.new ]
}

# on_terminal COMMAND: runs it on a terminal; what it says there is in `output`.
on_terminal() {
    command -v script >/dev/null || skip 'no script here, which makes terminals'
    run script -qec "$1" /dev/null </dev/null
}

@test "rounds and models do not go to a terminal" {
    echo '1 1:1' >text
    for command in 'svm2bin text' 'replay two' 'score -m one.bin <two' 'explore <two' \
        'metric -t table ndcg@1 <two' 'feedback-mask <two' 'update -X -a squared -e 0.1 <two'; do
        on_terminal "$command"
        is "$status" 2
        [[ $output == "${command%% *}: "*terminal*"usage: ${command%% *} "* ]]
        [[ $output != *rankpipe/1* ]]
    done
    on_terminal 'bin2txt -f head <two'
    is "$status" 0
    is "$(tr -d '\r' <<<"$output")" "$(bin2txt -f head <two)"
    on_terminal 'update -X -a squared -e 0.1 -m new.bin <two'
    is "$status $output" '0 '
    on_terminal 'metric ndcg@1 <two'
    is "$status" 0
}

@test "rounds do not come from a terminal" {
    for command in 'svm2bin' "${READERS[@]}"; do
        on_terminal "$command >out"
        is "$status" 2
        [[ $output == "${command%% *}: "*terminal*"usage: ${command%% *} "* ]]
        [ ! -s out ]
    done
    on_terminal 'score -h'
    is "$status" 0
}

# ---- waiting ----

# answers ASKED COMMAND...: with ASKED on its input, and that still open, all of what the whole makes
# of it is on its output.
answers() {
    local size
    "${@:2}" <"$1" | head -c "$part" >expected
    [ -s expected ]
    size=$(wc -c <expected)
    rm -f ask answer && mkfifo ask answer
    timeout 10 "${@:2}" <ask >answer 3>&- &
    exec 4>ask 5<answer
    head -c -32 "$1" >&4
    timeout 5 head -c "$size" <&5 >got || true
    exec 4>&- 5<&-
    wait $! || true
    same expected got
}

@test "an answer is there before the next question" {
    { tiny 1 && end 1; } >one
    for command in "${FILTERS[@]}" 'explore -f -g 1'; do
        # shellcheck disable=SC2086
        part=$(($($command <one | wc -c) - 32))
        # shellcheck disable=SC2086
        answers one $command
    done
    for command in 'metric ndcg@1' 'bin2txt -f rank'; do
        # shellcheck disable=SC2086
        part=$($command <one | wc -c) answers one $command
    done
}

@test "svm2bin's round is there once its last line is known to be the last" {
    printf '1 qid:a 1:1\n0 qid:a 1:2\n1 qid:b 1:1\n' >text
    svm2bin <text | head -c 200 >whole
    mkfifo ask answer
    timeout 10 svm2bin <ask >answer 3>&- &
    exec 4>ask 5<answer
    cat text >&4
    size=$(($(head -n 1 whole | wc -c) + 16))
    timeout 5 head -c $size <&5 >got || true
    exec 4>&- 5<&-
    wait $! || true
    head -c $size whole >expected
    same expected got
}

@test "a key that comes twice is refused after many keys too" {
    refuse_header "round $(printf 'k%d=1 ' {1..40})k3=1 bytes=0" "header line: a key comes twice: 'k3'"
    refuse_header "round $(printf 'k%d=1 ' {1..40})k40=1 bytes=0" "header line: a key comes twice: 'k40'"
}

@test "a stream that is cut within features that pass unread is an error, and no wait for the rest" {
    synth -n 2 -l 1000 -d 100 linear >stream
    update -a listnet <stream >w
    score -m w <stream | explore >shown
    for program in 'score -m w' explore 'feedback-mask -k 1'; do
        head -c 200000 shown >cut
        fails 1 '*: stream cut short*' timeout -s KILL 20 bash -c "cat cut | $program >out"
    done
}
