"""What the pages of a SQLite file keep of removed rows: the format leaves their bytes until they are needed."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

MOST_BYTES = 1 << 26
"""Bytes of the file that are looked at: a guess, some seconds."""
MOST_COMPARED = 1 << 34
"""Bytes that are compared to find out which words no table holds, some seconds: of more words, only the first in the
alphabet are looked at."""
_WORD = re.compile(rb"[A-Za-z0-9.@_-]{5,}")
_LEAVES = {13: 8, 10: 8, 5: 12, 2: 12}
"""Kind of a page that holds rows or keys -> bytes before the places of its cells."""


def remnants(connection: sqlite3.Connection, path: Path) -> list[str]:
    """Words in the free space of the pages that no table holds now; words of rows that were only moved are left out."""
    with path.open("rb") as file:
        content = file.read(MOST_BYTES)
    left = {word for part in _free_space(content) for word in _WORD.findall(part)}
    if not left or len(content) == MOST_BYTES:
        return []
    held = b"\n".join(_cells(connection))
    most = MOST_COMPARED // (len(held) + 1)
    return [word.decode() for word in sorted(left)[:most] if not _is_held(word, held)]


def _is_held(word: bytes, held: bytes) -> bool:
    """A first or last letter may belong to what stood beside the word."""
    return any(part in held for part in (word, word[1:], word[:-1], word[1:-1]))


def _free_space(content: bytes) -> Iterator[bytes]:
    """The bytes between the places of the cells and the cells, and the blocks among them that are free."""
    written = int.from_bytes(content[16:18], "big")
    size = 65536 if written == 1 else written
    for start in range(0, len(content) - size + 1, size):
        page, head = content[start : start + size], 100 if start == 0 else 0
        if page[head] not in _LEAVES:
            continue
        block, cells, first = (int.from_bytes(page[head + at : head + at + 2], "big") for at in (1, 3, 5))
        yield page[head + _LEAVES[page[head]] + 2 * cells : first or 65536]
        while 0 < block < size - 4:
            after, length = (int.from_bytes(page[block + at : block + at + 2], "big") for at in (0, 2))
            yield page[block + 4 : block + length]
            if after <= block:  # they ascend; else the page is damaged
                break
            block = after


def _cells(connection: sqlite3.Connection) -> Iterator[bytes]:
    """The texts of every row of every table, one after another as a page has them, and what the tables are called."""
    yield "".join(
        f"{name}{order}" for name, order in connection.execute("SELECT name, sql FROM sqlite_master")
    ).encode()
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for name in tables:
        quoted = name.replace('"', '""')
        for row in connection.execute(f'SELECT * FROM "{quoted}"'):  # noqa: S608  (a name that the file itself holds)
            yield b"".join(cell if isinstance(cell, bytes) else str(cell).encode() for cell in row if cell is not None)
