"""Honest targets as a user would write them in a file: what each claims is true, and for some only just."""

import math
import time
from typing import Any

import numpy as np
import polars as pl

RATIO = 1 - math.exp(-1)
"""Two-sided geometric noise with this chance of ending hides one row at epsilon 1."""
HONEST = math.e / (1 + math.e)
"""Randomized response between two answers at epsilon 1."""
BUCKET, REFILL = 140.0, 300.0
"""Calls that a rate limiter saves up, and how many it gains in a second."""
_seen = {"calls": 0}
_limit = {"tokens": BUCKET, "at": time.monotonic()}


def _count(table: pl.DataFrame, rng: np.random.Generator) -> int:
    return int(table.height + rng.geometric(RATIO) - rng.geometric(RATIO))


def _parity(table: pl.DataFrame, rng: np.random.Generator) -> int:
    return int((table.height + (rng.random() >= HONEST)) % 2)


def refusing_coin(_table: pl.DataFrame, rng: np.random.Generator) -> Any:
    """A coin that ignores the data, and says something else now and then."""
    return "refused" if rng.random() < 0.005 else int(rng.integers(2))


def refusing_count(table: pl.DataFrame, rng: np.random.Generator) -> int:
    """A noisy count that raises now and then."""
    if rng.random() < 0.005:
        raise ValueError("there is no release today")
    return _count(table, rng)


def count_or_none(table: pl.DataFrame, rng: np.random.Generator) -> int | None:
    """A noisy count that is left out now and then."""
    return None if rng.random() < 0.005 else _count(table, rng)


def rows(table: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """A table of one or two rows, with a useless column."""
    return pl.DataFrame({"mark": [int(rng.integers(3))] * (1 + _parity(table, rng))})


def numbered(table: pl.DataFrame, rng: np.random.Generator) -> list[int]:
    """The number of the call beside a hidden answer."""
    _seen["calls"] += 1
    return [_seen["calls"], _parity(table, rng)]


def limited(_table: pl.DataFrame, rng: np.random.Generator) -> Any:
    """A coin behind a rate limiter."""
    now = time.monotonic()
    _limit["tokens"] = min(BUCKET, _limit["tokens"] + REFILL * (now - _limit["at"]))
    _limit["at"] = now
    if _limit["tokens"] < 1:
        return "too many requests"
    _limit["tokens"] -= 1
    return str(rng.integers(2))


CLAIMS = {
    "refusing_coin": "dp(epsilon=0.1)",
    "refusing_count": "dp(epsilon=1.001)",
    "count_or_none": "dp(epsilon=1.001)",
    "rows": "dp(epsilon=1.001)",
    "numbered": "dp(epsilon=1.001)",
    "limited": "dp(epsilon=0.1)",
}
"""What each claims, of tables with one row more or less."""
