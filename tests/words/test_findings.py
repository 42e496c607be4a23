"""Findings: exit codes, and JSON that reads back to the same values."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdproof import DP, DPS, Assertion, KAnonymity
from crowdproof import findings as f
from crowdproof.errors import DataError, ExitCode
from crowdproof.wire import dumps, from_json, loads, to_json

text = st.text(max_size=12)
numbers = st.fractions(min_value=0, max_value=1, max_denominator=10**6)
floats = st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | floats | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
estimates = st.tuples(numbers, numbers).map(lambda pair: f.Estimate(min(pair), max(pair)))
events = st.builds(f.Event, text, st.dictionaries(text, json_values, max_size=2))
pair_witnesses = st.builds(f.PairWitness, json_values, json_values, events, estimates, estimates, estimates)
counterexamples = st.builds(f.Counterexample, text, st.dictionaries(text, text, max_size=3))
verdicts = st.one_of(
    st.just(f.Proved()),
    st.builds(f.Refuted, pair_witnesses | counterexamples),
    st.builds(f.NotRefuted, text, st.none() | floats, st.none() | floats),
    st.builds(f.Undecided, text),
    st.builds(f.Skipped, text),
)
certainties = st.one_of(
    st.none(),
    st.just(f.Exact()),
    st.builds(f.ByProof, st.lists(text, max_size=3).map(tuple)),
    st.builds(f.Confidence, numbers),
)
lines = st.lists(floats, max_size=4).map(tuple)
series = st.builds(f.Series, text, lines, lines, lines, lines, st.booleans())
evidence = st.one_of(
    st.builds(f.Note, text, text),
    st.builds(f.Table, text, st.just(("a", "b")), st.lists(st.tuples(text, text), max_size=3).map(tuple)),
    st.builds(f.Chart, text, text, text, st.lists(series, max_size=2).map(tuple), st.booleans(), st.booleans()),
)
claims = st.sampled_from([DP(1), DPS("1/3", "ln 3", 0.02), KAnonymity(10, ["age"]), Assertion("x", "y")])
finds = st.builds(
    f.Finding,
    text,
    claims,
    verdicts,
    certainties,
    st.lists(evidence, max_size=3).map(tuple),
    st.builds(f.Cost, st.integers(0, 10**12), st.floats(0, 1e6)),
    st.builds(f.Reproduce, text, st.none() | st.integers(0, 2**64), st.dictionaries(text, json_values, max_size=2)),
)


@given(st.lists(finds, max_size=3))
def test_json_reads_back_to_the_same_findings(found):
    assert loads(dumps(found)) == found


def finding(verdict):
    return f.Finding("m", DP(1), verdict)


HELD, LEAKS = finding(f.Proved()), finding(f.Refuted(f.Counterexample("here")))
SILENT, UNSURE, BROKEN = finding(f.NotRefuted("0.1")), finding(f.Undecided("time")), finding(f.Skipped("crashed"))


@pytest.mark.parametrize(
    ("found", "strict", "code"),
    [
        ([], False, ExitCode.BROKEN),
        ([HELD, SILENT], False, ExitCode.HELD),
        ([HELD, LEAKS, BROKEN], False, ExitCode.REFUTED),
        ([HELD, BROKEN], False, ExitCode.BROKEN),
        ([HELD, UNSURE], False, ExitCode.HELD),
        ([HELD, UNSURE], True, ExitCode.UNDECIDED),
        ([UNSURE, BROKEN], True, ExitCode.BROKEN),
        ([UNSURE, LEAKS], True, ExitCode.REFUTED),
    ],
)
def test_exit_codes(found, strict, code):
    assert f.exit_code(found, strict=strict) == code


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
