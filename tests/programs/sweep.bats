# sweep and add-tables: many runs on many machines, none of them lost or counted
# twice. The machines are sshd on loopback, run as the user who runs the tests.
load ../helper
load ../hosts

SWEEP=$ROOT/cmd/sweep
ADD=$ROOT/cmd/add-tables
# What a shell puts in the background is deaf to SIGINT; what this begins is not.
HEARING=(perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV')

need_parallel() {
    parallel --version 2>/dev/null | grep -q GNU || skip "no GNU parallel here (Debian: parallel)"
    export HOME=$PWD # where it keeps things of its own
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
}

# The grid of most tests, 16 points of some 100 ms each.
sweep() { # folder, and options of parallel
    local folder=$1
    shift
    sh "$SWEEP" "$folder" q.bin eta='1e-4 1e-3' gamma='0.05 0.2' seed='1 2' rounds=20000 "$@"
}

teardown() {
    end_hosts
}

# halting FOLDER N [HOST ...]: programs, in the folder FOLDER.bin, that work until FOLDER has N rows,
# and some of each of the hosts, and then wait for a file `go`: what is done to them meanwhile is
# done in the middle, however slow or fast this machine may be.
halting() {
    local folder=$PWD/$1 host middle
    middle="[ \$(find '$folder/rows' -type f | wc -l) -ge $2 ]"
    for host in "${@:3}"; do middle+=" && cut -f 2 '$folder/joblog' | grep -qx $host"; done
    mkdir "$1.bin"
    ln -s "$ROOT"/bin/* "$1.bin"
    rm "$1.bin/replay"
    printf '%s\n' '#!/bin/sh' "while [ ! -f '$PWD/go' ] && $middle; do sleep 0.1; done" \
        "exec '$ROOT/bin/replay' \"\$@\"" >"$1.bin/replay"
    chmod +x "$1.bin/replay"
}

# start FOLDER COMMAND...: the sweep of that folder in the background, its process in $sweeper and
# what it says in FOLDER.said.
start() {
    local folder=$1
    shift
    "$@" </dev/null >"$folder.said" 2>&1 3>&- &
    sweeper=$!
    echo $sweeper >sweeper.pid
}

# halts FOLDER N [HOST ...]: waits until the sweep has come to what `halting` says.
halts() {
    local folder=$1 least=$2 host _
    shift 2
    for _ in {1..1200}; do
        kill -0 "$sweeper" || break
        sleep 0.1
        [ "$(find "$folder/rows" -type f 2>/dev/null | wc -l)" -ge "$least" ] || continue
        for host in "$@"; do cut -f 2 "$folder/joblog" | grep -qx "$host" || continue 2; done
        return
    done
    echo "not $least rows, and some of each of: $*; the sweep said:"
    cat "$folder.said"
    cut -f 1-8 "$folder/joblog"
    return 1
}

# ends FOLDER: waits for its sweep's end, which is a good one.
ends() {
    wait "$sweeper" && rm sweeper.pid && return
    echo "the sweep of $1 said:"
    cat "$1.said"
    cut -f 1-8 "$1/joblog"
    return 1
}

# whole FOLDER: each point of the grid has one row, and the log has it done once.
whole() {
    is "$(cut -f "1-$(awk 'NR == 1 { print NF }' "$1/points")" "$1/sweep.tsv" | sed 1d)" "$(cat "$1/points")"
    is "$(sed 1d "$1/joblog" | awk -F '\t' '$7 == 0 && $8 == 0 { print $1 }' | sort -n)" \
        "$(seq "$(wc -l <"$1/points")")"
    is "$(find "$1" -name '*.new')" ''
}

@test "on this machine: one row a point, with what the shell's own ring gives" {
    need_parallel
    sh "$SWEEP" out q.bin learner='kl ranksvm listnet' eta='1e-4 1e-3' gamma='0.1 0.2' seed='1 2' \
        rounds=500 measure='ndcg@10 map' -j 4
    whole out
    is "$(head -n 1 out/sweep.tsv | tr '\t' ' ')" 'learner eta gamma seed t ndcg@10 map'
    is "$(wc -l <out/sweep.tsv)" 25
    mkfifo ring
    replay -n 500 -s 2 q.bin | score -f ring | explore -p top -k 2 -g 0.2 -s 2 | metric -t table ndcg@10 map |
        feedback-mask -k 2 | update -a ranksvm -e 1e-3 -U 1 -f ring >w.bin
    grep -qxF "ranksvm	1e-3	0.2	2	$(tail -n 1 table)" out/sweep.tsv
    if command -v gnuplot; then
        grep -q 'listnet, gamma 0.2' out/sweep.svg
        [ -s out/sweep.png ]
    fi
}

@test "every learner of update has a row, with what the shell's own ring gives" {
    need_parallel
    all=$(update -a nobody </dev/null 2>&1 | sed -n 's/.*choose from //p' | tr -d ,)
    [ "$(echo $all | wc -w)" -ge 22 ]
    all=$(echo $all | tr ' ' '\n' | grep -vxE 'ftpl|exp3m|toprank' | paste -sd ' ')
    sh "$SWEEP" out q.bin learner="$all" eta=1e-4 seed=3 rounds=60 width='0.1 0.5' -j 2
    whole out
    is "$(head -n 1 out/sweep.tsv | tr '\t' ' ')" 'learner eta gamma seed width t ndcg@10'
    is "$(sed 1d out/sweep.tsv | cut -f 1 | uniq | paste -sd ' ')" "$all"
    for learner in thompson linucb dbgd; do is "$(grep -c "^$learner	" out/sweep.tsv)" 2; done
    is "$(grep -c "^ridge	-	0.1	3	-	60	" out/sweep.tsv)" 1
    mkfifo ring
    by_hand() { # row, then options of explore, of feedback-mask and of update
        replay -n 60 -s 3 q.bin | score -f ring | explore $2 | metric -t table ndcg@10 |
            feedback-mask $3 | update $4 -f ring >w.bin
        grep -qxF "$(echo "$1" | tr ' ' '\t')	$(tail -n 1 table)" out/sweep.tsv
    }
    by_hand 'ridge - 0.1 3 -' '-g 0.1 -s 3' '' '-a ridge'
    by_hand 'thompson - 0.1 3 0.5' '-g 0.1 -s 3' '' '-a thompson -S 0.5 -s 3'
    by_hand 'pdgd 1e-4 - 3 -' '-p plackett-luce -s 3' '-c navigational -s 3' '-a pdgd -e 1e-4 -U 1'
    by_hand 'dbgd 1e-4 - 3 0.1' '-p team-draft -s 3' '-c navigational -s 3' '-a dbgd -e 1e-4 -U 1 -S 0.1 -s 3'
    by_hand 'slam 1e-4 0.1 3 -' '-g 0.1 -s 3' '-k all' '-a slam -e 1e-4'
    by_hand 'solar1 - 0.1 3 -' '-g 0.1 -s 3' '-k all' '-a solar1 -s 3'

    synth -n 100 noisy-binary >items.bin
    sh "$SWEEP" items items.bin learner=ftpl feedback-mask.k='1 2' seed=1 rounds=200 measure=regret:dcg
    whole items
    for k in 1 2; do
        replay -n 200 -s 1 items.bin | score -f ring | explore -p blocks -T 200 -k $k -s 1 |
            metric -t table regret:dcg | feedback-mask -k $k | update -a ftpl -f ring >w.bin
        grep -qxF "ftpl	-	-	1	$k	$(tail -n 1 table)" items/sweep.tsv
    done
}

@test "held: the model of each point ranks the rounds of another file" {
    need_parallel
    mkdir 'a folder'
    svm2bin "$ROOT/examples/data/small.svm" | replay -b 7 -n 60 - >'a folder/test it.bin'
    sh "$SWEEP" swept q.bin held='a folder/test it.bin' learner='kl memory' eta=1e-4 seed='1 2' rounds=300 \
        measure='ndcg@10 map' -j 2
    is "$(head -n 1 swept/sweep.tsv | cut -f 5- | tr '\t' ' ')" 't ndcg@10 map held-out:ndcg@10 held-out:map'
    is "$(awk -F '\t' 'NF == 9' swept/sweep.tsv | wc -l)" 5
    for seed in 1 2; do
        loop "replay -n 300 -s $seed q.bin | score | explore -s $seed | feedback-mask | update -s $seed" >w.bin
        score -m w.bin <'a folder/test it.bin' | explore -s $seed | metric ndcg@10 map | tail -n 1 | cut -f 2- >held
        is "$(awk -F '\t' -v seed=$seed '$1 == "memory" && $4 == seed' swept/sweep.tsv | cut -f 8-)" "$(cat held)"
    done
    # the same command again runs nothing, and a changed file is another sweep
    sleep 1 && touch rows.as
    sh "$SWEEP" swept q.bin held='a folder/test it.bin' learner='kl memory' eta=1e-4 seed='1 2' rounds=300 \
        measure='ndcg@10 map' -j 2
    is "$(find swept/rows -type f -newer rows.as)" ''
    replay -b 2 -n 61 'a folder/test it.bin' >other && mv other 'a folder/test it.bin'
    fails 1 'sweep: swept holds another sweep: *' sh "$SWEEP" swept q.bin held='a folder/test it.bin' learner='kl memory' \
        eta=1e-4 seed='1 2' rounds=300 measure='ndcg@10 map'
    fails 1 'sweep: held=nowhere.bin: no such file' sh "$SWEEP" new q.bin held=nowhere.bin
}

# own LINES: the program `own`, a script that learns in update's place.
own() {
    printf '%s\n' '#!/bin/sh' "$@" >own
    chmod +x own
}

@test "exec: a program in update's place gives what update gives, and once more when it has changed" {
    need_parallel
    mkdir 'a folder' && cd 'a folder'
    own 'exec update -a ridge "$1" "$2" "$3" "$4" # -f RING -m MODEL'
    grid=(learner='exec:./own ridge' explore.p=top explore.k=1 seed='1 2' rounds=200 held=../q.bin -j 2)
    sh "$SWEEP" swept ../q.bin "${grid[@]}"
    whole swept
    is "$(sed -n 's/^exec:own\t//p' swept/sweep.tsv)" "$(sed -n 's/^ridge\t//p' swept/sweep.tsv)"
    is "$(head -n 1 'swept/rows/exec:own,-,0.1,2,top,1')" "# $(cksum <own)"
    cp swept/sweep.tsv before
    own '# other bytes' 'exec update -a ridge "$1" "$2" "$3" "$4"'
    touch rows.as && sleep 1
    sh "$SWEEP" swept ../q.bin "${grid[@]}" 2>err
    is "$(cat err)" 'sweep: 2 rows of a program that changed since are made again'
    is "$(find swept/rows -newer rows.as -name 'ridge*')" ''
    same before swept/sweep.tsv
    own 'exit 3'
    fails 1 '*own: it ended with status 3*sweep: 2 of 4 points have no row, the first is exec:own*' \
        sh "$SWEEP" swept ../q.bin "${grid[@]}"
    # what is shown and seen by default, and the seed
    own '[ "$5 $6" = "-s 4" ] && exec update -a ridge "$1" "$2" "$3" "$4"'
    sh "$SWEEP" alone ../q.bin learner=exec:own seed=4 rounds=60
    loop 'replay -n 60 -s 4 ../q.bin | score | explore -p top -k 1 -g 0.1 -s 4 | metric -t table ndcg@10 |
        feedback-mask | update -a ridge' >w.bin
    is "$(sed 1d alone/sweep.tsv)" "exec:own	-	0.1	4	$(tail -n 1 table)"
}

@test "exec: a program that dies, stops or leaves no model has no row, and is said with its last lines" {
    need_parallel
    while IFS='|' read -r how wrong; do
        own "echo its last" "$how"
        echo "$how"
        fails 1 "*own: $wrong; its last lines:"$'\n'"*its last"$'\n'"*" \
            env RANKPIPE_PATIENCE=2 sh "$SWEEP" swept q.bin learner=exec:own seed=1 rounds=200 --retries 1
        [ -z "$(ls swept/rows)" ]
        rm -r swept
    done <<'END'
sleep 4321 & sleep 4321|no round was learnt for 2 s, so it was ended
exit 3|it ended with status 3
kill -9 $$|it ended with status 137
exit 0|it ended before round 200
exec update -a ridge "$1" "$2" >/dev/null|it left no model in the file of -m
update -a ridge "$1" "$2" "$3" "$4"; echo >>"$0"|it changed while it ran
END
    if pgrep -f 'sleep 4321'; then return 1; fi
}

@test "exec: a host whose program has other bytes is refused" {
    need_parallel
    host one
    own 'exec update -a ridge "$1" "$2" "$3" "$4"'
    sh "$SWEEP" here q.bin learner=exec:own seed='1 2' rounds=100
    sh "$SWEEP" there q.bin learner=exec:own seed='1 2' rounds=100 --sshlogin 1/one
    same here/sweep.tsv there/sweep.tsv
    mkdir other # where the host has a line more
    ln -s "$ROOT"/bin/* other
    printf '%s\n' '#!/bin/sh' 'cat >copy.$$' '[ -z "$SSH_CONNECTION" ] || ! grep -q "exec update" copy.$$ || echo >>copy.$$' \
        'PATH=/usr/bin:/bin exec cksum <copy.$$' >other/cksum
    chmod +x other/cksum
    fails 1 "*$(hostname) has [0-9]* [0-9]* for $PWD/own, and not what it is where sweep began*1 of 1 points have no row*" \
        sh "$SWEEP" refused q.bin learner=exec:own seed=1 rounds=100 bin="$PWD/other" --sshlogin 1/one
}

@test "options of update, explore and feedback-mask make a grid, each point once" {
    need_parallel
    sh "$SWEEP" out q.bin learner='kl ridge' eta='1e-4 1e-3' gamma='0.1 0.3' seed=2 rounds=60 radius=2 \
        plain='default on' explore.p='default top plackett-luce' explore.H='0.5 1' feedback-mask.k='1 2' \
        explore.k=2 -j 2
    whole out
    # kl: 2 steps x (2 gammas x 2 policies + 2 temperatures) x 2 places; ridge: 1 x 6 x 2 x 2 plain or not
    is "$(sed 1d out/sweep.tsv | cut -f 1 | uniq -c | tr -s ' ' | paste -sd ' ')" ' 24 kl  24 ridge'
    mkfifo ring
    replay -n 60 -s 2 q.bin | score -f ring | explore -p plackett-luce -H 0.5 -s 2 | metric -t table ndcg@10 |
        feedback-mask -k 2 | update -a kl -e 1e-3 -U 2 -f ring >w.bin
    grep -qxF "kl	1e-3	-	2	-	plackett-luce	0.5	2	-	$(tail -n 1 table)" out/sweep.tsv
    replay -n 60 -s 2 q.bin | score -f ring | explore -p top -k 2 -g 0.3 -s 2 | metric -t table ndcg@10 |
        feedback-mask -k 1 | update -a ridge -p -f ring >w.bin
    grep -qxF "ridge	-	0.3	2	on	top	-	1	2	$(tail -n 1 table)" out/sweep.tsv
    # horizons in place of a step size and a share of exploring rounds
    sh "$SWEEP" horizon q.bin learner=squared seed=1 rounds=60 horizon=60 explore.T=60
    replay -n 60 -s 1 q.bin | score -f ring | explore -p top -k 1 -T 60 -s 1 | metric -t table ndcg@10 |
        feedback-mask | update -a squared -T 60 -f ring >w.bin
    grep -qxF "squared	default	default	1	60	60	$(tail -n 1 table)" horizon/sweep.tsv
    # clicks
    sh "$SWEEP" clicks q.bin learner=ridge seed=1 rounds=60 gamma=0 feedback-mask.c='default perfect' \
        feedback-mask.L=4
    replay -n 60 -s 1 q.bin | score -f ring | explore -g 0 -s 1 | metric -t table ndcg@10 |
        feedback-mask -c perfect -L 4 -s 1 | update -a ridge -f ring >w.bin
    grep -qxF "ridge	-	0	1	perfect	4	$(tail -n 1 table)" clicks/sweep.tsv
    is "$(cut -f 5,6 clicks/points | sed -n 1p)" 'default	-'
}

@test "-h explains every name" {
    sh "$SWEEP" -h >text
    head -n 1 text | grep '^usage: sweep '
    for name in learner eta gamma seed tradeoff update.X explore.X feedback-mask.X rounds radius measure bin; do
        grep "^  $name=" text
    done
    is "$(awk 'length > 100' text)" ''
    fails 2 'usage: sweep *' sh "$SWEEP" -x q.bin
}

@test "what is done is not done again" {
    need_parallel
    sweep out -j 4
    cp out/joblog before
    cp out/sweep.tsv once.tsv
    sweep out -j 4
    same before out/joblog
    rm out/rows/kl,1e-4,0.2,2
    sweep out -j 4
    is "$(wc -l <out/joblog)" "$(wc -l <before)"
    same once.tsv out/sweep.tsv
    whole out
    # nor what a machine that crashed left empty, or half, taken for done
    : >out/rows/kl,1e-4,0.2,1
    printf 'kl\t1e-4' >out/rows/kl,1e-4,0.2,2
    sweep out -j 4
    same once.tsv out/sweep.tsv
    whole out
}

@test "a sweep that was interrupted goes on, whatever ended it" {
    need_parallel
    sweep want -j 2
    signals=KILL
    [ "$STRIDE" != 1 ] || signals="INT TERM KILL"
    for signal in $signals; do
        halting $signal 3
        start $signal setsid "${HEARING[@]}" sh "$SWEEP" $signal q.bin eta='1e-4 1e-3' \
            gamma='0.05 0.2' seed='1 2' rounds=20000 bin="$PWD/$signal.bin" -j 2
        halts $signal 3
        all=$(alive_below $sweeper)
        # shellcheck disable=SC2086
        kill -$signal $all
        wait "$sweeper" || true
        rm sweeper.pid
        [ ! -f $signal/sweep.tsv ]
        done=$(find $signal/rows -type f | wc -l)
        echo "$signal: $done rows"
        [ "$done" -ge 3 ] && [ "$done" -lt 16 ]
        (cd $signal/rows && for row in *; do same "$row" "../../want/rows/$row"; done)
        awk 'NR > 1 { print $1, $3 }' $signal/joblog | sort >before
        sweep $signal -j 4
        whole $signal
        same want/sweep.tsv $signal/sweep.tsv
        # of what had been done, all but what was done just then was not done again
        awk 'NR > 1 { print $1, $3 }' $signal/joblog | sort >after
        [ "$(comm -12 before after | wc -l)" -ge $((done - 2)) ]
    done
}

@test "two hosts: a host that dies in the middle loses no row and doubles none" {
    need_parallel
    host one
    host two
    sweep want -j 2
    halting dies 4 one two
    start dies sweep dies bin="$PWD/dies.bin" --sshlogin 2/one,2/two
    halts dies 4 one two
    end one KILL
    touch go
    ends dies
    whole dies
    same want/sweep.tsv dies/sweep.tsv
    cut -f 1-8 dies/joblog
    is "$(sed 1d dies/joblog | cut -f 2 | sort -u | paste -sd ' ')" 'one two'
    [ "$(cut -f 2 dies/joblog | grep -c one)" -lt 8 ]
}

@test "two hosts: one that falls silent is given up" {
    in_release # in make check a host dies, above
    need_parallel
    host one 2
    host two
    sh "$SWEEP" want q.bin rounds=20000 seed=1
    halting silent 2
    start silent sh "$SWEEP" silent q.bin rounds=20000 seed=1 bin="$PWD/silent.bin" \
        --sshlogin 2/one,2/two
    halts silent 2
    end one STOP
    touch go
    ends silent
    whole silent
    same want/sweep.tsv silent/sweep.tsv
}

@test "all hosts die: the rows that are there stay, and other hosts go on" {
    in_release # as above
    need_parallel
    host one
    host two
    halting out 3
    start out sweep out bin="$PWD/out.bin" --sshlogin 2/one
    halts out 3
    end one KILL
    touch go
    if ends out; then return 1; fi
    grep -q '^sweep: [0-9]* of 16 points have no row, the first is .*again goes on$' out.said
    [ ! -f out/sweep.tsv ]
    sweep out --sshlogin 4/two
    whole out
    sweep want -j 2
    same want/sweep.tsv out/sweep.tsv
}

@test "hosts of a list in a file: those that are dead, or answer and do no more, are passed over" {
    in_release # as above
    need_parallel
    printf '%s\n' 'Host gone*' '    Port 1' >gone.ssh # nobody is there
    host one
    printf '%s\n' '[ "$1" != stuck ] || exec sleep 1000' 'exec ssh -F '"$PWD"'/ssh_config "$@"' >connect
    printf '%s\n' 1/gone1 1/gone2 1/stuck 2/one >list
    start out env PARALLEL_SSH="sh $PWD/connect" sh "$SWEEP" out q.bin eta='1e-5 1e-3' seed=1 rounds=100 \
        --retries 9 --timeout 6 --sshloginfile list
    ends out
    whole out
    is "$(sed 1d out/joblog | cut -f 2 | sort -u)" one
}

@test "a host with another release or other data is refused, and one that greets is borne" {
    need_parallel
    host one
    mkdir other
    ln -s "$ROOT"/bin/* other
    rm other/rankpipe
    printf '%s\n' '#!/bin/sh' "[ -z \"\$SSH_CONNECTION\" ] || echo rankpipe 9.9; exec $ROOT/bin/rankpipe \"\$@\"" \
        >other/rankpipe
    chmod +x other/rankpipe
    fails 1 '*has rankpipe 9.9*of 1 points have no row*' sh "$SWEEP" refused q.bin \
        learner=kl eta=1e-4 seed=1 rounds=100 bin="$PWD/other" --sshlogin 1/one
    printf '%s\n' 'echo Welcome to this host; printf "a\tb\tc\td\te f\n"; exec ssh "$@"' >greeter
    PARALLEL_SSH="sh $PWD/greeter -F $PWD/ssh_config" sh "$SWEEP" greeted q.bin \
        eta=1e-4 seed='1 2' rounds=100 --sshlogin 2/one
    whole greeted
}

@test "a sweep that cannot run is an error" {
    need_parallel
    sh "$SWEEP" --help | grep -q '^usage: sweep '
    fails 2 'usage: sweep *' sh "$SWEEP" out
    fails 1 'sweep: nowhere.bin: no such file' sh "$SWEEP" out nowhere.bin
    printf 'exit 1\n' >'a,b' && chmod +x 'a,b' && mkdir sub && cp -p 'a,b' own && cp -p own sub
    none() { sh "$SWEEP" none q.bin "$@"; }
    refuses 1 none <<'TEXT'
etta=1 | etta: did you mean eta?
lerner=kl | lerner: did you mean learner?
width=1 | width: no learner of the grid has such a setting; *
a/b=1 | what is 'a/b=1'?*
learner='kl kl' | learner=kl is in the grid twice
learner='a/b' | learner=a/b: values are words *
learner=exec: | learner=exec:: values are words *
learner=exec:q.bin | learner=exec:q.bin: no such program, or not one that may be executed
learner=exec:./a,b | learner=exec:a,b: its name is not of letters, *
learner='exec:own exec:sub/own' | learner=exec:own is in the grid twice
learner=exec:own eta=1 | eta: nothing in the grid takes this option
learner='kl nobody' | learner=nobody: update: no learner 'nobody'*
learner=kl eta='1e-4 0' | update -a kl -e 0 -U 1: update: -e *
seed=1 gamma='0.1 7' | explore -p top -g 7 -k 1 -s 1: explore: -g *
seed=1 feedback-mask.c=nobody | feedback-mask *: feedback-mask: -c *
measure=nosuch | measure=nosuch: metric: *
update.C=1 | update.C: nothing in the grid takes this option
explore.H=1 | explore.H: nothing in the grid takes this option
update.e=1 | update.e: its name is eta
update.m=1 | update.m: sweep sets it itself
explore.F=1 explore.F=2 | explore.F is given twice
metric.G=lin | what is 'metric.G=lin'?*
TEXT
    [ ! -e none ]
    fails 1 '*weights diverge*sweep: 1 of 2 points have no row, the first is kl*1e30*' \
        sh "$SWEEP" grid q.bin learner=kl eta='1e-4 1e30' seed=1 rounds=100 radius=default
    fails 1 'sweep: grid holds another sweep*' sh "$SWEEP" grid q.bin learner=kl
}

# shares N: makes the tables share.1 to share.N of 1000 rounds, and `whole` of all of them.
shares() {
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
    update -a listnet -T 240 -m w.bin <q.bin
    for i in $(seq "$1"); do
        replay -n 1000 -s 3 -i "$i/$1" q.bin | score -m w.bin | explore -g 0.3 -s 4 |
            metric -r ndcg@10 map loss:listnet >"share.$i"
    done
    replay -n 1000 -s 3 q.bin | score -m w.bin | explore -g 0.3 -s 4 |
        metric ndcg@10 map loss:listnet >table
    sed -n '1p; $p' table >whole
}

@test "the tables of shares add up to the table of the whole, in any order" {
    for n in 1 2 7; do
        shares $n
        sh "$ADD" -v last=1000 $(ls share.* | sort -r) >sum
        same whole sum
        rm share.*
    done
    # where a measure leaves rounds out
    svm2bin >some.bin <<<"$(small_text)"
    for i in 1 2 3; do replay -i $i/3 some.bin | explore -g 1 | metric -r -z skip map p@1 >share.$i; done
    replay some.bin | explore -g 1 | metric -z skip map p@1 | sed -n '1p; $p' >whole
    sh "$ADD" -v last=3 share.* >sum
    same whole sum
}

@test "the tables of shares of a log add up to its estimates, and their standard errors" {
    svm2bin "$ROOT/examples/data/small.svm" | explore -g 1 | feedback-mask -k 2 >log.bin
    update -a listnet -T 240 -m w.bin < <(svm2bin "$ROOT/examples/data/small.svm")
    score -m w.bin <log.bin | metric ips:dcg@10 ips:p@3 | cut -f -5 | sed -n '1p; $p' >whole # without the intervals
    for n in 1 2 7 240; do # the last are of one round each
        for i in $(seq $n); do
            replay -i $i/$n log.bin | score -m w.bin | metric -r ips:dcg@10 ips:p@3 >share.$i
        done
        sh "$ADD" -v last=240 $(ls share.* | sort -r) >sum
        same whole sum
        rm share.*
    done
    svm2bin "$ROOT/examples/data/small.svm" | score -m w.bin | explore >shown.bin # beside others
    metric map ips:dcg@10 ndcg <shown.bin | cut -f -5 | sed -n '1p; $p' >whole
    for i in 1 2 3; do replay -i $i/3 shown.bin | metric -r map ips:dcg@10 ndcg >share.$i; done
    sh "$ADD" -v last=240 share.* >sum
    same whole sum
    sed 's/:spread/:squares/' share.1 >other
    fails 1 'add-tables: other: ips:dcg@10:sum is not followed by its spread' sh "$ADD" -v last=240 other
}

@test "a share that is missing, counted twice or not whole is an error" {
    shares 4
    add() { sh "$ADD" "$@"; }
    refuses 1 add <<'TEXT'
-v last=1000 share.[134] | rounds 251 to 500 are in no table
-v last=1000 share.[234] | rounds 1 to 250 are in no table
-v last=1000 share.[123] | rounds 751 to 1000 are in no table
-v last=1000 share.? share.2 | rounds 251 to 500 are there twice, in share.2 and share.2
-v last=900 share.? | round 1000 of share.4 is behind the last, 900
share.? | say -v last=N*
TEXT
    replay -n 1000 -s 3 -i 2/4 q.bin | head -c 50000 | explore -g 1 | metric -r ndcg@10 map loss:listnet >share.2 || true
    fails 1 'add-tables: rounds 2* to 500 are in no table' sh "$ADD" -v last=1000 share.?
    replay -i 1/2 q.bin | explore -g 1 | metric -r map >share.2
    fails 1 'add-tables: share.2: its columns are not*' sh "$ADD" -v last=1000 share.?
    fails 1 'add-tables: table: ndcg@10: no table of metric -r' sh "$ADD" -v last=1000 table
    explore -g 1 <q.bin | metric -r -e 100 map >late
    fails 1 'add-tables: late: no row after its first round*' sh "$ADD" -v last=240 late
    synth -n 20 noisy-binary | explore -g 1 | metric -r regret:dcg >game
    fails 1 'add-tables: game: regret:dcg:sum cannot be added up*' sh "$ADD" -v last=20 game
}

# The literal blocks of rankpipe(7)'s section on many machines, as files page.1, page.2, ...
blocks() {
    awk '/^\.Ss Many machines/ { on = 1; next } /^\.S[sh]/ { on = 0 }
        on && /^\.Bd/ { n++; block = 1; next } /^\.Ed/ { block = 0 }
        on && block { gsub(/\\e/, "\\"); gsub(/\\&/, ""); print >("page." n) }' "$ROOT/man/rankpipe.7"
}

@test "rankpipe(7): what it says of many machines does what it says" {
    need_parallel
    blocks
    ln -s "$ROOT/examples" examples
    head -n 100 page.*
    update -a listnet -T 240 -m w.bin <q.bin
    score -m w.bin <q.bin | explore | metric ndcg@10 | sed -n '1p; $p' >want

    # the sweep, on hosts that are this machine
    sed 's|8/one,8/two|:|' page.1 >local
    if cmp -s local page.1; then return 1; fi
    bash -e local
    whole out

    bash -e page.2 >have # shares by parallel
    same want have
    rm share.*

    for i in 1 2 3 4 5 6 7 8; do SLURM_ARRAY_TASK_ID=$i sh page.3; done # a Slurm array
    sh "$ADD" -v last=240 share.[1-8] >have
    same want have
    rm share.*

    cp page.4 share # a mapper of Hadoop's, or a pipe of Spark's
    seq 4 | sh share >part-1
    printf '%s\n' '16	8' '14	7' '12	6' '10	5' | sh share >part-2
    cat part-2 part-1 >parts
    bash -e page.5 >have
    same want have
    if seq 9 9 | sh share; then return 1; fi # no such share: the task fails
}

@test "rankpipe(7): shares by parallel on hosts that have a folder in common" {
    need_parallel
    host one
    host two
    blocks
    sed 's|^parallel|& --env PATH --sshlogin 2/one,2/two --workdir "$PWD"|' page.2 >share # PATH: of this tree
    grep -q sshlogin share
    ln -s "$ROOT/examples" examples
    update -a listnet -T 240 -m w.bin <q.bin
    score -m w.bin <q.bin | explore | metric ndcg@10 | sed -n '1p; $p' >want
    bash -e share >have </dev/null
    same want have
    is "$(sed 1d log | cut -f 2 | sort -u | paste -sd ' ')" 'one two'
}
