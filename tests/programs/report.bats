# What `rankpipe service` says of whether search pays: counts by day and query, the first lines of status, the operator's page.
load ../helper
load ../service

NEEDS=python3

# page N QID DAYS CLICKS [CLIENT [SECONDS]]: round rN of that query, so many days and 200 seconds ago, of documents c a b in the
# engine's order; and an answer after 50 seconds, unless CLICKS is -.
page() {
    local time=$(($(now "-${AGO-200}") - $3 * 86400000))
    mkstream round t="$1" qid="$2" request="r$1" time=$time docs=3 dim=1 name:u1 99 0 97 0 98 0 base:u4 0 1 2 score:f8 3 2 1 \
        order:u4 0 1 2 x:f4 1 2 3 >>stream
    [ "$4" = - ] || echo "r$1 time=$((time + ${6:-50} * 1000)) client=${5:-c$1} clicks=1 $4" >>answers/a
}

# taken: the pages are in the log, and learnt.
taken() {
    grep -av '^rankpipe/1 end' stream | crc | spool log >/dev/null
    rm stream
    rankpipe service learn
}

# counted: the counts, with days ago.
counted() {
    query "SELECT $(($(now -200) / 86400000)) - d.day, CAST(q.qid AS TEXT), d.rounds, d.clicked, d.places FROM daily d
        JOIN queries q ON q.id = d.query ORDER BY 1 DESC, 2"
}

shop() {
    mkdir answers
    rankpipe service first
    rankpipe service set features 1 >/dev/null
    page 1 lamp 2 '0 1 0'
    page 2 lamp 2 -
    page 3 lamp 2 '1 0 1'
    page 4 lamp 0 '0 0 1' x
    page 5 lamp 0 '1 0 0' x          # beyond the share of x: it is a page with a click all the same
    page 6 blue%20chair 0 '0 0 0'
    page 7 blue%20chair 1 '1 0 0' y 1900 # after wait
    taken
}

COUNTED='2|lamp|3|2|3
1|blue%20chair|1|0|0
0|blue%20chair|1|0|0
0|lamp|2|2|4'

@test "daily: searches, pages with a click, and places of first clicks; the same after back, again and rebuild" {
    shop
    is "$(counted)" "$COUNTED"
    rankpipe service back 1
    is "$(counted)" $'2|lamp|3|0|0\n1|blue%20chair|1|0|0\n0|blue%20chair|1|0|0\n0|lamp|2|1|1'
    rankpipe service again
    rankpipe service learn
    is "$(counted)" "$COUNTED"
    rankpipe service rebuild
    is "$(counted)" "$COUNTED"
    rankpipe service rebuild --without "$(date -u +%FT%TZ -d "@$(($(date +%s) - 200000))")..$(date -u +%FT%TZ -d "@$(($(date +%s) - 100000))")"
    is "$(counted)" $'2|lamp|3|0|0\n1|blue%20chair|1|0|0\n0|blue%20chair|1|0|0\n0|lamp|2|2|4'
    # Rounds that nobody answered go before counts do: those of days of which some are gone stay as they were counted.
    query "DELETE FROM rounds WHERE request = 'r2'; INSERT OR REPLACE INTO settings VALUES('whole', $(($(now -200) / 86400000 - 1)));
        DELETE FROM daily WHERE day > $(($(now -200) / 86400000 - 1))"
    rankpipe service rebuild
    is "$(counted)" $'2|lamp|3|0|0\n1|blue%20chair|1|0|0\n0|blue%20chair|1|0|0\n0|lamp|2|2|4'
}

@test "daily: an erasure takes a query with its number, whose rounds may have gone before, and the pages of a client" {
    shop
    rankpipe service erase clients x 2>err
    is "$(counted)" $'2|lamp|3|2|3\n1|blue%20chair|1|0|0\n0|blue%20chair|1|0|0'
    number=$(query "SELECT id FROM queries WHERE qid = CAST('lamp' AS BLOB)")
    rm log/*.bin answers/a
    query 'DELETE FROM rounds; DELETE FROM answers; DELETE FROM lists'
    fails 2 'service: erase: --id needs numbers of queries, *' rankpipe service erase queries --id
    fails 2 'service: erase: --id needs numbers of queries, *' rankpipe service erase clients --id 1
    fails 1 'service: no query has the number 99: *' rankpipe service erase queries --id "$number" 99
    rankpipe service erase queries --id "$number" 2>err
    is "$(counted)" '1|blue%20chair|1|0|0
0|blue%20chair|1|0|0'
    is "$(LC_ALL=C grep -c lamp service.db report.html)" $'service.db:0\nreport.html:0'
    sleep 1.1
    AGO=0 page 8 lamp 0 -
    taken
    [ "$(query "SELECT id FROM queries WHERE qid = CAST('lamp' AS BLOB)")" -gt "$number" ]
}

# both FIRST LAST WINS [CLICKS]: rounds rFIRST to rLAST of lists that show both orders, of a client each; in WINS of ten the
# document is clicked that the learnt order chose, else the engine's.
both() {
    local t
    for ((t = $1; t <= $2; t++)); do
        mkstream round t="$t" qid=q request="r$t" time="$(($(now -60) + t))" docs=2 dim=1 base:u4 1 0 score:f8 2 1 \
            order:u4 0 1 team:u1 0 1 x:f4 1 2 >>stream
        echo "r$t time=$(($(now -50) + t)) client=c$t clicks=1 $([ $((t % 10)) -lt "$3" ] && echo 1 0 || echo 0 1)" >>answers/a
    done
    taken
}

# says N: line N of status.
says_line() {
    rankpipe service status | sed -n "$1p"
}

@test "status: begins with the engine's order against the learnt one, as compare -S sees it, and what it costs" {
    mkdir answers
    rankpipe service first
    rankpipe service set features 1 >/dev/null
    is "$(says_line 1,2)" 'Your order against the learnt one: not yet: no list of this month has shown both: explore -I .05, or more, shows such lists
pages with a click: today - of 100'
    both 1 20 8
    month=$(date -u -d "@$(($(now -60) / 1000))" '+%-d %B')
    is "$(says_line 1)" "Your order against the learnt one, since $month: not yet: clicks decided 20 searches of 20 clients, and it takes 25 of each: explore -I with a greater share decides more"
    both 21 200 8
    is "$(query 'SELECT won, count(*) FROM answers GROUP BY 1')" $'-1|40\n1|160'
    # The same by metric and compare, for which the rival wins if the learnt order loses.
    rankpipe service stream | metric -q rival >rival.tsv
    compare -S -t -u client rival.tsv >said || [ $? -ge 4 ]
    head -n 1 said | tr '\t' '\n' | grep -n '' >names
    low=$(sed -n 2p said | cut -f "$(sed -n 's/:low$//p' names)") high=$(sed -n 2p said | cut -f "$(sed -n 's/:high$//p' names)")
    is "$(says_line 1)" "Your order against the learnt one, since $month: of 200 searches decided, 160 for the learnt one: 80 % ($(
        awk -v low="$low" -v high="$high" 'BEGIN { printf "%.0f to %.0f", 50 - 50 * high, 50 - 50 * low }')): better"
    is "$(says_line 2)" 'pages with a click: today 100 of 100'
    is "$(says_line 3 | cut -d ' ' -f 1)" last
    # 100 others, of which 20 have no click: none of the lists that show both is without.
    for t in $(seq 201 300); do page "$t" other 0 "$([ "$t" -gt 220 ] && echo '0 1 0' || echo -)"; done
    taken
    is "$(says_line 2,3)" 'pages with a click: today 93 of 100
what asking costs: 100 of 100 lists that show both have a click, of the others 80; so it costs no clicks'
    query "UPDATE daily SET own_clicked = 150, clicked = clicked - 50 WHERE own > 0"
    is "$(says_line 3)" 'what asking costs: 75 of 100 lists that show both have a click, of the others 80; without -I 3.3 of 100 pages more would have one'
    # What was set aside says nothing, nor what is of another month.
    rankpipe service back 2
    is "$(says_line 1 | grep -o 'not yet: clicks decided [0-9]* searches')" 'not yet: clicks decided 20 searches'
    query "UPDATE rounds SET time = time - 32 * 86400000"
    rankpipe service rebuild
    is "$(says_line 1)" 'Your order against the learnt one: not yet: no list of this month has shown both: explore -I .05, or more, shows such lists'
    rankpipe service set base off >/dev/null
    is "$(says_line 1 | cut -d : -f 2-)" ' not yet: documents come in no order, so there is none of yours (base=off)'
}

# browsed WIDTH SCHEME: what a browser of that width finds on the page shop.html, with all queries open: violations of axe-core,
# how far it is too wide, its title, scripts that are not of this test, and each text that users wrote.
browsed() {
    python3 - "$ROOT/node_modules/axe-core/axe.min.js" "$2" "$1" <<'END' >browsed.html
import re, sys
page = open("shop.html").read()
page = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)  # it has to do without
page = page.replace("<style>", "<style>html{width:%spx}" % sys.argv[3])  # which no window of a browser need have
if sys.argv[2] == "dark":
    page = page.replace("@media(prefers-color-scheme:dark)", "@media all").replace("light dark", "dark")
print(page, "<script>", open(sys.argv[1]).read().replace("</script", "<\\/script"), "</script>", """<script>
document.querySelectorAll('details').forEach(each => each.open = true);
const edges = [...document.querySelectorAll('bdi')].map(each => each.getBoundingClientRect().right);
const said = { title: document.title, wide: Math.max(document.body.scrollWidth, ...edges) - document.documentElement.offsetWidth,
    scripts: document.querySelectorAll('script').length - 2, foreign: document.querySelectorAll('iframe,img,form,object,a').length,
    texts: [...document.querySelectorAll('bdi')].map(each => each.textContent) };
axe.run(document).then(found => {
    said.violations = found.violations.map(each => each.id + ': ' + each.nodes.map(node => node.html.slice(0, 200)).join(' | '));
    said.passes = found.passes.length;
    const out = document.createElement('pre'); out.id = 'said'; out.textContent = JSON.stringify(said); document.body.append(out);
});
</script>""")
END
    timeout 100 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --window-size=1400,2000 \
        --virtual-time-budget=60000 --dump-dom "file://$PWD/browsed.html" 2>/dev/null >dom
    python3 - "$ROOT" <<'END'
import html, json, re, sys
sys.path[:0] = [sys.argv[1] + "/lib/python", sys.argv[1] + "/tests/shim"]
import rankpipe, rankpipe_front
from hostile_texts import TEXTS
said = json.loads(html.unescape(re.search('<pre id="said">(.*?)</pre>', open("dom").read(), re.S)[1]))
print(json.dumps({name: value for name, value in said.items() if name != "texts"}, indent=1))
assert said["title"] == "Does search pay?" and not said["scripts"] and not said["foreign"] and said["wide"] <= 0
assert not said["violations"] and said["passes"] > 15
wanted = {rankpipe_front.shown(rankpipe.document_text(rankpipe.document_word(text))) for text in TEXTS}
assert len(wanted) == 57 and wanted <= set(said["texts"]), wanted - set(said["texts"])
END
}

@test "report: 57 hostile names of products, and queries, are text in a browser of any width, and axe-core finds no fault" {
    command -v chromium >/dev/null || skip 'no chromium here'
    [ -e "$ROOT/node_modules/axe-core/axe.min.js" ] || skip 'no axe-core here: npm install --no-save axe-core'
    mkdir answers
    rankpipe service first
    rankpipe service set features 1 >/dev/null
    python3 - "$ROOT" <<'END' >asked
import sys, time
sys.path[:0] = [sys.argv[1] + "/lib/python", sys.argv[1] + "/tests/shim"]
import rankpipe
from hostile_texts import TEXTS
asked = [text for text in TEXTS if text.strip() and text.strip("\0\a\r\n\x1b")][:30]
for t, text in enumerate(asked, 1):
    names = [TEXTS[(5 * t + i) % 57] for i in range(5)]
    data = rankpipe.request_round([[5], [4], [3], [2], [1]], names, text, "r%d" % t, fold=True)
    time_ = b" time=%d docs=" % (time.time() * 1000 - 60000)
    sys.stdout.buffer.write(data.replace(b" t=1 ", b" t=%d " % t, 1).replace(b" docs=", time_, 1))
sys.stdout.buffer.write(b"rankpipe/1 end rounds=30 bytes=0\n")
END
    score -m w.bin <asked | explore | spool log >/dev/null
    echo '{"refused": "<script>document.title=1</script>"}' >answers/.api.1-x
    rankpipe service learn
    cp report.html shop.html
    for width in 1280 390; do for scheme in light dark; do browsed $width $scheme; done; done
    # As it is, it has its style by its hash.
    grep -o "sha256-[^']*" report.html | head -n 1 | tr -d '\n' >hash
    is "sha256-$(python3 -c 'import re; print(end="", *re.findall("<style>(.*?)</style>", open("report.html").read(), re.S))' |
        openssl dgst -sha256 -binary | base64)" "$(cat hash)"
}

# months QUERY N K M J: of N pages K had a click 50 days ago, of M pages J have one today.
months() {
    local day=$(($(now) / 86400000))
    query "INSERT INTO queries(qid) VALUES(CAST('$1' AS BLOB)); INSERT INTO daily SELECT $day - 50, id, $2, $3, $3, 0, 0 FROM queries
        WHERE qid = CAST('$1' AS BLOB); INSERT INTO daily SELECT $day, id, $4, $5, $5, 0, 0 FROM queries WHERE qid = CAST('$1' AS BLOB)"
}

@test "report: a query got worse if its share fell by three standard errors, of at least 30 pages in both spans" {
    rankpipe service first
    months fell 100 60 100 39  # .21 is above 3 sqrt(.24/100 + .2379/100) = .2074
    months stays 100 60 100 40 # .20 is below 3 sqrt(.24/100 + .24/100) = .2078
    months few 29 29 100 0
    months little 100 100 29 0
    months all 30 30 30 0 # without an error at all
    months rose 100 10 100 90
    rankpipe service report
    sed -n '/Queries that got worse/,/<h2>Warnings/p' report.html | grep -o '<bdi>[a-z]*</bdi>: of 100 pages <b>[0-9]*</b> have a click now ([0-9 of]*), and <b>[0-9]*</b> had one ([0-9 of]*)' >found
    is "$(sed 's/<[^>]*>//g' found)" 'all: of 100 pages 0 have a click now (0 of 30), and 100 had one (30 of 30)
fell: of 100 pages 39 have a click now (39 of 100), and 60 had one (60 of 100)'
    query "DELETE FROM queries WHERE qid IN (CAST('all' AS BLOB), CAST('fell' AS BLOB))"
    rankpipe service report
    grep -F 'None that can be told from chance.' report.html
}
