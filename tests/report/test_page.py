"""What a reader of the page asks first, and what it does not tell twice."""

import re
from fractions import Fraction

import pytest
from attrs import evolve
from report.samples import SAMPLES

from crowdproof.claims import DP, KAnonymity
from crowdproof.findings import (
    Chart,
    Confidence,
    Estimate,
    Event,
    Finding,
    NotRefuted,
    PairWitness,
    Refuted,
    Reproduce,
    Series,
    Table,
    Undecided,
)
from crowdproof.report import render, wording, write
from crowdproof.report.origin import origin, written
from crowdproof.report.repeated import readable, told_once

HELD = Finding("shop", DP("1"), NotRefuted("A leak of 2 would have been found."), Confidence(Fraction(1, 10**6)))
PROFILE = Chart(
    "Profile",
    "epsilon",
    "delta",
    (Series("there", (0, 1), (0.1, 1e-6)), Series("back", (0, 1), (0.1, 0.0)), Series("claimed", (1,), (1e-8,))),
)
NUMBERS = Table("Numbers", ("epsilon", "there", "back"), (("0", "0.1", "0.1"), ("1", "1e-6", "0")))


def test_the_page_tells_the_day_and_the_folder(monkeypatch, tmp_path):
    folder = tmp_path / "clinic <b>"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert "Written on 2 January 1970 in the folder clinic &lt;b&gt;." in render([HELD], "html")
    folder.rmdir()
    assert written() == "Written on 2 January 1970."


@pytest.mark.parametrize("odd", ["", "yesterday", "-1", "9" * 30])
def test_an_odd_time_is_not_gone_by(monkeypatch, odd):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", odd)
    assert re.match(r"Written on \d+ \w+ 20\d\d", written())


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (Reproduce(command="crowdproof audit m:f --data 'my people.csv' --seed 1"), "Data: my people.csv"),
        (Reproduce(command="crowdproof gate privacy.toml a", parameters={"file": "privacy.toml"}), "privacy.toml"),
        (Reproduce(command="crowdproof audit m:f --queries 3"), ""),
        (Reproduce(command="crowdproof audit m:f --data"), ""),
        (Reproduce(command="an 'open quote --data x"), ""),
        (Reproduce(parameters={"file": 3}), ""),
    ],
)
def test_a_finding_tells_its_data(made, told):
    shown = origin(evolve(HELD, reproduce=made))
    assert shown.endswith(told)
    assert bool(shown) == bool(told)
    assert (f'class="origin">{shown}<' in render([evolve(HELD, reproduce=made)], "html")) == bool(told)


def test_no_table_repeats_a_chart_and_others_stay():
    other = evolve(NUMBERS, columns=("epsilon", "there", "elsewhere"))
    by_other = evolve(NUMBERS, columns=("runs", "there", "back"))
    assert told_once([NUMBERS, PROFILE, other, by_other]) == [PROFILE, other, by_other]
    assert told_once([NUMBERS]) == [NUMBERS]


def test_small_deltas_are_drawn_on_a_logarithmic_axis():
    drawn = readable(PROFILE)
    assert drawn.log_y
    assert [each.name for each in drawn.series] == ["there", "back (0 where it ends)", "claimed"]
    near = evolve(PROFILE, series=(Series("there", (0, 1), (0.1, 0.05)),))
    zero = evolve(PROFILE, series=(Series("there", (0, 1), (0.0, 0.0)),))
    runs = evolve(PROFILE, y="runs")
    assert [readable(each) for each in (near, zero, runs)] == [near, zero, runs]


def test_what_sets_a_row_apart_stands_first():
    row = {"name": "Ada", "zip": "02138", "sex": "F", "age": "30", "illness": "flu"}
    sure = Estimate.exactly(Fraction(1))
    witness = PairWitness([row], [], Event("any"), sure, sure, sure)
    page = render([Finding("shop", DP("1"), Refuted(witness))], "html")
    assert '<td class="times">only here</td><td>(name 1)</td>' in page
    assert 'class="pair wide"' in page
    slim = PairWitness([{"age": "30"}], [], Event("any"), sure, sure, sure)
    assert 'class="pair"' in render([Finding("shop", DP("1"), Refuted(slim))], "html")


def test_the_next_step_after_runs_without_a_leak_is_told():
    assert wording.what_to_do(HELD) == wording.LOOK_FURTHER
    assert wording.what_to_do(evolve(HELD, verdict=Undecided("Too few: raise --runs."))) is None
    assert wording.what_to_do(evolve(HELD, claim=KAnonymity(2))) is None
    assert wording.what_to_do(evolve(HELD, certainty=None)) is None


def test_bounds_that_read_alike_are_one_number():
    assert wording.number(Estimate(Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**9))) == "0.3333"


class Terminal:
    """A terminal of so many lines, as rich sees it."""

    encoding = "utf-8"

    def __init__(self):
        self.text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text

    def flush(self):
        """Nothing is kept back."""


@pytest.mark.parametrize(("lines", "again"), [("10", True), ("900", False)])
def test_a_report_longer_than_the_window_ends_with_the_verdicts(monkeypatch, lines, again):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LINES", lines)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    screen = Terminal()
    write([*SAMPLES, HELD], "text", screen)
    shown = re.sub(r"\x1b\[[\d;]*m", "", screen.text)
    heading = "NOT_REFUTED  shop: dp(epsilon=1)"
    assert shown.count(heading) == 1 + again
    assert ("".join(shown.splitlines()[-2:]).strip().endswith("adds the evidence up.")) == again
