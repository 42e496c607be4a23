"""Learning which outputs are likelier on the left, from past trials only.

Four kinds of score compete on outputs that none of them was fitted to: one feature, a table of the outputs themselves,
a sum over features, and a decision tree. The simplest one that is nearly the best wins.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from crowdproof.audit.compare.betting.bets import Ints
from crowdproof.audit.compare.betting.steps import clarity, quantiles, step_edges
from crowdproof.audit.compare.betting.sums import CLEAR, ROUGH, USUAL, Steps, smoothed
from crowdproof.audit.compare.betting.trees import grow
from crowdproof.audit.releases import Additive, Feature, Lookup, Numbers, Reader, Releases, Score, Tree, brief, ranked
from crowdproof.audit.releases.batch import form_of
from crowdproof.audit.releases.features import bit_counts
from crowdproof.audit.releases.scores import step_of

Floats: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.intp]
Counts: TypeAlias = tuple[Ints, Ints]

FITTED = 2 / 3
"""Share of the kept outputs that scores are fitted to; the rest chooses among them and sets the first bets."""
SCREENED = 50_000
"""Outputs on which single features are compared."""
MOST_FEATURES = 32
MOST_FITTED = 150_000
"""Outputs of each side that a sum over features is fitted to."""
MOST_GROWN = 50_000
"""Outputs of each side that a tree is fitted to."""
MOST_KEYS = 8192
FEW = 32
"""Different outputs that are looked at one by one in the first place where they are numbers."""
MOST_BINS = 64
"""Cells that are bins each; more of them are put together."""
MOST_GUIDED = 1e5
"""Outputs for which the guess of a cell's log-ratio counts at most."""
LONGEST = 80
"""Letters of an output that are shown."""
NEWTONS = 8
TELLING = 4.0
"""Nats of held-out evidence against the claim below which scores are compared by likelihood instead."""
NEARLY = 0.9
"""A simpler score wins if it has this share of the growth of the best one, or is less than one nat behind."""
GROWING = 0.75
"""The same for outputs or leaves that are ranked one by one: these ranks are learned from all runs that are to come."""


def learn(
    reader: Reader, left: Any, right: Any, value: Callable[[Counts], float]
) -> tuple[Score, Counts, Counts, Counts] | None:
    """The best score for telling `left` from `right`: how it counts outputs that it was not fitted to, by bins.

    Then the counts by cells of those outputs that it was fitted to, and of the others. `value` tells how much counts by
    bins are worth. None where nothing distinguishes any two outputs, or there are none to fit to.
    """
    cut_left, cut_right = int(len(left) * FITTED), int(len(right) * FITTED)
    if not cut_left or not cut_right:
        return None
    features = _features(reader, left[:cut_left], right[:cut_right])
    left, right = reader.taken(left, features), reader.taken(right, features)
    old = left[:cut_left], right[:cut_right]
    fresh = left[cut_left:], right[cut_right:]
    tried = []
    for score, cells in _candidates(reader, features, *old):
        later = score.count(fresh[0]), score.count(fresh[1])
        tried.append((score, (score.binned(later[0]), score.binned(later[1])), cells, later))
    return tried[_simplest(tried, max(len(fresh[0]), 1), value)] if tried else None


def _simplest(tried: list[tuple[Score, Counts, Counts, Counts]], size: int, value: Callable[[Counts], float]) -> int:
    """The first that is nearly the best: in growth, or in likelihood where no growth is sure."""
    if len(tried) == 1:
        return 0
    worth = [size * value(bins) for _, bins, _, _ in tried]
    nearly = NEARLY
    if max(worth) < TELLING:
        worth = [likelihood(bins, (score.binned(old[0]), score.binned(old[1]))) for score, bins, old, _ in tried]
        nearly = 1.0
    shares = (GROWING if isinstance(score, Lookup | Tree) else nearly for score, *_ in tried)
    enough = [min(share * max(worth), max(worth) - 1) for share in shares]
    return next(place for place, each in enumerate(worth) if each >= enough[place])


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
    """Scores from the simplest on, each with its counts by cells."""
    features, clear = _rank(reader, known, left, right)
    single = isinstance(reader, Numbers) and reader.width == 1
    several = len(features) > 1 and not (single and clear == 1)
    recent = left[-MOST_FITTED:], right[-MOST_FITTED:]
    some = Steps.of(reader, features[:MOST_FEATURES], *recent) if several else None
    sums = [] if some is None else [score for score in _sums(some) if score is not None]
    fine = [_lookup(reader, left, right), None if some is None or single else _tree(some, clear > 1)]
    guided = [_guided(each, sums[0], *recent) if sums else each for each in fine if each is not None]
    plain = [_single(reader, features[0], left, right)] if features else []
    few = isinstance(reader, Numbers) and bool(guided) and isinstance(guided[0], Lookup) and len(guided[0].codes) <= FEW
    for each in (*guided, *plain, *sums) if few else (*plain, *guided, *sums):
        yield _with_ranks(each, left, right)


def _guided(score: Lookup | Tree, guide: Additive, left: Any, right: Any) -> Lookup | Tree:
    """The same cells, expected to be as the sum has it until they have enough counts of their own."""
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


def rerank(score: Score, counts: Counts) -> Score:
    """The same cells, ranked and put into bins by these counts."""
    left, right = counts
    logs = _log_ratios(score, left, right)
    order = np.argsort(logs, kind="stable")
    mass = (left + right)[order]
    below = np.cumsum(mass) - mass / 2
    total = max(int(mass.sum()), 1)
    edges = quantiles(total, 24)[1:-1] * total if len(order) > MOST_BINS else below[1:]
    rank = np.empty(len(order), np.intp)
    rank[order] = np.unique(np.searchsorted(edges, below, side="right"), return_inverse=True)[1]
    return ranked(score, rank)


def _rank(reader: Reader, features: list[Feature], left: Any, right: Any) -> tuple[list[Feature], int]:
    """Features that vary, the best first, and how many of them tell the sides apart on their own: at least one."""
    left, right = left[:SCREENED], right[:SCREENED]
    bits = [each for each in features if each[0] == "bit"]
    rest = [each for each in features if each[0] != "bit"]
    columns = zip(reader.columns(left, rest), reader.columns(right, rest), strict=True)
    clear = dict(zip(rest, (_clarity(*pair) for pair in columns), strict=True))
    if bits and isinstance(reader, Numbers):
        (one, _), (two, _) = left.numbers(reader.form), right.numbers(reader.form)
        clear |= dict(zip(bits, _bit_clarity(one[:, 0], two[:, 0]), strict=True))
    varied = (each for each in features if clear[each] > -math.inf)
    order = sorted(
        varied, key=lambda each: -round(5 * math.log(max(clear[each], 0.01)))
    )  # alike: as the reader prefers
    plain = [each for place, each in enumerate(order) if place == 0 or clear[each] > CLEAR.get(each[0], USUAL)]
    return plain + [each for each in order if each not in plain and each[0] not in CLEAR], len(plain)


def _clarity(left: Floats, right: Floats) -> float:
    """How far from chance two samples differ: over the steps of their pooled quantiles, or in being above zero."""
    edges = step_edges(np.concatenate([left, right]), fine=False)
    steps = _differ(step_of(left, edges), step_of(right, edges), len(edges) + 2)
    return max(steps, _differ((left > 0).astype(np.intp), (right > 0).astype(np.intp), 2))


def _differ(left: Places, right: Places, size: int) -> float:
    one, two = np.bincount(left, minlength=size), np.bincount(right, minlength=size)
    return clarity(one - two, one + two, 1.0)


def _bit_clarity(left: Floats, right: Floats) -> list[float]:
    """The same for each bit, which is 0 or 1."""
    one, two = bit_counts(left), bit_counts(right)
    ones = one + two
    with np.errstate(divide="ignore", invalid="ignore"):
        square = (one - two) ** 2 * (1 / ones + 1 / (len(left) + len(right) - ones))
    varied = (ones > 0) & (ones < len(left) + len(right))
    return [float(each) for each in np.where(varied, (square - 1) / math.sqrt(2), -np.inf)]


def _single(reader: Reader, feature: Feature, left: Any, right: Any) -> Additive:
    (one,), (two,) = reader.columns(left, [feature]), reader.columns(right, [feature])
    edges = step_edges(np.concatenate([one, two]), fine=True)
    return Additive(reader, np.zeros(len(edges) + 2, np.intp), (feature,), (edges,), (), np.array([]))


def _tree(steps: Steps, clear: bool) -> Tree | None:
    sides = np.flatnonzero(steps.label == 1)[-MOST_GROWN:], np.flatnonzero(steps.label == 0)[-MOST_GROWN:]
    some = np.concatenate(sides)
    columns = [each[some] for each in steps.steps]
    return grow(steps.reader, steps.features, steps.edges, columns, steps.label[some], clear=clear)


def _log_ratios(score: Score, left: Ints, right: Ints) -> Floats:
    """Log-ratios of the counts of cells, near what was to be expected where they are small."""
    return _in_a_row(left, right) if isinstance(score, Additive) else _shrunk(left, right, score.prior)


def _shrunk(left: Ints, right: Ints, prior: Floats) -> Floats:
    """Each between its guess and its own, by how far guesses are off in general (DerSimonian and Laird's estimate)."""
    runs = left + right
    off = np.log((left + 0.5) / (right + 0.5)) - prior
    weight = runs / 4  # one over the variance of a log-ratio near 0
    total = max(float(weight.sum()), 1.0)
    excess = float((weight * off**2).sum()) - int((runs > 0).sum())
    spread = max(excess / max(total - float((weight**2).sum()) / total, 1.0), 4 / MOST_GUIDED)
    return np.asarray(prior + off * weight / (weight + 1 / min(spread, 4 / ROUGH)))


def _in_a_row(left: Ints, right: Ints) -> Floats:
    """Log-ratios of counts on cells in a row, each near those of its neighbours; the last cell, nan, stands alone.

    As stiff as cross-validation by chance allows: the stiffest of a few smooths whose fit is not clearly worse.
    """
    runs = left + right
    fits = [_smooth_logit(left, runs, stiffness) for stiffness in (ROUGH, runs.sum() / 400, runs.sum() / 4)]
    loss = [float(np.sum(runs * np.logaddexp(0, fit) - left * fit)) for fit in fits]
    return next(fit for fit, each in zip(fits[::-1], loss[::-1], strict=True) if each <= loss[0] + len(runs) / 2 + 3)


def _smooth_logit(left: Ints, runs: Ints, stiffness: float) -> Floats:
    logs, links = np.zeros(len(runs)), np.full(max(len(runs) - 2, 0), stiffness)
    for _ in range(NEWTONS):
        chance = 1 / (1 + np.exp(-logs))
        curve = runs * chance * (1 - chance) + 1e-3
        logs = smoothed(logs + np.clip((left - runs * chance) / curve, -2, 2), curve, links)
    return logs


def _lookup(reader: Reader, left: Any, right: Any) -> Lookup | None:
    """A score for each distinct output, where outputs repeat themselves."""
    one, two = reader.codes(left), reader.codes(right)
    codes, first = np.unique(np.concatenate([one, two]), return_index=True)
    if len(codes) < 2 or len(codes) > min(MOST_KEYS, (len(one) + len(two)) / 2):
        return None
    size = len(codes) + 1
    return Lookup(reader, np.zeros(size, np.intp), codes, _texts(left, right, first), np.zeros(size))


def _texts(left: Any, right: Any, chosen: Places) -> tuple[str, ...]:
    """What these releases, counted through both sides, look like."""
    return tuple(shown(left[at] if at < len(left) else right[at - len(left)]) for at in chosen.tolist())


def shown(release: Any) -> str:
    """A release that an event names: numbers with the digits that people read."""
    form = form_of(release)
    if form is None or form.truth or len(form.shape) > 1:
        return brief(release)
    texts = [f"{each:.6g}" for each in ([release] if form.single else release)]
    text = texts[0] if form.width == 1 else f"({', '.join(texts)})"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
