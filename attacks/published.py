"""What a target publishes, for an attack to read: a table, or an error that says what came instead."""

from typing import Any

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.attacks.people import name_of
from crowdproof.audit.releases import as_table
from crowdproof.errors import TargetError
from crowdproof.mechanism import Mechanism, is_deterministic


def published(mechanism: Mechanism, data: Any, rng: np.random.Generator) -> pl.DataFrame:
    """The release of the data. An attack that has no table to look at has shown nothing."""
    release = mechanism(data, rng)
    table = _rows_of(release, data) if isinstance(release, np.ndarray) else as_table(release)
    if table is None:
        kind = type(release).__name__
        raise TargetError(f"the target returned a value of type {kind}: this attack reads tables, so return one.")
    return table


def _rows_of(release: NDArray[Any], data: Any) -> pl.DataFrame | None:
    """An array as a table, with the columns of the data where it has as many; None where it has no rows and columns."""
    if release.ndim != 2 or release.dtype.kind not in "biuf":
        return None
    names = data.columns if isinstance(data, pl.DataFrame) and data.width == release.shape[1] else None
    return pl.from_numpy(release, schema=names)


@frozen
class Tables:
    """A target as an attack runs it: what it returns is read as a table."""

    target: Mechanism

    @property
    def name(self) -> str:
        """What the target is called."""
        return name_of(self.target)

    @property
    def deterministic(self) -> bool:
        """Whether the target declares that it does not use its rng."""
        return is_deterministic(self.target)

    def __call__(self, data: Any, rng: np.random.Generator) -> pl.DataFrame:
        """The release of the data."""
        return published(self.target, data, rng)
