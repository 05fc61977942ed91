"""generations: models that were learnt, which of them is in use, and how long the others are kept.

models/N.bin is generation N, and w.bin a hard link of the one in use. The newest one is the one from
which learning goes on. They differ if one is pinned, or if the newest did not pass its test. Where little
of a large model changed, models/N.bin is a patch of a whole one, models/whole.ROUNDS.CRC.bin, which is beside
w.bin too while a generation needs it.
"""
# SPDX-License-Identifier: ISC

import glob
import hashlib
import json
import os
import re
import subprocess
import time
from datetime import datetime

from rankpipe_service import ASIDE, COUNTS, HOUR, PENDING, Failed, Lost, say, tally
from rankpipe_service.store import sync

PATCH = re.compile(rb"rankpipe/1 patch .* since=([0-9]{1,16}\.[0-9a-f]{8}) ")
WHOLE = re.compile(r"whole\.[0-9]{1,16}\.[0-9a-f]{8}\.bin")
NEWEST, HOURS, DAYS = 5, 24, 14  # generations that are kept: the newest, one of each hour of two days, of each day


def path_of(number):
    return "models/%d.bin" % number


def hash_of(path):
    digest = hashlib.blake2b(digest_size=16)
    with open(path, "rb") as file:
        while True:
            data = file.read(1 << 18)
            if not data:
                return digest.digest()
            digest.update(data)


def widest(store):
    """The most features of what was learnt, and of what is: the setting may have been larger. 0: not known."""
    return max(store["features"] or 0, store.set.get("widest", 0))


def features_option(store):
    """The option of update that says how many features documents have."""
    return ["-w", "%d" % widest(store)] if store["features"] else []


def head_of(path):
    with open(path, "rb") as file:
        return file.readline(4096)


def whole_of(path):
    """The name of the whole model beside a model that is a patch of it; None if that is whole."""
    found = PATCH.match(head_of(path))
    return found and "whole.%s.bin" % found[1].decode()


def is_there(number):
    """Is the model of a generation there, with the whole one that it may be a patch of?"""
    path = path_of(number)
    return os.path.exists(path) and (whole_of(path) is None or os.path.exists("models/" + whole_of(path)))


def has_learnt(path):
    """Is it the model of a learner? The first one is not."""
    return b" learner=fixed " not in head_of(path)


def has_base(path):
    """Does it rank by the base, so that it refuses rounds that have none?"""
    return re.search(rb" made=(?:\S*,)?base ", head_of(path)) is not None


def is_random(path):
    """Is it a first model without a base, whose weights are 0?"""
    if has_learnt(path) or has_base(path):
        return False
    with open(path, "rb") as file:
        size = int(file.readline(4096).rpartition(b"=")[2])
        return not file.read(size).strip(b"\0")


def write_first(store, path):
    """The model before the first answer. It ranks in the order of the base, or else at random."""
    words, weights = ["-x", "base"], b"1:1\n"
    if store["base"] != "on":
        words, weights = [], b"".join(b"%d:0\n" % j for j in range(1, (store["features"] or 1) + 1))
    made = subprocess.run(["weights2bin", *words], input=weights, stdout=subprocess.PIPE, check=True).stdout
    with open(path, "wb") as file:
        file.write(made)


def adopt(path, store):
    """Gives a file the name of the next generation, on the disk, which the database then knows as its own, also if it
    never commits the generation. Its number."""
    number = store["generations"] + 1
    while os.path.lexists(path_of(number)):
        number += 1
    with store:
        store.sql("INSERT INTO made VALUES(?)", (number,))
        store.put(generations=number)
    sync(path)
    os.rename(path, path_of(number))
    sync("models")
    return number


def add(store, number, words, last, learnt, root):
    """Makes a generation the newest: a part of a transaction."""
    path = path_of(number)
    store.sql("INSERT INTO generations VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
              (number, store.now, words, last, os.stat(path).st_size, hash_of(path), learnt, root))
    store.put(newest=number)


def forget_others(store, number):
    """After an erasure: what other generations have learnt is not to be kept."""
    if store["pin"]:
        say("generation %d was pinned, and is erased: %d serves" % (store["pin"], number))
    store.sql("DELETE FROM generations WHERE id <> ?", (number,))
    store.put(pin=None, using=number, kept=None, comparing=None)


def forget_damaged(store, number):
    """Forgets the others whose models are missing or damaged: a part of a transaction."""
    for other, in store.sql("SELECT id FROM generations WHERE id <> ?", (number,)).fetchall():
        if not made_whole(store, other):
            store.sql("DELETE FROM generations WHERE id = ?", (other,))
            store.put(**{name: None for name in ("pin", "using", "kept") if store.set.get(name) == other})


def before(store, seq):
    """The number of the last generation that has learnt no answer from that place on, and that the newest goes on from;
    None where there is none, or where not all that it has learnt is known."""
    rows = store.sql(
        "SELECT g.id FROM generations g JOIN generations n ON n.id = ? WHERE g.root = n.root AND g.id <= n.id AND "
        "g.last > 0 AND g.last < ? AND g.words = ? ORDER BY g.id DESC", (store["newest"], seq, store["update"])).fetchall()
    return next((number for number, in rows if made_whole(store, number)), None)


# ---- times ----


def iso(when):
    """Milliseconds as ISO, local, with the zone."""
    return time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(when // 1000))


def today(now):
    """The local 00:00 of that day, in milliseconds."""
    return int(time.mktime((*time.localtime(now / 1000)[:3], 0, 0, 0, 0, 0, -1)) * 1000)


def moment(text, now):
    """Milliseconds of an ISO time; without a date it is today's, without a zone local."""
    try:
        if "T" not in text and " " not in text and ":" in text:
            text = time.strftime("%Y-%m-%dT", time.localtime(now / 1000)) + text
        return int(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)
    except (ValueError, OverflowError):
        raise Failed("not a time: %r; write it as 2026-11-22T09:00, or 09:00 for today" % text) from None


def interval(text, now):
    begin, dots, end = text.partition("..")
    if not dots or moment(begin, now) >= moment(end, now):
        raise Failed("not an interval: %r; write it as FROM..TO" % text)
    return moment(begin, now), moment(end, now)


def find(store, to):
    """The number of a generation that is kept: by number, `yesterday`, or the last one before a time."""
    if to.isascii() and to.isdigit() and len(to) < 16:
        found = store.one("SELECT id FROM generations WHERE id = ?", int(to))
    else:
        until = today(store.now) if to == "yesterday" else moment(to, store.now)
        found = store.one("SELECT max(id) FROM generations WHERE time < ?", until)
    if found is None:
        kept = store.sql("SELECT id, time FROM generations ORDER BY id").fetchall()
        raise Failed("no generation %s: there are %s" % (
            to, ", ".join("%d (%s)" % (number, iso(when)) for number, when in kept)))
    return found


# ---- back and forth ----


def back(store, to):
    """Generation `to` is the newest and in use; what was learnt since is set aside."""
    number = find(store, to)
    last, words = store.sql("SELECT last, words FROM generations WHERE id = ?", (number,)).fetchone()
    if last is None:
        raise Failed("generation %d can be pinned only: which answers it has learnt is not known" % number)
    refuse_damaged(store, number)
    base = base_of(store, number)
    with store:
        tally.recount(store, -1, "a.state = %d AND a.seq > ?" % COUNTS, last)
        tally.recount(store, 1, "a.state = %d AND a.aside > ? AND a.seq <= ?" % ASIDE, number, last)
        n = store.sql("UPDATE answers SET state = %d, aside = 0, seq = NULL WHERE state = %d "
                      "AND seq > ?" % (ASIDE, COUNTS), (last,)).rowcount
        store.sql("UPDATE answers SET state = %d, aside = NULL WHERE state = %d AND aside > ? AND seq <= ?" % (
            COUNTS, ASIDE), (number, last))
        if words != store["update"]:
            say("update is %r again, as it was for generation %d" % (words, number))
        if base != store["base"]:
            say("base is %s again, as it was for generation %d" % (base, number))
        if store["pin"]:
            say("generation %d is not pinned any more" % store["pin"])
        store.sql("DELETE FROM runs WHERE time > (SELECT time FROM generations WHERE id = ?)", (number,))
        store.sql("DELETE FROM generations WHERE id > ?", (number,))
        store.put(newest=number, using=number, pin=None, update=words, base=base, suspect=0, kept=None, comparing=None)
    publish(store)
    clean(store)
    return number, n


def base_of(store, number):
    """The setting base that suits a generation."""
    return store["base"] and ("on" if has_base(path_of(number)) else "off")


def again(store):
    """What was set aside is learnt by the next run."""
    with store:
        first = store.sql("SELECT min(seq), min(aside) FROM answers WHERE state = %d AND aside > 0" %
                          ASIDE).fetchone()
        if first[0] is not None:  # generations that had learnt some of it, under other places
            store.sql("UPDATE generations SET last = NULL WHERE last >= ? AND id < (SELECT max(aside) "
                      "FROM answers WHERE state = %d AND aside > 0) AND id <> ?" % ASIDE,
                      (first[0], store["newest"]))
        tally.count_answered(store, -1, "a.state = %d" % ASIDE)
        return store.sql("UPDATE answers SET state = %d, aside = NULL, seq = NULL WHERE state = %d" % (
            PENDING, ASIDE)).rowcount


def pin(store, to):
    number = find(store, to)
    refuse_damaged(store, number)
    if base_of(store, number) != store["base"]:
        raise Failed("generation %d was made when base was not %s: set base first, or go back to it" % (
            number, store["base"]))
    with store:
        store.put(pin=number, comparing=None)
    publish(store)
    return number


def unpin(store):
    with store:
        store.put(pin=None)
    choose(store)
    publish(store)


# ---- the one in use ----


def test(store, path):
    """NDCG@10 of a model on the judged queries of the setting test; None if it cannot rank them."""
    ranked = ["-e"] if store["base"] == "on" else []
    names = [["svm2bin", *ranked, store["test"]], ["score", "-m", path], ["explore"], ["metric", "ndcg@10"]]
    chain, source = [], subprocess.DEVNULL
    for words in names:
        chain.append(subprocess.Popen(words, stdin=source, stdout=subprocess.PIPE))
        source.close() if chain[1:] else None
        source = chain[-1].stdout
    said = source.read().split()
    source.close()
    if any([each.wait() for each in chain]) or len(said) < 2:
        return None
    return float(said[-1])


def choose(store):
    """Which generation is to be used after a run: the newest, if it passes its test; with the gate, the one that was
    (module comparing). None, or why it is not."""
    if store["gate"] == "on" and store.set.get("using"):
        return None
    return promote(store)


def promote(store):
    """The newest is to be used, if it passes its test. None, or why it is not."""
    newest, using = store["newest"], store.set.get("using")
    if using == newest:
        return None
    if store["test"] and has_learnt(path_of(newest)):
        value = test(store, path_of(newest))
        if value is None or value < store["least"]:
            return "%s: NDCG@10 of the new model is %s, not %g: it is not used" % (
                store["test"], "unknown" if value is None else "%.4f" % value, store["least"])
    with store:
        store.put(using=newest)
    return None


def serving(store):
    return store["pin"] or store.set.get("using") or store["newest"]


def running(store):
    """The test that runs (module comparing): {"champion": a generation, "begun": milliseconds}; None."""
    return json.loads(store.set.get("comparing") or "null")


def champion(store):
    test = running(store)
    return test and test["champion"]


def rival(store):
    """The generation of rival.bin; None: there is no test, or both are one."""
    number, used = champion(store), serving(store)
    other = store["newest"] if used == number else number
    return None if number is None or other == used else other


def end_test(store):
    if running(store):
        with store:
            store.put(comparing=None)


def made_whole(store, number):
    """Is the model of a generation as it was committed?"""
    return is_as(number, *store.sql("SELECT bytes, hash FROM generations WHERE id = ?", (number,)).fetchone())


def is_as(number, size, digest):
    path, null = path_of(number), subprocess.DEVNULL
    if not is_there(number) or os.stat(path).st_size != size or hash_of(path) != digest:
        return False
    return whole_of(path) is None or subprocess.run(  # the whole one has a checksum
        ["bin2txt", "-f", "check", path], stdout=null, stderr=null, check=False).returncode == 0


def refuse_damaged(store, number):
    if not made_whole(store, number):
        raise Failed("models/%d.bin is missing or damaged: name another generation" % number)


def link_whole(number):
    """Puts the whole model here that the one of a generation is a patch of."""
    whole = whole_of(path_of(number))
    if whole and not os.path.exists(whole):
        os.link("models/" + whole, whole)
        sync(".")


def link(number, name):
    """Makes a file another name of the model of a generation. Was it not one before?"""
    link_whole(number)
    if os.path.lexists(name) and os.path.samestat(os.lstat(name), os.stat(path_of(number))):
        return False
    if os.path.lexists("w.new"):
        os.unlink("w.new")
    os.link(path_of(number), "w.new")
    os.rename("w.new", name)
    sync(".")
    return True


def publish_rival(store):
    """Makes rival.bin that of the test that runs; without one there is none."""
    number = rival(store)
    if number is not None and not is_there(number):
        say("models/%d.bin is missing: the test that it was part of is over" % number)
        end_test(store)
        number = None
    if number is not None:
        link(number, "rival.bin")
    elif os.path.lexists("rival.bin"):
        os.unlink("rival.bin")
        sync(".")


def publish(store):
    """Makes w.bin a link of the model in use, and reports a file that was put in its place."""
    number = serving(store)
    path = path_of(number)
    publish_rival(store)
    if number != store.one("SELECT generation FROM uses WHERE time <= ? ORDER BY time DESC LIMIT 1", store.now):
        with store:
            store.sql("INSERT OR REPLACE INTO uses VALUES(?, ?)", (store.now, number))
    there = os.lstat("w.bin") if os.path.lexists("w.bin") else None
    if there and os.path.samestat(there, os.stat(path)):
        return link_whole(number)
    own = [path for form in ("models/*", "lost-*/models/*", "lost-*/w.bin") for path in glob.glob(form)]
    known = {os.stat(path).st_ino for path in own}
    if there and there.st_ino not in known and not os.path.islink("w.bin"):
        if hash_of("w.bin") not in [row[0] for row in store.sql("SELECT hash FROM generations")]:
            say("w.bin was a file of another origin, and is replaced by generation %d: to keep a model in "
                "use, pin its generation" % number)
    link(number, "w.bin")


def wholes_of(numbers):
    """The names of the whole models that those of generations are patches of."""
    return {whole_of(path) for path in map(path_of, numbers) if os.path.exists(path)} - {None}


def bytes_of(numbers):
    """The disk space of generations."""
    paths = [*map(path_of, numbers), *("models/" + name for name in wholes_of(numbers))]
    there = [os.stat(path) for path in paths if os.path.exists(path)]
    return sum({each.st_ino: each.st_size for each in there}.values())


def thin(store):
    """Keeps the newest generations, the last one of each hour and day for some time, those in use, and,
    while answers are suspect, the last one before."""
    always = {store["newest"], store["pin"], serving(store), store.set.get("kept"), champion(store)}
    rows = store.sql("SELECT id, time FROM generations ORDER BY id DESC").fetchall()
    kept = {number for i, (number, _) in enumerate(rows) if i < NEWEST or number in always}
    for n, days, slot in ((HOURS, 2, lambda when: when // HOUR),
                          (DAYS, DAYS, lambda when: time.localtime(when / 1000)[:3])):
        since, slots = store.cutoff(days), {}
        for number, when in rows:
            if when >= since and len(slots) < n:
                slots.setdefault(slot(when), number)
        kept.update(slots.values())
    for number in sorted(kept - always):  # the oldest go first
        if bytes_of(kept) > store["megabytes"] * 1000000:
            kept.remove(number)
    gone = [(number,) for number, _ in rows if number not in kept]
    if gone:
        with store:
            store.many("DELETE FROM generations WHERE id = ?", gone)
            store.many("DELETE FROM tally WHERE generation = ? AND hour = 0", gone)
    clean(store)


def clean(store, others=False):
    """Removes files of generations that are not kept, and, with `others`, files of models/ that are not its own."""
    numbers = {number for number, in store.sql("SELECT id FROM generations")}
    made = {number for number, in store.sql("SELECT generation FROM made")} - numbers
    wholes = wholes_of(numbers)
    there = {entry.name: entry.inode() for entry in os.scandir("models") if not entry.is_dir(follow_symlinks=False)}
    own = {there.get("%d.bin" % number) for number in numbers | made}
    gone = {name for name in there if WHOLE.fullmatch(name) and there[name] in own} | wholes_of(made)
    if others:
        gone |= there.keys() - {"%d.bin" % number for number in numbers}
    for name in [*gone - wholes, "next", "refused", *("%d.bin" % number for number in made)]:  # wholes before patches
        if name in there:
            os.unlink("models/" + name)
            del there[name]
    with store:
        store.many("DELETE FROM made WHERE generation = ?", ((number,) for number in made))
    for name in os.listdir("."):
        if WHOLE.fullmatch(name) and name not in wholes:
            os.unlink(name)


# ---- a database that was lost ----


def is_older():
    """Is this the folder of release 0.4.0?"""
    return os.path.exists("model.bin") or bool(archive())


def archive():
    """The files of its log of learnt rounds, finished ones and one that was left open, in their order."""
    return sorted(glob.glob("seen/*.bin")) + glob.glob("seen/*.open")


def learnt_there():
    """The numbers of the models of models/ that have learnt, the highest first."""
    numbers = [int(name[:-4]) for name in os.listdir("models")
               if name.endswith(".bin") and name[:-4].isascii() and name[:-4].isdigit()]
    return [number for number in sorted(numbers, reverse=True)
            if os.path.isfile(path_of(number)) and has_learnt(path_of(number))]


def refuse_lost(store):
    """Fails if what the models have learnt is not in the database, so that no run begins anew by itself."""
    if store["newest"] is not None:
        for number in {store["newest"], serving(store)}:
            if is_there(number) and hash_of(path_of(number)) != store.one(
                    "SELECT hash FROM generations WHERE id = ?", number):
                raise Lost("%s is not the one that service.db knows: move it away, and it is learnt anew" % path_of(number))
        return
    paths = [path_of(number) for number in learnt_there()]
    paths += ["w.bin"] if os.path.isfile("w.bin") and has_learnt("w.bin") else []
    if paths and not is_older():
        raise Lost("service.db has no generation, but %s has learnt: run: rankpipe service restore FILE; or, to begin "
                   "anew, move w.bin and models elsewhere" % paths[0])


def stand_in():
    """Makes w.bin the highest model of models/ that score can read, unless it can read w.bin. Is there one?"""
    def reads(path):
        return os.path.exists(path) and subprocess.run(
            ["score", "-m", path], input=b"rankpipe/1 end rounds=0 bytes=0\n", stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, check=False).returncode == 0
    if reads("w.bin"):
        return True
    for number in learnt_there():
        if reads(path_of(number)):
            link(number, "w.bin")
            return True
    return False
