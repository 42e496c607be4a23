"""Real packages, audited as they are: the known findings come out again."""

import tomllib
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from crowdproof import parse_claim
from crowdproof.audit import Budget, Pair, audit
from crowdproof.audit.check import Terms, check
from crowdproof.audit.targets import load_target
from crowdproof.claims import DPS, Neighbours
from crowdproof.report import render

pytestmark = pytest.mark.integration

CASES = tomllib.loads(Path(__file__).with_name("corpus.toml").read_text())["case"]
USUAL = pl.DataFrame({"age": [34] * 79, "job": ["clerk"] * 79})
OUTLIER = pl.DataFrame({"age": [97], "job": ["clerk"]})
PAIRS = {
    "outlier": Pair(pl.concat([USUAL, OUTLIER]), USUAL, Neighbours.ADD_REMOVE, "80 people, one of them much older"),
    "count": Pair(np.ones(20), np.ones(19), Neighbours.ADD_REMOVE, "20 people, and 19 of them"),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_known_finding(case):
    with load_target(case["target"], params=case["params"], isolate=case.get("isolate", "auto")) as target:
        finding = audit(
            target,
            parse_claim(case["claim"]),
            pairs=[PAIRS[case["data"]]],
            budget=Budget(runs=20_000),
            error=Fraction(1, 1000) if case["verdict"] == "REFUTED" else Fraction(1, 10**6),
            seed=1,
        )
    assert finding.verdict.name == case["verdict"], render([finding], "text")


def test_the_range_leak_shows_on_a_varied_table_by_statistics_too():
    """80 different people, outputs as they come, no use of the finite law: the bound holds at 99.9% confidence."""
    rng = np.random.default_rng(8)
    people = pl.DataFrame({"age": rng.integers(20, 60, 79), "job": rng.choice(["clerk", "cook"], 79)})
    pair = Pair(pl.concat([people, OUTLIER]), people, Neighbours.ADD_REMOVE, "80 people, one of them much older")
    params = {"k": 10, "qi": ["age"], "sensitive": "job"}
    with load_target("anonypyx", params=params, isolate="worker") as target:
        finding = audit(
            target,
            DPS("0.5", 1, "0.35"),
            pairs=[pair],
            budget=Budget(runs=6000),
            error=Fraction(1, 1000),
            seed=2,
            deterministic=False,
        )
    assert finding.verdict.name == "REFUTED", render([finding], "text")
    assert finding.certainty.error <= Fraction(1, 1000)


def test_anjana_s_row_numbers_show_in_the_release_alone():
    params = {"k": 10, "qi": ["age"], "widths": {"age": [10]}}
    with load_target("anjana", params=params, isolate="worker") as target:
        release = target.runs(PAIRS["outlier"].left.reverse(), [1])[0]
        assert "index" not in target.runs(PAIRS["outlier"].right, [1])[0].columns
    refuted = [f.claim.id for f in check(release, Terms(k=1)) if f.verdict.name == "REFUTED"]
    assert "row-numbers" in refuted


def test_crowds_returns_a_stale_table_and_is_isolated_for_it():
    params = {"k": 10, "qi": ["age"], "widths": {"age": [10, 20, 40]}, "suppression": 5}
    rng = np.random.default_rng(1)
    people = pl.DataFrame({"age": rng.integers(20, 60, 80), "job": ["clerk"] * 80})
    with load_target("crowds", params=params, isolate="none") as here:
        first = here.runs(people, [1])[0]
        assert here.runs(people.head(40), [1])[0].height == first.height > 40
    with load_target("crowds", params=params) as target:
        assert target.examine(people).stateful
        assert target.isolate == "fresh"
        assert target.runs(people.head(40), [1])[0].height <= 40


def test_anonypy_s_output_depends_on_the_hash_seed():
    rng = np.random.default_rng(1)
    people = pl.DataFrame({"town": rng.choice(list("abcdefgh"), 40), "job": ["clerk"] * 40})
    with load_target("anonypy", params={"k": 10, "qi": ["town"], "sensitive": "job"}) as target:
        assert target.examine(people).hash_seed


def test_anonypy_ignores_its_t_closeness_parameter():
    rng = np.random.default_rng(1)
    age = rng.integers(20, 60, 200)
    people = pl.DataFrame({"age": age, "job": np.where(age < 40, "cook", rng.choice(["clerk", "cook"], 200))})
    params = {"k": 10, "qi": ["age"], "sensitive": "job"}
    with (
        load_target("anonypy-t-closeness", params={**params, "p": 0.01}, isolate="worker") as strict,
        load_target("anonypy-t-closeness", params={**params, "p": 0.99}, isolate="worker") as loose,
    ):
        releases = [target.runs(people, [1])[0] for target in (strict, loose)]
    assert releases[0].equals(releases[1])
    rows = releases[0].select(pl.exclude("count").repeat_by("count").explode())
    findings = check(rows, Terms(k=10, sensitive=("job",), t="0.01"))
    refuted = [f.claim.id for f in findings if f.verdict.name == "REFUTED" and hasattr(f.claim, "id")]
    assert "t-closeness" in refuted
