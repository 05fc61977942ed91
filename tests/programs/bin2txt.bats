#!/usr/bin/env bats
# bin2txt: the text of rounds and models, exactly, and its way back.

load ../helper

# u4 NUMBER...: each as four bytes, little-endian. A float is given by its bits, a double by the
# lower half of them and the upper one.
u4() {
    local n bytes
    for n; do
        printf -v bytes '\\x%02x\\x%02x\\x%02x\\x%02x' \
            $((n & 255)) $((n >> 8 & 255)) $((n >> 16 & 255)) $((n >> 24 & 255))
        printf '%b' "$bytes"
    done
}
half=0x3f000000 one=0x3f800000 two=0x40000000 tenth=0x3dcccccd

# Rounds: dense and explored; sparse with names but without labels; a fixed list behind the mask.
explored() {
    printf 'rankpipe/1 round t=5 qid=K%%C3%%A4fer docs=2 dim=2 gamma=0.5 '
    echo 'cols=label:f4[2],score:f8[2],order:u4[2],greedy:u4[2],x:f4[4] bytes=56'
    u4 $two $half
    u4 0x9999999a 0x3fb99999 0 0xc0080000 # 0.1 -3
    u4 1 0 0 1
    u4 $one 0 0x80000000 $tenth # 1 0 -0 0.1
}

named() {
    printf 'rankpipe/1 round t=6 qid=7 docs=3 dim=9 '
    echo 'cols=name:u1[9],order:u4[3],ptr:u4[4],idx:u4[3],val:f4[3] bytes=61'
    printf 'd-1\0\0GX2\0'
    u4 2 0 1
    u4 0 1 1 3
    u4 3 0 7
    u4 $tenth $one $half
}

masked() {
    echo 'rankpipe/1 round t=7 docs=2 dim=0 cols=order:u4[2],seen:f4[1] bytes=12'
    u4 1 0
    u4 $one
}

end() {
    echo "rankpipe/1 end rounds=$1 bytes=0"
}

model() {
    echo 'rankpipe/1 model learner=kl rounds=12 dim=2 eta=0.5 cols=w:f8[2],b:f4[1],n:u4[1],c:u1[2] bytes=26'
    u4 0x9999999a 0x3fb99999 0 0xc0080000
    u4 $tenth 4294967295
    printf '\x00\xff'
    end 1
}

# ---- forms ----

@test "svm prints labels, qids and features; a dense query's zeros too" {
    { explored && named && masked && end 3; } >three
    is "$(bin2txt three)" "$(bin2txt -f svm three)"
    is "$(bin2txt three)" "2 qid:Käfer 1:1 2:0
0.5 qid:Käfer 1:-0 2:0.100000001
? qid:7 4:0.100000001 9:0 # d-1
? qid:7
? qid:7 1:1 8:0.5 # GX2
?
?"
}

@test "rank prints a line a shown document: t, qid, place, document, score, relevance" {
    { explored && masked && end 2; } | bin2txt -f rank >out
    printf '%b' '5\tK%C3%A4fer\t1\t1\t-3\t0.5\n' '5\tK%C3%A4fer\t2\t0\t0.10000000000000001\t2\n' \
        '7\t-\t1\t1\t-\t1\n' '7\t-\t2\t0\t-\t-\n' >expected
    same expected out
}

@test "rank prints names where there are some" {
    printf '1 qid:a 1:1 # GX1\n0 qid:a 1:2 # GX2\n' | svm2bin -c | explore -g 1 | bin2txt -f rank |
        sort -k 4 >out
    is "$(cut -f 4,6 out)" "$(printf 'GX1\t1\nGX2\t0')"
}

@test "run is TREC's: qid Q0 document rank score tag, the score falling with the place" {
    is "$({ explored && end 1; } | bin2txt -f run)" "K%C3%A4fer Q0 1 1 2 rankpipe
K%C3%A4fer Q0 0 2 1 rankpipe"
    printf '1 1:1\n' | svm2bin | explore -g 1 | bin2txt -f run >out
    is "$(cat out)" '1 Q0 0 1 1 rankpipe'
}

@test "qrels are TREC's: qid 0 document label" {
    is "$(printf '2 qid:a 1:1 # GX1\n0 qid:a 1:2 # GX2\n' | svm2bin -c | bin2txt -f qrels)" \
        "a 0 GX1 2
a 0 GX2 0"
    is "$(printf '2 1:1\n10 1:2\n' | svm2bin | bin2txt -f qrels)" "1 0 0 2
1 0 1 10"
}

@test "head prints the header lines" {
    { explored && named && masked && end 3; } >three
    is "$(bin2txt -f head three)" "$(explored | head -n 1)
rankpipe/1 round t=6 qid=7 docs=3 dim=9 cols=name:u1[9],order:u4[3],ptr:u4[4],idx:u4[3],val:f4[3] bytes=61
rankpipe/1 round t=7 docs=2 dim=0 cols=order:u4[2],seen:f4[1] bytes=12"
}

@test "a model is its header behind #, then column, index and value" {
    model >model.bin
    head=$(head -n 1 model.bin)
    printf '# %s\n' "$head" >expected
    printf '%b' 'w\t0\t0.10000000000000001\nw\t1\t-3\n' 'b\t0\t0.100000001\nn\t0\t4294967295\n' \
        'c\t0\t0\nc\t1\t255\n' >>expected
    bin2txt model.bin >out
    same expected out
    is "$(bin2txt -f head model.bin)" "$head"
}

@test "several files are printed one after the other, - is standard input" {
    printf '1 qid:a 1:1\n' | svm2bin >a
    printf '2 qid:b 1:1\n' | svm2bin >b
    is "$(bin2txt a - a <b 2>&1)" "1 qid:a 1:1
2 qid:b 1:1
1 qid:a 1:1"
    is "$(bin2txt <b)" "2 qid:b 1:1"
}

# ---- errors ----

@test "rank and run without an order are refused" {
    printf '1 qid:a 1:1\n' | svm2bin >a
    for form in rank run; do
        fails_on a 1 'bin2txt: <stdin>: round 1 (qid a): needs order: put explore before bin2txt' \
            bin2txt -f $form
    done
}

@test "qrels want whole labels" {
    printf '1 qid:a 1:1\n0.5 qid:a 1:2\n' | svm2bin >a
    fails_on a 1 'bin2txt: <stdin>: round 1 (qid a): label 0.5 is not a whole number, which qrels need' \
        bin2txt -f qrels
    printf 'qid:a 1:1\n' | svm2bin -u >b
    fails 1 'bin2txt: b: round 1 (qid a): needs label: qrels are made of labels' bin2txt -f qrels b
}

@test "an unknown form is a wrong command line" {
    fails 2 "bin2txt: -f wants svm, rank, run, qrels, head, tsv, svm-light or ranklib, not 'xml'*usage: bin2txt *" bin2txt -f xml
}

@test "a file that is not there is told, and what came before it is printed" {
    printf '1 qid:a 1:1\n' | svm2bin >a
    fails 1 'bin2txt: cannot open nowhere: No such file or directory' bin2txt a nowhere
    is "$(cat out)" '1 qid:a 1:1'
}

@test "names that are not as many as the documents are refused" {
    { echo 'rankpipe/1 round t=1 docs=2 dim=0 cols=name:u1[3] bytes=3' && printf 'a\0b' && end 1; } >a
    fails_on a 1 'bin2txt: <stdin>: round 1: column name does not hold 2 names' bin2txt
}

@test "a name that would not be one word of text is refused" {
    { echo 'rankpipe/1 round t=1 docs=1 dim=0 cols=name:u1[4] bytes=4' && printf 'a b\0' && end 1; } >a
    fails_on a 1 'bin2txt: <stdin>: round 1: the name of document 0 is not one word: *' bin2txt
    { named && end 1; } >b # document 1 has none, which svm can say and the other forms cannot
    fails_on b 1 'bin2txt: <stdin>: round 6 (qid 7): the name of document 1 is not one word: *' bin2txt -f run
}

@test "rounds that text would merge into one query are refused" {
    printf '1 qid:a 1:1\n' | svm2bin >a
    cat a a >twice
    fails 1 'bin2txt: twice: round 1 (qid a): *' bin2txt -f svm twice
    printf '1 1:1\n' | svm2bin >a
    cat a a >twice
    fails 1 'bin2txt: twice: round 1: *' bin2txt -f svm twice
}

# ---- the way back ----

# goes_round BIN [OPTION...]: its text gives the same bytes again.
goes_round() {
    bin2txt -f svm "$1" | svm2bin "${@:2}" >again
    same "$1" again
}

# data_goes_round FOLDER FILE...: real data, as it is and scaled. Text has no made=, and features that
# are scaled stay the same when they are scaled again.
data_goes_round() {
    local file
    need_data "$1"
    for file in "${@:2}"; do
        svm2bin "$DATA/$1/$file" >bin && goes_round bin
        svm2bin -n "$DATA/$1/$file" >scaled && goes_round scaled -n
        svm2bin "$DATA/$1/$file" | features scale | cmp - scaled
    done
}

@test "text of small queries, dense and sparse, gives the same stream" {
    small_text | svm2bin >bin
    goes_round bin
    printf '%b' '1 qid:a 1:0.1 999:-0.0\n0 qid:a\n0.1 qid:%C3% 1:1e-40 2:-3.4e38\n1 qid:\0303\0244 1:-0\n' |
        svm2bin >bin
    is "$(bin2txt -f head bin | grep -c idx:)" 1
    goes_round bin
}

@test "text of streams made with -d gives the same stream with -d" {
    small_text | svm2bin -d 500 >bin
    is "$(bin2txt -f head bin | grep -c 'dim=500 .*idx:')" 3
    goes_round bin
    goes_round bin -d 500
    small_text | svm2bin -d 4 >bin
    is "$(bin2txt -f head bin | grep -c 'dim=4 .*,x:f4')" 2
    goes_round bin
}

@test "text of queries without labels gives the same stream with -u" {
    small_text | sed '1,3s/^[0-9] //; 4,5s/^[0-9]/?/' | svm2bin -u >bin
    is "$(bin2txt -f head bin | grep -c label:)" 1
    goes_round bin -u
}

@test "text of documents with names gives the same stream with -c" {
    small_text | sed '1s/$/ # docid = GX1-1/; 3s/$/ # docid/; 4s/$/ # #4/
        5s/$/ # docid = docid=5/; 6s/$/ # docid=docid/' | svm2bin -c >bin
    is "$(bin2txt bin | grep -c '#')" 5
    goes_round bin -c
}

@test "text of a fixed list of items gives the same stream" {
    printf '1 qid:a\n0 qid:a\n1 qid:b\n' | svm2bin >bin
    goes_round bin
}

@test "MQ2008's text gives the same stream" {
    data_goes_round MQ2008 S1.txt S2.txt S3.txt S4.txt S5.txt
}

@test "MSLR's text gives the same stream, and that is dense but for a query or two" {
    data_goes_round MSLR train.txt vali.txt test.txt
    is "$(bin2txt -f head bin | grep -c ',x:f4')" 17
}

@test "lambdarank's text gives the same stream, and that is sparse" {
    data_goes_round lambdarank train.txt test.txt
    is "$(bin2txt -f head bin | grep -c ',ptr:.*,idx:.*,val:')" 50
}

@test "lambdarank's text with words for qids gives the same stream" {
    need_data lambdarank
    sed 's/qid:/qid:q-/' "$DATA/lambdarank/train.txt" | svm2bin >bin
    is "$(bin2txt -f head bin | grep -c ' qid=q-')" 201
    goes_round bin
}
