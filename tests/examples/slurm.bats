# examples/slurm: shares under Slurm and mpirun, a sweep, and a node that dies. The cluster is two
# nodes on loopback, with daemons of its own, run as the user who runs the tests.
load ../helper

SLURM=$ROOT/examples/slurm
PATH=$PATH:/usr/sbin # where Debian has the daemons

# A free port for each daemon, unless another program takes it first.
ports() {
    local base=$((20000 + RANDOM % 12000))
    echo $base $((base + 1)) $((base + 2))
}

configuration() { # folder and ports
    cat <<END
ClusterName=loopback
SlurmctldHost=$(uname -n)(127.0.0.1)
SlurmctldPort=$2
AuthType=auth/munge
AuthInfo=socket=$1/munge
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/%n
SlurmctldPidFile=$1/slurmctld.number
SlurmdPidFile=$1/%n.number
SlurmctldLogFile=$1/slurmctld.log
SlurmdLogFile=$1/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
MessageTimeout=10
SlurmdTimeout=10
KillWait=2
NodeName=node1 NodeAddr=127.0.0.1 Port=$3 CPUs=4
NodeName=node2 NodeAddr=127.0.0.1 Port=$4 CPUs=4
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE
END
}

# daemon NAME COMMAND...: its process number is in NAME.pid.
daemon() {
    setsid "${@:2}" </dev/null >"$1.out" 2>&1 3>&- &
    echo $! >"$1.pid"
}

start_cluster() {
    mkdir -p state node1 node2
    # shellcheck disable=SC2046
    configuration "$PWD" $(ports) >slurm.conf
    daemon munged munged --foreground --force --num-threads=2 --key-file="$PWD/munge.key" \
        --socket="$PWD/munge" --pid-file="$PWD/munged.number" --seed-file="$PWD/munge.seed" \
        --log-file="$PWD/munged.log"
    daemon slurmctld slurmctld -D
    daemon node1 slurmd -D -N node1
    daemon node2 slurmd -D -N node2
    within 60 idle
}

# within SECONDS COMMAND...: waits until it succeeds.
within() {
    local tries=$(($1 * 10))
    until "${@:2}"; do
        sleep 0.1
        [ $((tries -= 1)) -gt 0 ] || { echo "not within $1 seconds: ${*:2}" && return 1; }
    done
}

# both_run: waits until a task runs on each node.
both_run() {
    within 120 test -e on.node1 && within 120 test -e on.node2 && return
    sinfo -o '%n %T %E'
    squeue
    tail -n 20 ./*.log
    return 1
}

idle() {
    [ "$(timeout 5 sinfo -h -t idle -o %D 2>/dev/null)" = 2 ]
}

# of_cluster NODE: the processes of this cluster's jobs on that node, a pattern.
of_cluster() {
    { grep -lzxF -e "SLURM_CONF=$PWD/slurm.conf" /proc/[0-9]*/environ |
        xargs -r grep -lzx -e "SLURMD_NODENAME=$1" | tr -dc '0-9\n'; } 2>/dev/null || true
}

# with_steps PID...: these, and the daemons slurmstepd that started some of them.
with_steps() {
    local pid parent
    for pid; do
        echo "$pid"
        parent=$(ps -o ppid= -p "$pid" | tr -d ' ')
        case $(ps -o comm= -p "${parent:-1}") in slurmstepd) echo "$parent" ;; esac
    done
}

# die NODE: its daemon and all that runs there are gone at once, and can report nothing.
die() {
    local all
    # shellcheck disable=SC2046
    all=$(cat "$1.pid"; with_steps $(of_cluster "$1"))
    # shellcheck disable=SC2086
    kill -STOP $all 2>/dev/null || true # some are gone already
    # shellcheck disable=SC2086
    kill -KILL $all 2>/dev/null || true
}

stop_cluster() {
    local all
    # shellcheck disable=SC2046
    all=$(cat ./*.pid; with_steps $(of_cluster ".*"))
    # shellcheck disable=SC2086
    kill -KILL $all 2>/dev/null || true
    wait 2>/dev/null || true
}

need_slurm() {
    local tool
    for tool in munged slurmctld slurmd sbatch srun; do
        command -v $tool || skip "no $tool here (Debian: slurm-wlm, munge)"
    done
    not_sanitized "the deadlines are for programs at full speed"
    export SLURM_CONF=$PWD/slurm.conf
    (umask 077 && head -c 1024 /dev/urandom >munge.key)
    start_cluster && return
    stop_cluster
    rm -rf state node1 node2
    start_cluster || skip "Slurm's daemons cannot be run here: $(tail -qn 1 ./*.out | paste -sd ' ')"
}

teardown() {
    [ -z "${SLURM_CONF-}" ] || stop_cluster
}

# A model, and what it is worth by one run without an engine.
model() {
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
    update -a listnet -T 240 -m w.bin <q.bin
    score -m w.bin <q.bin | explore | metric ndcg@10 map | sed -n '1p; $p' >want
}

# halting PROGRAM: programs of which this one notes its node, and waits for the file go before it runs.
halting() {
    mkdir halting
    ln -s "$ROOT"/bin/* halting
    rm "halting/$1" halting/rankpipe
    printf '%s\n' '#!/bin/sh' "touch '$PWD/on.'\$SLURMD_NODENAME" \
        "until [ -f '$PWD/go' ]; do sleep 0.1; done" "exec '$ROOT/bin/$1' \"\$@\"" >"halting/$1"
    printf '%s\n' '#!/bin/sh' "[ \$1 != --path ] || { echo '$PWD/halting' && exit; }" \
        "exec '$ROOT/bin/rankpipe' \"\$@\"" >halting/rankpipe
    chmod +x "halting/$1" halting/rankpipe
    PATH=$PWD/halting:$PATH
}

state_of() { # a job
    scontrol --oneliner show job "$1" | grep -o 'JobState=[A-Z_]*' | sort -u | paste -sd ' '
}

is_over() { # a job
    [ "$(state_of "$1")" = JobState=COMPLETED ]
}

requeued() { # a job: some task of it is
    scontrol --oneliner show job "$1" | grep 'JobState=PENDING.* Restarts=1'
}

# Slurm waits two minutes before it starts a job again.
start_at_once() {
    scontrol --oneliner show job "$1" | sed -n 's/.* ArrayTaskId=\([0-9]*\) .*Restarts=1.*/\1/p' |
        while read -r task; do scontrol update JobId="$1_$task" StartTime=now; done
}

@test "tasks of srun, and an array of shares whose node dies, add up to what one run prints" {
    need_slurm
    model
    srun --ntasks=4 sh "$SLURM/ranks" ranks q.bin w.bin ndcg@10 map </dev/null
    sh "$SLURM/sum" 4 ranks q.bin
    same want ranks/sum.tsv
    halting replay
    read -r array sum < <(sh "$SLURM/judge" 6 out q.bin w.bin ndcg@10 map)
    both_run
    die node2
    touch go
    within 120 requeued "$array"
    [ ! -e out/sum.tsv ]
    is "$(state_of "$sum")" JobState=PENDING
    start_at_once "$array"
    within 180 is_over "$sum"
    same want out/sum.tsv
    scontrol --oneliner show job "$array" | grep 'Restarts=1.*BatchHost=node1'
    is "$(sinfo -h -n node2 -o %T)" 'down*'

    # The same command again: no share is judged twice, and the sum is the same.
    rm on.* out/sum.tsv
    read -r array sum < <(sh "$SLURM/judge" 6 out q.bin w.bin ndcg@10 map)
    within 180 is_over "$sum"
    same want out/sum.tsv
    [ ! -e on.node1 ]
}

@test "a log is learnt by an array of shares, cut by query, and their sum is one run to 1e-9" {
    need_slurm
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
    echo 1 0 | weights2bin >zero.bin
    replay -n 600 -s 1 q.bin | score -m zero.bin | explore -g 1 | feedback-mask -k 2 >seen.bin
    for learner in ridge memory,rho=3 memory; do
        update -a $learner <seen.bin >one.bin
        read -r _ sum < <(sh "$SLURM/learn" 8 $learner seen.bin -a $learner)
        within 180 is_over "$sum"
        for model in $learner/sum.bin one.bin; do
            bin2txt $model | awk -F '\t' '$1 == "w" { print $3 }' >$model.w
        done
        paste $learner/sum.bin.w one.bin.w | awk '
            { size = $2 < 0 ? -$2 : $2; most = size > most ? size : most
              off = $1 < $2 ? $2 - $1 : $1 - $2; worst = off > worst ? off : worst }
            END { print worst / most; exit !(NF == 2 && most > 0 && worst <= 1e-9 * most) }'
    done
    # Another option is another run.
    fails 1 'share: *options are not those of ridge/settings:*' sh "$SLURM/learn-share" 1 8 ridge seen.bin -a memory
}

@test "a sweep on the nodes of a job prints what a sweep on this machine does, though a node dies" {
    need_slurm
    parallel --version 2>/dev/null | grep -q GNU || skip "no GNU parallel here (Debian: parallel)"
    export HOME=$PWD
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
    grid=(eta='1e-4 1e-3' gamma='0.05 0.2' seed=1 rounds=2000)
    sh "$ROOT/cmd/sweep" here q.bin "${grid[@]}" </dev/null
    halting loop
    unset SHELL # as where a service gives the command
    job=$(sbatch --parsable --ntasks-per-node=2 "$SLURM/sweep.sbatch" "$SLURM" there q.bin \
        "${grid[@]}" bin="$PWD/halting")
    both_run
    die node2
    scontrol update NodeName=node2 State=down Reason=dead # as a site's health check may do
    touch go
    within 180 is_over "$job"
    cat sweep.*.log
    same here/sweep.tsv there/sweep.tsv
    sed 1d there/joblog | cut -f 2 | grep -qx node1
}
