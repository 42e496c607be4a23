"""What is asserted of a mechanism: one small frozen type for each notion of privacy.

>>> parse_claim("dps(beta=0.5, epsilon=ln 3, delta=0.02)") == DPS(0.5, "ln 3", 0.02)
True
>>> print(DP(1, "1e-6"), GDP(1), RDP(8, "0.5"))
dp(epsilon=1, delta=1e-6) gdp(mu=1) rdp(alpha=8, epsilon=0.5)
"""

from crowdproof.claims.claim import LARGEST_EPSILON, Claim, DistributionClaim, Neighbours, Point, once
from crowdproof.claims.curves import FDP, GDP, RDP, ZCDP
from crowdproof.claims.notions import DP, DPS, Assertion, CrowdBlending, KAnonymity, Safe
from crowdproof.claims.parsing import MOST_CHARACTERS, PARSEABLE, build_claim, parse_claim

__all__ = [
    "DP",
    "DPS",
    "FDP",
    "GDP",
    "LARGEST_EPSILON",
    "MOST_CHARACTERS",
    "PARSEABLE",
    "RDP",
    "ZCDP",
    "Assertion",
    "Claim",
    "CrowdBlending",
    "DistributionClaim",
    "KAnonymity",
    "Neighbours",
    "Point",
    "Safe",
    "build_claim",
    "once",
    "parse_claim",
]
