"""Text of others within our lines: what would break a line, move the cursor or command a CI system is shown, not done.

Findings quote what a target wrote. A line break in it could begin a line with `::error::`, which GitHub obeys where a
line of a log begins so, after blanks too, and `##[error]` wherever it stands.
"""

import re

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Characters that end a line, move the cursor, colour the terminal or turn the direction of the text around."""
_COMMAND = re.compile(r"^(\s*):(?=:)|##(?=\[)", re.MULTILINE)
"""What makes a line of a log a command to GitHub, in its present and in its former notation."""
_HALF = re.compile(r"[\ud800-\udfff]")
"""Halves of a character, which no file and no table can hold: JSON, and names of files, may bring them in."""


def visible(text: str, *, lines: bool = False) -> str:
    r"""The text with an escape, as Python writes it, for each such character; line breaks stay where they are `lines`.

    >>> print(visible("X\n::error::hi\x1b[2J"))
    X\n::error::hi\x1b[2J
    >>> print(visible("one\ntwo\t", lines=True))
    one
    two\t
    """
    return _CONTROL.sub(lambda found: "\n" if lines and found[0] == "\n" else _escape(found[0]), text)


def one_line(text: str) -> str:
    r"""The text in one line: breaks are shown, and several blanks are one.

    >>> print(one_line("a  b\nc"))
    a b\nc
    """
    return " ".join(visible(text).split())


def harmless(text: str) -> str:
    r"""Lines for a log, none of which GitHub takes for a command: the first character of one is shown as an escape.

    >>> print(harmless("  ::error::hi\nsee ##[error]"))
      \x3a:error::hi
    see \x23#[error]
    """
    return _COMMAND.sub(lambda found: r"\x23#" if found[0] == "##" else f"{found[1]}\\x3a", text)


def encodable(text: str) -> str:
    r"""The text with an escape for each half of a character, so that it can be written in UTF-8.

    >>> print(encodable("a\ud800b"), encodable("\u00e9") == "\u00e9")
    a\ud800b True
    """
    return text if text.isascii() else _HALF.sub(lambda found: _escape(found[0]), text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
