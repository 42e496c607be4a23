"""Synthetic tables: agreement by plain loops, the noise of the twin, and tables that do not look at the members."""

import math

import numpy as np
import polars as pl
import pytest

from crowdproof.attacks import membership
from crowdproof.attacks.interface import Rows
from crowdproof.attacks.membership import Marginals, Mixing, Tried, _agreement
from crowdproof.data import adult
from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import Epsilon, rational


def test_the_agreement_is_that_of_plain_loops():
    rng = np.random.default_rng(1)
    people, synthetic, others = (rng.integers(0, 4, (size, 3)) for size in (20, 30, 40))
    synthetic[0, 0] = -1  # a value that nobody has
    expected = []
    for person in people:
        best = 0.0
        for row in synthetic:
            agreed = 0.0
            for column in range(3):
                if person[column] == row[column]:
                    size = max(people[:, column].max(), synthetic[:, column].max()) + 1
                    share = ((others[:, column] == person[column]).sum() + 1) / (len(others) + size)
                    agreed -= math.log(share)
            best = max(best, agreed)
        expected.append(best)
    assert np.allclose(_agreement(people, synthetic, others), expected, atol=1e-4)
    assert _agreement(people, synthetic[:0], others).tolist() == [0.0] * 20


def test_of_people_outside_no_more_are_taken_for_members_than_is_said():
    """An outsider is drawn like the others: of 4,000, at most 1% but for 5 sigma."""
    rng = np.random.default_rng(2)
    tried = Tried(rng.random(4000), rng.random(4000), rng.random((4000, 200)), rational("0.01"), Rows(1, 1), 0.0)
    for rate in (0.01, 0.05, 0.2):
        for hits in tried.hits(rate):
            assert hits / 4000 <= rate + 5 * math.sqrt(rate * (1 - rate) / 4000)


def test_the_noise_of_the_twin_is_for_all_columns_together():
    """Counts of 0 and 200,000: with noise of scale 2/epsilon and no counts, half of the cells stay at 0."""
    values = {"a": pl.Series("a", range(2)), "b": pl.Series("b", range(2))}
    table = pl.DataFrame({"a": [0] * 50, "b": [1] * 50})
    twin = Marginals(Epsilon.of(100), values, 300)
    drawn = twin(table, np.random.default_rng(1))
    assert drawn.height == 300
    assert (drawn["a"] == 0).mean() > 0.9
    loose = [
        Marginals(Epsilon.of("0.001"), values, 300)(table, np.random.default_rng(i))["a"].mean() for i in range(40)
    ]
    assert min(loose) < 0.2
    assert max(loose) > 0.8


def test_a_table_that_does_not_look_at_the_members_is_never_refuted():
    """Eight runs on a synthesizer that mixes other people's rows, each with a false-alarm rate of at most 0.001."""
    people = adult(complete=True)
    strangers = people.select(membership.COLUMNS).tail(2000)

    def of_strangers(table, rng):
        return Mixing(0.05)(strangers[rng.permutation(2000)[: table.height]], rng)

    for seed in range(8):
        story = membership.run(
            target=of_strangers, data=people.head(20_000), known=membership.COLUMNS, rows=60, trials=30, seed=seed
        )
        assert not story.victim.succeeds


def test_rows_that_are_published_as_they_are_show_their_people():
    people = pl.DataFrame({"a": range(2000), "b": [each % 7 for each in range(2000)]})
    story = membership.run(target=lambda table, rng: table, data=people, rows=100, others=200, trials=60)
    assert story.victim.succeeds
    assert story.victim.success.low > 0.8
    assert "60 of 60 members (100.0%)" in story.learned[0]


def test_bad_input_is_refused_with_the_remedy():
    people = adult(complete=True).head(300)
    with pytest.raises(DataError, match="give smaller --set rows= and others="):
        membership.run(data=people)
    with pytest.raises(ParameterError, match="give a share between 0 and 1"):
        membership.run(false_positives=0)
    with pytest.raises(DataError, match="no column 'age'"):
        membership.run(target=lambda table, rng: table.select("sex"), data=people, rows=20, others=20, trials=5)


def test_the_same_seed_gives_the_same_finding():
    """Values that are numbered in the order of a hash would give other numbers from run to run."""
    first, second = (membership.run(rows=60, others=60, trials=8, seed=3) for _ in range(2))
    assert first.victim == second.victim
    assert first.learned == second.learned
