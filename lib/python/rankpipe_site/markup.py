"""Markup: what a page of HTML says, without its menus, and the sections that its headings begin.

One pass over the tags, whose time grows with the bytes and with how deep blocks are in each other. What a page
names are files below the folder: sheets, images, fonts.
"""
# SPDX-License-Identifier: ISC
import collections
import hashlib
import html
import posixpath
import re
import typing
import urllib.parse

TYPES = {".html": "text/html; charset=utf-8", ".htm": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".svg": "image/svg+xml",
         ".webp": "image/webp", ".ico": "image/x-icon", ".woff": "font/woff", ".woff2": "font/woff2"}  # others are text
NAMED = frozenset(TYPES) - {".html", ".htm"} | {".ttf", ".otf"}  # endings of what belongs to a page
TAGS = re.compile(  # what nothing ends, ends with the text: so no part of it is looked at twice
    r"<(script|style|template)\b.*?(?:</\1\b[^>]*(?:>|\Z)|\Z)"
    r"|<!--.*?(?:-->|\Z)|<(?=[a-z/!?])(/?)(\w*)([^>]*)(?:>|\Z)", re.S | re.I)
ATTRIBUTE = re.compile(r"""\b(id|name|role|href)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.I)
NAMES = re.compile(r"""(?:\b(?:href|src)\s*=\s*|@import\s+|\burl\(\s*)["']?([^"'\s<>()]{1,500})""", re.I)
INLINE = frozenset("a abbr b bdi cite code em font i kbd mark q s samp small span strong sub sup tt u var wbr".split())
HEADINGS = {"h%d" % level: level for level in range(1, 7)}
LEFT_OUT = frozenset(("nav", "footer", "aside"))  # and header, unless an article has it
BLOCKS = frozenset(("nav", "ul", "ol", "table", "div"))  # which are menus where many pages share them
KEPT = BLOCKS | LEFT_OUT | HEADINGS.keys() | {"head", "main", "article", "header", "section", "details", "title"}
MENU = 20000  # letters of a menu at most
SECTIONS = 2000  # of a page; the rest is in the last one
PARTS = re.compile(r" (?:[|·—–]|--?|::|») ")  # what stands between the parts of a title


class Heading(typing.NamedTuple):
    level: int
    anchor: str
    text: str


class Open(typing.NamedTuple):
    """A block that is open: where in the output it began, and how many letters there were before it."""

    tag: str
    start: int
    letters: int
    anchor: str
    role: str


class Page(typing.NamedTuple):
    title: str
    text: str
    sections: list  # of Heading and text
    blocks: set  # of menus that others may share, and of parts of its title


def plain(parts):
    """What pieces of a page say, as lines without blanks that are too many."""
    lines = (" ".join(line.split()) for line in html.unescape("".join(
        part if isinstance(part, str) else "\n%s\n" % part.text for part in parts)).split("\n"))
    return "\n".join(filter(None, lines))


def mark(text):
    """What a block is known by."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def attributes(text):
    return {found[1].lower(): html.unescape(found[2] or found[3] or found[4] or "") for found in ATTRIBUTE.finditer(text[:4096])}


class Parser:
    """What is said (pieces of text, and headings) by the tags that went by."""

    def __init__(self, menus):
        self.menus, self.out, self.open, self.count, self.letters = menus, [], [], collections.Counter(), 0
        self.title, self.blocks, self.mains, self.articles, self.anchors = "", set(), [], [], None

    def text(self, text):
        if text:
            self.out.append(text)
            self.letters += len(text)

    def begin(self, tag, said):
        level = HEADINGS.get(tag)
        if level:
            self.anchors = [said.get("id", "")]
        self.out.append("\n")
        self.open.append(Open(tag, len(self.out), self.letters, said.get("id", ""), said.get("role", "").lower()))
        self.count[tag] += 1

    def inline(self, said):
        if self.anchors is not None:
            self.anchors += filter(None, (said.get("id"), said.get("name"), said.get("href", "")[:1] == "#" and said["href"][1:]))

    def end(self, tag):
        if not self.count[tag]:
            return
        while True:
            block = self.open.pop()
            self.count[block.tag] -= 1
            self.close(block)
            if block.tag == tag:
                return

    def close(self, block):
        tag = block.tag
        if tag == "title":
            self.title = self.title or plain(self.cut(block.start))
        elif tag in HEADINGS:
            self.head(block)
        elif tag in LEFT_OUT or tag == "head" or block.role in ("navigation", "search", "contentinfo"):
            self.cut(block.start)
        elif tag == "header" and not (self.count["main"] or self.count["article"]):
            self.cut(block.start)
        elif tag == "main" or block.role == "main":
            self.mains.append((block.start, len(self.out)))
        elif tag == "article" and not self.count["article"]:
            self.articles.append((block.start, len(self.out)))
        if tag in BLOCKS and 0 < self.letters - block.letters < MENU:
            self.menu(block)
        self.out.append("\n")

    def cut(self, start):
        parts = self.out[start:]
        del self.out[start:]
        return parts

    def menu(self, block):
        parts = self.out[block.start:]
        if block.tag == "div" and any(isinstance(part, Heading) for part in parts):
            return
        said = mark(plain(parts))
        self.blocks.add(said)
        if said in self.menus:
            del self.out[block.start:]

    def head(self, block):
        """A heading has an anchor of its own, of something in it, or of the block that it begins."""
        text = plain(self.cut(block.start)).replace("\n", " ").strip().rstrip("#¶§").strip()
        anchors, self.anchors = self.anchors or [""], None
        around = self.open[-1] if self.open else None
        if around and not plain(self.out[around.start:]):
            anchors.append(around.anchor)
        if text:
            self.out.append(Heading(HEADINGS[block.tag], next(filter(None, anchors), ""), text))


def parse(source, menus=frozenset()):
    """The Page that a source is, without the blocks of these marks."""
    parser, at = Parser(menus), 0
    for tag in TAGS.finditer(source):
        parser.text(source[at:tag.start()])
        at, name = tag.end(), (tag[3] or "").lower()
        if tag[1] or not name:
            continue
        if tag[2]:
            if name in KEPT:
                parser.end(name)
            elif name not in INLINE:
                parser.out.append("\n")
        elif name in INLINE:
            if parser.anchors is not None:
                parser.inline(attributes(tag[4]))
        elif name in KEPT:
            parser.begin(name, attributes(tag[4]))
        else:
            if name == "body":
                parser.end("head")
            parser.out.append("\n")
    parser.text(source[at:])
    parser.open = [block for block in parser.open if block.tag != "head"]
    while parser.open:
        parser.end(parser.open[-1].tag)
    return page(parser)


def page(parser):
    """The Page of what was said: of its main part, else its articles, else all."""
    spans = parser.mains[:1] or parser.articles or [(0, len(parser.out))]
    out, menus = [part for start, end in spans for part in parser.out[start:end]], parser.menus
    first = next((part.text for part in out if isinstance(part, Heading) and part.level == 1), "")
    parts = [part for part in PARTS.split(" ".join(parser.title.split())) if part]
    parser.blocks.update(map(mark, [first, *parts]))
    title = (first if mark(first) not in menus else "") or " - ".join(
        part for part in parts if mark(part) not in menus) or " - ".join(parts) or first
    texts, heads = [[]], []
    for part in out:
        if isinstance(part, Heading) and part.anchor and 2 <= part.level <= 4 and len(heads) < SECTIONS and not (
                not heads and same(part.text, title)):
            heads.append(part)
            texts.append([])
        elif isinstance(part, Heading) and (part.text == first or not heads and same(part.text, title)):
            continue
        else:
            texts[-1].append(part)
    return Page(title, plain(texts[0]), list(zip(heads, map(plain, texts[1:]))), parser.blocks)


def same(one, other):
    return one.casefold() == other.casefold()


def names(source, path):
    """The files below the folder that a page or a sheet at this path names: sheets, images and fonts."""
    found = set()
    for name in NAMES.finditer(source):
        to = below(path, html.unescape(name[1]))
        if to and posixpath.splitext(to)[1].lower() in NAMED and len(found) < 2000:
            found.add(to)
    return frozenset(found)


def below(path, link):
    """The path below the folder to which a link leads from there, or None."""
    link = urllib.parse.unquote(re.split("[?#]", link, 1)[0])
    if not link or link[0] == "/" or re.match("[a-zA-Z][a-zA-Z0-9+.-]*:", link) or not link.isprintable():
        return None
    to = posixpath.normpath(posixpath.join(posixpath.dirname(path), link))
    return None if to.startswith("..") or any(part.startswith(".") for part in to.split("/")) else to
