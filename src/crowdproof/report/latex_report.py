"""Findings as LaTeX for a review: paragraphs, tables of the package booktabs, and citations by key.

It is a piece of a document, to be read by \\input; `--format bibtex` writes the literature, `--format figure` the plot.
"""

from collections.abc import Iterator, Sequence

from crowdproof.findings import Chart, Counterexample, Evidence, Finding, Note, PairWitness, Refuted, Table
from crowdproof.report import tex, wording
from crowdproof.report.datasets import differing
from crowdproof.report.svg import extent
from crowdproof.visible import harmless, one_line

_ROWS = 40
"""Of a longer table the first rows; the JSON report has all."""


def render(findings: Sequence[Finding]) -> str:
    """A subsection for each finding; the packages that it needs are named above."""
    head = [
        "% To be read by \\input; it needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}.",
        f"% {one_line(wording.headline(findings))}",
    ]
    parts = [part for each in findings for part in _finding(each)]
    if not findings:
        parts = [tex.escape(wording.headline(findings))]
    return harmless("\n".join(head) + "\n\n" + "\n\n".join(parts) + "\n")


def _finding(finding: Finding) -> Iterator[str]:
    yield f"\\subsection*{{{tex.escape(f'{wording.title(finding.verdict)}: {finding.subject}')}}}"
    cited = tex.keys([finding])
    cite = f"~\\cite{{{','.join(cited)}}}" if cited else ""
    yield f"\\paragraph{{Claim.}} {tex.escape(str(finding.claim))}{cite}"
    yield tex.escape(wording.sentence(finding))
    if isinstance(finding.verdict, Refuted):
        yield from _witness(finding.verdict.witness)
    for evidence in finding.evidence:
        yield _shown(evidence)
    if finding.certainty is not None:
        yield tex.escape(wording.certainty_words(finding.certainty))
    if finding.reproduce.command:
        yield f"\\paragraph{{Reproduce.}} {{\\ttfamily\\raggedright {tex.escape(finding.reproduce.command)}\\par}}"


def _witness(witness: Counterexample | PairWitness) -> Iterator[str]:
    if isinstance(witness, Counterexample):
        if witness.values:
            yield _table(Table("The numbers", ("", "value"), tuple(witness.values.items())))
        return
    columns, left, right = differing(witness)
    for side, rows in zip(wording.sides(witness), (left, right), strict=True):
        yield _table(Table(f"Only {side}", tuple(columns), tuple(tuple(map(str, row)) for row in rows)))


def _shown(evidence: Evidence) -> str:
    match evidence:
        case Note(title, text):
            return f"\\paragraph{{{tex.escape(title)}.}} {tex.escape(text)}"
        case Table():
            return _table(evidence)
        case Chart(title, x, y, series):
            told = "; ".join(f"{each.name}: {extent(each)}" for each in series)
            return f"\\paragraph{{{tex.escape(title)}}} {tex.escape(f'({y} by {x}): {told}.')}"


def _table(table: Table) -> str:
    """As wide as the text, the columns alike."""
    cut = wording.squared(table, _ROWS)
    columns = max(len(cut.columns), 1)
    width = 0.96 / columns
    column = f"p{{\\dimexpr{width:.4f}\\linewidth-2\\tabcolsep}}"
    lines = [
        "\\begin{table}[htbp]\\small",
        f"\\caption{{{tex.escape(table.title)}}}",
        f"\\begin{{tabular}}{{{column * columns}}}",
        "\\toprule",
        *([_row(cut.columns), "\\midrule"] if cut.columns else []),
        *map(_row, cut.rows),
        "\\bottomrule",
        "\\end{tabular}",
        *([f"{len(table.rows) - _ROWS:,} more rows are in the JSON report."] if len(table.rows) > _ROWS else []),
        "\\end{table}",
    ]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return " & ".join(map(tex.escape, cells)) + r" \\"
