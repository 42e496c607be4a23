"""Everything that is installed is pinned by version and hash, what is needed only by others too."""

import importlib.metadata
import importlib.util
import io
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
FILES = ["constraints.txt", "constraints-integration.txt"]


def needed(requirements):
    """The names of these distributions and of all that they need, here and now."""
    found, pending = set(), [Requirement(each) for each in requirements]
    while pending:
        each = pending.pop()
        name = canonicalize_name(each.name)
        if name in found:
            continue
        found.add(name)
        for text in importlib.metadata.requires(name) or ():
            further = Requirement(text)
            extras = each.extras or {""}
            if further.marker is None or any(further.marker.evaluate({"extra": extra}) for extra in extras):
                pending.append(further)
    return found


def pins(name):
    """Package -> its line, with the hashes."""
    lines = (ROOT / name).read_text().replace("\\\n", " ").splitlines()
    return {canonicalize_name(line.partition("==")[0]): line for line in lines}


def module():
    spec = importlib.util.spec_from_file_location("pins", ROOT / "pins.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.mark.parametrize("name", FILES)
def test_every_pin_has_a_version_and_hashes(name):
    listed = pins(name)
    assert len(listed) > 40
    wrong = [
        line for line in listed.values() if not re.fullmatch(r"[\w.-]+==[\w.]+( +--hash=sha256:[0-9a-f]{64})+", line)
    ]
    assert wrong == []


def test_every_dependency_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = needed([*module().requirements(["dev"]), "pip"])
    assert {"numpy", "hatchling", "ruff", "pip"} <= wanted
    browser = {canonicalize_name(Requirement(each).name) for each in project["dependency-groups"]["browser"]}
    assert (wanted | browser) - set(pins("constraints.txt")) == set()


def test_both_files_agree_on_the_bytes_of_a_version():
    ours, theirs = map(pins, FILES)
    shared = [name for name in ours if name in theirs and ours[name].split()[0] == theirs[name].split()[0]]
    assert len(shared) > 30
    assert [name for name in shared if ours[name] != theirs[name]] == []


INDEX = """<a href="x/thing-1.0-py3-none-any.whl#sha256={a}">thing-1.0-py3-none-any.whl</a><br>
<a href="x/thing-1.0-cp310-cp310-win_amd64.whl#sha256={b}">thing-1.0-cp310-cp310-win_amd64.whl</a>
<a href="x/thing-1.0-cp38-abi3-macosx_11_0_arm64.whl#sha256={c}">thing-1.0-cp38-abi3-macosx_11_0_arm64.whl</a>
<a href="x/thing-1.0.tar.gz#sha256={d}">thing-1.0.tar.gz</a>
<a href="x/thing-2.0-py3-none-any.whl#sha256={e}">thing-2.0-py3-none-any.whl</a>"""


def test_hashes_are_those_of_the_wheels_of_that_version_that_can_be_installed(tmp_path, monkeypatch):
    digests = {name: name * 64 for name in "abcde"}
    (tmp_path / "thing").mkdir()
    (tmp_path / "thing" / "index.html").write_text(INDEX.format(**digests))
    file = tmp_path / "some.txt"
    file.write_text("thing==1.0\n")
    pages = module()
    monkeypatch.setattr(pages.urllib.request, "urlopen", lambda page: io.BytesIO(Path(page, "index.html").read_bytes()))
    pages.renew(file, str(tmp_path))
    once = file.read_text()
    assert once == f"thing==1.0 \\\n    --hash=sha256:{'a' * 64} \\\n    --hash=sha256:{'c' * 64}\n"
    pages.renew(file, str(tmp_path))
    assert file.read_text() == once


def test_a_version_without_a_wheel_is_no_pin(tmp_path, monkeypatch):
    (tmp_path / "thing").mkdir()
    (tmp_path / "thing" / "index.html").write_text(INDEX)
    pages = module()
    monkeypatch.setattr(pages.urllib.request, "urlopen", lambda page: io.BytesIO(Path(page, "index.html").read_bytes()))
    with pytest.raises(SystemExit, match="has no wheel"):
        pages.hashes("thing==3.0", str(tmp_path))
