"""Cells of a table that hold lists: of documents, and of clicks on them."""
# SPDX-License-Identifier: ISC
import csv
import json
import re

FORMS = "json", "braces", "blank", "comma", "bar", "flags", "one"
SPLITS = {"comma": ",", "bar": "|", "blank": None, "one": "\n"}
DECODE = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str).decode
MARKED = re.compile("'([^']*)'|\"([^\"]*)\"")
YES, FLAGS, FLAGGED = {"1", "true"}, {"0", "1", "true", "false"}, "01trueTRUEfalsFALS()[]{},| \t\"'"


class Unreadable(Exception):
    """Why a row is left out."""


def json_of(text):
    try:
        return DECODE(text)
    except (ValueError, RecursionError):
        return None


def form_of(text):
    """Which form a cell looks as if it had; None: it may be a single name."""
    if text[:1] == "(" and text[-1:] == ")" and text.count("(") == 1:
        return "json"
    if text[:1] in ("[", "{"):
        return "json" if text[0] == "[" or json_of(text) is not None else "braces"
    text = " ".join(text.split())
    for mark in ",|":
        text = text.replace(" " + mark, mark).replace(mark + " ", mark)
    return "blank" if " " in text else "comma" if "," in text else "bar" if "|" in text else None


def values_of(text, form):
    """The values in a cell: a list, or of an object of JSON a dict. Also lists and tuples as Python and NumPy print them."""
    found = json_of(text) if form == "json" else None
    if form == "blank":
        return text.split()
    if form not in ("json", "braces"):
        return [each.strip() for each in text.strip().split(SPLITS[form or "one"]) if each.strip()]
    if type(found) is dict:
        return {key: text_of(value) for key, value in found.items()}
    if type(found) is list:
        return list(map(text_of, found))
    inner = text[1:-1]
    if text[:1] + text[-1:] not in ("[]", "{}", "()") or form == "json" and text[0] == "{":
        raise Unreadable("whose lists cannot be read (-l)")
    if form == "braces":
        inner = inner.replace("\r", " ").replace("\n", " ")
        return next(csv.reader([inner], doublequote=False, escapechar="\\", skipinitialspace=True), [])
    if not MARKED.search(inner):
        return [each.strip() for each in inner.split("," if "," in inner else None) if each.strip()]
    if MARKED.sub("", inner).strip(", \n\t"):
        raise Unreadable("whose lists cannot be read (-l)")
    return [one or other for one, other in MARKED.findall(inner)]


def text_of(value):
    if type(value) not in (str, bool, type(None)):
        raise Unreadable("whose lists cannot be read (-l)")
    return value if type(value) is str else "null" if value is None else str(value).lower()


def is_yes(text):
    try:
        return text.lower() in YES or float(text) > 0
    except ValueError:
        return False


class Lists:
    """What the lists of a table look like: by the option -l, or by its first rows."""

    def __init__(self, form, cells, nothing):
        self.form, self.nothing, self.places = form, nothing, {}
        self.found = set(map(form_of, cells)) - {None}
        for cell in cells:  # what separates parts of other lists is in names here
            parts = "".join(values_of(cell, form_of(cell))) if form_of(cell) in ("blank", "comma") else ""
            self.found -= {other for other in ("comma", "bar") if SPLITS[other] in parts}
        plain = self.found.intersection(SPLITS)
        self.only = plain.pop() if len(plain) == 1 and form in (None, "flags") else form if form in SPLITS else None
        self.lists = self.longer = self.hits = self.misses = 0

    def values(self, text):
        if self.only and (self.form in SPLITS or text[:1] not in ("[", "{", "(")):
            return values_of(text, self.only)
        form = self.form if self.form not in (None, "flags") else form_of(text)
        known = self.form or form not in SPLITS or form in self.found or self.found.isdisjoint(SPLITS)
        return values_of(text, form if known else "one")

    def docs(self, text):
        """The names, by place."""
        values = self.values(text)
        self.places = {}
        if type(values) is dict:  # {"0": "tv-17", "1": "tv-3"}, or {"tv-17": 1, "tv-3": 2}
            self.places = values if all(map(str.isdecimal, values)) else {place: name for name, place in values.items()}
            if not all(len(place) < 10 and place.isdecimal() for place in self.places):
                raise Unreadable("whose lists cannot be read (-l)")
            values = [self.places[place] for place in sorted(self.places, key=int)]
        self.lists += 1
        self.longer += len(values) > 1
        return values

    def clicks(self, text, docs):
        """The names that were clicked on, of documents or not."""
        if text.strip() in self.nothing:
            return []
        flags = []
        if self.form in (None, "flags", "one") and not text.strip(FLAGGED):
            flags = values_of(text, form_of(text))
        values = flags if self.form == "flags" else self.values(text)
        if text[:1] == "(" and text in docs:
            values = [text]
        if type(values) is dict:  # {"1": true} by place, or {"tv-3": 1} by name
            values = [self.places.get(key, key) for key, value in values.items() if is_yes(value)]
        elif len(flags) == len(docs) and FLAGS.issuperset(map(str.lower, flags)):
            if not self.form and len(set(values)) == len(values) and set(values) <= set(docs):
                raise Unreadable("whose clicks may be flags or names (-l)")
            values = [doc for doc, flag in zip(docs, flags) if is_yes(flag)]
        elif self.form == "flags":
            raise Unreadable("whose flags are not as many as its documents, or no flags")
        clicked = set(values)
        misses = len(clicked.difference(docs))
        self.hits += len(clicked) - misses
        self.misses += misses
        return values

    def wrong(self):
        """What is wrong with the form, now that all lists are read; or None."""
        clicks = self.hits + self.misses
        if clicks > 20 and 2 * self.misses > clicks:
            return "%d of %d clicks are on documents that their lists do not have" % (self.misses, clicks)
        return "all lists have one document" if self.lists and not self.longer and self.form != "one" else None
