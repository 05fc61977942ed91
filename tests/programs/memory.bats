# The learner memory: its steps by hand, documents and what is known of them, the ring, the file.
load ../helper
load ../models
load ../runs

# ask T ANSWER: query q, whose one document has the feature 1, is answered.
ask() {
    mkstream round t=$1 qid=q docs=1 dim=1 order:u4 0 seen:f4 $2 x:f4 1
}

# close_to GOT WANT: two lists of numbers, equal up to a relative 1e-12.
close_to() {
    awk -v got="$1" -v want="$2" 'BEGIN {
        n = split(got, g, " ")
        if (split(want, w, " ") != n) exit 1
        for (i = 1; i <= n; i++) { d = g[i] - w[i]; if (d < 0) d = -d
            if (d > 1e-12 * (w[i] < 0 ? -w[i] : w[i])) { print g[i], "is not", w[i]; exit 1 } } }'
}

# column FILE NAME: a column of doubles of the first record, in one line.
column() {
    bin2txt "$1" | sed -n "s/^$2\t[0-9]*\t//p" | paste -sd ' ' -
}

# ranked FILE: name and score of each document, by name.
ranked() {
    explore -p uniform <"$1" | bin2txt -f rank | cut -f 2,4,5 | sort
}

# index_of MODEL ROUND: mean and index of the first document.
index_of() {
    score -m "$1" <"$2" >scored
    echo "$(values_of score <scored | head -n 1) $(values_of index <scored | head -n 1)"
}

# ---- steps by hand ----

@test "two answers about one document, by hand" {
    # z = (1, 1), the constant last; P = I, rho = 1. y = 3, n = 0: c = 1, y* = 3, B = 1 + 2,
    # v = z 3 / 3. A first answer: s2 = 9 / (1 + 2)
    ask 1 3 >first
    update -a memory -x none -p -R 1 -C 1 -m m <first
    close_to "$(column m w) $(column m constant) $(column m moments)" '1 1 1 3 0 0 0'
    # y = 1, n = 1, S = 3: c = 1/3, y* = 1 + (1 - 3) = -1, P z = z / 3, B = 1 + 2/9,
    # v += 1/3 z/3 (-1 - 2) 9/11; e1 = 3 - 2, e2 = 1 - 2
    ask 2 1 >second
    update -a memory -x none -p -R 1 -C 1 -m m <second
    close_to "$(column m w) $(column m constant)" "$(awk 'BEGIN { printf "%.17g %.17g", 8/11, 8/11 }')"
    close_to "$(column m moments) $(column m answers) $(column m sums)" '1 3 1 -1 1 2 4'
    # mean (16/11 + 4) / 3, which is not the score yet: all first answers are 3; index by beta = 1/2 and s2 = 3: 4 sqrt(3/2) / sqrt(3) more
    close_to "$(index_of m first)" "$(awk 'BEGIN { m = 20/11; printf "3 %.17g", m + sqrt(8) }')"
}

@test "without -R mean and index have an estimate of rho: 3 at first" {
    # as above; beta = 7.5 s2 / 10 s2, so rho = 3 and sb = 3/2: (2 + 3 3) / 4, and 4 3/2 / 2 more;
    # the score is 3, as all first answers are
    ask 1 3 >first
    update -a memory -x none -p -C 1 <first >m
    close_to "$(index_of m first)" '3 5.75'
    # with half of the width
    update -a memory -x none -p -C 1 -S 2 <first >m
    close_to "$(index_of m first)" '3 4.25'
}

# clicked SEEN [KEY]: a round of five documents, shown as 4 2 0 1 3.
clicked() {
    mkstream round t=1 qid=q ${2-} docs=5 dim=1 order:u4 4 2 0 1 3 seen:f4 $1 x:f4 1 2 3 4 5
}

# e to the power -0.02
E002=0.98019867330675525

@test "clicks: places down to the last click count at first; a value is how much of a click it was" {
    # Until users turn out to go on, they stop, and each place is examined like the first. Down to the
    # last click m0 = 0.02 e^-0.02 was expected of each.
    clicked '0 1 0 0' clicks=1 >round
    update -a memory -C 1e200 <round >m
    bin2txt -f memory m round | cut -f 2-5 >got
    is "$(cut -f 1,2,4 got | xargs)" '1 1 2 1 0 4'
    close_to "$(column m clicks | cut -d ' ' -f 15-17,25-27)" \
        "0 1 0 $(awk -v e=$E002 'BEGIN { printf "%.17g %.17g 0", 0.02 * e, 0.02 * e }')"
    # z.v is 0 with so large a penalty, and a = 2: the means are (2 m0 + S) / (2 + n)
    score -m m <round | values_of score >got
    close_to "$(sed -n '5p;3p' got | xargs)" "$(awk -v e=$E002 'BEGIN {
        printf "%.17g %.17g", (0.04 * e + 1) / 3, 0.04 * e / 3 }')"
    # S is the sum of values; everything else counts a value above 0 as a click
    clicked '0 0.25 0 0' clicks=1 | update -a memory -C 1e200 >n
    is "$(bin2txt -f memory n round | cut -f 3 | xargs)" '0.25 0'
    is "$(column n clicks)" "$(column m clicks)"
    clicked '0 3 0 2' clicks=1 | update -a memory -C 1e200 2>err >n
    is "$(cat err)" 'update: 2 clicks had a value above 1, and counted as 1: the value of a click is how satisfied the user was, from 0 to 1'
    clicked '0 1 0 1' clicks=1 | update -a memory -C 1e200 | cmp - n
    # the setting says the same of a round without the key, and nothing more of one with it
    bin2txt m | tail -n +2 >want
    clicked '0 1 0 0' | update -a memory,clicks -C 1e200 | bin2txt | tail -n +2 | same want /dev/stdin
    update -a memory,clicks -C 1e200 <round | bin2txt | tail -n +2 | same want /dev/stdin
    # without both memory takes the values for judgements
    clicked '0 1 0 0' | update -a memory >n
    is "$(bin2txt -f memory n round | cut -f 2 | xargs)" '1 1 1 1'
    is "$(column n clicks)" ''
    # rho= is that of v and of the means, (m0 + rho S) / (1 + rho n)
    update -a memory -C 1e200 -R 3 <round >m
    close_to "$(score -m m <round | values_of score | tail -n 1)" \
        "$(awk -v e=$E002 'BEGIN { printf "%.17g", 0.02 * e / 4 }')"
}

@test "clicks of users who stop: the places down to the last click count; without a click all do" {
    # each second round a click on place 1, else on place 2, and never both
    for t in 1 2; do clicked "$((t % 2)) $((1 - t % 2)) 0 0" clicks=1; done | replay -n 60 - >stop
    update -a memory <stop >m
    for seen in '1 0 0 0' '0 0 1 0' '0 0 0 0'; do
        clicked "$seen" clicks=1 | sed 's/qid=q/qid=p/' >round
        cp m n
        update -a memory -m n <round 2>err
        bin2txt -f memory n round | grep -c "$(printf '\tp\t')"
    done >got
    is "$(xargs <got)" '1 3 4'
    # where place 2 is clicked as often below a click as without one, users go on
    for c in '1 0' '0 1' '1 1' '0 0'; do clicked "$c 0 0" clicks=1; done | replay -n 240 - | update -a memory >m
    clicked '1 0 0 0' clicks=1 | sed 's/qid=q/qid=p/' >round
    update -a memory -m m <round 2>err
    is "$(bin2txt -f memory m round | grep -c "$(printf '\tp\t')")" 4
}

@test "clicks may begin in a model of labels, in pipes and resumed; the setting stays" {
    stored_rounds
    replay -n 40 -s 1 dense | explore -g 1 | feedback-mask -k 3 >labels
    replay -b 41 -n 80 -s 1 dense | explore -g 1 | feedback-mask -c navigational -k 5 >clicks
    update -a memory <labels >m
    cp m set
    is "$(column m clicks)" ''
    cat labels clicks | update -a memory >whole
    update -a memory -m m <clicks 2>resumed
    cmp m whole
    [ "$(column m clicks | wc -w)" = 217 ]
    # the setting, which a run that goes on need not repeat
    update -a memory,clicks -m set <clicks 2>resumed
    bin2txt set | tail -n +2 | same <(bin2txt m | tail -n +2) /dev/stdin
    update -a memory -m set <clicks 2>resumed
    [[ $(bin2txt -f head set) == *' clicks=1 '* ]]
}

@test "clicks: shares add up, and a table of examination is refused" {
    stored_rounds
    replay -n 80 -s 1 dense | explore -g 1 | feedback-mask -c informational -k 5 >clicks
    for share in 1 2; do update -a memory -i $share/2 <clicks >$share; done
    add-models 1 2 >sum
    close_to "$(column sum clicks)" \
        "$(paste <(column 1 clicks | tr ' ' '\n') <(column 2 clicks | tr ' ' '\n') |
            awk '{ printf "%.17g ", $1 + $2 }')"
    printf '%s 0.5\n' 1 2 3 4 5 >theta
    update -a memory,examination=theta <clicks >m
    is "$(column m clicks)" ''
    fails_on clicks 1 'update: model m: it learnt clicks by a table of examination: omit clicks, *' \
        update -a memory,clicks -m m
}

@test "-R 0 learns ridge's weights" {
    stored_rounds
    for deck in dense sparse; do
        for plain in '' -p; do
            replay -n 90 -s 1 $deck | explore -g 1 | feedback-mask -k 3 >seen
            update -a memory -R 0 -C 2 $plain <seen >m
            update -a ridge -C 2 $plain <seen >r
            bin2txt -f tsv r | cut -f 2 >want
            bin2txt m | sed -n 's/^w\t[0-9]*\t//p' >got
            paste got want | awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > most) most = d
                if ($2 * $2 > size) size = $2 * $2 }
                END { exit !(NR && size > 0 && most <= 1e-12 * sqrt(size)) }'
            is "$(column m constant)" 0
        done
    done
}

# ---- documents ----

# named ORDER...: two queries, whose documents a, b and c are in this order.
named() {
    local query name
    for query in 1 2; do
        for name; do
            case $name in
            a) echo "2 qid:$query 1:0.5 2:$query 3:1 # docid = a" ;;
            b) echo "0 qid:$query 1:1 2:0.25 # docid = b" ;;
            c) echo "1 qid:$query 1:0.125 3:2 # docid = c" ;;
            esac
        done
    done
}

@test "a document is known by its name, in whatever row it is" {
    named a b c | svm2bin >abc
    named c a b | svm2bin >cab
    update -a memory <abc >m
    score -m m <abc >one
    score -m m <cab >other
    ranked one >one.txt
    ranked other >other.txt
    is "$(cut -f 1,2 other.txt)" "$(cut -f 1,2 one.txt)"
    close_to "$(cut -f 3 other.txt | paste -sd ' ' -)" "$(cut -f 3 one.txt | paste -sd ' ' -)"
    is "$(bin2txt -f memory m cab | wc -l)" 6
    # learnt in the one order or in the other, the means are the same
    update -a memory <cab >n
    score -m n <abc >other
    ranked other >other.txt
    close_to "$(cut -f 3 other.txt | paste -sd ' ' -)" "$(cut -f 3 one.txt | paste -sd ' ' -)"
    # without names features are
    named a b c | svm2bin -C >abc
    named c a b | svm2bin -C >cab
    update -a memory <abc | bin2txt -f memory - cab | cut -f 3,5 | sort -u >got
    is "$(paste -sd ' ' got | tr '\t' :)" '0:2 1:0 2:1'
}

# lists HOW: the queries of examples/data/small.svm, each document with a name, as they are, reversed or
# shuffled, or with every tenth document replaced by one of another query, whose label is 9.
lists() {
    awk -v how="$1" '
        { split($2, q, ":"); name = " # " q[2] "." ++docs[$2] }
        how == "replaced" && NR % 10 == 0 { $0 = other; $1 = 9; $2 = "qid:" q[2]; name = name ".new" }
        { place = how == "reversed" ? -NR : how == "shuffled" ? (NR * 7919) % 10007 : NR }
        NR % 10 == 3 { other = $0 }
        { print q[2], place, $0 name }' "$ROOT/examples/data/small.svm" |
        sort -s -k 1,1 -k 2,2n | cut -d ' ' -f 3-
}

# those_left: the NDCG@10 of the orders shown, without the documents of label 9.
those_left() {
    bin2txt -f rank | awk -F '\t' '$6 != 9 { print $6, "qid:" $2, "1:" 1000 - $3 }' | svm2bin |
        score -m first.bin | explore | metric ndcg@10 | tail -n 1 | cut -f 2
}

@test "known queries keep their order when lists are reversed, shuffled, or a tenth of them replaced" {
    echo 1:1 | weights2bin >first.bin
    for way in '' -C; do
        for how in same reversed shuffled replaced; do lists $how | svm2bin $way >$how; done
        cmp -s same reversed && false
        rm -f m
        loop "replay -n 10000 same | score | explore | feedback-mask -k 1 | update -m m"
        for how in same reversed shuffled replaced; do
            score -m m <$how | explore -p uniform | those_left >$how.ndcg
        done
        lists same | awk 'NR == FNR { if ($1 == 9) gone[$NF] = 1; next } $NF ".new" in gone { $1 = 9 } 1' \
            <(lists replaced) - | svm2bin $way | score -m m | explore -p uniform | those_left >left.ndcg
        cat ./*.ndcg
        for how in reversed shuffled; do
            awk -v got="$(cat $how.ndcg)" -v want="$(cat same.ndcg)" \
                'BEGIN { exit !(want > 0.9 && got > want - 0.0005 && got < want + 0.0005) }'
        done
        awk -v got="$(cat replaced.ndcg)" -v want="$(cat left.ndcg)" \
            'BEGIN { exit !(want > 0.9 && got > want - 0.01) }'
    done
}

# keys_of OPTIONS...: the keys of documents, one a line, that a model has learnt without names from
# standard input, by svm2bin with these options.
keys_of() {
    svm2bin -C "$@" | update -a memory | bin2txt -f memory | cut -f 1
}

@test "a document without a name is known by its features, however they are written" {
    printf '1 qid:q 1:1 3:0.5\n0 qid:q 2:2\n' | keys_of >want
    [ "$(wc -l <want)" = 2 ]
    is "$(printf '0 qid:q 2:2\n1 qid:q 1:1 3:0.5\n' | keys_of)" "$(cat want)" # another order
    is "$(printf '1 qid:q 1:1 2:0 3:0.5 4:-0\n0 qid:q 1:0 2:2\n' | keys_of)" "$(cat want)"
    is "$(printf '1 qid:q 1:1 3:0.5\n0 qid:q 2:2\n' | keys_of -d 9)" "$(cat want)"
    # sparse, by a third document with many features
    many=$(seq 4 90 | sed 's/$/:7/' | paste -sd ' ' -)
    printf "1 qid:q 1:1 3:0.5\n0 qid:q 2:2\n0 qid:q $many\n0 qid:q 1:0\n0 qid:q 3:3\n" >text
    svm2bin -C text | bin2txt -f head | grep -q ptr:
    keys_of <text >got
    is "$(grep -cxF -f want got)" 2
    # another qid, another value
    printf '1 qid:p 1:1 3:0.5\n0 qid:q 2:2.5\n' | keys_of >got
    is "$(grep -cxF -f want got)" 0
}

@test "documents with equal features are told apart by their place among them" {
    printf '2 qid:q 1:1\n1 qid:q 2:1\n0 qid:q 1:1\n' | svm2bin -C >one
    printf '1 qid:q 2:1\n2 qid:q 1:1\n0 qid:q 1:1\n' | svm2bin -C >two
    update -a memory <one >m
    is "$(bin2txt -f memory m one | cut -f 3,5 | paste -sd ' ' - | tr '\t' :)" '2:0 1:1 0:2'
    is "$(bin2txt -f memory m two | cut -f 3,5 | paste -sd ' ' - | tr '\t' :)" '1:0 2:1 0:2'
}

@test "fingerprints are of raw features where a step looks at the whole list, and score writes them" {
    named a b c | svm2bin -C >raw
    named c a | svm2bin -C >fewer
    update -a memory <raw >m
    # of features that are made of the whole list, or by a step that is not
    for way in scale rank rank,log; do
        features $way <fewer >made
        is "$(bin2txt -f head made | grep -c 'fingerprint:u8\[2\]')" 2
        is "$(bin2txt -f memory m made | cut -f 3,5 | sort -u | paste -sd ' ' - | tr '\t' :)" '1:0 2:1'
    done
    features log <fewer | bin2txt -f head >out
    ! grep fingerprint out
    named c a | svm2bin -Cn >made
    is "$(bin2txt -f memory m made | cut -f 3,5 | sort -u | paste -sd ' ' - | tr '\t' :)" '1:0 2:1'
    features scale <made >out 2>err || true # made= is scale,scale: the column stays
    is "$(values_of fingerprint <out)" "$(values_of fingerprint <made)"
    # names are enough
    named c a | svm2bin -n | bin2txt -f head >out
    ! grep fingerprint out
    # score's column is that of features; update learns the same with it and without
    score -m m <fewer >scored
    is "$(values_of fingerprint <scored)" "$(values_of fingerprint <made)"
    named c a | svm2bin | score -m m | bin2txt -f head >out
    ! grep fingerprint out
    explore <scored | feedback-mask -k 2 >seen
    score -m m <fewer | explore | feedback-mask -k 2 >same
    cmp seen same
    cp m n
    update -m m <seen
    mkstream round t=1 qid=1 docs=2 dim=3 order:u4 0 1 seen:f4 1 0 x:f4 1 2 3 4 5 6 >plain
    mkstream round t=1 qid=1 docs=2 dim=3 fingerprint:u8 1 2 order:u4 0 1 seen:f4 1 0 x:f4 1 2 3 4 5 6 >other
    update -a memory -x none <plain >one
    update -a memory -x none <other >two
    [ "$(bin2txt -f memory one | cut -f 1)" != "$(bin2txt -f memory two | cut -f 1)" ]
}

@test "keys= says how documents were known; what is known in another way is said" {
    named a b c | svm2bin >named
    named a b c | svm2bin -C >unnamed
    mkstream round t=1 qid=1 docs=2 dim=0 order:u4 0 1 seen:f4 1 0 >list
    update -a memory <named >m
    is "$(bin2txt -f head m | grep -o ' keys=[a-z,]*')" ' keys=names'
    update -a memory <unnamed | bin2txt -f head | grep -q ' keys=features '
    update -a memory <list | bin2txt -f head | grep -q ' keys=items '
    # after rounds with names
    update -m m <unnamed 2>err
    grep -q 'update: 2 rounds had no names, or equal ones, after rounds with names: ' err
    is "$(bin2txt -f head m | grep -o ' keys=[a-z,]*')" ' keys=names,features'
    cat named unnamed | update -a memory 2>err >n
    grep -q 'update: 2 rounds had no names' err
    update -m m <named 2>err
    ! grep names err
    update -a memory <unnamed >n 2>err
    ! grep names err
    # names that are equal, or empty, tell nobody apart
    for names in '120 0 120 0' '0 120 0'; do
        mkstream round t=1 qid=1 docs=2 dim=1 label:f4 1 0 name:u1 $names x:f4 1 2 >equal
        mkstream round t=1 qid=1 docs=2 dim=1 label:f4 1 0 x:f4 1 2 >none
        update -a memory <equal >n
        same n <(update -a memory <none)
    done
    cat named equal | update -a memory -d 3 2>err >n
    grep -q 'update: 1 round had no names, or equal ones, after rounds with names: ' err
    # a fixed list in place of features, or the reverse
    for order in 'unnamed list' 'list unnamed'; do
        cat $order >both # word splitting
        fails_on both 1 "update: <stdin>: round 1 (qid 1): *learn into another model" update -a memory
    done
    uncrc <m | sed 's/keys=names/keys=nomes/' >bad
    fails 1 'score: model bad: model: keys=nomes,features: *' score -m bad
}

@test "a known query of which no document is known is reported once, in its first 100 rounds" {
    named a b c | svm2bin >abc
    named a b c | sed 's/docid = ./&2/' | svm2bin >others
    update -a memory <abc >m
    score -m m <abc >out 2>err
    is "$(cat err)" ''
    cat abc others others | score -m m >out 2>err
    is "$(wc -l <err)" 1
    grep -q 'score: round 1 (qid 1): the model knows this query, and none of its 3 documents: ' err
    named a b c | sed 's/qid:/qid:9/' | svm2bin | score -m m >out 2>err # unknown queries
    is "$(cat err)" ''
    { for _ in $(seq 50); do cat abc; done; cat others; } | score -m m >out 2>err
    is "$(cat err)" ''
    # in the ring too
    cat abc others | loop "score | explore | feedback-mask -k 3 | update -a memory" 2>err >n
    grep -q 'score: round 1 (qid 1): the model knows this query' err
}

@test "a query's name is no format of the message that names it" {
    printf '%s qid:%%n%%s 1:%s # %s\n' 1 1 a 0 2 b | svm2bin | update -m w.bin
    printf '%s qid:%%n%%s 1:%s # %s\n' 1 1 c 0 2 d | svm2bin | score -m w.bin 2>err >out
    grep -F 'score: round 1 (qid %25n%25s): the model knows this query, and none of its 2 documents: ' err
    is "$(bin2txt -f head out | wc -l)" 1
}

@test "a query is known by its qid, and another seed makes other keys" {
    named a b c | svm2bin >abc
    sed 's/qid=2/qid=3/' abc >other
    update -a memory <abc >m
    is "$(bin2txt -f memory m other | cut -f 4 | sort -u)" 1
    update -a memory -s 2 <abc >n
    [ "$(bin2txt -f memory m abc | cut -f 2-)" = "$(bin2txt -f memory n abc | cut -f 2-)" ]
    [ "$(bin2txt -f memory m | cut -f 1)" != "$(bin2txt -f memory n | cut -f 1)" ]
}

@test "rounds that a memory cannot learn from say what to do" {
    two_documents >round
    fails_on round 1 'update: <stdin>: round 1: no qid, by which memory knows each query: *or use -a ridge' update -a memory
    ask 1 3 | update -a memory >m
    fails_on round 1 'score: <stdin>: round 1: no qid, *' score -d 2 -m m
    mkstream round t=1 qid=q docs=2 dim=1 label:f4 1 0 name:u1 120 0 x:f4 1 2 >round
    fails_on round 1 "update: <stdin>: round 1 (qid q): the column 'name' must hold 2 names" \
        update -a memory
    mkstream round t=1 qid=q docs=1 dim=1 label:f4 1 name:f4 1 x:f4 1 >round
    fails_on round 1 'update: <stdin>: round 1: column name has type f4, not u1' update -a memory
}

# broken PATTERN KEYS ANSWERS SUMS MOMENTS: a model of these columns is refused.
broken() {
    local at
    mkstream model learner=memory rounds=1 dim=1 tradeoff=10 width=4 seed=1 w:f8 0 inverse:f8 1 0 1 0 0 1 \
        level:f8 0 constant:f8 0 moments:f8 $5 keys:u8 $2 answers:f8 $3 sums:f8 $4 ${6:+clicks:f8} ${6-} >broken.model
    ask 2 1 >round
    fails_on round 1 "$1" update -a memory -m broken.model
}

@test "a damaged model is refused" {
    broken 'update: model broken.model: model: key 1 is 7, but must be above 7: keys must rise' '7 7' '1 1' '1 1' '1 1 0 0 0'
    broken 'update: model broken.model: model: key 0 is 0, but must be above 0: *' 0 1 1 '1 1 0 0 0'
    broken 'update: model broken.model: model: pair 1 has -1 answers *' '7 8' '1 -1' '1 1' '1 1 0 0 0'
    broken 'update: model broken.model: model: pair 0 has nan answers *' 7 nan 1 '1 1 0 0 0'
    broken 'update: model broken.model: model: pair 0 has 1 answers with the sum inf: *' 7 1 inf '1 1 0 0 0'
    broken 'update: model broken.model: model: moments 2 is -1, below 0' 7 1 1 '1 1 -1 0 0'
    zeros=$(printf ' 0%.0s' {1..33})
    broken 'update: model broken.model: model: clicks 0 is 1, above 0' 7 1 1 '1 1 0 0 0' "1$zeros"
    broken 'update: model broken.model: model: clicks 33 is -1, below 0' 7 1 1 '1 1 0 0 0' "$zeros -1"
    broken 'update: model broken.model: *clicks*' 7 1 1 '1 1 0 0 0' "$zeros"
    more=$(printf ' 0%.0s' {1..183})
    broken 'update: model broken.model: model: clicks 216 is -1, below 0' 7 1 1 '1 1 0 0 0' "$zeros$more -1"
    broken 'update: model broken.model: model: gained 0 is -3: it must be from -2 to 2' 7 1 1 '1 1 0 0 0' "$zeros 0 gainers:u8 7 gained:f8 -3"
    broken 'update: model broken.model: *moments*' 7 1 1 '1 1 0 0'
    broken 'update: model broken.model: *sums*' '7 8' '1 1' 1 '1 1 0 0 0'
}

@test "a mean or an index that is not finite is an error, and nothing is shown by it" {
    mkstream round t=1 qid=q docs=2 dim=1 x:f4 1 100 >round
    known() { # WIDTH LEVEL SQUARES
        mkstream model learner=memory rounds=1 dim=1 tradeoff=10 width=$1 seed=1 w:f8 0 inverse:f8 1 0 1 0 0 1 \
            level:f8 $2 constant:f8 0 moments:f8 1 $3 0 0 0 keys:u8 7 answers:f8 1 sums:f8 1 >m
    }
    known 4 1e307 1
    fails_on round 1 'score: <stdin>: round 1 (qid q): document 0 scores inf: what is remembered of it is not finite: *' \
        score -m m
    [ ! -s out ]
    known 1e308 1 1e300
    fails_on round 1 'score: <stdin>: round 1 (qid q): document 0 scores inf: its index is too large: use a smaller width' \
        score -m m
    [ ! -s out ]
    known 4 1 1
    score -m m <round
}

# ---- the file and the ring ----

@test "explore -p index shows the document with the largest index on top" {
    # of two documents alike, document 0 was answered by 1: z.v = 2/3, s2 = 1/3, sb = 1/2. It has the
    # mean (2/3 + 3) / 4 and the index 1 more; document 1 has 2/3, and 2 more
    mkstream round t=1 qid=q docs=2 dim=1 order:u4 0 1 seen:f4 1 x:f4 1 1 >first
    mkstream round t=1 qid=q docs=2 dim=1 x:f4 1 1 >again
    update -a memory -p -C 1 <first >m
    for seed in 1 2 3; do
        is "$(score -m m <again | explore -p index -s $seed | bin2txt -f rank | head -n 1 | cut -f 4)" 1
    done
}

@test "score says how many places users judge, and explore shows by worth for so many" {
    stored_rounds
    replay -n 60 -s 1 dense | explore -g 1 | feedback-mask -k 3 | update -a memory -m m
    replay -n 3 dense | score -m m >scored
    is "$(values_of judged <scored | sort -u)" 3
    is "$(values_of worth <scored | wc -l)" "$(values_of score <scored | wc -l)"
    explore <scored | bin2txt -f rank >got
    explore -p worth -k 3 <scored | bin2txt -f rank | same got /dev/stdin
    # the mean of all rounds, rounded
    for last in 70 80 90 100 120; do
        replay -b $((last - 9)) -n $last -s 1 dense | explore -g 1 | feedback-mask -k 1 |
            update -a memory -m m 2>resumed
        rounds=$((rounds + 10))
        is "$(replay -n 3 dense | score -m m | values_of judged | sort -u)" \
            "$(column m answers | tr ' ' '\n' | awk -v n=$((60 + rounds)) '{ s += $1 }
                END { print int(s / n + 0.5) }')"
    done
    # a score of another learner removes both
    replay -n 9 dense | update -a squared -e 0.1 >other
    score -m other <scored | bin2txt -f values >again
    run -1 grep -E 'worth|judged' again
}

@test "score -r takes a new memory, and the old one is gone" {
    stored_rounds
    update -a memory <dense >one
    replay -n 90 dense | update -a memory >two
    cp one m
    mkfifo in
    score -r -m m <in >scored &
    exec 5>in
    cat dense >&5
    for _ in $(seq 100); do [ "$(wc -c <scored)" -gt 1000 ] && break; sleep 0.05; done
    cp two m.new && mv m.new m
    cat dense >&5
    exec 5>&-
    wait
    { score -m one <dense && score -m two <dense; } >parts
    replay parts >want
    replay scored >got
    same want got
}

# measured ROUNDS: runs a ring whose messages pass through `messages`.
measured() {
    rm -f messages
    tee messages <up >down &
    replay -n "$1" -s 1 dense | score -f down | explore | feedback-mask -k 1 |
        timeout -s KILL 60 update -a memory -f up -m "m.$1"
    wait
}

@test "messages of the ring do not grow with the memory" {
    stored_rounds
    mkfifo up down
    measured 20
    few=$(bin2txt -f head messages | sed -n 's/.* bytes=//p' | sort -n | tail -n 1)
    measured 2000
    bin2txt -f head messages >heads
    is "$(wc -l <heads)" 2001
    is "$(sed 's/.* bytes=//' heads | sort -n | tail -n 1)" "$few"
    is "$(sed -n 's/.*,keys:u8\[\([0-9]*\)].*/\1/p' heads | sort -u | paste -sd ' ' -)" '0 1'
    [ "$(bin2txt -f memory m.2000 | wc -l)" -gt 100 ]
}

@test "with many answers a round each entry that changed is sent once" {
    stored_rounds
    mkfifo up down
    tee messages <up >down &
    replay -n 60 -s 1 dense | score -f down | explore | feedback-mask -k all |
        timeout -s KILL 60 update -a memory -f up -m m
    wait
    bin2txt -f head messages | sed -n 's/.*,keys:u8\[\([0-9]*\)].*/\1/p' | sed 1d >sent
    replay -n 60 -s 1 dense | bin2txt -f head | sed 's/.* docs=\([0-9]*\) .*/\1/' >docs
    same docs sent
}

@test "a loop goes on from a memory that it has, with rounds on their way" {
    stored_rounds
    for window in 1 7; do
        replay -n 50 -s 1 dense | explore -g 1 | feedback-mask | update -a memory -m ring.model
        cp ring.model loop.model
        replay -b 51 -n 120 -s 1 dense | score -f ring -w $window | explore | metric -t ring.table ndcg |
            feedback-mask | timeout -s KILL 60 update -a memory -f ring -m ring.model 2>/dev/null
        loop "replay -b 51 -n 120 -s 1 dense | score -w $window | explore | metric -t loop.table ndcg |
            feedback-mask | update -a memory -m loop.model" 2>/dev/null
        same ring.model loop.model
        same ring.table loop.table
        rm ring.model
    done
}

# ---- as text ----

@test "bin2txt -f memory: by key, and with a stream by qid and document" {
    named a b c | svm2bin >abc
    named a b c | svm2bin -C >rows
    update -a memory <abc >m
    bin2txt -f memory m >keys
    is "$(wc -l <keys)" 6
    is "$(cut -f 1 keys)" "$(bin2txt m | sed -n 's/^keys\t[0-9]*\t//p')"
    bin2txt -f memory m abc >names
    is "$(cut -f 2- names)" "$(printf '%s\n' '1 2 1 a' '1 0 1 b' '1 1 1 c' '1 2 2 a' '1 0 2 b' '1 1 2 c' |
        tr ' ' '\t')"
    is "$(cut -f 1-3 names | sort -n)" "$(cat keys)"
    is "$(bin2txt -f memory m rows | wc -l)" 0 # they have no names
    # a stream of both; and two models, the first without rounds
    is "$(cat m abc | bin2txt -f memory)" "$(cat names)"
    is "$(cat m m abc | bin2txt -f memory)" "$(cat keys names)"
    fails 1 'bin2txt: abc: round 1 (qid 1): no model comes before the round: *' bin2txt -f memory abc
    update -a ridge <abc >ridge.model
    fails 1 'bin2txt: ridge.model: *the model is of the learner ridge: only the learner memory *' \
        bin2txt -f memory ridge.model
}

@test "under valgrind a memory is clean, and leaves nothing" {
    slow
    command -v valgrind || skip "no valgrind here"
    not_sanitized "valgrind cannot run them"
    VALGRIND='valgrind -q --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all --error-exitcode=9'
    named a b c | svm2bin >rounds
    $VALGRIND loop 'replay -n 9 rounds | score | explore | feedback-mask -k 2 | update -a memory -m m'
    $VALGRIND loop 'replay -b 10 -n 15 rounds | score -w 3 | explore | feedback-mask -k 2 |
        update -a memory -m m' 2>/dev/null
    $VALGRIND score -r -m m <rounds >scored
    $VALGRIND bin2txt -f memory m rounds >text
    [ "$(wc -l <text)" = 6 ]
}

@test "a model of before knows its queries by rows, or by names, as it did; others by features" {
    for way in -C ''; do
        named a b c | svm2bin $way >abc
        mkstream round t=1 qid=1 docs=3 dim=0 label:f4 2 0 1 >rows
        update -a memory <abc >new
        { # the same pairs, with the keys of rows, and no key keys=
            if [ -n "$way" ]; then update -X -a memory <rows; else cat new; fi
        } | uncrc | sed 's/ keys=[a-z,]*//; s/ features=0//' >old
        named c b a | svm2bin >cba
        bin2txt -f memory old cba | awk -F '\t' '$4 == 1 { print $2 ":" $3 ":" $5 }' >got
        if [ -n "$way" ]; then # row 0 had the answer 2, whatever its name
            is "$(paste -sd ' ' got)" '1:2:c 1:0:b 1:1:a'
        else
            is "$(paste -sd ' ' got)" '1:1:c 1:0:b 1:2:a'
        fi
    done
}

# ---- bounds, and forgetting ----

# traffic [OPTION]: rounds of 40 queries with 5 documents each, by a Zipf law, 600 of them, by svm2bin
# with this option.
traffic() {
    awk 'BEGIN { for (q = 1; q <= 40; q++) for (d = 0; d < 5; d++)
        print (q + d) % 3, "qid:" q, "1:" (q * 7 + d * 13) % 11, "2:" d " # d" d }' | svm2bin "$@" >q.bin
    replay -z 1 -n 600 q.bin
}

@test "pairs= keeps so many pairs and no more queries, the same in pipes, in loop and resumed" {
    traffic >rounds
    LOOP='score -w 3 | explore | feedback-mask -k 2'
    loop "$LOOP | update -a memory -m all" <rounds
    [ "$(bin2txt -f memory all | wc -l)" -gt 100 ]
    loop "$LOOP | update -a memory,pairs=25,age=90 -m one" <rounds
    is "$(bin2txt -f memory one | wc -l)" 25
    [ "$(bin2txt -f head one | sed 's/.*queries:u8\[\([0-9]*\).*/\1/')" -le 25 ]
    mkfifo ring
    score -f ring -w 3 <rounds | explore | feedback-mask -k 2 | update -a memory,pairs=25,age=90 -f ring -m two
    same one two
    # resumed, of rounds that were shown
    score -m all <rounds | explore | feedback-mask -k 2 >seen
    update -a memory,pairs=25,age=90 -m one -n <seen
    rm two
    { replay -n 250 seen; } | update -a memory,pairs=25,age=90 -m two
    replay -b 251 -n 600 seen | update -a memory,pairs=25,age=90 -m two
    same one two
    # a bound may come later, and stays
    update -X -a memory,pairs=10 -m all <q.bin
    is "$(bin2txt -f memory all | wc -l)" 10
    update -X -a memory -m all <q.bin
    is "$(bin2txt -f memory all | wc -l)" 10
}

@test "resumed, in pipes and in loop: the same bytes, with names, without, with prior, pairs and age" {
    traffic >named
    traffic -C >unnamed
    [ "$(bin2txt -f head named | grep -c name:)" = 600 ]
    bin2txt -f head unnamed | grep name: && false
    update -X -a ridge -m w.bin <q.bin
    mkfifo ring
    for run in 'named memory' 'unnamed memory' 'unnamed memory,prior=w.bin' 'named memory,pairs=25,age=90' \
        'unnamed memory,prior=w.bin,pairs=25,age=90' 'named memory,clicks,pairs=25,clients=3'; do
        rounds=${run% *} learner=${run#* }
        in_loop() { # MODEL STREAM OPTION...: of replay
            loop "replay ${*:3} $rounds | score | explore | feedback-mask -k 2 | spool $2 | update -a $learner -m $1"
        }
        in_pipes() {
            replay "${@:3}" $rounds | score -f ring | explore | feedback-mask -k 2 | spool $2 |
                update -a $learner -f ring -m $1
        }
        rm -rf one two three ./*.log
        in_loop one one.log
        in_pipes two two.log
        same one two
        in_loop three three.log -n 150
        in_pipes three three.log -b 151 -n 151
        in_pipes three three.log -b 152 -n 400
        in_loop three three.log -b 401 -n 600
        same one three
        for log in one two three; do spooled $log.log >$log.seen; done
        same one.seen two.seen
        same one.seen three.seen
    done
}

@test "a model's file, of many pieces, has the bytes that go through a pipe" {
    synth -n 150 -l 1000 -d 3 linear >rounds
    for learner in memory memory,pairs=140000; do
        update -n -a $learner -m model <rounds
        update -a $learner <rounds | cat >piped
        same model piped
        bin2txt -f check model
    done
    [[ $(head -n 1 model) == *,keys:u8[[]140000]*,queries:u8[[]150]*,dropped:u8[[]* ]]
    head -n 1 piped | grep ' crc='
}

@test "a pair that made way counts as one answer, high or low, until it is forgotten" {
    awk 'BEGIN { for (d = 0; d < 5; d++) print d % 2, "qid:q 1:" d / 4, "2:" (d * d) % 5 " # d" d }' | svm2bin >q.bin
    scores() { score -m "$1" <q.bin | explore | bin2txt -f rank | awk '{ print $4, $5 }' | sort; }
    update -a memory <q.bin >all
    update -a memory,pairs=1 <q.bin >one
    is "$(bin2txt -f memory one | wc -l)" 1
    is "$(column one w)" "$(column all w)"
    is "$(scores one)" "$(scores all)" # labels are 0 and 1: so are the means of what is low and high
    awk 'BEGIN { print "qid:q # d1" }' | svm2bin -u | tee d1.bin | update -r documents -m one
    update -r documents -m all <d1.bin
    is "$(scores one)" "$(scores all)"
    printf 'qid:q # d1\n' | svm2bin -u | update -r queries -m one
    [[ $(bin2txt -f head one) != *dropped* ]]
    # queries are bounded, too: the one that comes least often goes, with what is left of its pairs
    bin2txt q.bin | sed 's/qid:q/qid:r/' | svm2bin | cat q.bin - | update -X -a memory,pairs=1 -m two
    is "$(bin2txt -f head two | sed 's/.*queries:u8.\([0-9]*\).*dropped:u8.\([0-9]*\).*/\1 \2/')" '1 1'
}

@test "pairs= keeps the pairs of queries that come, and age= drops those that do not" {
    for t in $(seq 30); do
        mkstream round t=$t qid=often docs=1 dim=1 name:u1 97 0 order:u4 0 seen:f4 1 x:f4 1
        mkstream round t=$t qid=once$t docs=1 dim=1 name:u1 97 0 order:u4 0 seen:f4 1 x:f4 1
    done >rounds
    update -a memory,pairs=3 <rounds >m
    bin2txt -f memory m rounds | cut -f 4 | sort -u >got
    is "$(LC_ALL=C sort got | paste -sd ' ' -)" 'often once29 once30'
    update -a memory,age=10 <rounds >m
    bin2txt -f memory m rounds | cut -f 4 | sort -u >got
    is "$(wc -l <got)" 7 # often, and those of the rounds 50, 52, ... 60
}

@test "update -r forgets a query or documents, whatever their names" {
    { named a b c; printf '1 qid:%s 1:1 # $(touch,bad)\n0 qid:%s 2:1 # -rf\n' '*' '*'; } | svm2bin >abc
    update -a memory <abc >m
    cp m n
    printf 'qid:1\n' | svm2bin -u | update -r queries -m m 2>err
    grep -q 'update: forgot 3 pairs' err
    is "$(bin2txt -f memory m abc | cut -f 4 | sort -u | paste -sd ' ' -)" '* 2'
    is "$(bin2txt -f head m | sed 's/.*queries:u8\[\([0-9]*\).*/\1/')" 2
    is "$(column m w)" "$(column n w)"
    printf 'qid:* # $(touch,bad)\nqid:2 # b\nqid:2 # z\n' | svm2bin -u | update -r documents -m m 2>err
    grep -q 'update: forgot 2 pairs' err
    is "$(bin2txt -f memory m abc | cut -f 5 | paste -sd ' ' -)" 'a c -rf'
    # without names, by features
    named a b c | svm2bin -C >abc
    update -a memory <abc >m
    named b | svm2bin -C | update -r documents -m m
    is "$(bin2txt -f memory m | wc -l)" 4
    fails 1 'update: nowhere: no such file' sh -c 'update -r queries -m nowhere <abc'
}

# ---- a start at the engine's order ----

# with_base [OPTION]: 40 rounds of 30 documents, whose base is the order by the sum of their features.
with_base() {
    seq 5 | sed 's/$/\t1/' | weights2bin >sum
    synth -n 40 -l 30 -d 5 linear | bin2txt | svm2bin "$@" | score -b sum
}

@test "before the first answer a list is the engine's, exactly, whoever learns" {
    with_base >ranked.bin
    for learner in memory memory,plain memory,rho=1 ridge; do
        rm -rf w shown
        loop "score | explore | spool shown | feedback-mask -k 1 | update -a $learner -m w" <ranked.bin
        spooled shown >all
        is "$(values_of order <all | head -n 30)" "$(values_of base <all | head -n 30)"
        bin2txt -f head w | grep -q ' made=scale,base .*features=5 '
    done
}

@test "a base: resumed, in pipes and in loop the same bytes; shares add up to one run" {
    with_base -C >q.bin
    mkfifo ring
    for learner in memory memory,plain memory,clients=3 ridge; do
        rm -rf one two log
        shown="-p top -g .2"
        [[ $learner != *clients* ]] || shown="-B .37" # by held, which comes from who answered
        loop "replay -n 300 -s 1 q.bin | score | explore $shown | feedback-mask -k 2 | spool log | update -a $learner -m one"
        spooled log >seen
        replay -n 300 -s 1 q.bin | score -f ring | explore $shown | feedback-mask -k 2 |
            update -a $learner -f ring -m two
        same one two
        replay -n 120 seen | update -a $learner -m three
        replay -b 121 -n 300 seen | update -a $learner -m three
        same one three
        rm three
        for i in 1 2 3; do update -a $learner -i $i/3 <seen >share.$i; done
        add-models share.[123] >sum
        paste <(bin2txt sum) <(bin2txt one) | awk '
            $1 ~ /^(w|level|counted|inverse|constant)$/ { d = $3 - $6; n++; if (d < -1e-9 || d > 1e-9) exit 1 }
            END { exit n < 10 }'
    done
}

@test "with a base all rounds need it; a model without goes on without, and says so once" {
    with_base >q.bin
    synth -n 40 -l 30 -d 5 linear >bare.bin
    update -X -m with <q.bin
    fails_on bare.bin 1 'update: resuming from round 40 of with
update: <stdin>: round 1*: the step base needs the column base, the order of the search engine: *' \
        update -X -m with
    fails_on bare.bin 1 'score: <stdin>: round 1*: the step base needs the column base*' score -m with
    update -X -m without <bare.bin
    update -X -m without <q.bin 2>err
    is "$(grep -c 'learn anew by -x scale,base (a service: rankpipe service rebuild' err)" 1
    bin2txt -f head without | grep -q ' made=scale '
    update -X -x scale -m plain <q.bin 2>err
    is "$(cat err)" ''
    # a base by one model all the time is no other one, in loop too, where headers are stored
    loop 'replay -n 90 q.bin | score | explore | feedback-mask -k 1 | update -m same' 2>err
    is "$(cat err)" ''
    # another base than that of the rounds before
    score -b without <q.bin >other.bin
    update -X -m with <other.bin 2>err
    is "$(grep -c 'a model ordered its base, but .*another model' err)" 1
    bin2txt -f head with | grep -q " based=$(bin2txt -f head sum | sed 's/.* crc=\([0-9a-f]*\).*/\1/') "
}

@test "strength= holds the features that are not the base, and needs a base or a prior" {
    with_base >q.bin
    update -X -a memory,strength=1e12 -m held <q.bin
    update -X -a memory -m free <q.bin
    largest() { bin2txt "$1" | awk '$1 == "w" && $2 > 1 && $3 ^ 2 > m { m = $3 ^ 2 } END { print sqrt(m) < 1e-6 }'; }
    is "$(largest held)$(largest free)" 10
    update -X -a memory,strength=5000 <q.bin >named
    is "$(bin2txt named | grep '^w')" "$(bin2txt free | grep '^w')"
    synth -n 3 -l 3 -d 2 linear >bare.bin
    fails_on bare.bin 1 'update: <stdin>: round 1*: strength is that of a prior, or of a base: give prior=model, or rounds with the column base' \
        update -X -a memory,strength=5
}

# told [CLIENT]: a round of query q with a base, from this client, with a click on the first of two.
told() {
    mkstream round t=1 qid=q ${1:+client=$1} clicks=1 docs=2 dim=1 base:u4 0 1 order:u4 0 1 seen:f4 ${2:-1} 0 x:f4 1 2
}

# opened [KEY]: a model whose clicks foretell clicks: by their places they are 20 less likely.
opened() {
    mkstream model learner=memory rounds=1 dim=2 made=scale,base features=1 tradeoff=10 ${1-} width=4 seed=1 keys=features \
        w:f8 0 0 inverse:f8 1 0 1 0 0 1 0 0 0 1 0 0 0 0 1 level:f8 0 0 constant:f8 0 moments:f8 0 0 0 0 0 \
        keys:u8 answers:f8 sums:f8 clicks:f8 $(printf '0 %.0s' {1..214}) -20 0 0
}

# held_by MODEL: what the column held is for the two documents.
held_by() {
    told a | score -m "$1" | values_of held | xargs
}

# lead MODEL: by how much clicks are foretold by clicks, and not by places.
lead() {
    column "$1" clicks | awk '{ for (i = 2; i <= 14; i++) if ($i > $1) $1 = $i; printf "%.9f\n", $1 - $215 + $216 }'
}

# consistent QUERY CLIENT DAY ROUNDS: always the same of two documents is clicked, wherever it stands.
consistent() {
    local key="qid=$1 time=$((86400000 * $3 + 5)) ${2:+client=$2} clicks=1 docs=2 dim=0"
    { mkstream round t=1 $key order:u4 0 1 seen:f4 1 0; mkstream round t=2 $key order:u4 1 0 seen:f4 0 1; } | replay -n $4 -
}

@test "held: 3 until clicks foretell clicks, then 1 until users said enough of a document or its query" {
    told a | update -a memory -m m
    is "$(held_by m)" '3 3'
    opened >m
    is "$(held_by m)" '1 1'
    # a is 2: two clicks on the query's documents, or two answers about one document, release
    for values in '1 1' '0.9 0.9' '1 0 0'; do
        opened rho=0.5 >m
        for value in $values; do
            told a $value | update -a memory,rho=0.5 -m m 2>resumed
            held_by m
        done
    done >got
    is "$(paste -sd , got)" '1 1,0 0,1 1,0 1,1 1,0 1,0 1'
}

@test "the gate: a query, and a client, say at most 2 for it or against it in a day" {
    # one query, and one client of many queries
    consistent q '' 1 300 | update -a memory -m m
    is "$(lead m) $(column m gained)" '2.000000000 2'
    for q in 1 2 3 4 5 6; do consistent $q me 1 40; done | update -a memory -m n
    is "$(lead n)" 2.000000000
    # on other days, by other queries, and by other clients
    for day in 2 3 4; do consistent q '' $day 300 | update -a memory -m m 2>resumed; done
    is "$(lead m)" 8.000000000
    for q in 1 2 3 4 5 6; do consistent $q you$q 1 40; done | update -a memory -m n 2>resumed
    is "$(lead n)" 12.000000000
    is "$(column n gained | tr ' ' '\n' | sort | uniq -c | xargs)" '1 0 12 2' # 0: the first query's second client
    # an earlier day is no new one, and a round without a time is of the day that is
    for day in 1 2 3; do consistent q '' $day 300 | update -a memory -m m 2>resumed; done
    is "$(lead m)" 8.000000000
    # unless it is so much earlier that a clock was wrong: one round of the year 2100 stops no other
    cp m ahead
    consistent q '' 47500 1 | update -a memory -m ahead 2>resumed
    for day in 5 6; do consistent q '' $day 300 | update -a memory -m ahead 2>resumed; done
    is "$(lead ahead)" 12.371563556 # 8, ln((.95 / .5 + 1) / 2) of the round of 2100, and 2 a day
    consistent q '' 30 1 | update -a memory -m m 2>resumed
    is "$(column m clicks | cut -d ' ' -f 217)" 30
    consistent q '' 0 300 | update -a memory -m m 2>resumed
    is "$(column m clicks | cut -d ' ' -f 217)" 30
    # a sum of shares has no day
    consistent a '' 1 40 | update -a memory >a
    consistent b '' 1 40 | update -a memory >b
    add-models a b >sum
    is "$(lead sum) $(column sum gainers)" '4.000000000 '
    [ "$(column a gainers | wc -w)" = 1 ]
}

@test "the gate: at most 100 are kept, and users whose clicks depend on places shut it" {
    for q in $(seq 60); do consistent $q '' 1 60; done | update -a memory -m m
    is "$(lead m)" 100.000000000
    # place 1 alone is clicked
    for q in $(seq 60); do
        for o in '0 1' '1 0'; do
            mkstream round t=1 qid=$q time=86400005 clicks=1 docs=2 dim=0 order:u4 $o seen:f4 1 0
        done | replay -n 20 -
    done | update -a memory -m m 2>resumed
    [ "$(lead m | cut -d . -f 1)" -lt 8 ]
}

@test "a model of an earlier version goes on: its sums stay, and clicks foretell until they do not" {
    awk 'BEGIN { x = 7; for (q = 1; q <= 40; q++) for (d = 1; d <= 8; d++) { x = (x * 16807) % 2147483647
        print (x % 7 == 0) + (x % 31 == 0), "qid:" q, "1:" x % 11 + 8 * (x % 7 == 0), "# d" d } }' | svm2bin -e >q.bin
    for user in navigational place; do
        cp "$ROOT/tests/fixtures/clicks-34.model" $user
        loop "replay -b 1501 -n 2000 -s 1 q.bin | score | explore -B .37 | feedback-mask -L 2 -c $user | update -m $user" 2>err
        score -m $user <q.bin | values_of held | sort -u | xargs
    done >got
    is "$(cat got)" "$(printf '0\n3')"
    # none of the six next 500 lists is worse than those of a model that begins anew
    cp "$ROOT/tests/fixtures/clicks-34.model" old
    for model in old new; do
        loop "replay -b 1501 -n 4500 -s 1 q.bin | score | explore -B .37 | metric -q -t $model.tsv ndcg@10 |
            feedback-mask -L 2 -c navigational | update -a memory -m $model" 2>err
        awk -F '\t' 'NR > 1 { sum += $3 } NR > 1 && (NR - 1) % 500 == 0 { print sum / 500; sum = 0 }' $model.tsv >$model.means
    done
    [ "$(paste old.means new.means | awk '$1 > $2 - .005' | wc -l)" = 6 ]
    cp "$ROOT/tests/fixtures/clicks-34.model" m
    mkstream round t=1501 qid=new clicks=1 docs=1 dim=1 base:u4 0 order:u4 0 seen:f4 0 x:f4 1 | update -m m 2>err
    is "$(lead m)" 20.000000000
    is "$(column m clicks | cut -d ' ' -f 1-24)" "$(column "$ROOT/tests/fixtures/clicks-34.model" clicks | cut -d ' ' -f 1-24)"
}

# near MODEL: how many of the two documents stay within three places.
near() {
    held_by "$1" | grep -o 2 | wc -l
}

@test "clients=: until so many clients answered a query, its documents stay within three places" {
    # the same client counts once; one that is not known is another each time
    opened >m
    for client in a a b '' c ''; do
        told $client | update -a memory,clients=3 -m m 2>resumed
        near m || true
    done >got
    is "$(xargs <got)" '2 2 2 0 0 0'
    is "$(told a | sed 's/qid=q/qid=p/' | score -m m | values_of held | xargs)" '2 2'
    # hashes of 32 bits, two in each number; without the setting there are none
    [ "$(column m first)" -gt 4294967296 ] && [ "$(column m later)" -lt 4294967296 ]
    opened >n
    told a | update -a memory -m n 2>resumed
    is "$(column n clients)$(held_by n)" '1 1'
    # a run that goes on keeps the setting, or changes it
    told a | update -a memory -m m 2>resumed
    [[ $(bin2txt -f head m) == *' clients=3 '* ]]
    told a | update -a memory -O 4 -m m 2>resumed
    is "$(near m)" 2
    told d | update -a memory -m m 2>resumed
    is "$(near m || true)" 0
    # a query that is forgotten forgets who answered
    told a | update -r queries -m m 2>err
    is "$(column m clients)" ''
    is "$(near m)" 2
}

@test "held: 1 until a document's own answers weigh as much as all else, or five rounds were learnt" {
    printf '%s\n' '1 qid:a 1:1 # a' '0 qid:a 1:2 # b' '0 qid:a 1:3 # c' '1 qid:b 1:1 # a' '0 qid:b 1:2 # b' | svm2bin -e >q.bin
    loop "replay -n 14 q.bin | score | explore -p uniform -g 0 | spool log | feedback-mask -k 1 | update -a memory,rho=.4 -m w"
    spooled log >shown
    # of the first document n = 0, 1, 2, 3 ...: rho n reaches 1 with n = 3; and all go after five rounds
    is "$(bin2txt -f values shown | awk '$2 == "a" && $4 == "held" { printf "%s%s", $5, $3 == "c" ? " " : "" }')" \
        '111 111 111 011 011 000 000 '
    is "$(loop 'score -m w' <q.bin | values_of held | paste -sd ' ')" '0 0 0 0 0'
    bin2txt q.bin | svm2bin >bare.bin
    is "$(update -X <bare.bin | tee m >/dev/null; score -m m <bare.bin | values_of held)" ''
}
