"""Exact results for people: the witness, the profile, what was run."""

import math
from collections.abc import Sequence
from fractions import Fraction

from crowdproof.audit.compare.exact.enumerate import ExactResult
from crowdproof.audit.compare.exact.exact_words import simplest
from crowdproof.audit.compare.exact.profile import Excess, epsilon_at, excess_at
from crowdproof.audit.data.as_json import data_to_json
from crowdproof.audit.data.rows import size
from crowdproof.audit.request import Pair
from crowdproof.audit.targets.run import stored_key
from crowdproof.claims import Neighbours, Point
from crowdproof.exact import Epsilon, show
from crowdproof.findings import Chart, Estimate, Event, Evidence, Note, PairWitness, Series, Table

_GRID = ("0", "0.1", "0.25", "0.5", "1", "2", "4")
"""Epsilons at which a table tells delta, besides the claimed one: usual values."""


def witness(result: ExactResult, best: Excess, flipped: bool) -> PairWitness:
    """The pair, the event to show and its probabilities: exact where nothing was left out."""
    left, right = (result.pair.right, result.pair.left) if flipped else (result.pair.left, result.pair.right)
    shown = simplest(result.law.flipped() if flipped else result.law, best)
    excess = shown.excess
    spec = {"kind": "releases", "keys": sorted(stored_key(each.output) for each in excess.event)}
    return PairWitness(
        left=data_to_json(left),
        right=data_to_json(right),
        event=Event(shown.words, spec),
        p_left=Estimate(excess.p, excess.p + excess.unseen_p),
        p_right=Estimate(excess.q, excess.q + excess.unseen_q),
        excess=excess.bounds(),
    )


def profile(result: ExactResult, epsilon: Epsilon, curve: Sequence[Point]) -> tuple[Evidence, ...]:
    """delta as a function of epsilon on the pair, both directions, as a table and as a chart with what is claimed."""
    grid = sorted({*map(Epsilon.of, _GRID), epsilon})
    there = [excess_at(result.law, each).bounds() for each in grid]
    back = [excess_at(result.law.flipped(), each).bounds() for each in grid]
    rows = tuple((str(each), number(a), number(b)) for each, a, b in zip(grid, there, back, strict=True))
    x = tuple(float(each) for each in grid)
    names = directions(result.pair)
    lines = (
        Series(name, x, tuple(max(0.0, float(each.low)) for each in line))
        for name, line in zip(names, (there, back), strict=True)
    )
    epsilons, deltas = (float(each.epsilon) for each in curve), (float(each.delta) for each in curve)
    claimed = Series("claimed", tuple(epsilons), tuple(deltas), points=True)
    return (
        Table("delta at each epsilon on this pair", ("epsilon", *names), rows),
        Chart("Privacy profile of the pair", "epsilon", "delta", (*lines, claimed)),
    )


def directions(pair: Pair) -> tuple[str, str]:
    """Which dataset is told from which, in either direction: by the person in whom they differ."""
    if pair.relation is not Neighbours.ADD_REMOVE:
        return "one person against the other", "the other against the one"
    named = "with against without the person", "without against with the person"
    return named if size(pair.left) >= size(pair.right) else named[::-1]


def needed_epsilon(result: ExactResult, delta: Fraction) -> str:
    """Which epsilon the pair would need at that delta, in words."""
    needed = [epsilon_at(law, delta) for law in (result.law, result.law.flipped())]
    if any(each is None for each in needed):
        return f"no epsilon is enough at delta = {show(delta)}"
    x = max(each for each in needed if each is not None)
    return f"delta = {show(delta)} needs an epsilon of at least {_log(x):.6g} on this pair"


def how(result: ExactResult, beta: Fraction | None) -> Note:
    """What was run, in words."""
    if beta is None:
        text = (
            f"{result.runs:,} runs showed all that comes of the two datasets where the target is deterministic; the "
            "probabilities then have no statistical error."
        )
    else:
        text = (
            f"The sample is fixed by how many copies of each distinct row it holds, so {result.runs:,} runs cover "
            f"{_share(result)} of the samples at rate {show(beta)}, each weighed by its exact probability. "
            "Equal rows were moved together; the probabilities are for that row order."
        )
    return Note("Exact enumeration", text)


def failures(result: ExactResult) -> tuple[Note, ...]:
    """What the target said where it released nothing."""
    if not result.failures:
        return ()
    most = max(result.failures, key=lambda text: result.failures[text])
    count = sum(result.failures.values())
    text = f"On {count:,} samples there was no release, which counts as an outcome of its own. Most often: {most}"
    return (Note("Runs without a release", text),)


def number(value: Estimate) -> str:
    """A delta for a table: the fraction where it is short, and as a decimal."""
    shown = str(value)
    if value.exact and "/" not in shown and "." not in shown and len(show(value.low)) <= 24:
        return show(value.low)
    return f"{float(value.low):.6g}" if value.low > 0 else "0"


def _share(result: ExactResult) -> str:
    if result.complete:
        return "all"
    unseen = max(result.law.unseen_left, result.law.unseen_right)
    return f"all but {float(unseen):.2g}"


def _log(x: Fraction) -> float:
    return math.log(x.numerator) - math.log(x.denominator)
