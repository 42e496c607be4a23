"""A leak that needs one row more than the user's data has is found on the data with a row added."""

import numpy as np
import polars as pl
import pytest

from crowdproof import DP, NotRefuted, Refuted
from crowdproof.audit import Budget, audit
from crowdproof.audit.targets import load_target

SIX = pl.DataFrame({"age": [20, 30, 40, 50, 60, 70], "sex": ["f", "m"] * 3})


def noisy_count(leaks):
    """A count with noise for epsilon = 1, which gives itself away on tables larger than the user's."""

    def publish(table, rng):
        noise = int(rng.geometric(1 - np.exp(-1.0)) - rng.geometric(1 - np.exp(-1.0)))
        return table.height + noise + (1000 if leaks and table.height > SIX.height else 0)

    return publish


@pytest.mark.long
@pytest.mark.parametrize(("leaks", "verdict"), [(True, Refuted), (False, NotRefuted)])
def test_a_leak_on_larger_tables_than_the_users(leaks, verdict):
    target = load_target(noisy_count(leaks), isolate="none")
    found = audit(target, DP(1), data=SIX, budget=Budget(runs=8_000), search=0, seed=1)
    assert isinstance(found.verdict, verdict)
