# lib/python/rankpipe_front.py: answers, words of clients, limits and the service's state, as front ends use them.
load ../helper
load ../service

NEEDS=python3

export PYTHONPATH=$ROOT/lib/python PYTHONDONTWRITEBYTECODE=1

@test "answers that a service replaces all the time: no line is lost, none is torn" {
    mkdir answers
    python3 - <<'END'
import fcntl, multiprocessing, os, time
import rankpipe_front as front

def service(stop, replaced):
    """Replaces each file by one without the lines that end in 7, as an erasure does."""
    while not stop.is_set():
        for name in os.listdir("answers"):
            path = "answers/" + name
            with open(path, "rb") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                lines = file.read().splitlines(True)
                stay = [line for line in lines if not line.endswith(b"7\n")]
                if len(stay) < len(lines):
                    with open("new", "wb") as new:
                        new.writelines(stay)
                    os.rename("new", path)
                    replaced.value += 1

def front_end(number, replaced, count):
    answers = front.Answers("answers")
    while count.value < 1000 or replaced.value < 20:
        answers.append("%d %d\n" % (number, count.value))
        count.value += 1

stop, replaced = multiprocessing.Event(), multiprocessing.Value("i", 0)
counts = [multiprocessing.Value("i", 0) for _ in range(2)]
erasing = multiprocessing.Process(target=service, args=(stop, replaced))
writers = [multiprocessing.Process(target=front_end, args=(n, replaced, counts[n])) for n in range(2)]
for process in (erasing, *writers):
    process.start()
for writer in writers:
    writer.join()
    assert writer.exitcode == 0
stop.set()
erasing.join()
assert erasing.exitcode == 0
lines = [line for name in os.listdir("answers") for line in open("answers/" + name)]
assert all(line.endswith("\n") for line in lines) and len(lines) == len(set(lines))
# Those that the service left out may be there still: nothing else is missing.
missing = {"%d %d\n" % (n, i) for n in range(2) for i in range(counts[n].value)} - set(lines)
assert missing and all(line.endswith("7\n") for line in missing), sorted(missing)[:5]
END
}

@test "an answer is stored whole or not at all; its file is for the group, whatever the umask" {
    mkdir answers
    python3 - <<'END'
import os, resource
import rankpipe_front as front
for mask in (0, 0o077):
    os.umask(mask)
    answers = front.Answers("answers")
    answers.append("a\n")
    assert os.stat(answers.path).st_mode & 0o777 == 0o640, oct(os.stat(answers.path).st_mode)
path = answers.path
def append(line):
    try:
        answers.append(line, sync=True)
    except OSError:
        return False
    return True
resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
stored = [append("b" * 30 + "\n") for _ in range(10)]
assert stored == [True] * 3 + [False] * 7, stored
assert open(path).read() == "a\n" + ("b" * 30 + "\n") * 3
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert append("c\n") and answers.path == path and open(path).read().endswith("b\nc\n")
# A file that cannot be cut is left, and the next line begins another one.
true, os.ftruncate = os.ftruncate, lambda *_: (_ for _ in ()).throw(OSError("no"))
resource.setrlimit(resource.RLIMIT_FSIZE, (110, resource.RLIM_INFINITY))
assert not append("d" * 30 + "\n")
os.ftruncate = true
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert append("e\n") and answers.path != path and open(answers.path).read() == "e\n"
# A folder that is not there, and one that comes.
answers = front.Answers("none")
assert not append("f\n")
os.mkdir("none")
assert append("f\n")
END
}

@test "a file of answers that was removed or is held, a day that ends, a clock that is set back: a new name" {
    mkdir answers
    python3 - <<'END'
import fcntl, os, time
import rankpipe_front as front
now = [1700000000]
front.time = type("Clock", (), dict(strftime=staticmethod(time.strftime), time=lambda: now[0],
                                    gmtime=lambda at=None: time.gmtime(now[0] if at is None else at)))
answers, names = front.Answers("answers"), []
def append(line):
    answers.append(line)
    names.append(answers.path)
append("a\n")
append("b\n")
assert names[0] == names[1] and open(names[0]).read() == "a\nb\n"
os.unlink(names[0])
append("c\n")
with open(names[2]) as held:
    fcntl.flock(held, fcntl.LOCK_EX)
    append("d\n")
os.symlink("/dev/null", "link")
os.rename("link", names[3])
append("e\n")
now[0] += 86400
append("f\n")
now[0] -= 2 * 86400
append("g\n")
assert len(set(names)) == 6 and [open(name).read() for name in names[4:]] == ["e\n", "f\n", "g\n"]
assert [name.split(".")[0] for name in names[4:]] == ["answers/2023-11-14", "answers/2023-11-15", "answers/2023-11-13"]
END
}

@test "words of clients: one for a network and a day, by a key that is forgotten after it" {
    mkdir keys
    python3 - <<'END'
import os, re, time
import rankpipe_front as front
now = [1700000000]
front.time = type("Clock", (), dict(strftime=staticmethod(time.strftime), gmtime=staticmethod(time.gmtime),
                                    time=lambda: now[0], monotonic=time.monotonic))
test = [None]
def clients():
    return front.Clients("keys", lambda: test[0])
one = clients()
word = one.word("192.0.2.1")
assert re.fullmatch("[0-9a-f]{16}", word)
assert word == one.word("192.0.2.254") == one.word("::ffff:192.0.2.7") != one.word("192.0.3.1")
six = one.word("2001:db8:1::1")
assert six == one.word("2001:db8:1:ffff::2") == one.word("2001:db8:1::1%eth0") != one.word("2001:db8:2::1")
own = one.word("192.0.2.1", "a person")
assert own == one.word(None, "a person") != one.word(None, "192.0.2.0/24") != word and one.word(None) is None
assert one.word(None, "\ud800") and one.word(None, "") and one.word("nonsense") is None
assert clients().word("192.0.2.1") == word
assert os.listdir("keys") == ["clients.2023-11-14"]
status = os.stat("keys/clients.2023-11-14")
assert status.st_mode & 0o777 == 0o600 and status.st_size == 32
# The next day: another key, and the old one has gone. A front end that is not past midnight yet changes nothing.
now[0] += 86400
open("keys/clients.new-0", "w").close()
os.utime("keys/clients.new-0", (now[0] - 100, now[0] - 100))
open("keys/other", "w").close()
next_word = one.word("192.0.2.1")
assert next_word not in (word, None) and sorted(os.listdir("keys")) == ["clients.2023-11-15", "other"]
now[0] -= 86400
assert clients().word("192.0.2.1") not in (word, next_word)
now[0] += 86400
assert clients().word("192.0.2.1") == one.word("192.0.2.1") == next_word
# During a test the key of its first day stays, for those who start as well; then it goes.
test[0] = "2023-11-15"
now[0] += 86400
assert one.word("192.0.2.1") == clients().word("192.0.2.1") == next_word
test[0] = "2023-11-16" # another test has a key of its own
third = one.word("192.0.2.1")
assert third not in (word, next_word) and sorted(os.listdir("keys")) == ["clients.2023-11-16", "other"]
now[0] += 86400
assert one.word("192.0.2.1") == clients().word("192.0.2.1") == third
test[0] = None
assert one.word("192.0.2.1") != third and sorted(os.listdir("keys")) == ["clients.2023-11-17", "other"]
# A clock that was ahead for a moment leaves no key.
now[0] += 10**9
one.word("192.0.2.1")
now[0] -= 10**9
last = one.word("192.0.2.1")
assert sorted(os.listdir("keys")) == ["clients.2023-11-17", "other"] and last == clients().word("192.0.2.1")
# A key that others may read, a link, one that is cut short, and no folder: an error, and nothing is written.
def fails(clients):
    try:
        clients.word("192.0.2.1")
    except OSError as error:
        return str(error)
path = "keys/clients.2023-11-17"
os.chmod(path, 0o640)
assert "is not a key of this account alone: remove it" in fails(clients())
os.chmod(path, 0o600)
os.truncate(path, 31)
assert "is not a key of this account alone: remove it" in fails(clients())
os.unlink(path)
os.symlink("other", path)
assert fails(clients()) and os.path.getsize("keys/other") == 0
assert fails(front.Clients("none"))
END
}

@test "ten processes that need the key at once make one" {
    for _ in 1 2 3 4 5; do
        rm -rf keys
        mkdir keys
        python3 - <<'END'
import multiprocessing, os
import rankpipe_front as front
def word(barrier, words):
    clients = front.Clients("keys")
    barrier.wait()
    words.put(clients.word("192.0.2.1"))
barrier, words = multiprocessing.Barrier(10), multiprocessing.Queue()
processes = [multiprocessing.Process(target=word, args=(barrier, words)) for _ in range(10)]
for process in processes:
    process.start()
assert len({words.get() for _ in processes}) == 1
for process in processes:
    process.join()
assert len(os.listdir("keys")) == 1
END
    done
}

@test "the address of a client is what our own proxies say, and no client can choose it" {
    python3 - <<'END'
import rankpipe_front as front
ours = [front.proxy(text) for text in ("127.0.0.1", "10.0.0.0/8", "2001:db8::/32")]
unix = [front.proxy("unix")]
for peer, forwarded, proxies, want in [
        ("192.0.2.1", None, ours, "192.0.2.1"),
        ("192.0.2.1", "198.51.100.1", ours, "192.0.2.1"),  # not a proxy of ours
        ("127.0.0.1", "198.51.100.1", [], "127.0.0.1"),
        ("127.0.0.1", "198.51.100.1", ours, "198.51.100.1"),
        ("127.0.0.1", "198.51.100.9, 198.51.100.1", ours, "198.51.100.1"),  # the first is the client's own text
        ("127.0.0.1", "127.0.0.1, 198.51.100.1", ours, "198.51.100.1"),
        ("127.0.0.1", "10.1.1.1,198.51.100.1", ours, "198.51.100.1"),
        ("127.0.0.1", "198.51.100.1,10.1.1.1", ours, "198.51.100.1"),  # two proxies
        ("127.0.0.1", "198.51.100.1, 10.1.1.1,\t2001:db8::7", ours, "198.51.100.1"),
        ("127.0.0.1", "10.1.1.1", ours, "10.1.1.1"),
        ("127.0.0.1", "x, 198.51.100.1", ours, "198.51.100.1"),
        ("127.0.0.1", "198.51.100.1, nonsense", ours, "127.0.0.1"),
        ("127.0.0.1", "198.51.100.1,", ours, "127.0.0.1"),
        ("127.0.0.1", "", ours, "127.0.0.1"),
        ("::ffff:127.0.0.1", "[2001:db9::1%x]", ours, "2001:db9::1"),
        ("::1", "198.51.100.1", ours, "::1"),
        (None, "198.51.100.1", ours, None), (None, "198.51.100.1", unix, "198.51.100.1"),
        (None, "198.51.100.9,198.51.100.1", unix, "198.51.100.1"),
        ("fe80::1%eth0", "198.51.100.1", ours, "fe80::1%eth0"), ("nonsense", "198.51.100.1", ours, "nonsense")]:
    got = front.address_of(peer, forwarded, proxies)
    assert got == want, (peer, forwarded, got, want)
for address, want in [(None, True), ("127.0.0.9", True), ("::1", True), ("::ffff:127.0.0.1", True), ("::1%lo", True),
                      ("192.0.2.1", False), ("nonsense", False), ("", False)]:
    assert front.is_local(address) == want, address
assert front.is_ours("10.1.2.3", ours) and not front.is_ours("11.1.2.3", ours) and not front.is_ours("nonsense", ours)
for wrong in ("10.0.0.1/8", "name", ""):
    try:
        front.proxy(wrong)
    except ValueError:
        continue
    raise AssertionError(wrong)
END
}

@test "limits, worked by hand: connections, requests a second and what is saved up, of an address or an IPv6 /64" {
    python3 - <<'END'
import rankpipe_front as front
limits = front.Limits(connections=2, rate=2, burst=3, most=10)
assert [limits.enter(a) for a in ("192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2")] == [True, True, False, True]
assert [limits.enter(a) for a in ("2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1")] == [
    True, True, False, True]
limits.leave("192.0.2.1")
assert limits.enter("192.0.2.1") and not limits.enter("::ffff:192.0.2.1")
for address in ("192.0.2.1", "192.0.2.1", "192.0.2.2", "2001:db8::2", "2001:db8::2", "2001:db8:0:1::2"):
    limits.leave(address)
assert not limits.open
# Three at once, then two a second: at .4 s there is .8 of one, at .5 s one.
ask = lambda *times: [limits.allows("192.0.2.1", at) for at in times]
assert ask(0, 0, 0, 0, .4, .5, .6, 1) == [True, True, True, False, False, True, False, True]
assert limits.allows("192.0.2.2", 1)
assert ask(100, 100, 100, 100) == [True, True, True, False]
for i in range(50):
    limits.allows("198.51.100.%d" % i, 100)
assert len(limits.left) == 10
free = front.Limits()
assert all(free.enter("192.0.2.1") and free.allows("192.0.2.1", 0) for _ in range(1000)) and not free.left
assert all(limits.allows(None, 0) and limits.allows("nonsense", 0) for _ in range(10))
END
}

@test "the service's state: whole, torn, huge, of other types, or missing" {
    python3 - <<'END'
import json, os, time
import rankpipe_front as front
def state(text=None, prom=None):
    for name, data in (("service.json", text), ("service.prom", prom)):
        if os.path.lexists(name):
            os.unlink(name)
        if data is not None:
            open(name, "w").write(data)
    return front.State("service.json")
now = time.time() * 1000
whole = {"features": 12, "run": {"time": 5, "at": "then", "fails_at": now + 60000}, "test": None,
         "behind": {"answers": 0, "early": 0, "fails_at": None}}
def of(**changed):
    return state(json.dumps({**whole, **changed}))
assert (of().features(), of().test_since(), of().trouble(), of().behind()) == (12, None, None, False)
for wrong in True, 1, {}, {"since": 1}, {"since": "2026"}, {"since": "../../etc"}:
    assert of(test=wrong).test_since() is None, wrong
assert of(test={"since": "2026-11-26"}).test_since() == "2026-11-26" and of(behind={"early": 1}).behind() and of(behind={"answers": 1}).behind()
assert of(run={"time": 5, "at": "then", "fails_at": now - 1}).trouble() == \
    "no run of the learner has ended well since then"
assert of(run={"time": 0, "at": "1970", "fails_at": now - 1}).trouble() == \
    "no run of the learner has ended well since the start"
assert of(behind={"answers": 1, "fails_at": now - 1}).trouble() == "answers wait to be learnt for too long"
for features in (None, 0, -1, True, "12", 1.5, [1], {}):
    assert of(features=features).features() is None, features
for text in (None, "", "{", '{"features": 12', "[]", "null", "[" * 100000, '{"features": 12' + " " * 2000000 + "}",
             '{"run": 1, "behind": [], "features": {}}', '{"run": {"fails_at": NaN}}', "\0\xff"):
    found = state(text)
    assert (found.features(), found.test_since(), found.trouble(), found.behind(), found.metrics()) == (
        None, None, None, False, ""), text
os.unlink("service.json")
os.mkfifo("service.json")
assert front.State("service.json").features() is None
assert front.State(None).features() is None and front.State(None).metrics() == ""
# A file that is replaced is seen within a second, also one that is torn.
found = of()
assert found.features() == 12
of(features=13)
found.looked -= 1
assert found.features() == 13
state("{")
found.looked -= 1
assert found.features() is None
assert found.trouble() is None
found.began -= 601
assert found.trouble() == "service.json is missing: run rankpipe service first in the folder of the service"
# Of the metrics only what has the service's names is passed on.
right = "# HELP rankpipe_service_suspect 1: it is\n# TYPE rankpipe_service_suspect gauge\nrankpipe_service_suspect 0\n"
assert state("{}", right).metrics() == right
for wrong in (right[:-1], right + "other 1\n", right + "rankpipe_service_x\t1\n", right + "\n", right * 20000):
    assert state("{}", wrong).metrics() == "", wrong[-50:]
END
}

@test "the alerts: each fires for its fault and for no other, and is silent before and after" {
    command -v promtool >/dev/null || skip "no promtool here: it is in the package prometheus"
    promtool check rules "$ROOT/examples/serve/alerts.yml"
    python3 - "$ROOT/examples/serve/alerts.yml" >alerts.test <<'END'
import json, re, sys
sys.path.insert(0, sys.argv[1].rpartition("/examples")[0] + "/lib/python")
from rankpipe_service import health
rules = re.findall(r'- alert: (\w+).*?summary: ([^\n]*)\n *description: "([^\n]*)"', open(sys.argv[1]).read(), re.S)
kinds = {kind: "Rankpipe" + name for name, kind in re.findall(r'- alert: Rankpipe(\w+)\s+expr: rankpipe_warning{kind="(\w+)"}',
                                                           open(sys.argv[1]).read())}
assert set(kinds) == set(health.KINDS) - {"unstored", "suspect", "api", "serve"}, kinds  # which have alerts of their own
well = {'up{job="rankpipe"}': "1x90", "rankpipe_healthy": "1x90", "rankpipe_api_service_up": "1x90",
        "rankpipe_service_run_timestamp_seconds": "0+60x90", "rankpipe_service_oldest_answer_timestamp_seconds": "0+60x90",
        "rankpipe_service_suspect": "0x90", "rankpipe_serve_unstored_rounds_total": "0x90",
        **{'rankpipe_warning{kind="%s"}' % kind: "0x90" for kind in health.KINDS}}
once = "0 0 1 1 0x90"
rows = [  # alert, series with its values, minutes: silent, fires, silent again
    ("RankpipeDown", 'up{job="rankpipe"}', "1x4 0x20 1x60", 5, 6, 30),
    ("RankpipeAbsent", 'up{job="rankpipe"}', "1x4 _x20 1x60", 13, 15, 30),
    ("RankpipeUnhealthy", "rankpipe_healthy", "1x4 0x20 1x60", 5, 6, 30),
    ("RankpipeServiceDown", "rankpipe_api_service_up", "1x4 0x20 1x60", 5, 6, 30),
    ("RankpipeLearnerStopped", "rankpipe_service_run_timestamp_seconds", "0x20 1260+60x60", 10, 11, 22),
    ("RankpipeAnswersWait", "rankpipe_service_oldest_answer_timestamp_seconds", "0x40 2460x20", 34, 35, 42),
    ("RankpipeSuspect", "rankpipe_service_suspect", once, 1, 2, 4),
    ("RankpipeNotStored", "rankpipe_serve_unstored_rounds_total", "0x10 7x60", 10, 11, 20),
    ("RankpipeNotStored", 'rankpipe_warning{kind="unstored"}', once, 1, 2, 4)]
rows += [(name, 'rankpipe_warning{kind="%s"}' % kind, once, 1, 2, 4) for kind, name in kinds.items()]
assert {row[0] for row in rows} == {rule[0] for rule in rules}
tests = []
for alert, series, values, before, first, after in rows:
    expected = []
    for at in before, first, after:
        for name, summary, description in rules:
            fires = name == alert and at == first
            labels = dict(re.findall(r'(\w+)="(\w+)"', series)) if fires else {}
            expected.append({"eval_time": "%dm" % at, "alertname": name, "exp_alerts": [
                {"exp_labels": labels, "exp_annotations": {"summary": summary, "description": description}}] if fires else []})
    tests.append({"interval": "1m", "alert_rule_test": expected, "input_series": [
        {"series": each, "values": given} for each, given in {**well, series: values}.items()]})
print(json.dumps({"rule_files": [sys.argv[1]], "evaluation_interval": "1m", "tests": tests}))
END
    promtool test rules alerts.test
}

@test "what serves strangers, or changes a service, does not run as root" {
    [ "$(id -u)" = 0 ] || skip 'not root here'
    local action
    mkdir answers folder
    unset RANKPIPE_ROOT
    fails 1 'serve: not as root: *runuser -u rank*RANKPIPE_ROOT=yes' serve socket 'score -m w.bin | explore'
    fails 1 'api: not as root: *' rankpipe api socket answers
    fails 1 'site: *: not as root: *' rankpipe site -s state folder
    for action in first learn 'back 1' again 'pin 1' unpin rebuild 'erase requests x' 'set voice 2'; do
        # shellcheck disable=SC2086
        fails 1 'service: not as root: *' rankpipe service $action
    done
    RANKPIPE_ROOT=no fails 1 'service: not as root: *' rankpipe service first
    rm -f out err
    is "$(ls -A)" $'answers\nfolder' # nothing was made
    fails 1 'service: no service.db here*' rankpipe service status # which may run as any account
    RANKPIPE_ROOT=yes rankpipe service first
    RANKPIPE_ROOT=yes fails 1 'serve: score: *' serve socket 'score -m none.bin | explore'
}

@test "an account that is not root needs no leave" {
    command -v setpriv >/dev/null || [ "$(id -u)" != 0 ] || skip 'no setpriv here'
    chmod 755 "$BATS_TEST_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR"
    unset RANKPIPE_ROOT
    account rankpipe service first
    account timeout 5 serve socket 'score -m w.bin | explore' || is $? 124
}

@test "texts: what a message may not show, files that gzip packed, and files that are no UTF-8" {
    python3 - <<'END'
import gzip, io, os
import rankpipe_front as front
for text, want in ("a\x1b[31m\n", r"a\x1b[31m\x0a"), ("\x85\x7f", r"\xc2\x85\x7f"), ("é \u202e\u2069", r"é \xe2\x80\xae\xe2\x81\xa9"), \
        (b"\xe9".decode(errors="surrogateescape") + "\ud800", r"\xe9\xed\xa0\x80"), ("日本", "日本"):
    assert front.shown(text) == want, (text, front.shown(text))
plain = os.urandom(100000) + bytes(3000000)
for size in 10, 1000, 1 << 17:
    packed = gzip.compress(plain[:5000] if size == 10 else plain)
    want = gzip.decompress(packed)
    read = list(front.pieces(io.BytesIO(packed + packed + bytes(5)), size))
    assert b"".join(read) == want * 2 and max(map(len, read)) < size + 33000
    assert b"".join(front.pieces(io.BytesIO(want), size)) == want
def wrong(function, *arguments):
    try:
        function(*arguments)
    except ValueError as error:
        return str(error)
read = lambda data: list(front.pieces(io.BytesIO(data)))
assert "cut short" in wrong(read, packed[:-1]) and "damaged gzip" in wrong(read, packed[:500] + b"xx" + packed[502:])
for data, command in (b"PK\3\4", "unzip -p"), (b"\x28\xb5\x2f\xfd", "zstd -dc"), ("a".encode("utf-16"), "iconv -f utf-16 "), \
        ("request".encode("utf-16-le"), "utf-16le"), ("request".encode("utf-16-be"), "utf-16be"), (b"BZh9", "bzip2"):
    assert command in wrong(read, data)
assert read(b"") == [] and read(b"ab") == [b"ab"]
assert wrong(front.decoded, b"a\nb\xe9", 7) == r"line 8: byte \xe9 is not UTF-8: give what this prints: iconv -f latin1 -t utf-8 FILE"
assert "cp1252" in wrong(front.decoded, b"\x93a") and front.decoded("é".encode()) == "é"
END
}
