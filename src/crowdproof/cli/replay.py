"""`crowdproof replay`: a refutation, run again from scratch."""

from pathlib import Path
from typing import Any

import click

from crowdproof.cli.again import with_command
from crowdproof.cli.auditing import budget_options, load, one_by_one, refuse_without_target, target_options
from crowdproof.cli.options import chosen_seed, emit, formats, read_findings, seed
from crowdproof.errors import DataError, ExitCode
from crowdproof.findings import Finding, Refuted, Skipped


@click.command("replay")
@click.argument("file", metavar="WITNESS.json", type=click.Path(path_type=Path))
@click.option("--target", help="Replay on this target instead of the one that the file names.")
@budget_options
@target_options
@seed
@formats
def command(file: Path, outputs: list[tuple[str, Path | None]], **options: Any) -> ExitCode:
    """Run the refutations of a witness file again, with fresh randomness, and tell whether they are confirmed.

    Exit codes: 0 every refutation was confirmed; 4 one was not; 3 one could not be run; 2 the file cannot be used.
    """
    if options["target"] is None:
        refuse_without_target(click.get_current_context())
    findings = one_by_one(_refutations(file), lambda each: _replay(each, options), _skipped)
    return emit(findings, outputs, _code(findings))


def _code(findings: list[Finding]) -> ExitCode:
    if any(isinstance(each.verdict, Skipped) for each in findings):
        return ExitCode.BROKEN
    confirmed = all(isinstance(each.verdict, Refuted) for each in findings)
    return ExitCode.HELD if confirmed else ExitCode.UNDECIDED


def _refutations(file: Path) -> list[Finding]:
    found = [each for each in read_findings(file) if isinstance(each.verdict, Refuted)]
    if not found:
        raise DataError(f"{file} holds no refutation: give a file that 'audit --witness FILE' wrote.")
    return found


def _skipped(finding: Finding, why: str) -> Finding:
    return with_command(Finding(finding.subject, finding.claim, Skipped(why), reproduce=finding.reproduce))


def _replay(finding: Finding, options: dict[str, Any]) -> Finding:
    from crowdproof.audit import Budget
    from crowdproof.audit.replay import replay
    from crowdproof.audit.runners import runner_for
    from crowdproof.cli.progress import StderrProgress

    target = options["target"] and load(options["target"], options)
    with StderrProgress("replay") as progress, runner_for(options["workers"], options["scheduler"]) as runner:
        again = replay(
            finding,
            target,
            seed=chosen_seed(options["seed"]),
            budget=Budget(options["runs"], options["seconds"]),
            runner=runner,
            progress=progress,
        )
    return with_command(again)
