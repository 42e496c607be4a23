"""Markdown: parsed by a CommonMark implementation, so that what is written is what is shown."""

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from report.samples import SAMPLES

from crowdproof.claims import DP
from crowdproof.findings import Finding, Note, Proved, Table
from crowdproof.report import render
from crowdproof.report.markdown_report import code, escape

PARSER = MarkdownIt("commonmark").enable("table")
printable = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=["Cc", "Cf", "Zs"]), max_size=20
)


def rows(text):
    """The cells of every table row, as plain text."""
    tokens = PARSER.parse(text)
    found = []
    for i, token in enumerate(tokens):
        if token.type == "tr_open":
            found.append([])
        if token.type in {"th_open", "td_open"}:
            found[-1].append(shown(tokens[i + 1]))
    return found


def shown(inline):
    assert not any(
        each.type in {"html_inline", "em_open", "strong_open", "link_open", "image"} for each in inline.children
    )
    return "".join(each.content for each in inline.children)


@given(printable, printable)
def test_a_cell_is_shown_as_it_stands(left, right):
    table = f"| a | b |\n| --- | --- |\n| {escape(left)} | {code(right)} |"
    assert rows(table)[1] == [left, right]


def test_the_summary_has_a_row_for_each_finding_in_the_order_of_urgency():
    table = rows(render(SAMPLES, "markdown"))[1:10]
    assert [row[0].split(" ", 1)[1] for row in table] == [
        *["Refuted"] * 4,
        "Skipped",
        "Undecided",
        "Not refuted",
        *["Proved"] * 2,
    ]
    assert table[0][1:3] == [SAMPLES[0].subject, str(SAMPLES[0].claim)]


def test_the_differing_row_is_marked():
    assert ["57", "10011", "35000000", "◀ only here"] in rows(render(SAMPLES[:1], "markdown"))


def test_foreign_html_is_shown_and_not_obeyed():
    bad = "<img src=x onerror=alert(1)>"
    finding = Finding(bad, DP(1), Proved(), evidence=(Note(bad, bad), Table(bad, (bad,), ((bad,),))))
    rendered = PARSER.render(render([finding], "markdown"))
    assert "<img" not in rendered
    assert rendered.count("&lt;img src=x onerror=alert(1)&gt;") >= 6
