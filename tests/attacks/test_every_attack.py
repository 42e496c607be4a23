"""What every attack must do: succeed on its victim, fail on its defended twin, and have a page that is current."""

from fractions import Fraction
from pathlib import Path

import pytest

from crowdproof.attacks import CATALOGUE, pages
from crowdproof.findings import Refuted

ROUNDING = Fraction(1, 10**12)
"""A certified interval may end this much above a bound that is attained."""
FOLDER = Path(__file__).parents[2] / "docs" / "attacks"


@pytest.mark.slow
@pytest.mark.parametrize("name", CATALOGUE)
def test_it_succeeds_on_the_victim_fails_on_the_twin_and_its_page_is_current(name):
    story = pages.story(name)
    assert story.victim.succeeds
    assert isinstance(story.finding().verdict, Refuted)
    assert story.defended is not None
    assert not story.defended.succeeds
    assert story.defended.yardstick is story.victim.yardstick
    assert story.defended.bound is None or story.defended.advantage.low <= story.defended.bound + ROUNDING
    if story.victim.rows is not None:
        assert story.defended.rows.published >= story.victim.rows.published / 2
    assert pages.page(story) == (FOLDER / f"{name}.md").read_text(encoding="utf-8"), (
        "run python -m crowdproof.attacks.pages docs/attacks"
    )


def test_the_list_of_pages_is_current():
    assert pages.contents() == (FOLDER / "README.md").read_text(encoding="utf-8")
    assert {each.stem for each in FOLDER.glob("*.md")} == {*CATALOGUE, "README"}
