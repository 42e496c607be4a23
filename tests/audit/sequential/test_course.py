"""Whether releases stopped changing: a rare release that stays away for long is not a service that is out of order."""

import numpy as np
import pytest

from crowdproof.audit.compare.betting.course import Course
from crowdproof.audit.compare.betting.streams import LOOKED_AT, Glimpse, Seen
from crowdproof.audit.targets.run import SEVERAL

RUNS = 1_024


def course_of(codes):
    """What is known after these runs, each on one of two datasets by a coin."""
    course = Course()
    datasets = np.random.default_rng(1).integers(2, size=len(codes))
    for start in range(0, len(codes), LOOKED_AT):
        part = slice(start, start + LOOKED_AT)
        glimpse = Glimpse(datasets[part], codes[part])
        key = SEVERAL if glimpse.varied else str(codes[start])
        course.add(Seen(glimpse, key, runs=len(codes[part])))
    return course


def releases(rare, seed):
    """Runs of which each shows something else with this probability."""
    return (np.random.default_rng(seed).random(RUNS) < rare).astype(np.uint64)


@pytest.mark.parametrize("rare", [0.002, 0.01, 0.03])
def test_a_rare_release_that_stays_away_is_no_stop(rare):
    """Of these histories some end with hundreds of runs that are all alike."""
    assert [seed for seed in range(200) if course_of(releases(rare, seed)).stopped] == []


@pytest.mark.parametrize("rare", [0.1, 0.5])
def test_a_target_that_gives_the_same_from_a_certain_run_on_has_stopped(rare):
    for seed in range(50):
        codes = releases(rare, seed)
        codes[RUNS // 2 :] = 7
        assert course_of(codes).stopped >= RUNS // 2 - LOOKED_AT
