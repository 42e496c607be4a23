"""Finite laws in exact fractions: what the examples of the papers are computed with."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from crowdproof.proofs.binomial import mass

Law = Mapping[Any, Fraction]


def law(outcomes: Iterable[tuple[Hashable, Fraction]]) -> dict[Hashable, Fraction]:
    """Add up the probabilities of equal outputs."""
    total: dict[Hashable, Fraction] = {}
    for output, probability in outcomes:
        total[output] = total.get(output, Fraction(0)) + probability
    return total


def delta(one: Law, two: Law, x: Fraction) -> Fraction:
    """The smallest delta with Pr_one[O] <= x Pr_two[O] + delta for every event O.

    >>> delta({"a": Fraction(1)}, {"a": Fraction(1, 2), "b": Fraction(1, 2)}, Fraction(1))
    Fraction(1, 2)
    """
    gains = (p - x * two.get(output, Fraction(0)) for output, p in one.items())
    return sum((gain for gain in gains if gain > 0), Fraction(0))


def both_ways(one: Law, two: Law, x: Fraction) -> Fraction:
    """The larger delta of the two directions."""
    return max(delta(one, two, x), delta(two, one, x))


def sampled(
    others: int, beta: Fraction, output: Callable[[int, int], Hashable], target: bool
) -> dict[Hashable, Fraction]:
    """The law of output(m, b) when m of the other rows are sampled, and b = 1 if the target is there and sampled."""
    present = ((0, 1 - beta), (1, beta)) if target else ((0, Fraction(1)),)
    return law((output(m, b), mass(m, others, beta) * weight) for m in range(others + 1) for b, weight in present)


def guess(joint: Mapping[tuple[Hashable, Hashable], Fraction]) -> Fraction:
    """How often the second component is guessed right from the first, at best."""
    best: dict[Hashable, Fraction] = {}
    for (seen, _), probability in joint.items():
        best[seen] = max(best.get(seen, Fraction(0)), probability)
    return sum(best.values(), Fraction(0))
