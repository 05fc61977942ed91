# Every learner with settings that make it move, and rounds for it: load runs

# Those of queries with features, and those of a fixed list of items.
LEARNERS="squared kl smoothdcg smoothdcg-falls ranksvm listnet squared-ndcg slam slam-cut slam-ap minimax solar1 solar2
    solar1-ties solar2-ties solar1-list solar2-list prank
    prank-pair committee committee-seen ridge ridge-plain thompson linucb
    kl-top kl-swap ranksvm-luce pdgd dbgd pairrank
    memory memory-plain memory-clicks memory-examined kernel kernel-lists
    squared-adaptive kl-adaptive smoothdcg-adaptive ranksvm-adaptive listnet-adaptive
    slam-adaptive pdgd-adaptive thompson-adaptive linucb-adaptive"
LEADERS="ftpl ftpl-ndcg ftpl-blocks exp3m toprank"
RUNS="$(for learner in $LEARNERS; do echo "$learner.dense $learner.sparse"; done)
    $(for learner in $LEADERS; do echo "$learner.fixed"; done)"

# made FEATURES SHARE: 40 queries as text, 1 to 9 documents each, five grades; one in SHARE of the
# features is not 0. The same every time, on any awk.
made() {
    awk -v features="$1" -v share="$2" '
        function draw(n) { x = (x * 16807) % 2147483647; return int(x / 65536) % n }
        BEGIN {
            x = 42
            for (q = 1; q <= 40; q++)
                for (d = draw(9); d >= 0; d--) {
                    line = draw(5) " qid:q" q
                    for (j = 1; j <= features; j++)
                        if (draw(share) == 0)
                            line = line sprintf(" %d:%d.%02d", j, draw(4) - 2, draw(100))
                    print line
                }
        }'
}

# items: 150 answers to one list of 7 items.
items() {
    awk 'BEGIN {
        for (t = 1; t <= 150; t++)
            for (i = 0; i < 7; i++)
                print (t * (i + 3) + int(t / 7)) % 5 " qid:" t
    }'
}

# stored_rounds: `dense`, `sparse`, and `fixed`.
stored_rounds() {
    made 20 1 | svm2bin >dense
    made 300 20 | svm2bin >sparse
    items | svm2bin >fixed
    [ "$(bin2txt -f head dense | grep -c ',x:f4')" = 40 ]
    [ "$(bin2txt -f head sparse | grep -c ',ptr:u4')" = 40 ]
    mkfifo ring
}

# settings LEARNER: how explore shows, the value of feedback-mask -k, and update's options.
settings() {
    shown="-g 0.3" k=1
    case $1 in
    ranksvm) k=2 options="-a ranksvm -e 0.003 -U 1.5" ;;
    smoothdcg) options="-a smoothdcg -e 0.001 -E 0.1" ;;
    smoothdcg-falls) options="-a smoothdcg -e 0.001 -E 0.5 -F 0.3 -k 3" ;;
    listnet) k=all options="-a listnet -T 400" ;;
    kl) options="-a kl -e 0.003 -U 2" ;;
    squared-ndcg) k=all options="-a squared-ndcg -e 0.02 -U 1" ;;
    slam | slam-ap) k=all options="-a $1 -e 0.3" ;;
    slam-cut) k=all options="-a slam -e 0.3 -k 3" ;;
    slam-margin) k=all options="-a slam -e 0.3 -M 0.2" ;;
    prank) k=all options="-a prank -s 3" ;;
    minimax | prank-pair) k=all options="-a $1" ;;
    solar1) k=all options="-a solar1 -C 0.1 -s 5" ;;
    solar2) k=all options="-a solar2 -C 2" ;;
    solar1-ties) k=all options="-a solar1-ties -C 0.1 -s 5" ;;
    solar2-ties) k=3 options="-a solar2-ties -C 2" ;;
    solar1-list | solar2-list) k=all options="-a $1 -C 2" ;;
    committee) k=all options="-a committee -N 3 -o" ;;
    committee-seen) k=3 options="-a committee -N 3" ;;
    ridge) options="-a ridge -C 2" ;;
    thompson) options="-a thompson -C 2 -S 0.3 -s 4" ;;
    linucb) k=2 options="-a linucb -p -S 0.3" ;;
    ridge-plain) k=2 options="-a ridge -p" ;;
    kl-top) k=2 shown="-p top -k 2 -g 0.5 -F 0.05" options="-a kl -e 0.003 -U 2" ;;
    kl-swap) k=2 shown="-p swap -k 2 -g 0.3" options="-a kl -e 0.003 -U 2" ;;
    ranksvm-luce) k=2 shown="-p plackett-luce -H 2 -F 0.05" options="-a ranksvm -e 0.003 -U 1.5" ;;
    pdgd) k="10 -c navigational" shown="-p plackett-luce -H 2" options="-a pdgd -e 0.1 -U 3" ;;
    dbgd) k="10 -c perfect" shown="-p team-draft" options="-a dbgd -e 0.2 -S 0.5 -s 6" ;;
    pairrank) k="10 -c informational" shown="-p index -k 10" options="-a pairrank -C 0.5 -S 0.2 -s 7" ;;
    memory) shown="" options="-a memory" ;;
    memory-plain) k=2 shown="-g 0.1 -k 2" options="-a memory -p -R 2 -S 1 -C 3 -s 9" ;;
    memory-clicks) k="10 -c navigational" shown="" options="-a memory -K" ;;
    memory-examined)
        awk 'BEGIN { for (k = 1; k <= 10; k++) print k, 1 / k }' >theta
        k="10 -c position" options="-a memory -t theta"
        ;;
    kernel) k=all options="-a kernel -C 0.3 -N 7 -s 3" ;;
    kernel-lists) k=all options="-a kernel -C 0.3 -N 7 -s 3 -k 2 -M 4" ;;
    toprank) k="4 -c perfect" shown="" options="-a toprank -D 0.5" ;;
    ranksvm-adaptive) k=2 options="-a ranksvm" ;;
    listnet-adaptive | slam-adaptive) k=all options="-a ${1%-adaptive}" ;;
    pdgd-adaptive) k="10 -c navigational" shown="-p plackett-luce -H 2" options="-a pdgd" ;;
    thompson-adaptive | linucb-adaptive) shown="" options="-a ${1%-adaptive}" ;;
    *-adaptive) options="-a ${1%-adaptive}" ;;
    ftpl) k=all shown="-p leader -T 150" options="-a ftpl -G lin" ;;
    ftpl-ndcg) k=all shown="-p leader -T 150" options="-a ftpl -G ndcg" ;;
    exp3m) k=2 shown="-p subset -k 3" options="-a exp3m -L 4" ;;
    ftpl-blocks) k=2 shown="-p blocks -T 150 -k 2 -L 4" options="-a ftpl" ;;
    *) options="-a $1 -e 0.002" ;;
    esac
}
