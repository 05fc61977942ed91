"""The runs of a command: pipelines that learn, and pipelines that judge what was learnt."""
# SPDX-License-Identifier: ISC
import contextlib
import os
import re
import shlex
import subprocess
import sys
import threading
import time
from array import array
from concurrent import futures
from itertools import accumulate
from math import fsum, isnan, nan, sqrt

from rankpipe_front import fail, say
from rankpipe_train import own
from rankpipe_train.learners import Run, files_of
from rankpipe_train.programs import deal, pipeline, read_table, records, run, write_end, write_table

SECOND = 1  # between two looks at the runs
POINTS = 50  # of a curve
PART = 200  # a point of a curve is judged by one query for so many rounds,
LEAST = 50  # but by so many at least
KINDS = {"row": "rows", "model": "models", "shown": "shown", "curve": "curves"}  # folders of files


def sign(measure):
    """-1 if less is better, as metric(1) has it."""
    return -1 if re.match("((ips|dr):)?(pairloss|sumloss|loss:)", measure) else 1


def summary(values):
    """The mean of the values that are not nan, and its standard error."""
    known = [value for value in values if not isnan(value)]
    n, mean = len(known), fsum(known) / len(known) if known else nan
    return mean, sqrt(fsum((x - mean) ** 2 for x in known) / (n - 1) / n) if n > 1 else nan


def means(rows):
    """Of rows of a key and values: for each key how many there are, and the means of the values."""
    groups = {}
    for key, *values in rows:
        group = groups.setdefault(key, [0, *([0, 0.0] for _ in values)])
        group[0] += 1
        for column, value in zip(group[1:], map(float, values)):
            if not isnan(value):
                column[:] = column[0] + 1, column[1] + value
    return {key: (count, [total / n if n else nan for n, total in columns])
            for key, (count, *columns) in groups.items()}


def running(values, at):
    """The means of the first so many values, for each number of `at`, of those that are not nan."""
    if not isnan(sum(values)):
        sums = list(accumulate(values))
        return [sums[t - 1] / t for t in at]
    sums = list(accumulate(0 if isnan(value) else value for value in values))
    counts = list(accumulate(not isnan(value) for value in values))
    return [sums[t - 1] / counts[t - 1] if counts[t - 1] else nan for t in at]


def lines(groups, digits=10):
    return [[key, *(f"{value:.{digits}g}" for value in groups[key][1])] for key in groups]


class Failed(Exception):
    """A run failed, which was said."""


class Runs:
    """The runs of a command. Their pipelines run in the folder's .work, and name files in it."""

    def __init__(self, command, learners, folder, texts):
        self.command, self.folder = command, folder
        self.sizes, self.width, options = texts
        self.rounds = command.rounds or max(10 * self.sizes.get("train", sum(self.sizes.values())), 20000)
        folds = [str(i + 1) for i in range(command.folds or 0)]
        self.all = [Run(learner, fold, seed) for learner in learners
                    for fold in folds or ["-"] for seed in command.seeds]
        self.all += [Run(learner, "all", command.seeds[0]) for learner in learners[1:] if folds]
        sums = [run("cksum", stdin=open(file, "rb")).stdout.strip() for file in command.files]
        self.data = "; ".join([run("rankpipe", "-V").stdout.strip(),
                               " ".join(["svm2bin", *options, "of", *sums])])
        self.live, self.stopped, self.lock = set(), False, threading.Lock()
        self.shown, self.parts = {}, {}
        if any("-c" in learner.mask for learner in learners):  # the top grade for feedback-mask
            texts = [run("bin2txt", "-f", "summary", self.at(".work", name)).stdout
                     for name in self.sizes if name != "test"]
            labels = re.findall(r"^(?:labels)? +([0-9.e+]+): ", "\n".join(texts), re.M)
            self.top = next((top for top in (1, 2) if max(map(float, labels)) <= top), 4)

    def at(self, *names):
        return os.path.join(self.folder, *names)

    def file(self, kind, job):
        return self.at(kind, job.name + (".bin" if kind == "models" else ".tsv"))

    def training(self, job):
        return [name for name in self.sizes if name not in ("test", f"fold.{job.fold}")]

    def held(self, job):
        """The name of the file of the queries held out."""
        return "test" if job.fold == "-" else f"fold.{job.fold}"

    # ---- the text of pipelines

    def show(self, job, source, score, *between):
        """The programs that show rounds of a source, and what the user says."""
        learner, seed = job.learner, ["-s", job.seed]
        clicks = ["-L", self.top, *seed] if "-c" in learner.mask else []
        return [source, score, ["explore", *learner.explore, *seed], *between, ["feedback-mask", *learner.mask, *clicks]]

    def learn(self, job, source, point, *between, saves=()):
        """The pipeline that learns from the rounds of a source, by the words of an alternative."""
        seed = ["-s", job.seed] if job.learner.takes_seed else []
        return pipeline(*self.show(job, source, ["score"], *between), ["update", *saves, "-a", *point, *seed])

    def judge(self, job, file, model, to):
        """The pipeline that ranks each query of a file by the model, and judges it."""
        return pipeline(["replay", file], ["score", "-m", model], ["explore", "-s", job.seed],
                        ["metric", "-q", *self.command.measures], to=to)

    def source(self, job, rounds):
        return ["replay", "-n", rounds, "-s", job.seed, *self.training(job)]

    def watched(self, job):
        """What stores the lists shown; of a run that holds nothing out nobody asks for them."""
        return [] if job.fold == "all" else [["metric", "-q", "-t", f"{job.name}.shown", *self.command.measures]]

    def random(self, job, rounds):
        """The pipelines of random order: of what is shown, and of each query that is held out."""
        explore, measures = ["explore", *job.learner.explore, "-s", job.seed], self.command.measures
        many = ["replay", "-n", max(rounds, self.sizes[self.held(job)]), "-s", job.seed, self.held(job)]
        return [pipeline(self.source(job, rounds), explore, ["metric", "-q", *measures], to=f"{job.name}.shown"),
                pipeline(many, explore, ["metric", "-q", *measures], to=f"{job.name}.held")]

    def own(self, job):
        """The pipeline that shows rounds to a program, and the words of its command."""
        ring, model = os.path.abspath(self.at(".work", f"{job.name}.ring")), self.at(".work", f"{job.name}.model")
        shown = pipeline(*self.show(job, self.source(job, self.rounds), ["score", "-f", f"{job.name}.score"],
                                    *self.watched(job)))
        return shown, [*job.learner.own, "-f", ring, "-m", os.path.abspath(model), "-s", job.seed]

    def program(self, job):
        """The files of the job's program, with their checksums."""
        return "; ".join(run("cksum", path).stdout.strip() for path in files_of(job.learner.own))

    def settings(self, job):
        """All that the result of a run depends on, but what its program is: that follows a tab."""
        learner, judged = job.learner, self.judge(job, self.held(job), f"{job.name}.model", f"{job.name}.held")
        if not learner.learns:
            return "; ".join([self.data, *self.random(job, self.rounds)])
        if learner.own:
            words = [*learner.own, "-f", "RING", "-m", f"{job.name}.model", "-s", job.seed]
            return f"{self.data}; {self.own(job)[0]} | {pipeline(words)}; {judged}\t{self.program(job)}"
        rounds = "CHOSEN" if learner.validates else self.rounds
        point = [" or ".join(" ".join(point) for point in learner.points)]
        saves = ["-m", f"{job.name}.model"]
        texts = [self.data, self.learn(job, self.source(job, rounds), point, *self.watched(job), saves=saves), judged]
        most = [f"CHOSEN to {self.command.rounds or '8 passes'}"] if learner.validates else []
        return "; ".join([*texts, *most])

    # ---- what runs them

    def begin(self, job, text, kind="said", **files):
        """Starts a pipeline; its messages are in a file."""
        said = self.at(".work", f"{job.name}.{kind}")
        with self.lock, open(said, "wb") as messages:
            if self.stopped:
                raise Failed
            process = subprocess.Popen(["loop", text], cwd=self.at(".work"), stderr=messages,
                                       **{"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, **files})
            self.live.add(process)
        process.said = said
        return process

    def end(self, job, process, quiet=False, follows=False):
        """Waits for a pipeline and prints what it said; a quiet one is heard where it failed. Raises Failed then.
        follows: another failure was said, and what follows from it need not be.
        """
        status = process.wait()
        self.live.discard(process)
        with open(process.said, encoding="utf-8", errors="surrogateescape") as file:
            said = file.read().splitlines()
        follows = follows and (status < 0 or any("update is gone after round" in line for line in said))
        for line in [] if follows else said or [f"loop: exit status {status}"] * (status != 0):
            if not self.stopped and not (quiet and status == 0) and not line.startswith("update: resuming"):
                say(f"{job.name}: {line}")
        if status:
            raise Failed

    def loop(self, job, text):
        self.end(job, self.begin(job, text))

    def part(self, job):
        """Some of the queries held out, for a curve: the bytes of their rounds, and how many they are."""
        with self.lock:
            if job.fold not in self.parts:
                name, n = self.held(job), self.sizes[self.held(job)]
                many = min(n, max(LEAST, self.rounds // PART))
                wanted = {i * n // many for i in range(many)}
                with open(self.at(".work", name), "rb") as file:
                    self.parts[job.fold] = b"".join(r for i, r in enumerate(records(file)) if i in wanted), many
        return self.parts[job.fold]

    @contextlib.contextmanager
    def judging(self, job):
        """A function that judges a model, the bytes of its record, by a part of the queries held out."""
        rounds, many = self.part(job)
        text = pipeline(["score", "-M"], ["explore", "-s", job.seed],
                        ["metric", "-r", "-e", many, *self.command.measures], to=f"{job.name}.judged")
        process, count = self.begin(job, text, "judging", stdin=subprocess.PIPE), 0

        def judge(model):
            nonlocal count
            process.stdin.write(model)
            process.stdin.write(rounds)
            count += 1 + many
        with contextlib.suppress(BrokenPipeError):  # it failed, and says why
            try:
                yield judge
                write_end(process.stdin, count)
                process.stdin.close()
            except Failed:
                process.kill()
                process.wait()
                raise
        self.end(job, process, quiet=True)  # each model might say the same

    def has_curve(self, job):
        return job.learner.learns and job.fold != "all" and not self.command.no_curves

    def learn_all(self, job, rounds, point):
        """Learns from so many rounds, and judges the models on the way."""
        source, path = self.source(job, rounds), self.at(".work", f"{job.name}.model")
        if not self.has_curve(job):
            self.loop(job, self.learn(job, source, point, *self.watched(job), saves=["-m", f"{job.name}.model"]))
            return
        saves, model = ["-c", -(-rounds // POINTS)], b""
        with self.judging(job) as judge:
            process = self.begin(job, self.learn(job, source, point, *self.watched(job), saves=saves),
                                 stdout=subprocess.PIPE)
            with process.stdout:
                for model in records(process.stdout):
                    judge(model)
            self.end(job, process)
        with open(path, "wb") as file:
            file.write(model)
            write_end(file, 1)

    def learn_own(self, job):
        """The same by a program of its own."""
        text, words = self.own(job)
        ring, score, log = (self.at(".work", f"{job.name}.{end}") for end in ("ring", "score", "log"))
        for fifo in ring, score:
            os.mkfifo(fifo)
        with self.judging(job) if self.has_curve(job) else contextlib.nullcontext(lambda _: None) as judge:
            process = self.begin(job, text, stdout=subprocess.PIPE)
            relay = own.Relay(ring, score, (self.width, self.rounds, -(-self.rounds // POINTS)), judge)
            with process.stdout, self.lock:
                program = own.start(words, process.stdout, log)
                self.live.add(group := own.Group(program))
            relay.start()
            wrong = own.wait(program, relay)
            group.kill()  # and what it left running
            self.live.discard(group)
            relay.end()
            wrong = relay.wrong or wrong or own.check(f"{self.at('.work', job.name)}.model", self.width, relay)
            if wrong and not self.stopped:
                say(f"{job.name}: {shlex.join(words[:-6])}: {wrong}; its last lines:")
                for line in own.last_lines(log) or ["(it printed nothing)"]:
                    say(f"{job.name}:   {line}")
            if wrong:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(1)
                process.kill()
            self.end(job, process, follows=wrong)
            if wrong:
                raise Failed
    def choose(self, job, point):
        """The rounds of a learner of all labels: 8 passes over its queries, if of a quarter of them
        4 passes were better than 2 on the others; 2 if they were worse by more than two standard
        errors of the difference; else 4.
        """
        train, seed, judged = self.training(job), ["-s", job.seed], []
        size, passes = sum(self.sizes[name] for name in train), 4
        most, part = self.command.rounds or 8 * size, size // 4
        model, quarter, rest, to = (f"{job.name}.{end}" for end in ("trial", "part", "rest", "to"))
        if size >= 10 and 4 * size <= most:
            self.loop(job, pipeline(["replay", "-n", part, *seed, *train], to=quarter))
            self.loop(job, pipeline(["replay", "-b", part + 1, "-n", size, *seed, *train], to=rest))
            for first, last in [(1, 2 * part), (2 * part + 1, 4 * part)]:
                source = ["replay", "-b", first, "-n", last, *seed, quarter]
                self.loop(job, self.learn(job, source, point, saves=["-m", model]))
                self.loop(job, self.judge(job, rest, model, to))
                judged.append(list(read_table(self.at(".work", to))))
            gain, error = summary([sign(judged[0][0][2]) * (float(four[2]) - float(two[2]))
                                   for two, four in zip(judged[0][1:], judged[1][1:])])
            passes = 8 if gain > 0 else 2 if gain < -2 * error else 4
        return min(passes * size, most)

    def pick(self, job):
        """The alternative with the best mean of the first measure over the training queries, which are in three parts
        by their number: each is ranked by what was learnt from the other two, in as many passes.
        """
        names = [f"{job.name}.third{i}" for i in range(3)]
        sizes = deal([self.at(".work", name) for name in self.training(job)], [self.at(".work", name) for name in names])
        if min(sizes) == 0:
            raise OSError("alternatives need three training queries or more")
        passes = 4 if job.learner.validates else self.rounds / sum(sizes)
        best = None
        for point in job.learner.points:
            values = []
            for i, name in enumerate(names):
                others, to = names[:i] + names[i + 1:], f"{job.name}.to"
                rounds = max(1, round(passes * (sum(sizes) - sizes[i])))
                model = f"{job.name}.trial{i}"
                with contextlib.suppress(FileNotFoundError):
                    os.remove(self.at(".work", model))
                self.loop(job, self.learn(job, ["replay", "-n", rounds, "-s", job.seed, *others], point,
                                          saves=["-m", model]))
                self.loop(job, self.judge(job, name, model, to))
                head, *rows = read_table(self.at(".work", to))
                values += [float(row[2]) for row in rows]
            mean = sign(head[2]) * summary(values)[0]
            if best is None or mean > best[0]:
                best = mean, point
        for name in names:
            os.remove(self.at(".work", name))
        return best[1]

    def perform(self, job):
        """Does a run: its files get their names when they are whole, the record last."""
        learner, chosen = job.learner, "-"
        try:
            settings = self.settings(job)
            if not learner.learns:
                for text in self.random(job, self.rounds):
                    self.loop(job, text)
            elif learner.own:
                self.learn_own(job)
            else:
                point = learner.points[0]
                if len(learner.points) > 1:
                    point = self.pick(job)
                    chosen = " ".join(point)
                self.learn_all(job, self.choose(job, point) if learner.validates else self.rounds, point)
            if learner.learns and job.fold != "all":
                self.loop(job, self.judge(job, self.held(job), f"{job.name}.model", f"{job.name}.held"))
            if settings != self.settings(job):
                say(f"{job.name}: {shlex.join(learner.own)} changed while it ran: the same command again runs it")
                raise Failed
            self.record(job, settings, chosen)
        except (OSError, Failed) as error:
            if not isinstance(error, Failed):
                say(f"{job.name}: {error}")
            return False
        return True

    def kinds(self, job):
        """What a run leaves beside its record."""
        return ["model"] * job.learner.learns + ["shown", "curve"] * (job.fold != "all")

    def record(self, job, settings, chosen):
        """Gives the files of a run their names."""
        work = self.at(".work", job.name)
        held = read_table(f"{work}.held") if job.fold != "all" else iter([[]])
        head, queries = next(held)[1:-1], means(row[1:-1] for row in held)  # the last is client
        write_table(f"{work}.row", [[f"# {settings}"], [f"# {chosen}"], head, *lines(queries)])
        if job.fold != "all":
            write_table(f"{work}.curve", self.curve(job))
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.file("rows", job))
        for kind in [*self.kinds(job), "row"]:
            os.replace(f"{work}.{kind}", self.file(KINDS[kind], job))

    def read_shown(self, job, path=None):
        """The measures of the lists that a run showed, and for each its value in each round."""
        if job.name not in self.shown:
            with open(path or self.file("shown", job), encoding="utf-8", errors="surrogateescape") as file:
                measures = file.readline().rstrip("\n").split("\t")[2:-1]
                cells = [line.split("\t", len(measures) + 2) for line in file]
            self.shown[job.name] = measures, [array("d", [float(row[i]) for row in cells])
                                              for i in range(2, len(measures) + 2)]
        return self.shown[job.name]

    def curve(self, job):
        """The rows of a run's curves: at most 50 points, what was shown until then, and what the model there holds out."""
        measures, shown = self.read_shown(job, self.at(".work", f"{job.name}.shown"))
        rounds = len(shown[0])
        at = [*range(-(-rounds // POINTS), rounds, -(-rounds // POINTS)), rounds]
        columns = [[f"{mean:.7g}" for mean in running(values, at)] for values in shown]
        heads = list(measures)
        if self.has_curve(job):
            _, *rows = read_table(self.at(".work", f"{job.name}.judged"))
            sums = [[0.0] * (2 * len(measures)), *([float(cell) for cell in row[1:]] for row in rows)]
            for i, measure in enumerate(measures):
                heads.append(f"held-out:{measure}")
                columns.append([f"{held_mean(before, after, 2 * i):.7g}" for before, after in zip(sums, sums[1:])])
        return [["t", *heads], *([str(t), *cells] for t, *cells in zip(at, *columns))]

    # ---- all of them

    def finished(self, job):
        """What the folder has of a run: its settings, and the checksums of its program; or "" and None."""
        row = self.file("rows", job)
        if not os.path.exists(row):
            return "", None
        settings, *program = next(read_table(row), [""])
        whole = all(os.path.exists(self.file(KINDS[kind], job)) for kind in self.kinds(job))
        if whole and self.has_curve(job):
            heads = next(read_table(self.file("curves", job)), [])
            whole = any(name.startswith("held-out:") for name in heads)
        return settings[2:], program if whole else None

    def unfinished(self):
        """The runs to do. Fails if the folder has one with other settings, which is to be kept."""
        todo, replaced, changed = [], 0, 0
        for job in self.all:
            now, *program = self.settings(job).split("\t")
            had, its = self.finished(job)
            if had != now or its != program:
                todo.append(job)
            changed += had == now and its not in (None, program)
            if had not in ("", now):  # an empty record is what a crash of the machine left
                replaced += 1
                if not self.command.replace:
                    fail(f"{self.folder} has {job.name} with other settings:", more=f"\n  it had   {had}\n  now      {now}\n"
                         "  write into another folder (-o), or replace such runs (-w)")
        if len(todo) < len(self.all):
            say(f"{len(self.all) - len(todo)} of {len(self.all)} runs are finished in "
                f"{self.folder}, and kept")
        if changed:
            say(f"{changed} runs of a program that changed since are repeated")
        if replaced:
            say(f"{replaced} runs of other settings in {self.folder} are replaced")
        return todo

    def do(self):
        todo = self.unfinished()
        for kind in KINDS.values():
            os.makedirs(self.at(kind), exist_ok=True)
        jobs = min(self.command.jobs or os.cpu_count() or 1, len(todo)) or 1
        if todo:
            say(f"{len(todo)} runs of {self.rounds} rounds, {jobs} at a time")
        with futures.ThreadPoolExecutor(jobs) as pool:
            try:
                tasks = [pool.submit(self.perform, job) for job in todo]
                self.watch(tasks, sum(not job.learner.learns for job in todo))
            except KeyboardInterrupt:
                with self.lock:
                    self.stopped = True
                    for process in list(self.live):
                        process.kill()
                raise
        failed = sum(not task.result() for task in tasks)
        if failed:
            fail(f"{failed} of {len(todo)} runs failed, so there is no new table; "
                 "the same command again runs these alone")

    def watch(self, tasks, quick):
        """Waits for the runs and prints how far they are: with -P each second on a terminal, else
        after 10 s, 20 s, 40 s ...; without -P once, after a learner's first run, if it is long.
        """
        begun, following, redrawn = time.monotonic(), 10, self.command.progress and os.isatty(2)
        while futures.wait(tasks, timeout=SECOND).not_done:
            ended, past = sum(task.done() for task in tasks), time.monotonic() - begun
            done = (ended + sum(self.begun())) / len(tasks)
            left = past / done - past if 0 < done < 1 else 0
            text = f"{ended} of {len(tasks)} runs, {100 * done:.0f} %, {duration(past)} so far" + \
                (f", about {duration(left)} left" if left else "")
            if redrawn:
                sys.stderr.write(f"\r\033[K{text[:os.get_terminal_size(2).columns - 1]}")
            elif past >= following if self.command.progress else ended > quick:
                if self.command.progress or left >= 10:
                    say(text)
                following, quick = 2 * past, len(tasks)
        if redrawn:
            sys.stderr.write("\r\033[K")

    def begun(self):
        """The shares of the runs at work that are done, by the rounds that they have shown."""
        for name in os.listdir(self.at(".work")):
            with contextlib.suppress(OSError, LookupError, ValueError):  # it just began or moved
                if name.endswith(".shown"):
                    with open(self.at(".work", name), "rb") as file:
                        file.seek(max(0, os.fstat(file.fileno()).st_size - 8192))
                        yield int(file.read().splitlines()[-2].split(b"\t")[0]) / self.rounds


def held_mean(before, after, i):
    """The mean of what two rows of sums and counts differ by; i: the column of the sum."""
    count = after[i + 1] - before[i + 1]
    return (after[i] - before[i]) / count if count else nan


def duration(seconds):
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min" if seconds < 7200 \
        else f"{seconds / 3600:.1f} h"
