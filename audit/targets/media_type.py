"""The header Content-Type of an answer, taken apart by the grammar of HTTP."""

import re
from typing import Self

from attrs import frozen

from crowdproof.audit.targets.http_faults import BY_THE_RULES, TOKEN, FaultyAnswerError, cut

_MEDIA_TYPE = re.compile(rf"({TOKEN}/{TOKEN})[ \t]*")
_PARAMETER = re.compile(rf';[ \t]*(?:({TOKEN})=(?:({TOKEN})|"((?:[^"\\]|\\.)*)"))?[ \t]*')


@frozen
class MediaType:
    """What a header Content-Type says."""

    name: str
    """In lower case, such as text/csv."""
    charsets: tuple[str, ...]
    """Every charset that is named, in lower case; common are one or none."""

    @classmethod
    def of(cls, value: str) -> Self:
        """From the value of the header.

        >>> MediaType.of('Text/CSV; header=present; charset="UTF-8"')
        MediaType(name='text/csv', charsets=('utf-8',))
        """
        found = _MEDIA_TYPE.match(value)
        if found is None:
            raise _odd_type(value)
        name, place, charsets = found[1].lower(), found.end(), []
        while place < len(value):
            found = _PARAMETER.match(value, place)
            if found is None:
                raise _odd_type(value)
            if found[1] is not None and found[1].lower().partition("*")[0] == "charset":
                charsets.append((found[2] or found[3] or "").lower())
            place = found.end()
        return cls(name, tuple(charsets))


def _odd_type(value: str) -> FaultyAnswerError:
    return FaultyAnswerError(f"gave its answer the Content-Type {cut(value)!r}, which cannot be read: {BY_THE_RULES}")
