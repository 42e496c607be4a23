"""What an engine answers. An answer has no truth value: 'unknown' must never read as 'proved' or as 'refuted'."""

from enum import Enum
from typing import NoReturn


class Answer(Enum):
    """The three things that an engine can say about a body."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
    """The engine gave up: a spent budget, or a form that it cannot decide."""

    def __bool__(self) -> NoReturn:
        raise TypeError(f"an answer has no truth value: compare it, as in `answer is Answer.{self.name}`")
