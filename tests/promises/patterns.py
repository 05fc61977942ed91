"""patterns.py: the patterns of Python in this tree, each with the texts that are the worst for it.

    patterns.py check   is each pattern of the tree in the table, and each of the table in the tree?
    patterns.py time    does each take at most 50 ms for its worst texts, or at most 3 times that of half the text?

A text is (head, part, tail): the part stands there 10^5 times. Each repeat of a pattern has one, which goes on until a
character that fails; searches have another one, of what a match begins with. They are matched as the program does: by
fullmatch, search, sub and so on. Where a program fills in %s, 8 stands here.
"""
# SPDX-License-Identifier: ISC
import ast
import os
import re
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
WAYS = "fullmatch", "match", "search", "sub", "split", "findall", "finditer"
TIMES, SECONDS = 100000, 0.05


TEXTS = {
    ' [-–—] *(.*)': ((' -', ' ', '\x00'), ('', ' - ', '\x00'), (' -', 'a', '\x00'), ('', ' -a', '\x00')),
    ' docs=(\\d+) dim=(\\d+) ': (
        (' docs=', '0', '\x00'), ('', ' docs=0', '\x00'), (' docs=0 dim=', '0', '\x00'), ('', ' docs=0 dim=0', '\x00'),),
    '%(?![0-9A-F]{2})': (),
    b'~([0-9A-F]{2})': (),
    '((ips|dr):)?(pairloss|sumloss|loss:)': (),
    '(.+)\\.\\d{16}-\\d{16}\\.bin': (('', 'a', '\x00'),),
    '(.+)\\.\\d{16}\\.open': (('', 'a', '\x00'),),
    '(0|[1-9][0-9]*)\\.([0-9a-f]{8})': (('1', '0', '\x00'),),
    '(?:\\[([0-9A-Fa-f:.]+)\\]|(\\d+\\.\\d+\\.\\d+\\.\\d+))(?::\\d+)?': (
        ('[', 'a', '\x00'), ('', '0', '\x00'), ('0.0.0.', '0', '\x00'), ('0.0.0.0:', '0', '\x00'),),
    '\'([^\']*)\'|"([^"]*)"': (("'", 'a', '\x00'), ('"', 'a', '\x00'), ('', "'a\"", '\x00'), ('', "'a'", '\x00')),
    '([^"]*?) \\[[^]["]*\\] "[^"]*"(?: \\S+ \\S+( ")?)?': (
        ('', 'a', '\x00'), ('', ' [', '\x00'), (' [', 'a', '\x00'), (' [] "', 'a', '\x00'), (' [] "" ', 'a', '\x00'),
        (' [] "" a ', 'a', '\x00'),),
    '"((?:unknown, )*[0-9A-Fa-f:., ]+)"[^"]*$': (
        ('"', 'a', '\x00'), ('', '"a', '\x00'), ('"a"', ' ', '"'), ('', '"a" ', '"'), ('"', 'unknown, ', '\x00'),
        ('', '"unknown, ', '\x00'), ('"a"', 'a', '"'),),
    '(?![0-9]+$)[A-Za-z0-9][\\w.-]*': (('a', 'a', '\x00'), ('', '0', '\x00')),
    '[0-9]{1,9}(\\.[0-9]{1,9})?': (),
    '\\\\x([0-9A-Fa-f]{2})': (),
    '(?:(?:# (?:HELP|TYPE) )?rankpipe_service_[ -~]*\\n)*': (
        ('', 'rankpipe_service_\n', '\x00'), ('rankpipe_service_', ' ', '\x00'),),
    '(?::(\\d\\d)(?:[.,](\\d+))?)?\\s*(?:Z|UTC|([+-])(\\d\\d):?(\\d\\d)?)?': ((':00.', '0', '\x00'), ('', ' ', '\x00')),
    '(?:^|\\s)-x\\s*(?:\\S*,)?base(?:\\s|$)': (
        ('-x', ' ', '\x00'), ('', '-x ', '\x00'), ('-x', 'a', '\x00'), ('', '-xa', '\x00'),),
    '([_%&#$])': (),
    '(^|/)_sources/': (('', '/', '\x00'), ('', '_sources', '\x00')),
    '"([^"]*)"': (('"', 'a', '\x00'), ('', '"a', '\x00')),
    '["+#]|(?:^|\\s)\\.\\w': (('', ' ', '\x00'), ('', ' .', '\x00')),
    '[?#]': (),
    '[^\\W\\0-\\x7f]': (),
    '[a-zA-Z][a-zA-Z0-9+.-]*:': (('a', 'a', '\x00'),),
    '(?<![^\\W_])(?:c\\+\\+|[cf]#|\\.net(?![^\\W_]))': (('', 'c+', '\x00'), ('', '.neta', '\x00')),
    '\\b(id|name|role|href)\\s*=\\s*(?:"([^"]*)"|\'([^\']*)\'|([^\\s"\'>]+))': (
        ('id', ' ', '\x00'), ('id=', ' ', '>'), ('id="', 'a', '\x00'), ("id='", 'a', '\x00'), ('id=', 'a', '"'), ('', 'id ', '\x00'),),
    '(?:\\b(?:href|src)\\s*=\\s*|@import\\s+|\\burl\\(\\s*)["\']?([^"\'\\s<>()]{1,500})': (
        ('href', ' ', '\x00'), ('href=', ' ', '>'), ('', 'href ', '\x00'), ('@import', ' ', '>'), ('', '@import ', '>'),
        ('url(', ' ', '>'), ('', 'url( ', '>'), ('href=', 'a', '\x00'),),
    ' (?:[|·—–]|--?|::|») ': (('', ' ', '\x00'), ('', ' -', '\x00')),
    '([a-z][a-z0-9_-]*):(u1|u2|u4|u8|f4|f8)\\[([0-9]+)\\]': (('a', 'a', '\x00'), ('a:u1[', '0', '\x00')),
    '(\\d\\d)/([A-Z][a-z]{2})/(\\d{4}):(\\d\\d:\\d\\d:\\d\\d) ([+-]\\d{4})': (),
    '(\\d{4}-\\d\\d-\\d\\d)(?:[T ](\\d\\d):(\\d\\d))?': (),
    '-\\S+\\s+[\\d,.]+\\s+(\\d{4})/(\\d\\d)/(\\d\\d) (\\d\\d):(\\d\\d):(\\d\\d) (.+)': (
        ('-', 'a', '\x00'), ('-a', ' ', '\x00'), ('-a ', '0', '\x00'), ('-a 0', ' ', '\x00'),
        ('-a 0 0000/00/00 00:00:00 ', 'a', '\x00'),),
    '.\x08': (),
    '/state/\\d+/model\\.bin$': (('/state/', '0', '\x00'), ('', '/state/0', '\x00')),
    '0*([1-9][0-9]{0,9}):([+-]?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?)': (
        ('', '0', '\x00'), ('1:', '0', '\x00'), ('1:0.', '0', '\x00'), ('1:.', '0', '\x00'), ('1:0e', '0', '\x00'),),
    '0|[1-9][0-9]{0,14}': (),
    '0|[1-9][0-9]{0,19}': (),
    ':[0-9]{1,5}$': (),
    '<(script|style|template)\\b.*?(?:</\\1\\b[^>]*(?:>|\\Z)|\\Z)|<!--.*?(?:-->|\\Z)|<(?=[a-z/!?])(/?)(\\w*)([^>]*)(?:>|\\Z)': (
        ('<script', 'a', '\x00'), ('', '<scripta', '\x00'), ('<script</script', 'a', '\x00'),
        ('', '<script</scripta', '\x00'), ('<!--', 'a', '\x00'), ('', '<!--a', '\x00'), ('<', 'a', '\x00'),
        ('', '<a', '\x00'),),
    '[\x00-\x08\x0b-\x1f\x7f-\x9f]': (),
    '[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]': (),
    '[ \t]': (),
    '[!-~]+': (('', '!', '\x00'),),
    '[+-]?([0-9]+(?:[.][0-9]*)?|[.][0-9]+)(e[+-]?[0-9]+)?': (
        ('', '0', '\x00'), ('0.', '0', '\x00'), ('.', '0', '\x00'), ('0e', '0', '\x00'),),
    '[+-]?([0-9]+(?:\\.[0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?': (
        ('', '0', '\x00'), ('0.', '0', '\x00'), ('.', '0', '\x00'), ('0e', '0', '\x00'),),
    '[0-9A-Za-z._:-]{1,255}': (('', '0', '\x00'),),
    '[0-9]+': (('', '0', '\x00'),),
    '[0-9]+|"[^"]*"?': (('', '0', '\x00'), ('"', 'a', '\x00'), ('', '"a', '\x00')),
    '[0-9]{1,10}': (),
    '[0-9]{1,5}': (),
    '[0-9a-f]{%s}': (('', '0', '\x00'),),
    '[0-9a-f]{32}': (('', '0', '\x00'),),
    '[0-9a-f]{8}': (),
    '[1-9][0-9]{0,6}': (),
    '[1-9][0-9]{0,9}': (),
    '[A-Za-z][A-Za-z0-9_.(),]*': (('A', 'A', '\x00'),),
    '[\\s,]*': (('', ' ', '\x00'),),
    '[\\s:=\\\\]+': (('', ' ', '\x00'),),
    '[^!-~]|%': (),
    '[^A-Za-z0-9.+-]+': (('', ' ', '\x00'),),
    '[^\\W_]': (),
    '[^\\W_]+': (('', 'a', '\x00'),),
    '[^\\W_].*': (('a', 'a', '\x00'), ('', 'aa', '\x00')),
    '[a-z]+(:[a-z0-9.:+-]*)?(,[a-z]+(:[a-z0-9.:+-]*)?)*': (
        ('', 'a', '\x00'), ('a:', 'a', '\x00'), ('a', ',a', '\x00'), ('a,', 'a', '\x00'), ('a,a:', 'a', '\x00'),),
    '[a-z][a-z0-9_-]*': (('a', 'a', '\x00'),),
    '[̀-ͯ]+': (('', '̀', '\x00'),),
    '[\u3040-ヿ㐀-鿿豈-\ufaff]': (),
    '[\ud800-\udfff]': (),
    '\\.(gz|bz2|xz)$': (),
    '\\.(zip|tar|tar\\.(gz|bz2|xz)|tgz|tbz2?|txz)$': (),
    '\\.[1-9][a-z]*$': (('.1', 'a', '\x00'), ('', '.1a', '\x00')),
    '\\.json$': (),
    '\\.x?html?$': (),
    '\\\\f(\\[\\w*\\]|\\(..|.)|\\\\[&|^%/]': (('\\f[', 'a', '\x00'), ('', '\\f[a', '\x00')),
    '\\d{4}-\\d\\d-\\d\\d': (),
    '\\n\\n\\S.*\\n((?: .*\\n)+)': (
        ('\n\na', 'a', '\x00'), ('', '\n\naa', '\x00'), ('\n\na\n', ' \n', '\x00'), ('', '\n\na\n \n', '\x00'),
        ('\n\na\n ', 'a', '\x00'), ('', '\n\na\n a', '\x00'),),
    '\\s*(?:[0-9]+[\\s:]+)?([^\\s#]+)': (('', ' ', '\x00'), ('', '0', '\x00'), ('0', ' ', '\x00'), ('', 'a', '\x00')),
    '^  -(.) ([a-z]+) ': (('  -a ', 'a', '\x00'), ('', '  -a a', '\x00')),
    '^(?:labels)? +([0-9.e+]+): ': (('', ' ', '\x00'), (' ', '0', '\x00'), ('', ' 0', '\x00')),
    '^(\\./+)+': (('', './', '\x00'), ('.', '/', '\x00')),
    '^([^"]*?) \\[([^][" ]*(?: [^][" ]*)?)\\] "([A-Z]+) %s\\?(?=(?:[^ "]*?&)??r=([^& "]+))(?:(?=(?:[^ "]*?&)??q=([^& "]+)))?(?:(?=(?:[^ "]*?&)??s=([^& "]+)))?(?:(?=(?:[^ "]*?&)??c=([^& "]+)))?': (
        ('', 'a', '\x00'), ('', ' [', '\x00'), ('', ' [a b', '\x00'), (' [', 'a', '\x00'),
        (' [a ', 'a', '\x00'), (' [b] "', 'A', '\x00'), (' [b] "GET 8?', '&', '\x00'),
        (' [b] "GET 8?', 'a', '\x00'), (' [b] "GET 8?r=', 'a', '\x00'), (' [b] "GET 8?r=a', '&', '\x00'),
        ('', ' [b] "GET 8?', '\x00'),),
    '^DESCRIPTION\\n': (),
    '^It is made for: explore(.*) \\| feedback-mask -k ([^ \n]+)(?: -c (.+))?$': (
        ('It is made for: explore', 'a', '\x00'), ('', 'It is made for: explorea', '\x00'),
        ('It is made for: explore | feedback-mask -k ', 'a', '\x00'),
        ('', 'It is made for: explore | feedback-mask -k a', '\x00'),
        ('It is made for: explore | feedback-mask -k a -c ', 'a', '\x00'),
        ('', 'It is made for: explore | feedback-mask -k a -c a', '\x00'),),
    '^[.\\\'][ \\t]*\\\\".*\\n|^[.\\\'][ \\t]*\\w+ ?': (
        ('.', ' ', '\x00'), ('', '. ', '\x00'), ('.\\"', 'a', '\x00'), ('', '.\\"a', '\x00'), ('.', 'a', '\x00'),
        ('', '.a', '\x00'),),
    '^bin2txt: (<stdin>: record 1)?': (),
    'clients\\.\\d{4}-\\d\\d-\\d\\d': (),
    'feature_[1-9][0-9]{0,19}': (),
    'https?://[!-~]+': (('http://', '!', '\x00'),),
    'man[1-9]': (),
    'start': (),
    'whole\\.[0-9]{1,16}\\.[0-9a-f]{8}\\.bin': (),
    'word': (),
    b' based=(\\S+)': ((' based=', 'a', '\x00'), ('', ' based=a', '\x00')),
    b' made=(?:\\S*,)?base ': ((' made=', 'a', '\x00'), ('', ' made=a', '\x00')),
    b' request=(\\S+)': ((' request=', 'a', '\x00'), ('', ' request=a', '\x00')),
    b' rounds=(\\d+)': ((' rounds=', '0', '\x00'), ('', ' rounds=0', '\x00')),
    b' seed=(\\d+)': ((' seed=', '0', '\x00'), ('', ' seed=0', '\x00')),
    b'(?:[0-9a-f]{2}){8,32}': (('', '00', '\x00'),),
    b'(?<![a-z0-9_-])([a-z][a-z0-9_-]*):(u[1248]|f[48])\\[(0|[1-9]\\d*)\\]': (
        ('a', 'a', '\x00'), ('', 'aa', '\x00'), ('a:u1[1', '0', '\x00'), ('', 'a:u1[10', '\x00'),),
    b'0|[1-9]\\d{0,15}': (),
    b'[ -~]*': (('', ' ', '\x00'),),
    b"[!#$%&'*+.^_`|~0-9a-z-]+": (('', '!', '\x00'),),
    b'[%~]([0-9A-F]{2})': (),
    b'[0-9]{1,15}': (),
    b'[0-9]{1,20}': (),
    b'[\\s\\x00-\\x1f]': (),
    b'[\\x00-\\x20\\x7f#~]': (),
    b'[\\x00-\\x20\\x7f-\\xff]': (),
    b'[\\x00-\\x20\\x7f]': (),
    b'\\d[0-9.]{0,30}(e[+-]?\\d{1,3})?': (('0', '0', '\x00'),),
    b'\\s*<(!doctype html|html)\\b': (('', ' ', '\x00'),),
    b"^[.'][ \\t]*(TH|Dd|so)\\b": (('.', ' ', '\x00'), ('', '. ', '\x00')),
    b'charset\\s*=\\s*(?:["\']\\s*)?(iso-8859-\\d\\d?|windows-125\\d|koi8-[ru]|shift_jis|euc-(?:jp|kr)|gb(?:2312|k|18030)|big5)\\b': (
        ('charset', ' ', '\x00'), ('', 'charset ', '\x00'), ('charset=', ' ', '\x00'), ('', 'charset= ', '\x00'),
        ('charset="', ' ', '\x00'), ('', 'charset=" ', '\x00'),),
    b'client=((?:[!-$&-~]|%[0-9A-F]{2}){1,64})': (('client=', '!', '\x00'),),
    b'rankpipe/1 patch .* since=([0-9]{1,16}\\.[0-9a-f]{8}) ': (('rankpipe/1 patch ', 'a', '\x00'),),
    b'rankpipe/1 round (?:crc=[0-9a-f]{8} )?t=(\\d{1,16})(?: qid=([!-~]+))?(?: request=([!-~]+))?(?: time=(\\d{1,16}))?( docs=[ -~]*) bytes=\\d+\\n': (
        ('rankpipe/1 round t=0 qid=', '!', '\x00'), ('rankpipe/1 round t=0 request=', '!', '\x00'),
        ('rankpipe/1 round t=0 docs=', ' ', '\x00'), ('rankpipe/1 round t=0 docs= bytes=', '0', '\x00'),),
    b'time=(\\d{1,16})': (),
    b'~[0-9A-F]{2}': (),
}


def sources():
    """(path, text) of each program and module of Python that is installed or shipped."""
    for top in "cmd", "lib", "examples", "package":
        for where, _, names in os.walk(os.path.join(ROOT, top)):
            for name in sorted(names):
                path = os.path.join(where, name)
                with open(path, errors="replace") as file:
                    text = file.read()
                if name.endswith(".py") or text.startswith("#!/usr/bin/env python3"):
                    yield os.path.relpath(path, ROOT), text


def constant(node, tree):
    """The text of a pattern: of "..." % ..., the former; of a name of the module, its value; of another, itself."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return constant(node.left, tree)
    for each in tree.body:
        if isinstance(node, ast.Name) and isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == node.id:
            node = each.value
    try:
        return eval(ast.unparse(node), {})
    except NameError:
        return ast.unparse(node)


def patterns():
    """pattern: (flags, ways, where it stands first) of the tree."""
    found, ways, parsed = {}, {}, [(path, text, ast.parse(text)) for path, text in sources()]
    for _, text, _ in parsed:
        for name, way in re.findall(r"\b([A-Z]+)\.(%s)\b" % "|".join(WAYS), text):
            ways.setdefault(name, set()).add(way)
    for path, _, tree in parsed:
        names = {id(node.value): ast.unparse(node.targets[0]) for node in ast.walk(tree) if isinstance(node, ast.Assign)}
        for node in ast.walk(tree):
            module, _, way = ast.unparse(node.func).rpartition(".") if isinstance(node, ast.Call) else ("", "", "")
            if module != "re" or way not in ("compile", *WAYS):
                continue
            flags = [ast.unparse(each) for each in (*node.args[1:], *(each.value for each in node.keywords))]
            flags = eval(next((text for text in flags if re.match(r"re\.[A-Z]", text)), "0"))
            used = ways.get(names.get(id(node)), {"search"}) if way == "compile" else {way}
            found.setdefault(constant(node.args[0], tree), (flags, set(), "%s:%d" % (path, node.lineno)))[1].update(used)
    return found


def check():
    missing = ["%s: the pattern %r is not in the table of tests/promises/patterns.py: add it, with its worst texts" % (
        where, pattern) for pattern, (_, _, where) in patterns().items() if pattern not in TEXTS]
    sys.exit("\n".join(missing) if missing else 0)


def seconds(way, pattern, text):
    """Processor time of one match."""
    began = time.process_time()
    found = pattern.sub("", text) if way == "sub" else getattr(pattern, way)(text)
    if way == "finditer":
        list(found)
    return time.process_time() - began


def is_slow(way, pattern, head, part, tail):
    """Seconds, where 10^5 of the part take more than their due; or 0. It begins with few: many may take minutes."""
    before = 0
    for times in (TIMES >> i for i in range(7, -1, -1)):
        text = head + part * times + tail
        text = text.encode() if isinstance(pattern.pattern, bytes) else text
        took = min(seconds(way, pattern, text) for _ in range(3 if before > SECONDS / 3 else 1))
        if took > SECONDS and took > 3 * before:
            return took
        before = took
    return 0


def measure():
    bad = []
    for pattern, (flags, ways, where) in patterns().items():
        compiled = re.compile(pattern.replace("%s", "8") if isinstance(pattern, str) else pattern, flags)
        for way in sorted(ways):
            for text in TEXTS.get(pattern, ()):
                took = is_slow(way, compiled, *text)
                if took:
                    bad.append("%s: %s of %r takes %.2f s for %r" % (where, way, pattern, took, text))
    sys.exit("\n".join(bad) if bad else 0)


if __name__ == "__main__":
    {"check": check, "time": measure}[sys.argv[1]]()
