"""Equal outputs have equal keys, and different ones different keys."""

import numpy as np
import polars as pl
import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdproof.audit.releases import canonical, code, same
from crowdproof.audit.releases.cell_texts import cell_text, column_texts
from crowdproof.audit.releases.keys import row_codes
from crowdproof.errors import TargetError

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(values)
def test_a_code_is_that_of_the_canonical_form(value):
    assert code(value) == code(canonical(value))
    assert canonical(canonical(value)) == canonical(value)


@given(values, values)
def test_releases_are_the_same_where_their_codes_are(one, other):
    assert same(one, canonical(one))
    assert same(one, other) == (code(one) == code(other))


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_the_order_of_a_mapping_counts_since_it_shows_where_it_is_written(mapping):
    assert code(mapping) != code(dict(reversed(mapping.items())))
    assert code(frozenset(mapping)) == code(set(sorted(mapping, reverse=True)))  # noqa: C414


DIFFERENT = [
    None,
    "",
    "None",
    0,
    0.5,
    -0.0,
    "0",
    True,
    [],
    [0],
    [[0]],
    [0, 0],
    {},
    {"a": 0},
    {0},
    pl.DataFrame({"a": [0]}),
    pl.DataFrame({"b": [0]}),
    pl.DataFrame({"a": ["0"]}),
    pl.DataFrame({"a": [0, 1]}),
    pl.DataFrame({"a": [1, 0]}),
]


def test_different_outputs_have_different_codes():
    assert len({code(each) for each in DIFFERENT}) == len(DIFFERENT)


def test_containers_of_the_same_numbers_agree():
    assert code((1, 2)) == code([1.0, 2]) == code(np.array([1, 2]))


@frozen
class Release:
    text: str


class Opaque:
    pass


def test_objects():
    assert code(Release("a")) == code(Release("a")) != code(Release("b"))
    with pytest.raises(TargetError, match="shows nothing of itself"):
        code(Opaque())


def test_row_codes_tell_rows_apart():
    rows = np.array([[a, b, c] for a in range(20) for b in range(20) for c in (0.0, -0.0, 0.5, np.nan)], float)
    assert len(np.unique(row_codes(rows))) == len(rows)
    np.testing.assert_array_equal(row_codes(rows), row_codes(rows.copy()))


COLUMNS = st.one_of(
    st.lists(st.none() | st.text(max_size=4), max_size=6).map(lambda cells: pl.Series("a", cells, dtype=pl.String)),
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), max_size=6).map(
        lambda cells: pl.Series("a", cells, dtype=pl.Int64)
    ),
    st.lists(st.none() | st.integers(0, 2**64 - 1), max_size=6).map(
        lambda cells: pl.Series("a", cells, dtype=pl.UInt64)
    ),
    st.lists(st.none() | st.floats() | st.sampled_from([0.0, -0.0, 1e308]), max_size=6).map(
        lambda cells: pl.Series("a", cells, dtype=pl.Float64)
    ),
    st.lists(st.none() | st.floats(width=32), max_size=6).map(lambda cells: pl.Series("a", cells, dtype=pl.Float32)),
    st.lists(st.none() | st.booleans(), max_size=6).map(lambda cells: pl.Series("a", cells, dtype=pl.Boolean)),
)


@settings(max_examples=300, deadline=None)
@given(COLUMNS)
def test_a_column_read_at_once_has_the_texts_of_its_cells(column):
    assert column_texts(column) == [cell_text(cell) for cell in column.to_list()]
