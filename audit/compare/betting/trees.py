"""Decision trees of outputs: what no feature shows on its own, and two of them together do."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crowdproof.audit.releases import Feature, Reader, Tree

Floats: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.intp]

MOST_LEAVES = 128
"""Leaves of a tree at most. A guess: more take longer to rank, fewer cannot follow a leak that depends on several
features."""
SMALLEST_LEAF = 24
"""Outputs of a leaf at least. The ratio of two counts of 12 has a standard error of 40%, and that of smaller ones is
mostly chance."""
FINEST = 1500
"""No leaf is smaller than one part in so many of all outputs. A guess: smaller leaves follow the noise of large
samples, larger ones hide a rare leak."""
GROUPS = 4
"""Quantile groups of a feature when pairs of features are compared: a guess that keeps the 16 cells of a pair full."""
COMPARED = 20_000
"""Outputs of each side on which pairs of features are compared. A guess: there are hundreds of pairs, so that more take
long, and with fewer a weak interplay is not seen."""
CLEAR = 6.0
"""Standard errors from chance at which two features are said to act together: a guess, above what the best of
hundreds of pairs shows by chance."""


def grow(
    reader: Reader, features: Sequence[Feature], edges: list[Floats], steps: list[Places], label: Floats, *, clear: bool
) -> Tree | None:
    """A tree over features that are cut into steps; its leaves are not ranked yet.

    A tree is grown one split at a time, and where only two features together tell the sides apart the first split
    shows nothing. So the pairs are compared before, and a tree with such a pair starts from one of the two. None if
    there is no such pair and `clear` does not say that some features tell the sides apart by themselves, and where no
    split is possible.
    """
    pair = interplay(steps, label)
    if pair is None and not clear:
        return None
    matrix = np.stack(steps, axis=1).astype(np.float32)
    if pair is None:
        nodes = _fitted(matrix, label)
    else:
        first = pair[0]
        nodes = _grown(matrix, label, feature=first, cuts=_cuts(steps[first]))
    asked, cut, left, right = nodes.T
    inner = left >= 0
    if not inner.any():
        return None
    used, leaves = np.unique(asked[inner]), int((~inner).sum())
    threshold = np.full(len(nodes), np.nan)
    threshold[inner] = [
        edges[feature][step] if step < len(edges[feature]) else np.nan
        for feature, step in zip(asked[inner], cut[inner], strict=True)
    ]
    return Tree(
        reader=reader,
        rank=np.zeros(leaves, np.intp),
        features=tuple(features[each] for each in used),
        asked=np.where(inner, np.searchsorted(used, asked), -1),
        threshold=threshold,
        left=left,
        right=right,
        may_lack=tuple(bool(steps[each].max() > len(edges[each])) for each in used),
        prior=np.zeros(leaves),
    )


def interplay(steps: list[Places], label: Floats) -> tuple[int, int] | None:
    """The two features that tell most more together than one by one, if that is clearly no chance."""
    groups = [np.searchsorted(_cuts(each), each, side="left") for each in steps]
    shape = len(steps), GROUPS
    sides = (np.flatnonzero(label == side)[:COMPARED] for side in (1, 0))
    one, two = (_joint(groups, side).reshape(shape + shape).swapaxes(1, 2) for side in sides)
    with np.errstate(invalid="ignore"):
        parts = (one - two) ** 2 / (one + two)
    together, cells = np.nansum(parts, axis=(2, 3)), ((one + two) > 0).sum((2, 3)) - 1
    alone, own = np.diagonal(together), np.diagonal(cells)
    extra = together - alone[:, None] - alone[None, :]
    free = cells - own[:, None] - own[None, :]
    clarity = np.where(free > 0, (extra - free) / np.sqrt(2 * np.maximum(free, 1)), -np.inf)
    np.fill_diagonal(clarity, -np.inf)
    best = np.unravel_index(int(clarity.argmax()), clarity.shape)
    return (int(best[0]), int(best[1])) if clarity[best] > CLEAR else None


def _joint(groups: list[Places], chosen: Places) -> Floats:
    """Counts of all pairs of groups of all pairs of features, by one product of matrices."""
    member = np.stack([each[chosen] for each in groups], axis=1)[:, :, None] == np.arange(GROUPS)
    flat = member.reshape(len(member), -1).astype(np.float32)
    return np.asarray(flat.T @ flat, float)


def _cuts(steps: Places) -> tuple[int, ...]:
    """The last step of each quantile group but the last."""
    ordered = np.sort(steps)
    if ordered[0] == ordered[-1]:
        return ()
    inner = ordered[[len(ordered) * part // GROUPS for part in range(1, GROUPS)]]
    return tuple(np.unique(np.minimum(inner, ordered[ordered < ordered[-1]][-1])).tolist())


def _grown(matrix: NDArray[np.float32], label: Floats, feature: int, cuts: Sequence[int]) -> Places:
    """Nodes as rows: feature, last step that goes left, children or -1. The first splits are at the cuts."""
    if not cuts:
        return _fitted(matrix, label)
    middle = cuts[len(cuts) // 2]
    below = matrix[:, feature] <= middle
    smaller, larger = [each for each in cuts if each < middle], [each for each in cuts if each > middle]
    low = _grown(matrix[below], label[below], feature=feature, cuts=smaller)
    high = _grown(matrix[~below], label[~below], feature=feature, cuts=larger)
    top = np.array([[feature, middle, 1, 1 + len(low)]], np.intp)
    return np.concatenate([top, _moved(low, 1), _moved(high, 1 + len(low))])


def _moved(nodes: Places, by: int) -> Places:
    return nodes + np.where(nodes[:, 2:3] >= 0, [[0, 0, by, by]], 0)


def _fitted(matrix: NDArray[np.float32], label: Floats) -> Places:
    from sklearn.tree import DecisionTreeClassifier  # noqa: PLC0415  (slow to import, and most audits need none)

    least = max(SMALLEST_LEAF, len(label) // FINEST)
    model: Any = DecisionTreeClassifier(
        criterion="entropy", max_leaf_nodes=MOST_LEAVES, min_samples_leaf=least, random_state=0
    )
    tree = model.fit(matrix, label > 0).tree_
    columns = tree.feature, np.floor(tree.threshold), tree.children_left, tree.children_right
    return np.stack([np.asarray(each, np.intp) for each in columns], axis=1)
