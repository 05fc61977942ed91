# update: the steps it takes, and what becomes of the model's file.
load ../helper
load ../models

# rounds_of FILE: how many rounds the model has learnt.
rounds_of() {
    bin2txt -f head "$1" | sed -n 's/.* rounds=\([0-9]*\) .*/\1/p'
}

# A model that knows nothing yet, for score.
zero() {
    mkstream model learner=kl rounds=0 dim=1 w:f8 0 >zero
}

# `deck`: 40 rounds as update gets them, masked, half of them explored; `labelled`: its queries.
deck() {
    zero
    small_text | svm2bin >labelled
    replay -n 40 labelled | score -m zero | explore -g 0.5 | feedback-mask -k 1 >deck
}

# some_rounds FIRST LAST: these rounds of the deck, without an end record.
some_rounds() {
    local end="rankpipe/1 end rounds=$(($2 - $1 + 1)) bytes=0"
    replay -b "$1" -n "$2" deck >part
    head -c $(($(wc -c <part) - ${#end} - 1)) part
}

# within SECONDS COMMAND...: until the command succeeds.
within() {
    local tries=$(($1 * 50))
    shift
    until "$@"; do
        [ $((tries -= 1)) -gt 0 ] || { echo "not in time: $*" && return 1; }
        sleep 0.02
    done
}

# alone FILE...: these are all the files here that begin as the first does: no lock, nothing half
# written.
alone() {
    [ "$(echo "$1"*)" = "$*" ] || { ls -la && return 1; }
}

# untouched PATTERN OPTION...: a run on the stream `bad`, whose first round is at fault, into a model
# that is there and into one that is not, fails with the words and leaves things as they were. The
# model has learnt from the stream `good`, or from two documents of two features.
untouched() {
    local pattern=$1
    shift
    [ -f good ] || two_documents >good
    [ -f model ] || update "$@" -m model <good
    cp model before
    fails_on bad 1 "$(resuming model "$pattern")" update "$@" -m model
    same before model
    fails_on bad 1 "$pattern" update "$@" -m none
    [ ! -e none ]
    alone model
}

# saves_before STREAM PATTERN OPTION...: a run on the stream `bad` fails with the words, and saves
# what STREAM teaches, the rounds before the one at fault: into a file, and to standard output.
saves_before() {
    local stream=$1 pattern=$2
    shift 2
    update "$@" <"$stream" >expected
    fails_on bad 1 "$pattern" update "$@" -m new
    same expected new
    alone new
    fails_on bad 1 "$pattern" update "$@"
    same expected out
    rm new
}

# ---- steps by hand ----

@test "squared: two steps by hand" {
    # s = (0, 0), g = 2 (s - R) = (-2, 0), z = X'g = (-2, -4), w = -z/2 = (1, 2)
    two_documents | update -a squared -e 0.5 >one
    holds one 1 2
    # s = Xw = (5, 1), g = (8, 2), z = (8 + 6, 16 - 2) = (14, 14), w = (1, 2) - z/2
    two_documents >round
    replay -n 2 round | update -a squared -e 0.5 >two
    holds two -6 -5
}

@test "kl: a step by hand" {
    # g = exp(s) - exp(R) = (1 - e, 0), z = ((1 - e), 2 (1 - e)), w = -z/2 = (e - 1)(1/2, 1)
    two_documents | update -a kl -e 0.5 >one
    near one 0.85914091422952262 1.7182818284590452
}

@test "smoothdcg: a step by hand" {
    # p = (1/2, 1/2), G(1)/1 p_0/eps = 1 with eps = 1/2, g = -(e_0 - p) = (-1/2, 1/2),
    # z = (-1/2 + 3/2, -1 - 1/2) = (1, -3/2)
    two_documents | update -a smoothdcg -E 0.5 -e 0.5 >one
    holds one -0.5 0.75
    # eps = 0.01 where none is said: fifty times as much
    two_documents | update -a smoothdcg -e 0.5 >one
    holds one -25 37.5
}

@test "-w: rounds of any number of raw features up to it are learnt, others refused, and score takes them" {
    printf '1 qid:a 1:1 2:5\n0 qid:a 1:2 2:3\n\n1 qid:b 1:1 2:5 3:1\n0 qid:b 1:2 2:3 3:0\n' >text
    svm2bin text | score -s <(printf '1\n0\n1\n0\n') | explore | feedback-mask -k all >rounds
    head -n 2 text | svm2bin | update -X -a ridge -x none -m narrow.bin
    fails_on rounds 1 '*round 2 (qid b): the round has 3 features, but the model learnt from rounds of 2 features*' \
        update -a ridge -x none -m narrow.bin
    for made in none scale; do
        update -a ridge -x $made -w 3 -m w.bin <rounds
        grep -a -q ' features=any ' w.bin
        svm2bin text | score -m w.bin 2>err | explore | bin2txt -f rank >ranked
        is "$(cat err)" ''
        is "$(wc -l <ranked)" 4
        update -a ridge -x $made -w 3 -m w.bin <rounds 2>err # resumed
        fails_on rounds 1 '*round 2 (qid b): the round has 3 features: at most 2 are accepted' \
            update -a ridge -x $made -w 2 -m other.bin
        update -a ridge -x $made -w 2 -q refused -m other.bin <rounds 2>err
        is "$(cut -f 2 refused)" 'the round has 3 features: at most 2 are accepted'
        rm -f w.bin other.bin refused
        [ $made = none ] || continue
        cp narrow.bin w.bin
        update -a ridge -x none -w 3 -m w.bin <rounds 2>err # what it learnt from is no bound any more
        grep -a -q ' features=any ' w.bin
        rm w.bin
    done
}

@test "smoothdcg: with -F epsilon falls as t^-power, and goes on falling after a resumption" {
    two_documents >round
    update -a smoothdcg -E 0.5 -F 1 -e 0.5 <round >one
    holds one -0.5 0.75 # epsilon is 0.5 in round 1
    mkstream model learner=smoothdcg rounds=1 dim=2 epsilon=0.25 eta=0.5 w:f8 -0.5 0.75 >fixed
    update -a smoothdcg -E 0.25 -e 0.5 -m fixed <round
    update -a smoothdcg -E 0.5 -F 1 -e 0.5 -m one <round
    [ "$(weights one)" = "$(weights fixed)" ]
    fails_on round 1 'update: model one: it was learnt with fall=1, but this run has no fall: add fall=1 to -a' \
        update -a smoothdcg -E 0.5 -e 0.5 -m one
}

@test "squared-ndcg: a step by hand" {
    # s = 0, and the gains 1 and 3 over Z = 3 + 1/log2(3); w = G/Z
    mkstream round t=1 docs=3 dim=0 label:f4 1 0 2 >round
    update -a squared-ndcg -e 0.5 <round >one
    near one 0.27541155237618664 0 0.82623465712855992
    mkstream round t=1 docs=2 dim=0 label:f4 0 0 >round
    update -a squared-ndcg -e 0.5 <round >one
    holds one 0 0
}

@test "solar1-ties, solar2-ties: steps by hand" {
    # w.x = 3 for two equal labels: the loss is 3 - 1/2, x.x + 1/(2C) = 2, w = 3 - 2.5/2
    mkstream round t=1 docs=2 dim=1 label:f4 1 1 x:f4 1 0 >round
    for w in 3 -3; do
        mkstream model learner=solar1-ties rounds=1 dim=1 tradeoff=0.5 seed=1 w:f8 $w >m
        update -a solar1-ties -C 0.5 -m m <round
        holds m "$([ $w = 3 ] && echo 1.75 || echo -1.75)"
    done
    mkstream model learner=solar2-ties rounds=1 dim=1 tradeoff=1 seed=1 w:f8 3 sigma:f8 1 >m
    update -a solar2-ties -C 1 -m m <round
    holds m 1.75
    bin2txt m | awk '$1 == "sigma" { d = $3 - 0.5; ok = d < 1e-15 && d > -1e-15 } END { exit !ok }'
    # below half a margin nothing changes
    mkstream model learner=solar1-ties rounds=1 dim=1 tradeoff=0.5 seed=1 w:f8 0.5 >m
    update -a solar1-ties -C 0.5 -m m <round
    holds m 0.5
    # and different labels are solar1's
    mkstream round t=1 docs=2 dim=1 label:f4 0 1 x:f4 1 3 >round
    update -a solar1 -C 0.5 <round >one
    update -a solar1-ties -C 0.5 <round >two
    [ "$(weights one)" = "$(weights two)" ]
}

@test "solar1-list, solar2-list: a step by hand" {
    # q = (e, 1)/(e + 1), p = (1/2, 1/2), z = 1/2 - q_0, l = log 2 + sum q log q;
    # -z l / (z z + 1), and Sigma = 1 - z z / (z z + 1)
    mkstream round t=1 docs=2 dim=1 label:f4 1 0 x:f4 1 0 >round
    for learner in 'solar1-list -C 0.5' 'solar2-list -C 1'; do
        update -a $learner <round >one
        weights one | awk '{ d = $1 - 0.024335361598292; ok = d < 1e-11 && d > -1e-11 } END { exit !ok }'
    done
    bin2txt one | awk '$1 == "sigma" { d = $3 - 0.949317760051332; ok = d < 1e-11 && d > -1e-11 } END { exit !ok }'
    # scores that agree with the labels, up to a constant, are no loss
    mkstream model learner=solar1-list rounds=1 dim=1 tradeoff=0.5 w:f8 1 >m
    update -a solar1-list -C 0.5 -m m <round
    weights m | awk 'NR == 1 { ok = $1 > 1 - 1e-15 && $1 < 1 + 1e-15 } END { exit !ok }'
}

@test "ranksvm: two steps by hand" {
    # 1 + 0 > 0: g = e_1 - e_0 = (-1, 1), z = (-1 + 3, -2 - 1) = (2, -3)
    two_documents | update -a ranksvm -e 0.5 >one
    holds one -1 1.5
    # s = (2, -4.5): right by more than 1, so that the second step is not a valid value
    two_documents >round
    replay -n 2 round | update -a ranksvm -e 0.5 >two
    holds two -1 1.5
}

@test "listnet: a step by hand" {
    # softmax(s) = (1/2, 1/2), softmax(R) = (e, 1)/(e + 1); d = e/(e + 1) - 1/2, g = (-d, d),
    # z = (2d, -3d), w = -z/2 = (-d, 3d/2)
    two_documents | update -a listnet -e 0.5 >one
    near one -0.23105857863000490 0.34658786794500734
}

@test "squared from the top 2 of 4: pi_j by hand" {
    # gamma = 1/2, k/m = 1/2: pi_1 = 1/2 + 1/4, greedy has it too; pi_3 = 1/4. No features, so that
    # X is the unit matrix; s = 0: z = -2 (0, 3/(3/4), 0, 1/(1/4)) = (0, -8, 0, -8)
    mkstream round t=1 docs=4 dim=0 gamma=0.5 order:u4 1 3 2 0 greedy:u4 0 1 2 3 seen:f4 3 1 >round
    update -a squared -e 0.5 <round >one
    holds one 0 4 0 4
    # without the column greedy, the order shown is greedy: pi = 3/4 for both
    mkstream round t=1 docs=4 dim=0 gamma=0.5 order:u4 1 3 2 0 seen:f4 3 6 >round
    update -a squared -e 0.5 <round >one
    holds one 0 4 0 8
    # s counts for the documents not seen too: 2s = (8, 8, 8, 8), w = 4 - 4 + (0, 4, 0, 8)
    mkstream model learner=squared rounds=1 dim=4 eta=0.5 w:f8 '4*4' >m
    update -a squared -e 0.5 -m m <round
    holds m 0 4 0 8
}

@test "ranksvm from the top 2 of 3: pi_ij by hand" {
    # gamma = 3/4, k(k-1)/(m(m-1)) = 1/3: pi_ij is 1/4 + 1/4 where greedy has both on top, else 1/4
    mkstream round t=1 docs=3 dim=0 gamma=0.75 order:u4 1 2 0 greedy:u4 0 1 2 seen:f4 3 1 >round
    update -a ranksvm -e 0.5 <round >one
    holds one 0 2 -2
    mkstream round t=1 docs=3 dim=0 gamma=0.75 order:u4 1 2 0 seen:f4 1 3 >round
    update -a ranksvm -e 0.5 <round >one
    holds one 0 -1 1
    # in the order of the first two by score, whichever way they were shown
    mkstream round t=1 docs=3 dim=0 gamma=0.75 order:u4 1 0 2 greedy:u4 0 1 2 seen:f4 1 3 >round
    update -a ranksvm -e 0.5 <round >one
    holds one 1 -1 0
}

@test "a list no longer than what is seen is all seen, whatever gamma" {
    mkstream round t=1 docs=1 dim=0 order:u4 0 seen:f4 3 >round
    for learner in squared kl smoothdcg ranksvm listnet; do
        update -a $learner -e 0.5 <round >one
        mkstream round t=1 docs=1 dim=0 label:f4 3 | update -a $learner -e 0.5 >all
        same one all
    done
}

@test "labels that were never masked are all seen, with neither score nor order" {
    zero
    small_text | svm2bin >labelled
    score -m zero <labelled | explore -g 0.5 | feedback-mask -k all >masked
    for learner in squared kl smoothdcg ranksvm listnet; do
        update -a $learner -e 0.1 <labelled >one
        update -a $learner -e 0.1 <masked >two
        same one two
    done
}

@test "the column score is not looked at: update scores with its own weights" {
    mkstream round t=1 docs=2 dim=2 label:f4 1 0 score:f8 1000 -1000 x:f4 1 2 3 -1 >round
    two_documents >plain
    for learner in squared kl smoothdcg ranksvm listnet; do
        replay -n 3 round | update -a $learner -e 0.01 >one
        replay -n 3 plain | update -a $learner -e 0.01 >two
        same one two
    done
}

# ---- options ----

@test "-T makes eta: T^(-2/3), for listnet T^(-1/2)" {
    for learner in squared kl smoothdcg ranksvm listnet; do
        two_documents | update -a $learner -T 1 >one
        two_documents | update -a $learner -e 1 >two
        same one two
        two_documents | update -a $learner -T 1000000 >one
        eta=$(bin2txt -f head one | sed 's/.* eta=\([^ ]*\) .*/\1/')
        echo "$learner $eta"
        awk -v eta="$eta" -v want="$([ $learner = listnet ] && echo 0.001 || echo 0.0001)" \
            'BEGIN { d = eta / want - 1; exit !(d * d < 1e-28) }'
        two_documents | update -a $learner -e "$eta" >two
        same one two
    done
}

@test "only one of -e and -T; with neither, steps are adaptive, and need no ball" {
    for learner in squared kl smoothdcg ranksvm listnet; do
        two_documents | update -a $learner | bin2txt -f head >head
        grep ' cols=w:f8\[2\],direction:f8\[2\],scale:f8\[1\],bets:f8\[3\] ' head
        if grep ' eta=' head; then return 1; fi
    done
}

@test "radius without a step size: steps by the gradients so far, within the ball" {
    # squared: s = 0, g = 2 (s - R) = (-2, 0), z = X'g = (-2, -4): a step of U sqrt 2 to the edge of the ball. Then V = 20 and
    # the square of the next z, and w <- w - U (2 / V)^(1/2) z, not about the mean
    awk 'BEGIN {
        U = 2; V = 0; a = b = 0
        for (t = 1; t <= 2; t++) {
            g = 2 * (a + 2 * b - 1); h = 2 * (3 * a - b); y = g + 3 * h; z = 2 * g - h; V += y * y + z * z
            a -= U * sqrt(2 / V) * y; b -= U * sqrt(2 / V) * z; n = sqrt(a * a + b * b)
            if (n > U) { a *= U / n; b *= U / n }
            printf "%.17g %.17g %.17g\n", a, b, V
        }
    }' >want
    two_documents >round
    for n in 1 2; do
        for _ in $(seq $n); do cat round; done | update -a squared,radius=2 >model
        bin2txt -f head model >head
        grep ' learner=squared rounds='$n' .* radius=2 cols=w:f8\[2\],direction:f8\[2\],scale:f8\[1\],squares:f8\[1\] ' head
        paste <(weights model) <(sed -n ${n}p want) | awk '{ exit !(($1 / $3 - 1) ^ 2 < 1e-28 && ($2 / $4 - 1) ^ 2 < 1e-28) }'
        is "$(model_array model squares | awk -v want="$(sed -n ${n}p want)" '{ split(want, v, " "); print ($1 / v[3] - 1) ^ 2 < 1e-28 }')" 1
    done
    # a round of gradient 0 moves nothing; a run that stopped goes on to the same bytes; a whole message has V
    synth -n 50 -d 3 linear | score -m <(weights2bin <<<'1 1') | explore -g 0.5 | feedback-mask -k 2 >rounds
    for learner in squared kl ranksvm; do
        update -a $learner,radius=1.5 <rounds >whole
        rm -f parts
        for from in 1 18; do replay -b $from -n $((from == 1 ? 17 : 50)) rounds | update -a $learner,radius=1.5 -m parts; done
        cmp whole parts
        update -a $learner,radius=1.5 -f - -m sent.$learner <rounds | LC_ALL=C grep -a ' model ' | LC_ALL=C grep -ac 'squares:f8\[1\]' >messages
        [ "$(cat messages)" -ge 1 ]
        fails_on rounds 1 'update: model whole: it was learnt with radius=1.5, but this run has no radius: *' update -a $learner -m whole
    done
    for learner in listnet squared-ndcg slam slam-ap; do
        synth -n 20 -d 3 linear | update -a $learner,radius=0.5 >model
        weights model | awk '{ exit !($1 * $1 + $2 * $2 + $3 * $3 <= 0.25 + 1e-15 && $1 != 0) }'
    done
    fails 2 'update: radius needs a step size for smoothdcg, whose loss is not convex: give eta, or omit radius*' update -a smoothdcg,radius=1
    fails 2 'update: radius needs a step size for pdgd, which descends on no loss: give eta, or omit radius*' update -a pdgd,radius=1
    two_documents | update -a slam,eta=1,radius=0.1 >model
}

@test "a setting that the learner does not take is a usage error" {
    for learner in squared kl ranksvm listnet; do
        fails 2 "update: $learner has no setting epsilon (-E): update -h $learner lists them*" \
            update -a $learner -e 0.1 -E 0.5
    done
}

@test "settings by name are those by letter; -h explains those of a learner" {
    two_documents >round
    update -a kl -e 1e-5 -U 1 <round >letters
    update -a kl,eta=1e-5,radius=1 <round >names
    same letters names
    update -a kl,radius=1 -e 0.00001 <round >names
    same letters names
    small_text | svm2bin >queries
    update -a memory -R 3 -p <queries >letters
    for words in rho=3,plain plain=1,rho=3.0; do
        update -a "memory,$words" <queries >names
        same letters names
    done
    for learner in $(update -h | sed -n '/^  -a /,/^  -b /p' | tr -d '\n' | sed 's/.*one of: //; s/  -b .*//'); do
        update -h "$learner" >help
        is "$(awk 'length > 100' help)" ''
        sed -n 's/^  \([a-z][a-z-]*\)=value .*/\1/p' help >settings
        awk '/^  [a-z]/ { name = $1; sub(/=.*/, "", name) } /-.$/ { print name, $NF }' help |
            while read -r name letter; do
                grep -qE "^\.It Cm $name( .*)? Pq Fl ${letter#-}$" "$ROOT/man/update.1"
            done
        for setting in $(grep -vxE "prior|examination" settings); do # which take any path
            fails 2 "update: $setting wants *, not '?'*" update -a "$learner,$setting=?"
        done
        for setting in $(sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' help); do
            fails 2 "update: $setting wants no value, not '0'*" update -a "$learner,$setting=0"
        done
    done
    update -h kl | grep -xF '  eta=value       step size: a number above 0 (default: adaptive steps); -e'
    update -h memory | grep -F 'a number from 1e-300 to 1e+300 (default: 10); -C'
}

@test "a setting or a learner that does not exist is a usage error that names those that do" {
    while IFS='|' read -r words message; do
        fails 2 "update: $message*usage: update *" update -a "$words" -m model
    done <<'END'
|no learner '': choose from squared, kl,
,|no learner '': choose from squared, kl,
lk|no learner 'lk': did you mean kl[?]
Kl,eta=1|no learner 'Kl': did you mean kl[?]
thomson|no learner 'thomson': did you mean thompson[?]
foo|no learner 'foo': choose from squared, kl,
kl,|kl has no setting '': choose from horizon, radius, eta
kl,eta=1,|kl has no setting '': choose from horizon, radius, eta
kl,foo=1|kl has no setting 'foo': choose from horizon, radius, eta
kl,rho=1|kl has no setting 'rho': choose from horizon, radius, eta
kl,etta=1|kl has no setting 'etta': did you mean eta[?]
kl,eta|eta needs a value: eta=..., a number above 0
kl,eta=|eta wants a number above 0, not ''
kl,eta=abc|eta wants a number above 0, not 'abc'
kl,eta=1,eta=1|eta (-e) is given twice: give it once
ftpl,gain=x|gain wants exp, lin, ndcg or auc, not 'x'
prank,grades=1001|grades wants a whole number from 1 to 1000, not '1001'
memory,plain=0|plain wants no value, not '0'
END
    long=$(printf '0%.0s' {1..200})
    fails 2 "update: eta wants a number above 0, not '1.0000*" update -a "kl,eta=1.${long}1"
    [ ! -e model ]
}

@test "other wrong options are usage errors, before anything is opened" {
    fails 2 "update: no learner 'foo': choose from squared, kl, smoothdcg, ranksvm, listnet*" \
        update -a foo -e 1 -m model
    for value in 0 -1 x nan inf 1e999 0x10 ''; do
        fails 2 'update: -e wants a number above 0, not *' update -a kl -e "$value" -m model
        fails 2 'update: -U wants a number above 0, not *' update -a kl -e 1 -U "$value" -m model
    done
    for value in 0s 01s -1s 1.5s s 10000000000s 30ss; do
        fails 2 'update: -c wants a whole number *' update -a kl -e 1 -c "$value" -m model
    done
    for value in 0 -1 x 1.5 01; do
        fails 2 'update: -T wants a whole number *' update -a kl -T "$value" -m model
        fails 2 'update: -c wants a whole number *' update -a kl -e 1 -c "$value" -m model
        fails 2 'update: -d wants a whole number *' update -a kl -e 1 -d "$value" -m model
    done
    [ ! -e model ] && [ ! -e model.lock ]
}

@test "-U keeps the weights in the ball, and leaves them alone inside it" {
    two_documents | update -a squared -e 0.5 -U 1 >one
    near one 0.44721359549995793 0.89442719099991586 # (1, 2) / sqrt(5)
    # just outside of the ball, and just inside
    two_documents | update -a squared -e 0.5 -U 2.236 >one
    near one 0.99996959953790595 1.9999391990758119 # 2.236 / sqrt(5)
    two_documents | update -a squared -e 0.5 -U 2.2361 >one
    holds one 1 2
    deck
    for n in 1 2 3 5 10 20 40; do
        for learner in squared kl smoothdcg; do
            replay -n $n deck | update -a $learner -e 0.7 -U 0.3 >one
            weights one | awk '{ for (j = 1; j <= NF; j++) n += $j * $j
                                 if (n > 0.09 * (1 + 1e-14)) { print n; exit 1 } }'
        done
    done
}

@test "-U takes back weights whose squares a double cannot hold" {
    two_documents | update -a squared -e 1e200 -U 1 >one
    near one 0.44721359549995793 0.89442719099991586
}

@test "-d says how far a model may grow" {
    small_text | svm2bin >bad
    update -a kl -e 0.1 -d 3 <bad >one
    fails_on bad 1 'update: <stdin>: round 1 (qid a): it has 3 features, but the model may have only 2 weights: add -d 3 if that is meant' \
        update -a kl -e 0.1 -d 2 -m model
    two_documents | update -a kl -e 0.1 -m model
    fails_on bad 1 "$(resuming model 'update: <stdin>: round 1 (qid a): the round has 3 features, but the model learnt from rounds of 2 features: give those, or add -d 3 if the number may vary')" \
        update -a kl -e 0.1 -d 2 -m model
    rm model
    mkstream round t=1 docs=3 dim=0 label:f4 1 0 2 >bad # its documents are its features
    mkstream round t=1 docs=2 dim=0 label:f4 1 0 >good
    untouched 'update: <stdin>: round 1: it has 3 features, but the model may have only 2 weights*' \
        -a kl -e 0.1 -d 2
    rm model
    update -a kl -e 0.1 -m model <bad
    cp model before
    fails_on bad 1 'update: model model: it has 3 features, but the model may have only 2 weights*' \
        update -a kl -e 0.1 -d 2 -m model
    same before model
}

@test "one hostile index does not ask for 16 GB" {
    echo '1 qid:a 1:1 2147483647:1' | svm2bin >bad
    mkstream round t=1 docs=1 dim=5 label:f4 1 ptr:u4 0 1 idx:u4 0 val:f4 1 >good
    untouched '*it has 2147483647 features, but the model may have only 16777216 weights: *' \
        -a kl -e 0.1
    mkstream round t=1 docs=1 dim=16777217 label:f4 1 ptr:u4 0 1 idx:u4 0 val:f4 1 >bad
    untouched '*it has 16777217 features, but the model may have only 16777216 weights: *' \
        -a kl -e 0.1
}

# ---- feedback it cannot live on ----

@test "less feedback than the learner needs: how much it needs, and the model as it was" {
    deck
    cp deck bad
    small_text | svm2bin >good
    untouched 'update: <stdin>: round 1 (qid a): seen has 1 relevance, and ranksvm needs 2: use feedback-mask -k 2' \
        -a ranksvm -e 0.1
    rm model
    untouched 'update: <stdin>: round 1 (qid a): seen has 1 of 3 relevances, and listnet needs all: use feedback-mask -k all' \
        -a listnet -e 0.1
    rm model
    score -m zero <labelled | explore -g 0.5 | feedback-mask -k 2 >bad
    untouched 'update: <stdin>: round 1 (qid a): seen has 2 of 3 relevances, and listnet needs all: use feedback-mask -k all' \
        -a listnet -e 0.1
}

@test "top-k feedback without gamma, or with gamma 0, is refused, and the model as it was" {
    zero
    small_text | svm2bin >good
    score -m zero <good | explore | feedback-mask -k 2 >bad
    for learner in squared kl smoothdcg ranksvm; do
        untouched "update: <stdin>: round 1 (qid a): $learner needs gamma to learn from partial feedback (*): add -g to explore before the users answer; for logs of other systems see rankpipe-logs(7)" \
            -a $learner -e 0.1
        rm model
    done
    mkstream round t=1 docs=3 dim=0 gamma=0 order:u4 1 2 0 seen:f4 3 1 >bad
    mkstream round t=1 docs=3 dim=0 label:f4 3 1 0 >good
    for learner in squared kl smoothdcg ranksvm; do
        untouched 'update: <stdin>: round 1: with gamma=0, nothing is learnt about documents that are never shown: use explore -g above 0, or feedback-mask -k all' \
            -a $learner -e 0.1
        rm model
    done
}

@test "the order of a swap, or of logits, gives the probabilities by hand" {
    # swap=2 gamma=1/2 of 4: document 0 of the greedy two is there with 1 - 1/4, document 3 of the
    # other two with 1/4. No features, so that w[i] += 2 eta R_i / pi_i: 3/(3/4) and 1/(1/4).
    mkstream round t=1 docs=4 dim=0 gamma=0.5 swap=2 order:u4 0 3 2 1 greedy:u4 0 1 2 3 seen:f4 3 1 >round
    update -a squared -e 0.5 <round >model
    mkstream model crc= learner=squared rounds=1 dim=4 features=0 eta=0.5 w:f8 4 0 0 4 >want
    same want model
    # Logits that are equal: 1/4 for one place, 2/4 for two.
    mkstream round t=1 docs=4 dim=0 order:u4 1 0 2 3 logit:f8 7 7 7 7 seen:f4 3 >round
    update -a squared -e 0.5 <round >model
    mkstream model crc= learner=squared rounds=1 dim=4 features=0 eta=0.5 w:f8 0 12 0 0 >want
    same want model
    mkstream round t=1 docs=4 dim=0 order:u4 1 0 2 3 logit:f8 7 7 7 7 seen:f4 3 2 >round
    [ "$(update -a squared -e 0.5 <round | bin2txt | awk '$1 == "w" { printf "%.14g ", $3 }')" = '4 6 0 0 ' ]
}

# refuses LEARNER WORDS: so it does with `bad`.
refuses() {
    mkstream round t=1 docs=4 dim=0 label:f4 3 1 0 2 >good
    untouched "update: <stdin>: round 1: $2" -a "$1" -e 0.1
    rm model
}

@test "places that the policy did not draw are refused with what to do" {
    for learner in squared kl smoothdcg ranksvm; do
        mkstream round t=1 docs=4 dim=0 gamma=0.5 top=2 order:u4 1 2 0 3 seen:f4 3 1 1 >bad
        refuses $learner 'seen covers 3 places, but explore explored only the first 2 (top=2): use explore -k 3'
        mkstream round t=1 docs=4 dim=0 gamma=0.5 swap=3 order:u4 1 2 0 3 seen:f4 3 1 >bad
        refuses $learner 'seen covers 2 of 4 places, but swap=3 needs the first 3: use feedback-mask -k 3'
        mkstream round t=1 docs=4 dim=0 gamma=0.5 swap=2 order:u4 1 2 0 3 seen:f4 3 1 1 >bad
        refuses $learner 'seen covers 3 of 4 places, but swap=2 needs the first 2: use feedback-mask -k 2'
        mkstream round t=1 docs=4 dim=0 gamma=0.5 swap=9 order:u4 1 2 0 3 seen:f4 3 1 >bad
        refuses $learner 'seen covers 2 of 4 places, but swap=9 needs the first 9: *'
        mkstream round t=1 docs=4 dim=0 order:u4 1 2 0 3 logit:f8 1 2 3 4 seen:f4 3 1 1 >bad
        refuses $learner 'seen covers 3 of 4 places, but explore -p plackett-luce gives propensities for at most 2: use feedback-mask -k 2'
    done
    mkstream round t=1 docs=4 dim=0 gamma=1 swap=1 order:u4 1 2 0 3 seen:f4 3 >bad
    refuses kl 'with swap=1 and gamma=1, the document with the highest score is never shown: *'
}

@test "the order of a slot gives the probabilities by hand, and must be seen down to it" {
    # f = 1/2 / (4 - 2 + 1) = 1/6: document 0 is seen for sure, document 3 of the greedy 0 1 2 3 with f.
    mkstream round t=1 docs=4 dim=0 gamma=0.5 slot=2 order:u4 0 3 1 2 greedy:u4 0 1 2 3 seen:f4 3 1 >round
    mkstream round t=1 docs=4 dim=0 order:u4 0 3 1 2 seen:f4 3 1 propensity:f8 1 0.16666666666666666 >logged
    for learner in squared kl smoothdcg; do
        update -a $learner -e 0.01 <logged | bin2txt -f tsv >want
        update -a $learner -e 0.01 <round | bin2txt -f tsv | same want /dev/stdin
    done
    mkstream round t=1 docs=4 dim=0 gamma=0.5 slot=3 order:u4 1 2 0 3 seen:f4 3 1 >bad
    refuses kl 'seen covers 2 of 4 places, but only place 3 was open to chance (slot=3): use feedback-mask -k 3 or more'
    mkstream round t=1 docs=4 dim=0 gamma=0.5 slot=2 order:u4 1 2 0 3 seen:f4 3 1 >bad
    refuses ranksvm 'ranksvm learns from pairs, but with slot=2 two documents from place 2 on are never seen together: use explore -p top -k 2'
}

@test "what learns from pairs refuses a swap that never shows some, and takes one that shows all" {
    mkstream round t=1 docs=4 dim=0 gamma=0.5 swap=2 order:u4 0 3 2 1 greedy:u4 0 1 2 3 seen:f4 3 1 >bad
    refuses ranksvm 'ranksvm learns from pairs, but with swap=2 two documents below the first 2 of the greedy order are never seen together: use explore -p top -k 2'
    mkstream round t=1 docs=3 dim=0 gamma=1 swap=2 order:u4 0 2 1 greedy:u4 0 1 2 seen:f4 3 1 >bad
    refuses ranksvm '* learns from pairs, but with swap=2 two documents of the first 2 of the greedy order are never *'
    # gamma=1/2 of 3: the pair 0, 2 is seen with (1/2) (1/2) / 1.
    mkstream round t=1 docs=3 dim=0 gamma=0.5 swap=2 order:u4 0 2 1 greedy:u4 0 1 2 seen:f4 3 1 >round
    update -a ranksvm -e 0.5 <round >model
    mkstream model crc= learner=ranksvm rounds=1 dim=3 features=0 eta=0.5 w:f8 2 0 -2 >want
    same want model
}

@test "a document seen with propensity 0 is an error, and nothing is divided by 0" {
    mkstream round t=1 docs=3 dim=0 order:u4 0 2 1 logit:f8 0 1 800 seen:f4 1 >bad
    refuses kl 'document 0 with logit 0 has propensity 0, too small to learn from: use explore with a larger -H'
    mkstream round t=1 docs=3 dim=0 order:u4 0 2 1 logit:f8 0 1 710 seen:f4 1 >bad
    refuses kl 'document 0 with logit * has propensity *e-309, *'
    mkstream round t=1 docs=3 dim=0 order:u4 0 1 2 logit:f8 0 0 800 seen:f4 1 2 >bad
    refuses ranksvm 'documents 0 and 1 have joint propensity 0, *'
    # Behind one that is sure of its place the next is as likely as among the others alone: 1/2.
    mkstream round t=1 docs=3 dim=0 order:u4 2 0 1 logit:f8 0 0 800 seen:f4 1 2 >round
    update -a squared -e 0.5 <round >model
    mkstream model crc= learner=squared rounds=1 dim=3 features=0 eta=0.5 w:f8 4 0 1 >want
    same want model
}

@test "learners that look at no probabilities take every policy, and any number of places" {
    zero
    for policy in 'top -k 1 -g 0.5' 'swap -k 2 -g 1' plackett-luce; do
        # shellcheck disable=SC2086
        for k in 1 2 3; do
            small_text | svm2bin | score -m zero | explore -p $policy | feedback-mask -k $k >round
            update -a ridge <round >out
            update -a prank <round >out
            [ $k = 1 ] || update -a committee -N 2 <round >out
        done
        # shellcheck disable=SC2086
        small_text | svm2bin | score -m zero | explore -p $policy | feedback-mask -k all >round
        for learner in slam listnet kl ranksvm; do
            update -a $learner -e 0.1 <round >out
        done
    done
}

@test "a round with neither seen nor label, and a model in the stream, are refused" {
    mkstream round t=7 docs=2 dim=2 x:f4 1 2 3 4 >bad
    untouched 'update: <stdin>: round 7: needs seen or label: put feedback-mask before update' \
        -a kl -e 0.1
    mkstream model learner=kl rounds=1 dim=1 w:f8 1 >bad
    untouched 'update: <stdin>: record 1: the stream has a model, but update learns from rounds: to continue a model, use -m' \
        -a kl -e 0.1
}

@test "labels that nothing masked after explore are refused, unless -X allows them" {
    deck
    score -m zero <labelled | explore -g 0.5 >shown
    cp shown bad
    for learner in 'squared -e 0.1' listnet\ -e\ 0.1 slam\ -e\ 1 ridge; do
        # shellcheck disable=SC2086
        untouched 'update: <stdin>: round 1 (qid a): the round has an order and all labels: put feedback-mask before update, or learn from all labels with -X' \
            -a $learner
        rm model
        # shellcheck disable=SC2086
        update -a $learner <labelled >by_labels # no order: they were never shown
        # shellcheck disable=SC2086
        update -X -a $learner <shown >allowed
        same by_labels allowed
    done
    # Feedback that is there decides, with labels beside it or not.
    feedback-mask -k all <shown >all
    update -a listnet -e 0.1 <all >model
    mkstream round 't=1 docs=2 dim=1' label:f4 1 0 order:u4 0 1 seen:f4 1 0 x:f4 1 2 >both
    update -a listnet -e 0.1 <both >model
}

@test "weights that diverge stop the run, and what the rounds before taught is saved" {
    # w = 1e10 (e - 1) 1000 after the first round, so that exp(s) is infinite in the second; into a
    # model with w = 1 it is in the first
    mkstream round t=1 docs=2 dim=1 label:f4 1 0 x:f4 1000 1 >first
    mkstream round t=1 docs=2 dim=1 label:f4 1 0 x:f4 1000 1 \
        + round t=2 docs=2 dim=1 label:f4 1 0 x:f4 1000 1 >bad
    saves_before first 'update: <stdin>: round 2: *diverge*' -a kl -e 1e10 -x none
    mkstream model learner=kl rounds=3 dim=1 eta=10000000000 w:f8 1 >model
    cp model before
    fails_on bad 1 "$(resuming model 'update: <stdin>: round 1: *diverge*')" \
        update -a kl -e 1e10 -x none -m model
    same before model
    rm model
    mkstream round t=1 docs=1 dim=1 label:f4 1e6 x:f4 1e30 >bad
    mkstream model learner=squared rounds=3 dim=1 eta=1.0000000000000001e+300 w:f8 0 >model
    untouched 'update: <stdin>: round 1: the step makes weight 0 infinite: the weights diverge: use a smaller step (eta), or a ball (radius)' \
        -a squared -e 1e300
}

@test "a feature that is not a number is an error, and what the rounds before taught is saved" {
    mkstream round t=1 qid=a docs=2 dim=1 label:f4 1 0 x:f4 1 0.5 >first
    for value in nan inf -inf; do
        mkstream round t=1 qid=a docs=2 dim=1 label:f4 1 0 x:f4 1 0.5 \
            + round t=2 qid=b docs=2 dim=1 label:f4 1 0 x:f4 1 $value >bad
        saves_before first 'update: <stdin>: round 2 (qid b): document 1 scores *' -a kl -e 0.1
        for learner in kl ridge memory solar1 solar2 prank-pair committee prank slam listnet; do
            saves_before first 'update: <stdin>: round 2*: *' -a "$learner"
        done
    done
}

@test "a wider round that fails leaves no more weights than there were" {
    mkstream round t=1 qid=a docs=2 dim=2 label:f4 1 0 x:f4 1 0.5 0.25 1 >first
    mkstream round t=1 qid=a docs=2 dim=2 label:f4 1 0 x:f4 1 0.5 0.25 1 \
        + round t=2 qid=b docs=2 dim=5 label:f4 1 0 x:f4 1 2 3 4 5 6 7 8 9 nan >bad
    for learner in kl ridge memory solar1 solar2 prank-pair committee prank slam listnet; do
        saves_before first 'update: <stdin>: round 2*: *' -a "$learner"
    done
}

@test "where input fails, what came is saved" {
    not_sanitized "they must be loaded before the shim"
    deck
    replay -n 12 deck | update -a kl -e 0.1 >twelve
    some_rounds 1 12 >rounds
    # the first read gets all of these, and the second fails by EIO
    fails_on rounds 1 'update: cannot read <stdin>: *' env FAULTY_CALL=read FAULTY_AT=2 \
        FAULTY_HOW=5 FAULTY_FD=1 LD_PRELOAD="$ROOT/build/tests/shim/faulty.so" \
        update -a kl -e 0.1 -m model
    same twelve model
}

# ---- the model's file ----

# refused PATTERN: going on with what `model` is fails, and leaves it as it was.
refused() {
    cp model before
    fails_on deck 1 "$1" update -a kl -e 0.1 -m model
    same before model
    alone model
}

@test "a model of another learner, or of other settings, is refused" {
    deck
    for learner in squared smoothdcg; do
        update -a $learner -e 0.1 <deck >model
        refused "update: model model: it is a model of $learner, but this run learns with kl: use -a $learner, or another file"
    done
    update -a kl -e 0.2 <deck >model
    refused 'update: model model: it was learnt with eta=0.2, but this run has 0.1: use the same value, or learn into another file'
    update -a kl -e 0.1 -U 2 <deck >model
    refused 'update: model model: it was learnt with radius=2, but this run has no radius: add radius=2 to -a'
    update -a kl -e 0.1 <deck >model
    cp model before
    fails_on deck 1 'update: model model: it was learnt without radius, but this run has radius=2: *' \
        update -a kl -e 0.1 -U 2 -m model
    same before model
    update -a smoothdcg -e 0.1 -E 0.5 <deck >model
    cp model before
    fails_on deck 1 'update: model model: it was learnt with epsilon=0.5, but this run has 0.01*' \
        update -a smoothdcg -e 0.1 -m model
    same before model
}

@test "a model that is damaged is refused" {
    deck
    mkstream model learner=kl rounds=3 dim=2 eta=0.1 w:f8 1 nan >model
    refused 'update: model: model: weight 1 is nan'
    mkstream model learner=kl rounds=3 dim=3 eta=0.1 w:f8 1 2 >model
    refused 'update: model: model: no column w:f8\[3\] for dim=3'
    mkstream model rounds=3 dim=1 eta=0.1 w:f8 1 >model
    refused 'update: model: model: key learner= is missing'
    mkstream model learner=kl rounds=-1 dim=1 eta=0.1 w:f8 1 >model
    refused 'update: model: model: rounds=-1 is not a whole number *'
    mkstream model learner=kl rounds=3 dim=1 eta=0.1 w:f8 1 + model learner=kl rounds=3 dim=1 eta=0.1 w:f8 1 >model
    refused 'update: model holds more than one model'
    two_documents >model
    refused 'update: model holds rounds, not a model'
    echo 'rankpipe/1 end rounds=0 bytes=0' >model
    refused 'update: model holds nothing, not a model'
    update -a kl -e 0.1 <deck | sed 's,/1 model,/2 model,' >model
    refused 'update: *the stream has version 2, but this program reads version 1'
    small_text >model
    refused 'update: *this looks like SVM-light text*'
    echo 'dear diary' >model
    refused "update: *not a rankpipe stream: it begins with 'dear diary*"
}

@test "a model cut at any byte is refused" {
    slow
    deck
    update -a kl -e 0.1 <deck >whole
    size=$(wc -c <whole)
    for ((n = 0; n < size; n += STRIDE)); do
        head -c $n whole >model
        cp model before
        got=0
        update -a kl -e 0.1 -m model <deck 2>err || got=$?
        same before model
        case $got/$(cat err) in
        '1/update: model: stream cut short'*) ;;
        *) echo "cut at byte $n: exit $got" && cat err && return 1 ;;
        esac
    done
    alone model
}

@test "a directory, a device, a FIFO and a place that is not there are no model files" {
    deck
    mkdir folder
    fails_on deck 1 'update: model folder is a directory, not a file' update -a kl -e 1 -m folder
    fails_on deck 1 'update: model folder/ is a directory, not a file' update -a kl -e 1 -m folder/
    fails_on deck 1 'update: model /dev/null is a device or a pipe, not a file' \
        update -a kl -e 1 -m /dev/null
    mkfifo pipe
    fails_on deck 1 'update: model pipe is a device or a pipe, not a file' update -a kl -e 1 -m pipe
    fails_on deck 1 'update: model nowhere/model: *' update -a kl -e 1 -m nowhere/model
    fails_on deck 1 'update: model deck/model: *' update -a kl -e 1 -m deck/model
    [ "$(ls -A folder)" = '' ]
    [ -c /dev/null ] && [ -p pipe ]
    [ "$(echo *)" = 'deck err folder labelled out pipe zero' ]
}

@test "a folder that must not be written to is an error before a round is read" {
    [ "$(id -u)" != 0 ] || skip 'root may write anywhere'
    deck
    mkdir folder
    update -a kl -e 0.1 -m folder/model <deck
    cp folder/model before
    chmod 555 folder
    fails_on deck 1 'update: model folder/model: cannot create its lock file *' \
        update -a kl -e 0.1 -m folder/model
    chmod 755 folder
    same before folder/model
    chmod 444 folder/model
    fails_on deck 1 'update: model folder/model cannot be replaced: *' \
        update -a kl -e 0.1 -m folder/model
    same before folder/model
}

@test "without -m the model goes to standard output, with -m nothing does" {
    deck
    update -a kl -e 0.1 <deck >one
    [ "$(update -a kl -e 0.1 -m model <deck | wc -c)" -eq 0 ]
    same one model
    alone model
}

@test "going on with a model is going on: rounds are counted, weights carried along" {
    deck
    replay -n 13 deck | update -a kl -e 0.1 -m model
    [ "$(rounds_of model)" = 13 ]
    replay -b 14 -n 40 deck | update -a kl -e 0.1 -m model
    update -a kl -e 0.1 <deck >straight
    same straight model
}

@test "a run that resumes says so, from which round and of which file, before its first round" {
    deck
    update -a kl -e 0.1 -m model <deck 2>err
    is "$(cat err)" ''
    update -a kl -e 0.1 -m model <deck 2>err
    is "$(cat err)" 'update: resuming from round 40 of model'
    loop 'update -a kl -e 0.1 -c 1 -m ./model < deck' 2>err
    is "$(cat err)" 'update: resuming from round 80 of ./model'
    update -a kl -e 0.1 <deck 2>err >model
    is "$(cat err)" ''
    mkfifo in
    update -a kl -e 0.1 -m model <in 2>err 3>&- &
    exec 8>in
    within 10 grep -x 'update: resuming from round 40 of model' err
    cat deck >&8
    exec 8>&-
    wait $!
    mv model $'a\nb'
    update -a kl -e 0.1 -m $'a\nb' <deck 2>err
    is "$(cat err)" 'update: resuming from round 80 of a\x0ab'
}

@test "-n starts a new model, and the old one is replaced when the new one is saved" {
    deck
    update -a kl -e 0.1 -m straight <deck
    update -a kl -e 0.5 -m model <deck
    cp model before
    fails_on deck 1 'update: model model: it was learnt with eta=0.5, *' update -a kl -e 0.1 -m model
    echo 'rankpipe/1 end rounds=0 bytes=0' >bad
    fails_on bad 1 'update: <stdin>: no rounds' update -n -a kl -e 0.1 -m model
    same before model
    mkfifo in
    update -n -a kl -e 0.1 -m model <in 2>err 3>&- &
    exec 8>in
    head -c 3000 deck >&8
    within 10 [ -e model.lock ]
    same before model
    tail -c +3001 deck >&8
    exec 8>&-
    wait $!
    is "$(cat err)" ''
    same straight model
    : >model # a file that is no model is replaced too
    update -n -a kl -e 0.1 -m model <deck
    same straight model
    update -n -a kl -e 0.1 -m new <deck
    same straight new
}

@test "the rule of make on the page: a model starts anew, and one that is cut short is deleted" {
    for tool in make mandoc; do command -v $tool || skip "no $tool here"; done
    deck
    replay -n 40 labelled >q.bin
    cp q.bin whole
    mandoc -Tascii "$ROOT/man/update.1" | awk '{ gsub(/.\010/, "") } /^   Models that make/ { on = 1 }
        on && /DELETE_ON_ERROR:$/ { rule = 1 } rule && !NF { exit }
        rule { sub(/^ *update/, "\tupdate"); sub(/^ */, ""); print }' >Makefile
    is "$(wc -l <Makefile)" 3
    make model.bin 2>err
    is "$(cat err)" ''
    update -a listnet <whole >straight
    same straight model.bin
    make model.bin | grep 'up to date'
    touch -t 202001010000 model.bin
    make model.bin 2>err
    is "$(cat err)" ''
    same straight model.bin
    head -c 3000 whole >q.bin
    touch -t 202001010000 model.bin
    fails 2 '*stream cut short*' make model.bin
    [ ! -e model.bin ]
}

@test "no rounds: exit 1, and no file is made or changed" {
    deck
    echo 'rankpipe/1 end rounds=0 bytes=0' >bad
    untouched 'update: <stdin>: no rounds' -a kl -e 0.1
    fails_on bad 1 'update: <stdin>: no rounds' update -a kl -e 0.1
    [ ! -s out ]
    : >bad
    untouched 'update: <stdin>: stream cut short: the input is empty, without even an end record' -a kl -e 0.1
}

@test "a stream cut short: what came whole is saved, exit 1" {
    deck
    replay -n 12 deck | update -a kl -e 0.1 >straight
    some_rounds 1 12 >rounds
    some_rounds 1 13 >more
    # from the twelfth round's last byte to the thirteenth's last but one
    first=$(wc -c <rounds) last=$(($(wc -c <more) - 1))
    for n in $first $((first + 1)) $((first + 20)) $((last - 1)) $last; do
        rm -f model
        head -c "$n" more >cut
        fails_on cut 1 'update: <stdin>: stream cut short after round 12' \
            update -a kl -e 0.1 -m model
        same straight model
        fails_on cut 1 'update: <stdin>: stream cut short after round 12' update -a kl -e 0.1
        same straight out
        alone model
    done
}

@test "a checkpoint is a whole model, while the run goes on" {
    deck
    mkfifo in
    update -a kl -e 0.1 -c 5 -m model <in 3>&- &
    exec 8>in
    some_rounds 1 12 >&8
    within 5 eval '[ "$(rounds_of model 2>/dev/null)" = 10 ]'
    replay -n 10 deck | update -a kl -e 0.1 >ten
    same ten model
    some_rounds 13 40 >&8
    within 5 eval '[ "$(rounds_of model)" = 40 ]'
    update -a kl -e 0.1 <deck >forty
    same forty model
    [ -f model.lock ] # still at it
    echo 'rankpipe/1 end rounds=40 bytes=0' >&8
    exec 8>&-
    wait $!
    same forty model
    alone model
}

@test "at any moment of a run that saves after each round the file is whole" {
    deck
    replay -n 100000000 deck | update -a kl -e 0.1 -c 1 -m model 3>&- &
    within 5 [ -f model ]
    last=0
    for ((i = 0; i < 100; i++)); do
        cat model >copy # one file, whatever is renamed over its name meanwhile
        now=$(rounds_of copy)
        [ "$now" -ge $last ]
        last=$now
    done
    kill -KILL $!
    wait $! || [ $? = 137 ]
    [ "$last" -gt 1 ]
    n=$(rounds_of model)
    replay -n "$n" deck | update -a kl -e 0.1 >straight
    same straight model
    # neither the lock nor the half-written file of a run that was killed is in the way of the next
    : >>model.lock
    echo half >model.lock.new
    replay -b $((n + 1)) -n $((n + 9)) deck | update -a kl -e 0.1 -m model
    replay -n $((n + 9)) deck | update -a kl -e 0.1 >straight
    same straight model
    alone model
}

@test "a round that fails is not in the model, those before it are" {
    deck
    { some_rounds 1 7 && mkstream round t=8 docs=1 dim=1 x:f4 1; } >bad
    fails_on bad 1 'update: <stdin>: round 8: needs seen or label*' update -a kl -e 0.1 -c 3 -m model
    replay -n 7 deck | update -a kl -e 0.1 >seven
    same seven model
    alone model
}

@test "-c 1s saves about every second, and at the end" {
    slow
    deck
    mkfifo in
    update -a kl -e 0.1 -c 1s -m model <in 3>&- &
    exec 8>in
    some_rounds 1 3 >&8
    sleep 0.3
    [ ! -e model ]
    sleep 0.8
    some_rounds 4 4 >&8
    within 5 eval '[ "$(rounds_of model 2>/dev/null)" = 4 ]'
    some_rounds 5 6 >&8
    sleep 0.3
    [ "$(rounds_of model)" = 4 ]
    exec 8>&-
    wait $! || [ $? = 1 ]
    [ "$(rounds_of model)" = 6 ]
}

@test "a second update on the same model is refused while the first runs" {
    deck
    mkfifo in
    ln -s model link
    update -a kl -e 0.1 -m model <in 3>&- &
    exec 8>in
    within 5 [ -f model.lock ]
    fails_on deck 1 'update: model model: another update is learning into it (model.lock is locked)' \
        update -a kl -e 0.1 -m model
    fails_on deck 1 'update: *: another update is learning into it (model.lock is locked)' \
        update -a kl -e 0.1 -m link
    fails_on deck 1 'update: *: another update is learning into it *' \
        update -a kl -e 0.1 -m ./model
    [ ! -e model ] && [ -f model.lock ]
    cat deck >&8
    exec 8>&-
    wait $!
    alone model
    update -a kl -e 0.1 <deck >straight
    same straight model
    # and afterwards it is not
    replay -b 41 -n 50 deck | update -a kl -e 0.1 -m model
    [ "$(rounds_of model)" = 50 ]
    alone model
}

@test "a model with symbolic links to it is replaced where it lies, and the links stay" {
    deck
    mkdir -p there/deep elsewhere
    ln -s ../there/link elsewhere/link # from another folder, over a second link
    ln -s deep/model there/link
    (cd elsewhere && replay -n 20 ../deck | update -a kl -e 0.1 -m link) # not there yet
    [ -L elsewhere/link ] && [ -L there/link ] && [ -f there/deep/model ] && [ ! -L there/deep/model ]
    replay -b 21 -n 40 deck | update -a kl -e 0.1 -m elsewhere/link
    [ -L elsewhere/link ] && [ -L there/link ] && [ ! -L there/deep/model ]
    update -a kl -e 0.1 <deck >straight
    same straight there/deep/model
    [ "$(cd there && echo * deep/*)" = 'deep link deep/model' ]
    [ "$(ls elsewhere)" = link ]
    ln -s "$PWD/there/deep/model" absolute
    replay -b 41 -n 50 deck | update -a kl -e 0.1 -m absolute
    [ -L absolute ] && [ "$(rounds_of there/deep/model)" = 50 ]
    ln -s round about
    ln -s about round
    fails_on deck 1 'update: model about: *' update -a kl -e 0.1 -m about
    [ -L about ] && [ -L round ]
}

@test "the model's permissions are kept, and a new one gets the usual" {
    deck
    (umask 027 && replay -n 5 deck | update -a kl -e 0.1 -m model)
    [ "$(ls -l model | cut -c 1-10)" = -rw-r----- ]
    chmod 604 model
    replay -b 6 -n 9 deck | update -a kl -e 0.1 -c 2 -m model
    [ "$(ls -l model | cut -c 1-10)" = -rw----r-- ]
}

@test "a model that cannot be saved is an error, and the old model stays" {
    deck
    replay -n 9 deck | update -a kl -e 0.1 -m model
    cp model before
    mkdir model.lock.new
    cannot=$(resuming model 'update: cannot write model.lock.new: File exists')
    fails_on deck 1 "$cannot" update -a kl -e 0.1 -m model
    same before model
    fails_on deck 1 "$cannot" update -a kl -e 0.1 -c 3 -m model
    same before model
    [ ! -e model.lock ]
}

@test "a model that cannot be saved is an error when the stream is cut short, too" {
    deck
    mkdir model.lock.new
    head -c 3000 deck >cut
    fails_on cut 1 '*cannot write model.lock.new: *' update -a kl -e 0.1 -m model
}

@test "a model that cannot be written to standard output is no success" {
    deck
    fails_on deck 1 'update: cannot write <stdout>: *' sh -c 'update -a kl -e 0.1 >/dev/full'
    fails_on deck 1 'update: cannot write <stdout>: *' sh -c 'update -a kl -e 0.1 >&-'
}

@test "with -m it is no matter who reads standard output" {
    deck
    # gone before a round comes, and gone in the middle
    { sleep 0.1 && cat deck; } | { update -a kl -e 0.1 -m model && echo >saved; } | true
    [ -f saved ]
    update -a kl -e 0.1 <deck >straight
    same straight model
    rm saved model
    { some_rounds 1 20 && sleep 0.2 && some_rounds 21 40 && echo 'rankpipe/1 end rounds=40 bytes=0'; } |
        { update -a kl -e 0.1 -m model && echo >saved; } | sleep 0.1
    [ -f saved ]
    same straight model
}

@test "without -m a reader that is gone ends it as any other: SIGPIPE, no words" {
    deck
    status=$(set +e; { update -a kl -e 0.1 <deck 2>err; echo $? >status; } | true; sleep 0.1; cat status)
    [ "$status" = 141 ] || [ "$status" = 0 ] # 0: the model was in the pipe before `true` was gone
    [ ! -s err ]
}

# ---- signals ----

# stopped_by SIGNAL: an endless run into `model` is sent the signal in the middle. Status 128 + its
# number.
stopped_by() {
    # shellcheck disable=SC2016
    replay -n 100000000 deck 2>/dev/null 3>&- |
        timeout -s KILL 20 sh -c '
            { until [ -f model.lock ]; do sleep 0.01; done; sleep 0.2; kill -"$1" $$; } 3>&- &
            exec update -a kl -e 0.1 -m model 2>err' sh "$1"
}

# gone_on: the model that was stopped is the model of its rounds, and going on from there gives the
# same as never stopping.
gone_on() {
    n=$(rounds_of model)
    [ "$n" -gt 0 ]
    alone model
    replay -n "$n" deck | update -a kl -e 0.1 >straight
    same straight model
    replay -b $((n + 1)) -n $((n + 25)) deck | update -a kl -e 0.1 -m model
    replay -n $((n + 25)) deck | update -a kl -e 0.1 >straight
    same straight model
}

@test "SIGTERM: the round is finished, the model saved, and update dies of it" {
    deck
    got=0
    stopped_by TERM || got=$?
    [ $got = 143 ] && [ ! -s err ]
    gone_on
}

@test "SIGTERM without -m: the model goes to standard output all the same" {
    deck
    mkfifo in
    update -a kl -e 0.1 <in >model 2>err 3>&- &
    exec 8>in
    some_rounds 1 2000 >&8 # more than a pipe holds: once they are in, the first are learnt
    kill -TERM $!
    got=0
    wait $! || got=$?
    exec 8>&-
    [ $got = 143 ] && [ ! -s err ]
    gone_on
}

@test "SIGINT: the round is finished, the model saved, and update dies of it" {
    sh -c 'kill -INT $$' && skip 'SIGINT is ignored by who runs the tests'
    deck
    got=0
    stopped_by INT || got=$?
    [ $got = 130 ] && [ ! -s err ]
    gone_on
}

@test "a signal that was ignored by who started it stays so" {
    deck
    mkfifo in
    sh -c 'trap "" TERM; exec update -a kl -e 0.1 -m model' <in 3>&- &
    exec 8>in
    within 5 [ -f model.lock ]
    kill -TERM $!
    cat deck >&8
    exec 8>&-
    wait $!
    [ "$(rounds_of model)" = 40 ]
}

@test "a signal while update waits for its input ends it at once, with what came" {
    deck
    mkfifo in
    update -a kl -e 0.1 -m model <in 2>err 3>&- &
    exec 8>in
    within 5 [ -f model.lock ]
    kill -TERM $!
    got=0
    wait $! || got=$?
    [ $got = 143 ] && [ ! -s err ]
    [ ! -e model ] && [ ! -e model.lock ] # nothing came
    update -a kl -e 0.1 -c 40 -m model <in 2>err 3>&- &
    some_rounds 1 40 >&8
    within 5 [ -f model ]
    some_rounds 41 44 >&8
    sleep 0.1
    kill -TERM $!
    got=0
    wait $! || got=$?
    exec 8>&-
    [ $got = 143 ] && [ ! -s err ]
    gone_on
}

@test "a signal that finds the model cannot be saved is answered with words and 1" {
    deck
    mkdir model.lock.new
    got=0
    stopped_by TERM || got=$?
    cat err
    [ $got = 1 ]
    grep '^update: cannot write model.lock.new: ' err
    [ ! -e model ]
}

@test "a model that has learnt 2^53 - 1 rounds learns no more, and stays as it was" {
    mkstream model learner=kl rounds=9007199254740991 dim=1 eta=0.10000000000000001 w:f8 0 >model
    mkstream round t=1 docs=1 dim=1 label:f4 1 x:f4 1 >bad
    cp model before
    fails_on bad 1 "$(resuming model 'update: <stdin>: round 1: the model has learnt 9007199254740991 rounds, the most that it can count')" \
        update -a kl -e 0.1 -m model
    same before model
    mkstream model learner=kl rounds=9007199254740990 dim=1 eta=0.10000000000000001 w:f8 0 >model
    update -a kl -e 0.1 -m model <bad 2>err
    bin2txt -f head model | grep rounds=9007199254740991
    bin2txt model >text # which reads it again
}

@test "-C is a number whose reciprocal is one, too" {
    mkstream round t=1 qid=a docs=2 dim=1 label:f4 1 0 x:f4 1 0.25 >stream
    for learner in solar1 solar2 ridge memory; do
        for value in 1e-320 9e-301 1.1e300 1e308; do
            fails_on stream 2 "update: -C wants a number from 1e-300 to 1e+300, not *" \
                update -a $learner -C $value
        done
        for value in 1e-300 1e300; do
            update -a $learner -C $value <stream >model
            ! bin2txt model | grep -E 'nan|inf'
        done
    done
}

# ---- what the features are made by ----

# `raw`: rounds as update gets them, features of several scales that stay exact a thousand times as
# large, and `large`, the same so large.
raw() {
    awk 'BEGIN {
        srand(5)
        for (i = 0; i < 240; i++)
            print i % 3 " qid:" int(i / 8) " 1:" int(rand() * 900) / 4 " 2:" int(rand() * 9) - 3 \
                " 3:" int(rand() * 5) / 2 - 1 " 4:" (i % 3) + int(rand() * 3)
    }' >text
    awk '{ for (f = 3; f <= NF; f++) { split($f, a, ":"); $f = a[1] ":" a[2] * 1000 } print }' text >more
    svm2bin text >raw
    svm2bin more >large
}

@test "-x learns what features makes, to the byte, and in any unit" {
    raw
    for steps in scale rank rank,log scale,log,scale; do
        for learner in ridge 'kl -e 0.1 -U 1' 'slam -e 1' 'committee -N 3' prank solar2; do
            features $steps <raw >made
            # shellcheck disable=SC2086
            {
                update -a $learner <made >want
                update -a $learner -x $steps <raw >out
                same want out
                bin2txt -f head out | grep -q " made=$steps features=[1-9]"
                # rounds that were made so already are taken as they come
                update -a $learner -x $steps <made >out
                same want out
                replay -n 10 made >first
                replay -b 11 -n 30 raw | cat first - | update -a $learner -x $steps >out
                replay -n 30 raw | update -a $learner -x $steps >want
                same want out
            }
        done
        update -a ridge -x $steps <raw >want
        update -a ridge -x $steps <large >out
        same want out
    done
    update -a squared -x none <raw >out
    update -a squared <raw >want
    same want out
}

@test "a run stops and resumes with the same features alone" {
    raw
    replay -n 17 raw >first
    replay -b 18 -n 30 raw >rest
    update -a squared -x scale,log <raw >want
    update -a squared -x scale,log -m model <first
    cp model before
    update -a squared -x scale,log -m model <rest
    same want model
    cp before model
    features scale,log <rest | update -a squared -m model
    same want model
    cp before model
    fails_on rest 1 "$(resuming model "update: <stdin>: round 18 (qid 17): the round has raw features, but the model learnt from features made by scale,log: add -x scale,log")" \
        update -a squared -m model
    fails_on rest 1 'update: model model: it learnt from features made by scale,log, but this run makes scale: use -x scale,log, or another file' \
        update -a squared -x scale -m model
    features scale <rest >scaled
    fails_on scaled 1 "$(resuming model "update: <stdin>: round 18 (qid 17): the round's features are made by scale, but the model's by scale,log: give rounds made by scale,log")" \
        update -a squared -m model
    fails_on scaled 1 'update: *: give rounds made by scale,log, or raw rounds' \
        update -a squared -x scale,log -m model
    same before model
    update -a squared <first >model
    fails_on rest 1 'update: model model: it learnt from raw features, but this run makes rank: use -x none, or another file' \
        update -a squared -x rank -m model
    fails_on scaled 1 'update: *the round'"'"'s features are made by scale, but the model learnt from raw features: *' \
        update -a squared -m model
    update -a squared -m model <rest
    update -a squared <raw >want
    same want model
}

@test "all rounds of a run are made in the same way" {
    raw
    features scale <raw >scaled
    replay -n 3 raw >in
    replay -b 4 -n 9 scaled >>in
    fails_on in 1 'update: <stdin>: round 4 (qid 3): the round'"'"'s features are made by scale, but the model learnt from raw features: *' update -a squared -x none -m model
    replay -n 3 raw | update -a squared -x none >want
    same want model
    rm model
    replay -n 3 scaled >in
    replay -b 4 -n 9 raw >>in
    fails_on in 1 'update: *round 4 (qid 3): the round has raw features, but the model learnt from features made by scale: add -x scale' update -a squared -m model
    update -a squared -x scale <in >out
    mkstream round t=1 docs=2 dim=0 label:f4 1 0 >items
    fails_on items 1 'update: *: -x needs features, but the round has none (dim=0)' update -a squared -e 1 -x scale
    update -a squared -e 1 -x none <items >out
    bin2txt -f head out | grep -q ' features=0 '
}

@test "in a ring -x learns and shows what features made before would, in pipes and in one process" {
    raw
    mkfifo ring
    for run in 'ridge' 'thompson' 'linucb' 'squared -e 0.01 -U 2' 'prank' 'solar1' \
        'dbgd' 'pdgd'; do
        learner=${run%% *} how='-g 0.3' mask='-k 2'
        [ $learner != dbgd ] || how='-p team-draft' mask='-c perfect'
        [ $learner != pdgd ] || how='-p plackett-luce' mask='-c perfect'
        for steps in scale scale,log; do
            features $steps <raw >made
            for window in 1 3; do
                # shellcheck disable=SC2086
                {
                    replay -n 70 -s 1 made | score -f ring -w $window | explore $how | tee shown |
                        feedback-mask $mask | update -a $run -f ring >want
                    bin2txt -f rank shown >ranked
                    replay -n 70 -s 1 raw | score -f ring -w $window | explore $how | tee shown |
                        feedback-mask $mask | update -a $run -x $steps -f ring >out
                    same want out
                    bin2txt -f rank shown >have
                    same ranked have
                    ! grep -a ' made=' shown
                    loop "replay -n 70 -s 1 raw | score -w $window | explore $how |
                        feedback-mask $mask | update -a $run -x $steps" >out
                    same want out
                    loop "replay -n 70 -s 1 made | score -w $window | explore $how |
                        feedback-mask $mask | update -a $run -x $steps" >out
                    same want out
                }
            done
        done
    done
}

@test "a ring that -x feeds stops and resumes, in pipes and in one process" {
    raw
    mkfifo ring
    part() { # first, last, model
        replay -b "$1" -n "$2" -s 1 raw | score -f ring | explore -g 0.3 | feedback-mask |
            update -a ridge -x scale,log -f ring -m "$3"
    }
    part 1 60 want
    part 1 23 model
    part 24 60 model
    same want model
    rm model
    loop 'replay -n 23 -s 1 raw | score | explore -g 0.3 | feedback-mask | update -a ridge -x scale,log -m model'
    # the model alone says what score does: rounds made before the ring do as well
    replay -b 24 -n 60 -s 1 raw | features scale,log | score -f ring | explore -g 0.3 |
        feedback-mask | update -a ridge -f ring -m model
    same want model
    # score and update agree on what they refuse
    replay -n 9 raw | features rank | score -f ring 2>err | explore -g 0.3 | feedback-mask |
        update -a ridge -x scale -f ring >out 2>err2 || true
    is "$(cat err)" "score: <stdin>: round 1 (qid 0): the round's features are made by rank, but the model's by scale: give rounds made by scale, or raw rounds"
}

@test "-l keeps the last models by their rounds, as the run saved them, and rollback is a rename" {
    small_text | svm2bin >q.bin
    replay -n 55 q.bin | update -a listnet -e 0.1 -c 10 -l 3 -m w.bin
    is "$(echo w.bin*)" 'w.bin w.bin.40 w.bin.50 w.bin.55'
    same w.bin w.bin.55
    for n in 40 50; do
        replay -n $n q.bin | update -a listnet -e 0.1 -m straight.bin -n
        same straight.bin w.bin.$n
    done
    mv w.bin.40 w.bin
    replay -b 41 -n 55 q.bin | update -a listnet -e 0.1 -c 10 -l 1 -m w.bin 2>/dev/null
    is "$(echo w.bin*)" 'w.bin w.bin.55'
    same w.bin.55 straight55.bin 2>/dev/null || replay -n 55 q.bin | update -a listnet -e 0.1 -m straight55.bin
    same w.bin straight55.bin
    touch w.bin.1x w.bin.01 w.bin.lock.1 # are none of its files
    replay -b 56 -n 80 q.bin | update -a listnet -e 0.1 -c 10 -l 2 -m ./w.bin 2>/dev/null
    is "$(echo w.bin*)" 'w.bin w.bin.01 w.bin.1x w.bin.70 w.bin.80 w.bin.lock.1'
}

@test "the warning on raw features counts features as the text does" {
    printf '0 qid:a 1:1 9:1\n1 qid:a 1:1 9:500\n' >text
    svm2bin text | update -a squared -e 0.1 -m m 2>err
    is "$(cat err)" 'update: round 1 (qid a): feature 9 of document 1 is 500, and raw features as large as this ruin most learners: add -x scale, or -x none to accept them'
    sed 's/ 9:/ 2:1 3:1 4:1 5:1 6:1 7:1 8:1 9:/' text | svm2bin | update -a squared -e 0.1 -n -m m 2>dense
    same err dense
}

@test "update: after a round that failed halfway nothing is saved, and the message says what is left" {
    # Weights so large that no answer leaves a finite square: only learning shows it.
    mkstream model learner=thompson rounds=1 dim=1 features=1 tradeoff=1 plain=1 seed=1 \
        w:f8 1e200 inverse:f8 1 level:f8 0 residuals:f8 1 1 >m.bin
    cp m.bin before
    mkstream round t=1 qid=a docs=2 dim=1 label:f4 0 0 x:f4 0 0 >r.bin
    mkstream round t=2 qid=a docs=2 dim=1 label:f4 1 0 x:f4 1 2 >>r.bin
    fails_on r.bin 1 "$(resuming m.bin 'update: <stdin>: round 2 (qid a): the relevances are so large that the sum of squared residuals becomes infinite; and the failed round had changed a part of the model, which is therefore not saved: m.bin still holds the model of round 1 (-c sets how often update saves)')" \
        update -a thompson -x none -p -m m.bin
    same m.bin before
    fails_on r.bin 1 "$(resuming m.bin '*m.bin still holds the model of round 2 (-c *')" \
        update -a thompson -x none -p -m m.bin -c 1
    bin2txt -f head m.bin | grep -q 'rounds=2'
}

@test "gamma= that comes again after a round without it is what it was" {
    explored() { # NUMBER OPTIONS: a round of so many documents on standard input
        # shellcheck disable=SC2086
        svm2bin -b $1 | score -m <(mkstream model learner=kl rounds=0 dim=0 w:f8) | explore $2 | feedback-mask -k 1
    }
    list=$'2 qid:a 1:1 2:.5\n0 qid:a 1:.5\n1 qid:a 2:1'
    {
        explored 1 '-g 0.5' <<<"$list"
        explored 2 '' <<<'1 qid:b 1:1'
        explored 3 '-g 0.5' <<<"${list//qid:a/qid:c}"
    } >seen
    is "$(bin2txt -f head seen | grep -o 'gamma=.*' | cut -d ' ' -f 1 | xargs)" 'gamma=0.5 gamma=0.5'
    update -a kl -e 0.1 <seen >model
    sed 's/ t=3 \(.*\) gamma=0.5 / t=3 \1 gamma=0.50 /' seen >other
    grep -aq 'gamma=0.50 ' other
    update -a kl -e 0.1 <other | same model -
}

# ---- a start at another model's weights ----

@test "prior= starts at a model's weights, which strength= holds" {
    deck
    replay -n 60 deck | update -X -a ridge >w
    replay -n 1 deck >one
    for learner in memory ridge thompson linucb; do
        update -X -a $learner,prior=w,strength=1e12 <one >m
        paste <(bin2txt w | sed -n "s/^w\t[0-9]*\t//p") <(bin2txt m | sed -n "s/^w\t[0-9]*\t//p") |
            awk '{ d = $1 - $2; if (d < -1e-6 || d > 1e-6) exit 1 }'
        update -X -a $learner,prior=w,strength=1 <one >n
        ! cmp -s m n
        update -X -a $learner,prior=w <one >m
        update -X -a $learner -I w -W 1000 <one >n
        cmp m n
        bin2txt -f head m | grep -q ' prior=1 .*strength=1000 '
    done
    # in pipes and in loop
    rm m n
    small_text | svm2bin -d 500 | update -x none -X -a ridge >v
    small_text | svm2bin >queries
    replay -n 40 -s 1 queries | loop 'score | explore | feedback-mask -k 1 | update -x none -a memory,prior=v -m m'
    mkfifo ring
    replay -n 40 -s 1 queries | score -f ring | explore | feedback-mask -k 1 |
        update -x none -a memory,prior=v -f ring -m n
    cmp m n
}

@test "a resumed model keeps what it started from; other features are refused" {
    deck
    replay -n 60 deck | update -X -a ridge >w
    replay -n 5 deck >five
    update -X -a memory,prior=w -m m <five
    cp m n
    rm w
    update -X -a memory,prior=w -m m <five 2>err
    grep -qF 'update: prior=w is not read again: the model began at it' err
    update -X -a memory -m n <five
    cmp m n
    fails_on five 1 'update: model m: it was learnt with strength=1000, but this run has 5: *' \
        update -X -a memory,prior=w,strength=5 -m m
    update -X -a memory -m plain <five
    fails_on five 1 'update: model plain: it was learnt without prior, *' update -X -a memory,prior=w -m plain
    fails_on five 1 'update: prior w: no such file' update -X -a memory,prior=w
    replay -n 60 deck | update -X -a ridge -x none >raw
    fails_on five 1 'update: prior raw: it learnt from raw features, but this run makes scale: use -x none, *' \
        update -X -a ridge,prior=raw -x scale
    printf '1 qid:a 1:1 2:2 3:3 4:4 5:5\n0 qid:a 1:2 2:1 5:1\n' | svm2bin >wide
    replay -n 60 deck | update -X -a ridge >w
    fails_on wide 1 'update: <stdin>: round 1 (qid a): the round has 5 features, but the model learnt from *' \
        update -X -a ridge,prior=w
}

@test "a relevance above a million is refused by every learner, and the model is as it was before" {
    mkstream round t=1 qid=a docs=2 dim=1 label:f4 1 0 x:f4 1 0.5 >good
    for learner in memory ridge squared kl ranksvm slam prank; do
        update -a $learner <good >want
        for value in 3e38 1e9 1000001; do
            { cat good && mkstream round t=2 qid=b docs=2 dim=1 label:f4 1 $value x:f4 1 0.5; } >bad
            rm -f w
            fails_on bad 1 'update: <stdin>: round 2 (qid b): relevance * is too large to be learnt from: at most 1000000 is allowed: divide all labels by one number' \
                update -a $learner -m w
            same want w
        done
        { cat good && mkstream round t=2 qid=b docs=2 dim=0 order:u4 1 0 seen:f4 3e38; } >bad
        fails_on bad 1 'update: *relevance 3e+38 is too large*' update -a $learner -m w -n
    done
    mkstream round t=1 qid=a docs=2 dim=1 label:f4 1e6 0 x:f4 1 0.5 | update -a memory >w
}

@test "update -q: what the learner refuses is skipped and named, and the model is that of the rest" {
    round() { mkstream round "t=$1 qid=a${4-} docs=2 dim=1" order:u4 0 1 seen:f4 1 x:f4 "$2" "$3"; }
    { round 1 1 2; round 3 2 1; } >good.bin
    { round 1 1 2; round 2 nan 1 ' request=two'; round 3 2 1; round 4 1 inf; } >mixed.bin
    update -a ridge -m good <good.bin
    update -a ridge -q refused -m m <mixed.bin 2>said
    same good m
    is "$(cat said)" 'update: refused 2 of 4 rounds: see refused'
    is "$(cut -f 1 refused | xargs)" 'two 4'
    is "$(head -n 1 refused | cut -f 2)" "$(update -a ridge -m n <mixed.bin 2>&1 | sed 's/.*(qid a): //' || true)"
    update -a ridge -q refused -m none < <(round 9 nan nan) # nothing is left: no model, and no error
    [ ! -e none ]
    is "$(cut -f 1 refused | xargs)" 'two 4 9'
    fails_on mixed.bin 1 'update: <stdin>: round 2 (qid a): *; and cannot write no/where: No such file or directory' \
        update -a ridge -q no/where -n -m m
}

# ---- a table of examination ----

# clicked: two rounds of a query whose three documents were shown from the last, with clicks.
clicked() {
    for t in 1 2; do
        mkstream round t=$t qid=q docs=3 dim=1 order:u4 2 1 0 seen:f4 0 1 1 x:f4 1 0 3 | head -c -32
    done
    echo 'rankpipe/1 end rounds=2 bytes=0'
}

@test "memory,examination=: a click at position k is the answer 1/theta_k, of weight theta_k" {
    printf 'position\texamination\tse\n1\t1\t0\n\n# a comment\n 2 .5 x\n3\t2.5e-1\n' >theta
    clicked | update -a memory,examination=theta -x none -m m
    bin2txt m | sed -n 's/^examination\t[0-9]*\t//p' | paste -sd ' ' >got
    is "$(cat got)" '1 0.5 0.25'
    # documents 0, 1 and 2 at positions 3, 2 and 1: n is 2 theta, S the clicks
    bin2txt m | sed -n 's/^answers\t[0-9]*\t//p' | sort -n | paste -sd ' ' >answers
    is "$(cat answers)" '0.5 1 2'
    paste <(bin2txt m | sed -n 's/^answers\t[0-9]*\t//p') <(bin2txt m | sed -n 's/^sums\t[0-9]*\t//p') |
        sort -n | paste -sd ' ' >sums
    is "$(cat sums)" "$(printf '0.5\t2 1\t2 2\t0')"
    # where all is examined, v is that of relevance 0 and 1
    printf '1 1\n2 1\n3 1\n' >ones
    clicked | update -a memory,examination=ones -x none | bin2txt >one
    clicked | update -a memory -x none | bin2txt >two
    for part in w level constant inverse answers sums; do
        paste <(grep "^$part" one) <(grep "^$part" two) |
            awk '{ d = $3 - $6; if (d * d > 1e-28) exit 1 } END { exit !NR }'
    done
}

@test "memory,examination= goes on with its table, in pipes and in loop, and refuses another" {
    awk 'BEGIN { for (k = 1; k <= 10; k++) print k, 1 / k }' >theta
    small_text | svm2bin >queries
    shown() { replay "$@" queries | score -m zero 2>/dev/null | explore -g 1 | feedback-mask -c position; }
    small_text | svm2bin | update -X -a memory,rho=3 >zero
    shown -n 40 -s 1 | update -a memory,examination=theta -m whole
    shown -n 15 -s 1 | update -a memory,examination=theta -m parts
    mv theta other
    shown -b 16 -n 40 -s 1 | update -a memory -m parts 2>/dev/null
    same whole parts
    cp whole again
    shown -b 41 -n 41 -s 1 | update -a memory,examination=other -m again 2>/dev/null
    echo '1 1' >theta
    shown -n 1 >one
    fails_on one 1 "$(resuming whole 'update: theta: the model was learnt with another table of examination: omit *')" \
        update -a memory,examination=theta -m whole
    fails_on one 1 'update: model zero: it was learnt with *' update -a memory,examination=theta -m zero
    cp other theta
    replay -n 40 -s 1 queries |
        loop 'score | explore | feedback-mask -c position | update -a memory,examination=theta -m m'
    mkfifo ring
    replay -n 40 -s 1 queries | score -f ring | explore | tee worth | feedback-mask -c position |
        update -a memory,examination=theta -f ring -m n
    same m n
    # users examine 1 + 1/2 + 1/3 = 1.83 documents of three
    bin2txt -f head worth | tail -n 20 | grep -q ' judged=2 '
}

@test "a table of examination that is none is refused, with its line" {
    clicked >two
    refused() { fails_on two "$1" "update: $2" update -a memory,examination=theta; }
    refused 1 'cannot open theta: No such file or directory'
    : >theta
    refused 1 'theta: no position: a table has a line for each, from 1 on: *'
    printf 'position examination\n2 .5\n' >theta
    refused 1 "theta: line 2: not the line of position 1: *"
    printf '1 1\n3 .5\n' >theta
    refused 1 "theta: line 2: not the line of position 2: *"
    for number in 0 -1 1e-10 nan inf x '' 1e10; do
        printf '1 1\n2 %s\n' "$number" >theta
        refused 1 "theta: line 2: the examination of position 2 must be a number from 1e-09 to 1e+09: *"
    done
    printf '1 1\n2 .5\n' >theta
    refused 1 '<stdin>: round 1 (qid q): seen covers 3 places, and the table of examination has 2: add lines *'
    printf '1 1\n2 .5\n3 .4\n' >theta
    fails_on two 2 'update: clicks and examination exclude each other: *' update -a memory,clicks,examination=theta
    fails_on two 2 'update: the table of examination must be a file, *' update -a memory,examination=-
    small_text | svm2bin | explore -g 1 | feedback-mask -k 3 >labels
    fails_on labels 1 'update: <stdin>: round 1 (qid a): seen * is *, but memory learns from clicks, which are 1 or 0: *' \
        update -a memory,examination=theta
}

@test "learners by gradient begin with the engine's order; in pipes, in loop and resumed the same bytes" {
    . "$ROOT/tests/runs.bash"
    made 20 1 | svm2bin -e >dense
    made 300 20 | svm2bin -e >sparse
    features base <dense >made
    mkfifo ring
    for learner in squared kl kl-top smoothdcg-falls ranksvm-luce listnet slam-cut minimax pdgd dbgd squared-adaptive \
        smoothdcg-adaptive listnet-adaptive pdgd-adaptive; do
        settings $learner
        for rounds in dense sparse made; do
            [ $rounds = made ] && steps= || steps="-x base"
            rm -rf one two three log
            loop "replay -n 120 -s 3 $rounds | score | explore $shown | spool log | feedback-mask -k $k | update $options $steps -m one"
            # shellcheck disable=SC2086 # the settings are words
            replay -n 120 -s 3 $rounds | score -f ring | explore $shown | feedback-mask -k $k | tee seen |
                update $options $steps -f ring -m two
            same one two
            bin2txt -f head one | grep -q ' made=base '
            bin2txt one | grep -q '^direction'
            for part in "-n 50" "-b 51 -n 120"; do
                replay $part seen | update $options $steps -m three 2>/dev/null
            done
            same one three
            # the first list is scored by the base alone: 1 at its top, and 0 at its end
            is "$(spooled log | bin2txt -f values | awk '$1 == 1 && $4 == "score" { printf "%.5f\n", $5 }')" \
                "$(replay -n 1 -s 3 $rounds | bin2txt -f values | awk '$4 == "base" { D[$5] = log(2) / log(1 + ++m) }
                    END { for (i = 0; i < m; i++) printf "%.5f\n", (D[i] - log(2) / log(1 + m)) / (1 - log(2) / log(1 + m)) }')"
        done
    done
}
