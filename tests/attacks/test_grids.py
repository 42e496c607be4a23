"""Several grids: exact counts come out again, suppressed cells are read as below k, and fresh samples do not fit."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from crowdproof.attacks import grids
from crowdproof.attacks.grids import Counting
from crowdproof.data import adult
from crowdproof.errors import DataError

AGES = adult(complete=True)["age"]


def test_a_release_is_read_as_the_counts_of_its_cells():
    """Second route: the counts of the steps are added up cell by cell."""
    counting = Counting.of(AGES, "age", 5, 10)
    town = AGES.sample(300, seed=1)
    truth = counting.histogram(town)
    for offset in range(5):
        covered = np.zeros(counting.steps, dtype=int)
        for steps, shown in counting.cells(counting.release(town, offset), offset):
            covered[steps] += 1
            assert shown == (truth[steps].sum() if truth[steps].sum() >= 10 else None)
        assert covered.tolist() == [1] * counting.steps


def test_where_every_cell_is_shown_the_counts_of_single_steps_come_out():
    """Grids over a column whose first and last steps are empty but for crowds: differences give all the rest."""
    steps = np.repeat(np.arange(30), [20] * 5 + [3, 0, 7, 25, 1] * 4 + [20] * 5)
    column = pl.Series("x", steps)
    counting = Counting.of(column, "x", 5, 10)
    releases = [counting.release(column, offset) for offset in range(5)]
    told = counting.solve(releases, Fraction(1), counting.histogram(column).astype(float))
    assert told.tolist() == counting.histogram(column).tolist()
    far = np.full(30, column.len() / 30)
    assert np.abs(counting.solve(releases, Fraction(1), far) - counting.histogram(column)).max() <= 8


def test_grids_of_another_table_are_never_refuted():
    """The null: ten runs on releases of strangers, each with a false-alarm rate of at most 0.001."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        counting = Counting.of(AGES, "age", 5, 10)
        right, alone = [], []
        for _ in range(12):
            mixed = AGES[rng.permutation(len(AGES))]
            town, strangers, country = mixed[:400], mixed[400:800], counting.histogram(mixed[800:])
            releases = [counting.release(strangers, offset) for offset in range(5)]
            truth = counting.histogram(town)
            step = rng.choice(np.flatnonzero((truth > 0) & (truth < 10)))
            prior = country * 400 / country.sum()
            right.append(bool(counting.solve(releases, Fraction(1), prior)[step] == truth[step]))
            alone.append(bool(counting.solve(releases[:1], Fraction(1), prior)[step] == truth[step]))
        found = grids.Found(right, alone, (0, 0, 0), [1], given=1, off=0.0)
        assert not found.outcome("strangers").succeeds


def test_wide_columns_are_cut_into_steps_and_bad_input_is_refused():
    data = pl.DataFrame({"pay": np.random.default_rng(1).gamma(2, 10_000, 4000).round()})
    counting = Counting.of(data["pay"], "pay", 4, 10)
    assert counting.unit > 1
    assert counting.histogram(data["pay"]).sum() == 4000
    story = grids.run(data=data, grids=4, rows=400, trials=15)
    assert " to " in story.learned[0]
    with pytest.raises(DataError, match="no numeric column"):
        grids.run(data=pl.DataFrame({"ill": ["flu"]}))
    with pytest.raises(DataError, match="too few steps for 5 grids"):
        grids.run(data=pl.DataFrame({"x": [1, 2, 3, 4] * 10}), rows=10)
    with pytest.raises(DataError, match="give rows of at most 20"):
        grids.run(data=pl.DataFrame({"x": [*range(40)]}), rows=30)
