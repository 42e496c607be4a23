"""Charts as inline SVG. Colours and type are left to the style sheet: a series is known by its class `s0`, `s1`, …"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from html import escape
from itertools import groupby

from attrs import evolve, frozen

from crowdproof.exact import brief
from crowdproof.findings import Chart, Estimate, Series
from crowdproof.report.axes import Scale, drawable, tick_labels

WIDTH, HEIGHT = 480, 270
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 12, 22, 42
_BAR, _GAP = 14, 38
_LETTER = 9.5
"""The width of a digit on a phone, where type is largest beside the chart: labels do not run into each other."""
_MARKS = 400
"""More points than this cannot be told apart at that width."""
COLOURS = 6
"""How many series the style sheet tells apart."""

Point = tuple[float, float]


@frozen
class _Frame:
    """Both scales of a chart."""

    x: Scale
    y: Scale

    def at(self, x: float, y: float) -> Point:
        return self.x(x), self.y(y)

    def shows(self, x: float, y: float) -> bool:
        return drawable(x, log=self.x.log) and drawable(y, log=self.y.log)


def draw(chart: Chart) -> str:
    """The chart with axes, grid, bands, lines and marks, and a title and description for those who do not see it."""
    chart = squared(chart)
    if names := categories(chart):
        return bars(_named(chart, names), chart.title)
    frame = _frame(chart)
    if frame is None:
        body = [_text(WIDTH / 2, HEIGHT / 2, "no data to draw", "middle")]
    else:
        series = [thin(each, _MARKS) for each in chart.series]
        body = [*_x_axis(frame.x, chart.x), *_y_axis(frame.y, chart.y)]
        body += [_band(frame, each, index) for index, each in enumerate(series) if each.low and each.high]
        body += [part for index, each in enumerate(series) for part in _series(frame, each, index)]
    return _svg("chart", HEIGHT, chart.title, describe(chart), body)


_CATEGORY = re.compile(r"(\d+) is (.+?)(?=, \d+ is |$)")


def categories(chart: Chart) -> dict[float, str]:
    """The names of the places on the axis, where the title gives one to each: such points are bars and no course.

    >>> categories(Chart("1 is Mondrian, 2 is StronglySafe", "release", "share", (Series("right", (1, 2), (0.9, 0)),)))
    {1.0: 'Mondrian', 2.0: 'StronglySafe'}
    """
    names = {float(place): name for place, name in _CATEGORY.findall(chart.title)}
    places = {x for series in chart.series for x in series.x}
    within = all(0 <= y < math.inf for series in chart.series for y in (*series.y, *series.low, *series.high))
    return names if names and places <= set(names) and within and any(each.y for each in chart.series) else {}


def _named(chart: Chart, names: dict[float, str]) -> list[tuple[str, Estimate, str]]:
    """The bars of each place in turn; a class for each series."""
    found = []
    for place, name in names.items():
        for index, series in enumerate(chart.series):
            for at, x in enumerate(series.x):
                if x == place:
                    low, high = (ends[at] if ends else series.y[at] for ends in (series.low, series.high))
                    estimate = Estimate(Fraction(low), Fraction(high))
                    found.append((f"{name}: {series.name}", estimate, "left" if index == 0 else "right"))
    return found


def squared(chart: Chart) -> Chart:
    """The chart with every series cut to the points that are whole; a band that lacks points is none."""
    return evolve(chart, series=tuple(map(_squared, chart.series)))


def _squared(series: Series) -> Series:
    size = min(len(series.x), len(series.y))
    banded = min(len(series.low), len(series.high)) >= size
    low, high = (series.low[:size], series.high[:size]) if banded else ((), ())
    return evolve(series, x=series.x[:size], y=series.y[:size], low=low, high=high)


def swatch(series: Series, index: int) -> str:
    """The legend's sample of a series."""
    mark = _marker(14, 6, index) if series.points else f'<path class="line s{index % COLOURS}" d="M1 6H27"/>'
    return f'<svg class="swatch" viewBox="0 0 28 12" aria-hidden="true">{mark}</svg>'


def describe(chart: Chart) -> str:
    """The chart in words: axes, and where each series starts and ends."""
    axes = f"{chart.y} against {chart.x}"
    axes += {
        (True, True): ", both logarithmic",
        (True, False): ", x logarithmic",
        (False, True): ", y logarithmic",
    }.get((chart.log_x, chart.log_y), "")
    return ". ".join([axes, *(f"{each.name}: {extent(each)}" for each in chart.series)]) + "."


def extent(series: Series) -> str:
    """Where the series begins and ends."""
    if not series.x or not series.y:
        return "no points"
    first = f"{brief(series.y[0])} at {brief(series.x[0])}"
    return first if len(series.x) == 1 else f"from {first} to {brief(series.y[-1])} at {brief(series.x[-1])}"


def bars(named: Sequence[tuple[str, Estimate, str]], title: str) -> str:
    """Probabilities as horizontal bars on one scale from zero, with a whisker from `low` to `high` where not exact."""
    top = max(float(each.high) for _, each, _ in named) or 1.0
    scale = Scale(0.0, top, 0, WIDTH)
    height = _GAP * len(named) + 2
    body = [part for i, (name, each, kind) in enumerate(named) for part in _bar(name, each, kind, scale, _GAP * i + 14)]
    told = "; ".join(f"{name}: {_told(each)}" for name, each, _ in named)
    return _svg("bars", height, title, told + ".", body)


def _told(estimate: Estimate) -> str:
    low, high = brief(float(estimate.low)), brief(float(estimate.high))
    return low if low == high else f"{low} – {high}"


def _bar(name: str, estimate: Estimate, kind: str, scale: Scale, y: float) -> Iterator[str]:
    low, high = scale(float(estimate.low)), scale(float(estimate.high))
    middle = y + 5 + _BAR / 2
    yield _text(0, y, name, "start")
    yield f'<rect class="track" x="0" y="{y + 5:g}" width="{WIDTH}" height="{_BAR}" rx="2"/>'
    yield f'<rect class="bar {kind}" x="0" y="{y + 5:g}" width="{_n(max(low, 1.5))}" height="{_BAR}" rx="2"/>'
    if high - low > 1:
        yield f'<rect class="bar {kind} unsure" x="{_n(low)}" y="{y + 5:g}" width="{_n(high - low)}" height="{_BAR}"/>'
        ends = f"M{_n(low)} {middle:g}H{_n(high)}M{_n(low)} {middle - 4:g}v8M{_n(high)} {middle - 4:g}v8"
        yield f'<path class="whisker" d="{ends}"/>'
    yield _text(WIDTH, y, _told(estimate), "end", "value")


def _frame(chart: Chart) -> _Frame | None:
    xs = [x for series in chart.series for x in series.x]
    ys = [y for series in chart.series for y in (*series.y, *series.low, *series.high)]
    x = Scale.over(xs, _LEFT, WIDTH - _RIGHT, log=chart.log_x)
    y = Scale.over(ys, HEIGHT - _BOTTOM, _TOP, log=chart.log_y)
    return _Frame(x, y) if x and y else None


def _x_axis(scale: Scale, label: str) -> Iterator[str]:
    base = HEIGHT - _BOTTOM
    yield f'<path class="axis" d="M{_LEFT} {base}H{WIDTH - _RIGHT}"/>'
    ticks = scale.ticks()
    written_to = -math.inf
    for x, words in zip(map(scale, ticks), tick_labels(ticks), strict=True):
        yield f'<path class="grid" d="M{_n(x)} {_TOP}V{base}"/>'
        half = len(words) * _LETTER / 2
        if x - half > written_to:
            yield _text(x, base + 16, words, "middle")
            written_to = x + half
    yield _text((_LEFT + WIDTH - _RIGHT) / 2, HEIGHT - 6, label, "middle", "label")


def _y_axis(scale: Scale, label: str) -> Iterator[str]:
    ticks = scale.ticks(5)
    for y, words in zip(map(scale, ticks), tick_labels(ticks), strict=True):
        yield f'<path class="grid" d="M{_LEFT} {_n(y)}H{WIDTH - _RIGHT}"/>'
        yield _text(_LEFT - 7, y + 4, words, "end")
    yield _text(2, 12, label, "start", "label")


def _series(frame: _Frame, series: Series, index: int) -> Iterator[str]:
    pieces = _pieces(frame, zip(series.x, series.y, strict=True))
    if series.points:
        yield from (_marker(*frame.at(x, y), index) for piece in pieces for x, y in piece)
        return
    path = "".join(_line(frame.at(x, y) for x, y in piece) for piece in pieces)
    yield f'<path class="line s{index % COLOURS}" d="{path}"/>'


def _pieces(frame: _Frame, points: Iterable[Point]) -> Iterator[list[Point]]:
    """The line is broken where a value has no place on the scale."""
    for shown, piece in groupby(points, key=lambda point: frame.shows(*point)):
        if shown:
            yield list(piece)


def _band(frame: _Frame, series: Series, index: int) -> str:
    edges = zip(series.x, series.low, series.high, strict=True)
    inside = [(x, low, high) for x, low, high in edges if frame.shows(x, high)]
    upper = [frame.at(x, high) for x, _, high in inside]
    lower = [frame.at(x, low if drawable(low, log=frame.y.log) else frame.y.low) for x, low, _ in inside]
    path = _line([*upper, *reversed(lower)])
    return f'<path class="band s{index % COLOURS}" d="{path}Z"/>' if path else ""


def thin(series: Series, most: int) -> Series:
    """The series with at most `most` points, the extremes of every stretch among them, so that no peak is lost."""
    if len(series.x) <= most:
        return series
    size = -(-2 * len(series.x) // most)
    stretches = (range(start, min(start + size, len(series.x))) for start in range(0, len(series.x), size))
    kept = [
        i
        for each in stretches
        for i in sorted({min(each, key=series.y.__getitem__), max(each, key=series.y.__getitem__)})
    ]
    x, y, low, high = (
        tuple(each[i] for i in kept) if each else () for each in (series.x, series.y, series.low, series.high)
    )
    return evolve(series, x=x, y=y, low=low, high=high)


def _line(points: Iterable[Point]) -> str:
    return "".join(f"{'L' if i else 'M'}{_n(x)} {_n(y)}" for i, (x, y) in enumerate(points))


def _marker(x: float, y: float, index: int) -> str:
    """A mark of its own shape for each series: a diamond, a circle or a square."""
    outline = (
        f"M{_n(x)} {_n(y - 6)}l6 6-6 6-6-6z",
        f"M{_n(x - 4.5)} {_n(y)}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
        f"M{_n(x - 4)} {_n(y - 4)}h8v8h-8z",
    )[index % 3]
    return f'<path class="mark s{index % COLOURS}" d="{outline}"/>'


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _text(x: float, y: float, words: str, anchor: str, kind: str = "tick") -> str:
    return f'<text class="{kind}" x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}">{escape(words)}</text>'


def _svg(kind: str, height: float, title: str, told: str, body: Iterable[str]) -> str:
    return (
        f'<svg class="{kind}" viewBox="0 0 {WIDTH} {height:g}" role="img">'
        f"<title>{escape(title)}</title><desc>{escape(told)}</desc>{''.join(body)}</svg>"
    )
