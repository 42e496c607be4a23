"""Evidence over many gates, with the real test by betting: small leaks are found in time, true claims are not."""

import contextlib
import json
import sqlite3
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from gate_projects import entry, project_file

from crowdproof.audit.compare.question import Question
from crowdproof.audit.gate import Options, read_project, run_gate
from crowdproof.audit.gate.auditing import AuditEngine, Subject
from crowdproof.audit.gate.cases import Case
from crowdproof.audit.gate.evidence import Epoch
from crowdproof.audit.request import Budget, Request
from crowdproof.audit.runners.inline import Inline
from crowdproof.findings import NotRefuted, Refuted

TABLE = pl.DataFrame({"age": [40]})


class NoisyCount:
    """Rows plus two-sided geometric noise: exactly epsilon-DP, and no better."""

    k = 1  # so that few pairs are proposed

    def __init__(self, epsilon):
        self.stay = -np.expm1(-epsilon)

    def batch(self, table, rng, size):
        return (table.height + rng.geometric(self.stay, size) - rng.geometric(self.stay, size)).astype(float)

    def __call__(self, table, rng):
        return float(self.batch(table, rng, 1)[0])


class InMemory(AuditEngine):
    """The real engine on a vectorised mechanism."""

    def __init__(self, epsilon, runs):
        self.mechanism, self.runs = NoisyCount(epsilon), runs

    def prepare(self, entry, project, *, seconds):
        request = Request(self.mechanism, entry.claim, TABLE, None, Budget(), Fraction(1, 2), 0, Inline(), None)
        return Case(entry, Subject(self.mechanism, Question.of(request)), TABLE, self.runs)

    def release(self, case):
        pass


def gates(tmp_path, epsilon, runs, count):
    path = project_file(tmp_path, entry("count"), head="evidence = 'kept.sqlite'")
    for seed in range(count):
        (finding,) = run_gate(read_project(path), Options(seed), InMemory(epsilon, runs)).findings
        yield finding


@pytest.mark.long
def test_five_per_cent_too_much_passes_short_runs_and_is_refuted_in_time(tmp_path):
    verdicts = []
    for finding in gates(tmp_path, 1.05, 20_000, 100):
        verdicts.append(type(finding.verdict))
        if verdicts[-1] is Refuted:
            break
    assert verdicts[0] is NotRefuted
    assert len(verdicts) > 3
    assert verdicts[-1] is Refuted
    assert finding.verdict.witness.event.words


@pytest.mark.long
def test_the_mechanism_at_its_claim_is_not_refuted_by_the_same(tmp_path):
    assert {type(each.verdict) for each in gates(tmp_path, 1.0, 20_000, 10)} == {NotRefuted}


EARLY_SCORE = {
    "kind": "additive",
    "reader": {"kind": "numbers", "width": 1, "whole": False},
    "rank": [0, 1, 2, 1],
    "features": [["bit", 0, 51]],
    "edges": [[5e-324, 1.0]],
    "weights": [[0.1, 0.0, -0.1, 0.0]],
    "cuts": [],
}
"""What an early build of version 0.1 learned: its reader has a width where today's has a shape."""


def test_what_an_early_build_learned_is_not_read_and_its_evidence_counts(tmp_path):
    next(gates(tmp_path, 1.0, 2_000, 1))
    (path,) = tmp_path.glob("*.sqlite")
    with contextlib.closing(sqlite3.connect(path)) as base, base:
        (known,) = base.execute("SELECT state FROM epochs").fetchone()
        pairs = [{**each, "score": EARLY_SCORE} for each in json.loads(known)["state"]["pairs"]]
        early = {"crowdproof": "0.1.0", "state": {"pairs": pairs}}
        base.execute("UPDATE epochs SET state = ?", (json.dumps(early),))
    finding = next(gates(tmp_path, 1.0, 2_000, 1))
    assert finding.verdict.name in {"NOT_REFUTED", "UNDECIDED"}
    assert "2 runs of the gate" in finding.evidence[0].text


@pytest.mark.parametrize("alpha", [Fraction(1, 20), Fraction(1, 200)])
def test_ten_thousand_gates_at_the_edge_stay_within_the_level(alpha):
    """Randomized response exactly at its claim; each gate bets on what the gates before have seen; 400 lives.

    The number of lives that ever reach 1/alpha is binomial with mean at most 400 alpha: the bound is exceeded by chance
    with probability below 1e-6.
    """
    lives, count, trials = 400, 10_000, 20
    rng = np.random.default_rng(11)
    x = np.e
    p, q = x / (1 + x), 1 / (1 + x)
    log_e = np.zeros(lives)
    peak = np.zeros(lives)
    left, right = np.full(lives, 1.0), np.full(lives, 1.0)
    for gate in range(count):
        stake = np.clip((left - x * right) / (trials * (gate + 2)), 0, 0.2) / x  # of what was seen before, predictable
        a, b = rng.binomial(trials, p, lives), rng.binomial(trials, q, lives)
        log_e += a * np.log1p(stake) + b * np.log1p(-x * stake)  # mean at most exp(trials stake (p - x q)) = 1
        peak = np.maximum(peak, log_e)
        left, right = left + a, right + b
    refuted = int((peak >= -np.log(float(alpha))).sum())
    allowed = next(n for n in range(lives) if _binomial_tail(n, lives, float(alpha)) < 1e-6)
    assert refuted < allowed
    assert (peak < -np.log(float(Epoch(1).alpha(Fraction(1, 10**6))))).all()


def _binomial_tail(n, total, p):
    from scipy.stats import binom

    return binom.sf(n - 1, total, p)
