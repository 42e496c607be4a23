"""A few runs before the audit: does the target answer at all, and with something that can be read?"""

import math
import time
from collections.abc import Sequence
from typing import Any

from attrs import frozen

from crowdproof.audit.releases import canonical
from crowdproof.audit.targets.run import Outcome, RunOnce
from crowdproof.errors import NoReleaseError, TargetError
from crowdproof.mechanism import Mechanism


@frozen
class Probed:
    """What trial runs showed."""

    runs: int
    pace: float
    """Seconds of the quickest run."""


NOTHING = "it returned None: let it return the release, or take the path of a file to write as output_path."
"""What is said of a target that returns None for all data."""
RUNS = 3
"""Runs on each dataset. A guess: with one, a target that refuses now and then would be turned away, and more delay
every audit."""


def probe(mechanism: Mechanism, datasets: Sequence[Any], *, until: float | None = None) -> Probed:
    """Run on each dataset a few times; a target that cannot be audited is an error that says what it did.

    No further run begins when the clock of `time.time` is at `until`.
    """
    run = RunOnce(mechanism)
    outcomes: list[Outcome] = []
    times: list[float] = []
    for data in datasets:
        for seed in range(RUNS):
            if outcomes and until is not None and time.time() >= until:
                break
            start = time.monotonic()
            outcomes.append(run((data, seed)))
            times.append(time.monotonic() - start)
    released = [each.output for each in outcomes if each.failure is None]
    if not released:
        said = _common(outcomes)
        raise NoReleaseError(NOTHING if said == "it returned None" else said)
    forms = [canonical(each) for each in released]  # an output that shows nothing of itself is an error
    if all(_is_nan(each) for each in forms):
        raise TargetError("it returned nothing but nan: make it return a release.")
    return Probed(len(outcomes), pace=min(times))


def _is_nan(release: Any) -> bool:
    """Whether a canonical release is nan, or a list of nothing but nan."""
    if isinstance(release, tuple):
        return len(release) > 0 and all(_is_nan(each) for each in release)
    return isinstance(release, float) and math.isnan(release)


def _common(outcomes: Sequence[Outcome]) -> str:
    reasons = [each.failure for each in outcomes if each.failure is not None]
    return max(set(reasons), key=lambda reason: (reasons.count(reason), reason))
