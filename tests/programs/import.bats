# import: the weights of other programs to a model, and export's way from a model to that text.
load ../helper

NEEDS=python3

# weights FORM FORMAT: the weights of what printf FORMAT makes of a text, one a line.
weights() {
    # shellcheck disable=SC2059
    printf "$2" | rankpipe import "$1" >model
    bin2txt model | sed 1d | cut -f 3
}

# refuses FORM FORMAT PATTERN [OPTION...]: what printf FORMAT makes is no text of that form.
refuses() {
    # shellcheck disable=SC2059
    printf "$2" >text
    fails 1 "import: text: $3" rankpipe import "${@:4}" "$1" text
    [ ! -s out ]
}

# svm_light TYPE HIGHEST VECTORS: a header as SVM-light writes it.
svm_light() {
    printf '%s\n' 'SVM-light Version V6.02' "$1 # kernel type" '3 # kernel parameter -d ' \
        '1 # kernel parameter -g ' '1 # kernel parameter -s ' '1 # kernel parameter -r ' \
        'empty# kernel parameter -u ' "$2 # highest feature index " \
        '4 # number of training documents ' "$3 # number of support vectors plus 1 " \
        '0.97 # threshold b, each following line is a SV (starting with alpha*y)'
}

# A model of real weights, and rounds for it.
learnt() {
    svm2bin "$ROOT/examples/data/small.svm" >stored
    update -a listnet -T 240 -m w.bin <stored
}

@test "every form of export that import reads gives back the very same weights, and so the same scores" {
    learnt
    bin2txt w.bin | sed 1d >want
    [ "$(wc -l <want)" = 12 ]
    score -m w.bin <stored >scored
    for form in svm-light ranklib sofia es solr json; do
        rankpipe export $form w.bin 2>err >text
        rankpipe import $form text >back
        bin2txt back | sed 1d >have
        same want have
        score -m back <stored >out
        same scored out
        rankpipe import $form - <text >out
        same back out
        rankpipe export $form back 2>err >out
        [ $form = json ] || same text out
    done
}

@test "weights with that of a base come back by number, and score rounds with that feature" {
    svm2bin -e "$ROOT/examples/data/small.svm" >stored
    update -a listnet -x base -m w.bin <stored
    features base <stored >made
    bin2txt w.bin | grep '^w' >want
    score -m w.bin <stored | bin2txt -f values | grep '	score	' >scored
    for form in svm-light ranklib sofia json; do
        rankpipe export $form w.bin 2>err | rankpipe import $form >back 2>err
        [ $form != json ] || is "$(cat err)" 'import: the weights are those of features made by base: give score rounds with such features'
        is "$(bin2txt back | sed 1d)" "$(cat want)"
        score -m back <made | bin2txt -f values | grep '	score	' | cmp - scored
    done
    # engines have none of it, and none comes back from them
    rankpipe export solr w.bin 2>err | rankpipe import solr | bin2txt -f tsv | cut -f 2 >have
    bin2txt -f tsv w.bin 2>err | sed 1d | cut -f 2 | cmp - have
}

@test "doubles that are hard to print go round: the smallest, the largest, -0, many digits" {
    printf '%s\n' '1 5e-324' '2 -1.7976931348623157e308' '3 0.1' '4 2.2250738585072011e-308' '5 0' \
        '6 0.30000000000000004' '7 -9007199254740993' '8 -0' >text
    weights2bin text >model
    for form in ranklib json; do
        rankpipe export $form model | rankpipe import $form >back
        same model back
    done
    head -n 7 text | weights2bin >model # SVM-light adds up, from 0: -0 is 0 there
    rankpipe export svm-light model | rankpipe import svm-light >back
    same model back
}

@test "weights at the end that are 0 are not lost" {
    printf '1 0.5\n4 0\n' | weights2bin >model
    for form in svm-light ranklib json; do
        rankpipe export $form model | rankpipe import $form >back
        same model back
    done
}

@test "svm-light and ranklib are as these tools read them" {
    printf '1 0.1\n2 0\n3 -2\n' | weights2bin >model
    printf '## Coordinate Ascent\n1:0.1 2:0.0 3:-2.0\n' >expected
    rankpipe export ranklib model >out
    same expected out
    { svm_light 0 3 3 | sed -e 's/^4 #/0 #/' -e 's/^0.97 /0 /' &&
        printf '%s\n' '0.1 1:1 #' '-2.0 3:1 #'; } >expected
    rankpipe export svm-light model >out
    same expected out
}

@test "RankLib's line: comments above and after it, features missing, the constant left out" {
    is "$(weights ranklib '## Linear Regression\n## Lambda = 1.0E-10\n0:7.5 3:-2.0E-4 1:0.5 # x\n')" "0.5
0
-0.00020000000000000001"
}

@test "SVM-light's support vectors are added up, the threshold left out" {
    { svm_light 0 4 4 && printf '%s\n' '0.5 1:1 3:-2 #' '-2 qid:7 1:0.25 2:3 # a' '1 #'; } >text
    is "$(weights svm-light "$(cat text)\n")" "0
-6
-1
0"
    sed 's/V6.02/V6.20/' text | rankpipe import svm-light >out
    same model out
}

@test "sofia-ml: one line of weights from the constant on; zeros at the end are of its hash, not of features" {
    is "$(weights sofia '0.97 1 -2.5 0 3e-2 0 0 0\n')" '1
-2.5
0
0.029999999999999999'
    is "$(weights sofia '0 1 2\n')" '1
2'
    is "$(weights sofia '0.5 0.25 # by hand\n')" 0.25
    refuses sofia '0.5 1 2\n0 1 1\n' "line 2: a second line of weights: sofia-ml has them in one line: '0'"
    refuses sofia '0.5 1 x\n' "line 1: not a number, where a weight should be: 'x'"
    refuses sofia '0.5 0 0 7\n' 'line 1: weight 3, but at most 2 are allowed: *' -d 2
    weights sofia '0.5 1 0 0 0\n' >out
    rankpipe export sofia model >text
    is "$(cat text)" '0.0 1.0'
    rankpipe import sofia text | cmp - model
    printf '1 0.5\n2 -3\n3 1e-300\n' | weights2bin >model
    rankpipe export sofia model >text
    is "$(cat text)" '0.0 0.5 -3.0 1e-300'
    rankpipe import sofia text | cmp - model
}

@test "what RankLib would not have written is refused" {
    refuses ranklib '1:1 2:1\n3:1\n' "line 2: a second line of weights: RankLib has them in one line: '3:1'"
    refuses ranklib '1:1 1:2\n' "line 1: index 1 twice: '1:2'"
    refuses ranklib '1:1 2\n' "line 1: not index:value: '2'"
    refuses ranklib '1:0.5:0.3\n' "line 1: not a number, where a weight should be: '1:0.5:0.3'"
    refuses ranklib '0:1\n' 'no weights'
}

@test "what SVM-light would not have written is refused" {
    refuses svm-light "$(svm_light 2 3 2)\n1 1:1 #\n" \
        "line 2: kernel type 2: only a linear model (0) has weights: '2'"
    refuses svm-light "$(svm_light x 3 2)\n" "line 2: line 2 of an SVM-light model must begin with a whole number up to *: 'x'"
    refuses svm-light "$(svm_light 0 16777217 2)\n" "line 8: line 8 of *a whole number up to 16777216: '16777217'"
    refuses svm-light "$(svm_light 0 3 2 | head -n 6)\n" \
        'an SVM-light model has 11 lines before its support vectors, but this text has only 6 lines'
    refuses svm-light "$(svm_light 0 3 4)\n1 1:1 #\n" \
        'line 10 announces 3 support vectors, but there are 1'
    refuses svm-light "$(svm_light 0 3 2)\n1 1:1 #\n1 2:1\n" \
        'line 10 announces 1 support vectors, but there are 2'
    refuses svm-light "$(svm_light 0 3 2)\n1 4:1 #\n" \
        "line 12: an index over 3, the highest that the header announces: '4:1'"
    refuses svm-light "$(svm_light 0 3 2)\n1 2:1 2:1 #\n" "line 12: index 2 after index 2: '2:1'"
    refuses svm-light "$(svm_light 0 3 2)\n1 2:1 1:1 #\n" "line 12: index 1 after index 2: '1:1'"
    refuses svm-light "$(svm_light 0 3 2)\n1 0:1 #\n" "line 12: index 0: indices start at 1: '0:1'"
    refuses svm-light "$(svm_light 0 3 2)\nx 1:1 #\n" "line 12: not a number, where a weight should be: 'x'"
    refuses svm-light "$(svm_light 0 3 2)\n1e200 1:1e200 #\n" \
        "line 12: weight 1 becomes too large for a double: '1:1e200'"
}

@test "a line of a hundred thousand digits is refused at once" {
    printf '1:%0100000dx\n' 0 >text
    fails 1 "import: text: line 1: a number of more than 64 characters: '1:0*'" bash -c 'ulimit -t 2; exec rankpipe import ranklib text'
    printf '%065d\n' 1 >text
    fails 1 "import: text: line 1: a number of more than 64 characters: *" rankpipe import sofia text
    is "$(weights sofia "0 $(printf %064d 1)\n")" 1
}

# solr NAMES WEIGHTS: a model of Solr, with its features in that order.
solr() {
    jq -cn --arg names "$1" --argjson weights "$2" \
        '{features: ($names | split(",") | map({name: .})), params: {weights: $weights}, class: "org.apache.solr.ltr.model.LinearModel"}'
}

# named FORM: the weights with their names of the model in text, as one line; permuted keys give the same model.
named() {
    rankpipe import "$@" text >model 2>err || { cat err && return 1; }
    for turn in 'to_entries | reverse | from_entries' 'to_entries | sort_by(.value | tojson) | from_entries'; do
        jq "walk(if type == \"object\" then $turn else . end)" text | rankpipe import "$@" 2>/dev/null | cmp - model
    done
    bin2txt -f tsv model | tr '\t' ' ' | paste -sd ,
}

@test "solr: the array features numbers the weights, and their names become the model's" {
    command -v jq || skip "no jq here"
    solr title,price,age '{"age":0.125,"price":-0.5,"title":3}' >text
    is "$(named solr)" '1 3 # title,2 -0.5 # price,3 0.125 # age'
    is "$(cat err)" ''
    printf '%s\n' '# all' '1 price q # is one' '2 x' '3:title' age >names
    is "$(named -y names solr)" '1 -0.5 # price,2 0 # x,3 3 # title,4 0.125 # age'
    # what Solr refuses, and what it ignores
    refuses solr "$(solr a,b '{"a":1}')" "feature 'b' has no weight, and Solr refuses such a model"
    refuses solr "$(solr a,a '{"a":1}')" "two features have the name 'a'"
    refuses solr '{"params":{"weights":{"a":1}}}' 'not such a model: features is missing'
    solr 'a' '{"a":1,"b":2,"c":3}' >text
    is "$(named solr)" '1 1 # a'
    is "$(cat err)" 'import: text: weights left out, of names that are not among the features: 2'
    # what it answers of its store, with the normaliser that changes nothing
    solr b,a '{"a":1,"b":2}' | jq '.features[].norm = {class: "org.apache.solr.ltr.norm.IdentityNormalizer"} | {responseHeader: {status: 0}, models: [.]}' >text
    is "$(named solr)$(cat err)" '1 2 # b,2 1 # a'
    jq '.models[0].features[0].norm.class = "org.apache.solr.ltr.norm.StandardNormalizer"' text | rankpipe import solr 2>err >model
    grep 'are those of features made by normalisers' err
    jq '.models += .models' text >two
    fails 1 "import: two: 2 models, but one file is one model: give what this prints: jq '.models?0?' FILE" rankpipe import solr two
    # names of export's own are numbers
    solr feature_3,feature_1 '{"feature_3":1.5,"feature_1":-2}' >text
    is "$(named solr)" '1 -2,2 0,3 1.5'
    # a name of several words is one word in a model
    solr 'my title' '{"my title":1}' >text
    is "$(named solr)" '1 1 # my%20title'
    echo title >names
    printf '%s\n' '1 qid:1 1:1' '0 qid:1 1:0' | svm2bin -y names | update -a listnet -y names -m w.bin
    rankpipe export solr w.bin | rankpipe import solr | bin2txt -f head | grep -o 'named=[^ ]*' >have
    bin2txt -f head w.bin | grep -o 'named=[^ ]*' | cmp - have # the checksum is update's
}

@test "es: the feature set numbers the weights of a reply; the body of _createmodel has none" {
    command -v jq || skip "no jq here"
    echo '{"model":{"name":"m","model":{"type":"model/linear","definition":"{\"b\":0.5,\"a\":1e-5}"}}}' >body
    cp body text
    is "$(named es)" '1 1.0000000000000001e-05 # a,2 0.5 # b'
    is "$(cat err)" 'import: text: no feature set: features are numbered in the order of their names, as sort prints them, or by -y'
    jq -c '.model.model |= {type: "model/ranklib", definition: "## Linear Regression\n0:1 1:2"}' body >text
    fails 1 'import: text: model/ranklib: a model of RankLib: *, by jq -r *, to import ranklib' rankpipe import es text
    is "$(jq -r '..|.definition? // empty' text | rankpipe import ranklib | bin2txt)" "$(echo 1 2 | weights2bin | bin2txt)"
    jq -c '.model.model.definition |= fromjson' body >text
    same model <(rankpipe import es text 2>err)
    is "$(named es)" '1 1.0000000000000001e-05 # a,2 0.5 # b'
    printf 'b\na\n' >names
    is "$(named -y names es)$(cat err)" '1 0.5 # b,2 1.0000000000000001e-05 # a'
    echo b >names
    fails 1 "import: text: feature 'a' is not in the file of names" rankpipe import -y names es text
    jq -c '.model.feature_set = {name: "s", features: (["c", "b", "a"] | map({name: .}))} | {_index: ".ltrstore", found: true, _source: .}' body >text
    is "$(named es)$(cat err)" '1 0 # c,2 0.5 # b,3 1.0000000000000001e-05 # a'
    jq -c '{hits: {total: {value: 1}, hits: [.]}}' text >all
    rankpipe import es all | cmp - model
    jq -c '.hits.hits += .hits.hits' all >two
    fails 1 "import: two: 2 models, *: jq '.hits.hits?0?' FILE" rankpipe import es two
    jq -c '._source.model.feature_set.features |= .[:2]' text >less
    fails 1 "import: less: feature 'a' has a weight, but is not in the feature set" rankpipe import es less
    refuses es '{"_index":".ltrstore","_id":"model-m","found":false}' 'found is false: the engine has no such model'
    jq -c '.model.model.feature_normalizers = {a: {}}' body | rankpipe import es 2>err >model
    grep '^import: the weights are those of features made by normalisers: ' err
}

@test "models that are not linear are called by their names, with what can be done" {
    can='rankpipe takes linear models, and any order as base: svm2bin -e'
    for class in 'MultipleAdditiveTreesModel: trees' 'NeuralNetworkModel: a neural network'; do
        refuses solr '{"class":"org.apache.solr.ltr.model.'"${class%%:*}"'","features":[],"params":{}}' "$class; $can"
    done
    refuses solr '{"class":"x.OwnModel"}' "'OwnModel' is not LinearModel"
    refuses es '{"model":{"model":{"type":"model/xgboost+json","definition":"[]"}}}' "model/xgboost+json: trees; $can"
    for name in 'LambdaMART: trees' 'MART: trees' 'Random Forests: trees' 'RankBoost: thresholds of features' \
        'RankNet: a neural network' 'LambdaRank: a neural network'; do
        refuses ranklib "## ${name%%:*}\r\n## No. of trees = 1\n\n<ensemble>\n" "$name; $can"
    done
    refuses ranklib '<ensemble>\n' "<ensemble>: trees; $can"
}

@test "RankLib's ListNet is linear, and AdaRank's weights of one feature add up" {
    is "$(weights ranklib '## ListNet\n## Epochs = 10\n## No. of features = 2\n3 1\n0\n0 0 0.25\n0 1 -4.0E-1\n0 2 7\n')" '-0.40000000000000002
0
0.25'
    is "$(weights ranklib '## ListNet\n1\n0\n0 0 0.5\n')" 0.5
    refuses ranklib '## ListNet\n1 2\n0\n0 0 0.5\n' '2 features, but 1 weights: the file was cut short'
    refuses ranklib '## ListNet\n1 2\n1\n10\n' 'ListNet has a line of features, a line 0 and *'
    refuses ranklib '## ListNet\n1\n0\n0 1 0.5\n' "line 4: the weight of neuron 0 of layer 0 should be here: '0 1 0.5'"
    refuses ranklib '## ListNet\n1\n0\n0 0 0.5\n0 1 1\n0 2 1\n' "line 6: the weight of neuron 2 *"
    is "$(weights ranklib '## AdaRank\n## Iteration = 500\n2:0.5 1:0.25 2:0.125\n')" '0.25
0.625'
}

@test "import reads gzip and a byte order mark, and says what other files are" {
    printf '\357\273\2771:0.5\r\n' >text
    rankpipe import ranklib text >model
    gzip -c text | rankpipe import ranklib | cmp - model
    printf '## caf\351\n1:0.5\n' >text
    fails 1 'import: text: line 1: byte \\xe9 is not UTF-8: give what this prints: iconv -f latin1 -t utf-8 FILE' rankpipe import ranklib text
    printf '1:0.5\n' | iconv -t utf-16 >text
    fails 1 'import: text: this is UTF-16: give what this prints: iconv *' rankpipe import ranklib text
    gzip -c model | head -c 60 >text
    fails 1 'import: text: the file is cut short: its gzip has no end' rankpipe import ranklib text
    refuses ranklib '1:0.5 \033[31mx\n' "line 1: not index:value: '\\\\x1b?31mx'"
    refuses ranklib '' 'no weights'
}

@test "JSON that is not such a model is refused" {
    refuses solr '{' 'not JSON: *'
    refuses solr '[]' '0 models, but one file is one model'
    refuses solr '{}' 'not such a model: params.weights is missing'
    refuses solr '[{"params":{"weights":[1]},"features":[]}]' 'not such a model: no weights by name'
    refuses solr '{"params":{"weights":{}},"features":[]}' 'no weights'
    refuses solr '{"params":{"weights":{"a":1,"a":1}},"features":[]}' 'not JSON: an object has a key twice'
    for value in '"1"' true null NaN 1e999 '[1]' '{}'; do
        refuses solr '{"features":[{"name":"a"}],"params":{"weights":{"a":'"$value"'}}}' 'the weight of feature 1 is not a number of a double*'
    done
    refuses solr '{"features":[{"name":"feature_99999999"}],"params":{"weights":{"feature_99999999":1}}}' \
        'feature 99999999 is not a number from 1 to 16777216, *'
    refuses solr '{"features":[{"name":7}],"params":{"weights":{}}}' 'the name of feature 1 is not a text'
    refuses es '{"model":{"model":{}}}' 'not such a model: definition is missing'
    refuses es '{"model":{"model":{"definition":"1"}}}' 'not such a model: no weights by name'
    refuses es '{"model":{"model":{"definition":1e999}}}' 'not JSON*'
    for features in 1 '"x"' '[1]' '[{"number":1}]' '{"a":1}'; do
        refuses json '{"features":'"$features"'}' 'not such a model: *'
    done
    for number in 0 -1 1.5 true '"1"'; do
        refuses json '{"features":[{"number":'"$number"',"weight":1}]}' 'feature * is not a number from 1 to *'
    done
    refuses json '{"features":[{"number":1,"weight":1},{"number":1,"weight":1}]}' 'feature 1 twice'
    # shellcheck disable=SC2046
    refuses json "$(printf '[%.0s' $(seq 100000))" '*'
}

@test "import: a wrong command line is an error, and so is output that cannot be written" {
    echo 1:1 >text
    fails 2 'import: no form named: choose from es, solr, json, ranklib, svm-light, sofia
usage: import *' rankpipe import
    fails 2 "import: no form 'vespa': choose from es, solr, json, *" rankpipe import vespa text
    fails 2 "import: -d wants a whole number from 1 to 2147483648, not '0'*" rankpipe import -d 0 ranklib text
    fails 2 'import: -y needs one of the forms es, solr: *' rankpipe import -y names ranklib text
    fails 2 'import: more than one file is named: *' rankpipe import ranklib text text
    fails 1 'import: nowhere: No such file or directory' rankpipe import ranklib nowhere
    fails 1 'import: cannot write <stdout>: No space left on device' sh -c 'rankpipe import ranklib text >/dev/full'
    refuses ranklib '3:1\n' 'line 1: an index over 2, the most weights allowed: use a larger -d if that is meant: *' -d 2
    refuses ranklib '1_0:1\n' 'line 1: not a number, where an index should be: *'
    for value in x nan inf 0x1p3 1,5 1e 1_0 ''; do
        refuses ranklib "1:$value\n" "line 1: not a number, where a weight should be: '1:$value'"
    done
    refuses sofia '1 \0 2\n' 'line 1: a NUL byte: *'
}
