# The tables of one-line cases in cases/: each case is a line, and all that fail are named.
load ../helper

@test "each wrong command line of cases/refused.test exits 2, and says what is wrong" {
    local n=0 bad=0 line command want got
    while IFS= read -r line; do
        n=$((n + 1)) got=0
        case $line in '' | '#'*) continue ;; esac
        command=${line%% | *} want="${line%% *}: ${line#* | }"
        eval "$command" >out 2>err </dev/null || got=$?
        # shellcheck disable=SC2053
        if [ $got != 2 ] || [ -s out ] || [[ $(<err) != $want ]]; then
            echo "refused.test:$n: $command: exit $got, not 2, or it does not say '$want' but:"
            cat out err
            bad=1
        fi
    done <"$BATS_TEST_DIRNAME/cases/refused.test"
    [ $n -gt 150 ] && [ $bad = 0 ]
}
