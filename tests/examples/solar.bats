# Online learning on real queries, from all labels: Table 2 of Wang et al. 2015 (SOLAR).
load ../helper

# near LEARNER ONE FIVE TEN WITHIN: the row's mean NDCG at 1, 5 and 10.
near() {
    awk -v name="$1" -v one="$2" -v five="$3" -v ten="$4" -v within="$5" '
        function far(a, b) { return a - b > within || b - a > within }
        $1 == name { met = 1; bad = far($2, one) || far($3, five) || far($4, ten) }
        END { exit !met || bad }' table
}

@test "MQ2008 in ten random orders: each learner is as good as the paper says" {
    need_data MQ2008
    sh "$ROOT/examples/solar" "$DATA/MQ2008" 10 >table
    cat table
    near solar1 0.349 0.458 0.502 0.005
    near solar2 0.359 0.468 0.511 0.005
    near committee 0.338 0.442 0.489 0.015
    near prank-pair 0.283 0.382 0.440 0.015
    near prank 0.237 0.335 0.404 0.015
}
