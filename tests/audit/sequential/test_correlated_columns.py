"""A leak that two columns show only together is found: each column alone has the same law on both datasets."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from crowdproof.audit.compare.betting import sequential_audit
from crowdproof.audit.request import Budget, Pair
from crowdproof.audit.runners.inline import Inline
from crowdproof.claims import Neighbours, Point

PAIR = Pair(0, 1, Neighbours.REPLACE, "0 against 1")
ROWS = 60


def numbers(together, rng):
    age, other = rng.normal(size=(2, ROWS))
    pay = 0.8 * age + 0.6 * other if together else other
    return pl.DataFrame({"age": age, "pay": pay})


def categories(together, rng):
    (sex, job), number = rng.integers(0, 3, (2, ROWS)).tolist(), rng.normal(size=ROWS)
    same = sex if together else job
    return pl.DataFrame({"sex": [f"s{each}" for each in sex], "job": [f"j{each}" for each in same], "pay": number})


TABLES = {"numbers": (numbers, "rank correlation"), "categories": (categories, "number of rows with")}


def audited(make, high, low):
    def mechanism(data, rng):
        return make(rng.random() < (low if data else high), rng)

    return sequential_audit(
        [PAIR],
        mechanism,
        [Point("1")],
        error=Fraction(1, 10**6),
        budget=Budget(runs=2_500),
        seed=np.random.SeedSequence(0),
        runner=Inline(),
        bounds=False,
    )


@pytest.mark.long
@pytest.mark.parametrize("table", TABLES)
def test_a_leak_in_two_columns_together_is_found_and_named(table):
    make, words = TABLES[table]
    found = audited(make, high=0.4, low=0.02)
    assert found.refuted is not None
    assert words in found.refuted.event.words


@pytest.mark.long
@pytest.mark.parametrize("table", TABLES)
def test_its_twin_within_the_claim_is_not_refuted(table):
    make, _ = TABLES[table]
    assert audited(make, high=0.25, low=0.1).refuted is None
