#!/usr/bin/env bats
# Power failures: of what was written since the last sync, any part may be on the disk afterwards, or
# none. A journal of what the programs did gives the states that the disk may be in.

load ../helper
load ../service

POWER_LOSS=$ROOT/build/tests/shim/power_loss

# journaled COMMAND...: runs it in the folder disk, and appends to the journal.
journaled() {
    (cd disk && JOURNAL=../journal LD_PRELOAD=$ROOT/build/tests/shim/journal.so "$@")
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir disk
    journaled sh -c ': | spool . >/dev/null 2>&1; echo | svm2bin >x 2>/dev/null' || true
    echo 1:1 | journaled weights2bin >/dev/null
    grep -q shown journal || skip "LD_PRELOAD does nothing here: a static build, a sanitizer, or not Linux"
    rm -f journal disk/*
    small_text | svm2bin >q.bin
}

# each_failure SEEDS COMMAND: after each entry of the journal the power fails, in SEEDS ways. The
# command runs with `shown` and `synced` set, and what was left in the folder left; once where the
# same was left.
each_failure() {
    local entries shown synced hash
    local -A had=()
    entries=$("$POWER_LOSS" journal)
    for ((at = 0; at <= entries; at++)); do
        for ((seed = 1; seed <= $1; seed++)); do
            rm -rf left
            read -r shown synced hash < <("$POWER_LOSS" journal $at $((at * 1000 + seed)) disk left)
            [ -z "${had[$shown $synced $hash]-}" ] || continue
            had[$shown $synced $hash]=1
            "$2" || { echo "after entry $at of $entries, seed $seed" && return 1; }
        done
    done
    echo "${#had[@]} states of $((entries * $1 + $1))"
}

# The model is one that was saved, and not before the last one whose saving had ended. Learning the
# other rounds too gives the model of a run without a failure.
a_saved_model() {
    local rounds=0
    if [ -e left/w.bin ]; then
        rounds=$(bin2txt -f head left/w.bin | sed -n 's/.* rounds=\([0-9]*\).*/\1/p')
        cmp left/w.bin "model.$rounds" || return 1
    fi
    [ "$rounds" -ge $((synced < 12 ? synced : 12)) ] || { echo "$rounds of $synced" && return 1; }
    [ "$rounds" = 12 ] || {
        replay -b $((rounds + 1)) -n 12 -s 1 q.bin | update -a ridge -l 2 -m left/w.bin 2>report &&
            cmp left/w.bin model.12
    }
}

@test "power failure: the model is the last one saved, or the next" {
    replay -n 12 -s 1 q.bin >rounds.bin
    for i in $(seq 12); do
        replay -n "$i" -s 1 q.bin | update -a ridge -m "model.$i"
    done
    journaled update -a ridge -c 1 -l 2 -m w.bin <rounds.bin
    cmp disk/w.bin model.12
    each_failure 3 a_saved_model
}

# A large model and its patches: one that was saved, with what it is a patch of, and not before the last one.
a_saved_patch() {
    local rounds=0
    if [ -e left/w.bin ]; then
        add-models left/w.bin >model || return 1
        rounds=$(bin2txt -f head model | sed -n 's/.* rounds=\([0-9]*\).*/\1/p')
        cmp model "model.$rounds" || return 1
    fi
    least=(0 1400 1400 1405 1410) # the second sync is that of the whole model's other name
    [ "$rounds" -ge "${least[$synced]}" ] || { echo "$rounds, and $synced synced" && return 1; }
}

@test "power failure: a patch is there with the model that it is of, or the one before" {
    synth -n 1400 -l 100 -d 5 linear | journaled update -m w.bin
    add-models disk/w.bin >model.1400
    for t in 1 2; do
        synth -b $((1400 + t * 5)) -n $((1404 + t * 5)) -l 20 -d 5 linear | journaled update -b -m w.bin
        add-models disk/w.bin >"model.$(bin2txt -f head disk/w.bin | sed -n 's/.* rounds=\([0-9]*\).*/\1/p')"
    done
    # The other name is on the disk before a patch can be: a state without it is too rare to be drawn.
    is "$(grep -aoE '^(name .* whole|sync|move .* w\.bin$)' journal | tail -n 8 | cut -d ' ' -f 1 | xargs)" \
        'name sync sync move sync sync move sync'
    each_failure 2 a_saved_patch
}

# The log can be written again, and has the first rounds as they were, at least so many.
first_rounds() { # least
    local rounds=0
    rankpipe spool left/log <none.bin 2>report >out || { cat report && return 1; }
    if [ "$(spooled_last left/log)" -gt 0 ]; then
        spooled left/log >log.bin || return 1
        rounds=$(bin2txt -f head log.bin | grep -c '^rankpipe/1 round')
        uncrc <log.bin | cmp - "first.$rounds" || { bin2txt -f head log.bin && return 1; }
    fi
    [ "$rounds" -ge "$1" ] || { echo "$rounds of $1 rounds" && return 1; }
}

# Ten rounds of some sectors pass one after the other, so that each is shown before the next comes.
store() { # options of spool
    printf 'rankpipe/1 end rounds=0 bytes=0\n' >none.bin
    awk 'BEGIN { for (i = 0; i < 32; i++) {
        printf "%d qid:%d", i % 3, i / 8
        for (j = 1; j <= 99; j++) printf " %d:%d", j, (i * j) % 89 + 1
        print "" } }' | svm2bin >q.bin
    for i in $(seq 10); do
        replay -b "$i" -n "$i" -s 1 q.bin >"round.$i"
        replay -n "$i" -s 1 q.bin >"first.$i"
    done
    for i in $(seq 10); do cat "round.$i" && sleep 0.05; done | journaled spool "$@" log >shown.bin
}

# What was passed on is in the log.
passed_rounds() {
    local passed
    passed=$(head -c "$shown" shown.bin | salvage 2>report | bin2txt -f head | grep -c '1 round') || true
    first_rounds "$passed"
}

@test "power failure: spool -y loses no round that it passed on" {
    store -y -c 4
    each_failure 3 passed_rounds
}

@test "power failure: without -y, spool leaves the first rounds, and they are whole" {
    store -c 4
    whole_rounds() { first_rounds 0; }
    each_failure 3 whole_rounds
}

# erased: where r3 was erased, no file of the log or of answers has it.
erased() {
    [[ $action != erase* ]] || ! grep -raE '(^|request=)r3[[:space:]]' left/log left/answers
}

# one_run: from what the power failure left, the next runs come to what a run without one has.
one_run() {
    # shellcheck disable=SC2086
    (cd left && { account rankpipe service $action; account rankpipe service learn; } >../out 2>&1 && dump >../have) ||
        { cat out && return 1; }
    cmp have want || { diff have want && return 1; }
    erased
}

@test "power failure: a run of the service, its database and w.bin are as if nothing had happened" {
    slow
    local action entries at seed hash
    local -A had=()
    python3 -c 'import sqlite3' || skip "no sqlite3 for Python"
    command -v setpriv >/dev/null || [ "$(id -u)" != 0 ] || skip 'no setpriv here'
    chmod 755 "$BATS_TEST_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR"
    svm2bin -e "$ROOT/examples/data/small.svm" >"$BATS_FILE_TMPDIR/q.bin"
    reached_by_another
    rounds 1 20 >log.1
    rounds 21 40 >log.2
    answers 1 20 >said.1
    answers 21 40 | cat said.1 - >said.2
    cat >put <<'END'
import os, sys
with open(sys.argv[2], "wb") as file:
    file.write(open(sys.argv[1], "rb").read())
    file.flush()
    os.fsync(file.fileno())
for folder in "answers", "log", ".":
    os.fsync(os.open(folder, os.O_RDONLY))
END
    for action in learn 'back 2' 'rebuild -a ridge' 'erase requests r3'; do
        rm -rf disk journal straight && mkdir disk
        journaled sh -c 'rankpipe service first; rankpipe service set features 12 >/dev/null
            for n in 1 2; do
                spool log <../log.$n >/dev/null; python3 ../put ../said.$n answers/today
                [ $n = 2 ] || rankpipe service learn
            done'
        begun=$("$POWER_LOSS" journal)
        cp -a disk straight
        # shellcheck disable=SC2086
        chmod 666 journal
        export -f account reached_by_another
        journaled bash -c 'account rankpipe service "$@"' - $action >out
        grep -a -A1 '^write' journal | grep -aq 'SQLite format 3' # or no write to the database was seen
        # shellcheck disable=SC2086
        (cd straight && account rankpipe service $action && account rankpipe service learn && dump >../want) >out
        entries=$("$POWER_LOSS" journal)
        echo "$action: entries $begun to $entries"
        [ $((entries - begun)) -gt 20 ]
        for ((at = begun; at <= entries; at += STRIDE)); do
            rm -rf left
            read -r _ _ hash < <("$POWER_LOSS" journal $at $((at * 1000 + 1)) disk left)
            [ -z "${had[$action $hash]-}" ] || continue
            had[$action $hash]=1
            one_run || { echo "$action, after entry $at of $entries" && return 1; }
        done
        echo "${#had[@]} states"
        for seed in 1 2 3 4 5; do # and when the action has ended, no other run is needed
            rm -rf left
            "$POWER_LOSS" journal "$entries" $seed disk left >sums
            erased || { echo "$action, after its end, seed $seed" && return 1; }
        done
    done
}
