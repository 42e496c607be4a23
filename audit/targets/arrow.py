"""Tables of Arrow that anyone wrote: what their few bytes stand for is counted before anything is unpacked.

A stream of Arrow may be compressed, repeat one run of cells or one text any number of times, let many columns share the
same bytes, or hold cells that take none. What polars writes for us has none of this but texts of a dictionary.
"""

import struct
from typing import Any

from crowdproof.audit.releases.sizes import MOST_CELLS, MOST_COLUMNS

MOST_PIECES = 1 << 16
"""Messages of a stream, each with some rows: polars writes one for each of its chunks, of which a table has a few."""
RECORD_BATCH, DICTIONARY_BATCH = 3, 2
"""Kinds of messages with cells, by their number in the format."""
_HEADER_KIND, _HEADER = 1, 2
"""Places of fields in the table of a message, counted from none."""
_INNER_BATCH, _COMPRESSION = 1, 3
"""Places of the cells in a dictionary batch, and of the compression in a record batch."""


def read_checked(content: bytes, most_bytes: int) -> Any:
    """The pyarrow table in a stream that anyone wrote; what stands for too much is a `ValueError`."""
    import pyarrow as pa  # noqa: PLC0415  (a fork for each run would import it again, and needs it for nothing)

    _check_messages(pa.ipc.MessageReader.open_stream(content))
    with pa.ipc.open_stream(content) as reader:
        if len(reader.schema) > MOST_COLUMNS:
            raise ValueError(f"its table has {len(reader.schema):,} columns, and {MOST_COLUMNS:,} are read")
        for kind in reader.schema.types:
            _check_kind(kind)
        table = reader.read_all()
    table.validate(full=True)
    cells = max(table.num_rows, 1) * max(table.num_columns, 1)
    inner = sum(_cells_within(chunk) for column in table.columns for chunk in column.chunks)
    if cells > MOST_CELLS or inner > MOST_CELLS:
        raise ValueError(f"its table has {max(cells, inner):,} cells, and {MOST_CELLS:,} are read: let it release less")
    size = table.nbytes + sum(_repeated_bytes(chunk) for column in table.columns for chunk in column.chunks)
    if size > most_bytes:
        raise ValueError(
            f"its table stands for {size >> 20:,} MiB, and {most_bytes >> 20:,} are read: let it release less"
        )
    return table


def _check_messages(messages: Any) -> None:
    """Refuse compressed cells: they are unpacked as soon as they are read."""
    for number, message in enumerate(messages):
        if number > MOST_PIECES:
            raise ValueError(f"its table comes in more than {MOST_PIECES:,} pieces: let it put them together")
        if _is_compressed(message.metadata.to_pybytes()):
            raise ValueError("its table is compressed: let it send cells as they are")


def _is_compressed(metadata: bytes) -> bool:
    """Whether a message has compressed cells; pyarrow has checked that its offsets are within the bytes."""
    (root,) = struct.unpack_from("<I", metadata)
    kind, header = _field(metadata, root, _HEADER_KIND), _field(metadata, root, _HEADER)
    if kind is None or header is None or metadata[kind] not in {RECORD_BATCH, DICTIONARY_BATCH}:
        return False
    batch = _followed(metadata, header)
    if metadata[kind] == DICTIONARY_BATCH:
        inner = _field(metadata, batch, _INNER_BATCH)
        if inner is None:
            return False
        batch = _followed(metadata, inner)
    return _field(metadata, batch, _COMPRESSION) is not None


def _field(metadata: bytes, table: int, number: int) -> int | None:
    """Where a field of a flatbuffers table stands; None where the table does not have it."""
    (back,) = struct.unpack_from("<i", metadata, table)
    (size,) = struct.unpack_from("<H", metadata, table - back)
    place = 4 + 2 * number  # after the sizes of the list and of the table, two bytes each
    if place >= size:
        return None
    (offset,) = struct.unpack_from("<H", metadata, table - back + place)
    return table + offset if offset else None


def _followed(metadata: bytes, place: int) -> int:
    (offset,) = struct.unpack_from("<I", metadata, place)
    return place + int(offset)


def _check_kind(kind: Any) -> None:
    """Refuse types of which few bytes stand for many cells, at any depth."""
    from pyarrow import types  # noqa: PLC0415

    views = (types.is_string_view, types.is_binary_view, types.is_list_view, types.is_large_list_view)
    if any(check(kind) for check in (*views, types.is_run_end_encoded, types.is_union)):
        raise ValueError(f"its table has a column of the type {str(kind)[:60]}: let it hold numbers, text or lists")
    if types.is_dictionary(kind):
        _check_kind(kind.value_type)
    for number in range(kind.num_fields):
        _check_kind(kind.field(number).type)


def _cells_within(array: Any) -> int:
    """The cells of an array and of all within it."""
    return len(array) + sum(map(_cells_within, _parts(array)))


def _parts(array: Any) -> list[Any]:
    """The arrays that an array is made of."""
    from pyarrow import types  # noqa: PLC0415

    kind = array.type
    if types.is_dictionary(kind):
        return [array.dictionary]
    if types.is_struct(kind):
        return [array.field(number) for number in range(kind.num_fields)]
    if kind.num_fields == 1 and hasattr(array, "values"):
        return [array.values]
    return [array.storage] if hasattr(array, "storage") else []


def _repeated_bytes(array: Any) -> int:
    """Bytes that an array stands for since it names the texts of a dictionary, each as often as it likes."""
    from pyarrow import compute, types  # noqa: PLC0415

    within = sum(map(_repeated_bytes, _parts(array)))
    if not types.is_dictionary(array.type):
        return within
    if array.type.value_type.num_fields:
        raise ValueError("its table has a dictionary of lists: let it hold numbers, text or lists")
    if not _is_text(array.dictionary.type):
        return within
    named = compute.sum(compute.binary_length(array.dictionary).cast("int64").take(array.indices)).as_py()
    return within + int(named or 0)


def _is_text(kind: Any) -> bool:
    from pyarrow import types  # noqa: PLC0415

    return any(
        check(kind) for check in (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    )
