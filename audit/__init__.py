"""Running an anonymizer on neighbouring datasets and measuring how well the outputs can be told apart.

The names are imported when they are first asked for: a process that only runs a target imports a module from below this
package, and needs nothing of the auditor, which takes most of the time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crowdproof.audit.auditor import audit
    from crowdproof.audit.request import Budget, OneRunTerms, Pair, Progress, Runner, Sampling

__all__ = ["Budget", "OneRunTerms", "Pair", "Progress", "Runner", "Sampling", "audit"]


def __getattr__(name: str) -> Any:
    """A name of this package, from the module that defines it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    place = "auditor" if name == "audit" else "request"
    return getattr(import_module(f"{__name__}.{place}"), name)
