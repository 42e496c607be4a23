"""Records from tables: all tables come out again, the likeliest of all solutions by enumeration, and the null."""

import math
from collections import Counter
from itertools import combinations_with_replacement, product

import numpy as np
import polars as pl
import pytest

from crowdproof.attacks import reconstruction
from crowdproof.attacks.reconstruction import Tried, _noisy
from crowdproof.attacks.tabulated import Coded, Country, tabulate
from crowdproof.data import adult
from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import Epsilon

SIZES = (2, 3, 2)
RECORDS = np.array(list(product(*map(range, SIZES))))


def country(seed):
    rng = np.random.default_rng(seed)
    return Country.of(RECORDS[rng.choice(len(RECORDS), 500, p=rng.dirichlet(np.ones(len(RECORDS))))], SIZES)


def same(first, second):
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("seed", range(8))
def test_the_records_have_the_tables_and_no_others_are_likelier(seed):
    """Second route: every set of four records, by enumeration."""
    known, rng = country(seed), np.random.default_rng(seed + 50)
    block = RECORDS[rng.integers(len(RECORDS), size=4)]
    tables = tabulate(block, SIZES)
    found = known.consistent(tables)
    assert found.total() == 4
    assert same(tabulate(np.array(list(found.elements())), SIZES), tables)
    cost = dict(zip(map(tuple, RECORDS.tolist()), known.surprise(RECORDS), strict=True))
    solutions = [
        each
        for each in combinations_with_replacement(map(tuple, RECORDS.tolist()), 4)
        if same(tabulate(np.array(each), SIZES), tables)
    ]
    best = min(sum(cost[record] for record in each) for each in solutions)
    assert math.isclose(sum(cost[record] * count for record, count in found.items()), best, rel_tol=1e-6)


def test_what_the_country_alone_gives_is_the_best_that_can_be_expected():
    """Second route: the expected number of matches of every set of three records, from the law of the counts."""
    known, people = country(1), 3

    def expected(named):
        total = 0.0
        for record, count in named.items():
            share = known.share[known.types.tolist().index(list(record))]
            law = [math.comb(people, n) * share**n * (1 - share) ** (people - n) for n in range(people + 1)]
            total += sum(p * min(count, n) for n, p in enumerate(law))
        return total

    everything = (Counter(each) for each in combinations_with_replacement(map(tuple, known.types.tolist()), people))
    assert math.isclose(expected(known.likeliest(people)), max(map(expected, everything)), rel_tol=1e-9)


def test_shares_that_are_fitted_have_the_tables_of_the_town():
    known = country(2)
    town = RECORDS[np.random.default_rng(3).choice(len(RECORDS), 400)]
    fitted = known.fitted(tabulate(town, SIZES))
    for a, b in zip(tabulate_shares(fitted), tabulate(town, SIZES), strict=True):
        assert np.allclose(a, b / 400, atol=0.01)


def tabulate_shares(known):
    pairs = [(0, 1), (0, 2), (1, 2)]
    found = [np.zeros((SIZES[a], SIZES[b])) for a, b in pairs]
    for record, share in zip(known.types.tolist(), known.share, strict=True):
        for table, (a, b) in zip(found, pairs, strict=True):
            table[record[a], record[b]] += share
    return found


def test_tables_of_other_blocks_are_never_refuted():
    """The null: ten runs in which each block is attacked by the tables of another one."""
    for seed in range(10):
        known, rng = country(seed), np.random.default_rng(seed)
        blocks = [RECORDS[rng.choice(len(RECORDS), 5)] for _ in range(60)]
        named = [known.consistent(tabulate(each, SIZES)) for each in [*blocks[1:], blocks[0]]]
        tried = Tried.of(blocks, named, known.likeliest(5), rng)
        assert not tried.outcome("strangers").succeeds


def test_the_noise_is_that_of_one_person_in_every_table():
    """Laplace of scale tables/epsilon: its mean absolute value is that scale; 7,000 draws stray by a few per cent."""
    zeros = [np.zeros(7000)] * 3
    off = [float(abs(each).mean()) for each in _noisy(zeros, Epsilon.of("1/2"), np.random.default_rng(1))]
    assert all(abs(each - 6) < 0.5 for each in off)


def test_numbers_are_known_by_their_band_and_texts_as_they_are():
    coded = Coded.of(pl.DataFrame({"age": [20, 24, 90, None], "sex": ["f", "m", "f", "f"]}), ("age", "sex"))
    assert coded.records.tolist() == [[0, 0], [0, 1], [1, 0]]
    assert coded.say((1, 0)) == "90 to 95, f"


def test_the_sentence_speaks_of_the_data_and_bad_input_is_refused():
    small = adult(complete=True).head(2000)
    first, second = (reconstruction.run(data=small, known="age,sex,race", blocks=20, seed=seed) for seed in (0, 1))
    assert first.learned != second.learned
    assert first.victim.success.low <= 1
    with pytest.raises(ParameterError, match="three columns or more"):
        reconstruction.run(known="age,sex")
    with pytest.raises(DataError, match="give smaller --set blocks= and people="):
        reconstruction.run(data=small, known="age,sex,race", blocks=200)
