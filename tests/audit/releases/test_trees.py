"""A tree gives each output the leaf that scikit-learn gives it, survives JSON, and is said in words."""

import json

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from crowdproof.audit.releases import Form, Numbers, Releases, Tree, evaluate, event, score_from_json
from crowdproof.errors import DataError


def both_high(rank=(0, 1, 2)):
    """Component 1 below 0.5; else component 2 below 3, or not."""
    return Tree(
        Numbers(Form((2,))),
        np.array(rank),
        (("value", 0), ("value", 1)),
        asked=np.array([0, -1, 1, -1, -1]),
        threshold=np.array([0.5, np.nan, 3.0, np.nan, np.nan]),
        left=np.array([1, -1, 3, -1, -1]),
        right=np.array([2, -1, 4, -1, -1]),
        may_lack=(False, True),
        prior=np.zeros(3),
    )


OUTPUTS = Releases.of(
    np.array([[0.4, 9.0], [0.5, 2.0], [0.5, 3.0], [np.inf, np.nan], [np.nan, -np.inf], [-np.inf, np.inf]])
)
MORE = "; or it is in another such region"
LEAVES = [0, 1, 2, 2, 1, 0]


def test_outputs_go_down_to_their_leaves():
    assert both_high().cells(OUTPUTS).tolist() == LEAVES
    assert both_high().count(OUTPUTS).tolist() == [2, 2, 2]
    assert both_high().count([]).tolist() == [0, 0, 0]


def test_a_question_without_threshold_is_whether_it_is_a_number():
    tree = both_high()
    tree.threshold[2] = np.nan
    assert tree.cells(OUTPUTS).tolist() == [0, 1, 1, 2, 1, 0]


def test_a_lone_leaf_holds_everything():
    leaf = np.array([-1])
    alone = Tree(
        Numbers(Form((1,))), np.array([0]), (("value", 0),), leaf, np.array([np.nan]), leaf, leaf, (False,), np.zeros(1)
    )
    assert alone.cells(Releases.of(np.zeros((3, 1)))).tolist() == [0, 0, 0]


def test_the_same_leaves_as_scikit_learn():
    rng = np.random.default_rng(5)
    data = rng.normal(size=(4000, 3)).astype(np.float32).astype(float)
    model = DecisionTreeClassifier(max_leaf_nodes=20, random_state=0).fit(data, data[:, 0] * data[:, 1] > data[:, 2])
    tree = model.tree_
    inner = tree.children_left >= 0
    # scikit-learn goes left up to the threshold, we below it: the next number is where to the right begins
    ours = Tree(
        Numbers(Form((3,))),
        np.zeros(20, np.intp),
        tuple(("value", place) for place in range(3)),
        np.where(inner, tree.feature, -1),
        np.nextafter(tree.threshold, np.inf),
        tree.children_left,
        tree.children_right,
        (False, False, False),
        np.zeros(20),
    )
    new = rng.normal(size=(5000, 3)).astype(np.float32).astype(float)
    leaves = np.flatnonzero(~inner)
    np.testing.assert_array_equal(leaves[ours.cells(Releases.of(new))], model.apply(new))


def test_a_tree_survives_json():
    record = json.loads(json.dumps(both_high().to_json()))
    again = score_from_json(record)
    assert isinstance(again, Tree)
    assert again.cells(OUTPUTS).tolist() == LEAVES
    assert again.to_json() == both_high().to_json()
    made = event(both_high(), 2, top=True)
    assert evaluate(json.loads(json.dumps(dict(made.spec))), OUTPUTS).tolist() == [each == 2 for each in LEAVES]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("left", [1, -1, 2, -1, -1]),
        ("right", [2, -1, 9, -1, -1]),
        ("rank", [0, 1]),
        ("asked", [0, -1, 0, -1]),
        ("prior", []),
    ],
)
def test_a_tree_with_a_way_that_does_not_end_is_no_event(name, value):
    spec = {"score": both_high().to_json() | {name: value}, "threshold": 1, "top": True}
    with pytest.raises(DataError, match="cannot be evaluated"):
        evaluate(spec, OUTPUTS)


@pytest.mark.parametrize(
    ("threshold", "top", "words"),
    [
        (2, True, "component 1 of the release is at least 0.5 and component 2 is at least 3 or not a number"),
        (1, False, "component 1 of the release is below 0.5"),
        (
            2,
            False,
            f"component 1 of the release is below 0.5{MORE}",
        ),
        (
            1,
            True,
            f"component 1 of the release is at least 0.5 and component 2 is at least 3 or not a number{MORE}",
        ),
    ],
)
def test_words_are_the_way_to_the_leaf_that_counts_most(threshold, top, words):
    assert event(both_high(), threshold, top=top).words == words
