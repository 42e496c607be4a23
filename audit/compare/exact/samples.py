"""The samples of two neighbouring datasets, likeliest first, with their exact weights.

Poisson sampling at rate beta = a/b keeps m_i of the c_i copies of each distinct row with probability
prod C(c_i, m_i) a^m_i (b-a)^(c_i-m_i) / b^c_i: whole numbers over one denominator.
"""

import heapq
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from attrs import frozen

from crowdproof.audit.data.rows import Counts, GroupedPair

MOST_KINDS = 64
"""With more different rows no enumeration gets anywhere: there are 2^64 samples or more."""


@frozen
class Sample:
    """A vector of multiplicities and its weight on either side."""

    counts: Counts
    left: int
    right: int


@frozen(eq=False)
class Plan:
    """The samples to run, and what the weights of all samples sum to on either side."""

    samples: tuple[Sample, ...]
    left_total: int
    right_total: int


@frozen
class Unaffordable:
    """Why the samples cannot all be run."""

    reason: str


def plan(
    pair: GroupedPair, beta: Fraction | None, limit: int, tolerance: Fraction, *, partial: bool = False
) -> Plan | Unaffordable:
    """Which samples to run: all of them where `limit` runs suffice, else the likeliest until the tolerance is met.

    With `partial` the likeliest `limit` samples will do, whatever they leave out. Without sampling (beta None) the
    datasets themselves are the only samples.

    >>> from crowdproof.audit.data.rows import group
    >>> found = plan(group([0, 0], [0]), Fraction(1, 3), 100, Fraction(0))
    >>> [(each.counts, each.left, each.right) for each in found.samples], found.left_total, found.right_total
    ([((0,), 4, 2), ((1,), 4, 1), ((2,), 1, 0)], 9, 3)
    """
    if beta is None:
        return _datasets_themselves(pair)
    most = tuple(map(max, pair.left, pair.right))
    everything = math.prod(count + 1 for count in most)
    if everything > limit and len(most) > MOST_KINDS:
        return Unaffordable(f"there are {len(most):,} different rows, so 2^{len(most):,} or more different samples")
    left, right = _weights(pair.left, beta), _weights(pair.right, beta)
    totals = beta.denominator ** sum(pair.left), beta.denominator ** sum(pair.right)
    samples: list[Sample] = []
    goal = 0 if everything <= limit else tolerance
    rest_left, rest_right = totals
    for counts in likeliest_first(most, beta):
        sample = Sample(counts, _weight(left, counts), _weight(right, counts))
        if not (sample.left or sample.right):
            continue
        if len(samples) == limit:
            if partial:
                break
            return Unaffordable(
                f"{everything:,} different samples are possible, and the {limit:,} likeliest leave out too much"
            )
        samples.append(sample)
        rest_left, rest_right = rest_left - sample.left, rest_right - sample.right
        if rest_left <= goal * totals[0] and rest_right <= goal * totals[1]:
            break
    return Plan(tuple(samples), *totals)


def _datasets_themselves(pair: GroupedPair) -> Plan:
    if pair.left == pair.right:
        return Plan((Sample(pair.left, left=1, right=1),), 1, 1)
    return Plan((Sample(pair.left, left=1, right=0), Sample(pair.right, left=0, right=1)), 1, 1)


def likeliest_first(counts: Counts, beta: Fraction) -> Iterator[Counts]:
    """All vectors m with 0 <= m_i <= counts_i, the likeliest under sampling at rate beta first.

    Each coordinate is ranked by itself; a vector of ranks is reached from the one where its last non-zero rank is one
    less, so each is met once.
    """
    orders = [_ranked(count, beta) for count in counts]
    heap = [(-sum(order[0][0] for order in orders), (0,) * len(counts))]
    while heap:
        cost, ranks = heapq.heappop(heap)
        yield tuple(order[rank][1] for order, rank in zip(orders, ranks, strict=True))
        last = max((i for i, rank in enumerate(ranks) if rank), default=0)
        for i in range(last, len(ranks)):
            if ranks[i] + 1 < len(orders[i]):
                step = orders[i][ranks[i]][0] - orders[i][ranks[i] + 1][0]
                heapq.heappush(heap, (cost + step, (*ranks[:i], ranks[i] + 1, *ranks[i + 1 :])))


def _ranked(count: int, beta: Fraction) -> list[tuple[float, int]]:
    odds = math.log(beta.numerator) - math.log(beta.denominator - beta.numerator)
    logs = [(math.log(math.comb(count, m)) + m * odds, m) for m in range(count + 1)]
    return sorted(logs, key=lambda each: (-each[0], each[1]))


def _weights(counts: Counts, beta: Fraction) -> list[list[int]]:
    kept, dropped = beta.numerator, beta.denominator - beta.numerator
    return [[math.comb(c, m) * kept**m * dropped ** (c - m) for m in range(c + 1)] for c in counts]


def _weight(weights: list[list[int]], counts: Sequence[int]) -> int:
    product = 1
    for table, m in zip(weights, counts, strict=True):
        if m >= len(table):
            return 0
        product *= table[m]
    return product
