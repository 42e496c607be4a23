"""Crowd-blending privacy under sampling (Gehrke, Hay, Lui, Pass), with explicit constants.

A (k, eps)-crowd-blending mechanism on a sample taken at rate p is (eps', delta')-DP with

    e^eps' = p (2 - p)/(1 - p) e^eps + (1 - p),
    delta' = max over n of sum over j >= k, j > g n of (j/n) f(j; n, p),   g = 1 - (1 - p)^2.
"""

from attrs import frozen

from crowdproof.exact import Epsilon, Number, rate, whole
from crowdproof.findings import Estimate
from crowdproof.proofs.bounds.balls import Ball, Quantity, Setting, ball, certified
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
    0.1053605156578263 0.0007076
    """
    share, start, count = rate(p, "p"), Epsilon.of(epsilon), whole(k, "k")
    g = 1 - (1 - share) ** 2
    setting = Setting(share, start)
    tail = Tail(setting.rate, Quantity(g, lambda: ball(g)), weighted=True)

    def amplified() -> Ball:
        growth = ball(share * (2 - share) / (1 - share)) * (setting.x() - 1) + ball(share / (1 - share))
        return growth.log1p()

    return CrowdGuarantee(certified(amplified), tail.maximum(count))
