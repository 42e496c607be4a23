"""Whether a target may be copied to several workers: not if copies of it would draw the same noise."""

import io
import pickle
import time
from collections.abc import Sequence
from typing import Any

import cloudpickle

from crowdproof.audit.releases import same
from crowdproof.audit.targets import own_process
from crowdproof.audit.targets.behaviour import REPEATS, SEED
from crowdproof.audit.targets.generators import reseed_global, sequence_of
from crowdproof.audit.targets.memory import fingerprint, runs_elsewhere
from crowdproof.audit.targets.run import Outcome, RunOnce
from crowdproof.errors import TargetError
from crowdproof.findings import Note
from crowdproof.mechanism import Mechanism, declares_independence

CHANGES = Note(
    "One process",
    "The target changes as it runs, and copies of it in several workers would not know of one another: all runs were "
    "made in one process. Name it by file.py:function to have it run in several.",
)
NOT_REPEATED = Note(
    "One process",
    "The same seed gave different outputs, so the target draws from a source of its own, and copies of it in several "
    "workers might all draw the same: all runs were made in one process. Let it draw from the generator that it is "
    "given, or name it by file.py:function, to have it run in several.",
)


class Copying:
    """Watches a target through its trial runs, which come between making this object and asking it."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._here = not (declares_independence(mechanism) or runs_elsewhere(mechanism))
        self._before = self._fingerprint()

    def _fingerprint(self) -> bytes:
        return fingerprint(self._mechanism)

    def objection(self, datasets: Sequence[Any], *, until: float | None = None) -> Note | None:
        """Why the target stays in one process; None where it may be copied."""
        if self._fingerprint() != self._before:
            return CHANGES
        if self._here and not all(self._repeated(each, until) for each in datasets):
            return NOT_REPEATED
        return None

    def _repeated(self, data: Any, until: float | None) -> bool:
        """Whether a copy gives the same output for the same seed each time, as long as there is time to try."""
        run = _copy(RunOnce(self._mechanism))
        if run is None:
            return True  # it cannot be sent to a worker, which says so by itself
        with own_process.kept():
            try:
                first = _once(run, data)
                for _ in range(REPEATS):
                    if until is not None and time.time() >= until:
                        return False
                    if not _alike(first, _once(run, data)):
                        return False
            except TargetError:
                return False
        return True


def _once(run: RunOnce, data: Any) -> Outcome:
    reseed_global(sequence_of(SEED))
    return run((data, SEED))


def _copy(run: RunOnce) -> RunOnce | None:
    """What a worker would be sent; None where it cannot be."""
    written = io.BytesIO()
    try:
        cloudpickle.CloudPickler(written).dump(run)
        copied: RunOnce = pickle.loads(written.getvalue())  # noqa: S301  (our own object, from this very process)
    except Exception:  # noqa: BLE001  (foreign code: anything may come)
        return None
    return copied


def _alike(one: Outcome, other: Outcome) -> bool:
    if one.failure is not None or other.failure is not None:
        return (one.failure is None) == (other.failure is None)
    return same(one.output, other.output)
