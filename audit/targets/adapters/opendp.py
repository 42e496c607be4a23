"""opendp: noisy counts. Its noise comes from the operating system, so no seed repeats it."""

from functools import cache
from typing import Any

import numpy as np
import opendp.prelude as dp

dp.enable_features("contrib")


def laplace_count(table: np.ndarray, epsilon: float) -> float:
    """The number of rows plus Laplace noise on the floats."""
    return float(_laplace(float, epsilon)(float(len(table))))


def geometric_count(table: np.ndarray, epsilon: float) -> int:
    """The number of rows plus discrete Laplace (two-sided geometric) noise."""
    return int(_laplace(int, epsilon)(len(table)))


@cache
def _laplace(kind: type, epsilon: float) -> Any:
    space = dp.atom_domain(T=kind, nan=False) if kind is float else dp.atom_domain(T=kind)
    return dp.m.make_laplace(space, dp.absolute_distance(T=kind), scale=1.0 / epsilon)
