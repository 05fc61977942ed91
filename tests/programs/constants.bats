#!/usr/bin/env bats
# Steps with constants: bin2txt -f scales prints them, standard and range use them, models keep them.

load ../helper

# Raw text: features of different sizes and signs, one constant, one with a long tail, zeros.
raw() {
    awk 'BEGIN {
        srand(5)
        for (i = 0; i < 200; i++) {
            line = int(rand() * 3) " qid:" int(i / 10)
            line = line " 1:" rand() * 50 - 10 " 3:7"
            if (rand() < 0.3) line = line " 4:" -rand()
            if (rand() < 0.5) line = line " 5:" exp(rand() * 12)
            print line
        }
    }'
}

# made: the files raw, raw.bin and scales.
made() {
    raw >raw
    svm2bin raw >raw.bin
    bin2txt -f scales raw.bin >scales
}

# scaled STEP: text of raw with awk's own constants, for comparison; each feature 1 to 5 listed.
scaled() {
    awk -v step="$1" '
        function value(f) { return (NR, f) in x ? x[NR, f] : 0 }
        {
            head[NR] = $1 " " $2
            for (f = 3; f <= NF; f++) { split($f, a, ":"); x[NR, a[1]] = a[2] }
            n = NR
        }
        END {
            for (f = 1; f <= 5; f++) {
                least[f] = 1e99; largest[f] = -1e99
                for (i = 1; i <= n; i++) {
                    v = (i, f) in x ? x[i, f] : 0
                    mean[f] += v / n
                    if (v < least[f]) least[f] = v
                    if (v > largest[f]) largest[f] = v
                }
                for (i = 1; i <= n; i++) { v = ((i, f) in x ? x[i, f] : 0) - mean[f]; square[f] += v * v / n }
            }
            if (step == "scales")
                for (f = 1; f <= 5; f++) print f, mean[f], sqrt(square[f]), least[f], largest[f]
            for (i = 1; i <= n && step != "scales"; i++) {
                line = head[i]
                for (f = 1; f <= 5; f++) {
                    v = (i, f) in x ? x[i, f] : 0
                    if (step == "log") v = v < 0 ? -log(1 - v) : log(1 + v)
                    else if (largest[f] == least[f]) v = 0
                    else if (step == "standard") v = (v - mean[f]) / sqrt(square[f])
                    else v = (v - least[f]) / (largest[f] - least[f])
                    line = line " " f ":" v
                }
                print line
            }
        }' OFMT=%.12g CONVFMT=%.12g raw
}

# near FILE FILE: the same words but for the last digits of numbers.
near() {
    paste -d '\n' "$1" "$2" | awk '
        NR % 2 { n = split($0, want, /[ :\t]/); line = $0; next }
        {
            bad = split($0, got, /[ :\t]/) != n
            for (i = 1; i <= n && !bad; i++) {
                far = got[i] - want[i]
                size = want[i] < 0 ? -want[i] : want[i]
                bad = far < 0 ? -far > 1e-6 * size + 1e-6 : far > 1e-6 * size + 1e-6
            }
            if (bad) { print line; print; exit 1 }
        }
        END { exit NR == 0 || bad }'
}

@test "scales are the means, deviations and bounds that awk finds in the text, dense and sparse" {
    made
    scaled scales >want
    is "$(head -n 1 scales)" '# rankpipe scales features=5 documents=200'
    is "$(tail -n 1 scales)" '# end'
    grep -v '^#' scales >have
    near want have
    svm2bin -d 9000 raw >wide.bin # sparse; and its width is no feature
    bin2txt -f scales wide.bin | grep -v '^#' >have
    near want have
    is "$(features log <raw.bin | bin2txt -f scales | head -n 1)" \
        '# rankpipe scales features=5 documents=200 made=log'
}

@test "a deviation far below its mean keeps its digits" {
    printf '0 qid:1 1:%s\n' 1000001 1000002 1000003 | svm2bin | bin2txt -f scales | grep -v '^#' >have
    printf '1 1000002 0.816496580927726 1000001 1000003\n' >want
    near want have
}

@test "standard, range and log are what awk makes of the text, whatever the form of the rounds" {
    made
    for step in standard:scales range:scales log; do
        scaled "${step%:*}" >want
        for options in '-d 5' '-d 400000'; do
            # shellcheck disable=SC2086
            svm2bin $options raw | features $step | bin2txt | awk -v CONVFMT=%.9g '
                { line = $1 " " $2; for (f = 3; f <= NF; f++) { split($f, a, ":"); x[a[1]] = a[2] }
                  for (f = 1; f <= 5; f++) line = line " " f ":" 0 + x[f]; print line; delete x }' >have
            near want have
        done
    done
    # By hand: ln 1 = 0, ln 2, -ln 4, and a value too small for 1 + v.
    printf '0 qid:1 1:0 2:1 3:-3 4:1e-20\n' | svm2bin | features log | bin2txt >have
    is "$(cat have)" '0 qid:1 1:0 2:0.693147182 3:-1.38629436 4:9.99999968e-21'
}

@test "a feature that was constant becomes 0, and new values may leave the range" {
    printf '0 qid:1 1:2 2:3\n0 qid:1 1:4 2:3\n' | svm2bin | bin2txt -f scales >scales
    printf '0 qid:1 1:6 2:9\n' | svm2bin | features range:scales | bin2txt >have
    is "$(cat have)" '0 qid:1 1:2 2:0'
    printf '0 qid:1 1:6 2:9\n' | svm2bin | features standard:scales | bin2txt >have
    is "$(cat have)" '0 qid:1 1:3 2:0'
}

@test "the model keeps the constants: it makes the features of raw rounds, and continues" {
    made
    for step in standard:scales range:scales log,standard:logscales; do
        features log <raw.bin | bin2txt -f scales >logscales
        features $step <raw.bin >made.bin
        rm -f w.bin v.bin
        update -a listnet -x $step -m w.bin <raw.bin
        update -a listnet -m v.bin <made.bin
        bin2txt -f tsv w.bin >want 2>err
        bin2txt -f tsv v.bin >have 2>err
        same want have
        mv scales gone
        score -m w.bin <raw.bin | values_of score >want
        score -m w.bin <made.bin | values_of score >have
        same want have
        score -m v.bin <made.bin | values_of score >have
        same want have
        # It goes on from rounds that were made, and keeps the constants.
        update -a listnet -m w.bin <made.bin 2>err
        score -m w.bin <raw.bin | values_of score >have
        mv gone scales
        update -a listnet -x $step -m v.bin <raw.bin 2>err
        score -m v.bin <raw.bin | values_of score >want
        same want have
        fails_on raw.bin 1 'score: *lacks the constants: give rounds made by *' score -m <(
            update -a listnet <made.bin)
    done
}

@test "a ring scores by constants as loop does, and as rounds that were made before" {
    made
    replay -n 300 -s 1 raw.bin >in
    features range:scales <in >made.bin
    mkfifo ring
    ring() { score -f ring | explore -g 0.3 | tee shown | feedback-mask -k 1 | update "$@" -f ring; }
    for learner in memory listnet,cutoff=1 thompson; do
        [ $learner = listnet,cutoff=1 ] && learner=squared,eta=0.01
        # shellcheck disable=SC2094
        ring -a $learner -x range:scales -m w.bin <in
        values_of score <shown >want
        ring -a $learner -x none -m v.bin <made.bin
        values_of score <shown >have
        same want have
        loop "replay -n 300 -s 1 raw.bin | score -f ring | explore -g 0.3 | feedback-mask -k 1 |
            update -a $learner -x range:scales -f ring -m l.bin"
        same w.bin l.bin
        rm w.bin v.bin l.bin
    done
}

@test "add-models keeps constants, and refuses those of two collections" {
    made
    for i in 1 2; do update -a ridge -x standard:scales -i $i/2 -m w.$i <raw.bin; done
    add-models w.1 w.2 >sum
    score -m sum <raw.bin >out
    raw | sed 's/3:7/3:8/' | svm2bin | bin2txt -f scales >other
    update -a ridge -x standard:other -n -m w.2 <raw.bin
    fails 1 'add-models: model w.2: its features are made by standard:*; those of the models before it by standard:*' \
        add-models w.1 w.2
}

@test "other constants than the model's, a file that is gone or not scales, and a path that cannot be" {
    made
    update -a listnet -x standard:scales -m w.bin <raw.bin
    features log <raw.bin | bin2txt -f scales >logscales
    sed 's/^1\t[^\t]*/1\t0.5/' scales >other
    fails_on raw.bin 1 '*model w.bin: it learnt from features made by standard:*, but this run makes standard:*' \
        update -a listnet -x standard:other -m w.bin
    fails_on raw.bin 1 '*the round has raw features, but the model learnt from features made by standard:*: add -x standard:FILE' \
        update -a listnet -m w.bin
    fails_on raw.bin 1 'features: cannot open nosuch: *' features standard:nosuch
    fails_on raw.bin 1 "features: raw: line 1: not scales, which bin2txt -f scales prints of rounds: *" features standard:raw
    fails_on raw.bin 1 'features: /dev/null: empty: *' features range:/dev/null
    fails_on raw.bin 1 'update: logscales has the scales of features made by log, but the features to scale are raw: *' \
        update -a listnet -x standard:logscales
    fails_on raw.bin 1 'features: *: scales has the scales of raw features, but the features to scale are made by log: *' \
        features log,standard:scales
    features log <raw.bin | features standard:logscales >have
    features log,standard:logscales <raw.bin >want
    same want have
    fails_on raw.bin 2 "features: step 'standard:a:b': the path has a colon, *ln -s*" features standard:a:b
    fails_on raw.bin 2 "features: no step 'b': a file that standard names cannot have a comma *" features standard:a,b
    for word in standard range: scale,range; do
        fails_on raw.bin 2 "features: step '*': it needs the file of constants that bin2txt -f scales prints*" features $word
    done
    fails_on raw.bin 2 "*standard input has the rounds*" features standard:-
    fails_on raw.bin 2 "features: two steps have constants*" features standard:scales,range:scales
    printf '0 qid:1 6:1\n' | svm2bin >wide.bin
    fails_on wide.bin 1 'features: *feature 6 of document 0 has no constants: the scales are of 5 features' \
        features standard:scales
    mkstream round t=1 docs=1 dim=1 x:f4 nan >bad
    fails_on bad 1 'features: *feature 1 of document 0 is nan' features standard:scales
    fails_on bad 1 'features: *feature 1 of document 0 is nan' features log
    fails_on bad 1 'bin2txt: *a feature is not finite' bin2txt -f scales
    { svm2bin raw && features log <raw.bin; } >both
    fails_on both 1 'bin2txt: *its features are made by log, those before it by nothing (raw): *' bin2txt -f scales
    printf 'rankpipe/1 end rounds=0 bytes=0\n' >none
    fails_on none 1 'bin2txt: no rounds: *' bin2txt -f scales
}

@test "scales that are cut anywhere are refused, and so are changed lines" {
    made
    n=$(wc -c <scales)
    for ((i = 0; i < n - 1; i += STRIDE)); do
        head -c $i scales >cut
        fails_on raw.bin 1 'features: cut: *' features standard:cut
    done
    for change in '4d' '4p' '4s/\t[^\t]*$//' '4s/$/\t1/' '4s/\t[^\t]*/\tnan/' '4s/^2/3/' '4s/\t[^\t]*/\t1e999/' \
        '3s/^\(1\t[^\t]*\t\)/\1-/' '$s/^/0/' '1s/5/6/' '1s/5/4/'; do
        sed "$change" scales >changed
        fails_on raw.bin 1 'features: changed: *' features standard:changed
    done
}

@test "a model whose constants are damaged is refused" {
    constants() { mkstream model learner=listnet rounds=1 dim=1 made="standard:$1" "${@:2}" w:f8 1; }
    made
    sum=$(features standard:scales <raw.bin | bin2txt -f head | sed -n '1s/.*made=standard:\([0-9a-f]*\).*/\1/p')
    [ ${#sum} = 16 ]
    constants "$sum" mean:f8 1 deviation:f8 2 least:f8 0 largest:f8 3 >w.bin
    fails_on raw.bin 1 "score: model w.bin: *its constants have the checksum *, but made=standard:$sum: *" score -m w.bin
    constants "$sum" mean:f8 1 deviation:f8 2 least:f8 0 >w.bin
    fails_on raw.bin 1 'score: model w.bin: *no column largest:f8[[]1]*' score -m w.bin
    constants "$sum" mean:f8 1 deviation:f8 nan least:f8 0 largest:f8 3 >w.bin
    fails_on raw.bin 1 'score: model w.bin: *deviation 0 is nan*' score -m w.bin
}

@test "summary recommends log for long tails alone" {
    tail() { # the value of one document in a thousand
        awk -v last="$1" 'BEGIN { for (i = 0; i < 1000; i++) print "0 qid:1 1:" i % 7 " 2:" (i == 5 ? last : i % 2) }' |
            svm2bin | bin2txt -f summary | sed -n 's/^long tails *//p'
    }
    is "$(tail 3)" ''
    is "$(tail 9)" '' # 17 deviations, but a small number: a rare word, say
    is "$(tail 300)" '1: 2: try update -x log,scale'
    is "$(tail -300)" '1: 2: try update -x log,scale'
}
