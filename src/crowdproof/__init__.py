"""Crowdproof tells whether a data release really gives the privacy it claims.

The words are here: claims, findings, exact parameters. The evidence is in `crowdproof.proofs`,
`crowdproof.audit` and `crowdproof.attacks`; the mechanisms of the papers in `crowdproof.mechanisms`.
"""

from crowdproof.claims import DP, DPS, Assertion, Claim, CrowdBlending, KAnonymity, Neighbours, Safe, parse_claim
from crowdproof.errors import CrowdproofError, ExitCode
from crowdproof.exact import Epsilon, rational
from crowdproof.findings import Finding, NotRefuted, Proved, Refuted, Skipped, Undecided, Verdict, exit_code

__version__ = "0.1.0"

__all__ = [
    "DP",
    "DPS",
    "Assertion",
    "Claim",
    "CrowdBlending",
    "CrowdproofError",
    "Epsilon",
    "ExitCode",
    "Finding",
    "KAnonymity",
    "Neighbours",
    "NotRefuted",
    "Proved",
    "Refuted",
    "Safe",
    "Skipped",
    "Undecided",
    "Verdict",
    "__version__",
    "exit_code",
    "parse_claim",
    "rational",
]
