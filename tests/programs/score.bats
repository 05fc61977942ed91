# score: a number for each document, by weights that stay.
load ../helper

SHIM=$ROOT/build/tests/shim

teardown() {
    [ -z "${server-}" ] || kill -KILL "$server" 2>/dev/null || true
}

# weights W...: `model`, with these weights; 0.5*3 are three. None at all are a model too.
weights() {
    local w dim=0
    for w; do
        case $w in
        *\**) dim=$((dim + ${w#*\*})) ;;
        *) dim=$((dim + 1)) ;;
        esac
    done
    mkstream model learner=kl rounds=1 dim=$dim w:f8 "$@" >model
}

# scores: of the stream on standard input, a line a round, by `model`.
scores() {
    score -m model | explore | bin2txt -f rank | sort -n -k 1,1 -k 4,4 |
        awk '{ printf "%s%s", (NR == 1 ? "" : $1 == t ? " " : "\n"), $5; t = $1 } END { print "" }'
}

# is WANT GOT
@test "dense features, by hand" {
    weights 1 -2 0.5
    # 1 - 4 + 1.5; 0 + 2 + 0; 0.25 - 0.5 - 4
    is '-1.5 2 -4.25' "$(mkstream round t=1 docs=3 dim=3 x:f4 1 2 3 0 -1 0 0.25 0.25 -8 | scores)"
}

@test "sparse features, by hand" {
    weights 1 -2 0.5
    # the same documents, and one without any feature
    is '-1.5 2 -4.25 0' "$(mkstream round t=1 docs=4 dim=3 ptr:u4 0 3 4 7 7 idx:u4 0 1 2 1 0 1 2 \
        val:f4 1 2 3 -1 0.25 0.25 -8 | scores)"
}

@test "a fixed list of items: the document's own weight" {
    weights 1 -2 0.5
    is '1 -2 0.5' "$(mkstream round t=1 docs=3 dim=0 | scores)"
    is '1' "$(mkstream round t=1 docs=1 dim=0 | scores)"
    is '1 -2 0.5 0 0' "$(mkstream round t=1 docs=5 dim=0 | scores)"
}

@test "each round is scored for itself, whatever its form" {
    weights 1 -2 0.5
    is "$(printf '%s\n' '3' '1 -2' '-4 -2' '5')" "$(mkstream round t=1 docs=1 dim=1 x:f4 3 \
        + round t=2 docs=2 dim=0 + round t=3 docs=2 dim=2 ptr:u4 0 1 2 idx:u4 1 1 val:f4 2 1 \
        + round t=4 docs=1 dim=3 x:f4 1 -2 0 | scores)"
}

@test "weights that the model does not have are 0" {
    weights 3
    is '3 -6' "$(mkstream round t=1 docs=2 dim=20 x:f4 1 '7*19' -2 '9*19' | scores)"
    is '3 -6' "$(mkstream round t=1 docs=2 dim=1000000 ptr:u4 0 2 4 idx:u4 0 999999 0 1 \
        val:f4 1 7 -2 9 | scores)"
    is '3 0 0' "$(mkstream round t=1 docs=3 dim=0 | scores)"
    weights
    is '0 0' "$(mkstream round t=1 docs=2 dim=2 x:f4 1 2 3 4 | scores)"
}

@test "features that the round does not have count nothing" {
    weights 1 -2 0.5 '100*50'
    is '-3' "$(mkstream round t=1 docs=1 dim=2 x:f4 1 2 | scores)"
    is '-3' "$(mkstream round t=1 docs=1 dim=2 ptr:u4 0 2 idx:u4 0 1 val:f4 1 2 | scores)"
    is '1 -2' "$(mkstream round t=1 docs=2 dim=0 | scores)"
}

@test "sums run in 16 lanes and then a tree, dense and sparse" {
    # 1e16 + 1 is 1e16 in lane 0; in the order of the features it would be 1e16 - 1e16 + 1
    weights 1e16 -1e16 '0*14' 1
    is 0 "$(mkstream round t=1 docs=1 dim=17 x:f4 '1*17' | scores)"
    is 0 "$(mkstream round t=1 docs=1 dim=17 ptr:u4 0 3 idx:u4 0 1 16 val:f4 '1*3' | scores)"
    # lanes 0 and 8 meet first, then 4, 2 and 1: (1e16 - 1e16) + 1
    for pair in 8 4 2; do
        weights 1e16 1 "0*$((pair - 2))" -1e16
        [ $pair != 2 ] || weights 1e16 1 -1e16
        is 1 "$(mkstream round t=1 docs=1 dim=$((pair + 1)) x:f4 "1*$((pair + 1))" | scores)"
        is 1 "$(mkstream round t=1 docs=1 dim=$((pair + 1)) ptr:u4 0 3 idx:u4 0 1 $pair \
            val:f4 '1*3' | scores)"
    done
}

@test "floats are widened, multiplied, rounded, and only then added" {
    # -1.2100000262260437 is what the second product rounds to; fused they would leave a rest
    weights -1.2100000262260437 '0*15' 1.1
    is 0 "$(mkstream round t=1 docs=1 dim=17 x:f4 1 '0*15' 1.1 | scores)"
    is 0 "$(mkstream round t=1 docs=1 dim=32 x:f4 1 '0*15' 1.1 '7*15' | scores)"
    weights -1.2100000262260437 '0*15' 1.1 '0*15'
    is 0 "$(mkstream round t=1 docs=1 dim=32 x:f4 1 '0*15' 1.1 '7*15' | scores)"
    is 0 "$(mkstream round t=1 docs=1 dim=17 ptr:u4 0 2 idx:u4 0 16 val:f4 1 1.1 | scores)"
}

@test "dense and sparse forms of the same features have the same scores" {
    dense=() ptr=(0) idx=() val=() w=() nnz=0
    for ((i = 0; i < 7; i++)); do
        for ((j = 0; j < 50; j++)); do
            x=$(((i * 31 + j * 17) % 11 - 4))
            [ $i != 0 ] || w+=("0.$(((j * 7919) % 1000 + 1))e$((j % 9 - 4))")
            dense+=("$x.3")
            [ $((j % 3)) != 1 ] || dense[-1]=0
            [ "${dense[-1]}" = 0 ] || { idx+=($j) val+=("$x.3") && nnz=$((nnz + 1)); }
        done
        ptr+=($nnz)
    done
    weights "${w[@]}"
    mkstream round t=1 docs=7 dim=50 x:f4 "${dense[@]}" | scores >one
    mkstream round t=1 docs=7 dim=50 ptr:u4 "${ptr[@]}" idx:u4 "${idx[@]}" val:f4 "${val[@]}" |
        scores >two
    same one two
    [ "$(tr ' ' '\n' <one | sort -u | wc -l)" = 7 ]
}

@test "scores do not depend on where features lie in memory" {
    weights 1 -2 0.5 '0.25*40'
    for qid in a aa aaa aaaa aaaaa aaaaaa aaaaaaa aaaaaaaa; do
        mkstream round t=1 qid=$qid docs=2 dim=43 odd:u1 1 x:f4 '0.1*43' '-0.7*43' | scores >got
        [ -f want ] || cp got want
        same want got
    done
}

@test "the column goes just before the features, and everything else passes" {
    weights 1
    mkstream round t=5 qid=a docs=2 dim=1 x-mine=7 label:f4 1 0 extra:u1 7 9 x:f4 2 3 >in
    mkstream round t=5 qid=a docs=2 dim=1 x-mine=7 label:f4 1 0 extra:u1 7 9 score:f8 2 3 \
        x:f4 2 3 >want
    score -m model <in >out
    same want out
    # scored again it is not scored twice
    score -m model <out >again
    same want again
    weights 10
    score -m model <out >again
    mkstream round t=5 qid=a docs=2 dim=1 x-mine=7 label:f4 1 0 extra:u1 7 9 score:f8 20 30 \
        x:f4 2 3 >want
    same want again
    # no features: at the end
    mkstream round t=1 docs=2 dim=0 label:f4 1 0 | score -m model >out
    mkstream round t=1 docs=2 dim=0 label:f4 1 0 score:f8 10 0 >want
    same want out
}

@test "models in the stream pass, an empty stream passes, two streams become one" {
    weights 1
    mkstream model learner=kl rounds=9 dim=2 w:f8 1 2 + round t=1 docs=1 dim=1 x:f4 3 >in
    mkstream model learner=kl rounds=9 dim=2 w:f8 1 2 + round t=1 docs=1 dim=1 score:f8 3 x:f4 3 >want
    score -m model <in >out
    same want out
    echo 'rankpipe/1 end rounds=0 bytes=0' >empty
    score -m model <empty >out
    same empty out
    cat in in | score -m model >out
    [ "$(grep -a -c 'rankpipe/1 end' out)" = 1 ]
    [ "$(tail -c 32 out)" = 'rankpipe/1 end rounds=4 bytes=0' ]
}

@test "a model that is missing or not valid is named, and no round goes out" {
    mkstream round t=1 docs=1 dim=1 x:f4 3 >in
    weights 1 2 3
    cp model whole

    fails_on in 1 'score: nowhere: no such file: *' score -m nowhere
    mkdir folder
    fails_on in 1 'score: *folder: Is a directory' score -m folder
    mkstream model learner=oracle rounds=9 dim=1 w:f8 1 >model
    fails_on in 1 'score: *model: *it is a model of the learner oracle, which this version does not have' \
        score -m model
    mkstream model learner=kl rounds=9 dim=2 w:f8 1 >model
    fails_on in 1 'score: model: model: no column w:f8\[2\] for dim=2' score -m model
    mkstream model learner=kl rounds=9 dim=1 w:f4 1 >model
    fails_on in 1 'score: model: model: no column w:f8\[1\] for dim=1' score -m model
    mkstream model learner=kl rounds=9 dim=1 w:f8 inf >model
    fails_on in 1 'score: model: model: weight 0 is inf' score -m model
    mkstream model learner=kl rounds=1 dim=1 w:f8 1 + model learner=kl rounds=2 dim=1 w:f8 1 >model
    fails_on in 1 'score: model holds more than one model' score -m model
    fails_on in 1 'score: in holds rounds, not a model' score -m in
    small_text >model
    fails_on in 1 'score: model: this looks like SVM-light text*' score -m model
    [ ! -s out ]
    size=$(wc -c <whole)
    for n in 0 1 20 $((size - 33)) $((size - 32)) $((size - 1)); do
        head -c $n whole >model
        fails_on in 1 'score: model: stream cut short*' score -m model
        [ ! -s out ]
    done
}

@test "a score that is not finite is an error with round and document" {
    weights 1 -2 0.5
    for value in nan inf -inf; do
        mkstream round t=16 qid=10032 docs=1 dim=3 x:f4 1 2 3 \
            + round t=17 qid=10032 docs=3 dim=3 x:f4 '1*4' $value '1*4' >in
        fails_on in 1 'score: <stdin>: round 17 (qid 10032): document 1 scores *: one of its features is not finite, or the weights are too large' \
            score -m model
        [ "$(bin2txt -f head out 2>err | wc -l)" = 1 ] # the round before it went on
        mkstream round t=1 docs=2 dim=3 ptr:u4 0 0 1 idx:u4 1 val:f4 $value >in
        fails_on in 1 'score: <stdin>: round 1: document 1 scores *' score -m model
    done
    weights 1e308
    mkstream round t=1 docs=2 dim=1 x:f4 1 -10 >in
    fails_on in 1 'score: <stdin>: round 1: document 1 scores -inf: *' score -m model
}

@test "a stream cut short is no success, and what came whole goes on" {
    weights 1
    mkstream round t=1 docs=1 dim=1 x:f4 3 + round t=2 docs=1 dim=1 x:f4 4 >in
    head -c $(($(wc -c <in) - 40)) in >cut
    fails_on cut 1 'score: <stdin>: stream cut short after round 1' score -m model
    mkstream round t=1 docs=1 dim=1 score:f8 3 x:f4 3 >want
    head -c $(($(wc -c <want) - 32)) want >rounds
    same rounds out
}

@test "one of -m and -f, and -w only with -f" {
    fails 2 'score: no weights: give -m model or -f ring*usage: score \[-r\] \[-R rival\] \[-b base\] \[-d dim\]*\[-m model | -M | -f ring \[-w window\] | -s scores\]
score -h explains the options' score
    fails 2 'score: -m, -M, -f and -s each say where the scores come from: give one of them*' \
        score -m model -f ring
    for window in 0 -1 1.5 x 1048577 ''; do
        fails 2 'score: -w wants a whole number from 1 to 1048576, not *' score -f ring -w "$window"
    done
}

# serve [COMMAND...]: score -r by `model`, or COMMAND with these options, kept running: rounds going in by descriptor 7; its answers
# come on 8, its words go to err.
serve() {
    rm -f to from
    mkfifo to from
    "${@:-score}" -r -d 1 -m model <to >from 2>err 3>&- &
    server=$!
    exec 7>to 8<from
}

# ask T: the score of a document whose only feature is 1, from who serves: within 10 seconds.
ask() {
    local line n
    mkstream round t="$1" docs=1 dim=1 x:f4 1 | head -c -32 >&7
    IFS= read -r -t 10 -u 8 line
    n=${line##*bytes=}
    { printf '%s\n' "$line" && timeout 10 head -c "$n" <&8; } >answer
    printf 'rankpipe/1 end rounds=1 bytes=0\n' >>answer
    explore -f <answer | bin2txt -f rank | awk '{ print $5 }'
}

# dismiss [ROUNDS]: the end of the input, and a good end of who serves, with so many rounds.
dismiss() {
    echo "rankpipe/1 end rounds=$1 bytes=0" >&7
    exec 7>&-
    is "rankpipe/1 end rounds=$1 bytes=0" "$(cat <&8)"
    exec 8<&-
    wait $server
}

# rename_in W...: a model of these weights, renamed into place.
rename_in() {
    mkstream model learner=kl rounds=1 dim=$# w:f8 "$@" >new
    mv new model
}

@test "one round in, one round out, while the input stays open" {
    weights 5
    serve
    for t in 1 2 3; do is 5 "$(ask $t)"; done
    dismiss 3
    [ ! -s err ]
}

@test "after explore too the answer comes at once, and in loop" {
    one() { score "$@" | explore -g 0.1; }
    two() { loop "score $* | explore -g 0.1"; }
    for way in one two; do
        weights 5
        serve $way
        for t in 1 2 3; do is 5 "$(ask $t)"; done
        rename_in 6
        is 6 "$(ask 4)"
        dismiss 4
        [ ! -s err ]
    done
}

@test "-r: a model renamed into place scores the next round, whatever its form" {
    weights 5
    serve
    is 5 "$(ask 1)"
    rename_in 6
    is 6 "$(ask 2)"
    is 6 "$(ask 3)"
    rename_in 7 1 2 3 4
    is 7 "$(ask 4)"
    mkstream model learner=prank rounds=1 dim=1 w:f8 1 threshold:f8 0 1 9 >new
    mv new model
    is 2 "$(ask 5)"
    rename_in
    is 0 "$(ask 6)"
    ln -s "$PWD/other" link
    cp model other
    mv link model # a link to a model is one, and what it leads to may be renamed over too
    is 0 "$(ask 7)"
    mkstream model learner=kl rounds=1 dim=1 w:f8 8 >new
    mv new other
    is 8 "$(ask 8)"
    dismiss 8
    [ ! -s err ]
}

# until_score W: the rounds from $t on, until one has that score. `t` becomes the next round's.
until_score() {
    local tries got
    for ((tries = 0; tries < 1000; tries++)); do
        got=$(ask $t)
        t=$((t + 1))
        [ "$got" != "$1" ] || return 0
        [ -n "$got" ] || return 1
        sleep 0.01
    done
    return 1
}

# large W: a model of 1.6 MB, whose first weight is W, renamed into place.
large() {
    mkstream model learner=kl rounds=1 dim=200001 w:f8 "$1" '0*200000' >new
    mv new model
}

# scores_now W: that of round $t, which becomes the next round's number.
scores_now() {
    is "$1" "$(ask $t)"
    t=$((t + 1))
}

# waits: until the shim makes somebody wait.
waits() {
    local tries
    for ((tries = 0; tries < 500; tries++)); do
        [ ! -e hold.waits ] || { rm hold.waits && return 0; }
        sleep 0.02
    done
    return 1
}

@test "-r: rounds go on while a large model is read, and while the old one is freed" {
    not_sanitized "they keep another mmap out"
    held() { LD_PRELOAD=$SHIM/hold.so score "$@"; }
    export HOLD=$PWD/hold
    weights 5
    serve held
    touch hold.map hold.unmap
    t=1
    scores_now 5
    large 6
    scores_now 5
    waits # the thread, and nobody else
    scores_now 5
    scores_now 5
    large 7 # what comes while another file is read is read next
    rm hold.map
    until_score 6
    until_score 7
    waits # with the old one
    scores_now 7
    # A bad one leaves the weights as they are.
    head -c 1500000 model >new && mv new model
    rm -f hold.unmap
    while [ ! -s err ]; do scores_now 7; done
    is "$(cat err)" 'score: model: stream cut short before the first whole round; the weights stay as they were'
    rename_in 8 # a small one is read at once
    scores_now 8
    dismiss $((t - 1))
}

@test "-r: a signal ends it while a large model is read" {
    not_sanitized "they keep another mmap out"
    held() { exec env LD_PRELOAD="$SHIM/hold.so" score "$@"; }
    export HOLD=$PWD/hold
    weights 5
    serve held
    t=1
    scores_now 5
    touch hold.map
    large 6
    scores_now 5
    waits
    kill $server
    exec 7>&-
    status=0
    timeout 10 tail --pid=$server -f /dev/null
    wait $server || status=$?
    is 143 $status
}

@test "-r: without it the model is read once" {
    weights 5
    once() { score "${@:2}"; }
    serve once
    is 5 "$(ask 1)"
    rename_in 6
    rm model
    is 5 "$(ask 2)"
    dismiss 2
    [ ! -s err ]
}

@test "-r: a bad model is reported once, and the old one stays until a good one comes" {
    weights 5
    cp model whole
    serve
    is 5 "$(ask 1)"
    t=1 told=0
    for bad in cut inf shape text rounds empty folder fifo; do
        case $bad in
        cut) head -c 60 whole ;;
        inf) mkstream model learner=kl rounds=1 dim=1 w:f8 inf ;;
        shape) mkstream model learner=prank rounds=1 dim=9 w:f8 '1*9' ;;
        text) small_text ;;
        rounds) mkstream round t=1 docs=1 dim=1 x:f4 3 ;;
        esac >new
        [ $bad != folder ] || { rm new model && mkdir new; }
        [ $bad != fifo ] || { rmdir model && rm -f new && mkfifo new && exec 9<>new && cat whole >&9; }
        mv -T new model
        for _ in 1 2; do is 5 "$(ask $((t += 1)))"; done
        is $((told += 1)) "$(wc -l <err)"
        tail -n 1 err | grep '^score: .*model.*; the weights stay as they were$'
    done
    rename_in 6
    is 6 "$(ask 18)"
    dismiss 18
    [ "$(wc -l <err)" = 8 ]
}

@test "-r: a model that is gone is reported once each time" {
    weights 5
    serve
    is 5 "$(ask 1)"
    mv model away
    for t in 2 3; do is 5 "$(ask $t)"; done
    is 'score: model model: No such file or directory; the weights stay as they were' "$(cat err)"
    mv away model
    is 5 "$(ask 4)"
    rm model
    is 5 "$(ask 5)"
    is 2 "$(wc -l <err)"
    rename_in 6
    is 6 "$(ask 6)"
    dismiss 6
    is 2 "$(wc -l <err)"
}

@test "-r: a model that is written in place is reported, and not read" {
    weights 5
    serve
    is 5 "$(ask 1)"
    weights 6 1
    for t in 2 3; do is 5 "$(ask $t)"; done
    is 'score: model model was changed in place and is not read again: rename a new file to that name; the weights stay as they were' "$(cat err)"
    rename_in 7
    is 7 "$(ask 4)"
    dismiss 4
    is 1 "$(wc -l <err)"
}

@test "-r: files of one size and one time still count as different" {
    weights 1
    touch -d @1000000000 model
    serve
    is 1 "$(ask 1)"
    for t in 2 3 4 5 6 7 8 9; do
        for w in 0 $t; do # twice, so that a number that is free again would be given again
            mkstream model learner=kl rounds=1 dim=1 w:f8 $w >new
            touch -d @1000000000 new
            mv new model
        done
        is $t "$(ask $t)"
    done
    dismiss 9
    [ ! -s err ]
}

@test "-r: thousand models under load: no round is lost, and each has one model's scores" {
    slow
    # the weights of the model after n rounds are all n: half of one and half of another would show
    for ((n = 0; n < 50; n++)); do
        mkstream model learner=kl rounds=1 dim=2000 w:f8 "$n*2000" >m.$n
    done
    cp m.0 model
    mkstream round t=1 docs=2 dim=2000 x:f4 '1*2000' '-2*2000' >one
    replay -n 20000 one | score -r -m model 2>err >out &
    served=$!
    for ((n = 1; n <= 1000; n++)); do
        ln m.$((n % 50)) new
        mv -f new model
    done
    wait $served
    [ ! -s err ]
    explore <out | bin2txt -f rank | awk '
        { s[$1, $4] = $5; if ($1 != t) { t = $1; n++ } }
        END {
            for (t = 1; t <= n; t++) {
                w = s[t, 0] / 2000
                if (w != int(w) || w < 0 || w > 49 || s[t, 1] != -4000 * w) exit 1
                if (!(w in has)) { has[w] = 1; models++ }
            }
            print n, (models > 1 ? "several" : "one")
        }' >told
    is '20000 several' "$(cat told)"
}

@test "-r: while an update saves after each round, in the same file" {
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
    mkstream round t=1 docs=5 dim=0 >one # its scores are the first five weights
    shown() { # the scores of each round, a line each
        explore | bin2txt -f rank | awk '
            { s[$4] = $5 } NR % 5 == 0 { print s[0], s[1], s[2], s[3], s[4] }'
    }
    for ((n = 1; n <= 100; n++)); do
        replay -b $n -n $n q.bin | update -a squared -e 1e-3 -m stepwise
        score -d 46 -m stepwise <one | shown
        [ $n != 1 ] || cp stepwise model
    done >models
    [ "$(sort -u models | wc -l)" = 100 ]
    {
        replay -b 2 -n 100 q.bin | update -a squared -e 1e-3 -c 1 -m model &
        while kill -0 $! 2>/dev/null; do replay -n 100 one; done
        wait $!
        replay -n 1 one
    } | score -r -d 46 -m model >out 2>err
    [ ! -s err ]
    same model stepwise
    shown <out >served
    [ $(($(wc -l <served) % 100)) = 1 ]
    tail -n 1 models >last
    is "$(cat last)" "$(tail -n 1 served)"
    sort -u served >those
    sort models | comm -13 - those >strange
    [ ! -s strange ]
}

@test "-r goes with -m, and at the start the model must be there" {
    mkstream round t=1 docs=1 dim=1 x:f4 3 >in
    fails_on in 1 'score: model nowhere: no such file: *' score -r -m nowhere
    mkdir folder
    fails_on in 1 'score: model folder is a directory, not a file' score -r -m folder
    mkfifo ring
    fails_on in 1 'score: model ring is a device or a pipe, not a file' score -r -m ring
    exec 9<>ring
    mkstream model learner=kl rounds=1 dim=1 w:f8 5 >&9 # though there is a model in it
    fails_on in 1 'score: model ring is a device or a pipe, not a file' timeout 5 score -r -m ring
    exec 9>&-
    head -c 60 in >model
    fails_on in 1 'score: model*' score -r -m model
    [ ! -s out ]
}

# ---- what the features are made by ----

# A deck of small queries, raw, whose numbers stay exact a thousand times as large.
raw() {
    awk 'BEGIN {
        srand(5)
        for (i = 0; i < 240; i++)
            print i % 3 " qid:" int(i / 8) " 1:" int(rand() * 900) / 4 " 2:" int(rand() * 9) - 3 \
                " 3:" int(rand() * 5) / 2 - 1 " 4:" (i % 3) + int(rand() * 3)
    }' | svm2bin >raw
}

MADE='scale log rank,log'

@test "a model with made= scores raw rounds as features and score would, and the rounds pass unchanged" {
    raw
    for steps in $MADE; do
        features $steps <raw >made
        update -a ridge <made >model
        is "$(bin2txt -f head model | sed -n 's/.* made=\([^ ]*\) .*/\1/p')" "$steps"
        for learner in 'ridge' 'prank'; do
            update -a $learner <made >model
            score -m model <made | explore | bin2txt -f rank >want
            score -m model <raw >out
            explore <out | bin2txt -f rank >have
            same want have
            # nothing but the score is new
            mkstream model learner=kl rounds=0 dim=0 w:f8 >none
            score -d 4 -m none <raw | bin2txt -f svm >want
            bin2txt -f svm out >have
            same want have
            ! grep -a ' made=' out
        done
    done
}

@test "features made in another way than the model's are refused, and both are named" {
    raw
    features scale <raw >scaled
    features rank <raw >ranked
    update -a squared <scaled >model
    fails_on ranked 1 'score: <stdin>: round 1 (qid 0): the round'"'"'s features are made by rank, but the model'"'"'s by scale: give rounds made by scale, or raw rounds' score -m model
    [ ! -s out ]
    update -a squared <raw >model
    ! bin2txt -f head model | grep made=
    fails_on scaled 1 'score: <stdin>: round 1 (qid 0): the round'"'"'s features are made by scale, but the model learnt from raw features: give raw rounds, or learn into another model' score -m model
    # models of steps that left with 0.4.0 are refused, of raw rounds and of those that were made so
    for made in split scale,fourier:2:1:1 products,base; do
        mkstream model learner=kl rounds=9 dim=1 made=$made w:f8 2 >model
        for given in '' made=$made; do
            mkstream round t=1 docs=1 dim=1 $given x:f4 3 >in
            fails_on in 1 "score: model model: the model's features are made by $made: version 0.4.0 was the last that makes *: learn again by other steps" score -m model
        done
    done
    # a model of steps that this version does not have scores rounds that were made by them
    mkstream model learner=kl rounds=9 dim=1 made=own:3,scale w:f8 2 >model
    mkstream round t=1 docs=1 dim=1 made=own:3,scale x:f4 3 >in
    is 6 "$(score -m model <in | explore | bin2txt -f rank | cut -f 5)"
    mkstream round t=1 docs=1 dim=1 x:f4 3 >in
    fails_on in 1 "score: *the model's features are made by own:3,scale, which this version cannot do: no step 'own'*" score -m model
    mkstream model learner=kl rounds=9 dim=1 made=own:$(printf '%0252d' 0) w:f8 2 >model
    fails_on in 1 'score: model model: model: made= has 256 bytes: at most 255 are allowed' score -m model
    # weights of other tools say nothing of their features
    echo '1 2' | weights2bin >model
    score -m model <scaled | bin2txt -f head | grep -q made=scale
    score -m model <raw >out
}

@test "-r: each new model scores by its own features" {
    weights 5
    serve # rounds of one document with the feature 1
    is 5 "$(ask 1)"
    mkstream model learner=kl rounds=1 dim=1 made=scale w:f8 3 >new # of one document: 0
    mv new model
    is 0 "$(ask 2)"
    is 0 "$(ask 3)"
    mkstream model learner=kl rounds=1 dim=1 made=log w:f8 3 >new # 3 ln 2
    mv new model
    [[ $(ask 4) == 2.0794* ]]
    rename_in 6
    is 6 "$(ask 5)"
    dismiss 5
    [ ! -s err ]
}

wide() { # a dense round of two documents with so many features
    mkstream round t=1 docs=2 dim="$1" label:f4 1 0 x:f4 "1*$1" "2*$1"
}

sparse() {
    mkstream round t=1 docs=2 dim="$1" label:f4 1 0 ptr:u4 0 0 1 idx:u4 0 val:f4 1
}

@test "the number of features is compared in both directions, and -d lets it vary" {
    for dim in 1 45 46 47 90; do wide $dim >wide.$dim && sparse $dim >sparse.$dim; done
    replay wide.46 sparse.46 | update -a squared -e 1 >model
    bin2txt -f head model | grep -q ' dim=46 features=46 eta=1 '
    for file in wide.1 wide.45 wide.47 wide.90 sparse.47 sparse.90; do
        dim=${file#*.}
        most=$((dim > 46 ? dim : 46))
        fails_on $file 1 "score: <stdin>: round 1: the round has $dim features, but the model learnt from rounds of 46 features: give those, or add -d $most if the number may vary" \
            score -m model
        fails_on $file 1 "$(resuming model \
            "update: <stdin>: round 1: the round has $dim features, but the model learnt from *")" \
            update -a squared -e 1 -m model
        score -m model -d $most <$file >out 2>err
        [ ! -s err ]
        [ $dim = 1 ] || fails_on $file 1 'score: *: the round has *' score -m model -d $((dim - 1))
    done
    # a sparse round reaches no further than the last feature that a document has
    for file in wide.46 sparse.46 sparse.45 sparse.1; do score -m model <$file >out; done
    mkstream round t=1 docs=2 dim=0 >items
    fails_on items 1 'score: *: the round has no features (dim=0), but the model learnt from rounds of 46 features: *' score -m model
    mkstream round t=1 docs=2 dim=0 label:f4 1 0 | update -a squared -e 1 >list
    fails_on wide.1 1 'score: *: the round has 1 features, but the model learnt from rounds of 0 features: *' score -m list
    score -m list <items >out
    # rounds that are all sparse say nothing of the features past the last one
    update -a squared -e 1 -m few <sparse.45
    ! bin2txt -f head few | grep features=
    update -a squared -e 1 -m few <sparse.46
    for step in '45 sparse none' '45 dense any' '46 dense 46' '47 dense 47'; do
        read -r dim form want <<<"$step"
        cp few model
        [ $form = sparse ] || wide $dim >sparse.$dim
        update -a squared -e 1 -m model <sparse.$dim
        is "$(bin2txt -f head model | sed -n 's/.* features=\([^ ]*\).*/\1/p')" "${want/none/}"
    done
}

@test "a model of rounds that varied takes any number of features; one warning names those without a weight" {
    mkstream round t=1 docs=1 dim=2 label:f4 1 x:f4 1 2 + round t=2 docs=1 dim=5 label:f4 1 x:f4 '1*5' |
        update -a squared -e 1 >model
    bin2txt -f head model | grep -q ' dim=5 features=any '
    mkstream round t=1 docs=1 dim=3 x:f4 '1*3' + round t=2 docs=1 dim=7 x:f4 '1*7' \
        + round t=3 docs=1 dim=9 x:f4 '1*9' >in
    score -m model <in >out 2>err
    is "$(cat err)" 'score: round 2 has 7 features, but the model has 5 weights: features without a weight count as 0 (-d 7 accepts this)'
    score -m model -d 9 <in 2>err | cmp - out
    [ ! -s err ]
    update -a squared -e 1 -m model < <(sparse 9)
    score -m model <in >out 2>err
    [ ! -s err ]
    for wrong in x 1.5 -1 2147483649; do
        mkstream model learner=kl rounds=9 dim=1 features=$wrong w:f8 2 >model
        fails_on in 1 "score: model model: model: features=$wrong is neither a whole number up to 2147483648 nor any" score -m model
    done
}

@test "-s: scores of another ranker, one a line, for exactly the documents of the rounds" {
    small_text | svm2bin >in
    documents=$(small_text | wc -l)
    echo '1 0.5' | tr ' ' '\t' | weights2bin >w.bin
    score -m w.bin <in >want
    values_of score <want >scores
    score -s scores <in >have
    same want have
    { echo && cat scores && echo; } >spaced
    score -s spaced <in >have
    same want have
    head -n 1 scores >few
    fails_on in 1 'score: <stdin>: round 1 (qid a): few has scores for 1 documents, but there are more: *' score -s few
    { cat scores && echo 7; } >many
    fails_on in 1 "score: many has a score after those of all $documents documents: *" score -s many
    score -s many <in 2>err | bin2txt -f check >out 2>err || true
    is "$(cat out)" '' # no end record: the stream is not whole
    for word in x '1 2' nan inf 1e999 '1,5' ''; do
        { sed 1d scores && echo "$word"; } >wrong
        fails_on in 1 'score: *wrong*' score -s wrong
    done
    fails_on in 1 'score: cannot open nosuch: *' score -s nosuch
    loop 'replay -n 3 in | score -s scores | explore | metric -t t ndcg@10' >out
    score -m w.bin <in | explore | metric -t u ndcg@10 >want
    same want out
}

@test "-b: base becomes the order of another model, ties as base was, and based= names the model" {
    printf '1\t1\n' | weights2bin >up
    printf '1\t-1\n' | weights2bin >down
    mkstream round t=1 docs=4 dim=1 base:u4 3 1 0 2 x:f4 5 7 5 5 >in
    is "$(score -b up <in | values_of base | paste -sd ' ')" '1 3 0 2'
    is "$(score -b down -m up <in | values_of base | paste -sd ' ')" '3 0 2 1'
    is "$(score -b down -m up <in | values_of score | paste -sd ' ')" '5 7 5 5'
    is "$(score -b up <in | values_of rival)" ''
    sum=$(bin2txt -f head up | grep -o 'crc=[0-9a-f]*')
    is "$(score -b up <in | bin2txt -f head | grep -o 'based=[0-9a-f]*')" "based=${sum#crc=}"
    # without a base before, ties are at random, by round
    for t in $(seq 60); do mkstream round t=$t docs=2 dim=1 x:f4 1 1 | sed '$d'; done >ties
    echo 'rankpipe/1 end rounds=60 bytes=0' >>ties
    first=$(score -b up <ties | bin2txt -f values | awk '$4 == "base" && ++n % 2 && $3 == 0' | wc -l)
    [ "$first" -gt 10 ] && [ "$first" -lt 50 ]
    same <(loop 'score -b down -m up' <in) <(score -b down -m up <in)
    uncrc <up >bare
    fails_on in 1 'score: model bare: it has no crc=, by which rounds name the model of their base: *' score -b bare
    fails_on in 1 'score: nothing: no such file: *' score -b nothing
}

@test "score -M: each model of the stream scores the rounds after it, as score -m does" {
    small_text | svm2bin >q.bin
    synth -n 30 linear >train.bin
    synth -n 9 -s 2 linear >test.bin
    strip() { perl -0777 -pe 's/rankpipe\/1 end [^\n]*\n\z//' "$@"; }
    for learner in 'kl -e 1e-4' ridge memory; do
        update -n -a $learner <train.bin -c 10 -m model -l 3
        update -a $learner <train.bin -c 10 >models
        is "$(bin2txt -f head models | grep -o ' rounds=[0-9]*' | xargs)" 'rounds=10 rounds=20 rounds=30'
        : >stream
        : >expected
        for n in 10 20 30; do
            strip model.$n >>stream
            strip test.bin >>stream
            score -m model.$n <test.bin >scored
            strip scored >>expected
        done
        echo 'rankpipe/1 end rounds=30 bytes=0' >>stream
        echo 'rankpipe/1 end rounds=27 bytes=0' >>expected
        score -M <stream >out
        same out expected
        loop 'score -M' <stream >out
        same out expected
        update -a $learner <train.bin -c 7 >models # the end's model too, once
        is "$(bin2txt -f head models | grep -o ' rounds=[0-9]*' | xargs)" 'rounds=7 rounds=14 rounds=21 rounds=28 rounds=30'
    done
    fails_on test.bin 1 'score: <stdin>: round 1 (qid 1): no model comes before it in the stream, and -M wants one' score -M
    fails 2 'score: -m, -M, -f and -s each*' score -M -m model
}
