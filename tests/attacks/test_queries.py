"""Questions without a budget: the difference of two answers by counting, noise by its law, the budget of the twin."""

import math

import numpy as np
import polars as pl
import pytest

from crowdproof.attacks import averaging, differencing
from crowdproof.attacks.averaging import Counting
from crowdproof.attacks.differencing import Asking, Budgeted, Exact
from crowdproof.attacks.grouped import Setting
from crowdproof.data import adult
from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import Epsilon

KNOWN = ("age", "sex", "education_num")


def asking(rows=300):
    people = adult(complete=True).select(*KNOWN, "occupation")
    who = Setting.of(people, KNOWN, "occupation", rows, usual=KNOWN, rng=np.random.default_rng(1))
    return Asking.of(who.tables.inside, who)


def test_the_difference_counts_those_who_are_like_the_person():
    """Second route: the people who are alike are looked up one by one."""
    adversary = asking()
    for place in range(40):
        person = adversary.people.row(place, named=True)
        answers = Exact(10)(adversary.counts(adversary.people, person), np.random.default_rng(0))
        alike = [
            row["occupation"]
            for row in adversary.people.iter_rows(named=True)
            if all(row[name] == person[name] for name in KNOWN)
        ]
        assert (answers[0] - answers[1]).tolist() == [alike.count(each) for each in adversary.values]
        assert adversary.say(answers) == max(sorted(set(alike)), key=alike.count)


def test_small_groups_get_no_answer_and_nobody_alike_gives_the_commonest():
    adversary = asking()
    person = adversary.people.row(0, named=True)
    assert not Exact(301)(adversary.counts(adversary.people, person), np.random.default_rng(0)).any()
    nobody = {**person, "age": 500}
    assert adversary.say(adversary.counts(adversary.people, nobody)) == str(
        adversary.people["occupation"].value_counts().sort("count", "occupation", descending=[True, False])[0, 0]
    )


def test_a_budget_answers_so_many_questions_with_noise_for_all_of_them():
    """The noise of two questions at epsilon 1/2 has the scale 4; 20,000 draws stray by a few per cent."""
    server = Budgeted(10, Epsilon.of("1/2"), questions=2)
    answers = server(np.zeros((3, 10_000)), np.random.default_rng(1))
    assert not answers[2].any()
    assert abs(float(abs(answers[:2]).mean()) - 4) < 0.2


def test_people_of_whom_the_answers_are_not_are_never_refuted():
    """The null: eight runs in which the server answers about other people."""
    people = adult(complete=True).select(*KNOWN, "occupation")

    class OfOthers(Exact):
        def __call__(self, counts, rng):
            other = people.sample(300, seed=int(rng.integers(2**31)))
            texts = other["occupation"]
            count = np.array([float((texts == each).sum()) for each in adversary.values])
            return np.array([count, np.maximum(count - rng.integers(0, 2, len(count)), 0)])

    adversary = asking()
    story = differencing.run(data=people.head(2000), known=KNOWN, secret="occupation", rows=300, trials=20)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        assert not adversary.measure("others", OfOthers(10), story.victim.yardstick, 30, rng).succeeds


@pytest.mark.parametrize(("answers", "epsilon"), [(1, "0.1"), (1, "2"), (1, "ln 3"), (400, "0.1")])
def test_how_often_the_mean_of_the_answers_is_right_is_its_law(answers, epsilon):
    """One answer: 1 - e^(-epsilon/2)/2, exactly. Many: their mean is normal, nearly. 4,000 trials, 5 sigma."""
    count = Counting(100, Epsilon.of(epsilon))
    right = count.right(answers, 4000, np.random.default_rng(1)) / 4000
    loss = float(Epsilon.of(epsilon))
    exact = 1 - math.exp(-loss / 2) / 2
    spread = math.sqrt(2 / answers) / loss
    law = exact if answers == 1 else 0.5 * (1 + math.erf(0.5 / spread / math.sqrt(2)))
    assert abs(right - law) < 5 * math.sqrt(law * (1 - law) / 4000) + (0.005 if answers > 1 else 0)


def test_one_answer_never_exceeds_what_its_epsilon_allows():
    for epsilon in ("0.01", "0.5", "1", "3"):
        loss = float(Epsilon.of(epsilon))
        assert 1 - math.exp(-loss / 2) / 2 <= math.exp(loss) / (1 + math.exp(loss))
    for seed in range(8):
        assert not averaging.run(answers=1, trials=200, seed=seed).victim.succeeds


def test_the_sentences_speak_of_the_data_and_bad_input_is_refused():
    people = pl.DataFrame({"age": range(60), "ill": ["flu"] * 40 + ["gout"] * 20})
    told = averaging.run(data=people, value="gout", trials=20, answers=100)
    assert "19 others have gout" in told.learned[0]
    assert "the true count is 20" in told.learned[0]
    assert "1 of 1 with these values" in differencing.run(data=people, k=10, rows=30, trials=20).learned[0]
    with pytest.raises(DataError, match="nobody has 'plague' in ill"):
        averaging.run(data=people, value="plague")
    with pytest.raises(DataError, match="nobody has a ill"):
        averaging.run(data=people.with_columns(ill=pl.lit(None, dtype=pl.String)))
    with pytest.raises(ParameterError, match="give a smaller k"):
        differencing.run(data=people, k=100)
