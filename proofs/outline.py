"""How the steps of a statement make it: an outline that names every step, and words that fit what is formal.

`statements/outlines.toml` says for each statement, apart from its registration, which steps its argument takes, in
their order, and what each of them says in full: from which assumptions which relation follows, or in how many cases
it holds, then which false variants of it are refuted, and its sentence. Of a refuted statement it says what is
printed, and what is true. At the end stand what is assumed, the duties that are left to the caller, the remark, and
the conclusion with its source and status. A step that is missing, that nothing uses, or that says less than the
argument takes from it is a defect, whatever the lock says; so is another conclusion. This is double entry, and no
proof: it makes an edit of one place show.

After a change that is meant, `python -m crowdproof.proofs.outline` writes the file; read the difference.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path

from crowdproof.proofs.engines.kernel import sentence
from crowdproof.proofs.statement import Body, Finite, Identity, Implication, Mutant, Statement

OUTLINES = Path(__file__).with_name("statements") / "outlines.toml"
_HEAD = """\
# How the steps of each statement make it, in the order of its argument: what each says in full, and its false variants;
# of a claim as printed, what is true instead; what is left to the caller; and what comes of it, with its status.
"""


def sequent(body: Body) -> str:
    """What a body says, assumptions and all.

    >>> from crowdproof.proofs.statement import at
    >>> sequent(Implication(("x >= 1",), "x**2 >= x", (at(x=1),), ("x",)))
    'x whole; x >= 1 |- x**2 >= x'
    """
    match body:
        case Implication():
            whole = [f"{name} whole" for name in body.integers]
            return f"{'; '.join([*whole, *body.assume])} |- {body.goal}"
        case Identity():
            return body.goal
        case Finite():
            return f"{body.goal} in {len(body.cases)} cases"


def says(subject: Statement) -> dict[str, list[str]]:
    """What every step of a statement says with its false variants, its printed claim, and what comes of all."""
    steps = {each.id: _variants(each.body, each.mutants) for each in subject.obligations}
    if subject.printed is not None:
        steps["printed"] = _variants(subject.printed.body, subject.printed.repairs)
    for each in subject.obligations:
        steps[each.id].append(each.sentence)
    if subject.printed is not None:
        steps["printed"] += [subject.printed.sentence, subject.printed.true]
    for name, told in (("assumed", subject.checked), ("duty", subject.duty)):
        if told:
            steps[name] = list(told)
    if subject.remark:
        steps["remark"] = [subject.remark]
    conclusion = f"theorem {subject.theorem} of Coq" if subject.theorem else subject.sentence
    return {**steps, "conclusion": [conclusion, subject.source, subject.status]}


def _variants(body: Body, variants: Sequence[Mutant]) -> list[str]:
    return [sequent(body), *(_difference(body, each.change(body)) for each in variants)]


def _difference(body: Body, variant: Body) -> str:
    """What a variant says where it differs."""
    if isinstance(body, Finite) and isinstance(variant, Finite):
        other = [
            f"{name} = {_plain(value)}"
            for name, value in (variant.cases[0].items() if variant.cases else ())
            if value != body.cases[0].get(name)
        ]
        return "; ".join([*([variant.goal] if variant.goal != body.goal else []), *other]) or "other quantities"
    return sequent(variant)


def _plain(value: object) -> str:
    return getattr(value, "__name__", None) or str(value)


@cache
def outlines() -> Mapping[str, Mapping[str, list[str]]]:
    """For each statement the steps that its argument takes, and what each contributes."""
    content: dict[str, dict[str, list[str]]] = tomllib.loads(OUTLINES.read_text(encoding="utf-8"))
    return content


def statement_defects(subject: Statement) -> tuple[str, ...]:
    """Where a statement is not what its outline, or its theorem in Coq, makes of it."""
    return (*_steps(subject), *_words(subject))


def _steps(subject: Statement) -> tuple[str, ...]:
    outline, steps = outlines().get(subject.id, {}), says(subject)
    missing = [f"the argument takes a step {name} that is missing" for name in outline if name not in steps]
    unused = [f"nothing uses the step {name}" for name in steps if name not in outline]
    other = [
        f"the argument takes {taken!r} from the step {name}, which says {said!r}"
        for name, every in steps.items()
        if name in outline and outline[name] != every
        for taken, said in zip_longest(outline[name], every)
        if taken != said
    ]
    return (*missing, *unused, *other)


def _words(subject: Statement) -> tuple[str, ...]:
    """The sentence of a theorem is the one above it in Coq."""
    if subject.theorem and subject.sentence != sentence(subject.theorem):
        return (f"the sentence is not that of the Coq theorem {subject.theorem}",)
    return ()


def main() -> None:
    """Write the outlines of the registry as it is."""
    from crowdproof.proofs.statements import STATEMENTS  # noqa: PLC0415

    parts = [_HEAD]
    for each in STATEMENTS:
        parts.append(f"[{each.id}]")
        parts += [f"{name} = {json.dumps(said)}" for name, said in says(each).items()]
        parts.append("")
    OUTLINES.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
