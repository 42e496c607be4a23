"""How the rows of a release stand out among a population of which they are a random sample."""

import math
from fractions import Fraction

from attrs import frozen
from scipy import optimize, special

from crowdproof.audit.check.groups import Groups
from crowdproof.errors import ParameterError

MODEL = (
    "The release is taken for a simple random sample of the population. Journalist: a group of f rows has f N / n "
    "people. Of matches of a unique row with one person, the share n1 p / (n1 p + 2 n2 (1 - p)) is right (Skinner and "
    "Elliot), with p = n / N, n1 unique rows and n2 groups of two. People who are unique in the population: "
    "N a / (N + a - 1) by the model of Ewens, whose a fits the number of groups. These are estimates, and no bounds."
)
"""What the numbers rest on."""


_LARGE = 1000.0
"""From here on the next term of the series is below 1e-4 of a group."""


@frozen
class Population:
    """Risks of a sample of so many people."""

    people: int
    journalist: float
    """The chance to pick the right person for the row that is easiest to find."""
    right_matches: float
    """Of the unique rows that match one person, the share that is right."""
    uniques: float
    """People who are unique in the population."""


def population_risks(groups: Groups, people: int) -> Population:
    """The risks, by the model that `MODEL` states."""
    rows = groups.rows
    if people < rows:
        raise ParameterError(f"population is {people:,}: the release alone has {rows:,} rows.")
    share = Fraction(rows, people)
    ones, twos = (int((groups.sizes == size).sum()) for size in (1, 2))
    hits = ones * share
    misses = 2 * twos * (1 - share)
    right = float(hits / (hits + misses)) if ones else 0.0
    uniques = float(ones) if people == rows else _uniques(len(groups.sizes), rows, people)
    return Population(people, float(share / int(groups.sizes.min())), right_matches=right, uniques=uniques)


def _uniques(groups: int, rows: int, people: int) -> float:
    """By the law of Ewens, n rows fall into a (psi(a + n) - psi(a)) groups on average."""
    if groups == rows:
        return float(people)
    if groups == 1:
        return 0.0

    def excess(logarithm: float) -> float:
        return _expected_groups(math.exp(logarithm), rows) - groups

    widest = 1 + 2 * math.log(rows)  # so large an `a` gives less than half a group fewer than rows
    a = math.exp(optimize.brentq(excess, -40.0, widest))
    return people * a / (people + a - 1)


def _expected_groups(a: float, rows: int) -> float:
    """The difference of the two digammas, by their series where it would be lost in rounding."""
    if a > _LARGE:
        return a * (math.log1p(rows / a) + rows / (2 * a * (a + rows)))
    return float(a * (special.digamma(a + rows) - special.digamma(a)))
