"""The front door: hostile targets, interrupts, budgets, determinism."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from attrs import frozen

from crowdproof import DP, DPS, CrowdBlending, Neighbours, NotRefuted, Refuted, Safe, Skipped, Undecided, exit_code
from crowdproof.audit import Budget, Pair, Sampling, audit
from crowdproof.audit.compare.betting.trials import run
from crowdproof.audit.releases import Refusal
from crowdproof.audit.runners import runner_for
from crowdproof.claims import Assertion
from crowdproof.errors import DataError, ExitCode, ParameterError, TargetError
from crowdproof.findings import Chart
from crowdproof.mechanisms import Grid, Laplace, Mondrian, Sampled, Scheme, StronglySafe
from crowdproof.wire import from_json, to_json

PEOPLE = pl.DataFrame({"age": [21, 22, 23, 38, 39, 41, 42, 43, 44, 61, 62, 95]})
SMALL = Budget(runs=3_000)


@frozen
class Geometric:
    """A count with two-sided geometric noise: exactly (-ln alpha)-DP."""

    alpha: float

    def __call__(self, data, rng):
        return int(data.height + rng.geometric(1 - self.alpha) - rng.geometric(1 - self.alpha))

    def batch(self, data, rng, size):
        return data.height + rng.geometric(1 - self.alpha, size) - rng.geometric(1 - self.alpha, size)


def run_alone(mechanism, data, size):
    """The outputs of so many runs on one dataset."""
    order, seed = np.zeros(size, np.int64), np.random.SeedSequence(1)
    return run(mechanism, (data,), order, seed, in_batches=False)


def test_noise_that_is_too_small_is_refuted_and_noise_that_is_right_is_not():
    pairs = [Pair(PEOPLE, PEOPLE.head(11), Neighbours.ADD_REMOVE, "without the oldest")]
    leaky = audit(Geometric(0.2), DP("ln 2"), pairs=pairs, budget=Budget(runs=60_000))
    assert isinstance(leaky.verdict, Refuted)
    assert leaky.verdict.witness.excess.high > 0
    assert leaky.certainty.error == Fraction(1, 10**6)
    safe = audit(Geometric(0.5), DP("ln 2"), pairs=pairs, budget=Budget(runs=60_000))
    assert isinstance(safe.verdict, NotRefuted)
    assert safe.verdict.epsilon > np.log(2)


@pytest.mark.parametrize("runs", [300, 774, 775])
@pytest.mark.parametrize("seconds", [None, 600.0])
def test_a_small_budget_of_runs_is_kept_and_spent_on_the_test(runs, seconds):
    def tell(data, rng):
        return data.height * 1000 + int(rng.integers(2))

    budget = Budget(runs, seconds)
    leaky, safe = (audit(target, DP(1), data=PEOPLE, budget=budget) for target in (tell, Geometric(0.5)))
    assert isinstance(leaky.verdict, Refuted)
    assert isinstance(safe.verdict, NotRefuted)
    assert safe.verdict.delta < 1
    assert leaky.cost.runs <= safe.cost.runs <= runs


@pytest.mark.parametrize("sampling", Sampling)
def test_who_samples_is_an_option(sampling):
    target = Mondrian(k=3) if sampling is Sampling.AUDITOR else Sampled("0.5", Mondrian(k=3))
    finding = audit(target, DPS("0.5", 1, "0.1"), data=PEOPLE, sampling=sampling)
    assert isinstance(finding.verdict, Refuted)
    assert str(finding.certainty) == "exact"


def test_a_target_that_samples_by_itself_and_is_safe_is_not_refuted():
    target = Sampled("0.1", StronglySafe(Scheme({"age": Grid(100)}), 8))
    finding = audit(target, DP("0.5", "0.001"), data=PEOPLE, budget=SMALL, search=5)
    assert isinstance(finding.verdict, NotRefuted)


# --- hostile targets ------------------------------------------------------------------------------------------


def raises(data, rng):
    raise ValueError("no such column")


def returns_none(data, rng):
    return None


def is_nan(data, rng):
    return float("nan")


KINDS = itertools.cycle([1, "one", [1]])


def many_kinds(data, rng):
    return next(KINDS)


class Opaque:
    pass


@pytest.mark.parametrize(
    ("target", "told"),
    [
        (raises, "ValueError: no such column"),
        (returns_none, "returned None"),
        (is_nan, "nothing but nan"),
        (many_kinds, "same sequence of outputs for different seeds"),
        (lambda data, rng: Opaque(), "shows nothing of itself"),
    ],
)
@pytest.mark.parametrize("claim", [DP(1), DPS("0.5", 1, "0.1")])
def test_a_target_that_cannot_be_audited_is_skipped_with_what_happened(target, told, claim):
    finding = audit(target, claim, data=PEOPLE, budget=SMALL)
    assert isinstance(finding.verdict, Skipped)
    assert told in finding.verdict.reason
    assert exit_code([finding]) is ExitCode.BROKEN


@frozen
class Mutating:
    """Spoils the table that it is given, and would tell its rows apart by what earlier runs left behind."""

    deterministic = True

    def __call__(self, data, rng):
        seen = "spoilt" in data.columns
        data.insert_column(0, pl.Series("spoilt", [1] * data.height))
        return seen


def test_a_target_that_changes_its_input_gets_copies():
    finding = audit(Mutating(), DP(0), data=PEOPLE)
    assert isinstance(finding.verdict, NotRefuted)


@frozen
class Wearing:
    """Adds one to its input at each run; the noise hides nothing of that."""

    def __call__(self, data, rng):
        data += 1
        return float(data[0]) + int(rng.integers(2))


def test_a_randomized_target_that_changes_its_input_gets_copies_too():
    data = np.zeros(3)
    outputs = run_alone(Wearing(), data, 200)
    assert set(outputs) == {1.0, 2.0}
    assert data.tolist() == [0, 0, 0]


def test_a_run_without_a_release_is_an_output_of_its_own():
    def now_and_then(data, rng):
        draw = rng.integers(4)
        if draw == 0:
            raise ValueError("not today")
        return None if draw == 1 else int(draw)

    outputs = run_alone(now_and_then, [1, 2], 400)
    assert set(outputs) == {Refusal(), None, 2, 3}
    assert len(outputs) == 400
    assert outputs.count(Refusal()) > 50
    finding = audit(now_and_then, DP(1), data=PEOPLE, budget=SMALL, search=0)
    assert isinstance(finding.verdict, NotRefuted)
    counted = next(each.text for each in finding.evidence if each.title == "Runs without a release")
    assert 1_300 < int(counted.split()[1].replace(",", "")) < 1_700


def test_a_target_that_breaks_is_not_taken_for_one_that_refuses():
    def hangs(data, rng):
        raise TargetError("it hung")

    with pytest.raises(TargetError, match="it hung"):
        run_alone(hangs, [1], 3)


@pytest.mark.parametrize("data", [np.array([3.0, 4.0, 90.0, 5.0]), [3, 4, 90, 5]])
def test_arrays_and_lists_are_data_too(data):
    @frozen
    class Largest:
        deterministic = True

        def __call__(self, values, rng):
            return float(max(values, default=0))

    @frozen
    class Nothing:
        deterministic = True

        def __call__(self, values, rng):
            return 0

    claim = DPS("0.5", 1, "0.1")
    assert isinstance(audit(Largest(), claim, data=data).verdict, Refuted)
    assert isinstance(audit(Nothing(), claim, data=data).verdict, NotRefuted)


@frozen
class Picky:
    """Refuses samples without anybody over 90: the refusal gives that person away."""

    threshold: int
    deterministic = True

    def __call__(self, data, rng):
        if data.filter(pl.col("age") > self.threshold).is_empty():
            raise ValueError("nobody old")
        return "fine"


def test_a_refusal_is_an_outcome_that_can_refute():
    finding = audit(Picky(90), DPS("0.5", 1, "0.1"), data=PEOPLE)
    assert isinstance(finding.verdict, Refuted)
    assert any("counts as an outcome" in getattr(note, "text", "") for note in finding.evidence)


@frozen
class BreaksOn:
    """Dies on one dataset, as a process under a time limit does; leaks on the others."""

    size: int
    deterministic = True

    def __call__(self, data, rng):
        if data.height == self.size:
            raise TargetError("it hung for 60 s")
        return data.height


def test_what_was_found_survives_a_target_that_breaks_later():
    good, bad = (Pair(PEOPLE.head(n), PEOPLE.head(n - 1), Neighbours.ADD_REMOVE, f"{n} people") for n in (4, 9))
    finding = audit(BreaksOn(8), DP(1), pairs=[good, bad])
    assert isinstance(finding.verdict, Refuted)
    assert any("it hung" in getattr(note, "text", "") for note in finding.evidence)
    alone = audit(BreaksOn(8), DP(1), pairs=[bad])
    assert isinstance(alone.verdict, Skipped)
    assert "it hung" in alone.verdict.reason


@frozen
class ConstantBut:
    """Dies on some tables, and says the same on all others."""

    dies: Callable[[pl.DataFrame], bool]
    deterministic = True

    def __call__(self, data, rng):
        if self.dies(data):
            raise TargetError("it was killed by SIGABRT")
        return "ok"


@pytest.mark.parametrize(
    "dies",
    [lambda data: data.height == 11, lambda data: data.height == 1, lambda data: data.n_unique() == 3],
    ids=["your data without a row", "a table made by hand", "a table of the search"],
)
def test_a_pair_on_which_the_target_breaks_is_never_passed_over_in_silence(dies):
    finding = audit(ConstantBut(dies), DP(1), data=PEOPLE)
    assert isinstance(finding.verdict, Skipped)
    assert finding.certainty is None
    assert "SIGABRT" in finding.verdict.reason
    assert any(getattr(each, "title", "") == "Pairs" for each in finding.evidence)


def test_a_target_that_breaks_on_none_of_the_pairs_is_judged():
    assert isinstance(audit(ConstantBut(lambda data: data.height == 1000), DP(1), data=PEOPLE).verdict, NotRefuted)


@frozen
class DiesNow:
    """A noisy count that kills its process in one run of many."""

    noise: Geometric
    often: float

    def __call__(self, data, rng):
        if rng.random() < self.often:
            raise TargetError("it was killed by SIGABRT")
        return self.noise(data, rng)


@pytest.mark.parametrize("notion", ["dp", "crowd-blending"])
def test_a_target_that_breaks_in_the_middle_of_a_test_is_skipped(notion):
    claim = DP("ln 2") if notion == "dp" else CrowdBlending(4, "ln 2")
    pairs = [Pair(PEOPLE, PEOPLE.head(11), Neighbours.ADD_REMOVE, "without the oldest")]
    finding = audit(DiesNow(Geometric(0.5), 1e-3), claim, pairs=pairs, budget=Budget(runs=20_000), seed=1)
    assert isinstance(finding.verdict, Skipped)
    assert "SIGABRT" in finding.verdict.reason
    assert finding.certainty is None
    assert exit_code([finding]) is ExitCode.BROKEN
    assert finding.cost.runs > 0
    assert finding.evidence


def test_a_refutation_before_the_target_breaks_stays():
    pairs = [Pair(PEOPLE, PEOPLE.head(11), Neighbours.ADD_REMOVE, "without the oldest")]
    finding = audit(DiesNow(Geometric(0.001), 1e-5), DP("ln 2"), pairs=pairs, budget=Budget(runs=20_000), seed=1)
    assert isinstance(finding.verdict, Refuted)


def test_a_liar_about_determinism_is_tested_by_betting():
    @frozen
    class Liar:
        deterministic = True

        def __call__(self, data, rng):
            return int(rng.integers(2)) + 5 * data.height

    finding = audit(Liar(), DP(1), data=PEOPLE, budget=SMALL, search=0)
    assert isinstance(finding.verdict, Refuted)
    assert str(finding.certainty).startswith("false-alarm rate")
    assert any(getattr(note, "title", "") == "Not deterministic after all" for note in finding.evidence)


# --- interrupts and budgets -----------------------------------------------------------------------------------


class StopAfter:
    def __init__(self, updates):
        self.left = updates

    def update(self, done, total, message):
        self.left -= 1
        if self.left <= 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("target", [StronglySafe(Scheme({"age": Grid(100)}), 3), Geometric(0.5)])
def test_an_interrupt_ends_with_what_was_found(target):
    finding = audit(target, DPS("0.5", 1, "0.4"), data=PEOPLE, progress=StopAfter(30), search=0)
    assert isinstance(finding.verdict, Undecided)
    assert "interrupted" in finding.verdict.reason
    assert finding.cost.runs > 0


def test_an_interrupt_does_not_lose_a_refutation():
    leaky = Pair(PEOPLE.head(4), PEOPLE.head(3), Neighbours.ADD_REMOVE, "four people")
    finding = audit(Mondrian(k=2), DPS("0.5", 1, "0.1"), pairs=[leaky] * 50, progress=StopAfter(60))
    assert isinstance(finding.verdict, Refuted)


def test_a_test_that_time_ended_is_judged_by_what_it_could_have_seen():
    finding = audit(Geometric(0.5), DP("ln 2"), data=PEOPLE, budget=Budget(seconds=1.0), search=0)
    assert isinstance(finding.verdict, NotRefuted)
    assert "In nine audits of ten that is enough to find" in finding.verdict.detectable


def a_number(data, rng):
    return data.height + float(rng.laplace())


def a_text(data, rng):
    return str(round(a_number(data, rng)))


def a_table(data, rng):
    return pl.DataFrame({"count": [a_text(data, rng)]})


@pytest.mark.parametrize("target", [a_number, a_text, a_table])
@pytest.mark.parametrize("claim", [DP(1), CrowdBlending(4, 1)], ids=lambda claim: claim.notion)
def test_too_few_runs_to_see_anything_are_never_a_pass(target, claim):
    for runs in (1, 6, 7, 8, 9, 10, 16, 30, 38):
        verdict = audit(target, claim, data=PEOPLE, budget=Budget(runs), search=0).verdict
        assert isinstance(verdict, Undecided | Skipped), runs
        assert "raise" in verdict.reason
    assert isinstance(audit(target, DP(1), data=PEOPLE, budget=Budget(60), search=0).verdict, Undecided)
    assert isinstance(audit(target, DP(1), data=PEOPLE, budget=Budget(400), search=0).verdict, NotRefuted)


@pytest.mark.parametrize("claim", [DP(1), DPS("0.5", 1, "0.4"), CrowdBlending(2)], ids=lambda claim: claim.notion)
def test_a_pair_that_is_enumerated_in_part_is_not_looked_at(claim):
    target = ConstantBut(lambda _: False)
    assert isinstance(audit(target, claim, data=PEOPLE, budget=Budget(7)).verdict, Undecided | Skipped)
    assert isinstance(audit(target, claim, data=PEOPLE, budget=Budget(200)).verdict, NotRefuted)


def test_a_budget_of_nothing_is_not_one_without_limit():
    pairs = [Pair(PEOPLE, PEOPLE.head(11), Neighbours.ADD_REMOVE, "without the oldest")]
    for budget in (Budget(runs=0), Budget(seconds=0.0)):
        finding = audit(Geometric(0.5), DP("ln 2"), pairs=pairs, budget=budget)
        assert isinstance(finding.verdict, Undecided)
        assert finding.cost.runs < 10


# --- determinism ----------------------------------------------------------------------------------------------


def summary(finding):
    return {name: value for name, value in to_json(finding).items() if name != "cost"} | {"runs": finding.cost.runs}


@pytest.mark.slow
@pytest.mark.parametrize("target", [Mondrian(k=3), Geometric(0.3)])
def test_the_same_seed_gives_the_same_finding_on_any_number_of_workers(target):
    claim = DPS("0.5", 1, "0.1") if isinstance(target, Mondrian) else DP("ln 2")
    options = {"data": PEOPLE, "budget": Budget(runs=4_000), "seed": 11, "search": 5}
    here = audit(target, claim, **options)
    with runner_for(2) as cores:
        there = audit(target, claim, runner=cores, **options)
    assert summary(here) == summary(there) == summary(audit(target, claim, **options))


def test_findings_survive_the_wire():
    finding = audit(Mondrian(k=3), DPS("0.5", 1, "0.1"), data=PEOPLE)
    assert from_json(to_json(finding)) == finding


# --- what cannot be asked -------------------------------------------------------------------------------------


def test_sampling_twice_or_at_another_rate_is_an_error():
    target = Sampled("0.5", Mondrian(k=3))
    with pytest.raises(ParameterError, match="sample by itself"):
        audit(target, DPS("0.5", 1, "0.1"), data=PEOPLE)
    with pytest.raises(ParameterError, match=r"at rate 0.5, and the claim speaks of 0.2"):
        audit(target, DPS("0.2", 1, "0.1"), data=PEOPLE, sampling=Sampling.TARGET)


def test_wrong_requests_are_errors_with_a_remedy():
    pair = Pair(PEOPLE.head(4), PEOPLE.head(2), Neighbours.ADD_REMOVE, "two apart")
    with pytest.raises(DataError, match="not add-remove neighbours"):
        audit(Mondrian(k=2), DPS("0.5", 1, "0.1"), pairs=[pair])
    with pytest.raises(DataError, match="write neighbours=add-remove"):
        audit(Mondrian(k=2), DPS("0.5", 1, "0.1", "replace"), pairs=[pair])
    with pytest.raises(DataError, match="list of pairs is empty"):
        audit(Mondrian(k=2), DP(1), pairs=[])
    with pytest.raises(DataError, match="nothing to audit on"):
        audit(Mondrian(k=2), DP(1))
    with pytest.raises(ParameterError, match="false-alarm rate"):
        audit(Mondrian(k=2), DP(1), data=PEOPLE, error=Fraction(0))
    with pytest.raises(ParameterError, match="not a claim about a mechanism"):
        audit(Mondrian(k=2), Assertion("thm5", "a theorem"), data=PEOPLE)


@pytest.mark.parametrize("claim", [DP("ln 2"), DP("ln 2", neighbours="replace"), Safe()], ids=str)
def test_given_tables_that_are_no_neighbours_refute_nothing(claim):
    """The noise is right and the recoding is fixed: what tells 10 rows from 3 is nothing that was claimed."""
    target = StronglySafe(Scheme({"age": Grid(10)}), 1) if isinstance(claim, Safe) else Geometric(0.5)
    pair = Pair(PEOPLE.head(10), PEOPLE.head(3), claim.neighbours, "ten and three")
    with pytest.raises(DataError, match=r"'ten and three' are not .* neighbours: give two with the same rows, but for"):
        audit(target, claim, pairs=[pair], budget=SMALL)
    two_changed = Pair(PEOPLE.head(2), PEOPLE.slice(2, 2), claim.neighbours, "two others")
    with pytest.raises(DataError, match=r"are not .* neighbours"):
        audit(target, claim, pairs=[two_changed], budget=SMALL)


@pytest.mark.parametrize("form", ["to_pandas", "to_arrow"])
def test_tables_of_other_kinds_must_be_neighbours_too(form):
    ten, nine, three = (getattr(PEOPLE.head(rows), form)() for rows in (10, 9, 3))
    noise = Laplace(1, query=len)
    with pytest.raises(DataError, match="not add-remove neighbours"):
        audit(noise, DP(1), pairs=[_pair(ten, three)], budget=SMALL)
    assert isinstance(audit(noise, DP(1), pairs=[_pair(ten, nine)], budget=SMALL).verdict, NotRefuted)


def test_lists_of_different_lengths_are_rows_and_vectors_of_one_length_may_be_answers():
    with pytest.raises(DataError, match="not add-remove neighbours"):
        audit(Laplace(1, query=np.sum), DP(1), pairs=[_pair(np.ones(10), np.ones(3))], budget=SMALL)
    answers = [_pair(np.array([3.0, 4.0]), np.array([3.0, 5.0]))]
    assert isinstance(audit(Laplace(1), DP(1), pairs=answers, budget=SMALL).verdict, NotRefuted)
    leaky = audit(Laplace(4), DP(1), pairs=answers, budget=Budget(runs=60_000))
    assert isinstance(leaky.verdict, Refuted)


def _pair(left, right):
    return Pair(left, right, Neighbours.ADD_REMOVE, "as given")


# --- charts ---------------------------------------------------------------------------------------------------


def series(finding, title):
    chart = next(each for each in finding.evidence if isinstance(each, Chart) and each.title == title)
    return {each.name: each for each in chart.series}


@pytest.mark.parametrize(
    ("target", "delta", "verdict"),
    [(Mondrian(k=3), "0.1", Refuted), (StronglySafe(Scheme({"age": Grid(100)}), 3), "0.4", NotRefuted)],
)
def test_the_claimed_point_lies_below_the_exact_profile_where_the_claim_is_refuted(target, delta, verdict):
    pairs = [Pair(PEOPLE.head(4), PEOPLE.head(3), Neighbours.ADD_REMOVE, "four people")]
    finding = audit(target, DPS("0.5", 1, delta), pairs=pairs)
    lines = series(finding, "Privacy profile of the pair")
    claimed = lines.pop("claimed")
    assert isinstance(finding.verdict, verdict)
    assert (claimed.x, claimed.y, claimed.points) == ((1.0,), (float(delta),), True)
    reached = max(line.y[line.x.index(1.0)] for line in lines.values())
    assert (reached > claimed.y[0]) == (verdict is Refuted)


@pytest.mark.parametrize(("alpha", "verdict"), [(0.2, Refuted), (0.5, NotRefuted)])
def test_the_evidence_crosses_its_threshold_where_the_claim_is_refuted(alpha, verdict):
    pairs = [Pair(PEOPLE.head(4), PEOPLE.head(3), Neighbours.ADD_REMOVE, "four people")]
    finding = audit(
        Geometric(alpha), DP("ln 2"), pairs=pairs, budget=Budget(runs=60_000), error=Fraction(1, 10**4), search=0
    )
    lines = series(finding, "Evidence against the claim")
    wealth, threshold = lines["evidence"], lines["refutes from here on"]
    assert isinstance(finding.verdict, verdict)
    assert threshold.x == wealth.x
    assert threshold.y == pytest.approx([4 * math.log(10)] * len(wealth.x))
    assert (max(wealth.y) >= threshold.y[0]) == (verdict is Refuted)


@pytest.mark.parametrize("written", ["1/10", 0.1, "0.1", Fraction(1, 10)])
def test_the_error_may_be_written_like_any_other_number(written):
    finding = audit(Laplace(1), DP(2), data=[0.0, 1.0], budget=Budget(runs=100), error=written)
    assert finding.reproduce.parameters["error"] == "0.1"


@pytest.mark.parametrize("written", [0, 1.0, "nan", "often"])
def test_an_error_that_is_no_rate_is_one_sentence(written):
    with pytest.raises(ParameterError, match="error is"):
        audit(Laplace(1), DP(2), data=[0.0, 1.0], error=written)
