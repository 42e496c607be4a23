"""Datasets survive the witness file; a replay confirms what is true and nothing else."""

import datetime
import json

import numpy as np
import polars as pl
import pytest
from attrs import evolve, frozen

from crowdproof import DP, DPS, CrowdBlending, KAnonymity, Neighbours, NotRefuted, Refuted, Safe
from crowdproof.audit import Budget, Pair, audit
from crowdproof.audit.check import Terms, check
from crowdproof.audit.data.as_json import data_from_json, data_to_json
from crowdproof.audit.releases import evaluate
from crowdproof.audit.replay import replay
from crowdproof.audit.targets import load_target
from crowdproof.errors import DataError, TargetError
from crowdproof.findings import Estimate, Event, PairWitness, Reproduce
from crowdproof.mechanisms import Grid, Mondrian, Scheme, StronglySafe
from crowdproof.wire import dumps, loads

PEOPLE = pl.DataFrame({"age": [30] * 12 + [95]})
PAIR = Pair(PEOPLE, PEOPLE.head(12), Neighbours.ADD_REMOVE, "twelve and the oldest")


@pytest.mark.parametrize(
    "table",
    [
        pl.DataFrame({"a": [1, None], "b": ["x", None], "c": [1.5, None], "d": [True, None]}),
        pl.DataFrame({"a": [float("nan"), float("inf"), -0.0, None]}),
        pl.DataFrame(
            {"a": [datetime.date(2024, 2, 29), None], "b": [datetime.datetime(2024, 2, 29, 12, 30, 0, 5)] * 2}
        ),
        pl.DataFrame({"a": [1, 2]}, schema={"a": pl.UInt8}),
        pl.DataFrame(schema={"a": pl.Int64, "b": pl.String}),
        pl.DataFrame({"a": [None, None]}),
    ],
)
def test_tables_survive(table):
    back = data_from_json(json.loads(json.dumps(data_to_json(table), allow_nan=False)))
    assert back.schema == table.schema
    assert back.equals(table, null_equal=True)


def test_a_type_that_files_do_not_know_becomes_text():
    back = data_from_json(data_to_json(pl.DataFrame({"a": pl.Series(["x", "y"], dtype=pl.Categorical)})))
    assert back["a"].to_list() == ["x", "y"]


@pytest.mark.parametrize(
    "array", [np.array([1.0, np.nan, np.inf]), np.arange(6).reshape(2, 3), np.zeros((0,)), np.array([True, False])]
)
def test_arrays_survive(array):
    back = data_from_json(json.loads(json.dumps(data_to_json(array), allow_nan=False)))
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)


def objects(*cells):
    """An array of objects: numpy would take lists for rows of their own."""
    array = np.empty(len(cells), dtype=object)
    for place, cell in enumerate(cells):
        array[place] = cell
    return array


@pytest.mark.parametrize(
    "array",
    [
        objects([0], [1]),
        objects([0], {"a": [1]}, None, "x").reshape(2, 2),
        np.array([(1, 2.5, "x"), (2, np.nan, "y")], dtype=[("a", np.int8), ("b", float), ("c", "U1")]),
        np.array(["1", "x"]),
        np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"),
    ],
    ids=["objects", "a matrix of objects", "fields", "texts", "dates"],
)
def test_arrays_of_other_things_than_numbers_survive(array):
    back = data_from_json(json.loads(json.dumps(data_to_json(array), allow_nan=False)))
    assert back.dtype == array.dtype
    assert repr(back) == repr(array)


@pytest.mark.parametrize(
    "data",
    [
        [np.array([1, 2])],
        [{1, 2}],
        [{1: "a key that is no text"}],
        list(np.array([(1, 2.5)], dtype=[("a", int), ("b", float)])),
        np.rec.array([(1,)], names="a"),
        np.array([1 + 2j]),
        objects({1}, [0]),
    ],
    ids=["arrays", "sets", "keys", "records", "an array of records", "complex numbers", "objects"],
)
def test_a_refutation_on_data_that_json_lacks_is_written_and_says_that_it_cannot_be_replayed(data):
    finding = audit(Geometric(0.5), DP("ln 2"), pairs=[PAIR], budget=Budget(runs=1))
    witness = PairWitness(data_to_json(data), data_to_json(data), Event("any", {}), *[Estimate.exactly(1)] * 3)
    (read,) = loads(dumps([evolve(finding, verdict=Refuted(witness))]))
    with pytest.raises(DataError, match="which is not kept in files"):
        replay(read, Geometric(0.5), seed=1)


def test_numbers_of_numpy_in_a_list_are_written_as_numbers():
    data = [np.int64(3), {"a": [np.float64(1.5), np.bool_(True)]}, ("x",)]
    assert json.dumps(data_to_json(data)) == '[3, {"a": [1.5, true]}, ["x"]]'


@pytest.mark.parametrize("value", [[1, "two", None], "left", 3, {"a": [1]}])
def test_plain_values_are_written_as_they_are(value):
    assert data_to_json(value) == value == data_from_json(value)


@pytest.mark.parametrize(
    "record",
    [
        {"kind": "table", "columns": {"a": "Int64"}, "rows": [["x"]]},
        {"kind": "table", "columns": {"a": "Nonsense"}, "rows": []},
        {"kind": "table", "rows": []},
        {"kind": "array", "type": "<f8", "shape": [5], "rows": [[1.0]]},
    ],
)
def test_a_damaged_dataset_is_an_error_with_a_remedy(record):
    with pytest.raises(DataError, match="give a witness file that crowdproof wrote") as told:
        data_from_json(record)
    assert "\n" not in str(told.value)


def test_an_unknown_kind_of_dataset_is_told_and_cannot_be_replayed():
    with pytest.raises(DataError, match="about a object"):
        data_from_json(data_to_json(object()))


def test_an_exact_refutation_is_confirmed_from_its_file_and_not_on_a_repaired_target():
    finding = audit(Mondrian(k=3), DPS("0.5", 1, "0.1"), pairs=[PAIR])
    (read,) = loads(dumps([finding]))
    again = replay(read, Mondrian(k=3), seed=99)
    assert isinstance(again.verdict, Refuted)
    assert again.verdict.witness == finding.verdict.witness
    assert "confirmed" in again.evidence[0].text
    repaired = replay(read, StronglySafe(Scheme({"age": Grid(200)}), 3), seed=99)
    assert isinstance(repaired.verdict, NotRefuted)
    assert "not confirmed" in repaired.evidence[0].text


@frozen
class Geometric:
    alpha: float

    def __call__(self, data, rng):
        return int(data.height + rng.geometric(1 - self.alpha) - rng.geometric(1 - self.alpha))


def test_a_statistical_refutation_is_confirmed_with_fresh_randomness_and_not_on_a_repaired_target():
    finding = audit(Geometric(0.1), DP("ln 2"), pairs=[PAIR], budget=Budget(runs=30_000), seed=1)
    assert isinstance(finding.verdict, Refuted)
    (read,) = loads(dumps([finding]))
    again = replay(read, Geometric(0.1), seed=2, budget=Budget(runs=30_000))
    assert isinstance(again.verdict, Refuted)
    repaired = replay(read, Geometric(0.5), seed=2, budget=Budget(runs=5_000))
    assert isinstance(repaired.verdict, NotRefuted)


EARLY = {
    "schema": 1,
    "subject": "release.py:sizes",
    "claim": {"notion": "dps", "beta": "0.5", "epsilon": "1", "delta": "0.02", "neighbours": "add-remove"},
    "verdict": {
        "witness": {
            "left": {"kind": "table", "columns": {"age": "Int64", "income": "Int64"}, "rows": [[20, 1000], [20, 1000]]},
            "right": {"kind": "table", "columns": {"age": "Int64", "income": "Int64"}, "rows": [[20, 1000]]},
            "event": {
                "words": "the number at the top is at least 2",
                "spec": {"kind": "releases", "keys": ["6c6f6ffdf61ef41b"]},
            },
            "p_left": {"low": "0.25", "high": "0.25"},
            "p_right": {"low": "0", "high": "0"},
            "excess": {"low": "0.25", "high": "0.25"},
            "kind": "pair-witness",
        },
        "kind": "refuted",
    },
    "certainty": {"kind": "exact"},
    "evidence": [{"title": "Pair", "text": "groups of 2 against 1 equal rows", "kind": "note"}],
    "cost": {"runs": 518, "seconds": 7.083708078998825},
    "reproduce": {
        "command": "crowdproof audit release.py:sizes --claim 'dps(beta=0.5, epsilon=1, delta=0.02)' --seed 1",
        "seed": 1,
        "parameters": {
            "target": {
                "spec": "release.py:sizes",
                "params": {},
                "form": None,
                "timeout": 60.0,
                "memory": None,
                "isolate": "worker",
            },
            "sampling": "auditor",
            "deterministic": None,
            "error": "1e-6",
            "runs": 2000,
            "seconds": None,
        },
        "versions": {"crowdproof": "0.1.0", "python": "3.11.7", "numpy": "2.4.6", "polars": "2.1.0"},
    },
}
"""A finding as an early build of version 0.1 wrote it."""


def test_a_witness_of_an_early_build_is_replayed(tmp_path, monkeypatch):
    (tmp_path / "release.py").write_text("def sizes(data, rng):\n    return data.height\n")
    monkeypatch.chdir(tmp_path)
    (early,) = loads(json.dumps(EARLY))
    again = replay(early, seed=3, budget=Budget(runs=2_000))
    assert isinstance(again.verdict, Refuted)
    assert again.verdict.witness.excess == early.verdict.witness.excess
    assert "confirmed" in again.evidence[0].text


def test_an_event_that_an_early_build_learned_is_refused_in_one_sentence():
    score = {"kind": "additive", "reader": {"kind": "numbers", "width": 1, "whole": False}, "features": [["value", 0]]}
    early = {
        "score": {**score, "edges": [[0.5]], "weights": [[0.0, 1.0, 0.0]], "cuts": []},
        "threshold": 1,
        "top": True,
    }
    with pytest.raises(DataError, match=r"^this event cannot be evaluated: .* or replay it\.$"):
        evaluate(early, [0.0, 1.0])


def test_what_cannot_be_replayed_is_an_error():
    refuted = audit(Mondrian(k=3), DPS("0.5", 1, "0.1"), pairs=[PAIR])
    with pytest.raises(TargetError, match="name the target"):
        replay(refuted, seed=1)
    with pytest.raises(DataError, match="refutes nothing"):
        replay(evolve(refuted, verdict=NotRefuted("nothing")), Mondrian(k=3), seed=1)


def test_a_target_that_is_elsewhere_could_not_be_run_and_the_remedy_says_where(tmp_path, monkeypatch):
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir()
    away.mkdir()
    (home / "oldest.py").write_text("def release(table):\n    return table['age'].max()\n")
    monkeypatch.chdir(home)
    finding = audit(load_target("oldest.py:release", isolate="none"), DPS("0.5", 1, "0.1"), pairs=[PAIR])
    gated = evolve(
        finding, reproduce=evolve(finding.reproduce, parameters=finding.reproduce.parameters | {"file": "a/b.toml"})
    )
    assert isinstance(replay(finding, seed=1).verdict, Refuted)
    monkeypatch.chdir(away)
    for made, where in ((finding, "in which it was audited"), (gated, "of a/b.toml")):
        with pytest.raises(TargetError) as told:
            replay(made, seed=1)
        assert str(told.value) == (
            "the target oldest.py:release cannot be loaded here (there is no file oldest.py): replay it in the folder "
            f"{where}, or name the target with --target."
        )
    elsewhere = load_target(f"{home}/oldest.py:release", isolate="none")
    assert isinstance(replay(finding, elsewhere, seed=1).verdict, Refuted)


def test_what_has_no_pair_and_no_data_is_told_how_to_see_it_again():
    (finding, *_) = check(pl.DataFrame({"age": [1, 2]}), Terms())
    assert isinstance(finding.verdict, Refuted)
    with pytest.raises(DataError, match="holds no data to replay it on: audit it again"):
        replay(finding, seed=1)
    told = evolve(finding, reproduce=Reproduce("crowdproof check ages.csv"))
    with pytest.raises(DataError, match="see it again with: crowdproof check ages"):
        replay(told, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        {"sampling": "zz"},
        {"target": {"spec": "crowdproof.mechanisms:Mondrian", "colour": "red"}},
        {"target": {"spec": "crowdproof.mechanisms:Mondrian", "params": 5}},
        {"target": {"spec": "crowdproof.mechanisms:Mondrian", "timeout": "long"}},
    ],
)
def test_edited_parameters_are_an_error_with_a_remedy(change):
    target = load_target("crowdproof.mechanisms:Mondrian", params={"k": 3}, isolate="none")
    finding = audit(target, DPS("0.5", 1, "0.1"), pairs=[PAIR])
    edited = evolve(finding, reproduce=evolve(finding.reproduce, parameters=finding.reproduce.parameters | change))
    with pytest.raises(DataError, match=r"does not tell how it was made .* give a witness file that crowdproof wrote"):
        replay(edited, seed=1)
    assert isinstance(replay(finding, seed=1).verdict, Refuted)


@pytest.mark.slow
@pytest.mark.parametrize("claim", [Safe(), KAnonymity(5), CrowdBlending(4), DPS("0.5", 1, "0.1")])
def test_a_loaded_target_is_loaded_again_from_the_file(claim):
    people = pl.DataFrame({"age": [30, 31, 32, 33, 40, 41, 42, 43, 95]})
    target = load_target("crowdproof.mechanisms:Mondrian", params={"k": 4}, isolate="none")
    finding = audit(target, claim, data=people, search=0)
    assert isinstance(finding.verdict, Refuted)
    (read,) = loads(dumps([finding]))
    assert isinstance(replay(read, seed=12).verdict, Refuted)
