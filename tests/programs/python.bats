# rankpipe.py: the module for Python reads, writes, runs and asks as the programs do.
load ../helper

NEEDS=python3

export PYTHONPATH=$ROOT/lib/python PYTHONDONTWRITEBYTECODE=1

teardown() {
    [ -z "${started-}" ] || { kill "$started" && wait "$started"; } 2>/dev/null || true
}

# start PIPELINE: a service at the socket s.
start() {
    serve ${options-} s "$1" 2>err 3>&- &
    started=$!
    for _ in $(seq 250); do [ ! -S s ] || return 0; sleep 0.02; done
    cat err && return 1
}

@test "streams and models of this version and those before it are read, and written to the same bytes" {
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
    svm2bin "$ROOT/examples/data/small.svm" | narrow 8 >compact.bin
    small_text | svm2bin | score -m <(echo 1:1 2:2 3:3 | weights2bin) | explore -g 0.5 -s 3 |
        feedback-mask -k 2 >shown.bin
    python3 - q.bin compact.bin shown.bin "$ROOT"/tests/fixtures/v*/*.bin "$ROOT"/tests/fixtures/v*/*.model <<'END'
import io, re, sys
import rankpipe

def plain(stream):
    """Without checksums, and with one end record, which counts all."""
    stream = re.sub(rb"(rankpipe/1 (?:round|model)) crc=[0-9a-f]{8}", rb"\1", stream)
    return re.sub(rb"rankpipe/1 end rounds=[0-9]+ bytes=0\n", b"", stream)

for path in sys.argv[1:]:
    text = open(path, "rb").read()
    out = io.BytesIO()
    with rankpipe.Writer(out) as writer:
        for record in rankpipe.read(path):
            writer.write(record)
    assert plain(out.getvalue()) == plain(text), path
    if text.count(b" crc=") == text.count(b"rankpipe/1 ") - 1:
        assert out.getvalue() == text, path
    assert len(list(rankpipe.read(io.BytesIO(out.getvalue())))) == writer.count or not writer.count
assert rankpipe.crc32c(b"123456789") == rankpipe.crc32c(b"1234", b"56789") == 0xE3069283
END
    bin2txt -f check q.bin
}

@test "rounds and models that are made have the bytes of svm2bin and weights2bin" {
    cp "$ROOT/examples/data/small.svm" small.svm
    { small_text && printf '1 qid:wide 7:1 1000:0.5 # a\n0 qid:wide 9:0 # b\n'; } >odd.svm
    python3 - <<'END'
import itertools
import rankpipe

for name in "small", "odd":
    with open(name + ".bin", "wb") as file, rankpipe.Writer(file) as out:
        lines = (line.partition("#")[0::2] for line in open(name + ".svm"))
        lines = ((text.split(), comment.split()) for text, comment in lines)
        for qid, lines in itertools.groupby(lines, lambda line: line[0][1]):
            lines = list(lines)
            pairs = [[word.split(":") for word in words[2:]] for words, _ in lines]
            rows = [{int(j) - 1: float(v) for j, v in row} for row in pairs]
            named = [comment[0] for _, comment in lines] if lines[0][1] else None
            width = max(max(row) for row in rows) + 1
            listed = [[row.get(j, 0) for j in range(width)] for row in rows]
            labels = [float(words[0]) for words, _ in lines]
            made = rankpipe.Round.make(rows, qid=qid[4:], labels=labels, names=named, dim=width)
            again = rankpipe.Round.make(listed, qid=qid[4:], labels=labels, names=named)
            assert repr(made) == repr(again), (made, again)
            out.write(made)
rankpipe.write_model("w.bin", rankpipe.Model.make([0.5, 0, 2]))
END
    svm2bin small.svm | cmp - small.bin
    svm2bin odd.svm | cmp - odd.bin
    echo 1:0.5 3:2 | weights2bin | cmp - w.bin
    [ "$(echo w.bin*)" = w.bin ]
}

@test "features of every form are the values that bin2txt prints" {
    svm2bin "$ROOT/examples/data/small.svm" | narrow 8 >eight.bin
    svm2bin "$ROOT/examples/data/small.svm" | narrow 16 >sixteen.bin
    printf '1 qid:a 1:0.1 900:3\n0 qid:a 2:0.7\n' | svm2bin >sparse.bin
    for file in eight sixteen sparse; do
        bin2txt -f svm $file.bin >want
        python3 - $file.bin want <<'END'
import struct, sys
import rankpipe

def single(text):
    return struct.unpack("f", struct.pack("f", float(text)))[0]

want = [{int(j) - 1: single(v) for j, v in (word.split(":") for word in line.split("#")[0].split()[2:]) if single(v)}
        for line in open(sys.argv[2])]
rounds = list(rankpipe.read(sys.argv[1]))
assert [dict(zip(*pair)) for round in rounds for pair in round.sparse()] == want
assert [{j: v for j, v in enumerate(row.tolist()) if v} for round in rounds for row in round.dense()] == want
assert sum(map(len, want)) > 2
END
    done
}

@test "a stream that was changed or cut anywhere is an Error, never anything else" {
    small_text | svm2bin | score -m <(echo 1:1 2:2 3:3 | weights2bin) | explore -p plackett-luce -s 2 |
        feedback-mask -k 2 >shown.bin
    printf '1 qid:a 1:1 90:3 # n1\n0 qid:a 2:7 # n2\n' | svm2bin >sparse.bin
    small_text | svm2bin | narrow 8 >compact.bin
    small_text | svm2bin | update -a ridge -m model.bin
    uncrc <shown.bin >plain.bin 2>/dev/null || true
    python3 - shown.bin sparse.bin compact.bin model.bin <<'END'
import io, os, random, re, sys
import rankpipe

draw = random.Random(1)
errors = passed = 0
for path in sys.argv[1:]:
    text = open(path, "rb").read()
    for at in range(0, len(text), 1):
        try:
            list(rankpipe.read(io.BytesIO(text[:at])))
        except rankpipe.Error as error:
            assert str(error)
            continue
        raise SystemExit("%s: cut at %d is read" % (path, at))
    bare = re.sub(rb" crc=[0-9a-f]{8}", b"", text)
    for case in range(3000):
        for stream, whole in ((text, True), (bare, False)):
            changed = bytearray(stream)
            if case % 3 == 0:  # a number of a header line
                at = draw.choice([m.span() for m in re.finditer(rb"(?<=[=\[])[0-9]+", stream)])
                new = draw.choice([b"0", b"1", b"4294967295", b"9007199254740992", b"99999999999999999999", b"-1", b"01"])
                if stream[slice(*at)] == new:
                    continue
                changed[slice(*at)] = new
            else:
                at = draw.randrange(len(changed))
                changed[at] ^= 1 << draw.randrange(8)
            try:
                for record in rankpipe.read(io.BytesIO(bytes(changed))):
                    if record.KIND == "round":
                        record.sparse(), record.names
                assert not whole or changed[:].find(b"crc=") < 0, (path, at)
                passed += 1
            except rankpipe.Error:
                errors += 1
print(errors, "errors", passed, "passed")
assert errors > 10000 and passed > 500
END
}

@test "what a header line claims takes no memory and no time" {
    python3 - <<'END'
import io, resource, time
import rankpipe

began, before = time.time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for line, what in [
        (b"rankpipe/1 round t=1 docs=4294967295 dim=0 bytes=0\n", "docs=4294967295, but the payload"),
        (b"rankpipe/1 round t=1 docs=60000 dim=2147483648 cols=x:f4[128849018880000] bytes=515396075520000\n", "cut short"),
        (b"rankpipe/1 round t=1 docs=1 dim=1 cols=x:f4[9007199254740992] bytes=36028797018963968\n", "is not a whole number"),
        (b"rankpipe/1 model learner=kl rounds=1 dim=4294967296 cols=w:f8[4294967296] bytes=34359738368\n", "cut short"),
        (b"rankpipe/1 round t=1 " + b"x-a=" + b"a" * 5000 + b"\n", "longer than 4096 bytes"),
        (b"rankpipe/1 round" + b" " * 100000, "longer than 4096"),
        (b"rankpipe/2 round t=1\n", "version 2"),
        (b"\x1f\x8b\x08\x00", "not a rankpipe stream"),
        (b"", "not a single byte")]:
    try:
        list(rankpipe.read(io.BytesIO(line)))
        raise SystemExit("read: %r" % line)
    except rankpipe.Error as error:
        assert what in str(error), (line, str(error))
sparse = rankpipe.Round.make([{2**31 - 1: 1.0}], qid="a")
try:
    sparse.dense()
    raise SystemExit("2^31 features at once")
except rankpipe.Error as error:
    assert "use sparse()" in str(error)
assert time.time() - began < 5
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50000
END
}

@test "propensities are read and written" {
    small_text | svm2bin | score -m <(echo 1:1 | weights2bin) | explore | feedback-mask -k 1 >stored.bin
    python3 - <<'END'
import io
import rankpipe

rounds = list(rankpipe.read("stored.bin"))
with open("again.bin", "wb") as file, rankpipe.Writer(file) as out:
    for round in rounds:
        round["propensity"] = [0.5]
        out.write(round)
END
    bin2txt -f check again.bin
    [ "$(bin2txt -f head again.bin | grep -c 'propensity:f8\[1\]')" -gt 1 ]
}

@test "a writer writes nothing that a reader refuses, and no end after an exception" {
    python3 - <<'END'
import io
from array import array
import rankpipe

shown = {"order": array("I", [0, 1]), "seen": array("f", [1])}

def refused(change, what):
    made = rankpipe.Round.make([[1, 2], [3, 4]], qid="a", labels=[0, 1])
    out = io.BytesIO()
    try:
        change(made)
        with rankpipe.Writer(out) as writer:
            writer.write(made)
    except rankpipe.Error as error:
        assert what in str(error), error
        assert out.getvalue() == b"", out.getvalue()
        return
    raise SystemExit("written: %r" % made)

refused(lambda r: r.keys.update(t="0"), "t=0")
refused(lambda r: r.keys.update(qid="a b"), "qid=")
refused(lambda r: r.keys.update({"x-a": "b\nrankpipe/1 end rounds=0 bytes=0"}), "header line")
refused(lambda r: r.keys.update(other="1"), "unknown key")
refused(lambda r: r.__setitem__("label", [1]), "has 1 values")
refused(lambda r: r.__setitem__("label", [-1, 0]), "from 0.0 to inf")
refused(lambda r: r.__setitem__("label", [float("inf"), 0]), "finite")
refused(lambda r: r.__setitem__("order", [0, 0]), "permutation")
refused(lambda r: r.__setitem__("order", [-1, 0]), "u4")
refused(lambda r: r.__setitem__("a b", [0, 0]), "not a valid name")
refused(lambda r: r.__setitem__("seen", [0]), "needs the column order")
refused(lambda r: r.columns.update(shown, propensity=array("d", [5.0])), "from 2.2250738585072014e-308 to 1.0")
refused(lambda r: r.columns.update(shown, propensity=array("d", [0.0])), "from 2.2250738585072014e-308 to 1.0")
refused(lambda r: r.columns.update(shown, propensity=array("d", [0.5, 0.5])), "has 2 values")
refused(lambda r: (r.columns.update(shown, propensity=array("d", [0.5])), r.keys.update(gamma="0")), "exclude each other")
refused(lambda r: r.keys.update(top="1"), "needs gamma=")
refused(lambda r: setattr(r, "names", ["a", "a"]), "one name")
refused(lambda r: setattr(r, "names", ["a", "b c"]), "blank")
refused(lambda r: r.__delitem__("x"), "no features")
for rows in [[["x"]], [[float("nan")]], [[1e40]], ["ab"], [b"abcd"], [None], [], [{-1: 1}], [{1.5: 1}]]:
    try:
        rankpipe.Round.make(rows)
        raise SystemExit("made of %r" % rows)
    except rankpipe.Error:
        pass
END
}

@test "documents in the order of an engine, or in none, as rounds and as requests" {
    options=-e
    start 'explore -g 1 | spool log'
    python3 - <<'END'
import rankpipe

made = rankpipe.Round.make([[1], [2], [3]], ordered=True)
assert made["base"].tolist() == [0, 1, 2] and "base" not in rankpipe.Round.make([[1]])
assert next(rankpipe.pipe("explore -g 1", [made]))["base"].tolist() == [0, 1, 2]
assert made.based is None
made.keys["based"] = "01234567"
assert rankpipe.run("explore -g 1", [made])[0].based == "01234567"
with rankpipe.Client("s") as client:
    client.rank([[1], [2]], request="one")
    client.rank([[1], [2]], request="two", ordered=False)
END
    kill $started && wait $started
    started=
    is "$(spooled log | bin2txt -f values | awk '$4 == "base" || $4 == "request" { print $1, $4, $5 }')" '1 request one
1 base 0
1 base 1
2 request two'
}

@test "a request as a round gets the answer of its text, and is the same in the log" {
    printf '1:1 2:-0.5 3:.25\n' | weights2bin >w.bin
    for way in False True; do
        options='-e -d 3' start 'score -m w.bin | explore | spool log'
        python3 - $way >said.$way <<'END'
import sys, rankpipe

with rankpipe.Client("s", rounds=sys.argv[1] == "True") as client:
    made = client.rounds
    def ask(features, *words, **more):
        if made:
            print(rankpipe.read_answer(client._ask(rankpipe.request_round(features, *words, dim=3, **more), 9999),
                                       len(features), words[0] if words else None, more.get("request")))
        else:
            print(client.rank(features, *words, **more))
    ask([[1, 2.5, 3], [0.1, 1e-30, 7]], ["a", "\u044f"], "red tv", request="one")
    ask([{2: 1.5}, {0: 1}, {}], None, "Red%", request="two", ordered=False)
    ask([[1, 1, 1]] * 30, None, " RED ", request="three", fold=True)
    print(client.rank([[3, 2, 1], [1, 1, 2]], request="four"))
    for bad in [[["1"]], [[float("nan")]], [[1e39]], [], [[1], [None]]]:
        try:
            raise SystemExit("%r" % (rankpipe.request_round(bad),))
        except rankpipe.Error:
            pass
    if made:  # what serve refuses does not end the connection
        try:
            raise SystemExit("%r" % (client.rank([[1, 2, 3, 4]]),))
        except rankpipe.Refused as error:
            assert str(error) == "request: round 1: dim=4, but -d 3", error
        assert client.rank([[1, 2, 3]], request="five").t == 5
END
        kill $started && wait $started
        started=
        spooled log | bin2txt -f values | awk '$4 != "time" && $1 < 5' >log.$way
        rm -r log
    done
    is "$(cat said.True)" "$(cat said.False)"
    is "$(cat log.True)" "$(cat log.False)"
    is "$(grep -c "Ranking(request='two', t=2, order=\[1, 0, 2\]" said.True)" 1
}

@test "queries of any text have a qid each, and give the text back" {
    echo 1:1 | weights2bin >w.bin
    start 'score -m w.bin | explore | spool log'
    python3 - <<'END'
import rankpipe

texts = ["new user", "new  user", "new~20user", "c#", "c", "a\tb\n\nrequest: x", "%41", "A", "~", "я" * 25, "Как сменить пароль?",
         "я" * 500, "я" * 499 + "ъ", "a" * 256, "a" * 255, "docid=1", "\x00", "qid:1", "?"]
with rankpipe.Client("s") as client:
    for text in texts:
        client.rank([[1]], ["d"], text)
END
    kill $started && wait $started
    started=
    spooled log >log.bin
    python3 - <<'END'
import rankpipe

texts = ["new user", "new  user", "new~20user", "c#", "c", "a\tb\n\nrequest: x", "%41", "A", "~", "я" * 25, "Как сменить пароль?",
         "я" * 500, "я" * 499 + "ъ", "a" * 256, "a" * 255, "docid=1", "\x00", "qid:1", "?"]
rounds = list(rankpipe.read("log.bin"))
assert len({round.qid for round in rounds}) == len(texts)
for round, text in zip(rounds, texts):
    made = rankpipe.Round.make([[1]], qid=text)
    assert made.qid == round.qid, (made.qid, round.qid)
    assert round.query == text or (len(text) > 16 and round.query.startswith(text[:16] + "~~")), round.query
END
}

@test "documents of any name have a word each, which gives the name back" {
    echo 1:1 | weights2bin >w.bin
    start 'score -m w.bin | explore | spool log'
    python3 - <<'END'
import hashlib, rankpipe

# names that are their own words, and others with theirs, by hand
for name in "a", "~a", "a~~b", "c#", "100%20", "é" * 127, "a" * 255, "\udcff":
    assert rankpipe.document_word(name) == name == rankpipe.document_text(name)
words = {"a b": "~~a~20b", "~~a": "~~~7E~7Ea", "~~a~20b": "~~~7E~7Ea~7E20b", "a\tb\n": "~~a~09b~0A", "%41 x": "~~%41~20x", "\x7f": "~~~7F",
         "a # b": "~~a~20~23~20b", " " * 84: "~~" + "~20" * 84}
for name, word in words.items():
    assert rankpipe.document_word(name) == word and rankpipe.document_text(word) == name, name
for name in "é" * 128, "a" * 256, "a " * 200, " " * 85:
    cut = "~~" + hashlib.sha256(name.encode()).hexdigest()[:32]
    word = rankpipe.document_word(name)
    assert word == "~~" + name[:16].replace(" ", "~20") + cut and rankpipe.document_text(word) == name[:16] + cut
names = ["a", *words, "é" * 200]
with rankpipe.Client("s") as text, rankpipe.Client("s", rounds=True) as rounds:
    for client in text, rounds:
        assert sorted(client.rank([[1]] * len(names), names).order) == list(range(len(names)))
for bad in [""], ["a b", "a b"]:
    try:
        raise SystemExit(rankpipe.request_round([[1]] * len(bad), bad))
    except rankpipe.Error:
        pass
END
    kill $started && wait $started
    started=
    is "$(spooled log | bin2txt -f rank | cut -f 4 | sort | uniq -c | grep -cv ' 2 ')" 0
}

@test "folded: one word however a query is typed, by the module, by svm2bin -Q, and in a request to serve" {
    echo 1:1 | weights2bin >w.bin
    start 'score -m w.bin | explore | spool log'
    python3 - >words <<'END'
import rankpipe

# as it may be typed, and the word: NFKC, small letters, single blanks, percent-encoded, by hand
same = {"red%20tv": ["red tv", " Red\t TV\n", "ＲＥＤ\u00a0tv", "red\u3000\u2003tv", b"RED tv"], "strasse": ["Straße", "STRASSE"],
        "%C3%A9": ["é", "E\u0301"], "fis": ["ﬁſ"], "c%23": ["c#", "C＃"], "100%25": ["100%"],
        "%2520": ["%20"], "a%7E20b": ["a~20b"], "a%20b": ["a\0b"], "%D1%8F": ["Я"]}
with rankpipe.Client("s") as client:
    for word, texts in same.items():
        for text in texts:
            assert rankpipe.query_word(text, fold=True) == word, (text, word, rankpipe.query_word(text, fold=True))
            assert rankpipe.Round.make([[1]], qid=text, fold=True).qid == word
            client.rank([[1]], ["d"], text, fold=True)
            print(word)
    long = rankpipe.query_word("Я" * 43, fold=True)
    assert long == "%D1%8F" * 16 + "~~" + long[-32:] and len(rankpipe.query_word("я" * 42, fold=True)) == 252
    assert rankpipe.query_text(long) == "я" * 16 + long[-34:] and rankpipe.query_text("a%7E20b") == "a~20b"
for text in "", " \t", "\0", "\u00a0":
    try:
        raise SystemExit("a word of %r" % text + rankpipe.query_word(text, fold=True))
    except rankpipe.Error:
        pass
END
    kill $started && wait $started
    started=
    is "$(spooled log | bin2txt -f head | sed 's/.* qid=\([^ ]*\).*/\1/')" "$(cat words)"
    sort -u words | sed 's/.*/? qid:& 1:1/' | svm2bin -Qu | bin2txt -f head | sed 's/.* qid=\([^ ]*\).*/\1/' >have
    is "$(cat have)" "$(sort -u words)"
}

@test "a client keeps one connection, finds a new service, and sends nothing twice" {
    echo 1:1 2:1 | weights2bin >w.bin
    options='-i 1 -S status' start 'score -m w.bin | explore | spool log'
    python3 -u - <<'END' >said &
import os, time
import rankpipe

def wait(name):
    while not os.path.exists(name):
        time.sleep(0.02)

client = rankpipe.Client("s", timeout=5)
print(client.rank([[1, 2], {1: 9}, [3, 4]], names=["a", "docid=b", "c"], query="q", request="r1"))
for _ in range(50):
    client.rank([[1, 2], [3, 4]])
for bad in ({"features": [[1]], "request": "a\nrequest: b"}, {"features": [b"1:1\n\nrequest: b"]}, {"features": [[1]], "names": [""]},
            {"features": []}, {"features": [[1], [2]], "names": ["a"]}):
    try:
        client.rank(**bad)
        raise SystemExit("sent: %r" % bad)
    except rankpipe.Refused:
        raise SystemExit("refused by the service: %r" % bad)
    except rankpipe.Error:
        pass
try:
    client.rank([b"1:1 1:2"])
except rankpipe.Refused as error:
    print(error)
wait("gone")
try:
    client.rank([[1]])
except rankpipe.Unavailable as error:
    print(error)
wait("back")
print(client.rank([[1, 2], [3, 4]]).t)
END
    asks=$!
    until [ "$(wc -l <said)" = 2 ] || ! kill -0 $asks; do sleep 0.05; done
    kill $started && wait $started
    grep -x 'rankpipe_serve_connections_total 1' status
    touch gone
    until [ "$(wc -l <said)" = 3 ] || ! kill -0 $asks; do sleep 0.05; done
    options='-S status' start 'score -m w.bin | explore | spool log'
    touch back
    wait $asks
    cat said
    is "$(sed 's/scores.*//' said)" "Ranking(request='r1', t=1, order=[1, 2, 0], 
request: line 2: index 1 comes twice: '1:2'
s: No such file or directory
52"
    kill $started && wait $started
    started=
    is "$(spooled_last log)" 52
}

@test "an array of all values is the round of its rows, and a value that is not finite is refused" {
    python3 - <<'END'
import math, random
from array import array
import rankpipe

draw = random.Random(2)
for _ in range(200):
    docs, dim = draw.randint(1, 5), draw.randint(1, 5)
    rows = [array("f", [draw.choice([draw.uniform(1, 9), 3.4e38, -1e-38, draw.uniform(-3e38, -1e37)]) for _ in range(dim)])
            for _ in range(docs)]
    values = array("f", [value for row in rows for value in row])
    made = [rankpipe.request_round(given, None, "q", "r", True, False, dim) for given in (list(map(list, rows)), values)]
    assert made[0] == made[1], rows
    values[draw.randrange(len(values))] = draw.choice([math.inf, -math.inf, math.nan])
    try:
        raise SystemExit("%r" % rankpipe.request_round(values, dim=dim))
    except rankpipe.Error as error:
        assert str(error) == "a feature is not finite"
for values, dim in (array("d", [1]), 1), (array("f", [1]), 2), (array("f", [1]), None):
    try:
        raise SystemExit("%r" % rankpipe.request_round(values, dim=dim))
    except rankpipe.Error as error:
        assert str(error) == "not the floats of documents of %s features" % dim
END
}

@test "a service that sends nonsense is an Error, and never hangs a client" {
    python3 - <<'END'
import contextlib, os, socket, threading, time
import rankpipe

answers = [b"", b"\n\n", b"1\tq\t1\t0\t0.5\t-\n\n", b"1\t-\t1\t0\t0.5\t-\n1\t-\t2\t0\t0.5\t-\n\n", b"x" * 100000 + b"\n\n",
           b"1\t-\t1\t1\t0.5\t-\n1\t-\t2\t7\t0.5\t-\n\n", b"! no\n\n", b"1\t-\t2\t1\t0.5\t-\n1\t-\t1\t0\t0.5\t-\n\n", None]
server = socket.socket(socket.AF_UNIX)
server.bind("nonsense")
server.listen()

def serve():
    for answer in answers:
        peer, _ = server.accept()
        with peer, contextlib.suppress(BrokenPipeError, ConnectionResetError):  # a client leaves early what is too long
            peer.recv(10000)
            if answer is None:
                peer.recv(1)  # nothing more comes: until the client has gone
            else:
                peer.sendall(answer)

threading.Thread(target=serve, daemon=True).start()
for answer in answers:
    began = time.time()
    try:
        rankpipe.Client("nonsense", timeout=30 if answer is not None else 0.5).rank([[1], [2]])
        raise SystemExit("an answer: %r" % answer)
    except rankpipe.Error as error:
        assert isinstance(error, rankpipe.Refused) == (answer == b"! no\n\n"), (answer, error)
        assert time.time() - began < 25, answer
END
}

@test "a pipeline that fails says why, and one that is left early leaves nothing behind" {
    small_text | svm2bin >q.bin
    echo 1:1 2:2 3:3 | weights2bin >w.bin
    python3 - <<'END'
import subprocess
import rankpipe

rounds = list(rankpipe.read("q.bin"))
shown = rankpipe.run("score -m w.bin | explore", rounds)
assert [round.t for round in shown] == [1, 2, 3] and "order" in shown[0]
for pipeline in ("score -m none.bin", "score -m w.bin; touch here", "nobody"):
    try:
        rankpipe.run(pipeline, rounds)
        raise SystemExit("ran: " + pipeline)
    except rankpipe.Error as error:
        assert "loop: " in str(error), error
def dies():
    yield rounds[0]
    raise KeyError("mine")
try:
    rankpipe.run("update -a kl,eta=1e-5 -m dies.bin", dies())
    raise SystemExit("no exception")
except KeyError:
    pass
for _ in rankpipe.pipe("score -m w.bin | explore", rounds * 5000):
    break
assert subprocess.run(["pgrep", "-P", str(__import__("os").getpid()), "-x", "loop"], capture_output=True).stdout == b""
END
    [ ! -e here ]
}

@test "Ranker: fit, partial_fit, predict and score are what the programs give by hand, whatever the order of the rows" {
    svm2bin <"$ROOT/examples/data/small.svm" >q.bin
    replay -n 480 -s 3 q.bin | update -a listnet -m want.bin
    score -m want.bin <q.bin | explore | metric ndcg@10 | tail -n 1 | cut -f 2 >want
    score -m want.bin <q.bin | values_of score | xargs -n 1 >scores
    python3 - "$ROOT/examples/data/small.svm" <<'END'
import sys
import rankpipe
X, y, qid = [], [], []
for line in open(sys.argv[1]):
    label, query, *features = line.split("#")[0].split()
    X.append([float(each.split(":")[1]) for each in features])
    y.append(float(label))
    qid.append(query[4:])
want = rankpipe.read_model("want.bin")
ranker = rankpipe.Ranker("listnet", passes=2, seed=3).fit(X, y, qid)
assert list(ranker.model_.w) == list(want.w) and ranker.model_.rounds == 480
assert "%.7f" % ranker.score(X, y, qid) == "%.7f" % float(open("want").read())
assert all(abs(a - float(b)) < 1e-6 for a, b in zip(ranker.predict(X, qid), open("scores")))
# The rows of a query may be anywhere; a further pass; a file; a clone.
last = list(range(len(X) - 1, -1, -1))
mixed = [last[i] for i in range(0, len(last), 2)] + [last[i] for i in range(1, len(last), 2)]
rows = [[each[i] for i in mixed] for each in (X, y, qid)]
other = rankpipe.Ranker().fit(*rows)
assert other.score(X, y, qid) > 0.8
assert [round(a, 6) for a in other.predict(rows[0], rows[2])] == [round(a, 6) for a in (lambda p: [p[i] for i in mixed])(
    list(other.predict(X, qid)))]
before = other.model_.rounds
assert other.partial_fit(X, y, qid).model_.rounds == before + 240
other.save("own.bin")
assert list(rankpipe.Ranker().load("own.bin").predict(X[:3])) == list(other.predict(X[:3]))
assert rankpipe.Ranker(**ranker.get_params()).get_params() == ranker.get_params() == {
    "learner": "listnet", "passes": 2, "seed": 3, "steps": None}
assert ranker.set_params(passes=1) is ranker and ranker.passes == 1
def fails(what, does):
    try:
        does()
    except ValueError as error:
        assert what in str(error), error
        return
    raise SystemExit("no error: " + what)
for what, bad in (("no rows", ([], [], [])), ("y has 1", (X[:2], y[:1], qid[:2])), ("qid has 1", (X[:2], y[:2], qid[:1])),
                  ("negative", (X[:2], [-1, 0], qid[:2])), ("not finite", (X[:2], [None, 0], qid[:2])), ("not finite", ([[1], [float("nan")]], [0, 1], ["a", "a"])),
                  ("not a number", ([["x"]], [1], ["a"])), ("qid is None", (X, y, None)),
                  ("qid of row 1, counted from 0, is None", (X[:2], y[:2], ["a", None])),
                  ("qid of row 0, counted from 0, is nan", (X[:2], y[:2], [float("nan"), 1]))):
    fails(what, lambda: rankpipe.Ranker().fit(*bad))
fails("call fit first", lambda: rankpipe.Ranker().predict(X))
fails("no parameter", lambda: rankpipe.Ranker().set_params(trees=3))
class Sparse:  # as scipy's
    def __init__(self, rows, width):
        self.rows, self.shape = rows, (len(rows), width)
    def toarray(self):
        return self.rows
assert list(rankpipe.Ranker("listnet", passes=2, seed=3).fit(Sparse(X, 3), y, (name for name in qid)).model_.w) == list(want.w)
fails("only fewer than 10^7 are made dense", lambda: rankpipe.Ranker().fit(Sparse(X, 10 ** 7 // len(X) + 1), y, qid))
assert len(rankpipe.Ranker().fit([[1], [2]], [0, 1], ["nan", "None"]).predict([[1]])) == 1  # queries may have these names
END
}
