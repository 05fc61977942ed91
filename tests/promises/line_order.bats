# The order of the lines in a query tells no learner anything: sorted by relevance or shuffled, what
# is shown while learning is equally good.
load ../helper
load ../runs

# in_order ORDER: the documents of each query of small.svm, best first or worst first, or shuffled by
# that seed.
in_order() {
    awk -v order="$1" 'BEGIN { if (order ~ /^[0-9]/) srand(order) }
        { key = order == "best" ? -$1 : order == "worst" ? $1 : rand()
          if ($2 != qid) n++
          qid = $2; printf "%d\t%.9f\t%d\t%s\n", n, key, NR, $0 }' "$ROOT/examples/data/small.svm" |
        sort -t "$(printf '\t')" -k 1,1n -k 2,2n -k 3,3n | cut -f 4- | svm2bin
}

# shown_by LEARNER SEED FILE: the mean NDCG@10 of what is shown in 200 rounds.
shown_by() {
    settings "$1"
    # shellcheck disable=SC2086
    loop "replay -n 200 -s $2 $3 | score | explore $shown -s $2 | metric -t table ndcg@10 |
        feedback-mask -k $k | update $options" >model
    tail -n 1 table | cut -f 2
}

# Two-sided paired t-tests over ten seeds. With Holm's correction the smallest p of n tests must be
# below 0.05 / n, that is |t| of 9 degrees of freedom above 5.4 for n = 40.
no_difference() { # reads pairs: learner, sorted, shuffled
    awk '
        { d = $3 - $2; n[$1]++; sum[$1] += d; square[$1] += d * d }
        END {
            for (l in n) {
                tests++
                mean = sum[l] / n[l]
                variance = (square[l] / n[l] - mean * mean) / (n[l] - 1)
                t = variance > 0 ? mean / sqrt(variance) : mean ? 1e9 : 0
                printf "%s %+.4f t=%.2f\n", l, mean, t
                if (t * t > 5.4 * 5.4) bad = bad " " l
            }
            if (bad) { print "different:" bad; exit 1 }
        }' pairs
}

# each learner in a release, each STRIDE-th in make check.
@test "sorted by relevance or shuffled, every learner shows equally good lists" {
    for order in best worst; do in_order $order >$order; done
    learners=$(printf '%s\n' $LEARNERS | awk -v stride="$STRIDE" 'NR % stride == 1 % stride')
    for seed in 1 2 3 4 5 6 7 8 9 10; do
        in_order $seed >shuffled
        for learner in $learners; do
            [[ $learner != @(committee|kl-top|kl-swap) ]] || continue
            order=best
            [ $((seed % 2)) = 0 ] || order=worst
            echo "$learner $(shown_by $learner $seed $order) $(shown_by $learner $seed shuffled)"
        done
    done >pairs
    [ "$(wc -l <pairs)" -ge $((350 / STRIDE)) ]
    no_difference
}

@test "line order does tell where -o keeps it: the test above can fail" {
    in_order best >best
    mkstream model learner=fixed rounds=0 dim=12 w:f8 0 0 0 0 0 0 0 0 0 0 0 0 >zero
    for seed in 1 2 3 4 5 6 7 8 9 10; do
        in_order $seed >shuffled
        for name in best shuffled; do
            loop "replay -n 200 -s $seed $name | score -m zero | explore -o | metric ndcg@10" | tail -n 1 | cut -f 2
        done | paste -sd ' ' | sed 's/^/ties /'
    done >pairs
    run no_difference
    [ "$status" = 1 ]
    [[ $output == *'different: ties' ]]
}
