"""Targets as a caller of Python gives them: a mechanism, a plain function, an object, or the text that names one."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from crowdproof.audit.targets.binding import slot_of
from crowdproof.audit.targets.form_hints import form_of
from crowdproof.audit.targets.load import load_target
from crowdproof.audit.targets.run import told_briefly
from crowdproof.errors import CrowdproofError, ParameterError, TargetError, pass_interrupts
from crowdproof.findings import Json
from crowdproof.mechanism import Mechanism

OFFERS = ("batch", "law", "choose", "examine", "independent", "deterministic")
"""What only a mechanism has, besides being callable."""


def given_target(
    target: Any, *, params: Mapping[str, Json], form: str | None, data_form: str | None, **options: Any
) -> Mechanism:
    """The mechanism; a plain function is called with the table, with `params`, and with rng or seed where it asks.

    The table comes to it in `form`; or as its annotation says; or as the data was given.
    """
    try:
        return _given(target, params=params, form=form, data_form=data_form, **options)
    except CrowdproofError:
        raise
    except BaseException as error:  # noqa: BLE001  (an object may do anything where one of its attributes is asked for)
        pass_interrupts(error)
        raise TargetError(
            f"the target cannot be looked at (it raised {told_briefly(error)}): give a function, or a class."
        ) from None


def _given(
    target: Any, *, params: Mapping[str, Json], form: str | None, data_form: str | None, **options: Any
) -> Mechanism:
    if not isinstance(target, str) and is_mechanism(target):
        if params or form is not None:
            raise ParameterError("params and form are for plain functions: this mechanism is called as it is.")
        mechanism: Mechanism = target
        return mechanism
    if form is None and data_form is not None and not isinstance(target, str) and not _annotated(target):
        form = data_form
    return load_target(target, params=params, form=form, **options)


def is_mechanism(target: Any) -> bool:
    """Whether it is called as `target(data, rng)`, as it is.

    >>> is_mechanism(lambda data, rng: 0), is_mechanism(lambda data, noise: 0), is_mechanism(len)
    (False, True, False)
    """
    if inspect.isclass(target) or not callable(target):
        return False
    if type(target).__module__.partition(".")[0] == "crowdproof" or any(hasattr(target, name) for name in OFFERS):
        return True
    parameters = _parameters(target)
    needed = [each for each in parameters if each.default is each.empty and each.kind in _POSITIONAL]
    return len(needed) == 2 and len(parameters) == 2 and slot_of(needed[1]) is None and needed[1].name not in _SIZES


_POSITIONAL = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
_SIZES = frozenset({"k", "epsilon", "eps", "delta", "n", "size", "columns", "output_path", "output"})
"""Names of parameters that are no source of randomness, whatever they have as a value."""


def _annotated(target: Callable[..., Any]) -> bool:
    parameters = _parameters(target)
    return bool(parameters) and form_of(parameters[0]) is not None


def _parameters(target: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):
        return []
