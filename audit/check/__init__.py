"""What can be said of a release file alone: k, l, t and side channels, with nothing to run."""

from crowdproof.audit.check.release import check, rows_at_risk
from crowdproof.audit.check.terms import Terms

__all__ = ["Terms", "check", "rows_at_risk"]
