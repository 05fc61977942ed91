# examples/site: the page of results, its clicks, and what is learnt from them.
load ../helper

SITE=$ROOT/examples/site
started=
browser=

teardown() {
    local pid
    for pid in $browser $started; do
        { kill "$pid" && wait "$pid"; } 2>/dev/null || true
    done
}

# site FOLDER SETTING...: runs the site over the folder, with the state in ./state, until `stop`.
site() {
    local folder=$1 try
    shift
    for try in 1 2 3 4 5; do
        port=$((20000 + RANDOM % 20000))
        make -s -C "$SITE" run FOLDER="$folder" SITE="$PWD/state" PORT=$port EVERY=86400 SETTLE=0 \
            DELAY=0 EXPLORE="-g 0.05 -s ${seed:-1}" "$@" >said 2>&1 &
        started=$!
        while kill -0 $started 2>/dev/null; do
            if grep -q ^http said && serve -a state/rank.socket </dev/null 2>/dev/null &&
                curl -s "http://127.0.0.1:$port/" >home; then return; fi
            sleep 0.1
        done
    done
    cat said
    return 1
}

stop() {
    kill $started
    wait $started || true
    started=
}

# collection FOLDER: 100 documents about five subjects. The two or three words of a query are in all 20
# documents of its subject, and three of these are relevant: words cannot tell which. The file queries
# gets lines of a query and its relevant documents.
collection() {
    mkdir -p "$1"
    awk -v folder="$1" -v seed="${people:-1}" '
        function draw(n) { x = (x * 16807) % 2147483647; return x % n }
        function word() { return syllable[draw(12)] syllable[draw(12)] syllable[draw(12)] }
        BEGIN {
            x = 1000 + seed
            split("ba ce di fo gu ha je ki lo mu na pe", syllable)
            syllable[0] = "ri"
            for (s = 0; s < 5; s++) for (i = 0; i < 3; i++) subject[s, i] = word()
            for (d = 1; d <= 100; d++) {
                file = folder "/" d ".txt"
                print "Report " d >file
                for (i = 0; i < 60; i++) print word() >file
                for (i = 0; i < 3; i++)
                    for (j = draw(3); j >= 0; j--) print subject[d % 5, i], word() >file
                close(file)
            }
            for (q = 0; q < 10; q++) {
                line = subject[q % 5, 0] " " subject[q % 5, 1 + (q >= 5)] "\t"
                for (i = 0; i < 3; ) {
                    d = q % 5 + 5 * draw(20)
                    if (d == 0) d = 100
                    if ((q, d) in relevant) continue
                    relevant[q, d]
                    line = line " " d
                    i++
                }
                print line
            }
        }' >queries
}

# What people do in the browser: type the words, press the button, click on relevant results, come
# back, and click on "None of these" if there is none. Each tenth search is followed by learning.
people_page() {
    cat <<'END'
<!doctype html>
<title>people</title>
<iframe id=frame src="/"></iframe>
<script>
const frame = document.getElementById('frame');
let state = SEED, report = '';
const draw = () => (state = state * 16807 % 2147483647) / 2147483647;
const load = action => new Promise(done => { frame.onload = () => done(frame.contentDocument); action(); });
const links = page => [...page.querySelectorAll('ol a')];
const number = link => link.textContent.match(/Report (\d+)/)[1];

async function search(query, relevant) {
    let page = await load(() => {
        frame.contentDocument.querySelector('input').value = query;
        frame.contentDocument.querySelector('button').click();
    });
    report += query + '\t' + links(page).map(number).join(' ') + '\n';
    let clicks = 0;
    for (let place = 0; place < links(page).length; place++) {
        const name = number(links(page)[place]);
        if (draw() > (relevant.includes(name) ? 0.9 : 0.02)) continue;
        const document = await load(() => links(page)[place].click());
        if (!document.querySelector('pre').textContent.startsWith('Report ' + name + '\n')) throw name;
        page = await load(() => frame.contentWindow.history.back());
        clicks++;
    }
    if (!clicks) await load(() => page.querySelector('.note a').click());
    await load(() => frame.contentWindow.location = '/');
}

async function people() {
    const queries = (await (await fetch('/queries.txt')).text()).trim().split('\n').map(l => l.split('\t'));
    for (let i = 0; i < 100; i++) {
        const [query, relevant] = queries[Math.floor(draw() * queries.length)];
        await search(query, relevant.trim().split(' '));
        if (i % 10 == 9) await fetch('/cgi-bin/learn');
    }
}

window.onload = () => people().catch(e => report += 'error ' + e + '\n')
    .then(() => fetch('/cgi-bin/report', { method: 'POST', body: report }));
</script>
END
}

# cgi NAME COMMAND...: a program of the test, beside those of the site.
cgi() {
    printf '#!/bin/sh\ncd "%s" || exit\n{\n%s\n} >&2\nprintf "Content-Type: text/plain\\n\\n"\n' \
        "$PWD" "$2" >"state/www/cgi-bin/$1"
    chmod +x "state/www/cgi-bin/$1"
}

# ndcg FIRST LAST: the mean NDCG@10 of these searches of the report.
ndcg() {
    awk -F '\t' -v first="$1" -v last="$2" '
        FNR == NR { n = split($2, list, " "); for (i = 1; i <= n; i++) is[$1, list[i]]; next }
        FNR >= first && FNR <= last {
            n = split($2, list, " ")
            for (i = 1; i <= n; i++) if (($1, list[i]) in is) sum += log(2) / log(i + 1)
        }
        END {
            for (i = 1; i <= 3; i++) ideal += log(2) / log(i + 1)
            printf "%.3f\n", sum / ideal / (last - first + 1)
        }' queries report
}

@test "a hundred searches by simulated people in a browser make the lists better" {
    command -v chromium >/dev/null || skip "no chromium here"
    command -v lighttpd >/dev/null || command -v busybox >/dev/null || [ -x /usr/sbin/lighttpd ] ||
        skip "no lighttpd or busybox here"
    collection docs
    site "$PWD/docs"
    cp queries state/www/queries.txt
    people_page | sed "s/SEED/${people:-1}/" >state/www/people.html
    cgi learn "PATH='$PATH' make -s -C '$SITE' SITE='$PWD/state' SETTLE=0 DELAY=0 learn"
    cgi report 'cat >report.new && mv report.new report'
    chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" \
        --remote-debugging-port=0 "http://127.0.0.1:$port/people.html" >chromium.log 2>&1 &
    browser=$!
    for _ in $(seq 1200); do
        [ ! -e report ] || break
        sleep 0.1
    done
    cat report
    echo "$(ndcg 1 20) $(ndcg 21 40) $(ndcg 41 60) $(ndcg 61 80) $(ndcg 81 100)" | tee means >&3
    stop
}
