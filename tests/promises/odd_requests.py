"""Odd requests that one client sends: pairs of a name and the bytes, for rankpipe api, for serve and for the site; and odd
answers. Each is answered or refused, and all honest requests are to be answered afterwards."""
import json
import urllib.parse

DOCUMENTS = 20
HUGE, TINY, LARGEST = "1e308", "1e-320", "2147483648"


def document(name, features):
    """A document of a body, with numbers as they are written."""
    return '{"name": %s, "features": {%s}}' % (
        json.dumps(name), ", ".join('"%s": %s' % pair for pair in features.items()))


def body(documents, query="query 0"):
    return ('{"query": %s, "documents": [%s]}' % (json.dumps(query), ", ".join(documents))).encode()


def each(value, docs=DOCUMENTS, dim=3):
    """Documents all of whose features are value(i, j)."""
    return [document("d%d" % (i + 1), {j + 1: value(i, j) for j in range(dim)}) for i in range(docs)]


def bodies():
    """Bodies for /rank."""
    yield "1e308 everywhere", body(each(lambda i, j: HUGE))
    yield "1e308 in one feature", body(each(lambda i, j: HUGE if i == j == 0 else "0.5"))
    yield "1e308 and -1e308", body(each(lambda i, j: HUGE if i % 2 else "-" + HUGE))
    yield "1e38, the largest of 4 bytes", body(each(lambda i, j: "3.4e38" if i % 2 else "-3.4e38"))
    yield "1e19", body(each(lambda i, j: "%de19" % (i - 10)))
    yield "1e9", body(each(lambda i, j: "%de9" % (i - 10)))
    yield "1e6", body(each(lambda i, j: "%de6" % (i - 10)))
    yield "1e999", body(each(lambda i, j: "1e999"))
    yield "tiny numbers", body(each(lambda i, j: TINY))
    yield "minus zero", body(each(lambda i, j: "-0.0"))
    yield "zero features", body(each(lambda i, j: "0", dim=0))
    yield "zeros", body(each(lambda i, j: "0"))
    yield "the last feature alone", body(each(lambda i, j: "1", dim=1)).replace(b'"1":', b'"3":')
    for last in "4", "1000", "65536", LARGEST, "9999999999":
        yield "feature %s" % last, body(each(lambda i, j: "1", dim=1)).replace(b'"1":', b'"%s":' % last.encode())
    yield "features 1 to 1000", body(each(lambda i, j: "1", dim=1000))
    yield "NaN", body(each(lambda i, j: "NaN"))
    yield "Infinity", body(each(lambda i, j: "-Infinity"))
    yield "numbers in text", body(each(lambda i, j: '"1"'))
    yield "a number of 90 digits", body(each(lambda i, j: "1" * 90))
    yield "a number of 5000 digits", body(each(lambda i, j: "1" * 5000, docs=2))
    yield "one document", body(each(lambda i, j: "0.5", docs=1))
    yield "1000 documents", body(each(lambda i, j: "0.%d" % (i + j), docs=1000))
    yield "50000 documents", body(each(lambda i, j: "1", docs=50000, dim=1))
    yield "duplicate names", body([document("d1", {1: i}) for i in range(DOCUMENTS)])
    yield "names that fold to one", body([document(name, {1: 1}) for name in ("d1", "D1", " d1", "d1 ", "d\u0131")])
    yield "names of 500 letters", body([document("%d" % i + "\U0001f600" * 497, {1: 1}) for i in range(DOCUMENTS)])
    yield "a name of 100000 letters", body([document("x" * 100000, {1: 1}), document("d2", {1: 1})])
    yield "names with lines", body([document("a\n? qid:query%200 1:1 #docid=b", {1: 1}), document("c", {1: 1})])
    yield "names with tabs, quotes, percents", body([document(name, {1: 1}) for name in ("\t", '"', "%00", "#", "\x7f", "\\")])
    yield "an empty name", body([document("", {1: 1}), document("d2", {1: 1})])
    yield "a query of 1000 letters", body(each(lambda i, j: "1"), "\U0001f600" * 1000)
    yield "a query of 2000 letters", body(each(lambda i, j: "1"), "q" * 2000)
    yield "a query of lines", body(each(lambda i, j: "1"), "a\n\nrequest: b\n#\x00\x7f=")
    yield "a query of blanks", body(each(lambda i, j: "1"), "   ")
    yield "an honest query with other documents", body([document("x%d" % i, {1: 1, 2: 1, 3: 1}) for i in range(50)])
    yield "an honest query, its documents upside down", body(each(lambda i, j: "0.5")[::-1])
    yield "an honest query, half its documents", body(each(lambda i, j: "0.5")[::2])
    yield "nested 100000 deep", b'{"query": ' + b"[" * 100000 + b"]" * 100000 + b"}"
    yield "documents nested in documents", body(['{"name": "a", "features": [[1]]}'])
    yield "not JSON", b'{"query": \xff\xfe'
    yield "the largest body", body(each(lambda i, j: "0.123456789", dim=3, docs=1000)).ljust(1 << 20)
    yield "more than the largest body", b" " * ((1 << 20) + 1)
    yield "an empty body", b""
    yield "lines", json.dumps({"query": "query 0", "lines": ["1:1e308 2:-1e308 # d1", "3:1 # d2"]}).encode()
    yield "lines with numbers out of order", json.dumps({"query": "query 0", "lines": ["3:1 1:1 # d1", "1:1 1:2 # d2"]}).encode()
    yield "it wants a reason", body(each(lambda i, j: "1"))[:-1] + b', "explain": true}'


def answers(request):
    """Bodies for /answer of a request."""
    for said in ({"clicks": [1], "shown": 1000}, {"clicks": list(range(1, 1001)), "shown": 1000}, {"clicks": [1] * 1000},
                 {"clicks": [], "shown": 1000}, {"clicks": [1000], "shown": 1}, {"clicks": [0]}, {"clicks": [-1]},
                 {"clicks": [1.5]}, {"clicks": [10 ** 9]}, {"clicks": []}, {"clicks": [1], "shown": 10 ** 30},
                 {"labels": [4] * 1000}, {"labels": [-4]}, {"labels": [1e308]}, {"labels": [4e-300] * 20},
                 {"labels": [0.0001] * 20}, {"labels": []}, {"labels": [1], "clicks": [1]}, {"clicks": [[1]]},
                 {"clicks": [1], "client": "x" * 201}, {"clicks": [1], "client": "a\tb\nc client=d"},
                 {"clicks": [1], "request": "0" * 32}, {"clicks": [1], "request": "x\ty"}, {"clicks": [2, 3], "shown": 20}):
        yield json.dumps(said)[:60], json.dumps({"request": request, **said}).encode()


def texts():
    """Requests for serve, which may name themselves and know no bounds of the API."""
    lines = ["? qid:query%%200 1:.5 2:.5 3:.5 #docid=d%d" % i for i in range(1, DOCUMENTS + 1)]

    def text(lines, request="a"):
        return ("request: odd%s\n%s\n\n" % (request, "\n".join(lines))).encode()
    yield "no features", text(["? qid:query%%200 #docid=d%d" % i for i in range(20)])
    for value in HUGE, "1e39", "3e38", "1e12", TINY, "nan", "inf", "0x10", "1e99999":
        yield "values " + value, text([line.replace(":.5", ":" + value) for line in lines], value)
        yield "one value " + value, text([lines[0].replace("1:.5", "1:" + value), *lines[1:]], "one" + value)
    for last in "4", "1000", "70000", "16777216", "2147483647", LARGEST, "4294967296", "99999999999999999999":
        yield "feature " + last, text([lines[0].replace("3:.5", last + ":1"), *lines[1:]], "f" + last)
        yield "feature %s of all" % last, text([line.replace("3:.5", last + ":1") for line in lines], "all" + last)
    yield "features 1 to 100000", text(["? qid:a " + " ".join("%d:1" % j for j in range(1, 100001))], "many")
    yield "50000 documents", text(["? qid:a 1:1 #docid=%d" % i for i in range(50000)], "docs")
    yield "1000 documents", text(["? qid:a 1:1 #docid=%d" % i for i in range(1000)], "thousand")
    yield "a document of 100000 letters", text(["? qid:a 1:1 #docid=" + "x" * 100000, "? qid:a 1:1 #docid=y"], "long")
    yield "a qid of 100000 letters", text(["? qid:%s 1:1 #docid=a" % ("q" * 100000)], "qid")
    yield "a qid of 3000 letters", text(["? qid:%s 1:1 #docid=a" % ("q" * 3000)], "qid3")
    yield "a request of 100000 letters", text(lines, "x" * 100000)
    yield "a request of 3000 letters", text(lines, "x" * 3000)
    yield "duplicate names", text([lines[0]] * 20, "double")
    yield "labels", text(["4" + line[1:] for line in lines], "labels")
    yield "negative labels", text(["-4" + line[1:] for line in lines], "negative")
    yield "two qids", text([lines[0], lines[1].replace("query%200", "query%201")], "two")
    yield "no qid", text(["? 1:1", "? 1:2"], "none")
    yield "no order", b"order: none\n" + text(lines, "unordered")
    yield "a request twice", text(lines, "twice") + text(lines[::-1], "twice")
    yield "bytes of all kinds", b"request: kinds\n? qid:a 1:1 #docid=" + bytes(b for b in range(256) if b not in b"\n") + b"\n\n"
    yield "lines of nothing", b"\n" * 100000
    yield "a request that never ends", b"? qid:a 1:1 #docid=a\n" * 200000
    yield "not text", bytes(range(256)) * 100 + b"\n\n"


def paths():
    """Requests of a browser, for the site."""
    q = urllib.parse.quote
    for text in ("word0 " * 200, "\U0001f600" * 300, "a" * 300, '"word0" OR NEAR(', "word0*", "%00", "\x00", "-", "{title}:x",
                 " ".join("word%d" % i for i in range(40)), "word0 OR " * 30, "\u0130" * 300, "e\u0301" * 150):
        yield "a search for %.20r" % text, "?q=" + q(text)
    for after in "1.2.3", ".".join(map(str, range(500))), "9" * 2000, "x", "-1", ".".join(["1"] * 999):
        yield "after %.20s" % after, "?q=word0&after=" + after
    yield "no document", "doc?d=999999999999999"
    yield "a document of text", "doc?d=1e3&q=" + q("x" * 3000)
    yield "a link without a signature", "go?r=%s&p=3&n=10&d=1&q=a&s=" % ("0" * 32)
    yield "a link with another's", "go?r=%s&p=3&n=10&d=1&q=a&s=0123456789abcdef" % ("0" * 32)
    yield "a link with odd numbers", "go?r=&p=-1&n=9e9&d=%ff&q=%ff&s=%e9"
    yield "parameters without end", "?" + "&".join("q=%d" % i for i in range(21))
    yield "another path", "../../../../etc/passwd"
    yield "bytes", "?q=%ff%fe%c3%28"
