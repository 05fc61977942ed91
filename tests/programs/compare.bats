# compare: tests of differences, and confidence sequences, against cases worked by hand, and what it reads.
load ../helper

# table NAME [MEASURE...] <<< lines: NAME.tsv as metric -q prints it; a line is "qid value ...".
table() {
    local name=$1
    shift
    { echo "t qid ${*:-ndcg@10}" && awk '{ print NR, $0 }'; } | tr ' ' '\t' >"$name.tsv"
}

# rounds [MEASURE...] <<< lines: a table with clients; a line is "qid client value ...".
rounds() {
    { echo "t qid ${*:-rival} client" && awk '{ c = $2; $2 = ""; $0 = $0; $1 = $1; print NR, $0, c }'; } | tr ' ' '\t'
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

@test "-e: a query counts once, and means over seeds and passes come first" {
    printf '%s\n' '1 .2' '2 .4' '3 .9' | table a
    printf '%s\n' '1 .5' '2 .4' '3 .7' | table b1
    printf '%s\n' '3 .9' '1 .1' '2 .8' | table b2
    cat b1.tsv b2.tsv >b.tsv
    printf '%s\n' '1 .3' '2 .6' '3 .8' | table mean
    is "$(compare -et a.tsv b.tsv | tail -n 1 | cut -f 2-)" "$(compare -t a.tsv mean.tsv | tail -n 1 | cut -f 2-)"
    # the same values in another order are the same, whatever rounding makes of their mean
    printf '%s\n' '1 .1' '1 .2' '1 .3' '2 .5' | table x
    printf '%s\n' '1 .3' '2 .5' '1 .2' '1 .1' | table y
    is "$(compare -et x.tsv y.tsv | field same y)" 2
    is "$(compare -t x.tsv y.tsv | field same y)" 2
}

@test "a line counts once, as traffic has them: 1,000 wins of one query, and two queries that lost" {
    { yes head 1 | head -n 1000 | sed 's/1$/- 1/' && echo 'b - -1' && echo 'c - -1'; } | rounds >won.tsv
    compare won.tsv >got 2>err
    # Y = 1000, -1, -1; e = 1000 - 1000 m, -1 - m, -1 - m with m = 998 / 1002; e / (N - N_c) = 1.996008,
    # -.001994, -.001994; se = sqrt(2/3 * 3.984056) = 1.629738, t(2) = 4.302653
    is "$(cat got)" "1002 lines of 3 queries, rival, 100000 permutations, seed 1
run  mean    95% interval     p      p(t)   p(sign)  better  worse  same
won  0.9960  -6.0162 +8.0082  1.000  0.603  1.000    1       2      0"
    is "$(cat err)" 'compare: won.tsv: one query has 100 of 100 lines: the interval needs many of about the same size'
    is "$(compare -e won.tsv | sed -n 1p)" '3 queries, rival, 100000 permutations, seed 1'
    is "$(compare -et won.tsv | field mean won)" -0.333333333333333
    is "$(compare -t won.tsv | tail -n 1 | cut -f 1,2,14)" $'won\t3\t1002'
}

@test "-u: lines of a client depend on each other, one without a client is by itself, as is each with -u t" {
    printf '%s\n' 'q a 1' 'q a 1' 'r b 0' 'q - -1' | rounds >won.tsv
    # Y = 2 0 -1, N = 2 1 1: mean .25, e = 1.5 -.25 -1.25, by N - N_c .75 -.083333 -.416667;
    # se = sqrt(2/3 * .743056) = .703825, t(2) = 4.302653. Of signs of 2 and -1, all sums are 1 or more
    is "$(compare -u client won.tsv 2>err)" "4 lines of 3 clients, rival, 100000 permutations, seed 1
run  mean    95% interval     p      p(t)   p(sign)  better  worse  same
won  0.2500  -2.7783 +3.2783  1.000  0.756  1.000    1       1      1"
    grep -qx 'compare: won.tsv: one client has 50 of 100 lines: .*' err
    # each line alone: as four queries
    printf '%s\n' '1 1' '2 1' '3 0' '4 -1' | table one rival
    is "$(compare -u t won.tsv | tail -n 1 | cut -c 4-)" "$(compare one.tsv | tail -n 1 | cut -c 4-)"
    is "$(compare -u t won.tsv | head -n 1)" '4 lines, rival, 100000 permutations, seed 1'
    cut -f 1-3 won.tsv >old.tsv
    fails 1 'compare: old.tsv: line 1: no column client: make the table anew with metric -q: *' compare -u client old.tsv
    printf '1\trival\t1\n' >ir
    fails 1 'compare: ir: line 1: no clients: a table of metric -q has them: *' compare -u client ir
}

@test "two tables of other clients: the difference of means, and no p by pairs" {
    printf '%s\n' 'q a 1' 'q a 1' 'q b 0' 'q c 0' | rounds p@1 >a.tsv
    printf '%s\n' 'q d 1' 'r d 1' 'q e 1' 'q f 0' 'q f 1' | rounds p@1 >b.tsv
    # a: mean .5, e / (N - N_c) = 1/2 -.5/3 -.5/3; b: mean .8, e = .4 .2 -.6, by 3 4 3: .133333 .05 -.2
    # the squares add up to .305556 + .060278; times 5/6: se = .552142, t(5) = 2.570582
    is "$(compare -u client a.tsv b.tsv 2>err | head -n 4)" "4 and 5 lines of 6 clients, p@1, 100000 permutations, seed 1
run  mean    diff     95% interval     p  p(t)   Holm  better  worse  same
a    0.5000
b    0.8000  +0.3000  -1.1193 +1.7193  -  0.610  -     -       -      -"
    is "$(compare -tu client a.tsv b.tsv 2>err | tail -n 1 | cut -f 2-5,10)" $'6\tnan\tnan\tnan\tnan'
    fails 1 'compare: no client has a value in all files' compare -c -u client a.tsv b.tsv
    fails 1 "compare: a.tsv: no value of query 'r', which b.tsv has;*" compare a.tsv b.tsv
}

# traffic FIRST SECOND BOTH: a.tsv and b.tsv with so many clients of one side each, and of both; some clients are unknown.
traffic() {
    { seq "$1" | sed 's/.*/q a& 1/' && seq "$3" | sed 's/.*/q both& 0/' && echo 'q - 1'; } | rounds p@1 >a.tsv
    { seq "$2" | sed 's/.*/q b& 0/' && seq "$3" | sed 's/.*/q both& 1/' && printf 'q - 1\nq - 0\n'; } | rounds p@1 >b.tsv
}

@test "a split of clients that cannot be chance leaves no verdict, interval or p" {
    # of n = 400 and 1/2, one error is sqrt(100) = 10 clients: 235 is 3.5 of them, 236 are 3.6
    traffic 235 165 7
    is "$(compare -u client a.tsv b.tsv | tail -n 1)" \
        'clients: 235 and 165 in one file only, 7 in both: a share of 0.5875 for 0.5, +3.5 standard errors'
    compare -u client a.tsv b.tsv | grep -q '^b .*  -[0-9.]* -[0-9.]*  -  '
    traffic 164 236 7
    lost='no verdict: one side lost clients, or -w is another share: clients: 164 and 236 in one file only, 7 in both: a share of 0.4100 for 0.5, -3.6 standard errors'
    compare -u client a.tsv b.tsv >got
    is "$(tail -n 1 got)" "$lost"
    is "$(sed -n 4p got | tr -s ' ' | cut -d ' ' -f 4-)" '- - - - - - -'
    is "$(compare -tu client a.tsv b.tsv 2>err | tail -n 1 | cut -f 8-13)" $'nan\tnan\tnan\tnan\tnan\tnan'
    is "$(cat err)" "compare: $lost"
    # -S is looked at often: 245 are 4.5 errors, 246 are not; the status is 0, and no verdict is given
    compare -S -u client a.tsv b.tsv >got || [ $? -ge 4 ]
    grep -q '^clients: 164 ' got
    traffic 154 246 0
    compare -S -u client a.tsv b.tsv >got
    grep -q '^no verdict: .* -4.6 standard errors$' <(tail -n 1 got)
    is "$(sed -n 4p got | tr -s ' ' | cut -d ' ' -f 4-)" '-'
    is "$(compare -St -u client a.tsv b.tsv 2>err | tail -n 1 | cut -f 6-)" $'nan\tnan\tnan\t-'
    # another share that was meant: 100 of 400 by a quarter, and 120 are (120 - 100) / sqrt(75) = 2.3 errors away
    traffic 120 280 0
    is "$(compare -w .25 -u client a.tsv b.tsv | tail -n 1)" \
        'clients: 120 and 280 in one file only, 0 in both: a share of 0.3000 for 0.25, +2.3 standard errors'
    traffic 0 0 9
    is "$(compare -u client a.tsv b.tsv | tail -n 1)" 'clients: 0 and 0 in one file only, 9 in both: a share of 0.5000 for 0.5, +0.0 standard errors'
    # of other units, numbers of files, and -c, none of this
    traffic 164 236 7
    for words in '-u t a.tsv b.tsv' '-c -u client a.tsv b.tsv' '-u client a.tsv' '-u client a.tsv b.tsv b.tsv'; do
        ! compare $words 2>err | grep -q clients: || { echo "$words" && return 1; }
        fails 2 'compare: -w wants a share between 0 and 1, two files and -u client, and no -c*' compare -w .5 $words
    done
    for share in 0 1; do fails 2 'compare: -w wants a share between 0 and 1, *' compare -w $share -u client a.tsv b.tsv; done
}

@test "all is a mean where each measure has one, after its other lines; else it is a query" {
    mean() { compare -t "$@" | tail -n 1 | cut -f 2,6 | tr '\t' ' '; }
    printf '%s\n' 'all n 1' 'b n .25' 'c n .25' >first
    is "$(mean first)" '3 0.5'
    printf '%s\n' 'a n 1' 'a m 1' 'all n .5' 'all m 1' 'b n 0' 'b m 0' >amid
    is "$(mean amid) $(mean -m m amid)" '3 0.5 3 0.666666666666667'
    printf '%s\n' 'a n 1' 'a m 1' 'b n 0' 'b m 0' 'all n .5' >one
    is "$(mean one) $(mean -m m one)" '3 0.5 2 0.5'
    echo 'all m .5' >>one
    is "$(mean one) $(mean -m m one)" '2 0.5 2 0.5'
    # trec_eval -q: measure, qid, value; some measures have a line for all alone
    printf '%s\n' 'm 1 1' 'n 1 1' 'm 2 0' 'n 2 .5' 'runid all x' 'num_q all 2' 'm all .5' 'n all .75' >eval
    is "$(mean -m n eval) $(mean -m m eval)" '2 0.75 2 0.5'
    printf '%s\n' 'm all 1' 'n all 1' 'm z 0' 'n z .5' >eval
    is "$(mean -m n eval)" '2 0.75'
    printf '%s\n' 'all n 1' 'b n nan' >first
    is "$(mean -u t first)" '1 1'
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
    printf '1\tndcg@10\t0.3\n1\tmap\t0.9\n2\tndcg@10\t0.2\nall\tndcg@10\t0.25\nall\tmap\t0.9\n' >ir
    is "$(compare -t a.tsv ir | tail -n 1 | cut -f 2-7)" $'2\t1\t0\t1\t0.25\t0.1'
    compare -t a.tsv - <ir | tail -n 1 | grep '^<stdin>'
    printf 'ndcg@10  \t1\t0.3\nrunid \tall\tx\nndcg@10 \t2\t0.2\nndcg@10 \tall\t0.25\n' >eval
    is "$(compare -t -m ndcg@10 a.tsv eval | tail -n 1 | cut -f 2-7)" $'2\t1\t0\t1\t0.25\t0.1'
    printf 't\tqid\tmap\n1\t-\t.1\n2\t-\t.2\n' >t.tsv
    printf '1\tmap\t.3\n2\tmap\t.2\n' >ir
    is "$(compare -t t.tsv ir | tail -n 1 | cut -f 2-4)" $'2\t1\t0'
}

@test "-S: a verdict that may be looked at every day, and its exit status" {
    seq 400 | awk '{ print "q", NR, NR % 4 ? 0 : NR % 20 ? 1 : -1 }' | rounds >won.tsv
    got=0 && compare -S -u client won.tsv >out || got=$?
    is "$got $(head -n 1 out) $(tail -n 1 out)" '0 400 clients, rival, begun after line 100 better'
    # 80 wins, 20 losses: mean .15, V = 100 - .15^2 400 = 91; the first 100: 20 wins, 5 losses,
    # V = 25 - .15^2 100 = 22.75, rho = 40 V / 8.21; half = sqrt((V + rho) log((V + rho) / (rho .0025))) / 400
    awk 'BEGIN { v = 91; r = 40 * 22.75 / 8.21; h = sqrt((v + r) * log((v + r) / (r * .0025))) / 400
        printf "won  0.1500  %+.4f %+.4f\n", .15 - h, .15 + h }' >want
    sed -n 3p out >got && same got want
    head -n 151 won.tsv >part.tsv
    got=0 && compare -S -u client part.tsv >out || got=$?
    is "$got" 4
    [[ $(tail -n 1 out) == 'not yet: at this rate an even chance of a verdict at '*' lines' ]]
    got=0 && compare -S -u client <(head -n 101 won.tsv) >out || got=$?
    is "$got $(tail -n 1 out | cut -c 1-46)" '4 not yet: the sequence begins after 25 clients '
    awk -F '\t' -v OFS='\t' 'NR > 1 { $3 = -$3 } 1' won.tsv >lost.tsv
    got=0 && compare -S -u client lost.tsv >out || got=$?
    is "$got $(tail -n 1 out)" '5 worse'
    is "$(compare -St -u client lost.tsv | tail -n 1 | cut -f 1-4,9)" $'lost\t400\t400\t-0.15\tworse'
}

@test "-S -u t: wins and losses of independent rounds, exactly" {
    seq 60 | awk '{ print "q", "-", NR % 4 ? 0 : NR == 60 ? -1 : 1 }' | rounds >won.tsv
    # 14 wins, 1 loss: log E = log B(39, 26) / B(25, 25) + 15 log 2 is below log 20
    got=0 && compare -S -u t won.tsv >out || got=$?
    is "$got $(head -n 1 out)" '4 60 lines, rival, wins and losses'
    { cat won.tsv && tail -n 60 won.tsv && tail -n 60 won.tsv; } >more.tsv
    got=0 && compare -S -u t more.tsv >out || got=$?
    is "$got $(tail -n 1 out)" '0 better'
    sed '2s/0/2/3' won.tsv >two.tsv
    sed 's/rival/ndcg/; s/\t-1\t/\t-3\t/' won.tsv >real.tsv # another measure is no win
    compare -S -u t real.tsv | tail -n 1 | grep '^real  0.1833  -$'
    awk -F '\t' -v OFS='\t' 'NR == 3 { $3 = 2 } 1' won.tsv >two.tsv
    fails 1 'compare: two.tsv: value 2 of rival is 2, but a round is won (1), lost (-1) or neither (0)' compare -S -u t two.tsv
}

@test "-S: two tables by t, less is better turned, and estimates have no verdict by themselves" {
    seq 400 | awk '{ print "q" NR, "c" NR, 1 + (NR % 2) / 2, 3 }' | rounds sumloss dcg >a.tsv
    seq 400 | awk '{ print "q" NR, "c" NR, 1 + (NR % 3) / 8, 2 + NR % 2 }' | rounds sumloss dcg >b.tsv
    got=0 && compare -S a.tsv b.tsv >out || got=$?
    is "$got $(tail -n 1 out)" '0 better'
    got=0 && compare -S -m dcg a.tsv b.tsv >out || got=$?
    is "$got $(tail -n 1 out)" '5 worse'
    # the order of t, not that of the files, says which lines are first
    { head -n 1 b.tsv && tail -n +2 b.tsv | shuf --random-source=a.tsv; } >c.tsv
    is "$(compare -S a.tsv b.tsv | head -n 1)" '400 queries, sumloss, begun after line 58'
    run -0 compare -S a.tsv a.tsv || true
    is "$status ${lines[3]}" '4 a.tsv  1.2500  +0.0000  -'
    # other clients, in the same t
    sed 's/\tc\([0-9]*\)$/\td\1/' b.tsv >d.tsv
    got=0 && compare -S -u client a.tsv d.tsv >out || got=$?
    is "$got $(tail -n 1 out)" '0 better'
    # one ranker's estimates
    sed 's/sumloss/ips:sumloss/' a.tsv >e.tsv
    compare -S e.tsv >out
    is "$(wc -l <out)" 3
    is "$(head -n 1 out)" '400 queries, ips:sumloss, begun after line 250'
}

@test "snips: three columns are one estimate, with the standard error of metric" {
    synth -n 400 -l 6 -d 4 linear >q.bin
    update -a listnet -m m.bin <q.bin
    printf '%s\t%s\n' 1 1 2 0 3 0 4 0 | weights2bin >poor.bin
    score -m poor.bin <q.bin | explore -g 0.5 | feedback-mask -k 1 >log
    for m in m poor; do
        score -m $m.bin <log | metric -q snips:dcg@3 >$m.tsv
        score -m $m.bin <log | metric snips:dcg@3 | tail -n 1 >$m.row
    done
    is "$(compare -t m.tsv 2>err | field mean m | awk '{ printf "%.7g", $1 }')" "$(cut -f 2 m.row)"
    # the half width is t(399) .05 = 1.96592 standard errors
    compare -t m.tsv 2>err | tail -n 1 | awk -v se="$(cut -f 3 m.row)" '{ r = ($9 - $8) / 2 / se; exit !(r > 1.96591 && r < 1.96593) }'
    is "$(compare -m snips:dcg@3 m.tsv 2>err)" "$(compare m.tsv 2>err)"
    compare -t poor.tsv m.tsv 2>err | tail -n 1 | awk -v a="$(cut -f 2 poor.row)" -v b="$(cut -f 2 m.row)" '
        { d = $7 - (b - a); exit !(d < 1e-5 && d > -1e-5) }'
    fails 1 'compare: m.tsv: line 1: no column snips:dcg@4:a: choose one with -m: *' compare -m snips:dcg@4 m.tsv
    printf '1\tsnips:dcg\t1\n' >ir
    fails 1 'compare: ir: line 1: not the three columns of snips: a table of metric -q has them: *' compare ir
    awk -F '\t' -v OFS='\t' 'NR > 1 { $4 = 0 } 1' m.tsv >nothing.tsv
    fails 1 'compare: nothing.tsv: snips:dcg@3 is not known: no document with a weight was seen' compare nothing.tsv
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
