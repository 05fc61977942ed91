# The same command gives the same bytes, whatever lies between the programs and however often a run
# is stopped and gone on with.
load ../helper
load ../runs

PATH=$ROOT/build/tests/shim:$PATH # relay

# learn NAME LEARNER REPLAY-OPTION... DECK: a ring, with `between` between its members, rounds ahead
# by `window`. NAME.model goes on from what it is; NAME.table and NAME.stream, which is what update
# got, are new.
learn() {
    local name=$1 learner=$2 shown k options
    shift 2
    settings "$learner"
    (
        set -o pipefail
        # shellcheck disable=SC2086
        replay "$@" | $between | score -f ring -w $window | $between |
            explore $shown | $between | metric -e 7 -t "$name.table" ndcg@10 map err@3 |
            $between | feedback-mask -k $k | $between |
            tee "$name.stream" | $between |
            timeout -s KILL 60 update $options -f ring -m "$name.model"
    )
}

between=cat
window=1

# learn_in_one NAME LEARNER REPLAY-OPTION... DECK: NAME.model by loop, which gives the bytes of the ring for
# every learner (tests/programs/loop.bats).
learn_in_one() {
    local name=$1 learner=$2 shown k options
    shift 2
    settings "$learner"
    loop "replay $* | score | explore $shown | feedback-mask -k $k | update $options -m $name.model"
}

# some: of the runs of every learner each STRIDE-th.
some() {
    printf '%s\n' $RUNS | awk -v stride="$STRIDE" 'NR % stride == 1 % stride'
}

# same_run A B: two runs left the same.
same_run() {
    same "$1.model" "$2.model"
    same "$1.table" "$2.table"
    same "$1.stream" "$2.stream"
}

@test "the same command twice gives the same weights, table and stream" {
    stored_rounds
    runs=$(some)
    for run in $runs; do
        learn a.$run ${run%.*} -n 90 -s 3 ${run#*.}
        learn b.$run ${run%.*} -n 90 -s 3 ${run#*.}
        same_run a.$run b.$run
    done
    # and they are no constants: every learner, every stored has its own
    [ "$(cksum a.*.model | cut -d ' ' -f 1 | sort -u | wc -l)" = $(wc -w <<<"$runs") ]
    [ "$(cksum a.*.table | cut -d ' ' -f 1 | sort -u | wc -l)" = $(wc -w <<<"$runs") ]
    [ "$(wc -l <a.squared.dense.table)" = 14 ] # a head, 7 to 84, 90
}

@test "what was random the first time is the same the second: every seed its own run" {
    stored_rounds
    for seed in 1 2 3; do
        for time in a b; do
            replay -n 200 -s $seed dense | explore -g 1 -s $seed >$time
        done
        same a b
        mv a seed.$seed
    done
    [ "$(cksum seed.* | cut -d ' ' -f 1 | sort -u | wc -l)" = 3 ]
}

@test "late feedback is as late every time" {
    stored_rounds
    for window in 2 7 64; do
        for time in a b; do
            rm -f $time.model
            learn $time kl -n 200 dense
        done
        same_run a b
        mv a.model window.$window
    done
    [ "$(cksum window.* | cut -d ' ' -f 1 | sort -u | wc -l)" = 3 ]
}

@test "the ring gives the same bytes whatever lies between its members" {
    stored_rounds
    for run in kl.dense kl.sparse listnet.dense ranksvm.sparse prank.dense prank.sparse \
        committee.dense memory.dense memory.sparse ftpl-blocks.fixed; do
        between=cat
        rm -f ./*.model
        learn a ${run%.*} -n 60 ${run#*.}
        for between in 'relay -p 4096' 'relay -c 509 -s 50' 'dd bs=4000'; do
            rm -f b.model
            learn b ${run%.*} -n 60 ${run#*.} 2>err # dd tells what it did
            same_run a b
        done
    done
}

@test "a round that is alone has the draws that it has among others" {
    stored_rounds
    replay -n 50 dense | explore -g 1 >all
    for t in 1 17 50; do
        replay -b $t -n $t all >one
        replay -b $t -n $t dense | explore -g 1 >alone
        same one alone
    done
}

# stopped LEARNER DECK ROUND...: a run stopped after each of these rounds but the last, and gone on
# with, leaves the model, and gives the rounds, of a run to the last that never stopped.
stopped() {
    local learner=$1 stored=$2 from=1 last
    shift 2
    rm -f part.* straight.* parts
    for last; do
        learn part "$learner" -b $from -n "$last" "$stored"
        cat part.stream >>parts
        from=$((last + 1))
    done
    learn straight "$learner" -n "$last" "$stored"
    same straight.model part.model
    replay parts >part.stream # `cat` of streams is a stream
    same straight.stream part.stream
}

@test "stopping after a round and going on gives the same model and rounds as never stopping" {
    stored_rounds
    for run in $(some); do
        stopped ${run%.*} ${run#*.} 70 150
    done
}

# stopped_in_one LEARNER DECK ROUND...: the same of the model, in one process.
stopped_in_one() {
    local learner=$1 stored=$2 from=1 last
    shift 2
    rm -f part.model straight.model
    for last; do
        learn_in_one part "$learner" -b $from -n "$last" "$stored" 2>/dev/null
        from=$((last + 1))
    done
    learn_in_one straight "$learner" -n "$last" "$stored"
    same straight.model part.model
}

@test "every learner may be stopped after any round" {
    stored_rounds
    for run in $RUNS; do
        stopped_in_one ${run%.*} ${run#*.} 1 2 8 70
    done
}

@test "going on where a broken stream left off gives the same model as never breaking" {
    stored_rounds
    learn straight kl -n 150 dense
    head -c 20000 straight.stream >cut
    fails_on cut 1 'update: <stdin>: stream cut short after round *' \
        update -a kl -e 0.003 -U 2 -m part.model
    rounds=$(bin2txt -f head part.model | sed 's/.* rounds=\([0-9]*\) .*/\1/')
    [ "$rounds" -gt 10 ] && [ "$rounds" -lt 140 ]
    learn part kl -b $((rounds + 1)) -n 150 dense
    same straight.model part.model
}

@test "MQ2008: stopping after round 20,000 and going on gives the same as never stopping" {
    need_data MQ2008
    mkfifo ring
    cat "$DATA"/MQ2008/S?.txt | svm2bin >stored
    # ring REPLAY-OPTION... MODEL: top-1 feedback, as the README has it
    ring() {
        replay "${@:1:$#-1}" stored | score -f ring | explore -g 0.1 | feedback-mask -k 1 |
            timeout -s KILL 60 update -a kl -e 1e-4 -U 1 -f ring -m "${!#}"
    }
    ring -n 20000 part
    cp part half
    ring -b 20001 -n 40000 part
    ring -n 40000 straight
    same straight part
    if cmp half part; then return 1; fi
    [ "$(bin2txt -f head part | cut -d ' ' -f 5)" = rounds=40000 ]
}
