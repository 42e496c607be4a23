"""`crowdproof prove`: which statements of the papers hold."""

from pathlib import Path

import click

from crowdproof.cli.loudness import remark
from crowdproof.cli.options import deliver, formats, report


def _ids(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    from crowdproof.proofs.statements import STATEMENTS

    return [each.id for each in STATEMENTS if each.id.startswith(incomplete)]


@click.command("prove")
@click.argument("statements", nargs=-1, metavar="[ID]...", shell_complete=_ids)
@formats
@click.option("--details", is_flag=True, help="In text, show the obligations of every statement, not only the table.")
@click.option(
    "--certificates",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write SMT-LIB files, exact witnesses and a MANIFEST for third parties.",
)
@click.option("--workers", type=click.IntRange(min=1), default=2, show_default=True, help="Processes to use.")
def command(
    statements: tuple[str, ...],
    outputs: list[tuple[str, Path | None]],
    details: bool,
    certificates: Path | None,
    workers: int,
) -> int:
    """Check the statements of the papers, all or those with the given IDs.

    Every obligation is discharged by its engines and each of its mutants refuted. A statement that is registered as
    REFUTED, because what is printed is wrong, is as expected when its counterexample is found again.

    Exit codes: 0 every verdict is as registered; 1 one differs; 4 an engine gave up.
    """
    from crowdproof.cli.progress import waiting
    from crowdproof.proofs.certificates import export
    from crowdproof.proofs.ledger import exit_code, finding, run, summary

    with waiting("checking the statements"):
        records = run(statements, workers)
    findings = [summary(records), *map(finding, records)]
    brief = findings if details or statements else findings[:1]

    def certify() -> None:
        if certificates is not None:
            written = export(records, certificates)
            remark(f"{len(written)} files written below {certificates}")

    reports = [report(brief if name == "text" else findings, name, path) for name, path in outputs]
    return deliver([*reports, certify], exit_code(records))
