"""How a target is named: one type for every kind, and what the rest of the program has to know of each kind.

A new kind is a module of this folder with a function `load(spec) -> Target`, and one line of `KINDS`.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any

from attrs import field, frozen

from crowdproof.audit.targets.adapters import ADAPTERS
from crowdproof.audit.targets.interface import Limits
from crowdproof.findings import Json


class Code(Enum):
    """Where the code of a target is, for whoever wants to know whether it has changed."""

    MODULE = "a Python module and what it imports"
    PROGRAM = "a program on this machine, and the files that its command names"
    ELSEWHERE = "on another machine, where it may change without notice"
    NONE = "nowhere: the outputs were made before"


@frozen
class Kind:
    """A kind of target."""

    prefixes: tuple[str, ...]
    """How its text begins, before a colon; nothing for the kind that all other texts are of."""
    module: str
    """The module of this folder that loads it."""
    code: Code
    whole: bool = False
    """Whether the prefix belongs to what is loaded, as that of an address does."""


FUNCTION = Kind((), "python", Code.MODULE)
COMMAND = Kind(("command",), "command", Code.PROGRAM)
PLACES = ("{input}", "{output}")
"""Where a command takes its table or puts its release: no name of a function has these, so it needs no prefix."""
KINDS = (
    COMMAND,
    Kind(("lines",), "lines", Code.PROGRAM),
    Kind(("http", "https"), "http", Code.ELSEWHERE, whole=True),
    Kind(("releases",), "recordings", Code.NONE),
)


@frozen
class TargetSpec:
    """Which target, and how it is to be run.

    >>> TargetSpec.of("command:./anonymize {input} {output}").place
    './anonymize {input} {output}'
    >>> texts = ("http://127.0.0.1:8080/release", "release.py:publish", "Rscript release.R {input} {output}")
    >>> [TargetSpec.of(each).kind.code.name for each in texts]
    ['ELSEWHERE', 'MODULE', 'PROGRAM']
    """

    text: Any
    """As it was written, or a callable."""
    kind: Kind
    place: Any
    """What the kind loads: a command, an address, two folders, a module with a name in it, or a callable."""
    params: Mapping[str, Json] = field(factory=dict)
    form: str | None = None
    limits: Limits = field(factory=Limits)
    isolate: str = "auto"

    @classmethod
    def of(cls, text: Any, **options: Any) -> "TargetSpec":
        """The spec of a text, or of a callable."""
        if not isinstance(text, str):
            return cls(text, FUNCTION, text, **options)
        prefix, colon, rest = (part.strip() for part in text.partition(":"))
        for kind in KINDS:
            if colon and prefix in kind.prefixes:
                return cls(text, kind, text if kind.whole else rest, **options)
        if any(place in text for place in PLACES):
            return cls(text, COMMAND, text.strip(), **options)
        return cls(text, FUNCTION, ADAPTERS.get(text, text), **options)

    @property
    def recorded(self) -> bool:
        """Whether its outputs were made before, so that nothing can be run."""
        return self.kind.code is Code.NONE
