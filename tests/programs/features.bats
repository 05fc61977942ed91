#!/usr/bin/env bats
# features: other features in the place of a round's.

load ../helper
load ../models
load ../runs

# changed WAY...: standard input, text, with other features, as text.
changed() {
    svm2bin | features "$@" | bin2txt
}

# near FILE FILE: the same words, but that numbers may differ by what one rounding to f4 is.
near() {
    paste -d '\n' "$1" "$2" | awk '
        NR % 2 { n = split($0, want, /[ :]/); line = $0; next }
        {
            bad = split($0, got, /[ :]/) != n
            for (i = 1; i <= n && !bad; i++) {
                far = got[i] - want[i]
                size = want[i] < 0 ? -want[i] : want[i]
                bad = i > 3 ? (far < 0 ? -far : far) > 1e-7 * size + 1e-6 : got[i] != want[i]
            }
            if (bad) { print line; print; exit 1 }
        }
        END { exit NR == 0 || bad }'
}

@test "scale: each feature to [0,1] within its query, worked by hand" {
    printf '2 qid:a 1:1 2:-2 3:4\n0 qid:a 1:3 3:4\n1 qid:a 1:2 2:2 3:4\n1 qid:b 2:7\n' |
        changed scale >out
    is "$(cat out)" '2 qid:a 1:0 2:0 3:0
0 qid:a 1:1 2:0.5 3:0
1 qid:a 1:0.5 2:1 3:0
1 qid:b 1:0 2:0'
}

@test "base: a feature of the place in the base, before the others, worked by hand" {
    # D = 1, 0.63093, 0.5: (0.63093 - 0.5) / 0.5 = 0.26186
    mkstream round t=1 docs=3 dim=2 base:u4 2 0 1 x:f4 1 2 3 4 5 6 >in
    is "$(features base <in | bin2txt | cut -d ' ' -f 2- | awk '{ sub(/0\.26185[0-9]*/, "0.26186") } 1')" '1:0.26186 2:1 3:2
1:0 2:3 3:4
1:1 2:5 3:6'
    mkstream round t=1 docs=2 dim=9 base:u4 1 0 ptr:u4 0 1 1 idx:u4 7 val:f4 3 >sparse
    is "$(features base <sparse | bin2txt | cut -d ' ' -f 2-)" '9:3 10:0
1:1'
    mkstream round t=1 docs=1 dim=1 base:u4 0 x:f4 4 >alone
    is "$(features base <alone | bin2txt | cut -d ' ' -f 2-)" '1:0 2:4'
    is "$(features scale,base <in | bin2txt -f head | grep -o 'made=[^ ]*')" made=scale,base
    # one pass as two, and fingerprints of the features that came
    features scale <in | features base >two
    features scale,base <in >one
    same one two
    mkstream round t=1 docs=2 dim=1 x:f4 1 2 >bare
    fails_on bare 1 'features: <stdin>: round 1: the step base needs the column base, the order of the search engine: give documents in that order to svm2bin -e, log2bin -e or serve -e' features base
}

@test "rank: the rank of each value to [0,1], ties their mean, worked by hand" {
    # 5 1 1 9: ranks 2, 0.5, 0.5, 3, of which the least is 0.5; 0 4 0 0: 1, 3, 1, 1; and
    # -1 0 0 2, where zeros are not listed: 0, 1.5, 1.5, 3
    printf '%s\n' '2 qid:a 1:5 3:-1 4:3' '0 qid:a 1:1 2:4 4:3' '1 qid:a 1:1 4:3' '0 qid:a 1:9 3:2 4:3' \
        '1 qid:b 1:5 4:3' | changed rank >out
    is "$(cat out)" '2 qid:a 1:0.600000024 2:0 3:0 4:0
0 qid:a 1:0 2:1 3:0.5 4:0
1 qid:a 1:0 2:0 3:0.5 4:0
0 qid:a 1:1 2:0 3:1 4:0
1 qid:b 4:0'
}

# Text whose values have ties, zeros and signs.
tied() { # features listed, out of 10
    awk -v density="$1" 'BEGIN {
        srand(7)
        for (i = 0; i < 60; i++) {
            line = i % 3 " qid:" int(i / 12)
            for (f = 1; f <= 20; f++)
                if (rand() * 10 < density) line = line " " f ":" int(rand() * 7) - 2 + (f % 2) / 4
            print line
        }
    }'
}

@test "scale and rank are what awk makes of the text, dense and sparse" {
    for density in 10 5 1; do
        tied $density | svm2bin -d 20 >in
        for way in scale rank; do
            bin2txt in | awk -v way=$way '
                function flush(    f, i, k, v, low, high, line) {
                    for (f = 1; f <= 20; f++) {
                        for (i = 1; i <= n; i++) {
                            v[i] = x[i, f] + 0
                            if (way == "rank") {
                                v[i] = -0.5
                                for (k = 1; k <= n; k++)
                                    v[i] += x[k, f] + 0 < x[i, f] + 0 ? 1 : x[k, f] + 0 == x[i, f] + 0 ? 0.5 : 0
                            }
                            if (i == 1 || v[i] < low) low = v[i]
                            if (i == 1 || v[i] > high) high = v[i]
                        }
                        for (i = 1; i <= n; i++) y[i, f] = high > low ? (v[i] - low) / (high - low) : 0
                    }
                    for (i = 1; i <= n; i++) {
                        line = head[i]
                        for (f = 1; f <= 20; f++) line = line sprintf(" %d:%.12g", f, y[i, f])
                        print line
                    }
                    n = 0; split("", x)
                }
                $2 != qid { flush(); qid = $2 }
                { head[++n] = $1 " " $2; for (f = 3; f <= NF; f++) { split($f, a, ":"); x[n, a[1]] = a[2] } }
                END { flush() }' | nonzero >want
            features $way <in | bin2txt | nonzero >out
            [ "$(grep -c : out)" = 60 ]
            near want out
        done
    done
}

@test "scale is what svm2bin -n does, to the bit" {
    small_text >text
    for density in 10 5 1; do tied $density; done | awk '{ $2 = "qid:" int((NR - 1) / 12) } 1' >>text
    made 46 1 | sed 's/qid:/qid:m/' >>text
    printf '1 qid:z 1:-0 2:3e38 3:-1e-45\n0 qid:z 1:5 2:-3e38\n' >>text
    svm2bin -n text | uncrc >want
    svm2bin text | features scale >out
    same want out
    [ "$(grep -ac ' made=scale ' out)" = "$(bin2txt -f head out | grep -c round.t=)" ]
    # a scaled feature is scaled already
    features scale <out | sed 's/ made=scale,scale / made=scale /' >again
    same want again
}

@test "scale and rank do not see units: the same bits for features 1000 times as large" {
    for density in 10 3; do
        tied $density >text
        awk '{ for (f = 3; f <= NF; f++) { split($f, a, ":"); $f = a[1] ":" a[2] * 1000 } print }' text >large
        for way in scale rank rank,scale scale,log; do
            svm2bin text | features $way >want
            svm2bin large | features $way >out
            bin2txt -f values want | grep -v fingerprint >want.values
            bin2txt -f values out | grep -v fingerprint >out.values
            same want.values out.values
        done
    done
    # ranks do not see a rising function either
    tied 10 >text
    awk '{ for (f = 3; f <= NF; f++) { split($f, a, ":"); $f = a[1] ":" a[2] * a[2] * a[2] } print }' text >large
    svm2bin text | features rank | bin2txt -f values | grep -v fingerprint >want
    svm2bin large | features rank | bin2txt -f values | grep -v fingerprint >out
    same want out
}

@test "steps joined by commas are the steps one after the other, in that order" {
    made 46 1 | awk '{ $2 = "qid:" int(NR / 40) } 1' | svm2bin >in
    tied 2 | svm2bin >sparse
    for deck in in sparse; do
        features scale <$deck | features log | features scale >want
        features scale,log,scale <$deck >out
        same want out
        ! features scale,scale,log <$deck | cmp -s - want
    done
    # what made= says makes the same
    words=$(sed -n '1s/.* made=\([^ ]*\) .*/\1/p' want)
    is "$words" scale,log,scale
    features "$words" <sparse >out
    same want out
}

@test "made= of what came stays before what was made of it, up to 255 bytes" {
    mkstream round t=1 docs=1 dim=1 made=own:x-1,rank x:f4 3 >in
    features scale <in >out
    mkstream round t=1 docs=1 dim=1 made=own:x-1,rank,scale \
        fingerprint:u8 7865038529435271168 x:f4 0 >want
    same want out
    long=$(printf 'own:%0245d' 0)
    mkstream round t=1 docs=1 dim=1 "made=$long" x:f4 3 | features scale >in
    grep -a ",scale cols" in
    fails_on in 1 'features: <stdin>: round 1: made= would have 260 bytes: at most 255 are allowed' \
        features rank
}

# nonzero: text without features that are 0, or would be except for the last digit of a text.
nonzero() {
    awk '{
        line = $1 " " $2
        for (f = 3; f <= NF; f++) {
            split($f, a, ":")
            if (a[2] < -1e-7 || a[2] > 1e-7) line = line " " $f
        }
        print line
    }'
}

@test "a narrow round and a wide one get the same features, dense or sparse, alone or after others" {
    made 20 1 >text
    svm2bin text >narrow
    svm2bin -d 4000 text >wide
    is "$(bin2txt -f head narrow | grep -c ',x:')" 40
    is "$(bin2txt -f head wide | grep -c ',ptr:')" 40
    for way in log scale rank scale,log,rank; do
        # shellcheck disable=SC2086
        features $way <narrow | bin2txt | nonzero >want
        # shellcheck disable=SC2086
        features $way <wide | bin2txt | nonzero >out
        same want out
        # Rounds of other widths before it, which draw frequencies sooner and in other numbers.
        # shellcheck disable=SC2086
        { printf '1 qid:x 3:1\n0 qid:y 90:1\n' | svm2bin && cat narrow; } | replay - |
            features $way | bin2txt | nonzero | tail -n +3 >out
        same want out
    done
}

@test "features are written as svm2bin writes them: dense where that is no more bytes" {
    printf '1 qid:a 1:1 2:2\n0 qid:a 1:3 2:5\n1 qid:b 900:1\n0 qid:b\n' | svm2bin >in
    for way in log scale rank scale,log,rank; do
        # shellcheck disable=SC2086
        features $way <in >out
        # A text does not tell a width: each round by itself.
        for qid in a b; do
            bin2txt out | grep " qid:$qid" | svm2bin -d "$(bin2txt -f head out |
                sed -n "s/.* qid=$qid .* dim=\([0-9]*\) .*/\1/p")" | bin2txt -f head |
                sed -n '1s/ bytes=.*//; 1s/.* cols=//p'
        done >want
        bin2txt -f head out | sed -n 's/.*round.* cols=//p' |
            sed 's/fingerprint:u8\[[0-9]*\],//; s/ bytes=.*//' >have
        same want have
    done
}

@test "all else passes: keys, labels, seen, columns of one's own; features go last" {
    mkstream round t=7 qid=a docs=2 dim=1 gamma=0.5 x-mine=z mine:u1 1 2 3 label:f4 4 0.5 x:f4 2 6 \
        behind:u1 9 order:u4 1 0 seen:f4 0.5 >in
    features scale <in >out
    mkstream round t=7 qid=a docs=2 dim=1 made=scale gamma=0.5 x-mine=z fingerprint:u8 6829554266550566912 9936007055204679680 \
        mine:u1 1 2 3 label:f4 4 0.5 behind:u1 9 order:u4 1 0 seen:f4 0.5 x:f4 0 1 >want
    same want out
    mkstream model learner=squared rounds=3 dim=1 eta=0.5 w:f8 2 >model
    features scale <model >out
    same model out
}

@test "after a mask and a replay, within loop and across pipes, by any road the same bytes" {
    made 46 1 | awk '{ $2 = "qid:" int(NR / 100) } 1' >few
    { cat few few few | sed 's/qid:./qid:9/' && cat few; } | svm2bin >in # large: features are put aside
    replay -n 9 -s 1 in | explore -g 1 | feedback-mask -k 3 >masked
    for way in log scale rank scale,log,rank; do
        # shellcheck disable=SC2086
        features $way <masked >want
        # shellcheck disable=SC2086
        replay -n 9 -s 1 in | features $way | explore -g 1 | feedback-mask -k 3 >out
        same want out
        # shellcheck disable=SC2086
        replay -n 9 -s 1 in | explore -g 1 | feedback-mask -k 3 | features $way | cat >out
        same want out
        loop "replay -n 9 -s 1 in | features $way | explore -g 1 | feedback-mask -k 3" >out
        same want out
        loop "replay -n 9 -s 1 in | explore -g 1 | features $way | feedback-mask -k 3" >out
        same want out
    done
}

@test "a ring learns the same from features made on the way, before, or in one process" {
    made 12 1 | svm2bin >in
    mkfifo ring
    features scale,log <in >before
    ring() { explore -g 0.3 | feedback-mask -k 2 | update -a ridge -f ring; }
    replay -n 200 -s 1 in | features scale,log | score -f ring | ring >way
    replay -n 200 -s 1 before | score -f ring | ring >model
    same model way
    loop "replay -n 200 -s 1 in | features scale,log | score -f ring | explore -g 0.3 |
        feedback-mask -k 2 | update -a ridge -f ring" >looped
    same model looped
    # Scores are of the features that came: update is not to take them for those of its own.
    replay -n 50 in | score -f ring | features scale | explore -g 0.3 | feedback-mask |
        update -a squared -e 1e-3 -f ring >model
    loop "replay -n 50 in | score -f ring | features scale | explore -g 0.3 | feedback-mask |
        update -a squared -e 1e-3 -f ring" >looped
    same model looped
}

wrong() { # words, round, way...
    # shellcheck disable=SC2086
    mkstream round t=1 $2 >in
    fails_on in 1 "features: <stdin>: round 1: $1" features "${@:3}"
}

@test "what features cannot do is an error that says why" {
    for way in log scale rank; do
        wrong 'the round has no features (dim=0)' 'docs=2 dim=0 label:f4 1 0' $way
        wrong 'feature * of document * *' 'docs=2 dim=2 x:f4 1 2 inf 0' $way
        wrong 'feature * of document * *' 'docs=2 dim=2 x:f4 nan 2 1 0' $way
    done
    for way in scale rank; do # one that is nan must not become 0
        wrong 'feature 2 of document 0 is nan' 'docs=1 dim=2 x:f4 1 nan' $way
        wrong 'feature 1 of document 1 is -inf' 'docs=2 dim=2 x:f4 1 1 -inf 1' $way
    done
}

@test "too many features are an error before memory is taken" {
    needs_limits
    ulimit -v 100000
    # 11600 documents, each with a feature of its own below 0, by which 0 becomes 1 in all others.
    seq 11600 | sed 's/.*/1 qid:a &:-1/' >text
    many='the scaled query would have more than 134217728 features that are not 0: a feature below 0 is listed in every document'
    for step in scale rank; do
        svm2bin text >in
        fails_on in 1 "features: <stdin>: round 1 (qid a): $many" features $step
    done
    fails 1 "svm2bin: text: the query that ends before line 11601: $many" svm2bin -n text
    echo '1 qid:b 1:-1' >>text
    fails 1 "svm2bin: text: the query that ends before line 11601: $many" svm2bin -n text
    svm2bin -kn text 2>err | bin2txt -f head | grep ' qid=b '
}

@test "the command line" {
    misused() {
        local words=$1
        shift
        fails 2 "features: $words*usage: features *" features "$@"
    }
    misused 'no step named: choose from scale, rank, standard, range, log, base'
    misused "no step 'Scale': did you mean scale?" Scale
    misused "'rank' follows 'scale': join steps by commas" scale rank
    for list in '' , scale, ,scale scale,,rank; do misused "no step '': choose from *" "$list"; done
    misused "no step 'scale rank': *" 'scale rank'
    misused "step 'rank:3': rank takes no parameters" scale,rank:3
    for step in split fourier products; do
        misused "no step '$step': version 0.4.0 was the last that has it" "scale,$step"
    done
    misused 'more than 8 steps' "$(printf 'rank,%.0s' {1..8})rank"
}
