"""Exact audits: where the law of the release is finite it is worked out, and delta(epsilon) is a fraction."""

from crowdproof.audit.exact.confirm import confirmed
from crowdproof.audit.exact.engine import ExactResult, NotDeterministicError, exact_law, has_finite_law
from crowdproof.audit.exact.law import Mass, PairLaw
from crowdproof.audit.exact.profile import Excess, epsilon_at, excess_at, worst_excess
from crowdproof.audit.exact.samples import Unaffordable
from crowdproof.audit.exact.watch import Watched

__all__ = [
    "ExactResult",
    "Excess",
    "Mass",
    "NotDeterministicError",
    "PairLaw",
    "Unaffordable",
    "Watched",
    "confirmed",
    "epsilon_at",
    "exact_law",
    "excess_at",
    "has_finite_law",
    "worst_excess",
]
