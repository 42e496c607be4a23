"""Whether the order of the rows tells something: tests against a shuffle within the blocks of a sort.

The null hypothesis: the rows were sorted or grouped by some of the released columns, or not at all, and what these
columns leave open was shuffled. So within each block of equal keys every order is equally likely, and each test
compares with that.
"""

from fractions import Fraction

from attrs import frozen
from scipy import special

from crowdproof.audit.check.appearance import chance_of_numbering
from crowdproof.audit.check.row_scores import order_of, statistics
from crowdproof.audit.check.shuffles import Statistic, shuffled
from crowdproof.audit.check.sorting import Sorting

ERROR = Fraction(1, 1000)
"""How often at most a release is refuted for its order or numbering though nothing is behind it, over all tests: a
usual level, as a file is checked once."""
USUAL = Fraction(8, 10)
"""The part of the error that the usual tests of the order share, which find most: drifts, runs and likeness."""
UNUSUAL = Fraction(15, 100)
"""The part that the tests for rounds, spreads and pairs of columns share, which are many. Numberings have the rest, as
they need less."""
LEAST_ROWS = 20
"""Rows below which nothing is tested: of fewer, hardly any order is unlikely enough."""
FEW_ROWS = 3000
"""Rows up to which shuffles decide what the tail bound leaves open. A guess: for more, they would take minutes."""


NUMBERED = (
    "has values that follow each other in the order in which they first appear, as numbers given in that order do"
)


@frozen
class OrderAlarm:
    """A test that a shuffle within the blocks would hardly ever fail."""

    column: str
    what: str
    deviations: float | None
    """How far the statistic is from its mean, in standard deviations; None where there is no such statistic."""
    error: float
    """How often a shuffle would, at most, corrected for the number of tests."""


def order_alarms(sorting: Sorting) -> tuple[list[OrderAlarm], int]:
    """What is unlikely about the order, the unlikeliest first, and how many tests there were."""
    if sorting.table.height < LEAST_ROWS:
        return [], 0
    columns = [name for name in sorting.table.columns if name not in sorting.keys]
    far: list[tuple[Statistic, float]] = []
    numbers = {True: len(columns), False: 0}
    for test in statistics(sorting):
        z = test.deviations(sorting.blocks)
        if z is not None:
            numbers[test.is_usual] += 1
            if 2 * float(special.ndtr(-abs(z))) <= ERROR:  # of the others nothing is kept, since there are many
                far.append((test, z))
    found = _numbered(sorting, columns, numbers[True])
    found += _unlikely(sorting, [each for each in far if each[0].is_usual], numbers[True], USUAL)
    found += _unlikely(sorting, [each for each in far if not each[0].is_usual], numbers[False], UNUSUAL)
    return sorted(found, key=lambda each: (each.error, -abs(each.deviations or 0))), sum(numbers.values())


def _numbered(sorting: Sorting, columns: list[str], number: int) -> list[OrderAlarm]:
    found = []
    for name in columns:
        p = chance_of_numbering(order_of(sorting.table[name]), sorting.blocks)
        if p <= float(USUAL * ERROR) / number:
            found.append(OrderAlarm(name, NUMBERED, None, p * number / float(USUAL)))
    return found


def _unlikely(sorting: Sorting, far: list[tuple[Statistic, float]], number: int, share: Fraction) -> list[OrderAlarm]:
    """The tests that a shuffle fails too rarely, where so many share that part of the error."""
    level = float(share * ERROR) / max(1, number)
    found = []
    for test, z in far:
        if 2 * float(special.ndtr(-abs(z))) > level:
            continue
        p = test.tail(z, sorting.blocks)
        if p > level and test.is_usual and len(test.scores) <= FEW_ROWS:
            p = shuffled(test, sorting.blocks, z)
        if p <= level:
            found.append(OrderAlarm(test.column, test.what, z, min(1.0, p * number / float(share))))
    return found
