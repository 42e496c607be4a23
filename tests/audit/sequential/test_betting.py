"""The bets are e-variables: checked by exact expectations over every point on the edge of the claim."""

import itertools

import numpy as np
import pytest

from crowdproof.audit.compare.betting.bets import Goal, choose
from crowdproof.audit.compare.betting.hypotheses import Nulls, growth_rate
from crowdproof.audit.compare.betting.thresholds import Events, strongest, three_cells
from crowdproof.audit.compare.betting.wealth import Wealth, of_all_pairs

SHAPES = [
    ([50, 30, 20], [20, 30, 50]),
    ([900, 90, 10], [400, 500, 100]),
    ([1000, 0, 0], [0, 0, 1000]),
    ([10, 0, 990], [0, 10, 990]),
    ([333, 333, 334], [333, 333, 334]),
]
CLAIMS = [(1.0, 0.0), (1.5, 0.0), (3.0, 0.02), (20.0, 0.0), (1.1, 0.3), (1.0, 0.999)]


def suggested(left, right, nulls, goal):
    counts = np.array(left), np.array(right)
    return choose(*counts, nulls, strongest(*counts, nulls), goal)


def edge_points(x, delta):
    """Laws (P, Q) on three bins that satisfy the claim both ways, many of them with equality somewhere."""
    shares = np.linspace(0, 1, 13)
    for a, b in itertools.product(shares, shares):
        if a + b > 1:
            continue
        q = np.array([a, b, 1 - a - b])
        for lift in itertools.permutations(range(3)):
            p = q.copy()
            most = min(x * q[lift[0]] + delta, 1.0)
            p[lift[0]] = most
            rest = 1 - most
            p[lift[1]] = min(max(q[lift[1]] / x - delta, 0), rest)
            p[lift[2]] = rest - p[lift[1]]
            if satisfies(p, q, x, delta) and satisfies(q, p, x, delta):
                yield p, q


def satisfies(p, q, x, delta):
    return np.maximum(p - x * q, 0).sum() <= delta + 1e-12


@pytest.mark.parametrize(("left", "right"), SHAPES)
@pytest.mark.parametrize(("x", "delta"), CLAIMS)
def test_the_mean_wealth_of_a_trial_is_at_most_one_everywhere_on_the_claim(left, right, x, delta):
    nulls = Nulls.of(x, delta)
    bets = suggested(left, right, nulls, Goal(np.array([13.8]), 10_000))
    cells = np.array([three_cells(np.eye(3, dtype=int)[bin_], bets.events)[0] for bin_ in range(3)])
    checked = 0
    for p, q in edge_points(x, delta):
        for strategy in range(len(bets.log_left)):
            mean_left = p @ np.exp(cells @ bets.log_left[strategy, 0])
            mean_right = q @ np.exp(cells @ bets.log_right[strategy, 0])
            assert mean_left * mean_right <= 1 + 1e-9
            assert mean_left + mean_right <= 2 + 1e-9  # so that blocks of any size are sound
            checked += 1
    assert checked > 20


def test_a_claim_that_is_not_on_the_edge_is_beaten():
    """The twin of the test above: the same bets do gain where the claim is false."""
    bets = suggested([20, 80], [60, 40], Nulls.of(1.1, 0.0), Goal(np.array([13.8]), 1000))
    gained = bets.pay(np.array([200, 800]), np.array([600, 400]))
    assert gained[0] > 100  # as much as is possible
    assert gained[1] < 0  # nearly all at stake: too much
    assert (gained[2:] > 0).all()
    assert gained[-1] > 13.8  # the goal


def test_growth_is_the_distance_from_the_claim():
    """By a second route: the KL projection found by brute force along the edge."""
    for p, q, x, delta in [(0.3, 0.1, 2.0, 0.0), (0.6, 0.2, 1.5, 0.1), (0.01, 0.0001, 20.0, 0.0)]:
        q0 = np.linspace(1e-9, min((1 - delta) / x, 1) - 1e-9, 2_000_001)
        p0 = x * q0 + delta
        distance = p * np.log(p / p0) + (1 - p) * np.log((1 - p) / (1 - p0))
        distance += q * np.log(q / q0) + (1 - q) * np.log((1 - q) / (1 - q0))
        assert growth_rate(*map(np.array, (p, q, x, delta))) == pytest.approx(distance.min(), rel=0.02)


def test_bets_reach_the_growth_that_is_possible():
    p, q, x = 0.3, 0.1, 2.0
    counts = np.array([700_000, 300_000]), np.array([900_000, 100_000])
    bets = suggested(*counts, Nulls.of(x, 0.0), Goal(np.array([13.8]), 10_000))
    assert bets.growth[0] >= 0.999 * growth_rate(*map(np.array, (p, q, x, 0.0)))


def test_nothing_is_bet_on_nothing():
    bets = suggested([0, 0, 0], [0, 0, 0], Nulls.of(2.0, 0.0), Goal(np.array([1.0]), 10))
    assert (bets.pay(np.array([5, 0, 0]), np.array([0, 0, 5])) == 0).all()


def test_wealth_is_the_average_of_its_parts():
    wealth = Wealth.start((0.25, 0.75), 2)
    wealth.gain(np.log([[4.0, 1.0], [2.0, 0.5]]))
    np.testing.assert_allclose(np.exp(wealth.total), [0.25 * 4 + 0.75 * 2, 0.25 + 0.75 * 0.5])
    wealth.gain(np.log([[0.1], [0.1]]), [0])
    np.testing.assert_allclose(np.exp(wealth.peak), [2.5, 1.0])


def test_pairs_add_up_and_do_not_drag_each_other_down():
    assert of_all_pairs(np.array([7.0, 7.0, 0.0, 0.0]), 14.0) == pytest.approx(14 - np.log(2), abs=0.01)
    assert of_all_pairs(np.array([14.0, -50.0, -50.0, -50.0]), -136) == pytest.approx(14 - np.log(2 * 4), abs=0.01)


def test_the_wealth_of_all_pairs_has_mean_one_where_theirs_have():
    """Exactly, over all ways that fair coins fall on two pairs, the second of which is bet on only if the first won."""
    means = []
    for first, second in itertools.product((np.log(1.5), np.log(0.5)), repeat=2):
        gains = np.array([first, second if first > 0 else 0.0])
        means.append(np.exp(of_all_pairs(gains, gains.sum())) / 4)
    assert sum(means) == pytest.approx(1)


def test_one_of_the_fixed_stakes_suits_the_excess():
    """By a second route: the growth of each stake at the true law, against the largest that any bet can have."""
    p, q, x = 0.5, 0.47, 1.02
    counts = np.array([500_000, 500_000]), np.array([530_000, 470_000])
    bets = suggested(*counts, Nulls.of(x, 0.0), Goal(np.array([13.8]), 10_000))
    growth = bets.pay(*counts)[:, 0] / 1_000_000
    possible = growth_rate(*map(np.array, (p, q, x, 0.0)))
    assert 0.8 * possible < growth[1:-1].max() <= possible * (1 + 1e-6)
    assert growth.min() < 0  # the largest stake is too much for it


def test_the_goal_is_reached_as_often_as_a_test_of_fixed_size_would():
    """Played on normal trials: under the claim at most the error, and beyond it nearly the power of the z-test."""
    rng, error, blocks, lives = np.random.default_rng(5), 0.05, 200, 4000
    for shift, low, high in ((0.0, 0.02, 0.05), (1.645 + 1.2816, 0.84, 0.91)):
        wealth = np.zeros(lives)
        for block in range(blocks):
            stake = Goal(-np.log(error) - wealth, blocks - block).deviation
            wealth += stake * (shift / np.sqrt(blocks) + rng.normal(size=lives)) - stake**2 / 2
        reached = float((wealth >= -np.log(error) - 1e-9).mean())
        assert low < reached < high + 6 * np.sqrt(high / lives)


def test_events_that_meet_leave_the_stronger():
    up, down = np.array([2.0, 1.0]), np.array([1.0, 2.0])
    events = Events.apart(np.array([1, 1]), np.array([2, 2]), up, down, 3)
    assert events.top.tolist() == [1, 3]
    assert events.bottom.tolist() == [0, 2]
