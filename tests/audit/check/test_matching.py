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
MEANS = {
    "a": {"a"}, "b": {"b"}, "{a, b}": {"a", "b"}, "{b, c}": {"b", "c"}, "*": {"a", "b", "c", FRESH},
    None: {"a", "b", "c", FRESH},
    "1": {1}, "3": {3}, "[1, 3]": {1, 2, 3}, "[1, 3)": {1, 2}, "[3, 5]": {3, 4}, "[1, 5]": {1, 2, 3, 4},
    "{1, 3}": {1, 3},
}  # fmt: skip
"""What each cell may be. One number stands for all between the ends: 2 between 1 and 3, 4 from there to 5, and the end
5 itself is in the same cells as 4."""
TEXTS = ["a", "b", "{a, b}", "{b, c}", "*", None]
NUMBERS = ["1", "3", "[1, 3]", "[1, 3)", "[3, 5]", "[1, 5]", "{1, 3}"]


def pinned(rows, k):
    """Whether an original that fits leaves somebody fewer than k rows, by going through all of them."""
    meanings = [list(product(*(MEANS[cell] for cell in row))) for row in rows]
    ways = list(permutations(range(len(rows))))
    for original in product(*meanings):
        fits = [[original[person] in meanings[row] for row in range(len(rows))] for person in range(len(rows))]
        possible = [way for way in ways if all(fits[person][row] for person, row in enumerate(way))]
        for person in range(len(rows)):
            if len({way[person] for way in possible}) < k:
                return True
    return False


def verdict(rows, k, match="matching"):
    columns = {
        f"q{place}": pl.Series(list(cells), dtype=pl.String) for place, cells in enumerate(zip(*rows, strict=True))
    }
    return check(pl.DataFrame(columns), Terms(k=k, match=match))[0].verdict.name


@pytest.mark.parametrize("seed", range(12))
def test_verdicts_hold_against_all_originals(seed):
    """Few different cells, so that some releases hold up and not all fall."""
    rng = np.random.default_rng(seed)
    seen = set()
    for _ in range(12):
        kind = NUMBERS if rng.random() < 0.5 else TEXTS
        chosen = [kind[place] for place in rng.choice(len(kind), 3, replace=False)]
        rows = [(chosen[place],) for place in rng.integers(0, 3, int(rng.integers(2, 6)))]
        expected = "REFUTED" if pinned(rows, 2) else "PROVED"
        assert verdict(rows, 2) == expected, rows
        if verdict(rows, 2, match="text") == "PROVED":
            assert expected == "PROVED"
        seen.add(expected)
    assert seen == {"PROVED", "REFUTED"}


@pytest.mark.parametrize("seed", range(6))
def test_verdicts_on_two_columns_hold_against_all_originals(seed):
    rng = np.random.default_rng(100 + seed)
    for _ in range(6):
        first, second = (rng.choice(len(TEXTS) - 2, 2, replace=False) for _ in range(2))
        rows = [(TEXTS[first[a]], TEXTS[second[b]]) for a, b in rng.integers(0, 2, (int(rng.integers(3, 6)), 2))]
        for k in (2, 3):
            assert verdict(rows, k) == ("REFUTED" if pinned(rows, k) else "PROVED"), rows


@pytest.mark.parametrize(
    ("cells", "k", "expected"),
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
        (["531**", "531**"], 2, "PROVED"),
        (["531**", "53112"], 2, "REFUTED"),
    ],
)
def test_known_cases(cells, k, expected):
    assert verdict([(cell,) for cell in cells], k) == expected


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
