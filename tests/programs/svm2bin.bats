#!/usr/bin/env bats
# svm2bin: what of SVM-light text becomes which round, and what is refused.

load ../helper

# heads TEXT [OPTION...], values TEXT [OPTION...]: what a text (as for printf %b) becomes: its header
# lines without rankpipe/1, and the numbers in it.
heads() {
    printf '%b' "$1" | svm2bin "${@:2}" | uncrc | bin2txt -f head | sed 's/^rankpipe\/1 //'
}

values() {
    printf '%b' "$1" | svm2bin "${@:2}" | bin2txt
}

# refuses TEXT WORDS [OPTION...]: exit 1, exactly these words, perhaps before advice
# (text_as_it_comes.bats), and no end record after what came out.
refuses() {
    local got=0
    printf '%b' "$1" >bad.txt
    svm2bin "${@:3}" bad.txt >out 2>err || got=$?
    [[ $(cat err) == "svm2bin: bad.txt: $2: "* ]] || is "$(cat err)" "svm2bin: bad.txt: $2"
    is "$got" 1
    run grep -ac 'rankpipe/1 end' out
    is "$output" 0
}

# ---- what is read ----

@test "each run of lines with one qid is a round, numbered from 1" {
    is "$(heads '2 qid:a 1:1\n0 qid:a 1:2\n1 qid:b 1:3\n')" \
        "round t=1 qid=a docs=2 dim=1 cols=label:f4[2],x:f4[2] bytes=16
round t=2 qid=b docs=1 dim=1 cols=label:f4[1],x:f4[1] bytes=8"
}

@test "a dense round's bytes are the header, the labels and the features by document" {
    printf '2 qid:a 1:1 2:-0.5\n0.5 qid:a 2:2\n' | svm2bin | uncrc >out
    {
        echo 'rankpipe/1 round t=1 qid=a docs=2 dim=2 cols=label:f4[2],x:f4[4] bytes=24'
        printf '\0\0\0\x40' && printf '\0\0\0\x3f'
        printf '\0\0\x80\x3f' && printf '\0\0\0\xbf' && printf '\0\0\0\0' && printf '\0\0\0\x40'
        echo 'rankpipe/1 end rounds=1 bytes=0'
    } >expected
    same out expected
}

@test "a sparse round's bytes are the header, the labels and ptr, idx, val" {
    printf '1 qid:a 300:1\n0 qid:a\n0 qid:a 2:2 299:-0.5\n' | svm2bin | uncrc >out
    {
        echo 'rankpipe/1 round t=1 qid=a docs=3 dim=300' \
            'cols=label:f4[3],ptr:u4[4],idx:u4[3],val:f4[3] bytes=52'
        printf '\0\0\x80\x3f' && printf '\0\0\0\0' && printf '\0\0\0\0'
        printf '\0\0\0\0' && printf '\x1\0\0\0' && printf '\x1\0\0\0' && printf '\x3\0\0\0'
        printf '\x2b\x1\0\0' && printf '\x1\0\0\0' && printf '\x2a\x1\0\0'
        printf '\0\0\x80\x3f' && printf '\0\0\0\x40' && printf '\0\0\0\xbf'
        echo 'rankpipe/1 end rounds=1 bytes=0'
    } >expected
    same out expected
}

@test "a query is dense or sparse, whichever is smaller; dense where they are equal" {
    is "$(heads '0 4:1\n')" 'round t=1 docs=1 dim=4 cols=label:f4[1],x:f4[4] bytes=20'
    is "$(heads '0 5:1\n')" \
        'round t=1 docs=1 dim=5 cols=label:f4[1],ptr:u4[2],idx:u4[1],val:f4[1] bytes=20'
}

@test "a zero that is written out takes no room in a sparse query, nor does it make one dense" {
    is "$(heads '0 1:0 2:0 3:0 4:-0 5:1\n')" \
        'round t=1 docs=1 dim=5 cols=label:f4[1],ptr:u4[2],idx:u4[1],val:f4[1] bytes=20'
}

@test "a query is as wide as its last feature, be that 0" {
    is "$(heads '0 qid:a 1:1 2:1 3:0\n0 qid:b 1:1\n')" \
        "round t=1 qid=a docs=1 dim=3 cols=label:f4[1],x:f4[3] bytes=16
round t=2 qid=b docs=1 dim=1 cols=label:f4[1],x:f4[1] bytes=8"
}

@test "labels are numbers from 0 up, whole or not" {
    is "$(values '0.5 1:1\n1e2 1:1\n+3 1:1\n.25 1:1\n4. 1:1\n31 1:1\n')" \
        "0.5 1:1
100 1:1
3 1:1
0.25 1:1
4 1:1
31 1:1"
}

@test "a value is the float closest to it" {
    is "$(values '1 1:123456.123456 2:16777217 3:1e-3 4:+.5 5:-7. 6:3.4028234e38 7:1E2\n')" \
        '1 1:123456.125 2:16777216 3:0.00100000005 4:0.5 5:-7 6:3.40282347e+38 7:100'
}

@test "a qid is any word" {
    is "$(heads '1 qid:q-7/x"=,\\ 1:1\n1 qid:10 1:1\n1 qid:010 1:1\n' | cut -d ' ' -f 3)" \
        "qid=q-7/x\"=,\\
qid=10
qid=010"
}

@test "a # after a qid begins a comment" {
    printf '1 qid:q0 1:1\n0 qid:q0 1:1\n2 qid:q1 1:3\n' | svm2bin >plain
    printf '1 qid:q0 1:1\n0 qid:q0 1:1#d\n2 qid:q1 1:3#\n' | svm2bin >commented
    same plain commented
    is "$(heads '1 qid:q0#c\n0 qid:q0# 1:1\n' | cut -d ' ' -f 3,4)" 'qid=q0 docs=2'
    fails 1 "svm2bin: <stdin>: line 1: a qid without a name: 'qid:'" \
        sh -c 'echo "1 qid:#c 1:1" | svm2bin'
}

@test "what a header cannot hold of a qid is written %XX" {
    is "$(heads '1 qid:50% 1:1\n1 qid:Kl\0303\0244rchen 1:1\n1 qid:\01\0177 1:1\n' | cut -d ' ' -f 3)" \
        "qid=50%25
qid=Kl%C3%A4rchen
qid=%01%7F"
}

@test "a qid of 255 bytes is read" {
    long=$(printf '%0255d' 7)
    is "$(heads "1 qid:$long 1:1\n" | cut -d ' ' -f 3)" "qid=$long"
}

@test "text without qids is one query" {
    is "$(heads '1 1:1\n0 1:2\n')" 'round t=1 docs=2 dim=1 cols=label:f4[2],x:f4[2] bytes=16'
}

@test "comments, blank lines, CR LF, blanks, tabs and a last line without LF change nothing" {
    printf '2 qid:a 1:1 2:2\n0 qid:a 1:3 2:4\n1 qid:b 2:1\n' | svm2bin >plain
    printf '%b' '# LETOR\r\n\r\n  2\tqid:a  1:1\t2:2 # docid = 7\r\n \t\r\n0 qid:a 1:3 2:4#\r\n' \
        '\t# 5 qid:z 1:1\n1 qid:b 2:1 \t' | svm2bin >decorated
    same plain decorated
}

@test "several files are one text, and - is standard input" {
    printf '2 qid:a 1:1\n0 qid:a 1:2' >first
    printf '1 qid:a 1:3\n0 qid:b 1:4\n' >second
    printf '3 qid:b 1:5\n' >third
    { cat first && echo && cat second third; } | svm2bin >whole
    svm2bin first - third <second >out
    same out whole
}

@test "-0 reads indices from 0" {
    printf '1 qid:a 1:1 2:2\n0 qid:a 2:3\n' | svm2bin >from_one
    printf '1 qid:a 0:1 1:2\n0 qid:a 1:3\n' | svm2bin -0 >from_zero
    same from_zero from_one
}

@test "zeros before an index are nothing" {
    is "$(values '1 00000000000000000000000000000001:1 0002:2\n')" '1 1:1 2:2'
    is "$(values '1 00000000000000000000000000000000:1 0001:2\n' -0)" '1 1:1 2:2'
}

@test "the largest index is 2^31, with -0 one less" {
    is "$(heads '1 2147483648:1\n')" 'round t=1 docs=1 dim=2147483648 '\
'cols=label:f4[1],ptr:u4[2],idx:u4[1],val:f4[1] bytes=20'
    is "$(heads '1 2147483647:1\n' -0)" "$(heads '1 2147483648:1\n')"
}

@test "names of documents: what docid = says, else the comment's first word" {
    printf '%b' '1 qid:a 1:1 #docid = GX1-2 inc = 1\n0 qid:a 1:2 # d7 else\n' \
        '0 qid:a 1:5 # docid\n' >text
    svm2bin text | uncrc >out
    is "$(bin2txt -f head out)" 'rankpipe/1 round t=1 qid=a docs=3 dim=1 '\
'cols=label:f4[3],name:u1[15],x:f4[3] bytes=39'
    is "$(values_of name <out | paste -sd ,)" GX1-2,d7,docid
    is "$(svm2bin -C text | uncrc | bin2txt -f head)" 'rankpipe/1 round t=1 qid=a docs=3 dim=1 '\
'cols=label:f4[3],x:f4[3] bytes=24'
}

@test "a qid that swallows a feature is refused, and shown" {
    for mark in , ';' '\f' '\v' '\xc2\xa0' '\xc2\x85' '\xe2\x80\x83' '\xe2\x80\xaf' '\xe3\x80\x80' '\xe1\x9a\x80' '\xa0'; do
        printf "1 qid:7${mark}1:-2.5e-1 2:1\n0 qid:7${mark}1:3 2:1\n" >text
        fails 1 "svm2bin: text: line 1: a qid with a feature in it: write a blank after the qid, and between features: 'qid:7*1:-2.5e-1'*" svm2bin text
    done
    printf '1 qid:7\xc2\xa01:5\n' >text
    fails 1 "svm2bin: text: line 1: *: 'qid:7?xc2?xa01:5': it has no-break spaces: run sed *" svm2bin text
    for qid in 7,1:5,2:1 7,1:nan '7;1:Inf' '7;1:5;' '7,:,1:0'; do fails_on <(echo "1 qid:$qid 3:1") 1 'svm2bin: <stdin>: line 1: a qid with a feature in it: *' svm2bin; done
    fails_on <(printf '1 qid:a 1:1\n1 qid:b,2:1\n1 qid:c 1:1\n') 0 'svm2bin: <stdin>: line 2: a qid with *skipped 1 of 3*' svm2bin -k
    printf '1 qid:lens,1:2 1:1\n' | svm2bin -l | bin2txt >/dev/null # as a service gets what users ask for
    for qid in 2024:17 a,b a,1:x a,1: 'a;b:1' 1:2 ,5 'voil\xc3\xa01:2' 'a,1:2,b' 'http://x/1,y:2'; do
        printf "1 qid:$qid 1:1\n" | svm2bin | bin2txt | grep -q . || { echo "$qid" && return 1; }
    done
}

@test "docid: and doc_id: say a name, as docid = does, and equal names are counted" {
    names() { svm2bin <<<"1 qid:a 1:1 $1" 2>err | bin2txt -f values | awk '$4 == "name" { print $5 }'; }
    for comment in 'docid:851' 'docid: 851' 'doc_id: 851' 'doc_id:851' 'doc_id = 851' 'doc_id=851 x'; do
        is "$(names "# $comment")" 851
        is "$(cat err)" 'svm2bin: comments docid:851 and doc_id: 851 name document 851: models of memory that learnt docid:851 do not know it'
    done
    for comment in 'docid=851' 'docid = 851 inc = 1' '851'; do
        is "$(names "# $comment")$(cat err)" 851
    done
    is "$(names '# docids:7')$(names '# doc_idx 1')" 'docids:7doc_idx'
    printf '1 qid:a 1:1 # x\n0 qid:a 1:2 # x\n1 qid:b 1:1 # x\n1 qid:c 1:1 # y\n0 qid:c 1:1 # y\n1 qid:d 1:1\n1 qid:d 1:1\n' >text
    fails 0 'svm2bin: queries whose names are left out, because two documents have the same: 2' svm2bin text
    svm2bin -C text 2>err >out
    is "$(cat err)" ''
}

@test "names are kept query by query, where each line has one and no two are equal" {
    # a: one is missing; b: two are equal; c: whole; d: a comment without a word
    printf '%b' '1 qid:a 1:1 # x\n0 qid:a 1:2\n1 qid:b 1:1 # x\n0 qid:b 1:2 # y\n2 qid:b 1:3 # x\n' \
        '1 qid:c 1:1 # x\n0 qid:c 1:2 # y\n1 qid:d 1:1 # x\n0 qid:d 1:2 #\n' >text
    is "$(svm2bin text | values_of name | paste -sd ,)" x,y
    is "$(svm2bin text | bin2txt -f head | sed -n 's/.*qid=\(.\).*name.*/\1/p')" c
    # of many names, which hash somehow, each pair that is equal is seen
    for twice in 1 500 999; do
        seq 1000 | awk -v twice="$twice" '{ print "1 qid:a 1:1 # n" $1 } END { print "1 qid:a 1:1 # n" twice }' |
            svm2bin | bin2txt -f head >out
        ! grep name out
    done
    seq 1000 | awk '{ print "1 qid:a 1:1 # n" $1 }' | svm2bin | bin2txt -f head | grep -q 'name:u1\[4893\]'
}

@test "-d makes every query that wide" {
    is "$(heads '1 qid:a 1:1\n1 qid:b 1:1 2:1\n' -d 4)" \
        "round t=1 qid=a docs=1 dim=4 cols=label:f4[1],x:f4[4] bytes=20
round t=2 qid=b docs=1 dim=4 cols=label:f4[1],x:f4[4] bytes=20"
}

@test "-n scales each feature to [0,1] within its query" {
    is "$(values '1 qid:a 1:-2 2:5 3:10\n0 qid:a 1:0 2:5 3:30\n0 qid:a 1:2 2:5 3:15\n' -n)" \
        "1 qid:a 1:0 2:0 3:0
0 qid:a 1:0.5 2:0 3:1
0 qid:a 1:1 2:0 3:0.25"
}

@test "-n scales each query by itself" {
    is "$(values '1 qid:a 1:1\n0 qid:a 1:2\n1 qid:b 1:1\n0 qid:b 1:5\n0 qid:b 1:2\n' -n)" \
        "1 qid:a 1:0
0 qid:a 1:1
1 qid:b 1:0
0 qid:b 1:1
0 qid:b 1:0.25"
}

@test "-n takes a feature that is not listed for 0, below the smallest, above the largest, between" {
    is "$(values '1 qid:a 7:4 90:-4 99:-2\n0 qid:a 7:8\n0 qid:a 90:-1 99:2\n' -n)" \
        "1 qid:a 7:0.5 99:0
0 qid:a 7:1 90:1 99:0.5
0 qid:a 90:0.75 99:1"
}

@test "-n copes with the largest floats" {
    is "$(values '1 1:-3.4e38\n0 1:3.4e38\n0 1:0\n' -n)" "1 1:0
0 1:1
0 1:0.5"
}

@test "-u takes queries without labels, by ? or by nothing, among others that have them" {
    is "$(heads '? qid:a 1:1\nqid:a 1:2\n1 qid:b 1:1\n' -u)" \
        "round t=1 qid=a docs=2 dim=1 cols=x:f4[2] bytes=8
round t=2 qid=b docs=1 dim=1 cols=label:f4[1],x:f4[1] bytes=8"
    is "$(heads '? 1:1\n' -u)" 'round t=1 docs=1 dim=1 cols=x:f4[1] bytes=4'
}

@test "text without features is a fixed list of items" {
    is "$(heads '1 qid:a\n0 qid:a\n2 qid:b # x\n')" \
        "round t=1 qid=a docs=2 dim=0 cols=label:f4[2] bytes=8
round t=2 qid=b docs=1 dim=0 cols=label:f4[1],name:u1[2] bytes=6"
}

@test "a query without features after one with some has features, all of them 0" {
    is "$(heads '1 qid:a 1:1\n0 qid:b\n' | tail -n 1)" \
        'round t=2 qid=b docs=1 dim=0 cols=label:f4[1],ptr:u4[2],idx:u4[0],val:f4[0] bytes=12'
    is "$(heads '1 qid:a\n0 qid:b 2:1\n' -d 2 | head -n 1)" \
        'round t=1 qid=a docs=1 dim=2 cols=label:f4[1],x:f4[2] bytes=12'
}

@test "svm2bin(1) names the queries of LightGBM and XGBoost, which a file counts" {
    printf '2 0:0.5 2:1\n0 1:0.25\n1 0:1\n0 3:0.75\n3 1:1 2:-2\n' >rank.train
    printf '2\n1\n2\n' >rank.train.query
    printf '2 qid:1 1:0.5 3:1\n0 qid:1 2:0.25\n1 qid:2 1:1\n0 qid:3 4:0.75\n3 qid:3 2:1 3:-2\n' |
        svm2bin >want
    sed -n '/NR == FNR/,/> named/p' "$ROOT/man/svm2bin.1" |
        sed "s/^\$ //; s/\\\\(aq/'/g; s/\\\\e$/\\\\/; s/ && .*//" >command
    sh command
    same want <(svm2bin -0 named)
    for sizes in '2\n1\n' '2\n1\n1\n' '2\n1\n3\n' '2\n1\n2\n1\n'; do
        printf "$sizes" >rank.train.query
        ! sh command
    done
}

@test "RankLib's feature files need no option" {
    is "$(values '3 qid:1 1:1 2:1 3:0 4:0.25 5:0 # 1A\n2 qid:1 1:0 2:0 3:1 4:0.5 5:1 # 1B\n')" \
        "3 qid:1 1:1 2:1 3:0 4:0.25 5:0 # 1A
2 qid:1 1:0 2:0 3:1 4:0.5 5:1 # 1B"
}

# ---- what is refused ----

@test "features after a fixed list of items are refused" {
    printf '1 qid:a\n0 qid:b\n0 qid:c\n1 qid:c 1:1 # x\n0 qid:d 1:1\n' >bad.txt
    fails 1 "svm2bin: bad.txt: line 4: * -d*: '1:1'" svm2bin bad.txt
}

@test "text without a query is refused" {
    fails 1 'svm2bin: *: the text has no documents' svm2bin
    printf '# nothing\n\n' >none
    fails_on none 1 'svm2bin: *: the text has no documents' svm2bin
}

@test "a line without a label is refused" {
    refuses '1 qid:a 1:1\nqid:a 1:2\n' "line 2: no label before the qid: use -u: 'qid:a'"
    refuses '1:1 2:2\n' "line 1: no label before the first feature: '1:1'"
    refuses '1:1 2:2\n' "line 1: no label before the first feature: '1:1'" -u
    refuses '? qid:a 1:2\n' "line 1: a query without labels needs -u: '?'"
}

@test "a label that is no number from 0 up is refused" {
    refuses '1 qid:a 1:1\n\ngood qid:a 1:2\n' "line 3: the label is not a number: 'good'"
    refuses 'nan qid:a 1:2\n' "line 1: the label is not a number: 'nan'"
    refuses 'inf qid:a 1:2\n' "line 1: the label is not a number: 'inf'"
    refuses '0x1 qid:a 1:2\n' "line 1: the label is not a number: '0x1'"
    refuses '1,5 qid:a 1:2\n' "line 1: the label is not a number: '1,5'"
    refuses '1e999 qid:a 1:2\n' "line 1: the label is too large for a float: '1e999'"
    refuses '-1 qid:a 1:2\n' "line 1: the label is below 0: '-1'"
}

@test "labels for some documents of a query and not for others are refused" {
    refuses '1 qid:a 1:1\n? qid:a 1:2\n' \
        "line 2: no label, but other documents of its query have one: '? qid:a 1:2'" -u
    refuses '? qid:a 1:1\n1 qid:a 1:2\n' \
        "line 2: a label, but other documents of its query have none: '1 qid:a 1:2'" -u
}

@test "a line without qid where others have one is refused, and the other way round" {
    refuses '1 qid:a 1:1\n0 1:2 2:3\n' "line 2: no qid, but the lines before have one: '0 1:2 2:3'"
    refuses '1 1:1\n0 qid:a 1:2\n' "line 2: a qid, but the lines before have none: 'qid:a 1:2'"
}

@test "a qid that comes back after another is refused, in another file too" {
    refuses '1 qid:a 1:1\n1 qid:b 1:1\n0 qid:a 1:2\n' \
        "line 3: a qid is not contiguous: the lines of a query must follow each other: sort -s -k 2,2 groups them: 'qid:a'"
    printf '1 qid:a 1:1\n1 qid:b 1:1\n' >first
    printf '1 qid:b 1:2\n1 qid:a 1:2\n' >second
    fails 1 "svm2bin: second: line 2: a qid is not contiguous: *: 'qid:a'" \
        svm2bin first second
}

@test "a qid without a name, or with one over 255 bytes, is refused" {
    refuses '1 qid: 1:1\n' "line 1: a qid without a name: 'qid:'"
    long=$(printf '%0256d' 7)
    refuses "1 qid:$long 1:1\n" \
        "line 1: a qid of more than 255 bytes: '0000000000000000000000000000000000000000'..."
    accents=$(printf '\\0303\\0244%.0s' {1..43})
    refuses "1 qid:$accents 1:1\n" "line 1: a qid of more than 255 bytes: '$(printf '\\xc3\\xa4%.0s' {1..20})'..."
}

@test "an index of 0, or one that falls or is repeated, is refused" {
    refuses '1 qid:a 1:1\n1 qid:a 0:1 1:1\n' "line 2: index 0: indices start at 1 (or use -0): '0:1'"
    refuses '1 2:1 1:5 3:1\n' "line 1: index 1 after a larger one: '1:5'"
    refuses '1 1:1 2:1 2:7\n' "line 1: index 2 comes twice: '2:7'"
    refuses '1 0:1 0:2\n' "line 1: index 0 comes twice: '0:2'" -0
}

@test "an index over 2^31, or past -d, is refused" {
    refuses '1 1:1 2147483649:1\n' "line 1: an index above 2147483648: '2147483649:1'"
    refuses '1 2147483648:1\n' "line 1: an index above 2147483647: '2147483648:1'" -0
    refuses '1 18446744073709551617:1\n' \
        "line 1: an index above 2147483648: '18446744073709551617:1'"
    refuses '1 1:1 4:1\n' "line 1: an index past -d 3: '4:1'" -d 3
    refuses '1 0:1 3:1\n' "line 1: an index past -d 3: '3:1'" -0 -d 3
}

@test "what is no feature is refused" {
    refuses '1 1:1 2\n' "line 1: not a feature (index:value): '2'"
    refuses '1 1:1 two:2\n' "line 1: not a feature (index:value): 'two:2'"
    refuses '1 1:1 -2:2\n' "line 1: not a feature (index:value): '-2:2'"
    refuses '1 1:1 :2\n' "line 1: not a feature (index:value): ':2'"
    refuses '1 1:1 qid:a\n' "line 1: not a feature (index:value): 'qid:a'"
}

@test "a value that is no finite number is refused" {
    refuses '1 1:1\n1 1:nan\n' "line 2: the value is not a number: '1:nan'"
    refuses '1 1:NaN\n' "line 1: the value is not a number: '1:NaN'"
    refuses '1 1:inf\n' "line 1: the value is not a number: '1:inf'"
    refuses '1 1:-Infinity\n' "line 1: the value is not a number: '1:-Infinity'"
    refuses '1 1:1e999\n' "line 1: the value is too large for a float: '1:1e999'"
    refuses '1 1:-1e39\n' "line 1: the value is too large for a float: '1:-1e39'"
    refuses '1 1:high 2:1\n' "line 1: the value is not a number: '1:high'"
    refuses '1 1:0x10\n' "line 1: the value is not a number: '1:0x10'"
    refuses '1 1:1.2.3\n' "line 1: the value is not a number: '1:1.2.3'"
    refuses '1 1:1e\n' "line 1: the value is not a number: '1:1e'"
    refuses '1 1:1,5\n' "line 1: the value is not a number: '1:1,5'"
    refuses '1 1: 2:1\n' "line 1: the value is not a number: '1:'"
    refuses '1 1:.\n' "line 1: the value is not a number: '1:.'"
}

@test "a NUL byte is refused, wherever it stands" {
    refuses '1 1:1\n1 1:2\0 2:1\n' "line 2: a NUL byte: '1 1:2\\x00 2:1'"
    refuses '1 1:1\n\0\n' "line 2: a NUL byte: '\\x00'"
    refuses '1 1:1 # d\0\n' "line 1: a NUL byte: '1 1:1 # d\\x00'"
}

@test "a line over 64 MiB is refused, one of 64 MiB is read" {
    { printf '1 1:1\n1 1:2 #' && head -c 67108857 /dev/zero | tr '\0' x && echo; } >bad.txt
    is "$(svm2bin bad.txt | bin2txt)" "1 1:1
1 1:2"
    { printf '1 1:1\n1 1:2 #' && head -c 67108858 /dev/zero | tr '\0' x && echo; } >bad.txt
    fails 1 "svm2bin: bad.txt: line 2: a line over 64 MiB: '1 1:2 #xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'..." \
        svm2bin bad.txt
    [ ! -s out ]
}

@test "the text at fault is escaped, and cut after 40 bytes" {
    refuses "it's\\\\\\01\\0303\\0177 qid:a\\n" "line 1: the label is not a number: 'it\\'s\\\\\\x01\\xc3\\x7f'"
    refuses '1 a234567890b234567890c234567890d234567890\n' \
        "line 1: not a feature (index:value): 'a234567890b234567890c234567890d234567890'"
    refuses '1 a234567890b234567890c234567890d234567890e\n' \
        "line 1: not a feature (index:value): 'a234567890b234567890c234567890d234567890'..."
}

@test "the line's number counts every line of its own file, and standard input has a name" {
    printf '# one\r\n\r\n1 1:1\r\n' >first
    printf '\n# two\n1 1:x\n' >second
    fails 1 "svm2bin: second: line 3: the value is not a number: '1:x': values are numbers: *" svm2bin first second
    fails_on second 1 "svm2bin: <stdin>: line 3: the value is not a number: '1:x': values are numbers: *" svm2bin first -
}

@test "a missing file is an error" {
    printf '1 1:1\n' >first
    fails 1 'svm2bin: cannot open nowhere: No such file or directory' svm2bin first nowhere
}

@test "the queries before a malformed line are passed on, and that they are not all is seen" {
    printf '1 qid:a 1:1\n0 qid:b 1:1\n0 qid:c 1:x\n' >bad.txt
    fails 1 "svm2bin: bad.txt: line 3: the value is not a number: '1:x': values are numbers: *" svm2bin bad.txt
    mv out begun
    fails 1 'bin2txt: begun: stream cut short after round 2' bin2txt -f head begun
    is "$(wc -l <out)" 2
}

# ---- size ----

@test "a query of a million documents is read" {
    awk 'BEGIN { for (i = 0; i < 1000000; i++) print i % 5 " qid:a 1:" i " 2:0.5" }' | svm2bin | uncrc >out
    is "$(head -n 1 out)" \
        'rankpipe/1 round t=1 qid=a docs=1000000 dim=2 cols=label:f4[1000000],x:f4[2000000] bytes=12000000'
    is "$(values_of x <out | tail -n 2 | paste -sd ' ')" '999999 0.5'
}

@test "memory grows by a few bytes for each query" {
    needs_limits
    features=$(printf " %d:0.5" {1..100})
    awk -v "x=$features" 'BEGIN { for (i = 0; i < 100000; i++) print "1 qid:" i x }' |
        (ulimit -v 16384 && exec svm2bin) | tail -c 37 >out
    is "$(cat out)" 'rankpipe/1 end rounds=100000 bytes=0'
}

@test "a million qids that went before take at most 16 bytes and theirs: 4 MB and 28 in all" {
    needs_limits
    awk 'BEGIN { for (i = 0; i < 1000000; i++) print "1 qid:" i " 1:1" }' |
        (ulimit -v 32768 && exec svm2bin) | tail -c 38 >out
    is "$(cat out)" 'rankpipe/1 end rounds=1000000 bytes=0'
}

@test "two qids that have one hash in other programs are two" {
    for i in 1 2; do
        printf '%s qid:8yn0iYCKYHlIj4-BwPqk 1:1\n%s qid:GReLUrM4wMqfg9yzV3KQ 1:1\n' 1 0 >text
        svm2bin <text >again
        [ "$i" = 1 ] || same before again
        mv again before
    done
    [ "$(bin2txt -f head before | grep -c 'round')" = 2 ]
}

# ---- for serving: -l, -k, -b, -t ----

@test "-b numbers the rounds from there" {
    is "$(heads '1 qid:a 1:1\n1 qid:b 1:1\n' -b 41 | cut -d ' ' -f 2)" "$(printf 't=41\nt=42')"
    is "$(heads '1 qid:a 1:1\n' -b 9007199254740991 | cut -d ' ' -f 2)" t=9007199254740991
    refuses '1 qid:a 1:1\n1 qid:b 1:1\n' \
        'no number is left for another round: use a smaller -b' -b 9007199254740991
}

@test "-l: a blank line ends a query; a qid may come again; none depends on another" {
    is "$(heads '\n1 qid:a 1:1\n# more\n0 qid:a 1:2\n \n\n1 qid:a 1:1\n\r\n\t\n2 1:5 2:5\n\n3\n2' -l)" \
        "round t=1 qid=a docs=2 dim=1 cols=label:f4[2],x:f4[2] bytes=16
round t=2 qid=a docs=1 dim=1 cols=label:f4[1],x:f4[1] bytes=8
round t=3 docs=1 dim=2 cols=label:f4[1],x:f4[2] bytes=12
round t=4 docs=2 dim=0 cols=label:f4[2] bytes=8"
    refuses '1 qid:a 1:1\n\n1 qid:a 1:1\n1 qid:b 1:1\n' \
        "line 4: a second qid: a blank line must end a query: 'qid:b 1:1'" -l
}

@test "-l: a query is written before the next one comes" {
    mkfifo text
    svm2bin -lu <text | explore -g 1 | bin2txt -f rank >ranked &
    exec 4>text
    for i in 1 2 3; do
        printf '? qid:a 1:1\n? qid:a 1:2\n\n' >&4
        for _ in $(seq 100); do
            [ "$(wc -l <ranked)" -lt $((2 * i)) ] || break
            sleep 0.02
        done
        is "$(wc -l <ranked)" $((2 * i))
    done
    exec 4>&-
    wait $!
}

@test "-l: a first line names the request" {
    is "$(heads 'request: r-1\n1 1:1\n\n1 1:1\n\n  request:\ta%b\xff \n#\n1 1:1\n' -l | cut -d ' ' -f 2-3)" \
        "t=1 request=r-1
t=2 docs=1
t=3 request=a%25b%FF"
    refuses 'request: a b\n1 1:1\n' "line 1: a request's name must be one word: 'request: a b'" -l
    refuses 'request:\n1 1:1\n' "line 1: a request without a name: 'request:'" -l
    refuses 'request: a\nrequest: a\n1 1:1\n' \
        "line 2: request: must be the first line of a query: 'request: a'" -l
    refuses '1 1:1\nrequest: a\n' \
        "line 2: request: must be the first line of a query: 'request: a'" -l
    refuses '1 1:1\n\nrequest: a\n\n1 1:1\n' 'line 4: a request without documents' -l
    refuses '1 1:1\n\nrequest: a' 'the text ends within a request' -l
    refuses "request: $(printf '%0256d' 0)\n1 1:1\n" \
        "line 1: a request of more than 255 bytes: '$(printf '%040d' 0)'..." -l
    refuses 'request: a\n1 1:1\n' "line 1: the label is not a number: 'request:'"
}

@test "-k skips queries with errors, warns, and reports how many" {
    printf '%b' '1 qid:a 1:1\n1 qid:a 1:2\nx qid:b 1:1\n2 qid:b 1:1\n1 qid:c 1:1\nrubbish\n' \
        '1 qid:c 1:1\n1 qid:d 1:1\n1 qid:a 1:1\n1 qid:e 2:1\n1 qid:f 2:1 1:1\n' >text
    svm2bin -k text 2>err | bin2txt -f head | cut -d ' ' -f 4-6 >heads
    is "$(cat heads)" "t=1 qid=a docs=2
t=2 qid=d docs=1
t=3 qid=e docs=1"
    is "$(sed "s/\('x'\|'1:1'\): .*/\1/" err)" "svm2bin: text: line 3: the label is not a number: 'x'
svm2bin: text: line 6: the label is not a number: 'rubbish'
svm2bin: text: line 9: a qid is not contiguous: the lines of a query must follow each other: sort -s -k 2,2 groups them: 'qid:a'
svm2bin: text: line 11: index 1 after a larger one: '1:1'
svm2bin: skipped 4 of 7 queries"
}

@test "-kl skips up to the blank line" {
    printf '%b' '1 1:1\n\nx\n1 1:1\n1 1:1\n\nrequest: a\n\nrequest: b\n1 1:1\n\n1 1:1\n\0\n1 1:1\n\n2 2:1\n1 1:y' >text
    svm2bin -kl text 2>err | bin2txt -f head | cut -d ' ' -f 4-5 >heads
    is "$(cat heads)" "t=1 docs=1
t=2 request=b"
    is "$(grep -c '' err)" 5
    is "$(tail -n 1 err)" 'svm2bin: skipped 4 of 6 queries'
}

@test "-k: at most ten warnings; and a text with errors alone is an error" {
    for i in $(seq 30); do printf 'x qid:%d 1:1\n1 qid:g%d 1:1\n' $i $i; done >text
    svm2bin -k text 2>err | bin2txt -f head >heads
    is "$(wc -l <heads)" 30
    is "$(wc -l <err)" 11
    is "$(tail -n 1 err)" 'svm2bin: skipped 30 of 60 queries'
    printf 'x qid:a 1:1\n' >text
    fails 1 "svm2bin: text: line 1: *
svm2bin: text: each of the 1 queries has an error" svm2bin -k text
}

@test "-t records when each query came" {
    before=$(date +%s)000
    (printf '1 1:1\n\n'; sleep 0.2; printf '1 1:1\n\n') | svm2bin -lt | bin2txt -f head |
        sed 's/.* time=\([0-9]*\) .*/\1/' >times
    is "$(wc -l <times)" 2
    [ "$(head -n 1 times)" -ge "$before" ]
    [ "$(tail -n 1 times)" -ge $(($(head -n 1 times) + 150)) ]
    [ "$(tail -n 1 times)" -le "$(date +%s)999" ]
}

@test "long text without a qid is one query, and a warning says so" {
    seq -f '0 1:%g' 1001 >long
    svm2bin long 2>err | uncrc | bin2txt -f head >heads
    is "$(cat heads)" 'rankpipe/1 round t=1 docs=1001 dim=1 cols=label:f4[1001],x:f4[1001] bytes=8008'
    is "$(cat err)" 'svm2bin: long: no line has a qid, so all 1001 documents are one query: write qid:NAME after each label; svm2bin(1) has a command for a file of their sizes'
    # Text that may be one query, or that is one by -l.
    sed 1d long | svm2bin >one.bin 2>err
    svm2bin -l long >one.bin 2>>err
    sed 's/ / qid:a /' long | svm2bin >one.bin 2>>err
    is "$(cat err)" ''
}

@test "compressed text, and a byte-order mark, are named" {
    small_text >text
    gzip -c text >in
    fails 1 "svm2bin: in: not text: compressed by gzip: decompress it first, by 'gzip -dc'" svm2bin in
    gzip -dc in | svm2bin | cmp - <(svm2bin text)
    printf '\3757zXZ\0' >in
    fails 1 "svm2bin: in: not text: compressed by xz: decompress it first, by 'xz -dc'" svm2bin in
    printf '(\265/\375\n' >in
    fails 1 "svm2bin: in: not text: compressed by zstd: decompress it first, by 'zstd -dc'" svm2bin in in
    { printf '\357\273\277' && cat text; } >in
    fails 1 "svm2bin: in: not text: a byte-order mark comes first: remove it, by 'tail -c +4'" svm2bin in
    tail -c +4 in | cmp - text
    printf '\377\3762\0 \0' >in
    fails 1 "svm2bin: in: not text: a byte-order mark of UTF-16 comes first: convert it, by 'iconv -f UTF-16'" \
        svm2bin in
    printf '1 qid:a 1:1 # \357\273\277\n' | svm2bin >marked.bin # elsewhere it is a character
    # -k skips that line alone: the next one is another query
    printf '\357\273\277x\n1 qid:2 1:3\n' >in
    is "$(svm2bin -k in 2>err | bin2txt)" "1 qid:2 1:3"
    is "$(cat err)" "svm2bin: in: not text: a byte-order mark comes first: remove it, by 'tail -c +4'
svm2bin: skipped 1 of 2 queries"
}

# ---- -i ----

@test "-i: each query is in one share, in order, whatever n is" {
    (small_text; printf '# the last\n\n'; printf '1 qid:d 1:0.5\r\n1 qid:e 2:1') >text
    svm2bin text | uncrc >right
    for n in 1 2 3 7 40; do
        rm -f share.*
        for i in $(seq "$n"); do svm2bin -i "$i/$n" text >"share.$(printf %02d "$i")"; done
        replay share.* >out
        same right out
    done
    is "$(svm2bin -i 4294967295/4294967295 text)" 'rankpipe/1 end rounds=0 bytes=0'
}

@test "-i: lines are counted from the start of the file, and each share from its first round" {
    printf '1 qid:%s 1:1\n' a a b b c c d d >text
    is "$(svm2bin -i 2/2 text | uncrc | bin2txt -f head | cut -d ' ' -f 3,4)" "$(printf 't=1 qid=d\n')"
    sed '8s/1:1/1:x/' text >wrong
    fails 1 "svm2bin: wrong: line 8: the value is not a number: '1:x': values are numbers: *" svm2bin -i 2/2 wrong
    svm2bin -k -i 1/2 wrong >out
    fails 1 "svm2bin: wrong: line 8: *
svm2bin: wrong: each of the 1 queries has an error" svm2bin -k -i 2/2 wrong
}

@test "-i divides one regular file with qids" {
    fails 1 'svm2bin: /dev/null is not a regular file, which -i needs' svm2bin -i 1/2 /dev/null
    fails 1 'svm2bin: cannot open nothing: No such file or directory' svm2bin -i 1/2 nothing
}

@test "-e: base is the order of the lines, query by query, and stays where rounds are replayed" {
    printf '%s\n' '1 qid:a 1:1' '0 qid:a 1:2' '0 qid:b 1:1' '0 qid:b 1:1' '0 qid:b 1:5' >text
    is "$(svm2bin -e text | values_of base | paste -sd ' ')" '0 1 0 1 2'
    is "$(svm2bin text | values_of base)" ''
    svm2bin -e text | replay -n 2 - | explore -g 1 | feedback-mask -k 1 >seen.bin
    is "$(replay -n 2 seen.bin | values_of base | sort -n | paste -sd ' ')" '0 0 1 1 2'
}

@test "-Q takes %XX in a qid as encoded already; else % is a byte as others are" {
    printf '%s\n' '1 qid:red%20tv 1:1 # a' '0 qid:red%20tv 1:2' '1 qid:%c3%89 1:1' >text
    is "$(svm2bin text | values_of qid | paste -sd ' ')" 'red%2520tv %25c3%2589'
    is "$(svm2bin -Q text | values_of qid | paste -sd ' ')" 'red%20tv %C3%89'
    { for i in 1 2 3; do svm2bin -Q -i $i/3 text; done; } | values_of qid | paste -sd ' ' >got
    is "$(cat got)" 'red%20tv %C3%89'
    for qid in a% a%2 a%2x %zz a%00b; do
        echo "1 qid:$qid 1:1" >text
        fails 1 "svm2bin: text: line 1: with -Q a % is followed by two hexadecimal digits, not both 0, and % itself is %25, but this qid has '%*': '$qid'" svm2bin -Q text
    done
    printf '%s\n' '1 qid:a% 1:1' '1 qid:a%25 1:1' >text
    svm2bin -kQ text 2>/dev/null | values_of qid >got
    is "$(cat got)" a%25
}

@test "a blank in a qid: the message has a command that makes it %20" {
    printf '%s\n' '1 qid:red wide tv 1:1 2:0.5 # a b' '0 qid:red wide tv 2:1' '1 qid:plain 1:1 # x y' '1 qid:no features' >text
    fails 1 "svm2bin: text: line 1: *: a qid is one word: for %20 in place of its blanks, run *" svm2bin text
    sed -n "s/.*, run \(sed .*\), and give svm2bin -Q$/\1/p" err >command
    sh -c "$(cat command)" <text >coded
    is "$(cat coded)" '1 qid:red%20wide%20tv 1:1 2:0.5 # a b
0 qid:red%20wide%20tv 2:1
1 qid:plain 1:1 # x y
1 qid:no%20features'
    is "$(svm2bin -Q coded | values_of qid | paste -sd ' ')" 'red%20wide%20tv plain no%20features'
}

@test "-l: after qid= a qid has %XX already, request by request; without -l there is no qid=" {
    printf '%s\n' '1 qid=red%20tv 1:1' '0 qid=red%20tv 1:2' '' '1 qid:red%20tv 1:1' '' '1 qid:100% 1:1' >text
    svm2bin -l text | bin2txt -f head | sed 's/.* qid=\([^ ]*\) docs=\([0-9]*\).*/\1 \2/' >have
    is "$(cat have)" 'red%20tv 2
red%2520tv 1
100%25 1'
    fails_on <(echo '1 qid=100% 1:1') 1 "svm2bin: <stdin>: line 1: with -Q a % is followed by *" svm2bin -l
    fails_on <(echo '1 qid=a 1:1') 1 'svm2bin: <stdin>: line 1: *' svm2bin
}
