"""Which code a target is made of: all that it imports from its project, and nothing else of it."""

import pytest

from crowdproof.audit.gate.code_hash import code_of, key_of
from crowdproof.audit.gate.config import Config, Entry, Project
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
