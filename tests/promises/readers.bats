# Malformed files, as people have them: each reader takes them for what they are, or says where they are wrong and what to do.
load ../helper

KINDS="bom utf16 latin1 gzip crlf nothing repeated quote nbsp escape empty cut long"

# malform KIND < a text: the text, made so; the words a and .25 are in it.
malform() {
    case $1 in
    bom) printf '\357\273\277' && cat ;;
    utf16) iconv -t utf-16 ;;
    latin1) sed 's/\ba\b/caf\xe9/' ;;
    gzip) gzip -c ;;
    crlf) sed 's/$/\r/' ;;
    nothing) sed 's/0\.25/NULL/' ;;
    repeated) cat >text && cat text && cat text ;;
    quote) sed 's/\ba\b/"a/' ;;
    nbsp) sed 's/0\.25/\xc2\xa00.25/' ;;
    escape) sed 's/0\.25/\x1b[31m/' ;;
    empty) cat >/dev/null ;;
    cut) head -c -5 ;; # a number that is cut may be one
    long) awk 'NR == 2 { printf "%s", $0; for (i = 0; i < 1000000; i++) printf " xxxxxxxxx"; print ""; next } 1' ;;
    esac
}

# rows COMMAND... <<< table: a line for each kind, "KIND | right" (as without it), "KIND | other TEXT" or "KIND | MESSAGE",
# a pattern of what an error says. The good text is the file good; FILE stands for the malformed one, bad.
rows() {
    cp good bad && "$@" >want
    while IFS='|' read -r kind outcome; do
        kind=${kind// /} outcome=${outcome# }
        echo "$kind" >>kinds
        malform "$kind" <good >bad
        got=0 && "$@" >out 2>err || got=$?
        case $outcome in
        right) [ "$got" = 0 ] && cmp out want ;;
        other*) [ "$got" = 0 ] && grep -aq -- "${outcome#other }" out ;;
        # shellcheck disable=SC2053
        *) [ "$got" = 1 ] && [[ $(<err) == $outcome ]] && ! LC_ALL=C grep -q $'[\001-\011\013-\037]' err ;;
        esac || { echo "$kind: exit $got, not $outcome:" && head -c 500 err && return 1; }
    done
    is "$(paste -sd ' ' kinds)" "$KINDS"
}

@test "import" {
    command -v python3 >/dev/null || skip "no python3 here"
    cat >good <<<'{"class":"x.LinearModel","features":[{"name":"a"},{"name":"b"}],
"params":{"weights":{"a":0.25,"b":3}}}'
    imported() { rankpipe import solr bad >model && bin2txt -f tsv model; }
    rows imported <<'END'
bom | right
utf16 | import: bad: this is UTF-16: give what this prints: iconv -f utf-16 -t utf-8 FILE
latin1 | import: bad: line 1: byte ?xe9 is not UTF-8: give what this prints: iconv -f latin1 -t utf-8 FILE
gzip | right
crlf | right
nothing | import: bad: not JSON: Expecting value: line 2 *
repeated | import: bad: not JSON: Extra data: line 3 *
quote | import: bad: not JSON: Expecting * delimiter: line 1 *
nbsp | import: bad: not JSON: Expecting value: line 2 *
escape | import: bad: not JSON: Expecting value: line 2 *
empty | import: bad: not JSON: Expecting value: line 1 *
cut | import: bad: not JSON: Expecting *
long | import: bad: not JSON: Extra data: line 2 *
END
}

@test "svm2bin" {
    printf '1 qid:a 1:0.5 2:1\n0 qid:a 2:4 3:0.25\n' >good
    texts() { svm2bin bad >q.bin && bin2txt q.bin; }
    rows texts <<'END'
bom | svm2bin: bad: not text: a byte-order mark comes first: remove it, by 'tail -c +4'
utf16 | svm2bin: bad: not text: a byte-order mark of UTF-16 comes first: convert it, by 'iconv -f UTF-16'
latin1 | other qid:caf
gzip | svm2bin: bad: not text: compressed by gzip: decompress it first, by 'gzip -dc'
crlf | right
nothing | svm2bin: bad: line 2: the value is not a number: '3:NULL': missing values: 1, in lines: 1: to drop them, *
repeated | other qid:a
quote | other qid:"a
nbsp | svm2bin: bad: line 2: the value is not a number: '3:?xc2?xa00.25': it has no-break spaces: run sed *
escape | svm2bin: bad: line 2: the value is not a number: '3:?x1b?31m'
empty | svm2bin: bad: the text has no documents
cut | svm2bin: bad: line 2: the value is not a number: '3:': *
long | svm2bin: bad: line 2: not a feature (index:value): 'xxxxxxxxx'*
END
}

@test "log2bin" {
    printf 'request\tqid\tdoc\tposition\tclick\nr1\ta\td1\t1\t1\nr1\ta\td2\t2\t0.25\n' >good
    logs() { log2bin -0 bad >log.bin && bin2txt -f log log.bin; }
    rows logs <<'END'
bom | log2bin: bad: not text: a byte-order mark comes first: remove it, by 'tail -c +4'
utf16 | log2bin: bad: not text: a byte-order mark of UTF-16 comes first: convert it, by 'iconv -f UTF-16'
latin1 | other caf
gzip | log2bin: bad: not text: compressed by gzip: decompress it first, by 'gzip -dc'
crlf | right
nothing | log2bin: bad: line 3: the click is not a number from 0 to 1; -g gives a word its value: 'NULL'
repeated | log2bin: bad: line 4: *
quote | other "a
nbsp | log2bin: bad: line 3: the click is not a number from 0 to 1; -g gives a word its value: '?xc2?xa00.25'
escape | log2bin: bad: line 3: the click is not a number from 0 to 1; -g gives a word its value: '?x1b?31m'
empty | log2bin: bad: the log has no requests
cut | log2bin: bad: line 3: the click is not a number from 0 to 1*
long | log2bin: bad: line 2: the click is not a number from 0 to 1; -g gives a word its value: '1 xxxxxxxxx*
END
}

@test "compare" {
    printf 't\tqid\tndcg@10\n1\ta\t0.5\n2\tb\t0.25\n' >good
    rows compare -t bad <<'END'
bom | compare: bad: not text: a byte-order mark comes first: remove it, by 'tail -c +4'
utf16 | compare: bad: not text: a byte-order mark of UTF-16 comes first: convert it, by 'iconv -f UTF-16'
latin1 | right
gzip | compare: bad: not text: compressed by gzip: decompress it first, by 'gzip -dc'
crlf | right
nothing | compare: bad: line 3: not a finite number: 'NULL'
repeated | other bad.2.*4$
quote | right
nbsp | compare: bad: line 3: not a finite number: '?xc2?xa00.25'
escape | compare: bad: line 3: not a finite number: '?x1b?31m'
empty | compare: bad: no value of a measure: metric -q prints a table of values
cut | compare: bad: line 3: 2 fields, but the head has 3: *
long | compare: bad: line 2: 1000003 fields, but the head has 3: *
END
}

# It takes values, and no text: bom, utf16, gzip, crlf, quote, nbsp and cut are for the program that read them.
@test "Ranker" {
    command -v python3 >/dev/null || skip "no python3 here"
    PYTHONPATH=$ROOT/lib/python python3 - <<'END'
import rankpipe
def fit(X=((1,), (2,)), y=(0, 1), qid=("a", "a")):
    try:
        return rankpipe.Ranker(passes=1).fit(X, y, qid).model_.rounds
    except ValueError as error:
        return str(error)
assert fit(qid=("caf\udce9",) * 2) == 1  # latin1: a name is its bytes
assert "not a number" in fit(X=((None,), (2,)))  # nothing
assert "not finite" in fit(X=((float("nan"),), (2,)))
assert "qid of row 1" in fit(qid=("a", None))
assert fit(qid=("a", "b")) == 2 and fit(qid=("a", "a")) == 1  # repeated: one query
assert "not a number" in fit(X=(("\x1b[31m",), (2,))) and "\x1b" not in fit(X=(("\x1b[31m",), (2,)))  # escape
assert "no rows" in fit(X=(), y=(), qid=())  # empty
assert fit(qid=("a" * 10 ** 7,) * 2) == 1  # long
END
}
