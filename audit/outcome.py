"""One run of the target, whatever it does: what it released, or that it released nothing, and why."""

import copy
from collections.abc import Callable
from typing import Any

import polars as pl
from attrs import frozen

from crowdproof.errors import NoReleaseError, TargetError


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
    """Equal for equal releases, and one and the same for all runs without a release."""
    return "no release" if outcome.failure is not None else _key(outcome.output)


def _key(output: Any) -> str:
    if isinstance(output, pl.DataFrame):
        return f"{output.schema} {output.rows()}"
    return repr(output)
