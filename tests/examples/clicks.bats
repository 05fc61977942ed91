# Rankers learnt from simulated logs of clicks: the README's table in small.
# not tested: 100,000 clicks, which `sh examples/clicks` runs in some minutes.
load ../helper

# value CLICKS RULE COLUMN: of the table, times 10,000
value() {
    awk -F '\t' -v clicks="$1" -v rule="$2" -v column="$3" '$1 == clicks && $2 == rule { printf "%d\n", 10000 * $column + 0.5 }' table
}

@test "examples/clicks: each rule has its row, and the picture its line" {
    slow
    set -- -c 300 "$ROOT/examples/data/small.svm"
    command -v gnuplot >/dev/null && set -- -p picture.svg "$@"
    mkdir 'two words'
    TMPDIR="$PWD/two words" sh "$ROOT/examples/clicks" "$@" >table 2>err
    is "$(sed -n '2,8p' table | cut -f 1,2 | tr '\t' ' ')" '- logger
- all-labels
300 clicks
300 ips
300 policy-aware
300 coec
300 judge'
    [ "$(grep -c '^300' table)" = 6 ]
    if [ -e picture.svg ]; then for rule in clicks judge all-labels; do grep -F ">$rule<" picture.svg; done; fi
    fails 2 'clicks: no logger*' sh "$ROOT/examples/clicks" -l x y
    fails 2 'usage: clicks*' sh "$ROOT/examples/clicks"
}

@test "10,000 clicks of MQ2008: judge's labels rank the same queries, and teach rankers, as the README says" {
    in_release
    need_data MQ2008
    sh "$ROOT/examples/clicks" -c 10000 -r clicks -r coec -r judge "$DATA"/MQ2008/S?.txt >table
    cat table
    [ "$(value 10000 judge 3)" -ge 6100 ]
    [ "$(value 10000 judge 5)" -ge 4950 ]
    [ "$(value 10000 coec 3)" -le 5700 ]
    [ "$(value 10000 clicks 5)" -le 4700 ]
}
