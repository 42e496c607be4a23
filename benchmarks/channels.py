"""Side channels of `check`: forty planted leaks, and a thousand clean releases in 25 orders and forms."""

import time
import uuid
from collections import Counter

import numpy as np
import polars as pl

from crowdproof.audit.check import Terms, check

ROWS = 1000
KNOWN = ("age", "sex", "zip")
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def base(rng, rows=ROWS):
    """Independent rows of usual columns."""
    age = rng.integers(20, 80, rows)
    return pl.DataFrame(
        {
            "age": [f"[{each // 10 * 10}, {each // 10 * 10 + 10})" for each in age],
            "sex": rng.choice(["f", "m"], rows),
            "zip": rng.choice(["021**", "022**", "023**"], rows),
            "disease": rng.choice(["flu", "gout", "HIV"], rows, p=[0.6, 0.3, 0.1]),
            "pay": (rng.lognormal(10, 0.5, rows) // 100 * 100).astype(int),
        }
    )


def added(name, cells):
    """A leak by one more column."""
    return lambda rng: base(rng).with_columns(pl.Series(name, cells(rng, ROWS)))


def hidden_sort(correlation, column="pay"):
    """Sorted by a dropped column that goes with a released one."""

    def plant(rng):
        table = base(rng)
        hidden = rng.normal(size=ROWS)
        score = correlation * hidden + (1 - correlation**2) ** 0.5 * rng.normal(size=ROWS)
        cells = table[column].sort().to_numpy()[np.argsort(np.argsort(score))]
        return table.with_columns(pl.Series(column, cells))[np.argsort(hidden)]

    return plant


def within_groups(rng):
    """Sorted by known columns, and within each group in the order of the source."""
    return hidden_sort(0.6)(rng).sort(KNOWN, maintain_order=True)


def households(rng):
    """People of one household stand together: they share their zip, which is not sorted."""
    table = base(rng)
    return table.with_columns(zip=pl.Series(np.repeat(rng.choice(["021**", "022**", "023**"], ROWS // 2), 2)))


def batches(rng):
    """Two sources one after the other, which differ in how common a disease is."""
    table = base(rng)
    disease = np.where(rng.random(ROWS) < np.where(np.arange(ROWS) < ROWS // 2, 0.05, 0.2), "HIV", "flu")
    return table.with_columns(disease=pl.Series(disease))


def appended(rng):
    """Rows that were recoded later, at the end."""
    table = base(rng)
    late = pl.int_range(pl.len()) >= ROWS - 60
    return table.with_columns(age=pl.when(late & (pl.col("sex") == "f")).then(pl.lit("*")).otherwise("age"))


def first_appearance(rng):
    """Pseudonyms that count up as they first appear."""
    names = rng.integers(0, 400, ROWS)
    seen = {}
    return base(rng).with_columns(person=pl.Series([f"P{seen.setdefault(each, len(seen)):03d}" for each in names]))


def stars(rng):
    """Suppressed rows that were left in."""
    hidden = pl.int_range(pl.len()).is_in(rng.choice(ROWS, 9, replace=False).tolist())
    return base(rng).with_columns(
        pl.when(hidden).then(pl.lit("*")).otherwise(pl.col(name)).alias(name) for name in KNOWN
    )


def missing(rng):
    """The same with nothing in them."""
    hidden = pl.int_range(pl.len()).is_in(rng.choice(ROWS, 9, replace=False).tolist())
    return base(rng).with_columns(pl.when(~hidden).then(pl.col(name)).alias(name) for name in KNOWN)


def alternating(rng):
    """Cases and controls in turn."""
    return base(rng).with_columns(disease=pl.Series(["flu", "HIV"] * (ROWS // 2)))


def seasonal(rng):
    """In the order of time, with a disease of the winter."""
    wave = 0.3 + 0.25 * np.sin(np.arange(ROWS) / ROWS * 8 * np.pi)
    return base(rng).with_columns(disease=pl.Series(np.where(rng.random(ROWS) < wave, "flu", "gout")))


def reversed_sort(rng):
    """From the last to the first of a dropped date."""
    return hidden_sort(0.4)(rng).reverse()


def filled(form, numbers):
    """The form with the numbers of each row in it."""
    return [form.format(*map(int, each)) for each in numbers]


def days(first, steps):
    """Points in time, so many steps after the first."""
    return (np.datetime64(first) + steps).astype(str)


def ids(rng, n):
    """Numbers of a sample of one in ten."""
    return rng.choice(10 * n, n, replace=False)


def times(rng, n):
    """Seconds since 1970."""
    return rng.integers(1_500_000_000, 1_700_000_000, n)


def words(rng, n, length=9):
    """Random letters."""
    return ["".join(each) for each in rng.choice(list("abcdefghij"), (n, length))]


LEAKS = {
    "hidden sort, correlation 0.3": hidden_sort(0.3),
    "hidden sort, correlation 0.6": hidden_sort(0.6),
    "hidden sort of a disease": hidden_sort(0.4, "disease"),
    "hidden sort, reversed": reversed_sort,
    "source order within groups": within_groups,
    "households": households,
    "two batches": batches,
    "recoded rows at the end": appended,
    "first appearance": first_appearance,
    "cases and controls in turn": alternating,
    "seasons": seasonal,
    "rows of stars": stars,
    "rows of nothing": missing,
    "row numbers": added("n", lambda _, n: np.arange(n)),
    "row numbers from 1000": added("n", lambda _, n: np.arange(1000, 1000 + n)),
    "numbers of a sample, ascending": added("ref", lambda rng, n: np.sort(ids(rng, n))),
    "numbers of a sample, shuffled": added("ref", ids),
    "patient numbers": added("patient_id", lambda rng, n: rng.choice(20 * n, n, replace=False)),
    "numbers with a letter": added("case", lambda rng, n: [f"K-{each:05d}" for each in ids(rng, n)]),
    "UUID": added("u", lambda rng, n: [str(uuid.UUID(bytes=rng.bytes(16))) for _ in range(n)]),
    "hash, md5": added("h", lambda rng, n: [rng.bytes(16).hex() for _ in range(n)]),
    "hash, base64": added("h", lambda rng, n: words(rng, n, 24)),
    "short hash": added("h", lambda rng, n: [rng.bytes(4).hex() for _ in range(n)]),
    "e-mail": added("m", lambda rng, n: [f"{each}@example.org" for each in words(rng, n)]),
    "e-mail, three visits each": added("m", lambda rng, n: filled("p{}@example.org", rng.integers(0, n // 3, (n, 1)))),
    "passport": added("p", lambda rng, n: [f"C{each:07d}" for each in rng.choice(10**7, n, replace=False)]),
    "social security": added("s", lambda rng, n: filled("{:03d}-{:02d}-{:04d}", rng.integers(1, 99, (n, 3)))),
    "telephone": added("t", lambda rng, n: [f"+49 170 {each}" for each in rng.integers(10**6, 10**7, n)]),
    "IBAN": added("i", lambda rng, n: [f"DE{each:020d}" for each in rng.integers(10**17, 10**18, n)]),
    "network address": added("ip", lambda rng, n: filled("{}.{}.{}.{}", rng.integers(1, 255, (n, 4)))),
    "device address": added("mac", lambda rng, n: filled(":".join(["{:02x}"] * 6), rng.integers(0, 255, (n, 6)))),
    "number plate": added("plate", lambda rng, n: filled("B-{:X} {}", rng.integers(10, 9999, (n, 2)))),
    "timestamp": added("at", lambda rng, n: days("2024-01-01T00:00:00.001", rng.integers(0, 10**10, n))),
    "Unix time": added("at", times),
    "day of birth": added("born", lambda rng, n: days("1950-01-01", rng.integers(0, 25_000, n))),
    "latitude": added("lat", lambda rng, n: (rng.random(n) * 5 + 48).round(6)),
    "place": added("place", lambda rng, n: [f"{a:.5f},{b:.5f}" for a, b in rng.random((n, 2)) * 50]),
    "score with all digits": added("score", lambda rng, n: rng.random(n)),
    "names": added("name", words),
    "remarks": added("remark", lambda rng, n: [" ".join(words(rng, 6, 4)) for _ in range(n)]),
}  # fmt: skip
"""Forty leaks; what a file holds besides its table is in the tests."""


def alarms(table, known=KNOWN):
    """The channels that are refuted, and those that are called suspicious."""
    found = {}
    for each in check(table, Terms(k=1, columns=known))[1:]:
        if each.verdict.name in ("REFUTED", "UNDECIDED"):
            found[each.claim.id] = each.verdict.name
    return found


def power(seeds):
    """Print which leaks are found on how many seeds."""
    found = Counter()
    for name, plant in LEAKS.items():
        verdicts = [alarms(plant(np.random.default_rng(seed))) for seed in range(seeds)]
        found[name] = sum(bool(each) for each in verdicts)
        kinds = sorted({f"{claim} {verdict}" for each in verdicts for claim, verdict in each.items()})
        print(f"{name:35} {found[name]}/{seeds}  {', '.join(kinds)}", flush=True)
    always = sum(count == seeds for count in found.values())
    print(f"planted leaks found on every seed: {always} of {len(LEAKS)}")


FORMS = {
    "as is": str,
    "thousands": lambda x: f"{x:,}",
    "decimal comma": lambda x: f"{x / 10:.1f}".replace(".", ","),
    "money": lambda x: f"${x}",
    "months": lambda x: f"{MONTHS[x // 100 % 12]} {1900 + x // 1200}",
}


def clean(rng, number):
    """A release that leaks nothing by its order, in one of five orders and five ways to write a column."""
    table = base(rng, int(rng.choice([25, 100, 500, 2000, 5000])))
    columns = [str(each) for each in rng.permutation(table.columns)]
    half = columns[: len(columns) // 2]
    groups = [part for _, part in table.group_by(KNOWN)]
    order = (
        lambda: table,
        lambda: table.sort(columns, descending=bool(rng.integers(2))),
        lambda: table.sort(
            half, descending=[bool(each) for each in rng.integers(0, 2, len(half))], maintain_order=True
        ),
        lambda: table.sort(columns[0], maintain_order=True),
        lambda: pl.concat([groups[place] for place in rng.permutation(len(groups))]),
    )[number % 5]
    ordered = order()
    write = list(FORMS.values())[number // 5 % 5]
    rare = rng.random(table.height) < 2 / table.height
    pay = [write(each) for each in ordered["pay"].to_list()]
    return ordered.with_columns(pay=pl.Series(pay), rare=pl.Series(rare))


def false_alarms(releases):
    """Print how many clean releases are refuted or called suspicious."""
    found = Counter()
    rng = np.random.default_rng(20)
    for number in range(releases):
        for claim, verdict in alarms(clean(rng, number)).items():
            found[claim, verdict] += 1
    refuted = sum(count for (_, verdict), count in found.items() if verdict == "REFUTED")
    print(f"clean releases: {releases:,}, refutations: {refuted}; stated error 0.001 each. All alarms: {dict(found)}")


def main(seeds: int = 3, releases: int = 1000) -> None:
    """Print what is found of forty leaks, and the alarms on clean releases."""
    start = time.process_time()
    power(seeds)
    false_alarms(releases)
    print(f"{time.process_time() - start:.0f} CPU s")
