"""A leak about one ordinary row is found by a pilot over all rows; a safe twin of the target is not refuted."""

import numpy as np
import polars as pl
import pytest
from attrs import frozen

from crowdproof import DP, DPS, Neighbours, NotRefuted, Refuted
from crowdproof.audit import Budget, audit
from crowdproof.audit.compare.odd_rows import oddities
from crowdproof.audit.runners import runner_for


def people(rows):
    """Nothing sticks out about row 34: its age is in the middle, though nobody else is in their early forties."""
    rng = np.random.default_rng(5)
    ages = [int(age) if not 40 <= age < 45 else int(age) + 10 for age in rng.integers(18, 90, rows)]
    ages[33] = 42
    sexes = [("f", "m")[int(each)] for each in rng.integers(0, 2, rows)]
    return pl.DataFrame({"age": ages, "sex": sexes, "number": list(range(rows))})


SIXTY = people(60).drop("number")


@frozen
class Tells:
    """Says whether somebody in their early forties is there."""

    leaks: bool
    least: int = 20
    deterministic = True

    def __call__(self, table, rng):
        if self.leaks and table["age"].is_between(40, 44).any():
            return "special"
        return "some" if table.height >= self.least else "none"


@pytest.mark.parametrize("beta", ["1/2", "1/10"])
@pytest.mark.parametrize(("leaks", "verdict"), [(True, Refuted), (False, NotRefuted)])
def test_an_ordinary_row_that_a_deterministic_target_tells(leaks, verdict, beta):
    claim = DPS(beta, 1, "0.02")
    found = audit(Tells(leaks), claim, data=SIXTY, budget=Budget(runs=3_000), search=0, seed=1)
    assert isinstance(found.verdict, verdict)
    if leaks:
        assert "its row 34" in next(note.text for note in found.evidence if note.title == "Pair")


@pytest.mark.parametrize("relation", Neighbours)
@pytest.mark.parametrize(("leaks", "verdict"), [(True, Refuted), (False, NotRefuted)])
def test_one_row_of_many_is_found_in_few_runs(leaks, verdict, relation):
    target, claim = Tells(leaks, least=0), DP(1, neighbours=relation)
    found = audit(target, claim, data=people(3_000), budget=Budget(runs=3_000), search=0)
    assert isinstance(found.verdict, verdict)


@pytest.mark.slow
def test_the_pilot_finds_the_same_on_any_number_of_workers():
    options = {"data": SIXTY, "budget": Budget(runs=2_000), "search": 0, "seed": 3}
    here = audit(Tells(leaks=True), DPS("1/2", 1, "0.02"), **options)
    with runner_for(2) as cores:
        there = audit(Tells(leaks=True), DPS("1/2", 1, "0.02"), runner=cores, **options)
    assert (here.verdict, here.evidence, here.cost.runs) == (there.verdict, there.evidence, there.cost.runs)


def test_what_differs_everywhere_is_odd_nowhere_but_far_away():
    sums = [{"sum": float(each)} for each in range(20)]
    assert max(oddities(sums)) < 0.5
    assert max(oddities([*sums, {"sum": 900.0}])) == oddities([*sums, {"sum": 900.0}])[-1] > 3
