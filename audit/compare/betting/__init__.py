"""Tests by betting: valid at any time, over all pairs and events at once."""

from crowdproof.audit.compare.betting.bounds import ProfilePoint
from crowdproof.audit.compare.betting.sequential import sequential_audit
from crowdproof.audit.compare.betting.tested import Detectable, Direction, Ended, Refutation, SequentialResult

__all__ = [
    "Detectable",
    "Direction",
    "Ended",
    "ProfilePoint",
    "Refutation",
    "SequentialResult",
    "sequential_audit",
]
