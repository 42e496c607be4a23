"""The charts of the findings as one SVG file that stands by itself, for a review or a slide."""

import re
from collections.abc import Sequence
from html import escape

from crowdproof.findings import Chart, Finding
from crowdproof.report import svg, wording
from crowdproof.visible import harmless, one_line

_HEAD = 26
"""Room for the title above a chart, and for each row of its legend."""
_LEGEND = 18
_COLOURS = ("#1f5fae", "#b3400f", "#0c7267", "#7b3fa0", "#6d6400", "#5a6068")
_DASHES = ("none", "7 4", "2 4", "9 3 2 3", "12 4", "1 3")
_STYLE = "".join(
    [
        "text{font:12.5px sans-serif;fill:#333}text.title{font-weight:bold}",
        ".grid{stroke:#ddd;fill:none}.axis{stroke:#333;fill:none}.line{fill:none;stroke-width:2}.band{opacity:.16}",
        *(
            f".line.s{i}{{stroke:{colour};stroke-dasharray:{dashes}}}.mark.s{i},.band.s{i}{{fill:{colour}}}"
            for i, (colour, dashes) in enumerate(zip(_COLOURS, _DASHES, strict=True))
        ),
    ]
)
_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that XML cannot hold."""


def render(findings: Sequence[Finding]) -> str:
    """All charts below one another, each with its title and legend; what they are of stands in the description."""
    parts: list[str] = []
    height = 0
    for chart in (each for finding in findings for each in finding.evidence if isinstance(each, Chart)):
        part, size = _chart(chart, height)
        parts.append(part)
        height += size
    if not parts:
        height = 2 * _HEAD
        parts = [_text(8, _HEAD, "No chart: the findings have none." if findings else wording.headline(findings))]
    told = [wording.headline(findings)]
    told += [f"{each.verdict.name} {each.subject}: {each.claim}. {wording.sentence(each)}" for each in findings]
    about = f"<title>Crowdproof</title><desc>{_words(' '.join(told))}</desc>"
    room = f'width="{svg.WIDTH}" height="{height}" viewBox="0 0 {svg.WIDTH} {height}"'
    body = "\n".join(parts)
    return harmless(
        f'<svg xmlns="http://www.w3.org/2000/svg" {room} role="img">\n{about}\n<style>{_STYLE}</style>\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n{body}\n</svg>\n'
    )


def _chart(chart: Chart, top: int) -> tuple[str, int]:
    """The chart moved down, and how high it is."""
    chart = svg.squared(chart)
    rows = len(chart.series)
    title = _text(8, top + 18, chart.title, "title")
    swatches = [
        f'<g transform="translate(8 {top + _HEAD + _LEGEND * i})">{_inner(svg.swatch(each, i))}</g>'
        + _text(42, top + _HEAD + _LEGEND * i + 10, each.name)
        for i, each in enumerate(chart.series)
    ]
    start = top + _HEAD + _LEGEND * rows
    drawn = f'<g transform="translate(0 {start})">{_ILLEGAL.sub("", _inner(svg.draw(chart)))}</g>'
    return "\n".join([title, *swatches, drawn]), _HEAD + _LEGEND * rows + svg.HEIGHT + _HEAD // 2


def _inner(drawing: str) -> str:
    """What is within the outermost element, which has a style sheet's class."""
    return drawing.partition(">")[2].rpartition("</svg>")[0]


def _text(x: float, y: float, words: str, kind: str = "label") -> str:
    return f'<text class="{kind}" x="{x}" y="{y}">{_words(words)}</text>'


def _words(text: str) -> str:
    return escape(_ILLEGAL.sub("", one_line(text)))
