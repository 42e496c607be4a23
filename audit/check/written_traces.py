"""How a text file is written: lines, quotes and cells that change within the file, as where sources were joined."""

import csv
import re
from collections import defaultdict
from itertools import islice
from pathlib import Path

from crowdproof.audit.check.container_traces import Trace
from crowdproof.audit.data.separated import separator

FIRST_LINES = 100_000
"""Lines from the beginning that are looked at, as many as rows are looked at for their order."""
_END = 1 << 16
"""Bytes at the end of the file that are looked at, too: what was added to a file is mostly there. A guess."""


def of_text(path: Path) -> list[Trace]:
    """Lines that end in two ways, lines with too few cells, and cells with needless quotes among others without."""
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        lines = list(islice(file, FIRST_LINES))
    if len(lines) == FIRST_LINES:
        lines += _last_lines(path)
    return [*_of_line_ends(lines), *_of_cells(lines, separator(path))]


def _last_lines(path: Path) -> list[str]:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _END))
        return file.read().decode("utf-8", "replace").splitlines(keepends=True)[1:]


def _of_line_ends(lines: list[str]) -> list[Trace]:
    whole = [line for line in lines if line.count('"') % 2 == 0]  # a line break within quotes is none
    both = any(line.endswith("\r\n") for line in whole) and any(re.search(r"[^\r]\n$", line) for line in whole)
    words = "Some lines end in CR LF and others in LF: where that changes may tell where a source ends."
    return [Trace(words, is_certain=False)] if both else []


def _of_cells(lines: list[str], separating: str) -> list[Trace]:
    quoted: dict[int, set[str]] = defaultdict(set)
    bare: dict[int, set[str]] = defaultdict(set)
    rows = csv.reader(
        (line for line in lines if line.count('"') % 2 == 0), delimiter=separating, quoting=csv.QUOTE_NONE
    )
    width, short = len(next(rows, [])), 0
    for row in rows:
        if 0 < len(row) < width and not any(cell.startswith('"') for cell in row):
            short += 1
        if len(row) == width:
            for place, cell in enumerate(row):
                (quoted if cell[:1] == '"' else bare)[place].add(cell)
    found = []
    if short and width > 1:
        words = f"Lines with fewer cells than the header has: {short:,}, such as remarks. They count as rows."
        found.append(Trace(words, is_certain=False))
    if any(cell.strip('"') in bare[place] for place, cells in quoted.items() for cell in cells):
        words = (
            "The same text stands with quotes in some lines and without in others, as where sources were put together."
        )
        found.append(Trace(words, is_certain=False))
    return found
