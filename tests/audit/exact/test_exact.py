"""The exact engine against a second route: all subsets of the rows, one by one."""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import mpmath
import numpy as np
import polars as pl
import pytest
from attrs import frozen

from crowdproof import DP, DPS, Epsilon, Neighbours, NotRefuted, Refuted
from crowdproof.audit import Budget, Pair, audit
from crowdproof.audit.allowance import Allowance
from crowdproof.audit.compare.exact import ExactResult, Unaffordable, epsilon_at, exact_law, excess_at, worst_excess
from crowdproof.audit.compare.exact.law import checked
from crowdproof.audit.compare.exact.samples import likeliest_first
from crowdproof.audit.data.rows import group
from crowdproof.audit.neighbours import Proposals
from crowdproof.audit.runners.inline import Inline
from crowdproof.errors import TargetError
from crowdproof.findings import Exact
from crowdproof.mechanisms.mondrian import Mondrian
from crowdproof.mechanisms.recoding import Grid, Scheme
from crowdproof.mechanisms.strongly_safe import StronglySafe
from crowdproof.proofs.bounds import tight


@frozen
class OrderSensitive:
    """Releases the place of the first 'b' and the number of rows up to 3: it depends on the order of its rows."""

    deterministic = True

    def __call__(self, data, rng):
        letters = data["letter"].to_list()
        return (letters.index("b") if "b" in letters else None, min(len(letters), 3))


def law_of(pair, mechanism, beta, **options) -> ExactResult:
    return exact_law(pair, mechanism, beta, runner=Inline(), allowance=Allowance(), **options)


def table(letters: str) -> pl.DataFrame:
    return pl.DataFrame({"letter": list(letters)}, schema={"letter": pl.String})


def add_remove_pair(left: str, right: str) -> Pair:
    return Pair(table(left), table(right), Neighbours.ADD_REMOVE, "test")


def by_all_subsets(letters: str, mechanism, beta: Fraction) -> dict[object, Fraction]:
    law: dict[object, Fraction] = defaultdict(Fraction)
    for kept in itertools.product((0, 1), repeat=len(letters)):
        sample = table("".join(letter for letter, keep in zip(letters, kept, strict=True) if keep))
        law[mechanism(sample, None)] += beta ** sum(kept) * (1 - beta) ** (len(letters) - sum(kept))
    return law


@pytest.mark.parametrize("beta", [Fraction(1, 2), Fraction(3, 10)])
@pytest.mark.parametrize(("left", "right"), [("aaabbc", "aaabb"), ("aaabbc", "aabbc"), ("aab", "aabb")])
def test_law_is_that_of_all_subsets(left, right, beta):
    found = law_of(add_remove_pair(left, right), OrderSensitive(), beta)
    assert {each.output: each.left for each in found.law.masses if each.left} == by_all_subsets(
        left, OrderSensitive(), beta
    )
    assert {each.output: each.right for each in found.law.masses if each.right} == by_all_subsets(
        right, OrderSensitive(), beta
    )
    assert found.complete


def test_rows_are_grouped_so_that_a_vector_of_multiplicities_is_one_table():
    found = law_of(add_remove_pair("abac", "aba"), OrderSensitive(), Fraction(1, 2))
    assert found.pair.left["letter"].to_list() == list("aabc")
    assert {each.output: each.left for each in found.law.masses} == by_all_subsets(
        "aabc", OrderSensitive(), Fraction(1, 2)
    )


@pytest.mark.parametrize("written", ["0", "ln 2", "ln(7/5)", "0.3", "1"])
def test_delta_is_the_maximum_over_all_events(written):
    epsilon = Epsilon.of(written)
    found = law_of(add_remove_pair("aabbc", "aabb"), OrderSensitive(), Fraction(2, 5))
    with mpmath.workdps(60):
        x = mpmath.exp(mpmath.mpf(epsilon.value.numerator) / epsilon.value.denominator)
        x = mpmath.mpf(epsilon.value.numerator) / epsilon.value.denominator if epsilon.logarithm else x
        best = max(
            mpmath.fsum(_mp(each.left) - x * _mp(each.right) for each in event)
            for size in range(len(found.law.masses) + 1)
            for event in itertools.combinations(found.law.masses, size)
        )
        bounds = excess_at(found.law, epsilon).bounds()
        assert _mp(bounds.low) - mpmath.mpf(10) ** -50 <= best <= _mp(bounds.high) + mpmath.mpf(10) ** -50
    assert bounds.high - bounds.low < Fraction(1, 10**60)


def _mp(number: Fraction) -> mpmath.mpf:
    return mpmath.mpf(number.numerator) / number.denominator


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 10), Fraction(1, 3)])
def test_needed_epsilon_is_where_delta_is_met(delta):
    law = law_of(add_remove_pair("aabbb", "aabb"), StronglySafeLetters(2), Fraction(2, 5)).law.flipped()
    x = epsilon_at(law, delta)
    assert x is not None
    assert excess_at(law, Epsilon(x, x > 1) if x > 1 else Epsilon.of(0)).bounds().low <= delta
    if x > 1:
        assert excess_at(law, Epsilon(1 + (x - 1) * Fraction(999, 1000), True)).above(delta)


@frozen
class StronglySafeLetters:
    k: int
    deterministic = True

    def __call__(self, data, rng):
        count = data.height
        return count if count >= self.k else 0


def test_likeliest_first_meets_every_vector_once_in_order():
    counts, beta = (3, 2, 4), Fraction(3, 10)
    vectors = list(likeliest_first(counts, beta))
    weights = [
        math.prod(math.comb(c, m) * 3**m * 7 ** (c - m) for c, m in zip(counts, vector, strict=True))
        for vector in vectors
    ]
    assert sorted(vectors) == sorted(itertools.product(*(range(c + 1) for c in counts)))
    assert weights == sorted(weights, reverse=True)
    assert sum(weights) == 10 ** sum(counts)


def test_leaving_out_unlikely_samples_only_widens_the_bounds():
    pair, epsilon = add_remove_pair("a" * 30 + "b" * 30 + "c", "a" * 30 + "b" * 30), Epsilon.of("ln 2")
    everything = law_of(pair, OrderSensitive(), Fraction(1, 2))
    some = law_of(pair, OrderSensitive(), Fraction(1, 2), limit=700, tolerance=Fraction(1, 1000))
    assert isinstance(some, ExactResult)
    assert some.runs < everything.runs
    assert 0 < some.law.unseen_right <= Fraction(1, 1000)
    truth = excess_at(everything.law, epsilon).bounds()
    assert excess_at(some.law, epsilon).bounds().low <= truth.low


def test_too_many_samples_are_unaffordable_and_it_says_how_many():
    many = pl.DataFrame({"letter": [str(i) for i in range(60)]})
    pair = Pair(many, many.head(59), Neighbours.ADD_REMOVE, "test")
    refused = law_of(pair, OrderSensitive(), Fraction(1, 2), limit=100, tolerance=Fraction(1, 100))
    assert isinstance(refused, Unaffordable)
    assert "1,152,921,504,606,846,976" in refused.reason


def test_a_spent_budget_leaves_the_rest_unseen():
    found = exact_law(
        add_remove_pair("aaaab", "aaaa"),
        OrderSensitive(),
        Fraction(1, 2),
        runner=Inline(),
        allowance=Allowance(Budget(runs=4)),
    )
    assert isinstance(found, ExactResult)
    assert found.law.unseen_left > 0
    full = law_of(add_remove_pair("aaaab", "aaaa"), OrderSensitive(), Fraction(1, 2))
    assert (
        worst_excess(found.law, Epsilon.of(0))[0].bounds().low <= worst_excess(full.law, Epsilon.of(0))[0].bounds().low
    )


@pytest.mark.parametrize(("k", "beta", "epsilon"), [(20, "0.1", "0.5"), (20, "0.05", "2"), (5, "0.5", "ln 3")])
def test_strongly_safe_has_exactly_the_tight_delta(k, beta, epsilon):
    truth = tight(k, beta, epsilon)
    rows = pl.DataFrame({"age": [41] * truth.n})
    pair = Pair(rows, rows.head(truth.n - 1), Neighbours.ADD_REMOVE, "test")
    found = law_of(pair, StronglySafe(Scheme({"age": Grid(20)}), k), Fraction(beta))
    bounds = worst_excess(found.law, Epsilon.of(epsilon))[0].bounds()
    assert truth.low <= bounds.high
    assert bounds.low <= truth.high
    assert bounds.high - bounds.low < truth.high / 10**20


@pytest.mark.parametrize("relation", Neighbours)
def test_the_proposed_worst_case_attains_the_tight_delta_in_either_relation(relation):
    target = StronglySafe(Scheme({"age": Grid(20)}), 4)
    data = pl.DataFrame({"age": [10, 10, 50]})
    epsilon, beta = Epsilon.of("ln 2"), Fraction(1, 2)
    pair = next(iter(Proposals(data, target, relation, epsilon, beta).worst_cases()))
    found = worst_excess(law_of(pair, target, beta).law, epsilon)[0].bounds()
    truth = tight(4, beta, epsilon, relation)
    assert truth.low <= found.low <= truth.high


def ages(extreme: int, crowd: int = 19) -> Pair:
    rows = pl.DataFrame({"age": [30] * crowd + [extreme]})
    return Pair(rows, rows.head(crowd), Neighbours.ADD_REMOVE, f"{crowd} rows and one of {extreme}")


def test_local_recoding_is_refuted_with_nearly_beta_and_its_safe_twin_is_not():
    claim = DPS("0.5", "ln 3", "0.1")
    leaky = audit(Mondrian(k=5), claim, pairs=[ages(95)])
    assert isinstance(leaky.verdict, Refuted)
    assert leaky.verdict.witness.excess.exact
    assert leaky.verdict.witness.excess.low > Fraction(99, 100) * Fraction(1, 2)
    assert leaky.verdict.witness.excess.low == Fraction(1, 2) * sum(math.comb(19, j) for j in range(4, 20)) / 2**19
    assert leaky.verdict.witness.event.words == "the release contains a range that ends at 95 in column age"
    safe = audit(StronglySafe(Scheme({"age": Grid(200)}), 5), claim, pairs=[ages(95)])
    assert isinstance(safe.verdict, NotRefuted)


@frozen
class SameSampleEpsSafe:
    """The counterexample to Theorem 6: A_m chooses recoding A or B from the very sample that it is applied to."""

    k: int = 3
    without = (Fraction(1, 5), Fraction(4, 5), Fraction(1, 5), Fraction(1, 20))
    with_target = (Fraction(4, 5), Fraction(1, 5), Fraction(4, 5), Fraction(1, 5))

    def law(self, data):
        target = data["who"].to_list().count("t")
        others = data.height - target
        p = (self.with_target if target else self.without)[others]
        shown = data.height if data.height >= self.k else 0
        return {"nothing": Fraction(1)} if shown == 0 else {f"A{shown}": p, f"B{shown}": 1 - p}

    def __call__(self, data, rng):
        outputs, weights = zip(*self.law(data).items(), strict=True)
        return outputs[rng.choice(len(outputs), p=[float(each) for each in weights])]


def test_the_counterexample_to_theorem_6_has_its_exact_delta():
    people = pl.DataFrame({"who": ["t", "u", "u", "u"]})
    pair = Pair(people, people.tail(3), Neighbours.ADD_REMOVE, "t and three others")
    finding = audit(SameSampleEpsSafe(), DPS("0.25", "ln 12", "1/64"), pairs=[pair])
    assert isinstance(finding.verdict, Refuted)
    assert finding.verdict.witness.excess.low == finding.verdict.witness.excess.high == Fraction(119, 5120)
    at_the_edge = audit(SameSampleEpsSafe(), DPS("0.25", "ln 12", Fraction(119, 5120)), pairs=[pair])
    assert isinstance(at_the_edge.verdict, NotRefuted)


def test_a_law_that_does_not_sum_to_one_is_an_error():
    @frozen
    class Wrong:
        def law(self, data):
            return {"a": Fraction(1, 2)}

        def __call__(self, data, rng):
            return "a"

    with pytest.raises(TargetError, match="sums to 1/2"):
        law_of(add_remove_pair("aa", "a"), Wrong(), Fraction(1, 2))


@frozen
class InFloats:
    """Whoever writes 0.4 means two fifths: five times 0.08, to the last digit."""

    likely: float = 0.4

    def law(self, data):
        p = self.likely if data.height == 3 else 0.08
        return {"a": p, "b": round(1 - p, 2)}

    def __call__(self, data, rng):
        return "a" if rng.random() < self.law(data)["a"] else "b"


@pytest.mark.parametrize(("likely", "verdict"), [(0.4, NotRefuted), (0.41, Refuted)])
def test_a_law_in_floats_is_taken_as_it_is_written(likely, verdict):
    pair = Pair(pl.DataFrame({"v": [1] * 3}), pl.DataFrame({"v": [1] * 2}), Neighbours.ADD_REMOVE, "three against two")
    finding = audit(InFloats(likely), DP("ln 5"), pairs=[pair])
    assert isinstance(finding.verdict, verdict)
    assert finding.certainty == Exact()


@pytest.mark.parametrize("law", [{"a": "much"}, {"a": None}, {"a": float("nan")}, 7, [("a",)], {"a": True}])
def test_a_law_that_cannot_be_read_is_an_error_of_the_target(law):
    with pytest.raises(TargetError, match="declared law"):
        checked(law)


def test_a_target_that_only_claims_to_be_deterministic_is_found_out():
    @frozen
    class Liar:
        deterministic = True

        def __call__(self, data, rng):
            return rng.random()

    with pytest.raises(TargetError, match="two runs on the same data differ"):
        law_of(add_remove_pair("aa", "a"), Liar(), Fraction(1, 2))


def test_replace_neighbours_enumerate_both_boxes():
    pair = Pair(table("aab"), table("aac"), Neighbours.REPLACE, "test")
    found = law_of(pair, OrderSensitive(), Fraction(1, 3))
    assert found.pair.right["letter"].to_list() == list("aac")
    assert {each.output: each.right for each in found.law.masses if each.right} == by_all_subsets(
        "aac", OrderSensitive(), Fraction(1, 3)
    )


@pytest.mark.parametrize("data", [np.array([1, 2, 1]), [1, 2, 1], np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 0.0]])])
def test_arrays_and_lists_have_rows_too(data):
    grouped = group(data, data[:2])
    assert (grouped.left, grouped.right) == ((2, 1), (1, 1))
    assert len(grouped.dataset((2, 0))) == 2
    assert grouped.neighbours(Neighbours.ADD_REMOVE)
    assert not grouped.neighbours(Neighbours.REPLACE)
