# rankpipe doctor: what is wrong with a service, each with its remedy, whatever answers at the address.
load ../helper

NEEDS='python3 curl'

export PYTHONDONTWRITEBYTECODE=1

teardown() {
    for process in ${up-} ${stub-}; do kill "$process" 2>/dev/null && wait "$process" || true; done
}

# ups OPTION...: a service in shop, at $url.
ups() {
    RANKPIPE_ROOT=yes rankpipe up -l 127.0.0.1:0 --admin none -t 1 "$@" shop >ready 2>said 3>&- &
    up=$!
    for _ in $(seq 250); do ! grep -q ready ready || break; sleep 0.04; done
    url=$(sed -n 's,/ is ready,,p' ready)
    [ "$url" ]
}

# post PATH BODY [HEADER]
post() {
    curl -s -H 'Content-Type: application/json' ${3+-H "$3"} -d "$2" "$url$1"
}

# asks N CLIENT...: N searches for each of these clients, who click on place 1; features from $FEATURES.
asks() {
    local n=$1 client request
    shift
    for client; do
        for ((; n > 0; n--)); do
            request=$(post /rank "{\"query\": \"q\", \"documents\": [{\"name\": \"a b\", \"features\": [$n, ${FEATURES-2}]}, {\"name\": \"b\", \"features\": [3, ${FEATURES-4}]}]}" |
                sed 's/.*"request": "\([0-9a-f]*\)".*/\1/')
            post /answer "{\"request\": \"$request\", \"clicks\": [1]${client:+, \"client\": \"$client\"}}"
        done
        n=1
    done
}

# doctor LINE: runs it with the folder until it prints this line, for the learner runs each second.
doctor() {
    for _ in $(seq 20); do
        rankpipe doctor "$url" shop >lines || true
        ! grep -E -- "$1" lines || return 0
        sleep 0.5
    done
    cat lines said
    return 1
}

@test "a service that is well: each line is ok; what is not looked at without the folder is said" {
    ups
    FEATURES=0 asks 3 id:a id:b
    doctor '^ok: answered: 4 of [0-9]+ rankings; learnt: 2 answers; '
    rankpipe doctor "$url" shop >lines
    is "$(grep -vc '^ok: ' lines)" 0
    grep -x 'ok: 4 answers of a week, from 2 clients' lines
    grep -x 'ok: 2 features in 3 lists: 1 from 1 to 3, 2 from 0 to 0' lines
    grep -x 'ok: where a query was asked again, 6 of 6 documents had been there before' lines
    doctor '^ok: answered: 4 of ([5-9]|[0-9]{2,}) rankings' # those of doctor, too, which are no searches
    is "$(python3 -c 'import sqlite3; print(*sqlite3.connect("shop/service.db").execute("SELECT sum(rounds) FROM daily").fetchone())')" 4
    rankpipe doctor "$url" >lines
    is "$(grep -v '^ok: ' lines)" 'not looked at: features, names, clients and what is learnt: give the folder of the service, too'
    is "$(grep -c 'refused' lines)" 2
}

@test "a feature that never differs, a value that a whole list lacks, and a query that was changed are no faults" {
    ups
    FEATURES='7, 1' asks 5 id:a
    for n in 1 2 3; do
        post /rank '{"query": "p", "documents": [{"name": "x", "features": [null, 2]}, {"name": "y", "features": [null, 3]}]}' >ranked
    done
    doctor '^ok: answered: 5 of ([89]|[0-9]{2,}) rankings; '
    rankpipe doctor "$url" shop >lines
    is "$(grep -v '^ok: ' lines)" ''
    grep -x 'ok: feature 3 is the same for all documents of each of 6 lists, and teaches nothing' lines
    grep -x 'ok: 5 answers of a week, from 1 client' lines
}

@test "features that are missing, rankings of two widths, answers without a client, and names that change" {
    ups
    FEATURES='7, 0' asks 5 ''
    for n in 1 2 3; do
        post /rank "{\"query\": \"p\", \"documents\": [{\"name\": \"$n\", \"features\": [1, 2]}, {\"name\": \"x$n\", \"features\": [null, 3]}]}" >ranked
        FEATURES='7, 0' asks 1 ''
    done
    doctor '^wrong: rankings have 2 \(3 times\) or 3 \(8 times\) features, in turn: two front ends send different ones: '
    grep '^wrong: feature 3 is missing or 0 in all documents of each of 8 lists: ' lines
    doctor '^wrong: of 8 answers of a week 8 have no client, so nothing bounds the voice of one user: send client'
    grep -x 'ok: without a value, and counted as the mean of the others: feature 1 in 3 documents' lines
    status=0
    rankpipe doctor "$url" shop >lines || status=$?
    is $status 1
}

@test "what is refused is said with its reason from the first request on, and by whom nobody asks" {
    ups --proxy 127.0.0.1
    (cd shop && RANKPIPE_ROOT=yes rankpipe service set features 1 >/dev/null)
    sleep 1.1
    post /rank '{"query": "q", "documents": [{"features": [1, 2]}]}' >/dev/null
    post /rank '{"query": "q", "documents": [{"features": [1]}]}' >/dev/null
    sleep 0.3
    rankpipe doctor "$url" >lines && false
    grep '^wrong: 1 of 2 rankings of ten minutes were refused, because documents\[0\].features has feature 2, but the service has features 1 to 1: ' lines
    grep '^wrong: requests come from 127.0.0.1, a --proxy, without X-Forwarded-For: ' lines
    post /rank '{"query": "q", "documents": [{"features": [1]}]}' 'X-Forwarded-For: 192.0.2.1' >ranked
    grep -q '"ranking"' ranked
}

@test "whatever answers at the address: said within seconds, and never a trace" {
    cat >stub.py <<'END'
import socket, sys, threading, time
REPLIES = {
    "silent": [], "drips": [b"HTTP/1.1 200 OK\r\n"] + [b"x"] * 40, "closes": None, "other": [b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"],
    "moved": [b"HTTP/1.1 301 Moved\r\nLocation: https://shop.example/\x1b[31m\r\nContent-Length: 0\r\n\r\n"],
    "list": [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"], "deep": [b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 100000],
    "noise": [b"SSH-2.0-OpenSSH_9.2\r\n"], "large": [b"HTTP/1.1 200 OK\r\n\r\n"] + [b"a" * 1000000] * 30,
    "odd": [b'HTTP/1.1 200 OK\r\nContent-Length: 91\r\n\r\n{"status": "ok", "warnings": [1, "\\u001b[31mred"], "counts": {"rankings": [1]}, "time": {}}  '],
}
with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1], flush=True)
    def serve(peer):
        with peer:
            try:
                asked = peer.recv(65536)
                parts = REPLIES[asked.split(b" ")[1].decode().split("/")[1]]
                for part in parts or []:
                    peer.sendall(part)
                    time.sleep(0.5 if len(part) == 1 else 0)
                time.sleep(0 if parts != [] else 30)
            except (OSError, KeyError, IndexError):
                pass
    while True:
        threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
END
    python3 stub.py >port 3>&- &
    stub=$!
    for _ in $(seq 100); do [ ! -s port ] || break; sleep 0.05; done
    at=127.0.0.1:$(cat port)
    while IFS='|' read -r url want; do
        SECONDS=0 status=0
        timeout 60 rankpipe doctor "${url//AT/$at}" >lines 2>err || status=$?
        cat lines err
        is "$status $(cat err)" '1 '
        [ $SECONDS -le 40 ] # 8, on a machine that is not busy
        [[ $(head -n 1 lines) = "wrong: ${want//AT/$at}"* ]]
        ! LC_ALL=C grep -q $'\x1b' lines
    done <<'END'
http://AT/silent|AT does not answer within 8 seconds: is it the address of rankpipe api
http://AT/drips|AT does not answer within 8 seconds: 
http://AT/closes|what listens at AT does not speak HTTP, or only https: 
http://AT/noise|what listens at AT does not speak HTTP, or only https: 
http://AT/other|what answers at AT with status 404 is not rankpipe api: 
http://AT/moved|what answers at AT with status 301, and the address https://shop.example/\x1b[31m, is not rankpipe api: 
http://AT/list|what answers at AT with status 200 is not rankpipe api: 
http://AT/deep|what answers at AT with status 200 is not rankpipe api: 
http://AT/large|what answers at AT with status 200 is not rankpipe api: 
https://AT/silent|AT does not 
http://127.0.0.1:1|nobody listens at 127.0.0.1:1: start it by rankpipe up FOLDER, 
http://no.such.host.invalid:80|no connection to no.such.host.invalid:80: 
END
    rankpipe doctor "http://$at/odd" >lines && false
    grep -Fx 'wrong: \x1b[31mred' lines
    for bad in '' 127.0.0.1:8080 ftp://127.0.0.1 http:// http://a:b 'http://a:99999'; do
        fails 2 'doctor: * is not a URL that begins with http:// or https://; see: rankpipe doctor -h' rankpipe doctor "$bad"
    done
    fails 2 'doctor: it takes a URL, and perhaps a folder; see: *' rankpipe doctor
    fails 2 'doctor: no option -x; see: *' rankpipe doctor -x http://a
}

@test "the folder is read and never written, by an account that may not write too, and beside a learner" {
    ups
    FEATURES=0 asks 2 id:a id:b
    doctor '^ok: answered: 3 of [0-9]+ rankings; learnt: 2 answers'
    mkdir old # without the files beside a database that is in use
    until cp shop/service.db old/ && [ ! -e shop/service.db-wal ]; do sleep 0.1; done
    cksum old/* >before
    rankpipe doctor "$url" old >lines || true
    grep '^ok: 2 features in ' lines
    same <(cksum old/*) before
    is "$(ls old)" service.db
    kill "$up" && wait "$up" || true
    up=
    (cd shop && find . -type f ! -name '*.lock' | sort | xargs cksum) >before
    rankpipe doctor http://127.0.0.1:1 shop >lines && false
    grep '^ok: answered: 3 of [0-9]* rankings' lines
    same <(cd shop && find . -type f ! -name '*.lock' | sort | xargs cksum) before
    head -c 5000 old/service.db >cut && mv cut old/service.db
    rankpipe doctor http://127.0.0.1:1 old >lines && false
    grep '^wrong: service.db cannot be read: ' lines
    echo nothing >old/service.db
    rankpipe doctor http://127.0.0.1:1 old >lines && false
    grep '^wrong: service.db cannot be read: ' lines
    rankpipe doctor http://127.0.0.1:1 nowhere >lines && false
    grep '^wrong: nowhere has no service.db: ' lines
}
