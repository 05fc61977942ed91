#!/usr/bin/env bats
# bin2txt: the text of rounds and models, exactly, and its way back.

load ../helper
load ../runs

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

# Rounds: dense and explored; sparse with names but without labels; a fixed list after feedback-mask.
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
    printf '1 qid:a 1:1 # GX1\n0 qid:a 1:2 # GX2\n' | svm2bin | explore -g 1 | bin2txt -f rank |
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
    is "$(printf '2 qid:a 1:1 # GX1\n0 qid:a 1:2 # GX2\n' | svm2bin | bin2txt -f qrels)" \
        "a 0 GX1 2
a 0 GX2 0"
    is "$(printf '2 1:1\n10 1:2\n' | svm2bin | bin2txt -f qrels)" "1 0 0 2
1 0 1 10"
}

@test "values prints a line a key and a value: t, qid, document, key or column, value" {
    # The document is that of the place for order, greedy and seen; features are by document, too.
    { explored && masked && end 2; } | bin2txt -f values | sed 's/\t/ /g' >out
    cat >expected <<'TEXT'
5 K%C3%A4fer - t 5
5 K%C3%A4fer - qid K%C3%A4fer
5 K%C3%A4fer - docs 2
5 K%C3%A4fer - dim 2
5 K%C3%A4fer - gamma 0.5
5 K%C3%A4fer 0 label 2
5 K%C3%A4fer 1 label 0.5
5 K%C3%A4fer 0 score 0.10000000000000001
5 K%C3%A4fer 1 score -3
5 K%C3%A4fer 1 order 1
5 K%C3%A4fer 0 order 0
5 K%C3%A4fer 0 greedy 0
5 K%C3%A4fer 1 greedy 1
5 K%C3%A4fer 0 x 1
5 K%C3%A4fer 0 x 0
5 K%C3%A4fer 1 x -0
5 K%C3%A4fer 1 x 0.100000001
7 - - t 7
7 - - docs 2
7 - - dim 0
7 - 1 order 1
7 - 0 order 0
7 - 1 seen 1
TEXT
    same expected out
    is "$({ explored && end 1; } | bin2txt -f values | head -n 1)" $'5\tK%C3%A4fer\t-\tt\t5'
}

@test "values prints names, sparse features, and a document without a name by its number" {
    is "$({ named && end 1; } | bin2txt -f values | cut -f 3- | tail -n +5 | tr '\t' ' ' | paste -sd ,)" \
        '0 name d-1,1 name ,2 name GX2,'\
'GX2 order 2,d-1 order 0,1 order 1,'\
'- ptr 0,- ptr 1,- ptr 1,- ptr 3,- idx 4,- idx 1,- idx 8,- val 0.100000001,- val 1,- val 0.5'
    { echo 'rankpipe/1 round t=1 docs=1 dim=0 cols=name:u1[4] bytes=4' && printf 'a\tb\0' && end 1; } >a
    fails_on a 1 'bin2txt: <stdin>: round 1: the name of document 0 is not one word: *' bin2txt -f values
}

@test "values prints teams by place, compact features by document, and keys and columns of one's own" {
    mkstream round t=8 x-site=b,2 docs=2 dim=1 team:u1 1 0 order:u4 1 0 mine:u1 7 255 \
        yours:u8 18446744073709551615 label-true:f8 0.1 0.5 offset:f4 -1 step:f4 0.25 number:u1 3 0 |
        bin2txt -f values | cut -f 3- | tr '\t' ' ' >out
    is "$(paste -sd , out)" '- t 8,- x-site b,2,- docs 2,- dim 1,1 team 1,0 team 0,1 order 1,0 order 0,'\
'0 mine 7,1 mine 255,- yours 18446744073709551615,0 label-true 0.10000000000000001,1 label-true 0.5,'\
'- offset -1,- step 0.25,0 number 3,1 number 0'
}

@test "head prints the header lines" {
    { explored && named && masked && end 3; } >three
    is "$(bin2txt -f head three)" "$(explored | head -n 1)
rankpipe/1 round t=6 qid=7 docs=3 dim=9 cols=name:u1[9],order:u4[3],ptr:u4[4],idx:u4[3],val:f4[3] bytes=61
rankpipe/1 round t=7 docs=2 dim=0 cols=order:u4[2],seen:f4[1] bytes=12"
}

@test "a model is its header after #, then column, index and value" {
    model >model.bin
    head=$(head -n 1 model.bin)
    printf '# %s\n' "$head" >expected
    printf '%b' 'w\t1\t0.10000000000000001\nw\t2\t-3\n' 'b\t1\t0.100000001\nn\t1\t4294967295\n' \
        'c\t1\t0\nc\t2\t255\n' >>expected
    bin2txt model.bin >out
    same expected out
    is "$(bin2txt -f head model.bin)" "$head"
}

@test "u8 is a whole number of 64 bits, lowest byte first, and every digit of it is printed" {
    head='rankpipe/1 model learner=fixed rounds=0 dim=0 cols=w:f8[0],key:u8[4] bytes=32'
    { echo "$head" &&
        u4 0 0 1 0 0x04050607 0x00010203 0xffffffff 0xffffffff &&
        end 1; } >keys.bin
    # 0x0001020304050607 = 283686952306183, by hand: no double holds 2^64 - 1
    printf '# %s\n' "$head" >expected
    printf 'key\t%s\n' '1\t0' '2\t1' '3\t283686952306183' '4\t18446744073709551615' |
        sed 's/\\t/\t/g' >>expected
    bin2txt keys.bin >out
    same expected out
    mkstream model learner=fixed rounds=0 dim=0 w:f8 key:u8 0 1 283686952306183 18446744073709551615 >made
    same keys.bin made
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

@test "a missing file is an error, and what came before it is printed" {
    printf '1 qid:a 1:1\n' | svm2bin >a
    fails 1 'bin2txt: cannot open nowhere: No such file or directory' bin2txt a nowhere
    is "$(cat out)" '1 qid:a 1:1'
}

@test "names that are not as many as the documents are refused" {
    { echo 'rankpipe/1 round t=1 docs=2 dim=0 cols=name:u1[3] bytes=3' && printf 'a\0b' && end 1; } >a
    fails_on a 1 "bin2txt: <stdin>: round 1: the column 'name' must hold 2 names" bin2txt
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
        svm2bin -n "$DATA/$1/$file" >scaled
        bin2txt scaled | svm2bin -n >again # with fingerprints of what was scaled already
        same <(bin2txt -f values scaled | grep -v fingerprint) <(bin2txt -f values again | grep -v fingerprint)
        svm2bin "$DATA/$1/$file" | features scale | cmp - <(uncrc <scaled)
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

@test "text of documents with names gives the same stream" {
    small_text | sed '1s/$/ # docid = GX1-1/; 2s/$/ # 2/; 3s/$/ # docid/; 4s/$/ # #4/
        5s/$/ # docid = docid=5/; 6s/$/ # docid=docid/; 7,$s/$/ # x/' | svm2bin >bin
    [ "$(bin2txt bin | grep -c '#')" -gt 5 ]
    goes_round bin
}

@test "text of a fixed list of items gives the same stream" {
    printf '1 qid:a\n0 qid:a\n1 qid:b\n' | svm2bin >bin
    goes_round bin
}

@test "MQ2008's text gives the same stream" {
    data_goes_round MQ2008 S1.txt S2.txt S3.txt S4.txt S5.txt
}

@test "MSLR's text gives the same stream, and that is dense except for a query or two" {
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

# ---- summary ----

# line NAME: what a summary on standard input has on the line of that name, with those below it that
# have none.
line() {
    awk -v name="$1" '{ key = substr($0, 1, 18); sub(/ +$/, "", key) }
        key != "" { on = key == name } on { print substr($0, 19) }'
}

@test "summary: a small collection worked by hand, every line" {
    cat >text <<'TEXT'
1 qid:a 1:-2 2:5 4:1
0 qid:a 1:1.5 2:5 4:1
0 qid:b 1:0 2:5 4:1
0 qid:b 1:0 2:5 4:3000
0 qid:b 1:0 2:5 4:1
TEXT
    # The order of query a has NDCG 1, the other one D(2) = 1/log2(3) = 0.63093: mean 0.81546, standard
    # deviation 0.18454. Query b has nothing relevant: 0. So means of 0.5 and 0.4077, error 0.092.
    cat >want <<'TEXT'
rounds            2
queries           2
documents         5, 2 to 3 a round, mean 2.5
document names    none
features          4, dense, 4 stored in a document
feature values    -2 to 3000
constant features 2: 2, 3
feature ranges    3.5 (feature 1) to 2999 (feature 4)
labels            0: 4
                  1: 1
none relevant     1 of 2 rounds
line order        NDCG@10 0.5000, random order 0.4077, standard error 0.092
TEXT
    svm2bin text | bin2txt -f summary >out
    same want out
    sed -i 's/4:3000/4:3502/' text
    is "$(svm2bin text | bin2txt -f summary | line 'feature ranges')" \
        $'3.5 (feature 1) to 3501 (feature 4)\nfeatures have very different ranges: most learners need update -x scale'
    # in line order NDCG 1 + 0, in another file
    svm2bin text >stream
    is "$(bin2txt -f summary stream stream | line rounds) $(bin2txt -f summary stream stream | line queries)" '4 2'
}

@test "summary: sparse features are 0 where they are not stored" {
    printf '%s\n' '1 qid:a 3:2 900:-1' '0 qid:a 3:5' '2 qid:b 3:4 5:1' '0 qid:c 3:3 5:1' |
        svm2bin -d 1000 >sparse
    bin2txt -f head sparse | grep -q ',ptr:u4'
    bin2txt -f summary sparse >out
    is "$(line features <out)" '1000, sparse, 1.75 stored in a document'
    is "$(line 'feature values' <out)" '-1 to 5'
    is "$(line 'constant features' <out)" '997: 1, 2, 4, 6, 7, 8, 9, 10, 11, 12 ...'
    is "$(line 'feature ranges' <out)" '1 (feature 5) to 3 (feature 3)'
    { mkstream round t=1 docs=2 dim=2 x:f4 1 2 nan inf; } | bin2txt -f summary >out
    is "$(line 'not finite' <out)" '2 feature values'
    is "$(line labels <out)" none
    mkstream round t=1 docs=1 dim=2147483648 ptr:u4 0 1 idx:u4 2147483647 val:f4 1 >far
    fails_on far 1 'bin2txt: <stdin>: round 1: the round has 2147483648 features, but a summary keeps the ranges of at most 16777216' \
        bin2txt -f summary
}

@test "summary: names, qids and labels that only some rounds have, and many labels" {
    { explored && named && masked && end 3; } | bin2txt -f summary >out
    is "$(line queries <out)" '2; 1 of 3 rounds have no qid'
    is "$(line 'document names' <out)" 'in 1 of 3 rounds'
    is "$(line features <out)" '9, dense or sparse by round, 1 stored in a document'
    is "$(line labels <out)" $'0.5: 1\n2: 1'
    is "$(line 'without labels' <out)" '2 of 3 rounds'
    seq 70 | sed 's/.*/& qid:a 1:&/' | svm2bin | bin2txt -f summary >out
    is "$(line labels <out | sed -n '1p;64p;65p')" $'1: 1\n64: 1\nothers: 6'
    printf '%s\n' '600 qid:a 1:1' '1100 qid:a 1:2' | svm2bin >large
    fails_on large 1 'bin2txt: <stdin>: round 1 (qid a): a label is too large: its gain, 2^label, overflows' \
        bin2txt -f summary
    printf '%s\n' '600 qid:a 1:1' '1000 qid:a 1:2' | svm2bin | bin2txt -f summary | line 'line order' |
        grep '^NDCG@10 0.6309, random order 0.8155, standard error 0.18$'
    echo '2 qid:a 1:1' | svm2bin | bin2txt -f summary | line 'line order' |
        grep '^NDCG@10 1.0000, random order 1.0000, standard error 0$' # of a single document
}

@test "summary: random order is the mean over all orders, and the standard error theirs" {
    # The 120 orders of five labels, each a query; a feature has the scores of the line order.
    awk 'function orders(done, left, i) {
            if (left == "") {
                q++
                for (i = 1; i <= 5; i++) print substr(done, i, 1), "qid:" q, "1:" 6 - i
            }
            for (i = 1; i <= length(left); i++)
                orders(done substr(left, i, 1), substr(left, 1, i - 1) substr(left, i + 1))
        }
        BEGIN { orders("", "02013") }' | svm2bin >orders
    mkstream model learner=kl rounds=1 dim=1 w:f8 1 >by_line
    score -m by_line <orders | explore | metric -e 1 ndcg@10 | awk '
        NR > 1 { value = $2 * (NR - 1) - sum; sum += value; squares += value * value; n++ }
        END {
            mean = sum / n
            printf "NDCG@10 %.4f, random order %.4f, standard error %.2g\n", mean, mean,
                sqrt((squares / n - mean * mean) / n) }' >want
    is "$(bin2txt -f summary orders | line 'line order')" "$(cat want)"
}

@test "summary: past the cutoff, too: many shuffles have that mean and deviation" {
    slow
    made() { awk 'BEGIN { for (q = 1; q <= 5; q++) for (d = 0; d < 15 + q; d++) print (d * q) % 4, "qid:" q, "1:1" }'; }
    made | svm2bin >queries
    bin2txt -f summary queries | line 'line order' >line
    for seed in {1..400}; do
        explore -g 1 -s "$seed" <queries | metric ndcg@10 | tail -n 1 | cut -f 2
    done >shuffled
    awk 'NR == FNR { mean = $5 + 0; error = $8; next } { sum += $1; squares += $1 * $1; n++ }
        END {
            m = sum / n
            s = sqrt(squares / n - m * m)
            print m, mean, s, error
            exit !((m - mean) ^ 2 < (4 * error) ^ 2 / n && s > 0.85 * error && s < 1.15 * error) }' line shuffled
}

@test "summary: a line order that tells relevance is reported, and one that is random is not" {
    told='standard errors (better|worse) than random order'
    for order in sorted reversed shuffled; do
        awk -v order=$order 'BEGIN { srand(1); for (q = 1; q <= 100; q++) for (d = 1; d <= 12; d++)
            print (order == "sorted" ? d < 3 : order == "reversed" ? d > 10 : int(rand() * 6) == 0) + 0, "qid:" q, "1:" d
        }' | svm2bin | bin2txt -f summary | line 'line order' >$order
        cat $order
    done
    grep -E 'it tells relevance: [0-9.]+ standard errors better than random order' sorted
    grep -E 'it tells relevance: [0-9.]+ standard errors worse than random order' reversed
    is "$(wc -l <shuffled)" 1
}

@test "summary: line order is judged once for each qid, everything else in each round" {
    small_text | svm2bin >small
    replay -n 300 small | bin2txt -f summary >many
    bin2txt -f summary small >once
    is "$(line rounds <many) $(line queries <many)" '300 3'
    is "$(line documents <many | cut -d , -f 1)" 700
    is "$(line labels <many | head -n 1) $(line labels <once | head -n 1)" '0: 400 0: 4'
    is "$(line 'line order' <many)" "$(line 'line order' <once)"
}

@test "summary: models are refused, no rounds are counted as none, a stream cut short has none" {
    small_text | svm2bin >small
    model >m
    fails_on m 1 'bin2txt: <stdin>: record 1: a model, but -f summary prints only rounds' bin2txt -f summary
    head -c -40 small >cut
    fails_on cut 1 'bin2txt: <stdin>: stream cut short *' bin2txt -f summary
    [ ! -s out ]
    is "$(end 0 | bin2txt -f summary)" $'rounds            0\nqueries           0'
    is "$(printf '%s qid:a\n' 1 0 2 | svm2bin | bin2txt -f summary | line features)" none
}

# counted NAME FILE: a summary has the counts that awk makes of the text.
counted() {
    need_data "$1"
    svm2bin "$DATA/$1/$2" | bin2txt -f summary >out
    cat out
    is "$(line documents <out | cut -d , -f 1)" "$(grep -c qid: "$DATA/$1/$2")"
    is "$(line queries <out)" "$(awk '{ print $2 }' "$DATA/$1/$2" | sort -u | wc -l)"
    is "$(line labels <out)" "$(awk '{ n[$1]++ } END { for (r in n) print r ": " n[r] }' "$DATA/$1/$2" | sort -n)"
}

@test "summary: MQ2008" {
    counted MQ2008 S1.txt
    is "$(line 'constant features' <out)" '6: 6, 7, 8, 9, 10, 43'
}

@test "summary: MSLR has features of very different ranges" {
    counted MSLR train.txt
    line 'feature ranges' <out | grep 'update -x scale'
    svm2bin -n "$DATA/MSLR/train.txt" | bin2txt -f summary | line 'feature ranges' >scaled
    is "$(wc -l <scaled)" 1
}

@test "summary: lambdarank; a copy that is sorted by label is reported" {
    counted lambdarank train.txt
    is "$(line 'line order' <out | wc -l)" 1
    LC_ALL=C sort -s -k 2,2 -k 1,1nr "$DATA/lambdarank/train.txt" | svm2bin | bin2txt -f summary |
        line 'line order' | grep '^it tells relevance.* better than random order$'
}

@test "qrels keep the sign of a label that is -0" {
    is "$(printf -- '-0 qid:a 1:1\n0 qid:a 1:2\n' | svm2bin | bin2txt -f qrels)" "a 0 0 -0
a 0 1 0"
}

# ---- check ----

@test "check: a line for each file that is whole, and how many records have crc=" {
    small_text | svm2bin >q.bin
    uncrc <q.bin >plain
    update -X -a listnet -m w.bin <q.bin
    cat q.bin plain >both
    printf 'rankpipe/1 end rounds=0 bytes=0\n' >none
    mkstream round t=1 docs=1 dim=0 label:f4 1 >one
    cat w.bin q.bin >mixed
    is "$(bin2txt -f check q.bin plain w.bin both none one mixed - <q.bin)" 'q.bin: whole: 3 rounds, all with crc=
plain: whole: 3 rounds, none with crc=
w.bin: whole: 1 model, all with crc=
both: whole: 6 rounds, 3 with crc=
none: whole: 0 rounds
one: whole: 1 round, none with crc=
mixed: whole: 3 rounds, 1 model, all with crc=
<stdin>: whole: 3 rounds, all with crc='
    is "$(bin2txt -f check <w.bin)" '<stdin>: whole: 1 model, all with crc='
    small_text >text
    is "$(loop 'svm2bin text | bin2txt -f check')" '<stdin>: whole: 3 rounds, all with crc='
}

@test "check: the first file that is not whole is named, with its record and byte" {
    check() { # check FILE MESSAGE: after a file that is whole, before one that is not looked at
        fails 1 "bin2txt: $2: read another copy, or what salvage keeps of it" bin2txt -f check q.bin "$1" nothing
        is "$(cat out)" 'q.bin: whole: 3 rounds, all with crc='
    }
    small_text | svm2bin >q.bin
    first=$(head -n 1 q.bin | wc -c) bytes=$(head -n 1 q.bin | sed 's/.*bytes=//')
    second=$((first + bytes))
    head -c $((second + 100)) q.bin >cut
    check cut "record 2 at byte $second of cut: stream cut short after round 1"
    { head -c $second q.bin && echo rubbish; } >bad
    check bad "record 2 at byte $second of bad: after round 1: not a rankpipe stream: it begins with 'rubbish'"
    mkstream round t=1 docs=1 dim=0 label:f4 1 + round t=2 docs=2 dim=0 label:f4 1 -1 >low
    check low 'record 2 at byte 63 of low: round 2: column label: value 1 is -1: *'
    mkstream round t=1 docs=1 dim=2 ptr:u4 0 1 idx:u4 2 val:f4 1 >wide
    check wide 'record 1 at byte 0 of wide: round 1: idx 0 (document 0) is 2: *'
    mkstream round t=1 docs=1 dim=0 label:f4 1 + model crc= learner=x rounds=1 dim=1 w:f8 nan >odd
    check odd 'record 2 at byte 63 of odd: record 2: model: weight 0 is nan'
    mkstream round crc= t=1 docs=1 dim=0 label:f4 1 | sed 's/end rounds=1/end rounds=2/' >less
    check less 'record 2 at byte 76 of less: the end record counts 2 rounds, but 1 came'
    : >empty
    check empty 'record 1 at byte 0 of empty: stream cut short: the input is empty, without even an end record'
    fails 1 'bin2txt: cannot open nothing: *' bin2txt -f check nothing
}

# ---- numbers for qids ----

@test "-q numbers the queries, and writes which number is which qid" {
    mkstream round t=1 qid=cats docs=1 dim=1 x:f4 1 + round t=2 qid=7 docs=1 dim=1 x:f4 2 \
        + round t=3 qid=cats docs=1 dim=1 x:f4 3 + round t=4 docs=1 dim=1 x:f4 4 \
        + round t=5 docs=1 dim=1 x:f4 5 + round t=6 qid=a%20b docs=1 dim=1 x:f4 6 >in
    bin2txt -q map in >out
    is "$(cat out)" '? qid:1 1:1
? qid:2 1:2
? qid:1 1:3
? qid:3 1:4
? qid:4 1:5
? qid:5 1:6'
    is "$(cat map)" "$(printf '1\tcats\n2\t7\n3\t-\n4\t-\n5\ta%%20b')"
    bin2txt -q map -f svm in | cmp - out # the file is replaced
    is "$(wc -l <map)" 5
    # Many queries, and the map of a run that fails has those that were printed.
    seq 5000 | sed 's/.*/0 qid:q& 1:1/' | svm2bin | bin2txt -q map >out
    is "$(awk '{ print $2 - $1 ":" $2 }' map | sort -u | wc -l) $(tail -n 1 map)" "5000 $(printf '5000\tq5000')"
    mkstream round t=1 qid=a docs=1 dim=1 x:f4 1 + round t=2 qid=a docs=1 dim=1 x:f4 1 >same.bin
    fails 1 'bin2txt: *the same qid as the round before*' bin2txt -q map same.bin
    is "$(cat map)" "$(printf '1\ta')"
    fails 1 'bin2txt: cannot write nosuch/map: *' bin2txt -q nosuch/map in
    [ ! -e /dev/full ] || fails 1 'bin2txt: *No space left*' bin2txt -q /dev/full in
}

@test "tsv: the weight of a base is named, and the others keep their numbers" {
    mkstream model learner=ridge rounds=1 dim=3 made=scale,base w:f8 1 2 3 >w
    is "$(bin2txt -f tsv w 2>err)" "$(printf '1\t1\t# base\n2\t2\n3\t3')"
    mkstream model learner=ridge rounds=1 dim=3 made=base,log w:f8 1 2 3 >w # of which feature 1 is another
    is "$(bin2txt -f tsv w 2>err)" "$(printf '%s\t%s\n' 1 1 2 2 3 3)"
}

@test "a qid with a blank is not printed as text, but by its number" {
    printf '1 qid:red%%20tv 1:1 # a\n0 qid:c%%23 1:2 # b\n' | svm2bin -Q >q.bin
    fails_on q.bin 1 'bin2txt: <stdin>: round 1 (qid red%20tv): its qid has a blank, a # or a NUL, which text cannot hold: *-q map' bin2txt
    is "$(bin2txt -q map q.bin)" '1 qid:1 1:1 # a
0 qid:2 1:2 # b'
    is "$(cut -f 2 map | xargs)" 'red%20tv c%23'
}

# ---- why ----

# sums < why: the parts of each document add up to its score, within 1e-12 of the sum of their sizes.
# Prints for how many documents.
sums() {
    awk -F '\t' '
        function check() { if (off < 0) off = -off; if (off > 1e-12 * size) { print last, off, size; bad = 1 } }
        $4 == "score" { if (n++) check(); off = -$6; size = 0; last = $1 " " $3; next }
        $4 == "position" { next }
        { off += $6; size += $6 < 0 ? -$6 : $6 }
        END { check(); print n + 0; exit bad }'
}

# about DOCUMENT < why: its parts, values to 9 digits.
about() {
    awk -F '\t' -v doc="$1" '$3 == doc { printf "%s%s %s %.9g", n++ ? ", " : "", $4, $5, $6 } END { print "" }'
}

@test "why: the parts of Xw by hand: the ten greatest features, the others as one, and positions" {
    for j in 1 2 3 4 5 6 7 8 9 10 11 12 13; do echo "$j $((j % 2 ? j : -j))"; done | weights2bin >w.bin
    mkstream round t=3 qid=a docs=2 dim=13 x:f4 1 1 1 1 1 1 1 1 1 1 1 1 0 0 0 -5 0 0 0 0 0 0 0 0 0 2 >q
    score -m w.bin <q >scored
    bin2txt -f why w.bin scored >why
    is "$(about 0 <why)" "score - -6, feature 12 -12, feature 11 11, feature 10 -10, feature 9 9, feature 8 -8, \
feature 7 7, feature 6 -6, feature 5 5, feature 4 -4, feature 3 3, others 2 -1"
    is "$(about 1 <why)" 'score - 11, feature 13 26, feature 3 -15' # of the greatest first, and none that is 0
    is "$(head -n 1 why)" $'3\ta\t0\tscore\t-\t-6'
    # the documents in the order shown; 0 is above one of a greater score, to be judged
    mkstream round t=3 qid=a docs=3 dim=1 score:f8 2 3 1 order:u4 0 1 2 x:f4 2 3 1 >shown
    echo 1 1 | weights2bin >one
    is "$(bin2txt -f why one <shown | grep position)" $'3\ta\t0\tposition\tjudged\t1
3\ta\t1\tposition\tscore\t2
3\ta\t2\tposition\tscore\t3'
}

@test "why: a document that is held is judged above its place in base, and one that must stay near it is no reason" {
    echo 1 1 | weights2bin >one
    # whether documents 0, 1 and 2 are held, of the scores 2, 3 and 1; base, and what position 1 of order 0 1 2 is
    while read -r a b c base want; do
        mkstream round t=3 qid=a docs=3 dim=1 base:u4 ${base//,/ } score:f8 2 3 1 held:u1 $a $b $c order:u4 0 1 2 x:f4 2 3 1 >shown
        is "$base $(bin2txt -f why one <shown | awk '$4 == "position" { print $5; exit }')" "$base $want"
    done <<'END'
0 0 0 0,1,2 judged
1 0 0 0,1,2 score
1 0 0 1,0,2 judged
2 1 0 1,2,0 judged
0 1 0 0,1,2 judged
0 2 0 0,1,2 score
0 3 0 0,1,2 score
END
}

@test "why: memory, by hand: features, the constant, what is remembered, and of how many answers" {
    # plain, rho 1, lambda 1: after 3 about x = 1 and 1 about x = 0, v = 1 and the constant 1. Means: (2 + 3) / 2;
    # (1 + 1) / 2; and for x = 1/2, both at K = exp(-5 0.25 / 0.5): 1.5 + K (3 - 2) / (2 + 2 K), and 1e-7 of it
    mkstream round t=1 qid=q docs=2 dim=1 order:u4 0 1 seen:f4 3 1 x:f4 1 0 >first
    update -a memory -x none -p -R 1 -C 1 -m m <first
    mkstream round t=2 qid=q docs=3 dim=1 x:f4 1 0 0.5 | score -m m >scored
    bin2txt -f why m scored >why
    is "$(about 0 <why)" 'score - 2.5, feature 1 1, constant - 1, remembered 1 0.5'
    is "$(about 1 <why)" 'score - 1, constant - 1, remembered 1 0'
    is "$(about 2 <why | grep -o '.*remembered 0 ')" "score - $(awk 'BEGIN { k = exp(-2.5)
        printf "%.9g", 1.0000001 * (1.5 + k / (2 + 2 * k)) }'), feature 1 0.5, constant - 1, remembered 0 "
    is "$(sums <why)" 3
}

@test "why: weight 1 is that of the base, and names are those of the model, or of -y" {
    mkstream round t=1 qid=a docs=3 dim=2 label:f4 2 0 1 base:u4 2 0 1 x:f4 1 2 3 -1 0 4 >q
    printf 'price\nage\n' >names
    update -a listnet,eta=0.5 -x base -y names -m named <q
    update -a listnet,eta=0.5 -x base -m w.bin <q
    score -m w.bin <q >scored
    bin2txt -f why w.bin scored >why
    w=($(bin2txt -f tsv w.bin 2>/dev/null | cut -f 2))
    is "$(awk -F '\t' '$4 == "base" { print $3, $6 }' why | grep -v '^0')" "1 0
2 ${w[0]}" # the last place and the first
    is "$(awk -F '\t' '$3 == 2 && $4 == "feature" { print $5, $6 }' why)" "2 $(awk -v w="${w[2]}" 'BEGIN { printf "%.17g", 4 * w }')"
    is "$(sums <why)" 3
    score -m named <q >scored.named
    sed 's/feature\t1/feature\tprice/; s/feature\t2/feature\tage/' why >want
    bin2txt -f why named scored.named | diff want -
    bin2txt -y names -f why w.bin scored | diff want -
    printf 'size\nage\n' >others
    fails 1 'bin2txt: the model has features with other names *' bin2txt -y others -f why named scored.named
    # a model that has learnt nothing ranks by the base alone
    update -a kl -x base -m new </dev/null 2>/dev/null || mkstream model learner=kl rounds=0 dim=0 made=base w:f8 >new
    score -m new <q | bin2txt -f why new >why
    is "$(about 2 <why), $(about 1 <why)" 'score - 1, base - 1, score - 0, base - 0'
    # features that the steps make keep their names
    update -a listnet,eta=0.5 -x log,scale -y names -m made <q
    score -m made <q | bin2txt -f why made | grep price
}

@test "why: for every learner that ranks by weights, and memory, the parts add up to the score" {
    stored_rounds
    for run in $RUNS; do
        settings ${run%.*}
        rm -f m
        replay -n 90 -s 3 ${run#*.} >q
        loop "score | explore $shown | feedback-mask -k $k | update $options -m m" <q
        score -m m <q >scored
        case $run in
        prank.* | linucb* | kernel*)
            fails_on scored 1 'bin2txt: model m: * ranks by more than weights, whose parts -f why prints' bin2txt -f why m
            continue
            ;;
        esac
        is "$(bin2txt -f why m scored | sums)" "$(values_of score <scored | wc -l)"
    done
    # with a base, and means of features
    made 20 1 | svm2bin -e | replay -n 200 - >q
    for steps in scale,base none; do
        rm -f m
        loop "score | explore -B 0.3 | feedback-mask -k 1 | update -x $steps -m m" <q
        is "$(score -m m <q | explore -B 0.3 | bin2txt -f why m | sums)" "$(values_of label <q | wc -l)"
    done
}

@test "why: another model's scores, no scores, no model" {
    small_text | svm2bin >q
    update -a listnet,eta=0.5 -m a <q
    update -a listnet,eta=0.25 -m b <q
    score -m a <q >scored
    fails 1 'bin2txt: scored: round 1 (qid a): document 0 has the score * by this model: the scores are of another model, *' \
        bin2txt -f why b scored
    fails_on q 1 'bin2txt: <stdin>: round 1 (qid a): needs score: *' bin2txt -f why a
    fails_on scored 1 'bin2txt: nowhere: no such file: *' bin2txt -f why nowhere
    fails_on scored 1 'bin2txt: a: record 1: a model, but -f why prints only rounds' bin2txt -f why a a
    for model in '' -; do
        fails_on scored 2 'bin2txt: -f why needs the file of the model first, *' bin2txt -f why $model
    done
}
