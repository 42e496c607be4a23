"""Which character separates the cells of a text file, and text files that are compressed."""

import gzip
import re
import zlib
from pathlib import Path

from crowdproof.audit.data.encoding import fault_in_text
from crowdproof.errors import DataError

SEPARATORS = (",", ";", "\t", "|")
"""What programs write between cells; of several that fit, the first is meant."""
_LINES = 20
"""Lines that must agree on a separator other than the comma. A guess: fewer may agree by chance, and more may hold a
line break within quotes."""
_START = 1 << 20
"""Bytes that are looked at for it: a guess, more than twenty lines have."""
MOST_UNPACKED = 1 << 30
"""Bytes of text that a compressed file may hold: a few MiB of zeros, compressed, could fill any memory."""
_QUOTED = re.compile(r'"[^"]*"')


def separator(path: Path) -> str:
    """The separator of the file: a tab in .tsv, and else the comma, unless another fits and the comma does not."""
    if path.suffix.lower() == ".tsv":
        return "\t"
    with path.open("rb") as file:
        return separator_of(file.read(_START))


def separator_of(content: bytes) -> str:
    r"""The separator by which all of the first lines have equally many cells, and more than one.

    >>> separator_of(b"age;sex\n3,5;f\n"), separator_of(b"age,sex\n3;5,f\n"), separator_of(b"a|b\n1\n")
    (';', ',', ',')
    """
    lines = _QUOTED.sub("", content.decode("utf-8", "replace")).lstrip("\ufeff").splitlines()[:_LINES]
    held = [line for line in lines if line]
    for each in SEPARATORS:
        counts = {line.count(each) for line in held}
        if len(counts) == 1 and counts != {0}:
            return each
    return ","


def unpacked(path: Path) -> bytes:
    """The text of a compressed file; one that is damaged, or not in UTF-8, is an error."""
    try:
        with gzip.open(path) as file:
            content = file.read(MOST_UNPACKED + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise DataError(f"{path} is not a whole gzip file: compress it anew.") from None
    if len(content) > MOST_UNPACKED:
        raise DataError(f"{path} unpacks to more than {MOST_UNPACKED >> 30} GiB: unpack it, and give the file itself.")
    wrong = fault_in_text(content)
    if wrong:
        raise DataError(f"{path} cannot be read as csv: it {wrong}; save it as CSV in UTF-8.")
    return content
