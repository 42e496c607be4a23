"""Algorithms whose every output is k-anonymous and which still give people away: k-anonymity alone is a weak notion."""

from typing import ClassVar

import numpy as np
import polars as pl
from attrs import field, frozen

from crowdproof.mechanism import Mechanism
from crowdproof.mechanisms.parameters import as_k
from crowdproof.mechanisms.predicates import Contains
from crowdproof.mechanisms.sampling import Composed
from crowdproof.mechanisms.tables import as_text, canonical


@frozen
class Duplicate:
    """Select the rows that match `chosen` and release each of them k times, as they are (section 3.1).

    Every released row appears at least k times, so the release is k-anonymous in all columns; it shows the chosen rows
    in the clear.
    """

    deterministic: ClassVar[bool] = True
    chosen: Contains
    k: int = field(converter=as_k)

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator | None = None) -> pl.DataFrame:  # noqa: ARG002
        """The release of the table."""
        rows = table.filter(self.chosen.matches(table))
        texts = pl.DataFrame([as_text(column) for column in rows.iter_columns()])
        return canonical(pl.concat([texts] * self.k))


@frozen
class AppendPerson(Composed):
    """Run a k-anonymizer, then attach the data of one fixed individual of the table to each row (CBP slides).

    The columns `person_<name>` hold that individual's values as text, `?` throughout when nobody in the table matches;
    of several that match, the first in canonical order counts. Rows that were alike stay alike: the release is
    k-anonymous if the k-anonymizer's was.
    """

    mechanism: Mechanism
    person: Contains

    @property
    def deterministic(self) -> bool:
        """Whether the k-anonymizer ignores its rng."""
        return bool(getattr(self.mechanism, "deterministic", False))

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        """The release of the table, with the individual at the end of each row."""
        found = canonical(table.filter(self.person.matches(table))).head(1)
        values = {name: as_text(found[name]).item() if found.height else "?" for name in table.columns}
        release: pl.DataFrame = self.mechanism(table, rng)
        return release.with_columns(pl.lit(value).alias(f"person_{name}") for name, value in values.items())
