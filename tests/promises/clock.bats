# A service whose clock, or that of a host, is wrong for a while: nothing that was learnt goes, and what waits is learnt.
load ../helper
load ../service

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    not_sanitized "libfaketime is preloaded"
    for FAKER in /usr/lib/*/faketime/libfaketime.so.1 /usr/lib/faketime/libfaketime.so.1 ''; do
        [ ! -e "$FAKER" ] || break
    done
    [ -n "$FAKER" ] || skip "no libfaketime here (Debian: libfaketime)"
    FEATURES=12
    mkdir answers
}

setup_file() {
    svm2bin -e "$ROOT/examples/data/small.svm" >"$BATS_FILE_TMPDIR/q.bin"
}

# at TIME COMMAND...: with a clock that is moved (+500d), or that begins at a time (@2020-01-01 00:00:00).
at() {
    (
        export LD_PRELOAD=$FAKER FAKETIME=$1 NO_FAKE_STAT=1 FAKETIME_DONT_FAKE_MONOTONIC=1
        "${@:2}"
    )
}

# shown FIRST LAST, answered FIRST LAST: rounds in the log, and answers in answers/today.
shown() { rounds "$1" "$2" "${3-100}" | spool log >/dev/null; }
answered() { answers "$1" "$2" "${3-50}" >>answers/today; }

learn_quietly() {
    learn 2>err
    is "$(cat err)" "${1-}"
}

quarantine() {
    query 'SELECT count(*) FROM quarantine'
}

warnings() {
    rankpipe service status | grep -c "^warning .*$1" || true
}

@test "one run with a clock 500 days ahead: nothing is lost, and what waits is learnt" {
    shown 1 40
    answered 1 43 # three before their rounds
    learn
    is "$(learnt) $(fact early_answers)" '40 3'
    at +500d learn 2>err
    is "$(cat err | wc -l)" 1
    grep -x 'service: no run for 500 days, or the clock was moved: the last run was at 20.*, and one after it at 20.*: .*' err
    at +500d learn_quietly # once
    is "$(warnings 'no run for 500 days')" 1
    is "$(learnt) $(fact early_answers) $(quarantine)" '40 3 0'
    learn 2>err
    grep -x 'service: the clock was moved back by 500 days: .*' err
    shown 41 45
    answered 44 45
    learn_quietly
    is "$(learnt) $(fact early_answers) $(quarantine)" '45 0 0'
    rankpipe service rebuild
    is "$(learnt)" 45
    once
    is "$(query 'SELECT count(*) FROM generations')" "$(ls models | wc -l)"
    is "$(warnings 'moved back')" 1
    at +20h learn
    at +40h learn
    is "$(warnings 'moved')" 0 # after the next row
}

@test "an hour in which serve, front ends and the learner are 500 days ahead, and back" {
    shown 1 20
    answered 1 10
    learn
    at +500d shown 21 30
    at +500d answered 11 25 # those to 11 to 20 come too late after their rounds
    at +500d learn
    at '+500d' answered 26 28 -300 # five minutes ahead
    at +500d learn
    is "$(learnt) $(fact behind_answers)" '15 3'
    at +500d shown 31 35 # which no run reads before the clock is right
    at +500d answered 31 35
    learn
    shown 36 40
    answered 36 40
    learn
    is "$(learnt) $(fact behind_answers)" '20 3'
    is "$(warnings '2 files of log/ and answers/ have records that are ahead of the clock')" 1
    at +1d learn # the row after
    is "$(learnt) $(fact behind_answers)" '23 0'
    at +500d learn # what is dated then
    is "$(learnt) $(fact behind_answers)" '28 0'
    is "$(quarantined 'answer too late') $(quarantine)" '10 10'
    once
}

@test "a run in 2020, before the time is known, leaves what waits" {
    shown 1 10
    answered 1 5
    learn
    shown 11 20
    answered 6 20
    at '@2020-01-01 00:00:00' learn 2>err
    grep -c 'service: the clock was moved back by ' err
    is "$(learnt) $(quarantine)" '5 0'
    shown 21 21
    answered 21 21
    learn
    is "$(learnt) $(quarantine) $(fact early_answers)" '21 0 0'
    once
}

@test "a host whose clock is 400 days ahead: its records wait for 30 days, and the others are learnt" {
    mkdir -p log/host answers/host
    at +400d rounds 1 10 100 h | spool log/host >/dev/null
    at +400d answers 1 10 50 h >answers/host/today
    shown 1 5
    answered 1 5
    learn_quietly
    is "$(learnt) $(quarantine)" '5 0'
    is "$(warnings 'the first in answers/host: set the clock of the machine')" 1
    for day in $(seq 1 29); do at "+${day}d" learn 2>/dev/null; done
    is "$(quarantine) $(query 'SELECT count(*) FROM days')" '0 30'
    at +30d learn
    is "$(quarantined 'round from the future') $(quarantined 'answer from the future')" '10 10'
    is "$(warnings ahead)" 0
    at +31d shown 6 10
    at +31d answered 6 10
    at +31d learn
    is "$(learnt)" 10
    once
}

@test "a pause of ten days: nothing is lost, and nobody is asked" {
    shown 1 10
    answered 1 10
    learn
    shown 11 20
    answered 11 20
    at +10d shown 21 25
    at +10d answered 21 25
    at +10d learn 2>err
    is "$(sed 's/: the last run.*//' err)" 'service: no run for 10 days, or the clock was moved'
    is "$(learnt) $(quarantine)" '25 0'
    at +10d once
}

@test "what is kept for N days goes after N days of running, however far apart they are" {
    shown 1 10
    answered 1 5
    learn
    rankpipe service set unanswered-days 3
    rankpipe service set days 5
    at +100d learn
    is "$(query 'SELECT count(*) FROM rounds')" 10
    at +200d learn
    is "$(query 'SELECT count(*) FROM rounds')" 5
    at +300d learn
    is "$(query 'SELECT count(*) FROM answers')" 5
    at +301d learn
    is "$(query 'SELECT count(*) FROM answers; SELECT count(*) FROM rounds; SELECT count(*) FROM lists')" $'0\n0\n0'
}
