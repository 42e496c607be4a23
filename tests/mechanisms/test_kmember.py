"""k-member clustering against a plain version of its docstring."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from crowdproof.mechanisms import KMember
from crowdproof.mechanisms.kmember import clusters
from crowdproof.mechanisms.tables import code


def reference(rows, k):
    """The clusters of rows (x in 0, 1, ..., 8 and a letter), as lists of row numbers; rows are in canonical order."""
    xs = [x for x, _ in rows]
    span = (max(xs) - min(xs)) or 1

    def loss(members):
        width = max(rows[i][0] for i in members) - min(rows[i][0] for i in members)
        return width / span + (len({rows[i][1] for i in members}) > 1)

    free, found, last = list(range(len(rows))), [], 0
    while len(free) >= k:
        start = max(free, key=lambda i: loss([last, i])) if found else free[0]
        members = [start]
        free.remove(start)
        for _ in range(k - 1):
            members.append(min(free, key=lambda i: loss([*members, i])))
            free.remove(members[-1])
        last = members[-1]
        found.append(members)
    for i in free:
        growth = [(len(each) + 1) * loss([*each, i]) - len(each) * loss(each) for each in found]
        found[growth.index(min(growth))].append(i)
    return sorted(map(sorted, found))


@given(rows=st.lists(st.tuples(st.integers(0, 8), st.sampled_from("ab")), min_size=5, max_size=25), k=st.integers(1, 5))
def test_the_clusters_are_those_of_the_plain_version(rows, k):
    # with 0 and 8 among the values all distances are multiples of 1/8: floats are exact and ties are ties
    rows = sorted([*rows, (0, "a"), (8, "b")])
    table = pl.DataFrame(rows, schema={"x": pl.Int64, "y": pl.String}, orient="row")
    found = clusters([code(table["x"]), code(table["y"])], k)
    grouped = [[i for i in range(len(rows)) if found[i] == part] for part in range(found.max() + 1)]
    assert sorted(grouped) == reference(rows, k)


def test_far_groups_stay_apart():
    table = pl.DataFrame({"x": [1, 2, 3, 101, 102, 103], "y": ["a", "a", "b", "c", "c", "c"]})
    assert set(KMember(3)(table).rows()) == {("[1, 3]", "{a, b}"), ("[101, 103]", "c")}
