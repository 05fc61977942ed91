# The examples do what the README says of them.
load ../helper

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

# block SECTION: the commands of a section of the README ("" is what stands before the first).
block() {
    awk -v name="$1" '
        /^## / { at = substr($0, 4) }
        at == name && /^    ([a-z]+|[A-Z]+=)/ || more && at == name { print substr($0, 5); more = /\|$/ }
        ' "$ROOT/README.md" | sed '/ -> /,$d' # the picture is none
}

@test "the README's five minutes: from the sources to a model learnt on a file of one's own" {
    # Sources as they are, and what is built of them, so that make has little to do.
    (cd "$ROOT" && tar -cf - LICENSE Makefile README.md bin build/flags build/lib build/cmd cmd \
        examples lib man package tests) | tar -xf -
    awk 'NR > 1000' examples/data/small.svm >q.svm
    block 'Five minutes' >commands
    [ "$(grep -c '^make\|^PATH=\|^svm2bin\|^replay\|^score\|^bin2txt' commands)" = 8 ]
    # Only the system's own programs, until the README says where these are.
    PATH=/usr/local/bin:/usr/bin:/bin bash -e -o pipefail commands >table 2>err
    cat table err
    [ ! -s err ]
    at_least "$(awk '$1 == "t" { on = 1 } on && $1 == 100 { print $2 }' table)" 0.8 # on what it saw
    head -n 1 ranked.tsv | grep -E $'^1\t[^\t]+\t1\t'
    grep '^# rankpipe/1 model learner=listnet rounds=20000 ' table

    # And one answer a round, as the top of the page has it, in the same folder.
    block '' >commands
    [ "$(grep -c '^mkfifo\|^svm2bin' commands)" = 2 ]
    PATH=$PWD/bin:$PATH bash -e -o pipefail commands >out 2>err
    cat out err
    [ ! -s err ]
    [ -s curve.tsv ]
    bin2txt w.bin | grep '^# rankpipe/1 model learner=kl '
}

@test "the README's way to install, and to take it away again" {
    mkdir home
    block Installing | grep 'install' >commands
    [ "$(wc -l <commands)" = 2 ]
    head -n 1 commands | (cd "$ROOT" && HOME=$BATS_TEST_TMPDIR/home sh -e)
    [ "$(home/.local/bin/score -V)" = "$(score -V)" ]
    tail -n 1 commands | (cd "$ROOT" && HOME=$BATS_TEST_TMPDIR/home sh -e)
    [ -z "$(find home ! -type d)" ]
}

@test "every command that the README prints is one that a test runs" {
    # Commands: those in blocks of their own, by their first words, and those between the words.
    {
        awk '/^    (make|sh|bash) / { sub(/ #.*/, ""); print $1, $2, $2 == "-C" ? $3 : "" }' "$ROOT/README.md"
        grep -o '`\(make\|sh\|bash\) [^`]*`' "$ROOT/README.md" | tr -d '`' |
            awk '{ print $1, $2, $2 == "-C" || $3 ~ /^SAN=/ ? $3 : "" }'
    } | sed 's/ *$//' | LC_ALL=C sort -u >have
    # Not run by a test: make check, which runs them; make bench, which times, and make fuzz, which
    # needs a clang with libFuzzer (fuzz.bats runs the targets on their corpus).
    cat >want <<'TEXT'
bash tests/promises/kill
make
make -C examples/papers
make bench
make check
make check SAN=1
make deb
make demo
make dist
make fuzz
make install
make soak
make static
make uninstall
sh examples/games
sh examples/live
sh examples/mq2008
sh examples/plot
sh examples/solar
sh examples/sweep
TEXT
    diff want have
    for script in tests/promises/kill tests/promises/soak examples/papers examples/games examples/live \
        examples/mq2008 examples/plot examples/solar examples/sweep; do
        grep -q "ROOT[}\"]*/$script" "$ROOT"/tests/*/*.bats
    done
}

@test "the README's commands for data of one's own work, and going on equals never stopping" {
    awk '$2 ~ /qid:q[0-9]*[02468]$/' "$ROOT/examples/data/small.svm" >train.svm
    awk '$2 ~ /qid:q[0-9]*[13579]$/' "$ROOT/examples/data/small.svm" >test.svm
    block 'Your own data' >commands
    [ "$(grep -c '^replay' commands)" = 3 ]
    bash -e -o pipefail commands >table
    at_least "$(awk '$1 == 120 { print $2 }' table)" 0.85 # ListNet, on queries it never saw

    replay -n 100000 -s 1 train.bin | score -f ring | explore -g 0.1 | feedback-mask -k 1 |
        update -a kl -e 1e-5 -U 1 -f ring -m straight.bin
    same top1.bin straight.bin
}
