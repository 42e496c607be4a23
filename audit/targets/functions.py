"""Python functions as targets: what one takes, by its signature; fresh randomness for each call; its errors shown."""

import contextlib
import inspect
import random
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof import interrupts
from crowdproof.audit.releases import snapshot
from crowdproof.audit.targets import own_process
from crowdproof.audit.targets.forms import check_form, form_of, give, take
from crowdproof.audit.targets.run import told_briefly
from crowdproof.audit.targets.staying import no_copy
from crowdproof.errors import CrowdproofError, NoReleaseError, ParameterError, TargetError
from crowdproof.findings import Json

ACCEPTED = (
    "a target takes the table first; if it is random, rng (a numpy Generator) or seed (an integer) by that name; "
    "and parameters that you give by name"
)
_GENERATORS = ("rng", "generator")
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

    def runs(self, data: Any, seeds: Iterable[int]) -> list[Any]:
        """One run for each seed, after which the global random states are as they were before."""
        with own_process.kept():
            return [snapshot(self._here(data, seed)) for seed in seeds]

    def _here(self, data: Any, seed: int) -> Any:
        with no_copy():
            return self(data, seed)

    def __call__(self, data: Any, seed: int) -> Any:
        """One run, which leaves its traces in the global random states.

        An exception of the target becomes a `NoReleaseError` that shows its last line of user code.
        """
        positional, named = [give(data, self.form)], dict(self.params)
        if self.slot is not None and self.slot.positional:
            positional.append(self.slot.fill(seed))
        elif self.slot is not None:
            named[self.slot.name] = self.slot.fill(seed)
        _reseed(seed)
        with contextlib.redirect_stdout(sys.stderr):
            return self._taken(self._called(positional, named))

    def _called(self, positional: list[Any], named: dict[str, Any]) -> Any:
        try:
            output = self.call(*positional, **named)
            return output.collect() if isinstance(output, pl.LazyFrame) else output
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


def _reseed(seed: int) -> None:
    """For targets that use `random` or `numpy.random` directly."""
    random.seed(seed)
    np.random.seed([seed % 2**32, seed >> 32])  # noqa: NPY002


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
    check_form(form)
    try:
        return _bound(found, name, params, form)
    except CrowdproofError:
        raise
    except BaseException as error:  # noqa: BLE001  (foreign code: anything may come)
        interrupts.pass_asked(error)
        raise TargetError(f"{name} cannot be made ready to run: it raised {describe(error, found)}") from None


def _bound(found: Any, name: str, params: Mapping[str, Json], form: str | None) -> Function:
    if inspect.isclass(found):
        found, params = _build(found, name, params), {}
    if not callable(found):
        raise ParameterError(f"{name} is a {type(found).__name__} and cannot be called: name a function or a class.")
    try:
        parameters = list(inspect.signature(found).parameters.values())
    except (TypeError, ValueError):  # some built-in functions do not tell
        return Function(found, name, form or "polars", dict(params), None)
    if not parameters or parameters[0].kind is inspect.Parameter.KEYWORD_ONLY:
        raise ParameterError(f"{name} takes no table: {ACCEPTED}.")
    slot = next((slot for each in parameters[1:] if each.name not in params and (slot := _slot(each))), None)
    _check(name, parameters[1:], params, slot)
    return Function(found, name, form or form_of(parameters[0]), dict(params), slot)


def _build(kind: type, name: str, params: Mapping[str, Json]) -> Any:
    try:
        return kind(**params)
    except TypeError as error:
        raise ParameterError(f"{name} cannot be made from the parameters {dict(params)}: {error}.") from None


def _slot(parameter: inspect.Parameter) -> Slot | None:
    positional = parameter.kind is inspect.Parameter.POSITIONAL_ONLY
    if parameter.name in _GENERATORS or "Generator" in str(parameter.annotation):
        return Slot(parameter.name, True, positional)
    return Slot(parameter.name, False, positional) if parameter.name in _SEEDS else None


def _check(name: str, rest: list[inspect.Parameter], params: Mapping[str, Json], slot: Slot | None) -> None:
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
    missing = [each.name for each in needed if each.name not in params and (slot is None or each.name != slot.name)]
    if missing:
        raise ParameterError(f"{name} needs {', '.join(missing)}: {ACCEPTED}.")
