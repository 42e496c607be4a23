"""The finding on k-anonymity, by the way in which cells are compared."""

from attrs import frozen

from crowdproof.audit.check.covering import Crowd, covering_crowd, unclear_cell
from crowdproof.audit.check.exact_findings import decided, row_count
from crowdproof.audit.check.groups import Groups
from crowdproof.audit.check.matching import Pinned, TooHardError, match
from crowdproof.audit.check.minimal_unique import minimal_table
from crowdproof.audit.check.risk import advice, contributions, histogram, measures, risks, sizes
from crowdproof.audit.check.terms import Terms
from crowdproof.claims import Assertion, Claim, KAnonymity
from crowdproof.findings import Evidence, Finding, Json, Note, Undecided

_COARSEN = (
    "Make the cells of these columns coarser, or drop the rows of groups below {k:,}. If others cannot know some of "
    "the columns, name those that they can know with --columns."
)
CELLS = {
    "text": (
        "Cells are alike if the file holds the same: 007 is not 7, and `[20, 40)` is not 30. Missing equals missing, "
        "NaN equals NaN, an empty text an empty text, `*` equals `*`, and none of these equals another. In a CSV an "
        "empty cell is a missing one."
    ),
    "covering": (
        "A missing, NaN, empty or blank cell and one of stars may be anything, `[20, 40)` and `<30` are ranges, "
        "`{a, b}` is one of a set, `531**` a text of that length that begins so, and all else is itself. A row hides "
        "among the rows whose cells cover its own. That is (1, k)-anonymity: it does not hold against somebody who "
        "knows the values of others, too. What may be a range or a text, such as `20-40`, is read in both ways."
    ),
    "matching": (
        "Cells stand for what they may be: a missing, NaN, empty or blank one and one of stars for any value, also one "
        "that no other row shows; `[20, 40)` and `<30` for numbers; `{a, b}` for one of a set; `531**` for a text of "
        "that length that begins so; all else for itself. A row may be a person's if everybody can be given a row "
        "that fits, and the person this one. What may be a range or a text, such as `20-40`, is read in both ways."
    ),
}
"""When cells are alike, by the way of matching."""


@frozen(eq=False)
class Anonymity:
    """The groups of a release, and how many rows a group needs."""

    subject: str
    terms: Terms
    groups: Groups

    def finding(self) -> Finding:
        """The finding, by the smallest group or crowd."""
        smallest = int(self.groups.sizes.min())
        if self.terms.match == "text" or (smallest >= self.terms.k and self.terms.match == "matching"):
            return self._by_text()
        return self._by_matching() if self.terms.match == "matching" else self._by_covering()

    @property
    def claim(self) -> Claim:
        """What is claimed; that some rows cover each row has a name of its own, since it says less."""
        columns = self.terms.columns or self.groups.columns
        if self.terms.match != "covering":
            return KAnonymity(self.terms.k, columns, self.terms.match)
        return Assertion(
            "one-k-anonymity",
            f"(1, {self.terms.k})-anonymity: the cells of at least {self.terms.k} rows cover those of each row, seen "
            f"through {', '.join(columns)}",
        )

    @property
    def _evidence(self) -> tuple[Evidence, ...]:
        groups, k = self.groups, self.terms.k
        meaning = Note("Meaning of the cells", CELLS[self.terms.match])
        chances = risks(groups, self.terms.population)
        return (sizes(groups, k), histogram(groups), contributions(groups), *minimal_table(groups), *chances, meaning)

    @property
    def _measures(self) -> dict[str, Json]:
        return measures(self.groups, self.terms.k, self.terms.population)

    def _decided(self, holds: bool, words: str, values: dict[str, str], evidence: tuple[Evidence, ...] = ()) -> Finding:
        if not holds:
            evidence = (*evidence, Note("What to do", _COARSEN.format(k=self.terms.k)))
        return decided(
            Finding(self.subject, self.claim, Undecided(""), measures=self._measures),
            holds,
            words=words,
            values=values,
            evidence=(*self._evidence, *evidence) if holds else (*self._evidence, advice(self.groups, self.terms.k)),
        )

    def _undecided(self, reason: str) -> Finding:
        return Finding(self.subject, self.claim, Undecided(reason), None, self._evidence, measures=self._measures)

    def _by_text(self) -> Finding:
        groups, k = self.groups, self.terms.k
        place = groups.smallest
        size = int(groups.sizes[place])
        start = (
            "At least one row is unique"
            if size == 1
            else f"The smallest group of rows that look alike has {row_count(size)}"
        )
        return self._decided(size >= k, f"{start}; the claim needs groups of {k:,}.", groups.words(place))

    def _by_covering(self) -> Finding:
        k = self.terms.k
        sure = covering_crowd(self.groups, k)
        possible = sure
        if sure.size < k:
            possible = covering_crowd(self.groups, k, every_reading=False)
        if sure.size < k <= possible.size:
            return self._undecided(_unclear(unclear_cell(self.groups), sure, possible))
        crowd = sure if sure.size >= k else possible
        words = f"A row hides among {row_count(crowd.size)}, itself counted; the claim needs {k:,}."
        return self._decided(crowd.size >= k, words, self.groups.words(crowd.place))

    def _by_matching(self) -> Finding:
        try:
            found = match(self.groups, self.terms.k)
        except TooHardError:
            return self._undecided(
                "There are too many ways to fill in the cells to go through them all. Compare the cells as text, or "
                "write unclear ones such as 20-40 as [20, 40)."
            )
        if found.pinned is None:
            words = f"In every original that fits the release, at least {row_count(self.terms.k)} may be each person's."
            return self._decided(True, words, {}, (Note("Originals", words),))
        if not found.by_every_reading:
            return self._undecided(
                f"Whether a person can be pinned to fewer than {self.terms.k:,} rows depends on what cells such as "
                f"{unclear_cell(self.groups)} mean: they can be read in more than one way. Write a range as [20, 40) "
                "and a set as {a, b}, or compare the cells as text."
            )
        if found.only_by_fractions:
            return self._undecided(
                f"{self._pinned_words(found.pinned)} If all values are whole numbers, nobody is pinned. Write ranges "
                "that meet, such as [20, 40) and [40, 60), or compare the cells as text."
            )
        return self._decided(False, self._pinned_words(found.pinned), self.groups.words(found.pinned.place))

    def _pinned_words(self, pinned: Pinned) -> str:
        person = ", ".join(f"{name} = {value}" for name, value in zip(self.groups.columns, pinned.values, strict=True))
        return (
            f"An original that fits the release pins a person ({person}) to {row_count(pinned.rows)}, if the values of "
            f"everybody are known; the claim needs {self.terms.k:,}."
        )


def _unclear(cell: str | None, least: Crowd, most: Crowd) -> str:
    start = f"A row hides among {row_count(least.size)} or up to {most.size:,}, depending on "
    if cell is None:
        return (
            f"{start}whether all values are whole numbers. Write ranges alike, not [20, 40) here and [20, 39] there, "
            "or compare the cells as text."
        )
    return (
        f"{start}what cells such as {cell} mean: they can be read in more than one way. Write a range as [20, 40) and "
        "a set as {a, b}, or compare the cells as text."
    )
