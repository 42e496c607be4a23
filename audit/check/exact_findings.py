"""Findings that are decided exactly, in the words that they share."""

from attrs import evolve

from crowdproof.findings import Counterexample, Evidence, Exact, Finding, Note, Proved, Refuted

_NOT_PRIVACY = (
    "That holds of this file; it does not say how the file came about, and so nothing about privacy by itself."
)


def decided(
    finding: Finding, holds: bool, *, words: str, values: dict[str, str], evidence: tuple[Evidence, ...] = ()
) -> Finding:
    """The finding with its verdict: proved with the note that this is not privacy, or refuted by these values."""
    if holds:
        evidence = (*evidence, Note("What this says", _NOT_PRIVACY))
        return evolve(finding, verdict=Proved(), certainty=Exact(), evidence=evidence)
    return evolve(finding, verdict=Refuted(Counterexample(words, values)), certainty=Exact(), evidence=evidence)


def row_count(count: int) -> str:
    """So many rows, in words.

    >>> row_count(1), row_count(1200)
    ('1 row', '1,200 rows')
    """
    return "1 row" if count == 1 else f"{count:,} rows"
