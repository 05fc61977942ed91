"""The pages of the site, as HTML. All links are relative, so that the site may be in a folder of another."""
# SPDX-License-Identifier: ISC
import itertools
import re
import urllib.parse
from html import escape

import index

CHARS = 240  # of an excerpt
MARKED = 200000  # letters of a document in which words are marked


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
<form action="./" role="search">
<label for="q">Words to search for</label>
<input id="q" name="q" type="search" maxlength="300" value="%s"%s>
<button>Search</button>
</form>
</header>
<main id="main" tabindex="-1">
%s
</main>
</body>
</html>
""" % (escape(title), escape(query), " autofocus" if start else "", main)


def message(title, query, text, again=""):
    return page(title, query, "<h1>%s</h1>\n<p>%s</p>%s" % (escape(title), escape(text), again))


def front(documents, growing):
    text = "%s documents%s" % (f"{documents:,}", ", and more are being read" if growing else "")
    return page("Search", "", '<h1 class="hidden">Search</h1>\n<p class="note">%s</p>' % text, start=True)


def marked(text, query):
    """Text as HTML, with the words of the query marked."""
    out, at, query = [], 0, set(query)
    for word in index.WORD.finditer(text, 0, MARKED):
        if index.fold(word[0]) in query:
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
        low = index.fold(text)
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


def results(text, query, found, shown, after, links, none, spelled, excerpts):
    """A page of results. text is what was typed, and query its words; shown are the results of this page,
    after the numbers of those before it, links their addresses, none that of "None of these".
    """
    parts = ['<h1 class="hidden">Results</h1>']
    if spelled:
        better = " ".join(spelled)
        parts.append('<p>Did you mean <a href="%s">%s</a>?</p>' % (url("./", q=better), marked(better, spelled)))
    parts.append('<p class="note" role="status">%s</p>' % escape(summary(query, found, shown, after)))
    if shown:
        parts.append('<ol start="%d">' % (len(after) + 1))
        for result, link in zip(shown, links):
            parts.append('<li><a rel="nofollow" href="%s">%s</a>\n<cite>%s</cite>\n<p>%s</p></li>' % (
                link, marked(result.title, query), escape(readable(result.path)),
                excerpt(excerpts(result.number), query)))
        parts.append("</ol>")
        parts.append(further(text, found, shown, after))
    if none:
        parts.append('<p class="note"><a rel="nofollow" href="%s">None of these is what I want</a></p>' % none)
    return page(text + " - Search", text, "\n".join(part for part in parts if part))


def summary(query, found, shown, after):
    if not found.total:
        return "No document has %s." % ("this word" if len(query) == 1 else "any of these words")
    one = found.total == 1
    which = "1 document has" if one else f"{found.total:,} documents have"
    what = "this word" if len(query) == 1 else "all of these words" if found.every else "some of these words"
    where = " Here are %d to %d." % (len(after) + 1, len(after) + len(shown)) if shown else ""
    last = len(after) + len(shown)
    narrow = " More words would narrow it down." if last == len(found.pool) < found.total else ""
    return "%s %s.%s%s" % (which, what, where, narrow)


def further(text, found, shown, after):
    """The links to the page before, and to the next one, which knows what has been shown."""
    links = []
    if after:
        links.append('<a rel="prev" href="%s">Previous</a>' % url("./", q=text, after=numbers(after[:-10])))
    if len(after) + len(shown) < len(found.pool):
        seen = list(after) + [result.number for result in shown]
        links.append('<a rel="next nofollow" href="%s">Next</a>' % url("./", q=text, after=numbers(seen)))
    return '<nav aria-label="Pages of results">%s</nav>' % "\n".join(links) if links else ""


def numbers(list_):
    return ".".join(map(str, list_))


def document(number, path, title, text, page_, typed):
    """A document: its text, with the words of the query marked; or a page of HTML in a frame that runs nothing."""
    query = index.asked(typed)
    if page_:
        shown = '<iframe sandbox="" src="%s" title="%s"></iframe>' % (url("page", d=str(number)), escape(title))
    else:
        shown = "<pre>%s</pre>" % marked(text, query)
    back = '<p><a href="%s">Results for %s</a></p>\n' % (url("./", q=typed), escape(typed)) if query else ""
    return page(title, typed, '%s<article>\n<h1>%s</h1>\n<cite>%s</cite>\n%s\n</article>' % (
        back, escape(title), escape(readable(path)), shown))
