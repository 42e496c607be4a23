"""The attacks on real packages: census rows with one planted extreme value, read off whatever they publish."""

from fractions import Fraction

import polars as pl
import pytest

from crowdproof.attacks import clr
from crowdproof.audit.targets import load_target
from crowdproof.data import adult

pytestmark = pytest.mark.integration

BETA = Fraction(1, 2)
QI = ["age", "capital_gain"]


def people(rows: int) -> pl.DataFrame:
    return adult(complete=True).sample(rows, seed=1).select(*QI, "income")


@pytest.mark.parametrize("package", ["anonypy", "anonypyx"])
def test_presence_and_value_are_recovered_nearly_as_often_as_sampling_allows(package):
    """830 runs without a miss have a lower bound of 0.99 at 99.9% confidence."""
    params = {"k": 5, "qi": QI, "sensitive": "income"}
    with load_target(package, params=params, isolate="worker") as target:
        story = clr.run(
            target=target, data=people(40), column="capital_gain", value=10**7, k=5, beta=BETA, trials=830, seed=1
        )
    assert story.victim.success.low >= Fraction(99, 100) * BETA
    assert story.victim.succeeds
    assert story.defended is not None
    assert not story.defended.succeeds
