# What can be learnt on a fixed list from one answer a round, and what cannot, whatever the learner:
# the theorems of Chaudhuri & Tewari, in small.
load ../helper

# holds GAME MEASURE LEARNER SEEN CONDITION: of the row's short, long and slope.
holds() {
    awk -v row="$1 $2 $3 $4" '
            $1 " " $2 " " $3 " " $4 == row { short = $5; long = $6; slope = $7; met = 1 }
            END { if (!met) print "no row", row; else print row, short, long, slope
                  exit !(met && ('"$5"')) }' table
}

@test "what the games show" {
    sh "$ROOT/examples/games" 10 1000 16000 >table
    cat table
    # the regret in DCG falls as T^(-1/3) for one answer, as T^(-1/2) for all of them
    holds noisy-binary regret:dcg ftpl 1 'slope > -0.40 && slope < -0.26'
    holds noisy-binary regret:dcg ftpl all 'slope > -0.64 && slope < -0.44'
    # and the more is seen, the less it is
    awk '$1 == "noisy-binary" { long[$4] = $6 }
        END { exit !(long[2] < 0.75 * long[1] && long[5] < 0.75 * long[2] && long["all"] < 0.75 * long[5]) }' table
    # NDCG cannot be had from one answer a round
    for learner in squared kl smoothdcg 'ftpl,gain=lin'; do
        holds hopeless-ndcg-q regret:ndcg@3 "$learner" 1 'long >= 0.0144'
    done
    # from all labels it can, by learners whose target is normalised and by no other
    for learner in listnet 'ftpl,gain=ndcg'; do
        for game in hopeless-ndcg hopeless-ndcg-q; do
            holds $game regret:ndcg@3 "$learner" all 'long < 0.0120 && slope < -0.1'
        done
    done
    for learner in squared 'ftpl,gain=lin'; do
        holds hopeless-ndcg-q regret:ndcg@3 "$learner" all 'long >= 0.0144'
    done
    # nor AUC, on the worse of two laws
    for learner in squared 'ftpl,gain=lin'; do
        holds hopeless-auc regret:auc "$learner" 1 'long > 0.05' ||
            holds hopeless-auc-q regret:auc "$learner" 1 'long > 0.05'
    done
    for game in hopeless-auc hopeless-auc-q; do
        holds $game regret:auc 'ftpl,gain=auc' all 'long < 0.03 && slope < -0.2'
    done
    # nor MAP
    for learner in squared 'ftpl,gain=lin'; do
        holds hopeless-map regret:map "$learner" 1 'long > 0.0208' ||
            holds hopeless-map-q regret:map "$learner" 1 'long > 0.0208'
    done
}
