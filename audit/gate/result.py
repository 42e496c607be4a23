"""What a gate ends with: its findings, its exit code, and one line that says what was claimed, shown and tried."""

import json
from collections import Counter
from fractions import Fraction

from attrs import frozen

from crowdproof.errors import ExitCode
from crowdproof.exact import show
from crowdproof.findings import Finding, Json, Refuted, exit_code

WORDS = {
    "REFUTED": "refuted",
    "SKIPPED": "could not be examined",
    "UNDECIDED": "undecided",
    "NOT_REFUTED": "not refuted",
    "PROVED": "proved",
}
"""Verdict -> how the summary counts it, in this order."""


@frozen
class GateResult:
    """What came of all claims of a project."""

    findings: tuple[Finding, ...]
    error: Fraction
    """The chance of refuting a claim that is true."""
    seed: int
    seconds: float
    passed: frozenset[str] = frozenset()
    """Names of the claims whose failure is knowingly let pass."""
    problems: tuple[str, ...] = ()
    """What is wrong with the suppressions."""
    unkept: str | None = None
    """Why evidence of this run was not kept, where the file that it is kept in failed."""
    lasting: bool = False
    """Whether evidence is kept, so that the error is that of the gate's whole life and not of this run."""
    interrupted: bool = False
    """Whether it was ended before every claim had its turn."""

    def exit_code(self, *, lenient: bool = False, exit_zero: bool = False) -> ExitCode:
        """The exit code. `exit_zero` forgives refutations and nothing else; what was not run is never green."""
        code = self._code(lenient=lenient, exit_zero=exit_zero)
        return ExitCode.BROKEN if self.interrupted and code in {ExitCode.HELD, ExitCode.UNDECIDED} else code

    def _code(self, *, lenient: bool, exit_zero: bool) -> ExitCode:
        judged = [each for each in self.findings if each.subject not in self.passed]
        code = exit_code(judged, lenient=lenient)
        if code is ExitCode.REFUTED and not exit_zero:
            return code
        if self.problems:
            return ExitCode.USAGE
        if self.unkept is not None:
            return ExitCode.BROKEN
        if code is ExitCode.REFUTED:
            rest = [each for each in judged if not isinstance(each.verdict, Refuted)]
            return exit_code(rest, lenient=lenient) if rest else ExitCode.HELD
        return code

    def summary(self) -> str:
        """One line: what is claimed, what was shown, how hard it was tried."""
        if not self.findings:
            return "No claims were collected, so nothing was shown: write them as [[claims]] into the file."
        runs = sum(each.cost.runs for each in self.findings)
        span = "over the gate's life" if self.lasting else "in this run"
        tried = f"{runs:,} runs in {self.seconds:.0f} s, false-alarm rate at most {show(self.error)} {span}"
        passed = f" ({len(self.passed)} let pass)" if self.passed else ""
        return f"{_claims(len(self.findings))}: {self._counted()}{passed}; {tried}, seed {self.seed}."

    def badge(self) -> dict[str, Json]:
        """The summary for a badge, in the form that shields.io reads from an endpoint."""
        code = self.exit_code()
        colours = {ExitCode.HELD: "blue", ExitCode.REFUTED: "red"}
        message = self._counted() if self.findings else "nothing collected"
        return {
            "schemaVersion": 1,
            "label": "privacy claims",
            "message": message,
            "color": colours.get(code, "orange"),
            "isError": code is not ExitCode.HELD,
        }

    def badge_json(self) -> str:
        """The badge as JSON text."""
        return json.dumps(self.badge(), indent=2)

    def _counted(self) -> str:
        counts = Counter(each.verdict.name for each in self.findings)
        return ", ".join(f"{counts[name]} {words}" for name, words in WORDS.items() if counts[name])


def _claims(number: int) -> str:
    return f"{number} claim{'' if number == 1 else 's'}"
