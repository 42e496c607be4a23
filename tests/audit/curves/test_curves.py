"""Claims that are curves: examined at all their points, exactly and by one test by betting."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from curve_targets import ZERO_ONE, Gaussian, Response

from crowdproof import DP, FDP, GDP, RDP, ZCDP, NotRefuted, Refuted, parse_claim
from crowdproof.audit import Budget, audit
from crowdproof.audit.compare.betting import sequential_audit
from crowdproof.audit.compare.betting.wealth import parts_of
from crowdproof.audit.compare.curve import COARSE, points_of, spread
from crowdproof.audit.replay import replay
from crowdproof.audit.runners.inline import Inline
from crowdproof.claims import PARSEABLE, DistributionClaim, Neighbours
from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon
from crowdproof.proofs.bounds.conversions import gdp_delta
from crowdproof.report import FORMATS, render
from crowdproof.wire import dumps, loads

TRUE = FDP("0:0.55|ln 3:0.1")  # of Response(3, 1/10), exactly
CURVES = (TRUE, GDP(1), ZCDP("0.5"), RDP(4, 1), DP(1, "1e-3"))


def bet(mechanism, points, *, seed=0, runs=20_000, error=Fraction(1, 10**6), **options):
    return sequential_audit(
        [ZERO_ONE],
        mechanism,
        points,
        error=error,
        budget=Budget(runs=runs),
        seed=np.random.SeedSequence(seed),
        runner=Inline(),
        **options,
    )


@pytest.mark.parametrize("claim", CURVES, ids=str)
def test_a_curve_falls_and_its_first_point_can_be_seen(claim):
    points = points_of(claim)
    assert all(one.epsilon < two.epsilon for one, two in pairwise(points))
    assert all(one.delta > two.delta for one, two in pairwise(points))
    assert spread(points)[0] == points[0]
    assert len(spread(points)) <= COARSE
    assert set(spread(points)) <= set(points)


@pytest.mark.parametrize("text", ["gdp(mu=140)", "zcdp(rho=9800)", "rdp(alpha=2, epsilon=9900)"])
def test_a_claim_that_allows_everything_is_refused_and_never_made_stronger(text):
    with pytest.raises(ParameterError, match="allows everything"):
        points_of(parse_claim(text))


@pytest.mark.parametrize(
    "text",
    ["gdp(mu=0.0014)", "zcdp(rho=1e-6)", "rdp(alpha=10000, epsilon=1)", "gdp(mu=6)", "zcdp(rho=15)", "gdp(mu=60)"],
)
def test_claims_of_any_size_have_points_and_each_holds_if_the_claim_does(text):
    claim = parse_claim(text)
    points = points_of(claim)
    assert len(points) > 1
    assert all(0 <= each.delta < 1 for each in points)
    assert all(each.epsilon.exp() <= 1e15 for each in spread(points)) or all(
        each.epsilon.exp() > 1e15 / 2 for each in points
    )


def test_points_of_a_gaussian_curve_are_never_below_it():
    for point in points_of(GDP(1)):
        assert point.delta >= gdp_delta(Fraction(1), point.epsilon).high


def test_claims_without_any_privacy_loss_have_one_point():
    for claim in (GDP(0), ZCDP(0), RDP(2, 0)):
        assert [str(point) for point in points_of(claim)] == ["0:0"]


def test_the_exact_engine_looks_at_every_point():
    at_the_edge = audit(Response(Fraction(3), Fraction(1, 10)), TRUE, pairs=[ZERO_ONE])
    assert isinstance(at_the_edge.verdict, NotRefuted)
    assert "none of the 2 points" in at_the_edge.verdict.detectable
    for mechanism, claim, broken in (
        (Response(Fraction(3), Fraction(1, 10)), FDP("0:0.5499|ln 3:0.1"), "0"),
        (Response(Fraction(2), Fraction(101, 1000)), TRUE, "ln 3"),
    ):
        found = audit(mechanism, claim, pairs=[ZERO_ONE])
        assert isinstance(found.verdict, Refuted)
        assert found.verdict.witness.point.epsilon == Epsilon.of(broken)
        assert found.verdict.witness.excess.low > found.verdict.witness.point.delta
        assert "since it implies (ε = " in " ".join(str(found).split())


@pytest.mark.parametrize(
    ("mechanism", "claim", "refuted"),
    [
        (Response(Fraction(3), Fraction(1, 10)), TRUE, False),
        (Response(Fraction(33, 10), Fraction(11, 100)), TRUE, True),
        (Gaussian(1.0), GDP(1), False),
        (Gaussian(1 / 1.4), GDP(1), True),
        (Gaussian(1.0), ZCDP("1/2"), False),
        (Gaussian(1 / 2), ZCDP("1/2"), True),
        (Gaussian(1.0), RDP(4, 2), False),
        (Gaussian(1 / 2.5), RDP(4, 2), True),
    ],
    ids=str,
)
def test_one_test_by_betting_for_the_whole_curve(mechanism, claim, refuted):
    # the second response is beyond the claim by a tenth, which takes many runs
    runs = 300_000 if isinstance(mechanism, Response) and refuted else 20_000
    found = bet(mechanism, spread(points_of(claim)), runs=runs, bounds=False)
    assert (found.refuted is not None) is refuted


def test_a_curve_of_one_point_is_the_point():
    one = bet(Gaussian(0.6), DP(1, "0.1").points, runs=5_000)
    same = bet(Gaussian(0.6), FDP("1:0.1").points, runs=5_000)
    assert (one.log_e, one.trials, one.trace, one.state) == (same.log_e, same.trials, same.trace, same.state)
    assert "points" not in one.state


def test_the_wealth_of_a_curve_is_the_average_over_its_points():
    points = spread(points_of(GDP(1)))
    found = bet(Gaussian(1.0), points, runs=600, stop=False, bounds=False)
    held = np.array(found.state["points"])
    assert len(held) == len(points)
    assert found.log_e == pytest.approx(float(np.logaddexp.reduce(held)))


def test_a_point_is_called_refuted_by_itself_only_with_enough_of_the_wealth():
    points = spread(points_of(GDP(1)))
    for seed in range(4):
        found = bet(Gaussian(0.5), points, seed=seed, bounds=False)
        most = max(found.state["points"])
        assert found.refuted.point == found.point
        assert found.refuted.alone == (most >= np.log(1e6))


def test_what_slices_win_multiplies_up_point_by_point():
    first, second = np.array([3.0, -2.0, 0.0]), np.array([2.0, 1.0, -1.0])
    start = parts_of(3)
    slices = np.logaddexp.reduce(start + first), np.logaddexp.reduce(parts_of(3, list(start + first)) + second)
    both = np.logaddexp.reduce(start + first + second)
    assert sum(slices) == pytest.approx(both, abs=0.02)
    for damaged in (None, "text", [1.0], [float("nan")] * 3, [-np.inf] * 3):
        assert parts_of(3, damaged).tolist() == start.tolist()


def test_a_refuted_curve_is_replayed_and_told_in_every_format():
    found = audit(Gaussian(0.4), GDP(1), pairs=[ZERO_ONE], budget=Budget(runs=20_000))
    assert isinstance(found.verdict, Refuted)
    (back,) = loads(dumps([found]))
    assert back.verdict.witness.point == found.verdict.witness.point
    assert isinstance(replay(back, Gaussian(0.4), seed=3).verdict, Refuted)
    for name in FORMATS:
        assert "gdp" in render([found], name)


def test_every_claim_on_distributions_is_examined():
    kinds = [each for each in PARSEABLE.values() if issubclass(each, DistributionClaim)]
    assert len(kinds) >= 6
    for claim in (*CURVES, parse_claim("dps(beta=0.5, epsilon=1, delta=0.1)")):
        kinds.remove(type(claim))
        assert points_of(claim)
    assert not kinds


def test_neighbours_may_be_replaced():
    claim = parse_claim("gdp(mu=1, neighbours=replace)")
    assert claim.neighbours is Neighbours.REPLACE
    assert str(claim) == "gdp(mu=1, neighbours=replace)"
