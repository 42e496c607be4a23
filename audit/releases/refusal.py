"""What stands for a release where there was none."""

from attrs import field, frozen

from crowdproof.visible import encodable


@frozen
class Refusal:
    """The target released nothing: it raised, returned None, or said no. An adversary sees that, whatever the reason.

    >>> Refusal("too few rows") == Refusal("it raised KeyError")
    True
    """

    reason: str = field(default="", eq=False, converter=encodable)
