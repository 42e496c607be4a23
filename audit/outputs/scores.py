"""Scores of outputs: the higher, the likelier on the left dataset. An event is a set of score bins."""

from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.audit.outputs.features import Feature, Reader, reader_from_json

Floats: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.intp]


@frozen(eq=False)
class Additive:
    """A sum of step functions, one for each feature."""

    reader: Reader
    features: tuple[Feature, ...]
    edges: tuple[Floats, ...]
    weights: tuple[Floats, ...]
    """One for each step between the edges, and a last one for nan."""
    cuts: Floats

    def bins(self, outputs: Any) -> Places:
        """The bin of each output: how many cuts its score reaches."""
        columns = self.reader.columns(outputs, self.features)
        if len(columns) == 1:  # the steps of one feature map straight to bins
            return np.searchsorted(self.cuts, self.weights[0], side="right")[step_of(columns[0], self.edges[0])]
        return np.searchsorted(self.cuts, self.score(columns), side="right")

    def score(self, columns: list[Floats]) -> Floats:
        """The sum of the steps."""
        total = np.zeros(len(columns[0]))
        for column, edges, weights in zip(columns, self.edges, self.weights, strict=True):
            total += weights[step_of(column, edges)]
        return total

    def to_json(self) -> dict[str, Any]:
        """As plain values, which `score_from_json` reads."""
        return {
            "kind": "additive",
            "reader": self.reader.to_json(),
            "features": [list(feature) for feature in self.features],
            "edges": [_plain(each) for each in self.edges],
            "weights": [_plain(each) for each in self.weights],
            "cuts": _plain(self.cuts),
        }


@frozen(eq=False)
class Lookup:
    """One value for each output that was seen, and 0 for any other."""

    reader: Reader
    codes: NDArray[np.uint64]
    """Sorted."""
    values: Floats
    texts: tuple[str, ...]
    """What each code stands for, for people."""
    cuts: Floats

    def bins(self, outputs: Any) -> Places:
        """The bin of each output: how many cuts its score reaches."""
        codes = self.reader.codes(outputs)
        place = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        bins = np.searchsorted(self.cuts, self.values, side="right")
        unseen = int(np.searchsorted(self.cuts, 0.0, side="right"))
        return np.where(self.codes[place] == codes, bins[place], unseen)

    def to_json(self) -> dict[str, Any]:
        """As plain values, which `score_from_json` reads."""
        return {
            "kind": "lookup",
            "reader": self.reader.to_json(),
            "codes": [f"{each:016x}" for each in self.codes.tolist()],
            "values": _plain(self.values),
            "texts": list(self.texts),
            "cuts": _plain(self.cuts),
        }


Score: TypeAlias = Additive | Lookup


def step_of(column: Floats, edges: Floats) -> Places:
    """Which step each number is on; nan has a step of its own, the last."""
    steps = np.searchsorted(edges, column, side="right")
    missing = np.isnan(column)
    if missing.any():
        steps[missing] = len(edges) + 1
    return steps


def score_from_json(record: dict[str, Any]) -> Score:
    """The score that `to_json` wrote."""
    reader, cuts = reader_from_json(record["reader"]), _numbers(record["cuts"])
    if record["kind"] == "lookup":
        codes = np.array([int(each, 16) for each in record["codes"]], np.uint64)
        return Lookup(reader, codes, _numbers(record["values"]), tuple(record["texts"]), cuts)
    return Additive(
        reader,
        tuple(tuple(feature) for feature in record["features"]),
        tuple(_numbers(each) for each in record["edges"]),
        tuple(_numbers(each) for each in record["weights"]),
        cuts,
    )


def _plain(numbers: Floats) -> list[float | str]:
    """JSON has no infinity."""
    return [each if np.isfinite(each) else str(each) for each in numbers.tolist()]


def _numbers(values: list[float | str]) -> Floats:
    return np.array([float(each) for each in values])
