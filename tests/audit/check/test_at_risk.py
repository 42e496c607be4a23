"""Rows at risk, and measures of many values."""

import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from crowdproof.audit.check import Terms, rows_at_risk
from crowdproof.audit.check.closeness import ordered
from crowdproof.audit.check.diversity import entropy_at_least
from crowdproof.audit.check.groups import group, spread
from crowdproof.audit.check.likeness import likeness
from crowdproof.audit.check.risk import contributions
from crowdproof.cli import cli


def test_the_rows_at_risk_are_those_in_small_groups():
    release = pl.DataFrame({"*": ["a", "b", "a", "c", "c", "c"], "row": [1, 1, 1, 2, 2, 2]})
    assert rows_at_risk(release, Terms(k=3)).rows() == [(2, 1, "b", 1), (1, 2, "a", 1), (3, 2, "a", 1)]
    assert rows_at_risk(release, Terms(k=1)).is_empty()


def test_the_command_line_writes_them(tmp_path):
    path, risky = tmp_path / "release.csv", tmp_path / "risky.csv"
    path.write_text("age\n30\n007\n30\n")
    ran = CliRunner().invoke(cli, ["check", str(path), "--rows-at-risk", str(risky)], standalone_mode=False)
    assert ran.return_value == 1
    assert risky.read_text() == "row,rows alike,cell of age\n2,1,007\n"


@pytest.mark.parametrize("seed", range(4))
def test_ordered_distances_of_many_values_agree_with_the_definition(seed):
    rng = np.random.default_rng(seed)
    table = pl.DataFrame({"q": rng.integers(0, 6, 300), "s": rng.integers(0, 80, 300)})
    values = sorted(set(table["s"].to_list()))

    def share(cells, value):
        return Fraction(sum(each <= value for each in cells), len(cells))

    whole = table["s"].to_list()
    worst = max(
        sum(abs(share(part["s"].to_list(), value) - share(whole, value)) for value in values) / (len(values) - 1)
        for _, part in table.group_by("q")
    )
    found = spread(table.lazy(), ["q"], "s")
    assert ordered(found, worst).holds
    assert ordered(found, worst).value == worst
    assert not ordered(found, worst - Fraction(1, 10**9)).holds


@pytest.mark.parametrize("size", [1000, 10**5, 10**6])
def test_ties_of_large_groups_are_decided(size):
    assert entropy_at_least([size + 1] * 3 + [], 3)
    assert not entropy_at_least([size + 1, size, size - 1], 3)
    assert entropy_at_least([size, size, size, 1], 3)
    counts = [2 * size + 1, size, size]
    n = sum(counts)
    assert entropy_at_least(counts, 2) == (-sum(c / n * math.log(c / n) for c in counts) >= math.log(2))


def test_other_measures_agree_with_their_definitions():
    table = pl.DataFrame({"q": ["a"] * 4 + ["b"] * 4, "s": ["x", "x", "x", "y", "x", "y", "y", None]})
    found = likeness(spread(table.lazy(), ["q"], "s"))
    assert found["alpha"] == pytest.approx(3 / 4)
    assert found["beta"] == pytest.approx((1 / 4) / (1 / 8) - 1)
    assert found["delta"] == math.inf  # no value is missing in a
    full = likeness(spread(table.head(7).lazy(), ["q"], "s"))
    shares = {"x": 4 / 7, "y": 3 / 7}
    ratios = [(3 / 4) / shares["x"], (1 / 4) / shares["y"], (1 / 3) / shares["x"], (2 / 3) / shares["y"]]
    assert full["delta"] == pytest.approx(max(abs(math.log(each)) for each in ratios))


def test_the_column_that_makes_rows_unique_comes_first():
    release = pl.DataFrame({"sex": ["f", "m"] * 10, "zip": [str(each) for each in range(20)]})
    rows = contributions(group(release.lazy(), ["sex", "zip"])).rows
    assert rows == (("zip", "20", "10"), ("sex", "0", "1"))
    assert contributions(group(release.lazy(), ["sex"])).rows == (("sex", "0", "20"),)
