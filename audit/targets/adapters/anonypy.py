"""anonypy: Mondrian with ranges and sets taken from the data; a counted row for each group and sensitive value."""

from collections.abc import Callable, Sequence
from typing import Any

import anonypy
import pandas as pd

from crowdproof.audit.targets.recoding import closed_range, value_set, with_categories


def k_anonymity(table: pd.DataFrame, k: int, qi: Sequence[str], sensitive: str) -> list[dict[str, Any]]:
    """`Preserver.anonymize_k_anonymity`."""
    return _release(table, qi, sensitive, lambda preserver: preserver.anonymize_k_anonymity(k=k))


def t_closeness(table: pd.DataFrame, k: int, p: float, qi: Sequence[str], sensitive: str) -> list[dict[str, Any]]:
    """`Preserver.anonymize_t_closeness`, whose p should bound the distance of each group from the whole."""
    return _release(table, qi, sensitive, lambda preserver: preserver.anonymize_t_closeness(k=k, p=p))


def _release(
    table: pd.DataFrame, qi: Sequence[str], sensitive: str, run: Callable[[Any], list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    typed = with_categories(table, [*qi, sensitive])
    rows = run(anonypy.Preserver(typed, list(qi), sensitive))
    notation = {name: value_set if typed[name].dtype.name == "category" else closed_range for name in qi}
    return [{name: notation[name](cell[0]) if name in notation else cell for name, cell in row.items()} for row in rows]
