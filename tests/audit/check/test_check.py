"""`check` against brute force: groups by Python dictionaries, distances by their definitions."""

import math
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from crowdproof.audit.check import Terms, check
from crowdproof.audit.check.closeness import equal, ordered
from crowdproof.audit.check.covering import covering_crowd
from crowdproof.audit.check.diversity import distinct, entropy, recursive
from crowdproof.audit.check.groups import group, spread
from crowdproof.audit.check.shuffles import adjacent_alike
from crowdproof.cells import parse_cell
from crowdproof.cli import cli
from crowdproof.errors import DataError, ParameterError


def random_release(seed, rows=200):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.choice(["[20, 40)", "[40, 60)", "*", None], rows),
            "sex": rng.choice(["f", "m", None], rows),
            "pay": rng.choice([10, 20, 30, 50], rows, p=[0.5, 0.3, 0.15, 0.05]),
        }
    )


def brute(release, columns, sensitive):
    groups = defaultdict(Counter)
    for row in release.iter_rows(named=True):
        groups[tuple(row[name] for name in columns)][row[sensitive]] += 1
    return groups


def verdicts(release, **terms):
    return {getattr(f.claim, "id", f.claim.notion): f for f in check(release, Terms(**terms))}


@pytest.mark.parametrize("seed", range(5))
def test_k_l_and_t_agree_with_brute_force(seed):
    release = random_release(seed)
    truth = brute(release, ["age", "sex"], "pay")
    found = spread(release.lazy(), ["age", "sex"], "pay")
    assert sorted(found.groups.sizes) == sorted(sum(each.values()) for each in truth.values())
    assert sorted(group(release.lazy(), ["age", "sex"]).sizes) == sorted(found.groups.sizes)

    assert distinct(found, 3).value == min(map(len, truth.values()))
    for l in (2, 3):  # noqa: E741
        assert distinct(found, l).holds == all(len(each) >= l for each in truth.values())
        assert entropy(found, l).holds == all(_entropy(each) >= math.log(l) for each in truth.values())
        for c in (Fraction(1), Fraction(3, 2), Fraction(5)):
            assert recursive(found, l, c).holds == all(_recursive(each, l, c) for each in truth.values())

    whole = sum(truth.values(), Counter())
    worst_equal = max(_equal(each, whole) for each in truth.values())
    worst_ordered = max(_ordered(each, whole) for each in truth.values())
    for t in (worst_equal, worst_ordered):
        assert equal(found, t).holds == (worst_equal <= t)
        assert ordered(found, t).holds == (worst_ordered <= t)
    assert not equal(found, worst_equal - Fraction(1, 10**9)).holds
    assert not ordered(found, worst_ordered - Fraction(1, 10**9)).holds


def _entropy(counts):
    n = sum(counts.values())
    return -sum(c / n * math.log(c / n) for c in counts.values())


def _recursive(counts, l, c):  # noqa: E741
    ranked = sorted(counts.values(), reverse=True)
    return ranked[0] < c * sum(ranked[l - 1 :])


def _share(counts, value):
    return Fraction(counts[value], sum(counts.values()))


def _equal(own, whole):
    return sum(abs(_share(own, value) - _share(whole, value)) for value in whole) / 2


def _ordered(own, whole):
    values = sorted(whole)
    steps = [sum(_share(own, value) - _share(whole, value) for value in values[: i + 1]) for i in range(len(values))]
    return sum(map(abs, steps)) / (len(values) - 1)


def test_equally_frequent_values_have_exactly_their_entropy():
    """ln 3 computed from thirds is below ln 3 in floats; whole numbers know better."""
    release = pl.DataFrame({"a": ["x"] * 9, "s": ["p", "q", "r"] * 3})
    assert entropy(spread(release.lazy(), ["a"], "s"), 3).holds
    assert not entropy(spread(release[:8].lazy(), ["a"], "s"), 3).holds


@pytest.mark.parametrize("digits", [3, 15, 17, 18, 19, 40])
def test_a_long_c_is_compared_exactly(digits):
    """10 of one value against 1 of another: the ratio is 10, whatever c has for decimals."""
    found = spread(pl.DataFrame({"q": ["a"] * 11, "s": ["x"] * 10 + ["y"]}).lazy(), ["q"], "s")
    tiny = Fraction(1, 10**digits)
    for c, holds in ((Fraction(1, 3) // tiny * tiny, False), (Fraction(10), False), (Fraction(10) + tiny, True)):
        measured = recursive(found, 2, c)
        assert (measured.value, measured.holds) == (10, holds)


def test_a_group_without_a_tail_is_the_worst():
    release = pl.DataFrame({"q": ["a"] * 4 + ["b"] * 2, "s": ["x", "x", "x", "y", "z", "z"]})
    found = spread(release.lazy(), ["q"], "s")
    measured = recursive(found, 2, Fraction(10**6))
    assert not measured.holds
    assert found.groups.words(measured.group) == {"q": "b"}


def test_many_groups_at_the_limit_are_decided_exactly():
    """Each of 300 groups has the same thirds as the whole: a distance of exactly 0, and an entropy of exactly ln 3."""
    release = pl.DataFrame({"zip": [str(i // 3) for i in range(900)], "pay": ["1", "2.0", "3"] * 300})
    found = spread(release.lazy(), ["zip"], "pay")
    assert equal(found, Fraction(0)).holds
    assert ordered(found, Fraction(0)).holds
    assert entropy(found, 3).holds


def test_numbers_are_compared_as_numbers():
    release = pl.DataFrame({"zip": ["1"] * 2 + ["2"] * 2, "pay": ["9", "10", "9.0", "10.0"]})
    assert ordered(spread(release.lazy(), ["zip"], "pay"), Fraction(0)).holds
    assert not equal(spread(release.lazy(), ["zip"], "pay"), Fraction(0)).holds


def test_a_shuffled_index_and_missing_values_do_not_matter():
    release = random_release(9)
    shuffled = release.sample(fraction=1, shuffle=True, seed=4)
    plain, other = (sorted(group(each.lazy(), ["age", "sex"]).sizes) for each in (release, shuffled))
    assert plain == other
    assert sum(plain) == 200


def test_k_is_decided_and_the_smallest_group_shown():
    release = pl.DataFrame({"age": ["[20, 40)"] * 5 + ["[40, 60)"] * 3 + [None] * 4})
    assert verdicts(release, k=3)["k-anonymity"].verdict.name == "PROVED"
    refuted = verdicts(release, k=4)["k-anonymity"].verdict
    assert refuted.name == "REFUTED"
    assert refuted.witness.values == {"age": "[40, 60)"}
    assert "has 3 rows; the claim needs" in refuted.witness.words


def test_the_group_that_is_shown_is_the_same_every_time():
    release = pl.DataFrame({"age": [str(each) for each in range(50, 10, -1)] * 2 + ["9"] * 3, "sex": [None] * 83})
    groups = [group(release.lazy(), ["age", "sex"]) for _ in range(5)]
    assert {tuple(each.words(each.smallest).values()) for each in groups} == {("11", "(missing)")}


def test_covering_cells_hide_what_equal_text_does_not():
    release = pl.DataFrame({"age": ["30"] + ["[20, 40)"] * 2 + ["*"] * 2 + ["50"] * 4, "sex": ["f"] * 9})
    assert verdicts(release, k=4)["k-anonymity"].verdict.name == "REFUTED"
    assert verdicts(release, k=4, match="covering")["one-k-anonymity"].verdict.name == "REFUTED"
    assert verdicts(release, k=2, match="covering")["one-k-anonymity"].verdict.name == "PROVED"
    groups = group(release.lazy(), ["age", "sex"])
    crowd = covering_crowd(groups)
    assert crowd.size == 2  # the two rows of `*`, which only each other covers
    assert groups.words(crowd.place)["age"] == "*"


@pytest.mark.parametrize("seed", range(3))
def test_covering_crowds_agree_with_brute_force(seed):
    rng = np.random.default_rng(seed)
    cells = ["20", "30", "[20, 30]", "[20, 30)", "[0, 99]", "{20, 30}", "*", None, "x", "{x, y}"]
    release = pl.DataFrame({name: rng.choice(cells, 60) for name in ("a", "b")})
    rows = [[parse_cell(cell) for cell in row] for row in release.iter_rows()]
    expected = min(
        sum(all(big.covers(small) for big, small in zip(other, row, strict=True)) for other in rows) for row in rows
    )
    assert covering_crowd(group(release.lazy(), ["a", "b"])).size == expected


@pytest.mark.parametrize(
    ("vague", "sharp", "expected"),
    [
        ("[20, 40)", "20", True),
        ("[20, 40)", "40", False),
        ("[20, 40]", "40.0", True),
        ("(20, 40]", "20", False),
        ("[20, 40)", "[20, 39]", True),
        ("[20, 40)", "[20, 40]", False),
        ("[20, 40]", "[20, 40)", True),
        ("[20, 40)", "{20, 30}", True),
        ("[20, 40)", "{20, x}", False),
        ("{a, b}", "{b, a}", True),
        ("{a, b}", "{a, c}", False),
        ("{20}", "20.0", True),
        ("12345678901234567890", "12345678901234567891", False),
        ("12345678901234567890", "12345678901234567890.0", True),
        ("[12345678901234567890, 99999999999999999999]", "12345678901234567889", False),
        ("[12345678901234567890, 99999999999999999999]", "12345678901234567890", True),
        ("[0, inf)", "1e400", True),
        ("1e999999999", "inf", False),
        ("20", "[20, 20]", True),
        ("[20, 20.0]", "20", True),
        ("{20, 30}", "[20, 20]", True),
        ("[20, 20]", "[20, 21]", False),
        ("[20, 20)", "20", False),
        ("20", "(20, 20)", False),
        ("[0, 99]", "[30, 20]", False),
        ("[30, 20]", "[30, 20]", True),
        ("*", None, True),
        ("*****", "53113", True),
        ("531**", "53113", True),
        (None, "[1, 2]", True),
        ("[1, 2]", "*", False),
        ("a", "b", False),
        ("[a, b]", "[a, b]", True),
    ],
)
def test_what_a_cell_covers(vague, sharp, expected):
    assert parse_cell(vague).covers(parse_cell(sharp)) is expected


def crowd_of_two(*cells):
    """The verdict on 2-anonymity, where each of the rows is of its own kind."""
    return verdicts(pl.DataFrame({"age": list(cells)}), k=2, match="covering")["one-k-anonymity"].verdict


@pytest.mark.parametrize(
    ("cells", "verdict"),
    [
        (("30", "[20, 40]", "[20, 40]"), "PROVED"),
        (("30", "20-40", "20-40"), "UNDECIDED"),  # hidden if it is a range, and alone if it is a key
        (("40", "20-40", "20-40"), "UNDECIDED"),
        (("50", "20-40", "20-40"), "REFUTED"),  # alone by any reading
        (("30", "*", "*", "20-40", "20-40"), "PROVED"),  # hidden by any reading
        (("20-40", "20-40"), "PROVED"),
        (("20-40", "20–40"), "UNDECIDED"),
        (("20-40", "[0, 99]", "[0, 99]"), "UNDECIDED"),
        (("2020-01-02", "2020-01-05"), "REFUTED"),
        (("12345-6789", "12345"), "REFUTED"),
        (("007", "7"), "UNDECIDED"),
        (("53113", "531**", "531**"), "PROVED"),
        (("53113", "531*", "531*"), "UNDECIDED"),
        (("53213", "531**", "531**"), "REFUTED"),
        (("70", ">=65", ">=65"), "PROVED"),
        (("70", "65+", "65+"), "UNDECIDED"),
        (("60", "65+", "65+"), "REFUTED"),
        (("1985-05-05", "[1980-01-01, 1990-01-01)", "[1980-01-01, 1990-01-01)"), "UNDECIDED"),
        (("30", "", ""), "PROVED"),
        (("30", "NA", "NA"), "REFUTED"),
    ],
)
def test_an_unclear_cell_decides_nothing(cells, verdict):
    assert crowd_of_two(*cells).name == verdict


def test_the_unclear_cell_and_its_remedy_are_named():
    words = crowd_of_two("30", "20-40", "20-40").reason
    assert "hides among 1 row or up to 2, depending on what cells such as 20-40 mean" in words
    assert "Write a range as [20, 40)" in words


def test_cells_that_are_compared_as_text_are_never_unclear():
    release = pl.DataFrame({"age": ["20-40"] * 2 + ["30"]})
    assert verdicts(release, k=2)["k-anonymity"].verdict.name == "REFUTED"
    assert verdicts(release.head(2), k=2)["k-anonymity"].verdict.name == "PROVED"


def test_an_unclear_release_ends_with_the_code_of_undecided(tmp_path):
    path = tmp_path / "release.csv"
    path.write_text("age,sex\n30,f\n20-40,f\n20-40,f\n")
    arguments = ["check", str(path), "--k", "2", "--match", "covering"]
    undecided = CliRunner().invoke(cli, arguments, standalone_mode=False)
    assert "UNDECIDED" in undecided.output
    assert undecided.return_value == 4
    path.write_text('age,sex\n30,f\n"[20, 40]",f\n"[20, 40]",f\n')
    assert CliRunner().invoke(cli, arguments, standalone_mode=False).return_value == 0


def test_long_numbers_that_differ_in_the_last_digit_are_different():
    release = pl.DataFrame({"id": ["12345678901234567890", "12345678901234567891"], "age": ["30", "30"]})
    assert verdicts(release, k=2, match="covering")["one-k-anonymity"].verdict.name == "REFUTED"
    written_twice = release.with_columns(id=pl.Series(["12345678901234567890", "12345678901234567890.0"]))
    assert verdicts(written_twice, k=2, match="covering")["one-k-anonymity"].verdict.name == "PROVED"


@pytest.mark.parametrize(("other", "verdict"), [("[20, 20]", "PROVED"), ("[20, 21]", "REFUTED")])
def test_a_range_of_one_number_is_that_number(other, verdict):
    release = pl.DataFrame({"age": ["20", other]})
    assert verdicts(release, k=2, match="covering")["one-k-anonymity"].verdict.name == verdict


def test_steps_between_long_numbers_count_as_steps():
    """In floats both values are one, and every distance 0."""
    pay = ["12345678901234567890"] * 2 + ["12345678901234567891"] * 2
    release = pl.DataFrame({"zip": ["1", "1", "2", "2"], "pay": pay})
    found = spread(release.lazy(), ["zip"], "pay")
    assert ordered(found, Fraction(1, 2)).holds
    assert not ordered(found, Fraction(49, 100)).holds


def test_row_numbers_are_found_and_what_they_leave_out_is_counted():
    release = pl.DataFrame({"index": [0, 1, 2, 4, 5, 7], "age": ["[20, 40)"] * 6})
    refuted = verdicts(release)["row-numbers"]
    assert refuted.verdict.name == "REFUTED"
    assert "column index looks like a numbering of the rows from 0 to 7 that leaves out 2" in (
        refuted.verdict.witness.words
    )
    assert "smallest group of the other columns has 6 rows" in refuted.evidence[0].text


@pytest.mark.parametrize(
    "ids", [[31, 45, 29, 38, 33, 40], [10, 20, 30, 40, 60], ["a1", "a2", "a3"], [2**70, 2**70 + 1]]
)
def test_row_numbers_that_were_not_found_are_not_proved_away(ids):
    release = pl.DataFrame({"id": [str(each) for each in ids], "sex": ["f"] * len(ids)})
    verdict = verdicts(release)["row-numbers"].verdict
    assert verdict.name == "NOT_REFUTED"
    assert "were not looked for" in verdict.detectable


@pytest.mark.parametrize(
    "ids", [["1.0", "2.0", "3.0", "4.0", "6.0"], [1.0, 2.0, 3.0, 4.0, 6.0], ["1.", "2.00", "3", "4", "5.0"]]
)
def test_row_numbers_are_found_though_written_as_decimals(ids):
    assert verdicts(pl.DataFrame({"row": ids}))["row-numbers"].verdict.name == "REFUTED"
    halves = pl.DataFrame({"id": [f"{each}5" if "." in str(each) else "3.5" for each in ids]})
    assert verdicts(halves)["row-numbers"].verdict.name == "NOT_REFUTED"


def test_rows_of_stars_are_found():
    release = pl.DataFrame({"age": ["[20, 40)"] * 4 + ["*", None], "sex": ["f"] * 4 + ["*", " * "]})
    refuted = verdicts(release)["star-rows"].verdict
    assert refuted.name == "REFUTED"
    assert refuted.witness.values == {"rows": "2"}
    assert verdicts(release.head(5).with_columns(sex=pl.lit("f")))["star-rows"].verdict.name == "PROVED"


@pytest.mark.parametrize("cell", ["*", "**", " ***** "])
def test_rows_of_stars_are_found_however_they_are_written(cell):
    release = pl.DataFrame({"age": ["30", "30", cell, cell], "city": ["Bonn", "Bonn", cell, cell]})
    assert verdicts(release)["star-rows"].verdict.witness.values == {"rows": "2"}
    assert verdicts(release.with_columns(city=pl.lit("B*nn")))["star-rows"].verdict.name == "PROVED"


def test_the_order_of_the_source_is_told_from_a_sort_and_from_a_shuffle():
    rng = np.random.default_rng(3)
    walk = pl.DataFrame({"zone": (np.cumsum(rng.random(400) < 0.1) % 5).astype(str)})
    refuted = verdicts(walk)["row-order"]
    assert refuted.verdict.name == "REFUTED"
    assert refuted.certainty.error <= Fraction(1, 1000)
    assert verdicts(walk.sort("zone"))["row-order"].verdict.name == "NOT_REFUTED"
    assert verdicts(walk.sample(fraction=1, shuffle=True, seed=1))["row-order"].verdict.name == "NOT_REFUTED"


def test_shuffles_are_called_shuffles():
    """At most one in a thousand may be flagged: of 200, three or more would happen with probability below 0.002."""
    rng = np.random.default_rng(5)
    flagged = 0
    for _ in range(200):
        labels = pl.DataFrame({"zone": rng.permutation(np.repeat(["a", "b", "c"], 20))})
        flagged += verdicts(labels)["row-order"].verdict.name == "REFUTED"
    assert flagged <= 2


@pytest.mark.parametrize("sizes", [(2, 1), (3, 2), (2, 2, 1), (4, 1, 1)])
def test_the_moments_of_a_shuffle_are_exact(sizes):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    counts = [sum(a == b for a, b in pairwise(each)) for each in permutations(labels)]
    mean, variance = adjacent_alike(np.array(sizes))
    assert mean == pytest.approx(np.mean(counts), rel=1e-12)
    assert variance == pytest.approx(np.var(counts), rel=1e-9)


def test_texts_that_mean_missing_are_the_user_s_choice():
    release = pl.DataFrame({"age": ["?"] * 2 + ["NA"] * 2})
    assert group(release.lazy(), ["age"]).sizes.tolist() == [2, 2]
    words = verdicts(release, k=3, missing=("?", "NA"))["k-anonymity"].verdict
    assert words.name == "PROVED"


@pytest.mark.parametrize(
    ("terms", "match"),
    [
        ({"k": 0}, "k is 0"),
        ({"t": 2, "sensitive": ("pay",)}, "t is 2: a distance lies between 0 and 1"),
        ({"l": 2}, "name at least one"),
        ({"match": "fuzzy"}, "match is 'fuzzy': choose from text, covering"),
        ({"columns": ("age", "sex", "age")}, "age is named twice: name each column once"),
        ({"sensitive": ("pay", "pay"), "l": 2}, "pay is named twice"),
        ({"diversity": "much"}, "choose from distinct, entropy, recursive"),
    ],
)
def test_terms_that_mean_nothing_are_errors(terms, match):
    with pytest.raises(ParameterError, match=match):
        Terms(**terms)


def test_columns_that_are_not_there_are_errors():
    with pytest.raises(DataError, match="no column 'hight': it has age, sex, pay"):
        check(random_release(1), Terms(columns=("hight",)))
    with pytest.raises(ParameterError, match="pay is named both"):
        check(random_release(1), Terms(columns=("pay",), sensitive=("pay",)))
    with pytest.raises(DataError, match="no rows"):
        check(pl.DataFrame({"a": []}), Terms())


def test_values_without_an_order_leave_the_rest_decided():
    found = verdicts(random_release(1), sensitive=("sex",), columns=("age",), t="0.5", distance="ordered")
    assert found["t-closeness"].verdict.name == "UNDECIDED"
    assert "have no order" in found["t-closeness"].verdict.reason
    assert found["k-anonymity"].verdict.name == "PROVED"


def test_a_broken_line_far_down_is_an_error_of_the_file(tmp_path):
    path = tmp_path / "release.csv"
    path.write_text("a,b\n" + "1,2\n" * 5000 + "1,2,3\n")
    with pytest.raises(DataError, match="cannot be read as csv"):
        check(path, Terms())


def test_the_command_line_says_it_and_exits_accordingly(tmp_path):
    path = tmp_path / "release.csv"
    pl.DataFrame({"age": ["[20, 40)"] * 3 + ["[40, 60)"] * 3, "pay": [1, 2, 3, 1, 2, 3]}).write_csv(path)
    arguments = ["check", str(path), "--sensitive", "pay", "--l", "3", "--t", "0"]
    held = CliRunner().invoke(cli, [*arguments, "--k", "3"], standalone_mode=False)
    assert held.return_value == 0
    assert held.stdout.count("PROVED") == 4
    refuted = CliRunner().invoke(cli, [*arguments, "--k", "4"], standalone_mode=False)
    assert refuted.return_value == 1
    assert "REFUTED" in refuted.stdout
