# The examples do what the README says of them.
load helper

# column N of the row for round T of the demo's table
cell() {
    awk -v t="$1" -v n="$2" '$1 == t { print $n }' table
}

# at_least A B: A >= B as numbers
at_least() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a >= b) }'
}

@test "make demo: one answer a round learns most of what all the labels teach" {
    make -s -C "$ROOT" demo >table </dev/null
    cat table
    at_least 0.46 "$(cell 50000 2)" # random
    at_least "$(cell 50000 2)" 0.43
    at_least "$(cell 50000 3)" 0.80 # one answer a round
    at_least "$(cell 50000 4)" 0.87 # all the labels
    at_least "$(cell 50000 3)" "$(cell 1000 3)"
    grep -q '^# rankpipe/1 model learner=kl rounds=50000 ' table
}

@test "the README shows what make demo prints" {
    make -s -C "$ROOT" demo >table </dev/null
    grep -qxF "    $(grep '^ *50000 ' table)" "$ROOT/README.md"
}

@test "make data makes examples/data/small.svm again, byte for byte" {
    "$ROOT/build/examples/data/make" >again
    same again "$ROOT/examples/data/small.svm"
}

@test "the README's commands for data of one's own work, and going on equals never stopping" {
    awk '$2 ~ /qid:q[0-9]*[02468]$/' "$ROOT/examples/data/small.svm" >train.svm
    awk '$2 ~ /qid:q[0-9]*[13579]$/' "$ROOT/examples/data/small.svm" >test.svm
    awk '/^## Your own data/ { on = 1 }
         /^## On real/       { on = 0 }
         on && /^    [a-z ]/ { print substr($0, 5) }' "$ROOT/README.md" >commands
    [ "$(grep -c '^replay' commands)" = 3 ]
    bash -e -o pipefail commands >table
    at_least "$(awk '$1 == 120 { print $2 }' table)" 0.85 # ListNet, on queries it never saw

    replay -n 100000 -s 1 train.bin | score -f ring | explore -g 0.1 | feedback-mask -k 1 |
        update -a kl -e 1e-4 -U 1 -f ring -m straight.bin
    same top1.bin straight.bin
}
