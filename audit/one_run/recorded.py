"""Releases that a pipeline made elsewhere from data with canaries, judged by the keys."""

import time
from collections.abc import Sequence
from fractions import Fraction
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl
from attrs import frozen

from crowdproof.audit.auditor import versions
from crowdproof.audit.data.tables import read_table
from crowdproof.audit.one_run.comparing import compare_with
from crowdproof.audit.one_run.judging import judge
from crowdproof.audit.one_run.key_file import Judged, Key, whole_error
from crowdproof.audit.one_run.one_run_report import Told, conclude
from crowdproof.audit.one_run.run_once import has_twins, stated
from crowdproof.audit.one_run.stakes import Stakes
from crowdproof.audit.releases import canonical
from crowdproof.audit.request import OneRunTerms
from crowdproof.claims import DP, DPS, Claim
from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import show
from crowdproof.findings import Cost, Finding, Note, Reproduce


@frozen(eq=False)
class Recorded:
    """A release that was made from data with canaries."""

    name: str
    release: Any
    """In canonical form."""
    content: bytes
    """The bytes of its file, by which it is told apart from others."""
    key: Key

    @classmethod
    def of(cls, path: Path, key: Key) -> "Recorded":
        """The release in a file."""
        table = read_table(path)
        if table.is_empty():
            raise DataError(f"{path} holds no rows, so it tells nothing of the canaries: give the release.")
        return cls(path.name, canonical(table), path.read_bytes(), key)


def judge_recorded(releases: Sequence[Recorded], claim: Claim, error: Fraction) -> tuple[Finding, list[Key]]:
    """What the releases say against the claim, and the keys as they are to be kept from now on."""
    start = time.monotonic()
    asked = stated(claim)
    _check(releases, asked)
    this = Judged(str(asked), tuple(each.key.told_apart(each.content) for each in releases), error)
    whole = whole_error([this, *chain.from_iterable(each.key.judged for each in releases)])
    judgements = []
    for each in releases:
        stakes = Stakes.of(asked.epsilon, asked.delta, len(each.key.canaries))
        judgements.append(judge(compare_with(each.key.canaries, each.release), each.key.coins, stakes))
    terms = OneRunTerms(max(len(each.key.canaries) for each in releases), len(releases))
    conclusion = conclude(Told(asked, terms, error, tuple(judgements), whole=whole))
    finding = Finding(
        subject=", ".join(each.name for each in releases),
        claim=asked,
        verdict=conclusion.verdict,
        certainty=conclusion.certainty,
        evidence=(*_notes(releases, this, whole), *conclusion.evidence),
        cost=Cost(len(releases), time.monotonic() - start),
        reproduce=Reproduce(versions=versions()),
        measures=conclusion.measures,
    )
    return finding, [each.key.after(this) for each in releases]


def _check(releases: Sequence[Recorded], claim: DP | DPS) -> None:
    if len({each.key.secret for each in releases}) < len(releases):
        raise ParameterError("a key is named twice: each release has the key of the data that it was made from.")
    for each in releases:
        if has_twins(claim) != (each.key.canaries.twins is not None):
            made = "replace" if each.key.canaries.twins is not None else "add-remove"
            raise ParameterError(
                f"the canaries were made for {made} neighbours: write neighbours={made} into the claim."
            )


def _notes(releases: Sequence[Recorded], this: Judged, whole: Fraction) -> tuple[Note, ...]:
    seals = Note("Seal", " ".join(f"{each.name}: {each.key.seal}." for each in releases))
    used = [each for each in releases if set(each.key.judged) - {this}]
    if not used:
        return (seals,)
    text = (
        f"The key of {used[0].name} has judged other releases, claims or combinations before. Its coins may be known, "
        f"and the error is that of all judgements by these keys together, {show(whole)}. Only a release that was made "
        "before the first of them is judged by coins that nobody knew."
    )
    return seals, Note("Used key", text)


def table_bytes(table: pl.DataFrame, path: Path) -> bytes:
    """A table as the content of a file, by the ending of its name."""
    sink = BytesIO()
    if path.suffix == ".csv":
        table.write_csv(sink)
    elif path.suffix == ".parquet":
        table.write_parquet(sink)
    else:
        raise ParameterError(
            f"the data with canaries cannot be written as {path.suffix or 'a file without ending'}: "
            "name a file that ends in .csv or .parquet."
        )
    return sink.getvalue()
