"""The auditor keeps its promise on claims that hold with nothing to spare, and would be caught if it did not."""

from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve

from crowdproof.audit import calibrate as subject
from crowdproof.audit.calibrate import Rate, calibrate, finding, group_delta, nulls
from crowdproof.audit.releases.keys import row_codes
from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon
from crowdproof.findings import NotRefuted, Refuted

ERROR = Fraction(1, 20)


def test_true_claims_are_refuted_no_more_often_than_promised():
    """At a rate of 1/20, more than 11 alarms in 40 audits have probability below 1e-6."""
    found = calibrate(Epsilon.of("1"), Fraction(1, 50), error=ERROR, audits=8, runs=800, seed=4)
    assert sum(rate.audits for rate in found.rates) == 40
    assert sum(rate.alarms for rate in found.rates) <= 11
    assert found.sound
    assert isinstance(finding(found, 4).verdict, NotRefuted)


def test_a_broken_auditor_is_caught(monkeypatch):
    """The same audits against a claim that is too strong by half: as if the bets were wrong."""
    honest = subject._audits

    def dishonest(null, *rest):
        return honest(evolve(null, epsilon=Epsilon.of(float(null.epsilon) / 4), delta=Fraction(0)), *rest)

    monkeypatch.setattr(subject, "_audits", dishonest)
    found = calibrate(Epsilon.of("2"), Fraction(0), error=ERROR, audits=8, runs=1500)
    assert not found.sound
    assert isinstance(finding(found, 0).verdict, Refuted)


def test_disagreeing_workers_are_unsound():
    found = calibrate(Epsilon.of("1"), Fraction(0), audits=1, runs=300)
    assert found.sound
    assert not evolve(found, agree=False).sound


@pytest.mark.parametrize(("epsilon", "delta"), [("0.5", Fraction(0)), ("ln 3", Fraction(1, 20))])
def test_the_nulls_are_at_the_edge(epsilon, delta):
    """By a second route: the empirical hockey-stick divergence of many outputs is the claimed delta."""
    size = 200_000
    found = nulls(Epsilon.of(epsilon), delta)
    assert max(len(null.pairs) for null in found) > 1
    for null, pair in ((each, pair) for each in found for pair in each.pairs):
        sides = [
            null.mechanism.batch(data, np.random.default_rng(place), size).reshape(size, -1)
            for place, data in enumerate((pair.left, pair.right))
        ]
        if null.name == "Laplace noise":
            sides = [np.where(side > 1e5, side, np.digitize(side, [0, 1])) for side in sides]
        _, codes = np.unique(np.concatenate([row_codes(side) for side in sides]), return_inverse=True)
        p, q = (np.bincount(each, minlength=codes.max() + 1) / size for each in (codes[:size], codes[size:]))
        x = null.epsilon.exp()
        excess = max(np.maximum(p - x * q, 0).sum(), np.maximum(q - x * p, 0).sum())
        assert excess == pytest.approx(float(null.delta), abs=0.02)


def test_group_delta_is_exact():
    assert group_delta(1, 1, Fraction(1, 4), 2.0) == Fraction(
        1, 4
    )  # seen with probability 1/4, never on the other side


def test_rates():
    assert Rate("a", 100, 0, ()).low == 0
    assert Rate("a", 100, 30, ()).low > 0.05
    with pytest.raises(ParameterError):
        nulls(Epsilon.of("0"), Fraction(0))
