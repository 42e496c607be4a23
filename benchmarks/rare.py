"""Rare events: Table 2, measured on the black-box anonymizer."""

import math
import time
from fractions import Fraction

import polars as pl

from crowdproof.audit.compare.rare import measure
from crowdproof.mechanisms import Grid, Scheme, StronglySafe
from crowdproof.proofs.bounds import theorem5

K = 20


def main() -> None:
    """Print every cell, the measured interval's width, the runs, and the runs that plain sampling would take."""
    print(f"{'beta':>5}{'eps':>6}{'Table 2':>12}{'measured':>12}{'width':>8}{'runs':>6}{'plain runs':>12}{'CPU s':>9}")
    target = StronglySafe(Scheme({"age": Grid(20)}), K)
    for beta in ("0.05", "0.1", "0.2"):
        for epsilon in ("0.25", "0.5", "0.75", "1", "1.5", "2"):
            claimed = theorem5(K, beta, epsilon)
            start = time.process_time()
            least = _least(claimed.n, beta, epsilon)
            people = pl.DataFrame({"age": [41] * claimed.n})
            found = measure(target, people, Fraction(beta), lambda release, least=least: release.height >= least)  # type: ignore[misc]
            width = float((found.value.high - found.value.low) / claimed.high)
            plain = 1e4 / float(claimed.low)  # a standard error of 1%
            print(
                f"{beta:>5}{epsilon:>6}{float(claimed.low):>12.3e}{float(found.value.low):>12.3e}{width:>8.1%}"
                f"{found.runs:>6}{plain:>12.1e}{time.process_time() - start:>9.3f}"
            )


def _least(n: int, beta: str, epsilon: str) -> int:
    """The smallest count above gamma n: what Theorem 5 calls bad."""
    x = math.exp(float(epsilon))
    return math.floor((x - 1 + float(beta)) / x * n) + 1
