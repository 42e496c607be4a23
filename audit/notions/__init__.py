"""How each notion of privacy is examined: one module for each, with a function `examine(request) -> Conclusion`."""

from importlib import import_module

from crowdproof.audit.request import Conclusion, Request
from crowdproof.claims import DP, DPS, Claim, CrowdBlending, KAnonymity, Safe
from crowdproof.errors import ParameterError

NOTIONS: dict[type[Claim], str] = {
    DP: "indistinguishable",
    DPS: "indistinguishable",
    CrowdBlending: "crowd_blending",
    Safe: "safe",
    KAnonymity: "k_anonymity",
}
"""Kind of claim -> the module that examines it."""


def examine(request: Request) -> Conclusion:
    """What came of the request."""
    name = NOTIONS.get(type(request.claim))
    if name is None:
        raise ParameterError(f"'{request.claim}' is not a claim about a mechanism: audit one of dp, dps, safe, ...")
    conclusion: Conclusion = import_module(f"{__name__}.{name}").examine(request)
    return conclusion
