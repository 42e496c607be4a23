"""k-anonymity of what the target releases: is there a row that stands in a group of fewer than k?

Rows are grouped as `check` groups those of a file. A row of nothing but stars is a row like any other: it says that
somebody was suppressed.
"""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import polars as pl
from attrs import define, frozen

from crowdproof.audit.allowance import Allowance, Stream
from crowdproof.audit.check.anonymity_report import CELLS
from crowdproof.audit.check.groups import group
from crowdproof.audit.data.as_json import data_to_json
from crowdproof.audit.neighbours import Proposals
from crowdproof.audit.releases import as_table
from crowdproof.audit.request import Conclusion, Request
from crowdproof.audit.targets.run import RunOnce
from crowdproof.claims import KAnonymity, Neighbours
from crowdproof.errors import DataError, NoReleaseError, ParameterError, TargetError
from crowdproof.exact import Epsilon
from crowdproof.findings import Counterexample, Evidence, Exact, Note, NotRefuted, Refuted, Undecided
from crowdproof.mechanism import is_deterministic

DATASETS = 12
"""Datasets that the target is run on besides the user's own. A guess: each takes a run or several of a target that may
be slow, and with fewer the one that it handles badly may not be among them."""
SEEDS = 5
"""Runs on each of them, where the target is randomized. A guess: more take longer, and a release that comes in one run
of ten is missed by five with probability 0.59."""
MEANING = Note("Meaning of the cells", CELLS["text"])


@frozen(eq=False)
class Group:
    """The smallest group of equal rows in a release."""

    row: dict[str, str]
    count: int


@define(eq=False)
class Looked:
    """What was seen in the releases so far."""

    releases: int = 0
    smallest: int | None = None
    """Rows of the smallest group in them; None where no release shows a row."""
    failure: str = "the target released nothing"
    """What the last run did that released nothing."""

    def words(self) -> str:
        """All of it in a sentence."""
        shown = (
            "none shows a row" if self.smallest is None else f"the smallest group in them has {self.smallest:,} rows"
        )
        return f"{self.releases:,} releases were looked at, of your data and of datasets made by hand, and {shown}."


def examine(request: Request) -> Conclusion:
    """Run the target and look at the groups of equal rows in each release."""
    claim, allowance, looked = request.claim, Allowance.of(request), Looked()
    assert isinstance(claim, KAnonymity)
    if claim.match != "text":
        raise ParameterError(
            f"match is {claim.match!r}: an audit compares cells as text. Leave it out here, and check a release file "
            f"with `crowdproof check --match {claim.match}`."
        )
    try:
        refuted = _look(request, claim, allowance, looked)
    except KeyboardInterrupt:
        reason = f"It was interrupted after {looked.releases} releases."
        return Conclusion(Undecided(reason), None, (MEANING,), allowance.runs)
    if refuted is not None:
        return refuted
    if not looked.releases:
        raise NoReleaseError(looked.failure)
    return Conclusion(NotRefuted(looked.words()), None, (MEANING,), allowance.runs)


def _look(request: Request, claim: KAnonymity, allowance: Allowance, looked: Looked) -> Conclusion | None:
    """What was seen that ends the examination: a refutation, or that the budget is too small for anything."""
    if allowance.spent:
        return Conclusion(
            Undecided("The budget does not allow a single release: raise --runs or --seconds."), None, (), 0
        )
    trials = list(_trials(request, allowance))
    ran = request.runner.map(RunOnce(request.target), [(data, seed) for _, data, seed in trials])
    for (words, data, _), outcome in zip(trials, ran, strict=True):
        go_on = allowance.draw(1, "looking at releases")
        if outcome.failure is not None:
            looked.failure = outcome.failure
        else:
            looked.releases += 1
            least = smallest_group(_release(outcome.output), claim.columns)
            if least is not None and least.count < claim.k:
                return _refuted(claim, least, words=words, data=data, allowance=allowance)
            if least is not None and (looked.smallest is None or least.count < looked.smallest):
                looked.smallest = least.count
        if not go_on:
            break
    return None


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


def _trials(request: Request, allowance: Allowance) -> Iterator[tuple[str, Any, int]]:
    """Where each dataset comes from, the dataset, and a seed to run the target with."""
    single = is_deterministic(request.target) if request.deterministic is None else request.deterministic
    seeds = allowance.stream(Stream.RELEASES).generate_state(1 if single else SEEDS).tolist()
    for words, data in _datasets(request):
        for seed in seeds:
            yield words, data, seed


def _datasets(request: Request) -> Iterator[tuple[str, Any]]:
    if request.pairs is not None:
        for pair in request.pairs:
            yield pair.origin, pair.left
            yield pair.origin, pair.right
        return
    proposals = Proposals(
        request.data, request.target, relation=Neighbours.ADD_REMOVE, epsilon=Epsilon.of(0), beta=None
    )
    yield "your data", request.data
    pairs = chain(proposals.own_data(), proposals.worst_cases())
    for pair in islice(pairs, DATASETS):
        yield pair.origin, pair.left if pair.right is request.data else pair.right


def _release(output: Any) -> pl.DataFrame:
    table = as_table(output)
    if table is None:
        raise TargetError(f"it returned a {type(output).__name__}: k-anonymity speaks of tables, so return one.")
    return table


def _refuted(claim: KAnonymity, least: Group, *, words: str, data: Any, allowance: Allowance) -> Conclusion:
    shown = ", ".join(f"{name} = {value}" for name, value in least.row.items())
    count = "is the only one of its kind" if least.count == 1 else f"appears only {least.count:,} times"
    witness = Counterexample(
        f"In the release of {words}, the row ({shown}) {count}.",
        {**least.row, "count": str(least.count), "k": str(claim.k)},
    )
    evidence: tuple[Evidence, ...] = (Note("Dataset", words), MEANING)
    return Conclusion(Refuted(witness), Exact(), evidence, allowance.runs, data_to_json(data))
