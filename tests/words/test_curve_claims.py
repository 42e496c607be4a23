"""Claims that are curves: what may be written, what is refused, and files of points."""

from contextlib import suppress
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdproof import FDP, GDP, RDP, ZCDP, Neighbours, Point, parse_claim
from crowdproof.claims import build_claim
from crowdproof.claims.tradeoff import of_trade_off
from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import Epsilon
from crowdproof.wire import loads


@pytest.mark.parametrize(
    "text",
    [
        "zcdp(rho=0.5)",
        "zcdp(rho=1/3, neighbours=replace)",
        "rdp(alpha=4/3, epsilon=ln 3)",
        "gdp(mu=0.1)",
        "fdp(points=0:0.3|ln 3:0.01)",
        "fdp(points=0:1/3, neighbours=replace)",
    ],
)
def test_what_is_written_is_read_back(text):
    claim = parse_claim(text)
    assert str(claim) == text
    assert claim.meaning.endswith(".")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("zcdp(rho=-1)", "at least 0"),
        ("rdp(alpha=1, epsilon=1)", "above 1"),
        ("rdp(alpha=2)", "needs epsilon"),
        ("gdp(sigma=1)", "no parameter 'sigma'"),
        ("fdp()", "needs points"),
        ("fdp(points=1)", "epsilon:delta"),
        ("fdp(points=1:2)", "below 1"),
        ("fdp(points=1:0.1|1:0.2)", "two deltas"),
        ("fdp(file=missing.csv)", "missing.csv cannot be read"),
        ("fdp(file=missing.csv, points=0:0.1)", "one of them"),
    ],
)
def test_what_says_nothing_is_refused_with_a_reason(text, words):
    with pytest.raises((ParameterError, DataError), match=words):
        parse_claim(text)


def test_points_are_sorted_and_given_in_many_forms():
    assert FDP([(1, "0.1"), Point(0, "0.3")]) == FDP("0:0.3|1:0.1") == FDP(["1:0.1", "0:0.3"])


def test_a_file_of_points_stands_for_them(tmp_path):
    (tmp_path / "curve.csv").write_text("epsilon,delta\n1,0.05\n0,0.3\n\n", encoding="utf-8-sig")
    claim = parse_claim("fdp(file=curve.csv, neighbours=replace)", tmp_path)
    assert claim == FDP("0:0.3|1:0.05", Neighbours.REPLACE) == FDP.of_file(tmp_path / "curve.csv", "replace")
    assert str(claim) == "fdp(points=0:0.3|1:0.05, neighbours=replace)"


def test_a_trade_off_function_may_be_given_by_lines(tmp_path):
    # at most 1/10 of the alarms are sure, and the rest are right with odds of 3
    (tmp_path / "f.csv").write_text("alpha,beta,slope\n0,0.9,-3\n0.225,0.225,-1/3\n0.9,0,0\n")
    assert FDP.of_file(tmp_path / "f.csv") == FDP("ln 3:0.1")


def response(alpha):
    """The trade-off function of randomized response with odds of 3, exactly."""
    return 1 - 3 * alpha if alpha <= Fraction(1, 4) else (1 - alpha) / 3


def truth(pieces, epsilon):
    """The exact delta at that epsilon where the trade-off function is the largest of these lines (height, fall).

    A claim holds in both directions, so the inverse of each line bounds the function as well.
    """
    inverse = [(height / fall, 1 / fall) for height, fall in pieces if fall]
    lines = [*pieces, *inverse, (Fraction(0), Fraction(0))]
    corners = {Fraction(0), Fraction(1)}
    for (one, down), (two, under) in combinations(lines, 2):
        if down != under and 0 < (place := (one - two) / (down - under)) < 1:
            corners.add(place)
    x = epsilon.exp_exact
    return max(1 - max(height - fall * alpha for height, fall in lines) - x * alpha for alpha in corners)


@given(
    lines=st.lists(st.tuples(st.fractions(0, 1), st.fractions(0, 8)), min_size=1, max_size=5),
    places=st.lists(st.fractions(0, 1), min_size=1, max_size=12, unique=True),
)
def test_points_on_a_trade_off_function_claim_no_more_than_it_says(lines, places):
    """A convex function, at most 1 - alpha, through whose points a straight line would often claim too much."""
    pieces = [(height, max(height, fall)) for height, fall in lines]  # at most 1 at 0, and 0 at 1
    curve = [(alpha, max([Fraction(0), *(height - fall * alpha for height, fall in pieces)])) for alpha in places]
    with suppress(DataError):  # that the curve says nothing is no claim
        assert all(truth(pieces, point.epsilon) <= point.delta for point in of_trade_off(curve))


def test_many_points_of_a_trade_off_function_say_nearly_what_it_says():
    points = of_trade_off([(alpha, response(alpha)) for alpha in (Fraction(n, 1000) for n in range(1001))])
    at_ln_3 = min(
        float(point.delta) + max(0.0, float(point.epsilon) - float(Epsilon.of("ln 3"))) for point in points[-2:]
    )
    assert 0 <= at_ln_3 < 0.01


@pytest.mark.parametrize(
    "lines",
    [
        "",
        "alpha,beta\n",
        "alpha,beta\n0,1\n",
        "alpha,beta,slope\n0,1,3\n",
        "alpha,beta,slope\n0,2,-3\n",
        "alpha,beta\n0,1\n0,0.5\n",
        "alpha,beta\n0,0.5\n0.5,0.4\n1,0\n",
        "alpha,beta\n0,0.5\n1,0.9\n",
        "alpha,beta\n0,1\n1,1/2\n",
        "fpr,fnr\n0,1\n1,0\n",
        "epsilon,delta\n1\n",
        "epsilon,delta\n1,x\n",
        "alpha,beta\n0,2\n1,0\n",
    ],
)
def test_what_is_no_curve_is_refused(tmp_path, lines):
    (tmp_path / "curve.csv").write_text(lines)
    with pytest.raises((ParameterError, DataError)):
        FDP.of_file(tmp_path / "curve.csv")


def test_a_finding_that_somebody_sent_reads_no_file(tmp_path):
    (tmp_path / "curve.csv").write_text("epsilon,delta\n1,0.05\n")
    with pytest.raises(ParameterError, match="no parameter 'file'"):
        build_claim("fdp", {"file": str(tmp_path / "curve.csv")}, None)
    with pytest.raises(DataError):
        loads('[{"schema": 1, "claim": {"notion": "fdp", "file": "/etc/passwd"}}]')


def test_parameters_are_exact():
    assert (ZCDP(0.1).rho, GDP("1/3").mu, RDP(1.5, 1).alpha) == (Fraction(1, 10), Fraction(1, 3), Fraction(3, 2))
