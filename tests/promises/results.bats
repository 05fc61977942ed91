# What every learner makes of the same rounds is what it made in release 0.3.0, to the bit: its table,
# the orders shown, and what its model holds. A change that is meant to change results changes the sums
# in tests/promises/results, which that release printed.
load ../helper
load ../runs

# sum RUN: one number for what a ring of a run of tests/runs.bash leaves. Header lines do not count, so
# that keys may be added to them.
sum() {
    settings "${1%.*}"
    (
        set -o pipefail
        # shellcheck disable=SC2086 # the settings are words
        replay -n 60 -s 3 "${1#*.}" | score -f ring | explore $shown |
            metric -e 7 -t table ndcg@10 map err@3 auc | feedback-mask -k $k |
            tee stream | timeout -s KILL 60 update $options -f ring >model
    )
    { cat table && bin2txt -f rank stream && LC_ALL=C grep -av '^rankpipe/1 ' model; } | cksum | cut -d ' ' -f 1
}

# unchanged LEARNER...: the sums of all runs of these learners are those of the release.
unchanged() {
    local learner
    stored_rounds
    for learner; do
        for run in $RUNS; do
            [ "${run%.*}" != "$learner" ] || echo "$run $(sum "$run")"
        done
    done >sums
    [ "$(wc -l <sums)" -ge $# ]
    grep -E "^($(echo "$@" | tr ' ' '|'))\." "$ROOT/tests/promises/results" | sort >want
    sort sums | diff want -
}

@test "squared, kl and smoothdcg make what they made in the release" {
    unchanged squared kl smoothdcg smoothdcg-falls
}

@test "ranksvm and listnet make what they made in the release" {
    unchanged ranksvm listnet squared-ndcg
}

@test "slam and minimax make what they made in the release" {
    unchanged slam slam-cut slam-ap minimax
}

@test "solar1 and solar2 make what they made in the release" {
    unchanged solar1 solar2 solar1-ties solar2-ties solar1-list solar2-list
}

@test "prank and the committees make what they made in the release" {
    unchanged prank prank-pair committee committee-seen
}

@test "ridge, thompson and linucb make what they made in the release" {
    unchanged ridge ridge-plain thompson linucb
}

@test "learners after other policies make what they made in the release" {
    unchanged kl-top kl-swap ranksvm-luce
}

@test "learners of clicks make what they made in the release" {
    unchanged pdgd dbgd pairrank
}

@test "the memory makes what it made in the release" {
    unchanged memory memory-plain memory-clicks
}

@test "the kernel makes what it made in the release" {
    unchanged kernel
}

@test "adaptive steps make what they made in the release" {
    unchanged squared-adaptive kl-adaptive smoothdcg-adaptive ranksvm-adaptive listnet-adaptive \
        slam-adaptive pdgd-adaptive thompson-adaptive linucb-adaptive
}

@test "learners of a fixed list make what they made in the release" {
    unchanged ftpl ftpl-ndcg ftpl-blocks exp3m toprank
}
