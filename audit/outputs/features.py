"""What can be seen in an output, as named numbers: for vectors of numbers by columns, for anything else by traits."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from crowdproof.audit.outputs.keys import code, row_codes
from crowdproof.audit.outputs.traits import traits

Floats: TypeAlias = NDArray[np.float64]
Feature: TypeAlias = tuple[Any, ...]
"""What is looked at, as JSON values: ("value", 3), ("range ends", "income", "35000000"), ..."""

BITS = 52
"""Bits of the fraction of a floating-point number; its sign and exponent are seen in its value."""
STEPS = 64
"""Vectors longer than this get no features of neighbouring components."""

PLAIN = ("range ends", "range starts", "column", "cell", "rows of stars", "set holds", "holds", "word", "is", "rows")
"""Kinds of trait that explain themselves, the plainest first."""


@frozen(eq=False)
class Numbers:
    """Outputs that are numbers or vectors of numbers of one length."""

    width: int
    whole: bool = False
    """All of them whole numbers, so that there are no fractional bits to look at."""

    def matrix(self, outputs: Any) -> Floats:
        """One row for each output; an output of another kind is a row of nan."""
        array = as_numbers(outputs)
        if array is not None and array.shape[1] == self.width:
            return array
        rows = [as_numbers([each]) for each in outputs]
        lost = np.full((1, self.width), np.nan)
        return np.concatenate([lost if row is None or row.shape[1] != self.width else row for row in rows])

    def columns(self, outputs: Any, features: Sequence[Feature]) -> list[Floats]:
        """The features of all outputs, one array each."""
        matrix = self.matrix(outputs)
        return [number_feature(matrix, feature) for feature in features]

    def codes(self, outputs: Any) -> NDArray[np.uint64]:
        """A number for each output, equal for equal outputs."""
        return row_codes(self.matrix(outputs))

    def candidates(self, outputs: Any) -> list[Feature]:
        """Features worth trying on outputs such as these."""
        places = range(self.width)
        found: list[Feature] = [("value", place) for place in places]
        if 1 < self.width <= STEPS:
            found += [("step", place) for place in places[1:]]
            found += [("sum",), ("largest",), ("smallest",), ("place of the largest",)]
        if self.width > 1 and not np.isfinite(self.matrix(outputs)).all():
            found += [("missing",), ("finite",)]
        if not self.whole and self.width <= STEPS:
            found += [("grain", place) for place in places]
            found += [("bit", 0, bit) for bit in range(BITS)] if self.width == 1 else []
        return found

    def taken(self, outputs: Any, _features: Sequence[Feature]) -> Any:
        """The same outputs, where looking at these features again and again is quick: it is anyway."""
        return outputs

    def to_json(self) -> dict[str, Any]:
        """As plain values, which `reader_from_json` reads."""
        return {"kind": "numbers", "width": self.width, "whole": self.whole}


@frozen(eq=False)
class Taken:
    """Outputs together with what was seen in them once: taking the traits of a table is slow."""

    outputs: Sequence[Any]
    features: dict[Feature, int]
    matrix: Floats
    """By feature and output."""
    codes: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.outputs)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return Taken(self.outputs[place], self.features, self.matrix[:, place], self.codes[place])
        return self.outputs[place]


@frozen(eq=False)
class Records:
    """Outputs of any other kind: tables, text, sets, nested lists."""

    limit: int = field(default=512)
    """Traits kept: those that vary most."""

    def columns(self, outputs: Any, features: Sequence[Feature]) -> list[Floats]:
        """The traits of all outputs; one that an output lacks is 0."""
        if isinstance(outputs, Taken):
            return [outputs.matrix[outputs.features[feature]] for feature in features]
        place = {feature: index for index, feature in enumerate(features)}
        matrix = np.zeros((len(features), len(outputs)))
        for row, output in enumerate(outputs):
            for trait, value in traits(output):
                if trait in place:
                    matrix[place[trait], row] = value
        return list(matrix)

    def codes(self, outputs: Any) -> NDArray[np.uint64]:
        """A number for each output, equal for equal outputs."""
        if isinstance(outputs, Taken):
            return outputs.codes
        return np.fromiter((code(each) for each in outputs), np.uint64, len(outputs))

    def candidates(self, outputs: Any) -> list[Feature]:
        """The traits that are not the same in all of these outputs, those first that say most in words."""
        sums: dict[Feature, list[float]] = {}
        for output in outputs:
            for trait, value in traits(output):
                entry = sums.setdefault(trait, [0.0, 0.0, 0.0])
                entry[0] += value != 0
                entry[1] += value
                entry[2] += value * value
        size = max(len(outputs), 1)
        spread = {
            trait: max(min(seen, size - seen), float(square * size > total * total * (1 + 1e-12)))
            for trait, (seen, total, square) in sums.items()
        }
        varied = [trait for trait, value in spread.items() if value > 0]
        kept = sorted(varied, key=lambda trait: (-spread[trait], repr(trait)))[: self.limit]
        return sorted(kept, key=lambda trait: PLAIN.index(trait[0]) if trait[0] in PLAIN else len(PLAIN))

    def taken(self, outputs: Any, features: Sequence[Feature]) -> Any:
        """The same outputs, where looking at these features again and again is quick."""
        matrix = np.array(self.columns(outputs, features)).reshape(len(features), len(outputs))
        return Taken(outputs, {each: place for place, each in enumerate(features)}, matrix, self.codes(outputs))

    def to_json(self) -> dict[str, Any]:
        """As plain values, which `reader_from_json` reads."""
        return {"kind": "records"}


Reader: TypeAlias = Numbers | Records


def reader_for(outputs: Any) -> Reader:
    """The reader that fits these outputs.

    >>> reader_for([0.5, 1.5]), reader_for([[1, 2], [3, 4]]), reader_for(["a", "b"])
    (Numbers(width=1, whole=False), Numbers(width=2, whole=True), Records(limit=512))
    """
    array = as_numbers(outputs)
    if array is None or array.shape[1] == 0:
        return Records()
    finite = array[np.isfinite(array)]
    return Numbers(array.shape[1], bool((finite == np.round(finite)).all()))


def reader_from_json(record: dict[str, Any]) -> Reader:
    """The reader that `to_json` wrote."""
    return Numbers(record["width"], record["whole"]) if record["kind"] == "numbers" else Records()


def number_feature(matrix: Floats, feature: Feature) -> Floats:
    """One feature of each row of numbers."""
    kind, *places = feature
    return np.asarray(_OF_NUMBERS[kind](matrix, *places), dtype=float)


def _step(matrix: Floats, place: int) -> Floats:
    with np.errstate(invalid="ignore"):  # of two infinities
        return np.asarray(matrix[:, place] - matrix[:, place - 1])


def grain(values: Floats) -> Floats:
    """Exponent of the last set bit: 2**grain is the largest power of two that divides the number.

    Sums of a constant and floating-point noise are multiples of the constant's own spacing; the noise alone is not.

    >>> grain(np.array([0.5, 0.75, 6.0]))
    array([-1., -2.,  1.])
    """
    with np.errstate(invalid="ignore"):
        mantissa, exponent = np.frexp(values)
        whole = np.where(np.isfinite(mantissa), mantissa * 2.0**53, 0.0).astype(np.int64)
    lowest = whole & -whole
    found = np.where(lowest > 0, np.log2(np.maximum(lowest, 1).astype(float)) + exponent - 53, np.nan)
    return np.asarray(np.where(values == 0, 1024.0, found))


def _bit(values: Floats, bit: int) -> Floats:
    bits = np.ascontiguousarray(values).view(np.uint64)
    return np.asarray((bits >> np.uint64(bit)) & np.uint64(1)).astype(float)


def bit_counts(values: Floats) -> NDArray[np.int64]:
    """How many of the numbers have each bit of the fraction set."""
    bits = np.ascontiguousarray(values).view(np.uint64)
    return np.array([np.count_nonzero(bits & np.uint64(1 << bit)) for bit in range(BITS)])


_OF_NUMBERS: dict[str, Callable[..., Any]] = {
    "value": lambda matrix, place: matrix[:, place],
    "step": _step,
    "sum": lambda matrix: np.where(np.isfinite(matrix), matrix, 0.0).sum(1),
    "largest": lambda matrix: np.fmax.reduce(matrix, axis=1),
    "smallest": lambda matrix: np.fmin.reduce(matrix, axis=1),
    "place of the largest": lambda matrix: np.where(np.isnan(matrix), -np.inf, matrix).argmax(1),
    "missing": lambda matrix: np.isnan(matrix).sum(1),
    "finite": lambda matrix: np.isfinite(matrix).sum(1),
    "grain": lambda matrix, place: grain(matrix[:, place]),
    "bit": lambda matrix, place, bit: _bit(matrix[:, place], bit),
}
_SCALARS = (bool, int, float, np.bool_, np.integer, np.floating)


def as_numbers(outputs: Any) -> Floats | None:
    """Outputs as rows of numbers, or None where they are something else."""
    if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "biuf":
        return _two_axes(outputs)
    if not len(outputs):
        return None
    kinds = set(map(type, outputs))
    if all(issubclass(kind, _SCALARS) for kind in kinds):
        return _two_axes(_floats(outputs))
    if all(issubclass(kind, (list, tuple, np.ndarray)) for kind in kinds) and _same_numbers(outputs):
        return _two_axes(_floats(list(outputs)))
    return None


def _floats(outputs: Any) -> NDArray[Any]:
    try:
        return np.asarray(outputs, dtype=float)
    except OverflowError:  # a whole number beyond the floats
        return np.array([min(max(float(min(max(each, -(2**1000)), 2**1000)), -1e301), 1e301) for each in outputs])


def _two_axes(array: NDArray[Any]) -> Floats:
    return np.asarray(array, dtype=float).reshape(len(array), -1)


def _same_numbers(outputs: Iterable[Any]) -> bool:
    shapes = set()
    for each in outputs:
        if isinstance(each, np.ndarray):
            if each.dtype.kind not in "biuf" or each.ndim == 0:
                return False
            shapes.add(each.shape)
        elif all(isinstance(item, _SCALARS) for item in each):
            shapes.add((len(each),))
        else:
            return False
    return len(shapes) == 1
