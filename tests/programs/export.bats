#!/usr/bin/env bats
# export: models for search engines, databases and other tools, and what leaves with a warning. The
# scorers are those of the pages in examples/engines, in the engines' single precision.

load ../helper
load ../postgres

NEEDS=python3

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

# table < text: SQL that makes a table of its features, without those that a line lacks.
table() {
    awk '{ for (i = 3; i <= NF && $i != "#"; i++) { split($i, f, ":"); v[NR, f[1]] = f[2]; if (f[1] > top) top = f[1] } }
        END {
            printf "CREATE TABLE features (line integer PRIMARY KEY"
            for (j = 1; j <= top; j++) printf ", feature_%d double precision", j
            print ");"
            for (i = 1; i <= NR; i++) {
                printf "INSERT INTO features VALUES (%d", i
                for (j = 1; j <= top; j++) printf ", %s", (i, j) in v ? v[i, j] : "NULL"
                print ");"
            } }'
}

# sqlite < SQL: what it prints, numbers with all their digits.
sqlite() {
    python3 -c 'import sqlite3, sys
base, sql, part = sqlite3.connect(":memory:", isolation_level=None), sys.stdin.read(), ""
for piece in sql.splitlines(keepends=True):
    part += piece
    if sqlite3.complete_statement(part):
        for row in base.execute(part):
            print(*row, sep="\t")
        part = ""'
}

# databases: those that are here; PostgreSQL may be missing.
databases() {
    echo "sqlite ${CLUSTER:+postgres}"
}

need_postgres() {
    [[ $(databases) == *postgres ]] || skip 'checked in SQLite alone: no PostgreSQL here (Debian: postgresql)'
}

# exported FORM: the scores by the page of FORM for the text, one a line, into FORM.scores.
exported() {
    local page=$1
    if [[ $page == @(sqlite|postgres) ]]; then
        rankpipe export sql w.bin >sql.model 2>sql.err
        { table <text && echo 'SELECT' && cat sql.model && echo 'FROM features ORDER BY line;'; } | "$page" >"$page.scores"
        return
    fi
    [ "$page" = es ] && page=elasticsearch
    scorer "$page"
    rankpipe export "$1" w.bin >"$1.model" 2>"$1.err"
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

@test "sql: a database computes the scores, for each way to make features" {
    data
    for x in none standard:scales range:scales log log,standard:logscales log,range:logscales; do
        update -a listnet -x $x -n -m w.bin <text.bin 2>/dev/null
        # shellcheck disable=SC2046
        agree $(databases)
    done
    update -x standard:scales -n -m w.bin <text.bin
    raw 60 | awk '{ split($2, q, ":") } q[2] > 40' >text
    svm2bin text >text.bin
    # shellcheck disable=SC2046
    agree $(databases)
    grep 'export: these weights rank documents without answers: .*export sql model rounds' sql.err
    need_postgres
}

@test "sql: names are quoted, a column that is missing is an error, and numbers are those of the model" {
    printf '%s\n' 'a"b' '");DROP-TABLE-features;--' "it's\\" >names
    printf '%s\n' '1 0.1' '2 -1e-300' '3 12345678901234567' | weights2bin >w.bin
    rankpipe export -y names sql w.bin >sql.model
    { echo 'CREATE TABLE features ("a""b" real, """);DROP-TABLE-features;--" integer, "it'"'"'s\" double precision);
        INSERT INTO features VALUES (3, 7, 0.5), (NULL, NULL, NULL);' && echo SELECT && cat sql.model &&
        echo 'FROM features;'; } >both.sql
    # What Python makes of the same numbers.
    python3 -c 'print(0.1 * 3 + -1e-300 * 7 + 12345678901234567.0 * 0.5)
print(0)' >want
    for base in $(databases); do
        $base <both.sql | awk '{ print $1 + 0 }' OFMT=%.17g >have
        is "$(cat have)" "$(awk '{ print $1 + 0 }' OFMT=%.17g want)"
        { echo 'CREATE TABLE features (a real); SELECT' && cat sql.model && echo 'FROM features;'; } >lacks.sql
        if $base <lacks.sql >out 2>err; then cat out && return 1; fi
    done
    # Names that are no words never come so far.
    for name in '97 10 98 0' '195 169 0' '0'; do
        # shellcheck disable=SC2086
        mkstream model learner=squared rounds=1 dim=1 w:f8 1 names:u1 $name >bad.bin
        fails 1 'export: bad.bin: *column names does not hold names of features: *' rankpipe export sql bad.bin
    done
    printf '%064d\n' 7 >names
    echo 1 1 | weights2bin >w.bin
    rankpipe export -y names sql w.bin 2>&1 >out | grep '^export: a name has more than 63 bytes'
    need_postgres
}

@test "sql: 1,600 features are not too deep, and weights of 0 are left out" {
    seq 1600 | awk '{ print $1, $1 % 20 ? 0.5 : 0 }' | weights2bin >w.bin
    rankpipe export sql w.bin >sql.model
    is "$(grep -c feature sql.model)" 1520
    { echo 'SELECT' && cat sql.model && echo 'FROM (SELECT 1 AS feature_1' && seq -f ', 1 AS feature_%.0f' 2 1600 &&
        echo ') AS features;'; } >deep.sql
    for base in $(databases); do is "$($base <deep.sql | awk '{ print $1 + 0 }')" 760; done
    need_postgres
}

@test "sql with rounds: boosts as INSERT lines, all or none, whatever documents are called" {
    data
    sed "s/qid:1 /qid:o'%20\";-- /; s/# d1-\(.*\)/# d\\');DROP-TABLE-boosts;--é\1/" text >named
    svm2bin named >named.bin
    replay -n 60 -s 1 named.bin | explore -g 1 | feedback-mask -k 2 | update -x standard:scales -m w.bin
    bin2txt -f boosts w.bin named.bin >want
    grep -c DROP want
    rankpipe export sql w.bin named.bin >boosts.sql
    is "$(sed -n '1p; $p' boosts.sql | paste -sd ' ')" 'BEGIN; COMMIT;'
    for base in $(databases); do
        { echo 'CREATE TABLE boosts (qid text, document text, boost double precision, PRIMARY KEY (qid, document));' &&
            cat boosts.sql && echo 'SELECT qid, document, boost FROM boosts;'; } | $base >have
        python3 - <<'END'
def rows(name):
    return sorted((q, d, float(b)) for q, d, b in (line.rstrip("\n").split("\t") for line in open(name)))
assert rows("have") == rows("want") and len(rows("have")) > 40
END
    done
    head -c 9000 named.bin >cut.bin # without its end, nothing is committed
    fails 1 'bin2txt: cut.bin: *' rankpipe export sql w.bin cut.bin
    if grep COMMIT out; then return 1; fi
    sed 's/# \(.*\)/# \xff\1/' text | svm2bin >latin.bin
    replay -n 60 -s 1 latin.bin | explore -g 1 | feedback-mask -k 2 | update -x standard:scales -m w.bin
    fails 1 'export: a name that is not UTF-8, which SQL needs: *' rankpipe export sql w.bin latin.bin
    need_postgres
}

@test "json: each number of a model, with its name and its constants" {
    printf '%s\n' title 'p"x' '2' age >names
    printf '1 qid:a 1:1 2:2 3:3 4:9\n0 qid:a 1:0.1 2:2 3:-1\n' >text
    svm2bin text >text.bin
    bin2txt -f scales text.bin >scales
    update -a listnet -x standard:scales -y names -m w.bin <text.bin
    rankpipe export json w.bin >model.json
    bin2txt -f values w.bin >values
    python3 - <<'END'
import json
model = json.load(open("model.json"))
assert (model["learner"], model["rounds"], model["made"][:9]) == ("listnet", 1, "standard:")
assert [feature["name"] for feature in model["features"]] == ["title", 'p"x', "2", "age"]
columns = {}
for line in open("values"):
    if not line.startswith("#"):
        column, number, value = line.split("\t")
        columns.setdefault(column, []).append(float(value))
for key, column in dict(weight="w", mean="mean", deviation="deviation", least="least", largest="largest").items():
    assert [feature[key] for feature in model["features"]] == columns[column], key
END
}

@test "what a learner's weights say alone, bin2txt -f tsv and export agree on" {
    slow
    . "$ROOT/tests/runs.bash"
    for model in "$ROOT"/tests/fixtures/v0.4.0/*.model; do
        status=0
        bin2txt -f tsv "$model" >want 2>err || status=1
        if [ $status = 0 ]; then
            rankpipe export sofia "$model" 2>err | tr ' ' '\n' | sed 1d | awk '{ printf "%.17g\n", $1 }' >have
            cut -f 2 want | awk '{ printf "%.17g\n", $1 }' | cmp - have
        else
            fails 1 "export: $model: *" rankpipe export sofia "$model"
        fi
    done
}

@test "export: a wrong command line is an error, and so is output that cannot be written" {
    echo 1 1 | weights2bin >w.bin
    fails 2 "export: no form named: choose from es, solr, *usage: export *" rankpipe export
    fails 2 "export: no form 'xml': choose from es, solr, *" rankpipe export xml w.bin
    fails 2 'export: option -q not recognized*' rankpipe export -q es
    fails 2 'export: more than one file is named: only sql takes rounds*' rankpipe export es w.bin w.bin
    fails 1 'export: nowhere: No such file or directory' rankpipe export es nowhere
    fails 1 'export: cannot write <stdout>: No space left on device' sh -c 'rankpipe export es w.bin >/dev/full'
    cat w.bin w.bin >two.bin
    fails 1 'export: two.bin: a second record, *' rankpipe export es two.bin
    head -c 60 w.bin >cut.bin
    fails 1 'export: cut.bin: record 1: *' rankpipe export es cut.bin
    rankpipe export json - <w.bin | cmp - <(rankpipe export json w.bin)
    for form in es solr vespa svm-light ranklib sofia; do
        fails 2 "bin2txt: -f $form left in 0.5.0: use rankpipe export $form*" bin2txt -f $form w.bin
    done
}

@test "a memory's weights go out, and rank documents without answers as score does" {
    data
    raw 60 | awk '{ split($2, q, ":") } q[2] > 40' >text
    svm2bin text >other.bin
    for x in standard:scales range:scales; do
        update -x $x -n -m w.bin <text.bin
        cp text.bin train.bin
        cp other.bin text.bin
        agree es solr vespa
        grep 'export: these weights rank documents without answers: .*-f boosts' es.err
        mv train.bin text.bin
    done
    update -n -m w.bin <text.bin
    cp other.bin text.bin
    agree vespa # by normalize_linear
    fails 1 'export: w.bin: memory scales features within the query by default, but es *: learn with -x standard:FILE *' \
        rankpipe export es w.bin
    fails 1 'export: w.bin: *-x standard:FILE *' rankpipe export solr w.bin
}

@test "what an engine cannot make is refused, with the reason and a remedy" {
    data
    for x in rank scale,rank log,log; do
        update -a listnet -x $x -n -m w.bin <text.bin
        for form in es solr vespa sql; do
            fails 1 "export: w.bin: the model's features are made by $x, which $form cannot do: *-x standard:FILE*" \
                rankpipe export $form w.bin
        done
    done
    update -a listnet -x scale -n -m w.bin <text.bin
    for form in es solr sql; do
        fails 1 "export: w.bin: the model's features are made by scale, which *" rankpipe export $form w.bin
    done
    features standard:scales <text.bin | update -a listnet -n -m w.bin
    fails 1 'export: w.bin: *lacks the constants: *' rankpipe export vespa w.bin
    update -a prank -n -m w.bin <text.bin 2>/dev/null
    fails 1 'export: w.bin: a model of prank ranks by more than weights, *' rankpipe export es w.bin
    mkstream model learner=listnet rounds=1 dim=2 w:f8 0 0 >w.bin
    fails 1 'export: w.bin: *all weights are 0: *' rankpipe export solr w.bin
    mkstream model learner=listnet rounds=1 dim=1 made=standard:0123456789abcdef w:f8 1 mean:f8 1 least:f8 0 >w.bin
    fails 1 'export: w.bin: *lacks the constants: *' rankpipe export sql w.bin
    mkstream model learner=listnet rounds=1 dim=2 w:f8 1 1e40 >w.bin
    fails 1 'export: w.bin: *the weight of feature 2, *does not fit single precision*' rankpipe export es w.bin
    fails 1 'export: text.bin: a round, but only models have weights' rankpipe export es text.bin
}

@test "a warning wherever weights leave without what makes their features" {
    data
    update -a listnet -x standard:scales -n -m w.bin <text.bin
    bin2txt -f tsv w.bin 2>&1 >out | grep '^bin2txt: the weights are those of features made by standard:[0-9a-f]*, which this text'
    for form in ranklib svm-light sofia; do
        rankpipe export $form w.bin >out 2>err
        grep '^export: the weights are those of features made by standard:[0-9a-f]*, which this text does not say: ' err
        rankpipe import $form out >back.bin
        bin2txt -f tsv back.bin >have 2>err
        [ ! -s err ]
        bin2txt -f tsv w.bin 2>err | cmp - have
    done
    update -a listnet -x log,standard:logscales -n -m w.bin <text.bin
    for form in es solr; do
        rankpipe export $form w.bin 2>err >out
        grep "^export: $form has no logarithm: define a feature log_NAME" err
    done
    update -a listnet -x scale -n -m w.bin <text.bin
    rankpipe export vespa w.bin 2>err >out
    grep '^export: made=scale: normalize_linear scales over the hits' err
    update -a listnet -x none -n -m w.bin <text.bin 2>err
    bin2txt -f tsv w.bin 2>err >out
    [ ! -s err ]
    rankpipe export es w.bin 2>err >out
    grep '^export: some weights are below 0, so scores may be, ' err
}

@test "the forms are valid: JSON with each feature that counts; Solr has all" {
    command -v jq >/dev/null || skip 'no jq here'
    data
    update -a listnet -x range:scales -n -m w.bin <text.bin
    rankpipe export es w.bin | jq -r '.model.model | .type, (.feature_normalizers | keys_unsorted | join(" ")),
        (.definition | fromjson | keys_unsorted | join(" "))' >out
    is "$(cat out)" 'model/linear
feature_1 feature_4 feature_5
feature_1 feature_4 feature_5'
    rankpipe export solr w.bin | jq -r '.class, (.features | map(.name + " " + (.norm.class // "-")) | join(" ")),
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

# add_base FILE: those scores and what the weight of the base adds to each, into FILE.based.
add_base() {
    local w
    w=$(bin2txt -f tsv w.bin 2>err | awk -F '\t' '$3 == "# base" { print $2 }')
    features base <text.bin | bin2txt | awk -v w="$w" '{ split($3, f, ":"); print w * (f[1] == 1 ? f[2] : 0) }' OFMT=%.17g |
        paste - "$1" | awk '{ printf "%.17g\n", $1 + $2 }' >"$1.based"
}

@test "a base stays out of what engines get, with a warning; weights for others name it" {
    data
    svm2bin -e text >text.bin
    for x in base standard:scales,base range:scales,base log,base; do
        update -a listnet -x $x -n -m w.bin <text.bin 2>/dev/null
        for form in es solr vespa sqlite; do
            exported $form
            grep '^export: the weight of the base, [0-9.e+-]*, is left out, because [a-z]* cannot compute its feature: the engine ranks' \
                ${form/sqlite/sql}.err
            add_base $form.scores
            is "$(differ $form.scores.based $([ $form = es ] || echo exactly) | awk '{ print ($1 != "bad" && $1 < 1e-6) }')" 1
        done
        for form in json ranklib svm-light sofia; do
            rankpipe export $form w.bin >$form.model 2>$form.err
            [ "$(grep -c 'left out' $form.err)" = 0 ]
        done
        is "$(cat ranklib.err sofia.err | grep -c '^export: weight 1 is that of the base, and weight j + 1 that of feature j$')" 2
    done
    grep '^-*[0-9.e-]* 1:1 # base$' svm-light.model
    update -a listnet -x standard:scales,base -n -m w.bin <text.bin
    rankpipe export json w.bin >json
    is "$(python3 -c 'import json, sys
for f in json.load(open("json"))["features"][:2]:
    print(f["number"], f["name"], f.get("mean"))')" "1 base None
2 None $(awk '$1 == 1 { print $2 }' scales)"
    # steps that engines cannot do are refused with what would do, and keep the base
    update -X -n -m w.bin <text.bin
    fails 1 'export: w.bin: memory scales features within the query by default, but sql scores *: learn with -x standard:FILE,base to export the weights' \
        rankpipe export sql w.bin
    update -a listnet -x rank,base -n -m w.bin <text.bin 2>/dev/null
    fails 1 'export: w.bin: *made by rank,base, which es cannot do: learn with -x standard:FILE,base, range:FILE,base, log,base or base' \
        rankpipe export es w.bin
    mkstream model learner=kl rounds=1 dim=2 made=base w:f8 2 0 direction:f8 1 0 scale:f8 1 >w.bin
    fails 1 'export: w.bin: all weights but that of the base are 0: there is nothing to export' rankpipe export solr w.bin
}

@test "boosts are without the weight of the base, with a warning" {
    data
    svm2bin -e text >text.bin
    replay -n 60 -s 1 text.bin | explore -g 1 | feedback-mask -k 2 | update -x standard:scales,base -m w.bin
    exported solr
    bin2txt -f boosts w.bin text.bin >boosts 2>err
    is "$(cat err)" 'bin2txt: the boosts are without the weight of the base, as the weights that rankpipe export prints for engines: the engine ranks by other weights and boosts, not as score does'
    bin2txt -f values text.bin | awk -F '\t' '$4 == "name" { print $2 "\t" $5 }' | paste - solr.scores |
        awk -F '\t' 'NR == FNR { boost[$1, $2] = $3; next } { print $3 + boost[$1, $2] }' OFMT=%.9g boosts - >solr.boosted
    add_base solr.boosted
    is "$(differ solr.boosted.based | awk '{ print ($1 != "bad" && $1 < 1e-6) }')" 1
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
    is "$(cat text)" '? qid:red%20cats%20%23%201:2 1:3 # a%0A9%20qid:z%201:9'
    # and a log of the same engine joins
    sed -i 's/red cats # 1:2/Red Cats~#1, 50%/' command
    printf '%s' '{"hits":{"hits":[{"_id":"tv: 1/2","fields":{"_ltrlog":[{"log":[{"name":"title","value":3}]}]}}]}}' >answer.json
    bash command | svm2bin -Qu >candidates
    echo '{"query_id":"1","user_query":"Red Cats~#1, 50%","query_response_hit_ids":["tv: 1/2"]}' | rankpipe log ubi >log.tsv 2>err
    log2bin -Q log.tsv <candidates 2>err | bin2txt -f head | grep "docs=1 dim=1"
    converted solr '{"response":{"docs":[{"id":"a","[features]":"title=1.5,price=20"},{"id":"b","[features]":"title=0.5"}]}}' >text
    is "$(cat text)" "$want"
    converted vespa '{"root":{"children":[{"id":"a","fields":{"matchfeatures":{"bm25(title)":1.5,"attribute(price)":20}}},
        {"id":"b","fields":{"matchfeatures":{"bm25(title)":0.5}}}]}}' >text
    is "$(cat text)" "$want"
    sed -n '/^    {"query"/,/^$/p' "$PAGES/elasticsearch.md" | jq -e .rescore.query.rescore_query.sltr.model
    sed -n '/^    {"name": "log_title"/p' "$PAGES/elasticsearch.md" | jq -e .template
}
