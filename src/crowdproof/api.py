"""The verbs of the command line, from Python: `import crowdproof as cp`, then `cp.examine`, `cp.check` and the others.

`audit` is called `examine` here, since the folder has that name. Claims are objects or text. Errors are those of
`crowdproof.errors`, each one sentence with its remedy.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crowdproof.claims import Claim, parse_claim
from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import Number
from crowdproof.findings import Finding, Refuted

if TYPE_CHECKING:
    from crowdproof.audit.data.given import Given


def examine(
    target: Any,
    claim: Claim | str,
    *,
    data: Any = None,
    params: Mapping[str, Any] | None = None,
    form: str | None = None,
    schema: Mapping[str, str] | None = None,
    runs: int | None = 200_000,
    seconds: float | None = 120.0,
    error: Number = "1e-6",
    seed: int = 0,
    workers: int = 1,
    sampling: str = "auditor",
    timeout: float | None = 60.0,
    isolate: str = "auto",
    **more: Any,
) -> Finding:
    """Try to refute a claim about a function; `print` the finding to read it.

    `target` is a function that takes the table first (and `rng` or `seed`, if it has such a parameter), an object or
    a class, a mechanism, or text as for the command line. `data` is a table of pandas, polars or pyarrow, a list of
    dicts, an array or a path. `params` are further arguments of the function. The other options are those of
    `crowdproof.audit.audit`.

    >>> def release(people):
    ...     return sorted(each["income"] for each in people)
    >>> people = [{"income": 21_000 + 3_000 * i} for i in range(8)]
    >>> examine(release, "dp(epsilon=1)", data=people, seed=1).verdict.name
    'REFUTED'
    """
    from crowdproof.audit import Budget, Sampling, audit
    from crowdproof.audit.data.given import given
    from crowdproof.audit.runners import runner_for
    from crowdproof.audit.targets import Target
    from crowdproof.audit.targets.given_target import given_target

    stated, found = _claim(claim), given(data, schema)
    if sampling not in {each.value for each in Sampling}:
        raise ParameterError(f"sampling is {sampling!r}: write auditor or target.")
    options = {"timeout": timeout, "isolate": isolate}
    mechanism = given_target(target, params=dict(params or {}), form=form, data_form=found.form, **options)
    with ExitStack() as stack, _errors_only():
        if isinstance(mechanism, Target) and mechanism is not target:
            stack.enter_context(mechanism)
        return audit(
            mechanism,
            stated,
            data=found.data,
            budget=Budget(runs, seconds),
            error=error,
            seed=seed,
            runner=stack.enter_context(runner_for(workers)),
            sampling=Sampling(sampling),
            **more,
        )


def assert_private(target: Any, claim: Claim | str, **options: Any) -> Finding:
    """Examine, and fail as an assertion of a test does where the claim is refuted or could not be decided.

    The options are those of `examine`; the finding comes back. A target that cannot be run is a `TargetError`.

    >>> assert_private(lambda table: 0, "dp(epsilon=1)", data=[{"age": 41}] * 4, runs=2000).verdict.name
    'NOT_REFUTED'
    """
    from crowdproof.audit.gate.assertion import held

    __tracebackhide__ = True
    return held(lambda: examine(target, claim, **{"runs": 20_000, "seconds": 60.0, **options}))


def replay(
    finding: Finding | str | Path,
    target: Any = None,
    *,
    params: Mapping[str, Any] | None = None,
    form: str | None = None,
    trust: bool = False,
    **options: Any,
) -> Finding:
    """Run a refutation again, from scratch: of a finding, or of the first one in a witness file.

    The target is the given one, as for `examine`, or the one that the finding names. To run what a file names, say
    `trust=True`: it is code of whoever wrote the file. The other options are those of `crowdproof.audit.replay`.
    """
    from crowdproof.audit.replay import replay as run_again
    from crowdproof.audit.targets.given_target import given_target

    known = finding if isinstance(finding, Finding) else _first_refutation(Path(finding))
    if target is None and known is not finding and not trust:
        raise ParameterError(f"{finding} names code that would be run: give the target, or say trust=True.")
    mechanism = None
    if target is not None:
        mechanism = given_target(target, params=dict(params or {}), form=form, data_form=None)
    with _errors_only():
        return run_again(known, mechanism, **{"seed": 0, **options})


def check(release: Any, **terms: Any) -> list[Finding]:
    """What a release alone shows: k, l, t and side channels. `release` is a path or a table of any library.

    >>> [str(each.claim) for each in check({"age": ["[20, 40)"] * 3}, k=3)][0]
    'k-anonymity(k=3, columns=age)'
    """
    from crowdproof.audit.check import Terms
    from crowdproof.audit.check import check as look
    from crowdproof.audit.data.given import given

    try:
        stated = Terms(**terms)
    except TypeError as error:
        words = str(error).rpartition("Terms.__init__() ")[2]
        raise ParameterError(f"check {words}: its terms are those of 'crowdproof check --help'.") from None
    source = release if isinstance(release, str | Path) else given(release).data
    return look(source, stated)


def bound(k: Number, beta: Number | str, epsilon: Number) -> Finding:
    """How private a sampled k-anonymizer is: certified deltas, side by side.

    >>> str(bound(20, "0.1", "0.5").claim)
    'dps(beta=0.1, epsilon=0.5, delta=2.632e-11)'
    """
    from crowdproof.proofs.bounds.telling import bound_finding

    return bound_finding(k, beta, epsilon)


def plan(
    *, epsilon: Number | None = None, delta: Number | None = None, beta: Any = None, k: Number | None = None
) -> Finding:
    """Which k, beta, epsilon or delta a promise allows: what is left out is found."""
    from crowdproof.proofs.bounds.telling import ask, plan_finding

    return plan_finding(ask(epsilon=epsilon, delta=delta, beta=beta, k=k))


def prove(*statements: str, workers: int = 1) -> list[Finding]:
    """Which statements of the papers hold: the ledger first, then a finding for each statement."""
    from crowdproof.proofs.ledger import finding, run, summary

    records = run(statements, workers)
    return [summary(records), *map(finding, records)]


def attack(
    name: str,
    *,
    target: Any = None,
    data: Any = None,
    release: Any = None,
    params: Mapping[str, Any] | None = None,
    form: str | None = None,
    seed: int = 0,
    **settings: Any,
) -> Finding:
    """What an adversary learns: from the built-in victim, from `target` on `data`, or from a `release` alone.

    `settings` are those of the attack, such as trials=200.
    """
    from crowdproof.attacks.catalogue import demonstrate
    from crowdproof.audit.data.given import given
    from crowdproof.audit.targets.given_target import given_target

    if release is not None:
        if target is not None or data is not None:
            raise ParameterError("release is attacked alone: leave out target and data.")
        return demonstrate(name, "read", {**settings, "release": _as_text(release)})
    found = _with_columns(given(data))
    keywords = {**settings, "seed": seed} if data is None else {**settings, "seed": seed, "data": found.data}
    if target is None:
        return demonstrate(name, "run", keywords)
    mechanism = given_target(target, params=dict(params or {}), form=form, data_form=found.form)
    with _errors_only():
        return demonstrate(name, "run", {**keywords, "target": mechanism})


def _with_columns(found: "Given") -> "Given":
    """The data of an attack: a table. An array of numbers has the columns column_0, column_1 and so on."""
    import numpy as np
    import polars as pl

    from crowdproof.audit.data.given import Given

    if found.data is None or isinstance(found.data, pl.DataFrame):
        return found
    if isinstance(found.data, np.ndarray) and found.data.ndim == 2 and found.data.dtype.kind in "biuf":
        return Given(pl.from_numpy(found.data), "numpy")
    raise DataError(
        "an attack reads tables with columns: give a table, a list of dicts or an array of numbers in rows."
    )


@contextmanager
def _errors_only() -> Iterator[None]:
    """Around what runs a target here: what would end the program of the caller is an error instead."""
    from crowdproof.errors import TargetError, pass_interrupts

    try:
        yield
    except Exception:
        raise
    except BaseException as error:  # noqa: BLE001  (SystemExit, a panic of a library)
        pass_interrupts(error)
        raise TargetError(f"a target ended the examination by {type(error).__name__}: let it return.") from None


def _claim(claim: Claim | str) -> Claim:
    if isinstance(claim, str):
        return parse_claim(claim)
    if not isinstance(claim, Claim):
        raise ParameterError(f"the claim is a {type(claim).__name__}: write it like 'dp(epsilon=1)', or give DP(1).")
    return claim


def _as_text(release: Any) -> Any:
    from crowdproof.audit.data.given import given
    from crowdproof.audit.data.tables import read_table

    return read_table(release, text=True) if isinstance(release, str | Path) else given(release).data


def _first_refutation(path: Path) -> Finding:
    from crowdproof.wire import loads

    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}. Give a file that --witness wrote.") from None
    found: Sequence[Finding] = [each for each in loads(text) if isinstance(each.verdict, Refuted)]
    if not found:
        raise DataError(f"{path} holds no refutation: give a file that 'audit --witness FILE' wrote.")
    return found[0]
