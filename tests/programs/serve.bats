#!/usr/bin/env bats
# serve: many clients, one pipeline: who gets which answer, and what becomes of clients that err.

load ../helper

SHIM=$ROOT/build/tests/shim
started=

teardown() {
    [ -z "$started" ] || { kill -KILL "$started" && wait "$started"; } 2>/dev/null || true
}

# start OPTION... SOCKET PIPELINE: runs serve until stop, and waits until it listens.
start() {
    serve "$@" 2>err &
    started=$!
    local socket=${*: -2:1}
    for _ in $(seq 250); do
        [ ! -S "$socket" ] || ! serve -a "$socket" </dev/null 2>/dev/null || return 0
        kill -0 $started || break
        sleep 0.02
    done
    cat err
    return 1
}

# stop: ends it by SIGTERM, and expects exit 0.
stop() {
    local got=0
    kill -TERM $started
    wait $started || got=$?
    started=
    is "$got" 0
}

# Ten queries of five documents as requests, and a model.
material() {
    synth -n 10 -l 5 -d 4 linear >q.bin
    update -a listnet -T 30 -m w.bin <q.bin
    bin2txt q.bin | awk '$2 != q { if (q) print ""; q = $2 } { $1 = "?"; print } END { print "" }' \
        >requests
}

# answers: what the pipeline, as programs, answers to the requests; a blank line after each answer.
answers() {
    svm2bin -lu "$@" requests | score -m w.bin | explore -g 0.5 -s 3 | bin2txt -f rank |
        awk 't && $1 != t { print "" } { t = $1; print } END { print "" }'
}

@test "an answer is what bin2txt -f rank prints, and a blank line" {
    material
    start s 'score -m w.bin | explore -g 0.5 -s 3'
    serve -a s <requests >got
    stop
    is "$(cat err)" ''
    answers >want
    same got want
    [ ! -e s ]
    # an answer of 100 KB, by the names of documents, which are their numbers with zeros first
    synth -l 1000 -d 4 -n 1 linear | bin2txt |
        awk '{ $1 = "?"; printf "%s # %0100d\n", $0, NR - 1 } END { print "" }' >requests
    start s 'score -m w.bin | explore -g 0.5 -s 3'
    serve -a s <requests >got
    stop
    answers | awk -v OFS='\t' 'NF { $4 = sprintf("%0100d", $4) } { print }' >want
    same got want
}

@test "connections take turns in one numbering, and each gets the answers to its own requests" {
    material
    start s 'score -r -m w.bin | explore -g 0.1 -s random'
    read -r queries _ _ _ first last < <("$SHIM/load" s requests 50 3000)
    is "$queries $first $last" '3000 1 3000'
    serve -a s <requests | head -n 1 | cut -f 1,2 >next
    is "$(cat next)" "3001	$(head -n 1 requests | sed 's/.*qid:\([^ ]*\).*/\1/')"
    stop
}

@test "the share of rounds explored is gamma, within three standard errors" {
    material
    start -S status s 'score -m w.bin | explore -g 0.2 -s random'
    "$SHIM/load" s requests 10 4000
    stop
    awk '/^rankpipe_serve_explored_total / { x = $2 }
        END { d = x - 800; exit d * d > 9 * 4000 * 0.2 * 0.8 }' status
    grep -x 'rankpipe_serve_rounds_total 4000' status
}

@test "-e: requests are in the engine's order, except those that say order: none" {
    start -e s 'explore -g 1 | spool -k log'
    printf '%s\n' 'request: a' '? qid:1 1:1' '? qid:1 1:2' '' 'request: b' 'order: none' '? qid:1 1:1' \
        '? qid:1 1:2' '' 'order: none' 'request: c' '? qid:1 1:1' '' |
        serve -a s >/dev/null
    printf '%s\n' '? qid:1 1:1' 'order: none' '' | serve -a s >said
    stop
    grep -q '^! .*"order: none" is a line of its own, before the documents' said
    cat log/* | bin2txt -f values >values
    is "$(grep -w base values | cut -f 1,5 | tr '\t\n' ' ;')" '1 0;1 1;'
    is "$(grep -w request values | cut -f 5 | paste -sd ' ')" 'a b c'
}

@test "names of documents are in the answer if all have one" {
    start s 'explore -g 1 -s 1'
    printf '? 1:1 # a\n? 1:2 # docid = b\n\n? 1:1 # a\n? 1:2\n\n? 1:1\n? 1:2\n\n' | serve -a s >got
    is "$(sed -n 1,2p got | cut -f 4 | sort | paste -sd ' ')" 'a b'
    is "$(sed -n 4p got)" '! request: 1 of 2 documents have no name in a comment'
    is "$(sed -n 6,7p got | cut -f 4 | sort | paste -sd ' ')" '0 1'
    long=$(printf %05000d 7)
    printf '? 1:1 # a\x01b\n\n? 1:1 # %s\n\n' "$long" | serve -a s >got
    is "$(head -n 1 got)" '! request: the name of a document has a control character'
    is "$(sed -n 3p got | cut -f 1,4)" "3	$long"
    stop
}

@test "a memory knows documents wherever they stand in a request, by name and by features" {
    printf '0 qid:q 1:1 # a\n2 qid:q 1:2 # b\n1 qid:q 1:1.5 # c\n' >text
    sed 's/^./?/' text >named
    sed 's/ #.*//' named >bare
    for way in named bare; do
        sed 's/ 1:/ 1:7/; s/# /# other/' $way >strange
        svm2bin $([ $way = named ] || echo -C) text | update -X -a memory -n -m w.bin
        start -b 5 s 'score -m w.bin | explore -p uniform'
        { cat $way && echo && sort -r $way && echo; } | serve -a s | cut -f 4 | paste -sd ' ' - >got
        is "$(cat err)" ''
        { cat strange && echo && cat strange && echo; } | serve -a s >out
        stop
        if [ $way = named ]; then is "$(cat got)" 'b c a  b c a '; else is "$(cat got)" '1 2 0  0 1 2 '; fi
        is "$(grep -c 'round 7 (qid q): the model knows this query, and none of its 3 documents' err)" 1
        is "$(grep -c 'the model knows' err)" 1
    done
}

@test "a bad request gets one line with !, and no number; the others are answered" {
    start -n 3 s 'explore -g 1 -s 1'
    {
        printf 'x 1:1\n\n? 1:1\n\n? 1:1\n? qid:a 1:1\n\nrequest: a\n\n# nothing\n\n'
        printf '? 1:1\n? 1:1\n? 1:1\n? 1:1\n\n? 2:1 1:1\n? 1:1\n\n\0\n\n? 1:1\n\n? 1:1'
    } | serve -a s >got 2>said || [ $? = 1 ]
    is "$(cat said)" 'serve: <stdin>: no blank line ends the last request, so it was not answered'
    is "$(cut -f 1 got)" "! request: line 1: the label is not a number: 'x'

1

! request: line 2: a qid, but the lines before have none: 'qid:a 1:1'

! request: line 2: a request without documents

! request: it has no documents

! request: line 4: more than 3 documents: '? 1:1'

! request: line 1: index 1 after a larger one: '1:1'

! request: line 1: a NUL byte: '\\x00'

2

! request: no blank line ends it"
    stop
}

@test "-a says that the last request has no blank line at its end, and exits 1" {
    start s 'explore -g 1 -s 1'
    for text in '? 1:1' '? 1:1\n' '? 1:1\n\n? 1:1\n' 'request: a'; do
        printf "$text" >cut
        fails_on cut 1 'serve: <stdin>: no blank line ends the last request, so it was not answered' serve -a s
    done
    printf '? 1:1\n \n\n' | serve -a s >got
    is "$(wc -l <got)" 2
    stop
}

@test "a round that the pipeline refuses gets a line with !, and no other round gets its number" {
    material
    start s 'score -m w.bin | explore'
    { printf '? 1:1\n\n' && cat requests; } | serve -a s >got
    [[ $(head -n 1 got) == '! score: the round has 1 features, but the model learnt from rounds of 4 features: '* ]]
    is "$(sed -n 3p got | cut -f 1)" 2
    stop
}

@test "-d and -0 are about the features of requests" {
    material
    start -0 -d 4 s 'score -m w.bin | explore -o'
    printf '? 0:1\n? 3:1\n\n? 4:1\n\n' | serve -a s >got
    stop
    printf '? 1:1\n? 4:1\n' | svm2bin -u -d 4 | score -m w.bin | explore -o | bin2txt -f rank |
        sed 's/^1	1	/1	-	/' >want
    is "$(sed -n 1,2p got)" "$(cat want)"
    is "$(sed -n 4p got)" "! request: line 1: an index past -d 4: '4:1'"
}

@test "-m: a request with more bytes is refused, and its connection closed; others are not" {
    start -m 20 s 'explore -g 1'
    { printf '? 1:1\n\n' && printf '?%0.s 1:1 # long\n' $(seq 9) && printf '\n? 1:1\n\n'; } >text
    serve -a s <text >got 2>err2 || true
    is "$(sed -n 3p got)" '! request: more than 20 bytes: the connection is closed'
    is "$(wc -l <got)" 4
    printf '? 1:1\n\n' | serve -a s | grep -c '^2	'
    stop
}

@test "-i: a connection without a whole request is closed after so many seconds" {
    slow
    start -S status t 'explore -g 1'
    other=$started
    printf '? 1:1\n\n' | serve -a t >got
    start -i 1 s 'explore -g 1'
    { printf '? 1:1\n\n? 1:1\n'; sleep 5; } | serve -a s >got 2>err2 || true
    is "$(tail -n 2 got | head -n 1)" '! request: not whole after 1 seconds'
    is "$(cat err2)" 'serve: s: the service closed the connection'
    stop
    started=$other
    stop
    # Five seconds after its start the file was written again: since then there was no round.
    grep -x 'rankpipe_serve_rounds_total 1' status
    grep -x 'rankpipe_serve_rounds_per_second 0' status
}

@test "-c: a client waits until one of so many connections is closed" {
    start -c 1 s 'explore -g 1'
    mkfifo hold
    serve -a s <hold >first &
    holder=$!
    exec 4>hold
    printf '? 1:1\n\n' >&4
    for _ in $(seq 100); do [ ! -s first ] || break; sleep 0.02; done
    printf '? 1:1\n\n' | serve -a s >second 4>&- &
    waiter=$!
    sleep 0.3
    is "$(cat second)" ''
    exec 4>&-
    wait $holder
    wait $waiter
    is "$(cut -f 1 first second)" "$(printf '1\n\n2\n\n')"
    stop
}

@test "-c: clients that open and wait keep nobody out, and lose nothing that they asked" {
    start -c 3 s 'explore -g 1'
    python3 - <<'END'
import socket, time
def opened(text):
    made = socket.socket(socket.AF_UNIX)
    made.settimeout(20)
    made.connect("s")
    made.sendall(text)
    return made
waiting = [opened(b""), opened(b"? 1:1\n"), opened(b"? 1:1\n\n")]
first = waiting[2].recv(100)
assert first.startswith(b"1\t"), first
begun = time.monotonic()
for _ in range(5):
    one = opened(b"? 1:1\n\n")
    assert b"\t" in one.recv(100)
    one.close()
assert time.monotonic() - begun >= 0.9 # a client has a second at least
assert waiting[0].recv(100) == b"" # the one that waited longest
waiting[2].sendall(b"? 1:1\n\n")
assert b"\t" in waiting[2].recv(100)
END
    stop
}

@test "-c: clients that do not read their answers keep nobody out" {
    start -c 2 s 'explore -g 1'
    python3 - <<'END'
import contextlib, socket
def opened():
    made = socket.socket(socket.AF_UNIX)
    made.settimeout(20)
    made.connect("s")
    return made
ask = b"? 1:1\n" * 900 + b"\n"
deaf = [opened(), opened()]
for one in deaf:
    one.settimeout(0.3)
    with contextlib.suppress(socket.timeout): # serve reads no more
        while True:
            one.sendall(ask)
for _ in range(3):
    other = opened()
    other.sendall(b"? 1:1\n\n")
    assert b"\t" in other.recv(100)
    other.close()
END
    stop
}

@test "score -r -R: a rival comes, is replaced and goes while clients are served, and one that cannot score harms nobody" {
    model() { mkstream model learner=fixed rounds=0 dim=2 w:f8 "$@"; }
    model 0 1 >w.bin
    start s 'score -r -m w.bin -R rival.bin | explore -i 1 | spool log'
    rank() { printf '? 1:1\n? 2:1\n\n' | serve -a s >/dev/null; }
    rank
    model 1 0 >new && mv new rival.bin
    rank
    model 2 0 >new && mv new rival.bin
    rank
    mkstream model learner=fixed rounds=0 dim=1 made=base w:f8 1 >new && mv new rival.bin # of rounds with a base
    rank
    rank
    model 3 0 >new && mv new rival.bin
    rank
    rm rival.bin
    rank
    stop
    is "$(grep -c 'score: rival rival.bin: .*; rounds have no rival' err)" 1
    is "$(spooled log | bin2txt -f values - | awk -F '\t' '$4 == "rival" && $3 == 0 { print $1 ":" $5 }' | xargs)" '2:1 3:2 6:3'
    is "$(spooled log | bin2txt -f head | grep -c team:)" 3
}

@test "the quantiles of latency rise, and go with its sum" {
    material
    start -S status s 'score -m w.bin | explore'
    "$SHIM/load" s requests 5 1000
    stop
    awk '/_latency_seconds[{]/ { if ($2 < last) exit 1; last = $2; if (!n++) least = $2 }
        /_latency_seconds_sum/ { sum = $2 } /_latency_seconds_count/ { count = $2 }
        END { exit n != 4 || count != 1000 || sum < count * least / 2 }' status
}

@test "no client waits for a clock: not to connect beside others, nor with many requests at once" {
    start s 'explore -g 1'
    from=$SECONDS
    for i in $(seq 15); do
        mkfifo in$i
        serve -a s <>in$i >got$i 2>/dev/null &
        printf '? 1:1\n\n' >in$i
        for _ in $(seq 500); do [ ! -s got$i ] || break; sleep 0.02; done
        [ -s got$i ]
    done
    [ $((SECONDS - from)) -lt 9 ] # and not a second for each of them
    awk 'BEGIN { for (i = 0; i < 100000; i++) print "? 1:1\n" }' >many # 64 KiB in a turn
    from=$SECONDS
    is "$(serve -a s <many | grep -c .)" 100000
    [ $((SECONDS - from)) -lt 8 ]
    stop
}

@test "clients that send garbage, stop, never read or vanish do not disturb the others" {
    material
    start -S status s 'score -m w.bin | explore'
    "$SHIM/load" -m s requests 20 5000
    stop
    grep -q 'errors_total{kind="request"} [1-9]' status
    is "$(cat err)" ''
}

@test "after connections have come and gone, no descriptor is open and memory is flat" {
    [ -d /proc/self/fd ] || skip "no /proc/self/fd here"
    not_sanitized "freed memory is kept for a while"
    material
    start s 'score -m w.bin | explore'
    "$SHIM/load" -1 s requests 4 500
    sleep 0.2
    fds=$(ls /proc/$started/fd | wc -l)
    memory=$(awk '/VmRSS/ { print $2 }' /proc/$started/status)
    "$SHIM/load" -1 -m s requests 4 5000
    sleep 0.2
    is "$(ls /proc/$started/fd | wc -l)" "$fds"
    [ "$(awk '/VmRSS/ { print $2 }' /proc/$started/status)" -le $((memory + 1024)) ]
    stop
}

@test "SIGTERM: whole requests are answered, then all is closed; exit 0" {
    material
    for i in $(seq 200); do cat requests; done >many
    start s 'score -m w.bin | explore'
    mkfifo slow
    serve -a s <many >slow 2>err2 &
    asker=$!
    exec 5<slow
    head -c 1000 <&5 >got
    kill -TERM $started
    cat <&5 >>got
    wait $started
    started=
    wait $asker || true
    exec 5<&-
    [ ! -e s ]
    # Whole answers alone, numbered without a gap.
    grep -v '^!' got | awk 'NF == 0 { if (n) { if (n != 5) exit 1; answers++ } n = 0; next }
        { if (n == 0 && $1 != last + 1) exit 1; last = $1; n++ }
        END { if (n || answers < 10) exit 1 }'
}

@test "SIGTERM beside a client that does not read: five seconds, and exit 0" {
    command -v python3 >/dev/null || skip "no python3 here"
    material
    for i in $(seq 100); do cat requests; done >many
    start s 'score -m w.bin | explore | spool log'
    # sends until the service has stopped reading for a second, and reads nothing
    timeout 60 python3 -c 'import socket, time
s = socket.socket(socket.AF_UNIX)
s.connect("s")
s.settimeout(1)
text = open("many", "rb").read()
try:
    while True:
        s.send(text)
except socket.timeout:
    open("full", "w")
    time.sleep(60)' 3>&- &
    asker=$!
    until [ -e full ]; do sleep 0.1; done
    from=$SECONDS
    stop
    [ $((SECONDS - from)) -ge 4 ]
    is "$(cat err)" ''
    [ ! -e s ]
    is "$(spooled log | bin2txt -f head | wc -l)" "$(spooled_last log)" # the log is whole
    kill $asker
    wait $asker || true
}

@test "SIGTERM while the service waits for a model's FIFO ends it" {
    mkfifo model
    timeout -s KILL 20 serve s 'score -m model | explore' 2>err 3>&- &
    started=$!
    until pgrep -P $started >/dev/null; do sleep 0.02; done
    sleep 0.3
    kill -TERM $(pgrep -P $started)
    got=0
    wait $started || got=$?
    started=
    is "$got" 143
}

@test "a pipeline that fails ends the service with its message, exit 1" {
    material
    start s "score -m w.bin | explore | metric -t /dev/full -e 1 ndcg@1"
    sed 's/^?/1/' requests >labelled
    for i in $(seq 100); do cat labelled; done | serve -a s >got 2>err2 || true
    status=0
    wait $started || status=$?
    started=
    is "$status" 1
    is "$(cat err)" 'serve: metric: cannot write /dev/full: No space left on device'
    [ ! -e s ]
}

@test "a pipeline without explore is a wrong command line" {
    material
    fails 2 'serve: the pipeline gives no order to show: add explore*' serve s 'score -m w.bin'
    [ ! -e s ]
}

@test "a socket that nobody listens at is replaced; one in use, and any other file, is not" {
    start s 'explore -g 1'
    fails 1 'serve: another process listens at s' serve s 'explore -g 1'
    kill -KILL $started
    wait $started || true
    [ -S s ]
    serve s 'explore -g 1' 2>err &
    started=$!
    for _ in $(seq 100); do
        ! printf '? 1:1\n\n' | serve -a s >got 2>/dev/null || break
        sleep 0.02
    done
    is "$(cut -f 1 got)" "$(printf '1\n\n')"
    stop
    echo text >file
    fails 1 'serve: file exists and is not a socket' serve file 'explore -g 1'
    is "$(cat file)" text
    fails 1 'serve: cannot listen at none/s: No such file or directory' serve none/s 'explore -g 1'
    fails 2 'serve: the path of a socket has at most 96 bytes, not 120*' serve "$(printf %0120d 0)" explore
    fails 2 'serve: the path of a socket has at most 107 bytes, not 120*' serve -a "$(printf %0120d 0)"
}

@test "-: a listening socket from systemd, or as standard input" {
    for fd in 0 3; do
        "$SHIM/listen" $fd s$fd serve - 'explore -g 1' 2>err &
        started=$!
        for _ in $(seq 100); do
            [ ! -S s$fd ] || ! printf '? 1:1\n\n' | serve -a s$fd >got 2>/dev/null || break
            sleep 0.02
        done
        is "$(cut -f 1 got)" "$(printf '1\n\n')"
        stop
        [ -S s$fd ]
    done
    fails 1 'serve: descriptor 0 is not a listening socket' serve - 'explore -g 1'
    LISTEN_PID=1 LISTEN_FDS=1 fails 1 'serve: descriptor 0 is not a listening socket' serve - explore
}

@test "score -r takes a new model, and the status file shows the round of the model" {
    material
    head -n 6 requests >one
    start -S status s 'score -r -m w.bin | explore'
    serve -a s <one | cut -f 4,5 >before
    replay -n 20 q.bin | update -a listnet -e 0.5 -m other.bin
    mv other.bin w.bin
    serve -a s <one | cut -f 4,5 >after
    stop
    ! cmp -s before after
    score -m w.bin <q.bin | explore | bin2txt -f rank | head -n 5 | cut -f 4,5 >want
    is "$(head -n 5 after)" "$(cat want)"
    grep -x '# TYPE rankpipe_serve_model_round gauge' status
    grep -x 'rankpipe_serve_model_round 20' status
}

# until_score SCORE: asks again until the only document has that score, for five seconds.
until_score() {
    for _ in $(seq 250); do
        [ "$(ask)" != "$1" ] || return 0
        sleep 0.02
    done
    return 1
}

ask() { # the score of a document whose only feature is 1
    printf '? 1:1\n\n' | timeout 10 serve -a s | cut -f 5 | xargs
}

@test "score -r: a large model is read, and the old one freed, beside the requests" {
    not_sanitized "they keep another mmap out"
    PATH=$SHIM:$PATH
    zeros=$(yes 0 | head -n 200000 | xargs)
    for w in 1 2; do mkstream model learner=kl rounds=$w dim=200001 w:f8 $w $zeros >w.$w; done
    export HOLD=$PWD/hold
    cp w.1 w.bin
    LD_PRELOAD=$SHIM/hold.so start -d 200001 -S status s 'score -r -m w.bin | explore'
    is "$(ask)" 1
    touch hold.map hold.unmap
    cp w.2 new && mv new w.bin
    is "$(ask)" 1
    until [ -e hold.waits ]; do sleep 0.02; done
    is "$(ask)" 1 # a thread waits, and nobody else
    rm hold.waits hold.map
    until_score 2
    until [ -e hold.waits ]; do sleep 0.02; done
    is "$(ask)" 2
    rm hold.unmap
    cp w.1 new && mv new w.bin
    until_score 1
    # a bad one is reported, once, and leaves the scores as they are
    head -c 1500000 w.2 >new && mv new w.bin
    until grep -q . err; do is "$(ask)" 1; done
    is "$(ask) $(ask)" '1 1'
    stop
    is "$(cat err)" 'score: w.bin: stream cut short before the first whole round; the weights stay as they were'
    unset HOLD
    # and where the service ends while a model is read, nothing else happens
    cp w.1 w.bin
    start -d 200001 s 'score -r -m w.bin | explore'
    cp w.2 new && mv new w.bin
    ask >/dev/null
    stop
    is "$(cat err)" ''
}

@test "-S: the status file is in Prometheus' text format, and replaced whole" {
    (umask 077 && echo old >status)
    start -S status -b 7 s 'explore -g 1'
    [ -s status ]
    printf '? 1:1\n\nx\n\n' | serve -a s >got
    stop
    # Each name has its help and type before its values, which are numbers.
    awk '/^# HELP / { help = $3; next }
        /^# TYPE / { if ($3 != help || $4 !~ /^(counter|gauge|summary)$/) exit 1; type = $3; next }
        { sub(/[{].*[}]/, ""); name = $1; sub(/_(sum|count)$/, "", name)
          if (name != type && $1 != type || $2 !~ /^[0-9.e+-]+$/) exit 1; n++ }
        END { exit n < 15 }' status
    grep -x 'rankpipe_serve_rounds_total 1' status
    grep -x 'rankpipe_serve_next_round 8' status
    grep -x 'rankpipe_serve_errors_total{kind="request"} 1' status
    grep -x 'rankpipe_serve_latency_seconds_count 1' status
    # That of start, and that of the request.
    grep -x 'rankpipe_serve_connections_total 2' status
    grep -x 'rankpipe_serve_connections 0' status
    ! grep 'kind="\(closed\|gone\|status\)"} [1-9]' status
    # The one answer took less time than the service ran. Where the file was written at the start and
    # the end alone, the rate is at least the mean.
    is "$(sed -n 's/.*_latency_seconds[{_].* //p' status | head -n 5 | uniq | wc -l)" 1
    awk '$1 ~ /_uptime_seconds$/ { up = $2 } $1 ~ /_rounds_per_second$/ { rate = $2 }
        $1 ~ /_latency_seconds_sum/ { sum = $2 }
        END { exit sum <= 0 || sum > up || up < 5 && rate < 1 / up }' status
    [ ! -e status.new ]
    is "$(stat -c %a status)" 644 # node_exporter reads it, whatever the umask of serve and of a serve before
}

@test "-S: a status file that cannot be written is a warning" {
    start -S none/status s 'explore -g 1'
    printf '? 1:1\n\n' | serve -a s >got
    stop
    is "$(cut -f 1 got)" "$(printf '1\n\n')"
    is "$(cat err)" 'serve: cannot write none/status.new: No such file or directory'
}

@test "what cannot be in a service's pipeline is refused" {
    fails 2 'serve: bin2txt cannot be in a served pipeline: each program there must read rounds and pass them on*' serve s bin2txt
    fails 2 'serve: replay cannot be in a served pipeline: each program there must read rounds and pass them on*' serve s 'replay q | explore'
    fails 2 'serve: the pipeline must not have >: its rounds come from clients, and return to them*' serve s 'explore >x'
    fails 2 'serve: score: with -f, score waits for update in each round, *' serve s 'score -f ring | explore'
    fails 2 "serve: cannot run 'loop': choose from svm2bin, *" serve s 'loop explore'
    fails 2 'serve: wants two operands: a socket, and a pipeline that is quoted as a whole*' serve s
    fails 2 'serve: wants two operands: *' serve s score explore
    fails 2 'serve: -a wants one operand: a socket*' serve -a
    fails 1 'serve: score: none: no such file: *' serve s 'score -m none | explore'
    (ulimit -n 100 && fails 2 'serve: -c 200 needs 264 file descriptors, but this process may have only 100: *' \
        serve s explore)
    [ ! -e s ]
}

@test "-a: no service is an error" {
    fails 1 'serve: cannot connect to s: No such file or directory' serve -a s
}

# ---- with spool ----

# Skips where this version has no spool.
need_spool() {
    command -v spool >/dev/null || skip "no spool in this version"
}

# logged FOLDER: the header lines of its rounds, in the order of their numbers.
logged() {
    for file in "$1"/*.bin; do uncrc <"$file" | bin2txt -f head; done | sort -t = -k 2,2n
}

@test "spool: the log has each round once, with its request, time and seed" {
    need_spool
    material
    before=$(date +%s)000
    start s 'score -m w.bin | explore -g 0.5 -s random | spool log'
    awk -v RS= '{ print "request: r" NR "\n" $0 "\n" }' requests | serve -a s >got
    stop
    logged log >heads
    is "$(sed 's/.* \(t=[0-9]*\) .*\(request=[^ ]*\) .*/\1 \2/' heads)" \
        "$(for i in $(seq 10); do echo "t=$i request=r$i"; done)"
    sed 's/.* time=\([0-9]*\) .*/\1/' heads | awk -v from="$before" '$1 < from { exit 1 }'
    is "$(grep -o 'seed=[0-9]*' heads | sort -u | wc -l)" 1
    cat log/*.bin | explore -g 0.5 -s recorded | bin2txt -f rank >again
    grep . got >answered
    same answered again
}

@test "spool: a restart goes on with the next number, and another seed; -b overrules it" {
    need_spool
    material
    for i in 1 2 3; do
        start s 'score -m w.bin | explore -g 0.5 -s random | spool log'
        serve -a s <requests >got
        stop
        is "$(head -n 1 got | cut -f 1)" $((10 * i - 9))
    done
    is "$(logged log | wc -l)" 30
    is "$(logged log | grep -o 'seed=[0-9]*' | sort -u | wc -l)" 3
    # Logs of other names in the folder count too.
    svm2bin -lu -b 51 requests | score -m w.bin | explore | spool -n other log >other.bin
    start s 'score -m w.bin | explore -g 0.5 -s random | spool log'
    serve -a s <requests >got
    stop
    is "$(head -n 1 got | cut -f 1)" 61
    start -b 101 s 'score -m w.bin | explore -g 0.5 -s random | spool log'
    serve -a s <requests >got
    stop
    is "$(head -n 1 got | cut -f 1)" 101
}

@test "spool: after kill -9, no answered round is missing from the log, or in it twice" {
    need_spool
    material
    for j in $(seq 20); do cat requests; done >many
    for i in $(seq "${KILLS:-5}"); do
        start s 'score -m w.bin | explore -g 0.5 -s random | spool log'
        for j in 1 2 3; do
            serve -a s <many >got$i.$j 2>/dev/null &
        done
        sleep 0.0$((RANDOM % 10))
        kill -KILL $started
        wait || true
        started=
    done
    start s 'score -m w.bin | explore -g 0.5 -s random | spool log'
    serve -a s <requests >got.last
    stop
    logged log | sed 's/.* t=\([0-9]*\) .*/\1/' >numbers
    is "$(uniq -d numbers)" ''
    # Of the last answer before a kill, only a part may have come.
    cat got* | awk -F '\t' 'NF == 6 { print $1 }' | sort -u >answered
    [ "$(wc -l <answered)" -ge 10 ]
    is "$(sort numbers | comm -13 - answered)" ''
}

@test "spool -y: a request that comes again gets the stored answer, and is in the log once" {
    need_spool
    material
    awk -v RS= '{ print "request: r" NR "\n" $0 "\n" }' requests >named
    start s 'score -m w.bin | explore -g 1 -s random | spool -y log'
    serve -a s <named >first
    serve -a s <named >second
    same first second
    stop
    start s 'score -m w.bin | explore -g 1 -s random | spool -y log'
    serve -a s <named >third
    same first third
    # not that of another query, which gets an error of its own; other clients go on
    { sed -n 1p named && sed -n '/^$/,$p' named | sed '1d; 2d; /^$/q'; } | serve -a s >other
    is "$(cat other)" '! spool: the request r1 is in the log with another query or other documents: give each request a name of its own'
    { echo 'request: new' && sed 1d named | sed '/^$/q'; } | serve -a s >new
    stop
    is "$(cut -f 1 new | head -n 1)" 22 # numbers of requests that came again are not used
    is "$(values_of request <log/rounds.0000000000000001-*.bin | xargs)" 'r1 r2 r3 r4 r5 r6 r7 r8 r9 r10'
    is "$(logged log | wc -l)" 11
}

@test "spool -y: whatever is killed, each request is stored once, and has one answer" {
    need_spool
    material
    awk -v RS= '{ q = $2; for (i = 1; i <= 10; i++) { text = $0; gsub(q, q "." i, text); print "request: r" NR "." i "\n" text "\n" } }' requests >named
    for i in $(seq "${KILLS:-6}"); do
        start s 'score -m w.bin | explore -g 1 -s random | spool -y -c 13 log'
        for j in 1 2 3; do
            serve -a s <named >got$i.$j 2>/dev/null 3>&- &
        done
        sleep 0.0$((RANDOM % 10))
        kill -KILL $started
        wait || true
        started=
    done
    start s 'score -m w.bin | explore -g 1 -s random | spool -y -c 13 log'
    serve -a s <named >last
    stop
    is "$(logged log | sed 's/.* request=\([^ ]*\) .*/\1/' | sort | uniq -c | awk '$1 == 1' | wc -l)" 100
    # each whole answer that anyone got is the last one of its query
    awk -F '\t' 'NF < 6 { if (n == 5) print whole; whole = ""; n = 0; next } { whole = whole $0 "|"; n++ }' got* last |
        sort -u >answers
    is "$(wc -l <answers)" 100
    is "$(cut -f 2 answers | sort -u | wc -l)" 100
}

@test "spool: on a full disk the service ends with exit 1, and its log has all that was answered" {
    need_spool
    material
    for i in $(seq 100); do cat requests; done >many
    (ulimit -f 200 && exec serve s 'score -m w.bin | explore | spool log' 2>err) &
    started=$!
    for _ in $(seq 100); do [ ! -S s ] || break; sleep 0.02; done
    serve -a s <many >got 2>err2 || true
    status=0
    wait $started || status=$?
    started=
    is "$status" 1
    [[ $(cat err) == 'serve: '*'File too large'* ]]
    start s 'score -m w.bin | explore | spool log'
    serve -a s <requests >>got
    stop
    logged log | sed 's/.* t=\([0-9]*\) .*/\1/' >numbers
    is "$(uniq -d numbers)" ''
    cut -f 1 got | grep '^[0-9]' | sort -u >answered
    [ "$(wc -l <answered)" -gt 10 ]
    is "$(sort numbers | comm -13 - answered)" ''
}

@test "spool -k: when the disk fails, each request is answered, and said to be not stored or in the log" {
    not_sanitized "they must be loaded before the shim"
    need_spool
    for i in $(seq 40); do
        printf 'request: r%d\n? qid:q%d 1:1\n? qid:q%d 1:2\n\n' $i $i $i
    done >requests
    for at in 2 4 4+; do # a sync of the log: of several rounds that came together
        rm -rf log
        LD_PRELOAD=$SHIM/faulty.so FAULTY_FD=9 FAULTY_CALL=fsync FAULTY_AT=$at FAULTY_HOW=28 \
            start -S status s 'explore -g 1 | spool -yk -F 0 log' 9>count
        head -n 20 requests | serve -a s >got
        tail -n +21 requests | serve -a s >>got
        stop
        is "$(grep -c '^$' got)" 40
        awk 'NF == 6 { qid = $2 } /^#\tnot stored$/ { lost[qid] = 1 } !NF && !(qid in lost) { print "r" substr(qid, 2) }' \
            got | sort >stored
        [ "$(wc -l <stored)" -lt 40 ]
        spooled log 2>none | values_of request 2>none | sort >logged || [ ! -s stored ]
        same stored logged
        is "$(sed -n 's/^rankpipe_serve_unstored_rounds //p' status)" "$((40 - $(wc -l <stored)))"
        [[ $(cat err) == 'spool: cannot '*': No space left on device: until the log can be written, rounds are passed'* ]]
    done
    python3 - "$ROOT/lib/python" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import rankpipe
answer = b"7\tq\t1\ta\t0\t1\n"
assert rankpipe.read_answer(answer, 1, ["a"], "r1").request == "r1"
assert rankpipe.read_answer(answer + b"#\tnot stored\n", 1, ["a"], "r1") == (None, 7, [0], [0.0])
PYTHON
}

@test "spool -t finishes a file on time, also when no request comes" {
    need_spool
    start s 'explore -g 1 | spool -t 1 log'
    printf '? 1:1\n\n' | serve -a s >got
    for _ in $(seq 60); do
        [ ! -e log/rounds.0000000000000001-0000000000000001.bin ] || break
        sleep 0.1
    done
    [ -e log/rounds.0000000000000001-0000000000000001.bin ]
    stop
}

@test "more than one socket from systemd is refused" {
    # shellcheck disable=SC2016
    fails 1 'serve: systemd passed 2 sockets, but serve takes one' \
        bash -c 'LISTEN_PID=$$ LISTEN_FDS=2 exec serve - explore'
}

@test "a line of blanks ends a request, as an empty one does" {
    start s 'explore -g 1'
    printf '? 1:1\n \t \n? 1:1\n\n' | serve -a s >got
    is "$(cut -f 1 got)" "$(printf '1\n\n2\n\n')"
    stop
}
