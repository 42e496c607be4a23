"""Events: sets of outputs that a score picks out, in words and as data that can be evaluated again."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdproof.audit.releases.batch import Releases
from crowdproof.audit.releases.scores import Additive, Lookup, Score, Tree, score_from_json
from crowdproof.audit.releases.words import describe, feature_words, path_words
from crowdproof.errors import DataError
from crowdproof.findings import Event

SHOWN = 4
"""Outputs or features that are named in words; the rest is counted."""


def event(score: Score, threshold: int, *, top: bool) -> Event:
    """The outputs whose bin is at least the threshold (top), or below it."""
    chosen = score.rank >= threshold if top else score.rank < threshold
    spec = {"score": score.to_json(), "threshold": int(threshold), "top": bool(top)}
    return Event(_words(score, chosen, top), spec)


def evaluate(spec: Mapping[str, Any], outputs: Any) -> NDArray[np.bool_]:
    """Which of the outputs, an array or a list of whatever runs returned, are in the event."""
    try:
        score, threshold, top = score_from_json(spec["score"]), int(spec["threshold"]), bool(spec["top"])
    except (KeyError, TypeError, ValueError, IndexError):
        raise DataError("this event cannot be evaluated: give a witness that crowdproof wrote.") from None
    inside = score.bins(Releases.of(outputs)) >= threshold
    return np.asarray(inside if top else ~inside)


def _words(score: Score, chosen: NDArray[np.bool_], top: bool) -> str:
    """`chosen` are the cells that make up the event."""
    match score:
        case Lookup():
            return _lookup_words(score, chosen, top)
        case Tree():
            return _tree_words(score, chosen, top)
        case Additive(features=(feature,)):
            return describe(feature, score.edges[0], chosen)
        case _:
            return _additive_words(score, top)


def _lookup_words(score: Lookup, chosen: NDArray[np.bool_], top: bool) -> str:
    members = np.flatnonzero(chosen[:-1])
    order = members[np.argsort(-score.rank[members] if top else score.rank[members], kind="stable")]
    named = [score.texts[each] for each in order[:SHOWN]]
    if len(order) > SHOWN:
        named.append(f"one of {len(order) - SHOWN} more")
    if chosen[-1]:
        named.append("one that had not been seen while the event was learned")
    return f"the release is {' or '.join(named)}"


def _tree_words(score: Tree, chosen: NDArray[np.bool_], top: bool) -> str:
    """The way to the leaf that counts most, and how many more there are."""
    members = np.flatnonzero(chosen)
    first = members[np.argmax(score.rank[members] if top else -score.rank[members])]
    more = len(members) - 1
    may_lack = [feature for feature, lacks in zip(score.features, score.may_lack, strict=True) if lacks]
    words = path_words(score.path(int(first)), may_lack)
    if more == 0:
        return words
    return f"{words}; or it is in {'another such region' if more == 1 else f'one of {more} more such regions'}"


def _additive_words(score: Additive, top: bool) -> str:
    reach = [float(np.ptp(weights)) for weights in score.weights]
    order = sorted(range(len(reach)), key=lambda each: -reach[each])[:SHOWN]
    signs = [_rises(score, each) == top for each in order]
    named = "; ".join(
        f"{'higher' if sign else 'lower'} {feature_words(score.features[each])}"
        for each, sign in zip(order, signs, strict=True)
    )
    return f"a score over {len(reach)} features of the release is high; what counts most is {named}"


def _rises(score: Additive, place: int) -> bool:
    weights = score.weights[place][:-1]
    return bool(weights[-1] >= weights[0])
