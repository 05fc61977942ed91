# A ring whose learner runs on another machine, and shares under mpirun. The machine is an sshd or a
# socat on loopback, run as the user who runs the tests.
load ../helper
load ../hosts

LIMIT=40 # seconds; more is a hang

# The blocks of rankpipe(7)'s section on a learner elsewhere, as files page.1, page.2, ...
blocks() {
    awk '/^\.Ss A learner on another machine/ { on = 1; next } /^\.S[sh]/ { on = 0 }
        on && /^\.Bd/ { n++; block = 1; next } /^\.Ed/ { block = 0 }
        on && block { gsub(/\\e/, "\\"); gsub(/\\&/, ""); print >("page." n) }' "$ROOT/man/rankpipe.7"
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

# continued: the model of the other machine is one of rounds 1 to n, and whoever continues it at n + 1
# gets the bytes of a run that never stopped.
continued() {
    local n
    n=$(of_there)
    [ "$n" -gt 50 ]
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
