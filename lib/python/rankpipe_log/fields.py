"""Fields of a log, as words of the table. Each is hostile: of any type, length and characters. JSON's numbers come as
their text."""
# SPDX-License-Identifier: ISC
import functools
import re
from datetime import date
from urllib.parse import unquote_plus

import rankpipe

MOST = (1 << 53) - 2  # the latest time that a round can have


@functools.lru_cache(maxsize=10000)
def qid_of(text):
    """The word of a query, or None if its text is blank."""
    try:
        return rankpipe.query_word(text.encode("utf-8", "replace"), fold=True)
    except rankpipe.Error:
        return None


def is_word(text):
    """Is it ASCII without blanks and control characters?"""
    return text.isascii() and text.isprintable() and " " not in text


def word(text, most=None):
    """A name as one field: blanks and control characters as %XX. What needs more than `most` bytes in a
    header line is cut, and a hash follows."""
    if is_word(text) and (most is None or len(text) <= most and "%" not in text):
        return text
    data = text.encode("utf-8", "replace")
    made = re.sub(rb"[\x00-\x20\x7f]", lambda at: b"%%%02X" % at[0][0], data)
    if most and sum(3 if c < 33 or c > 126 or c == 37 else 1 for c in made) > most:
        return re.sub("[^!-~]|%", "_", text[:most - 40]) + "~~" + rankpipe.hashlib.sha256(data).hexdigest()[:32]
    return made.decode("utf-8")


MINUTE = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d):(\d\d))?")  # of ISO 8601, and what follows
REST = re.compile(r"(?::(\d\d)(?:[.,](\d+))?)?\s*(?:Z|([+-])(\d\d):?(\d\d)?)?")
COMMON = re.compile(r"(\d\d)/([A-Z][a-z]{2})/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d{4})")
MONTHS = {name: "%02d" % at for at, name in enumerate(
    "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}


@functools.lru_cache(maxsize=1000)
def minute_stamp(text):
    """Milliseconds of a time to the minute; None if it is not valid."""
    found = MINUTE.fullmatch(text)
    try:
        day = date.fromisoformat(found[1]).toordinal() - 719163
    except (TypeError, ValueError):
        return None
    return ((day * 24 + int(found[2] or 0)) * 60 + int(found[3] or 0)) * 60000


def stamp(text):
    """A time in milliseconds since 1970, from ISO 8601 (in UTC, where it has no zone) or a number of
    milliseconds, or of seconds if it is below 10^11; None: it is no such time."""
    if not isinstance(text, str):
        return None
    time, found = minute_stamp(text[:16]), REST.fullmatch(text, 16)
    if time is None or not found:
        return number_stamp(text)
    second, fraction, sign, ahead, more = found.groups("0")
    time += int(second) * 1000 + int((fraction + "00")[:3])
    if sign != "0":
        time += (int(ahead) * 60 + int(more)) * (60000 if sign == "-" else -60000)
    return time if 0 <= time <= MOST else None


def number_stamp(text):
    try:
        number = float(text)
        number = round(number * 1000 if number < 1e11 else number)
    except (ValueError, OverflowError):  # of NaN, and of infinity
        return None
    return number if 0 <= number <= MOST else None


def common_stamp(text):
    """The same of a line in the common log format."""
    found = COMMON.fullmatch(text)
    if not found:
        return None
    day, month, year, clock, zone = found.groups()
    return stamp("%s-%s-%sT%s%s" % (year, MONTHS.get(month, "00"), day, clock, zone))


def position_of(text):
    """A position, from 0 or from 1, or None."""
    return int(text) if isinstance(text, str) and text.isdecimal() and len(text) < 10 else None


def name_of(value):
    """A name: a text or the text of a number; None otherwise."""
    return value if isinstance(value, str) and value else None


def names_of(values):
    """The names in a list; what is none is left out."""
    if type(values) is not list:
        return []
    return values if {str}.issuperset(map(type, values)) and all(values) else list(filter(name_of, values))


def unquoted(text):
    return unquote_plus(text, errors="replace") if "%" in text or "+" in text else text
