"""A release that is private under sampling, and a differentially private one of the same sample, betray a secret."""

import time
from fractions import Fraction
from typing import Any

import numpy as np

from crowdproof.attacks.interface import Attack, Outcome, Severity, Story, Yardstick
from crowdproof.attacks.measure import ERROR, confidence, private, proportion
from crowdproof.errors import ParameterError
from crowdproof.exact import Number, whole
from crowdproof.findings import Chart, Estimate, Exact, Reproduce, Series, Table
from crowdproof.mechanisms import Contains, Parity
from crowdproof.proofs.statement import Finite
from crowdproof.proofs.statements import STATEMENTS

ATTACK = Attack(
    id="dps-dp",
    title="The harmless count that unlocks the other answer",
    knows="The row of one person, and how many rows the data has; not whether the person is among them.",
    sees="One bit, [the number of the block that the sample's size lies in is odd] XOR [the person is in the sample], "
    "and the sample's size with geometric noise.",
    infers="The noisy size names the block, so its parity is known, and the bit tells whether the person is there.",
    claim="A release that is private under sampling stays so beside a differentially private one of the same sample.",
    remedy="Draw a fresh sample for each release: then their guarantees add up.",
    source="Li, Qardaji and Su, section 2.6, as repaired in the ledger (dps-dp-repaired)",
    severity=Severity.PRESENCE,
)
_SECRET = Contains({"name": "the person"})
_DIGITS = 12


def run(*, at_least: Number = 10**8, block: Number = 64, trials: Number = 100_000, seed: int = 0) -> Story:
    """At rate 1/2, on data of four times `at_least` rows: certified for one sample, measured for fresh ones.

    The bit is released from `at_least` sampled rows on; a block is that many sizes; the noise is that of epsilon ln 2.
    """
    start = time.monotonic()
    threshold, length, runs = whole(at_least, "at_least", 2), whole(block, "block"), whole(trials, "trials")
    if threshold % 2 or threshold % length:
        raise ParameterError(f"at_least is {threshold}: give an even number that is a multiple of block, {length}.")
    alone, pair = (certified(which, threshold, length) for which in ("alone", "pair"))
    wrong = (Fraction(1, 2) - pair) * 2 / 5  # the ledger's pair is (1 - wrong)/2 - 2 wrong
    if wrong >= Fraction(1, 5):
        raise ParameterError(f"block is {length} and at_least {threshold}: nothing is certified so small; raise both.")
    yardstick = private(Fraction(2), alone, "epsilons ln 2 and 0, deltas 0 and that of the bit, added up")
    victim = Outcome(
        "both of one sample",
        Estimate((1 - wrong) / 2, (1 + wrong) / 2),
        Estimate(Fraction(0), wrong),
        Exact(),
        yardstick=yardstick,
    )
    return Story(
        ATTACK,
        victim,
        defended=_fresh(yardstick, threshold, length, alone=alone, trials=runs, rng=np.random.default_rng(seed)),
        learned=(_learned(alone, pair, threshold, length),),
        evidence=(printed_defects(), _growth(length)),
        reproduce=Reproduce(seed=seed, parameters={"at_least": threshold, "block": length, "trials": runs}),
        seconds=time.monotonic() - start,
    )


def certified(which: str, threshold: int, length: int) -> Fraction:
    """The ledger's proved number: `alone`, an upper bound of the bit's delta at epsilon 0; `pair`, a lower one at ln 2.

    >>> round(float(certified("alone", 10**8, 64)), 5), round(float(certified("pair", 10**8, 64)), 4)
    (0.00257, 0.4477)
    """
    from flint import ctx  # noqa: PLC0415  (heavy, and only certified numbers need it)

    with ctx.workprec(256):
        found = _worked_out("dps-dp-repaired", which, threshold=threshold, length=length, printed="0." + "0" * _DIGITS)
    units = found["shown"]
    if not isinstance(units, Fraction):
        raise ParameterError(f"at_least is {threshold}: the certified number is not sharp so far out; give less.")
    away = 1 if which == "alone" else -1  # rounded to the safe side
    return Fraction(units + away, 10**_DIGITS)


def _worked_out(statement: str, obligation: str, **changes: Any) -> Any:
    """The numbers of a statement's obligation, or of its printed form, with parameters changed."""
    (entry,) = (each for each in STATEMENTS if each.id == statement)
    bodies = {each.id: each.body for each in entry.obligations}
    if entry.printed is not None:
        bodies["printed"] = entry.printed.body
    body = bodies[obligation]
    assert isinstance(body, Finite)
    of_ours = [each for each in body.cases if each.get("which") in (None, changes.get("which", each.get("which")))]
    return body.quantities(**{**of_ours[0], **changes})


def bets(threshold: int, block: int, trials: int, rng: np.random.Generator, *, person: bool, fresh: bool) -> int:
    """How often, in that many runs, the adversary says that the person is in the sample.

    The data has four times `threshold` rows with the person; only sizes are drawn, which is all that counts.
    """
    others = 4 * threshold - 1
    inside = rng.integers(0, 2, size=trials) * person
    size = rng.binomial(others, 0.5, trials) + inside
    bit = Parity(_SECRET, threshold, block).of_counts(size, [inside], rng)
    if fresh:
        size = rng.binomial(others, 0.5, trials) + rng.integers(0, 2, size=trials) * person
    noisy = size + rng.geometric(0.5, trials) - rng.geometric(0.5, trials)  # Pr[z] = 2^-|z| / 3: ln 2-DP
    return int(np.count_nonzero(bit != (noisy // block % 2 == 1)))


def _fresh(
    yardstick: Yardstick, threshold: int, block: int, *, alone: Fraction, trials: int, rng: np.random.Generator
) -> Outcome:
    success, baseline = (
        proportion(bets(threshold, block, trials, rng, person=person, fresh=True), trials, ERROR / 2)
        for person in (True, False)
    )
    # the noisy size of a sample at rate 1/2 is ln(3/2)-DP by amplification, the bit (0, alone)-DPS
    return Outcome(
        "a fresh sample for each",
        success,
        baseline=baseline,
        certainty=confidence(),
        yardstick=yardstick,
        trials=2 * trials,
        bound=baseline.high / 2 + alone,
    )


def _learned(alone: Fraction, pair: Fraction, threshold: int, block: int) -> str:
    return (
        f"The bit alone has delta at most {float(alone):.5f}, whatever the data, and the noisy size is ln 2-DP. Adding "
        f"up would promise delta {float(alone):.5f} at epsilon ln 2; of one sample of {4 * threshold:,} rows the pair "
        f"has at least {float(pair):.4f}, where 1/2 is the most that sampling at 1/2 allows (blocks of {block} sizes)."
    )


def printed_defects() -> Table:
    """What the example of section 2.6 says, and what is true of it."""
    ties, man, woman = (
        float(_worked_out("dps-dp", "values", which=which, printed="0.00000")["shown"] / 10**5)
        for which in ("without", "male", "female")
    )
    alike = _worked_out("dps-dp", "printed")["delta"]
    moves = _worked_out("dps-dp-noise", "sensitivity")["sensitivity"]
    posterior = _worked_out("dps-dp-noise", "printed")["posterior"]
    return Table(
        "The example as printed does not work; its point stands",
        ("printed", "true"),
        (
            ("the event has probability 0 without the person", f"{ties:.5f}: ties count"),
            ("and 1/4 with them", f"{man:.4f} for a man, {woman:.4f} for a woman"),
            ("the bit is DPS", f"on data of men only its delta is {float(alike):.6f}, all that sampling allows"),
            ("noise on the share of men is small", f"one row moves a share by up to {moves}"),
            ("the noisy share shows the majority", f"60 men and 60 women: the posterior is {float(posterior):.3f}"),
        ),
    )


def _growth(block: int) -> Chart:
    sizes = [block * 10**power for power in range(3, 12)]
    values = {which: tuple(float(certified(which, 2 * each, block)) for each in sizes) for which in ("alone", "pair")}
    x = tuple(float(2 * each) for each in sizes)
    return Chart(
        f"Certified delta, blocks of {block} sizes",
        "rows from which on the bit is released",
        "delta",
        (
            Series("the pair of one sample, at least", x, tuple(max(0.0, each) for each in values["pair"])),
            Series("the bit alone, at most", x, tuple(min(0.5, each) for each in values["alone"])),
        ),
        log_x=True,
    )
