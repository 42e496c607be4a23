"""Every kind of output and every behaviour has a leaky twin, and the auditor refutes it."""

from fractions import Fraction
from itertools import count

import numpy as np
import pytest
from attrs import evolve

from crowdproof.audit.calibration import behaviours, laws
from crowdproof.audit.calibration.behaviours import BEHAVIOURS
from crowdproof.audit.calibration.dressings import DRESSINGS, dressing_named
from crowdproof.audit.calibration.generate import AT_THE_DOOR
from crowdproof.audit.calibration.null import Delivery, Null
from crowdproof.audit.calibration.perform import SURE, Result, Trial, perform
from crowdproof.claims import DP, Neighbours

CLAIM = DP("ln 2", 0, Neighbours.REPLACE)
LEAK = laws.response(Fraction(60), Fraction(0), 3)
"""Odds of 60, where 2 are claimed."""
RUNS = 2500
DOOR_RUNS = 12_000
"""At the front door a budget is shared by several tests."""


def verdict(null, runs=RUNS):
    found = perform(Trial(null, SURE, runs, (1,)))
    return found.result, found.text if found.result is not Result.REFUTED else ""


@pytest.mark.parametrize("dressing", DRESSINGS, ids=lambda each: each.name)
def test_in_every_dressing(dressing):
    assert verdict(Null(LEAK, CLAIM, ((0, 1),), dressing)) == (Result.REFUTED, "")


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=str)
def test_with_every_behaviour(behaviour, monkeypatch):
    ticks = count()  # a rate limiter would else show as little as the machine is quick
    monkeypatch.setattr(behaviours, "monotonic", lambda: 0.0004 * next(ticks))
    assert verdict(Null(LEAK, CLAIM, ((0, 1),), dressing_named("text"), behaviour)) == (Result.REFUTED, "")


@pytest.mark.parametrize("delivery", [Delivery.SINGLE, Delivery.LISTED, Delivery.STACKED, Delivery.DEPENDENT], ids=str)
def test_however_runs_are_handed_over(delivery):
    assert verdict(Null(LEAK, CLAIM, ((0, 1),), dressing_named("float"), delivery=delivery)) == (Result.REFUTED, "")


LEAKING = {
    "randomized response": LEAK,
    "geometric": laws.geometric(Fraction(60), 1, 7),
    "groups": laws.groups(2, 8),
    "crowds": laws.crowds(Fraction(2000), 3, 4),
}
"""By how the name of the null's law begins: the same with other odds."""


@pytest.mark.parametrize("make", AT_THE_DOOR)
@pytest.mark.parametrize("kind", ["text", "int", "number or exception, rare"])
def test_at_the_front_door(make, kind):
    null = make(np.random.default_rng(1), dressing_named(kind))
    leak = next(law for name, law in LEAKING.items() if null.law.name.startswith(name))
    if null.claim.notion == "dps" and null.claim.delta:
        # two rows that are shown if both are sampled, against one that never is
        null = evolve(null, claim=evolve(null.claim, delta=Fraction(1, 1000)), pairs_of_cases=((2, 1),))
    assert verdict(evolve(null, law=leak), DOOR_RUNS) == (Result.REFUTED, "")
