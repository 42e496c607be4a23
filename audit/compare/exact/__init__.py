"""Exact audits: where the law of the release is finite it is worked out, and delta(epsilon) is a fraction."""

from crowdproof.audit.compare.exact.confirm import confirmed, ease
from crowdproof.audit.compare.exact.enumerate import ExactResult, exact_law
from crowdproof.audit.compare.exact.law import Mass, PairLaw
from crowdproof.audit.compare.exact.profile import Excess, epsilon_at, excess_at, worst_excess
from crowdproof.audit.compare.exact.sample_runs import NotDeterministicError
from crowdproof.audit.compare.exact.samples import Unaffordable
from crowdproof.audit.compare.exact.watch import Watched

__all__ = [
    "ExactResult",
    "Excess",
    "Mass",
    "NotDeterministicError",
    "PairLaw",
    "Unaffordable",
    "Watched",
    "confirmed",
    "ease",
    "epsilon_at",
    "exact_law",
    "excess_at",
    "worst_excess",
]
