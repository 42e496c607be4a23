"""Certified bounds: how fast, against ARX's recorded times; how sound, against 100 digits; how tight, against PLDs."""

import csv
import math
import random
import statistics
import time
from collections.abc import Callable
from fractions import Fraction
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from crowdproof.proofs.bounds import ADD_REMOVE, REPLACE, By, compose, smallest_k, theorem5, tight

TESTS = Path(__file__).parents[1] / "tests" / "proofs" / "bounds"
ARX_SECONDS = 244.0
"""CPU time of ARX on the same grid, as recorded; seven of its points failed."""


def main() -> None:
    """Print all measurements."""
    _single()
    _grid()
    _random_plans()
    _against_dp_accounting()
    _soundness()


def _cpu(run: Callable[[], Any]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def _single() -> None:
    cases = [(k, beta, epsilon) for k in range(1, 201, 7) for beta in (0.05, 0.2) for epsilon in (0.25, 1, 2)]
    kinds: list[tuple[str, Callable[..., Any]]] = [
        ("Theorem 5", theorem5),
        ("tight, add or remove", lambda *case: tight(*case, ADD_REMOVE)),
        ("tight, replace", lambda *case: tight(*case, REPLACE)),
    ]
    print("one number, k <= 200, CPU milliseconds")
    for name, number in kinds:
        spent = [1000 * _cpu(lambda run=number, case=case: run(*case)) for case in cases]
        print(f"  {name:22} median {statistics.median(spent):7.3f}   largest {max(spent):8.3f}")
    for k in (10**3, 10**4, 10**5):
        print(f"  k = {k:<7} Theorem 5 {1000 * _cpu(lambda k=k: theorem5(k, 0.1, 0.5)):.1f} ms, "
              f"tight {1000 * _cpu(lambda k=k: tight(k, 0.1, 0.5)):.1f} ms")  # fmt: skip


def _grid() -> None:
    points = list(csv.DictReader((TESTS / "arx_k.csv").read_text(encoding="utf-8").splitlines()))
    spent = _cpu(lambda: [smallest_k(row["beta"], row["eps"], row["delta"], By.THEOREM5) for row in points])
    print(f"smallest k on ARX's {len(points)} points: {spent:.3f} s CPU; ARX {ARX_SECONDS:.0f} s, ", end="")
    print(f"{ARX_SECONDS / spent:,.0f} times as long")


def _random_plans() -> None:
    draw = random.Random(11)
    cases = []
    while len(cases) < 3000:
        epsilon, delta = draw.uniform(0.05, 4), 10 ** draw.uniform(-300 if len(cases) % 10 == 0 else -15, -3)
        beta = draw.uniform(0.001, 0.999) * (1 - math.exp(-epsilon))
        if beta > delta:
            cases.append((beta, epsilon, delta))
    for by in (By.THEOREM5, By.TIGHT):
        spent = _cpu(lambda by=by: [smallest_k(*case, by) for case in cases])
        print(f"3,000 random (epsilon, delta, beta) by {by.value}: all answered, {spent:.2f} s CPU")


def _against_dp_accounting() -> None:
    try:
        from dp_accounting.pld import privacy_loss_distribution as pld  # noqa: PLC0415
    except ImportError:
        print("dp-accounting is not installed: pip install dp-accounting to set its PLD beside ours")
        return
    print("several fresh samples: delta between our bounds, and dp-accounting's PLD of the pair that we name")
    for count, k, beta, epsilon in ((2, 5, 0.3, 1.0), (10, 20, 0.1, 1.0), (10, 50, 0.2, 1.0)):
        ours: list[Any] = []
        spent = _cpu(lambda ours=ours, case=(count, k, beta, epsilon): ours.append(compose(*case)))
        found = ours[0]
        upper, lower = (_log_law(rows, k, beta) for rows in (found.n, found.n - 1))
        theirs = pld.from_two_probability_mass_functions(lower, upper, value_discretization_interval=1e-4)
        delta = theirs.self_compose(count).get_delta_for_epsilon(epsilon)
        print(f"  {count:3} x (k {k}, beta {beta}) at epsilon {epsilon}: ", end="")
        print(
            f"[{float(found.low):.4g}, {float(found.high):.4g}], dp-accounting {delta:.4g} for n = {found.n}; ", end=""
        )
        print(f"basic {count * float(found.basic):.3g}; {spent:.2f} s CPU")


def _log_law(n: int, k: int, beta: float) -> dict[int, float]:
    law: dict[int, Fraction] = {}
    share = Fraction(str(beta))
    for j in range(n + 1):
        shown = j if j >= k else 0
        law[shown] = law.get(shown, Fraction(0)) + math.comb(n, j) * share**j * (1 - share) ** (n - j)
    return {shown: math.log(mass.numerator) - math.log(mass.denominator) for shown, mass in law.items()}


def _soundness() -> None:
    spec = spec_from_file_location("soundness", TESTS / "test_soundness.py")
    assert spec is not None
    assert spec.loader is not None
    checks = module_from_spec(spec)
    spec.loader.exec_module(checks)
    spent = _cpu(lambda: (checks.check_theorem5(900, 5000), checks.check_tight(901, 5000)))
    print(f"10,000 random inputs against 100-digit mpmath: no interval misses ({spent:.0f} s CPU)")
