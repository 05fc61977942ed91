# examples/behind: a search box of its own in front of PostgreSQL, SQLite and Elasticsearch, whose order the API improves.
load ../helper

NEEDS='python3 curl'
BEHIND=$ROOT/examples/behind

setup_file() {
    export PYTHONDONTWRITEBYTECODE=1
}

teardown() {
    for process in ${box-} ${api-} ${service-} ${stub-}; do kill "$process" 2>/dev/null && wait "$process" || true; done
    [ -z "${database-}" ] || as_nobody "$database/pg_ctl" -D db/data -m immediate stop >/dev/null || true
}

await() { # COMMAND...
    for _ in $(seq 250); do ! "$@" >/dev/null 2>&1 || return 0; sleep 0.04; done
    "$@"
}

# serves FEATURES: a service, and the API at $API.
serves() {
    mkdir -p answers keys
    rankpipe service first
    rankpipe service set features "$1" >/dev/null
    rankpipe service set settle 0 >/dev/null
    serve -e socket 'score -r -m w.bin -R rival.bin | explore -B .37 -i .1 -p slot -g 0 -s random | spool -t 1 log' 2>served 3>&- &
    service=$!
    await serve -a socket </dev/null
    rankpipe api -l 127.0.0.1:0 -k keys socket answers 2>api.said 3>&- &
    api=$!
    await grep -q listening api.said
    API=http://$(sed -n 's,^api: listening at ,,p' api.said)
    export API
    await curl -sf "$API/health"
}

# learn: what was answered.
learn() {
    sleep 1.2
    curl -s -H 'Content-Type: application/json' -d '{"query": "z", "documents": [{"features": [1]}]}' "$API/rank" >/dev/null
    sleep 1.2
    rankpipe service learn
    sleep 0.3
}

# rows: a list of an engine.
rows='[{"id": 7, "features": [3, 1]}, {"id": 8, "features": [2, 5]}, {"id": "a b", "features": [1, null]}]'

# in_language LANGUAGE QUERY CLIENT [PLACE...]: the ids in the order to show, from $rows, asked for twice; then clicks on these
# places. What fails is in err.
in_language() {
    local language=$1
    shift
    case $language in
    py) PYTHONPATH=$BEHIND python3 - "$rows" "$@" <<'END' ;;
import json, os, sys
import glue
glue.API = os.environ["API"]
given, query, client, *places = sys.argv[1:]
for _ in range(2):
    request, rows = glue.ranked(query, json.loads(given), client)
print(*(row["id"] for row in rows))
for place in places:
    glue.event(request, rows[int(place) - 1]["id"], client)
END
    js) node - "$BEHIND/glue.js" "$rows" "$@" <<'END' ;;
const [, , path, given, query, client, ...places] = process.argv;
const { ranked, event } = require(path);
(async () => {
  await ranked(query, JSON.parse(given), client);
  const [request, rows] = await ranked(query, JSON.parse(given), client);
  console.log(rows.map(row => row.id).join(" "));
  for (const place of places) await event(request, rows[place - 1].id, client);
})();
END
    sh) (
        . "$BEHIND/glue.sh"
        ranked "$1" "$2" <<<"$rows" >/dev/null
        found=$(ranked "$1" "$2" <<<"$rows")
        jq -r '[.rows[].id] | join(" ")' <<<"$found"
        for place in "${@:3}"; do event "$(jq -r .request <<<"$found")" "$(jq -r ".rows[$place - 1].id" <<<"$found")" "$2"; done
    ) ;;
    go)
        [ -d go ] || { mkdir -p go/behind && cp "$BEHIND/glue.go" go/behind && cat >go/go.mod <<<'module box' && cat >go/main.go <<'END'; }
package main

import (
	"box/behind"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
)

func main() {
	behind.API = os.Getenv("API")
	var given []struct {
		Id       any
		Features []any
	}
	json.Unmarshal([]byte(os.Args[1]), &given)
	rows := []behind.Row{}
	for _, row := range given {
		rows = append(rows, behind.Row{fmt.Sprint(row.Id), row.Features})
	}
	behind.Ranked(os.Args[2], rows, os.Args[3], 10)
	request, shown := behind.Ranked(os.Args[2], rows, os.Args[3], 10)
	for _, row := range shown {
		fmt.Print(row.Name, " ")
	}
	fmt.Println()
	for _, word := range os.Args[4:] {
		place, _ := strconv.Atoi(word)
		behind.Event(request, shown[place-1].Name, "click", os.Args[3])
	}
}
END
        [ -x go/box ] || (cd go && HOME=$PWD GOFLAGS=-mod=mod GOPROXY=off go build -o box .)
        go/box "$rows" "$@" | sed 's/ $//' ;;
    esac
}

glue_in() { # LANGUAGE
    export TMPDIR=$PWD
    serves 2
    local n given=$rows
    is "$(in_language "$1" 'two words' 192.0.0.9 2>err)$(cat err)" '7 8 a b' # the engine's order
    for n in 1 2 3 4; do in_language "$1" 'two words' "192.0.$n.9" 3 >/dev/null; done
    learn
    is "$(in_language "$1" 'two words' 192.0.9.9)" '7 a b 8' # one place from the engine's, as clicks have said little yet
    is "$(cat answers/* | grep -o 'event=click item=.*' | sort | uniq -c | xargs)" '4 event=click item=~~a~20b'
    [ "$(cat answers/* | grep -o 'client=[^ ]*' | sort -u | wc -l)" -ge 5 ]
    # Each kind of failure is said once, and the page shows the engine's order.
    rows='[{"id": 7, "features": [3, 1, 9]}, {"id": 8, "features": [2]}]'
    is "$(in_language "$1" 'two words' 192.0.0.9 2>err)" '7 8'
    is "$(grep -c 'rankpipe: .*400.*has feature 3, but the service has features 1 to 2' err)" 1
    kill -STOP "$api"
    is "$(in_language "$1" 'two words' id:ann 2>err)" '7 8'
    is "$(grep -ci 'rankpipe: .*\(time\|curl.s status 28\)' err)" 1
    kill -CONT "$api" && kill "$api" && wait "$api" || true
    is "$(in_language "$1" 'two words' id:ann 2>err)" '7 8'
    is "$(grep -ci 'rankpipe: .*\(refused\|curl.s status 7\)' err)" 1
    rows=[]
    is "$(in_language "$1" 'two words' id:ann 2>err)$(cat err)" ''
}

@test "Python: the engine's order, then what was clicked; the engine's again where that fails, which is said" {
    glue_in py
    is "$(PYTHONPATH=$BEHIND python3 -c 'import decimal, glue; glue.API = "http://127.0.0.1:1"
print(glue.ranked("q", [{"id": 1, "features": [decimal.Decimal("1.5"), float("nan"), None]}])[1][0]["id"], glue.event("x", object()))' 2>err)" '1 None'
}

@test "JavaScript: the same" {
    command -v node >/dev/null || skip 'no node here'
    node -e 'fetch' || skip 'node before 18'
    glue_in js
}

@test "shell: the same" {
    command -v jq >/dev/null || skip 'no jq here'
    glue_in sh
}

@test "Go: the same" {
    command -v go >/dev/null || skip 'no go here'
    glue_in go
}

@test "the glue has so many lines of code as README says, at most 20, and in Go 60" {
    for language in py:20 js:20 sh:20 go:60; do
        lines=$(awk '/^import \(/ { on = 1 } !on { print } /^\)/ { on = 0 }' "$BEHIND/glue.${language%:*}" |
            grep -vE '^\s*(#|//|$)|^\s*[])};, ]*\s*$|^(import|package|module.exports)' | wc -l)
        [ "$lines" -gt 5 ] && [ "$lines" -le "${language#*:}" ] || { echo "$language: $lines" && return 1; }
        grep -q "glue.${language%:*} ($lines)" "$BEHIND/README.md"
    done
}

# ---- what an integrator may do wrong ----

# ups OPTION...: rankpipe up in shop, at $API.
ups() {
    rm -rf shop
    RANKPIPE_ROOT=yes rankpipe up -l 127.0.0.1:0 --admin none -t 1 "$@" shop >ready 2>up.said 3>&- &
    service=$!
    await grep -q ready ready
    API=$(sed -n 's,/ is ready,,p' ready)
    export API
}

downs() { kill "$service" && wait "$service" || true; service=; }

# search ROWS [CLIENT]: one by the glue, and a click on its first result; ROWS is Python.
search() {
    PYTHONPATH=$BEHIND python3 - "$@" 2>glue.said <<'END'
import os, sys
import glue
glue.API = os.environ["API"]
rows = eval(sys.argv[1])
request, shown = glue.ranked("jam", rows, *sys.argv[2:])
assert len(shown) == len(rows)
if request:
    glue.event(request, shown[0]["id"], *sys.argv[2:])
END
}

# told WHAT WHO TEXT: a row of the table. Each of WHO, of glue, doctor, folder (doctor with it) and health, says TEXT within a
# minute.
told() {
    local who until=$((SECONDS + 60)) by=
    for who in $2; do
        while true; do
            case $who in
            glue) cat glue.said ;;
            doctor) rankpipe doctor "$API" || true ;;
            folder) rankpipe doctor "$API" shop || true ;;
            health) curl -s "$API/health" || true ;;
            esac >told.text
            ! grep -qE -- "$3" told.text || break
            [ $SECONDS -lt $until ] || { echo "$1: not told by $who" && cat told.text && return 1; }
            sleep 0.5
        done
        by="$by $who"
    done
    printf '%-36s%s\n' "$1" "$by" | tee -a table
}

@test "twelve mistakes of an integrator: each is told within a minute, by the glue, rankpipe doctor or /health" {
    slow
    ups
    search '[{"id": "a b", "features": [1, 2]}, {"id": "c", "features": [2, 3]}]' 192.0.2.1
    is "$(cat glue.said)" '' # a blank in an id simply works
    search '[{"id": 1, "features": [3.5, None]}, {"id": 2, "features": [2, 1]}]' 192.0.2.2
    told 'NULL' folder 'without a value, .*: feature 2 in 1 document$'
    search '[{"id": "x" * 600, "features": [1, 2]}]'
    told 'an id of 600 letters' 'glue doctor folder health' 'name must have 1 to 500 characters'
    search '[{"id": 1, "features": [float("nan"), 2]}]'
    told 'NaN' 'glue' 'NaN is not a JSON number'
    search '[{"id": i, "features": [1, i]} for i in range(2000)]'
    told '2,000 candidates' 'glue' 'documents must have 1 to 1000 elements'
    for n in 1 2 3; do
        search '[{"id": 1, "features": [1, 2, 3, 4]}, {"id": 2, "features": [2, 3, 1, 2]}]' 192.0.2.3
        search '[{"id": 1, "features": [1, 2]}, {"id": 2, "features": [2, 3]}]' 192.0.2.3
    done
    told 'two fronts with different features' folder 'wrong: rankings have 2 \([0-9]+ times\) or 4 \([0-9]+ times\) features, in turn'
    (cd shop && RANKPIPE_ROOT=yes rankpipe service set features 4 >/dev/null)
    sleep 1.2
    search '[{"id": 1, "features": [1, 2, 3, 4, 5, 6]}]'
    told 'wrong number of features' 'glue doctor folder health' 'has feature 6, but the service has features 1 to 4'
    rm -r shop/answers && touch shop/answers
    search '[{"id": 1, "features": [1, 2, 3, 4]}]' 192.0.2.4
    told 'answers not writable' 'glue' '503.*the answer could not be stored'
    told 'answers not writable' 'doctor folder health' 'answers cannot be stored in answers'
    downs
    search '[{"id": 1, "features": [1]}]'
    told 'no API' glue 'refused'
    told 'no API' 'doctor folder' 'wrong: nobody listens at .*: start it by rankpipe up FOLDER'
    ups --proxy 127.0.0.1
    search '[{"id": 1, "features": [1]}]'
    told 'proxy without header' 'doctor folder health' 'a --proxy, without X-Forwarded-For'
    if command -v faketime >/dev/null; then
        (cd shop && RANKPIPE_ROOT=yes faketime '+3 days' rankpipe service learn 2>/dev/null)
        told 'clock' 'doctor folder health' 'if the clock is wrong, set it|ahead of the clock'
    fi
    downs
    python3 -u -m http.server -b 127.0.0.1 0 >web.said 2>&1 3>&- &
    stub=$!
    await grep -q port web.said
    API=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\) .*/\1/p' web.said)
    search '[{"id": 1, "features": [1]}]'
    told 'wrong port' glue '501'
    told 'wrong port' 'doctor folder' 'wrong: what answers at .* is not rankpipe api: give the address that it says'
    if [ "$(id -u)" = 0 ]; then
        RANKPIPE_ROOT= rankpipe up -l 127.0.0.1:0 root >ready 2>up.said && false
        grep 'not as root' up.said
        API=http://127.0.0.1:1
        search '[{"id": 1, "features": [1]}]'
        told 'API as root' glue refused
        told 'API as root' 'doctor folder' 'which refuses to run as root unless RANKPIPE_ROOT=yes'
    fi
    cat table
}

@test "README's questions: what is filtered, added, and further down" {
    serves 6
    ask() { curl -s -H 'Content-Type: application/json' -d "$2" "$API/$1"; }
    documents() { python3 - "$@" <<'END'
import json, sys
print(json.dumps({"query": "jam", "shown": 10, "client": sys.argv[1], "documents": [
    {"name": "d%s" % i, "features": [1 / (1 + int(i)), 2, 3, 4, 5, int(i) % 7]} for i in sys.argv[2:]]}))
END
    }
    # filters: a click on what is left holds for the whole list
    for n in 1 2 3 4 5 6; do
        request=$(ask rank "$(documents "192.0.$n.1" 0 2 4 6)" | sed 's/.*"request": "\([0-9a-f]*\)".*/\1/')
        ask event "{\"request\": \"$request\", \"item\": \"d2\", \"type\": \"click\", \"client\": \"192.0.$n.1\"}"
        [ $n != 6 ] || ask event "{\"request\": \"$request\", \"item\": \"d51\", \"type\": \"click\", \"client\": \"192.0.$n.1\"}"
    done
    learn
    place() { ask rank "$(documents 192.0.9.1 0 1 2 3 4 5 6)" | grep -o '"ranking": [^]]*' | grep -o '"d[0-9]*"' | grep -n '"d2"' | cut -d : -f 1; }
    [ "$(place)" -lt 3 ]
    # a document that is no candidate: refused, by its reason
    rankpipe service status | grep -i '^quarantine .*1 .*'
    # 1,000 candidates
    documents 192.0.2.1 $(seq 0 999) >many
    took=$(for _ in 1 2 3; do curl -s -o ranked -w '%{time_total}\n' -H 'Content-Type: application/json' -d @many "$API/rank"; done | sort | head -n 1)
    echo "1,000 candidates: $took s"
    is "$(grep -o '"d[0-9]*"' ranked | wc -l)" 1000
    awk "BEGIN { exit !($took < .5) }"
    # a client's word, and what is erased by it
    word=$(rankpipe api -k keys --word 192.0.3.1 2>/dev/null | cut -f 2)
    rankpipe service erase clients "$word" 2>/dev/null >erased
    grep '^1 rounds and 1 answers are erased' erased
    is "$(cat answers/* | grep -c "$word")" 0
}

# searches ENGINE WHERE [PYTHON]: the box over it; found QUERY: the titles that it shows; go QUERY PLACE: a click.
searches() {
    "${3:-python3}" "$BEHIND/box.py" -p 0 -a "$API" "$1" "$2" >box.url 2>box.err 3>&- &
    box=$!
    await grep -q http box.url
    box_url=$(cat box.url)
}

found() { # QUERY [PAGE]
    curl -sf -G --data-urlencode "q=$1" ${2:+-d page=$2} "$box_url" | grep -o '<li>.*</li>' | sed 's/<[^>]*>//g' | paste -sd ,
}

click() { # QUERY PLACE ADDRESS
    local link
    link=$(curl -sf -G --data-urlencode "q=$1" --interface "$3" "$box_url" | grep -o 'href="go[^"]*' | sed -n "$2s/href=\"//p" | sed 's/&amp;/\&/g')
    curl -sf --interface "$3" "$box_url$link" | grep -q '<p>Document'
}

box_learns() { # the box shows "a jam,b jam" for jam: after clicks the second one is first
    is "$(found jam)" 'a jam,b jam'
    for n in 1 2 3 4 5; do click jam 2 "127.0.$n.1"; done
    learn
    is "$(found jam)" 'b jam,a jam'
    is "$(found 'no such words')" ''
    is "$(found '')" ''
    # What users type is a parameter.
    for odd in "' OR 1=1; DROP TABLE document; --" '" OR *' 'jam" NEAR' '<script>' '%s %(query)s' $'a\tb'; do
        curl -sf -G --data-urlencode "q=$odd" "$box_url" >page
        is "$(grep -c '<script>' page)" 0
    done
    is "$(found jam)" 'b jam,a jam'
    for odd in 'go?r=x&d=%3Cscript%3E' 'go?d=' "go?r=00000000000000000000000000000000&d=$(printf '%04000d' 0)" 'go?q=%22%3E%3Cscript%3E' go; do
        curl -sf "$box_url$odd" >page
        is "$(grep -c '<script>' page)" 0
    done
    for odd in nowhere '?q=jam&page=0' '?q=jam&page=99999999999999999999' '?page=%00'; do
        is "$(curl -s -o page -w '%{http_code}' "$box_url$odd")" 404
    done
    for part in 'lang="en"' 'name="viewport"' '<label>Search <input' '<button>'; do curl -s "$box_url" | grep -qF "$part"; done
    curl -s -G -d q=zzz "$box_url" | grep -q 'Nothing is found for zzz: try fewer words'
    # a page that was shown, and each click, have the visitor's client; never a cookie
    is "$(cat answers/* | grep -c 'client=[0-9a-f]\{16\}')" "$(cat answers/* | wc -l)"
    [ "$(cat answers/* | grep event=click | grep -o 'client=[^ ]*' | sort -u | wc -l)" = 5 ]
    kill "$api" && wait "$api" || true
    is "$(found jam)" 'a jam,b jam' # without the API
    is "$(grep -c 'rankpipe: .*refused' box.err)" 1
}

@test "the box has further pages, and says how to make a table that is missing" {
    serves 4
    python3 - "$BEHIND/sqlite.sql" <<'END'
import sqlite3, sys
with sqlite3.connect("documents.db") as db:
    db.execute(open(sys.argv[1]).read().partition("CREATE")[2].partition(";")[0].join(["CREATE", ""]))
    db.executemany("INSERT INTO document(title, body) VALUES (?, ?)", [("jam %02d" % i, "jam " * (30 - i)) for i in range(25)])
END
    searches sqlite documents.db
    for page in 1 2 3; do found jam $page | tr , '\n'; done | sort -u >titles
    is "$(found jam 3 | tr , '\n' | wc -l)" 5
    is "$(found jam 4)" ''
    [ "$(wc -l <titles)" -ge 20 ]
    curl -s -G -d q=jam -d page=2 "$box_url" | grep -q '<ol start="11">.*'
    is "$(cat answers/* | grep -c ' shown=20$')" 2
    kill "$box" && wait "$box" || true
    searches sqlite nowhere.db
    is "$(curl -s -G -d q=jam -o page -w '%{http_code}' "$box_url")" 500
    grep -q 'There is no table that the query of examples/behind/sqlite.sql can be asked' page
    grep -q 'CREATE VIRTUAL TABLE document USING fts5' page
    fails 1 "box: cannot listen at port $(tr -dc 0-9 <<<"${box_url##*:}"): *: choose another by -p" \
        python3 "$BEHIND/box.py" -p "$(tr -dc 0-9 <<<"${box_url##*:}")" sqlite nowhere.db
    kill "$box" && wait "$box" || true
    searches elasticsearch http://127.0.0.1:1/shop
    is "$(curl -s -G -d q=jam -o page -w '%{http_code}' "$box_url")" 500
    grep -q 'The search does not work now' page
    grep -q refused box.err
}

@test "SQLite FTS5: candidates by the query of sqlite.sql, and clicks change the order" {
    python3 - "$BEHIND/sqlite.sql" <<'END'
import sqlite3, sys
with sqlite3.connect("documents.db") as db:
    db.execute(open(sys.argv[1]).read().partition("CREATE")[2].partition(";")[0].join(["CREATE", ""]))
    db.executemany("INSERT INTO document(title, body) VALUES (?, ?)", [("a jam", "jam and jam"), ("b jam", "of plums, jam"), ("bread", "flour")])
END
    serves 4
    searches sqlite documents.db
    box_learns
}

as_nobody() {
    if [ "$(id -u)" = 0 ]; then setpriv --reuid nobody --clear-groups env HOME="$PWD" "$@"; else "$@"; fi
}

@test "PostgreSQL: the same by the query of postgresql.sql" {
    local python
    database=$(printf '%s\n' /usr/lib/postgresql/*/bin | tail -n 1)
    [ -x "$database/initdb" ] || { database=''; skip 'no PostgreSQL here'; }
    for python in python3 /usr/bin/python3 ''; do ! "$python" -c 'import psycopg2' 2>/dev/null || break; done
    [ "$python" ] || { database=''; skip 'no psycopg2 here (Debian: python3-psycopg2)'; }
    chmod 755 "$BATS_TEST_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR"
    mkdir db
    [ "$(id -u)" != 0 ] || chown nobody db
    as_nobody "$database/initdb" -D db/data -A trust -E UTF8 --locale C.UTF-8 >/dev/null
    as_nobody "$database/pg_ctl" -D db/data -w -l db/log -o "-k $PWD/db -c listen_addresses=''" start >/dev/null 3>&-
    sql() { as_nobody "$database/psql" -qAtX -v ON_ERROR_STOP=1 -h "$PWD/db" "$@" postgres; }
    sed '/^UPDATE\|^-- Candidates/,$d' "$BEHIND/postgresql.sql" | sql
    sql <<<"INSERT INTO document VALUES (1, 'a jam', 'jam and jam'), (2, 'b jam', 'of plums, jam'), (3, 'bread', 'flour')"
    sed -n '/^UPDATE/p' "$BEHIND/postgresql.sql" | sql
    serves 6
    searches postgresql "host=$PWD/db dbname=postgres user=nobody" "$python"
    box_learns
    # README's view over a table of one's own
    sql <<<"DROP TABLE document; CREATE TABLE product(sku text, name text, description text, price numeric)"
    sql <<<"INSERT INTO product VALUES ('x 1', 'a jam', 'jam and jam', NULL), ('x 2', 'b jam', NULL, 3)"
    sed -n '/^    CREATE VIEW/,/^$/p' "$BEHIND/README.md" | sql
    is "$(found jam)" 'a jam,b jam'
}

@test "Elasticsearch: a stub that answers as its pages say" {
    cat >stub.py <<'END'
import http.server, json
class Stub(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/shop/_search?include_named_queries_score" and self.headers["Content-Type"] == "application/json"
        title, body = (each["match"] for each in asked["query"]["bool"]["should"])
        assert asked["size"] == 50 and title["title"]["_name"] == "title" and body["body"]["query"] == title["title"]["query"]
        hits = [{"_index": "shop", "_id": "x%d" % i, "_score": 2 - i / 2, "_source": {"title": name},
                 "matched_queries": {"title": 1.0, "body": 0.5} if i else {"title": 1.5}}
                for i, name in enumerate(("a jam", "b jam")) if title["title"]["query"] == "jam"]
        data = json.dumps({"took": 1, "hits": {"total": {"value": len(hits), "relation": "eq"}, "hits": hits}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stub)
print(server.server_port, flush=True)
server.serve_forever()
END
    python3 stub.py >port 3>&- &
    stub=$!
    await grep -q . port
    serves 4
    searches elasticsearch "http://127.0.0.1:$(cat port)/shop"
    box_learns
}
