"""Objects as targets: which of their methods make a release of a table, and how these are called.

All runs of a process are on one and the same object, as they are with its owner: a copy of it for each run would draw
the same noise in each, wherever it keeps its source of noise. Where what it remembers makes a difference, that is
measured, and each run has a process of its own, in which the object is built anew.
"""

import inspect
from collections.abc import Callable
from typing import Any

from attrs import frozen

from crowdproof.errors import ParameterError

ALONE = ("fit_transform", "anonymize", "anonymise", "release", "publish", "synthesize", "privatize", "run", "process")
"""Methods that take the table and return the release, by the names that people give them; the surest name first."""
AFTER_FIT = ("sample", "generate", "transform", "predict")
"""Methods that return the release after `fit` was given the table: first those that make new rows."""
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


def first_parameter(found: Operated) -> inspect.Parameter | None:
    """The parameter that takes the table: that of the method, or of `fit`."""
    method = "fit" if found.method in AFTER_FIT else found.method
    try:
        return next(iter(inspect.signature(getattr(found.template, method)).parameters.values()), None)
    except (TypeError, ValueError):
        return None


def _asked_rows(method: Callable[..., Any], rows: int, params: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a method that makes rows: as many as there were, if it wants to be told and was not."""
    known = inspect.signature(method).parameters
    size = next((each for each in SIZES if each in known), None)
    return params if size is None or size in params else {size: rows, **params}
