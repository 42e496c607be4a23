"""Checks the encoding of text: UTF-8 is read, with or without a byte order mark, and all else is a fault."""

import codecs
import io
from pathlib import Path
from typing import BinaryIO

MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),  # before UTF-16, whose mark is the beginning of this one
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
"""Byte order marks of encodings that are not read, and their names."""
BLOCK = 1 << 20
"""Bytes that are looked at in one go, since a file may be larger than memory. A guess: a mebibyte is little memory, and
reading it takes far longer than asking for it."""


def fault_in_file(path: Path) -> str | None:
    """What keeps a file from being text in UTF-8, as a sentence that lacks its subject; None where nothing does."""
    with path.open("rb") as file:
        return _fault(file)


def fault_in_text(content: bytes) -> str | None:
    r"""What keeps received bytes from being text in UTF-8, in the same form; None where nothing does.

    >>> fault_in_text("name\nJosé\n".encode()), fault_in_text("\ufeffname\n".encode())
    (None, None)
    >>> fault_in_text("name\nJosé\n".encode("latin-1"))
    'is not UTF-8 in line 2, and may be Latin-1 or Windows-1252'
    >>> fault_in_text("name\nJosé\n".encode("utf-16-le"))
    'holds zero bytes in line 1, as UTF-16 and UTF-32 do and what is no text'
    """
    return _fault(io.BytesIO(content))


def _fault(file: BinaryIO) -> str | None:
    beginning = file.read(len(codecs.BOM_UTF32_LE))
    for mark, name in MARKS:
        if beginning.startswith(mark):
            return f"is in {name}, by its byte order mark"
    file.seek(0)
    if _is_utf8(file):
        return None
    file.seek(0)
    return _faulty_line(file)


def _is_utf8(file: BinaryIO) -> bool:
    """Whether it can be decoded, and holds no zero byte."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while block := file.read(BLOCK):
            if b"\0" in block:
                return False
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _faulty_line(file: BinaryIO) -> str | None:
    """The first line that is not UTF-8; no character of UTF-8 reaches over the end of a line."""
    for number, line in enumerate(file, 1):
        if b"\0" in line:
            return f"holds zero bytes in line {number:,}, as UTF-16 and UTF-32 do and what is no text"
        try:
            line.decode()
        except UnicodeDecodeError:
            return f"is not UTF-8 in line {number:,}, and may be Latin-1 or Windows-1252"
    return None
