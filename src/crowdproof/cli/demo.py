"""`crowdproof demo`: the main job, end to end, on the built-in data."""

import click


@click.command("demo")
def command() -> None:
    """Run the main job, end to end, on the built-in data."""
