# A ring whose learner runs on another machine, and shares under mpirun. The machine is an sshd or a
# socat on loopback, run as the user who runs the tests.
load ../helper
load ../hosts

LIMIT=40 # seconds; more is a hang

# The blocks of rankpipe(7)'s section on a learner elsewhere, as files page.1, page.2, ...
blocks() {
    awk '/^\.Ss A learner on another machine/ { on = 1; next } /^\.S[sh]/ { on = 0 }
        on && /^\.Bd/ { n++; block = 1; next } /^\.Ed/ { block = 0 }
        on && block { gsub(/\\e/, "\\"); gsub(/\\&/, ""); gsub(/\\\(aq/, "\047"); print >("page." n) }' "$ROOT/man/rankpipe.7"
}

# The queries, the folder of the other machine, and what a ring on this one learns.
rounds() {
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
    mkdir there
    mkfifo ring
    replay -n 2000 -s 1 q.bin | score -f ring | explore | feedback-mask -k 1 | update -f ring -m local.bin
}

# by_ssh: an ssh that knows the host `there`, whose home is its folder.
by_ssh() {
    local real
    real=$(command -v ssh) || skip "no ssh here (Debian: openssh-client)"
    host there
    mkdir -p programs
    cat >programs/ssh <<END
#!/bin/sh
# The words after the host's name are run in its folder, with the programs of this tree.
while [ "\$1" != there ]; do options="\$options \$1"; shift; done
shift
echo \$\$ >ssh.client
exec $real -F "$PWD/ssh_config" \$options there "cd $PWD/there && PATH=$ROOT/bin:\\\$PATH && \$*"
END
    chmod +x programs/ssh
    PATH=$PWD/programs:$PATH
}

teardown() {
    end_hosts
    [ ! -f listener ] || kill -KILL "$(cat listener)" 2>/dev/null || true
}

# run_page FILE: its commands, in their own folder, within LIMIT; what the shell and the programs say
# is in `said`, the statuses of the last pipeline in `statuses`.
run_page() {
    { cat "$1"; echo 'echo "${PIPESTATUS[*]}" >statuses'; } >command
    timeout -s KILL $LIMIT bash command </dev/null >said 2>&1 3>&- || { cat said && return 1; }
}

# of_there: how many rounds the model of the other machine has learnt.
of_there() {
    bin2txt -f head there/w.bin 2>/dev/null | sed 's/.* rounds=\([0-9]*\) .*/\1/'
}

# saved ROUNDS...: waits until the other machine has a model, and no update any more.
saved() {
    local _
    for _ in {1..100}; do
        [ -e there/w.bin ] && [ ! -e there/w.bin.lock ] && return
        sleep 0.1
    done
    echo "no model there, or an update that does not end" && return 1
}

# endless FILE: the page's command with a run that does not end by itself, and a table of its rounds.
endless() {
    sed 's/-n 2000/-n 1000000000/; s/| explore |/| explore | metric -e 1 -t table ndcg@10 |/' "$1" >endless
    grep -q 1000000000 endless
    grep -q table endless
}

# underway: waits until some rounds have gone round.
underway() {
    local _
    for _ in {1..200}; do
        [ -f table ] && [ "$(wc -l <table)" -gt 100 ] && return
        sleep 0.1
    done
    cat said
    return 1
}

# continued: the model of the other machine is one of rounds 1 to n, and a run that continues it at
# n + 1 gives the bytes of one that never stopped.
continued() {
    local n
    n=$(of_there)
    [ "$n" -gt 50 ]
    rm ring
    mkfifo ring
    replay -n $((n + 500)) -s 1 q.bin | score -f ring | explore | feedback-mask -k 1 | update -n -f ring -m one.bin
    replay -b $((n + 1)) -n $((n + 500)) -s 1 q.bin | score -f ring | explore | feedback-mask -k 1 |
        update -f ring -m there/w.bin
    same one.bin there/w.bin
}

@test "rankpipe(7): a learner behind ssh gives the bytes of a ring on one machine, with any window" {
    rounds
    blocks
    by_ssh
    run_page page.1
    is "$(cat statuses)" '0 0 0 0 0'
    is "$(cat said)" ''
    same local.bin there/w.bin
    rm there/w.bin local.bin
    sed 's/score -f ring/& -w 16/' page.1 >wide
    replay -n 2000 -s 1 q.bin | score -f ring -w 16 | explore | feedback-mask -k 1 | update -f ring -m local.bin
    run_page wide
    same local.bin there/w.bin
}

@test "a learner behind ssh whose connection is cut saves its model, and the ring ends and says so" {
    rounds
    blocks
    by_ssh
    endless page.1
    for cut in client server silence; do
        rm -f table there/w.bin*
        sed -i 's/ServerAliveInterval=[0-9]*/ServerAliveInterval=1/' endless
        run_page endless &
        ring=$!
        underway
        case $cut in
        client) kill -KILL "$(cat ssh.client)" ;;
        server) sessions KILL ;;
        silence) sessions STOP ;;
        esac
        wait $ring
        cat said
        case $cut/$(cat statuses) in
        client/*' 137') ;;
        */*' 255') ;;
        *) cat statuses && return 1 ;;
        esac
        gone
        [ $cut != silence ] || sessions KILL
        saved
        [ "$(of_there)" -gt 50 ]
    done
    continued
}

# sessions SIGNAL: those of the host's sshd get it, and not what runs in them.
sessions() {
    local pid
    for pid in $(alive_below "$(cat there.pid)"); do
        [ "$pid" != "$(cat there.pid)" ] || continue
        case $(ps -o comm= -p "$pid") in sshd*) kill "-$1" "$pid" ;; esac
    done
}

# gone: score reports what happened, unless it died of SIGPIPE.
gone() {
    [ "$(cut -d ' ' -f 2 statuses)" = 141 ] || grep -x 'score: ring ring: update is gone after round [0-9]*' said
}

@test "a ring whose score or whose host fails at the start does not hang" {
    rounds
    blocks
    by_ssh
    LIMIT=20
    sed 's/score -f ring/score -Q/' page.1 >broken
    run_page broken
    grep "no option '-Q'" said
    [ "$(cut -d ' ' -f 5 statuses)" = 1 ]
    [ ! -e there/w.bin ]
    sed 's/there update -f - -m w.bin/there exit 3/' page.1 >absent
    run_page absent
    cat said statuses
    [ "$(cut -d ' ' -f 5 statuses)" = 3 ]
}

# by_socat: the listener of the page, on a port of its own.
by_socat() {
    local _
    command -v socat || skip "no socat here (Debian: socat)"
    port=$((20000 + RANDOM % 12000))
    sed -i "s/7001/$port/; s/bind=there/bind=127.0.0.1/; s/TCP:there/TCP:127.0.0.1/" "$@"
    (cd there && exec bash ../page.2) </dev/null >listened 2>&1 3>&- &
    listening=$!
    for _ in {1..100}; do
        listens "$(printf '0100007F:%04X' "$port")" && break
        sleep 0.1
    done
    pgrep -P $listening -x socat >listener || echo $listening >listener
}

listens() {
    awk -v at="$1" '$2 == at && $4 == "0A" { found = 1 } END { exit !found }' /proc/net/tcp
}

@test "rankpipe(7): a learner behind socat gives the bytes of a ring on one machine" {
    rounds
    blocks
    by_socat page.2 page.3
    run_page page.3
    wait $listening
    is "$(cat statuses said listened)" '0 0 0 0 0'
    same local.bin there/w.bin
}

@test "a learner behind socat whose connection is cut saves its model, and the ring ends and says so" {
    rounds
    blocks
    by_socat page.2 page.3
    endless page.3
    sed -i 's/-t 15/-t 1/' endless
    run_page endless &
    ring=$!
    underway
    kill -KILL "$(cat listener)"
    wait $ring
    gone
    saved
    continued
}

@test "the shares of mpirun's processes add up to the bytes of one run" {
    command -v mpirun || skip "no mpirun here (Debian: openmpi-bin)"
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
    update -a listnet -T 240 -m w.bin <q.bin
    score -m w.bin <q.bin | explore | metric ndcg@10 map | sed -n '1p; $p' >want
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm=isolated HOME=$PWD
    ranks() { mpirun --oversubscribe -np "$1" sh "$ROOT/examples/slurm/ranks" shares q.bin w.bin "${@:2}" </dev/null; }
    mpirun --oversubscribe -np 4 true </dev/null || skip "mpirun cannot run four processes here"
    ranks 4 ndcg@10 map
    sh "$ROOT/examples/slurm/sum" 4 shares q.bin
    same want shares/sum.tsv
    # Another model in the same folder is refused by every process, and a missing share by the sum.
    update -n -a listnet -T 100 -m w.bin <q.bin
    if ranks 4 ndcg@10 map 2>said; then return 1; fi
    grep 'not those of shares/settings' said
    rm shares/share.3-4
    if sh "$ROOT/examples/slurm/sum" 4 shares q.bin; then return 1; fi
    fails 2 'ranks: start it by mpirun or srun*' sh "$ROOT/examples/slurm/ranks" shares q.bin w.bin ndcg@10
}
