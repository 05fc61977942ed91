# The papers' tables and figures: examples/papers makes them, whole or not at all, and they show what
# its page says. The runs here are shorter than the page's, but for Tables 2 and 3.
load helper

PAPERS=$ROOT/examples/papers

need_gnuplot() {
    command -v gnuplot || skip "no gnuplot here: it draws the pictures"
}

# papers TARGET...: make there, into ./out, with no more said than what was made.
papers() {
    make -s -C "$PAPERS" -j2 OUT="$PWD/out" "$@"
}

names() {
    make -s -C "$PAPERS" names
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

@test "quick makes every table and picture, and a second make nothing" {
    need_gnuplot
    papers quick
    for name in $(names); do
        echo "$name"
        [ -s "out/$name.tsv" ]
        [ -s "out/$name.md" ] || { [ -s "out/$name.svg" ] && [ -s "out/$name.png" ]; }
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
        for seconds in 0.2 0.5 1 2; do
            timeout -s $signal $seconds make -s -C "$PAPERS" -j2 OUT="$PWD/out" SIZE=quick \
                ct2015-figure2 ct2016-figure1-best perceptrons-figure1 wang2015-table3 || true
            for file in $(find out -type f ! -name '*.new*'); do
                cmp "$file" "whole/${file#out/}"
            done
        done
        rm -r out
    done
    timeout -s KILL 1 make -s -C "$PAPERS" -j2 OUT="$PWD/out" SIZE=quick wang2015-table3 || true
    papers SIZE=quick wang2015-table3
    same out/wang2015-table3.md whole/wang2015-table3.md
}

@test "data that is not there is an error, in words" {
    fails 2 "*DATA=/nowhere has neither MQ2008/S1.txt nor MSLR/*.txt*" \
        make -s -C "$PAPERS" DATA=/nowhere OUT="$PWD/out" wang2015-table2
}

@test "a fixed list: the regret falls as T^(-1/3), with all seen as T^(-1/2)" {
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
        holds ct2017-section4.1 "last[$p, \"seen: $2\"] < 0.8 * last[$p, \"seen: $1\"]"
    done
}
