"""What the fields of a configuration have in common: the line that editors show for one, and checks of single values.

A check returns the value in its exact form, or raises a `ParameterError` that says what to write instead.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from attrs import Attribute

from crowdproof.errors import ParameterError
from crowdproof.exact import LONGEST_RUN, Number, rate, rational, show


def about(words: str, *, key: str | None = None) -> dict[str, str]:
    """The line that editors show for a field, and its key in the file where that is not its name."""
    return {"about": words} if key is None else {"about": words, "key": key}


def key_of_field(field: Attribute[Any]) -> str:
    """The key of a field in the file."""
    key: str = field.metadata.get("key", field.name)
    return key


def false_alarm_rate(number: Fraction) -> Fraction:
    """A probability that lies strictly between 0 and 1."""
    if not 0 < number < 1:
        raise ParameterError(f"{show(number)} is no false-alarm rate: it lies strictly between 0 and 1.")
    return number


def duration(number: float) -> float:
    """A positive, finite number of seconds."""
    if not 0 < number < math.inf:
        raise ParameterError(f"{number} is no time: give a positive number of seconds.")
    return number


def optional_time_limit(number: float | None) -> float | None:
    """A positive number of seconds that a clock can wait for; None where no limit is set."""
    if number is not None and number > LONGEST_RUN:
        raise ParameterError(f"{number:g} is too long: give at most {LONGEST_RUN:,} seconds.")
    return None if number is None else duration(number)


def positive_count(number: int) -> int:
    """A whole number from 1 on."""
    if number < 1:
        raise ParameterError(f"{number} is too small: give at least 1.")
    return number


def optional_count(number: int | None) -> int | None:
    """The same, or None where nothing is stated."""
    return None if number is None else positive_count(number)


def positive_amount(written: Number) -> Fraction:
    """A positive number, exactly as it is written."""
    number = rational(written)
    if number <= 0:
        raise ParameterError(f"{show(number)} is too small: it must be positive.")
    return number


def optional_rate(written: Number | None) -> Fraction | None:
    """A sampling rate, or None where nothing is stated."""
    return None if written is None else rate(written)


def some_text(text: str) -> str:
    """A text that is not blank."""
    if not text.strip():
        raise ParameterError("it is empty: write something.")
    return text
