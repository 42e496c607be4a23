"""Theorem 5's delta: the paper's table, ARX's grid, brute force over n, ties that are decided exactly."""

import csv
import random
from fractions import Fraction
from math import ceil, comb
from pathlib import Path

import pytest

from crowdproof.errors import ParameterError
from crowdproof.proofs.bounds import By, smallest_k, theorem5
from crowdproof.proofs.bounds.figures import BETAS, EPSILONS, TABLE_2, agrees

ARX = list(csv.DictReader((Path(__file__).parent / "arx_k.csv").read_text(encoding="utf-8").splitlines()))
TIES = {("1.5", "1.0E-6", "0.01"), ("1.5", "0.001", "0.1")}
"""Where delta = beta^3 = d(3) exactly: the recorded k, from floating point, is one too large."""


def tail(n, m, beta):
    return sum((comb(n, j) * beta**j * (1 - beta) ** (n - j) for j in range(m, n + 1)), Fraction(0))


@pytest.mark.parametrize("row", range(3))
def test_table_2_agrees_to_its_printed_digits(row):
    for epsilon, printed in zip(EPSILONS, TABLE_2[row], strict=True):
        found = theorem5(20, BETAS[row], epsilon)
        assert agrees(printed, found)
        assert found.high - found.low < found.low * Fraction(1, 10**12)


def test_a_wrong_digit_in_table_2_would_be_seen():
    assert not agrees("1.62e-9", theorem5(20, "0.1", "0.5"))


@pytest.mark.parametrize("beta", [Fraction(1, 10), Fraction(1, 2), Fraction(4, 5)])
@pytest.mark.parametrize("x", [Fraction(2), Fraction(3), Fraction(10, 9), Fraction(8), Fraction(5)])
def test_equals_the_maximum_over_many_n_in_fractions(beta, x):
    if x * (1 - beta) < 1:
        with pytest.raises(ParameterError, match="Theorem 5 needs epsilon"):
            theorem5(3, beta, f"ln {x}")
        return
    gamma = (x - 1 + beta) / x
    for k in range(1, 7):
        found = theorem5(k, beta, f"ln {x}")
        first = max(ceil(k / gamma - 1), 1)
        values = {n: tail(n, int(gamma * n) + 1, beta) for n in range(first, first + 30)}
        assert found.exact
        assert found.high == max(values.values())
        assert values[found.n] == found.high
        assert found.certificate.rest < found.low


def test_whole_multiples_of_gamma_are_decided_exactly():
    # gamma = 8/9: at n = 9 the count 8 is not beyond gamma n, so it is n = 8 that goes with it
    found = theorem5(8, "2/3", "ln 3")
    assert found.certificate.examined == (8, 10)
    assert found.high == tail(10, 9, Fraction(2, 3))


@pytest.mark.parametrize("point", ARX, ids=lambda row: f"{row['eps']}-{row['delta']}-{row['beta']}")
def test_smallest_k_is_exact_on_the_grid_of_arx(point):
    key = (point["eps"], point["delta"], point["beta"])
    k = smallest_k(point["beta"], point["eps"], point["delta"], By.THEOREM5)
    if key in TIES:
        assert k == int(point["k_min_exact"]) - 1 == 3
        assert theorem5(k, point["beta"], point["eps"]).high == Fraction(point["delta"])
    else:
        assert k == int(point["k_min_exact"])
    assert theorem5(k, point["beta"], point["eps"]).high <= Fraction(point["delta"])
    if k > 1:
        assert theorem5(k - 1, point["beta"], point["eps"]).low > Fraction(point["delta"])


def test_random_questions_are_all_answered_and_minimal():
    draw = random.Random(7)
    answered = 0
    for i in range(3000):
        epsilon = f"{draw.uniform(0.05, 4):.4g}"
        delta = f"1e-{draw.randint(2, 300)}" if i % 10 == 0 else f"{10 ** draw.uniform(-15, -3):.3g}"
        beta = "max" if i % 3 == 0 else f"{draw.uniform(0.002, 0.999) * (1 - 2.718281 ** -float(epsilon)):.4g}"
        if beta != "max" and Fraction(beta) <= Fraction(delta):
            continue
        k = smallest_k(beta, epsilon, delta, By.THEOREM5)
        answered += 1
        if i % 20 == 0:
            assert theorem5(k, beta, epsilon).high <= Fraction(delta)
            assert k == 1 or theorem5(k - 1, beta, epsilon).low > Fraction(delta)
    assert answered > 2900


def test_large_k_and_tiny_delta():
    found = theorem5(10**5, "0.1", "0.2")
    assert 0 < found.high < Fraction(1, 10**17000)
    assert found.high - found.low < found.low * Fraction(1, 10**12)
    k = smallest_k("0.1", 1, "1e-300", By.THEOREM5)
    assert theorem5(k, "0.1", 1).high <= Fraction(1, 10**300) < theorem5(k - 1, "0.1", 1).low


def test_more_sampling_can_give_a_smaller_number():
    assert theorem5(20, "0.157", 1).high < theorem5(20, "0.156", 1).low


def test_an_epsilon_far_beyond_the_precision():
    assert theorem5(5, "1e-9", 1000).high == Fraction(1, 10**45)
    assert smallest_k("1e-9", 1000, "1e-45", By.THEOREM5) == 5
