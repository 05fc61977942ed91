# toprank, which learns one list from clicks, by hand: a step, what it refuses, what it finds.
# tests/exact/toprank.c holds it to its paper's algorithm.
load ../helper
load ../models

# model_array FILE NAME: an array of a model, in one line.
model_array() {
    bin2txt "$1" | sed -n "s/^$2\t[0-9]*\t//p" | paste -sd ' ' -
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

@test "it says what it cannot learn from" {
    said() { fails_on "$1" 1 "update: <stdin>: round $2" update -a toprank; }
    mkstream round t=1 docs=2 dim=0 score:f8 0 0 order:u4 0 1 seen:f4 2 0 >grade
    mkstream round t=1 docs=2 dim=0 score:f8 0 0 label:f4 1 0 >labels
    mkstream round t=1 docs=2 dim=1 score:f8 0 0 order:u4 0 1 seen:f4 1 0 x:f4 1 2 >features
    mkstream round t=1 docs=2 dim=0 order:u4 0 1 seen:f4 1 0 >bare
    said grade "1: seen 0 is 2, but toprank learns from clicks*"
    said labels "1: toprank learns from clicks, and needs the column seen: put feedback-mask -c *"
    said features "1: dim=1, but toprank learns a fixed list of items without features: *"
    said bare "1: no column score, which toprank needs to find the items with equal scores: *"
    mkstream round t=1 docs=2 dim=0 score:f8 0 0 order:u4 0 1 seen:f4 1 0 \
        + round t=2 docs=3 dim=0 score:f8 0 0 0 order:u4 0 1 2 seen:f4 1 0 0 >longer
    said longer "2: docs=3, but the model has 2 items: toprank *"
}

@test "a model whose list is shorter than its weights is refused" {
    mkstream round t=1 docs=2 dim=0 score:f8 0 0 order:u4 0 1 seen:f4 1 0 >round
    mkstream model learner=toprank rounds=3 dim=3 features=0 delta=9.9999999999999995e-07 w:f8 2 1 0 \
        wins:f8 1 0 0 0 1 0 0 0 1 items:f8 2 better:f8 1 0 0 0 1 0 0 0 1 >bad
    fails_on round 1 "*update: <stdin>: round 1: docs=2, but the model has 3 weights: toprank *" \
        update -a toprank -m bad
}

@test "it finds the five best of ten items from clicks" {
    for clicks in perfect navigational; do
        loop "synth -n 20000 noisy-binary | score | explore | metric -e 10000 -r -t table prec@5 |
            feedback-mask -L 1 -c $clicks -k 10 | update -a toprank" >model
        # the last half of the rounds: nearly all of the 5 * 20/21 relevant items that can be on top
        awk -v clicks="$clicks" 'NR == 2 { had = $2 } NR == 3 { mean = ($2 - had) / 10000 }
            END { print clicks, mean; exit !(mean > 4.7) }' table
    done
}
