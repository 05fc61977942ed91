"""hosts: other machines with a log and answers, which rsync copies here; they get the model in return.

Finished files of a log that the database has had for `retain` seconds are removed there as here, except
the last one of each log. A copy that arrives twice is harmless. A machine that is not reached is left
to the next run.
"""
# SPDX-License-Identifier: ISC

import os
import re
import subprocess
import time

from rankpipe_service.generations import WHOLE
from rankpipe_service.intake import SETTLED, SPOOLED
from rankpipe_service.store import say

LISTED = re.compile(r"-\S+\s+[\d,.]+\s+(\d{4})/(\d\d)/(\d\d) (\d\d):(\d\d):(\d\d) (.+)")


def rsync(*words, files=None):
    """Runs rsync; `files` limits it to these names. Its output as lines, None where it failed."""
    limit = ["--from0", "--files-from=-"] if files is not None else []
    done = subprocess.run(["rsync", "-a", *limit, *words], stdout=subprocess.PIPE, check=False,
                          input="".join(name + "\0" for name in files or ()), encoding="utf-8",
                          errors="surrogateescape")
    return done.stdout.splitlines() if done.returncode == 0 else None


def listed(source):
    """(name, age in seconds) of each file in a folder of another machine; None: not reached."""
    lines = rsync("--list-only", source)
    found = [LISTED.fullmatch(line) for line in lines or ()]
    return None if lines is None else [
        (each[7], time.time() - time.mktime((*map(int, each.groups()[:6]), 0, 0, -1)))
        for each in found if each]


def fetch(store):
    """Copies the logs and answers of each host to log/HOST and answers/HOST."""
    for host in store["hosts"].split():
        at = host + store["at"]
        for folder in "log/" + host, "answers/" + host:
            os.makedirs(folder, exist_ok=True)
        files = listed(at + "/log/")
        if files is None or not fetch_log(store, at, host, files) or not fetch_answers(store, at, host):
            say("%s: its log and answers were not copied: the next run tries again" % host)


def fetch_log(store, at, host, files):
    folder = "log/" + host
    logs = {}
    for name, age in sorted(files):
        found = SPOOLED.fullmatch(name)
        if found and "/" not in name:
            logs.setdefault(found[1], []).append((name, age))
    known = {path for path, in store.sql("SELECT path FROM transit")}
    fresh, done = [], []
    for names in logs.values():
        for name, age in names:
            if folder + "/" + name not in known:
                fresh.append(name)
            elif age >= store["retain"] and name != names[-1][0]:
                done.append(name)
    if fresh and rsync(at + "/log/", folder, files=fresh) is None:
        return False
    return not done or rsync("--remove-source-files", at + "/log/", folder, files=done) is not None


def fetch_answers(store, at, host):
    folder = "answers/" + host
    files = listed(at + "/answers/")
    if files is None or rsync(at + "/answers/", folder) is None:
        return False
    old = [name for name, age in files if age >= store["retain"] + SETTLED and is_read(
        store, folder + "/" + name)]
    return not old or rsync("--remove-source-files", at + "/answers/", folder, files=old) is not None


def is_read(store, path):
    return os.path.exists(path) and store.one(
        "SELECT bytes FROM transit WHERE path = ?", path) == os.stat(path).st_size


def give(store):
    """Copies w.bin to each host, where it is renamed into place, after the whole models that it may be a patch of,
    and before those that none needs any more are removed."""
    wholes = ["--no-perms", "--no-owner", "--no-group", "--omit-dir-times",  # of the folder
              "--include=/whole.*.bin", "--exclude=*", "./"]
    large, missed = any(map(WHOLE.fullmatch, os.listdir("."))), False
    had = store.set.get("wholes_given")  # there may be some that are to go, even where none is here
    if large and not had:
        with store:
            store.put(wholes_given=1)
    for host in store["hosts"].split():
        at = host + store["at"]
        if large and rsync(*wholes, at + "/") is None or rsync("-cL", "w.bin", at + "/w.bin") is None or \
                (large or had) and rsync("--delete", *wholes, at + "/") is None:
            say("%s: the model was not copied there: the next run tries again" % host)
            missed = True
    if had and not large and not missed:
        with store:
            store.put(wholes_given=None)
