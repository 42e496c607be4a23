"""The papers' Tables 1 and 2 and Figures 1 to 6, recomputed, with the tight delta next to Theorem 5's.

Everything here is data (`Table`, `Chart`); `drawing` writes it to files.
"""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from math import log

from attrs import frozen
from scipy.stats import binom

from crowdproof.claims import Assertion
from crowdproof.exact import show
from crowdproof.findings import Chart, Counterexample, Finding, Note, Proved, Refuted, Series, Table
from crowdproof.proofs.bounds.amplification import amplify
from crowdproof.proofs.bounds.balls import scientific
from crowdproof.proofs.bounds.certificate import Certified, above
from crowdproof.proofs.bounds.planner import By, smallest_epsilon
from crowdproof.proofs.bounds.profile import tight
from crowdproof.proofs.bounds.theorem5 import theorem5

BETAS = ("0.05", "0.1", "0.2")
EPSILONS = ("0.25", "0.5", "0.75", "1", "1.5", "2")
TABLE_2 = (
    ("6.83e-10", "2.50e-14", "3.19e-17", "1.76e-19", "3.97e-22", "2.00e-24"),
    ("4.19e-6", "1.61e-9", "3.44e-12", "4.07e-14", "3.22e-16", "1.89e-18"),
    ("2.16e-3", "8.02e-6", "1.89e-7", "6.03e-9", "4.79e-11", "1.59e-12"),
)
"""As printed, for k = 20: a row for each beta."""
_STEPS = 40
KS = (*range(4, 30, 2), *range(30, 105, 5))
"""The k of Figure 6."""
_TOP = Fraction(5, 2)


@frozen
class Figure:
    """A table or a chart with the name of its files."""

    name: str
    content: Table | Chart


def figures() -> Iterator[Figure]:
    """All of them, in the papers' order."""
    yield Figure("table1", table_1())
    yield Figure("table2", table_2())
    yield Figure("figure1", figure_1())
    yield Figure(
        "figure2", _curves("Figure 2: 1/delta for several k, beta = 0.2", ((k, "0.2") for k in (5, 10, 20, 30, 50)))
    )
    rates = ("0.05", "0.1", "0.2", "0.3", "0.4")
    yield Figure("figure3", _curves("Figure 3: 1/delta for several beta, k = 20", ((20, beta) for beta in rates)))
    same = ((15, "0.05"), (22, "0.1"), (35, "0.2"), (60, "0.4"))
    yield Figure("figure4", _curves("Figure 4: 1/delta when k grows with beta", same))
    yield Figure("figure5", _curves("Figure 5: 1/delta for small k, beta = 0.025", ((k, "0.025") for k in range(1, 6))))
    yield Figure("figure6", figure_6(rates))


def table_1() -> Table:
    """Theorem 1: (ln 11, 1e-5) and (1, 0) at smaller rates."""
    rows = [("1", "11", "ln 11 = 2.398", "1e-5", "1")]
    for beta in ("0.1", "0.01"):
        one, other = amplify(beta, "ln 11", "1e-5"), amplify(beta, 1)
        assert one.exactly is not None
        rows.append(
            (
                beta,
                show(one.exactly.value),
                f"{one.exactly} = {scientific(one.epsilon.high)}",
                show(one.delta),
                scientific(other.epsilon.high),
            )
        )
    columns = ("beta", "e^epsilon", "epsilon", "delta", "epsilon of a (1, 0)-DP algorithm")
    return Table("Table 1: the effect of sampling on epsilon and delta", columns, tuple(rows))


def table_2() -> Table:
    """Theorem 5's delta at k = 20, as printed, as certified, and the tight one for either relation."""
    rows: list[tuple[str, ...]] = []
    for beta, printed in zip(BETAS, TABLE_2, strict=True):
        rows.append((beta, "printed", *printed))
        rows.append((beta, By.THEOREM5.value, *(_nearest(theorem5(20, beta, epsilon)) for epsilon in EPSILONS)))
        for by in (By.TIGHT, By.REPLACE):
            found = (tight(20, beta, epsilon, by.neighbours) for epsilon in EPSILONS)
            rows.append((beta, by.value, *map(_nearest, found)))
    return Table("Table 2: delta at k = 20", ("beta", "by", *(f"epsilon {each}" for each in EPSILONS)), tuple(rows))


def _nearest(found: Certified) -> str:
    return scientific((found.low + found.high) / 2)


def agrees(printed: str, found: Certified) -> bool:
    """Whether both ends of the interval round to the printed digits."""
    digits = len(printed.partition("e")[0].replace(".", ""))
    return all(Fraction(scientific(end, digits)) == Fraction(printed) for end in (found.low, found.high))


def table_2_finding() -> Finding:
    """Whether the 18 printed cells are right to their digits."""
    wrong = {
        f"beta {beta}, epsilon {epsilon}": f"printed {printed}, certified {found}"
        for beta, row in zip(BETAS, TABLE_2, strict=True)
        for epsilon, printed in zip(EPSILONS, row, strict=True)
        if not agrees(printed, found := theorem5(20, beta, epsilon))
    }
    claim = Assertion("table2", "The 18 printed values of d(20, beta, epsilon) are right to their digits.")
    verdict = Refuted(Counterexample("These cells differ.", wrong)) if wrong else Proved()
    return Finding(
        "Li, Qardaji and Su", claim, verdict, evidence=(table_2(), Note("how", "both ends of each interval agree."))
    )


def figure_1() -> Chart:
    """The tail beyond gamma n, at the n that attains d(20, 0.1, 0.5)."""
    found = theorem5(20, "0.1", "0.5")
    n, beta = found.n, 0.1
    gamma = 1 - 0.9 / 2.718281828459045**0.5
    counts = range(n + 1)
    mass = [float(binom.pmf(j, n, beta)) for j in counts]
    tail = [(j, mass[j]) for j in counts if j > gamma * n]
    top = max(mass)
    series = (
        Series("binomial mass", tuple(map(float, counts)), tuple(mass)),
        Series("beyond gamma n", tuple(float(j) for j, _ in tail), tuple(each for _, each in tail), points=True),
        Series("beta n", (beta * n, beta * n), (min(mass), top)),
        Series("gamma n", (gamma * n, gamma * n), (min(mass), top)),
    )
    title = f"Figure 1: the tail that Theorem 5 sums (k = 20, beta = 0.1, epsilon = 0.5, n = {n})"
    return Chart(title, "rows sampled of n", "probability", series, log_y=True)


def _curves(title: str, cases: Iterable[tuple[int, str]]) -> Chart:
    """1/delta against epsilon for each (k, beta), by Theorem 5 and tight."""
    series: list[Series] = []
    for k, beta in cases:
        least = Fraction(-log(1 - float(beta))).limit_denominator(10**6)
        name = f"k = {k}, beta = {beta}"
        series.append(_curve(f"{name}: Theorem 5", least + Fraction(1, 10**5), partial(theorem5, k, beta)))
        series.append(_curve(f"{name}: tight", Fraction(0), partial(tight, k, beta)))
    return Chart(title, "epsilon", "1/delta", tuple(series), log_y=True)


def _curve(name: str, start: Fraction, delta: Callable[[Fraction], Certified]) -> Series:
    places = [start + (_TOP - start) * i / _STEPS for i in range(_STEPS + 1)]
    values = [1 / above(delta(place).high) for place in places]
    return Series(name, tuple(map(float, places)), tuple(values))


def figure_6(rates: Iterable[str]) -> Chart:
    """The epsilon that k gives at delta = 1e-6."""
    series = []
    for beta in rates:
        for by in (By.THEOREM5, By.TIGHT):
            ks = [k for k in KS if Fraction(beta) ** k <= Fraction(1, 10**6)]
            found = [above(smallest_epsilon(k, beta, "1e-6", by).high) for k in ks]
            series.append(Series(f"beta = {beta}: {by.value}", tuple(map(float, ks)), tuple(found)))
    return Chart("Figure 6: the epsilon of k at delta = 1e-6", "k", "epsilon", tuple(series))
