"""bodies: what the bodies of requests for /rank, /answer and /event say, checked field by field."""
# SPDX-License-Identifier: ISC

import array
import base64
import collections
import functools
import json
import operator
import re
import sys

import rankpipe
from rankpipe_front import EVENTS

QUERY = 1000  # characters of a query
NAME = 500  # characters of the name of a document
WORD = 200  # characters of a client's word
HALF = re.compile("[\ud800-\udfff]")  # half of a pair of UTF-16
KNOWN = {"name", "features"}  # fields of a document
LONGEST = 64  # characters of a number in a line
PAIR = re.compile("0*([1-9][0-9]{0,9}):([+-]?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")  # a feature in a line
MOST_FEATURES = 1 << 31  # of a document, in rounds
LARGEST = 3.4028235677973362e38  # a number from which a float of single precision is no number


class Bad(Exception):
    """A status, and what is wrong."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


def need(right, text):
    if not right:
        raise Bad(400, text)


def no_constant(name):
    raise Bad(400, "%s is not a JSON number" % name)


def pairs(items):
    fields = dict(items)
    need(len(fields) == len(items), "an object has a field twice")
    return fields


DECODER = json.JSONDecoder(parse_constant=no_constant, object_pairs_hook=pairs)


def fields_of(body, known):
    """The fields of the object that a body is, which must be among the known ones."""
    try:
        fields = DECODER.decode(body.decode("utf-8"))
    except RecursionError:
        raise Bad(400, "the body is nested too deeply") from None
    except ValueError as error:
        raise Bad(400, "the body is not JSON: %s" % error) from None
    need(isinstance(fields, dict), "the body must be an object")
    for name in fields:
        need(name in known, "unknown field %.40s: the fields are %s" % (json.dumps(name), ", ".join(known)))
    return fields


def text_of(value, what, most):
    need(isinstance(value, str), "%s must be a text" % what)
    need(0 < len(value) <= most, "%s must have 1 to %d characters" % (what, most))
    need(not HALF.search(value), "%s has half a character" % what)
    return value


def is_number(value):
    return type(value) in (int, float)  # True and False are of another type


def number_of(value, what, least, most):
    need(is_number(value), "%s must be a number" % what)
    need(least <= value <= most, "%s must be from %d to %d" % (what, least, most))
    return value


def whole_of(value, what, least, most):
    need(type(value) is int, "%s must be a whole number" % what)
    return number_of(value, what, least, most)


def list_of(value, what, least, most):
    need(isinstance(value, list), "%s must be an array" % what)
    need(least <= len(value) <= most, "%s must have %d to %d elements" % (what, least, most))
    return value


def features_of(value, what, features):
    """The features of a document as rankpipe takes them, of which there may be so many (None: any number)."""
    if isinstance(value, list):
        check_features(len(value), what, features)
        return value
    need(isinstance(value, dict), "%s must be an array or an object" % what)
    for j in value:
        need(re.fullmatch("[1-9][0-9]{0,9}", j), '%s: a feature is named by its number, from "1"' % what)
        check_features(int(j), what, features)
    return {int(j) - 1: number for j, number in value.items()}


def check_features(n, what, features):
    if n > (MOST_FEATURES if features is None else features):
        raise Bad(400, "%s has feature %d, but the service has features 1 to %d" % (what, n, features or MOST_FEATURES))


def documents_of(values, features):
    """The features of documents, and their names or None. This is most of the work for a request, so texts of
    errors are made for errors alone."""
    rows, names, limit = [], [], features or MOST_FEATURES
    for i, value in enumerate(values):
        if not (isinstance(value, dict) and value.keys() <= KNOWN):
            raise Bad(400, "documents[%d] must be an object of name and features" % i)
        row, name = value.get("features"), value.get("name")
        if not (isinstance(row, list) and len(row) <= limit):
            row = features_of([] if row is None else row, "documents[%d].features" % i, features)
        if not (name is None or isinstance(name, str) and 0 < len(name) <= NAME):
            text_of(name, "documents[%d].name" % i, NAME)
        rows.append(row)
        names.append(name)
    return rows, names


def matrix_of(fields, most, features):
    """The number of features of a document, the values of all, and the names or Nones, of the field values."""
    limit = MOST_FEATURES if features is None else features
    dim, values = whole_of(fields.get("features"), "features", 1, limit), array.array("f")
    try:
        need(isinstance(fields["values"], str), "values must be a text")
        values.frombytes(base64.b64decode(fields["values"], validate=True))
    except ValueError:
        raise Bad(400, "values must be base64, four bytes for each value") from None
    if sys.byteorder == "big":
        values.byteswap()
    docs = len(values) // dim
    need(0 < docs <= most and len(values) % dim == 0, "values must have %d values for each of 1 to %d documents, not %d "
         "in all" % (dim, most, len(values)))
    if "names" not in fields:
        return dim, values, [None] * docs
    for i, name in enumerate(list_of(fields["names"], "names", docs, docs)):
        if not (isinstance(name, str) and 0 < len(name) <= NAME):
            text_of(name, "names[%d]" % i, NAME)
    return dim, values, fields["names"]


def check_numbers(rows, what):
    """Raises Bad where a feature is no number and no null, or one that no float of single precision can be."""
    for i, row in enumerate(rows):
        for value in row.values() if isinstance(row, dict) else row:
            need(value is None or is_number(value), "%s: each feature must be a number or null" % (what % i))
            need(value is None or abs(value) <= LARGEST, "%s: a feature is too large" % (what % i))


def fill_nulls(rows):
    """Gives each null the mean of the others in its feature, so that it says nothing. How many each feature has."""
    def values():
        return ((row, j, value) for row in rows for j, value in (row.items() if isinstance(row, dict) else enumerate(row)))

    nulls, sums = collections.Counter(j for _, j, value in values() if value is None), collections.Counter()
    for _, j, value in values() if nulls else ():
        if j in nulls and value is not None:
            sums[j] += float(value)
    for row, j, value in values() if nulls else ():
        if value is None:
            row[j] = sums[j] / max(1, len(rows) - nulls[j])
    return {j + 1: n for j, n in nulls.items()}


def fill_nans(values, dim):
    """The same for the values of all documents, in which NaN is null."""
    nulls = collections.Counter(at % dim for at, value in enumerate(values) if value != value)
    for j, n in nulls.items():
        column = values[j::dim]
        mean = functools.reduce(operator.add, (value for value in column if value == value), 0.0) / max(1, len(column) - n)
        values[j::dim] = array.array("f", (value if value == value else mean for value in column))
    return {j + 1: n for j, n in nulls.items()}


def line_of(value, i, features):
    """The features and the name, or None, of a line: features, and perhaps # and the name."""
    text, sign, name = text_of(value, "lines[%d]" % i, 1 << 30).partition("#")
    row, last = {}, 0
    for word in filter(None, re.split("[ \t]", text)):
        need(len(word) <= LONGEST or max(map(len, word.split(":"))) <= LONGEST,
             "lines[%d]: a number has more than %d characters" % (i, LONGEST))
        found = PAIR.fullmatch(word)
        need(found, "lines[%d] must be features, and perhaps # and a name" % i)
        j = int(found[1])
        need(j > last, "lines[%d]: the numbers of features must grow from 1" % i)
        row[j - 1], last = float(found[2]), j
    check_features(last, "lines[%d]" % i, features)
    return row, text_of(name.strip(" \t"), "the name in lines[%d]" % i, NAME) if sign else None


def rank_request(body, request, most, features, ordered, folds):
    """The round for serve, the number of documents, their names, whether to explain it, whether an array has fewer
    features than the service, the number of nulls by feature, how many places are shown or None, and the caller's word for
    the client or None, of a body for /rank. A document has at most so many features; None: any number. `ordered`:
    the documents are in an engine's order. `folds`: the query is folded. A number of JSON is rounded to double precision and then to single: where serve reads
    its text itself, the last bit may differ, for about one value in 2^29 of many digits.
    """
    fields = fields_of(body, ("query", "documents", "lines", "values", "features", "names", "explain", "shown", "client"))
    explain = fields.get("explain", False)
    need(isinstance(explain, bool), "explain must be true or false")
    shown, own = shown_of(fields, most), client_of(fields)
    query = text_of(fields.get("query"), "query", QUERY)
    need(sum(name in fields for name in ("documents", "lines", "values")) == 1,
         "one of documents, lines and values must be given")
    need("values" in fields or not fields.keys() & {"features", "names"}, "features and names go with values")
    dim = None
    if "values" in fields:
        dim, rows, names = matrix_of(fields, most, features)
    elif "documents" in fields:
        rows, names = documents_of(list_of(fields["documents"], "documents", 1, most), features)
        what = "documents[%d].features"
        if b"true" in body or b"false" in body:
            check_numbers(rows, what)
    else:
        rows, names = zip(*(line_of(value, i, features)
                            for i, value in enumerate(list_of(fields["lines"], "lines", 1, most))))
        what = "lines[%d]"
    need(None not in names or not any(names), "either each document has a name, or none has")
    names = None if names[0] is None else names
    try:
        need(not names or not HALF.search("".join(names)), "a name has half a character")
        try:
            nulls, sent = {}, rankpipe.request_round(rows, names, query, request, ordered, folds, dim)
        except rankpipe.Error:  # perhaps for nulls
            if dim is None:
                check_numbers(rows, what)
            nulls = fill_nans(rows, dim) if dim else fill_nulls(rows)
            if not nulls:
                raise
            sent = rankpipe.request_round(rows, names, query, request, ordered, folds, dim)
        fewer = bool(features) and (dim < features if dim else any(
            isinstance(row, list) and len(row) < features for row in rows))
        return sent, len(rows) // (dim or 1), names, explain, fewer, nulls, shown, own
    except rankpipe.Error as error:
        raise Bad(400, str(error)) from None


def client_of(fields):
    own = fields.get("client")
    return own if own is None else text_of(own, "client", WORD)


def shown_of(fields, most):
    return whole_of(fields["shown"], "shown", 1, most) if "shown" in fields else None


def request_of(fields):
    request = fields.get("request")
    need(isinstance(request, str) and re.fullmatch("[0-9a-f]{32}", request),
         "request must be the name that /rank gave, 32 of 0-9a-f")
    return request


def event_request(body, most):
    """The request, the words of its event as rankpipe_front.event_line takes them, and the caller's word for the client or
    None, of a body for /event."""
    fields = fields_of(body, ("request", "item", "place", "type", "shown", "client"))
    own, request, shown = client_of(fields), request_of(fields), shown_of(fields, most)
    need(fields.get("type") in EVENTS, "type must be one of %s" % ", ".join(EVENTS))
    need(("item" in fields) != ("place" in fields), "one of item and place must be given")
    said = {"kind": fields["type"], "shown": shown}
    if "place" in fields:
        said["place"] = whole_of(fields["place"], "place", 1, most)
        need(shown is None or said["place"] <= shown, "the place is below the last document that was shown")
    else:
        said["item"] = rankpipe.document_word(text_of(fields["item"], "item", NAME))
    return request, said, own


def answer_request(body, most, top):
    """The end of the line of answers that a body for /answer is, and the caller's word for the client or None.
    The word clicks=1 says that the numbers are clicks: evidence of relevance, and not relevance."""
    fields = fields_of(body, ("request", "labels", "clicks", "shown", "client"))
    own, request = client_of(fields), request_of(fields)
    need("labels" in fields or "clicks" in fields, "one of labels and clicks must be given")
    need("labels" not in fields or "clicks" not in fields,
         "labels and clicks exclude each other: labels say how relevant documents are, clicks only what was clicked")
    if "labels" in fields:
        need("shown" not in fields, "shown goes with clicks")
        said = [number_of(value, "labels[%d]" % i, 0, top)
                for i, value in enumerate(list_of(fields["labels"], "labels", 1, most))]
    else:
        clicks = [whole_of(value, "clicks[%d]" % i, 1, most)
                  for i, value in enumerate(list_of(fields["clicks"], "clicks", 0, most))]
        need(clicks or "shown" in fields, "without a click, shown must say how many documents were shown")
        shown = shown_of(fields, most) or max(clicks)
        need(not clicks or max(clicks) <= shown, "a click is below the last document that was shown")
        said = [0] * shown
        for place in clicks:
            said[place - 1] = 1
    kind = "clicks=1 " if "clicks" in fields else ""
    return request, kind + " ".join("%g" % (round(label, 4) + 0.0) for label in said), own
