# The model's file, wherever it lies and whatever lies there: a new model takes its place whole, or
# it stays as it was, and a message says what went wrong.
load ../helper
load ../models
load ../runs

# `narrow`: 40 rounds of 20 features, whose model takes 0.3 KB; `wide`: 40 of up to 2000, 16 KB;
# `grown`: the ones and then the others.
rounds() {
    made 20 1 | svm2bin >narrow
    made 2000 40 | svm2bin >wide
    replay narrow wide >grown
}

slam="update -a slam -e 0.5"
learn() {
    $slam "$@"
}

# early PATTERN COMMAND...: it fails with 1 and the words though its input never says anything.
early() {
    [ -p quiet ] || mkfifo quiet
    # shellcheck disable=SC2016
    fails 1 "$1" timeout 10 sh -c 'exec "$@" <>quiet' sh "${@:2}"
}

rounds_of() {
    bin2txt -f head "$1" | sed -n 's/.* rounds=\([0-9]*\) .*/\1/p'
}

# alone FILE...: these are all the files that begin as the first does: no lock, nothing half
# written.
alone() {
    [ "$(echo "$1"*)" = "$*" ] || { ls -la && return 1; }
}

# The folder `mine`, and `nobody`, before the words of a command that may write there alone; or it
# skips.
need_nobody() {
    nobody=
    mine=$(mktemp -d)
    if [ "$(id -u)" = 0 ]; then
        nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
        chown 65534 "$mine"
    fi
    $nobody "$ROOT/bin/update" -V || skip 'no setpriv here, or nobody else may run the programs'
    cp narrow wide "$mine"
    cd "$mine" || return
    chmod 644 narrow wide
}

teardown() {
    if [ -n "${mine-}" ]; then chmod -R u+rwX "$mine" && rm -rf "$mine"; fi
    if [ -d mounted ]; then umount mounted 2>/dev/null || true; fi
    if [ -f mounted.file ]; then umount mounted.file 2>/dev/null || true; fi
    rm -rf "/dev/shm/rankpipe.$$"
}

# disk SIZE: a file system of this size in the folder `mounted`, or skips.
disk() {
    mkdir mounted
    mount -t tmpfs -o size="$1" none mounted 2>/dev/null ||
        skip 'no file system can be mounted here'
}

# ---- no room ----

# outgrown MODEL WHY COMMAND...: a model outgrows its room, and the last checkpoint stays that found
# some.
outgrown() {
    local every model=$1 why=$2
    shift 2
    for every in 1 8 40; do
        echo "saved every $every"
        rm -f "$model"
        fails_on grown 1 "update: cannot write $model.lock.new: $why" "$@" -a slam -e 0.5 \
            -c $every -m "$model"
        alone "$model"
        [ $every = 1 ] || [ "$(rounds_of "$model")" = 40 ]
        replay -n "$(rounds_of "$model")" grown | learn >straight
        same straight "$model"
    done
    # where there is no checkpoint: at the end, and where the stream is cut short
    cp "$model" before
    replay -b 41 -n 80 grown >rest
    fails_on rest 1 "$(resuming "$model" "update: cannot write $model.lock.new: $why")" \
        "$@" -a slam -e 0.5 -d 2000 -m "$model"
    same before "$model"
    head -c $(($(wc -c <rest) - 100)) rest >cut
    fails_on cut 1 "$(resuming "$model" \
        "update: *stream cut short after round 79; and cannot write $model.lock.new: $why")" \
        "$@" -a slam -e 0.5 -d 2000 -m "$model"
    same before "$model"
    alone "$model"
}

@test "a disk that fills while the model is replaced: an error, and the model saved last stays" {
    rounds
    disk 12k
    outgrown mounted/w.bin 'No space left on device' update
}

@test "a file size limit is reported as a full disk is, and the model saved last stays" {
    rounds
    outgrown w.bin 'File too large' bash -c 'ulimit -f 8; exec update "$@"' bash
}

@test "a file size limit is reported by every program that writes" {
    rounds
    made 2000 40 >text
    learn -m w.bin <wide
    explore -g 1 <wide >shown
    for command in 'svm2bin text' 'replay wide' 'synth separable' 'score -m w.bin <wide' \
        'explore -g 1 <wide' 'feedback-mask <shown' 'bin2txt wide' 'update -a slam -e 1 <wide' \
        'loop "replay wide"'; do
        fails 1 "${command%% *}: cannot write <stdout>: File too large" \
            bash -c "ulimit -f 8; exec $command >stream"
    done
    fails 1 'metric: cannot write table: File too large' bash -c '
        (ulimit -f 1; exec metric -r -e 1 -t table ndcg map mrr auc p@1 <shown) | cat
        exit ${PIPESTATUS[0]}'
}

# ---- where it lies ----

@test "a model on another file system, by its path and through a link" {
    [ -d /dev/shm ] && [ -w /dev/shm ] || skip 'no /dev/shm here'
    rounds
    there=/dev/shm/rankpipe.$$
    mkdir $there
    [ "$(stat -c %d $there)" != "$(stat -c %d .)" ] || skip '/dev/shm is no other file system here'
    learn -c 7 -m $there/w.bin <narrow
    learn <narrow >straight
    same straight $there/w.bin
    alone $there/w.bin
    ln -s $there/w.bin link
    replay -b 41 -n 80 grown | learn -d 2000 -c 7 -m link
    [ -L link ] && alone link
    learn <grown >straight
    same straight $there/w.bin
    alone $there/w.bin
}

@test "a read-only folder, file system or file is an error before a round is read" {
    rounds
    need_nobody
    $nobody mkdir folder
    $nobody "$ROOT/bin/update" -a slam -e 0.5 -m folder/w.bin <narrow
    cp folder/w.bin before
    chmod 555 folder
    denied() {
        early "update: $1: Permission denied" $nobody "$ROOT/bin/update" -a slam -e 0.5 -m "$2"
    }
    denied 'model folder/w.bin: cannot create its lock file folder/w.bin.lock' folder/w.bin
    denied 'model folder/new: cannot create its lock file folder/new.lock' folder/new
    same before folder/w.bin
    chmod 755 folder
    chmod 444 folder/w.bin
    denied 'model folder/w.bin cannot be replaced' folder/w.bin
    chmod 200 folder/w.bin # what cannot be read cannot be gone on with
    denied 'cannot open folder/w.bin' folder/w.bin
    chmod 644 folder/w.bin
    same before folder/w.bin
    [ "$(ls folder)" = w.bin ]
}

@test "a read-only file system is an error before a round is read, for root too" {
    rounds
    disk 64k
    learn -m mounted/w.bin <narrow
    cp mounted/w.bin before
    mount -o remount,ro mounted
    for model in mounted/w.bin mounted/new; do
        early "update: model $model*: Read-only file system" $slam -m $model
    done
    same before mounted/w.bin
    [ "$(ls mounted)" = w.bin ]
}

@test "a model that is mounted by itself, as into a container: an error, and it stays" {
    rounds
    learn -m other <narrow
    cp other before
    : >mounted.file
    mount --bind other mounted.file 2>/dev/null || skip 'no file can be mounted here'
    fails_on wide 1 "$(resuming mounted.file \
        'update: cannot rename mounted.file.lock.new to mounted.file: * busy')" \
        $slam -d 2000 -m mounted.file
    same before mounted.file
    alone mounted.file
}

@test "a name too long for its lock is an error before a round is read" {
    rounds
    early 'update: model *: File name too long' $slam -m "$(printf '%0252d' 0)"
}

# ---- what lies there ----

@test "what lies where the new model is to be written is not written through" {
    rounds
    learn <narrow >straight
    echo precious >victim
    for kind in link dangling hard fifo file; do
        rm -f w.bin* aim
        case $kind in
        link) ln -s victim w.bin.lock.new ;;
        dangling) ln -s aim w.bin.lock.new ;;
        hard) ln victim w.bin.lock.new ;;
        fifo) mkfifo w.bin.lock.new ;;
        file) echo half >w.bin.lock.new ;;
        esac
        timeout 10 update -a slam -e 0.5 -m w.bin <narrow
        echo $kind
        same straight w.bin
        [ ! -L w.bin ] && [ ! -e aim ] && [ "$(cat victim)" = precious ]
        alone w.bin
    done
    rm w.bin
    ln -s aim w.bin.lock
    fails_on narrow 1 'update: model w.bin: cannot create its lock file w.bin.lock: *' $slam -m w.bin
    [ ! -e aim ] && [ ! -e w.bin ]
}

@test "an empty file is no model, and stays" {
    rounds
    : >w.bin
    fails_on narrow 1 'update: w.bin: stream cut short: the input is empty, *' $slam -m w.bin
    [ -f w.bin ] && [ ! -s w.bin ]
    alone w.bin
}

@test "updates that start at once on one model: each learns alone, or is refused" {
    rounds
    ln -s w.bin link
    for ((i = 0; i < 20; i++)); do
        names=(w.bin ./w.bin "$PWD/w.bin" link)
        (learn -c 3 -m "${names[i % 4]}" <narrow 2>err.$i || echo 1) >status.$i 3>&- &
    done
    wait
    won=0
    for ((i = 0; i < 20; i++)); do
        case $(cat status.$i err.$i) in
        '' | "update: resuming from round "*" of "*) won=$((won + 1)) ;;
        "1"?"update: model "*": another update is learning into it ("*".lock is locked)") ;;
        *) cat status.$i err.$i && return 1 ;;
        esac
    done
    echo "$won of 20"
    [ $won -ge 1 ] && [ "$(rounds_of w.bin)" = $((40 * won)) ]
    alone w.bin
}

# ---- another model ----

@test "no learner goes on with another's model, nor with its own of other settings" {
    stored_rounds
    for run in $RUNS; do
        case $run in *.sparse) continue ;; esac
        settings "${run%.*}"
        options_of[${#options_of[@]}]=$options names[${#names[@]}]=${run%.*}
        # shellcheck disable=SC2086
        replay -n 30 "${run#*.}" | score -f ring | explore $shown | feedback-mask -k $k |
            update $options -f ring -m "${run%.*}.bin"
    done
    [ ${#names[@]} -ge 40 ]
    for ((i = 0; i < ${#names[@]}; i++)); do
        for ((j = 0; j < ${#names[@]}; j++)); do
            [ $(((i + j) % (STRIDE * STRIDE))) = 0 ] && [ "${options_of[i]}" != "${options_of[j]}" ] || continue
            cp ${names[j]}.bin before
            # shellcheck disable=SC2086
            fails_on dense 1 "update: model ${names[j]}.bin: it *" \
                update ${options_of[i]} -m ${names[j]}.bin
            same before ${names[j]}.bin
        done
    done
}

@test "a model of another dimension grows, or is gone on with as it is" {
    rounds
    learn -m w.bin <narrow
    cp w.bin before
    replay -b 41 -n 80 grown >rest
    fails_on rest 1 "$(resuming w.bin 'update: <stdin>: round 41 (qid q1): the round has 1999 features, but the model learnt from rounds of 20 features: give those, or add -d 1999 if the number may vary')" $slam -m w.bin
    same before w.bin
    fails_on rest 1 'update: *add -d 1999 if *' $slam -m w.bin -d 1998
    learn -d 2000 -m w.bin <rest
    learn <grown >straight
    same straight w.bin
    replay wide narrow >shrunk
    replay -n 40 shrunk | learn >w.bin
    replay -b 41 -n 80 shrunk | learn -m w.bin # the wide rounds were of many widths
    learn <shrunk >straight
    same straight w.bin
    # but a fixed list is of so many items
    mkstream round t=1 docs=3 dim=0 label:f4 1 0 2 | update -a ftpl -m list.bin
    cp list.bin before
    mkstream round t=2 docs=4 dim=0 label:f4 1 0 2 1 >four
    fails_on four 1 'update: *docs=4, but the model has 3 items: *' update -a ftpl -m list.bin
    same before list.bin
}

@test "a model of another version is refused by who learns and by who scores" {
    rounds
    learn <narrow | sed 's,^rankpipe/1 model,rankpipe/2 model,' >w.bin
    cp w.bin before
    fails_on narrow 1 'update: w.bin: the stream has version 2, but this program reads version 1' $slam -m w.bin
    fails_on narrow 1 'score: *w.bin: the stream has version 2, but this program reads version 1' score -m w.bin
    fails_on w.bin 1 'bin2txt: *the stream has version 2, but this program reads version 1' bin2txt
    same before w.bin
}
