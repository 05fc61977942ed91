#!/usr/bin/env bats
# serve: requests that are rounds of a stream, and what becomes of those that are not valid.

load ../helper

NEEDS="python3"

started=

# Makes ask.py, which sends standard input to the socket s, and prints what comes back.
make_client() {
    cat >ask.py <<'EOF'
import socket, sys, threading
peer = socket.socket(socket.AF_UNIX)
peer.settimeout(20)
peer.connect("s")
data = sys.stdin.buffer.read()

def send():
    try:
        peer.sendall(data)
        peer.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # what it answered can still be read

threading.Thread(target=send).start()
try:
    while part := peer.recv(1 << 16):
        sys.stdout.buffer.write(part)
except ConnectionResetError:
    pass
EOF
}

teardown() {
    [ -z "$started" ] || { kill -KILL "$started" && wait "$started"; } 2>/dev/null || true
}

# start OPTION... PIPELINE: runs serve at the socket s until stop.
start() {
    make_client
    serve "${@:1:$#-1}" s "${*: -1}" 2>err &
    started=$!
    for _ in $(seq 250); do
        [ ! -S s ] || return 0
        kill -0 $started || break
        sleep 0.02
    done
    cat err
    return 1
}

stop() {
    local got=0
    kill -TERM $started
    wait $started || got=$?
    started=
    is "$got" 0
    is "$(cat err)" ''
}

# Ten queries of five documents as requests with names, and a model.
material() {
    rm -rf w.bin log
    synth -n 10 -l 5 -d 4 linear >q.bin
    update -a listnet -T 30 -m w.bin <q.bin
    bin2txt q.bin | awk '$2 != q { if (q) print ""; q = $2; n++; print "request: r" n }
        { $1 = "?"; print $0 " # page" NR } END { print "" }' >requests
    svm2bin -lue requests >made.bin
}

@test "rounds get the answers of their text, and the log is the same" {
    material
    for way in text rounds; do
        start -e 'score -m w.bin | explore -g 0.5 -s 3 | spool log'
        case $way in
        text) serve -a s <requests >$way ;;
        rounds) python3 ask.py <made.bin >$way ;;
        esac
        stop
        spooled log | bin2txt -f values | grep -v -w time >log.$way
        rm -r log
    done
    same text rounds
    same log.text log.rounds
    [ "$(grep -cw page50 rounds)" = 1 ]
    [ "$(grep -cw base log.rounds)" -gt 0 ]
    [ "$(grep -cw request log.rounds)" = 10 ]
    is "$(grep -c '^$' rounds)" 10
}

@test "rounds and text may alternate, large ones too, and end records count" {
    material
    synth -n 2 -l 900 -d 300 linear | bin2txt | sed 's/^[^ ]*/?/' | svm2bin -u >large.bin
    start 'explore -g 1 -s 1'
    { cat large.bin; printf '? qid:a 1:1\n\n'; cat made.bin; printf '? qid:b 1:1\n\n'; } | python3 ask.py >got
    is "$(cut -f 1 got | grep . | uniq | paste -sd ' ')" '1 2 3 4 5 6 7 8 9 10 11 12 13 14'
    head -c 220 made.bin | python3 ask.py >got
    is "$(tail -n 2 got)" '! request: the record is cut short'
    printf 'rankpipe/1 end rounds=3 bytes=0\n? qid:a 1:1\n\n' | python3 ask.py >got
    is "$(cat got)" '! request: the end record counts 3 rounds, but 0 came'
    stop
}

# one: sends what comes, and then a query; prints what is said of the first.
one() {
    { cat; printf '? qid:a 1:1\n\n'; } | python3 ask.py >said
    is "$(tail -n 2 said | cut -f 2,4)" "a	0"
    head -n 1 said
}

@test "a round that is not valid is answered by an error, and the next one is answered" {
    rm -rf log
    start -n 3 'explore -g 1 -s 1 | spool log'
    r='rankpipe/1 round t=1'
    sparse='docs=1 dim=1 cols=ptr:u4[2],idx:u4[1],val:f4[1] bytes=16'
    is "$(printf '%s docs=1 dim=1 cols=x:f4[1] bytes=4\n\0\0\300\177' "$r" | one)" \
        '! request: round 1: column x: value 0 is not finite'
    is "$(printf '%s %s\n\0\0\0\0\1\0\0\0\0\0\0\0\0\0\200\377' "$r" "$sparse" | one)" \
        '! request: round 1: column val: value 0 is not finite'
    is "$(printf '%s %s\n\0\0\0\0\1\0\0\0\7\0\0\0\0\0\0\0' "$r" "$sparse" | one)" \
        '! request: round 1: idx 0 (document 0) is 7: it must be at least 0 and below dim=1'
    is "$(printf '%s docs=4 dim=0 bytes=0\n' "$r" | one)" '! request: round 1: more than 3 documents'
    is "$(printf '%s docs=2 dim=0 cols=base:u4[2] bytes=8\n\1\0\0\0\1\0\0\0' "$r" | one)" \
        '! request: round 1: column base is not a permutation of 0 to 1'
    is "$(printf '%s docs=2 dim=0 cols=name:u1[3] bytes=3\na\0\0' "$r" | one)" \
        '! request: round 1: the name of document 1 is not one word: it is empty, or has blanks or control characters'
    is "$(printf '%s docs=1 dim=0 cols=score:f8[1] bytes=8\n12345678' "$r" | one)" \
        '! request: round 1: column score: the rounds of a client have label, name, base and features'
    is "$(printf '%s docs=1 dim=0 seed=1 bytes=0\n' "$r" | one)" \
        '! request: round 1: key seed=: the rounds of a client have t, qid, request, time, docs and dim'
    is "$(printf 'rankpipe/1 round crc=00000000 t=1 docs=1 dim=0 bytes=0\n' | one | cut -d : -f 3)" ' damaged'
    is "$(printf 'rankpipe/1 model learner=fixed rounds=0 dim=1 cols=w:f8[1] bytes=8\n12345678' | one)" \
        '! request: a model: a model, where a round should be'
    stop
    spooled log | bin2txt -f check # only valid rounds are in the log
}

@test "a record without an end, or with too large a one, closes its connection alone" {
    start -m 1000 'explore -g 1 -s 1'
    printf 'rankpipe/1 round t=1\n? qid:a 1:1\n\n' | python3 ask.py >got
    is "$(head -n 1 got)" '! request: header line: bytes= is missing at its end'
    is "$(wc -l <got)" 2
    for bytes in 2000 9007199254740992; do
        printf 'rankpipe/1 round t=1 docs=1 dim=0 cols=label:u1[%s] bytes=%s\n' $bytes $bytes | python3 ask.py >got
        is "$(head -n 1 got)" '! request: more than 1000 bytes: the connection is closed'
    done
    printf 'rankpipe/1 round t=1 docs=1 dim=0 bytes=0\n' | python3 ask.py >got
    is "$(cut -f 1,3,4 got | head -n 1)" '1	1	0'
    stop
}

@test "-d: rounds must have so many features" {
    start -d 2 'explore -g 1 -s 1'
    printf 'rankpipe/1 round t=1 docs=1 dim=0 bytes=0\n' | python3 ask.py >got
    is "$(head -n 1 got)" '! request: round 1: dim=0, but -d 2'
    stop
}

@test "flipped bits, cut and doubled pieces of streams get errors or rankings, and harm no other client" {
    material
    synth -n 6 -l 5 -d 4 linear | bin2txt | sed 's/^[^ ]*/?/' | svm2bin -u >dense.bin
    cat >fuzz.py <<'EOF'
import random, re, socket, sys
draw = random.Random(7)
streams = [open(name, "rb").read() for name in ("made.bin", "dense.bin")]
streams += [re.sub(rb" crc=[0-9a-f]{8}", b"", stream) for stream in streams]  # so that not only the CRC is tested
good = b"rankpipe/1 round t=1 docs=1 dim=0 bytes=0\n"
RANKING = rb"(\d+\t[!-~]+\t\d+\t[^\t\n]+\t\S+\t\S+(\n|$))+"

def ask(data):
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(20)
    peer.connect("s")
    said = b""
    try:
        peer.sendall(data)
        peer.shutdown(socket.SHUT_WR)
    except (BrokenPipeError, ConnectionResetError):
        pass
    try:
        while part := peer.recv(1 << 16):
            said += part
    except ConnectionResetError:
        return said, True
    return said, False

refused = ranked = 0
for case in range(int(sys.argv[1])):
    data = bytearray(draw.choice(streams))
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(data))
        kind = draw.randrange(4)
        if kind < 2:
            data[at] ^= 1 << draw.randrange(8)
        elif kind == 2:
            del data[at:at + draw.randint(1, 40)]
        else:
            data[at:at] = data[max(0, at - 20):at]
    said, _ = ask(bytes(data))
    for answer in said.split(b"\n\n")[:-1]:
        refused += answer.startswith(b"!")
        ranked += not answer.startswith(b"!")
        assert re.fullmatch(rb"! [ -~]*|" + RANKING, answer), (case, answer)
    said, _ = ask(good)
    assert said.startswith(b"!") or re.fullmatch(RANKING + b"\n", said), (case, said)
    assert not said.startswith(b"!") or b"dim=0" in said, (case, said)
assert refused > 100 and ranked > 100, (refused, ranked)
EOF
    start 'score -m w.bin | explore -g 0.5 -s 3 | spool log'
    python3 fuzz.py 600
    stop
    spooled log | bin2txt -f check
}
