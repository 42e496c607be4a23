"""Noise on a lattice: what rounding adds to the sensitivity, and that the noise pays for it."""

from crowdproof.proofs.statement import Implication, Obligation, Registered, Statement, at, goal, without

LATTICE = Statement(
    "lattice-noise",
    "beyond",
    "Answers rounded to multiples of a step h, with two-sided geometric noise of ratio e^(-h eps/(D + c h)) in each of "
    "c coordinates, are eps-DP for a sensitivity D.",
    Registered.PROVED,
    (
        Obligation(
            "rounding",
            "Rounding to the nearest multiple moves an answer by half a step at most: of two answers a and b, the "
            "difference of one coordinate grows by at most h.",
            Implication(
                ("2*(u - a) <= h", "2*(b - v) <= h", "a - b <= d"),
                "u - v <= d + h",
                (at(u=0, v=0, a=0, b=0, d=0, h=0), at(u=3, v=1, a=2, b=2, d=0, h=2)),
            ),
            (without("a - b <= d"), without("2*(u - a) <= h"), goal("u - v <= d")),
        ),
        Obligation(
            "coordinates",
            "So the sum over the coordinates grows by at most h for each of them (induction step).",
            Implication(
                ("S <= D + c*h", "s <= d + h"),
                "S + s <= D + d + (c + 1)*h",
                (at(S=0, D=0, c=0, h=0, s=0, d=0), at(S=3, D=1, c=2, h=1, s=2, d=1)),
            ),
            (without("S <= D + c*h"), without("s <= d + h"), goal("S + s <= D + d + c*h")),
        ),
        Obligation(
            "loss",
            "A geometric mass changes by a factor of at most e^t for each step, t = h eps/w with w = D + c h, as "
            "Laplace noise does (odoh-mech). The answers are n steps apart, n h <= w: the loss n t is at most eps.",
            Implication(
                ("t*w <= h*e", "n*h <= w", "n >= 0", "e >= 0"),
                "n*t*w <= e*w",
                (at(t=0, w=0, h=0, e=0, n=0), at(t=1, w=2, h=1, e=2, n=2)),
            ),
            (without("t*w <= h*e"), without("n*h <= w"), goal("n*t*w <= h*e")),
        ),
    ),
    duty=("The sensitivity is the largest change of the answer between neighbours, in the sum of absolute values.",),
)

STATEMENTS = (LATTICE,)
