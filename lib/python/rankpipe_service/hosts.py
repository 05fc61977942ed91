"""hosts: other machines with a log and answers, which rsync copies here; they get the model in return.

The copies are made before a run takes its lock, side by side, each under a lock of its machine and for at most
`host-seconds`; what was cut goes on in the next run. After the run and its lock, in as much time again, finished files
of a log that the database has, and that are `retain` seconds old, are removed there, except the last one of each log,
and the model is given. So a machine that is silent delays no other and no action. A copy that arrives twice is harmless.
"""
# SPDX-License-Identifier: ISC

import concurrent.futures
import fcntl
import glob
import os
import re
import shutil
import subprocess
import time

from rankpipe_service import generations, say
from rankpipe_service.intake import SETTLED, SPOOLED

RSYNC = ["rsync", "-a", "--timeout=20", "--partial-dir=.partial"]
SSH = ["-e", "ssh -o ConnectTimeout=10 -o ServerAliveInterval=5 -o BatchMode=yes"]
LISTED = re.compile(r"-\S+\s+[\d,.]+\s+(\d{4})/(\d\d)/(\d\d) (\d\d):(\d\d):(\d\d) (.+)")
WHOLES = ["--no-perms", "--no-owner", "--no-group", "--omit-dir-times",  # of the folder
          "--include=/whole.*.bin", "--exclude=*"]


class Missed(Exception):
    """A machine did not do what was asked of it, and why."""


class Host:
    """A machine. hosts/NAME has its lock, the model that it is given, and the mark `wholes` while whole models may be
    there that are to go."""

    def __init__(self, store, name):
        self.name, self.at, self.seconds = name, name + store["at"], store["host-seconds"]
        self.own, self.log, self.answers = "hosts/" + name, "log/" + name, "answers/" + name
        self.model = self.own + "/model/"
        self.reached, self.files, self.read, self.until = False, {}, {}, 0.0
        for folder in self.own, self.log, self.answers:
            os.makedirs(folder, exist_ok=True)
        self.lock = os.open(self.own + "/lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o640)

    def begin(self):
        """Takes the lock of the machine, which this run then keeps."""
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Missed("another run copies from it") from None

    def rsync(self, *words, files=None):
        """Runs rsync; `files` limits it to these names. Its output as lines."""
        way = [] if self.at.startswith(self.name + "::") else SSH  # :: is a daemon of rsync
        limit = ["--from0", "--files-from=-"] if files is not None else []
        with subprocess.Popen([*RSYNC, *way, *limit, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              encoding="utf-8", errors="surrogateescape") as process:
            try:
                said = process.communicate("".join(name + "\0" for name in files or ()),
                                           timeout=max(0, self.until - time.monotonic()))[0]
            except subprocess.TimeoutExpired:
                process.terminate()  # rsync then keeps in .partial what it has of a file
                try:
                    process.wait(1)
                except subprocess.TimeoutExpired:
                    process.kill()
                raise Missed("no end in %d seconds, the setting host-seconds" % self.seconds) from None
        if process.returncode:
            raise Missed("rsync ended with %d" % process.returncode)
        return said.splitlines()

    def list(self, folder):
        """(name, age in seconds) of each file in a folder of the machine."""
        found = filter(None, map(LISTED.fullmatch, self.rsync("--list-only", "--exclude=.*", self.at + folder)))
        self.files[folder] = [(each[7], time.time() - time.mktime((*map(int, each.groups()[:6]), 0, 0, -1)))
                              for each in found]
        self.reached = True
        return self.files[folder]

    def copy(self, known):
        """Copies the files of its log that are not known, and its answers."""
        self.begin()
        fresh = [name for name, _ in self.list("/log/")
                 if SPOOLED.fullmatch(name) and "/" not in name and self.log + "/" + name not in known]
        if fresh:
            self.rsync(self.at + "/log/", self.log, files=fresh)
        self.list("/answers/")
        self.rsync("--exclude=.*", self.at + "/answers/", self.answers)

    def copies(self):
        """The paths here of the files that the machine has: they stay, or the next run would copy them again."""
        return {folder[1:] + self.name + "/" + name for folder, files in self.files.items() for name, _ in files}

    def settle(self, store):
        """Says which files of the machine were read, and makes links of the model that it gets."""
        known = {path: end for path, end in store.sql("SELECT path, bytes FROM transit")}
        logs = {}
        for name, age in sorted(self.files.get("/log/", ())):
            found = SPOOLED.fullmatch(name)
            if found and "/" not in name:
                logs.setdefault(found[1], []).append((name, age))
        self.read["/log/"] = [name for names in logs.values() for name, age in names[:-1]
                              if age >= store["retain"] and self.log + "/" + name in known]
        self.read["/answers/"] = [
            name for name, age in self.files.get("/answers/", ()) if age >= store["retain"] + SETTLED and
            os.path.exists(self.answers + "/" + name) and
            os.stat(self.answers + "/" + name).st_size == known.get(self.answers + "/" + name)]
        shutil.rmtree(self.model, ignore_errors=True)  # of a run that was killed
        os.mkdir(self.model)
        for name in filter(None, ("w.bin", generations.whole_of("w.bin"))):
            os.link(name, self.model + name)

    def give(self):
        """Removes there what was read, and copies w.bin there, after the whole model that it may be a patch of, and
        before those that none needs any more are removed."""
        for folder, names in self.read.items():
            if names:
                self.rsync("--remove-source-files", self.at + folder, folder.strip("/") + "/" + self.name, files=names)
        mark, large = self.own + "/wholes", len(os.listdir(self.model)) > 1
        if large:
            open(mark, "w").close()
            self.rsync(*WHOLES, self.model, self.at + "/")
        self.rsync("-c", self.model + "w.bin", self.at + "/w.bin")
        if os.path.exists(mark):
            self.rsync("--delete", *WHOLES, self.model, self.at + "/")
            if not large:
                os.unlink(mark)
        shutil.rmtree(self.model)


def side_by_side(hosts, do, what):
    """Does that for all machines at once, and says where it could not be done."""
    def attempt(host):
        host.until = time.monotonic() + host.seconds
        try:
            do(host)
        except (Missed, OSError) as error:
            say("%s: %s: %s: the next run tries again" % (host.name, what, error))
    if hosts:
        with concurrent.futures.ThreadPoolExecutor(len(hosts)) as pool:
            list(pool.map(attempt, hosts))


def fetch(store):
    """Copies the logs and answers of each host to log/HOST and answers/HOST. The hosts that were reached."""
    known = {path for path, in store.sql("SELECT path FROM transit")}
    hosts = [Host(store, name) for name in dict.fromkeys(store["hosts"].split())]
    side_by_side(hosts, lambda host: host.copy(known), "its log and answers were not all copied")
    return [host for host in hosts if host.reached]


def give(hosts):
    """Removes at the hosts what was read, and gives them the model; settle was called for each."""
    side_by_side(hosts, Host.give, "the model was not copied there")


def forget():
    """Removes what may have a trace of what was erased: links of models, and parts of files."""
    for path in glob.glob("hosts/*/model") + glob.glob("log/*/.partial") + glob.glob("answers/*/.partial"):
        shutil.rmtree(path)
