"""Events in words: the simplest one that shows the leak, or nearly all of it.

The event of largest excess is a set of releases, which tells a reader little. Often a single trait of the release ("a
range that ends at 95") makes an event of the same excess, or of nearly the same; then that is the event that is shown.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import frozen

from crowdproof.audit.compare.exact.law import Mass, PairLaw
from crowdproof.audit.compare.exact.profile import Excess
from crowdproof.audit.releases import traits
from crowdproof.audit.releases.words import describe
from crowdproof.exact import Epsilon

_TELLING = ("range ends", "range starts", "set holds", "cell", "rows", "number", "is")
"""Kinds of traits in the order in which a reader understands them."""
_MOST = 1000
"""Releases up to which a single trait is looked for. A guess: every trait of every release is read, which takes long
beyond, and the event is then told by naming releases."""
_TRIED = 50
"""Traits whose exact excess is worked out. A guess: each takes exact sums over all releases, and those that read best
come first."""
_NAMED = 3
"""Releases that are named one by one: a guess at what a reader takes in."""
_NEARLY = Fraction(19, 20)
"""The share of the excess that a trait must keep, where the best event has too many releases to name. A guess: a lower
share would show less of the leak, a higher one would tell it by a list of releases."""

Trait = tuple[Any, ...]


@frozen(eq=False)
class Simple:
    """An event and its words."""

    excess: Excess
    words: str
    positive: bool = True
    """Whether it tells what the release has, not what it lacks."""


def simplest(law: PairLaw, best: Excess) -> Simple:
    """The event to show: one of a single trait where that loses nothing or nearly nothing, else the best one."""
    full = best.bounds().low
    least = full * _NEARLY if len(best.event) > _NAMED else full
    found: list[Simple] = []
    if len(law.masses) <= _MOST and any(each.output is not None for each in best.event):
        found = [each for each in _candidates(law, best.epsilon, float(least)) if each.excess.bounds().low >= least]
    found.sort(key=lambda each: (not each.positive, each.excess.bounds().low < full))
    return next(iter(found), Simple(best, _named(best.event)))


def _candidates(law: PairLaw, epsilon: Epsilon, least: float) -> list[Simple]:
    """Threshold events of single traits with about that excess: what the release has before what it lacks."""
    released = [mass for mass in law.masses if mass.output is not None]
    seen = [dict(traits(mass.output)) for mass in released]
    gains = np.array([float(mass.left) - epsilon.exp() * float(mass.right) for mass in released])
    cuts: list[_Cut] = []
    for trait in sorted({name for each in seen for name in each}, key=_rank):
        cuts += _cuts(trait, np.array([each.get(trait, 0.0) for each in seen]), gains)
    telling = [cut for cut in cuts if cut.gain >= least * (1 - 1e-9)]
    return [_simple(law, epsilon, released, cut) for cut in sorted(telling, key=lambda cut: not cut.above)[:_TRIED]]


@frozen(eq=False)
class _Cut:
    """The event that a trait is at least the edge, or below it."""

    trait: Trait
    edge: float
    above: bool
    inside: Any
    gain: float
    """Its excess, as a float."""


def _cuts(trait: Trait, values: Any, gains: Any) -> list[_Cut]:
    """The best threshold in either direction."""
    order = np.argsort(-values, kind="stable")
    ordered, sums = values[order], np.cumsum(gains[order])
    ends = np.flatnonzero(ordered[1:] != ordered[:-1])  # the last of each group of equal values but the smallest
    if not len(ends):
        return []
    above, below = ends[np.argmax(sums[ends])], ends[np.argmin(sums[ends])]
    return [
        _Cut(trait, _edge(ordered, above), True, values >= ordered[above], float(sums[above])),
        _Cut(trait, _edge(ordered, below), False, values < ordered[below], float(sums[-1] - sums[below])),
    ]


def _edge(ordered: Any, place: int) -> float:
    """A readable border between the values on either side: 'at least one' where one side has none of it."""
    value, next_lower = float(ordered[place]), float(ordered[place + 1])
    return 1.0 if next_lower == 0 and value >= 1 else value


def _simple(law: PairLaw, epsilon: Epsilon, released: Sequence[Mass], cut: _Cut) -> Simple:
    event = tuple(mass for mass, inside in zip(released, cut.inside, strict=True) if inside)
    p = sum((each.left for each in event), Fraction(0))
    q = sum((each.right for each in event), Fraction(0))
    words = describe(cut.trait, np.array([cut.edge]), np.array([not cut.above, cut.above, False]))
    excess = Excess(epsilon, event, p=p, q=q, unseen_p=law.unseen_left, unseen_q=law.unseen_right)
    return Simple(excess, words, positive=cut.above)


def _rank(trait: Trait) -> tuple[int, int, str]:
    place = _TELLING.index(trait[0]) if trait[0] in _TELLING else len(_TELLING)
    return place, len(str(trait)), str(trait)


def _named(event: Sequence[Mass]) -> str:
    if all(each.output is None for each in event):
        return "there is no release"
    shown = [_shown(each.output) for each in event[:_NAMED]]
    more = f" or one of {len(event) - _NAMED:,} more" if len(event) > _NAMED else ""
    return f"the release is {' or '.join(shown)}{more}"


def _shown(output: Any) -> str:
    if output is None:
        return "missing"
    if hasattr(output, "height") and hasattr(output, "rows"):
        rows = ", ".join(str(row) for row in output.unique(maintain_order=True).rows()[:3])
        return f"a table of {output.height:,} rows ({rows or 'empty'})"
    text = str(output)
    return text if len(text) <= 80 else f"{text[:77]}..."
