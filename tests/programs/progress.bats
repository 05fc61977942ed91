# -P: how far a run has come, on a terminal and nowhere else.
load ../helper

# terminal STATUS TEXT [SECONDS]: runs a shell's text on a terminal of its own, where ^C is pressed
# after so many seconds; all that the terminal is sent is in ./sent.
terminal() {
    local got=0
    command -v script >/dev/null || skip "no script(1) here: it makes a terminal"
    env --default-signal=INT true ||
        skip "this env cannot undo that a background shell ignores ^C"
    printf 'set -o pipefail\n%s\n' "$2" >text
    if [ "${3:-}" ]; then
        mkfifo keys
        { sleep "$3" && printf '\003' && sleep 1; } >keys &
        env --default-signal=INT script -qec 'bash text' /dev/null >sent <keys || got=$?
        wait
        rm keys
    else
        env --default-signal=INT script -qec 'bash text' /dev/null >sent </dev/null || got=$?
    fi
    cat -v sent
    is "$got" "$1"
}

# What stands on the terminal at last: the lines that are not empty.
screen() {
    awk '{
        shown = ""
        for (i = split($0, part, "\r"); i > 0; i--) cell[i] = part[i]
        for (i = 1; i in cell; i++) {
            if (sub(/^\033\[K/, "", cell[i])) shown = ""
            shown = cell[i] substr(shown, length(cell[i]) + 1)
        }
        split("", cell)
        if (shown != "") print shown
    }' sent
}

# The lines of progress that were drawn, each by itself.
drawn() {
    tr '\r' '\n' <sent | sed -n 's/^\x1b\[K\([a-z0-9]*: [0-9]\)/\1/p'
}

# Every line that was drawn is one of these (an extended expression), and there are some.
all_drawn() {
    drawn >lines
    [ -s lines ]
    run grep -vxE "$1" lines
    is "$output" ''
    [ "$(awk 'length > 79' lines | wc -l)" = 0 ]
}

queries() {
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
}

LOOP="replay -n 1000000 -s 7 q.bin | score | explore -g 0.1 | metric -t curve.tsv ndcg@10 |
    feedback-mask -k 1 | update -a kl -e 1e-4 -U 2 -m w.bin"

@test "replay -P: rounds of how many, rounds a second, time left; gone at the end" {
    queries
    terminal 0 'replay -P -b 1001 -n 1000000 q.bin | cat >out'
    all_drawn 'replay: [0-9]+ of 999000 rounds, [0-9.]+ a second, [0-9]+:[0-9]{2} left'
    [[ $(drawn | tail -n 1) == 'replay: 999000 of 999000 rounds, '*', 0:00 left' ]]
    is "$(drawn | cut -d ' ' -f 2)" "$(drawn | cut -d ' ' -f 2 | sort -n)"
    is "$(screen)" ''
    replay -b 1001 -n 1000000 q.bin | same - out
}

@test "at most ten lines a second, and the last" {
    queries
    start=$(date +%s%N)
    terminal 0 'replay -P -n 2000000 q.bin >/dev/null'
    tenths=$((($(date +%s%N) - start) / 100000000))
    [ "$(drawn | wc -l)" -ge 2 ]
    [ "$(drawn | wc -l)" -le $((tenths + 1)) ]
}

@test "svm2bin -P and update -P count the rounds that came; nobody knows how many there will be" {
    queries
    small_text >text.svm
    terminal 0 '{ cat text.svm; sleep 0.3; sed s/qid:/qid:z/ text.svm; } | svm2bin -P >out'
    all_drawn 'svm2bin: [0-9]+ rounds?, [0-9.]+ a second'
    [[ $(drawn | tail -n 1) == 'svm2bin: 6 rounds, '* ]]
    is "$(screen)" ''
    terminal 0 '{ cat q.bin; sleep 0.3; cat q.bin; } | update -P -a squared -e 1e-4 -m w.bin'
    all_drawn 'update: [0-9]+ rounds, [0-9.]+ a second'
    [[ $(drawn | tail -n 1) == "update: $(cat q.bin q.bin | bin2txt -f head | wc -l) rounds, "* ]]
    is "$(screen)" ''
}

@test "loop -P shows the measure so far too, whichever of its programs has -P" {
    queries
    terminal 0 "loop -P '$LOOP'"
    all_drawn 'loop: [0-9]+ of 1000000 rounds, [0-9]+ a second, 0:[0-9]{2} left, ndcg@10 0\.[0-9]{4}'
    want=$(awk 'END { printf "%.4f", $2 }' curve.tsv)
    [[ $(drawn | tail -n 1) == "loop: 1000000 of 1000000 rounds, "*", 0:00 left, ndcg@10 $want" ]]
    is "$(screen)" ''
    mv w.bin watched.bin
    loop "$LOOP"
    same watched.bin w.bin
    terminal 0 "loop '${LOOP/replay/replay -P}'"
    all_drawn 'loop: [0-9]+ of 1000000 rounds, .*, ndcg@10 0\.[0-9]{4}'
}

@test "no line without -P, none on a pipe or in a file, none of a run too short for one" {
    queries
    terminal 0 "loop '$LOOP'"
    [ ! -s sent ]
    rm w.bin
    loop -P "$LOOP" 2>err
    [ ! -s err ]
    terminal 0 'replay -P -n 1000000 q.bin 2>err >/dev/null; replay -P -n 1000000 q.bin 2>&1 >/dev/null | cat'
    [ ! -s sent ]
    [ ! -s err ]
    terminal 0 'replay -P -n 1 q.bin >out'
    [ ! -s sent ]
}

@test "a message stands alone: the line is gone before it" {
    queries
    replay -n 3000 q.bin | head -c -200 >cut.bin
    terminal 1 '{ cat q.bin; sleep 0.3; cat cut.bin; } | update -P -a squared -e 1e-4 -m w.bin'
    [ -n "$(drawn)" ]
    is "$(screen)" "update: <stdin>: stream cut short after round 2999"
    # Warnings, in the middle of a run that goes on and at its end.
    printf '1\t1\n' >answers
    terminal 0 "loop -P 'replay -n 500000 q.bin | explore -g 1 | feedback-join answers | bin2txt -f head' >/dev/null"
    [ -n "$(drawn)" ]
    is "$(screen)" 'feedback-join: 499999 of 500000 rounds without an answer; the first is round 2 (qid q2)'
}

@test "^C leaves a clean line: what learns has saved, what does not is dead at once" {
    queries
    endless=${LOOP/1000000/2000000000}
    terminal 130 "exec loop -P '$endless'" 1
    [ -n "$(drawn)" ]
    is "$(screen)" ''
    is "$(bin2txt -f head w.bin | sed 's/.* rounds=\([0-9]*\).*/\1/')" "$(drawn | sed -n '$s/loop: \([0-9]*\).*/\1/p')"
    terminal 130 'exec replay -P -n 2000000000 q.bin >/dev/null' 1
    [ -n "$(drawn)" ]
    is "$(screen)" ''
}

@test "a terminal that a row cannot be written to ends the run" {
    not_sanitized "they must be loaded before the shim"
    queries
    shim=$ROOT/build/tests/shim/faulty.so
    (LD_PRELOAD=$shim FAULTY_CALL=none FAULTY_AT=0 FAULTY_HOW=0 FAULTY_FD=9 cat 9>count </dev/null) 2>/dev/null || true
    [ -s count ] || skip "LD_PRELOAD does nothing here"
    terminal 1 "LD_PRELOAD=$shim FAULTY_CALL=writev FAULTY_AT=2 FAULTY_HOW=5 FAULTY_FD=9 timeout 20 \
        loop -P 'replay -n 100000000 -s 7 q.bin | explore -g 1 | metric -e 1 ndcg@10' 9>count"
    grep -q 'cannot write <stdout>: Input/output error' sent
}

@test "rows of a table on the same terminal stand each on a line, as they come" {
    queries
    text='replay -n 1000000 -s 7 q.bin | explore -g 1 | metric ndcg@10'
    terminal 0 "loop -P '$text'"
    [ -n "$(drawn)" ]
    is "$(screen)" "$(loop "$text")"
    awk '/^20000\t/ || /\r20000\t/ || /K20000\t/ { row = NR } /loop: 9/ { if (!row) exit 1 }' sent
}
