"""What default isolation costs: a trivial audit and gates of six trivial claims, against the imports they cannot avoid.

The import floor is the CPU time of one interpreter that imports every module that the judge has loaded when the trivial
audit is over, and does nothing else. All times are CPU seconds of a command and of every process that it started, the
least of a few: other work on the machine only adds.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from crowdproof import Skipped, Undecided, wire

TURNS = 3
"""Runs of each command, of which the least counts. A guess: it changes by a tenth from one to the next."""
FLOORS = 3
"""Import floors that a trivial audit may take."""
GATE_SECONDS = 6.0
"""CPU seconds that a gate of six trivial claims may take."""
RELEASES = """
def count(rows): return len(rows)
def total(rows): return float(rows["income"].sum())
def mean(rows): return float(rows["age"].mean() or 0)
def old(rows): return rows.filter(rows["age"] > 50).height
def half(rows): return len(rows) // 2
def oldest(rows): return int(rows["age"].max() or 0)
def constant(rows): return 7
def noisy(rows, rng): return round(len(rows) + rng.laplace(0, 1), 2)
"""
LEAKING = ("count", "total", "mean", "old", "half", "oldest")
"""Exact statistics: each claim is refuted without a bet."""
MIXED = ("count", "total", "mean", "old", "constant", "noisy")
"""The last two hold, and take the 20,000 runs that a gate gives to a claim."""
AUDIT = ["audit", "releases.py:count", "--claim", "dp(epsilon=1)", "--data", "people.csv", "--seed", "1"]
LOADED = """
import atexit, json, sys
from crowdproof import cli
sys.argv = ["crowdproof", *json.loads(sys.argv[1])]
atexit.register(lambda: print(json.dumps(list(sys.modules)), file=sys.stderr))
cli.main()
"""
IMPORTS = """
import contextlib, importlib, json, sys
for name in json.loads(sys.argv[1]):
    with contextlib.suppress(ImportError):
        importlib.import_module(name)
"""


def _cpu(command: list[str], folder: Path) -> tuple[float, str]:
    """CPU seconds of a command and its processes, and what it printed; it is waited for here, so that they count."""
    with tempfile.TemporaryFile("w+") as printed:
        process = subprocess.Popen(
            [sys.executable, *command], cwd=folder, stdout=printed, stderr=subprocess.DEVNULL, text=True
        )
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0  # it was waited for
        printed.seek(0)
        return used.ru_utime + used.ru_stime, printed.read()


def _least(command: list[str], folder: Path) -> tuple[float, str]:
    return min(_cpu(command, folder) for _ in range(TURNS))


def _modules(folder: Path) -> list[str]:
    """The modules that the judge has loaded when the trivial audit is over, in the order of loading."""
    command = [sys.executable, "-c", LOADED, json.dumps(AUDIT)]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    names: list[str] = json.loads(ran.stderr.splitlines()[-1])
    return [each for each in names if each != "__main__"]


def _prepare(folder: Path) -> None:
    (folder / "releases.py").write_text(RELEASES)
    rows = (f"{20 + 7 * row % 61},{10_000 + 7919 * row % 80_000}" for row in range(60))
    (folder / "people.csv").write_text("\n".join(["age,income", *rows, ""]))


def _configuration(names: tuple[str, ...]) -> str:
    """Claims about these functions; of the noisy count twice the epsilon that it has."""
    text = ""
    for name in names:
        claim = "dp(epsilon=2)" if name == "noisy" else "dp(epsilon=1)"
        text += f'[[claims]]\nname = "{name}"\ntarget = "releases.py:{name}"\ndata = "people.csv"\nclaim = "{claim}"\n'
    return text


def _gate(folder: Path, label: str, names: tuple[str, ...], *, floor: float) -> None:
    (folder / "privacy.toml").write_text(_configuration(names))
    used, printed = _least(["-m", "crowdproof", "gate", "--no-evidence", "--seed", "1", "--format", "json"], folder)
    undecided = sum(isinstance(each.verdict, Undecided | Skipped) for each in wire.loads(printed))
    print(f"gate of six {label} claims: {used:.2f} CPU s, {used / floor:.1f} import floors, {undecided} undecided")
    print(
        f"  {'met' if used <= GATE_SECONDS and not undecided else 'NOT MET'}: at most {GATE_SECONDS:g} s, all decided"
    )


def main() -> None:
    """Print the floor, the audit in floors, and both gates."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        _prepare(folder)
        floor, _ = _least(["-c", IMPORTS, json.dumps(_modules(folder))], folder)
        print(f"import floor: {floor:.2f} CPU s")
        audit, _ = _least(["-m", "crowdproof", *AUDIT], folder)
        print(f"trivial audit: {audit:.2f} CPU s, {audit / floor:.2f} times the import floor (bar {FLOORS})")
        _gate(folder, "leaking", LEAKING, floor=floor)
        _gate(folder, "mixed", MIXED, floor=floor)
