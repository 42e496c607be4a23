"""Nulls that were found, not drawn: each is an honest target of a kind that is met in practice."""

from fractions import Fraction

from attrs import evolve

from crowdproof.audit.calibration import laws
from crowdproof.audit.calibration.behaviours import Echo, Limited
from crowdproof.audit.calibration.dressings import RARE, Dressing, dressing_named
from crowdproof.audit.calibration.laws import Law
from crowdproof.audit.calibration.null import Delivery, Null
from crowdproof.claims import DP, Neighbours

E = laws.below_exp(1.0)
"""e, hardly rounded down."""
SELDOM = Fraction(4, 1000)
"""How often a batched run refuses on one dataset; on the other it is e times less. A guess at a rare refusal."""


def named() -> tuple[Null, ...]:
    """All of them."""
    coin, count = laws.ignoring((1, 1), 2), laws.geometric(E, 1, 4)
    response = laws.response(E, Fraction(0), 2)
    usual = dressing_named("float")
    return (
        _null("a refusing coin", coin, Dressing("coin", ("int", "refused"), RARE, marks=1)),
        _null("a refusing count", count, Dressing("count", ("int", "refusal"), RARE, marks=1), "1.01"),
        _null("exceptions", response, dressing_named("number or exception, common")),
        _null("none", response, dressing_named("number or none, rare")),
        _null("bools among text", response, dressing_named("bools among text, common")),
        _null("tuples of varying length", laws.response(E, Fraction(0), 4), dressing_named("tuple of any length")),
        evolve(_null("a rate limiter", coin, usual), behaviour=Limited(140, 300.0)),
        evolve(_null("a rate limiter with a virtual clock", coin, usual), behaviour=Limited(140, 0.3, pause=256)),
        evolve(_null("earlier answers", response, usual), behaviour=Echo(0.95)),
        evolve(_null("batched refusals as none", _refusing(), _refusal()), delivery=Delivery.LISTED),
        evolve(_null("batched refusals that raise", _refusing(), _refusal()), delivery=Delivery.RAISING),
    )


def _null(title: str, law: Law, dressing: Dressing, epsilon: str = "1") -> Null:
    return Null(law, DP(epsilon, 0, Neighbours.REPLACE), ((0, 1),), dressing, title=title)


def _refusing() -> Law:
    """Answer 1 is a refusal: with probability 0.004 on one dataset, and e times less on the other."""
    return laws.chances("refusals", (SELDOM, SELDOM / E))


def _refusal() -> Dressing:
    return Dressing("count or refusal", ("int", "refusal"), by_answer=True, marks=1)
