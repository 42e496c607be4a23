"""Whole columns of cells, without a Python object for each cell."""

from fractions import Fraction

import polars as pl

from crowdproof.cells.kinds import Cell, Range, Values
from crowdproof.cells.notation import BLANKS
from crowdproof.cells.reading import parse_cell

_SIMPLE = r"^-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?$"
"""Numbers that polars reads as the parser does."""
_FEW = 4096
"""Rows up to which the parser is quicker than polars, which takes a millisecond to begin with."""
_NAMED = {"cell": pl.String, "low": pl.Float64, "high": pl.Float64, "attained": pl.Boolean}


def suppressed(column: pl.Expr) -> pl.Expr:
    """`is_suppressed` of each cell of a column."""
    return column.cast(pl.String).fill_null("").str.contains(rf"^[{BLANKS}]*\**[{BLANKS}]*$")


def named_numbers(column: pl.Series) -> pl.DataFrame:
    """For each cell of a column the least and the greatest number that it names, by its usual reading.

    `cell` is its text. `low` and `high` are null where it names no number: a limit such as `>=65` is nobody's own.
    `attained` tells whether `high` belongs to what the cell says.

    >>> named_numbers(pl.Series(["[20, 40)", "37", "20-40", "*"])).rows()
    [('[20, 40)', 20.0, 40.0, False), ('37', 37.0, 37.0, True), ('20-40', 20.0, 40.0, True), ('*', None, None, None)]
    """
    texts = column.cast(pl.String).alias("cell")
    return _one_by_one(texts) if len(texts) <= _FEW else _simple_ones_together(texts)


def _one_by_one(texts: pl.Series) -> pl.DataFrame:
    """Each different text is read by the parser."""
    cells = texts.to_list()
    read = {text: _named(parse_cell(text)) for text in set(cells)}
    return pl.DataFrame([(text, *read[text]) for text in cells], schema=_NAMED, orient="row")


def _simple_ones_together(texts: pl.Series) -> pl.DataFrame:
    """The numbers among the texts are read by polars, and the others by the parser."""
    is_simple = pl.col("cell").str.contains(_SIMPLE)
    cells = texts.to_frame().with_columns(number=pl.when(is_simple).then("cell").cast(pl.Float64))
    others = _one_by_one(cells.filter(pl.col("number").is_null())["cell"].unique())
    joined = cells.join(others, on="cell", how="left", maintain_order="left", nulls_equal=True)
    return joined.select(
        "cell",
        low=pl.coalesce("number", "low"),
        high=pl.coalesce("number", "high"),
        attained=pl.when(pl.col("number").is_null()).then("attained").otherwise(pl.lit(value=True)),
    )


def _named(cell: Cell) -> tuple[float | None, float | None, bool | None]:
    """The least and the greatest number, and whether the greatest belongs to the cell; nothing where there is none."""
    match cell:
        case Range(Fraction() as low, Fraction() as high, _, high_open):
            return _floats(low, high, attained=not high_open)
        case Values(values):
            numbers = [value for value in values if isinstance(value, Fraction)]
            if len(numbers) == len(values):
                return _floats(min(numbers), max(numbers), attained=True)
    return None, None, None


def _floats(low: Fraction, high: Fraction, *, attained: bool) -> tuple[float | None, float | None, bool | None]:
    try:
        return float(low), float(high), attained
    except OverflowError:  # beyond the floats
        return None, None, None
