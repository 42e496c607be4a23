"""Slips of the papers that have no mathematics of their own: a wrong reference, a wrong letter."""

from attrs import frozen


@frozen
class Slip:
    """What is printed, and what is meant."""

    source: str
    printed: str
    meant: str


SLIPS = (
    Slip(
        "LQS App A.3",
        "'according to the proof of Theorem 6', twice, inside the proof of Theorem 6",
        "the proof of Theorem 5, whose ratio r(g) is used; as printed the argument would be circular",
    ),
    Slip(
        "LQS App A.2",
        "'5a bad outcome'",
        "'a bad outcome'; may be the scan's",
    ),
    Slip(
        "Odoh sec 5, AND-events",
        "'Using Equation 5'",
        "Equation 4, the AND form, as the end of the same sentence says",
    ),
    Slip(
        "Odoh eq 1",
        "(N - K)! with a capital K",
        "(N - k)!",
    ),
)
