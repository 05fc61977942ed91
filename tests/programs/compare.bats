# compare: tests of differences, query by query, against cases worked by hand, and what it reads.
load ../helper

# table NAME [MEASURE...] <<< lines: NAME.tsv as metric -q prints it; a line is "qid value ...".
table() {
    local name=$1
    shift
    { echo "t qid ${*:-ndcg@10}" && awk '{ print NR, $0 }'; } | tr ' ' '\t' >"$name.tsv"
}

# field NAME ROW <table: what compare -t prints in a column of a row.
field() {
    awk -F '\t' -v name="$1" -v row="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $1 == row { print $at[name] }'
}

@test "differences by query: means, interval, both p, better, worse and same, worked by hand" {
    printf '%s\n' '1 .1' '2 .2' '3 .3' '4 .4' | table a
    # differences .1 .2 0 .3: mean .15, variance (.0025 + .0025 + .0225 + .0225) / 3 = 1/60,
    # error sqrt(1/240), t(3) .05 = 3.18244630528; t = .15 sqrt(240) = 2.32379000772
    printf '%s\n' '4 .7' '3 .3' '2 .4' '1 .2' | table b
    is "$(compare a.tsv b.tsv)" "4 queries, ndcg@10, 100000 permutations, seed 1
run  mean    diff     95% interval     p      p(t)   Holm   better  worse  same
a    0.2500
b    0.4000  +0.1500  -0.0554 +0.3554  0.250  0.103  0.250  3       0      1"
    compare -t a.tsv b.tsv >got
    # of 8 choices of three signs, +++ and --- are as far from 0
    is "$(field p b <got)" 0.25
    is "$(field 'p(sign)' b <got)" 0.25
    # P(|T| >= t) for 3 degrees: 1 - 2/pi (atan(x) + x / (1 + x^2)), x = t / sqrt 3
    awk -v p="$(field 'p(t)' b <got)" -v low="$(field low b <got)" 'BEGIN {
        pi = atan2(0, -1); x = .15 * sqrt(240) / sqrt(3)
        want = 1 - 2 / pi * (atan2(x, 1) + x / (1 + x * x))
        exit !(p - want < 1e-12 && want - p < 1e-12 && low - (.15 - 3.18244630528 / sqrt(240)) < 1e-11 &&
            (.15 - 3.18244630528 / sqrt(240)) - low < 1e-11) }'
    is "$(field diff a <got)" nan
}

@test "Holm: corrected for the number of rankers" {
    seq 10 | sed 's/$/ .5/' | table base
    seq 10 | awk '{ print $1, .5 + $1 / 100 }' | table up      # all above: p = 2 / 1024
    seq 10 | awk '{ print $1, .5 - ($1 > 3) / 100 }' | table down # seven below: p = 2 / 128
    seq 10 | awk '{ print $1, .5 + ($1 % 2 ? 1 : -1) / 100 }' | table same # p = 1
    compare -t base.tsv same.tsv down.tsv up.tsv >got
    is "$(field p up <got) $(field p down <got) $(field p same <got)" '0.001953125 0.015625 1'
    is "$(field Holm up <got) $(field Holm down <got) $(field Holm same <got)" '0.005859375 0.03125 1'
    is "$(field better down <got) $(field worse down <got) $(field same down <got)" '0 7 3'
}

@test "a query counts once: means over seeds and passes come first" {
    printf '%s\n' '1 .2' '2 .4' '3 .9' | table a
    printf '%s\n' '1 .5' '2 .4' '3 .7' | table b1
    printf '%s\n' '3 .9' '1 .1' '2 .8' | table b2
    cat b1.tsv b2.tsv >b.tsv
    printf '%s\n' '1 .3' '2 .6' '3 .8' | table mean
    is "$(compare -t a.tsv b.tsv | tail -n 1 | cut -f 2-)" "$(compare -t a.tsv mean.tsv | tail -n 1 | cut -f 2-)"
    # the same values in another order are the same, whatever rounding makes of their mean
    printf '%s\n' '1 .1' '1 .2' '1 .3' '2 .5' | table x
    printf '%s\n' '1 .3' '2 .5' '1 .2' '1 .1' | table y
    is "$(compare -t x.tsv y.tsv | field same y)" 2
}

@test "the order of lines makes no difference, also to what is drawn" {
    seq 300 | awk '{ print "q" $1, ($1 * 37 % 100) / 100 }' >values
    seq 300 | awk '{ print "q" $1, ($1 * 53 % 100) / 100 }' >others
    table a <values && table b <others
    compare a.tsv b.tsv >want
    tac values | table a && sort -k 2 others | table b
    compare a.tsv b.tsv >got
    same got want
    compare -s 2 a.tsv b.tsv >got
    run -1 cmp got want
}

@test "smaller is better where the measure says so" {
    printf '%s\n' '1 3 3' '2 5 5' | table a sumloss dcg
    printf '%s\n' '1 2 2' '2 5 5' | table b sumloss dcg
    is "$(compare -t a.tsv b.tsv | tail -n 1 | cut -f 3-5)" $'1\t0\t1'
    is "$(compare -t -m dcg a.tsv b.tsv | tail -n 1 | cut -f 3-5)" $'0\t1\t1'
    for measure in pairloss loss:kl drawn:loss:kl ips:sumloss dr:sumloss; do
        sed "1s/sumloss/$measure/" a.tsv >c.tsv
        sed "1s/sumloss/$measure/" b.tsv >d.tsv
        is "$(compare -t c.tsv d.tsv | tail -n 1 | cut -f 3)" 1
    done
}

@test "other queries are refused, or with -c left out" {
    printf '%s\n' '1 .1' '2 .2' '3 .4' | table a
    printf '%s\n' '2 .3' '3 .4' | table b
    printf '%s\n' '4 .3' | table c
    fails 1 "compare: b.tsv: no value of query '1', which a.tsv has; 1 of 3 queries are not in all files: -c compares the others" \
        compare a.tsv b.tsv
    fails 1 "compare: b.tsv: no value of query '1', which a.tsv has;*" compare b.tsv a.tsv
    is "$(compare -c a.tsv b.tsv | sed -n '1p;4p' | tr -s ' ' | cut -d ' ' -f 1-3)" "2 queries, ndcg@10,
b 0.3500 +0.0500"
    fails 1 'compare: no query has a value in all files' compare -c a.tsv c.tsv
    # nan is no value: of both, it is no difference in queries
    printf '%s\n' '1 nan' '2 .2' '3 .4' | table d
    compare b.tsv d.tsv >got
    grep -q '^2 queries' got
}

@test "lines of ir_measures and trec_eval, tables on standard input, rounds without a qid" {
    printf '%s\n' '1 .1' '2 .2' | table a
    printf '1\tndcg@10\t0.3\n1\tmap\t0.9\n2\tndcg@10\t0.2\nall\tndcg@10\t0.25\n' >ir
    is "$(compare -t a.tsv ir | tail -n 1 | cut -f 2-7)" $'2\t1\t0\t1\t0.25\t0.1'
    compare -t a.tsv - <ir | tail -n 1 | grep '^<stdin>'
    printf 'ndcg@10  \t1\t0.3\nrunid \tall\tx\nndcg@10 \t2\t0.2\nndcg@10 \tall\t0.25\n' >eval
    is "$(compare -t -m ndcg@10 a.tsv eval | tail -n 1 | cut -f 2-7)" $'2\t1\t0\t1\t0.25\t0.1'
    printf 't\tqid\tmap\n1\t-\t.1\n2\t-\t.2\n' >t.tsv
    printf '1\tmap\t.3\n2\tmap\t.2\n' >ir
    is "$(compare -t t.tsv ir | tail -n 1 | cut -f 2-4)" $'2\t1\t0'
}

@test "one file: against 0, with the sign test" {
    printf '%s\n' '1 1' '2 1' '3 -1' '4 0' '5 1' '6 1' | table won won
    # four of five: 2 (1 + 5) / 32; of 32 choices of signs 12 have |sum| >= 3
    is "$(compare won.tsv)" "6 queries, won, 100000 permutations, seed 1
run  mean    95% interval     p      p(t)   p(sign)  better  worse  same
won  0.5000  -0.3780 +1.3780  0.375  0.203  0.375    4       1      1"
    printf '1 .5\n' | table one
    is "$(compare one.tsv | tail -n 1)" 'one  0.5000  -             1.000  -     1.000    1       0      0'
}

@test "wrong files are refused with their place" {
    printf '%s\n' '1 .1' '2 .2' | table a
    printf 't\tqid\tndcg@10\n1\t1\n' >short
    fails 1 "compare: short: line 2: 2 fields, but the head has 3: *" compare a.tsv short
    printf 't\tqid\tndcg@10\n1\t1\tx\n' >word
    fails 1 "compare: word: line 2: not a finite number: 'x'" compare a.tsv word
    sed '2s/[^\t]*$/1e200/' a.tsv >large
    fails 1 'compare: large: its values or differences are too large*' compare a.tsv large
    is "$(cat out)" ''
    printf 't\tqid\tmap\n1\t1\t.1\n' >map
    fails 1 "compare: map: line 1: no column ndcg@10: choose one with -m: *" compare a.tsv map
    printf '1\t1\n' | weights2bin >one.bin
    fails 1 "compare: one.bin: line 1: not a line of metric -q, nor 'qid measure value': score -m, explore and metric -q make values of a model: *" \
        compare a.tsv one.bin
    : >empty
    fails 1 "compare: empty: no value of ndcg@10: metric -q prints a table of values" compare a.tsv empty
    fails 1 "compare: cannot open nowhere: *" compare a.tsv nowhere
}

@test "wrong command lines are refused" {
    fails 2 "compare: no measure has a name as long as*" compare -m "$(printf '%0200d' 0)" a
}

@test "names of rows: without folder and ending, whole where two would be equal" {
    mkdir x y
    printf '%s\n' '1 .1' '2 .2' | table x/a && cp x/a.tsv y/a.tsv && cp x/a.tsv 'y/b c.tsv'
    is "$(compare x/a.tsv 'y/b c.tsv' | sed 1,2d | cut -d ' ' -f 1)" $'a\nb_c'
    is "$(compare x/a.tsv y/a.tsv | sed 1,2d | cut -d ' ' -f 1)" $'x/a.tsv\ny/a.tsv'
}

@test "three hundred files, a query of 200 characters, and a full disk" {
    printf '%s\n' "$(printf '%0200d' 7) .1" '2 .2' | table a
    for i in $(seq 300); do echo a.tsv; done >names
    # shellcheck disable=SC2046
    is "$(compare $(cat names) | wc -l)" 302
    [ -w /dev/full ] || skip 'no /dev/full here'
    run -1 sh -c 'compare a.tsv a.tsv >/dev/full'
    [[ $output == *'cannot write <stdout>'* ]]
}

@test "interleaving: of two models in a pipeline, the better one wins, and equal ones draw" {
    synth -n 400 -l 10 -d 4 linear >q.bin
    update -a listnet -m good.bin <q.bin
    printf '%s\t%s\n' 1 1 2 0 3 0 4 0 | weights2bin >poor.bin
    won() { # MODEL RIVAL
        score -m "$1" -R "$2" <q.bin | explore -p team-draft | feedback-mask -c perfect -k 4 | metric -q rival >won.tsv
        compare -t won.tsv
    }
    won poor.bin good.bin >got
    [ "$(field better won <got)" -gt $((2 * $(field worse won <got))) ]
    awk -v p="$(field 'p(sign)' won <got)" 'BEGIN { exit !(p < 1e-6) }'
    won good.bin poor.bin >got
    [ "$(field worse won <got)" -gt $((2 * $(field better won <got))) ]
    won good.bin good.bin >got
    awk -v p="$(field 'p(sign)' won <got)" 'BEGIN { exit !(p > 0.001) }'
    # the same scores as score -m has of the rival
    score -m poor.bin -R good.bin <q.bin | values_of rival >got
    score -m good.bin <q.bin | values_of score >want
    same got want
}
