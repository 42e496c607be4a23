"""The verbs from Python, as somebody uses them who knows pandas and not this package."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import crowdproof as cp
from crowdproof.audit.gate.assertion import PrivacyError
from crowdproof.errors import CrowdproofError, DataError, ParameterError, TargetError

ROWS = [{"zip": "02138" if i % 2 else "02139", "age": 30 + i} for i in range(10)]
FRAME = pd.DataFrame(ROWS)
TABLES = {
    "pandas": FRAME,
    "polars": pl.DataFrame(ROWS),
    "lazy": pl.LazyFrame(ROWS),
    "pyarrow": pl.DataFrame(ROWS).to_arrow(),
    "rows": ROWS,
    "mapping": {"zip": [each["zip"] for each in ROWS], "age": [each["age"] for each in ROWS]},
}
KINDS = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "rows": list,
    "numpy": np.ndarray,
}
QUICK = {"runs": 2000, "seconds": 20.0, "search": 0}


def leaky(people):
    return len(people)


def safe(people):
    return 0


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize(("function", "verdict"), [(leaky, "REFUTED"), (safe, "NOT_REFUTED")])
def test_tables_of_every_library_are_examined(kind, function, verdict):
    if kind == "lazy" and function is leaky:
        function = lambda people: people.collect().height  # noqa: E731
    finding = cp.examine(function, "dp(epsilon=1)", data=TABLES[kind], deterministic=True, **QUICK)
    assert finding.verdict.name == verdict


@pytest.mark.parametrize(("function", "verdict"), [(leaky, "REFUTED"), (safe, "NOT_REFUTED")])
def test_arrays_and_lists_of_numbers_are_examined(function, verdict):
    for data in (np.arange(8.0), list(range(8))):
        assert cp.examine(function, "dp(epsilon=1)", data=data, deterministic=True, **QUICK).verdict.name == verdict


@pytest.mark.parametrize("kind", ["pandas", "polars", "rows", "lazy"])
def test_a_function_gets_the_kind_of_table_that_was_given(kind):
    seen = set()

    def release(people):
        seen.add(type(people))
        return 0

    cp.examine(release, "dp(epsilon=1)", data=TABLES[kind], deterministic=True, **QUICK)
    assert seen == {KINDS[kind]}


def test_an_annotation_says_more_than_the_data():
    seen = set()

    def release(people: pl.DataFrame):
        seen.add(type(people))
        return 0

    cp.examine(release, "dp(epsilon=1)", data=FRAME, deterministic=True, **QUICK)
    assert seen == {pl.DataFrame}


def test_randomness_is_passed_only_where_a_parameter_asks_for_it():
    def with_rng(people, rng):
        return len(people) + rng.laplace(scale=0.1)

    def with_seed(people, seed):
        return len(people) + np.random.default_rng(seed).laplace(scale=0.1)

    def global_state(people):
        return len(people) + np.random.laplace(scale=0.1)  # noqa: NPY002

    for function in (with_rng, with_seed, global_state, lambda people, noise: len(people) + noise.laplace(scale=0.1)):
        assert cp.examine(function, "dp(epsilon=1)", data=FRAME, runs=4000, search=0).verdict.name == "REFUTED"


def test_parameters_and_claims_as_objects():
    def release(people, k):
        return len(people) if len(people) >= k else None

    finding = cp.examine(release, cp.DP(1), data=FRAME, params={"k": 3}, deterministic=True, **QUICK)
    assert finding.verdict.name == "REFUTED"


def test_text_names_a_function(tmp_path):
    (tmp_path / "own.py").write_text("def release(df):\n    return df.groupby('zip').size().reset_index(name='n')\n")
    finding = cp.examine(f"{tmp_path}/own.py:release", "dp(epsilon=1)", data=FRAME, isolate="none", **QUICK)
    assert finding.verdict.name == "REFUTED"
    assert finding.reproduce.parameters["target"]["form"] == "pandas"


def test_a_path_is_data(tmp_path):
    FRAME.to_csv(tmp_path / "people.csv", index=False)
    finding = cp.examine(leaky, "dp(epsilon=1)", data=tmp_path / "people.csv", deterministic=True, **QUICK)
    assert finding.verdict.name == "REFUTED"


def test_print_shows_the_text_report_and_a_notebook_the_page():
    finding = cp.examine(leaky, "dp(epsilon=1)", data=FRAME, deterministic=True, **QUICK)
    assert str(finding).startswith("REFUTED")
    assert "The claim is false" in str(finding)
    assert finding._repr_mimebundle_()["text/html"].startswith("<div")


def test_assertion_fails_and_passes():
    assert (
        cp.assert_private(safe, "dp(epsilon=1)", data=FRAME, deterministic=True, **QUICK).verdict.name == "NOT_REFUTED"
    )
    with pytest.raises(PrivacyError, match="The claim is false"):
        cp.assert_private(leaky, "dp(epsilon=1)", data=FRAME, deterministic=True, **QUICK)

    def broken(people):
        raise ValueError("broken")

    with pytest.raises(TargetError, match="broken"):
        cp.assert_private(broken, "dp(epsilon=1)", data=FRAME, **QUICK)


def test_a_refutation_is_replayed(tmp_path):
    finding = cp.examine(leaky, "dp(epsilon=1)", data=FRAME, deterministic=True, **QUICK)
    again = cp.replay(finding, leaky, seed=2)
    assert again.verdict.name == "REFUTED"
    path = tmp_path / "witness.json"
    path.write_text(__import__("crowdproof.report").report.render([finding], "json"))
    assert cp.replay(path, leaky, seed=3).verdict.name == "REFUTED"
    with pytest.raises(ParameterError, match="trust=True"):
        cp.replay(path)


def test_the_other_verbs():
    assert cp.check(FRAME, k=2, columns=["age"])[0].verdict.name == "REFUTED"
    assert cp.check(FRAME, k=2, columns=["zip"])[0].verdict.name != "REFUTED"
    assert cp.bound(20, "0.1", "0.5").verdict.name == "PROVED"
    assert cp.plan(epsilon=1, delta="1e-6", beta="0.1").evidence
    assert cp.prove("gamma")[0].verdict.name == "PROVED"
    assert cp.attack("xor").verdict.name == "REFUTED"
    assert cp.attack("clr", data=FRAME, column="age", trials=3, k=2).verdict is not None
    assert cp.attack("clr", release={"age": ["[20, 99]"] * 2}, column="age", above=50).verdict.name == "REFUTED"


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: cp.examine(leaky, "dsp(epsilon=1)", data=FRAME), ParameterError, "dsp"),
        (lambda: cp.examine(leaky, 3, data=FRAME), ParameterError, "write it like 'dp"),
        (lambda: cp.examine(5, "dp(epsilon=1)", data=FRAME), ParameterError, "cannot be called"),
        (lambda: cp.examine(leaky, "dp(epsilon=1)"), DataError, "give data"),
        (lambda: cp.examine(leaky, "dp(epsilon=1)", data=7), DataError, "give a table of pandas"),
        (lambda: cp.examine(leaky, "dp(epsilon=1)", data=[]), DataError, "at least one row"),
        (lambda: cp.examine(leaky, "dp(epsilon=1)", data="nowhere.csv"), DataError, "no file nowhere.csv"),
        (lambda: cp.examine(leaky, "dp(epsilon=1)", data=FRAME.set_index("zip")), DataError, r"reset_index\(\)"),
        (lambda: cp.examine(leaky, "dp(epsilon=1)", data=FRAME["age"]), DataError, "to_frame"),
        (lambda: cp.examine(leaky, "dp(epsilon=1)", data=FRAME, form="excel"), ParameterError, "pandas"),
        (lambda: cp.examine(leaky, "dp(epsilon=1)", data=FRAME, params={"k": 3}), ParameterError, "no parameter 'k'"),
        (lambda: cp.examine(leaky, "dp(epsilon=1)", data=FRAME, sampling="me"), ParameterError, "auditor or target"),
        (lambda: cp.check(FRAME, kk=2), ParameterError, "kk"),
        (lambda: cp.attack("clrr"), ParameterError, "choose from"),
        (lambda: cp.attack("clr", colour="red"), ParameterError, "takes no 'colour'"),
        (lambda: cp.replay("nowhere.json"), DataError, "nowhere.json"),
    ],
)
def test_errors_are_ours(call, kind, words):
    with pytest.raises(kind, match=words) as caught:
        call()
    assert isinstance(caught.value, CrowdproofError)


def test_the_package_is_imported_without_its_verbs():
    code = (
        "import sys, crowdproof; print([each for each in ('polars', 'numpy', 'scipy', 'sympy') if each in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_an_unknown_name_is_no_attribute():
    assert not hasattr(cp, "examin")
    assert all(callable(getattr(cp, name)) for name in ("examine", "check", "prove", "attack"))
