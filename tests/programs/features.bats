#!/usr/bin/env bats
# features: other features in the place of a round's.

load ../helper
load ../models
load ../runs

FOURIER="-D 40 -g 0.05 -s 3 fourier"

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
        for way in scale rank rank,scale,products scale,fourier:9:0.5:1; do
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
        features scale <$deck | features -D 15 -g 0.02 -s 4 fourier | features products >want
        features scale,fourier:15:0.02:4,products <$deck >out
        same want out
        features -D 15 -g 0.02 -s 4 scale,fourier,products <$deck >out
        same want out
        features split <$deck | features rank | features split >want
        features split,rank,split <$deck >out
        same want out
        ! features rank,split,split <$deck | cmp -s - want
    done
    # what made= says makes the same
    words=$(sed -n '1s/.* made=\([^ ]*\) .*/\1/p' want)
    is "$words" split,rank,split
    features -g 0.1 fourier <in >want
    words=$(sed -n '1s/.* made=\([^ ]*\) .*/\1/p' want)
    is "$words" fourier:100:0.1:1
    features "$words" <in >out
    same want out
    features -D 2 -g 0.12345678901234567 -s 9007199254740992 fourier <in >want
    words=$(sed -n '1s/.* made=\([^ ]*\) .*/\1/p' want)
    is "$words" fourier:2:0.12345678901234566:9007199254740992
    features "$words" <in >out
    same want out
    features fourier:3:1e-1:1 <in | bin2txt -f head | grep -q ' dim=49 made=fourier:3:0.1:1 '
}

@test "made= of what came stays before what was made of it, up to 255 bytes" {
    mkstream round t=1 docs=1 dim=1 made=own:x-1,rank x:f4 3 >in
    features split <in >out
    mkstream round t=1 docs=1 dim=2 made=own:x-1,rank,split \
        fingerprint:u8 7865038529435271168 x:f4 0 3 >want
    same want out
    long=$(printf 'own:%0245d' 0)
    mkstream round t=1 docs=1 dim=1 "made=$long" x:f4 3 | features split >in
    grep -a ",split cols" in
    fails_on in 1 'features: <stdin>: round 1: made= would have 260 bytes: at most 255 are allowed' \
        features rank
}

@test "split: deviations and means, worked by hand" {
    printf '2 qid:a 1:1 2:2 3:4\n0 qid:a 1:3 2:0 3:4\n1 qid:b 2:1\n' | changed split >out
    is "$(cat out)" '2 qid:a 1:-1 2:2 3:1 4:1 5:0 6:4
0 qid:a 1:1 2:2 3:-1 4:1 5:0 6:4
1 qid:b 1:0 2:0 3:0 4:1'
}

@test "products: each pair, squares included, worked by hand" {
    printf '2 qid:a 1:2 2:3 3:5\n0 qid:a 1:-1 2:0 3:4\n1 qid:b 1:7\n' | changed products >out
    is "$(cat out)" '2 qid:a 1:2 2:4 3:3 4:6 5:9 6:5 7:10 8:15 9:25
0 qid:a 1:-1 2:1 3:0 4:0 5:0 6:4 7:-4 8:0 9:16
1 qid:b 1:7 2:49'
}

# As the page says it, by awk on text: every place of a round, those with 0 too.
by_awk() {
    bin2txt "$2" | awk -v way="$1" -v dim="$3" '
        function flush(    i, j, k, line) {
            for (i = 1; i <= n; i++) {
                line = head[i]
                if (way == "split")
                    for (j = 1; j <= dim; j++)
                        line = line sprintf(" %d:%.12g %d:%.12g", 2 * j - 1, x[i, j] - sum[j] / n,
                                            2 * j, sum[j] / n)
                else
                    for (j = 1; j <= dim; j++)
                        for (k = 0; k <= j; k++)
                            line = line sprintf(" %d:%.12g", j * (j + 1) / 2 + k,
                                                (k ? x[i, k] : 1) * x[i, j])
                print line
            }
            delete x; delete sum; n = 0
        }
        $2 != qid { flush(); qid = $2 }
        {
            head[++n] = $1 " " $2
            for (f = 3; f <= NF; f++) { split($f, a, ":"); x[n, a[1]] = a[2]; sum[a[1]] += a[2] }
        }
        END { flush() }'
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

@test "split and products are what awk makes of the text, dense and sparse" {
    made 20 1 | svm2bin >dense
    made 30 9 | svm2bin -d 30 >sparse
    for stored in 'dense 20' 'sparse 30'; do
        read -r file dim <<<"$stored"
        for way in split products; do
            by_awk $way "$file" "$dim" | nonzero >want
            features $way <"$file" | bin2txt | nonzero >out
            [ "$(grep -c : out)" = "$(grep -c : "want")" ]
            near want out
        done
    done
}

# kernel GAMMA: from text of one query, the raw features after D new ones: for each two documents
# the product of the new ones and exp(-gamma |x - y|^2).
kernel() {
    awk -v D="$1" -v gamma="$2" '
        { n++; for (f = 3; f <= NF; f++) { split($f, a, ":"); v[n, a[1]] = a[2]; if (a[1] > w) w = a[1] } }
        END {
            for (i = 1; i <= n; i++)
                for (j = 1; j <= i; j++) {
                    z = d = 0
                    for (f = 1; f <= D; f++) z += v[i, f] * v[j, f]
                    for (f = D + 1; f <= w; f++) d += (v[i, f] - v[j, f]) ^ 2
                    print z, exp(-gamma * d)
                }
        }'
}

@test "fourier: products of the new features are the kernel, within five deviations" {
    made 5 1 | awk '{ $2 = "qid:1" } NR <= 12' | svm2bin >in
    for gamma in 0.01 0.05 0.15; do
        for D in 100 6400; do
            features -D $D -g $gamma -s 2 fourier <in | bin2txt | kernel $D $gamma >out
            is "$(wc -l <out)" 78
            awk -v D=$D '($1 - $2) ^ 2 > 25 / D { print; bad = 1 } $2 > 0.05 && $2 < 0.95 { between++ }
                END { exit bad || between < 4 }' out
            # And not nearer than chance would have it.
            awk -v D=$D '{ far += ($1 - $2) ^ 2 } END { exit far / NR < 0.05 / D }' out
        done
    done
}

@test "fourier: each is a cosine of one angle, linear in the features" {
    # Of 0, x, -x, 2x and -2x: (z(x) + z(-x)) / 2 z(0) = cos(omega.x), and cos 2a = 2 cos^2 a - 1.
    printf '0 qid:a 1:%s 3:%s\n' 0 0 0.5 1.5 -0.5 -1.5 1 3 -1 -3 | svm2bin |
        features -D 300 -g 0.3 fourier | bin2txt | awk '
        { for (f = 3; f < 303; f++) { split($f, a, ":"); z[NR, f] = a[2] } }
        END {
            high = sqrt(2 / 300)
            for (f = 3; f < 303; f++) {
                for (i = 1; i <= 5; i++) if (z[i, f] ^ 2 > high ^ 2 + 1e-8) exit 1
                if (z[1, f] ^ 2 < high ^ 2 / 16) continue
                one = (z[2, f] + z[3, f]) / (2 * z[1, f])
                two = (z[4, f] + z[5, f]) / (2 * z[1, f])
                if ((two - 2 * one ^ 2 + 1) ^ 2 > 1e-10) { print f, one, two; exit 1 }
                seen++
            }
            exit seen < 100
        }'
}

@test "fourier: raw features come last, a larger -D keeps the features of a smaller one, a seed changes all" {
    made 6 2 | svm2bin >in
    features -D 4 fourier <in | bin2txt | sed -E 's/ [1-4]:[^ ]*//g' |
        awk '{ for (f = 3; f <= NF; f++) { split($f, a, ":"); $f = a[1] - 4 ":" a[2] } print }' |
        nonzero >out
    bin2txt in | nonzero >want
    same want out
    new() { features "$@" fourier <in | bin2txt | cut -d ' ' -f 1-5; }
    new -D 3 -g 0.1 >three
    new -D 12 -g 0.1 >twelve
    awk '{ for (f = 3; f <= 5; f++) { split($f, a, ":"); $f = a[1] ":" 2 * a[2] } print }' twelve >want
    near want three
    new -D 3 -g 0.1 -s 1 >one
    same three one
    new -D 3 -g 0.1 -s 2 >two
    ! near two three
    new -D 3 >gamma
    new -D 3 -g 1 >one
    same gamma one
    features fourier <in | bin2txt -f head | sed -n '1s/.* dim=\([0-9]*\) .*/\1/p' >dim
    is "$(cat dim)" 106
}

@test "a narrow round and a wide one get the same features, dense or sparse, alone or after others" {
    made 20 1 >text
    svm2bin text >narrow
    svm2bin -d 4000 text >wide
    is "$(bin2txt -f head narrow | grep -c ',x:')" 40
    is "$(bin2txt -f head wide | grep -c ',ptr:')" 40
    for way in split products "$FOURIER" scale rank scale,products,split; do
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
    for way in split products "$FOURIER" scale rank scale,products,split; do
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
    features split <in >out
    mkstream round t=7 qid=a docs=2 dim=2 made=split gamma=0.5 x-mine=z fingerprint:u8 6829554266550566912 9936007055204679680 \
        mine:u1 1 2 3 label:f4 4 0.5 behind:u1 9 order:u4 1 0 seen:f4 0.5 x:f4 -2 4 2 4 >want
    same want out
    mkstream model learner=squared rounds=3 dim=1 eta=0.5 w:f8 2 >model
    features split <model >out
    same model out
}

@test "after a mask and a replay, within loop and across pipes, by any road the same bytes" {
    made 46 1 | awk '{ $2 = "qid:" int(NR / 100) } 1' >few
    { cat few few few | sed 's/qid:./qid:9/' && cat few; } | svm2bin >in # large: features are put aside
    replay -n 9 -s 1 in | explore -g 1 | feedback-mask -k 3 >masked
    for way in split products "$FOURIER" scale rank scale,products,split; do
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
    features $FOURIER <in >before
    ring() { explore -g 0.3 | feedback-mask -k 2 | update -a ridge -f ring; }
    replay -n 200 -s 1 in | features $FOURIER | score -f ring | ring >way
    replay -n 200 -s 1 before | score -f ring | ring >model
    same model way
    loop "replay -n 200 -s 1 in | features $FOURIER | score -f ring | explore -g 0.3 |
        feedback-mask -k 2 | update -a ridge -f ring" >looped
    same model looped
    # Scores are of the features that came: update is not to take them for those of its own.
    replay -n 50 in | score -f ring | features split | explore -g 0.3 | feedback-mask |
        update -a squared -e 1e-3 -f ring >model
    loop "replay -n 50 in | score -f ring | features split | explore -g 0.3 | feedback-mask |
        update -a squared -e 1e-3 -f ring" >looped
    same model looped
}

wrong() { # words, round, way...
    # shellcheck disable=SC2086
    mkstream round t=1 $2 >in
    fails_on in 1 "features: <stdin>: round 1: $1" features "${@:3}"
}

@test "what features cannot do is an error that says why" {
    for way in split products fourier scale rank; do
        wrong 'the round has no features (dim=0)' 'docs=2 dim=0 label:f4 1 0' $way
        wrong 'feature * of document * *' 'docs=2 dim=2 x:f4 1 2 inf 0' $way
        wrong 'feature * of document * *' 'docs=2 dim=2 x:f4 nan 2 1 0' $way
    done
    for way in scale rank; do # one that is nan must not become 0
        wrong 'feature 2 of document 0 is nan' 'docs=1 dim=2 x:f4 1 nan' $way
        wrong 'feature 1 of document 1 is -inf' 'docs=2 dim=2 x:f4 1 1 -inf 1' $way
    done
    wrong 'feature 5 of document 0 would be inf' 'docs=1 dim=2 x:f4 1 2e19' products
    wrong 'feature 1 of document 1 would be -inf' 'docs=3 dim=1 x:f4 3.4e38 -3.4e38 3.4e38' split
    mkstream round t=1 docs=1 dim=1 x:f4 3.4e38 >in
    features split <in >out
    features fourier <in >out
}

@test "too wide or too many features are an error before memory is taken" {
    needs_limits
    ulimit -v 100000
    sparse='ptr:u4 0 1 idx:u4 65533 val:f4 1'
    wrong 'its documents would have 2147516415 features: at most 2147483648 are allowed' \
        "docs=1 dim=65535 $sparse" products
    mkstream round t=1 docs=1 dim=65534 $sparse >in
    features products <in | bin2txt -f head | grep ' dim=2147450879 '
    wrong 'its documents would have 2147483650 features: *' "docs=1 dim=1073741825 $sparse" split
    wrong 'its documents would have 2147483649 features: *' "docs=1 dim=2147483647 $sparse" -D 2 fourier
    mkstream round t=1 docs=1 dim=2147483647 $sparse >in
    features -D 1 fourier <in | bin2txt -f head | grep ' dim=2147483648 '
    wrong 'its documents would have more than 134217728 features that are not 0' \
        'docs=1 dim=17000 x:f4 1*17000' products
    # 65000 documents, of which one has 2000 features: 260 million deviations and means.
    seq 2000 | sed 's/$/:1/' | { echo '1 qid:a' "$(paste -sd ' ')" && yes '0 qid:a' | head -n 64999; } |
        svm2bin >in
    fails_on in 1 '*: its documents would have more than 134217728 *' features split
    wrong 'its documents would have more than 134217728 *' \
        'docs=65000 dim=1 x:f4 1*65000' -D 3000 fourier
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

@test "frequencies are kept for the features that came, and not for all below them" {
    wrong 'making 1048576 new features from more than 32 features of one query needs more than 33554432 *-D' \
        'docs=1 dim=33 x:f4 1*33' -D 1048576 fourier
    # memory goes by the features that came, not by their numbers
    svm2bin <<<'1 qid:1 1300000:1' >in
    needs_limits
    (ulimit -v 100000 && features fourier <in >out)
    bin2txt -f head out | grep ' dim=1300100 '
}

@test "the command line" {
    misused() {
        local words=$1
        shift
        fails 2 "features: $words*usage: features *" features "$@"
    }
    misused 'no step named: choose from scale, rank, standard, range, log, split, fourier, products'
    misused "no step 'Split': did you mean split?" Split
    misused "'fourier' follows 'split': join steps by commas" split fourier
    for list in '' , scale, ,scale scale,,split; do misused "no step '': choose from *" "$list"; done
    misused "no step 'scale split': *" 'scale split'
    misused "step 'split:3': split takes no parameters" scale,split:3
    for word in fourier: fourier:1 fourier:1:1 fourier:1:1:1:1 fourier:0:1:1 fourier:1048577:1:1 \
        fourier:1:0:1 fourier:1:-1:1 fourier:1:nan:1 fourier:1:1e999:1 fourier:1:1x:1 fourier:1::1 \
        fourier:1:1:-1 fourier:1:1:9007199254740993 fourier:1:1:1.5 fourier:01:1:1; do
        misused "step '$word': fourier takes number:gamma:seed, *" "scale,$word"
    done
    misused 'more than 8 steps' "$(printf 'rank,%.0s' {1..8})rank"
    misused 'these steps take more than 255 bytes to name' "$(printf '%s,' \
        fourier:1048576:1.2345678901234567e-100:9007199254740992{,,,,,,})rank"
    for D in 0 1048577 1.5 x; do misused "-D wants a whole number from 1 to 1048576, not '$D'" -D "$D" fourier; done
    for g in 0 -1 nan 1e999; do misused "-g wants a number above 0, not '$g'" -g "$g" fourier; done
    for s in -1 9007199254740993; do misused "-s wants a whole number *, not '$s'" -s "$s" fourier; done
    misused 'split does not take -D: only fourier without number:gamma:seed does' -D 3 split
    misused 'products does not take -g: *' -s 1 -g 3 products
    misused 'scale,fourier:9:1:1 does not take -s: *' -s 1 scale,fourier:9:1:1
}

@test "frequencies of one query leave room for those of the next" {
    document() { # its features
        echo "1 qid:$1 $(seq -s ' ' -f '%.0f:1' "$2" "$3")"
    }
    # 2^25 frequencies are 32 features of D = 2^20
    document b 101 120 | svm2bin -d 1000000 | features -D 1048576 fourier >b.bin
    { document a 1 20 && document b 101 120; } | svm2bin -d 1000000 | features -D 1048576 fourier >both.bin
    cmp <(bin2txt both.bin | tail -n 1) <(bin2txt b.bin)
    rm both.bin b.bin
}
