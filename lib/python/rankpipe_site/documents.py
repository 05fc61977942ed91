"""Documents: the text of files that anyone may have written.

read_files() hands files to processes that have limits of memory, of time and of what they may write.
Such a process opens a file below the folder without following a link, unpacks at most so much of it,
and sends back text. Nothing that a file says becomes a path, a command or a name that is opened.
"""
# SPDX-License-Identifier: ISC
import bz2
import fnmatch
import gzip
import itertools
import json
import lzma
import multiprocessing
import multiprocessing.connection
import os
import re
import resource
import shutil
import stat
import subprocess
import tarfile
import tempfile
import time
import typing
import unicodedata
import zipfile

from . import markup

MB = 1 << 20
FILE = 256 * MB  # bytes of a file that is read
UNPACKED = 256 * MB  # bytes that an archive may unpack to
MEMBERS = 20000  # files in an archive
TEXT = 2 * MB  # bytes of a document; the rest of it is left out
MEMORY = 1024 * MB  # of a process that reads
SECONDS = {False: 10, True: 60}  # for a file, and for an archive
DEPTH = 64  # of folders in each other

ARCHIVE = re.compile(r"\.(zip|tar|tar\.(gz|bz2|xz)|tgz|tbz2?|txz)$", re.I)
PACKED = re.compile(r"\.(gz|bz2|xz)$", re.I)
MANUAL = re.compile(r"\.[1-9][a-z]*$")
ROFF = re.compile(rb"^[.'][ \t]*(TH|Dd|so)\b", re.M)
CONTROL = re.compile("[\0-\b\v-\x1f\x7f-\x9f]")
MANDOC = shutil.which("mandoc")


class Document(typing.NamedTuple):
    path: str  # below the folder, and then in the archive
    title: str
    text: str
    start: int  # where in the text an excerpt may begin
    page: typing.Optional[str] = None  # HTML as it came
    anchor: typing.Optional[str] = None  # of a section of HTML
    heading: typing.Optional[str] = None
    names: frozenset = frozenset()  # paths of sheets, images and fonts that a page names


class Skip(Exception):
    """Why a file is left out."""


class Bounded:
    """A file that is read until the bytes of a budget, which files may share, are used up; and not much beyond
    its end, where tarfile would go on for as many bytes as a header says that there are.
    """

    def __init__(self, file, budget):
        self.file, self.budget, self.ends = file, budget, 0

    def read(self, size=-1):
        left = self.budget["bytes"]
        data = self.file.read(left + 1 if size < 0 else min(size, left + 1))
        self.budget["bytes"] -= len(data)
        if len(data) > left:
            raise Skip("unpacks to more than %d MB: the rest is left out" % (UNPACKED // MB))
        self.ends += not data
        if self.ends > 100:
            raise Skip("cut short")
        return data


# ---- the text of one document ----


def decoded(data, charset=None):
    """Bytes as text: UTF-16 with its mark, the charset that the page names, UTF-8, or else Windows-1252."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    if b"\0" in data:
        raise Skip("not text")
    if charset:
        return data.decode(charset, "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start > len(data) - 4 and len(data) == TEXT:  # cut within a letter
            return data[: error.start].decode("utf-8-sig")
        return data.decode("cp1252", "replace")


def clean(text):
    text = re.sub(".\b", "", text.replace("\r\n", "\n").replace("\f", "\n"))
    text = CONTROL.sub(" ", text)
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def line_of(text, most=120):
    """Text as one line for a title, without letters that change the order of others."""
    text = "".join(" " if unicodedata.category(c) in ("Cc", "Cf") else c for c in text[: 4 * most])
    text = " ".join(text.split())
    return text if len(text) <= most else text[:most].rsplit(" ", 1)[0] + " …"


CHARSET = re.compile(rb"""charset\s*=\s*(?:["']\s*)?(iso-8859-\d\d?|windows-125\d|koi8-[ru]|shift_jis|euc-(?:jp|kr)|"""
                     rb"gb(?:2312|k|18030)|big5)\b", re.I)


def source_of(data):
    """A page of HTML, or a sheet, as text."""
    charset = CHARSET.search(data[:2048])
    return decoded(data, charset and charset[1].decode())


def of_html(path, name, data, menus):
    """The page, and a document for each of its sections, whose paths go on with # and an anchor."""
    source = source_of(data)
    said = markup.parse(source, menus)
    title, text = line_of(said.title), clean(said.text)
    yield Document(path, title or first_line(name, text), text, 0, source, names=markup.names(source, path))
    for heading, text in said.sections:
        yield Document(path, title or os.path.basename(name), clean(text), 0, None, heading.anchor, line_of(heading.text))


def of_roff(name, data):
    """A manual page as mandoc shows it. It runs where no file is, because a page may ask for others."""
    base = os.path.basename(name)
    if not MANDOC:
        text = re.sub(r'^[.\'][ \t]*\\".*\n|^[.\'][ \t]*\w+ ?', "", decoded(data), flags=re.M)
        return base, clean(re.sub(r"\\f(\[\w*\]|\(..|.)|\\[&|^%/]", "", text).replace("\\-", "-")), 0
    with tempfile.TemporaryFile() as page, tempfile.TemporaryFile() as shown:
        page.write(data)
        page.seek(0)
        subprocess.run([MANDOC, "-T", "utf8", "-O", "width=78"], stdin=page, stdout=shown,
                       stderr=subprocess.DEVNULL, check=False)
        shown.seek(0)
        text = clean(shown.read(TEXT).decode("utf-8", "replace"))
    head = re.search(r"\n\n\S.*\n((?: .*\n)+)", text)  # the first section, which is NAME
    purpose = re.search(r" [-–—] *(.*)", " ".join(head[1].split()) if head else "")
    if not purpose:
        raise Skip("a manual page without a name, or an alias of another")
    prose = re.search(r"^DESCRIPTION\n", text, re.M)
    name, _, section = base.rpartition(".")
    return line_of("%s(%s) - %s" % (name, section, purpose[1])), text.strip(), (prose or head).end()


def first_line(name, text):
    line = re.search(r"[^\W_].*", text[:65536])
    if not line or ending(name) == ".json":
        return os.path.basename(name)
    text = line[0][:500].rstrip(" \t=*-")
    head, _, marks = text.rpartition(" ")
    return line_of(text if marks.strip("#") else head)


def of_text(name, data):
    text = clean(decoded(data)).strip()
    return first_line(name, text), text, 0


def is_html(name, data=b""):
    return re.search(r"\.x?html?$", name, re.I) or re.match(rb"\s*<(!doctype html|html)\b", data[:256], re.I)


def documents_of(path, name, data, menus):
    """The documents that these bytes are, the first of them whole; a Skip, if they are none."""
    if len(path) > 1000:
        raise Skip("its name is too long")
    if MANUAL.search(name) and ROFF.search(data[:65536]):
        found = [Document(path, *of_roff(name, data))]
    elif is_html(name, data):
        found = list(of_html(path, name, data, menus))
    else:
        found = [Document(path, *of_text(name, data))]
    if not any(re.search(r"[^\W_]", each.text) for each in found):
        raise Skip("no words")
    return found


# ---- files, packed or not ----


def unpacked(file, name):
    """The file without the packing that its name speaks of, and its name without that."""
    if name.lower().endswith((".gz", ".tgz")):
        return gzip.GzipFile(fileobj=file), PACKED.sub("", name)
    if name.lower().endswith((".bz2", ".tbz", ".tbz2")):
        return bz2.BZ2File(file), PACKED.sub("", name)
    if name.lower().endswith((".xz", ".txz")):
        return lzma.LZMAFile(file), PACKED.sub("", name)
    return file, name


def is_hidden(path):
    return any(part.startswith(".") for part in path.split("/"))


def zip_members(file, budget):
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            if not info.is_dir():
                yield info.filename, lambda info=info: Bounded(archive.open(info), budget)


def tar_members(file, budget):
    with tarfile.open(fileobj=Bounded(file, budget), mode="r|") as archive:
        for info in archive:
            if info.isreg():
                yield info.name, lambda info=info: archive.extractfile(info)


def members(file, path, menus):
    """The documents of an archive. Its files have names, and are never unpacked into files."""
    budget = {"bytes": UNPACKED}
    found = zip_members if path.lower().endswith(".zip") else tar_members
    for count, (name, opened) in enumerate(found(unpacked(file, path)[0], budget)):
        if count == MEMBERS:
            raise Skip("more than %d files in it: the rest is left out" % MEMBERS)
        name = re.sub(r"^(\./+)+", "", name)
        if is_hidden(name) or name.startswith("/") or ARCHIVE.search(name):
            continue
        try:
            data, plain = unpacked(opened(), name)
            yield from documents_of(path + "/" + name, plain, data.read(TEXT), menus)
        except Exception:  # one member is damaged, encrypted or no text; the archive goes on
            if budget["bytes"] < 0:
                raise


def documents(file, path, menus):
    if ARCHIVE.search(path):
        yield from members(file, path, menus)
    else:
        data, name = unpacked(file, path)
        yield from documents_of(path, name, data.read(TEXT), menus)


def blocks(file, path, _):
    """What a page of HTML may share with others: marks of its blocks, and of the parts of its title."""
    data, _ = unpacked(file, path)
    yield markup.parse(source_of(data.read(TEXT))).blocks


def names(file, path, _):
    """What a sheet names."""
    yield markup.names(source_of(file.read(TEXT)), path)


def opened_below(folder, path):
    """The file at the path below the open folder: a regular file, and no link on the way to it."""
    *above, name = os.fsencode(path).split(b"/")
    at = os.dup(folder)
    try:
        for part in above:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = inner
        file = os.fdopen(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at), "rb")
    finally:
        os.close(at)
    info = os.fstat(file.fileno())
    if not stat.S_ISREG(info.st_mode):
        raise Skip("not a file")
    if info.st_size > FILE:
        raise Skip("more than %d MB" % (FILE // MB))
    return file


class Patterns(typing.NamedTuple):
    """What is read of a folder: files that --include names, if it names any, and that --exclude does not."""

    include: tuple = ()
    exclude: tuple = ()

    @classmethod
    def read(cls, text):
        """As the index keeps them."""
        return cls(*map(tuple, json.loads(text or "[]")))

    def hide(self, path):
        ways = [path, *itertools.accumulate(path.split("/")[:-1], "{}/{}".format)]  # it, and the folders that have it
        return bool(self.include) and not _any(self.include, [path]) or _any(self.exclude, ways)


def _any(patterns, ways):
    return any(fnmatch.fnmatchcase(way, pattern) or fnmatch.fnmatchcase(os.path.basename(way), pattern)
               for way in ways for pattern in patterns)


FORMS = {".html": 0, ".htm": 0, ".xhtml": 0, ".md": 1, ".rst": 1, ".txt": 2, ".json": 3}  # of one document, the best first


def forms(paths, chosen):
    """Of files that are one document in several forms: each that is left out, and the one that stays: that of `chosen`,
    whose clicks are known, or the best."""
    best, others = {}, {}
    for path in sorted(filter(lambda path: ending(path) in FORMS, paths),
                       key=lambda path: (path not in chosen, FORMS[ending(path)], path)):
        stays = best.setdefault(stem(path), path)
        if stays != path:
            others[path] = stays
    return others


def stem(path):
    """What the forms of a document share: a path without endings, and without the folder that Sphinx has for sources."""
    path = PACKED.sub("", path)
    while os.path.splitext(path)[1].lower() in FORMS:
        path = os.path.splitext(path)[0]
    return re.sub(r"(^|/)_sources/", r"\1", path)


def ending(path):
    return os.path.splitext(PACKED.sub("", path))[1].lower()


def opens(path, file):
    """Is the document at this path a file of HTML as it is, or a section of one?"""
    return path.partition("#")[0] == file and file.lower().endswith((".html", ".htm", ".xhtml"))


def walk(folder):
    """The files below an open folder: path, size and time of change. Links and names with a dot first are
    left out; so are, if there is man1, all but man1 to man9, because translations repeat them.
    """
    manual = re.compile("man[1-9]") if "man1" in os.listdir(folder) else None
    for at, folders, files, descriptor in os.fwalk(".", dir_fd=folder, follow_symlinks=False):
        above = at[2:] + "/" if at != "." else ""
        folders[:] = sorted(f for f in folders if not f.startswith(".")) if above.count("/") < DEPTH else []
        if manual and not above:
            folders[:] = [f for f in folders if manual.fullmatch(f)]
            continue
        for name in sorted(files):
            try:
                info = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            except OSError:
                continue  # gone meanwhile
            if stat.S_ISREG(info.st_mode) and info.st_size and not name.startswith("."):
                yield above + name, info.st_size, info.st_mtime_ns


# ---- the processes that read ----


def reader(pipe, folder, read, menus):
    """Reads the files whose paths come by the pipe; sends what is found in them, and the end of each as text."""
    for limit, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_FSIZE, 2 * TEXT), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(limit, (most, most))
    nowhere = tempfile.mkdtemp()
    os.chdir(nowhere)
    os.rmdir(nowhere)
    os.environ["LC_ALL"] = "C.UTF-8"
    os.setpgid(0, 0)
    for path in iter(pipe.recv, None):
        try:
            with opened_below(folder, path) as file:
                for found in read(file, path, menus):
                    pipe.send(found)
            pipe.send("")
        except Skip as reason:
            pipe.send(str(reason))
        except Exception as error:  # whatever a parser makes of a hostile file
            pipe.send("cannot be read: %s" % (error or type(error).__name__))


class Reader:
    """A process that reads, and the file that it has."""

    def __init__(self, *what):
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("fork").Process(target=reader, args=(other, *what), daemon=True)
        self.process.start()
        other.close()
        self.path = None

    def begin(self, path):
        self.path = path
        self.deadline = time.monotonic() + SECONDS[bool(ARCHIVE.search(path))]
        self.pipe.send(path)

    def take(self, ready):
        """What it has sent; nothing, if it has not sent anything. An EOFError: it has ended, or is late."""
        if time.monotonic() > self.deadline:
            raise EOFError("takes too long: the rest is left out")
        try:
            return self.pipe.recv() if self.pipe in ready else None
        except (EOFError, OSError):
            raise EOFError("ends the process that reads it: the rest is left out") from None

    def kill(self):
        for kill in (lambda: os.killpg(self.process.pid, 9), self.process.kill):
            try:
                kill()
            except OSError:
                pass
        self.process.join()
        self.pipe.close()


def read_files(folder, paths, count, read=documents, menus=frozenset()):
    """Reads files below an open folder by so many processes. Yields path and what `read` finds, Documents without menus
    of these marks, and at the end of each file path and text: why it was left out, or nothing.
    """
    left, readers = list(reversed(paths)), [Reader(folder, read, menus) for _ in range(min(count, len(paths)))]
    try:
        while True:
            for idle in readers:
                if idle.path is None and left:
                    idle.begin(left.pop())
            busy = [r for r in readers if r.path is not None]
            if not busy:
                return
            ready = multiprocessing.connection.wait([r.pipe for r in busy], 0.5)
            for r in busy:
                try:
                    got = r.take(ready)
                except EOFError as reason:
                    yield r.path, str(reason)
                    r.kill()
                    readers[readers.index(r)] = Reader(folder, read, menus)
                    continue
                if got is not None:
                    yield r.path, got
                    r.path = None if isinstance(got, str) else r.path
    finally:
        for r in readers:
            r.kill()
