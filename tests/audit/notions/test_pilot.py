"""The search for a promising pair leaves no traces."""

import random

import numpy as np

from crowdproof import DP
from crowdproof.audit.allowance import Allowance
from crowdproof.audit.compare.pilot import excess_estimate
from crowdproof.audit.compare.question import Known, Question
from crowdproof.audit.request import Pair
from crowdproof.claims import Neighbours


def test_the_global_random_states_are_put_back():
    claim = DP("0.1")
    question = Question(
        mechanism=lambda data, rng: data + int(rng.integers(0, 3)),
        curve=claim.points,
        neighbours=Neighbours.REPLACE,
        known=Known(finite=False),
    )
    before, numpy_before = random.getstate(), np.random.get_state()  # noqa: NPY002
    leaky = excess_estimate(question, Pair(0, 1, Neighbours.REPLACE, "0 against 1"), Allowance())
    safe = excess_estimate(question, Pair(1, 1, Neighbours.REPLACE, "twice the same"), Allowance())
    assert leaky > 0.1 > safe
    assert random.getstate() == before
    assert np.array_equal(np.random.get_state()[1], numpy_before[1])  # noqa: NPY002
