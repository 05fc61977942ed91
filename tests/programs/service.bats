# rankpipe service: its actions, in the folder of a service. That nothing stops a run is in tests/promises/learner.bats.
load ../helper
load ../service

setup_file() {
    svm2bin -e "$ROOT/examples/data/small.svm" >"$BATS_FILE_TMPDIR/q.bin"
}

# runs N [FIRST]: so many runs, each with ten new rounds and answers.
runs() {
    local i
    mkdir -p answers
    for ((i = ${2-0}; i < ${2-0} + $1; i++)); do
        rounds $((10 * i + 1)) $((10 * i + 10)) | spool log >/dev/null
        answers $((10 * i + 1)) $((10 * i + 10)) >>answers/today
        learn
    done
}

fact_of() { # name in the JSON
    python3 -c 'import json, sys; print(eval("known" + sys.argv[1], {"known": json.load(open("service.json"))}))' "$1"
}

@test "first: a model that ranks in the order of the engine, once, beside a run that holds the lock" {
    rankpipe service first
    bin2txt -f head w.bin | grep ' learner=fixed .* made=base '
    score -m w.bin <"$BATS_FILE_TMPDIR/q.bin" | explore -s 7 >shown
    same <(values_of order <shown) <(values_of base <shown)
    is "$(fact_of '["answers"]["learnt"]')" 0
    cp w.bin before
    rankpipe service first
    same before w.bin
    flock service.lock timeout 5 rankpipe service first
    [ w.bin -ef models/1.bin ]
}

@test "usage: unknown actions and settings, and words too many, are refused" {
    fails 2 'service: an action is missing; see: rankpipe service -h' rankpipe service
    fails 2 "service: no action 'lern'; *" rankpipe service lern
    fails 2 'service: back takes 1 words; *' rankpipe service back
    fails 1 'service: no service.db here: run it in the folder of a service, after its first run' rankpipe service status
    rankpipe service first
    fails 1 "service: no setting 'waits': they are at, base, chosen, clients, days, delay, *" rankpipe service set waits 3
    fails 1 "service: wait: not a number of seconds: 'x'" rankpipe service set wait x
    fails 1 "service: base: neither on nor off: 'yes'" rankpipe service set base yes
}

@test "settings: the first run takes them from make's variables, and later ones must agree" {
    mkdir answers
    WAIT=600 UPDATE='-a ridge' rankpipe service learn 2>err
    is "$(cat err)" "service: UPDATE is now the setting update=-a ridge
service: WAIT is now the setting wait=600"
    WAIT=600 rankpipe service learn
    fails 1 'service: WAIT=60 differs from the setting wait=600: run: rankpipe service set wait 60' \
        env WAIT=60 rankpipe service learn
    fails 1 'service: GRADE=2 differs from the setting grade=4.0: run: *' env GRADE=2 rankpipe service learn
    rankpipe service set wait 60
    WAIT=60 rankpipe service learn
    fails 1 'service: retain=4200 is below wait=3600 + settle=20 + delay=0 + 600 seconds, *' rankpipe service set wait 3600
    fails 1 'service: retain=600 is below wait=60 + settle=20 + delay=0 + 600 seconds, *' rankpipe service set retain 600
    WAIT=90000 GRADE='' rankpipe service status | grep '^wait *60$'
}

# odd N: a request with one feature, in the log.
odd() {
    printf '%s\n' "request: odd$1" '0 qid:odd 1:1' '1 qid:odd 1:2' '' |
        svm2bin -elt | explore -g 1 | LC_ALL=C sed 's/ crc=[0-9a-f]*//' | spool -n "odd$1" log >/dev/null
}

# singly FIRST LAST AGO: rounds of 12 features, each of a query of its own.
singly() {
    rounds "$1" "$2" "${3-100}" | of_query 'u\1' | spool log >/dev/null
}

guess="service: features=1, a guess by 1 votes of answered requests; to set it: rankpipe service set features N"

@test "features: the number of most queries that were answered, which is a guess before twenty have a vote" {
    mkdir answers
    rankpipe service first
    odd 1
    odd 2
    singly 1 1
    learn
    rankpipe service status | grep -x 'features       -' # nobody has answered
    answers 1 2 0 odd >answers/odd
    rankpipe service learn 2>err
    is "$(cat err)" "$guess"
    is "$(learnt) $(fact_of '["features"]')" '2 None'
    rankpipe service status | grep -x 'features       1, a guess'
    # The larger of equals; what was learnt is learnt anew with it.
    answers 1 40 >answers/today
    rankpipe service learn 2>err
    is "$(cat err)" "service: features=12, a guess by 2 votes of answered requests; to set it: rankpipe service set features N"
    is "$(learnt) $(fact_of '["features"]')" '3 None'
    bin2txt -f head w.bin | grep ' dim=13 '
    singly 2 19
    rankpipe service learn 2>err
    is "$(cat err)" "service: features=12, as most of 20 votes of answered requests; to change it: rankpipe service set features N"
    is "$(learnt) $(fact_of '["features"]')" '21 12'
    once
    # The model is the one of a service that knew the number.
    cp w.bin before
    rankpipe service rebuild >/dev/null
    same before w.bin
    # and the first model of a service that was told
    mkdir ../told && cd ../told || return 1
    rankpipe service first
    rankpipe service set features 7
    rm w.bin service.db* models/*
    rankpipe service first
}

@test "features: one client with other documents and many queries cannot set them, nor is anybody refused by a guess" {
    mkdir answers
    rankpipe service first
    singly 1 1
    says honest1 '0 1' 1 >answers/first
    learn
    is "$(learnt) $(rankpipe service status | grep '^features ')" '1 features       12, a guess'
    printf '%s\n' '0 qid:odd 1:1' '1 qid:odd 1:2' | svm2bin -e >odd.bin
    replay -n 200 odd.bin | explore -g 1 | LC_ALL=C sed "s/\(rankpipe.1 round t=\([0-9]*\) \)qid=[^ ]*/\1qid=o\2 request=odd\2 time=$(now -90)/g" |
        spool -n odd log >/dev/null
    says evil '0 1' $(seq 200) | sed 's/^r/odd/' >answers/odd
    learn
    rankpipe service status | grep -x 'features       1, a guess'
    is "$(learnt) $(fact behind_answers) $(query 'SELECT count(*) FROM quarantine')" '10 1 0'
    singly 2 20
    for t in $(seq 2 10); do says honest$((t % 5)) '0 1' $t; done >answers/some
    learn
    rankpipe service status | grep -x 'features       12, a guess' # 10 votes for 5
    is "$(learnt) $(fact behind_answers)" '20 0'
    for t in $(seq 11 20); do says honest$((t % 5)) '0 1' $t; done >answers/others
    learn
    is "$(learnt) $(fact_of '["features"]') $(query 'SELECT count(*) FROM quarantine')" '30 12 0'
    once
    is "$(fact 'answers_total{order="random"}') $(query 'SELECT sum(answered) FROM hours')" '30 220'
}

@test "features: rounds with sparse features have no vote, and the largest number is the guess where all are sparse" {
    mkdir answers
    rankpipe service first
    sparse() { # REQUEST FEATURES
        printf '%s\n' "request: $1" "0 qid:$1 1:1 $2:1" "1 qid:$1 $2:2" '' | svm2bin -elt | explore -g 1 |
            LC_ALL=C sed 's/ crc=[0-9a-f]*//' | spool -n "$1" log >/dev/null
        printf '%s\ttime=%s 0 1\n' "$1" "$(now)" >>answers/sparse
    }
    sparse a 500
    sparse b 400
    bin2txt -f values <log/a.* | grep -q ptr
    learn
    rankpipe service status | grep -x 'features       500, a guess'
    sparse c 700
    learn
    rankpipe service status | grep -x 'features       700, a guess'
    is "$(learnt) $(query 'SELECT count(*) FROM quarantine')" '3 0'
    singly 1 1
    answers 1 1 0 >answers/today
    learn
    rankpipe service status | grep -x 'features       12, a guess'
    is "$(learnt) $(fact behind_answers) $(query 'SELECT count(*) FROM quarantine')" '1 3 0'
}

@test "features: set goes before a front end that sends more, and after one that sends fewer" {
    mkdir answers
    learn() { rankpipe service learn; }
    rankpipe service first
    rankpipe service set features 12
    singly 1 10
    answers 1 10 >answers/today
    learn
    # more: the service first
    sed 's/ 12:[^ ]*/& 13:0.5/' "$ROOT/examples/data/small.svm" | svm2bin -e >13.bin
    of13() { replay -b "$1" -n "$2" 13.bin | explore -g 1 | LC_ALL=C sed "s/\(rankpipe.1 round t=\([0-9]*\) qid=[^ ]*\)/\1 request=r\2 time=$(now -100)/g" |
        spool log >/dev/null; }
    rankpipe service set features 13
    of13 11 20
    answers 11 20 >>answers/today
    learn
    is "$(learnt) $(query 'SELECT count(*) FROM quarantine')" '20 0'
    bin2txt -f head w.bin | grep ' dim=14 '
    once
    # fewer: the front end first; then the service refuses what has more, and goes on with what it has learnt
    singly 21 30
    of13 31 32 # shown before, answered after it is set
    learn
    rankpipe service set features 12
    answers 21 32 >>answers/today
    of13 33 33
    learn
    is "$(learnt) $(quarantined 'round with more features than the setting')" '32 1'
    cp w.bin before
    rankpipe service rebuild >/dev/null
    same before w.bin
}

# unordered FIRST LAST: rounds without a base in the log, and answers to them.
unordered() {
    mkdir -p answers
    svm2bin "$ROOT/examples/data/small.svm" >plain.bin
    replay -b "$1" -n "$2" plain.bin | explore -g 1 |
        LC_ALL=C sed "s/\(rankpipe.1 round t=\([0-9]*\) qid=[^ ]*\)/\1 request=r\2 time=$(now -100)/g" | spool log >/dev/null
    answers "$1" "$2" >>answers/today
}

@test "base: the lists keep it, the model is made by it, and rounds without it are put into quarantine" {
    runs 1
    unordered 11 12
    mkdir log/host
    mkstream round "t=1 qid=a request=twice time=$(now) docs=2 dim=1" base:u4 1 1 order:u4 0 1 x:f4 1 2 | crc >log/host/a.0000000000000001-0000000000000001.bin
    learn
    is "$(learnt) $(quarantined 'round without the order of an engine') $(quarantined 'round malformed')" '10 2 1'
    is "$(query "SELECT why FROM quarantine WHERE what = 'round malformed'")" 'twice: column base is not a permutation of 0 to 1'
    bin2txt -f head w.bin | grep ' made=scale,base '
    rankpipe service stream >kept.bin
    same <(values_of base <kept.bin) <(spooled log | replay -n 10 - | values_of base)
    once
    is "$(fact_of '["base"]')" "{'set': True, 'comes': None, 'learnt': 'engine'}"
    runs 1 2
    rankpipe service status | grep -x "base now       the engine's order"
}

@test "base: a change is a rebuild, without rounds that lack it; back goes back to it, and pin does not" {
    runs 2
    rankpipe service set base off >out
    is "$(cat out)" $'generation 4 has learnt 20 answers\nbase=off'
    bin2txt -f head w.bin | grep ' made=scale '
    once
    unordered 21 23
    learn
    is "$(learnt)" 23
    once
    fails 1 'service: generation 3 was made when base was not off: *' rankpipe service pin 3
    is "$(rankpipe service set base on)" $'generation 6 has learnt 20 answers\nbase=on'
    once
    rankpipe service status | grep '^set aside  *3 answers'
    rankpipe service back 4 2>err
    grep 'base is off again, as it was for generation 4' err
    is "$(rankpipe service status | grep '^base  ')" 'base           off'
    is "$(rankpipe service rebuild '-x scale,base')" 'generation 7 has learnt 20 answers'
    is "$(rankpipe service status | grep '^base  ')" 'base           on'
    cp w.bin before
    rankpipe service set update '-a nonsense'
    fails 1 'service: update failed, and nothing has changed: *' rankpipe service set base off
    is "$(rankpipe service status | grep '^base  ')" 'base           on'
    same w.bin before
}

@test "a model that ranks at random says so in the status, and once a day" {
    rankpipe service first
    rankpipe service set base off
    said='the model in use ranks at random, until it has learnt answers: send documents in the order of your search engine, and run: rankpipe service set base on'
    is "$(rankpipe service learn 2>&1)" "service: $said"
    is "$(rankpipe service learn 2>&1)" ''
    is "$(rankpipe service status | grep ^warning)" "warning        $said"
    is "$(fact warning)" 1
    query "UPDATE settings SET value = 0 WHERE name = 'warned'"
    is "$(rankpipe service learn 2>&1)" "service: $said"
    rankpipe service set base on
    is "$(rankpipe service learn 2>&1)$(fact warning)" 0
}

@test "a service that was taken over learns with and without a base, and says once how to go over" {
    rankpipe service first
    query "DELETE FROM settings WHERE name = 'base'"
    rankpipe service set features 46
    unordered 1 10
    is "$(rankpipe service learn 2>&1)" ''
    bin2txt -f head w.bin | grep ' made=scale '
    rounds 11 20 | spool log >/dev/null
    answers 11 20 >>answers/today
    is "$(rankpipe service learn 2>&1)" "service: the model was not begun with the order of the search engine, which rounds have \
now: to learn anew from them, run: rankpipe service set base on"
    is "$(learnt)$(rankpipe service learn 2>&1)" 20
    once
    is "$(rankpipe service set base on)" $'generation 4 has learnt 10 answers\nbase=on'
}

@test "another base than that of what was learnt is reported" {
    runs 1
    rounds 11 20 | LC_ALL=C sed 's/ crc=[0-9a-f]*//g; s/ gamma=/ based=01234567 gamma=/g' | crc | spool log >/dev/null
    learn
    rankpipe service status | grep "^warning .*the engine's order in what was learnt.* the order of model 01234567 now"
    is "$(fact_of '["base"]["comes"]')" 01234567
}

@test "back sets aside what was learnt since, for good; again lets it in" {
    runs 3
    cp models/3.bin three.bin
    rankpipe service back 3 >out
    is "$(cat out)" 'generation 3 is in use; 10 answers are set aside'
    same w.bin three.bin
    learn
    same w.bin three.bin
    runs 1 3
    is "$(learnt)" 30
    once
    rankpipe service status | grep '^set aside  *10 answers'
    is "$(rankpipe service again)" '10 answers are learnt by the next run'
    learn
    is "$(learnt)" 40
    once
    fails 1 'service: no generation 77: there are 1 (*' rankpipe service back 77
    fails 1 "service: not a time: 'x'; *" rankpipe service back x
}

@test "back by time: yesterday is the last generation before today's midnight" {
    runs 3
    query "UPDATE generations SET time = time - 86400000 WHERE id < 3; UPDATE generations SET time = time - 86400000 WHERE id < 2"
    rankpipe service back yesterday >out
    grep '^generation 2 is in use; 20 answers' out
    is "$(learnt)" 10
    rankpipe service again
    learn
    rankpipe service back "$(date -d '2 days ago' +%Y-%m-%dT23:59)" >out || [ "$(date +%H%M)" = 2359 ]
    grep '^generation 1 is in use' out
    is "$(learnt)" 0
}

@test "pin: a generation serves while learning goes on; a foreign w.bin is replaced and reported" {
    runs 3
    rankpipe service pin 2
    runs 1 3
    is "$(learnt) $(fact generation) $(fact pinned)" '10 5 1'
    rankpipe service status | grep '^in use  *generation 2, pinned'
    rm w.bin
    cp models/5.bin w.bin
    learn
    is "$(learnt)" 10
    echo 1:5 | weights2bin >w.new && mv w.new w.bin
    rankpipe service learn 2>err
    grep 'w.bin was a file of another origin, and is replaced by generation 2' err
    is "$(learnt)" 10
    rankpipe service unpin
    is "$(learnt)" 40
    once
}

@test "thinning keeps the newest five, one of each hour and day, the pinned, and a bound of megabytes" {
    runs 2
    rankpipe service pin 2
    runs 8 2
    is "$(query 'SELECT group_concat(id) FROM generations')" 2,7,8,9,10,11
    is "$(find models -name '*.bin' | sort -V | xargs)" 'models/2.bin models/7.bin models/8.bin models/9.bin models/10.bin models/11.bin'
    for n in 7 8 9; do query "UPDATE generations SET time = time - ($((12 - n)) * 3600000) WHERE id = $n"; done
    runs 6 10
    is "$(query 'SELECT group_concat(id) FROM generations')" 2,7,8,9,13,14,15,16,17
    rankpipe service set megabytes 0
    learn
    is "$(query 'SELECT group_concat(id) FROM generations')" 2,17
}

@test "rebuild: another learner, or without an interval or clients, has the bytes of the stream into update" {
    mkdir answers
    rounds 1 30 | spool log >/dev/null
    answers 1 10 90 >answers/a
    answers 11 20 60 | sed 's/ /\tclient=bad /' >answers/b
    answers 21 30 30 >answers/c
    rankpipe service first
    rankpipe service set voice 0 # client=bad has ten of them
    learn
    from=$(date -d '65 seconds ago' +%Y-%m-%dT%H:%M:%S) to=$(date -d '50 seconds ago' +%Y-%m-%dT%H:%M:%S)
    rankpipe service stream --without "$from..$to" >some.bin
    is "$(bin2txt -f head some.bin | grep -c ' round ')" 20
    echo bad >clients
    rankpipe service stream --without-clients clients | cmp - some.bin
    update -a ridge -x scale,base -w 46 -q refused -m want.bin <some.bin
    is "$(rankpipe service rebuild -a ridge --without "$from..$to")" 'generation 3 has learnt 20 answers'
    same w.bin want.bin
    rankpipe service stream | cmp - some.bin
    runs 1 3
    is "$(learnt)" 30
    UPDATE='-a ridge' once
    rankpipe service back 2 >out # which knows them, and with its own learner
    is "$(learnt)" 30
    once
    cp w.bin before
    fails 1 'service: update failed, and nothing has changed: *' rankpipe service rebuild -a nonsense
    same w.bin before
    fails 1 "service: not an interval: '1'; *" rankpipe service rebuild --without 1
}

@test "clicks: an answer says so, and its round has the key when it is learnt, as feedback-join gives it" {
    mkdir answers
    rounds 1 30 | spool log >/dev/null
    { answers 1 10 90; says - '0 1 0' 11 12; says x '0 0.5 1' 13; says y '0 1' 14; says x - 15; } >answers/a
    learn
    once
    rankpipe service stream | bin2txt -f head | grep -c ' client=[xy] clicks=1 docs=' | { read -r n && is "$n" 2; }
    spooled log | feedback-join -r answers/a >joined
    for column in request client clicks seen; do
        same <(rankpipe service stream | values_of $column) <(replay -n 14 joined | values_of $column)
    done
    bin2txt -f values w.bin | grep '^clicks'
    # what status says of users; a new document's answers are the theta of its place
    rankpipe service status | sed -n '/^users/,/^clicked/p' >users
    cut -c 16- users | sed 's/[-0-9.]\{1,\}/N/g' >said
    is "$(cat said)" 'stop at a click: a click above multiplies the clicks of a place by N
N N N N N N N N N N, by place from N
do not foretell clicks better than places do: N of N that are needed: lists stay within one place of a base
N of N queries have clicks enough, N, to leave the order of a base'
    cp w.bin m
    mkstream round t=99 qid=new clicks=1 docs=3 dim=46 base:u4 0 1 2 order:u4 0 1 2 seen:f4 0 0 0 x:f4 $(seq 138) >new
    update -s "$(seed)" -m m <new 2>resumed
    bin2txt -f memory m new | awk '$4 == "new" { printf " %.2f", $2 }' >got
    grep "^examined      $(cat got) " users
    # one answer counts, whatever it says it is
    { answers 11 11 30; says - '0 1 0' 1; } >answers/b
    for wrong in clicks=0 clicks=2 clicks=11 clicks= clicks 'clicks=1 clicks=1' 'clicks=1 client=x'; do
        printf 'r16\ttime=%s %s 0 1\n' "$(now -20)" "$wrong"
    done >answers/c
    learn
    is "$(learnt) $(quarantined 'second answer') $(fact 'late_events_total{type="answer"}') $(quarantined 'answer malformed')" \
        '14 1 1 7'
    once
}

@test "voice and clients: settings of what a client counts, and of how many memory waits for" {
    { rounds 1 3 | of_query a; rounds 4 12 | of_query b; } | spool log >/dev/null
    mkdir answers
    says x '0 1' 1 2 3 4 5 >answers/a
    rankpipe service first
    rankpipe service set voice 2
    rankpipe service set clients 4
    fails 1 'service: clients: not a whole number from 0 to 4: 5' rankpipe service set clients 5
    rankpipe service set features 46
    rankpipe service learn
    is "$(learnt) $(fact beyond_total)" '4 1'
    rankpipe service status | grep -x 'beyond         1 answers, beyond the share of their client'
    bin2txt -f head w.bin | grep ' clients=4 '
    rankpipe service set voice 0
    says x '0 1' 7 8 >answers/b
    rankpipe service set clients 1
    rankpipe service learn
    is "$(learnt) $(fact beyond_total)" '6 1'
    bin2txt -f head w.bin | grep ' clients=1 '
    rankpipe service rebuild -a ridge
}

@test "pairs: a setting of how many pairs memory keeps, which takes effect in the next run" {
    rounds 1 20 | spool log >/dev/null
    mkdir answers
    says x '0 1' 1 2 3 4 5 >answers/a
    rankpipe service first
    rankpipe service set features 46
    rankpipe service learn
    bin2txt -f head w.bin | grep ' pairs=2000000 '
    bin2txt -f head w.bin | grep -F 'answers:f8[10]'
    fails 1 'service: pairs: memory keeps at least one pair: set a number above 0' rankpipe service set pairs 0
    rankpipe service set pairs 7
    says y '0 1' 6 7 >answers/b
    rankpipe service learn
    bin2txt -f head w.bin | grep ' pairs=7 '
    bin2txt -f head w.bin | grep -F 'answers:f8[7]'
    rankpipe service set pairs 100
    rankpipe service rebuild
    bin2txt -f head w.bin | grep -F 'answers:f8[14]'
    rankpipe service set update '-a memory,pairs=3' # takes precedence
    rankpipe service rebuild
    bin2txt -f head w.bin | grep ' pairs=3 '
    rankpipe service set pairs 5
    rankpipe service rebuild -a ridge
}

# interleaved FIRST LAST WINS: rounds r1, r2, ... of a list of two documents, of which score ranks the first one first and
# the rival the second one, each of a client of its own. In WINS of ten the rival's document is clicked, else the other.
# With RIVAL= they have no rival, as rounds of explore -I.
interleaved() {
    local t
    for ((t = $1; t <= $2; t++)); do
        # shellcheck disable=SC2086
        mkstream round t=$t qid=q$t request=r$t time="$(($(now -50) + t))" docs=2 dim=1 base:u4 0 1 score:f8 2 1 \
            ${RIVAL-rival:f8 1 2} order:u4 0 1 team:u1 0 1 x:f4 1 2
    done | grep -av '^rankpipe/1 end' | crc | spool log >/dev/null
    for ((t = $1; t <= $2; t++)); do
        says "c$t" "$([ $((t % 10)) -lt "$3" ] && echo 0 1 || echo 1 0)" "$t"
    done >>answers/a
}

# tested: the test that runs: champion, challenger, the generation in use, and that of rival.bin.
tested() {
    python3 - <<'END'
import json, os
known = json.load(open("service.json"))
test, used = known["test"] or {}, known["generation"]["in_use"]
assert os.path.samefile("w.bin", "models/%d.bin" % used)
rival = [n for n in range(1, 99) if os.path.exists("models/%d.bin" % n) and os.path.lexists("rival.bin")
         and os.path.samefile("rival.bin", "models/%d.bin" % n)]
print(test.get("champion", "-"), test.get("challenger", "-"), used, *rival)
END
}

# an_hour_ago: the test that runs began then.
an_hour_ago() {
    query "UPDATE settings SET value = json_set(value, '\$.begun', $(now -3600)) WHERE name = 'comparing'"
}

@test "gate: a new generation serves once it has won a test against the one in use, which stays as it is" {
    mkdir answers # 2 + 80 - 20 of 102 rounds
    rankpipe service first
    rankpipe service set features 1
    rankpipe service set gate on
    interleaved 1 2 5
    rankpipe service learn # before the first test nothing is interleaved; these are learnt
    is "$(tested)" '1 2 1 2'
    is "$(rankpipe service compare | tail -n 1)" 'not yet: no interleaved round was answered; explore needs -i, and score -R rival.bin'
    an_hour_ago
    interleaved 11 110 8
    RIVAL='' interleaved 111 119 0 # of explore -I: these say nothing of the test
    rankpipe service learn 2>err
    is "$(cat err)" 'service: generation 3 is better than 1, and in use; wins less losses +0.6078 in 102 rounds'
    is "$(tested)" '- - 3'
    rankpipe service status | grep 'last test .* generation 3 is better than 1, and in use'
    # Now it is the champion, and what is learnt next is worse.
    interleaved 121 122 5
    rankpipe service learn 2>err
    is "$(tested)" '3 4 3 4'
    an_hour_ago
    rankpipe service compare >said # with the rounds of the test before
    grep '^generation 4, which goes on learning, against 3, which is frozen, since .*; 3 is in use$' said
    grep -E "^$(date +%F) +104  \+0\.[0-9]{4}  .*o" said
}

@test "gate: worse is reported, the old model stays, and another test begins" {
    mkdir answers # 2 + 20 - 80 of 102 rounds
    rankpipe service first
    rankpipe service set features 1
    rankpipe service set gate on
    interleaved 1 2 5
    rankpipe service learn
    an_hour_ago
    interleaved 11 110 2
    rankpipe service learn 2>err
    is "$(cat err)" 'service: generation 3 is worse than 1, which stays in use; wins less losses -0.5686 in 102 rounds'
    is "$(tested)" '1 3 1 3'
    [ "$(query "SELECT value ->> 'begun' FROM settings WHERE name = 'comparing'")" -gt "$(now -100)" ]
    rankpipe service set gate off # the newest serves, as without a test
    is "$(tested)" '- - 3'
    is "$(rankpipe service check)" 'all is well'
}

@test "compare without the gate: the newest generation serves, and the frozen one is its rival" {
    mkdir answers # -4 + 80 - 20 of 104 rounds
    rankpipe service first
    rankpipe service set features 1
    interleaved 1 2 5
    rankpipe service learn
    is "$(rankpipe service compare)" 'a test begins: the newest generation, which goes on learning, against 2'
    is "$(tested)" '2 2 2' # both are one yet
    interleaved 3 4 5
    rankpipe service learn
    is "$(tested)" '2 3 3 2'
    an_hour_ago
    interleaved 11 110 2 # two of ten for the rival, which is the champion
    rankpipe service learn 2>err
    is "$(cat err)" 'service: generation 4 is better than 2, and in use; wins less losses +0.5385 in 104 rounds'
    is "$(tested)" '- - 4'
    # A champion that wins: how to go back is said. back, pin, erase and end each end a test.
    rankpipe service compare
    interleaved 111 112 5
    rankpipe service learn
    an_hour_ago
    query "DELETE FROM answers WHERE seq <= 106"
    interleaved 121 220 8
    rankpipe service learn 2>err
    is "$(cut -d ';' -f 1 err)" 'service: generation 6 is worse than 4: to go back, rankpipe service back 4'
    is "$(tested)" '- - 6'
    for action in 'back 4' 'pin 4' 'compare end' 'rebuild -a ridge'; do
        rankpipe service compare
        # shellcheck disable=SC2086
        rankpipe service $action >said 2>&1
        case $action in rebuild*) is "$(tested | cut -c 1)" 4 ;; *) is "$(tested | cut -c 1)" - ;; esac
        rankpipe service unpin
    done
    rankpipe service compare end
    is "$(tested | cut -c 1)" -
    # The frozen model is gone: the test ends, and nothing else.
    rankpipe service compare
    interleaved 221 222 5
    rankpipe service learn
    rm "models/$(tested | cut -d ' ' -f 1).bin"
    interleaved 223 224 5
    rankpipe service learn 2>err
    is "$(sed 's/[0-9][0-9]*/N/' err)" 'service: models/N.bin is missing: the test that it was part of is over'
    is "$(tested | cut -c 1)" -
    rankpipe service pin 4
    fails 1 'service: generation 4 is pinned: unpin it first' rankpipe service compare
    fails 2 "service: compare: no 'now'; *" rankpipe service compare now
}

@test "a model that is missing is learnt again; check finds what is wrong" {
    runs 2
    is "$(rankpipe service check)" 'all is well'
    cp w.bin before
    rm models/3.bin w.bin
    fails 1 'service: models/3.bin is missing or damaged: *
service: w.bin is not the model in use: *' rankpipe service check
    rankpipe service learn 2>err
    grep 'models/3.bin is missing' err
    same w.bin before
    rankpipe service backup copy.db
    fails 1 'service: copy.db exists: *' rankpipe service backup copy.db
    mv copy.db service.db && rm -f service.db-* && rm -r models w.bin
    rankpipe service learn
    same w.bin before
}

@test "transit files go retain seconds after they were read, but never the last one of a log" {
    mkdir answers
    rounds 1 30 | spool -y -c 10 log >/dev/null
    rounds 1 3 100 x | spool -n x log >/dev/null
    touch log/rounds.0000000000000001.index # as an older spool wrote it
    learn
    rankpipe service set wait 10
    rankpipe service set retain 620
    is "$(find log -name '*.bin' | wc -l)" 4
    learn
    is "$(find log -name '*.bin' | wc -l)" 4
    query 'UPDATE transit SET time = time - 620000'
    learn
    is "$(cd log && echo *)" 'rounds.0000000000000021-0000000000000030.bin x.0000000000000001-0000000000000003.bin'
    answers 1 30 >answers/today
    query "UPDATE rounds SET time = time + 95000"
    query "UPDATE settings SET value = 1000 WHERE name = 'wait'"
    learn
    is "$(learnt)" 30
}

@test "the files of status have mode 0644 and no names; JSON and metrics agree" {
    umask 077
    runs 2
    is "$(stat -c %a service.json service.prom service.db | xargs)" '644 644 600'
    is "$(fact_of '["generation"]["in_use"]') $(fact generation_in_use)" '3 3'
    is "$(fact_of '["features"]') $(fact features)" '46 46'
    is "$(fact 'answers_total{order="random"}')$(fact 'answers_total{order="by score"}')" 20
    is "$(fact 'clicks_total{order="random",place="1"}')$(fact 'clicks_total{order="by score",place="1"}')" 14
    [ "$(fact run_time_seconds | cut -d . -f 1)" -gt $(($(date +%s) - 100)) ]
    rankpipe service status --json | python3 -c 'import json, sys; json.load(sys.stdin)'
    ! grep r1 service.json service.prom
}

# warned: the warnings with which status begins.
warned() {
    rankpipe service status | sed -n 's/^warning  *//p'
}

@test "status begins with what is wrong: records that cannot be used, a run that failed, programs that are silent" {
    runs 2
    is "$(warned)" ''
    printf '%s\n' 'no answer' 'none either' >>answers/today
    learn
    is "$(warned)" '' # two may happen
    echo 'nor this' >>answers/today
    learn
    is "$(warned)" '3 records of a day cannot be used, and are in quarantine, for: answer malformed: correct what writes them; service.db has each, in the table quarantine'
    query 'DELETE FROM quarantine'
    fails 1 'service: WAIT=7 differs from the setting *' env WAIT=7 rankpipe service learn
    is "$(warned)" 'the last run of the learner failed: '"$(sed 's/service: //' err)"$'\n3 records'"$(warned | sed -n 's/^3 records//p')"
    is "$(stat -c %a service.json)" 644
    learn
    is "$(warned)" ''
    echo 'rankpipe_serve_log_fails 1' >status.prom
    is "$(warned)" 'rounds are not stored, and nothing is learnt from them: the log of serve says why: journalctl -u rank'
    touch -d '2 minutes ago' status.prom
    [[ $(warned) = 'serve has not written status.prom for a minute: '* ]]
    rm status.prom
    # What front ends may write is hostile.
    echo '{"refused": "no\u001b[2J", "other": "x", "disk": 1}' >answers/.api.1
    printf '[%.0s' {1..100000} >answers/.api.2
    ln -s /etc/passwd answers/.api.3
    is "$(warned)" 'no\x1b[2J'
    touch -d '2 minutes ago' answers/.api.[12] && rm answers/.api.3
    [[ $(warned) = 'rankpipe api has said nothing for 12'?' seconds: '* ]]
    learn
    is "$(fact_of '["answers"]["learnt"]') $(ls answers)" '20 today' # the learner does not read them
}

# trace WORD: the files of the folder that have it, also where they are compressed or are the database.
trace() {
    python3 - "$1" <<'END'
import os, sys
sys.path.insert(0, os.environ["ROOT"] + "/lib/python")
from rankpipe_service.lists import Lists
from rankpipe_service.store import Store
word = sys.argv[1].encode()
short = bytes.fromhex(sys.argv[1]) if len(word) == 32 else word
for folder, _, names in os.walk("."):
    for name in names:
        data = open(folder + "/" + name, "rb").read()
        if word in data or short in data:
            print(folder + "/" + name)
packed = Lists(Store(locks=False))
for fields in packed.store.sql("SELECT columns, docs, data, whole FROM lists"):
    if word in packed.data(*fields):
        print("a list")
END
}
export ROOT

# named N [LOG]: rounds and answers of so many queries, whose names, documents and clients can be searched for.
named() {
    mkdir -p answers
    seq "$1" | awk '{ printf "request: %032x\n0 qid:query-%d 1:%d # page-%d-a\n0 qid:query-%d 1:1 # page-%d-b\n\n",
        $1 + 48879, $1, $1, $1, $1, $1 }' |
        svm2bin -elut | explore -g 1 | spool -n "${2-rounds}" log >shown.bin
    bin2txt -f head shown.bin | sed -n 's/.* request=\([^ ]*\) time=\([0-9]*\).*/\1 \2/p' |
        awk '{ printf "%s\ttime=%.0f\tclient=client-%d 0 %d\n", $1, $2 + 1, NR, NR % 2 }' >answers/today
    rm shown.bin
}

@test "erase: no trace is left of a request, a query, a document or a client, and the others are learnt anew" {
    local what word i=0
    command -v setpriv >/dev/null || [ "$(id -u)" != 0 ] || skip 'no setpriv here'
    chmod 755 "$BATS_TEST_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR"
    named 30
    echo nonsense "$(printf '%032x' 48882)" >>answers/today
    FEATURES=1 learn
    rankpipe service pin 2
    cp answers/today said
    for what in "requests $(printf '%032x' 48882)" 'queries query-7' 'documents page-11-b' 'clients client-15'; do
        i=$((i + 1))
        word=${what#* }
        [ "$(trace "$word")" ]
        # shellcheck disable=SC2086
        account rankpipe service erase $what >../out 2>../err || { cat ../err; false; }
        is "$(cat ../out)" '1 rounds and 1 answers are erased'
        rm -f said
        is "$(trace "$word")" ''
        is "$(learnt)" $((30 - i))
        is "$(query 'SELECT count(*) FROM generations')" 1
        once
        rm -f once.bin*
    done
    is "$(trace "$(printf '%032x' $((48879 + 7)))")$(trace page-7-a)$(trace client-7)" ''
    # a copy that comes late is known by its hash
    named 30 late
    account rankpipe service learn
    is "$(learnt)" 26
}

@test "erase: every program passes over a round that was erased in a log" {
    rounds 1 6 | explore -f -g 1 -s random | spool -c 6 log >/dev/null
    cat log/*.bin >before
    mkdir -p answers && answers 1 6 >answers/today
    learn
    rankpipe service erase requests r3 2>../err
    cat log/*.bin >after
    is "$(wc -c <after)" "$(wc -c <before)"
    grep -ac x-erased after
    is "$(score -m w.bin <after | values_of t | xargs)" '1 2 4 5 6'
    answers 1 6 | sed 3d >said
    feedback-join -r said <after >joined
    is "$(values_of t <joined | xargs)" '1 2 4 5 6'
    is "$(bin2txt -f rank after | cut -f 1 | uniq | xargs)" '1 2 4 5 6'
    is "$(metric -q ndcg@5 <after | sed 1d | wc -l)" 5
    is "$(explore -g 1 -s recorded <after | values_of t | xargs)" '1 2 4 5 6'
    is "$(update -a squared <joined | bin2txt -f head | grep -o 'rounds=[0-9]*')" rounds=5
    is "$(replay after | values_of t | xargs)" '1 2 3 4 5'
    is "$(salvage after | values_of t | xargs)" '1 2 4 5 6'
    is "$(loop 'replay -n 10 after | score -m w.bin | explore -f -g 1' | values_of t | wc -l)" 10
    is "$(PYTHONPATH=$ROOT/lib/python python3 -c 'import sys, rankpipe; print(*(r.t for r in rankpipe.read(sys.argv[1])))' after)" '1 2 4 5 6'
    bin2txt -f check after
}

@test "erase: several kinds at once; names that are not found are listed; what was cut or escaped goes" {
    local long
    long=$(printf 'x%.0s' $(seq 230))
    command -v setpriv >/dev/null || [ "$(id -u)" != 0 ] || skip 'no setpriv here'
    chmod 755 "$BATS_TEST_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR"
    named 30
    printf '%s\n' "0123 $long" 'ab\cd nonsense' 'plain nonsense' >>answers/today
    FEATURES=1 learn
    is "$(quarantined 'answer malformed')" 3
    account rankpipe service erase clients client-15 client-44 -- queries query-7 qury-6 >../out 2>../err && false
    is "$(cat ../out)" '2 rounds and 2 answers are erased'
    is "$(grep -v 'not reached' ../err)" 'service: not found, but remembered for copies that come late: clients client-44
service: not found, but remembered for copies that come late: queries qury-6; like it: query-6, query-1, query-2'
    is "$(trace client-15; trace query-7)$(query "SELECT source FROM quarantine")" 'plain nonsense'
    is "$(learnt) $(fact learnt_total) $(ls models)" '28 28 3.bin'
    once
    fails 2 "service: erase: requests, queries, documents or clients, and names, not 'queries'; *" rankpipe service erase clients a -- queries
    # nearest names are for queries and documents alone
    account rankpipe service erase documents page-77-a -- requests 1 2>../err >../out && false
    grep -q 'documents page-77-a; like it: ' ../err
    is "$(grep -c 'requests 1$' ../err)" 1
    is "$(query 'SELECT learnt, root FROM generations')" '28|3'
}

@test "erase: learns again from the last generation before what it erases, with the bytes of learning all anew" {
    local from='SELECT root, learnt FROM generations ORDER BY id DESC LIMIT 1'
    runs 4
    rankpipe service erase requests r35 2>../err
    is "$(query "$from")" '1|39' # of those after the first one
    once
    runs 1 4
    rankpipe service erase requests r12 2>../err # the generations of before are gone
    is "$(query "$from")" '8|48'
    once
    runs 2 5
    rankpipe service back 9
    rankpipe service again
    learn
    rankpipe service rebuild --without 00:00..00:01 >/dev/null
    rankpipe service erase requests r70 2>../err
    is "$(query "$from")" '13|67'
    once
    # what is gone from the database may be in a model
    runs 1 7
    query 'UPDATE answers SET day = -999 WHERE seq < 20; DELETE FROM days'
    learn
    is "$(query 'SELECT count(*) FROM answers WHERE seq < 20')" 0
    rankpipe service erase requests r80 2>../err
    is "$(query "SELECT learnt - (SELECT count(*) FROM answers WHERE seq > 0) FROM generations")" 0
    once
}

@test "erase: the last answer leaves the first model, and files of an older service go" {
    chmod 755 "$BATS_TEST_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR"
    named 2
    mkdir older
    echo query-1 >older/quarantine
    FEATURES=1 learn
    is "$(learnt)" 2
    account rankpipe service erase queries query-1 query-2 2>../err || { cat ../err; false; }
    bin2txt -f head w.bin | grep ' learner=fixed '
    is "$(trace query-1)$(trace query-2)" ''
    is "$(ls log)" rounds.0000000000000001-0000000000000002.bin
    named 3 late
    account rankpipe service learn
    is "$(learnt)" 1
}

@test "erase waits for the file that spool is writing, and for a front end that appends" {
    chmod 755 "$BATS_TEST_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR"
    named 5
    FEATURES=1 learn
    printf '%s\n' 'request: abcd' '0 qid:query-3 1:1 # page-3-c' '' | svm2bin -elut | explore -g 1 >../one.bin
    { head -c -32 ../one.bin && sleep 3 && tail -c 32 ../one.bin; } 3>&- | spool -n slow log >../shown 3>&- &
    for _ in $(seq 50); do ls log/slow.*.open 2>/dev/null && break || sleep 0.1; done
    begun=$(date +%s)
    account timeout 30 rankpipe service erase queries query-3 >../out 2>../err || { cat ../err; false; }
    [ $(($(date +%s) - begun)) -ge 1 ]
    is "$(trace query-3)$(trace abcd)" ''
}

# front_end FIRST STEP: appends the lines FIRST, FIRST + STEP and so on of the file said, each once, and between
# them those of the file doomed again and again, until there is a file stop. Prints what it has appended of said.
front_end() {
    python3 - "$@" <<'END'
import itertools, os, sys, time
sys.path.insert(0, os.environ["ROOT"] + "/lib/python")
import rankpipe_front
first, step = map(int, sys.argv[1:])
answers, doomed = rankpipe_front.Answers("answers"), itertools.cycle(list(open("../doomed")))
for line in list(open("../said"))[first::step]:
    if os.path.exists("../stop"):
        break
    for each in line, next(doomed):
        answers.append(each)
    sys.stdout.write(line)
    time.sleep(0.01)  # so that the lines last until all is erased
END
}

@test "erase while front ends append: no answer of another request is lost, and none of an erased one comes back" {
    local i pids=() what
    command -v setpriv >/dev/null || [ "$(id -u)" != 0 ] || skip 'no setpriv here'
    chmod 755 "$BATS_TEST_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR"
    export -f front_end
    named 9999
    awk '{ print >(NR > 1000 && NR <= 1006 ? "../doomed" : "../said") }' answers/today
    rm answers/today
    FEATURES=1 learn
    for i in 0 1; do
        account bash -c "front_end $i 2" >../appended.$i 3>&- &
        pids+=($!)
    done
    sleep 1
    for i in $(seq 1001 1006); do
        what="requests $(printf '%032x' $((i + 48879)))"
        [ $((i % 2)) = 0 ] || what="queries query-$i"
        # shellcheck disable=SC2086
        account rankpipe service erase $what 2>../err || { cat ../err; false; }
    done
    kill -0 "${pids[@]}" # they have appended all the time
    touch ../stop
    wait "${pids[@]}"
    account rankpipe service learn
    is "$(query 'SELECT lower(hex(request)) FROM rounds WHERE id IN (SELECT round FROM answers)' | sort | cksum)" \
        "$(cut -f 1 ../appended.[01] | sort | cksum)"
    is "$(query 'SELECT count(*) FROM early')" 0
    once
    rm -f once.bin*
    # the lines that came after the last erasure go with the next one
    fails 1 'service: *not found, *' account rankpipe service erase requests none
    for i in $(seq 1001 1006); do
        is "$(trace "query-$i")$(trace "client-$i")$(trace "$(printf '%032x' $((i + 48879)))")" ''
    done
}

@test "erase follows no link that a front end has set, and a report has no names" {
    chmod 755 "$BATS_TEST_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR"
    named 3
    FEATURES=1 learn
    mkdir ../theirs
    cp answers/today ../theirs/theirs
    ln -s ../../theirs/theirs answers/link
    touch answers/$'no\nname'
    rankpipe service report
    [ "$(trace client-2)" ] && is "$(grep -c client-2 report.html)" 0
    account rankpipe service erase clients client-2 2>../err
    is "$(grep -c client-2 ../theirs/theirs)" 1
    rm answers/link
    is "$(trace client-2)" ''
    rm -r ../theirs
}

# asked FIRST QID...: rounds with these queries, which list the same two documents, shown a minute ago.
asked() {
    local first=$1
    shift
    for qid; do printf '%s\n' "1 qid:$qid 1:1${WIDE-} # a" "0 qid:$qid 1:0 # b" ''; done | svm2bin -l -b "$first" | explore -g 1 |
        LC_ALL=C sed "s/\(rankpipe.1 round t=\([0-9]*\) qid=[^ ]*\)/\1 request=r\2 time=$(now -60)/g"
}

# known: the queries of the database, with the number of their rounds.
known() {
    query "SELECT CAST(qid AS TEXT), count(*) FROM lists JOIN rounds ON list = lists.id GROUP BY qid ORDER BY qid" | paste -sd ' ' -
}

@test "words of version 0.4.0 stay until rebuild folds them, with what was learnt; status says so" {
    asked 1 New~20User new~20user Dogs a~7Eb "$(printf 'x%.0s' {1..16})~~0123456789abcdef0123456789abcdef" ~20 >old.bin
    feedback-mask -k all <old.bin >seen.bin
    spool seen <seen.bin >/dev/null
    update -a memory -m model.bin <seen.bin
    mkdir -p answers
    rankpipe service learn 2>err
    grep 'took over a service of version 0.4.0: 6 answers learnt' err
    rankpipe service status | grep '^words  *of version 0.4.0, with ~20 for a blank: rankpipe service rebuild folds them$'
    is "$(fact_of '["folds"]')" False
    before=$(known)
    [[ $before == *'New~20User|1'* ]]
    rankpipe service learn
    is "$(known)" "$before"
    rankpipe service rebuild
    is "$(known)" 'a%7Eb|1 dogs|1 new%20user|2 xxxxxxxxxxxxxxxx~~0123456789abcdef0123456789abcdef|1 ~20|1'
    is "$(fact_of '["folds"]')" True
    is "$(rankpipe service status | grep '^words')" ''
    rankpipe service stream | bin2txt -f head | grep -c ' qid=new%20user ' | { read -r n && is "$n" 2; }
    rankpipe service check
    # a round of before that comes late is folded too; one that is refused stays in the file
    rankpipe service set features 1
    asked 7 nEW~20uSER | spool log >/dev/null
    WIDE=' 2:1' asked 8 nEW~20uSER | spool log >/dev/null
    rankpipe service learn
    [[ $(known) == *'new%20user|3'* ]]
    # erasing by the new word reaches files that have the old one
    command -v setpriv >/dev/null || [ "$(id -u)" != 0 ] || skip 'no setpriv here'
    chmod 755 "$BATS_TEST_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR"
    grep -rqa 'nEW~20uSER' log
    account rankpipe service erase queries new%20user
    is "$(grep -rla 'nEW~20uSER' log)" ''
    is "$(known)" 'a%7Eb|1 dogs|1 xxxxxxxxxxxxxxxx~~0123456789abcdef0123456789abcdef|1 ~20|1'
}

@test "a new service, and one whose queries have no blanks, has folded words from the start" {
    runs 2
    is "$(fact_of '["folds"]')" True
    before=$(known)
    rankpipe service rebuild
    is "$(known)" "$before"
}

# many FIRST LAST: rounds of 100 documents with these numbers, and answers to all of each.
many() {
    mkdir -p answers
    synth -b "$1" -n "$2" -l 100 -d 5 linear | bin2txt | svm2bin -e >many.bin
    replay -b "$1" -n "$2" many.bin | explore -g 1 |
        LC_ALL=C sed "s/\(rankpipe.1 round t=\([0-9]*\) qid=[^ ]*\)/\1 request=m\2 time=$(now -100)/g" |
        spool log >/dev/null
    seq "$1" "$2" | awk -v time="$(now -50)" '{
        printf "m%d\ttime=%.0f", $1, time + $1
        for (i = 0; i < 100; i++) printf " %d", (i + $1) % 3
        print ""
    }' >>answers/today
}

@test "a large model: runs write what changed, and the whole one is there while a generation needs it" {
    rankpipe service first
    rankpipe service set features 5 >/dev/null
    many 1 1400
    learn
    head -c 16 w.bin | grep -qx 'rankpipe/1 model'
    for i in 1 2; do
        many $((1400 + 10 * i)) $((1409 + 10 * i))
        learn
    done
    head -c 16 w.bin | grep -qx 'rankpipe/1 patch'
    [ w.bin -ef models/4.bin ]
    [ "$(stat -c %s w.bin)" -lt 150000 ]
    whole=$(basename models/whole.*)
    [ "$whole" -ef "models/$whole" ]
    [ "$whole" -ef models/2.bin ]
    rankpipe service stream | update -s "$(seed)" -O 3 -B 2000000 -x scale,base -w 5 -m once.bin
    same <(add-models w.bin) <(add-models once.bin)
    # back, and on: from the whole one again, and without a second one
    add-models models/3.bin >third
    rankpipe service back 3
    same third <(add-models w.bin)
    rankpipe service check
    rankpipe service again
    learn
    same <(add-models w.bin) <(add-models once.bin)
    # damage is known, and a model whose whole is missing is learnt anew
    cp "$whole" sound
    printf x | dd of="$whole" bs=1 seek=3000000 conv=notrunc 2>/dev/null
    fails 1 'service: models/2.bin is missing or damaged: *
service: models/3.bin is missing or damaged: *' rankpipe service check
    fails 1 'service: models/3.bin is missing or damaged: name another generation' rankpipe service back 3
    cp sound "$whole"
    rankpipe service check
    rm "models/$whole" "$whole" models/2.bin
    fails 1 'service: models/*' rankpipe service check
    rankpipe service learn 2>err
    is "$(sed 's/[0-9][0-9]*/N/' err)" 'service: models/N.bin is missing: all is learnt anew'
    same w.bin once.bin
    # another machine gets both files, and loses a whole one that nothing needs
    command -v rsync >/dev/null || skip 'no rsync here'
    mkdir -p there/log there/answers
    touch there/whole.1.0123abcd.bin there/own
    chmod 700 there
    rankpipe service set hosts there >/dev/null
    rankpipe service set at '' >/dev/null
    learn
    many 1440 1449
    learn
    same <(add-models there/w.bin) <(add-models w.bin)
    is "$(cd there && echo *)" "answers log own w.bin $(echo whole.*)"
    is "$(stat -c %a there)" 700
    # one that was lost here is put back
    rm "$(echo whole.*)"
    fails 1 '*service: whole.*.bin, which w.bin is a patch of, is missing: the next run puts it there' rankpipe service check
    learn
    score -m w.bin <many.bin >/dev/null
    # erased: no file has what was learnt of it, nor the whole one if that had learnt it
    head -c 16 w.bin | grep -qx 'rankpipe/1 patch'
    rankpipe service erase requests m1440 2>err
    score -m w.bin <many.bin >/dev/null
    is "$(cd models && echo *)" "$(query 'SELECT max(id) FROM generations').bin $(echo whole.*)"
    rankpipe service erase requests m1 2>err
    head -c 16 w.bin | grep -qx 'rankpipe/1 model'
    [ "$(echo whole.* models/*)" = "whole.* models/$(query 'SELECT max(id) FROM generations').bin" ]
    learn
    is "$(cd there && echo *)" 'answers log own w.bin'
    same w.bin there/w.bin
}

# priced FIRST LAST QUERY: rounds of one query in the log, 30 documents of 12 features, two of which change each time, and
# the document once is in the first one only.
priced() {
    awk -v first="$1" -v last="$2" -v query="$3" 'BEGIN {
        srand(7)
        for (d = 1; d <= 30; d++) for (j = 3; j <= 12; j++) x[d, j] = rand()
        srand(first)
        for (i = first; i <= last; i++) {
            print "request: r" i
            for (d = 1; d <= 30; d++) {
                printf "0 qid:%s 1:%.7f 2:%.7f", query, rand(), rand()
                for (j = 3; j <= 12; j++) printf " %d:%.7f", j, x[d, j]
                print " # " (i == 1 && d == 30 ? "once" : "d" d)
            }
            print ""
        }
    }' | svm2bin -elt | explore -g 1 | LC_ALL=C sed "s/ time=[0-9]*/ time=$(now -100)/; s/ crc=[0-9a-f]*//" | spool log >/dev/null
}

listed() {
    query "SELECT count(*), count(whole), avg(length(data)) FROM lists" | tr '|' ' '
}

@test "lists whose features change take a fifth, are learnt as they were, and stay when the whole one is erased" {
    mkdir answers
    priced 1 40 a
    answers 1 40 >answers/today
    FEATURES=12 learn
    once
    read -r n beside mean < <(listed)
    is "$n $beside" '40 39'
    [ "${mean%.*}" -lt 350 ]
    x_of() { bin2txt -f values | awk -F '\t' '$4 == "x" { print $5 }' | sort | cksum; }
    is "$(rankpipe service stream | x_of)" "$(spooled log | x_of)"
    rankpipe service status | grep -x 'disk           [12][0-9][0-9] bytes a round, [45][0-9][0-9] a list'
    [ "$(fact_of '["disk"]["grows_a_day"]')" -gt 20000 ]
    rankpipe service status | grep -x 'a year         0.0 GB of service.db, as the last 24 hours were'
    rankpipe service check
    # the whole one goes, and has no trace; the others are as they were
    rankpipe service erase documents once 2>/dev/null
    is "$(listed | cut -d ' ' -f 1,2)" '39 38'
    run grep -c once service.db
    is "$output" 0
    is "$(rankpipe service stream | x_of)" "$(spooled log | x_of)"
    once
    rankpipe service check
    rm answers/today
    # a whole one that no round has any more stays while another needs it
    query "UPDATE rounds SET time = 1000 WHERE list = (SELECT whole FROM lists WHERE whole IS NOT NULL LIMIT 1);
        DELETE FROM answers WHERE round NOT IN (SELECT id FROM rounds WHERE time > 1000); DELETE FROM days;
        INSERT INTO days VALUES(1, 1, 2000)"
    rankpipe service set unanswered-days 1 >/dev/null
    rankpipe service learn
    is "$(query 'SELECT count(*) FROM rounds') $(listed | cut -d ' ' -f 1,2)" '38 39 38'
    rankpipe service check
    rankpipe service erase queries a 2>/dev/null
    is "$(listed | cut -d ' ' -f 1,2)" '0 0'
}
