"""Parallel efficiency of the runners on a trial of 10 ms, and the cost of each kind of isolation."""

import os
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from crowdproof.audit.runners import runner_for
from crowdproof.audit.targets import load_target

TRIALS, SECONDS = 1000, 0.01
TARGET = "def copy(table):\n    return table\n"


def trial(seed: int) -> float:
    """Takes 10 ms without a core of its own, so that the figures are about the runner."""
    time.sleep(SECONDS)
    return float(np.random.default_rng(seed).random())


def main() -> None:
    """Print efficiencies and microseconds."""
    print(f"{TRIALS} trials of {SECONDS * 1000:.0f} ms, {len(os.sched_getaffinity(0))} cores")
    print(f"{'runner':24} {'seconds':>8} {'efficiency':>11}")
    alone = 0.0  # what one process takes, at the load of the moment
    truth = [float(np.random.default_rng(seed).random()) for seed in range(TRIALS)]
    for name, jobs, scheduler in (("this process", 1, None), ("2 processes", 2, None), ("2 Dask workers", 2, "local")):
        with runner_for(jobs, scheduler) as runner:
            list(runner.map(trial, range(4)))
            start = time.perf_counter()
            results = list(runner.map(trial, range(TRIALS)))
            seconds = time.perf_counter() - start
        assert results == truth
        alone = alone or seconds
        print(f"{name:24} {seconds:8.2f} {alone / jobs / seconds:11.0%}", flush=True)
    _isolation()


def _isolation() -> None:
    table = pl.DataFrame({"age": range(80)})
    print(f"\n{'isolation':24} {'ms a run':>8}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "target.py")
        path.write_text(TARGET)
        for isolate, runs in (("none", 2000), ("worker", 2000), ("fresh", 200), ("spawn", 5)):
            with load_target(f"{path}:copy", isolate=isolate) as target:
                target.runs(table, [0])
                start = time.perf_counter()
                target.runs(table, range(runs))
                print(f"{isolate:24} {(time.perf_counter() - start) / runs * 1000:8.2f}")
