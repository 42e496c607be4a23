"""What databases, workbooks and compressed files hold besides the table: removed rows, other sheets, names, authors."""

import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

from attrs import frozen

from crowdproof.audit.check.removed_rows import remnants
from crowdproof.audit.data.sqlite_tables import opened_sqlite
from crowdproof.audit.data.workbooks import opened_workbook

_PROPERTIES = ("creator", "lastModifiedBy", "title", "subject", "description", "keywords", "category")


@frozen
class Trace:
    """Something that the file tells besides its cells."""

    words: str
    is_certain: bool


def of_sqlite(path: Path, part: str) -> list[Trace]:
    """Pages of removed rows, other tables, and the hidden numbers of the rows."""
    found = []
    with opened_sqlite(path) as connection:
        free = connection.execute("PRAGMA freelist_count").fetchone()[0]
        if free:
            words = f"The database has {free:,} free pages, which keep what was in removed rows until it is vacuumed."
            found.append(Trace(words, is_certain=True))
        asked = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        tables = [name for (name,) in connection.execute(asked)]
        asked = "SELECT type || ' ' || name FROM sqlite_master WHERE type IN ('view', 'trigger') ORDER BY name"
        orders = [name for (name,) in connection.execute(asked) if name != f"view {part}"]
        if orders:
            words = f"The database holds orders besides its tables: {', '.join(orders)}."
            found.append(Trace(words, is_certain=False))
        others = [name for name in tables if name != part] if part else tables[1:]
        if others:
            found.append(Trace(f"The database holds other tables, too: {', '.join(others)}.", is_certain=False))
        name = part or (tables[0] if tables else "")
        if name in tables:
            found += _of_numbers(connection, name)
            kept = remnants(connection, path)
            if kept and not free:
                found.append(
                    Trace(f"The pages of the database keep {len(kept):,} words of removed rows.", is_certain=True)
                )
    return found


def _of_numbers(connection: sqlite3.Connection, name: str) -> list[Trace]:
    """What the hidden numbers of the rows tell: every table has them, but for those WITHOUT ROWID and with an own."""
    quoted = name.replace('"', '""')
    columns = connection.execute(f'PRAGMA table_info("{quoted}")').fetchall()
    keys = [kind for _, _, kind, _, _, key in columns if key]
    is_shown = len(keys) == 1 and keys[0].upper() == "INTEGER"  # such a column is the number of the row itself
    if any(each[1].lower() == "rowid" for each in columns):
        return []
    try:
        asked = f'SELECT min(rowid), max(rowid), count(*) FROM "{quoted}"'  # noqa: S608  (a name that the file holds)
        least, most, rows = connection.execute(asked).fetchone()
    except sqlite3.Error:
        return []
    last = _last_given(connection, name, most)
    missing = last - rows
    if least < 1 or missing <= 0 or (is_shown and last == most):
        return []
    words = (
        f"The hidden row numbers of {name} reach {last:,} for {rows:,} rows: they tell how many rows were taken out"
        f"{', and where' if most - least + 1 > rows else ''}."
    )
    return [Trace(words, is_certain=True)]


def _last_given(connection: sqlite3.Connection, name: str, most: int) -> int:
    """The last number that was given to a row, also to one that was taken out since, where the database notes it."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'").fetchone():
        return most
    given = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (name,)).fetchone()
    return max(most, given[0]) if given else most


def of_gzip(path: Path) -> list[Trace]:
    """The name of the file that was compressed, if it is another one."""
    with path.open("rb") as file:
        start = file.read(1024)
    has_more, has_name, has_remark = start[3] & 4, start[3] & 8, start[3] & 16
    if has_more:
        return [Trace("The compressed file has a field of its own besides the table.", is_certain=False)]
    held = start[10:].split(b"\0")
    name = held.pop(0).decode("latin-1") if has_name else path.stem
    found = []
    if name not in (path.stem, path.name):
        found.append(Trace(f"The compressed file was called {name!r}.", is_certain=False))
    if has_remark:
        found.append(Trace(f"The compressed file has a remark: {held[0].decode('latin-1')!r}.", is_certain=False))
    return found


def of_workbook(path: Path, part: str) -> list[Trace]:
    """Other sheets, hidden rows and columns, remarks, and who wrote it."""
    found = []
    with opened_workbook(path, values=False) as book:
        sheet = book[part] if part else book.worksheets[0]
        others = [each.title for each in book.worksheets if each.title != sheet.title]
        if others:
            hidden = any(each.sheet_state != "visible" for each in book.worksheets)
            words = f"The workbook holds {'hidden' if hidden else 'other'} sheets, too: {', '.join(others)}."
            found.append(Trace(words, is_certain=hidden))
        hidden_columns = [name for name, each in sheet.column_dimensions.items() if each.hidden]
        hidden_rows = [number for number, each in sheet.row_dimensions.items() if each.hidden or _is_flat(each.height)]
        if hidden_columns or hidden_rows:
            words = f"The sheet hides {len(hidden_columns)} columns and {len(hidden_rows)} rows, which all can show."
            found.append(Trace(words, is_certain=True))
        remarks = sum(cell.comment is not None for row in sheet.iter_rows() for cell in row)
        if remarks:
            found.append(Trace(f"The sheet has {remarks:,} remarks on cells.", is_certain=False))
        formulas = sum(cell.data_type == "f" for row in sheet.iter_rows() for cell in row)
        if formulas:
            words = f"The sheet has {formulas:,} formulas, which tell how cells were worked out."
            found.append(Trace(words, is_certain=False))
        found += _of_properties(book)
        found += _of_settings(sheet)
        found += _of_looks(sheet)
    return found


def _is_flat(height: float | None) -> bool:
    """Whether a row is too low to be seen, in points."""
    return height is not None and height < 2


def _of_properties(book: Any) -> list[Trace]:
    """What the workbook notes of itself: people, titles, names for cells of its own or of other files."""
    noted = {name: getattr(book.properties, name) for name in _PROPERTIES}
    shown = [f"{name} is {value!r}" for name, value in noted.items() if value and value != "openpyxl"]
    found = []
    if shown:
        found.append(Trace(f"The workbook notes of itself: {', '.join(shown)}.", is_certain=False))
    own = [each.name for each in book.custom_doc_props]
    if own:
        found.append(Trace(f"The workbook has properties of its own: {', '.join(own)}.", is_certain=False))
    if book.defined_names:
        words = f"The workbook has names for cells: {', '.join(sorted(book.defined_names))}."
        found.append(Trace(words, is_certain=False))
    return found


def _of_settings(sheet: Any) -> list[Trace]:
    """What a sheet has besides cells: links, lists of allowed values, rules for colours, and what is printed around."""
    printed = [
        part.text for side in (sheet.oddHeader, sheet.oddFooter) for part in (side.left, side.center, side.right)
    ]
    held = {
        "links": any(cell.hyperlink for row in sheet.iter_rows() for cell in row),
        "lists of allowed values": bool(sheet.data_validations.dataValidation),
        "rules for colours": len(sheet.conditional_formatting) > 0,
        "words in its header or footer": any(printed),
    }
    shown = [what for what, is_there in held.items() if is_there]
    return [Trace(f"The sheet has {', '.join(shown)} besides its cells.", is_certain=False)] if shown else []


def _of_looks(sheet: Any) -> list[Trace]:
    """Cells that look otherwise than the rest of their column, and filters."""
    found = []
    if sheet.auto_filter.filterColumn:
        found.append(Trace("The sheet keeps a filter, which tells what rows were looked for.", is_certain=False))
    marked = 0
    for column in sheet.iter_cols(min_row=2):
        looks = Counter(_look(cell) for cell in column)
        marked += len(column) - max(looks.values())
    if marked:
        words = f"The sheet has {marked:,} cells in another colour or script than the rest of their column."
        found.append(Trace(words, is_certain=False))
    return found


def _look(cell: Any) -> tuple[object, ...]:
    colour = cell.font.color and str(cell.font.color.rgb)
    return str(cell.fill.fgColor.rgb), colour, cell.font.b, cell.number_format == ";;;"
