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
    mkdir -p answers
    rankpipe service first
    rankpipe service set features "$1" >/dev/null
    rankpipe service set settle 0 >/dev/null
    serve -e socket 'score -r -m w.bin -R rival.bin | explore -B .37 -i .1 -p slot -g 0 -s random | spool -t 1 log' 2>served 3>&- &
    service=$!
    await serve -a socket </dev/null
    rankpipe api -l 127.0.0.1:0 socket answers 2>api.said 3>&- &
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

# rows: a list of an engine. order: the ids of a list, in order.
rows='[{"id": 7, "features": [3, 1]}, {"id": 8, "features": [2, 5]}, {"id": 9, "features": [1, 2]}]'

# in_language LANGUAGE QUERY [PLACE...]: the ids in the order to show, from $rows; then clicks on these places.
in_language() {
    local language=$1
    shift
    case $language in
    py) PYTHONPATH=$BEHIND python3 - "$rows" "$@" <<'END' ;;
import json, os, sys
import glue
glue.ask.__defaults__ = (os.environ["API"],)
request, rows = glue.ranked(sys.argv[2], json.loads(sys.argv[1]))
print(*(row["id"] for row in rows))
if sys.argv[3:]:
    glue.clicked(request, list(map(int, sys.argv[3:])), len(rows))
END
    js) node - "$BEHIND/glue.js" "$rows" "$@" <<'END' ;;
const [, , path, rows, query, ...places] = process.argv;
const { ranked, clicked } = require(path);
(async () => {
  const [request, shown] = await ranked(query, JSON.parse(rows));
  console.log(shown.map(row => row.id).join(" "));
  if (places.length) await clicked(request, places.map(Number), shown.length);
})();
END
    sh) (
        . "$BEHIND/glue.sh"
        found=$(ranked "$1" <<<"$rows")
        jq -r '[.rows[].id] | join(" ")' <<<"$found"
        [ $# = 1 ] || clicked "$(jq -r .request <<<"$found")" "[$(IFS=,; shift; echo "$*")]" 3
    ) ;;
    go)
        [ -d go ] || { mkdir -p go/behind && cp "$BEHIND/glue.go" go/behind && cat >go/go.mod <<<'module box' && cat >go/main.go <<'END'; }
package main

import (
	"box/behind"
	"fmt"
	"os"
	"strconv"
)

func main() {
	behind.API = os.Getenv("API")
	rows := []behind.Row{{"7", []float64{3, 1}}, {"8", []float64{2, 5}}, {"9", []float64{1, 2}}}
	request, shown := behind.Ranked(os.Args[1], rows)
	fmt.Println(shown[0].Name, shown[1].Name, shown[2].Name)
	places := []int{}
	for _, word := range os.Args[2:] {
		place, _ := strconv.Atoi(word)
		places = append(places, place)
	}
	if len(places) > 0 {
		if err := behind.Clicked(request, places, 3); err != nil {
			panic(err)
		}
	}
}
END
        [ -x go/box ] || (cd go && HOME=$PWD GOFLAGS=-mod=mod GOPROXY=off go build -o box .)
        go/box "$@" ;;
    esac
}

glue_in() { # LANGUAGE
    serves 2
    local n
    is "$(in_language "$1" 'two words')" '7 8 9' # the engine's order
    for n in 1 2 3 4; do in_language "$1" 'two words' 3 >/dev/null; done
    learn
    is "$(in_language "$1" 'two words')" '7 9 8' # one place from the engine's, as clicks have said little yet
    is "$(cat answers/* | sed 's/.*time=[0-9]* //' | sort | uniq -c | xargs)" '4 clicks=1 0 0 1'
    kill "$api" && wait "$api" || true
    is "$(in_language "$1" 'two words')" '7 8 9' # nobody answers
}

@test "Python: the engine's order, then what was clicked; the engine's again where nobody answers" {
    glue_in py
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

@test "the glue has at most ten lines, and in Go thirty" {
    for language in py:10 js:10 sh:10 go:30; do
        lines=$(awk '/^import \(/ { on = 1 } !on { print } /^\)/ { on = 0 }' "$BEHIND/glue.${language%:*}" |
            grep -vE '^\s*(#|//|$)|^\s*[})]*\s*$|^(import|package|module.exports|const API|api=)' | wc -l)
        [ "$lines" -gt 5 ] && [ "$lines" -le "${language#*:}" ] || { echo "$language: $lines" && return 1; }
    done
}

# searches ENGINE WHERE [PYTHON]: the box over it; found QUERY: the titles that it shows; go QUERY PLACE: a click.
searches() {
    "${3:-python3}" "$BEHIND/box.py" -p 0 -a "$API" "$1" "$2" >box.url 2>box.err 3>&- &
    box=$!
    await grep -q http box.url
    box_url=$(cat box.url)
}

found() {
    curl -sf -G --data-urlencode "q=$1" "$box_url" | grep -o '<li>.*</li>' | sed 's/<[^>]*>//g' | paste -sd ,
}

click() {
    local link
    link=$(curl -sf -G --data-urlencode "q=$1" "$box_url" | grep -o 'href="go[^"]*' | sed -n "$2s/href=\"//p" | sed 's/&amp;/\&/g')
    curl -sf "$box_url$link" | grep -q '<p>Document'
}

box_learns() { # the box shows "a jam,b jam" for jam: after clicks the second one is first
    is "$(found jam)" 'a jam,b jam'
    for _ in 1 2 3 4 5; do click jam 2; done
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
    for odd in 'go?r=x&p=1&n=1&d=%3Cscript%3E' 'go?p=0' 'go?r=0&p=99999999999999999999&n=1' go; do
        curl -sf "$box_url$odd" >page
        is "$(grep -c '<script>' page)" 0
    done
    is "$(curl -s -o page -w '%{http_code}' "$box_url""go?p=$(printf '9%.0s' {1..5000})")" 400
    kill "$api" && wait "$api" || true
    is "$(found jam)" 'a jam,b jam' # without the API
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
