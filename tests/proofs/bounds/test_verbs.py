"""`crowdproof bound`, `plan` and `figures` as a person meets them."""

import json
import sys
from fractions import Fraction

import polars as pl
import pytest

from crowdproof.cli import main
from crowdproof.findings import Refuted
from crowdproof.proofs.bounds import figures as drawn
from crowdproof.proofs.bounds import theorem5, tight


@pytest.fixture
def crowdproof(monkeypatch, capsys):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["crowdproof", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        shown = capsys.readouterr()
        return left.value.code, shown.out, shown.err

    return run


def test_bound_shows_all_numbers_side_by_side(crowdproof):
    code, out, _ = crowdproof("bound", "--k", "20", "--beta", "0.1", "--epsilon", "0.5")
    assert code == 0
    rows = [line.split() for line in out.splitlines()]
    five = ["Theorem", "5", "0.5", "1.607e-9", "n", "=", "44", "kernel-checked", "(thm5,"]
    exact = ["tight,", "add", "or", "remove", "0.5", "2.632e-11", "42", "rows", "against", "41", "kernel-checked"]
    assert five in rows
    assert exact in rows
    assert any(row[:4] == ["tight,", "replace", "0.5", "2.807e-11"] for row in rows)
    assert any(row[:3] == ["crowd-blending", "0.1054", "0.0007076"] for row in rows)
    assert "dps(beta=0.1, epsilon=0.5, delta=2.632e-11)" in out


def test_bound_below_theorem_5s_epsilons_says_so(crowdproof):
    code, out, _ = crowdproof("bound", "--k", "20", "--beta", "0.1", "--epsilon", "0.05")
    assert code == 0
    assert "only for epsilon >=" in out
    assert "beta) = 0.1054" in out


def test_bound_as_json_holds_both_ends(crowdproof):
    code, out, _ = crowdproof("bound", "--k", "20", "--beta", "0.1", "--epsilon", "0.5", "--format", "json")
    assert code == 0
    parameters = _parameters(json.loads(out))
    for name, found in (("theorem5", theorem5(20, "0.1", "0.5")), ("tight", tight(20, "0.1", "0.5"))):
        low, high = map(Fraction, parameters[name]["delta"])
        assert low <= found.low <= found.high <= high
        assert high - low < high * Fraction(1, 10**15)
        assert parameters[name]["n"] == found.n


def _parameters(report):
    findings = report["findings"] if isinstance(report, dict) else report
    return findings[0]["reproduce"]["parameters"]


def test_bound_where_a_dps_claim_would_say_nothing(crowdproof):
    code, out, _ = crowdproof("bound", "--k", "1", "--beta", "0.1", "--epsilon", "1")
    assert code == 0
    assert "dp(epsilon=1, delta=0.1)" in out


@pytest.mark.parametrize(
    ("given", "answers"),
    [
        (("--epsilon", "1", "--delta", "1e-6", "--beta", "0.1"), ("9", "8", "8")),
        (("--epsilon", "1", "--delta", "1e-6", "--k", "20"), ("0.297342", "0.350029", "0.343314")),
        (("--delta", "1e-6", "--beta", "0.1", "--k", "20"), ("0.291942", "0.182989", "0.189074")),
        (("--epsilon", "0.5", "--beta", "0.1", "--k", "20"), ("1.607e-9", "2.632e-11", "2.807e-11")),
    ],
)
def test_plan_finds_what_is_left_out(crowdproof, given, answers):
    code, out, _ = crowdproof("plan", *given)
    assert code == 0
    starts = ("Theorem 5", "tight, add or remove", "tight, replace")
    for start, answer in zip(starts, answers, strict=True):
        line = next(line for line in out.splitlines() if line.strip().startswith(start))
        assert answer in line.split()


def test_plan_without_a_rate_offers_several(crowdproof):
    code, out, _ = crowdproof("plan", "--epsilon", "1", "--delta", "1e-6")
    assert code == 0
    for k, beta in (("74", "max"), ("58", "max"), ("14", "0.2"), ("12", "0.2")):
        assert any(f" {k} " in line and f" {beta} " in line for line in out.splitlines())


def test_plan_tells_the_rows_kept(crowdproof, tmp_path):
    table = tmp_path / "people.csv"
    pl.DataFrame({"age": [30] * 90 + [40] * 60, "name": [str(i) for i in range(150)]}).write_csv(table)
    given = ("--epsilon", "1", "--delta", "1e-6", "--beta", "0.1", "--data", str(table))
    code, out, _ = crowdproof("plan", *given, "--columns", "age")
    assert code == 0
    assert "of 150 rows the plan by the tight number releases" in out
    code, _, err = crowdproof("plan", *given, "--columns", "height")
    assert code == 2
    assert "no column 'height'" in err
    code, _, err = crowdproof("plan", *given, "--columns", "age", "--columns", "age")
    assert code == 2
    assert "age is named twice: name each column once" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bound", "--k", "20", "--beta", "0", "--epsilon", "1"), "strictly between 0 and 1"),
        (("bound", "--k", "20", "--beta", "1", "--epsilon", "1"), "strictly between 0 and 1"),
        (("bound", "--k", "20", "--beta", "0.1", "--epsilon", "-1"), "at least 0"),
        (("bound", "--k", "0", "--beta", "0.1", "--epsilon", "1"), "at least 1"),
        (("bound", "--k", "20", "--beta", "a tenth", "--epsilon", "1"), "not a number"),
        (("bound", "--k", "20", "--beta", "nan", "--epsilon", "1"), "not a number"),
        (("bound", "--k", "20", "--beta", "0.1", "--epsilon", "inf"), "not a number"),
        (("bound", "--k", "2.5", "--beta", "0.1", "--epsilon", "1"), "whole number"),
        (("bound", "--k", "20", "--beta", "0.1"), "Missing option"),
        (("plan", "--epsilon", "1", "--delta", "0.1", "--beta", "0.1"), "delta >= beta"),
        (("plan", "--epsilon", "1", "--delta", "1"), "below 1"),
        (("plan", "--epsilon", "1"), "a plan needs"),
        (("plan", "--epsilon", "1", "--delta", "1e-6", "--beta", "0.1", "--k", "20"), "leave one out"),
        (("plan", "--k", "3", "--delta", "1e-6", "--beta", "0.1"), "below beta"),
        (("figures", "--output", "/dev/null/here"), "cannot write"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(crowdproof, arguments, message):
    code, out, err = crowdproof(*arguments)
    assert code == 2
    assert message in err
    assert "Traceback" not in err
    assert not out


@pytest.mark.slow
def test_figures_are_written(crowdproof, tmp_path, monkeypatch):
    monkeypatch.setattr(drawn, "_STEPS", 4)
    monkeypatch.setattr(drawn, "KS", (6, 20))
    code, out, err = crowdproof("figures", "--output", str(tmp_path / "figures"))
    assert code == 0
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert names == {
        f"{name}.{kind}"
        for name in ("table1", "table2", *(f"figure{i}" for i in range(1, 7)))
        for kind in ("csv", "svg", "png")
    }
    assert all((tmp_path / "figures" / name).stat().st_size > 100 for name in names)
    assert "figure6.svg" in err
    assert out.startswith("PROVED")
    table = pl.read_csv(tmp_path / "figures" / "table2.csv", infer_schema=False)
    assert table.filter(pl.col("by") == "printed")["epsilon 0.5"].to_list() == ["2.50e-14", "1.61e-9", "8.02e-6"]


def test_a_wrong_table_2_would_be_refuted(monkeypatch):
    first = ("6.84e-10", *drawn.TABLE_2[0][1:])
    monkeypatch.setattr(drawn, "TABLE_2", (first, *drawn.TABLE_2[1:]))
    verdict = drawn.table_2_finding().verdict
    assert isinstance(verdict, Refuted)
    assert list(verdict.witness.values) == ["beta 0.05, epsilon 0.25"]


def test_figures_without_matplotlib_say_what_to_install(crowdproof, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, _, err = crowdproof("figures", "--output", str(tmp_path))
    assert code == 2
    assert "crowdproof[report]" in err


@pytest.mark.parametrize("arguments", [("plan", "--delta", "1e-6"), ("bound", "--k", "20", "--beta", "0.1")])
def test_an_epsilon_beyond_all_use_is_told_with_the_remedy(crowdproof, arguments):
    code, _, err = crowdproof(*arguments, "--epsilon", "1e999")
    assert code == 2
    assert "too extreme" in err
    assert "smaller epsilon" in err
