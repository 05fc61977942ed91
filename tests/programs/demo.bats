# rankpipe demo: a shop whose simulated customers teach its search.
load ../helper

NEEDS=python3

# of COLUMN FIRST LAST: the mean of a column of the table, over these numbers of searches.
of() {
    awk -v c="$1" -v a="$2" -v b="$3" '/^ *[0-9]+ +[0-9]+ +[0-9]+$/ && $1 > a && $1 <= b { n++; s += $c } END { print s / n }' shown
}

@test "demo: customers find more of what they want than with the engine's order" {
    timeout 300 rankpipe demo -n 1000 -q -s 3 >shown 2>err </dev/null
    cat shown
    is "$(cat err)" ''
    is "$(awk '/^ *[0-9]+ +[0-9]+ +[0-9]+$/ { print $1 }' shown | xargs)" '200 400 600 800 1000'
    awk -v early="$(of 2 0 200)" -v late="$(of 2 600 1000)" -v own="$(of 3 600 1000)" \
        'BEGIN { exit !(late > early && late > own + 10) }'
    grep -x 'The first 500: [0-9]* of 100. The last 500: [0-9]*; with the engine.s own order [0-9]*.' shown
    is "$(grep -c '  after$' shown)" 3
    [ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'rankpipe-demo-*' -newer err)" ]
}

@test "demo: a seed gives the same lines" {
    for n in 1 2; do timeout 120 rankpipe demo -n 300 -q -s 5 >shown.$n 2>err.$n </dev/null & done
    wait
    cat err.?
    same shown.1 shown.2
    [ "$(wc -l <shown.1)" -ge 25 ]
}

@test "demo: 3,000 searches, three seeds: 15 of 100 above the first ones, and 25 above the engine's order" {
    in_release
    for seed in 1 2 3; do
        timeout 300 rankpipe demo -q -s $seed >shown </dev/null
        cat shown
        sed -n 's/^The first 500: \([0-9]*\) of 100. The last 500: \([0-9]*\); .* order \([0-9]*\)\.$/\1 \2 \3/p' shown >figures
        awk '{ exit !($2 >= $1 + 15 && $2 >= $3 + 25) }' figures
    done
}

@test "demo: at a terminal the shop stays up, and learns the reader's clicks" {
    python3 - <<'END'
import os, pty, re, signal, subprocess, time, urllib.request
master, terminal = pty.openpty()
demo = subprocess.Popen(["rankpipe", "demo", "-n", "1"], stdin=terminal, stdout=subprocess.PIPE, text=True)
url = next(found[1] for found in (re.search("Now you: (http://[^ ]*) ", line) for line in demo.stdout) if found)

def get(path):
    return urllib.request.urlopen(url + path.lstrip("/"), timeout=10).read().decode()

def links():
    return [link.replace("&amp;", "&") for link in re.findall('<a href="(/go[^"]*)"', get("?q=winter+jacket"))]

def product(link):
    return re.search("d=([0-9]+)", link)[1]

page = get("?q=%3Cb%3E%22")
assert "<b>" not in page and "Try <a" in page, page
wanted, until = product(links()[5]), time.monotonic() + 30
while product(links()[5]) == wanted and time.monotonic() < until:
    get(next(link for link in links() if product(link) == wanted))
    time.sleep(1)
assert wanted in map(product, links()[:5])
demo.send_signal(signal.SIGINT)
assert demo.wait() == 0
END
}

@test "demo: what it refuses, and a signal ends all" {
    fails 2 "demo: argument -n: '0' is not a whole number from 1 to 1000000; see: rankpipe demo -h" rankpipe demo -n 0
    fails 2 'demo: unrecognized arguments: shop; see: rankpipe demo -h' rankpipe demo shop
    mkdir temporary
    TMPDIR=$PWD/temporary rankpipe demo -q >shown 2>said </dev/null 3>&- &
    demo=$!
    for _ in $(seq 200); do ! grep -q '^searches' <(tr -d ' ' <shown) || break; sleep 0.05; done
    kill "$demo"
    wait "$demo" || true
    is "$(cat said; ls temporary)" ''
    is "$(find /proc/[0-9]*/cwd -maxdepth 0 -lname "$PWD/temporary/*" 2>/dev/null || true)" ''
    [ "$(id -u)" = 0 ] || skip 'not root here'
    RANKPIPE_ROOT=no fails 1 'demo: not as root: *' rankpipe demo
}
