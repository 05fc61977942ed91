# What every test file begins with: load ../helper
bats_require_minimum_version 1.5.0

ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
DATA=$ROOT/../shared/data
PATH=$ROOT/bin:$PATH
PROGRAMS="svm2bin log2bin judge weights2bin replay synth features score explore metric compare feedback-mask"
PROGRAMS+=" feedback-join update add-models spool salvage bin2txt loop serve"

# Tests may run as root, and start programs that refuse to.
export RANKPIPE_ROOT=yes
export PYTHONDONTWRITEBYTECODE=1 # into the tree

# Every test starts in a folder of its own. A file whose tests need tools names them in NEEDS, and is
# skipped where one of them is missing.
setup() {
    local tool
    for tool in ${NEEDS-}; do
        command -v "$tool" >/dev/null || skip "no $tool here"
    done
    cd "$BATS_TEST_TMPDIR" || return 1
    [ "$(command -v score)" = "$ROOT/bin/score" ] # and no other program of that name
}

# A sweep over every byte, call, number or moment takes each STRIDE-th, a prime: so it meets every kind.
# make release-check takes all of them, and runs the tests that are in_release.
export STRIDE=${STRIDE:-7}

in_release() {
    [ "$STRIDE" = 1 ] || skip "only in make release-check (STRIDE=1)"
}

# Skips in make quick.
slow() {
    [ -z "${QUICK-}" ] || skip "not in make quick"
}

# Skips where the data sets are missing.
need_data() {
    [ -d "$DATA/$1" ] || skip "no ../shared/data/$1 here: the README says where to get it"
}

# Skips under the sanitizers (make check SAN=1), which change what a program is made of.
not_sanitized() {
    if grep -q __asan_init "$ROOT/bin/rankpipe"; then skip "not under the sanitizers: $1"; fi
}

# For tests that limit memory by ulimit -v.
needs_limits() {
    not_sanitized "they map terabytes, to use little of them, and ulimit -v lets them have none"
}

# fails STATUS PATTERN COMMAND...: exits with the status, says the pattern (a glob) on stderr.
fails() {
    fails_on /dev/null "$@"
}

# fails_on FILE STATUS PATTERN COMMAND...: the same with standard input from a file.
fails_on() {
    local file=$1 want=$2 pattern=$3 got=0
    shift 3
    "$@" >out 2>err <"$file" || got=$?
    if [ "$got" != "$want" ]; then
        echo "exit $got, not $want: $*"
        cat err
        return 1
    fi
    # shellcheck disable=SC2254
    case $(<err) in
    $pattern) ;;
    *)
        echo "stderr is not '$pattern' but:"
        cat err
        return 1
        ;;
    esac
}

# refuses STATUS [COMMAND...] <table: each line "words | pattern" exits with the status, after COMMAND as the shell reads its
# words, prints nothing, and says the pattern after the name of its program: the line's first word, without COMMAND. All
# lines that do not are named.
refuses() {
    local want=$1 bad=0 line command pattern got said
    shift
    while IFS= read -r line; do
        case $line in '' | '#'*) continue ;; esac
        command="$* ${line%% | *}" pattern=${line#* | } got=0
        (eval "$command") >out 2>err </dev/null || got=$?
        said=$(<err)
        # shellcheck disable=SC2053
        if [ $got != "$want" ] || [ -s out ] || [[ ${said#*: } != $pattern || ($# = 0 && $said != "${line%% *}: "*) ]]; then
            echo "$command: exit $got, not $want, or it does not say '$pattern' but:"
            cat out err
            bad=1
        fi
    done
    [ $bad = 0 ]
}

# resuming MODEL PATTERN: what update prints, as a pattern, if it continues a model and then fails.
resuming() {
    printf 'update: resuming from round [1-9]* of %s\n%s\n' "$1" "$2"
}

# is GOT EXPECTED: the two texts are equal.
is() {
    [ "$1" = "$2" ] || { printf -- '--- expected\n%s\n--- got\n%s\n' "$2" "$1" && return 1; }
}

# usage PROGRAM: its usage line as -h prints it, on one line.
usage() {
    "$1" -h | sed -n '/^$/q; s/^usage: //; p' | xargs
}

# rows PROGRAM: the options that -h explains, then the operand if there is one: lines of letter,
# value's name and text, separated by tabs; "-" for a letter or a name that is missing.
rows() {
    "$1" -h | awk '
        function finish() { if (row) print row; row = "" }
        /^$/ { finish(); part++ }
        part != 1 || /^$/ { next }
        /^   / { sub(/^ +/, " "); row = row $0; next }
        {
            finish()
            name = /^  -. [^ ]/ ? $2 : /^  -/ ? "-" : $1
            letter = /^  -/ ? substr($1, 2) : "-"
            sub(/^  [^ ]+( [^ ]+)?  +/, "")
            row = letter "\t" name "\t" $0
        }'
}

# mkstream WORD...: a stream made by hand (tests/shim/mkstream.c).
mkstream() {
    "$ROOT/build/tests/shim/mkstream" "$@"
}

# uncrc < stream: the stream without crc=, which must be there and right (tests/shim/uncrc.c).
uncrc() {
    "$ROOT/build/tests/shim/uncrc" "$@"
}

# spooled FOLDER...: the rounds of logs, also of files that are being written, as one stream.
spooled() {
    local files
    mapfile -t files < <(find "$@" -maxdepth 1 -name '*.bin' -o -name '*.open' | LC_ALL=C sort)
    if [ ${#files[@]} = 0 ]; then echo 'rankpipe/1 end rounds=0 bytes=0'; else salvage -p "${files[@]}" 2>/dev/null; fi
}

# spooled_last FOLDER: the number of its last round, 0 where there is none.
spooled_last() {
    spooled "$1" | values_of t | tail -n 1 | grep . || echo 0
}

# narrow BITS < stream: its rounds with features of 8 or 16 bits (tests/shim/compact.py).
narrow() {
    python3 "$ROOT/tests/shim/compact.py" "$@"
}

# values_of NAME < stream: the values of a key or a column of its rounds, one a line.
values_of() {
    bin2txt -f values | awk -F '\t' -v name="$1" '$4 == name { print $5 }'
}

# same A B: the two files hold the same bytes.
same() {
    cmp "$1" "$2"
}

# need_german: LC_ALL, a locale with a decimal comma, for what follows; skips where none can be made.
need_german() {
    command -v localedef >/dev/null || skip "no localedef here"
    [ -e "$BATS_RUN_TMPDIR/de_DE.UTF-8/LC_NUMERIC" ] || localedef -i de_DE -f UTF-8 "$BATS_RUN_TMPDIR/de_DE.UTF-8" 2>/dev/null ||
        skip "no source of the locale de_DE here (Debian package: locales)"
    export LOCPATH=$BATS_RUN_TMPDIR
    [ "$(LC_ALL=de_DE.UTF-8 locale decimal_point)" = , ] || skip "the C library here has no locales"
}

# alike COMMAND...: it leaves the same files, and the same output, with a decimal comma as with a point.
alike() {
    need_german
    for locale in C de_DE.UTF-8; do
        mkdir "$locale"
        (cd "$locale" && LC_ALL=$locale "$@") >"$locale.out" || { cat "$locale.out" && return 1; }
    done
    diff -r -x '*.gz' -x ring -x owned -x joblog C de_DE.UTF-8
    cmp C.out de_DE.UTF-8.out
}

# A few small queries as text: labels of five grades, three features, dense and sparse.
small_text() {
    cat <<'TEXT'
2 qid:a 1:0.5 2:1 3:0.25
0 qid:a 1:0.25 2:0 3:1
1 qid:a 1:1 2:0.5 3:0.125
0 qid:b 1:0.75 2:0.5 3:1
3 qid:b 1:0 2:1 3:0
0 qid:c 2:1
0 qid:c 3:0.5
TEXT
}
