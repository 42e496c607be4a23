"""What the auditor adds to the target's own time: vectorised Laplace on one core, and a plain Python callable."""

import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import frozen

from benchmarks.standard import SUBJECTS
from crowdproof.audit.inline import Inline
from crowdproof.audit.interface import Budget
from crowdproof.audit.sequential import sequential_audit
from crowdproof.exact import Epsilon


@frozen
class Plain:
    """A target without a vectorised form: a tiny anonymizer in pure Python."""

    rows: int = 40

    def __call__(self, data: Any, rng: np.random.Generator) -> float:
        """The mean of a sample, rounded."""
        kept = [each for each in range(self.rows) if rng.random() < 0.5]
        return round(float(data[0]) + sum(kept) / max(len(kept), 1), 2)


def _seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def _audit(mechanism: Any, runs: int, pairs: Any) -> None:
    sequential_audit(
        pairs,
        mechanism,
        Epsilon.of("5"),
        Fraction(0),
        error=Fraction(1, 10**6),
        budget=Budget(runs=runs),
        seed=np.random.SeedSequence(1),
        runner=Inline(),
        bounds=False,
    )


def main() -> None:
    """Print trials a second and the ratio of the audit's time to the target's own."""
    laplace, rng = SUBJECTS[0], np.random.default_rng(0)
    runs = 20_000_000
    own = _seconds(lambda: [laplace.mechanism.batch(np.array([1.0]), rng, 2**16) for _ in range(runs // 2**16)])
    all_ = _seconds(lambda: _audit(laplace.mechanism, runs, laplace.pairs[:1]))
    print(
        f"Laplace, vectorised: {runs / all_ / 1e6:.1f} million runs a second (the target alone {runs / own / 1e6:.1f})"
    )
    plain, runs = Plain(), 100_000
    own = _seconds(lambda: [plain(np.array([1.0]), rng) for _ in range(runs)])
    all_ = _seconds(lambda: _audit(plain, runs, laplace.pairs[:1]))
    print(f"plain callable of {own / runs * 1e6:.1f} us: {all_ / own:.2f} times its own time with the auditor")
