"""The way of one audit through the folder, from the front door to the target: short, and through no room twice."""

import sys
from pathlib import Path

import polars as pl
import pytest

import crowdproof.audit
from crowdproof.audit import Budget, audit
from crowdproof.claims import DP, DPS, CrowdBlending, KAnonymity, Safe

FOLDER = Path(crowdproof.audit.__file__).resolve().parent
PEOPLE = pl.DataFrame({"age": [21, 22, 23, 38, 39, 40, 41, 61, 95]})
MOST = 8
"""Modules that somebody new has to open to follow an audit down to the target."""


def ways(run):
    """The modules of the folder on the stack whenever the target is called, from the front door on."""
    seen = set()

    def target(data, rng):
        frame, way = sys._getframe(1), []
        while frame is not None:
            file = Path(frame.f_code.co_filename).resolve()
            if FOLDER in file.parents:
                way.append(str(file.relative_to(FOLDER)))
            frame = frame.f_back
        steps = [each for place, each in enumerate(way) if place == 0 or way[place - 1] != each]
        seen.add(tuple(reversed(steps)))
        return run(data, rng)

    return target, seen


def noisy(data, rng):
    return data.height + int(rng.geometric(0.5)) - int(rng.geometric(0.5))


def table(data, rng):
    return data.select(pl.col("age") // 50)


@pytest.mark.parametrize(
    ("release", "claim", "deterministic"),
    [
        (noisy, DP(1), None),
        (table, DPS("0.5", 1, "0.4"), True),
        (noisy, CrowdBlending(4, 1), None),
        (table, Safe(), True),
        (table, KAnonymity(2), True),
    ],
    ids=["dp", "dps", "crowd-blending", "safe", "k-anonymity"],
)
def test_the_way_to_the_target_is_short_and_enters_no_module_twice(release, claim, deterministic):
    target, seen = ways(release)
    audit(target, claim, data=PEOPLE, budget=Budget(runs=600), search=0, deterministic=deterministic)
    assert seen
    for way in seen:
        assert way[0] == "auditor.py"
        assert len(way) <= MOST, way
        assert len(set(way)) == len(way), way
