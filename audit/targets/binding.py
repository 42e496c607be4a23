"""From a callable, a class or an object to a function that can be run: what it takes, and what it still needs."""

import inspect
from collections.abc import Mapping
from typing import Any

from attrs import evolve

from crowdproof import interrupts
from crowdproof.audit.targets.form_hints import likely_forms, tables_asked
from crowdproof.audit.targets.forms import FIND, check_form
from crowdproof.audit.targets.functions import DESTINATIONS, Function, Slot, describe
from crowdproof.audit.targets.methods import MethodOf, OfTable, Operated, build, of_table, operation
from crowdproof.errors import CrowdproofError, ParameterError, TargetError
from crowdproof.findings import Json
from crowdproof.personal import words_of

ACCEPTED = (
    "a target takes the table first; if it is random, rng (a numpy Generator) or seed (an integer) by that name; "
    "and parameters that you give by name"
)
_GENERATORS = ("rng", "generator")
_SEEDS = ("seed", "random_seed", "random_state")
_OUT = frozenset(
    {"out", "output", "dest", "destination", "result", "results", "save", "write", "target", "to", "export"}
)
_FILES = frozenset({"path", "file", "filename", "filepath", "csv", "parquet", "dir", "directory", "folder"})
"""How people call the parameter that names the file or folder to write: a word of the first kind with one of these."""


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
    found, params = _built(found, name, params)
    try:
        parameters = list(inspect.signature(found).parameters.values())
    except (TypeError, ValueError):  # some built-in functions do not tell
        form = form or "polars"
        return Function(found, name, form, params=dict(params), slot=None, forms=(form,))
    if not parameters or parameters[0].kind is inspect.Parameter.KEYWORD_ONLY:
        raise ParameterError(f"{name} takes no table: {ACCEPTED}.")
    rest = [each for each in parameters[1:] if each.name not in params]
    slot = next((slot for each in rest if (slot := slot_of(each))), None)
    destination = next((each.name for each in rest if is_destination(each.name)), None)
    _check(name, parameters[1:], params, {destination, None if slot is None else slot.name})
    source = found.function if isinstance(found, Operated | OfTable) else found
    forms = (form,) if form else likely_forms(source, parameters[0])
    return Function(
        found,
        name,
        forms[0],
        params=dict(params),
        slot=slot,
        forms=forms,
        destination=destination,
        tables=tables_asked(source),
    )


def _built(found: Any, name: str, params: Mapping[str, Json]) -> tuple[Any, Mapping[str, Json]]:
    """What is called with the table, and the parameters that are left for it: a class is built, a method chosen."""
    if isinstance(found, MethodOf):
        whole = of_table(found.kind, found.name, params)
        if whole is not None:
            return whole, params
        made, params = build(found.kind, name, params, method=True)
        return Operated(made, found.name), params
    if inspect.isclass(found):
        whole = of_table(found, None, params)
        if whole is not None:
            return whole, params
        is_mechanism = "__call__" in vars(found)
        found, params = build(found, name, params, method=not is_mechanism)
    return found if callable(found) else operation(found, name), params


def is_destination(name: str) -> bool:
    """Whether a parameter of this name is the path of the file to write.

    >>> [each for each in ("out_path", "out_csv", "dest_file", "outlier", "resultPath") if is_destination(each)]
    ['out_path', 'out_csv', 'dest_file', 'resultPath']
    """
    words = set(words_of(name))
    return name in DESTINATIONS or bool(words & _OUT and words & _FILES)


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
