"""Runs that share their noise: what one of them shows, the next cannot hide, and no claim is refuted by that."""

import numpy as np
import polars as pl
import pytest

import crowdproof as cp
from crowdproof.audit import Budget, Pair, audit
from crowdproof.audit.compare.betting.drift import SHARED, shared_noise
from crowdproof.claims import DP, Neighbours
from crowdproof.findings import Refuted, Undecided

PAIR = Pair([1, 0], [1], Neighbours.ADD_REMOVE, "two rows and one")


class Ticking:
    """Exactly geometric noise that is drawn anew only once in `period` runs, as by a clock."""

    def __init__(self, epsilon, period):
        self.stop, self.period, self.runs = 1 - np.exp(-epsilon), period, 0
        self.rng = np.random.default_rng(7)

    def __call__(self, data, rng):
        if self.runs % self.period == 0:
            self.noise = int(self.rng.geometric(self.stop) - self.rng.geometric(self.stop))
        self.runs += 1
        return len(data) + self.noise


@pytest.mark.parametrize("period", [30, 100, 400])
def test_noise_that_is_kept_for_a_time_refutes_no_true_claim(period):
    finding = audit(Ticking(1, period), DP(1), pairs=[PAIR], budget=Budget(runs=6_000), seed=period)
    assert not isinstance(finding.verdict, Refuted)
    if isinstance(finding.verdict, Undecided):
        assert SHARED in finding.verdict.reason


def test_a_leak_with_noise_of_its_own_in_each_run_is_refuted_whatever_state_there_is():
    class Leaking(Ticking):
        def __call__(self, data, rng):
            return [super().__call__(data, rng), self.runs]

    assert isinstance(audit(Leaking(3, 1), DP(1), pairs=[PAIR], budget=Budget(runs=6_000), seed=1).verdict, Refuted)


def test_only_neighbours_that_are_alike_beyond_chance_share_their_noise():
    rng = np.random.default_rng(0)
    fresh = rng.integers(0, 5, 2_000)
    assert not shared_noise([fresh])
    assert shared_noise([np.repeat(fresh, 10)])
    assert not shared_noise([np.repeat(fresh, 3)])
    assert not shared_noise([np.full(2_000, 7)])
    assert not shared_noise([np.arange(2_000)])


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
@pytest.mark.parametrize("method", ["release", "transform"])
def test_objects_that_hold_their_generator_do_not_repeat_its_draws(make, method):
    class Noisy:
        def __init__(self, epsilon):
            self.stop, self.rng = 1 - np.exp(-epsilon), make(5)

        def fit(self, table):
            return self

        def _count(self, table):
            return table.height + int(self.rng.geometric(self.stop) - self.rng.geometric(self.stop))

    setattr(Noisy, method, Noisy._count)
    data = pl.DataFrame({"age": [30, 31, 45, 60, 22]})
    for epsilon, refuted in ((1, False), (5, True)):
        finding = cp.examine(Noisy(epsilon), "dp(epsilon=1)", data=data, seed=3, runs=4_000)
        assert isinstance(finding.verdict, Refuted) == refuted
