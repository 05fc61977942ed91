"""comparing: a test in service of the newest generation, the challenger, against one that is frozen, the champion.

Some rounds show both orders in one list (explore -i: team-draft of the columns score and rival); a click counts for the
one that chose the document. w.bin has one of the two and rival.bin the other. Outcomes are clustered by client, and
judged by a confidence sequence (compare -S), so a look at any time is allowed, and a run looks each time.
"""
# SPDX-License-Identifier: ISC

import json
import subprocess
import tempfile
import time

from rankpipe_service import COUNTS, Failed, generations
from rankpipe_service.generations import champion, end_test, running
from rankpipe_service.lists import Records
from rankpipe_service.records import end_of

SETTLED = 2000  # milliseconds after which each round of a test has its models
ROUNDS = ("SELECT r.request, r.time, a.client, a.seen, r.how, r.shown, r.list, l.docs FROM answers a "
          "JOIN rounds r ON r.id = a.round JOIN lists l ON l.id = r.list JOIN hows h ON h.id = r.how "
          "WHERE a.state = %d AND r.time >= ? AND instr(CAST(h.how AS TEXT), ',team:') > 0 "
          "AND instr(CAST(h.how AS TEXT), 'rival:f8[') > 0 "  # without, explore -I drew it, and the rival is base
          "ORDER BY r.time, r.request" % COUNTS)
WIDTH = 41  # signs of a line of the picture


def begin(store):
    """A test of the newest generation from now on against the one in use, as it is now."""
    if store["pin"]:
        raise Failed("generation %d is pinned: unpin it first" % store["pin"])
    with store:
        store.put(comparing=json.dumps({"champion": generations.serving(store), "begun": store.now}))
    generations.publish(store)


# ---- outcomes ----


def outcomes(store):
    """Lines of the table of a test, [t, name, outcome, client], in the order of time, and their times: 1 where the
    challenger won a round, -1 where the champion did, 0 for a draw."""
    test, times, records = running(store), [], Records(store)
    rows = store.sql(ROUNDS, (test["begun"] + SETTLED,)).fetchall()
    if not rows:
        return [], []
    with tempfile.TemporaryFile() as stream:
        for row in rows:
            stream.write(records.make(len(times) + 1, *row))
            times.append(row[1])
        stream.write(end_of(len(rows)))
        stream.seek(0)
        said = subprocess.run(["metric", "-q", "rival"], stdin=stream, stdout=subprocess.PIPE, check=True).stdout
    lines = [line.split("\t") for line in said.decode().splitlines()[1:]]
    if generations.serving(store) != test["champion"]:  # then the rival is the champion
        for line in lines:
            line[2] = "%g" % -float(line[2])
    return lines, times


def judge(lines):
    """What compare -S says of these lines: {"rounds", "clients", "mean", "low", "high", "needs", "verdict"}."""
    known = {"rounds": len(lines), "clients": 0, "mean": 0.0, "low": None, "high": None, "needs": None, "verdict": "not-yet"}
    if not lines:
        return known
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as table:
        table.write("t\tqid\trival\tclient\n" + "".join("\t".join(line) + "\n" for line in lines))
        table.flush()
        done = subprocess.run(["compare", "-S", "-t", "-u", "client", table.name], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
    if done.returncode not in (0, 4, 5):
        raise Failed("compare failed on the %d rounds of the test" % len(lines))
    row = dict(zip(*(line.split("\t") for line in done.stdout.decode().splitlines())))
    numbers = {name: None if row[name] in ("nan", "-", "inf") else float(row[name]) for name in ("low", "high", "needs")}
    return {**known, **numbers, "clients": int(row["queries"]), "mean": float(row["mean"]), "verdict": row["verdict"]}


# ---- what follows ----


def settle(store):
    """After a run: begins a test if the gate wants one, or looks at the one that runs, and does what follows from its
    verdict. What to say of it, or None."""
    newest = store["newest"]
    gate = store["gate"] == "on" and not store["pin"]
    if not running(store):
        if gate and newest != generations.serving(store):
            begin(store)
        return None
    said = judge(outcomes(store)[0])
    if said["verdict"] == "not-yet":
        return None
    return conclude(store, said)


def conclude(store, said):
    number, newest = champion(store), store["newest"]
    gate = store["gate"] == "on"
    end_test(store)
    why = None
    if said["verdict"] == "better":
        why = generations.promote(store)
        text = why or "generation %d is better than %d, and in use" % (newest, number)
    elif gate:
        text = "generation %d is worse than %d, which stays in use" % (newest, number)
    else:
        text = "generation %d is worse than %d: to go back, rankpipe service back %d" % (newest, number, number)
    text += "; wins less losses %+.4f in %d rounds" % (said["mean"], said["rounds"])
    with store:
        store.put(concluded="%s %s" % (generations.iso(store.now), text))
    if gate and (why or said["verdict"] == "worse"):
        begin(store)
    generations.publish(store)
    return text


# ---- for people ----


def facts(store):
    """The test that runs, for service.json; since: the day (UTC) from which the key of clients stays."""
    test = running(store)
    return test and {"champion": test["champion"], "challenger": store["newest"], "begun": generations.iso(test["begun"]),
                     "since": time.strftime("%Y-%m-%d", time.gmtime(test["begun"] / 1000))}


def bar(said, most):
    """The sequence as a line of signs from -most to most, | for 0."""
    def at(value):
        return min(WIDTH - 1, max(0, round((value / most + 1) / 2 * (WIDTH - 1))))
    signs = [" "] * WIDTH
    if said["low"] is not None:
        signs[at(said["low"]):at(said["high"]) + 1] = "-" * (at(said["high"]) - at(said["low"]) + 1)
    signs[WIDTH // 2] = "|"
    signs[at(said["mean"])] = "o"
    return "".join(signs).rstrip()


def picture(lines, times):
    """A line for each local day of the test: its rounds so far, their mean, and the sequence."""
    days, rows = {}, []
    for i, when in enumerate(times):
        days[time.strftime("%Y-%m-%d", time.localtime(when / 1000))] = i + 1
    for day, n in days.items():
        rows.append((day, judge(lines[:n])))
    most = max([0.1, *(abs(said[name]) for _, said in rows[-30:] for name in ("mean", "low", "high")
                       if said[name] is not None)])
    found = ["day         rounds  mean     %-*s%*s" % (WIDTH // 2, "-%.3g" % most, WIDTH - WIDTH // 2, "+%.3g" % most)]
    found += ["%-10s  %6d  %+.4f  %s" % (day, said["rounds"], said["mean"], bar(said, most)) for day, said in rows]
    return found


def text(store):
    """What a test says so far, in lines; before it ends by its verdict."""
    test = running(store)
    lines, times = outcomes(store)
    said = judge(lines)
    found = ["generation %d, which goes on learning, against %d, which is frozen, since %s; %d is in use" % (
        store["newest"], test["champion"], generations.iso(test["begun"]), generations.serving(store))]
    if lines:
        found += picture(lines, times)
        found.append("%d rounds of %d clients, wins less losses %+.4f%s" % (
            said["rounds"], said["clients"], said["mean"],
            "" if said["low"] is None else ", by a 95 % sequence from {:+.4f} to {:+.4f}".format(said["low"], said["high"])))
    if said["verdict"] != "not-yet":
        found.append(conclude(store, said))
    else:
        found.append("not yet" + (": at this rate an even chance of a verdict at %d rounds" % said["needs"]
                                  if said["needs"] else ": no interleaved round was answered; explore needs -i, and score "
                                  "-R rival.bin" if not lines else ""))
    return found
