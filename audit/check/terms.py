"""What is claimed of a release."""

from collections.abc import Sequence
from fractions import Fraction

from attrs import field, frozen
from attrs.converters import optional

from crowdproof.audit.check.closeness import DISTANCES
from crowdproof.audit.check.diversity import DIVERSITIES
from crowdproof.audit.check.hierarchies import Hierarchy, hierarchy
from crowdproof.claims import once
from crowdproof.errors import ParameterError
from crowdproof.exact import Number, rational, show, whole

MATCHES = ("text", "covering", "matching")
"""When a row hides another: its cells are the same text; they cover the other's; or whoever knows everybody's values
cannot exclude it."""


def _names(written: str | Sequence[str]) -> tuple[str, ...]:
    """The names of columns; a text is one name."""
    return (written,) if isinstance(written, str) else once(written)


def _group_size(written: Number) -> int:
    return whole(written, "k")


def _population(written: Number | None) -> int | None:
    return None if written is None else whole(written, "population")


def _diversity(written: Number | None) -> int | None:
    return None if written is None else whole(written, "l")


def _ratio(written: Number) -> Fraction:
    return rational(written, "c")


def _distance(written: Number | None) -> Fraction | None:
    return None if written is None else rational(written, "t")


@frozen
class Terms:
    """What is claimed of the release."""

    k: int = field(default=2, converter=_group_size)
    columns: tuple[str, ...] | None = field(default=None, converter=optional(_names))
    """What an adversary may know; None means all columns but the sensitive ones."""
    sensitive: tuple[str, ...] = field(default=(), converter=_names)
    l: int | None = field(default=None, converter=_diversity)  # noqa: E741
    diversity: str = "distinct"
    c: Fraction = field(default=Fraction(1), converter=_ratio)
    t: Fraction | None = field(default=None, converter=_distance)
    distance: str = "equal"
    hierarchy: Hierarchy | None = field(default=None, converter=optional(hierarchy))
    """What the sensitive values belong to, as a file or a mapping, for the hierarchical distance."""
    match: str = "text"
    missing: tuple[str, ...] = ()
    """Texts that stand for a missing cell, besides an empty one."""
    population: int | None = field(default=None, converter=_population)
    """People of whom the release shows a random part; None where that is not known."""

    def __attrs_post_init__(self) -> None:
        for name, chosen, known in (
            ("diversity", self.diversity, DIVERSITIES),
            ("distance", self.distance, DISTANCES),
            ("match", self.match, MATCHES),
        ):
            if chosen not in known:
                raise ParameterError(f"{name} is {chosen!r}: choose from {', '.join(known)}.")
        if self.t is not None and not 0 <= self.t <= 1:
            raise ParameterError(f"t is {show(self.t)}: a distance lies between 0 and 1.")
        if (self.distance == "hierarchical") != (self.hierarchy is not None):
            raise ParameterError("the hierarchical distance and a hierarchy belong together: name both, or neither.")
        if (self.l is not None or self.t is not None) and not self.sensitive:
            raise ParameterError("l and t are about sensitive columns: name at least one.")
