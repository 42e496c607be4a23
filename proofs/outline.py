"""How the steps of a statement make it: an outline that names every step, and words that fit what is formal.

`statements/outlines.toml` says for each statement, apart from its registration, which steps its argument takes, in
their order, and which relation each of them contributes. A step that is missing, that nothing uses, or that says less
than the argument takes from it is a defect, whatever the lock says.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from crowdproof.proofs.engines.kernel import sentence
from crowdproof.proofs.statement import Statement

OUTLINES = Path(__file__).with_name("statements") / "outlines.toml"


@cache
def outlines() -> Mapping[str, Mapping[str, str]]:
    """For each statement the steps that its argument takes, and what each contributes."""
    content: dict[str, dict[str, str]] = tomllib.loads(OUTLINES.read_text(encoding="utf-8"))
    return content


def statement_defects(subject: Statement) -> tuple[str, ...]:
    """Where a statement is not what its outline, or its theorem in Coq, makes of it."""
    return (*_steps(subject), *_words(subject))


def _steps(subject: Statement) -> tuple[str, ...]:
    outline = outlines().get(subject.id, {})
    steps = {each.id: each.body.goal for each in subject.obligations}
    missing = [f"the argument takes a step {name} that is missing" for name in outline if name not in steps]
    unused = [f"nothing uses the step {name}" for name in steps if name not in outline]
    other = [
        f"the argument takes {outline[name]!r} from the step {name}, which says {says!r}"
        for name, says in steps.items()
        if name in outline and outline[name] != says
    ]
    return (*missing, *unused, *other)


def _words(subject: Statement) -> tuple[str, ...]:
    """The sentence of a theorem is the one above it in Coq."""
    if subject.theorem and subject.sentence != sentence(subject.theorem):
        return (f"the sentence is not that of the Coq theorem {subject.theorem}",)
    return ()
