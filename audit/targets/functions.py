"""Python functions as targets: what one takes, by its signature; fresh randomness for each call; its errors shown."""

import contextlib
import inspect
import sys
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
from crowdproof.audit.targets.exchange import read_written, written_file
from crowdproof.audit.targets.form_hints import likely_forms
from crowdproof.audit.targets.forms import FIND, check_form, give, handed
from crowdproof.audit.targets.generators import reseed_global, sequence_of
from crowdproof.audit.targets.methods import MethodOf, Operated, first_parameter, operation
from crowdproof.audit.targets.run import told_briefly
from crowdproof.audit.targets.staying import no_copy
from crowdproof.audit.targets.taken import collected, take
from crowdproof.errors import CrowdproofError, NoReleaseError, ParameterError, TargetError
from crowdproof.findings import Json

ACCEPTED = (
    "a target takes the table first; if it is random, rng (a numpy Generator) or seed (an integer) by that name; "
    "and parameters that you give by name"
)
_GENERATORS = ("rng", "generator")
DESTINATIONS = ("output_path", "out_path", "output", "outfile", "output_file", "out", "destination", "dest")
"""How people call the parameter that names the file to write."""
_SEEDS = ("seed", "random_seed", "random_state")


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
        with handed(data, self.form) as table, contextlib.redirect_stdout(sys.stderr):
            positional, named = [table], dict(self.params)
            if self.slot is not None and self.slot.positional:
                positional.append(self.slot.fill(seed))
            elif self.slot is not None:
                named[self.slot.name] = self.slot.fill(seed)
            reseed_global(sequence_of(seed))
            if self.destination is None:
                return self._taken(self._called(positional, named))
            with written_file() as path:
                output = self._called(positional, {**named, self.destination: str(path)})
                return self._taken(read_written(path) if output is None else output)

    def fitting_form(self, data: Any, seed: int) -> str:
        """The first of its forms in which it makes a release of this data; where it makes none, why."""
        failures: list[tuple[str, CrowdproofError]] = []
        for form in self.forms:
            try:
                give(data, form)
            except (TargetError, ParameterError) as error:  # such as missing cells, for which the form has no type
                failures.append((form, error))
                continue
            try:
                evolve(self, form=form)(data, seed)
            except NoReleaseError as error:
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


def bind(found: Any, name: str, params: Mapping[str, Json], form: str | None) -> Function:
    """See what the callable takes. A class is a mechanism to be built from the parameters.

    Foreign code runs meanwhile: a constructor, a signature of its own. Whatever it raises is an error of the target.
    """
    told = None if form == FIND else check_form(form)
    try:
        function = _bound(found, name, params, told)
        return evolve(function, form=FIND) if form == FIND else function
    except CrowdproofError:
        raise
    except BaseException as error:  # noqa: BLE001  (foreign code: anything may come)
        interrupts.pass_asked(error)
        raise TargetError(f"{name} cannot be made ready to run: it raised {describe(error, found)}") from None


def _bound(found: Any, name: str, params: Mapping[str, Json], form: str | None) -> Function:
    if isinstance(found, MethodOf):
        found, params = Operated(_build(found.kind, name, params), found.name), {}
    if inspect.isclass(found):
        found, params = _build(found, name, params), {}
    if not callable(found):
        found = operation(found, name)
    if isinstance(found, Operated):
        forms = (form,) if form else likely_forms(found, first_parameter(found))
        return Function(found, name, forms[0], params=dict(params), slot=None, forms=forms)
    try:
        parameters = list(inspect.signature(found).parameters.values())
    except (TypeError, ValueError):  # some built-in functions do not tell
        form = form or "polars"
        return Function(found, name, form, params=dict(params), slot=None, forms=(form,))
    if not parameters or parameters[0].kind is inspect.Parameter.KEYWORD_ONLY:
        raise ParameterError(f"{name} takes no table: {ACCEPTED}.")
    rest = [each for each in parameters[1:] if each.name not in params]
    slot = next((slot for each in rest if (slot := slot_of(each))), None)
    destination = next((each.name for each in rest if each.name in DESTINATIONS), None)
    _check(name, parameters[1:], params, {destination, None if slot is None else slot.name})
    forms = (form,) if form else likely_forms(found, parameters[0])
    return Function(found, name, forms[0], params=dict(params), slot=slot, forms=forms, destination=destination)


def _build(kind: type, name: str, params: Mapping[str, Json]) -> Any:
    try:
        return kind(**params)
    except TypeError as error:
        raise ParameterError(f"{name} cannot be made from the parameters {dict(params)}: {error}.") from None


def slot_of(parameter: inspect.Parameter) -> Slot | None:
    """How randomness enters by this parameter, where its name or annotation says that it does."""
    positional = parameter.kind is inspect.Parameter.POSITIONAL_ONLY
    if parameter.name in _GENERATORS or "Generator" in str(parameter.annotation):
        return Slot(parameter.name, True, positional)
    return Slot(parameter.name, False, positional) if parameter.name in _SEEDS else None


def _check(name: str, rest: list[inspect.Parameter], params: Mapping[str, Json], filled: set[str | None]) -> None:
    """Parameters that the function does not have, and ones that it needs and did not get, are errors now."""
    open_ended = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in rest)
    named = [each for each in rest if each.kind in {each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY}]
    known = [each.name for each in named]
    unknown = [each for each in params if each not in known]
    if unknown and not open_ended:
        takes = f"it takes {', '.join(known)}" if known else "it takes none"
        raise ParameterError(f"{name} has no parameter {unknown[0]!r}: {takes}.")
    needed = [
        each for each in rest if each.default is each.empty and each.kind not in {each.VAR_KEYWORD, each.VAR_POSITIONAL}
    ]
    missing = [each.name for each in needed if each.name not in params and each.name not in filled]
    if missing:
        raise ParameterError(f"{name} needs {', '.join(missing)}: give --param {missing[0]}=VALUE. ({ACCEPTED}.)")
