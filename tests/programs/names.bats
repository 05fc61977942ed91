#!/usr/bin/env bats
# Names of features: from a file to models, rounds and the forms that print weights.

load ../helper

named() {
    printf '%s\n' '# what the features are' '1 title' '2	price' '3:age # in years' >names
    small_text >text
    svm2bin -y names text >in
}

@test "the model keeps the names, and each form that prints weights has them" {
    named
    update -a squared -e 0.5 -y names -m w.bin <in
    is "$(bin2txt -f tsv w.bin | cut -f 3)" '# title
# price
# age'
    rankpipe export svm-light w.bin | grep '1:1 # title$'
    rankpipe export es w.bin 2>err | grep -F '"{\"title\":'
    rankpipe export solr w.bin 2>err | grep -F '{"name":"title"}'
    rankpipe export vespa w.bin 2>err | grep -F ' * (age)'
    # They are comments for who reads them back, and stay when the model goes on.
    weights2bin <(bin2txt -f tsv w.bin) | bin2txt -f tsv >have
    bin2txt -f tsv w.bin | cut -f 1,2 | cmp - have
    rankpipe export svm-light w.bin | rankpipe import svm-light | bin2txt -f tsv | cmp - have
    update -a squared -e 0.5 -m w.bin <in 2>err
    update -a squared -e 0.5 -y names -m w.bin <in 2>err
    is "$(bin2txt -f tsv w.bin | cut -f 3 | head -n 1)" '# title'
}

@test "a base comes before the named features, and names stay theirs" {
    named
    svm2bin -e -y names text >in
    for x in base scale,base log,base; do
        update -a squared -e 0.01 -x $x -y names -n -m w.bin <in
        is "$(bin2txt -f tsv w.bin 2>err | cut -f 3 | xargs)" '# base # title # price # age'
    done
    # rounds that have it: named as they come; and constants of it have its name
    features base <in >made
    update -a squared -e 0.01 -y names -n -m w.bin <made
    is "$(bin2txt -f tsv w.bin 2>err | cut -f 3 | xargs)" '# base # title # price # age'
    is "$(bin2txt -y names -f scales made | grep -v '^#' | cut -f 1 | xargs)" 'base title price age'
    printf '%s\n' title price >two
    svm2bin -e text | features base >nameless
    fails 1 'bin2txt: *the rounds have 3 features, but there are names of 2' bin2txt -y two -f scales nameless
    # counted as they come
    fails_on in 1 'update: <stdin>: round 1 (qid a): it has 3 features, but the model may have only 2 weights: add -d 3 if that is meant' \
        update -a squared -x base -d 2
    update -a squared -x base -d 3 <in >w.bin
    sed 's/$/ 4:1/' text | svm2bin -e >wide
    fails_on wide 1 'score: <stdin>: round 1 (qid a): the round has 4 features, but the model learnt from rounds of 3 features: give those, or add -d 4 if the number may vary' \
        score -m w.bin
    score -d 4 -m w.bin <wide | bin2txt -f head | grep -q score:f8
    update -a squared -x base -w 9 <in >w.bin
    score -m w.bin <wide 2>err >out
    is "$(cat err)" 'score: round 1 (qid a) has 4 features, but the model has 3 weights: features without a weight count as 0 (-d 4 accepts this)'
}

@test "files of names: from 1, from 0, without numbers, feature maps of xgboost" {
    named
    update -a squared -e 0.5 -y names -m want.bin <in
    printf '%s\n' '0 title q' '1 price int' '2 age float' >zero
    printf '%s\n' title price '' age >alone
    for file in zero alone; do
        update -a squared -e 0.5 -y $file -n -m w.bin <in
        same want.bin w.bin
    done
}

@test "rounds and models with other names are refused; steps that mix features drop the key" {
    named
    printf '%s\n' 'title' 'age' 'price' >other
    svm2bin -y other text >other.in
    update -a squared -e 0.5 -y names -m w.bin <in
    score -m w.bin <in >out
    svm2bin text | score -m w.bin >out # without names: nothing to compare
    wrong='has features with other names (named=*) than these (*)'
    fails_on other.in 1 "score: <stdin>: round 1 (qid a): the round $wrong" score -m w.bin
    fails_on other.in 1 "$(resuming w.bin "update: <stdin>: round 1 (qid a): the round $wrong")" \
        update -a squared -e 0.5 -m w.bin
    fails_on in 1 "update: model w.bin: the model $wrong" update -a squared -e 0.5 -y other -m w.bin
    fails_on in 1 "update: <stdin>: round 1 (qid a): the round $wrong" update -a squared -e 0.5 -y other
    update -a ridge -x none -y names <in >a.bin
    update -a ridge -x none -y other <other.in >b.bin
    fails 1 'add-models: model b.bin: the model has features with other names *' add-models a.bin b.bin
    update -a ridge -x none <in >b.bin
    add-models b.bin a.bin | bin2txt -f tsv | grep '# title'
    for step in scale rank log; do features $step <in | bin2txt -f head | grep ' named='; done
    replay -n 9 -s 1 in | bin2txt -f head >out
    is "$(grep -c ' named=' out)" 9
}

@test "what is wrong with a file of names is said with its line" {
    named
    wrong() { # words, text
        printf '%b' "$2" >wrong
        fails_on in 1 "update: $1" update -a squared -y wrong
    }
    wrong 'wrong: no names: *' ''
    wrong "wrong: line 2: '2' and a name should come here: *: '3'" '1 a\n3 b\n'
    wrong "wrong: line 2: '1' and a name should come here: *: '2'" '0 a\n2 b\n'
    wrong "wrong: line 2: *: 'b'" '1 a\nb\n'
    wrong 'wrong: line 2: two features have this name: *' '1 a\n2 a\n'
    wrong 'wrong: line 1: more than a number and a name: *' '1 a b\n'
    wrong 'wrong: line 1: not a name: *' '1 \n'
    wrong 'wrong: line 1: not a name: *' '1 k\xc3\xa4se\n'
    wrong 'wrong: line 1: not a name: *' "1 $(printf '%0256d' 7)\n"
    fails_on in 1 'update: cannot open nosuch: *' update -a squared -y nosuch
    fails_on in 2 'update: -y wants a file: *' update -a squared -y -
    printf 'a\nb\n' >two
    fails 1 'svm2bin: text: line 4: the query that ends here has 3 features, but two has names of 2' svm2bin -y two text
    mkstream round t=1 docs=1 dim=1 named=xyz x:f4 1 >bad
    fails_on bad 1 '*named=xyz is not 16 hexadecimal digits' replay -
    mkstream model learner=squared rounds=1 dim=1 named=0123456789abcdef w:f8 1 names:u1 97 0 >w.bin
    fails 1 'bin2txt: w.bin: *the model has features with other names *' bin2txt -f tsv w.bin
    mkstream model learner=squared rounds=1 dim=1 w:f8 1 names:u1 97 >w.bin
    fails 1 'bin2txt: w.bin: *column names does not hold names of features: *' bin2txt -f tsv w.bin
    mkstream model learner=squared rounds=1 dim=1 w:f8 1 names:u1 97 34 92 98 0 >w.bin
    rankpipe export es w.bin | jq -e '.model.model.definition | fromjson | has("a\"\\b")'
    rankpipe export solr w.bin | jq -e '.features[0].name == "a\"\\b"'
    fails 1 "export: the name of feature 1, 'a\"*', is not that of a rank feature *" rankpipe export vespa w.bin
}

@test "bin2txt -y: scales and weights by name" {
    named
    bin2txt -y names -f scales in >scales
    is "$(grep -v '^#' scales | cut -f 1 | paste -sd ' ')" 'title price age'
    bin2txt -f scales in >numbers
    features standard:scales <in >have
    features standard:numbers <in | cmp - have
    printf '%s\n' '1 5' '2 b' '3 c' >digits # a name that looks like a number is none here
    svm2bin text | bin2txt -y digits -f scales | grep -v '^#' | cut -f 1 >out
    is "$(paste -sd ' ' out)" '1 b c'
    update -a squared -e 0.5 -m w.bin <in
    is "$(bin2txt -y names -f tsv w.bin | cut -f 3 | paste -sd ' ')" '# title # price # age'
    rankpipe export -y names solr w.bin 2>err | grep -F '"name":"title"'
    printf 'a\nb\nc\n' >other
    fails 1 'bin2txt: in: *the round has features with other names *' bin2txt -y other -f scales in
    update -a squared -e 0.5 -y names -n -m w.bin <in
    fails 1 'bin2txt: w.bin: *the model has features with other names *' bin2txt -y other -f tsv w.bin
    printf 'a\nb\n' >two
    svm2bin text >plain
    fails 1 'bin2txt: the rounds have 3 features, but there are names of 2' bin2txt -y two -f scales plain
}
