"""One run of the target, whatever it does: what it released, or that it released nothing, and why."""

from typing import Any

import numpy as np
from attrs import field, frozen

from crowdproof.audit.data.copies import own_copy
from crowdproof.audit.releases import Refusal, Releases, code, snapshot
from crowdproof.audit.targets.exhausted import out_of_memory
from crowdproof.audit.targets.generators import Sent
from crowdproof.audit.targets.staying import no_copy
from crowdproof.errors import NoReleaseError, TargetError, pass_interrupts
from crowdproof.mechanism import Mechanism

NO_RELEASE = "no release"
"""The key of a run without a release."""
SEVERAL = "several"
"""Stands for the keys of releases that are not all the same."""


@frozen(eq=False)
class Outcome:
    """What one run gave: a release, or none, and then `failure` tells what happened."""

    output: Any = None
    failure: str | None = None


def attempt(mechanism: Mechanism, data: Any, rng: np.random.Generator) -> Outcome:
    """Run once on a copy of the data, so that a target that changes its input spoils nothing.

    A target that raises or returns None has released nothing, and that an adversary sees too: it is one more outcome,
    the same whatever the message. Only a target that broke (a time limit, a dead process) ends the audit: that says
    nothing about the data.
    """
    try:
        with no_copy():
            output = mechanism(own_copy(data), rng)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  (the target is foreign code: anything may come)
        return Outcome(failure=refusal_of(error).reason)
    if isinstance(output, Refusal):
        return Outcome(failure=output.reason)
    return Outcome(failure="it returned None") if output is None else Outcome(snapshot(output))


@frozen(eq=False)
class RunOnce:
    """Runs the mechanism once on a dataset with a seed. A value that can be sent to another process."""

    sent: Sent = field(converter=Sent)

    def __call__(self, task: tuple[Any, int]) -> Outcome:
        """`(data, seed)`: what came of that run."""
        data, seed = task
        with self.sent.ready(np.random.SeedSequence(seed)) as mechanism:
            return attempt(mechanism, data, np.random.default_rng(seed))


def refusal_of(error: BaseException) -> Refusal:
    """That a run released nothing, and why; a target that broke is raised, since that is no answer."""
    if isinstance(error, NoReleaseError):
        return Refusal(str(error))
    if isinstance(error, TargetError):
        raise error
    if out_of_memory(error):
        raise TargetError(f"it ran out of memory ({told_briefly(error)}): audit it on less data, or with more memory.")
    return Refusal(f"it raised {told_briefly(error)}")


def told_briefly(error: BaseException) -> str:
    """An exception in a few words, even one that cannot tell its own.

    >>> told_briefly(ValueError("no")), told_briefly(KeyError())
    ('ValueError: no', 'KeyError')
    """
    try:
        return f"{type(error).__name__}: {error}".rstrip(": ")
    except BaseException as fault:  # noqa: BLE001  (foreign code: its text may raise too, and anything)
        pass_interrupts(fault)
        return str(type.__dict__["__name__"].__get__(type(error)))  # past what a metaclass says


def key_of(outcome: Outcome) -> str:
    """Equal for equal releases, and one and the same for all runs without a release.

    Two releases that share a key are taken for one. That loses sight of a difference, and never makes one up.
    """
    return NO_RELEASE if outcome.failure is not None else stored_key(outcome.output)


def stored_key(output: Any) -> str:
    """The key of a release that is written to files: it depends on nothing but the release."""
    return NO_RELEASE if output is None or isinstance(output, Refusal) else f"{code(output):016x}"


def common_key(releases: Releases) -> str:
    """The key that all of these releases have, of which there is at least one; `SEVERAL` where two differ.

    >>> common_key(Releases.of([2, 2.0])) == stored_key(2), common_key(Releases.of([2, "a"]))
    (True, 'several')
    """
    key = stored_key(releases[0])
    if not releases.others:
        rows = releases.matrix.view(np.uint64)
        alike = bool((rows == rows[0]).all())
    else:
        others = releases.others.values()
        alike = len(others) == len(releases) and all(stored_key(each) == key for each in others)
    return key if alike else SEVERAL
