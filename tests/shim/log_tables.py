"""log_tables.py LOG N [SEED]: runs the program LOG (cmd/log) on N random tables, as people write them, and compares what comes out
with what an independent reading expects: each row is an impression or left out with a reason, and texts stay what they are."""
# SPDX-License-Identifier: ISC
import collections
import csv
import importlib.machinery
import importlib.util
import io
import random
import re
import sys

loader = importlib.machinery.SourceFileLoader("log", sys.argv[1])
log = importlib.util.module_from_spec(importlib.util.spec_from_loader("log", loader))
loader.exec_module(log)
import rankpipe  # noqa: E402  cmd/log says where it is

NOTHING = ["", "-", "\\N", "NULL", "null", "None", "nan", "NaN", "N/A", "undefined"]
WHOLE = re.compile(r'"(?:[^"]|"")*"')


class Stream(io.BytesIO):
    """Standard input, output or error."""
    buffer = property(lambda self: self)

    def isatty(self):
        return False


def run(data, *words):
    given = sys.argv, sys.stdin, sys.stdout, sys.stderr
    sys.argv, sys.stdin, sys.stdout, sys.stderr, status = ["log", *words], Stream(data), Stream(), Stream(), 0
    try:
        log.main()
    except SystemExit as error:
        status = error.code
    finally:
        out, err = sys.stdout.getvalue().decode(), sys.stderr.getvalue().decode()
        sys.argv, sys.stdin, sys.stdout, sys.stderr = given
    return status, out, err


def text_of(draw, banned):
    text = "".join(draw.choice('ab"\'c é,;|\t\n\\1.0%#日') for _ in range(draw.randint(1, 8)))
    return "".join(c for c in text if c not in banned)


def table_of(draw):
    """The rows, how they are written, and the bytes."""
    separator, eol = draw.choice("\t\t,;|"), draw.choice(["\n", "\r\n"])
    quoting = draw.choice([None, csv.QUOTE_MINIMAL, csv.QUOTE_ALL] if separator == "\t" else [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    said = draw.random() < .5
    banned = separator + "\n" if quoting is None or separator == "\t" and not said else ""
    head = ["request", "query", "doc", "click"] + ["position"] * draw.randint(0, 1)
    rows, decimal = [], draw.random() < .1
    for r in range(draw.randint(1, 6)):
        name, query = text_of(draw, banned), text_of(draw, banned)
        for at in range(draw.randint(1, 6)):
            doc = "%d.0" % draw.randint(1, 9) if decimal else text_of(draw, banned)
            row = [name, query, doc, draw.choice("0001"), str(at + draw.choice([0, 1, 1, 1, 12]))][:len(head)]
            if draw.random() < .1:
                row[draw.randrange(len(row))] = draw.choice(NOTHING)
            if draw.random() < .05:
                row = row[:draw.randint(2, 3)]
            rows.append(row)
    if draw.random() < .2:
        draw.shuffle(rows)
    if quoting is None:
        data = eol.join(map(separator.join, [head] + rows)) + eol
    else:
        file = io.StringIO(newline="")
        csv.writer(file, delimiter=separator, quoting=quoting, lineterminator=eol).writerows([head] + rows)
        data = file.getvalue()
    words = ["-q", "no" if quoting is None else "yes"] if said else []
    return head, rows, words, separator, quoting, data


def expected(head, rows):
    """The lines of the table, rows, clicks that rows have, and whether requests have two queries."""
    names = [row[2] for row in rows if len(row) == len(head) and row[0] not in NOTHING and row[2] not in NOTHING]
    decimal = {at for at in (0, 2) if all(re.fullmatch(r"\d+\.0", row[at]) for row in rows
                                          if len(row) == len(head) and row[0] not in NOTHING and row[2] not in NOTHING)}
    requests, clicks = collections.OrderedDict(), 0
    for row in rows:
        if len(row) != len(head) or row[0] in NOTHING or row[2] in NOTHING:
            continue
        name, query, doc, click = (cell[:-2] if at in decimal else cell for at, cell in enumerate(row[:4]))
        request = requests.setdefault(name, {"qids": set(), "docs": {}, "clicked": set()})
        if query not in NOTHING and query.strip():
            request["qids"].add(rankpipe.query_word(query, fold=True))
        if click == "1":
            clicks += 1
            request["clicked"].add(doc)
        place = row[4] if head[4:] else str(len(request["docs"]) + 1)
        if place.isdecimal():
            request["docs"].setdefault(doc, int(place))
    lines, word = [], lambda text: re.sub("[\0- \x7f]", lambda at: "%%%02X" % ord(at[0]), text)
    for name, request in requests.items():
        places = {}
        for doc, place in request["docs"].items():
            places.setdefault(place, doc)
        order = sorted(places)
        first = order[0] if order and order[0] > 9 else 1
        for at, place in enumerate(order if request["qids"] else [], first):
            doc = places[place]
            lines.append((word(name), *request["qids"], word(doc), str(at), str(int(doc in request["clicked"])), "-", "-"))
    return lines, clicks, any(len(request["qids"]) > 1 for request in requests.values()), names


def main(n, seed):
    seen = collections.Counter()
    for number in range(n):
        draw = random.Random("%d %d" % (seed, number))
        head, rows, words, separator, quoting, data = table_of(draw)
        rows = [row for row in rows if any(row)]
        lines, clicks, differs, _ = expected(head, rows)
        status, out, err = run(data.encode(), *words, "-s", {"\t": "tab"}.get(separator, separator), "csv")
        marked = [cell for row in rows for cell in row if '"' in cell]
        if quoting is None and not words and marked and all(map(WHOLE.fullmatch, marked)):
            seen["cannot be told"] += 1
            continue
        if "a quotation mark opens" in err and "rest of its line is a row" in err and not words:
            seen["refused"] += 1
            continue
        what = "table %d of seed %d: %s\n%s%s%s\nexpected: %s" % (number, seed, words, data, out, err, lines)
        if differs:
            assert status == 1 and "has the query" in err, what
            seen["two queries"] += 1
            continue
        assert [tuple(line.split("\t")) for line in out.split("\n")[1:-1]] == lines, what
        wrote = re.search(r"wrote (\d+) requests, (\d+) impressions, (\d+) clicks, of (\d+) rows", err)
        left = collections.Counter()
        for unit, many in re.findall(r"^log: (\w+) left out, .*: (\d+), the first in .*: line \d+$", err, re.M):
            left[unit] += int(many)
        requests, impressions, clicked, read = map(int, wrote.groups())
        assert read == len(rows) == impressions + left["rows"] + left["impressions"], what
        assert impressions == len(lines) and clicks == clicked + left["clicks"], what
        assert status == int(not lines), what
        seen["equal"] += 1
    print(", ".join("%s %d" % kind for kind in sorted(seen.items())))


main(int(sys.argv[2]), int(sys.argv[3]) if sys.argv[3:] else 1)
