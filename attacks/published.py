"""What a target publishes, for an attack to read: a table, or an error that says what came instead."""

from typing import Any

import numpy as np
import polars as pl

from crowdproof.audit.releases import as_table
from crowdproof.errors import TargetError
from crowdproof.mechanism import Mechanism


def published(mechanism: Mechanism, data: Any, rng: np.random.Generator) -> pl.DataFrame:
    """The release of the data. An attack that has no table to look at has shown nothing."""
    release = mechanism(data, rng)
    table = as_table(release)
    if table is None:
        kind = type(release).__name__
        raise TargetError(f"the target returned a value of type {kind}: this attack reads tables, so return one.")
    return table
