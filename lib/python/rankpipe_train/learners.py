"""The rows of the table: learners, and how their programs are called."""
# SPDX-License-Identifier: ISC
import itertools
import os
import re
import shutil
from typing import NamedTuple

from rankpipe_train.programs import run

POINTS = 64  # alternatives of a learner at most
OWN = "exec:"  # begins the command of a learner that is a program of its own


class Wrong(Exception):
    """What is wrong with the command line."""


class Learner(NamedTuple):
    """A row of the table, and how its programs are called. Random order learns nothing."""

    name: str
    seen: str  # labels, or the user who clicks
    explore: list
    mask: list = ()
    points: tuple = ()  # words of update for each alternative; the first is the only one, if there is no choice
    own: tuple = ()  # words of a command that learns in place of update
    takes_seed: bool = False
    validates: bool = False  # how many passes it makes

    @property
    def file(self):
        return re.sub("[^A-Za-z0-9.+-]+", "_", self.name) if self.learns else "random"

    @property
    def learns(self):
        return bool(self.points or self.own)


class Run(NamedTuple):
    """A learner's run: the fold held out, "all" if none is, "-" without -f; and the seed."""

    learner: Learner
    fold: str
    seed: str

    @property
    def name(self):
        fold = {"-": "", "all": ".all"}.get(self.fold, f".fold{self.fold}")
        return f"{self.learner.file}{fold}.seed{self.seed}"


def accepts(letter, words, own, *program):
    """Raises Wrong if a program refuses the words, which are its options, or one is for train to set."""
    for word in words:
        if word[:2] in own:
            raise Wrong(f"-{letter} '{' '.join(words)}': train sets {word[:2]} itself")
    done = run(*program, *words)
    if done.returncode == 2:
        raise Wrong(f"-{letter} '{' '.join(words)}': {done.stderr.splitlines()[0]}")
    if done.stdout:  # without input only -h and a file have some
        raise Wrong(f"-{letter} '{' '.join(words)}': -{letter} takes neither -h nor files")


def suited(name):
    """What the learners' table says of a learner: options of explore, labels that are seen, the user who clicks or
    None, and whether it learns from features.
    """
    told = run("update", "-h", name).stdout
    explore, places, user = re.search("^It is made for: explore(.*) \\| feedback-mask -k ([^ \n]+)(?: -c (.+))?$", told,
                                      re.M).groups()
    return explore.split(), places, user, "\nIt learns a fixed list" not in told


def shown_for(words, places):
    """Options of explore for so many places seen: -p top has as many, and leaves where all are seen."""
    if "top" not in words:
        return words
    rest = words[words.index("-g"):]
    return rest if places == "all" else ["-p", "top", "-k", places, *rest]


def expanded(word):
    """The words that one with alternatives stands for: kl,eta=1|2 for kl,eta=1 and kl,eta=2."""
    parts = [part.rpartition("=") for part in word.split(",")]
    choices = [[name + equals + value for value in values.split("|")] for name, equals, values in parts]
    return [",".join(chosen) for chosen in itertools.product(*choices)]


def alternatives(words):
    """The command lines that one with alternatives stands for."""
    many = 1
    for word in words:
        for part in word.split(","):
            many *= part.count("|") + 1
    if many > POINTS:
        raise Wrong(f"-a '{' '.join(words)}': {many} alternatives: at most {POINTS} can be tried")
    return list(itertools.product(*map(expanded, words)))


def files_of(words):
    """The files that a command names: its program and those of its arguments that are files."""
    found = [shutil.which(words[0]), *words[1:]]
    if not found[0]:
        raise Wrong(f"-a '{OWN}{' '.join(words)}': {words[0]}: no such program")
    return [os.path.abspath(path) for path in found if os.path.isfile(path)]


def called(asked, own_explore, own_places, own_user, validates, accepted):
    """A Learner from what -a asks for, and from what suits it where the command says nothing."""
    explore, places, user = (asked.get(letter) for letter in "xkc")
    name = [" ".join(asked["a"]), explore is not None and f"explore {' '.join(explore) or 'greedily'}",
            places and f"{places} judged", user]
    validates = validates and not places
    user = user or own_user
    places = places or ("10" if user else own_places)
    explore = shown_for(own_explore, places) if explore is None else explore
    mask = [places, "-c", user] if user else [places]
    accepts("x", explore, ["-s"], "explore")
    accepts("k", mask, [], "feedback-mask", "-k")
    return Learner(" ".join(", ".join(filter(None, name)).split()), user or places, explore, ["-k", *mask],
                   validates=validates, **accepted)


def learner_of(asked):
    """The learner that -a asks for."""
    words = asked["a"]
    if words[0].startswith(OWN):
        own = (words[0][len(OWN):], *words[1:])
        if not own[0]:
            raise Wrong(f"-a '{OWN}': the command of a program that learns follows")
        files_of(own)
        return called(asked, ["-p", "top", "-g", "0.1"], "1", None, False, {"own": own, "takes_seed": True})
    points = alternatives(words)
    for point in points:
        accepts("a", point, ["-a", "-c", "-f", "-m", "-P"], "update", "-a")
    name = words[0].split(",")[0]
    if "|" in name:
        raise Wrong(f"-a '{' '.join(words)}': alternatives are values of settings: repeat -a for other learners")
    *suits, by_features = suited(name)
    if not by_features:
        raise Wrong(f"-a {name}: it learns a fixed list, and train learns from features")
    takes_seed = run("update", "-a", *points[0], "-s", "1").returncode != 2
    return called(asked, *suits, suits[1] == "all", {"points": tuple(points), "takes_seed": takes_seed})


def learners_of(all_asked, all_labels):
    learners = [Learner("random order", "0", ["-g", "1"])]
    for asked in all_asked:
        learners.append(learner_of(asked))
        if learners[-1].file in [other.file for other in learners[:-1]]:
            raise Wrong(f"-a '{learners[-1].name}' is given twice")
    listnet = learner_of({"a": ["listnet"]}) if all_labels else learners[0]
    return learners if listnet in learners else [*learners, listnet]
