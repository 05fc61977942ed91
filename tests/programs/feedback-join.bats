# feedback-join: what people said finds the round it is about, and nothing else.
load ../helper

# shown: what people were shown, as `shown`: rounds 1 a, 2 b, 3 c of 3, 2 and 2 documents.
shown() {
    small_text | svm2bin | explore -g 1 >shown
}

# answers_of MASKED: the relevances in a masked stream as lines of answers, by t.
answers_of() {
    bin2txt -f rank "$1" | awk -F '\t' '
        $1 != t { if (t) print t "\t" line; t = $1; line = "" }
        $6 != "-" { line = line (line == "" ? "" : " ") $6 }
        END { print t "\t" line }'
}

# many K: 40 explored rounds as `shown`, with labels; `masked` by -k K; its answers as `answers`.
many() {
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
    update -a listnet -e 0.1 <q.bin >listnet
    replay -n 40 -s 3 q.bin | score -m listnet | explore -g 0.5 >shown
    feedback-mask -k "$1" <shown >masked
    answers_of masked >answers
    [ "$(wc -l <answers)" = 40 ]
}

seen() { # of the stream on standard input: t, and the relevances in order
    bin2txt -f rank | awk -F '\t' '$1 != t { printf "%s%s:", (t ? "\n" : ""), $1; t = $1 }
        $6 != "-" { printf " %s", $6 } END { if (t) print "" }'
}

# ---- what comes out ----

@test "the labels of the documents shown, as answers, give the bytes of feedback-mask" {
    for k in 1 2 5 all; do
        many $k
        feedback-join answers <shown >out
        same masked out
        feedback-join -k $k answers <shown >out
        same masked out
    done
    grep -q ' gamma=0.5 ' masked # propensities and all
    grep -q 'greedy:u4' masked
}

@test "answers may come in any order, late, and from several files" {
    many 3
    for seed in 1 2 3; do
        awk -v seed=$seed 'BEGIN { srand(seed) } { print rand() "\t" $0 }' answers | sort -n |
            cut -f 2- >shuffled
        if cmp -s answers shuffled; then return 1; fi
        feedback-join shuffled <shown >out
        same masked out
    done
    for part in 1 2 0; do awk -v part=$part 'NR % 3 == part' answers >part.$part; done
    feedback-join part.2 part.0 part.1 <shown >out
    same masked out
}

@test "qids name rounds with -q, digits too" {
    many 2
    bin2txt -f head shown | sed 's/.* t=\([0-9]*\) qid=\([^ ]*\) .*/\1\t\2/' >names
    join -t "$(printf '\t')" <(sort names) <(sort answers) | cut -f 2- >by.qid
    feedback-join -q by.qid <shown >out
    same masked out
    printf '1 qid:10002 1:1\n0 qid:10002 2:1\n1 qid:2 1:1\n' | svm2bin | explore -g 1 >shown
    printf '2\t7\n10002\t5 4\n' >answers
    is "$(feedback-join -q answers <shown | seen)" '1: 5 4
2: 7'
}

@test "a qid with other bytes is named as its header has it" {
    printf '1 qid:K\303\244fer 1:1\n' | svm2bin | explore -g 1 >shown
    printf 'K%%C3%%A4fer\t1\n' >answers
    is "$(feedback-join -q answers <shown | seen)" '1: 1'
}

@test "labels are gone whether there is an answer for each place or not, features are as they were" {
    shown
    printf '1\t1\n2\t0 3\n3\t0\n' >answers
    feedback-join answers <shown >out
    is "$(seen <out)" '1: 1
2: 0 3
3: 0'
    is "$(bin2txt -f head out | grep -c label)" 0
    is "$(bin2txt out | cut -d ' ' -f 2-)" "$(bin2txt shown | cut -d ' ' -f 2-)"
    is "$(bin2txt out | cut -d ' ' -f 1 | sort -u)" '?'
    mkstream round t=1 docs=1 dim=0 label:f4 1 label-true:u1 1 mine:u1 1 \
        order:u4 0 >in
    feedback-join <(echo 1 0) <in >out
    is "$(head -n 1 out)" 'rankpipe/1 round t=1 docs=1 dim=0 cols=mine:u1[1],order:u4[1],seen:f4[1] bytes=9'
}

@test "rounds without labels, which people are for, sparse ones and fixed lists" {
    printf 'qid:a 1:1\nqid:a 9:1\nqid:b 2:1\n' | svm2bin -u | explore -g 1 >shown
    printf '2\t1\n1\t0 1\n' >answers
    is "$(feedback-join answers <shown | seen)" '1: 0 1
2: 1'
    printf '0 qid:a\n1 qid:a\n0 qid:b\n1 qid:b\n' | svm2bin | explore -g 1 >shown
    is "$(feedback-join -W answers <shown 2>/dev/null | seen)" '1: 0 1
2: 1'
}

@test "the blocks of a perturbed leader stay whole, however the answers come" {
    synth -n 200 noisy-binary | score -m <(mkstream model learner=ftpl rounds=0 dim=0 w:f8) |
        explore -p blocks -T 200 >shown
    feedback-mask <shown >masked
    answers_of masked | tac >answers
    feedback-join answers <shown >out
    same masked out
    update -a ftpl <masked >want
    update -a ftpl <out >got
    same want got
}

@test "a number is read as svm2bin reads labels" {
    printf '0.1 qid:a 1:1\n1e-3 qid:b 1:1\n16777217 qid:c 1:1\n+2.5E1 qid:d 1:1\n' | svm2bin |
        explore -g 1 >shown
    feedback-mask <shown >masked
    printf '1\t0.1\n2\t1e-3\n3\t16777217\n4\t+2.5E1\n' >answers
    feedback-join answers <shown >out
    same masked out
}

@test "tabs and spaces, CR LF, empty lines and a last line without LF" {
    shown
    printf '\n 1 \t 1  0\t2 \r\n\t\r\n2 0 3\r\n\n3\t0' >answers
    is "$(feedback-join answers <shown | seen)" '1: 1 0 2
2: 0 3
3: 0'
}

@test "an empty stream and no answers are an empty stream" {
    echo 'rankpipe/1 end rounds=0 bytes=0' >empty
    : >answers
    feedback-join answers <empty >out 2>err
    same empty out
    [ ! -s err ]
}

@test "features too large to be read go through pipes as they are, and those of dropped rounds nowhere" {
    wide() { # t label
        echo "round t=$1 docs=2 dim=30000 label:f4 $2 0 order:u4 1 0 x:f4 0.$1*60000"
    }
    # shellcheck disable=SC2046
    mkstream $(wide 1 1) + $(wide 2 2) + $(wide 3 3) + $(wide 4 4) >shown
    # shellcheck disable=SC2046
    mkstream $(wide 2 2) + $(wide 4 4) | feedback-mask -k 2 >want
    printf '4\t0 4\n2\t0 2\n3\t-\n' >answers
    # shellcheck disable=SC2002
    cat shown | feedback-join answers 2>/dev/null | cat >out
    same want out
    feedback-join answers <shown 2>/dev/null >out
    same want out
}

# ---- never answered ----

@test "rounds that are never answered are dropped and reported at the end, with exit 0" {
    shown
    printf '2\t0 3\n' >answers
    feedback-join answers <shown >out 2>err
    is "$(seen <out)" '2: 0 3'
    is "$(cat err)" 'feedback-join: 2 of 3 rounds without an answer; the first is round 1 (qid a)'
    is "$(tail -c 32 out)" 'rankpipe/1 end rounds=1 bytes=0'
    printf '2\t0 3\n1\t1\n' >answers
    feedback-join answers <shown 2>err | seen >out
    is "$(cat err)" 'feedback-join: 1 of 3 rounds without an answer; the first is round 3 (qid c)'
    printf '2\t0 3\n1\t1\n3\t1\n' >answers
    feedback-join answers <shown >out 2>err
    [ ! -s err ]
}

@test "- says that there will be no answer, and no round waits for one" {
    shown
    printf '1\t-\n2\t1\n3 - \n' >answers
    feedback-join answers <shown >out 2>err
    is "$(seen <out)" '2: 1'
    is "$(cat err)" 'feedback-join: 2 of 3 rounds without an answer; the first is round 1 (qid a)'
    printf '1\t-\n1\t1\n' >answers # given up is given up
    fails_on shown 1 "feedback-join: answers: line 2: a second answer for one round: '1'" feedback-join answers
    printf '1\t- 1\n' >answers
    fails_on shown 1 "feedback-join: answers: line 1: not a relevance *: '-'" feedback-join answers
}

# ---- answers that cannot be used: errors, or with -W warnings ----

# unusable PATTERN: an error with `answers`, and with -W a warning, after which `out` is what is left.
unusable() {
    fails_on shown 1 "feedback-join: $1" feedback-join "${@:2}" answers
    if tail -n 1 out | grep '^rankpipe/1 end'; then return 1; fi # no clean end
    feedback-join -W "${@:2}" answers <shown >stream 2>err
    # shellcheck disable=SC2254
    case $(head -n 1 err) in feedback-join:\ $1) ;; *) cat err && return 1 ;; esac
    seen <stream >out
}

@test "client= of an answer becomes the round's key client, and is checked" {
    printf 'request: r1\n1 qid:a 1:1\n\nrequest: r2\n1 qid:b 1:1\n' | svm2bin -l | explore -g 1 >two
    printf 'r2\tclient=5f3759df%%41 1\nr1\ttime=7 client=x 0\n' >answers
    feedback-join -r answers <two >joined
    is "$(values_of client <joined | paste -sd ' ' -)" 'x 5f3759df%41'
    is "$(bin2txt -f log joined | cut -f 1,10)" "request	client
r1	x
r2	5f3759dfA"
    bin2txt -f log joined >again
    is "$(log2bin -0 again | values_of client | paste -sd ' ' -)" 'x 5f3759dfA'
    for wrong in '' '%4' '%zz' "$(printf '%065d' 0)" "$(printf 'a\177')"; do
        printf 'r1\tclient=%s 1\n' "$wrong" >answers
        fails_on two 1 'feedback-join: answers: line 1: not a client: 1 to 64 bytes, written as in a qid: *' \
            feedback-join -r answers
    done
    printf 'r1\t1\nr2\t1\n' >answers # nobody says who
    is "$(feedback-join -r answers <two | values_of client)" ''
}

@test "clicks=1 of an answer becomes the round's key clicks, and stays with answers that are late" {
    printf 'request: r1\n1 qid:a 1:1\n\nrequest: r2\n1 qid:b 1:1\n' | svm2bin -l | explore -g 1 >two
    printf 'r1\ttime=7 client=x clicks=1 1\nr2 1\nr3 clicks=1 1\n' >answers
    feedback-join -r -l late answers <two >joined
    is "$(bin2txt -f head joined | grep -o ' client=x clicks=1 docs=1\| docs=1' | paste -sd :)" \
        ' client=x clicks=1 docs=1: docs=1'
    is "$(cat late)" "$(printf 'r3\tclicks=1\t1')"
    for wrong in clicks= clicks=0 clicks=2 clicks=11; do
        printf 'r1\t%s 1\n' $wrong >answers
        fails_on two 1 "feedback-join: answers: line 1: not clicks=1: 'clicks=${wrong#*=}'" feedback-join -r answers
    done
    printf 'r1\tclicks=1 0.25\nr2 2.5\n' >answers # of relevance, more than 1 is as good as ever
    is "$(feedback-join -r answers <two | values_of seen | paste -sd ' ')" '0.25 2.5'
    printf 'r1 2.5\nr2\tclicks=1 1.5\n' >answers
    fails_on two 1 "feedback-join: answers: line 2: not the value of a click (a number from 0 to 1): '1.5'" \
        feedback-join -r answers
}

# visits N [QUERIES]: N rounds of one document each, number I being of query I modulo QUERIES.
visits() {
    awk -v n=$1 -v queries=${2-1} 'BEGIN { for (i = 0; i < n; i++) print "1 qid:" i % queries " 1:1\n0 qid:" i % queries " 1:2\n" }' |
        svm2bin -k 2>/dev/null | replay -n $1 - | explore -o -g 1
}

@test "-u: so many answers of a client for a query count in a day; eight clicks leave the bytes of one" {
    visits 8 1 >shown
    seq 8 | sed 's/$/\tclient=a clicks=1 1 0/' >answers
    feedback-join -u 1 answers <shown 2>err | update >one
    is "$(cat err)" 'feedback-join: 7 of 8 rounds answered by a client that had its share of the day; the first is round 2 (qid 0)'
    head -n 1 answers >first
    replay -n 1 shown | feedback-join -u 1 first | update | cmp - one
    is "$(feedback-join -u 3 answers <shown 2>err | seen | cut -d : -f 1 | xargs)" '1 2 3'
    # another client, and one that is not known, count by themselves
    printf '%s\n' '1 client=a 1' '2 client=b 1' '3 client=a 1' '4 1' '5 1' '6 client=b 1' '7 -' '8 1' >answers
    is "$(feedback-join -u 1 answers <shown 2>err | seen | cut -d : -f 1 | xargs)" '1 2 4 5 8'
    # the next day counts anew, by the time of the answer where the round has none
    printf '%s\tclient=a 1\n' '1 time=0' '2 time=86399999' '3 time=86400000' '4 time=1' '5 time=172800001' |
        tr ' ' '\t' >answers
    is "$(feedback-join -u 1 answers <shown 2>err | seen | cut -d : -f 1 | xargs)" '1 3 5'
}

@test "-u: in all a client has 10 answers a day, or a hundredth of them; or as many as -u says" {
    for i in $(seq 40); do printf '1 qid:%s 1:1\n0 qid:%s 1:2\n' $i $i; done | svm2bin | explore -g 1 >shown
    seq 40 | sed 's/$/\tclient=a 1/' >answers
    is "$(feedback-join -u 1 answers <shown 2>err | seen | wc -l)" 10
    is "$(feedback-join -u 1:25 answers <shown 2>err | seen | wc -l)" 25
    grep -q 'feedback-join: 15 of 40 rounds answered by a client that had its share of the day; the first is round 26 ' err
    # 1,200 of others before it: twelve
    for i in $(seq 1240); do printf '1 qid:%s 1:1\n0 qid:%s 1:2\n' $i $i; done | svm2bin | explore -g 1 >shown
    { seq 1200 | sed 's/$/\t1/'; seq 1201 1240 | sed 's/$/\tclient=a 1/'; } >answers
    is "$(feedback-join -u 1 answers <shown 2>err | seen | wc -l)" 1212
}

@test "an answer to no round" {
    shown
    printf '1\t1\n99\t1\n2\t1\n3\t1\n' >answers
    unusable 'answers: line 2: an answer without a round: no round has t=99'
    is "$(cat out)" '1: 1
2: 1
3: 1'
    is "$(wc -l <err)" 1
    printf 'b\t1\nq\t1\na\t1\nc\t1\n' >answers
    unusable 'answers: line 2: an answer without a round: no round has qid=q' -q
    is "$(wc -l <out)" 3
}

@test "every answer that is to no round is a warning of its own, and every round before an error is there" {
    shown
    printf '9\t1\n1\t1\n8\t1\n7\t1\n2\t1\n3\t1\n6\t-\n' >answers
    feedback-join -W answers <shown >out 2>err
    is "$(sed 's/.*\(line [0-9]\): .* \(t=[0-9]\).*/\1 \2/' err)" 'line 1 t=9
line 3 t=8
line 4 t=7
line 7 t=6'
    fails_on shown 1 '*line 1: an answer without a round*' feedback-join answers
    is "$(grep -ac '^rankpipe/1 round\|rankpipe/1 round' out)" 3
}

@test "of many answers that cannot be used, the first ten are warnings, and then there is their number" {
    shown
    { printf '1\t1\n' && seq 11 20 | sed 's/$/\t1/' && printf '2\t1\n3\t1\n'; } >answers
    feedback-join -W answers <shown >out 2>err
    is "$(sed 's/.*\(line [0-9]*\): .*/\1/' err)" "$(seq 2 11 | sed 's/^/line /')" # ten, and no number
    { echo '1 x' && seq 30 40 | sed 's/$/\t1/' && printf '1\t1\n2\t1\n3\t1\n'; } >answers
    feedback-join -W answers <shown >out 2>err
    is "$(wc -l <err)" 11
    is "$(tail -n 1 err)" 'feedback-join: 12 answers could not be used; the first 10 are above'
    is "$(seen <out | wc -l)" 3
}

@test "a second answer, before its round has left and after" {
    shown
    printf '2\t1\n2\t2\n1\t1\n3\t1\n' >answers
    unusable "answers: line 2: a second answer for one round: '2'"
    is "$(cat out)" '1: 1
2: 1
3: 1'
    printf '1\t1\n2\t1\n3\t1\n1\t0\n' >answers
    unusable "answers: line 4: a second answer for one round: '1'"
    is "$(cat out)" '1: 1
2: 1
3: 1'
}

@test "a wrong count" {
    shown
    printf '1\t1 1 1\n2\t0 0 1\n3\t1\n' >answers
    unusable 'answers: line 2: the answer has 3 relevances for the 2 documents of round 2 (qid b)'
    is "$(cat out)" '1: 1 1 1
3: 1'
    is "$(sed 1d err)" 'feedback-join: 1 of 3 rounds without an answer; the first is round 2 (qid b)'
    unusable 'answers: line 1: the answer has 3 relevances, not 2, for round 1 (qid a)' -k 2
    printf '1\t1 1\n2\t0 1\n3\t1\n' >answers
    fails_on shown 1 'feedback-join: answers: line 1: the answer has 2 relevances, not 3, for round 1 (qid a)' \
        feedback-join -k 5 answers
    fails_on shown 1 'feedback-join: answers: line 1: the answer has 2 relevances, not 3, for round 1 (qid a)' \
        feedback-join -k all answers
    printf '1\t1 1 1\n2\t0 1\n3\t1 0\n' >answers # a shorter list: all of it
    is "$(feedback-join -k 5 answers <shown | seen | wc -l)" 3
    is "$(feedback-join -k all answers <shown | seen | wc -l)" 3
}

@test "lines that are no answers" {
    shown
    for relevance in x 1x -1 nan inf 0x1 1e99 1,2 1:2 . +; do
        printf '1\t0 %s\n2\t1\n3\t1\n' "$relevance" >answers
        unusable "answers: line 1: not a relevance (a finite number of at least 0): '$relevance'"
        is "$(cat out)" '2: 1
3: 1'
    done
    for key in 0 01 +1 -1 1.0 a 9007199254740992; do
        printf '%s\t0\n1\t1\n2\t1\n3\t1\n' "$key" >answers
        unusable "answers: line 1: not the number of a round (use -q if keys are qids): '$key'"
        is "$(wc -l <out)" 3
    done
    printf '1\t1\n2\n3\t1\n' >answers
    unusable "answers: line 2: no relevance after the key (- says that none will come): '2'"
    printf '1\t1\0\n2\t1\n3\t1\n' >answers
    unusable "answers: line 1: a NUL byte: *"
}

@test "after an error the rounds before it are whole, and update keeps what it learnt of them" {
    shown
    printf '1\t1 0 0\n2\tx\n' >answers
    feedback-join answers <shown 2>err | update -a squared -e 0.1 -m w 2>>err || true
    grep -q 'update: <stdin>: stream cut short after round 1$' err
    bin2txt -f head w | grep ' rounds=1 '
    fails 1 'loop: feedback-join: answers: line 2: not a relevance *' \
        loop 'replay shown | feedback-join answers | update -a squared -e 0.1 -m w2'
    same w w2
}

# ---- rounds that cannot be joined ----

@test "rounds that were not shown, or are answered already, or have no qid where one is needed" {
    printf '1\t1\n' >answers
    small_text | svm2bin >in
    fails_on in 1 'feedback-join: <stdin>: round 1 (qid a): needs the column order, *' feedback-join answers
    shown
    feedback-mask <shown >in
    fails_on in 1 'feedback-join: <stdin>: round 1 (qid a): the round already has an answer (the column seen)' \
        feedback-join answers
    printf '1 1:1\n' | svm2bin | explore -g 1 >in
    fails_on in 1 'feedback-join: <stdin>: round 1: the round has no qid, by which -q finds the answer' \
        feedback-join -q answers
    [ ! -s out ]
}

@test "two rounds by one name, for no answer may be about another list than the one it was given for" {
    shown
    cat shown shown >twice
    printf '1\t1\n2\t1\n3\t1\n' >answers
    fails_on twice 1 'feedback-join: <stdin>: round 1 (qid a): an earlier round has the same number, *' \
        feedback-join answers
    replay shown shown >twice
    printf 'a\t1\nb\t1\nc\t1\n' >by.qid
    fails_on twice 1 'feedback-join: <stdin>: round 4 (qid a): an earlier round has the same qid, *: join by t, without -q' \
        feedback-join -q by.qid
    fails_on twice 1 '*round 4*an earlier round has the same qid*' feedback-join -W -q by.qid # it is no answer's fault
    printf '4\t1\n5\t1\n6\t1\n' | cat answers - >six
    is "$(feedback-join six <twice | seen | wc -l)" 6
}

@test "a stream that is cut short, files that are not there, and wrong command lines" {
    shown
    printf '1\t1\n2\t1\n3\t1\n' >answers
    head -c 300 shown >cut
    fails_on cut 1 'feedback-join: <stdin>: stream cut short after round *' feedback-join answers
    fails_on shown 1 'feedback-join: cannot open nothing: *' feedback-join nothing
    fails_on shown 1 'feedback-join: cannot read .: *' feedback-join .
    for k in 0 -1 1.5 some '' 4294967296; do
        fails 2 "feedback-join: -k wants *, not '$k'*usage: feedback-join *" feedback-join -k "$k" answers
    done
}

# ---- FIFOs ----

@test "a FIFO: each round leaves when its answer is there, and not before" {
    shown
    mkfifo live
    feedback-join live <shown | tee out | bin2txt -f head >heads &
    exec 7>live
    until_heads() { # so many rounds have left
        local tries=500
        until [ "$(wc -l <heads)" = "$1" ]; do
            sleep 0.01
            [ $((tries -= 1)) -gt 0 ] || return 1
        done
    }
    printf '2\t0 3\n' >&7 # the second one's, early
    sleep 0.2
    is "$(wc -l <heads)" 0
    printf '1\t1\n' >&7
    until_heads 2
    sleep 0.1
    is "$(wc -l <heads)" 2
    printf '3\t1 0' >&7 # a person who is still typing
    sleep 0.1
    is "$(wc -l <heads)" 2
    printf '\n' >&7
    until_heads 3
    exec 7>&-
    wait
    is "$(seen <out)" '1: 1
2: 0 3
3: 1 0'
}

@test "a FIFO, slow and in pieces, gives the bytes of the file" {
    many 3
    tac answers >late
    feedback-join late <shown >want
    same masked want
    mkfifo live
    awk '{ print; if (NR % 10 == 0) { fflush(); system("sleep 0.05") } }' late >live &
    feedback-join live <shown >out
    same want out
    (for line in 1 2 3; do sed -n "$line~3p" answers; sleep 0.05; done) >live &
    feedback-join live <shown >out
    same want out
}

@test "a site: the log grows while people answer, or do not, and update keeps up" {
    shown
    mkfifo live
    : >log
    mkfifo follow
    tail -c +1 -f log >follow &
    tail=$!
    feedback-join live <follow 2>err | update -a squared -e 0.1 -c 1 -m w &
    exec 7>live
    learnt() { # so many rounds
        local tries=500
        until bin2txt -f head w 2>/dev/null | grep -q " rounds=$1 "; do
            sleep 0.01
            [ $((tries -= 1)) -gt 0 ] || return 1
        done
    }
    for t in 1 2 3; do
        replay -b $t -n $t shown >>log
        [ $t != 1 ] || continue # the first one never says a word
        printf '%s\t0 1\n' $t | tee -a answers >&7
        [ $t != 2 ] || sleep 0.2
        [ $t != 2 ] || [ ! -e w ]
        [ $t != 2 ] || printf '1\t-\n' | tee -a answers >&7 # and is given up
        learnt $((t - 1))
    done
    kill $tail
    exec 7>&-
    wait
    is "$(cat err)" 'feedback-join: 1 of 3 rounds without an answer; the first is round 1 (qid a)'
    feedback-join answers <shown 2>/dev/null | update -a squared -e 0.1 -m again
    same w again
}

@test "a FIFO whose writers come and go: no round is dropped while none of them has it open" {
    shown
    mkfifo live
    timeout 20 feedback-join live <shown >out 2>err &
    for t in 1 2 3; do
        printf '%s\t1\n' $t >live
        sleep 0.2
    done
    wait $!
    is "$(seen <out)" '1: 1
2: 1
3: 1'
    is "$(cat err)" ''
}

@test "a line - ends a FIFO or a file: what has no answer then is never answered" {
    shown
    mkfifo live
    printf '2\t1\n-\n' >live &
    timeout 20 feedback-join live <shown >out 2>err
    is "$(seen <out)" '2: 1'
    grep -q '2 of 3 rounds without an answer' err
    printf '2\t1\n - \n1\t1\n' >first
    printf '3\t1\n' >second
    feedback-join first second <shown >out 2>err
    is "$(seen <out)" '2: 1
3: 1'
    printf -- '- 1\n' >first # is no end
    fails_on shown 1 "feedback-join: first: line 1: not the number of a round *: '-'" \
        feedback-join first
}

@test "the reader of a pipe that no one else can open ends with it" {
    shown
    feedback-join <(printf '2\t1\n') <shown >out 2>err
    is "$(seen <out)" '2: 1'
    for file in /dev/stdin /proc/self/fd/0; do
        [ -e $file ] || continue
        printf '2\t1\n' | timeout 10 loop "replay shown | feedback-join $file >out" 2>err
        is "$(seen <out)" '2: 1'
    done
}

@test "a FIFO that has ended is closed once, and what is opened then stays open" {
    shown
    mkfifo live
    printf '1\t1\n2\t1\n-\n' >live &
    for t in 3 4; do printf '%s\t1\n' $t >$t; done
    timeout 10 loop 'replay -n 4 shown | feedback-join live 3 4 | spool -c 2 log >out'
    same <(spool -r log | uncrc) out
    is "$(seen <out)" '1: 1
2: 1
3: 1
4: 1'
}

@test "who waits for an answer sees that its reader is gone" {
    shown
    mkfifo live
    { timeout 20 feedback-join live <shown || echo $? >status; } | true &
    exec 7>live
    tries=500
    until [ -s status ]; do
        sleep 0.01
        [ $((tries -= 1)) -gt 0 ]
    done
    exec 7>&-
    wait
    is "$(cat status)" 141
}

@test "so does one whose FIFO nobody has opened yet" {
    shown
    mkfifo live
    { timeout 20 feedback-join live <shown || echo $? >status; } | true
    is "$(cat status)" 141
}

@test "a signal ends the waiting for who writes the FIFO, and loop saves what was learnt" {
    shown
    mkfifo live
    loop 'replay shown | feedback-join live | update -a squared -e 0.1 -m w' 2>err &
    tries=500
    until [ -e w.lock ]; do
        sleep 0.01
        [ $((tries -= 1)) -gt 0 ]
    done
    sleep 0.2
    kill -TERM $!
    got=0
    wait $! || got=$?
    is "$got" 143
    loop 'replay shown | feedback-join live | update -a squared -e 0.1 -m w' 2>err &
    exec 7>live
    printf '1\t1 0 0\n' >&7
    sleep 0.3
    kill -TERM $!
    got=0
    wait $! || got=$?
    exec 7>&-
    is "$got" 143
    bin2txt -f head w | grep ' rounds=1 '
}

@test "a ring where each round is answered before the next is asked for" {
    many 2
    run=(-a squared -e 1e-3 -U 2)
    mkfifo ring live shows
    replay -n 40 -s 3 q.bin | score -f ring | explore -g 0.5 | feedback-mask -k 2 |
        update "${run[@]}" -f ring -m want
    # The person: reads what is shown, a round at a time, and answers by its labels.
    replay -n 40 -s 3 q.bin | score -f ring | explore -g 0.5 | tee shows |
        feedback-join -k 2 live | timeout 20 update "${run[@]}" -f ring -m got &
    bin2txt -f rank <shows | while IFS=$(printf '\t') read -r t _ place _ _ relevance; do
        [ "$place" != 1 ] || first=$relevance
        [ "$place" != 2 ] || printf '%s\t%s %s\n' "$t" "$first" "$relevance"
    done >live
    wait
    same want got
}

# ---- requests, times and late answers ----

# timed N: rounds 1 to N, round t of request r$t at 10 t seconds, in timed.bin.
timed() {
    small_text | svm2bin >q.bin
    replay -n "$1" q.bin | explore -g 1 |
        LC_ALL=C sed 's/ t=\([0-9]*\) qid=[^ ]*/& request=r\1 time=\10000/' >timed.bin
}

@test "-r: answers name rounds by request, whatever their numbers, over many streams" {
    timed 6
    cat timed.bin timed.bin | LC_ALL=C sed '/end rounds=6/,$s/request=r/request=s/' >two.bin
    { for t in 3 1 2 6 5 4; do printf 's%s\t1\nr%s\t0\n' $t $t; done; } >answers
    is "$(feedback-join -r answers <two.bin | seen | xargs)" \
        '1: 0 2: 0 3: 0 4: 0 5: 0 6: 0 1: 1 2: 1 3: 1 4: 1 5: 1 6: 1'
    cat timed.bin timed.bin >twice.bin
    fails_on twice.bin 1 'feedback-join: <stdin>: round 1 (qid a): an earlier round has the same request, so an answer could be for either: join by t, without -r' \
        feedback-join -r answers
    shown
    fails_on shown 1 'feedback-join: <stdin>: round 1 (qid a): the round has no request, by which -r finds the answer' \
        feedback-join -r answers
    printf 'r1\t1\nr1\t1\n' >answers
    fails_on timed.bin 1 "feedback-join: answers: line 2: a second answer for one round: 'r1'" \
        feedback-join -r answers
}

@test "-t: answers count up to their time, and are late from the next millisecond on" {
    timed 3
    printf '1\ttime=15000 1\n2\ttime=25001 0\n3\ttime=35000 2\n' >answers
    feedback-join -t 5 -l late answers <timed.bin >out 2>err
    is "$(seen <out | xargs)" '1: 1 3: 2'
    is "$(cat late)" "$(printf '2\ttime=25001\t0')"
    is "$(cat err)" 'feedback-join: 1 of 3 rounds without an answer; the first is round 2 (qid b)'
    feedback-join -t 5.001 -l late answers <timed.bin >out
    is "$(seen <out | xargs)" '1: 1 2: 0 3: 2'
    [ ! -s late ]
}

@test "-t: a round is given up when the log is later; one that may still be answered is left with all after it" {
    timed 4
    printf '1\ttime=12000 1\n-\ttime=26000\n4\ttime=35000 1\n2\ttime=35000 1\n' >answers
    feedback-join -t 5 -l late answers <timed.bin >out 2>err
    is "$(seen <out | xargs)" '1: 1'
    is "$(cat err)" 'feedback-join: 1 of 4 rounds without an answer; the first is round 2 (qid b)
feedback-join: 2 of 4 rounds left to a later run, because answers may still come; the first is round 3 (qid c)'
    is "$(sort late)" "$(printf '2\ttime=35000\t1\n4\ttime=35000\t1')"
    printf -- '-\ttime=45001\n' >>answers # the log of the next day
    feedback-join -t 5 -l late answers <timed.bin >out 2>err
    is "$(seen <out | xargs)" '1: 1 4: 1'
    is "$(cat late)" "$(printf '2\ttime=35000\t1')"
}

@test "-t on a FIFO: the clock of the log frees rounds that no one answers" {
    timed 3
    mkfifo live
    timeout 20 feedback-join -t 5 -l late live <timed.bin >out 2>err &
    printf '2\ttime=20500 1\n' >live
    sleep 0.1
    printf -- '-\ttime=99000\n' >live
    wait $!
    is "$(seen <out | xargs)" '2: 1'
}

@test "-t: the same log, cut anywhere, gives the beginning of the same rounds, and spool -a the rest" {
    timed 200
    awk 'BEGIN { srand(3); for (t = 1; t <= 200; t++) if (rand() < 0.8)
        printf "%d\ttime=%d %d\n", t, t * 10000 + int(rand() * 90000), t % 3 }' | sort -t= -k 2n >answers
    { cat answers; printf -- '-\ttime=9999999999\n'; } >whole
    feedback-join -t 60 -l late whole <timed.bin >want 2>err
    [ "$(seen <want | wc -l)" -gt 60 ]
    sort late >want.late
    for n in 0 3 10 50 51 120 165 200; do
        head -n $n whole >part
        feedback-join -t 60 -l late part <timed.bin 2>/dev/null | spool -a joined >/dev/null
    done
    feedback-join -t 60 -l late whole <timed.bin 2>/dev/null | spool -a joined >/dev/null
    spool -r joined | uncrc >got
    same want got
    sort late | cmp - want.late
    feedback-join -t 60 -l late <(cat whole) <timed.bin >again 2>/dev/null # as fast as it comes
    same want again
}

@test "-l keeps answers without a round for the next run, and may be read in the same run" {
    shown
    printf '1\t1\n9\t0.25 0 1e-05\n8\t-\n3\t1\n2\t1\n7\ttime=12 1\n' >answers
    feedback-join -l late answers <shown >out 2>err
    is "$(cat err)" ''
    is "$(cat late)" "$(printf '9\t0.25 0 9.99999975e-06\n8\t-\n7\ttime=12\t1')"
    : >more
    feedback-join -l late late more <shown >/dev/null 2>&1
    is "$(wc -l <late)" 3
    cp late before
    printf '1\tx\n' >wrong # what fails leaves the file as it was
    fails_on shown 1 '*not a relevance*' feedback-join -l late wrong
    same late before
    is "$(echo late*)" late
    feedback-join -l /dev/null answers <shown >out
    [ -c /dev/null ]
    fails_on shown 1 'feedback-join: cannot write no/where.new: *' feedback-join -l no/where answers
}

@test "times that cannot be used" {
    timed 3
    printf '1\t1\n' >answers
    fails_on timed.bin 1 "feedback-join: answers: line 1: not time=..., which -t needs after the key: '1'" \
        feedback-join -t 5 -l late answers
    for time in time= time=-1 time=1.5 time=x time=9007199254740992; do
        printf '1\t%s 1\n' $time >answers
        fails_on timed.bin 1 "feedback-join: answers: line 1: not a time in milliseconds since 1970: '$time'" \
            feedback-join -l late answers
    done
    shown
    printf '1\ttime=1 1\n' >answers
    fails_on shown 1 'feedback-join: <stdin>: round 1 (qid a): the round has no time, from which -t counts' \
        feedback-join -t 5 -l late answers
    feedback-join -t 1000000000 -l late answers <timed.bin >out
}

# ---- loop, and models in the stream ----

@test "loop runs it as a part, first, in the middle and last, with the same bytes" {
    many 2
    tac answers >late
    feedback-join late <shown >want
    loop 'replay shown | feedback-join late >out'
    same want out
    loop 'feedback-join late <shown >out'
    same want out
    loop 'feedback-join late' <shown >out
    same want out
    loop 'feedback-join -k 2 late | update -a ranksvm -e 0.01' <shown >got
    feedback-join -k 2 late <shown | update -a ranksvm -e 0.01 >expected
    same expected got
    printf '1\t1\n99\t1\n' >few
    fails 1 'loop: feedback-join: few: line 2: an answer without a round: no round has t=99' \
        loop 'replay -n 1 shown | feedback-join few | update -a squared -e 0.1 -m w'
    replay -n 1 shown | feedback-join <(head -n 1 few) | update -a squared -e 0.1 >one
    same one w # the round before the error counts, as it does between processes
    loop 'replay -n 1 shown | feedback-join -W few | bin2txt -f head' >out 2>err
    is "$(cat err)" 'feedback-join: few: line 2: an answer without a round: no round has t=99'
    is "$(wc -l <out)" 1
}

@test "after replay, loop knows the time and the request of each round, or that it has none" {
    timed 3
    printf '1\ttime=15000 1\n2\ttime=25001 0\n3\ttime=35000 2\n' >answers
    feedback-join -t 5 -l late answers <timed.bin >want
    loop 'replay timed.bin | feedback-join -t 5 -l late answers' >out
    same want out
    printf 'request: r1\n1 qid:a 1:1\n\n1 qid:b 1:1\n' | svm2bin -l | explore -g 1 >two
    printf 'r1\t1\n' >answers
    fails 1 'loop: round 2 (qid b): feedback-join: the round has no request, by which -r finds the answer' \
        loop 'replay two | feedback-join -r answers >out'
}

@test "a model in the stream passes" {
    shown
    mkstream model learner=kl rounds=1 dim=1 w:f8 1 >model
    cat model shown >both
    printf '1\t1\n2\t1\n3\t1\n' >answers
    feedback-join answers <both | bin2txt -f head >heads
    is "$(cut -d ' ' -f 2 heads | paste -sd ' ' -)" 'model round round round'
}

@test "memory stays flat where answers come in order, and by request within a time" {
    slow
    needs_limits
    synth -n 1000000 -d 1 -l 1 linear | explore -g 1 >million.bin
    seq 1 1000000 | sed 's/$/\t1/' >answers
    (ulimit -v 9000 && feedback-join answers <million.bin | tail -c 40 | grep -a 'rounds=1000000 ')
    LC_ALL=C sed 's/ t=\([0-9]*\) qid=[^ ]*/& request=r\1 time=\10000/' million.bin >timed.bin
    seq 1 1000000 | sed 's/.*/r&\ttime=&0001 1/' >answers
    (ulimit -v 9000 &&
        feedback-join -r -t 60 -l late answers <timed.bin | tail -c 40 | grep -a 'rounds=1000000 ')
}

@test "memory does not grow with the rounds that wait, nor with the answers that were used" {
    needs_limits
    many 1
    replay -n 60000 -s 5 q.bin | explore -g 1 | tee big | feedback-mask >masked
    answers_of masked >answers
    (ulimit -v 30000 && feedback-join answers <big >out)
    same masked out
}

# ---- the top grade, and generations (tests/promises/learner.bats has more) ----

@test "-g: a relevance above the top grade cannot be used" {
    shown
    printf '1\t0 4\n2\t4.5\n3\t3e38\n' >answers
    fails_on shown 1 'feedback-join: answers: line 2: relevance 4.5 of round 2 (qid b) is above the top grade 4' \
        feedback-join -g 4 answers
    feedback-join -W -g 4 answers <shown 2>err >out
    is "$(seen <out)" '1: 0 4'
}
