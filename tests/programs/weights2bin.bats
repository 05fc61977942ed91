#!/usr/bin/env bats
# weights2bin: weights as text to a model, and bin2txt -f tsv from a model to that text.

load ../helper

# weights FORMAT: the weights of what printf FORMAT makes of a text, one a line.
weights() {
    # shellcheck disable=SC2059
    printf "$1" | weights2bin >model
    bin2txt model | sed 1d | cut -f 3
}

# refuses FORMAT PATTERN [OPTION...]: what printf FORMAT makes is no text of weights.
refuses() {
    # shellcheck disable=SC2059
    printf "$1" >text
    fails 1 "weights2bin: text: $2" weights2bin "${@:3}" text
    [ ! -s out ]
}

# A model of real weights, and rounds for it.
learnt() {
    svm2bin "$ROOT/examples/data/small.svm" >stored
    update -a listnet -T 240 -m w.bin <stored
}

# ---- there and back ----

@test "text gives back the very same weights, and so the same scores" {
    learnt
    bin2txt w.bin | sed 1d >want
    [ "$(wc -l <want)" = 12 ]
    score -m w.bin <stored >scored
    bin2txt -f tsv w.bin >text
    weights2bin text >back
    bin2txt back | sed 1d >have
    same want have
    score -m back <stored >out
    same scored out
    weights2bin - <text >out
    same back out
    bin2txt -f tsv back >out
    same text out
}

@test "doubles that are hard to print go round: the smallest, the largest, -0, many digits" {
    printf '%s\n' '1 5e-324' '2 -1.7976931348623157e308' '3 0.1' '4 2.2250738585072011e-308' '5 0' \
        '6 0.30000000000000004' '7 -9007199254740993' '8 -0' >text
    weights2bin text >model
    bin2txt -f tsv model | weights2bin >back
    same model back
}

@test "weights at the end that are 0 are not lost" {
    printf '1 0.5\n4 0\n' | weights2bin >model
    is "$(uncrc <model | bin2txt -f head)" 'rankpipe/1 model learner=fixed rounds=0 dim=4 cols=w:f8[4] bytes=32'
    bin2txt -f tsv model | weights2bin >back
    same model back
}

@test "a model's bytes: the header, the weights, the end" {
    printf '2\t-3\n1\t0.5\n' | weights2bin | uncrc >out
    {
        echo 'rankpipe/1 model learner=fixed rounds=0 dim=2 cols=w:f8[2] bytes=16'
        printf '\0\0\0\0\0\0\xe0\x3f\0\0\0\0\0\0\x08\xc0'
        echo 'rankpipe/1 end rounds=1 bytes=0'
    } >expected
    same expected out
}

@test "-x: score makes the features of raw ones, with the constants of the file; weights of a learnt model go round" {
    learnt
    update -a listnet -x scale -m scaled.bin <stored
    bin2txt -f tsv scaled.bin 2>/dev/null | weights2bin -x scale >back
    bin2txt -f head back | grep ' made=scale '
    same <(score -m scaled.bin <stored) <(score -m back <stored)
    bin2txt -f scales stored >constants
    update -n -a listnet -x standard:constants -m scaled.bin <stored
    bin2txt -f tsv scaled.bin 2>/dev/null | weights2bin -x standard:constants >back
    same <(score -m scaled.bin <stored) <(score -m back <stored)
    fails 1 'weights2bin: cannot open nothing: *' weights2bin -x range:nothing
    fails 2 "weights2bin: no step 'size'*" weights2bin -x size
}

@test "-x base: the order is that of the engine, and rounds without one are refused" {
    echo 1 1 | weights2bin -x base >engine
    svm2bin -e "$ROOT/examples/data/small.svm" | score -m engine | explore -s 3 >shown
    same <(values_of order <shown) <(values_of base <shown)
    svm2bin "$ROOT/examples/data/small.svm" >unordered
    fails_on unordered 1 'score: *: round 1 (qid q1): the step base needs the column base*' score -m engine
}

# ---- out ----

@test "tsv is index and weight" {
    printf '1 0.1\n2 0\n3 -2\n' | weights2bin >model
    printf '1\t0.10000000000000001\n2\t0\n3\t-2\n' >expected
    bin2txt -f tsv model >out
    same expected out
}

@test "a model in a ball is printed by the weights that score" {
    svm2bin "$ROOT/examples/data/small.svm" >stored
    update -a listnet -e 1 -U 0.5 -m w.bin <stored
    bin2txt -f tsv w.bin | weights2bin >back
    score -m w.bin <stored >want
    score -m back <stored >out
    same want out
}

@test "rounds, and models that are more than weights, cannot be printed so" {
    small_text | svm2bin >stored
    fails_on stored 1 "bin2txt: <stdin>: round 1 (qid a): a round, but -f tsv prints only models" bin2txt -f tsv
    update -a prank <stored >model
    fails_on model 1 'bin2txt: <stdin>: record 1: a model of prank ranks by more than weights, *' \
        bin2txt -f tsv
    { echo 'rankpipe/1 model learner=kl rounds=0 dim=0 eta=1 cols=w:f8[0] bytes=0' &&
        echo 'rankpipe/1 end rounds=1 bytes=0'; } >model
    fails_on model 1 'bin2txt: <stdin>: record 1: the model has no weights' bin2txt -f tsv
}

# ---- in ----

@test "index and weight stand in any order, with blanks or colons, comments and CR LF" {
    is "$(weights '# by hand\r\n\n 3\t-1e-3 # less\r\n1  +.5\n')" "0.5
0
-0.001"
    is "$(weights '# by hand\n 3:-1e-3 1:+.5 # less\r\n2:0\n')" "0.5
0
-0.001"
}

@test "a model of text scores, and is not gone on with" {
    small_text | svm2bin >stored
    printf '1 2\n3 -1\n' | weights2bin >model
    is "$(score -m model <stored | explore | bin2txt -f rank | awk '$2 == "a"' | cut -f 4,5)" \
        "$(printf '%s\t%s\n' 2 1.875 0 0.75 1 -0.5)"
    cp model before
    fails_on stored 1 'update: model model: its weights came from text, *: learn into another file' \
        update -a kl -e 0.1 -m model
    same before model
}

# ---- what is refused ----

@test "what is no text of weights is refused" {
    refuses '' 'no weights'
    refuses '# none\n\n' 'no weights'
    refuses '## LambdaMART\n## No. of trees = 2\n\n<ensemble>\n' \
        "line 4: not weights: neither index TAB weight nor index:weight (rankpipe import reads other programs' models): '<ensemble>'"
    refuses 'SVM-multiclass Version V2.20\n' "line 1: not weights: *"
    refuses 'rankpipe/1 end rounds=0 bytes=0\n' 'line 1: not weights: *'
    refuses '1 2\n\0\n' "line 2: a NUL byte: *"
    fails 1 'weights2bin: cannot open nowhere: No such file or directory' weights2bin nowhere
    fails 2 'weights2bin: more than one file is named: one file is one model
usage: weights2bin *' weights2bin a b
}

@test "a line that is no index and weight is refused" {
    refuses '1 2\n2\n' "line 2: not an index and a weight with a tab or a colon between: '2'"
    refuses '1:2 2\n' "line 1: not an index and a weight with a tab or a colon between: '2'"
    refuses '1:2:3\n' "line 1: not a number, where a weight should be: '1:2:3'"
    refuses '1:2 3 4\n' "line 1: not an index and a weight with a tab or a colon between: '3'"
    refuses '0.5 1 2\n' 'line 1: not weights: *'
    refuses '1 2\nw 1\n' "line 2: not a number, where an index should be: 'w'"
    refuses '1 2\n-1 1\n' "line 2: not a number, where an index should be: '-1'"
    refuses '1 2\n2 1 1\n' "line 2: more than an index and a weight: '1'"
    for value in x nan inf 0x1p3 1,5 1e ''; do
        refuses "1 2\n2 $value\n" "line 2: not a number, where a weight should be: '$value'"
    done
    refuses '1 1e999\n' "line 1: too large for a double: '1e999'"
}

@test "an index of 0, twice, or over the most is refused" {
    refuses '0 1\n1 2\n' "line 1: index 0: indices start at 1: '0'"
    refuses '1 1\n2 1\n1 2\n' "line 3: index 1 twice: '1'"
    refuses '16777217 1\n' "line 1: an index over 16777216, the most weights allowed: use a larger -d if that is meant: '16777217'"
    refuses '99999999999999999999:1\n' "line 1: an index over 16777216, *"
    refuses '3 1\n' "line 1: an index over 2, *" -d 2
    printf '3 1\n' | weights2bin -d 3 >model
    printf '16777217 1\n' | weights2bin -d 16777217 | head -n 1 | grep -qa ' dim=16777217 '
}

@test "loop runs it alone, and with nothing else" {
    printf '1 2\n' >text
    weights2bin text >want
    loop 'weights2bin text' >out
    same want out
    loop 'weights2bin < text' >out
    same want out
    for chain in 'weights2bin text | bin2txt' 'svm2bin text | weights2bin'; do
        fails 2 'loop: weights2bin neither reads a pipe nor writes rounds: it can only stand alone*' loop "$chain"
    done
}

