"""Lines of a web server, of which the requests for a beacon count."""
# SPDX-License-Identifier: ISC
import functools
import ipaddress
import itertools
import re

import rankpipe_front

from .fields import common_stamp, unquoted
from .source import time_of

OPTIONS = "npw"
FIRST = 100  # lines that say which form they have
LINE = re.compile(r'([^"]*?) \[[^]["]*\] "[^"]*"(?: \S+ \S+( ")?)?')  # client, ident and user, and what may be before them
LISTED = re.compile(r'"((?:unknown, )*[0-9A-Fa-f:., ]+)"[^"]*$')  # X-Forwarded-For, which some servers quote last
# Each parameter is looked for from the path on, so they may stand in any order.
BEACON = r'^([^"]*?) \[([^][" ]*(?: [^][" ]*)?)\] "([A-Z]+) %s\?(?=(?:[^ "]*?&)??r=([^& "]+))' + "".join(
    r'(?:(?=(?:[^ "]*?&)??%s=([^& "]+)))?' % letter for letter in "qsc")
ADDRESS = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?")  # with the port that some proxies add
HOST = re.compile(r"(?![0-9]+$)[A-Za-z0-9][\w.-]*")
NONE = {"-", "unix:"}
OWN = [ipaddress.ip_network(text) for text in (
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16", "100.64.0.0/10", "::1/128", "fc00::/7",
    "fe80::/10")]  # of proxies, and of no client of theirs


def read(sources, table, options):
    """/b?r=REQUEST&q=QUERY&s=DOC,DOC for a page of results, and /b?r=REQUEST&c=DOC for a click."""
    notes, find = table.notes, re.compile(BEACON % re.escape(options.path)).search
    for notes.source in sources:
        notes.source.decoded = lambda data, line: data.decode("utf-8", "surrogateescape")
        lines = ((notes.source.number, line) for line in notes.source.lines())
        first = list(itertools.islice(lines, FIRST))
        at = form_of(notes, [line for _, line in first])
        for notes.source.number, line in itertools.chain(first, lines):
            notes.rows += 1
            found = find(line)
            if not found:
                notes.count("rows passed over, no requests for %s?r=" % options.path)
            elif found[3] not in ("GET", "POST"):
                notes.count("rows left out, neither GET nor POST")
            elif twice(line[found.end():]):
                notes.count("rows left out, with a parameter twice")
            else:
                try:
                    take(table, found, at)
                except ValueError:
                    notes.count("rows left out, not UTF-8 where a user sent something")


def take(table, found, at):
    head, time, _, name, text, docs, doc = found.groups()
    name, doc = table.name("r", unquoted(name)), doc and table.name("c", unquoted(doc))
    docs = docs and [unquoted(each) for each in docs.split(",")]
    text = text and table.name("q", unquoted(text))
    if not name or not doc and not docs:
        table.notes.count("rows left out, without r, and s or c")
        return
    request = table.find(name)
    if doc:
        table.click(request, doc)
    if docs and (request.docs or request.qid):
        table.notes.count("rows left out, pages that repeat the request of another")
    elif docs:
        client = client_of(head, at)
        if client and not isinstance(client, str) and is_own(client):
            listed = LISTED.search(found.string)
            client = client_in(listed[1]) if listed else client
        if client is None:
            table.notes.count("requests without a client")
        table.ask(request, name, text, time_of(table, time, common_stamp), client and str(client))
        table.list(request, table.names("s", list(filter(None, docs))))


def twice(rest):
    names = [each[:2] for each in rest.partition(" ")[0].split("&") if each[:2] in ("r=", "q=", "s=", "c=")]
    return len(names) > len(set(names))


# ---- the client ----


def form_of(notes, lines):
    """Finds the form of the lines, and says it: where among its words the client of a line stands."""
    found = [line for line in map(LINE.match, lines) if line]
    heads = [words_of(line[1]) for line in found]
    # Where two words follow, the last address is the client's: a host with an address of its own stands before it.
    places = [max((at for at, word in enumerate(words[:-2]) if any(map(address_of, word.split(",")))), default=int(
        len(words) > 3)) for words in heads]
    at = max(places, key=places.count, default=0)
    odd = [words for words in heads if words[at:] and words[at] not in NONE and not client_in(words[at])]
    if 2 * len(odd) > len(heads):
        notes.source.fail("client '%.40s' is neither an address nor the name of a host: the lines must be of the form common, "
                          "combined or vhost_combined" % odd[0][at])
    if found:
        rankpipe_front.say("%s: lines of the form %s%s%s%s" % (
            notes.source.name, "vhost_" * (at == 1), "combined" if 2 * sum(bool(line[2]) for line in found) > len(found) else "common",
            ", with lists of X-Forwarded-For" if any("," in "".join(words[at:at + 1]) for words in heads) else "",
            ", the client in word %d" % (at + 1) if at > 1 else ""))
    return at


def words_of(head):
    return head.replace(", ", ",").split(" ")


@functools.lru_cache(maxsize=10000)
def client_of(head, at):
    words = words_of(head)
    return client_in(words[at]) if words[at:] and words[at] not in NONE else None


def client_in(text):
    """The last address of a list that is not of a proxy, since users write the first ones; else the last one. An address or
    the name of a host; None: it is neither."""
    names = list(map(str.strip, text.split(",")))
    found = [name for name in map(address_of, names) if name]
    return next((each for each in reversed(found) if not is_own(each)), None) or (
        found[-1] if found else names[-1] if HOST.fullmatch(names[-1]) else None)


def is_own(address):
    return any(address in network for network in OWN)


def address_of(text):
    found = ADDRESS.fullmatch(text)
    return rankpipe_front.plain(found[1] or found[2] if found else text)
