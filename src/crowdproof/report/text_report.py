"""Findings for a terminal: plain where it is piped, coloured where a person looks on."""

import math
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from crowdproof.findings import Chart, Counterexample, Evidence, Finding, Note, PairWitness, Refuted, Table
from crowdproof.report import wording
from crowdproof.report.axes import drawable
from crowdproof.report.datasets import differing
from crowdproof.report.svg import extent
from crowdproof.visible import harmless, visible

if TYPE_CHECKING:
    from rich.text import Text

WIDTH = 100
_STYLES = {
    "REFUTED": "bold red",
    "SKIPPED": "bold magenta",
    "UNDECIDED": "bold yellow",
    "NOT_REFUTED": "bold blue",
    "PROVED": "bold green",
}
_SPARKS = "▁▂▃▄▅▆▇█"
_ROWS = 40


def render(findings: Sequence[Finding]) -> str:
    """One paragraph for each finding, blank lines between, and the counts at the end."""
    paragraphs = ["\n".join(map(visible, _lines(each))) for each in findings]
    if len(findings) != 1:
        paragraphs.append(wording.tally(findings))
    return harmless(visible("\n\n".join(paragraphs), lines=True))


def print_to(stream: TextIO, findings: Sequence[Finding]) -> None:
    """Print the report, in colour where the stream is a terminal that shows it (and NO_COLOR is not set)."""
    from rich.console import Console  # noqa: PLC0415  (slow to import, and only a terminal needs it)

    console = Console(file=stream, highlight=False, soft_wrap=True)
    for line in render(findings).splitlines():
        console.print(_coloured(line), emoji=False, markup=False)


def _coloured(line: str) -> "Text":
    from rich.text import Text  # noqa: PLC0415

    text = Text(line)
    name = line.split(" ", 1)[0]
    if name in _STYLES:
        text.stylize(_STYLES[name], 0, len(name))
    for label in ("  reproduce: ", "  cost: ", "  certainty: "):
        if line.startswith(label):
            text.stylize("dim", 0, len(label))
    if line.startswith("    only "):
        text.stylize("red")
    return text


def _lines(finding: Finding) -> Iterator[str]:
    yield f"{finding.verdict.name}  {_line(finding.subject)}: {_line(str(finding.claim))}"
    yield from _wrapped(wording.sentence(finding), "  ")
    if isinstance(finding.verdict, Refuted):
        yield from _witness(finding.verdict.witness)
    for evidence in finding.evidence:
        yield from _show(evidence)
    if finding.certainty is not None:
        yield from _wrapped(f"certainty: {wording.certainty_words(finding.certainty)}", "  ")
    cost = wording.cost_words(finding.cost)
    if cost:
        yield f"  cost: {cost}"
    if finding.reproduce.command:
        yield f"  reproduce: {finding.reproduce.command}"


def _line(text: str) -> str:
    return " ".join(visible(text).split())


def _wrapped(text: str, indent: str) -> list[str]:
    wrapper = textwrap.TextWrapper(
        WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return wrapper.wrap(visible(text))


def _witness(witness: PairWitness | Counterexample) -> Iterator[str]:
    if isinstance(witness, Counterexample):
        yield from (f"    {_line(name)} = {_line(value)}" for name, value in witness.values.items())
        return
    columns, left, right = differing(witness)
    for side, rows in (("one dataset", left), ("its neighbour", right)):
        for row in rows[:3]:
            cells = visible(", ".join(f"{name} = {cell}" for name, cell in zip(columns, row, strict=True)))
            yield f"    only in {side}: {textwrap.shorten(cells, WIDTH - 26, placeholder=' …')}"
        if len(rows) > 3:
            yield f"    only in {side}: {len(rows) - 3:,} more rows"


def _show(evidence: Evidence) -> Iterator[str]:
    match evidence:
        case Note(title, text):
            yield from _wrapped(f"{title}: {text}", "  ")
        case Table():
            yield f"  {evidence.title}"
            yield from (f"    {line}" for line in text_table(wording.squared(evidence, _ROWS)))
            if len(evidence.rows) > _ROWS:
                yield f"    … {len(evidence.rows) - _ROWS:,} more rows: see --format json"
        case Chart(title, x, y, series):
            yield f"  {title} ({y} by {x}; draw it with --format html=report.html)"
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
    picked = finite[:: -(-len(finite) // width)]
    return "".join(_SPARKS[round((value - low) / ((high - low) or 1) * (len(_SPARKS) - 1))] for value in picked)


def text_table(table: Table) -> list[str]:
    """The table in aligned columns."""
    rows = [tuple(map(_line, row)) for row in (table.columns, *wording.squared(table).rows)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(table.columns))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return [lines[0], "  ".join("-" * width for width in widths), *lines[1:]]
