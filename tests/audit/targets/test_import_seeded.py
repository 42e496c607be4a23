"""Noise that is drawn on import or kept: copies of one process would repeat it, and that is no determinism."""

import sys

import polars as pl
import pytest

from crowdproof.audit import Budget, Pair, audit
from crowdproof.audit.targets import load_target
from crowdproof.claims import DP, Neighbours
from crowdproof.findings import Refuted

pytestmark = [pytest.mark.processes, pytest.mark.long]

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
CALLS, KEPT = [0], {}


def uniform():
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 33) / 2**31


FIRST = uniform()


def respond(table, drawn):
    truth = int((table["age"] > 60).any())
    return truth if drawn < ODDS / (ODDS + 1) else 1 - truth


def each_call(table):
    CALLS[0] += 1
    return f"{respond(table, uniform())} (answer {CALLS[0]})"


def on_import(table):
    return respond(table, FIRST)


def kept(table):
    key = str(table.rows())
    if key not in KEPT:
        KEPT[key] = respond(table, int.from_bytes(os.urandom(4), "big") / 2**32)
    return KEPT[key]


def on_other_data(table):
    CALLS[0] += 1
    if table.height == 6:
        return f"0 (answer {CALLS[0]})"
    return f"{int(uniform() < SHARE)} (answer {CALLS[0]})"
"""
PAIR = Pair(PEOPLE, PEOPLE.head(5), Neighbours.ADD_REMOVE, "with and without the oldest")


@pytest.mark.parametrize("isolate", ["auto", "fresh"])
@pytest.mark.parametrize("function", ["each_call", "on_import", "kept"])
def test_noise_that_no_seed_reaches_refutes_no_true_claim_and_its_leaky_twin_is_refuted(tmp_path, function, isolate):
    """A generator of the target's own, drawn from in each call or once on import; and noise that is drawn and kept."""
    for odds, refuted in ((2, False), (200, True)):
        path = tmp_path / f"home_made_{odds}.py"
        path.write_text(HOME_MADE + f"ODDS = {odds}\n")
        with load_target(f"{path}:{function}", isolate=isolate) as target:
            finding = audit(target, DP("ln 2"), pairs=[PAIR], budget=Budget(runs=320, seconds=60.0), search=0)
        assert isinstance(finding.verdict, Refuted) == refuted, (odds, finding.verdict)


@pytest.mark.parametrize(("share", "refuted"), [(0.15, False), (0.9, True)])
def test_a_generator_of_its_own_that_only_other_data_reach_refutes_no_true_claim(tmp_path, share, refuted):
    """On the data itself nothing is drawn, so trial runs show state and no randomness."""
    path = tmp_path / "odd.py"
    path.write_text(HOME_MADE + f"SHARE = {share}\n")
    with load_target(f"{path}:on_other_data") as target:
        target.examine(PEOPLE)
        assert target.isolate == "fresh"
        finding = audit(target, DP(0, "0.15"), pairs=[PAIR], budget=Budget(runs=600, seconds=60.0), search=0)
    assert isinstance(finding.verdict, Refuted) == refuted


HIDDEN = """
import random
import time
from functools import cache
import numpy as np
from sympy.core.random import rng as library

OWN = np.random.default_rng()
CALLS = [0]
time.sleep(WAIT)
ONCE = random.SystemRandom().random()


def respond(table, drawn):
    truth = int((table["age"] > 60).any())
    return truth if drawn < ODDS / (ODDS + 1) else 1 - truth


@cache
def drawn_for(rows):
    return random.random()


def spawned(table, rng):
    noise = rng.spawn(1)[0].exponential() - OWN.exponential()  # Laplace noise of scale 1
    return round(int((table["age"] > 60).any()) * (0.69 if ODDS == 2 else 40) + noise, 3)


def of_a_library(table):
    CALLS[0] += 1
    return f"{respond(table, library.random())} (answer {CALLS[0]})"


def slow_to_import(table):
    return respond(table, ONCE)


def kept_for_the_data(table):
    return respond(table, drawn_for(tuple(table["age"])))
"""


@pytest.mark.parametrize(
    ("function", "wait", "seconds"),
    [
        ("spawned", 0, 60.0),
        ("of_a_library", 0, 60.0),
        ("slow_to_import", 0.3, 12.0),
        ("kept_for_the_data", 0, 60.0),
    ],
)
def test_noise_in_places_where_copies_might_share_it_refutes_no_true_claim(tmp_path, function, wait, seconds):
    """Streams that are spawned, generators of libraries, targets that are too slow to be measured, answers kept."""
    path = tmp_path / "hidden.py"
    path.write_text(HIDDEN.replace("WAIT", str(wait)).replace("ODDS", "2"))
    with load_target(f"{path}:{function}") as target:
        budget = Budget(runs=400, seconds=seconds)
        finding = audit(target, DP("ln 2"), pairs=[PAIR], budget=budget, search=0)
    assert not isinstance(finding.verdict, Refuted)


@pytest.mark.parametrize("function", ["spawned", "of_a_library", "kept_for_the_data"])
def test_their_leaky_twins_are_refuted(tmp_path, function):
    path = tmp_path / "hidden.py"
    path.write_text(HIDDEN.replace("WAIT", "0").replace("ODDS", "200"))
    with load_target(f"{path}:{function}") as target:
        finding = audit(target, DP("ln 2"), pairs=[PAIR], budget=Budget(runs=400, seconds=60.0), search=0)
    assert isinstance(finding.verdict, Refuted)


def test_a_module_of_the_target_may_have_the_name_of_a_library(tmp_path):
    """It is the target's own in every run, though libraries are imported before."""
    (tmp_path / "sympy.py").write_text("SECRET = 7\n")
    (tmp_path / "mine.py").write_text("import sympy\n\ndef release(table):\n    return sympy.SECRET\n")
    with load_target(f"{tmp_path / 'mine.py'}:release", isolate="fresh") as target:
        assert target.runs(PEOPLE, [1, 2]) == [7, 7]


def test_state_that_comes_from_the_calls_alone_still_gets_forks(module):
    with load_target(f"{module(3)}:counting") as target:
        behaviour = target.examine(PEOPLE)
        assert target.isolate == "fresh"
    assert behaviour.stateful
    assert behaviour.deterministic


SOURCES = {
    "numpy": "np.random.random()",
    "pandas": "pd.Series(np.arange(1000)).sample(1).iloc[0] / 1000",
    "scipy": "stats.uniform.rvs()",
    "sklearn": "check_random_state(None).random_sample()",
    "random": "random.random()",
    "entropy": "int.from_bytes(os.urandom(7), 'big') / 2**56",
}
DRAWN = """
import os
import random
import numpy as np
import pandas as pd
from scipy import stats
from sklearn.utils import check_random_state

POOL = iter([{source} for _ in range(200)])
ODDS = {odds}


def response(table):
    truth = int((table["age"] > 60).any())
    return truth if next(POOL) < ODDS / (ODDS + 1) else 1 - truth
"""


@pytest.mark.parametrize("source", SOURCES)
def test_draws_on_import_from_any_library_are_made_anew_for_each_run(tmp_path, source):
    for odds, refuted in ((2, False), (200, True)):
        path = tmp_path / f"drawn_{odds}.py"
        path.write_text(DRAWN.format(source=SOURCES[source], odds=odds))
        with load_target(f"{path}:response", isolate="fresh") as target:
            finding = audit(target, DP("ln 2"), pairs=[PAIR], budget=Budget(runs=320, seconds=90.0), search=0)
        assert isinstance(finding.verdict, Refuted) == refuted, (odds, finding.verdict)


RARE = """
import random
source = random.SystemRandom()
NOISE = source.random() < {chance}


def release(table):
    return table.height + 100 * NOISE
"""


def test_rare_noise_that_is_drawn_at_the_start_is_seen_when_a_refutation_is_confirmed(tmp_path):
    """Nearly all processes look deterministic, and a process that is kept up never shows the noise."""
    for chance, refuted in ((0.06, False), (0.0, True)):
        path = tmp_path / f"rare_{refuted}.py"
        path.write_text(RARE.format(chance=chance))
        for seed in range(3):
            with load_target(f"{path}:release") as target:
                budget = Budget(runs=1200, seconds=30.0)
                finding = audit(target, DP(4), pairs=[PAIR], budget=budget, search=0, seed=seed)
            assert isinstance(finding.verdict, Refuted) == refuted, (chance, finding.verdict)


TICKING = """
import random
import sys
import time

rows = len(sys.stdin.read().splitlines()) - 1
print("n")
print(rows + random.Random(int(time.time())).randrange(100))
"""


def test_a_program_that_seeds_its_noise_by_the_clock_is_not_taken_for_deterministic(tmp_path, monkeypatch):
    monkeypatch.setattr("crowdproof.audit.targets.behaviour.TICKS", 2)
    path = tmp_path / "ticking.py"
    path.write_text(TICKING)
    with load_target(f"command: {sys.executable} {path}") as target:
        assert not target.examine(PEOPLE).deterministic
    path.write_text(TICKING.replace("random.Random(int(time.time())).randrange(100)", "7"))
    with load_target(f"command: {sys.executable} {path}") as target:
        assert target.examine(PEOPLE).deterministic
