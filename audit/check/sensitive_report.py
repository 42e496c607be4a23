"""The findings about the sensitive columns of a release."""

from fractions import Fraction

from attrs import evolve, frozen

from crowdproof.audit.check import closeness, diversity
from crowdproof.audit.check.diversity import Measured
from crowdproof.audit.check.exact_findings import decided, row_count
from crowdproof.audit.check.groups import Spread
from crowdproof.audit.check.hierarchies import hierarchical
from crowdproof.audit.check.likeness import likeness
from crowdproof.audit.check.terms import Terms
from crowdproof.claims import Assertion, Claim
from crowdproof.exact import show
from crowdproof.findings import (
    Evidence,
    Finding,
    Note,
    Undecided,
)

MISSING = (
    "A sensitive value that is missing, NaN, empty, blank or of stars is not known. For diversity it counts as the "
    "commonest value of its group, the worst that it may be; for the equal and the hierarchical distance it is a value "
    "of its own. Groups are those of rows that are alike as the file holds them."
)
"""What a missing sensitive value means."""
_ADVICE = (
    "Make the known columns coarser until such groups merge with others, leave their rows out, or write the sensitive "
    "values more coarsely. Then check again."
)
_NO_ORDER = (
    "The values of {} have no order: some are missing, or no numbers, or codes such as 007. Use the equal distance, or "
    "leave out what is no number."
)


@frozen(eq=False)
class Sensitive:
    """What is claimed of the sensitive columns."""

    subject: str
    terms: Terms

    def findings(self, spread: Spread) -> list[Finding]:
        """l-diversity and t-closeness of one sensitive column, as far as they are claimed."""
        found = []
        terms, column = self.terms, spread.column
        if terms.l is not None:
            kind = terms.diversity
            full = diversity.filled(spread)
            sentence = f"in every group {column} is {kind} {terms.l}-diverse"
            if kind == "recursive":
                sentence = f"in every group {column} is recursively ({show(terms.c)}, {terms.l})-diverse"
                measured = diversity.recursive(full, terms.l, terms.c)
            else:
                measured = (diversity.distinct if kind == "distinct" else diversity.entropy)(full, terms.l)
            found.append(self._measured(Assertion("l-diversity", sentence), spread, measured))
        if terms.t is not None:
            found.append(self._closeness(spread, terms.t))
        return found

    def _closeness(self, spread: Spread, t: Fraction) -> Finding:
        terms = self.terms
        sentence = f"in every group {spread.column} is within {show(t)} of the whole ({terms.distance} distance)"
        claim = Assertion("t-closeness", sentence)
        if terms.distance == "equal":
            return self._measured(claim, spread, closeness.equal(spread, t))
        if terms.hierarchy is not None:
            return self._measured(claim, spread, hierarchical(spread, t, terms.hierarchy))
        try:
            return self._measured(claim, spread, closeness.ordered(spread, t))
        except closeness.NoOrderError:
            return Finding(self.subject, claim, Undecided(_NO_ORDER.format(spread.column)), None)

    def _measured(self, claim: Claim, spread: Spread, measured: Measured) -> Finding:
        rows = row_count(int(spread.groups.sizes[measured.group]))
        words = f"{spread.column}: {measured.words} in a group of {rows}."
        evidence: tuple[Evidence, ...] = (Note("Missing values", MISSING),)
        if measured.holds:
            evidence = (Note("Worst group", words), *evidence)
        else:
            evidence = (*evidence, Note("What to do", _ADVICE))
        values = spread.groups.words(measured.group)
        finding = self._decided(claim, measured.holds, words=words, values=values, evidence=evidence)
        return evolve(finding, measures={"value": float(measured.value), **likeness(spread)})

    def _decided(
        self, claim: Claim, holds: bool, words: str, values: dict[str, str], evidence: tuple[Evidence, ...] = ()
    ) -> Finding:
        return decided(
            Finding(self.subject, claim, Undecided("")), holds, words=words, values=values, evidence=evidence
        )
