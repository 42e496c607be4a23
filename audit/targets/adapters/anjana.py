"""anjana: global recoding by hierarchies, with suppression."""

from collections.abc import Sequence
from typing import Any

import anjana.anonymity
import pandas as pd

from crowdproof.audit.targets.recoding import Widths, bins
from crowdproof.cells import STAR


def k_anonymity(
    table: pd.DataFrame, k: int, qi: Sequence[str], widths: Widths | None = None, suppression: float = 5
) -> pd.DataFrame:
    """`anjana.anonymity.k_anonymity`; numbers go to bins of the given widths, then, as all else does, to `*`."""
    hierarchies = {name: _levels(table[name], (widths or {}).get(name, ())) for name in qi}
    release: pd.DataFrame = anjana.anonymity.k_anonymity(table, [], list(qi), k, suppression, hierarchies)
    return release


def _levels(column: Any, widths: Sequence[float]) -> dict[int, Any]:
    """What each value becomes, level by level."""
    values = column.to_numpy()
    steps = [values, *([bins(width)(value) for value in values] for width in widths), [STAR] * len(values)]
    return dict(enumerate(steps))
