"""Tables of counts, of time and of places as offices publish them: none is refuted, each beside a leaky twin."""

from datetime import date, datetime, timedelta
from itertools import permutations

import numpy as np
import polars as pl
import pytest

from crowdproof.audit.check import Terms, check
from crowdproof.audit.check.appearance import chance_of_numbering

MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


def suspects(table):
    found = {each.claim.id: each.verdict.name for each in check(table, Terms(k=1))[1:]}
    return {claim: name for claim, name in found.items() if name in ("REFUTED", "UNDECIDED")}


def counts(rng, outer, inner):
    """One row for each pair, the inner values in the same order within each outer one."""
    return pl.DataFrame([{"a": a, "b": b, "cases": int(rng.poisson(40))} for a in outer for b in inner])


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        (range(2000, 2020), ["North", "South", "East", "West"]),
        (["North", "South", "East", "West"], range(2000, 2020)),
        (range(2010, 2020), MONTHS),
        (range(1, 20), DAYS),
        (["under 18", "18-64", "65 and over"], ["strongly agree", "agree", "neutral", "disagree"]),
        (MONTHS, ["male", "female"]),
    ],
)
def test_a_table_of_counts_is_laid_out_in_some_order(outer, inner):
    """The leaky twin has the rows of each outer value in an order that mostly goes by the count."""
    rng = np.random.default_rng(1)
    table = counts(rng, outer, inner)
    assert suspects(table) == {}
    disturbed = table.with_columns(noise=pl.Series(rng.normal(0, 3, table.height)))
    if table.height >= 40:
        twin = disturbed.sort(pl.col("cases") + pl.col("noise")).drop("noise")
        assert suspects(twin)["row-order"] == "REFUTED"


def hours(n):
    return [datetime(2024, 1, 1) + timedelta(hours=each) for each in range(n)]


def days(n, step=1):
    return [date(2024, 1, 1) + timedelta(days=step * each) for each in range(n)]


@pytest.mark.parametrize(
    "points",
    [
        hours(400),
        days(300),
        [each.strftime("%d.%m.%Y") for each in days(300)],
        [each.isoformat() for each in days(100, 7)],
        [each for each in days(300) if each.weekday() < 5],
        [each.strftime("%Y-%m-%dT%H:%M:%S") for each in hours(200)],
        [f"{year}-{month:02d}" for year in range(2000, 2020) for month in range(1, 13)],
    ],
)
def test_a_series_of_time_names_nobody(points):
    rng = np.random.default_rng(2)
    table = pl.DataFrame({"at": points, "cases": rng.poisson(30, len(points))})
    assert suspects(table) == {}
    some = table.sample(len(points) // 2, seed=1)
    if len(points) > 240:  # of fewer, half may be as far apart by chance, or fewer than twenty
        assert "identifiers" in suspects(some)


def codes(n):
    return [f"{letter}{number:02d}" for letter in "ABCDEFGHIJ" for number in range(100)][:n]


@pytest.mark.parametrize(
    "table",
    [
        pl.DataFrame({"area": codes(500), "people": range(5000, 10_000, 10)}),
        pl.DataFrame({"name": [f"Town {each}" for each in codes(300)], "cases": [5, 3] * 150}),
        pl.DataFrame({"number": range(6), "families": [10, 12, 1, 3, 7, 8]}),
        pl.DataFrame({"id": [1, 2], "name": ["x", "y"]}),
        pl.DataFrame({"no": ["yes", "no"], "cases": [1, 2]}),
        pl.DataFrame({"score": range(500), "pupils": [7, 9] * 250}),
        pl.DataFrame({"sales": np.random.default_rng(3).integers(10**6, 10**7, 300) | 1}),
    ],
)
def test_what_may_be_a_place_is_not_refuted(table):
    assert "REFUTED" not in suspects(table).values()


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("passport", lambda rng, n: [f"C{each:07d}" for each in rng.choice(10**7, n, replace=False)]),
        ("v", lambda rng, n: [" ".join(map(str, each)) for each in rng.integers(1000, 9999, (n, 4))]),
        ("v", lambda rng, n: [f"POINT ({a:.5f} {b:.5f})" for a, b in rng.random((n, 2))]),
        ("v", lambda rng, n: [f'{{"id": {each}}}' for each in rng.choice(10**7, n, replace=False)]),
        ("v", lambda rng, n: [f"{each:08d}{'ABCDEFG'[each % 7]}" for each in rng.choice(10**8, n, replace=False)]),
        ("v", lambda rng, n: [":".join(f"{part:x}" for part in each) for each in rng.integers(1, 65535, (n, 8))]),
        ("subject_id", lambda rng, n: rng.integers(0, n // 2, n)),
        ("patient", lambda rng, n: [f"P{each}" for each in rng.integers(0, n // 2, n)]),
    ],
)
def test_identifiers_of_other_kinds_are_found(name, cells):
    rng = np.random.default_rng(4)
    table = pl.DataFrame({name: pl.Series(cells(rng, 300)), "sex": rng.choice(["f", "m"], 300)})
    assert "identifiers" in suspects(table)


AGES = ["<1", "1-4", *[f"{age}-{age + 4}" for age in range(5, 95, 5)], "95+"]
ROMAN = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV", "XVI", "XVII"]
ROMAN += ["XVIII", "XIX", "XX", "XXI", "XXII"]
MONATE = ["Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November"]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("quarter", [f"Q{each % 4 + 1} {2000 + each // 4}" for each in range(80)]),
        ("quarter", [f"{each % 4 + 1}Q{each // 4:02d}" for each in range(80)]),
        ("week", [f"Week {each % 52 + 1}, {2018 + each // 52}" for each in range(150)]),
        ("age", AGES),
        ("age", ["under 1", *AGES[1:-1], "95 and over"]),
        ("chapter", ROMAN),
        ("chapter", [f"{each}. Diseases of a kind" for each in ROMAN]),
        ("month", [f"{MONATE[each % 11]} {2010 + each // 11}" for each in range(110)]),
        ("town", [f"Town {each}" for each in codes(90)]),
        ("week", [*range(14, 53), *range(1, 14)]),  # of a year that begins in April
    ],
)
def test_a_table_in_an_order_that_its_labels_tell(name, cells):
    """In the twin the labels are gone."""
    rng = np.random.default_rng(8)
    counts = np.arange(len(cells)) * 10 + rng.integers(0, 30, len(cells))
    assert suspects(pl.DataFrame({name: cells, "cases": counts})) == {}
    assert suspects(pl.DataFrame({"cases": counts[rng.permutation(3)[0] :] // 3, "ill": 0}))["row-order"] == "REFUTED"


@pytest.mark.parametrize("blocks", [[4] * 20, [5, 4, 5, 3, 5]])
def test_a_pivoted_table_names_each_group_once(blocks):
    rng = np.random.default_rng(9)
    ages = ["0-17", "18-34", "35-49", "50-64", "65 and over"]
    rows = [
        (f"area {number}" if at == 0 else None, ages[at], 100 * number + int(rng.integers(300)))
        for number, size in enumerate(blocks)
        for at in range(size)
    ]
    table = pl.DataFrame(rows, schema=["area", "age", "cases"], orient="row")
    assert suspects(table) == {}
    if len(rows) > 30:
        assert suspects(table.drop("area"))["row-order"] == "REFUTED"


def test_an_order_of_places_that_everybody_knows_is_only_suspicious():
    """The twin has the same numbers, and people instead of places."""
    rng = np.random.default_rng(10)
    income = np.repeat(rng.normal(50, 10, 10), 6) + rng.normal(0, 2, 60)
    names = [f"{''.join(each)}ville" for each in rng.choice(list("ABCDEFGH"), (60, 5))]
    found = suspects(pl.DataFrame({"city": names, "income": income.round(1)}))
    assert found == {"row-order": "UNDECIDED"}
    found = suspects(pl.DataFrame({"age": rng.integers(20, 80, 60), "income": income.round(1)}))
    assert found == {"row-order": "REFUTED"}


def clock(rng, n):
    return [f"{each // 3600:02d}:{each // 60 % 60:02d}:{each % 60:02d}" for each in np.sort(rng.integers(0, 86_400, n))]


def means(keys):
    """What pandas writes of means: all digits."""
    return lambda rng: pl.DataFrame({**keys, "mean": rng.random(len(next(iter(keys.values())))) * 40_000})


@pytest.mark.parametrize(
    "make",
    [
        means({"age": list(range(18, 90))}),
        means({"zip": [f"0{each}" for each in range(2000, 2060)]}),
        means({"year": [2000 + each // 10 for each in range(100)], "area": list("ABCDEFGHIJ") * 10}),
        means({"y": [1] * 20 + [2] * 20, "area": list("ABCDEFGHIJ") * 4, "s": (["f"] * 10 + ["m"] * 10) * 2}),
        lambda rng: pl.DataFrame({"GEOID": sorted(f"25017{each:06d}" for each in rng.integers(0, 10**6, 99))}),
        lambda rng: pl.DataFrame({"barcode": rng.choice(10**12, 99, replace=False) + 10**12, "price": rng.random(99)}),
        lambda rng: pl.DataFrame({"region_id": range(1, 17), "region": [f"R{each}a" for each in range(16)]}),
        lambda rng: pl.DataFrame({"id": range(1, 51), "state": sorted(codes(50)), "cases": rng.poisson(50, 50)}),
        lambda rng: pl.DataFrame({"time": [f"2024-01-02 {each}" for each in clock(rng, 99)], "size": 1}),
        lambda rng: pl.DataFrame({"name": codes(60), "men": [90, 60, 30] * 20, "women": range(60, 0, -1)}),
    ],
)  # fmt: skip
def test_tables_of_sums_and_of_things_are_not_refuted(make):
    assert "REFUTED" not in suspects(make(np.random.default_rng(11))).values()


def test_groups_may_be_ordered_by_their_size():
    rng = np.random.default_rng(12)
    rows = [(place, int(rng.integers(3))) for place in rng.permutation(30) for _ in range(1 + place // 2)]
    table = pl.DataFrame(rows, schema=["place", "ill"], orient="row").sample(fraction=1, shuffle=True, seed=1)
    by_size = table.sort(pl.len().over("place"), descending=True, maintain_order=True)
    assert suspects(by_size) == {}


def test_the_chance_of_a_numbering_is_that_of_all_shuffles():
    """Every order of the rows, within two blocks, of which one has a value that the other has shown."""
    order, blocks = np.array([0, 0, 1, 2, 0, 3, 3, 4]), np.array([0, 0, 0, 0, 1, 1, 1, 1])
    shuffles = [
        np.concatenate([first, second]) for first in permutations(order[:4]) for second in permutations(order[4:])
    ]
    ascending = [each for each in shuffles if (np.diff([list(each).index(value) for value in range(5)]) > 0).all()]
    assert chance_of_numbering(order, blocks) == pytest.approx(len(ascending) / len(shuffles))
    assert chance_of_numbering(order[[3, 0, 1, 2, 4, 5, 6, 7]], blocks) == 1


def test_pseudonyms_that_were_given_in_the_order_of_the_source():
    rng = np.random.default_rng(5)
    doctors, given = rng.integers(0, 60, 800), {}
    counted = [given.setdefault(int(each), len(given)) for each in doctors]
    ill = rng.choice(["flu", "gout"], 800)
    assert suspects(pl.DataFrame({"ward": counted, "ill": ill})) == {"row-order": "REFUTED"}
    assert suspects(pl.DataFrame({"ward": [f"D{each}" for each in counted], "ill": ill})) == {"row-order": "REFUTED"}
    drawn = rng.permutation(60)
    assert suspects(pl.DataFrame({"ward": drawn[counted], "ill": ill})) == {}


def test_words_for_nothing_in_every_column_are_suspicious():
    rng = np.random.default_rng(6)
    table = pl.DataFrame({name: rng.choice(["x", "y"], 400) for name in "abc"})
    hidden = pl.int_range(pl.len()).is_in(rng.choice(400, 8, replace=False).tolist())
    words = table.with_columns(pl.when(hidden).then(pl.lit("NA")).otherwise(pl.col(name)).alias(name) for name in "abc")
    assert suspects(words) == {"star-rows": "UNDECIDED"}
    one = table.with_columns(a=pl.when(hidden).then(pl.lit("NA")).otherwise("a"))  # Namibia
    assert suspects(one) == {}


def test_a_second_source_that_rounds_otherwise():
    rng = np.random.default_rng(7)
    weights = rng.normal(70, 10, 600)
    late = np.arange(600) >= 400
    mixed = [f"{each:.3f}" if is_late else f"{each:.1f}" for each, is_late in zip(weights, late, strict=True)]
    assert suspects(pl.DataFrame({"kg": mixed, "sex": rng.choice(["f", "m"], 600)}))["row-order"] == "REFUTED"
    shuffled = pl.DataFrame({"kg": rng.permutation(mixed), "sex": rng.choice(["f", "m"], 600)})
    assert "row-order" not in suspects(shuffled)
