"""Which code a target is made of: all that it imports from its project, and nothing else of it."""

import json
import os

import polars as pl
import pytest

from crowdproof.audit.gate.code_hash import code_of, key_of
from crowdproof.audit.gate.config import Config, Entry, Project
from crowdproof.audit.targets import load_target
from crowdproof.audit.targets.loaded import Loaded
from crowdproof.claims import DP
from crowdproof.errors import DataError

FILES = {
    "shop/__init__.py": "",
    "shop/release.py": "from . import bins\nfrom .deep.noise import draw\nimport numpy as np\ndef f(t): ...\n",
    "shop/bins.py": "import json\nfrom shop import release  # a cycle\n",
    "shop/deep/__init__.py": "from .. import flags\n",
    "shop/deep/noise.py": "def draw():\n    import importlib\n    importlib.import_module('late')\n",
    "shop/flags.py": "",
    "shop/unused.py": "",
    "late.py": "",
    "src/laid/out.py": "import polars\n",
    "alone.py": "import shop.bins\n",
    "run.sh": "#!/bin/sh\n",
    "table.json": "{}",
}


@pytest.fixture
def project(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return Project(tmp_path / "privacy.toml", Config())


def code(project, target, **more):
    return code_of(Entry("name", target, DP(1), **more), project)


@pytest.mark.parametrize(
    ("target", "files", "packages"),
    [
        (
            "shop.release:f",
            {
                "shop/__init__.py", "shop/release.py", "shop/bins.py", "shop/deep/__init__.py", "shop/deep/noise.py",
                "shop/flags.py", "late.py",
            },
            {"python", "numpy"},
        ),
        ("shop.flags:f", {"shop/__init__.py", "shop/flags.py"}, {"python"}),
        ("laid.out:f", {"src/laid/out.py"}, {"python", "polars"}),
        ("statistics:mean", set(), {"python"}),
        ("numpy:mean", set(), {"python", "numpy"}),
        ("command:./run.sh table.json {input}", {"run.sh", "table.json"}, {"python"}),
        ("https://example.org/anonymize", set(), {"python"}),
        ("nowhere:f", set(), {"python"}),
    ],
)  # fmt: skip
def test_the_closure_of_what_is_imported(project, target, files, packages):
    found = code(project, target)
    assert set(found.files) == files
    assert set(found.packages) == packages


def test_a_file_as_target_brings_what_stands_beside_it(project):
    assert {"alone.py", "shop/bins.py", "shop/release.py"} <= set(code(project, "alone.py:f").files)


def test_declared_sources_count_and_must_be_there(project):
    assert "table.json" in code(project, "shop.flags:f", sources=("table.json",)).files
    with pytest.raises(DataError, match=r"gone\.json"):
        code(project, "shop.flags:f", sources=("gone.json",))


def test_source_that_cannot_be_parsed_still_counts_by_its_content(project):
    path = project.folder / "shop/flags.py"
    path.write_text("def (:")
    first = code(project, "shop.flags:f").digest
    path.write_text("def (:\n")
    assert code(project, "shop.flags:f").digest != first


def test_the_key_knows_all_that_makes_the_hypothesis(project):
    base = {"name": "name", "target": "shop.flags:f", "claim": DP(1)}
    changes = [{}, {"claim": DP(2)}, {"params": {"k": 1}}, {"sampling": "target"}, {"form": "pandas"}]
    found = code(project, "shop.flags:f")
    keys = {key_of(Entry(**(base | each)), found, project) for each in changes}
    assert len(keys) == len(changes)
    assert key_of(Entry(**(base | {"name": "other", "data": "x.csv"})), found, project) in keys


# --- what is not written in the source ---------------------------------------------------------------------------

HIDDEN = {
    "a folder of its own on the path": (
        "import sys\nsys.path.insert(0, __file__.rpartition('/')[0] + '/lib')\nimport hidden_{n}\n"
        "def f(t):\n    return hidden_{n}.VALUE\n"
    ),
    "a name that is worked out": (
        "import importlib, sys\nsys.path.insert(0, __file__.rpartition('/')[0] + '/lib')\nNAME = 'hid' + 'den_{n}'\n"
        "def f(t):\n    return importlib.import_module(NAME).VALUE\n"
    ),
}


def loaded_code(folder, kind, isolate, number):
    """The code of a target whose import no source shows, after it has run."""
    (folder / "lib").mkdir(exist_ok=True)
    (folder / f"it_{number}.py").write_text(HIDDEN[kind].replace("{n}", str(number)))
    target = load_target(f"{folder}/it_{number}.py:f", isolate=isolate, timeout=60)
    with target:
        target.runs(pl.DataFrame({"age": [1]}), [1])
        entry = Entry("name", f"it_{number}.py:f", DP(1))
        return code_of(entry, Project(folder / "privacy.toml", Config()), target.loaded)


@pytest.mark.parametrize("kind", HIDDEN)
def test_what_was_really_loaded_counts(tmp_path, kind):
    (tmp_path / "lib").mkdir()
    digests = []
    for number in (1, 2):
        name = f"hidden_{number}_{len(kind)}"
        (tmp_path / f"lib/{name}.py").write_text("VALUE = 1\n")
        found = loaded_code(tmp_path, kind, "none", f"{number}_{len(kind)}")
        assert f"lib/{name}.py" in found.files
        digests.append(found.digest)
    assert digests[0] != digests[1]


@pytest.mark.processes
@pytest.mark.parametrize("isolate", ["auto", "worker", "fresh", "spawn"])
@pytest.mark.parametrize("kind", HIDDEN)
def test_what_another_process_loaded_counts(tmp_path, kind, isolate):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/hidden_1.py").write_text("VALUE = 1\n")
    before = loaded_code(tmp_path, kind, isolate, 1)
    assert "lib/hidden_1.py" in before.files
    assert loaded_code(tmp_path, kind, isolate, 1).digest == before.digest
    (tmp_path / "lib/hidden_1.py").write_text("VALUE = 2\n")
    assert loaded_code(tmp_path, kind, isolate, 1).digest != before.digest


def test_a_command_is_also_what_its_script_imports(project):
    (project.folder / "clean").write_text("#!/usr/bin/env python3\nimport shop.bins\n")
    for command in ("command:python3 alone.py {input}", "command:./clean {input}", "lines:python3 -m alone"):
        assert {"shop/bins.py", "shop/release.py", "late.py"} <= set(code(project, command).files), command
    assert "alone.py" in code(project, "command:python3 -m alone {input}").files


def test_a_file_that_is_none_is_not_waited_for(project):
    os.mkfifo(project.folder / "pipe")
    with pytest.raises(DataError, match="no such file"):
        code(project, "shop.flags:f", sources=("pipe",))
    told = Loaded({str(project.folder / "pipe"), "/dev/zero", "\0", "shop", "gone.py"})
    found = code_of(Entry("name", "shop.flags:f", DP(1)), project, told)
    assert {found.files[name] for name in ("pipe", "/dev/zero", "shop", "gone.py")} == {"unreadable"}


@pytest.mark.parametrize(
    "body", [b"", b"3", b"[1, 2]", b'["a", "b"]', b"[[1], []]", b"[" * 100_000, b"[[], []" + b" " * (5 << 20) + b"]"]
)
def test_what_is_told_is_read_as_data(body):
    told = Loaded()
    told.hear(b'[["a.py"], ["numpy"]]')
    told.hear(body)
    assert (told.files, told.packages, told.whole) == ({"a.py"}, {"numpy"}, False)
    told.hear(json.dumps([[str(i) for i in range(10_000)], []]).encode())
    assert len(told.files) == 1


ENDLESS = {each for each in ("/proc/kmsg", "/sys/kernel/tracing/trace_pipe") if os.access(each, os.R_OK)}
"""Regular files of the system that never end, as far as there are any that may be opened."""


def test_a_regular_file_without_an_end_is_not_waited_for(project):
    found = code_of(Entry("name", "shop.flags:f", DP(1)), project, Loaded({*ENDLESS, "shop/bins.py"}))
    assert {*ENDLESS, "shop/bins.py"} <= set(found.files)
    for number, each in enumerate([*ENDLESS, project.folder / "shop/bins.py"]):
        (project.folder / "late.py").unlink()
        (project.folder / "late.py").symlink_to(each)
        assert "shop/release.py" in code(project, "shop.release:f").files, number


@pytest.mark.slow
def test_files_that_a_target_names_are_not_read_without_end(project):
    """Many large files cost no more than one does: those beyond the limit count by their size and time of change."""
    names = [f"large{number}.bin" for number in range(2000)]
    for name in names:
        with (project.folder / name).open("wb") as file:
            file.truncate(1 << 29)
    entry, told = Entry("name", "shop.flags:f", DP(1)), Loaded(set(names))
    first = code_of(entry, project, told)
    assert set(names) <= set(first.files)
    assert sum("bytes of" in first.files[name] for name in names) >= len(names) - 2
    with (project.folder / names[-1]).open("ab") as file:
        file.write(b"more")
    assert code_of(entry, project, told).digest != first.digest
