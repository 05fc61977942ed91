"""Words: how texts are folded, and what a query asks for."""
# SPDX-License-Identifier: ISC
import re
import typing
import unicodedata

WORDS = 10  # of a query; further ones are left out
LONGEST = 64  # letters of a word
WORD = re.compile(r"[^\W_]+")
MARKS = re.compile("[\u0300-\u036f]+")
ALONE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")  # scripts without spaces
SIGNS = re.compile(r"(?<![^\W_])(?:c\+\+|[cf]#|\.net(?![^\W_]))")  # words that are more than their letters
SPELT = {"c++": " cplusplus ", "c#": " csharp ", "f#": " fsharp ", ".net": " dotnet "}
QUOTED = re.compile('"([^"]*)"')
AS_TYPED = re.compile(r'["+#]|(?:^|\s)\.\w')  # what makes another query of the same words
FUNCTION = frozenset("""a an and are as at be by can could did do does for from get has have how i if in into is it me my of on
    or our please should that the their there this to was we what when where which who why will with would you your""".split())


class Query(typing.NamedTuple):
    """What was typed. The same words in another order, or in capitals, are the same query and have one name."""

    text: str
    words: tuple  # each once, in order
    phrases: tuple  # words that are to stand together
    name: str

    def less(self, words):
        return self._replace(words=words, phrases=())


def fold(text):
    """Text as it is compared: small letters without accents; a Chinese or Japanese sign is a word, and so is c++."""
    if text.isascii():
        text = text.lower()
    else:
        text = MARKS.sub("", unicodedata.normalize("NFKD", text.casefold()))
        text = ALONE.sub(r" \g<0> ", text)
    return SIGNS.sub(lambda sign: SPELT[sign[0]], text)


def words(text):
    return [word for word in WORD.findall(fold(text)) if len(word) <= LONGEST]


def asked(text):
    """The query that a text is."""
    text = " ".join(text.split())
    found = tuple(sorted(set(list(dict.fromkeys(words(text)))[:WORDS])))
    phrases = tuple(filter(lambda phrase: len(phrase) > 1 and set(phrase) <= set(found),
                           (tuple(words(part)) for part in QUOTED.findall(text))))
    return Query(text, found, phrases, " ".join(fold(text).split()) if AS_TYPED.search(text) else " ".join(found))


def distance(a, b):
    """Damerau and Levenshtein's: how many letters are too many, too few, wrong, or swapped with the next."""
    above, row = [], list(range(len(b) + 1))
    for i, x in enumerate(a):
        before, above, row = above, row, [i + 1]
        for j, y in enumerate(b):
            row.append(min(above[j + 1] + 1, row[j] + 1, above[j] + (x != y)))
            if i and j and x == b[j - 1] and a[i - 1] == y:
                row[-1] = min(row[-1], before[j - 1] + 1)
    return row[-1]
