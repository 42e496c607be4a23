"""Findings as one self-contained page: no network, no dependencies, light and dark, for screen, phone and paper."""

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from itertools import groupby
from typing import Any

from attrs import frozen
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from crowdproof.claims import Claim
from crowdproof.exact import brief, show
from crowdproof.findings import Chart, Estimate, Evidence, Finding, Note, PairWitness, Series, Table
from crowdproof.report import svg, wording
from crowdproof.report.datasets import pair
from crowdproof.report.origin import origin, written
from crowdproof.report.redaction import redacted
from crowdproof.report.repeated import readable, told_once
from crowdproof.visible import visible

LARGEST = 1 << 20
"""Bytes of the largest page: what a mail server takes and a browser opens at once."""

_EXPONENT = re.compile(r"\d[\d.]*e-\d+")


@frozen
class _Limits:
    """How much of each thing is shown."""

    witness_rows: int
    table_rows: int
    chart_rows: int
    evidence: bool = True


_LIMITS = (_Limits(5, 300, 60), _Limits(3, 40, 12), _Limits(1, 6, 0), _Limits(0, 0, 0, evidence=False))
"""From the usual to the least, tried until the page is small enough."""
_LEAST = 1000
"""Bytes of the shortest section, so that it is known beforehand when not all can be shown."""


def render(findings: Sequence[Finding]) -> str:
    """The page; very many findings are shown in less detail each, so that it stays below `LARGEST`."""
    findings = wording.ordered(findings)
    shown = min(len(findings), LARGEST // _LEAST)
    for limits in _LIMITS if shown == len(findings) else _LIMITS[-1:]:
        page = _page(findings, shown, limits)
        if len(page.encode()) < LARGEST:
            return page
    while (size := len(page.encode())) >= LARGEST:
        shown = shown * LARGEST * 9 // (size * 10)
        page = _page(findings, shown, _LIMITS[-1])
    return page


def fragment(finding: Finding) -> str:
    """One finding with its style, to be set into another page such as a notebook."""
    finding = redacted(finding)
    return str(_environment().get_template("fragment.html.j2").render(finding=finding, limits=_LIMITS[0], index=1))


def evidence_fragment(evidence: Evidence) -> str:
    """One piece of evidence as a finding shows it, with its style, to be set into another page."""
    return str(_environment().get_template("evidence.html.j2").render(evidence=evidence, limits=_LIMITS[0]))


def claim_fragment(claim: Claim) -> str:
    """A claim and what it promises, to be set into another page.

    >>> from crowdproof.claims import KAnonymity
    >>> print(claim_fragment(KAnonymity(10)))
    <p><code>k-anonymity(k=10)</code><br>Every row of the release appears at least 10 times.</p>
    """
    return str(Markup("<p><code>{}</code><br>{}</p>").format(str(claim), wording.claim_words(claim)))


def _page(findings: Sequence[Finding], shown: int, limits: _Limits) -> str:
    page = _environment().get_template("page.html.j2").render(findings=findings, shown=shown, limits=limits)
    return visible(page, lines=True)  # whoever looks at the file in a terminal is not steered by it


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("crowdproof.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    source = {name: _asset(environment, name) for name in ("style.css", "script.js")}
    environment.globals |= {
        "style": Markup(source["style.css"]),  # noqa: S704  (our own files)
        "script": Markup(source["script.js"]),  # noqa: S704
        "policy": _policy(source["style.css"], source["script.js"]),
        "version": version("crowdproof"),
        "wording": wording,
        "draw": lambda chart: Markup(svg.draw(chart)),  # noqa: S704  (escapes what it is given)
        "swatch": lambda series, index: Markup(svg.swatch(series, index)),  # noqa: S704
        "probabilities": _probabilities,
        "pair": pair,
        "groups": _groups,
        "told_once": told_once,
        "readable": readable,
        "origin": origin,
        "written": written,
        "categories": svg.categories,
        "chart_rows": chart_rows,
        "numeric": numeric,
        "exactly": _exactly,
        "show": show,
        "squared": wording.squared,
    }
    environment.filters["figures"] = figures
    for name in environment.list_templates(extensions=["j2"]):
        environment.get_template(name)  # all are read at once: later there may be no file to open
    return environment


def figures(text: str) -> Markup:
    """The text, escaped, with numbers like 1e-6 kept on one line.

    >>> print(figures("at most 1e-6 < 1"))
    at most <span class="figure">1e-6</span> &lt; 1
    """
    return Markup(_EXPONENT.sub(r'<span class="figure">\g<0></span>', str(escape(text))))  # noqa: S704


def _asset(environment: Environment, name: str) -> str:
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0].strip()


def _policy(style: str, script: str) -> str:
    """A browser that obeys this loads nothing and runs nothing but our own script."""
    style_hash, script_hash = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)
    )
    return f"default-src 'none'; img-src data:; style-src 'sha256-{style_hash}'; script-src 'sha256-{script_hash}'"


def _probabilities(claim: Claim, witness: PairWitness) -> Markup:
    limit = wording.allowed(claim, witness)
    first, second = wording.sides(witness)
    named = [(first, witness.p_left, "left"), (second, witness.p_right, "right")]
    if limit is not None and limit.high < witness.p_left.low:
        named.insert(1, ("the most that the claim allows there", limit, "limit"))
    return Markup(svg.bars(named, "Probability of the event"))  # noqa: S704


def _exactly(estimate: Estimate) -> str:
    """The exact value where it says more than four digits and is short enough to be read, and else nothing."""
    text = show(estimate.low)
    return text if estimate.exact and text != wording.number(estimate) and len(text) <= 32 else ""


def _groups(evidence: Sequence[Evidence]) -> list[tuple[str, list[Any]]]:
    """Neighbouring notes make one list, neighbouring charts stand side by side."""
    kinds = {Note: "notes", Table: "tables", Chart: "charts"}
    return [(kind, list(group)) for kind, group in groupby(evidence, key=lambda each: kinds[type(each)])]


def chart_rows(chart: Chart, most: int) -> list[tuple[str, ...]]:
    """The points of a chart as rows of text: series, x, y, low, high; evenly thinned to `most` for each series."""
    return [row for series in svg.squared(chart).series for row in _points(series, most)]


def _points(series: Series, most: int) -> list[tuple[str, ...]]:
    stride = max(1, -(-len(series.x) // max(1, most)))
    columns = [series.x, series.y, *(each or ("",) * len(series.x) for each in (series.low, series.high))]
    return [
        (series.name, *(brief(value) if value != "" else "" for value in row))
        for row in list(zip(*columns, strict=True))[::stride]
    ]


def numeric(table: Table) -> list[bool]:
    """Which columns hold nothing but numbers, and so are set flush right."""
    return [all(_is_number(row[i]) for row in table.rows) for i in range(len(table.columns))]


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "").rstrip("%") or "0")
    except ValueError:
        return False
    return True
