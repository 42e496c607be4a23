"""A recoding chosen on the very sample it is applied to leaks more than Theorem 6 says: it betrays the count."""

import time
from fractions import Fraction

from crowdproof.attacks.interface import Attack, Outcome, Severity, Story, Yardstick
from crowdproof.attacks.measure import certified, private
from crowdproof.exact import Number
from crowdproof.findings import Chart, Estimate, Exact, Reproduce, Series, Table
from crowdproof.proofs.binomial import mass
from crowdproof.proofs.theorem6 import Case, Choice, Event, Worst, worst_first_step

ATTACK = Attack(
    id="same-sample",
    title="The choice that knows too much",
    knows="Everybody else's row, the anonymizer, and the target's row; not whether the target is in the data.",
    sees="A k-anonymous table whose recoding was chosen from two by a differentially private step on the same sample.",
    infers="The recoding and the size of the group together: 'the target and j - 1 others' and 'j others' are two "
    "edits apart, so the choice tells them apart by e^(2 eps1), not by e^eps1.",
    claim="An eps1-safe k-anonymization of a sample is private with the delta that Theorem 6 prints.",
    remedy="Choose the recoding on a sample of its own (or on the full data), independent of the one it is applied to.",
    source="Li, Qardaji and Su, Theorem 6 and appendix A.3; refuted in the ledger as thm6",
    severity=Severity.PRESENCE,
)


def run(*, n: Number = 4, k: Number = 3, beta: Number = "1/4", x1: Number = 4, x: Number = 12, seed: int = 0) -> Story:
    """The worst eps1-safe first step for these parameters, found by exact linear programming, and what it leaks.

    x1 = e^eps1 and x = e^eps; the data has n rows. Success is the probability of the adversary's event when the target
    is in the data, and the baseline that when they are not.
    """
    start = time.monotonic()
    worst = worst_first_step(n, k, beta, x1, x)
    case = worst.case
    yardstick = private(case.x, worst.claimed, "what Theorem 6 prints")
    victim = _outcome("chosen on the same sample", case, worst.event, _same(case, worst.choice), yardstick=yardstick)
    twin = certified(
        _outcome("chosen on a sample of its own", case, None, _apart(case, worst.choice), yardstick=yardstick)
    )
    given = {"n": case.n, "k": case.k, "beta": str(case.beta), "x1": str(case.x1), "x": str(case.x)}
    return Story(
        ATTACK,
        victim,
        defended=twin,
        learned=(_learned(worst),),
        evidence=(_first_step(worst), _growth(case)),
        reproduce=Reproduce(seed=seed, parameters=given),
        seconds=time.monotonic() - start,
    )


Law = dict[tuple[str, int], Fraction]
"""The probability of each output: a recoding and the count it shows, 0 for 'dropped'."""


def _same(case: Case, choice: Choice) -> tuple[Law, Law]:
    """The laws of the release with and without the target, both steps on one sample."""
    inside: Law = {}
    outside: Law = {}
    for m in range(case.n):
        others = case.others(m)
        for present, weight in ((0, 1 - case.beta), (1, case.beta)):
            p, count = choice[present][m], m + present
            shown = count if count >= case.k else 0
            for name, chance in (("A", p), ("B", 1 - p)):
                inside[name, shown] = inside.get((name, shown), Fraction(0)) + others * weight * chance
                if not present:
                    outside[name, shown] = outside.get((name, shown), Fraction(0)) + others * chance
    return inside, outside


def _apart(case: Case, choice: Choice) -> tuple[Law, Law]:
    """The same with the choice made on an independent sample."""
    picks = (
        sum(
            (case.others(m) * ((1 - case.beta) * choice[0][m] + case.beta * choice[1][m]) for m in range(case.n)),
            Fraction(0),
        ),
        sum((case.others(m) * choice[0][m] for m in range(case.n)), Fraction(0)),
    )
    laws: tuple[Law, Law] = ({}, {})
    for law, p, rows in zip(laws, picks, (case.n, case.n - 1), strict=True):
        for j in range(rows + 1):
            shown = j if j >= case.k else 0
            for name, chance in (("A", p), ("B", 1 - p)):
                law[name, shown] = law.get((name, shown), Fraction(0)) + mass(j, rows, case.beta) * chance
    return laws


def _outcome(name: str, case: Case, event: Event | None, laws: tuple[Law, Law], *, yardstick: Yardstick) -> Outcome:
    """The best event's probabilities; without one given, the best for these laws."""
    inside, outside = laws
    chosen = event or {each for each in inside if inside[each] > case.x * outside.get(each, Fraction(0))}
    success = sum((inside.get(each, Fraction(0)) for each in chosen), Fraction(0))
    anyway = sum((outside.get(each, Fraction(0)) for each in chosen), Fraction(0))
    return Outcome(name, Estimate.exactly(success), Estimate.exactly(anyway), Exact(), yardstick=yardstick)


def _learned(worst: Worst) -> str:
    seen = ", ".join(f"recoding {name} with {count} rows" for name, count in sorted(worst.event))
    ratio = float(worst.delta / worst.claimed)
    return (
        f"On seeing {seen}, the adversary bets that the target is there. Theorem 6 allows an excess of "
        f"{worst.claimed} ({float(worst.claimed):.6f}); it is {worst.delta} ({float(worst.delta):.6f}), "
        f"{ratio:.3g} times that."
    )


def _first_step(worst: Worst) -> Table:
    rows = tuple((str(m), str(worst.choice[0][m]), str(worst.choice[1][m])) for m in range(worst.case.n))
    return Table("The first step: probability of recoding A", ("others in the sample", "target out", "target in"), rows)


def _growth(case: Case) -> Chart:
    """How the gap grows with eps1, at the same eps - eps1."""
    factors = tuple(Fraction(each) for each in (2, 3, 4, 6, 8))
    found = [worst_first_step(case.n, case.k, case.beta, each, each * case.x / case.x1) for each in factors]
    x = tuple(float(each) for each in factors)
    return Chart(
        "delta of the worst first step, at fixed eps - eps1",
        "e^eps1",
        "delta",
        (
            Series("actual", x, tuple(float(each.delta) for each in found)),
            Series("printed in Theorem 6", x, tuple(float(each.claimed) for each in found)),
        ),
    )
