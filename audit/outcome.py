"""One run of the target, whatever it does: what it released, or that it released nothing, and why."""

import copy
import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.audit.outputs import code
from crowdproof.errors import NoReleaseError, TargetError
from crowdproof.mechanism import Mechanism, batch_of

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


@frozen
class Guarded:
    """A mechanism that always answers: where the one inside releases nothing, the output is `NO_RELEASE`."""

    mechanism: Mechanism

    def __call__(self, data: Any, rng: np.random.Generator, /) -> Any:
        """Run once."""
        outcome = attempt(lambda copy: self.mechanism(copy, rng), data)
        return NO_RELEASE if outcome.failure is not None else outcome.output

    def batch(self, data: Any, rng: np.random.Generator, size: int, /) -> Any:
        """Many runs, at once where the mechanism can; one by one where one of them releases nothing."""
        batch = batch_of(self.mechanism)
        if batch is not None:
            outcome = attempt(lambda copy: batch(copy, rng, size), data)
            if outcome.failure is None:
                return _answered(outcome.output)
        return _answered(self._one_by_one(data, rng, size))

    def _one_by_one(self, data: Any, rng: np.random.Generator, size: int) -> list[Any]:
        """One copy for all runs, since copying takes time; and again with one for each if the target changed it."""
        state, shared = rng.bit_generator.state, private_copy(data)
        outputs = self._runs(lambda: shared, rng, size)
        if _unchanged(shared, data):
            return outputs
        rng.bit_generator.state = state
        return self._runs(lambda: private_copy(data), rng, size)

    def _runs(self, give: Callable[[], Any], rng: np.random.Generator, size: int) -> list[Any]:
        mechanism, outputs = self.mechanism, list[Any]()
        while len(outputs) < size:
            try:  # outside the inner loop, where it would cost time in each run
                for _ in range(size - len(outputs)):
                    outputs.append(mechanism(give(), rng))
            except TargetError as error:
                if not isinstance(error, NoReleaseError):
                    raise
                outputs.append(None)
            except Exception:  # noqa: BLE001  (the target is foreign code: anything may come)
                outputs.append(None)
        return outputs


def _unchanged(shared: Any, data: Any) -> bool:
    if isinstance(data, pl.DataFrame):
        return bool(shared.columns == data.columns and shared.equals(data))
    if isinstance(data, np.ndarray):
        return bool(shared.tobytes() == data.tobytes())
    return code(shared) == code(data)


def _answered(outputs: Any) -> Any:
    if isinstance(outputs, list):
        return [NO_RELEASE if each is None else each for each in outputs]
    return outputs


def private_copy(data: Any) -> Any:
    """A copy that the target may change at will."""
    if isinstance(data, np.ndarray):
        return data.copy()
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
