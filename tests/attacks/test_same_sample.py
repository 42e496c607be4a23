"""The same-sample leak: the LP's numbers again by enumeration, and harmless when the choice has a sample of its own."""

from fractions import Fraction

import pytest

from crowdproof.attacks import same_sample
from crowdproof.audit import Pair, audit
from crowdproof.claims import DPS, Neighbours
from crowdproof.errors import ParameterError
from crowdproof.findings import Refuted
from crowdproof.mechanisms import TwoRecodings


def test_the_smallest_counterexample_exactly():
    story = same_sample.run()
    above = story.victim.success.low - 12 * story.victim.baseline.low
    assert above == Fraction(119, 5120)
    assert story.victim.allowed == 12 * story.victim.baseline.low + Fraction(1, 64)
    assert story.victim.succeeds
    assert story.defended is not None
    assert not story.defended.succeeds


def test_the_auditor_finds_the_same_number_on_the_running_mechanism():
    left, right = TwoRecodings.pair()
    pair = Pair(left, right, Neighbours.ADD_REMOVE, "the counterexample")
    finding = audit(TwoRecodings(), DPS("1/4", "ln 12", "1/64"), pairs=[pair])
    assert isinstance(finding.verdict, Refuted)
    assert finding.verdict.witness.excess.low == Fraction(119, 5120)


@pytest.mark.parametrize(
    ("n", "k", "beta", "x1", "x"), [(4, 3, "1/4", 8, 24), (5, 4, "1/3", 6, 18), (3, 2, "1/4", 4, 12)]
)
def test_other_parameters_of_the_users_choice(n, k, beta, x1, x):
    story = same_sample.run(n=n, k=k, beta=beta, x1=x1, x=x)
    assert story.victim.succeeds == (story.victim.success.low > story.victim.allowed)
    assert story.defended is not None
    assert not story.defended.succeeds


def test_a_small_first_step_does_not_exceed_the_printed_delta():
    story = same_sample.run(x1="1.1", x="3.3")
    assert not story.victim.succeeds


def test_parameters_that_the_theorem_excludes_are_refused():
    with pytest.raises(ParameterError, match="raise x"):
        same_sample.run(x=2)
