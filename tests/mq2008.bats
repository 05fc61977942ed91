# Learning on real queries: the README's table in small.
# not tested: 50,000 rounds and three seeds, which `sh examples/mq2008` runs in a minute or two.
load helper

# learner's mean NDCG@10, times 10,000
mean() {
    awk -v name="$1" '$1 == name { printf "%d\n", 10000 * $3 + 0.5 }' table
}

@test "20,000 rounds of MQ2008: each learner is as good as the README says, random as bad" {
    need_data MQ2008
    sh "$ROOT/examples/mq2008" "$DATA/MQ2008" 20000 1 >table
    cat table
    [ "$(mean random)" -ge 3310 ] && [ "$(mean random)" -le 3390 ]
    for learner in squared kl ranksvm; do
        [ "$(mean $learner)" -ge 4000 ]
    done
    [ "$(mean smoothdcg)" -ge 3600 ]
    [ "$(mean listnet)" -ge 5020 ] && [ "$(mean listnet)" -le 5100 ]
}
