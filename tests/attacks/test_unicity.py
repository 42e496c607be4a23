"""Traces: who fits by brute force, nobody where traces are of others, and data of one's own."""

import numpy as np
import polars as pl
import pytest

from crowdproof.attacks import unicity
from crowdproof.attacks.traces import COLUMNS, Index, Traces, generate
from crowdproof.attacks.unicity import Clue, _clue, _says
from crowdproof.errors import DataError, ParameterError
from crowdproof.findings import Chart


def traces(seed=1, people=60):
    return generate(people, 8, 12, np.random.default_rng(seed))


def test_those_who_fit_are_those_of_a_plain_search():
    table = traces()
    found = Traces.of(table, COLUMNS)
    index, rng = Index.of(found), np.random.default_rng(2)
    rows = {}
    for person, hour, place in table.rows():
        rows.setdefault(person, set()).add((str(hour), str(place)))
    for who in range(found.people):
        clue = _clue(found, who, 2, rng)
        points = {(found.time_words[when], found.place_words[place]) for when, place in clue.points}
        fits = [person for person, own in rows.items() if points <= own]
        assert len(fits) == len(index.candidates(clue.points))
        assert who in index.candidates(clue.points)
        assert clue.wanted not in clue.points


def test_without_the_person_their_own_trace_is_not_used():
    table = pl.DataFrame(
        {"person": [i for i in range(10) for _ in range(3)], "hour": [1, 2, 3] * 10, "place": [*range(27), 5, 6, 7]}
    )
    found = Traces.of(table, COLUMNS)
    index = Index.of(found)
    points = [found.point(0, each) for each in range(3)]
    clue = Clue(0, (points[0],), points[1])
    assert _says(index, clue, left_out=False) == points[1][1]
    assert _says(index, clue, left_out=True) != points[1][1]


def test_points_of_other_people_are_never_refuted():
    """The null: the traces are those of strangers; eight runs, each with a false-alarm rate of at most 0.001."""
    for seed in range(8):
        found = Traces.of(traces(seed, 200), COLUMNS)
        strangers = Index.of(Traces.of(traces(seed + 50, 200), COLUMNS))
        times = set(strangers.popular)
        clues = [_clue(found, who, 2, np.random.default_rng(who)) for who in range(100)]
        shown = [clue for clue in clues if clue.wanted[0] in times]
        right = sum(
            _says(strangers, Clue(-1, each.points, each.wanted), left_out=False) == each.wanted[1] for each in shown
        )
        common = sum(strangers.common(each.wanted[0]) == each.wanted[1] for each in shown)
        success, baseline = (unicity.proportion(each, len(shown), unicity.ERROR / 2) for each in (right, common))
        assert success.low <= baseline.high


def test_more_points_single_out_more():
    chart = next(each for each in unicity.run(trials=20).evidence if isinstance(each, Chart))
    shares = chart.series[0].y
    assert list(shares) == sorted(shares)
    assert shares[3] > 0.95  # the published figure at four points, here on generated traces


def test_data_of_the_users_own_and_bad_input():
    table = traces().rename({"person": "who", "hour": "when", "place": "where"})
    story = unicity.run(data=table, known="who,when,where", trials=30, k=3, points=3)
    assert story.victim.success.low > 0.5
    assert "where they were" not in story.learned[0]
    with pytest.raises(DataError, match="no column 'person'"):
        unicity.run(data=table)
    with pytest.raises(ParameterError, match="names three columns"):
        unicity.run(known="who,when")
    with pytest.raises(DataError, match="nobody has more than 300 points"):
        unicity.run(points=300)
    with pytest.raises(DataError, match="give at least ten"):
        unicity.run(data=table.head(20), known="who,when,where")
