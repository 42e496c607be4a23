"""What was found, about which claim, how sure it is, what it cost and how to see it again.

A verdict is a sum type, never a truth value: `Refuted` carries what refutes, `NotRefuted` says which leak would
have been seen, and 'could not be decided' and 'could not be run' are values that reach every report.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from importlib import import_module
from typing import Any, TypeAlias

from attrs import field, frozen

from crowdproof.claims import Claim, Point
from crowdproof.errors import ExitCode
from crowdproof.exact import show

Json: TypeAlias = Any
"""A JSON value. (Spelt out, the recursive type could not be read back by cattrs.)"""


# --- witnesses: what refutes a claim -------------------------------------------------------------------------


@frozen
class Estimate:
    """A number that lies between `low` and `high`: equal bounds are an exact value."""

    low: Fraction
    high: Fraction

    @classmethod
    def exactly(cls, value: Fraction) -> "Estimate":
        """The number itself."""
        return cls(value, value)

    @property
    def exact(self) -> bool:
        """Whether the number is known exactly."""
        return self.low == self.high

    def __str__(self) -> str:
        if self.exact:
            text = show(self.low)
            return text if len(text) <= 12 else f"{float(self.low):.6g}"
        return f"[{float(self.low):.4g}, {float(self.high):.4g}]"


@frozen
class Event:
    """A set of outputs: in words for people, and as data for the auditor that evaluates it."""

    words: str
    spec: Mapping[str, Json] = field(factory=dict)


@frozen
class PairWitness:
    """Two neighbouring datasets and an event that is too much likelier on one than on the other."""

    left: Json
    right: Json
    event: Event
    p_left: Estimate
    p_right: Estimate
    excess: Estimate
    """Pr[left in event] - e^eps Pr[right in event]: above delta, so the claim is false."""
    point: Point | None = None
    """The eps and delta that are meant, of a claim that has several points."""


@frozen
class Counterexample:
    """An assignment under which the assumptions hold and the assertion does not."""

    words: str
    values: Mapping[str, str] = field(factory=dict)
    """Exact values as text, one for each variable."""


Witness = PairWitness | Counterexample


# --- verdicts -------------------------------------------------------------------------------------------------


@frozen
class Proved:
    """The claim holds: every obligation was discharged."""

    name = "PROVED"
    basis: str = ""
    """What it rests on, for mathematics: a proof kernel, or less than that."""


@frozen
class Refuted:
    """The claim is false, and this shows it."""

    name = "REFUTED"
    witness: Witness


@frozen
class NotRefuted:
    """No leak was found. This does not say that there is none: `detectable` says which one would have been seen."""

    name = "NOT_REFUTED"
    detectable: str
    """The smallest leak that would have been seen, and with what probability, in words."""
    epsilon: float | None = None
    """Smallest epsilon at the claimed delta that would have been seen, where that was worked out."""
    delta: float | None = None
    """Smallest delta at the claimed epsilon that would have been seen, where that was worked out."""


@frozen
class Undecided:
    """A solver's 'unknown', no leak that could have been seen, one that was not confirmed in time, or unclear data."""

    name = "UNDECIDED"
    reason: str


@frozen
class Skipped:
    """Nothing could be examined: the target crashed, or there was nothing to audit."""

    name = "SKIPPED"
    reason: str


Verdict = Proved | Refuted | NotRefuted | Undecided | Skipped


# --- how sure, what it cost, how to see it again ----------------------------------------------------------------


@frozen
class Exact:
    """By enumeration in exact arithmetic: no error at all."""

    def __str__(self) -> str:
        return "exact"


@frozen
class Measured:
    """By enumeration in exact arithmetic, on the outputs that were seen.

    It is exact if the target is deterministic. Nobody declared that: no two runs on the same data were seen to differ.
    """

    runs: int
    """How many runs agreed."""

    def __str__(self) -> str:
        return f"exact if the target is deterministic, as measured in {self.runs:,} runs"


@frozen
class ByProof:
    """By the named engines; each obligation was discharged and each of its mutants refuted."""

    engines: tuple[str, ...]

    def __str__(self) -> str:
        return f"proved by {', '.join(self.engines)}"


@frozen
class Confidence:
    """Statistical: had the claim been true, such a finding would occur with probability at most `error`."""

    error: Fraction

    def __str__(self) -> str:
        return f"false-alarm rate at most {show(self.error)}"


Certainty = Exact | Measured | ByProof | Confidence


@frozen
class Cost:
    """What was spent."""

    runs: int = 0
    """How often the target was run."""
    seconds: float = 0.0


@frozen
class Reproduce:
    """What is needed to see the finding again."""

    command: str = ""
    seed: int | None = None
    parameters: Mapping[str, Json] = field(factory=dict)
    versions: Mapping[str, str] = field(factory=dict)


# --- evidence: what a person would look at ----------------------------------------------------------------------


class _Shown:
    """What a notebook shows as a report does. Reports are loaded by name, since the words import nothing of ours."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        shown: str = import_module("crowdproof.report.html_report").evidence_fragment(self)
        return shown


@frozen
class Note(_Shown):
    """A paragraph."""

    title: str
    text: str


@frozen
class Table(_Shown):
    """Rows of text under named columns."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@frozen
class Series:
    """A named line of a chart; `low` and `high`, where given, are its band."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    points: bool = False
    """Draw marks instead of a line."""


@frozen
class Chart(_Shown):
    """A plot, as data: every report draws it in its own way."""

    title: str
    x: str
    y: str
    series: tuple[Series, ...]
    log_x: bool = False
    log_y: bool = False


Evidence = Note | Table | Chart


@frozen
class Finding:
    """One claim about one subject, and what came of examining it."""

    subject: str
    claim: Claim
    verdict: Verdict
    certainty: Certainty | None = None
    evidence: tuple[Evidence, ...] = ()
    cost: Cost = Cost()
    reproduce: Reproduce = Reproduce()
    measures: Mapping[str, Json] = field(factory=dict)
    """What was measured, as numbers by name, for programs that read the finding."""

    def __str__(self) -> str:
        """The text report, as the command line prints it."""
        text: str = import_module("crowdproof.report").render([self], "text")
        return text

    def _repr_html_(self) -> str:
        """The finding as a notebook shows it. Reports are loaded by name, since the words import nothing of ours."""
        shown: str = import_module("crowdproof.report.html_report").fragment(self)
        return shown

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:  # noqa: ARG002
        return {"text/plain": str(self), "text/html": self._repr_html_()}


def exit_code(findings: Iterable[Finding], *, lenient: bool = False) -> ExitCode:
    """The exit code of a run: nothing collected, examined or decided is never green, unless `lenient` lets it be.

    >>> exit_code([])
    <ExitCode.BROKEN: 3>
    """
    verdicts = [finding.verdict for finding in findings]
    if any(isinstance(each, Refuted) for each in verdicts):
        return ExitCode.REFUTED
    if not verdicts or any(isinstance(each, Skipped) for each in verdicts):
        return ExitCode.BROKEN
    if not lenient and any(isinstance(each, Undecided) for each in verdicts):
        return ExitCode.UNDECIDED
    return ExitCode.HELD
