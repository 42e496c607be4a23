"""Odoh 2024: the birthday probability, the epsilon of a guessing advantage, its case study and its discussion.

p is the prior, d the advantage delta, E stands for e^(eps R); W = (1-p)(p+d)/(p(1-p-d)) is what equation 3 takes the
logarithm of.
"""

from fractions import Fraction
from math import factorial
from typing import Any

from crowdproof.proofs.engines.finite import lift
from crowdproof.proofs.rounding import against, off_by_one
from crowdproof.proofs.statement import (
    Finite,
    Identity,
    Implication,
    Obligation,
    Printed,
    Registered,
    Statement,
    at,
    case,
    goal,
    without,
)

TENTH = Fraction(1, 10)


def pi(k: int, n: int) -> Fraction:
    """Equation 1: the probability that k draws from n are all different."""
    return Fraction(factorial(n), factorial(n - k) * n**k)


def _odds(p: Fraction, d: Fraction) -> Fraction:
    """W, where it has a value: 0 < p and p + d < 1."""
    return (1 - p) * (p + d) / (p * (1 - p - d))


def epsilon_of(p: Fraction, d: Fraction, reach: int) -> Any:
    """Equation 3."""
    return lift(_odds(p, d)).log() / reach


def _birthday(people: int, printed: str, moved: int = 0) -> dict[str, Any]:
    return against(1 - pi(people, 365), printed, moved)


_BIRTHDAYS = ({"people": 23, "printed": "0.5073"}, {"people": 22, "printed": "0.4757"})

PI = Statement(
    "odoh-pi",
    "Odoh eq 1",
    "pi(k, N) = N!/((N-k)! N^k) is the probability that k draws from N are all different; 23 people share a birthday "
    "with probability "
    "0.5073, 22 with less than a half.",
    Registered.PROVED,
    (
        Obligation(
            "next-draw",
            "One more draw is new with probability (N-k)/N.",
            Identity(
                "factorial(N)/(factorial(N - k - 1)*N**(k + 1)) == factorial(N)/(factorial(N - k)*N**k)*(N - k)/N",
                (at(N=7, k=3),),
            ),
            (
                goal(
                    "factorial(N)/(factorial(N - k - 1)*N**(k + 1)) == factorial(N)/(factorial(N - k)*N**k)*(N - k - "
                    "1)/N"
                ),
            ),
        ),
        Obligation(
            "falls",
            "So pi falls with k.",
            Implication(("k >= 0", "q >= 0"), "q*(N - k) <= q*N", (at(k=0, N=1, q=0), at(k=1, N=2, q=1))),
            (without("k >= 0"), goal("q*(N - k) >= q*N")),
        ),
        Obligation(
            "birthday",
            "Twenty-three people share a birthday with probability 0.5073, twenty-two with 0.4757.",
            Finite(_birthday, "shown == printed", _BIRTHDAYS),
            (*off_by_one(_BIRTHDAYS), case(people=24)),
        ),
    ),
)

EPSILON = Statement(
    "odoh-eps",
    "Odoh eq 3-5",
    "Equation 3 is the exact inverse of the posterior bound: with e^(eps R) = W a guess that was right with "
    "probability p becomes right with "
    "probability at most p + d, and exactly p + d is attained. It has a value where 0 < p and p + d < 1.",
    Registered.PROVED,
    (
        Obligation(
            "inverse",
            "At E = W the largest posterior p E/(p E + 1 - p) is p + d.",
            Identity(
                "p*((1 - p)*(p + d)/(p*(1 - p - d)))/(p*((1 - p)*(p + d)/(p*(1 - p - d))) + 1 - p) == p + d",
                (at(p="1/3", d="1/10"),),
            ),
            (goal("p*((1 - p)*(p + d)/(p*(1 - p - d)))/(p*((1 - p)*(p + d)/(p*(1 - p - d))) + 1 - p) == p - d"),),
        ),
        Obligation(
            "bound",
            "Below W the posterior stays below p + d.",
            Implication(
                ("E*p*(1 - p - d) <= (1 - p)*(p + d)",),
                "p*E <= (p + d)*(p*E + 1 - p)",
                (at(E=1, p="1/2", d=0), at(E=1, p="1/3", d="1/10")),
            ),
            (goal("p*E <= p*(p*E + 1 - p)"), without("E*p*(1 - p - d) <= (1 - p)*(p + d)")),
        ),
        Obligation(
            "posterior",
            "The posterior is at most that: an event's probability P under the true value against at most E times "
            "it, on the average Q.",
            Implication(
                ("P <= E*Q", "p >= 0", "p <= 1"),
                "p*P*(p*E + 1 - p) <= p*E*(p*P + (1 - p)*Q)",
                (at(P=0, E=1, Q=0, p=0), at(P=2, E=2, Q=1, p=1)),
            ),
            (without("P <= E*Q"), without("p <= 1")),
        ),
        Obligation(
            "at-least-one",
            "W >= 1 where d >= 0, so that eps >= 0.",
            Implication(("d >= 0",), "(1 - p)*(p + d) >= p*(1 - p - d)", (at(d=0, p="1/2"), at(d="1/10", p="1/2"))),
            (without("d >= 0"), goal("(1 - p)*(p + d) > p*(1 - p - d)")),
        ),
    ),
    checked=("0 < p", "p + d < 1"),
    duty=("The mechanism is eps-DP for the metric whose diameter is R; the fields are independent for the AND form.",),
)


def _case_pi(k: int, n: int) -> dict[str, Fraction]:
    return {"pi": pi(k, n), "printed": Fraction(2, 3)}


def _case_eps(p: Fraction, printed: str, moved: int = 0) -> dict[str, Any]:
    return against(epsilon_of(p, TENTH, 60), printed, moved)


_TWO_THIRDS = ({"p": Fraction(2, 3), "printed": "0.008274"}, {"p": Fraction(4, 9), "printed": "0.006690"})


def _case_all(k: int, n: int) -> dict[str, Any]:
    """The case study's OR epsilon by equation 3, for 2/3 = pi(2, 3)."""
    return {
        "eps": epsilon_of(pi(k, n), TENTH, 60),
        "printed": lift(Fraction("0.049")),
        "and": epsilon_of(pi(k, n) ** 2, TENTH, 60),
    }


CASE = Statement(
    "odoh-case",
    "Odoh sec 5",
    sentence="The case study has k = 1, N = 3, pi = 2/3, and eps = 0.049 (OR), 0.0337 (AND) for d = 0.1, R = 60.",
    verdict=Registered.REFUTED,
    obligations=(
        Obligation(
            "pi",
            "2/3 is pi(2, 3), and pi(1, 3) is 1, where equation 3 has no value.",
            Finite(_case_pi, "pi == printed", ({"k": 2, "n": 3},)),
            (case("as printed", k=1), case(k=3)),
        ),
        Obligation(
            "epsilon",
            "From 2/3 equation 3 gives 0.008274 (OR), and from 4/9 it gives 0.006690 (AND).",
            Finite(_case_eps, "shown == printed", _TWO_THIRDS, "balls"),
            off_by_one(_TWO_THIRDS),
        ),
    ),
    printed=Printed(
        "pi(2, 3) = 2/3 with d = 0.1 and R = 60 gives eps = 0.049",
        Finite(_case_all, "eps >= printed", ({"k": 2, "n": 3},), "balls"),
        "pi(1, 3) = 1, where equation 3 has no value (p + d >= 1). 2/3 is pi(2, 3), and gives eps = 0.008274 (OR) and "
        "0.006690 (AND), six and five "
        "times smaller than printed.",
        (goal("5*eps <= printed"),),
    ),
)


def _growth(n: int, k: int) -> dict[str, Fraction]:
    return {"now": _odds(pi(k, n), TENTH), "next": _odds(pi(k + 1, n), TENTH)}


MONOTONE = Statement(
    "odoh-mono",
    "Odoh sec 6",
    sentence="It is said that pi near 0 (k near N) gives eps near 0, and k near 1 gives eps near infinity.",
    verdict=Registered.REFUTED,
    obligations=(
        Obligation(
            "smallest",
            "W is smallest at p = (1-d)/2, with the value ((1+d)/(1-d))^2.",
            Implication(
                ("d >= 0",),
                "(1 - p)*(p + d)*(1 - d)**2 >= p*(1 - p - d)*(1 + d)**2",
                (at(d=0, p="1/2"), at(d="1/10", p="9/20")),
                squares=("2*p - 1 + d",),
            ),
            (without("d >= 0"), goal("(1 - p)*(p + d)*(1 - d)**2 > p*(1 - p - d)*(1 + d)**2")),
        ),
        Obligation(
            "unbounded-at-0",
            "W exceeds every M as p goes to 0: already where p M <= d.",
            Implication(
                ("p*M <= d", "u == v - d", "v == 1 - p", "w == p + d", "p > 0", "M >= 1"),
                "p*u*M <= v*w",
                (
                    at(p="1/20", M=2, d="1/10", u="17/20", v="19/20", w="3/20"),
                    at(p="1/4", M=1, d="1/4", u="1/2", v="3/4", w="1/2"),
                ),
            ),
            (without("p*M <= d"), goal("p*u*M <= v*p")),
        ),
        Obligation(
            "unbounded-at-1",
            "And as p + d goes to 1: already where u M <= d for u = 1 - p - d (v for 1 - p).",
            Implication(
                ("u*M <= d", "u == v - d", "w == p + d", "u > 0", "p > 0", "d > 0"),
                "p*u*M <= v*w",
                (
                    at(u="1/20", M=2, d="1/10", p="17/20", v="3/20", w="19/20"),
                    at(u="1/4", M=1, d="1/4", p="1/2", v="1/2", w="3/4"),
                ),
            ),
            (without("u*M <= d"), without("u == v - d")),
        ),
        Obligation(
            "grows-from-4",
            "For N = 10 and d = 0.1 eps grows from k = 4 to k = 10, while pi falls to 0.0004.",
            Finite(_growth, "next > now", tuple({"n": 10, "k": k} for k in range(4, 10))),
            (case("from k = 3", k=3), goal("next > 10*now")),
        ),
    ),
    printed=Printed(
        "a smaller pi gives a smaller eps (N = 10, d = 0.1, k = 9 to 10)",
        Finite(_growth, "next <= now", ({"n": 10, "k": 9},)),
        "Equation 3 is smallest at p = (1-d)/2, with 2 ln((1+d)/(1-d))/R, and grows without bound as p goes to 0 and "
        "to 1 - d. For N = 10 and d = "
        "0.1 it grows from k = 4 on; for k = 1, p = 1 it has no value.",
        (case("from k = 3", k=3),),
    ),
)


def _and_or(p: Fraction) -> dict[str, Fraction]:
    return {"and_": _odds(p * p, TENTH), "or_": _odds(p, TENTH)}


AND_OR = Statement(
    "odoh-and",
    "Odoh 5.1",
    "Guessing both groups (AND) is said to take less epsilon than guessing one (OR).",
    Registered.REFUTED,
    printed=Printed(
        "the AND epsilon is at most the OR epsilon (two groups of pi = 1/3, d = 0.1)",
        Finite(_and_or, "and_ <= or_", ({"p": Fraction(1, 3)},)),
        "Not always: for pi = 1/3 and R = 60, AND gives 0.0127 and OR 0.0071, since equation 3 grows as p goes to 0.",
        (case("pi = 2/3", p=Fraction(2, 3)),),
    ),
)

STATEMENTS = (PI, EPSILON, CASE, MONOTONE, AND_OR)
