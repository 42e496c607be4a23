"""`crowdproof audit`: is a claim about an anonymizer false?"""

import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from crowdproof import interrupts
from crowdproof.claims import DP, DPS, Claim, Neighbours, parse_claim
from crowdproof.cli.again import with_command
from crowdproof.cli.auditing import budget_options, data_options, load, one_by_one, read_data, target_options
from crowdproof.cli.options import Whole, chosen_seed, deliver, formats, get_ready, lenient, output_file, report, seed
from crowdproof.cli.streams import tell
from crowdproof.errors import ExitCode, ParameterError
from crowdproof.exact import rational, show
from crowdproof.findings import Finding, Refuted, Reproduce, Skipped, exit_code


@click.command("audit")
@click.argument("target")
@click.option(
    "--claim", "claims", multiple=True, required=True, help="What is claimed, such as 'dp(epsilon=1)'; more than once."
)
@data_options
@click.option("--queries", type=Whole(min=1), help="Audit on vectors of so many answers, not a table.")
@click.option("--every-query", is_flag=True, help="One person may change every answer by one, not just one of them.")
@click.option("--error", default="1e-6", show_default=True, help="False-alarm rate over all claims together.")
@click.option(
    "--sampling",
    type=click.Choice(["auditor", "target"]),
    default="auditor",
    show_default=True,
    help="Who draws the sample of a dps claim.",
)
@click.option(
    "--deterministic/--randomized", default=None, help="What the target is; without it that is measured or declared."
)
@click.option("--search", type=Whole(min=0), default=100, show_default=True, help="Pairs the search may try.")
@click.option(
    "--witness",
    type=click.Path(path_type=Path),
    callback=output_file,
    help="Write the refutations to this file, for 'replay'.",
)
@click.option(
    "--one-run", is_flag=True, help="Run the target only once, on all of --data, with canaries put in by coins."
)
@click.option("--canaries", type=Whole(min=1), default=1000, show_default=True, help="Rows that --one-run puts in.")
@click.option("--repeat", type=Whole(min=1), default=1, show_default=True, help="Runs that --one-run may make.")
@click.option("--plan", "plan_only", is_flag=True, help="Say what --one-run can show, and run nothing.")
@click.option("--calibrate", is_flag=True, help="Also measure the auditor's own false-alarm rate on true claims.")
@lenient
@budget_options
@target_options
@seed
@formats
def command(claims: tuple[str, ...], outputs: list[tuple[str, Path | None]], **options: Any) -> ExitCode:
    """Look for a pair of neighbouring datasets and an event that refute the claims about TARGET.

    TARGET is module:function, file.py:function, an adapter such as anonypy, 'command: ...', 'lines: ...', a URL, or
    releases:FOLDER,FOLDER.

    Example: crowdproof audit anonypy --param k=10 --claim 'dps(beta=0.5, epsilon=1, delta=0.02)' --data people.csv
    """
    _refuse_ignored(options)
    number = chosen_seed(options["seed"])
    parsed = [parse_claim(each) for each in claims]
    if options["plan_only"]:
        return _plan(parsed, options)
    calibrated = _calibrated(parsed) if options["calibrate"] else None
    get_ready([*outputs, ("json", options["witness"])])
    findings = _run(parsed, number, options)
    interrupted = False
    try:
        if calibrated is not None:
            findings.append(_calibration(calibrated, number))
    except KeyboardInterrupt:
        interrupted = True
    finally:  # what was found is told even where the calibration fails or is interrupted
        refuted = [each for each in findings if isinstance(each.verdict, Refuted)]
        witness = [] if options["witness"] is None else [report(refuted, "json", options["witness"])]
        code = exit_code(findings, lenient=options["lenient"])
        if interrupted and code is not ExitCode.REFUTED:
            code = ExitCode.BROKEN
        code = deliver([*witness, *(report(findings, name, path) for name, path in outputs)], code)
    if interrupted:
        tell("Interrupted.")
    return code


def _plan(claims: list[Claim], options: dict[str, Any]) -> ExitCode:
    """What one run can show of each claim."""
    from crowdproof.audit.one_run.planning import plan
    from crowdproof.audit.one_run.run_once import stated

    error = rational(options["error"], "error") / len(claims)
    for claim in map(stated, claims):
        planned = plan(claim.epsilon, claim.delta, canaries=options["canaries"], runs=options["repeat"], error=error)
        click.echo(f"{claim}: {planned}")
    return ExitCode.HELD


def _refuse_ignored(options: dict[str, Any]) -> None:
    """Refuse what would have no effect: whoever gives it believes that it has one."""
    from crowdproof.audit.targets.spec import TargetSpec

    table, vectors = options["data"] is not None, options["queries"] is not None
    if TargetSpec.of(options["target"]).recorded and (table or vectors):
        raise ParameterError("releases that were recorded are audited as they are: leave out --data and --queries.")
    if options["schema"] and not table:
        raise ParameterError("--schema declares the types of a table: give the table with --data FILE.")
    if table and vectors:
        raise ParameterError("--data and --queries are two things to audit on: give one of them.")
    if options["one_run"] and not table and not options["plan_only"]:
        raise ParameterError("canaries are put into a table: give one with --data FILE.")
    ignored = [each for each in ("canaries", "repeat") if _was_given(each)]
    if ignored and not options["one_run"] and not options["plan_only"]:
        raise ParameterError(f"--{ignored[0]} is about an audit by a single run: give --one-run as well.")
    if options["every_query"] and not vectors:
        raise ParameterError("--every-query is about vectors of answers: give their length with --queries N.")


def _was_given(name: str) -> bool:
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def _run(claims: list[Claim], number: int, options: dict[str, Any]) -> list[Finding]:
    from crowdproof.audit.auditor import name_of
    from crowdproof.audit.runners import runner_for

    error = rational(options["error"], "error") / len(claims)
    with (
        load(options["target"], options) as target,
        runner_for(options["workers"], options["scheduler"]) as runner,
    ):

        def skipped(claim: Claim, why: str) -> Finding:
            finding = Finding(name_of(target), claim, Skipped(why), reproduce=Reproduce(seed=number))
            return with_command(finding, claims=(str(claim),), error=show(error))

        return one_by_one(
            claims, lambda claim: _audit(target, claim, runner, options, error=error, seed=number), skipped
        )


def _audit(target: Any, claim: Claim, runner: Any, options: dict[str, Any], *, error: Fraction, seed: int) -> Finding:
    from crowdproof.audit import Budget, Sampling, audit
    from crowdproof.audit.request import OneRunTerms
    from crowdproof.cli.progress import StderrProgress

    where = f" on {runner}" if runner.workers > 1 else ""
    with StderrProgress(f"{claim}{where}") as progress:
        finding = audit(
            target,
            claim,
            **_datasets(target, claim, options),
            budget=Budget(options["runs"], options["seconds"]),
            error=error,
            seed=seed,
            runner=runner,
            progress=progress,
            sampling=Sampling(options["sampling"]),
            search=options["search"],
            deterministic=options["deterministic"],
            one_run=OneRunTerms(options["canaries"], options["repeat"]) if options["one_run"] else None,
        )
    return with_command(finding, claims=(str(claim),), error=show(error))


def _calibrated(claims: list[Claim]) -> DP | DPS:
    """The claim at whose edge to calibrate: the first dp or dps claim."""
    claim = next((each for each in claims if isinstance(each, DP | DPS)), None)
    if claim is None:
        raise ParameterError("there is nothing to calibrate on: give a dp or a dps claim with --calibrate.")
    return claim


def _calibration(claim: DP | DPS, number: int) -> Finding:
    """The auditor's own false-alarm rate at the edge of the claim, also on two workers."""
    from crowdproof.audit.calibration import at_edge, calibrate, finding
    from crowdproof.audit.calibration.perform import LOOSE
    from crowdproof.audit.runners import runner_for

    start = time.monotonic()
    with interrupts.breakable(), runner_for(2) as two:
        nulls = at_edge(claim.epsilon, claim.delta)
        measured = calibrate(nulls, audits=60, runs=1500, seed=number, levels=[LOOSE], runner=two, runners=[two])
    return with_command(finding(measured, number, time.monotonic() - start), claims=(str(claim),), calibrate=True)


def _datasets(target: Any, claim: Claim, options: dict[str, Any]) -> dict[str, Any]:
    from crowdproof.audit.neighbours import vector_pairs
    from crowdproof.audit.targets import ReleasePair

    relation = getattr(claim, "neighbours", Neighbours.ADD_REMOVE)
    if isinstance(target, ReleasePair):
        return {"pairs": [target.pair(relation)]}
    if options["queries"] is not None:
        return {"pairs": list(vector_pairs(options["queries"], every=options["every_query"], relation=relation))}
    if options["data"] is None:
        raise ParameterError("there is nothing to audit on: give --data FILE, or --queries N for vectors of answers.")
    return {"data": read_data(options)}
