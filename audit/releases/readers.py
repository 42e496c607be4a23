"""Readers of releases: they say what can be seen in them, by columns for vectors of numbers, by traits for all else."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from crowdproof.audit.releases.batch import Form, Releases
from crowdproof.audit.releases.features import BITS, Feature, Floats, number_feature
from crowdproof.audit.releases.keys import code, row_codes
from crowdproof.audit.releases.table_traits import Asked
from crowdproof.audit.releases.texts import brief
from crowdproof.audit.releases.traits import traits

MOST_OTHERS = 16
"""Releases among numbers that are no numbers, and are told apart one by one: refusals and the like are few."""
DIFFERENT = 16
"""Values of a trait that are counted, to see how much it varies: a trait that takes so many is a measure of some kind,
and comes before all that only a few releases show."""
WIDE = 100
"""Whole numbers that reach over so many, ten for each last digit, are looked at by their last digit as well."""
STEPS = 64
"""Vectors longer than this get no features of neighbouring components."""

PLAIN = ("range ends", "range starts", "column", "cell", "rows of stars", "set holds", "holds", "word", "is", "rows")
"""Kinds of trait that explain themselves, the plainest first."""


@frozen(eq=False)
class Numbers:
    """Reads releases of one form that is made of numbers; of any other release it knows only which one it is."""

    form: Form
    whole: bool = False
    """All of them whole numbers, so that there are no fractional bits to look at."""

    @property
    def width(self) -> int:
        """How many numbers a release has."""
        return self.form.width

    def columns(self, releases: Releases, features: Sequence[Feature]) -> list[Floats]:
        """The features of all releases, one array each; nan where a release has another form."""
        matrix, others = releases.numbers(self.form)
        return [self._column(matrix, feature, others, releases) for feature in features]

    def _column(self, matrix: Floats, feature: Feature, others: list[int], releases: Releases) -> Floats:
        if feature[0] == "other":
            return _indicator(releases, others, feature[1])
        column = number_feature(matrix, feature)
        if others:
            column = column.copy()
            column[others] = np.nan
        return column

    def codes(self, releases: Releases) -> NDArray[np.uint64]:
        """A number for each release, equal for equal ones."""
        matrix, others = releases.numbers(self.form)
        found = row_codes(matrix)
        for place in others:
            found[place] = code(releases[place])
        return found

    def candidates(self, releases: Releases) -> list[Feature]:
        """Features worth trying on releases such as these."""
        places = range(self.width)
        found: list[Feature] = [("value", place) for place in places]
        if 1 < self.width <= STEPS:
            found += [("step", place) for place in places[1:]]
            found += [("sum",), ("largest",), ("smallest",), ("place of the largest",)]
        matrix, others = releases.numbers(self.form)
        if self.width > 1 and not np.isfinite(matrix).all():
            found += [("missing",), ("finite",)]
        if self.whole and self.width <= STEPS:
            reach = np.ptp(np.where(np.isfinite(matrix), matrix, 0.0), axis=0)
            found += [("last digit", place) for place in places if reach[place] >= WIDE]
        if not self.whole and self.width <= STEPS:
            found += [("grain", place) for place in places]
            found += [("bit", 0, bit) for bit in range(BITS)] if self.width == 1 else []
        return found + _named(releases, others)

    def taken(self, releases: Releases, _features: Sequence[Feature]) -> Any:
        """The same releases, where looking at these features again and again is quick: it is anyway."""
        return releases

    def to_json(self) -> dict[str, Any]:
        """As plain values, which `reader_from_json` reads."""
        return {"kind": "numbers", "shape": list(self.form.shape), "truth": self.form.truth, "whole": self.whole}


def _named(releases: Releases, others: list[int]) -> list[Feature]:
    """Which release it is, for the commonest of those that have another form."""
    names = Counter(("other", f"{code(releases[place]):016x}", brief(releases[place])) for place in others)
    return [name for name, _ in names.most_common(MOST_OTHERS)] if len(names) > 1 else []


def _indicator(releases: Releases, others: list[int], name: str) -> Floats:
    """1 for the releases with this code, 0 for all else."""
    column = np.zeros(len(releases))
    column[[place for place in others if f"{code(releases[place]):016x}" == name]] = 1.0
    return column


@frozen(eq=False)
class Taken:
    """Releases together with what was seen in them once: taking the traits of a table is slow."""

    releases: Releases
    features: dict[Feature, int]
    matrix: Floats
    """By feature and release."""
    codes: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.releases)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return Taken(self.releases[place], self.features, self.matrix[:, place], self.codes[place])
        return self.releases[place]


@frozen(eq=False)
class Records:
    """Reads releases of any kind by their traits: tables, text, sets, nested lists, and mixes of kinds."""

    limit: int = field(default=512)
    """Traits kept: those that vary most."""

    def columns(self, releases: Any, features: Sequence[Feature]) -> list[Floats]:
        """The traits of all releases; one that a release lacks is 0."""
        if isinstance(releases, Taken):
            return [releases.matrix[releases.features[feature]] for feature in features]
        place = {feature: index for index, feature in enumerate(features)}
        matrix = np.zeros((len(features), len(releases)))
        asked = Asked.of(features)
        for row, release in enumerate(releases):
            for trait, value in traits(release, asked):
                if trait in place:
                    matrix[place[trait], row] = value
        return list(matrix)

    def codes(self, releases: Any) -> NDArray[np.uint64]:
        """A number for each release, equal for equal ones."""
        if isinstance(releases, Taken):
            return releases.codes
        return np.fromiter((code(each) for each in releases), np.uint64, len(releases))

    def candidates(self, releases: Releases) -> list[Feature]:
        """The traits that are not the same in all of these releases, those first that say most in words."""
        seen: Counter[Feature] = Counter()
        values: dict[Feature, set[float]] = {}
        for release in releases:
            for trait, value in traits(release):
                seen[trait] += value != 0
                known = values.setdefault(trait, set())
                if len(known) < DIFFERENT:
                    known.add(value)
        size = len(releases)
        spread = {trait: _spread(seen[trait], size, values[trait]) for trait in values}
        varied = [trait for trait, value in spread.items() if value > 0]
        kept = sorted(varied, key=lambda trait: (-spread[trait], repr(trait)))[: self.limit]
        return sorted(kept, key=lambda trait: PLAIN.index(trait[0]) if trait[0] in PLAIN else len(PLAIN))

    def taken(self, releases: Releases, features: Sequence[Feature]) -> Any:
        """The same releases, where looking at these features again and again is quick."""
        matrix = np.array(self.columns(releases, features)).reshape(len(features), len(releases))
        return Taken(releases, {each: place for place, each in enumerate(features)}, matrix, self.codes(releases))

    def to_json(self) -> dict[str, Any]:
        """As plain values, which `reader_from_json` reads."""
        return {"kind": "traits"}


def _spread(seen: int, size: int, values: set[float]) -> int:
    """How much a trait varies: how many of the releases have it, or lack it; or how many values it takes.

    A number that every release has, such as the length of a text, is worth more than a trait of a single release.
    """
    different = len(values) + (0 < seen < size and 0.0 not in values)
    return max(min(seen, size - seen), different - 1)


Reader: TypeAlias = Numbers | Records


def reader_for(releases: Releases) -> Reader:
    """The reader that fits these releases: by their numbers if most of them are made of numbers in one form.

    >>> reader_for(Releases.of([0.5, 1.5])).whole, reader_for(Releases.of([[1, 2], [3, 4]])).form
    (False, Form(shape=(2,), truth=False))
    >>> reader_for(Releases.of(["a", "b"]))
    Records(limit=512)
    """
    form, count = releases.commonest()
    if form is None or 2 * count < len(releases):
        return Records()
    matrix, _ = releases.numbers(form)
    finite = matrix[np.isfinite(matrix)]
    return Numbers(form, bool((finite == np.round(finite)).all()))


def reader_from_json(record: dict[str, Any]) -> Reader:
    """The reader that `to_json` wrote."""
    if record["kind"] == "traits":
        return Records()
    return Numbers(Form(tuple(map(int, record["shape"])), bool(record["truth"])), bool(record["whole"]))
