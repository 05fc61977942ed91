# The learner of a service, rankpipe service: nothing that a log, an answer, a clock or a kill does stops it, poisons it
# or makes it learn twice. The time of its runs is that of the machine, and rounds and answers are dated around it.
load ../helper
load ../service

NEEDS=flock

setup_file() {
    svm2bin -e "$ROOT/examples/data/small.svm" >"$BATS_FILE_TMPDIR/q.bin"
}

# start FIRST LAST: the file answers/today, with answers to these rounds.
start() {
    mkdir -p answers
    answers "$1" "$2" >answers/today
}

@test "a round that nobody answers delays nobody, whatever its time" {
    { rounds 1 1; rounds 2 2 -2000000000; rounds 3 3 5000; rounds 4 5; } | spool log >/dev/null
    start 4 5
    learn
    is "$(learnt)" 2
    is "$(query 'SELECT count(*) FROM quarantine')" 0
    answers 1 1 >>answers/today
    learn
    is "$(learnt)" 3
    once
}

@test "runs before the first answer leave the first model, and the answers after them are learnt" {
    rounds 1 5 | spool log >/dev/null
    mkdir answers
    learn
    learn
    is "$(learnt)" 0
    answers 1 5 >answers/today
    learn
    is "$(learnt)" 5
    once
}

@test "a clock that jumped a day neither stops nor delays the rounds after it" {
    rounds 1 3 | spool log >/dev/null
    { rounds 4 6 -86400; rounds 7 9; } | spool log >/dev/null
    start 1 9
    answers 4 6 -86400 >>answers/today
    learn
    is "$(learnt)" 6
    is "$(query 'SELECT count(*) FROM quarantine')" 0 # they wait: clock.bats
    once
}

@test "an answer or a round that is less than ten minutes ahead waits, and is learnt" {
    { rounds 1 1; rounds 2 2 -300; } | spool log >/dev/null
    start 1 1
    answers 2 2 -302 >>answers/today
    learn
    is "$(learnt) $(fact behind_answers)" '1 1'
    # five minutes later, by the clock of the run
    query "UPDATE rounds SET time = time - 400000; UPDATE answers SET time = time - 400000"
    learn
    is "$(learnt) $(fact behind_answers)" '2 0'
}

@test "an answer in time counts, however late the run is; a later one does not" {
    { rounds 1 3 90000 && rounds 4 4; } | spool log >/dev/null
    start 4 4
    { answers 1 1 89000; answers 2 2 89000; answers 3 3 80000; } >>answers/today
    learn
    is "$(learnt) $(quarantined 'answer too late')" '3 1'
}

@test "a last line without its end is read when it has one, and swallows no other" {
    rounds 1 6 | spool log >/dev/null
    start 1 2
    answers 3 3 | tr -d '\n' >>answers/today
    answers 4 4 >answers/x
    learn
    is "$(learnt)" 3
    { echo; answers 5 5; } >>answers/today
    learn
    is "$(learnt)" 5
    { printf 'r6\ttime=12'; answers 6 6; } >>answers/today # torn, and written on
    learn
    is "$(learnt) $(quarantined 'answer malformed')" '5 1'
    once
}

@test "lines of a hundred thousand blanks, digits or words cost no time, and the answer after them counts" {
    rounds 1 1 | spool log >/dev/null
    mkdir answers
    {
        for part in '%0100000d' '%100000s' 'r1 time=1 %0100000d' 'r1 time=1%100000s x' 'r1 time=1 client=%0100000d 1' \
            'r1%100000s time=1 1' '- time=%0100000d x'; do
            # shellcheck disable=SC2059
            printf -- "$part\n" ''
        done
        answers 1 1
    } >answers/today
    learn first
    (ulimit -t 3 && rankpipe service learn)
    is "$(learnt) $(quarantined 'answer malformed')" '1 5' # one is an answer, and too old
}

@test "files of answers and of logs may be moved, cut, copied and renamed: each record counts once" {
    rounds 1 9 | spool -c 3 log >/dev/null
    start 1 3
    learn
    answers 4 4 >answers/today
    learn
    is "$(learnt)" 4
    mkdir -p answers/a/b log/copy
    mv answers/today answers/a/b/today
    cp log/*.bin log/copy
    { cat answers/a/b/today && answers 5 5; } >answers/again
    learn
    is "$(learnt)" 5
    is "$(quarantined 'second answer')$(quarantined 'second round of a request')" ''
    once
}

@test "a log that begins again at 1 is learnt like any other" {
    rounds 1 3 | spool log >/dev/null
    start 1 3
    learn
    rm -rf log
    rounds 1 3 100 s | spool log >/dev/null
    answers 1 3 50 s >>answers/today
    learn
    is "$(learnt)" 6
    once
}

@test "poison: each bad record is counted and named, and the model is that of the good ones alone" {
    local each=10
    [ "$STRIDE" != 1 ] || each=800
    bad() { # log, sed: rounds that cannot be used
        rounds 1 $each "${3-100}" "${4-$1}" | LC_ALL=C sed "$2" | spool -n "$1" log >/dev/null
    }
    rounds 1 40 | spool -n a log >/dev/null
    rounds 41 45 | spool -n y log >/dev/null
    bad nameless 's/ request=[^ ]*//g'
    bad timeless 's/ time=[0-9]*//g'
    bad twice '' 100 a-second
    bad second '' 99 a-second
    bad asked ''
    replay -n $each "$BATS_FILE_TMPDIR/q.bin" |
        LC_ALL=C sed "s/ qid=[^ ]*/& request=n time=$(now)/g; s/ crc=[0-9a-f]*//g" | spool -n unshown log >/dev/null
    # A host whose log is not what spool writes.
    mkdir log/host
    last=$(printf '%016d' $each)
    rounds 1 $each 100 h | LC_ALL=C sed 's/ gamma=1 / gamma=1 group=7 /g' | crc >"log/host/a.0000000000000001-$last.bin"
    { rounds 1 3 100 h; head -c 300 /dev/urandom; } >"log/host/b.0000000000000001-$last.bin"
    mkdir answers
    { answers 1 45; answers 1 3 50 h; } >answers/today
    for i in $(seq $each); do
        echo "nonsense $i"
        printf 'asked%s\ttime=%s -1\n' "$i" "$(now)"
        printf 'asked%s\t1\n' "$i"
        printf '\0\0\0%s\n' "$i"
        printf 'asked%s\ttime=%s 3e38\n' "$i" "$(now)"
        printf 'asked%s\ttime=%s 1e9\n' "$i" "$(now)"
        printf 'asked%s\ttime=%s clicks=1 1 1.5\n' "$i" "$(now)"
        printf 'asked%s\ttime=%s%s\n' "$i" "$(now)" " 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"
        printf 'r%s\ttime=%s %s\n' "$((i % 40 + 1))" "$(now -$i)" 4 # a second one
        printf 'y%s\ttime=%s 1\n' "$i" "$(now -5000)"
    done >answers/z
    learn 2>err
    cat err
    is "$(learnt)" 48
    is "$(query 'SELECT n, what FROM counts ORDER BY what' | sed 's/|/ /')" "$((2 * each)) answer above the top grade
$((4 * each)) answer malformed
$each answer of the wrong length
$each answer with a click above 1
$each answer without a round
1 rest of a file of a log
$each round malformed
$each round that was not shown
$each round without a request
$each round without a time
$each second answer
$each second round of a request"
    is "$(query 'SELECT count(*) FROM quarantine')" "$((15 * each + 1))"
    once
    # the same service without any of them
    mkdir ../good ../good/log
    cp -r log/[ay].* ../good/log
    seed=$(query "SELECT value FROM settings WHERE name = 'seed'")
    cd ../good || return 1
    mkdir answers log/host
    rounds 1 3 100 h | spool -n b log/host >/dev/null
    cp "$OLDPWD/answers/today" answers
    rankpipe service first
    query "UPDATE settings SET value = $seed WHERE name = 'seed'"
    learn
    is "$(learnt)" 48
    same w.bin "$OLDPWD/w.bin"
}

@test "one client is one voice for a query: eight clicks leave the bytes of one, in one run or in many" {
    local each
    { rounds 1 12 | of_query one; rounds 13 32; } | spool log >/dev/null
    mkdir answers
    says x '0 0 1' 1 2 3 4 5 6 7 8 >eight
    cp eight answers/a
    learn
    is "$(learnt) $(fact beyond_total) $(query 'SELECT count(*) FROM answers WHERE seq > 0')" '1 7 1'
    is "$(query 'SELECT count(*) FROM quarantine')" 0
    once
    for each in one many; do
        mkdir ../$each ../$each/answers
        cp -r log ../$each
        (
            cd ../$each
            rankpipe service first
            query "UPDATE settings SET value = $(cd "$OLDPWD" && seed) WHERE name = 'seed'"
            rankpipe service set features 46
            head -n 1 "$OLDPWD/eight" >answers/a
            rankpipe service learn
            [ $each = one ] || for i in 2 3 4 5 6 7 8; do
                sed -n ${i}p "$OLDPWD/eight" >>answers/a
                rankpipe service learn
            done
            same w.bin "$OLDPWD/w.bin"
        )
    done
    # others have voices of their own, and so have answers of which nobody knows the client
    { says y '0 1' 9; says - 1 10 11; } >answers/b
    learn
    is "$(learnt)" 4
    # a file that is read again changes nothing
    mv answers/a answers/again
    learn
    is "$(learnt) $(fact beyond_total) $(query 'SELECT count(*) FROM answers WHERE seq > 0')" '4 7 4'
}

@test "a client has ten voices a day, or a hundredth of them; yesterday was a day of its own" {
    rounds 1 1240 | of_query 'own\1' | spool log >/dev/null
    rounds 1241 1250 90000 | of_query 'own\1' | spool log >/dev/null
    mkdir answers
    says x '0 1' $(seq 1 40) >answers/a
    AGO=89950 says x '0 1' $(seq 1241 1250) >>answers/a
    learn
    is "$(learnt) $(fact beyond_total)" '20 30'
    says - '0 1' $(seq 41 1200) >answers/b
    learn
    is "$(learnt)" 1180
    says x '0 1' $(seq 1201 1240) >answers/c # ten have counted, and 1,170 answers in all
    learn
    is "$(learnt) $(fact beyond_total)" '1181 69'
    # what was set aside has had its share, and comes back whole
    rankpipe service back 2
    rankpipe service again
    learn
    is "$(learnt) $(fact beyond_total)" '1181 69'
}

@test "a round that the learner refuses, or by which it diverges, is left out, and the others are learnt" {
    { rounds 1 5; rounds 6 6 | LC_ALL=C sed 's/ made=[^ ]*//; s/ gamma=/ made=rank gamma=/'; rounds 7 9; } >log.bin
    spool log <log.bin >/dev/null
    start 1 9
    learn
    is "$(learnt) $(quarantined 'round that the learner refused')" '8 1'
    is "$(query "SELECT source FROM quarantine")" r6
    once
    learn
    is "$(learnt)" 8
}

@test "a round that spoils the model in the middle is named, and the run begins again without it" {
    # Weights so large that no answer leaves a finite square: only learning shows it.
    mkstream model learner=thompson rounds=1 dim=1 features=1 tradeoff=1 plain=1 seed=1 \
        w:f8 1e200 inverse:f8 1 level:f8 0 residuals:f8 1 1 >model.bin
    round() { # number, its two features
        mkstream round "t=$1 qid=a request=r$1 time=$(now -100) docs=2 dim=1" order:u4 0 1 x:f4 "$2" "$3"
    }
    { round 1 0 0; round 2 1 2; round 3 0 0; round 4 2 1; round 5 0 0; } | spool log >/dev/null
    start 1 5
    export UPDATE='-a thompson -x none -p' FEATURES=1
    learn 2>err || { cat err; false; }
    is "$(learnt) $(quarantined 'round that the learner refused')" '4 2'
    query 'SELECT why FROM quarantine' | grep 'sum of squared residuals becomes infinite$'
    learn # nothing is left of it
    is "$(learnt)" 4
}

@test "two learners at once: each round is learnt once, and the model is that of one" {
    local runs=4 i
    [ "$STRIDE" != 1 ] || runs=30
    rounds 1 60 | spool -c 7 log >/dev/null
    start 1 60
    learn first
    for ((i = 0; i < runs; i++)); do learn & done
    wait
    is "$(learnt)" 60
    once
}

@test "a model that judged queries do not like is not taken into service, and one that they like is" {
    rounds 1 8 | spool log >/dev/null
    start 1 4
    learn
    is "$(learnt)" 4
    answers 5 8 >>answers/today
    rankpipe service set test "$ROOT/examples/data/small.svm"
    rankpipe service set least 0.999
    fails 1 "*service: $ROOT/examples/data/small.svm: NDCG@10 of the new model is 0.*, not 0.999: it is not used" \
        rankpipe service learn
    echo '0 qid:1 1:x' >bad
    rankpipe service set test bad
    fails 1 "*service: bad: NDCG@10 of the new model is unknown, not 0.999: it is not used" rankpipe service learn
    is "$(learnt) $(fact generation_in_use)" '4 2'
    rankpipe service set test "$ROOT/examples/data/small.svm"
    rankpipe service set least 0.1
    learn
    is "$(learnt) $(fact generation_in_use)" '8 3'
    once
}

@test "an unknown key ends the run with its remedy, and nothing is lost after the upgrade" {
    rounds 1 3 | LC_ALL=C sed 's/ docs=/ colour=red docs=/; s/ crc=[0-9a-f]*//' | crc >log.bin
    mkdir log
    cp log.bin log/rounds.0000000000000001-0000000000000003.bin
    start 1 3
    fails 1 "service: log/*.bin: t=1: unknown key colour: a newer version wrote it: upgrade first" learn
    is "$(query 'SELECT count(*) FROM quarantine') $(query 'SELECT count(*) FROM rounds')" '0 0'
    LC_ALL=C sed 's/ colour=red/ x-colour=red/; s/ crc=[0-9a-f]*//' log.bin | crc >log/rounds.0000000000000001-0000000000000003.bin
    learn
    is "$(learnt)" 3
    rankpipe service stream | bin2txt -f head | grep -c x-colour=red
}

# Three generations, new records, and what cannot be used.
prepare() {
    local n
    for n in 1 2; do
        rounds $((20 * n - 19)) $((20 * n)) | spool log >/dev/null
        mkdir -p answers
        answers $((20 * n - 19)) $((20 * n)) >>answers/today
        learn
    done
    { rounds 41 60; rounds 61 64 5000; rounds 70 70 100 '' | LC_ALL=C sed 's/ request=[^ ]*//'; } |
        spool log >/dev/null
    answers 41 60 >>answers/today
    answers 90 91 >>answers/today
    echo nonsense >>answers/today
}

@test "killed anywhere, the next run gives what one that was not killed gives: learn, back, rebuild, erase" {
    slow
    local kills=4 killed=0 i action
    [ "$STRIDE" != 1 ] || kills=70
    chmod 755 "$BATS_TEST_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR"
    prepare
    cp -a . ../base
    for action in learn 'back 2' 'rebuild -a ridge' 'erase requests r7 r41'; do
        rm -rf ../straight && cp -a ../base ../straight && cd ../straight || return 1
        local begun took
        begun=$(date +%s%N)
        # shellcheck disable=SC2086
        account rankpipe service $action >/dev/null 2>&1
        took=$((($(date +%s%N) - begun) / 1000000)) # milliseconds, over which the kills are spread
        rankpipe service learn
        dump >../want
        for ((i = 1; i <= kills; i++)); do
            cd .. && rm -rf killed && cp -a base killed && cd killed || return 1
            # shellcheck disable=SC2086
            { account setsid rankpipe service $action 3>&- & } >/dev/null 2>&1
            sleep "$(printf "0.%03d" $((i * took / (kills + 1))))"
            pkill -KILL -P $! 2>/dev/null && killed=$((killed + 1))
            kill -KILL $! 2>/dev/null || true
            wait $! 2>/dev/null || true
            # shellcheck disable=SC2086
            account rankpipe service $action >/dev/null 2>&1
            rankpipe service learn
            dump | cmp - ../want || { echo "$action, kill $i" && diff <(dump) ../want && return 1; }
        done
    done 2>err || { cat err && return 1; }
    echo "$killed kills"
    [ $killed -ge $((2 * kills)) ]
}

# joined FIRST LAST: these rounds with their answers in the file said.
joined() {
    rounds "$1" "$2" >unjoined
    grep -wFf <(values_of request <unjoined) said >theirs
    feedback-join -r theirs <unjoined 2>/dev/null
}

@test "a service of version 0.4.0 goes on: its model, what it has learnt, and what it has not" {
    { rounds 1 20; rounds 30 40; } | spool log >/dev/null
    start 1 15
    answers 30 32 >>answers/today
    # as the older learner left it: joined 1 to 10, learnt 1 to 8, and its files
    head -n 10 answers/today >said
    joined 1 10 | spool seen >/dev/null
    replay -n 8 seen/*.bin | update -O 3 -B 2000000 -l 5 -m model.bin # with the clients of now: the bytes can be compared
    ln -f model.bin w.bin
    touch late
    rankpipe service learn 2>err
    grep 'took over a service of version 0.4.0: 8 answers learnt' err
    is "$(learnt) $(quarantined 'second answer')$(quarantined 'second round of a request')" '18 '
    is "$(rankpipe service stream | values_of request | sed 's/^r//' | xargs)" "$(seq -s ' ' 15) 30 31 32"
    once
    is "$(find older | sort | xargs)" "$(echo older older/late older/model.bin older/seen older/seen/rounds.*)"
    rankpipe service rebuild
    once
    echo 1:3 | weights2bin >w.new && mv w.new w.bin
    rankpipe service learn 2>err
    grep 'w.bin was a file of another origin' err
}

@test "two thirds of the clicks inverted: the gauge rises within five runs, and going back is one command" {
    slow
    need_data MQ2008
    mkdir one && cd one && "$ROOT/tests/promises/suspect" inverted "$DATA/MQ2008/S1.txt"
}

@test "honest users with day and night, and a day of tenfold traffic: the gauge stays 0 in 1,000 runs" {
    in_release
    need_data MQ2008
    mkdir one && cd one && "$ROOT/tests/promises/suspect" honest "$DATA/MQ2008/S1.txt"
}
