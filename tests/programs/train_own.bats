# train: curves, alternatives, and learners that are programs of their own.
load ../helper

NEEDS=python3

setup_file() {
    PYTHON=$(python3 -c 'import sys; print(sys.executable)') || return 0
    export PYTHON
}

train() {
    "$PYTHON" "$ROOT/cmd/train" "$@"
}

# texts: train.svm and test.svm, 60 and 60 queries of five grades.
texts() {
    awk '$2 != q { q = $2; n++ } n > 120 { exit } { print >(n % 2 ? "train.svm" : "test.svm") }' \
        "$ROOT/examples/data/small.svm"
}

# cell LEARNER SEED COLUMN: a number of the table.
cell() {
    awk -F '\t' -v learner="$1" -v seed="$2" -v column="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $1 == learner && $4 == seed { print $at[column] }' train.out/table.tsv
}

# mean TABLE: of the values of metric -q.
mean() {
    awk 'NR > 1 { s += $3 } END { printf "%.7g\n", s / (NR - 1) }' "$1"
}

@test "curves: what was shown until then, and the model at that point on a part of the held-out queries" {
    texts
    train -n 520 -s 4 -a ridge -a kl -x '-g 0.2' -A train.svm test.svm >said
    svm2bin -n train.svm >train.bin
    svm2bin -n test.svm >test.bin
    # 520 rounds have a point every 11; 50 of 60 queries judge it, those of numbers 60 i / 50, from 0
    is "$(cut -f 1 train.out/curves/ridge.seed4.tsv | xargs)" "t $(seq -s ' ' 11 11 517) 520"
    replay test.bin | bin2txt | awk '$2 != q { q = $2; n++ }
        { for (i = 0; i < 50; i++) if (int(i * 60 / 50) == n - 1) { print; next } }' | svm2bin >part.bin
    for learner in 'ridge' 'kl -g 0.2'; do
        set -- $learner
        for t in 11 209 520; do
            loop "replay -n $t -s 4 train.bin | score | explore ${*:2} -s 4 | metric -t shown ndcg@10 |
                feedback-mask -k 1 | update -a $1" >w.bin
            name=$1 && [ $# = 1 ] || name=${1}_explore_-g_0.2
            score -m w.bin <part.bin | explore -s 4 | metric ndcg@10 | tail -n 1 | cut -f 2 >held
            is "$(awk -v t=$t '$1 == t { print $2, $3 }' "train.out/curves/$name.seed4.tsv")" \
                "$(tail -n 1 shown | cut -f 2) $(printf '%.7g' "$(cat held)")"
        done
        same w.bin "train.out/models/$name.seed4.bin"
    done
    # shown and discounted are over as many rounds for all: those of listnet
    n=$(awk -F ': rounds by validation: ' '$1 == "listnet" { print $2 }' said)
    [ "$n" -lt 520 ]
    grep -q "^shown: the first $n lists" said
    is "$(cell ridge 4 shown:ndcg@10)" "$(head -n $((n + 1)) train.out/shown/ridge.seed4.tsv | mean /dev/stdin)"
    is "$(cell ridge 4 discounted:ndcg@10)" "$(awk -v n="$n" 'NR > 1 && $1 <= n { s += w ? (w *= 0.9995) * $3 : (w = 1) * $3 }
        END { printf "%.7g", s }' train.out/shown/ridge.seed4.tsv)"
    # without curves the same table; with them again, only what lacks them is run
    cp -r train.out with
    train -L -n 520 -s 4 -o without -a ridge -a kl -x '-g 0.2' -A train.svm test.svm >again
    same said again
    same without/table.tsv train.out/table.tsv
    same without/models/ridge.seed4.bin train.out/models/ridge.seed4.bin
    is "$(head -n 1 without/curves/ridge.tsv)" $'t\tndcg@10\tndcg@10:se'
    train -n 520 -s 4 -o without -a ridge -a kl -x '-g 0.2' -A train.svm test.svm 2>err >again
    grep -q '1 of 4 runs are finished' err # random order
    diff -r without/curves with/curves
}

@test "alternatives: the best by three parts of the training queries learns from all of them" {
    texts
    train -n 600 -s 3 -a 'kl,eta=1e-6|3e-3,radius=1|2' -x '-g 0.2' train.svm test.svm >said
    svm2bin -n train.svm >train.bin
    for part in 0 1 2; do
        bin2txt <train.bin | awk -v part=$part '$2 != q { q = $2; n++ } (n - 1) % 3 == part' | svm2bin >part.$part
    done
    for eta in 1e-6 3e-3; do
        for radius in 1 2; do
            for part in 0 1 2; do # 40 of 60 queries in 10 passes
                loop "replay -n 400 -s 3 $(ls part.? | grep -v "$part\$" | xargs) | score | explore -g 0.2 -s 3 |
                    feedback-mask -k 1 | update -a kl -e $eta -U $radius" >w.bin
                score -m w.bin <part.$part | explore -s 3 | metric -q ndcg@10 | sed 1d
            done | awk -v name="kl,eta=$eta,radius=$radius" '{ s += $3 } END { print s / NR, name }'
        done
    done | sort -s -k 1,1rg >order
    chosen=$(head -n 1 order | cut -d ' ' -f 2)
    is "$(cell 'kl,eta=1e-6|3e-3,radius=1|2, explore -g 0.2' 3 chosen)" "$chosen"
    grep -qF "chosen: $chosen" said
    loop "replay -n 600 -s 3 train.bin | score | explore -g 0.2 -s 3 | feedback-mask -k 1 | update -a $chosen" >w.bin
    same w.bin train.out/models/kl_eta_1e-6_3e-3_radius_1_2_explore_-g_0.2.seed3.bin
    many=$(seq -s '|' 1 65)
    fails 2 "train: -a 'ridge -C $many': 65 alternatives: at most 64 can be tried*" \
        train -a "ridge -C '$many'" train.svm test.svm
    fails 2 "train: -a 'kl|ridge': alternatives are values of settings*" train -a "kl|ridge" train.svm test.svm
    fails 2 "train: -a 'kl,eta=1,rho=2': update: kl has no setting *" train -a "kl,eta=1,rho=2|3" train.svm test.svm
}

@test "exec: a program in update's place, with -f, -m and -s, gives what update gives" {
    texts
    printf '#!/bin/sh\n[ "$6" = 5 ] && shift 0 && exec update -a ridge "$1" "$2" "$3" "$4"\n' >"an own 'learner'"
    chmod +x "an own 'learner'"
    train -L -n 300 -s 5 -a "exec:\"./an own 'learner'\"" -a ridge -x '-p top -g 0.1' train.svm test.svm >said
    same "$(ls train.out/models/exec*)" "$(ls train.out/models/ridge*)"
    is "$(cell "exec:./an own 'learner'" 5 held-out:ndcg@10)" "$(cell 'ridge, explore -p top -g 0.1' 5 held-out:ndcg@10)"
    is "$(cell "exec:./an own 'learner'" 5 shown:ndcg@10)" "$(cell 'ridge, explore -p top -g 0.1' 5 shown:ndcg@10)"
    # once more: nothing runs; when the program has changed, it runs, and nothing else
    train -L -n 300 -s 5 -a "exec:\"./an own 'learner'\"" -a ridge -x '-p top -g 0.1' train.svm test.svm 2>err >again
    same said again
    grep -q '3 of 3 runs are finished' err
    echo '# another' >>"an own 'learner'"
    train -L -n 300 -s 5 -a "exec:\"./an own 'learner'\"" -a ridge -x '-p top -g 0.1' train.svm test.svm 2>err >again
    grep -q '2 of 3 runs are finished' err
    grep -qx 'train: 1 runs of a program that changed since are repeated' err
    fails 2 "train: -a 'exec:nowhere': nowhere: no such program*" train -a exec:nowhere train.svm test.svm
    fails 2 "train: -a 'exec:': the command of a program*" train -a exec: train.svm test.svm
    fails 2 "update: 'exec:x' is a program of its own, and update is not: use train -a exec:, or pipes*" update -a exec:x
    fails 2 "*'exec:x' is a program of its own*use train -a exec:, or pipes*" loop 'replay q.bin | score | explore | update -a exec:x'
}

# own WORD: own.py is a learner of the mean of what was seen, whose line `# WORD` is left out, or put in.
own() {
    cat >own.py <<'END'
import getopt
import sys
import time
import rankpipe
options = dict(getopt.getopt(sys.argv[1:], "f:m:s:")[0])
model = rankpipe.Model.make([])
#never time.sleep(100)
with open(options["-f"], "wb", 0) as ring, rankpipe.Writer(ring) as out:
    out.write(model)
    for t, round in enumerate(rankpipe.read(sys.stdin.buffer), 1):
        x, w = round.dense()[round["order"][0]], list(model.w) or [0.0] * 12
        model = rankpipe.Model.make([a + 0.01 * round["seen"][0] * b for a, b in zip(w, x)])
        model.keys["rounds"] = str(t)
        #wide model = rankpipe.Model.make([1.0] * 13) if t == 20 else model
        #dies if t == 20: sys.exit("enough\nof it")
        #rests if t == 20: print("I rest", flush=True); time.sleep(100)
        #nonsense if t == 20: ring.write(b"\xff\x00\n" * 3); time.sleep(100)
        #cut if t == 20: ring.write(b"rankpipe/1 model learner=fixed dim=12 bytes=99999999999\n"); time.sleep(100)
        #killed if t == 20: import os; os.kill(os.getpid(), 9)
        #early if t == 20: sys.exit()
        out.write(model)
#changes open(sys.argv[0], "a").write("\n")
#size model = rankpipe.Model.make([1.0] * 3)
rankpipe.write_model(options["-m"], model)
#fails sys.exit(3)
END
    case $1 in
    empty) echo >own.py ;;
    file) sed -i 's/^rankpipe.write_model.*//' own.py ;;
    *) sed -i "s/#$1 //" own.py ;;
    esac
}

@test "exec: a program that dies, never answers or sends nonsense fails its run, with its last lines" {
    texts
    export PYTHONPATH=$ROOT/lib/python RANKPIPE_PATIENCE=3
    while read -r how wrong; do
        own "$how"
        status=0
        timeout 60 "$PYTHON" "$ROOT/cmd/train" -n 60 -s 1 -o "$how" -a "exec:$PYTHON own.py" train.svm test.svm 2>err >out || status=$?
        [ "$status" = 1 ] && grep -qF "$wrong" err && grep -q '1 of [12] runs failed' err || { echo "$how: $status" && cat err && return 1; }
        [ -z "$(ls "$how/models")" ] && [ ! -e "$how/.work" ]
    done <<'END'
never no round was learnt for 3 s, so it was ended; its last lines:
rests   I rest
wide message 20 in the ring has the weights of 13 features, and the rounds have 12
dies it ended with exit status 1; its last lines:
dies   of it
nonsense message 20 in the ring begins with b'\xff\x00\n', and is not a model
cut message 20 in the ring has a header line that ends in
killed it was ended by signal 9
early it ended after round 19 of 60
changes changed while it ran
size its model has the weights of 3 features, and the rounds have 12
file it left no model in the file of -m
fails it ended with exit status 3
empty it ended after round 0 of 60
END
    own none
    train -n 60 -s 1 -o none -a "exec:$PYTHON own.py" -f 3 train.svm >said # and a model of everything
    is "$(ls none/models | wc -l)" 4
    if pgrep -f "$PWD/"; then return 1; fi # of those that rested, none is left
}

@test "exec: after kill -9 of train the same command continues, and no program is left" {
    texts
    export PYTHONPATH=$ROOT/lib/python
    own none
    "$PYTHON" "$ROOT/cmd/train" -j 1 -n 4000 -s '1 2' -a "exec:$PYTHON own.py" train.svm test.svm >/dev/null 2>&1 3>&- &
    for _ in {1..400}; do
        [ ! -s train.out/.work/exec_*.seed2.shown ] || break
        sleep 0.05
    done
    kill -KILL $!
    wait $! || true
    for _ in {1..100}; do
        pgrep -f "$PWD/train.out/" || break
        sleep 0.1
    done
    is "$(pgrep -f "$PWD/train.out/")" ''
    train -n 4000 -s '1 2' -a "exec:$PYTHON own.py" train.svm test.svm 2>err >said
    grep -q '3 of 4 runs are finished' err
    [ ! -e train.out/.work ]
}
