"""Theorem 5 of Li, Qardaji and Su: d(k, beta, eps), the largest Pr[Bin(n, beta) > gamma n] over n >= k/gamma - 1."""

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, whole
from crowdproof.proofs.bounds.balls import Rate, Setting
from crowdproof.proofs.bounds.certificate import Certified
from crowdproof.proofs.bounds.tails import Tail


def theorem5(k: Number, beta: Rate, epsilon: Number | Epsilon) -> Certified:
    """Theorem 5's delta: sampling at `beta`, then dropping the groups below k, is (beta, epsilon, delta)-DPS.

    >>> d = theorem5(20, 0.1, 0.5)
    >>> print(d, d.n, d.certificate.examined)
    1.607e-9 44 (44, 46, 48)
    """
    return theorem5_tail(Setting.of(beta, epsilon)).maximum(whole(k, "k"))


def theorem5_tail(setting: Setting) -> Tail:
    """The family of tails whose maximum Theorem 5 takes; it speaks of eps >= -ln(1 - beta) only."""
    if setting.compare_with_rate() < 0:
        raise ParameterError(
            f"epsilon is {setting.epsilon} and beta {setting.name()}: Theorem 5 needs epsilon >= -ln(1 - beta); "
            "raise epsilon, lower beta, or use the tight delta, which holds for every epsilon."
        )
    return Tail(setting.rate, setting.gamma)
