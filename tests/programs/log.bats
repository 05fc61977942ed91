# log: the logs of other systems as log2bin's table. Expected lines are worked by hand.
load ../helper

NEEDS=python3

# table FORM [OPTION...]: standard input as the table, with blanks for tabs, without its first line and the
# last one of standard error; that goes to err.
table() {
    rankpipe log "$@" >table 2>err || { cat err && return 1; }
    is "$(head -n 1 table)" 'request	qid	doc	position	click	time	client'
    tail -n +2 table | tr '\t' ' '
}

# said: standard error without the last line.
said() {
    sed '$d' err
}

# event ACTION REQUEST DOC [ORDINAL]: an event of UBI.
event() {
    printf '{"action_name":"%s","query_id":"%s","event_attributes":{"object":{"object_id":"%s"}%s}}\n' \
        "$1" "$2" "$3" "${4:+,\"position\":{\"ordinal\":$4\}}"
}

# query REQUEST TEXT [MORE]: a query of UBI.
query() {
    printf '{"query_id":"%s","user_query":"%s"%s}\n' "$1" "$2" "${3:+,$3}"
}

@test "ubi: hit ids are the list, in their order; a click counts once, wherever its line stands" {
    { event click r1 tv-3
      query r1 'Red  TV' '"client_id":"c1","timestamp":"2024-12-10T00:01:29.378Z","query_response_hit_ids":["tv-17","tv-3"]'
      event click r1 tv-3
      event click r1 tv-9
      event purchase r1 tv-17; } | table ubi >have
    is "$(cat have)" 'r1 red%20tv tv-17 1 0 1733788889378 c1
r1 red%20tv tv-3 2 1 1733788889378 c1'
    is "$(cat err)" 'log: clicks left out, on documents that their request did not show: 1, the first in <stdin>: line 2
log: clicks left out, that repeat one on their document: 1, the first in <stdin>: line 3
log: events that count as nothing: purchase 1 (-a)
log: wrote 1 requests, 2 impressions, 1 clicks, of 5 rows'
    # other actions; and what log2bin makes of the table
    { query r1 cats '"query_response_hit_ids":["a","b"]' && event purchase r1 b && event click r1 a; } | rankpipe log -a buy,purchase ubi 2>err >table
    is "$(log2bin -0 table | bin2txt -f rank)" '1	cats	1	a	-	0
1	cats	2	b	-	1'
}

@test "ubi: impressions give the list by their ordinals, from 0 or from 1; gaps are closed and counted" {
    { query r1 a && event impression r1 x 1 && event impression r1 y 0 && event impression r1 y 0
      query r2 b && event impression r2 x 2 && event impression r2 y 1 && event click r2 x
      query r3 c && event impression r3 x 2 && event impression r3 y 0
      query r4 d && event impression r4 x 2
      query r5 e && event impression r5 x 0 && event impression r5 y 0 && event impression r5 z 1; } | table ubi >have
    is "$(cut -d ' ' -f 1,3-5 have)" 'r1 y 1 0
r1 x 2 0
r2 y 1 0
r2 x 2 1
r3 y 1 0
r3 x 2 0
r4 x 1 0
r5 x 1 0
r5 z 2 0'
    is "$(said)" 'log: impressions left out, at a position where the request has another document: 1, the first in <stdin>: line 14
log: impressions left out, that repeat one of their document: 1, the first in <stdin>: line 4
log: requests with gaps in their positions, which were closed: 2, the first in <stdin>: line 9'
}

@test "ubi: of a list with impressions, what stands below the last document seen or clicked was not shown" {
    { query r1 a '"query_response_hit_ids":["a","b","c","d","e"]' && event impression r1 b 1
      query r2 a '"query_response_hit_ids":["a","b","c","d","e"]' && event impression r2 a 0 && event impression r2 z 3
      event click r2 d; } | table ubi >have
    is "$(cut -d ' ' -f 1,3,5 have | paste -sd , -)" 'r1 a 0,r1 b 0,r2 a 0,r2 b 0,r2 c 0,r2 d 1'
    is "$(said)" "log: impressions left out, of documents that are not in their request's list: 1, the first in <stdin>: line 3"
}

@test "ubi: a query of the same id counts if the first had no documents; bulk lines and hits of a search are read" {
    { echo '{"index":{"_index":"ubi_queries","_id":"1"}}'
      query r1 'first' && query r1 'second' '"query_response_hit_ids":["a"]' && query r1 'third' '"query_response_hit_ids":["b"]'
      printf '{"_index":"ubi_queries","_source":%s}\n' "$(query r2 other '"query_response_hit_ids":["a",5,"a",null]')"; } | table ubi >have
    is "$(cat have)" 'r1 second a 1 0 - -
r2 other a 1 0 - -
r2 other 5 2 0 - -'
    is "$(said)" 'log: impressions left out, of documents that stand higher in their list too: 1, the first in <stdin>: line 5
log: impressions left out, that are no names: 1, the first in <stdin>: line 5
log: rows left out, of another query under one query_id: give each query its own: 2, the first in <stdin>: line 3'
    { query r1 Red '"query_response_hit_ids":["a"]' && query r1 red '"query_response_hit_ids":["b"]'; } | table ubi >have
    is "$(cat have)" 'r1 red a 1 0 - -'
    is "$(said)" 'log: rows left out, queries that repeat the query_id of another: 1, the first in <stdin>: line 2'
}

@test "ubi: half a character of UTF-16 is none, and its row is left out" {
    { query r1 'a\ud800b' '"query_response_hit_ids":["a"]' && query r2 q '"query_response_hit_ids":["a\uDC00"]'
      query r3 '\ud83d\ude00' '"query_response_hit_ids":["a"]'; } | table ubi >have
    is "$(cat have)" 'r3 %F0%9F%98%80 a 1 0 - -'
    said | grep -xF 'log: rows left out, with half a character: \ud800 to \udfff alone: 2, the first in <stdin>: line 1'
}

@test "two files are read side by side by their times, so the window holds little of either" {
    for i in $(seq 1 20000); do
        printf '{"query_id":"r%d","user_query":"q","timestamp":%d,"query_response_hit_ids":["a","b"]}\n' $i $((1700000000000 + 1000 * i)) >&3
        printf '{"action_name":"click","query_id":"r%d","timestamp":%d,"event_attributes":{"object":{"object_id":"b"}}}\n' $i $((1700000000400 + 1000 * i))
    done 3>queries >events
    rankpipe log -w 1 ubi queries events >table 2>err
    is "$(cat err)" 'log: wrote 20000 requests, 40000 impressions, 20000 clicks, of 40000 rows'
    # one after another they do not fit: what falls out is counted
    cat queries events | rankpipe log -w 1 ubi >table 2>err
    lost=$(sed -n 's/^log: clicks .* too late for it: \([0-9]*\),.*/\1/p' err)
    clicks=$(sed -n 's/^log: wrote .*, \([0-9]*\) clicks, of .*/\1/p' err)
    [ "$clicks" -lt 5000 ]
    is "$((lost + clicks))" 20000
}

@test "metarank: a ranking is the list, an interaction of its type a click" {
    { echo '{"event":"ranking","id":"1","timestamp":"1599391467000","user":"u1","fields":[{"name":"query","value":"Jedi"}],"items":[{"id":"m1"},{"id":"m2"}]}'
      echo '{"event":"interaction","type":"click","ranking":"1","item":"m2"}'
      echo '{"event":"interaction","type":"like","ranking":"1","item":"m1"}'
      echo '{"event":"ranking","id":"2","items":[{"id":"m3"}]}'
      echo '{"event":"item","id":"x","item":"m1"}'; } | table metarank >have
    is "$(cat have)" '1 jedi m1 1 0 1599391467000 u1
1 jedi m2 2 1 1599391467000 u1
2 none m3 1 0 - -'
    is "$(said)" 'log: rankings without a field query, whose qid is none: 1, the first in <stdin>: line 4
log: events that count as nothing: like 1 (-a)'
}

@test "csv: a row for each document, or one for each request; separators, names of columns, quotation marks" {
    printf '%s\n' request,query,doc,position,click,time r1,Cats,a,1,0,2020-01-01 r1,Cats,b,2,1,2020-01-01 \
        r2,dogs,a,1,0.0,1577836800 >plain.csv
    want='r1 cats a 1 0 1577836800000 -
r1 cats b 2 1 1577836800000 -
r2 dogs a 1 0 1577836800000 -'
    is "$(table csv plain.csv)" "$want"
    sed 's/Cats/"Cats"/; s/$/\r/' plain.csv >quoted.csv
    is "$(table csv <quoted.csv)" "$want"
    sed 's/,/;/g; s/query/the term/; s/doc/sku/' plain.csv >other.csv
    is "$(table -c 'query=the term,doc=sku' csv other.csv)" "$want"
    # without positions: in the order of the rows; rows of a request may be apart, and repeat
    is "$(cut -d , -f 1-3,5 plain.csv | table csv)" "$(echo "$want" | sed 's/15[0-9]*/-/')"
    { cat plain.csv; echo r1,Cats,a,1,1,; } >apart.csv
    is "$(table csv apart.csv | cut -d ' ' -f 1,3-5 | paste -sd , -)" 'r1 a 1 1,r1 b 2 1,r2 a 1 0'
    printf '%s\n' 'request	query	docs	clicks' 'r1	cats	a b	b' 'r2	dogs	["x y","b"]	["x y"]' |
        table csv >have
    is "$(cat have)" 'r1 cats a 1 0 - -
r1 cats b 2 1 - -
r2 dogs x%20y 1 1 - -
r2 dogs b 2 0 - -'
}

@test "csv: words for a click, and rows that cannot be used" {
    printf '%s\n' request,query,doc,position,click r,q,a,1,true r,q,b,2,No r,q,c,3,bought r,q,d,4,2 r,q,e,5,maybe \
        r,q,f,-1,0 r,q,g,nan,0 r,q,h r,q,,6,0 ,q,i,7,0 |
        table -a bought csv >have
    is "$(cut -d ' ' -f 3-5 have | paste -sd , -)" 'a 1 1,b 2 0,c 3 1,d 4 1,e 5 0'
    is "$(grep -c 'line .*: rows left out, without a position' err)" 2
    grep "line 9: rows left out, not of 5 fields: 'r,q,h'" err
    grep "line 10: rows left out, without doc: 'r,q,,6,0'" err
    grep "rows left out, without request: 1, the first in <stdin>: line 11" err
    grep "it counts as no click: 'maybe'" err
    printf 'request,query,item,click\n' >file
    fails 1 "log: file: no column doc among request, query, item, click: name it by -c doc=NAME" rankpipe log csv file
}

@test "access: a beacon says what was shown and what was clicked; other lines are passed over" {
    { echo '192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /b?q=red+tv&s=tv-17,tv%2C3&r=8 HTTP/1.1" 204 0 "-" "x"'
      echo '192.0.2.1 - - [10/Oct/2000:13:56:36 -0700] "GET /b?r=8&c=tv%2C3 HTTP/1.1" 204 0'
      echo '192.0.2.1 - - [10/Oct/2000:13:56:36 -0700] "GET /c?r=8&c=tv-17 HTTP/1.1" 204 0'
      echo '- - - [x] "POST /b?r=9&q=A&s=d HTTP/1.1" 204 0' && echo nonsense; } >access.log
    is "$(table access access.log)" '8 red%20tv tv-17 1 0 971211336000 192.0.2.1
8 red%20tv tv,3 2 1 971211336000 192.0.2.1
9 a d 1 0 - -'
    is "$(said)" "log: access.log: lines of the form common
log: access.log: line 4: times that cannot be read: give 2026-11-28T10:00:00Z, or seconds since 1970: 'x'
log: requests without a client: 1, the first in access.log: line 4
log: rows passed over, no requests for /b?r=: 2, the first in access.log: line 3
log: times that cannot be read: give 2026-11-28T10:00:00Z, or seconds since 1970: 1, the first in access.log: line 4"
    is "$(sed s,/b,/beacon.gif, access.log | table -p /beacon.gif access | wc -l)" 3
}

@test "times: ISO in any zone or none, milliseconds, seconds; what is none is said and unknown" {
    while read -r value want; do
        printf '%s' "{\"query_id\":\"r\",\"user_query\":\"q\",\"query_response_hit_ids\":[\"a\"],\"timestamp\":$value}" | table ubi >have
        is "$value $(cut -d ' ' -f 6 have)" "$value $want"
    done <<'END'
"2024-12-10T01:01:29.5+01:00" 1733788889500
"2024-12-10T00:01:29,378999Z" 1733788889378
"2024-12-10T00:01:29.378+0000" 1733788889378
"2024-12-09T16:01-0800" 1733788860000
1733788889378 1733788889378
"1733788889" 1733788889000
1733788889.3784 1733788889378
NaN -
-5 -
1e400 -
"2024-13-10T00:01:29Z" -
"1969-12-31" -
true -
[1] -
END
}

@test "hostile lines: none stops the others, and each is in a warning or a count" {
    {
        printf '{"a":%.0s' $(seq 1 100000) && echo
        echo '[1]' && echo '{"query_id":"x"' && echo 'x{}' && echo && echo '{"query_id":["x"],"user_query":"y"}'
        head -c 3000000 /dev/zero | tr '\0' x && echo
        echo '{"action_name":["click"],"query_id":"r"}' && echo '{"action_name":"click","query_id":"r","event_attributes":[]}'
        query 'a\tb' 'x\u0000 y' '"client_id":"e\tf","query_response_hit_ids":["a b","a%20b","c\nd"]'
        query r '   ' '"query_response_hit_ids":["a"]'
        event impression r a -1 && event impression r a 1e1 && event click gone a
    } | table ubi >have
    is "$(cat have)" 'a%09b x%20y a%20b 1 0 - e%09f
a%09b x%20y c%0Ad 2 0 - e%09f'
    is "$(grep -c 'line .*: rows left out, not an object of JSON' err)" 4
    grep "line 7: rows left out, of more than 1048576 bytes" err
    is "$(grep -c 'line .*: rows left out, impressions without a position' err)" 2
    grep 'rows left out, queries without a text: 1' err
    grep 'clicks left out, without a query or too late for it: 1' err
    log2bin -0 table | bin2txt -f rank >out
    is "$(wc -l <out)" 2
}

@test "ten warnings of a kind have their places, and the others are counted" {
    { yes nonsense | head -n 25 && query r q '"query_response_hit_ids":["a"]'; } | table ubi >have
    is "$(grep -c nonsense err)" 10
    grep 'log: rows left out, not an object of JSON: 25, the first in <stdin>: line 1$' err
}

@test "memory is that of the window, however long the log is, and however large one request" {
    yes "$(query r 'a b' '"query_response_hit_ids":["a","b","c"]')" | head -n 40000 | awk '{ sub(/"r"/, "\"r" NR "\""); print }' >log
    for n in $(seq 1 300); do event impression r1 d$n-$(printf '%04000d' 0) $n; done >>log
    peak() { # megabytes
        python3 -c 'import os, sys
_, status, used = os.wait4(os.spawnvp(os.P_NOWAIT, "rankpipe", sys.argv[1:]), 0)
print(used.ru_maxrss // 1024 if status == 0 else "failed")' rankpipe log "$@" 2>>err
    }
    peak -w 4 ubi log >small
    head -n 1 log >one
    peak ubi one >bare
    tail -n 1 small && tail -n 1 bare
    [ "$(tail -n 1 small)" -lt "$(($(tail -n 1 bare) + 12 + 16))" ]
    grep 'of requests of more than 1048576 bytes' err || grep 'too late for it: 300' err
}

@test "OpenSearch's own sample runs as it is: requests, impressions and clicks" {
    need_data ubi
    rankpipe log ubi "$DATA/ubi/opensearch-sample.ndjson" >table 2>err
    # counted once more, by rules of one line each
    python3 - "$DATA/ubi/opensearch-sample.ndjson" >want <<'END'
import json, sys
found = [json.loads(line) for line in open(sys.argv[1])]
queries = [d for a, d in zip(found[::2], found[1::2]) if a["index"]["_index"] == "ubi_queries" and d["user_query"].strip()]
events = [d for d in found[1::2] if d.get("action_name") in ("impression", "click")]
thing = lambda e: e["event_attributes"]["object"]["object_id"]
requests = impressions = clicks = 0
for request in dict.fromkeys(q["query_id"] for q in queries):
    hits = next((q["query_response_hit_ids"] for q in queries if q["query_id"] == request and q.get("query_response_hit_ids")), [])
    mine = [e for e in events if e["query_id"] == request]
    seen = {e["event_attributes"]["position"]["ordinal"]: thing(e) for e in reversed(mine) if e["action_name"] == "impression"}
    reached = [i for i, hit in enumerate(hits) if seen and hit in map(thing, mine)]
    shown = (hits[:reached[-1] + 1] if reached else hits) if hits else list(seen.values())
    requests += bool(shown)
    impressions += len(shown)
    clicks += len({thing(e) for e in mine if e["action_name"] == "click"} & set(shown))
print("log: wrote %d requests, %d impressions, %d clicks" % (requests, impressions, clicks))
END
    is "$(cat want)" 'log: wrote 278 requests, 2324 impressions, 180 clicks'
    is "$(tail -n 1 err | sed 's/, of .*//')" "$(cat want)"
    is "$(log2bin -0 table | bin2txt -f rank | awk -F '\t' '{ n += $6 } END { print NR, n }')" '2324 180'
}

# rows NAME...: lines of a table with these columns, from standard input with blanks for tabs.
rows() {
    { echo "$*" && cat; } | tr ' ' '\t'
}

# in_short: columns request, qid, doc and click of the table of `table`, in a line.
in_short() {
    cut -d ' ' -f 1-3,5 | paste -sd , -
}

@test "csv: where tabs separate, quotation marks are text unless they quote whole fields; -q and -s decide" {
    printf '%s\n' '1 "red a 0' '2 b"lue a 1' '3 "x" a 0' | rows request query doc click >typed
    is "$(table csv typed | in_short)" '1 "red a 0,2 b"lue a 1,3 "x" a 0'
    grep 'fields in quotation marks, which stay (-q yes takes them off): 1, the first in typed: line 4$' err
    is "$(tail -n 1 err)" 'log: wrote 3 requests, 3 impressions, 1 clicks, of 3 rows; fields with quotation marks, which stay (-q): 3'
    is "$(table -q no csv typed | in_short)" '1 "red a 0,2 b"lue a 1,3 "x" a 0'
    is "$(tail -n 1 err)" 'log: wrote 3 requests, 3 impressions, 1 clicks, of 3 rows'
    printf '%s\n' '1 "red" a 0' '2 """b""" a 1' '3 c a 0' | rows request query doc click >quoted
    is "$(table csv quoted | in_short)" '1 red a 0,2 "b" a 1,3 c a 0'
    is "$(table -q no csv quoted | in_short)" '1 "red" a 0,2 """b""" a 1,3 c a 0'
    printf 'request\tquery\tdoc\tclick\n1\t"a\tb"\tx\t1\n' >inside # the tab is in the field
    is "$(table csv inside | in_short)" '1 a%20b x 1'
    printf 'request!query!doc!click\n1!"a!b"!x!1\n' >other
    is "$(table -s ! csv other | in_short)" '1 a!b x 1'
    is "$(tr '!' ';' <other | table -s semicolon csv | in_short)" '1 a;b x 1'
    printf 'sep=;\r\nrequest;query;doc;click\r\n1;a,b;x;2;3\r\n1;a,b;x;1\r\n' | table csv >have # as Excel has it
    is "$(in_short <have)" '1 a,b x 1'
    is "$(said | head -n 1)" "log: <stdin>: line 3: rows left out, not of 4 fields: '1;a,b;x;2;3'"
    # the decision of the first megabyte stands; what contradicts it later is counted
    { cat quoted && seq 4 40000 | sed 's/$/ query-of-some-length doc 0/' | tr ' ' '\t' && printf '50000\t"red\tz\t1\n'; } >late
    table csv late >have
    is "$(tail -n 1 have)" '50000 "red z 1 1 - -'
    grep '^log: rows with quotation marks around no whole field: they are text: 1, the first in late: line 40002$' err
}

@test "csv: an open quotation mark swallows no rows: it is an error at its line, unless -q yes believes it" {
    printf '%s\n' request,query,doc,position,click '1,blue,a,1,1' '2,"red tv,a,1,0' '3,green,a,1,1' '4,"grey",a,1,1' >open.csv
    fails 1 'log: open.csv: line 3: a quotation mark opens a field that goes on in the next line, though the rest of its line is a row: -q no *' \
        rankpipe log csv open.csv
    is "$(table -q no csv open.csv | in_short)" '1 blue a 1,2 "red%20tv a 0,3 green a 1,4 "grey" a 1'
    { printf '%s\n' request,doc,click,query '1,a,1,"red' && seq 30; } >long.csv
    fails 1 'log: long.csv: line 2: a quotation mark opens a field that does not close within 20 lines: *' rankpipe log csv long.csv
    { cat long.csv && echo '"' && echo 2,b,1,blue; } >closed.csv
    fails 1 'log: closed.csv: line 2: *' rankpipe log csv closed.csv
    is "$(table -q yes csv closed.csv | in_short)" "1 red%20$(seq -s %20 30) a 1,2 blue b 1"
    printf '%s\n' request,query,doc,position,click '1,"two' 'lines, and ""marks""",a,1,1' '2,x,b,nan,1' >two.csv
    is "$(table csv two.csv | in_short)" '1 two%20lines,%20and%20"marks" a 1'
    grep "two.csv: line 4: rows left out, without a position" err
    printf '%s\n' request,query,doc,click '1,"red" tv,a,1' >after.csv
    is "$(table csv after.csv | in_short)" '1 "red"%20tv a 1'
    printf 'request,query,doc,click\r1,a,b,1\r' >mac.csv
    fails 1 "log: mac.csv: line 1: lines end in CR alone: *tr *" rankpipe log csv mac.csv
    printf 'request,query,doc,doc,click\n1,a,b,c,1\n' >twice.csv
    fails 1 'log: twice.csv: two columns are called doc' rankpipe log csv twice.csv
}

@test "random tables: each row is an impression or left out with its reason, and texts stay as they are" {
    if [ "$STRIDE" = 1 ]; then set -- 10000 $RANDOM; else set -- 500 1; fi
    python3 "$ROOT/tests/shim/log_tables.py" "$ROOT/cmd/log" "$@"
}

@test "a request has one query; -c request=session+query makes several of it; clients and times that differ are counted" {
    printf '%s\n' 's1 Red a 0 1000 c' 's1 red b 1 900 d' 's1 blue c 1 1000 c' | rows session query doc click time client >session
    fails 1 "log: session: line 4: request 's1' has the query 'blue', but 'red' in line 2: -c request=session+query makes a request of each pair" \
        rankpipe log -c request=session csv session
    is "$(table -c request=session+query csv session | cut -d ' ' -f 1-3,5-)" 's1+red red a 0 900000 c
s1+red red b 1 900000 c
s1+blue blue c 1 1000000 c'
    grep 'log: requests with two clients, of which the first counts: 1, the first in session: line 3$' err
    printf '%s\n' 'a+b q a 0 1 c' 'a+b q b 1 9999 c' | rows request query doc click time client | table csv >have
    is "$(cut -d ' ' -f 1,6 have | uniq)" 'a+b 1000'
    grep 'requests whose times are more than an hour apart: if they are several, -c request=request+query .*: 1, the first in <stdin>: line 3' err
    is "$(printf '%s\n' 'a+%%b q a 0' | rows one two doc click | table -c request=one+two,query=two csv | in_short)" 'a%2B%25%25b+q q a 0'
    # a name that comes back when its request was written, and which no other has pushed out of the 16 MB
    export PYTHONHASHSEED=0
    { seq 1 20000 | sed 's/.*/r& q a 0/' && echo r1 q b 1; } | rows request query doc click >long
    table -w 1 csv long >have
    is "$(wc -l <have) $(grep -c '^r1 ' have)" '20000 1'
    grep 'impressions left out, too late: their request was written before .*: 1, the first in long: line 20002$' err
    sed '$s/q/other/' long >differs
    fails 1 "log: differs: line 20002: request 'r1' has the query 'other', but another, and is written already: *" rankpipe log -w 1 csv differs
    is "$(head -n 2 out | tail -n 1 | tr '\t' ' ')" 'r1 q a 1 0 - -' # what is written stays
}

@test "access: the form of the lines, and the client that users cannot choose" {
    line() { # what stands before ident
        printf '%s - - [10/Oct/2026:13:55:36 +0000] "%s /b?r=%d&q=a&s=x,y HTTP/1.1" 204 0%s\n' "$1" "${3-GET}" "$2" "${4-}"
    }
    while IFS='|' read -r head want form; do
        { line "$head" 1 && line "$head" 2; } | table access >have
        is "$head $(cut -d ' ' -f 7 have | uniq)" "$head $want"
        grep "lines of the form $form\$" err
    done <<'END'
192.0.2.1|192.0.2.1|common
2001:db8::1|2001:db8::1|common
client.example.org|client.example.org|common
shop.example.org 192.0.2.1|192.0.2.1|vhost_common
shop.example.org:443 2001:DB8::1|2001:db8::1|vhost_common
203.0.113.9, 192.0.2.1, 10.0.0.1|192.0.2.1|common, with lists of X-Forwarded-For
www.example.org:443 203.0.113.9, 192.0.2.1, 10.0.0.1|192.0.2.1|vhost_common, with lists of X-Forwarded-For
192.0.2.1:55000|192.0.2.1|common
[2001:db8::1]:443|2001:db8::1|common
192.0.2.9:80 192.0.2.1|192.0.2.1|vhost_common
10.0.0.1|10.0.0.1|common
Oct 10 13:55:36 web nginx: 192.0.2.1|192.0.2.1|common, the client in word 6
-|-|common
unix:|-|common
END
    { line 10.0.0.1 1 GET ' "-" "agent" "203.0.113.9, 192.0.2.7"' && line 192.0.2.1 2 GET ' "-" "agent" "203.0.113.9"'; } | table access >have
    is "$(cut -d ' ' -f 1,7 have | uniq)" '1 192.0.2.7
2 192.0.2.1'
    grep 'of the form combined' err
    line 10.0.0.1 1 GET ' "-" "agent" "unknown, 192.0.2.7" 0.003' | table access >have # as nginx may end it
    is "$(cut -d ' ' -f 7 have | uniq)" 192.0.2.7
    { line - 1 && line - 2 HEAD && line - 3 OPTIONS && line - 4 POST; } | table access >have
    is "$(cut -d ' ' -f 1 have | uniq | xargs)" '1 4'
    grep 'rows left out, neither GET nor POST: 2, the first in <stdin>: line 2' err
    grep 'requests without a client: 2, the first in <stdin>: line 1' err
    line 'a@b c@d' 1 >odd
    fails 1 "log: odd: client 'c@d' is neither an address nor the name of a host: *vhost_combined" rankpipe log access odd
    line 14 1 >odd
    fails 1 "log: odd: client '14' is neither an address*" rankpipe log access odd
    { line 192.0.2.1 1 && printf '192.0.2.1 - - [x] "GET /b?%s HTTP/1.1" 204 0\n' 'r=2&q=caf%E9&s=x' 'r=3&q=\xc3\xa9&s=x' 'r=4&q=a&q=b&s=x' \
        "r=5&q=$(printf '\351')&s=x" 'r=1&q=other&s=z'; } >users
    is "$(table access users | cut -d ' ' -f 1-3 | xargs)" '1 a x 1 a y 3 %C3%A9 x'
    grep 'rows left out, not UTF-8 where a user sent something: 2, the first in users: line 2' err
    grep 'rows left out, with a parameter twice: 1, the first in users: line 4' err
    grep 'rows left out, pages that repeat the request of another: 1, the first in users: line 6' err
}

@test "words for nothing are no names: they are counted, and -n takes them as names" {
    printf '%s\n' '1 tv a 1 NULL' '1 tv \N 1 NULL' 'NULL tv a 1 c' '2 N/A a 0 c' | rows request query doc click client >null
    is "$(table csv null)" '1 tv a 1 1 - -'
    is "$(cat err)" "log: null: line 4: rows left out, without request: 'NULL\x09tv\x09a\x091\x09c'
log: null: line 3: rows left out, without doc: '1\x09tv\x09\N\x091\x09NULL'
log: impressions left out, without a query or too late for it: 1, the first in null: line 5
log: rows left out, without doc: 1, the first in null: line 3
log: rows left out, without request: 1, the first in null: line 4
log: words that count as nothing: request NULL 1, doc \N 1, client NULL 1, query N/A 1 (-n)
log: wrote 1 requests, 1 impressions, 1 clicks, of 4 rows"
    is "$(table -n csv null | in_short)" '1 tv a 1,1 tv \N 1,NULL tv a 1,2 n/a a 0'
    { query r1 nan '"query_response_hit_ids":["a"]' && query r2 tv '"query_response_hit_ids":["a","null"],"client_id":"undefined"'; } | table ubi >have
    is "$(cat have)" 'r2 tv a 1 0 - -'
    grep 'words that count as nothing: user_query nan 1, hit null 1, client_id undefined 1 (-n)' err
    { line=' - - [x] "GET /b?' && echo "192.0.2.1${line}r=1&q=null&s=a"'"' && echo "192.0.2.1${line}r=2&q=a&s=NULL,b"'"'; } | table access >have
    is "$(in_short <have)" '2 a b 0'
}

@test "files as they come: gzip and arrays of JSON are read, others are an error with the command" {
    { query r1 tv '"query_response_hit_ids":["a","b"]' && event click r1 b; } >lines
    want='r1 tv a 1 0 - -
r1 tv b 2 1 - -'
    { printf '\357\273\277' && cat lines; } | gzip >packed
    is "$(table ubi packed)" "$want"
    head -c 40 packed >cut
    fails 1 'log: cut: the file is cut short: its gzip has no end' rankpipe log ubi cut
    { echo '[' && sed '1s/$/,/' lines && echo ']'; } >array
    tr -d '\n' <array >one
    { printf ' \n' && python3 -m json.tool array; } >pretty
    gzip <pretty >pretty.gz
    for file in array one pretty pretty.gz; do is "$(table ubi $file)" "$want"; done
    { sed '$d' array && echo ',7, null]'; } | table ubi >have
    is "$(cat have)" "$want"
    grep '<stdin>: line 4: rows left out, not an object of JSON: .7' err
    sed '$d' array >cut
    fails 1 'log: cut: line 4: the array of JSON is cut short or damaged: *' rankpipe log ubi cut
    cat one one >two
    fails 1 "log: two: line 1: more follows after the array of JSON: give what this prints: jq -c '.\[\]' FILE" rankpipe log ubi two
    sed '2s/:/;/' array >bad
    fails 1 'log: bad: line 2: the array of JSON is cut short or damaged: *' rankpipe log ubi bad
    while read -r bytes want; do
        printf "$bytes" >file
        for form in ubi metarank csv access; do fails 1 "log: file: this is $want" rankpipe log $form file; done
    done <<'END'
PK\003\004 zip: give what this prints: unzip -p FILE
\050\265\057\375 zstd: give what this prints: zstd -dc FILE
\377\376r\000e\000 UTF-16: give what this prints: iconv -f utf-16 -t utf-8 FILE
r\000e\000q\000 UTF-16: give what this prints: iconv -f utf-16le -t utf-8 FILE
END
    echo '{"took":3,"hits":{"hits":[]}}' >file
    fails 1 "log: file: this is a reply of _search: give what this prints: jq -c '.hits.hits\[\]' FILE" rankpipe log ubi file
    python3 -m json.tool <file >pretty
    fails 1 "log: pretty: this is a reply of _search: *" rankpipe log metarank pretty
    query r1 tv | python3 -m json.tool >pretty
    fails 1 "log: pretty: this is JSON of many lines: give what this prints: jq -c . FILE" rankpipe log ubi pretty
    for form in ubi metarank csv; do
        printf 'request,query,doc,click\n1,caf\351,x,1\n' >file
        fails 1 'log: file: line 2: byte *e9 is not UTF-8: give what this prints: iconv -f latin1 -t utf-8 FILE' rankpipe log $form file
        printf '[{"a":"\223"}]' >file
        fails 1 'log: file: line 1: byte *93 is not UTF-8: give what this prints: iconv -f cp1252 -t utf-8 FILE' rankpipe log $form file
    done
    printf 'request\033[31m,query,doc,\342\200\256click\n1,a,x,1\n' >file
    fails 1 'log: file: no column request among request\\x1b\[31m, query, doc, \\xe2\\x80\\xaeclick: *' rankpipe log csv file
    printf '{"query_id":"a","query_id":"b","user_query":"x"}\n' | fails_on /dev/stdin 1 '*line 1: rows left out, with a key twice: *' rankpipe log ubi
}

@test "lists: the first rows say which form they have, or -l; flags by place; forms that cannot be" {
    while IFS='	' read -r docs clicks want; do
        printf 'request\tquery\tdocs\tclicks\n1\tq\t%s\t%s\n' "$docs" "$clicks" >file
        table -q no csv file >have
        is "$docs $(cut -d ' ' -f 3,5 have | xargs)" "$docs $want"
    done <<'END'
a b	b	a 0 b 1
a,b	b	a 0 b 1
a, b , c	c, a	a 1 b 0 c 1
a|b	b	a 0 b 1
{a,"b c"}	{"b c"}	a 0 b%20c 1
["a","b"]	["b"]	a 0 b 1
["a","b"]	b	a 0 b 1
["a","b"]	[false,true]	a 0 b 1
['a', 'b c']	['b c']	a 0 b%20c 1
[a, b]	[b]	a 0 b 1
(a,b)	(b)	a 0 b 1
('a', 'b c')	('b c',)	a 0 b%20c 1
(a b)	()	a 0 b 0
a (b)	(b)	a 0 (b) 1
[7,8]	[8]	7 0 8 1
{"0":"a","1":"b"}	{"1":true}	a 0 b 1
{"b":2,"a":1}	{"b":1}	a 0 b 1
a b	0 1	a 0 b 1
a,b	True,False	a 1 b 0
10 11 0 1	0 1 0 1	10 0 11 1 0 0 1 1
a,1 b,2	b,2	a,1 0 b,2 1
a b	\N	a 0 b 0
END
    printf '%s\n' '1 q 0,1 0,1' '2 q 2,1 0,1' | rows request query docs clicks >both
    is "$(table csv both | in_short)" '2 q 2 0,2 q 1 1'
    grep 'both: line 2: rows left out, whose clicks may be flags or names (-l)' err
    is "$(table -l flags csv both | in_short)" '1 q 0 0,1 q 1 1,2 q 2 0,2 q 1 1'
    is "$(table -l comma csv both | in_short)" '1 q 0 1,1 q 1 1,2 q 2 0,2 q 1 1'
    printf '%s\n' '1 q a/b a' '2 q c/d d' | rows request query docs clicks >slash
    fails 1 'log: slash: all lists have one document: say which form they have: -l json|braces|blank|comma|bar|flags|one' rankpipe log csv slash
    is "$(table -l one csv slash | in_short)" '1 q a/b 0,2 q c/d 0'
    seq 30 | sed 's/$/ q a,b a;b/' | rows request query docs clicks >miss
    fails 1 '*log: miss: 30 of 30 clicks are on documents that their lists do not have: say which *' rankpipe log csv miss
    printf '%s\n' '1 q ["a",{"id":"b"}] a' '2 q ["a","b"] ["b"]' | rows request query docs clicks | table -q no csv >have
    is "$(in_short <have)" '2 q a 0,2 q b 1'
    grep 'line 2: rows left out, whose lists cannot be read (-l): ' err
}

@test "numbers: times of any unit, positions and names with .0, second pages" {
    while IFS=, read -r value want; do
        printf 'request,query,doc,position,click,time\n1,q,a,1.0,0,%s\n' "$value" | table csv >have
        is "$value $(cut -d ' ' -f 6 have)" "$value $want"
    done <<'END'
1733788889,1733788889000
1733788889378,1733788889378
1733788889378123,1733788889378
1733788889378123456,1733788889378
1.733788889378E12,1733788889378
17337888893,17337888893000
2024-12-10 00:01:29.378 UTC,1733788889378
2024-12-10 00:01:29 UTC,1733788889000
17337888893781234567890,-
END
    printf '%s\n' '1.0 q 7.0 1.0 0' '1.0 q 8.0 2.0 1' | rows request query doc position click >floats
    is "$(table csv floats | in_short)" '1 q 7 0,1 q 8 1'
    printf '%s\n' '1.0 q 7.0 1.0 0' '1.0 q x8.0 2.0 1' | rows request query doc position click >floats
    is "$(table csv floats | in_short)" '1 q 7.0 0,1 q x8.0 1'
    { query r1 q && event impression r1 a 11 && event impression r1 b 12.0; } | table ubi >have
    is "$(cut -d ' ' -f 3,4 have | xargs)" 'a 11 b 12'
    grep 'requests that begin below position 9' err
    fails_on table 1 'log2bin: <stdin>: *no document at position 1*' log2bin -0 -Q
}

@test "csv: value, or dwell with -d, says how much a click counts" {
    printf '%s\n' '1 q a 1 .25 4' '1 q b 1 - 5' '1 q c 0 1 -' '1 q d 1 0.75 -' | rows request query doc click value dwell >values
    is "$(table csv values | cut -d ' ' -f 3,5 | xargs)" 'a 0.25 b 1 c 0 d 0.75'
    log2bin -0 -Q table | bin2txt -f rank >out
    is "$(cut -f 4,6 out | xargs)" 'a 0.25 b 1 c 0 d 0.75'
    fails 1 'log: values: -d needs a column dwell, none that is called value*' rankpipe log -d 5 csv values
    cut -f 1-4,6 values >dwell
    is "$(table -d 5 csv dwell | cut -d ' ' -f 3,5 | xargs)" 'a .2 b 1 c 0 d 1'
    is "$(table csv dwell | cut -d ' ' -f 3,5 | xargs)" 'a 1 b 1 c 0 d 1'
    sed 's/\.25/3/' values >wrong
    fails 1 "log: wrong: line 2: '3' is not a value from 0 to 1" rankpipe log csv wrong
}
