# Programs are killed at random moments, and nothing is lost: tests/promises/kill says what is looked at, and
# with more moments than these it is run by hand.
load ../helper

# killed MOMENTS WHO...
killed() {
    local moments=$1
    shift
    [ "$STRIDE" = 1 ] || moments=$((moments / 3))
    not_sanitized "they look for leaks at their end, and are not gone at once"
    SPAN=150 bash "$ROOT/tests/promises/kill" "$moments" 1 "$@"
}

@test "kill -9 on a program of the ring: the others end, and the model is whole and can be gone on with" {
    killed 10 source score explore metric mask update
}

@test "kill -9 on all of the ring at once" {
    killed 10 group
}

@test "kill -9 on loop" {
    killed 10 loop
}

@test "SIGINT, SIGTERM and SIGHUP to update: its round is finished and saved" {
    killed 10 update-stop
}

@test "^C, which goes to all of the ring: update's round is finished and saved, and all die of it" {
    killed 20 group-stop
}

@test "SIGINT, SIGTERM and SIGHUP to loop: the round is finished and saved" {
    killed 10 loop-stop
}

@test "kill -9 on a program of a ring whose rounds run ahead of their feedback" {
    WINDOW=16 killed 3 source score explore metric mask update update-stop group-stop
}

# stopped_at_end MODEL OPTION...: update finds its input at an end and a signal sent, both at once.
stopped_at_end() {
    local tries=250 model=$1 got=0
    shift
    mkfifo in
    update -a listnet -e 0.1 -c 1 -m "$model" "$@" <in 2>err 3>&- &
    exec 8>in
    cat cut >&8
    until [ -f "$wait_for" ]; do
        sleep 0.02
        [ $((tries -= 1)) -gt 0 ]
    done
    kill -STOP $!
    exec 8>&-
    kill -TERM $!
    kill -CONT $!
    wait $! || got=$?
    rm in
    cat err
    [ $got = 143 ] && [ ! -s err ]
}

@test "a signal that came with the end of the input is what update dies of" {
    small_text | svm2bin | head -c 200 >cut
    wait_for=model stopped_at_end model
    bin2txt -f head model | grep ' rounds=1 '
    # and where it was still looking for its score
    mkfifo ring
    : >cut
    wait_for=other.lock stopped_at_end other -f ring
    [ "$(echo other*)" = 'other*' ]
}
