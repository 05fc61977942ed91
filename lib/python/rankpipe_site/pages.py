"""The pages of the site, as HTML. All links are relative, so that the site may be in a folder of another."""
# SPDX-License-Identifier: ISC
import base64
import hashlib
import itertools
import pathlib
import re
import typing
import urllib.parse
from html import escape

from . import searching, words

CHARS = 240  # of an excerpt
MARKED = 200000  # letters of a document in which words are marked
NAME = "\0name\0"  # stands for the name of the site
HERE = pathlib.Path(__file__).parent
SHEET, SCRIPT = (HERE / "style.css").read_bytes(), (HERE / "script.js").read_text("utf-8")
HASH = "sha256-" + base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()


class Shown(typing.NamedTuple):
    """The results of one page."""

    results: list
    links: list  # their addresses
    page: int
    ranking: typing.Optional[str]  # what the other pages go on with
    none: typing.Optional[str]  # the address of "None of these"


def plain_url(path, **parameters):
    return path + "?" + urllib.parse.urlencode({k: v for k, v in parameters.items() if v})


def url(path, **parameters):
    """A link as it stands in a quoted attribute."""
    return escape(plain_url(path, **parameters))


def page(title, query, main, start=False):
    return """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>%s</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header>
<p><a href="./">%s</a></p>
<form action="./" role="search">
<label for="q">Words to search for</label>
<input id="q" name="q" type="search" maxlength="300" autocomplete="off" value="%s"%s>
<button>Search</button>
</form>
<p id="lost" role="alert" hidden>The site does not answer.</p>
</header>
<main id="main" tabindex="-1">
%s
</main>
<footer><a href="help">Help</a></footer>
<script>%s</script>
</body>
</html>
""" % (escape(title), NAME, escape(query), " autofocus" if start else "", main, SCRIPT)


def message(title, query, text, again=""):
    return page("%s - %s" % (title, NAME), query, "<h1>%s</h1>\n<p>%s</p>%s" % (escape(title), escape(text), again))


def progress(reading):
    return "Reading: %s of about %s files." % (f"{reading[0]:,}", f"{reading[1]:,}") if reading else ""


def front(*what):
    return page(NAME, "", main_of_front(*what), start=True)


def main_of_front(documents, reading):
    text = " ".join(filter(None, (f"{documents:,} documents.", progress(reading))))
    return '<h1 class="hidden">%s</h1>\n<p class="note">%s</p>' % (NAME, text)


def help():
    return page("Help - " + NAME, "", """<h1>Help</h1>
<p>Type words: documents with all of them are found, also in other forms, and the likeliest come first. What people click on
for the same words moves up.</p>
<table>
<tr><th scope="row">"two words"</th><td>these words together</td></tr>
<tr><th scope="row">c++, c#, .net</th><td>words as they are</td></tr>
<tr><th scope="row"><kbd>/</kbd></th><td>to the box</td></tr>
<tr><th scope="row"><kbd>↓</kbd> <kbd>↑</kbd> <kbd>Enter</kbd></th><td>through the results, and open one</td></tr>
<tr><th scope="row"><kbd>Esc</kbd></th><td>back to the box</td></tr>
<tr><th scope="row"><kbd>?</kbd></th><td>this page</td></tr>
</table>""")


def marked(text, query):
    """Text as HTML, with the words of the query marked."""
    out, at, query = [], 0, set(query)
    for word in words.WORD.finditer(text, 0, MARKED):
        if words.fold(word[0]) in query:
            out += escape(text[at : word.start()]), "<mark>", escape(word[0]), "</mark>"
            at = word.end()
    return "".join(out) + escape(text[at:])


def places_of(query, low):
    """Where words of the query stand in a text, a few times each."""
    return sorted((m.start(), word) for word in query for m in itertools.islice(re.finditer(word, low), 6)
                  if not (low[m.start() - 1 : m.start()].isalnum() or low[m.end() : m.end() + 1].isalnum()))


def excerpt(text, query):
    """The piece of a text that has the most words of the query, the first of such pieces."""
    places = places_of(query, text.lower())
    if not places and not text.isascii():
        low = words.fold(text)
        places = places_of(query, low) if len(low) == len(text) else []
    begin = max(places, default=(0, ""), key=lambda at: (
        len({word for place, word in places if at[0] <= place < at[0] + CHARS - 80}), -at[0]))[0]
    begin = max(0, begin - 60)
    piece = " ".join(text[begin : begin + 3 * CHARS].split())
    if begin:
        piece = "… " + piece.partition(" ")[2]
    if len(piece) > CHARS:
        piece = (piece[:CHARS].rpartition(" ")[0] or piece[:CHARS]) + " …"
    return marked(piece, query)


def readable(path):
    path = "".join(c if c.isprintable() else "�" for c in urllib.parse.unquote(path))
    return path if len(path) <= 100 else "… " + path[-90:]


def results(text, *what):
    """A page of results. text is what was typed; query what is looked for, which is what was meant instead, if that is not
    None; excerpts() the text of a document."""
    return page(text + " - " + NAME, text, main_of_results(text, *what))


def main_of_results(text, query, found, meant, shown, excerpts, reading):
    """The same without what is around it."""
    parts = ['<h1 class="hidden">Results</h1>']
    if meant and meant is query:
        parts.append('<p>These are results for <b>%s</b>. No document has <a href="%s">%s</a>.</p>' % (
            escape(meant.text), url("./", q=text, literal="1"), escape(text)))
    elif meant:
        parts.append('<p>Did you mean <a href="%s">%s</a>?</p>' % (url("./", q=meant.text), marked(meant.text, meant.words)))
    parts.append('<p class="note" role="status">%s</p>' % escape(" ".join(filter(None, (
        summary(found, shown), progress(reading))))))
    if shown.results:
        parts.append('<ol start="%d">' % (10 * shown.page - 9))
        for result, link in zip(shown.results, shown.links):
            section = "<br><span>%s</span>" % marked(result.heading, found.query.words) if result.heading else ""
            parts.append('<li><a rel="nofollow" href="%s">%s%s</a>\n<cite>%s</cite>\n<p>%s</p></li>' % (
                link, marked(result.title, found.query.words), section, escape(readable(result.path)),
                excerpt(excerpts(result.number), found.query.words)))
        parts.append("</ol>")
        parts.append(further(text, found, shown))
    if shown.none:
        parts.append('<p class="note"><a rel="nofollow" href="%s">None of these is what I want</a></p>' % shown.none)
    return "\n".join(filter(None, parts))


def summary(found, shown):
    if not found.total:
        return "No document has %s." % ("this word" if len(found.query.words) == 1 else "any of these words"
                                       if not found.query.phrases else "these words together")
    one = found.total == 1
    which = "1 document has" if one else f"{found.total:,} documents have"
    what = "this word" if len(found.query.words) == 1 else "all of these words" if found.every else "some of these words"
    without = " No document has all: without %s," % " ".join(found.without) if found.without else ""
    start = 10 * shown.page - 9
    where = " Here are %d to %d." % (start, start + len(shown.results) - 1) if shown.results else ""
    narrow = " More words would narrow it down." if found.total > searching.MOST else ""
    return ("%s %s %s.%s%s" % (without, which, what, where, narrow)).strip()


def further(text, found, shown):
    """The links to the other pages, by number."""
    last = -(-min(max(found.total, len(found.pool)), searching.MOST) // 10)
    if last < 2:
        return ""
    about = {"q": text, "r": shown.ranking}
    near = sorted({1, last, *range(max(1, shown.page - 3), min(last, shown.page + 3) + 1)} if last > 9 else range(1, last + 1))
    links = []
    if shown.page > 1:
        links.append('<a rel="prev nofollow" href="%s">Previous</a>' % url("./", **about, page=number(shown.page - 1)))
    for before, at in zip([0] + near, near):
        if at > before + 1:
            links.append("<span>…</span>")
        links.append('<a aria-current="page">%d</a>' % at if at == shown.page else
                     '<a rel="nofollow" href="%s" aria-label="Page %d">%d</a>' % (url("./", **about, page=number(at)), at, at))
    if shown.page < last:
        links.append('<a rel="next nofollow" href="%s">Next</a>' % url("./", **about, page=number(shown.page + 1)))
    return '<nav aria-label="Pages of results">%s</nav>' % "\n".join(links)


def number(page_):
    return str(page_) if page_ > 1 else ""


def document(at, path, title, text, page_, typed):
    """A document: its text, with the words of the query marked; or a page of HTML in a frame that runs nothing."""
    query = words.asked(typed).words
    if page_:
        shown = '<iframe sandbox="" src="%s" title="%s"></iframe>' % (url("page", d=str(at)), escape(title))
    else:
        shown = '<pre tabindex="0">%s</pre>' % marked(text, query)
    back = '<p><a href="%s">Results for %s</a></p>\n' % (url("./", q=typed), escape(typed)) if query else ""
    return page("%s - %s" % (title, NAME), typed, '%s<article>\n<h1>%s</h1>\n<cite>%s</cite>\n%s\n</article>' % (
        back, escape(title), escape(readable(path)), shown))
