"""Events: sets of outputs that a score picks out, in words and as data that can be evaluated again."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdproof.audit.releases.batch import Releases
from crowdproof.audit.releases.readers import Numbers, Reader
from crowdproof.audit.releases.scores import Additive, Lookup, Score, Tree, score_from_json
from crowdproof.audit.releases.words import describe, feature_words, path_words
from crowdproof.errors import DataError
from crowdproof.findings import Event

SHOWN = 4
"""Outputs or features that are named in words; the rest is counted."""
FEWEST = 3
"""Numbers that are told as a range: two are as short one by one."""
_WHOLE = re.compile(r"-?\d{1,6}")
"""A whole number that is shown with all of its digits."""


def event(score: Score, threshold: int, *, top: bool) -> Event:
    """The outputs whose bin is at least the threshold (top), or below it."""
    chosen = score.rank >= threshold if top else score.rank < threshold
    spec = {"score": score.to_json(), "threshold": int(threshold), "top": bool(top)}
    return Event(_words(score, chosen, top), spec)


def evaluate(spec: Mapping[str, Any], outputs: Any) -> NDArray[np.bool_]:
    """Which of the outputs, an array or a list of whatever runs returned, are in the event."""
    releases = Releases.of(outputs)
    try:
        score, threshold, top = score_from_json(spec["score"]), int(spec["threshold"]), bool(spec["top"])
        inside = score.bins(releases) >= threshold
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        raise DataError(
            "this event cannot be evaluated: give a witness that this version of crowdproof wrote, or replay it."
        ) from None
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
    span = _span_of([score.texts[each] for each in order]) if _is_whole(score.reader) else None
    named = [score.texts[each] for each in order[:SHOWN]]
    if span is not None:
        named = [span]
    elif len(order) > SHOWN:
        named.append(f"one of {len(order) - SHOWN} more")
    if chosen[-1]:
        named.append("an unusual one")
    return f"the release is {' or '.join(named)}"


def _is_whole(reader: Reader) -> bool:
    return isinstance(reader, Numbers) and reader.whole


def _span_of(texts: list[str]) -> str | None:
    """The texts as a range, where they are three whole numbers or more without a gap; None where they are not.

    >>> _span_of(["4", "2", "3"]), _span_of(["4", "2"]), _span_of(["4", "2", "1"])
    ('a whole number from 2 to 4', None, None)
    """
    if not all(_WHOLE.fullmatch(each) for each in texts):
        return None
    numbers = sorted(map(int, texts))
    if len(numbers) < FEWEST or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return None
    return f"a whole number from {numbers[0]:,} to {numbers[-1]:,}"


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
    named = "; ".join(f"{_way(score, each, top)} {feature_words(score.features[each])}" for each in order)
    return f"a score over {len(reach)} features of the release is high; what counts most is {named}"


def _way(score: Additive, place: int, top: bool) -> str:
    """Whether the feature in this place makes the event likelier where it is higher or where it is lower."""
    weights = score.weights[place][:-1]
    rises = bool(weights[-1] >= weights[0])
    return "higher" if rises == top else "lower"
