"""The categories of a column belong to the table as a whole: which of them a row happens to have is no part of them.

A categorical column of polars has no list of its own, and what is made of it for pandas or Arrow lists the categories
of the rows that are there. Of two neighbours one would then have another list than the other, and a target that reads
the list would seem to leak a row. So a table that comes in has columns of a fixed list, which polars calls an Enum.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

Lists = Mapping[str, Sequence[str]]
"""Column -> its categories, in their order."""


def with_fixed_categories(table: pl.DataFrame, path: Path) -> pl.DataFrame:
    """The table of that file, each categorical column with the list that the file declares, or with what it holds."""
    names = categorical(table)
    if not names:
        return table
    declared = _declared(path, names)
    return table.with_columns(_fixed(table[name], declared.get(name, ())) for name in names)


def categorical(table: pl.DataFrame) -> list[str]:
    """The columns that are categorical and have no fixed list.

    >>> categorical(pl.DataFrame({"a": ["x"], "b": ["y"]}, schema={"a": pl.Categorical, "b": pl.Enum(["y"])}))
    ['a']
    """
    return [name for name, kind in table.schema.items() if kind == pl.Categorical]


def _fixed(column: pl.Series, declared: Sequence[str]) -> pl.Series:
    """The column with the declared list; what the cells have beyond it comes last, in alphabetical order."""
    more = sorted(set(column.cast(pl.String).drop_nulls()) - set(declared))
    return column.cast(pl.String).cast(pl.Enum([*declared, *more]))


def _declared(path: Path, names: list[str]) -> Lists:
    """The categories that the file lists for these columns, each list in the order of the file."""
    import pyarrow as pa  # noqa: PLC0415  (slow to load, and most tables have no such column)
    import pyarrow.feather  # noqa: PLC0415
    import pyarrow.parquet  # noqa: PLC0415

    reader = pa.parquet if path.suffix.lower() == ".parquet" else pa.feather
    found: dict[str, list[str]] = {}
    try:
        columns = reader.read_table(path, columns=names)
    except (pa.ArrowException, OSError, ValueError):  # polars reads what pyarrow does not: what it holds is known then
        return found
    for name in names:
        chunks = columns.column(name).chunks
        listed = [each for part in chunks if pa.types.is_dictionary(part.type) for each in part.dictionary.to_pylist()]
        found[name] = [each for each in dict.fromkeys(listed) if isinstance(each, str)]
    return found
