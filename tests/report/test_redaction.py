"""Reports for people hide who is in the data: identifiers by default, further columns on request."""

from fractions import Fraction

import pytest

import crowdproof as cp
from crowdproof.claims import DP, KAnonymity
from crowdproof.errors import ExitCode
from crowdproof.findings import Counterexample, Estimate, Event, Finding, Note, PairWitness, Refuted, Skipped, Table
from crowdproof.report import FORMATS, render
from crowdproof.report.redaction import HIDDEN, Hidden

PEOPLE = [{"name": "Finn Schulz", "patient_id": "P10007", "zip": "02138"}, {"name": "Ida", "patient_id": 7, "zip": "x"}]
SHAPES = {
    "records": PEOPLE,
    "columns": {name: [row[name] for row in PEOPLE] for name in PEOPLE[0]},
    "rows": {"columns": list(PEOPLE[0]), "rows": [list(row.values()) for row in PEOPLE]},
}
FOR_PEOPLE = [each for each in FORMATS if each != "json"]


def finding(left, words="the release contains the word Finn Schulz"):
    one, nothing = Estimate.exactly(Fraction(1)), Estimate.exactly(Fraction(0))
    event = Event(words)
    witness = PairWitness(left=left, right=[], event=event, p_left=one, p_right=nothing, excess=one)
    evidence = (
        Note("Pair", "10 equal rows and one with name = Hans Koch, against the same without it"),
        Table("Rows", ("patient_id", "zip"), (("P10007", "02138"),)),
    )
    return Finding("a release", DP(1), Refuted(witness), evidence=evidence)


@pytest.fixture
def hidden():
    """Sets what is hidden for one test."""
    tokens = []
    yield lambda *columns, shown=False: tokens.append(HIDDEN.set(Hidden(frozenset(columns), shown=shown)))
    for token in reversed(tokens):
        HIDDEN.reset(token)


@pytest.mark.parametrize("form", FOR_PEOPLE)
@pytest.mark.parametrize("shape", SHAPES)
def test_identifiers_are_hidden_wherever_they_stand(form, shape):
    shown = render([finding(SHAPES[shape])], form)
    assert not [each for each in ("Finn", "Schulz", "Hans Koch", "P10007") if each in shown]
    if form in {"text", "html", "markdown"}:
        assert all(each in shown for each in ("(name 1)", "02138", "Hidden values"))


@pytest.mark.parametrize("form", FOR_PEOPLE)
def test_identifiers_are_shown_on_request(form, hidden):
    hidden(shown=True)
    shown = render([finding(PEOPLE)], form)
    assert "Finn Schulz" in shown
    assert "Hidden values" not in shown


def test_further_columns_are_hidden_on_request(hidden):
    hidden("zip", shown=True)
    shown = render([finding(PEOPLE)], "text")
    assert "02138" not in shown
    assert "Finn Schulz" in shown


def test_json_keeps_the_values_that_a_replay_needs():
    assert "Finn Schulz" in render([finding(PEOPLE)], "json")


def test_texts_that_differ_in_every_row_are_hidden_whatever_their_column_is_called():
    rows = [{"who": f"Q{100 + i}", "town": ("Bonn", "Köln")[i % 2]} for i in range(30)]
    shown = render([finding(rows, "the release contains the word Q111")], "html")
    assert "Q111" not in shown
    assert "Bonn" in shown


def test_a_short_number_is_hidden_only_where_its_column_says_what_it_is():
    text = render([finding([{"id": 7, "age": 7}], "the number of rows is 7")], "text")
    assert "the number of rows is 7" in text
    assert "id = (id 1)" in text
    assert "age = 7" in text


def test_a_row_that_is_unique_in_a_file_is_not_named():
    values = {"name": "Finn Schulz", "zip": "02138"}
    verdict = Refuted(Counterexample("At least one row is unique.", values))
    shown = render([Finding("a file", KAnonymity(2), verdict)], "text")
    assert "Finn" not in shown
    assert "zip = 02138" in shown


def test_print_and_a_notebook_hide_them_too():
    found = finding(PEOPLE)
    assert "Finn" not in str(found)
    assert all("Finn" not in each for each in found._repr_mimebundle_().values())
    assert "Finn" not in found._repr_html_()


def test_a_finding_without_identifiers_stays_as_it_is(hidden):
    found = finding([{"age": 41}], "the number of rows is 1")
    found = Finding(found.subject, found.claim, found.verdict)
    before = render([found], "text")
    hidden(shown=True)
    assert render([found], "text") == before


def test_the_options_hide_and_show(command_line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("name,age\nFinn Schulz,41\nIda,41\n")
    shown = {}
    for options in ((), ("--show-identifiers",), ("--show-identifiers", "--redact", "name", "--redact", "age")):
        code, shown[options], _ = command_line("check", "people.csv", *options)
        assert code == ExitCode.REFUTED
    hidden, plain, more = shown.values()
    assert ("Finn" in hidden, "Finn" in plain, "Finn" in more) == (False, True, False)
    assert ("age = 41" in hidden, "age = 41" in more) == (True, False)


def test_the_safe_twin_of_a_report_says_nothing_of_hidden_values():
    assert "Hidden values" not in str(cp.bound(20, "0.1", "0.5"))


def test_a_text_of_a_megabyte_without_a_space_is_read_in_one_go():
    long = Finding("x", None, Skipped(f"it raised {'x' * 1_000_000}, age = 31"))
    assert "Nothing could be examined" in render([long], "text")
