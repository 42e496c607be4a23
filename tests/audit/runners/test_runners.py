"""Whatever runs the trials, the results are the same, in the same order; only the time differs."""

import os
import signal
import time
from functools import partial
from itertools import count, islice

import numpy as np
import pytest

from crowdproof.audit.runners import runner_for
from crowdproof.audit.runners.cores import Cores
from crowdproof.audit.runners.dask import DaskRunner
from crowdproof.audit.runners.inline import Inline
from crowdproof.audit.runners.pace import Pace
from crowdproof.audit.runners.window import Chunk, Items, Pieces, Window
from crowdproof.errors import NoReleaseError, ParameterError, TargetError


def noise(seed):
    return float(np.random.default_rng(seed).random())


def uneven(i):
    time.sleep(0.02 if i % 3 == 0 else 0.0)
    return i, os.getpid()


def refuse_seven(i):
    if i == 7:
        raise NoReleaseError("seven is refused")
    return i


def die(status):
    os._exit(status)


class Silent(BaseException):
    pass


def panic(_):
    raise Silent("quietly")


class Draws:
    """Work whose unit is one draw of a seed of its own."""

    def __init__(self, units):
        self.units = units

    def cut(self, start, stop):
        return partial(draws, start, stop)


def draws(start, stop):
    return [noise(seed) for seed in range(start, stop)]


@pytest.fixture(scope="module")
def cores():
    with Cores(2) as runner:
        yield runner


@pytest.fixture(scope="module")
def cluster():
    with runner_for(2, "local") as runner:
        yield runner


class Conformance:
    """Inherit, and give the fixture `runner`."""

    def test_results_come_in_order_and_do_not_depend_on_the_place(self, runner):
        assert list(runner.map(noise, range(50))) == [noise(seed) for seed in range(50)]

    def test_an_open_ended_list_is_taken_bit_by_bit(self, runner):
        taken = count()
        results = runner.map(noise, (next(taken) for _ in range(10**9)))
        assert list(islice(results, 3)) == [noise(seed) for seed in range(3)]
        results.close()
        assert next(taken) < 10_000
        assert list(runner.map(noise, [5])) == [noise(5)]

    def test_an_error_comes_where_its_item_stands(self, runner):
        results = runner.map(refuse_seven, range(20))
        assert list(islice(results, 7)) == list(range(7))
        with pytest.raises(NoReleaseError, match="seven is refused"):
            next(results)

    def test_what_is_no_exception_comes_as_an_error_and_ends_no_worker(self, runner):
        with pytest.raises((TargetError, Silent), match="quietly"):
            list(runner.map(panic, range(3)))
        assert list(runner.map(noise, [1])) == [noise(1)]

    def test_nothing_gives_nothing(self, runner):
        assert list(runner.map(noise, [])) == []
        assert list(runner.spread(Draws(0))) == []

    def test_pieces_of_work_come_in_order_wherever_it_is_cut(self, runner):
        truth = [noise(seed) for seed in range(300)]
        for _ in range(2):  # the second time it is known how long a unit takes
            assert [each for piece in runner.spread(Draws(300)) for each in piece] == truth

    def test_work_that_was_begun_may_be_left(self, runner):
        one, other = runner.spread(Draws(50)), runner.spread(Draws(80))
        one.close()
        assert sum(len(piece) for piece in other) == 80

    def test_nameless_functions_travel(self, runner):
        factor = 3
        assert list(runner.map(lambda i: factor * i, range(4))) == [0, 3, 6, 9]


class TestInline(Conformance):
    @pytest.fixture
    def runner(self):
        class Closing(Inline):
            def map(self, function, items):
                yield from super().map(function, items)

        return Closing()


class TestCores(Conformance):
    @pytest.fixture
    def runner(self, cores):
        return cores

    def test_both_workers_work(self, runner):
        assert runner.workers == 2
        results = list(runner.map(uneven, range(60)))
        assert [i for i, _ in results] == list(range(60))
        assert len({pid for _, pid in results}) == 2

    @pytest.mark.parametrize("status", [0, 9])
    def test_a_dead_worker_is_an_error_and_the_pool_can_be_used_again(self, runner, status):
        with pytest.raises(TargetError, match="a worker process ended in the middle of a trial"):
            list(runner.map(die, [status] * 4))
        assert list(runner.map(noise, [1])) == [noise(1)]


class TestDask(Conformance):
    @pytest.fixture
    def runner(self, cluster):
        return cluster

    def test_a_lost_worker_changes_nothing(self, runner, tmp_path):
        """A worker is killed in the middle; what it was at is done again elsewhere, with the same seeds."""
        killed = tmp_path / "killed"

        def trial(seed):
            if seed == 30 and not killed.exists():
                killed.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(0.01)
            return noise(seed)

        assert list(runner.map(trial, range(60))) == [noise(seed) for seed in range(60)]
        assert killed.exists()

    def test_it_says_where_it_runs(self, runner):
        assert "Dask workers at tcp://" in str(runner)


@pytest.mark.processes
def test_a_trial_that_kills_every_worker_is_an_error():
    with runner_for(1, "local") as runner, pytest.raises(TargetError, match="took several workers"):
        list(runner.map(die, [1]))


def test_no_scheduler_at_that_address():
    missing = pytest.raises(ParameterError, match=r"no Dask scheduler answers at 'tcp://127.0.0.1:9'")
    with missing, DaskRunner.on("tcp://127.0.0.1:9", seconds=0.3):
        pass


def test_jobs_choose_the_runner():
    with runner_for() as runner:
        assert isinstance(runner, Inline)
    with runner_for(2) as runner:
        assert isinstance(runner, Cores)
    with pytest.raises(ParameterError, match="jobs is 0"), runner_for(0):
        pass
    with pytest.raises(ParameterError, match="workers is 0"):
        Cores(0)
    assert Cores().workers >= 1


class _Done:
    def __init__(self, function, chunk):
        self._value, self.cancelled = partial(function, chunk), False

    def result(self):
        return self._value()

    def cancel(self):
        self.cancelled = True


def test_a_bounded_number_of_chunks_is_under_way_and_closing_cancels_them():
    tasks = []

    def submit(function, chunk):
        tasks.append(_Done(Chunk(function), chunk))
        return tasks[-1]

    results = Window(submit, Items(noise, count()), workers=2, pace=Pace())
    assert len(tasks) == 6  # they are begun at once
    next(results)
    results.close()
    assert [task.cancelled for task in tasks] == [False] + 5 * [True]


@pytest.mark.parametrize("source", [Items(noise, range(5000)), Pieces(Draws(5000))])
def test_short_trials_travel_together_and_long_ones_alone(source):
    sizes = []

    def submit(function, chunk):
        sizes.append(chunk[0].args[1] - chunk[0].args[0] if isinstance(chunk[0], partial) else len(chunk))
        return _Done(Chunk(function), chunk)

    list(Window(submit, source, workers=1, pace=Pace()))
    assert sum(sizes) == 5000
    assert max(sizes) > 100
    assert sizes[0] == 1
    part = Chunk(refuse_seven)(range(5, 10))
    assert part.results == [5, 6]
    assert isinstance(part.error, NoReleaseError)


@pytest.mark.slow
def test_pieces_are_sized_by_time_and_by_workers():
    pace = Pace(each=0.001, most=10**6)
    assert pace.units(None, workers=1) == 100  # a tenth of a second
    assert pace.units(600, workers=4) == 50  # so that each of four workers has three of them
    assert pace.units(600, workers=400) == 20  # and none is hardly worth to be sent
    assert Pace(each=2.0, most=10**6).units(600, workers=4) == 1
    assert Pace(each=0.0, most=10**6).units(7, workers=1) == 7
    assert Pace(each=0.001, most=8).units(600, workers=4) == 8  # no more than twice what was done at once before
