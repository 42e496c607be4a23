"""A budget of time ends an audit in time, whatever takes it, and what was seen by then is used without bias."""

import time
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from crowdproof.audit import Budget, Pair, audit
from crowdproof.audit.compare.betting.block_runs import BlockRuns
from crowdproof.audit.compare.betting.sharing import arms_of, shared
from crowdproof.audit.compare.betting.trials import RunChunk, run
from crowdproof.audit.runners.inline import Inline
from crowdproof.audit.targets import load_target
from crowdproof.claims import DP, Neighbours
from crowdproof.errors import OutOfTimeError

pytestmark = pytest.mark.processes  # they wait for the clock, as those wait for processes

PEOPLE = pl.DataFrame({"age": list(range(20, 80))})
PAIR = Pair(PEOPLE, PEOPLE.head(59), Neighbours.ADD_REMOVE, "with and without the oldest")
SLOW = 0.1
SECONDS = 1.5
SLACK = 2.0
"""What the README promises beyond one run."""


class Noted:
    """A slow target that notes when each run began."""

    def __init__(self, noisy):
        self.noisy, self.starts = noisy, []

    def __call__(self, table, rng):
        self.starts.append(time.monotonic())
        time.sleep(SLOW)
        return table.height + (int(rng.integers(3)) if self.noisy else 0)


@pytest.mark.parametrize("noisy", [True, False])
@pytest.mark.parametrize("loaded", [True, False], ids=["loaded", "callable"])
def test_no_run_begins_after_the_end_of_the_time(noisy, loaded):
    """Not while it is seen how the target behaves, nor in the search, nor in a test."""
    target = Noted(noisy)
    begin = time.monotonic()
    subject = load_target(target.__call__, isolate="none") if loaded else target
    finding = audit(subject, DP(1), data=PEOPLE, budget=Budget(runs=100_000, seconds=SECONDS))
    assert len(target.starts) > 3
    assert max(target.starts) - begin <= SECONDS + SLACK
    assert finding.verdict.name in {"UNDECIDED", "NOT_REFUTED"}


def test_a_leak_that_shows_in_time_is_refuted():
    leaky = Noted(noisy=False)
    finding = audit(
        load_target(leaky.__call__, isolate="none"),
        DP(1),
        pairs=[PAIR],
        budget=Budget(seconds=20.0),
        error=Fraction(1, 20),
    )
    assert finding.verdict.name == "REFUTED"


def block(mechanism, until, *, in_batches=False):
    runs = BlockRuns(RunChunk(mechanism, in_batches), Inline(), seed=np.random.SeedSequence(3), until=until)
    counts, size = runs.run(shared(arms_of([PAIR])), 200, block=0)
    return runs, counts, size


def test_a_block_that_is_cut_holds_its_first_runs():
    """The same runs in the same order as without a limit, up to the one that was under way."""
    whole = run(
        Steady(0.0), (PEOPLE, PEOPLE), order=np.zeros(64, np.int64), seed=np.random.SeedSequence(1), in_batches=False
    )
    cut = run(
        Steady(0.02),
        (PEOPLE, PEOPLE),
        order=np.zeros(64, np.int64),
        seed=np.random.SeedSequence(1),
        in_batches=False,
        until=time.time() + 0.3,
    )
    assert 1 <= len(cut) < 64
    assert cut == whole[: len(cut)]


class Steady:
    """A mechanism of which each run takes as long."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __call__(self, table, rng):
        time.sleep(self.seconds)
        return float(rng.random())

    def batch(self, table, rng, size):
        return rng.random(size)


def test_runs_that_were_made_are_counted_and_those_that_were_not_are_none():
    runs, _, size = block(Steady(0.01), time.time() + 0.3)
    assert 0 < runs.runs < 400
    assert size == runs.runs // 2
    whole, _, size = block(Steady(0.0), None)
    assert (whole.runs, size) == (400, 200)


def test_a_block_of_batches_counts_as_a_whole_or_not_at_all():
    """Its sides run one after the other, so one of them may be missing."""
    with pytest.raises(OutOfTimeError):
        block(Steady(0.0), time.time() - 1, in_batches=True)


class QuickOnes:
    """Ignores its data; one of its two releases takes long, so few of those come in before any deadline."""

    def __call__(self, table, rng):
        slow = rng.random() < 0.5
        time.sleep(0.004 if slow else 0.0)
        return int(slow)


def test_a_release_that_takes_longer_refutes_nothing():
    refuted = sum(
        audit(
            QuickOnes(), DP(0, "0.01"), pairs=[PAIR], budget=Budget(seconds=0.5), error=Fraction(1, 20), seed=seed
        ).verdict.name
        == "REFUTED"
        for seed in range(12)
    )
    assert refuted <= 4  # of 12 at 5%, more than 4 come with probability 2e-4
