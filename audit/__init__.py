"""Running an anonymizer on neighbouring datasets and measuring how well the outputs can be told apart."""

from crowdproof.audit.auditor import audit
from crowdproof.audit.request import Budget, Pair, Progress, Runner, Sampling

__all__ = ["Budget", "Pair", "Progress", "Runner", "Sampling", "audit"]
