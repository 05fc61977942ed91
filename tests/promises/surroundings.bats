#!/usr/bin/env bats
# What a program finds around it: locale, umask, environment, descriptors, file names, its own name.

load ../helper

setup_file() {
    export BATS_TEST_TIMEOUT=60
}

LEARN=(update -a kl -e 0.125)

# Text, its rounds, these shown, and a model.
setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    small_text >text
    svm2bin text >stored
    "${LEARN[@]}" -m model <stored
    score -m model <stored | explore -g 0.5 >shown
}

# everything DIR: what all programs make of it, numbers with a point among it, and what they say, in files.
everything() {
    mkdir "$1"
    svm2bin -n text >"$1/stored"
    replay -n 20 -s 3 stored >"$1/dealt"
    synth -n 2 separable >"$1/made"
    score -m model <"$1/dealt" >"$1/scored"
    explore -g 0.25 <"$1/scored" >"$1/shown"
    metric -t "$1/table" ndcg@2 mrr <"$1/shown" >"$1/measured"
    feedback-mask -k all <"$1/measured" >"$1/masked"
    "${LEARN[@]}" -U 1.5 -m "$1/model" <"$1/masked"
    bin2txt "$1/model" "$1/stored" >"$1/text"
    bin2txt -f rank <"$1/shown" >"$1/rank"
    loop "replay -n 20 -s 3 stored | score -m model | explore -g 0.25 | metric ndcg@2 > $1/loop"
    grep -q '[0-9]\.[0-9]' "$1/text" && grep -q '[0-9]\.[0-9]' "$1/table"
    for command in 'score -m nowhere' 'svm2bin nowhere' 'update -a kl -e 0,5' 'explore -g 0,5' 'svm2bin wrong'; do
        printf '1 qid:a 1:0,5\n' >wrong
        $command <stored >>"$1/said" 2>&1 && return 1
    done
    [ "$(grep -c '^[a-z0-9]*: ' "$1/said")" = 7 ]
}

# alike DIR DIR: the same files in both.
alike() {
    is "$(ls "$1")" "$(ls "$2")"
    for file in "$1"/*; do
        same "$file" "$2/${file##*/}"
    done
}

@test "no locale changes a byte, not one with a decimal comma and not one that does not exist" {
    everything plain
    localedef -i de_DE -f UTF-8 "$PWD/de_DE.UTF-8" 2>/dev/null || true
    if [ -e de_DE.UTF-8/LC_NUMERIC ]; then # bash minds it, so that it is one
        # shellcheck disable=SC2097,SC2098
        is "$(LOCPATH=$PWD LC_ALL=de_DE.UTF-8 bash -c 'printf %.1f 2,5')" 2,5
    fi
    export LOCPATH=$PWD
    for locale in de_DE.UTF-8 C.UTF-8 nonsense ''; do
        (export LC_ALL=$locale LC_NUMERIC=$locale LANG=$locale LANGUAGE=de && everything other)
        alike plain other
        rm -r other
    done
}

@test "no environment, a large one, and no TMPDIR change a byte" {
    everything plain
    (
        unset TMPDIR HOME LANG TERM LOGNAME USER SHELL
        everything bare
    )
    alike plain bare
    (export TMPDIR=/nowhere HOME=/nowhere && everything away)
    alike plain away
    (
        for i in {1..10}; do export "LARGE$i=$(printf '%0100000d' 0)"; done
        [ "$(env | wc -c)" -gt 1000000 ]
        everything large
    )
    alike plain large
    env -i "$ROOT/bin/svm2bin" text >out
    same stored out
}

mode() {
    ls -l "$1" | cut -c 2-10
}

@test "what is written has the mode that the umask leaves, and a model that is replaced keeps its own" {
    for mask in 000:rw-rw-rw- 022:rw-r--r-- 077:rw------- 027:rw-r-----; do
        (
            umask ${mask%:*}
            metric -t table ndcg@1 <shown >out
            loop 'explore -f -g 0.5 > looped' <shown
            "${LEARN[@]}" -m new <stored
            loop "${LEARN[*]} -m newer" <stored
            chmod 640 model
            "${LEARN[@]}" -m model <stored
        )
        for file in table looped new newer; do
            is "$file $(mode $file)" "$file ${mask#*:}"
        done
        is "$(mode model)" rw-r-----
        rm table looped new newer
    done
    chmod 755 model
    "${LEARN[@]}" -m model <stored
    is "$(mode model)" rwxr-xr-x
}

@test "an umask that leaves nothing hinders no run" {
    cp model expected
    (umask 777 && "${LEARN[@]}" -m new <stored && metric -t table ndcg@1 <shown >out)
    is "$(mode new) $(mode table)" '--------- ---------'
    chmod 600 new table
    same expected new
}

# closed SET COMMAND...: runs it with the descriptors of SET (as in "02") closed, and others as they are.
# Its exit status in `got`.
closed() {
    local set=$1
    shift
    got=0
    (
        case $set in *0*) exec <&- ;; esac
        case $set in *1*) exec >&- ;; esac
        case $set in *2*) exec 2>&- ;; esac
        exec "$@"
    ) || got=$?
}

@test "whatever standard streams are closed, no file that is opened gets what is theirs" {
    cp model before && cp stored stored.before && cp text text.before
    metric ndcg@1 <shown >table.before
    replay -n 9 stored >dealt.before
    bin2txt stored >bin2txt.before
    score -m model <stored >score.before
    explore -f -g 1 <shown >explore.before
    for set in 0 1 2 01 02 12 012; do
        # What needs no standard input; with it closed, what does.
        reads=0 writes=0
        case $set in *0*) reads=1 ;; esac
        case $set in *1*) writes=1 ;; esac
        closed $set svm2bin text >out 2>err <text
        is "$set svm2bin $got" "$set svm2bin $writes"
        [ $writes = 1 ] || same stored out
        closed $set replay -n 9 stored >out 2>err <stored
        is "$set replay $got" "$set replay $writes"
        [ $writes = 1 ] || same dealt.before out
        closed $set bin2txt stored >out 2>err <stored
        is "$set bin2txt $got" "$set bin2txt $writes"
        [ $writes = 1 ] || same bin2txt.before out
        closed $set score -m model <stored >out 2>err
        is "$set score $got" "$set score $((reads | writes))"
        [ $((reads | writes)) = 1 ] || same score.before out
        closed $set explore -f -g 1 <shown >out 2>err
        is "$set explore $got" "$set explore $((reads | writes))"
        closed $set feedback-mask <shown >out 2>err
        is "$set feedback-mask $got" "$set feedback-mask $((reads | writes))"
        # The table is whole where the rounds were read, and holds nothing else.
        closed $set metric -t table ndcg@1 <shown >out 2>err
        is "$set metric $got" "$set metric $((reads | writes))"
        if [ $reads = 1 ]; then [ ! -s table ]; else same table.before table; fi
        # The model is replaced, or as it was; a new one is there only if rounds were.
        closed $set "${LEARN[@]}" -c 1 -m model <stored >out 2>err
        is "$set update $got" "$set update $reads"
        is "$(bin2txt -f head model | cut -d ' ' -f 5)" "rounds=$((reads ? 3 : 6))"
        cp before model
        closed $set "${LEARN[@]}" -m new <stored >out 2>err
        if [ $reads = 1 ]; then [ ! -e new ]; else same before new && rm new; fi
        closed $set loop "replay stored | ${LEARN[*]} -m new" <stored >out 2>err
        is "$set loop $got" "$set loop 0"
        same before new && rm new
        closed $set loop '< shown explore -f -g 1 > looped' <stored >out 2>err
        is "$set loop $got" "$set loop 0"
        same explore.before looped && rm looped
        closed $set loop 'explore -f -g 1' <shown >out 2>err
        is "$set loop $got" "$set loop $((reads | writes))"
        same before model && same stored.before stored && same text.before text
    done
}

@test "a program that fails with its standard error closed writes the words nowhere" {
    printf '1 qid:a 1:x\n' >wrong
    cp model before
    { head -n 1 stored | head -c 20; } >torn
    for set in 2 02 12; do
        closed $set "${LEARN[@]}" -c 1 -m model <torn >out
        is $got 1
        same before model
        closed $set metric -t table ndcg@1 <torn >out
        is $got 1
        [ ! -s table ]
        closed $set svm2bin wrong >out
        is "$got $(wc -c <out)" '1 0'
        closed $set svm2bin -X >out
        is "$got $(wc -c <out)" '2 0'
        closed $set loop "< torn ${LEARN[*]} -m new > looped" >out
        is $got 1
        [ ! -e new ] && [ ! -s looped ]
    done
}

# ---- file names ----

@test "a file may have any name" {
    everything plain
    for name in 'a b' ' ' $'new\nline' $'\t\a\e[1m' "it's" 'a"b' 'a\b' '*' '$HOME' 'a;b|c&d<e>f' $'\377\376' '-' '-m' '--' %s; do
        mkdir "in $name" && cd "in $name"
        cp ../text ../stored ../model ../shown .
        there=$name && [ "$name" != - ] || there=./$name # - alone is standard input
        cp text "./$name" && svm2bin -- "$there" >out && same stored out
        cp stored "./$name" && replay -- "$there" >out && uncrc <stored | cmp - out
        bin2txt -- "$there" >out && bin2txt stored >expected && same expected out
        cp model "./$name" && score -m "$name" <stored >out && score -m model <stored >expected && same expected out
        "${LEARN[@]}" -m "$name" <stored && bin2txt -f head -- "$there" | grep -q ' rounds=6 '
        metric -t "$name" ndcg@1 <shown >out && metric ndcg@1 <shown >expected && same expected "./$name"
        same shown out
        quoted="'./${name//\'/\'\"\'\"\'}'"
        loop "<stored ${LEARN[*]} >$quoted" && "${LEARN[@]}" <stored >expected && same expected "./$name"
        loop "score -m $quoted >$quoted.out" <stored && score -m "./$name" <stored >expected && same expected "./$name.out"
        files=(./*)
        is ${#files[@]} 8
        mkfifo "./$name.ring"
        score -f "./$name.ring" <stored | "${LEARN[@]}" -f "./$name.ring" >out
        "${LEARN[@]}" <stored >expected && same expected out
        cd .. && rm -r "./in $name"
    done
}

# one_line COMMAND...: exit 1, and words on one line that hold nothing a terminal would obey.
one_line() {
    local got=0
    "$@" >out 2>err <shown || got=$?
    is "$got $(wc -l <err)" '1 1'
    ! LC_ALL=C grep -q $'[\001-\011\013-\037\177]' err
    [[ $(cat err) == "$1: "* ]]
}

@test "a message is one line, whatever stands in a file's name" {
    name=$'no\nwhere\r\e[2J\177\b\303\266\302\233x'
    shown='no\x0awhere\x0d\x1b[2J\x7f\x08'$'\303\266''\xc2\x9bx'
    mkdir "$name.folder"
    for command in svm2bin weights2bin replay bin2txt 'score -m' 'score -f' "${LEARN[*]} -f"; do
        # shellcheck disable=SC2086
        one_line $command "$name"
        grep -qF "$shown" err
    done
    one_line "${LEARN[@]}" -m "$name/model"
    one_line "${LEARN[@]}" -m "$name.folder"
    one_line metric -t "$name/table" ndcg@1
    one_line loop "<'$name' explore"
    printf 'what?\n' >"$name"
    one_line svm2bin "$name"
    is "$(cat err)" "svm2bin: $shown: line 1: the label is not a number: 'what?': a label is a number from 0, the document's grade of relevance"
    one_line replay "$name"
    one_line bin2txt stored "$name"
    one_line score -m "$name"
    one_line "${LEARN[@]}" -m "$name"
}

@test "a message quotes the command line without control characters" {
    word=$'no\nwhere\e[2J'
    for command in 'explore -g' 'feedback-mask -k' 'update -a' 'metric' 'bin2txt -f' 'replay -i' 'synth' 'features' 'loop' 'score' "score -"; do
        fails 2 "${command%% *}: *" $command"$word" </dev/null || fails 2 "${command%% *}: *" $command "$word"
        is "$(sed '/^usage: /,$d' err | wc -l)" 1
        ! grep -q $'\e' err
    done
    fails 2 "rankpipe: no program 'no\\\\x0awhere\\\\x1b\[2J'*" rankpipe "$word"
    ! grep -q $'\e' err
}

long() {
    printf "%0$1d" 0
}

@test "names as long as they may be, and longer" {
    name=$(long 255) far=$(printf './%.0s' {1..2000})
    cp text "$name" && svm2bin "$name" >out && same stored out
    cp stored "$name" && replay "$name" >out && uncrc <stored | cmp - out
    metric -t "$name" ndcg@1 <shown >out && metric ndcg@1 <shown >expected && same expected "$name"
    cp model "$name" && score -m "$name" <stored >out
    svm2bin "${far}text" >out && same stored out
    cp model "$(long 246)" && "${LEARN[@]}" -m "$(long 246)" <stored
    "${LEARN[@]}" -m "${far}new" <stored && same model new
    # The message has the reason after the whole name.
    for name in "$(long 256)" "$far${far}text" "$(long 100000)"; do
        for command in svm2bin weights2bin replay bin2txt 'score -m' "${LEARN[*]} -m" 'score -f' "${LEARN[*]} -f"; do
            # shellcheck disable=SC2086
            one_line $command "$name"
            [[ $(cat err) == *': File name too long' ]]
        done
        one_line metric -t "$name" ndcg@1
        [[ $(cat err) == *': File name too long' ]]
    done
}

@test "a model whose new file's name would be too long is an error before a round is read" {
    for n in 247 250 251 255; do
        for new in yes no; do
            name=$(long $n)
            [ $new = yes ] || cp model "$name"
            # Nobody writes to standard input, nor ends it.
            mkfifo never && exec 8<>never
            got=0
            timeout 5 "${LEARN[@]}" -m "$name" <never 2>err || got=$?
            exec 8>&- && rm never
            is $got 1
            [[ $(cat err) == "update: model "*": cannot write "*".lock.new: File name too long" ]]
            [ $new = yes ] || same model "$name"
            rm -f "$name"
            [ -z "$(find . -name '000*')" ]
        done
    done
}

@test "links that somebody put where a model's lock and its new file will be are not followed" {
    echo precious >victim
    ln -s victim model.lock.new
    cp model before
    "${LEARN[@]}" -m model <stored
    is "$(cat victim)" precious
    [ ! -L model ] && [ ! -e model.lock.new ]
    is "$(bin2txt -f head model | cut -d ' ' -f 5)" rounds=6
    cp before model
    ln -s victim model.lock
    fails_on stored 1 'update: model model: cannot create its lock file model.lock: *' "${LEARN[@]}" -m model
    is "$(cat victim)" precious
    same before model
}

# ---- its own name ----

@test "a program's own name may have folders before it, or a dash, or be missing" {
    for name in score /nowhere/score ./score -score x/y/ltr-score "$(long 5000)/score" "$(long 200)score" $'\n'score; do
        bash -c 'exec -a "$0" "$1" -m model' "$name" "$ROOT/bin/rankpipe" <stored >out
        score -m model <stored >expected
        same expected out
        got=0
        bash -c 'exec -a "$0" "$1" -m nowhere' "$name" "$ROOT/bin/rankpipe" <stored 2>err || got=$?
        is "$got $(cat err)" '1 score: nowhere: no such file: update -m makes one, and rankpipe service first that of a service'
    done
    for name in '' / score/ ' ' . $'\e' rankpipe %s%n; do
        is "$(bash -c 'exec -a "$0" "$1"' "$name" "$ROOT/bin/rankpipe")" "$(rankpipe)"
        bash -c 'exec -a "$0" "$1" score -m model' "$name" "$ROOT/bin/rankpipe" <stored >out
        same expected out
    done
}
