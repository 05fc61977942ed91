# rankpipe up: a whole service in a folder, whose parts are kept running and end with it.
load ../helper

NEEDS='python3 curl'

teardown() {
    for process in ${ups-}; do kill -KILL "$process" 2>/dev/null && wait "$process"; done 2>/dev/null || true
}

# starts OPTION...: rankpipe up in box; $url once it is ready, $up its process. What runs the tests may
# ignore signals, as nohup does, and up would, too.
starts() {
    env --default-signal=INT,HUP rankpipe up -l 127.0.0.1:0 --admin 127.0.0.1:0 "$@" box >ready 2>said 3>&- &
    up=$!
    ups="${ups-} $up"
    await grep -q ready ready
    url=$(sed -n 's/^\(.*\)\/ is ready$/\1/p' ready)
    [ -n "$url" ]
}

# await COMMAND...: until it succeeds, for ten seconds.
await() {
    for _ in $(seq 200); do "$@" >/dev/null 2>&1 && return; sleep 0.05; done
    cat said box/errors
    return 1
}

# ask QUERY: the ranking of three documents.
ask() {
    curl -s --json "{\"query\": \"$1\", \"documents\": [{\"name\": \"a\", \"features\": [3, 0]},
        {\"name\": \"b\", \"features\": [2, 1]}, {\"name\": \"c\", \"features\": [1, 0]}]}" "$url/rank"
}

parts() { # the processes that up has started
    pgrep -P "$up"
}

# part NAME: the process of up that has this word in its command.
part() {
    for process in $(parts); do
        ! tr '\0' ' ' <"/proc/$process/cmdline" | grep -q "$1" || { echo "$process" && return; }
    done
    return 1
}

# gone PROCESS...: none of them runs.
gone() {
    for process; do [ ! -d "/proc/$process" ] || grep -q '^State:.*Z' "/proc/$process/status" || return 1; done
}

@test "up: the engine's order at first, and what was clicked is learnt; no number of features was given" {
    starts -t 1
    ask jam >found
    grep '"ranking": \["a", "b", "c"\]' found
    for client in 1 2 3 4; do
        request=$(ask jam | sed 's/.*"request": "\([0-9a-f]*\)".*/\1/')
        curl -sf --json "{\"request\": \"$request\", \"clicks\": [3], \"shown\": 3, \"client\": \"$client\"}" "$url/answer"
    done
    higher() { ask jam | grep -q '"ranking": \["a", "c"'; } # by one place, as clicks have said little yet
    await higher
    grep -h 'client=[0-9a-f]\{16\} clicks=1 0 0 1$' box/answers/* >stored
    is "$(wc -l <stored)" 4
    is "$(stat -c %a box box/keys)" $'700\n700'
    is "$(head -n 1 ready)" "$url/ is ready"
    is "$(cat said)" ''
}

@test "up: all ends within five seconds of a signal, with status 0, and also if up is killed" {
    for signal in INT TERM HUP; do
        starts -t 1
        running=$(parts)
        [ "$(wc -w <<<"$running")" -ge 2 ]
        exec 4<>"/dev/tcp/127.0.0.1/${url##*:}" # a client that holds its connection
        began=$SECONDS
        kill -"$signal" "$up"
        status=0
        wait "$up" || status=$?
        is "$signal $status" "$signal 0"
        [ $((SECONDS - began)) -le 5 ]
        gone $running
        exec 4>&-
    done
    starts
    running=$(parts)
    kill -KILL "$up"
    wait "$up" || true
    await gone $running
    starts # at once, in the same folder
    kill "$up" && wait "$up"
}

@test "up: what ends is started again, is said once, and search goes on without the learner" {
    starts -t 1
    for n in 1 2; do
        process=$(part 'serve ')
        kill -KILL "$process"
        await gone "$process"
        again() { ask jam | grep -q ranking; }
        await again
    done
    is "$(cat said)" "up: serve has ended by signal 9, and is started again: $PWD/box/errors has its messages"
    mkdir box/answers/2000-01-01.1-a # a learner that fails
    mv box/service.db box/away && mkdir box/service.db
    failed() { grep -q 'the learner has ended with status 1, and is started again' said; }
    await failed
    ask jam | grep ranking
    rmdir box/service.db && mv box/away box/service.db
    is "$(wc -l <said)" 2
    grep '^service: ' box/errors
}

@test "up: one a folder, a port that is free, a folder that can be written to, and not as root" {
    starts -t 0
    parts >had
    is "$(wc -l <had)" 2 # no learner
    fails 1 "up: box: process $up runs here already: end it, or use another folder" rankpipe up -l 127.0.0.1:0 box
    fails 1 "up: other: cannot listen at ${url#http://}: Address already in use: choose another address by -l" \
        rankpipe up -l "${url#http://}" other
    await grep pays ready
    admin=$(sed -n 's,^http://\(.*\)/ says whether search pays$,\1,p' ready)
    fails 1 "up: other: cannot listen at $admin: Address already in use: choose another address by --admin" \
        rankpipe up -l 127.0.0.1:0 --admin "$admin" other
    fails 2 "up: argument --admin: 'page' is not host:port, or none; see: rankpipe up -h" rankpipe up --admin page box
    is "$(ls other)" up.lock
    is "$(parts)" "$(cat had)"
    touch file
    fails 1 'up: *File exists*file*' rankpipe up file
    fails 2 'up: the following arguments are required: folder; see: rankpipe up -h' rankpipe up
    fails 2 "up: argument -t: 'x' is not a whole number from 0 to 86400; see: rankpipe up -h" rankpipe up -t x box
    fails 2 'up: unrecognized arguments: -k; see*' rankpipe up -k box
    [ "$(id -u)" = 0 ] || skip 'not root here'
    RANKPIPE_ROOT=no fails 1 'up: box: not as root: *RANKPIPE_ROOT=yes' rankpipe up box
}

@test "up: --admin shows the operator's page to this machine, by a name that nobody else can have, and nothing else" {
    starts -t 0
    await grep pays ready
    page=$(sed -n 's,^\(.*\)/ says whether search pays$,\1,p' ready)
    curl -sfi "$page/" >got
    grep -ax "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; base-uri .*" <(tr -d '\r' <got)
    tr -d '\r' <got | sed '1,/^$/d' | cmp - box/report.html
    is "$(curl -sI "$page/report.html" | tr -d '\r' | sed -n '1p; s/^Content-Length: //p')" "HTTP/1.1 200 OK
$(wc -c <box/report.html)"
    said() { curl -s -o /dev/null -w '%{http_code} ' "$@"; }
    is "$(said "$page/service.db") $(said --path-as-is "$page/../service.db") $(said -d a "$page/") $(said "$url/report.html")" '404  404  405  404 '
    for host in localhost 'localhost:80' 192.0.2.1 '[::1]:8079'; do is "$(said -H "Host: $host" "$page/")" '200 '; done
    for host in example.org localhost.example.org '' 127.0.0.1.example.org; do is "$(said -H "Host: $host" "$page/")" '421 '; done
    printf 'GET / HTTP/1.0\r\n\r\n' | curl -s --http0.9 "telnet://${page#http://}" | grep -a '^HTTP/1.1 421 '
    { printf 'GET / HTTP/1.1\r\nX: '; head -c 20000 /dev/zero | tr '\0' a; } | curl -s "telnet://${page#http://}" | grep -a '^HTTP/1.1 431 '
    rm box/report.html
    ln -s service.db box/report.html
    is "$(said "$page/")" '404 '
}

@test "up: options of the API go to it, and --unordered turns the base off" {
    starts --proxy 127.0.0.1 --proxy unix -r 7 --unordered
    tr '\0' ' ' <"/proc/$(part api)/cmdline" >words
    grep -- ' -r 7 .*--proxy=127.0.0.1/32 --proxy=unix --admin 127.0.0.1:[0-9]* --unordered -k keys rank.socket answers $' words
    tr '\0' ' ' <"/proc/$(part 'serve ')/cmdline" | grep -- '| explore -i .1 -s random |'
    ask jam | grep ranking
    is "$(cd box && rankpipe service status | sed -n 's/^base  *\([a-z]*\).*/\1/p')" off
    kill "$up" && wait "$up"
    starts # again with an order
    ask jam | grep '"ranking": \["a", "b", "c"\]'
}

@test "up: as process 1 it reaps what has lost its parent, and ends all" {
    unshare -pf --mount-proc true 2>/dev/null || skip 'no unshare here'
    unshare -pf --mount-proc --kill-child sh -c 'sh -c "sleep 0.3 & :"; exec rankpipe up -t 1 -l api --admin none box' >ready 2>said 3>&- &
    up=$!
    ups=$up
    await grep -q ready ready
    sleep 0.5
    one=$(pgrep -P "$up")
    is "$(ps -o stat= --ppid "$one" | grep -c Z)" 0
    kill -TERM "$one"
    wait "$up"
    is "$(cat said)" ''
}
