"""The catalogue of sentences says what the code says, and none of them speaks like the inside of the program."""

import importlib.util
import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"

spec = importlib.util.spec_from_file_location("sentences", DOCS / "sentences.py")
assert spec is not None
assert spec.loader is not None
catalogue = importlib.util.module_from_spec(spec)
spec.loader.exec_module(catalogue)
CURRENT = catalogue.page()
LISTED = [line.removeprefix("- ") for line in CURRENT.splitlines() if line.startswith("- ")]

JARGON = r"\bnats\b|has not the row|4\.94e-324|\bbouts?\b|\btarget's law\b|\ba table of 1 rows\b|e-value .* is e\^"
"""Words that once were printed, and that nobody outside of this program knows."""


def test_the_page_is_current():
    assert (DOCS / "sentences.md").read_text(encoding="utf-8") == CURRENT, (
        "sentences have changed: run python docs/sentences.py, and read the new ones aloud"
    )


def test_sentences_of_each_kind_are_listed():
    text = " ".join(LISTED).replace("\\", "")
    for part in (
        "The claim is false. …",
        "No leak was found; this is not a proof of privacy.",
        "there is no file …: check its path.",
        "What leaks is the order of the release.",
        "runs are too few to find any leak beyond this claim",
        "A table to take rows and values from",
    ):
        assert part in text, part


def test_no_sentence_is_jargon():
    assert [each for each in LISTED if re.search(JARGON, each)] == []


def test_a_text_of_a_docstring_or_a_pattern_is_no_sentence(tmp_path):
    code = '"""This is the docstring of it."""\nX = "(?:of a pattern here)"\nY = f"there are {X} of them."\n'
    (tmp_path / "it.py").write_text(code)
    assert list(catalogue.sentences(tmp_path / "it.py")) == ["there are … of them."]
