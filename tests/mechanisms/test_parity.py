"""Private alone, a leak together: exact laws of the pairs that do not compose."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy import stats

from crowdproof.errors import ParameterError
from crowdproof.mechanism import is_deterministic
from crowdproof.mechanisms import (
    Both,
    Contains,
    Laplace,
    MajorityXor,
    Mondrian,
    Parity,
    Sampled,
    Share,
    Size,
    printed_pair,
    repaired_pair,
    xor_pair,
)

SECRET = Contains({"name": "t"})
MECHANISMS = [
    Parity(),
    Parity(SECRET),
    Parity(SECRET, at_least=3),
    Parity(SECRET, at_least=2, block=2),
    MajorityXor(SECRET, at_least=2),
]


def crowd(others, *, target):
    names = ["t"] * target + ["u"] * others
    return pl.DataFrame({"name": names, "gender": ["male", "female"] * (len(names) // 2) + ["male"] * (len(names) % 2)})


def law(mechanism, table, beta=Fraction(1, 3)):
    result = Counter()
    for kept in product([False, True], repeat=table.height):
        weight = beta ** sum(kept) * (1 - beta) ** (table.height - sum(kept))
        result[mechanism(table.filter(pl.Series(kept, dtype=pl.Boolean)), None)] += weight
    return result


def delta(left, right, x):
    return sum(max(left[each] - x * right[each], 0) for each in left | right)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=str)
def test_outputs_are_plain_truth_values(mechanism):
    assert {type(mechanism(crowd(n, target=t))) for n in range(5) for t in (0, 1)} == {bool}


def test_parity_and_its_xor_show_the_secret():
    pair = xor_pair(SECRET)
    for others, target in product(range(6), (0, 1)):
        one, other = pair(crowd(others, target=target), np.random.default_rng(0))
        assert one == ((others + target) % 2 == 1)
        assert (one != other) == bool(target)


def test_together_they_leak_beta_and_alone_much_less():
    """At beta = 1/3, 8 others: |E (1-2 beta)^n| / 2 is what parity alone can show; the pair shows beta itself."""
    left, right = crowd(8, target=1), crowd(8, target=0)
    alone = [delta(law(each, left), law(each, right), 1) for each in (Parity(), Parity(SECRET))]
    together = delta(law(xor_pair(SECRET), left), law(xor_pair(SECRET), right), 1)
    assert together == Fraction(1, 3)
    # parity moves by beta times (1 - 2 beta)^8
    assert alone[0] == Fraction(1, 3) * Fraction(1, 3) ** 8
    assert alone[1] < Fraction(1, 1000)


def test_parity_of_a_single_row_is_no_secret_without_a_threshold():
    left, right = crowd(0, target=1), crowd(0, target=0)
    assert delta(law(Parity(), left), law(Parity(), right), 1) == Fraction(1, 3)
    assert delta(law(Parity(at_least=2), left), law(Parity(at_least=2), right), 1) == 0


def test_the_printed_first_algorithm_is_not_private_on_an_all_male_pair():
    left, right = (crowd(7, target=t).with_columns(gender=pl.lit("male")) for t in (1, 0))
    mechanism = MajorityXor(SECRET, at_least=1)
    # given at least one row, the majority is certain and the output is NOT s: delta tends to beta
    assert delta(law(mechanism, left), law(mechanism, right), 1) == Fraction(1, 3) * (1 - Fraction(2, 3) ** 7)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=str)
@pytest.mark.parametrize("target", [0, 1, 2])
def test_batches_follow_the_exact_law(mechanism, target):
    """20,000 outputs at once, false-alarm rate 1e-6."""
    table = crowd(5, target=target)
    exact = law(mechanism, table)[True]
    batch = Sampled("1/3", mechanism).batch(table, np.random.default_rng(2), 20_000)
    assert batch.dtype == np.bool_
    if exact in (0, 1):
        assert batch.mean() == exact
    else:
        assert stats.binomtest(int(batch.sum()), 20_000, float(exact)).pvalue > 1e-6


def test_a_batch_of_a_pair_is_drawn_from_the_same_samples():
    """20,000 pairs against the exact joint law by chi-square, false-alarm rate 1e-6."""
    table = crowd(5, target=1)
    pairs = [xor_pair(SECRET), Both(MajorityXor(SECRET, at_least=2), Parity(SECRET, at_least=3))]
    for pair in pairs:
        assert is_deterministic(pair)
        exact = law(pair, table)
        seen = Counter(Sampled("1/3", pair).batch(table, np.random.default_rng(2), 20_000))
        assert set(seen) <= set(exact)
        assert {type(each) for output in seen for each in output} == {bool}
        outputs = list(exact)
        expected = [20_000 * float(exact[each]) for each in outputs]
        assert stats.chisquare([seen[each] for each in outputs], expected).pvalue > 1e-6


def test_a_batch_with_noise_follows_the_sample_it_belongs_to():
    """With hardly any noise the size and its parity agree, and so do the share and the majority."""
    rng, table = np.random.default_rng(5), crowd(31, target=0)
    for odd, size in Sampled("1/2", Both(Parity(), Laplace(1000, 1, Size()))).batch(table, rng, 200):
        assert round(size) % 2 == odd
    for majority, share in Sampled("1/2", printed_pair(SECRET, 1, "1e-9", at_least=1)).batch(table, rng, 200):
        assert majority == (share > 0.5 + 1e-6)


def test_a_pair_with_another_mechanism_is_run_one_by_one():
    pair = Both(Parity(), Mondrian(1, total=True))
    batch = Sampled("1/2", pair).batch(crowd(6, target=0), np.random.default_rng(1), 3)
    assert [odd == (release.height % 2 == 1) for odd, release in batch] == [True] * 3


def test_the_repaired_pair_shows_the_block_and_with_it_the_secret():
    """Sizes in the middle of a block of 64, noise of scale 2: the block is read off wrongly once in 1e7 runs."""
    pair, rng = repaired_pair(SECRET, "0.5", block=64, at_least=128), np.random.default_rng(6)
    for target in (0, 1):
        table = crowd(64 * 4 + 32 - target, target=target)
        for _ in range(20):
            value, size = pair(table, rng)
            block_is_odd = int(size // 64) % 2 == 1
            assert (value != block_is_odd) == bool(target)


def test_the_pairs_are_made_of_what_the_paper_says():
    pair = printed_pair(SECRET, 1, sensitivity="0.001")
    assert pair.first == MajorityXor(SECRET)
    assert pair.second == Laplace(1, "0.001", Share())
    assert Share()(crowd(4, target=0)) == 0.5
    assert Share()(crowd(0, target=0)) == 0.0
    with pytest.raises(ParameterError, match="blocks must be smaller than the threshold"):
        repaired_pair(SECRET, 1, block=10, at_least=5)


@pytest.mark.parametrize(
    "make", [lambda: Parity(at_least=-1), lambda: Parity(block=0), lambda: MajorityXor(SECRET, at_least=1.5)]
)
def test_wrong_parameters_are_refused(make):
    with pytest.raises(ParameterError, match="give a whole number of at least"):
        make()
