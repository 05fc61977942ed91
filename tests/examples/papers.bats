# The papers' tables and figures: examples/papers makes them, whole or not at all, and they show what
# its page says. The runs here are shorter than the page's, except for Tables 2 and 3.
load ../helper

PAPERS=$ROOT/examples/papers

need_gnuplot() {
    command -v gnuplot || skip "no gnuplot here: it draws the pictures"
}

# papers TARGET...: make there, into ./out, with no more said than what was made.
papers() {
    make -s -C "$PAPERS" -j2 OUT="$PWD/out" "$@"
}

names() {
    make -s --no-print-directory -C "$PAPERS" names
}

# holds TABLE CONDITION: true of v["panel", "series", "x"], and of first[] and last[] by panel and
# series, and slope(), that of a series in logarithms.
holds() {
    awk -F '\t' '
        function slope(p, s) {
            return log(last[p, s] / first[p, s]) / log(to[p, s] / from[p, s])
        }
        /^#/ || !head++ { next }
        !(($1, $2) in first) { first[$1, $2] = $4; from[$1, $2] = $3 }
        { v[$1, $2, $3] = last[$1, $2] = $4; to[$1, $2] = $3 }
        END { if (!('"$2"')) { print "not so: '"${2//\"/\\\"}"'"; exit 1 } }' "out/$1.tsv" || {
        grep -v '^#' "out/$1.tsv" | awk -F '\t' '{ last[$1 FS $2] = $0 } END { for (i in last) print last[i] }'
        return 1
    }
}

@test "make help names what can be made" {
    papers help >help
    for target in $(sed -n 's/^ make \([a-z-]*\) .*/\1/p' help | grep -v '^-'); do
        papers -n "$target" >/dev/null
        echo "$target"
    done >targets
    [ "$(wc -l <targets)" -ge 6 ]
}

@test "quick makes every table and picture, and a second make nothing" {
    in_release
    need_gnuplot
    papers quick
    for name in $(names); do
        echo "$name"
        [ -s "out/$name.tsv" ]
        [ -s "out/$name.md" ] || { [ -s "out/$name.png" ] && [ "$(wc -c <"out/$name.svg")" -lt 60000 ]; }
    done
    [ -z "$(find out -name '*.new*')" ]
    again=$(papers quick)
    echo "$again"
    [ -z "$again" ]
}

@test "a picture of what stands in for data says so" {
    need_gnuplot
    papers SIZE=quick wang2015-figure2 ct2016-figure1-schedule wang2015-table2
    grep 'synth in place of MQ2008' out/wang2015-figure2.svg
    grep 'synth in place of MSLR' out/ct2016-figure1-schedule.svg
    grep 'synth in place of MQ2008' out/wang2015-table2.md
}

@test "a make that was interrupted leaves no half file, and the next one goes on" {
    need_gnuplot
    papers SIZE=quick ct2015-figure2 ct2016-figure1-best perceptrons-figure1 wang2015-table3
    mv out whole
    for signal in INT TERM KILL; do
        for seconds in 0.2 0.8; do
            [ "$STRIDE" = 1 ] || [ $signal.$seconds = INT.0.2 ] || [ $signal.$seconds = KILL.0.8 ] || continue
            timeout -s $signal $seconds make -s -C "$PAPERS" -j2 OUT="$PWD/out" SIZE=quick \
                ct2015-figure2 ct2016-figure1-best perceptrons-figure1 wang2015-table3 || true
            for file in $(find out -type f ! -name '*.new*'); do
                cmp "$file" "whole/${file#out/}"
            done
        done
        rm -rf out
    done
    timeout -s KILL 0.5 make -s -C "$PAPERS" -j2 OUT="$PWD/out" SIZE=quick wang2015-table3 || true
    papers SIZE=quick wang2015-table3
    same out/wang2015-table3.md whole/wang2015-table3.md
}

@test "data that is not there is an error, in words" {
    fails 2 "*DATA=/nowhere has neither MQ2008/S1.txt nor MSLR/*.txt*" \
        make -s -C "$PAPERS" DATA=/nowhere OUT="$PWD/out" wang2015-table2
}

@test "a fixed list: the regret falls as T^(-1/3), with all seen as T^(-1/2)" {
    in_release # games.bats shows the same in make check
    need_gnuplot
    papers CT2015_ENDS='1000 4000 16000' ct2015-figure1 ct2015-figure2 ct2017-section4.1
    for k in 1 2 5 10; do
        holds ct2017-section4.1 'slope("ends of runs of t rounds", "seen: '$k'") < -0.26'
        holds ct2017-section4.1 'slope("ends of runs of t rounds", "seen: '$k'") > -0.40'
    done
    holds ct2015-figure2 'slope("ends of runs of t rounds", "seen: all") < -0.44'
    holds ct2015-figure2 'slope("ends of runs of t rounds", "seen: all") > -0.64'
    # and more seen is less regret
    p='"one run of 10000 rounds"'
    for pair in '1 2' '2 5' '5 10' '10 all'; do
        set -- $pair
        holds ct2017-section4.1 "last[$p, \"seen: $2\"] < last[$p, \"seen: $1\"]"
    done
}

@test "two games cannot be won from one answer a round, and another can" {
    in_release # as above
    need_gnuplot
    papers THEOREMS_ENDS='1000 16000' ct2016-theorem5.2 ct2015-theorem12 ct2015-theorem12-map
    for learner in squared ftpl; do
        holds ct2016-theorem5.2 'last["hopeless, the other law", "'$learner', 1 seen"] >= 0.0144'
        worst='(last["hopeless, one law", s] > 0.05 || last["hopeless, the other law", s] > 0.05)'
        holds ct2015-theorem12 "(s = \"$learner, 1 seen\") && $worst"
        worst='(last["hopeless, one law", s] >= 0.0208 || last["hopeless, the other law", s] >= 0.0208)'
        holds ct2015-theorem12-map "(s = \"$learner, 1 seen\") && $worst"
        for game in ct2016-theorem5.2 ct2015-theorem12 ct2015-theorem12-map; do
            holds $game 'slope("a game that can be won", "'$learner', 1 seen") < -0.1'
        done
    done
    for law in 'hopeless, one law' 'hopeless, the other law' 'a game that can be won'; do
        for learner in listnet ftpl; do
            holds ct2016-theorem5.2 'slope("'"$law"'", "'$learner', all seen") < -0.1'
            holds ct2015-theorem12-map 'slope("'"$law"'", "'$learner', all seen") < -0.1'
        done
        holds ct2015-theorem12 'slope("'"$law"'", "ftpl, all seen") < -0.1'
    done
}

@test "separable queries: the perceptrons stop making mistakes" {
    need_gnuplot
    papers SEPARABLE_SEEDS='1 2' SEPARABLE_ETAS='1e-2 1 10' perceptrons-figure1
    p='"synth separable"'
    for learner in 'slam, eta 10' 'minimax, eta 1e-2'; do
        holds perceptrons-figure1 "v[$p, \"$learner\", 10000] < 0.001"
        holds perceptrons-figure1 "log(v[$p, \"$learner\", 10000] / v[$p, \"$learner\", 200]) / log(50) < -0.9"
    done
    holds perceptrons-figure1 "v[$p, \"listnet, eta 1e-2\", 10000] > 10 * v[$p, \"slam, eta 10\", 10000]"
}

@test "liblinear takes longer than solar2, where it is installed" {
    command -v liblinear-train || skip "no liblinear here (Debian: liblinear-tools)"
    not_sanitized "liblinear itself has none to slow it down"
    need_gnuplot
    papers SIZES=300 SVM_SIZES=300 wang2015-figure3
    holds wang2015-figure3 'v["synth", "batch pairwise SVM (liblinear)", 300] > v["synth", "solar2", 300]'
}

@test "real queries: Tables 2 and 3 are the page's, and as near to the paper's as it says" {
    in_release
    need_data MQ2008
    papers DATA="$DATA" wang2015-table2 wang2015-table2-relevant wang2015-table3
    while read -r row; do
        echo "$row"
        grep -qxF "$row" "$PAPERS/README.md"
    done < <(cat out/wang2015-table2.md out/wang2015-table2-relevant.md out/wang2015-table3.md)
    near() { # table, its last columns, tolerance, rows
        awk -F '\t' -v columns="$2" -v within="$3" -v rows="$4" '
            BEGIN { n = split(rows, name, " "); for (i in name) asked[name[i]] }
            $1 in asked {
                for (i = NF - columns + 1; i <= NF; i++)
                    if ($i == "-" || $i > within || -$i > within) bad = 1
                met++
            }
            END { exit bad || met != n }' "out/$1.tsv"
    }
    near wang2015-table2 3 0.007 'prank-pair committee solar1 solar2'
    near wang2015-table2-relevant 2 0.007 prank
    near wang2015-table3 3 0.010 'solar1 solar2'
}

@test "real queries: from all labels and from the top of the list, as the page says" {
    in_release
    need_data MQ2008
    need_data MSLR
    need_gnuplot
    papers DATA="$DATA" CT2016_T=10000 CT2016_EACH=1000 CT2016_FRESH=2 CT2016_ETAS='1e-6 1e-5' \
        CT2016_GAMMAS=0.1 CT2016_BALLS=1 CT2016_PASSES='1 8 64' \
        PERCEPTRONS_T=5000 PERCEPTRONS_ETAS='1e-3 1e-2' \
        ct2016-figure1-best ct2016-theorem4.1 perceptrons-figure3
    for learner in squared kl ranksvm; do
        holds ct2016-figure1-best "last[\"MQ2008\", \"$learner\"] > last[\"MQ2008\", \"random\"] + 0.05"
        holds ct2016-figure1-best "last[\"MQ2008\", \"$learner\"] < last[\"MQ2008\", \"listnet\"]"
    done
    for learner in squared kl; do
        holds ct2016-theorem4.1 "slope(\"MQ2008, eta = 0.01 T^(-2/3)\", \"$learner\") > 0.55"
        holds ct2016-theorem4.1 "slope(\"MQ2008, eta = 0.01 T^(-2/3)\", \"$learner\") < 0.85"
    done
    for data in MQ2008 'MSLR sample'; do
        awk -F '\t' -v data="$data" '$1 == data && $2 ~ /^slam,/ { slam = $4 }
            $1 == data && $2 ~ /^minimax/ { minimax = $4 }
            END { print slam, minimax; exit !(slam > minimax + 0.01) }' out/perceptrons-figure3.tsv
    done
}

# rows PAPER...: the rows of results.tsv, each once.
rows() {
    for paper; do
        sed 1d "$PAPERS/results.tsv" | cut -f 1 | grep "^$paper-" | grep -v -e -figure -e -time | sort -u
    done | paste -sd ' '
}

@test "what the page says of the theorems of 2015 and 2017 holds in shorter runs" {
    in_release # in make check games.bats has the slopes, and `hold` is run on learning time
    papers SIZE=short MEASURED="$(rows ct2015 ct2017 zt2023)" hold
}

@test "what the page says of the perceptrons' theorems holds on every collection" {
    in_release
    need_data MQ2008
    papers SIZE=short DATA="$DATA" MEASURED="$(rows perceptrons)" hold
    [ ! -d "$DATA/lambdarank" ] || [ -s out/bounded.lambdarank.slam.ndcg ]
}

@test "what the page says of the paper of 2016 holds in shorter runs" {
    in_release
    need_data MQ2008
    need_data MSLR
    papers SIZE=short DATA="$DATA" MEASURED="$(rows ct2016) ct2016-figure1" hold
}

@test "what the page says of SOLAR holds in shorter runs, on real queries" {
    in_release
    need_data MQ2008
    papers SIZE=short DATA="$DATA" MEASURED="$(rows wang2015) wang2015-figure2" hold
}

@test "learning time grows with the number of queries, about in proportion" {
    not_sanitized "times are the compiler's then"
    papers SIZE=short MEASURED=wang2015-figure3 hold
}

@test "which rates are possible: the games of up to four items, exactly, and the line that decides" {
    command -v python3 >/dev/null || skip "no python3 here"
    for words in measure=sumloss 'measure=prec items=3' 'measure=dcg items=3 k=2' 'measure=dcg items=x'; do
        # shellcheck disable=SC2086
        fails 2 '*observability measure=sumloss items=3*' "$PAPERS/observability" $words
    done
    rm out
    papers MEASURED="zt2023-lists zt2023-cut zt2023-last $(rows ct2015 | tr ' ' '\n' | grep -E 'lemma(2|3|11)|theorem[14]$')" hold
    is "$("$PAPERS/observability" measure=prec@2 items=4 | paste -sd ' ' | tr '\t' ' ')" \
        'global 1 pareto 6 rankings 24 classes 6 neighbours 12 meeting 12 local 12 rate T^(1/2) enough 1'
    is "$("$PAPERS/observability" measure=map items=3 seen=2 | sed -n 6,8p | paste -sd ' ' | tr '\t' ' ')" 'meeting 15 local 6 rate T^(2/3)'
    is "$("$PAPERS/observability" measure=sumloss items=3 table=1 | head -n 2 | tail -n 1 | tr '\t' ' ')" '0 2 3 5 1 3 4 6'
    is "$("$PAPERS/observability" measure=ndcg items=3 seen=2 grades=2 | tail -n 2 | paste -sd ' ' | tr '\t' ' ')" 'rate T enough -'
    [ "$STRIDE" != 1 ] || "$PAPERS/observability" thresholds
}

# claim ID-OF-PAPER NAME...: the table has a row for each.
claim() {
    local paper=$1
    shift
    for name; do
        sed 1d "$PAPERS/claims.tsv" | grep "^$paper-" | cut -f 2 | grep -qw -- "$name" ||
            { echo "$paper: no row for $name" && return 1; }
    done
}

@test "every theorem, lemma, table and figure of the papers has a row, and each row says what came" {
    claim ct2015 'Table 1' 'Table 2' 'Theorem 1' 'Lemma 2' 'Lemma 3' 'Theorem 4' 'Corollary 5' \
        'Corollary 6' 'Theorem 7' 'Lemma 8' 'Theorem 9' 'Theorem 10' 'Lemma 11' 'Theorem 12' \
        'Figure 1' 'Figure 2'
    claim ct2016 'Lemma 1' 'Lemma 2' 'Lemma 3' 'Lemma 4' 'Lemma 5' 'Theorem 4.1' 'Theorem 5.1' \
        'Theorem 5.2' 'Table 1' 'Figure 1'
    claim ct2017 'Theorem 1' 'Lemmas 2 and 3' 'Theorem 4' 'Theorem 7' 'Lemma 12' 'Theorem 13' \
        'section 4.1' 'section 4.2'
    claim perceptrons 'Theorem 1' 'Corollary 2' 'Lemma 3' 'Theorem 4' Proposition 'Lemma 5' \
        'Theorem 6' 'Corollary 7' 'Theorem 8' 'Theorem 9' 'Theorem 10' 'Corollary 11' 'Figure 1' \
        'Figure 2' 'Figure 3'
    claim wang2015 'Proposition 1' 'Proposition 2' 'Lemma 4.1' 'Theorem 1' 'Theorem 2' 'Theorem 3' \
        'Theorem 4' 'Table 1' 'Table 2' 'Table 3' 'Figure 1' 'Figure 2' 'Figure 3'
    claim zt2023 'Precision@n' SumLoss 'DCG@n'
    [ -z "$(cut -f 1 "$PAPERS/claims.tsv" | sort | uniq -d)" ]
    awk -F '\t' 'NR > 1 && (NF != 7 || $3 == "" || $4 == "" || $5 == "" ||
        $6 !~ /^(yes|partly|no|not run|as there)$/ || ($6 !~ /^(yes|as there)$/ && $7 == "")) {
            print "not filled in: " $0; bad = 1 } END { exit bad }' "$PAPERS/claims.tsv"
    # what is measured is a claim, and a test that is named exists
    sed 1d "$PAPERS/results.tsv" | cut -f 1 | sort -u >measured
    [ "$(wc -l <measured)" -ge 40 ]
    while read -r id; do cut -f 1 "$PAPERS/claims.tsv" | grep -qx "$id"; done <measured
    for test in $(cut -f 4 "$PAPERS/claims.tsv" | sed -n 's/.*make check T=\([a-z]*\).*/\1/p' | sort -u); do
        ls "$ROOT"/tests/*/"$test.bats"
    done
}

@test "the page has the claims of claims.tsv with the numbers of results.tsv" {
    papers check-page
}

@test "a cell that is not what came is named, with its tolerance" {
    printf '%s\n' '| a | x | share |' '|---|---|---|' '| r | 0.501 +- 0.1 | 50 +- 1 % |' >t.md
    printf '%s\n' '<!-- t 0.002 -->' '| a | x | share |' '|---|---|---|' >head
    (cat head; echo '| r | 0.5025 +- 0.2 | 50 +- 2 % |') >page
    "$PAPERS/cells" -v out=. page
    (cat head; echo '| r | 0.504 +- 0.1 | 50 +- 1 % |') >page
    fails 1 '' "$PAPERS/cells" -v out=. page
    is "$("$PAPERS/cells" -v out=. page || true)" 'page:4: r: the page has 0.504 +- 0.1, t has 0.501 +- 0.1'
    cat head >page
    fails 1 '' "$PAPERS/cells" -v out=. page
    echo 'no table' >page
    fails 1 '' "$PAPERS/cells" -v out=. page
    # a block of text
    printf 'learner mean\nridge 0.47\nkl 0.48\nlistnet 0.5\n' >table.txt
    printf 'text\n\n    learner mean\n    kl 0.4803\n\nmore\n' >page
    "$PAPERS/cells" -v made=table.txt -v tolerance=0.0005 page
    fails 1 '' "$PAPERS/cells" -v made=table.txt -v tolerance=0.0001 page
    sed 's/kl/lk/' page >other
    fails 1 '' "$PAPERS/cells" -v made=table.txt -v tolerance=0.0005 other
}

@test "each collection of LETOR that is found gets tables beside the paper's rows" {
    mkdir -p data/OHSUMED data/HP2003
    for i in 1 2 3 4 5; do
        synth -b $((10 * i)) -n $((10 * i + 9)) -l 12 -d 45 -L 2 linear | bin2txt -f svm >data/OHSUMED/S$i.txt
        mkdir data/HP2003/Fold$i
        synth -b $((10 * i)) -n $((10 * i + 9)) -l 12 -d 64 -L 1 linear | bin2txt -f svm \
            >data/HP2003/Fold$i/testset.txt
    done
    papers SIZE=quick DATA="$PWD/data" wang2015-table1 wang2015-table2.OHSUMED wang2015-table3.HP2003 \
        wang2015-more.HP2003
    grep -F '| OHSUMED | 50 | 45 | 12.00 | 106 | 45 | 152.26 |' out/wang2015-table1.md
    grep '^| solar2 |.*| 0.5352 | 0.4635 | 0.4461 |' out/wang2015-table2.OHSUMED.md
    grep '^| solar1 |.*| 0.7067 | 0.8036 | 0.8056 |' out/wang2015-table3.HP2003.md
    grep '^| RankBoost | - .*| 0.6667 | 0.8034 | 0.8171 |' out/wang2015-table3.HP2003.md
    grep '^| solar2-list | 0\.' out/wang2015-more.HP2003.md
    # part 5 of a collection in folds is what fold 1 tests on
    cmp out/HP2003-S5.bin <(svm2bin -d 64 data/HP2003/Fold1/testset.txt)
}

@test "a claim that does not hold, or was not measured, is named" {
    printf 'id\tname\tvalue\ttolerance\tlow\thigh\na\tx\t1\t0.1\t0\t2\na\ty\t1\t0\t-\t1\n' >results
    printf 'x\t2.5\n' >a.values
    fails 1 '' "$PAPERS/check" -v by=range results a.values
    "$PAPERS/check" -v by=range results a.values >said || true
    is "$(cat said)" "a x: 2.5 is not in 0 to 2
a y: was not measured"
    # and by tolerance, a value, and its standard error
    printf 'id\tname\tvalue\terror\ttolerance\tlow\thigh\na\tx\t1\t0.5\t0.1\t-\t-\na\ty\t1\t-\t0.1\t-\t-\n' >results
    printf 'x\t1.1\t0.6\ny\t1\n' >a.values
    "$PAPERS/check" -v by=tolerance results a.values
    printf 'x\t1\t0.7\ny\t1\t0.1\n' >a.values
    is "$("$PAPERS/check" -v by=tolerance results a.values || true)" "a x: stated error 0.5, measured 0.7, tolerance 0.1
a y: stated error -, measured 0.1, tolerance 0.1"
}

@test "estimate and draws: means and slopes over seeds, with standard errors by hand" {
    # means 3 and 12: a slope of log(4) / log(10); of the second, values 10 and 14, an error of 2
    printf 'k\tT\tseed\ty\na\t10\t1\t2\na\t10\t2\t4\na\t100\t1\t10\na\t100\t2\t14\nb\t100\t1\t9\n' >runs
    is "$("$PAPERS/estimate" -v name=n -v of=y -v x=T -v where=k=a runs)" $'n\t12\t2'
    is "$("$PAPERS/estimate" -v name=n -v of=y -v x=T -v where=k=a -v at=10 -v over=2 runs)" $'n\t1.5\t0.5'
    # without one seed the slopes are log(14 / 4) and log(10 / 2), over log(10): half their difference
    is "$("$PAPERS/estimate" -v name=n -v of=y -v x=T -v where=k=a -v slope=1 runs)" $'n\t0.6021\t0.077'
    printf 'a\t1\nb\t5\n' >one
    printf 'a\t3\nb\t5\n' >two
    is "$("$PAPERS/draws" -v prefix=p- one two)" $'p-a\t2\t1\np-b\t5\t0'
    is "$("$PAPERS/draws" -v of=b one two)" $'b\t5\t0'
    fails 1 'draws: no line of c' "$PAPERS/draws" -v of=c one two
}

# seeds_of SHIFT: the seeds in the recipes of what results.tsv states.
seeds_of() {
    make -s -C "$PAPERS" -nB -o ../../bin/rankpipe SHIFT="$1" OUT=out SIZE=quick values | grep -v LIBLINEAR |
        grep -oE "seed='[0-9 ]+'|-s [0-9]+ [^-]|srand\([0-9]+\)" | sort -u
}

@test "SHIFT: every run with users or draws has other seeds" {
    seeds_of 0 >first
    seeds_of 100 >second
    [ "$(wc -l <first)" -ge 4 ]
    [ "$(wc -l <first)" = "$(wc -l <second)" ]
    [ -z "$(comm -12 first second)" ]
}

@test "the page shows every picture and table, and the README shows one and leads to the page" {
    for name in $(names); do
        echo "$name"
        grep -q "^<!-- $name [0-9.]* -->\$" "$PAPERS/README.md" && continue # a table
        grep -qF "](figures/$name.svg)" "$PAPERS/README.md"
    done
    sed -n 's/^!\[.*\](\(.*\.svg\))$/\1/p' "$ROOT/README.md" >pictures
    [ -s pictures ]
    grep -qF '](examples/papers/README.md)' "$ROOT/README.md"
    while read -r picture; do [ -s "$ROOT/$picture" ]; done <pictures
}

@test "make mslr: the table of learners on a collection, the same where it was killed and continued" {
    command -v python3 || skip "no python3 here"
    mkdir -p parts/Fold{1,2,3,4,5} set
    awk '$2 != q { q = $2; n++ } n <= 100 { print >("parts/Fold" n % 5 + 1 "/test.txt") }' "$ROOT/examples/data/small.svm"
    cp parts/Fold1/test.txt set/set1.test.txt
    cp parts/Fold2/test.txt set/set1.train.txt
    run papers mslr SIZE=quick
    [ "$status" != 0 ] && [[ $output == *'mslr: DATA=folder needs Fold1'* ]]
    setsid bash -c 'echo $$ >pid && exec "$@"' killed make -s -C "$PAPERS" mslr SIZE=quick OUT="$PWD/out" \
        DATA="$PWD/parts" MSLR_LEARNERS='memory kl' >/dev/null 2>&1 3>&- &
    for _ in {1..600}; do
        [ "$(find out/mslr/rows -type f 2>/dev/null | wc -l)" -lt 12 ] || break
        sleep 0.05
    done
    kill -KILL -- "-$(cat pid)"
    wait $! || true
    sleep 0.5 # the runs of the one that was killed end by themselves
    papers mslr SIZE=quick DATA="$PWD/parts" MSLR_LEARNERS='memory kl' 2>said
    grep -q 'runs are finished in .*, and kept' said
    mv out/mslr out/mslr.txt .
    papers mslr SIZE=quick DATA="$PWD/parts" MSLR_LEARNERS='memory kl'
    same mslr.txt out/mslr.txt
    same mslr/table.tsv out/mslr/table.tsv
    is "$(ls out/mslr/rows | grep -c 'kl.fold3.seed[12]')" 2
    rm -r out
    papers mslr SIZE=quick DATA="$PWD/set" MSLR_LEARNERS=ridge
    grep -q '^listnet' out/mslr.txt
}

@test "best-w finds the weights of least loss in the ball, to the gap that it prints" {
    command -v python3 || skip "no python3 here"
    synth -n 60 linear >q.bin
    synth -n 20 noisy-binary >items.bin
    printf '%s\n' '2 qid:1 1:1 2:0' '1 qid:1 1:.5 2:1' '0 qid:1 1:.9 2:.8' '0 qid:1 1:2 2:1' '3 qid:2 1:.1 2:.9' \
        '0 qid:2 1:.3 2:.3' '0 qid:2 1:.4 2:.9' '1 qid:2 1:.2 2:1' '0 qid:3 1:1 2:1' '0 qid:3 1:2' | svm2bin >untied.bin
    for loss in squared kl listnet squared-ndcg ranksvm minimax slam-ap slam; do
        files='q items'
        case $loss in slam) files=untied ;; slam-ap) files='q untied' ;; esac
        for file in $files; do
            python3 "$PAPERS/best-w" $file.bin $loss 2 >best 2>said
            value=$(sed -n 's/^best-w: loss \([^,]*\), .*/\1/p' said) gap=$(sed -n 's/.* gap \([^,]*\), .*/\1/p' said)
            score -m best <$file.bin | metric loss:$loss | tail -n 1 |
                awk -v v="$value" '{ d = $2 - v; exit !(d < 1e-6 * v && d > -1e-6 * v) }'
            awk -v v="$value" -v g="$gap" 'BEGIN { exit !(g <= 1e-4 * v) }'
            for seed in 1 2 3; do # no other weights of the ball have less
                bin2txt best | awk -v seed=$seed '$1 == "w" { w[n++] = $NF } END { srand(seed)
                    for (i = 0; i < n; i++) { w[i] += 0.1 * (rand() - 0.5); l += w[i] * w[i] }
                    for (i = 0; i < n; i++) print i + 1, w[i] * (l > 4 ? 2 / sqrt(l) : 1) }' | weights2bin >other
                score -m other <$file.bin | metric loss:$loss | tail -n 1 |
                    awk -v v="$value" -v g="$gap" '{ exit !($2 >= v - g - 1e-6 * v) }'
            done
        done
    done
    fails 1 'usage: best-w*' python3 "$PAPERS/best-w" q.bin solar1 2
    fails 1 'best-w: slam is not convex where documents have the same grade*' python3 "$PAPERS/best-w" q.bin slam 2
    fails 1 'best-w: smoothdcg is not convex: *' python3 "$PAPERS/best-w" q.bin smoothdcg 2
}
