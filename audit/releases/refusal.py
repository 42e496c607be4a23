"""A run that released nothing: one more outcome that an adversary can see."""

from attrs import field, frozen


@frozen
class Refusal:
    """The target answered this input with an exception or with nothing.

    All refusals are equal: an adversary sees that nothing was released, and the reason is for the reader of a finding.

    >>> Refusal("too few rows") == Refusal("no such column")
    True
    """

    reason: str = field(eq=False)
