"""What is said where it was only measured that a target is deterministic."""

from crowdproof.findings import Note

ASSUMED = Note(
    "Assumption",
    "That the target is deterministic was measured: on every dataset that was enumerated it was run twice, with "
    "different seeds, with one result.",
)
UNCONFIRMED = (
    "deterministic, which was only measured, and the budget of runs is too small to confirm it by fresh runs: state "
    "that it is (--deterministic, or deterministic = true in a gate), or give more runs."
)
"""How a sentence ends that says what follows if the target is."""
IF_NOT = "If the target is not deterministic, only a test by betting says something about it."
"""What leads over from what was enumerated to what the bets would have found."""
GOING_ON = 120.0
"""Seconds for which a target that seems deterministic is tested on after all was enumerated, where the budget sets no
time: as long as the auditor's budget is by default, since a program that takes a second to start would run for days."""


def if_deterministic(runs: int) -> str:
    """What a sentence says that rests on so many runs that agreed."""
    return f"if the target is deterministic, which was measured in {runs:,} runs and not declared"
