"""What train runs, and the tables that its programs write."""
# SPDX-License-Identifier: ISC
import contextlib
import shlex
import subprocess


def run(*words, **options):
    """Runs a program without input; its output and messages are text, with any bytes."""
    options = {"stdin": subprocess.DEVNULL, "capture_output": True, "errors": "surrogateescape",
               **options}
    return subprocess.run(words, check=False, **options)


def pipeline(*programs, to=None):
    """The text of a pipeline, whose output goes to a file."""
    text = " | ".join(shlex.join(map(str, words)) for words in programs)
    return text + f" > {shlex.quote(to)}" if to else text


def read_table(path):
    """The rows of a table, one by one."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            yield line.rstrip("\n").split("\t")


def write_table(path, rows):
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.writelines("\t".join(row) + "\n" for row in rows)


def records(file):
    """The records of a stream, each with its header line, without the end record."""
    for head in iter(file.readline, b""):
        if not head.startswith(b"rankpipe/1 end "):
            yield head + file.read(int(head.rpartition(b"=")[2]))


def write_end(file, count):
    file.write(b"rankpipe/1 end rounds=%d bytes=0\n" % count)


def deal(paths, names):
    """Writes query q of streams, one after another, to file 1 + (q - 1) mod files; returns how many each has."""
    sizes = [0] * len(names)
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(open(name, "wb")) for name in names]
        for path in paths:
            with open(path, "rb") as stream:
                for record in records(stream):
                    q = sum(sizes) % len(files)
                    files[q].write(record)
                    sizes[q] += 1
        for file, size in zip(files, sizes):
            write_end(file, size)
    return sizes
