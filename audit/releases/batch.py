"""Many releases in the order of their runs, each read by itself.

Most targets return numbers, or vectors of numbers of one shape. These stand in a matrix, which is read without a Python
object for each release; the others stand beside it in canonical form. What is in the matrix and what is beside it is a
matter of speed: every release can be asked for by itself, and is the same whatever came with it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.audit.releases.canonical import canonical
from crowdproof.audit.releases.numbers import is_float, number

Floats: TypeAlias = NDArray[np.float64]

EXACT = 2**53
"""Whole numbers below are floats without loss; those from here on are looked at one by one."""


@frozen
class Form:
    """How a release is made of numbers: a truth value, one number, or numbers along the axes of an array."""

    shape: tuple[int, ...] = ()
    truth: bool = False

    @property
    def width(self) -> int:
        """How many numbers it has."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def single(self) -> bool:
        """Whether it is one number by itself, not one in a list."""
        return not self.shape


def form_of(release: Any) -> Form | None:
    """The form of a canonical release that is made of numbers or of truth values; None for any other.

    >>> form_of(2), form_of((True, False)), form_of(((1, 2), (3, 4)))
    (Form(shape=(), truth=False), Form(shape=(2,), truth=True), Form(shape=(2, 2), truth=False))
    >>> form_of("a"), form_of((1, True)), form_of(())
    (None, None, None)
    """
    if isinstance(release, bool) or is_float(release):
        return Form((), truth=isinstance(release, bool))
    if not isinstance(release, tuple) or not release:
        return None
    forms = {form_of(each) for each in release}
    inner = forms.pop()
    return None if forms or inner is None else Form((len(release), *inner.shape), inner.truth)


@frozen(eq=False)
class Releases:
    """What came of many runs, in order."""

    form: Form | None
    """That of the releases in the matrix; None where no release is made of numbers."""
    matrix: Floats
    """One row for each run; a row of nan where the release is among the others."""
    others: Mapping[int, Any]
    """Canonical forms by place, of the releases that have another form."""

    @classmethod
    def of(cls, outputs: Any) -> "Releases":
        """The releases of these outputs: an array with a run for each entry of its first axis, or a list.

        >>> mixed = Releases.of([1.5, "refused", 2])
        >>> mixed.form, mixed.matrix[:, 0].tolist(), mixed.others, list(mixed)
        (Form(shape=(), truth=False), [1.5, nan, 2.0], {1: 'refused'}, [1.5, 'refused', 2])
        """
        if isinstance(outputs, Releases):
            return outputs
        array = _alike(outputs)
        if array is None:
            return cls._one_by_one([canonical(each) for each in outputs])
        form = Form(array.shape[1:], truth=array.dtype == np.bool_)
        return cls(form, _floats(array.reshape(len(array), form.width)), {})

    @classmethod
    def _one_by_one(cls, releases: Sequence[Any]) -> "Releases":
        """Those of the commonest form go into the matrix."""
        forms = [form_of(each) for each in releases]
        ranked = Counter(form for form in forms if form is not None).most_common(1)
        if not ranked:
            return cls(None, np.empty((len(releases), 0)), dict(enumerate(releases)))
        form = ranked[0][0]
        others = {place: releases[place] for place, each in enumerate(forms) if each != form}
        return cls(form, _rows(releases, forms, form), others)

    @classmethod
    def joined(cls, pieces: Sequence["Releases"]) -> "Releases":
        """Those of all pieces, one after the other."""
        if len(pieces) == 1:
            return pieces[0]
        if len({each.form for each in pieces}) != 1:
            return cls._one_by_one([release for piece in pieces for release in piece])
        starts = np.cumsum([0, *(len(each) for each in pieces)]).tolist()
        others = {
            start + place: release
            for start, piece in zip(starts, pieces, strict=False)
            for place, release in piece.others.items()
        }
        return cls(pieces[0].form, np.concatenate([each.matrix for each in pieces]), others)

    def __len__(self) -> int:
        return len(self.matrix)

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, place: Any) -> Any:
        """One release in canonical form, or those of a slice (without a step) or of an array of places."""
        if isinstance(place, slice):
            start, stop, _ = place.indices(len(self))
            inside = {at - start: each for at, each in self.others.items() if start <= at < stop}
            return Releases(self.form, self.matrix[start:stop], inside)
        if isinstance(place, np.ndarray):
            inside = {new: self.others[old] for new, old in enumerate(place.tolist()) if old in self.others}
            return Releases(self.form, self.matrix[place], inside)
        return self.others[place] if place in self.others else _release(self.matrix[place], self.form)

    def numbers(self, form: Form) -> tuple[Floats, list[int]]:
        """The numbers of the releases of this form, by rows, and the places of the others, whose rows are nan."""
        if form == self.form:
            return self.matrix, list(self.others)
        releases = list(self)
        forms = [form_of(each) for each in releases]
        return _rows(releases, forms, form), [place for place, each in enumerate(forms) if each != form]

    def commonest(self) -> tuple[Form | None, int]:
        """The form of most releases that are made of numbers, and how many have it."""
        return self.form, len(self) - len(self.others)


def _alike(outputs: Any) -> NDArray[Any] | None:
    """The outputs as one array where all of them plainly have one form; None where each must be looked at."""
    if type(outputs) is np.ndarray:
        return _without_loss(outputs, {outputs.dtype.type}) if outputs.ndim and outputs.size else None
    kinds = set(map(type, outputs))
    if kinds <= _LISTS:
        kinds = set().union(*(_kinds(each) for each in outputs))
    if not kinds or not (kinds <= _NUMBERS or kinds <= _TRUTHS):
        return None
    try:
        array = np.asarray(outputs, dtype=float if kinds <= _NUMBERS else bool)
    except (ValueError, OverflowError):  # shapes differ, or a whole number is beyond the floats
        return None
    return _without_loss(array, kinds) if array.size else None


_TRUTHS = {bool, np.bool_}
_WHOLE = {int, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64}
_NUMBERS = {float, np.float16, np.float32, np.float64, *_WHOLE}
_LISTS = {list, tuple, np.ndarray}


def _kinds(vector: Any) -> set[type]:
    """The types in a list or an array; exactly these, since a subclass may behave in any way."""
    return {vector.dtype.type} if type(vector) is np.ndarray else set(map(type, vector)) or {type(None)}


def _without_loss(array: NDArray[Any], kinds: set[type]) -> NDArray[Any] | None:
    """The array, if it has numbers or truth values that are floats without loss."""
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > np.dtype(float).itemsize:
        return None
    if kinds & _WHOLE and (np.abs(array.astype(float)) >= EXACT).any():
        return None
    return array


def _rows(releases: Sequence[Any], forms: Sequence[Form | None], form: Form) -> Floats:
    matrix = np.full((len(releases), form.width), np.nan)
    places = [place for place, each in enumerate(forms) if each == form]
    if places:
        matrix[places] = np.array([releases[place] for place in places], dtype=float).reshape(len(places), form.width)
    return matrix


def _floats(array: NDArray[Any]) -> Floats:
    """As floats, with one and the same nan everywhere."""
    floats = np.asarray(array, dtype=float)
    missing = np.isnan(floats) if array.dtype.kind == "f" else None
    return floats if missing is None or not missing.any() else np.where(missing, np.nan, floats)


def _release(row: Floats, form: Form | None) -> Any:
    """The canonical form that a row of the matrix stands for."""
    assert form is not None
    if form.single:
        return bool(row[0]) if form.truth else number(row[0])
    return canonical(row.reshape(form.shape).astype(bool) if form.truth else row.reshape(form.shape))
