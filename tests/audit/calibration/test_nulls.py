"""What surrounds the answer of a null keeps its claim: dressings by enumeration, behaviours with the same coins."""

import copy
import pickle
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from crowdproof.audit.calibration import behaviours, generate, laws, named
from crowdproof.audit.calibration.behaviours import BEHAVIOURS, TOO_MANY, Drift, Echo, KeptMark, Limited, Moody
from crowdproof.audit.calibration.dressings import DRESSINGS, dressing_named
from crowdproof.audit.calibration.makers import MAKERS, Refused
from crowdproof.audit.calibration.null import STACKABLE, Delivery, Null, Reading
from crowdproof.claims import DP, Neighbours

X = Fraction(3)
CLAIM = DP("ln 3", 0, Neighbours.REPLACE)
DRAWN = 4000


def key(output):
    """Equal for outputs that nobody can tell apart, and for no others."""
    if isinstance(output, pl.DataFrame):
        return ("polars", str(output.schema), str(output.rows()))
    if isinstance(output, pd.DataFrame):
        return ("pandas", str(output.dtypes.to_dict()), str(output.to_numpy().tolist()))
    if isinstance(output, np.ndarray):
        return ("array", str(output.dtype), str(output.shape), str(output.tolist()))
    if isinstance(output, set | frozenset):
        return (type(output).__name__, str(sorted(map(repr, output))))
    return (type(output).__name__, repr(output))


def output_law(dressing, law, case):
    """Exactly, by enumeration of answers, makers and marks."""
    found = defaultdict(Fraction)
    for answer, p in enumerate(law.probabilities(case)):
        for q, output in dressing.law(answer):
            found[key(output)] += p * q
    return found


def excess(one, two, x):
    return sum(max(one[each] - x * two[each], 0) for each in list(one))


@pytest.mark.parametrize("dressing", DRESSINGS, ids=lambda each: each.name)
def test_a_dressing_keeps_the_claim_and_its_edge(dressing):
    law = laws.response(X, Fraction(0), 3)
    one, two = (output_law(dressing, law, case) for case in (0, 1))
    assert sum(one.values()) == sum(two.values()) == 1
    assert excess(one, two, X) == excess(two, one, X) == 0
    less = Fraction(299, 100)  # a slightly stronger claim is false wherever the output says anything: the edge is kept
    assert max(excess(one, two, less), excess(two, one, less)) > 0 or dressing.name in BLURRED


BLURRED = {"bool", "numpy bool", "signed zero", "empty table"}
"""Those that show the parity of the answer only, in which the third answer is mixed with the first."""


@pytest.mark.parametrize("dressing", DRESSINGS, ids=lambda each: each.name)
def test_outputs_are_drawn_by_the_declared_law(dressing):
    rng, law, seen = np.random.default_rng(1), laws.ignoring((1, 2, 1), 1), Counter()
    ends = law.ends()[0]
    for drawn in rng.integers(ends[-1], size=DRAWN):
        try:
            seen[key(dressing.make(int(ends.searchsorted(drawn, side="right")), rng))] += 1
        except Refused:
            seen[key(None)] += 1
    declared = output_law(dressing, law, 0)
    assert set(seen) <= set(declared)
    for each, p in declared.items():
        assert abs(seen[each] - DRAWN * p) <= 6 * (DRAWN * float(p)) ** 0.5 + 3, each


def test_every_maker_is_worn_and_names_are_unique():
    assert {name for each in DRESSINGS for name in each.makers} == set(MAKERS)
    assert len({each.name for each in DRESSINGS}) == len(DRESSINGS)


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=str)
def test_a_behaviour_sees_nothing_of_the_data_but_the_answer(behaviour, monkeypatch):
    """In the same state, with the same coins and the same answer, any data has the same output."""
    ticks = iter(np.arange(10**6) * 0.0003)
    law = laws.ignoring((1, 2), 2)
    running = Null(law, CLAIM, ((0, 1),), dressing_named("int"), behaviour).mechanism()
    for call in range(700):
        now = float(next(ticks))
        monkeypatch.setattr(behaviours, "monotonic", lambda now=now: now)
        monkeypatch.setattr(behaviours, "sleep", lambda _: None)
        other = copy.deepcopy(running)
        assert run(running, 0, call) == run(other, 1, call)


def run(running, data, seed):
    try:
        return running(data, np.random.default_rng([3, seed]))
    except Refused:
        return None


def outputs(behaviour, calls=DRAWN, law=None):
    law = law or laws.ignoring((1, 1), 2)
    running = Null(law, CLAIM, ((0, 1),), dressing_named("int"), behaviour).mechanism()
    return [run(running, 0, call) for call in range(calls)]


def test_behaviours_do_what_they_declare():
    moody = outputs(Moody(DRAWN // 2))
    assert [
        sum(each is None for each in half) / (DRAWN / 2) for half in (moody[: DRAWN // 2], moody[DRAWN // 2 :])
    ] == [
        pytest.approx(0.02, abs=0.015),
        pytest.approx(0.2, abs=0.04),
    ]
    limited = outputs(Limited(140, 0.3, pause=1000))
    refused = [each == TOO_MANY for each in limited]
    assert not any(refused[:140])
    assert sum(refused[200:1000]) / 800 == pytest.approx(0.7, abs=0.02)
    assert not any(refused[1000:1140])
    drifting = [mark for mark, _ in outputs(Drift(DRAWN))]
    assert sum(drifting) / DRAWN == pytest.approx(0.5, abs=0.05)
    kept = [mark for mark, _ in outputs(KeptMark(100))]
    assert all(len(set(kept[start : start + 100])) == 1 for start in range(0, DRAWN, 100))
    assert len(set(kept)) == 8
    told = outputs(Echo())
    assert [before for before, _ in told[1:]] == [output // 10 for _, output in told[:-1]]


def test_the_real_clock_limits_too(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(behaviours, "monotonic", lambda: now[0])
    running = Null(laws.ignoring((1, 1), 2), CLAIM, ((0, 1),), dressing_named("int"), Limited(140, 300.0)).mechanism()
    first = [run(running, 0, call) == TOO_MANY for call in range(200)]
    now[0] = 0.1
    then = [run(running, 0, call) == TOO_MANY for call in range(50)]
    assert (sum(first), sum(then)) == (60, 20)


def test_each_mechanism_starts_with_nothing_to_remember():
    null = next(each for each in named() if each.title == "earlier answers")
    assert [run(null.mechanism(), 1, call)[0] for call in range(5)] == [0.0] * 5


@pytest.mark.parametrize("delivery", [Delivery.LISTED, Delivery.RAISING, Delivery.DEPENDENT, Delivery.STACKED])
def test_batches(delivery):
    law = laws.chances("refusals", (Fraction(1, 2), Fraction(0)))
    kind = "float" if delivery is Delivery.STACKED else "number or exception, by the answer"
    running = Null(law, CLAIM, ((0, 1),), dressing_named(kind), delivery=delivery).mechanism()
    rng = np.random.default_rng(1)
    assert len(running.batch(1, rng, 50)) == 50
    if delivery is Delivery.RAISING:
        with pytest.raises(Refused):
            running.batch(0, rng, 50)
    elif delivery is Delivery.STACKED:
        assert running.batch(0, rng, 50).shape == (50,)
    else:
        assert 10 < sum(each is None for each in running.batch(0, rng, 50)) < 40
    assert getattr(running, "independent", True) is (delivery is not Delivery.DEPENDENT)


def test_a_null_is_a_value_that_a_seed_repeats():
    nulls = generate(3, 60)
    assert nulls == generate(3, 90)[:60]
    assert nulls != generate(4, 60)
    assert pickle.loads(pickle.dumps(nulls)) == nulls
    for null in nulls[:30]:
        one, two = (run(null.mechanism(), null.pairs[0].left, 1) for _ in range(2))
        assert key(one) == key(two) or not null.repeatable


def test_the_generator_leaves_nothing_out():
    nulls = generate(1, 1000)
    assert {null.dressing for null in nulls[: len(DRESSINGS)]} == set(DRESSINGS)
    assert {null.behaviour for null in nulls} >= set(BEHAVIOURS)
    assert {null.delivery for null in nulls} == set(Delivery)
    assert {null.reading for null in nulls} == set(Reading)
    assert all(null.delivery in (Delivery.SINGLE, Delivery.DEPENDENT) for null in nulls if null.remembers)
    assert any(
        len({case for pair in null.pairs_of_cases for case in pair}) < 2 * len(null.pairs_of_cases) for null in nulls
    )


def test_data_is_read_as_it_was_written():
    for null in generate(1, 100):
        cases = {case for pair in null.pairs_of_cases for case in pair}
        assert all(null.case(null.data(case)) == case for case in cases)
        assert all(null.law.answers == len(null.law.weights[case]) for case in cases)


def test_stackable_outputs_make_one_array():
    for name in STACKABLE:
        null = Null(laws.ignoring((1, 1), 2), CLAIM, ((0, 1),), dressing_named(name), delivery=Delivery.STACKED)
        assert null.mechanism().batch(0, np.random.default_rng(1), 20).dtype != object
