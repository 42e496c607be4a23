"""How an answer becomes an output: by a random choice that does not look at the data.

What is made of an answer by such a choice keeps every claim that the law of the answer satisfies (post-processing), and
where the answer can be read off the output, it keeps the claim's edge too.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import frozen

from crowdproof.audit.calibration.makers import MAKERS, Refused

RARE = (995, 5)
"""Weights of the usual kind of output and of one that comes in 0.5% of the runs: a guess, so rare that a few hundred
runs may not show it."""


@frozen
class Dressing:
    """Makes an output of an answer: it chooses one of its makers, by chance with these weights or by the answer."""

    name: str
    makers: tuple[str, ...]
    weights: tuple[int, ...] = (1,)
    marks: int = 4
    """The mark is uniform among so many."""
    by_answer: bool = False
    """The answer decides which maker is taken: answer modulo their number."""

    def make(self, answer: int, rng: np.random.Generator) -> Any:
        """The output for this answer; raises where there is no release."""
        drawn = int(rng.integers(sum(self.weights) * self.marks))
        return self.output(answer, self._place(answer, drawn // self.marks), drawn % self.marks)

    def output(self, answer: int, place: int, mark: int) -> Any:
        """What the maker in this place makes."""
        return MAKERS[self.makers[place]](answer, mark)

    def _place(self, answer: int, drawn: int) -> int:
        if self.by_answer:
            return answer % len(self.makers)
        place = 0
        while drawn >= self.weights[place]:
            drawn -= self.weights[place]
            place += 1
        return place

    def law(self, answer: int) -> Iterator[tuple[Fraction, Any]]:
        """All outputs for this answer with their exact probabilities; None where there is no release."""
        chances = [int(place == answer % len(self.makers)) for place in range(len(self.makers))]
        weights = tuple(chances) if self.by_answer else self.weights
        for place, weight in enumerate(weights):
            for mark in range(self.marks if weight else 0):
                yield Fraction(weight, sum(weights) * self.marks), self._released(answer, place, mark)

    def _released(self, answer: int, place: int, mark: int) -> Any:
        try:
            return self.output(answer, place, mark)
        except Refused:
            return None


def _one_kind(names: Sequence[str]) -> tuple[Dressing, ...]:
    """One dressing for each maker that is available: where pandas is not installed, its makers are missing."""
    return tuple(Dressing(name, (name,)) for name in names if name in MAKERS)


def _mixed(name: str, *makers: str, **weights: tuple[int, ...]) -> tuple[Dressing, ...]:
    """Dressings that mix these makers: one for each choice of weights, and one in which the answer chooses."""
    kinds = [Dressing(f"{name}, {how}", makers, each) for how, each in weights.items()]
    return (*kinds, Dressing(f"{name}, by the answer", makers, by_answer=True))


ONE_KIND = _one_kind(
    (
        *(
            "int",
            "float",
            "bool",
            "text",
            "bytes",
            "tuple",
            "list",
            "array",
            "set",
            "frozen set",
            "dict",
            "ordered dict",
        ),
        *("polars", "pandas", "decimal", "fraction", "date", "moment", "beyond 2^53", "beyond the floats", "odd text"),
        *("lone surrogate", "own text", "own int", "numpy int8", "numpy uint64", "numpy float32", "numpy bool"),
        *("no dimensions", "tuple of any length", "array of any shape", "array of text", "ragged", "nested"),
        *(
            "table with nulls",
            "table of any length",
            "columns in any order",
            "empty table",
            "correlated columns",
            "ties",
        ),
        *("cells of several types", "dataclass", "attrs", "named tuple", "signed zero"),
    )
)
_OF_TEXT = ("text", "own text", "digits", "numpy text", "empty text")
_OF_NUMBERS = ("numpy int8", "int", "numpy float32", "float", "numpy uint64")
_OF_ALL = ("int", "text", "tuple", "dict", "polars", "none", "nan", "set")
MIXED = (
    *_mixed("number or text", "float", "refused", rare=RARE, common=(3, 1)),
    *_mixed("number or none", "float", "none", rare=RARE, common=(3, 1)),
    *_mixed("number or exception", "float", "refusal", rare=RARE, common=(3, 1)),
    *_mixed("number or nan", "float", "nan", rare=RARE, common=(3, 1)),
    *_mixed("number or infinite", "float", "infinite", rare=RARE),
    *_mixed("number or zero", "int", "signed zero", rare=RARE),
    *_mixed("bools among text", "text", "bool", rare=RARE, common=(1, 1)),
    *_mixed("bools among numbers", "int", "bool", rare=RARE, common=(1, 1)),
    *_mixed("ints among floats", "float", "int", rare=RARE, common=(1, 1)),
    *_mixed("huge among numbers", "float", "beyond the floats", rare=RARE, common=(1, 1)),
    *_mixed("numbers of many types", *_OF_NUMBERS, each=(1,) * 5),
    *_mixed("text of many types", *_OF_TEXT, each=(1,) * 5),
    *_mixed("digits or numbers", "digits", "own int", rare=RARE, common=(1, 1)),
    *_mixed("said or not", "no release", "refusal", "text", each=(1, 1, 8)),
    *_mixed("no dimensions or some", "no dimensions", "array", "float", each=(1,) * 3),
    *_mixed("table or refusal", "polars", "refusal", rare=RARE),
    *_mixed("table or text", "polars", "refused", rare=RARE),
    *_mixed("vector or none", "array", "none", rare=RARE),
    *_mixed("tuple or text", "tuple", "refused", rare=RARE),
    *_mixed("everything", *_OF_ALL, each=(1,) * 8),
)
RARE_CATEGORIES = Dressing("rare categories", ("text", "odd text", "digits"), (980, 15, 5), marks=40)
"""Many texts, some of them rare. The weights are a guess: rarer texts would not come in the runs of an audit, and
commoner ones would be learned like any other."""
DRESSINGS = (*ONE_KIND, *MIXED, RARE_CATEGORIES)
"""All of them; the names are unique."""


def dressing_named(name: str) -> Dressing:
    """The dressing of this name."""
    return next(each for each in DRESSINGS if each.name == name)
