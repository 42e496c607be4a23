"""`check` and pycanon 1.3.6 agree wherever pycanon is right; where it is not, brute force decides."""

import warnings
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from crowdproof.audit.check.closeness import equal, ordered
from crowdproof.audit.check.diversity import distinct, entropy, recursive
from crowdproof.audit.check.groups import group, spread
from crowdproof.data import adult

pytestmark = pytest.mark.integration

KNOWN = ["sex", "race", "education"]


@pytest.fixture(scope="module")
def people():
    return adult().select(*KNOWN, "age", "occupation", "hours_per_week").drop_nulls().head(4000)


@pytest.fixture(scope="module")
def rival():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pycanon import anonymity
    return anonymity


def test_the_version_is_the_one_that_was_compared_with():
    from importlib.metadata import version

    assert version("pycanon") == "1.3.6"


def test_k_agrees(people, rival):
    table = people.to_pandas()
    for known in (["sex"], ["sex", "race"], KNOWN, [*KNOWN, "age"]):
        assert int(group(people.lazy(), known).sizes.min()) == rival.k_anonymity(table, known)


def test_l_agrees(people, rival):
    table, found = people.to_pandas(), spread(people.lazy(), KNOWN, "occupation")
    assert distinct(found, 2).value == rival.l_diversity(table, KNOWN, ["occupation"])
    assert int(entropy(found, 2).value) == rival.entropy_l_diversity(table, KNOWN, ["occupation"])


def test_recursive_l_agrees_only_where_all_values_are_equally_frequent(rival):
    """pycanon sorts the counts the wrong way round: its r_1 is the rarest value, not the commonest."""
    even = pl.DataFrame({"zip": ["1"] * 8 + ["2"] * 8, "job": list("aabbccdd") * 2})
    c, l = rival.recursive_c_l_diversity(even.to_pandas(), ["zip"], ["job"])  # noqa: E741
    assert recursive(spread(even.lazy(), ["zip"], "job"), l, Fraction(int(c))).holds
    assert not recursive(spread(even.lazy(), ["zip"], "job"), l, Fraction(int(c) - 1)).holds

    uneven = pl.DataFrame({"zip": ["1"] * 10, "job": list("aaaabbbccd")})
    c, l = rival.recursive_c_l_diversity(uneven.to_pandas(), ["zip"], ["job"])  # noqa: E741
    counts = sorted(Counter(uneven["job"].to_list()).values(), reverse=True)
    holds = counts[0] < int(c) * sum(counts[l - 1 :])
    assert not holds
    assert recursive(spread(uneven.lazy(), ["zip"], "job"), l, Fraction(int(c))).holds is holds


def test_t_agrees_for_both_distances(people, rival):
    table = people.to_pandas()
    for measure, column in ((equal, "occupation"), (ordered, "hours_per_week")):
        ours = measure(spread(people.lazy(), KNOWN, column), Fraction(1)).value
        assert float(ours) == pytest.approx(rival.t_closeness(table, KNOWN, [column]), abs=1e-9)


def test_a_shuffled_index_does_not_mislead_us(rival):
    """pycanon takes row labels for positions: after a filter or a shuffle it looks at other rows, or falls."""
    people = pl.DataFrame({"zip": ["1"] * 4 + ["2"] * 4, "job": list("aabbabcd")})
    right = distinct(spread(people.lazy(), ["zip"], "job"), 2).value
    assert right == 2
    order = np.array([7, 2, 5, 0, 3, 6, 1, 4])
    shuffled = people.to_pandas().iloc[order]
    assert distinct(spread(pl.from_pandas(shuffled).lazy(), ["zip"], "job"), 2).value == right
    assert rival.l_diversity(people.to_pandas(), ["zip"], ["job"]) == right
    assert _fails_or(lambda: rival.l_diversity(shuffled, ["zip"], ["job"])) != right


def test_missing_values_are_not_forgotten(rival):
    """pandas leaves groups with a missing key out, so the rows that stand out most are not counted."""
    people = pl.DataFrame({"zip": ["1"] * 5 + ["2"] * 5 + [None], "job": ["a"] * 11})
    truth = min(Counter(people["zip"].to_list()).values())
    assert int(group(people.lazy(), ["zip"]).sizes.min()) == truth == 1
    assert _fails_or(lambda: rival.k_anonymity(people.to_pandas(), ["zip"])) != truth


def _fails_or(run):
    try:
        return run()
    except (IndexError, KeyError, ValueError, pd.errors.IndexingError):
        return None
