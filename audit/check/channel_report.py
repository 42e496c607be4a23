"""The findings on side channels: what a release tells besides its cells, one method for each."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import polars as pl
from attrs import frozen

from crowdproof.audit.check import identifiers, stars
from crowdproof.audit.check.column_parts import PART
from crowdproof.audit.check.container_traces import Trace
from crowdproof.audit.check.exact_findings import decided, row_count
from crowdproof.audit.check.file_traces import traces, whole_floats
from crowdproof.audit.check.groups import Groups, group, known_columns
from crowdproof.audit.check.numbering import RowNumbers, row_numbers
from crowdproof.audit.check.order import ERROR, LEAST_ROWS, OrderAlarm, order_alarms
from crowdproof.audit.check.sorting import Sorting
from crowdproof.audit.check.spellings import spellings
from crowdproof.audit.check.subjects import is_keyed, is_list_of_things, label
from crowdproof.claims import Assertion
from crowdproof.findings import Confidence, Counterexample, Evidence, Finding, Note, NotRefuted, Refuted, Undecided

FIRST_ROWS = 100_000
"""Rows from the beginning that are looked at for their order and for identifiers. A guess: some seconds at most, and a
trace of the source in so many rows is rarely missed."""
_ASK = "If that is meant and harmless, let it pass with --lenient."


@frozen(eq=False)
class Channels:
    """A release, the first of its rows, and its groups."""

    subject: str
    table: pl.LazyFrame
    groups: Groups
    names: tuple[str, ...]
    start: pl.DataFrame
    """The first rows, with names of our own for the columns, plain types, and NaN as missing."""
    path: Path | None
    part: str
    """The table or sheet in the file that was named."""

    @classmethod
    def of(cls, subject: str, table: pl.LazyFrame, groups: Groups, *, source: str | None) -> "Channels":
        """Read the first rows."""
        names = table.collect_schema().names()
        start = table.head(FIRST_ROWS).select(known_columns(table, names)).collect()
        plain = start.select(_plain(start[key]) for key in start.columns)
        file, _, part = (source or "").partition("::")
        path = Path(file) if file else None
        return cls(subject, table, groups, names=tuple(names), start=plain, path=path, part=part)

    def findings(self) -> list[Finding]:
        """All of them."""
        return [self.row_numbers(), self.identifiers(), self.star_rows(), self.row_order(), self.file_traces()]

    def row_numbers(self) -> Finding:
        """Whether a column looks like a numbering of the rows."""
        found = row_numbers(self.table, self.names, self.groups.rows)
        if is_list_of_things(self.start, list(self.names)):  # numbers beside the names of the rows add nothing
            found = [each for each in found if each.is_certain or each.missing]
        claim = Assertion("row-numbers", "no column looks like a numbering of the rows")
        if not found:
            return Finding(self.subject, claim, NotRefuted(_NO_NUMBERS))
        found.sort(key=lambda each: not each.is_certain)
        first = found[0]
        words = f"The column {first.column} looks like a numbering of the rows from {first.first} to {first.last}"
        if first.missing:
            words += f" that leaves out {first.missing:,}: they would tell where rows were taken out"
        evidence = (*self._without(found), Note("What to do", "Leave the column out, or draw the numbers at random."))
        if not first.is_certain:
            reason = f"Suspicious: {words}. It may also be the code of a place or a thing. {_ASK}"
            return Finding(self.subject, claim, Undecided(reason), None, evidence)
        finding = Finding(self.subject, claim, Undecided(""))
        return decided(finding, False, words=f"{words}.", values={"column": first.column}, evidence=evidence)

    def _without(self, found: list[RowNumbers]) -> tuple[Evidence, ...]:
        rest = [name for name in self.groups.columns if name not in {each.column for each in found}]
        if not rest or len(rest) == len(self.groups.columns):
            return ()
        least = int(group(self.table, rest).sizes.min())
        return (Note("Without it", f"the smallest group of the other columns has {row_count(least)}."),)

    def identifiers(self) -> Finding:
        """Whether a column, known or not, names people or rows."""
        found = identifiers.identifiers(self.start, list(self.names))
        claim = Assertion("identifiers", "no column, whether known or not, looks like names of people or rows")
        if not found:
            return Finding(self.subject, claim, NotRefuted(_NO_IDENTIFIERS))
        found.sort(key=lambda each: not each.is_certain)
        first = found[0]
        words = (
            f"The column {first.column} has {first.different:,} different cells in {row_count(first.rows)}, "
            f"and they are written like {first.kind}: whoever knows one finds "
            f"{'its row' if first.different >= identifiers.NEARLY_ALL * first.rows else 'its rows'}."
        )
        remedy = Note("What to do", f"Leave out {', '.join(each.column for each in found)}, or make the cells coarser.")
        if not first.is_certain:
            return Finding(self.subject, claim, Undecided(f"Suspicious: {words} {_ASK}"), None, (remedy,))
        finding = Finding(self.subject, claim, Undecided(""))
        return decided(finding, False, words=words, values={"column": first.column}, evidence=(remedy,))

    def star_rows(self) -> Finding:
        """Whether rows without content were left in the release, as suppressed rows are."""
        found = stars.hidden_rows(self.groups)
        claim = Assertion("star-rows", "no row is stars in every known column while others are not")
        remedy = Note("What to do", "Leave such rows out, and say nothing of how many there were.")
        if found.of_stars:
            words = f"Stars in every known column: {row_count(found.of_stars)}."
            words += " Where such rows are suppressed ones, their number tells how many people stood out."
            if found.columns == 1:
                reason = f"Suspicious: {words} In a single column they may be suppressed cells as well. {_ASK}"
                return Finding(self.subject, claim, Undecided(reason), None, (remedy,))
            finding = Finding(self.subject, claim, Undecided(""))
            return decided(finding, False, words=words, values={"rows": str(found.of_stars)}, evidence=(remedy,))
        if found.missing and found.chance <= float(ERROR):
            words = (
                f"Suspicious: {row_count(found.missing)} with nothing in any known column. Values that are missing "
                f"independently would give so many with probability {found.chance:.2g} at most: they may be suppressed "
                f"rows. {_ASK}"
            )
            return Finding(self.subject, claim, Undecided(words), None, (remedy,))
        finding = Finding(self.subject, claim, Undecided(""))
        return decided(finding, True, words="", values={})

    def row_order(self) -> Finding:
        """Whether the order of the rows could be that of the source."""
        claim = Assertion("row-order", "the rows are sorted or grouped by released columns, and shuffled else")
        known = [key for key, name in zip(self.start.columns, self.names, strict=True) if name in self.groups.columns]
        sorting = Sorting.of(self.start, known)
        alarms, tests = order_alarms(sorting)
        sorted_by = ", ".join(dict.fromkeys(self._name(key) for key in sorting.keys))
        seen = f"Apart from a sort by {sorted_by}, the" if sorted_by else "The"
        if alarms:
            worst = alarms[0]
            words = f"{seen} rows are not shuffled: {self._alarm(worst)} Their order may be that of the source."
            error = Fraction(worst.error).limit_denominator(10**12) or Fraction(1, 10**12)
            remedy = Note("What to do", "Shuffle the rows, or sort them by all released columns.")
            named = label(self.start, list(self.names))
            if named is not None:
                words = f"Suspicious: {words} It may also be an order of {named} that everybody knows. {_ASK}"
                return Finding(self.subject, claim, Undecided(words), None, (remedy,))
            certainty = Confidence(min(ERROR, error))
            return Finding(self.subject, claim, Refuted(Counterexample(words)), certainty, (remedy,))
        if not tests:
            words = f"Nothing is left to be told by the order, or there are fewer than {LEAST_ROWS} rows to test."
            return Finding(self.subject, claim, NotRefuted(f"{words} Sorted by: {sorted_by or 'nothing'}."))
        words = f"{seen} rows passed {tests} tests for drifts, runs and likeness of neighbours"
        return Finding(
            self.subject, claim, NotRefuted(f"{words} (error over all: {ERROR}). Other orders were not looked for.")
        )

    def _alarm(self, alarm: OrderAlarm) -> str:
        words = f"the column {self._name(alarm.column)} {alarm.what}"
        if alarm.deviations is None:
            return f"{words}."
        return f"{words}, {abs(alarm.deviations):,.1f} standard deviations from what a shuffle gives."

    def _name(self, key: str) -> str:
        return self.names[self.start.columns.index(key.partition(PART)[0])]

    def file_traces(self) -> Finding:
        """Whether the file tells something besides its table."""
        claim = Assertion("file-traces", "the file holds nothing besides its table that tells of the source")
        found = [] if self.path is None else traces(self.path, self.part)
        for name in [] if is_keyed(self.start) else whole_floats(self.start, list(self.names)):
            words = f"The column {name} has whole numbers with a decimal point, as where missing ones were taken out."
            found.append(Trace(words, is_certain=False))
        found += [Trace(words, is_certain=False) for words in spellings(self.start, list(self.names))]
        if not found:
            words = (
                "No note, no unused category, no uneven parts, nothing that is written in two ways, and no type that "
                "betrays missing values was found."
            )
            return Finding(self.subject, claim, NotRefuted(f"{words} Nothing else was looked for."))
        found.sort(key=lambda each: not each.is_certain)
        words = " ".join(each.words for each in found)
        remedy = Note("What to do", "Write the table anew, as CSV or into an empty file without notes and categories.")
        if not found[0].is_certain:
            return Finding(self.subject, claim, Undecided(f"Suspicious: {words} {_ASK}"), None, (remedy,))
        finding = Finding(self.subject, claim, Undecided(""))
        return decided(finding, False, words=words, values={}, evidence=(remedy,))


_NO_NUMBERS = (
    "No column has whole numbers that are all different though by chance some would be equal, and a telling name or "
    "400 rows. Other numberings, such as with letters, were not looked for."
)
_NO_IDENTIFIERS = (
    "No column has cells that are written like e-mail addresses, UUIDs, hashes, network addresses, telephone numbers "
    "or codes, nor texts, times or long numbers that are nearly all different, among at least 20. Other kinds were not "
    "looked for."
)


def _plain(cells: pl.Series) -> pl.Series:
    """The cells with a type that can be sorted and written; NaN is missing."""
    if cells.dtype.is_float():
        return cells.fill_nan(None)
    if cells.dtype.is_nested() or cells.dtype in (pl.Object, pl.Binary):
        return pl.Series(cells.name, _texts(cells.to_list()), dtype=pl.String)
    if cells.dtype in (pl.Categorical, pl.Enum):
        return cells.cast(pl.String)
    return cells


def _texts(values: Sequence[object]) -> list[str | None]:
    return [None if value is None else str(value) for value in values]
