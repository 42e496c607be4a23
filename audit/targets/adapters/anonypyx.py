"""anonypyx: Mondrian or MDAV with ranges and sets taken from the data."""

from collections.abc import Sequence
from typing import Any

import anonypyx
import pandas as pd

from crowdproof.audit.targets.recoding import closed_range, value_set, with_categories


def anonymise(
    table: pd.DataFrame,
    k: int,
    qi: Sequence[str],
    sensitive: str | None = None,
    algorithm: str = "Mondrian",
    **options: Any,
) -> pd.DataFrame:
    """`Anonymiser.anonymise` with readable cells; options such as l and t are passed on."""
    typed = with_categories(table, table.columns)
    release: pd.DataFrame = anonypyx.Anonymiser(
        typed,
        k=k,
        feature_columns=list(qi),
        sensitive_column=sensitive,
        algorithm=algorithm,
        generalisation_strategy="human-readable",
        **options,
    ).anonymise()
    for name in qi:
        cell = value_set if typed[name].dtype.name == "category" else closed_range
        release[name] = [cell(text) for text in release[name]]
    return release
