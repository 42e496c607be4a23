"""The repaired example of section 2.6 at a size where everything can be enumerated: the proved bounds hold."""

from fractions import Fraction
from math import comb

import pytest

from crowdproof.proofs.binomial import mass

HALF = Fraction(1, 2)


def crossing(place: int, length: int, reach: int = 120) -> Fraction:
    """How often noise with Pr[Z = z] = (1/3) 2^-|z| moves a count to a block of the other parity, rounded up."""
    inside = Fraction(0)
    for z in range(-reach, reach + 1):
        if (place + z) // length % 2 == 0:
            inside += Fraction(1, 3 * 2 ** abs(z))
    return 1 - inside


@pytest.mark.parametrize(("threshold", "length"), [(400, 16), (200, 32)])
def test_the_pair_leaks_at_least_what_is_proved(threshold, length):
    """Gain of the event 'A1 disagrees with the block that the noisy count points at', on 4 N0 rows at e^eps = 2."""
    others = 4 * threshold - 1
    wrong = [crossing(place, length) for place in range(length)]
    with_target = without = Fraction(0)
    for m in range(others + 1):
        weight = mass(m, others, HALF)
        for sampled in (0, 1):
            count = m + sampled
            if count < threshold:
                continue
            pointed = wrong[count % length]
            hit = 1 - pointed if sampled else pointed
            with_target += HALF * weight * hit
            without += weight * hit if not sampled else 0
    gain = with_target - 2 * without
    peak = Fraction(comb(threshold, threshold // 2), 2**threshold)
    miss = Fraction(2, 3) ** (4 * threshold) * 3**threshold
    most = Fraction(4, 3) * (Fraction(1, length) + peak) + miss
    bound = (1 - most) / 2 - 2 * most
    assert gain >= bound > 0
    assert gain < HALF  # never above the sampling rate


def test_residues_of_a_binomial_are_even_up_to_its_peak():
    for n, length in ((50, 3), (200, 7)):
        law = [mass(j, n, HALF) for j in range(n + 1)]
        sums = [sum(law[place::length], Fraction(0)) for place in range(length)]
        assert max(sums) <= Fraction(1, length) + max(law)
