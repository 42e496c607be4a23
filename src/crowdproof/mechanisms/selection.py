"""Drawing from a finite law exactly: probabilities proportional to e^(epsilon score), not to their float neighbours."""

from collections.abc import Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = 64


def exact_choice(epsilon: Epsilon, scores: Sequence[Fraction | int], rng: np.random.Generator) -> int:
    """An index i, drawn with probability exactly e^(epsilon s_i) / sum over j of e^(epsilon s_j).

    A uniform number U is drawn bit by bit, 64 at a time, and the borders of the distribution function are enclosed in
    balls that shrink as bits come; the answer is given as soon as U, whatever its further bits, lies between two
    neighbouring borders. The law is exact for an ideal source of bits: no rounding of an exponential can leak.

    >>> rng = np.random.default_rng(1)
    >>> [exact_choice(Epsilon.of("ln 3"), [0, 1, 5], rng) for _ in range(8)]
    [2, 2, 2, 2, 2, 2, 2, 2]
    """
    if not scores:
        raise ParameterError("there is nothing to choose from: give at least one candidate.")
    uniform, bits = 0, 0
    while True:
        uniform = (uniform << _WORD) | int(rng.integers(2**_WORD - 1, dtype=np.uint64, endpoint=True))
        bits += _WORD
        index = _locate(epsilon, scores, uniform, bits)
        if index is not None:
            return index


def _locate(epsilon: Epsilon, scores: Sequence[Fraction | int], uniform: int, bits: int) -> int | None:
    """The only index that [uniform, uniform + 1] / 2^bits leaves possible, or None while there are two."""
    from flint import arb  # noqa: PLC0415  (a heavy import that only a draw needs)

    with _precision(2 * bits):
        weights = _weights(epsilon, scores)
        total = sum(weights, arb(0))
        low, high = total * arb(uniform) / arb(2) ** bits, total * arb(uniform + 1) / arb(2) ** bits
        border = arb(0)
        for index, weight in enumerate(weights[:-1]):
            border += weight
            if high < border:
                return index
            if not low > border:
                return None
        return len(weights) - 1


def _weights(epsilon: Epsilon, scores: Sequence[Fraction | int]) -> list[Any]:
    """Balls around e^(epsilon (s_i - max s)): all at most 1, so that nothing overflows."""
    from flint import arb, fmpq  # noqa: PLC0415

    unit = arb(fmpq(epsilon.value.numerator, epsilon.value.denominator))
    if epsilon.logarithm:
        unit = unit.log()
    largest = max(scores)
    gaps = [Fraction(score - largest) for score in scores]
    return [(unit * arb(fmpq(gap.numerator, gap.denominator))).exp() for gap in gaps]


@contextmanager
def _precision(bits: int) -> "Iterator[None]":
    from flint import ctx  # noqa: PLC0415

    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before
