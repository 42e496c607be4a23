"""The pytest plugin, in a suite of its own as a user has it."""

import subprocess
import sys
import textwrap

import polars as pl
import pytest

from crowdproof.audit.gate.assertion import PrivacyError, assert_private
from crowdproof.errors import TargetError

TABLE = pl.DataFrame({"age": [20, 20, 30, 30, 30, 95]})

SUITE = """
import os

import numpy as np
import polars as pl
import pytest

TABLE = pl.DataFrame({"age": [20, 20, 30, 30, 30, 95]})

def noisy_count(table, rng, epsilon=1.0):
    stay = -np.expm1(-epsilon)
    return int(table.height + rng.geometric(stay) - rng.geometric(stay))

def leaky_count(table, rng):
    return noisy_count(table, rng, epsilon=4.0)

@pytest.mark.privacy_claim("dp(epsilon=1)", data=TABLE, runs=1500)
def test_noisy(assert_private):
    assert_private(noisy_count)

@pytest.mark.privacy_claim("dp(epsilon=1)", data=TABLE, runs=1500)
def test_leaky(assert_private):
    assert_private(leaky_count)

@pytest.mark.privacy_claim("dp(epsilon=1)")
def test_forgot_to_audit():
    pass

def test_without_a_claim(assert_private):
    assert_private(noisy_count, data=TABLE)

def test_claim_in_place(assert_private):
    assert_private(noisy_count, "dp(epsilon=1)", data=TABLE, runs=1500)

@pytest.mark.privacy_claim("dp(epsilon=1)", data=TABLE)
def test_broken(assert_private):
    assert_private(lambda table, rng: 1 / 0)

@pytest.mark.privacy_claim("dp(epsilon=1)", data=TABLE)
def test_that_ends_everything(assert_private):
    assert_private(lambda table, rng: os._exit(0))

@pytest.mark.privacy_claim("dp(epsilon=1)", data=TABLE)
def test_that_exits(assert_private):
    assert_private(lambda table, rng: exit(0))

def test_of_something_else():
    pass
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("suite")
    (folder / "test_release.py").write_text(SUITE)
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "--strict-markers", "-p", "no:cacheprovider", str(folder)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_claims_pass_and_fail_as_they_should(ran):
    outcome = {
        line.split("::")[1].split(" ")[0]: line.split(" ")[0] for line in ran.stdout.splitlines() if ".py::" in line
    }
    assert outcome == {
        "test_noisy": "PASSED",
        "test_leaky": "FAILED",
        "test_forgot_to_audit": "FAILED",
        "test_without_a_claim": "FAILED",
        "test_claim_in_place": "PASSED",
        "test_broken": "FAILED",
        "test_that_ends_everything": "FAILED",
        "test_that_exits": "FAILED",
        "test_of_something_else": "PASSED",
    }


def test_a_failure_shows_the_witness(ran):
    for words in (
        "the claim dp(epsilon=1) did not hold up",
        "The claim is false",
        "has",
        "probability",
        "audited nothing",
    ):
        assert words in ran.stdout
    assert "ZeroDivisionError" in ran.stdout


def test_the_library_is_not_loaded_until_it_is_used():
    script = textwrap.dedent(
        """
        import sys
        import crowdproof.pytest_plugin
        heavy = [name for name in ("numpy", "polars", "scipy", "crowdproof.audit") if name in sys.modules]
        sys.exit(" ".join(heavy) or 0)
        """
    )
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert loaded.returncode == 0, loaded.stderr


def test_the_assertion_hands_back_or_raises_its_finding():
    finding = assert_private(lambda table, rng: 3, "dp(epsilon=1)", data=TABLE, runs=200, deterministic=True)
    assert finding.verdict.name == "NOT_REFUTED"
    with pytest.raises(PrivacyError) as caught:
        assert_private(lambda table, rng: table.height, "dp(epsilon=1)", data=TABLE, runs=200, deterministic=True)
    assert caught.value.finding.verdict.name == "REFUTED"
    assert isinstance(caught.value, AssertionError)


def test_what_cannot_be_decided_or_run_does_not_pass():
    def slow(table, rng):
        return float(rng.normal())

    with pytest.raises(PrivacyError, match="UNDECIDED"):
        assert_private(slow, "dp(epsilon=1)", data=TABLE, runs=10**9, seconds=0.2)

    def broken(table, rng):
        raise KeyError("age")

    with pytest.raises(TargetError, match="age"):
        assert_private(broken, "dp(epsilon=1)", data=TABLE)
