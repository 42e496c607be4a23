"""The API reference says what the code says."""

import importlib.util
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"

spec = importlib.util.spec_from_file_location("api_reference", DOCS / "api_reference.py")
assert spec is not None
assert spec.loader is not None
api_reference = importlib.util.module_from_spec(spec)
spec.loader.exec_module(api_reference)
CURRENT = api_reference.page()


def test_the_page_is_current():
    assert (DOCS / "api.md").read_text(encoding="utf-8") == CURRENT, (
        "the docstrings have changed: run python docs/api_reference.py"
    )


@pytest.mark.parametrize("module", api_reference.MODULES)
def test_everything_public_is_described(module):
    found = importlib.import_module(module)
    names = api_reference.public(found)
    assert names
    described = [name for name in names if isinstance(getattr(found, name), type)]
    assert all(f"### {name}\n" in CURRENT for name in described)


def test_a_change_of_a_docstring_is_noticed(monkeypatch):
    monkeypatch.setattr(importlib.import_module("crowdproof.exact").rational, "__doc__", "Something else.")
    assert api_reference.page() != CURRENT


def test_links_of_the_pages_lead_somewhere():
    pages = [DOCS.parent / "README.md", *DOCS.rglob("*.md")]
    for page in pages:
        for link in re.findall(r"\]\(([^)#\s]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in link:
                assert (page.parent / link).exists(), f"{page.name} links to {link}"
