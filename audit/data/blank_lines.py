"""Blank lines of text files: they are no rows, though the reader of the file takes each for a row of missing cells."""

import mmap
from pathlib import Path

_BLANK = (b"\n\n", b"\n\r\n")


def may_have_blank_lines(path: Path) -> bool:
    """Whether a line of the file is empty; it may be one within quotes."""
    with path.open("rb") as file:
        if not file.read(1):
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return any(content.find(each) >= 0 for each in _BLANK)


def without_blank_lines(content: bytes) -> bytes:
    r"""The text without its empty lines; those within quotes belong to a cell.

    >>> without_blank_lines(b'a,b\n\n1,"x\n\ny"\n\r\n')
    b'a,b\n1,"x\n\ny"\n'
    """
    kept, is_quoted = [], False
    for line in content.splitlines(keepends=True):
        if is_quoted or line.strip(b"\r\n"):
            kept.append(line)
        if line.count(b'"') % 2:
            is_quoted = not is_quoted
    return b"".join(kept)
