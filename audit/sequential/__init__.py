"""Tests by betting: valid at any time, over all pairs and events at once."""

from crowdproof.audit.sequential.bounds import ProfilePoint
from crowdproof.audit.sequential.engine import sequential_audit
from crowdproof.audit.sequential.result import Detectable, Direction, Ended, Refutation, SequentialResult

__all__ = [
    "Detectable",
    "Direction",
    "Ended",
    "ProfilePoint",
    "Refutation",
    "SequentialResult",
    "sequential_audit",
]
