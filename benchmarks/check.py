"""`check` against pycanon (from the environment of the audited packages) on Adult, and on ten million rows."""

import json
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from crowdproof.audit.check import Terms, check
from crowdproof.audit.check.closeness import equal, ordered
from crowdproof.audit.check.groups import group, spread
from crowdproof.data import adult

KNOWN = ["age", "sex", "race", "education"]
RIVAL = """
import json, sys, time
import pandas as pd
from pycanon import anonymity
table, known = pd.read_parquet(sys.argv[1]), json.loads(sys.argv[2])
found = {}
for name, run in (
    ("k", lambda: anonymity.k_anonymity(table, known)),
    ("t, equal", lambda: anonymity.t_closeness(table, known, ["occupation"])),
    ("t, ordered", lambda: anonymity.t_closeness(table, known, ["hours_per_week"])),
):
    start = time.process_time()
    value = run()
    found[name] = (float(value), time.process_time() - start)
print(json.dumps(found))
"""


def main() -> None:
    """Print values, CPU seconds and ratios."""
    table = _known(adult())
    ours = {
        "k": _timed(lambda: int(group(table.lazy(), KNOWN).sizes.min())),
        "t, equal": _timed(lambda: _distance(equal, table, "occupation")),
        "t, ordered": _timed(lambda: _distance(ordered, table, "hours_per_week")),
    }
    rival = _rival(table)
    print(f"Adult, {table.height:,} rows, known columns {', '.join(KNOWN)}")
    print(f"{'measure':12} {'crowdproof':>12} {'CPU s':>8} {'pycanon':>12} {'CPU s':>8} {'ratio':>8}")
    for name, (value, seconds) in ours.items():
        theirs, their_seconds = rival.get(name, (float("nan"), float("nan")))
        ratio = their_seconds / seconds
        print(f"{name:12} {value:12.6g} {seconds:8.3f} {theirs:12.6g} {their_seconds:8.2f} {ratio:8.0f}")
    _large(10_000_000)


def _known(table: pl.DataFrame) -> pl.DataFrame:
    renamed = table.rename({name: name.replace("-", "_").replace(".", "_") for name in table.columns})
    return renamed.drop_nulls()


def _distance(measure, table: pl.DataFrame, column: str) -> float:
    return float(measure(spread(table.lazy(), KNOWN, column), 1).value)


def _timed(run):
    run()
    start = time.process_time()
    value = run()
    return value, time.process_time() - start


def _rival(table: pl.DataFrame) -> dict[str, tuple[float, float]]:
    python = Path(__file__).parents[1] / ".venv-integration" / "bin" / "python"
    if not python.exists():
        print("pycanon is not installed: run 'make integration' first for the comparison.")
        return {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "adult.parquet")
        table.select(*KNOWN, "occupation", "hours_per_week").write_parquet(path)
        ran = subprocess.run(
            [python, "-W", "ignore", "-c", RIVAL, str(path), json.dumps(KNOWN)],
            capture_output=True,
            text=True,
            check=True,
        )
    return json.loads(ran.stdout)


def _large(rows: int) -> None:
    """A CSV release of that many rows, checked for k, l, t and side channels."""
    rng = np.random.default_rng(0)
    columns = {
        "age": [f"[{i}, {i + 10})" for i in range(0, 100, 10)],
        "zip": [f"{i:03d}**" for i in range(500)],
        "sex": ["f", "m"],
        "education": [f"level {i}" for i in range(8)],
        "disease": [f"disease {i}" for i in range(20)],
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "release.csv")
        pl.DataFrame(
            {name: pl.Series(values).gather(rng.integers(0, len(values), rows)) for name, values in columns.items()}
        ).write_csv(path)
        wall, cpu = time.perf_counter(), time.process_time()
        findings = check(path, Terms(k=10, sensitive=("disease",), l=2, t="0.5"))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{rows:,} rows of CSV, {len(findings)} findings: {wall:.1f} s ({cpu:.1f} CPU s), peak {peak:.2f} GiB")
