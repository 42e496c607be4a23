"""`crowdproof bound`: how private a sampled k-anonymizer is, in certified numbers."""

from pathlib import Path

import click

from crowdproof.cli.options import emit, formats


@click.command("bound")
@click.option("--k", required=True, help="Groups below k are dropped.")
@click.option("--beta", required=True, help="The sampling rate, or max: 1 - e^-epsilon.")
@click.option("--epsilon", required=True, help="A number, or like 'ln 3'.")
@formats
def command(k: str, beta: str, epsilon: str, outputs: list[tuple[str, Path | None]]) -> int:
    """Print the delta of 'sample, recode in a fixed way, drop the small groups'.

    By Theorem 5, tight for a row added or removed and for a row replaced, and by crowd-blending, side by side.
    """
    from crowdproof.cli.progress import waiting
    from crowdproof.findings import exit_code
    from crowdproof.proofs.bounds.telling import bound_finding

    with waiting("computing certified numbers"):
        findings = [bound_finding(k, beta, epsilon)]
    return emit(findings, outputs, exit_code(findings))
