"""Claims beyond what runs can show are refused, never refuted: e^epsilon is rounded up, not down."""

from fractions import Fraction
from math import exp

import pytest

from crowdproof.audit.compare.betting.sequential import LARGEST, _above_exp
from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon


@pytest.mark.parametrize("epsilon", ["1000", "50", f"ln {10**400}"])
def test_an_epsilon_that_no_number_of_runs_can_refute_is_refused(epsilon):
    with pytest.raises(ParameterError, match="no number of runs"):
        _above_exp(Epsilon.of(epsilon))


@pytest.mark.parametrize("epsilon", ["0", "0.1", "1", "ln 3", "7/3", "12.25", "33"])
def test_the_float_is_above_the_exponential_by_little(epsilon):
    from flint import arb

    exact = Epsilon.of(epsilon)
    ball = arb(exact.value.numerator) / arb(exact.value.denominator)
    truth = ball if exact.logarithm else ball.exp()
    above = _above_exp(exact)
    assert truth <= arb(above)
    assert above < exp(float(exact)) * (1 + 1e-12)
    assert above <= LARGEST
    assert Fraction(above) > 0
