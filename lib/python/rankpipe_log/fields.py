"""Fields of a log, as words of the table. Each is hostile: of any type, length and characters. JSON's numbers come as
their text."""
# SPDX-License-Identifier: ISC
import functools
import re
from datetime import date
from urllib.parse import unquote_plus

import rankpipe

MOST = (1 << 53) - 2  # the latest time that a round can have
NOTHING = {"", "-", "\\N", "NULL", "null", "None", "nan", "NaN", "N/A", "undefined"}  # no names


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
    if text.isascii() and text.isprintable() and " " not in text and (most is None or len(text) <= most and "%" not in text):
        return text
    data = text.encode("utf-8", "replace")
    made = re.sub(rb"[\x00-\x20\x7f]", lambda at: b"%%%02X" % at[0][0], data)
    if most and sum(3 if c < 33 or c > 126 or c == 37 else 1 for c in made) > most:
        return re.sub("[^!-~]|%", "_", text[:most - 40]) + "~~" + rankpipe.hashlib.sha256(data).hexdigest()[:32]
    return made.decode("utf-8")


MINUTE = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d):(\d\d))?")  # of ISO 8601, and what follows
REST = re.compile(r"(?::(\d\d)(?:[.,](\d+))?)?\s*(?:Z|UTC|([+-])(\d\d):?(\d\d)?)?")
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
    seconds, milli-, micro- or nanoseconds, by its digits before the point; None: it is no such time."""
    if not isinstance(text, str):
        return None
    if text.isdecimal():
        return number_stamp(text)
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
        whole = int(text) if text.isdecimal() and len(text) < 20 else float(text)
        digits = len(text) if type(whole) is int else len(str(int(whole)))
    except (ValueError, OverflowError):  # of NaN, and of infinity
        return None
    if digits > 19:
        return None
    time = whole // 10**6 if digits > 17 else whole // 1000 if digits > 14 else whole if digits > 11 else whole * 1000
    return round(time) if 0 <= time <= MOST else None


def common_stamp(text):
    """The same of a line in the common log format."""
    found = COMMON.fullmatch(text)
    if not found:
        return stamp(text)
    day, month, year, clock, zone = found.groups()
    return stamp("%s-%s-%sT%s%s" % (year, MONTHS.get(month, "00"), day, clock, zone))


def position_of(text):
    """A position, from 0 or from 1, or None."""
    if isinstance(text, str) and len(text) < 10:
        whole, _, zeros = text.partition(".")
        if whole.isdecimal() and not zeros.strip("0"):
            return int(whole)
    return None


def unquoted(text):
    """The text of a part of a URL, in which web servers write \\xNN for some bytes. Raises ValueError: it is no UTF-8."""
    if "\\x" in text:
        text = re.sub(r"\\x([0-9A-Fa-f]{2})", r"%\1", text)
    if "%" in text or "+" in text:
        text = unquote_plus(text, errors="strict")
    if not text.isascii():
        text.encode()
    return text
