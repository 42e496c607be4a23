"""Charts: well-formed, to scale, and complete."""

import math
import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from report.samples import SAMPLES
from report.strategies import charts, estimates, text

from crowdproof.findings import Chart, Series
from crowdproof.report import svg
from crowdproof.report.axes import Scale, tick_labels

PROFILE = SAMPLES[0].evidence[0]
sizes = st.floats(-1e12, 1e12).map(lambda value: round(value, 6))


def parsed(picture):
    return ET.fromstring(re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "", picture))  # what no XML can hold


def of_class(picture, name):
    return [each for each in parsed(picture).iter() if name in each.get("class", "").split()]


def points(path):
    return [tuple(map(float, pair)) for pair in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", path)]


@given(charts)
def test_any_chart_is_well_formed_and_stays_within_its_frame(chart):
    picture = svg.draw(chart)
    assert parsed(picture).find("title") is not None
    assert parsed(picture).find("desc").text
    for line in of_class(picture, "line"):
        assert all(0 <= x <= svg.WIDTH and 0 <= y <= svg.HEIGHT for x, y in points(line.get("d")))


def test_a_line_is_drawn_to_scale():
    values = (0.0, 1.0, 4.0)
    (line,) = of_class(svg.draw(Chart("t", "x", "y", (Series("s", values, values),))), "line")
    (x0, y0), (x1, y1), (x2, y2) = points(line.get("d"))
    assert (x1 - x0) / (x2 - x0) == pytest.approx(1 / 4, abs=1e-3)
    assert (y0 - y1) / (y0 - y2) == pytest.approx(1 / 4, abs=1e-3)
    assert y2 < y0


def test_a_logarithmic_line_is_drawn_to_scale_and_broken_where_it_has_no_logarithm():
    series = Series("s", (1.0, 2.0, 3.0, 4.0, 5.0), (1e-8, 1e-6, 0.0, 1e-2, 1.0))
    (line,) = of_class(svg.draw(Chart("t", "x", "y", (series,), log_y=True)), "line")
    path = line.get("d")
    ys = [y for _, y in points(path)]
    assert path.count("M") == 2
    assert (ys[0] - ys[1]) / (ys[0] - ys[3]) == pytest.approx(2 / 8, abs=1e-3)


def test_bands_marks_and_lines_are_all_there():
    picture = svg.draw(PROFILE)
    assert [len(of_class(picture, name)) for name in ("band", "line", "mark")] == [1, 2, 1]
    band = points(of_class(picture, "band")[0].get("d"))
    assert len(band) == 2 * len(PROFILE.series[1].x)


def test_the_description_names_axes_and_series():
    told = parsed(svg.draw(PROFILE)).find("desc").text
    assert told.startswith(
        "δ against ε, y logarithmic. certified for a safe algorithm: from 0.3238 at 0.05 to 1.278e-5 at 2"
    )
    assert "claimed: 0.0193 at 1" in told


def test_a_peak_survives_thinning():
    y = [0.0] * 10_000
    y[5001], y[7003] = 1.0, -1.0
    thinned = svg.thin(Series("s", tuple(map(float, range(10_000))), tuple(y)), 400)
    assert len(thinned.x) <= 400
    assert dict(zip(thinned.x, thinned.y, strict=True))[5001.0] == 1.0
    assert min(thinned.y) == -1.0
    assert list(thinned.x) == sorted(thinned.x)


def test_thinning_keeps_the_band_beside_its_line():
    x = tuple(map(float, range(1000)))
    thinned = svg.thin(Series("s", x, x, tuple(v - 1 for v in x), tuple(v + 1 for v in x)), 100)
    assert all(h - y == y - low == 1 for y, low, h in zip(thinned.y, thinned.low, thinned.high, strict=True))


def test_no_data_is_told():
    assert "no data to draw" in svg.draw(Chart("t", "x", "y", (Series("s", (math.inf,), (1.0,)),)))
    assert "no data to draw" in svg.draw(evolve(PROFILE, series=()))


@given(st.lists(st.tuples(text, estimates, st.just("left")), min_size=1, max_size=3))
def test_bars_are_as_long_as_their_numbers(named):
    top = max(float(each.high) for _, each, _ in named) or 1.0
    solid = [each for each in of_class(svg.bars(named, "p"), "bar") if "unsure" not in each.get("class")]
    for (_, estimate, _), bar in zip(named, solid, strict=True):
        want = max(1.5, float(estimate.low) / top * svg.WIDTH)
        assert float(bar.get("width")) == pytest.approx(want, abs=0.06)


@given(st.lists(sizes, min_size=1, max_size=5), st.booleans())
def test_a_scale_keeps_the_order_and_its_ticks_lie_within(values, log):
    values = [abs(each) + 1e-9 for each in values] if log else values
    scale = Scale.over(values, 0, 100, log=log)
    places = [scale(each) for each in sorted(values)]
    assert places == sorted(places)
    assert 0 <= places[0] <= places[-1] <= 100
    ticks = scale.ticks()
    assert 2 <= len(ticks) <= 14
    assert len(set(tick_labels(ticks))) == len(ticks)
    assert all(scale.low * (1 - 1e-2) - 1e-9 <= each or log for each in ticks)


@pytest.mark.parametrize(
    ("values", "log", "labels"),
    [
        ([0, 1], False, ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        ([1e-9, 1], True, ["10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "1"]),
        ([5, 20], True, ["5", "10", "20"]),
        ([0, 60_000], False, ["0", "20,000", "40,000", "60,000"]),
        ([0, 3e-7], False, ["0", "10⁻⁷", "2×10⁻⁷", "3×10⁻⁷"]),
        ([0.1, 0.1], False, ["0", "0.05", "0.1", "0.15"]),
    ],
)
def test_ticks_are_round_numbers(values, log, labels):
    scale = Scale.over(map(float, values), 0, 100, log=log)
    assert tick_labels(scale.ticks()) == labels


@pytest.mark.parametrize("most", [50, 38_000, 2_000_000])
def test_no_label_of_the_x_axis_runs_into_the_next(most):
    runs = (most / 150, most)
    picture = svg.draw(Chart("Evidence", "runs", "evidence", (Series("log", runs, (0, 1)),), log_x=True))
    below = [each for each in of_class(picture, "tick") if each.get("text-anchor") == "middle"]
    ends = [(float(each.get("x")), len(each.text) * 9.5 / 2) for each in below]
    assert len(ends) >= 3
    for (x, half), (next_x, next_half) in pairwise(ends):
        assert x + half <= next_x - next_half + 0.2  # positions are written with one digit


def test_places_with_names_are_bars_with_their_intervals_and_no_course_between_them():
    right = Series("true positives", (1.0, 2.0), (0.5, 0.0), (0.48, 0.0), (0.54, 0.0), points=True)
    wrong = Series("false positives", (1.0, 2.0), (0.04, 0.0), (0.0, 0.0), (0.08, 0.0), points=True)
    drawn = svg.draw(Chart("Before and after: 1 is Mondrian, 2 is StronglySafe", "release", "share", (right, wrong)))
    assert 'class="bars"' in drawn
    for name in ("Mondrian: true positives", "StronglySafe: false positives", "0.48 – 0.54"):
        assert name in drawn
    assert 'class="chart"' in svg.draw(Chart("Course of something that 1 is not", "n", "share", (right, wrong)))
