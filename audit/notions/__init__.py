"""How each notion of privacy is examined: one module for each, with a function `examine(request) -> Conclusion`.

A claim names the module that examines it, so a notion is a type in `crowdproof.claims` and one file here.
"""

from importlib import import_module

from crowdproof.audit.request import Conclusion, Request
from crowdproof.claims import PARSEABLE
from crowdproof.errors import ParameterError


def examine(request: Request) -> Conclusion:
    """What came of the request."""
    name = request.claim.examined_by
    if name is None:
        known = ", ".join(PARSEABLE)
        raise ParameterError(f"'{request.claim}' is not a claim about a mechanism: audit one of {known}.")
    conclusion: Conclusion = import_module(f"{__name__}.{name}").examine(request)
    return conclusion
