"""Attacks on the groups of one release: what is seen by brute force, releases of strangers, premises, bad input."""

from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from crowdproof.attacks import homogeneity, similarity, skewness
from crowdproof.attacks.interface import Rows
from crowdproof.attacks.measure import at_most
from crowdproof.attacks.pointing import Divided, Pointed, Seen, commonest_of_group, point
from crowdproof.attacks.premise import undiverse
from crowdproof.attacks.similarity import KIND, KINDS
from crowdproof.attacks.skewness import Excess
from crowdproof.data import adult
from crowdproof.errors import DataError, ParameterError
from crowdproof.findings import Refuted, Undecided
from crowdproof.mechanisms import Close, Diverse, Mondrian

KNOWN = ("age", "sex", "hours_per_week")
SECRET = "occupation"
GROUPED = (homogeneity, skewness, similarity)


def tables(rows, seed):
    people = adult(complete=True).select(*KNOWN, SECRET)
    return Divided.of(people, rows, np.random.default_rng(seed))


def test_what_is_seen_of_a_person_is_that_of_a_plain_search():
    """Second route: each row of the release is read by itself, as text."""
    divided = tables(300, 1)
    release = Mondrian(4, KNOWN)(divided.inside)
    seen = Seen.of(release, divided.inside, KNOWN, SECRET)
    for place, person in enumerate(divided.inside.head(60).iter_rows(named=True)):
        rows = [row for row in release.iter_rows(named=True) if all(holds(row[c], person[c]) for c in KNOWN)]
        found = Counter(row[SECRET] for row in rows)
        assert [found[each] for each in seen.values] == seen.counts[place].tolist()
        assert seen.values[seen.truth[place]] == person[SECRET]


def holds(cell, value):
    if cell.startswith("["):
        low, high = map(int, cell[1:-1].split(","))
        return low <= value <= high
    return str(value) in cell.strip("{}").split(", ")


@pytest.mark.parametrize(
    ("mechanism", "bound"),
    [
        (Mondrian(3, KNOWN, condition=Diverse(SECRET, 2)), lambda _: 1 / 2),
        (Mondrian(3, KNOWN, condition=Diverse(SECRET, 4)), lambda _: 1 / 4),
        (Mondrian(3, KNOWN, condition=Close(SECRET, "0.1")), lambda excess: 0.1 + float(excess)),
    ],
)
def test_of_a_release_that_keeps_its_promise_no_rule_is_right_more_often(mechanism, bound):
    """The twins by the letter of their conditions: exact over everybody who is pointed at, in eight tables."""
    for seed in range(8):
        divided = tables(400, seed)
        release = mechanism(divided.inside)
        for rule in (commonest_of_group, Excess.over(release, SECRET)):
            found = point(release, divided, KNOWN, SECRET, rule)
            mean = Excess.over(release, SECRET).mean(found)
            assert found.people
            assert sum(found.right) <= bound(mean) * found.people + 1e-9


def test_the_surest_people_are_pointed_at_and_the_truth_is_not_used():
    divided = tables(400, 3)
    release = Mondrian(3, KNOWN)(divided.inside)
    found = point(release, divided, KNOWN, SECRET, commonest_of_group)
    most = commonest_of_group(found.seen).sure
    assert most[found.said >= 0].min() >= most[found.said < 0].max()
    assert found.people >= 0.05 * divided.inside.height
    mixed = Divided(divided.inside.with_columns(pl.col(SECRET).shuffle(seed=1)), divided.outside)
    assert point(release, mixed, KNOWN, SECRET, commonest_of_group).said.tolist() == found.said.tolist()


def of_strangers(rows, columns):
    """A release that has nothing to do with the people that it is given: other people's, 3-anonymous."""
    others = Mondrian(3, columns)(adult(complete=True).tail(rows).select(*columns, SECRET))
    return lambda people, rng: others


@pytest.mark.parametrize("attack", GROUPED)
def test_a_release_of_other_people_is_never_refuted(attack):
    """Eight runs, each with a false-alarm rate of at most 0.001."""
    data = adult(complete=True).head(4000)
    for seed in range(8):
        story = attack.run(target=of_strangers(800, attack.KNOWN), data=data, known=attack.KNOWN, rows=800, seed=seed)
        assert not isinstance(story.finding().verdict, Refuted)


def test_success_is_held_against_the_claims_own_number_and_people_outside():
    rule = at_most(Fraction(1, 2), "1/2")
    divided = tables(50, 1)
    seen = Seen.of(Mondrian(3, KNOWN)(divided.inside), divided.inside, KNOWN, SECRET)
    for inside, outside, refuted in ((90, 10, True), (55, 10, False), (90, 85, False), (100, 60, True)):
        right, others = ([True] * each + [False] * (100 - each) for each in (inside, outside))
        outcome = Pointed(seen, np.zeros(100), right, others).outcome("any", rule, Rows(1, 1))
        assert outcome.succeeds == refuted
        assert outcome.succeeds == (outcome.success.low > max(Fraction(1, 2), outcome.baseline.high))
    assert not Pointed(seen, np.zeros(0), [], []).outcome("nobody", rule, Rows(0, 1)).succeeds


def test_a_claim_about_diverse_releases_says_nothing_of_one_that_is_not():
    def alike(people, rng):
        return (
            people.with_columns(pl.lit("*").alias(name) for name in KNOWN)
            .head(9)
            .with_columns(pl.lit("Sales").alias(SECRET))
        )

    data = adult(complete=True).head(400).select(*KNOWN, SECRET)
    for attack in (skewness, similarity):
        verdict = attack.run(target=alike, data=data, known=KNOWN, secret=SECRET, rows=200).finding().verdict
        assert isinstance(verdict, Undecided)
        assert "not l-diverse for any l above 1: in 1 of 1 groups" in verdict.reason
    rows = pl.DataFrame({"age": [1, 2], "ill": ["a", "b"]})
    assert "not k-anonymous" in undiverse(rows, ["age"], "ill")


def test_the_kinds_are_those_of_the_secrets_and_are_read_from_text():
    named = [each for secrets in KINDS.values() for each in secrets]
    assert sorted(named) == sorted(adult(complete=True)[SECRET].unique())
    ill = ["ulcer", "gastritis", "flu", "cold", "rash", "boil"] * 20
    people = pl.DataFrame({"age": [*range(20, 60)] * 3, "ill": ill})
    kinds = "stomach: ulcer, gastritis; lungs: flu, cold; skin: rash, boil"
    story = similarity.run(data=people, secret="ill", kinds=kinds, l=2, rows=60)
    assert story.defended is not None
    assert "all of one kind" in story.learned[0]
    assert KIND not in people.columns
    with pytest.raises(ParameterError, match="no kinds of ill are known"):
        similarity.run(data=people, secret="ill")
    with pytest.raises(ParameterError, match="write it as 'kind: secret, secret"):
        similarity.run(data=people, secret="ill", kinds="stomach")
    with pytest.raises(DataError, match="none of the secrets"):
        similarity.run(data=people, secret="ill", kinds="bones: fracture")


def test_bad_input_is_refused_with_the_remedy():
    with pytest.raises(DataError, match="at least four people"):
        homogeneity.run(data=pl.DataFrame({"age": [1], "ill": ["flu"]}))
    with pytest.raises(DataError, match="one value of income has more than one in l of all rows"):
        homogeneity.run(data=adult(complete=True).head(400), secret="income")
    with pytest.raises(ParameterError, match="t is 2: give a number between 0 and 1"):
        skewness.run(t=2)
    with pytest.raises(DataError, match="no column 'colour'"):
        skewness.run(known="colour")


def test_nulls_are_values_that_nobody_is_said_to_have():
    people = pl.DataFrame(
        {"age": [20, None, 30, 40] * 20, "sex": ["f", "m", None, "f"] * 20, "ill": ["flu", "gout", "cold", None] * 20}
    )
    story = homogeneity.run(data=people, rows=40)
    assert story.victim.success.high <= 1
    assert "None" not in story.learned[0].split("they have")[0]
