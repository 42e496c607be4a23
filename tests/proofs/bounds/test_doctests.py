"""The examples in the docstrings are right."""

import doctest
import pkgutil
from importlib import import_module

import pytest

from crowdproof.proofs import bounds

MODULES = [bounds.__name__, *(f"{bounds.__name__}.{each.name}" for each in pkgutil.iter_modules(bounds.__path__))]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    assert sum(bool(each.examples) for name in MODULES for each in finder.find(import_module(name))) > 20
