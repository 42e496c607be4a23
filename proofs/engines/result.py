"""What an engine hands back."""

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from crowdproof.proofs.answer import Answer


@frozen
class Result:
    """The answer of one engine, and the exact values that show it."""

    engine: str
    answer: Answer
    values: Mapping[str, Any] = field(factory=dict)
    """The counterexample where the answer is REFUTED."""
    detail: str = ""
    """Why it gave up, where the answer is UNKNOWN."""
