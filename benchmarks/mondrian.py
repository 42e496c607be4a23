"""Mondrian against anonypy on the complete rows of Adult: the same six columns, k = 10, in the same run."""

import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import anonypy
import polars as pl

from crowdproof.data import adult
from crowdproof.mechanisms import Mondrian

COLUMNS = ["age", "workclass", "education_num", "marital_status", "race", "sex"]
NUMBERS = ["age", "education_num"]
SENSITIVE = "income"
K = 10


def main() -> None:
    """Print seconds, groups and the smallest group of each, and how many times as fast ours is."""
    table = adult(complete=True).select([*COLUMNS, SENSITIVE])
    theirs = _measure(f"anonypy {version('anonypy')}", lambda: _anonypy(table), repeat=1)
    for name, mechanism in (("strict", Mondrian(K, COLUMNS)), ("relaxed", Mondrian(K, COLUMNS, relaxed=True))):
        ours = _measure(f"crowdproof {name}", lambda run=mechanism: _groups(run(table)), repeat=5)
        print(f"  ratio: {theirs[0] / ours[0]:.0f} in wall time, {theirs[1] / ours[1]:.0f} in CPU time")


def _measure(name: str, run: Callable[[], pl.Series], repeat: int) -> tuple[float, float]:
    walls, cpus = [], []
    for _ in range(repeat):
        wall, cpu = time.perf_counter(), time.process_time()
        sizes = run()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    print(
        f"{name:20} {min(walls):9.3f} s wall {min(cpus):9.3f} s CPU   "
        f"{sizes.sum():6} rows in {len(sizes):5} groups, smallest {sizes.min()}"
    )
    return min(walls), min(cpus)


def _groups(release: pl.DataFrame) -> pl.Series:
    return release.group_by(COLUMNS).len()["len"]


def _anonypy(table: pl.DataFrame) -> pl.Series:
    frame: Any = table.to_pandas()
    texts = [name for name in table.columns if name not in NUMBERS]
    frame[texts] = frame[texts].astype("category")
    rows = anonypy.Preserver(frame, COLUMNS, SENSITIVE).anonymize_k_anonymity(k=K)
    return pl.DataFrame(rows).group_by(COLUMNS).agg(pl.col("count").sum())["count"]
