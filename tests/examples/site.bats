# examples/site: the page of results, its clicks, what is learnt from them, and hostile documents and clients.
load ../helper

NEEDS=python3
SITE=$ROOT/examples/site
export PYTHONDONTWRITEBYTECODE=1
started=
others=

teardown() {
    local pid
    for pid in $others $started; do
        { kill "$pid" && wait "$pid"; } 2>/dev/null || true
    done
    ! mountpoint -q state || umount -l state
}

# site FOLDER OPTION...: runs the site over the folder, with the state in ./state, until `stop`. The port
# is any that is free.
site() {
    local folder=$1
    shift
    # shellcheck disable=SC2086
    python3 "$SITE/search.py" -s state -p 0 --every 0.2 --explore="-p top -g 0 -s ${seed:-1}" "$@" $folder >said 2>&1 &
    started=$!
    until grep -q 'search: http' said && "$ROOT/bin/serve" -a state/rank.socket </dev/null 2>/dev/null; do
        kill -0 $started || { cat said && return 1; }
        sleep 0.05
    done
    url=$(sed -n 's/^search: \(http[^ ]*\) .*/\1/p' said)
    first=${first:-$(bin2txt -f head state/w.bin | sed 's/.* rounds=\([0-9]*\) .*/\1/')}
}

stop() {
    kill "-${1:-TERM}" $started
    wait $started || [ -n "${1-}" ]
    started=
}

# in_python: a program that has the modules of the site.
in_python() {
    PYTHONPATH=$SITE python3 - "$@"
}

# get PATH [NAME=VALUE...]: the page; its status and headers go to the file head. With METHOD it is that one.
get() {
    python3 - "${METHOD:-GET}" "$url" "$@" <<'END'
import http.client, sys, urllib.parse
method, url, path, *headers = sys.argv[1:]
connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=10)
connection.request(method, "/" + path, headers=dict(header.split("=", 1) for header in headers))
answer = connection.getresponse()
with open("head", "w") as file:
    file.write("%d\n%s" % (answer.status, answer.headers))
sys.stdout.buffer.write(answer.read())
END
}

# titles < page: of its results. links < page: where they lead.
titles() {
    sed -n 's/^<li>//p' | sed 's/<[^>]*>//g'
}

links() {
    sed -n 's/^<li><a [^>]*href="\([^"]*\)".*/\1/p' | sed 's/&amp;/\&/g'
}

# page NAME TEXT: a manual page.
page() {
    printf '.TH X 1\n.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n%s\n' "$1" "$2" "$3"
}

# indexed FOLDER: its index in ./state.
indexed() {
    # shellcheck disable=SC2086
    python3 "$SITE/search.py" -i -n 1 -s state $1 2>indexed
}

# learnt: how many searches the model has learnt, besides those for titles.
learnt() {
    echo $(($(bin2txt -f head state/w.bin | sed 's/.* rounds=\([0-9]*\) .*/\1/') - first))
}

# paths: of the documents of the index, with their titles.
paths() {
    in_python <<'END'
import index
for row in index.Index("state/index.db").db.execute("select path, title from document order by path"):
    print("|".join(row))
END
}

@test "the index has text, HTML and manual pages, packed or in archives, and nothing else" {
    mkdir -p docs/deep docs/.git outside inner/sub
    echo 'Apples and pears' >docs/fruit.txt
    printf '\n\n== The second one ==\nplums\n' >'docs/deep/a b&<.txt'
    echo 'Packed plums' | gzip >docs/packed.gz
    page dry 'keep fruit' '.B Plums
and \fIpears\fR, well\(hyknown \- caf\[u00E9]' >docs/dry.1
    printf '.Dd today\n.Dt SEED 1\n.Sh NAME\n.Nm seed\n.Nd begin\n.Sh DESCRIPTION\nThe\n.Fl n\n' | gzip >docs/seed.1.gz
    printf '.so man1/dry.1\n' >docs/alias.1
    printf '<title>Jam &amp; jelly</title><style>b{}</style><p>Bo<b>il</b> it<br>well<script>evil()</script><!-- no -->' >docs/jam.html
    printf '\374ber P\374ree' >docs/latin.txt
    echo 'Inside' >inner/sub/one.txt
    printf 'bin\0ary' >inner/two
    tar -czf docs/some.tar.gz inner
    (cd inner && python3 -m zipfile -c ../docs/some.zip sub)
    for hidden in docs/.hidden docs/.git/config outside/file; do echo secret >$hidden; done
    printf 'secret\0\1\2' >docs/binary
    ln -s ../outside/file docs/link
    ln -s ../outside docs/folder
    : >docs/empty
    indexed docs
    is "$(cat indexed)" "search: 9 documents of $PWD/docs; 2 files are left out ($PWD/state/left-out says why)"
    is "$(paths)" 'deep/a%20b%26%3C.txt|The second one
dry.1|dry(1) - keep fruit
fruit.txt|Apples and pears
jam.html|Jam & jelly
latin.txt|über Püree
packed.gz|Packed plums
seed.1.gz|seed(1) - begin
some.tar.gz/inner/sub/one.txt|Inside
some.zip/sub/one.txt|Inside'
    is "$(cut -d : -f 1 state/left-out)" $'alias.1\nbinary'
    in_python <<'END'
import index
found = index.Index("state/index.db")
texts = {path: found.document(n)[2] for n, path in found.db.execute("select id, path from document")}
assert texts["jam.html"] == "Boil it\nwell", texts["jam.html"]
assert "Plums and pears, well‐known - café" in texts["dry.1"], texts["dry.1"]
assert not found.search(["secret"]).pool and not found.search(["evil"]).pool
END
    mkdir docs/man1 docs/de
    mv docs/dry.1 docs/man1
    cp docs/man1/dry.1 docs/de
    indexed docs
    is "$(paths)" 'man1/dry.1|dry(1) - keep fruit'
    mkdir none
    fails 1 "search: $PWD/none: no documents: name a folder *" python3 "$SITE/search.py" -i -s state none
    fails 1 "search: $PWD/gone: No such file or directory" python3 "$SITE/search.py" -i -s state gone
    is "$(paths)" 'man1/dry.1|dry(1) - keep fruit'
}

@test "a document keeps its number, and is read again only when it has changed; what is left is read later" {
    mkdir docs
    for name in b c d; do echo "about $name" >docs/$name; done
    indexed docs
    rm docs/c
    for name in a e; do echo "about $name" >docs/$name; done
    echo 'anew b' >docs/b
    indexed ''
    in_python "$PWD" <<'END'
import documents, index, sys
def have():
    return index.Index("state/index.db").db.execute("select path, id, title from document order by id").fetchall()
assert have() == [("b", 1, "anew b"), ("d", 3, "about d"), ("a", 4, "about a"), ("e", 5, "about e")], have()
read = []
true = documents.read_files
documents.read_files = lambda folder, paths, count: read.extend(paths) or true(folder, paths, count)
folder = sys.argv[1] + "/docs"
for name in "fgh":
    open(folder + "/" + name, "w").write("about " + name)
assert index.build("state/index.db", folder, 1, seconds=0)[:2] == (2, 5) and len(have()) == 5
assert index.build("state/index.db", folder, 1)[:2] == (0, 7) and len(have()) == 7
assert read == ["f", "g", "h", "g", "h"], read
END
}

@test "the features of two words, worked by hand" {
    mkdir docs
    printf 'Red apples\nred red\n' >docs/one
    printf 'Pears\nred pears with sugar and wine\n' >docs/two
    for i in 3 4 5 6; do printf 'Wine\n' >docs/$i; done
    indexed docs
    in_python <<'END'
import index, math
found = index.Index("state/index.db").search(index.asked("apples RED, red!"))
assert (found.total, found.every) == (2, False), found
# Rows have 7, 9 and 4 x 3 words: those of the name, of the title and of the text.
idf = {"red": math.log((6 - 2 + .5) / (2 + .5)), "apples": math.log((6 - 1 + .5) / (1 + .5))}
mean = (7 + 9 + 4 * 3) / 6
def bm25(word, times, length):
    return idf[word] * times * 2.2 / (times + 1.2 * (.25 + .75 * length / mean))
want = {"one": (bm25("red", 3, 7) + bm25("apples", 1, 7), bm25("red", 1, 7) + bm25("apples", 1, 7), 0, 1, 0, math.log(19)),
        "two": (bm25("red", 1, 9), 0, 0, 0, 0, math.log(36))}
assert [result.path for result in found.pool] == ["one", "two"]
for result in found.pool:
    for got, right in zip(result.features, want[result.path]):
        assert abs(got - right) < 1e-6, (result, want)
# The name of a manual page, without its section, is one of the words.
assert index.name_of("man1/ls.1.gz") == index.name_of("ls.1") == "ls" and index.name_of("a/b.txt") == "a/b.txt"
assert index.features(["list", "ls"], "ls", "ls 1 list", 1, 0, 0, 0)[3:5] == (1, 1)
END
}

@test "documents with all words come first; if they are few, those with some words follow, except common ones" {
    mkdir docs
    for i in $(seq 30); do echo "the number $i $([ $((i % 2)) = 1 ] || echo even) $([ "$i" -gt 3 ] || echo small)" >docs/$i; done
    for i in $(seq 15); do printf 'other\nthe the the the %s\n' "$i" >docs/other$i; done
    indexed docs
    in_python <<'END'
import index
index.MANY, index.POOL = 20, 12
found = index.Index("state/index.db")
def of(query):
    got = found.search(index.asked(query))
    return got.total, got.every, len(got.pool)
assert of("the even") == (15, True, 12), of("the even")
assert of("even small") == (17, False, 12), of("even small")
assert of("the small") == (3, True, 3), of("the small") # the is in too many
assert of("the nothing") == (45, False, 12), of("the nothing")
assert of("the") == (45, True, 12) # those with it in the title
assert all(result.number <= 30 for result in found.search(["the"]).pool)
assert found.search(index.asked("even small")).pool[0].path == "2"
END
}

@test "words: folded alike in documents and queries; a query is the same in any order; ten words at most" {
    in_python <<'END'
import index
assert index.asked("plum pear apple") == index.asked("  PLUM, apple-pear plum ") == ["apple", "pear", "plum"]
assert index.asked("Größe GRÖSSE grösse") == ["grosse"], index.asked("Größe GRÖSSE")
assert index.asked("snake_case 中文 Йод") == ["case", "snake", "иод", "中", "文"], index.asked("snake_case 中文 Йод")
assert len(index.asked(" ".join(map(str, range(20))))) == 10
assert index.asked("x" * 65 + " y\0z \ud800") == ["y", "z"]
END
}

@test "spelling: words that are rare and near to frequent ones; one letter, or two swapped" {
    in_python <<'END'
from index import distance
cases = {("kitten", "sitting"): 3, ("abc", "abc"): 0, ("", "ab"): 2, ("ab", "ba"): 1, ("change", "chnage"): 1, ("abcd", "acbd"): 1}
for pair, right in cases.items():
    assert distance(*pair) == distance(*pair[::-1]) == right, (pair, distance(*pair))
END
    mkdir docs
    for i in $(seq 60); do echo "change password пароль $i" >docs/$i; done
    echo 'pasword word' >docs/wrong
    indexed docs
    in_python <<'END'
import index
found = index.Index("state/index.db")
def spelled(query): return found.spelled(tuple(index.asked(query)))
for wrong in ("chnage", "chage", "changge", "chango", "changes"):
    assert spelled(wrong) == ["change"], (wrong, spelled(wrong))
assert spelled("change pasword") == ["change", "password"] # one document has it, sixty have the other
assert spelled("праоль") == ["пароль"]
for right in ("change password", "pear", "chan", "zzzzzz", "word"):
    assert spelled(right) is None, (right, spelled(right))
END
}

@test "clicks become answers over the page: 1 where clicked and 0 elsewhere; none of these is a page without a click" {
    in_python <<'END'
from search import answer
assert answer({(3, 5), (1, 5)}) == [1, 0, 1, 0, 0]
assert answer({(1, 1)}) == [1]
assert answer({(0, 4)}) == answer({(0, 4), (2, 4)}) == [0, 0, 0, 0]
END
}

@test "queries of any bytes give a page, whose text is what was asked; a page that is not there says so" {
    mkdir docs
    echo 'Äpfel & <b>grüne</b> "Birnen"' >docs/fruit.txt
    site docs
    get '?q=gr%C3%BCne+%3Cscript%3Ealert(1)%3C/script%3E%22%27%26' >page
    grep -F 'value="grüne &lt;script&gt;alert(1)&lt;/script&gt;&quot;&#x27;&amp;"' page
    grep -F '&lt;b&gt;<mark>grüne</mark>&lt;/b&gt; &quot;Birnen&quot;' page
    is "$(grep -c '<script' page || true)" 0
    grep "Content-Security-Policy: default-src 'none'" head
    long=$(head -c 9000 /dev/zero | tr '\0' x)
    for query in '' q q= '&&=&' 'q=%' 'q=%zz%0' 'q=%00%0a%0d%1b' 'q=%ff%fe' 'q=\\%5cn%25s' "q=$long" \
        'q=$(touch%20hacked)`touch%20hacked`;touch%20hacked|touch%20hacked' 'q=../../../etc/passwd' \
        'q=-v%20--%20-f' 'q=a%09b' 'Q=x' "q=$(printf 'w%s+' $(seq 100))" 'q=x&q=y' 'q=%22+OR+name:a*' 'q=NOT' \
        'q=gr%C3%BCne&after=1.x.-2.99999999999999999999..%00' "q=gr%C3%BCne&after=$(seq -s . 1500)"; do
        get "?$query" >page
        is "$(sed -n 1p head)" 200
        is "$(tail -n 1 page)" '</html>'
        is "$(grep -c '<form action="./" role="search">' page)" 1
    done
    is "$(find . -name 'hacked*')" ''
    for path in doc doc?d=2 doc?d=x doc?d=-1 doc?d=01e3 'doc?d=99999999999999999999' nothing go 'go?r=1&p=1&n=1&d=1' \
        'doc/../../etc/passwd' %2e%2e/index.db state/index.db search.py secret; do
        get "$path" >page
        is "$(sed -n 1p head) $path" "404 $path"
    done
    is "$(get 'doc?d=1&q=GRUNE' | grep -c '<mark>grüne</mark>')" 1
    is "$(get some/folder/style.css | cmp - "$SITE/style.css")" ''
    is "$(get robots.txt)" $'User-agent: *\nDisallow: /'
    is "$(cat state/errors)" ''
    stop
}

@test "further pages show each document once, and the page before; the number of results is said" {
    mkdir docs
    for i in $(seq 25); do echo "plum $i" >docs/$i; done
    site docs --explore='-p top -g 0.5 -s 1'
    get '?q=plum' >page
    grep -F '25 documents have this word. Here are 1 to 10.' page
    titles <page >shown
    for at in '11 to 20' '21 to 25'; do
        next=$(sed -n 's/.*rel="next nofollow" href="\([^"]*\)".*/\1/p' page | sed 's/&amp;/\&/g')
        get "${next#./}" >page
        grep "Here are $at" page
        titles <page >>shown
        is "$(links <page | grep -c '^go')" "$(titles <page | wc -l)"
    done
    is "$(sort -u shown | wc -l)" 25
    is "$(grep -c 'rel="next' page || true)" 0
    back=$(sed -n 's/.*rel="prev" href="\([^"]*\)".*/\1/p' page | sed 's/&amp;/\&/g')
    get "${back#./}" | grep 'Here are 11 to 20'
    get '?q=plum+nowhere' | grep -F '25 documents have some of these words.'
    get '?q=nowhere' | grep -F 'No document has this word.'
    stop
}

@test "before the first click each page has the order of the index, whose part it sends as the base" {
    mkdir docs
    for i in $(seq 25); do yes plum | head -n $((i * i)) >docs/$i; echo "$i and $((i % 7)) $(seq "$i")" >>docs/$i; done
    site docs --explore='-B .37 -s random'
    get '?q=plum+and' >page
    titles <page >shown
    next=$(sed -n 's/.*rel="next nofollow" href="\([^"]*\)".*/\1/p' page | sed 's/&amp;/\&/g')
    get "${next#./}" | titles >>shown
    in_python <<<'import index; print(*[each.title for each in index.Index("state/index.db").search(["and", "plum"]).pool[:20]], sep="\n")' >want
    same want shown
    in_python <<<'import index; print(*[each.path for each in index.Index("state/index.db").search(["and", "plum"]).pool], sep="\n")' >pool
    stop
    spooled state/log >log.bin
    is "$(bin2txt -f head log.bin | grep -o 'docs=[0-9]*' | xargs)" 'docs=25 docs=15'
    is "$(values_of base <log.bin | xargs)" "$(seq 0 24 | xargs) $(seq 0 14 | xargs)"
    bin2txt -f rank log.bin | cut -f 4 >sent # the order is the base's
    same <(cat pool; tail -n 15 pool) sent
}

@test "a click is stored if a person makes it by a link of the site; it leads to a document of the index only" {
    mkdir docs
    echo 'plum' >docs/one
    site docs --settle 86400
    get '?q=plum&q=x' >page
    go=$(links <page)
    none=$(sed -n 's/.*href="\(go[^"]*\)">None of these.*/\1/p' page | sed 's/&amp;/\&/g')
    clicks() { in_python <<<'import sqlite3; print(*sqlite3.connect("state/clicks.db").execute("select place, shown from click"))'; }
    for changed in "${go/p=1/p=0}" "${go/n=1/n=2}" "${go/d=1/d=2}" "${go/r=/r=0}" "${go/s=/s=0}" "${go%&s=*}" "$go%0a" \
        'go?r=0123456789abcdef&p=1&n=1&d=1'; do
        get "$changed" >out
        is "$(sed -n 1p head) $changed" "404 $changed"
    done
    METHOD=HEAD get "$go" Sec-Purpose=none
    METHOD=POST get "$go" >out
    is "$(sed -n 1p head)" 405
    get "$go" Sec-Purpose=prefetch
    get "$go" Purpose=prefetch
    is "$(sed -n 1p head)" 303
    is "$(clicks)" ''
    get "$go"
    is "$(sed -n 's/^Location: //p' head)" 'doc?d=1&q=plum'
    get "$none" | grep '<p>This search counts as one without a click.</p>'
    get "$none&x=1" | grep 'value="plum"'
    is "$(clicks)" '(1, 1) (0, 1)'
    client=$(in_python <<<'import sqlite3; print(sqlite3.connect("state/clicks.db").execute("select client from click").fetchone()[0])')
    stop
    is "$(grep -la "$client" state/clicks.db*)" '' # once it is an answer, what erases that finds all of it
    is "$(cut -f 1 state/answers/*)" "$(expr "$go" : '.*r=\([0-9a-f]*\)')" # at the end, what was clicked is kept
    is "$(sed 's/.*time=[0-9]* //' state/answers/*)" 'clicks=1 0'
}

@test "HTML is shown as it came, in a frame in which nothing runs; other documents as text" {
    mkdir docs
    printf '<!doctype html><title>Plum jam</title><style>p { color: red }</style><p id=a>plum</p><script>document.getElementById("a").textContent = "it ran"</script><img src=x onerror="document.title=1"><form action=/go><input></form>' >docs/jam.html
    echo 'plum <b>bold</b>' >docs/text
    site docs
    for _ in $(seq 250); do [ -e state/growing ] || break; sleep 0.02; done
    get '?q=plum' >page
    for link in $(links <page); do
        get "$link"
        shown=$(sed -n 's/^Location: //p' head)
        get "$shown" >doc
        case $(sed -n 's/.*<h1>//p' doc) in
        'Plum jam'*)
            frame=$(sed -n 's/.*<iframe sandbox="" src="\(page?d=[0-9]*\)" title="Plum jam"><\/iframe>.*/\1/p' doc)
            [ "$frame" ]
            is "$(grep -c 'it ran\|<pre>' doc)" 0
            grep "^Content-Security-Policy: default-src 'none'; style-src 'self'; frame-src 'self'; " head
            get "$frame" >raw
            same raw docs/jam.html
            is "$(grep -c ^Content-Security-Policy: head) $(sed -n 's/^Content-Security-Policy: //p' head)" \
                "1 sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
            grep -x 'X-Content-Type-Options: nosniff' head
            if command -v chromium >/dev/null; then # also alone, without the frame
                timeout 60 chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=2000 --dump-dom "$url$frame" 2>/dev/null >dom
                grep '<p id="a">plum</p>' dom
            fi ;;
        *)
            grep '<pre><mark>plum</mark> &lt;b&gt;bold&lt;/b&gt;</pre>' doc
            get "page?${shown#doc?}" >out
            is "$(sed -n 1p head)" 404 ;;
        esac
    done
    for wrong in 'page' 'page?d=' 'page?d=99' 'page?d=-1' 'page?d=1e3' 'page?d=99999999999999999999'; do
        get "$wrong" >out
        is "$(sed -n 1p head) $wrong" "404 $wrong"
    done
    stop
    # An index of an older release has no pages: it goes on, and the next reading has them.
    in_python <<'END'
import sqlite3
db = sqlite3.connect("state/index.db")
db.executescript("create table t(id integer primary key, start int, packed blob); insert into t select id, start, packed from text; "
                 "drop table text; alter table t rename to text")
END
    site docs
    get "$frame" >out
    is "$(sed -n 1p head)" 404
    stop
    indexed docs
    site docs
    get "$frame" >raw
    same raw docs/jam.html
    stop
}

@test "--link: results lead to the real pages, by signed links, and to nowhere else" {
    mkdir -p docs/deep
    echo 'plum' >'docs/deep/a b&<%.txt'
    for wrong in 'docs.example/{path}' 'https://docs.example/' 'https://{path}/' 'javascript:{path}' 'https://a/{path}{path}' \
        $'https://a/{path}\r\nX: y' 'https://a/ {path}'; do
        fails 2 '*is no address with {path} after the name of a machine, such as https://docs.example/{path}' \
            python3 "$SITE/search.py" -s state --link "$wrong" docs
    done
    site docs --link 'https://docs.example/view?f={path}&from=search'
    get '?q=plum' >page
    go=$(links <page)
    get "$go"
    is "$(sed -n 1p head) $(sed -n 's/^Location: //p' head)" '303 https://docs.example/view?f=deep/a%20b%26%3C%25.txt&from=search'
    get "${go/d=1/d=2}" >out
    is "$(sed -n 1p head)" 404
    stop
}

@test "a Cyrillic query of 100 letters is learnt: what is clicked is higher on the next search" {
    mkdir docs
    for i in $(seq 8); do echo "Документ $i: предположительно восьмидесятилетний электрификатор превысокомногорассмотрительствующий человеконенавистничество" >docs/$i; done
    site docs --settle 0 --explore='-B .37 -s random' # that of the site
    query=$(echo 'предположительно восьмидесятилетний электрификатор превысокомногорассмотрительствующий человеконенавистничество' |
        od -A n -t x1 | tr -d '\n' | sed 's/ 0a$//; s/ /%/g; s/%20/+/g')
    get "?q=$query" >page
    wanted=$(titles <page | sed -n 7p)
    get "$(links <page | sed -n 7p)" >out
    for _ in $(seq 200); do # a second round, so it is no chance; no round waits for longer than for its answer
        [ "$(learnt)" = 0 ] || break
        sleep 0.1
    done
    sleep 0.3
    get "?q=$query" >page
    is "$(titles <page | sed -n 6p)" "$wanted" # one place, as clicks have said little yet
    is "$(cat state/errors)" ''
    stop
    [[ $(bin2txt -f head state/w.bin) == *' clients=1 '*'clicks:'* ]]
}

@test "without the service the page has the order of the index, and stores nothing; it is started again" {
    mkdir docs
    for i in $(seq 12); do { for _ in $(seq "$i"); do echo plum; done; echo "x $i"; } >docs/$i; done
    site docs
    get '?q=plum' >page
    is "$(links <page | grep -c '^go')" 10
    is "$(spooled_last state/log)" 1
    for i in $(seq 20); do get '?q=plum' >page.$i & jobs="${jobs-} $!"; done
    wait $jobs
    is "$(cat page.* | links | grep -o 'r=[0-9a-f]*' | sort -u | wc -l)" 20
    is "$(spooled_last state/log)" 21
    pid=$(pgrep -P "$started" -x serve)
    kill -STOP "$pid" # A service that is stuck is as good as none.
    get '?q=plum' >page
    is "$(links <page | grep -c '^doc')" 10
    grep 'no ranking: rank.socket: timed out' state/errors
    in_python >own <<'END'
import index
for result in index.Index("state/index.db").search(("plum",)).pool[:10]: print(result.title)
END
    is "$(titles <page)" "$(cat own)"
    kill -KILL "$pid"
    for _ in $(seq 100); do
        get '?q=plum' >page
        [ "$(links <page | grep -c '^go')" != 10 ] || break
        sleep 0.1
    done
    is "$(links <page | grep -c '^go')" 10
    grep "^search: serve has ended by signal 9, and is started again: $PWD/state/errors has its messages" said
    # So are the processes of the web server.
    for pid in $(pgrep -P "$started" -x python3); do kill -KILL "$pid"; done
    for _ in $(seq 100); do
        ! get '?q=plum' >page 2>/dev/null || break
        sleep 0.1
    done
    is "$(links <page | wc -l)" 10
    stop
}

@test "a disk that fills up: searches go on, clicks wait and are stored when there is room, and nothing exits" {
    mkdir docs state
    mount -t tmpfs -o size=300m tmpfs state || skip "no mount here" # spool leaves 256 MB free
    for i in $(seq 9); do echo "plum $i" >docs/$i; done
    site docs --settle 0
    get '?q=plum' >page
    links <page >leads
    is "$(grep -c '^go' leads)" 9
    head -c 400000000 /dev/zero >state/full 2>err || true
    for i in 7 8; do # other searches find their documents, and clicks lead on
        get "$(sed -n ${i}p leads)"
        is "$(sed -n 1p head)" 303
        get '?q=plum' >page
        is "$(titles <page | wc -l)" 9
    done
    for _ in $(seq 50); do # nothing that is shown can be learnt from, so no link says a request
        get '?q=plum' >page
        [ "$(links <page | grep -c '^go' || true)" != 0 ] || break
        sleep 0.1
    done
    is "$(links <page | grep -c '^doc')" 9
    sleep 2
    kill -0 $started
    for _ in 1 2 3; do get '?q=plum' >page && is "$(titles <page | wc -l)" 9; done
    rm state/full
    for _ in $(seq 200); do
        [ "$(learnt)" = 0 ] || break
        sleep 0.1
    done
    [ "$(learnt)" != 0 ]
    is "$(cut -f 1 state/answers/* | sort -u)" "$(sed -n 's/.*r=\([0-9a-f]*\).*/\1/p' leads | sort -u)"
    [ -z "$(cat state/answers/* | grep -vE '^[0-9a-f]+.time=[0-9]+ clicks=1( [01])+$')" ]
    for _ in $(seq 50); do
        get '?q=plum' >page
        [ "$(links <page | grep -c '^go' || true)" != 9 ] || break
        sleep 0.1
    done
    is "$(links <page | grep -c '^go')" 9
    stop
}

@test "stopped or killed and started again, the site goes on where it was; a second one is refused" {
    mkdir docs
    for i in $(seq 9); do echo "plum $i" >docs/$i; done
    site docs --settle 0
    fails 1 "search: $PWD/state: process $started runs here already: end it, or use another folder" python3 "$SITE/search.py" -s state
    port=${url##*:}
    fails 1 "search: 127.0.0.1 port ${port%/}: Address already in use: choose another by -p" \
        python3 "$SITE/search.py" -s two -p "${port%/}" docs
    fails 1 'search: which folder? *' python3 "$SITE/search.py" -s two -p 0
    mkdir old
    touch old/names
    fails 1 "search: $PWD/old is of another program, or of rankpipe 0.4: choose another by -s" \
        python3 "$SITE/search.py" -s old docs
    get '?q=plum' >page
    wanted=$(titles <page | sed -n 7p)
    get "$(links <page | sed -n 7p)" >out
    stop # the click is stored, and learnt later
    is "$(pgrep -f "$PWD/state" || true)" ''
    echo 'plum new' >docs/new
    site ''
    is "$(grep -c 'documents of' said || true)" 0
    for _ in $(seq 200); do
        [ "$(learnt)" = 0 ] || break
        sleep 0.1
    done
    sleep 0.3
    is "$(get '?q=plum' | titles | sed -n 1p)" "$wanted"
    # Indexed while it runs, it has the new document.
    indexed ''
    get '?q=new' | titles >have
    is "$(cat have)" 'plum new'
    stop KILL
    site ''
    is "$(get '?q=new' | titles)" 'plum new'
    stop
    clients() { in_python <<<'import sqlite3; print(*sqlite3.connect("state/service.db").execute("select value from settings where name = \"clients\""))'; }
    is "$(clients)" "(1,)"
    site '' --proxy 127.0.0.1 # for the public three must answer
    stop
    is "$(clients)" "(3,)"
}

@test "the site runs from installed files" {
    mkdir docs
    echo plum >docs/one
    for settings in GENERAL=libexec PROGPREFIX=rp-; do
        rm -rf here state
        make -s -C "$ROOT" install PREFIX="$PWD/here" $settings
        SITE=$(echo "$PWD"/here/share/*rankpipe/site)
        PATH=$(dirname "$(command -v python3)"):/usr/bin:/bin site docs
        is "$(get '?q=plum' | links | cut -c 1-5)" 'go?r='
        stop
        make -s -C "$ROOT" uninstall PREFIX="$PWD/here" $settings
        is "$(find here -type f)" ''
    done
}

@test "hostile documents, names, links and archives: nothing is written, read outside or run, and no answer is late" {
    python3 "$ROOT/tests/examples/hostile_folder" docs outside
    touch mark
    site docs
    # What is replaced after it was indexed leads nowhere.
    ln -sf ../outside/secret docs/later.txt
    rm docs/pipe-later.txt
    mkfifo docs/pipe-later.txt
    in_python "$url" <<'END'
import html, re, sys, time, urllib.error, urllib.request
url, pages = sys.argv[1], []
def get(path):
    begun = time.monotonic()
    with urllib.request.urlopen(url + path, timeout=10) as answer:
        page = answer.read().decode()
    assert time.monotonic() < begun + 10, path
    assert page.count("<script") == page.count("onload=") - page.count("&lt;body onload=") == 0 or "<pre>" in page, path
    pages.append(page)
    return page
def links(page):
    return [html.unescape(link) for link in re.findall(r'<li><a rel="nofollow" href="([^"]*)">', page)]
for query in ("words", "a", "inner", "innerword", "page", "laterword", "a" * 60, "hacked", "script"):
    page = get("?q=" + query)
    for link in links(page):
        get(link)
    while "rel=\"next" in page:
        page = get(html.unescape(re.search(r'rel="next nofollow" href="\./([^"]*)"', page)[1]))
for number in range(1, 80):
    try:
        get("doc?d=%d" % number)
    except urllib.error.HTTPError as error:
        assert error.code == 404
assert len(pages) > 80, len(pages)
everything = "\n".join(pages)
assert "innerword" in everything and "words in $(touch hacked-by-name)" in everything
assert "secretword" not in everything and "root:" not in everything
assert "<script" not in everything and "<b>" not in everything and "<img" not in everything
END
    { find . -name 'hacked*' -newer mark && find /tmp -maxdepth 2 -name 'hacked*' -newer mark; } 2>/dev/null >found || true
    is "$(cat found)" ''
    is "$(cat outside/secret)" 'secretword is outside'
    is "$(find . -newer mark -type f | cut -d / -f 2 | sort -u | paste -sd ' ')" 'found said state'
    is "$(cat state/errors)" ''
    # The index says what it left out, and why.
    grep '^loop[.]1: ' state/left-out # man never ends, mandoc finds no name
    grep -F 'many.zip: more than 20000 files in it: the rest is left out' state/left-out
    grep -x 'pax.tar: cut short' state/left-out # it says that a file of 100 GB follows
    stop
}

@test "clients that are slow, send nonsense or many requests do not hold others up" {
    mkdir docs
    echo plum >docs/one
    site docs
    in_python "$url" <<'END'
import socket, sys, time, urllib.parse, urllib.request
address = urllib.parse.urlsplit(sys.argv[1])
def client(data):
    connection = socket.create_connection((address.hostname, address.port), timeout=10)
    connection.sendall(data)
    return connection
def answer(data):
    with client(data) as connection:
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))
slow = [client(b"GET / HT") for _ in range(300)]
deaf = [client(b"GET /?q=plum HTTP/1.1\r\n\r\n" * 500) for _ in range(20)]
begun = time.monotonic()
assert b"<ol" in urllib.request.urlopen(sys.argv[1] + "?q=plum", timeout=10).read()
assert time.monotonic() < begun + 5
for nonsense in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b"\0\xff / HTTP/1.1\r\n\r\n", b"GET //[ HTTP/1.1\r\n\r\n",
                 b"GET / HTTP/1.1\r\nno colon\r\n\r\n", b"GET / HTTP/1.1\r\nContent-Length : 1\r\n\r\n"):
    assert answer(nonsense).startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 405 ")), nonsense
assert answer(b"GET /" + b"x" * 100000) == b"" # closed
# A body is never taken for a request.
got = answer(b"POST / HTTP/1.1\r\nContent-Length: 30\r\n\r\nGET /robots.txt HTTP/1.1\r\n\r\n")
assert got.startswith(b"HTTP/1.1 405") and got.count(b"HTTP/1.1") == 1, got
got = answer(b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nGET /robots.txt HTTP/1.1\r\n\r\n")
assert got.startswith(b"HTTP/1.1 200") and got.count(b"HTTP/1.1") == 1
# Two requests on one connection; parameters do not become headers.
got = answer(b"GET /robots.txt HTTP/1.1\r\n\r\nHEAD /doc?d=1&q=%0d%0aX:+y HTTP/1.0\r\n\r\n")
assert got.count(b"HTTP/1.1 200 OK") == 2 and b"\r\nX:" not in got and got.endswith(b"\r\n\r\n"), got
END
    is "$(cat state/errors)" ''
    stop
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
<iframe id=frame src="/docs/"></iframe>
<script>
const frame = document.getElementById('frame');
let state = SEED, report = '';
const draw = () => (state = state * 16807 % 2147483647) / 2147483647;
const load = action => new Promise(done => { frame.onload = () => done(frame.contentDocument); action(); });
const links = page => [...page.querySelectorAll('main ol a')];
const number = link => link.textContent.match(/Report (\d+)/)[1];

// What a screen reader goes by: landmarks, a heading, names of what is not text, the query that is kept.
function check(page, query) {
    const one = what => { if (page.querySelectorAll(what).length != 1) throw what + ' in ' + page.URL; };
    ['html[lang]', 'header form[role=search]', 'label[for=q]', 'input#q', 'main#main', 'h1', 'a.skip[href="#main"]'].forEach(one);
    if (page.querySelector('#q').value != query) throw 'the query is not kept in ' + page.URL;
    for (const nav of page.querySelectorAll('nav')) if (!nav.ariaLabel) throw 'a nav without a label';
    if (page.scripts.length || !page.title) throw 'scripts, or no title';
}

async function search(query, relevant) {
    let page = await load(() => {
        frame.contentDocument.querySelector('input').value = query;
        frame.contentDocument.querySelector('button').click();
    });
    check(page, query);
    const status = page.querySelector('[role=status]').textContent;
    if (!/^2\d documents have all of these words\. Here are 1 to 10\.$/.test(status)) throw status;
    report += query + '\t' + links(page).map(number).join(' ') + '\n';
    let clicks = 0;
    for (let place = 0; place < links(page).length; place++) {
        const name = number(links(page)[place]);
        if (draw() > (relevant.includes(name) ? 0.9 : 0.02)) continue;
        const document = await load(() => links(page)[place].click());
        check(document, query);
        if (!document.querySelector('pre').textContent.startsWith('Report ' + name + '\n')) throw name;
        page = await load(() => frame.contentWindow.history.back());
        clicks++;
    }
    if (!clicks) check(await load(() => page.querySelector('.note a').click()), query);
    await load(() => frame.contentWindow.location = '/docs/');
}

async function people() {
    const queries = (await (await fetch('/queries')).text()).trim().split('\n').map(l => l.split('\t'));
    for (let i = 0; i < SEARCHES; i++) {
        const [query, relevant] = queries[Math.floor(draw() * queries.length)];
        await search(query, relevant.trim().split(' '));
        if (i % 10 == 9) await fetch('/learnt/' + (i + 1));
    }
}

window.onload = () => people().catch(e => report += 'error ' + e + '\n')
    .then(() => fetch('/report', { method: 'POST', body: report }));
</script>
END
}

# front URL: a web server before the site, which is in its folder /docs/, with the pages of the test.
front() {
    cat >front.py <<'END'
import http.server, os, subprocess, sys, time, urllib.error, urllib.request

def rounds(): # that the model has learnt
    said = subprocess.run("bin2txt -f head state/w.bin", shell=True, capture_output=True, text=True).stdout
    return int(said.split(" rounds=")[1].split()[0]) - int(sys.argv[2])

class Straight(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None

class Front(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith("/docs/"):
            try:
                answer = urllib.request.build_opener(Straight).open(sys.argv[1] + self.path[1:])
            except urllib.error.HTTPError as error:
                answer = error
            return self.reply(answer.status, answer.read(), [h for h in answer.headers.items() if h[0] != "Connection"])
        if self.path.startswith("/learnt/"):
            while rounds() < int(self.path.rpartition("/")[2]):
                time.sleep(0.1)
            time.sleep(0.2)
            return self.reply(200, b"")
        with open(os.path.basename(self.path), "rb") as file:
            self.reply(200, file.read(), [("Content-Type", "text/html; charset=utf-8")])

    def do_POST(self):
        with open("report.new", "wb") as file:
            file.write(self.rfile.read(int(self.headers["Content-Length"])))
        os.rename("report.new", "report")
        self.reply(200, b"")

    def reply(self, status, body, headers=()):
        self.send_response(status)
        for header in headers:
            self.send_header(*header)
        self.end_headers()
        self.wfile.write(body)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Front)
print(server.server_port, flush=True)
server.serve_forever()
END
    python3 front.py "$1" "$first" >port 2>front.log &
    others+=" $!"
    until [ -s port ]; do sleep 0.05; done
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

@test "searches by simulated people in a browser, by a web server before the site, make the lists better" {
    in_release
    command -v chromium >/dev/null || skip "no chromium here"
    collection docs
    site docs --settle 1 --explore="-p top -g 0.05 -s ${people:-1}"
    SECONDS=0
    searches=100
    people_page | sed "s/SEED/${people:-1}/; s/SEARCHES/$searches/" >people
    front "$url"
    chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" \
        --remote-debugging-port=0 "http://127.0.0.1:$(cat port)/people" >chromium.log 2>&1 &
    browser=$!
    others+=" $browser"
    until [ -e report ]; do # people need a minute
        kill -0 $browser
        [ $SECONDS -lt 600 ]
        sleep 0.2
    done
    stop
    kill $browser && wait $browser || true
    for _ in $(seq 100); do rm -rf profile 2>rm.err && break; sleep 0.1; done # its processes end after it
    cat report
    is "$(wc -l <report)" $searches
    is "$(cat state/errors)" ''
    first=$(ndcg 1 20) last=$(ndcg $((searches - 19)) $searches)
    echo "$first $(ndcg 21 40) $last"
    awk -v first="$first" -v last="$last" 'BEGIN { exit !(last > first + 0.2 && last > 0.8) }'
}
