"""How often is a leak found that is just as large as a finding says would have been found?

A NOT_REFUTED finding names the smallest leak that the audit would have seen. Here such leaks are planted, of exactly
that size, in outputs of several kinds, and the share of audits that find them is printed: nine in ten or more.
"""

import datetime
import math
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import frozen

from crowdproof.audit.compare.betting import sequential_audit
from crowdproof.audit.compare.betting.summary import REACH, needed_nats, smallest_epsilon
from crowdproof.audit.request import Budget, Pair
from crowdproof.audit.runners.inline import Inline
from crowdproof.claims import Neighbours, Point

ERROR = Fraction(1, 10**6)
MASS = 0.1
"""The event's probability, on average over the two datasets."""


@frozen
class Planted:
    """An event of probability `high` on dataset 1 and `low` on all others, shown in an output of some kind."""

    kind: str
    high: float
    low: float

    def batch(self, data: int, rng: np.random.Generator, size: int) -> Any:
        """Outputs; the event is never at the edge of what can be seen, but somewhere in the middle."""
        inside = rng.random(size) < (self.high if data == 1 else self.low)
        return _KINDS[self.kind](inside, rng)

    def __call__(self, data: int, rng: np.random.Generator) -> Any:
        """One run."""
        return self.batch(data, rng, 1)[0]


def _column(inside: Any, rng: np.random.Generator) -> Any:
    """A number between 0 and 1; the event is that it is between 0.4 and 0.5."""
    rest = rng.random(len(inside)) * 0.9
    return np.where(inside, 0.4 + 0.1 * rng.random(len(inside)), np.where(rest < 0.4, rest, rest + 0.1))


def _three(inside: Any, rng: np.random.Generator) -> Any:
    return np.stack([rng.random(len(inside)), _column(inside, rng), rng.random(len(inside))], axis=1)


def _ten(inside: Any, rng: np.random.Generator) -> Any:
    columns = rng.random((len(inside), 10))
    columns[:, 6] = _column(inside, rng)
    return columns


def _tail(inside: Any, rng: np.random.Generator) -> Any:
    return np.where(inside, 0.9 + 0.1 * rng.random(len(inside)), 0.9 * rng.random(len(inside)))


def _categories(inside: Any, rng: np.random.Generator, many: int = 40) -> Any:
    """Whole numbers; the event is a tenth of them, spread out."""
    places = np.arange(many)
    marked = places % 10 == 3
    return np.where(inside, rng.choice(places[marked], len(inside)), rng.choice(places[~marked], len(inside))).astype(
        float
    )


def _words(inside: Any, rng: np.random.Generator) -> Any:
    return [f"category {int(each)}" for each in _categories(inside, rng)]


def _texts(inside: Any, rng: np.random.Generator) -> Any:
    """Sentences that never repeat, with a word in them that tells."""
    return [f"{'alpha' if each else 'beta'} {rng.integers(10**9)} {rng.integers(10**9)}" for each in inside]


def _records(inside: Any, rng: np.random.Generator) -> Any:
    return [{"age": float(number), "town": f"town {rng.integers(9)}"} for number in _column(inside, rng)]


def _refusals(inside: Any, rng: np.random.Generator) -> Any:
    return [None if each else float(rng.normal()) for each in inside]


def _dates(inside: Any, rng: np.random.Generator) -> Any:
    start = datetime.date(2000, 1, 1)
    return [start + datetime.timedelta(days=int(each)) for each in 10_000 * _column(inside, rng)]


def _decimals(inside: Any, rng: np.random.Generator) -> Any:
    return [Decimal(f"{each:.9f}") for each in _column(inside, rng)]


def _nested(inside: Any, rng: np.random.Generator) -> Any:
    return [{"sums": [float(rng.random()), {"age": float(each)}]} for each in _column(inside, rng)]


def _last_digits(inside: Any, rng: np.random.Generator) -> Any:
    """Whole numbers; the event is that the last digit is 3."""
    others = np.array([0, 1, 2, 4, 5, 6, 7, 8, 9])
    return 10 * rng.integers(10**6, size=len(inside)) + np.where(inside, 3, rng.choice(others, len(inside)))


def _first_letters(inside: Any, rng: np.random.Generator) -> Any:
    """Hexadecimal digits; the event is that the first is an a."""
    return [f"{'a' if each else rng.choice(list('0123456789bcdef'))}{rng.bytes(8).hex()}" for each in inside]


def _lengths(inside: Any, rng: np.random.Generator) -> Any:
    """Letters that never repeat; the event is that there are 17."""
    lengths = np.where(inside, 17, rng.choice([14, 15, 16, 18, 19, 20], len(inside)))
    return [rng.bytes(10).hex()[:length] for length in lengths.tolist()]


_KINDS = {
    "one number, tail": _tail,
    "one number, middle": _column,
    "40 numbers": _categories,
    "numbers and refusals": _refusals,
    "three columns": _three,
    "ten columns": _ten,
    "40 words": _words,
    "texts": _texts,
    "records": _records,
    "dates": _dates,
    "decimals": _decimals,
    "nested numbers": _nested,
    "last digits": _last_digits,
    "first letters": _first_letters,
    "lengths of texts": _lengths,
}


def found(kind: str, *, runs: int, epsilon: float, audits: int) -> float:
    """The share of audits that find a leak of the size that a finding would name."""
    nats = REACH * needed_nats(math.log(ERROR), pairs=1)
    smallest = smallest_epsilon(runs // 2, nats, math.exp(epsilon), 0.0, MASS)
    low = 2 * MASS / (1 + math.exp(smallest))
    planted = Planted(kind, high=2 * MASS - low, low=low)
    hits = 0
    for seed in range(audits):
        result = sequential_audit(
            [Pair(0, 1, Neighbours.REPLACE, "0 against 1")],
            planted,
            [Point(str(epsilon))],
            error=ERROR,
            budget=Budget(runs=runs),
            seed=np.random.SeedSequence(seed),
            runner=Inline(),
            bounds=False,
        )
        hits += result.refuted is not None
    return hits / audits


def main(audits: int = 30) -> None:
    """Print the share for each kind of output and each size of audit."""
    print(f"{'kind':24}{'runs':>8}{'claim':>8}{'found':>8}")
    for kind in _KINDS:
        for runs, epsilon in ((5_000, 0.5), (40_000, 0.5)):
            share = found(kind, runs=runs, epsilon=epsilon, audits=audits)
            print(f"{kind:24}{runs:8}{epsilon:8}{share:8.2f}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
