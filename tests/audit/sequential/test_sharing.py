"""Pairs with a dataset in common share its runs, and what they show together is still an e-value."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from attrs import Factory, frozen

from crowdproof.audit.compare.betting import sequential_audit
from crowdproof.audit.compare.betting.bets import Goal, choose
from crowdproof.audit.compare.betting.hypotheses import Nulls
from crowdproof.audit.compare.betting.sharing import arms_of, same_data, shared
from crowdproof.audit.compare.betting.thresholds import strongest
from crowdproof.audit.compare.betting.wealth import in_equal_parts
from crowdproof.audit.request import Budget, Pair
from crowdproof.audit.runners.inline import Inline
from crowdproof.claims import Neighbours, Point


def pair(left, right):
    return Pair(left, right, Neighbours.REPLACE, f"{left} against {right}")


STAR = [pair(0, each) for each in range(1, 5)]
APART = [pair(each, each + 1) for each in range(0, 8, 2)]


@frozen
class Counted:
    """Randomized response among eight answers, and how often each dataset was run."""

    x: float
    runs: Counter = Factory(Counter)

    def batch(self, data, rng, size):
        self.runs[data] += size
        honest = rng.random(size) < self.x / (self.x + 7)
        answers = np.where(honest, data, (data + rng.integers(1, 8, size)) % 8)
        return answers.astype(float)[:, None]

    def __call__(self, data, rng):
        return tuple(self.batch(data, rng, 1)[0].tolist())


def audit(mechanism, pairs, *, epsilon, seed=0, runs=4000, error=Fraction(1, 10**6), **options):
    return sequential_audit(
        pairs,
        mechanism,
        [Point(epsilon)],
        error=error,
        budget=Budget(runs=runs),
        seed=np.random.SeedSequence(seed),
        runner=Inline(),
        **options,
    )


def test_equal_datasets_have_one_number_and_the_sides_of_a_pair_never_have():
    arms = arms_of([pair(np.array([1]), np.array([2])), pair(np.array([2]), np.array([3])), pair("a", "a")])
    assert [arm.datasets for arm in arms] == [(0, 1), (1, 2), (3, 4)]
    assert [[(arm.index, side) for arm, side in each.users] for each in shared(arms[:2])] == [
        [(0, 0)],
        [(0, 1), (1, 0)],
        [(1, 1)],
    ]


@pytest.mark.parametrize(
    ("one", "two", "alike"),
    [
        (pl.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]}), True),
        (pl.DataFrame({"a": [1]}), pl.DataFrame({"a": [1.0]}), False),
        (pl.DataFrame({"a": [1]}), pl.DataFrame({"b": [1]}), False),
        (np.array([0.0]), np.array([-0.0]), False),
        (pl.DataFrame({"a": [0.0]}), pl.DataFrame({"a": [-0.0]}), False),
        (pl.DataFrame({"a": [[0.0]]}), pl.DataFrame({"a": [[-0.0]]}), False),
        (pl.DataFrame({"a": [0.5, None]}), pl.DataFrame({"a": [0.5, None]}), True),
        (np.zeros((2, 1)), np.zeros((1, 2)), False),
        (1, True, False),
        ([1], [1], False),
    ],
)
def test_only_what_no_target_can_tell_apart_is_the_same(one, two, alike):
    assert same_data(one, two) is alike


def test_a_dataset_of_several_pairs_is_run_once_for_all_of_them():
    together, alone = Counted(2.0), Counted(2.0)
    star, apart = audit(together, STAR, epsilon="ln 2"), audit(alone, APART, epsilon="ln 2")
    assert star.trials == sum(together.runs.values()) <= 4000
    assert apart.trials == sum(alone.runs.values()) == 2 * sum(apart.pair_trials)
    assert sum(star.pair_trials) > 1.1 * star.trials / 2
    assert together.runs[0] >= max(together.runs[each] for each in range(1, 5))


def test_a_bound_is_raised_by_one_pair_at_a_time():
    mechanism = Counted(2.0)
    result = audit(mechanism, STAR, epsilon="1/100", measure=True)
    assert result.trials == 2 * sum(result.pair_trials)


@pytest.mark.long
def test_a_leak_is_found_in_fewer_runs_where_pairs_share_a_dataset():
    """The same law on every pair: only what is shared differs. Medians of 15 audits."""
    needed = [
        np.median(
            [
                audit(Counted(2.0), pairs, epsilon="1/2", seed=seed, runs=10**5, bounds=False).trials
                for seed in range(15)
            ]
        )
        for pairs in (STAR, APART)
    ]
    assert needed[0] < needed[1]


def test_blocks_that_share_runs_have_mean_one_in_equal_parts_and_more_multiplied():
    """Exactly, at the edge of the claim, over all outputs of one trial on two pairs with the same left dataset."""
    x, q = 2.0, 0.3
    p = x * q
    seen = np.array([400, 600]), np.array([900, 100])
    nulls = Nulls.of(x, 0.0)
    bets = choose(*seen, nulls, strongest(*seen, nulls), Goal(np.array([5.0]), 100))
    mean = product = np.zeros(len(bets.log_left))
    for left, one, two in itertools.product((0, 1), repeat=3):
        chance = (p if left else 1 - p) * np.prod([q if each else 1 - q for each in (one, two)])
        gained = [bets.pay(np.eye(2, dtype=int)[left], np.eye(2, dtype=int)[each])[:, 0] for each in (one, two)]
        mean = mean + chance * np.exp([in_equal_parts(each) for each in zip(*gained, strict=True)])
        product = product + chance * np.exp(sum(gained))
    assert (mean <= 1 + 1e-12).all()
    assert mean.max() > 0.9
    assert product.max() > 1.01


@pytest.mark.long
def test_pairs_that_share_a_dataset_do_not_refute_a_true_claim_too_often():
    """150 audits at error 0.2, at the edge: more than 55 alarms have probability below 1e-6 if the rate is 0.2."""
    alarms = sum(
        audit(Counted(3.0), STAR, epsilon="ln 3", seed=seed, runs=1500, error=Fraction(1, 5), bounds=False).refuted
        is not None
        for seed in range(150)
    )
    assert alarms <= 55
