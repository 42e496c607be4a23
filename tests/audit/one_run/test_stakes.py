"""The evidence of bets on coins: its mean is at most 1 under a true claim, exactly, by enumeration of small games."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from crowdproof.audit.one_run.comparing import Compared
from crowdproof.audit.one_run.judging import judge
from crowdproof.audit.one_run.planning import plan
from crowdproof.audit.one_run.stakes import Stakes
from crowdproof.exact import Epsilon


def evidence(stakes, expected, coins):
    return math.exp(stakes.log_evidence(float(stakes.gains(np.array(expected), np.array(coins)).sum())))


def mean_evidence(law, canaries, stakes, strategy):
    """The mean over all coins and all releases; `law(coins)` is the probability of each release."""
    total = 0.0
    for coins in product([False, True], repeat=canaries):
        for release, probability in law(coins).items():
            expected = [strategy(release, place, coins[:place]) for place in range(canaries)]
            total += probability * 0.5**canaries * evidence(stakes, expected, coins)
    return total


def response(epsilon, delta):
    """Each coin is told with probability e^epsilon / (1 + e^epsilon), and with probability delta all are, for sure."""
    p = math.exp(epsilon) / (1 + math.exp(epsilon))

    def law(coins):
        laws = {}
        for told in product([False, True], repeat=len(coins)):
            agreeing = sum(a == b for a, b in zip(told, coins, strict=True))
            laws["noisy", told] = (1 - delta) * p**agreeing * (1 - p) ** (len(coins) - agreeing)
        laws["sure", tuple(coins)] = delta
        return laws

    return law


STRATEGIES = {
    "believes the release": lambda release, place, _: 0.98 if release[1][place] else 0.02,
    "believes it where it is sure": lambda release, place, _: (
        0.5 if release[0] == "noisy" else 0.999 if release[1][place] else 0.001
    ),
    "doubts it": lambda release, place, _: 0.1 if release[1][place] else 0.9,
    "goes by the coins before": lambda _, place, before: (1 + sum(before)) / (2 + place),
}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.0), (1.0, 0.01), (0.3, 0.1), (2.0, 0.2), (0.0, 0.05)])
def test_the_mean_of_the_evidence_is_at_most_one(strategy, epsilon, delta):
    stakes = Stakes.of(Epsilon.of(epsilon), Fraction(delta), 4)
    assert mean_evidence(response(epsilon, delta), 4, stakes, STRATEGIES[strategy]) <= 1 + 1e-9


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.0), (0.3, 0.02)])
def test_a_claim_that_is_too_good_has_a_larger_mean(epsilon, delta):
    stakes = Stakes.of(Epsilon.of(epsilon), Fraction(delta), 4)
    leaky = response(3.0, delta)
    assert mean_evidence(leaky, 4, stakes, STRATEGIES["believes the release"]) > 1.1


@pytest.mark.parametrize("delta", [0.02, 0.2])
def test_without_the_price_of_delta_the_mean_would_be_above_one(delta):
    """The mutant: the same bets, with the winnings themselves for evidence."""
    stakes = Stakes.of(Epsilon.of(0.5), Fraction(delta), 4)
    law = response(0.5, delta)
    total = 0.0
    for coins in product([False, True], repeat=4):
        for release, probability in law(coins).items():
            expected = [STRATEGIES["believes it where it is sure"](release, place, ()) for place in range(4)]
            gains = stakes.gains(np.array(expected), np.array(coins))
            total += probability / 16 * math.exp(float(gains.sum()))
    assert total > 1.001


def worst_mean(stakes, canaries, ratio):
    """The largest mean of the evidence at any strategy of bets, against a mechanism that spends delta where it pays.

    A second route: the mechanism is given more than it could have, as much excess of each guess as there is in all, at
    whichever wealth it pays most. For each step that adds `excess` times the difference of a right and a wrong guess.
    """
    excess = stakes.delta / (1 + math.exp(stakes.epsilon))
    p = 1 / (1 + math.exp(-stakes.epsilon))
    grid = np.linspace(-8, 8, 1601)
    psi = np.exp([stakes.log_evidence(each) for each in grid])
    right, wrong = math.log(ratio[0]), math.log(ratio[1])
    value, added = psi, 0.0
    for _ in range(canaries):
        up, down = np.interp(grid + right, grid, value), np.interp(grid + wrong, grid, value)
        added += excess * float((up - down).max())
        value = p * up + (1 - p) * down
    return float(np.interp(0.0, grid, value)) + added


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-3), (1.0, 1e-2), (2.0, 1e-4), (0.1, 0.1)])
@pytest.mark.parametrize("sure", [0.7, 0.85, 0.9])
def test_no_mechanism_with_that_delta_wins_more_in_the_mean(epsilon, delta, sure):
    stakes = Stakes.of(Epsilon.of(epsilon), Fraction(delta), 12)
    bet = min(sure, stakes.surest)
    if bet <= stakes.most:
        bet = stakes.surest
    ratio = bet / stakes.most, (1 - bet) / (1 - stakes.most)
    assert worst_mean(stakes, 12, ratio) <= 1 + 1e-6


def test_no_bet_pays_more_than_the_price_of_delta_allows_for():
    for epsilon, delta in product([0.0, 0.5, 3.0, 20.0, 800.0], [0.0, 1e-9, 0.1]):
        stakes = Stakes.of(Epsilon.of(epsilon), Fraction(delta), 10)
        for expected in (0.0, 0.3, 0.5, 0.99, 1.0):
            inside, out = (float(stakes.gains(np.array([expected]), np.array([coin]))[0]) for coin in (True, False))
            assert abs(inside - out) <= stakes.ratio + 1e-9
            assert math.isfinite(inside)
            assert math.isfinite(out)


def test_sure_canaries_give_the_planned_evidence():
    """What a plan promises, by judging a release that tells of just so many canaries for sure."""
    error = Fraction(1, 10**6)
    rng = np.random.default_rng(1)
    for epsilon, delta in [("1", "0"), ("0.5", "1e-9")]:
        planned = plan(Epsilon.of(epsilon), Fraction(delta), canaries=3000, runs=1, error=error)
        coins = rng.integers(2, size=3000).astype(bool)
        told = np.zeros(3000)
        told[np.flatnonzero(coins)[: 2 * planned.told]] = 1.0
        stakes = Stakes.of(Epsilon.of(epsilon), Fraction(delta), 3000)
        found = judge(Compared(("told",), told[None, :], ("extreme",) * 3000), coins, stakes)
        assert found.log_evidence >= -math.log(float(error))
        told[np.flatnonzero(coins)[planned.told // 2 :]] = 0.0
        fewer = judge(Compared(("told",), told[None, :], ("extreme",) * 3000), coins, stakes)
        assert fewer.log_evidence < -math.log(float(error))


def test_a_plan_says_where_no_release_can_refute():
    hopeless = plan(Epsilon.of(1), Fraction(1, 1000), canaries=1000, runs=1, error=Fraction(1, 10**6))
    assert hopeless.told is None
    assert "No release can refute" in str(hopeless)
