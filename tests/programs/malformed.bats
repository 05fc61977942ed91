# What each program that reads text of others makes of thirteen malformations: right, an error with its place and what to do,
# or a count. None is silent.
load ../helper

NEEDS="python3 iconv"

# clean READER: a small file that it reads. The word mark stands where a document's or a feature's name does, in line 2 or 3.
clean() {
    case $1 in
    csv) printf '%s\n' request,query,doc,click 1,tv,a,0 1,tv,mark,1 ;;
    tabs) printf '%s\t%s\t%s\t%s\n' request query doc click 1 tv a 0 1 tv mark 1 ;;
    ubi) printf '%s\n' '{"query_id":"1","user_query":"tv","query_response_hit_ids":["a","b"]}' \
        '{"query_id":"2","user_query":"tv","query_response_hit_ids":["mark"]}' ;;
    metarank) printf '%s\n' '{"event":"ranking","id":"1","fields":[{"name":"query","value":"tv"}],"items":[{"id":"a"}]}' \
        '{"event":"ranking","id":"2","fields":[{"name":"query","value":"tv"}],"items":[{"id":"mark"}]}' ;;
    access) for n in 1 2; do
        printf '192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /b?r=%d&q=tv&s=%s HTTP/1.1" 204 0\n' $n "$([ $n = 1 ] && echo a || echo mark)"
    done ;;
    esac
}

# read_by READER FILE: what it makes of the file.
read_by() {
    case $1 in
    csv | tabs) rankpipe log csv "$2" ;;
    ubi | metarank | access) rankpipe log "$1" "$2" ;;
    esac
}

# spoil HOW: standard input with a malformation.
spoil() {
    case $1 in
    bom) printf '\357\273\277' && cat ;;
    utf-16) iconv -f utf-8 -t utf-16 ;;
    latin-1) LC_ALL=C sed "s/mark/caf$(printf '\351')/" ;;
    gzip) gzip ;;
    crlf) sed 's/$/\r/' ;;
    null) sed 's/mark/NULL/' ;;
    twice) sed 's/query_id"/query_id":"z","query_id"/; s/"event"/"event":"item","event"/; s/r=2/&\&r=3/; 1s/query\(.\)doc/doc\1doc/' ;;
    quote) sed 's/mark/"mark/' ;;
    no-break) sed "s/mark/ma$(printf '\302\240')rk/" ;;
    escape) sed "s/mark/ma$(printf '\033')[31mrk/" ;;
    empty) cat >/dev/null ;;
    cut) head -c -4 ;;
    long) sed "s/mark/$(head -c 200 /dev/zero | tr '\0' x)/" | awk '/xxx/ { for (i = 0; i < 16; i++) gsub(/xxx/, "xxxxxx") } { print }' ;;
    esac
}

@test "none of thirteen malformations is silent" {
    while IFS='|' read -r reader how want; do
        reader=${reader// /} how=${how// /} want=${want# }
        clean "$reader" | spoil "$how" >file
        got=0
        read_by "$reader" file >out 2>err || got=$?
        echo "$reader, $how: exit $got: $(head -c 1000 err)"
        case $want in
        right) # as without it
            clean "$reader" >right
            read_by "$reader" right >want 2>/dev/null
            [ "$got" = 0 ] && same out want
            ;;
        out*) # what is on standard output
            [ "$got" = 0 ]
            grep -q -- "${want#* }" out
            ;;
        *) # the exit status, and what stands on standard error
            [ "$got" = "${want%% *}" ]
            grep -qE -- "${want#* }" err
            if LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" err; then return 1; fi
            ;;
        esac
    done <<'END'
csv | bom | right
csv | utf-16 | 1 ^log: file: this is UTF-16: give what this prints: iconv
csv | latin-1 | 1 ^log: file: line 3: byte .xe9 is not UTF-8: give what this prints: iconv -f latin1
csv | gzip | right
csv | crlf | right
csv | null | 0 ^log: file: line 3: rows left out, without doc
csv | twice | 1 ^log: file: two columns are called doc
csv | quote | 1 ^log: file: line 3: a quotation mark opens a field that .*: -q no
csv | no-break | out 	ma rk	
csv | escape | out 	ma%1B\[31mrk	
csv | empty | 1 ^log: no request with a query and documents in this log
csv | cut | 0 ^log: file: line 3: rows left out, not of 4 fields
csv | long | 0 ^log: file: line 3: rows left out, of more than 1048576 bytes
tabs | bom | right
tabs | utf-16 | 1 ^log: file: this is UTF-16: give what this prints: iconv
tabs | latin-1 | 1 ^log: file: line 3: byte .xe9 is not UTF-8: give what this prints: iconv -f latin1
tabs | gzip | right
tabs | crlf | right
tabs | null | 0 ^log: words that count as nothing: doc NULL 1
tabs | twice | 1 ^log: file: two columns are called doc
tabs | quote | 0 fields with quotation marks, which stay \(-q\): 1
tabs | no-break | out 	ma rk	
tabs | escape | out 	ma%1B\[31mrk	
tabs | empty | 1 ^log: no request with a query and documents in this log
tabs | cut | 0 ^log: file: line 3: rows left out, not of 4 fields
tabs | long | 0 ^log: file: line 3: rows left out, of more than 1048576 bytes
ubi | bom | right
ubi | utf-16 | 1 ^log: file: this is UTF-16: give what this prints: iconv
ubi | latin-1 | 1 ^log: file: line 2: byte .xe9 is not UTF-8: give what this prints: iconv -f latin1
ubi | gzip | right
ubi | crlf | right
ubi | null | 0 ^log: words that count as nothing: hit NULL 1
ubi | twice | 1 ^log: file: line 1: rows left out, with a key twice
ubi | quote | 0 ^log: file: line 2: rows left out, not an object of JSON
ubi | no-break | out 	ma rk	
ubi | escape | 0 ^log: file: line 2: rows left out, not an object of JSON
ubi | empty | 1 ^log: no request with a query and documents in this log
ubi | cut | 0 ^log: file: line 2: rows left out, not an object of JSON
ubi | long | 0 ^log: file: line 2: rows left out, of more than 1048576 bytes
metarank | bom | right
metarank | utf-16 | 1 ^log: file: this is UTF-16: give what this prints: iconv
metarank | latin-1 | 1 ^log: file: line 2: byte .xe9 is not UTF-8: give what this prints: iconv -f latin1
metarank | gzip | right
metarank | crlf | right
metarank | null | 0 ^log: words that count as nothing: item NULL 1
metarank | twice | 1 ^log: file: line 1: rows left out, with a key twice
metarank | quote | 0 ^log: file: line 2: rows left out, not an object of JSON
metarank | no-break | out 	ma rk	
metarank | escape | 0 ^log: file: line 2: rows left out, not an object of JSON
metarank | empty | 1 ^log: no request with a query and documents in this log
metarank | cut | 0 ^log: file: line 2: rows left out, not an object of JSON
metarank | long | 0 ^log: file: line 2: rows left out, of more than 1048576 bytes
access | bom | right
access | utf-16 | 1 ^log: file: this is UTF-16: give what this prints: iconv
access | latin-1 | 0 ^log: rows left out, not UTF-8 where a user sent something: 1, the first in file: line 2
access | gzip | right
access | crlf | right
access | null | 0 ^log: words that count as nothing: s NULL 1
access | twice | 0 ^log: rows left out, with a parameter twice: 1, the first in file: line 2
access | quote | 0 ^log: rows left out, without r, and s or c: 1
access | no-break | out 	ma rk	
access | escape | out 	ma%1B\[31mrk	
access | empty | 1 ^log: no request with a query and documents in this log
access | cut | right
access | long | 0 ^log: file: line 2: rows left out, of more than 1048576 bytes
END
}
