# Memory: no program reads or writes beyond what it asked for, nor uses what it did not write. Under
# tests/shim/fence.c either ends a program, or changes what it prints.

# shellcheck disable=SC2086 # commands are words

load ../helper

SHIM=$ROOT/build/tests/shim/fence.so FAULTY=$ROOT/build/tests/shim/faulty.so

# Three queries, of 13, 30 and 67 documents: buffers grow, and have odd and even numbers of numbers.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    awk 'function draw(n) { x = (x * 16807) % 2147483647; return int(x / 65536) % n }
        BEGIN {
            x = 42
            split("13 30 67", docs)
            for (q = 1; q <= 3; q++)
                for (i = 0; i < docs[q]; i++) {
                    line = draw(5) " qid:" q
                    for (j = 1; j <= 11; j++)
                        line = line " " j ":." 1 + draw(9)
                    print line " # d" i
                }
        }' >text
    svm2bin text >q
    update -a listnet <q >weights
    score -m weights <q >scored
    explore -g 0.5 <scored >shown
    feedback-mask -k all <shown >all
    feedback-mask -k 3 <shown >seen
    feedback-mask -c perfect <shown >clicks
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cp "$BATS_FILE_TMPDIR"/* .
    FENCE=sign LD_PRELOAD=$SHIM svm2bin text >/dev/null || true
    [ -e sign ] || skip "LD_PRELOAD does nothing here: a static build, a sanitizer, or not Linux"
}

# fenced INPUT COMMAND...: prints within the fence what it prints without.
fenced() {
    local in=$1
    shift
    "$@" <"$in" >want 2>said || { echo "$*: exit status $?" && cat said && return 1; }
    LD_PRELOAD=$SHIM "$@" <"$in" >got 2>err || { echo "$*: exit status $? in the fence" && cat err && return 1; }
    cmp want got && cmp said err
}

# starved INPUT COMMAND...: within the fence it says so each time that there is no memory, and ends.
starved() {
    local call n got
    for call in malloc calloc realloc; do
        got=1
        for ((n = 1; got == 1; n++)); do
            got=0
            FAULTY_CALL=$call FAULTY_AT=$n FAULTY_HOW=12 FAULTY_FD=9 LD_PRELOAD=$FAULTY:$SHIM \
                "${@:2}" <"$1" 9<>calls >got 2>err || got=$?
            [ $got != 1 ] || grep -q 'out of memory: no room for ' err || { cat err && return 1; }
        done
        [ $got = 0 ] || { echo "${*:2}: exit status $got without $call $((n - 1))" && return 1; }
    done
}

@test "nothing is made of rounds for which there is no memory" {
    for kind in log scale,log rank scale; do starved q features $kind; done
    starved text svm2bin -n
    for form in summary qrels; do starved q bin2txt -f $form; done
    starved shown bin2txt -f rank
    for t in 1 2 3; do echo $t 1 0 2; done >answers
    starved shown feedback-join answers
}

@test "text to rounds and back" {
    for options in '' -n '-i 2/2 text' text; do fenced text svm2bin $options; done
    awk '$2 != qid && NR > 1 { print "" } { qid = $2; print }' text >requests
    fenced requests svm2bin -lu
    for form in svm head summary check qrels; do fenced q bin2txt -f $form; done
    for form in rank run; do fenced shown bin2txt -f $form; done
    for form in tsv check; do fenced weights bin2txt -f $form; done
    for stream in q scored shown seen all clicks weights; do fenced $stream bin2txt; done
    bin2txt -f tsv weights >tsv
    fenced tsv weights2bin
    bin2txt -f log clicks >log
    for options in -0 '-0 -k log' '-0 -g 1=.5'; do fenced log log2bin $options; done
    for options in '' -c '-l -e table'; do fenced clicks judge $options; done
    metric -q map <shown >values
    fenced values compare -
    fenced clicks bin2txt -f log
    for kind in log scale rank; do fenced q features $kind; done
    fenced q salvage
    fenced q replay -n 20 -s 1 -
    fenced q replay -z 1 -n 20 -
    for game in separable linear rare noisy-binary hopeless-ndcg hopeless-auc-q hopeless-map; do
        fenced q synth -n 5 $game
    done
}

@test "rankings, feedback and measures" {
    fenced q score -m weights
    for policy in '-g 0.5' '-p uniform -g 0.5' '-p top -g 0.5 -k 3' '-p swap -g 0.5' \
        '-p plackett-luce' -o; do
        fenced scored explore $policy
    done
    for model in perfect navigational informational position trust; do fenced shown feedback-mask -c $model; done
    for shown in '-k 3' '-k all' '-n 0.1 -k 2'; do fenced shown feedback-mask $shown; done
    for measure in ndcg ndcg@3 ndcg@100 dcg@20 err@5 p@3 prec@20 map mrr auc pairloss sumloss loss:squared loss:kl \
        loss:smoothdcg@4 loss:ranksvm loss:listnet loss:slam@3 loss:slam-ap loss:minimax \
        loss:squared-ndcg; do
        fenced shown metric $measure
    done
    fenced shown metric -e 1 ndcg@10 map
    fenced seen metric ips:dcg snips:p@2
}

@test "every learner" {
    for learner in squared kl smoothdcg 'smoothdcg -k 4' ranksvm slam 'slam -k 3' slam-ap minimax solar1 solar2 \
        solar1-ties solar2-ties solar1-list solar2-list prank prank-pair committee ridge 'ridge -p' \
        thompson linucb memory 'memory -R 0' \
        'kernel -N 2' 'kernel -N 2 -k 3' 'squared -e 0.1 -U 1' 'solar1 -o' 'prank -o'; do
        for input in all seen; do fenced $input update -a $learner; done
    done
    for learner in listnet squared-ndcg; do fenced all update -a $learner; done
    for k in 1 2; do
        explore -p plackett-luce <scored | feedback-mask -k $k >drawn
        for learner in squared 'smoothdcg -k 1'; do fenced drawn update -a $learner; done
    done
    explore -p plackett-luce <scored | feedback-mask -c perfect >clicks
    for learner in pdgd pairrank 'memory -K'; do fenced clicks update -a $learner; done
    mkfifo ring
    score -f ring <q | explore -p team-draft | feedback-mask -c perfect | tee rivals |
        update -a dbgd -f ring >out
    fenced rivals update -a dbgd
    synth -n 9 -l 13 noisy-binary >items
    for gain in exp lin ndcg auc; do fenced items update -a ftpl -G $gain; done
    update -a ftpl <items >leader
    score -m leader <items >list
    fenced list explore -p leader -T 9
    explore -p leader -T 9 <list | feedback-mask -k all >answers
    for gain in exp lin ndcg auc; do fenced answers update -a ftpl -G $gain; done
    fenced list explore -k 2 -p blocks -T 8
    explore -k 2 -p blocks -T 8 <list | feedback-mask -k 2 >answers
    fenced answers update -a ftpl
    explore -p leader -T 9 <list >led
    for measure in regret:sumloss regret:dcg regret:map; do fenced led metric $measure; done
    explore <list | feedback-mask -L 1 -c perfect >answers
    fenced answers update -a toprank
}

@test "rings, by one process" {
    for learner in kl ridge memory thompson ranksvm pdgd; do
        feedback='feedback-mask -k 2'
        [ $learner != pdgd ] || feedback='feedback-mask -c perfect'
        fenced q loop "replay -n 20 - | score -f ring | explore -p plackett-luce |
            metric -t table -e 5 ndcg@10 | $feedback | update -a $learner -f ring"
    done
    for learner in linucb memory thompson; do
        fenced q loop "replay -n 20 - | score -f ring | explore | feedback-mask -k 2 | update -a $learner -f ring"
    done
    fenced q loop 'replay -n 20 - | score -f ring -w 4 | explore -g 0.5 | feedback-mask -k 3 | update -a kl -f ring'
}

@test "serve, with as many clients as it takes" {
    awk '$2 != qid && NR > 1 { print "" } { qid = $2; print } END { print "" }' text >requests
    score -m weights <q | explore -g 0.5 | bin2txt -f rank | wc -l >lines
    mkfifo in
    LD_PRELOAD=$SHIM serve -c 1 -S status socket 'score -m weights | explore -g 0.5' 2>err &
    server=$!
    for _ in $(seq 500); do [ ! -S socket ] || break; sleep 0.01; done
    serve -a socket <in >got 2>said &
    exec 4>in
    cat requests >&4
    for _ in $(seq 500); do
        [ "$(grep -c . got)" -lt "$(cat lines)" ] && kill -0 $server 2>/dev/null || break
        sleep 0.01
    done
    kill $server
    wait $server || { cat err && return 1; }
    exec 4>&-
    is "$(grep -c . got)" "$(cat lines)"
    svm2bin -lu requests | score -m weights | explore -g 0.5 | bin2txt -f rank | cut -f 1-3,5- >want
    grep . got | cut -f 1-3,5- | cmp - want # where documents have names
}
