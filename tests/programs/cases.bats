# The tables of one-line cases in cases/: each case is a line, and all that fail are named.
load ../helper

@test "each wrong command line of cases/refused.test exits 2, and says what is wrong" {
    [ "$(wc -l <"$BATS_TEST_DIRNAME/cases/refused.test")" -gt 150 ]
    refuses 2 <"$BATS_TEST_DIRNAME/cases/refused.test"
}
