"""Algorithms whose every output is k-anonymous and which publish a person's row: the notion itself is too weak."""

import time
from fractions import Fraction
from typing import Any

import polars as pl

from crowdproof.attacks.interface import Attack, Outcome, Rows, Severity, Story, Yardstick
from crowdproof.attacks.measure import certified, of_nobody, private, times
from crowdproof.audit import Pair, audit
from crowdproof.claims import DPS, KAnonymity, Neighbours
from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, rate, whole
from crowdproof.findings import Estimate, Exact, PairWitness, Refuted, Reproduce, Table
from crowdproof.mechanisms import AppendPerson, Contains, Duplicate, Grid, Hierarchy, Scheme, StronglySafe, for_samples
from crowdproof.proofs.bounds import tight

ATTACK = Attack(
    id="degenerate",
    title="k-anonymous, and in the clear",
    knows="The name of the person that the algorithm singles out, and that the release is k-anonymous.",
    sees="A table in which every row, all columns taken, appears at least k times.",
    infers="The rows themselves: they are the person's own data, repeated k times or appended to everybody's row.",
    claim="A release is safe because it is k-anonymous.",
    remedy="Ask for a property of the algorithm, not of its output: a recoding that does not depend on the data.",
    source="Li, Qardaji and Su, section 3.1; Gehrke, Hay, Lui and Pass, the slides on k-anonymity",
    severity=Severity.ATTRIBUTE,
)
FORMS = ("duplicate", "append")
_EPSILON = Epsilon(Fraction(1))


def run(*, form: str = "duplicate", k: Number = 5, beta: Number = "1/2", seed: int = 0) -> Story:
    """The exact law of the release, with and without the person: `duplicate` or `append`."""
    if form not in FORMS:
        raise ParameterError(f"form is {form!r}: choose from {', '.join(FORMS)}.")
    start = time.monotonic()
    size, sample_rate = whole(k, "k"), rate(beta)
    table, person = _people(2 * size), Contains({"name": "Weld"})
    safe = StronglySafe(
        Scheme({"age": Grid(20), "illness": Hierarchy({each: ["any"] for each in ("flu", "gout", "hepatitis")})}), size
    )
    victim: Any = Duplicate(person, size) if form == "duplicate" else AppendPerson(for_samples(safe), person)
    delta = tight(size, sample_rate, _EPSILON).high
    yardstick = private(times(_EPSILON), delta, "what groups of k in a sample can be held to, at epsilon 1")
    attacked = _exact(victim, table, sample_rate, yardstick)
    defended = certified(_exact(safe, table, sample_rate, yardstick))
    release = victim(table, None)
    check = audit(victim, KAnonymity(size), pairs=[_pair(table)], deterministic=True)
    shown = release.unique(maintain_order=True)
    return Story(
        ATTACK,
        attacked,
        defended=defended,
        learned=(_learned(form, release, size),),
        evidence=(
            of_nobody(f"The person and {2 * size} others are made up."),
            Table(
                f"The release ({release.height} rows, {check.verdict.name} as {size}-anonymous)",
                (*shown.columns, "times"),
                tuple((*map(str, row), str(_times(release, row))) for row in shown.rows()),
            ),
        ),
        reproduce=Reproduce(seed=seed, parameters={"form": form, "k": size, "beta": str(sample_rate)}),
        seconds=time.monotonic() - start,
    )


def _people(others: int) -> pl.DataFrame:
    rest = pl.DataFrame({"name": ["Doe"] * others, "age": [31] * others, "illness": ["flu"] * others})
    return rest.vstack(pl.DataFrame({"name": ["Weld"], "age": [51], "illness": ["gout"]}))


def _pair(table: pl.DataFrame) -> Pair:
    return Pair(table, table.head(-1), Neighbours.ADD_REMOVE, "everybody, with and without the person")


def _exact(mechanism: Any, table: pl.DataFrame, beta: Fraction, yardstick: Yardstick) -> Outcome:
    """The probabilities of the event that an exact audit finds, in the direction of the person's presence."""
    finding = audit(mechanism, DPS(beta, _EPSILON), pairs=[_pair(table)], deterministic=True)
    name = type(mechanism).__name__
    nothing = Estimate.exactly(Fraction(0))
    inside, outside = nothing, nothing
    if isinstance(finding.verdict, Refuted) and isinstance(finding.verdict.witness, PairWitness):
        inside, outside = finding.verdict.witness.p_left, finding.verdict.witness.p_right
    return Outcome(
        name,
        inside,
        baseline=outside,
        certainty=Exact(),
        yardstick=yardstick,
        rows=Rows(mechanism(table, None).height, table.height),
        trials=finding.cost.runs,
    )


def _learned(form: str, release: pl.DataFrame, k: int) -> str:
    if form == "duplicate":
        row = dict(zip(release.columns, release.row(0), strict=True))
        return f"The release is {k} copies of one row, {row}: the person's data in full, and it is {k}-anonymous."
    row = {name.removeprefix("person_"): release[name][0] for name in release.columns if name.startswith("person_")}
    return f"Each of the {release.height} rows ends with {row}: the person's data in full, and it is {k}-anonymous."


def _times(release: pl.DataFrame, row: tuple[Any, ...]) -> int:
    return sum(each == row for each in release.rows())
