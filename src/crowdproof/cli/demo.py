"""`crowdproof demo`: the main job, end to end, on the built-in data."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import click

from crowdproof.cli.again import with_command
from crowdproof.cli.options import emit, output_file
from crowdproof.errors import ExitCode
from crowdproof.findings import Finding

SEED = 20
"""Every run of the demo shows the same numbers."""


@click.command("demo")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=Path("crowdproof-report.html"),
    show_default=True,
    callback=output_file,
    help="Where the report goes.",
)
def command(output: Path) -> ExitCode:
    """Examine two publishers' claims with proofs, audits and attacks, and write a report to look at.

    The exit code is 0 when the demonstration ran: that it refutes claims is what it is for.
    """
    from crowdproof.cli.progress import waiting

    findings = []
    for question, examine in _scenes():
        click.echo(question)
        with waiting("  examining"):
            finding = examine()
        findings.append(finding if finding.reproduce.command else with_command(finding))
        click.echo(f"{_answer(finding)}\n")
    emit(findings, [("html", output)])
    click.echo(f"The report, with witnesses, plots and how to reproduce each finding: {output}")
    return ExitCode.HELD


def _scenes() -> list[tuple[str, Callable[[], Finding]]]:
    """Each question, and what answers it: one after the other, so that a person can read along."""
    return [
        ("We sample 10%, recode by a fixed grid, drop groups below 20. What does that give at epsilon 0.5?", _bound),
        ("So that algorithm is (0.5, 1e-8)-DP under sampling: does running it refute that?", _safe),
        ("We sample 10% and cluster into groups of 20 (Mondrian). It is 20-anonymous: is it (0.5, 1e-8)-DP too?", _clr),
        ("What does that mean for the one rich inhabitant of a town?", _attack),
        ("We add Laplace noise for epsilon 1, but someone halved its scale: does an audit notice?", _noise),
    ]


def _bound() -> Finding:
    from crowdproof.proofs.bounds.telling import bound_finding

    return bound_finding("20", "0.1", "0.5")


def _safe() -> Finding:
    from crowdproof.audit import Budget, audit
    from crowdproof.claims import DPS
    from crowdproof.data import town
    from crowdproof.mechanisms import Grid, Scheme, StronglySafe

    target = StronglySafe(Scheme({"net_worth": Grid(100_000)}), 20)
    return audit(
        target,
        DPS("0.1", "0.5", "1e-8"),
        data=town(),
        budget=Budget(runs=4000),
        search=10,
        seed=SEED,
        subject="fixed grid, groups below 20 dropped",
    )


def _clr() -> Finding:
    from crowdproof.audit import Budget, audit
    from crowdproof.claims import DPS
    from crowdproof.data import town
    from crowdproof.mechanisms import Mondrian

    claim = DPS("0.1", "0.5", "1e-8")
    return audit(Mondrian(20), claim, data=town(), budget=Budget(runs=5000), seed=SEED, subject="Mondrian, k = 20")


def _attack() -> Finding:
    from crowdproof.attacks import clr

    return clr.run(trials=300, seed=SEED).finding()


def _noise() -> Finding:
    from crowdproof.audit import Budget, audit
    from crowdproof.audit.neighbours import vector_pairs
    from crowdproof.claims import DP
    from crowdproof.mechanisms import Laplace

    pairs = list(vector_pairs(1))
    budget = Budget(runs=2_000_000)
    return audit(Laplace(2), DP(1), pairs=pairs, budget=budget, seed=SEED, subject="Laplace with half the noise")


def _answer(finding: Finding) -> str:
    """The verdict in one paragraph."""
    from crowdproof.report.wording import sentence

    claim = str(finding.claim).rstrip(".")
    text = f"{finding.verdict.name}  {claim}. {sentence(finding)}"
    return textwrap.fill(text, 100, initial_indent="  ", subsequent_indent="  ")
