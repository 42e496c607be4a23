"""Two releases that are private one by one and betray a secret together: parity, and parity XOR the secret."""

import time
from fractions import Fraction

from crowdproof.attacks.interface import Attack, Outcome, Severity, Story, Yardstick
from crowdproof.attacks.measure import certified, private, times
from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, whole
from crowdproof.findings import Estimate, Exact, Reproduce, Table
from crowdproof.proofs.bounds.balls import scientific
from crowdproof.proofs.parity import parity_delta, presence_probability, smallest_threshold, true_probability

ATTACK = Attack(
    id="xor",
    title="Two answers, one secret",
    knows="The row of one person, and that the data has some thousands of rows; not whether the person is among them.",
    sees="Two bits about the same sample: whether its size is odd, and that bit XOR whether the person is in it.",
    infers="The two bits differ exactly when the person is in the sample (and the sample is large enough).",
    claim="Two releases that are each private under sampling are private together.",
    remedy="Draw a fresh sample for each release: then their guarantees add up, as those of differential privacy do.",
    source="Li, Qardaji and Su, section 2.2 (which says that the pair leaks the parity: it leaks the secret)",
    severity=Severity.PRESENCE,
)


def run(*, epsilon: Number = "0.1", delta: Number = "1e-6", rows: Number | None = None, seed: int = 0) -> Story:
    """Everything exactly, at sampling rate 1/2: each half certified for all datasets, the pair, and the defended pair.

    The size threshold is the smallest odd one for which both halves are (1/2, epsilon, delta)-DPS; `rows` is the size
    of the data with the person, four times the threshold without it.
    """
    start = time.monotonic()
    loss = Epsilon.of(epsilon)
    threshold = smallest_threshold(loss, delta)
    size = 4 * threshold if rows is None else whole(rows, "rows")
    if size <= threshold:
        raise ParameterError(f"rows is {size}: below the threshold of {threshold} nothing is released; give more.")
    halves = [parity_delta(threshold, loss, secret=secret) for secret in (False, True)]
    shown = presence_probability(size, threshold)
    yardstick = private(times(loss) ** 2, sum(halves, Fraction(0)), "both guarantees added up")
    victim = Outcome(
        "both bits of one sample",
        Estimate.exactly(shown),
        Estimate.exactly(Fraction(0)),
        Exact(),
        yardstick=yardstick,
    )
    return Story(
        ATTACK,
        victim,
        defended=_defended(size, threshold, yardstick),
        learned=(_learned(size, shown),),
        evidence=(_halves(threshold, loss, halves, shown),),
        reproduce=Reproduce(seed=seed, parameters={"epsilon": str(loss), "delta": str(delta), "rows": size}),
        seconds=time.monotonic() - start,
    )


def _defended(size: int, threshold: int, yardstick: Yardstick) -> Outcome:
    """The same two bits, each of its own sample; the adversary still bets on 'they differ'."""
    parity, secret = (true_probability(size, threshold, copies) for copies in (0, 1))
    without = true_probability(size - 1, threshold, 0)
    differ = parity * (1 - secret) + secret * (1 - parity)
    baseline = 2 * without * (1 - without)
    return certified(
        Outcome(
            "each bit of its own sample",
            Estimate.exactly(differ),
            baseline=Estimate.exactly(baseline),
            certainty=Exact(),
            yardstick=yardstick,
        )
    )


def _halves(threshold: int, loss: Epsilon, halves: list[Fraction], shown: Fraction) -> Table:
    rows = [
        (name, f"{scientific(delta, 3, 'up')} (certified, all datasets)")
        for name, delta in zip(("parity alone", "parity XOR secret alone"), halves, strict=True)
    ]
    return Table(
        f"delta at epsilon {loss}, sampling rate 1/2, released from {threshold} sampled rows on",
        ("release", "delta"),
        (*rows, ("both together", f"{float(shown):.9g} (exact; 1/2 is the most there can be)")),
    )


def _learned(size: int, shown: Fraction) -> str:
    return (
        f"The bits differ with probability {float(shown):.9g} when the person is in the data of {size:,} rows, and "
        "never when they are not: a difference is certain proof. No mechanism on a sample can show more than 1/2."
    )
