"""page: report.html, the page of the one who runs the service: does search pay, which queries does it help, what is wrong?

It has no script, and fetches nothing. All that users or front ends wrote is escaped, and stands in an element bdi.
"""
# SPDX-License-Identifier: ISC

import base64
import hashlib
import html
import math
import struct
import subprocess
import time

import rankpipe
from rankpipe_front import shown
from rankpipe_service import DAY, health, pays
from rankpipe_service.lists import Lists
from rankpipe_service.records import column_of, end_of, names_of
from rankpipe_service.store import put_whole

QUERIES, FIRST, FELL, LEAST, SIGMAS, DAYS = 30, 5, 10, 30, 3, 91
PLAIN = {  # what is in quarantine, in plain words
    "answer too late": "answers came later after their page than the setting wait allows",
    "answer without a round": "answers name a request that this service never had",
    "answer malformed": "lines of answers/ are no answers",
    "second answer": "answers came for a request that had another one",
    "event of another client": "events came from another client than the first one of their page",
    "answer of the wrong length": "answers are about more places than their list has",
    "answer above the top grade": "answers have a relevance above the setting grade",
    "round that the learner refused": "searches do not fit what was learnt before, by their features",
    "round with more features than the setting": "searches have more features than the setting features",
    "round without the order of an engine": "searches came in no order, though the service has base=on",
    "second round of a request": "searches have the request of another one",
    "rest of a file of a log": "files of log/ are damaged, and their rest is lost"}

STYLE = """
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#59636e;--line:#d8dee4;--page:#f6f8fa;--card:#fff;--mark:#0b6bcb;
--pale:#cfe4fa;--good:#1a7f37;--bad:#b4231a}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa5b1;--line:#30363d;--page:#0d1117;--card:#161b22;
--mark:#6cb6ff;--pale:#1c3a5c;--good:#57c26d;--bad:#ff8a80}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main{max-width:72rem;margin:auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.5rem;line-height:1.2;margin:0}
h2{font-size:1.1rem;margin:2.2rem 0 .7rem}
p{margin:.3rem 0}
.soft{color:var(--soft)}
header{margin-bottom:1rem}
small,.small{font-size:.85rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:1rem}
.says p::first-letter{text-transform:uppercase}
.says p:first-child{font-size:1.2rem;line-height:1.4;margin-bottom:.6rem}
.charts{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr))}
figure{margin:0}
figcaption{font-weight:600;margin-bottom:.3rem}
svg{display:block;overflow:visible;width:100%;height:auto;max-width:30rem;margin:auto}
svg text{fill:var(--soft);font:11px system-ui,sans-serif}
.grid{stroke:var(--line)}
.bar{fill:var(--mark)}
.path{fill:none;stroke:var(--mark);stroke-width:2;stroke-linejoin:round}
.pale{fill:var(--pale)}
.table{padding:0;overflow:hidden}
.row{display:grid;grid-template-columns:1fr 4.2rem 2.4rem 3.2rem .8rem;gap:.5rem;padding:.5rem 1rem;align-items:baseline}
.row>:nth-child(n+2){text-align:right;font-variant-numeric:tabular-nums}
.head{color:var(--soft);font-size:.85rem;border-bottom:1px solid var(--line)}
details.query+details.query{border-top:1px solid var(--line)}
summary{cursor:pointer}
summary.row{list-style:none}
summary.row::-webkit-details-marker{display:none}
summary.row::after{content:"\\203a";color:var(--soft);text-align:right}
[open]>summary.row::after{content:"\\2304"}
summary:focus-visible{outline:2px solid var(--mark);outline-offset:-2px}
.row:hover{background:var(--page)}
.head.row:hover{background:none}
.inside{padding:.2rem 1rem 1rem;display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr))}
.inside h3{font-size:.9rem;margin:.3rem 0}
.inside .wide{grid-column:1/-1}
.charts+details{margin-top:.6rem}
ol,ul{margin:.3rem 0;padding-left:1.4rem}
li{margin:.25rem 0}
li .small{display:block}
bdi{overflow-wrap:anywhere}
.name{overflow:hidden;min-width:0}
code{font:.85rem ui-monospace,monospace;background:var(--page);border:1px solid var(--line);border-radius:.3rem;padding:.1rem .35rem;
overflow-wrap:anywhere;user-select:all}
.up{color:var(--good)}
.down,.warn{color:var(--bad)}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.15rem .8rem .15rem 0;text-align:right;font-weight:400}
tbody th{white-space:nowrap}
th:first-child{text-align:left}
.scroll{max-height:20rem;overflow:auto}
"""


def text_of(text):
    """Text that somebody else wrote, as it may stand on the page."""
    return "<bdi>%s</bdi>" % html.escape(shown(text))


def query_of(qid):
    return text_of(rankpipe.query_text(qid.decode("ascii", "replace"))) if qid else "<i>without a query</i>"


def name_of(name):
    return text_of(rankpipe.document_text(name.decode("utf-8", "surrogateescape")))


def command(text):
    return "<code>rankpipe service %s</code>" % text


def section(title, *parts):
    return "<section><h2>%s</h2>%s</section>" % (title, "\n".join(parts))


def listed(items):
    return "<ul>%s</ul>" % "".join("<li>%s</li>" % item for item in items)


# ---- pictures ----

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 360, 150, 42, 8, 352, 128


def interval(known):
    """The share of the learnt order, from 0 to 100 %, with its interval."""
    def at(percent):
        return 10 + 3.4 * percent
    return ('<svg viewBox="0 0 360 44" role="img" aria-label="{percent:.0f} %, with an interval from {low:.0f} to {high:.0f} %">'
            '<line class="grid" x1="10" x2="350" y1="16" y2="16"/><line class="grid" x1="180" x2="180" y1="4" y2="28"/>'
            '<rect class="pale" x="{0:.1f}" y="10" width="{1:.1f}" height="12" rx="3"/><circle class="bar" cx="{2:.1f}" cy="16" r="5"/>'
            '<text x="10" y="41">your order</text><text x="180" y="41" text-anchor="middle">50 %</text>'
            '<text x="350" y="41" text-anchor="end">learnt order</text></svg>').format(
                at(known["low"]), at(known["high"]) - at(known["low"]), at(known["percent"]), **known)


def nice(most):
    """A round number that is at least as much."""
    step = 10 ** math.floor(math.log10(max(1, most)))
    return next(step * each for each in (1, 2, 5, 10) if step * each >= most)


def chart(title, begin, end, values, low, high, bars=False):
    """A picture of values by day, {day: value}, on a calendar axis; low is at its bottom and high at its top."""
    days = end - begin + 1
    step = (RIGHT - LEFT) / days

    def x(day):
        return LEFT + (day - begin + 0.5) * step

    def y(value):
        return BOTTOM - (BOTTOM - TOP) * (value - low) / (high - low)
    parts = ['<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%s</text>' % (
        LEFT, RIGHT, y(each), y(each), LEFT - 5, y(each) + 4, "{:,.12g}".format(each)) for each in (low, (low + high) / 2, high)]
    every = next(each for each in (1, 2, 7, 14, 28) if days / each <= 4.5 or each == 28)
    parts += ['<text x="%.1f" y="%d" text-anchor="%s">%s</text>' % (
        min(x(day), RIGHT), HEIGHT - 5, "end" if x(day) > RIGHT - 25 else "middle", time.strftime(
            "%d %b", time.gmtime(day * DAY / 1000)).lstrip("0")) for day in range(end, begin - 1, -every)]
    if bars:
        parts += ['<rect class="bar" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>' % (
            x(day) - step * 0.4, y(value), step * 0.8, BOTTOM - y(value)) for day, value in values.items()]
    else:
        path = " ".join("%s%.1f %.1f" % ("L" if day - 1 in values else "M", x(day), y(value)) for day, value in values.items())
        parts.append('<path class="path" d="%s"/>' % path)
        parts += ['<circle class="bar" cx="%.1f" cy="%.1f" r="2.5"/>' % (x(day), y(value)) for day, value in values.items()]
    return '<figure class="card"><figcaption>%s</figcaption><svg viewBox="0 0 %d %d" role="img" aria-label="%s, by day">%s</svg></figure>' % (
        title, WIDTH, HEIGHT, title, "".join(parts))


def by_day(store):
    """Searches, pages with a click, and the mean place of clicks, by day."""
    today = store.now // DAY
    rows = store.sql("SELECT day, sum(rounds), sum(clicked), sum(places) FROM daily WHERE day BETWEEN ? AND ? GROUP BY day "
                     "HAVING sum(rounds) > 0", (today - DAYS + 1, today)).fetchall()
    if not rows:
        return "<p>No search yet.</p>"
    begin = min(rows[0][0], today - 6)
    searches, shares = ({row[0]: row[1] for row in rows}, {row[0]: 100 * row[2] / row[1] for row in rows})
    places = {row[0]: row[3] / row[2] for row in rows if row[2]}
    table = "".join("<tr><th scope=row>%s<td>%d<td>%d<td>%s</tr>" % (
        time.strftime("%Y-%m-%d", time.gmtime(day * DAY / 1000)), rounds, clicked, "%.2f" % (sum_ / clicked) if clicked else "-")
        for day, rounds, clicked, sum_ in reversed(rows))
    return ('<div class="charts">%s</div><details><summary class="small">The numbers</summary><div class="scroll" tabindex="0"><table>'
            "<thead><tr><th scope=col>day<th scope=col>searches<th scope=col>with a click<th scope=col>mean place</tr></thead>"
            "<tbody>%s</tbody></table></div></details>" % ("".join((
                chart("Searches", begin, today, searches, 0, nice(max(searches.values())), bars=True),
                chart("Pages with a click, of 100", begin, today, shares, 0, 100),
                chart("Mean place of first clicks (1: top)", begin, today, places, math.ceil(max(5, *places.values(), 1)) | 1, 1))), table))


# ---- queries ----

SPAN = "SELECT query, sum(rounds) AS n, sum(clicked) AS k FROM daily WHERE day BETWEEN ? AND ? GROUP BY query"


def frequent(store):
    """The most frequent queries: [(number, qid, newest list, searches, clicked, searches before, clicked before)]."""
    first, last = pays.spans(store, pays.MONTH)
    return store.sql("SELECT q.id, q.qid, q.list, b.n, b.k, a.n, a.k FROM (%s ORDER BY n DESC, query LIMIT %d) b JOIN queries q "
                     "ON q.id = b.query LEFT JOIN (%s) a ON a.query = q.id ORDER BY b.n DESC, q.id" % (SPAN, QUERIES, SPAN),
                     (*last, *(first or (1, 0)))).fetchall()


def fallen(store):
    """The queries whose share of pages with a click fell by more than chance: [(number, qid, n, k before, n, k now)]."""
    first, last = pays.spans(store, pays.MONTH)
    found = []
    for row in store.sql("SELECT q.id, q.qid, a.n, a.k, b.n, b.k FROM (%s) a JOIN (%s) b ON b.query = a.query JOIN queries q "
                         "ON q.id = a.query WHERE a.n >= %d AND b.n >= %d" % (SPAN, SPAN, LEAST, LEAST), (*(first or (1, 0)), *last)):
        n, k, m, j = row[2:]
        fall, error = k / n - j / m, math.sqrt(k * (n - k) / n ** 3 + j * (m - j) / m ** 3)
        if fall > 0 and fall >= SIGMAS * error:
            found.append((fall / error if error else math.inf, row))
    return [row for _, row in sorted(found, key=lambda each: (-each[0], each[1][0]))[:FELL]]


def rounds_of(store, rows):
    """{number of a query: (a record that asks for its ranking now, names of documents, their order by the engine)}."""
    packed, found = Lists(store), {}
    for number, qid, id_, *_ in rows:
        row = store.sql("SELECT head, columns, docs, data, whole FROM lists WHERE id = ? AND coalesce(qid, x'') = ?", (id_, qid)).fetchone()
        if row:
            data = packed.data(*row[1:])
            base = column_of(row[1], data, b"base")
            found[number] = (b"rankpipe/1 round t=%d%b%b cols=%b bytes=%d\n%b" % (
                number, b" qid=" + qid if qid else b"", row[0], row[1], len(data), data),
                             names_of(row[1], data), struct.unpack("<%dI" % (len(base) // 4), base))
    return found


def ranked(store, records):
    """{t: [(document, {part: value}), ...]} of rankings now, with what scores are made of: as bin2txt -f why prints them."""
    bound = "-B .37 " if store["base"] == "on" else ""
    done = subprocess.run("score -m w.bin | explore %s| bin2txt -f why w.bin" % bound, shell=True, check=False,
                          input=b"".join(records) + end_of(len(records)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if done.returncode and len(records) > 1:  # one of them cannot be ranked
        return {t: said for record in records for t, said in ranked(store, [record]).items()}
    found = {}
    for line in () if done.returncode else done.stdout.split(b"\n")[:-1]:
        t, _, document, part, what, value = line.split(b"\t")
        documents = found.setdefault(int(t), [])
        if part == b"score":
            documents.append((document, {}))
        parts = documents[-1][1]
        if part == b"remembered":
            parts["answers"] = float(what)
        key = "features" if part in (b"feature", b"others") else part.decode()
        parts[key] = what if part == b"position" else parts.get(key, 0) + float(value)
    return found


def reason(parts):
    """Why a document stands where it does."""
    words = ["%s %+.2f" % (what, parts[key]) for key, what in (
        ("remembered", "%.3g answers here" % parts.get("answers", 0)), ("features", "features"), ("base", "your order"),
        ("constant", "what all have"))
        if abs(parts.get(key, 0)) >= 0.005]
    return "%.2f: %s" % (parts["score"], ", ".join(words) or "nothing is known of it")


def query_rows(store):
    rows = frequent(store)
    if not rows:
        return "<p>No search yet.</p>"
    rounds = rounds_of(store, rows)
    now = ranked(store, [record for record, _, _ in rounds.values()])
    parts = ['<div class="row head"><span>Query</span><span>Searches</span><span>Now</span><span>Before</span><span></span></div>']
    for number, qid, _, n, k, before, clicked in rows:
        _, names, base = rounds.get(number, (b"", [], ()))
        top = "".join("<li>%s<span class='small soft'>%s</span></li>" % (name_of(document), reason(said))
                      for document, said in now.get(number, ())[:FIRST])
        own = "".join("<li>%s</li>" % name_of(names[i] if names else b"%d" % i) for i in base[:FIRST])
        parts.append(
            '<details class="query"><summary class="row"><span class="name">%s</span><span>%s</span><span>%s</span><span class="soft">%s</span>'
            '</summary><div class="inside"><div><h3>First five now, and why</h3>%s</div><div><h3>As your engine has them</h3>%s</div>'
            "%s</div></details>" % (
                query_of(qid), "{:,}".format(n), pays.percent(k, n), pays.percent(clicked, before),
                "<ol>%s</ol>" % top if top else "<p>Not known: no list of it is left, or its model says no reasons.</p>",
                "<ol>%s</ol>" % own if own else "<p>It came in no order.</p>",
                '<p class="wide small">To forget this query: %s</p>' % command("erase queries --id %d" % number) if qid else ""))
    return '<div class="card table">%s</div>' % "".join(parts)


def fell(store):
    rows = ["%s: of 100 pages <b>%s</b> have a click now (%d of %d), and <b>%s</b> had one (%d of %d). To forget it: %s" % (
        query_of(qid), pays.percent(j, m), j, m, pays.percent(k, n), k, n, command("erase queries --id %d" % number))
        for number, qid, n, k, m, j in fallen(store)]
    return listed(rows) if rows else "<p>None that can be told from chance.</p>"


# ---- what is wrong, and what did not count ----


def uncounted(store):
    """What did not count, and why, in plain words."""
    said = ["answers beyond the share of their client, who is one voice for a query and day: {:,}".format(
        store.set.get("beyond", 0))]
    said += ["{:,} of {:,} events of type {} came when their page had settled: rankpipe service set settle N".format(late, n, kind)
             for kind, n, late in store.sql("SELECT type, n, late FROM happened WHERE hour = 0 AND late > 0 ORDER BY type")]
    said += ["{}: {:,}".format(PLAIN.get(what) or html.escape("records are refused, " + what), n)
             for what, n in store.sql("SELECT what, n FROM counts ORDER BY n DESC, what")]
    return listed(said) + '<p class="small soft">All since the service began. service.db has each record that was refused in the ' \
        "last %d days, in its table quarantine.</p>" % store["quarantine-days"]


def make(store):
    """The page, as text."""
    known, first = pays.own(store), pays.spans(store, pays.MONTH)[0]
    sentences = "".join("<p>%s</p>" % html.escape(each) for each in pays.lines(store, known))
    length = first[1] - first[0] + 1 if first else 0
    wrong = [html.escape(each) for each in health.found(".").values()]
    parts = [
        '<header><h1>Does search pay?</h1><p class="soft">%s UTC, by the last run of the learner</p></header>' % time.strftime(
            "%d %B %Y, %H:%M", time.gmtime(store.now / 1000)).lstrip("0"),
        '<section class="says card" aria-label="Does it pay?">%s%s</section>' % (
            sentences, interval(known) if pays.is_known(known) else ""),
        section("Day by day", by_day(store)),
        section("The %d most frequent queries" % QUERIES, '<p class="small soft">Of 100 pages so many had a click: now, in the last %s, '
                "and before, in the first %s.</p>" % (("%d days" % length,) * 2 if length else ("day", "days")), query_rows(store)),
        section("Queries that got worse", '<p class="small soft">At least %d pages in both spans, and a share of pages with a click that '
                "fell by %d standard errors.</p>" % (LEAST, SIGMAS), fell(store)),
        section("Warnings", "<div class=warn>%s</div>" % listed(wrong) if wrong else "<p>None.</p>"),
        section("What did not count", uncounted(store))]
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    return ('<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, '
            'initial-scale=1"><meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'sha256-%s\'">'
            '<meta name="referrer" content="no-referrer"><title>Does search pay?</title><style>%s</style></head>\n<body><main>\n%s\n'
            "</main></body></html>\n" % (digest, STYLE, "\n".join(parts)))


def write(store, path="report.html"):
    put_whole(path, make(store).encode("utf-8", "replace"))
