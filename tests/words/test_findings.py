"""Findings: exit codes, and JSON that reads back to the same values."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.strategies import findings

from crowdproof import DP
from crowdproof import findings as f
from crowdproof.errors import DataError, ExitCode
from crowdproof.wire import dumps, from_json, loads, to_json


@given(st.lists(findings, max_size=3))
def test_json_reads_back_to_the_same_findings(found):
    assert loads(dumps(found)) == found


def finding(verdict):
    return f.Finding("m", DP(1), verdict)


HELD, LEAKS = finding(f.Proved()), finding(f.Refuted(f.Counterexample("here")))
SILENT, UNSURE, BROKEN = finding(f.NotRefuted("0.1")), finding(f.Undecided("time")), finding(f.Skipped("crashed"))


@pytest.mark.parametrize(
    ("found", "lenient", "code"),
    [
        ([], False, ExitCode.BROKEN),
        ([HELD, SILENT], False, ExitCode.HELD),
        ([HELD, LEAKS, BROKEN], False, ExitCode.REFUTED),
        ([HELD, BROKEN], False, ExitCode.BROKEN),
        ([HELD, UNSURE], True, ExitCode.HELD),
        ([HELD, UNSURE], False, ExitCode.UNDECIDED),
        ([UNSURE, BROKEN], True, ExitCode.BROKEN),
        ([UNSURE, LEAKS], True, ExitCode.REFUTED),
    ],
)
def test_exit_codes(found, lenient, code):
    assert f.exit_code(found, lenient=lenient) == code


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("", "not JSON"),
        ("[1, 2]", "no findings"),
        ('{"schema": 99}', "schema 99"),
        ('{"schema": 1, "subject": "x"}', "not a finding"),
    ],
)
def test_a_file_that_holds_no_findings_is_refused_in_one_sentence(broken, said):
    with pytest.raises(DataError, match=said):
        loads(broken)


def test_unknown_keys_are_refused():
    record = to_json(HELD) | {"surprise": 1}
    with pytest.raises(DataError, match="surprise"):
        from_json(record)


def test_numbers_on_the_wire_are_exact():
    exact = f.Estimate.exactly(Fraction(119, 5120))
    witness = f.PairWitness([], [], f.Event("e"), exact, exact, exact)
    record = to_json(finding(f.Refuted(witness)))
    assert Fraction(record["verdict"]["witness"]["excess"]["low"]) == Fraction(119, 5120)
