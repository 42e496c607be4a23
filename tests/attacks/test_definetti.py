"""deFinetti: correlations across buckets undo them; where there are none, or on the twin, nothing is gained."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from crowdproof.attacks import definetti
from crowdproof.attacks.definetti import People, anatomy, match
from crowdproof.attacks.linkage import HIDDEN, KNOWN
from crowdproof.attacks.measure import proportion
from crowdproof.data import adult
from crowdproof.errors import DataError


def test_a_bucket_has_l_different_secrets_and_nobody_is_in_two():
    secret = np.random.default_rng(1).integers(0, 6, 500)
    buckets = anatomy(secret, 4, np.random.default_rng(2))
    assert len(np.unique(buckets)) == buckets.size
    assert buckets.size > 400
    assert all(len(set(secret[each])) == 4 for each in buckets)


def test_where_nothing_goes_with_anything_a_bucket_keeps_its_promise():
    """The null: secrets dealt out at random. The interval misses with probability 1e-6."""
    table = adult(complete=True).sample(6000, seed=2)
    dealt = table.with_columns(table[HIDDEN].shuffle(seed=3))
    people, rng = People.of(dealt, KNOWN, HIDDEN), np.random.default_rng(4)
    buckets = anatomy(people.secret, 3, rng)
    right = match(people, buckets, rng)[1] == people.secret[buckets]
    seen = proportion(int(np.count_nonzero(right[:, 0])), len(buckets), Fraction(1, 10**6))
    assert seen.low <= Fraction(1, 3) <= seen.high


def test_one_mixture_that_came_out_well_by_chance_refutes_nothing():
    """Eight mixtures of secrets dealt out at random, each refuted with probability at most 0.0005; half exceed 1/3."""
    table = adult(complete=True).head(4000)
    codes = np.arange(table.height) % 15
    for seed in range(8):
        secrets = np.random.default_rng(seed).permutation(codes).astype(str)
        victim = definetti.run(data=table.with_columns(pl.Series(HIDDEN, secrets)), outside=1000, seed=seed).victim
        assert victim.allowed == Fraction(1, 3)
        assert not victim.succeeds


def test_bad_input_is_refused_with_the_remedy():
    with pytest.raises(DataError, match="no column 'age'"):
        definetti.run(known="age", data=pl.DataFrame({"a": [1], "b": [2]}))
    with pytest.raises(DataError, match="less than half"):
        definetti.run(outside=20_000)
    with pytest.raises(DataError, match="not so many different secrets"):
        definetti.run(data=adult(complete=True).head(300), outside=10, l=40)


def test_data_of_the_users_own_is_mixed_and_told_apart():
    """Two illnesses in three of old people are gout, of young ones flu: the mixture teaches that."""
    rng = np.random.default_rng(1)
    age = rng.integers(20, 80, 3000)
    ill = np.where(rng.random(3000) < 0.7, np.where(age > 50, "gout", "flu"), rng.choice(["cold", "rash"], 3000))
    people = pl.DataFrame({"age": age, "town": rng.choice(["a", "b"], 3000), "ill": ill})
    story = definetti.run(data=people, l=2, outside=900)
    assert story.victim.success.low > 0.5
    assert story.reproduce.parameters["secret"] == "ill"
