"""The distance by a hierarchy, against the cheapest way to move one law onto the other, found by linear programming."""

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy import optimize

from crowdproof.audit.check import Terms, check
from crowdproof.audit.check.groups import spread
from crowdproof.audit.check.hierarchies import hierarchical, hierarchy
from crowdproof.cli import cli
from crowdproof.errors import DataError, ParameterError

TREE = {
    "flu": ("lung", "inner"),
    "cold": ("lung", "inner"),
    "ulcer": ("stomach", "inner"),
    "gout": ("joints", "outer"),
    "rash": ("skin", "outer"),
}


def apart(one, other):
    """The level at which two values meet, of three; a missing one meets all others at the root."""
    if one == other:
        return 0
    if one is None or other is None:
        return 3
    return next((level for level, (a, b) in enumerate(zip(TREE[one], TREE[other], strict=True), 1) if a == b), 3)


def cheapest(group, whole):
    """The least cost to move the law of the group onto that of the whole."""
    values = list(whole)
    costs = [apart(one, other) / 3 for one in values for other in values]
    n, all_ = sum(group.values()), sum(whole.values())
    rows = np.kron(np.eye(len(values)), np.ones(len(values)))
    columns = np.kron(np.ones(len(values)), np.eye(len(values)))
    shares = [group[value] / n for value in values] + [whole[value] / all_ for value in values]
    return optimize.linprog(costs, A_eq=np.vstack([rows, columns]), b_eq=shares).fun


@pytest.mark.parametrize("seed", range(20))
def test_the_distance_is_that_of_the_cheapest_move(seed):
    rng = np.random.default_rng(seed)
    ill = rng.choice([*TREE, None], 40, p=[0.3, 0.2, 0.15, 0.15, 0.1, 0.1]).tolist()
    release = pl.DataFrame({"zip": rng.choice(["1", "2", "3"], 40), "ill": ill})
    groups = defaultdict(Counter)
    for zip_, value in release.iter_rows():
        groups[zip_][value] += 1
    whole = sum(groups.values(), Counter())
    truth = max(cheapest(each, whole) for each in groups.values())
    found = hierarchical(spread(release.lazy(), ["zip"], "ill"), Fraction(1, 2), hierarchy(TREE))
    assert float(found.value) == pytest.approx(truth, abs=1e-9)


@pytest.mark.parametrize("at_least", [True, False])
def test_a_tie_is_decided_in_fractions(at_least):
    """Of two equal groups, one of lungs and one of the outer kind, each is 1/2 * 3/3 away from the whole."""
    release = pl.DataFrame({"zip": ["1"] * 3 + ["2"] * 3, "ill": ["flu"] * 3 + ["gout"] * 3})
    t = Fraction(1, 2) - (0 if at_least else Fraction(1, 10**12))
    found = check(release, Terms(k=1, sensitive="ill", t=t, distance="hierarchical", hierarchy=TREE))[1]
    assert found.verdict.name == ("PROVED" if at_least else "REFUTED")


def test_a_file_with_and_without_its_root(tmp_path):
    written = [(value, *above) for value, above in TREE.items()]
    for name, lines in (("plain.csv", written), ("root.csv", [(*line, "*") for line in written])):
        (tmp_path / name).write_text("".join(";".join(line) + "\n" for line in lines))
        assert hierarchy(tmp_path / name) == hierarchy(TREE)
    (tmp_path / "release.csv").write_text("zip,ill\n" + "1,flu\n1,cold\n2,cold\n2,flu\n")
    options = [
        "--sensitive",
        "ill",
        "--t",
        "0.2",
        "--distance",
        "hierarchical",
        "--hierarchy",
        str(tmp_path / "root.csv"),
    ]
    ran = CliRunner().invoke(cli, ["check", str(tmp_path / "release.csv"), *options], standalone_mode=False)
    assert ran.return_value == 0
    assert "hierarchical distance" in ran.output


def test_what_is_wrong_with_a_hierarchy_is_said(tmp_path):
    release = pl.DataFrame({"zip": ["1", "1"], "ill": ["flu", "mumps"]})
    with pytest.raises(DataError, match="no line for 'mumps'"):
        check(release, Terms(sensitive="ill", t="0.5", distance="hierarchical", hierarchy=TREE))
    with pytest.raises(DataError, match="different lengths"):
        hierarchy({"flu": ("lung",), "gout": ()})
    with pytest.raises(DataError, match="there is no file"):
        hierarchy(tmp_path / "none.csv")
    (tmp_path / "two.csv").write_text("flu,lung\nflu,head\n")
    with pytest.raises(DataError, match="two lines for one value"):
        hierarchy(tmp_path / "two.csv")
    with pytest.raises(ParameterError, match="belong together"):
        Terms(sensitive="ill", t="0.5", hierarchy=TREE)
