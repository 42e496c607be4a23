"""`crowdproof prove`: which statements of the papers hold."""

from pathlib import Path
from typing import Any

import click

from crowdproof.cli.loudness import remark
from crowdproof.cli.options import Whole, deliver, formats, report
from crowdproof.errors import CrowdproofError


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
@click.option("--kernel", is_flag=True, help="Run Coq on the theorems, instead of relying on its stored result.")
@click.option("--workers", type=Whole(min=1), default=2, show_default=True, help="Processes to use.")
def command(
    statements: tuple[str, ...],
    outputs: list[tuple[str, Path | None]],
    details: bool,
    certificates: Path | None,
    **running: Any,
) -> int:
    """Check the statements of the papers, all or those with the given IDs.

    Every obligation is discharged by its engines and each of its mutants refuted. A statement that is registered as
    REFUTED, because what is printed is wrong, is as expected when its counterexample is found again.

    A statement whose status is 'kernel-checked' is a theorem of Coq. With --kernel, Coq (Debian: coq) compiles the
    theorems and its checker reads them again; without, the result of the last such run counts, by hash.

    Exit codes: 0 every verdict is as registered; 1 one differs; 3 Coq is not installed; 4 an engine gave up.
    """
    from crowdproof.cli.progress import waiting
    from crowdproof.proofs.certificates import export
    from crowdproof.proofs.engines.kernel import available
    from crowdproof.proofs.engines.kernel import run as run_coq
    from crowdproof.proofs.ledger import exit_code, finding, run, summary

    if running["kernel"] and not available():
        raise CrowdproofError("Coq is not installed: install it (Debian: apt-get install coq), or leave out --kernel.")
    with waiting("checking the statements"):
        records = run(statements, running["workers"], run_coq() if running["kernel"] else None)
    findings = [summary(records), *map(finding, records)]
    brief = findings if details or statements else findings[:1]

    def certify() -> None:
        if certificates is not None:
            written = export(records, certificates)
            remark(f"{len(written)} files written below {certificates}")

    reports = [report(brief if name == "text" else findings, name, path) for name, path in outputs]
    return deliver([*reports, certify], exit_code(records))
