"""Exact laws, shared by the tests of this folder."""

import importlib.util
from pathlib import Path

import pytest

_SPEC = importlib.util.spec_from_file_location("exact_laws", Path(__file__).parent / "exact_laws.py")
_LAWS = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_LAWS)


@pytest.fixture(scope="session")
def laws():
    return _LAWS
