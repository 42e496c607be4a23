"""The configuration: every mistake at once, each with its line, and nothing unknown let through."""

import datetime
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from crowdproof import DP, DPS
from crowdproof.audit.gate import find_project, read_project
from crowdproof.audit.gate.config_schema import config_schema
from crowdproof.audit.gate.positions import line_of, positions
from crowdproof.audit.gate.recipes import Gaussian, Laplace, StronglySafe
from crowdproof.errors import ConfigError, ExitCode

GOOD = """\
error = 1e-8
seconds = 30
evidence = ".crowdproof/evidence.sqlite"

[defaults]
data = "people.csv"
runs = 5000

[[claims]]
name = "histogram"
target = "release:histogram"
claim = "dps(beta=0.1, epsilon=0.5, delta=1e-9)"
params = { k = 20, columns = ["age"], scale = 0.5 }
mechanism = { kind = "strongly-safe", k = 20 }

[[claims]]
name = "count"
target = "release.py:count"
values = { age = [1, 2.5, 3], sex = ["f", "m"] }
sources = ["weights.bin"]
[claims.claim]
notion = "dp"
epsilon = "ln 3"

[[suppressions]]
claim = "count"
fingerprint = "0123456789abcdef"
reason = "the fix is under review"
until = 2026-12-31
"""


def write(folder: Path, text: str, name: str = "privacy.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def mistakes(folder: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        read_project(write(folder, text))
    assert caught.value.exit_code is ExitCode.USAGE
    return [line.strip() for line in str(caught.value).splitlines()[1:]]


def test_a_whole_file_is_read_exactly(tmp_path):
    project = read_project(write(tmp_path, GOOD))
    config = project.config
    first, second = config.claims
    assert config.error == Fraction(1, 10**8)
    assert first.claim == DPS("0.1", "0.5", "1e-9")
    assert first.params == {"k": 20, "columns": ["age"], "scale": 0.5}
    assert first.mechanism == StronglySafe(20)
    assert second.claim == DP("ln 3")
    assert second.values == {"age": (1, 2.5, 3), "sex": ("f", "m")}
    assert config.suppressions[0].until.date == datetime.date(2026, 12, 31)
    assert project.lines == {"claims.histogram": 9, "claims.count": 16, "suppressions.0": 25}


def test_all_mistakes_are_reported_at_once_with_their_lines(tmp_path):
    text = """\
eror = 1e-6
seconds = -1
error = 2
[defaults]
timeout = "soon"
[[claims]]
name = ""
target = 3
claim = "dp(epsilon=-1)"
runs = 1.5
[[claims]]
name = "b"
claim = { notion = "magic" }
mechanism = { kind = "laplace", scale = 0, skale = 1 }
params = 3
schema = { age = 3 }
[[suppressions]]
claim = "b"
until = "2026-13-40"
"""
    found = mistakes(tmp_path, text)
    lines = [int(each.split()[1].rstrip(":")) for each in found]
    assert lines == [1, 2, 3, 5, 7, 8, 9, 10, 11, 13, 14, 14, 15, 16, 17, 17]
    assert "did you mean error?" in found[0]
    assert any("has no target" in each for each in found)
    assert any("'skale'" in each for each in found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("claims = 3", "claims: 3 is not a list"),
        ("[claims]\nname = 'a'", "is not a list"),
        ("claims = ['a']", "is not a table"),
        ("[[claims]]\nname='a'\ntarget='a:b'\nclaim='dp(epsilon=1)'\ndata='x.csv'\nvalues={a=[1]}", "keep one"),
        ("[[claims]]\nname='a'\ntarget='a:b'\nclaim='dp(epsilon=1)'\nsampling='nobody'", "auditor or target"),
        ("[[claims]]\nname='a'\ntarget='a:b'\nclaim='safe()'\nmechanism={kind='laplace', scale=1}", "says nothing"),
        ("[[claims]]\nname='a'\ntarget='a:b'\nclaim='dp(epsilon=1)'\nmechanism={kind='strongly-safe', k=2}", "beta"),
        (
            (
                "[[claims]]\nname='a'\ntarget='a:b'\nclaim='dps(beta=0.1,epsilon=1)'\n"
                "mechanism={kind='strongly-safe', k=2, beta=0.2}"
            ),
            "agree",
        ),
        ("[[claims]]\nname='a'\ntarget='a:b'\nclaim='dp(epsilon=1)'\ntimeout=3e6", "at most 1,000,000 seconds"),
        ("[[suppressions]]\nclaim='a'\nfingerprint='f'\nreason='r'\nuntil=2026-01-01", "matches nothing"),
        (2 * "[[claims]]\nname='a'\ntarget='a:b'\nclaim='dp(epsilon=1)'\n", "names are unique"),
    ],
)
def test_each_kind_of_mistake_is_named(tmp_path, text, words):
    assert any(words in each for each in mistakes(tmp_path, text))


def test_recipes_are_told_apart_by_their_kind(tmp_path):
    entry = "[[claims]]\nname='{0}'\ntarget='a:b'\nclaim='dp(epsilon=1)'\nmechanism={1}\n"
    text = entry.format("l", "{kind='laplace', scale='1/2'}") + entry.format("g", "{kind='gaussian', sigma=4}")
    first, second = read_project(write(tmp_path, text)).config.claims
    assert (first.mechanism, second.mechanism) == (Laplace(Fraction(1, 2)), Gaussian(4))


def test_pyproject_holds_the_same_with_its_own_lines(tmp_path):
    text = "[project]\nname = 'x'\n[tool.crowdproof]\nseconds = 5\n[[tool.crowdproof.claims]]\nname = 'a'\n"
    with pytest.raises(ConfigError, match=r"line 5: claims\[1\] has no claim"):
        find_project(folder=write(tmp_path, text, "pyproject.toml").parent)


def test_where_the_claims_are_is_never_guessed(tmp_path):
    with pytest.raises(ConfigError, match="crowdproof init"):
        find_project(folder=tmp_path)
    write(tmp_path, GOOD)
    assert len(find_project(folder=tmp_path).config.claims) == 2
    write(tmp_path, "[tool.crowdproof]\n", "pyproject.toml")
    with pytest.raises(ConfigError, match="one of the two"):
        find_project(folder=tmp_path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tool = 3", r"tool is 3, which is not a table: write it as \[tool\]"),
        ("tool = []", r"tool is \[\], which is not a table"),
        ("[[tool]]\ncrowdproof = 3", r"tool is \[.*\], which is not a table"),
        ("[tool]\ncrowdproof = 3", r"tool.crowdproof is 3, which is not a table: write it as \[tool.crowdproof\]"),
    ],
)
def test_a_pyproject_whose_tables_are_none_is_a_configuration_error(tmp_path, text, words):
    path = write(tmp_path, text, "pyproject.toml")
    with pytest.raises(ConfigError, match=words):
        find_project(folder=tmp_path)
    with pytest.raises(ConfigError, match=words):
        read_project(path)


def test_a_pyproject_without_our_table_is_none_of_ours(tmp_path):
    write(tmp_path, "[tool.ruff]\nline-length = 3\n", "pyproject.toml")
    with pytest.raises(ConfigError, match="crowdproof init"):
        find_project(folder=tmp_path)


NO_TOML = [
    b"claims = [",
    b"\xff\xfe",
    b"a = 1\na = 2",
    b"a = " + b"[" * 9999,
    b"a = " + b"1" * 9999,
    b"a = 1e" + b"9" * 30,
]


@pytest.mark.parametrize("content", NO_TOML, ids=range(len(NO_TOML)))
def test_a_file_that_is_no_toml_is_a_configuration_error(tmp_path, content):
    path = tmp_path / "privacy.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError):
        read_project(path)


def test_a_missing_file_is_a_configuration_error(tmp_path):
    with pytest.raises(ConfigError, match="cannot read"):
        read_project(tmp_path / "nowhere.toml")


KEYS = st.text("abcd-", min_size=1, max_size=4)
VALUES = st.sampled_from(["1", "'x'", "[1,\n 2]", '"""\n[no.table]\nk = 1\n"""', "{ a = 1, b = [2] }", "2020-01-01"])


@given(
    st.lists(st.tuples(st.booleans(), KEYS, st.lists(st.tuples(KEYS, VALUES), max_size=3, unique_by=lambda p: p[0])))
)
def test_positions_are_found_for_every_value(tables):
    """Every statement's own line is known beforehand: write the text line by line and compare."""
    lines: list[str] = []
    expected: dict[tuple[str | int, ...], int] = {}
    counts: dict[str, int] = {}
    for number, (array, name, pairs) in enumerate(tables):
        key = f"{name}{'s' if array else number}"
        where: tuple[str | int, ...] = (key, counts.get(key, 0)) if array else (key,)
        counts[key] = counts.get(key, 0) + 1
        lines.append(f"[[{key}]]" if array else f"[{key}]")
        expected[where] = len(lines)
        for inner, value in pairs:
            expected[(*where, inner)] = len(lines) + 1
            lines += ["# a comment", *f"{inner} = {value}".split("\n")]
            expected[(*where, inner)] += 1
    text = "\n".join(lines)
    tomllib.loads(text)
    found = positions(text)
    assert {where: found[where] for where in expected} == expected


def test_the_line_of_something_absent_is_that_of_what_is_around_it():
    lines = positions("a = 1\n[[b]]\nc = 2\n")
    assert [line_of(where, lines) for where in (("b", 0, "d"), ("x",), ("b", 0, "c"))] == [2, 1, 3]


def test_the_schema_accepts_what_is_read_and_rejects_what_is_not(tmp_path):
    schema = config_schema()
    Draft7Validator.check_schema(schema)
    validator = Draft7Validator(schema)
    content = tomllib.loads(GOOD)
    content["suppressions"][0]["until"] = "2026-12-31"  # JSON has no dates
    assert list(validator.iter_errors(content)) == []
    wrong = [
        {"eror": 1},
        {"claims": [{"name": "a", "target": "a:b"}]},
        {"claims": [{"name": "a", "target": "a:b", "claim": "magic(1)"}]},
        {"claims": [{"name": "a", "target": "a:b", "claim": "dp(epsilon=1)", "mechanism": {"kind": "laplace"}}]},
        {"suppressions": [{"claim": "a"}]},
        {"claims": "a"},
    ]
    assert all(list(validator.iter_errors(each)) for each in wrong)


def test_every_key_is_explained_to_the_editor():
    def walk(node):
        if isinstance(node, dict):
            for name, each in node.get("properties", {}).items():
                assert each.get("description") or "const" in each or "enum" in each, name
            for each in node.values():
                walk(each)
        elif isinstance(node, list):
            for each in node:
                walk(each)

    walk(config_schema())
