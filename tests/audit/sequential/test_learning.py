"""What is learned from outputs: features alone, together, and only together; and what chance alone does not teach."""

from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve, frozen
from sklearn.tree import DecisionTreeClassifier

from crowdproof.audit.compare.betting import Ended, sequential_audit
from crowdproof.audit.compare.betting.hypotheses import Nulls
from crowdproof.audit.compare.betting.learning import _candidates, learn, likelihood
from crowdproof.audit.compare.betting.ranking import rerank
from crowdproof.audit.compare.betting.screening import bit_clarity
from crowdproof.audit.compare.betting.sharing import arms_of
from crowdproof.audit.compare.betting.steps import clarity, step_edges
from crowdproof.audit.compare.betting.sums import Steps
from crowdproof.audit.compare.betting.trees import grow, interplay
from crowdproof.audit.releases import Additive, Form, Lookup, Numbers, Releases, Tree, evaluate, reader_for
from crowdproof.audit.releases.features import bit_counts, number_feature
from crowdproof.audit.request import Budget, Pair
from crowdproof.audit.runners.inline import Inline
from crowdproof.claims import Neighbours, Point

PAIR = Pair(np.array([0.0]), np.array([1.0]), Neighbours.REPLACE, "0 against 1")


@frozen
class Signs:
    """Numbers that are each uniform; the signs of the first two agree (0) or differ (1) with these odds."""

    odds: float
    width: int = 4

    def batch(self, data, rng, size):
        out = rng.uniform(-1, 1, (size, self.width))
        turned = rng.random(size) < self.odds / (1 + self.odds)
        agree = (out[:, 0] > 0) == (out[:, 1] > 0)
        wanted = turned != bool(data[0])
        out[agree != wanted, 0] *= -1
        return np.round(out * 2**20) / 2**20

    def __call__(self, data, rng):
        return self.batch(data, rng, 1)[0]


def audit(mechanism, epsilon, runs=60_000):
    return sequential_audit(
        [PAIR],
        mechanism,
        [Point(epsilon)],
        error=Fraction(1, 10**6),
        budget=Budget(runs=runs),
        seed=np.random.SeedSequence(11),
        runner=Inline(),
    )


def worth(counts):
    """Total variation between the bins: enough to compare scores."""
    return float(np.abs(counts[0] / counts[0].sum() - counts[1] / counts[1].sum()).sum() / 2)


def test_two_numbers_that_only_together_tell_the_datasets_apart_are_caught():
    result = audit(Signs(3.0), "0.5")
    assert result.ended is Ended.REFUTED
    event = result.refuted.event
    assert "component 1" in event.words
    assert "component 2" in event.words
    rng = np.random.default_rng(0)
    left, right = (evaluate(event.spec, Signs(3.0).batch([side], rng, 20_000)).mean() for side in (0.0, 1.0))
    assert max(left / right, right / left) > np.exp(0.5)


@pytest.mark.slow
def test_their_safe_twin_is_not():
    """Odds of e^0.5: the claim holds just so."""
    assert audit(Signs(float(np.exp(0.5))), "0.5").ended is Ended.RUNS


def samples(mechanism, size, seed=1):
    rng = np.random.default_rng(seed)
    return mechanism.batch([0.0], rng, size), mechanism.batch([1.0], rng, size)


def vectors(width):
    return Numbers(Form((width,)))


def steps_of(left, right):
    width = left.shape[1]
    features = [("value", place) for place in range(width)]
    return Steps.of(vectors(width), features, Releases.of(left), Releases.of(right))


def test_interplay_names_the_pair_and_not_chance():
    some = steps_of(*samples(Signs(3.0, width=6), 5000))
    assert set(interplay(some.steps, some.label)) == {0, 1}
    some = steps_of(*samples(Signs(1.0, width=6), 5000))  # 15 pairs, each below 6 standard errors
    assert interplay(some.steps, some.label) is None
    assert grow(some.reader, some.features, some.edges, some.steps, some.label, clear=False) is None


def test_what_features_tell_one_by_one_is_no_interplay():
    rng = np.random.default_rng(3)
    some = steps_of(rng.normal(0.3, 1, (20_000, 3)), rng.normal(0, 1, (20_000, 3)))
    assert interplay(some.steps, some.label) is None


@pytest.mark.parametrize("holes", [0.0, 0.2])
def test_a_tree_has_the_leaves_that_scikit_learn_grew(holes):
    rng = np.random.default_rng(4)
    left, right = rng.normal(0.5, 1, (4000, 3)), rng.normal(0, 1, (4000, 3))
    for side, odd in ((left, -np.inf), (right, np.inf)):
        side[rng.random(side.shape) < holes] = np.nan
        side[rng.random(side.shape) < holes] = odd
    some = steps_of(left, right)
    tree = grow(some.reader, some.features, some.edges, some.steps, some.label, clear=True)
    matrix = np.stack(some.steps, axis=1).astype(np.float32)
    model = DecisionTreeClassifier(criterion="entropy", max_leaf_nodes=128, min_samples_leaf=24, random_state=0)
    leaves = model.fit(matrix, some.label > 0).apply(matrix)
    assert len(tree.rank) == model.get_n_leaves() > 20
    ours = tree.cells(Releases.of(np.concatenate([left, right])))
    np.testing.assert_array_equal(np.unique(leaves)[ours], leaves)
    assert any(tree.may_lack) == (holes > 0)


def test_a_sum_takes_the_features_that_add_something():
    rng = np.random.default_rng(6)
    noise = rng.normal(0, 1, (30_000, 5))
    left, right = noise[:15_000] + np.array([0.3, 0, 0.3, 0, 0]), noise[15_000:]
    copied = [np.concatenate([side, side[:, :1]], axis=1) for side in (left, right)]  # the last repeats the first
    found = steps_of(*copied).fit()
    assert {feature[1] for feature in found.features} in ({0, 2}, {5, 2})


def test_one_feature_is_enough_where_there_is_one():
    rng = np.random.default_rng(7)
    left, right = (np.round(rng.normal(0, 1, (4000, 3)) * 2**20) / 2**20 for _ in range(2))
    left[:, 0] += 1
    score = learn(vectors(3), Releases.of(left), Releases.of(right), worth).score
    assert isinstance(score, Additive)
    assert score.features == (("value", 0),)


def test_outputs_that_repeat_are_learned_one_by_one():
    rng = np.random.default_rng(8)
    left, right = rng.integers(0, 6, (5000, 1)), rng.integers(0, 6, (5000, 1))
    left[:1500] = left[:1500] // 2 * 2  # even numbers are likelier on the left
    score = learn(reader_for(Releases.of(left)), Releases.of(left), Releases.of(right), worth).score
    even, odd = (score.bins(Releases.of(np.arange(start, 6.0, 2)[:, None])) for start in (0, 1))
    assert min(even) > max(odd)


def test_nothing_to_learn_from_outputs_that_are_all_alike():
    assert learn(Numbers(Form((1,)), whole=True), *[Releases.of(np.ones((100, 1)))] * 2, worth) is None


def test_the_vote_of_a_guess_wanes_as_counts_grow():
    leaf = np.array([0, -1, -1])
    tree = Tree(
        vectors(1),
        np.zeros(2, np.intp),
        (("value", 0),),
        leaf,
        np.array([0.0, np.nan, np.nan]),
        np.array([1, -1, -1]),
        np.array([2, -1, -1]),
        (False,),
        prior=np.array([0.3, -0.3]),
    )
    few, many = (np.array([3, 5]), np.array([5, 3])), (np.array([3000, 5000]), np.array([5000, 3000]))
    assert rerank(tree, few).rank.tolist() == [1, 0]
    assert rerank(tree, many).rank.tolist() == [0, 1]


def test_outputs_that_repeat_are_ranked_by_a_sum_until_they_speak_for_themselves():
    """The log-ratio of 256 outputs is a sum over bits and a little of their own: neither alone orders them as well."""
    rng = np.random.default_rng(13)
    bits = (np.arange(256)[:, None] >> np.arange(8)) & 1
    truth = bits @ np.linspace(-0.3, 0.3, 8) + rng.normal(0, 0.15, 256)
    chance = np.exp(truth / 2) / np.exp(truth / 2).sum(), np.exp(-truth / 2) / np.exp(-truth / 2).sum()
    left, right = (bits[rng.choice(256, 40_000, p=each)].astype(float) for each in chance)
    left, right = Releases.of(left), Releases.of(right)
    reader = reader_for(left)
    found = list(_candidates(reader, reader.candidates(left), left, right))
    table = next(score for score, _ in found if isinstance(score, Lookup))
    sums = max((score for score, _ in found if isinstance(score, Additive)), key=lambda score: len(score.features))
    alone = rerank(evolve(table, prior=np.zeros(257)), (table.count(left), table.count(right)))

    def agreement(score):
        return np.corrcoef(score.bins(Releases.of(bits)), truth)[0, 1]

    assert agreement(table) > max(agreement(sums), agreement(alone)) + 0.01


def test_clarity_under_chance_and_of_a_trend():
    rng = np.random.default_rng(9)
    chance = [clarity(one - two, one + two, 1.0) for one, two in rng.poisson(1000, (400, 2, 12))]
    assert -1.5 < np.mean(chance) < 1.5
    assert np.mean(np.array(chance) > 4.5) < 0.05
    slight = np.linspace(-60, 60, 12)  # below two standard errors in each step, and all in one direction
    assert clarity(slight, np.full(12, 2000), 1.0) > 4.5
    assert clarity(np.array([3, 0]), np.array([10, 0]), 1.0) == -np.inf


def test_likelihood_is_above_a_guess_only_for_what_holds_again():
    old = np.array([300, 100]), np.array([100, 300])
    assert likelihood(old, old) > 50
    assert likelihood((old[1], old[0]), old) == 0


def test_frequent_values_have_steps_of_their_own():
    rng = np.random.default_rng(10)
    values = np.concatenate([rng.normal(size=900), np.full(100, 0.25), np.full(40, np.nan), np.full(60, -np.inf)])
    edges = step_edges(values, fine=False).tolist()
    assert 0.25 in edges
    assert float(np.nextafter(0.25, 1)) in edges
    assert edges[0] == np.finfo(float).min


def test_bits_are_counted_as_features_see_them():
    values = np.random.default_rng(12).normal(size=(500, 1))
    counts = bit_counts(values[:, 0])
    assert counts.tolist() == [int(number_feature(values, ("bit", 0, bit)).sum()) for bit in range(52)]
    left, right = values[:250, 0], values[250:, 0] * 2**0.5
    for bit, found in enumerate(bit_clarity(left, right)):
        one, two = (int(number_feature(side[:, None], ("bit", 0, bit)).sum()) for side in (left, right))
        assert found == pytest.approx(
            clarity(np.array([two - one, one - two]), np.array([500 - one - two, one + two]), 1.0)
        )


def test_vectors_with_holes():
    matrix = np.array([[-np.inf, 2.0, np.nan], [5.0, np.nan, np.nan], [-np.inf, -np.inf, -np.inf]])
    expected = {"sum": [2, 5, 0], "largest": [2, 5, -np.inf], "place of the largest": [1, 0, 0]}
    expected |= {"missing": [1, 2, 0], "finite": [1, 1, 0], "smallest": [-np.inf, 5, -np.inf]}
    for kind, numbers in expected.items():
        assert number_feature(matrix, (kind,)).tolist() == numbers
    assert ("missing",) in vectors(3).candidates(Releases.of(matrix))
    assert ("missing",) not in vectors(3).candidates(Releases.of(np.zeros((2, 3))))


def test_outputs_are_set_aside_for_the_bets_only_where_cells_are_many():
    """Few cells look hardly better than they are on the outputs that ranked them; many do."""
    rng, pair = np.random.default_rng(4), Pair(0, 1, Neighbours.REPLACE, "0 against 1")
    few, many = arms_of([pair, pair])
    for arm, different in ((few, 3), (many, 10**6)):
        for pool in arm.pools:
            pool.add(Releases.of(rng.integers(0, different, (600, 1)).astype(float)))
        arm.absorb((np.array([600]), np.array([600])), 600)
        arm.relearn(Nulls.of(1.0, 0.0))
    assert few.seen[0].sum() == few.known[0].sum() == 600
    assert 0 < many.seen[0].sum() < many.known[0].sum() == 600
