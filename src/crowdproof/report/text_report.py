"""Findings for a terminal: plain where it is piped, coloured where a person looks on."""

import math
import textwrap
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from itertools import zip_longest
from typing import TYPE_CHECKING, TextIO

from crowdproof.findings import Chart, Counterexample, Evidence, Finding, Note, PairWitness, Refuted, Table
from crowdproof.report import wording
from crowdproof.report.axes import drawable
from crowdproof.report.datasets import differing
from crowdproof.report.svg import extent
from crowdproof.visible import harmless, visible

if TYPE_CHECKING:
    from rich.text import Text

NARROWEST, WIDEST = 60, 200
"""Columns between which text is wrapped to a terminal: narrower ones break tables anyway, and wider lines tire."""
_WIDTH = ContextVar("_WIDTH", default=100)
"""Columns that text is wrapped to; where it goes to a file or a pipe, a width that fits most windows."""
_STYLES = {
    "REFUTED": "bold red",
    "SKIPPED": "bold magenta",
    "UNDECIDED": "bold yellow",
    "NOT_REFUTED": "bold blue",
    "PROVED": "bold green",
}
_SPARKS = "▁▂▃▄▅▆▇█"
_ROWS = 40
_GAP = 2
"""Blanks between two columns of a table."""
_NARROWEST_COLUMN = 12
"""A column is not made narrower than this. A guess: below it most words would be broken."""


def render(findings: Sequence[Finding]) -> str:
    """One paragraph for each finding, blank lines between, and the counts at the end."""
    paragraphs = ["\n".join(map(visible, _lines(each))) for each in findings]
    if len(findings) != 1:
        paragraphs.append(wording.tally(findings))
    return harmless(visible("\n\n".join(paragraphs), lines=True))


def verdict_lines(findings: Sequence[Finding]) -> str:
    """One line for each finding: its verdict, and what it is about."""
    return harmless("\n".join(visible(_heading(each)) for each in findings))


def print_to(stream: TextIO, findings: Sequence[Finding]) -> None:
    """Print the report, in colour where the stream is a terminal that shows it (and NO_COLOR is not set)."""
    from rich.console import Console  # noqa: PLC0415  (slow to import, and only a terminal needs it)

    console = Console(file=stream, highlight=False, soft_wrap=True)
    token = _WIDTH.set(min(max(console.width, NARROWEST), WIDEST))
    try:
        lines = render(findings).splitlines()
        if len(lines) >= console.height:
            lines += ["", *_ending(findings)]
    finally:
        _WIDTH.reset(token)
    for line in lines:
        console.print(_coloured(line), emoji=False, markup=False)


def _coloured(line: str) -> "Text":
    from rich.text import Text  # noqa: PLC0415

    text = Text(line)
    name = line.split(" ", 1)[0]
    if name in _STYLES:
        text.stylize(_STYLES[name], 0, len(name))
    for label in ("  reproduce: ", "  cost: ", "  certainty: ", "  what to do: "):
        if line.startswith(label):
            text.stylize("dim", 0, len(label))
    if line.startswith("    only "):
        text.stylize("red")
    return text


def _lines(finding: Finding) -> Iterator[str]:
    yield _heading(finding)
    yield from _wrapped(wording.sentence(finding), "  ")
    if isinstance(finding.verdict, Refuted):
        yield from _witness(finding.verdict.witness)
    if finding.certainty is not None:
        yield from _wrapped(f"certainty: {wording.certainty_words(finding.certainty)}", "  ")
    remedy = wording.what_to_do(finding)
    if remedy is not None:
        yield from _wrapped(f"what to do: {remedy}", "  ")
    for evidence in finding.evidence:
        yield from _show(evidence)
    cost = wording.cost_words(finding.cost)
    if cost:
        yield f"  cost: {cost}"
    if finding.reproduce.command:
        yield f"  reproduce: {finding.reproduce.command}"


def _heading(finding: Finding) -> str:
    return f"{wording.title(finding.verdict)}  {_line(finding.subject)}: {_line(str(finding.claim))}"


def _ending(findings: Sequence[Finding]) -> Iterator[str]:
    """The verdicts again, each with the next step: what stays in view where a report is longer than the window."""
    for finding in findings:
        yield verdict_lines([finding])
        remedy = wording.what_to_do(finding) or wording.noted_remedy(finding)
        if remedy is not None:
            yield from (harmless(line) for line in _wrapped(f"what to do: {remedy}", "  "))


def _line(text: str) -> str:
    return " ".join(visible(text).split())


def _wrapped(text: str, indent: str) -> list[str]:
    wrapper = textwrap.TextWrapper(
        _WIDTH.get(), initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return wrapper.wrap(visible(text))


def _witness(witness: PairWitness | Counterexample) -> Iterator[str]:
    if isinstance(witness, Counterexample):
        yield from (f"    {_line(name)} = {_line(value)}" for name, value in witness.values.items())
        return
    columns, left, right = differing(witness)
    for side, rows in zip(wording.sides(witness), (left, right), strict=True):
        for row in rows[:3]:
            cells = visible(", ".join(f"{name} = {cell}" for name, cell in zip(columns, row, strict=True)))
            yield from _wrapped(f"only {side}: {cells}", "    ")
        if len(rows) > 3:
            yield f"    only {side}: {len(rows) - 3:,} more rows"


def _show(evidence: Evidence) -> Iterator[str]:
    match evidence:
        case Note(title, text):
            yield from _wrapped(f"{title}: {text}", "  ")
        case Table():
            yield from _wrapped(evidence.title, "  ")
            yield from (f"    {line}" for line in text_table(wording.squared(evidence, _ROWS), _WIDTH.get() - 4))
            if len(evidence.rows) > _ROWS:
                yield f"    … {len(evidence.rows) - _ROWS:,} more rows: see --format json"
        case Chart(title, x, y, series):
            yield from _wrapped(f"{title} ({y} by {x}; draw it with --format html=report.html)", "  ")
            width = max((len(each.name) for each in series), default=0)
            sparks = (spark(each.y, log=evidence.log_y) for each in series)
            yield from (
                f"    {each.name.ljust(width)}  {s}  {extent(each)}" for each, s in zip(series, sparks, strict=True)
            )


def spark(values: Sequence[float], *, log: bool = False, width: int = 16) -> str:
    """A line of blocks as high as the values, or as their logarithms, between the smallest and the largest.

    >>> spark([0, 1, 2, 3, 4, 5, 6, 7])
    '▁▂▃▄▅▆▇█'
    """
    finite = [math.log(value) if log else value for value in values if drawable(value, log=log)]
    if len(finite) < 2:
        return "·"
    low, high = min(finite), max(finite)
    if low == high:  # one that stays at nothing is drawn at the bottom, any other in the middle
        return (_SPARKS[0] if low == 0 and not log else _SPARKS[len(_SPARKS) // 2 - 1]) * min(len(finite), width)
    picked = finite[:: -(-len(finite) // width)]
    return "".join(_SPARKS[round((value - low) / (high - low) * (len(_SPARKS) - 1))] for value in picked)


def text_table(table: Table, most: int | None = None) -> list[str]:
    """The table in aligned columns, at most so wide: the text of its widest columns goes on in further lines."""
    rows = [tuple(map(_line, row)) for row in (table.columns, *wording.squared(table).rows)]
    widths = _fitted([max(len(row[i]) for row in rows) for i in range(len(table.columns))], most)
    head, *body = (list(_table_lines(row, widths)) for row in rows)
    return [*head, "  ".join("-" * width for width in widths), *(line for lines in body for line in lines)]


def _fitted(widths: list[int], most: int | None) -> list[int]:
    """The widths, the widest made narrower until all fit; what is too much for any table stays."""
    fitted = list(widths)
    while most is not None and sum(fitted) + _GAP * (len(fitted) - 1) > most and max(fitted) > _NARROWEST_COLUMN:
        fitted[fitted.index(max(fitted))] -= 1
    return fitted


def _table_lines(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    wrapped = [textwrap.wrap(cell, max(width, 1)) or [""] for cell, width in zip(row, widths, strict=True)]
    for line in zip_longest(*wrapped, fillvalue=""):
        yield (" " * _GAP).join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
