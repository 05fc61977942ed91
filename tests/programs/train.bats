# train: from text to models, a held-out table with standard errors, and a picture.
load ../helper

NEEDS=python3
TRAIN=$ROOT/cmd/train

# Where python3 is a script that looks for Python, that is found once.
setup_file() {
    PYTHON=$(python3 -c 'import sys; print(sys.executable)') || return 0
    export PYTHON
}

train() {
    "$PYTHON" "$TRAIN" "$@"
}

# texts: train.svm and test.svm, 60 and 30 queries of five grades.
texts() {
    awk '$2 != q { q = $2; n++ } n > 90 { exit } { print >(n % 3 ? "train.svm" : "test.svm") }' \
        "$ROOT/examples/data/small.svm"
}

# cell LEARNER FOLD SEED COLUMN [TABLE]: a number of the table.
cell() {
    awk -F '\t' -v learner="$1" -v fold="$2" -v seed="$3" -v column="$4" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $1 == learner && $3 == fold && $4 == seed { print $at[column] }' "${5:-train.out/table.tsv}"
}

# near A B: equal to 1e-6, or to the four digits of a standard error.
near() {
    awk -v a="$1" -v b="$2" 'BEGIN {
        d = a - b; d = d < 0 ? -d : d
        if (a == "" || b == "" || d > 1e-6 && sprintf("%.4g", b) != a) { print a, b; exit 1 } }'
}

# differences FILE: the rows of the differences from the best.
differences() {
    sed -n '/^run /,/^$/p' "$1" | sed '1d; $d'
}

last() {
    tail -n 1 | cut -f "${1:-2}"
}

@test "two texts: each number is that of the pipeline written out by hand" {
    texts
    train -n 400 -s '1 7' -a 'ridge -C 10' -a kl,eta=1e-4,radius=2 -x '-g 0.3' -k 2 -a thompson -a thompson,seed=5 \
        -m 'ndcg@10 map' train.svm test.svm >said
    svm2bin -n train.svm >train.bin
    svm2bin -n test.svm >test.bin
    by_hand() { # name, seed, options of explore, of feedback-mask and of update
        rm -f w.bin
        loop "replay -n 400 -s $2 train.bin | score | explore $3 -s $2 | metric -t curve ndcg@10 map |
            feedback-mask $4 | update $5 -m w.bin"
        score -m w.bin <test.bin | explore -s "$2" >ranked
        metric -q ndcg@10 map <ranked >"$1.$2.q"
        metric ndcg@10 map <ranked >held
        is "$(cell "$1" - "$2" shown:ndcg@10)" "$(last <curve)"
        is "$(cell "$1" - "$2" shown:map)" "$(last 3 <curve)"
        is "$(cell "$1" - "$2" held-out:ndcg@10)" "$(last <held)"
        is "$(cell "$1" - "$2" held-out:map)" "$(last 3 <held)"
        same w.bin "train.out/models/$(echo "$1" | tr -cs 'A-Za-z0-9.+\n-' _).seed$2.bin"
    }
    for seed in 1 7; do
        by_hand 'ridge -C 10' $seed '' '-k 1' '-a ridge -C 10'
        by_hand 'kl,eta=1e-4,radius=2, explore -g 0.3, 2 judged' $seed '-g 0.3' '-k 2' '-a kl -e 1e-4 -U 2'
        by_hand thompson $seed '' '-k 1' "-a thompson -s $seed"
        by_hand thompson,seed=5 $seed '' '-k 1' '-a thompson -s 5'
    done
    replay -n 400 -s 7 train.bin | explore -g 1 -s 7 | metric ndcg@10 map >curve
    is "$(cell 'random order' - 7 shown:map)" "$(last 3 <curve)"
    is "$(wc -l <train.out/table.tsv)" 16

    # the means, their standard errors over two seeds, and over the queries
    for column in shown:ndcg@10 held-out:ndcg@10 shown:map held-out:map; do
        a=$(cell thompson - 1 $column) b=$(cell thompson - 7 $column)
        near "$(cell thompson - mean $column)" "$(awk -v a=$a -v b=$b 'BEGIN { print (a + b) / 2 }')"
        over=se
        case $column in held-out:*) over=seeds ;; esac
        near "$(cell thompson - mean $column:$over)" \
            "$(awk -v a=$a -v b=$b 'BEGIN { d = a - b; print (d < 0 ? -d : d) / 2 }')"
    done
    paste thompson.1.q thompson.7.q >both
    for i in 3 4; do
        awk -v i=$i 'NR > 1 { n++; x = ($i + $(i + 5)) / 2; s += x; ss += x * x }
            END { print sqrt((ss - s * s / n) / (n - 1) / n) }' both
    done >errors
    near "$(cell thompson - mean held-out:ndcg@10:se)" "$(sed -n 1p errors)"
    near "$(cell thompson - mean held-out:map:se)" "$(sed -n 2p errors)"
    is "$(cut -f 2,4 train.out/queries/thompson.tsv | sed -n 5p)" \
        "$(awk 'NR == 5 { printf "%s\t%.10g", $2, ($4 + $9) / 2 }' both)"
    grep -q "^thompson .*$(printf '%.4f' "$(cell thompson - mean held-out:ndcg@10)") +- $(
        printf '%.4f' "$(sed -n 1p errors)")  " said

    # differences from the best row, which is first, by the first measure
    differences said >rows
    is "$(wc -l <rows)" 5
    best=$(awk -F '\t' '$4 == "mean" && $7 > best { best = $7; name = $1 } END { print name }' train.out/table.tsv)
    base=$(echo "$best" | tr -cs 'A-Za-z0-9.+\n-' _)
    is "$(head -n 1 rows | cut -d ' ' -f 1)" "$base"
    compare "train.out/queries/$base.tsv" train.out/queries/random.tsv | tail -n 1 | tr -s ' ' >two
    is "$(grep '^random ' rows | tr -s ' ' | cut -d ' ' -f 2-7)" "$(cut -d ' ' -f 2-7 two)"
    train -n 200 -s 1 -a ridge -m 'pairloss ndcg@10' -o less train.svm test.svm >said # less is better
    is "$(differences said | sed -n 1p | cut -d ' ' -f 1)" ridge
    is "$(tail -n 1 said)" "The best held out: ridge, pairloss $(printf '%.4f' "$(cell ridge - mean held-out:pairloss less/table.tsv)")"
}

@test "one text in folds, or a file for each: query q is held out in fold 1 + (q - 1) mod folds" {
    texts
    printf '# a comment\n\n' | cat - train.svm | sed 's/$/\r/' >text.svm
    train -f 3 -n 400 -a ridge -a listnet -k all text.svm 2>err
    table=text.out/table.tsv
    grep -q '60 queries' err
    for fold in 1 2 3; do
        awk -v f=$fold '$2 != q { q = $2; n++ } (n - 1) % 3 + 1 == f' train.svm >part$fold.svm
        svm2bin -n part$fold.svm >fold.$fold
    done
    for fold in 1 2 3; do
        others=$(ls fold.? | grep -v "$fold\$")
        for learner in 'ridge -g 0 1' 'listnet -g 0 all'; do
            set -- $learner
            loop "replay -n 400 -s 1 $(echo $others) | score | explore $2 $3 -s 1 | metric -t curve ndcg@10 |
                feedback-mask -k $4 | update -a $1" >w.bin
            score -m w.bin <fold.$fold | explore -s 1 | metric ndcg@10 >held
            name=$1
            [ $4 = 1 ] || name='listnet, all judged'
            is "$(cell "$name" $fold 1 held-out:ndcg@10 $table)" "$(last <held)"
            is "$(cell "$name" $fold 1 shown:ndcg@10 $table)" "$(last <curve)"
        done
    done
    # the mean is over queries: each counts once
    is "$(cut -f 2 text.out/queries/ridge.tsv | sed 1d | sort -u | wc -l)" 60
    near "$(cell ridge mean mean held-out:ndcg@10 $table)" \
        "$(awk 'NR > 1 { s += $3 } END { print s / (NR - 1) }' text.out/queries/ridge.tsv)"
    near "$(cell ridge mean mean held-out:ndcg@10:seeds $table)" nan
    # and a model of everything
    loop 'replay -n 400 -s 1 fold.1 fold.2 fold.3 | score | explore -s 1 | feedback-mask |
        update -a ridge' >w.bin
    same w.bin text.out/models/ridge.all.seed1.bin
    grep -q 'a model is text.out/models/ridge.all.seed1.bin' err

    train -f 3 -n 400 -a ridge -a listnet -k all -o files part1.svm part2.svm part3.svm
    same files/table.tsv text.out/table.tsv
}

@test "learners of all labels make 2, 4 or 8 passes, as validation on a quarter of their queries chooses" {
    texts
    train -s 2 -a slam -a committee -a slam-ap train.svm test.svm >said
    svm2bin -n train.svm >train.bin
    replay -s 2 -n 15 train.bin >quarter
    replay -s 2 -b 16 -n 60 train.bin >rest
    for called in slam 'committee -s 2' slam-ap; do
        learner=${called% -*}
        for n in 30 60; do
            loop "replay -n $n -s 2 quarter | score | explore -s 2 | feedback-mask -k all | update -a $called" >w.bin
            score -m w.bin <rest | explore -s 2 | metric -q ndcg@10 >$n.tsv
        done
        # of 45 queries, t = diff / error is below -2 if p(t) is below 0.05168
        passes=$(compare -t 30.tsv 60.tsv | tail -n 1 | awk -F '\t' '
            { print ($7 > 0 ? 8 : $7 < 0 && $11 < 0.05168 ? 2 : 4) }')
        chosen=$((60 * passes))
        loop "replay -n $chosen -s 2 train.bin | score | explore -s 2 | feedback-mask -k all |
            update -a $called" >w.bin
        same w.bin train.out/models/$learner.seed2.bin
        grep -qx "$learner: rounds by validation: $chosen" said
        echo $chosen
    done >all
    is "$(paste -s -d ' ' all)" '240 120 480' # 4 passes were a little worse than 2, much worse and better
    # -n is the most, and -k all wants just that
    train -s 3 -n 130 -a slam -a slam -k all -o few train.svm test.svm >said
    grep -qx 'slam: rounds by validation: 130' said
    is "$(bin2txt -f head few/models/slam_all_judged.seed3.bin | grep -o ' rounds=[0-9]*')" ' rounds=130'
}

@test "the same table with any number of jobs; the folder's name and files are said" {
    texts
    train -n 300 -s '1 2 3' -a ridge -a pdgd -a 'solar1' -j 1 train.svm test.svm >one 2>err
    grep -qx 'train: wrote train.out/table.tsv' err
    grep -q 'into the folder train.out' err
    train -n 300 -s '1 2 3' -a ridge -a pdgd -a 'solar1' -j 4 -o four train.svm test.svm >four.said
    same one four.said
    for file in table.tsv models/ridge.seed2.bin models/pdgd.seed3.bin curves/solar1.tsv; do
        same train.out/$file four/$file
    done
    is "$(ls -A train.out | tr '\n' ' ' | sed 's/picture.svg //')" 'curves models queries rows shown table.tsv '
    # a learner's curve is the mean over its seeds, with its standard error
    for seed in 1 2 3; do last <train.out/curves/ridge.seed$seed.tsv; done |
        awk '{ n++; s += $1; ss += $1 * $1 } END { print s / n, sqrt((ss - s * s / n) / (n - 1) / n) }' >by_hand
    near "$(last <train.out/curves/ridge.tsv)" "$(cut -d ' ' -f 1 by_hand)"
    near "$(last 3 <train.out/curves/ridge.tsv)" "$(cut -d ' ' -f 2 by_hand)"
}

@test "names of documents are kept, unless -v drops them" {
    texts
    for text in train test; do awk '{ print $0, "# docid = D" NR }' $text.svm >named.$text; done
    train -n 100 -s 1 -o with named.train named.test >said
    train -n 100 -s 1 -o without -v '-n -C' named.train named.test >said
    is "$(bin2txt -f head with/models/*.bin | grep -o ' keys=[a-z,]*')" ' keys=names'
    is "$(bin2txt -f head without/models/*.bin | grep -o ' keys=[a-z,]*')" ' keys=features'
    same with/table.tsv without/table.tsv # lists that stay as they are
}

@test "clicks, with the top grade of the labels" {
    texts
    for top in 1 4; do
        for name in train test; do
            awk -v top=$top '{ $1 = $1 > top ? top : $1; print }' $name.svm >$name.$top.svm
        done
        train -n 200 -s 3 -c perfect -k 5 -a ridge -o $top train.$top.svm test.$top.svm
        svm2bin -n train.$top.svm >train.bin
        loop "replay -n 200 -s 3 train.bin | score | explore -g 0.003 -s 3 |
            feedback-mask -k 5 -c perfect -L $top -s 3 | update -a ridge" >w.bin
        same w.bin $top/models/ridge_5_judged_perfect.seed3.bin
        is "$(cut -f 2 $top/table.tsv | tail -n 1)" perfect
    done
}

@test "ten queries, a feature that the training text lacks, and paths with blanks" {
    mkdir 'my data' 'my runs'
    for q in 1 2 3 4 5 6 7 8 9 10; do
        printf '1 qid:%s 1:0.%s 3:1\n0 qid:%s 1:0.1 2:1\n2 qid:%s 3:2 # last\n' $q $q $q $q
    done >'my data/train it.svm'
    sed 's/3:2/3:2 5:1/' 'my data/train it.svm' >'my data/test it.svm'
    seq 5 | sed 's/.*/& feature&/' >'my data/my names'
    train -n 50 -s 1 -a "ridge -y '$PWD/my data/my names'" 'my data/train it.svm' 'my data/test it.svm' 2>err
    grep -qa feature3 'my data/train it.out/models/'*.bin
    grep -q '60 documents of 20 queries, 5 features; into the folder my data/train it.out' err
    is "$(cut -f 3,4 'my data/train it.out/table.tsv' | paste -s -d ' ' -)" 'fold	seed -	1 -	mean -	1 -	mean'
    (cd 'my runs' && train -o 'ten folds' -f 10 -n 50 '../my data/train it.svm')
    is "$(cut -f 3 'my runs/ten folds/table.tsv' | sed -n 2,12p | paste -s -d ' ' -)" '1 2 3 4 5 6 7 8 9 10 mean'
    fails 1 '*train it.svm: 11 folds need as many queries, it has 10*' train -f 11 'my data/train it.svm'
}

@test "hostile names: paths stay the bytes they are, and never become options or lines" {
    command -v gnuplot >/dev/null || skip "gnuplot is missing: it draws the pictures"
    texts
    for folder in -x $'new\nline' $'lat\xe9' '$(touch x)' '%n'; do
        train -n 20 -s 1 -a ridge -o "$folder" train.svm test.svm >said 2>err
        [ -s "./$folder/picture.svg" ]
        is "$(differences said | cut -d ' ' -f 1 | sort | xargs)" 'random ridge'
    done
    [ ! -e x ]
    train -n 20 -s 1 -a ridge -o $'lat\xe9' train.svm test.svm 2>err
    grep -aqF "score -m '"$'lat\xe9'"/models/ridge.seed1.bin'" err
    # a learner's name too
    seq 12 >$'names\xe9'
    PYTHONIOENCODING=ascii train -n 20 -s 1 -a "ridge -y $PWD/"$'names\xe9' train.svm test.svm >said
    grep -aqF $'names\xe9' said
}

@test "output that nobody can take: a message, or SIGPIPE, and nothing half-written or still at work" {
    [ -c /dev/full ] || skip 'no /dev/full here: the tests write to it'
    texts
    status=0
    train -n 20 -s 1 train.svm test.svm >/dev/full 2>err || status=$?
    is $status 1
    is "$(tail -n 1 err)" 'train: cannot write: No space left on device'
    train -n 20 -s 1 -o mute train.svm test.svm 2>/dev/full >said
    grep -q '^memory' said
    # queries without a value are not counted, and a picture that fails does not take the table
    awk '{ $1 = 0; print }' train.svm >none.svm
    awk '$2 != q { q = $2; n++ } n > 9 { $1 = 0 } 1' test.svm >nine.svm
    fails 1 '*train: the picture failed; the table is written' \
        train -n 20 -s 1 -m '-z skip ndcg@10' -a ridge none.svm nine.svm
    grep -q 'standard error over these 9\.$' out
    # random order is judged on each query, however few the rounds
    is "$(wc -l <none.out/queries/random.tsv)" "$(wc -l <none.out/queries/ridge.tsv)"
    # a reader of messages that is gone ends the runs too
    status=0
    perl -e '$SIG{PIPE} = "DEFAULT"; pipe $r, $w; close $r; open STDERR, ">&", $w; exec @ARGV' \
        "$PYTHON" "$TRAIN" -n 100000000 -s 1 -o gone train.svm test.svm || status=$?
    is $status 141
    [ ! -e gone/.work ]
    : >train.out/rows/memory.seed1.tsv # what a crash of the machine left
    train -n 20 -s 1 train.svm test.svm 2>err
    grep -q '1 of 2 runs are finished' err
    rm -r train.out/curves && touch train.out/curves
    fails 1 '*train: train.out/curves: File exists' train -n 20 -s 1 train.svm test.svm
}

@test "finished runs are kept, and others are not replaced unless -w says so" {
    texts
    train -n 200 -s '1 2' -a ridge train.svm test.svm >first
    cp -r train.out before
    train -n 200 -s '1 2' -a ridge train.svm test.svm >again 2>err
    same first again
    grep -qx 'train: 4 of 4 runs are finished in train.out, and kept' err
    grep -qx 'train: train.out/table.tsv is unchanged' err
    if grep -q 'runs of 200 rounds' err; then return 1; fi
    rm train.out/models/ridge.seed2.bin
    train -n 200 -s '1 2' -a ridge -a 'kl -e 1e-4' train.svm test.svm 2>err
    grep -q '3 of 6 runs are finished' err
    grep -q 'replaced train.out/table.tsv' err
    same before/models/ridge.seed2.bin train.out/models/ridge.seed2.bin
    cp -r train.out before2
    fails 1 '*train: train.out has random.seed1 with other settings*it had *-n 200*now *-n 300*' \
        train -n 300 -s 1 -a ridge train.svm test.svm
    diff -r before2 train.out
    train -w -n 300 -s 1 -a ridge train.svm test.svm 2>err
    grep -q '2 runs of other settings in train.out are replaced' err
    mkdir mine
    echo mine >mine/table.tsv
    fails 1 'train: mine has table.tsv, which train did not write*' train -o mine train.svm test.svm
    is "$(ls -A mine)" table.tsv
    # one train at a time, and what a killed one left is removed
    fails 1 'train: train.out: train is running there already' "$PYTHON" -c 'import fcntl, os, subprocess, sys
fcntl.flock(os.open("train.out", os.O_RDONLY), fcntl.LOCK_EX)
sys.exit(subprocess.run(sys.argv[1:]).returncode)' "$PYTHON" "$TRAIN" train.svm test.svm
    mkdir train.out/.work
    touch train.out/.work/ridge.seed1.shown
    train -n 300 -s 1 -a ridge train.svm test.svm
    [ ! -e train.out/.work ]
}

@test "a run that fails: status 1, its message, and the other runs are kept" {
    texts
    fails 1 '*train: squared_-e_1e30.seed1: *weights diverge*1 of 3 runs failed*' \
        train -n 300 -s 1 -a 'squared -e 1e30' -a ridge train.svm test.svm
    is "$(ls -A train.out | xargs)" 'curves models rows shown'
    is "$(ls train.out/models)" ridge.seed1.bin
    train -n 300 -s 1 -a ridge train.svm test.svm 2>err
    grep -q '2 of 2 runs are finished' err
    # a text that is wrong, with file and line, and no folder left
    { cat train.svm && echo 'x qid:z 1:1'; } >bad.svm
    fails 1 "svm2bin: bad.svm: line $(wc -l <bad.svm): the label *" train bad.svm test.svm
    [ ! -e bad.out ]
}

@test "^C: nothing is half-written or still runs, and the same command continues" {
    texts
    perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$TRAIN" -n 60000 -s '1 2 3' -a ridge -j 2 \
        train.svm test.svm >/dev/null 2>err 3>&- &
    for _ in {1..200}; do
        [ -z "$(find train.out/rows -name 'random*' 2>/dev/null)" ] || break
        sleep 0.05
    done
    kill -INT $!
    status=0
    wait $! || status=$?
    is $status 130
    grep -q "train: stopped; finished runs are in train.out" err
    is "$(ls -A train.out | xargs)" 'curves models rows shown'
    for row in train.out/rows/*; do [ "$(wc -l <"$row")" = 33 ]; done
    done=$(find train.out/rows -type f | wc -l)
    [ "$done" -ge 1 ] && [ "$done" -lt 6 ]
    train -n 60000 -s '1 2 3' -a ridge train.svm test.svm 2>err
    grep -q "$done of 6 runs are finished" err
    # a run that would take hours ends at once
    perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$PYTHON" "$TRAIN" -n 1000000000 -s 1 -a ridge -j 2 -o long \
        train.svm test.svm >/dev/null 2>err 3>&- &
    for _ in {1..200}; do
        [ ! -s long/.work/ridge.seed1.shown ] || break
        sleep 0.05
    done
    kill -INT $!
    started=$!
    for _ in {1..200}; do
        kill -0 $started 2>/dev/null || break
        sleep 0.05
    done
    kill -KILL $started 2>/dev/null && return 1
    status=0
    wait $started || status=$?
    is $status 130
    is "$(ls long | xargs)" 'curves models rows shown'
}

# hurried LOOK OPTION...: train, in which a second lasts 1/50, and each look at the clock takes LOOK s.
hurried() {
    "$PYTHON" - "$TRAIN" "$@" 2>err <<'END'
import importlib.machinery, importlib.util, itertools, sys
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("train", sys.argv[1])
train = importlib.util.module_from_spec(importlib.util.spec_from_loader("train", loader))
loader.exec_module(train)
runs = sys.modules["rankpipe_train.runs"]
runs.SECOND, clock = 0.02, itertools.count(0, int(sys.argv[2]))
runs.time.monotonic = lambda: next(clock)
sys.argv[:3] = ["train"]
train.main()
END
}

@test "the time expected after the first run, and progress without a terminal" {
    texts
    hurried 20 -j 1 -n 20000 -s 1 -a ridge -a thompson -a linucb train.svm test.svm
    is "$(grep -c 'train: [23] of 4 runs, [3-9][0-9] %, .* so far, about .* left' err)" 1
    is "$(grep -c 'so far' err)" 1
    hurried 20 -j 1 -P -w -n 60000 -s 2 -a ridge -a thompson train.svm test.svm
    [ "$(grep -c '^train: [0-2] of 3 runs, [0-9]* %, .* so far' err)" -ge 2 ]
    [ "$(grep -c 'so far' err)" -le 8 ] # after 20, 40, 80 ... s
    hurried 0 -j 1 -w -n 20000 -s 3 -a ridge -a thompson train.svm test.svm # not long
    if grep 'so far' err; then return 1; fi
}

@test "the picture has a line for each learner, in the form asked for; LaTeX has a row for each" {
    command -v gnuplot >/dev/null || skip "gnuplot is missing: it draws the pictures"
    texts
    train -n 100 -s 1 -a ridge -a 'kl -e 1e-4' -l train.svm test.svm
    for name in 'random order (0)' 'ridge (1)' 'kl -e 1e-4 (1)'; do grep -qF ">$name<" train.out/picture.svg; done
    grep -qF '>held out<' train.out/picture.svg # a dashed line for each, beside what was shown
    is "$(grep -c '&.*\\\\$' train.out/table.tex)" 4
    grep -q "^ridge & 1 & \\\$$(printf '%.4f' "$(cell ridge - mean shown:ndcg@10)")\\\$ &" train.out/table.tex
    train -n 100 -s 1 -a ridge -p png train.svm test.svm
    is "$(head -c 4 train.out/picture.png | od -An -tx1)" ' 89 50 4e 47'
}

@test "-h explains every option, and a wrong command line is refused before anything is written" {
    train -h >text 2>err
    [ ! -s err ]
    for letter in A L P a c f j k l m n o p s v w x h; do grep -q "^  -$letter " text; done
    is "$(awk 'length > 100' text)" ''
    texts
    train --help | cmp - text
    refuses 2 train <<'TEXT'
train.svm | two texts are needed, train and test, not 1*usage: train *
-f 3 train.svm test.svm | -f 3 needs one file, or 3 files, not 2*
-f 1 train.svm | -f needs a whole number from 2, not '1'*
train.svm test.svm -l | -l: options come before the files*
--folds 5 train.svm | no option --folds: did you mean -f folds?*usage: train *
-f | -f needs a value*usage: train *
TEXT
    both() { train "$@" train.svm test.svm; }
    refuses 2 both <<'TEXT'
--seed=3 | no option --seed: did you mean -s seeds?*
--latex | no option --latex: options have one letter, see -h*
-q | no option -q*usage: train *
-a solra2 | -a 'solra2': update: no learner 'solra2': did you mean solar2?*
-m ndgc@10 | -m 'ndgc@10': metric: no measure 'ndgc@10': did you mean ndcg@10?*
-a 'pdgd -U 1' | -a 'pdgd -U 1': update: radius needs a step size*
-a kl,rho=1 | -a 'kl,rho=1': update: kl has no setting 'rho'*
-a ftpl,gain=lin | -a ftpl: *
-a nobody | -a 'nobody': update: no learner 'nobody'*
-a ftpl | -a ftpl: *
-a 'ridge -m x' | -a 'ridge -m x': train sets -m itself*
-a 'kl -a ridge' | -a 'kl -a ridge': train sets -a itself*
-x '-s 3' | -x '-s 3': train sets -s itself*
-v test.svm | -v 'test.svm': -v takes neither -h nor files*
-a 'ridge;' | -a 'ridge;': update: no learner 'ridge;'*
-a 'ridge;touch x' | -a 'ridge;touch x': update: *
-x "'-p \$(touch x)'" | -x '-p $(touch x)': explore: *
-a 'kl "' | -a 'kl "': No closing quotation*
-x '-g 7' | -x '-g 7': explore: *
-m map@q | -m 'map@q': metric: *
-m regret:ndcg@10 | -m 'regret:ndcg@10': metric: *
-s 1,2 | -s needs a whole number from 0, not '1,2'*
-s '1 1' | -s '1 1': a seed is given twice*
-p gif | -p needs svg, png or pdf, not 'gif'*
-a ridge -a ' ridge' | *-a 'ridge' is given twice*
TEXT
    [ ! -e x ]
    fails 1 'train: nowhere.svm: no such file, or not one that can be read twice' train nowhere.svm test.svm
    fails 1 'train: train.svm: 100000000000 folds need*' timeout 20 "$PYTHON" "$TRAIN" -f 100000000000 train.svm
    is "$(ls -d ./*.out 2>/dev/null)" ''
    cut -d ' ' -f 1,2 train.svm >flat.svm
    fails 1 '*train: flat.svm: its documents have no features*' train flat.svm flat.svm
    is "$(ls -d ./*.out 2>/dev/null)" ''
    train -n 50 -s 1 test.svm test.svm 2>err
    grep -q 'test.svm is the same text as test.svm: its numbers are not held out' err
}

# needs WORDS: what they say of the labels that a learner needs, in one word.
needs() {
    case $1 in
    *clicks* | *-c*) echo clicks ;;
    *all*) echo all ;;
    *) tr -cd '0-9' <<<"$1" ;;
    esac
}

@test "train runs each learner on the feedback of the learners' table, as the page and the tests of all learners do" {
    texts
    # shellcheck disable=SC2046
    set -- $(update -h | tr -s "\n " " " | sed "s/.*one of: \(.*\) -b with .*/\1/")
    [ $# -gt 20 ]
    source "$ROOT/tests/runs.bash"
    for run in $RUNS; do
        settings "${run%.*}"
        set -- "$@" "$(sed 's/^-a \([^ ]*\).*/\1/' <<<"$options"):$(needs "$k")" # beside the names
    done
    printf '%s\n' "$@" | grep : | sort -u >run
    for learner in $(printf '%s\n' "$@" | grep -v :); do
        made=$(update -h "$learner" | sed -n 's/^It is made for: explore.* | feedback-mask -k //p')
        page=$(awk -v name="$learner" '/^\.S/ { on = 0 } /^\.It Cm / { on = index($0 " ", " " name " ") } on && sub(/^feedback  /, "") { print; exit }' \
            "$ROOT/man/rankpipe-learners.7")
        [ -n "$made" ] && [ -n "$page" ] || { echo "$learner: '$made' '$page'"; return 1; }
        is "$learner $(needs "${page%;*}")" "$learner $(needs "$made")"
        ! update -h "$learner" | grep -q "^It learns a fixed list" || continue # train runs none of these
        less= # is a run with fewer labels good, too?
        [[ $page != 'all labels; '*'or more'* ]] || less='|[2-9]'
        grep -qxE "$learner:($(needs "$made")$less)" run || { echo "$learner is not run with $made"; return 1; }
    done
    # a learner that the table has with other feedback
    mkdir -p there/bin there/cmd
    cp -r "$ROOT/lib" there
    cp "$ROOT"/cmd/{train,plot} there/cmd
    printf '#!/bin/sh\n[ "$1" = -h ] || exec "%s" "$@"\n"%s" "$@" | sed "s/ -k 1$/ -k 7/"\n' "$ROOT"/bin/{update,update} \
        >there/bin/update
    chmod +x there/bin/update
    python3 there/cmd/train -n 20 -s 1 -a ridge -o told train.svm test.svm >said
    train -n 20 -s 1 -a ridge -k 7 -o asked train.svm test.svm >said
    same told/models/ridge.seed1.bin "asked/models/ridge_7_judged.seed1.bin"
}
