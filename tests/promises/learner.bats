# The learner of a service, examples/serve/learn: nothing that a log, an answer, a clock or a kill does stops it,
# poisons it or makes it learn twice. The time of its runs is that of the machine, and rounds and answers are dated
# around it.
load ../helper

LEARN=$ROOT/examples/serve/learn

# learn: a run. The programs are those of this tree, and the key is 1, so that models can be compared.
learn() {
    mkdir -p state
    [ -e state/key ] || echo 1 >state/key
    sh "$LEARN" "$@"
}

# fact NAME: a number of the learner's status; quarantined WHAT: how many records of that kind.
fact() {
    sed -n "s/^rankpipe_learner_$1 //p" state/current/status
}

quarantined() {
    fact "quarantined_total{what=\"$1\"}"
}

now() {
    echo "$(($(date +%s) + ${1:-0}))000"
}

learnt() { # by the model in service
    bin2txt -f head w.bin | sed 's/.* rounds=\([0-9]*\).*/\1/'
}

# rounds FIRST LAST [AGO [NAME]]: rounds with these numbers, of four queries in turn, shown AGO seconds ago under the
# requests NAME1, NAME2, and so on.
rounds() {
    replay -b "$1" -n "$2" "$BATS_FILE_TMPDIR/q.bin" | explore -g 1 |
        LC_ALL=C sed "s/\(rankpipe.1 round t=\([0-9]*\) qid=[^ ]*\)/\1 request=${4-r}\2 time=$(now $((-${3:-100})))/g"
}

# answers FIRST LAST [AGO [NAME]]: answers to these, of one relevance.
answers() {
    seq "$1" "$2" | awk -v time="$(now $((-${3:-50})))" -v name="${4-r}" '{ printf "%s%s\ttime=%.0f %d\n", name, $1, time + $1, $1 % 3 }'
}

NEEDS=flock

setup_file() {
    svm2bin "$ROOT/examples/data/small.svm" >"$BATS_FILE_TMPDIR/q.bin"
}

# once: the model in service is that of one update over what was learnt.
once() {
    spool -r seen | update -m once.bin
    same once.bin w.bin
}

# start FIRST LAST: the file answers/today, with answers to these rounds.
start() {
    mkdir answers
    answers "$1" "$2" >answers/today
}

@test "a round that nobody answers delays nobody, whatever its time; it is given up after WAIT" {
    { rounds 1 1; rounds 2 2 -2000000000; rounds 3 3 5000; rounds 4 5; } | spool log >/dev/null
    start 4 5
    learn
    is "$(learnt)" 2
    is "$(fact waiting_rounds) $(fact unanswered_total) $(quarantined 'round from the future')" '1 1 1'
    answers 1 1 >>answers/today
    learn
    is "$(learnt) $(fact waiting_rounds)" '3 0'
    once
}

@test "runs before the first answer leave the first model, and the answers after them are learnt" {
    rounds 1 5 | spool log >/dev/null
    mkdir answers
    learn first
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
    is "$(quarantined 'round from the future') $(quarantined 'answer from the future')" '3 3'
    once
}

@test "an answer or a round that is less than ten minutes ahead waits, and is learnt" {
    { rounds 1 1; rounds 2 2 -300; } | spool log >/dev/null
    start 1 1
    answers 2 2 -302 >>answers/today
    learn
    is "$(learnt) $(fact early_answers) $(fact waiting_rounds)" '1 1 1'
    # five minutes later, by the clock of the run
    sed -i "s/^[0-9]*\t/$(now 50)\t/" state/current/waiting
    sed -i "s/time=[0-9]*/time=$(now -10)/" state/current/early
    learn
    is "$(learnt) $(fact early_answers) $(fact waiting_rounds)" '2 0 0'
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
    is "$(learnt) $(fact answers_total)" '3 3'
    { echo; answers 5 5; } >>answers/today
    learn
    is "$(learnt) $(fact answers_total)" '5 5'
    { printf 'r6\ttime=12'; answers 6 6; } >>answers/today # torn, and written on
    learn
    is "$(learnt) $(quarantined 'answer malformed')" '5 1'
    once
}

@test "files of answers: a shorter one is left alone, one that has gone was read, and a new one may be anywhere" {
    rounds 1 9 | spool log >/dev/null
    start 1 3
    learn
    answers 4 4 >answers/today
    learn 2>err
    is "$(cat err)" 'feedback-join: answers/today has become shorter than what was read of it, and is left out: give it another name'
    is "$(learnt)" 3
    mkdir -p answers/a/b
    mv answers/today answers/a/b/today
    learn
    is "$(learnt)" 4
    answers 5 5 >answers/today # from its beginning: the one of this name had gone
    learn
    is "$(learnt)" 5
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
    bad second '' 100 a-second
    bad future '' -9000
    bad asked ''
    replay -n $each "$BATS_FILE_TMPDIR/q.bin" |
        LC_ALL=C sed "s/ qid=[^ ]*/& request=n time=$(now)/g; s/ crc=[0-9a-f]*//g" | spool -n unshown log >/dev/null
    # A host whose log is not what spool writes.
    mkdir log/host
    last=$(printf '%016d' $each)
    rounds 1 $each 100 h | LC_ALL=C sed 's/ gamma=1 / gamma=1 group=7 /g' >"log/host/a.0000000000000001-$last.bin"
    { rounds 1 3 100 h; head -c 300 /dev/urandom; } >"log/host/b.0000000000000001-$last.bin"
    mkdir answers
    { answers 1 45; answers 1 3 50 h; } >answers/today
    for i in $(seq $each); do
        echo "nonsense $i"
        printf 'asked%s\ttime=%s -1\n' "$i" "$(now)"
        printf 'asked%s\t1\n' "$i"
        printf '\0\0\0\n'
        printf 'asked%s\ttime=%s 3e38\n' "$i" "$(now)"
        printf 'asked%s\ttime=%s 1e9\n' "$i" "$(now)"
        printf 'asked%s\ttime=%s 1\n' "$i" "$(now 100000)"
        printf 'asked%s\ttime=%s%s\n' "$i" "$(now)" " 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"
        printf 'r%s\ttime=%s 4\n' "$((i % 40 + 1))" "$(now)" # a second one
        printf 'y%s\ttime=%s 1\n' "$i" "$(now -5000)"
    done >answers/z
    learn 2>err
    cat err
    is "$(learnt)" 48
    is "$(cut -f 1 quarantine/1 | LC_ALL=C sort | uniq -c | sed 's/^ *//')" "$((2 * each)) answer above the top grade
$each answer from the future
$((4 * each)) answer malformed
$each answer of the wrong length
$each answer without a round
1 rest of a file of a log
$each round from the future
$each round malformed
$each round that was not shown
$each round without a request
$each round without a time
$each second answer
$each second round of a request"
    once
    # the same service without any of them
    mkdir ../good ../good/log
    cp -r log/[ay].* ../good/log
    cd ../good || return 1
    mkdir answers log/host
    rounds 1 3 100 h | spool -n b log/host >/dev/null
    cp "$OLDPWD/answers/today" answers
    learn
    is "$(learnt)" 48
    same w.bin "$OLDPWD/w.bin"
}

@test "a round that the learner refuses, or by which it diverges, is left out, and the others are learnt" {
    { rounds 1 5; rounds 6 6 | LC_ALL=C sed 's/ made=[^ ]*//; s/ gamma=/ made=rank gamma=/'; rounds 7 9; } >log.bin
    spool log <log.bin >/dev/null
    start 1 9
    learn
    cat quarantine/*
    is "$(learnt) $(quarantined 'round that the learner refused')" '8 1'
    is "$(cut -f 2 quarantine/1)" "log/rounds.0000000000000001+$(grep -abo 'rankpipe/1 round crc=[0-9a-f]* t=6 ' log/*.bin | cut -d : -f 1)"
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
    UPDATE='-a thompson -x none -p' learn 2>err || { cat err; false; }
    cut -f 1 quarantine/* | uniq -c
    is "$(learnt) $(quarantined 'round that the learner refused')" '4 2'
    grep 'sum of squared residuals becomes infinite$' quarantine/2
    UPDATE='-a thompson -x none -p' learn # nothing is left of it
    is "$(learnt)" 4
}

@test "two learners at once: each round is learnt once, and the model is that of one" {
    local runs=5 i
    [ "$STRIDE" != 1 ] || runs=30
    rounds 1 60 | spool -c 7 log >/dev/null
    start 1 60
    for ((i = 0; i < runs; i++)); do learn & done
    wait
    is "$(learnt) $(readlink state/current)" "60 $runs"
    once
}

@test "killed anywhere, the next run gives the bytes of one that was not" {
    slow
    local kills=7 killed=0 i
    [ "$STRIDE" != 1 ] || kills=70
    rounds 1 30 | spool log >/dev/null
    start 1 30
    learn
    { rounds 31 60; rounds 61 64 5000; rounds 70 70 100 '' | LC_ALL=C sed 's/ request=[^ ]*//'; } | spool log >/dev/null
    answers 31 60 >>answers/today
    cp -a . ../base
    local begun took
    begun=$(date +%s%N)
    learn
    took=$((($(date +%s%N) - begun) / 1000000)) # milliseconds, over which the kills are spread
    cp -a . ../straight
    for ((i = 1; i <= kills; i++)); do
        cd .. && rm -rf killed && cp -a base killed && cd killed || return 1
        { setsid sh "$LEARN" & } 2>/dev/null # a session, all of which is killed
        sleep "$(printf "%d.%03d" $(((i - 1) * took / kills / 1000)) $(((i - 1) * took / kills % 1000)))"
        kill -KILL -$! 2>/dev/null || true
        wait $! 2>/dev/null || true
        [ "$(readlink state/current)" = 2 ] || { killed=$((killed + 1)) && learn; }
        [ -e state/2/model.bin ]
        for file in model.bin waiting early rounds.bin quarantine; do cmp state/2/$file ../straight/state/2/$file; done
        learn # and all of it is in the archive
        is "$(spool -l seen) $(wc -l <quarantine/2)" '60 1'
    done 2>err || { cat err && return 1; }
    echo "$killed kills"
    [ $killed -gt $((kills / 2)) ]
}

@test "a service of version 0.4.0 goes on: its model, what it has learnt, and what it has not" {
    { rounds 1 20; rounds 30 40; } | spool log >/dev/null
    start 1 15
    answers 30 32 >>answers/today
    # as the older learner left it: joined 1 to 10, learnt 1 to 8, and its files
    rounds 1 10 | feedback-join -r answers/today 2>/dev/null | spool seen >/dev/null || true
    [ "$(spool -l seen)" != 0 ] || { head -n 10 answers/today >ten && rounds 1 10 | feedback-join -r ten | spool seen >/dev/null; }
    replay -n 8 seen/*.bin | update -l 5 -m model.bin
    ln -f model.bin w.bin
    touch late answers.txt
    learn 2>err
    is "$(learnt)" 18
    is "$(readlink w.bin state/current)" $'state/current/model.bin\n2'
    is "$(spool -r seen | bin2txt -f head | sed 's/.* request=r\([0-9]*\) .*/\1/' | xargs)" \
        "$(seq -s ' ' 15) 30 31 32"
    once
    is "$(bin2txt -f head state/1/model.bin | grep -o ' rounds=[0-9]*')" ' rounds=10'
}

@test "back: later runs continue from an older generation; a model that is pinned stays" {
    for n in 1 2 3 4; do
        rounds $n $n | spool log >/dev/null
        mkdir -p answers
        answers $n $n >>answers/today
        learn
    done
    learn back 2
    is "$(learnt)" 2
    ln -sf state/1/model.bin w.bin
    rounds 5 5 | spool log >/dev/null
    KEEP=1 learn
    is "$(readlink state/current) $(learnt)" '5 1'
    ln -sf state/current/model.bin w.bin
    is "$(learnt)" 4 # 3 and 4 again; 5 has no answer
    is "$(find state -name '[0-9]*' -prune | sort | xargs)" 'state/1 state/5'
    fails 1 "learn: no generation '9': choose from 5 1" sh "$LEARN" back 9
}

@test "a model that judged queries do not like is not taken into service" {
    rounds 1 8 | spool log >/dev/null
    start 1 4
    TEST=$ROOT/examples/data/small.svm learn
    is "$(learnt)" 4
    answers 5 8 >>answers/today
    export TEST=$ROOT/examples/data/small.svm LEAST=0.999
    fails 1 "*learn: $TEST: NDCG@10 of the new model is 0.*, not 0.999: it is not used" sh "$LEARN"
    echo '0 qid:1 1:x' >bad
    TEST=bad fails 1 "*learn: bad: NDCG@10 of the new model is unknown, not 0.999: it is not used" sh "$LEARN"
    is "$(learnt)" 4
    LEAST=0.1 learn
    is "$(learnt)" 8
    once
}

@test "a run in which nothing is new reads nothing, and files of a log before the oldest round that waits may go" {
    rounds 1 30 | spool -c 10 log >/dev/null
    start 1 15
    learn
    rm log/rounds.0000000000000001-*
    mv seen seen.old
    rounds 31 40 | spool -c 10 log >/dev/null
    answers 16 18 >>answers/today
    learn
    is "$(learnt) $(fact rounds_total) $(fact answers_total)" '18 40 18'
    rm log/rounds.0000000000000011-* # too early
    answers 19 21 >>answers/today
    learn
    is "$(learnt) $(quarantined 'round that left its log')" '19 2'
}

@test "a second round of a name is known by the last million, in segments that generations share" {
    awk 'BEGIN { for (i = 1; i <= 70000; i++) printf "request: n%d\n0 qid:q 1:1\n\n", i }' | svm2bin -l |
        explore -g 1 | feedback-mask | spool seen >/dev/null
    learn
    is "$(cut -f 3 state/1/learnt | sed 1d | head -n 2 | xargs)" '65536 4464'
    { rounds 1 3 100 n; rounds 69998 70003 100 n; } | spool log >/dev/null
    mkdir answers
    answers 1 3 50 n >>answers/x
    answers 69998 70003 99 n >>answers/x
    learn
    is "$(quarantined 'second round of a request') $(quarantined 'second answer')" '6 6'
    [ state/current/learnt.0 -ef state/1/learnt.0 ]
    is "$(cut -f 3 state/current/learnt | sed 1d | head -n 2 | xargs)" '65536 4467'
}

@test "what a killed or failed run was to read may have gone: the run after the next looks for itself" {
    local rest
    for rest in 0 10; do
        mkdir $rest $rest/answers
        cd $rest || return 1
        rounds 1 3 | spool log >/dev/null
        answers 1 1 >answers/a
        answers 2 3 >answers/b
        learn first
        mkdir state/next # of a run that was killed
        ln -s ../0 state/next/before
        printf 'time\t%s\nanswers\t0\t%s\tanswers/a\nend\t2\n' "$(now)" "$(wc -c <answers/a)" >state/next/batch
        truncate -s $rest answers/a
        [ $rest != 0 ] || rm answers/a
        learn 2>err || true
        learn
        is "$(learnt)" 2
        cd ..
    done
}

@test "first: a service that has a model starts beside a run, which has the lock" {
    learn first
    flock state/lock timeout 5 sh "$LEARN" first
    is "$(readlink w.bin)" state/current/model.bin
}

@test "generations are folders of numbers alone, and a pin may be an absolute path" {
    for n in 1 2 3; do
        rounds $n $n | spool log >/dev/null
        mkdir -p answers
        answers $n $n >>answers/today
        learn
        [ $n != 1 ] || cp -a state/1 state/1.kept
        [ $n != 1 ] || ln -sfn "$PWD/state/1/model.bin" w.bin
    done
    for to in current 1.kept '' .; do fails 1 "learn: no generation '$to': choose from 3 2 1 0" sh "$LEARN" back "$to"; done
    cp -a state/3 state/9.kept
    KEEP=x fails 1 "learn: KEEP is a number of generations, not 'x'" sh "$LEARN"
    KEEP=1 learn
    is "$(learnt) $(readlink state/current)" '1 4'
    is "$(find state -name '[0-9]*' -prune | sort | xargs)" 'state/1 state/1.kept state/3 state/4 state/9.kept'
}

@test "a test of judged queries holds for models that have learnt" {
    rounds 1 3 | spool log >/dev/null
    TEST=$ROOT/examples/data/small.svm LEAST=0.999 learn
    is "$(fact waiting_rounds)" 3
}

@test "a model that is learnt anew from the archive has the key of the service" {
    rounds 1 3 | spool log >/dev/null
    start 1 3
    sh "$LEARN"
    rm -r state
    sh "$LEARN"
    is "$(learnt) $(bin2txt -f head w.bin | sed 's/.* seed=\([0-9]*\) .*/\1/')" "3 $(cat state/key)"
    answers 1 3 | sed 's/^r/s/' >>answers/today
    rounds 4 6 100 s | spool log >/dev/null # and goes on
    answers 4 6 50 s >>answers/today
    sh "$LEARN"
    is "$(learnt)" 6
}
