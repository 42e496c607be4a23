"""How the gate examines one claim: what can be settled once and for all first, then slices of a sequential test."""

from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import polars as pl
from attrs import field, frozen

from crowdproof.audit.data.tables import read_table
from crowdproof.audit.gate.config import Entry, Project
from crowdproof.audit.gate.evidence import Slice
from crowdproof.audit.request import Budget
from crowdproof.audit.targets.loaded import Loaded
from crowdproof.errors import DataError
from crowdproof.findings import Certainty, Evidence, Finding, Json

DEFAULT_RUNS = 20_000
"""Runs that one gate spends on a claim where the configuration does not say: a guess, for targets that take a
millisecond or so. What they find is told in each finding."""
DEFAULT_TIMEOUT = 60.0
"""Seconds after which one run of the target is given up, where the configuration does not say. A guess: a shorter time
fails slow targets that work, a longer one lets a hanging target hold up a gate."""


@frozen(eq=False)
class Case:
    """A claim of the configuration with its target loaded and its data read."""

    entry: Entry
    subject: Any
    """The target, in whatever form the engine keeps it."""
    data: pl.DataFrame
    runs: int
    """How many runs one gate spends on it."""
    passing: str | None = None
    """Why its evidence must not add up over runs of the gate; None where it may."""
    shown: list[Evidence] = field(factory=list)
    """What was shown about it before the statistical test, for the report."""
    exact: list[tuple[str, Certainty]] = field(factory=list)
    """What enumeration has shown of some pairs and how surely, where it left others to the statistical test."""
    enumerated: list[Finding] = field(factory=list)
    """What enumeration found if the target is deterministic, where that was only measured: it stands unless the
    statistical test says otherwise. One finding, or none."""
    keys: set[str] = field(factory=set)
    """Keys of the releases that this gate has seen."""
    spends: bool = False
    """Whether to settle it takes a part of the gate's error."""
    loaded: Loaded | None = None
    """Which code the target had loaded when it had run for the first time; None where that cannot be told."""


class Engine(Protocol):
    """What the gate needs of an auditor."""

    def prepare(self, entry: Entry, project: Project, *, seconds: float) -> Case:
        """Load the target and read the data; what is wrong with them is an error with its remedy.

        `seconds` is the claim's share of the time, of which seeing how the target behaves takes a part.
        """

    def settle(self, case: Case, budget: Budget, *, error: Fraction, seed: int) -> Finding | None:
        """A finding that no further run of the gate would change, or None where the claim needs a statistical test."""

    def slice(self, case: Case, budget: Budget, *, alpha: Fraction, seed: np.random.SeedSequence, state: Any) -> Slice:
        """One slice of the test: it goes on to the end of its budget, whatever it sees."""

    def release(self, case: Case) -> None:
        """Let go of what the case holds: processes, connections."""


def load_options(entry: Entry, project: Project) -> dict[str, Json]:
    """What `load_target` is called with."""
    defaults = project.config.defaults
    return {
        "spec": entry.target,
        "params": dict(entry.params),
        "form": entry.form or defaults.form,
        "timeout": entry.timeout or defaults.timeout or DEFAULT_TIMEOUT,
        "isolate": entry.isolate or defaults.isolate or "auto",
    }


def runs_of(entry: Entry, project: Project) -> int:
    """How many runs one gate spends on the claim."""
    return entry.runs or project.config.defaults.runs or DEFAULT_RUNS


def slice_seed(seed: int, epoch: int, number: int) -> np.random.SeedSequence:
    """The seed of a slice: of its own even where every run of a gate is given the same `--seed`."""
    return np.random.SeedSequence(seed, spawn_key=(epoch, number))


def table_of(entry: Entry, project: Project) -> pl.DataFrame:
    """The data of a claim: its file, the default one, or a table with the values that it lists."""
    if entry.values is not None:
        return _table_with(entry.values, entry.name)
    written = entry.data or project.config.defaults.data
    if written is None:
        raise DataError(f'{entry.name} has nothing to be audited on: give data = "people.csv", or values.')
    return read_table(project.place(written), schema=schema_of(entry, project))


def schema_of(entry: Entry, project: Project) -> dict[str, str]:
    """The types that are declared of columns, for this claim or for all."""
    default = project.config.defaults.schema or {}
    return default if entry.schema is None else entry.schema


def _table_with(listed: dict[str, tuple[Any, ...]], name: str) -> pl.DataFrame:
    rows = max((len(values) for values in listed.values()), default=0)
    if not all(listed.values()) or not rows:
        raise DataError(f"a column of {name} has no values: give each column at least one.")
    return pl.DataFrame({column: [values[i % len(values)] for i in range(rows)] for column, values in listed.items()})
