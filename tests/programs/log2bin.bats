#!/usr/bin/env bats
# log2bin: a search engine's log to rounds, and bin2txt -f log's way back.

load ../helper

# lines TEXT...: a log whose words stand for fields: a tab for each space, a line for each argument.
lines() {
    printf '%s\n' "$@" | tr ' ' '\t'
}

HEAD="request qid doc position click"

# Two queries with names and features.
candidates() {
    printf '%s\n' '1 qid:a 1:0.5 # d1' '0 qid:a 1:0.9 2:1 # d2' '2 qid:a 2:0.25 # d3' \
        '0 qid:b 1:1 # d1' '1 qid:b 1:2 # e' | svm2bin
}

# refused PATTERN LINE...: the log of HEAD and these lines is refused, without candidates.
refused() {
    local pattern=$1
    shift
    lines "$HEAD" "$@" >log
    fails 1 "log2bin: log: $pattern" log2bin -0 log
}

# ---- what a log becomes ----

@test "a request becomes a round in the logged order, with the clicks in seen" {
    lines "$HEAD" 'r1 a d2 2 1' 'r1 a d3 1 0' 'r2 b e 1 1' >log
    candidates >c.bin
    log2bin log <c.bin >log.bin
    is "$(bin2txt -f rank log.bin | tr '\t' ' ')" '1 a 1 d3 - 0
1 a 2 d2 - 1
1 a 3 d1 - -
2 b 1 e - 1
2 b 2 d1 - -'
    is "$(values_of request <log.bin | paste -sd ' ')" 'r1 r2'
    is "$(values_of clicks <log.bin | paste -sd ' ')" '1 1'
    is "$(values_of label <log.bin)" ''
    # the features are the candidates'
    bin2txt -f svm log.bin | sed 's/^?/0/' >got
    bin2txt -f svm c.bin | sed 's/^[0-9]/0/' >want
    same got want
}

@test "-e: base is the order of the candidates, and never the one shown; without it, what they say" {
    lines "$HEAD" 'r1 a d2 2 1' 'r1 a d3 1 0' 'r2 b e 1 1' >log
    candidates >c.bin
    is "$(log2bin -e log <c.bin | values_of base | paste -sd ' ')" '0 1 2 0 1'
    is "$(log2bin log <c.bin | values_of base)" ''
    is "$(log2bin -e log <c.bin | bin2txt -f values | grep -w base | cut -f 3 | paste -sd ' ')" 'd1 d2 d3 d1 e'
    bin2txt c.bin | svm2bin -e >ranked.bin
    is "$(log2bin log <ranked.bin | values_of base | paste -sd ' ')" '0 1 2 0 1'
}

@test "columns may stand in any order, lines of a request too, and other columns are named once" {
    lines 'device click position doc colour qid request' 'x 1 2 B y q r1' 'x 0 1 A y q r1' 'x 0 1 A y q r2' >log
    log2bin -0 log >log.bin 2>err
    is "$(cat err)" 'log2bin: 2 columns of the log are not used: device, colour'
    is "$(bin2txt -f rank log.bin | cut -f 1-4,6 | tr '\t' ' ')" '1 q 1 A 0
1 q 2 B 1
2 q 1 A 0'
}

@test "time, propensity, score and label become the key and the columns" {
    lines "$HEAD time propensity score label" 'r1 q A 1 0 1700000000123 0.25 -1.5 2' 'r1 q B 2 1 - 0.125 3 0' \
        'r2 q A 1 1 - - - -' >log
    log2bin -0 log >log.bin
    is "$(bin2txt -f values log.bin | awk '$4 ~ /^(time|propensity|score|label)$/ { print $1, $3, $4, $5 }')" \
        '1 - time 1700000000123
1 A score -1.5
1 B score 3
1 A label 2
1 B label 0
1 A propensity 0.25
1 B propensity 0.125'
}

@test "-g values words; a document that comes again at its position counts once, by its largest click" {
    lines "$HEAD" 'r1 q A 1 view' 'r1 q B 2 view' 'r1 q A 1 buy' 'r1 q A 1 click' >log
    log2bin -0 -g view=0 -g click=.25 -g buy=.5 log >log.bin
    is "$(values_of seen <log.bin | paste -sd ' ')" '0.5 0'
    fails 1 "log2bin: log: line 4: the click is not a number from 0 to 1; -g gives a word its value: 'buy'" \
        log2bin -0 -g view=0 -g click=1 log
    for wrong in buy buy= =1 buy=x buy=-1 buy=nan buy=1.5; do
        fails 2 "log2bin: -g $wrong: not a word, = and a number from 0 to 1*" log2bin -0 -g $wrong log
    done
}

@test "a click is worth from 0 to 1; more is refused, with its line, or skipped" {
    lines "$HEAD" 'r1 q A 1 0.25' 'r1 q B 2 1' 'r2 q A 1 2' >log
    fails 1 "log2bin: log: line 4: the click is not a number from 0 to 1; -g gives a word its value: '2'" log2bin -0 log
    log2bin -0 -k log >log.bin 2>err
    is "$(values_of seen <log.bin | paste -sd ' ')" '0.25 1'
    is "$(values_of clicks <log.bin)" 1
}

@test "names of requests and queries may hold any byte but tab and line end" {
    printf 'request\tqid\tdoc\tposition\tclick\nr 1%%\tred shoes\t\303\251\t1\t1\n' >log
    log2bin -0 log >log.bin
    is "$(values_of qid <log.bin)" red%20shoes
    is "$(values_of request <log.bin)" r%201%25
    bin2txt -f log log.bin | cut -f 1-5 | same - log
}

# ---- there and back ----

@test "stream, text, stream: the same bytes, with candidates and without" {
    lines "$HEAD time propensity score label" 'r1 a d3 1 0 5 0.1 0.30000000000000004 1' 'r1 a d1 2 0.1 5 1e-300 7 0' \
        'r1 a d2 3 1 5 1 -2 2' 'r2 b e 1 1 - - - -' 'r3 a d2 1 0 9 - 4 -' >log
    candidates >c.bin
    for way in 'log2bin -0' log2bin; do
        $way log <c.bin >one.bin 2>/dev/null
        bin2txt -f log one.bin >log-2
        $way log-2 <c.bin >two.bin 2>/dev/null
        same one.bin two.bin
        bin2txt -f log two.bin | same - log-2
    done
}

@test "a simulated log goes the same way: bin2txt -f log prints what feedback-mask gave" {
    synth -n 20 -l 6 noisy-binary | score -m <(echo 1 1 | weights2bin) | explore | feedback-mask -L 1 -c perfect -k 3 >sim.bin
    bin2txt -f log sim.bin >log
    [ "$(wc -l <log)" = 61 ]
    log2bin -0 log >back.bin
    is "$(values_of seen <back.bin)" "$(values_of seen <sim.bin)"
    is "$(values_of request <back.bin | tail -n 1)" 20
}

@test "bin2txt -f log needs feedback and a qid, and names that a log can hold" {
    small_text | svm2bin >q.bin
    fails 1 'bin2txt: q.bin: round 1 (qid a): needs seen*' bin2txt -f log q.bin
    mkstream round t=1 docs=1 dim=0 order:u4 0 seen:f4 1 >bare.bin
    fails 1 'bin2txt: bare.bin: round 1: needs a qid*' bin2txt -f log bare.bin
    mkstream round t=1 qid=a%09b docs=1 dim=0 order:u4 0 seen:f4 1 >tab.bin
    fails 1 'bin2txt: tab.bin: round 1 (qid a%09b): its qid has a tab*' bin2txt -f log tab.bin
}

# ---- what is wrong ----

@test "a log without the columns is refused with those that it needs" {
    lines 'r1 q A 1 0' >log
    fails 1 'log2bin: log: line 1: the first line must name the columns, with tabs between them: request, qid, doc, position, click*' \
        log2bin -0 log
    lines 'request qid doc' >log
    fails 1 'log2bin: log: line 1: no column position, click among*' log2bin -0 log
    lines 'request query doc position click' >log
    fails 1 "log2bin: log: line 1: no column qid among those that the first line names; rename one there, as sed '1s/query/qid/' does: *" \
        log2bin -0 log
    printf 'request,qid,doc,position,click\nr1,q,A,1,1\n' >log
    fails 1 "log2bin: log: line 1: columns parted by commas; put tabs there, as tr , '?t' does where no field has a comma: 'request,*" \
        log2bin -0 log
    lines 'request qid doc position click doc' >log
    fails 1 "log2bin: log: line 1: a column that comes twice: 'doc'" log2bin -0 log
    fails 1 'log2bin: log: line 1: *' log2bin -0 -k log
    lines "$HEAD" >log
    fails 1 'log2bin: log: the log has no requests' log2bin -0 log
    : >log
    fails 1 'log2bin: log: the log has no requests' log2bin -0 log
}

@test "a line that is wrong is named, with what is wrong" {
    refused "line 2: 4 fields, but the first line names 5 columns:*" 'r1 q A 1'
    refused "line 2: the position is not a whole number from 1 (the top); of a log that counts from 0, add 1 to each: '0'" 'r1 q A 0 1'
    refused "line 2: the position is not a whole number*" 'r1 q A 1.5 1'
    refused "line 2: the click is not a number*: '-1'" 'r1 q A 1 -1'
    refused "line 2: the click is not a number*: 'nan'" 'r1 q A 1 nan'
    refused "line 2: the click is not a number*: ''" 'r1 q A 1 '
    refused "line 2: the doc is not a name of one word: ''" 'r1 q  1 1'
    lines "$HEAD" >log
    printf 'r1\tq\ta b\t1\t1\n' >>log
    fails 1 "log2bin: log: line 2: the doc is not a name of one word; write a blank as _ here and in the candidates: 'a b'" log2bin -0 log
    refused "line 2: the request is not a name*" ' q A 1 1'
    refused "line 2: the qid is not a name*" 'r1  A 1 1'
    refused "line 3: request r1 has two qids: 'p'" 'r1 q A 1 1' 'r1 p B 2 1'
    lines "$HEAD propensity" 'r1 q A 1 1 0' >log
    fails 1 "log2bin: log: line 2: the propensity is not a number above 0*: '0'" log2bin -0 log
    lines "$HEAD client" 'r1 q A 1 1 me' 'r1 q B 2 0 -' 'r1 q C 3 0 you' >log
    fails 1 "log2bin: log: line 4: request r1 has two clients: 'you'" log2bin -0 log
    lines "$HEAD client" "r1 q A 1 1 $(printf '%065d' 0)" >log
    fails 1 "log2bin: log: line 2: the client is not a word of at most 64 bytes in a header: '0*" log2bin -0 log
    lines "$HEAD propensity" 'r1 q A 1 1 1.5' >log
    fails 1 "log2bin: log: line 2: the propensity is not a number above 0*" log2bin -0 log
    lines "$HEAD time" 'r1 q A 1 1 2024-01-01' >log
    fails 1 "log2bin: log: line 2: the time is not a whole number of milliseconds since 1970, as date -d TIME +%s000 prints it: '*" log2bin -0 log
}

@test "a request that is wrong is named: gaps, two documents at a place, one at two, and one that returns" {
    refused "line 2: request r1: no document at position 2: a log has each document that was shown*" 'r1 q A 1 1' 'r1 q B 3 1'
    refused "line 2: request r1: no document at position 1:*" 'r1 q A 2 1'
    refused "line 2: request r1: documents A and B are both at position 1" 'r1 q A 1 1' 'r1 q B 1 1'
    refused "line 2: request r1: a document is at two positions" 'r1 q A 1 1' 'r1 q A 2 1'
    refused "line 4: a request that comes again after another one: sort the log by request: 'r1'" \
        'r1 q A 1 1' 'r2 q A 1 1' 'r1 q A 1 0'
    lines "$HEAD propensity" 'r1 q A 1 1 0.5' 'r1 q B 2 0 -' >log
    fails 1 "log2bin: log: line 2: request r1: 1 of 2 lines have a propensity: all or none must" log2bin -0 log
}

@test "candidates must have the query and the document, names, and each query once" {
    candidates >c.bin
    lines "$HEAD" 'r1 zz d1 1 1' >log
    fails_on c.bin 1 'log2bin: log: line 2: request r1: qid zz is not among the candidates' log2bin log
    lines "$HEAD" 'r1 a e 1 1' >log
    fails_on c.bin 1 'log2bin: log: line 2: request r1: document e is not among the candidates of qid a' log2bin log
    small_text | svm2bin >nameless.bin
    fails_on nameless.bin 1 'log2bin: <stdin>: round 1 (qid a): its documents have no names*' log2bin log
    cat c.bin c.bin >twice.bin
    fails_on twice.bin 1 'log2bin: <stdin>: round 1 (qid a): the qid comes twice*' log2bin log
}

@test "-k skips the requests with an error, and counts them" {
    candidates >c.bin
    lines "$HEAD" 'r1 zz d1 1 1' 'r1 zz d2 2 1' 'r2 a d1 1 1' 'r3 a d1 2 0' 'r4 a d1' 'r5 a d2 1 0' 'r1 a d1 1 0' >log
    log2bin -k log <c.bin >log.bin 2>err
    is "$(values_of request <log.bin | paste -sd ' ')" 'r2 r5'
    is "$(sed 's/^log2bin: log: / /; s/: a log has.*//; s/: sort.*//; s/columns: .*/columns/' err)" ' line 2: request r1: qid zz is not among the candidates
 line 5: request r3: no document at position 1
 line 6: 3 fields, but the first line names 5 columns
 line 8: a request that comes again after another one
log2bin: skipped 4 of 6 requests: more than a fifth, and what is left may be no sample of them: mend the log'
    lines "$HEAD" 'r1 zz d1 1 1' >log
    fails_on c.bin 1 '*log2bin: log: each of the 1 requests has an error' log2bin -k log
}

@test "a log without any click, and scores that cannot be kept, are reported" {
    candidates >c.bin
    lines "$HEAD score" 'r1 a d1 1 0 5' >log
    log2bin log <c.bin >log.bin 2>err
    is "$(cat err)" "log2bin: 1 of 1 rounds lack the log's score or label, which it does not give of candidates that were not shown
log2bin: none of 1 requests has a click"
}

@test "-k warns of what is left where more than a fifth was skipped" {
    for n in 4 3; do
        { lines "$HEAD" && seq "$n" | sed 's/.*/r& a d1 1 1/' | tr ' ' '\t' && lines 'bad a d1 2 1'; } >log
        log2bin -0 -k log 2>err >log.bin
        is "$(tail -n 1 err | cut -d : -f 2)" " skipped 1 of $((n + 1)) requests"
        [ $n = 3 ] || is "$(tail -n 1 err)" 'log2bin: skipped 1 of 5 requests'
    done
    [[ $(tail -n 1 err) == 'log2bin: skipped 1 of 4 requests: more than a fifth, '* ]]
}

@test "a name that is not among the candidates is answered with the nearest that is" {
    printf '0 qid:red%%20tv 1:1 # tv-17\n0 qid:red%%20tv 1:2 # tv-3\n0 qid:radio 1:2 # x\n' | svm2bin -Q >c.bin
    lines "$HEAD" 'r1 red%20tv tv-17 1 1' >log
    fails_on c.bin 1 "log2bin: log: line 2: request r1: qid red%2520tv is not among the candidates: the nearest is red%20tv; -Q takes %XX in the log, and in svm2bin's text, as encoded already" log2bin log
    for qid in Red~20TV red+tv RED%2520tv; do
        lines "$HEAD" "r1 $qid tv-17 1 1" >log
        fails_on c.bin 1 "log2bin: log: line 2: request r1: qid $qid is not among the candidates: the nearest is red%20tv" log2bin -Q log
    done
    lines "$HEAD" 'r1 radoi x 1 1' >log
    fails_on c.bin 1 '*: qid radoi is not among the candidates: the nearest is radio' log2bin log
    lines "$HEAD" 'r1 television x 1 1' >log
    fails_on c.bin 1 '*: qid television is not among the candidates' log2bin log
    lines "$HEAD" 'r1 radio x 1 1' 'r2 red%20tv tv-7 1 1' >log
    fails_on c.bin 1 'log2bin: log: line 3: request r2: document tv-7 is not among the candidates of qid red%20tv: the nearest is tv-17' log2bin -Q log
}

@test "-Q takes %XX in a qid as encoded already" {
    { lines "$HEAD" 'r1 red%20tv%c3%89 A 1 1' && printf 'r%%20\tred tv\tA\t1\t1\n'; } >log
    is "$(log2bin -0 log | bin2txt -f head | grep -o 'qid=[^ ]* request=[^ ]*' | paste -sd ' ')" 'qid=red%2520tv%25c3%2589 request=r1 qid=red%20tv request=r%2520'
    is "$(log2bin -0 -Q log | bin2txt -f head | grep -o 'qid=[^ ]*' | paste -sd ' ')" 'qid=red%20tv%C3%89 qid=red%20tv'
    for qid in 'a%' 'a%2' 'a%2x' '%zz' 'a%00b'; do
        lines "$HEAD" "r1 $qid A 1 1" >log
        fails 1 "log2bin: log: line 2: with -Q a % is followed by two hexadecimal digits, not both 0, and % itself is %25, but this qid has '%*': '$qid'" log2bin -0 -Q log
    done
}

# ---- clicks alone ----

@test "-r makes the lists of clicks alone from the old ranker's run" {
    # by falling score, whatever the ranks and lines say; equal scores in the order of the lines
    printf '%s\n' 'q Q0 C 1 1 old' 'q Q0 A 9 3 old' 'q Q0 D 2 1 old' 'q Q0 B 3 2.5 old' 'p Q0 A 1 1 old' >run
    lines 'request qid doc' 'r1 q B' 'r1 q B' 'r1 q D' 'r2 p A' 'r3 q Z' 'r4 none A' 'r5 q A' 'r5 q Z' >clicks
    log2bin -0 -r run clicks 2>err | bin2txt -f log | cut -f 1-5 | tr '\t' ' ' >got
    is "$(cat got)" 'request qid doc position click
r1 q A 1 0
r1 q B 2 1
r1 q C 3 0
r1 q D 4 1
r2 p A 1 1
r5 q A 1 1
r5 q B 2 0
r5 q C 3 0
r5 q D 4 0'
    is "$(cat err)" 'log2bin: clicks on documents that are not among the first 10 of the run: 3; requests without other clicks, which are left out: 2'
    log2bin -0 -p 2 -r run clicks 2>err | bin2txt -f log | cut -f 1-5 | tr '\t' ' ' >got
    is "$(cat got)" 'request qid doc position click
r1 q A 1 0
r1 q B 2 1
r2 p A 1 1
r5 q A 1 1
r5 q B 2 0'
    is "$(cat err)" 'log2bin: clicks on documents that are not among the first 2 of the run: 4; requests without other clicks, which are left out: 2'
    lines 'request qid doc click' 'r1 q B 0' 'r1 q C 0.5' >clicks
    is "$(log2bin -0 -r run clicks | bin2txt -f log | cut -f 5 | paste -sd ' ')" 'click 0 0 0.5 0'
    lines 'request qid doc' 'r3 q Z' >clicks
    fails 1 '*log2bin: clicks: the log has no requests with a click on a document of their list' log2bin -0 -r run clicks
    lines 'request qid' 'r3 q' >clicks
    fails 1 'log2bin: clicks: line 1: no column doc among*' log2bin -0 -r run clicks
    fails 1 'log2bin: clicks: line 1: 2 fields, but a line of a TREC run has 6*' log2bin -0 -r clicks clicks
    lines 'request qid doc' 'r1 q B' >clicks
    fails 1 'log2bin: clicks: line 1: no column position, click among those that the first line names; if these are clicks alone, give -r RUN, the lists that were shown*' log2bin -0 clicks
}

@test "-r joins the lists with candidates, and its qids are as those of the log" {
    candidates >c.bin
    printf '%s\n' 'a Q0 d2 1 2 old' 'a Q0 d1 2 1 old' >run
    lines 'request qid doc' 'r1 a d1' >clicks
    is "$(log2bin -r run clicks <c.bin | bin2txt -f rank | cut -f 4,6 | head -n 2 | tr '\t' ' ' | paste -sd ' ')" 'd2 0 d1 1'
    printf '%s\n' 'red%20tv Q0 x 1 2 old' >run
    lines 'request qid doc' 'r1 red%20tv x' >clicks
    is "$(log2bin -0 -r run clicks | values_of qid)" 'red%2520tv'
    is "$(log2bin -0 -Q -r run clicks | values_of qid)" 'red%20tv'
}

@test "the clicks of a full log, and the run of its ranker, are that log" {
    small_text | awk '{ print $0 " # d" NR }' | svm2bin >q.bin
    echo 1 1 | weights2bin >w
    score -m w <q.bin | explore | bin2txt -f run >run
    replay -n 200 q.bin | score -m w | explore | feedback-mask -c perfect | bin2txt -f log | cut -f 1-5 >full
    awk -F '\t' 'NR == FNR { if ($5 > 0) clicked[$1] = 1; next } FNR == 1 || $1 in clicked' full full >some
    awk -F '\t' -v OFS='\t' 'NR == 1 || $5 > 0 { print $1, $2, $3 }' full >clicks
    log2bin -0 -r run clicks | bin2txt -f log | cut -f 1-5 | same - some
}

# ---- clients ----

@test "of a client only the first requests of a query become rounds" {
    {
        lines "$HEAD client"
        for i in 1 2 3; do lines "m$i a d1 1 1 me" "m$i a d2 2 1 me" "y$i a d1 1 0 you" "n$i a d1 1 1 -" "b$i b d1 1 1 me"; done
    } >log
    log2bin -0 -n 2 log 2>err | values_of request | paste -sd ' ' >got
    is "$(cat got)" 'm1 y1 n1 b1 m2 y2 n2 b2 n3'
    is "$(cat err)" 'log2bin: requests left out: 3, with 3 clicks: of a client only the first 2 requests of a query count (-n)'
    log2bin -0 log 2>err | values_of request | wc -l >got
    is "$(cat got err)" 12
    { lines "$HEAD client" && seq 12 | sed 's/.*/r& a d1 1 1 me/' | tr ' ' '\t'; } >log
    is "$(log2bin -0 log 2>err | values_of request | tail -n 1)" r10
}

# ---- the column propensity ----

@test "learners and estimates divide by the logged propensity" {
    candidates >c.bin
    lines "$HEAD propensity" 'r1 a d1 1 1 0.25' 'r2 b e 1 0 0.5' >log
    log2bin log <c.bin >log.bin
    # By the model of weight 1 of feature 1 alone d1 of a is third, and e of b first:
    # ips of p@3: 1/3 * (1 / 0.25) for a, 0 for b; their mean is 2/3.
    score -m <(echo 1 1 | weights2bin) <log.bin | metric ips:p@3 | tail -n 1 | awk '{ printf "%.6f\n", $2 }' >got
    is "$(cat got)" 0.666667
    # squared by hand: w = 0, so the step is eta * 2 R / pi * x = 0.01 * 2 * 4 * 0.5
    log2bin <(head -n 2 log) <c.bin 2>/dev/null | update -x none -a squared,eta=0.01 -m w.bin
    is "$(bin2txt -f tsv w.bin | grep -v '^#' | tr '\t' ' ')" '1 0.040000000000000001
2 0'
    lines "$HEAD propensity" 'r1 b d1 1 1 0.25' 'r1 b e 2 0 0.5' >log
    log2bin log <c.bin >log.bin
    fails_on log.bin 1 'update: <stdin>: round 1 (qid b): the log has propensities of single documents, and ranksvm learns from several together*' \
        update -x none -a ranksvm
}

@test "propensity is as long as seen, above 0, at most 1, and alone" {
    small='round t=1 docs=2 dim=0'
    seen='order:u4 0 1 seen:f4 1 0'
    mkstream $small $seen propensity:f8 0.5 1 | bin2txt -f values >/dev/null
    for wrong in "$small $seen propensity:f8 0.5" "$small $seen propensity:f8 0 1" "$small $seen propensity:f8 0.5 1.5" \
        "$small order:u4 0 1 propensity:f8 0.5 1" "round t=1 docs=2 dim=0 gamma=0.5 $seen propensity:f8 0.5 1" \
        "$small $seen logit:f8 0 0 propensity:f8 0.5 1"; do
        mkstream $wrong >wrong.bin
        fails 1 'bin2txt: wrong.bin: round 1: *propensity*' bin2txt -f values wrong.bin
    done
    # a new order, and new feedback, are another log
    mkstream $small $seen propensity:f8 0.5 1 label:f4 1 0 >log.bin
    is "$(explore -g 1 <log.bin | bin2txt -f head | grep -c propensity)" 0
    is "$(feedback-mask <log.bin | bin2txt -f head | grep -c propensity)" 0
}
