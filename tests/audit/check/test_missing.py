"""Missing, NaN, empty, blank and stars: what each means, by dictionaries of Python."""

import math
from collections import Counter
from fractions import Fraction

import polars as pl
import pytest

from crowdproof.audit.check import Terms, check

NAN = float("nan")


def found(release, **terms):
    return {getattr(f.claim, "id", f.claim.notion): f for f in check(release, Terms(**terms))}


def names(release, **terms):
    return {name: each.verdict.name for name, each in found(release, **terms).items()}


@pytest.mark.parametrize("cell", [None, "", " ", "*", "***"])
def test_a_missing_sensitive_value_adds_no_diversity(cell):
    release = pl.DataFrame({"q": ["x"] * 3, "s": pl.Series(["HIV", cell, "HIV"], dtype=pl.String)})
    for kind in ("distinct", "entropy", "recursive"):
        assert names(release, sensitive="s", columns="q", l=2, diversity=kind)["l-diversity"] == "REFUTED"
    flu = release.with_columns(s=pl.Series(["HIV", cell, "flu"], dtype=pl.String))
    assert names(flu, sensitive="s", columns="q", l=2)["l-diversity"] == "PROVED"
    assert names(flu, sensitive="s", columns="q", l=2, diversity="entropy")["l-diversity"] == "REFUTED"


def test_values_that_are_no_number_are_missing():
    release = pl.DataFrame({"q": ["x"] * 3, "s": [1.0, NAN, 1.0]})
    assert names(release, sensitive="s", columns="q", l=2)["l-diversity"] == "REFUTED"
    assert names(release, sensitive="s", columns="q", t=0)["t-closeness"] == "PROVED"
    assert names(release, sensitive="s", columns="q", t=0, distance="ordered")["t-closeness"] == "UNDECIDED"


@pytest.mark.parametrize("kind", ["distinct", "entropy", "recursive"])
def test_a_missing_value_is_as_bad_as_the_worst_way_to_fill_it_in(kind):
    """All ways to fill two missing values in, against the one that is counted."""
    known = ["a", "a", "b", "c"]
    release = pl.DataFrame({"q": ["x"] * 6, "s": [*known, None, None]})
    ways = [Counter([*known, one, other]) for one in "abcdef" for other in "abcdef"]
    for l in (1, 2, 3, 4):  # noqa: E741
        expected = all(holds(kind, way, l) for way in ways)
        verdict = names(release, sensitive="s", columns="q", l=l, c=2, diversity=kind)["l-diversity"]
        assert verdict == ("PROVED" if expected else "REFUTED")


def holds(kind, counts, l):  # noqa: E741
    if kind == "distinct":
        return len(counts) >= l
    n = sum(counts.values())
    if kind == "entropy":
        return -sum(c / n * math.log(c / n) for c in counts.values()) >= math.log(l) - 1e-12
    ranked = sorted(counts.values(), reverse=True)
    return ranked[0] < 2 * sum(ranked[l - 1 :])


def test_missing_is_a_value_of_its_own_for_the_equal_distance():
    release = pl.DataFrame({"q": ["x", "x", "y", "y"], "s": ["a", None, "a", "a"]})
    verdict = found(release, sensitive="s", columns="q", t="0.25")["t-closeness"]
    assert verdict.verdict.name == "PROVED"  # half of x is missing and a quarter of all: a distance of 1/4
    assert verdict.measures["value"] == 0.25
    assert names(release, sensitive="s", columns="q", t="0.24")["t-closeness"] == "REFUTED"


def test_each_way_to_write_nothing_is_its_own_cell():
    """Whoever reads the file tells them apart, so none hides another."""
    cells = pl.Series(["", "", "*", "*", None, None, " ", " "], dtype=pl.String)
    assert found(pl.DataFrame({"q": cells}), k=2)["k-anonymity"].measures["groups"] == 4
    numbers = pl.DataFrame({"q": [1.0, 1.0, NAN, NAN, None, None]})
    assert found(numbers, k=2)["k-anonymity"].measures["k"] == 2
    assert names(numbers.head(4).tail(3), k=2)["k-anonymity"] == "REFUTED"


def test_numbers_in_json_are_numbers():
    measures = found(pl.DataFrame({"q": ["a"] * 3 + ["b"]}), k=2)["k-anonymity"].measures
    assert (measures["k"], measures["rows"], measures["unique_rows"]) == (1, 4, 1)
    assert measures["prosecutor_risk"] == 1.0
    assert measures["marketer_risk"] == float(Fraction(2, 4))


@pytest.mark.parametrize("name", ["*", "^b.*$", "a b", "é", "__crowdproof_0", "__crowdproof_count", "literal"])
def test_columns_of_any_name(name):
    release = pl.DataFrame({name: ["x", "x", "y"], "b": ["1", "1", "2"], "s": ["p", "q", "p"]})
    result = found(release, k=2, columns=(name, "b"), sensitive="s", l=2, t="0.5")
    assert result["k-anonymity"].verdict.witness.values == {name: "y", "b": "2"}
    assert found(release, k=2, columns="b", sensitive=name, l=2)["l-diversity"].verdict.name == "REFUTED"


@pytest.mark.parametrize("cells", [[[1, 2], [3]], [{"x": [1]}, None], [["a"], None], [b"a", b"b"]])
@pytest.mark.parametrize("match", ["text", "covering", "matching"])
def test_nested_cells_are_compared_as_texts(cells, match):
    release = pl.DataFrame({"*": cells * 2})
    found = check(release, Terms(k=2, match=match))[0]
    assert found.verdict.name == "PROVED"
