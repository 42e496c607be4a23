"""diffprivlib: noisy counts and sums of one column."""

from typing import Any

import numpy as np
from diffprivlib.mechanisms import GaussianAnalytic, Geometric, Laplace


def laplace_count(table: np.ndarray, epsilon: float, sensitivity: float = 1.0, *, seed: int) -> float:
    """The number of rows plus Laplace noise."""
    return float(Laplace(epsilon=epsilon, sensitivity=sensitivity, random_state=seed).randomise(float(len(table))))


def geometric_count(table: np.ndarray, epsilon: float, sensitivity: int = 1, *, seed: int) -> int:
    """The number of rows plus two-sided geometric noise."""
    return int(Geometric(epsilon=epsilon, sensitivity=sensitivity, random_state=seed).randomise(len(table)))


def gaussian_sum(table: Any, epsilon: float, delta: float, bound: float, *, seed: int) -> float:
    """The sum of a column, its values clipped to [-bound, bound], plus Gaussian noise."""
    total = float(np.clip(table, -bound, bound).sum())
    mechanism = GaussianAnalytic(epsilon=epsilon, delta=delta, sensitivity=bound, random_state=seed)
    return float(mechanism.randomise(total))
