"""delta(epsilon) of two finite laws, exactly.

delta(epsilon) = max over events S of P(S) - e^eps Q(S), which the event {P > e^eps Q} attains. Where e^eps is rational
so is delta. Where it is not, P - e^eps Q is never zero unless both are (Lindemann), so ball arithmetic of growing
precision decides every comparison.
"""

from fractions import Fraction
from functools import cache

from attrs import frozen

from crowdproof.audit.compare.exact.law import Mass, PairLaw
from crowdproof.exact import Epsilon
from crowdproof.findings import Estimate


@frozen(eq=False)
class Excess:
    """The event that is likeliest on the left beyond e^eps times the right, and P(S) - e^eps Q(S) for it."""

    epsilon: Epsilon
    event: tuple[Mass, ...]
    p: Fraction
    q: Fraction
    unseen_p: Fraction = Fraction(0)
    unseen_q: Fraction = Fraction(0)
    """Mass on either side that was not enumerated: it may lie in the event or not."""

    def above(self, delta: Fraction) -> bool:
        """Whether P(S) - e^eps Q(S) is certainly larger than delta."""
        return certainly_above(self.p - delta, self.q + self.unseen_q, self.epsilon)

    def bounds(self) -> Estimate:
        """An interval that certainly holds P(S) - e^eps Q(S); its upper end bounds delta, the maximum over all S.

        A single fraction where e^eps is rational and nothing was left out.
        """
        low_x, high_x = exp_bounds(self.epsilon)
        return Estimate(self.p - high_x * (self.q + self.unseen_q), self.p + self.unseen_p - low_x * self.q)


def excess_at(law: PairLaw, epsilon: Epsilon) -> Excess:
    """The largest excess of the left over the right."""
    event = tuple(each for each in law.masses if certainly_above(each.left, each.right, epsilon))
    p = sum((each.left for each in event), Fraction(0))
    q = sum((each.right for each in event), Fraction(0))
    return Excess(epsilon, event, p=p, q=q, unseen_p=law.unseen_left, unseen_q=law.unseen_right)


def worst_excess(law: PairLaw, epsilon: Epsilon) -> tuple[Excess, bool]:
    """The larger of the two directions, and whether it is the flipped one (the right over the left)."""
    there, back = excess_at(law, epsilon), excess_at(law.flipped(), epsilon)
    return (back, True) if back.bounds().low > there.bounds().low else (there, False)


def epsilon_at(law: PairLaw, delta: Fraction) -> Fraction | None:
    """The least e^eps with P(S) <= e^eps Q(S) + delta for every S, as a fraction; None where no epsilon is enough.

    >>> often, seldom = Fraction(3, 4), Fraction(1, 4)
    >>> law = PairLaw((Mass("a", often, seldom, None), Mass("b", seldom, often, None)))
    >>> epsilon_at(law, Fraction(0)), epsilon_at(law, Fraction(1, 4))
    (Fraction(3, 1), Fraction(2, 1))
    """
    p, q = Fraction(0), law.unseen_right
    masses = sorted(law.masses, key=_ratio, reverse=True)
    best = Fraction(0)
    for each in masses:  # the events {P/Q >= r} for falling r: the optimal event of every epsilon is among them
        p, q = p + each.left, q + each.right
        if p > delta and q == 0:
            return None
        if q > 0:
            best = max(best, (p - delta) / q)
    return max(best, Fraction(1))


def certainly_above(p: Fraction, q: Fraction, epsilon: Epsilon) -> bool:
    """Whether p > e^eps q."""
    low, high = exp_bounds(epsilon)
    if p > high * q:
        return True
    if p <= low * q:
        return False
    return Epsilon(p / q, True) > epsilon  # between the bounds: Epsilon goes to whatever precision it takes


@cache
def exp_bounds(epsilon: Epsilon, bits: int = 256) -> tuple[Fraction, Fraction]:
    """Fractions below and above e^eps; equal where it is rational."""
    exact = epsilon.exp_exact
    if exact is not None:
        return exact, exact
    from flint import arb, ctx  # noqa: PLC0415  (only irrational e^eps needs it)

    with ctx.workprec(bits):
        ball = (arb(epsilon.value.numerator) / arb(epsilon.value.denominator)).exp()
        return _dyadic(ball.lower()), _dyadic(ball.upper())


def _dyadic(ball: object) -> Fraction:
    mantissa, exponent = ball.man_exp()  # type: ignore[attr-defined]
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _ratio(mass: Mass) -> tuple[bool, Fraction]:
    return (True, mass.left) if mass.right == 0 else (False, mass.left / mass.right)
