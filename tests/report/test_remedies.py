"""Every kind of leak has a remedy, and the words of an event lead to the one that fits."""

import io
from fractions import Fraction

import pytest
from rich.console import Console

from crowdproof.audit.releases import words
from crowdproof.claims import DP, Safe
from crowdproof.findings import Estimate, Event, Finding, PairWitness, Refuted
from crowdproof.report import text_report, wording
from crowdproof.report.remedies import GENERAL, REMEDIES, remedy_for

TOLD = [
    *(f"the release contains {each}" for each in words._COUNTED.values()),
    *(each for pair in words._TRUE.values() for each in pair),
    *(f"{each} is 3" for each in words._MEASURED.values()),
    "component 1 is at least 3",
    "bit 3 of the floating-point number is set",
    "the number of rows equal to (41, f) is 1",
    "the first row is (41, f)",
    "the release is 4 or 3",
]


@pytest.mark.parametrize("event", TOLD)
def test_each_kind_of_event_has_a_remedy_of_its_own(event):
    assert remedy_for(event) is not GENERAL, event


@pytest.mark.parametrize(
    ("event", "leak"),
    [
        ("the release contains a range that ends at 35,000,000 in column net_worth", "range"),
        ("the last digit of component 1 is 4", "floating-point"),
        ("the place of the last set bit of component 0 (an exponent of two) is -40", "floating-point"),
        ("bit 3 of the floating-point number is set", "floating-point"),
        ("there is no release", "whether there is a release"),
        ("its rows are not sorted", "order"),
        ("the number of rows is 4", "how many rows"),
        ("the sum of column income is at least 3", "too little noise"),
        ("the release contains a cell flu in column illness", "value that one person brings"),
        ("the number of cells with a range that ends at 18 in column age_band is at least 37", "exact count"),
        ("the number of rows with flu in column illness is 4", "exact count"),
        ("the release contains a suppressed cell in column age", "suppressed"),
        ("something that nobody has thought of", "one person changes"),
    ],
)
def test_the_remedy_fits_the_leak(event, leak):
    assert leak in remedy_for(event).leak


@pytest.mark.parametrize(
    ("cell", "column", "leak"),
    [
        ("26", "n", "exact count"),
        ("26", "patients per ward", "exact count"),
        ("17878.5", "mean_cost", "worked out"),
        ("4,711", "cost", "worked out"),
        ("6,513.72", "cost", "value that one person brings"),
        ("6,513.72", "highest", "value that one person brings"),
        ("flu", "illness", "value that one person brings"),
    ],
)
def test_a_number_that_nobody_brought_was_worked_out_from_the_data(cell, column, leak):
    rows = [{"age": "26", "cost": "6513.72", "illness": "flu"}]
    assert leak in remedy_for(f"the release contains a cell {cell} in column {column}", rows).leak


def test_the_catalogue_reads_as_sentences():
    for each in (*REMEDIES, GENERAL):
        assert each.leak.startswith("What leaks is ")
        assert each.leak.endswith(".")
        assert each.cure[0].isupper()
        assert each.cure.endswith(".")


CLAIM = DP(1)


def refuted(left, right, claim=CLAIM, cell="flu"):
    one, nothing = Estimate.exactly(Fraction(1)), Estimate.exactly(Fraction(0))
    event = Event(f"the release contains a cell {cell} in column illness")
    return Finding("release", claim, Refuted(PairWitness(left, right, event, one, nothing, one)))


@pytest.mark.parametrize(
    ("left", "right", "names"),
    [
        ([1, 2], [1], ("with the person", "without the person")),
        ([1], [1, 2], ("without the person", "with the person")),
        ([1, 2], [1, 3], ("with the one person", "with the other in their place")),
        ([1, 2], [5, 6], ("on one dataset", "on its neighbour")),
    ],
)
def test_datasets_are_called_by_the_person(left, right, names):
    finding = refuted(left, right)
    assert wording.sides(finding.verdict.witness) == names
    assert names[0].lower() in wording.sentence(finding).lower()


def test_what_a_refutation_means_comes_first_and_what_to_do_before_details():
    finding = refuted([1, 2], [1])
    lines = text_report.render([finding]).split("\n")
    assert lines[1].startswith("  The claim is false: the release tells more than is promised about whether one person")
    assert any(line.startswith("  what to do: What leaks is a value") for line in lines)
    assert "recoded depends on one person" in wording.sentence(refuted([1, 2], [1], Safe("0")))


@pytest.mark.parametrize("columns", [60, 80, 120, 200])
def test_text_wraps_to_the_terminal(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    stream = io.StringIO()
    text_report.print_to(stream, [refuted([{"illness": "flu " * 60}], [])])
    lines = stream.getvalue().splitlines()
    assert max(map(len, lines)) <= columns
    assert Console(file=stream).width == columns
    assert " ".join(" ".join(lines).split()).count("flu") >= 60  # what differs is never cut off
