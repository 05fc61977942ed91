# The ring never hangs and never lies: each case ends within a time limit, as promised.
load ../helper
load ../runs

PATH=$ROOT/build/tests/shim:$PATH # mkstream, relay
LIMIT=20                     # seconds; more is a hang

# The members in the order of the pipe. A case puts something else in the place of one by its
# variable: source=..., score=...
MEMBERS="source score explore metric mask update"

# members: six that learn; `stored` is what they deal from, without an end. No trace is left of those
# that ran before them.
members() {
    small_text | svm2bin >stored
    [ -p ring ] || mkfifo ring
    rm -f statuses table model model.lock ./*.pid ./*.err
    source="replay -n 1000000000 stored"
    score="score -f ring"
    explore="explore -g 0.5"
    metric="metric -e 1 -t table ndcg@10"
    mask="feedback-mask -k 1"
    update="update -a kl -e 0.01 -d 10000000 -f ring -m model" # of any width
}

# run_ring: runs them. Each member's process number is in NAME.pid, its words in NAME.err, the
# statuses, in order, in `statuses`.
run_ring() {
    rm -f statuses
    # shellcheck disable=SC2016,SC2154
    timeout -s KILL $LIMIT bash -c '
        member() {
            echo $BASHPID >$1.pid
            eval "exec $2" 2>$1.err
        }
        member source "$1" | member score "$2" | member explore "$3" | member metric "$4" |
            member mask "$5" | member update "$6"
        echo "${PIPESTATUS[*]}" >statuses' bash "$source" "$score" "$explore" "$metric" "$mask" \
        "$update" </dev/null 3>&- || { echo "not over after $LIMIT seconds" && return 1; }
}

# ended STATUS...: how the members ended, in order. 0 and 141 are without words, 1 and 2 with
# words that begin with the program's name; 141/1 is one of the two; 7! is 7, its words no matter.
# That update resumes is no matter either.
ended() {
    local member want got rest
    read -r rest <statuses
    for member in $MEMBERS; do
        want=$1 got=${rest%% *} rest=${rest#* }
        shift
        case "/${want%!}/" in
        */"$got"/*) ;;
        *)
            echo "$member exits $got, not $want"
            tail -n 3 ./*.err
            return 1
            ;;
        esac
        case $want in *!) continue ;; esac
        sed -i '/^update: resuming from round [1-9][0-9]* of model$/d' $member.err
        case $got/$(head -c 200 $member.err) in
        0/ | 141/) ;;
        [12]/score:* | [12]/explore:* | [12]/metric:* | [12]/feedback-mask:* | [12]/update:*) ;;
        *)
            echo "$member exits $got with the words '$(cat $member.err)'"
            return 1
            ;;
        esac
    done
}

# learn [OPTION...]: update, as the members have it, alone.
learn() {
    update -a kl -e 0.01 -d 10000000 "$@"
}

# ---- rule 1: what score holds ----

# sees_late N: on a run of 12 rounds with -w N, round r is scored by exactly the model of the first
# max(0, r - N).
sees_late() {
    local r known window=$1
    members
    rm -f model
    source="replay -n 12 stored"
    score="score -f ring -w $window"
    explore="sh -c 'tee scored | explore -g 0.5'"
    update="sh -c 'tee learnt | update -a kl -e 0.1 -f ring -m model'"
    run_ring
    ended 0 0 0 0 0 0
    mkstream model learner=kl rounds=0 dim=0 w:f8 >model.0
    for r in {1..12}; do
        replay -n $r learnt | update -a kl -e 0.1 >model.$r
        known=$((r > window ? r - window : 0))
        replay -b $r -n $r scored >it
        score -m model.$known <it >again
        same it again
        bin2txt -f rank <(explore <it) | cut -f 5 >scores.$r
    done
    same model model.12
}

@test "with -w 1 each round is scored with all that was learnt before it" {
    sees_late 1
    # and this tells one model from the next: no two rounds of one query had the same scores
    [ "$(cat scores.1 scores.4 scores.7 scores.10 | sort -u | wc -l)" = 10 ] # round 1: all 0
}

@test "with -w 2 each round is scored with what was learnt a round ago" {
    sees_late 2
    [ "$(cat scores.1 scores.2 | sort -u)" = 0 ]
    [ "$(sort -u scores.3)" != 0 ]
}

@test "with -w 5 each round is scored with what was learnt four rounds ago" {
    sees_late 5
    [ "$(cat scores.[1-5] | sort -u)" = 0 ]
    [ "$(sort -u scores.6)" != 0 ]
}

# cores: where each member may run, once for each set of cores.
cores() {
    for member in score explore metric mask update; do
        sed -n 's/^Cpus_allowed_list:\t//p' "/proc/$(cat $member.pid)/status"
    done | sort -u
}

@test "with -w 1 the members stay on one core, of those where they may be; with -w 2 the system has its way" {
    [ "$(uname)" = Linux ] && command -v taskset || skip "no taskset here"
    free=$(sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status)
    [[ $free == *[-,]* ]] || skip "one core"
    last=${free##*[-,]}
    members
    run_ring &
    SECONDS=0
    until [ -e update.pid ] && [[ $(cores 2>/dev/null) != *[!0-9]* ]] && [ -n "$(cores)" ]; do
        [ $SECONDS -lt $LIMIT ]
        sleep 0.1
    done
    # What the user asks for meanwhile holds, also for those who follow.
    for member in score explore metric mask update; do
        taskset -pc "$last" "$(cat $member.pid)"
    done
    until [ "$(cores)" = "$last" ]; do
        [ $SECONDS -lt $LIMIT ]
    done
    rounds=$(wc -l <table)
    until [ "$(wc -l <table)" -gt $((rounds + 20000)) ]; do
        [ $SECONDS -lt $LIMIT ]
        sleep 0.1
        [ "$(cores)" = "$last" ]
    done
    kill "$(cat source.pid)"
    wait
    score="score -f ring -w 2"
    rm -f table ./*.pid
    run_ring &
    until [ -e table ] && [ "$(wc -l <table)" -gt 5000 ]; do
        [ $SECONDS -lt $((2 * LIMIT)) ]
        sleep 0.1
    done
    [ "$(cores)" = "$free" ]
    kill "$(cat source.pid)"
    wait
}

@test "a window wider than the run scores all of it with what update starts from" {
    sees_late 64
    [ "$(cat scores.* | sort -u)" = 0 ]
    # which is the model it goes on with, not a new one
    mv model start
    members
    cp start model
    source="replay -b 13 -n 24 stored"
    score="score -f ring -w 64"
    explore="sh -c 'tee scored | explore -g 0.5'"
    update="update -a kl -e 0.1 -f ring -m model"
    run_ring
    ended 0 0 0 0 0 0
    score -m start <scored >again
    same scored again
}

@test "the model is saved before the ring ends: once score is gone it is there" {
    members
    source="replay -n 20 stored"
    # The wrapper must not hold the pipe: score closes its output and only then awaits the end.
    score="bash -c 'exec 4<&0; score -f ring <&4 & exec 4<&- >&-; wait \$!; cp model seen'"
    run_ring
    ended 0 0 0 0 0 0
    same model seen
}

@test "update -f - sends the ring to standard output, and score ends although the FIFO stays open" {
    members
    source="replay -n 20 stored"
    run_ring
    ended 0 0 0 0 0 0
    mv model straight
    LIMIT=6
    update="update -a kl -e 0.01 -d 10000000 -f - -m model >ring"
    run_ring
    ended 0 0 0 0 0 0
    same straight model
    rm model
    sleep 20 <>ring 3>&- & # a writer that never ends
    run_ring
    kill $!
    ended 0 0 0 0 0 0
    same straight model
    fails 2 'update: -f - needs -m: standard output carries the ring, not the model*' update -f -
}

@test "the end record is the end, although a wrapper keeps the output of score open" {
    members
    LIMIT=6
    source="replay -n 20 stored"
    run_ring
    ended 0 0 0 0 0 0
    mv model straight
    for wrapper in 'timeout 60 score -f ring' "sh -c 'score -f ring; true'" \
        "bash -c 'time score -f ring'" "sh -c 'score -f ring -w 1 | cat; true'"; do
        members
        rm -f model
        source="replay -n 20 stored"
        score=$wrapper
        run_ring 2>/dev/null
        rm -f score.err # the times
        [ "$(cat statuses)" = '0 0 0 0 0 0' ]
        same straight model
    done
    rm model
    mkstream >none # no rounds
    source='cat none'
    run_ring
    ended 0 0 0 1 0 1
}

@test "update ends at the end record, although a wrapper keeps its input open" {
    members
    LIMIT=6
    source="replay -n 20 stored"
    mask="sh -c 'feedback-mask -k 1; sleep 3; true'"
    run_ring &
    sleep 1.5
    [ -e model ] && [ ! -e model.lock ]
    wait $!
    ended 0 0 0 0 0 0
    # and what follows that record is an error, not rounds left out
    replay -n 2 stored >two
    cat two two >four
    exec 8<>ring # a reader
    fails_on four 1 'update: <stdin>: more came after the end record, which must be the end of a ring' \
        timeout -s KILL $LIMIT update -a kl -e 0.01 -f ring -m other
    exec 8>&-
    [ "$(bin2txt -f head other | sed 's/.* rounds=\([0-9]*\) .*/\1/')" = 2 ]
}

@test "a program that waits for ten seconds says for what, once" {
    local silent
    small_text | svm2bin >stored
    mkfifo in.1 in.2 in.3 ring
    mkstream model learner=kl rounds=0 dim=0 w:f8 >model
    exec 7<>in.1 8<>in.2 9<>in.3
    timeout 22 score -m model <in.1 >/dev/null 2>score.err 3>&- &
    timeout 22 svm2bin in.2 >/dev/null 2>svm2bin.err 3>&- &
    timeout 22 update -a kl <in.3 >/dev/null 2>update.err 3>&- &
    # an update that falls silent after its first message
    { sed '$d' model && exec sleep 22; } >ring 3>&- &
    timeout 22 score -f ring <stored >/dev/null 2>ring.err 3>&- &
    sleep 9
    for silent in score svm2bin update ring; do
        [ ! -s $silent.err ]
    done
    wait
    exec 7<&- 8<&- 9<&-
    is "$(cat score.err)" 'score: still waiting for <stdin> after 10 seconds'
    is "$(cat svm2bin.err)" 'svm2bin: still waiting for in.2 after 10 seconds'
    is "$(cat update.err)" 'update: still waiting for <stdin> after 10 seconds'
    is "$(cat ring.err)" 'score: still waiting for weights from ring ring after 10 seconds'
}

@test "a first message that comes before the first round is not waited for again" {
    members
    LIMIT=4
    source="sh -c 'sleep 0.3; exec replay -n 20 stored'"
    run_ring
    ended 0 0 0 0 0 0
}

# ---- sizes ----

# start WEIGHTS: `start`, a model of so many weights to go on from.
start() {
    [ -f "start.$1" ] || mkstream round t=1 docs=2 dim="$1" label:f4 1 0 ptr:u4 0 2 3 \
        idx:u4 0 $(($1 - 1)) 1 val:f4 1 1 1 | learn >"start.$1"
    cp "start.$1" start
}

# two_of BYTES: a stored of two rounds, of one and of two documents without features, whose payload
# is about so many bytes. What it is made of does not change what is learnt.
two_of() {
    local ballast=()
    [ "$1" -le 10 ] || ballast=(ballast:u1 "7*$1")
    mkstream round t=1 docs=2 dim=0 label:f4 0 2 "${ballast[@]}" \
        + round t=2 docs=1 dim=0 label:f4 1 "${ballast[@]}" >stored
}

# sizes BYTES WEIGHTS ROUNDS: -w 1, 2 and 64, with metric in the middle and without, all give the
# model that records of 10 bytes give without.
sizes() {
    local window payload middle
    members
    start "$2"
    source="replay -n $3 stored"
    for window in 1 2 64; do
        score="score -f ring -w $window"
        rm -f straight
        for payload in $(printf '%s\n' 10 "$1" | sort -u); do
            two_of "$payload"
            for middle in cat 'metric -t table ndcg@10'; do
                metric=$middle
                cp start model
                run_ring
                ended 0 0 0 0 0 0
                [ -f straight ] || cp model straight
                same straight model
            done
        done
        mv straight "model.$window"
    done
    if cmp model.1 model.64; then return 1; fi # that feedback comes late does make a difference
}

@test "records of 10 bytes, a model of 10 weights" {
    sizes 10 10 300
}

@test "records of 10 bytes, a model of 1,000,000 weights" {
    sizes 10 1000000 24
}

@test "records of 10 MB, a model of 10 weights" {
    sizes 10000000 10 12
}

@test "records of 10 MB, a model of 1,000,000 weights" {
    sizes 10000000 1000000 8
}

@test "records whose 10 MB are features, so that the model is as large" {
    members
    mkstream round t=1 docs=2 dim=1250000 label:f4 0 2 x:f4 '0.5*1250000' '0.25*1250000' \
        + round t=2 docs=1 dim=1250000 label:f4 1 x:f4 '-0.125*1250000' >stored
    source="replay -n 6 stored"
    update="sh -c 'tee learnt | update -a squared -e 1e-8 -f ring -m model'"
    for window in 1 2 64; do
        score="score -f ring -w $window"
        rm -f model
        run_ring
        ended 0 0 0 0 0 0
        update -a squared -e 1e-8 <learnt >straight
        same straight model
    done
}

# ---- what lies between: pipes of any size, members of any speed ----

# same_model: the run gives the model `straight`.
same_model() {
    rm -f model
    run_ring
    ended 0 0 0 0 0 0
    same straight model
}

# through RELAY...: every member reads through the relay.
through() {
    members
    source="replay -n $rounds stored"
    score="score -f ring -w $window < <($*)"
    explore="explore -g 0.5 < <($*)"
    metric="metric -t table ndcg@10 < <($*)"
    mask="feedback-mask -k 1 < <($*)"
    update="update -a kl -e 0.01 -f ring -m model < <($*)"
}

@test "the model is the same whatever the pipes hold and however slow the members are" {
    rounds=60
    for window in 1 2 64; do
        through cat # itself a relay, of pieces as they come
        run_ring
        ended 0 0 0 0 0 0
        mv model straight
        through relay -p 4096 # as little as Linux lets a pipe hold
        same_model
        through relay -p 1048576
        same_model
        through relay -c 7
        same_model
        through relay -c 4099 -p 8192
        same_model
        through relay -c 61 -s 29 # slow now and then
        same_model
        for slow in score explore metric mask update; do
            members
            source="replay -n $rounds stored"
            score="score -f ring -w $window"
            eval "$slow+=' < <(relay -c 61 -s 11)'"
            same_model
        done
    done
}

@test "the model is the same whatever the ring holds and however slow it is" {
    members
    mkfifo back
    start 100000 # 800 KB a message
    source="replay -n 12 stored"
    for window in 1 2 64; do
        score="score -f ring -w $window"
        update="update -a kl -e 0.01 -d 10000000 -f ring -m model" # of any width
        cp start model
        run_ring
        ended 0 0 0 0 0 0
        mv model straight
        for relay in 'relay -p 4096' 'relay -p 1048576' 'relay -c 1021' 'relay -c 65521 -s 5'; do
            cp start model
            update="sh -c '$relay <back >ring & exec update -a kl -e 0.01 -d 10000000 -f back -m model'"
            run_ring
            ended 0 0 0 0 0 0
            same straight model
        done
    done
}

# ---- members that die ----
# Who comes after a dead one finds its stream cut short: 1, in words. Who comes before it finds
# nobody to write to: 141, without. In a ring score comes before everyone, but after update: of a
# death further down it hears from both sides, that nobody reads it (141) and that update ended with
# the stream (1, "update is gone after round n"), and what it says is what it heard first. Those
# behind it hear it from one side alone: score that knows update gone leaves them the time to die.

# deaths DEAD STATUS: all has ended as is right when that member died with the status.
deaths() {
    echo "$1 dies with $2"
    case $1 in
    source) ended "$2!" 1 1 1 1 1 ;;
    score) ended 141 "$2!" 1 1 1 1 ;;
    explore) ended 141 141/1 "$2!" 1 1 1 ;;
    metric) ended 141 141/1 141 "$2!" 1 1 ;;
    mask) ended 141 141/1 141 141 "$2!" 1 ;;
    update) ended 141 141/1 141 141 141 "$2!" ;;
    esac
    # Whatever score says, it is about its input or about update.
    [ "$1" = score ] || [ "$1" = source ] || [ ! -s score.err ] ||
        grep '^score: ring ring: update is gone after round [0-9]*$' score.err
}

@test "a member that is gone at once" {
    for dead in $MEMBERS; do
        members
        eval "$dead=false"
        run_ring
        deaths "$dead" 1
        [ ! -e model ]
    done
}

@test "a member that is killed at its start" {
    for dead in $MEMBERS; do
        members
        eval "$dead='sh -c \"kill -9 \\\$\\\$\"'"
        run_ring
        deaths "$dead" 137
        [ ! -e model ]
    done
}

@test "a member that was given a wrong option" {
    for dead in $MEMBERS; do
        members
        command=${!dead}
        eval "$dead='${command%% *} -Q ${command#* }'"
        run_ring
        deaths "$dead" 2
        grep "no option '-Q'" "$dead.err"
        [ ! -e model ]
    done
}

# measured ROUNDS: waits until so many rounds are in the table of a ring that runs.
measured() {
    local tries=500
    until [ -f table ] && [ "$(wc -l <table)" -gt "$1" ]; do
        sleep 0.01
        [ $((tries -= 1)) -gt 0 ] || { echo "no $1 rounds in 5 seconds" && return 1; }
    done
}

# killed DEAD [ROUNDS]: the member is killed when so many rounds have been measured.
killed() {
    run_ring &
    measured "${2:-50}"
    kill -9 "$(cat "$1.pid")"
    wait $!
}

@test "a member that is killed in the middle" {
    for dead in $MEMBERS; do
        members
        killed "$dead"
        deaths "$dead" 137
        if [ "$dead" = update ]; then
            [ ! -e model ]
        else
            rounds=$(bin2txt -f head model | sed 's/.* rounds=\([0-9]*\) .*/\1/')
            [ "$rounds" -ge 48 ] # all but what was on its way
            grep "^update: <stdin>: stream cut short after round $rounds\$" update.err
            [ ! -e model.lock ]
        fi
    done
}

@test "a member that is killed in the middle, rounds running ahead of their feedback" {
    for dead in $MEMBERS; do
        members
        score="score -f ring -w 64"
        killed "$dead" 300
        deaths "$dead" 137
    done
}

@test "a member that is killed while 10 MB records and 8 MB messages are on their way" {
    two_of 10000000
    mv stored large
    for dead in $MEMBERS; do
        members
        ln -f large stored
        score="score -f ring -w 4"
        start 1000000
        cp start model
        killed "$dead" 3
        deaths "$dead" 137
    done
}

@test "members that are killed at any moment" {
    for pause in 0.000 0.003 0.006 0.010 0.014 0.020; do
        for dead in $MEMBERS; do
            members
            run_ring &
            runner=$!
            until [ -s "$dead.pid" ]; do :; done
            sleep $pause
            kill -9 "$(cat "$dead.pid")"
            wait $runner
            # Who has not yet become its program when it finds things broken has no words of its
            # own; that all is over, and nothing passes for success, is what counts here.
            if grep -w 0 statuses; then return 1; fi
        done
    done
}

@test "score is killed: what still arrives is learnt and saved, exit 1" {
    members
    update="sh -c 'tee learnt | update -a kl -e 0.01 -f ring -m model'"
    killed score
    deaths score 137
    fails_on learnt 1 'update: <stdin>: stream cut short after round *' update -a kl -e 0.01 -m again
    same again model
}

# not_read STREAM: update learns from it into `model`, its reader gone after a bite of message 0.
not_read() {
    rm -f bite
    relay -n 10 <ring >bite 3>&- &
    { until [ -s bite ]; do sleep 0.01; done && cat "$1"; } |
        timeout -s KILL $LIMIT update -a kl -e 0.01 -d 10000000 -f ring -m model
}

@test "score reads no more, but its stream has an end: all is learnt, exit 0" {
    members
    score -m <(mkstream model learner=kl rounds=0 dim=0 w:f8) <stored | explore -g 0.5 |
        feedback-mask -k 1 >learnt
    start 100000
    cp start straight
    learn -m straight <learnt 2>err
    cp start model
    not_read learnt 2>err
    is "$(cat err)" 'update: resuming from round 1 of model'
    same straight model
    head -c 300 learnt >cut
    fails 1 "$(resuming model 'update: <stdin>: stream cut short after round 1')" not_read cut
    [ "$(bin2txt -f head model | sed 's/.* rounds=\([0-9]*\) .*/\1/')" = 5 ]
}

@test "a member that leaves after two rounds of its input" {
    # The relay in its place passes on what it gets, so that who comes next may miss what the member
    # would have put there: it is that one that breaks then, and the relay is before it.
    bytes=400
    for dead in $MEMBERS; do
        members
        LIMIT=8
        eval "$dead='relay -n $bytes'"
        [ "$dead" != mask ] || update+=" -X"
        [ "$dead" != source ] || source="relay -n 150 <stored"
        [ "$dead" != update ] || update="sh -c 'relay -n $bytes | update -a kl -e 0.01 -f ring'"
        run_ring
        case $dead in
        source) ended 0 1 1 1 1 1 ;;
        score) # unscored rounds: explore cannot; update finds no score
            ended 141 141/0! 1 1 1 1
            grep 'explore: <stdin>: round 1 (qid a): needs score' explore.err
            grep 'update: ring ring: no score reads it' update.err
            ;;
        explore)
            ended 141 141/1 141/0! 1 1 1
            grep 'metric: <stdin>: round 1 (qid a): needs order' metric.err
            ;;
        metric) ended 141 141/1 141 0! 1 1 ;;
        mask) ended 141 141/1 141 141 0! 1 ;; # labels unmasked: -X lets update learn from them all
        update) # the shell around it holds the pipe a little longer than update does
            ended 141 141/1 141 141 141 1
            grep 'update: <stdin>: stream cut short after round [12]' update.err
            ;;
        esac
    done
}

# ---- partners that never come, or are not what they should be ----

# patient NAME COMMAND...: in a folder of its own, at the same time as others: what it says to
# NAME/err, its status to NAME/status. 20 seconds are the limit.
patient() {
    local name=$1
    shift
    mkdir "$name"
    cp stored "$name"
    mkfifo "$name/ring" "$name/other" "$name/quiet"
    {
        cd "$name" || return
        timeout -s KILL 20 bash -c "$*" >out 2>err && echo 0 >status || echo $? >status
    } 3>&- &
}

@test "partners that never come are not waited for: each ends in words within 20 seconds" {
    members
    patient score 'replay -n 9 stored | score -f ring | cat'
    patient many 'replay -n 1000000000 stored | score -f ring -w 64 >/dev/null'
    patient empty "echo 'rankpipe/1 end rounds=0 bytes=0' | score -f ring | cat"
    patient update 'update -a kl -e 1 -f ring -m model <stored'
    patient quiet 'update -a kl -e 1 -f ring -m model <>quiet' # nothing ever comes
    patient two 'replay -n 9 stored | { score -f ring || echo $? >score; } | explore -g 0.5 |
        feedback-mask | update -a kl -e 1 -f other -m model'
    patient head 'replay -n 9 stored | { score -f ring || echo $? >score; } |
        { explore -g 0.5 || echo $? >explore; } | { head -c 5000 && echo 0 >head; }'
    wait
    head -n 3 ./*/err
    for case in score many empty two head; do
        [ "$(grep '^score:' $case/err)" = 'score: ring ring: no update opened it within 15 seconds: is there an update -f ring in the pipeline?' ]
    done
    for case in update quiet; do
        [ "$(cat $case/err)" = 'update: ring ring: no score reads it: is there a score -f ring in the pipeline?' ]
    done
    [ "$(grep '^update:' two/err)" = 'update: ring other: no score reads it: is there a score -f other in the pipeline?' ]
    [ "$(cat many/status update/status quiet/status two/status | tr '\n' ' ')" = '1 1 1 1 ' ]
    [ "$(cat two/score head/score head/explore head/head | tr '\n' ' ')" = '1 1 1 0 ' ]
    [ "$(echo */model* | tr -d '*/')" = model ] # none
}

@test "a second score on the same ring is refused, and does not disturb the first" {
    members
    run_ring &
    runner=$!
    measured 5
    ln -s ring link
    for ring in ring link; do
        fails_on stored 1 "score: ring $ring: another score reads it already" \
            timeout -s KILL $LIMIT score -f $ring
    done
    measured $(($(wc -l <table) + 50)) # it goes on
    kill -9 "$(cat source.pid)"
    wait $runner
    deaths source 137
}

@test "a ring that is missing, or is not a FIFO, is an error of both programs" {
    members
    fails_on stored 1 'score: ring nowhere: make it with mkfifo first*' score -f nowhere
    fails_on stored 1 'update: ring nowhere: make it with mkfifo first*' update -a kl -e 1 -f nowhere
    [ ! -e nowhere ]
    echo precious >plain
    for ring in plain /dev/null; do
        fails_on stored 1 "score: ring $ring is not a FIFO: make one with mkfifo" score -f $ring
        fails_on stored 1 "update: ring $ring is not a FIFO: make one with mkfifo" \
            update -a kl -e 1 -f $ring
    done
    [ "$(cat plain)" = precious ]
    fails_on stored 1 'score: ring .*' score -f .
    fails_on stored 1 'update: ring .*' update -a kl -e 1 -f .
}

@test "an empty stream round the ring: score exits 0, update and metric have no rounds" {
    members
    echo 'rankpipe/1 end rounds=0 bytes=0' >empty
    for metric in cat 'metric -t table map'; do
        for window in 1 2 64; do
            score="score -f ring -w $window"
            source="cat empty"
            run_ring
            case $metric in cat) ended 0 0 0 0 0 1 ;; *) ended 0 0 0 1 0 1 ;; esac
            [ "$(cat update.err)" = 'update: <stdin>: no rounds' ]
            [ ! -e model ]
        done
    done
    [ "$(cat metric.err)" = 'metric: <stdin>: no rounds' ]
}

@test "a model among the rounds is refused by score, not passed into a jam" {
    members
    start 1000000
    cp start model
    { head -c $(($(wc -c <start) - 32)) start && cat stored; } >odd
    source="cat odd"
    for window in 1 64; do
        score="score -f ring -w $window"
        run_ring
        ended 141/0 1 1 1 1 1
        grep '^score: .*the stream has a model: with -f, only rounds may come' score.err
        same start model
    done
}

# refuses_ring PATTERN FILE: what score says of these bytes on its ring.
refuses_ring() {
    # shellcheck disable=SC2016
    timeout -s KILL $LIMIT sh -c 'cat "$1" >ring & exec score -f ring <stored >out 2>err' sh "$2" \
        3>&- && return 1
    # shellcheck disable=SC2254
    case $(cat err) in
    $1) ;;
    *) cat err && return 1 ;;
    esac
}

# changes WORD...: a whole first message of two weights, and a second of changes, in `odd`.
changes() {
    mkstream model learner=kl rounds=0 dim=2 w:f8 1 2 + model learner=kl rounds=1 "$@" >odd
}

# whole TEXT: of messages as bin2txt has them: what the last one leaves, a weight a line.
whole() {
    awk '$1 == "w" || $1 == "direction" { v[$2] = $3 }
         $1 == "scale" { scale = $3 }
         $1 == "index" { at[$2] = $3 }
         $1 == "value" { v[at[$2]] = $3 }
         /^#/ { sub(/.* dim=/, ""); dim = $1 + 0 }
         END { for (j = 1; j <= dim; j++) printf "%.17g\n", v[j] + 0; print scale }' "$1"
}

@test "a large model goes round as what changed of it, a small one whole" {
    made 2000 50 | svm2bin >wide
    made 20 1 | svm2bin >narrow
    members
    for options in '-e 1e-4' '-e 0.01 -U 1.5'; do
        for stored in wide narrow; do
            replay -n 90 $stored | score -m <(mkstream model learner=kl rounds=0 dim=0 w:f8) |
                explore -g 0.5 | feedback-mask -k 1 >learnt
            rm -f model
            timeout -s KILL $LIMIT cat ring >messages 3>&- &
            # shellcheck disable=SC2086
            { sleep 0.5 && cat learnt; } | update -a kl $options -f ring -m model
            wait $!
            bin2txt messages >text
            [ "$(grep -c '^#' text)" = 91 ]
            [ $stored = narrow ] || [ "$(grep -c '^#.*cols=index:u4' text)" -gt 80 ]
            [ $stored = wide ] || ! grep -q '^#.*cols=index:u4' text
            whole text >left
            bin2txt model >text
            # the file has w beside; what it is made of is what went round
            case $options in *-U*) grep -v '^w' text >t && mv t text ;; esac
            whole text | cmp - left
            [ "$(sort -u left | wc -l)" -gt 15 ]
        done
    done
}

@test "score believes nothing that comes round the ring unchecked" {
    members
    mkstream model learner=kl rounds=5 dim=1 w:f8 1 + model learner=kl rounds=7 dim=1 w:f8 1 >odd
    refuses_ring 'score: ring ring: the weights after round 7 came, but those after round 6 were due: does a second update write to it?' odd
    mkstream model learner=kl rounds=5 dim=1 w:f8 1 + model learner=kl rounds=5 dim=1 w:f8 1 >odd
    refuses_ring 'score: ring ring: the weights after round 5 came, but those after round 6 were due: *' odd
    refuses_ring 'score: ring ring: it carried a round, not a model' stored
    mkstream model learner=oracle rounds=0 dim=1 w:f8 1 >odd
    refuses_ring 'score: *it is a model of the learner oracle, which this version does not have' odd
    mkstream model learner=kl rounds=0 dim=1 w:f8 nan >odd
    refuses_ring 'score: ring ring: model: weight 0 is nan' odd
    mkstream model learner=kl rounds=0 dim=2 w:f8 1 >odd
    refuses_ring 'score: ring ring: model: no column w:f8\[2\] for dim=2' odd
    mkstream model learner=kl rounds=0 dim=1 direction:f8 1 scale:f8 0 >odd
    refuses_ring 'score: ring ring: model: scale is 0, not above 0' odd
    for seed in 1e300 -1 0.5 9007199254740994; do
        mkstream model learner=dbgd rounds=0 dim=1 width=1 seed=$seed w:f8 1 >odd
        refuses_ring "score: *: model: seed=$seed is not a valid value" odd
    done
    mkstream model learner=kl rounds=0 dim=1 index:u4 0 value:f8 1 >odd
    refuses_ring 'score: ring ring: its first message holds changes, not all weights' odd
    # what a second message may not change; `stored` deals more rounds than one
    for columns in 'index:u4 0' 'value:f8 1' 'index:u4 0 value:f8 1 2' 'index:f8 0 value:f8 1'; do
        # shellcheck disable=SC2086
        changes dim=2 $columns
        refuses_ring 'score: ring ring: model: needs the column w, or direction, or the columns index:u4\[n\] and value:f8\[n\] with n up to dim=2' odd
    done
    changes dim=2 index:u4 1 2 value:f8 1 1
    refuses_ring 'score: ring ring: model: index 1 is 2, not below dim=2' odd
    changes dim=2 index:u4 1 value:f8 inf
    refuses_ring 'score: ring ring: model: weight 0 is inf' odd
    changes dim=1 index:u4 0 value:f8 1
    refuses_ring 'score: *changes to 1 weights came, but the model had 2 weights' odd
    echo 'hello, ring' >odd
    refuses_ring "score: *ring: not a rankpipe stream: it begins with 'hello, ring*" odd
    # a stream that ends, or breaks off, while rounds are still to come
    mkstream model learner=kl rounds=3 dim=1 w:f8 1 + model learner=kl rounds=4 dim=1 w:f8 1 >odd
    refuses_ring 'score: ring ring: update is gone after round 1' odd
    head -c 100 odd >cut
    refuses_ring 'score: ring ring: update is gone after round 0' cut
    : >cut
    refuses_ring 'score: ring ring: update is gone after round 0' cut
}

@test "score waits a second for the end of a ring that stays open, and not for ever" {
    members
    mkstream model learner=kl rounds=0 dim=3 w:f8 1 2 3 >message
    size=$(($(wc -c <message) - $(mkstream | wc -c)))
    # shellcheck disable=SC2016
    timeout -s KILL $LIMIT sh -c 'exec 4<>ring && head -c "$1" message >&4 &&
        replay -n 1 stored | score -f ring >out' sh $size 3>&-
    is "$(bin2txt -f head out | wc -l)" 1
}

@test "score waiting for input hears that update is gone, with every window" {
    for window in 1 2 64; do
        members
        source="sh -c 'replay -n 2 stored | head -c 150; exec sleep $LIMIT'" # and no more
        score="score -f ring -w $window"
        mask="sh -c 'sleep 1; exec feedback-mask -k 1'"
        run_ring &
        runner=$!
        measured 1
        # so late that a message waits, and all after it, up to explore, have gone without a reader
        sleep 0.2
        kill -STOP "$(cat score.pid)"
        sleep 1
        kill -9 "$(cat update.pid)"
        while kill -0 "$(cat explore.pid)" 2>/dev/null; do sleep 0.01; done
        kill -CONT "$(cat score.pid)"
        tries=1000
        until [ -s score.err ]; do
            sleep 0.01
            [ $((tries -= 1)) -gt 0 ]
        done
        grep '^score: ring ring: update is gone after round [01]$' score.err
        kill "$(cat source.pid)"
        wait $runner
    done
}

@test "a model in the stream is refused by score at the ring, for update may be waiting for it" {
    members
    svm2bin >rounds <<<'1 qid:a 1000000:1'
    update -a kl -e 0.1 -m big.bin <rounds
    { head -c -32 big.bin && cat rounds; } >mixed
    cp big.bin w.bin
    got=0
    timeout -s KILL $LIMIT sh -c 'score -f ring <mixed | update -a kl -e 0.1 -f ring -m w.bin' \
        3>&- 2>err || got=$?
    cat err
    [ $got = 1 ]
    grep '^score: <stdin>: record 1: the stream has a model: with -f, only rounds may come$' err
    same w.bin big.bin
}
