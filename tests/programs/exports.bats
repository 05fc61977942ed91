#!/usr/bin/env bats
# Models as search engines take them (bin2txt -f es, solr, vespa), and what leaves with a warning. The
# scorers are those of the pages in examples/engines, in the engines' single precision.

load ../helper

PAGES=$ROOT/examples/engines

# scorer PAGE: its program.
scorer() {
    sed -n '/^```python$/,/^```$/p' "$PAGES/$1.md" | sed '/^```/d' >"$1.py"
    [ "$(wc -l <"$1.py")" -gt 15 ]
}

# Queries with raw features: of different sizes and signs, sparse, with a constant and a long tail.
raw() {
    awk -v queries="$1" 'BEGIN {
        srand(11)
        for (q = 1; q <= queries; q++) {
            low = rand() * 30
            for (i = 0; i < 20; i++) {
                a = low + rand() * 20; b = -rand() * 3; c = exp(rand() * 9)
                line = " qid:" q " 1:" a " 3:7"
                if (rand() < 0.7) line = line " 4:" b
                if (rand() < 0.6) line = line " 5:" c; else c = 1
                s = (a - low) / 8 + b / 2 + log(c) / 4 + rand() - 1
                print (s < 0 ? 0 : s > 2 ? 2 : int(s)) line " # d" q "-" i
            }
        }
    }'
}

# exported FORM: the scores by the page of FORM for the text, one a line, into FORM.scores.
exported() {
    local page=$1
    [ "$page" = es ] && page=elasticsearch
    scorer "$page"
    bin2txt -f "$1" w.bin >"$1.model" 2>"$1.err"
    python3 "$page.py" "$1.model" <text >"$1.scores"
}

# differ FILE [exactly]: the largest difference of those scores from those of score, but (not exactly)
# for what all documents of a round have, divided by the largest difference of two scores in a round.
differ() {
    score -m w.bin <text.bin 2>/dev/null | bin2txt -f values | awk -F '\t' '$4 == "score" { print $1, $5 }' |
        paste -d ' ' - "$1" | awk -v exactly="${2-}" '
        function end() { if (most - least > worst) worst = most - least; if (high - low > spread) spread = high - low }
        $1 != t { if (NR > 1) end(); t = $1; most = high = -1e99; least = low = 1e99; if (exactly) most = least = 0 }
        NF != 3 { bad = 1 }
        { d = $3 - $2; if (d > most) most = d; if (d < least) least = d; if ($2 > high) high = $2; if ($2 < low) low = $2 }
        END { end(); if (bad || spread == 0) print "bad"; else print worst / spread }'
}

# agree FORM...: each exported form ranks as score does, and its scores are those of score to 1e-6; but
# -f es adds a constant, and so do memory and normalize_linear.
agree() {
    local form exactly
    for form; do
        exported "$form"
        exactly=exactly
        if [ "$form" = es ] || bin2txt -f head w.bin | grep -q 'learner=memory\|made=[^ ]*scale'; then exactly=; fi
        is "$(differ "$form.scores" $exactly | awk '{ print ($1 != "bad" && $1 < 1e-6) }')" 1
        score -s "$form.scores" <text.bin | explore | metric ndcg@10 | tail -n 1 | cut -f 2 >have
        score -m w.bin <text.bin 2>/dev/null | explore | metric ndcg@10 | tail -n 1 | cut -f 2 |
            paste - have | awk '{ d = $1 - $2; exit !($1 > 0.3 && d < 0.001 && d > -0.001) }'
    done
}

data() {
    raw 40 >text
    svm2bin text >text.bin
    bin2txt -f scales text.bin >scales
    features log <text.bin | bin2txt -f scales >logscales
}

@test "scores of the exported forms are those of score, for each way to make features" {
    command -v python3 >/dev/null || skip 'no python3 here'
    data
    for x in none standard:scales range:scales log log,standard:logscales log,range:logscales; do
        update -a listnet -x $x -n -m w.bin <text.bin 2>/dev/null
        agree es solr vespa
        case $x in
        *:*) awk '$1 < 0 { exit 1 }' es.scores ;; # never below 0
        esac
    done
    update -a listnet -x scale -n -m w.bin <text.bin
    agree vespa
    update -a listnet -x log,scale -n -m w.bin <text.bin
    agree vespa
}

@test "a memory's weights go out, and rank documents without answers as score does" {
    command -v python3 >/dev/null || skip 'no python3 here'
    data
    raw 60 | awk '{ split($2, q, ":") } q[2] > 40' >text
    svm2bin text >other.bin
    for x in standard:scales range:scales; do
        update -x $x -n -m w.bin <text.bin
        cp text.bin train.bin
        cp other.bin text.bin
        agree es solr vespa
        grep 'bin2txt: these weights rank documents without answers: .*-f boosts' es.err
        mv train.bin text.bin
    done
    update -n -m w.bin <text.bin
    cp other.bin text.bin
    agree vespa # by normalize_linear
    fails 1 'bin2txt: w.bin: record 1: memory scales features within the query by default, but *: learn with -x standard:FILE *' \
        bin2txt -f es w.bin
    fails 1 'bin2txt: w.bin: *-x standard:FILE *' bin2txt -f solr w.bin
}

@test "what an engine cannot make is refused, with the reason and a remedy" {
    data
    for x in rank fourier:3:1:1 products split scale,split log,log; do
        update -a listnet -x $x -n -m w.bin <text.bin
        for form in es solr vespa; do
            fails 1 "bin2txt: w.bin: record 1: the model's features are made by $x, which the engine of -f $form cannot do: *-x standard:FILE*" \
                bin2txt -f $form w.bin
        done
    done
    update -a listnet -x scale -n -m w.bin <text.bin
    for form in es solr; do
        fails 1 "bin2txt: w.bin: record 1: the model's features are made by scale, which *" bin2txt -f $form w.bin
    done
    features standard:scales <text.bin | update -a listnet -n -m w.bin
    fails 1 'bin2txt: w.bin: *lacks the constants: *' bin2txt -f vespa w.bin
    update -a prank -n -m w.bin <text.bin 2>/dev/null
    fails 1 'bin2txt: w.bin: *a model of prank ranks by more than weights, *' bin2txt -f es w.bin
    mkstream model learner=listnet rounds=1 dim=2 w:f8 0 0 >w.bin
    fails 1 'bin2txt: w.bin: *all weights are 0: *' bin2txt -f solr w.bin
    mkstream model learner=listnet rounds=1 dim=2 w:f8 1 1e40 >w.bin
    fails 1 'bin2txt: w.bin: *the weight of feature 2, *does not fit single precision*' bin2txt -f es w.bin
    fails 1 'bin2txt: text.bin: *a round, but -f es prints only models' bin2txt -f es text.bin
}

@test "a warning wherever weights leave without what makes their features" {
    data
    update -a listnet -x standard:scales -n -m w.bin <text.bin
    for form in tsv ranklib svm-light sofia; do
        bin2txt -f $form w.bin >out 2>err
        grep '^bin2txt: the weights are those of features made by standard:[0-9a-f]*, which this text does not say: ' err
        weights2bin out >back.bin
        bin2txt -f tsv back.bin >have 2>err
        [ ! -s err ]
        bin2txt -f tsv w.bin 2>err | cmp - have
    done
    update -a listnet -x log,standard:logscales -n -m w.bin <text.bin
    for form in es solr; do
        bin2txt -f $form w.bin 2>err >out
        grep "^bin2txt: -f $form has no logarithm: define a feature log_NAME" err
    done
    update -a listnet -x scale -n -m w.bin <text.bin
    bin2txt -f vespa w.bin 2>err >out
    grep '^bin2txt: made=scale: normalize_linear scales over the hits' err
    update -a listnet -x none -n -m w.bin <text.bin 2>err
    bin2txt -f tsv w.bin 2>err >out
    [ ! -s err ]
    bin2txt -f es w.bin 2>err >out
    grep '^bin2txt: some weights are below 0, so scores may be, ' err
}

@test "the forms are valid: JSON with each feature that counts; Solr has all" {
    command -v jq >/dev/null || skip 'no jq here'
    data
    update -a listnet -x range:scales -n -m w.bin <text.bin
    bin2txt -f es w.bin | jq -r '.model.model | .type, (.feature_normalizers | keys_unsorted | join(" ")),
        (.definition | fromjson | keys_unsorted | join(" "))' >out
    is "$(cat out)" 'model/linear
feature_1 feature_4 feature_5
feature_1 feature_4 feature_5'
    bin2txt -f solr w.bin | jq -r '.class, (.features | map(.name + " " + (.norm.class // "-")) | join(" ")),
        (.params.weights | keys_unsorted | join(" ")), .params.weights.feature_3' >out
    is "$(sed 's/org.apache.solr.ltr.//g' out)" 'model.LinearModel
feature_1 norm.MinMaxNormalizer feature_2 - feature_3 - feature_4 norm.MinMaxNormalizer feature_5 norm.MinMaxNormalizer
feature_1 feature_2 feature_3 feature_4 feature_5
0'
}

# engine SET X: of a model learnt with -x X, differences of NDCG@10 by the three engines, and near
# ties: neighbours by score that an engine ranks the other way.
engines() {
    update -a listnet -x "$1" -n -m w.bin <train.bin 2>/dev/null
    score -m w.bin <text.bin | values_of score >want
    for form in es solr vespa; do
        exported $form
        for file in want $form.scores; do score -s $file <text.bin | explore | metric ndcg@10 | tail -n 1 | cut -f 2; done |
            paste - - | awk '{ d = $1 - $2; print; exit !(d < 0.001 && d > -0.001) }'
    done
}

@test "MSLR and lambdarank: each engine's NDCG@10 is score's within 0.001" {
    slow
    command -v python3 >/dev/null || skip 'no python3 here'
    need_data MSLR
    need_data lambdarank
    for set in MSLR lambdarank; do
        svm2bin "$DATA/$set/train.txt" >train.bin
        awk '!($2 in seen) { seen[$2]; n++ } n > 12 { exit } { print }' "$DATA/$set/test.txt" >text
        svm2bin text >text.bin
        bin2txt -f scales train.bin >scales
        features log <train.bin | bin2txt -f scales >logscales
        engines standard:scales
        engines log,standard:logscales
    done
}

# Counts and sums as an index has them: feature j is 10^(j mod 5) times e^(3 x).
@test "raw features with long tails: each engine's NDCG@10 is score's within 0.001" {
    command -v python3 >/dev/null || skip 'no python3 here'
    raw() { # seed
        synth -n 40 -l 30 -d 8 -s "$1" linear | bin2txt | awk 'NF { for (i = 3; i <= NF && split($i, pair, ":") == 2; i++)
            $i = sprintf("%s:%.6g", pair[1], 10 ^ (pair[1] % 5) * exp(3 * pair[2])) } { print }'
    }
    raw 1 >train.txt
    raw 2 >text
    svm2bin train.txt >train.bin
    svm2bin text >text.bin
    bin2txt -f scales train.bin >scales
    features log <train.bin | bin2txt -f scales >logscales
    engines standard:scales
    engines range:scales
    engines log,standard:logscales
}

@test "boosts are what the scores of the weights lack: with them the engine ranks as score does" {
    command -v python3 >/dev/null || skip 'no python3 here'
    data
    replay -n 60 -s 1 text.bin | explore -g 1 | feedback-mask -k 2 | update -x standard:scales -m w.bin
    exported solr
    bin2txt -f boosts w.bin text.bin >boosts
    [ "$(wc -l <boosts)" -gt 40 ]
    # By qid and name: weights of the exported model and boost, where there is one.
    bin2txt -f values text.bin | awk -F '\t' '$4 == "name" { print $2 "\t" $5 }' | paste - solr.scores |
        awk -F '\t' 'NR == FNR { boost[$1, $2] = $3; next } { print $3 + boost[$1, $2] }' OFMT=%.9g boosts - >solr.boosted
    is "$(differ solr.boosted | awk '{ print ($1 != "bad" && $1 < 1e-6) }')" 1
    is "$(differ solr.scores | awk '{ print ($1 > 0.01) }')" 1 # not without them
    # A query that the model does not know has none.
    raw 1 | sed 's/qid:1/qid:new/' | svm2bin >other.bin
    is "$(bin2txt -f boosts w.bin other.bin)" ''
    # Documents by features or rows cannot be named; other learners remember nothing.
    svm2bin -C text >nameless.bin
    fails 1 'bin2txt: nameless.bin: *its documents have no names*' bin2txt -f boosts w.bin nameless.bin
    fails 1 'bin2txt: text.bin: *no model comes before the round: *' bin2txt -f boosts text.bin
    update -a listnet -n -m l.bin <text.bin 2>/dev/null
    fails 1 'bin2txt: l.bin: *the model is of the learner listnet: *' bin2txt -f boosts l.bin text.bin
}

# converted PAGE JSON: the text that the page's jq command makes of an engine's answer.
converted() {
    sed -n '/^    jq -r --arg q/,/answer\.json$/p' "$PAGES/$1.md" >command
    printf '%s\n' "$2" >answer.json
    bash command
}

@test "the pages' jq lines make rounds of the engines' answers, and their requests are JSON" {
    command -v jq >/dev/null || skip 'no jq here'
    want='? qid:cats 1:1.5 2:20 # a
? qid:cats 1:0.5 # b'
    converted elasticsearch '{"hits":{"hits":[
        {"_id":"a","fields":{"_ltrlog":[{"log":[{"name":"title","value":1.5},{"name":"price","value":20}]}]}},
        {"_id":"b","fields":{"_ltrlog":[{"log":[{"name":"title","value":0.5},{"name":"price"}]}]}}]}}' >text
    is "$(cat text)" "$want"
    svm2bin -u text | bin2txt -f head | grep 'qid=cats docs=2 dim=2'
    sed -i 's/--arg q cats/--arg q "red cats # 1:2"/' command # what users and documents bring stays one word
    printf '%s' '{"hits":{"hits":[{"_id":"a\n9 qid:z 1:9","fields":{"_ltrlog":[{"log":[{"name":"title","value":3}]}]}}]}}' >answer.json
    bash command >text
    is "$(cat text)" '? qid:red%20cats%20%23%201%3A2 1:3 # a%0A9%20qid%3Az%201%3A9'
    converted solr '{"response":{"docs":[{"id":"a","[features]":"title=1.5,price=20"},{"id":"b","[features]":"title=0.5"}]}}' >text
    is "$(cat text)" "$want"
    converted vespa '{"root":{"children":[{"id":"a","fields":{"matchfeatures":{"bm25(title)":1.5,"attribute(price)":20}}},
        {"id":"b","fields":{"matchfeatures":{"bm25(title)":0.5}}}]}}' >text
    is "$(cat text)" "$want"
    sed -n '/^    {"query"/,/^$/p' "$PAGES/elasticsearch.md" | jq -e .rescore.query.rescore_query.sltr.model
    sed -n '/^    {"name": "log_title"/p' "$PAGES/elasticsearch.md" | jq -e .template
}
