"""What a target is given: rows that share no object, and nothing that an earlier run wrote, however they came about."""

import copy
import random
from itertools import chain, combinations, islice

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdproof import Neighbours, Refuted, examine
from crowdproof.audit.compare.exact.sample_runs import RunSampleOnce
from crowdproof.audit.compare.exact.samples import Sample
from crowdproof.audit.data.as_json import data_from_json, data_to_json
from crowdproof.audit.data.copies import UNCHANGING, own_copy
from crowdproof.audit.data.rows import SampledRows, group, in_order, size, stack, take
from crowdproof.audit.neighbours.own_data import in_a_crowd, own_data
from crowdproof.audit.targets.forms import give
from crowdproof.audit.targets.run import attempt

SYSTEM = random.SystemRandom()


def objects(rows, shape=None):
    array = np.empty(len(rows), dtype=object)
    for place, row in enumerate(rows):
        array[place] = row
    return array if shape is None else array.reshape(shape)


class Person:
    def __init__(self, tags):
        self.tags = tags


NESTED = np.array([(1, None), (0, None), (1, None)], dtype=[("a", int), ("b", object)])
for _place in range(3):
    NESTED[_place]["b"] = [_place % 2]
SHARED = [1]
LIST_KINDS = {
    "lists": [[1], [0], [0], [1]],
    "one object in every place": [SHARED] * 4,
    "rows that share a cell": [[SHARED, 1], [SHARED, 0], [[0], SHARED]],
    "dicts": [{"a": [1]}, {"a": [0]}, {"a": [0]}],
    "tuples of lists": [(1, [1]), (1, [0]), (0, [0])],
    "tuples of numbers": [(1, 2), (0, 2), (0, 2)],
    "sets": [{1}, {0}, {0}],
    "arrays": [np.array([1]), np.array([0]), np.array([0])],
    "objects of a class": [Person([1]), Person([0]), Person([0])],
    "records": list(np.array([(1, 2.0), (0, 3.0), (1, 4.0)], dtype=[("a", int), ("b", float)])),
}
ARRAY_KINDS = {
    "an object array": objects([[1], [0], [0]]),
    "an object array of two dimensions": objects([[1], {"a": [0]}, [0], [1], [2], [3]], (3, 2)),
    "a view of an object array": objects([[1], [0], [0], [1], [1], [0]])[::2],
    "records with objects": NESTED,
    "a structured array": np.array([(1, 2.0), (0, 3.0), (1, 4.0)], dtype=[("a", int), ("b", float)]),
    "a view of numbers": np.arange(12.0).reshape(6, 2)[::2, ::-1],
}
KINDS = {**LIST_KINDS, **ARRAY_KINDS}
TABLES = {
    "pandas": pd.DataFrame({"a": [SHARED, SHARED, [0]], "b": [1, 2, 3]}),
    "a column of pandas": pd.Series([SHARED, SHARED, {"a": [0]}], name="a"),
    "pandas of texts": pd.DataFrame({"a": ["x", "y"], "b": pd.Categorical(["x", "y"]), "c": [[1], [2]]}),
    "polars with objects": pl.DataFrame({"a": pl.Series([SHARED, SHARED, [0]], dtype=pl.Object), "b": [1, 2, 3]}),
    "columns by name": {"a": [SHARED, SHARED], "b": np.array([1, 2])},
    "a tuple of lists": (SHARED, SHARED, [0]),
}


def changeable(thing):
    """Addresses of all that can be changed within a thing, and of memory of arrays."""
    if isinstance(thing, np.ndarray) and not thing.dtype.hasobject:
        return {(thing.__array_interface__["data"][0], "memory")} if thing.size else set()
    if isinstance(thing, np.void):
        return {(thing.__array_interface__["data"][0], "memory")}
    if type(thing) in UNCHANGING:
        return set()
    inner = ()
    if isinstance(thing, dict):
        inner = thing.values()
    elif isinstance(thing, list | tuple | set):
        inner = thing
    elif isinstance(thing, np.ndarray):
        inner = chain.from_iterable(each if isinstance(each, tuple) else [each] for each in thing.ravel().tolist())
    elif hasattr(thing, "__dict__"):
        inner = [thing.__dict__]
    own = set() if isinstance(thing, tuple | np.ndarray) else {id(thing)}
    return own.union(*map(changeable, inner))


def rows_of(data):
    if isinstance(data, pd.DataFrame):
        return [list(row) for row in data.itertuples(index=False)]
    if isinstance(data, pl.DataFrame):
        return [list(row) for row in data.rows()]
    if isinstance(data, dict):
        return list(chain.from_iterable(data.values()))
    if isinstance(data, np.ndarray) and not data.dtype.hasobject:
        return [data[place] for place in range(len(data))]
    return [data[place : place + 1] for place in range(len(data))] if isinstance(data, np.ndarray) else list(data)


def shared_by_rows(data):
    rows = rows_of(data)
    kept = [changeable(row) | ({id(row)} if type(row) is tuple else set()) for row in rows]  # which are held meanwhile
    return [each for one, other in combinations(kept, 2) for each in one & other]


def steps(data):
    """What the auditor may do to a dataset before a target gets it."""
    everything = np.arange(size(data))
    return [
        lambda: take(data, np.concatenate([everything, everything[:1], everything[:1]])),
        lambda: stack(data, data),
        lambda: group(data, take(data, everything[1:])).dataset(group(data, data).left),
        lambda: in_order(data, take(data, everything[::-1])).dataset([2] * len(in_order(data, data).left)),
        lambda: in_a_crowd(data, 1, usual=0, copies=4, relation=Neighbours.REPLACE).left,
        lambda: next(own_data(data, Neighbours.REPLACE)).right,
        lambda: next(islice(own_data(data, Neighbours.ADD_REMOVE), 1, None)).left,
    ]


@pytest.mark.parametrize("kind", KINDS)
@given(chain_of_steps=st.lists(st.integers(0, 6), max_size=3))
@settings(max_examples=15, deadline=None)
def test_rows_of_neighbours_share_nothing(kind, chain_of_steps):
    data = KINDS[kind]
    for step in chain_of_steps:
        if size(data) < 2:
            break
        data = steps(data)[step]()
    for given_rows in (own_copy(data), give(data, "polars")):
        assert not shared_by_rows(given_rows)
        assert not changeable(given_rows) & changeable(data)
        assert type(given_rows) is type(data)


@pytest.mark.parametrize("kind", [*KINDS, *TABLES])
def test_a_run_sees_nothing_that_another_wrote(kind):
    data = {**KINDS, **TABLES}[kind]
    before = repr(copy.deepcopy(data)) if kind != "objects of a class" else repr([each.tags for each in data])

    def scribble(rows, rng):
        seen = repr(rows) if kind != "objects of a class" else repr([each.tags for each in rows])
        for row in rows_of(rows):
            deface(row)
        return seen

    first, second = (attempt(scribble, data, np.random.default_rng(0)) for _ in range(2))
    assert first.output == second.output == before
    assert not shared_by_rows(own_copy(data))
    if isinstance(data, pd.DataFrame):
        pd.testing.assert_frame_equal(own_copy(data), data)


def deface(thing):
    """Write into all that can be written to."""
    if isinstance(thing, np.ndarray) and not thing.dtype.hasobject and thing.flags.writeable:
        thing[...] = np.zeros((), thing.dtype)
    elif isinstance(thing, np.void):
        thing[0] = 77
    elif isinstance(thing, list | tuple | np.ndarray):
        for each in thing.ravel().tolist() if isinstance(thing, np.ndarray) else thing:
            deface(each)
        if isinstance(thing, list):
            thing.append("scribble")
    elif isinstance(thing, dict):
        for each in thing.values():
            deface(each)
        thing["scribble"] = 1
    elif isinstance(thing, set):
        thing.add("scribble")
    elif isinstance(thing, Person):
        deface(thing.tags)


@pytest.mark.parametrize("kind", ["lists", "one object in every place", "dicts", "an object array"])
def test_samples_and_witnesses_share_nothing_either(kind):
    data = KINDS[kind]
    seen = []

    def keep(rows, rng):
        seen.append(rows)
        deface(list(rows))
        return 0

    pair = group(data, take(data, np.arange(1, size(data))))
    for counts in (pair.left, pair.right):
        RunSampleOnce(keep, pair)((Sample(counts, 1, 1), 7))
    attempt(SampledRows(1, keep), data, np.random.default_rng(0))
    attempt(keep, data_from_json(data_to_json(data)), np.random.default_rng(0))
    assert not any(shared_by_rows(each) for each in seen)
    assert not changeable(seen[0]) & changeable(seen[1])


def answers_locally(rows):
    """Randomized response for ln 3, written into the rows."""
    for row in rows:
        if SYSTEM.random() < 0.25:
            row[0] = 1 - row[0]
    return [row[0] for row in rows]


def ignores(rows):
    for row in rows:
        row.clear()
        row.append(SYSTEM.random() < 0.5)
    return [row[0] for row in rows]


def tells_the_first(rows):
    """The leaky twin: the first row is told as it is."""
    first = rows[0][0]
    return [first, *answers_locally(rows)[1:]]


BITS = [[1], [0], [0], [1], [1]]


@pytest.mark.parametrize("data", [BITS, objects(copy.deepcopy(BITS))], ids=["lists", "object array"])
@pytest.mark.parametrize(("target", "epsilon"), [(answers_locally, "ln 3"), (ignores, "0")])
def test_a_target_that_writes_into_its_rows_keeps_its_claim(data, target, epsilon):
    found = examine(target, f"dp(epsilon={epsilon}, neighbours=replace)", data=data, runs=3_000, seed=1)
    assert not isinstance(found.verdict, Refuted)


def test_its_leaky_twin_is_refuted():
    found = examine(tells_the_first, "dp(epsilon=ln 3, neighbours=replace)", data=[[0], [1], [1]], runs=3_000, seed=1)
    assert isinstance(found.verdict, Refuted)
