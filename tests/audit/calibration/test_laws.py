"""The laws of the nulls meet their claims with equality, by exact enumeration."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from crowdproof.audit.calibration import at_edge, generate, laws, named
from crowdproof.audit.calibration.named import E
from crowdproof.claims import DP, DPS, CrowdBlending
from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon

ENOUGH = 400
"""Nulls of the generator: every maker of a law comes many times."""


def allowed(epsilon):
    """A fraction that is at most e^epsilon: what is within it is within the claim."""
    return epsilon.exp_exact or laws.below_exp(float(epsilon))


def whole(null):
    """The law of the answer on the data, sampling included."""
    return null.law if null.sampling is None else laws.sampled(null.law, null.claim.beta)


@pytest.mark.parametrize("seed", [1, 2])
def test_generated_claims_hold_with_equality(seed):
    nulls = [each for each in generate(seed, ENOUGH) if isinstance(each.claim, DP | DPS)]
    kinds = {(type(each.claim), each.claim.delta > 0, each.sampling) for each in nulls}
    assert len(kinds) == 6  # dp and dps by the auditor or by the target, each without and with delta
    for null in nulls:
        law, pairs, x = whole(null), null.pairs_of_cases, allowed(null.claim.epsilon)
        assert laws.edge(law, pairs, x) == null.claim.delta, null.name
        if not null.claim.delta and null.law.name != "data ignored":
            assert laws.loss(law, pairs) == x, null.name


def test_named_claims_hold():
    for null in named():
        assert laws.edge(null.law, null.pairs_of_cases, allowed(null.claim.epsilon)) == 0, null.name
    tight = [null for null in named() if laws.loss(null.law, null.pairs_of_cases) == E]
    assert len(tight) >= 6


def test_crowds_blend_or_are_ignored_with_equality():
    null = next(each for each in generate(1, ENOUGH) if isinstance(each.claim, CrowdBlending))
    x, k, most = null.claim.epsilon.exp_exact, null.claim.k, null.most
    for a, b in product(range(1, most + 1), range(most + 1)):
        without = laws.loss(null.law, [(a * (most + 1) + b, (a - 1) * (most + 1) + b)])
        assert a >= k or without == x  # from k on, k equal rows can be exchanged with no difference at all


@pytest.mark.parametrize(
    ("epsilon", "delta"), [("1", "0"), ("0.1", "1/10"), ("ln 3", "1e-6"), ("12", "1/3"), ("ln(1000003/7)", "0")]
)
def test_nulls_of_a_given_claim_are_inside_by_a_hair(epsilon, delta):
    epsilon, delta = Epsilon.of(epsilon), Fraction(delta)
    for null in at_edge(epsilon, delta):
        x = allowed(epsilon)
        assert laws.edge(null.law, null.pairs_of_cases, x) <= delta
        assert laws.edge(null.law, null.pairs_of_cases, x * Fraction(999, 1000)) > delta - Fraction(1, 10**6)


@pytest.mark.parametrize("epsilon", ["0", "14"])
def test_claims_that_no_null_is_made_for_are_refused(epsilon):
    with pytest.raises(ParameterError, match="the nulls are made for"):
        at_edge(Epsilon.of(epsilon), Fraction(0))


def test_below_exp_is_below():
    from flint import arb

    assert all(
        arb(laws.below_exp(each).numerator) / laws.below_exp(each).denominator <= arb(each).exp()
        for each in (0.0, 0.1, 1.0, 12.0)
    )


def test_by_hand():
    half = laws.response(Fraction(3), Fraction(1, 10), 2)
    assert half.probabilities(0) == (Fraction(27, 40), Fraction(9, 40), Fraction(1, 10), 0)
    assert laws.geometric(Fraction(2), 1, 3).probabilities(1) == (Fraction(1, 3), Fraction(1, 3), Fraction(1, 3))
    one = laws.sampled(laws.groups(1, 1), Fraction(1, 4))
    assert laws.edge(one, [(1, 0)], Fraction(2)) == Fraction(1, 4)  # seen with probability 1/4, else never
    assert laws.loss(one, [(1, 0)]) is None


def test_answers_are_drawn_by_their_law():
    law, size = laws.response(Fraction(5), Fraction(1, 10), 3), 40_000
    ends = law.ends()[1]
    drawn = ends.searchsorted(np.random.default_rng(1).integers(ends[-1], size=size), side="right")
    p = np.array(law.probabilities(1), float)
    off = np.bincount(drawn, minlength=law.answers) - size * p
    assert (np.abs(off) <= 5 * np.sqrt(size * p * (1 - p))).all()
