"""Claims: exact, frozen, out-of-range values refused by name, text that reads back."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdproof import DP, DPS, Assertion, CrowdBlending, KAnonymity, Neighbours, Safe, parse_claim
from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon

epsilons = st.one_of(
    st.fractions(min_value=0, max_value=20, max_denominator=999).map(Epsilon.of),
    st.fractions(min_value=1, max_value=99, max_denominator=99).map(lambda q: Epsilon.of(f"ln({q})")),
)
deltas = st.fractions(min_value=0, max_value=1, max_denominator=10**9).filter(lambda delta: delta < 1)
betas = deltas.filter(bool)
counts = st.integers(min_value=1, max_value=10**6)
relations = st.sampled_from(Neighbours)
names = st.lists(st.from_regex(r"[a-z][a-z_ -]{0,8}[a-z]", fullmatch=True), min_size=1, max_size=4, unique=True)
claims = st.one_of(
    st.builds(DP, epsilons, deltas, relations),
    st.tuples(betas, epsilons, deltas, relations).filter(lambda t: t[2] < t[0]).map(lambda t: DPS(*t)),
    st.builds(CrowdBlending, counts, epsilons),
    st.builds(Safe, epsilons, relations),
    st.builds(KAnonymity, counts, names | st.none()),
)


@given(claims)
def test_the_text_of_a_claim_reads_back(claim):
    assert parse_claim(str(claim)) == claim


@given(claims)
def test_claims_are_frozen_and_hashable(claim):
    assert hash(claim) == hash(attrs.evolve(claim))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        claim.epsilon = 1


@given(betas, epsilons)
def test_a_dps_claim_needs_delta_below_beta(beta, epsilon):
    with pytest.raises(ParameterError, match="needs delta < beta"):
        DPS(beta, epsilon, beta)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: DP(-1), "epsilon is -1"),
        (lambda: DP(10_001), "epsilon is above 10000"),
        (lambda: DP("1e999"), "epsilon is above 10000"),
        (lambda: DP("ln 1e4400"), "epsilon is above 10000"),
        (lambda: DP("1e99999999"), "epsilon is 1e99999999, which is too extreme"),
        (lambda: DP(1, "1e-99999999"), "delta is 1e-99999999, which is too extreme"),
        (lambda: DP(1, 1), "delta is 1"),
        (lambda: DP(1, -0.1), "delta is -0.1"),
        (lambda: DP(1, 0, "swap"), "neighbours is 'swap'"),
        (lambda: DPS(0, 1), "beta is 0"),
        (lambda: DPS(1, 1), "beta is 1"),
        (lambda: DPS(1.5, 1), "beta is 1.5"),
        (lambda: CrowdBlending(0), "k is 0"),
        (lambda: CrowdBlending(2.5), "k is 2.5"),
        (lambda: Safe("ln 0.1"), "epsilon is"),
        (lambda: KAnonymity(0), "k is 0"),
        (lambda: KAnonymity(5, []), "columns is empty"),
        (lambda: KAnonymity(5, "age|zip|age"), "age is named twice: name each column once"),
    ],
)
def test_out_of_range_is_refused_by_name_and_value(make, named):
    with pytest.raises(ParameterError) as caught:
        make()
    assert named in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("private", "is not a claim"),
        ("magic(epsilon=1)", "is not a claim"),
        ("dp()", "needs epsilon"),
        ("dp(1)", "has no name"),
        ("dp(epsilon=1, epsilon=2)", "given twice"),
        ("dp(epsilon=1, beta=0.5)", "no parameter 'beta'"),
        ("dp(epsilon=big)", "not a number"),
        ("dps(beta=0.5, epsilon=1, delta=0.5)", "needs delta < beta"),
    ],
)
def test_a_text_that_is_no_claim_is_refused_with_the_remedy(text, said):
    with pytest.raises(ParameterError, match=said):
        parse_claim(text)


@pytest.mark.parametrize("written", [10_000, "ln 1e4300"])
def test_an_epsilon_that_is_large_and_can_be_worked_with_is_taken(written):
    assert DP(written).epsilon == Epsilon.of(written)


def test_parameters_are_exact():
    claim = parse_claim("DPS(beta=0.1, epsilon=ln(10/9), delta=1e-8, neighbours=replace)")
    assert claim == DPS("1/10", "-ln 0.9", 1e-8, Neighbours.REPLACE)
    assert str(claim) == "dps(beta=0.1, epsilon=ln(10/9), delta=1e-8, neighbours=replace)"


def test_an_assertion_is_its_sentence():
    assert str(Assertion("thm1", "Sampling amplifies.")) == "thm1: Sampling amplifies."
