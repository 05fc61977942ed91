# README.md tells the truth: its commands run and print what it says.
load ../helper

# column N of the row for round T of the ring's table
cell() {
    awk -v t="$1" -v n="$2" '$1 == t { print $n }' table
}

# at_least A B: A >= B as numbers
at_least() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a >= b) }'
}

teardown() { # what a door has started and a failed test has left
    [ -z "${door-}" ] || { kill -TERM -- "-$door" && wait "$door"; } 2>/dev/null || true
}

@test "make ring: one answer a round learns most of what all the labels teach, and the README shows it" {
    make -s -C "$ROOT" ring >table </dev/null
    cat table
    at_least 0.46 "$(cell 50000 2)" # random
    at_least "$(cell 50000 2)" 0.43
    at_least "$(cell 50000 3)" 0.95 # one answer a round
    at_least "$(cell 50000 4)" 0.87 # all the labels
    at_least "$(cell 50000 3)" "$(cell 1000 3)"
    grep -q '^# rankpipe/1 model crc=[0-9a-f]* learner=memory rounds=50000 ' table
    grep -qxF "    $(grep '^ *50000 ' table)" "$ROOT/README.md"
}

@test "examples/data/small.svm, which make makes, has the same bytes on every machine" {
    is "$(cksum <"$ROOT/examples/data/small.svm")" '2974362717 422050'
}

# block SECTION [FILE]: the commands of a section of README.md, or of another file ("": before the
# first section).
block() {
    awk -v name="$1" '
        /^## / { at = substr($0, 4) }
        at == name && /^    ([a-z]+|[A-Z]+=)/ || more && at == name { print substr($0, 5); more = /\|$/ }
        ' "$ROOT/${2:-README.md}" | sed '/ -> /,$d' # the picture is no command
}

@test "the README's way from the sources to a model judged on held-out queries of one's own" {
    # Sources as they are, and what is built of them, so that make has little to do.
    (cd "$ROOT" && tar -cf - LICENSE Makefile README.md bin build/flags build/lib build/cmd cmd \
        examples lib man package tests) | tar -xf -
    block Install | grep -v install >commands
    [ "$(grep -c '^make\|^PATH=' commands)" = 3 ]
    block 'Your own data, to a held-out number' | grep -v '^rankpipe' >>commands # other tests have these
    [ "$(grep -c '^cp\|^awk\|^svm2bin\|^replay\|^score\|^bin2txt\|^mkfifo' commands)" = 12 ]
    # Only the system's own programs, until the README says where these are.
    PATH=/usr/local/bin:/usr/bin:/bin bash -e -o pipefail commands >table 2>err
    cat table err
    is "$(cat err)" 'update: resuming from round 50000 of top1.bin'
    head -n 1 ranked.tsv | grep -E $'^1\t[^\t]+\t1\t'
    grep '^# rankpipe/1 model crc=[0-9a-f]* learner=listnet rounds=50000 ' table
    # ListNet and one label a round, on queries that they never saw: the numbers of the page.
    grep '^48[[:space:]]0\.' table | sed 's/\t/  /g' >have
    block 'Your own data, to a held-out number' | sed -n 's/.*# 48  */48  /p' | sed 's/   */  /g' >want
    [ "$(wc -l <want)" = 2 ]
    same have want
    while read -r _ ndcg _; do at_least "$ndcg" 0.85; done <have

    # The second run continues the first: the bytes of one run of 100,000 rounds.
    PATH=$PWD/bin:$PATH loop "replay -n 100000 -s 1 train.bin | score -f ring | explore | feedback-mask -k 1 |
        update -f ring -m straight.bin"
    same top1.bin straight.bin

    # And the pipe of "How it works", in the same folder, through the same ring.
    block 'How it works' >commands
    [ "$(grep -c '^svm2bin' commands)" = 1 ]
    PATH=$PWD/bin:$PATH bash -e -o pipefail commands >out 2>err
    cat out err
    [ ! -s err ]
    [ -s curve.tsv ]
    bin2txt w.bin | grep '^# rankpipe/1 model crc=[0-9a-f]* learner=memory '
}

@test "the README shows the table that rankpipe train prints" {
    command -v python3 || skip "no python3 here"
    ln -s "$ROOT/examples" examples
    block 'Your own data, to a held-out number' | sed '/^rankpipe train/q' >commands
    [ "$(wc -l <commands)" = 3 ]
    bash -e commands >table
    cat table
    [ "$(grep -c '^random\|^memory ' table)" = 5 ]
    rows() { sed -n '/^ *learner  *labels/,/^$/p' "$1" | sed '/^$/d; s/^ *//'; }
    [ "$(rows table | wc -l)" = 3 ]
    is "$(rows "$ROOT/README.md" | head -n 3)" "$(rows table)"
    [ -s train.out/table.tsv ]
}

# door NAME: the commands of a door of the README, but make, in this folder, where the examples are.
door() {
    ln -sfn "$ROOT/examples" examples
    ln -sfn "$ROOT/bin" bin
    block "$1" | grep -E '^(PATH=|sh |python3 |rankpipe |svm2bin |update |bin/)' >commands
    cat commands
    [ "$(wc -l <commands)" -ge 1 ] && [ "$(wc -l <commands)" -le 3 ]
}

# shows URL TEXT: the page has it, some time after the commands were started.
shows() {
    for _ in $(seq 900); do
        ! curl -sf "$1" 2>/dev/null | grep -q "$2" || return 0
        sleep 0.1
    done
    cat door.err
    return 1
}

@test "the README's door: a search page over a folder" {
    for tool in python3 curl; do command -v $tool >/dev/null || skip "no $tool here"; done
    door 'A search page over your folder'
    if [ "$STRIDE" != 1 ]; then # all manual pages take a minute
        mkdir pages
        echo 'a file' >pages/one
        sed -i "s,/usr/share/man,$PWD/pages," commands
    fi
    HOME=$PWD bash -e commands >door.out 2>door.err 3>&- &
    shows http://127.0.0.1:8080/?q=file 'href="go?'
    pkill -TERM -P $! || true
    wait $! || true
}

@test "the README's door: behind a search box" {
    for tool in python3 curl; do command -v $tool >/dev/null || skip "no $tool here"; done
    door 'Behind your own search'
    mkdir box
    sed -n '/^    python3 - <<.END/,/^    END/s/^    //p' "$ROOT/examples/behind/README.md" >table
    bash -e table
    setsid bash -e commands >door.out 2>door.err 3>&- &
    door=$!
    shows 'http://127.0.0.1:8081/?q=password' 'passwd(1)</a>'
    for _ in $(seq 300); do ! curl -sf http://127.0.0.1:8080/health >/dev/null || break; sleep 0.1; done
    place() { curl -sf 'http://127.0.0.1:8081/?q=password' | grep -o 'go[^"]*">[^<]*' | sed -n '/chpasswd/='; }
    was=$(place)
    for _ in 1 2 3 4; do
        link=$(curl -sf 'http://127.0.0.1:8081/?q=password' | grep -o 'go[^"]*">[^<]*' | sed -n 's/&amp;/\&/g; s/">chpasswd.*//p')
        curl -sf "http://127.0.0.1:8081/$link" >/dev/null
    done
    for _ in $(seq 300); do [ "$(place)" = "$was" ] || break; sleep 0.1; done
    is "$(place)" "$((was - 1))" # one place, as clicks have said little yet
}

@test "the README's door: from a click log to a better ranker" {
    command -v python3 >/dev/null || skip 'no python3 here'
    python3 - "$ROOT/examples/data/small.svm" <<'END'
import json, random, sys
rng, lists = random.Random(1), {}
for line in open(sys.argv[1]):
    label, qid, *features = line.split("#")[0].split()
    lists.setdefault(qid[4:], []).append((int(label), features))
with open("candidates.svm", "w") as candidates, open("queries.json", "w") as queries, open("events.json", "w") as events:
    n = 0
    for qid, rows in lists.items():
        for i, (_, features) in enumerate(rows):
            print("0 qid:" + qid, *features, "# d%d" % i, file=candidates)
        for _ in range(20):
            n += 1
            order = sorted(range(len(rows)), key=lambda i: rng.random())[:8]
            print(json.dumps({"query_id": str(n), "user_query": qid, "query_response_hit_ids": ["d%d" % i for i in order]}), file=queries)
            for k, i in enumerate(order, 1):
                if rng.random() < (0.05, 0.3, 0.6, 0.8, 0.9)[min(rows[i][0], 4)] / k ** 0.5:
                    print(json.dumps({"query_id": str(n), "action_name": "click", "event_attributes": {
                        "object": {"object_id": "d%d" % i}}}), file=events)
END
    door 'From a click log to a better ranker'
    bash -e -o pipefail commands
    svm2bin "$ROOT/examples/data/small.svm" | score -m better.bin | explore | metric ndcg@10 | tail -n 1 >judged
    awk '$2 < 0.75 { exit 1 }' judged # random order has .43
}

@test "the README's door: a study" {
    command -v python3 >/dev/null || skip 'no python3 here'
    slow
    door 'A study'
    rm -rf "$ROOT/examples/data/small.out" # of another version, whose runs train does not take for its own
    bash -e commands >table
    rm -r "$ROOT/examples/data/small.out"
    grep -E '^ *memory  +1 ' table
    grep -E '^ *listnet  +all ' table
}

@test "the README's way to install, and to take it away again" {
    mkdir home
    block Install | grep 'install' >commands
    [ "$(wc -l <commands)" = 2 ]
    head -n 1 commands | (cd "$ROOT" && HOME=$BATS_TEST_TMPDIR/home sh -e)
    [ "$(home/.local/bin/score -V)" = "$(score -V)" ]
    tail -n 1 commands | (cd "$ROOT" && HOME=$BATS_TEST_TMPDIR/home sh -e)
    [ -z "$(find home ! -type d)" ]
}

@test "every command that README.md and HACKING.md print is one that a test runs" {
    # Commands: those in blocks of their own, by their first words, and those between the words.
    {
        awk '/^    (make|sh|bash|rankpipe) / {
                sub(/ #.*/, ""); print $1, $2, $2 == "-C" || $3 ~ /^(SAN|T)=/ ? $3 : ""
            }' "$ROOT/README.md" "$ROOT/HACKING.md"
        grep -oh '`\(make\|sh\|bash\|rankpipe\) [^`]*`' "$ROOT/README.md" "$ROOT/HACKING.md" | tr -d '`' |
            awk '{ print $1, $2, $2 == "-C" || $3 ~ /^(SAN|T)=/ ? $3 : "" }'
    } | sed 's/ *$//; s/ T=.*/ T=/' | LC_ALL=C sort -u >have
    # Not run by a test: make demo, whose program demo.bats runs; make check, quick and release-check, which run them; make bench and make load, which time;
    # make mutants, which takes an hour (mutants.bats tests its parts);
    # make crash, hosts, gate, hostile, regret, clicks and sales, which take minutes or hours (crash.bats and hosts.bats run two of them in short); make machine and make
    # deb-check, which download Debian; and make fuzz, which needs a clang with libFuzzer (fuzz.bats runs the targets on their corpus).
    cat >want <<'TEXT'
bash tests/promises/bytes
bash tests/promises/crash
bash tests/promises/kill
make
make -C examples/papers
make CPPFLAGS=-DPORTABLE
make bench
make boot
make check
make check SAN=1
make check T=
make clicks
make crash
make deb
make deb-check
make debug
make demo
make first-day
make fuzz
make gate
make help
make hostile
make hosts
make install
make load
make looks
make machine
make mutants
make quick
make regret
make release-check
make ring
make sales
make seen
make soak
make static
make test
make uninstall
make verdicts
rankpipe --format
rankpipe api
rankpipe help
rankpipe log
rankpipe plot
rankpipe service
rankpipe site
rankpipe sweep
rankpipe train
rankpipe up
sh examples/clicks
sh examples/mq2008
TEXT
    diff want have
    for script in tests/promises/bytes tests/promises/crash tests/promises/kill tests/promises/soak examples/papers \
        examples/clicks examples/firstday examples/games examples/known-item examples/mq2008 examples/serve \
        examples/solar; do
        grep -q "ROOT[}\"]*/$script" "$ROOT"/tests/*/*.bats
    done
}

@test "HACKING.md's way to look into a pipe prints a line for each round" {
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
    block 'Looking into a pipe' HACKING.md >commands
    [ "$(grep -c '^mkfifo\|^replay\|^bin2txt' commands)" = 3 ]
    bash -e -o pipefail commands >ranked 2>heads
    cut -f 1 ranked | uniq | paste -sd ' ' | grep -x '1 2 3'
    for _ in 1 2 3 4 5 6 7 8 9 10; do # bin2txt may end a moment after the pipeline
        [ "$(grep -c '^rankpipe/1 round t=[1-3] .*order:u4' heads)" = 3 ] && return
        sleep 0.5
    done
    cat heads
    return 1
}

@test "tests/README.md's example of a test passes" {
    sed -n '/^    @test/,/^    }/s/^    //p' "$ROOT/tests/README.md" >commands
    sed -i '1d; $d' commands
    . ./commands
    [ "$(wc -l <ranked.tsv)" = 7 ]
}
