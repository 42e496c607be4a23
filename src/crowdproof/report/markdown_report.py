"""Findings as Markdown, for the summary page of a CI step: a table of all, then each in detail."""

import re
from collections.abc import Iterable, Iterator, Sequence

from crowdproof.findings import Chart, Counterexample, Evidence, Finding, Note, PairWitness, Refuted, Table
from crowdproof.report import wording
from crowdproof.report.datasets import Side, pair
from crowdproof.report.svg import extent
from crowdproof.visible import harmless, one_line

LARGEST = 1 << 20
"""Bytes that a CI system accepts for a step summary."""
_TABLE_ROWS = 50
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~#&])")


def render(findings: Sequence[Finding]) -> str:
    """The summary; details, and then rows, that do not fit below `LARGEST` are left out and counted."""
    findings = wording.ordered(findings)
    head = ["## Crowdproof", f"**{wording.headline(findings)}** {escape(wording.tally(findings))}."]
    room = LARGEST - 4096
    rows = list(_fitting(map(_summary_row, findings), room // 2))
    table = "\n".join(["| verdict | subject | claim | in words |", "| --- | --- | --- | --- |", *rows])
    details = list(_fitting(("\n\n".join(_details(each)) for each in findings), room - _size(table)))
    parts = [*head, *([table] if findings else []), *_left_out(len(findings) - len(rows), "claims")]
    return harmless("\n\n".join([*parts, *details, *_left_out(len(findings) - len(details), "details")]) + "\n")


def _fitting(parts: Iterable[str], room: int) -> Iterator[str]:
    """The first parts, as many as there is room for."""
    for part in parts:
        room -= _size(part) + 2
        if room < 0:
            return
        yield part


def _size(text: str) -> int:
    return len(text.encode())


def _left_out(number: int, what: str) -> list[str]:
    return [f"_{number:,} more {what} did not fit here: see the HTML or JSON report._"] if number else []


def escape(text: str) -> str:
    r"""The text as it stands: nothing in it is taken for Markdown or HTML.

    >>> print(escape("a|b <i> *c*\nd"))
    a\|b \<i\> \*c\*\\nd
    """
    return _SPECIAL.sub(r"\\\1", one_line(text))


def code(text: str) -> str:
    """The text in typewriter face, whatever it holds, also within a table."""
    inner = one_line(text).replace("|", "\\|")
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", inner)), default=0))
    padded = f" {inner} " if inner.startswith("`") or inner.endswith("`") else inner
    return f"{fence}{padded}{fence}" if inner else ""


def _label(finding: Finding) -> str:
    name = finding.verdict.name
    return f"{wording.SYMBOLS[name]} {wording.LABELS[name]}"


def _summary_row(finding: Finding) -> str:
    cells = (_label(finding), escape(finding.subject), code(str(finding.claim)), escape(wording.sentence(finding)))
    return f"| {' | '.join(cells)} |"


def _details(finding: Finding) -> Iterator[str]:
    yield f"<details><summary>{_html(_label(finding))}: {_html(finding.subject)}</summary>"
    yield code(str(finding.claim))
    yield escape(wording.claim_words(finding.claim))
    yield escape(wording.sentence(finding))
    if isinstance(finding.verdict, Refuted):
        yield from _witness(finding.verdict.witness)
    for evidence in finding.evidence:
        yield from _show(evidence)
    if finding.certainty is not None:
        yield escape(wording.certainty_words(finding.certainty))
    cost = wording.cost_words(finding.cost)
    if cost:
        yield f"Cost: {cost}."
    if finding.reproduce.command:
        yield f"See it again: {code(finding.reproduce.command)}"
    yield "</details>"


def _html(text: str) -> str:
    return one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _witness(witness: PairWitness | Counterexample) -> Iterator[str]:
    if isinstance(witness, Counterexample):
        if witness.values:
            yield _table(("", "value"), tuple(witness.values.items()))
        return
    both = pair(witness)
    for title, side in (("One dataset", both.left), ("Its neighbour", both.right)):
        yield f"**{title}** ({side.total:,} row{'' if side.total == 1 else 's'})"
        yield _table((*both.columns, ""), tuple(_side_rows(side, len(both.columns))))


def _side_rows(side: Side, width: int) -> Iterator[tuple[str, ...]]:
    for each in side.rows:
        if each.gap:
            yield (f"… {each.times:,} more, the same on both sides", *[""] * width)
        else:
            yield (*each.cells, "◀ only here" if each.differs else f"× {each.times:,}" if each.times > 1 else "")


def _show(evidence: Evidence) -> Iterator[str]:
    match evidence:
        case Note(title, text):
            yield f"**{escape(title)}.** {escape(text)}"
        case Table(title, columns, rows):
            yield f"**{escape(title)}**"
            yield _table(columns, wording.squared(evidence, _TABLE_ROWS).rows)
            yield from _left_out(max(0, len(rows) - _TABLE_ROWS), "rows")
        case Chart(title, x, y, series):
            yield f"**{escape(title)}** ({escape(y)} by {escape(x)})"
            yield "\n".join(f"- {escape(each.name)}: {extent(each)}" for each in series)


def _table(columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> str:
    lines = [map(escape, columns), ["---"] * len(columns), *(map(escape, row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
