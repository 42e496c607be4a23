"""The page: well-formed, self-contained, escaped. What only a browser can tell is in tests/integration."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from report.samples import SAMPLES
from report.strategies import findings

from crowdproof.claims import DP, KAnonymity
from crowdproof.findings import Chart, Finding, Note, Proved, Series, Skipped, Table
from crowdproof.report import render
from crowdproof.report.html_report import fragment, numeric

VOID = {"meta", "link", "br"}


class Page(HTMLParser):
    """Collects elements and text; fails on a tag that is not closed."""

    def __init__(self, source):
        super().__init__()
        self.elements, self.open, self.text = [], [], []
        self.feed(source)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in {"style", "script"}:
            self.text.append(data)

    def shown(self):
        return " ".join("".join(self.text).split())

    def having(self, name):
        return [(tag, attrs) for tag, attrs in self.elements if name in (attrs.get("class") or "").split()]


@settings(max_examples=60)
@given(findings)
def test_any_finding_gives_a_well_formed_page_without_foreign_elements(finding):
    page = Page(render([finding], "html"))
    assert [tag for tag, _ in page.elements].count("script") == 1
    assert not any(name.startswith("on") or name == "style" for _, attrs in page.elements for name in attrs)
    Page(fragment(finding))


def test_nothing_is_loaded_from_anywhere():
    source = render(SAMPLES, "html")
    page = Page(source)
    assert {
        attrs[name] for _, attrs in page.elements for name in ("src", "href", "action", "data") if name in attrs
    } == {"data:,"}
    assert not re.search(r"https?://|url\(|@import|fetch\(|XMLHttp", source)


def test_the_policy_allows_our_script_and_style_and_nothing_else():
    source = render(SAMPLES, "html")
    policy = next(attrs["content"] for _, attrs in Page(source).elements if attrs.get("http-equiv"))
    for tag in ("style", "script"):
        inner = re.search(rf"<{tag}>(.*?)</{tag}>", source, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")


def test_everything_of_a_finding_is_on_the_page():
    told = Page(render(SAMPLES, "html")).shown()
    for each in SAMPLES:
        assert each.subject in told
        assert each.reproduce.command in told
        for evidence in each.evidence:
            assert evidence.title in told
    assert "4 of 9 claims are refuted." in told
    assert "exactly 0.32421875" in told


def test_the_differing_row_alone_is_marked_and_the_rest_is_counted():
    page = Page(render(SAMPLES[:1], "html"))
    assert len(page.having("differs")) == 1
    told = " ".join(page.text)
    assert "6 more rows, the same on both sides" in told
    assert "14 more rows, the same on both sides" in told


def test_refuted_claims_come_first_and_the_first_is_unfolded():
    page = Page(render(SAMPLES, "html"))
    verdicts = [attrs["data-verdict"] for tag, attrs in page.elements if tag == "article"]
    assert verdicts == [*["REFUTED"] * 4, "SKIPPED", "UNDECIDED", "NOT_REFUTED", *["PROVED"] * 2]
    assert [tag for tag, attrs in page.elements if "open" in attrs] == ["details"]


def test_every_chart_has_a_title_a_description_and_its_numbers():
    source = render(SAMPLES, "html")
    pictures = re.findall(r'<svg class="(?:chart|bars)".*?</svg>', source, re.DOTALL)
    assert len(pictures) == 4 + 2
    assert all("<title>" in each and "<desc>" in each for each in pictures)
    assert source.count("<summary>The numbers</summary>") == 4


def test_foreign_text_is_shown_and_not_obeyed():
    bad = '<script>alert("x")</script>'
    finding = Finding(bad, DP(1), Proved(), evidence=(Note(bad, bad), Table(bad, (bad,), ((bad,),))))
    source = render([finding], "html")
    assert bad not in source
    assert " ".join(Page(source).text).count(bad) >= 6


def test_columns_of_numbers_are_known():
    table = Table("t", ("a", "b", "c"), (("1", "x", "1,200"), ("-2e-9", "3", "45%"), ("", "", "")))
    assert numeric(table) == [True, False, True]


@pytest.mark.parametrize("finding", SAMPLES, ids=lambda each: each.subject)
def test_a_notebook_shows_a_finding_and_its_claim(finding):
    bundle = finding._repr_mimebundle_()
    assert bundle["text/plain"].startswith(finding.verdict.name)
    assert bundle["text/html"] == finding._repr_html_() == fragment(finding)
    assert not Page(bundle["text/html"]).having("page")
    assert str(finding.claim) in " ".join(Page(finding.claim._repr_html_()).text)


def test_a_claim_is_escaped_in_a_notebook():
    assert "<b>" not in KAnonymity(2, ["<b>"])._repr_html_()


EVIDENCE = {each.title: each for finding in SAMPLES for each in finding.evidence}


@pytest.mark.parametrize("evidence", EVIDENCE.values(), ids=EVIDENCE)
def test_a_notebook_shows_a_piece_of_evidence_as_its_finding_does(evidence):
    shown = evidence._repr_html_()
    page, whole = Page(shown), fragment(Finding("x", DP(1), Proved(), evidence=(evidence,)))
    assert evidence.title in page.shown()
    assert len(page.having("chart")) == isinstance(evidence, Chart)
    assert sum(tag == "table" for tag, _ in page.elements) == (not isinstance(evidence, Note))
    inner = shown.partition("</style>")[2].removesuffix("</div>").strip()
    assert inner
    assert inner in whole


def test_evidence_is_escaped_in_a_notebook():
    bad = "<b>x</b>"
    series = (Series(bad, (1.0, 2.0), (1.0, 2.0)),)
    for each in (Note(bad, bad), Table(bad, (bad,), ((bad,),)), Chart(bad, bad, bad, series)):
        assert bad not in each._repr_html_()
        assert bad in Page(each._repr_html_()).shown()


def test_no_finding_puts_control_characters_into_the_page():
    page = render([Finding("a\x1b[2J\u202eb", DP(1), Skipped("c\x9bd\x00\te"))], "html")
    assert not set("\x1b\x9b\x00\u202e\t") & set(page)
    assert r"a\x1b[2J\u202eb" in page
    assert r"c\x9bd\x00\te" in page
