"""A generator that is seeded from the operating system on import: forks repeat one draw, and that is no determinism."""

import polars as pl
import pytest

from crowdproof.audit import Budget, audit
from crowdproof.audit.targets import load_target
from crowdproof.claims import DP
from crowdproof.errors import TargetError
from crowdproof.findings import Refuted

pytestmark = pytest.mark.processes

PEOPLE = pl.DataFrame({"age": [31, 34, 38, 52, 57, 91]})
SOURCE = """
import math
import random

drawn = random.Random()
calls = 0


def response(table):
    '''Randomized response about one person: exactly (ln {odds})-DP.'''
    truth = int((table["age"] > 60).any())
    return truth if drawn.random() < {odds} / ({odds} + 1) else 1 - truth


def counting(table):
    '''Keeps state that comes from its calls alone.'''
    global calls
    calls += 1
    return f"{{table.height}} {{calls > 1}}"
"""


@pytest.fixture
def module(tmp_path):
    def write(odds):
        path = tmp_path / f"seeded_{odds}.py"
        path.write_text(SOURCE.format(odds=odds))
        return path

    return write


@pytest.mark.parametrize("odds", [3, 20])
def test_a_draw_on_import_is_not_taken_for_determinism(module, odds):
    for _ in range(3):  # each with a draw of its own
        with load_target(f"{module(odds)}:response") as target:
            finding = audit(target, DP(f"ln {odds}"), data=PEOPLE, budget=Budget(runs=2_000, seconds=20.0))
        assert not isinstance(finding.verdict, Refuted)


def test_each_run_sets_it_from_its_own_seed(module):
    """So forks do not repeat one draw, and the same seed gives the same output."""
    for isolate in ("fresh", "worker"):
        with load_target(f"{module(3)}:response", isolate=isolate) as target:
            first, second = (target.runs(PEOPLE, range(40)) for _ in range(2))
        assert first == second
        assert len(set(first)) == 2


HOME_MADE = """
import os
state = int.from_bytes(os.urandom(8), "big")


def response(table):
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    truth = int((table["age"] > 60).any())
    return truth if (state >> 33) / 2**31 < 0.75 else 1 - truth
"""


def test_forks_are_refused_where_no_seed_reaches_what_was_drawn_on_import(tmp_path):
    (tmp_path / "home_made.py").write_text(HOME_MADE)
    target = load_target(f"{tmp_path / 'home_made.py'}:response", isolate="fresh")

    def examine_often():  # by chance a few runs may look alike
        for _ in range(8):
            target.examine(PEOPLE)

    with target, pytest.raises(TargetError, match="seeds its randomness when it is imported"):
        examine_often()


def test_state_that_comes_from_the_calls_alone_still_gets_forks(module):
    with load_target(f"{module(3)}:counting") as target:
        behaviour = target.examine(PEOPLE)
        assert target.isolate == "fresh"
    assert behaviour.stateful
    assert behaviour.deterministic
