"""Tables as bytes: columns by their names, types and cells, so that tables that differ have different bytes.

Numbers come from the memory of a column in one piece, dates and times as the whole numbers that they are stored as;
texts come from it as Arrow has them: short ones in places of one size, others one after the other. So no cell of a
large table becomes a Python object of its own. Whole numbers of a large table are written in as few bytes as the
largest of them needs: most of the time goes into the digest, byte by byte.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from crowdproof.errors import TargetError

_TEXTS = (pl.String, pl.Categorical, pl.Enum)
Piece: TypeAlias = bytes | memoryview
"""Some bytes that are digested."""
FEW_TEXTS = 200
"""Texts up to which Python joins them faster than Arrow, as measured; the bytes are the same."""
SHORT = 12
"""Bytes of a text that Arrow keeps in the place of its cell, and not elsewhere."""
_SIZE_BYTES = 4
"""Bytes of such a place that hold the length of the text, before the text."""
_PLACE = np.dtype([("size", "<u4"), ("text", f"V{SHORT}")])
"""The place of a cell with a text."""
FEW_NUMBERS = 1_000
"""Whole numbers up to which it takes longer to look for the shortest form than to digest them all, as measured."""
DIGITS = 32
"""Hexadecimal digits of a digest: 128 bits, of which nobody finds two alike."""
_PLAIN = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64, pl.Float32, pl.Float64)
"""Numbers that numpy and polars hold in the same way."""
_WRITTEN = (pl.Int128, pl.UInt128, pl.Decimal)
"""Numbers for which numpy has no type: their decimal digits tell all of them."""
_UNSIGNED = (np.uint8, np.uint16, np.uint32)
_SIGNED = (np.int8, np.int16, np.int32)
"""Shorter forms of whole numbers, the shortest first."""


def table_digest(table: pl.DataFrame) -> str:
    """A digest of a table: the names, types and cells of its columns in their order."""
    heads = [(name, type_text(kind)) for name, kind in table.schema.items()]
    digest = _digest(repr((table.height, heads)))
    for column in table.iter_columns():
        _add(column, digest)
    return digest.hexdigest()[:DIGITS]


def column_digest(column: pl.Series) -> str:
    """A digest of one column: its type and its cells."""
    digest = _digest(repr((len(column), type_text(column.dtype))))
    _add(column, digest)
    return digest.hexdigest()[:DIGITS]


def _digest(head: str) -> "hashlib.blake2b":
    """A digest that begins with these words.

    Two million bytes took 1.3 ms by BLAKE2 and 0.9 by SHA-256 where the processor has instructions for that one, and
    2.9 and 5.0 ms where it has none.
    """
    return hashlib.blake2b(head.encode())


def _add(column: pl.Series, digest: "hashlib.blake2b") -> None:
    """Add the cells of a column to a digest."""
    for piece in _pieces(column):
        digest.update(len(piece).to_bytes(8, "little"))
        digest.update(piece)


def type_text(kind: Any) -> str:
    """The type of a column in words, with its unit, zone or categories.

    A categorical column is one of text: its codes depend on what else the process has seen.

    >>> type_text(pl.Categorical()), type_text(pl.List(pl.Datetime("ns", "UTC")))
    ('String', "List(Datetime(time_unit='ns', time_zone='UTC'))")
    """
    if kind == pl.Categorical:
        return "String"
    if isinstance(kind, pl.Enum):
        return f"Enum({kind.categories.to_list()})"
    if isinstance(kind, pl.List):
        return f"List({type_text(kind.inner)})"
    if isinstance(kind, pl.Array):
        return f"Array({type_text(kind.inner)}, {kind.shape})"
    if isinstance(kind, pl.Struct):
        return f"Struct({[(field.name, type_text(field.dtype)) for field in kind.fields]})"
    return repr(kind)


def _pieces(column: pl.Series) -> Iterator[Piece]:
    """Which cells are missing, and then the content of the others."""
    if column.null_count():
        yield np.packbits(column.is_null().to_numpy()).tobytes()
        column = column.drop_nulls()
    else:
        yield b""
    yield from _content(column)


def _content(column: pl.Series) -> Iterator[Piece]:  # noqa: C901  (one branch for each kind of column)
    kind = column.dtype
    if kind in _WRITTEN:
        yield from _joined(column.cast(pl.String))
    elif kind.is_numeric():
        yield _numbers(column.to_numpy())
    elif kind in _TEXTS:
        yield from _joined(column if kind == pl.String else column.cast(pl.String))
    elif kind == pl.Binary:
        yield from _lengths_and_bytes(column.to_list())
    elif kind == pl.Boolean:
        yield np.packbits(column.to_numpy()).tobytes()
    elif kind.is_temporal():
        yield _numbers(column.to_physical().to_numpy())
    elif isinstance(kind, pl.Struct):
        for field in column.struct.fields:
            yield from _pieces(column.struct.field(field))
    elif isinstance(kind, pl.Array):
        yield from _content(column.arr.to_list())
    elif isinstance(kind, pl.List):
        sizes = column.list.len()
        yield _numbers(sizes.to_numpy())
        yield from _pieces(column.filter(sizes > 0).explode())  # of an empty list it would make a missing cell
    elif kind != pl.Null:
        raise TargetError(
            f"the target returned a table whose column {column.name!r} is of type {kind}: let it hold numbers, text, "
            "dates or lists of these."
        )


def _numbers(array: Any) -> Piece:
    """The bytes of numbers, with one and the same nan, the lowest byte first on every machine."""
    if array.dtype.kind == "f":
        missing = np.isnan(array)
        if missing.any():
            array = np.where(missing, array.dtype.type(np.nan), array)
    elif len(array) > FEW_NUMBERS:
        array = _shortest(array)
    ordered = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return ordered.view(np.uint8).data if ordered.size else b""


def _shortest(array: Any) -> Any:
    """Whole numbers in as few bytes as the least and the largest of them need.

    Two arrays of one type and length stay different: with a sign or without one goes by the type, and how many bytes
    each number has is told by how many there are.
    """
    low, high = int(array.min()), int(array.max())
    for form in _SIGNED if array.dtype.kind == "i" else _UNSIGNED:
        limits = np.iinfo(form)
        if limits.min <= low and high <= limits.max:
            return array.astype(form, copy=False)
    return array


def _joined(column: pl.Series) -> Iterator[Piece]:
    """The lengths of texts in bytes, and the texts themselves in one.

    Where all are short, zeros fill each up to the longest, since their places in memory are of one size. The lengths
    tell which zeros belong to a text.
    """
    if len(column) <= FEW_TEXTS:
        yield from _lengths_and_bytes([text.encode() for text in column.to_list()], filled=SHORT)
        return
    array: Any = column.to_arrow(compat_level=pl.CompatLevel.newest())
    places = np.frombuffer(array.buffers()[1], _PLACE)[array.offset : array.offset + len(array)]
    sizes = places["size"].astype(np.int64)
    most = int(sizes.max())
    yield _numbers(sizes)
    if 0 < most <= SHORT:
        shown = np.dtype(
            {"names": ["text"], "formats": [f"V{most}"], "offsets": [_SIZE_BYTES], "itemsize": _PLACE.itemsize}
        )
        yield np.ascontiguousarray(places.view(shown)["text"]).view(np.uint8).data
    else:
        yield _long(column)


def _long(column: pl.Series) -> Piece:
    """Texts one after the other."""
    array: Any = column.to_arrow()
    _, places, content = array.buffers()
    ends = np.frombuffer(places, np.int64)[array.offset : array.offset + len(array) + 1]
    return memoryview(content)[int(ends[0]) : int(ends[-1])]


def _lengths_and_bytes(cells: Sequence[bytes], *, filled: int = 0) -> Iterator[Piece]:
    """The lengths of cells and the cells in one, each filled up to the longest where that has so many bytes at most."""
    most = max(map(len, cells), default=0)
    yield _numbers(np.fromiter(map(len, cells), dtype=np.int64, count=len(cells)))
    yield b"".join(each.ljust(most, b"\0") for each in cells) if most <= filled else b"".join(cells)


def own_copy(table: pl.DataFrame) -> pl.DataFrame:
    """The table in memory of its own: polars takes an array of numpy as it is, and the array may change later.

    Text is copied when a column is made. To gather all cells copies numbers, also those in lists and structs.
    """
    places = np.arange(table.height)
    own = [_own(column, places) for column in table.iter_columns()]
    return pl.DataFrame(own) if own else table.clone()


def _own(column: pl.Series, places: NDArray[np.int64]) -> pl.Series:
    if column.dtype == pl.String:
        return column
    if column.dtype in _PLAIN and not column.null_count():  # a copy of an array takes a quarter of the time
        return pl.Series(column.name, column.to_numpy().copy(), dtype=column.dtype)
    return column.gather(places)
