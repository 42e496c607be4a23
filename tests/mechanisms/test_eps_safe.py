"""The differentially private first step, and the two ways to combine it with sampling."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy import stats

from crowdproof.data import adult
from crowdproof.errors import ParameterError
from crowdproof.mechanisms import (
    Candidate,
    EpsSafe,
    ExcessRows,
    Grid,
    Keep,
    ReleasedRows,
    Sampled,
    Scheme,
    TwoRecodings,
    TwoSamples,
)
from crowdproof.mechanisms.apply import drop_rare

FAMILY = [Candidate(Scheme({"x": Grid(5)}), 1), Candidate(Scheme({"x": Grid(20)}), "1/2")]


@pytest.mark.parametrize("quality", [ReleasedRows(), ExcessRows()], ids=str)
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_the_sensitivity_is_right_and_is_reached(quality, k):
    """Every table of up to 6 rows in each of two cells, against all its neighbours by either relation."""
    added, replaced = [], []
    for counts in product(range(7), repeat=2):
        before = quality.rows(counts, k)
        added += [quality.rows(each, k) - before for each in ((counts[0] + 1, counts[1]), (counts[0], counts[1] + 1))]
        if counts[0]:
            replaced.append(quality.rows((counts[0] - 1, counts[1] + 1), k) - before)
    assert max(map(abs, added)) == quality.sensitivity(k)
    # with k = 1 everything is released, and a replacement changes nothing
    assert max(map(abs, replaced)) == (quality.sensitivity(k) if k > 1 else 0)


@pytest.mark.parametrize("quality", [ReleasedRows(), ExcessRows()], ids=str)
def test_the_choice_is_epsilon_private_exactly(quality):
    """With e^epsilon = 9 and weights 1, all of e^(epsilon q / 2S) are powers of 3^(1/S): compare their S-th powers."""
    k = 2
    safe = EpsSafe([Scheme({"x": Grid(5)}), Scheme({"x": Grid(20)})], k, "ln 9", quality)
    steps = 2 * quality.sensitivity(k)  # exponents are multiples of 1/steps
    laws = {}
    for rows in product([None, 1, 7, 13], repeat=4):
        table = pl.DataFrame({"x": [each for each in rows if each is not None]}, schema={"x": pl.Int64})
        laws[rows] = [each * steps for each in safe.exponents(table)]
    for rows, law in laws.items():
        for place, new in product(range(4), [None, 1, 7, 13]):
            other = laws[(*rows[:place], new, *rows[place + 1 :])]
            shifts = [mine - theirs for mine, theirs in zip(law, other, strict=True)]
            # each weight moves by a factor of at most 9^(1/2), so each probability by at most 9
            assert max(map(abs, shifts)) <= steps / 2


def test_the_law_of_the_choice():
    """500 choices by chi-square, false-alarm rate 1e-6. The weights are 9^(q w / 2)."""
    safe, rng = EpsSafe(FAMILY, 2, "ln 9"), np.random.default_rng(4)
    for values, weights in (([1, 2, 3, 11, 12], (9**1.5, 9**1.0)), ([1, 6, 11, 16], (9**0.0, 9**0.75))):
        table = pl.DataFrame({"x": values})
        assert safe.exponents(table) == [pytest.approx(np.log(w) / np.log(9)) for w in weights]
        drawn = [safe.choose(table, rng) == FAMILY[0].scheme for _ in range(500)]
        expected = [500 * w / sum(weights) for w in weights]
        assert stats.chisquare([sum(drawn), 500 - sum(drawn)], expected).pvalue > 1e-6


def test_a_choice_on_real_rows_is_the_best_one():
    """With 32,561 rows and epsilon = 1 the exponents differ by hundreds."""
    family = [Candidate(Scheme({"age": Grid(width)}), weight) for width, weight in ((5, 1), (50, "1/2"))]
    release = TwoSamples("1/10", EpsSafe(family, 20, 1))(adult(), np.random.default_rng(1))
    assert release["age"].value_counts()["count"].min() >= 20
    assert release["age"].n_unique() > 10


def law_under_sampling(table, beta, *, independent):
    """The exact law of `TwoRecodings` after sampling, with both steps on one sample or on two."""
    mechanism, law = TwoRecodings(), Counter()
    samples = []
    for kept in product([False, True], repeat=table.height):
        weight = Fraction(beta) ** sum(kept) * (1 - Fraction(beta)) ** (table.height - sum(kept))
        samples.append((table.filter(pl.Series(kept)), weight))
    if not independent:
        for sample, weight in samples:
            for release, p in mechanism.law(sample):
                law[tuple(release["cell"])] += weight * p
        return law
    picks_a = sum(weight * mechanism.probability(sample) for sample, weight in samples)
    for sample, weight in samples:
        for mapping, p in zip(mechanism.recodings, (picks_a, 1 - picks_a), strict=True):
            law[tuple(drop_rare(mapping(sample), mechanism.k)["cell"])] += weight * p
    return law


def delta(left, right, x):
    return sum(max(left[each] - x * right[each], 0) for each in left | right)


def test_theorem_6_fails_on_one_sample_and_holds_on_two():
    with_target, without = TwoRecodings.pair()
    same = [law_under_sampling(each, "1/4", independent=False) for each in (with_target, without)]
    two = [law_under_sampling(each, "1/4", independent=True) for each in (with_target, without)]
    assert sum(same[0].values()) == sum(two[1].values()) == 1
    assert delta(*same, 12) == Fraction(119, 5120) > Fraction(1, 64)
    assert max(delta(*two, 12), delta(*two[::-1], 12)) <= Fraction(1, 64)


def test_the_counterexamples_first_step_is_4_private():
    mechanism = TwoRecodings()
    table = {
        (m, b): mechanism.probability(pl.DataFrame({"person": ["t"] * b + ["u"] * m}, schema={"person": pl.String}))
        for m in range(7)
        for b in range(3)
    }
    for (m, b), p in table.items():
        for other in ((m + 1, b), (m, b + 1)):
            if other in table:
                q = table[other]
                assert max(p / q, q / p, (1 - p) / (1 - q), (1 - q) / (1 - p)) <= 4


@pytest.mark.parametrize("independent", [False, True])
def test_runs_follow_the_exact_law(independent):
    """1,500 runs by chi-square, false-alarm rate 1e-6."""
    table, _ = TwoRecodings.pair()
    law = law_under_sampling(table, "1/4", independent=independent)
    mechanism = (TwoSamples if independent else Sampled)("1/4", TwoRecodings())
    rng = np.random.default_rng(9)
    seen = Counter(tuple(mechanism(table, rng)["cell"]) for _ in range(1_500))
    assert set(seen) <= set(law)
    common = [each for each in law if law[each] > Fraction(1, 200)]
    observed = [*(seen[each] for each in common), sum(seen[each] for each in law if each not in common)]
    shares = [*(float(law[each]) for each in common), float(sum(law[each] for each in law if each not in common))]
    assert stats.chisquare(observed, [1_500 * each for each in shares]).pvalue > 1e-6


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: EpsSafe([], 2, 1), "the family of schemes is empty"),
        (lambda: EpsSafe([Scheme({"x": Keep()}), Scheme({"y": Keep()})], 2, 1), "let all name the same ones"),
        (lambda: EpsSafe(FAMILY, 0, 1), "k is 0: give a whole number of at least 1"),
        (lambda: EpsSafe(FAMILY, 2, -1), "epsilon is -1: it must be at least 0"),
        (lambda: Candidate(FAMILY[0].scheme, 2), "weight is 2: a scheme's worth lies between 0 and 1"),
        (lambda: TwoSamples(1, EpsSafe(FAMILY, 2, 1)), "strictly between 0 and 1"),
    ],
)
def test_wrong_parameters_are_refused(make, message):
    with pytest.raises(ParameterError, match=message):
        make()
