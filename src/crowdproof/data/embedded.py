"""Data that comes with the package as files."""

from importlib.resources import as_file, files

import polars as pl


def adult(*, complete: bool = False) -> pl.DataFrame:
    """The training part of UCI Adult: 32,561 people of the 1994 US census, 15 columns; an unknown value is null.

    `complete` keeps the 30,162 rows without unknown values, which most papers on k-anonymity use. Becker and Kohavi
    (1996), CC BY 4.0; see ADULT-LICENSE.txt beside the data.

    >>> adult().shape, adult(complete=True).height
    ((32561, 15), 30162)
    """
    with as_file(files("crowdproof.data") / "adult.parquet") as path:
        table = pl.read_parquet(path)
    return table.drop_nulls() if complete else table
