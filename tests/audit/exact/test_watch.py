"""A mechanism that is watched: what was enumerated must come again, and what was not is left alone."""

import pickle
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from attrs import evolve, frozen

from crowdproof.audit import Budget, Pair
from crowdproof.audit.allowance import Allowance
from crowdproof.audit.compare.betting.trials import run
from crowdproof.audit.compare.exact import NotDeterministicError, Watched, exact_law
from crowdproof.audit.data.rows import SampledRows
from crowdproof.audit.releases import Refusal
from crowdproof.audit.runners.inline import Inline
from crowdproof.claims import Neighbours
from crowdproof.errors import NoReleaseError
from crowdproof.mechanism import declares_independence

PEOPLE = pl.DataFrame({"age": [30, 31, 30, 95]})
MANY = pl.DataFrame({"age": range(1_000)})
PAIR = Pair(PEOPLE, PEOPLE.head(3), Neighbours.ADD_REMOVE, "with and without the one of 95")
RNG = np.random.default_rng(1)


@frozen
class Height:
    """How many rows there are, and `more`; fewer than two are refused."""

    deterministic = True
    more: int = 0

    def __call__(self, data, rng):
        return data.height + self.more if data.height > 1 else None


@frozen
class Answering(Height):
    """The same, as a target that answers many runs."""

    def answers(self, datasets, plan):
        return [self(datasets[place], None) for place, _ in plan]


def enumerated(mechanism, beta, pair=PAIR):
    return exact_law(pair, mechanism, beta, runner=Inline(), allowance=Allowance(Budget()))


def test_the_same_mechanism_passes_and_another_one_is_noticed():
    result = enumerated(Height(), None)
    same = Watched.of(Height(), [result])
    assert same(PEOPLE, RNG) == 4
    assert same.answers is None
    with pytest.raises(NotDeterministicError):
        Watched.of(Height(more=1), [result])(PEOPLE, RNG)


def test_answers_of_a_target_are_watched_too():
    result, datasets = enumerated(Answering(), None), [PEOPLE, PEOPLE.head(3)]
    plan = [(0, 11), (1, 12), (0, 13)]
    assert Watched.of(Answering(), [result]).answers(datasets, plan) == [4, 3, 4]
    with pytest.raises(NotDeterministicError):
        Watched.of(Answering(more=1), [result]).answers(datasets, plan)


def test_nobody_stands_for_it_that_watched_runs_are_independent():
    assert not declares_independence(Watched.of(Height(), []))


def test_a_large_table_is_watched_too():
    result = enumerated(Height(), None, Pair(MANY, MANY.head(999), Neighbours.ADD_REMOVE, "a thousand people"))
    assert Watched.of(Height(), [result])(MANY, RNG) == 1_000
    with pytest.raises(NotDeterministicError):
        Watched.of(Height(more=1), [result])(MANY, RNG)


def test_data_that_was_not_enumerated_is_not_judged():
    other = Watched.of(Height(more=1), [enumerated(Height(), None)])
    assert other(PEOPLE.head(2), RNG) == 3


def test_every_sample_that_was_enumerated_is_watched():
    """Equal rows stand together in the pair that is shown, as they do in the samples that were enumerated."""
    result = enumerated(Height(), Fraction(1, 2))
    same = SampledRows(Fraction(1, 2), Watched.of(Height(), [result]))
    order, seed = np.zeros(200, np.int64), np.random.SeedSequence(1)
    outputs = run(same, (result.pair.left,), order, seed, in_batches=False)
    assert {each for each in outputs if not isinstance(each, Refusal)} == {2, 3, 4}
    other = SampledRows(Fraction(1), Watched.of(Height(more=1), [result]))
    for data in (result.pair.left, result.pair.right, result.pair.left.head(2)):
        with pytest.raises(NotDeterministicError):
            other(data, RNG)


def test_a_refusal_is_an_outcome_that_must_come_again():
    result = enumerated(Height(), Fraction(1, 2))
    one = PEOPLE.head(1)
    with pytest.raises(NoReleaseError):
        Watched.of(Height(), [result])(one, RNG)
    with pytest.raises(NotDeterministicError):
        Watched.of(lambda data, rng: 1, [result])(one, RNG)


def test_results_that_contradict_each_other_are_noticed_at_once():
    result = enumerated(Height(), None)
    Watched.of(Height(), [result, evolve(result)])
    with pytest.raises(NotDeterministicError):
        Watched.of(Height(), [result, enumerated(Height(more=1), None)])


def test_the_difference_is_told_across_processes():
    told = pickle.loads(pickle.dumps(NotDeterministicError()))
    assert isinstance(told, NotDeterministicError)
    assert str(told) == str(NotDeterministicError())
