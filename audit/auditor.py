"""The front door: one claim about one target, and what came of examining it."""

import platform
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from importlib import import_module
from typing import Any, TypeVar

import attrs
import numpy as np
import polars as pl
from attrs import evolve

import crowdproof
from crowdproof.audit.compare.question import is_recorded
from crowdproof.audit.request import Budget, Conclusion, OneRunTerms, Pair, Progress, Request, Runner, Sampling
from crowdproof.audit.runners.inline import Inline
from crowdproof.audit.targets.plain import plain
from crowdproof.audit.targets.run import told_briefly
from crowdproof.claims import PARSEABLE, Claim
from crowdproof.errors import NoReleaseError, ParameterError, TargetError, pass_interrupts
from crowdproof.exact import Epsilon, Number, rational, show
from crowdproof.findings import Cost, Finding, Json, Reproduce, Skipped
from crowdproof.mechanism import Mechanism

Value = TypeVar("Value")

DEFAULT_BUDGET = Budget(runs=200_000, seconds=120.0)
"""A guess at what somebody waits for at a terminal: quick targets end by their runs, slow ones by the time."""


def audit(
    target: Mechanism,
    claim: Claim,
    *,
    data: Any = None,
    pairs: Sequence[Pair] | None = None,
    budget: Budget = DEFAULT_BUDGET,
    error: Number = Fraction(1, 10**6),
    seed: int = 0,
    runner: Runner | None = None,
    progress: Progress | None = None,
    sampling: Sampling = Sampling.AUDITOR,
    search: int = 100,
    deterministic: bool | None = None,
    subject: str | None = None,
    one_run: OneRunTerms | None = None,
) -> Finding:
    """Try to refute the claim about the target.

    The auditor picks neighbouring datasets (or takes `pairs`), works out the law of the release exactly where it is
    finite, and tests by betting elsewhere, with a false-alarm rate of at most `error` over everything it looked at.
    `deterministic` tells whether the output depends on the data alone, where the target itself does not. With `one_run`
    the target runs only once, on all of the data with canaries in it. An interrupt ends it with what was found so far.
    """
    request = Request(
        target=target,
        claim=claim,
        data=data,
        pairs=pairs,
        budget=_affordable(budget, target),
        error=_level(error),
        seed=seed,
        runner=runner or Inline(),
        progress=progress,
        sampling=sampling,
        search=search,
        deterministic=deterministic,
        one_run=one_run,
    )
    return _found(request, subject or name_of(target))


def _level(error: Number) -> Fraction:
    level = rational(error, "error")
    if not 0 < level < 1:
        raise ParameterError(f"error is {show(level)}: a false-alarm rate lies strictly between 0 and 1.")
    return level


def _affordable(budget: Budget, target: Mechanism) -> Budget:
    """The budget; of outputs that were made before, there are only as many runs as there are outputs."""
    if not is_recorded(target):
        return budget
    target.rewind()
    available = target.available
    return evolve(budget, runs=available if budget.runs is None else min(available, budget.runs))


def _found(request: Request, subject: str) -> Finding:
    """What came of the request, with its cost and what reproduces it."""
    start = time.monotonic()
    conclusion = _examine(request)
    parameters = _parameters(request, conclusion)
    return Finding(
        subject=subject,
        claim=request.claim,
        verdict=conclusion.verdict,
        certainty=conclusion.certainty,
        evidence=conclusion.evidence,
        cost=Cost(conclusion.runs, time.monotonic() - start),
        reproduce=Reproduce(seed=request.seed, parameters=parameters, versions=versions()),
        measures=conclusion.measures,
    )


def name_of(target: object) -> str:
    """What the target is called: its own name, the function's, or its type with what was set.

    To read these runs code of the target. Where that fails, it is called by its type.
    """
    return _read(lambda: _own_name(target)) or f"a {type.__dict__['__name__'].__get__(type(target))}"


def _own_name(target: object) -> str:
    name = getattr(target, "name", None) or getattr(target, "__name__", None)
    return str.__str__(str(name) if name else _brief(target))  # without a class of the target's


def _read(read: Callable[[], Value]) -> Value | None:
    """What is read of the target for the report; None where that fails, in whatever way: no verdict hangs on it."""
    try:
        return read()
    except BaseException as error:  # noqa: BLE001  (foreign code: anything may come)
        pass_interrupts(error)
        return None


def _brief(value: object) -> str:
    """A value in few words: of an attrs value the fields that differ from their defaults.

    >>> from crowdproof.mechanisms import Laplace, Mondrian
    >>> _brief(Mondrian(20)), _brief(Laplace("ln 3"))
    ('Mondrian(k=20)', 'Laplace(epsilon=ln 3)')
    """
    kind = type(value)
    if isinstance(value, Fraction):
        return show(value)
    if isinstance(value, tuple):
        return ", ".join(map(_brief, value))
    if not attrs.has(kind) or isinstance(value, Epsilon):
        return str(getattr(value, "__name__", value))
    set_fields = [each for each in attrs.fields(kind) if getattr(value, each.name) != each.default]
    return f"{kind.__name__}({', '.join(f'{each.name}={_brief(getattr(value, each.name))}' for each in set_fields)})"


def versions() -> dict[str, str]:
    """What the finding was made with."""
    return {
        "crowdproof": crowdproof.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "polars": pl.__version__,
    }


def _by_notion(request: Request) -> Conclusion:
    """What the notion of the claim makes of the request: the module of `notions/` that the claim names."""
    name = request.claim.examined_by
    if name is None:
        known = ", ".join(PARSEABLE)
        raise ParameterError(f"'{request.claim}' is not a claim about a mechanism: audit one of {known}.")
    where = f"notions.{name}" if request.one_run is None else "one_run.run_once"
    conclusion: Conclusion = import_module(f"crowdproof.audit.{where}").examine(request)
    return conclusion


def _ready(request: Request) -> tuple[Request, NoReleaseError | None]:
    """The request, once its target has settled how it takes the data; the time that this took is spent.

    Data that is refused in every form is no error yet, since other datasets may not be; what was said is kept.
    """
    get_ready = getattr(request.target, "get_ready", None)
    if get_ready is None:
        return request, None
    start, refused = time.monotonic(), None
    pairs = [each for pair in request.pairs or () for each in (pair.left, pair.right)]
    try:
        get_ready([request.data, *pairs[:2]])
    except NoReleaseError as error:
        refused = error
    return evolve(request, budget=request.budget.less(runs=0, seconds=time.monotonic() - start)), refused


def _examine(request: Request) -> Conclusion:
    refused: NoReleaseError | None = None
    try:
        request, refused = _ready(request)
        return _by_notion(request)
    except NoReleaseError as error:
        return Conclusion(Skipped(f"The target released nothing: {refused or error}"), None, (), 0)
    except TargetError as error:
        return Conclusion(Skipped(f"The target could not be run: {error}"), None, (), 0)
    except Exception:
        raise
    except BaseException as error:  # noqa: BLE001  (a panic of a library, or sys.exit: no verdict, and no end of ours)
        pass_interrupts(error)
        reason = f"it crashed with {told_briefly(error)}"
        return Conclusion(Skipped(f"The target could not be run: {reason}"), None, (), 0)


def _spec(target: object) -> dict[str, Json] | None:
    """How the target is loaded again, as plain values; None where it does not say."""
    spec = getattr(target, "spec", None)
    return None if spec is None else plain(dict(spec), "the target")


def _parameters(request: Request, conclusion: Conclusion) -> dict[str, Json]:
    spec = _read(lambda: _spec(request.target))
    data = {} if conclusion.data is None else {"data": conclusion.data}
    return {
        **data,
        "target": spec,
        "sampling": request.sampling.value,
        "deterministic": request.deterministic,
        "error": show(request.error),
        "runs": request.budget.runs,
        "seconds": request.budget.seconds,
    }
