"""The planner: the smallest k, the largest beta, the smallest epsilon or delta that the other three allow.

Each by Theorem 5 and by the tight delta for either relation. The tight delta falls with k and epsilon and rises with
beta (sampling at a smaller rate is sampling first and then at the larger one). Theorem 5's number falls with k and
epsilon too, but with beta it rises only between jumps, at which an n drops out.
"""

import heapq
from collections.abc import Callable, Iterator
from enum import Enum
from fractions import Fraction

from crowdproof.claims import Neighbours
from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, probability, rate, show, whole
from crowdproof.findings import Estimate
from crowdproof.proofs.bounds.amplification import value_of
from crowdproof.proofs.bounds.balls import Rate, Setting, ball, certified, floor
from crowdproof.proofs.bounds.cells import Budget
from crowdproof.proofs.bounds.certificate import Certified
from crowdproof.proofs.bounds.profile import epsilon_for
from crowdproof.proofs.bounds.replace import EFFORT, SETTLED, SLACK, replace
from crowdproof.proofs.bounds.search import COARSE, WIDTH, Crossing, crossing
from crowdproof.proofs.bounds.tails import Tail
from crowdproof.proofs.bounds.theorem5 import theorem5, theorem5_tail
from crowdproof.proofs.bounds.tight import add_remove

MOST = 10_000_000
"""The largest k that is looked at."""
_WIDTH = Fraction(1, 2**40)
_COUNTS, _JUMPS = 2_000, 48
"""Of Theorem 5's jumps no more are looked at, so that a plan ends: then a larger rate may do, and the interval says so.
"""


class By(Enum):
    """Which number is planned with."""

    THEOREM5 = "Theorem 5"
    TIGHT = "tight, add or remove"
    REPLACE = "tight, replace"

    @property
    def neighbours(self) -> Neighbours:
        """The relation between datasets."""
        return Neighbours.REPLACE if self is By.REPLACE else Neighbours.ADD_REMOVE


def smallest_delta(
    k: Number, beta: Rate, epsilon: Number | Epsilon, by: By = By.TIGHT, effort: int = EFFORT
) -> Certified:
    """The delta itself. `effort` is how many steps an answer for replaced rows may take, here and below.

    >>> print(smallest_delta(20, 0.1, 0.5), smallest_delta(20, 0.1, 0.5, By.THEOREM5))
    2.632e-11 1.607e-9
    """
    if by is By.REPLACE:
        return replace(k, beta, epsilon, effort)
    return theorem5(k, beta, epsilon) if by is By.THEOREM5 else add_remove(k, beta, epsilon)


def smallest_k(beta: Rate, epsilon: Number | Epsilon, delta: Number, by: By = By.TIGHT, effort: int = EFFORT) -> int:
    """The smallest k whose delta is at most this.

    >>> smallest_k("max", 0.5, 1e-6, By.THEOREM5), smallest_k("max", 0.5, 1e-6)
    (63, 46)
    """
    setting, limit = Setting.of(beta, epsilon), _delta(delta)
    _meaningful(limit, setting)
    if by is By.THEOREM5:
        return theorem5_tail(setting).smallest(limit)
    start = 0 if by is By.TIGHT else smallest_k(beta, epsilon, delta) - 1  # replacing is never easier than removing
    if by is By.TIGHT:
        return _first(lambda k: add_remove(k, beta, epsilon).high <= limit, start)
    budget = Budget(effort)
    return _first(lambda k: replace(k, beta, epsilon, budget, limit).high <= limit, start)


def _first(enough: Callable[[int], bool], too_small: int) -> int:
    """The smallest number above `too_small` that is enough, by doubling steps and halving."""
    step = 1
    while not enough(too_small + step):
        too_small, step = too_small + step, 2 * step
        if too_small > MOST:
            raise ParameterError(f"no k up to {MOST:,} is enough: raise epsilon or delta, or lower beta.")
    high = too_small + step
    while high - too_small > 1:
        middle = (too_small + high) // 2
        too_small, high = (too_small, middle) if enough(middle) else (middle, high)
    return high


def smallest_epsilon(k: Number, beta: Number, delta: Number, by: By = By.TIGHT, effort: int = EFFORT) -> Estimate:
    """The smallest epsilon whose delta is at most this; the upper end is certainly enough.

    >>> found = smallest_epsilon(20, 0.1, 1e-6)
    >>> round(float(found.high), 6), round(float(smallest_epsilon(20, 0.1, 1e-6, By.THEOREM5).high), 6)
    (0.182989, 0.291941)
    """
    limit, share = _delta(delta), rate(beta)
    _meaningful(limit, Setting(share, Epsilon(Fraction(0))))
    if by is not By.THEOREM5:
        return epsilon_for(limit, k, share, by.neighbours, effort)
    count = whole(k, "k")
    if limit < share**count:
        epsilon_for(limit, count, share)  # says why there is none
    least = Epsilon(1 / (1 - share), logarithm=True)
    if theorem5(count, share, least).high <= limit:
        return value_of(least)
    return crossing(lambda epsilon: theorem5(count, share, epsilon), limit, value_of(least).high)


def largest_beta(
    k: Number, epsilon: Number | Epsilon, delta: Number, by: By = By.TIGHT, effort: int = EFFORT
) -> Estimate:
    """The largest sampling rate whose delta is at most this; the lower end is certainly small enough.

    >>> round(float(largest_beta(20, 1, 1e-6).low), 6), round(float(largest_beta(20, 1, 1e-6, By.THEOREM5).low), 6)
    (0.350029, 0.297342)
    """
    level, limit, count = Epsilon.of(epsilon), _delta(delta), whole(k, "k")
    if by is By.THEOREM5:
        return _largest_by_theorem5(count, level, limit)
    if by is By.TIGHT:
        return _halve(lambda beta: add_remove(count, beta, level).high <= limit, limit, Fraction(1))
    most = largest_beta(count, level, limit).high  # replacing is never easier than removing
    budget = Budget(effort)
    pairs = budget.part(Fraction(1, 2 if count <= SETTLED else 4))
    inverse = Crossing(
        lambda inverse: replace(count, 1 / inverse, level, pairs, bounded=False),
        limit,
        surely=lambda inverse: replace(count, 1 / inverse, level, budget, limit),
        width=WIDTH if count <= SETTLED else COARSE,
        slack=() if count <= SETTLED else SLACK,
        most=4 / limit,  # a rate of the limit itself is enough
    ).after(1 / most)
    return Estimate(1 / inverse.high, 1 / inverse.low)


def _halve(enough: Callable[[Fraction], bool], low: Fraction, high: Fraction) -> Estimate:
    """Where 'enough' stops to hold, between a low where it holds trivially and a high where it does not."""
    start = low
    while high - low > _WIDTH * high:
        middle = _short((low + high) / 2, high - low)
        low, high = (middle, high) if enough(middle) else (low, middle)
    if low == start:
        raise ParameterError(
            f"no beta above delta = {show(start)} is small enough, and below delta every mechanism would do: "
            "raise epsilon, delta or k."
        )
    return Estimate(low, high)


def _short(number: Fraction, width: Fraction) -> Fraction:
    """A dyadic number in the middle of an interval of that width, with few digits."""
    bits = max(0, width.denominator.bit_length() - width.numerator.bit_length()) + 4
    return Fraction(round(number * 2**bits), 2**bits)


def _largest_by_theorem5(k: int, level: Epsilon, limit: Fraction) -> Estimate:
    """Halving finds one rate; the jumps between it and the largest rate by the tight delta may hide a larger one."""

    def enough(beta: Fraction) -> bool:
        return Setting(beta, level).compare_with_rate() >= 0 and theorem5(k, beta, level).high <= limit

    if level.value == 0:
        raise ParameterError("epsilon is 0: Theorem 5 needs epsilon >= -ln(1 - beta), so raise epsilon.")
    most = certified(lambda: 1 - 1 / Setting(Fraction(1, 2), level).x())
    ceiling = min(largest_beta(k, level, limit).high, most.high)
    found = _halve(enough, limit, min(ceiling, Fraction(1) - _WIDTH) + _WIDTH)
    if _counts_that_matter(k, level, limit, ceiling) > _COUNTS:
        return Estimate(found.low, ceiling)
    for i, jump in enumerate(_jumps(k, level, limit, found.low, ceiling)):
        if i >= _JUMPS:
            return Estimate(found.low, jump)
        if enough(jump):
            after = min((each for each in _jumps(k, level, limit, jump, ceiling) if each > jump), default=ceiling)
            return _halve(enough, jump, after)
    return found


def _counts_that_matter(k: int, level: Epsilon, limit: Fraction, high: Fraction) -> int:
    """How many counts m have jumps that can matter."""
    setting = Setting(high, level)
    return Tail(setting.rate, setting.gamma).horizon(limit) - k


def _jumps(k: int, level: Epsilon, limit: Fraction, low: Fraction, high: Fraction) -> Iterator[Fraction]:
    """The rates between low and high, from the largest, at which n(m) of some m that matters drops by 1.

    There gamma = m/(n + 1), that is, beta = 1 - x r/(m + r) with r = n + 1 - m; from there up Theorem 5's number rises
    until the next jump. Counts m with rho^m <= delta at the largest rate do not matter at any.
    """
    setting = Setting(high, level)
    last = Tail(setting.rate, setting.gamma).horizon(limit)
    heap: list[tuple[Fraction, int, int]] = []

    def push(m: int, r: int) -> None:
        beta = _jump(level, m, r)
        if beta > low:
            heapq.heappush(heap, (-beta, m, r))

    for m in range(k, last):
        push(m, _first_r(level, m, high))
    while heap:
        beta, m, r = heapq.heappop(heap)
        yield -beta
        push(m, r + 1)


def _jump(level: Epsilon, m: int, r: int) -> Fraction:
    """1 - x r/(m + r), rounded up a little where it is irrational: just inside the piece that it starts."""
    x = level.exp_exact
    if x is not None:
        return 1 - x * Fraction(r, m + r)
    return certified(lambda: 1 - Setting(Fraction(1, 2), level).x() * r / (m + r)).high


def _first_r(level: Epsilon, m: int, high: Fraction) -> int:
    """The smallest r >= 1 with 1 - x r/(m + r) <= high: r (x - 1 + high) >= m (1 - high)."""
    x = level.exp_exact
    exact = None if x is None else m * (1 - high) / (x - 1 + high)
    setting = Setting(Fraction(1, 2), level)
    return max(1, floor(exact, lambda: ball(m * (1 - high)) / (setting.x() - ball(1 - high))))


def _delta(written: Number) -> Fraction:
    limit = probability(written, "delta")
    if limit == 0:
        raise ParameterError(
            "delta is 0: with probability beta^k or more a group is shown in full, so give a delta > 0."
        )
    return limit


def _meaningful(limit: Fraction, setting: Setting) -> None:
    beta = setting.beta if setting.beta is not None else certified(setting.b).high
    if limit >= beta:
        raise ParameterError(
            f"delta is {show(limit)} and beta {setting.name()}: with delta >= beta every mechanism would do; "
            "give a delta below beta."
        )
