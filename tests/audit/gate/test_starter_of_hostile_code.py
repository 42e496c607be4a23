"""What a function tells of itself and what it releases is data: a first configuration is never written by it."""

import tomllib

import pytest
from click.testing import CliRunner

from crowdproof.claims import KAnonymity, parse_claim
from crowdproof.cli import cli

COLUMNS = {
    "a line that ends": 'age\nevidence = "elsewhere.sqlite"\n[[suppressions]]\n#',
    "another line that ends": "zip\r\u2028claim = 'safe()'",
    "parts of a claim": "city, k=1)",
    "a bar": "city|zip",
    "a terminal's escape": "sex\x1b[2J",
    "quotes": "age\"'\\\x7f",
}
DEFAULTS = {
    "a number that writes itself": "type('N', (int,), {'__repr__': lambda n: '3\\nevidence = 1'})(3)",
    "a text that writes itself": "type('T', (str,), {'__str__': lambda n: '\\x1b'})('t')",
    "a member of an enumeration": "__import__('enum').IntEnum('E', ['A']).A",
    "digits without end": "10**5000",
    "a number beyond TOML's": "2**63",
    "a list that holds itself": "(lambda v: v.append(v) or v)([])",
    "a list of anything": "[None, {1: 2}, object()]",
    "half a character": "'\\ud800'",
    "a control character": "'\\x7f\\x00'",
    "no number": "float('nan')",
    "no end": "float('-inf')",
}
SOUND = {"a number": "3", "a text": "'caf\\u00e9 \\U0001f600'", "a list": "[1, [2.5, True]]", "nothing": "None"}


def init(folder, monkeypatch, source, *more):
    """The configuration that is written for `f`, as TOML reads it."""
    monkeypatch.chdir(folder)
    (folder / "target.py").write_text(source, encoding="utf-8")
    (folder / "people.csv").write_text("age\n" + "20\n30\n" * 4)
    ran = CliRunner().invoke(cli, ["init", "target.py:f", *more], catch_exceptions=False)
    assert ran.exit_code == 0, ran.output
    assert "\x1b" not in ran.output
    text = (folder / "privacy.toml").read_text(encoding="utf-8")
    assert not {"\x1b", "\x7f", "\r", "\u2028"}.intersection(text)
    return tomllib.loads(text)


def check(written):
    """Nothing but what init writes is there."""
    assert set(written) == {"error", "seconds", "evidence", "defaults", "claims"}
    assert written["evidence"] == ".crowdproof/evidence.sqlite"
    (claim,) = written["claims"]
    assert set(claim) <= {"name", "target", "claim", "form", "params"}
    return parse_claim(claim["claim"])


@pytest.mark.slow
def test_names_of_columns_stay_names(tmp_path, monkeypatch):
    table = {**dict.fromkeys(COLUMNS.values(), [1] * 4), "age": [2] * 4}
    source = f"import polars as pl\ndef f(table, k=3):\n    return pl.DataFrame({table!r})\n"
    claim = check(init(tmp_path, monkeypatch, source, "--data", "people.csv"))
    assert isinstance(claim, KAnonymity)
    assert claim.k == 3
    assert set(claim.columns) <= set(table)
    assert "age" in claim.columns
    assert COLUMNS["a bar"] not in claim.columns


@pytest.mark.parametrize("default", [*DEFAULTS.values(), *SOUND.values()], ids=[*DEFAULTS, *SOUND])
def test_defaults_stay_values(tmp_path, monkeypatch, default):
    written = init(tmp_path, monkeypatch, f"def f(table, größe={default}, epsilon={default}):\n    return 1\n")
    check(written)
    parameters = written["claims"][0].get("params", {})
    if default in set(SOUND.values()) - {"None"}:
        assert parameters["größe"] == eval(default)


def test_epsilon_and_delta_are_read_where_they_can_be_promised(tmp_path, monkeypatch):
    for number, (epsilon, delta, claim) in enumerate(
        [("2", "1e-6", "dp(epsilon=2, delta=1e-06)"), ("True", "0.5", "dp(epsilon=1)"), ("1", "-1.0", "dp(epsilon=1)")]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        written = init(folder, monkeypatch, f"def f(table, epsilon={epsilon}, delta={delta}):\n    return 1\n")
        assert parse_claim(written["claims"][0]["claim"]) == parse_claim(claim)
