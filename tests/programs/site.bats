# site: the page of results, its clicks, what is learnt from them, and hostile documents and clients.
load ../helper

NEEDS=python3
SITE=$ROOT/lib/python/rankpipe_site
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
    "${PROGRAM:-$ROOT/bin/rankpipe}" site -s state -l 127.0.0.1:0 --every 0.2 --explore="-p top -g 0 -s ${seed:-1}" "$@" $folder >said 2>&1 &
    started=$!
    until grep -q 'site: http' said && is_read && "$ROOT/bin/serve" -a state/rank.socket </dev/null 2>/dev/null; do
        kill -0 $started || { cat said && return 1; }
        sleep 0.05
    done
    url=$(sed -n 's/^site: \(http[^ ]*\) .*/\1/p' said)
    first=${first:-$(bin2txt -f head state/w.bin | sed 's/.* rounds=\([0-9]*\) .*/\1/')}
}

# is_read: has the index all of the folder?
is_read() {
    in_python 2>/dev/null <<<'from rankpipe_site.searching import Index; raise SystemExit(Index("state/documents.db").reading() is not None)'
}

stop() {
    kill "-${1:-TERM}" $started
    wait $started || [ -n "${1-}" ]
    started=
}

# in_python: a program that has the modules of the site.
in_python() {
    PYTHONPATH=$ROOT/lib/python python3 - "$@"
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
    "$ROOT/bin/rankpipe" site -i -n 1 -s state $1 2>indexed
}

# learnt: how many searches the model has learnt, besides those for titles.
learnt() {
    echo $(($(bin2txt -f head state/w.bin | sed 's/.* rounds=\([0-9]*\) .*/\1/') - first))
}

# paths: of the documents of the index, with their titles.
paths() {
    in_python <<'END'
from rankpipe_site.searching import Index
for row in Index("state/documents.db").db.execute("select path, title from document order by path"):
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
    is "$(cat indexed)" "site: 9 documents of $PWD/docs; 2 files are left out ($PWD/state/left-out says why)"
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
from rankpipe_site import searching, words
found = searching.Index("state/documents.db")
texts = {path: found.document(n)[2] for n, path in found.db.execute("select id, path from document")}
assert texts["jam.html"] == "Boil it\nwell", texts["jam.html"]
assert "Plums and pears, well‐known - café" in texts["dry.1"], texts["dry.1"]
assert not found.search(words.asked("secret")).pool and not found.search(words.asked("evil")).pool
END
    mkdir docs/man1 docs/de
    mv docs/dry.1 docs/man1
    cp docs/man1/dry.1 docs/de
    indexed docs
    is "$(paths)" 'man1/dry.1|dry(1) - keep fruit'
    mkdir none
    fails 1 "site: $PWD/none: no documents: name a folder *" "$ROOT/bin/rankpipe" site -i -s state none
    fails 1 "site: $PWD/gone: No such file or directory" "$ROOT/bin/rankpipe" site -i -s state gone
    mkdir begun # a state that was ended before it knew its folder
    in_python <<<'from rankpipe_site import index; index.Builder("begun/documents.db").close()'
    fails 1 'site: which folder? Name it: rankpipe site FOLDER' "$ROOT/bin/rankpipe" site -i -s begun
    "$ROOT/bin/rankpipe" site -i -s begun docs
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
from rankpipe_site import documents, index
import sqlite3, sys
def have():
    return sqlite3.connect("state/documents.db").execute("select path, id, title from document order by id").fetchall()
assert have() == [("b", 1, "anew b"), ("d", 3, "about d"), ("a", 4, "about a"), ("e", 5, "about e")], have()
read = []
true = documents.read_files
def reading(below, paths, *others, **more):
    read.extend(paths)
    for found in true(below, paths, *others, **more):
        yield found
        if len(read) == 3 and found[1] == "" and found[0] == "f":
            raise KeyboardInterrupt
documents.read_files = reading
folder = sys.argv[1] + "/docs"
for name in "fgh":
    open(folder + "/" + name, "w").write("about " + name)
index.COMMIT = 0
try:
    index.build("state/documents.db", folder, 1)
except KeyboardInterrupt:
    assert len(have()) == 5, have()
assert index.build("state/documents.db", folder, 1)[0] == 7 and len(have()) == 7
assert read == ["f", "g", "h", "g", "h"], read
for path, in sqlite3.connect("state/documents.db").execute("select path from document"): # what was taken out left no word
    open("%s/%s" % (folder, path), "w").write("other")
index.build("state/documents.db", folder, 1)
db = sqlite3.connect("state/documents.db")
assert db.execute("select term, doc from vocabulary where term in ('about', 'other', 'anew')").fetchall() == [("other", 7)]
db.execute("insert into words(words) values('integrity-check')")
END
}

@test "the features of two words, worked by hand" {
    mkdir docs
    printf 'Red apples\nred red\n' >docs/one
    printf 'Pears\nred pears with sugar and wine\n' >docs/two
    for i in 3 4 5 6; do printf 'Wine\n' >docs/$i; done
    indexed docs
    in_python <<'END'
from rankpipe_site import index, searching, words
import math
found = searching.Index("state/documents.db").search(words.asked("apples RED, red!"))
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
assert searching.features(["list", "ls"], "ls", "ls 1 list", 1, 0, 0, 0)[3:5] == (1, 1)
END
}

@test "documents with all words come first; if they are few, those with some words follow, except common ones" {
    mkdir docs
    for i in $(seq 30); do echo "the number $i $([ $((i % 2)) = 1 ] || echo even) $([ "$i" -gt 3 ] || echo small)" >docs/$i; done
    for i in $(seq 15); do printf 'other\nthe the the the %s\n' "$i" >docs/other$i; done
    indexed docs
    in_python <<'END'
from rankpipe_site import searching, words
searching.MANY, searching.POOL = 20, 12
found = searching.Index("state/documents.db")
def of(query):
    got = found.search(words.asked(query))
    return got.total, got.every, len(got.pool)
assert of("the even") == (15, True, 12), of("the even")
assert of("even small") == (17, False, 12), of("even small")
assert of("the small") == (3, True, 3), of("the small") # the is in too many
assert of("the nothing") == (0, True, 0), of("the nothing") # the says nothing
assert of("the") == (45, True, 12) # those with it in the title
assert all(result.number <= 30 for result in found.search(words.asked("the")).pool)
assert found.search(words.asked("even small")).pool[0].path == "2"
END
}

@test "words: folded alike in documents and queries; a query is the same in any order; ten words at most" {
    in_python <<'END'
from rankpipe_site.words import asked
assert asked("plum pear apple")[1:] == asked("  PLUM, apple-pear plum ")[1:] == (("apple", "pear", "plum"), (), "apple pear plum")
assert asked("Größe GRÖSSE grösse").words == ("grosse",), asked("Größe GRÖSSE")
assert asked("snake_case 中文 Йод").words == ("case", "snake", "иод", "中", "文"), asked("snake_case 中文 Йод")
assert len(asked(" ".join(map(str, range(20)))).words) == 10
assert asked("x" * 65 + " y\0z \ud800").words == ("y", "z")
# Quotation marks, signs and a leading dot make another query, with a name as it was typed.
assert asked('  "Event  Loop" x')[1:] == (("event", "loop", "x"), (("event", "loop"),), '"event loop" x')
assert len({asked(each).words for each in ("c++", "C#", ".NET", "c")}) == 4
assert [asked(each).name for each in ("C++ map", ".NET", "net.", "a+b")] == ["cplusplus map", "dotnet", "net", "a+b"]
assert asked("c++11").words == ("11", "cplusplus") and asked("abc++").words == ("abc",) and asked(".network").words == ("network",)
END
}

@test "stems, quoted words and signs are found; how and the need not be there; a typo without results shows what was meant" {
    mkdir docs
    for i in 1 2 3; do echo "the number $i of lines" >docs/n$i; done
    echo 'print word counts of files — so it says' >docs/wc
    echo 'word count' >docs/exact
    echo 'event loop of C++' >docs/loop
    echo 'loop of an event in C#' >docs/apart
    echo 'largest .NET größte' >docs/net
    indexed docs
    in_python <<'END'
from rankpipe_site import searching, words
index = searching.Index("state/documents.db")
def of(text):
    found = index.search(words.asked(text))
    return [each.path for each in found.pool], found.total, found.every, found.without
assert of("count word") == (["exact", "wc"], 2, True, ()), of("count word")
assert of("word counts")[0] == ["wc", "exact"]
assert of('"word count"') == (["exact"], 1, True, ()) and of('"loop event"')[1] == 0 and of('"event loop"')[0] == ["loop"]
assert of("how do i count the words") == (["exact", "wc"], 2, True, ("do", "how", "i", "the")), of("how do i count the words")
assert of("the")[1] == 3 and of("how")[1] == 0 # a query of such words alone
assert of("c++")[0] == ["loop"] and of("C#")[0] == ["apart"] and of(".net")[0] == ["net"] and of("c")[1] == 0
assert of("grösste")[0] == ["net"] and of("large")[1] == 0 and of("event counting nothing") == (["loop", "apart", "exact", "wc"], 4, False, ()), of("event counting nothing")
END
    site docs
    get '?q=nuumber' >page
    grep -F '<p>These are results for <b>number</b>. No document has <a href="./?q=nuumber&amp;literal=1">nuumber</a>.</p>' page
    is "$(titles <page | wc -l)" 3
    get '?q=nuumber&literal=1' | grep -F 'No document has this word.'
    is "$(spooled state/log | bin2txt -f head | grep -o ' qid=[^ ]*' | sort -u)" ' qid=number'
    get '?q=how+do+i+count+the+words' | grep -F 'No document has all: without do how i the, 2 documents have all of these words.'
    stop
}

@test "HTML: its main part without menus, sections by heading and anchor, titles without what all share, one of several forms" {
    mkdir -p docs/_sources
    for i in 1 2 3 4 5; do
        cat >docs/p$i.html <<END
<title>Topic $i | The Manual</title><body><div id=side><ul><li><a href=p1.html>menuword one</a><li>menuword two</ul></div>
<header><h1>The Manual</h1></header><div><h2 id=topic>Topic $i<a href="#topic">#</a></h2><p>intro $i apples</p>
<h3><a id="first">First $i</a></h3><p>pears$i first</p><section id=second><h3>Second $i</h3><p>plums$i</p><h5>small</h5></section>
<h2>No anchor</h2><p>figs$i</div><footer>footword</footer>
END
    done
    echo '<title>x</title><nav>navword</nav><main><h1>Main <b>title</b></h1>mainword<aside>asideword</aside></main>outword' >docs/main.html
    echo '# p1 in another form' >docs/p1.md
    echo 'source' | gzip >docs/_sources/p2.rst.txt.gz
    echo '{"a": "alone"}' >docs/alone.json
    indexed docs
    in_python >have <<'END'
from rankpipe_site import searching, words
index = searching.Index("state/documents.db")
for row in index.db.execute("select path, title, heading, id from document where path like 'p1%' or path like 'main%' or path like '%so%' or path like 'alone%' order by path"):
    print(*row[:3], index.document(row[3])[2].replace("\n", "/"), sep="|")
for word in "menuword", "footword", "navword", "asideword", "outword", "The Manual":
    assert not index.search(words.asked(word)).total, word
assert [each.path for each in index.search(words.asked("topic 1")).pool][:1] == ["p1.html"]
assert index.file(index.search(words.asked("plums3")).pool[0].number) == "p3.html#second"
END
    is "$(cat have)" 'alone.json|alone.json|None|{"a": "alone"}
main.html|Main title|None|mainword
p1.html|Topic 1|None|intro 1 apples
p1.html#first|Topic 1|First 1|pears1 first
p1.html#second|Topic 1|Second 1|plums1/small/No anchor/figs1'
    is "$(cat state/left-out)" '_sources/p2.rst.txt.gz: another form of p2.html
p1.md: another form of p1.html'
    # Three sections of a page come before those of other pages; a section of two pages is there once.
    for i in 1 2 3 4 5; do echo "<h3 id=a$i>Pear $i</h3>a pear that is ripe and green, and that is number $i"; done >docs/many.html
    { cat docs/many.html && echo '<h3 id=b>Own</h3>own pear'; } >docs/other.html
    indexed docs
    in_python >have <<'END'
from rankpipe_site import searching, words
pool = [each.path for each in searching.Index("state/documents.db").search(words.asked("pear")).pool]
assert sorted(pool) == ["many.html#a%d" % i for i in range(1, 6)] + ["other.html#b"] and pool.index("other.html#b") == 3, pool
END
}

@test "further down: a document that users chose stays a candidate of their query; what is erased is chosen no more" {
    mkdir docs
    for i in $(seq 40); do echo "plum $i" >docs/$i; done
    site docs --settle 0
    get '?q=plum&page=3' >page
    wanted=$(titles <page | sed -n 5p)
    get "$(links <page | sed -n 5p)"
    for _ in $(seq 200); do [ ! -e state/chosen.db ] || [ -z "$(chosen)" ] || break; sleep 0.1; done
    is "$(chosen)" "plum|${wanted#plum }|1"
    is "$(stat -c %a state/chosen.db)" 600
    stop
    for i in $(seq 100 180); do yes plum | head -n $((i % 7 + 2)) >docs/$i; done
    "$ROOT/bin/rankpipe" site -i -s state 2>said
    in_python "${wanted#plum }" <<'END'
import sys
from rankpipe_site import searching, words
index, query = searching.Index("state/documents.db"), words.asked("plum")
assert sys.argv[1] not in [each.path for each in index.search(query).pool] and len(index.search(query).pool) == 50
assert [each.path for each in index.search(query, sys.argv[1:]).pool][50:] == sys.argv[1:]
END
    site ''
    get '?q=plum' | titles | grep -x "$wanted"
    stop
    (cd state && rankpipe service erase documents "${wanted#plum }")
    is "$(chosen)" ''
    is "$(grep -c "${wanted#plum }" state/chosen.db || true)" 0
    (cd state && rankpipe service set chosen 0 && rankpipe service learn)
    [ ! -e state/chosen.db ]
}

# chosen: what chosen.db has.
chosen() {
    in_python <<<'import sqlite3; [print(*row, sep="|") for row in sqlite3.connect("state/chosen.db").execute("select query, path, clients from chosen")]'
}

@test "spelling: words that are rare and near to frequent ones; one letter, or two swapped" {
    in_python <<'END'
from rankpipe_site.words import distance
cases = {("kitten", "sitting"): 3, ("abc", "abc"): 0, ("", "ab"): 2, ("ab", "ba"): 1, ("change", "chnage"): 1, ("abcd", "acbd"): 1}
for pair, right in cases.items():
    assert distance(*pair) == distance(*pair[::-1]) == right, (pair, distance(*pair))
END
    mkdir docs
    for i in $(seq 60); do echo "change password пароль $i" >docs/$i; done
    echo 'pasword word' >docs/wrong
    indexed docs
    in_python <<'END'
from rankpipe_site import searching, words
found = searching.Index("state/documents.db")
def spelled(query): return found.spelled(words.asked(query).words)
for wrong in ("chnage", "chage", "changge", "chango", "changes"):
    assert spelled(wrong) == ["change"], (wrong, spelled(wrong))
assert spelled("change pasword") == ["change", "password"] # one document has it, sixty have the other
assert spelled("праоль") == ["пароль"]
for right in ("change password", "pear", "chan", "zzzzzz", "word"):
    assert spelled(right) is None, (right, spelled(right))
END
}

@test "queries of any bytes give a page, whose text is what was asked; a page that is not there says so" {
    mkdir docs
    echo 'Äpfel & <b>grüne</b> "Birnen"' >docs/fruit.txt
    site docs
    get '?q=gr%C3%BCne+%3Cscript%3Ealert(1)%3C/script%3E%22%27%26' >page
    grep -F 'value="grüne &lt;script&gt;alert(1)&lt;/script&gt;&quot;&#x27;&amp;"' page
    grep -F '&lt;b&gt;<mark>grüne</mark>&lt;/b&gt; &quot;Birnen&quot;' page
    is "$(grep -c '<script' page)" 1 # its own
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
        'doc/../../etc/passwd' %2e%2e/index.db state/documents.db secret; do
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
    back=$(sed -n 's/.*rel="prev nofollow" href="\([^"]*\)".*/\1/p' page | sed 's/&amp;/\&/g')
    get "${back#./}" | grep 'Here are 11 to 20'
    get '?q=plum+nowhere' | grep -F '25 documents have some of these words.'
    get '?q=nowhere' | grep -F 'No document has this word.'
    stop
}

@test "before the first click the pages have the order of the index, which is sent as the base" {
    mkdir docs
    for i in $(seq 25); do yes plum | head -n $((i * i)) >docs/$i; echo "$i and $((i % 7)) $(seq "$i")" >>docs/$i; done
    site docs --explore='-B .37 -s random'
    get '?q=plum+and' >page
    titles <page >shown
    next=$(sed -n 's/.*rel="next nofollow" href="\([^"]*\)".*/\1/p' page | sed 's/&amp;/\&/g')
    get "${next#./}" | titles >>shown
    in_python <<<'from rankpipe_site import searching, words; print(*[each.title for each in searching.Index("state/documents.db").search(words.asked("and plum")).pool[:20]], sep="\n")' >want
    same want shown
    in_python <<<'from rankpipe_site import searching, words; print(*[each.path for each in searching.Index("state/documents.db").search(words.asked("and plum")).pool], sep="\n")' >pool
    stop
    spooled state/log >log.bin
    is "$(bin2txt -f head log.bin | grep -o 'docs=[0-9]*' | xargs)" docs=25 # further pages are of the same ranking
    is "$(values_of base <log.bin | xargs)" "$(seq 0 24 | xargs)"
    bin2txt -f rank log.bin | cut -f 4 >sent # the order is the base's
    same pool sent
}

# said: what the answers say, without requests and times.
said() {
    cat state/answers/* 2>/dev/null | sed 's/.*time=[0-9]*//'
}

@test "a click counts if the client for whom the link was made follows it on this site; it leads to a document of the index only" {
    mkdir docs
    echo 'plum' >docs/one
    site docs --proxy 127.0.0.1
    by() { get "$1" X-Forwarded-For="$2" "${@:3}"; }
    by '?q=plum&q=x' 192.0.2.1 >page
    go=$(links <page)
    none=$(sed -n 's/.*href="\(go[^"]*\)">None of these.*/\1/p' page | sed 's/&amp;/\&/g')
    for changed in "${go/d=1/d=2}" "${go/s=/s=0}" "${go%&s=*}" 'go?r=0123456789abcdef&p=1&n=1&d=1'; do
        by "$changed" 192.0.2.1 >out
        is "$(sed -n 1p head) $changed" "404 $changed"
    done
    for changed in "${go/p=1/p=0}" "${go/n=1/n=2}" "${go/r=/r=0}" "${go/&c=/&c=0}" "${go%&c=*}" "$go%0a"; do # it opens, and counts nothing
        by "$changed" 192.0.2.1
        is "$(sed -n 1p head) $changed" "303 $changed"
    done
    METHOD=HEAD by "$go" 192.0.2.1 Sec-Purpose=none
    METHOD=POST by "$go" 192.0.2.1 >out
    is "$(sed -n 1p head)" 405
    for header in Sec-Purpose=prefetch Purpose=prefetch Sec-Fetch-Site=cross-site Sec-Fetch-Site=same-site Sec-Fetch-Dest=image; do
        by "$go" 192.0.2.1 $header
        is "$(sed -n 1p head)" 303
    done
    for other in 198.51.100.1 2001:db8::1 127.0.0.1; do by "$go" $other; done
    is "$(said)" ''
    by "$go" 192.0.2.9 Sec-Fetch-Site=same-origin Sec-Fetch-Dest=document # one of the same network
    is "$(sed -n 's/^Location: //p' head)" 'doc?d=1&q=plum'
    word=$(said | sed -n 's/ client=\([0-9a-f]*\) event=click place=1 shown=1/\1/p')
    by "$none" 192.0.2.1 | grep '<p>This search counts as one without a click.</p>'
    by "$none&x=1" 192.0.2.1 | grep 'value="plum"'
    is "$(said | grep clicks=1)" " client=$word clicks=1 0
 client=$word clicks=1 0"
    is "$(cut -f 1 state/answers/* | sort -u)" "$(expr "$go" : '.*r=\([0-9a-f]*\)')"
    # Yesterday's word counts for an hour after midnight.
    in_python <<'END'
import os, time
import rankpipe_front as front
noon = time.time() // 86400 * 86400 + 43200
class At:
    def __getattr__(self, name): return getattr(time, name)
at, front.time = At(), At()
def word(now):
    front.time.time = lambda: now
    clients = front.Clients("state", late=3600)
    return clients.word("192.0.2.1"), [each for _, each in clients.words("192.0.2.1")]
today, known = word(noon)
assert known == [today]
tomorrow, known = word(noon + 43200 + 3000)
assert tomorrow != today and known == [tomorrow, today], known
assert word(noon + 43200 + 3700) == (tomorrow, [tomorrow])
END
    stop
}

@test "another name of this machine is refused, unless --host names it; a secret that is cut is refused, one that is lost made" {
    mkdir docs
    echo plum >docs/one
    site docs --host docs.example
    for name in localhost 127.0.0.1 '[::1]:80' docs.example:8080; do get '?q=plum' Host=$name >out; is "$(sed -n 1p head)" 200; done
    for name in evil.example localhost.evil.example; do get '?q=plum' Host=$name >out; is "$(sed -n 1p head)" 421; done
    grep -x "This site is not called localhost.evil.example: start it with --host and that name." out
    stop
    head -c 31 state/secret >cut
    cp cut state/secret
    fails 1 "site: $PWD/state/secret is damaged: remove it: links of before then count nothing" "$ROOT/bin/rankpipe" site -s state -l 127.0.0.1:0
    rm state/secret
    site ''
    is "$(stat -c '%s %a' state/secret)" '32 600'
    stop
}

@test "HTML opens as it is, with what its pages name, and runs nothing; other documents are shown as text" {
    mkdir -p docs/sub docs/css outside
    echo secret >outside/secret
    cat >docs/sub/jam.html <<'END'
<!doctype html><title>Plum jam</title><link rel=stylesheet href="../css/a.css"><p id=a>plum</p>
<script>document.getElementById("a").textContent = "it ran"</script><img src=../pic%201.png onerror="document.title=1">
<img src="../.hidden.png"><img src="../../outside/secret.png"><a href="../named.txt">named</a>
END
    echo '@import "b.css"; p { background: url(c.svg) }' >docs/css/a.css
    for name in css/b.css css/c.svg 'pic 1.png' css/other.css css/other.js .hidden.png data.bin; do printf '<svg>\0' >"docs/$name"; done
    printf '<svg xmlns="http://www.w3.org/2000/svg"><script>document.documentElement.textContent = "it ran"</script></svg>' >docs/css/c.svg
    ln -s ../outside/secret docs/link.html
    ln -s ../../outside/secret docs/css/d.css
    echo 'plum <b>bold</b>' >docs/text
    printf '<title>Packed plum</title><p>plum' | gzip >docs/packed.html.gz
    site docs --exclude 'css/b*'
    get '?q=plum' >page
    for link in $(links <page); do
        get "$link"
        sed -n 's/^Location: //p' head
    done | sort >shown
    number() { in_python "$1" <<<'import sqlite3, sys; print(sqlite3.connect("state/documents.db").execute("select id from document where path = ?", sys.argv[1:]).fetchone()[0])'; }
    packed=$(number packed.html.gz) text=$(number text)
    is "$(cat shown)" "$(printf 'doc?d=%d&q=plum\n' "$packed" "$text" | sort && echo files/sub/jam.html)"
    get files/sub/jam.html >raw
    same raw docs/sub/jam.html
    is "$(grep -c ^Content-Security-Policy: head) $(sed -n 's/^Content-Security-Policy: //p' head)" '1 sandbox allow-popups allow-downloads'
    grep -x 'X-Content-Type-Options: nosniff' head
    grep -x 'Access-Control-Allow-Origin: null' head
    types() { for path in "$@"; do get "files/$path" >out; echo "$(sed -n 1p head) $(sed -n 's/^Content-Type: //p' head) $path"; done; }
    is "$(types css/a.css css/c.svg pic%201.png text some/../text)" '200 text/css; charset=utf-8 css/a.css
200 image/svg+xml css/c.svg
200 image/png pic%201.png
200 text/plain; charset=utf-8 text
404 text/html; charset=utf-8 some/../text'
    for path in css/b.css css/other.css css/other.js css/d.css link.html .hidden.png data.bin ../secret %2e%2e/secret ..%2fsecret \
        %2fetc/passwd /etc/passwd css '' sub/ sub/jam.html/ sub/jam.html%00 ../state/secret; do
        get "files/$path" >out
        is "$(sed -n 1p head) $path" "404 $path"
    done
    ln -sf ../outside/secret docs/css/a.css
    get files/css/a.css >out
    is "$(sed -n 1p head)" 404
    if command -v chromium >/dev/null; then
        for path in sub/jam.html css/c.svg; do
            timeout 60 chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=2000 --dump-dom "${url}files/$path" 2>/dev/null >dom
            is "$(grep -c 'it ran</' dom || true) $(grep -c '<p id="a">plum</p>\|<svg' dom)" '0 1'
        done
    fi
    get "doc?d=$text" | grep '<pre tabindex="0">plum &lt;b&gt;bold&lt;/b&gt;</pre>'
    get "doc?d=$packed" >doc
    frame=$(sed -n 's/.*<iframe sandbox="" src="\(page?d=[0-9]*\)" title="Packed plum"><\/iframe>.*/\1/p' doc)
    get "$frame" >raw
    is "$(cat raw)" '<title>Packed plum</title><p>plum'
    is "$(sed -n 's/^Content-Security-Policy: //p' head)" "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
    for wrong in 'page' 'page?d=' "page?d=$text" 'page?d=99' 'page?d=-1' 'page?d=1e3' 'page?d=99999999999999999999'; do
        get "$wrong" >out
        is "$(sed -n 1p head) $wrong" "404 $wrong"
    done
    stop
}

@test "--link: results lead to the real pages, by signed links, and to nowhere else" {
    mkdir -p docs/deep
    echo 'plum' >'docs/deep/a b&<%.txt'
    for wrong in 'docs.example/{path}' 'https://docs.example/' 'https://{path}/' 'javascript:{path}' 'https://a/{path}{path}' \
        $'https://a/{path}\r\nX: y' 'https://a/ {path}'; do
        fails 2 '*is no address with {path} after the name of a machine, such as https://docs.example/{path}*' \
            "$ROOT/bin/rankpipe" site -s state --link "$wrong" docs
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
from rankpipe_site import searching, words
for result in searching.Index("state/documents.db").search(words.asked("plum")).pool[:10]: print(result.title)
END
    is "$(titles <page)" "$(cat own)"
    kill -KILL "$pid"
    for _ in $(seq 100); do
        get '?q=plum' >page
        [ "$(links <page | grep -c '^go')" != 10 ] || break
        sleep 0.1
    done
    is "$(links <page | grep -c '^go')" 10
    grep "^site: serve has ended by signal 9, and is started again: $PWD/state/errors has its messages" said
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
    [ -z "$(cat state/answers/* | grep -vE '^[0-9a-f]+.time=[0-9]+ event=click place=[78] shown=9$')" ]
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
    fails 1 "site: $PWD/state: process $started runs here already: end it, or use another folder" "$ROOT/bin/rankpipe" site -s state
    port=${url##*:}
    fails 1 "site: 127.0.0.1 port ${port%/}: Address already in use: choose another by -l" \
        "$ROOT/bin/rankpipe" site -s two -l "127.0.0.1:${port%/}" docs
    fails 1 'site: which folder? *' "$ROOT/bin/rankpipe" site -s two -l 127.0.0.1:0
    mkdir old
    touch old/names
    fails 1 "site: $PWD/old is of rankpipe 0.4 or another program: choose another folder by -s" \
        "$ROOT/bin/rankpipe" site -s old docs
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
        PROGRAM=$(echo "$PWD"/here/bin/*rankpipe)
        PATH=$(dirname "$(command -v python3)"):/usr/bin:/bin site docs
        is "$(get '?q=plum' | links | cut -c 1-5)" 'go?r='
        stop
        fails 2 $'search.py: run *rankpipe site, with the same words; *\nsite: *' python3 "$PWD"/here/share/*rankpipe/site/search.py -x
        make -s -C "$ROOT" uninstall PREFIX="$PWD/here" $settings
        is "$(find here -type f)" ''
    done
}

@test "hostile documents, names, links and archives: nothing is written, read outside or run, and no answer is late" {
    python3 "$ROOT/tests/programs/hostile_folder" docs outside
    touch mark
    site docs
    # What is replaced after it was indexed leads nowhere.
    ln -sf ../outside/secret docs/later.txt
    rm docs/pipe-later.txt
    mkfifo docs/pipe-later.txt
    in_python "$url" <<'END'
import html, re, sys, time, urllib.error, urllib.request
from rankpipe_site.pages import SCRIPT
url, pages, files = sys.argv[1], [], 0
def get(path):
    global files
    begun = time.monotonic()
    with urllib.request.urlopen(url + path, timeout=10) as answer:
        page = answer.read().decode()
    assert time.monotonic() < begun + 10, path
    if "/files/" in answer.url: # as it is, and nothing in it runs
        files += 1
        assert answer.headers.get_all("Content-Security-Policy") == ["sandbox allow-popups allow-downloads"], path
        return page
    assert page.count("<script>%s</script>" % SCRIPT) == 1, path
    page = page.replace("<script>%s</script>" % SCRIPT, "")
    assert page.count("<script") == page.count("onload=") - page.count("&lt;body onload=") == 0 or "<pre" in page, path
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
assert len(pages) > 80 and files > 1, (len(pages), files)
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
    ['html[lang]', 'header form[role=search]', 'header a[href="./"]', 'label[for=q]', 'input#q', 'main#main', 'h1', 'a.skip[href="#main"]'].forEach(one);
    if (page.querySelector('#q').value != query) throw 'the query is not kept in ' + page.URL;
    for (const nav of page.querySelectorAll('nav')) if (!nav.ariaLabel) throw 'a nav without a label';
    if (page.scripts.length != 1 || !page.title) throw 'scripts, or no title';
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

# browsed WIDTH SCHEME PAGE: what axe-core finds on a page in a browser of that width, and how far the page is too wide.
browsed() {
    in_python "$@" "$ROOT/node_modules/axe-core/axe.min.js" <<'END' >browsed.html
import pathlib, re, sys
from rankpipe_site.pages import SCRIPT, SHEET
width, scheme, name, axe = sys.argv[1:]
sheet = "html{width:%spx}%s" % (width, SHEET.decode())
if scheme == "dark":
    sheet = sheet.replace("@media (prefers-color-scheme: dark)", "@media all").replace("light dark", "dark")
page = pathlib.Path(name).read_text().replace("<script>%s</script>" % SCRIPT, "")
print(re.sub("<link rel=.stylesheet[^>]*>", lambda _: "<style>%s</style>" % sheet, page), "<script>",
      pathlib.Path(axe).read_text().replace("</script", "<\\/script"), """</script><script>
const wide = document.body.scrollWidth - document.documentElement.offsetWidth;
axe.run(document).then(found => {
    const out = document.createElement('pre');
    out.id = 'said';
    out.textContent = 'wide ' + Math.max(0, wide) + found.violations.map(each => '; ' + each.id + ': ' + each.nodes[0].html).join('');
    document.body.append(out);
});
</script>""")
END
    timeout 100 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --window-size=1400,2000 \
        --virtual-time-budget=60000 --dump-dom "file://$PWD/browsed.html" 2>/dev/null | sed -n 's/.*<pre id="said">\(.*\)<\/pre>.*/\1/p'
}

@test "six kinds of pages have no fault that axe-core finds, on a phone and on a wide screen, light and dark" {
    command -v chromium >/dev/null || skip 'no chromium here'
    [ -e "$ROOT/node_modules/axe-core/axe.min.js" ] || skip 'no axe-core here: npm install --no-save axe-core'
    mkdir docs
    for i in $(seq 25); do echo "plum $i, and a line of some more words that no phone has room for in one line of text" >docs/$i.txt; done
    printf '<title>Plum jam</title><p>plum<h2 id=a>How to</h2>boil it' >docs/jam.html
    site docs
    for path in '' help '?q=plum' '?q=plum&page=3' '?q=nothing' 'doc?d=2&q=plum'; do
        get "$path" >page
        for look in '390 light' '1280 dark'; do
            # shellcheck disable=SC2086
            is "$path $(browsed $look page)" "$path wide 0"
        done
    done
    stop
}

@test "as one types, the index's own order comes at once and the ranked list when it stands; keys go through it" {
    command -v chromium >/dev/null || skip 'no chromium here'
    mkdir docs
    for i in 1 2 3; do echo "plum and peach $i" >docs/$i; done
    site docs
    front "$url"
    cat >typing <<'END'
<!doctype html>
<title>typing</title>
<iframe id=frame src="/docs/"></iframe>
<script>
const frame = document.getElementById('frame'), said = [];
const wait = ms => new Promise(done => setTimeout(done, ms));
async function until(what) {
    for (let i = 0; i < 600; i++) { if (what()) return; await wait(50); }
    throw 'in vain: ' + what;
}
async function people() {
    const window_ = frame.contentWindow, page = window_.document, box = page.querySelector('#q');
    const links = () => [...page.querySelectorAll('main ol a')], active = () => page.activeElement;
    const key = name => active().dispatchEvent(new window_.KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
    const typed = text => { box.value = text; box.dispatchEvent(new window_.Event('input')); };
    box.focus();
    for (const text of ['p', 'pl', 'plu', 'plum']) typed(text);
    await until(() => links().length === 3);
    said.push('typed ' + links()[0].getAttribute('href').slice(0, 4) + ' ' + (active() === box));
    await until(() => links().length === 3 && links()[0].getAttribute('href').startsWith('go?r='));
    said.push('stood ' + window_.location.search + ' ' + page.title + ' ' + (active() === box));
    for (const name of ['ArrowDown', 'ArrowDown', 'ArrowUp']) key(name);
    said.push('arrows ' + (active() === links()[0]));
    key('ArrowUp');
    said.push('box ' + (active() === box));
    key('ArrowDown');
    key('Escape');
    said.push('escape ' + (active() === box));
    box.blur();
    key('/');
    said.push('slash ' + (active() === box));
    typed('peach');
    box.form.requestSubmit();
    await until(() => window_.location.search === '?q=peach');
    said.push('enter ' + links().length + ' ' + (window_.history.length > 1));
    typed('');
    await until(() => !links().length);
    box.blur();
    key('?');
    await until(() => frame.contentDocument.title.startsWith('Help'));
    said.push('help');
}
window.onload = () => people().catch(error => said.push('error ' + error))
    .then(() => fetch('/report', { method: 'POST', body: said.join('\n') + '\n' }));
</script>
END
    chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" \
        --remote-debugging-port=0 "http://127.0.0.1:$(cat port)/typing" >chromium.log 2>&1 &
    browser=$!
    others+=" $browser"
    until [ -e report ]; do kill -0 $browser && sleep 0.2; done
    kill $browser && wait $browser || true
    for _ in $(seq 100); do rm -rf profile 2>rm.err && break; sleep 0.1; done
    is "$(cat report)" 'typed doc? true
stood ?q=plum plum - docs true
arrows true
box true
escape true
slash true
enter 3 true
help'
    stop
    spooled state/log | bin2txt -f head | grep -o ' qid=[^ ]*' | sort | uniq -c | awk '{ print $1, $2 }' >asked
    is "$(cat asked)" $'1 qid=peach\n1 qid=plum' # what was typed on the way is no search
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
