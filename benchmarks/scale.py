"""How well many workers are used by a whole audit, and what each kind of isolation costs.

Efficiency is the time that the runs take by themselves, divided by the number of workers and by the time of the audit,
from the first run to the finding. Workers that are there are given seconds that pass; hundreds of them live by a clock
of their own (see `_virtual`).
"""

import os
import tempfile
import time
from pathlib import Path

import polars as pl

from benchmarks._virtual import Slow, Workers, virtual
from crowdproof import DP
from crowdproof.audit import Budget, audit
from crowdproof.audit.runners import runner_for
from crowdproof.audit.targets import load_target

PEOPLE = pl.DataFrame({"age": range(20, 80), "floor": [row % 7 for row in range(60)]})
TARGET = """
import time

def copy(table):
    return table

def sleeps(table, rng):
    time.sleep(0.05)
    return round(len(table) + rng.laplace(0, 1))

def computes(table, rng):
    end = time.process_time() + 0.01
    while time.process_time() < end:
        pass
    return round(len(table) + rng.laplace(0, 1))
"""
REAL = (
    ("sleeps 50 ms", "sleeps", 0.05, 20_000, (("16 processes", 16, None), ("16 Dask workers", 16, "local"))),
    ("computes 10 ms", "computes", 0.01, 6_000, (("2 processes", 2, None),)),
)
"""Target, its name, seconds of a run, runs of the audit, and who runs them."""
VIRTUAL = (2.0, 200_000, (1, 16, 100, 400))
"""Seconds of a run, runs of the audit, and workers."""


def main() -> None:
    """Print efficiencies and milliseconds."""
    print(f"{len(os.sched_getaffinity(0))} cores; a coin decides on which dataset each run is")
    print(f"{'target':16} {'workers':20} {'runs':>8} {'seconds':>9} {'efficiency':>11}")
    _virtual()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "target.py")
        path.write_text(TARGET)
        for target, name, seconds, runs, places in REAL:
            for place, workers, scheduler in places:
                took, made = _whole_audit(f"{path}:{name}", runs, workers, scheduler)
                _print(target, place, made, took, made * seconds / workers / took)
        _isolation(path)


def _virtual() -> None:
    seconds, runs, sizes = VIRTUAL
    verdicts = set()
    for workers in sizes:
        with virtual() as clock:
            found = audit(
                Slow(clock, seconds), DP(1), data=PEOPLE, budget=Budget(runs=runs), runner=Workers(clock, workers)
            )
            clock.judged()
        verdicts.add((found.verdict, found.cost.runs))
        efficiency = found.cost.runs * seconds / workers / clock.now
        _print(f"{seconds:g} s, virtual", str(workers), found.cost.runs, clock.now, efficiency)
    assert len(verdicts) == 1  # whoever ran it


def _whole_audit(spec: str, runs: int, workers: int, scheduler: str | None) -> tuple[float, int]:
    """Seconds and runs of an audit, once all workers have started the target."""
    with load_target(spec, isolate="worker") as target, runner_for(workers, scheduler) as runner:
        for _ in range(2):
            list(runner.map(_Warm(target), range(3 * workers)))
        target.examine(PEOPLE)
        start = time.perf_counter()
        found = audit(target, DP(1), data=PEOPLE, budget=Budget(runs=runs), runner=runner)
        return time.perf_counter() - start, found.cost.runs


class _Warm:
    """Starts the target where it is sent."""

    def __init__(self, target: object) -> None:
        self._target = target

    def __call__(self, seed: int) -> None:
        time.sleep(0.2)  # so that each worker gets one
        self._target.runs(PEOPLE, [seed])  # type: ignore[attr-defined]


def _print(target: str, place: str, runs: int, seconds: float, efficiency: float) -> None:
    print(f"{target:16} {place:20} {runs:8} {seconds:9.1f} {efficiency:11.0%}", flush=True)


def _isolation(path: Path) -> None:
    print(f"\n{'isolation':24} {'ms a run':>8}")
    for isolate, runs in (("none", 2000), ("worker", 2000), ("fresh", 200), ("spawn", 5)):
        with load_target(f"{path}:copy", isolate=isolate) as target:
            target.runs(PEOPLE, [0])
            start = time.perf_counter()
            target.runs(PEOPLE, range(runs))
            print(f"{isolate:24} {(time.perf_counter() - start) / runs * 1000:8.2f}")
