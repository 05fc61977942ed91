"""status: what happens in a service: counts of what users said, what was learnt, and what is suspect.

After each run they are in service.json, which the API reads, and in service.prom, for Prometheus.
"""
# SPDX-License-Identifier: ISC

import json
import os
import re

from rankpipe_service import ASIDE, COUNTS, DAY, HOUR, clock, comparing, generations, health, lists, pays, say, users
from rankpipe_service.generations import iso
from rankpipe_service.store import SETTINGS, put_whole

LATE = 10  # baskets or orders that came late are reported where they are more than one in so many of a day
SHARE = 20  # records that cannot be used are reported where there are three, and one in so many of a day


# ---- facts ----

RANDOM = ("the model in use ranks at random, until it has learnt answers: send documents in the order of your "
          "search engine, and run: rankpipe service set base on")


def based_of(head):
    """What a base is, by the keys of a round's list or of a model: a model's checksum, or the engine's order."""
    found = re.search(rb" based=(\S+)", head)
    return found[1].decode() if found else "engine"


def base_facts(store):
    """The setting, what the base is of the newest round, and what it was of the rounds that the newest model
    has learnt; None where that is not known."""
    newest = store.sql("SELECT l.head, l.columns FROM rounds r JOIN lists l ON l.id = r.list "
                       "ORDER BY r.id DESC LIMIT 1").fetchone()
    path = generations.path_of(store["newest"])
    learnt = os.path.exists(path) and generations.has_base(path) and generations.has_learnt(path)
    return {"set": store["base"] and store["base"] == "on",
            "comes": based_of(newest[0]) if newest and b"base:" in newest[1] else None,
            "learnt": based_of(generations.head_of(path)) if learnt else None}


def warning(store, base):
    """What an operator should know of the order of documents, or None."""
    path = generations.path_of(generations.serving(store))
    if not base["comes"] and os.path.exists(path) and generations.is_random(path):
        return RANDOM
    if base["comes"] and base["learnt"] and base["comes"] != base["learnt"]:
        return "the base was %s in what was learnt, and is %s now: learn anew from then on, by rebuild --without" % (
            *map(said_of, (base["learnt"], base["comes"])),)
    return None


def warnings(store, base):
    """{kind: sentence} of what an operator should know, by what is in the database: kinds of module health."""
    found, day = {}, store.now - DAY
    said = warning(store, base)
    if said:
        found["random" if said == RANDOM else "base"] = said
    said = clock.warnings(store)
    if said:
        found["clock"] = "; ".join(said)
    if store.set.get("missed"):
        found["hosts"] = "the last run did not reach %s, and the next one tries again: journalctl -u rank-learn says why" % (
            store.set["missed"])
    if store.set.get("suspect"):
        found["suspect"] = "the newest answers contradict those before: rankpipe service status has the figures" + (
            ", and rankpipe service back %s goes back to the last generation before" % store.set["kept"]
            if store.set.get("kept") else "")
    told = [(n, kind, late) for kind, n, late in store.sql(
        "SELECT type, sum(n), sum(late) FROM happened WHERE hour > ? AND type IN ('basket', 'order') GROUP BY type", (day // HOUR,))
            if late * LATE > n]
    if told:
        found["late"] = ("of %s of a day came more than settle=%d seconds after the first event of their page, and are not "
                         "learnt: rankpipe service set settle 1800" % (" and ".join(
                             "%d %ss %d" % each for each in told), store["settle"]))
    rounds, answers = (store.one("SELECT coalesce(sum(%s), 0) FROM hours WHERE hour > ?" % name, day // HOUR)
                       for name in ("rounds", "answered"))
    for what, n in store.sql("SELECT what, count(*) FROM quarantine WHERE time > ? GROUP BY what ORDER BY 2", (day,)):
        if n < 3 or n * SHARE <= (rounds if what.startswith("round") else answers):
            continue
        if what == "answer too late":
            said = ("%d answers of a day came later than %d seconds after their rounds, and are not learnt: "
                    "rankpipe service set wait N" % (n, store["wait"]))
            found["late"] = "; ".join(filter(None, (said, found.get("late"))))
        else:
            found["quarantine"] = ("%d records of a day cannot be used, and are in quarantine, for: %s: correct what "
                                   "writes them; service.db has each, in the table quarantine" % (n, what))
    return found


def said_of(based):
    return "the engine's order" if based == "engine" else "the order of model %s" % based


def warn(store):
    """Says the warning once a day, and once how an older service gets a base: a part of a transaction."""
    base = base_facts(store)
    said = warning(store, base)
    if said and store.set.get("warned") != store.day:
        say(said)
        store.put(warned=store.day)
    if base["set"] is None and base["comes"] and not base["learnt"] and not store.set.get("told"):
        say("the model was not begun with the order of the search engine, which rounds have now: to learn anew from them, "
            "run: rankpipe service set base on")
        store.put(told=1)


def generation_rows(store):
    return [{"number": number, "time": iso(when), "update": words, "learnt": learnt}
            for number, when, words, learnt in store.sql(
                "SELECT id, time, words, learnt FROM generations ORDER BY id")]


def tallies(store, where, *values):
    """By chance and place: answers, clicks and mean relevance; of whole lists also the delay."""
    found = []
    for chance, place, n, clicks, relevance, delay in store.sql(
            "SELECT chance, place, sum(n), sum(clicks), sum(relevance), sum(delay) FROM tally "
            "WHERE %s GROUP BY chance, place ORDER BY chance, place" % where, values):
        row = {"random": bool(chance), "place": place, "answers": n, "clicks": clicks,
               "relevance": relevance / n}
        if place == 0:
            row["delay_seconds"] = delay / n / 1000
        found.append(row)
    return found


def facts(store):
    """All that status, service.json and service.prom say."""
    get, one = store.set.get, store.one
    step, ended = max(0, get("run", 0) - get("run_before", get("run", 0))), get("run_ended", get("run", get("made", 0)))
    oldest = one("SELECT min(time) FROM answers WHERE state = 0")
    late = int((store["wait"] + store["delay"]) * 1000) + 2 * max(step, 60000)
    base = base_facts(store)
    over = (store.now - int((store["wait"] + store["delay"]) * 1000)) // HOUR
    told, settling = store.sql("SELECT count(*), count(r.id) FROM (SELECT DISTINCT request FROM events WHERE state = 0 AND "
                               "type <> 'shown') e LEFT JOIN rounds r ON r.request = e.request").fetchone()
    return {
        "version": 1, "time": iso(store.now), "pays": pays.lines(store), "features": store.features_limit(),
        "base": base, "warning": warning(store, base), "warnings": warnings(store, base),
        "folds": store.set.get("folds") is not None,
        "run": {"time": get("run", 0), "at": iso(get("run", 0)), "ended": ended, "late_at": ended + int(
            store["health"] * 500), "fails_at": ended + int(store["health"] * 1000)},
        "behind": {"answers": one("SELECT count(*) FROM answers WHERE state = 0"),
                   "early": one("SELECT count(*) FROM early") + told - settling, "settling": settling, "oldest": oldest,
                   "late_at": None if oldest is None else oldest + int(store["delay"] * 1000) + 3 * max(step, 60000),
                   "fails_at": None if oldest is None else oldest + late},
        "test": comparing.facts(store),
        "generation": {"newest": store["newest"], "in_use": generations.serving(store),
                       "pinned": store["pin"], "kept": generation_rows(store)},
        "answers": {"learnt": one("SELECT learnt FROM generations WHERE id = ?", store["newest"]) or 0},
        "unanswered": one("SELECT coalesce(sum(rounds) - sum(answered), 0) FROM hours WHERE hour < ?", over),
        "beyond": get("beyond", 0),
        "events": {kind: {"n": n, "late": late} for kind, n, late in store.sql(
            "SELECT type, n, late FROM happened WHERE hour = 0 ORDER BY type")},
        "quarantine": dict(store.sql("SELECT what, n FROM counts ORDER BY what")),
        "suspect": {"value": get("suspect", 0), **json.loads(get("contrast") or "{}")},
        "nulls": dict(health.nulls("answers").most_common(10)), "disk": lists.foretell(store),
        "places": tallies(store, "hour = 0 AND generation = 0"),
        "places_of_generation": tallies(store, "hour = 0 AND generation = ?", generations.serving(store)),
        "last_day": tallies(store, "generation = 0 AND hour > ?", (store.now - DAY) // HOUR),
    }


def write_files(store):
    """service.json and service.prom; anyone may read them, and no name is in them."""
    known = facts(store)
    put_whole("service.json", json.dumps(known, indent=1).encode() + b"\n", 0o644)
    put_whole("service.prom", prom(known).encode(), 0o644)


METRICS = (
    ("run_timestamp_seconds", "gauge", "end of the last run that ended well, or before it the start of the service"),
    ("generation", "gauge", "newest generation"),
    ("generation_in_use", "gauge", "generation that serves"),
    ("pinned", "gauge", "1 if it is pinned"),
    ("learnt_answers", "gauge", "answers that the newest model has learnt"),
    ("behind_answers", "gauge", "answers that are not learnt yet"),
    ("early_answers", "gauge", "answers whose rounds have not come"),
    ("settling_answers", "gauge", "pages of which more may be said"),
    ("events_total", "counter", "events, by type; answers by clicks, too"),
    ("late_events_total", "counter", "those that came when their page had settled, which are not learnt"),
    ("oldest_answer_timestamp_seconds", "gauge", "time of the oldest answer that is not learnt"),
    ("unanswered_rounds", "gauge", "rounds that were given up without an answer"),
    ("beyond_total", "counter", "answers beyond the share of their client, which are not learnt"),
    ("quarantined_total", "counter", "records that could not be used"),
    ("answered_lists", "gauge", "lists that were answered"),
    ("delay_seconds", "gauge", "time from a list to its answer, of all of them"),
    ("seen_places", "gauge", "places that users judged"),
    ("clicked_places", "gauge", "places with a relevance above 0"),
    ("relevance", "gauge", "relevance, added up"),
    ("suspect", "gauge", "1: the newest answers contradict those before"),
    ("contrast", "gauge", "relevance in the upper half of lists less that in the lower half"),
    ("contrast_error", "gauge", "its standard error"),
    ("features", "gauge", "features of a document"),
    ("warning", "gauge", "1: rankpipe service status has a warning"),
)
OLD = {  # names of version 0.4.0 and before, which go with the release after the next: of what is now so called
    "run_time_seconds": "run_timestamp_seconds", "learnt_total": "learnt_answers",
    "oldest_answer_time_seconds": "oldest_answer_timestamp_seconds", "unanswered_total": "unanswered_rounds",
    "answers_total": "answered_lists", "delay_seconds_total": "delay_seconds", "seen_total": "seen_places",
    "clicks_total": "clicked_places", "relevance_total": "relevance"}


def prom(known):
    """The facts as Prometheus reads them."""
    generation, behind, suspect = known["generation"], known["behind"], known["suspect"]
    values = {
        "run_timestamp_seconds": known["run"]["ended"] / 1000, "generation": generation["newest"],
        "generation_in_use": generation["in_use"], "pinned": int(generation["pinned"] is not None),
        "learnt_answers": known["answers"]["learnt"], "behind_answers": behind["answers"],
        "early_answers": behind["early"], "settling_answers": behind["settling"], "unanswered_rounds": known["unanswered"],
        "beyond_total": known["beyond"],
        "suspect": suspect["value"], "features": known["features"],
        "warning": int(bool(known["warnings"])),
        "oldest_answer_timestamp_seconds": behind["oldest"] and behind["oldest"] / 1000,
    }
    labelled = {
        "events_total": [('type="%s"' % kind, of["n"]) for kind, of in known["events"].items()],
        "late_events_total": [('type="%s"' % kind, of["late"]) for kind, of in known["events"].items()],
        "quarantined_total": [('what="%s"' % what, n) for what, n in known["quarantine"].items()],
        "contrast": [('of="%s"' % of, suspect[of]) for of in ("recent", "before") if of in suspect],
        "contrast_error": [('of="%s"' % of, suspect[of + "_error"]) for of in ("recent", "before")
                           if of in suspect],
    }
    for row in known["places"]:
        label = 'order="%s"' % ("random" if row["random"] else "by score")
        if row["place"] == 0:
            rows = (("answered_lists", row["answers"]), ("delay_seconds", row["delay_seconds"] * row["answers"]))
        else:
            label += ',place="%d"' % row["place"]
            rows = (("seen_places", row["answers"]), ("clicked_places", row["clicks"]),
                    ("relevance", row["relevance"] * row["answers"]))
        for name, value in rows:
            labelled.setdefault(name, []).append((label, value))
    lines = []
    metrics = {name: (kind, what) for name, kind, what in METRICS}
    for name in (*metrics, *OLD):
        now = OLD.get(name, name)
        kind, what = metrics[now] if now == name else ("untyped", "as rankpipe_service_%s, for one release" % now)
        rows = [("{%s}" % label, value) for label, value in labelled.get(now, ())]
        if values.get(now) is not None:
            rows.append(("", values[now]))
        if rows:
            lines.append("# HELP rankpipe_service_%s %s\n# TYPE rankpipe_service_%s %s\n" % (
                name, what, name, kind))
        lines += ["rankpipe_service_%s%s %.17g\n" % (name, label, value) for label, value in rows]
    return "".join(lines)


def text(store):
    """The facts for a person. The seed is for the account of the service alone."""
    known = facts(store)
    generation, behind = known["generation"], known["behind"]
    lines = ["last run       %s" % ("%s, ended %s" % (known["run"]["at"], iso(known["run"]["ended"])[11:])
                                    if known["run"]["time"] else "none yet")]
    lines += ["in use         generation %s%s" % (
        generation["in_use"], ", pinned" if generation["pinned"] else "")]
    lines += ["newest         generation %s" % generation["newest"]]
    if known["test"]:
        lines += ["test           of the newest generation against %(champion)d, since %(begun)s: rankpipe service compare" %
                  known["test"]]
    if store.set.get("concluded"):
        lines += ["last test      %s" % store.set["concluded"]]
    lines += ["learnt         %d answers" % known["answers"]["learnt"]]
    lines += ["set aside      %d answers" % store.one(
        "SELECT count(*) FROM answers WHERE state = %d" % ASIDE)]
    lines += ["behind         %d answers, %d early ones, %d that settle" % tuple(
        behind[each] for each in ("answers", "early", "settling"))]
    lines += ["%-14s %d, and %d that came late" % (kind + "s", of["n"], of["late"]) for kind, of in known["events"].items()]
    lines += ["unanswered     %d rounds" % known["unanswered"]]
    lines += ["beyond         %d answers, beyond the share of their client" % known["beyond"]]
    lines += ["%-14s %s" % (name, said_of(known["base"][key])) for key, name in (
        ("comes", "base now"), ("learnt", "base learnt")) if known["base"][key]]
    if not known["folds"]:
        lines += ["words          of version 0.4.0, with ~20 for a blank: rankpipe service rebuild folds them"]
    if known["nulls"]:
        lines += ["without value  %s" % ", ".join("feature %d in %d documents" % each for each in sorted(known["nulls"].items()))]
    if known["disk"]:
        lines += ["disk           %(round)d bytes a round, %(list)d a list" % known["disk"],
                  "a year         %.1f GB of service.db, as the last 24 hours were" % (known["disk"]["year"] / 1e9)]
    path = generations.path_of(generation["in_use"])
    lines += users.lines(path) if os.path.exists(path) else []
    lines += ["suspect        %d" % known["suspect"]["value"]]
    if "recent" in known["suspect"]:
        lines += ["contrast       %(recent).4f +- %(recent_error).4f, before %(before).4f +- "
                  "%(before_error).4f" % known["suspect"]]
    if store.set.get("kept"):
        lines += ["kept           %s, the last generation before: rankpipe service back %s" % (
            (store.set["kept"],) * 2)]
    lines += ["quarantine     %d %s" % (n, what) for what, n in known["quarantine"].items()]
    lines += ["", "settings"]
    lines += ["%-14s %s%s" % (name, "-" if store[name] is None else store[name],
                              ", a guess" if name == "features" and store.set.get("guessed") else "") for name in SETTINGS]
    if os.stat("service.db").st_uid == os.geteuid():
        lines += ["%-14s %d" % ("seed", store["seed"])]
    lines += ["", "generations"]
    lines += ["%-14d %s  %s answers  update %s" % (row["number"], row["time"], "?" if row["learnt"] is None
                                                   else row["learnt"], row["update"])
              for row in generation["kept"]]
    lines += ["", "order      place  answers  clicks  relevance"]
    lines += ["%-10s %5s %8d %7d  %9.4f" % ("random" if row["random"] else "by score", row["place"] or "all",
                                            row["answers"], row["clicks"], row["relevance"])
              for row in known["places"]]
    return "\n".join(lines) + "\n"


# ---- is all as it should be? ----


def check(store):
    """What is wrong with the folder, a line each."""
    wrong = [row[0] for row in store.sql("PRAGMA integrity_check(20)") if row[0] != "ok"]
    for number, in store.sql("SELECT id FROM generations"):
        if not generations.made_whole(store, number):
            wrong.append("models/%d.bin is missing or damaged: run: rankpipe service rebuild" % number)
    path = generations.path_of(generations.serving(store))
    if not (os.path.exists("w.bin") and os.path.exists(path) and os.path.samefile("w.bin", path)):
        wrong.append("w.bin is not the model in use: the next run puts it there")
    elif generations.whole_of(path) and not os.path.exists(generations.whole_of(path)):
        wrong.append("%s, which w.bin is a patch of, is missing: the next run puts it there" % generations.whole_of(path))
    for folder in "log", "answers", "models":
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            wrong.append("%s/ is not writable for this account: erasing would not reach it" % folder)
    if os.stat("service.db").st_mode & 0o007:
        wrong.append("service.db can be read by others: chmod o= service.db")
    for query, what in (
            ("SELECT count(*) FROM answers WHERE round NOT IN (SELECT id FROM rounds)", "answers without rounds"),
            ("SELECT count(*) FROM rounds WHERE list NOT IN (SELECT id FROM lists)", "rounds without lists"),
            ("SELECT count(*) FROM lists WHERE whole NOT IN (SELECT id FROM lists)", "lists without their whole one"),
            ("SELECT count(*) FROM answers WHERE state = %d AND seq IS NULL" % COUNTS, "answers without a place")):
        n = store.one(query)
        if n:
            wrong.append("%d %s: restore a backup" % (n, what))
    return wrong
