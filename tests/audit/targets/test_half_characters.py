"""Halves of characters, which JSON can bring and no file can hold: they are shown as escapes wherever they enter."""

import json
import subprocess
import sys
from pathlib import PurePath

import polars as pl
import pytest
from gate_projects import entry, project_file

from crowdproof.audit.releases.canonical import canonical
from crowdproof.audit.releases.traits import traits
from crowdproof.audit.targets import load_target
from crowdproof.errors import NoReleaseError

pytestmark = pytest.mark.processes

PEOPLE = pl.DataFrame({"age": [31, 47, 60]})
PROGRAM = """
import os, sys
for line in sys.stdin:
    open("asked", "w").close()
    if os.path.isdir("reports") and not os.path.exists("reports/out.json"):
        os.mkfifo("reports/out.json")
    print(ANSWER, flush=True)
"""
OUTPUTS = ("json", "sarif", "markdown", "html", "junit", "text")


def lines(folder, answer):
    (folder / "it.py").write_text(f"ANSWER = {answer!r}\n{PROGRAM}")
    return f"lines:{sys.executable} {folder}/it.py"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('{"value": "\\ud800"}', "\\ud800"),
        ('{"value": ["a", {"\\udfff": "\\ud83d\\ude00"}]}', ["a", {"\\udfff": "\U0001f600"}]),
    ],
)
def test_a_value_arrives_with_an_escape(tmp_path, answer, expected):
    with load_target(lines(tmp_path, answer)) as target:
        assert target.runs(PEOPLE, [1]) == [expected]


def test_a_table_and_an_error_arrive_with_an_escape(tmp_path):
    with load_target(lines(tmp_path, '{"columns": ["\\ud800"], "rows": [["\\udfff"]]}')) as target:
        assert target.runs(PEOPLE, [1])[0].to_dicts() == [{"\\ud800": "\\udfff"}]
    with (
        load_target(lines(tmp_path, '{"error": "\\ud800"}')) as target,
        pytest.raises(NoReleaseError, match=r"\\ud800"),
    ):
        target.runs(PEOPLE, [1])


@pytest.mark.parametrize(
    "output", ["\ud800", ["\ud800", 1], {"\ud800": 1}, PurePath("a\udcff"), [["a", "\ud800"], ["b", "c"]], {"\ud800"}]
)
def test_what_is_seen_of_a_release_can_be_written(output):
    for name, _ in traits(canonical(output)):
        repr(name).encode()
        "".join(map(str, name)).encode()


@pytest.mark.parametrize("answer", ['{"value": "\\ud800"}', '{"error": "\\ud800"}'])
def test_a_gate_writes_every_report_though_one_became_a_fifo(tmp_path, answer):
    (tmp_path / "reports").mkdir()
    (tmp_path / "leaks.py").write_text("def f(table):\n    return table.height\n")
    project_file(
        tmp_path,
        entry("leaks", target="leaks.py:f", isolate="'none'", deterministic="true"),
        entry("odd", target=lines(tmp_path, answer), runs="60"),
    )
    formats = [word for each in OUTPUTS for word in ("--format", f"{each}=reports/out.{each}")]
    ran = subprocess.run(
        [sys.executable, "-m", "crowdproof", "gate", "--seed", "1", *formats],
        cwd=tmp_path, capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert ran.returncode == 1, ran.stderr
    assert "internal error" not in ran.stderr
    assert (tmp_path / "asked").exists()
    assert all((tmp_path / f"reports/out.{each}").stat().st_size for each in OUTPUTS)
    assert len(json.loads((tmp_path / "reports/out.json").read_text())) == 2
    assert len(list((tmp_path / "reports").iterdir())) == len(OUTPUTS)
