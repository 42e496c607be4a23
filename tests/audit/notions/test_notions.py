"""Each notion with a leaky twin that must be refuted and a safe twin that must not be."""

import hashlib
import math
import time
from collections import Counter
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from attrs import frozen

from crowdproof import (
    DP,
    DPS,
    CrowdBlending,
    KAnonymity,
    Neighbours,
    NotRefuted,
    Refuted,
    Safe,
    Skipped,
    Undecided,
)
from crowdproof.audit import Budget, Pair, audit
from crowdproof.audit.check import Terms, check
from crowdproof.audit.compare.exact import Excess
from crowdproof.audit.compare.exact.confirm import planned
from crowdproof.audit.notions.k_anonymity import smallest_group
from crowdproof.audit.replay import replay
from crowdproof.audit.targets import load_target
from crowdproof.exact import Epsilon
from crowdproof.findings import Confidence, Exact, Measured
from crowdproof.mechanisms import (
    Candidate,
    EpsSafe,
    Grid,
    Keep,
    Mondrian,
    Sampled,
    Scheme,
    StronglySafe,
    Suppress,
    SuppressedHistogram,
    TwoRecodings,
)

PEOPLE = pl.DataFrame({"age": [21, 22, 23, 38, 39, 41, 42, 43, 44, 61, 62, 95], "sex": ["f", "m"] * 6})
COARSE = Scheme({"age": Grid(50), "sex": Suppress()})
FINE = Scheme({"age": Grid(10), "sex": Keep()})


@frozen
class Wrapped:
    """A mechanism of which only the release is seen."""

    inner: object
    deterministic = True

    def __call__(self, data, rng):
        return self.inner(data, rng)


# --- safe -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("relation", Neighbours)
def test_a_recoding_that_follows_the_data_is_not_safe(relation):
    finding = audit(Wrapped(Mondrian(k=2, total=True)), Safe(neighbours=relation), data=PEOPLE)
    assert isinstance(finding.verdict, Refuted)
    assert str(finding.certainty) == "exact"


@pytest.mark.parametrize("relation", Neighbours)
def test_a_fixed_recoding_is_not_refuted(relation):
    finding = audit(Wrapped(StronglySafe(FINE, 2)), Safe(neighbours=relation), data=PEOPLE)
    assert isinstance(finding.verdict, NotRefuted)


def test_the_first_step_is_audited_where_it_can_be_seen():
    # p(m, b) of the two recodings changes by at most a factor 4 between neighbours, and by that much
    left, right = TwoRecodings.pair()
    pair = Pair(left.head(3), right.head(2), Neighbours.ADD_REMOVE, "t comes to two others")
    leaky = audit(TwoRecodings(), Safe("ln 2"), pairs=[pair], budget=Budget(runs=20_000))
    assert isinstance(leaky.verdict, Refuted)
    safe = audit(TwoRecodings(), Safe("ln 4"), pairs=[pair], budget=Budget(runs=4_000))
    assert isinstance(safe.verdict, NotRefuted)


def test_an_exponential_choice_is_as_safe_as_it_says():
    target = EpsSafe([Candidate(COARSE, "1/2"), FINE], k=2, epsilon=1)
    pair = Pair(PEOPLE.head(6), PEOPLE.head(5), Neighbours.ADD_REMOVE, "six people and five")
    finding = audit(target, Safe(1), pairs=[pair], budget=Budget(runs=300))
    assert isinstance(finding.verdict, NotRefuted)


def test_a_randomized_target_that_hides_its_first_step_is_skipped():
    def anonymize(data, rng):
        return data.sample(fraction=0.5, seed=int(rng.integers(1000)))

    finding = audit(anonymize, Safe(), data=PEOPLE)
    assert isinstance(finding.verdict, Skipped)
    assert "choose" in finding.verdict.reason


def test_a_target_that_declares_a_law_is_randomized_though_its_law_is_finite():
    class Coin:
        def law(self, data):
            return [(data.head(1), "1/2"), (data.head(2), "1/2")]

        def __call__(self, data, rng):
            return data.head(1)

    finding = audit(Coin(), Safe(), data=PEOPLE)
    assert isinstance(finding.verdict, Skipped)
    assert "choose" in finding.verdict.reason


def test_a_liar_about_determinism_is_not_refuted_by_its_own_noise():
    finding = audit(Wrapped(lambda data, rng: data.sample(3, seed=int(rng.integers(1000)))), Safe(), data=PEOPLE)
    assert isinstance(finding.verdict, Skipped)
    assert "two runs on the same data differ" in finding.verdict.reason


def test_where_no_pair_could_be_compared_nothing_is_said():
    def recode(data, rng):
        return data if data.height == 3 else None

    pair = Pair(PEOPLE.head(3), PEOPLE.head(2), Neighbours.ADD_REMOVE, "three people and two")
    refused = audit(Wrapped(recode), Safe(), pairs=[pair])
    assert isinstance(refused.verdict, Skipped)
    assert "both datasets" in refused.verdict.reason
    short = audit(Wrapped(StronglySafe(FINE, 2)), Safe(), data=PEOPLE, budget=Budget(runs=1))
    assert isinstance(short.verdict, Undecided)
    assert "raise --runs" in short.verdict.reason


PATIENTS = pl.DataFrame({"age": [31] * 8 + [52, 57, 58, 59, 51], "illness": ["flu", "cold"] * 6 + ["gout"]})


def in_tens(people):
    return (pl.col("age") // 10 * 10).cast(pl.String)


def by_the_oldest(people):
    """A recoding that follows the data: as wide as the oldest is old."""
    width = max(1, people["age"].max() or 1)
    return ((pl.col("age") + width) // width * width).cast(pl.String)


def dropped(recoded, k):
    return recoded.filter(pl.len().over("age") >= k)


def starred(recoded, k, columns=("age", "illness")):
    shown = pl.len().over("age") >= k
    return recoded.with_columns(
        pl.when(shown).then(pl.col(name)).otherwise(pl.lit("*")).alias(name) for name in columns
    )


def starred_but_for_the_illness(recoded, k):
    return starred(recoded, k, ("age",))


def anonymizer(recode, suppress, k=5):
    return Wrapped(lambda people, rng: suppress(people.with_columns(age=recode(people)), k).sort("age", "illness"))


@pytest.mark.parametrize("relation", Neighbours)
@pytest.mark.parametrize(
    ("suppress", "held"), [(dropped, NotRefuted), (starred, NotRefuted), (starred_but_for_the_illness, Undecided)]
)
def test_suppression_is_not_taken_for_a_recoding_that_follows_the_data(suppress, held, relation):
    """Where a group reaches k, k rows appear at once, with several illnesses, or k - 1 rows of stars go."""
    fixed = audit(anonymizer(in_tens, suppress), Safe(neighbours=relation), data=PATIENTS)
    assert isinstance(fixed.verdict, held)
    leaky = audit(anonymizer(by_the_oldest, suppress), Safe(neighbours=relation), data=PATIENTS)
    assert isinstance(leaky.verdict, Refuted)
    assert "shown with another value" in leaky.verdict.witness.event.words


def with_sizes(recoded):
    return recoded.with_columns(pl.len().over("age").alias("group_size"), (pl.len() - 1).alias("others"))


def numbered(recoded):
    return recoded.with_row_index("place")


def numbered_anew(recoded):
    """The numbers of the people in the data are replaced by those of the rows in the release."""
    return recoded.with_columns(number=pl.int_range(pl.len(), 0, -1))


def with_a_total(recoded):
    counts = recoded.group_by("age").len().sort("age")
    total = pl.DataFrame({"age": ["total"], "len": [recoded.height]}, schema=counts.schema)
    return pl.concat([counts, total])


@pytest.mark.parametrize("relation", Neighbours)
@pytest.mark.parametrize("derive", [with_sizes, numbered, numbered_anew, with_a_total])
def test_what_is_worked_out_from_a_release_is_not_taken_for_a_recoding(derive, relation):
    """All of these follow from a table whose recoding is fixed; they change with one row all the same."""
    people = PATIENTS.with_columns(number=pl.int_range(pl.len()))

    def verdict(recode):
        target = Wrapped(lambda table, rng: derive(table.with_columns(age=recode(table)).sort("age", "illness")))
        return audit(target, Safe(neighbours=relation), data=people).verdict

    assert isinstance(verdict(in_tens), Undecided | NotRefuted)
    assert isinstance(verdict(by_the_oldest), Undecided if derive is with_a_total else Refuted)


def as_text(people):
    return pl.format("P{}", pl.int_range(pl.len()) + 101)


def as_numbers_with_a_fraction(people):
    return pl.int_range(pl.len()) + 0.5


def as_far_apart_numbers(people):
    return pl.int_range(pl.len(), 0, -1) * 7


def as_words_that_depend_on_how_many_there_are(people):
    words = [hashlib.sha256(f"{place} of {people.height}".encode()).hexdigest()[:8] for place in range(people.height)]
    return pl.lit(pl.Series(words, dtype=pl.String))


def as_places_of_two(people):
    return pl.format("P{}", pl.int_range(pl.len()) // 2)


def as_numbers_within_an_illness(people):
    return pl.int_range(pl.len()).over("illness") + 1


def as_names_in_order_of_appearance(people):
    return pl.format("P{}", pl.col("name").rank("dense"))


@pytest.mark.parametrize("relation", Neighbours)
@pytest.mark.parametrize("suppress", [lambda recoded, k: recoded, dropped], ids=["whole", "suppressed"])
@pytest.mark.parametrize(
    "name",
    [
        as_text,
        as_numbers_with_a_fraction,
        as_far_apart_numbers,
        as_words_that_depend_on_how_many_there_are,
        as_places_of_two,
        as_numbers_within_an_illness,
        as_names_in_order_of_appearance,
    ],
)
def test_pseudonyms_are_not_taken_for_a_recoding_that_follows_the_data(name, suppress, relation):
    """Whether the data have a name for each row, or one for two rows each."""
    for rows in (1, 2):
        people = PATIENTS.with_columns(name=pl.format("n{}", pl.int_range(pl.len()) // rows))

        def verdict(recode, people=people):
            target = Wrapped(
                lambda table, rng: suppress(table.with_columns(age=recode(table), name=name(table)).sort("name"), 5)
            )
            return audit(target, Safe(neighbours=relation), data=people, budget=Budget(runs=400)).verdict

        assert isinstance(verdict(in_tens), Undecided | NotRefuted)
        assert isinstance(verdict(by_the_oldest), Refuted)


def test_what_suppression_might_explain_is_undecided_with_a_remedy():
    def whole_or_nothing(recoded, k):
        return recoded.filter((pl.len().over("age").min() >= k) & (pl.len() > 0))

    finding = audit(anonymizer(in_tens, whole_or_nothing, k=2), Safe(), data=PATIENTS)
    assert isinstance(finding.verdict, Undecided)
    assert "give it a method choose(data, rng)" in finding.verdict.reason


# --- k-anonymity ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", [[30, 30.0], [np.int64(30), 30], [np.float32(30), np.int8(30)]])
@pytest.mark.parametrize(("beside", "verdict"), [("*", NotRefuted), (np.int64(48), Refuted)])
def test_equal_numbers_are_one_group_however_each_cell_stores_them(cells, beside, verdict):
    """48 is written 30 in hexadecimal."""
    release = pd.DataFrame({"age": pd.Series([*cells, "*", "*", beside], dtype=object)})
    audited = audit(Wrapped(lambda data, rng: release), KAnonymity(2), data=PEOPLE)
    assert isinstance(audited.verdict, verdict)


def test_small_groups_in_a_release_are_found_and_replayed():
    finding = audit(Wrapped(StronglySafe(FINE, 2)), KAnonymity(3), data=PEOPLE)
    assert isinstance(finding.verdict, Refuted)
    assert finding.verdict.witness.values["count"] == "2"
    again = replay(finding, Wrapped(StronglySafe(FINE, 2)), seed=7)
    assert isinstance(again.verdict, Refuted)
    fixed = replay(finding, Wrapped(StronglySafe(FINE, 3)), seed=7)
    assert isinstance(fixed.verdict, NotRefuted)


def test_groups_of_k_are_not_refuted():
    finding = audit(Wrapped(StronglySafe(FINE, 3)), KAnonymity(3), data=PEOPLE)
    assert isinstance(finding.verdict, NotRefuted)
    assert "smallest group in them has 3 rows" in finding.verdict.detectable


def test_columns_choose_what_counts():
    release = pl.DataFrame({"age": ["[20, 40)"] * 3, "name": ["a", "b", "c"]})
    assert smallest_group(release, None).count == 1
    assert smallest_group(release, ("age",)).count == 3


def test_stars_and_nulls_are_values():
    release = pl.DataFrame({"age": ["*", "*", None, None, "x"], "sex": ["f", "f", None, None, None]})
    assert smallest_group(release, None).row == {"age": "x", "sex": "(missing)"}
    assert smallest_group(release.head(4), None).count == 2
    assert smallest_group(release.clear(), None) is None


@pytest.mark.parametrize("stars", [1, 2])
def test_a_row_of_stars_is_counted_like_any_other_as_check_does(stars):
    release = pl.DataFrame({"age": ["30"] * 3 + ["*"] * stars, "city": ["Bonn"] * 3 + ["*"] * stars})
    audited = audit(Wrapped(lambda data, rng: release), KAnonymity(2), data=PEOPLE)
    checked = check(release, Terms(k=2))[0]
    assert isinstance(audited.verdict, Refuted) == isinstance(checked.verdict, Refuted) == (stars == 1)


@pytest.mark.parametrize("rows", [[("a", 1), ("a", 1), ("b", 2)], [("a", 1)] * 4])
def test_smallest_group_is_the_smallest_count(rows):
    release = pl.DataFrame(rows, schema=["x", "y"], orient="row")
    assert smallest_group(release, None).count == min(Counter(rows).values())


# --- crowd-blending -------------------------------------------------------------------------------------------


def test_a_suppressed_histogram_blends():
    finding = audit(SuppressedHistogram(COARSE, 3), CrowdBlending(3), data=PEOPLE)
    assert isinstance(finding.verdict, NotRefuted)


def test_a_histogram_with_a_lower_threshold_does_not_blend():
    finding = audit(SuppressedHistogram(COARSE, 2), CrowdBlending(3), data=PEOPLE)
    assert isinstance(finding.verdict, Refuted)
    again = replay(finding, SuppressedHistogram(COARSE, 2), seed=3)
    assert isinstance(again.verdict, Refuted)
    assert isinstance(replay(finding, SuppressedHistogram(COARSE, 3), seed=3).verdict, NotRefuted)


def test_local_recoding_does_not_blend():
    assert isinstance(audit(Mondrian(k=2, total=True), CrowdBlending(2), data=PEOPLE).verdict, Refuted)


@frozen
class NoisyCount:
    """The number of rows with two-sided geometric noise: eps-DP, so everyone blends at that eps."""

    alpha: float

    def __call__(self, data, rng):
        return int(data.height + rng.geometric(1 - self.alpha) - rng.geometric(1 - self.alpha))


def test_blending_by_noise_is_tested_statistically():
    pair = Pair(PEOPLE.head(3), PEOPLE.head(2), Neighbours.ADD_REMOVE, "three people and two")
    leaky = audit(NoisyCount(0.1), CrowdBlending(4, "ln 2"), pairs=[pair], budget=Budget(runs=60_000))
    assert isinstance(leaky.verdict, Refuted)
    safe = audit(NoisyCount(0.5), CrowdBlending(4, "ln 2"), pairs=[pair], budget=Budget(runs=4_000))
    assert isinstance(safe.verdict, NotRefuted)


# --- what the exact notions rest on ---------------------------------------------------------------------------


def titles(finding):
    return [getattr(each, "title", "") for each in finding.evidence]


@frozen
class Release:
    """Somebody's own mechanism: with `total` it publishes how many rows there are, else nothing."""

    deterministic: ClassVar[bool] = True
    k: int
    total: bool

    def __call__(self, data, rng):
        return data.height if self.total else 0


@pytest.mark.parametrize("total", [False, True], ids=["safe", "leaky"])
def test_a_mechanism_of_the_users_own_is_audited_as_it_is(total):
    """Under sampling our own k-anonymizers are made total; a field of that name elsewhere is none of our business."""
    mechanism = Release(2, total)
    finding = audit(mechanism, DPS("1/2", "0.1"), data=PEOPLE.head(4))
    assert isinstance(finding.verdict, Refuted) == total
    assert Sampled("1/2", mechanism).mechanism is mechanism


@pytest.mark.slow
@pytest.mark.parametrize("claim", [Safe(), CrowdBlending(2), DP(1, "0.5")], ids=lambda claim: claim.notion)
@pytest.mark.parametrize("target", [Mondrian(k=2, total=True), StronglySafe(COARSE, 2)], ids=["leaky", "safe"])
def test_determinism_that_was_measured_is_an_assumption_and_a_declared_one_is_not(target, claim):
    inner, budget = Wrapped(target), Budget(runs=4_000)
    declared = audit(inner, claim, data=PEOPLE, budget=budget, search=0)
    own = load_target(inner.__call__, isolate="none")
    measured = audit(own, claim, data=PEOPLE, budget=budget, search=0)
    told = audit(own, claim, data=PEOPLE, budget=budget, search=0, deterministic=True)
    assert declared.certainty == told.certainty == Exact()
    assert declared.verdict == told.verdict
    if isinstance(declared.verdict, Refuted):
        assert measured.verdict == declared.verdict
        assert measured.certainty == Confidence(Fraction(1, 10**6))
    else:
        assert isinstance(measured.verdict, NotRefuted)
        assert isinstance(measured.certainty, Measured)
        assert f"measured in {measured.certainty.runs:,} runs and not declared" in measured.verdict.detectable
    assert {"Assumption", "Behaviour of the target"} <= set(titles(measured))
    assert "Assumption" not in titles(declared) + titles(told)


def test_a_measured_recoding_is_confirmed_by_fresh_runs_or_undecided():
    target = load_target(Wrapped(Mondrian(k=2, total=True)).__call__, isolate="none")
    few, large = Budget(runs=12), Safe(12)
    assert isinstance(audit(target, Safe(), data=PEOPLE, search=0).verdict, Refuted)
    for finding in (audit(target, Safe(), data=PEOPLE, budget=few), audit(target, large, data=PEOPLE)):
        assert isinstance(finding.verdict, Undecided)
        assert "--deterministic" in finding.verdict.reason
        assert finding.certainty is None
    stated = audit(target, large, data=PEOPLE, deterministic=True)
    assert isinstance(stated.verdict, Refuted)
    assert str(stated.certainty) == "exact"


@pytest.mark.parametrize("seed", range(6))
def test_a_recoding_that_is_random_after_all_is_not_refuted_by_its_luck(seed):
    """One recoding in four runs is another: the first runs on either dataset agree often, fresh ones do not."""

    def recode(data, rng):
        width = 20 if rng.random() < 0.25 else 10
        return data.with_columns(age=pl.col("age") // width * width)

    finding = audit(load_target(recode, isolate="none"), Safe("ln 4"), data=PEOPLE, seed=seed, search=0)
    assert isinstance(finding.verdict, Skipped | NotRefuted)


@pytest.mark.parametrize("x", [1.0, 1.5, 2.0, 4.0])
def test_no_safe_recoding_gives_two_incompatible_releases_so_often(x):
    """By a second route: all pairs of probabilities on a grid that an eps-safe recoding allows."""
    plan = planned(Excess(Epsilon.of(math.log(x)), (), Fraction(1), Fraction(0)), Fraction(0), Fraction(1, 10**6))
    pi, sigma = np.meshgrid(np.linspace(0, 1, 401), np.linspace(0, 1, 401))
    allowed = (pi <= x * (1 - sigma)) & (sigma <= x * (1 - pi))
    first = float(plan.heavy)
    likely = (first * pi + (1 - first) * sigma)[allowed].max()
    assert likely**plan.runs <= 1e-6 * (1 + 1e-9)
    assert likely ** (plan.runs / 2) > 1e-6


def test_a_randomized_target_has_no_assumption_of_determinism():
    pair = Pair(PEOPLE.head(3), PEOPLE.head(2), Neighbours.ADD_REMOVE, "three people and two")
    target = load_target(NoisyCount(0.5).__call__, isolate="none")
    finding = audit(target, CrowdBlending(4, "ln 2"), pairs=[pair], budget=Budget(runs=2_000))
    assert "Behaviour of the target" in titles(finding)
    assert "Assumption" not in titles(finding)


@frozen
class Slow:
    """Another mechanism, made to take as long as the whole budget of time."""

    inner: object
    deterministic: bool

    def __call__(self, data, rng):
        time.sleep(0.002)
        return self.inner(data, rng)


@pytest.mark.parametrize(
    ("target", "claim"),
    [
        (Slow(StronglySafe(COARSE, 2), True), Safe()),
        (Slow(StronglySafe(COARSE, 2), True), CrowdBlending(2)),
        (Slow(NoisyCount(0.5), False), CrowdBlending(4, "ln 2")),
        (Slow(StronglySafe(COARSE, 2), True), KAnonymity(2)),
    ],
    ids=["safe", "crowd-blending", "crowd-blending by betting", "k-anonymity"],
)
def test_time_that_is_spent_leaves_what_was_examined_and_nothing_examined_is_undecided(target, claim):
    """Whichever budget ended, the verdict is by what was seen until then."""
    nothing = audit(target, claim, data=PEOPLE, budget=Budget(seconds=1e-9))
    assert isinstance(nothing.verdict, Undecided)
    assert "raise --runs or --seconds" in nothing.verdict.reason
    some = audit(target, claim, data=PEOPLE, budget=Budget(seconds=6.0))
    assert isinstance(some.verdict, NotRefuted)
    assert some.cost.seconds < 10


def test_a_small_group_that_is_seen_in_time_refutes():
    target = Slow(StronglySafe(FINE, 2), True)
    assert isinstance(audit(target, KAnonymity(3), data=PEOPLE, budget=Budget(seconds=0.01)).verdict, Refuted)


# --- dp -------------------------------------------------------------------------------------------------------


def test_a_deterministic_target_is_not_dp_and_a_constant_is():
    assert isinstance(audit(Mondrian(k=2, total=True), DP(5, "0.9"), data=PEOPLE).verdict, Refuted)

    @frozen
    class Constant:
        deterministic = True

        def __call__(self, data, rng):
            return "nothing to see"

    assert isinstance(audit(Constant(), DP(0), data=PEOPLE).verdict, NotRefuted)
