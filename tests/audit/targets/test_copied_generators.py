"""Copies of a target, by a fork or in another worker, repeat no draw of one another: true claims stay unrefuted."""

import array
import ctypes
import hashlib
import itertools
import os
import pickle
import random
from collections import Counter, deque
from datetime import date
from decimal import Decimal
from fractions import Fraction

import cloudpickle
import numpy as np
import polars as pl
import pytest

from crowdproof.audit import Budget, Pair, audit
from crowdproof.audit.runners.cores import Cores
from crowdproof.audit.runners.inline import Inline
from crowdproof.audit.targets import load_target
from crowdproof.audit.targets.generators import Sent, reachable, reseed
from crowdproof.audit.targets.memory import fingerprint
from crowdproof.claims import DP, Neighbours
from crowdproof.findings import Refuted

pytestmark = pytest.mark.processes

PEOPLE = pl.DataFrame({"age": [31, 34, 38, 52, 57, 91]})
TWELVE = pl.DataFrame({"age": list(range(31, 43))})

HEAD = """
import random, uuid
import numpy as np
NUMPY, LEGACY, PLAIN = np.random.default_rng(), np.random.RandomState(), random.Random()
CALLS = [0]

def flip(likely):
    return {draw} < likely

def response(people, odds):
    truth = bool((people["age"] > 60).any())
    return truth if flip(odds / (1 + odds)) else not truth
"""
DRAWS = {"numpy": "NUMPY.random()", "legacy": "LEGACY.random_sample()", "plain": "PLAIN.random()"}
SOURCES = {
    "receipt": """
def release(people):
    return {"receipt": str(uuid.uuid4()), "answer": int(response(people, ODDS))}
""",
    "counted": """
def release(people):
    CALLS[0] += 1
    return f"{int(response(people, ODDS))} (answer {CALLS[0]})"
""",
}


@pytest.fixture
def write(tmp_path):
    def _write(draw, body, odds):
        path = tmp_path / "copied.py"
        path.write_text(HEAD.replace("{draw}", DRAWS[draw]) + f"ODDS = {odds}\n" + SOURCES[body])
        return f"{path}:release"

    return _write


@pytest.mark.parametrize(
    ("draw", "body", "isolate"),
    [
        ("numpy", "receipt", "auto"),
        ("legacy", "counted", "auto"),
        ("plain", "receipt", "fresh"),
        ("numpy", "counted", "fresh"),
    ],
)
def test_a_generator_made_on_import_refutes_no_true_claim_and_its_leaky_twin_is_refuted(write, draw, body, isolate):
    pair = Pair(PEOPLE, PEOPLE.head(5), Neighbours.ADD_REMOVE, "with and without the oldest")
    for odds, refuted in ((2, False), (200, True)):
        with load_target(write(draw, body, odds), isolate=isolate) as target:
            finding = audit(target, DP("ln 2"), pairs=[pair], budget=Budget(runs=320, seconds=60.0), search=0)
        assert isinstance(finding.verdict, Refuted) == refuted, (odds, finding.verdict)


def test_a_generator_that_only_other_data_reach_refutes_no_true_claim(tmp_path):
    """On the data itself nothing is drawn, so trial runs show state and no randomness."""
    (tmp_path / "odd.py").write_text(
        "import numpy as np\nRNG = np.random.default_rng()\nCALLS = [0]\n\n\ndef release(people):\n    CALLS[0] += 1\n"
        "    odd = max(0, 6 - people.height) * 0.15\n"
        '    word = "b" if odd and RNG.random() < odd else "a"\n    return f"{word} (answer {CALLS[0]})"\n'
    )
    with load_target(f"{tmp_path / 'odd.py'}:release") as target:
        finding = audit(target, DP(0, "0.15"), data=TWELVE, budget=Budget(runs=600, seconds=30.0), search=20)
    assert not isinstance(finding.verdict, Refuted)


def _response(odds, own):
    def release(data, rng):
        return "yes" if (own.random() < odds / (1 + odds)) == bool(len(data) % 2) else "no"

    return release


@pytest.mark.parametrize("make", [np.random.default_rng, random.Random], ids=["numpy", "plain"])
def test_a_generator_in_a_closure_is_not_repeated_by_each_chunk_of_a_worker(make):
    pair = Pair([1, 1], [1], Neighbours.ADD_REMOVE, "two and one")
    with Cores(2) as cores:

        def verdict(odds, seed):
            target = _response(odds, make(seed))
            found = audit(target, DP("ln 3"), pairs=[pair], budget=Budget(runs=6_000), seed=seed, runner=cores)
            return found.verdict.name

        assert Counter(verdict(3, seed) for seed in range(4)) == {"NOT_REFUTED": 4}
        assert verdict(30, 1) == "REFUTED"


@pytest.mark.parametrize(
    "make",
    [
        random.Random,
        np.random.default_rng,
        np.random.RandomState,
        lambda: np.random.Generator(np.random.Philox()),
        lambda: np.random.Generator(np.random.SFC64()),
    ],
)
def test_reseeding_starts_a_generator_anew_and_two_of_them_apart(make):
    one, two = make(), make()

    def drawn(generator):
        normal = generator.gauss(0, 1) if isinstance(generator, random.Random) else generator.normal()
        return normal, generator.random()

    before = [drawn(each) for each in (one, two)]
    held = reachable([one, two])
    results = []
    for _ in range(2):
        reseed(held, np.random.SeedSequence(7))
        results.append([drawn(each) for each in (one, two)])
    assert results[0] == results[1]
    assert results[0][0] != results[0][1]
    assert results[0] != before


def test_only_a_copy_is_reseeded():
    own = np.random.default_rng(5)
    sent = Sent(_response(3, own))
    expected = np.random.default_rng(5).random()
    with sent.ready(np.random.SeedSequence(1)):
        assert own.random() == expected
    copies = [pickle.loads(cloudpickle.dumps(sent)) for _ in range(2)]

    def drawn(place):
        with copies[place].ready(np.random.SeedSequence(place)) as release:
            return [release([1], None) for _ in range(64)]

    assert drawn(0) != drawn(1)


MULTIPLIER, INCREMENT = 6364136223846793005, 1442695040888963407
STATE = [1]


def _uniform(state):
    state[0] = (state[0] * MULTIPLIER + INCREMENT) % 2**64
    return (state[0] >> 33) / 2**31


def in_the_module(data, rng):
    return "yes" if (_uniform(STATE) < 0.75) == bool(len(data) % 2) else "no"


class InAnAttribute:
    def __init__(self):
        self.state = [7]

    def __call__(self, data, rng):
        return "yes" if (_uniform(self.state) < 0.75) == bool(len(data) % 2) else "no"


class InAnArray(InAnAttribute):
    def __init__(self):
        self.state = np.array([7], dtype=object)


class InANumber(InAnAttribute):
    def __init__(self):
        self.number = 7

    def __call__(self, data, rng):
        state = [self.number]
        drawn = _uniform(state)
        self.number = state[0]
        return "yes" if (drawn < 0.75) == bool(len(data) % 2) else "no"


def _in_a_closure():
    state = [9]

    def release(data, rng):
        return "yes" if (_uniform(state) < 0.75) == bool(len(data) % 2) else "no"

    return release


@pytest.mark.parametrize("make", [lambda: in_the_module, InAnAttribute, InAnArray, InANumber, _in_a_closure])
def test_a_target_that_changes_as_it_runs_stays_in_one_process(make):
    """Each copy would repeat the draws of the others: true claims were refuted so."""
    pair = Pair([1, 1], [1], Neighbours.ADD_REMOVE, "two and one")
    with Cores(2) as cores:
        finding = audit(make(), DP("ln 3"), pairs=[pair], budget=Budget(runs=2_000), seed=1, runner=cores)
        assert finding.verdict.name == "NOT_REFUTED"
        assert "One process" in [getattr(each, "title", "") for each in finding.evidence]


def in_c(data, rng):
    """Draws from the generator of the C library, which begins with the same seed in every process."""
    drawn = ctypes.CDLL(None).rand() / 2**31
    return "yes" if (drawn < 0.75) == bool(len(data) % 2) else "no"


def from_the_system(data, rng):
    return "yes" if (int.from_bytes(os.urandom(2), "big") % 4 < 3) == bool(len(data) % 2) else "no"


def from_numpy_itself(data, rng):
    return "yes" if (np.random.random() < 0.75) == bool(len(data) % 2) else "no"  # noqa: NPY002


def from_the_seed(data, rng):
    return "yes" if (rng.random() < 0.75) == bool(len(data) % 2) else "no"


def in_c_on_the_second_dataset(data, rng):
    return in_c(data, rng) if data == [2, 2] else from_the_seed(data, rng)


def test_what_is_drawn_on_another_dataset_is_looked_at_too():
    pairs = [Pair([value, value], [value], Neighbours.ADD_REMOVE, "two and one") for value in (1, 2)]
    with Cores(2) as cores:
        budget = Budget(runs=2_000)
        finding = audit(in_c_on_the_second_dataset, DP("ln 3"), pairs=pairs, budget=budget, seed=1, runner=cores)
        assert finding.verdict.name == "NOT_REFUTED"
        assert "One process" in [getattr(each, "title", "") for each in finding.evidence]


@pytest.mark.parametrize(
    ("release", "stays"), [(in_c, True), (from_the_system, True), (from_numpy_itself, False), (from_the_seed, False)]
)
def test_what_no_seed_repeats_stays_in_one_process(release, stays):
    """Copies in several workers might all draw the same, where nobody can see the state of the generator."""
    pair = Pair([1, 1], [1], Neighbours.ADD_REMOVE, "two and one")
    with Cores(2) as cores:
        finding = audit(release, DP("ln 3"), pairs=[pair], budget=Budget(runs=2_000), seed=1, runner=cores)
        assert finding.verdict.name == "NOT_REFUTED"
        assert ("One process" in [getattr(each, "title", "") for each in finding.evidence]) == stays
        leaky = audit(release, DP("ln 2"), pairs=[pair], budget=Budget(runs=20_000), seed=1, runner=cores)
        assert leaky.verdict.name == "REFUTED"


MANY_SOURCES = """
import random, numpy as np
own, legacy, pure = np.random.default_rng(5), np.random.RandomState(5), random.Random(5)

def release(table, rng):
    return [
        random.random(), random.random(), np.random.random_sample(), np.random.random_sample(),
        rng.random(), rng.spawn(1)[0].random(), own.random(), legacy.random_sample(),
        pure.random(), random.Random(random.getrandbits(32)).random(),
    ]
"""


@pytest.mark.parametrize("isolate", ["none", "worker", "fresh", "spawn"])
def test_no_two_sources_of_one_run_draw_the_same(isolate, tmp_path):
    """`random` and `numpy.random` were one and the same stream: noise that needs both was no noise."""
    (tmp_path / "sources.py").write_text(MANY_SOURCES)
    seeds = [0, 1, 7, 2**32 - 1, 2**32, 12345 << 32 | 6789, 2**63 - 1]
    with load_target(f"{tmp_path / 'sources.py'}:release", isolate=isolate) as target:
        drawn = [number for each in target.runs(pl.DataFrame({"a": [1]}), seeds) for number in each]
    if isolate == "none":  # the module's own generators go on from run to run there, and need no seed
        assert len(set(drawn)) == len(drawn)
    else:
        assert len({round(number, 9) for number in drawn}) == len(drawn)


def two_sources(table, rng):
    """Discrete Laplace noise at epsilon 1, as the difference of two geometric numbers of different generators."""
    one, two = (int(-np.log(1 - each)) for each in (random.random(), np.random.random_sample()))  # noqa: NPY002
    return table.height + one - two


@pytest.mark.parametrize(("claim", "verdict"), [(DP(1), "NOT_REFUTED"), (DP("1/2"), "REFUTED")])
def test_noise_of_two_generators_is_noise(claim, verdict):
    table = pl.DataFrame({"age": [34, 41, 29, 60]})
    with Cores(2) as cores:
        for runner in (Inline(), cores):
            finding = audit(two_sources, claim, data=table, budget=Budget(runs=20_000), seed=1, runner=runner)
            assert finding.verdict.name == verdict


class Chained:
    """Noise out of a chain of hashes, whose state nobody can look into, and which begins anew where it is copied."""

    def __init__(self, key):
        self.key, self.chain = key, hashlib.sha256(key)

    def __reduce__(self):
        return Chained, (self.key,)

    def __call__(self, data, rng):
        self.chain.update(b"next")
        drawn = int.from_bytes(self.chain.digest()[:4], "big") / 2**32
        return "yes" if (drawn < 0.75) == bool(len(data) % 2) else "no"


@pytest.mark.parametrize(("claim", "verdict"), [(DP("ln 3"), "NOT_REFUTED"), (DP("ln 2"), "REFUTED")])
def test_state_that_begins_anew_in_every_copy_is_not_copied(claim, verdict):
    pair = Pair([1, 1], [1], Neighbours.ADD_REMOVE, "two and one")
    with Cores(2) as cores:
        for seed in range(3):
            release, budget = Chained(bytes([seed])), Budget(runs=20_000)
            finding = audit(release, claim, pairs=[pair], budget=budget, seed=seed, runner=cores)
            assert finding.verdict.name == verdict


def _counted():
    number = 0
    while True:
        number += 1
        yield number


class Own(int):
    pass


STORES = {
    "bytes that can change": (lambda: bytearray(8), lambda held: held.__setitem__(0, 1)),
    "a number of ctypes": (lambda: ctypes.c_uint64(1), lambda held: setattr(held, "value", 2)),
    "an array of Python": (lambda: array.array("Q", [1]), lambda held: held.__setitem__(0, 2)),
    "a queue": (lambda: deque([1, 2]), lambda held: held.rotate()),
    "an iterator": (_counted, next),
    "numbers of numpy": (lambda: {"state": np.uint64(1)}, lambda held: held.update(state=np.uint64(2))),
    "a decimal": (lambda: {"state": Decimal(1)}, lambda held: held.update(state=Decimal(2))),
    "a fraction in a list in a dictionary": (lambda: {"a": [Fraction(1)]}, lambda held: held["a"].append(Fraction(2))),
    "an iterator over numbers": (lambda: iter(range(5, 90)), next),
    "a count": (lambda: itertools.count(7), next),
    "a moment": (lambda: {"state": date(2026, 1, 1)}, lambda held: held.update(state=date(2026, 1, 2))),
    "a column": (lambda: {"state": pl.Series([1])}, lambda held: held.update(state=pl.Series([2]))),
    "a number of a kind of its own": (lambda: {"state": Own(1)}, lambda held: held.update(state=Own(2))),
    "texts": (lambda: {"é\ud800"}, lambda held: held.add("b")),
}


@pytest.mark.parametrize("name", STORES)
def test_a_change_is_seen_wherever_it_is_kept(name):
    make, change = STORES[name]
    held = make()

    class Holding:
        def __call__(self, data, rng):
            return held

    release = Holding()
    release.held = held
    before = fingerprint(release)
    assert fingerprint(release) == before
    change(held)
    assert fingerprint(release) != before


class Late(InAnAttribute):
    """Draws from a generator of its own, but not on the few runs by which it is tried."""

    def __init__(self):
        super().__init__()
        self.held = [0]

    def __call__(self, data, rng):
        if rng.random() < 0.02:
            return super().__call__(data, rng)
        return "no"


def test_copies_of_a_target_that_is_seen_to_change_later_are_no_evidence():
    pair = Pair([1, 1], [1], Neighbours.ADD_REMOVE, "two and one")
    with Cores(2) as cores:
        finding = audit(Late(), DP("ln 3"), pairs=[pair], budget=Budget(runs=2_000), seed=1, runner=cores)
    assert finding.verdict.name == "SKIPPED"
    assert "changes as it runs" in str(finding.verdict)


def test_the_error_stays_what_it_was_over_many_audits_of_copies():
    """At a level where false alarms would show: one draw that all chunks share is refuted in most of them."""
    pair = Pair([1, 1], [1], Neighbours.ADD_REMOVE, "two and one")
    with Cores(2) as cores:
        refuted = sum(
            isinstance(
                audit(
                    _response(3, np.random.default_rng()),
                    DP("ln 3"),
                    pairs=[pair],
                    budget=Budget(runs=1_500),
                    error=Fraction(1, 20),
                    seed=seed,
                    runner=cores,
                ).verdict,
                Refuted,
            )
            for seed in range(20)
        )
    assert refuted <= 5
