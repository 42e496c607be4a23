"""What a team writes down: its claims, how hard to try, and what is knowingly let pass.

The types are the format: `structuring` fills them from TOML, and `config_schema` describes them to editors.
"""

import datetime
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

from attrs import evolve, field, frozen

from crowdproof.audit.gate.config_fields import (
    about,
    duration,
    false_alarm_rate,
    optional_count,
    optional_time_limit,
    some_text,
)
from crowdproof.audit.gate.recipes import Recipe
from crowdproof.audit.targets.spec import TargetSpec
from crowdproof.claims import Claim
from crowdproof.errors import ParameterError
from crowdproof.findings import Json

Cell: TypeAlias = str | int | float | bool | None
"""A cell of a table, as TOML can write it."""


SCHEMA = "Types of columns of the data: integer, number, text, boolean or date; others are guessed."
"""What `schema` means, as `--schema COLUMN=TYPE` does on the command line."""


@frozen
class Defaults:
    """What holds for every claim that does not say otherwise."""

    data: str | None = field(
        metadata=about("A table (CSV, Parquet, ...) to build neighbouring datasets from."), default=None
    )
    runs: int | None = field(
        metadata=about("How many runs of the target one gate spends on a claim."),
        default=None,
        converter=optional_count,
    )
    schema: dict[str, str] | None = field(metadata=about(SCHEMA), default=None)
    timeout: float | None = field(
        metadata=about("Seconds after which one run of the target is given up."),
        default=None,
        converter=optional_time_limit,
    )
    form: str | None = field(
        metadata=about(
            "How the table is given: polars, pandas, pandas-nullable, pyarrow, rows, numpy, lazy, path and others to a "
            "function (found by trying where it is left out), csv or parquet to a program or a service."
        ),
        default=None,
    )
    isolate: str | None = field(
        metadata=about("Where a Python target runs: auto, none, worker, fresh or spawn."), default=None
    )


@frozen
class Entry:
    """One claim about one target."""

    name: str = field(metadata=about("What the claim is called in reports and suppressions."), converter=some_text)
    target: str = field(
        metadata=about(
            "What is audited: package.module:function, file.py:function, command:..., lines:... or http://..."
        ),
        converter=some_text,
    )
    claim: Claim = field(metadata=about("What is claimed of it, such as dp(epsilon=1, delta=1e-6)."))
    data: str | None = field(metadata=about("A table to build neighbouring datasets from."), default=None)
    schema: dict[str, str] | None = field(metadata=about(SCHEMA), default=None)
    values: dict[str, tuple[Cell, ...]] | None = field(
        metadata=about("Instead of data: each column with values that it takes."), default=None
    )
    params: dict[str, Json] = field(metadata=about("Parameters that the target is called with."), factory=dict)
    mechanism: Recipe | None = field(
        metadata=about("How the claim is meant to be achieved, so that its arithmetic is checked."), default=None
    )
    sources: tuple[str, ...] = field(
        metadata=about("Further files that the target depends on: when one changes, its evidence starts anew."),
        default=(),
    )
    sampling: str = field(
        metadata=about("Who draws the sample of a dps claim: the auditor (default) or the target itself."),
        default="auditor",
    )
    entropy: bool = field(
        metadata=about(
            "States that a target that ignores the seed it is given draws fresh randomness in every process, so that "
            "its evidence may add up."
        ),
        default=False,
    )
    deterministic: bool | None = field(
        metadata=about(
            "States that the output depends on the data alone, or that it does not; without it that is measured, and a "
            "refutation by enumeration is confirmed by fresh runs."
        ),
        default=None,
    )
    one_run: bool = field(
        metadata=about(
            "Judges the claim by a single run on all of the data, with canaries put in; every gate runs it anew.",
            key="one-run",
        ),
        default=False,
    )
    canaries: int | None = field(
        metadata=about("How many canaries a single run puts into the data."), default=None, converter=optional_count
    )
    runs: int | None = field(
        metadata=about("How many runs of the target one gate spends."), default=None, converter=optional_count
    )
    timeout: float | None = field(
        metadata=about("Seconds after which one run is given up."), default=None, converter=optional_time_limit
    )
    form: str | None = field(metadata=about("How the table is given to the target."), default=None)
    isolate: str | None = field(metadata=about("Where a Python target runs."), default=None)

    def __attrs_post_init__(self) -> None:
        if self.values is not None and (self.data is not None or self.schema is not None):
            other = "schema" if self.data is None else "data"
            raise ParameterError(f"{self.name} has both {other} and values: keep one.")
        if TargetSpec.of(self.target).recorded:
            raise ParameterError(
                "a gate runs its targets: examine outputs that were made before with crowdproof audit."
            )
        if self.canaries is not None and not self.one_run:
            raise ParameterError(f"{self.name} has canaries, which are for a single run: set one-run = true as well.")
        if self.one_run and self.values is not None:
            raise ParameterError(f"{self.name} has one-run and values: canaries are put into data, so name a file.")
        if self.sampling not in {"auditor", "target"}:
            raise ParameterError(f"sampling is {self.sampling!r}: write auditor or target.")


@frozen
class Until:
    """The last day on which a suppression holds. A date that cannot be read has passed."""

    written: str
    date: datetime.date | None

    def expired(self, today: datetime.date) -> bool:
        """Whether the day is over."""
        return self.date is None or today > self.date


@frozen
class Suppression:
    """A failure that is knowingly let pass for a while."""

    claim: str = field(metadata=about("The name of the claim."))
    fingerprint: str = field(
        metadata=about("What justified it, as the gate prints it: another claim, target or verdict does not fit."),
        converter=some_text,
    )
    reason: str = field(metadata=about("Why it may pass."), converter=some_text)
    until: Until = field(metadata=about("The last day on which it holds, such as 2026-12-31."))


@frozen
class Config:
    """A whole configuration file."""

    claims: tuple[Entry, ...] = field(metadata=about("The claims."), default=())
    defaults: Defaults = field(
        metadata=about("What holds for every claim that does not say otherwise."), default=Defaults()
    )
    suppressions: tuple[Suppression, ...] = field(
        metadata=about("Failures that are knowingly let pass for a while."), default=()
    )
    error: Fraction = field(
        metadata=about("The chance that the gate, over its whole life, ever refutes a claim that is true."),
        default=Fraction(1, 10**6),
        converter=false_alarm_rate,
    )
    seconds: float = field(metadata=about("How long one gate may take."), default=60.0, converter=duration)
    evidence: str | None = field(
        metadata=about("The file in which evidence adds up over runs; without it each run stands alone."), default=None
    )


@frozen
class Project:
    """A configuration and the file that it stands in; paths in it are relative to that file's folder."""

    path: Path
    config: Config
    lines: dict[str, int] = field(factory=dict)
    """The line of each claim and suppression, by `claims.NAME` and `suppressions.NUMBER`."""

    @property
    def folder(self) -> Path:
        """The folder that relative paths start from."""
        return self.path.parent

    def only(self, names: Sequence[str]) -> "Project":
        """The project with these claims alone, and all of them where none is named."""
        if not names:
            return self
        known = [entry.name for entry in self.config.claims]
        for name in names:
            if name not in known:
                raise ParameterError(f"{self.path} has no claim {name!r}: it has {', '.join(known) or 'none'}.")
        chosen = tuple(entry for entry in self.config.claims if entry.name in names)
        suppressions = tuple(each for each in self.config.suppressions if each.claim in names)
        return evolve(self, config=evolve(self.config, claims=chosen, suppressions=suppressions))

    def place(self, path: str) -> Path:
        """A path of the configuration, from here."""
        return self.folder / path
