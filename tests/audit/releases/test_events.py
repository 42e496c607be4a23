"""Events can be evaluated, written down, read back, and said in words."""

import json

import numpy as np
import polars as pl
import pytest

from crowdproof.audit.releases import (
    Additive,
    Form,
    Lookup,
    Numbers,
    Records,
    Releases,
    evaluate,
    event,
    reader_for,
    traits,
)
from crowdproof.audit.releases.features import grain, number_feature
from crowdproof.audit.releases.words import describe, feature_words
from crowdproof.errors import DataError

TABLE = pl.DataFrame({"age": ["[20, 40)", "[20, 40)", "*"], "job": ["{clerk, nurse}", "clerk", "*"]})


def test_traits_of_a_table():
    found = dict(traits(TABLE))
    assert found[("rows",)] == 3
    assert found[("range ends", "age", "40")] == 2
    assert found[("range starts", "age", "20")] == 2
    assert found[("set holds", "job", "nurse")] == 1
    assert found[("stars", "age")] == 1
    assert found[("rows of stars",)] == 1
    assert found[("column", "job")] == 1
    assert found[("row", "[20, 40)", "clerk")] == 1
    assert found[("first row", "[20, 40)", "{clerk, nurse}")] == 1
    assert found[("smallest group",)] == 1


@pytest.mark.parametrize(
    "output", [TABLE, "some text", {"a": [1, {"b": 2}]}, {1, 2}, [["x", 1], ["y", 2]], None, 3.5, []]
)
def test_traits_have_distinct_names_and_finite_numbers(output):
    found = list(traits(output))
    assert len({name for name, _ in found}) == len(found) > 0
    assert all(np.isfinite(value) for _, value in found)


def test_row_order_can_be_seen():
    turned = TABLE.reverse()
    assert dict(traits(TABLE)) != dict(traits(turned))


def one_feature(rank):
    return Additive(
        Numbers(Form()), np.array(rank), (("value", 0),), (np.array([0.0, 1.0]),), (np.zeros(4),), np.array([])
    )


def test_an_event_survives_json():
    outputs = np.array([-1.0, 0.0, 0.5, 1.0, np.nan])
    for top, expected in ((True, [True, False, False, False, True]), (False, [False, True, True, True, False])):
        made = event(one_feature([2, 0, 1, 2]), 2, top=top)
        spec = json.loads(json.dumps(dict(made.spec)))
        assert evaluate(spec, outputs).tolist() == expected
    with pytest.raises(DataError):
        evaluate({"score": {}}, outputs)


def test_a_lookup_puts_the_unseen_in_its_last_cell():
    reader = Records()
    codes = np.sort(reader.codes(Releases.of(["a", "b"])))
    score = Lookup(reader, np.array([0, 2, 1]), codes, ("first", "second"), np.zeros(3))
    counts = score.count(Releases.of(["a", "b", "b", "new"]))
    assert counts.sum() == 4
    assert counts[2] == 1
    made = event(score, 2, top=True)
    assert made.words == "the release is second"
    assert evaluate(json.loads(json.dumps(dict(made.spec))), ["a", "b", "new"]).sum() == 1


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ([4, 3, 2], "a whole number from 2 to 4 or an unusual one"),
        ([3, 4], "3 or 4 or an unusual one"),
        ([2, 4, 6], "2 or 4 or 6 or an unusual one"),
        ([2.5, 3.5, 4.5], "2.5 or 3.5 or 4.5 or an unusual one"),
        ([2, 4, 6, 8, 10, 12], "2 or 4 or 6 or 8 or one of 2 more or an unusual one"),
    ],
)
def test_numbers_without_a_gap_are_told_as_a_range(numbers, words):
    releases = Releases.of(numbers)
    reader = reader_for(releases)
    codes = reader.codes(releases)
    order = np.argsort(codes)
    texts = tuple(f"{numbers[place]:g}" for place in order)
    rank = np.array([*(len(numbers) - order), 1])  # the first number counts most
    score = Lookup(reader, rank, codes[order], texts, np.zeros(len(rank)))
    assert event(score, 1, top=True).words == f"the release is {words}"


@pytest.mark.parametrize(
    ("feature", "edges", "inside", "words"),
    [
        (
            ("range ends", "income", "35000000"),
            [1.0],
            [0, 1, 0],
            "the release contains a range that ends at 35,000,000",
        ),
        (("cell", "job", "nurse"), [1.0], [1, 0, 0], "the release contains no cell nurse in column job"),
        (("rows",), [10.0, 12.0], [0, 1, 0, 0], "the number of rows is from 10 to below 12"),
        (("value", 1), [0.25], [0, 1, 0], "component 2 is at least 0.25"),
        (("column", "index"), [1.0], [0, 1, 0], "the release contains a column index"),
    ],
)
def test_words(feature, edges, inside, words):
    assert describe(feature, np.array(edges), np.array(inside, bool)).startswith(words)


def test_every_feature_has_words():
    for feature in (
        [name for name, _ in traits(TABLE)]
        + Numbers(Form((3,))).candidates(Releases.of(np.full((1, 3), np.nan)))
        + Numbers(Form()).candidates(Releases.of([0.5, "refused", None, 1.5]))
    ):
        assert feature_words(feature)


@pytest.mark.parametrize("text", ["{b: 1}", "{0}", "{", "}", "{path}", "{-1}", "\\1"])
@pytest.mark.parametrize("kind", ["cell", "holds", "is", "word", "entry", "range ends", "other"])
def test_texts_of_a_release_are_told_as_they_are(kind, text):
    assert text in describe((kind, "column", text), np.array([1.0]), np.array([False, True, False]))


def test_readers():
    assert reader_for(Releases.of(np.zeros((3, 2)))).width == 2
    assert reader_for(Releases.of([1, 2, "a"])).form == Form()
    assert isinstance(reader_for(Releases.of([1, "a", "b"])), Records)
    (column,) = Numbers(Form()).columns(Releases.of([1.0, "odd", 10**400, True]), [("value", 0)])
    assert column[0] == 1.0
    assert np.isnan(column[1:]).all()


def test_number_features_by_a_second_route():
    matrix = np.array([[1.0, 4.0, 2.5], [0.0, -1.0, 8.0]])
    assert number_feature(matrix, ("step", 1)).tolist() == [3.0, -1.0]
    assert number_feature(matrix, ("sum",)).tolist() == [7.5, 7.0]
    assert number_feature(matrix, ("place of the largest",)).tolist() == [1.0, 2.0]
    bits = np.array([number_feature(np.array([[np.pi]]), ("bit", 0, place))[0] for place in range(52)])
    fraction = int(np.pi.hex().split("p")[0].split(".")[1], 16)
    assert sum(int(bit) << place for place, bit in enumerate(bits)) == fraction
    for value in (3.0, 0.1, 96.0, -0.375, 5e-324):
        numerator, denominator = value.as_integer_ratio()
        lowest = (numerator & -numerator).bit_length() - denominator.bit_length()
        assert grain(np.array([value]))[0] == lowest


@pytest.mark.parametrize(
    "outputs", [[TABLE, TABLE.reverse(), TABLE[:1]], ["a b", "c", "a b"], [{"x": 1}, {"x": 2}, {}]]
)
def test_what_is_taken_once_is_what_is_seen_again(outputs):
    reader, outputs = Records(), Releases.of(outputs)
    features = reader.candidates(outputs)
    taken = reader.taken(outputs, features)
    for part in (slice(None), slice(1, None), slice(0, 2), slice(-1, None)):
        np.testing.assert_array_equal(reader.columns(taken[part], features), reader.columns(outputs[part], features))
        assert reader.codes(taken[part]).tolist() == reader.codes(outputs[part]).tolist()
        assert len(taken[part]) == len(outputs[part])
    assert taken[1] is outputs[1]
