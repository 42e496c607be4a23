"""Learning which outputs are likelier on the left, from past trials only.

Four kinds of score compete on outputs that none of them was fitted to: one feature, a table of the outputs themselves,
a sum over features, and a decision tree. The simplest one that is nearly the best wins.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from crowdproof.audit.compare.betting.hypotheses import Counts
from crowdproof.audit.compare.betting.ranking import rerank
from crowdproof.audit.compare.betting.screening import SCREENED, most_telling_first
from crowdproof.audit.compare.betting.steps import step_edges
from crowdproof.audit.compare.betting.sums import Steps
from crowdproof.audit.compare.betting.trees import grow
from crowdproof.audit.releases import Additive, Feature, Lookup, Numbers, Reader, Releases, Score, Tree, brief
from crowdproof.audit.releases.batch import form_of

Places: TypeAlias = NDArray[np.intp]

FITTED = 2 / 3
"""Share of the kept outputs that scores are fitted to; the rest chooses among them and sets the first bets. A guess: a
larger share leaves too few to choose by, a smaller one makes poorer scores."""
MOST_FEATURES = 32
"""Features that sums and trees are fitted to, the most telling ones. A guess: the time grows with the number of pairs
of them, and a leak that shows only in several features together may lie in one that was left out."""
MOST_FITTED = 150_000
"""Outputs of each side that a sum over features is fitted to. A guess: more take longer, and a sum of steps changes
little with them."""
MOST_GROWN = 50_000
"""Outputs of each side that a tree is fitted to, which takes longer than a sum. A guess: more take longer, and fewer
make the leaves coarser."""
MOST_KEYS = 8192
"""Different outputs that a table of outputs has at most. A guess: more would hardly repeat themselves, so that each
would be seen too seldom to tell anything."""
FEW = 32
"""Up to so many different numbers, a table of them is tried before a single feature. A guess: with few numbers the
table is as simple and finds any set of them; with many it needs more runs than thresholds do."""
LONGEST = 80
"""Letters of an output that are shown: about a line of a terminal."""
TELLING = 4.0
"""Nats of held-out evidence against the claim below which scores are compared by likelihood instead: a guess. Evidence
of so few nats is often chance."""
NEARLY = 0.9
"""A simpler score wins if it has this share of the growth of the best one, or is less than one nat behind. A guess:
nearer to 1 chance prefers complicated scores, and lower runs are wasted on poorer ones."""
GROWING = 0.75
"""The same for outputs or leaves that are ranked one by one: these ranks are learned from all runs that are to come, so
they get better than they were on the runs that were held out. A guess."""


@frozen(eq=False)
class Learned:
    """A score, and how it counts the outputs that it was learned from."""

    score: Score
    held_out_bins: Counts
    """By bins: those outputs that it was not fitted to."""
    fitted: Counts
    """By cells: those that it was fitted to."""
    held_out: Counts
    """By cells: the others."""


def learn(reader: Reader, left: Any, right: Any, value: Callable[[Counts], float]) -> Learned | None:
    """The best score for telling `left` from `right`, by what it shows on outputs that it was not fitted to.

    `value` tells how much counts by bins are worth. None where nothing distinguishes any two outputs, or where there
    are none to fit to.
    """
    cut_left, cut_right = int(len(left) * FITTED), int(len(right) * FITTED)
    if not cut_left or not cut_right:
        return None
    features = _features(reader, left[:cut_left], right[:cut_right])
    left, right = reader.taken(left, features), reader.taken(right, features)
    old = left[:cut_left], right[:cut_right]
    fresh = left[cut_left:], right[cut_right:]
    tried = []
    for score, fitted in _candidates(reader, features, *old):
        held_out = score.count(fresh[0]), score.count(fresh[1])
        bins = score.binned(held_out[0]), score.binned(held_out[1])
        tried.append(Learned(score, bins, fitted=fitted, held_out=held_out))
    return _simplest(tried, max(len(fresh[0]), 1), value=value) if tried else None


def _simplest(tried: list[Learned], size: int, *, value: Callable[[Counts], float]) -> Learned:
    """The first that is nearly the best: in growth, or in likelihood where no growth is sure."""
    if len(tried) == 1:
        return tried[0]
    worth = [size * value(each.held_out_bins) for each in tried]
    nearly = NEARLY
    if max(worth) < TELLING:
        worth = [_likelihood_of(each) for each in tried]
        nearly = 1.0
    best = max(worth)
    for each, reached in zip(tried, worth, strict=True):
        share = GROWING if isinstance(each.score, Lookup | Tree) else nearly
        if reached >= min(share * best, best - 1):
            return each
    raise AssertionError("the best is nearly the best")


def _likelihood_of(learned: Learned) -> float:
    score, (left, right) = learned.score, learned.fitted
    return likelihood(learned.held_out_bins, (score.binned(left), score.binned(right)))


def likelihood(bins: Counts, old: Counts) -> float:
    """How well the log-ratios of old counts say from which side new ones come, in nats above a guess.

    Log-ratios that were fitted say too much: they are scaled down as is best.
    """
    logs = np.log((old[0] + 1) / (old[1] + 1))
    scaled = np.linspace(0, 1, 9)[:, None] * logs
    total = bins[0] + bins[1]
    return float((bins[0] * scaled - total * (np.logaddexp(0, scaled) - math.log(2))).sum(1).max())


def _features(reader: Reader, left: Any, right: Any) -> list[Feature]:
    return reader.candidates(Releases.joined([left[:SCREENED], right[:SCREENED]]))


def _candidates(reader: Reader, known: list[Feature], left: Any, right: Any) -> Iterator[tuple[Score, Counts]]:
    """Scores from the simplest on, each with its counts by cells of the outputs that it was fitted to."""
    features, clear = most_telling_first(reader, known, left, right)
    single = isinstance(reader, Numbers) and reader.width == 1
    several = len(features) > 1 and not (single and clear == 1)
    recent = left[-MOST_FITTED:], right[-MOST_FITTED:]
    some = Steps.of(reader, features[:MOST_FEATURES], *recent) if several else None
    sums: list[Additive] = []
    if some is not None:
        sums = [score for score in _sums(some) if score is not None]
    table = _lookup(reader, left, right)
    tree = None if some is None or single else _tree(some, clear > 1)
    fine: list[Lookup | Tree] = [each for each in (table, tree) if each is not None]
    if sums:
        fine = [_guided(each, sums[0], *recent) for each in fine]
    plain = [_single(reader, features[0], left, right)] if features else []
    few_numbers = isinstance(reader, Numbers) and table is not None and len(table.codes) <= FEW
    ordered = (*fine, *plain, *sums) if few_numbers else (*plain, *fine, *sums)
    for each in ordered:
        yield _with_ranks(each, left, right)


def _guided(score: Lookup | Tree, guide: Additive, left: Any, right: Any) -> Lookup | Tree:
    """The same cells, with the log-ratio that the sum gives their outputs as a prior."""
    cells = np.concatenate([score.cells(left), score.cells(right)])
    guess = np.concatenate([guide.sum(guide.reader.columns(side, guide.features)) for side in (left, right)])
    runs = np.bincount(cells, minlength=len(score.rank))
    return evolve(score, prior=np.bincount(cells, guess, len(score.rank)) / np.maximum(runs, 1))


def _sums(some: Steps) -> Iterator[Additive | None]:
    """Of vectors with holes also a sum over what they are as a whole: few features, which many places share."""
    if ("missing",) in some.features:
        yield some.only(lambda feature: feature[0] not in {"value", "step", "grain"}).fit()
    yield some.fit()


def _with_ranks(score: Score, left: Any, right: Any) -> tuple[Score, Counts]:
    counts = score.count(left), score.count(right)
    return rerank(score, counts), counts


def _single(reader: Reader, feature: Feature, left: Any, right: Any) -> Additive:
    """A score by one feature: a cell for each of its steps."""
    (one,), (two,) = reader.columns(left, [feature]), reader.columns(right, [feature])
    edges = step_edges(np.concatenate([one, two]), fine=True)
    return Additive(
        reader=reader,
        rank=np.zeros(len(edges) + 2, np.intp),
        features=(feature,),
        edges=(edges,),
        weights=(),
        cuts=np.array([]),
    )


def _tree(steps: Steps, clear: bool) -> Tree | None:
    sides = np.flatnonzero(steps.label == 1)[-MOST_GROWN:], np.flatnonzero(steps.label == 0)[-MOST_GROWN:]
    some = np.concatenate(sides)
    columns = [each[some] for each in steps.steps]
    return grow(steps.reader, steps.features, edges=steps.edges, steps=columns, label=steps.label[some], clear=clear)


def _lookup(reader: Reader, left: Any, right: Any) -> Lookup | None:
    """A score for each distinct output, where outputs repeat themselves."""
    one, two = reader.codes(left), reader.codes(right)
    codes, first = np.unique(np.concatenate([one, two]), return_index=True)
    if len(codes) < 2 or len(codes) > min(MOST_KEYS, (len(one) + len(two)) / 2):
        return None
    size = len(codes) + 1
    texts = _texts(left, right, first)
    return Lookup(reader, np.zeros(size, np.intp), codes=codes, texts=texts, prior=np.zeros(size))


def _texts(left: Any, right: Any, chosen: Places) -> tuple[str, ...]:
    """What these releases, counted through both sides, look like."""
    releases = [left[place] if place < len(left) else right[place - len(left)] for place in chosen.tolist()]
    return tuple(map(shown, releases))


def shown(release: Any) -> str:
    """A release that an event names: numbers with the digits that people read."""
    form = form_of(release)
    if form is None or form.truth or len(form.shape) > 1:
        return brief(release)
    texts = [f"{each:.6g}" for each in ([release] if form.single else release)]
    text = texts[0] if form.width == 1 else f"({', '.join(texts)})"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
