"""What an adversary concludes who knows everybody's values, against all originals and all ways to give out the rows."""

from itertools import permutations, product

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from crowdproof.audit import audit
from crowdproof.audit.check import Terms, check
from crowdproof.claims import KAnonymity, parse_claim
from crowdproof.cli import cli
from crowdproof.errors import ParameterError

FRESH = "a value of which no cell speaks"
HALVES = tuple(half / 2 for half in range(13))
MEANS = {
    "a": {"a"}, "é": {"é"}, "{a, é}": {"a", "é"}, "{é, c}": {"é", "c"}, "2020-01-02": {"2020-01-02"}, "true": {"true"},
    "1": {1}, "3.0": {3}, "{1, 3}": {1, 3}, "{1, 2}": {1, 2},
    "[1, 2]": {x for x in HALVES if 1 <= x <= 2}, "[1, 3]": {x for x in HALVES if 1 <= x <= 3},
    "[1, 3)": {x for x in HALVES if 1 <= x < 3}, "[3, 4]": {x for x in HALVES if 3 <= x <= 4},
    "(2, 5]": {x for x in HALVES if 2 < x <= 5}, "[1, 4]": {x for x in HALVES if 1 <= x <= 4},
    "<3": {x for x in HALVES if x < 3}, ">=3": {x for x in HALVES if x >= 3},
}  # fmt: skip
"""What each cell may be: halves stand for all numbers between two whole ones. A star may be any, and a fresh one."""
TEXTS = ["a", "é", "{a, é}", "{é, c}", "2020-01-02", "true", "*", None]
NUMBERS = [cell for cell, values in MEANS.items() if not any(isinstance(each, str) for each in values)]


def meanings(column, whole):
    """For each cell of a column what it may be. Values that the same cells hold are alike: one of them is enough."""
    every = {FRESH}.union(*(MEANS[cell] for cell in column if cell in MEANS))
    may_be = [MEANS.get(cell, every) for cell in column]
    alike = {}
    for value in every:
        if not whole or isinstance(value, str) or value == int(value):
            alike.setdefault(tuple(value in each for each in may_be), value)
    return [each & set(alike.values()) for each in may_be]


def pinned(rows, k, whole=False):
    """Whether an original that fits leaves somebody fewer than k rows, by going through all of them."""
    columns = [meanings(column, whole) for column in zip(*rows, strict=True)]
    meaning = [list(product(*cells)) for cells in zip(*columns, strict=True)]
    ways = list(permutations(range(len(rows))))
    for original in product(*meaning):
        fits = [[original[person] in set(meaning[row]) for row in range(len(rows))] for person in range(len(rows))]
        possible = [way for way in ways if all(fits[person][row] for person, row in enumerate(way))]
        for person in range(len(rows)):
            if len({way[person] for way in possible}) < k:
                return True
    return False


def expected(rows, k):
    """A file does not say whether its numbers are whole ones."""
    by = {pinned(rows, k), pinned(rows, k, whole=True)}
    return "UNDECIDED" if len(by) == 2 else "REFUTED" if by == {True} else "PROVED"


def verdict(rows, k, match="matching"):
    columns = {
        f"q{place}": pl.Series(list(cells), dtype=pl.String) for place, cells in enumerate(zip(*rows, strict=True))
    }
    return check(pl.DataFrame(columns), Terms(k=k, match=match))[0].verdict.name


def wrong_verdicts(releases, seed):
    """Random releases of few different cells, so that some hold up, with what was said of them and what is true."""
    rng = np.random.default_rng(seed)
    wrong, seen = [], set()
    for _ in range(releases):
        width, k = (int(each) for each in rng.integers((1, 2), (3, 4)))
        kinds = [NUMBERS if rng.random() < 0.6 else TEXTS for _ in range(width)]
        chosen = [[kind[place] for place in rng.choice(len(kind), 4 - width)] for kind in kinds]
        picked = rng.integers(0, 4 - width, (int(rng.integers(2, 5)), width))
        rows = [tuple(cells[place] for cells, place in zip(chosen, each, strict=True)) for each in picked]
        truth = expected(rows, k)
        seen.add(truth)
        if verdict(rows, k) != truth or (verdict(rows, k, match="text") == "PROVED" and truth != "PROVED"):
            wrong.append((rows, k, verdict(rows, k), truth))
    return wrong, seen


def test_verdicts_hold_against_all_originals():
    wrong, seen = wrong_verdicts(150, seed=5)
    assert wrong == []
    assert seen == {"PROVED", "REFUTED", "UNDECIDED"}


@pytest.mark.parametrize(
    ("cells", "k", "truth"),
    [
        (["30", "*", "*"], 2, "REFUTED"),  # (1, 2)-anonymous, and one of the three is alone
        (["*", "*", "*"], 3, "PROVED"),
        (["{a, b}", "a", "a", "b", "b"], 2, "PROVED"),  # whichever it is, two others are like it
        (["{a, b}", "a", "a", "b"], 2, "REFUTED"),
        (["[0, 20)"] * 2 + ["[20, 40)"] * 2 + ["[0, 40)"], 2, "PROVED"),
        (["[0, 20)"] * 2 + ["(20, 40)"] * 2 + ["[0, 40)"], 2, "REFUTED"),  # only the last row may be one of 20
        (["[20, 20]", "20", "20.0"], 3, "PROVED"),
        (["007", "7"], 2, "UNDECIDED"),
        (["1E2", "100"], 2, "UNDECIDED"),
        (["007", "007"], 2, "PROVED"),
        (["20-40", "20-40", "30"], 2, "REFUTED"),  # by any reading the last is alone, or one is who may be 20
        (["[20, 39]"] * 2 + ["[40, 59]"] * 2 + ["[20, 59]"], 2, "UNDECIDED"),  # 39.5 is alone, and no whole number is
        (["[20, 39]"] * 2 + ["[40, 59]"] * 2 + ["[20, 60]"], 2, "REFUTED"),
        (["[20, 40)", "[20, 39]"], 2, "UNDECIDED"),
        (["[20, 40)", "[20, 39.5]"], 2, "REFUTED"),
        (["2*", "[20, 29]", "2*"], 2, "UNDECIDED"),
        (["531**", "531**"], 2, "PROVED"),
        (["531**", "53112"], 2, "REFUTED"),
    ],
)
def test_known_cases(cells, k, truth):
    assert verdict([(cell,) for cell in cells], k) == truth


def test_ranges_that_cover_each_other_among_whole_numbers_only():
    rows = [("[20, 40)",), ("[20, 39]",)]
    assert verdict(rows, 2, match="covering") == "UNDECIDED"
    assert verdict([("[20, 40)",), ("[20, 38]",)], 2, match="covering") == "REFUTED"


def test_the_claim_says_how_cells_are_compared():
    release = pl.DataFrame({"age": ["30", "*", "*"]})
    by = {match: check(release, Terms(k=2, match=match))[0] for match in ("text", "covering", "matching")}
    assert [each.verdict.name for each in by.values()] == ["REFUTED", "PROVED", "REFUTED"]
    assert str(by["text"].claim) == "k-anonymity(k=2, columns=age)"
    assert by["covering"].claim.id == "one-k-anonymity"
    assert "(1, 2)-anonymity" in by["covering"].claim.sentence
    claim = by["matching"].claim
    assert str(claim) == "k-anonymity(k=2, columns=age, match=matching)"
    assert parse_claim(str(claim)) == claim
    assert "pins a person (age = 30) to 1 row" in by["matching"].verdict.witness.words


def test_what_takes_too_long_is_not_decided():
    """Four columns of unclear cells can be read in 625 ways."""
    release = pl.DataFrame({name: ["20-40", "30"] for name in "abcd"})
    found = check(release, Terms(k=2, match="matching"))[0]
    assert found.verdict.name == "UNDECIDED"


def test_an_audit_compares_texts_and_says_so():
    with pytest.raises(ParameterError, match="check a release file"):
        audit(lambda table: table, KAnonymity(2, match="matching"), data=pl.DataFrame({"a": [1]}))
    with pytest.raises(ParameterError, match="match is 'fuzzy': write text or matching"):
        KAnonymity(2, match="fuzzy")


def test_the_command_line_knows_it(tmp_path):
    path = tmp_path / "release.csv"
    path.write_text("age\n30\n*\n*\n")
    refuted = CliRunner().invoke(cli, ["check", str(path), "--match", "matching"], standalone_mode=False)
    assert refuted.return_value == 1
    assert "match=matching" in refuted.output


def test_many_ranges_beside_a_wide_one_are_decided():
    """A value of the wide range that fewest rows hold is found in one pass; in the twin one row more holds each."""
    ranges = [f"[{each}0, {each}9]" for each in range(1, 3000) for _ in range(2)]
    assert verdict([(cell,) for cell in [*ranges, "[10, 30009]"]], 2) == "REFUTED"  # who is 30,001
    assert verdict([(cell,) for cell in [*["[10, 29999]"] * 2, *["[10, 20]", "[10, 20]"] * 2]], 2) == "PROVED"
