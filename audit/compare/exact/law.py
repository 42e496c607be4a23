"""The law of a release on two neighbouring datasets, as fractions."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from attrs import frozen

from crowdproof.errors import ParameterError, TargetError
from crowdproof.exact import Number, rational


@frozen(eq=False)
class Mass:
    """One possible release and how likely it is on either dataset."""

    key: str
    left: Fraction
    right: Fraction
    output: Any
    """The release itself; None where there was none."""


@frozen(eq=False)
class PairLaw:
    """What the target releases on two neighbours. What was left out is bounded by `unseen_left` and `unseen_right`."""

    masses: tuple[Mass, ...]
    unseen_left: Fraction = Fraction(0)
    unseen_right: Fraction = Fraction(0)

    def flipped(self) -> "PairLaw":
        """The same with the two datasets exchanged."""
        masses = tuple(Mass(each.key, each.right, each.left, each.output) for each in self.masses)
        return PairLaw(masses, self.unseen_right, self.unseen_left)


Weighted = tuple[str, Any, int | Fraction, int | Fraction]
"""A release's key, the release, and its weights on the left and on the right."""


def collect(terms: Iterable[Weighted], left_total: int, right_total: int) -> PairLaw:
    """Add up weighted releases; the totals are what each side's weights would sum to with nothing left out."""
    sums: dict[str, list[Any]] = {}
    for key, output, left, right in terms:
        entry = sums.setdefault(key, [0, 0, output])
        entry[0] += left
        entry[1] += right
    masses = tuple(
        Mass(key, Fraction(left) / left_total, Fraction(right) / right_total, output)
        for key, (left, right, output) in sums.items()
    )
    return PairLaw(
        masses,
        1 - sum((each.left for each in masses), Fraction(0)),
        1 - sum((each.right for each in masses), Fraction(0)),
    )


def checked(law: Mapping[Any, Number] | Iterable[tuple[Any, Number]]) -> list[tuple[Any, Fraction]]:
    """The outputs of a declared law with their probabilities, if these sum to one; as a mapping or as pairs.

    A probability is what is written: 0.1 is one tenth.

    >>> checked({"yes": 0.1, "no": 0.9})
    [('yes', Fraction(1, 10)), ('no', Fraction(9, 10))]
    """
    items = law.items() if isinstance(law, Mapping) else law
    try:
        read = [(output, rational(p, "probability")) for output, p in items]
    except (ParameterError, TypeError, ValueError) as error:
        raise TargetError(f"the target's declared law cannot be read ({error}): {_FRACTIONS}") from None
    total = sum((p for _, p in read), Fraction(0))
    if total != 1 or any(p < 0 for _, p in read):
        raise TargetError(f"the target's declared law sums to {total}: {_FRACTIONS}")
    return read


_FRACTIONS = "give each output with its probability, in fractions that sum to 1."
