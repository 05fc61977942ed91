# rankpipe api: the service over HTTP. What a client sends is data, and a slow client is its own loss.
load ../helper

NEEDS=python3

export PYTHONPATH=$ROOT/lib/python PYTHONDONTWRITEBYTECODE=1

teardown() {
    for process in ${api-} ${service-}; do kill -KILL "$process" && wait "$process"; done 2>/dev/null || true
    ! mountpoint -q "$BATS_TEST_TMPDIR/small" || umount -l "$BATS_TEST_TMPDIR/small"
}

# serves: the service at the socket s, with a log.
serves() { # [GAMMA]
    [ -e w.bin ] || echo 1:1 2:2 3:3 | weights2bin >w.bin
    serve -e -S status s "score -r -m w.bin | explore -g ${1:-0.1} -s random | spool log" 2>>served 3>&- &
    service=$!
    for _ in $(seq 250); do [ ! -S s ] || return 0; sleep 0.02; done
    cat served && return 1
}

# answers OPTION...: the API at $url, a free port.
answers() {
    mkdir -p answers
    : >"$BATS_TEST_TMPDIR/said"
    rankpipe api -l 127.0.0.1:0 "$@" s answers 2>"$BATS_TEST_TMPDIR/said" 3>&- &
    api=$!
    for _ in $(seq 250); do
        url=$(sed -n 's,^api: listening at \(.*\)$,\1,p' "$BATS_TEST_TMPDIR/said")
        [ -z "$url" ] || break
        sleep 0.02
    done
    if [ -e s ]; then
        for _ in $(seq 250); do ask GET /health && [ "$status" != 200 ] || break; sleep 0.02; done
    fi
}

# ask METHOD PATH [BODY [TYPE]]: one request; $status, and $output is the body. With FORWARDED it comes by a proxy.
ask() {
    local LC_ALL=C body=${3-} line=.
    exec 4<>"/dev/tcp/${url%:*}/${url#*:}"
    printf '%s %s HTTP/1.1\r\nHost: localhost\r\n%bContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s' \
        "$1" "$2" "${FORWARDED:+X-Forwarded-For: $FORWARDED\r\n}" "${4-application/json}" ${#body} "$body" >&4
    read -r _ status _ <&4
    while [ "$line" != $'\r' ]; do IFS= read -r line <&4 || return; done
    output=$(cat <&4)
    exec 4>&-
}

# plain: what /health says, without the time and counts.
plain() {
    sed 's/, "time": [0-9]*, "counts": .*/}/' <<<"$output"
}

# field NAME: a field of the answer.
field() {
    sed "s/.*\"$1\": //; s/^\(\"\([^\"\\\\]\|\\\\.\)*\"\|\[[^]]*\]\|[0-9]*\).*/\1/; s/^\"\(.*\)\"\$/\1/; s/\\\\\"/\"/g" <<<"$output"
}

# names: those that the answer ranks, in the order of letters.
names() {
    field ranking | grep -o '"[^"]*"' | sort | xargs
}

# requests: the names of the requests in the log.
requests() {
    spooled log | bin2txt -f head | sed 's/.* request=\([^ ]*\) .*/\1/'
}

stops() {
    kill "$api" && wait "$api"
    kill "$service" && wait "$service"
    api= service=
}

@test "documents, features and lines are ranked, and answers join their rounds" {
    serves
    answers
    ask POST /rank '{"query": "new user", "documents": [{"name": "a", "features": [0, 1, 0]}, {"name": "b", "features": [1, 1, 1]}]}'
    is "$status" 200
    first=$(field request)
    is "$(field round)" 1
    is "$(names)" 'a b'
    ask POST /rank '{"query": "Как сменить пароль?", "documents": [{"features": {"3": 1}}, {"features": {"1": 0.5, "2": -1e-3}}]}'
    is "$status" 200
    ask POST /rank '{"query": "c#", "lines": ["1:0.25 3:1e0 # docid=x", "2:1#b"]}'
    is "$status" 200
    is "$(names)" 'b docid=x'
    last=$(field request)
    # [[0, 1, 0], [-3.4e38, 1, 1e-45]]; and a document without a name
    ask POST /rank '{"query": "go", "features": 3, "values": "AAAAAAAAgD8AAAAAnsl//wAAgD8BAAAA", "names": ["b", "v"]}'
    is "$status" 200
    is "$(names | tr ' ' '\n' | sort | xargs)" 'b v'
    ask POST /rank '{"query": "perl", "features": 1, "values": "AACAPw=="}'
    is "$status" 200
    ask POST /answer "{\"request\": \"$first\", \"labels\": [0, 2.5]}"
    is "$status$output" 204
    ask POST /answer "{\"request\": \"$last\", \"clicks\": [2]}"
    is "$status$output" 204
    stops
    is "$(spooled log | python3 -c 'import rankpipe, sys
for round in rankpipe.read(sys.stdin.buffer): print(round.query, round.names, [row.tolist() for row in round.dense()])')" \
        "new user ['a', 'b'] [[0.0, 1.0, 0.0], [1.0, 1.0, 1.0]]
как сменить пароль? None [[0.0, 0.0, 1.0], [0.5, -0.0010000000474974513, 0.0]]
c# ['docid=x', 'b'] [[0.25, 0.0, 1.0], [0.0, 1.0, 0.0]]
go ['b', 'v'] [[0.0, 1.0, 0.0], [-3.3999999521443642e+38, 1.0, 1.401298464324817e-45]]
perl None [[1.0]]"
    is "$(cut -d ' ' -f 2- answers/*)" $'0 2.5\nclicks=1 0 1'
    cat answers/* >all
    spooled log | feedback-join -r all 2>joined | bin2txt -f head | grep -o ' clicks=1\|seen:f4.2.' >seen
    is "$(xargs <seen)" 'seen:f4[2] clicks=1 seen:f4[2]'
    [ "$(printf '%s\n' "$first" "$last" | grep -cxf <(cut -f 1 all))" = 2 ]
}

@test "names of any text: the reply has them as they came, rounds have words, and erase takes the text" {
    serves
    answers
    long=$(printf 'an id of %0592d' 0)
    ask POST /rank "{\"query\": \"a\", \"documents\": [{\"name\": \"a b\", \"features\": [1]}, {\"name\": \"~~a~20b\", \"features\": [1]},
        {\"name\": \"a\\tb\", \"features\": [1]}, {\"name\": \"${long:0:300}\", \"features\": [1]}]}"
    is "$status" 200
    first=$(field request)
    ask POST /rank '{"query": "a", "features": 1, "values": "AACAPwAAAAA=", "names": ["a b", "~a"]}'
    [[ "$status $(field ranking)" = '200 ["'@('a b", "~a'|'~a", "a b')'"]' ]] # in an order that was drawn
    ask POST /rank '{"query": "a", "documents": [{"name": "a b", "features": [1]}, {"name": "a b", "features": [2]}]}'
    is "$status $(field error)" '400 two documents have one name'
    ask POST /rank "{\"query\": \"a\", \"documents\": [{\"name\": \"$long\", \"features\": [1]}]}"
    is "$status $(field error)" '400 documents[0].name must have 1 to 500 characters'
    ask POST /answer "{\"request\": \"$first\", \"clicks\": [1]}"
    stops
    cut="an~20id~20of~200000000~~$(printf %s "${long:0:300}" | sha256sum | cut -c 1-32)"
    is "$(spooled log | bin2txt -f rank | cut -f 4 | LC_ALL=C sort | paste -sd ' ')" "~a ~~$cut ~~a~09b ~~a~20b ~~a~20b ~~~7E~7Ea~7E20b"
    rankpipe service first 2>/dev/null
    rankpipe service set settle 0
    rankpipe service learn
    fails 1 '*service: not found, but remembered for copies that come late: documents c d; like it: a b*' rankpipe service erase documents 'c d'
    rankpipe service erase documents $'a\tb' 2>/dev/null >said
    is "$(cat said)" '1 rounds and 1 answers are erased'
    is "$(spooled log | bin2txt -f rank | cut -f 4 | LC_ALL=C sort | paste -sd ' ')" '~a ~~a~20b'
}

@test "null: the mean of the others of its request, or 0; counted by feature" {
    command -v curl >/dev/null || skip 'no curl here'
    serves
    answers
    # 1: (1 + 2 + 0) / 3; 2: (.1 + .2) / 2; 3: there is none
    ask POST /rank '{"query": "a", "documents": [{"features": [1, null, null]}, {"features": [2, 0.1, null]},
        {"features": {"1": null, "2": null, "3": null}}, {"features": {"2": 0.2, "3": null}}]}'
    is "$status" 200
    # 1 NaN, 4 7, -NaN 8
    ask POST /rank '{"query": "b", "features": 2, "values": "AACAPwAAwH8AAIBAAADgQAAAwP8AAABB"}'
    is "$status" 200
    ask POST /rank '{"query": "c", "values": "AADAfw==", "features": 1}'
    is "$status" 200
    # of many nulls each costs as much as a number
    python3 -c 'import json; print(json.dumps({"query": "d", "documents": [
        {"features": {str(70 * i + j + 1): None for j in range(70)}} for i in range(900)]}))' >many
    SECONDS=0
    is "$(curl -s -o /dev/null -w '%{http_code}' -H 'Content-Type: application/json' -d @many "http://$url/rank")" 200
    [ $SECONDS -lt 5 ]
    ask GET /metrics
    is "$(grep -c '^rankpipe_api_null_features_total{' <<<"$output")" 200
    is "$(grep '^rankpipe_api_null_features_total{feature="[1-3]"}' <<<"$output" | cut -d ' ' -f 2 | xargs)" '4 4 5'
    rankpipe service first 2>/dev/null
    sleep 0.5
    rankpipe service status >status.text
    grep '^without value  feature 1 in 4 documents, feature 2 in 4 documents, feature 3 in 5 documents' status.text
    stops
    is "$(spooled log | python3 -c 'import rankpipe, sys
for round in list(rankpipe.read(sys.stdin.buffer))[:3]: print([row.tolist() for row in round.dense()])')" \
        "[[1.0, 0.15000000596046448, 0.0], [2.0, 0.10000000149011612, 0.0], [1.0, 0.15000000596046448, 0.0], [0.0, 0.20000000298023224, 0.0]]
[[1.0, 7.5], [4.0, 7.0], [2.5, 8.0]]
[[0.0]]"
}

@test "a query has one word however it is typed, and that of 0.4.0 while service.json says so" {
    serves
    answers
    asks() {
        ask POST /rank "{\"query\": \"$1\", \"documents\": [{\"features\": [1, 0, 0]}]}"
        is "$status" 200
    }
    asks 'New  User' && asks '\uff2e\uff25\uff37\u00a0user'
    echo '{"version": 1}' >service.json && sleep 1.1 # of a service that has not run since it was upgraded
    asks 'New User'
    echo '{"version": 1, "folds": true}' >service.json && sleep 1.1
    asks '100%'
    stops
    is "$(spooled log | bin2txt -f head | sed 's/.* qid=\([^ ]*\).*/\1/' | paste -sd ' ' -)" 'new%20user new%20user New~20User 100%25'
}

@test "what the old front end let through: a body that adds requests, and names of requests" {
    serves
    answers
    # A body of rank.cgi: the request that it adds had any name.
    evil=$'? qid:a 1:1\n\nrequest: mine\n? qid:a 1:1\n\n'
    ask POST /rank "$evil"
    is "$status" 400
    for text in '1:1\n\nrequest: mine\n? 1:1\n\n' '1:1\nrequest: mine' 'request: mine' '? qid:x 1:1' '1:1\r\n'; do
        ask POST /rank "{\"query\": \"a\", \"lines\": [\"$text\"]}"
        is "$status" 400
    done
    for name in 'a\n\nrequest: mine\n? 1:1\n' 'a b' '\u0000' 'a\r' '\u2028# ~~'; do
        ask POST /rank "{\"query\": \"a\", \"lines\": [\"1:1 # $name\"]}"
        echo "$(field request)" >>served.names
        ask POST /rank "{\"query\": \"a\", \"documents\": [{\"name\": \"$name\", \"features\": [1]}]}"
        is "$status $(field ranking)" "200 [\"$name\"]"
        echo "$(field request)" >>served.names
    done
    for name in '' '\ud800' "$(printf '%501s' x)"; do
        ask POST /rank "{\"query\": \"a\", \"documents\": [{\"name\": \"$name\", \"features\": [1]}]}"
        is "$status" 400
        ask POST /rank "{\"query\": \"a\", \"values\": \"AACAPw==\", \"features\": 1, \"names\": [\"$name\"]}"
        is "$status" 400
    done
    for query in 'a\n\nrequest: mine\n? 1:1\n' 'a # b' 'request: mine'; do
        ask POST /rank "{\"query\": \"$query\", \"documents\": [{\"features\": [1]}]}"
        is "$status" 200
        echo "$(field request)" >>served.names
    done
    ask POST /rank '{"query": "a", "request": "mine", "documents": [{"features": [1]}]}'
    is "$status$output" '400{"error": "unknown field \"request\": the fields are query, documents, lines, values, features, names, explain, shown, client"}'
    for request in mine ../x '*' '' "$(printf '%032d' 0)\\n"; do
        ask POST /answer "{\"request\": \"$request\", \"labels\": [1]}"
        is "$status" 400
    done
    stops
    is "$(requests)" "$(cat served.names)"
    [ -z "$(ls answers)" ]
}

@test "each field is checked, and a message says which" {
    serves
    answers -n 3 -g 4
    while IFS='|' read -r path body want; do
        ask POST "$path" "${body/ZEROS/$(printf '%030000dx' 0)}" # which had taken half a minute
        is "$status $(field error)" "400 $want"
    done <<'END'
/rank|[]|the body must be an object
/rank|{"query": "a"|the body is not JSON: Expecting ',' delimiter: line 1 column 14 (char 13)
/rank|{"query": "a", "query": "b"}|an object has a field twice
/rank|{"documents": [{"features": [1]}]}|query must be a text
/rank|{"query": "", "documents": [{"features": [1]}]}|query must have 1 to 1000 characters
/rank|{"query": "a"}|one of documents, lines and values must be given
/rank|{"query": "a", "values": "AACAPw==", "lines": ["1:1"]}|one of documents, lines and values must be given
/rank|{"query": "a", "lines": ["1:1"], "names": ["a"]}|features and names go with values
/rank|{"query": "a", "values": "AACAPw=="}|features must be a whole number
/rank|{"query": "a", "values": "AACAPw==", "features": 0}|features must be from 1 to 2147483648
/rank|{"query": "a", "values": [1], "features": 1}|values must be a text
/rank|{"query": "a", "values": "AACAPw=", "features": 1}|values must be base64, four bytes for each value
/rank|{"query": "a", "values": "AACA Pw==", "features": 1}|values must be base64, four bytes for each value
/rank|{"query": "a", "values": "AACAPwA=", "features": 1}|values must be base64, four bytes for each value
/rank|{"query": "a", "values": "", "features": 1}|values must have 1 values for each of 1 to 3 documents, not 0 in all
/rank|{"query": "a", "values": "AACAPwAAgD8AAIA/", "features": 2}|values must have 2 values for each of 1 to 3 documents, not 3 in all
/rank|{"query": "a", "values": "AACAPwAAgD8AAIA/AACAPw==", "features": 1}|values must have 1 values for each of 1 to 3 documents, not 4 in all
/rank|{"query": "a", "values": "AACA/w==", "features": 1}|a feature is not finite
/rank|{"query": "a", "values": "AACAPw==", "features": 1, "names": ["a", "b"]}|names must have 1 to 1 elements
/rank|{"query": "a", "values": "AACAPw==", "features": 1, "names": [1]}|names[0] must be a text
/rank|{"query": "a", "values": "AACAPwAAgD8=", "features": 1, "names": ["a", "a"]}|two documents have one name
/rank|{"query": "a", "documents": []}|documents must have 1 to 3 elements
/rank|{"query": "a", "documents": [{}, {}, {}, {}]}|documents must have 1 to 3 elements
/rank|{"query": "a", "documents": [1]}|documents[0] must be an object of name and features
/rank|{"query": "a", "documents": [{"features": ["1"]}]}|documents[0].features: each feature must be a number or null
/rank|{"query": "a", "documents": [{"features": [true]}]}|documents[0].features: each feature must be a number or null
/rank|{"query": "a", "documents": [{"features": [NaN]}]}|NaN is not a JSON number
/rank|{"query": "a", "documents": [{"features": {"0": 1}}]}|documents[0].features: a feature is named by its number, from "1"
/rank|{"query": "a", "documents": [{"features": [1]}, {"features": [1e39]}]}|documents[1].features: a feature is too large
/rank|{"query": "a", "documents": [{"features": [1]}, {"features": {"2": -1e999}}]}|documents[1].features: a feature is too large
/rank|{"query": "a", "documents": [{"features": {"1": null, "2": "null"}}]}|documents[0].features: each feature must be a number or null
/rank|{"query": "a", "documents": [{"features": [null]}, {"features": [1e39]}]}|documents[1].features: a feature is too large
/rank|{"query": "a", "documents": [{"features": null}, {"name": null, "features": [null, "1"]}]}|documents[1].features: each feature must be a number or null
/rank|{"query": "a", "documents": [{"features": {"1": false}}]}|documents[0].features: each feature must be a number or null
/rank|{"query": "a", "lines": ["2:1 1:1"]}|lines[0]: the numbers of features must grow from 1
/rank|{"query": "a", "lines": ["1:1e39"]}|lines[0]: a feature is too large
/rank|{"query": "a", "lines": ["1:inf"]}|lines[0] must be features, and perhaps # and a name
/rank|{"query": "a", "lines": ["1:ZEROS"]}|lines[0]: a number has more than 64 characters
/rank|{"query": "a", "documents": [{"name": "x", "features": [1]}, {"features": [1]}]}|either each document has a name, or none has
/rank|{"query": "a", "documents": [{"name": "x", "features": [1]}, {"name": "x", "features": [2]}]}|two documents have one name
/rank|{"query": "a", "documents": [{"features": [1, 2, 3, 4]}], "lines": []}|one of documents, lines and values must be given
/answer|{"labels": [1]}|request must be the name that /rank gave, 32 of 0-9a-f
/answer|{"request": "00000000000000000000000000000000"}|one of labels and clicks must be given
/answer|{"request": "00000000000000000000000000000000", "labels": [1], "clicks": [1]}|labels and clicks exclude each other: labels say how relevant documents are, clicks only what was clicked
/answer|{"request": "00000000000000000000000000000000", "labels": []}|labels must have 1 to 3 elements
/answer|{"request": "00000000000000000000000000000000", "labels": [-1]}|labels[0] must be from 0 to 4
/answer|{"request": "00000000000000000000000000000000", "labels": [1, 1e999]}|labels[1] must be from 0 to 4
/answer|{"request": "00000000000000000000000000000000", "labels": ["1"]}|labels[0] must be a number
/answer|{"request": "00000000000000000000000000000000", "clicks": [0]}|clicks[0] must be from 1 to 3
/answer|{"request": "00000000000000000000000000000000", "clicks": [1.5]}|clicks[0] must be a whole number
/answer|{"request": "00000000000000000000000000000000", "clicks": []}|without a click, shown must say how many documents were shown
/answer|{"request": "00000000000000000000000000000000", "clicks": [3], "shown": 2}|a click is below the last document that was shown
END
    [ -z "$(ls answers)" ]
    ask POST /answer '{"request": "00000000000000000000000000000000", "clicks": [], "shown": 2}'
    is "$status" 204
    is "$(cut -d ' ' -f 2- answers/*)" 'clicks=1 0 0'
    stops
    [ "$(spooled_last log)" = 0 ]
}

@test "HTTP is read strictly: lengths, chunks, methods, paths, types, and what hides a second request" {
    serves
    answers -m 1000
    ask GET /rank
    is "$status$output" '405{"error": "use POST"}'
    ask POST /nowhere '{}'
    is "$status" 404
    ask POST /rank '{}' text/plain
    is "$status" 415
    ask POST /rank "$(printf '%1001s' x)"
    is "$status" 413
    ask GET /metrics
    is "$(grep -c '^rankpipe_api_requests_total' <<<"$output")" 5
    python3 - "$url" <<'END'
import socket, sys, time
host, port = sys.argv[1].split(":")

def send(*parts, end=True):
    with socket.create_connection((host, port), timeout=10) as peer:
        for part in parts:
            peer.sendall(part)
            time.sleep(0.1 if len(part) > 1 else 0)
        if end:
            peer.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: peer.recv(65536), b""))

body = b'{"query": "a", "documents": [{"features": [1]}]}'
head = b"POST /rank HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n" % len(body)
good = head + b"\r\n" + body
assert send(good).startswith(b"HTTP/1.1 200 ")
answer = send(good + good + good[:-5])
assert answer.count(b"HTTP/1.1 200 ") == 2, answer
assert send(*(good[i:i + 1] for i in range(len(good)))).startswith(b"HTTP/1.1 200 ")
assert send(head + b"Connection: close\r\n\r\n" + body + good).count(b"HTTP/1.1 ") == 1
assert send(b"POST /rank HTTP/1.0\r\n" + head.split(b"\r\n", 1)[1] + b"\r\n" + body + good).count(b"HTTP/1.1 ") == 1
answer = send(head + b"Expect: 100-continue\r\n\r\n", body)
assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 "), answer
for wrong, status in [
        (head + b"Content-Length: 5\r\n\r\n" + body, 400),
        (head + b"Transfer-Encoding: chunked\r\n\r\n" + body, 411),
        (head + b"Transfer-Encoding : chunked\r\n\r\n" + body, 400),
        (head + b" folded: x\r\n\r\n" + body, 400),
        (head + b"X: a\nContent-Length: 1\r\n\r\n" + body, 400),
        (head + b"X: a\rb\r\n\r\n" + body, 400),
        (head.replace(b"Content-Length: ", b"Content-Length: +") + b"\r\n" + body, 400),
        (head.replace(b"Content-Length: ", b"Content-Length: -") + b"\r\n" + body, 400),
        (head.replace(b"HTTP/1.1", b"HTTP/2.0") + b"\r\n" + body, 505),
        (head.replace(b" /rank", b"  /rank") + b"\r\n" + body, 400),
        (b"GET\r\n\r\n", 400), (b"\x16\x03\x01\x02\x00\r\n\r\n", 400), (b"POST /rank HTTP/1.1\r\n\r\n", 411),
        (b"POST /rank HTTP/1.1\r\nX: " + b"a" * 20000, 431), (b"POST /rank HTTP/1.1\r\nX: " + b"a" * 20000 + b"\r\n\r\n", 431)]:
    answer = send(wrong + good)
    assert answer.startswith(b"HTTP/1.1 %d " % status) and answer.count(b"HTTP/1.1 ") == 1, (wrong[:80], status, answer)
END
    stops
    is "$(requests | sort -u | wc -l)" 7
}

@test "slow clients, and those that do not read, are closed; others do not wait for them" {
    serves
    answers -w 1 -i 2 -c 40
    python3 - "$url" <<'END'
import socket, sys, time
host, port = sys.argv[1].split(":")
body = b'{"query": "a", "documents": [%s{"features": [1]}]}' % (b'{"features": [1]},' * 300)
good = b"POST /rank HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body

def connect(small=False):
    peer = socket.socket()
    if small:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    peer.settimeout(10)
    peer.connect((host, int(port)))
    return peer

def reads(peer):
    try:
        return b"".join(iter(lambda: peer.recv(65536), b""))
    except ConnectionError:
        return b""

slow = [connect() for _ in range(10)]
for peer in slow:
    peer.sendall(good[:30])
deaf = [connect(small=True) for _ in range(3)]
for peer in deaf:
    peer.settimeout(0.1)
    try:
        while True:
            peer.send(good)
    except OSError:  # full, or closed by now
        pass
idle = connect()
began = time.time()
while time.time() - began < 2.5:
    with connect() as peer:
        asked = time.time()
        peer.sendall(good)
        assert peer.recv(12) == b"HTTP/1.1 200"
        assert time.time() - asked < 1
    for peer in slow:
        try:
            peer.send(b"x")
        except OSError:
            pass
    time.sleep(0.05)
for peer in deaf:
    peer.settimeout(10)
    assert not reads(peer).endswith(b"}")
assert reads(idle) == b""
for peer in slow + deaf:
    peer.close()
time.sleep(0.5)
many = [connect() for _ in range(60)]
time.sleep(0.3)
closed = 0
for peer in many: # of 40 places
    peer.setblocking(False)
    try:
        closed += peer.recv(100) == b""
    except BlockingIOError:
        pass
    except ConnectionResetError:
        closed += 1
assert 15 <= closed <= 25, closed
END
    sleep 1.5
    ask GET /metrics
    echo "$output" | grep '^rankpipe_api_closed'
    [ "$(echo "$output" | sed -n 's/^rankpipe_api_closed_total{reason="slow"} //p')" -ge 10 ]
    [ "$(echo "$output" | sed -n 's/^rankpipe_api_closed_total{reason="unread"} //p')" -ge 3 ]
    stops
}

@test "without the service the answer is 503 at once; the service may come back, or hang" {
    answers -w 1
    ask GET /health
    is "$status$(plain)" '503{"status": "the service does not answer", "warnings": []}'
    query='{"query": "a", "documents": [{"features": [1]}]}'
    ask POST /rank "$query"
    is "$status" 503
    serves
    sleep 0.5
    ask GET /health
    is "$status$(plain)" '200{"status": "ok", "warnings": []}'
    ask POST /rank "$query"
    is "$status" 200
    kill -STOP $service
    SECONDS=0
    ask POST /rank "$query"
    is "$status$output" '503{"error": "the service does not answer"}'
    [ $SECONDS -le 4 ]
    kill -CONT $service
    sleep 0.5
    ask POST /rank "$query"
    is "$status" 200
    kill -KILL $service
    wait $service || true
    ask POST /rank "$query"
    is "$status" 503
    sleep 0.5
    serves
    sleep 0.5
    grep -qx 'api: s: Connection refused' said
    ask POST /rank "$query"
    is "$status" 200
    stops
}

@test "SIGTERM ends it with status 0, after the answers that are due" {
    serves
    answers
    python3 - "$url" $api <<'END'
import os, signal, socket, sys
host, port = sys.argv[1].split(":")
body = b'{"query": "a", "documents": [{"features": [1]}]}'
good = b"POST /rank HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
idle, peer = (socket.create_connection((host, port), timeout=10) for _ in range(2))
peer.sendall(good[:-1])
import time
time.sleep(0.2)
os.kill(int(sys.argv[2]), signal.SIGTERM)
time.sleep(0.1)
peer.sendall(good[-1:])
assert b" 200 OK" in peer.recv(1000)
END
    wait $api
    api=
    fails 2 '*answers: not a folder*' rankpipe api s answers/none || grep 'is not a folder to write to' err
    fails 2 "*'0' is not a whole number from 1 to 100000*" rankpipe api -c 0 s answers
}

@test "a disk that fills up: rankings go on without a name, answers are refused whole, and both work again" {
    mkdir small
    mount -t tmpfs -o size=256k tmpfs small || skip "no mount here"
    cd small
    mkdir answers
    echo 1:1 2:2 3:3 | weights2bin >../w.bin
    serve -S ../status ../s 'score -r -m ../w.bin | explore -g 0.1 -s random | spool -k -F 0 log' 2>../served 3>&- &
    service=$!
    ln -s ../s s
    answers
    query='{"query": "a", "documents": [{"features": [1]}]}'
    ask POST /rank "$query"
    is "$status" 200
    first=$(field request)
    head -c 1000000 /dev/zero >full 2>/dev/null || true
    for _ in $(seq 400); do
        ask POST /rank "$query"
        is "$status" 200
        ! grep -q '"request": null' <<<"$output" || break
    done
    grep -q '"request": null' <<<"$output"
    grep -q '"ranking": \[0\]' <<<"$output"
    python3 - "$url" <<'END'
import http.client, sys
connection = http.client.HTTPConnection(sys.argv[1], timeout=10)
statuses = []
for i in range(1000):
    connection.request("POST", "/answer", b'{"request": "%032x", "labels": [0, 1, 2, 3, 4]}' % i, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    statuses.append(answer.status)
assert set(statuses) <= {204, 503} and statuses[-1] == 503, set(statuses)
END
    is "$(grep -c 'No space left' ../said)" 1
    [ -z "$(cat answers/* | grep -vE '^[0-9a-f]{32}.time=[0-9]+ 0 1 2 3 4$')" ]
    rm full
    for _ in $(seq 50); do
        ask POST /rank "$query"
        grep -q '"request": null' <<<"$output" || break
        sleep 0.1
    done
    is "$(field request | wc -c)" 33
    ask POST /answer "{\"request\": \"$first\", \"labels\": [1]}"
    is "$status" 204
    [ -z "$(cat answers/* | grep -vE '^[0-9a-f]{32}.time=[0-9]+( [0-4])+$')" ]
    stops
}

@test "answers have a word of the client: of its network, by proxies of ours, or its own, of a caller nearby" {
    mkdir keys
    serves
    answers -k keys --proxy 127.0.0.1
    id=$(printf '%032d' 0)
    label() { ask POST /answer "{\"request\": \"$id\", \"labels\": [1]${1-}}" && is "$status" 204; }
    label
    FORWARDED=192.0.2.1 label
    FORWARDED='10.0.0.1, 192.0.2.9' label
    FORWARDED='10.0.0.1\r\nX-Forwarded-For: 192.0.2.9' label
    FORWARDED=192.0.3.1 label
    label ', "client": "somebody"'
    FORWARDED=192.0.3.1 label ', "client": "somebody"'
    label ', "client": "somebody else"'
    word() { cut -f 2 answers/* | sed -n "$1s/ 1\$//; $1s/^time=[0-9]* *//; $1p"; }
    is "$(word 1)" ''
    [[ $(word 2) =~ ^client=[0-9a-f]{16}$ ]]
    is "$(word 3) $(word 4)" "$(word 2) $(word 2)"
    is "$(word 7)" "$(word 5)"
    is "$(for i in 2 5 6 8; do word $i; done | sort -u | grep -c '^client=[0-9a-f]*$')" 4
    is "$(stat -c '%a %n' keys/*)" "600 keys/clients.$(date -u +%F)"
    # --word says which words to erase, by today's key and by kept ones
    said_words() { rankpipe api -k keys --word "$1" 2>err | sed 's/\t/ client=/'; }
    is "$(said_words 192.0.2.77)$(cat err)" "$(date -u +%F) $(word 2)api: this is the word of all addresses of 192.0.2.0/24"
    is "$(said_words 'id:somebody')$(cat err)" "$(date -u +%F) $(word 6)"
    head -c 32 /dev/zero >keys/clients.2026-01-01 && chmod 600 keys/clients.2026-01-01
    is "$(said_words 2001:db8:1:2::3 | cut -d ' ' -f 1; cat err)" "$(date -u +%F)
2026-01-01
api: this is the word of all addresses of 2001:db8:1::/48"
    rm keys/clients.2026-01-01
    fails 2 'api: --word x is neither an IP address nor id:NAME; see: rankpipe api -h' rankpipe api -k keys --word x
    fails 2 'api: --word needs -k, the folder of the keys; *' env -u RUNTIME_DIRECTORY rankpipe api --word 192.0.2.1
    mkdir none
    fails 1 'api: none has no key: no client has had a word since it was removed' rankpipe api -k none --word id:somebody
    for client in '""' '1' "\"$(printf '%201s' x)\"" '["a"]'; do
        ask POST /answer "{\"request\": \"$id\", \"labels\": [1], \"client\": $client}"
        is "$status" 400
    done
    stops
    # Without a proxy of ours, an address of this machine says nothing, and its caller's word is not asked from afar.
    rm answers/*
    serves
    answers -k keys
    FORWARDED=192.0.2.1 label
    FORWARDED=192.0.2.1 label ', "client": "somebody"'
    is "$(grep -c 'X-Forwarded-For comes from 127.0.0.1, which is no --proxy: name it' said)" 1
    chmod 640 keys/*
    stops
    serves
    answers -k keys
    label ', "client": "somebody"'
    label ', "client": "somebody"'
    is "$(cut -f 2 answers/* | sed 's/=[0-9]*//' | sort -u)" 'time 1'
    is "$(grep -c 'answers have no client: .*remove it' said)" 1
    stops
}

@test "client: an address counts as its network, as by --proxy, and id: is before the name of a user" {
    mkdir keys
    serves
    answers -k keys --proxy 127.0.0.1
    word() {
        ask POST /event "{\"request\": \"$(printf '%032d' 1)\", \"place\": 1, \"type\": \"click\"${1:+, \"client\": \"$1\"}}"
        tail -n 1 answers/* | sed 's/.* client=\([^ ]*\) .*/\1/'
    }
    network=$(FORWARDED=192.0.2.1 word)
    six=$(word 2001:db8:1:2::3)
    is "$(word 192.0.2.200) $(word ::ffff:192.0.2.7) $(rankpipe api -k keys --word 192.0.2.9 2>err | cut -f 2)" "$network $network $network"
    # all of one IPv6 /64, whatever its addresses
    is "$(for i in 0:0:0:1 22:333:4:5 ffff::1; do word "2001:db8:1:2:$i"; done | sort -u)" "$six"
    user=$(word id:192.0.2.1)
    is "$(word id:ann)" "$(word ann)"
    is "$(rankpipe api -k keys --word id:192.0.2.1 | cut -f 2) $(rankpipe api -k keys --word id:ann | cut -f 2)" "$user $(word ann)"
    is "$(printf '%s\n' "$network" "$six" "$user" "$(word ann)" "$(word 192.0.3.1)" | sort -u | wc -l)" 5
    stops
}

@test "events: /event and a page that is shown are lines for the service; each field is checked" {
    mkdir keys
    serves
    answers -k keys
    documents='[{"name": "a", "features": [1]}, {"name": "b", "features": [2]}]'
    ask POST /rank "{\"query\": \"cats\", \"documents\": $documents, \"shown\": 2, \"client\": \"id:ann\"}"
    id=$(field request)
    event() { ask POST /event "{\"request\": \"$id\", $1}"; }
    event '"item": "b", "type": "order", "client": "id:ann"'
    is "$status$output" 204
    event '"place": 1, "type": "click", "shown": 2, "client": "id:ann"'
    is "$status$output" 204
    is "$(cut -f 2 answers/* | sed 's/time=[0-9]* client=[0-9a-f]\{16\} //')" 'shown=2
event=order item=b
event=click place=1 shown=2'
    is "$(cut -f 1 answers/* | sort -u) $(grep -o 'client=[^ ]*' answers/* | sort -u | wc -l)" "$id 1"
    while IFS='|' read -r want body; do
        event "$body"
        is "$status" 400
        [[ $output == *"$want"* ]] || { echo "$output" && return 1; }
    done <<'END'
type must be one of click, back, basket, order|"place": 1, "type": "look"
type must be one of|"place": 1
type must be one of|"place": 1, "type": ["click"]
one of item and place must be given|"type": "click"
one of item and place must be given|"type": "click", "item": "a", "place": 1
place must be from 1 to 1000|"type": "click", "place": 0
place must be a whole number|"type": "click", "place": 1.5
the place is below the last document that was shown|"type": "click", "place": 3, "shown": 2
shown must be from 1 to 1000|"type": "click", "place": 3, "shown": 0
item must have 1 to 500 characters|"type": "click", "item": ""
client must be a text|"type": "click", "item": "a", "client": 1
unknown field|"type": "click", "item": "a", "clicks": [1]
END
    event '"type": "back", "item": "a\nb c"'
    tail -n 1 answers/* | grep ' event=back item=~~a~0Ab~20c$'
    id=mine event '"place": 1, "type": "click"'
    is "$status" 400
    ask POST /rank "{\"query\": \"cats\", \"documents\": $documents, \"shown\": 0}"
    is "$status$output" '400{"error": "shown must be from 1 to 1000"}'
    is "$(cat answers/* | wc -l)" 4
    stops
}

@test "an address that asks too often gets 429, and others do not" {
    serves
    answers -r 1 --proxy 127.0.0.1
    for _ in 1 2 3 4 5 6; do FORWARDED=192.0.2.1 ask GET /health; done
    is "$status$output" '429{"error": "too many requests from this address"}'
    FORWARDED=192.0.2.2 ask GET /health
    is "$status" 200
    for _ in 1 2 3 4 5 6; do ask GET /health; done
    is "$status" 200
    ask GET /metrics
    grep -x 'rankpipe_api_requests_total{path="/health",status="429"} [1-6]' <<<"$output"
    stops
}

@test "a large body is read by a process of its own: others do not wait for it, nor for one that hangs or dies" {
    seq 90 | sed 's/$/:1/' | xargs | weights2bin >w.bin
    serves
    answers -w 2
    large=$(python3 -c 'import json; print(json.dumps({"query": "a", "documents": [{"features": [0.5] * 90}] * 900}))')
    [ ${#large} -gt 400000 ]
    ask POST /rank "$large"
    is "$status" 200
    is "$(field scores | tr -cd , | wc -c)" 899
    ask POST /rank "${large/\[0.5/\[true}"
    is "$status $(field error)" '400 documents[0].features: each feature must be a number or null'
    aside=$(pgrep -P "$api")
    kill -STOP "$aside"
    { ask POST /rank "$large" && echo "$status" >late; } 3>&- &
    asked=$!
    for _ in 1 2 3; do
        ask POST /rank '{"query": "a", "documents": [{"features": [1]}]}'
        is "$status" 200
    done
    [ ! -e late ] || is "$(cat late)" 503
    wait $asked
    is "$(cat late)" 503
    ask POST /rank "$large"
    is "$status" 200
    [ "$(pgrep -P "$api")" != "$aside" ]
    kill -KILL "$(pgrep -P "$api")"
    ask POST /rank "$large"
    ask POST /rank "$large"
    is "$status" 200
    aside=$(pgrep -P "$api")
    kill -KILL "$api"
    wait "$api" || true
    for _ in $(seq 100); do [ -d "/proc/$aside" ] || break; sleep 0.05; done
    [ ! -d "/proc/$aside" ] # it ends with the API
    answers
    stops
}

@test "features above the service's number are refused; health and metrics have what the service says" {
    serves
    later=$((($(date +%s) + 1000) * 1000))
    echo "{\"features\": 3, \"run\": {\"time\": 1, \"at\": \"then\", \"fails_at\": $later}}" >service.json
    printf '# TYPE rankpipe_service_suspect gauge\nrankpipe_service_suspect 1\n' >service.prom
    answers
    for documents in '"documents": [{"features": [1]}, {"features": [1, 2, 3, 4]}]' \
        '"documents": [{"features": {"4": 1}}]' '"lines": ["1:1 4:1"]' '"lines": ["1:1 00004:1"]'; do
        ask POST /rank "{\"query\": \"a\", $documents}"
        is "$status ${output#*has }" '400 feature 4, but the service has features 1 to 3"}'
    done
    ask POST /rank '{"query": "a", "documents": [{"features": [1, 2, 3]}]}'
    is "$status" 200
    named=$(field request)
    ask GET /metrics
    grep -x 'rankpipe_service_suspect 1' <<<"$output"
    ask GET /health
    is "$status$(plain)" '200{"status": "ok", "warnings": []}'
    echo '{"run": {"time": 1, "at": "then", "fails_at": 2}}' >service.json
    sleep 1.1
    ask GET /health
    is "$status$(plain)" '503{"status": "no run of the learner has ended well since then", "warnings": []}'
    stops
    is "$(requests)" "$named"
}

@test "documents in the order of an engine, or in none: where the service and the API differ, rankings are refused" {
    local both='{"query": "a", "documents": [{"features": [1]}, {"features": [2]}]}' later
    later=$(($(date +%s) + 1000))000
    echo 1:1 | weights2bin -x base >w.bin # as rankpipe service first makes it
    serves 0
    answers
    ask POST /rank "$both"
    is "$status $(field ranking)" '200 [0, 1]'
    named=$(field request)
    says() { # whether base is on
        echo "{\"base\": {\"set\": $1}, \"warning\": $2, \"run\": {\"fails_at\": $later}}" >service.json
        sleep 1.1
    }
    says false '"it ranks at random"'
    ask POST /rank "$both"
    is "$status$output" '400{"error": "the service has documents in no order (base=off): start the API with --unordered, or run: rankpipe service set base on"}'
    ask GET /health
    is "$status$(plain)" '200{"status": "ok", "warnings": [], "warning": "it ranks at random"}'
    kill "$api" && wait "$api" || true
    answers --unordered
    says true null
    ask POST /rank "$both"
    is "${status}${output%%but*}" '400{"error": "the service begins with the order in which documents come (base=on), '
    ask GET /health
    is "$status$(plain)" '200{"status": "ok", "warnings": []}'
    rm service.json # then the model of the service says so
    sleep 1.1
    ask POST /rank "$both"
    is "$status" 400
    grep 'needs the column base, the order of the search engine' <<<"$output"
    is "$(requests)" "$named"
    echo 1:0 | weights2bin >new.bin && mv new.bin w.bin
    ask POST /rank "$both"
    is "$status" 200
    stops
    is "$(spooled log | values_of base | xargs)" '0 1' # of the first one alone
}

@test "of large bodies that wait to be read, the smallest is first, and one that has given up is left out" {
    python3 -B - <<'END'
import asyncio, marshal
from rankpipe_api.aside import Aside
async def main():
    aside, order, goes_on = Aside(60), [], asyncio.Event()
    async def ask(data):
        order.append(len(marshal.loads(data[8:])[1]))
        await goes_on.wait()
        return True, ()
    aside._ask = ask
    tasks = [asyncio.ensure_future(aside.run("rank", b"x" * n, ())) for n in (5, 9, 3, 7, 1)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    tasks[2].cancel()
    await asyncio.sleep(0)
    goes_on.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert order == [5, 1, 7, 9] and aside.held == 0 and not aside.taken, order
asyncio.run(main())
END
}

@test "connections that wait keep nobody out: the one that has waited longest gives its place" {
    serves
    answers -c 3
    in_url=$url python3 - <<'END'
import os, socket, time
host, port = os.environ["in_url"].rpartition("//")[2].strip("/").split(":")
ask = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
def opened(text=b""):
    made = socket.create_connection((host, int(port)), 20)
    made.sendall(text)
    return made
waiting = [opened(), opened(b"GET /hea"), opened(ask)]
assert waiting[2].recv(1000).startswith(b"HTTP/1.1 200")
for n in 0, 1:
    one = opened(ask)
    assert one.recv(1000).startswith(b"HTTP/1.1 200"), n
    one.close()
    time.sleep(0.1)
try:
    assert waiting[0].recv(100) == b""
except ConnectionResetError:
    pass
waiting[1].sendall(b"lth HTTP/1.1\r\nHost: localhost\r\n\r\n") # one place was enough for both
assert waiting[1].recv(1000).startswith(b"HTTP/1.1 200")
END
    ask GET /metrics
    grep -x 'rankpipe_api_closed_total{reason="crowded"} 1' <<<"$output"
    stops
}

@test "200,000 bodies are read or refused, each in less than a second of processor time" {
    python3 "$ROOT/tests/fuzz/api.py" $((STRIDE > 1 ? 5000 : 200000)) "${SEED:-1}" readers
}

@test "10,000 bodies: each gets an answer, and no request is in the log that the API did not name" {
    slow
    serves
    answers
    touch untouched
    python3 "$ROOT/tests/fuzz/api.py" 10000 "${SEED:-1}" "$url" served.names
    stops
    cat said
    is "$(grep -v '^api: listening at\|^api: refused: ' said)" ''
    [ "$(grep -c '^api: refused: ' said)" -lt 1000 ] # of 8,000: a kind once a minute, and a hundred kinds
    [ "$(wc -l <served.names)" -gt 1000 ]
    same <(requests) served.names
    [ -z "$(find . -newer untouched ! -path './log*' ! -path './answers*' ! -name served.names ! -name status ! -name said ! -name . ! -name served)" ]
    [ -z "$(cat answers/* | grep -vE '^[0-9a-f]{32}.time=[0-9]+(( clicks=1)?( [0-9.]+)+| event=[a-z]+ (item=[^ ]+|place=[0-9]+)( shown=[0-9]+)?| shown=[0-9]+)$')" ]
    spooled log | bin2txt -f check
}

@test "behind lighttpd, by the lines of the README" {
    PATH=$PATH:/usr/sbin
    command -v lighttpd || skip "no lighttpd here"
    serves
    answers
    mkdir empty
    port=$((20000 + RANDOM % 10000))
    {
        printf 'server.document-root = "%s/empty"\nserver.bind = "127.0.0.1"\nserver.port = %s\n' "$PWD" "$port"
        sed -n '/mod_proxy/,/proxy.server/p' "$ROOT/examples/api/README.md" | sed "s/8080/${url#*:}/"
    } >web.conf
    lighttpd -D -f web.conf 3>&- 2>web.said &
    web=$!
    for _ in $(seq 100); do (: <>"/dev/tcp/127.0.0.1/$port") 2>>web.said && break; sleep 0.05; done
    url=127.0.0.1:$port
    ask POST /rank '{"query": "a", "documents": [{"features": [1]}]}'
    got=$status
    ask GET /metrics
    kill $web && wait $web || true
    is "$got $status" '200 404'
    stops
}

@test "the unit is sound, and runs what is installed" {
    grep -q '^ExecStart=/usr/bin/rankpipe api ' "$ROOT/examples/api/rank-api.service"
    command -v systemd-analyze || skip "no systemd-analyze here"
    mkdir units
    cp "$ROOT"/examples/serve/rank.s* units
    cp "$ROOT"/examples/api/rank-api.s* units
    sed -i "s,/usr/bin/rankpipe,$ROOT/bin/rankpipe," units/rank.service units/rank-api.service
    cd units
    run env SYSTEMD_UNIT_PATH="$PWD:" systemd-analyze --man=no verify ./rank-api.service ./rank-api.socket
    is "$(grep -v 'network.target\|sysinit\|basic.target\|rank-api' <<<"$output")" ''
}

# parts: of each document of the answer, whether they add up, and what there is.
parts() {
    python3 -c 'import json, sys
for part in json.loads(sys.argv[1])["explain"]:
    values = [*part["features"].values(), *(part.get(name, 0) for name in ("base", "others", "constant", "remembered"))]
    assert abs(sum(values) - part["score"]) <= 1e-12 * sum(map(abs, values)), part
    print(part["document"], part["features"], part.get("answers"), part["judged"])' "$output"
}

@test "explain: the parts of the scores, by the model that ranked; null once it is gone" {
    serves
    answers -x w.bin
    ask POST /rank '{"query": "c d", "explain": true, "documents": [{"name": "a", "features": [0, 1, 0]}, {"name": "b", "features": [1, 0, 0.5]}]}'
    is "$status" 200
    is "$(parts | sort)" "$(printf "a {'2': 2.0} None %s\nb {'3': 1.5, '1': 1.0} None False" \
        "$([ "$(field ranking)" = '["b", "a"]' ] && echo False || echo True)")"
    ask POST /rank '{"query": "a", "explain": false, "documents": [{"features": [1]}]}'
    is "$status $(grep -c explain <<<"$output")" '200 0'
    ask POST /rank '{"query": "a", "explain": 1, "documents": [{"features": [1]}]}'
    is "$status $(field error)" '400 explain must be true or false'
    mv w.bin away # serve goes on with it
    ask POST /rank '{"query": "a", "explain": true, "documents": [{"features": [1]}]}'
    is "$status $(grep -o '"explain": .*' <<<"$output")" '200 "explain": null}'
    stops
    mv away w.bin
    serves
    answers
    ask POST /rank '{"query": "a", "explain": true, "documents": [{"features": [1]}]}'
    is "$status $(field error)" '400 explain needs a model: start the API with -x'
}

@test "explain: a memory that begins with the order of an engine" {
    svm2bin -e "$ROOT/examples/data/small.svm" >q
    loop 'replay -n 100 q | score | explore | feedback-mask -k 1 | update -m w.bin'
    serve -e -S status s 'score -r -m w.bin | explore -B .37 | spool log' 2>>served 3>&- &
    service=$!
    for _ in $(seq 250); do [ ! -S s ] || break; sleep 0.02; done
    answers -x w.bin
    lines=$(sed -n 's/^[^ ]* qid:q1 \(.*\)$/"\1"/p' "$ROOT/examples/data/small.svm" | paste -sd , -)
    ask POST /rank "{\"query\": \"q1\", \"explain\": true, \"lines\": [$lines]}"
    is "$status" 200
    parts >out
    is "$(wc -l <out)" "$(tr -cd '\n' < <(sed -n '/ qid:q1 /p' "$ROOT/examples/data/small.svm") | wc -c)"
    grep -q 'base' <<<"$output"
    grep -qE ' 1\.0 (True|False)$' out # one that was answered
}

@test "-j: several processes answer, /metrics is of all, and they end together" {
    serves
    answers -j 3
    for _ in $(seq 30); do
        ask POST /rank '{"query": "a", "documents": [{"features": [1]}]}'
        is "$status" 200
    done
    ask POST /answer "{\"request\": \"$(field request)\", \"labels\": [1]}"
    is "$status" 204
    sleep 0.5 # the others have put what they counted on the board
    ask GET /metrics
    grep -x 'rankpipe_api_requests_total{path="/rank",status="200"} 30' <<<"$output"
    grep -x 'rankpipe_api_rank_seconds_count 30' <<<"$output"
    grep -x 'rankpipe_api_service_up 1' <<<"$output"
    # More than one of them has a connection at a time, as the system deals them out.
    children=$(pgrep -P "$api")
    is "$(wc -w <<<$children)" 3
    python3 - "$url" $children <<'END'
import os, socket, sys, time
host, port = sys.argv[1].split(":")
peers = [socket.create_connection((host, int(port))) for _ in range(30)]
time.sleep(0.3)
held = [sum(os.readlink("/proc/%s/fd/%s" % (child, fd)).startswith("socket:") for fd in os.listdir("/proc/%s/fd" % child))
        for child in sys.argv[2:]]
assert sum(held) >= 30 and max(held) < 30, held
END
    kill "$api"
    wait "$api"
    [ -z "$(ps -o pid= -p "$(paste -sd , - <<<"$children")")" ]
    # One that ends by itself ends all; and none stays where the first one is killed.
    answers -l api.sock -j 2
    kill -KILL "$(pgrep -P "$api" | head -n 1)"
    died=0
    wait "$api" || died=$?
    is "$died" 1
    grep 'api: process [0-9]* ended by itself (9), and so do all' said
    answers -l api.sock -j 2
    children=$(pgrep -P "$api")
    kill -KILL "$api"
    wait "$api" || true
    for _ in $(seq 100); do ps -o pid= -p "$(paste -sd , - <<<"$children")" >/dev/null || break; sleep 0.05; done
    [ -z "$(ps -o pid= -p "$(paste -sd , - <<<"$children")")" ]
    answers
    stops
}

# told TEXT: waits until the warnings of rankpipe service status have it.
told() {
    for _ in $(seq 100); do
        [[ $(rankpipe service status | grep '^warning') != *"$1"* ]] || return 0
        sleep 0.1
    done
    rankpipe service status | head -n 5
    return 1
}

@test "health: what is refused, by all processes, with the reason; status begins with the same, and the log has it once" {
    local bad='{"query": "a", "documents": [{"name": "x", "features": [1, 2, 3, 4]}]}'
    rankpipe service first
    rankpipe service set features 3
    serve -e -S status.prom s 'score -r -m w.bin | explore -s random -B .37 | spool -yk log' 2>served 3>&- &
    service=$!
    until [ -S s ]; do sleep 0.1; done
    answers -j 2
    for _ in $(seq 19); do ask POST /rank "$bad"; done
    ask GET /health
    is "$status$(plain)" '200{"status": "ok", "warnings": []}'
    for _ in $(seq 20); do ask POST /rank '{"query": "a", "documents": [{"name": "x", "features": [1, 2, 3]}]}'; done
    for _ in $(seq 11); do ask POST /rank "$bad"; done
    sleep 0.5 # until all processes have counted
    ask GET /health
    want='30 of 50 rankings of the last ten minutes were refused, most of them because documents[0].features has feature 4, but the service has features 1 to 3: correct what the front end sends, or the settings of the service'
    is "$status$(plain)" "200{\"status\": \"ok\", \"warnings\": [\"$want\"]}"
    told "warning        $want"
    ask GET /metrics
    grep -x 'rankpipe_warning{kind="refused"} 1' <<<"$output"
    grep -x 'rankpipe_warning{kind="disk"} 0' <<<"$output"
    grep -x 'rankpipe_serve_log_fails 0' <<<"$output"
    grep -qx 'rankpipe_build_info{version=".*"} 1' <<<"$output"
    is "$(grep -c 'api: refused: /rank: 400: documents' said)" "$(grep -o 'listening' said | wc -l | sed 's/1/2/')"
    for _ in $(seq 11); do
        ask POST /rank '{"query": "a", "documents": [{"features": [1, 2, null]}]}'
        ask POST /rank '{"query": "a", "features": 1, "values": "AACAPw=="}'
    done
    told 'in 22 of 42 rankings of the last hour documents had fewer features than the 3 of the service, and the rest counted as 0'
    rm -rf log
    ask POST /rank '{"query": "a", "documents": [{"name": "x", "features": [1]}]}'
    grep '"request": null' <<<"$output"
    told "rounds are not stored"
    for _ in $(seq 100); do
        ask POST /rank '{"query": "a", "documents": [{"name": "x", "features": [1]}]}'
        [[ $output = *'"request": null'* ]] || break
        sleep 0.1
    done
    is "$status$(grep -c '"request": null' <<<"$output")" 2000 # the folder is there again
    mv answers gone
    for _ in $(seq 100); do
        ask GET /health
        [[ $output != *'answers cannot'* ]] || break
        sleep 0.1
    done
    [[ $output = *'answers cannot be stored in answers: '* ]]
    stops
}

@test "a name that a page of another site gave this machine is refused by 421; --host, an address and --proxy are not" {
    command -v curl >/dev/null || skip 'no curl here'
    hosts() { # HOST...: the statuses
        for host; do curl -s -o /dev/null -w '%{http_code} ' -H "Host: $host" "http://$url/metrics"; done
    }
    answers --host shop.example
    is "$(hosts evil.example localhost LOCALHOST:80 127.0.0.1 '[::1]:8080' shop.example Shop.Example:8080 '' 'shop.example.evil')" \
        '421 200 200 200 200 200 200 421 421 '
    is "$(curl -s -H 'Host: evil.example' "http://$url/metrics")" \
        '{"error": "the name evil.example is not known here: start rankpipe api with --host evil.example"}'
    kill "$api" && wait "$api"
    answers --proxy 192.0.2.1
    is "$(hosts evil.example)" '200 '
    kill "$api" && wait "$api"
    api=
}

@test "--proxy: a request without X-Forwarded-For counts for no client, and is warned of once" {
    mkdir -p keys
    answers --proxy 127.0.0.1 -k keys
    body='{"request": "00000000000000000000000000000000", "labels": [1]}'
    for _ in 1 2; do ask POST /answer "$body"; done
    FORWARDED=192.0.2.7 ask POST /answer "$body"
    is "$(cut -d ' ' -f 2 answers/* | sed 's/client=.*/client/' | xargs)" '1 1 client'
    is "$(grep -c 'requests come from 127.0.0.1, a --proxy, without X-Forwarded-For' said)" 1
    kill "$api" && wait "$api"
    api=
}

@test "a socket that systemd passes is served, and outlives the process; a -l that differs is refused" {
    serves
    mkdir answers
    cat >passing.py <<'END'
import os, signal, socket, subprocess, time
listener = socket.create_server(("127.0.0.1", 0))
where = "127.0.0.1:%d" % listener.getsockname()[1]
def start(*words, passed=listener):
    return subprocess.Popen(["sh", "-c", 'LISTEN_FDS=1 LISTEN_PID=$$ exec rankpipe api "$@" s answers', "sh", *words],
                            preexec_fn=lambda: os.dup2(passed.fileno(), 3), pass_fds=[3], stderr=subprocess.PIPE, text=True)
wrong = start("-l", "127.0.0.1:1")
said = wrong.stderr.read()
assert wrong.wait() == 2 and "-l 127.0.0.1:1 differs from " + where in said, said
for odd in socket.socket(type=socket.SOCK_DGRAM), socket.socket(), open(os.devnull):
    wrong = start(passed=odd)
    said = wrong.stderr.read()
    assert wrong.wait() == 1 and said.startswith("api: what is passed is no socket that listens: give "), said
pathless = socket.socket(socket.AF_UNIX)
pathless.bind("\0rankpipe-%d" % os.getpid())
pathless.listen()
api = start(passed=pathless)
assert api.stderr.readline() == "api: listening at @rankpipe-%d\n" % os.getpid()
api.kill()
api.wait()
body = b'{"query": "a", "documents": [{"features": [1, 2]}]}'
ask = b"POST /rank HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
for words in ["-l", where], [], ["-j", "2"]:
    api = start(*words)
    line = api.stderr.readline()
    assert line == "api: listening at %s\n" % where, line
    while True: # until it has its connection to serve
        with socket.create_connection(listener.getsockname()) as client:
            client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            if client.makefile("rb").readline().startswith(b"HTTP/1.1 200"):
                break
    # What it has read when it is told to end is answered: a request and a second one behind it.
    with socket.create_connection(listener.getsockname()) as client:
        client.sendall(ask[:20])
        client.settimeout(10)
        time.sleep(0.3)
        api.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        client.sendall(ask[20:] + ask)
        got = client.makefile("rb").read()
        assert got.count(b"HTTP/1.1 200 OK") == 2 and got.count(b"Connection: close") == 1, got
    # A connection that comes while none accepts waits for the next one.
    early = socket.create_connection(listener.getsockname())
    early.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert api.wait(10) == 0
    api = start()
    assert early.makefile("rb").readline().startswith(b"HTTP/1.1 200")
    early.close()
    api.send_signal(signal.SIGTERM)
    assert api.wait(10) == 0
END
    python3 passing.py
    kill "$service" && wait "$service"
    service=
}

@test "-j: figures are there from the first moment, whichever process is asked" {
    python3 - <<'END'
from rankpipe_api.metrics import Board
board = Board(3)
for board.own in 2, 0:
    board.put(("facts", board.own))
    assert ("facts", board.own) in board.all()
END
}
