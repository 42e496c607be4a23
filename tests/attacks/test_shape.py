"""Every attack has the one shape, and an attack that leaves part of it out cannot be declared."""

import inspect

import attrs
import pytest

from crowdproof.attacks import CATALOGUE, Attack, load
from crowdproof.errors import ParameterError


@pytest.mark.parametrize("name", CATALOGUE)
def test_each_attack_declares_itself_and_can_be_run_without_arguments(name):
    module = load(name)
    assert module.ATTACK.id == name
    parameters = inspect.signature(module.run).parameters
    assert "seed" in parameters
    assert all(each.default is not each.empty for each in parameters.values())


@pytest.mark.parametrize("part", [each.name for each in attrs.fields(Attack) if each.name != "severity"])
def test_an_attack_that_leaves_a_part_out_is_refused(part):
    with pytest.raises(ParameterError, match=part):
        attrs.evolve(load("clr").ATTACK, **{part: " "})


def test_an_unknown_attack_is_refused_with_the_list():
    with pytest.raises(ParameterError, match="choose from clr"):
        load("phlogiston")
