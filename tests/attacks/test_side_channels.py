"""Side channels: each shows the person with a probability that can be worked out by hand; the cells alone do not."""

from fractions import Fraction

import polars as pl
import pytest

from crowdproof.attacks import side_channels
from crowdproof.attacks.side_channels import CHANNELS
from crowdproof.errors import ParameterError
from crowdproof.findings import NotRefuted, Refuted
from crowdproof.mechanisms import Grid, Keep, Mondrian, Sampled, Scheme, StronglySafe


@pytest.mark.slow
@pytest.mark.parametrize("channel", CHANNELS)
def test_each_channel_shows_the_person_and_the_cells_alone_do_not(channel):
    story = side_channels.run(channel=channel)
    assert story.victim.succeeds
    assert story.defended is not None
    assert not story.defended.succeeds


def test_the_probabilities_are_those_of_counting_by_hand():
    """Four alike and one apart, k = 2. Stars: the one is drawn, with any other at all. Size: two of four are drawn."""
    half = Fraction(1, 2)
    starred = side_channels.run(channel="stars", others=4).victim
    assert starred.success.low == half * (1 - half**4)
    assert starred.baseline.high == 0
    assert side_channels.run(channel="size", others=4).victim.success.low == 1 - 5 * half**4


def test_the_same_cells_without_the_channel_have_the_same_law_for_a_person_apart():
    """Their row is dropped without a trace, so nothing at all is learned."""
    defended = side_channels.run(channel="stars", others=4).defended
    assert defended is not None
    assert defended.advantage.low == defended.advantage.high == 0


def starring(people, rng):
    """Recoded by tens; a row that is the only one of its kind becomes a row of stars."""
    shown = Scheme({"age": Grid(10), "sex": Keep()})(people)
    alone = pl.len().over("age", "sex") == 1
    return shown.select(pl.when(alone).then(pl.lit("*")).otherwise(pl.col(name)).alias(name) for name in shown.columns)


def test_a_target_is_told_by_its_stars_and_not_by_keeping_its_rows():
    people = pl.DataFrame({"age": [10 * i for i in range(60)], "sex": ["f"] * 60})
    told = side_channels.run(target=lambda *given: starring(*given).to_pandas(), data=people, trials=40).victim
    assert told.succeeds
    assert told.baseline.low == 0
    alike = pl.DataFrame({"age": [30 + i % 5 for i in range(120)]})
    for safe in (Mondrian(5), Sampled("1/2", StronglySafe(Scheme({"age": Grid(10)}), 5))):
        assert not side_channels.run(target=safe, data=alike, trials=40).victim.succeeds


class EveryOther:
    """Does not look at the people, but counts its calls: one row of stars or two."""

    calls = 0

    def __call__(self, people, rng):
        self.calls += 1
        return pl.DataFrame({"age": ["*"] * (1 + self.calls % 2)})


def test_a_target_that_counts_its_calls_is_never_told():
    """20 runs, each with a false-alarm rate of at most 0.001 by its intervals."""
    people = pl.DataFrame({"age": range(60)})
    for seed in range(20):
        assert not side_channels.run(target=EveryOther(), data=people, trials=40, seed=seed).victim.succeeds


def test_the_shape_of_a_release_counts_stars_and_missing_numbers():
    release = pl.DataFrame({"row": [0, 1, 3], "age": ["[20, 40)", "*", "[20, 40)"]})
    assert side_channels.shape(release) == (1, 1)
    assert side_channels.shape(pl.DataFrame()) == (0, 0)


def test_a_bare_release_is_read_for_its_channels():
    plain = pl.DataFrame({"age": ["[20, 40)"] * 4 + ["[40, 60)"] * 4})
    assert isinstance(side_channels.read(plain).verdict, NotRefuted)
    numbered = plain.with_row_index("index").cast(pl.String)
    starred = pl.concat([plain, pl.DataFrame({"age": ["*"]})]).with_columns(sex=pl.Series(["f"] * 8 + ["*"]))
    for release, channel in ((numbered, "row-numbers"), (starred, "star-rows")):
        verdict = side_channels.read(release).verdict
        assert isinstance(verdict, Refuted)
        assert channel in verdict.witness.values["channels"]


def test_bad_input_is_refused_with_the_remedy():
    with pytest.raises(ParameterError, match="choose from order"):
        side_channels.run(channel="smell")
    with pytest.raises(ParameterError, match="at most 10"):
        side_channels.run(others=20)
    with pytest.raises(ParameterError, match="give both"):
        side_channels.run(target=Mondrian(5))
