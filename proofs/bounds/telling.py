"""What `crowdproof bound` and `crowdproof plan` tell: certified numbers as findings."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from attrs import frozen

from crowdproof.claims import DP, DPS, Claim
from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, probability, rate, whole
from crowdproof.findings import Chart, Estimate, Evidence, Finding, Note, Proved, Reproduce, Series, Table
from crowdproof.proofs.bounds.balls import Rate, Setting, certified, scientific
from crowdproof.proofs.bounds.certificate import Certified, WorstPair
from crowdproof.proofs.bounds.cover import ARGUMENT as COVERING
from crowdproof.proofs.bounds.crowd import crowd_blending
from crowdproof.proofs.bounds.planner import By, largest_beta, smallest_delta, smallest_epsilon, smallest_k
from crowdproof.proofs.bounds.profile import tight
from crowdproof.proofs.bounds.replace import EFFORT
from crowdproof.proofs.bounds.theorem5 import theorem5
from crowdproof.proofs.bounds.utility import rows_kept
from crowdproof.proofs.statement import KERNEL, STEPS

SURE = Note(
    "how sure",
    "every number was computed with its error (balls) and rounded to the safe side. That no other dataset is worse, "
    "and that a maximum over infinitely many numbers of rows is one over those examined, rests on the statements named "
    "beside the number; `crowdproof prove` checks them. For replaced rows a search over pairs of cells is argued in "
    "words only.",
)
_COVERED, _SEARCHED = f"{STEPS} (replace-cover)", "argued in words, not in the ledger"
"""What a delta for replaced rows rests on: where the cover bounds it, and where a search over pairs of cells does."""
_CROWD = f"{KERNEL} (cbp-main, cbp-maximum)"
_LEAST = Fraction(1, 10**300)
"""Claims are not stated with a smaller delta than this; the table is."""
_POINTS = 40
"""Points of a curve."""
_DRAWN = 5_000
"""Up to this k a curve is worked out: beyond it the points take longer than the two seconds that an answer may."""
_RATES = ("max", "0.2", "0.1", "0.05", "0.01")
"""Sampling rates that a plan without beta is made for."""


def rounded_up(number: Fraction, digits: int = 4) -> Fraction:
    """A short number that is not below it."""
    return Fraction(scientific(number, digits, "up"))


def bound_finding(k: Number, beta: Rate, epsilon: Number | Epsilon) -> Finding:
    """All deltas of 'sample at beta, recode in a fixed way, drop the groups below k', side by side."""
    setting, count = Setting.of(beta, epsilon), whole(k, "k")
    applies = setting.compare_with_rate() >= 0
    found = {by: smallest_delta(count, beta, epsilon, by) for by in By if applies or by is not By.THEOREM5}
    rows = [_bound_row(by, found.get(by), setting) for by in By]
    numbers: dict[str, Any] = {by.name.lower(): _numbers(each) for by, each in found.items()}
    if setting.beta is not None:
        crowd = crowd_blending(count, setting.beta)
        shown = scientific(crowd.epsilon.high, rounding="up")
        rows.append(("crowd-blending", shown, str(crowd.delta), f"its own epsilon; n = {crowd.delta.n}", _CROWD))
        numbers["crowd_blending"] = {**_numbers(crowd.delta), "epsilon": _ends(crowd.epsilon)}
    evidence: list[Evidence] = [
        Table(
            "certified deltas (each rounded up)", ("by", "epsilon", "delta", "attained with", "rests on"), tuple(rows)
        ),
        Note("tight", found[By.TIGHT].certificate.argument),
    ]
    if applies:
        evidence.insert(1, Note("Theorem 5", found[By.THEOREM5].certificate.argument))
    if count <= _DRAWN:
        evidence.append(_profile(count, setting))
    else:
        evidence.append(Note("left out", f"the privacy profile, which is drawn for k up to {_DRAWN:,} only."))
    command = f"crowdproof bound --k {count} --beta {_rate(setting)} --epsilon '{setting.epsilon}'"
    return Finding(
        f"sampling at {setting.name()}, a fixed recoding, groups below {count} dropped",
        _claim(setting, rounded_up(found[By.TIGHT].high)),
        Proved(KERNEL),
        evidence=(*evidence, SURE),
        reproduce=Reproduce(command, parameters=numbers),
    )


def _profile(k: int, setting: Setting) -> Chart:
    """Delta as a function of epsilon: Theorem 5 where it speaks, and tight."""
    top = max(2 * float(setting.epsilon), 1.0)
    places = [Fraction(round(1000 * top * (i + 1) / _POINTS), 1000) for i in range(_POINTS)]
    fixed: Rate = setting.beta if setting.beta is not None else certified(setting.b).low
    heard = [each for each in places if Setting.of(fixed, each).compare_with_rate() >= 0]
    series = (
        _series(By.THEOREM5, [(each, theorem5(k, fixed, each)) for each in heard]),
        _series(By.TIGHT, [(each, tight(k, fixed, each)) for each in places]),
    )
    return Chart("the privacy profile", "epsilon", "delta", series, log_y=True)


def _series(by: By, points: list[tuple[Fraction, Certified]]) -> Series:
    """The points of a curve; deltas that no float can hold are not drawn."""
    drawn = [(float(epsilon), float(delta)) for epsilon, delta in points if delta.high >= _LEAST]
    return Series(by.value, tuple(epsilon for epsilon, _ in drawn), tuple(delta for _, delta in drawn))


def _bound_row(by: By, found: Certified | None, setting: Setting) -> tuple[str, ...]:
    if found is None:
        least = scientific(certified(lambda: -setting.q().log()).high, rounding="up")
        return (by.value, str(setting.epsilon), "-", f"only for epsilon >= -ln(1 - beta) = {least}", "")
    where = f"n = {found.n}" if found.pair is None else _pair(found.pair)
    return (by.value, str(setting.epsilon), str(found), where, _rests_on(by, setting, found))


def _rests_on(by: By, setting: Setting, found: Certified | None = None) -> str:
    """The status of a number, and the statements of the ledger that it is read from."""
    if by is By.THEOREM5:
        return f"{KERNEL} (thm5, d-maximum)"
    if by is By.REPLACE:
        covered = found is not None and found.certificate.argument == COVERING
        return _COVERED if covered else _SEARCHED
    return f"{KERNEL} (thm5-tight)" if setting.compare_with_rate() >= 0 else f"{KERNEL} (thm5-small-eps)"


def _pair(pair: WorstPair) -> str:
    one, other = (" and ".join(map(str, rows)) for rows in (pair.likelier, pair.other))
    return f"{one} rows against {other}"


def _numbers(found: Certified) -> dict[str, Any]:
    pair = None if found.pair is None else [list(found.pair.likelier), list(found.pair.other)]
    return {"delta": _ends(found.interval), "n": found.n, "pair": pair, "why": found.certificate.argument}


def _ends(ends: Estimate) -> list[str]:
    """The two ends as text, rounded outwards to 20 digits."""
    return [scientific(ends.low, 20, "down"), scientific(ends.high, 20, "up")]


def _rate(setting: Setting) -> str:
    return "max" if setting.beta is None else setting.name()


def _claim(setting: Setting, delta: Fraction) -> Claim:
    """DPS; where delta >= beta or beta is irrational, (epsilon, delta)-DP of the sampled mechanism."""
    delta = max(delta, _LEAST)
    if setting.beta is not None and delta < setting.beta:
        return DPS(setting.beta, setting.epsilon, delta)
    return DP(setting.epsilon, min(delta, Fraction(10**6 - 1, 10**6)))


@frozen
class Question:
    """The parameters that are given; the missing ones are asked for."""

    epsilon: Epsilon | None
    delta: Fraction | None
    beta: Rate | None
    k: int | None

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of those that are not given."""
        return tuple(name for name in ("epsilon", "delta", "beta", "k") if getattr(self, name) is None)


def ask(epsilon: Number | None, delta: Number | None, beta: Rate | None, k: Number | None) -> Question:
    """Read what is given."""
    return Question(
        None if epsilon is None else Epsilon.of(epsilon),
        None if delta is None else probability(delta, "delta"),
        beta if beta is None or beta == "max" else rate(beta),
        None if k is None else whole(k, "k"),
    )


@frozen
class Answer:
    """One complete choice of all four."""

    by: By
    epsilon: Epsilon
    delta: Fraction
    beta: Rate
    k: int


def plan_finding(question: Question, sizes: Sequence[int] | None = None) -> Finding:
    """The answers by every number, and the rows that each keeps of data with groups of these sizes."""
    answers = _answers(question)
    kept = [_kept(each, sizes) for each in answers] if sizes is not None else []
    columns = ("by", "k", "beta", "epsilon", "delta", *(("rows kept",) if kept else ()), "rests on")
    rows = [
        (
            *_answer_row(each),
            *([f"{kept[i]:,.1f}"] if kept else []),
            _rests_on(each.by, Setting.of(each.beta, each.epsilon)),
        )
        for i, each in enumerate(answers)
    ]
    best = next(each for each in answers if each.by is By.TIGHT)
    evidence: list[Evidence] = [Table(f"asked for: {', '.join(question.missing)}", columns, tuple(rows))]
    if kept and sizes is not None:
        evidence.append(_difference(answers, kept, sum(sizes)))
    return Finding(
        "the plan by the tight number",
        _claim(Setting.of(best.beta, best.epsilon), best.delta),
        Proved(KERNEL),
        evidence=(*evidence, SURE),
        reproduce=Reproduce(parameters={"answers": [_data(each) for each in answers]}),
    )


def _answers(question: Question) -> list[Answer]:
    if question.missing == ("beta", "k") and question.epsilon is not None and question.delta is not None:
        return _by_rate(question.epsilon, question.delta)
    if question.missing == ("epsilon",) and question.beta == "max":
        raise ParameterError("beta is max, that is 1 - e^-epsilon, and epsilon is asked for: give beta as a number.")
    if len(question.missing) != 1:
        raise ParameterError(
            "a plan needs epsilon and delta, or any three of epsilon, delta, beta and k; "
            f"missing: {', '.join(question.missing) or 'nothing, so leave one out to ask for it'}."
        )
    return [found for by in By if (found := _solve(question, by)) is not None]


def _by_rate(epsilon: Epsilon, delta: Fraction) -> list[Answer]:
    """The smallest k for several rates; those for which no k is enough are left out."""
    largest = 1 - _inverse(epsilon)
    rates: list[Rate] = [each for each in _RATES if each == "max" or delta < Fraction(each) < largest]
    answers: list[Answer] = []
    why: ParameterError | None = None
    for beta in rates:
        try:
            sizes = [smallest_k(beta, epsilon, delta, by, EFFORT // len(rates)) for by in By]
        except ParameterError as error:
            why = why or error
        else:
            answers += [Answer(by, epsilon, delta, beta, k) for by, k in zip(By, sizes, strict=True)]
    if not answers and why is not None:
        raise why
    return answers


def _inverse(epsilon: Epsilon) -> Fraction:
    """e^-epsilon, rounded up."""
    return certified(lambda: 1 / Setting(Fraction(1, 2), epsilon).x()).high


def _solve(question: Question, by: By) -> Answer | None:
    """The missing one; None where Theorem 5 does not speak of the rest."""
    epsilon, delta, beta, k = question.epsilon, question.delta, question.beta, question.k
    if (
        by is By.THEOREM5
        and beta is not None
        and epsilon is not None
        and Setting.of(beta, epsilon).compare_with_rate() < 0
    ):
        return None
    if k is None and epsilon is not None and delta is not None and beta is not None:
        return Answer(by, epsilon, delta, beta, smallest_k(beta, epsilon, delta, by))
    if delta is None and epsilon is not None and beta is not None and k is not None:
        return Answer(by, epsilon, rounded_up(smallest_delta(k, beta, epsilon, by).high), beta, k)
    if beta is None and epsilon is not None and delta is not None and k is not None:
        low = largest_beta(k, epsilon, delta, by).low
        return Answer(by, epsilon, delta, Fraction(scientific(low, 6, "down")), k)
    assert delta is not None
    assert beta is not None
    assert k is not None
    least = smallest_epsilon(k, rate(beta), delta, by).high
    return Answer(by, Epsilon(rounded_up(least, 6)), delta, beta, k)


def _kept(answer: Answer, sizes: Sequence[int]) -> float:
    setting = Setting.of(answer.beta, answer.epsilon)
    beta = setting.beta if setting.beta is not None else certified(setting.b).low
    return rows_kept(sizes, float(beta), answer.k)


def _difference(answers: list[Answer], kept: list[float], total: int) -> Note:
    """What the tight number buys."""
    rows = {each.by: kept[i] for i, each in reversed(list(enumerate(answers)))}
    first = f"of {total:,} rows the plan by the tight number releases {rows[By.TIGHT]:,.1f} on average"
    if By.THEOREM5 not in rows:
        return Note("what it buys", f"{first}.")
    return Note("what it buys", f"{first}, by Theorem 5 {rows[By.THEOREM5]:,.1f}.")


def _answer_row(answer: Answer) -> tuple[str, ...]:
    return (answer.by.value, str(answer.k), _option(answer.beta), str(answer.epsilon), _option(answer.delta))


def _option(value: object) -> str:
    return scientific(value, 12) if isinstance(value, Fraction) else str(value)


def _data(answer: Answer) -> dict[str, Any]:
    return {
        "by": answer.by.value,
        "k": answer.k,
        "beta": _option(answer.beta),
        "epsilon": str(answer.epsilon),
        "delta": _option(answer.delta),
    }
