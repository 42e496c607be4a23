"""Crowdproof tells whether a data release really gives the privacy it claims.

The words are here: claims, findings, exact parameters; and the verbs of the command line, from `crowdproof.api`, which
are imported when they are first asked for. The evidence is in `crowdproof.proofs`,
`crowdproof.audit` and `crowdproof.attacks`; the mechanisms of the papers in `crowdproof.mechanisms`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from crowdproof.claims import (
    DP,
    DPS,
    FDP,
    GDP,
    RDP,
    ZCDP,
    Assertion,
    Claim,
    CrowdBlending,
    KAnonymity,
    Neighbours,
    Point,
    Safe,
    parse_claim,
)
from crowdproof.errors import CrowdproofError, ExitCode
from crowdproof.exact import Epsilon, rational
from crowdproof.findings import Finding, NotRefuted, Proved, Refuted, Skipped, Undecided, Verdict, exit_code

if TYPE_CHECKING:
    from crowdproof.api import assert_private, attack, bound, check, examine, plan, prove, replay

__version__ = "0.1.0"

__all__ = [
    "DP",
    "DPS",
    "FDP",
    "GDP",
    "RDP",
    "ZCDP",
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
    "Point",
    "Proved",
    "Refuted",
    "Safe",
    "Skipped",
    "Undecided",
    "Verdict",
    "__version__",
    "assert_private",
    "attack",
    "bound",
    "check",
    "examine",
    "exit_code",
    "parse_claim",
    "plan",
    "prove",
    "rational",
    "replay",
]

_VERBS = frozenset({"assert_private", "attack", "bound", "check", "examine", "plan", "prove", "replay"})


def __getattr__(name: str) -> Any:
    """A verb, from the module that defines it."""
    if name not in _VERBS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("crowdproof.api"), name)
