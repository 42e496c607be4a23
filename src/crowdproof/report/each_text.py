"""A change to every text that a value holds, at whatever depth."""

import copy
from collections.abc import Callable
from typing import Any

import attrs

Change = Callable[[str], str]
Special = Callable[[Any, Callable[[Any], Any]], Any]
"""What a part becomes that is treated as a whole, or None; it is also given what changes the parts of it."""

_AS_THEY_ARE = (int, float, str)
"""Numbers and subclasses of text. Large tables have many, so these are passed over before anything else is asked."""


def each_text(value: Any, change: Change, *, special: Special | None = None) -> Any:
    """A copy of the value with all its texts changed; what is not changed stays the same object.

    >>> each_text({"a": ["b", 1]}, str.upper)
    {'A': ['B', 1]}
    """

    def again(part: Any) -> Any:
        return each_text(part, change, special=special)

    if type(value) is str:
        return change(value)
    if value is None or isinstance(value, _AS_THEY_ARE):
        return value
    treated = None if special is None else special(value, again)
    if treated is not None:
        return treated
    if type(value) in {tuple, list}:
        return type(value)([change(part) if type(part) is str else again(part) for part in value])
    if type(value) is dict:
        return {again(name): again(each) for name, each in value.items()}
    return _by_fields(value, again) if attrs.has(type(value)) else value


def _by_fields(value: Any, again: Callable[[Any], Any]) -> Any:
    """The value with its fields changed."""
    changed = {}
    for each in attrs.fields(type(value)):
        before = getattr(value, each.name)
        after = again(before)
        if after != before:
            changed[each.name] = after
    return _with(value, changed) if changed else value


def _with(value: Any, changed: dict[str, Any]) -> Any:
    """A copy with these fields, whatever its class makes of them when it is built."""
    other = copy.copy(value)
    for name, each in changed.items():
        object.__setattr__(other, name, each)
    return other
