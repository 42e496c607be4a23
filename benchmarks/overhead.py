"""What the auditor adds to the target's own time: vectorised Laplace on one core, plain Python callables, targets."""

import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen

from benchmarks.standard import SUBJECTS
from crowdproof.audit.compare.betting import sequential_audit
from crowdproof.audit.request import Budget
from crowdproof.audit.runners.inline import Inline
from crowdproof.audit.targets import load_target
from crowdproof.claims import Point


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
        [Point("5")],
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
    for runs in (20_000, 100_000):
        _print_plain(runs, laplace.pairs[:1], rng)
    _print_target(rng)


def _print_plain(runs: int, pairs: Any, rng: np.random.Generator) -> None:
    """Measured in turn, the least of each: other work on the machine only adds."""
    plain, data = Plain(), np.array([1.0])
    tasks = (lambda: [plain(data, rng) for _ in range(runs)]), (lambda: _audit(plain, runs, pairs))
    own, all_ = np.min([[_seconds(task) for task in tasks] for _ in range(5)], axis=0)
    print(f"plain callable of {own / runs * 1e6:.1f} us, {runs} runs: {all_ / own:.2f} times its own time when audited")


def _print_target(rng: np.random.Generator) -> None:
    """A function as a target: it gets a generator, and the global random states are reseeded, for each run."""
    target, table, runs = load_target(lambda _, rng: float(rng.normal())), pl.DataFrame({"age": [31]}), 20_000
    each = min(_seconds(lambda: target.batch(table, rng, runs)) for _ in range(3)) / runs
    print(f"a function as a target: {each * 1e6:.1f} us for each run on top of its own time")
