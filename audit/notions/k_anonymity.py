"""k-anonymity of what the target releases: is there a row that stands in a group of fewer than k?

Rows are grouped as `check` groups those of a file. A row of nothing but stars is a row like any other: it says that
somebody was suppressed.
"""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.audit.check.groups import group
from crowdproof.audit.check.report import CELLS
from crowdproof.audit.interface import Conclusion, Request
from crowdproof.audit.meter import Meter
from crowdproof.audit.neighbours import Proposals
from crowdproof.audit.outcome import attempt
from crowdproof.audit.releases import as_table
from crowdproof.audit.witness import data_to_json
from crowdproof.claims import KAnonymity, Neighbours
from crowdproof.errors import DataError, NoReleaseError, TargetError
from crowdproof.exact import Epsilon
from crowdproof.findings import Counterexample, Evidence, Exact, Note, NotRefuted, Refuted, Undecided
from crowdproof.mechanism import is_deterministic

DATASETS = 12
"""Datasets that the target is run on: the user's own and hand-made ones."""
SEEDS = 5
"""Runs on each of them, where the target is randomized."""
MEANING = Note("Meaning of the cells", CELLS["text"])


@frozen(eq=False)
class Group:
    """The smallest group of equal rows in a release."""

    row: dict[str, str]
    count: int


def examine(request: Request) -> Conclusion:
    """Run the target and look at the groups of equal rows in each release."""
    claim, meter = request.claim, Meter(request.budget, request.progress)
    assert isinstance(claim, KAnonymity)
    smallest, looked, failure = None, 0, "the target released nothing"
    try:
        for words, data, seed in _trials(request):
            if meter.spent:
                break
            outcome = attempt(lambda copy, seed=seed: request.target(copy, np.random.default_rng(seed)), data)  # type: ignore[misc]
            meter.runs += 1
            if outcome.failure is not None:
                failure = outcome.failure
                continue
            looked += 1
            least = smallest_group(_release(outcome.output), claim.columns)
            if least is not None and least.count < claim.k:
                return _refuted(claim, least, words, data, meter)
            smallest = least.count if least is not None and (smallest is None or least.count < smallest) else smallest
    except KeyboardInterrupt:
        return Conclusion(Undecided(f"It was interrupted after {looked} releases."), None, (MEANING,), meter.runs)
    if meter.late:
        return Conclusion(Undecided(f"The time was spent after {looked} releases."), None, (MEANING,), meter.runs)
    if not looked:
        raise NoReleaseError(failure)
    shown = "none shows a row" if smallest is None else f"the smallest group in them has {smallest:,} rows"
    seen = f"{looked:,} releases were looked at, of your data and of datasets made by hand, and {shown}."
    return Conclusion(NotRefuted(seen), None, (MEANING,), meter.runs)


def smallest_group(release: pl.DataFrame, columns: tuple[str, ...] | None) -> Group | None:
    """The smallest group of equal rows, seen through the columns; None where there is no row.

    >>> smallest_group(pl.DataFrame({"age": ["[20, 40)", "[20, 40)", "*"]}), None)
    Group(row={'age': '*'}, count=1)
    """
    names = list(release.columns if columns is None else columns)
    missing = [name for name in names if name not in release.columns]
    if missing:
        raise DataError(f"the release has no column {missing[0]!r}: it has {', '.join(release.columns)}.")
    if release.is_empty() or not names:
        return None
    groups = group(release.lazy(), names)
    place = groups.smallest
    return Group(groups.words(place), int(groups.sizes[place]))


def _trials(request: Request) -> Iterator[tuple[str, Any, int]]:
    single = is_deterministic(request.target) if request.deterministic is None else request.deterministic
    seeds = [request.seed] if single else range(request.seed, request.seed + SEEDS)
    for words, data in _datasets(request):
        for seed in seeds:
            yield words, data, seed


def _datasets(request: Request) -> Iterator[tuple[str, Any]]:
    if request.pairs is not None:
        for pair in request.pairs:
            yield pair.origin, pair.left
            yield pair.origin, pair.right
        return
    proposals = Proposals(request.data, request.target, Neighbours.ADD_REMOVE, Epsilon.of(0), None)
    yield "your data", request.data
    pairs = chain(proposals.own_data(), proposals.worst_cases())
    for pair in islice(pairs, DATASETS):
        yield pair.origin, pair.right


def _release(output: Any) -> pl.DataFrame:
    table = as_table(output)
    if table is None:
        raise TargetError(f"it returned a {type(output).__name__}: k-anonymity speaks of tables, so return one.")
    return table


def _refuted(claim: KAnonymity, least: Group, words: str, data: Any, meter: Meter) -> Conclusion:
    shown = ", ".join(f"{name} = {value}" for name, value in least.row.items())
    count = "is the only one of its kind" if least.count == 1 else f"appears only {least.count:,} times"
    witness = Counterexample(
        f"In the release of {words}, the row ({shown}) {count}.",
        {**least.row, "count": str(least.count), "k": str(claim.k)},
    )
    evidence: tuple[Evidence, ...] = (Note("Dataset", words), MEANING)
    return Conclusion(Refuted(witness), Exact(), evidence, meter.runs, data_to_json(data))
