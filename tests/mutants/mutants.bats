# The parts of make mutants: which mistakes it draws, and how it runs a test.
load ../helper

# The mutants of a text in C: line, operator and change, without those of other operators than $1.
changes() {
    "$BATS_FILE_TMPDIR/sites" text.c | awk -F '\t' -v operator="$1" '$3 == operator { print $2 ": " $4 }'
}

setup_file() {
    ${CC:-cc} -std=c11 -o "$BATS_FILE_TMPDIR/sites" "$BATS_TEST_DIRNAME/sites.c"
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >text.c <<'TEXT'
#define HALF(x) ((x) < 2)
static const int table[] = { 1, 2 + 3 };
enum { MOST = 4 };

/* No < b here. */
int small(const char *s, int *n)
{
    static const char word[] = "a < b";
    char piece[8];
    for (int i = 0; i < MOST && s[i]; i++)
        *n += copy(piece, s);
    if (*n == MOST)
        return -1;
    return 0;
}
TEXT
}

@test "mutants: statements are changed; comments, strings, tables, types and macros are not" {
    is "$(changes relational)" "10: < => <=
10: < => >=
12: == => !="
    is "$(changes logical)" '10: && => ||'
    is "$(changes step)" '10: ++ => --'
    is "$(changes arithmetic)" '11: += => -='
    is "$(changes arguments)" '11: piece, s => s, piece'
    is "$(changes condition)" '12: (*n == MOST) => (!(*n == MOST))'
    is "$(changes statement)" '11: *n += copy(piece, s) => '
    is "$(changes constant)" "10: 0 => 1
10: 0 => (0 - 1)
14: 0 => 1
14: 0 => (0 - 1)"
    is "$(changes return)" "13: -1 => !(-1)
14: 0 => !(0)"
}

@test "mutants: a number chosen prints the file with that one change" {
    number=$("$BATS_FILE_TMPDIR/sites" text.c | awk -F '\t' '$3 == "logical" { print $1 }')
    "$BATS_FILE_TMPDIR/sites" text.c "$number" >changed
    sed 's/ && / || /' text.c >want
    same want changed
}

@test "mutants: a test passes, fails, skips and hangs without bats as with it" {
    sed 's/^AT/@/' >few.bats <<'BATS' # bats itself would see tests here
ATtest "passes" {
    run -1 false
    [ "$status" = 1 ]
}
ATtest "fails" {
    false
    true
}
ATtest "skips" {
    skip "here"
}
ATtest "works for ever" {
    while :; do :; done
}
BATS
    one=$BATS_TEST_DIRNAME/one
    bash "$one" "$PWD/few.bats" 1 5
    fails 1 '*' bash "$one" "$PWD/few.bats" 2 5
    fails 75 '*' bash "$one" "$PWD/few.bats" 3 5
    fails 137 '*' bash "$one" "$PWD/few.bats" 4 1
}
