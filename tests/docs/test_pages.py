"""Every code block of the README and of docs/ runs, and prints what the page says it prints."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *(pytest.param(page, marks=pytest.mark.slow) for page in sorted((ROOT / "docs").rglob("*.md"))),
]

spec = importlib.util.spec_from_file_location("page_blocks", Path(__file__).with_name("blocks.py"))
assert spec is not None
assert spec.loader is not None
page_blocks = importlib.util.module_from_spec(spec)
spec.loader.exec_module(page_blocks)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_of_the_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    expected = sum(block.runs for block in page_blocks.blocks(page))
    try:
        assert page_blocks.run_page(page, tmp_path) == expected
    finally:
        for name in set(sys.modules) - before:
            if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in str(sys.modules[name].__file__):
                del sys.modules[name]


def write(tmp_path: Path, text: str) -> Path:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


@pytest.mark.parametrize(
    "wrong",
    [
        "```console\n$ echo one\ntwo\n```\n",
        "```console\n$ false\n```\n",
        "```console\n$ exit 3\n(exit code 2)\n```\n",
        "```python\nassert 1 == 2\n```\n",
        "```python\n>>> 1 + 1\n3\n```\n",
    ],
)
def test_a_page_that_lies_is_caught(wrong: str, tmp_path: Path):
    with pytest.raises(AssertionError):
        page_blocks.run_page(write(tmp_path, wrong), tmp_path)


def test_a_page_that_tells_the_truth_passes(tmp_path: Path):
    page = write(
        tmp_path,
        "```python said.py\nprint('a', 1.5, 'b')\n```\n"
        "```console\n$ python said.py\na ... b\n$ python \\\n    said.py && exit 1\na ...\n(exit code 1)\n```\n"
        "<!-- not run: it would not end -->\n```console\n$ sleep infinity\n```\n",
    )
    assert page_blocks.run_page(page, tmp_path) == 2
