"""A test by betting, told to people: what it was, how it went, what it shows."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from crowdproof.audit.compare.betting import Direction, Ended, Refutation, SequentialResult
from crowdproof.audit.data.as_json import data_to_json
from crowdproof.audit.request import Pair
from crowdproof.errors import TargetError
from crowdproof.exact import show
from crowdproof.findings import Chart, Evidence, Note, PairWitness, Series, Table

COINS = (
    "A fair coin that the target cannot see decided on which dataset each run was, so neither state nor load nor time "
    "favours one of them. What is assumed is that the claim holds for each run, given the runs before it."
)
THE_MOST = "Most of what the bets won is against the point"
DECLARED = (
    "The runs were made dataset by dataset. That they do not depend on one another is an assumption: the target "
    "declares it, and no drift was seen."
)


def out_of_order(result: SequentialResult) -> str | None:
    """That the target gave no releases, or stopped giving any in the course of the test; None where it did not.

    What such runs do not show, nobody has looked for.
    """
    if result.silent:
        return (
            f"In {result.refused:,} of {result.trials:,} runs there was no release, so hardly anything was examined: "
            "let the target answer all runs of the audit."
        )
    if result.stopped:
        return (
            f"The last {result.stopped:,} of {result.trials:,} runs all came out alike, though earlier ones did not, "
            "so the target seems to have been out of order by then: check it, and audit it again."
        )
    return None


def require_answers(result: SequentialResult) -> None:
    """Raise what kept the target from answering to the end: an interrupt, a failure, or that it was out of order."""
    if result.ended is Ended.INTERRUPTED:
        raise KeyboardInterrupt
    reason = result.failure if result.ended is Ended.FAILED else out_of_order(result)
    if reason is not None:
        raise TargetError(reason)


def witness(refutation: Refutation, pairs: Sequence[Pair]) -> PairWitness:
    """The witness of a refutation; its left dataset is the one on which the event is too likely."""
    pair = pairs[refutation.pair]
    sides = (pair.left, refutation.p_left), (pair.right, refutation.p_right)
    (heavy, p), (light, q) = sides if refutation.direction is Direction.LEFT else sides[::-1]
    return PairWitness(
        left=data_to_json(heavy),
        right=data_to_json(light),
        event=refutation.event,
        p_left=p,
        p_right=q,
        excess=refutation.excess,
        point=refutation.point,
    )


def evidence(
    result: SequentialResult, pairs: Sequence[Pair], error: Fraction, *, of_many: bool
) -> tuple[Evidence, ...]:
    """How the test went, pair by pair, and what it bounds; `of_many` tells whether the claim has several points."""
    found: list[Evidence] = [_how(result, error)]
    if result.refuted is not None:
        found.append(Note("Pair", pairs[result.refuted.pair].origin))
    if of_many:
        found.append(_point(result))
    found += _bounds(result, error, of_many=of_many)
    if result.refused:
        text = f"In {result.refused:,} runs there was no release, which counts as an output of its own."
        found.append(Note("Runs without a release", text))
    found.append(_runs(result, pairs))
    if len(result.trace) > 1:
        found.append(_course(result, error))
    return tuple(found)


def _point(result: SequentialResult) -> Note:
    """Which point of the claim the bets won most against, and whether it is refuted by itself."""
    text = (
        f"The wealth was split in equal parts among points of the claimed curve before the first run. {THE_MOST} "
        f"{result.point.words}."
    )
    if result.refuted is not None:
        alone = "That part alone refutes the claim." if result.refuted.alone else "All parts together refute the claim."
        text = f"{text} {alone}"
    return Note("Points of the curve", text)


def _bounds(result: SequentialResult, error: Fraction, *, of_many: bool) -> Iterator[Evidence]:
    """The lower bounds that say something: where a claim is refuted, above the epsilon and the delta of its point.

    Everything is above 0. The bounds are tests of their own and may end below a claim that is refuted: beside it they
    would seem to contradict the verdict, which says more.
    """
    refuted, point = result.refuted is not None, result.point
    epsilon, delta = (float(point.epsilon), float(point.delta)) if refuted else (0.0, 0.0)
    at_delta = f"delta = {show(point.delta)}" if of_many else "the claimed delta"
    at_epsilon = f"epsilon = {point.epsilon}" if of_many else "the claimed epsilon"
    shown = [
        words
        for value, least, words in (
            (result.epsilon_low, epsilon, f"epsilon is above {result.epsilon_low:.4g} at {at_delta}"),
            (result.delta_low, delta, f"delta is above {result.delta_low:.4g} at {at_epsilon}"),
        )
        if value > least
    ]
    if shown:
        wrong = f"{'each' if len(shown) > 1 else 'that'} would be wrong with probability at most {show(error)}"
        yield Note("Lower bounds", f"{', and '.join(shown)}; {wrong}.")
    rows = tuple((f"{each.epsilon:.4g}", f"{each.delta:.4g}") for each in result.profile if each.delta > 0)
    if rows and result.delta_low >= delta:
        title = f"Lower bound of delta: each line by itself, not all together, with an error of {show(error)}"
        yield Table(title, ("epsilon", "delta is above"), rows)


def _course(result: SequentialResult, error: Fraction) -> Chart:
    runs, logs = (tuple(map(float, each)) for each in zip(*result.trace, strict=True))
    needed = math.log(error.denominator) - math.log(error.numerator)
    lines = Series("evidence", runs, logs), Series("refutes from here on", runs, (needed,) * len(runs))
    return Chart("Evidence against the claim", "runs", "log e-value", lines, log_x=True)


def _share(log_e: float, error: Fraction) -> float:
    """How much of the evidence that refutes there is, at most all of it; money that was lost on bets is none."""
    return min(1.0, max(0.0, log_e / (math.log(error.denominator) - math.log(error.numerator))))


def _how(result: SequentialResult, error: Fraction) -> Note:
    return Note(
        "Test by betting",
        f"{result.trials:,} runs gave {_share(result.log_e, error):.0%} of the evidence that a refutation needs (an "
        f"e-value of {float(1 / error):,.0f}), which holds at any time and whatever pairs and events were looked at. "
        f"Bets are learned from earlier runs only. {COINS if result.coins else DECLARED} It ended because "
        f"{result.ended.value}.",
    )


def _runs(result: SequentialResult, pairs: Sequence[Pair]) -> Table:
    rows = tuple((pair.origin, f"{runs:,}") for pair, runs in zip(pairs, result.pair_trials, strict=False))
    return Table("Pairs tested", ("pair", "runs on each side"), rows)
