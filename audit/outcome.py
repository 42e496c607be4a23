"""One run of the target, whatever it does: what it released, or that it released nothing, and why."""

import copy
import hashlib
from collections.abc import Callable
from typing import Any

import polars as pl
from attrs import frozen

from crowdproof.audit.outputs import code
from crowdproof.errors import NoReleaseError, TargetError

NO_RELEASE = "no release"


@frozen(eq=False)
class Outcome:
    """What one run gave: a release, or none, and then `failure` tells what happened."""

    output: Any = None
    failure: str | None = None


def attempt(run: Callable[[Any], Any], data: Any) -> Outcome:
    """Run on a copy of the data, so that a target that changes its input spoils nothing.

    A target that raises or returns None has released nothing, and that an adversary sees too: it is one more outcome,
    the same whatever the message. Only a target that broke (a time limit, a dead process) ends the audit: that says
    nothing about the data.
    """
    try:
        output = run(private_copy(data))
    except NoReleaseError as error:
        return Outcome(failure=str(error))
    except TargetError:
        raise
    except Exception as error:  # noqa: BLE001  (the target is foreign code: anything may come)
        return Outcome(failure=f"it raised {type(error).__name__}: {error}".rstrip(": "))
    return Outcome(failure="it returned None") if output is None else Outcome(output)


def private_copy(data: Any) -> Any:
    """A copy that the target may change at will."""
    return data.clone() if isinstance(data, pl.DataFrame) else copy.deepcopy(data)


def key_of(outcome: Outcome) -> str:
    """Equal for equal releases, and one and the same for all runs without a release.

    Two releases that share a key are taken for one. That loses sight of a difference, and never makes one up.
    """
    if outcome.failure is not None:
        return NO_RELEASE
    if isinstance(outcome.output, pl.DataFrame) and not any(kind.is_nested() for kind in outcome.output.dtypes):
        text = outcome.output.write_csv(quote_style="non_numeric")  # far faster than cell by cell in Python
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    return stored_key(outcome.output)


def stored_key(output: Any) -> str:
    """The key of a release that is written to files: it depends on nothing but the release."""
    return NO_RELEASE if output is None else f"{code(output):016x}"
