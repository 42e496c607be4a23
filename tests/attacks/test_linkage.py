"""Linking a register with a release: unique rows of the victim, crowds of the twin."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from crowdproof.attacks import linkage
from crowdproof.attacks.candidates import Reading, commonest
from crowdproof.errors import DataError, ParameterError
from crowdproof.mechanism import is_deterministic
from crowdproof.mechanisms import Grid, Keep, Sampled, Scheme, StronglySafe


def test_people_who_are_all_alike_cannot_be_linked():
    """The attack on data that gives it nothing: nobody is unique, and the release without a person says the same."""
    alike = pl.DataFrame({"age": [30] * 60, "sex": ["f"] * 60, "illness": ["flu"] * 40 + ["gout"] * 20})
    story = linkage.run(data=alike, trials=60, k=5)
    assert not story.victim.succeeds
    assert story.victim.success.low == Fraction(2, 3)  # WithoutNames is declared deterministic: exact, over everybody
    assert story.victim.baseline.low <= Fraction(2, 3) <= story.victim.baseline.high
    assert "Nobody" in story.learned[0]


PEOPLE = pl.DataFrame({"age": range(20, 120), "illness": (["flu"] * 9 + ["gout"]) * 10})


def coin(people, rng):
    """Does not look at the people."""
    return pl.DataFrame({"age": ["*"], "illness": [rng.choice(["flu", "gout"])]})


def shuffled(people, rng):
    """Everybody's row as it is, in a random order."""
    return people[rng.permutation(people.height)]


class EveryOther:
    """Does not look at the people, but counts its calls."""

    calls = 0

    def __call__(self, people, rng):
        self.calls += 1
        return pl.DataFrame({"age": ["*"], "illness": [["flu", "gout"][self.calls % 2]]})


@pytest.mark.slow
def test_releases_that_do_not_look_at_the_people_are_never_refuted():
    """16 runs, each with a false-alarm rate of at most 0.001 by its intervals, and far less than that in truth."""
    for seed in range(8):
        for ignoring in (coin, EveryOther()):
            story = linkage.run(target=ignoring, data=PEOPLE, trials=40, seed=seed)
            assert not story.victim.succeeds
            assert "their own" not in story.learned[0]


def test_a_randomized_release_of_the_rows_themselves_is_refuted():
    rare = PEOPLE.with_columns(illness=pl.Series([f"illness {i}" for i in range(100)]))
    story = linkage.run(target=shuffled, data=rare, trials=60)
    assert story.victim.succeeds
    assert not story.victim.success.exact
    assert "tells the truth of 60 of them" in story.learned[0]


def test_only_a_mechanism_that_declares_it_is_taken_to_be_deterministic():
    class Measured:
        deterministic = True

        def examine(self, data):
            """A target that is measured, not one that declares."""

    assert is_deterministic(linkage.WithoutNames())
    assert not is_deterministic(coin)
    assert not is_deterministic(Measured())


def test_a_target_of_the_users_own_is_attacked():
    people = pl.DataFrame({"age": list(range(20, 80)), "illness": ["flu", "gout", "cold"] * 20})
    safe = Sampled("1/2", StronglySafe(Scheme({"age": Grid(80), "illness": Keep()}), 5))
    assert linkage.run(data=people, trials=60).victim.succeeds
    assert not linkage.run(data=people, target=safe, trials=60).victim.succeeds


def test_the_rows_that_could_be_a_persons_are_those_of_a_plain_search():
    rng = np.random.default_rng(1)
    low = rng.integers(0, 50, 200)
    release = pl.DataFrame({"age": [f"[{a}, {a + 9}]" for a in low], "sex": rng.choice(["f", "m", "{f, m}", "*"], 200)})
    reading = Reading.of(release, ["age", "sex"])
    for age, sex in ((10, "f"), (33, "m"), (59, "f")):
        found = reading.could_be({"age": age, "sex": sex})
        plain = [
            a <= age <= a + 9 and (cell == "*" or sex in cell) for a, cell in zip(low, release["sex"], strict=True)
        ]
        assert found.tolist() == plain


def test_the_commonest_value_leaves_stars_out():
    assert commonest(pl.Series("a", ["*", "*", "y", "x"])) == "x"
    assert commonest(pl.Series("a", ["*"])) is None


def test_bad_input_is_refused_with_the_remedy():
    people = pl.DataFrame({"age": [1, 2], "illness": ["flu", "gout"]})
    with pytest.raises(DataError, match="no column 'sex'"):
        linkage.run(data=people, known="sex")
    with pytest.raises(ParameterError, match="other columns than that"):
        linkage.run(data=people, known="illness", secret="illness")
    with pytest.raises(DataError, match="at least two people"):
        linkage.run(data=people.head(1))
