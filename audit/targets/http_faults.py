"""What is wrong with the answer of a service, in words that are safe to show."""

import http.client

SHOWN = 200
"""Characters of an answer that an error shows: enough to recognise a login page."""
TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # noqa: S105  (a name in HTTP, no password)
"""A name in HTTP, as a regular expression."""
BY_THE_RULES = "let the service answer by the rules of HTTP/1.1."
"""The remedy where an answer breaks a rule that every web server keeps."""


class FaultyAnswerError(http.client.HTTPException):
    """What is wrong with an answer: a sentence that lacks its subject, the service that sent it."""


def printable(text: str) -> str:
    r"""The text in one line, without what would move the cursor of a terminal.

    >>> printable("please\r\n log\x1b[2J in ")
    'please log?[2J in'
    """
    return "".join(each if each.isprintable() else "?" for each in " ".join(text.split()))


def cut(text: str) -> str:
    """As much of the text as an error shows."""
    return printable(text[:SHOWN])
