"""Everything that is wrong in a configuration, each mistake with its place and its remedy."""

import difflib
from collections import Counter
from collections.abc import Iterator

from attrs import fields, frozen
from cattrs.errors import (
    ClassValidationError,
    ForbiddenExtraKeysError,
    IterableValidationError,
    IterableValidationNote,
)

from crowdproof.audit.gate.arithmetic import mismatch
from crowdproof.audit.gate.config import Config
from crowdproof.audit.gate.config_fields import key_of_field
from crowdproof.audit.gate.positions import Where


@frozen
class Mistake:
    """Something wrong at a place of the file."""

    where: Where
    words: str


def mistakes_of(error: BaseException, where: Where) -> Iterator[Mistake]:
    """The leaves of what cattrs raises, each with its place."""
    match error:
        case ClassValidationError() | IterableValidationError():
            noted, plain = error.group_exceptions()
            for inner, note in noted:
                step = note.index if isinstance(note, IterableValidationNote) else note.name
                yield from mistakes_of(inner, (*where, step))
            for inner in plain:
                yield from mistakes_of(inner, where)
        case ForbiddenExtraKeysError():
            known = [key_of_field(each) for each in fields(error.cl)]
            yield from (Mistake((*where, key), _unknown(key, known)) for key in sorted(error.extra_fields))
        case KeyError():
            yield Mistake(where, f"{_words(where[:-1])} has no {where[-1]}: add it.")
        case _:
            yield Mistake(where, f"{_words(where)}: {error}")


def _unknown(key: str, known: list[str]) -> str:
    close = difflib.get_close_matches(key, known, 1)
    hint = f"did you mean {close[0]}?" if close else f"it may be {', '.join(known)}."
    return f"there is no key {key!r}: {hint}"


def _words(where: Where) -> str:
    """The place as people write it.

    >>> _words(("claims", 0, "name"))
    'claims[1].name'
    """
    text = "".join(f"[{each + 1}]" if isinstance(each, int) else f".{each}" for each in where)
    return text.lstrip(".") or "the file"


def contradictions(config: Config) -> Iterator[Mistake]:
    """Mistakes that show only when parts of the configuration are compared: names, mechanisms, suppressions."""
    names = Counter(each.name for each in config.claims)
    for i, entry in enumerate(config.claims):
        if names[entry.name] > 1:
            yield Mistake(
                ("claims", i, "name"), f"{names[entry.name]} claims are called {entry.name!r}: names are unique."
            )
        wrong = mismatch(entry)
        if wrong is not None:
            yield Mistake(("claims", i, "mechanism"), wrong)
    for i, suppression in enumerate(config.suppressions):
        if suppression.claim not in names:
            words = _unknown(suppression.claim, list(names)).replace("key", "claim")
            yield Mistake(("suppressions", i, "claim"), f"the suppression matches nothing: {words}")
