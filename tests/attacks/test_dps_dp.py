"""A DPS bit beside a DP count: certified by the ledger, met by the running mechanisms, harmless on fresh samples."""

from fractions import Fraction

import numpy as np
import pytest

from crowdproof.attacks import dps_dp
from crowdproof.attacks.measure import proportion
from crowdproof.errors import ParameterError

MILLION = Fraction(1, 10**6)


def test_the_pair_of_one_sample_breaks_what_adding_up_promises_and_fresh_samples_keep_it():
    story = dps_dp.run(trials=20_000)
    assert story.victim.succeeds
    assert story.victim.advantage.low > Fraction(46, 100)
    assert story.victim.allowed < Fraction(7, 100)
    assert story.defended is not None
    assert not story.defended.succeeds
    assert story.defended.advantage.low <= 0 <= story.defended.advantage.high


def test_the_certified_probabilities_hold_for_the_mechanisms_as_they_run():
    """Each interval misses with probability 1e-6."""
    story, rng, trials = dps_dp.run(trials=10), np.random.default_rng(2), 200_000
    for person, known in ((True, story.victim.success), (False, story.victim.baseline)):
        hits = dps_dp.bets(10**8, 64, trials, rng, person=person, fresh=False)
        seen = proportion(hits, trials, MILLION)
        assert seen.low <= known.high
        assert known.low <= seen.high


def test_the_numbers_are_the_ledgers():
    assert dps_dp.certified("alone", 10**8, 64) < Fraction(257, 10**5) + Fraction(1, 10**5)
    assert dps_dp.certified("pair", 10**8, 64) > Fraction(4476, 10**4)
    assert dps_dp.certified("alone", 10**10, 64) < dps_dp.certified("alone", 10**8, 64)


def test_the_printed_form_is_shown_with_its_defects():
    rows = dict(dps_dp.printed_defects().rows)
    assert rows["the event has probability 0 without the person"].startswith("0.00798")
    assert "0.2540 for a man, 0.2500 for a woman" in rows["and 1/4 with them"]
    assert "0.500000" in rows["the bit is DPS"]


@pytest.mark.parametrize("given", [{"at_least": 101}, {"at_least": 128, "block": 60}, {"at_least": 64, "block": 2}])
def test_what_is_not_certified_is_refused(given):
    with pytest.raises(ParameterError, match=r"even number|raise both"):
        dps_dp.run(**given)
