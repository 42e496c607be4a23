"""A target writes files where the gate runs: neither the judge nor the other claims are impressed."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from crowdproof.audit.gate.auditing import AuditEngine

pytestmark = pytest.mark.processes

CODE = """
from pathlib import Path


def swaps(people):
    Path("people.csv").write_text("income\\n" + "7\\n" * 10)
    return 1


def injects(people):
    for name in ("pyarrow", "pandas", "scipy", "sklearn", "jinja2", "json"):
        Path(f"{name}.py").write_text("open('INJECTED', 'a').write('here'); raise ImportError")
    return 1


def honest(people):
    return 1


def leaks(people):
    return int((people["income"].max() or 0) > 3)
"""


def gate(folder, *functions):
    (folder / "t.py").write_text(CODE)
    (folder / "people.csv").write_text("income\n1\n2\n3\n4\n")
    claims = [
        f'[[claims]]\nname = "{name}"\ntarget = "t:{name}"\ndata = "people.csv"\nclaim = "dp(epsilon=1)"\nruns = 300\n'
        for name in functions
    ]
    (folder / "privacy.toml").write_text("\n".join(claims))
    command = [sys.executable, "-m", "crowdproof", "gate", "--seed", "1"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("hostile", ["swaps", "injects"])
def test_the_other_claims_are_judged_on_their_own_data_by_the_judges_own_code(tmp_path, hostile):
    done = gate(tmp_path, hostile, "leaks", "honest")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "REFUTED  leaks" in done.stdout
    assert "NOT_REFUTED  honest" in done.stdout
    assert not (tmp_path / "INJECTED").exists()


def test_the_honest_twin_alone_passes(tmp_path):
    assert gate(tmp_path, "honest").returncode == 0


class Panic(BaseException):
    """What is no Exception, as a panic of polars is."""


def test_data_that_cannot_be_read_is_the_trouble_of_its_own_claim_only(monkeypatch):
    """Whatever reading one claim's data raises, however early: the others get theirs."""

    def table_of(entry, _):
        if entry.name == "damaged":
            raise Panic
        return entry.name

    monkeypatch.setattr("crowdproof.audit.gate.auditing.table_of", table_of)
    entries = [SimpleNamespace(name=name) for name in ("damaged", "sound")]
    engine, project = AuditEngine(), SimpleNamespace(config=SimpleNamespace(claims=entries))
    assert engine._table(entries[1], project) == "sound"
    with pytest.raises(Panic):
        engine._table(entries[0], project)
