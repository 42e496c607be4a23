"""One reader of cells: the table of the notation, odd cells, what our mechanisms write, columns against the parser."""

import re
from fractions import Fraction
from itertools import product

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crowdproof import cells
from crowdproof.audit.targets.recoding import bins, closed_range, value_set
from crowdproof.cells import (
    Anything,
    Masked,
    Range,
    Values,
    ends,
    is_clear,
    is_suppressed,
    may_be_suppressed,
    may_cover,
    members,
    named_numbers,
    parse_cell,
    range_text,
    readings,
    set_text,
    suppressed,
    surely_covers,
)
from crowdproof.cells import columns as by_columns
from crowdproof.mechanisms import Grid, Hierarchy, Keep, KMember, Mondrian, Suppress, TopDown
from crowdproof.mechanisms.setvalued import read_sets
from crowdproof.mechanisms.tables import number_text

SETTINGS = settings(max_examples=200, deadline=None)
notation = st.text(alphabet='0123456789-+.,;eE[](){}*<>≤≥ –/?"ab\t\u00a0', max_size=12)
"""Texts that look like cells."""
numerals = st.from_regex(r"-?(0|[1-9][0-9]{0,18})(\.[0-9]{1,3})?(e-?[0-9]{1,3})?", fullmatch=True)
written = (
    notation
    | numerals
    | st.tuples(
        st.sampled_from(["", "[", "(", "]"]),
        numerals,
        st.sampled_from([", ", ",", "-", "..", " – "]),
        numerals,
        st.sampled_from(["", "]", ")", "["]),
    ).map("".join)
    | st.lists(notation, max_size=3).map(set_text)
    | st.sampled_from(
        ["*", "**", "20-40", "[20, 40)", "[20, 40]", "30", "2*", "<30", "65+", "{20, 30}", "007", "[a, f]"]
    )
)
"""Cells in every notation, and what comes near to one."""
plain = st.text(min_size=1, max_size=6).filter(
    lambda text: readings(text) == (Values(frozenset([text]), frozenset([text])),)
)
"""Values that are nothing but texts."""


def fraction(number):
    return Fraction(str(number))


# the table


KINDS = {
    "suppressed": lambda cell, text: cell == Anything(),
    "that number": lambda cell, text: isinstance(next(iter(cell.values)), Fraction),
    "that one number": lambda cell, text: cell == parse_cell("20"),
    "numbers": lambda cell, text: isinstance(cell, Range),
    "the numbers": lambda cell, text: isinstance(cell, Range),
    "one of these": lambda cell, text: len(cell.texts) == len(members(text)),
    "a text of that length": lambda cell, text: cell == Masked(text.rstrip("*"), len(text)),
    "a text, or a range": lambda cell, text: cell.values == {text},
    "that text": lambda cell, text: cell.values == {text},
}
"""How the second column of the table begins -> what the usual reading is then."""


def rows_of_the_table():
    lines = [line for line in cells.__doc__.splitlines() if line.startswith("| ")]
    for line in lines[2:]:
        left, meaning, clear = line.strip("| ").rsplit(" | ", 2)
        for text in re.findall("`([^`]+)`", left):
            yield text, meaning, clear


@pytest.mark.parametrize(("text", "meaning", "clear"), list(rows_of_the_table()))
def test_the_table_of_the_notation_is_what_the_parser_does(text, meaning, clear):
    kinds = [holds for begins, holds in KINDS.items() if meaning.startswith(begins)]
    assert kinds
    assert kinds[-1](parse_cell(text), text)
    assert is_clear(text) is {"yes": True, "no": False}[clear]


def test_the_table_has_every_kind_of_cell():
    found = {type(parse_cell(text)) for text, _, _ in rows_of_the_table()}
    assert found == {Anything, Range, Values, Masked}


# odd cells


@pytest.mark.parametrize(
    "text",
    [
        "2020-01-02", "01-02", "2020-01", "2020-01-02T10:00", "10:15", "20:40", "030-1234", "12345-6789", "+49-170",
        "555-123-4567", "1_000", "20,5", "1,000", "1,000-2,000", "$20-$40", "20%-40%", "20k-40k", "<=50K", ">50K",
        "40-20", "20--40", "--5", "1...5", "1-2-3", "5-", "- 5", "1e5-3", "(5)", "[20]", "[40, 20)", "[20, 20)",
        "(20, 20]", "]a, b[", "{}", "{ , }", "{a", "a}", "N*A", "**a**", "*5", "a[1, 2]", "[1, [2, 3]]", "inf", "nan",
        "1e99999999", "9" * 4001, "0x1f", "١٢", "½", "20 40", "20 to 40", "<05", "<", ">=", "+", "-", "?", "NA", "none",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_number_or_a_range_is_a_text(text):
    assert readings(text) == (Values(frozenset([text]), frozenset([text])),)
    assert ends(text) in (None, ("", ""))


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("20-40", 20, 40),
        (" 20 - 40 ", 20, 40),
        ("20–40", 20, 40),
        ("20..40", 20, 40),
        ("-20--10", -20, -10),
        ("-5-30", -5, 30),
        ("0-5", 0, 5),
        ("0.5-0.75", "0.5", "0.75"),
        ("1e-5-1e-3", "1e-5", "1e-3"),
        ("555-1234", 555, 1234),
        ("[20-40]", 20, 40),
    ],
)
def test_ranges_without_brackets_are_ranges_or_texts(text, low, high):
    assert parse_cell(text) == Range(fraction(low), fraction(high))
    assert parse_cell(text.strip()) in readings(text)
    assert Values(frozenset([text.strip()]), frozenset()) in readings(text)
    assert ends(text) == (str(low), str(high))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[20, 40)", Range(fraction(20), fraction(40), high_open=True)),
        ("(20.0, 40.0]", Range(fraction(20), fraction(40), low_open=True)),
        ("[20, 40[", Range(fraction(20), fraction(40), high_open=True)),
        ("]20, 40]", Range(fraction(20), fraction(40), low_open=True)),
        (" [ -20 ,-10 ] ", Range(fraction(-20), fraction(-10))),
        ("[1/3, 2/3)", Range(Fraction(1, 3), Fraction(2, 3), high_open=True)),
        ("[1/3, inf)", Range(Fraction(1, 3), None)),
        ("(-inf, 30]", Range(None, fraction(30))),
        ("(-∞, +Infinity)", Range(None, None)),
        ("[65, inf)", Range(fraction(65), None)),
        ("<30", Range(None, fraction(30), high_open=True)),
        ("≤ 30", Range(None, fraction(30))),
        (">65", Range(fraction(65), None, low_open=True)),
        (">=-65.5", Range(fraction("-65.5"), None)),
    ],
)
def test_ranges_that_are_clear(text, expected):
    assert readings(text) == (expected,)


@pytest.mark.parametrize(
    ("vague", "sharp", "surely", "perhaps"),
    [
        ("20-40", "20-40", True, True),
        ("20-40", "30", False, True),
        ("20-40", "40", False, True),
        ("20-40", "41", False, False),
        ("[20, 40)", "20-40", False, True),  # by the reading without 40
        ("[20, 40]", "20..40", False, True),
        ("[20, 30]", "20-40", False, False),
        ("*", "20-40", True, True),
        ("20-40", "*", False, False),
        ("{20-40, 40-60}", "20-40", False, True),
        ("007", "7", False, True),
        ("[0, 10]", "007", False, True),
        ("65+", "70", False, True),
        ("65+", "64", False, False),
        (">=65", "70", True, True),
        ("<30", "[20, 30)", True, True),
        ("<30", "[20, 30]", False, False),
        ("<=30", "<30", True, True),
        ("<30", "-inf", False, False),
        ("531**", "53113", True, True),
        ("531**", "5311*", True, True),
        ("53***", "531**", True, True),
        ("531**", "53***", False, False),
        ("531**", "5311", False, True),
        ("531*", "53113", False, True),
        ("0531*", "05311", True, True),
        ("531**", "54113", False, False),
        ("531**", "{53113, 53114}", True, True),
        ("531**", "*", False, False),
        ("2*", "25", True, True),
        ("2*", "20.0", False, True),
        ("[20, 40)", "2*", False, True),
        ("[20, 28]", "2*", False, False),
        ("{*}", "a", False, True),
        ("{a, *}", "b", False, True),
        ("[a, f]", "c", False, True),
        ("[a, f]", "[a, f]", True, True),
        ("[1980-01-01, 1990-01-01)", "1985-05-05", False, True),
        ("[1,5; 2,5)", "2", False, True),
        ("[?, 25]", "20", False, True),
        ('{Boston, "Washington, DC"}', "Washington, DC", True, True),
        ('{Boston, "Washington, DC"}', "Washington", False, False),
        ("NA", "30", False, False),
        ("?", "?", True, True),
        (" ", "30", True, True),
        ("Germany", "Bonn", False, False),
    ],
)
def test_what_a_cell_surely_covers_and_what_it_may_cover(vague, sharp, surely, perhaps):
    assert surely_covers(readings(vague), readings(sharp)) is surely
    assert may_cover(readings(vague), readings(sharp)) is perhaps


@SETTINGS
@given(written, written)
def test_the_usual_reading_lies_between_what_is_sure_and_what_may_be(vague, sharp):
    one, other = readings(vague), readings(sharp)
    usual = parse_cell(vague).covers(parse_cell(sharp))
    assert surely_covers(one, other) <= usual <= may_cover(one, other)
    assert surely_covers(one, one)


SOME = ["*", None, "20", "25", "{20, 25}", "{20, a}", "a", "{a, b}", "[20, 30]", "[20, 30)", "(20, 30]"]
SOME += [
    "20-30",
    "(19, 31)",
    "<30",
    "<=30",
    ">20",
    ">=20",
    "65+",
    "2*",
    "25*",
    "2**",
    "a*",
    "a**",
    "ab",
    "[a, b]",
    "{*}",
]


def test_to_cover_is_transitive():
    """What hides a row hides all that the row hides, by every reading; among all triples of these.

    Numbers in two spellings are left out: a mask goes by letters.
    """
    for covers in (surely_covers, lambda one, other: one[0].covers(other[0])):
        known = {(one, other): covers(readings(one), readings(other)) for one in SOME for other in SOME}
        chains = [each for each in product(SOME, repeat=3) if known[each[:2]] and known[each[1:]]]
        assert len(chains) > 200
        assert all(known[first, third] for first, _, third in chains)


@SETTINGS
@given(numerals, numerals, numerals, st.sampled_from(["[]", "[)", "(]", "()"]))
def test_a_range_covers_the_numbers_between_its_ends(low, high, value, brackets):
    a, b, x = map(Fraction, (low, high, value))
    above = a < x if brackets[0] == "(" else a <= x
    below = x < b if brackets[1] == ")" else x <= b
    assert parse_cell(range_text(low, high, brackets)).covers(parse_cell(value)) is (above and below)


@SETTINGS
@given(notation)
def test_blanks_around_a_cell_say_nothing(text):
    assert readings(f"\t {text}\u00a0\n") == readings(text)


@pytest.mark.parametrize(
    ("value", "text"), [(30, "30"), (30.5, "30.5"), (True, "true"), (1e20, "100000000000000000000")]
)
def test_values_that_are_no_texts_are_read_as_their_texts(value, text):
    assert parse_cell(value) == parse_cell(text)


LONG = {
    "a bracket and blanks": "[" + " " * 10**6,
    "blanks and commas": "[" + " ," * 10**5 + "]",
    "braces": "{" * 10**5 + "}" * 10**5,
    "quotes": '{"' + '"",' * 10**4 + "}",
    "quotes that do not end": '{"a' + ',"a' * 10**4 + "}",
    "digits": "1" * 10**6,
    "dashes": "20-" * 10**5,
    "stars": "*" * 10**5 + "a" + "*" * 10**5,
    "a long mask": "9" + "*" * 10**6,
    "an exponent": "1e" + "9" * 10**5,
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_long_cells_are_read_in_one_pass(text):
    """A reader that goes back and forth would not come to an end here."""
    assert not parse_cell(text).covers(parse_cell("30"))
    assert not parse_cell("[20, 40)").covers(parse_cell(text))


# suppressed cells


@SETTINGS
@given(st.lists(st.none() | notation | st.text(max_size=4) | st.sampled_from(["*", " ** ", "", " ", "* *"])))
def test_a_column_is_suppressed_where_its_cells_are(values):
    column = pl.DataFrame({"a": pl.Series(values, dtype=pl.String)})
    assert column.select(suppressed(pl.col("a")))["a"].to_list() == [is_suppressed(each) for each in values]
    assert [parse_cell(each) == Anything() for each in values] == [is_suppressed(each) for each in values]


@pytest.mark.parametrize("word", ["NA", "n/a", "-", "?", "None", " null ", "NaN", "SUPPRESSED"])
def test_a_word_may_stand_for_a_suppressed_cell_or_for_itself(word):
    assert may_be_suppressed(word)
    assert not is_suppressed(word)
    assert not parse_cell(word).covers(parse_cell("30"))
    assert not may_be_suppressed(f"x{word}")


# columns


@SETTINGS
@given(st.lists(st.none() | written | numerals, max_size=8))
@example(
    ["[12345678901234567891, 12345678901234567890]", "12345678901234567891", "1e400", "1e-400", "-0", "+5", "007", "5."]
)
def test_the_numbers_of_a_column_are_those_of_the_parser(values):
    column = pl.Series("age", values, dtype=pl.String)
    together, one_by_one = (
        read(column.alias("cell")) for read in (by_columns._simple_ones_together, by_columns._one_by_one)
    )
    assert together.equals(one_by_one)
    assert named_numbers(column).equals(one_by_one)
    for text, low, high, attained in one_by_one.rows():
        cell = parse_cell(text)
        assert (low is None) == (high is None) == (attained is None)
        if low is not None:
            assert low <= high
            assert isinstance(cell, Range | Values)
            assert attained is not getattr(cell, "high_open", False)


def test_a_column_of_numbers_is_read_as_numbers():
    found = named_numbers(pl.Series([3, None, 5])).rows()
    assert found == [("3", 3.0, 3.0, True), (None, None, None, None), ("5", 5.0, 5.0, True)]
    many = named_numbers(pl.Series(range(10_000)))
    assert many["low"].to_list() == many["high"].to_list() == list(map(float, range(10_000)))
    assert named_numbers(pl.Series([1.5, float("nan"), float("inf")]))["high"].to_list() == [1.5, None, None]


@SETTINGS
@given(written)
def test_a_range_has_the_ends_that_are_written(text):
    cell, found = parse_cell(text), ends(text)
    if isinstance(cell, Range):
        numbers = [None if "inf" in each.lower() or "∞" in each or not each else Fraction(each) for each in found]
        assert numbers == [cell.low, cell.high]


# what our mechanisms write


@SETTINGS
@given(st.lists(st.text(max_size=5)))
def test_a_set_that_is_written_is_read_as_the_same_set(texts):
    assert members(set_text(texts)) == tuple(texts)


@SETTINGS
@given(st.sets(plain, min_size=1, max_size=4), plain)
@example({"Boston", "Washington, DC"}, "Washington")
def test_a_set_covers_its_members_and_nothing_else(texts, other):
    cell = readings(set_text(texts))
    assert surely_covers(cell, cell)
    assert all(surely_covers(cell, readings(each)) for each in texts)
    assert surely_covers(cell, readings(other)) is (other in texts)
    assert may_cover(cell, readings(other)) is (other in texts or len(cell) > 1)


values = st.integers(-(10**6), 10**6) | st.floats(-1e9, 1e9).filter(lambda x: abs(x) > 1e-9 or x == 0)
tables = st.lists(st.tuples(values.map(float), plain), min_size=4, max_size=12)


@pytest.mark.parametrize("mechanism", [Mondrian(2), Mondrian(3, relaxed=True), KMember(2)], ids=str)
@settings(max_examples=60, deadline=None)
@given(rows=tables)
def test_everybody_hides_among_k_rows_of_a_local_recoding(mechanism, rows):
    table = pl.DataFrame(rows, schema={"pay": pl.Float64, "city": pl.String}, orient="row")
    release = [tuple(map(readings, row)) for row in mechanism(table).rows()]
    assert all(len(cell) == 1 or not isinstance(cell[0], Masked) for row in release for cell in row)
    for pay, city in rows:
        own = readings(number_text(pay))[:1], readings(city)
        hiding = [row for row in release if all(may_cover(*each) for each in zip(row, own, strict=True))]
        assert len(hiding) >= mechanism.k


@pytest.mark.parametrize("width", ["20", "0.1", "1/3", "1e-3", "7/1000000"])
@settings(max_examples=100, deadline=None)
@given(value=st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6))
def test_a_grid_writes_the_one_cell_that_covers_the_number(width, value):
    text = Grid(width)(pl.Series([value])).item()
    cell = readings(text)
    assert len(cell) == 1
    assert cell[0].covers(parse_cell(number_text(value)))
    assert cell[0].high - cell[0].low == Fraction(width)
    other = Grid(width)(pl.Series([value + 2 * float(Fraction(width)) + 1])).item()
    assert not cell[0].covers(parse_cell(other))


@SETTINGS
@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**62), 2**62))
@example(2.0**-16)
def test_a_number_that_is_kept_is_read_as_that_number(value):
    text = Keep()(pl.Series([value])).item()
    assert parse_cell(text) == parse_cell(str(value))


def test_texts_nodes_and_stars_are_read_as_what_they_are():
    land = Hierarchy({"Bonn": ["Germany"], "Lyon": ["France"]})
    assert parse_cell(land(pl.Series(["Bonn"])).item()) == parse_cell("Germany")
    assert parse_cell(Suppress()(pl.Series([5])).item()) == Anything()
    assert is_clear(Keep()(pl.Series(["Bonn"])).item())


@settings(max_examples=100, deadline=None)
@given(st.sets(st.text(min_size=1, max_size=5).filter(lambda text: text not in "*?"), min_size=1, max_size=5))
def test_baskets_are_written_and_read_as_the_same_items(items):
    tree = Hierarchy({each: ["any item"] for each in items})
    baskets = pl.DataFrame({"basket": [sorted(items)] * 2})
    release = TopDown("basket", tree, 2)(baskets)["basket"]
    assert read_sets(release) == [frozenset(items)] * 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("20-40", "[20, 40]"),
        ("30-30", "[30, 30]"),
        ("-5-30", "[-5, 30]"),
        ("1e-05-2.5", "[1e-05, 2.5]"),
        ("30", "30"),
        ("65+", "65+"),
        ("<30", "<30"),
        ("[20, 40)", "[20, 40)"),
        ("2020-01-02", "2020-01-02"),
    ],
)
def test_the_ranges_of_other_packages_are_written_clearly(text, expected):
    assert closed_range(text) == expected
    assert len(readings(closed_range("20-40"))) == 1


def test_the_sets_and_bins_of_other_packages_are_written_clearly():
    assert parse_cell(value_set("a, b,c")).values == {"a", "b", "c"}
    assert value_set("a") == "a"
    assert parse_cell(bins(0.5)(1.7)) == Range(fraction("1.5"), fraction(2), high_open=True)
