"""The privacy profile: the tight delta as a function of epsilon, and epsilon as a function of delta."""

from collections.abc import Iterable
from fractions import Fraction

from attrs import frozen

from crowdproof.claims import Neighbours
from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, probability, rate, show, whole
from crowdproof.findings import Estimate
from crowdproof.proofs.bounds.balls import Rate
from crowdproof.proofs.bounds.cells import Budget
from crowdproof.proofs.bounds.certificate import Certified, WorstPair
from crowdproof.proofs.bounds.replace import EFFORT, SETTLED, SLACK, replace
from crowdproof.proofs.bounds.search import COARSE, WIDTH, Crossing, crossing
from crowdproof.proofs.bounds.tight import add_remove

ADD_REMOVE, REPLACE = Neighbours.ADD_REMOVE, Neighbours.REPLACE


def tight(k: Number, beta: Rate, epsilon: Number | Epsilon, neighbours: Neighbours = ADD_REMOVE) -> Certified:
    """The smallest delta for which 'sample at beta, recode in a fixed way, drop below k' is (epsilon, delta)-DP.

    >>> print(tight(20, 0.1, 0.5), tight(20, 0.1, 0.5, REPLACE))
    2.632e-11 2.807e-11
    """
    return add_remove(k, beta, epsilon) if neighbours is ADD_REMOVE else replace(k, beta, epsilon)


def worst_pair(k: Number, beta: Rate, epsilon: Number | Epsilon, neighbours: Neighbours = ADD_REMOVE) -> WorstPair:
    """The rows in the cells of two neighbouring datasets whose delta is the tight one.

    >>> worst_pair(20, 0.1, 0.5)
    WorstPair(likelier=(42,), other=(41,))
    """
    pair = tight(k, beta, epsilon, neighbours).pair
    assert pair is not None
    return pair


@frozen
class ProfilePoint:
    """The tight delta at an epsilon."""

    epsilon: Epsilon
    delta: Certified


def profile(
    k: Number, beta: Rate, epsilons: Iterable[Number | Epsilon], neighbours: Neighbours = ADD_REMOVE
) -> tuple[ProfilePoint, ...]:
    """The tight delta at each of these epsilons.

    >>> [str(point.delta) for point in profile(20, 0.1, [0, 0.5, 1])]
    ['0.009605', '2.632e-11', '2.761e-15']
    """
    read = [Epsilon.of(each) for each in epsilons]
    return tuple(ProfilePoint(each, tight(k, beta, each, neighbours)) for each in read)


def epsilon_for(
    delta: Number, k: Number, beta: Number, neighbours: Neighbours = ADD_REMOVE, effort: int = EFFORT
) -> Estimate:
    """The smallest epsilon at which the tight delta is at most this: certainly enough is the upper end.

    `effort` is how many steps the searches for replaced rows may take together.

    >>> found = epsilon_for(1e-6, 20, 0.1)
    >>> round(float(found.low), 12), round(float(found.high), 12)
    (0.18298860992, 0.18298860992)
    """
    limit, count, share = probability(delta, "delta"), whole(k, "k"), rate(beta)
    if limit < share**count:
        raise ParameterError(
            f"delta is {show(limit)}, k {count} and beta {show(share)}: with probability beta^k a group of exactly k "
            "rows is shown in full, so no epsilon gives a delta below beta^k; raise delta or k, or lower beta."
        )
    # replacing is never easier than removing, so the search for it starts where that one ends
    if neighbours is ADD_REMOVE:
        return crossing(lambda epsilon: add_remove(count, share, epsilon), limit)
    start = epsilon_for(limit, count, share).low
    budget = Budget(effort)
    pairs = budget.part(Fraction(1, 2 if count <= SETTLED else 4))
    return Crossing(
        lambda epsilon: replace(count, share, Epsilon(epsilon), pairs, bounded=False),
        limit,
        surely=lambda epsilon: replace(count, share, Epsilon(epsilon), budget, limit),
        width=WIDTH if count <= SETTLED else COARSE,
        slack=() if count <= SETTLED else SLACK,
    ).after(start)
