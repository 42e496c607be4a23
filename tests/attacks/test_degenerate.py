"""Degenerate k-anonymizers: k-anonymous by every check, and the person in the clear."""

from fractions import Fraction

import pytest

from crowdproof.attacks import degenerate
from crowdproof.errors import ParameterError


@pytest.mark.parametrize("form", ["duplicate", "append"])
def test_the_release_is_k_anonymous_and_shows_the_person(form):
    story = degenerate.run(form=form, k=3)
    assert story.victim.succeeds
    assert story.victim.baseline.high == 0
    assert any("NOT_REFUTED as 3-anonymous" in each.title for each in story.evidence)
    assert "gout" in story.learned[0]


def test_the_probabilities_are_exact():
    """Duplicating shows the person whenever they are sampled; appending needs a group of k to append them to."""
    assert degenerate.run(k=3).victim.success.low == Fraction(1, 2)
    at_least_three_of_six = Fraction(42, 64)
    assert degenerate.run(form="append", k=3).victim.success.low == Fraction(1, 2) * at_least_three_of_six


def test_the_safe_twin_shows_nothing():
    defended = degenerate.run(k=3).defended
    assert defended is not None
    assert not defended.succeeds
    assert defended.bound is not None
    assert defended.advantage.high <= defended.bound


def test_an_unknown_form_is_refused():
    with pytest.raises(ParameterError, match="choose from duplicate, append"):
        degenerate.run(form="triplicate")
