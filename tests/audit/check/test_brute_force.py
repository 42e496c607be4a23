"""All claims on random tables in all formats, against definitions that are worked out here in plain Python."""

import csv
import gzip
import io
import math
import sqlite3
from collections import Counter, defaultdict
from datetime import date
from fractions import Fraction
from itertools import product

import duckdb
import numpy as np
import openpyxl
import polars as pl
import pytest

from crowdproof.audit.check import Terms, check

NAN = float("nan")
CELLS = {
    pl.String: ["30", "007", "7", "1E2", "[20, 40)", "{a, b}", "*", " ", "NA", "é", 'a "b"', "a;b", "2020-01-02"],
    pl.Int64: [0, 7, -7, 2**62, 2**62 + 1],
    pl.Float64: [0.5, 7.0, 1e300, NAN],
    pl.Boolean: [True, False],
    pl.Date: [date(2020, 1, 2), date(1899, 12, 31), date(2024, 2, 29)],
}
NAMES = [["age", "b", "s"], ["*", "^b.*$", "x y"], ["é", "literal", "len"], ["count", "__crowdproof_0", "a,b"]]
TEXT_FORMATS = ("csv", "tsv", "csv.gz")
FORMATS = (*TEXT_FORMATS, "parquet", "arrow", "duckdb", "sqlite", "xlsx")


def random_table(rng):
    """Names, types and rows; the third column is the sensitive one."""
    names = NAMES[rng.integers(len(NAMES))]
    kinds = [list(CELLS)[place] for place in rng.integers(0, len(CELLS), 3)]
    columns = []
    for kind in kinds:
        few = [CELLS[kind][place] for place in rng.integers(0, len(CELLS[kind]), 3)]
        columns.append([*few, None] if rng.random() < 0.5 else few)
    rows = [tuple(column[rng.integers(len(column))] for column in columns) for _ in range(rng.integers(2, 25))]
    return names, kinds, rows


def written(path, names, kinds, rows):
    """Write the table in the format of the path's ending, and return the rows as that format holds them."""
    ending = path.name.partition(".")[2]
    if ending in TEXT_FORMATS:
        rows = [tuple("" if cell is None else str(cell) for cell in row) for row in rows]
        held = io.StringIO(newline="")
        csv.writer(held, delimiter="\t" if ending == "tsv" else ",", quoting=csv.QUOTE_ALL).writerows([names, *rows])
        content = held.getvalue().encode()
        path.write_bytes(gzip.compress(content) if ending.endswith("gz") else content)
        return [tuple(cell or None for cell in row) for row in rows]
    if ending == "xlsx":
        book = openpyxl.Workbook()
        rows = [tuple(None if cell != cell else cell for cell in row) for row in rows]  # noqa: PLR0124
        rows = [tuple(float(cell) if isinstance(cell, int) and cell > 2**53 else cell for cell in row) for row in rows]
        for row in [names, *rows, ["end"] * 3]:
            book.active.append(row)
        book.save(path)
        return [*rows, ("end",) * 3]
    if ending == "sqlite":
        rows = [tuple(str(cell) if isinstance(cell, date) else cell for cell in row) for row in rows]
        rows = [tuple(None if cell != cell else cell for cell in row) for row in rows]  # noqa: PLR0124
        quoted = ", ".join(f'"{name}"' for name in names)
        with sqlite3.connect(path) as connection:
            connection.execute(f"CREATE TABLE t ({quoted})")
            connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        connection.close()
        return rows
    series = zip(names, kinds, zip(*rows, strict=True), strict=True)
    table = pl.DataFrame([pl.Series(name, cells, dtype=kind) for name, kind, cells in series])
    if ending == "duckdb":
        with duckdb.connect(path) as connection:
            connection.register("held", table.to_arrow())
            connection.execute("CREATE TABLE t AS SELECT * FROM held")
    elif ending == "parquet":
        table.write_parquet(path)
    else:
        table.write_ipc(path)
    return rows


def key(cell):
    """The cell as something that is equal where the cells are alike: 7 and `7` are not, NaN and NaN are."""
    if isinstance(cell, float) and math.isnan(cell):
        return "nan"
    return type(cell).__name__ if cell is None else ("number" if type(cell) in (int, float) else type(cell), cell)


def known_or_none(cell):
    """The sensitive value; nothing where the cell is missing, blank or of stars."""
    is_nothing = cell is None or cell != cell or (isinstance(cell, str) and not cell.strip().strip("*"))  # noqa: PLR0124
    return None if is_nothing else key(cell)


def groups(rows):
    found = defaultdict(Counter)
    for row in rows:
        found[key(row[0]), key(row[1])][known_or_none(row[2])] += 1
    return list(found.values())


def fillings(group):
    """Every way to fill in the missing values with values of the group, or with new ones."""
    missing = group.get(None, 0)
    known = Counter({value: count for value, count in group.items() if value is not None})
    values = [*known, "new"]
    for choice in product(range(missing + 1), repeat=len(values)):
        if sum(choice) == missing:
            yield Counter({v: known[v] + c for v, c in zip(values, choice, strict=True) if known[v] + c})


def is_diverse(counts, kind, l, c):  # noqa: E741
    ranked, n = sorted(counts.values(), reverse=True), sum(counts.values())
    if kind == "distinct":
        return len(ranked) >= l
    if kind == "entropy":  # n^n >= l^n prod c^c
        return n**n >= l**n * math.prod(each**each for each in ranked)
    return ranked[0] < c * sum(ranked[l - 1 :])


def distance(group, whole):
    n, all_ = sum(group.values()), sum(whole.values())
    return sum((abs(Fraction(group[v], n) - Fraction(whole[v], all_)) for v in whole), Fraction(0)) / 2


def ordered_distance(group, whole):
    values = sorted(whole, key=lambda each: each[1])
    n, all_ = sum(group.values()), sum(whole.values())
    steps = [sum(Fraction(group[v], n) - Fraction(whole[v], all_) for v in values[: i + 1]) for i in range(len(values))]
    return sum(map(abs, steps), Fraction(0)) / max(1, len(values) - 1)


def wrong_verdicts(tables, seed, folder):
    """Claims that were decided wrongly on random tables, each table in one of the formats in turn."""
    rng = np.random.default_rng(seed)
    wrong = []
    for number in range(tables):
        names, kinds, rows = random_table(rng)
        path = folder / f"release{number}.{FORMATS[number % len(FORMATS)]}"
        held = written(path, names, kinds, rows)
        wrong += [(path.name, names, held, *each) for each in _wrong(rng, path, names, held)]
        path.unlink()
    return wrong


def _wrong(rng, path, names, rows):
    counted = groups(rows)
    whole = sum(counted, Counter())
    k, l = (int(each) for each in rng.integers(1, 4, 2))  # noqa: E741
    kind, c = ("distinct", "entropy", "recursive")[rng.integers(3)], Fraction(int(rng.integers(1, 7)), 2)
    truth = {"k": min(sum(each.values()) for each in counted) >= k}
    if max(each.get(None, 0) for each in counted) <= 4:  # more would be filled in for long
        truth["l-diversity"] = all(is_diverse(each, kind, l, c) for group in counted for each in fillings(group))
    exact = max(distance(each, whole) for each in counted)
    t = exact - Fraction(int(rng.integers(0, 2)), 10**9) if rng.random() < 0.5 else Fraction(int(rng.integers(0, 9)), 8)
    order = "ordered" if rng.random() < 0.5 and None not in whole and _are_numbers(whole) else "equal"
    measure = ordered_distance if order == "ordered" else distance
    t = min(max(t, Fraction(0)), Fraction(1))
    truth["t-closeness"] = max(measure(each, whole) for each in counted) <= t
    terms = Terms(k=k, columns=names[:2], sensitive=names[2], l=l, diversity=kind, c=c, t=t, distance=order)
    found = {getattr(each.claim, "id", "k"): each.verdict.name for each in check(path, terms)}
    return [
        (claim, k, l, kind, c, t, order, found[claim])
        for claim, holds in truth.items()
        if found[claim] != ("PROVED" if holds else "REFUTED")
    ]


def _are_numbers(whole):
    return all(value[0] == "number" for value in whole)


@pytest.mark.parametrize("seed", [1, 2])
def test_every_claim_on_random_tables_in_all_formats(tmp_path, seed):
    assert wrong_verdicts(40, seed, tmp_path) == []
