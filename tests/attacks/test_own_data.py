"""Tables as users have them: each attack reads them, or says in one sentence what to change; never anything else."""

import inspect

import numpy as np
import polars as pl
import pytest

import crowdproof as cp
from crowdproof.attacks import CATALOGUE, load
from crowdproof.errors import CrowdproofError, DataError, ParameterError

ROWS = 90
RNG = np.random.default_rng(0)
BASE = {
    "age": RNG.integers(18, 90, ROWS),
    "sex": RNG.choice(["f", "m"], ROWS),
    "town": RNG.choice(["a, b", "c", "d{e}", "?", "*", ""], ROWS),
    "ill": RNG.choice(["flu", "gout", "cold", "cough"], ROWS),
}
PLAIN = pl.DataFrame(BASE)
TABLES = {
    "nulls": PLAIN.with_columns(pl.when(pl.int_range(pl.len()) % 3 > 0).then(pl.all()).name.keep()),
    "no secret": PLAIN.with_columns(ill=pl.lit(None, dtype=pl.String)),
    "short": PLAIN.cast({"age": pl.Int8}),
    "long": PLAIN.cast({"age": pl.Int128}),
    "decimal": PLAIN.cast({"age": pl.Decimal(10, 2)}),
    "huge": PLAIN.with_columns(age=pl.col("age") * 2**55),
    "categories": PLAIN.cast({"sex": pl.Categorical, "ill": pl.Categorical}),
    "dates": PLAIN.with_columns(age=pl.date(2000, 1, 1) + pl.duration(days=pl.col("age"))),
    "one column": PLAIN.select("ill"),
    "all alike": pl.DataFrame({"age": [1] * ROWS, "sex": ["f"] * ROWS, "ill": ["flu"] * ROWS}),
    "few": PLAIN.head(3),
    "floats": pl.DataFrame({name: RNG.normal(size=ROWS) for name in "xyz"}),
}
SMALL = {"rows": 30, "trials": 3, "others": 30, "blocks": 2, "people": 6, "answers": 9, "outside": 20}
OWN = [each for each in CATALOGUE if "data" in inspect.signature(load(each).run).parameters and each != "side-channels"]


@pytest.mark.parametrize("table", TABLES)
def test_every_attack_reads_the_table_or_says_what_to_change(table):
    told = []
    for name in OWN:
        known = inspect.signature(load(name).run).parameters
        settings = {each: value for each, value in SMALL.items() if each in known}
        try:
            told.append(str(cp.attack(name, data=TABLES[table], **settings)))
        except CrowdproofError as error:
            told.append(str(error))
    assert len(told) == len(OWN)
    assert all(each.strip() for each in told)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (PLAIN.head(0), "has no rows: give the table"),
        (PLAIN.rename({"sex": "*"}), r"named '\*', which polars takes for a pattern"),
        (PLAIN.rename({"sex": "^a.*$"}), "takes for a pattern of names: rename it"),
        (PLAIN.with_columns(pl.lit([1, 2]).alias("list")), "'list' holds no numbers or texts, which attacks read"),
        (PLAIN.with_columns(pl.lit(2**100, dtype=pl.Int128).alias("far")), "'far' has a number beyond 64 bits"),
    ],
)
def test_what_no_attack_can_read_is_said_by_each(table, said):
    for name in OWN:
        with pytest.raises(DataError, match=said):
            cp.attack(name, data=table)


def test_an_extreme_value_has_room_in_a_short_column_and_none_beyond_64_bits():
    assert "2," in str(cp.attack("clr", data=TABLES["short"], k=5, trials=3))
    with pytest.raises(ParameterError, match="give a smaller --set value=NUMBER"):
        cp.attack("clr", data=TABLES["huge"])
    with pytest.raises(DataError, match="choose a column with numbers"):
        cp.attack("clr", data=PLAIN.with_columns(age=pl.lit(None, dtype=pl.Int64)))
