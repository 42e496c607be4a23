"""The search for a promising pair leaves no traces."""

import random
from types import SimpleNamespace

import numpy as np

from crowdproof import DP
from crowdproof.audit.interface import Pair
from crowdproof.audit.notions.pilot import excess_estimate
from crowdproof.claims import Neighbours


def test_the_global_random_states_are_put_back():
    question = SimpleNamespace(whole=lambda data, rng: data + int(rng.integers(0, 3)), claim=DP("0.1"))
    meter = SimpleNamespace(spend=lambda *_: None)
    before, numpy_before = random.getstate(), np.random.get_state()  # noqa: NPY002
    leaky = excess_estimate(question, Pair(0, 1, Neighbours.REPLACE, "0 against 1"), 1, meter)
    safe = excess_estimate(question, Pair(1, 1, Neighbours.REPLACE, "twice the same"), 1, meter)
    assert leaky > 0.1 > safe
    assert random.getstate() == before
    assert np.array_equal(np.random.get_state()[1], numpy_before[1])  # noqa: NPY002
