"""The findings about a release, one method for each."""

from fractions import Fraction

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.audit.check import channels, closeness, diversity
from crowdproof.audit.check.diversity import Measured
from crowdproof.audit.check.groups import Groups, Spread, covering_crowd, group, unclear_cell
from crowdproof.audit.check.terms import Terms
from crowdproof.cells import may_cover
from crowdproof.claims import Assertion, Claim, KAnonymity
from crowdproof.exact import show
from crowdproof.findings import (
    Confidence,
    Counterexample,
    Evidence,
    Exact,
    Finding,
    Note,
    NotRefuted,
    Proved,
    Refuted,
    Table,
    Undecided,
)

CELLS = {
    "text": "Cells are compared as text: missing equals missing, `*` equals `*`, and `[20, 40)` is not 30.",
    "covering": (
        "A missing or blank cell and one of stars may be anything, `[20, 40)` and `<30` are ranges, `{a, b}` is one of "
        "a set, `531**` a text of that length that begins so, and all else is itself: a row hides among the rows whose "
        "cells cover its own. What may be a range or a text, such as `20-40`, is read in both ways."
    ),
}
"""When cells are alike, by the way of matching."""
Crowd = tuple[int, int]
"""How many rows hide a row, and the place of its group."""
_NOT_PRIVACY = (
    "That holds of this file; it does not say how the file came about, and so nothing about privacy by itself."
)
_NO_NUMBERS = (
    "No column has whole numbers, all different, that fill at least half of the range they span and ascend, start at 0 "
    "or 1, or are named like an index. Other numberings, such as in steps of ten or with letters, were not looked for."
)


@frozen(eq=False)
class Report:
    """A release that has been read and grouped."""

    subject: str
    terms: Terms
    table: pl.LazyFrame
    groups: Groups

    def k_anonymity(self) -> Finding:
        """The finding on k-anonymity, by the size of the smallest crowd."""
        groups, k = self.groups, self.terms.k
        claim = KAnonymity(k, self.terms.columns or groups.columns)
        evidence = (_sizes(groups, k), _risk(groups), Note("Meaning of the cells", CELLS[self.terms.match]))
        sure, possible = self._crowds()
        if sure[0] < k <= possible[0]:
            reason = _unclear(unclear_cell(groups), sure[0], possible[0])
            return Finding(self.subject, claim, Undecided(reason), None, evidence)
        size, place = sure if sure[0] >= k else possible
        words = f"{_smallest(size)}; the claim needs groups of {k:,}."
        return self._decided(claim, size >= k, words=words, values=groups.words(place), evidence=evidence)

    def _crowds(self) -> tuple[Crowd, Crowd]:
        """The smallest crowd by the strictest reading of unclear cells, and by the reading that hides most."""
        groups = self.groups
        by_text = int(groups.sizes[groups.smallest]), groups.smallest
        if self.terms.match == "text" or by_text[0] >= self.terms.k:
            return by_text, by_text
        sure = covering_crowd(groups)
        if sure[0] >= self.terms.k or unclear_cell(groups) is None:
            return sure, sure
        return sure, covering_crowd(groups, may_cover)

    def sensitive(self, spread: Spread) -> list[Finding]:
        """l-diversity and t-closeness of one sensitive column, as far as they are claimed."""
        found = []
        terms, column = self.terms, spread.column
        if terms.l is not None:
            kind = terms.diversity
            sentence = f"in every group {column} is {kind} {terms.l}-diverse"
            if kind == "recursive":
                sentence = f"in every group {column} is recursively ({show(terms.c)}, {terms.l})-diverse"
                measured = diversity.recursive(spread, terms.l, terms.c)
            else:
                measured = (diversity.distinct if kind == "distinct" else diversity.entropy)(spread, terms.l)
            found.append(self._measured(Assertion("l-diversity", sentence), spread, measured))
        if terms.t is not None:
            sentence = f"in every group {column} is within {show(terms.t)} of the whole ({terms.distance} distance)"
            measured = (closeness.equal if terms.distance == "equal" else closeness.ordered)(spread, terms.t)
            found.append(self._measured(Assertion("t-closeness", sentence), spread, measured))
        return found

    def row_numbers(self) -> Finding:
        """Whether a column looks like a numbering of the rows."""
        names = self.table.collect_schema().names()
        found = channels.row_numbers(self.table, names, self.groups.rows)
        claim = Assertion("row-numbers", "no column looks like a numbering of the rows")
        if not found:
            return Finding(self.subject, claim, NotRefuted(_NO_NUMBERS))
        first = found[0]
        words = f"The column {first.column} looks like a numbering of the rows from {first.first} to {first.last}"
        words += (
            f" that leaves out {first.missing}: they would tell where rows were taken out." if first.missing else "."
        )
        rest = [name for name in self.groups.columns if name not in {each.column for each in found}]
        evidence: tuple[Evidence, ...] = ()
        if rest and len(rest) < len(self.groups.columns):
            least = int(group(self.table, rest).sizes.min())
            evidence = (Note("Without it", f"the smallest group of the other columns has {_rows(least)}."),)
        return self._decided(claim, False, words=words, values={"column": first.column}, evidence=evidence)

    def star_rows(self) -> Finding:
        """Whether rows without content were left in the release, as suppressed rows are."""
        count = channels.star_rows(self.groups)
        claim = Assertion("star-rows", "no row is missing, blank or stars in every known column")
        words = f"Missing, blank or stars in every known column: {_rows(count)}."
        words += " Where such rows are suppressed ones, their number tells how many people stood out."
        return self._decided(claim, count == 0, words=words, values={"rows": str(count)}, evidence=())

    def row_order(self) -> Finding:
        """Whether the order of the rows could be that of the source."""
        order = channels.row_order(self.table, self.groups)
        claim = Assertion("row-order", "the rows are in the order of a sort or of a shuffle")
        numbers = f"{order.alike:,} rows look like the one before; after a shuffle {order.expected:,.1f} would"
        numbers += f" (standard deviation {order.deviation:,.1f})."
        if not order.grouped and order.error <= channels.ERROR:
            words = f"The rows are neither sorted nor shuffled: {numbers} Their order may be that of the source."
            certainty = Confidence(order.error.limit_denominator(10**12) or Fraction(1, 10**12))
            return Finding(self.subject, claim, Refuted(Counterexample(words)), certainty)
        seen = f"The rows of each group stand together. {numbers}" if order.grouped else numbers
        return Finding(
            self.subject, claim, NotRefuted(f"{seen} An order within or among the groups was not looked for.")
        )

    def _measured(self, claim: Claim, spread: Spread, measured: Measured) -> Finding:
        words = f"{spread.column}: {measured.words} in a group of {_rows(spread.groups.sizes[measured.group])}."
        evidence = (Note("Worst group", words),) if measured.holds else ()
        values = spread.groups.words(measured.group)
        return self._decided(claim, measured.holds, words=words, values=values, evidence=evidence)

    def _decided(
        self, claim: Claim, holds: bool, words: str, values: dict[str, str], evidence: tuple[Evidence, ...]
    ) -> Finding:
        verdict = Proved() if holds else Refuted(Counterexample(words, values))
        if holds:
            evidence = (*evidence, Note("What this says", _NOT_PRIVACY))
        return Finding(self.subject, claim, verdict, Exact(), evidence)


def _smallest(size: int) -> str:
    """The smallest group, as the beginning of a sentence."""
    if size == 1:
        return "At least one row is unique"
    return f"The smallest group of rows that look alike has {_rows(size)}"


def _unclear(cell: str | None, least: int, most: int) -> str:
    return (
        f"The smallest group of rows that look alike has {_rows(least)} or up to {most:,}, depending on what cells "
        f"such as {cell} mean: they can be read in more than one way. Write a range as [20, 40) and a set as "
        "{a, b}, or compare the cells as text."
    )


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def _sizes(groups: Groups, k: int) -> Table:
    sizes = groups.sizes
    below = sizes < k
    rows = (
        ("rows", f"{groups.rows:,}"),
        ("groups", f"{len(sizes):,}"),
        ("smallest, median, largest group", f"{sizes.min():,}, {np.median(sizes):,.0f}, {sizes.max():,}"),
        (f"groups below {k}", f"{below.sum():,} with {_rows(sizes[below].sum())}"),
        ("unique rows", f"{(sizes == 1).sum():,}"),
    )
    return Table("Groups of rows that look alike", ("measure", "value"), rows)


def _risk(groups: Groups) -> Table:
    rows = (
        ("of the easiest row to find (prosecutor)", f"{1 / groups.sizes.min():.4g}"),
        ("on average over the rows (marketer)", f"{len(groups.sizes) / groups.rows:.4g}"),
    )
    return Table("Chance to pick the right row", ("chance", "value"), rows)
