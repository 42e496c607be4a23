"""Events: sets of outputs that a score picks out, in words and as data that can be evaluated again."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdproof.audit.outputs.scores import Additive, Lookup, Score, score_from_json
from crowdproof.audit.outputs.words import describe, feature_words
from crowdproof.errors import DataError
from crowdproof.findings import Event

SHOWN = 4
"""Outputs or features that are named in words; the rest is counted."""


def event(score: Score, threshold: int, *, top: bool) -> Event:
    """The outputs whose bin is at least the threshold (top), or below it."""
    bins = np.arange(len(score.cuts) + 1)
    chosen = bins >= threshold if top else bins < threshold
    spec = {"score": score.to_json(), "threshold": int(threshold), "top": bool(top)}
    return Event(_words(score, chosen, top), spec)


def evaluate(spec: Mapping[str, Any], outputs: Any) -> NDArray[np.bool_]:
    """Which of the outputs are in the event."""
    try:
        score, threshold, top = score_from_json(spec["score"]), int(spec["threshold"]), bool(spec["top"])
    except (KeyError, TypeError, ValueError, IndexError):
        raise DataError("this event cannot be evaluated: give a witness that crowdproof wrote.") from None
    inside = score.bins(outputs) >= threshold
    return np.asarray(inside if top else ~inside)


def _words(score: Score, chosen: NDArray[np.bool_], top: bool) -> str:
    match score:
        case Lookup():
            return _lookup_words(score, chosen)
        case Additive(features=(feature,)):
            inside = chosen[np.searchsorted(score.cuts, score.weights[0], side="right")]
            return describe(feature, score.edges[0], inside)
        case _:
            return _additive_words(score, top)


def _lookup_words(score: Lookup, chosen: NDArray[np.bool_]) -> str:
    members = np.flatnonzero(chosen[np.searchsorted(score.cuts, score.values, side="right")])
    order = members[np.argsort(-np.abs(score.values[members]), kind="stable")]
    named = " or ".join(score.texts[each] for each in order[:SHOWN])
    more = f" or one of {len(order) - SHOWN} more" if len(order) > SHOWN else ""
    if chosen[np.searchsorted(score.cuts, 0.0, side="right")]:
        more += " or one that had not been seen while the event was learned" if named else "any output at all"
    return f"the release is {named}{more}"


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
