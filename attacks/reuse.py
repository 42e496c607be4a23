"""One sample used again and again where fresh ones were assumed: the noise averages out, the sample does not."""

import time
from fractions import Fraction

from crowdproof.attacks.interface import Attack, Outcome, Severity, Story, Yardstick
from crowdproof.attacks.measure import certified, private
from crowdproof.exact import Number, rate, whole
from crowdproof.findings import Estimate, Exact, Reproduce, Table
from crowdproof.proofs.binomial import mass
from crowdproof.proofs.bounds import tight
from crowdproof.proofs.bounds.balls import scientific

ATTACK = Attack(
    id="reuse",
    title="The sample that was not fresh",
    knows="The row of one person, and that nobody else is like them; not whether they are in the data.",
    sees="Two releases of a safe k-anonymizer with different fixed grids, each with its own small delta.",
    infers="A wide cell that takes in the person and a narrow one that does not: over the same sample their counts "
    "differ exactly when the person was drawn, though neither release shows a group below k.",
    claim="Releases that are each private under sampling stay so when they are made from one and the same sample.",
    remedy="Draw a fresh sample for each release: then their guarantees compose as those of differential privacy do.",
    source="Li, Qardaji and Su, section 2.7 (fresh samples are assumed)",
    severity=Severity.PRESENCE,
)


def run(*, k: Number = 20, beta: Number = "1/2", others: Number = 100, epsilon: Number = 1, seed: int = 0) -> Story:
    """Two grids: one cell holds the others and the person, in the other grid a cell holds the others alone.

    On one sample the two counts differ exactly when the person was drawn. With fresh samples they are independent. The
    laws are worked out exactly.
    """
    start = time.monotonic()
    size, sample_rate, rows = whole(k, "k"), rate(beta), whole(others, "others")
    shown = sum((mass(j, rows, sample_rate) for j in range(size, rows + 1)), Fraction(0))
    both = 2 * tight(size, sample_rate, 0).high
    yardstick = private(Fraction(1), both, "the deltas of both at epsilon 0, added up")
    victim = Outcome(
        "both releases from one sample",
        Estimate.exactly(sample_rate * shown),
        Estimate.exactly(Fraction(0)),
        Exact(),
        yardstick=yardstick,
    )
    delta = tight(size, sample_rate, epsilon).high
    return Story(
        ATTACK,
        victim,
        defended=_fresh(rows, size, sample_rate, yardstick),
        learned=(_learned(rows, size, sample_rate * shown),),
        evidence=(_table(victim.success.low, delta, str(epsilon)),),
        reproduce=Reproduce(seed=seed, parameters={"k": size, "beta": str(sample_rate), "others": rows}),
        seconds=time.monotonic() - start,
    )


def _fresh(rows: int, k: int, beta: Fraction, yardstick: Yardstick) -> Outcome:
    """The adversary's same test, 'the wide cell shows more than the narrow one', on fresh samples."""

    def more(inside: int) -> Fraction:
        """Pr[both shown and wide > narrow]."""
        wide = [mass(j, rows + inside, beta) for j in range(rows + inside + 1)]
        narrow = [mass(j, rows, beta) for j in range(rows + 1)]
        return sum((a * b for i, a in enumerate(wide) for j, b in enumerate(narrow) if i > j >= k), Fraction(0))

    present, absent = (Estimate.exactly(more(inside)) for inside in (1, 0))
    return certified(Outcome("a fresh sample for each", present, absent, Exact(), yardstick=yardstick))


def _learned(rows: int, k: int, shown: Fraction) -> str:
    return (
        f"The wide cell shows one row more than the narrow one with probability {float(shown):.6g} when the person is "
        f"in the data, and never when they are not, though both cells hold crowds of {k} or more of {rows} people."
    )


def _table(together: Fraction, alone: Fraction, epsilon: str) -> Table:
    return Table(
        f"delta at epsilon {epsilon}",
        ("releases", "delta"),
        (
            ("one of them alone", f"{scientific(alone, 3, 'up')} at most (certified, all datasets)"),
            ("both from one sample", f"{float(together):.6g} at least, at every epsilon"),
        ),
    )
