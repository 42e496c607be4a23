"""A real Dask scheduler and two worker processes: the same finding as in this process, also when a worker is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from crowdproof import parse_claim, wire
from crowdproof.audit import Budget, Pair, audit
from crowdproof.audit.runners import runner_for
from crowdproof.audit.targets import load_target
from crowdproof.claims import Neighbours

pytestmark = pytest.mark.integration

TARGETS = """
import polars as pl

def noisy_count(table, rng, scale=2.0):
    return table.height + rng.laplace(scale=scale)

def spanning(table, k=3):
    if table.height < k:
        raise ValueError("too few rows")
    ages = table["age"]
    return table.select(age=pl.lit(f"[{ages.min()}, {ages.max()}]"))
"""
PEOPLE = pl.DataFrame({"age": [30] * 12})
PAIR = Pair(PEOPLE.vstack(pl.DataFrame({"age": [90]})), PEOPLE, Neighbours.ADD_REMOVE, "one much older")


@pytest.fixture
def target_file(tmp_path):
    path = tmp_path / "targets.py"
    path.write_text(TARGETS)
    return path


@pytest.fixture
def cluster(tmp_path):
    """The address of a scheduler process, and its two worker processes."""
    where = tmp_path / "scheduler.json"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    dask = [sys.executable, "-m", "dask"]
    at = ["--scheduler-file", str(where), "--host", "127.0.0.1"]
    streams = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "env": environment,
    }
    processes = [subprocess.Popen([*dask, "scheduler", "--port", "0", "--no-dashboard", *at], **streams)]
    try:
        while not where.exists():
            time.sleep(0.1)
        worker = [*dask, "worker", "--nthreads", "1", "--no-dashboard", "--no-nanny"]
        for number in range(2):
            local = ["--local-directory", str(tmp_path / f"worker{number}")]
            processes.append(subprocess.Popen([*worker, *at, *local], **streams))
        yield json.loads(where.read_text())["address"], processes[1:]
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()


class KillOne:
    """A progress that kills a process once the audit is under way."""

    def __init__(self, process):
        self.process, self.updates = process, 0

    def update(self, done, total, message):
        self.updates += 1
        if self.updates == 1:
            self.process.kill()


def finding(spec, params, claim, runner=None, progress=None):
    with load_target(spec, params=params, isolate="worker") as target:
        found = audit(
            target,
            parse_claim(claim),
            pairs=[PAIR],
            budget=Budget(runs=1500),
            error=Fraction(1, 1000),
            seed=7,
            runner=runner,
            progress=progress,
            deterministic=spec.endswith("spanning"),
        )
    record = wire.to_json(found)
    record["cost"]["seconds"] = 0
    return record


@pytest.mark.parametrize(
    "case",
    [
        ("noisy_count", {"scale": 2.0}, "dp(epsilon=0.5)", "not-refuted"),
        ("noisy_count", {"scale": 0.5}, "dp(epsilon=0.5)", "refuted"),
        ("spanning", {"k": 3}, "dps(beta=0.5, epsilon=1, delta=0.1)", "refuted"),
    ],
    ids=lambda case: f"{case[0]} {case[3]}",
)
def test_the_finding_does_not_depend_on_the_place_nor_on_a_lost_worker(case, target_file, cluster):
    function, params, claim, verdict = case
    address, workers = cluster
    spec = f"{target_file}:{function}"
    here = finding(spec, params, claim)
    assert here["verdict"]["kind"] == verdict
    with runner_for(2) as cores:
        assert finding(spec, params, claim, cores) == here
    with runner_for(scheduler=address) as runner:
        while runner._threads() < 2:
            time.sleep(0.1)
        assert finding(spec, params, claim, runner) == here
        killer = KillOne(workers[0])
        assert finding(spec, params, claim, runner, killer) == here
        assert killer.updates >= 1
        assert workers[0].wait(10) == -signal.SIGKILL


def test_streams_are_not_repeated_by_workers(cluster, target_file):
    """Two workers with the same seed must not draw the same numbers."""
    address, _ = cluster
    with load_target(f"{target_file}:noisy_count", isolate="worker") as target, runner_for(scheduler=address) as runner:
        seeds = np.random.SeedSequence(3).spawn(40)
        drawn = list(runner.map(lambda seed: target(PEOPLE, np.random.default_rng(seed)), seeds))
    assert len(set(drawn)) == 40
