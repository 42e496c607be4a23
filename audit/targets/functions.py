"""Python functions as targets: what one takes, by its signature; fresh randomness for each call; its errors shown."""

import contextlib
import inspect
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve, frozen

from crowdproof import interrupts
from crowdproof.audit.releases import snapshot
from crowdproof.audit.targets import own_process
from crowdproof.audit.targets.databases import KINDS
from crowdproof.audit.targets.exchange import read_named, read_written, written_file
from crowdproof.audit.targets.exhausted import out_of_memory
from crowdproof.audit.targets.forms import FIND, give, handed
from crowdproof.audit.targets.generators import reseed_global, sequence_of
from crowdproof.audit.targets.run import told_briefly
from crowdproof.audit.targets.staying import no_copy
from crowdproof.audit.targets.taken import collected, take
from crowdproof.errors import CrowdproofError, NoReleaseError, ParameterError, TargetError
from crowdproof.findings import Json

DESTINATIONS = ("output_path", "out_path", "output", "outfile", "output_file", "out", "destination", "dest")
"""How people call the parameter that names the file to write."""


@frozen
class Slot:
    """The parameter through which randomness enters."""

    name: str
    generator: bool
    positional: bool

    def fill(self, seed: int) -> Any:
        """A numpy Generator, or an integer that every seeding function takes."""
        return np.random.Generator(np.random.PCG64(seed)) if self.generator else seed % 2**32


@frozen
class Function:
    """A callable together with how to call it."""

    call: Callable[..., Any]
    name: str
    form: str
    params: Mapping[str, Json]
    slot: Slot | None
    forms: tuple[str, ...] = ()
    """The forms in which it may want its table, the likeliest first; one alone where it is known."""
    tables: tuple[str, ...] = ()
    """The names by which its SQL knows the table, where it takes a connection."""
    destination: str | None = None
    """The parameter that names the file to write the release to, where it takes one."""

    def runs(self, data: Any, seeds: Iterable[int]) -> list[Any]:
        """One run for each seed, after which the global random states are as they were before."""
        with own_process.kept():
            return [snapshot(self._here(data, seed)) for seed in seeds]

    def _here(self, data: Any, seed: int) -> Any:
        with no_copy():
            return self(data, seed)

    def __call__(self, data: Any, seed: int) -> Any:
        """One run, which leaves its traces in the global random states.

        An exception of the target becomes a `NoReleaseError` that shows its last line of user code. With the form
        `FIND` the answer is the name of the form that it takes.
        """
        if self.form == FIND:
            return self.fitting_form(data, seed)
        with handed(data, self.form, self.tables) as table, contextlib.redirect_stdout(sys.stderr):
            positional, named = [table], dict(self.params)
            if self.slot is not None and self.slot.positional:
                positional.append(self.slot.fill(seed))
            elif self.slot is not None:
                named[self.slot.name] = self.slot.fill(seed)
            reseed_global(sequence_of(seed))
            if self.destination is None:
                start = time.time_ns()
                return self._taken(read_named(self._called(positional, named), start, table))
            with written_file() as path:
                output = self._called(positional, {**named, self.destination: str(path)})
                return self._taken(read_written(path) if output is None else output)

    def fitting_form(self, data: Any, seed: int) -> str:
        """The first of its forms in which it makes a release of this data; where it makes none, why."""
        failures: list[tuple[str, CrowdproofError]] = []
        for form in self.forms:
            try:
                if form not in KINDS:
                    give(data, form)
            except (TargetError, ParameterError) as error:  # such as missing cells, for which the form has no type
                failures.append((form, error))
                continue
            try:
                evolve(self, form=form)(data, seed)
            except (NoReleaseError, ParameterError) as error:
                failures.append((form, error))
                continue
            return form
        raise untaken(failures)

    def _called(self, positional: list[Any], named: dict[str, Any]) -> Any:
        try:
            output = self.call(*positional, **named)
            return collected(output, self.form)
        except MemoryError:
            raise TargetError(f"{self.name} ran out of memory: give it a larger memory limit.") from None
        except TargetError:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001  (whatever a target raises is shown)
            if out_of_memory(error):
                raise TargetError(f"{self.name} ran out of memory: give it a larger memory limit.") from None
            raise NoReleaseError(f"{self.name} raised {describe(error, self.call)}") from None
        except BaseException as error:  # noqa: BLE001
            interrupts.pass_asked(error)
            raise TargetError(f"{self.name} crashed with {describe(error, self.call)}") from None

    def _taken(self, output: Any) -> Any:
        """The release; what a class of the target does while it is read is an error of the target."""
        try:
            taken = take(output, self.name)
        except TargetError:
            raise
        except BaseException as error:  # noqa: BLE001
            interrupts.pass_asked(error)
            raise TargetError(f"{self.name} returned what cannot be read: {describe(error, self.call)}") from None
        if self.form == "rows" and type(taken) is list and not taken:
            return pl.DataFrame()  # a release without rows is a table still
        return taken


def untaken(failures: list[tuple[str, CrowdproofError]]) -> CrowdproofError:
    """That a function took the table in none of the forms that were tried, and what it did with the likeliest."""
    form, first = failures[0]
    if len(failures) == 1:
        return first
    others = ", ".join(each for each, _ in failures[1:])
    return type(first)(
        f"{str(first).rstrip('.')}. That was with the table as {form}; as {others} it made no release either. If it "
        "wants another form or other types of columns, say so with --form and --schema."
    )


def describe(error: BaseException, call: Callable[..., Any]) -> str:
    """Type, message, and the deepest line in the target's own folder (or, failing that, anywhere)."""
    text = told_briefly(error)
    frames = traceback.extract_tb(error.__traceback__)[1:]  # the first is our call
    home = _home(call)
    own = [frame for frame in frames if home and frame.filename.startswith(home)] or list(frames)
    if not own:
        return text
    return f"{text} ({Path(own[-1].filename).name}, line {own[-1].lineno}, in {own[-1].name}: {own[-1].line})"


def _home(call: Callable[..., Any]) -> str:
    for candidate in (call, type(call)):
        with contextlib.suppress(TypeError, OSError):
            source = inspect.getsourcefile(inspect.unwrap(candidate))
            return str(Path(source).parent) if source else ""
    return ""
