# What can be learnt on a fixed list from the answer to one question a round, and what cannot, whatever
# the learner: the figures and theorems of Chaudhuri & Tewari, in small, through real pipes.
# not tested: ten seeds and T to 256,000, whose figures are in rankpipe(7).
load helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    mkfifo ring
}

# play MEASURE K T SEED LEARNER GAME: the measure at the end of a ring. K places are seen, `all` of
# them or those on top; T is the horizon of whoever takes one.
play() {
    local measure=$1 k=$2 T=$3 seed=$4 learner=$5 game=$6 show
    case $learner,$k in
    ftpl*,all) show="-p leader -T $T" ;;
    ftpl*) show="-p blocks -T $T -k $k" ;;
    *,all) show="" learner="$learner -T $T" ;;
    *) show="-T $T" learner="$learner -T $T" ;;
    esac
    # shellcheck disable=SC2086
    synth -n "$T" -s "$seed" $game | score -f ring | explore -s "$seed" $show |
        metric -t curve -e "$T" "$measure" | feedback-mask -k "$k" |
        timeout -s KILL 60 update -a $learner -f ring >model
    sed -n '2s/.*\t//p' curve
}

# mean MEASURE K T LEARNER GAME: of three seeds.
mean() {
    for seed in 1 2 3; do
        play "$1" "$2" "$3" "$seed" "$4" "$5"
    done | awk '{ sum += $1 } END { printf "%.6f\n", sum / NR }'
}

# holds NUMBERS CONDITION: awk's, on $1, $2 ...
holds() {
    echo "$1: $2"
    echo "$1" | awk "{ exit !($2) }"
}

@test "noisy-binary: the regret in DCG falls as T^(-1/3) for one answer, as T^(-1/2) for all" {
    top1="$(mean regret:dcg 1 1000 ftpl noisy-binary) $(mean regret:dcg 1 16000 ftpl noisy-binary)"
    holds "$top1" '(s = log($2 / $1) / log(16)) > -0.40 && s < -0.26'
    all="$(mean regret:dcg all 1000 ftpl noisy-binary) $(mean regret:dcg all 16000 ftpl noisy-binary)"
    holds "$all" '(s = log($2 / $1) / log(16)) > -0.64 && s < -0.44'
    # and the more is seen, the less it is
    two=$(mean regret:dcg 2 16000 ftpl noisy-binary)
    five=$(mean regret:dcg 5 16000 ftpl noisy-binary)
    holds "${top1#* } $two $five ${all#* }" '$2 < 0.75 * $1 && $3 < 0.75 * $2 && $4 < 0.75 * $3'
}

@test "hopeless-ndcg: no learner from one answer a round gets its NDCG right" {
    for learner in squared kl smoothdcg 'ftpl -G lin'; do
        holds "$(mean regret:ndcg@3 1 8000 "$learner" '-q hopeless-ndcg')" '$1 >= 0.0144'
    done
}

@test "hopeless-ndcg: from all labels those do whose target is normalised, the others do not" {
    for learner in listnet 'ftpl -G ndcg'; do
        for law in '' -q; do
            holds "$(mean regret:ndcg@3 all 16000 "$learner" "$law hopeless-ndcg")" '$1 < 0.0100'
        done
    done
    for learner in squared 'ftpl -G lin'; do
        holds "$(mean regret:ndcg@3 all 16000 "$learner" '-q hopeless-ndcg')" '$1 >= 0.0144'
        holds "$(mean regret:sumloss all 16000 "$learner" '-q hopeless-ndcg')" '$1 < 0.0200'
    done
}

@test "hopeless-auc: as bad from one answer a round, won from all labels" {
    for learner in squared 'ftpl -G lin'; do
        holds "$(mean regret:auc 1 8000 "$learner" hopeless-auc)
$(mean regret:auc 1 8000 "$learner" '-q hopeless-auc')" 'NR == 1 ? (p = $1) + 1 : p > 0.05 || $1 > 0.05'
    done
    for law in '' -q; do
        few=$(mean regret:auc all 1000 'ftpl -G auc' "$law hopeless-auc")
        many=$(mean regret:auc all 16000 'ftpl -G auc' "$law hopeless-auc")
        holds "$few $many" '$2 < 0.02 && $2 < $1 / 2'
    done
}
