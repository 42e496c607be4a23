"""`crowdproof replay`: a refutation, run again from scratch."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from crowdproof.cli.again import with_command
from crowdproof.cli.auditing import budget_options, load, one_by_one, refuse_without_target, target_options
from crowdproof.cli.options import chosen_seed, emit, formats, read_findings, seed
from crowdproof.cli.streams import is_terminal, tell
from crowdproof.errors import DataError, ExitCode, ParameterError
from crowdproof.exact import rational
from crowdproof.findings import Finding, Refuted, Skipped
from crowdproof.visible import visible


@click.command("replay")
@click.argument("file", metavar="WITNESS.json", type=click.Path(path_type=Path))
@click.option("--target", help="Replay on this target instead of the one that the file names.")
@click.option("--yes", is_flag=True, help="Run what the file names without asking; for scripts.")
@click.option("--error", default="1e-6", show_default=True, help="False-alarm rate of each refutation.")
@click.option(
    "--deterministic/--randomized", default=None, help="What the target is; without it that is measured or declared."
)
@budget_options
@target_options
@seed
@formats
def command(file: Path, outputs: list[tuple[str, Path | None]], **options: Any) -> ExitCode:
    """Run the refutations of a witness file again, with fresh randomness, and tell whether they are confirmed.

    A witness file names code, which runs with your rights. It is shown, and run when you say so.

    Exit codes: 0 every refutation was confirmed; 4 one was not; 3 one could not be run; 2 the file cannot be used.
    """
    if options["target"] is None:
        refuse_without_target(click.get_current_context())
    refutations = _refutations(file)
    if options["target"] is None and not options["yes"]:
        _ask(refutations, file)
    findings = one_by_one(refutations, lambda each: _replay(each, options), _skipped)
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


def _ask(refutations: list[Finding], file: Path) -> None:
    """Show what would be run, and go on only if the user says so."""
    named = dict.fromkeys(_named(each) for each in refutations)
    tell("\n".join([f"{visible(str(file))} names code to be run with your rights, in {Path.cwd()}:", *named]))
    if not is_terminal(sys.stdin) or str(file) == "-":
        raise ParameterError(
            "there is nobody to ask whether to run it: look at it and give --yes, or name code of yours with --target."
        )
    tell("Run it? [y/N]")
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise ParameterError("nothing was run: give --yes, or name code of yours with --target.")


def _named(finding: Finding) -> str:
    """The target of a finding as one line, with all that the file says of how to run it."""
    spec = finding.reproduce.parameters.get("target")
    if not isinstance(spec, dict):
        return "  nothing, since the file does not tell what it was about"
    more = {name: value for name, value in spec.items() if name != "spec" and value not in (None, {})}
    return visible(f"  {spec.get('spec')}  {json.dumps(more, ensure_ascii=False, default=str)}")


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
            error=rational(options["error"], "error"),
            deterministic=options["deterministic"],
            runner=runner,
            progress=progress,
        )
    return with_command(again)
