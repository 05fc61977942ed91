# examples/warehouse: counts by SQL, where a log lies, are those of log2bin and judge, by PostgreSQL and by SQLite.
load ../helper
load ../postgres

NEEDS=python3

# sql < log.tsv: SQL that makes a table of a log, whose words become texts again. A time or client of - is NULL.
sql() {
    python3 -c 'import sys
from urllib.parse import unquote
def quoted(text, kind):
    if kind in ("time", "client") and text == "-":
        return "NULL"
    text = unquote(text) if kind in ("request", "qid", "client") else text
    return text if kind in ("position", "click", "time") else "\x27%s\x27" % text.replace("\x27", "\x27\x27")
head = next(sys.stdin).split()
print("CREATE TABLE impressions (request text, query text, doc text, position integer, click double precision, time bigint, client text);")
for line in sys.stdin:
    row = dict(zip(head, line.rstrip("\n").split("\t")))
    values = [quoted(row.get(kind, "-"), kind) for kind in ("request", "qid", "doc", "position", "click", "time", "client")]
    print("INSERT INTO impressions VALUES (%s);" % ", ".join(values))'
}

# sqlite < SQL: what its last statement prints, as CSV with a head.
sqlite() {
    python3 -c 'import csv, sqlite3, sys
base, part = sqlite3.connect(":memory:", isolation_level=None), ""
for piece in sys.stdin:
    part += piece
    if sqlite3.complete_statement(part):
        rows, part = base.execute(part), ""
out = csv.writer(sys.stdout)
out.writerow([column[0] for column in rows.description])
out.writerows(rows)'
}

# same_counts LOG.TSV: each database counts what log2bin and judge count of the log, sorted by time and request.
same_counts() {
    { head -n 1 "$1" && sed 1d "$1" | sed 's/\t-\t\([^\t]*\)$/\t-1\t\1/' | LC_ALL=C sort -s -t $'\t' -k 6,6n -k 1,1 | sed 's/\t-1\t\([^\t]*\)$/\t-\t\1/'; } >sorted.tsv
    log2bin -0 -Q sorted.tsv 2>err | judge -c >want
    cat err
    sql <"$1" | cat - "$ROOT/examples/warehouse/counts.sql" >log.sql
    for database in sqlite ${CLUSTER:+postgres}; do
        case $database in
        sqlite) sqlite <log.sql >counts.csv ;;
        postgres) postgres --csv -P tuples_only=off <log.sql >counts.csv ;;
        esac
        rankpipe log counts counts.csv >log.counts 2>said
        judge -c log.counts >have
        cmp want have || { diff want have | head; return 1; }
    done
    [ "$(wc -l <want)" -gt "$2" ]
}

# clicks PERSON: a log of that user, with ties of time, clients who ask often, and some rows without time or client.
clicks() {
    awk '{ q += $2 != was; was = $2 } q <= 8 { print $0 " # d" NR }' "$ROOT/examples/data/small.svm" | svm2bin | replay -n 1500 -s 3 - | explore -p uniform -g 1 -s 3 |
        feedback-mask -c "$1" -s 3 | bin2txt -f log | cut -f 1-5 | awk -F '\t' -v OFS='\t' '
            NR == 1 { print $0, "time", "client"; next }
            $1 != was { was = $1; n++; h = (n * 7919) % 1009 }
            { print $0, h % 17 ? 1700000000 int(100 + (n * 31 % 1500) / 5) : "-", h % 5 ? "c" h % 9 : "-" }'
}

@test "counts of simulated logs of six kinds of users are those of log2bin and judge" {
    for person in perfect navigational informational cascade position:1:0.1 trust; do
        echo "$person"
        clicks "$person" >log.tsv
        same_counts log.tsv 400
        grep -q 'only the first 10 requests of a query count' err
    done
    [ -n "$CLUSTER" ] || skip 'counted by SQLite alone: no PostgreSQL here (Debian: postgresql)'
}

@test "counts of OpenSearch's sample are those of log2bin and judge" {
    need_data ubi
    rankpipe log ubi "$DATA/ubi/opensearch-sample.ndjson" >log.tsv 2>err
    same_counts log.tsv 500
    [ -n "$CLUSTER" ] || skip 'counted by SQLite alone: no PostgreSQL here (Debian: postgresql)'
}

@test "counts take a time that grows with the log; rows without request or query do not count" {
    awk 'BEGIN { OFS = "\t"; print "request", "qid", "doc", "position", "click", "time", "client"
        for (i = 0; i < 60000; i++) { r = int(i / 10); print r, "q" r % 97, "d" i % 10, i % 10 + 1, i % 7 == 0, r, "c" r % 500 } }' >log.tsv
    { sql <log.tsv; echo "INSERT INTO impressions VALUES (NULL, 'q1', 'd1', 1, 1, 1, 'c'), ('r', NULL, 'd1', 1, 1, 1, 'c');"
      cat "$ROOT/examples/warehouse/counts.sql"; } >log.sql
    (ulimit -t 8 && sqlite <log.sql >counts.csv)
    log2bin -0 -Q log.tsv | judge -c >want
    rankpipe log counts counts.csv | judge -c - >have
    cmp want have
}

@test "log counts: texts become words, and lines that become equal add up; what is no count is refused" {
    head='qid,doc,position,impressions,clicks,after,after_clicks,value_sum'
    printf '%s\n' "$head" '"Red ""TV""",a b,1,3,2,0,0,2.0' 'red "tv",a b,1,4.0,1,1,0,0.2000000001' '\N,a,1,1,0,0,0,0' >counts.csv
    rankpipe log counts counts.csv 2>err | tee text | judge -c - >sum 2>/dev/null
    is "$(cat sum)" $'qid\tdoc\tposition\timpressions\tclicks\tafter\tafter-clicks\tvalues\nred%20"tv"\ta%20b\t1\t7\t3\t1\t0\t2.200000'
    grep -q '^log: wrote 2 lines of counts, of 3 rows' err
    grep -q '^log: words that count as nothing: query .N 1 (-n)' err
    # columns in another order, of another separator
    printf 'VALUE_SUM|clicks|doc|impressions|position|qid|after_clicks|after\n1|1|a|2|1|q|0|0\n' | rankpipe log counts 2>err | tail -n 1 >have
    is "$(cat have)" $'q\ta\t1\t2\t1\t0\t0\t1'
    printf 'q|a|1|2|1|0|0|1\n' >none
    fails 1 'log: none: line 1: no column qid among q, a, 1, 2, 1, *: the first line names the columns: psql --csv, sqlite3 -header' rankpipe log counts none
    printf '%s\n' "$head" 'q,a,1,2.5,1,0,0,1' >half
    fails 1 "log: half: line 2: impressions is not a whole number: '2.5'" rankpipe log counts half
    printf '%s\n' "$head" 'q,a,1,2,1,0,0,nan' >nan
    fails 1 "log: nan: line 2: value_sum is not a number: 'nan'" rankpipe log counts nan
    printf '%s\n' "$head" 'q,a,1,2,1,0,0' >short
    fails 1 'log: short: line 2: 7 fields where there are 8 columns' rankpipe log counts short
    printf '%s\n' "$head" >empty
    fails 1 '*log: no counts: is this what counts.sql prints?' rankpipe log counts empty
}
