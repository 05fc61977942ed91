# Three services with one learner, which rsync joins, show the rankings of one ring: tests/promises/hosts says what is
# compared. `make hosts` compares them over many seeds and data sets; here are two batches and one seed.
load ../helper

NEEDS="rsync"

@test "three services and one learner rank as one ring that learns as often" {
    run nice bash "$ROOT/tests/promises/hosts" 2 1 synth
    echo "$output"
    [ "$(awk '$2 == "memory" || $2 == "ridge" { n += $5 < 0.02 && $5 > -0.02 && $3 > 0.7 } END { print n }' <<<"$output")" = 2 ]
}
