"""rankpipe_front: what the front ends of a ranking service here, rankpipe api and the site, share. Internal.

Answers are files that `rankpipe service` reads and may rewrite; Clients gives each client a word for a
day; Limits says who asks too often; State reads what the service says of itself. Scripts, too, read files
by pieces() and say what is in them by shown(). One file of the standard library, for Python 3.9 or later.
Everything that comes in is taken for hostile.
"""
# SPDX-License-Identifier: ISC

import collections
import contextlib
import errno
import fcntl
import functools
import hashlib
import ipaddress
import json
import math
import os
import re
import secrets
import signal
import stat
import sys
import time
import zlib


# ---- texts ----

HIDDEN = re.compile("[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def shown(text):
    """A text as messages have it: control characters, characters that turn the direction of writing, and bytes that are
    not UTF-8 become \\xNN, as the C programs print them."""
    return HIDDEN.sub(lambda at: "".join("\\x%02x" % byte for byte in at[0].encode(
        "utf-8", "surrogateescape" if "\udc80" <= at[0] <= "\udcff" else "surrogatepass")), text)


def say(text, more=""):
    """Prints a message of the program that runs, and then lines as they are; a disk that is full loses it."""
    name, file = os.path.splitext(os.path.basename(sys.argv[0]))[0], sys.stderr.buffer
    with contextlib.suppress(OSError):
        getattr(file, "raw", file).write(("%s: %s%s\n" % (name, shown(str(text)), more)).encode("utf-8", "surrogateescape"))


def fail(text, status=1, more=""):
    say(text, more)
    sys.exit(status)


def wrong(text):
    """Refuses a command line, and prints how it may be: what stands first in the text of -h."""
    fail(text, 2, "\n" + sys.modules["__main__"].__doc__.split("\n\n")[0])


def run(main, *errors, lost="cannot write <stdout>"):
    """Runs a filter's main(). What stops it is a message: these errors, files that cannot be read, and output that is lost."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        main()
    except errors as problem:
        fail(problem)
    except OSError as problem:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for what Python still has to print
        fail("%s: %s" % (problem.filename or lost, problem.strerror))


PACKED = (  # how files begin that are no text, what they are, and the command that makes text of them
    (rb"PK\x03\x04", "zip", "unzip -p FILE"), (rb"\x28\xb5\x2f\xfd", "zstd", "zstd -dc FILE"),
    (rb"\xfd7zXZ", "xz", "xz -dc FILE"), (rb"BZh[1-9]", "bzip2", "bzip2 -dc FILE"),
    (rb"\xff\xfe\0\0|\0\0\xfe\xff", "UTF-32", "iconv -f utf-32 -t utf-8 FILE"),
    (rb"\xff\xfe|\xfe\xff", "UTF-16", "iconv -f utf-16 -t utf-8 FILE"),
    (rb"(?:[^\0]\0){2}", "UTF-16", "iconv -f utf-16le -t utf-8 FILE"),
    (rb"(?:\0[^\0]){2}", "UTF-16", "iconv -f utf-16be -t utf-8 FILE"))


def count(n, what, several=None):
    """A number of things, in words."""
    return "{:,} {}".format(n, what if n == 1 else several or what + "s")


def pieces(file, size=1 << 17):
    """The bytes of an open file, about `size` at once; what gzip packed is unpacked. Raises ValueError of a file that is
    packed in another way or no UTF-8: it says what the file is and what to do."""
    data, unpack = file.read(size), None
    for start, kind, command in PACKED:
        if re.match(start, data, re.S):
            raise ValueError("this is %s: give what this prints: %s" % (kind, command))
    if not data.startswith(b"\x1f\x8b"):
        while data:
            yield data
            data = file.read(size)
        return
    try:
        while data:
            unpack = unpack or zlib.decompressobj(31)
            yield unpack.decompress(data, size)
            data = unpack.unconsumed_tail
            if unpack.eof:  # another member may follow, or padding
                data, unpack = unpack.unused_data, None
            data = data or file.read(size)
            while data and not unpack and not (data := data.lstrip(b"\0")):
                data = file.read(size)
        if unpack:
            yield unpack.flush()
    except zlib.error as error:
        raise ValueError("damaged gzip: %s" % error) from None
    if unpack and not unpack.eof:
        raise ValueError("the file is cut short: its gzip has no end")


def decoded(data, line=1):
    """Bytes of UTF-8 as text. Raises ValueError with the line, if `data` begins in this line."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        byte = data[error.start]
        raise ValueError("line %d: byte \\x%02x is not UTF-8: give what this prints: iconv -f %s -t utf-8 FILE" % (
            line + data.count(b"\n", 0, error.start), byte, "latin1" if byte > 0x9f else "cp1252")) from None


# ---- the account ----


def as_root():
    """Why a program that serves strangers, or changes what a service stores, may not go on; None: it may. It may not as
    root: what goes wrong in it goes wrong with the rights of its account."""
    if os.geteuid() != 0 or os.environ.get("RANKPIPE_ROOT") == "yes":
        return None
    return ("not as root: run it as the account of the service, for instance by runuser -u rank; where root is the only "
            "account, set RANKPIPE_ROOT=yes")


# ---- answers ----


EVENTS = "click", "back", "basket", "order"  # what users do with a document; rankpipe_service/events.py says what it is worth


def event_line(request, when, client=None, kind=None, item=None, place=None, shown=None):
    """The line of answers for an event on a document, by its name or its place; without a kind, for a page that is shown.
    Raises ValueError where the name would not be one word."""
    if item is not None and (not item or min(item) <= " " or "\x7f" in item):
        raise ValueError("item is empty, or has a blank or a control character")
    said = {"client": client, "event": kind, "item": item, "place": place, "shown": shown}
    return "%s\ttime=%d%s\n" % (request, when, "".join(" %s=%s" % each for each in said.items() if each[1] is not None))


class Answers:
    """The files of answers in a folder: one for each day and process, so that no two write to one file.

    append() stores whole lines or none. The service may put another file in the place of one, when it
    erases: then this process begins a new name, so no line is written where nobody reads it.
    """

    def __init__(self, folder):
        self.folder, self.day, self.fd, self.path = folder, None, None, None

    def _begin(self, day):
        self.close()
        path = os.path.join(self.folder, "%s.%d-%s" % (day, os.getpid(), secrets.token_hex(4)))
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        self.fd = os.open(path, flags, 0o640)
        with contextlib.suppress(BlockingIOError):  # before the service finds it
            fcntl.flock(self.fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        os.fchmod(self.fd, 0o640)  # whatever the umask: the service reads it by its group
        self.day, self.path = day, path

    def _hold(self):
        """Locks the file against being replaced. False: it is being replaced, or it was."""
        try:
            fcntl.flock(self.fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
            named, own = os.stat(self.path, follow_symlinks=False), os.fstat(self.fd)
        except (BlockingIOError, FileNotFoundError):
            return False
        return os.path.samestat(named, own)

    def append(self, line, sync=False):
        """Adds a line to the file of the day. Raises OSError, and then it is not stored."""
        day = time.strftime("%Y-%m-%d", time.gmtime())
        if day != self.day:
            self._begin(day)
        for _ in range(10):
            if self._hold():
                break
            self._begin(day)
        else:
            raise OSError(errno.EAGAIN, "the files of answers are replaced all the time")
        data, size = line.encode(), os.fstat(self.fd).st_size
        try:
            put = os.write(self.fd, data)
            if put < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if sync:
                os.fsync(self.fd)
        except OSError:
            try:
                os.ftruncate(self.fd, size)
            except OSError:
                self.close()  # the next line begins another file, so that none is torn
            raise
        finally:
            if self.fd is not None:
                fcntl.flock(self.fd, fcntl.LOCK_UN)

    def close(self):
        if self.fd is not None:
            os.close(self.fd)
        self.fd = self.day = self.path = None


# ---- clients ----


KEY = re.compile(r"clients\.\d{4}-\d\d-\d\d")  # the file of a key


class Clients:
    """Words for clients, 16 hexadecimal digits, by a key of the day (UTC) that is forgotten after it.

    The key is a file in a folder of the front ends' own account, which they share: the first that needs
    one makes it. So nobody can tell from the words who a client was, nor that two words of two days
    are of one client. A key of the day `since()`, the first of a test, or of a later day stays; so does yesterday's for the first `late`
    seconds of a day.
    """

    def __init__(self, folder, since=lambda: None, late=0):
        self.folder, self.since, self.late, self.day, self.first, self.key = folder, since, late, None, None, None

    def _read(self, name):
        fd = os.open(os.path.join(self.folder, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with open(fd, "rb") as file:
            is_ = os.fstat(fd)
            key = file.read(33)
        if is_.st_uid != os.geteuid() or is_.st_mode & 0o077 or len(key) != 32:
            raise OSError(errno.EPERM, "%s/%s is not a key of this account alone: remove it" % (self.folder, name))
        return key

    def _make(self, name):
        """Makes the file whole before it has its name; of two that do so at once, one wins."""
        new = os.path.join(self.folder, "clients.new-%s" % secrets.token_hex(8))
        fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            with open(fd, "wb") as file:
                file.write(secrets.token_bytes(32))
                file.flush()
                os.fsync(fd)
            with contextlib.suppress(FileExistsError):
                os.link(new, os.path.join(self.folder, name))
        finally:
            os.unlink(new)

    def _today(self):
        """The key of today. O(1) but for the first call of a day, and during a test."""
        now = time.time()
        first, day, tomorrow = (time.strftime("%Y-%m-%d", time.gmtime(now + ahead)) for ahead in (-self.late, 0, 86400))
        if day == self.day and first == self.first:
            return self.key
        name, names = "clients." + day, os.listdir(self.folder)
        found = sorted(filter(KEY.fullmatch, names))
        before = [each for each in found if each < name]
        since = name not in found and before and self.since()
        if since and before[-1] >= "clients." + since:
            return self._read(before[-1])
        if name not in found:
            self._make(name)
        self.key, self.day, self.first = self._read(name), day, first
        for each in names:  # tomorrow's is of a process that is past midnight already
            if each in found and not "clients." + first <= each <= "clients." + tomorrow or self._is_left(each, now):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(os.path.join(self.folder, each))
        return self.key

    def _is_left(self, name, now):
        """Is it a file of a process that was killed while it made a key?"""
        with contextlib.suppress(FileNotFoundError):
            return name.startswith("clients.new-") and now - os.lstat(
                os.path.join(self.folder, name)).st_mtime > 60
        return False

    def word(self, address, own=None):
        """The word of a client at an IP address (of IPv4 its /24, of IPv6 its /48), or of the word `own` of
        a caller that is trusted with it. None where neither is known. Raises OSError without a key."""
        said = self.said(address, own)
        return None if said is None else self._hash(said, self._today())

    @staticmethod
    def said(address, own):
        """What a word is made of: the network of an address, also where `own` is one; else `own`, without id: before it."""
        if own is not None and (own.startswith("id:") or not network(own)):
            return "own " + own[3 * own.startswith("id:"):]
        return network(address if own is None else own) if address or own else None

    @staticmethod
    def _hash(said, key):
        return hashlib.blake2b(said.encode("utf-8", "replace"), key=key, digest_size=8).hexdigest()

    def words(self, address, own=None):
        """The same by each key that is kept, and makes and removes none: (the key's first day, word)."""
        said = self.said(address, own)
        return [(name[8:], self._hash(said, self._read(name))) for name in sorted(os.listdir(self.folder), reverse=True)
                if KEY.fullmatch(name)]


# ---- addresses ----


@functools.lru_cache(4096)
def plain(text):
    """An address of a connection or a header: without brackets and scope, IPv4 in IPv6 as IPv4; None of
    nonsense."""
    try:
        found = ipaddress.ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def network(address):
    """The network whose clients have one word: "192.0.2.0/24", "2001:db8::/48"; None of no address."""
    found = plain(address)
    return found and str(ipaddress.ip_network((found, 24 if found.version == 4 else 48), strict=False))


def address_of(peer, forwarded, proxies):
    """The address of a client: that of the connection (None: a Unix socket), or, if a proxy of ours made
    it, the last address in X-Forwarded-For that is not such a proxy. A client cannot choose it: what it
    writes itself stands before what the proxies add."""
    known = peer
    for word in reversed((forwarded or "").split(",")):
        found = plain(word.strip(" \t"))
        if found is None or not trusted(known, proxies):
            break
        known = str(found)
    return known


def trusted(address, proxies):
    """Is it one of the proxies? They are networks, and "unix": the peer of a Unix socket."""
    if address is None:
        return "unix" in proxies
    found = plain(address)
    return found is not None and any(found in proxy for proxy in proxies if proxy != "unix")


def proxy(text):
    """A proxy as an option names it: an address, a network, or unix. Raises ValueError."""
    return text if text == "unix" else ipaddress.ip_network(text)


def is_local(address):
    """Is it that of a Unix socket (None), or of this machine?"""
    found = address and plain(address)
    return address is None or bool(found and found.is_loopback)


def is_ours(address, proxies):
    """Is it no client's: of this machine, or a proxy of ours?"""
    return is_local(address) or trusted(address, proxies)


def is_named(host, names):
    """Is what a request calls its host, with a port or not, localhost, an IP address, or one of the names?"""
    name = re.sub(":[0-9]{1,5}$", "", host.lower()).rstrip(".")
    return name in ("localhost", *names) or plain(name) is not None


# ---- limits ----


def host(address):
    """What limits are counted for: an address, of IPv6 its /64; None of a Unix socket."""
    found = address and plain(address)
    if not found or found.version == 4:
        return found or None
    return ipaddress.ip_network((found, 64), strict=False)


class Limits:
    """How many connections a host may have, and how many requests a second, of which it may save up
    `burst`. 0 is no limit. Remembers hosts while they are connected, and at most `most` others."""

    def __init__(self, connections=0, rate=0, burst=20, most=100000):
        self.connections, self.rate, self.burst, self.most = connections, rate, burst, most
        self.open, self.left = collections.Counter(), collections.OrderedDict()

    def enter(self, address):
        """May it have another connection? Then leave() is to follow."""
        of = host(address)
        if of and self.connections and self.open[of] >= self.connections:
            return False
        self.open[of] += 1
        return True

    def leave(self, address):
        of = host(address)
        self.open[of] -= 1
        if self.open[of] <= 0:
            del self.open[of]

    def allows(self, address, now):
        """May it ask now? Counts the request. now is time.monotonic()."""
        of = host(address)
        if not of or not self.rate:
            return True
        left, then = self.left.pop(of, (self.burst, now))
        left = min(self.burst, left + (now - then) * self.rate)
        allowed = left >= 1
        self.left[of] = left - allowed, now
        if len(self.left) > self.most:
            self.left.popitem(last=False)
        return allowed


# ---- what the service says of itself ----


class State:
    """The file service.json that `rankpipe service` writes after each run; path None: there is none."""

    LARGEST = 1 << 20
    MISSED = 600  # seconds after which it should be there

    def __init__(self, path):
        self.path, self.looked, self.stamp, self.known = path, -math.inf, None, {}
        self.began = time.monotonic()

    def facts(self):
        """What the file says, at most a second old; {} where it does not exist or is not whole."""
        now = time.monotonic()
        if self.path is None or now < self.looked + 1:
            return self.known
        self.looked = now
        try:
            is_ = os.stat(self.path)
            stamp = is_.st_ino, is_.st_mtime_ns, is_.st_size
            if not stat.S_ISREG(is_.st_mode) or is_.st_size > self.LARGEST:
                raise ValueError(self.path)
            if stamp != self.stamp:
                with open(self.path, "rb") as file:
                    known = json.loads(file.read(self.LARGEST))
                self.stamp, self.known = stamp, known if isinstance(known, dict) else {}
        except (OSError, ValueError, RecursionError):
            self.stamp, self.known = None, {}
        return self.known

    def get(self, *names):
        """A value by its names, one within the other; None where there is none."""
        found = self.facts()
        for name in names:
            found = found.get(name) if isinstance(found, dict) else None
        return found

    def features(self):
        """Raw features that a document may have; None: the service does not say."""
        found = self.get("features")
        return found if type(found) is int and found > 0 else None

    def base(self):
        """Do documents come in the order of a search engine? None: the service does not say."""
        found = self.get("base", "set")
        return found if type(found) is bool else None

    def warning(self):
        """What the service warns of, or None."""
        found = self.get("warning")
        return found if type(found) is str else None

    def folds(self):
        """Are queries known by their folded words? By those of version 0.4.0 until such a service is rebuilt."""
        return self.facts().get("folds", not self.facts()) is True

    def test_since(self):
        """The day on which the test in service began that runs, as 2026-11-26 (UTC); None: there is none."""
        found = self.get("test", "since")
        return found if type(found) is str and re.fullmatch(r"\d{4}-\d\d-\d\d", found) else None

    def behind(self):
        """Do answers wait to be learnt, for their rounds, or for more events?"""
        return any(self.get("behind", each) for each in ("answers", "early", "settling"))

    def metrics(self):
        """What the service's file for Prometheus says, beside service.json; "" if it cannot be had."""
        if self.path is None:
            return ""
        try:
            with open(re.sub(r"\.json$", "", self.path) + ".prom", encoding="ascii") as file:
                text = file.read(self.LARGEST)
        except (OSError, ValueError):
            return ""
        right = re.fullmatch(r"(?:(?:# (?:HELP|TYPE) )?rankpipe_service_[ -~]*\n)*", text)
        return text if right else ""

    def is_past(self, *names):
        """Is a moment past that the file names?"""
        found = self.get(*names)
        return isinstance(found, (int, float)) and time.time() * 1000 > found

    def trouble(self):
        """Why learning stands still, or None."""
        if self.path is not None and not self.facts() and time.monotonic() > self.began + self.MISSED:
            return "%s is missing: run rankpipe service first in the folder of the service" % self.path
        if self.is_past("run", "fails_at"):
            at = self.get("run", "at") if self.get("run", "time") else "the start"
            return "no run of the learner has ended well since %s" % at
        if self.is_past("behind", "fails_at"):
            return "answers wait to be learnt for too long"
        return None

