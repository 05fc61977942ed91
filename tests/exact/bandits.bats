# The learners from clicks on one list, by hand: a step each, what they rank by, what they refuse.
# tests/exact/bandits.c holds them to their papers' algorithms.
load ../helper
load ../models

# model_array FILE NAME: an array of a model, in one line.
model_array() {
    bin2txt "$1" | sed -n "s/^$2\t[0-9]*\t//p" | paste -sd ' ' -
}

@test "cascade-klucb: what was examined counts, down to the first click" {
    mkstream round t=1 docs=4 dim=0 order:u4 2 0 1 3 seen:f4 0 1 0 >round
    update -a cascade-klucb <round >one
    holds one 1 0 0 0
    is "$(model_array one looks), $(model_array one clicks)" "1 0 1 0, 1 0 0 0"
    mkstream round t=1 docs=4 dim=0 order:u4 2 0 1 3 seen:f4 0 0 0 >none # all three examined
    update -a cascade-klucb <none | bin2txt | grep -c '^looks.*	1$' | grep -x 3
}

@test "cascade-klucb: in a ring items score their bounds" {
    # round 100: log t + 3 log log t = 9.186713; of 5 clicks in 10 looks, d(1/2, q) = 0.9186713 where
    # q (1 - q) = exp(-2 * 0.9186713) / 4; an item without a look has 1
    mkstream model learner=cascade-klucb rounds=99 dim=2 features=0 w:f8 0.5 0 looks:f8 10 0 \
        clicks:f8 5 0 items:f8 2 >model
    mkstream round t=100 docs=2 dim=0 label:f4 1 0 >round
    mkfifo ring
    score -f ring <round | explore | tee shown | feedback-mask -c cascade -L 1 |
        update -a cascade-klucb -m model -f ring 2>resumed
    bin2txt -f rank shown | sort -t '	' -k 4,4n | cut -f 5 >scores
    awk 'NR == 1 { d = $1 - 0.958465; if (d * d > 1e-12) exit bad = 1 } NR == 2 && $1 != 1 { bad = 1 }
        END { exit bad || NR != 2 }' scores
}

@test "cascade-lints: ridge on what was examined, by hand" {
    # examined: document 1, x = 2, no click; document 0, x = 1, a click: w = 1 / (4 + 1 + lambda)
    mkstream round t=1 docs=2 dim=1 order:u4 1 0 seen:f4 0 1 x:f4 1 2 >round
    update -a cascade-lints <round >one
    near one 0.16666666666666666
    # down to the first click: document 1 alone, w = 2 / (4 + lambda)
    mkstream round t=1 docs=2 dim=1 order:u4 1 0 seen:f4 1 1 x:f4 1 2 >round
    update -a cascade-lints -C 4 <round >one
    near one 0.25
}

@test "toprank: an item that wins by enough is in a block above" {
    # with delta 1 four wins are enough, 4 >= 2 log(3.3437 sqrt 4), and three are not
    won() { echo "round t=$1 docs=3 dim=0 score:f8 0 0 -1 order:u4 0 1 2 seen:f4 0 1 0"; }
    mkstream $(won 1) + $(won 2) + $(won 3) | update -a toprank -D 1 >three
    holds three 0 0 0
    mkstream $(won 1) + $(won 2) + $(won 3) + $(won 4) | update -a toprank -D 1 >four
    holds four -1 0 0 # item 2 was never shuffled with them
    is "$(model_array four wins), $(model_array four better)" "1 0 0 4 1 0 0 0 1, 1 0 0 1 1 0 0 0 1"
}

@test "bubblerank: neighbours that were shuffled change places when one wins by enough" {
    # with delta 1/2 three wins are enough, 3 > 2 sqrt(3 log 2), and two are not
    rounds="round t=1 docs=3 dim=0 score:f8 0 0 0 order:u4 2 0 1 seen:f4 1 0 0"
    for t in 2 4 6; do
        rounds+=" + round t=$t docs=3 dim=0 score:f8 2 2 0 order:u4 1 0 2 seen:f4 1 0 0"
        mkstream $rounds | update -a bubblerank -D 0.5 >at$t
        rounds+=" + round t=$((t + 1)) docs=3 dim=0 score:f8 2 1 1 order:u4 0 2 1 seen:f4 0 0 0"
    done
    holds at4 2 1 0
    holds at6 1 2 0
    is "$(model_array at6 base)" "1 0 2"
    is "$(model_array at6 wins)" "1 0 0 3 1 0 0 0 1" # the first round, before the list was known, is none
}

@test "each says what it cannot learn from" {
    said() { fails_on "$1" 1 "update: <stdin>: round 1: $2" update -a "$3"; }
    mkstream round t=1 docs=2 dim=0 score:f8 0 0 order:u4 0 1 seen:f4 2 0 >grade
    mkstream round t=1 docs=2 dim=0 score:f8 0 0 label:f4 1 0 >labels
    mkstream round t=1 docs=2 dim=1 score:f8 0 0 order:u4 0 1 seen:f4 1 0 x:f4 1 2 >features
    mkstream round t=1 docs=2 dim=0 order:u4 0 1 seen:f4 1 0 >bare
    for learner in cascade-klucb toprank bubblerank; do
        said grade "seen 0 is 2, but $learner learns from clicks*" $learner
        said labels "$learner learns from clicks, and needs the column seen: put feedback-mask -c *" $learner
        said features "dim=1, but $learner learns a fixed list of items without features: *" $learner
    done
    said grade "seen 0 is 2, but cascade-lints learns from clicks*" cascade-lints
    for learner in toprank bubblerank; do
        said bare "no column score, which $learner needs to find the items with equal scores: *" $learner
    done
    mkstream round t=1 docs=2 dim=0 score:f8 0 0 order:u4 0 1 seen:f4 1 0 \
        + round t=2 docs=3 dim=0 score:f8 0 0 0 order:u4 0 1 2 seen:f4 1 0 0 >longer
    for learner in cascade-klucb toprank bubblerank; do
        fails_on longer 1 "update: <stdin>: round 2: docs=3, but the model has 2 items: $learner *" \
            update -a $learner
    done
}

@test "models whose list is none are refused" {
    model="learner=bubblerank rounds=3 dim=2 features=0 delta=9.9999999999999995e-07 w:f8 1 0 wins:f8 1 0 0 1"
    mkstream round t=1 docs=2 dim=0 score:f8 0 0 order:u4 0 1 seen:f4 1 0 >round
    for base in '0 0' '0 2' '0 -1' '0.5 1' '1e300 0'; do
        mkstream model $model items:f8 2 base:f8 $base >bad
        fails_on round 1 'update: model bad: model: base* is *, which is not an item, or an item listed twice' \
            update -a bubblerank -m bad
    done
    mkstream model $model items:f8 2 base:f8 1 0 >good
    update -a bubblerank -m good <round 2>resumed
    # a list shorter than the weights
    for learner in bubblerank toprank; do
        more="base:f8 0 1 2"
        [ $learner = bubblerank ] || more="better:f8 1 0 0 0 1 0 0 0 1"
        mkstream model learner=$learner rounds=3 dim=3 features=0 delta=9.9999999999999995e-07 w:f8 2 1 0 \
            wins:f8 1 0 0 0 1 0 0 0 1 items:f8 2 $more >bad
        fails_on round 1 "*update: <stdin>: round 1: docs=2, but the model has 3 weights: $learner *" \
            update -a $learner -m bad
    done
}

@test "each finds the five best of ten items from clicks" {
    for learner in 'cascade-klucb cascade 5' 'toprank perfect 10' 'bubblerank perfect 10' \
        'toprank navigational 10'; do
        set -- $learner
        loop "synth -n 20000 noisy-binary | score | explore | metric -e 10000 -r -t table prec@5 |
            feedback-mask -L 1 -c $2 -k $3 | update -a $1" >model
        # the last half of the rounds: nearly all of the 5 * 20/21 relevant items that can be on top
        awk -v learner="$learner" 'NR == 2 { had = $2 } NR == 3 { mean = ($2 - had) / 10000 }
            END { print learner, mean; exit !(mean > 4.7) }' table
    done
}
