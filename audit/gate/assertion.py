"""`assert_private`: a privacy claim as an assertion in a test."""

from collections.abc import Sequence
from typing import Any

from crowdproof.audit import audit
from crowdproof.audit.request import Budget, Pair
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
    stated = parse_claim(claim) if isinstance(claim, str) else claim
    with staying():  # a test that ends pytest would look like one that passed
        finding = audit(
            mechanism,
            stated,
            data=data,
            pairs=pairs,
            budget=Budget(runs, seconds),
            error=rational(error, "error"),
            seed=seed,
            **options,
        )
    if isinstance(finding.verdict, Skipped):
        raise TargetError(finding.verdict.reason)
    if not isinstance(finding.verdict, NotRefuted | Proved):
        raise PrivacyError(finding)
    return finding
