#!/usr/bin/env python3
"""budget.py FOLDER: how large the parts of a tree are, a name and a number a line. tests/promises/budget has the most of
each that there may be, and house.bats compares. A commit that raises one says in its body what users get for it.

    git archive REVISION | tar -x -C folder && python3 tests/promises/budget.py folder
"""
import glob
import os
import re
import sys

if len(sys.argv) != 2:
    sys.exit(__doc__.strip())
os.chdir(sys.argv[1])


def text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def files(*folders):
    """All files of these folders, except what building and running leaves there."""
    return [path for folder in folders for path in glob.glob(folder + "/**", recursive=True)
            if os.path.isfile(path) and not re.search("__pycache__|^examples/(data/small|papers/(figures|out)/)", path)]


def lines(paths):
    return sum(text(path).count("\n") for path in paths)


c = [path for path in files("lib", "cmd") if path.endswith((".c", ".h"))]
python = [path for path in files("lib/python", "cmd")
          if path.endswith(".py") or ("." not in os.path.basename(path) and text(path).startswith("#!/usr/bin/env python3"))]
functions, once = 0, 0
for path in c:
    code = re.sub(r"/\*.*?\*/", "", text(path), flags=re.S)
    functions += len(re.findall(r"^\{$", code, re.M))
    for name in re.findall(r"^static [^;={}()]*?\b(\w+)\([^;{}]*\)\n\{$", code, re.M):
        once += len(re.findall(r"\b%s\b" % name, code)) == len(re.findall(r"\b%s\(" % name, code)) == 2
users = {}
for path in c:
    for header in re.findall(r'^#include "(.*)"$', text(path), re.M):
        header = next((found for found in ("lib/" + header, os.path.join(os.path.dirname(path), header))
                       if os.path.exists(found)), None)
        if header and header[:-2] != path[:-2]:
            users.setdefault(header, set()).add(path)
one = sum(path.startswith("lib/") and path.endswith(".h") and len(users.get(path, ())) == 1 for path in c)
for name, number in (
        ("C", lines(c)), ("C-files", len(c)), ("functions", functions), ("statics-called-once", once),
        ("headers-with-one-user", one), ("Python", lines(python)), ("man", lines(files("man"))),
        ("tests", lines(path for path in files("tests") if not re.match("tests/(fixtures|fuzz/corpus)/", path))),
        ("examples", lines(files("examples"))),
        ("files", len(files("lib", "cmd", "man", "tests", "examples", "package")))):
    print(name, number)
