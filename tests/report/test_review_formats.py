"""What goes into a review: LaTeX that nothing can break, BibTeX with DOIs, and a figure that is well-formed XML."""

import re
from xml.etree import ElementTree

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from report.samples import SAMPLES
from report.strategies import findings

from crowdproof.attacks import CATALOGUE, load
from crowdproof.attacks.references import REFERENCES
from crowdproof.claims import Assertion
from crowdproof.findings import Chart, Finding, Note, Series, Table, Undecided
from crowdproof.report import render
from crowdproof.report.tex import entry, escape

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '\\input{/etc/passwd} 50% of $x_1^2$ & #1 ~ {a} <b> | `c` [d] "\x1b@misc{x, a={b}}\n\\end{tabular}'
DOI = re.compile(r"10\.\d{4,5}/[^\s{}]+")


def hostile():
    chart = Chart(HOSTILE, HOSTILE, HOSTILE, (Series(HOSTILE, (1.0, 2.0), (0.0, 1.0)),))
    evidence = (Note(HOSTILE, HOSTILE), Table(HOSTILE, (HOSTILE, "b"), ((HOSTILE, HOSTILE),)), chart)
    return Finding(HOSTILE, Assertion("any", HOSTILE), Undecided(HOSTILE), evidence=evidence)


@given(st.text())
def test_no_text_is_a_command_in_latex(text):
    """Second route: what is left when the escapes are taken out has no letter that LaTeX reads as more than itself."""
    bare = re.sub(r"\\text[a-z]+\{\}|\\[{}$&#%_]|\{[\[\]]\}", "", escape(text))
    assert not set(bare) & set("\\{}$&#%_^~")


def test_no_finding_breaks_the_document():
    text = render([hostile(), *SAMPLES], "latex")
    begun, ended = (re.findall(rf"\\{each}\{{([a-z]+)\}}", text) for each in ("begin", "end"))
    assert sorted(begun) == sorted(ended)
    assert set(begun) == {"table", "tabular"}
    assert not re.search(r"(?<!\\)\\input|\\end\{tabular\}\s*\\end\{tabular\}", text.partition("\n\n")[2])
    unescaped = re.sub(r"\\[{}]", "", text)
    assert unescaped.count("{") == unescaped.count("}")


def test_every_row_of_a_table_has_as_many_cells_as_the_table_has_columns():
    table = Table("t", ("a", "b", "c"), (("1", "2"), ("1", "2", "3", "4")))
    text = render([evolve(SAMPLES[0], evidence=(table,))], "latex")
    widths = {len(re.split(r"(?<!\\)&", line)) for line in text.splitlines() if line.endswith(r"\\") and "&" in line}
    assert 3 in widths
    (columns,) = re.findall(r"\\caption\{t\}\n\\begin\{tabular\}\{(.*)\}", text)
    assert columns.count("p{") in widths


@settings(max_examples=40)
@given(st.lists(findings, max_size=2))
def test_a_figure_is_well_formed_whatever_it_is_of(found):
    root = ElementTree.fromstring(render(found, "figure"))
    assert root.tag == f"{SVG}svg"
    charts = sum(isinstance(each, Chart) for finding in found for each in finding.evidence)
    assert len(root.findall(f"{SVG}g")) >= charts


def test_a_figure_shows_every_series_with_its_name():
    root = ElementTree.fromstring(render([hostile()], "figure"))
    words = [each.text for each in root.iter(f"{SVG}text")]
    assert sum("input{/etc/passwd}" in each for each in words) >= 3
    assert root.find(f"{SVG}style") is not None
    assert any(each.get("class") == "line s0" for each in root.iter(f"{SVG}path"))


def test_bibtex_has_each_publication_once_and_comments_begin_no_entry():
    story = [
        Finding("a", Assertion("any", "b"), Undecided("c"), measures={"references": [each.as_json() for each in found]})
        for found in REFERENCES.values()
    ]
    text = render([*story, hostile()], "bibtex")
    keys = re.findall(r"^@\w+\{(.*),$", text, re.MULTILINE)
    assert len(keys) == len(set(keys))
    assert {"crowdproof", "sweeney2002kanonymity"} <= set(keys)
    assert all(line.startswith("%") for line in text.splitlines() if "passwd" in line)
    assert not any("@" in line for line in text.splitlines() if line.startswith("%"))


def test_references_of_a_file_may_be_anything():
    odd = [None, 3, {}, {"key": "{}"}, {"key": "a", "kind": "}{", "title": HOSTILE, "doi": "10.1/x}{y", "year": 3}]
    for references in (odd, "text", 7, {"a": 1}):
        found = Finding("a", Assertion("any", "b"), Undecided("c"), measures={"references": references})
        for form in ("latex", "bibtex", "figure"):
            assert render([found], form)
    assert "10.1/xy" in entry(odd[-1])


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_attack_cites_what_it_is_from(name):
    references = REFERENCES[name]
    assert references
    for each in references:
        assert DOI.fullmatch(each.doi) or each.url.startswith("https://")
        assert each.as_json()["year"] == str(each.year)
    assert any(str(each.year) in load(name).ATTACK.source or name == "side-channels" for each in references) or any(
        each.author.split(",")[0] in load(name).ATTACK.source for each in references
    )


def test_the_catalogue_and_the_references_are_of_the_same_attacks():
    assert set(REFERENCES) == set(CATALOGUE)
