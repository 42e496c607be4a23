"""The gate over its life: the example with a hundred seeds, a small leak, and a mechanism exactly at its claim."""

import collections
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl

from crowdproof import wire
from crowdproof.audit.compare.question import Question
from crowdproof.audit.gate.auditing import AuditEngine, Subject
from crowdproof.audit.gate.cases import Case
from crowdproof.audit.gate.config import Entry
from crowdproof.audit.gate.deadline import Deadline
from crowdproof.audit.gate.evidence import Evidence
from crowdproof.audit.gate.ledger import Ledger
from crowdproof.audit.gate.rounds import ClaimUnderTest, Rounds
from crowdproof.audit.request import Budget, Request
from crowdproof.audit.runners.inline import Inline
from crowdproof.claims import DP

EXAMPLE = Path(__file__).parents[1] / "examples" / "clinic"
TABLE = pl.DataFrame({"age": [40]})
ERROR = Fraction(1, 10**6)


class NoisyCount:
    """Rows plus two-sided geometric noise: exactly epsilon-DP, and no better."""

    k = 1

    def __init__(self, epsilon: float) -> None:
        self.stay = -np.expm1(-epsilon)

    def batch(self, table: pl.DataFrame, rng: np.random.Generator, size: int) -> np.ndarray:
        """Many at once."""
        return (table.height + rng.geometric(self.stay, size) - rng.geometric(self.stay, size)).astype(float)

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator) -> float:
        """One."""
        return float(self.batch(table, rng, 1)[0])


def example(seeds: int) -> None:
    """The six claims with so many seeds, two gates at a time."""

    def one(seed: int) -> tuple[tuple[str, ...], int, float]:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "clinic"
            shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns(".crowdproof", "__pycache__"))
            command = [sys.executable, "-m", "crowdproof", "gate", "--seconds", "600", "--format", "json=out.json"]
            started = time.monotonic()
            ran = subprocess.run([*command, "--seed", str(seed)], cwd=folder, capture_output=True, check=False)
            spent = time.monotonic() - started
            findings = wire.loads((folder / "out.json").read_text())
        return tuple(each.verdict.name for each in findings), ran.returncode, spent

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(one, range(seeds)))
    for (verdicts, code), count in collections.Counter(each[:2] for each in results).items():
        print(f"{count:5} of {seeds} seeds: exit code {code}: {', '.join(verdicts)}")
    print(f"      seconds a gate, two at a time: median {np.median([each[2] for each in results]):.1f}")


def life(epsilon: float, runs: int, gates: int, seed: int) -> int | None:
    """Gates until a claim of epsilon 1 is refuted; None where it is not."""
    mechanism, claim = NoisyCount(epsilon), DP(1)
    request = Request(
        mechanism,
        claim,
        data=TABLE,
        pairs=None,
        budget=Budget(),
        error=Fraction(1, 2),
        seed=0,
        runner=Inline(),
        progress=None,
    )
    case = Case(Entry("count", "count:f", claim), Subject(mechanism, Question.of(request)), TABLE, runs)
    with Evidence() as evidence:
        for gate in range(gates):
            ledger = Ledger(evidence, ERROR, run_id=str(gate))
            test = ClaimUnderTest(case, ledger.open("key", "count"))
            Rounds(AuditEngine(), ledger, seed=seed, deadline=Deadline.within(3600)).run([test])
            if test.refuted:
                return gate + 1
    return None


def leak(lives: int, runs: int = 60_000) -> None:
    """How many gates it takes to refute epsilon 1.05 for 1."""
    needed = [life(1.05, runs, 200, seed) for seed in range(lives)]
    found = [each for each in needed if each is not None]
    print(f"epsilon 1.05 for 1, {runs:,} runs a gate: refuted in {len(found)} of {lives} lives,", end=" ")
    print(f"after {np.median(found):.0f} gates in the median (from {min(found)} to {max(found)})")


def edge(gates: int, lives: int, runs: int = 600) -> None:
    """Whether a mechanism exactly at its claim is ever refuted."""
    refuted = sum(life(1.0, runs, gates // lives, seed) is not None for seed in range(lives))
    print(f"epsilon 1 for 1, {gates:,} gates of {runs} runs in {lives} lives: {refuted} refuted (level {ERROR} a life)")


def main() -> None:
    """All three."""
    example(100)
    leak(20)
    edge(10_000, 100)
