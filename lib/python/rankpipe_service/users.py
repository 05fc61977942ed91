"""users: what a model has learnt of the people who click, as rankpipe-learners(7) defines it, in words."""
# SPDX-License-Identifier: ISC

import math

STRENGTHS, PLACES, BY_PLACE = 14, 10, 214  # of the column clicks: G is number 214, Q the next
GO_ON, FORETELL = 0.8, 8


def kappa_of(first, later, means_first, means_later):
    """By how much a click above multiplies the clicks of a place."""
    above, below = 2.5, 5.0
    for f, d, b, a in zip(first, later, means_first, means_later):
        if a > 0 and b > 0:
            above += d * b / (a + b)
            below += f * a / (a + b)
    return above / below


def theta_of(kappa, sums):
    """With what probability users examine each place, in proportion to the first."""
    clicked, expected, shown, first, later = sums
    if kappa > GO_ON:
        rates = [(first[0] + later[0] + 1) / (shown[0] + 2)]
        for k, (f, d, n) in enumerate(zip(first[1:], later[1:], shown[1:]), 2):
            rates.append((f + d + 5 * rates[-1] * (k - 1) / k) / (n + 5))
        found = [(rate / rates[0]) ** 0.7 for rate in rates]
    else:
        found = [(c + 5) / (m + 5) for c, m in zip(clicked, expected)]
        found = [value / found[0] for value in found]
    return [min(max(value, 0.02), 1.5) for value in found]


def facts(model):
    """kappa, theta by place, the lead, a, and of the queries kept those whose clicks are a or more; or None."""
    numbers = list(model.get("clicks", ()))
    if model.learner != "memory" or not numbers:
        return None
    likely = numbers[:STRENGTHS]
    at = [numbers[i:i + PLACES] for i in range(STRENGTHS, STRENGTHS + 9 * PLACES, PLACES)]
    clicked, expected, shown, _, _, first, later, means_first, means_later = at
    kappa = kappa_of(first, later, means_first, means_later)
    weighed = [value - (i * math.log(2) / 2) ** 2 / 2 for i, value in enumerate(likely)]
    rho = float(model.keys.get("rho", 0))
    a = max(2, 1 / rho) if rho else 2 * 2 ** (weighed.index(max(weighed)) / 2)
    sums = {}
    for owner, value in zip(model.get("owners", ()), model["sums"]):
        sums[owner] = sums.get(owner, 0) + value
    return {"kappa": kappa, "examined": theta_of(kappa, (clicked, expected, shown, first, later)),
            "lead": max(likely) - numbers[BY_PLACE] + numbers[BY_PLACE + 1], "strength": a,
            "queries": len(model.get("queries", ())), "released": sum(value >= a for value in sums.values())}


def lines(path):
    """What is known of the users by the model at the path, for a person; none where it has learnt no clicks."""
    import rankpipe
    known = facts(rankpipe.read_model(path))
    if not known:
        return []
    foretells = known["lead"] >= FORETELL
    return ["users          %s: a click above multiplies the clicks of a place by %.2f" % (
                "go on after a click" if known["kappa"] > GO_ON else "stop at a click", known["kappa"]),
            "examined       %s, by place from 1" % " ".join("%.2f" % value for value in known["examined"]),
            "clicks         %s: %.1f of %d that are needed: lists %s" % (
                "foretell clicks" if foretells else "do not foretell clicks better than places do", known["lead"],
                FORETELL, "may leave the order of a base" if foretells else "stay within one place of a base"),
            "clicked        %d of %d queries have clicks enough, %.1f, to leave the order of a base" % (
                known["released"], known["queries"], known["strength"])]
