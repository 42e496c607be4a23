"""Traits of tables: what is seen in empty ones, and in large ones that are counted by columns."""

import polars as pl
import pytest

from crowdproof.audit.releases import traits

HEAD = {("kind", "table"): 1.0}
OF_A = {("columns",): 1.0, ("column order", "a"): 1.0, ("column", "a"): 1.0, ("distinct", "a"): 0.0}


@pytest.mark.parametrize("height", [1, 3])
def test_rows_without_columns_are_counted(height):
    table = pl.DataFrame({"a": [0] * height}).drop("a")
    ones = dict.fromkeys([("column order",), ("first row",), ("last row",), ("rows in order",)], 1.0)
    counts = dict.fromkeys([("rows",), ("row",), ("smallest group",), ("rows of stars",)], float(height))
    assert dict(traits(table)) == HEAD | {("columns",): 0.0} | ones | counts


def test_an_empty_table_has_no_rows_to_see():
    assert dict(traits(pl.DataFrame())) == HEAD | {("rows",): 0.0, ("columns",): 0.0, ("column order",): 1.0}


@pytest.mark.parametrize(("kind", "word"), [(pl.Int64, "Int64"), (pl.String, "String"), (pl.Null, "Null")])
def test_a_column_without_cells_is_seen_by_its_name_and_type(kind, word):
    table = pl.DataFrame(schema={"a": kind})
    assert dict(traits(table)) == HEAD | OF_A | {("rows",): 0.0, ("column type", "a", word): 1.0}
