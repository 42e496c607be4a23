"""What is wrong with a CSV file that cannot be read, and how to mend it; polars tells neither."""

import csv
from pathlib import Path

from crowdproof.audit.data.encoding import fault_in_file
from crowdproof.audit.data.separated import separator


def fault(path: Path) -> str | None:
    """The first fault and its remedy, or None where no fault is found."""
    return encoding_fault(path) or _rows(path)


def encoding_fault(path: Path) -> str | None:
    """That the file is not in UTF-8, which polars does not always notice, and the remedy."""
    fault = fault_in_file(path)
    return f"it {fault}; save it as CSV in UTF-8." if fault else None


def _rows(path: Path) -> str | None:
    start = 1
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file, strict=True, delimiter=separator(path))
        try:
            width = len(next(reader, []))
            start = reader.line_num + 1
            for row in reader:
                if len(row) > width:
                    return (
                        f"line {start} has {len(row)} cells, the header {width}; give every row as many as the header."
                    )
                start = reader.line_num + 1
        except csv.Error:
            return f"a quote that opens in line {start} is not closed where its cell ends; close it, or leave it out."
    return None
