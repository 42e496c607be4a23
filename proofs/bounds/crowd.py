"""Crowd-blending privacy under sampling (Gehrke, Hay, Lui, Pass), with explicit constants.

A (k, eps)-crowd-blending mechanism on a sample taken at rate p is (eps', delta')-DP with

    e^eps' = p (2 - p)/(1 - p) e^eps + (1 - p),
    delta' = max over n of sum over j >= k, j > g n of (j/n) f(j; n, p),   g = 1 - (1 - p)^2.
"""

from fractions import Fraction

from attrs import frozen

from crowdproof.exact import Epsilon, Number, rate, whole
from crowdproof.findings import Estimate
from crowdproof.proofs.bounds.balls import Quantity, Setting, ball, certified
from crowdproof.proofs.bounds.certificate import Certified
from crowdproof.proofs.bounds.tails import Tail


@frozen
class CrowdGuarantee:
    """What sampling makes of crowd-blending."""

    epsilon: Estimate
    delta: Certified


def crowd_blending(k: Number, p: Number, epsilon: Number | Epsilon = 0) -> CrowdGuarantee:
    """(eps', delta') of a (k, epsilon)-crowd-blending mechanism on a sample at rate p.

    >>> found = crowd_blending(20, 0.1)
    >>> print(float(found.epsilon.high), found.delta)
    0.10536051565782631 0.0006...
    """
    share, start, count = rate(p, "p"), Epsilon.of(epsilon), whole(k, "k")
    g = 1 - (1 - share) ** 2
    setting = Setting(share, start)
    tail = Tail(setting.rate, Quantity(g, lambda: ball(g)), weighted=True)
    factor = share * (2 - share) / (1 - share)
    exact = start.exp_exact
    if exact is not None:
        excess: Fraction = factor * exact - share
        return CrowdGuarantee(certified(lambda: ball(excess).log1p()), tail.maximum(count))
    return CrowdGuarantee(certified(lambda: (ball(factor) * setting.x() + ball(1 - share)).log()), tail.maximum(count))
