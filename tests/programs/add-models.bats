#!/usr/bin/env bats
# add-models: the models of shares of a log add up to that of the whole log.

load ../helper

# Rounds of which some labels are seen, those of a query again and again.
seen() { # labels a round
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
    echo 1 0 | weights2bin >zero.bin
    replay -n 600 -s 1 q.bin | score -m zero.bin | explore -g 1 | feedback-mask -k "${1-2}" >seen.bin
}

# shares N WORD...: what N runs of update -i learn, in share.1 and so on.
shares() {
    local i
    for ((i = 1; i <= $1; i++)); do update -i "$i/$1" "${@:2}" <seen.bin >"share.$i"; done
}

# near A B: their weights are the same to 1e-9 of the largest, and so are the numbers learnt.
near() {
    is "$(model_keys "$1")" "$(model_keys "$2")"
    column "$1" w >near.1
    column "$2" w >near.2
    paste near.1 near.2 | awk '
        { size = $1 < 0 ? -$1 : $1; most = size > most ? size : most; off = $1 - $2
          off = off < 0 ? -off : off; worst = off > worst ? off : worst }
        END { print worst / most; exit !(NF == 2 && most > 0 && worst <= 1e-9 * most) }'
}

# The header of a model without its checksum.
model_keys() {
    head -n 1 "$1" | tr ' ' '\n' | grep -av '^crc='
}

# column MODEL NAME: the numbers of a column.
column() {
    bin2txt "$1" | awk -F '\t' -v name="$2" '$1 == name { print $3 }'
}

@test "eight shares add up to one run: ridge, and memory with rho and without" {
    seen
    for learner in ridge ridge,plain thompson,width=1 linucb,width=1 memory memory,rho=2 memory,rho=0 \
        memory,plain,tradeoff=1; do
        update -a $learner <seen.bin >one
        shares 8 -a $learner
        add-models share.[1-8] >sum
        near sum one
        case $learner in memory*)
            for name in keys answers sums owners queries visits; do
                is "$(column sum $name)" "$(column one $name)"
                [ -n "$(column sum $name)" ]
            done ;;
        esac
    done
}

@test "a sum ranks, is continued, and adds up again; one model alone is its own sum" {
    seen
    update -m one <seen.bin
    shares 4
    add-models share.1 share.2 >sum.a
    add-models share.4 share.3 >sum.b
    add-models sum.a sum.b >sum
    near sum one
    score -m sum <q.bin | explore | metric ndcg@10 | tail -n 1 >have
    score -m one <q.bin | explore | metric ndcg@10 | tail -n 1 | awk '{ print $2 }' >want
    awk -v want="$(cat want)" '{ exit !($2 > want - .001 && $2 < want + .001) }' have
    for model in sum one; do update -m $model <seen.bin 2>/dev/null; done
    near sum one
    add-models one >alone
    near alone one
}

@test "a log of one label a round in 150 shares, of which some are without rounds" {
    seen 1
    update -a memory <seen.bin >one
    shares 150
    [ "$(grep -lc 'rounds=0 ' share.* | wc -l)" -gt 5 ]
    # shellcheck disable=SC2046
    add-models $(ls share.* | sort) >sum
    near sum one
}

@test "with a prior in one share, the sum is one run with that prior" {
    seen
    update -a listnet -x scale <q.bin >prior.bin
    for learner in ridge memory; do
        update -a $learner,prior=prior.bin,strength=50 <seen.bin >one
        shares 3 -a $learner
        update -a $learner,prior=prior.bin,strength=50 -i 2/3 <seen.bin >share.2
        add-models share.[1-3] >sum
        near sum one
        cp share.2 share.1
        fails 1 'add-models: model share.2: it began at a prior, as one before it did*' \
            add-models share.1 share.2
    done
}

@test "a sum over its bound drops what one run would: what came once, not what came often" {
    for share in a b; do
        echo "1 qid:${share}rare 1:1 # d" | svm2bin >rare
        echo "1 qid:${share}often 1:1 # d" | svm2bin >often
        update -a memory,pairs=2 -m $share <rare
        replay -n 99 often | update -a memory,pairs=2 -m $share 2>err
    done
    is "$(add-models a b | bin2txt -f memory | cut -f 2)" "99
99"
}

@test "no query was learnt last after the last round of a sum" {
    for share in a:7 b:22; do
        echo "1 qid:${share%:*} 1:1 # d" | svm2bin >query
        replay -n "${share#*:}" query | update >"${share%:*}"
    done
    add-models a b >sum
    is "$(column sum latest)" "29
29"
}

@test "pairs in two models are an error that counts them; of ridge it does not matter" {
    seen
    for i in 1 2; do
        replay -i $i/2 seen.bin | update -a memory,rho=3 >half.$i
        replay -i $i/2 seen.bin | update -a ridge >ridge.$i
    done
    both=$(cat <(column half.1 keys) <(column half.2 keys) | sort | uniq -d | wc -l)
    [ "$both" -gt 10 ]
    fails 1 "add-models: model half.2: $both of its $(column half.2 keys | wc -l) pairs of query and document are in the models before it, too: learn all rounds of a query in one share, as update -i does" \
        add-models half.1 half.2
    [ ! -s out ]
    update -a ridge <seen.bin >one
    add-models ridge.1 ridge.2 >sum
    near sum one
}

@test "the sum of sparse rounds and narrower dense ones has any number of features" {
    echo 1 qid:a 1:1 2:1 | svm2bin | update -X -x none -m dense
    echo 1 qid:b 1:1 900:1 | svm2bin | update -X -x none -m sparse
    cp dense one
    echo 1 qid:b 1:1 900:1 | svm2bin | update -X -x none -d 900 -m one
    is "$(model_keys one | grep ^features)" features=any
    for order in "dense sparse" "sparse dense"; do
        # shellcheck disable=SC2086
        add-models $order >sum
        is "$(model_keys sum | grep ^features)" features=any
        echo 1 qid:b 1:1 900:1 | svm2bin | score -m sum >scored
    done
    echo 1 qid:c 1:1 2:2 | svm2bin | update -X -x none -m dense.2
    add-models dense dense.2 >sum
    is "$(model_keys sum | grep ^features)" features=2
}

@test "models that are not of one run are refused" {
    seen
    update <seen.bin -i 1/2 >a
    update <seen.bin -i 2/2 >b
    update -a memory,seed=2 -i 2/2 <seen.bin >seed
    update -a memory,rho=1 -i 2/2 <seen.bin >rho
    update -a ridge -i 2/2 <seen.bin >ridge
    update -a kl -i 2/2 <seen.bin >kl
    update -x rank -i 2/2 <seen.bin >rank
    svm2bin -d 20 "$ROOT/examples/data/small.svm" | update -i 2/2 >wide
    tail -c +100 a >cut
    fails 1 'add-models: model seed: it was learnt with seed=2, but those before it with seed=1: learn all shares with the same settings' add-models a seed
    fails 1 'add-models: model rho: it was learnt with rho=1, but those before it without rho: *' add-models a rho
    fails 1 'add-models: model a: it was learnt without rho, but those before it with rho=1: *' add-models rho a
    fails 1 'add-models: model ridge: it is a model of ridge, but those before it are of memory' add-models a ridge
    fails 1 'add-models: model kl: models of kl do not add up: those of ridge, thompson, linucb, memory do' add-models kl a
    fails 1 'add-models: model zero.bin: models of fixed do not add up: *' add-models zero.bin
    fails 1 'add-models: model rank: its features are made by rank; those of the models before it by scale' add-models a rank
    fails 1 'add-models: model wide: it learnt from rounds of 20 features, but those before it from rounds of 12' add-models a wide
    fails 1 'add-models: *cut*' add-models a cut
    uncrc <a | LC_ALL=C sed 's/=memory rounds=[0-9]*/=memory rounds=9007199254740991/' >long
    fails 1 'add-models: model b: it has learnt * rounds, and those before it 9007199254740991: a model may have 9007199254740991 in all' \
        add-models long b
    fails 1 'add-models: none: no such file' add-models a none
    fails 2 'add-models: no model named: name that of each share
usage: *' add-models
}

@test "shares that were learnt with other tables of examination are refused" {
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
    explore -g 1 <q.bin | feedback-mask -c position >seen.bin
    for table in 0.5 0.25; do
        printf '%d %s\n' 1 1 2 $table 3 .2 4 .2 5 .2 6 .1 7 .1 8 .1 9 .1 10 .1 >theta
        for i in 1 2; do update -a memory,examination=theta -i $i/2 <seen.bin >$table.$i; done
    done
    fails 1 'add-models: model 0.25.2: it was learnt with another table of examination than those before it: learn all shares with the same settings' \
        add-models 0.5.1 0.25.2
    add-models 0.5.1 0.5.2 >sum
    is "$(column sum examination | sed -n 2p)" 0.5
}

@test "a P that is no covariance is refused, and nothing written" {
    for number in 0 -1 1e-320; do
        mkstream model learner=ridge rounds=1 dim=1 features=1 tradeoff=1 w:f8 1 level:f8 0 inverse:f8 $number 0 1 >bad
        fails 1 'add-models: *its column inverse is no covariance of a regression*' add-models bad bad
        [ ! -s out ]
    done
}

@test "update -i: each round is in one share, all those of a query in the same; -f is refused" {
    seen
    shares 5
    for i in 1 2 3 4 5; do column share.$i queries; done | sort >each
    column <(update <seen.bin) queries | sort >all
    same each all
    is "$(cat share.[1-5] | grep -ao 'learner=memory rounds=[0-9]*' | awk -F = '{ sum += $3 } END { print sum }')" 600
}

@test "MQ2008: eight shares of memory, rho estimated, rank the held-out queries as one run does" {
    need_data MQ2008
    svm2bin "$DATA"/MQ2008/S[123].txt >train.bin
    svm2bin "$DATA"/MQ2008/S5.txt >held.bin
    echo 1 0 | weights2bin >zero.bin
    replay -n 4000 -s 1 train.bin | score -m zero.bin | explore -g 0.5 | feedback-mask -k 3 >seen.bin
    update <seen.bin >one
    shares 8
    add-models share.[1-8] >sum
    near sum one
    for model in one sum; do
        score -m $model <held.bin | explore | metric ndcg@10 | tail -n 1 | cut -f 2
    done | paste -sd ' ' | awk '{ print; exit !($1 > .4 && ($1 - $2) ^ 2 < .001 ^ 2) }'
}

@test "shares by GNU parallel add up to one run" {
    parallel --version 2>/dev/null | grep -q GNU || skip "no GNU parallel here (Debian: parallel)"
    export HOME=$PWD
    seen
    for learner in memory,rho=3 memory ridge; do
        update -a $learner <seen.bin >one
        parallel --will-cite "update -a $learner -i {}/8 <seen.bin >share.{}" ::: 1 2 3 4 5 6 7 8
        add-models share.[1-8] >sum
        near sum one
    done
}
