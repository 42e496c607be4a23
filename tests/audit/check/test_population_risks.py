"""Risks among a population, and the fewest columns that make rows unique, against counts over rows."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from crowdproof.audit.check import Terms, check
from crowdproof.audit.check.groups import group
from crowdproof.audit.check.minimal_unique import minimal_uniques
from crowdproof.errors import ParameterError
from crowdproof.findings import Note


def minimal_by_rows(rows, names):
    """For each row all smallest sets of columns, at most three, in which no other row is like it."""
    found = {}
    for row in rows:
        smallest = []
        for size in (1, 2, 3):
            for each in combinations(range(len(names)), size):
                alike = sum(all(other[at] == row[at] for at in each) for other in rows)
                if alike == 1 and not any(set(part) <= set(each) for part in smallest):
                    smallest.append(each)
        for each in smallest:
            key = tuple(names[at] for at in each)
            found[key] = found.get(key, 0) + 1
    return found


@pytest.mark.parametrize("seed", range(20))
def test_minimal_uniques_are_those_of_a_count_over_rows(seed):
    rng = np.random.default_rng(seed)
    names = ["a", "*", "c c", "^d.*$"]
    rows = [tuple(map(int, each)) for each in rng.integers(0, 4, (int(rng.integers(2, 40)), 4))]
    table = pl.DataFrame(dict(zip(names, zip(*rows, strict=True), strict=True)))
    assert minimal_uniques(group(table.lazy(), names)) == minimal_by_rows(rows, names)


def numbers(table, population):
    return check(table, Terms(k=1, population=population))[0].measures


def sampled(rng, people, cells, share):
    """A population, and a simple random sample of it."""
    held = rng.zipf(1.3, people) % cells
    return held, rng.choice(held, int(people * share), replace=False)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.1, 0.3])
def test_the_share_of_right_matches_is_near_the_truth(share):
    """The estimator of Skinner and Elliot needs no model of the population: it is tested on samples that are drawn."""
    rng = np.random.default_rng(5)
    estimates, truths = [], []
    for _ in range(10):
        held, sample = sampled(rng, 20_000, 40_000, share)
        often = np.bincount(held, minlength=40_000)
        values, counts = np.unique(sample, return_counts=True)
        ones = values[counts == 1]
        truths.append(len(ones) / often[ones].sum())
        estimates.append(numbers(pl.DataFrame({"a": sample}), 20_000)["right_matches"])
    assert np.mean(estimates) == pytest.approx(np.mean(truths), rel=0.1)


def test_people_who_are_unique_under_the_stated_model():
    """Populations are drawn by the law of Ewens, one person after another."""
    rng = np.random.default_rng(6)
    estimates, truths = [], []
    for _ in range(8):
        held = np.zeros(4000, dtype=np.int64)
        news = 0
        for place in range(4000):
            is_new = rng.random() < 300 / (300 + place)
            held[place] = news if is_new else held[rng.integers(place)]
            news += is_new
        sample = rng.choice(held, 1000, replace=False)
        estimates.append(numbers(pl.DataFrame({"a": sample}), 4000)["population_uniques"])
        truths.append((np.bincount(held) == 1).sum())
    assert np.mean(estimates) == pytest.approx(np.mean(truths), rel=0.1)


def test_the_model_is_told_and_the_ends_are_exact():
    table = pl.DataFrame({"a": [1, 1, 2]})
    found = check(table, Terms(k=1, population=3))[0]
    assert found.measures["journalist_risk"] == 1
    assert found.measures["population_uniques"] == 1
    assert any(isinstance(each, Note) and "Ewens" in each.text for each in found.evidence)
    assert numbers(pl.DataFrame({"a": [1, 1, 2, 2]}), 40)["journalist_risk"] == pytest.approx(0.05)
    assert numbers(pl.DataFrame({"a": [1, 2, 3]}), 40)["population_uniques"] == 40
    assert numbers(pl.DataFrame({"a": [1, 1, 1]}), 40)["population_uniques"] == 0
    assert "journalist_risk" not in check(table, Terms(k=1))[0].measures
    with pytest.raises(ParameterError, match="population is 2: the release alone has 3 rows"):
        check(table, Terms(population=2))


def test_every_refutation_says_what_to_do():
    table = pl.DataFrame({"a": ["x", "x", "y"], "b": ["1", "1", "2"], "s": ["u", "v", "u"]})
    found = check(table, Terms(k=2, sensitive="s", l=3, t=0))
    refuted = [each for each in found if each.verdict.name == "REFUTED"]
    assert len(refuted) == 3
    for each in refuted:
        assert any(isinstance(note, Note) and note.title == "What to do" for note in each.evidence)
