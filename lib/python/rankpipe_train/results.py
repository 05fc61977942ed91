"""What is made of the runs: the table, curves with bands, the picture, and what is printed."""
# SPDX-License-Identifier: ISC
import filecmp
import os
import re
import shutil
import subprocess
from itertools import accumulate, repeat
from math import fsum, isnan, nan
from operator import mul

from rankpipe_front import fail, say
from rankpipe_train.programs import read_table, write_table
from rankpipe_train.runs import lines, means, running, sign, summary

DISCOUNT = 0.9995  # of a round after the one before it


def over(groups):
    """Of such means: for each value the mean over the keys, and its standard error."""
    return [summary(column) for column in zip(*(values for _, values in groups.values()))]


def discounted(values):
    """The sum of the values, each counting less than the one before it; nan counts as 0."""
    weights = accumulate(repeat(DISCOUNT, max(len(values) - 1, 0)), mul, initial=1.0)
    return fsum(0 if isnan(worth) else worth for worth in map(mul, values, weights))


class Result:
    """A learner's rows of the table: fold, seed, and for each measure the mean that was shown in the first rounds and
    the one that was held out, with their errors, the error over seeds, and what was shown in these rounds,
    discounted; and the alternative chosen. The last row is the mean.
    """

    def __init__(self, learner, runs):
        self.learner = learner
        self.jobs = [job for job in runs.all if job.learner == learner and job.fold != "all"]
        self.records = [[*read_table(runs.file("rows", job))][1:] for job in self.jobs]
        self.chosen = [record.pop(0)[0][2:] for record in self.records]
        self.measures = self.records[0][0][1:]
        self.shown_by = [runs.read_shown(job)[1] for job in self.jobs]
        self.rounds = [len(values[0]) for values in self.shown_by]
        self.queries = means(row for record in self.records for row in record[1:])
        self.curve = mean_curve([[*read_table(runs.file("curves", job))] for job in self.jobs])

    def settle(self, first):
        """Makes the rows, where as many rounds are compared."""
        jobs, none = self.jobs, [nan] * len(self.measures)
        held = [over(means(record[1:])) for record in self.records]
        shown = [[running(values, [first])[0] for values in run] for run in self.shown_by]
        worth = [[discounted(values[:first]) for values in run] for run in self.shown_by]
        self.rows = [(job.fold, job.seed, list(zip(mean, none)), judged, none, list(zip(sums, none)), chosen)
                     for job, mean, judged, sums, chosen in zip(jobs, shown, held, worth, self.chosen)]

        def by_seed(rows):
            return over(means([job.seed, *values] for job, values in zip(jobs, rows)))
        self.shown, self.worth, self.held = by_seed(shown), by_seed(worth), over(self.queries)
        self.seeds = [error for _, error in by_seed([[mean for mean, _ in judged] for judged in held])]
        fold = "-" if jobs[0].fold == "-" else "mean"
        self.rows.append((fold, "mean", self.shown, self.held, self.seeds, self.worth, "-"))

    def table(self):
        for fold, seed, shown, held, seeds, worth, chosen in self.rows:
            pairs = [pair for measure in zip(shown, held) for pair in measure]
            yield [self.learner.name, self.learner.seen, fold, seed,
                   *(f"{mean:.7g}\t{error:.4g}" for mean, error in pairs),
                   *(f"{error:.4g}" for error in seeds),
                   *(f"{mean:.7g}\t{error:.4g}" for mean, error in worth), chosen]


def mean_curve(curves):
    """The table of a learner's curves: for each column its mean over the runs, and the standard error over them. Runs
    with other numbers of rounds have their points at the same shares of these, and the mean of the rounds is there.
    """
    heads, points = curves[0][0][1:], min(map(len, curves)) - 1
    table = [["t", *(name for head in heads for name in (head, f"{head}:se"))]]
    for i in range(1, points + 1):
        rows = [curve[i * (len(curve) - 1) // points] for curve in curves]
        pairs = [summary(list(map(float, cells))) for cells in zip(*rows)]
        table.append([f"{pairs[0][0]:.0f}", *(f"{value:.7g}" for pair in pairs[1:] for value in pair)])
    return table


def results_of(learners, runs):
    results = [Result(learner, runs) for learner in learners]
    first = min(rounds for result in results for rounds in result.rounds)
    for result in results:
        result.settle(first)
    return results, first


def put(runs, name, rows=()):
    """Gives a file its place in the folder, and says what was there."""
    place, new, said = runs.at(name), runs.at(".work", name), "wrote {}"
    if rows:
        write_table(new, rows)
    if os.path.exists(place):
        said = "{} is unchanged" if filecmp.cmp(place, new, shallow=False) else "replaced {}"
    os.replace(new, place)
    say(said.format(place))


def write_results(command, results, runs):
    measures = results[0].measures
    kinds = [f"{kind}:{measure}" for measure in measures for kind in ("shown", "held-out")]
    heads = ["learner", "labels", "fold", "seed", *(f"{kind}\t{kind}:se" for kind in kinds),
             *(f"held-out:{measure}:seeds" for measure in measures),
             *(f"discounted:{measure}\tdiscounted:{measure}:se" for measure in measures), "chosen"]
    put(runs, "table.tsv", [heads, *(line for result in results for line in result.table())])
    if command.latex:
        put(runs, "table.tex", latex(people(results)))
    os.makedirs(runs.at("queries"), exist_ok=True)
    for result in results:
        new, name = runs.at(".work", "new"), f"{result.learner.file}.tsv"
        rows = [[str(t), *row] for t, row in enumerate(lines(result.queries), 1)]
        for kind, table in [("queries", [["t", "qid", *measures], *rows]), ("curves", result.curve)]:
            write_table(new, table)
            os.replace(new, runs.at(kind, name))


def draw(results, runs, picture, plot):
    """Draws the curves with their bands, and what was held out at the end, as points. plot runs in .work, so that it
    has no path to misread.
    """
    if not shutil.which("gnuplot"):
        say("no picture: gnuplot is missing (Debian package: gnuplot-nox)")
        return True
    names, tables, held = [], [], f"held-out:{results[0].measures[0]}"
    for result in results:
        names += ["-n", f"{result.learner.name} ({result.learner.seen})"]
        tables.append(f"{result.learner.file}.drawn")
        head, *rows = result.curve
        if held not in head:  # a point alone
            head, rows = [*head, held], [[*row, "nan"] for row in rows]
            rows[-1][-1] = f"{result.held[0][0]:.7g}"
        write_table(runs.at(".work", tables[-1]), [head, *rows])
    words = [plot, "-o", picture, *names, *tables, results[0].measures[0]]
    if subprocess.run(words, cwd=runs.at(".work"), check=False).returncode:
        return False
    put(runs, picture)
    return True


def people(results):
    """The means for people: a head, and a row for each learner."""
    measures = results[0].measures
    kinds = [f"{kind} {measure}" for measure in measures for kind in ("shown", "held-out")]
    rows = [["learner", "labels", *kinds, "discounted"]]
    for result in results:
        rows.append([result.learner.name, result.learner.seen])
        for (shown, _), (held, error) in zip(result.shown, result.held):
            rows[-1] += [f"{shown:.4f}", f"{held:.4f} +- {error:.4f}".replace(" +- nan", "")]
        rows[-1].append(f"{result.worth[0][0]:.1f}")
    return rows


def latex(table):
    head, *rows = [[re.sub(r"([_%&#$])", r"\\\1", cell) for cell in row] for row in table]
    yield [f"\\begin{{tabular}}{{lr{'r' * len(head[2:])}}}\n\\hline"]
    yield [" & ".join(head) + " \\\\\n\\hline"]
    for name, seen, *cells in rows:
        cells = [f"${cell}$".replace("+-", "\\pm") for cell in cells]
        yield [" & ".join([name, seen, *cells]) + " \\\\"]
    yield ["\\hline\n\\end{tabular}"]


def print_results(results, first, runs):
    table, measure = people(results), results[0].measures[0]
    widths = [max(map(len, column)) for column in zip(*table)]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    print("\nheld-out: queries that the model did not learn from. +- is the standard error over "
          f"these {sum(not isnan(values[0]) for _, values in results[0].queries.values())}.")
    held = [error for result in results for error in result.seeds if not isnan(error)]
    shown = [error for result in results for _, error in result.shown if not isnan(error)]
    if held:
        print(f"Over seeds it is at most {max(held):.4f}; that of shown {max(shown):.4f}.")
    print(f"shown: the first {first} lists shown while the model learns; its queries come again and again.")
    print(f"discounted: the sum of their {measure}, each list at {DISCOUNT} of the one before it.")
    if any(result.learner.name.startswith("memory") for result in results):
        print("memory stores what was said about each of their documents, "
              "so there it may beat all labels.")
    for result in results:
        if result.learner.validates:
            print(f"{result.learner.name}: rounds by validation: {' '.join(map(str, result.rounds))}")
        if len(result.learner.points) > 1:
            print(f"{result.learner.name}: chosen: {', '.join(result.chosen)}")
    print("\nDifferences from the best, query by query (see compare(1)):", flush=True)
    known = [result for result in results if not isnan(result.held[0][0])]
    best = max(known or results, key=lambda result: sign(measure) * result.held[0][0])
    files = dict.fromkeys(runs.at("queries", f"{result.learner.file}.tsv")
                          for result in [best, *results])
    if subprocess.run(["compare", "-e", *files], check=False).returncode:
        fail("no differences were computed")
    print(f"\nThe best held out: {best.learner.name}, {measure} {best.held[0][0]:.4f}")
