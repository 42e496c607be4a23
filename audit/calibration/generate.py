"""Draws random nulls: a law at the edge of a claim, some kind of output, and a target that behaves in some way."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import islice, pairwise
from typing import TypeAlias

import numpy as np
from attrs import evolve

from crowdproof.audit.calibration import laws
from crowdproof.audit.calibration.behaviours import BEHAVIOURS, Behaviour, Echo, Numbered, Stateless
from crowdproof.audit.calibration.dressings import DRESSINGS, Dressing, dressing_named
from crowdproof.audit.calibration.laws import Cases
from crowdproof.audit.calibration.null import STACKABLE, Delivery, Null, Reading
from crowdproof.audit.request import Sampling
from crowdproof.claims import DP, DPS, CrowdBlending, Neighbours
from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon

Rng: TypeAlias = np.random.Generator
ODDS = tuple(map(Fraction, ("11/10", "5/4", "3/2", "2", "3", "5", "8")))
"""Values of e^epsilon: a guess at what claims say, an epsilon from 0.095 to 2.08. Smaller ones would need more runs to
be broken, and larger ones leave hardly a release of the other side."""
DELTAS = tuple(map(Fraction, ("1/1000", "1/50", "1/10")))
"""Values of delta. A guess: audits of a few thousand runs see such probabilities, and would hardly see smaller ones."""
RATES = tuple(map(Fraction, ("1/4", "1/2", "3/4")))
"""Sampling rates: even odds, and one to either side of them. Nearer to 0 or 1 there would hardly be a sample, or hardly
be sampling."""
LARGEST_ODDS = Fraction(10**6)
"""The largest e^epsilon of a claim that nulls are made for: beyond, the weights of an answer are too far apart
to be drawn by one whole number of 64 bits."""
FINE_DELTA = 2**20
"""A claimed delta is rounded down to a multiple of one part in so many, so that the law stays inside. A millionth of
delta's range is too little to be seen in the runs of an audit."""


def _pick(rng: Rng, options: Sequence[object]) -> int:
    return int(rng.integers(len(options)))


def _claim(x: Fraction, delta: Fraction = Fraction(0)) -> DP:
    return DP(Epsilon.of(f"ln({x})"), delta, Neighbours.REPLACE)


def _disjoint(size: int) -> tuple[Cases, ...]:
    return tuple((case, case + 1) for case in range(0, size - 1, 2))


def _star(size: int) -> tuple[Cases, ...]:
    return tuple((0, case) for case in range(1, size))


def _pure(rng: Rng, dressing: Dressing) -> Null:
    x, size = ODDS[_pick(rng, ODDS)], int(rng.integers(2, 7))
    return Null(laws.response(x, Fraction(0), size), _claim(x), ((0, 1),), dressing)


def _told(rng: Rng, dressing: Dressing) -> Null:
    x, delta, size = ODDS[_pick(rng, ODDS)], DELTAS[_pick(rng, DELTAS)], int(rng.integers(2, 5))
    return Null(laws.response(x, delta, size), _claim(x, delta), ((0, 1),), dressing)


def _many_pairs(rng: Rng, dressing: Dressing) -> Null:
    x, size = ODDS[_pick(rng, ODDS)], int(rng.integers(4, 9))
    pairs = _star(size)[:4] if rng.integers(2) else _disjoint(size)
    return Null(laws.response(x, Fraction(0), size), _claim(x), pairs, dressing)


def _noise(rng: Rng, dressing: Dressing) -> Null:
    steps, cases = int(rng.integers(1, 4)), int(rng.integers(2, 5))
    step = (Fraction(5, 4), Fraction(3, 2), Fraction(2))[rng.integers(3)]
    law = laws.geometric(step, steps, cases)
    return Null(law, _claim(step**steps), tuple(pairwise(range(cases))), dressing)


def _less_epsilon(rng: Rng, dressing: Dressing) -> Null:
    """Noise whose claimed epsilon is too small, with the delta that just makes up for it."""
    law, x = laws.geometric(Fraction(2), 1, 5), Fraction(int(rng.integers(5, 8)), 4)
    return Null(law, _claim(x, laws.edge(law, [(2, 3)], x)), ((2, 3),), dressing)


def _group(rng: Rng, dressing: Dressing) -> Null:
    """The counts of a sampled group, where the null itself draws the sample."""
    law = laws.sampled(laws.groups(int(rng.integers(2, 5)), 10), RATES[_pick(rng, RATES)])
    x = ODDS[2 + _pick(rng, ODDS[2:])]
    return Null(law, _claim(x, laws.edge(law, [(10, 9)], x)), ((10, 9),), dressing)


def _ignored(rng: Rng, dressing: Dressing) -> Null:
    law = laws.ignoring(rng.integers(1, 20, int(rng.integers(2, 7))).tolist(), 3)
    epsilon = ("0", "0.1", "1")[rng.integers(3)]
    return Null(law, DP(epsilon, 0, Neighbours.REPLACE), ((0, 1), (1, 2)), dressing)


def _replaced(rng: Rng, dressing: Dressing) -> Null:
    return evolve(_pure(rng, dressing), reading=Reading.LAST)


def _sampled_noise(rng: Rng, dressing: Dressing) -> Null:
    """A noisy count of a sample: sampling makes e^epsilon smaller, and by how much is worked out."""
    kernel, beta = laws.geometric(Fraction(2), 1, 7), RATES[_pick(rng, RATES)]
    x = laws.loss(laws.sampled(kernel, beta), [(5, 4)])
    assert x is not None
    return Null(kernel, DPS(beta, Epsilon.of(f"ln({x})")), ((5, 4),), dressing, reading=Reading.ROWS)


def _sampled_group(rng: Rng, dressing: Dressing) -> Null:
    kernel, beta = laws.groups(int(rng.integers(2, 4)), 8), RATES[_pick(rng, RATES)]
    x = Fraction(3)
    delta = laws.edge(laws.sampled(kernel, beta), [(8, 7)], x)
    return Null(kernel, DPS(beta, Epsilon.of("ln 3"), delta), ((8, 7),), dressing, reading=Reading.ROWS)


def _by_auditor(make: "Maker") -> "Maker":
    return lambda rng, dressing: evolve(make(rng, dressing), sampling=Sampling.AUDITOR)


def _by_target(make: "Maker") -> "Maker":
    return lambda rng, dressing: evolve(make(rng, dressing), sampling=Sampling.TARGET)


def _crowds(rng: Rng, dressing: Dressing) -> Null:
    """Pairs whose larger dataset has a group just below k, which shows by its parity, and one of k or k - 1."""
    x, k, most = ODDS[3 + _pick(rng, ODDS[3:])], 3, 4
    larger = [(2, 3), (2, 2), (3, 3), (1, 3)]
    pairs = tuple((a * (most + 1) + b, (a - 1) * (most + 1) + b) for a, b in larger)
    claim = CrowdBlending(k, Epsilon.of(f"ln({x})"))
    return Null(laws.crowds(x, k, most), claim, pairs, dressing, reading=Reading.GROUPS, most=most)


Maker: TypeAlias = Callable[[Rng, Dressing], Null]
AT_THE_ENGINE: tuple[Maker, ...] = (_pure, _told, _many_pairs, _noise, _less_epsilon, _group, _ignored)
AT_THE_DOOR: tuple[Maker, ...] = (
    _replaced,
    _by_auditor(_sampled_noise),
    _by_target(_sampled_noise),
    _by_auditor(_sampled_group),
    _by_target(_sampled_group),
    _crowds,
)
DOOR = 6
"""One null in so many is audited as users do it. A guess: such audits take longer, and too few would leave the front
door untried."""
REMEMBERS = 3
"""One null in so many has a behaviour that remembers. A guess: fewer would try the behaviours too seldom, more would
take the place of the nulls whose runs are independent."""


def generate(seed: int, count: int) -> tuple[Null, ...]:
    """Draw `count` nulls. Every dressing gets its turn; a larger count only adds nulls to those of a smaller one."""
    return tuple(islice(_endless(seed), count))


def _endless(seed: int) -> Iterator[Null]:
    start = int(np.random.default_rng([seed]).integers(len(DRESSINGS)))
    place = 0
    while True:
        rng = np.random.default_rng([seed, place])
        # a step that is prime to their number visits all dressings, and mixes those of one kind with the others
        yield one_null(rng, DRESSINGS[(start + 37 * place) % len(DRESSINGS)], place)
        place += 1


def one_null(rng: Rng, dressing: Dressing, place: int) -> Null:
    """A null in this dressing; its place decides how it is audited."""
    door = place % DOOR == DOOR - 1
    makers = AT_THE_DOOR if door else AT_THE_ENGINE
    null = makers[place // DOOR % len(makers) if door else _pick(rng, makers)](rng, dressing)
    if place % REMEMBERS == 1:
        delivery = Delivery.DEPENDENT if rng.integers(4) == 0 else Delivery.SINGLE
        return evolve(null, behaviour=BEHAVIOURS[_pick(rng, BEHAVIOURS)], delivery=delivery)
    return evolve(null, delivery=_delivery(rng, dressing))


def _delivery(rng: Rng, dressing: Dressing) -> Delivery:
    options = [Delivery.SINGLE, Delivery.LISTED]
    if {"none", "refusal"} & set(dressing.makers):
        options.append(Delivery.RAISING)
    if dressing.name in STACKABLE:
        options.append(Delivery.STACKED)
    return options[_pick(rng, options)]


USUAL = ("int", "number or exception, rare", "text", "polars", "float", "bools among text, rare", "tuple")
"""Kinds of output that most targets have."""


def at_edge(epsilon: Epsilon, delta: Fraction, kinds: Sequence[str] = USUAL) -> tuple[Null, ...]:
    """Nulls at the edge of this claim, one of each kind of output; pairs and behaviours take turns.

    Where e^epsilon is no fraction, or delta no short one, the law is inside the claim by a hair.
    """
    x = epsilon.exp_exact or laws.below_exp(float(epsilon))
    if not 1 < x < LARGEST_ODDS:
        raise ParameterError(f"epsilon is {epsilon}: the nulls are made for an epsilon above 0 and below 13.")
    x = Fraction(int(x * laws.FINE), laws.FINE) if x.denominator > laws.FINE else x
    spare = Fraction(int(delta * FINE_DELTA), FINE_DELTA)
    law, claim = laws.response(x, spare, 4), DP(epsilon, delta, Neighbours.REPLACE)
    pairs: tuple[tuple[Cases, ...], ...] = (((0, 1),), ((0, 1), (2, 3)), ((0, 1), (0, 2), (0, 3)))
    behaviours: tuple[Behaviour, ...] = (Stateless(), Numbered(), Echo(0.95))
    return tuple(
        Null(law, claim, pairs[place % len(pairs)], dressing, behaviours[place // len(pairs) % len(behaviours)])
        for place, dressing in enumerate(map(dressing_named, kinds))
    )
