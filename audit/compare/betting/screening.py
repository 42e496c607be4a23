"""Single features, the most telling first: how far from chance does each of them differ between the two sides?"""

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crowdproof.audit.compare.betting.hypotheses import Floats
from crowdproof.audit.compare.betting.steps import clarity, step_edges
from crowdproof.audit.compare.betting.sums import CLEAR, USUAL
from crowdproof.audit.releases import Feature, Numbers, Reader
from crowdproof.audit.releases.features import bit_counts
from crowdproof.audit.releases.scores import step_of

Places: TypeAlias = NDArray[np.intp]

SCREENED = 50_000
"""Outputs of each side on which single features are compared: a guess at what is worth its time."""
ALIKE = 5
"""Features whose clarity is the same when its logarithm is rounded to one part in so many count as alike, and the
reader's order decides: without it chance would order them. A fifth of a unit of the logarithm is a guess, a difference
of some 20% that chance often makes."""


def most_telling_first(reader: Reader, features: list[Feature], left: Any, right: Any) -> tuple[list[Feature], int]:
    """Features that vary, the best first, and how many of them tell the sides apart on their own: at least one."""
    left, right = left[:SCREENED], right[:SCREENED]
    bits = [each for each in features if each[0] == "bit"]
    rest = [each for each in features if each[0] != "bit"]
    columns = zip(reader.columns(left, rest), reader.columns(right, rest), strict=True)
    clear = dict(zip(rest, (_clarity(*pair) for pair in columns), strict=True))
    if bits and isinstance(reader, Numbers):
        (one, _), (two, _) = left.numbers(reader.form), right.numbers(reader.form)
        clear |= dict(zip(bits, bit_clarity(one[:, 0], two[:, 0]), strict=True))
    varied = (each for each in features if clear[each] > -math.inf)
    order = sorted(varied, key=lambda each: -round(ALIKE * math.log(max(clear[each], 0.01))))
    plain = [each for place, each in enumerate(order) if place == 0 or clear[each] > CLEAR.get(each[0], USUAL)]
    return plain + [each for each in order if each not in plain and each[0] not in CLEAR], len(plain)


def _clarity(left: Floats, right: Floats) -> float:
    """How far from chance two samples differ: over the steps of their pooled quantiles, or in being above zero."""
    edges = step_edges(np.concatenate([left, right]), fine=False)
    steps = _differ(step_of(left, edges), step_of(right, edges), len(edges) + 2)
    return max(steps, _differ((left > 0).astype(np.intp), (right > 0).astype(np.intp), 2))


def _differ(left: Places, right: Places, size: int) -> float:
    one, two = np.bincount(left, minlength=size), np.bincount(right, minlength=size)
    return clarity(one - two, one + two, 1.0)


def bit_clarity(left: Floats, right: Floats) -> list[float]:
    """How far from chance two samples differ in each bit of their numbers, the first bit first."""
    one, two = bit_counts(left), bit_counts(right)
    ones = one + two
    with np.errstate(divide="ignore", invalid="ignore"):
        square = (one - two) ** 2 * (1 / ones + 1 / (len(left) + len(right) - ones))
    varied = (ones > 0) & (ones < len(left) + len(right))
    return [float(each) for each in np.where(varied, (square - 1) / math.sqrt(2), -np.inf)]
