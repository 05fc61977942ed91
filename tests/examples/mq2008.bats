# Learning on real queries: the README's table in small.
# not tested: 50,000 rounds and three seeds, which `sh examples/mq2008` runs in a minute or two.
load ../helper

# learner's mean NDCG@10, times 10,000
mean() {
    awk -v name="$1" '$1 == name { printf "%d\n", 10000 * $3 + 0.5 }' table
}

@test "20,000 rounds of MQ2008: each learner is as good as the README says, random as bad" {
    in_release
    need_data MQ2008
    sh "$ROOT/examples/mq2008" "$DATA/MQ2008" 20000 1 >table
    cat table
    [ "$(mean random)" -ge 3310 ] && [ "$(mean random)" -le 3390 ]
    for learner in squared kl ranksvm; do
        [ "$(mean $learner)" -ge 4550 ]
    done
    [ "$(mean smoothdcg)" -ge 4350 ]
    for learner in ridge linucb; do
        [ "$(mean $learner)" -ge 4850 ]
    done
    [ "$(mean thompson)" -ge 4650 ]
    [ "$(mean memory)" -ge 5900 ]
    [ "$(mean listnet)" -ge 5020 ] && [ "$(mean listnet)" -le 5100 ]
    # held out, what learns beats chance by far, and all labels are best, but for a memory
    awk 'NR > 1 { held[$1] = $5 } END { for (l in held)
        if (l != "random" && held[l] < held["random"] + 0.1 ||
            l != "memory" && held[l] > held["listnet"]) { print l; exit 1 } }' table
    # where some queries come often, a memory learns more from one label than others from all
    awk 'NR > 1 { zipf[$1] = $4 } END { for (l in zipf)
        if (l != "memory" && zipf[l] + 0.05 > zipf["memory"]) { print l; exit 1 } }' table
}

@test "wrong numbers, and runs that fail, give no table" {
    fails 2 "mq2008: no folder named; usage: *" sh "$ROOT/examples/mq2008"
    fails 2 "mq2008: 'x' is not a whole number from 1; usage: *" sh "$ROOT/examples/mq2008" folder x
    fails 2 "mq2008: '0' is not a whole number from 1; usage: *" sh "$ROOT/examples/mq2008" folder 10 0
    # the second seed of random fails
    mkdir folder
    for i in 1 2 3 4 5; do small_text >folder/S$i.txt; done
    sed 's#^random() {.*#&\n    [ "$1$2" != "$tmp/all2" ] || return 1#' "$ROOT/examples/mq2008" >mq2008
    sed -i "s|^here=.*|here=$ROOT/examples|" mq2008
    fails 1 '' sh mq2008 folder 10 2
    is "$(cat out)" ''
}

@test "the picture has a line for each learner, and the table differences query by query" {
    in_release
    need_data MQ2008
    command -v gnuplot >/dev/null || skip "no gnuplot"
    mkdir 'two words'
    TMPDIR="$PWD/two words" sh "$ROOT/examples/mq2008" "$DATA/MQ2008" 300 2 picture.svg >table
    [ "$(echo *)" = 'picture.svg table two words' ]
    awk 'NR > 1 { print $1 " (" $2 ")" }' table >names
    [ "$(wc -l <names)" = 11 ]
    while read -r name; do grep -F ">$name<" picture.svg; done <names
    grep -F '>held out<' picture.svg
    # a difference is that of the means, from memory and from listnet alike
    awk 'NR > 1 { held[$1] = $5; by[$1] = $8; error[$1] = $10 }
        END { for (l in held) {
            if (l == "memory") { by[l] = -by[l]; other = "listnet"; d = held[other] - held[l] }
            else { d = held[l] - held["memory"] }
            if (by[l] - d > 1.1e-4 || d - by[l] > 1.1e-4 || error[l] <= 0) { print l, by[l], d; exit 1 } } }' table
}

@test "ridge: one answer a round, in random order, is worth nearly all labels" {
    in_release
    need_data MQ2008
    cat "$DATA"/MQ2008/S?.txt | svm2bin >stored
    for seed in 1 2 3; do
        run_of() { # gamma, and how update learns
            loop "replay -n 50000 -s $seed stored | score | explore -g $1 -s $seed |
                metric -e 50000 -t table ndcg@10 | feedback-mask -k 1 | update ${*:2}" >model
            tail -n 1 table | cut -f 2
        }
        echo "$(run_of 0.003 -a ridge -C 10) $(run_of 0.1 -a kl -e 1e-4 -U 1)"
    done | tee runs
    awk '{ ridge += $1 / 3; kl += $2 / 3 } END { exit !(NR == 3 && ridge >= 0.49 && ridge >= kl + 0.05) }' runs
}
