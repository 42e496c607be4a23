"""Theorem 6 under test: how much an eps1-safe first step can leak when it sees the sample it is applied to.

The family: two recodings A and B send every row to one cell, under different names. D is the target and n - 1 other
rows. On a sample with m others and with (b = 1) or without (b = 0) the target, the first step picks A with probability
p(m, b); it is eps1-DP, so p and 1 - p change by a factor of at most e^eps1 from a sample to its neighbours. Counts
below k are dropped. `worst_first_step` finds, by exact linear programming, the p with the largest delta.

>>> worst = worst_first_step(n=4, k=3, beta="1/4", x1=4, x=12)
>>> print(worst.delta, worst.claimed, worst.exceeds)
119/5120 1/64 True
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import floor

from attrs import evolve, frozen

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, rate, rational, show, whole
from crowdproof.proofs.binomial import mass
from crowdproof.proofs.bounds.theorem5 import theorem5
from crowdproof.proofs.engines.lp import Row, maximize

EXHAUSTIVE = 64
"""Up to so many candidate events all are tried; beyond, the events are improved step by step."""

Choice = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]
"""p(m, 0) and p(m, 1) for m = 0, 1, ..., n - 1."""
Event = frozenset[tuple[str, int]]
"""Outputs: a recoding and a count."""


@frozen
class Case:
    """The parameters: x1 = e^eps1 and x = e^eps."""

    n: int
    k: int
    beta: Fraction
    x1: Fraction
    x: Fraction

    @classmethod
    def of(cls, n: Number, k: Number, beta: Number, x1: Number, x: Number) -> "Case":
        """Read and check the parameters."""
        made = cls(whole(n, "n"), whole(k, "k"), rate(beta), rational(x1, "x1"), rational(x, "x"))
        if made.x1 < 1:
            raise ParameterError(f"x1 is {show(made.x1)}: it is e^eps1, so give at least 1.")
        if made.x * (1 - made.beta) < made.x1:
            raise ParameterError(
                f"x is {show(made.x)}: Theorem 6 speaks of e^eps >= e^eps1/(1 - beta), "
                f"here {show(made.x1 / (1 - made.beta))}; raise x."
            )
        return made

    def others(self, m: int) -> Fraction:
        """The probability that m of the n - 1 other rows are sampled."""
        return mass(m, self.n - 1, self.beta)

    def gain(self, j: int) -> dict[tuple[int, int], Fraction]:
        """Pr[D gives (A, j)] - x Pr[D' gives (A, j)] for a count j >= k, as a linear form in p."""
        form = {(j - 1, 1): self.beta * self.others(j - 1)}
        if j < self.n:
            form[j, 0] = (1 - self.beta - self.x) * self.others(j)
        return form


@frozen
class Worst:
    """A first step with its delta, next to the delta that Theorem 6 prints."""

    case: Case
    delta: Fraction
    choice: Choice
    event: Event
    optimal: bool
    """Whether no first step of the family does worse; else only that this one is found."""
    claimed: Fraction
    """d(k, beta, eps - eps1)."""

    @property
    def exceeds(self) -> bool:
        """Whether this is a counterexample to Theorem 6."""
        return self.delta > self.claimed


@cache
def claimed(case: Case) -> Fraction:
    """Theorem 6's delta, d(k, beta, eps - eps1): certified to be attained at some n, and exact there."""
    ratio = case.x / case.x1
    n = theorem5(case.k, case.beta, Epsilon(ratio, logarithm=True)).n
    first = floor((ratio - 1 + case.beta) / ratio * n) + 1
    return sum((mass(j, n, case.beta) for j in range(first, n + 1)), Fraction(0))


def worst_first_step(n: Number, k: Number, beta: Number, x1: Number, x: Number) -> Worst:
    """The largest delta over all eps1-safe first steps of the family, with a first step that attains it."""
    case = Case.of(n, k, beta, x1, x)
    if case.n < case.k:
        raise ParameterError(f"n is {case.n} and k {case.k}: with fewer than k rows nothing is released; raise n.")
    matrix, bound = _safe(case)
    gaining = [j for j in range(case.k, case.n) if _may_gain(case, j)]
    exhaustive = 4 ** len(gaining) <= EXHAUSTIVE
    events = _every_event(case, gaining) if exhaustive else _starts(case, gaining)
    found = [_best_choice(case, event, matrix, bound) for event in events]
    best = max(found if exhaustive else [_ascend(case, each, matrix, bound) for each in found], key=lambda w: w.delta)
    return evolve(best, optimal=exhaustive)


def _may_gain(case: Case, j: int) -> bool:
    """Whether Pr[D gives (A, j)] can exceed x Pr[D' gives (A, j)]: 'in with j - 1' is two edits from 'out with j'."""
    return (1 - case.beta) * (case.n - j + j * case.x1**2) > case.x * (case.n - j)


def _every_event(case: Case, gaining: list[int]) -> list[Event]:
    """Every event that can be the best, up to exchanging A and B.

    The count n is always in it, since D' never shows it; 'dropped' never is, since it gains at most a factor
    1 + beta (x1 - 1), which is below x (obligation thm6-same-sample/dropped).
    """
    subsets = [
        tuple(j for j, taken in zip(gaining, flags, strict=True) if taken)
        for flags in product((0, 1), repeat=len(gaining))
    ]
    return [_event(case, a, b) for a, b in combinations_with_replacement(subsets, 2)]


def _starts(case: Case, gaining: list[int]) -> list[Event]:
    """Where the ascent starts: A with every count, with the even ones or with the odd ones that can gain."""
    chosen = (gaining, [j for j in gaining if j % 2 == 0], [j for j in gaining if j % 2])
    return [_event(case, each, ()) for each in chosen]


def _event(case: Case, a: Iterable[int], b: Iterable[int]) -> Event:
    return frozenset([*(("A", j) for j in (*a, case.n)), *(("B", j) for j in (*b, case.n))])


def _ascend(case: Case, start: Worst, matrix: list[Row], bound: Row) -> Worst:
    """Alternate between the best event for a first step and the best first step for an event."""
    best = start
    while True:
        better = _best_choice(case, best_event(case, best.choice), matrix, bound)
        if better.delta <= best.delta:
            return best
        best = better


def _best_choice(case: Case, event: Event, matrix: list[Row], bound: Row) -> Worst:
    """The first step that makes the event gain most: B's part is linear in 1 - p, so its constant can be left out."""
    objective = [Fraction(0)] * (2 * case.n)
    for name, j in event:
        for (m, b), weight in case.gain(j).items():
            objective[b * case.n + m] += weight if name == "A" else -weight
    optimum = maximize(objective, matrix, bound)
    choice = (optimum.point[: case.n], optimum.point[case.n :])
    return Worst(case, delta(case, choice), choice, best_event(case, choice), optimal=False, claimed=claimed(case))


def _safe(case: Case) -> tuple[list[Row], Row]:
    """The constraints: probabilities, and at most a factor x1 between neighbouring samples, for A and for B."""
    size = 2 * case.n
    rows: list[Row] = []
    bound: list[Fraction] = []

    def require(entries: dict[int, Fraction], limit: Fraction) -> None:
        rows.append([entries.get(i, Fraction(0)) for i in range(size)])
        bound.append(limit)

    for i in range(size):
        require({i: Fraction(1)}, Fraction(1))
    for i, j in neighbours(case.n):
        for a, b in ((i, j), (j, i)):
            require({a: Fraction(1), b: -case.x1}, Fraction(0))
            require({a: Fraction(-1), b: case.x1}, case.x1 - 1)
    return rows, bound


def neighbours(n: int) -> Iterator[tuple[int, int]]:
    """Pairs of neighbouring samples; (m, b) has the index b n + m."""
    for m in range(n):
        yield m, n + m
        if m + 1 < n:
            yield m, m + 1
            yield n + m, n + m + 1


def factor(choice: Choice) -> Fraction | None:
    """The smallest e^eps1 for which the first step is eps1-DP, or None where there is none."""
    flat = [*choice[0], *choice[1]]
    ratios: list[Fraction] = []
    for i, j in neighbours(len(choice[0])):
        for a, b in ((flat[i], flat[j]), (1 - flat[i], 1 - flat[j])):
            if (a == 0) != (b == 0):
                return None
            ratios += [a / b, b / a] if a else []
    return max(ratios, default=Fraction(1))


def outcome_gains(case: Case, choice: Choice) -> dict[tuple[str, int], Fraction]:
    """Pr[D gives o] - x Pr[D' gives o] for every output o; count 0 stands for 'dropped'."""
    gains: dict[tuple[str, int], Fraction] = {}
    for name, (p0, p1) in zip("AB", (choice, _other(choice)), strict=True):
        weights = [case.gain(j) for j in range(case.n + 1)]
        values = [
            sum((weight * (p1 if b else p0)[m] for (m, b), weight in each.items() if m >= 0), Fraction(0))
            for each in weights
        ]
        gains[name, 0] = sum(values[: case.k], Fraction(0))
        gains |= {(name, j): values[j] for j in range(case.k, case.n + 1)}
    return gains


def _other(choice: Choice) -> Choice:
    return tuple(1 - p for p in choice[0]), tuple(1 - p for p in choice[1])


def best_event(case: Case, choice: Choice) -> Event:
    """The event that D makes likeliest beyond e^eps times D'."""
    return frozenset(each for each, gain in outcome_gains(case, choice).items() if gain > 0)


def delta(case: Case, choice: Choice) -> Fraction:
    """The exact delta of this first step on D against D'."""
    return sum((gain for gain in outcome_gains(case, choice).values() if gain > 0), Fraction(0))


def find_counterexamples(
    k: Number, beta: Number, x1: Number, ratios: tuple[Number, ...], extra: int = 2
) -> list[Worst]:
    """The cases with e^(eps - eps1) among `ratios` and n up to k + extra in which Theorem 6's delta is exceeded."""
    first, count = rational(x1, "x1"), whole(k, "k")
    found = [
        worst_first_step(n, count, beta, first, first * rational(ratio, "ratio"))
        for ratio in ratios
        for n in range(count, count + extra + 1)
    ]
    return [each for each in found if each.exceeds]
