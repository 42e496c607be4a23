"""A sample used twice: the exact numbers again from the running mechanisms, and harmless with fresh samples."""

from fractions import Fraction

import numpy as np
import polars as pl

from crowdproof.attacks import reuse
from crowdproof.attacks.measure import proportion
from crowdproof.mechanisms import Grid, Scheme, StronglySafe, poisson_sample


def test_one_sample_shows_the_person_and_fresh_ones_do_not():
    story = reuse.run()
    assert story.victim.succeeds
    assert story.victim.baseline.high == 0
    assert story.defended is not None
    assert not story.defended.succeeds


def test_the_exact_numbers_are_those_of_the_running_mechanisms():
    """Each interval misses with probability 1e-6."""
    k, others, trials, rng = 3, 8, 800, np.random.default_rng(4)
    wide, narrow = (StronglySafe(Scheme({"age": Grid(width)}), k) for width in (20, 10))
    table = pl.DataFrame({"age": [5] * others + [15]})
    same = fresh = 0
    for _ in range(trials):
        one, other = (poisson_sample(table, "1/2", rng) for _ in range(2))
        same += _differ(wide(one), narrow(one))
        fresh += _differ(wide(one), narrow(other))
    story = reuse.run(k=k, others=others)
    assert story.defended is not None
    for hits, exact in ((same, story.victim.success.low), (fresh, story.defended.success.low)):
        interval = proportion(hits, trials, Fraction(1, 10**6))
        assert interval.low <= exact <= interval.high


def _differ(wide: pl.DataFrame, narrow: pl.DataFrame) -> bool:
    """Whether the narrow cell is shown, and the wide one shows more."""
    young = narrow.filter(pl.col("age") == "[0, 10)").height
    return 0 < young < wide.height
