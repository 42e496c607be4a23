"""`assert_private`: a privacy claim as an assertion in a test."""

import builtins
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from traceback import walk_tb
from typing import Any

from crowdproof import errors
from crowdproof.audit import audit
from crowdproof.audit.request import Budget, Pair
from crowdproof.audit.targets.run import told_briefly
from crowdproof.audit.targets.staying import staying
from crowdproof.claims import Claim, parse_claim
from crowdproof.errors import TargetError
from crowdproof.exact import Number, rational
from crowdproof.findings import Finding, NotRefuted, Proved, Skipped
from crowdproof.mechanism import Mechanism
from crowdproof.report import render


class PrivacyError(AssertionError):
    """A claim was refuted, or could not be decided; the message shows the witness."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(f"the claim {finding.claim} did not hold up:\n\n{render([finding], 'text')}")
        self.finding = finding


def assert_private(
    mechanism: Mechanism,
    claim: Claim | str,
    *,
    data: Any = None,
    pairs: Sequence[Pair] | None = None,
    runs: int = 20_000,
    seconds: float | None = 60.0,
    error: Number = "1e-6",
    seed: int = 0,
    **options: Any,
) -> Finding:
    """Audit the mechanism and fail where the claim is refuted or could not be decided.

    A true claim fails with probability at most `error`. Passing shows no more than the finding says, which is
    returned. A mechanism that cannot be run at all is a `TargetError`, not a failed claim.

    >>> import polars as pl
    >>> table = pl.DataFrame({"age": [20, 20, 30, 30]})
    >>> assert_private(lambda data, rng: data.height, "dp(epsilon=1)", data=table, deterministic=True)
    Traceback (most recent call last):
    ...
    crowdproof.audit.gate.assertion.PrivacyError: the claim dp(epsilon=1) did not hold up:
    ...
    """
    __tracebackhide__ = True
    return held(
        lambda: audit(
            mechanism,
            parse_claim(claim) if isinstance(claim, str) else claim,
            data=data,
            pairs=pairs,
            budget=Budget(runs, seconds),
            error=rational(error, "error"),
            seed=seed,
            **options,
        )
    )


def held(examine: Callable[[], Finding]) -> Finding:
    """The finding of an examination within a test, if the claim held up; else what fails a test is raised."""
    __tracebackhide__ = True
    with _errors_only(), staying():  # a test that ends pytest would look like one that passed
        finding = examine()
        _require_held(finding)
        return finding


def _require_held(finding: Finding) -> None:
    """Raise what fails a test, unless the claim was proved or not refuted."""
    __tracebackhide__ = True
    if isinstance(finding.verdict, Skipped):
        raise TargetError(finding.verdict.reason)
    if not isinstance(finding.verdict, NotRefuted | Proved):
        raise PrivacyError(finding)


@contextmanager
def _errors_only() -> Iterator[None]:
    """The border of an audit within a test: what leaves it fails the test, or is an interrupt of the user's.

    Code of the target runs wherever something of it is looked at, and may raise what test runners take for an outcome:
    `pytest.skip`, `pytest.xfail`, `pytest.exit`, `unittest.SkipTest`. A skipped test is green, and the audit did not
    take place. So only errors of Python itself and of ours pass as they are.
    """
    try:
        yield
    except BaseException as error:
        if any(type(error) is each for each in _PASSING) and not _speaks_to_pytest(error):
            raise
        if isinstance(error, KeyboardInterrupt):
            raise KeyboardInterrupt from None  # without the type that a target gave it
        raise TargetError(f"the audit was ended by {told_briefly(error)}") from None


def _speaks_to_pytest(error: BaseException) -> bool:
    """Whether a frame of the error has something that pytest calls when it shows the error."""
    return any(callable(frame.f_locals.get("__tracebackhide__")) for frame, _ in walk_tb(error.__traceback__))


_PASSING = (
    PrivacyError,
    KeyboardInterrupt,
    *(
        each
        for module in (builtins, errors)
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Exception)
    ),
)
"""Types of errors that every test runner takes for a failure, or for Ctrl-C."""
