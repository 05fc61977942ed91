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
    is "$(cat err)" 'log: clicks left out, on documents that their request did not show: 1
log: wrote 1 requests, 2 impressions, 1 clicks'
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
    is "$(said)" 'log: impressions left out, at a position where the request has another document: 1
log: requests with gaps in their positions, which were closed: 2'
}

@test "ubi: of a list with impressions, what stands below the last document seen or clicked was not shown" {
    { query r1 a '"query_response_hit_ids":["a","b","c","d","e"]' && event impression r1 b 1
      query r2 a '"query_response_hit_ids":["a","b","c","d","e"]' && event impression r2 a 0 && event impression r2 z 3
      event click r2 d; } | table ubi >have
    is "$(cut -d ' ' -f 1,3,5 have | paste -sd , -)" 'r1 a 0,r1 b 0,r2 a 0,r2 b 0,r2 c 0,r2 d 1'
    is "$(said)" "log: impressions left out, of documents that are not in their request's list: 1"
}

@test "ubi: a query of the same id counts if the first had no documents; bulk lines and hits of a search are read" {
    { echo '{"index":{"_index":"ubi_queries","_id":"1"}}'
      query r1 'first' && query r1 'second' '"query_response_hit_ids":["a"]' && query r1 'third' '"query_response_hit_ids":["b"]'
      printf '{"_index":"ubi_queries","_source":%s}\n' "$(query r2 other '"query_response_hit_ids":["a",5,"a",null]')"; } | table ubi >have
    is "$(cat have)" 'r1 second a 1 0 - -
r2 other a 1 0 - -
r2 other 5 2 0 - -'
    is "$(said)" 'log: documents left out, that stand higher in their list too: 1
log: queries that repeat the query_id of another: 2'
}

@test "two files are read side by side by their times, so the window holds little of either" {
    for i in $(seq 1 20000); do
        printf '{"query_id":"r%d","user_query":"q","timestamp":%d,"query_response_hit_ids":["a","b"]}\n' $i $((1700000000000 + 1000 * i)) >&3
        printf '{"action_name":"click","query_id":"r%d","timestamp":%d,"event_attributes":{"object":{"object_id":"b"}}}\n' $i $((1700000000400 + 1000 * i))
    done 3>queries >events
    rankpipe log -w 1 ubi queries events >table 2>err
    is "$(cat err)" 'log: wrote 20000 requests, 40000 impressions, 20000 clicks'
    # one after another they do not fit: what falls out is counted
    cat queries events | rankpipe log -w 1 ubi >table 2>err
    lost=$(sed -n 's/^log: clicks .* too late for it: //p' err)
    clicks=$(sed -n 's/^log: wrote .*, \([0-9]*\) clicks$/\1/p' err)
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
    is "$(said)" 'log: rankings without a field query, whose qid is none: 1'
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
    is "$(grep -c 'the row is left out' err)" 3
    grep "line 9: a row of 3 fields where there are 5 columns, and left out" err
    grep "a row without request, and left out" err
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
    is "$(said)" "log: access.log: line 4: no time that can be read: 'x'"
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
        echo '[1]' && echo '{"query_id":"x"' && printf '\377\376{}\n' && echo && echo '{"query_id":["x"],"user_query":"y"}'
        head -c 3000000 /dev/zero | tr '\0' x && echo
        echo '{"action_name":["click"],"query_id":"r"}' && echo '{"action_name":"click","query_id":"r","event_attributes":[]}'
        query 'a\tb' 'x\u0000 \ud800' '"client_id":"e\tf","query_response_hit_ids":["a b","a%20b","\ud800","c\nd"]'
        query r '   ' '"query_response_hit_ids":["a"]'
        event impression r a -1 && event impression r a 1e1 && event click gone a
    } | table ubi >have
    is "$(cat have)" 'a%09b x%20? a%20b 1 0 - e%09f
a%09b x%20? ? 2 0 - e%09f
a%09b x%20? c%0Ad 3 0 - e%09f'
    is "$(grep -c 'not an object of JSON, and left out' err)" 4
    grep "line 7: a line of more than 1048576 bytes, and left out" err
    is "$(grep -c 'an impression without a position, and left out' err)" 2
    grep 'queries without a text, and left out: 1' err
    grep 'clicks left out, without a query or too late for it: 1' err
    log2bin -0 table | bin2txt -f rank >out
    is "$(wc -l <out)" 3
}

@test "ten warnings of a kind have their places, and the others are counted" {
    { yes nonsense | head -n 25 && query r q '"query_response_hit_ids":["a"]'; } | table ubi >have
    is "$(grep -c nonsense err)" 10
    grep 'log: 15 more times: not an object of JSON, and left out' err
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
    [ "$(tail -n 1 small)" -lt "$(($(tail -n 1 bare) + 12))" ]
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
    is "$(tail -n 1 err)" "$(cat want)"
    is "$(log2bin -0 table | bin2txt -f rank | awk -F '\t' '{ n += $6 } END { print NR, n }')" '2324 180'
}
