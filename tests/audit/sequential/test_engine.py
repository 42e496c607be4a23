"""Leaky twins are refuted, safe twins are not, and the same seed gives the same result wherever it runs."""

import os
import pickle
import random
import sys
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from attrs import frozen

from crowdproof.audit.compare.betting import Direction, Ended, sequential_audit
from crowdproof.audit.compare.betting.summary import detectable_words
from crowdproof.audit.releases import evaluate
from crowdproof.audit.request import Budget, Pair
from crowdproof.audit.runners.inline import Inline
from crowdproof.claims import Neighbours, Point
from crowdproof.errors import ParameterError, TargetError

ERROR = Fraction(1, 10**6)


class Processes:
    def __init__(self, workers):
        self.workers = workers

    def map(self, function, items):
        with ProcessPoolExecutor(self.workers) as pool:
            yield from pool.map(function, items)

    def spread(self, work):
        edges = np.linspace(0, work.units, self.workers + 1).astype(int)
        yield from self.map(call, [work.cut(int(start), int(stop)) for start, stop in pairwise(edges) if start < stop])


def call(piece):
    return piece()


class Anyhow:
    """So many workers by name: pieces are cut at random, sent as copies, and all done before any is looked at."""

    def __init__(self, workers):
        self.workers, self.random = workers, random.Random(workers)

    def map(self, function, items):
        return Done([pickle.loads(pickle.dumps(function))(each) for each in items])

    def spread(self, work):
        pieces, start = [], 0
        while start < work.units:
            stop = min(start + self.random.randint(1, 40), work.units)
            pieces.append(pickle.loads(pickle.dumps(work.cut(start, stop))))
            start = stop
        results = {place: pieces[place]() for place in self.random.sample(range(len(pieces)), len(pieces))}
        return Done([results[place] for place in range(len(pieces))])


class Done:
    def __init__(self, results):
        self.results = iter(results)

    def __iter__(self):
        return self.results

    def close(self):
        """Nothing is under way."""


@frozen
class Laplace:
    scale: float

    def __call__(self, data, rng):
        return float(self.batch(data, rng, 1)[0])

    def batch(self, data, rng, size):
        # on a grid: the doubles of a naive sum have holes, which the auditor finds
        return np.round((data[0] + rng.laplace(0, self.scale, size)) * 2**16) / 2**16


@frozen
class Coin:
    """Randomized response: truth with odds `odds`."""

    odds: float

    def __call__(self, data, rng):
        return bool(rng.random() < self.odds / (1 + self.odds)) == bool(data[0])


NUMBERS = Pair(np.array([0.0]), np.array([1.0]), Neighbours.REPLACE, "0 against 1")
SAME = Pair(np.array([1.0]), np.array([1.0]), Neighbours.REPLACE, "twice the same")


def audit(mechanism, epsilon, delta=0, *, runs=40_000, pairs=(NUMBERS,), seed=7, runner=None, **options):
    return sequential_audit(
        list(pairs),
        mechanism,
        [Point(epsilon, delta)],
        error=ERROR,
        budget=Budget(runs=runs),
        seed=np.random.SeedSequence(seed),
        runner=runner or Inline(),
        **options,
    )


def test_a_false_claim_is_refuted_with_an_event_that_shows_it():
    result = audit(Laplace(1.0), "0.5")
    assert result.ended is Ended.REFUTED
    assert result.log_e >= np.log(1e6)
    assert result.trials < 40_000
    outputs = [Laplace(1.0).batch(side, np.random.default_rng(3), 20_000) for side in (NUMBERS.left, NUMBERS.right)]
    left, right = (evaluate(result.refuted.event.spec, each).mean() for each in outputs)
    heavy, light = (left, right) if result.refuted.direction is Direction.LEFT else (right, left)
    assert heavy > np.exp(0.5) * light
    assert result.refuted.p_left.low <= left <= result.refuted.p_left.high
    assert result.refuted.p_right.low <= right <= result.refuted.p_right.high


def test_a_true_claim_is_not_refuted():
    result = audit(Laplace(1.0), "1")
    assert result.refuted is None
    assert result.ended is Ended.RUNS
    assert result.trials == 40_000
    assert 0.8 < result.epsilon_low < 1
    assert result.detectable.epsilon > 1
    assert "enough to find a leak that shows in one release of ten" in result.detectable.words


def test_what_could_have_been_found_is_told_and_nothing_else():
    of_ten = "a leak that shows in one release of ten and has an epsilon of 1.5 or more"
    of_a_hundred = "a leak that shows in one release of a hundred and has an epsilon of 2.5 or more"
    alone = "a release that only one of the datasets gives and that has a probability of 0.01 or more"
    start = "The pair tested most had 977 runs on each dataset."
    words = detectable_words(977, 1.5, rare=2.5, catastrophe=0.01)
    assert words.startswith(
        f"{start} In nine audits of ten that is enough to find {of_ten}, or {of_a_hundred}, or {alone}. Smaller or "
    )
    words = detectable_words(977, 1.5, rare=np.inf, catastrophe=1.0)
    assert words.startswith(f"{start} In nine audits of ten that is enough to find {of_ten}. Smaller or ")
    assert detectable_words(977, np.inf, rare=np.inf, catastrophe=1.0).startswith(f"{start} Smaller or rarer ")


def test_progress_is_told_as_a_share_of_the_evidence():
    told = []

    class Told:
        def update(self, done, total, words):
            told.append(words)

    audit(Laplace(1.0), "0.5", progress=Told())
    assert told[0] == "0% of the evidence that a refutation needs"
    assert told[-1] == "100% of the evidence that a refutation needs"


def test_delta_counts():
    loose, tight = audit(Laplace(1.0), "0.2", "0.4"), audit(Laplace(1.0), "0.2", "0.1")
    assert loose.refuted is None
    assert loose.detectable.epsilon == np.inf  # no event in a tenth of the releases is beyond a delta of 0.4
    assert tight.refuted is not None
    truth = 1 - np.exp((0.2 - 1) / 2)  # the exact hockey-stick divergence of Laplace(1)
    assert 0.1 < tight.delta_low < truth
    assert loose.delta_low < truth
    assert all(point.delta < max(1 - np.exp((point.epsilon - 1) / 2), 1e-12) for point in loose.profile)


def test_plain_callables_and_discrete_outputs():
    leaky, safe = audit(Coin(3.0), "ln 2", runs=20_000), audit(Coin(3.0), "ln 3", runs=20_000)
    assert leaky.refuted is not None
    assert safe.refuted is None
    assert 0.8 < safe.epsilon_low < np.log(3)


@pytest.mark.slow
@pytest.mark.parametrize("runner", [Processes(2), Processes(3)])
def test_the_result_does_not_depend_on_who_runs_it(runner):
    for mechanism in (Coin(3.0), Laplace(1.0)):
        here = audit(mechanism, "1", runs=3000, bounds=False)
        assert here == audit(mechanism, "1", runs=3000, bounds=False, runner=runner)


def odd(data, rng):
    """Releases of several kinds, none of them at times."""
    draw = rng.integers(5) + np.random.default_rng(rng.integers(9)).integers(2)
    return [None, "text", 2.5, [1, 2], pl.DataFrame({"a": [data[0], random.random()]})][draw % 5]


@pytest.mark.parametrize("workers", [1, 2, 3, 16])
@pytest.mark.parametrize("mechanism", [Coin(3.0), Laplace(1.0), odd], ids=["coin", "batches", "odd"])
def test_the_result_does_not_depend_on_how_many_run_it(mechanism, workers):
    """Not on how blocks are cut, on which pieces are done first, nor on whether several blocks are under way."""
    pairs = [SAME, NUMBERS, Pair(np.array([2.0]), np.array([1.0]), Neighbours.REPLACE, "2 against 1"), NUMBERS]
    here = audit(mechanism, "1", runs=3001, pairs=pairs, bounds=False)
    assert here == audit(mechanism, "1", runs=3001, pairs=pairs, bounds=False, runner=Anyhow(workers))
    assert here.trials > 1000


def test_the_leaky_pair_is_found_among_others():
    pairs = [SAME, SAME, NUMBERS, SAME, SAME]
    result = audit(Laplace(1.0), "0.5", pairs=pairs, bounds=False)
    assert result.refuted is not None
    assert result.refuted.pair == 2
    assert result.pair_trials[2] > max(result.pair_trials[:2])


def test_evidence_of_a_warm_start_counts_once():
    first = audit(Coin(3.0), "ln 3", runs=4000)
    second = audit(Coin(3.0), "ln 3", runs=4000, seed=8, warm=first.state)
    assert second.trials == 4000
    cold = audit(Coin(3.0), "0.8", seed=9)
    warm = audit(Coin(3.0), "0.8", seed=9, warm=audit(Coin(3.0), "0.8").state)
    assert warm.refuted is not None
    assert warm.trials <= cold.trials
    with pytest.raises(ParameterError):
        audit(Coin(3.0), "1", warm="nonsense")


def leaks_an_endpoint(data, rng):
    kept = data.filter(pl.Series(rng.random(data.height) < 0.5))
    if kept.is_empty():
        return kept
    low, high = kept.get_column("income").min(), kept.get_column("income").max()
    return kept.with_columns(pl.lit(f"[{low}, {high}]").alias("income"))


def hides_the_endpoint(data, rng):
    kept = data.filter(pl.Series(rng.random(data.height) < 0.5))
    return kept.head(0) if kept.height < 5 else kept.head(1).with_columns(pl.lit("[0, 100000000]").alias("income"))


@pytest.mark.slow
def test_a_table_tells_in_words_what_leaks():
    people = pl.DataFrame({"income": [900_000] * 12, "city": ["Bern", "Basel"] * 6})
    rich = pl.concat([people, pl.DataFrame({"income": [35_000_000], "city": ["Bern"]})])
    pair = Pair(rich, people, Neighbours.ADD_REMOVE, "an extreme value")
    leaky = audit(leaks_an_endpoint, "1", "0.02", runs=4000, pairs=[pair])
    assert leaky.refuted is not None
    assert "35,000,000" in leaky.refuted.event.words
    assert leaky.refuted.direction is Direction.LEFT
    assert leaky.refuted.p_right.low == 0
    assert audit(hides_the_endpoint, "1", "0.02", runs=3000, pairs=[pair]).refuted is None


@frozen
class Naive:
    """Laplace noise added in doubles: the doubles that can come out depend on the data."""

    def batch(self, data, rng, size):
        return data[0] + 10 * rng.laplace(0, 1, size)

    def __call__(self, data, rng):
        return float(self.batch(data, rng, 1)[0])


def test_holes_of_naive_floating_point_noise_are_found():
    result = audit(Naive(), "0.1", runs=40_000)
    assert result.refuted is not None
    assert "bit" in result.refuted.event.words


def global_noise(data, rng):
    return data[0] + round(random.gauss(0, 1), 2) + float(np.round(np.random.normal(), 2))  # noqa: NPY002


def test_targets_on_global_random_state_are_reseeded_and_leave_it_alone():
    random.seed(1)
    before = random.getstate()
    assert audit(global_noise, "0.1", runs=3000) == audit(global_noise, "0.1", runs=3000)
    assert random.getstate() == before
    assert audit(global_noise, "0.1", runs=20_000).refuted is not None


class Repeats:
    def batch(self, data, rng, size):
        return np.random.default_rng(5).random(size) + data[0]

    def __call__(self, data, rng):
        return 0.0


def test_a_repeated_random_stream_is_not_evidence():
    result = audit(Repeats(), "1", pairs=[SAME])
    assert result.ended is Ended.FAILED
    assert "same sequence" in result.failure


def breaks_late(data, rng):
    if rng.random() < 1e-3:
        raise TargetError("it hangs.")
    return bool(rng.random() < 0.5)


def test_what_was_found_before_a_crash_is_kept():
    result = audit(breaks_late, "1", runs=50_000)
    assert result.ended is Ended.FAILED
    assert "it hangs" in result.failure
    assert result.refuted is None


def raises_at_times(data, rng):
    if rng.random() < 1e-3:
        raise ZeroDivisionError("no luck")
    return bool(rng.random() < 0.5)


def test_a_run_that_raises_is_a_run_without_a_release():
    result = audit(raises_at_times, "1", runs=50_000)
    assert result.ended is Ended.RUNS
    assert 0 < result.refused < 200
    assert result.refuted is None


def test_a_release_that_shows_nothing_of_itself_is_an_error():
    pair = Pair(np.array([0.0]), np.array([1.0]), Neighbours.REPLACE, "own data")
    result = audit(lambda data, rng: object(), "1", pairs=[pair])
    assert result.ended is Ended.FAILED
    assert "shows nothing of itself" in result.failure


def adds_up(data, rng):
    """Changes what it is given, and says how often it did."""
    data += 1.0
    return float(data[0])


def test_every_run_has_data_of_its_own():
    """The second run on the same data gives what the first gave: 1 and 2, which the claim does not allow."""
    pair = Pair(np.array([0.0]), np.array([1.0]), Neighbours.REPLACE, "own data")
    result = audit(adds_up, "1", pairs=[pair])
    assert result.refuted is not None
    assert evaluate(result.refuted.event.spec, [1.0, 2.0]).sum() == 1
    assert pair.left.tolist() == [0.0]


@pytest.mark.parametrize(
    "target",
    [
        lambda data, rng: float("nan"),
        lambda data, rng: [1, "a", 2.0, None][rng.integers(3)],
        lambda data, rng: rng.choice([np.nan, np.inf, 1.0]),
        lambda data, rng: "constant",
        lambda data, rng: [],
    ],
)
def test_odd_outputs_that_ignore_the_data_are_not_refuted(target):
    result = audit(target, "0.1", runs=3000, bounds=False)
    assert result.refuted is None
    assert result.ended is Ended.RUNS


def test_parameters():
    with pytest.raises(ParameterError, match="no pairs"):
        audit(Coin(3.0), "1", pairs=[])


@pytest.mark.parametrize("runs", [40, 64, 160, 300])
@pytest.mark.parametrize("width", [1, 2, 5])
def test_the_smallest_budgets_are_spent_on_any_outputs(runs, width):
    """Samples so small that a tree has no split and a feature has two steps."""
    result = audit(lambda data, rng: rng.normal(data[0], 1, width).round(1).tolist(), "5", runs=runs)
    assert result.refuted is None
    assert result.failure == ""
    assert result.trials == runs


def test_few_runs_are_enough_for_a_blatant_leak():
    leaky = audit(lambda data, rng: 20 + int(data[0]) + int(rng.integers(0, 2)), "0.1", runs=160)
    safe = audit(lambda data, rng: 20 + int(rng.integers(0, 2)), "0.1", runs=160)
    assert leaky.ended is Ended.REFUTED
    assert safe.refuted is None


@pytest.mark.parametrize("seed", range(12))
def test_what_is_refuted_has_an_event_to_show_whichever_strategy_won(seed):
    result = audit(Laplace(1.0), "0.5", runs=6000, seed=seed, bounds=False)
    assert (result.refuted is not None) == (result.ended is Ended.REFUTED)


def test_no_runs_left_is_not_a_budget_without_limit():
    assert audit(Laplace(1.0), "0.5", runs=0).trials == 0
    assert 0 < audit(Laplace(1.0), "0.5", runs=300).trials <= 300


def test_what_a_target_changes_in_our_process_is_put_back(tmp_path):
    def meddling(data, rng):
        os.chdir(tmp_path)
        sys.setrecursionlimit(5_000)
        return int(rng.integers(2))

    folder, limit = Path.cwd(), sys.getrecursionlimit()
    sequential_audit(
        [Pair(0, 1, Neighbours.REPLACE, "0 against 1")],
        meddling,
        [Point("1")],
        error=Fraction(1, 20),
        budget=Budget(runs=200),
        seed=np.random.SeedSequence(0),
        runner=Inline(),
    )
    assert (Path.cwd(), sys.getrecursionlimit()) == (folder, limit)
