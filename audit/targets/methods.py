"""Objects as targets: which of their methods make a release of a table, and how these are called.

All runs of a process are on one and the same object, as they are with its owner: a copy of it for each run would draw
the same noise in each, wherever it keeps its source of noise. Where what it remembers makes a difference, that is
measured, and each run has a process of its own, in which the object is built anew.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import frozen

from crowdproof.errors import ParameterError

ALONE = ("fit_transform", "anonymize", "anonymise", "release", "publish", "synthesize", "privatize", "run", "process")
"""Methods that take the table and return the release, by the names that people give them; the surest name first."""
AFTER_FIT = ("sample", "generate", "transform", "predict")
"""Methods that return the release after `fit` was given the table: first those that make new rows."""
RESULTS = ("result", "results", "report", "summary", "summarize", "summarise", "to_frame", "compute", "table", "output")
"""Methods that return the release of an object that was built from the table."""
SIZES = ("num_rows", "n", "n_samples", "size", "count", "n_rows")
"""How people call the number of rows that a synthesizer is asked for."""


@frozen
class MethodOf:
    """A method that was named by its class: `Anonymizer.release`."""

    kind: type
    name: str


@frozen
class Operated:
    """Calls a method of an object, or `fit` and then another one."""

    template: Any
    method: str

    def __call__(self, table: Any, /, **params: Any) -> Any:
        """The release of the table."""
        subject = self.template
        if self.method not in AFTER_FIT:
            return getattr(subject, self.method)(table, **params)
        fitted = subject.fit(table)
        subject = fitted if hasattr(fitted, self.method) else subject
        method = getattr(subject, self.method)
        if self.method in {"sample", "generate"}:
            return method(**_asked_rows(method, len(table), params))
        return method(table, **params)

    @property
    def function(self) -> Callable[..., Any]:
        """The method that is given the table."""
        method: Callable[..., Any] = getattr(self.template, "fit" if self.method in AFTER_FIT else self.method)
        return method

    @property
    def __signature__(self) -> inspect.Signature:
        """That of the method; after `fit` the table, and what the second method takes besides it."""
        own = list(inspect.signature(self.function).parameters.values())
        if self.method not in AFTER_FIT:
            return inspect.Signature(own)
        more = list(inspect.signature(getattr(self.template, self.method)).parameters.values())
        makes_rows = self.method in {"sample", "generate"}
        more = [each for each in more if each.name not in SIZES] if makes_rows else more[1:]
        return signature_of(own[:1], more)


@frozen
class OfTable:
    """Builds an object from the table, and calls a method of it: `Report(table).publish()`."""

    kind: type
    method: str

    def __call__(self, table: Any, /, **params: Any) -> Any:
        """The release of the table."""
        known = inspect.signature(self.kind).parameters
        subject = self.kind(table, **{name: value for name, value in params.items() if name in known})
        return getattr(subject, self.method)(**{name: each for name, each in params.items() if name not in known})

    @property
    def function(self) -> Callable[..., Any]:
        """What is given the table."""
        constructor: Callable[..., Any] = self.kind.__init__  # type: ignore[misc]
        return constructor

    @property
    def __signature__(self) -> inspect.Signature:
        """What it is built from, and what the method takes."""
        own = list(inspect.signature(self.kind).parameters.values())
        return signature_of(own[:1], [*own[1:], *_parameters_of(self.kind, self.method)])


def signature_of(first: list[inspect.Parameter], more: list[inspect.Parameter]) -> inspect.Signature:
    """The table, and the others by name only; one that two methods take is taken once."""
    table = [each.replace(kind=each.POSITIONAL_ONLY) for each in first]
    taken = {each.name for each in first}
    named: dict[str, inspect.Parameter] = {}
    for each in more:
        if each.kind in {each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY} and each.name not in taken:
            named.setdefault(each.name, each.replace(kind=each.KEYWORD_ONLY))
    return inspect.Signature([*table, *named.values()])


def _parameters_of(kind: type, method: str) -> list[inspect.Parameter]:
    """What a method takes besides the object."""
    return list(inspect.signature(getattr(kind, method)).parameters.values())[1:]


def _needed(parameters: Iterable[inspect.Parameter]) -> list[str]:
    plain = [each for each in parameters if each.kind not in {each.VAR_POSITIONAL, each.VAR_KEYWORD}]
    return [each.name for each in plain if each.default is each.empty]


def of_table(kind: type, method: str | None, params: Mapping[str, Any]) -> OfTable | None:
    """Builds the object from the table, where its constructor wants something and the method no table any more.

    Without a method it is the one that people call so, or the only one that takes nothing.
    """
    needed = _needed_to_build(kind, params)
    first = next(iter(inspect.signature(kind).parameters), None) if needed else None
    if needed != [first] or first is None:
        return None
    names = [each for each in dir(kind) if not each.startswith("_") and inspect.isfunction(getattr(kind, each))]
    ready = [each for each in names if not set(_needed(_parameters_of(kind, each))) - set(params)]
    if method is not None:
        return OfTable(kind, method) if method in ready else None
    wanting = [each for each in ("fit", *ALONE, *AFTER_FIT) if each in names and each not in ready]
    if wanting or "__call__" in vars(kind):  # the table goes there, and its constructor wants a parameter
        return None
    usual = [each for each in (*ALONE, *RESULTS) if each in names]
    chosen = usual[:1] or (names if len(names) == 1 else [])
    return OfTable(kind, chosen[0]) if chosen and chosen[0] in ready else None


def _needed_to_build(kind: type, params: Mapping[str, Any]) -> list[str]:
    try:
        parameters = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError):  # some built-in classes do not tell
        return []
    return [each for each in _needed(parameters) if each not in params]


def build(kind: type, name: str, params: Mapping[str, Any], *, method: bool) -> tuple[Any, dict[str, Any]]:
    """An object of the class, and the parameters that are left for its method, where it has one."""
    missing = _needed_to_build(kind, params)
    if missing:
        raise ParameterError(
            f"{name} cannot be made from the parameters {dict(params)}: it needs {', '.join(missing)}. Give --param "
            f"{missing[0]}=VALUE; where {missing[0]} is the table, name the method that makes the release, such as "
            f"{kind.__name__}.release."
        )
    own = _own(kind, params) if method else dict(params)
    try:
        return kind(**own), {each: value for each, value in params.items() if each not in own}
    except TypeError as error:
        raise ParameterError(f"{name} cannot be made from the parameters {dict(params)}: {error}.") from None


def _own(kind: type, params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that the constructor knows; all of them where it takes any."""
    try:
        known = inspect.signature(kind).parameters
    except (TypeError, ValueError):
        return dict(params)
    if any(each.kind is each.VAR_KEYWORD for each in known.values()):
        return dict(params)
    return {name: value for name, value in params.items() if name in known}


def operation(found: Any, name: str) -> Callable[..., Any]:
    """What makes a release of the object; where no method is known to, the error names those that it has."""
    for method in ALONE:
        if callable(getattr(found, method, None)):
            return Operated(found, method)
    if callable(getattr(found, "fit", None)):
        for method in AFTER_FIT:
            if callable(getattr(found, method, None)):
                return Operated(found, method)
    methods = [each for each in dir(found) if not each.startswith("_") and callable(getattr(found, each, None))]
    kind = type(found).__name__
    if not methods or type(found).__module__ == "builtins":
        raise ParameterError(f"{name} is a {kind} and cannot be called: name a function or a class.")
    raise ParameterError(
        f"{name} is a {kind}, and it does not show which method makes the release: name it, such as "
        f"{name}.{methods[0]} (it has {', '.join(methods[:8])})."
    )


def _asked_rows(method: Callable[..., Any], rows: int, params: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a method that makes rows: as many as there were, if it wants to be told and was not."""
    known = inspect.signature(method).parameters
    size = next((each for each in SIZES if each in known), None)
    return params if size is None or size in params else {size: rows, **params}
