"""Clustering and local recoding: read off the victims, not off the defended twin."""

from fractions import Fraction

import polars as pl
import pytest

from crowdproof.attacks import clr
from crowdproof.data import adult, town
from crowdproof.errors import DataError, ParameterError
from crowdproof.findings import NotRefuted, Refuted, Undecided
from crowdproof.mechanisms import Grid, KMember, Mondrian, Scheme, StronglySafe

BETA = Fraction(1, 2)


def people(rows: int) -> pl.DataFrame:
    return adult(complete=True).sample(rows, seed=1).select("age", "capital_gain")


@pytest.mark.slow
@pytest.mark.parametrize("victim", [Mondrian(10), KMember(10)])
def test_the_value_is_recovered_from_each_clustering_anonymizer_on_census_rows(victim):
    story = clr.run(target=victim, data=people(70), column="capital_gain", value=10**7, k=10, beta=BETA, trials=830)
    assert story.victim.success.low >= Fraction(99, 100) * BETA
    assert story.victim.succeeds
    assert isinstance(story.finding().verdict, Refuted)
    assert story.defended is not None
    assert not story.defended.succeeds
    assert story.defended.advantage.low <= 0 <= story.defended.advantage.high


def test_the_town_tells_its_story():
    story = clr.run(trials=50)
    assert "20 rows of the release show [900000, 35000000]" in story.learned[0]
    assert "35,000,000, which is their exact value" in story.learned[0]


def test_the_attack_on_the_defended_mechanism_finds_nothing():
    safe = StronglySafe(Scheme({"net_worth": Grid(500_000)}), 20)
    story = clr.run(target=safe, trials=60)
    assert isinstance(story.finding().verdict, NotRefuted)
    assert "nothing in the release shows the person" in story.learned[0]


def test_a_release_of_the_rows_or_of_nothing_says_nothing_of_k_anonymity():
    for target, told in (
        (lambda table, rng: table[rng.permutation(table.height)], "not k-anonymous for any k above 1"),
        (StronglySafe(Scheme({"net_worth": Grid(1)}), 20), "published no row"),
    ):
        verdict = clr.run(target=target, trials=60).finding().verdict
        assert isinstance(verdict, Undecided)
        assert told in verdict.reason


def test_the_same_seed_gives_the_same_story():
    first, second = (clr.run(trials=30, seed=5).victim for _ in range(2))
    assert first == second


def release() -> pl.DataFrame:
    return pl.DataFrame({"net_worth": ["[1000, 9000]"] * 3 + ["[900000, 35000000]"] * 4, "sex": ["f"] * 7})


def test_a_bare_release_is_read_given_what_the_adversary_knows():
    verdict = clr.read(release(), column="net_worth", above=10**7).verdict
    assert isinstance(verdict, Refuted)
    assert verdict.witness.values == {"cell": "[900000, 35000000]", "rows": "4", "value": "35000000"}


def test_a_bare_release_without_that_knowledge_is_undecided_and_a_small_one_not_refuted():
    assert isinstance(clr.read(release(), column="net_worth").verdict, Undecided)
    assert isinstance(clr.read(release(), column="net_worth", above=10**8).verdict, NotRefuted)
    assert isinstance(clr.read(release(), column="sex", above=1).verdict, NotRefuted)


@pytest.mark.parametrize(
    "cell", ["900000-35000000", "900000..35000000", "[900000, 35000000]", "35000000", "{900000, 35000000}", "3.5e7"]
)
def test_the_value_is_read_off_every_notation_that_names_it(cell):
    verdict = clr.read(pl.DataFrame({"pay": ["[1000, 9000]"] * 3 + [cell] * 4}), column="pay", above=10**7).verdict
    assert isinstance(verdict, Refuted)
    assert verdict.witness.values == {"cell": cell, "rows": "4", "value": "35000000"}
    condition = f"If {cell} stands for numbers up to 35,000,000, that one included, and at most one person"
    assert (condition in verdict.witness.words) is (cell in ("900000-35000000", "900000..35000000"))


@pytest.mark.parametrize(
    "cell",
    ["[900000, 35000000)", ">=900000", "900000+", "<40000000", "<=40000000", "90:35000000", "2035-01-02", "3******"],
)
def test_a_limit_or_an_open_end_is_nobodys_value(cell):
    """Published by a fixed recoding, say: the one person beyond need not be in the data at all."""
    verdict = clr.read(pl.DataFrame({"pay": ["[1000, 9000]"] * 3 + [cell] * 4}), column="pay", above=10**7).verdict
    assert isinstance(verdict, NotRefuted)


def test_the_group_that_is_shown_is_the_one_with_the_largest_number():
    several = pl.DataFrame({"pay": ["[1, 20000000]"] * 2 + ["[5, 35000000]"] * 3})
    values = clr.read(several, column="pay", above=10**7).verdict.witness.values
    assert values == {"cell": "[5, 35000000]", "rows": "3", "value": "35000000"}


def test_bad_input_is_refused_with_the_remedy():
    with pytest.raises(DataError, match="no column 'age'"):
        clr.read(release(), column="age")
    with pytest.raises(DataError, match="no numeric column"):
        clr.run(data=release())
    with pytest.raises(ParameterError, match="must lie between"):
        clr.run(value=1000)
    with pytest.raises(ParameterError, match="choose a numeric one"):
        clr.run(column="name")


def test_the_twin_is_exact_only_where_nobody_beyond_can_be_shown():
    everybody, adversary = town(), clr.Adversary("net_worth", 10**7)
    grid = Scheme({"net_worth": Grid(100_000)})
    measured = clr.run(trials=30).victim
    never = clr._never(StronglySafe(grid, 2), everybody, adversary, measured)
    assert never is not None
    assert never.advantage.low == never.advantage.high == 0
    assert clr._never(StronglySafe(grid, 1), everybody, adversary, measured) is None
    assert clr._never(StronglySafe(grid, 20), pl.concat([everybody] * 20), adversary, measured) is None
