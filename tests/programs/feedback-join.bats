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
    is "$(feedback-join answers <shown | seen)" '1: 0 1
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

# ---- answers that cannot be used ----

# unusable PATTERN: an error with `answers`, after rounds in `out` without an end.
unusable() {
    fails_on shown 1 "feedback-join: $1" feedback-join "${@:2}" answers
    if tail -n 1 out | grep '^rankpipe/1 end'; then return 1; fi
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

@test "clicks=1 of an answer becomes the round's key clicks" {
    printf 'request: r1\n1 qid:a 1:1\n\nrequest: r2\n1 qid:b 1:1\n' | svm2bin -l | explore -g 1 >two
    printf 'r1\ttime=7 client=x clicks=1 1\nr2 1\n' >answers
    feedback-join -r answers <two >joined
    is "$(bin2txt -f head joined | grep -o ' client=x clicks=1 docs=1\| docs=1' | paste -sd :)" \
        ' client=x clicks=1 docs=1: docs=1'
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

@test "an answer to no round is an error, after all rounds that have one" {
    shown
    printf '1\t1\n99\t1\n2\t1\n3\t1\n' >answers
    unusable 'answers: line 2: an answer without a round: no round has t=99'
    is "$(grep -ac 'rankpipe/1 round' out)" 3
    printf 'b\t1\nq\t1\na\t1\nc\t1\n' >answers
    unusable 'answers: line 2: an answer without a round: no round has qid=q' -q
}

@test "a second answer, before its round has left and after" {
    shown
    printf '2\t1\n2\t2\n1\t1\n3\t1\n' >answers
    unusable "answers: line 2: a second answer for one round: '2'"
    printf '1\t1\n2\t1\n3\t1\n1\t0\n' >answers
    unusable "answers: line 4: a second answer for one round: '1'"
}

@test "a wrong count" {
    shown
    printf '1\t1 1 1\n2\t0 0 1\n3\t1\n' >answers
    unusable 'answers: line 2: the answer has 3 relevances for the 2 documents of round 2 (qid b)'
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
    done
    for key in 0 01 +1 -1 1.0 a 9007199254740992; do
        printf '%s\t0\n1\t1\n2\t1\n3\t1\n' "$key" >answers
        unusable "answers: line 1: not the number of a round (use -q if keys are qids): '$key'"
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
    same <(spooled log | uncrc) out
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

@test "times of answers are checked, and change nothing" {
    timed 3
    printf '1\ttime=15000 1\n-\ttime=16000\n2\ttime=25001 0\n3\ttime=35000 2\n' >answers
    is "$(feedback-join answers <timed.bin | seen | xargs)" '1: 1 2: 0 3: 2'
    for time in time= time=-1 time=1.5 time=x time=9007199254740992; do
        printf '1\t%s 1\n' $time >answers
        fails_on timed.bin 1 "feedback-join: answers: line 1: not a time in milliseconds since 1970: '$time'" \
            feedback-join answers
    done
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
}

@test "after replay, loop knows the request of each round, or that it has none" {
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

@test "memory stays flat where answers come in order" {
    slow
    needs_limits
    synth -n 1000000 -d 1 -l 1 linear | explore -g 1 >million.bin
    seq 1 1000000 | sed 's/$/\t1/' >answers
    (ulimit -v 9000 && feedback-join answers <million.bin | tail -c 40 | grep -a 'rounds=1000000 ')
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
}
