"""What reading one table release costs beyond the target, against hashing its rows.

Of every release the form and the code are read, and the traits that a learned score asks for. All traits are read of
those that a score is learned from.
"""

import time
from collections.abc import Callable

import numpy as np
import polars as pl

from crowdproof.audit.releases import Feature, Records, Releases, canonical, code, traits

SIZES = (300, 3_000, 30_000)
"""Rows of a small, a usual and a large release."""
SCORE: list[Feature] = [("rows",), ("range ends", "age", "95"), ("cell", "age", "[80, 90)"), ("sum of", "income")]
"""What a score may ask for: an odd cell of a column, and two numbers of the whole table."""
BAR = 5.0
"""Times the hashing of its rows that a large release may take."""
REPEATS = 20
"""The least of so many is taken: other work on the machine only adds."""


def main() -> None:
    """Print, for each size, how many times the hashing of the rows each part takes."""
    for size in SIZES:
        table = _released(size)
        hashing = _seconds(lambda table=table: table.hash_rows())
        releases = Releases.of([table])
        parts: dict[str, Callable[[], object]] = {
            "form": lambda table=table: canonical(table),
            "code": lambda table=table: code(table),
            "score": lambda releases=releases: Records().columns(releases, SCORE),
        }
        taken = {name: _seconds(part) for name, part in parts.items()}
        ratios = ", ".join(f"{name} {seconds / hashing:.1f}" for name, seconds in taken.items())
        total = sum(taken.values())
        print(f"{size:,} rows: {total * 1e3:.2f} ms, {total / hashing:.1f} times hashing ({ratios})")
        if size == SIZES[-1]:
            print(f"  {'met' if total <= BAR * hashing else 'NOT MET'}: at most {BAR:g} times hashing")
        learning = _seconds(lambda table=table: list(traits(table)))
        print(f"  all traits, to learn from: {learning * 1e3:.1f} ms, {learning / hashing:.0f} times hashing")


def _released(size: int) -> pl.DataFrame:
    """A recoded table with ranges, suppressed digits, categories and numbers."""
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "age": [f"[{low}, {low + 10})" for low in rng.integers(0, 9, size) * 10],
            "sex": rng.choice(["m", "f"], size),
            "zip": [f"12{digit}**" for digit in rng.integers(0, 10, size)],
            "job": rng.choice(list("abcdefgh"), size),
            "income": rng.normal(size=size) * 1000,
            "children": rng.integers(0, 5, size),
            "year": rng.integers(1930, 2010, size),
        }
    )


def _seconds(run: Callable[[], object]) -> float:
    found = []
    for _ in range(REPEATS):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)
